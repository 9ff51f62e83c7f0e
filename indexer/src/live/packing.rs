//! What was received long ago is packed harder, in the background: first the raw file of each source of an old partition is
//! written again, next to the one that segments read; then its segments are written again, and read the new file.
//! Each of both is put in place by a publication, so that a crash leaves what was there or what is new.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::merging::{Room, columns_of, narrow};
use super::{Keep, Live, Moment};
use crate::rewrite::pack_again;
use crate::tune::lower_priority;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::limits::MERGED_COLUMNS;
use base::{Cancel, faults};
use engine::Engine;
use store::{Frame, Outlived, RawFile, Segment, SourceEntry, next_generation};

/// What was packed since it was said last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compressed {
    pub sources: usize,
    /// What their original bytes took.
    pub before: u64,
    pub after: u64,
}

/// A raw file that is being written again. When it is dropped it is cancelled, and leaves nothing.
pub struct Packing {
    source: u32,
    /// As the source was when it began.
    entry: SourceEntry,
    /// Of the file that is written.
    generation: u32,
    path: PathBuf,
    cancel: Cancel,
    thread: Option<JoinHandle<Result<u64>>>,
}

impl Live<'_> {
    /// Begins to pack the raw file of a source that was received long enough ago, if there is one and none is being packed.
    /// Tells whether it did.
    pub fn start_packing(&mut self, keep: Keep, now: Moment) -> Result<bool> {
        self.due = self.due_partition(keep, now);
        let Some(due) = self.due.filter(|_| self.packing.is_none()) else { return Ok(false) };
        // Frames are joined within a segment, so small segments are merged before.
        if self.loose_groups(due).iter().any(|group| group.len() > 1) {
            return Ok(false);
        }
        let is_loose = |entry: &SourceEntry| is_of(entry, due) && entry.bytes > entry.packed_bytes;
        let Some(source) = self.manifest.sources.iter().position(is_loose) else { return Ok(false) };
        let entry = &self.manifest.sources[source];
        let source = source as u32;
        let file =
            RawFile { source, generation: next_generation(self.writing.folder(), entry.raw_file(source)) };
        let runs = self.runs(source, entry);
        self.packing =
            Some(Packing::start(Arc::<_>::clone(self.writing.case()), (source, entry, file), runs)?);
        Ok(true)
    }

    /// Whether a raw file has been packed, and the next publication brings it.
    #[must_use]
    pub fn has_packed(&self) -> bool {
        self.packing.as_ref().is_some_and(Packing::has_ended)
    }

    /// What was packed since this was asked last, once nothing of what is old is left to pack; or why it cannot be.
    pub fn compressed(&mut self) -> Option<Result<Compressed>> {
        if let Some(error) = self.compress_error.take() {
            return Some(Err(error));
        }
        let is_done = self.packing.is_none() && self.compressed.sources > 0;
        let is_left =
            self.manifest.sources.iter().any(|entry| {
                self.due.is_some_and(|due| is_of(entry, due)) && entry.bytes > entry.packed_bytes
            });
        (is_done && !is_left).then(|| Ok(std::mem::take(&mut self.compressed)))
    }

    /// The oldest partition that was received long enough ago and is not packed as a whole.
    fn due_partition(&self, keep: Keep, now: Moment) -> Option<u64> {
        let after = keep.compress_after_ns?;
        let is_old =
            |received: Option<i64>| now.unix_ns.saturating_sub(received.unwrap_or(i64::MAX)) >= after;
        let mut loose: BTreeSet<u64> = BTreeSet::new();
        let sources = self.manifest.sources.iter().filter(|entry| entry.bytes > entry.packed_bytes);
        loose.extend(sources.filter_map(|entry| Some(entry.live.as_ref()?.partition)));
        let segments = self.writing.segments().iter().filter(|segment| !self.is_compact(segment));
        loose.extend(segments.filter_map(|segment| self.partition_of(segment)));
        let mut old = self.sizes(0).into_iter().filter(|(_, (_, received))| is_old(*received));
        old.find(|(partition, _)| *partition != self.partition && loose.contains(partition)).map(|(of, _)| of)
    }

    /// The frames of a source in runs that become one frame each. Where lines are events, small frames of one segment are
    /// joined: what comes line by line is packed badly. Elsewhere a frame's end may be that of an event.
    fn runs(&self, source: u32, entry: &SourceEntry) -> Vec<Vec<Frame>> {
        let mut runs: Vec<Vec<Frame>> = Vec::new();
        for segment in self.writing.segments() {
            for of in segment.meta.sources.iter().filter(|of| of.source == source) {
                let joins = entry.reading.lines && of.headings.is_empty();
                let mut rest = of.frames.as_slice();
                while !rest.is_empty() {
                    let (run, after) = rest.split_at(if joins { joined(rest) } else { 1 });
                    runs.push(run.to_vec());
                    rest = after;
                }
            }
        }
        runs.sort_by_key(|run| run.first().map(|frame| frame.offset));
        runs
    }

    /// Puts a raw file that was packed in the place of the one before, in the manifest that is published next. Segments
    /// read that one until they are written again.
    pub(super) fn take_packed(&mut self) -> Result<()> {
        let Some(packing) = self.packing.take_if(|packing| packing.has_ended()) else { return Ok(()) };
        faults::at("pack.publish").at_path(self.writing.folder())?;
        let (source, began) = (packing.source as usize, packing.entry.clone());
        let is_same = |entry: &&mut SourceEntry| {
            !entry.deleted && (entry.generation, entry.bytes) == (began.generation, began.bytes)
        };
        let Some(entry) = self.manifest.sources.get_mut(source).filter(is_same) else { return Ok(()) };
        let generation = packing.generation;
        let after = match packing.end() {
            Ok(after) => after,
            // What was there stays, and is tried again; events are published all the same.
            Err(error) => {
                self.compress_error = Some(error);
                return Ok(());
            }
        };
        self.compressed.sources += 1;
        self.compressed.before += entry.raw_bytes;
        self.compressed.after += after;
        entry.generation = generation;
        entry.raw_bytes = after;
        entry.packed_bytes = entry.bytes;
        Ok(())
    }

    /// Segments of old partitions that are to be written again: first those that fit into one, then each that is alone,
    /// once all of its sources are packed.
    pub(super) fn loose_segments(&self) -> Option<Vec<Arc<Segment>>> {
        let is_packed = |group: &[Arc<Segment>]| group.iter().all(|segment| self.is_packed(segment));
        let groups = self.loose_groups(self.due?);
        groups.into_iter().find(|group| group.len() > 1 || is_packed(group))
    }

    /// The segments of a partition that are not packed hard, together where they fit into one.
    fn loose_groups(&self, partition: u64) -> Vec<Vec<Arc<Segment>>> {
        let room = Room { events: self.most_merged_events };
        let mut groups: Vec<Vec<Arc<Segment>>> = Vec::new();
        let mut taken = 0.0;
        for segment in self.writing.segments() {
            if self.partition_of(segment) != Some(partition) || self.is_compact(segment) {
                continue;
            }
            let share = room.share(segment);
            taken += share;
            if let Some(group) = groups.last_mut().filter(|_| taken <= 1.0) {
                group.push(Arc::clone(segment));
            } else {
                groups.push(vec![Arc::clone(segment)]);
                taken = share;
            }
        }
        let narrowed =
            |group: Vec<Arc<Segment>>| narrow(group.into_iter(), columns_of, (usize::MAX, MERGED_COLUMNS));
        groups.into_iter().map(narrowed).collect()
    }

    /// Whether the raw files of all sources of a segment are packed.
    pub(super) fn is_packed(&self, segment: &Segment) -> bool {
        segment.meta.sources.iter().all(|of| {
            let entry = self.manifest.sources.get(of.source as usize);
            entry.is_some_and(|entry| entry.bytes == entry.packed_bytes)
        })
    }

    /// Whether a segment is packed hard, and reads the present raw files.
    fn is_compact(&self, segment: &Segment) -> bool {
        let reads_present = segment.meta.sources.iter().all(|of| {
            let entry = self.manifest.sources.get(of.source as usize);
            of.frames.iter().all(|frame| entry.is_none_or(|entry| frame.generation == entry.generation))
        });
        segment.meta.is_compact && reads_present
    }
}

