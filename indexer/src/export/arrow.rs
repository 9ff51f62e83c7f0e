//! Arrow IPC, the file format that pandas, polars and DuckDB map into memory. The types of all columns are at its
//! begin and are known at the end only, so parts wait in a file of their own, and go to the other one by one.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{BufReader, BufWriter, Error, Result, Seek, Write};
use std::sync::Arc;

use polars_arrow::array::{
    Array, BooleanArray, DictionaryArray, Float64Array, Int64Array, NullArray, StaticArray, UInt32Array,
    Utf8Array, new_null_array,
};
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field, IntegerType, TimeUnit};
use polars_arrow::io::ipc::read::{StreamReader, StreamState, read_stream_metadata};
use polars_arrow::io::ipc::write::{FileWriter, StreamWriter, WriteOptions};
use polars_arrow::record_batch::RecordBatchT;
use tempfile::SpooledTempFile;

use super::TableWriter;
use engine::pipe::{Cell, Column, ColumnData, Table};

/// The memory for buffered batches before they go to a temporary file.
const HELD_BYTES: usize = 16 << 20;

/// Distinct texts that a column's dictionary may have. With more of them texts are written as they are.
const MOST_CODED: usize = 1 << 16;

/// Whole numbers up to here are exact as floats too.
const EXACT_FLOAT: u64 = 1 << 53;

pub struct Arrow {
    columns: Vec<KnownTypes>,
    parts: Vec<ArrowPart>,
    held: BufWriter<SpooledTempFile>,
}

/// What is known of a column.
struct KnownTypes {
    name: Arc<str>,
    kind: ArrowKind,
    /// All whole numbers are exact as floats.
    is_exact: bool,
    coded: bool,
    /// No part has values of another kind.
    only_texts: bool,
    codes: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrowKind {
    Missing,
    Bool,
    Int,
    Float,
    Time,
    Text,
}

/// A buffered batch: its number of rows, and its columns.
struct ArrowPart {
    rows: usize,
    columns: Vec<usize>,
}

impl Default for Arrow {
    fn default() -> Arrow {
        let held = BufWriter::new(SpooledTempFile::new(HELD_BYTES));
        Arrow { columns: Vec::new(), parts: Vec::new(), held }
    }
}

impl TableWriter for Arrow {
    fn rows(&mut self, table: &Table, _: &mut dyn Write) -> Result<()> {
        let mut part = ArrowPart { rows: table.rows(), columns: Vec::new() };
        let mut arrays = Vec::new();
        for (name, column) in table.names().iter().zip(table.columns()) {
            let known = self.columns.iter().position(|known| known.name == *name);
            let place = known.unwrap_or_else(|| {
                self.columns.push(KnownTypes::new(name));
                self.columns.len() - 1
            });
            part.columns.push(place);
            arrays.push(self.columns[place].waiting(column));
        }
        let fields = arrays.iter().enumerate();
        let fields = fields.map(|(at, array)| field(&at.to_string(), array.dtype().clone()));
        let schema: ArrowSchema = fields.collect();
        let mut writer = StreamWriter::new(&mut self.held, WriteOptions::default());
        writer.start(&schema, None).map_err(failed)?;
        let batch = RecordBatchT::try_new(part.rows, Arc::new(schema), arrays).map_err(failed)?;
        writer.write(&batch, None).and_then(|()| writer.finish()).map_err(failed)?;
        self.parts.push(part);
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> Result<()> {
        let empty = BufWriter::new(SpooledTempFile::new(0));
        let mut held = std::mem::replace(&mut self.held, empty).into_inner()?;
        held.rewind()?;
        let mut held = BufReader::new(held);
        let finished: Vec<Finished> = self.columns.iter().map(Finished::from_known).collect();
        let fields = self.columns.iter().zip(&finished);
        let schema: Arc<ArrowSchema> =
            Arc::new(fields.map(|(known, finished)| field(&known.name, finished.dtype.clone())).collect());
        let mut writer =
            FileWriter::try_new(out, Arc::clone(&schema), None, WriteOptions::default()).map_err(failed)?;
        for part in &self.parts {
            let metadata = read_stream_metadata(&mut held).map_err(failed)?;
            let mut waiting: Vec<Option<Box<dyn Array>>> = vec![None; self.columns.len()];
            for state in StreamReader::new(&mut held, metadata, None) {
                let StreamState::Some(batch) = state.map_err(failed)? else { break };
                for (place, array) in part.columns.iter().zip(batch.into_arrays()) {
                    waiting[*place] = Some(array);
                }
            }
            let arrays = self.columns.iter().zip(&finished).zip(waiting);
            let arrays = arrays.map(|((known, finished), array)| finished.array(known, array, part.rows));
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let batch = RecordBatchT::try_new(part.rows, Arc::clone(&schema), arrays).map_err(failed)?;
            writer.write(&batch, None).map_err(failed)?;
        }
        writer.finish().map_err(failed)
    }
}

impl KnownTypes {
    fn new(name: &Arc<str>) -> KnownTypes {
        KnownTypes {
            name: Arc::clone(name),
            kind: ArrowKind::Missing,
            is_exact: true,
            coded: true,
            only_texts: true,
            codes: HashMap::new(),
            texts: Vec::new(),
        }
    }

