//! Live sources: bytes that are still being received become events of the case as they come.
//!
//! A [`Live`] holds the case for writing. Its owner pushes the bytes of streams, each at its offset, lands them
//! at every refresh and publishes. What is published of a stream is one with the segments that hold its events,
//! so after a crash the owner pushes everything again from wherever it has it, and what the case has already is
//! passed over: every byte becomes part of one event, once. Keeping bytes safe until they are published is
//! the owner's business.

mod change;
mod merging;
mod open;
mod packing;
mod retain;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ingest::custom::Definition;
use ingest::{Batch, Chunk};

use self::merging::{Merging, Parted};
use self::open::{LiveStream, Opened, Waiting, title};
use crate::case::Case;
use crate::import::{Pending, write_segments};
use crate::rewrite::put_in_place;
use crate::tune::{Host, Overrides, Plan};
use crate::writing::{Purpose, Writing};
use base::Cancel;
use base::error::{AtPath, Error, Result};
use base::limits::{
    LIVE_FRESH_BYTES, LIVE_SEGMENT_CELLS, LIVE_SEGMENT_COLUMNS, LIVE_SEGMENT_RAW_BYTES, LIVE_SEGMENT_ROWS,
};
use engine::exec::in_order;
use store::RawFile;
use store::{Accounts, Manifest, Profile, abandon_raw_frames, pack, sync_raw};

pub use self::packing::Compressed;
use self::packing::Packing;
pub use self::retain::{Keep, Retained};

/// In the name of a stream, what comes before it is the name of its source.
pub const STREAM_PART: char = '\u{1f}';

/// How long a stream's last event may wait for lines that go on with it.
const LAST_EVENT_WAITS: Duration = Duration::from_millis(100);

/// How long a line may wait for its end.
const LINE_WAITS: Duration = Duration::from_secs(5);

/// Of a batch, so many times are kept until it is published.
const MOST_TIMES: usize = 64;

/// How live sources are kept.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// What is kept in addition to the original bytes, where the case is new.
    pub profile: Option<Profile>,
    /// Formats that people defined.
    pub definitions: Definitions,
    pub tune: Overrides,
}

/// Gives the formats that people defined, whenever a source begins: they may define more meanwhile.
#[derive(Clone)]
pub struct Definitions(Arc<dyn Fn() -> Vec<Arc<Definition>> + Send + Sync>);

impl Definitions {
    pub fn new(read: impl Fn() -> Vec<Arc<Definition>> + Send + Sync + 'static) -> Definitions {
        Definitions(Arc::new(read))
    }
}

impl Default for Definitions {
    fn default() -> Definitions {
        Definitions::new(Vec::new)
    }
}

impl std::fmt::Debug for Definitions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Definitions")
    }
}

/// The moment of a call: the time of day, by which stamps without a year are read, and one that only grows.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub unix_ns: i64,
    pub instant: Instant,
}

/// Bytes of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Received<'b> {
    pub stream: &'b str,
    /// The address that all of the stream is received from, if it is of one.
    pub sender: Option<&'b str>,
    /// The format to read it as, and the zone of times without one, where a person chose them.
    pub format: Option<&'b str>,
    pub zone: Option<&'b str>,
    /// Where in the stream the bytes begin.
    pub offset: u64,
    pub bytes: &'b [u8],
    /// Each line is an event of its own, and the last one is whole. Otherwise the format tells events.
    pub ends: bool,
}

/// What a publication brought.
#[derive(Clone, Debug, Default)]
pub struct Published {
    pub events: u64,
    /// How far each stream is in the case that has more of it now.
    pub positions: Vec<(String, u64)>,
    /// Times of its events by source: some of them, each for so many.
    pub times: BTreeMap<String, Vec<(i64, u64)>>,
    /// How long a merge took whose segment is in place now.
    pub merging: Option<Duration>,
}

