//! Compaction: raw frames are packed harder, small segments are merged, and columns and text indexes of the
//! merged ones are rebuilt. Every step leaves a valid case, so compaction can be cancelled or killed at any
//! point and resumes later.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::delete::put_in_place;
use super::merge::Merge;
use super::{Rewriting, catch_up, unless_cancelled};
use crate::case::Case;
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{Error, ErrorKind, Result, from_io};
use base::limits::{COMPACT_COLUMN_LEVEL, COMPACT_RAW_BYTES, COMPACT_RAW_LEVEL, SEGMENT_CELLS, SEGMENT_ROWS};
use engine::Engine;
use sha2::{Digest, Sha256};
use store::{
    Frame, Manifest, RawCursor, RawFile, RawWriter, Segment, SourceEntry, frames_of, next_generation, pack,
    raw_frames, sync_raw,
};

/// Frames that a worker packs between two checks for cancellation: a tenth of a second.
const FRAMES_A_WORKER: usize = 8;

/// The result of a compaction.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompactReport {
    pub bytes_before: u64,
    pub bytes_after: u64,
    pub segments_before: usize,
    pub segments_after: usize,
    pub seconds: f64,
}

impl Case {
    /// Makes the case smaller. Compact parts are left as they are.
    pub fn compact(&self, report: &mut dyn FnMut(Rewriting), cancel: &Cancel) -> Result<CompactReport> {
        let started = Instant::now();
        let (bytes_before, segments_before) = (self.bytes_on_disk(), self.snapshot().segments.len());
        self.write(Purpose::Rewrite, |writing| compact(writing, report, cancel))?;
        Ok(CompactReport {
            bytes_before,
            bytes_after: self.bytes_on_disk(),
            segments_before,
            segments_after: self.snapshot().segments.len(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

fn compact(writing: &mut Writing<'_>, report: &mut dyn FnMut(Rewriting), cancel: &Cancel) -> Result<()> {
    let sources = 0..writing.manifest.sources.len() as u32;
    let loose: Vec<u32> = sources.filter(|&source| is_loose(writing, source)).collect();
    // Progress counts sources and groups alike; there is no better estimate of their times.
    let mut of = loose.len() + groups(writing).len();
    let mut done = 0;
    for source in loose {
        report(Rewriting { done, of });
        pack_source(writing, source, cancel)?;
        done += 1;
    }
    let groups = groups(writing);
    of = done + groups.len();
    let mut packed = PackedAgain::default();
    for group in groups {
        report(Rewriting { done, of });
        unless_cancelled(cancel)?;
        merge(writing, &group, &mut packed, cancel)?;
        done += 1;
    }
    report(Rewriting { done, of });
    catch_up(writing, cancel, &mut |_| {})
}

/// True if a part of the source's raw file was never packed hard.
fn is_loose(writing: &Writing<'_>, source: u32) -> bool {
    let entry = &writing.manifest.sources[source as usize];
    !entry.deleted && entry.bytes > entry.packed_bytes
}

/// Writes the next generation of a source's raw file. Segments keep reading the previous one until they are
/// merged.
fn pack_source(writing: &mut Writing<'_>, source: u32, cancel: &Cancel) -> Result<()> {
    let mut manifest = writing.manifest.clone();
    let entry = &mut manifest.sources[source as usize];
    let frames = frames_of(writing.segments(), source);
    entry.generation = next_generation(writing.folder(), entry.raw_file(source));
    let file = entry.raw_file(source);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let runs = frames.chunks(1);
    match pack_again(writing.case(), entry, file, runs, workers, cancel) {
        Ok(written) => entry.raw_bytes = written,
        Err(error) => {
            writing.recover()?;
            return Err(error);
        }
    }
    entry.packed_bytes = entry.bytes;
    writing.publish(manifest, Vec::new())
}

/// Writes a raw file with the bytes of a source, each run as one frame that is packed hard, and returns how long its
/// frames are. The file is whole: what was read for it and what it gives back both have the hash of the source.
pub(crate) fn pack_again<'r>(
    engine: &Engine,
    entry: &SourceEntry,
    file: RawFile,
    runs: impl Iterator<Item = &'r [Frame]>,
    workers: usize,
    cancel: &Cancel,
) -> Result<u64> {
    let mut raw = RawWriter::create(engine.folder(), file)?;
    let mut cursor = engine.raw_cursor();
    let differs = |what: &str| {
        let message = format!("{what} of {} do not match its hash; the source stays as it was", entry.name);
        Error::new(ErrorKind::CaseDamaged, message)
            .at(&file.path(engine.folder()))
            .hint("`timberline verify` names what is damaged, and `--repair` rebuilds what can be rebuilt")
    };
    if pack_runs(runs, file.source, (&mut cursor, &mut raw), workers, cancel)? != entry.sha256 {
        return Err(differs("the stored bytes"));
    }
    let written = raw.written();
    raw.finish()?;
    sync_raw(engine.folder(), &[file].into())?;
    let mut hash = Sha256::new();
    for frame in raw_frames(engine.folder(), file)? {
        unless_cancelled(cancel)?;
        hash.update(cursor.read(file.source, &frame)?);
    }
    if base::hex(&hash.finalize()) == entry.sha256 { Ok(written) } else { Err(differs("the packed bytes")) }
}

/// Writes the bytes of each run as one frame, packed hard. Returns the SHA-256 of all of them.
fn pack_runs<'r>(
    runs: impl Iterator<Item = &'r [Frame]>,
    source: u32,
    (cursor, raw): (&mut RawCursor<'_>, &mut RawWriter),
    workers: usize,
    cancel: &Cancel,
) -> Result<String> {
    let runs: Vec<&[Frame]> = runs.collect();
    let mut hash = Sha256::new();
    for part in runs.chunks(workers * FRAMES_A_WORKER) {
        unless_cancelled(cancel)?;
        let mut bytes = Vec::with_capacity(part.len());
        for run in part {
            let mut joined = Vec::new();
            for frame in *run {
                joined.append(&mut cursor.read(source, frame)?);
            }
            hash.update(&joined);
            bytes.push(joined);
        }
        let packed = std::thread::scope(|scope| {
            let pack_part = |part: &[Vec<u8>]| -> Result<Vec<Vec<u8>>> {
                let packed = part.iter().map(|bytes| pack(bytes, COMPACT_RAW_LEVEL));
                packed.collect::<std::io::Result<_>>().map_err(|error| from_io(&error))
            };
            let parts = bytes.chunks(bytes.len().div_ceil(workers).max(1));
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || pack_part(part))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect::<Result<Vec<_>>>()
        })?;
        for (packed, bytes) in packed.iter().flatten().zip(&bytes) {
            raw.append(packed, bytes.len() as u32)?;
        }
    }
    Ok(base::hex(&hash.finalize()))
}

/// Where the frames of raw files that were packed again are now.
#[derive(Default)]
pub(crate) struct PackedAgain {
    /// By source, in the order of their bytes.
    frames: HashMap<u32, Vec<Frame>>,
}

impl PackedAgain {
    /// Has a merged segment read the current raw files of its sources.
    pub fn apply(&mut self, merge: &mut Merge<'_>, case: &Path, current: &[RawFile]) -> Result<()> {
        for source in merge.segments.iter().flat_map(|segment| &segment.meta.sources) {
            let Some(&file) = current.iter().find(|file| file.source == source.source) else { continue };
            if source.frames.iter().all(|frame| frame.generation == file.generation) {
                continue;
            }
            let now = match self.frames.entry(source.source) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(raw_frames(case, file)?),
            };
            for frame in &source.frames {
                let at = now.partition_point(|now| now.offset <= frame.offset);
                let now = at.checked_sub(1).map(|at| now[at]).filter(|now| now.end() >= frame.end());
                merge.frames.extend(now.map(|now| ((source.source, frame.offset), now)));
            }
        }
        Ok(())
    }
}

/// Runs of neighbouring segments to merge. A compact segment that reads the current raw files is in none,
/// unless a neighbour can join it.
fn groups(writing: &Writing<'_>) -> Vec<Vec<Arc<Segment>>> {
    let mut groups: Vec<Vec<Arc<Segment>>> = Vec::new();
    let (mut raw_bytes, mut rows, mut fields) = (0, 0, 0);
    for segment in writing.segments() {
        let (more_bytes, more_rows) = (segment.raw_bytes(), segment.meta.events as usize);
        let more_fields = segment.meta.fields.len();
        let cells = (rows + more_rows) * (fields + more_fields).max(1);
        let fits = raw_bytes + more_bytes <= COMPACT_RAW_BYTES
            && rows + more_rows <= SEGMENT_ROWS
            && cells <= SEGMENT_CELLS;
        if fits && let Some(group) = groups.last_mut() {
            group.push(Arc::clone(segment));
            (raw_bytes, rows, fields) = (raw_bytes + more_bytes, rows + more_rows, fields.max(more_fields));
        } else {
            groups.push(vec![Arc::clone(segment)]);
            (raw_bytes, rows, fields) = (more_bytes, more_rows, more_fields);
        }
    }
    groups.retain(|group| group.len() > 1 || !group.iter().all(|segment| is_compact(writing, segment)));
    groups
}

fn is_compact(writing: &Writing<'_>, segment: &Segment) -> bool {
    let is_current = |source: &store::SegmentSource| {
        let entry = writing.manifest.sources.get(source.source as usize);
        entry.is_none_or(|entry| source.frames.iter().all(|frame| frame.generation == entry.generation))
    };
    segment.meta.is_compact && segment.meta.sources.iter().all(is_current)
}

/// Writes one segment for several, with the current positions of the raw frames, and what the profile has of
/// tokens, before the manifest names it.
fn merge(
    writing: &mut Writing<'_>,
    group: &[Arc<Segment>],
    packed: &mut PackedAgain,
    cancel: &Cancel,
) -> Result<()> {
    let mut merge = Merge::new(group);
    merge.level = Some(COMPACT_COLUMN_LEVEL);
    merge.has_columns = writing.manifest.profile.has_columns();
    packed.apply(&mut merge, writing.folder(), &current_files(&writing.manifest, group))?;
    let ids: Vec<u64> = group.iter().map(|segment| segment.meta.id).collect();
    writing.replace(&ids, &merge, cancel).map(drop)
}

/// The current raw files of the sources of segments.
pub(crate) fn current_files(manifest: &Manifest, segments: &[Arc<Segment>]) -> Vec<RawFile> {
    let ids: BTreeSet<u32> =
        segments.iter().flat_map(|segment| &segment.meta.sources).map(|entry| entry.source).collect();
    let files = ids.into_iter().filter_map(|id| {
        let entry = manifest.sources.get(id as usize)?;
        Some(entry.raw_file(id))
    });
    files.collect()
}

impl Writing<'_> {
    /// Writes a segment that replaces others, builds what the profile has of tokens, and names it in one
    /// step. Gives its id, where there is anything left to write.
    pub fn replace(&mut self, gone: &[u64], merge: &Merge<'_>, cancel: &Cancel) -> Result<Option<u64>> {
        let mut manifest = self.manifest.clone();
        let id = manifest.new_segment();
        let profile = manifest.profile;
        let written = merge.write_reaching((self.case(), self.names()), (id, profile), cancel);
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                self.recover()?;
                return Err(error);
            }
        };
        let entry =
            written.as_ref().map(|written| store::SegmentEntry { profile, ..Writing::entry(written) });
        let is_left = entry.is_some();
        put_in_place(&mut manifest, gone, entry);
        self.publish(manifest, written.into_iter().collect())?;
        Ok(is_left.then_some(id))
    }
}
