//! How many events begin at each layout of a source that has several.

use memchr::memchr;

use crate::time::When;
use crate::time::find::find;
use crate::time::layouts::{layout_in_words, layout_of_found};
use crate::time::rules::TimeRules;

/// A layout in words, and how many events begin with it.
pub(crate) type LayoutCount = (String, u32);

/// The count of a source with one layout, whose lines begin with their time.
pub(crate) fn usual_layout(events: u32) -> Vec<LayoutCount> {
    vec![(layout_in_words(Some(&[])), events)]
}

/// Counts the events of a chunk by layout.
pub(crate) struct LayoutCounter<'r> {
    rules: &'r TimeRules,
    counts: Vec<(Option<Vec<u8>>, u32)>,
}

impl<'r> LayoutCounter<'r> {
    /// `None` for a source with one layout, whose events need no counting.
    pub(crate) fn new(rules: &'r TimeRules) -> Option<LayoutCounter<'r>> {
        (!rules.layouts.is_empty()).then(|| LayoutCounter { rules, counts: Vec::new() })
    }

    pub(crate) fn add(&mut self, event: &[u8]) {
        let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
        let layout = find(line, self.rules).map(|found| match found.when {
            When::TimeOfDay(_) => b"T".to_vec(),
            _ => layout_of_found(line, &found),
        });
        match self.counts.iter_mut().find(|(known, _)| *known == layout) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((layout, 1)),
        }
    }

    pub(crate) fn finish(self) -> Vec<LayoutCount> {
        let counts = self.counts.into_iter();
        counts.map(|(layout, count)| (layout_in_words(layout.as_deref()), count)).collect()
    }
}
