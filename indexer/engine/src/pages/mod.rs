//! What a list of events shows: counts, timelines, pages in any order, single events, and their surroundings.

mod context;
mod event_walk;
mod events;
mod evidence;
mod marks;
mod relevance;
mod sorted;

pub use context::{Around, Context};
pub use event_walk::Walk;
pub use events::Shown;
pub use evidence::Evidence;
pub use marks::{Seek, Strip};
pub use sorted::{SortBy, positions};

use std::collections::HashSet;

use std::sync::Arc;
use std::time::Instant;

use ingest::{Encoding, Level, TextDecoder};
use serde::Serialize;
use serde_json::Value;

use crate::Engine;
use crate::aggregate::timeline::SegmentCounts;
pub use crate::aggregate::timeline::Timeline;
pub use crate::exec::Direction;
use crate::exec::{KeptFilter, Position, RowSet, SegmentQuery, SegmentRows, Selection, in_order, select_set};
use crate::notes::states_of;
use crate::view::{View, range};
use base::error::{Error, ErrorKind, Result};
use base::hash::hash;
use base::limits::{PAGE_ROWS, PARTIAL_EVERY, TIMELINE_BUCKETS};
use base::{Cancel, FieldKind};
use query::{self, Filter, nearest};
use store::Snapshot;
use store::{RawCursor, Segment, SegmentField};

/// An event as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub source: u32,
    pub offset: u64,
    pub time: i64,
    pub level: Level,
    pub line: u64,
    /// The displayed text, up to about the requested length.
    pub text: String,
    /// Whether there is more of it.
    pub cut: bool,
    /// Its bytes without the line end, up to the requested length.
    pub raw: Vec<u8>,
    pub encoding: Encoding,
    /// Its whole length in bytes.
    pub length: u32,
    /// The values of the requested columns.
    pub values: Vec<Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldValue {
    pub name: String,
    pub value: String,
    pub kind: FieldKind,
}

impl FieldValue {
    /// The value as JSON of its type; as text where it is none of that.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let read = match self.kind {
            FieldKind::Text => None,
            FieldKind::Int => self.value.parse::<i64>().ok().map(Value::from),
            FieldKind::Float => self.value.parse::<f64>().ok().map(Value::from),
            FieldKind::Bool => self.value.parse::<bool>().ok().map(Value::from),
        };
        read.unwrap_or_else(|| self.value.as_str().into())
    }
}

#[derive(Clone, Debug)]
pub struct Page {
    pub total: usize,
    pub events: Vec<Event>,
}

impl Engine {
    /// Counts over time. `partial` is called with the current counts and the share of the events done.
    pub fn timeline(
        &self,
        snapshot: &Snapshot,
        view: &View,
        buckets: usize,
        partial: &mut dyn FnMut(&Timeline, f64),
        cancel: &Cancel,
    ) -> Result<Timeline> {
        Self::without_damaged(snapshot, |snapshot| {
            let empty = match range(snapshot, view) {
                Some((first, last)) => Timeline::over(first, last, buckets.clamp(1, TIMELINE_BUCKETS)),
                None => Timeline::empty(),
            };
            self.timeline_of(snapshot, view, &empty, partial, cancel)
        })
    }

    /// Counts in these bins, which are those of events from elsewhere too.
    pub fn timeline_in(
        &self,
        snapshot: &Snapshot,
        view: &View,
        empty: &Timeline,
        partial: &mut dyn FnMut(&Timeline, f64),
        cancel: &Cancel,
    ) -> Result<Timeline> {
        Self::without_damaged(snapshot, |snapshot| self.timeline_of(snapshot, view, empty, partial, cancel))
    }

