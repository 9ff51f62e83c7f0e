//! The first events in the order of a field of numbers, which are found by counting instead of sorting. Of several keys, the
//! first is counted, and rows are read only of events that can be among the first.

use std::collections::{BTreeSet, HashMap};

use super::super::cell::Cell;
use super::super::column::Picked;
use super::super::run::{Run, Scope};
use super::super::source::{ColumnRequest, Reader};
use super::super::stages::sort::SortExpression;
use super::super::table::EventRef;
use super::kinds;
use crate::aggregate::{AggregateScope, columns};
use crate::pages::{SortBy, positions};
use crate::view::View;
use base::FieldKind;
use base::error::Result;
use base::limits::PAGE_ROWS;
use query::{Filter, Op, Span, Test};
use store::{ColumnValues, Unit};

/// With so few matching events, and so small a share of all, their rows are read sooner than the codes of all segments
/// are brought into one order: 2 ms instead of 6 over five million events.
const FEW_EVENTS: u64 = 1 << 13;
const SMALL_SHARE: u64 = 64;

/// Events are narrowed to those that can be among the first where that leaves one in so many at most: of a key with few
/// values, such as a status, most events have the first one.
const WORTH_NARROWING: usize = 4;

/// The first events in the order of a key; nothing where rows have to be read.
pub fn sorted(
    keys: &[SortExpression],
    first: usize,
    around: (Scope<'_>, &Run<'_>),
) -> Result<Option<Vec<EventRef>>> {
    let ([key], true) = (keys, first <= PAGE_ROWS) else { return Ok(None) };
    let Some(sort) = countable(key, around)? else { return Ok(None) };
    ranked(&sort, 0, first, around).map(Some)
}

/// Where several keys are compared, the events that can be among the first: those whose first key is at least the one at
/// the last place. Nothing where that is not known by counting, or where all of them can.
pub fn narrowed(
    keys: &[SortExpression],
    first: usize,
    around: (Scope<'_>, &Run<'_>),
) -> Result<Option<View>> {
    let ([key, _, ..], 1..=PAGE_ROWS) = (keys, first) else { return Ok(None) };
    let Some(sort) = countable(key, around)? else { return Ok(None) };
    let (scope, run) = around;
    let last = ranked(&sort, first - 1, 1, around)?;
    let [last] = last.as_slice() else { return Ok(None) };
    let wanted = ColumnRequest { columns: vec![sort.field.as_str().into()], refs: false };
    let mut reader = Reader::of_few(scope.snapshot, &wanted, scope.case);
    let value = match reader.table(last.segment, &Picked::Some(&[last.row]), run)?.cell(0, 0) {
        Cell::Int(value) => value.to_string(),
        Cell::Float(value) => value.to_string(),
        // Missing values come last.
        _ => return Ok(None),
    };
    let op = if sort.descending { Op::GreaterOrEqual } else { Op::LessOrEqual };
    let clause = Filter::Field { field: sort.field, test: Test::Compare(op, value), span: Span::default() };
    let clause = scope.case.resolved(scope.snapshot, &View { filter: clause, from: None, to: None })?.filter;
    let filter = match &scope.view.filter {
        Filter::Everything => clause,
        filter => Filter::And(vec![filter.clone(), clause]),
    };
    let view = View { filter, ..scope.view.clone() };
    let [matching, left] =
        [scope.view, &view].map(|view| scope.case.count(scope.snapshot, view, &run.cancel));
    Ok((left? * WORTH_NARROWING <= matching?).then_some(view))
}

/// The order of a key, if events are found in it by counting: not where few events match, nor for values of several types,
/// which compare differently in pages.
fn countable(
    (key, descending): &SortExpression,
    (scope, run): (Scope<'_>, &Run<'_>),
) -> Result<Option<SortBy>> {
    let Some(field) = key.as_field().filter(|_| !run.by_rows) else { return Ok(None) };
    let (case, snapshot, view) = (scope.case, scope.snapshot, scope.view);
    let kinds: BTreeSet<FieldKind> = kinds(field, snapshot).collect();
    let is_decimal = kinds.iter().eq([&FieldKind::Float]);
    if !is_decimal && !kinds.iter().eq([&FieldKind::Int]) && **field != *"line" {
        return Ok(None);
    }
    let matching = case.count(snapshot, view, &run.cancel)? as u64;
    let are_few = matching <= FEW_EVENTS && matching.saturating_mul(SMALL_SHARE) <= snapshot.events();
    if are_few || is_decimal && !has_ordered_codes(field, (scope, run))? {
        return Ok(None);
    }
    Ok(Some(SortBy { field: field.to_string(), descending: *descending }))
}

/// The events at so many places of an order, from a first one on.
fn ranked(
    sort: &SortBy,
    first: usize,
    count: usize,
    (scope, run): (Scope<'_>, &Run<'_>),
) -> Result<Vec<EventRef>> {
    let Scope { case, snapshot, view } = scope;
    let asked = AggregateScope { case, snapshot, view, cancel: &run.cancel };
    let (found, _) = positions(&asked, sort, first, count)?;
    let segments = snapshot.segments.iter().zip(0..).map(|(segment, index)| (segment.meta.id, index));
    let segments: HashMap<u64, u32> = segments.collect();
    let event = |position: &crate::exec::Position| {
        let segment = *segments.get(&position.segment.meta.id)?;
        Some(EventRef { segment, row: position.row as u32 })
    };
    Ok(found.iter().filter_map(event).collect())
}

/// True if the codes of a field of floats compare as the numbers do in every segment. Floats that are kept by their bits
/// have two zeros, which are equal in pipes.
pub fn has_ordered_codes(field: &str, (scope, run): (Scope<'_>, &Run<'_>)) -> Result<bool> {
    for segment in &scope.snapshot.segments {
        for column in columns(segment, scope.snapshot.sources(), field, &run.cancel)? {
            if !matches!(
                column.values,
                ColumnValues::Numbers { unit: Unit::Decimals(_), .. }
                    | ColumnValues::Sparse { unit: Unit::Decimals(_), .. }
            ) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
