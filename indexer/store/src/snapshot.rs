//! The content of a case at one revision: its manifest and its open segments.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use ingest::NO_TIME;

use base::FieldKind;
use base::error::{Error, Result};

use crate::{Frame, Manifest, Profile, Segment, SegmentEntry, Shared, SourceEntry};

/// The content of a case at one revision. Immutable.
#[derive(Debug)]
pub struct Snapshot {
    pub manifest: Manifest,
    pub segments: Vec<Arc<Segment>>,
    missing: Vec<Missing>,
    /// Of a part: the fields of the whole.
    fields: Option<Vec<(String, Vec<FieldKind>)>>,
}

/// A segment that cannot be opened. The others answer without it.
#[derive(Clone, Debug)]
pub struct Missing {
    pub segment: u64,
    pub events: u64,
    pub why: Error,
}

impl Snapshot {
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.manifest.revision
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    #[must_use]
    pub fn events(&self) -> u64 {
        self.manifest.segments.iter().map(|segment| segment.events).sum()
    }

    /// The files that were imported into the case. The id of a source is its index here.
    #[must_use]
    pub fn sources(&self) -> &[SourceEntry] {
        &self.manifest.sources
    }

    /// The sources that a person means: by number, by name or path, or all of a rotated set.
    #[must_use]
    pub fn sources_named(&self, name: &str) -> Vec<u32> {
        let all = || (0..).zip(self.sources()).filter(|(_, source)| !source.deleted);
        if let Ok(id) = name.parse::<u32>()
            && self.sources().get(id as usize).is_some_and(|source| !source.deleted)
        {
            return vec![id];
        }
        let ids = |is: &dyn Fn(&SourceEntry) -> bool| -> Vec<u32> {
            all().filter(|(_, source)| is(source)).map(|(id, _)| id).collect()
        };
        let of_set = ids(&|source| source.set.as_deref() == Some(name));
        if of_set.is_empty() { ids(&|source| source.name == name || source.path == name) } else { of_set }
    }

    /// The earliest and latest time of any event.
    #[must_use]
    pub fn time_range(&self) -> Option<(i64, i64)> {
        let first = self.segments.iter().filter_map(|segment| segment.meta.first).min()?;
        let last = self.segments.iter().filter_map(|segment| segment.meta.last).max()?;
        Some((first, last))
    }

    /// The fields of its events besides the built-in ones, each with the types that its values have.
    #[must_use]
    pub fn fields(&self) -> Vec<(String, Vec<FieldKind>)> {
        if let Some(fields) = &self.fields {
            return fields.clone();
        }
        let mut known: BTreeMap<&str, Vec<FieldKind>> = BTreeMap::new();
        for field in self.segments.iter().flat_map(|segment| &segment.meta.fields) {
            let kinds = known.entry(&field.name).or_default();
            if !kinds.contains(&field.kind) {
                kinds.push(field.kind);
            }
        }
        known.into_iter().map(|(name, kinds)| (name.to_owned(), kinds)).collect()
    }

    /// Of a part of a snapshot the fields of the whole, as [`Snapshot::fields`] gives them; none of a whole one.
    #[must_use]
    pub fn fields_of_whole(&self) -> &[(String, Vec<FieldKind>)] {
        self.fields.as_deref().unwrap_or_default()
    }

    /// How many segments have reached the case's profile, and how many there are.
    #[must_use]
    pub fn indexed(&self) -> (usize, usize) {
        let reached = |segment: &&SegmentEntry| segment.profile == self.manifest.profile;
        (self.manifest.segments.iter().filter(reached).count(), self.manifest.segments.len())
    }

    /// The snapshot without the segments that could not be read when they were needed.
    #[must_use]
    pub fn without_failed(&self) -> Snapshot {
        let whole = self.segments.iter().filter(|segment| !segment.has_failed());
        let segments = whole.cloned().collect();
        Snapshot { fields: self.fields.clone(), ..self.of_segments(segments) }
    }

    /// Some of its segments, with the names of all of its fields.
    #[must_use]
    pub fn part(&self, segments: Vec<Arc<Segment>>) -> Snapshot {
        Snapshot { fields: Some(self.fields()), ..self.of_segments(segments) }
    }

