//! The content of events: rows with selected columns, and several events at once with all of their fields.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Event, FieldValue, shown_fields};
use crate::Engine;
use crate::aggregate::columns;
use crate::exec::{Position, in_order};
use base::Cancel;
use base::error::{Error, Result};
use base::limits::SHOWN_EVENTS;
use store::RawCursor;
use store::Snapshot;

/// How much of each event a page carries.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Texts are cut at this many bytes, those of columns too.
    pub cut: usize,
    /// Fields whose values come with each event, in this order.
    pub columns: &'a [String],
}

impl Shown<'_> {
    /// The text alone.
    #[must_use]
    pub fn text(cut: usize) -> Shown<'static> {
        Shown { cut, columns: &[] }
    }
}

/// Groups positions by frame, so that each frame is decompressed once. Rare events each have their own, and
/// unpacking is what a page of them waits for.
fn by_frame(positions: &[Position]) -> Result<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of_frame = HashMap::new();
    for (place, Position { segment, row }) in positions.iter().enumerate() {
        let located = segment.locations()?;
        let (source, offset) = (located.source(*row), located.offset(*row));
        // A missing frame is reported where its event is read.
        let frame = segment.frame(source, offset).map_or(offset, |frame| frame.offset);
        let group = *of_frame.entry((segment.meta.id, source, frame)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
    }
    Ok(groups)
}

impl Engine {
    pub fn events_at(
        &self,
        snapshot: &Snapshot,
        positions: &[Position],
        shown: &Shown<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Event>> {
        let groups = by_frame(positions)?;
        let read = |group: usize| -> Result<Vec<Event>> {
            let mut cursor = self.raw_cursor();
            let event =
                |&place: &usize| self.shown_at(snapshot, &positions[place], &mut cursor, (shown, cancel));
            groups[group].iter().map(event).collect()
        };
        let mut events: Vec<_> = positions.iter().map(|_| None).collect();
        in_order(groups.len(), cancel, read, |group, read| {
            groups[group].iter().zip(read).for_each(|(&place, event)| events[place] = Some(event));
            Ok(())
        })?;
        Ok(events.into_iter().flatten().collect())
    }

    pub fn shown_at(
        &self,
        snapshot: &Snapshot,
        position: &Position,
        cursor: &mut RawCursor<'_>,
        (shown, cancel): (&Shown<'_>, &Cancel),
    ) -> Result<Event> {
        let segment = &position.segment;
        let mut value = |name: &String| -> Result<Option<String>> {
            let mut described = segment.meta.fields.iter().filter(|field| field.name == *name);
            let value = match (described.next(), described.next()) {
                (Some(field), None) if segment.is_late(&field.column) => {
                    let row = position.row as u32;
                    let value = segment.values_at(&[&field.column], &[row], cursor, cancel);
                    segment.or_missing(value)?.and_then(|values| values.into_iter().flatten().next()?)
                }
                _ => {
                    let held = columns(segment, snapshot.sources(), name, cancel);
                    let held = segment.or_missing(held)?.unwrap_or_default();
                    held.iter().find_map(|column| column.at(position.row)).map(|value| value.to_string())
                }
            };
            Ok(value.map(|mut text| {
                text.truncate(text.floor_char_boundary(shown.cut));
                text
            }))
        };
        let values = shown.columns.iter().map(&mut value).collect::<Result<_>>()?;
        Ok(Event { values, ..self.event_at(position, cursor, shown.cut)? })
    }

    /// Events by their sources and offsets, with their fields, in the requested order; events that are not in
    /// the case are left out. A batch reads each segment once.
    pub fn events(
        &self,
        snapshot: &Snapshot,
        ids: &[(u32, u64)],
        cut: usize,
        cancel: &Cancel,
    ) -> Result<Vec<(Event, Vec<FieldValue>)>> {
        let ids = &ids[..ids.len().min(SHOWN_EVENTS)];
        let mut places: HashMap<(u32, u64), Vec<usize>> = HashMap::new();
        for (place, id) in ids.iter().enumerate() {
            places.entry(*id).or_default().push(place);
        }
        let mut positions: Vec<Option<Position>> = vec![None; ids.len()];
        for segment in &snapshot.segments {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let holds = |&(source, offset): &(u32, u64)| {
                segment.meta.sources.iter().filter(|entry| entry.source == source).any(|entry| {
                    let covers = |frame: &store::Frame| {
                        (frame.offset..frame.offset + u64::from(frame.bytes)).contains(&offset)
                    };
                    entry.frames.iter().any(covers)
                })
            };
            if !places.keys().any(holds) {
                continue;
            }
            let located = segment.locations()?;
            for row in 0..segment.meta.events as usize {
                if let Some(wanted) = places.remove(&(located.source(row), located.offset(row))) {
                    let position = Position { segment: Arc::clone(segment), row };
                    for place in wanted {
                        positions[place] = Some(position.clone());
                    }
                }
            }
        }
        let mut cursor = self.raw_cursor();
        let whole = |position: Position| {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let event = self.event_at(&position, &mut cursor, cut)?;
            let fields = position.segment.row_fields(position.row).map(shown_fields);
            Ok((event, position.segment.or_missing(fields)?.unwrap_or_default()))
        };
        positions.into_iter().flatten().map(whole).collect()
    }
}
