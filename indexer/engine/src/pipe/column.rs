//! A column of a table: values of one type with missing ones among them. Numbers, truths and times are arrays of
//! polars. Texts stay the codes of a dictionary, one of a segment or one of the table's own: what depends on a text
//! alone is calculated once for each distinct text, and grouping compares codes.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use ingest::{Level, NO_INT, NO_TIME};
use polars::prelude::{
    BooleanChunked, ChunkFull, ChunkFullNull, ChunkedArray, Float64Chunked, Int64Chunked, NewChunkedArray,
    PlSmallStr, PolarsDataType, PolarsNumericType,
};
use polars_arrow::array::Array;
use polars_arrow::bitmap::Bitmap;
use serde::Serialize;

use super::cell::Cell;
use super::dictionary::{Dictionary, TextBuilder, concat_texts};
use store::{ColumnValues, NO_CODE, StoredColumn, Texts, Unit, with_codes};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ColumnKind {
    /// No row has a value.
    Missing,
    Text,
    Int,
    Float,
    Bool,
    Time,
    Level,
    List,
}

impl ColumnKind {
    /// The narrowest type that holds the values of both: whole numbers and others are floats, everything else of two
    /// types is text.
    #[must_use]
    pub fn with(self, other: ColumnKind) -> ColumnKind {
        match (self, other) {
            (ColumnKind::Missing, kind) | (kind, ColumnKind::Missing) => kind,
            (one, other) if one == other => one,
            (ColumnKind::Int | ColumnKind::Float, ColumnKind::Int | ColumnKind::Float) => ColumnKind::Float,
            _ => ColumnKind::Text,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Column {
    pub data: Data,
}

/// Arrays of polars are of one chunk.
#[derive(Clone, Debug)]
pub enum Data {
    Missing(usize),
    /// [`NO_CODE`] where missing. Two codes can have equal texts.
    Text {
        codes: Vec<u32>,
        texts: Dictionary,
    },
    Int(Int64Chunked),
    /// Always finite.
    Float(Float64Chunked),
    Bool(BooleanChunked),
    /// Nanoseconds since 1970 UTC.
    Time(Int64Chunked),
    Level(Vec<Level>),
    List(Vec<Cell>),
}

/// The name of every array here; tables name columns.
const UNNAMED: PlSmallStr = PlSmallStr::EMPTY;

impl Column {
    pub fn new(data: Data) -> Column {
        Column { data }
    }

    #[must_use]
    pub fn missing(rows: usize) -> Column {
        Column::new(Data::Missing(rows))
    }

    /// No values yet, but of this type.
    #[must_use]
    pub fn missing_of(kind: ColumnKind, rows: usize) -> Column {
        Column::new(match kind {
            ColumnKind::Missing => Data::Missing(rows),
            ColumnKind::Text => {
                Data::Text { codes: vec![NO_CODE; rows], texts: Dictionary::Own(Arc::default()) }
            }
            ColumnKind::Int => Data::Int(Int64Chunked::full_null(UNNAMED, rows)),
            ColumnKind::Float => Data::Float(Float64Chunked::full_null(UNNAMED, rows)),
            ColumnKind::Bool => Data::Bool(BooleanChunked::full_null(UNNAMED, rows)),
            ColumnKind::Time => Data::Time(Int64Chunked::full_null(UNNAMED, rows)),
            ColumnKind::Level => Data::Level(vec![Level::None; rows]),
            ColumnKind::List => Data::List(vec![Cell::Missing; rows]),
        })
    }

    /// Whole numbers, [`NO_INT`] where missing.
    #[must_use]
    pub fn ints(values: Vec<i64>) -> Column {
        Column::new(Data::Int(with_gaps(values, |value| value != NO_INT)))
    }

    /// Times, [`NO_TIME`] where missing.
    #[must_use]
    pub fn times(values: Vec<i64>) -> Column {
        Column::new(Data::Time(with_gaps(values, |value| value != NO_TIME)))
    }

    /// Floats; what is not finite is missing.
    pub fn floats(values: Vec<f64>) -> Column {
        Column::new(Data::Float(with_gaps(values, f64::is_finite)))
    }

    pub fn bools(values: impl Iterator<Item = Option<bool>>) -> Column {
        Column::new(Data::Bool(BooleanChunked::from_iter_options(UNNAMED, values)))
    }

    #[must_use]
    pub fn levels(values: Vec<Level>) -> Column {
        Column::new(Data::Level(values))
    }

    /// The same value in every row.
    #[must_use]
    pub fn constant(cell: &Cell, rows: usize) -> Column {
        Column::new(match cell {
            Cell::Missing => Data::Missing(rows),
            Cell::Bool(value) => Data::Bool(BooleanChunked::full(UNNAMED, *value, rows)),
            Cell::Int(value) => Data::Int(Int64Chunked::full(UNNAMED, *value, rows)),
            Cell::Float(value) => Data::Float(Float64Chunked::full(UNNAMED, *value, rows)),
            Cell::Time(value) => Data::Time(Int64Chunked::full(UNNAMED, *value, rows)),
            Cell::Level(value) => Data::Level(vec![*value; rows]),
            Cell::Text(text) => {
                let mut texts = Texts::default();
                texts.push(text);
                Data::Text { codes: vec![0; rows], texts: Dictionary::Own(Arc::new(texts)) }
            }
            Cell::List(_) => Data::List(vec![cell.clone(); rows]),
        })
    }

    /// The narrowest type that holds all of these.
    pub fn of_cells(cells: Vec<Cell>) -> Column {
        let kind = cells.iter().map(Cell::kind).fold(ColumnKind::Missing, ColumnKind::with);
        Column::of_cells_as(kind, cells)
    }

    /// Values as this type; what does not fit it is missing.
    #[must_use]
    pub fn of_cells_as(kind: ColumnKind, cells: Vec<Cell>) -> Column {
        match kind {
            ColumnKind::Missing => Column::missing(cells.len()),
            ColumnKind::Int => Column::ints(
                cells.iter().map(|cell| if let Cell::Int(value) = cell { *value } else { NO_INT }).collect(),
            ),
            ColumnKind::Float => {
                Column::floats(cells.iter().map(|cell| cell.number().unwrap_or(f64::NAN)).collect())
            }
            ColumnKind::Time => Column::times(
                cells
                    .iter()
                    .map(|cell| if let Cell::Time(value) = cell { *value } else { NO_TIME })
                    .collect(),
            ),
            ColumnKind::Bool => Column::bools(
                cells.iter().map(|cell| if let Cell::Bool(value) = cell { Some(*value) } else { None }),
            ),
            ColumnKind::Level => Column::levels(
                cells
                    .iter()
                    .map(|cell| if let Cell::Level(value) = cell { *value } else { Level::None })
                    .collect(),
            ),
            ColumnKind::Text => {
                let mut builder = TextBuilder::default();
                for cell in &cells {
                    match cell {
                        Cell::Missing => builder.push(None),
                        Cell::Text(text) => builder.push(Some(text)),
                        other => builder.push(Some(&other.to_string())),
                    }
                }
                builder.finish()
            }
            ColumnKind::List => Column::new(Data::List(cells)),
        }
    }

    /// The same values as another type that holds them.
    #[must_use]
    pub fn into_kind(self, kind: ColumnKind) -> Column {
        if self.kind() == kind { self } else { self.as_kind(kind).into_owned() }
    }

    /// The same values as another type that holds them.
    pub fn as_kind(&self, kind: ColumnKind) -> Cow<'_, Column> {
        Cow::Owned(match &self.data {
            _ if self.kind() == kind => return Cow::Borrowed(self),
            Data::Missing(rows) => Column::missing_of(kind, *rows),
            Data::Int(values) if kind == ColumnKind::Float => Column::new(Data::Float(as_floats(values))),
            _ => Column::of_cells_as(kind, (0..self.len()).map(|row| self.cell(row)).collect()),
        })
    }

    /// Values of a type that polars compares in the same order: levels by how serious they are.
    pub fn in_order(&self) -> Cow<'_, Column> {
        Cow::Owned(match &self.data {
            Data::Level(levels) => {
                let place = |&level: &Level| if level == Level::None { NO_INT } else { level as i64 };
                Column::ints(levels.iter().map(place).collect())
            }
            Data::Bool(values) => {
                Column::ints(values.iter().map(|value| value.map_or(NO_INT, i64::from)).collect())
            }
            Data::List(_) => return self.as_kind(ColumnKind::Text),
            _ => return Cow::Borrowed(self),
        })
    }

    /// A column of a segment; the rows are those given.
    #[must_use]
    pub fn of_packed(column: &Arc<StoredColumn>, rows: &Picked<'_>) -> Column {
        with_codes!(&column.codes, codes => decoded(column, rows, |row| u64::from(codes[row])))
    }

    /// The values of these codes of a column.
    #[must_use]
    pub fn of_codes(column: &Arc<StoredColumn>, codes: &[u64]) -> Column {
        decoded(column, &Picked::Run(0..codes.len()), |place| codes[place])
    }

    #[must_use]
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Missing(rows) => *rows,
            Data::Text { codes, .. } => codes.len(),
            Data::Int(values) | Data::Time(values) => values.len(),
            Data::Float(values) => values.len(),
            Data::Bool(values) => values.len(),
            Data::Level(values) => values.len(),
            Data::List(values) => values.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        match &self.data {
            Data::Missing(_) => ColumnKind::Missing,
            Data::Text { .. } => ColumnKind::Text,
            Data::Int(_) => ColumnKind::Int,
            Data::Float(_) => ColumnKind::Float,
            Data::Bool(_) => ColumnKind::Bool,
            Data::Time(_) => ColumnKind::Time,
            Data::Level(_) => ColumnKind::Level,
            Data::List(_) => ColumnKind::List,
        }
    }

