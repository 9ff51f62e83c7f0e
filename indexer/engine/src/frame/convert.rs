//! Tables of pipes as frames of polars, and back.
//!
//! | here | there |
//! |---|---|
//! | missing | `Null` |
//! | text | `String` |
//! | int, float, bool | `Int64`, `Float64`, `Boolean` |
//! | time | `Datetime` in nanoseconds, UTC |
//! | level | `Enum` of the levels, the least serious first |
//! | list | `String`: what a person reads of it |

use std::sync::{Arc, LazyLock};

use ingest::{Level, NO_TIME};
use polars::prelude::{
    AnyValue, Categorical32Type, CategoricalChunked, ChunkTake, Column as Series, DataFrame, DataType,
    FrozenCategories, IdxCa, IntoColumn, NewChunkedArray, PlSmallStr, StringChunked, TimeUnit, TimeZone,
    UInt32Chunked,
};

use super::internal;
use crate::pipe::{Cell, Column, ColumnData as Data, ColumnKind, Dictionary, Table, TextBuilder, filled};
use base::error::Result;
use store::NO_CODE;

/// A day in nanoseconds.
const DAY: i64 = 86_400_000_000_000;

/// The table as a frame, its texts as `String`: every function of polars on text takes these.
pub fn to_frame(table: &Table) -> Result<DataFrame> {
    let columns = table.names().iter().zip(table.columns());
    let columns = columns.map(|(name, column)| series(name, column)).collect::<Result<_>>()?;
    DataFrame::new(table.rows(), columns).map_err(|error| internal(&error))
}

/// A column as one of a given type, whichever type it has in the part of the events that it comes from.
pub fn series_of(name: &str, column: &Column, dtype: &DataType) -> Result<Series> {
    let kind = match dtype {
        DataType::String => ColumnKind::Text,
        DataType::Int64 => ColumnKind::Int,
        DataType::Float64 => ColumnKind::Float,
        DataType::Boolean => ColumnKind::Bool,
        DataType::Datetime(..) => ColumnKind::Time,
        _ => column.kind(),
    };
    let found = series(name, &column.as_kind(kind))?;
    if found.dtype() == dtype { Ok(found) } else { found.cast(dtype).map_err(|error| internal(&error)) }
}

pub(super) fn series(name: &str, column: &Column) -> Result<Series> {
    let name = PlSmallStr::from_str(name);
    Ok(match &column.data {
        Data::Missing(rows) => Series::full_null(name, *rows, &DataType::Null),
        Data::Int(values) => values.clone().with_name(name).into_column(),
        Data::Float(values) => values.clone().with_name(name).into_column(),
        Data::Bool(values) => values.clone().with_name(name).into_column(),
        Data::Time(values) => values
            .clone()
            .with_name(name)
            .into_datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC))
            .into_column(),
        Data::Level(levels) => {
            let codes = levels.iter().map(|&level| (level as u8).checked_sub(1));
            let codes = UInt32Chunked::from_iter_options(name, codes.map(|code| code.map(u32::from)));
            CategoricalChunked::<Categorical32Type>::from_cats_and_dtype(codes, level_type()).into_column()
        }
        Data::List(cells) => {
            let cells = cells.iter().map(|cell| (!cell.is_missing()).then(|| cell.to_string()));
            StringChunked::from_iter_options(name, cells).into_column()
        }
        Data::Text { codes, texts: dictionary } => texts(name, codes, dictionary)?,
    })
}

/// The levels as a type: their order is how serious they are. Names that no event has follow them, so that
/// polars keeps the codes in 32 bits: grouping by several columns, it knows no codes of 8 or 16 without the
/// features `dtype-u8` and `dtype-u16`, which every other column would be compiled for as well.
pub fn level_type() -> DataType {
    static LEVELS: LazyLock<Option<Arc<FrozenCategories>>> = LazyLock::new(|| {
        let levels = Level::ALL.iter().filter(|&&level| level != Level::None);
        let unused = (0..=u16::MAX).map(|number| format!("unused {number}"));
        let names: Vec<String> = levels.map(|level| level.name().to_owned()).chain(unused).collect();
        FrozenCategories::new(names.iter().map(String::as_str)).ok()
    });
    LEVELS.clone().map_or(DataType::String, DataType::from_frozen_categories)
}