/// Whether a source belongs to a partition.
fn is_of(entry: &SourceEntry, partition: u64) -> bool {
    entry.live.as_ref().is_some_and(|live| live.partition == partition)
}

/// How many frames from the first on follow one another and fit into one.
fn joined(frames: &[Frame]) -> usize {
    let mut end = frames[0].offset;
    let fits = frames.iter().take_while(|frame| {
        let follows = frame.offset == end;
        end = frame.end();
        follows && end - frames[0].offset <= ingest::limits::CHUNK_BYTES as u64
    });
    fits.count().max(1)
}

impl Packing {
    fn start(
        engine: Arc<Engine>,
        (source, entry, file): (u32, &SourceEntry, RawFile),
        runs: Vec<Vec<Frame>>,
    ) -> Result<Packing> {
        let cancel = Cancel::default();
        let stopped = cancel.clone();
        let path = file.path(engine.folder());
        let packed = entry.clone();
        let work = move || {
            lower_priority();
            let folder = engine.folder();
            faults::at("pack.begin").at_path(folder)?;
            let runs = runs.iter().map(Vec::as_slice);
            // One core at most: events are received on the others.
            let written = pack_again(&engine, &packed, file, runs, 1, &stopped)?;
            faults::at("pack.end").at_path(folder)?;
            Ok(written)
        };
        let thread = std::thread::Builder::new().name("packing".to_owned()).spawn(work).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("no thread could be started to compress: {error}"))
        })?;
        Ok(Packing {
            source,
            entry: entry.clone(),
            generation: file.generation,
            path,
            cancel,
            thread: Some(thread),
        })
    }

    /// Whether it packs a source of this kind.
    pub fn is_of(&self, is_one: impl Fn(&SourceEntry) -> bool) -> bool {
        is_one(&self.entry)
    }

    pub fn cancel(&self) {
        self.cancel.set();
    }

    fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What the file takes, once it is written.
    fn end(mut self) -> Result<u64> {
        let Some(thread) = self.thread.take() else { return Ok(0) };
        let written = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if written.is_err() {
            drop(Outlived::removed(self.path.clone()));
        }
        written
    }
}

impl Drop for Packing {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.cancel.set();
        // Whatever became of it, no source lists it.
        let _ = thread.join();
        drop(Outlived::removed(self.path.clone()));
    }
}
