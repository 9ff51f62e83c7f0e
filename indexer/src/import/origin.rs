//! Where a source comes from that is being landed: it is new, goes on, or is read again. Each has what only it needs.

use super::held::{OldSource, ReplacedAt, Replacement};
use super::known::Ticket;
use super::landing::{Current, Landing};
use crate::rewrite::Gone;
use base::error::{Error, ErrorKind, Result};
use store::{Account, Frame, RawFile, RawWriter, Resume, SourceEntry};

/// What the current source was before, with what only such a source needs.
pub enum Origin {
    /// The case did not have it. Streams that begin like it wait for the ticket.
    New { ticket: Ticket },
    /// It continues a source from the start of its last chunk, whose events it replaces.
    Resumed { replacement: Option<Box<Replacement>> },
    /// It is read again from its first byte, and replaces all of its events.
    Reread { replacement: Option<Box<Replacement>> },
}

/// A source whose raw file is open, with the frames that it keeps.
pub struct OpenedRaw {
    pub source: u32,
    pub raw: RawWriter,
    pub frames: Vec<Frame>,
    pub origin: Origin,
}

impl Landing<'_, '_> {
    pub fn open_new(&mut self, ticket: Ticket) -> Result<OpenedRaw> {
        let source = self.manifest.sources.len() as u32;
        self.manifest.sources.push(SourceEntry::default());
        self.last_new = Some(source);
        let raw = RawWriter::create(self.writing.folder(), RawFile { source, generation: 0 })?;
        Ok(OpenedRaw { source, raw, frames: Vec::new(), origin: Origin::New { ticket } })
    }

    /// A source that is read again is written to a raw file of its own, until the earlier one is replaced.
    pub fn open_again(
        &mut self,
        source: u32,
        replaced_at: ReplacedAt,
        old: OldSource,
        entry: &mut SourceEntry,
    ) -> Result<OpenedRaw> {
        entry.generation = old.next_generation(self.writing.folder(), source);
        entry.content_generation = entry.generation;
        let raw = RawWriter::create(self.writing.folder(), entry.raw_file(source))?;
        let replacement = Some(Box::new(Replacement::new(Gone { source, from: 0 }, replaced_at, old)));
        Ok(OpenedRaw { source, raw, frames: Vec::new(), origin: Origin::Reread { replacement } })
    }

    /// A source that goes on is appended to its raw file, after the frames before its last chunk.
    pub fn open_resumed(
        &mut self,
        source: u32,
        resume: &Resume,
        old: OldSource,
        entry: &mut SourceEntry,
        account: &mut Account,
    ) -> Result<OpenedRaw> {
        let Some(known) = self.known.source(source) else {
            return Err(Error::new(ErrorKind::Internal, "a source goes on that is not there"));
        };
        let end = known.frames.partition_point(|frame| frame.offset < resume.offset);
        let frames = known.frames[..end].to_vec();
        entry.generation = known.entry.generation;
        entry.content_generation = known.entry.content_generation;
        let raw_bytes = known.entry.raw_bytes;
        let raw = RawWriter::resume(self.writing.folder(), entry.raw_file(source), &frames, raw_bytes)?;
        entry.packed_bytes = known.entry.packed_bytes.min(resume.offset);
        account.began = self.account_of(source, &known.entry).and_then(|account| account.began);
        (entry.bytes, entry.events, entry.unparsed) = (resume.offset, resume.events, resume.not_parsed);
        (entry.first, entry.last) = (resume.first, resume.last);
        account.unparsed.clone_from(&resume.unparsed);
        account.layouts.clone_from(&resume.layouts);
        account.left_out.clone_from(&resume.left_out);
        let gone = Gone { source, from: resume.offset };
        let replaced_at = ReplacedAt::Bytes(known.entry.bytes);
        let replacement = Some(Box::new(Replacement::new(gone, replaced_at, old)));
        Ok(OpenedRaw { source, raw, frames, origin: Origin::Resumed { replacement } })
    }
}

impl Origin {
    pub fn starts_at_first_byte(&self) -> bool {
        matches!(self, Origin::New { .. } | Origin::Reread { .. })
    }

    pub fn ticket(&self) -> Option<Ticket> {
        match self {
            Origin::New { ticket } => Some(*ticket),
            Origin::Resumed { .. } | Origin::Reread { .. } => None,
        }
    }
}

impl Current {
    /// The earlier events that it will replace; none for a new source, and once it has replaced them.
    pub fn replacement(&self) -> Option<&Replacement> {
        match &self.origin {
            Origin::New { .. } => None,
            Origin::Resumed { replacement } | Origin::Reread { replacement } => replacement.as_deref(),
        }
    }

    pub fn replacement_mut(&mut self) -> Option<&mut Replacement> {
        match &mut self.origin {
            Origin::New { .. } => None,
            Origin::Resumed { replacement } | Origin::Reread { replacement } => replacement.as_deref_mut(),
        }
    }

    pub fn take_replacement(&mut self) -> Option<Replacement> {
        match &mut self.origin {
            Origin::New { .. } => None,
            Origin::Resumed { replacement } | Origin::Reread { replacement } => {
                replacement.take().map(|replacement| *replacement)
            }
        }
    }
}