    #[must_use]
    pub fn cell(&self, row: usize) -> Cell {
        match &self.data {
            Data::Missing(_) => Cell::Missing,
            Data::Text { codes, texts } => texts.get(codes[row]).map_or(Cell::Missing, Cell::text),
            Data::Int(values) => values.get(row).map_or(Cell::Missing, Cell::Int),
            Data::Time(values) => values.get(row).map_or(Cell::Missing, Cell::Time),
            Data::Float(values) => values.get(row).map_or(Cell::Missing, Cell::float),
            Data::Bool(values) => values.get(row).map_or(Cell::Missing, Cell::Bool),
            Data::Level(values) => Cell::level(values[row]),
            Data::List(values) => values[row].clone(),
        }
    }

    #[must_use]
    pub fn is_missing(&self, row: usize) -> bool {
        match &self.data {
            Data::Missing(_) => true,
            Data::Text { codes, texts } => texts.get(codes[row]).is_none(),
            Data::Int(values) | Data::Time(values) => is_null(values, row),
            Data::Float(values) => is_null(values, row),
            Data::Bool(values) => is_null(values, row),
            Data::Level(values) => values[row] == Level::None,
            Data::List(values) => values[row].is_missing(),
        }
    }

    /// The values of these rows.
    #[must_use]
    pub fn pick(&self, rows: &Picked<'_>) -> Column {
        Column::new(match &self.data {
            Data::Missing(_) => Data::Missing(rows.len()),
            Data::Text { codes, texts } => Data::Text { codes: rows.pick(codes), texts: texts.clone() },
            Data::Int(values) => Data::Int(rows.of_array(values)),
            Data::Time(values) => Data::Time(rows.of_array(values)),
            Data::Float(values) => Data::Float(rows.of_array(values)),
            Data::Bool(values) => Data::Bool(match rows {
                Picked::Run(range) => values.slice(range.start as i64, range.len()),
                Picked::Some(rows) => BooleanChunked::from_iter_options(
                    UNNAMED,
                    rows.iter().map(|&row| values.get(row as usize)),
                ),
            }),
            Data::Level(values) => Data::Level(rows.pick(values)),
            Data::List(values) => Data::List(rows.pick(values)),
        })
    }

