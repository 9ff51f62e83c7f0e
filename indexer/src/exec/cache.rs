//! What is kept between questions: raw frames for scrolling, and the rows that filters matched.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::part::RowSet;
use super::prepared::Prepared;
use crate::Cancel;
use crate::error::Result;
use crate::limits::{FRAME_CACHE_FRAMES, MATCH_CACHE_BYTES};
use crate::query::Filter;
use crate::storage::{ColumnCache, Frame};

/// Source, generation of its raw file, offset.
type FrameKey = (u32, u32, u64);

fn key(source: u32, frame: &Frame) -> FrameKey {
    (source, frame.generation, frame.offset)
}

/// Decompressed frames by source and offset, the oldest forgotten first.
#[derive(Debug, Default)]
pub struct FrameCache {
    inner: Mutex<Frames>,
}

#[derive(Debug, Default)]
struct Frames {
    known: HashMap<FrameKey, Arc<Vec<u8>>>,
    oldest_first: VecDeque<FrameKey>,
}

impl FrameCache {
    pub fn get(&self, source: u32, frame: &Frame) -> Option<Arc<Vec<u8>>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).known.get(&key(source, frame)).cloned()
    }

    pub fn put(&self, source: u32, frame: &Frame, bytes: Arc<Vec<u8>>) {
        let mut frames = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.known.insert(key(source, frame), bytes).is_none() {
            frames.oldest_first.push_back(key(source, frame));
        }
        while frames.oldest_first.len() > FRAME_CACHE_FRAMES {
            if let Some(oldest) = frames.oldest_first.pop_front() {
                frames.known.remove(&oldest);
            }
        }
    }
}

/// Rows by segment and printed filter. Segments never change, so an answer holds for ever. Questions that are
/// asked together with the same filter wait for the first of them and share what it found.
#[derive(Debug)]
pub struct MatchCache {
    kept: ColumnCache,
    /// The filters that were asked last, by their print. All segments are asked the same one.
    prepared: Mutex<VecDeque<(String, Arc<Prepared>)>>,
}

/// So many filters are kept ready: as many as a screen asks at once.
const PREPARED: usize = 8;

impl Default for MatchCache {
    fn default() -> MatchCache {
        MatchCache { kept: ColumnCache::new(MATCH_CACHE_BYTES), prepared: Mutex::default() }
    }
}

impl MatchCache {
    /// Forgets all, because sources are called otherwise now.
    pub fn clear(&self) {
        self.kept.clear();
    }

    /// The filter made ready. `printed` is its text.
    pub fn prepared(&self, filter: &Filter, printed: &str) -> Arc<Prepared> {
        let mut kept = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = kept.iter().find(|(text, _)| text == printed) {
            return Arc::clone(prepared);
        }
        let prepared = Arc::new(Prepared::new(filter));
        kept.push_front((printed.to_owned(), Arc::clone(&prepared)));
        kept.truncate(PREPARED);
        prepared
    }

    pub fn get(
        &self,
        segment: u64,
        filter: &str,
        cancel: &Cancel,
        find: impl FnOnce() -> Result<RowSet>,
    ) -> Result<RowSet> {
        let found = self.kept.get_or_stop(segment, filter, cancel, || {
            let rows = find()?;
            let bytes = rows.bytes() + filter.len();
            Ok((rows, bytes))
        })?;
        Ok(found.as_ref().clone())
    }
}
