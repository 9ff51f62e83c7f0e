//! Percentiles of fields whose numbers differ widely, over all rows or by one field: they are selected by the codes of
//! columns, as for charts, and no number is copied.

use std::collections::BTreeSet;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::run::{Run, Scope};
use super::super::stages::stats::StatsPlan;
use super::super::table::Table;
use super::cells::is_dense;
use super::kinds;
use super::sorted::has_ordered_codes;
use crate::aggregate::{Answer, Axis, By, Measure, Request, TermOrder, columns};
use base::FieldKind;
use base::error::{ErrorKind, Result};
use base::limits::TERMS;
use query::functions::Aggregation;
use store::{Scalar, level_of};

/// What one calculation of the stage is in the answer.
enum NumberSource {
    Counts,
    Measured(usize),
}

/// The table of a `stats` of counts and percentiles; nothing where it is calculated in groups. `partial` gets the share
/// of events looked at.
pub fn percentiles(
    stats: &StatsPlan,
    (scope, run): (Scope<'_>, &Run<'_>),
    partial: &mut dyn FnMut(f64),
) -> Result<Option<Table>> {
    let Some(by) = key_of(stats, scope) else { return Ok(None) };
    let Some((measures, sources)) = measures_of(stats, (scope, run))? else { return Ok(None) };
    let request = Request { by, measures };
    let mut report = |_: &Answer, share| partial(share);
    match scope.case.aggregate(scope.snapshot, scope.view, &request, &mut report, &run.cancel) {
        Err(error) if error.kind() == ErrorKind::Limit => Ok(None),
        answer => {
            let answer = answer?;
            let has_others = matches!(answer.axes.first(), Some(Axis::Terms { values, distinct, .. }) if *distinct > values.len() as u64);
            if answer.total == 0 || has_others {
                return Ok(None);
            }
            run.note(notes(stats, &sources, &answer));
            Ok(Some(table(stats, &sources, &answer)))
        }
    }
}

/// The only key, none where all rows are one group; nothing where the groups are of another kind.
fn key_of(stats: &StatsPlan, scope: Scope<'_>) -> Option<Vec<By>> {
    if stats.largest.is_some() || stats.ranked.is_some() {
        return None;
    }
    let [(_, key)] = stats.by.as_slice() else { return stats.by.is_empty().then(Vec::new) };
    let field = key.as_field()?;
    let kinds: BTreeSet<FieldKind> = kinds(field, scope.snapshot).collect();
    let is_of_one_type = kinds.len() == 1 && !kinds.contains(&FieldKind::Float);
    (is_of_one_type || **field == *"level")
        .then(|| vec![By::Terms { field: field.to_string(), top: TERMS, order: TermOrder::Value }])
}

/// The measures, one for each field, and where each calculation finds its values.
fn measures_of(
    stats: &StatsPlan,
    at: (Scope<'_>, &Run<'_>),
) -> Result<Option<(Vec<Measure>, Vec<NumberSource>)>> {
    let mut fields: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut places = Vec::with_capacity(stats.aggregates.len());
    for one in &stats.aggregates {
        let percent = one.function.percentile(one.parameter);
        match (one.argument.as_ref().map(|argument| argument.as_field()), percent) {
            _ if one.condition.is_some() => return Ok(None),
            (None, None) if one.function == Aggregation::Count => places.push(None),
            (Some(Some(field)), Some(percent)) => {
                let place = fields.iter().position(|(known, _)| **known == **field).unwrap_or(fields.len());
                if place == fields.len() {
                    if !are_widely_spread(field, at)? {
                        return Ok(None);
                    }
                    fields.push((field, Vec::new()));
                }
                fields[place].1.push(percent);
                places.push(Some((place, fields[place].1.len() - 1)));
            }
            _ => return Ok(None),
        }
    }
    if fields.is_empty() {
        return Ok(None);
    }
    let firsts: Vec<usize> = fields
        .iter()
        .scan(0, |next, (_, percents)| Some(std::mem::replace(next, *next + percents.len())))
        .collect();
    let source = |place: Option<(usize, usize)>| {
        place.map_or(NumberSource::Counts, |(field, share)| NumberSource::Measured(firsts[field] + share))
    };
    let sources = places.into_iter().map(source).collect();
    let measure = |(field, at): (&str, Vec<f64>)| Measure::Percentiles { field: field.to_owned(), at };
    Ok(Some((fields.into_iter().map(measure).collect(), sources)))
}

