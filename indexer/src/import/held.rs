//! When a source is read again, its new events replace the old ones in one commit, once all of them are
//! there.

use super::landing::Current;
use super::landing::Landing;
use crate::rewrite::{Gone, Merge};
use base::Cancel;
use base::error::{Error, ErrorKind, Result};
use std::path::Path;
use store::{
    Manifest, Outlived, RawFile, Segment, SourceEntry, WrittenSegment, frames_of, next_generation,
    recover_raw,
};

/// When the new events of a source that is read again replace the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacedAt {
    /// When so many bytes have landed as it had: it is read from a file that was compared with them, and more may
    /// follow.
    Bytes(u64),
    /// At its end, if its hash is the same: its stored bytes are read.
    End,
}

/// A source that is being read again, whose new events stay invisible until they replace the earlier ones.
pub struct Replacement {
    pub gone: Gone,
    at: ReplacedAt,
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

    /// The generation of the raw file that is written when it is read again.
    pub fn next_generation(&self, case: &Path, source: u32) -> u32 {
        self.entry.as_ref().map_or(0, |entry| next_generation(case, entry.raw_file(source)))
    }

    pub fn put_back(&self, source: u32, manifest: &mut Manifest) {
        if let (Some(entry), Some(place)) = (&self.entry, manifest.sources.get_mut(source as usize)) {
            place.clone_from(entry);
        }
    }
}

impl Replacement {
    pub fn new(gone: Gone, at: ReplacedAt, old: OldSource) -> Replacement {
        Replacement { gone, at, old, segments: Vec::new() }
    }

    /// Whether the new events replace the earlier ones when so many bytes have landed.
    pub fn is_complete(&self, bytes: u64) -> bool {
        matches!(self.at, ReplacedAt::Bytes(until) if bytes >= until)
    }

    /// The difference between what was read and what was stored, if there is one.
    pub fn fault(&self, now: &SourceEntry) -> Option<Error> {
        let old = self.old.entry.as_ref()?;
        let is_same = now.bytes == old.bytes && now.sha256 == old.sha256;
        (self.at == ReplacedAt::End && !is_same).then(|| {
            let message =
                format!("the stored bytes of {} do not match its hash; it stays as it was", old.name);
            Error::new(ErrorKind::CaseDamaged, message)
        })
    }
}

impl Landing<'_, '_> {
    /// The replacement is complete: the next commit shows it instead of the earlier events.
    pub fn release(&mut self, replacement: Replacement) {
        self.next_commit.gone.push(replacement.gone);
        self.next_commit.written.extend(replacement.segments);
    }

    /// A source that is read again is complete: the next commit shows the replacement.
    pub fn replace(&mut self, replacement: Replacement) {
        if let (ReplacedAt::End, Some(old)) = (replacement.at, &replacement.old.entry) {
            let entry = &mut self.manifest.sources[replacement.gone.source as usize];
            (entry.complete, entry.note) = (old.complete, old.note.clone());
        }
        self.release(replacement);
    }

    /// A source could not be read again: the earlier events stay, and the new ones are removed.
    pub fn keep_earlier(&mut self, current: Current, replacement: &Replacement) -> Result<()> {
        let source = replacement.gone.source;
        let raw = self.manifest.sources[source as usize].raw_file(source);
        replacement.old.put_back(source, &mut self.manifest);
        drop(self.pending.take_source(source));
        self.next_commit.accounts.of.remove(&source);
        // The file is closed before it is cut or removed.
        drop(current);
        self.take_back(replacement, raw)
    }

    /// Restores the files of a source as they were before it was read again into this raw file.
    fn take_back(&self, held: &Replacement, raw: RawFile) -> Result<()> {
        let (folder, source) = (self.writing.folder(), held.gone.source);
        for segment in &held.segments {
            drop(Outlived::removed(Segment::folder(folder, segment.meta.id)));
        }
        let Some(published) = self.writing.manifest.sources.get(source as usize) else { return Ok(()) };
        if published.raw_file(source) != raw {
            drop(Outlived::removed(raw.path(folder)));
            return Ok(());
        }
        let frames = frames_of(self.writing.segments(), source);
        recover_raw(folder, raw, published.raw_bytes, &frames)
    }

    /// Rewrites the segments with removed events, and takes them out of the manifest.
    pub fn rewrite_without_gone(&mut self, added: &mut Vec<WrittenSegment>) -> Result<()> {
        let gone = std::mem::take(&mut self.next_commit.gone);
        for segment in self.writing.segments() {
            if gone.iter().any(|gone| gone.is_in(segment)) {
                let id = self.manifest.new_segment();
                let mut merge = Merge::new(std::slice::from_ref(segment));
                merge.without.clone_from(&gone);
                // A commit is short, and stopping it would hide what was read again.
                added.extend(merge.write(
                    (self.writing.folder(), self.writing.names()),
                    id,
                    &Cancel::default(),
                )?);
                self.manifest.segments.retain(|entry| entry.id != segment.meta.id);
            }
        }
        Ok(())
    }
}