    fn timeline_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        empty: &Timeline,
        partial: &mut dyn FnMut(&Timeline, f64),
        cancel: &Cancel,
    ) -> Result<Timeline> {
        let view = &self.resolved(snapshot, view)?;
        let edges = empty.edges();
        let mut timeline = empty.clone();
        let mut last_partial = Instant::now();
        let count = |index: usize| -> Result<Option<SegmentCounts>> {
            let segment = &snapshot.segments[index];
            if view.holds_all_of(&segment.meta) && segment.meta.rollup.divides(empty.width_ns) {
                let unbounded = view.from.is_none() && view.to.is_none();
                let untimed = if unbounded { segment.meta.untimed } else { 0 };
                return Ok(Some(SegmentCounts::from_rollup(&segment.meta.rollup, untimed, empty)));
            }
            let Some(part) = self.part(snapshot, index, view, cancel)? else { return Ok(None) };
            SegmentCounts::from_rows(&part, &edges).map(Some)
        };
        let mut seen = 0;
        in_order(snapshot.segments.len(), cancel, count, |index, counts| {
            if let Some(counts) = counts {
                timeline.add(&counts);
            }
            seen += snapshot.segments[index].meta.events;
            if last_partial.elapsed() >= PARTIAL_EVERY && index + 1 < snapshot.segments.len() {
                last_partial = Instant::now();
                partial(&timeline, seen as f64 / snapshot.events().max(1) as f64);
            }
            Ok(())
        })?;
        Ok(timeline)
    }

    /// Rows `first..first + count` of the sorted result. Events without a time come last.
    pub fn page(
        &self,
        snapshot: &Snapshot,
        view: &View,
        direction: Direction,
        (first, count): (usize, usize),
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Page> {
        Self::without_damaged(snapshot, |snapshot| {
            let selection = self.selection(snapshot, view, cancel)?;
            let positions = selection.rows(direction, first, count.min(PAGE_ROWS))?;
            Ok(Page { total: selection.len(), events: self.events_at(snapshot, &positions, shown, cancel)? })
        })
    }

    /// The rank of the first event at or past a time, in this direction.
    pub fn locate(
        &self,
        snapshot: &Snapshot,
        view: &View,
        direction: Direction,
        time: i64,
        cancel: &Cancel,
    ) -> Result<usize> {
        Self::without_damaged(snapshot, |snapshot| {
            let selection = self.selection(snapshot, view, cancel)?;
            Ok(match direction {
                Direction::OldestFirst => selection.rows_before(direction, (time, 0, 0))?,
                Direction::NewestFirst => selection.len() - selection.before(time.saturating_add(1))?,
            })
        })
    }

    pub fn count(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<usize> {
        Self::without_damaged(snapshot, |snapshot| Ok(self.selection(snapshot, view, cancel)?.len()))
    }

    /// One event by its source and offset, with its fields.
    pub fn event(
        &self,
        snapshot: &Snapshot,
        source: u32,
        offset: u64,
        cut: usize,
    ) -> Result<(Event, Vec<FieldValue>)> {
        let unknown =
            || Error::new(ErrorKind::NotFound, format!("source {source} has no event at byte {offset}"));
        let position = find(snapshot, source, offset)?.ok_or_else(unknown)?;
        let event = self.event_at(&position, &mut self.raw_cursor(), cut)?;
        Ok((event, shown_fields(position.segment.row_fields(position.row)?)))
    }

    /// The names of all fields, built-in ones first.
    #[must_use]
    pub fn field_names(snapshot: &Snapshot) -> Vec<String> {
        let mut names: Vec<String> =
            ["time", "level", "source", "line", "raw", "template"].map(str::to_owned).to_vec();
        let mut seen: HashSet<&str> = HashSet::new();
        for field in snapshot.segments.iter().flat_map(|segment| &segment.meta.fields) {
            if seen.insert(&field.name) {
                names.push(field.name.clone());
            }
        }
        // Of a part those of the whole case.
        let others = snapshot.fields_of_whole().iter().map(|(name, _)| name);
        names.extend(others.filter(|name| !seen.contains(name.as_str())).cloned());
        names
    }

    /// The matching events. Sort keys are loaded on demand.
    pub fn selection(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<Selection> {
        let view = &self.resolved(snapshot, view)?;
        let mut parts = Vec::new();
        self.each_part(snapshot, view, cancel, Ok, |part, _| {
            parts.push(part);
            Ok(())
        })?;
        Ok(Selection::new(parts))
    }

    /// The matching events of what can be read, to count those before a time.
    pub fn readable_selection(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<Selection> {
        Self::without_damaged(snapshot, |snapshot| self.selection(snapshot, view, cancel))
    }

    /// The matching events for an iteration from first to last: damaged sort keys are found before the first
    /// event is returned.
    pub fn whole_selection(&self, snapshot: &Snapshot, view: &View, cancel: &Cancel) -> Result<Selection> {
        Self::without_damaged(snapshot, |snapshot| {
            let selection = self.selection(snapshot, view, cancel)?;
            selection.read(cancel)?;
            Ok(selection)
        })
    }

    /// The matching rows of one segment within the view's times; `None` if none can match.
    pub fn part(
        &self,
        snapshot: &Snapshot,
        index: usize,
        view: &View,
        cancel: &Cancel,
    ) -> Result<Option<SegmentRows>> {
        self.part_of(snapshot, index, view, None, cancel)
    }

    /// The same; `kept` is the view's filter where it was made ready before.
    pub fn part_of(
        &self,
        snapshot: &Snapshot,
        index: usize,
        view: &View,
        kept: Option<&KeptFilter>,
        cancel: &Cancel,
    ) -> Result<Option<SegmentRows>> {
        let segment = &snapshot.segments[index];
        let before = view.to.is_some_and(|to| segment.meta.first.is_none_or(|first| first >= to));
        let after = view.from.is_some_and(|from| segment.meta.last.is_none_or(|last| last < from));
        if before || after {
            return Ok(None);
        }
        // A time range excludes events without a time.
        let from = if view.to.is_some() { view.from.or(Some(i64::MIN + 1)) } else { view.from };
        // Only a segment that the range cuts is read; reading its times costs milliseconds.
        let rows_before = |limit: i64| -> Result<usize> { Ok(segment.times()?.before(limit)) };
        let start = match from {
            None => 0,
            Some(from) if segment.meta.first.is_some_and(|first| from <= first) => {
                segment.meta.untimed as usize
            }
            Some(from) => rows_before(from)?,
        };
        let end = match view.to {
            Some(to) if segment.meta.last.is_none_or(|last| to <= last) => rows_before(to)?,
            _ => segment.meta.events as usize,
        };
        let events = segment.meta.events as usize;
        let set = if view.filter == Filter::Everything {
            RowSet::All(events)
        } else {
            match kept {
                Some(kept) => self.matching_kept(snapshot, segment, kept, cancel)?,
                None => self.matching(snapshot, segment, &view.filter, cancel)?,
            }
        };
        Ok(Some(SegmentRows::new(Arc::clone(segment), set, start..end)))
    }

    /// The rows of a filter that is ready, which names no templates.
    fn matching_kept(
        &self,
        snapshot: &Snapshot,
        segment: &Segment,
        kept: &KeptFilter,
        cancel: &Cancel,
    ) -> Result<RowSet> {
        self.matches.get(segment.meta.id, &kept.printed, cancel, || {
            let shapes = || self.known_shapes(segment, cancel);
            let sources = snapshot.sources();
            let question =
                SegmentQuery { segment, sources, templates: None, shapes: &shapes, cancel, trace: None };
            select_set(&question, &kept.prepared, &mut self.raw_cursor())
        })
    }

    fn matching(
        &self,
        snapshot: &Snapshot,
        segment: &Segment,
        filter: &Filter,
        cancel: &Cancel,
    ) -> Result<RowSet> {
        let mut printed = filter.to_string();
        printed.push_str(&states_of(filter));
        let templates = self.templates_for(snapshot, segment, filter, cancel)?;
        if templates.is_some() {
            // Other segments may change which shapes are one template.
            let ids: Vec<u8> =
                snapshot.segments.iter().flat_map(|segment| segment.meta.id.to_le_bytes()).collect();
            printed = format!("{printed}\0{}", hash(0, &ids));
        }
        self.matches.get(segment.meta.id, &printed, cancel, || {
            let (sources, templates) = (snapshot.sources(), templates.as_ref());
            let shapes = || self.known_shapes(segment, cancel);
            let question = SegmentQuery { segment, sources, templates, shapes: &shapes, cancel, trace: None };
            let prepared = self.matches.prepared(filter, &printed);
            select_set(&question, &prepared, &mut self.raw_cursor())
        })
    }

    /// Does `work` for the matching rows of every segment, on all cores; `done` gets each result on this
    /// thread, in order, with the share of the events done.
    pub fn each_part<R: Send>(
        &self,
        snapshot: &Snapshot,
        view: &View,
        cancel: &Cancel,
        work: impl Fn(SegmentRows) -> Result<R> + Sync,
        mut done: impl FnMut(R, f64) -> Result<()>,
    ) -> Result<()> {
        let find = |index| self.part(snapshot, index, view, cancel)?.map(&work).transpose();
        let mut seen = 0;
        in_order(snapshot.segments.len(), cancel, find, |index, result| {
            seen += snapshot.segments[index].meta.events;
            let fraction = seen as f64 / snapshot.events().max(1) as f64;
            result.map_or(Ok(()), |result| done(result, fraction))
        })
    }

    pub fn event_at(&self, position: &Position, cursor: &mut RawCursor<'_>, cut: usize) -> Result<Event> {
        let (places, row) = (position.segment.locations()?, position.row);
        let (source, offset, length) = (places.source(row), places.offset(row), places.length(row));
        let frame = position.segment.frame(source, offset)?;
        let encoding = position.segment.encoding(source);
        let mut event = Event {
            source,
            offset,
            time: position.segment.times()?.get(row),
            level: position.segment.level(row)?,
            line: position.segment.packed("line")?.whole_at(row) as u64,
            text: String::new(),
            cut: false,
            raw: Vec::new(),
            encoding,
            length,
            values: Vec::new(),
        };
        // An event whose bytes are damaged is returned, and the answer reports the damage.
        let read = cursor.kept_frame(source, frame);
        let Some(bytes) = position.segment.or_missing(read)? else { return Ok(event) };
        let start = (offset - frame.offset) as usize;
        let place = start..start + length as usize;
        let raw = bytes.get(place.clone()).ok_or_else(|| {
            Error::new(
                ErrorKind::CaseDamaged,
                format!("the event at byte {offset} reaches past its raw frame"),
            )
        });
        let Some(raw) = position.segment.or_missing(raw)? else { return Ok(event) };
        let mut texts = TextDecoder::new(encoding);
        let text = texts.text(&bytes, frame.offset, place);
        event.text = String::from_utf8_lossy(&text[..text.len().min(cut)]).into_owned();
        event.cut = text.len() > cut;
        event.raw = raw[..raw.len().min(cut)].to_vec();
        Ok(event)
    }

    /// An aggregation over a field that no event has is an error too.
    pub fn check_known(snapshot: &Snapshot, field: &str) -> Result<()> {
        let names = Engine::field_names(snapshot);
        if snapshot.events() == 0
            || (!matches!(field, "raw" | "template") && names.iter().any(|name| name == field))
        {
            return Ok(());
        }
        let error = Error::new(ErrorKind::BadRequest, format!("no field `{field}`"));
        Err(match nearest(field, names.iter().map(String::as_str)) {
            Some(name) => error.hint(format!("did you mean `{name}`?")),
            None => error.hint("the fields of a case are listed next to its events"),
        })
    }
}

pub fn find(snapshot: &Snapshot, source: u32, offset: u64) -> Result<Option<Position>> {
    for segment in &snapshot.segments {
        let holds = segment.meta.sources.iter().any(|entry| {
            let covers = |frame: &store::Frame| {
                (frame.offset..frame.offset + u64::from(frame.bytes)).contains(&offset)
            };
            entry.source == source && entry.frames.iter().any(covers)
        });
        if !holds {
            continue;
        }
        let places = segment.locations()?;
        let mut rows = 0..segment.meta.events as usize;
        if let Some(row) = rows.find(|&row| places.offset(row) == offset && places.source(row) == source) {
            return Ok(Some(Position { segment: Arc::clone(segment), row }));
        }
    }
    Ok(None)
}

#[must_use]
pub fn shown_fields(fields: Vec<(&SegmentField, String)>) -> Vec<FieldValue> {
    fields
        .into_iter()
        .map(|(field, value)| FieldValue { name: field.name.clone(), value, kind: field.kind })
        .collect()
}
