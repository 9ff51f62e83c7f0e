//! `events.parquet`: one row per event, in time order. `places.parquet`: the byte ranges of values that it
//! does not contain.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ingest::{Level, NO_INT};
use sha2::{Digest, Sha256};

use super::byte_ranges::{ByteRanges, column_names};
use super::files;
use super::parquet::{self, NO_CODE, NumberKind, Texts, Values};
use base::FieldKind;
use base::error::{AtPath, Result};

pub const EVENTS: &str = "events.parquet";
/// A file of its own, so that the columns of `events.parquet` do not depend on how many values a segment
/// happens to repeat.
pub const PLACES: &str = "places.parquet";

/// Names that every event has. A field of the data with such a name gets the prefix `data.`.
const BUILT_IN: [&str; 8] = ["time", "level", "source", "line", "offset", "length", "raw", "template"];

/// The name of a field of the data in a case.
#[must_use]
pub fn field_name(name: &str) -> Cow<'_, str> {
    if BUILT_IN.contains(&name) { Cow::Owned(format!("data.{name}")) } else { Cow::Borrowed(name) }
}

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
    /// The memory of a row.
    pub const ROW_BYTES: usize = 33;

    #[must_use]
    pub fn with_capacity(rows: usize) -> Columns {
        Columns {
            time: Vec::with_capacity(rows),
            level: Vec::with_capacity(rows),
            source: Vec::with_capacity(rows),
            line: Vec::with_capacity(rows),
            offset: Vec::with_capacity(rows),
            length: Vec::with_capacity(rows),
        }
    }

    #[must_use]
    pub fn rows(&self) -> usize {
        self.time.len()
    }

    #[must_use]
    pub fn places(&self) -> RowPlaces<'_> {
        RowPlaces { source: &self.source, offset: &self.offset, length: &self.length }
    }
}

/// Where the bytes of each row are.
pub struct RowPlaces<'c> {
    pub source: &'c [u32],
    pub offset: &'c [u64],
    pub length: &'c [u32],
}

/// The value of a row as text, if there is one.
pub fn text_of(values: &Values, row: usize) -> Option<String> {
    match values {
        Values::Text { codes, texts } => texts.get(codes[row] as usize).map(str::to_owned),
        Values::Int(values) => (values[row] != NO_INT).then(|| values[row].to_string()),
        Values::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        Values::Bool(values) => values[row].map(|value| value.to_string()),
    }
}

/// A table under construction, column by column.
pub struct TableBuilder {
    writer: parquet::Writer,
    places: Option<parquet::Writer>,
    rows: usize,
    level: Option<i32>,
}

impl TableBuilder {
    pub fn new(columns: &Columns) -> std::io::Result<TableBuilder> {
        Self::packed(columns, None)
    }

    /// Packed at this level.
    pub fn packed(columns: &Columns, level: Option<i32>) -> std::io::Result<TableBuilder> {
        let rows = columns.rows();
        let mut writer = writer(rows, level)?;
        // Built-in columns use the same missing value as fields, so that times need no copy.
        let whole = |values: &mut dyn Iterator<Item = i64>| Values::Int(values.collect());
        writer.column("time", NumberKind::Time, &whole(&mut columns.time.iter().copied()))?;
        writer.column("level", NumberKind::Text, &levels(&columns.level))?;
        let source = &mut columns.source.iter().map(|&source| i64::from(source));
        writer.column("source", NumberKind::UnsignedShort, &whole(source))?;
        writer.column(
            "line",
            NumberKind::UnsignedInt,
            &whole(&mut columns.line.iter().map(|&line| line as i64)),
        )?;
        let offset = &mut columns.offset.iter().map(|&offset| offset as i64);
        writer.column("offset", NumberKind::UnsignedInt, &whole(offset))?;
        let length = &mut columns.length.iter().map(|&length| i64::from(length));
        writer.column("length", NumberKind::UnsignedShort, &whole(length))?;
        Ok(TableBuilder { writer, places: None, rows, level })
    }

    pub fn field(&mut self, column: &str, kind: FieldKind, values: &Values) -> std::io::Result<()> {
        self.writer.column(column, kind_of(kind), values)
    }

    /// A column that no row here has a value for.
    pub fn missing(&mut self, column: &str, kind: FieldKind) -> std::io::Result<()> {
        self.writer.missing(column, kind_of(kind))
    }

