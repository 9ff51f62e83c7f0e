//! The messages of segments that stages read a piece at a time. If the times of files overlap, a piece has rows of many
//! segments: the columns and frames of each that one piece loaded serve the next ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::charge::Charge;
use super::run::{Run, Scope};
use base::error::Result;
use patterns::Message;
use store::{KeptFrames, Messages, Mined};

/// After so many pieces without its rows, a thread forgets a segment.
const IDLE_PIECES: u64 = 4;

/// The messages that the threads of a run keep between two pieces, each for itself.
#[derive(Default)]
pub struct KeptMessages {
    idle: Mutex<HashMap<ThreadId, ThreadMessages>>,
}

/// The segments that one thread keeps.
pub struct ThreadMessages {
    segments: HashMap<u32, SegmentMessages>,
    pieces: u64,
    bytes: usize,
    charge: Charge,
}

/// The shapes, columns and frames of a segment that are loaded.
pub struct SegmentMessages {
    pub mined: Arc<Mined>,
    /// Loaded with the first row that is read.
    messages: Option<Messages>,
    frames: KeptFrames,
    /// The last piece that had rows of it.
    used: u64,
    /// It was kept for this piece.
    is_known: bool,
}

impl KeptMessages {
    fn lock(&self) -> MutexGuard<'_, HashMap<ThreadId, ThreadMessages>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The segments that this thread kept of its last pieces; none if the stages need the memory by now.
    pub fn take(&self, run: &Run<'_>) -> ThreadMessages {
        let kept = self.lock().remove(&thread::current().id());
        kept.filter(|_| run.budget.left() >= run.budget.most() / 4).unwrap_or_else(|| ThreadMessages {
            segments: HashMap::new(),
            pieces: 0,
            bytes: 0,
            charge: run.charge("variable"),
        })
    }

    /// Keeps them for the next piece of this thread, without the segments that the last pieces had no rows of.
    pub fn put(&self, mut kept: ThreadMessages) {
        kept.pieces += 1;
        let pieces = kept.pieces;
        kept.segments.retain(|_, segment| segment.used + IDLE_PIECES >= pieces);
        kept.bytes = kept.segments.values().map(SegmentMessages::memory).sum();
        if kept.charge.set(kept.bytes).is_ok() {
            self.lock().insert(thread::current().id(), kept);
        }
    }

    /// Gives back the segments that all threads keep. Called when every piece was read, because stages that finish need the memory.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

impl ThreadMessages {
    /// Takes a segment that is kept, or loads it.
    pub fn take(&mut self, index: u32, scope: Scope<'_>, run: &Run<'_>) -> Result<SegmentMessages> {
        if let Some(known) = self.segments.remove(&index) {
            self.bytes = self.bytes.saturating_sub(known.memory());
            return Ok(SegmentMessages { used: self.pieces, is_known: true, ..known });
        }
        let segment = &scope.snapshot.segments[index as usize];
        Ok(SegmentMessages {
            mined: scope.case.mined(segment, &run.cancel)?,
            messages: None,
            frames: KeptFrames::default(),
            used: self.pieces,
            is_known: false,
        })
    }

    /// Keeps a segment if that leaves half of the memory to the stages; one that was kept before, if it leaves a quarter.
    pub fn put(&mut self, index: u32, segment: SegmentMessages, run: &Run<'_>) {
        // One thread at a time, so that no two of them take the same room.
        let idle = run.messages.lock();
        let bytes = self.bytes + segment.memory();
        let more = bytes.saturating_sub(self.charge.bytes());
        let part = if segment.is_known { 4 } else { 2 };
        let has_room = run.budget.left() >= (run.budget.most() / part).saturating_add(more);
        if has_room && self.charge.set(bytes).is_ok() {
            self.bytes = bytes;
            self.segments.insert(index, segment);
        } else {
            // Less is never refused.
            let _ = self.charge.set(self.bytes);
        }
        drop(idle);
    }
}

impl SegmentMessages {
    /// Calls `each` with every row given and its message.
    pub fn for_each(
        &mut self,
        index: u32,
        scope: Scope<'_>,
        run: &Run<'_>,
        rows: Vec<u32>,
        each: impl FnMut(u32, Message<'_>) -> Result<()>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let segment = &scope.snapshot.segments[index as usize];
        let messages = match &mut self.messages {
            Some(messages) => messages,
            none => none.insert(Messages::load(segment, &run.cancel)?),
        };
        let mut cursor = scope.case.raw().cursor_over(std::mem::take(&mut self.frames));
        messages.for_each(segment, &mut cursor, rows.into_iter(), each)?;
        self.frames = cursor.into_frames();
        Ok(())
    }

    fn memory(&self) -> usize {
        let codes = self.mined.codes.len() * size_of::<u32>();
        codes + self.messages.as_ref().map_or(0, Messages::memory) + self.frames.memory()
    }
}

#[cfg(test)]
mod tests;
