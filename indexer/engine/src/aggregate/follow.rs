//! Finds where a value occurs: a trace or request id, an address, a user, in every source and every field.

use std::collections::BTreeMap;
use std::sync::Arc;

use ingest::NO_TIME;
use serde::Serialize;

use super::AggregateScope;
use super::bins::first_code;
use super::field::columns;
use crate::Engine;
use crate::exec::{Bitmap, RowSet, SegmentRows, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use store::Snapshot;
use store::{Code, ColumnValues, Segment, SourceEntry, StoredColumn, with_codes};

/// A field of a source that holds the value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Trail {
    pub source: u32,
    /// `raw` for events with the value in their text and in none of their fields.
    pub field: String,
    pub events: u64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub first: Option<i64>,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<base::json::Nanos>"))]
    pub last: Option<i64>,
}

impl Engine {
    /// The sources and fields whose whole value it is; and events that contain it only in their text.
    pub fn follow(&self, snapshot: &Snapshot, value: &str, cancel: &Cancel) -> Result<Vec<Trail>> {
        Self::without_damaged(snapshot, |snapshot| self.follow_of(snapshot, value, cancel))
    }

    fn follow_of(&self, snapshot: &Snapshot, value: &str, cancel: &Cancel) -> Result<Vec<Trail>> {
        let quoted = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        let view = View::parse(&quoted, None, None)?;
        let asked = AggregateScope { case: self, snapshot, view: &view, cancel };
        let mut trails: BTreeMap<(u32, String), Trail> = BTreeMap::new();
        let look = |index: usize| trails_of(&asked, index, value);
        in_order(snapshot.segments.len(), cancel, look, |_, found| {
            for trail in found {
                let key = (trail.source, trail.field.clone());
                trails.entry(key).and_modify(|known| known.absorb(&trail)).or_insert(trail);
            }
            Ok(())
        })?;
        Ok(trails.into_values().collect())
    }
}

impl Trail {
    fn absorb(&mut self, other: &Trail) {
        self.events += other.events;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.into_iter().chain(other.last).max();
    }
}

fn trails_of(asked: &AggregateScope<'_>, index: usize, value: &str) -> Result<Vec<Trail>> {
    let segment = &asked.snapshot.segments[index];
    let all = segment.meta.events as usize;
    let mut held = Bitmap::none(all);
    let mut names: Vec<&str> = segment.meta.fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut trails = Vec::new();
    for name in names {
        let rows = rows_with_value(segment, asked.snapshot.sources(), (name, value), asked.cancel)?;
        if !rows.is_empty() {
            trails.extend(by_source(
                &SegmentRows::new(Arc::clone(segment), RowSet::from_bitmap(rows.clone(), all), 0..all),
                name,
            )?);
            held = held.or(&rows);
        }
    }
    if let Some(part) = asked.part(index)? {
        let mut rest = Bitmap::none(all);
        part.for_each(|row| rest.insert(row as u32));
        let rest = rest.without(&held);
        if !rest.is_empty() {
            trails.extend(by_source(
                &SegmentRows::new(Arc::clone(segment), RowSet::from_bitmap(rest, all), 0..all),
                "raw",
            )?);
        }
    }
    Ok(trails)
}

fn by_source(part: &SegmentRows, field: &str) -> Result<Vec<Trail>> {
    let (times, places) = (part.segment.times()?, part.segment.locations()?);
    let mut found: BTreeMap<u32, Trail> = BTreeMap::new();
    part.for_each(|row| {
        let (source, time) = (places.source(row), times.get(row));
        let time = (time != NO_TIME).then_some(time);
        let trail = Trail { source, field: field.to_owned(), events: 1, first: time, last: time };
        found.entry(source).and_modify(|known| known.absorb(&trail)).or_insert(trail);
    });
    Ok(found.into_values().collect())
}

/// The rows of a segment whose field has a value, given in its displayed form.
pub fn rows_with_value(
    segment: &Segment,
    sources: &[SourceEntry],
    (field, value): (&str, &str),
    cancel: &Cancel,
) -> Result<Bitmap> {
    let mut rows = Bitmap::none(segment.meta.events as usize);
    for column in columns(segment, sources, field, cancel)? {
        let codes = codes_of(&column, value);
        if !codes.is_empty() {
            with_codes!(&column.codes, all => rows = rows.or(&with_any(all, &codes)));
        }
    }
    Ok(rows)
}

fn with_any<C: Code>(all: &[C], codes: &[u64]) -> Bitmap {
    match codes {
        [one] => Bitmap::from_codes(all, |code| code.into() == *one),
        several => Bitmap::from_codes(all, |code| several.binary_search(&code.into()).is_ok()),
    }
}

/// The codes of a column for a value, in order.
fn codes_of(column: &StoredColumn, value: &str) -> Vec<u64> {
    match &column.values {
        ColumnValues::Texts(texts) => texts.places_of(value).map(|place| place as u64 + 1).collect(),
        ColumnValues::Numbers { unit, .. } if unit.is_number() => {
            let Ok(number) = value.parse::<f64>() else { return Vec::new() };
            let code = first_code(column, number);
            // Integers that round to the same float are neighbours.
            let shown = |code: &u64| column.value(*code).is_some_and(|found| found.to_string() == value);
            let near = (code.saturating_sub(1_024)..=code.saturating_add(1_024)).filter(shown);
            near.take(1).collect()
        }
        _ => {
            let shown = |code: &u64| column.value(*code).is_some_and(|found| found.to_string() == value);
            (1..=column.largest).filter(shown).collect()
        }
    }
}
