//! Scrolls: results that are fetched page by page, from the case as it was when they began.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use indexer::{Snapshot, View};

use super::hits::HitParts;
use super::sorting::Sorting;
use crate::http::limits::SCROLLS;

#[derive(Debug)]
pub struct Scroll {
    pub snapshot: Arc<Snapshot>,
    pub view: View,
    pub sorting: Sorting,
    pub size: usize,
    pub wanted: HitParts,
    /// The row that comes next.
    pub next: usize,
    pub ends: Instant,
}

/// Those that are open. When there are too many, the one goes that would end first.
#[derive(Debug, Default)]
pub struct Scrolls(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    made: u64,
    scrolls: HashMap<String, Scroll>,
}

impl Scrolls {
    fn lock(&self) -> MutexGuard<'_, Open> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.scrolls.retain(|_, scroll| scroll.ends > now);
        open
    }

    /// Keeps a scroll; gives its id.
    pub fn add(&self, scroll: Scroll) -> String {
        let mut open = self.lock();
        if open.scrolls.len() >= SCROLLS {
            let first = open.scrolls.iter().min_by_key(|(_, scroll)| scroll.ends).map(|(id, _)| id.clone());
            first.and_then(|id| open.scrolls.remove(&id));
        }
        open.made += 1;
        let id = format!("scroll-{}", open.made);
        open.scrolls.insert(id.clone(), scroll);
        id
    }

    pub fn take(&self, id: &str) -> Option<Scroll> {
        self.lock().scrolls.remove(id)
    }

    pub fn put_back(&self, id: &str, scroll: Scroll) {
        self.lock().scrolls.insert(id.to_owned(), scroll);
    }

    pub fn remove(&self, id: &str) -> bool {
        self.take(id).is_some()
    }

    /// Ends all; tells whether there were any.
    pub fn clear(&self) -> bool {
        let mut open = self.lock();
        let any = !open.scrolls.is_empty();
        open.scrolls.clear();
        any
    }
}
