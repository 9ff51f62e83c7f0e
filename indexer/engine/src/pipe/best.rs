//! The first events in the order of keys. Only the keys of all events are read; the other columns are read of
//! those events alone that are among the first.

use std::collections::BTreeMap;

use super::answer::PlannedQuery;
use super::cell::Cell;
use super::column::{Column, Data, Picked, filled};
use super::expr::Expression;
use super::line::HANDED_ON;
use super::run::{Run, Scope};
use super::source::{ColumnRequest, Piece, Reader};
use super::stages::sort::{Sort, SortExpression};
use super::step::{RowStep, Step};
use super::table::{EventRef, Table};
use crate::exec::in_order;
use base::error::Result;
use base::limits::PIPE_ROWS;

/// What the first events are among which.
pub(super) struct Best<'a> {
    pub asked: &'a PlannedQuery,
    pub run: &'a Run<'a>,
    pub scope: Scope<'a>,
    /// The steps between the events and their order.
    pub steps: &'a [Box<dyn RowStep>],
    pub keys: &'a [SortExpression],
    pub first: usize,
    /// The columns of events that steps and keys read.
    pub read: ColumnRequest,
}

impl Best<'_> {
    /// The first events, in order, with all that is wanted of them. `seen` is called with each segment that is done.
    pub fn table(&self, seen: &mut dyn FnMut(u32)) -> Result<Table> {
        let mut best = Sort::new(columns_as_keys(self.keys), Some(self.first));
        let segments = self.scope.snapshot.segments.len();
        let look = |index: usize| self.of_segment(index as u32);
        in_order(segments, &self.run.cancel, look, |index, found| {
            if let Some(found) = found {
                best.push(found, self.run)?;
            }
            seen(index as u32);
            Ok(())
        })?;
        self.run.messages.clear();
        let Some(best) = best.finish(self.run)?.filter(|best| best.rows() > 0) else {
            return Ok(Table::of_rows(0));
        };
        self.run.budget.give_back(best.bytes());
        self.read_of(best.events.as_deref().unwrap_or_default())
    }

    /// The keys of the first events of a segment, and which they are.
    fn of_segment(&self, segment: u32) -> Result<Option<Table>> {
        let (case, snapshot, view) = (self.scope.case, self.scope.snapshot, self.scope.view);
        let Some(part) = case.part(snapshot, segment as usize, view, &self.run.cancel)? else {
            return Ok(None);
        };
        let events = part.segment.event_keys()?;
        let mut reader = Reader::new(snapshot, &self.read, case);
        let mut best = Sort::new(columns_as_keys(self.keys), Some(self.first));
        let mut bar = Bar::default();
        reader.each(&[Piece { segment, part }], self.run, &mut |mut table| {
            let mut held = self.run.charge(HANDED_ON);
            for step in self.steps {
                table = step.apply(table, self.run)?;
                held.hold(&table)?;
            }
            let mut keys = Table::of_rows(table.rows());
            for (index, (key, _)) in self.keys.iter().enumerate() {
                keys.set(&index.to_string(), key.column(&table, self.run)?);
            }
            keys.events = table.events;
            let descending = self.keys.first().is_some_and(|(_, descending)| *descending);
            if let Some(passing) = bar.passing(&keys, descending) {
                keys = keys.pick(&Picked::Some(&passing));
            }
            if keys.rows() > 0
                && let Some(last) = best.keep(keys, self.run)?
            {
                bar = Bar(Some(last));
            }
            Ok(true)
        })?;
        // A table without rows has no events.
        let Some(mut best) = best.finish(self.run)?.filter(|best| best.rows() > 0) else { return Ok(None) };
        // Rows with equal keys are in the order of events.
        let refs = best.events.as_deref().unwrap_or_default();
        let of = |event: &EventRef| events.key(event.row as usize);
        // Events without a time come before all others; as numbers they would be missing, and last.
        let times = refs.iter().map(|event| of(event).0.max(i64::MIN + 1)).collect();
        let sources = refs.iter().map(|event| i64::from(of(event).1)).collect();
        let offsets = refs.iter().map(|event| of(event).2 as i64).collect();
        for (place, column) in [times, sources, offsets].into_iter().enumerate() {
            best.set(&(self.keys.len() + place).to_string(), Column::ints(column));
        }
        Ok(Some(best))
    }

    /// All that is wanted of these events, in their order, through the steps.
    pub fn read_of(&self, events: &[EventRef]) -> Result<Table> {
        let mut by_segment: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for (place, event) in events.iter().enumerate() {
            by_segment.entry(event.segment).or_default().push((event.row, place as u32));
        }
        let mut pieces = Vec::new();
        for (segment, mut rows) in by_segment {
            rows.sort_unstable();
            pieces.extend(rows.chunks(PIPE_ROWS).map(|rows| (segment, rows.to_vec())));
        }
        let snapshot = self.scope.snapshot;
        let read = |piece: usize| {
            let (segment, rows) = &pieces[piece];
            let numbers: Vec<u32> = rows.iter().map(|&(row, _)| row).collect();
            let mut reader = Reader::of_few(snapshot, &self.asked.wanted, self.scope.case);
            reader.table(*segment, &Picked::Some(&numbers), self.run)
        };
        let mut tables = Vec::new();
        in_order(pieces.len(), &self.run.cancel, read, |_, table| {
            tables.push(table);
            Ok(())
        })?;
        if tables.is_empty() {
            return Ok(Table::of_rows(0));
        }
        let mut order = vec![0; events.len()];
        for (read, &(_, place)) in pieces.iter().flat_map(|(_, rows)| rows).enumerate() {
            order[place as usize] = read as u32;
        }
        let mut table = Table::concat(tables).pick(&Picked::Some(&order));
        for step in self.steps {
            table = step.apply(table, self.run)?;
        }
        Ok(table)
    }
}

