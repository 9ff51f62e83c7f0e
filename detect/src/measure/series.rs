//! A measure over time, by group: a value for each bin, from the engine's aggregates.

use std::collections::BTreeMap;

use indexer::query::Filter;
use indexer::{Cell, Result};

use super::Place;

/// Keys of a group, nothing where an event has no value.
pub type Keys = Vec<Option<String>>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    pub start: i64,
    /// Nothing where the events of the bin have no number to measure.
    pub value: Option<f64>,
    pub events: u64,
    /// The first and last event.
    pub ends: (i64, i64),
}

/// Bins with events, in order, by group.
pub type Series = BTreeMap<Keys, Vec<Bin>>;

/// Asks for a measure in bins of a width.
pub fn series(
    place: &Place<'_>,
    filter: &Filter,
    measure: &str,
    width: i64,
    by: &[String],
) -> Result<Series> {
    let mut names = vec![format!("bin(time, {}ms) as at", (width / 1_000_000).max(1))];
    names.extend(by.iter().map(|name| quoted(name)));
    let text = format!(
        "{filter} | stats {measure} as value, count as events, min(time) as first, max(time) as last by {}",
        names.join(", ")
    );
    let table = place.table(&text)?;
    let column = |name: &str| table.names().iter().position(|known| &**known == name);
    let cell = |row: usize, at: Option<usize>| at.map_or(Cell::Missing, |at| table.cell(row, at));
    let time = |row: usize, name: &str| match cell(row, column(name)) {
        Cell::Time(time) => Some(time),
        _ => None,
    };
    let keys: Vec<Option<usize>> = by.iter().map(|name| column(name)).collect();
    let mut series = Series::new();
    for row in 0..table.rows() {
        // Events without a time are in no bin.
        let (Some(start), Some(first), Some(last)) = (time(row, "at"), time(row, "first"), time(row, "last"))
        else {
            continue;
        };
        let key = |at: &Option<usize>| match cell(row, *at) {
            Cell::Missing => None,
            other => Some(other.to_string()),
        };
        let events = cell(row, column("events")).number().unwrap_or(0.0) as u64;
        let value = cell(row, column("value")).number();
        series.entry(keys.iter().map(key).collect()).or_default().push(Bin {
            start,
            value,
            events,
            ends: (first, last),
        });
    }
    for bins in series.values_mut() {
        bins.sort_by_key(|bin| bin.start);
    }
    Ok(series)
}

/// A name as the language takes it in expressions.
pub fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// Whether a measure counts, so that it is 0 where nothing is.
pub fn is_count(measure: &str) -> bool {
    let name = measure.split('(').next().unwrap_or_default().trim();
    matches!(
        name,
        "count" | "c" | "rate" | "per_second" | "per_minute" | "per_hour" | "sum" | "count_distinct" | "dc"
    )
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
