//! `context`: with each event those around it, in its file, in all files, or with the same value of a field.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::{Column, Picked};
use super::super::run::{Run, Scope};
use super::super::source::{ColumnRequest, Reader};
use super::super::step::{Kept, Step};
use super::super::table::{EventRef, Table};
use crate::exec::EventKey;
use base::error::{Error, ErrorKind, Result};

pub struct ContextStage {
    before: usize,
    after: usize,
    neighbours: Neighbours,
    kept: Kept,
}

/// Which events are neighbours of another.
pub enum Neighbours {
    /// Those of the same file, in its order.
    File,
    /// All, in the order of their times.
    Everywhere,
    /// Those with the same value of a field, in the order of their times.
    Same(Arc<str>),
}

/// The column that says what each row is.
pub const COLUMN: &str = "context";

/// An event among its neighbours: their sequence, and its place in it.
type Place = (u64, EventKey, EventRef);

impl ContextStage {
    pub fn new(before: u64, after: u64, neighbours: Neighbours) -> ContextStage {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        ContextStage { before: size(before), after: size(after), neighbours, kept: Kept::new("context") }
    }

    /// Every event that can be a neighbour, in order.
    fn places(&self, scope: Scope<'_>, matched: &Table, run: &Run<'_>) -> Result<Vec<Place>> {
        let mut values: HashMap<Cell, u64> = HashMap::new();
        if let Neighbours::Same(field) = &self.neighbours {
            let column = matched.column_or_missing(field);
            for row in (0..matched.rows()).filter(|&row| !column.is_missing(row)) {
                let next = values.len() as u64;
                values.entry(column.cell(row)).or_insert(next);
            }
        }
        let mut places: Vec<Place> = Vec::new();
        for (index, segment) in scope.snapshot.segments.iter().enumerate() {
            run.check()?;
            let columns = segment.columns()?;
            let first = places.len();
            let field = match &self.neighbours {
                Neighbours::Same(field) => Some(column_of(scope, index as u32, field, columns.rows(), run)?),
                _ => None,
            };
            for row in 0..columns.rows() {
                let key = (columns.time[row], columns.source[row], columns.offset[row]);
                let event = EventRef { segment: index as u32, row: row as u32 };
                match (&self.neighbours, &field) {
                    (Neighbours::File, _) => {
                        places.push((u64::from(columns.source[row]), (0, 0, columns.offset[row]), event));
                    }
                    (Neighbours::Everywhere, _) => places.push((0, key, event)),
                    (Neighbours::Same(_), Some(column)) => {
                        if let Some(&value) = values.get(&column.cell(row)) {
                            places.push((value, key, event));
                        }
                    }
                    (Neighbours::Same(_), None) => {}
                }
            }
            run.budget.take("context", (places.len() - first) * size_of::<Place>())?;
        }
        places.sort_unstable_by_key(|(group, key, _)| (*group, *key));
        Ok(places)
    }
}

/// One field of a whole segment.
fn column_of(scope: Scope<'_>, segment: u32, field: &Arc<str>, rows: usize, run: &Run<'_>) -> Result<Column> {
    let wanted = ColumnRequest { columns: vec![Arc::clone(field)], refs: false };
    let mut reader = Reader::new(scope.snapshot, &wanted, scope.case);
    Ok(reader.table(segment, &Picked::Run(0..rows), run)?.column_or_missing(field))
}

impl Step for ContextStage {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let matched = self.kept.take(run)?;
        let (Some(scope), Some(events)) = (run.scope, matched.events.clone()) else {
            if matched.rows() == 0 {
                return Ok(Some(matched));
            }
            return Err(Error::new(
                ErrorKind::QueryInvalid,
                "`context` needs events; these rows are results",
            )
            .hint("put it before stats, top and the like"));
        };
        let places = self.places(scope, &matched, run)?;
        let mut role: HashMap<EventRef, &str> = events.iter().map(|&event| (event, "match")).collect();
        let mut around: Vec<EventRef> = Vec::new();
        for (at, (group, _, event)) in places.iter().enumerate() {
            if role.get(event) != Some(&"match") {
                continue;
            }
            let before = at.saturating_sub(self.before)..at;
            let after = at + 1..at.saturating_add(self.after).saturating_add(1).min(places.len());
            for (range, name) in [(before, "before"), (after, "after")] {
                for (other_group, _, other) in &places[range] {
                    if other_group == group && !role.contains_key(other) {
                        role.insert(*other, name);
                        around.push(*other);
                    }
                }
            }
            run.check()?;
        }
        let neighbours = Self::neighbours_of(scope, &matched, around, run)?;
        let mut all = Table::concat(vec![matched, neighbours]);
        let events = all.events.clone().unwrap_or_default();
        let mut order = Vec::with_capacity(events.len());
        for (row, event) in events.iter().enumerate() {
            let columns = scope.snapshot.segments[event.segment as usize].columns()?;
            let at = event.row as usize;
            order.push((columns.time[at], columns.source[at], columns.offset[at], row as u32));
        }
        order.sort_unstable();
        let roles = events.iter().map(|event| role.get(event).map_or(Cell::Missing, |name| Cell::text(name)));
        all.set(COLUMN, Column::of_cells(roles.collect()));
        let order: Vec<u32> = order.into_iter().map(|(.., row)| row).collect();
        Ok(Some(all.pick(&Picked::Some(&order))))
    }
}

impl ContextStage {
    /// The neighbours with the columns that events bring; what earlier stages calculated is missing.
    fn neighbours_of(
        scope: Scope<'_>,
        matched: &Table,
        mut events: Vec<EventRef>,
        run: &Run<'_>,
    ) -> Result<Table> {
        let known = crate::Engine::field_names(scope.snapshot);
        let columns = matched.names().iter().filter(|name| known.iter().any(|field| **field == ***name));
        let wanted = ColumnRequest { columns: columns.cloned().collect(), refs: true };
        let mut reader = Reader::new(scope.snapshot, &wanted, scope.case);
        events.sort_unstable_by_key(|event| (event.segment, event.row));
        let mut tables = Vec::new();
        for same in events.chunk_by(|one, other| one.segment == other.segment) {
            let rows: Vec<u32> = same.iter().map(|event| event.row).collect();
            let table = reader.table(same[0].segment, &Picked::Some(&rows), run)?;
            run.budget.take("context", table.bytes())?;
            tables.push(table);
        }
        if tables.is_empty() {
            tables.push(matched.slice(0..0));
        }
        Ok(Table::concat(tables))
    }
}
