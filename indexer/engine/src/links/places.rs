//! Collects the values of fields, and of words in messages, that can be ids, each with when it occurs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::tokens;
use crate::Engine;
use crate::exec::{SegmentRows, in_order};
use crate::view::View;
use base::error::{Error, Result};
use base::hash::{Fast, hash};
use base::limits::{MOST_LINK_PLACES, MOST_LINK_VALUES};
use base::{Cancel, FieldKind};
use ingest::NO_TIME;
use patterns::Message;
use store::{ColumnValues, MESSAGES, Messages, Segment, Snapshot, StoredColumn, with_codes};

/// Values of one place have the same hash in all cases, so that a sample of them is the same sample everywhere.
const SEED: u64 = 0x4C49_4E4B;

/// Rows between two looks at whether the question was cancelled.
const CANCEL_ROWS: usize = 1 << 16;

/// Where in an event a value is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "name")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Spot {
    Field(String),
    /// After this word of the message; empty where no word is before it.
    After(String),
}

impl Spot {
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Spot::Field(name) | Spot::After(name) => name,
        }
    }
}

/// When a value occurs at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub first: i64,
    pub last: i64,
    pub events: u32,
    /// A row that has it: the place of the segment in the snapshot, and the row.
    pub example: (u32, u32),
}

/// The values of one place of one series of sources.
#[derive(Clone, Debug)]
pub struct SpotValues {
    /// The number of the series: a source, or the files of a rotated set.
    pub series: u32,
    pub spot: Spot,
    /// By the hash of the value.
    pub values: HashMap<u64, Seen, Fast>,
    pub numbers: u32,
    pub least: i64,
    pub most: i64,
}

/// All places of a case.
pub struct Places {
    /// The series of each source.
    pub series: Vec<u32>,
    pub all: Vec<SpotValues>,
    /// Only values whose hash is no larger were kept: all of them, if it is the largest.
    pub threshold: u64,
}

type IdMatch = HashMap<(u32, Spot), SpotValues, Fast>;

impl Places {
    /// Those of all events, or of the events of some views. `progress` is called with the share of the events that were read.
    pub fn collect(
        engine: &Engine,
        snapshot: &Snapshot,
        views: Option<&[View]>,
        progress: &mut dyn FnMut(f64),
        cancel: &Cancel,
    ) -> Result<Places> {
        let series = series_of(snapshot);
        let threshold = AtomicU64::new(u64::MAX);
        let mut found = IdMatch::default();
        let segments = snapshot.segments.len();
        let total = segments * views.map_or(1, <[View]>::len);
        let work = |nth: usize| {
            let index = nth % segments;
            let part = match views {
                Some(views) => match engine.part(snapshot, index, &views[nth / segments], cancel)? {
                    Some(part) => Some(part),
                    None => return Ok(IdMatch::default()),
                },
                None => None,
            };
            let segment = &snapshot.segments[index];
            let read = SegmentReader { engine, segment, index: index as u32, series: &series };
            read.places(part.as_ref(), &threshold, cancel)
        };
        in_order(total, cancel, work, |index, part| {
            absorb(&mut found, part, &threshold);
            progress((index + 1) as f64 / total as f64);
            Ok(())
        })?;
        let threshold = threshold.into_inner();
        let mut places: Vec<SpotValues> = found.into_values().collect();
        for place in &mut places {
            place.values.retain(|&hash, _| hash <= threshold);
        }
        // Of messages with any number of words the most frequent ones are kept.
        places.sort_by(|one, other| {
            (other.values.len(), &one.spot, one.series).cmp(&(one.values.len(), &other.spot, other.series))
        });
        places.truncate(MOST_LINK_PLACES);
        Ok(Places { series, all: places, threshold })
    }

    /// The share of values that was kept.
    pub fn share(&self) -> f64 {
        self.threshold as f64 / u64::MAX as f64
    }
}

/// The files of a rotated set are one series, named by the first of them; of other sources each is its own.
pub fn series_of(snapshot: &Snapshot) -> Vec<u32> {
    let mut first: HashMap<&str, u32> = HashMap::new();
    let numbered = (0..).zip(snapshot.sources());
    numbered
        .map(|(source, entry)| match &entry.set {
            Some(set) => *first.entry(set).or_insert(source),
            None => source,
        })
        .collect()
}

fn absorb(found: &mut IdMatch, part: IdMatch, threshold: &AtomicU64) {
    for (key, place) in part {
        match found.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(place)),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                let limit = threshold.load(Ordering::Relaxed);
                for (hash, seen) in place.values.into_iter().filter(|(hash, _)| *hash <= limit) {
                    known.values.entry(hash).and_modify(|known| known.absorb(seen)).or_insert(seen);
                }
                known.numbers = known.numbers.saturating_add(place.numbers);
                known.least = known.least.min(place.least);
                known.most = known.most.max(place.most);
                known.thin(threshold);
            }
        }
    }
}