    /// Merges the types of more values.
    fn widen(&mut self, kind: ArrowKind) {
        self.only_texts &= matches!(kind, ArrowKind::Missing | ArrowKind::Text);
        self.kind = match (self.kind, kind) {
            (one, other) if one == other => one,
            (ArrowKind::Missing, one) | (one, ArrowKind::Missing) => one,
            (ArrowKind::Int | ArrowKind::Float, ArrowKind::Int | ArrowKind::Float) => ArrowKind::Float,
            _ => ArrowKind::Text,
        };
    }

    /// A part's values as they wait: texts as the codes of all parts, while there are few enough.
    fn waiting(&mut self, column: &Column) -> Box<dyn Array> {
        let (kind, array): (ArrowKind, Box<dyn Array>) = match &column.data {
            ColumnData::Missing(rows) => {
                (ArrowKind::Missing, NullArray::new(ArrowDataType::Null, *rows).boxed())
            }
            ColumnData::Int(values) => {
                let is_exact =
                    |value: Option<i64>| value.is_none_or(|value| value.unsigned_abs() <= EXACT_FLOAT);
                self.is_exact &= values.iter().all(is_exact);
                (ArrowKind::Int, values.downcast_as_array().clone().boxed())
            }
            ColumnData::Time(values) => {
                (ArrowKind::Time, values.downcast_as_array().clone().to(time()).boxed())
            }
            ColumnData::Float(values) => (ArrowKind::Float, values.downcast_as_array().clone().boxed()),
            ColumnData::Bool(values) => (ArrowKind::Bool, values.downcast_as_array().clone().boxed()),
            ColumnData::Text { codes, texts } => {
                let mut new: Vec<Option<u32>> = vec![None; texts.len()];
                let mut code = |code: u32| {
                    let known = new.get_mut(code as usize)?;
                    *known = known.or_else(|| self.code(texts.get(code)?));
                    *known
                };
                let coded: UInt32Array = codes.iter().map(|&old| code(old)).collect();
                let text = |row: usize| texts.get(codes[row]);
                (ArrowKind::Text, self.coded_or(coded, || (0..codes.len()).map(text).collect()))
            }
            ColumnData::Level(_) | ColumnData::List(_) => {
                let text = |row: usize| Some(column.cell(row)).filter(|cell| !cell.is_missing());
                let texts: Vec<Option<String>> =
                    (0..column.len()).map(|row| text(row).map(|cell| cell.to_string())).collect();
                let coded: UInt32Array = texts.iter().map(|text| self.code(text.as_deref()?)).collect();
                (ArrowKind::Text, self.coded_or(coded, || texts.into_iter().collect()))
            }
        };
        self.widen(kind);
        array
    }

    /// The codes, while there are few enough of them, else the texts.
    fn coded_or(&self, coded: UInt32Array, texts: impl FnOnce() -> Utf8Array<i64>) -> Box<dyn Array> {
        if self.coded { coded.boxed() } else { texts().boxed() }
    }