/// Whether the numbers of a field are of one type, and too many to count how often each occurs.
fn are_widely_spread(field: &str, (scope, run): (Scope<'_>, &Run<'_>)) -> Result<bool> {
    let kinds: BTreeSet<FieldKind> = kinds(field, scope.snapshot).collect();
    let is_decimal = kinds.iter().eq([&FieldKind::Float]);
    if !is_decimal && !kinds.iter().eq([&FieldKind::Int]) {
        return Ok(false);
    }
    if is_decimal && !has_ordered_codes(field, (scope, run))? {
        return Ok(false);
    }
    for segment in &scope.snapshot.segments {
        let found = columns(segment, scope.snapshot.sources(), field, &run.cancel)?;
        if found.iter().any(|column| !is_dense(column)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A row for each group that has events, ordered by its key.
fn table(stats: &StatsPlan, sources: &[NumberSource], answer: &Answer) -> Table {
    let mut groups: Vec<(Cell, usize)> = match answer.axes.first() {
        Some(Axis::Terms { field, values, .. }) => {
            let keys = values.iter().map(|value| key(field, value));
            // After the values come all others (there are none) and the events without one.
            keys.zip(0..).chain([(Cell::Missing, values.len() + 1)]).collect()
        }
        _ => vec![(Cell::Missing, 0)],
    };
    groups.retain(|&(_, cell)| answer.counts[cell] > 0);
    groups.sort();
    let mut table = Table::of_rows(groups.len());
    if let [(name, _)] = stats.by.as_slice() {
        table.set(name, Column::of_cells(groups.iter().map(|(key, _)| key.clone()).collect()));
    }
    for (one, source) in stats.aggregates.iter().zip(sources) {
        let column = match source {
            NumberSource::Counts => {
                Column::ints(groups.iter().map(|&(_, cell)| answer.counts[cell] as i64).collect())
            }
            NumberSource::Measured(place) => {
                let values = &answer.measured[*place].values;
                Column::of_cells(groups.iter().map(|&(_, cell)| number(values[cell].as_ref())).collect())
            }
        };
        table.set(&one.name, column);
    }
    table
}

pub(super) fn key(field: &str, value: &Scalar) -> Cell {
    match value {
        Scalar::Text(name) if field == "level" => Cell::Level(level_of(name)),
        Scalar::Text(text) => Cell::text(text),
        Scalar::Int(number) => Cell::Int(*number),
        Scalar::Bool(truth) => Cell::Bool(*truth),
        Scalar::Float(number) => Cell::float(*number),
        Scalar::Time(time) => Cell::Time(*time),
    }
}

fn number(value: Option<&Scalar>) -> Cell {
    match value {
        Some(Scalar::Int(number)) => Cell::Int(*number),
        Some(Scalar::Float(number)) => Cell::float(*number),
        _ => Cell::Missing,
    }
}

/// What was passed over, in the words of groups.
fn notes(stats: &StatsPlan, sources: &[NumberSource], answer: &Answer) -> Vec<String> {
    let note = |(one, source): (&super::super::stages::stats::PlannedAggregate, &NumberSource)| match source {
        NumberSource::Measured(place) if answer.measured[*place].missing > 0 => Some(format!(
            "{}: {} of {} rows have no value",
            one.name, answer.measured[*place].missing, answer.total
        )),
        _ => None,
    };
    stats.aggregates.iter().zip(sources).filter_map(note).collect()
}
