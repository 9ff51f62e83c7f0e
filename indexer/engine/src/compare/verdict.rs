//! The rest of a comparison besides its rows: the largest of the other changes, and by how much each field can have
//! changed at most.

use std::collections::HashSet;

use serde::Serialize;

use super::cells::Cells;
use super::counts::{Candidate, Counts, FieldCounts, Key};
use super::numbers;
use super::onset;
use super::rhythm;
use super::score::{self, FEWEST, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Comparison, Difference};
use base::error::Result;
use store::Scalar;

/// So many changes of each kind are listed besides the rows, if chance alone explains each with this probability or less.
const OTHERS: usize = 3;
const NOTABLE: f64 = 0.01;

/// Bounds hold for all values of a field at once with 95 %.
const DOUBT: f64 = 0.05;

/// A field is unchanged if no share of its values can differ by more than this part of all events.
const MOST_SHARE: f64 = 0.05;

/// Numbers are unchanged if their p50 can differ by this part of it at most.
const MOST_P50: f64 = 0.1;

/// So many fields with numbers have their p50 read.
const MOST_NUMBERS: usize = 32;

/// What was compared and has no row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Unchanged {
    /// Patterns that occur often enough to be compared, and values of fields.
    pub patterns: usize,
    pub values: usize,
    /// Fields that can have changed only a little.
    pub fields: Vec<FieldChange>,
    /// Fields that have too few events to say so, and no difference above the line either.
    pub unclear: Vec<FieldChange>,
}

/// How much a field changed, and at most can have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldChange {
    pub field: String,
    /// With 95 %: no share of a value differs by more than this part of all events; the p50 of numbers by no more than this
    /// part of that of A. Nothing if there is no bound.
    pub within: Option<f64>,
    /// The value whose share differs most, and its shares; nothing for numbers.
    pub value: Option<(Scalar, [f64; 2])>,
    /// The p50 of numbers on both sides.
    pub p50: Option<[f64; 2]>,
}

impl FieldChange {
    /// In words, without a full stop: `level (no share differs by more than 1.2 points)`.
    #[must_use]
    pub fn text(&self) -> String {
        let bound = self.within.map(|within| upwards(100.0 * within));
        let known = match (&self.p50, &self.value) {
            (Some([a, b]), _) => {
                let within = bound.map_or_else(String::new, |bound| format!(", within ±{bound} %"));
                format!("p50 {} in A, {} in B{within}", rounded(*a), rounded(*b))
            }
            (None, Some((value, [a, b]))) => {
                let within =
                    bound.map_or_else(String::new, |bound| format!("; each share within ±{bound} points"));
                format!("{value}: {:.1} % of A, {:.1} % of B{within}", 100.0 * a, 100.0 * b)
            }
            (None, None) => return self.field.clone(),
        };
        format!("{} ({known})", self.field)
    }
}

/// To a thousandth.
fn rounded(number: f64) -> f64 {
    (1_000.0 * number).round() / 1_000.0
}

/// To a tenth, and never less than it is.
fn upwards(number: f64) -> f64 {
    (10.0 * number).ceil() / 10.0
}

/// The largest changes of patterns and values that no row is about.
pub fn largest(
    sides: &Sides<'_>,
    counts: &Counts,
    known: &HashSet<Key>,
    rows: &[Difference],
) -> Result<Vec<Difference>> {
    let (tests, events) = (counts.tests(), counts.events);
    let limit = score::threshold(tests);
    let mut found: Vec<Candidate> = Vec::new();
    if events.iter().any(|&events| events < FEWEST) {
        return Ok(Vec::new());
    }
    let has_row = |kind: &str| rows.iter().any(|row| row.subject.kind() == kind);
    for (kind, mut of_kind) in [("pattern", counts.pattern_changes()), ("value", counts.value_changes())] {
        of_kind.retain(|(key, _)| !known.contains(key));
        of_kind.sort_by(|(_, one), (_, other)| {
            Rates::new(*other, events).g2().total_cmp(&Rates::new(*one, events).g2())
        });
        let least = usize::from(!has_row(kind));
        let notable =
            of_kind.iter().filter(|(_, counts)| score::p_value(Rates::new(*counts, events).g2()) <= NOTABLE);
        let listed = notable.take(OTHERS).count().max(least);
        let differing = of_kind.into_iter().filter(|(_, counts)| Rates::new(*counts, events).g2() > 1e-9);
        found.extend(differing.take(listed).filter_map(|(key, own)| counts.candidate(key, own)));
    }
    let cells = Cells::count(sides, counts, &found)?;
    let row = |(candidate, buckets): (&mut Candidate, &[Vec<u32>; 2])| {
        let dispersion = rhythm::dispersion(&buckets[0], &counts.rhythms[0].all);
        candidate.set_dispersion(dispersion, events, limit);
        let since = onset::onset([&buckets[0], &buckets[1]], &counts.rhythms, dispersion);
        Difference { since, ..candidate.difference(events, limit, tests) }
    };
    Ok(found.iter_mut().zip(&cells.buckets).map(row).collect())
}

