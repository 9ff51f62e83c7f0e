//! Small segments of live sources are merged by tiers, on a thread of its own: what is received goes on becoming
//! events meanwhile, and queries go on reading the small ones. The next publication after its end puts the merged
//! segment in their place. Until then no manifest lists it, so that a crash leaves the small ones.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Live, Moment};
use crate::case::Case;
use crate::rewrite::{Merge, PackedAgain, current_files, unlisted};
use crate::tune::lower_priority;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::limits::{
    COMPACT_COLUMN_LEVEL, INDEXED_EVENTS, MERGED_CELLS, MERGED_COLUMNS, MERGED_EVENTS, MERGED_RAW_BYTES,
    MERGED_SEGMENTS, MOST_MERGED_SEGMENTS, SMALL_SEGMENT_EVENTS,
};
use base::{Cancel, faults};
use engine::Engine;
use store::{Names, Outlived, Profile, RawFile, Segment, SegmentEntry, WrittenSegment, folder_bytes};

/// Segments of one tier differ by this factor at most.
const TIER: f64 = 4.0;

/// How long the files of segments stay that are listed no longer: longer than questions take.
const PARTED_LAST: Duration = Duration::from_secs(30);

/// What takes more of the room stays as it is when its partition has ended.
const LEFT_SHARE: f64 = 0.5;

/// What sums and roots of shares may be off.
const ROUNDING: f64 = 1e-9;

/// Segments of about one size, with the share of the room that each takes.
type Tier = Vec<(f64, Arc<Segment>)>;

/// A merged segment and how long that took; nothing where it was cancelled.
type MergeResult = Result<Option<(WrittenSegment, Duration)>>;

/// A merge that runs. When it is dropped it is cancelled, and leaves nothing.
pub struct Merging {
    folder: PathBuf,
    /// Held until the end, so that neither their files nor the original bytes go before it.
    segments: Vec<Arc<Segment>>,
    cancel: Cancel,
    thread: Option<JoinHandle<MergeResult>>,
    profile: Profile,
}

/// Segments that the case lists no longer, and since when. Another process may read what it saw before: it asks what the
/// case lists for each question, so that their files have to outlast a question.
pub struct Parted {
    since: Instant,
    segments: Vec<Arc<Segment>>,
}

/// A merged segment that no manifest lists yet.
pub struct Merged {
    pub gone: Vec<Arc<Segment>>,
    pub entry: SegmentEntry,
    pub written: WrittenSegment,
    pub took: Duration,
}

impl Live<'_> {
    /// Begins to merge a run of segments of about one size, if there are enough and nothing is being merged. Tells
    /// whether it did.
    pub fn start_merging(&mut self) -> Result<bool> {
        if self.merging.is_some() {
            return Ok(false);
        }
        // In turn: what is new needs few segments, and what is old may be much.
        let loose = if self.was_loose { None } else { self.loose_segments() };
        self.was_loose = loose.is_some();
        let Some(group) = loose.or_else(|| self.mergeable()).or_else(|| self.loose_segments()) else {
            return Ok(false);
        };
        let packed = group
            .iter()
            .all(|segment| {
                let is_due = self.due.is_some() && self.partition_of(segment) == self.due;
                is_due && self.is_packed(segment)
            })
            .then(|| current_files(&self.manifest, &group));
        let id = self.manifest.new_segment();
        let names = Arc::clone(self.writing.names());
        let wanted = (id, self.manifest.profile);
        self.merging = Some(Merging::start(self.writing.case(), names, (group, packed), wanted)?);
        Ok(true)
    }

    /// Whether a merge has ended, and the next publication brings it.
    #[must_use]
    pub fn has_merged(&self) -> bool {
        self.merging.as_ref().is_some_and(Merging::has_ended)
    }

    /// What a merge has written, once it has ended. Where its segments were dropped meanwhile, nothing.
    pub(super) fn merged(&mut self) -> Result<Option<Merged>> {
        let Some(merging) = self.merging.take_if(|merging| merging.has_ended()) else { return Ok(None) };
        faults::at("merge.publish").at_path(self.writing.folder())?;
        let listed = |id: u64| self.manifest.segments.iter().any(|entry| entry.id == id);
        if merging.replaces(|id| !listed(id)) {
            return Ok(None);
        }
        merging.end()
    }

    /// Keeps the files of segments that are listed no longer for a while, and gives up those of before.
    pub(super) fn part_with(&mut self, segments: Vec<Arc<Segment>>, now: Moment) {
        let is_over = |parted: &Parted| now.instant.saturating_duration_since(parted.since) >= PARTED_LAST;
        self.parted.retain(|parted| !is_over(parted));
        if !segments.is_empty() {
            self.parted.push(Parted { since: now.instant, segments });
        }
    }

    /// What the files take that are there for other processes only.
    pub(super) fn parted_bytes(&self) -> u64 {
        let segments = self.parted.iter().flat_map(|parted| &parted.segments);
        segments.map(|segment| folder_bytes(segment.path())).sum()
    }

    /// The first segments of the lowest tier that has enough of them, or what is left of a partition that gets no more.
    fn mergeable(&self) -> Option<Vec<Arc<Segment>>> {
        let room = Room { events: MERGED_EVENTS.min(self.most_merged_events) };
        let mut tiers: BTreeMap<(u64, i32), Tier> = BTreeMap::new();
        let mut left: BTreeMap<u64, Tier> = BTreeMap::new();
        for segment in self.writing.segments() {
            let Some(partition) = self.partition_of(segment) else { continue };
            // Those are packed harder as they are, and merged by that.
            if segment.meta.is_compact || self.due == Some(partition) {
                continue;
            }
            let share = room.share(segment);
            let tier = share.log(TIER).floor() as i32;
            tiers.entry((partition, tier)).or_default().push((share, Arc::clone(segment)));
            if partition < self.partition && share <= LEFT_SHARE {
                left.entry(partition).or_default().push((share, Arc::clone(segment)));
            }
        }
        let group = |segments: Tier, count: &dyn Fn(&[f64]) -> Option<usize>| {
            let shares: Vec<f64> = segments.iter().map(|(share, _)| *share).collect();
            let count = count(&shares)?;
            let segments = segments.into_iter().map(|(_, segment)| segment);
            let group = narrow(segments, columns_of, (count, MERGED_COLUMNS));
            (group.len() >= 2).then_some(group)
        };
        let tier = tiers.into_values().find_map(|segments| group(segments, &merged_at_once));
        tier.or_else(|| {
            left.into_values().find_map(|segments| group(segments, &|shares| Some(fitting(shares))))
        })
    }
}

