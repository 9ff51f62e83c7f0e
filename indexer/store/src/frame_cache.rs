//! A cache of raw frames, so that scrolling, and reading what has just come, unpack none.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::raw::Frame;
use base::limits::{FRAME_CACHE_BYTES, FRAME_CACHE_FRAMES};

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
        if frames.known.get(&key(source, frame)).is_some_and(|known| Arc::ptr_eq(known, &bytes)) {
            return;
        }
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