    /// Columns one below the other, as the narrowest type that holds all their values.
    pub fn concat<E>(parts: &[&Column], stopped: &dyn Fn() -> Result<(), E>) -> Result<Column, E> {
        let kind = parts.iter().map(|part| part.kind()).fold(ColumnKind::Missing, ColumnKind::with);
        if kind == ColumnKind::Text {
            let texts: Vec<Cow<'_, Column>> = parts.iter().map(|part| part.as_kind(kind)).collect();
            return concat_texts(&texts.iter().map(|part| &**part).collect::<Vec<_>>(), stopped);
        }
        let rows = parts.iter().map(|part| part.len()).sum();
        let mut all = Column::missing_of(kind, 0);
        for part in parts {
            stopped()?;
            all.append(part.as_kind(kind).into_owned(), rows);
        }
        match &mut all.data {
            Data::Missing(own) => *own = rows,
            Data::Int(values) | Data::Time(values) => *values = values.rechunk().into_owned(),
            Data::Float(values) => *values = values.rechunk().into_owned(),
            Data::Bool(values) => *values = values.rechunk().into_owned(),
            _ => {}
        }
        Ok(all)
    }

    /// In each row the value of the column of that place, or none; all are of so many rows.
    pub fn choose(columns: &[Column], rows: usize, mut place: impl FnMut(usize) -> Option<usize>) -> Column {
        let missing = Column::missing(1);
        let parts: Vec<&Column> = columns.iter().chain([&missing]).collect();
        let Ok(all) = Column::concat(&parts, &|| Ok::<_, Infallible>(()));
        let none = columns.len() * rows;
        let chosen: Vec<u32> =
            (0..rows).map(|row| place(row).map_or(none, |place| place * rows + row) as u32).collect();
        all.pick(&Picked::Some(&chosen))
    }