fn texts(name: PlSmallStr, codes: &[u32], dictionary: &Dictionary) -> Result<Series> {
    let few = dictionary.len() <= codes.len() * 2;
    let (distinct, places) = if few {
        let distinct = (0..dictionary.len() as u32).map(|code| dictionary.get(code));
        let distinct = StringChunked::from_iter_options(name.clone(), distinct);
        let places = codes.iter().map(|&code| (code != NO_CODE).then_some(code));
        (distinct, IdxCa::from_iter_options(name, places))
    } else {
        // Few rows of a large dictionary: only what they have is copied.
        let texts = codes.iter().map(|&code| dictionary.get(code));
        return Ok(StringChunked::from_iter_options(name, texts).into_column());
    };
    Ok(distinct.take(&places).map_err(|error| internal(&error))?.into_column())
}

/// The frame as a table. The bytes of each column are charged before the next one is made.
pub fn from_frame(frame: &DataFrame, charge: &dyn Fn(usize) -> Result<()>) -> Result<Table> {
    let mut table = Table::of_rows(frame.height());
    for series in frame.columns() {
        let column = column(series)?;
        charge(column.bytes())?;
        table.set(series.name(), column);
    }
    Ok(table)
}

pub(super) fn column(series: &Series) -> Result<Column> {
    let rows = series.len();
    Ok(match series.dtype() {
        DataType::Null => Column::missing(rows),
        DataType::Boolean => {
            let values = series.bool().map_err(|error| internal(&error))?;
            Column::new(Data::Bool(values.rechunk().into_owned()))
        }
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => {
            let values = series.cast(&DataType::Int64).map_err(|error| internal(&error))?;
            column(&values)?
        }
        DataType::Int64 => {
            let values = series.i64().map_err(|error| internal(&error))?;
            Column::new(Data::Int(values.rechunk().into_owned()))
        }
        DataType::Float32 => {
            let values = series.cast(&DataType::Float64).map_err(|error| internal(&error))?;
            column(&values)?
        }
        DataType::Float64 => {
            let values = series.f64().map_err(|error| internal(&error))?;
            Column::floats(filled(values, f64::NAN).into_owned())
        }
        DataType::String => {
            let mut texts = TextBuilder::default();
            series.str().map_err(|error| internal(&error))?.iter().for_each(|text| texts.push(text));
            texts.finish()
        }
        DataType::Datetime(TimeUnit::Nanoseconds, _) => {
            let times = series.datetime().map_err(|error| internal(&error))?;
            Column::new(Data::Time(times.physical().rechunk().into_owned()))
        }
        DataType::Datetime(..) => {
            let time = |value: AnyValue<'_>| cell(&value);
            let mut times = Vec::with_capacity(rows);
            for value in series.as_materialized_series().iter() {
                match time(value) {
                    Cell::Time(time) => times.push(time),
                    Cell::Missing => times.push(NO_TIME),
                    // It lies centuries outside the range of 64 bits of nanoseconds.
                    _ => return Ok(cells(series)),
                }
            }
            Column::times(times)
        }
        dtype if *dtype == level_type() => {
            let level = |value: AnyValue<'_>| match value {
                AnyValue::Enum(code, _) => Level::ALL.get(code as usize + 1).copied().unwrap_or(Level::None),
                _ => Level::None,
            };
            Column::levels(series.as_materialized_series().iter().map(level).collect())
        }
        DataType::Categorical(..) | DataType::Enum(..) => categories(series),
        _ => cells(series),
    })
}