/// The right to write a case, and the streams that are open in it.
pub struct Live<'c> {
    /// Ends before the right to write does.
    merging: Option<Merging>,
    packing: Option<Packing>,
    parted: Vec<Parted>,
    _turn: MutexGuard<'c, ()>,
    writing: Writing<'c>,
    /// The manifest as it will be published next.
    manifest: Manifest,
    pending: Pending,
    pending_events: u64,
    pending_times: BTreeMap<String, Vec<(i64, u64)>>,
    streams: HashMap<String, LiveStream>,
    changed: BTreeSet<String>,
    unsynced: BTreeSet<RawFile>,
    accounts: Accounts,
    plan: Plan,
    most_merged_events: u64,
    waiting_bytes: usize,
    /// The partition that is being packed harder, and what was packed since it was said.
    due: Option<u64>,
    compressed: Compressed,
    compress_error: Option<Error>,
    /// The last segment that was written again was of those.
    was_loose: bool,
    definitions: Definitions,
    /// The partition that new sources belong to, and when it began.
    partition: u64,
    partition_began: i64,
}

impl Case {
    /// Holds the case for writing live sources.
    pub fn live(&self, options: &LiveOptions, now: Moment) -> Result<Live<'_>> {
        let turn = self.turn()?;
        let mut writing = Writing::begin(self, Purpose::Receive)?;
        if let Some(profile) = options.profile
            && writing.manifest.segments.is_empty()
        {
            writing.manifest.profile = profile;
        }
        let manifest = writing.manifest.clone();
        let (partition, partition_began) = retain::partition(&manifest, now);
        let mut plan = Plan::for_host(&Host::look(&options.tune), &options.tune);
        let most_merged_events = plan.segment_rows as u64;
        plan.segment_bytes = plan.segment_bytes.min(LIVE_SEGMENT_RAW_BYTES);
        plan.segment_rows = plan.segment_rows.min(LIVE_SEGMENT_ROWS);
        plan.segment_cells = plan.segment_cells.min(LIVE_SEGMENT_CELLS);
        plan.segment_columns = LIVE_SEGMENT_COLUMNS;
        Ok(Live {
            merging: None,
            packing: None,
            parted: Vec::new(),
            _turn: turn,
            writing,
            manifest,
            pending: Pending::default(),
            pending_events: 0,
            pending_times: BTreeMap::new(),
            streams: HashMap::new(),
            changed: BTreeSet::new(),
            unsynced: BTreeSet::new(),
            accounts: Accounts::default(),
            plan,
            most_merged_events,
            waiting_bytes: 0,
            due: None,
            compressed: Compressed::default(),
            compress_error: None,
            was_loose: false,
            definitions: options.definitions.clone(),
            partition,
            partition_began,
        })
    }
}