    /// The code of a text among those of all parts. None once there are too many.
    fn code(&mut self, text: &str) -> Option<u32> {
        if !self.coded {
            return None;
        }
        if let Some(code) = self.codes.get(text) {
            return Some(*code);
        }
        if self.texts.len() == MOST_CODED {
            self.coded = false;
            return None;
        }
        let code = self.texts.len() as u32;
        let text: Arc<str> = Arc::from(text);
        self.texts.push(Arc::clone(&text));
        self.codes.insert(text, code);
        Some(code)
    }
}

/// How a column is written, with its dictionary where it has one.
struct Finished {
    kind: ArrowKind,
    dtype: ArrowDataType,
    texts: Option<Box<dyn Array>>,
}

impl Finished {
    fn from_known(known: &KnownTypes) -> Finished {
        let kind = match known.kind {
            ArrowKind::Float if !known.is_exact => ArrowKind::Text,
            kind => kind,
        };
        let is_coded = kind == ArrowKind::Text && known.only_texts && known.coded;
        let texts = is_coded.then(|| Utf8Array::<i64>::from_iter_values(known.texts.iter()).boxed());
        let dtype = match kind {
            ArrowKind::Bool => ArrowDataType::Boolean,
            ArrowKind::Int => ArrowDataType::Int64,
            ArrowKind::Float => ArrowDataType::Float64,
            ArrowKind::Time => time(),
            ArrowKind::Text if is_coded => {
                ArrowDataType::Dictionary(IntegerType::UInt32, Box::new(ArrowDataType::LargeUtf8), false)
            }
            ArrowKind::Text | ArrowKind::Missing => ArrowDataType::LargeUtf8,
        };
        Finished { kind, dtype, texts }
    }

    /// A part's values as they are written.
    fn array(
        &self,
        known: &KnownTypes,
        waiting: Option<Box<dyn Array>>,
        rows: usize,
    ) -> Result<Box<dyn Array>> {
        let waiting = waiting.filter(|array| array.dtype() != &ArrowDataType::Null);
        if let Some(texts) = &self.texts {
            let codes = match &waiting {
                None => UInt32Array::new_null(ArrowDataType::UInt32, rows),
                Some(array) => codes_of(array.as_ref())?.clone(),
            };
            let array = DictionaryArray::<u32>::try_new(self.dtype.clone(), codes, texts.clone());
            return Ok(array.map_err(failed)?.boxed());
        }
        let Some(array) = waiting else { return Ok(new_null_array(self.dtype.clone(), rows)) };
        if *array.dtype() == self.dtype {
            return Ok(array);
        }
        let cells = (0..rows).map(|row| cell(known, array.as_ref(), row));
        if self.kind == ArrowKind::Float {
            return Ok(cells.map(|cell| cell.number()).collect::<Float64Array>().boxed());
        }
        let texts = cells.map(|cell| (!cell.is_missing()).then(|| cell.to_string()));
        Ok(texts.collect::<Utf8Array<i64>>().boxed())
    }
}

fn codes_of(array: &dyn Array) -> Result<&UInt32Array> {
    array.as_any().downcast_ref().ok_or_else(|| failed("a column of texts waits without its codes"))
}

/// A value that waits.
fn cell(known: &KnownTypes, array: &dyn Array, row: usize) -> Cell {
    let any = array.as_any();
    let is_time = matches!(array.dtype(), ArrowDataType::Timestamp(..));
    let found = if let Some(codes) = any.downcast_ref::<UInt32Array>() {
        codes
            .get(row)
            .and_then(|code| known.texts.get(code as usize))
            .map(|text| Cell::Text(Arc::clone(text)))
    } else if let Some(texts) = any.downcast_ref::<Utf8Array<i64>>() {
        texts.get(row).map(Cell::text)
    } else if let Some(numbers) = any.downcast_ref::<Int64Array>() {
        numbers.get(row).map(if is_time { Cell::Time } else { Cell::Int })
    } else if let Some(numbers) = any.downcast_ref::<Float64Array>() {
        numbers.get(row).map(Cell::Float)
    } else {
        any.downcast_ref::<BooleanArray>().and_then(|truths| truths.get(row)).map(Cell::Bool)
    };
    found.unwrap_or(Cell::Missing)
}

fn time() -> ArrowDataType {
    ArrowDataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))
}

fn field(name: &str, dtype: ArrowDataType) -> Field {
    Field::new(name.into(), dtype, true)
}