/// The numbers to list besides the rows: those that moved only with other values, and the largest of the others.
pub fn largest_numbers(
    mut others: Vec<Difference>,
    rows: &[Difference],
) -> (Vec<Difference>, Vec<Difference>) {
    let distance = |row: &Difference| row.moved.as_ref().map_or(0.0, |moved| moved.distance);
    let by_chance = |row: &Difference| score::distance_within(NOTABLE, row.counts);
    others.sort_by(|one, other| {
        (distance(other) / by_chance(other)).total_cmp(&(distance(one) / by_chance(one)))
    });
    let has_row = rows.iter().any(|row| row.moved.is_some());
    let (mut listed, mut rest) = (Vec::new(), Vec::new());
    for (place, other) in others.into_iter().enumerate() {
        let is_mix = other.moved.as_ref().is_some_and(|moved| moved.mix.is_some());
        let is_notable = place < OTHERS && distance(&other) > by_chance(&other);
        let is_largest = place == 0 && !has_row && distance(&other) > 0.0;
        if is_mix || is_notable || is_largest { listed.push(other) } else { rest.push(other) }
    }
    (listed, rest)
}

/// By how much the fields that no row names can have changed. `numbers` moved too little for a row.
pub fn unchanged(
    sides: &Sides<'_>,
    counts: &Counts,
    found: &Comparison,
    numbers: &[Difference],
) -> Result<Unchanged> {
    let rows = found.differences.iter().chain(&found.others);
    let also = rows.clone().flat_map(|row| &row.also).map(|also| &also.subject);
    let subjects: Vec<&Subject> = rows
        .map(|row| &row.subject)
        .chain(also)
        .chain(found.only_shares.iter().map(|share| &share.subject))
        .collect();
    let is_named = |field: &str| subjects.iter().any(|subject| subject.names(field));
    let mut all: Vec<(FieldChange, f64)> = Vec::new();
    for field in counts.fields.iter().filter(|field| !is_named(&field.field)) {
        all.push((of_values(field, counts.events), MOST_SHARE));
    }
    for (place, number) in numbers.iter().enumerate() {
        let Subject::Number { field, group: None } = &number.subject else { continue };
        let unread = || FieldChange { field: field.clone(), within: None, value: None, p50: None };
        let change = if place < MOST_NUMBERS { of_numbers(sides, number, field)? } else { unread() };
        all.push((change, MOST_P50));
    }
    let (fields, unclear): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(field, most)| field.within.is_some_and(|within| within <= *most));
    let names = |all: Vec<(FieldChange, f64)>| all.into_iter().map(|(field, _)| field).collect();
    Ok(Unchanged {
        patterns: counts.pattern_changes().len(),
        values: counts.value_changes().len(),
        fields: names(fields),
        unclear: names(unclear),
    })
}

fn of_values(field: &FieldCounts, events: [u64; 2]) -> FieldChange {
    let occurring: Vec<(u32, [u64; 2])> = field.occurring().collect();
    // A value that was not seen is one of them too.
    let limit = score::exceeded_by_chance(DOUBT / (occurring.len() + 1) as f64);
    let rates = |counts: [u64; 2]| Rates::new(counts, events);
    let bounds = occurring.iter().map(|(_, counts)| *counts).chain([[0, 0]]);
    let within = bounds.map(|counts| rates(counts).share_within(limit)).fold(0.0, f64::max);
    let moved = |counts: [u64; 2]| (rates(counts).share(1) - rates(counts).share(0)).abs();
    let most = occurring.iter().max_by(|one, other| moved(one.1).total_cmp(&moved(other.1)));
    let value = most.and_then(|(code, counts)| {
        let value = field.values.values([*code]).pop().flatten()?;
        Some((value, [rates(*counts).share(0), rates(*counts).share(1)]))
    });
    FieldChange { field: field.field.clone(), within: Some(within), value, p50: None }
}

fn of_numbers(sides: &Sides<'_>, number: &Difference, field: &str) -> Result<FieldChange> {
    let views = [0, 1].map(|side| sides.view_with(side, &number.filter));
    let curve = numbers::quantiles(sides, &views, field)?.curve();
    let half = curve.iter().find(|point| point.quantile.total_cmp(&0.5).is_eq());
    let within = half.filter(|half| half.a.abs() > 0.0).and_then(|half| {
        let part = |b: f64| (b / half.a - 1.0).abs();
        Some(part(half.low?).max(part(half.high?)))
    });
    Ok(FieldChange { field: field.to_owned(), within, value: None, p50: half.map(|half| [half.a, half.b]) })
}
