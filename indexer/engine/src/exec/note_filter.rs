//! Predicates on notes: events are given by source and byte offset and become rows of a segment.

use super::bitmap::Bitmap;
use super::explain::Path;
use super::select::{ClauseRows, SegmentQuery};
use base::Cancel;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;
use query::NotedEvents;
use store::Segment;

/// Events by source and offset.
type Positions = [(u32, u64)];

/// The rows among the candidates that have one of the notes.
pub fn eval(query: &SegmentQuery<'_>, events: Option<&NotedEvents>, among: &Bitmap) -> Result<ClauseRows> {
    let mut found = ClauseRows { rows: Bitmap::none(query.rows()), path: Path::Pruned };
    let Some(events) = events.filter(|events| contains_any(query.segment, &events.positions)) else {
        return Ok(found);
    };
    found.path = Path::Column;
    rows_at(query.segment, &events.positions, among.iter(), query.cancel, &mut |row, _, _| {
        found.rows.insert(row);
    })?;
    Ok(found)
}

/// Calls `each` with every given row that contains one of the sorted positions, with the offset of the row
/// and those positions. If a source was read again and split into events differently, the event that now
/// contains the byte is used.
pub fn rows_at(
    segment: &Segment,
    positions: &Positions,
    rows: impl Iterator<Item = u32>,
    cancel: &Cancel,
    each: &mut dyn FnMut(u32, u64, &Positions),
) -> Result<()> {
    if !contains_any(segment, positions) {
        return Ok(());
    }
    let located = segment.locations()?;
    for (seen, row) in rows.enumerate() {
        if seen % CANCEL_ROWS == 0 && cancel.is_set() {
            return Err(Error::cancelled());
        }
        let (source, start) = (located.source(row as usize), located.offset(row as usize));
        let end = start + u64::from(located.length(row as usize)).max(1);
        let positions_in_row = within(positions, (source, start), (source, end));
        if !positions_in_row.is_empty() {
            each(row, start, positions_in_row);
        }
    }
    Ok(())
}

/// True if one of the positions lies in the raw bytes of the segment.
fn contains_any(segment: &Segment, positions: &Positions) -> bool {
    segment.meta.sources.iter().any(|entry| {
        entry.frames.iter().any(|frame| {
            let end = frame.offset + u64::from(frame.bytes);
            !within(positions, (entry.source, frame.offset), (entry.source, end)).is_empty()
        })
    })
}

fn within(positions: &Positions, from: (u32, u64), end: (u32, u64)) -> &Positions {
    let first = positions.partition_point(|&position| position < from);
    let count = positions[first..].iter().take_while(|&&position| position < end).count();
    &positions[first..first + count]
}