    /// Puts a column of the same type below; there will be so many rows.
    fn append(&mut self, part: Column, rows: usize) {
        let appended = match (&mut self.data, part.data) {
            (Data::Int(own), Data::Int(other)) | (Data::Time(own), Data::Time(other)) => {
                own.append_owned(other)
            }
            (Data::Float(own), Data::Float(other)) => own.append_owned(other),
            (Data::Bool(own), Data::Bool(other)) => own.append_owned(other),
            (Data::Level(own), Data::Level(other)) => {
                own.reserve(rows.saturating_sub(own.len()));
                own.extend(other);
                Ok(())
            }
            (Data::List(own), Data::List(other)) => {
                own.extend(other);
                Ok(())
            }
            _ => Ok(()),
        };
        // Arrays of one type go together up to four billion rows, and no budget lets so many be kept.
        debug_assert!(appended.is_ok());
    }

    /// Bytes it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.data {
            Data::Missing(_) => 0,
            Data::Text { codes, texts } => codes.len() * 4 + texts.bytes(),
            Data::Int(values) | Data::Time(values) => values.len() * 8,
            Data::Float(values) => values.len() * 8,
            Data::Bool(values) => values.len().div_ceil(4),
            Data::Level(values) => values.len(),
            Data::List(values) => values.iter().map(Cell::bytes).sum(),
        }
    }

    /// Those that are not charged yet.
    #[must_use]
    pub fn own_bytes(&self) -> usize {
        match &self.data {
            Data::Text { codes, texts } => codes.len() * 4 + texts.own_bytes(),
            _ => self.bytes(),
        }
    }

    /// Bytes of these rows alone: those that are not charged yet, and a copy of their texts. Of a dictionary that more
    /// rows have, it is their share.
    pub fn handed_on_bytes(&self) -> usize {
        let Data::Text { codes, texts } = &self.data else { return self.bytes() };
        let share = codes.len() as f64 / texts.len().max(codes.len()).max(1) as f64;
        let bytes = (texts.own_bytes() + texts.text_bytes()) as f64 * share;
        codes.len() * 4 + bytes as usize
    }
}

fn is_null<T: PolarsDataType>(values: &ChunkedArray<T>, row: usize) -> bool {
    values.null_count() > 0 && values.downcast_iter().next().is_some_and(|array| array.is_null(row))
}