/// The keys, calculated already as the columns of a table, followed by those that order events.
fn columns_as_keys(keys: &[SortExpression]) -> Vec<SortExpression> {
    let named = |place: usize| Expression::field(&place.to_string());
    let own = keys.iter().enumerate().map(|(place, (_, descending))| (named(place), *descending));
    own.chain((0..3).map(|place| (named(keys.len() + place), false))).collect()
}

/// The first key of the last row that is among the first so far: later rows are passed over.
#[derive(Default)]
struct Bar(Option<Cell>);

impl Bar {
    /// The rows that may be among the first; nothing where all may.
    fn passing(&self, keys: &Table, descending: bool) -> Option<Vec<u32>> {
        let bar = self.0.as_ref()?;
        let column = keys.column("0")?;
        let rows = 0..column.len() as u32;
        let kept = |passes: &dyn Fn(usize) -> bool| rows.filter(|&row| passes(row as usize)).collect();
        Some(match (&column.data, bar) {
            (Data::Int(values), &Cell::Int(bar)) | (Data::Time(values), &Cell::Time(bar)) => {
                // What is missing is less than everything, and comes last.
                let values = filled(values, i64::MIN);
                kept(&|row| {
                    if descending { values[row] >= bar } else { values[row] <= bar && values[row] > i64::MIN }
                })
            }
            (Data::Float(values), &Cell::Float(bar)) => {
                let values = filled(values, f64::NAN);
                kept(&|row| if descending { values[row] >= bar } else { values[row] <= bar })
            }
            (Data::Text { codes, texts }, Cell::Text(bar)) => {
                let mut known = std::collections::HashMap::new();
                let mut passes = |code: u32| {
                    *known.entry(code).or_insert_with(|| {
                        texts
                            .get(code)
                            .is_some_and(|text| if descending { text >= &**bar } else { text <= &**bar })
                    })
                };
                (0..codes.len() as u32).filter(|&row| passes(codes[row as usize])).collect()
            }
            _ => return None,
        })
    }
}
