//! What is kept between questions: raw frames for scrolling, and the rows that filters matched.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::{FRAME_CACHE_FRAMES, MATCH_CACHE_ROWS};

type FrameKey = (u32, u64);

/// Decompressed frames by source and offset, the oldest forgotten first.
#[derive(Debug, Default)]
pub struct FrameCache {
    inner: Mutex<(HashMap<FrameKey, Arc<Vec<u8>>>, VecDeque<FrameKey>)>,
}

impl FrameCache {
    pub fn get(&self, source: u32, offset: u64) -> Option<Arc<Vec<u8>>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).0.get(&(source, offset)).cloned()
    }

    pub fn put(&self, source: u32, offset: u64, bytes: Arc<Vec<u8>>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (frames, order) = &mut *inner;
        if frames.insert((source, offset), bytes).is_none() {
            order.push_back((source, offset));
        }
        while order.len() > FRAME_CACHE_FRAMES {
            if let Some(oldest) = order.pop_front() {
                frames.remove(&oldest);
            }
        }
    }
}

type MatchKey = (u64, String);

/// Rows by segment and printed filter. Segments never change, so an answer holds for ever.
#[derive(Debug, Default)]
pub struct MatchCache {
    inner: Mutex<(HashMap<MatchKey, Arc<Vec<u32>>>, usize)>,
}

impl MatchCache {
    pub fn get(&self, segment: u64, filter: &str) -> Option<Arc<Vec<u32>>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.0.get(&(segment, filter.to_owned())).cloned()
    }

    pub fn put(&self, segment: u64, filter: &str, rows: Arc<Vec<u32>>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, held) = &mut *inner;
        if *held + rows.len() > MATCH_CACHE_ROWS {
            known.clear();
            *held = 0;
        }
        *held += rows.len();
        known.insert((segment, filter.to_owned()), rows);
    }
}