    /// Parts of this snapshot or of earlier ones as one, with the names of all of its fields. Their segments may have been
    /// merged since.
    #[must_use]
    pub fn together<'p>(&self, parts: impl Iterator<Item = &'p Snapshot> + Clone) -> Snapshot {
        let listed = parts.clone().flat_map(|part| part.manifest.segments.iter().cloned()).collect();
        let manifest = Manifest { segments: listed, ..self.manifest.clone() };
        let segments = parts.flat_map(|part| part.segments.iter().cloned()).collect();
        Snapshot { manifest, segments, missing: Vec::new(), fields: Some(self.fields()) }
    }

    fn of_segments(&self, segments: Vec<Arc<Segment>>) -> Snapshot {
        let mut manifest = self.manifest.clone();
        let ids: HashSet<u64> = segments.iter().map(|segment| segment.meta.id).collect();
        manifest.segments.retain(|entry| ids.contains(&entry.id));
        Snapshot { manifest, segments, missing: Vec::new(), fields: None }
    }

    /// What is stored besides the original bytes.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.manifest.profile
    }

    /// Segments that cannot be opened.
    #[must_use]
    pub fn unopened(&self) -> &[Missing] {
        &self.missing
    }

    /// Segments whose data may be missing in answers because they are damaged: those that cannot be opened,
    /// and those that a query has found.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.missing.clone();
        missing.extend(self.segments.iter().filter_map(|segment| {
            let why = segment.damage()?.clone();
            Some(Missing { segment: segment.meta.id, events: segment.meta.events, why })
        }));
        missing
    }
}

impl Snapshot {
    /// Opens the segments of a manifest, reusing those that are open.
    pub fn load(manifest: Manifest, known: &[Arc<Segment>], shared: &Shared) -> Snapshot {
        shared.readings.update(&manifest);
        let mut segments = Vec::with_capacity(manifest.segments.len());
        let mut missing = Vec::new();
        let known: HashMap<u64, &Arc<Segment>> =
            known.iter().map(|segment| (segment.meta.id, segment)).collect();
        for entry in &manifest.segments {
            if let Some(&segment) = known.get(&entry.id) {
                segments.push(Arc::clone(segment));
                continue;
            }
            match Segment::open(entry.id, &entry.sha256, shared) {
                Ok(segment) => segments.push(Arc::new(segment)),
                Err(why) => missing.push(Missing { segment: entry.id, events: entry.events, why }),
            }
        }
        Snapshot { manifest, segments, missing, fields: None }
    }
}

/// The frames of every source over all segments, in the order of the source.
pub fn frames_by_source(segments: &[Arc<Segment>]) -> BTreeMap<u32, Vec<Frame>> {
    let mut found: BTreeMap<u32, Vec<Frame>> = BTreeMap::new();
    for entry in segments.iter().flat_map(|segment| &segment.meta.sources) {
        found.entry(entry.source).or_default().extend(&entry.frames);
    }
    for frames in found.values_mut() {
        frames.sort_unstable_by_key(|frame| frame.offset);
    }
    found
}

/// Those of one source.
pub fn frames_of(segments: &[Arc<Segment>], source: u32) -> Vec<Frame> {
    let entries = segments.iter().flat_map(|segment| &segment.meta.sources);
    let mut frames: Vec<_> = entries
        .filter(|entry| entry.source == source)
        .flat_map(|entry| entry.frames.iter().copied())
        .collect();
    frames.sort_unstable_by_key(|frame| frame.offset);
    frames
}

/// The events of a source in the segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCount {
    pub events: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
}

/// Counts the events of each source in the segments.
pub fn count_events(segments: &[Arc<Segment>]) -> Result<HashMap<u32, EventCount>> {
    let mut counts: HashMap<u32, EventCount> = HashMap::new();
    for segment in segments {
        let columns = segment.stored_columns()?;
        for (&source, &time) in columns.source.iter().zip(&columns.time) {
            let count = counts.entry(source).or_default();
            count.events += 1;
            if time != NO_TIME {
                count.first = Some(count.first.map_or(time, |first| first.min(time)));
                count.last = Some(count.last.map_or(time, |last| last.max(time)));
            }
        }
    }
    Ok(counts)
}
