//! Events that are named by source and offset, as rows of a segment.

use super::explain::Path;
use super::rows::Rows;
use super::select::{Found, Question};
use crate::Cancel;
use crate::error::{Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::query::NotedEvents;
use crate::storage::Segment;

/// Events by source and offset.
type Places = [(u32, u64)];

/// The rows among the candidates that somebody noted something on.
pub fn eval(question: &Question<'_>, events: Option<&NotedEvents>, among: &Rows) -> Result<Found> {
    let mut found = Found { rows: Rows::none(question.rows()), path: Path::Pruned };
    let Some(events) = events.filter(|events| holds_any(question.segment, &events.places)) else {
        return Ok(found);
    };
    found.path = Path::Column;
    rows_at(question.segment, &events.places, among.iter(), question.cancel, &mut |row, _, _| {
        found.rows.insert(row);
    })?;
    Ok(found)
}

/// Calls `each` with those of the rows that hold bytes at places, with the row's own offset and those places. The
/// places are in order. A source that was read anew may have its events cut elsewhere: then it is the event that
/// holds the byte.
pub fn rows_at(
    segment: &Segment,
    places: &Places,
    rows: impl Iterator<Item = u32>,
    cancel: &Cancel,
    each: &mut dyn FnMut(u32, u64, &Places),
) -> Result<()> {
    if !holds_any(segment, places) {
        return Ok(());
    }
    let located = segment.locations()?;
    for (seen, row) in rows.enumerate() {
        if seen % CANCEL_ROWS == 0 && cancel.is_set() {
            return Err(Error::cancelled());
        }
        let (source, start) = (located.source(row as usize), located.offset(row as usize));
        let end = start + u64::from(located.length(row as usize)).max(1);
        let held = within(places, (source, start), (source, end));
        if !held.is_empty() {
            each(row, start, held);
        }
    }
    Ok(())
}

/// Whether a place lies in the raw bytes that the segment's events are of.
fn holds_any(segment: &Segment, places: &Places) -> bool {
    segment.meta.sources.iter().any(|entry| {
        entry.frames.iter().any(|frame| {
            let end = frame.offset + u64::from(frame.bytes);
            !within(places, (entry.source, frame.offset), (entry.source, end)).is_empty()
        })
    })
}

fn within(places: &Places, from: (u32, u64), end: (u32, u64)) -> &Places {
    let first = places.partition_point(|&place| place < from);
    let count = places[first..].iter().take_while(|&&place| place < end).count();
    &places[first..first + count]
}
