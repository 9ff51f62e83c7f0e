//! Queries with pipes, on the command line: their result as a table.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use indexer::export::{self, Formulas, write_table};
use indexer::query::Query;
use indexer::{Cancel, Case, Partial, RunOptions, Snapshot, Table};

use crate::args::Format;
use crate::out;

/// A query with stages, and its case.
pub struct Piped<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    /// As it was written, for messages.
    pub text: &'a str,
    pub query: &'a Query,
    pub range: (Option<i64>, Option<i64>),
    pub options: RunOptions,
}

impl Piped<'_> {
    /// The whole result. Words about it go to people, not into the data.
    pub fn table(&self) -> Result<Table> {
        let mut partial = |partial: Partial<'_>| out::progress(&format!("{:.0} %", partial.fraction * 100.0));
        let cancel = Cancel::default();
        let table =
            self.case.run(self.snapshot, self.query, self.range, &self.options, &mut partial, &cancel);
        out::progress("");
        let table = table.inspect_err(|error| out::caret(self.text, error))?;
        table.notes.iter().for_each(|note| out::say(note));
        Ok(table)
    }
}

impl Piped<'_> {
    /// The result as a file, which is there when it is whole.
    pub fn export(&self, format: Format, formulas: Formulas, path: &Path) -> Result<()> {
        let format = table_format(format, formulas);
        let mut progress = |fraction: f64| out::progress(&format!("{:.0} %", fraction * 100.0));
        let (case, snapshot, cancel) = (self.case, self.snapshot, Cancel::default());
        let to = (format, path);
        let done =
            export::export(case, snapshot, self.query, self.range, &self.options, to, &mut progress, &cancel);
        out::progress("");
        done.inspect_err(|error| out::caret(self.text, error))?;
        Ok(())
    }
}

pub fn print(table: &Table, format: Format, formulas: Formulas, out: &mut dyn Write) -> Result<()> {
    Ok(write_table(table, table_format(format, formulas), out)?)
}

/// Results have no original bytes.
fn table_format(format: Format, formulas: Formulas) -> export::Format {
    match format {
        Format::Text | Format::Raw => export::Format::Text,
        Format::Ndjson => export::Format::Ndjson,
        Format::Csv => export::Format::Csv(formulas),
        Format::Parquet => export::Format::Parquet,
        Format::Arrow => export::Format::Arrow,
    }
}