pub(super) fn columns_of(segment: &Arc<Segment>) -> Vec<String> {
    segment.meta.fields.iter().map(|field| field.column.clone()).collect()
}

/// The first of a tier, up to so many, that have at most so many columns together.
pub(super) fn narrow<T>(
    segments: impl Iterator<Item = T>,
    columns_of: impl Fn(&T) -> Vec<String>,
    (count, most): (usize, usize),
) -> Vec<T> {
    let mut columns: HashSet<String> = HashSet::new();
    let fits = |segment: &T| {
        let new: Vec<String> =
            columns_of(segment).into_iter().filter(|column| !columns.contains(column)).collect();
        let fits = columns.len() + new.len() <= most;
        if fits {
            columns.extend(new);
        }
        fits
    };
    segments.filter(fits).take(count).collect()
}

/// What a merged segment may hold.
pub(super) struct Room {
    pub events: u64,
}

impl Room {
    /// Which part of the room a segment takes.
    pub fn share(&self, segment: &Segment) -> f64 {
        let meta = &segment.meta;
        let events = meta.events.max(SMALL_SEGMENT_EVENTS) as f64 / self.events as f64;
        let bytes = segment.raw_bytes() as f64 / MERGED_RAW_BYTES as f64;
        let cells = meta.events as f64 * meta.fields.len() as f64 / MERGED_CELLS as f64;
        events.max(bytes).max(cells)
    }
}

/// How many of the first segments fill the room at most.
fn fitting(shares: &[f64]) -> usize {
    let mut taken = 0.0;
    let fits = shares.iter().take(MOST_MERGED_SEGMENTS).take_while(|share| {
        taken += **share;
        taken <= 1.0 + ROUNDING
    });
    fits.count()
}

/// How many segments of a tier are merged, by the shares of the room that they take: none where there are too few. The
/// room is filled in as few steps as take at most [`MERGED_SEGMENTS`] each, and these are of the same width, so that the
/// last one fills it.
fn merged_at_once(shares: &[f64]) -> Option<usize> {
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let full = (1.0 / mean + ROUNDING).floor();
    if shares.is_empty() || full < 2.0 {
        return None;
    }
    let steps = full.log(MERGED_SEGMENTS as f64).ceil().max(1.0);
    let width = (full.powf(1.0 / steps) - ROUNDING).ceil() as usize;
    if shares.len() < width {
        return None;
    }
    // More than that where merging was too slow.
    let fits = fitting(shares);
    (fits >= 2).then_some(if shares.len() >= 4 * width { fits } else { fits.min(width) })
}

