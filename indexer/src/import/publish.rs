//! Commit: what has landed becomes segments, and the manifest lists them.

use std::time::Instant;

use sha2::Digest;

use super::landing::{Current, Landing};
use super::pending::Pending;
use crate::tune::Plan;
use crate::writing::Writing;
use base::error::Result;
use store::{Manifest, WrittenSegment, abandon_raw_frames, sync_raw};

impl Landing<'_, '_> {
    /// Commits what has landed as segments. They and the raw bytes are durable before the manifest lists
    /// them.
    pub fn publish(&mut self) -> Result<()> {
        if let Some(current) = &mut self.current {
            let entry = &mut self.manifest.sources[current.source as usize];
            entry.raw_bytes = current.raw.written();
            entry.sha256 = base::hex(&current.hash.clone().finalize());
            self.next_commit.unsynced.insert(entry.raw_file(current.source));
        }
        sync_raw(self.writing.folder(), &std::mem::take(&mut self.next_commit.unsynced))?;
        let mut pending = std::mem::take(&mut self.pending);
        if let Some(held) = self.current.as_mut().and_then(Current::replacement_mut) {
            let mine = pending.take_source(held.gone.source);
            if mine.is_full(&self.plan) {
                let segments = write_segments(mine, (self.writing, &self.plan), &mut self.manifest)?;
                held.segments.extend(segments);
            } else {
                self.pending = mine;
            }
        }
        let mut added = std::mem::take(&mut self.next_commit.written);
        added.extend(write_segments(pending, (self.writing, &self.plan), &mut self.manifest)?);
        self.rewrite_without_gone(&mut added)?;
        self.manifest.segments.extend(added.iter().map(Writing::entry));
        self.publish_accounts()?;
        let mut manifest = self.manifest.clone();
        if let Some(held) = self.current.as_ref().and_then(Current::replacement) {
            held.old.put_back(held.gone.source, &mut manifest);
        }
        self.writing.publish(manifest, added)?;
        self.manifest.revision = self.writing.manifest.revision;
        for (raw, frames) in std::mem::take(&mut self.next_commit.buried) {
            abandon_raw_frames(self.writing.folder(), raw, &frames)?;
        }
        self.published = Some(Instant::now());
        Ok(())
    }

    fn publish_accounts(&mut self) -> Result<()> {
        let accounts = std::mem::take(&mut self.next_commit.accounts);
        if accounts.of.is_empty() {
            return Ok(());
        }
        let number = self.writing.manifest.revision + 1;
        accounts.write(self.writing.folder(), number)?;
        for &source in accounts.of.keys() {
            self.manifest.sources[source as usize].account = Some(number);
        }
        Ok(())
    }
}

/// Writes what is pending as segments, which are not visible yet.
pub(crate) fn write_segments(
    pending: Pending,
    (writing, plan): (&Writing<'_>, &Plan),
    manifest: &mut Manifest,
) -> Result<Vec<WrittenSegment>> {
    let has_columns = manifest.profile.has_columns();
    let parts = pending.into_segments(plan);
    let (case, names) = (writing.folder(), writing.names());
    parts.into_iter().map(|part| part.write(case, manifest.new_segment(), has_columns, names)).collect()
}
