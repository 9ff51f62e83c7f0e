//! `events.parquet`: a row an event, in time order.

use std::borrow::Cow;
use std::path::Path;

use ingest::{Level, NO_INT};
use sha2::{Digest, Sha256};

use super::files;
use super::parquet::{self, Kind, NO_CODE, Texts, Values};
use super::places::{Places, column_names};
use crate::FieldKind;
use crate::error::Result;

/// Names that every event has by itself. A field of the data that is called so gets `data.` before it.
const BUILT_IN: [&str; 8] = ["time", "level", "source", "line", "offset", "length", "raw", "template"];

/// What a field of the data is called in a case.
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
    /// What a row takes in memory.
    pub const ROW_BYTES: usize = 33;

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

    pub fn rows(&self) -> usize {
        self.time.len()
    }
}

/// The value of a row as text, where it has one.
pub fn text_of(values: &Values, row: usize) -> Option<String> {
    match values {
        Values::Text { codes, texts } => texts.get(codes[row] as usize).map(str::to_owned),
        Values::Int(values) => (values[row] != NO_INT).then(|| values[row].to_string()),
        Values::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        Values::Bool(values) => values[row].map(|value| value.to_string()),
    }
}

/// A table being made, a column at a time.
pub struct Builder {
    writer: parquet::Writer,
}

impl Builder {
    pub fn new(columns: &Columns) -> std::io::Result<Builder> {
        Self::packed(columns, None)
    }

    /// Packed at this level.
    pub fn packed(columns: &Columns, level: Option<i32>) -> std::io::Result<Builder> {
        let mut writer = parquet::Writer::new(columns.rows())?;
        level.map_or(Ok(()), |level| writer.pack_at(level))?;
        // Built-in columns stand with the same missing value as fields, so that times need no copy of their own.
        let whole = |values: &mut dyn Iterator<Item = i64>| Values::Int(values.collect());
        writer.column("time", Kind::Time, &whole(&mut columns.time.iter().copied()))?;
        writer.column("level", Kind::Text, &levels(&columns.level))?;
        let source = &mut columns.source.iter().map(|&source| i64::from(source));
        writer.column("source", Kind::UnsignedShort, &whole(source))?;
        writer.column(
            "line",
            Kind::UnsignedInt,
            &whole(&mut columns.line.iter().map(|&line| line as i64)),
        )?;
        let offset = &mut columns.offset.iter().map(|&offset| offset as i64);
        writer.column("offset", Kind::UnsignedInt, &whole(offset))?;
        let length = &mut columns.length.iter().map(|&length| i64::from(length));
        writer.column("length", Kind::UnsignedShort, &whole(length))?;
        Ok(Builder { writer })
    }

    pub fn field(&mut self, column: &str, kind: FieldKind, values: &Values) -> std::io::Result<()> {
        let kind = match kind {
            FieldKind::Text => Kind::Text,
            FieldKind::Int => Kind::Int,
            FieldKind::Float => Kind::Float,
            FieldKind::Bool => Kind::Bool,
        };
        self.writer.column(column, kind, values)
    }

    /// A text field by its places in the events.
    pub fn placed(&mut self, column: &str, places: &Places) -> std::io::Result<()> {
        let (start, length) = column_names(column);
        for (name, numbers) in [(start, &places.start), (length, &places.length)] {
            self.writer.numbers(&name, Kind::Int, numbers)?;
        }
        places.rest.as_ref().map_or(Ok(()), |rest| self.writer.column(column, Kind::Text, rest))
    }

    /// Writes the file, makes it durable and gives its SHA-256.
    pub fn write(self, path: &Path) -> Result<String> {
        let bytes = self.writer.finish();
        files::write(path, &bytes, files::TABLE)?;
        Ok(crate::hex(&Sha256::digest(&bytes)))
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
}

impl Table {
    pub fn open(path: &Path) -> Result<Table> {
        Ok(Table { file: parquet::File::open(path)? })
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
            time: self.whole("time", |time| time)?,
            level,
            source: self.whole("source", |source| source as u32)?,
            line: self.whole("line", |line| line as u64)?,
            offset: self.whole("offset", |offset| offset as u64)?,
            length: self.whole("length", |length| length as u32)?,
        })
    }

    pub fn times(&self) -> Result<Vec<i64>> {
        self.whole("time", |time| time)
    }

    fn whole<T>(&self, name: &str, convert: impl Fn(i64) -> T) -> Result<Vec<T>> {
        match self.file.column(name)? {
            Values::Int(numbers) => Ok(numbers.into_iter().map(convert).collect()),
            _ => Err(self.file.mistyped(name)),
        }
    }

    /// One field, decoded.
    pub fn field(&self, column: &str) -> Result<Values> {
        self.file.column(column)
    }

    /// The places of a text field that is told by them.
    pub fn places(&self, column: &str) -> Result<Places> {
        let (start, length) = column_names(column);
        let rest = if self.file.has(column) { Some(self.file.column(column)?) } else { None };
        Ok(Places {
            start: self.whole(&start, |start| start)?,
            length: self.whole(&length, |length| length)?,
            rest,
            delimited: false,
        })
    }

    /// Whether a field's values repeat, so that it is worth looking at each only once.
    pub fn is_coded(&self, column: &str) -> bool {
        self.file.is_coded(column)
    }

    /// The places of such a field in some rows, which are in order.
    pub fn places_at(&self, column: &str, rows: &[u32]) -> Result<Places> {
        let (start, length) = column_names(column);
        let numbers = |name: &str| match self.file.cells(name, rows)? {
            Values::Int(numbers) => Ok(numbers),
            _ => Err(self.file.mistyped(name)),
        };
        Ok(Places { start: numbers(&start)?, length: numbers(&length)?, ..Places::default() })
    }

    /// Whether the table has a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.file.has(column)
    }

    /// One value of a field as text.
    pub fn cell(&self, column: &str, row: usize) -> Result<Option<String>> {
        Ok(text_of(&self.file.cells(column, &[row as u32])?, 0))
    }
}

pub fn level_of(name: &str) -> Level {
    Level::ALL.into_iter().find(|level| level.name() == name).unwrap_or_default()
}
