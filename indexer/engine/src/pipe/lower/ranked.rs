//! `top` and `rare` of one field of texts: values are counted by codes that all segments share, and only those that
//! are among the first are made.

use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::floats;
use super::super::run::{Run, Scope};
use super::super::stages::stats::{Ranked, StatsPlan};
use super::super::table::Table;
use super::kinds;
use crate::aggregate::{AggregateScope, TermCounts, coded};
use crate::exec::in_order;
use base::FieldKind;
use base::error::{ErrorKind, Result};
use base::limits::{PIPE_ROWS, SHARED_VALUE_BYTES};
use query::BinaryOp;
use store::{ColumnValues, Scalar};

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
    let bytes = bytes_of_values(field, scope, run)?;
    if bytes > run.budget.left() {
        return Ok(None);
    }
    run.budget.take(stats.stage, bytes)?;
    let (case, snapshot, view) = (scope.case, scope.snapshot, scope.view);
    let asked = AggregateScope { case, snapshot, view, cancel: &run.cancel };
    let mut report = |counted: &TermCounts, share| partial(&table(name, counted, ranked), share);
    let counted = TermCounts::count_with_partials(&asked, field, &mut report);
    run.budget.give_back(bytes);
    let counted = match counted {
        Err(error) if error.kind() == ErrorKind::Limit => return Ok(None),
        counted => counted?,
    };
    if counted.missing() > 0 {
        run.note(vec![format!("{} rows have no value and are left out", counted.missing())]);
    }
    Ok(Some(table(name, &counted, ranked)))
}

/// Whether a field has values of one type, which is text: codes of all segments do not separate types.
fn are_texts(field: &str, scope: Scope<'_>) -> bool {
    let mut kinds = kinds(field, scope.snapshot).peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == FieldKind::Text)
}

/// No less than what the different values of a field take.
fn bytes_of_values(field: &str, scope: Scope<'_>, run: &Run<'_>) -> Result<usize> {
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

/// The first values with their counts and shares.
fn table(name: &str, counted: &TermCounts, ranked: &Ranked) -> Table {
    let rank = |count: u32| if ranked.rarest { count } else { u32::MAX - count };
    let occurring = (1..).zip(&counted.counts[1..]).filter(|(_, count)| **count > 0);
    let mut first: Vec<(u32, u32)> = occurring.map(|(code, &count)| (rank(count), code)).collect();
    let total = counted.total - counted.missing();
    if first.len() > ranked.count {
        let (_, &mut (last, _), _) = first.select_nth_unstable(ranked.count - 1);
        // Values that occur as often as the last one are ordered by value.
        first.retain(|&(rank, _)| rank <= last);
    }
    let values = counted.values.values(first.iter().map(|&(_, code)| code));
    let text = |value: Option<Scalar>| match value {
        Some(Scalar::Text(text)) => Arc::from(text),
        _ => Arc::from(""),
    };
    let values = values.into_iter().map(text);
    let mut rows: Vec<(u32, Arc<str>)> = first.iter().map(|&(rank, _)| rank).zip(values).collect();
    rows.sort_unstable();
    rows.truncate(ranked.count);
    let counts: Vec<i64> = rows.iter().map(|&(place, _)| i64::from(rank(place))).collect();
    let percent = |&count: &i64| floats(BinaryOp::Divide, 100.0 * count as f64, total as f64);
    let percents = counts.iter().map(percent).collect();
    let values = rows.into_iter().map(|(_, text)| Cell::Text(text)).collect();
    let mut table = Table::from_columns(vec![(name.to_owned(), Column::of_cells(values))]);
    table.set("count", Column::ints(counts));
    table.set("percent", Column::of_cells(percents));
    table
}
