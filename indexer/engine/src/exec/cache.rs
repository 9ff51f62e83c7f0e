//! Caches that outlive a query: raw frames for scrolling, and row sets of filters.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::prepared::Prepared;
use super::segment_rows::RowSet;
use base::Cancel;
use base::error::Result;
use base::limits::{FRAME_CACHE_FRAMES, MATCH_CACHE_BYTES};
use query::Filter;
use store::{ColumnCache, Frame};

/// Source, generation of its raw file, offset.
type FrameKey = (u32, u32, u64);

fn key(source: u32, frame: &Frame) -> FrameKey {
    (source, frame.generation, frame.offset)
}

/// Decompressed frames by source and offset. The oldest entry is evicted first.
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

/// Row sets by segment and printed filter. Segments are immutable, so an entry never expires. Concurrent
/// queries with the same filter wait for the first and share its result.
#[derive(Debug)]
pub struct MatchCache {
    kept: ColumnCache,
    /// The most recent filters by their text. All segments use the same compiled filter.
    prepared: Mutex<VecDeque<(String, Arc<Prepared>)>>,
}

/// The number of compiled filters kept: as many as a screen runs at once.
const PREPARED: usize = 8;

impl Default for MatchCache {
    fn default() -> MatchCache {
        MatchCache { kept: ColumnCache::new(MATCH_CACHE_BYTES), prepared: Mutex::default() }
    }
}

impl MatchCache {
    /// Drops all entries, because the names of sources changed.
    pub fn clear(&self) {
        self.kept.clear();
    }

    /// The compiled filter. `printed` is its text.
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
