//! The events of notes, with their evidence.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::Engine;
use crate::Event;
use crate::exec::{Position, rows_at};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use base::limits::{EVIDENCE_BYTES, MOST_NOTES_AT_ONCE};
use store::Snapshot;

/// An event as evidence: its text, and the file and position where it can be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub event: Event,
    /// Of the event's own bytes: those from its offset, as many as it is long. Absent for one longer than a
    /// page can show.
    pub sha256: Option<String>,
}

impl Engine {
    /// The events at these places, each by source and offset; none where there is no such event any more. A
    /// source that was read again may be split into events differently: then it is the event that holds the byte.
    pub fn evidence(
        &self,
        snapshot: &Snapshot,
        places: &[(u32, u64)],
        cut: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Option<Evidence>>> {
        if places.len() > MOST_NOTES_AT_ONCE {
            let message = format!(
                "{} events are asked for at once, and {MOST_NOTES_AT_ONCE} are the most",
                places.len()
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        // Notes in a damaged segment are missing; the rest is still proven.
        Self::without_damaged(snapshot, |snapshot| self.evidence_of(snapshot, places, cut, cancel))
    }

    fn evidence_of(
        &self,
        snapshot: &Snapshot,
        places: &[(u32, u64)],
        cut: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Option<Evidence>>> {
        let mut wanted = places.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut found: HashMap<(u32, u64), Position> = HashMap::new();
        for segment in &snapshot.segments {
            let rows = 0..segment.meta.events as u32;
            rows_at(segment, &wanted, rows, cancel, &mut |row, start, held| {
                for &place in held {
                    let position = || Position { segment: Arc::clone(segment), row: row as usize };
                    if place.1 == start {
                        found.insert(place, position());
                    } else {
                        found.entry(place).or_insert_with(position);
                    }
                }
            })?;
        }
        let mut cursor = self.raw_cursor();
        let shown = places.iter().map(|place| {
            let Some(position) = found.get(place) else { return Ok(None) };
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            let mut event = self.event_at(position, &mut cursor, EVIDENCE_BYTES)?;
            let whole = event.raw.len() == event.length as usize;
            let sha256 = whole.then(|| base::hex(&Sha256::digest(&event.raw)));
            shorten(&mut event, cut);
            Ok(Some(Evidence { event, sha256 }))
        });
        shown.collect()
    }
}

fn shorten(event: &mut Event, cut: usize) {
    event.raw.truncate(cut);
    if event.text.len() > cut {
        event.text.truncate(event.text.floor_char_boundary(cut));
        event.cut = true;
    }
}
