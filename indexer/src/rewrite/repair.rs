//! Repairs damage where the original bytes are intact: segments are parsed again from them, and indexes are
//! rebuilt. Bytes missing in the raw files cannot be restored, and are reported.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::manifest::{count_again, make_manifest};
use super::{catch_up, unless_cancelled};
use crate::Verification;
use crate::case::Case;
use crate::import::Pending;
use crate::tune::Plan;
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{Error, Result};
use store::{
    Accounts, Frame, Manifest, RawFile, Segment, Snapshot, SourceEntry, WrittenSegment, frames_of,
    raw_frames_that_are_left, verify_ids,
};

/// What a repair did.
#[derive(Clone, Debug, Default)]
pub struct RepairReport {
    /// Segments that were rebuilt, and indexes.
    pub segments: usize,
    pub indexes: usize,
    /// The numbers of events in the list of sources were wrong, and were counted again.
    pub counts: bool,
    /// What is still wrong.
    pub problems: Vec<Error>,
}

impl Case {
    /// Repairs what `verify` finds, if the original bytes are there.
    pub fn repair(&self, cancel: &Cancel) -> Result<RepairReport> {
        let mut done = RepairReport::default();
        make_manifest(self.folder())?;
        self.write(Purpose::Repair, |writing| repair(writing, &self.snapshot(), &mut done, cancel))?;
        // Files of segments that were damaged are removed now that what is in them is known.
        self.write(Purpose::Add, |_| Ok(()))?;
        let Verification { problems, .. } = self.verify(cancel);
        Ok(RepairReport { problems, ..done })
    }
}

fn repair(
    writing: &mut Writing<'_>,
    snapshot: &Snapshot,
    done: &mut RepairReport,
    cancel: &Cancel,
) -> Result<()> {
    let mut bad: HashSet<u64> = snapshot.unopened().iter().map(|missing| missing.segment).collect();
    for segment in &snapshot.segments {
        unless_cancelled(cancel)?;
        if segment.verify_table().is_err() {
            bad.insert(segment.meta.id);
        } else {
            done.indexes += segment.remove_bad_text()?;
        }
    }
    // A manifest that was made again does not list the segments that are lost.
    let lacks_bytes = |(id, source): (u32, &SourceEntry)| {
        let frames = frames_of(writing.segments(), id);
        !source.deleted && frames.iter().map(|frame| u64::from(frame.bytes)).sum::<u64>() < source.bytes
    };
    let is_incomplete = (0..).zip(&writing.manifest.sources).any(lacks_bytes);
    if !bad.is_empty() || is_incomplete {
        let before = writing.manifest.segments.len() - bad.len();
        rebuild(writing, &bad, cancel)?;
        done.segments = writing.manifest.segments.len().saturating_sub(before);
    }
    let mut manifest = writing.manifest.clone();
    if count_again(&mut manifest, writing.segments())? {
        done.counts = true;
    }
    // An account only explains how a source was read; nothing can make it again.
    for source in &mut manifest.sources {
        source.account = source.account.filter(|&number| Accounts::read(writing.folder(), number).is_ok());
    }
    // The manifest is written in any case, and its copy with it.
    writing.publish(manifest, Vec::new())?;
    catch_up(writing, cancel, &mut |_| {})?;
    if verify_ids(writing.folder()).is_err() { writing.keep_template_ids(cancel) } else { Ok(()) }
}

/// Parses everything again that no whole segment has, and puts segments of it in the place of the bad ones.
fn rebuild(writing: &mut Writing<'_>, bad: &HashSet<u64>, cancel: &Cancel) -> Result<()> {
    let whole: Vec<Arc<Segment>> =
        writing.segments().iter().filter(|segment| !bad.contains(&segment.meta.id)).cloned().collect();
    let mut manifest = writing.manifest.clone();
    manifest.segments.retain(|entry| !bad.contains(&entry.id));
    let mut written = Vec::new();
    let plan = Plan::of_this_machine();
    let mut pending = Pending::default();
    for (id, source) in writing.manifest.sources.iter().enumerate() {
        if source.deleted {
            continue;
        }
        let known = frames_of(&whole, id as u32);
        // A file that ended without being committed has more frames, which the source does not count.
        let Ok(mut frames) = aligned_frames(writing.folder(), source.raw_file(id as u32), &known) else {
            // The file is gone; `verify` says so, and what others have is made again.
            continue;
        };
        frames.retain(|frame| frame.end() <= source.bytes);
        if frames.iter().all(|frame| overlaps(frame, &known)) {
            continue;
        }
        let mut again = writing.again(id as u32)?;
        let mut cursor = writing.cursor();
        for frame in &frames {
            unless_cancelled(cancel)?;
            // Bytes that are lost are named by `verify`; what is around them is kept.
            let Ok(bytes) = cursor.read(id as u32, frame) else {
                again.skip(frame.bytes);
                continue;
            };
            let batch = again.next(bytes);
            if overlaps(frame, &known) {
                continue;
            }
            pending.add(id as u32, source, *frame, batch);
            if pending.is_full(&plan) {
                flush(writing, &plan, &mut manifest, &mut pending, &mut written)?;
            }
        }
    }
    flush(writing, &plan, &mut manifest, &mut pending, &mut written)?;
    writing.publish(manifest, written)
}

/// The stored frames of a source. During a compaction segments read two raw files whose frames may begin at other
/// places; those are returned whose frames are each in a whole segment or in none.
fn aligned_frames(case: &Path, current: RawFile, known: &[Frame]) -> Result<Vec<Frame>> {
    let others = known.iter().map(|frame| RawFile { generation: frame.generation, ..current });
    let candidates: BTreeSet<RawFile> = others.chain([current]).collect();
    let is_aligned = |frame: &Frame| {
        let next = known.partition_point(|known| known.offset <= frame.offset);
        let inside = next.checked_sub(1).is_some_and(|before| known[before].end() >= frame.end());
        inside || !overlaps(frame, known)
    };
    for &raw in &candidates {
        let frames = raw_frames_that_are_left(case, raw).unwrap_or_default();
        if !frames.is_empty() && frames.iter().all(is_aligned) {
            return Ok(frames);
        }
    }
    // What overlaps is left out of the segments that are made; `verify` names the missing events.
    raw_frames_that_are_left(case, current)
}

/// True if a frame shares bytes with one of these, which are in the order of their offsets.
fn overlaps(frame: &Frame, known: &[Frame]) -> bool {
    let next = known.partition_point(|known| known.end() <= frame.offset);
    known.get(next).is_some_and(|known| known.offset < frame.end())
}

fn flush(
    writing: &Writing<'_>,
    plan: &Plan,
    manifest: &mut Manifest,
    pending: &mut Pending,
    written: &mut Vec<WrittenSegment>,
) -> Result<()> {
    for part in std::mem::take(pending).into_segments(plan) {
        let id = manifest.new_segment();
        let new = part.write(writing.folder(), id, manifest.profile.has_columns(), writing.names())?;
        manifest.segments.push(Writing::entry(&new));
        written.push(new);
    }
    Ok(())
}