impl Seen {
    fn absorb(&mut self, other: Seen) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.events = self.events.saturating_add(other.events);
    }
}

impl SpotValues {
    fn new(series: u32, spot: Spot) -> SpotValues {
        SpotValues { series, spot, values: HashMap::default(), numbers: 0, least: i64::MAX, most: i64::MIN }
    }

    /// Halves the sample of every place until this one holds no more than the limit.
    fn thin(&mut self, threshold: &AtomicU64) {
        while self.values.len() > MOST_LINK_VALUES {
            let limit = threshold.load(Ordering::Relaxed) / 2;
            threshold.fetch_min(limit, Ordering::Relaxed);
            self.values.retain(|&hash, _| hash <= limit);
        }
    }

    fn add(&mut self, value: IdValue, time: i64, example: (u32, u32)) {
        if let Some(number) = value.number {
            self.numbers = self.numbers.saturating_add(1);
            self.least = self.least.min(number);
            self.most = self.most.max(number);
        }
        let seen = Seen { first: time, last: time, events: 1, example };
        self.values.entry(value.hash).and_modify(|known| known.absorb(seen)).or_insert(seen);
    }
}

#[derive(Clone, Copy, Debug)]
pub struct IdValue {
    pub hash: u64,
    number: Option<i64>,
}

impl IdValue {
    /// Letters are compared without their case.
    pub fn new(text: &[u8]) -> IdValue {
        let number = || std::str::from_utf8(text).ok()?.parse::<i64>().ok();
        let number = if text.len() < 20 { number() } else { None };
        let hash = if text.iter().any(u8::is_ascii_uppercase) {
            hash(SEED, &text.to_ascii_lowercase())
        } else {
            hash(SEED, text)
        };
        IdValue { hash, number }
    }
}

/// Reads the values of one segment.
pub struct SegmentReader<'a> {
    pub engine: &'a Engine,
    pub segment: &'a Segment,
    pub index: u32,
    pub series: &'a [u32],
}

