//! Publishing: what has landed becomes segments, and the manifest names them.

use std::collections::BTreeMap;
use std::time::Instant;

use sha2::Digest;

use super::landing::Landing;
use super::pending::Pending;
use crate::case::Writing;
use crate::error::Result;
use crate::storage::{Frame, Manifest, Segment, SegmentEntry, bury_raw, sync_raw};

impl Landing<'_, '_> {
    /// Makes what has landed segments that everyone sees. They and the raw bytes are on disk before
    /// the manifest names them.
    pub fn publish(&mut self) -> Result<()> {
        if let Some(current) = &mut self.current {
            let entry = &mut self.manifest.sources[current.source as usize];
            entry.raw_bytes = current.raw.written();
            entry.sha256 = crate::hex(&current.hash.clone().finalize());
            self.unsynced.insert((current.source, entry.generation));
        }
        sync_raw(self.writing.folder(), &std::mem::take(&mut self.unsynced))?;
        let mut pending = std::mem::take(&mut self.pending);
        if let Some(held) = &mut self.held {
            let mine = pending.take_source(held.gone.source);
            if mine.is_full() {
                let segments = write_segments(mine, self.writing, &mut self.manifest)?;
                held.segments.extend(segments);
            } else {
                self.pending = mine;
            }
        }
        let mut added = std::mem::take(&mut self.written);
        added.extend(write_segments(pending, self.writing, &mut self.manifest)?);
        let removed = self.rewrite_without_gone(&mut added)?;
        self.manifest.segments.retain(|segment| !removed.contains(&segment.id));
        let entries = added.iter().map(|segment| SegmentEntry {
            id: segment.meta.id,
            events: segment.meta.events,
            indexed: false,
        });
        self.manifest.segments.extend(entries);
        self.manifest.revision += 1;
        self.publish_accounts()?;
        let mut manifest = self.manifest.clone();
        if let Some(held) = &self.held {
            held.old.put_back(held.gone.source, &mut manifest);
        }
        self.writing.publish(manifest, added, &removed)?;
        for (source, generation, frames) in std::mem::take(&mut self.buried) {
            bury_raw(self.writing.folder(), (source, generation), &frames)?;
        }
        self.published = Some(Instant::now());
        Ok(())
    }

    fn publish_accounts(&mut self) -> Result<()> {
        let accounts = std::mem::take(&mut self.accounts);
        if accounts.of.is_empty() {
            return Ok(());
        }
        accounts.write(self.writing.folder(), self.manifest.revision)?;
        for &source in accounts.of.keys() {
            self.manifest.sources[source as usize].account = Some(self.manifest.revision);
        }
        Ok(())
    }
}

/// Writes what is pending as segments; nobody sees them yet.
fn write_segments(pending: Pending, writing: &Writing<'_>, manifest: &mut Manifest) -> Result<Vec<Segment>> {
    let (case, columns) = (writing.folder(), writing.columns());
    let parts = pending.into_segments();
    parts.into_iter().map(|part| part.write(case, manifest.new_segment(), columns)).collect()
}

/// A source's frames over all segments, in the order of the source.
pub fn frames_by_source<'s>(segments: impl Iterator<Item = &'s Segment>) -> BTreeMap<u32, Vec<Frame>> {
    let mut found: BTreeMap<u32, Vec<Frame>> = BTreeMap::new();
    for entry in segments.flat_map(|segment| &segment.meta.sources) {
        found.entry(entry.source).or_default().extend(&entry.frames);
    }
    for frames in found.values_mut() {
        frames.sort_unstable_by_key(|frame| frame.offset);
    }
    found
}
