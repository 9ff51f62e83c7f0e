//! The tables of a case besides its events, and files.

use std::path::Path;
use std::sync::Arc;

use polars::prelude::{IntoLazy, LazyFrame};

use super::convert::to_frame;
use super::scan::Shared;
use crate::case::{Case, Snapshot};
use crate::error::Result;
use crate::patterns::Granularity;
use crate::pipe::{Cell, Column, Table, table_of_file};
use crate::search::View;
use crate::templates::PatternOptions;

/// What a case is asked about in SQL: the tables, and what they are of.
pub(crate) const TABLES: [(&str, &str); 4] = [
    ("events", "an event a row, with all fields"),
    ("templates", "what messages have in common: id, text, events"),
    ("notes", "what people wrote"),
    ("sources", "the files of the case"),
];

/// Rows of values as columns.
struct Rows {
    columns: Vec<(&'static str, Vec<Cell>)>,
}

impl Rows {
    fn of(names: &[&'static str]) -> Rows {
        Rows { columns: names.iter().map(|name| (*name, Vec::new())).collect() }
    }

    fn push(&mut self, row: Vec<Cell>) {
        for ((_, cells), cell) in self.columns.iter_mut().zip(row) {
            cells.push(cell);
        }
    }

    fn frame(self, typed: &[(&str, polars::prelude::DataType)]) -> Result<LazyFrame> {
        let rows = self.columns.first().map_or(0, |(_, cells)| cells.len());
        let columns =
            self.columns.into_iter().map(|(name, cells)| (name.to_owned(), Column::of_cells(cells)));
        let mut table = Table::of_rows(rows);
        columns.for_each(|(name, column)| table.set(&name, column));
        let mut frame = to_frame(&table)?;
        // A column without values has its type still.
        for (name, dtype) in typed {
            let column = frame.column(name).and_then(|column| column.cast(dtype));
            let column = column.map_err(|error| super::internal(&error))?;
            frame.with_column(column).map_err(|error| super::internal(&error))?;
        }
        Ok(frame.lazy())
    }
}

fn whole(value: u64) -> Cell {
    Cell::whole(i128::from(value))
}

fn time(value: Option<i64>) -> Cell {
    value.map_or(Cell::Missing, Cell::Time)
}

/// The templates of the events of a view.
pub(super) fn templates(case: &Case, snapshot: &Snapshot, view: &View, shared: &Shared) -> Result<LazyFrame> {
    let options = PatternOptions {
        granularity: Granularity::Template,
        limit: usize::MAX,
        buckets: 1,
        examples: 0,
        ..PatternOptions::default()
    };
    let found = case.patterns(snapshot, view, &options, &mut |_, _| {}, &shared.cancel)?;
    let mut rows = Rows::of(&["id", "text", "events", "first", "last"]);
    for pattern in found.patterns {
        rows.push(vec![
            Cell::text(&pattern.id.to_string()),
            Cell::text(&pattern.text),
            whole(pattern.count),
            time(pattern.first),
            time(pattern.last),
        ]);
    }
    let (text, times) = (polars::prelude::DataType::String, shared.time_type()?);
    rows.frame(&[
        ("id", text.clone()),
        ("text", text),
        ("events", polars::prelude::DataType::Int64),
        ("first", times.clone()),
        ("last", times),
    ])
}

/// What people wrote; `source` and `line` are those of the event that a note is on.
pub(super) fn notes(case: &Case, snapshot: &Snapshot, shared: &Shared) -> Result<LazyFrame> {
    let notes = case.notes(None, 0)?.notes;
    let mut rows =
        Rows::of(&["kind", "id", "text", "source", "line", "first", "last", "created", "changed", "data"]);
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
    let (text, times) = (polars::prelude::DataType::String, shared.time_type()?);
    let texts = ["kind", "id", "text", "source", "data"].map(|name| (name, text.clone()));
    let times = ["first", "last", "created", "changed"].map(|name| (name, times.clone()));
    let mut typed = vec![("line", polars::prelude::DataType::Int64)];
    typed.extend(texts);
    typed.extend(times);
    rows.frame(&typed)
}

/// The files of the case. Those that were deleted from it are not listed.
pub(super) fn sources(snapshot: &Snapshot, shared: &Shared) -> Result<LazyFrame> {
    let mut rows = Rows::of(&[
        "name", "path", "format", "encoding", "zone", "events", "unparsed", "bytes", "first", "last",
        "complete", "sha256",
    ]);
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
    let times = shared.time_type()?;
    let mut typed = vec![("first", times.clone()), ("last", times)];
    for name in ["name", "path", "format", "encoding", "zone", "sha256"] {
        typed.push((name, polars::prelude::DataType::String));
    }
    for name in ["events", "unparsed", "bytes"] {
        typed.push((name, polars::prelude::DataType::Int64));
    }
    typed.push(("complete", polars::prelude::DataType::Boolean));
    rows.frame(&typed)
}

/// A file as a table: CSV with a line of names, or a JSON object a line.
pub(super) fn file(name: &str, shared: &Arc<Shared>) -> Result<LazyFrame> {
    let path = shared.options.folder.join(Path::new(name));
    Ok(to_frame(&table_of_file(&path)?)?.lazy())
}