impl SegmentReader<'_> {
    /// Of all rows, or of some.
    fn places(&self, part: Option<&SegmentRows>, threshold: &AtomicU64, cancel: &Cancel) -> Result<IdMatch> {
        let rows: Vec<u32> = match part {
            Some(part) => {
                let mut rows = Vec::with_capacity(part.len());
                part.for_each(|row| rows.push(row as u32));
                rows
            }
            None => (0..self.segment.meta.events as u32).collect(),
        };
        let mut found = IdMatch::default();
        for field in &self.segment.meta.fields {
            let is_id = matches!(field.kind, FieldKind::Text | FieldKind::Int);
            if is_id && !MESSAGES.contains(&&*field.name) {
                self.field(&mut found, (&field.name, &field.column), &rows, threshold, cancel)?;
            }
        }
        self.messages(&mut found, &rows, threshold, cancel)?;
        Ok(found)
    }

    fn field(
        &self,
        found: &mut IdMatch,
        (name, column): (&str, &str),
        rows: &[u32],
        threshold: &AtomicU64,
        cancel: &Cancel,
    ) -> Result<()> {
        check(cancel)?;
        let is_whole = rows.len() == self.segment.meta.events as usize;
        let column =
            if is_whole { self.coded(column, cancel)? } else { self.segment.packed_field(column, cancel)? };
        let (times, places) = (self.segment.times()?, self.segment.locations()?);
        // Of a few rows among many values, each is read where it occurs.
        let is_dense = column.largest <= rows.len() as u64 * 2 + 64;
        let mut known: Vec<Option<Option<IdValue>>> =
            vec![None; if is_dense { column.largest as usize + 1 } else { 0 }];
        let mut last: Option<(u32, SpotValues)> = None;
        with_codes!(&column.codes, codes => {
            for row in rows.iter().map(|&row| row as usize) {
                let (code, time) = (u64::from(codes[row]), times.get(row));
                if code == 0 || time == NO_TIME {
                    continue;
                }
                let value = match known.get_mut(code as usize) {
                    Some(known) => *known.get_or_insert_with(|| value_of(&column, code)),
                    None => value_of(&column, code),
                };
                let Some(value) = value.filter(|value| value.hash <= threshold.load(Ordering::Relaxed)) else {
                    continue;
                };
                let series = self.series[places.source(row) as usize];
                if last.as_ref().is_none_or(|(known, _)| *known != series) {
                    put_back(found, last.take());
                    let place = found.remove(&(series, Spot::Field(name.to_owned())));
                    last = Some((series, place.unwrap_or_else(|| SpotValues::new(series, Spot::Field(name.to_owned())))));
                }
                if let Some((_, place)) = &mut last {
                    place.add(value, time, (self.index, row as u32));
                }
            }
        });
        put_back(found, last);
        Ok(())
    }

    fn messages(
        &self,
        found: &mut IdMatch,
        rows: &[u32],
        threshold: &AtomicU64,
        cancel: &Cancel,
    ) -> Result<()> {
        let (times, places) = (self.segment.times()?, self.segment.locations()?);
        let mut words: HashMap<(u32, Vec<u8>), SpotValues, Fast> = HashMap::default();
        let mut cursor = self.engine.raw_cursor();
        let messages = Messages::load(self.segment, cancel)?;
        for (nth, &row) in rows.iter().enumerate() {
            if nth.is_multiple_of(CANCEL_ROWS) {
                check(cancel)?;
            }
            let time = times.get(row as usize);
            if time == NO_TIME {
                continue;
            }
            let series = self.series[places.source(row as usize) as usize];
            let example = (self.index, row);
            messages.for_each(self.segment, &mut cursor, std::iter::once(row), |_, message| {
                each_named(message, |word, value| {
                    let value = IdValue::new(value);
                    if value.hash > threshold.load(Ordering::Relaxed) {
                        return;
                    }
                    let key = (series, word.to_ascii_lowercase());
                    let place = words.entry(key).or_insert_with_key(|(series, word)| {
                        SpotValues::new(*series, Spot::After(String::from_utf8_lossy(word).into_owned()))
                    });
                    place.add(value, time, example);
                });
                Ok(())
            })?;
        }
        for place in words.into_values() {
            found.insert((place.series, place.spot.clone()), place);
        }
        for place in found.values_mut() {
            place.thin(threshold);
        }
        Ok(())
    }

    /// A column with a code for each distinct value.
    fn coded(&self, column: &str, cancel: &Cancel) -> Result<Arc<StoredColumn>> {
        let packed = self.segment.packed_field(column, cancel)?;
        let is_sparse = matches!(packed.values, ColumnValues::Numbers { .. })
            && packed.largest > packed.rows() as u64 * 2 + 64;
        Ok(if is_sparse { Arc::new(packed.recoded()) } else { packed })
    }

    /// The value of a row that has this hash, as it is written.
    pub fn written(&self, spot: &Spot, hash: u64, row: u32, cancel: &Cancel) -> Result<Option<String>> {
        match spot {
            Spot::Field(name) => {
                for field in self.segment.meta.fields.iter().filter(|field| field.name == *name) {
                    let column = self.coded(&field.column, cancel)?;
                    let code = column.codes.get(row as usize);
                    let text = column.value(code).map(|value| value.to_string());
                    if let Some(text) = text.filter(|text| IdValue::new(text.as_bytes()).hash == hash) {
                        return Ok(Some(text));
                    }
                }
                Ok(None)
            }
            Spot::After(_) => {
                let mut found = None;
                let messages = Messages::load(self.segment, cancel)?;
                let mut cursor = self.engine.raw_cursor();
                messages.for_each(self.segment, &mut cursor, std::iter::once(row), |_, message| {
                    each_named(message, |_, value| {
                        if IdValue::new(value).hash == hash {
                            found = Some(String::from_utf8_lossy(value).into_owned());
                        }
                    });
                    Ok::<(), Error>(())
                })?;
                Ok(found)
            }
        }
    }
}

fn check(cancel: &Cancel) -> Result<()> {
    if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
}

fn put_back(found: &mut IdMatch, place: Option<(u32, SpotValues)>) {
    if let Some((series, place)) = place {
        found.insert((series, place.spot.clone()), place);
    }
}

/// The value of a code, if it can name one thing among many.
fn value_of(column: &StoredColumn, code: u64) -> Option<IdValue> {
    if let ColumnValues::Texts(texts) = &column.values {
        let text = texts.get(code as usize - 1)?.as_bytes();
        let is_id =
            (tokens::LEAST_BYTES..=tokens::MOST_BYTES).contains(&text.len()) && !tokens::has_space(text);
        return is_id.then(|| IdValue::new(text));
    }
    let text = column.value(code)?.to_string();
    tokens::is_id(text.as_bytes()).then(|| IdValue::new(text.as_bytes()))
}

/// Calls `each` with the word before a value and the value, for each value of a message that can be an id.
pub fn each_named(message: Message<'_>, mut each: impl FnMut(&[u8], &[u8])) {
    match message {
        Message::Field(text) | Message::Event(text) => tokens::each_value(text, &mut each),
        Message::Request { path, .. } => tokens::each_value(path, &mut each),
    }
}
