//! When a source is read again, its new events replace the old ones in one commit, once all of them are
//! there.

use super::landing::Landing;
use crate::rewrite::{Gone, Merge};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use store::frames_of;
use store::{Manifest, Outlived, Segment, SourceEntry, WrittenSegment, raw_path, recover_raw};

/// A source that is being read again. Its new events stay invisible until as many bytes have landed as it
/// had.
pub struct Replacement {
    pub gone: Gone,
    pub until: u64,
    pub old: OldSource,
    pub segments: Vec<WrittenSegment>,
}

/// The earlier state of a source.
#[derive(Clone, Debug, Default)]
pub struct OldSource {
    entry: Option<Box<SourceEntry>>,
}

impl OldSource {
    pub fn from_entry(entry: Option<&SourceEntry>) -> OldSource {
        OldSource { entry: entry.cloned().map(Box::new) }
    }

    pub fn put_back(&self, source: u32, manifest: &mut Manifest) {
        if let (Some(entry), Some(place)) = (&self.entry, manifest.sources.get_mut(source as usize)) {
            place.clone_from(entry);
        }
    }
}

impl Replacement {
    pub fn new(gone: Gone, until: u64, old: OldSource) -> Replacement {
        Replacement { gone, until, old, segments: Vec::new() }
    }

    /// The difference between what was read and what was stored, if there is one.
    fn fault(&self, now: &SourceEntry) -> Option<Error> {
        let old = self.old.entry.as_ref()?;
        let is_same = now.bytes == old.bytes && now.sha256 == old.sha256;
        // A file that has grown was compared when it was opened; this is for stored bytes that are read again.
        (self.until == u64::MAX && !is_same).then(|| {
            let message =
                format!("the stored bytes of {} do not match its hash; it stays as it was", old.name);
            Error::new(ErrorKind::CaseDamaged, message)
        })
    }
}

impl Landing<'_, '_> {
    /// The replacement is complete: the next commit shows it instead of the earlier events.
    pub fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.gone.push(held.gone);
            self.written.extend(held.segments);
        }
    }

    /// At the end of a source that is read again: commits the replacement, or restores the earlier state.
    /// Returns the problem, if any.
    pub fn settle_held(&mut self, now: &SourceEntry, problem: Option<Error>) -> Option<Error> {
        let Some(held) = &self.held else { return problem };
        match problem.or_else(|| held.fault(now)) {
            None => {
                if let (u64::MAX, Some(old)) = (held.until, &held.old.entry) {
                    let entry = &mut self.manifest.sources[held.gone.source as usize];
                    (entry.complete, entry.note) = (old.complete, old.note.clone());
                }
                self.release();
                None
            }
            Some(problem) => {
                held.old.put_back(held.gone.source, &mut self.manifest);
                let source = held.gone.source;
                drop(self.pending.take_source(source));
                self.accounts.of.remove(&source);
                Some(problem)
            }
        }
    }

    /// Restores the files of a source as they were before it was read again.
    pub fn take_back(&self, held: &Replacement, generation: u32) -> Result<()> {
        let (folder, source) = (self.writing.folder(), held.gone.source);
        for segment in &held.segments {
            drop(Outlived(Segment::folder(folder, segment.meta.id)));
        }
        let Some(published) = self.writing.manifest.sources.get(source as usize) else { return Ok(()) };
        if published.generation != generation {
            drop(Outlived(raw_path(folder, source, generation)));
            return Ok(());
        }
        let frames = frames_of(self.writing.segments(), source);
        recover_raw(folder, (source, generation), published.raw_bytes, &frames)
    }

    /// Rewrites the segments with removed events, and takes them out of the manifest.
    pub fn rewrite_without_gone(&mut self, added: &mut Vec<WrittenSegment>) -> Result<()> {
        let gone = std::mem::take(&mut self.gone);
        for segment in self.writing.segments() {
            if gone.iter().any(|gone| gone.is_in(segment)) {
                let id = self.manifest.new_segment();
                let mut merge = Merge::new(std::slice::from_ref(segment));
                merge.without.clone_from(&gone);
                // A commit is short, and stopping it would hide what was read again.
                added.extend(merge.write(self.writing, id, &Cancel::default())?);
                self.manifest.segments.retain(|entry| entry.id != segment.meta.id);
            }
        }
        Ok(())
    }
}
