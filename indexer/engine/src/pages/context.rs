//! The events around an event: in its file, in all files, or among the events that share a value with it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use serde::Deserialize;

use super::events::Shown;
use super::{Event, find};
use crate::Engine;
use crate::aggregate::rows_with_value;
use crate::exec::{Direction, Position, RowSet, SegmentRows, Selection};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::PAGE_ROWS;
use store::Snapshot;

/// The kind of neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Around {
    /// The lines before and after it in its own file.
    File,
    /// Events of all files by time.
    Everywhere,
    /// Events by time that have the value it has in a field.
    Sharing { field: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    pub before: Vec<Event>,
    pub event: Event,
    pub after: Vec<Event>,
}

impl Engine {
    /// The number of events before and after an event.
    pub fn around(
        &self,
        snapshot: &Snapshot,
        (source, offset): (u32, u64),
        around: &Around,
        (before, after): (usize, usize),
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Context> {
        Self::without_damaged(snapshot, |snapshot| {
            self.around_of(snapshot, (source, offset), around, (before, after), shown, cancel)
        })
    }

    fn around_of(
        &self,
        snapshot: &Snapshot,
        (source, offset): (u32, u64),
        around: &Around,
        (before, after): (usize, usize),
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Context> {
        let unknown =
            || Error::new(ErrorKind::NotFound, format!("source {source} has no event at byte {offset}"));
        let own = find(snapshot, source, offset)?.ok_or_else(unknown)?;
        let (before, after) = (before.min(PAGE_ROWS), after.min(PAGE_ROWS));
        let (earlier, later) = match around {
            Around::File => in_file(snapshot, (source, offset), (before, after), cancel)?,
            Around::Everywhere => by_time(every_row(snapshot), &own, (before, after))?,
            Around::Sharing { field } => {
                Self::check_known(snapshot, field)?;
                by_time(sharing(snapshot, &own, field, cancel)?, &own, (before, after))?
            }
        };
        Ok(Context {
            before: self.events_at(snapshot, &earlier, shown, cancel)?,
            event: self.shown_at(snapshot, &own, &mut self.raw_cursor(), (shown, cancel))?,
            after: self.events_at(snapshot, &later, shown, cancel)?,
        })
    }
}

type ContextSides = (Vec<Position>, Vec<Position>);

fn every_row(snapshot: &Snapshot) -> Vec<SegmentRows> {
    let whole = |segment: &Arc<store::Segment>| {
        let rows = segment.meta.events as usize;
        SegmentRows::new(Arc::clone(segment), RowSet::All(rows), 0..rows)
    };
    snapshot.segments.iter().map(whole).collect()
}

/// The rows that have the value of an event's field, or none where it has none but the event itself.
fn sharing(snapshot: &Snapshot, own: &Position, field: &str, cancel: &Cancel) -> Result<Vec<SegmentRows>> {
    let columns = crate::aggregate::columns(&own.segment, snapshot.sources(), field, cancel)?;
    let Some(value) = columns.iter().find_map(|column| column.at(own.row)) else { return Ok(Vec::new()) };
    let value = value.to_string();
    let mut parts = Vec::new();
    for segment in &snapshot.segments {
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
        let rows = segment.meta.events as usize;
        let held = rows_with_value(segment, snapshot.sources(), (field, &value), cancel)?;
        if !held.is_empty() {
            parts.push(SegmentRows::new(Arc::clone(segment), RowSet::from_bitmap(held, rows), 0..rows));
        }
    }
    Ok(parts)
}

fn by_time(parts: Vec<SegmentRows>, own: &Position, (before, after): (usize, usize)) -> Result<ContextSides> {
    let selection = Selection::new(parts);
    let rank = selection.before_key(own.key()?)?;
    let first = rank.saturating_sub(before);
    let earlier = selection.page(Direction::OldestFirst, first, rank - first)?;
    let mut later = selection.page(Direction::OldestFirst, rank, after + 1)?;
    // The event itself, where it is among them.
    if later.first().is_some_and(|position| position.is(own)) {
        later.remove(0);
    }
    later.truncate(after);
    Ok((earlier, later))
}

/// The nearest events of a source by their offsets in its file. A segment is read only if its part of the
/// file may hold nearer ones than those already known.
fn in_file(
    snapshot: &Snapshot,
    (source, offset): (u32, u64),
    (before, after): (usize, usize),
    cancel: &Cancel,
) -> Result<ContextSides> {
    let mut near: Vec<(u64, usize)> = Vec::new();
    for (index, segment) in snapshot.segments.iter().enumerate() {
        let frames = segment.meta.sources.iter().filter(|entry| entry.source == source);
        for frame in frames.flat_map(|entry| &entry.frames) {
            let end = frame.offset + u64::from(frame.bytes);
            near.push((frame.offset.saturating_sub(offset).max(offset.saturating_sub(end)), index));
        }
    }
    near.sort_unstable();
    let mut seen = vec![false; snapshot.segments.len()];
    let (mut earlier, mut later) = (BinaryHeap::new(), BinaryHeap::new());
    for (distance, index) in near {
        let full = |heap: &BinaryHeap<(u64, usize, usize)>, wanted: usize| {
            wanted == 0
                || (heap.len() == wanted && heap.peek().is_some_and(|(furthest, ..)| *furthest <= distance))
        };
        if full(&earlier, before) && full(&later, after) {
            break;
        }
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
        let places = snapshot.segments[index].locations()?;
        for row in 0..snapshot.segments[index].meta.events as usize {
            let at = places.offset(row);
            if places.source(row) != source || at == offset {
                continue;
            }
            let (heap, wanted) = if at < offset { (&mut earlier, before) } else { (&mut later, after) };
            let furthest = at.abs_diff(offset);
            if heap.len() < wanted || heap.peek().is_some_and(|(most, ..)| furthest < *most) {
                heap.push((furthest, index, row));
                if heap.len() > wanted {
                    heap.pop();
                }
            }
        }
    }
    let position = |(_, index, row): (u64, usize, usize)| Position {
        segment: Arc::clone(&snapshot.segments[index]),
        row,
    };
    let mut nearest: Vec<_> = earlier.into_vec();
    nearest.sort_unstable_by_key(|&(furthest, ..)| Reverse(furthest));
    Ok((
        nearest.into_iter().map(position).collect(),
        later.into_sorted_vec().into_iter().map(position).collect(),
    ))
}
