//! `events.parquet`: a row an event, in time order. Written and read through polars, so that every tool
//! that knows Parquet can read it.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use ingest::{Batch, Level, NO_INT, NO_TIME, Values};
use polars_core::prelude::*;
use polars_io::prelude::*;

use crate::error::{AtPath, Error, Result};

/// The columns every event has, decoded. One entry a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    pub time: Vec<i64>,
    pub level: Vec<Level>,
    pub source: Vec<u32>,
    pub line: Vec<u64>,
    pub offset: Vec<u64>,
    pub length: Vec<u32>,
}

impl Columns {
    pub fn rows(&self) -> usize {
        self.time.len()
    }
}

/// A field of a segment, ready to be written: its column name in the file and its values.
pub struct FieldSeries {
    pub column: String,
    series: Series,
}

/// A field of a segment, decoded for filtering.
#[derive(Debug)]
pub struct FieldColumn {
    pub name: String,
    pub data: FieldData,
}

/// Values one a row. Text is coded, so that a comparison runs once a distinct value.
#[derive(Debug)]
pub enum FieldData {
    Text { codes: Vec<u32>, values: Vec<String> },
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<Option<bool>>),
}

impl FieldData {
    /// A row's value as text, where it has one.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            FieldData::Text { codes, values } => values.get(codes[row] as usize).cloned(),
            FieldData::Int(values) => (values[row] != NO_INT).then(|| values[row].to_string()),
            FieldData::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
            FieldData::Bool(values) => values[row].map(|value| value.to_string()),
        }
    }
}

/// The code of a missing text.
pub const NO_CODE: u32 = u32::MAX;

/// Gathers one column's values from the batches in the segment's row order. `columns` holds, for each
/// batch, the values of this field there, if it has any.
pub fn build_series(
    column: &str,
    batches: &[&Batch],
    columns: &[Vec<&Values>],
    order: &[(u32, u32)],
) -> FieldSeries {
    let name = PlSmallStr::from_str(column);
    let kinds = columns.iter().flatten().fold((false, false), |(text, float), values| match values {
        Values::Text(_) => (true, float),
        Values::Float(_) => (text, true),
        _ => (text, float),
    });
    let is_bool = columns.iter().flatten().any(|values| matches!(values, Values::Bool(_)));
    let cells = order.iter().map(|&(batch, row)| (batch as usize, row as usize));
    let series = match kinds {
        (true, _) => {
            let mut builder = StringChunkedBuilder::new(name, order.len());
            for (batch, row) in cells {
                append_text(&mut builder, batches[batch], &columns[batch], row);
            }
            builder.finish().into_series()
        }
        (false, true) => cells
            .map(|(batch, row)| number(&columns[batch], row))
            .collect::<Float64Chunked>()
            .with_name(name)
            .into_series(),
        (false, false) if is_bool => cells
            .map(|(batch, row)| truth(&columns[batch], row))
            .collect::<BooleanChunked>()
            .with_name(name)
            .into_series(),
        (false, false) => cells
            .map(|(batch, row)| whole(&columns[batch], row))
            .collect::<Int64Chunked>()
            .with_name(name)
            .into_series(),
    };
    FieldSeries { column: column.to_owned(), series }
}

fn append_text(builder: &mut StringChunkedBuilder, batch: &Batch, columns: &[&Values], row: usize) {
    let span = columns.iter().find_map(|values| match values {
        Values::Text(spans) if !spans[row].is_missing() => Some(spans[row]),
        _ => None,
    });
    match span.map(|span| batch.text(span)) {
        None => builder.append_null(),
        Some(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => builder.append_value(text),
            Err(_) => builder.append_value(String::from_utf8_lossy(bytes)),
        },
    }
}

fn number(columns: &[&Values], row: usize) -> Option<f64> {
    columns.iter().find_map(|values| match values {
        Values::Float(floats) if !floats[row].is_nan() => Some(floats[row]),
        Values::Int(ints) if ints[row] != NO_INT => Some(ints[row] as f64),
        _ => None,
    })
}

fn whole(columns: &[&Values], row: usize) -> Option<i64> {
    columns.iter().find_map(|values| match values {
        Values::Int(ints) if ints[row] != NO_INT => Some(ints[row]),
        _ => None,
    })
}

fn truth(columns: &[&Values], row: usize) -> Option<bool> {
    columns.iter().find_map(|values| match values {
        Values::Bool(truths) => truths[row],
        _ => None,
    })
}

