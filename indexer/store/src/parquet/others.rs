//! Reads Parquet files of other programs with polars: any number of row groups, all encodings, all plain
//! types.

use std::fmt::Display;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ingest::NO_INT;
use polars::prelude::{DataType, PolarsResult, Series, TimeUnit};
use polars_arrow::datatypes::ArrowDataType;
use polars_parquet::parquet::PARQUET_MAGIC;
use polars_parquet::read::{
    BasicDecompressor, column_iter_to_arrays, get_column_iterator, infer_schema, read_metadata,
};

use super::{NO_CODE, NumberKind, Texts, Values};
use base::error::{Error, ErrorKind, Result};

/// True if these bytes are a Parquet file.
#[must_use]
pub fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(&PARQUET_MAGIC)
}

/// The columns of a file. Columns of lists and structs are left out.
pub fn columns(path: &Path, bytes: Vec<u8>) -> Result<Vec<(String, NumberKind, Values)>> {
    // The reader panics on some kinds of damage.
    let read = catch_unwind(AssertUnwindSafe(|| series(bytes)));
    match read {
        Ok(Ok(columns)) => {
            columns.iter().map(|series| values(series).map_err(|error| unreadable(path, error))).collect()
        }
        Ok(Err(error)) => Err(unreadable(path, error)),
        Err(_) => Err(unreadable(path, "it is damaged")),
    }
}

fn unreadable(path: &Path, error: impl Display) -> Error {
    Error::new(ErrorKind::BadRequest, format!("it cannot be read as Parquet: {error}"))
        .at(path)
        .hint("write it again as Parquet packed with zstd or not at all, or as CSV")
}

fn series(bytes: Vec<u8>) -> PolarsResult<Vec<Series>> {
    let mut reader = Cursor::new(bytes.into());
    let metadata = read_metadata(&mut reader)?;
    let schema = infer_schema(&metadata)?;
    let plain = schema
        .iter_values()
        .filter(|field| !field.dtype.is_nested() || matches!(field.dtype, ArrowDataType::Dictionary(..)));
    plain
        .map(|field| {
            let mut arrays = Vec::new();
            for group in &metadata.row_groups {
                let mut columns = Vec::new();
                let mut types = Vec::new();
                for column in get_column_iterator(reader.clone(), group, &field.name, usize::MAX) {
                    let (pages, about) = column?;
                    columns.push(BasicDecompressor::new(pages, Vec::new()));
                    types.push(&about.descriptor().descriptor.primitive_type);
                }
                arrays.extend(column_iter_to_arrays(columns, types, field.clone(), None)?.0);
            }
            Series::try_from((field.name.clone(), arrays))
        })
        .collect()
}

fn values(series: &Series) -> PolarsResult<(String, NumberKind, Values)> {
    let name = series.name().to_string();
    let whole = |series: &Series| -> PolarsResult<Values> {
        Ok(Values::Int(series.i64()?.iter().map(|number| number.unwrap_or(NO_INT)).collect()))
    };
    let (kind, values) = match series.dtype() {
        DataType::Boolean => (NumberKind::Bool, Values::Bool(series.bool()?.iter().collect())),
        dtype if dtype.is_integer() => match series.strict_cast(&DataType::Int64) {
            Ok(numbers) => (NumberKind::Int, whole(&numbers)?),
            // Larger than integers are here.
            Err(_) => floats(series)?,
        },
        dtype if dtype.is_float() => floats(series)?,
        DataType::Date | DataType::Datetime(..) => {
            let times = series.cast(&DataType::Datetime(TimeUnit::Nanoseconds, None))?;
            (NumberKind::Time, whole(&times.to_physical_repr())?)
        }
        _ => {
            let mut texts = Texts::default();
            let series = series.cast(&DataType::String)?;
            let codes = series.str()?.iter().map(|text| match text {
                None => NO_CODE,
                Some(text) => {
                    texts.push(text);
                    texts.len() as u32 - 1
                }
            });
            let codes = codes.collect();
            (NumberKind::Text, Values::Text { codes, texts })
        }
    };
    Ok((name, kind, values))
}

fn floats(series: &Series) -> PolarsResult<(NumberKind, Values)> {
    let series = series.cast(&DataType::Float64)?;
    let numbers = series.f64()?.iter().map(|number| number.unwrap_or(f64::NAN)).collect();
    Ok((NumberKind::Float, Values::Float(numbers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read() {
        let mut texts = Texts::default();
        texts.push("a");
        texts.push("é");
        let written = [
            ("word", NumberKind::Text, Values::Text { codes: vec![1, NO_CODE, 0], texts }),
            ("time", NumberKind::Time, Values::Int(vec![5, NO_INT, -1])),
            ("n", NumberKind::Int, Values::Int(vec![i64::MAX, 2, NO_INT])),
            ("x", NumberKind::Float, Values::Float(vec![0.5, 2.0, -1.0])),
            ("b", NumberKind::Bool, Values::Bool(vec![Some(true), None, Some(false)])),
        ];
        let mut writer = super::super::Writer::new(3).expect("a writer");
        for (name, kind, values) in &written {
            writer.column(name, *kind, values).expect("a column");
        }
        writer.missing("none", NumberKind::Text).expect("a column");
        let bytes = writer.finish().expect("a file");
        assert!(is_parquet(&bytes));
        let path = Path::new("other.parquet");
        let mut found = columns(path, bytes.clone()).expect("it is read");
        let (name, _, none) = found.pop().expect("a column");
        let Values::Text { codes, .. } = none else { panic!("{none:?}") };
        assert_eq!((name.as_str(), codes), ("none", vec![NO_CODE; 3]));
        for ((name, kind, values), (other, of, read)) in written.iter().zip(&found) {
            assert_eq!((*name, *kind), (other.as_str(), *of));
            let said = |values: &Values| match values {
                Values::Text { codes, texts } => {
                    let texts = codes.iter().map(|&code| texts.get(code as usize));
                    format!("{:?}", texts.collect::<Vec<_>>())
                }
                other => format!("{other:?}"),
            };
            assert_eq!(said(values), said(read), "{name}");
        }
        for cut in [0, 9, bytes.len() / 2, bytes.len() - 1] {
            let error = columns(path, bytes[..cut].to_vec()).expect_err("it is cut off");
            assert_eq!(error.kind(), ErrorKind::BadRequest);
        }
    }
}
