//! A measure over time, by group: a value for each bin, from the engine's aggregates.

use std::collections::BTreeMap;

use indexer::query::functions::Aggregation;
use indexer::{Cell, Result, Table};

use super::CheckScope;
use super::reads::Grouping;
use crate::evidence::alternatives;

/// Keys of a group, nothing where an event has no value.
pub type Keys = Vec<Option<String>>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    pub start: i64,
    /// Nothing where the events of the bin have no number to measure.
    pub value: Option<f64>,
    pub events: u64,
    /// The first and last event, where they were asked for; else the start.
    pub ends: (i64, i64),
}

/// Bins with events, in order, by group.
pub type Series = BTreeMap<Keys, Vec<Bin>>;

/// Asks for a measure of groups of events.
pub fn series(scope: &CheckScope<'_>, grouping: &Grouping, measure: &str) -> Result<Series> {
    let table = scope.table(&query_text(grouping, &[measure]))?;
    Ok(of_table(&table, grouping, 1).pop().unwrap_or_default())
}

/// A query for measures of groups of events.
pub fn query_text(grouping: &Grouping, measures: &[&str]) -> String {
    let mut names = vec![format!("bin(time, {}ms) as at", (grouping.width / 1_000_000).max(1))];
    let keys = grouping.by.iter().zip(0..);
    names.extend(keys.map(|(key, place)| format!("{} as {}", key_expression(key), key_name(place))));
    let values = measures.iter().enumerate().map(|(place, measure)| format!("{measure} as {}", value(place)));
    let ends = ["min(time) as first", "max(time) as last"].map(str::to_owned);
    let ends = ends.into_iter().filter(|_| grouping.with_ends);
    let calculated: Vec<String> = values.chain(["count as events".to_owned()]).chain(ends).collect();
    format!("{} | stats {} by {}", grouping.filter, calculated.join(", "), names.join(", "))
}

/// The column of a measure.
fn value(place: usize) -> String {
    format!("value{place}")
}

/// The answer to such a query: the bins of each of its measures.
pub fn of_table(table: &Table, grouping: &Grouping, measures: usize) -> Vec<Series> {
    let column = |name: &str| table.names().iter().position(|known| &**known == name);
    let cell = |row: usize, at: Option<usize>| at.map_or(Cell::Missing, |at| table.cell(row, at));
    let (at, events) = (column("at"), column("events"));
    let (first, last) = (column("first"), column("last"));
    let keys: Vec<Option<usize>> = (0..grouping.by.len()).map(|place| column(&key_name(place))).collect();
    let values: Vec<Option<usize>> = (0..measures).map(|place| column(&value(place))).collect();
    let mut all = vec![Series::new(); measures];
    for row in 0..table.rows() {
        // Events without a time are in no bin.
        let Cell::Time(start) = cell(row, at) else { continue };
        let ends = match (cell(row, first), cell(row, last)) {
            (Cell::Time(first), Cell::Time(last)) if grouping.with_ends => (first, last),
            _ => (start, start),
        };
        let key = |at: &Option<usize>| match cell(row, *at) {
            Cell::Missing => None,
            other => Some(other.to_string()),
        };
        let keys: Keys = keys.iter().map(key).collect();
        let events = cell(row, events).number().unwrap_or(0.0) as u64;
        for (series, &at) in all.iter_mut().zip(&values) {
            let bin = Bin { start, value: cell(row, at).number(), events, ends };
            match series.get_mut(&keys) {
                Some(bins) => bins.push(bin),
                None => {
                    series.insert(keys.clone(), vec![bin]);
                }
            }
        }
    }
    for bins in all.iter_mut().flat_map(BTreeMap::values_mut) {
        bins.sort_by_key(|bin| bin.start);
    }
    all
}

/// The column of a key.
pub fn key_name(place: usize) -> String {
    format!("key{place}")
}

/// A key as the language takes it in expressions.
pub fn key_expression(key: &str) -> String {
    let mut names: Vec<String> = alternatives(key).map(|name| format!("`{name}`")).collect();
    match names.len() {
        1 => names.remove(0),
        _ => format!("coalesce({})", names.join(", ")),
    }
}

/// Whether a measure counts, so that it is 0 where nothing is.
pub fn is_count(measure: &str) -> bool {
    function_of(measure)
        .is_some_and(|function| function.is_zero_without_rows() || function == Aggregation::Sum)
}

/// Whether a measure has whole numbers alone.
pub fn is_whole(measure: &str) -> bool {
    function_of(measure).is_some_and(Aggregation::is_count)
}

fn function_of(measure: &str) -> Option<Aggregation> {
    let name = measure.split('(').next().unwrap_or_default().trim();
    Aggregation::with_parameter(name).map(|(function, _)| function)
}

/// The bins of a range with those that have no events; of a count they are 0.
pub fn filled(bins: &[Bin], width: i64, (first, last): (i64, i64), zeros: bool) -> Vec<Bin> {
    const MOST: i64 = 5_000_000;
    let Some(base) = bins.first().map(|bin| bin.start) else { return Vec::new() };
    let width = width.max(1);
    let begin = base - (base - first.min(base) + width - 1) / width * width;
    let begin = if begin + width <= first { begin + width } else { begin };
    if (last - begin) / width > MOST {
        return bins.to_vec();
    }
    let empty = |start: i64| Bin { start, value: zeros.then_some(0.0), events: 0, ends: (start, start) };
    let mut all = Vec::new();
    let mut known = bins.iter().peekable();
    let mut at = begin;
    while at <= last {
        match known.next_if(|bin| bin.start == at) {
            Some(bin) => all.push(*bin),
            None => all.push(empty(at)),
        }
        at += width;
    }
    all
}