pub fn write(path: &Path, columns: &Columns, fields: Vec<FieldSeries>) -> Result<()> {
    let mut series = vec![
        times(&columns.time),
        levels(&columns.level),
        Series::new("source".into(), &columns.source),
        Series::new("line".into(), &columns.line),
        Series::new("offset".into(), &columns.offset),
        Series::new("length".into(), &columns.length),
    ];
    series.extend(fields.into_iter().map(|field| field.series));
    let columns = series.into_iter().map(Column::from).collect::<Vec<_>>();
    let rows = columns.first().map_or(0, Column::len);
    let mut frame = DataFrame::new(rows, columns).map_err(|error| Error::damaged(path, error))?;
    let file = File::create(path).at_path(path)?;
    // Two cores are busy with parsing; a wide writer would only fight them.
    ParquetWriter::new(&file).set_parallel(false).finish(&mut frame).map_err(|error| written(path, error))?;
    file.sync_all().at_path(path)
}

/// A failed write keeps the kind of its I/O error, so that a full disk is called that.
fn written(path: &Path, error: PolarsError) -> Error {
    match error {
        PolarsError::IO { error, .. } => {
            let io = std::io::Error::new(error.kind(), error.to_string());
            Err::<(), _>(io).at_path(path).err().unwrap_or_else(|| Error::damaged(path, error))
        }
        other => Error::damaged(path, other),
    }
}

fn times(time: &[i64]) -> Series {
    let values: Int64Chunked = time.iter().map(|&time| (time != NO_TIME).then_some(time)).collect();
    values.with_name("time".into()).into_datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC)).into_series()
}

fn levels(level: &[Level]) -> Series {
    let mut builder = StringChunkedBuilder::new("level".into(), level.len());
    for &level in level {
        builder.append_option((level != Level::None).then(|| level.name()));
    }
    builder.finish().into_series()
}

fn read(path: &Path, columns: &[&str]) -> Result<DataFrame> {
    let file = File::open(path).at_path(path)?;
    let names = columns.iter().map(|&name| name.to_owned()).collect();
    ParquetReader::new(file).with_columns(Some(names)).finish().map_err(|error| Error::damaged(path, error))
}

pub fn read_columns(path: &Path) -> Result<Columns> {
    let frame = read(path, &["time", "level", "source", "line", "offset", "length"])?;
    decode_columns(&frame).map_err(|error| Error::damaged(path, error))
}

fn decode_columns(frame: &DataFrame) -> PolarsResult<Columns> {
    let time = frame.column("time")?.to_physical_repr();
    let level = frame.column("level")?.str()?;
    Ok(Columns {
        time: time.i64()?.iter().map(|time| time.unwrap_or(NO_TIME)).collect(),
        level: level.iter().map(|name| name.and_then(level_of).unwrap_or_default()).collect(),
        source: frame.column("source")?.u32()?.iter().flatten().collect(),
        line: frame.column("line")?.u64()?.iter().flatten().collect(),
        offset: frame.column("offset")?.u64()?.iter().flatten().collect(),
        length: frame.column("length")?.u32()?.iter().flatten().collect(),
    })
}

fn level_of(name: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| level.name() == name)
}

/// One field, decoded.
pub fn read_field(path: &Path, name: &str, column: &str) -> Result<FieldColumn> {
    let frame = read(path, &[column])?;
    let data = decode_field(&frame, column).map_err(|error| Error::damaged(path, error))?;
    Ok(FieldColumn { name: name.to_owned(), data })
}

fn decode_field(frame: &DataFrame, column: &str) -> PolarsResult<FieldData> {
    let column = frame.column(column)?;
    Ok(match column.dtype() {
        DataType::Int64 => {
            FieldData::Int(column.i64()?.iter().map(|value| value.unwrap_or(NO_INT)).collect())
        }
        DataType::Float64 => {
            FieldData::Float(column.f64()?.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
        }
        DataType::Boolean => FieldData::Bool(column.bool()?.iter().collect()),
        _ => code_texts(column.str()?),
    })
}

fn code_texts(texts: &StringChunked) -> FieldData {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut values = Vec::new();
    let codes = texts
        .iter()
        .map(|text| {
            text.map_or(NO_CODE, |text| {
                *known.entry(text).or_insert_with(|| {
                    values.push(text.to_owned());
                    values.len() as u32 - 1
                })
            })
        })
        .collect();
    FieldData::Text { codes, values }
}

/// The fields of one row as (column name, text form, kind), straight from the file.
pub fn read_row(path: &Path, columns: &[&str], row: usize) -> Result<Vec<Option<String>>> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let file = File::open(path).at_path(path)?;
    let names = columns.iter().map(|&name| name.to_owned()).collect();
    let frame = ParquetReader::new(file)
        .with_columns(Some(names))
        .with_slice(Some((row, 1)))
        .finish()
        .map_err(|error| Error::damaged(path, error))?;
    columns
        .iter()
        .map(|&column| {
            let values = frame.column(column).map_err(|error| Error::damaged(path, error))?;
            Ok(match values.get(0).map_err(|error| Error::damaged(path, error))? {
                AnyValue::Null => None,
                AnyValue::String(text) => Some(text.to_owned()),
                AnyValue::StringOwned(text) => Some(text.to_string()),
                other => Some(other.to_string()),
            })
        })
        .collect()
}
