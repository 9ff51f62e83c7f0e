//! `top` and `rare` of one field of texts: values are counted by codes that all segments share, or in several passes
//! where the memory of the query does not hold all values. Only those that are among the first are made.

use std::collections::BinaryHeap;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::floats;
use super::super::run::{Run, Scope};
use super::super::stages::stats::{RankedGroups, StatsPlan};
use super::super::table::Table;
use super::kinds;
use crate::aggregate::{AggregateScope, TermCounts, coded, counts_of_codes};
use crate::exec::in_order;
use base::FieldKind;
use base::error::{ErrorKind, Result};
use base::hash::{hash, seed};
use base::limits::{COUNTING_PASSES, PIPE_ROWS, SHARED_VALUE_BYTES};
use query::BinaryOp;
use store::{ColumnValues, Interner, StoredColumn};

/// The rows of `top` or `rare`; nothing where they come out of groups. `partial` gets those of the events so far,
/// with the share of events looked at.
pub fn ranked(
    stats: &StatsPlan,
    (scope, run): (Scope<'_>, &Run<'_>),
    partial: &mut dyn FnMut(&Table, f64),
) -> Result<Option<Table>> {
    let (Some(ranked), [(name, key)]) = (&stats.ranked, stats.by.as_slice()) else { return Ok(None) };
    if matches!(name.as_str(), "count" | "percent") {
        return Ok(None);
    }
    let Some(field) = key.as_field().filter(|_| (1..=PIPE_ROWS).contains(&ranked.count)) else {
        return Ok(None);
    };
    if !are_texts(field, scope) {
        return Ok(None);
    }
    let (case, snapshot, view) = (scope.case, scope.snapshot, scope.view);
    let asked = AggregateScope { case, snapshot, view, cancel: &run.cancel };
    let bytes = bytes_of_values(field, scope, run)?;
    let found = if bytes <= run.budget.left() {
        run.budget.take(stats.stage, bytes)?;
        let mut report =
            |counted: &TermCounts, share| partial(&FirstValues::of_terms(counted, ranked).table(name), share);
        let counted = TermCounts::count_with_partials(&asked, field, &mut report);
        run.budget.give_back(bytes);
        match counted {
            Err(error) if error.kind() == ErrorKind::Limit => None,
            counted => Some(FirstValues::of_terms(&counted?, ranked)),
        }
    } else {
        None
    };
    let found = match found {
        Some(found) => found,
        None => match in_passes((stats.stage, field, ranked), bytes, &asked, run)? {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    if found.missing > 0 {
        run.note(vec![format!("{} rows have no value and are left out", found.missing)]);
    }
    Ok(Some(found.table(name)))
}

/// Whether a field has values of one type, which is text: codes of all segments do not separate types.
fn are_texts(field: &str, scope: Scope<'_>) -> bool {
    let mut kinds = kinds(field, scope.snapshot).peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == FieldKind::Text)
}

/// No less than what the different values of a field take.
pub(super) fn bytes_of_values(field: &str, scope: Scope<'_>, run: &Run<'_>) -> Result<usize> {
    let snapshot = scope.snapshot;
    let read = |index: usize| coded(&snapshot.segments[index], snapshot.sources(), field, &run.cancel);
    let mut bytes = 0;
    in_order(snapshot.segments.len(), &run.cancel, read, |_, column| {
        if let Some(column) = column {
            bytes += column.largest as usize * SHARED_VALUE_BYTES;
            if let ColumnValues::Texts(texts) = &column.values {
                bytes += texts.joined().len();
            }
        }
        Ok(())
    })?;
    Ok(bytes)
}

/// A column of a segment, and how often each of its codes occurs.
type CodeCounts = (Arc<StoredColumn>, Arc<Vec<u32>>);

/// Counts one part of the values after the other, by their hashes, so that the memory that is left holds each part;
/// nothing where that takes too many passes.
fn in_passes(
    (stage, field, ranked): (&str, &str, &RankedGroups),
    bytes: usize,
    asked: &AggregateScope<'_>,
    run: &Run<'_>,
) -> Result<Option<FirstValues>> {
    // Half of it: the parts are not equal.
    let passes = (bytes / (run.budget.left() / 2).max(1) + 1).max(2);
    if passes > COUNTING_PASSES {
        return Ok(None);
    }
    let (snapshot, secret) = (asked.snapshot, seed());
    let read = |index: usize| -> Result<Option<(u64, Option<CodeCounts>)>> {
        let Some(part) = asked.part(index)? else { return Ok(None) };
        let column = coded(&snapshot.segments[index], snapshot.sources(), field, asked.cancel)?;
        let counts = |column: Arc<StoredColumn>| -> Result<CodeCounts> {
            let counts = counts_of_codes(asked.case, field, &part, &column)?;
            Ok((column, counts))
        };
        Ok(Some((part.len() as u64, column.map(counts).transpose()?)))
    };
    let mut first = FirstValues::new(ranked);
    for pass in 0..passes {
        let (mut values, mut counts, mut taken) = (Interner::default(), Vec::new(), 0);
        in_order(snapshot.segments.len(), asked.cancel, read, |_, found| {
            let Some((rows, counted)) = found else { return Ok(()) };
            if pass == 0 {
                first.total += rows;
                first.missing += counted.as_ref().map_or(rows, |(_, counts)| u64::from(counts[0]));
            }
            let Some((column, found)) = counted else { return Ok(()) };
            let ColumnValues::Texts(texts) = &column.values else { return Ok(()) };
            for (text, &count) in texts.iter().zip(&found[1..]) {
                if count > 0 && hash(secret, text.as_bytes()) % passes as u64 == pass as u64 {
                    let place = values.code(text) as usize;
                    counts.resize(counts.len().max(place + 1), 0);
                    counts[place] += count;
                }
            }
            let bytes = values.bytes() + counts.len() * size_of::<u32>();
            run.budget.take(stage, bytes.saturating_sub(taken))?;
            taken = taken.max(bytes);
            Ok(())
        })?;
        first.take(&counts, &|place| values.get(place));
        run.budget.give_back(taken);
    }
    Ok(Some(first))
}

/// Values in the order of how often they occur, those that occur equally often in the order of their texts; no more than
/// are shown.
struct FirstValues {
    most: usize,
    rarest: bool,
    rows: BinaryHeap<(u32, Arc<str>)>,
    /// Rows that were counted, and those of them without a value.
    total: u64,
    missing: u64,
}

impl FirstValues {
    fn new(ranked: &RankedGroups) -> FirstValues {
        FirstValues {
            most: ranked.count,
            rarest: ranked.rarest,
            rows: BinaryHeap::new(),
            total: 0,
            missing: 0,
        }
    }

    fn of_terms(counted: &TermCounts, ranked: &RankedGroups) -> FirstValues {
        let mut first = FirstValues::new(ranked);
        (first.total, first.missing) = (counted.total, counted.missing());
        counted.values.with_texts(|text| first.take(&counted.counts[1..], &|place| text(place as u32 + 1)));
        first
    }

    /// Takes values that none of the others is equal to.
    fn take<'t>(&mut self, counts: &[u32], text: &dyn Fn(usize) -> Option<&'t str>) {
        for (place, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let rank = self.rank(count);
            let is_full = self.rows.len() == self.most;
            if is_full && self.rows.peek().is_some_and(|(last, _)| rank > *last) {
                continue;
            }
            let Some(text) = text(place) else { continue };
            if is_full && self.rows.peek().is_some_and(|(last, known)| (rank, text) > (*last, &**known)) {
                continue;
            }
            if is_full {
                self.rows.pop();
            }
            self.rows.push((rank, Arc::from(text)));
        }
    }

    /// Less for what comes first. It is its own inverse.
    fn rank(&self, count: u32) -> u32 {
        if self.rarest { count } else { u32::MAX - count }
    }

    /// The values with their counts and shares.
    fn table(mut self, name: &str) -> Table {
        let total = self.total - self.missing;
        let rows = std::mem::take(&mut self.rows).into_sorted_vec();
        let counts: Vec<i64> = rows.iter().map(|&(rank, _)| i64::from(self.rank(rank))).collect();
        let percent = |&count: &i64| floats(BinaryOp::Divide, 100.0 * count as f64, total as f64);
        let percents = counts.iter().map(percent).collect();
        let values = rows.into_iter().map(|(_, text)| Cell::Text(text)).collect();
        let mut table = Table::from_columns(vec![(name.to_owned(), Column::of_cells(values))]);
        table.set("count", Column::ints(counts));
        table.set("percent", Column::of_cells(percents));
        table
    }
}
