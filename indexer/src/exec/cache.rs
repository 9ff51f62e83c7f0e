//! What is kept between questions: raw frames for scrolling, and the rows that filters matched.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::{FRAME_CACHE_FRAMES, MATCH_CACHE_ROWS};
use crate::storage::Frame;

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

type MatchKey = (u64, String);

/// Rows by segment and printed filter. Segments never change, so an answer holds for ever.
#[derive(Debug, Default)]
pub struct MatchCache {
    inner: Mutex<Matches>,
}

#[derive(Debug, Default)]
struct Matches {
    known: HashMap<MatchKey, Arc<Vec<u32>>>,
    rows: usize,
}

impl MatchCache {
    /// Forgets all, because sources are called otherwise now.
    pub fn clear(&self) {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = Matches::default();
    }

    pub fn get(&self, segment: u64, filter: &str) -> Option<Arc<Vec<u32>>> {
        let matches = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        matches.known.get(&(segment, filter.to_owned())).cloned()
    }

    pub fn put(&self, segment: u64, filter: &str, rows: Arc<Vec<u32>>) {
        let mut matches = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if matches.rows + rows.len() > MATCH_CACHE_ROWS {
            *matches = Matches::default();
        }
        matches.rows += rows.len();
        matches.known.insert((segment, filter.to_owned()), rows);
    }
}
