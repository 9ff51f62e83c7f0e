//! What keeps a case small that is received into for days: what is older or more than is to be kept is dropped.
//!
//! Sources that were received at one time form a partition, and no segment has events of two. So a partition is
//! dropped by dropping whole segments and sources; nothing is written again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Live, Moment};
use base::error::Result;
use store::{Manifest, Segment, SourceEntry, case_bytes, folder_bytes};

/// In so many partitions what is to be kept is divided: so much more than that is there at most.
const PARTITIONS: u64 = 8;

/// How much of what was received is kept. Without bounds, all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    pub age_ns: Option<i64>,
    pub bytes: Option<u64>,
    /// What was received longer ago is packed harder.
    pub compress_after_ns: Option<i64>,
}

/// In so many partitions that time is divided: so much later than that it is packed at most.
const COMPRESSED_PARTITIONS: i64 = 2;

/// What was dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    pub sources: usize,
    pub segments: usize,
    pub events: u64,
    pub bytes: u64,
}

/// The newest partition, and when it began.
pub fn partition(manifest: &Manifest, now: Moment) -> (u64, i64) {
    let live = || manifest.sources.iter().filter_map(|entry| Some((entry.live.as_ref()?, entry.modified)));
    let newest = live().map(|(live, _)| live.partition).max().unwrap_or_default();
    let began = live().filter(|(live, _)| live.partition == newest).filter_map(|(_, began)| began).min();
    (newest, began.unwrap_or(now.unix_ns))
}

impl Live<'_> {
    pub fn is_published(&self) -> bool {
        self.pending.is_empty() && self.manifest.sources == self.writing.manifest.sources
    }

    /// The partition that all sources of a segment belong to.
    pub fn partition_of(&self, segment: &Segment) -> Option<u64> {
        let mut partitions = segment.meta.sources.iter().map(|entry| {
            let source = self.manifest.sources.get(entry.source as usize)?;
            source.live.as_ref().map(|live| live.partition)
        });
        let first = partitions.next()??;
        partitions.all(|other| other == Some(first)).then_some(first)
    }

    /// Drops partitions that are older or more than is to be kept, and begins a new one when the newest has its
    /// share. To be called right after a publication.
    pub fn retain(&mut self, keep: Keep, now: Moment) -> Result<Retained> {
        if keep == Keep::default() || !self.is_published() {
            return Ok(Retained::default());
        }
        let total = if keep.bytes.is_some() { self.bytes() } else { 0 };
        let sizes = self.sizes(total);
        let newest = sizes.get(&self.partition).map_or(0, |(bytes, _)| *bytes);
        let lengths = [
            keep.age_ns.map(|age| age / PARTITIONS as i64),
            keep.compress_after_ns.map(|after| after / COMPRESSED_PARTITIONS),
        ];
        let length = lengths.into_iter().flatten().min();
        let is_old = length.is_some_and(|length| now.unix_ns.saturating_sub(self.partition_began) >= length);
        let is_large = keep.bytes.is_some_and(|most| newest >= most / PARTITIONS);
        if newest > 0 && (is_old || is_large) {
            self.close_sources(now)?;
            self.publish(now)?;
            self.partition += 1;
            self.partition_began = now.unix_ns;
        }
        let mut left = total;
        let mut dropped = Vec::new();
        for (&partition, &(bytes, received)) in &sizes {
            let is_old =
                keep.age_ns.is_some_and(|age| now.unix_ns.saturating_sub(received.unwrap_or(i64::MAX)) > age);
            let is_more = keep.bytes.is_some_and(|most| left > most);
            if partition != self.partition && (is_old || is_more) {
                left = left.saturating_sub(bytes);
                dropped.push(partition);
            }
        }
        self.drop_partitions(&dropped, now)
    }

    /// What the case takes. A segment that is being merged is there twice for a moment, and counted once; the log of what
    /// has not become events yet is not counted.
    fn bytes(&self) -> u64 {
        let merging = self.merging.as_ref().map_or(0, |merging| folder_bytes(merging.folder()));
        let waiting = folder_bytes(&self.writing.folder().join("wal"));
        case_bytes(self.writing.folder()).saturating_sub(merging + waiting + self.parted_bytes())
    }

    /// The share of each partition in what the case takes, and when the last of it was received.
    pub(super) fn sizes(&self, total: u64) -> BTreeMap<u64, (u64, Option<i64>)> {
        let all: u64 = self.manifest.sources.iter().map(|entry| entry.bytes).sum();
        let mut sizes: BTreeMap<u64, (u64, Option<i64>)> = BTreeMap::new();
        for entry in &self.manifest.sources {
            let Some(live) = &entry.live else { continue };
            let share = if total == 0 { 1.0 } else { total as f64 / all.max(1) as f64 };
            let size = sizes.entry(live.partition).or_default();
            size.0 += (entry.bytes as f64 * share) as u64;
            size.1 = size.1.max(live.received);
        }
        sizes
    }

    fn drop_partitions(&mut self, dropped: &[u64], now: Moment) -> Result<Retained> {
        let mut retained = Retained::default();
        if dropped.is_empty() {
            return Ok(retained);
        }
        let is_gone =
            |segment: &&Arc<Segment>| self.partition_of(segment).is_some_and(|of| dropped.contains(&of));
        let parted: Vec<Arc<Segment>> = self.writing.segments().iter().filter(is_gone).cloned().collect();
        let gone: HashMap<u64, u64> =
            parted.iter().map(|segment| (segment.meta.id, segment.meta.events)).collect();
        if let Some(merging) = &self.merging
            && merging.replaces(|id| gone.contains_key(&id))
        {
            merging.cancel();
        }
        let is_dropped =
            |entry: &SourceEntry| entry.live.as_ref().is_some_and(|live| dropped.contains(&live.partition));
        if let Some(packing) = &self.packing
            && packing.is_of(is_dropped)
        {
            packing.cancel();
        }
        let mut manifest = self.manifest.clone();
        manifest.segments.retain(|entry| !gone.contains_key(&entry.id));
        for entry in &mut manifest.sources {
            let of = entry.live.as_ref().map(|live| live.partition);
            if of.is_none_or(|of| !dropped.contains(&of)) {
                continue;
            }
            retained.sources += 1;
            retained.bytes += entry.bytes;
            // How far its stream was received must not be forgotten with it.
            let live = entry.live.take().map(|live| store::LiveEntry {
                base: live.base + entry.bytes,
                partition: self.partition,
                ..live
            });
            let name = std::mem::take(&mut entry.name);
            *entry = SourceEntry { name, deleted: true, live, ..SourceEntry::default() };
        }
        retained.segments = gone.len();
        retained.events = gone.values().sum();
        self.writing.publish(manifest, Vec::new())?;
        self.manifest = self.writing.manifest.clone();
        self.part_with(parted, now);
        Ok(retained)
    }
}