/// An array in which those values are missing that are none.
fn with_gaps<T: PolarsNumericType>(
    values: Vec<T::Native>,
    is_there: impl Fn(T::Native) -> bool,
) -> ChunkedArray<T> {
    if values.iter().all(|&value| is_there(value)) {
        return ChunkedArray::from_vec(UNNAMED, values);
    }
    let validity: Bitmap = values.iter().map(|&value| is_there(value)).collect();
    ChunkedArray::from_vec_validity(UNNAMED, values, Some(validity))
}

/// Numbers with a validity bitmap instead of the value that means missing.
pub fn filled<T: PolarsNumericType>(values: &ChunkedArray<T>, missing: T::Native) -> Cow<'_, [T::Native]> {
    match values.cont_slice() {
        Ok(values) => Cow::Borrowed(values),
        Err(_) => Cow::Owned(values.iter().map(|value| value.unwrap_or(missing)).collect()),
    }
}

/// Whole numbers as floats.
pub fn as_floats(values: &Int64Chunked) -> Float64Chunked {
    let floats = |values: &[i64]| values.iter().map(|&value| value as f64).collect();
    let array = values.downcast_as_array();
    Float64Chunked::from_vec_validity(UNNAMED, floats(array.values()), array.validity().cloned())
}

/// The values of the codes of these rows.
fn decoded(column: &Arc<StoredColumn>, rows: &Picked<'_>, code: impl Fn(usize) -> u64) -> Column {
    match column.values {
        ColumnValues::Texts(_) => Column::new(Data::Text {
            // The code of a missing value is the one before 0.
            codes: rows.map(|row| (code(row) as u32).wrapping_sub(1)),
            texts: Dictionary::Segment(Arc::clone(column)),
        }),
        ColumnValues::Numbers { base, unit } => {
            let number = |row: usize| Some(base.wrapping_add(code(row).checked_sub(1)? as i64));
            match unit {
                Unit::Whole | Unit::Time => Column::ints(rows.map(|row| number(row).unwrap_or(NO_INT))),
                Unit::Truth => Column::bools(rows.map(|row| number(row).map(|truth| truth != 0)).into_iter()),
                Unit::Decimals(_) | Unit::Bits => {
                    Column::floats(rows.map(|row| number(row).map_or(f64::NAN, |number| unit.float(number))))
                }
            }
        }
        // Columns are packed so for calculations only.
        ColumnValues::Sparse { .. } | ColumnValues::Listed(_) => Column::missing(rows.len()),
    }
}

/// Which rows are taken: a run of them, or some in any order.
#[derive(Clone, Debug)]
pub enum Picked<'a> {
    Run(std::ops::Range<usize>),
    Some(&'a [u32]),
}

impl Picked<'_> {
    pub fn len(&self) -> usize {
        match self {
            Picked::Run(range) => range.len(),
            Picked::Some(rows) => rows.len(),
        }
    }

    /// What a function gives for each of the rows.
    pub fn map<T>(&self, value: impl FnMut(usize) -> T) -> Vec<T> {
        match self {
            Picked::Run(range) => range.clone().map(value).collect(),
            Picked::Some(rows) => rows.iter().map(|&row| row as usize).map(value).collect(),
        }
    }

    fn of_array<T: PolarsNumericType>(&self, values: &ChunkedArray<T>) -> ChunkedArray<T> {
        match self {
            Picked::Run(range) => values.slice(range.start as i64, range.len()),
            Picked::Some(rows) => {
                let array = values.downcast_as_array();
                let all = array.values().as_slice();
                let picked = rows.iter().map(|&row| all[row as usize]).collect();
                let there = |there: &Bitmap| rows.iter().map(|&row| there.get_bit(row as usize)).collect();
                ChunkedArray::from_vec_validity(UNNAMED, picked, array.validity().map(there))
            }
        }
    }

    pub fn pick<T: Clone>(&self, values: &[T]) -> Vec<T> {
        match self {
            Picked::Run(range) => values[range.clone()].to_vec(),
            Picked::Some(rows) => rows.iter().map(|&row| values[row as usize].clone()).collect(),
        }
    }
}