    /// A text field as byte ranges into the events.
    pub fn placed(&mut self, column: &str, places: &ByteRanges) -> std::io::Result<()> {
        self.missing(column, FieldKind::Text)?;
        let writer = match &mut self.places {
            Some(writer) => writer,
            none => none.insert(writer(self.rows, self.level)?),
        };
        let (start, length) = column_names(column);
        for (name, numbers) in [(start, &places.start), (length, &places.length)] {
            writer.numbers(&name, NumberKind::Int, numbers)?;
        }
        places.rest.as_ref().map_or(Ok(()), |rest| writer.column(column, NumberKind::Text, rest))
    }

    /// Writes the files, makes them durable and returns their SHA-256.
    pub fn write(self, folder: &Path) -> Result<(String, Option<String>)> {
        let write = |name: &str, writer: parquet::Writer| -> Result<String> {
            let path = folder.join(name);
            let bytes = writer.finish().at_path(&path)?;
            files::write(&path, &bytes, files::TABLE)?;
            Ok(base::hex(&Sha256::digest(&bytes)))
        };
        let places = self.places.map(|places| write(PLACES, places)).transpose()?;
        Ok((write(EVENTS, self.writer)?, places))
    }
}

fn writer(rows: usize, level: Option<i32>) -> std::io::Result<parquet::Writer> {
    let mut writer = parquet::Writer::new(rows)?;
    level.map_or(Ok(()), |level| writer.pack_at(level))?;
    Ok(writer)
}

fn kind_of(kind: FieldKind) -> NumberKind {
    match kind {
        FieldKind::Text => NumberKind::Text,
        FieldKind::Int => NumberKind::Int,
        FieldKind::Float => NumberKind::Float,
        FieldKind::Bool => NumberKind::Bool,
    }
}

fn levels(level: &[Level]) -> Values {
    let mut texts = Texts::default();
    Level::ALL[1..].iter().for_each(|level| texts.push(level.name()));
    let codes = level.iter().map(|&level| (level as u32).checked_sub(1).unwrap_or(NO_CODE));
    Values::Text { codes: codes.collect(), texts }
}

/// A table on disk.
pub struct Table {
    file: parquet::File,
    rows: usize,
    /// The file with the byte ranges, if it is separate.
    places_at: Option<PathBuf>,
    places: OnceLock<parquet::File>,
}

impl Table {
    pub fn open(folder: &Path, rows: usize, has_places: bool) -> Result<Table> {
        let file = parquet::File::open(&folder.join(EVENTS), rows)?;
        Ok(Table { file, rows, places_at: has_places.then(|| folder.join(PLACES)), places: OnceLock::new() })
    }

    /// The file with the byte ranges of text fields.
    fn placing(&self) -> Result<&parquet::File> {
        match (&self.places_at, self.places.get()) {
            (None, _) => Ok(&self.file),
            (_, Some(places)) => Ok(places),
            (Some(path), None) => {
                let opened = parquet::File::open(path, self.rows)?;
                Ok(self.places.get_or_init(|| opened))
            }
        }
    }

    /// The file with the values of a field. For a column of byte ranges, these are the values without one.
    fn file_of(&self, column: &str) -> Result<&parquet::File> {
        if self.places_at.is_some() && self.file.is_missing(column) {
            let places = self.placing()?;
            if places.has(&column_names(column).0) {
                return Ok(places);
            }
        }
        Ok(&self.file)
    }

    pub fn columns(&self) -> Result<Columns> {
        let level = match self.file.column("level")? {
            Values::Text { codes, texts } => {
                let levels: Vec<Level> = texts.iter().map(level_of).collect();
                codes.iter().map(|&code| levels.get(code as usize).copied().unwrap_or_default()).collect()
            }
            _ => return Err(self.file.mistyped("level")),
        };
        Ok(Columns {
            time: self.times()?,
            level,
            source: self.whole("source", |source| source as u32)?,
            line: self.whole("line", |line| line as u64)?,
            offset: self.whole("offset", |offset| offset as u64)?,
            length: self.whole("length", |length| length as u32)?,
        })
    }

    pub fn times(&self) -> Result<Vec<i64>> {
        let times = whole(&self.file, "time")?;
        if times.is_sorted() {
            Ok(times)
        } else {
            Err(self.file.wrong("its events are not in the order of their times"))
        }
    }

    fn whole<T>(&self, name: &str, convert: impl Fn(i64) -> T) -> Result<Vec<T>> {
        Ok(whole(&self.file, name)?.into_iter().map(convert).collect())
    }

