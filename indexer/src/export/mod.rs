//! Tables as files: one file per format here, and a row in [`Format`].

mod arrow;
mod csv;
mod ndjson;
mod parquet;
mod text;

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::case::Case;
use base::Cancel;
use base::error::{AtPath, Result, from_io};
use base::whole_file::{self, Readers};
use engine::Engine;
use engine::pipe::{RunOptions, Table};
use query::Query;
use store::Snapshot;

pub use csv::{Formulas, Records};

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, for people.
    Text,
    Csv(Formulas),
    Ndjson,
    Parquet,
    /// Arrow IPC, the file format.
    Arrow,
}

impl Format {
    /// The format that the extension of a file's name selects. A CSV file is one that a spreadsheet opens.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" => Some(Format::Text),
            "csv" => Some(Format::Csv(Formulas::Escape)),
            "parquet" => Some(Format::Parquet),
            "arrow" => Some(Format::Arrow),
            "ndjson" | "jsonl" | "json" => Some(Format::Ndjson),
            _ => None,
        }
    }
}

/// Receives a table in batches with the same columns.
pub(crate) trait TableWriter {
    fn rows(&mut self, table: &Table, out: &mut dyn Write) -> std::io::Result<()>;

    /// All batches have arrived.
    fn finish(&mut self, _out: &mut dyn Write) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn writer(format: Format) -> Box<dyn TableWriter> {
    match format {
        Format::Text => Box::new(text::Text::default()),
        Format::Csv(formulas) => Box::new(csv::Csv::new(formulas)),
        Format::Ndjson => Box::new(ndjson::Ndjson),
        Format::Arrow => Box::<arrow::Arrow>::default(),
        Format::Parquet => Box::new(parquet::Parquet::default()),
    }
}

/// Writes what a query gives to a file, which appears once it is complete. Rows go from the
/// stages to the file where the format lets them.
#[allow(clippy::too_many_arguments)]
pub fn export(
    case: &Case,
    snapshot: &Snapshot,
    query: &Query,
    range: (Option<i64>, Option<i64>),
    options: &RunOptions,
    (format, path): (Format, &Path),
    progress: &mut dyn FnMut(f64),
    cancel: &Cancel,
) -> Result<u64> {
    Engine::without_damaged(snapshot, |snapshot| {
        let mut writer = writer(format);
        let mut rows = 0;
        replaced(path, &mut |file| {
            let mut out = |table: &Table, fraction| {
                rows += table.rows() as u64;
                progress(fraction);
                writer.rows(table, file).at_path(path)
            };
            case.run_into(snapshot, query, range, options, &mut out, cancel)?;
            writer.finish(file).at_path(path)
        })?;
        Ok(rows)
    })
}

/// Writes a table to a file, which appears once it is complete.
pub fn export_table(table: &Table, (format, path): (Format, &Path)) -> Result<u64> {
    replaced(path, &mut |file| write_table(table, format, file))?;
    Ok(table.rows() as u64)
}

/// Writes a file that appears when it is complete. A failure leaves no file, and an earlier one as it was.
pub fn replaced(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut begun = whole_file::begin(path, Readers::Others).at_path(path)?;
    let mut file = BufWriter::with_capacity(1 << 16, begun.as_file_mut());
    write(&mut file)?;
    file.flush().at_path(path)?;
    drop(file);
    whole_file::finish(begun, path).at_path(path)
}

/// Writes a whole table.
pub fn write_table(table: &Table, format: Format, out: &mut dyn Write) -> Result<()> {
    let mut writer = writer(format);
    writer.rows(table, out).and_then(|()| writer.finish(out)).map_err(|error| from_io(&error))
}

#[cfg(test)]
mod tests;
