//! The tables of a case besides its events, and files.

use std::path::Path;
use std::sync::Arc;

use polars::prelude::{DataType, IntoLazy, LazyFrame};

use super::convert::to_frame;
use super::scan::Shared;
use crate::Engine;
use crate::pipe::{Cell, Column, Table, table_of_file};
use crate::templates::PatternOptions;
use crate::view::View;
use base::error::Result;
use patterns::Granularity;
use store::Snapshot;

/// What a case is asked about in SQL: the tables, and what they are of.
pub const TABLES: [(&str, &str); 4] = [
    ("events", "an event a row, with all fields"),
    ("templates", "what messages have in common: id, text, events"),
    ("notes", "what people wrote"),
    ("sources", "the files of the case"),
];

/// The columns of the tables besides events, with their types in SQL.
pub(super) const OTHER_COLUMNS: [(&str, &[(&str, &str)]); 3] = [
    (
        "templates",
        &[
            ("id", "VARCHAR"),
            ("text", "VARCHAR"),
            ("events", "BIGINT"),
            ("first", "TIMESTAMP"),
            ("last", "TIMESTAMP"),
        ],
    ),
    (
        "notes",
        &[
            ("kind", "VARCHAR"),
            ("id", "VARCHAR"),
            ("text", "VARCHAR"),
            ("source", "VARCHAR"),
            ("line", "BIGINT"),
            ("first", "TIMESTAMP"),
            ("last", "TIMESTAMP"),
            ("created", "TIMESTAMP"),
            ("changed", "TIMESTAMP"),
            ("data", "VARCHAR"),
        ],
    ),
    (
        "sources",
        &[
            ("name", "VARCHAR"),
            ("path", "VARCHAR"),
            ("format", "VARCHAR"),
            ("encoding", "VARCHAR"),
            ("zone", "VARCHAR"),
            ("events", "BIGINT"),
            ("unparsed", "BIGINT"),
            ("bytes", "BIGINT"),
            ("first", "TIMESTAMP"),
            ("last", "TIMESTAMP"),
            ("complete", "BOOLEAN"),
            ("sha256", "VARCHAR"),
        ],
    ),
];

/// The columns of such a table.
fn columns(table: &str) -> &'static [(&'static str, &'static str)] {
    OTHER_COLUMNS.iter().find(|(name, _)| *name == table).map_or(&[], |(_, columns)| columns)
}

/// Rows of values as columns.
struct ValueRows {
    columns: Vec<(&'static str, Vec<Cell>)>,
}

impl ValueRows {
    fn new(table: &str) -> ValueRows {
        ValueRows { columns: columns(table).iter().map(|(name, _)| (*name, Vec::new())).collect() }
    }

    fn push(&mut self, row: Vec<Cell>) {
        for ((_, cells), cell) in self.columns.iter_mut().zip(row) {
            cells.push(cell);
        }
    }

    fn frame(self, table: &str, shared: &Shared) -> Result<LazyFrame> {
        let rows = self.columns.first().map_or(0, |(_, cells)| cells.len());
        let found = self.columns.into_iter().map(|(name, cells)| (name, Column::of_cells(cells)));
        let mut cells = Table::of_rows(rows);
        found.for_each(|(name, column)| cells.set(name, column));
        let mut frame = to_frame(&cells)?;
        // A column without values has its type still.
        for (name, dtype) in columns(table) {
            let dtype = match *dtype {
                "BIGINT" => DataType::Int64,
                "BOOLEAN" => DataType::Boolean,
                "TIMESTAMP" => shared.time_type()?,
                _ => DataType::String,
            };
            let column = frame.column(name).and_then(|column| column.cast(&dtype));
            let column = column.map_err(|error| super::internal(&error))?;
            frame.with_column(column).map_err(|error| super::internal(&error))?;
        }
        Ok(frame.lazy())
    }
}

/// A table of that name without its rows, for its columns.
pub(super) fn without_rows(table: &str, shared: &Shared) -> Result<LazyFrame> {
    ValueRows::new(table).frame(table, shared)
}

fn whole(value: u64) -> Cell {
    Cell::whole(i128::from(value))
}

fn time(value: Option<i64>) -> Cell {
    value.map_or(Cell::Missing, Cell::Time)
}

/// The templates of the events of a view.
pub(super) fn templates(
    case: &Engine,
    snapshot: &Snapshot,
    view: &View,
    shared: &Shared,
) -> Result<LazyFrame> {
    let options = PatternOptions {
        granularity: Granularity::Template,
        limit: usize::MAX,
        buckets: 1,
        examples: 0,
        ..PatternOptions::default()
    };
    let found = case.patterns(snapshot, view, &options, &mut |_, _| {}, &shared.cancel)?;
    let mut rows = ValueRows::new("templates");
    for pattern in found.patterns {
        rows.push(vec![
            Cell::text(&pattern.id.to_string()),
            Cell::text(&pattern.text),
            whole(pattern.count),
            time(pattern.first),
            time(pattern.last),
        ]);
    }
    rows.frame("templates", shared)
}

/// What people wrote; `source` and `line` are those of the event that a note is on.
pub(super) fn notes(case: &Engine, snapshot: &Snapshot, shared: &Shared) -> Result<LazyFrame> {
    let notes = case.notes(None, 0)?.notes;
    let mut rows = ValueRows::new("notes");
    for note in notes {
        let place = match note.event {
            Some((source, offset)) => case.evidence(snapshot, &[(source, offset)], 0, &shared.cancel)?,
            None => Vec::new(),
        };
        let event = place.into_iter().flatten().next().map(|found| found.event);
        let source = note.event.and_then(|(source, _)| snapshot.sources().get(source as usize));
        let moment = event.as_ref().map(|event| event.time).filter(|&time| time != ingest::NO_TIME);
        rows.push(vec![
            Cell::text(&note.kind),
            Cell::text(&note.id),
            Cell::text(&note.text),
            source.map_or(Cell::Missing, |source| Cell::text(&source.name)),
            event.as_ref().map_or(Cell::Missing, |event| whole(event.line)),
            time(note.range.map(|(first, _)| first).or(moment)),
            time(note.range.map(|(_, last)| last).or(moment)),
            time(Some(note.created_ns)),
            time(Some(note.changed_ns)),
            if note.data.is_null() { Cell::Missing } else { Cell::text(&note.data.to_string()) },
        ]);
    }
    rows.frame("notes", shared)
}

/// The files of the case. Those that were deleted from it are not listed.
pub(super) fn sources(snapshot: &Snapshot, shared: &Shared) -> Result<LazyFrame> {
    let mut rows = ValueRows::new("sources");
    for source in snapshot.sources().iter().filter(|source| !source.deleted) {
        rows.push(vec![
            Cell::text(&source.name),
            Cell::text(&source.path),
            Cell::text(&source.format),
            Cell::text(&source.encoding),
            Cell::text(&source.zone),
            whole(source.events),
            whole(source.unparsed),
            whole(source.bytes),
            time(source.first),
            time(source.last),
            Cell::Bool(source.complete),
            Cell::text(&source.sha256),
        ]);
    }
    rows.frame("sources", shared)
}

/// A file as a table: CSV with a line of names, or a JSON object a line.
pub(super) fn file(name: &str, shared: &Arc<Shared>) -> Result<LazyFrame> {
    Ok(to_frame(&table_of_file(&shared.options.files, Path::new(name))?)?.lazy())
}
