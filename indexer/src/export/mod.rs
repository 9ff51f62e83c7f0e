//! Tables as files: a format a file here and a line in [`Format`].

mod csv;
mod ndjson;
mod text;

use std::io::Write;

use crate::error::{Result, from_io};
use crate::pipe::Table;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for people.
    Text,
    Csv,
    Ndjson,
}

impl Format {
    /// By the ending of a file's name.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Format> {
        match ending.to_ascii_lowercase().as_str() {
            "txt" => Some(Format::Text),
            "csv" => Some(Format::Csv),
            "ndjson" | "jsonl" | "json" => Some(Format::Ndjson),
            _ => None,
        }
    }
}

/// Takes a table in parts, all with the same columns.
pub(crate) trait TableWriter {
    fn rows(&mut self, table: &Table, out: &mut dyn Write) -> std::io::Result<()>;

    /// Everything came.
    fn finish(&mut self, _out: &mut dyn Write) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn writer(format: Format) -> Box<dyn TableWriter> {
    match format {
        Format::Text => Box::new(text::Text::default()),
        Format::Csv => Box::new(csv::Csv::default()),
        Format::Ndjson => Box::new(ndjson::Ndjson),
    }
}

/// Writes a whole table.
pub fn write_table(table: &Table, format: Format, out: &mut dyn Write) -> Result<()> {
    let mut writer = writer(format);
    writer.rows(table, out).and_then(|()| writer.finish(out)).map_err(|error| from_io(&error))
}

#[cfg(test)]
mod tests;
