//! Queries with pipes, on the command line: their result as a table.

use std::io::Write;

use anyhow::Result;
use indexer::export::{self, write_table};
use indexer::query::Query;
use indexer::{Cancel, Case, Partial, RunOptions, Snapshot, Table};

use crate::args::Format;
use crate::out;

/// A query with stages and what it is asked of.
pub struct Piped<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    /// As it was written, for messages.
    pub text: &'a str,
    pub query: &'a Query,
    pub range: (Option<i64>, Option<i64>),
}

impl Piped<'_> {
    /// The whole result. Words about it go to people, not into the data.
    pub fn table(&self) -> Result<Table> {
        let options = RunOptions { folder: std::env::current_dir()?, ..RunOptions::default() };
        let mut partial = |partial: Partial<'_>| out::progress(&format!("{:.0} %", partial.fraction * 100.0));
        let cancel = Cancel::default();
        let table = self.case.run(self.snapshot, self.query, self.range, &options, &mut partial, &cancel);
        out::progress("");
        let table = table.inspect_err(|error| out::caret(self.text, error))?;
        table.notes.iter().for_each(|note| out::say(note));
        Ok(table)
    }
}

pub fn print(table: &Table, format: Format, out: &mut dyn Write) -> Result<()> {
    let format = match format {
        Format::Text | Format::Raw => export::Format::Text,
        Format::Ndjson => export::Format::Ndjson,
        Format::Csv => export::Format::Csv,
    };
    Ok(write_table(table, format, out)?)
}