impl Merging {
    fn start(
        case: &Case,
        names: Arc<Names>,
        (segments, packed): (Vec<Arc<Segment>>, Option<Vec<RawFile>>),
        (id, wanted): (u64, Profile),
    ) -> Result<Merging> {
        let events: u64 = segments.iter().map(|segment| segment.meta.events).sum();
        let profile = if events < INDEXED_EVENTS && wanted.has_columns() { Profile::Fields } else { wanted };
        let engine = Arc::<Engine>::clone(case);
        let cancel = Cancel::default();
        let stopped = cancel.clone();
        let parts: Vec<Arc<Segment>> =
            segments.iter().map(|segment| Arc::new(unlisted(&engine, &segment.meta))).collect();
        let folder = Segment::folder(engine.folder(), id);
        let work = move || {
            lower_priority();
            let began = Instant::now();
            faults::at("merge.begin").at_path(engine.folder())?;
            let mut merge = Merge::new(&parts);
            merge.has_columns = wanted.has_columns();
            if let Some(packed) = packed {
                merge.level = Some(COMPACT_COLUMN_LEVEL);
                PackedAgain::default().apply(&mut merge, engine.folder(), &packed)?;
            }
            let written = merge.write_reaching((&engine, &names), (id, profile), &stopped)?;
            faults::at("merge.end").at_path(engine.folder())?;
            Ok(written.map(|written| (written, began.elapsed())))
        };
        let thread = std::thread::Builder::new().name("merging".to_owned()).spawn(work).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("no thread could be started to merge: {error}"))
        })?;
        Ok(Merging { folder, segments, cancel, thread: Some(thread), profile })
    }

    /// Where it writes.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it replaces one of these segments.
    pub fn replaces(&self, is_one: impl Fn(u64) -> bool) -> bool {
        self.segments.iter().any(|segment| is_one(segment.meta.id))
    }

    pub fn cancel(&self) {
        self.cancel.set();
    }

    fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until it has ended.
    fn end(mut self) -> Result<Option<Merged>> {
        let Some(thread) = self.thread.take() else { return Ok(None) };
        let written = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                drop(Outlived::removed(self.folder.clone()));
                return Err(error);
            }
        };
        Ok(written.map(|(written, took)| Merged {
            gone: std::mem::take(&mut self.segments),
            entry: SegmentEntry { profile: self.profile, ..crate::writing::Writing::entry(&written) },
            written,
            took,
        }))
    }
}

impl Drop for Merging {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.cancel.set();
        // Whatever became of it, it is not listed.
        let _ = thread.join();
        drop(Outlived::removed(self.folder.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_filled_in_steps_of_one_width() {
        let at_once = |share: f64, count: usize| merged_at_once(&vec![share; count]);
        // A hundred fill it: by fives, twenty of those by fives, and four of those at once.
        assert_eq!((at_once(0.01, 4), at_once(0.01, 5)), (None, Some(5)));
        assert_eq!((at_once(0.05, 4), at_once(0.05, 5)), (None, Some(5)));
        assert_eq!((at_once(0.25, 3), at_once(0.25, 4)), (None, Some(4)));
        // What is more than half full stays as it is.
        assert_eq!((at_once(0.5, 2), at_once(0.51, 9)), (Some(2), None));
        assert_eq!((at_once(0.000_1, 6), at_once(0.000_1, 7)), (None, Some(7)));
        // Where there are many more, all that fit are merged at once.
        assert_eq!((at_once(0.01, 20), at_once(0.05, 40)), (Some(20), Some(20)));
        assert_eq!(at_once(0.01, 500), Some(MOST_MERGED_SEGMENTS));
        assert_eq!(merged_at_once(&[]), None);
    }

    #[test]
    fn segments_with_too_many_columns_together_stay_separate() {
        let columns = |names: &&str| names.chars().map(String::from).collect();
        let chosen = |count: usize, most: usize| {
            narrow(["ab", "abc", "def", "ac", "g"].into_iter(), columns, (count, most))
        };
        assert_eq!(chosen(5, 7), ["ab", "abc", "def", "ac", "g"]);
        assert_eq!(chosen(3, 7), ["ab", "abc", "def"]);
        assert_eq!(chosen(5, 4), ["ab", "abc", "ac", "g"]);
        assert_eq!(chosen(5, 1), ["g"]);
    }

    /// The number of segments while one of a share comes after the other, and how often each was written again.
    fn simulated(share: f64, publications: usize) -> (usize, f64) {
        let mut segments: Vec<f64> = Vec::new();
        let (mut most, mut written) = (0, 0.0);
        for _ in 0..publications {
            segments.push(share);
            let mut tiers: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
            for (place, share) in segments.iter().enumerate() {
                tiers.entry(share.log(TIER).floor() as i32).or_default().push(place);
            }
            let group = tiers.into_values().find_map(|places| {
                let shares: Vec<f64> = places.iter().map(|&place| segments[place]).collect();
                Some(places[..merged_at_once(&shares)?].to_vec())
            });
            if let Some(group) = group {
                let merged: f64 = group.iter().map(|&place| segments[place]).sum();
                written += merged;
                let mut place = 0;
                segments.retain(|_| {
                    place += 1;
                    !group.contains(&(place - 1))
                });
                segments.push(merged);
            }
            most = most.max(segments.len());
        }
        (most, written / (share * publications as f64))
    }

    #[test]
    fn number_of_segments_grows_by_the_logarithm_until_they_are_full() {
        // An hour of 20,000 events a second, published each second, makes 36 times the room.
        let (most, written) = simulated(0.01, 3_600);
        assert!(most <= 60 && written <= 3.1, "{most} segments, written {written} times");
        let (few, written) = simulated(0.000_5, 2_000);
        assert!(few <= 30 && written <= 4.1, "{few} segments, written {written} times");
    }
}
