//! Repairs damage where the original bytes are intact: segments are parsed again from them, and indexes are
//! rebuilt. Bytes missing in the raw files cannot be restored, and are reported.

use std::collections::HashSet;
use std::sync::Arc;

use super::{catch_up, unless_cancelled};
use crate::Verification;
use crate::case::Case;
use crate::import::Pending;
use crate::tune::Plan;
use crate::writing::Writing;
use base::Cancel;
use base::error::{Error, Result};
use store::Snapshot;
use store::{Manifest, Segment, WrittenSegment, raw_frames};

/// What a repair did.
#[derive(Clone, Debug, Default)]
pub struct RepairReport {
    /// Segments that were rebuilt, and indexes.
    pub segments: usize,
    pub indexes: usize,
    /// What is still wrong.
    pub problems: Vec<Error>,
}

impl Case {
    /// Repairs what `verify` finds, if the original bytes are there.
    pub fn repair(&self, cancel: &Cancel) -> Result<RepairReport> {
        let mut done = RepairReport::default();
        self.write(|writing| repair(writing, &self.snapshot(), &mut done, cancel))?;
        // Files of segments that were damaged are removed now that what is in them is known.
        self.write(|_| Ok(()))?;
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
    if !bad.is_empty() {
        done.segments = bad.len();
        rebuild(writing, &bad, cancel)?;
    }
    // The manifest is written in any case, and its copy with it.
    writing.publish(writing.manifest.clone(), Vec::new())?;
    catch_up(writing, cancel, &mut |_| {})
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
        let known: HashSet<u64> = whole
            .iter()
            .flat_map(|segment| &segment.meta.sources)
            .filter(|entry| entry.source == id as u32)
            .flat_map(|entry| entry.frames.iter().map(|frame| frame.offset))
            .collect();
        let raw = source.raw_file(id as u32);
        let frames = raw_frames(writing.folder(), raw)?;
        if frames.iter().all(|frame| known.contains(&frame.offset)) {
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
            if known.contains(&frame.offset) {
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