    /// One field, decoded.
    pub fn field(&self, column: &str) -> Result<Values> {
        self.file_of(column)?.column(column)
    }

    /// The byte ranges of a text field.
    pub fn places(&self, column: &str) -> Result<ByteRanges> {
        let (start, length) = column_names(column);
        let file = self.placing()?;
        let rest = if file.has(column) { Some(file.column(column)?) } else { None };
        Ok(ByteRanges { start: whole(file, &start)?, length: whole(file, &length)?, rest, delimited: false })
    }

    /// True if a field is dictionary-encoded, so that each distinct value is evaluated only once.
    pub fn is_coded(&self, column: &str) -> Result<bool> {
        Ok(self.file_of(column)?.is_coded(column))
    }

    /// The byte ranges of such a field in some rows, which are in order.
    pub fn places_at(&self, column: &str, rows: &[u32]) -> Result<ByteRanges> {
        let (start, length) = column_names(column);
        let file = self.placing()?;
        let numbers = |name: &str| match file.cells(name, rows)? {
            Values::Int(numbers) => Ok(numbers),
            _ => Err(file.mistyped(name)),
        };
        Ok(ByteRanges { start: numbers(&start)?, length: numbers(&length)?, ..ByteRanges::default() })
    }

    /// True if the table has values of a field, or could have.
    pub fn has(&self, column: &str) -> Result<bool> {
        Ok(self.file_of(column)?.has(column))
    }

    /// One value of a field as text.
    pub fn cell(&self, column: &str, row: usize) -> Result<Option<String>> {
        Ok(text_of(&self.file_of(column)?.cells(column, &[row as u32])?, 0))
    }
}

fn whole(file: &parquet::File, name: &str) -> Result<Vec<i64>> {
    match file.column(name)? {
        Values::Int(numbers) => Ok(numbers),
        _ => Err(file.mistyped(name)),
    }
}

#[must_use]
pub fn level_of(name: &str) -> Level {
    Level::ALL.into_iter().find(|level| level.name() == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Values {
        let mut texts = Texts::default();
        for value in values {
            texts.push(value);
        }
        Values::Text { codes: (0..values.len() as u32).collect(), texts }
    }

    #[test]
    fn byte_ranges_of_format_5_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = parquet::Writer::new(3).expect("a writer");
        let (start, length) = column_names("id");
        writer.numbers(&start, NumberKind::Int, &[4, NO_INT, 8]).expect("a column");
        writer.numbers(&length, NumberKind::Int, &[2, NO_INT, 2]).expect("a column");
        let mut escaped = Texts::default();
        escaped.push("a\"b");
        let rest = Values::Text { codes: vec![NO_CODE, 0, NO_CODE], texts: escaped };
        writer.column("id", NumberKind::Text, &rest).expect("a column");
        let places = ByteRanges {
            start: vec![4, NO_INT, 8],
            length: vec![2, NO_INT, 2],
            rest: Some(rest),
            delimited: false,
        };
        std::fs::write(folder.path().join(EVENTS), writer.finish().expect("a file")).expect("it is written");
        let before = Table::open(folder.path(), 3, false).expect("a table");
        let mut builder = TableBuilder {
            writer: parquet::Writer::new(3).expect("a writer"),
            places: None,
            rows: 3,
            level: None,
        };
        builder.placed("id", &places).expect("a column");
        builder.field("other", FieldKind::Text, &texts(&["x", "y", "z"])).expect("a column");
        builder.missing("none", FieldKind::Text).expect("a column");
        let separate = tempfile::tempdir().expect("a folder");
        let (_, sha256) = builder.write(separate.path()).expect("it is written");
        assert!(sha256.is_some());
        let now = Table::open(separate.path(), 3, true).expect("a table");
        for table in [before, now] {
            let found = table.places("id").expect("places");
            assert_eq!(
                (&found.start, &found.length, &found.rest),
                (&places.start, &places.length, &places.rest)
            );
            assert_eq!(table.cell("id", 1).expect("a value").as_deref(), Some("a\"b"));
            assert_eq!(table.places_at("id", &[2]).expect("places").range(0), Some((8, 2)));
        }
        let now = Table::open(separate.path(), 3, true).expect("a table");
        assert_eq!(now.field("other").expect("a column"), texts(&["x", "y", "z"]));
        assert_eq!(text_of(&now.field("none").expect("a column"), 2), None);
        assert!(!now.file.has(&start));
    }
}
