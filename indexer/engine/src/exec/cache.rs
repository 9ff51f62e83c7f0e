//! Caches that outlive a query: raw frames for scrolling, and row sets of filters.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::prepared::Prepared;
use super::segment_rows::RowSet;
use base::Cancel;
use base::error::Result;
use base::limits::{FRAME_CACHE_BYTES, FRAME_CACHE_FRAMES, MATCH_CACHE_BYTES};
use query::Filter;
use store::{ColumnCache, Frame};

/// Source, generation of its raw file, offset.
type FrameKey = (u32, u32, u64);

fn key(source: u32, frame: &Frame) -> FrameKey {
    (source, frame.generation, frame.offset)
}

/// Decompressed frames by source and offset. The oldest entry is evicted first.
#[derive(Debug)]
pub struct FrameCache {
    inner: Mutex<Frames>,
    budget_bytes: AtomicUsize,
}

#[derive(Debug, Default)]
struct Frames {
    known: HashMap<FrameKey, Arc<Vec<u8>>>,
    oldest_first: VecDeque<FrameKey>,
    bytes: usize,
}

impl Default for FrameCache {
    fn default() -> FrameCache {
        FrameCache { inner: Mutex::default(), budget_bytes: AtomicUsize::new(FRAME_CACHE_BYTES) }
    }
}

impl FrameCache {
    pub fn get(&self, source: u32, frame: &Frame) -> Option<Arc<Vec<u8>>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).known.get(&key(source, frame)).cloned()
    }

    pub fn put(&self, source: u32, frame: &Frame, bytes: Arc<Vec<u8>>) {
        let budget_bytes = self.budget_bytes.load(Ordering::Relaxed);
        let mut frames = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        frames.bytes += bytes.len();
        match frames.known.insert(key(source, frame), bytes) {
            Some(before) => frames.bytes -= before.len(),
            None => frames.oldest_first.push_back(key(source, frame)),
        }
        while frames.oldest_first.len() > FRAME_CACHE_FRAMES || frames.bytes > budget_bytes {
            let Some(oldest) = frames.oldest_first.pop_front() else { break };
            if let Some(gone) = frames.known.remove(&oldest) {
                frames.bytes -= gone.len();
            }
        }
    }

    /// Keeps no more than that from now on.
    pub fn limit(&self, bytes: usize) {
        self.budget_bytes.fetch_min(bytes, Ordering::Relaxed);
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

/// What an entry takes besides its rows. Of filters that are asked once most are empty.
const ENTRY_BYTES: usize = 256;

/// The number of compiled filters kept: as many as a screen runs at once.
const PREPARED: usize = 8;

impl Default for MatchCache {
    fn default() -> MatchCache {
        MatchCache { kept: ColumnCache::new(MATCH_CACHE_BYTES), prepared: Mutex::default() }
    }
}

impl MatchCache {
    /// Keeps no more than that from now on.
    pub fn limit(&self, bytes: usize) {
        self.kept.limit(bytes);
    }

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
            let bytes = rows.bytes() + filter.len() + ENTRY_BYTES;
            Ok((rows, bytes))
        })?;
        Ok(found.as_ref().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_frames_go_when_they_take_too_much() {
        let cache = FrameCache::default();
        cache.limit(100);
        let frame = |offset: u64| Frame { offset, bytes: 40, at: 0, size: 10, generation: 0 };
        for offset in [0, 40, 40, 80] {
            cache.put(1, &frame(offset), Arc::new(vec![0; 40]));
        }
        let is_kept = |offset: u64| cache.get(1, &frame(offset)).is_some();
        assert!(!is_kept(0) && is_kept(40) && is_kept(80));
        assert_eq!(cache.inner.lock().expect("a lock").bytes, 80);
    }
}