impl Live<'_> {
    /// How far the published events of each stream reach in it.
    #[must_use]
    pub fn positions(&self) -> BTreeMap<String, u64> {
        let mut positions = BTreeMap::new();
        for entry in &self.writing.manifest.sources {
            if let Some(live) = &entry.live {
                let end = live.base + entry.bytes;
                let known: &mut u64 = positions.entry(live.stream.clone()).or_default();
                *known = end.max(*known);
            }
        }
        positions
    }

    /// Bytes that were pushed and have not landed.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Whether what has landed should be published whatever the time.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.pending.is_full(&self.plan)
    }

    /// Takes bytes of a stream. Those that the case has are passed over; where some before them are missing, they
    /// begin a source of their own.
    pub fn push(&mut self, received: Received<'_>, now: Moment) -> Result<()> {
        let mut stream = match self.streams.remove(received.stream) {
            Some(stream) => stream,
            None => self.resume(&received, now)?,
        };
        let pushed = self.push_to(&mut stream, received, now);
        self.streams.insert(received.stream.to_owned(), stream);
        pushed
    }

    fn push_to(&mut self, stream: &mut LiveStream, received: Received<'_>, now: Moment) -> Result<()> {
        let passed = stream.received.saturating_sub(received.offset);
        if passed >= received.bytes.len() as u64 {
            return Ok(());
        }
        let is_other = stream.is_read_otherwise(&received);
        if is_other || received.offset > stream.received {
            // What is between was lost with its log; the source says where it ends.
            self.land_stream(stream, true, now)?;
            self.close(stream, now)?;
            stream.received = received.offset.max(stream.received);
            stream.choose(&received);
        }
        let bytes = &received.bytes[passed as usize..];
        stream.received += bytes.len() as u64;
        stream.push(bytes, received.ends, now.instant);
        self.waiting_bytes += bytes.len();
        Ok(())
    }

    /// Makes events of what was pushed. With `flush`, also of what may go on.
    pub fn land(&mut self, flush: bool, now: Moment) -> Result<()> {
        let names: Vec<String> = self
            .streams
            .iter()
            .filter(|(_, stream)| stream.has_news())
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let Some(mut stream) = self.streams.remove(&name) else { continue };
            let landed = self.land_stream(&mut stream, flush, now);
            self.streams.insert(name, stream);
            landed?;
        }
        self.waiting_bytes = self.streams.values().map(LiveStream::waiting_bytes).sum();
        Ok(())
    }

    fn land_stream(&mut self, stream: &mut LiveStream, flush: bool, now: Moment) -> Result<()> {
        let quiet = now.instant.saturating_duration_since(stream.pushed);
        let ends =
            flush || stream.ends || stream.ends_line && quiet >= LAST_EVENT_WAITS || quiet >= LINE_WAITS;
        if let Waiting::New(_) = &stream.waiting
            && !self.begin(stream, ends, now)?
        {
            return Ok(());
        }
        let Waiting::Open(opened) = &mut stream.waiting else { return Ok(()) };
        let mut chunks = Vec::new();
        while let Some(chunk) = opened.source.next_live(ends || opened.is_first) {
            chunks.push(chunk);
        }
        // What its first bytes were taken to mean has all of them as events.
        if std::mem::take(&mut opened.is_first) {
            opened.source.push(&std::mem::take(&mut opened.rest));
            while let Some(chunk) = opened.source.next_live(ends) {
                chunks.push(chunk);
            }
        }
        if chunks.is_empty() {
            return Ok(());
        }
        self.changed.insert(stream.name.clone());
        let level = self.plan.level;
        let parser = &opened.parser;
        let chunks: Vec<Mutex<Option<Chunk>>> =
            chunks.into_iter().map(|chunk| Mutex::new(Some(chunk))).collect();
        let parse = |index: usize| {
            let chunk = chunks[index].lock().unwrap_or_else(PoisonError::into_inner).take();
            let packed = chunk.as_ref().map(|chunk| pack(&chunk.bytes, level));
            Ok(chunk.map(|chunk| parser.parse(chunk)).zip(packed))
        };
        let is_line_end = stream.ends || stream.ends_line;
        let mut parsed = Vec::with_capacity(chunks.len());
        in_order(chunks.len(), &Cancel::default(), parse, |_, done| {
            parsed.extend(done);
            Ok(())
        })?;
        for (batch, packed) in parsed {
            self.add(stream, batch, &packed.at_path(self.writing.folder())?)?;
        }
        self.follow_change(stream, is_line_end, now)
    }

    fn add(&mut self, stream: &mut LiveStream, mut batch: Batch, packed: &[u8]) -> Result<()> {
        let Waiting::Open(opened) = &mut stream.waiting else { return Ok(()) };
        opened.settler.settle(&mut batch);
        opened.fit.add(&batch, opened.is_plain);
        let bytes = batch.chunk.bytes.len() as u32;
        opened.hash_update(&batch.chunk.bytes);
        let frame = opened.raw.append(packed, bytes)?;
        opened.frames.push(frame);
        opened.account.add(&batch, opened.encoding);
        let entry = &mut self.manifest.sources[opened.id as usize];
        entry.add(&batch);
        self.pending_events += batch.rows() as u64;
        let times = self.pending_times.entry(title(&stream.name).to_owned()).or_default();
        let each = batch.rows().div_ceil(MOST_TIMES).max(1);
        let some = batch.time.chunks(each).map(|times| (times[0], times.len() as u64));
        times.extend(some.filter(|(time, _)| *time != ingest::NO_TIME));
        self.pending.add(opened.id, entry, frame, batch);
        Ok(())
    }

    /// Publishes what has landed, and puts a segment that was merged meanwhile in the place of its parts. After an error the case is as it was published last, and this value is of no
    /// use any more: its owner begins again.
    pub fn publish(&mut self, now: Moment) -> Result<Published> {
        for name in &self.changed {
            if let Some(LiveStream { waiting: Waiting::Open(opened), .. }) = self.streams.get(name) {
                let entry = &mut self.manifest.sources[opened.id as usize];
                opened.describe(entry, now);
                self.unsynced.insert(entry.raw_file(opened.id));
            }
        }
        let merged = self.merged()?;
        self.take_packed()?;
        if merged.is_none() && self.is_published() {
            self.part_with(Vec::new(), now);
            return Ok(Published::default());
        }
        sync_raw(self.writing.folder(), &std::mem::take(&mut self.unsynced))?;
        let pending = std::mem::take(&mut self.pending);
        let fresh = pending.frames(LIVE_FRESH_BYTES);
        let mut added = write_segments(pending, (&self.writing, &self.plan), &mut self.manifest)?;
        self.manifest.segments.extend(added.iter().map(Writing::entry));
        let mut gone = Vec::new();
        let merging = merged.as_ref().map(|merged| merged.took);
        if let Some(merged) = merged {
            let ids: Vec<u64> = merged.gone.iter().map(|segment| segment.meta.id).collect();
            put_in_place(&mut self.manifest, &ids, Some(merged.entry));
            added.push(merged.written);
            gone = merged.gone;
        }
        let accounts = std::mem::take(&mut self.accounts);
        if !accounts.of.is_empty() {
            let number = self.writing.manifest.revision + 1;
            accounts.write(self.writing.folder(), number)?;
            for &source in accounts.of.keys() {
                self.manifest.sources[source as usize].account = Some(number);
            }
        }
        self.writing.publish(self.manifest.clone(), added)?;
        for (source, frame, bytes) in fresh {
            self.writing.case().raw().keep(source, &frame, bytes);
        }
        self.manifest.revision = self.writing.manifest.revision;
        self.part_with(gone, now);
        let positions = std::mem::take(&mut self.changed).into_iter().filter_map(|name| {
            let end = self.end_of(&name)?;
            Some((name, end))
        });
        let positions = positions.collect();
        let times = std::mem::take(&mut self.pending_times);
        Ok(Published { events: std::mem::take(&mut self.pending_events), positions, times, merging })
    }

    /// How far a stream is in what was published.
    fn end_of(&self, stream: &str) -> Option<u64> {
        let sources = self.writing.manifest.sources.iter().rev();
        let mut live = sources.filter_map(|entry| Some((entry.live.as_ref()?, entry.bytes)));
        live.find(|(live, _)| live.stream == stream).map(|(live, bytes)| live.base + bytes)
    }

    /// Closes all open sources; their streams go on in new ones.
    pub fn close_sources(&mut self, now: Moment) -> Result<()> {
        self.land(true, now)?;
        let names: Vec<String> = self.streams.keys().cloned().collect();
        for name in names {
            if let Some(mut stream) = self.streams.remove(&name) {
                self.close(&mut stream, now)?;
                self.streams.insert(name, stream);
            }
        }
        Ok(())
    }

    /// Makes events of everything that was pushed, closes all sources and publishes.
    pub fn finish(mut self, now: Moment) -> Result<Published> {
        self.close_sources(now)?;
        let published = self.publish(now)?;
        for stream in self.streams.values() {
            for (raw, frames) in &stream.closed {
                abandon_raw_frames(self.writing.folder(), *raw, frames)?;
            }
        }
        Ok(published)
    }

    fn close(&mut self, stream: &mut LiveStream, now: Moment) -> Result<()> {
        let Waiting::Open(opened) = std::mem::take(&mut stream.waiting) else { return Ok(()) };
        let entry = &mut self.manifest.sources[opened.id as usize];
        opened.describe(entry, now);
        (entry.complete, entry.note) = (true, None);
        let Opened { id, raw, settler, mut account, frames, .. } = *opened;
        account.times = settler.report();
        if !account.times.zone.is_empty() {
            entry.zone.clone_from(&account.times.zone);
        }
        let file = entry.raw_file(id);
        self.unsynced.insert(file);
        self.accounts.of.insert(id, account);
        self.changed.insert(stream.name.clone());
        stream.closed.push((file, Arc::from(frames)));
        raw.finish()
    }
}