fn failed(error: impl Display) -> Error {
    Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use ingest::Level;
    use polars_arrow::io::ipc::read::{FileReader, read_file_metadata};

    use super::*;

    /// The types of the columns, and every value as text, a row a line.
    fn written(tables: &[Table]) -> (Vec<String>, Vec<String>) {
        let mut writer = Arrow::default();
        let mut bytes = Vec::new();
        for table in tables {
            writer.rows(table, &mut bytes).expect("memory takes it");
            assert!(bytes.is_empty(), "nothing is written before the types are known");
        }
        writer.finish(&mut bytes).expect("memory takes it");
        let mut file = std::io::Cursor::new(bytes);
        let metadata = read_file_metadata(&mut file).expect("it is Arrow");
        let types = metadata.schema.iter_values().map(|field| format!("{} {:?}", field.name, field.dtype));
        let types = types.collect();
        let mut lines = Vec::new();
        for batch in FileReader::new(file, metadata, None, None) {
            let batch = batch.expect("a part");
            let texts = |array: &dyn Array| array.as_any().downcast_ref::<DictionaryArray<u32>>().cloned();
            for row in 0..batch.len() {
                let cells = batch.arrays().iter().map(|array| {
                    if array.is_null(row) {
                        return "-".to_owned();
                    }
                    let none = KnownTypes::new(&Arc::from(""));
                    match texts(array.as_ref()) {
                        Some(coded) => cell(&none, coded.values().as_ref(), coded.key_value(row)).to_string(),
                        None => cell(&none, array.as_ref(), row).to_string(),
                    }
                });
                lines.push(cells.collect::<Vec<_>>().join(" "));
            }
        }
        (types, lines)
    }

    fn table(columns: &[(&str, Vec<Cell>)]) -> Table {
        let columns = columns.iter();
        Table::from_columns(
            columns.map(|(name, cells)| ((*name).to_owned(), Column::of_cells(cells.clone()))).collect(),
        )
    }

    #[test]
    fn every_type_reads_back_from_parts_of_different_types() {
        let first = table(&[
            ("time", vec![Cell::Time(0), Cell::Missing]),
            ("n", vec![Cell::Int(-7), Cell::Missing]),
            ("late", vec![Cell::Missing, Cell::Missing]),
            ("word", vec![Cell::text("a"), Cell::text("b")]),
            ("mixed", vec![Cell::Int(1), Cell::Int(2)]),
            ("level", vec![Cell::Level(Level::Warn), Cell::Missing]),
            ("large", vec![Cell::Int(i64::MAX), Cell::Missing]),
        ]);
        let second = table(&[
            ("word", vec![Cell::text("b")]),
            ("late", vec![Cell::Bool(true)]),
            ("n", vec![Cell::Float(0.5)]),
            ("mixed", vec![Cell::text("one")]),
            ("large", vec![Cell::Float(0.5)]),
        ]);
        let (types, lines) = written(&[first, second]);
        let text = "Dictionary(UInt32, LargeUtf8, false)";
        let expected = [
            "time Timestamp(Nanosecond, Some(\"UTC\"))".to_owned(),
            "n Float64".to_owned(),
            "late Boolean".to_owned(),
            format!("word {text}"),
            "mixed LargeUtf8".to_owned(),
            format!("level {text}"),
            "large LargeUtf8".to_owned(),
        ];
        assert_eq!(types, expected);
        let expected = [
            "1970-01-01T00:00:00Z -7 - a 1 warn 9223372036854775807",
            "- - - b 2 - -",
            "- 0.5 true b one - 0.5",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn many_distinct_texts_are_written_plain() {
        let words = |range: std::ops::Range<usize>| range.map(|n| Cell::text(&format!("word {n}"))).collect();
        let (types, lines) =
            written(&[table(&[("w", words(0..MOST_CODED))]), table(&[("w", words(10..MOST_CODED + 10))])]);
        assert_eq!(types, ["w LargeUtf8"]);
        assert_eq!(lines.len(), 2 * MOST_CODED);
        assert_eq!((lines[7].as_str(), lines[MOST_CODED].as_str()), ("word 7", "word 10"));
        assert_eq!(lines.last().map(String::as_str), Some("word 65545"));
    }

    #[test]
    fn a_table_without_rows_has_its_columns() {
        assert_eq!(written(&[table(&[("a", vec![])])]), (vec!["a LargeUtf8".to_owned()], vec![]));
    }
}
