//! What came into a case since somebody looked at it last, whatever was merged meanwhile.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Frame, Snapshot};

/// How far each source was looked at: the generation of its raw file when its bytes were read, and the byte up to which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    sources: BTreeMap<u32, (u32, u64)>,
    /// Segments that are covered as a whole; the others are compared frame by frame.
    #[serde(skip)]
    segments: HashSet<u64>,
}

/// Segments with events that marks do not cover. Both parts have the fields of the whole case.
#[derive(Debug)]
pub struct News {
    /// Those whose events are all new.
    pub fresh: Snapshot,
    /// Those in which new events were merged with others.
    pub mixed: Snapshot,
}

impl Marks {
    /// Covers all events of a snapshot.
    #[must_use]
    pub fn covering(mut self, snapshot: &Snapshot) -> Marks {
        for segment in &snapshot.segments {
            if self.segments.contains(&segment.meta.id) {
                continue;
            }
            for entry in &segment.meta.sources {
                let known = self.sources.entry(entry.source).or_default();
                for frame in &entry.frames {
                    *known = (snapshot.read_in(entry.source, frame), frame.end()).max(*known);
                }
            }
        }
        self.segments = snapshot.segments.iter().map(|segment| segment.meta.id).collect();
        self
    }
}

impl Snapshot {
    /// The segments that have events beyond marks. A merged segment whose events were all covered is not among them.
    #[must_use]
    pub fn since(&self, marks: &Marks) -> News {
        let (mut fresh, mut mixed) = (Vec::new(), Vec::new());
        for segment in self.segments.iter().filter(|segment| !marks.segments.contains(&segment.meta.id)) {
            let (mut new, mut old) = (false, false);
            for entry in &segment.meta.sources {
                let known = marks.sources.get(&entry.source).copied().unwrap_or_default();
                for frame in &entry.frames {
                    let generation = self.read_in(entry.source, frame);
                    let is_new = (generation, frame.end()) > known;
                    new |= is_new;
                    // Bytes that were read again replace events that were covered.
                    old |= !is_new || generation > known.0;
                }
            }
            match (new, old) {
                (true, false) => fresh.push(Arc::clone(segment)),
                (true, true) => mixed.push(Arc::clone(segment)),
                (false, _) => {}
            }
        }
        News { fresh: self.part(fresh), mixed: self.part(mixed) }
    }

    /// The generation of a source's raw file in which the bytes of a frame were read: packing them harder makes later ones.
    fn read_in(&self, source: u32, frame: &Frame) -> u32 {
        let since = self.sources().get(source as usize).map_or(0, |entry| entry.content_generation);
        if frame.generation >= since { since } else { frame.generation }
    }

    /// The segments that have events which marks cover.
    #[must_use]
    pub fn covered(&self, marks: &Marks) -> Snapshot {
        let fresh: HashSet<u64> =
            self.since(marks).fresh.segments.iter().map(|segment| segment.meta.id).collect();
        let known = self.segments.iter().filter(|segment| !fresh.contains(&segment.meta.id));
        self.part(known.cloned().collect())
    }
}