/// Codes of texts, as codes.
fn categories(series: &Series) -> Column {
    let mut texts = TextBuilder::default();
    let mut known: Vec<u32> = Vec::new();
    for value in series.as_materialized_series().iter() {
        let (AnyValue::Categorical(code, mapping) | AnyValue::Enum(code, mapping)) = value else {
            texts.push(None);
            continue;
        };
        let place = code as usize;
        if place >= known.len() {
            known.resize(place + 1, NO_CODE);
        }
        if known[place] == NO_CODE {
            known[place] = mapping.cat_to_str(code).map_or(NO_CODE, |text| texts.code(text));
        }
        texts.push_code(known[place]);
    }
    texts.finish()
}

fn cells(series: &Series) -> Column {
    Column::of_cells(series.as_materialized_series().iter().map(|value| cell(&value)).collect())
}

/// One value; of a type that tables do not have, what a person reads of it.
fn cell(value: &AnyValue<'_>) -> Cell {
    match value {
        AnyValue::Null => Cell::Missing,
        AnyValue::Boolean(value) => Cell::Bool(*value),
        AnyValue::String(text) => Cell::text(text),
        AnyValue::StringOwned(text) => Cell::text(text),
        AnyValue::Float32(value) => Cell::float(f64::from(*value)),
        AnyValue::Float64(value) => Cell::float(*value),
        AnyValue::Date(days) => time(i128::from(*days) * i128::from(DAY)),
        AnyValue::Datetime(value, unit, _) | AnyValue::DatetimeOwned(value, unit, _) => {
            time(nanoseconds(*value, *unit))
        }
        AnyValue::Duration(value, unit) => Cell::whole(nanoseconds(*value, *unit)),
        AnyValue::Categorical(code, mapping) | AnyValue::Enum(code, mapping) => {
            mapping.cat_to_str(*code).map_or(Cell::Missing, Cell::text)
        }
        AnyValue::List(values) => Cell::List(values.iter().map(|value| cell(&value)).collect()),
        AnyValue::Binary(bytes) => Cell::text(&String::from_utf8_lossy(bytes)),
        AnyValue::BinaryOwned(bytes) => Cell::text(&String::from_utf8_lossy(bytes)),
        value if value.is_integer() => value.extract::<i128>().map_or(Cell::Missing, Cell::whole),
        value => match value.extract::<f64>() {
            Some(number) if value.is_primitive_numeric() || value.dtype().is_decimal() => Cell::float(number),
            _ => Cell::text(&value.to_string()),
        },
    }
}

fn nanoseconds(value: i64, unit: TimeUnit) -> i128 {
    i128::from(value)
        * match unit {
            TimeUnit::Nanoseconds => 1,
            TimeUnit::Microseconds => 1_000,
            TimeUnit::Milliseconds => 1_000_000,
        }
}

