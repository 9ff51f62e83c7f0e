//! What came last, in the segments that it came in. Their rows of each filter are known, and those of the segments that
//! they are merged to are not.

use std::collections::VecDeque;

use indexer::Snapshot;

use super::News;
use crate::limits::RECENT_PARTS;

#[derive(Default)]
pub struct Recent {
    parts: VecDeque<Part>,
    /// The time of the newest event of the case so far.
    newest: Option<i64>,
    /// What was added last may be added again, because it is not evaluated to its end.
    is_open: bool,
}

struct Part {
    /// The time of the newest event that came before it.
    newest_before: i64,
    events: Snapshot,
}

impl Recent {
    /// Takes what is new in a snapshot, where bins of some width are read again: the widest.
    pub fn add(&mut self, news: &News, whole: &Snapshot, widest: Option<i64>) {
        let newest_before = self.newest;
        self.newest = whole.time_range().map(|(_, last)| last).max(self.newest);
        if std::mem::replace(&mut self.is_open, true) {
            self.parts.clear();
        }
        let (Some(widest), true) = (widest, news.mixed.segments.is_empty()) else {
            // Otherwise new events would be in none of the parts.
            self.parts.clear();
            return;
        };
        if let Some(newest_before) = newest_before.filter(|_| !news.fresh.segments.is_empty()) {
            let events = whole.together([&news.fresh].into_iter());
            self.parts.push_back(Part { newest_before, events });
        }
        // The last bin that is over begins within two of them.
        let begin = self.newest.map_or(i64::MIN, |newest| newest.saturating_sub(widest.saturating_mul(2)));
        while self.parts.len() > RECENT_PARTS
            || self.parts.get(1).is_some_and(|second| second.newest_before < begin)
        {
            self.parts.pop_front();
        }
    }

    /// What was added is evaluated.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// All events from a time on, in parts of the snapshot as they came. Nothing where they are not all known.
    pub fn since(&self, from: i64, whole: &Snapshot) -> Option<Snapshot> {
        let later = self.parts.partition_point(|part| part.newest_before < from);
        let parts = self.parts.iter().skip(later.checked_sub(1)?).map(|part| &part.events);
        let sources = whole.sources();
        let is_there = |source: u32| sources.get(source as usize).is_some_and(|entry| !entry.deleted);
        let mut segments = parts.clone().flat_map(|part| &part.segments);
        segments
            .all(|segment| segment.meta.sources.iter().all(|entry| is_there(entry.source)))
            .then(|| whole.together(parts))
    }
}