fn time(nanoseconds: i128) -> Cell {
    match i64::try_from(nanoseconds) {
        Ok(time) if time != NO_TIME => Cell::Time(time),
        _ => Cell::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let texts = |values: &[Option<&str>]| {
            let mut texts = TextBuilder::default();
            for value in values {
                texts.push(*value);
            }
            texts.finish()
        };
        Table::from_columns(vec![
            ("text".to_owned(), texts(&[Some("b"), None, Some("a"), Some("b")])),
            ("int".to_owned(), Column::ints(vec![1, ingest::NO_INT, -3, i64::MAX])),
            ("whole".to_owned(), Column::ints(vec![1, 2, 3, 4])),
            ("float".to_owned(), Column::floats(vec![0.5, f64::NAN, -0.0, 1e300])),
            ("bool".to_owned(), Column::bools([Some(true), None, Some(false), None].into_iter())),
            ("time".to_owned(), Column::times(vec![0, NO_TIME, -1, 1_700_000_000_123_456_789])),
            ("level".to_owned(), Column::levels(vec![Level::Fatal, Level::None, Level::Trace, Level::Warn])),
            ("missing".to_owned(), Column::missing(4)),
        ])
    }

    fn same(one: &Table, other: &Table) {
        assert_eq!(one.names(), other.names());
        assert_eq!(one.rows(), other.rows());
        for (index, name) in one.names().iter().enumerate() {
            assert_eq!(one.columns()[index].kind(), other.columns()[index].kind(), "{name}");
            for row in 0..one.rows() {
                assert_eq!(one.cell(row, index), other.cell(row, index), "{name}, row {row}");
            }
        }
    }

    #[test]
    fn tables_come_back_as_they_went() {
        let table = sample();
        let frame = to_frame(&table).expect("a frame");
        assert_eq!(frame.column("int").expect("a frame").null_count(), 1);
        assert_eq!(frame.column("float").expect("a frame").null_count(), 1);
        assert_eq!(frame.column("level").expect("a frame").null_count(), 1);
        same(&from_frame(&frame, &|_| Ok(())).expect("a frame"), &table);
    }

    #[test]
    fn texts_of_two_dictionaries_go_together() {
        let mut frame = to_frame(&sample()).expect("a frame");
        frame.vstack_mut(&to_frame(&sample().slice(2..4)).expect("a frame")).expect("a frame");
        let back = from_frame(&frame, &|_| Ok(())).expect("a frame");
        let texts: Vec<String> = (0..back.rows()).map(|row| back.cell(row, 0).to_string()).collect();
        assert_eq!(texts, ["b", "", "a", "b", "a", "b"]);
    }

    #[test]
    fn equal_texts_of_two_codes_are_one() {
        let mut texts = store::Texts::default();
        for text in ["x", "y", "x"] {
            texts.push(text);
        }
        let codes = vec![2, 0, NO_CODE, 1];
        let column = Column::new(Data::Text { codes, texts: Dictionary::Own(Arc::new(texts)) });
        let frame = to_frame(&Table::from_columns(vec![("x".to_owned(), column)])).expect("a frame");
        assert_eq!(frame.column("x").expect("a frame").n_unique().expect("a frame"), 3);
    }

    #[test]
    fn levels_stand_in_the_order_of_how_serious_they_are() {
        let frame = to_frame(&sample()).expect("a frame");
        let sorted = frame.sort(["level"], polars::prelude::SortMultipleOptions::default()).expect("a frame");
        let back = from_frame(&sorted, &|_| Ok(())).expect("a frame");
        let levels: Vec<String> =
            (0..4).map(|row| back.cell(row, back.names().len() - 2).to_string()).collect();
        assert_eq!(levels, ["", "trace", "warn", "fatal"]);
    }

    #[test]
    fn mixed_values_become_texts() {
        let cells = vec![Cell::Int(5), Cell::Missing, Cell::text("x"), Cell::Bool(true)];
        let table = Table::from_columns(vec![("m".to_owned(), Column::of_cells(cells))]);
        let back = from_frame(&to_frame(&table).expect("a frame"), &|_| Ok(())).expect("a frame");
        let texts: Vec<Cell> = (0..4).map(|row| back.cell(row, 0)).collect();
        assert_eq!(texts, [Cell::text("5"), Cell::Missing, Cell::text("x"), Cell::text("true")]);
    }

    #[test]
    fn types_that_tables_lack_become_the_nearest() {
        let columns = vec![
            UInt32Chunked::from_slice("small".into(), &[1, 2]).into_column(),
            polars::prelude::UInt64Chunked::from_slice("large".into(), &[u64::MAX, 1]).into_column(),
            polars::prelude::Int64Chunked::from_slice("day".into(), &[0, 1])
                .into_column()
                .cast(&DataType::Date)
                .expect("a frame"),
            polars::prelude::Int64Chunked::from_slice("span".into(), &[1, 2])
                .into_column()
                .cast(&DataType::Duration(TimeUnit::Milliseconds))
                .expect("a frame"),
        ];
        let table = from_frame(&DataFrame::new(2, columns).expect("a frame"), &|_| Ok(())).expect("a frame");
        let row: Vec<Cell> = (0..4).map(|column| table.cell(1, column)).collect();
        assert_eq!(row, [Cell::Int(2), Cell::Int(1), Cell::Time(DAY), Cell::Int(2_000_000)]);
        assert_eq!(table.cell(0, 1), Cell::Float(u64::MAX as f64));
    }
}
