//! The write-ahead log of a case: what was received and is not yet in segments. Appends are gathered and synced
//! together by one thread; whoever makes events of them reads its files after that. They are in the
//! case's folder `wal/`.

mod ids;
mod record;
mod writer;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indexer::{Cancel, files};

use self::ids::{KnownIds, id_of};
pub use self::record::{Reader, log_files as files_of};
use self::record::{encode, encode_stream, file_bytes, file_path, has_magic, log_files};
use crate::counters::Counters;
use crate::intake::{Appended, Intake, Record, Refused, Stream};
use crate::limits::{LONGEST_APPEND_BYTES, MOST_STREAMS, QUEUE_BYTES, QUEUE_PATIENCE};
use crate::syslog::LOOK;

/// Where a case has it.
pub const FOLDER: &str = "wal";

/// A place in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub file: u64,
    pub offset: u64,
}

/// The log that appends go to.
pub struct Log {
    folder: PathBuf,
    state: Mutex<LogState>,
    changed: Condvar,
    counters: Arc<Counters>,
    /// So many bytes are left free on the disk.
    reserve_bytes: u64,
}

struct LogState {
    streams: HashMap<String, Known>,
    /// How far streams were received before, by their names.
    ends: HashMap<String, u64>,
    numbers: u32,
    ids: KnownIds,
    /// Encoded records that wait for the next sync, and when the first of them came.
    queue: Vec<u8>,
    queued: Option<Instant>,
    /// Appends are numbered; these have been queued, synced, and failed.
    submitted: u64,
    synced: u64,
    failed: u64,
    failure: String,
    /// Up to here the log may be read.
    readable: Position,
    /// Up to here its records are visible, and up to here somebody wants them to be at once.
    published: Position,
    wanted: Position,
    /// When the first of each sync's appends came, for what is not visible yet.
    marks: Vec<(Position, Instant)>,
    /// Streams are defined again in each file.
    file: u64,
    free_bytes: u64,
    is_closed: bool,
    /// Whoever waits for more to read should look at something else.
    is_nudged: bool,
}

struct Known {
    number: u32,
    /// As it was defined last, and the file that did.
    stream: Stream,
    file: u64,
    /// Its end: of what is queued, of what is being written, and of what is synced.
    next: u64,
    writing: u64,
    synced: u64,
}

/// What a log has when it is opened.
pub struct Opened {
    pub log: Arc<Log>,
    /// How many bytes of it were cut off because they were not written as a whole.
    pub torn_bytes: u64,
}

impl Log {
    /// Opens the log of a case, which has so much of each stream in its segments. Starts the thread that syncs.
    pub fn open(
        case: &Path,
        positions: &BTreeMap<String, u64>,
        reserve_bytes: u64,
        counters: Arc<Counters>,
    ) -> std::io::Result<Opened> {
        let folder = case.join(FOLDER);
        files::create_folder(&folder)?;
        let mut ids = KnownIds::load(&folder)?;
        let mut ends: HashMap<String, u64> =
            positions.iter().map(|(name, end)| (name.clone(), *end)).collect();
        let mut torn_bytes = 0;
        let files = log_files(&folder)?;
        for &file in &files {
            let mut reader = Reader::at(&folder, file);
            reader.read_all(&mut |bytes| {
                let end = bytes.offset + bytes.bytes.len() as u64;
                let known = ends.entry(bytes.stream.name.clone()).or_default();
                *known = end.max(*known);
                bytes.ids.iter().for_each(|&id| ids.insert(id));
            })?;
            torn_bytes += file_bytes(&folder, file).saturating_sub(reader.position().offset);
        }
        let file = ids.newest_file().max(files.last().copied().unwrap_or_default()) + 1;
        let readable = Position { file, offset: 0 };
        let state = LogState {
            streams: HashMap::new(),
            ends,
            numbers: 0,
            ids,
            queue: Vec::new(),
            queued: None,
            submitted: 0,
            synced: 0,
            failed: 0,
            failure: String::new(),
            readable,
            published: Position::default(),
            wanted: Position::default(),
            marks: Vec::new(),
            file,
            free_bytes: fs4::available_space(case)?,
            is_closed: false,
            is_nudged: false,
        };
        let log = Arc::new(Log {
            folder,
            state: Mutex::new(state),
            changed: Condvar::new(),
            counters,
            reserve_bytes,
        });
        Ok(Opened { log, torn_bytes })
    }

    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How far a stream was received, whether it is synced or not.
    pub fn end_of(&self, stream: &str) -> u64 {
        let state = self.state();
        let known = state.streams.get(stream).map(|known| known.next);
        known.or_else(|| state.ends.get(stream).copied()).unwrap_or_default()
    }

    /// The names of all streams that this case has received.
    pub fn stream_names(&self) -> Vec<String> {
        let state = self.state();
        let mut names: Vec<String> = state.ends.keys().cloned().collect();
        names.extend(state.streams.keys().cloned());
        names
    }

    /// Up to where the log may be read.
    pub fn readable(&self) -> Position {
        self.state().readable
    }

    /// How much there is to read beyond a position.
    pub fn bytes_beyond(&self, position: Position) -> u64 {
        let readable = self.readable();
        let between = (position.file..readable.file).map(|file| file_bytes(&self.folder, file));
        (between.sum::<u64>() + readable.offset).saturating_sub(position.offset)
    }

    /// Waits until there is more to read than that, or for so long. Tells whether the log was closed and all of it
    /// is there to read.
    pub fn wait(&self, beyond: Position, patience: Duration) -> bool {
        let state = self.state();
        let is_still =
            |state: &mut LogState| state.readable <= beyond && !state.is_ended() && !state.is_nudged;
        let waited = self.changed.wait_timeout_while(state, patience, is_still);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.is_nudged = false;
        state.is_ended()
    }

    /// Ends a wait for more to read.
    pub fn nudge(&self) {
        self.state().is_nudged = true;
        self.changed.notify_all();
    }

    /// The records up to here are visible now. The last event of a stream of lines may still go on.
    pub fn published(&self, position: Position) {
        self.state().published = position;
        self.changed.notify_all();
    }

    /// Whether somebody waits for records to be visible that are not.
    pub fn is_wanted(&self) -> bool {
        let state = self.state();
        state.wanted > state.published
    }

    /// What was read up to here is visible now.
    pub fn visible(&self, position: Position) {
        let mut state = self.state();
        let seen = state.marks.partition_point(|(mark, _)| *mark <= position);
        for (_, since) in state.marks.drain(..seen) {
            self.counters.visible.add(since.elapsed());
        }
        self.counters.set_waiting(state.marks.first().map(|(_, since)| *since));
    }

    /// Accepts nothing any more. What was accepted is still synced.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Removes a file whose records are in segments. The ids in it are kept.
    pub fn remove(&self, file: u64, ids: &[u128]) -> std::io::Result<()> {
        ids::keep(&self.folder, file, ids)?;
        let path = file_path(&self.folder, file);
        // One that does not begin as ours was not read, so it is not ours to remove.
        if has_magic(&path) { files::remove(&path) } else { Ok(()) }
    }

    /// Queues batches together and waits until they are synced. A batch whose stream would be one too many is refused alone.
    fn submit(
        &self,
        batches: Vec<(Cow<'_, Stream>, Batch<'_>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        let mut state = self.has_room(batches.iter().map(|(_, batch)| batch.bytes()).sum())?;
        let queued = batches.into_iter().map(|(stream, batch)| state.queue_batch(&stream, batch));
        let queued: Vec<_> = queued.collect();
        if queued.iter().all(Result::is_err) {
            return Ok(queued);
        }
        state.submitted += 1;
        state.queued.get_or_insert_with(Instant::now);
        self.counters.set_queue(state.queue.len() as u64);
        self.changed.notify_all();
        let ticket = state.submitted;
        while state.synced < ticket && state.failed < ticket {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.synced < ticket { Err(Refused::Failed(state.failure.clone())) } else { Ok(queued) }
    }

    /// The state once the queue has room.
    fn has_room(&self, bytes: usize) -> Result<MutexGuard<'_, LogState>, Refused> {
        let began = Instant::now();
        let mut state = self.state();
        let mut stalled = false;
        loop {
            if state.is_closed {
                return Err(Refused::Closed);
            }
            if state.free_bytes < self.reserve_bytes.saturating_add(bytes as u64) {
                return Err(Refused::DiskNearlyFull { free_bytes: state.free_bytes });
            }
            if state.queue.is_empty() || state.queue.len() + bytes <= QUEUE_BYTES {
                return Ok(state);
            }
            if !stalled {
                self.counters.stall();
                stalled = true;
            }
            let Some(left) = QUEUE_PATIENCE.checked_sub(began.elapsed()) else {
                return Err(Refused::Busy { retry_after: QUEUE_PATIENCE });
            };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

enum Batch<'b> {
    Lines(&'b [u8]),
    Records(Vec<Record>),
}

impl Batch<'_> {
    fn bytes(&self) -> usize {
        match self {
            Batch::Lines(lines) => lines.len(),
            Batch::Records(records) => records.iter().map(|record| record.bytes.len() + 1).sum(),
        }
    }
}

impl LogState {
    /// Whether the thread that syncs has nothing to do.
    fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.is_closed && self.submitted <= self.synced.max(self.failed)
    }

    fn is_ended(&self) -> bool {
        self.is_closed && self.queue.is_empty() && self.synced.max(self.failed) >= self.submitted
    }

    fn queue_batch(&mut self, stream: &Stream, batch: Batch<'_>) -> Result<Appended, Refused> {
        if !self.streams.contains_key(&stream.name) && self.streams.len() >= MOST_STREAMS {
            return Err(Refused::Failed(format!("there are {MOST_STREAMS} streams already")));
        }
        let mut appended = Appended::default();
        match batch {
            Batch::Lines(lines) => {
                for part in lines.chunks(LONGEST_APPEND_BYTES) {
                    self.queue_bytes(stream, part, false, &[]);
                }
            }
            Batch::Records(records) => {
                let mut bytes = Vec::new();
                let mut ids = Vec::new();
                for record in records {
                    let id = record.id.map(|id| id_of(stream.title(), id));
                    let is_new = id.is_none_or(|id| self.ids.is_new(id));
                    appended.is_new.push(is_new);
                    if !is_new {
                        appended.duplicates += 1;
                        continue;
                    }
                    appended.stored += 1;
                    ids.extend(id);
                    push_line(&mut bytes, &record.bytes);
                    if bytes.len() >= LONGEST_APPEND_BYTES {
                        self.queue_bytes(stream, &bytes, true, &ids);
                        bytes.clear();
                        ids.clear();
                    }
                }
                if !bytes.is_empty() {
                    self.queue_bytes(stream, &bytes, true, &ids);
                }
            }
        }
        Ok(appended)
    }

    fn queue_bytes(&mut self, stream: &Stream, bytes: &[u8], ends: bool, ids: &[u128]) {
        let file = self.file;
        if !self.streams.contains_key(&stream.name) {
            self.numbers += 1;
            let end = self.ends.get(&stream.name).copied().unwrap_or_default();
            let (number, stream) = (self.numbers, stream.clone());
            let known = Known { number, file: u64::MAX, next: end, writing: end, synced: end, stream };
            self.streams.insert(known.stream.name.clone(), known);
        }
        let Some(known) = self.streams.get_mut(&stream.name) else { return };
        if known.file != file || known.stream != *stream {
            known.file = file;
            known.stream.clone_from(stream);
            encode_stream(&mut self.queue, known.number, stream);
        }
        let bytes = if known.next == 0 { without_leading_nul(bytes) } else { bytes };
        encode(&mut self.queue, known.number, known.next, ends, ids, bytes);
        known.next += bytes.len() as u64;
    }
}

/// A stream that began with them would look like no text.
fn without_leading_nul(bytes: &[u8]) -> &[u8] {
    let text = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len());
    &bytes[text..]
}

/// Adds a record as one line. Line ends and control characters in it are written as rsyslog writes them, or as
/// blanks between the parts of a JSON document.
fn push_line(line: &mut Vec<u8>, record: &[u8]) {
    let is_control = |byte: u8| byte < b' ' && byte != b'\t' || byte == 0x7F;
    if record.iter().copied().any(is_control) {
        let is_json = record.trim_ascii_start().first().is_some_and(|&byte| byte == b'{' || byte == b'[');
        for &byte in record {
            match byte {
                b'\n' | b'\r' if is_json => line.push(b' '),
                _ if is_control(byte) => line.extend_from_slice(format!("#{byte:03o}").as_bytes()),
                _ => line.push(byte),
            }
        }
    } else {
        line.extend_from_slice(record);
    }
    line.push(b'\n');
}

impl Log {
    /// Appends, and counts it in counters that are these or a part of them.
    pub fn append_counted(
        &self,
        counters: &Counters,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        if batches.iter().all(|(_, records)| records.is_empty()) {
            return Ok(batches.iter().map(|_| Ok(Appended::default())).collect());
        }
        let counted = batches.iter().map(|(stream, records)| {
            let source = counters.source(stream.title());
            let bytes = records.iter().map(|record| record.bytes.len() as u64).sum();
            source.received(records.len() as u64, bytes);
            (source, records.len() as u64)
        });
        let counted: Vec<_> = counted.collect();
        let batches =
            batches.into_iter().map(|(stream, records)| (Cow::Owned(stream), Batch::Records(records)));
        let appended = self.submit(batches.collect());
        for (place, (source, count)) in counted.iter().enumerate() {
            match appended.as_ref().map(|appended| &appended[place]) {
                Ok(Ok(appended)) => source.accepted(appended.stored as u64, appended.duplicates as u64),
                Ok(Err(refused)) | Err(refused) => source.rejected(refused.name(), *count),
            }
        }
        appended
    }

    pub fn append_lines_counted(
        &self,
        counters: &Counters,
        stream: &Stream,
        bytes: &[u8],
    ) -> Result<(), Refused> {
        if bytes.is_empty() {
            return Ok(());
        }
        let source = counters.source(stream.title());
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        source.received(lines, bytes.len() as u64);
        let submitted = self.submit(vec![(Cow::Borrowed(stream), Batch::Lines(bytes))]);
        match submitted.and_then(|appended| appended.into_iter().collect::<Result<Vec<_>, _>>()) {
            Ok(_) => {
                source.accepted(lines, 0);
                Ok(())
            }
            Err(refused) => {
                source.rejected(refused.name(), lines);
                Err(refused)
            }
        }
    }
}

impl Intake for Log {
    fn append_all(
        &self,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        self.append_counted(&self.counters, batches)
    }

    fn append_lines(&self, stream: &Stream, bytes: &[u8]) -> Result<(), Refused> {
        self.append_lines_counted(&self.counters, stream, bytes)
    }

    fn refresh(&self, at_once: bool, patience: Duration, cancel: &Cancel) -> bool {
        let last = Instant::now() + patience;
        let mut state = self.state();
        let all = state.readable;
        if at_once {
            state.wanted = all.max(state.wanted);
            state.is_nudged = true;
            self.changed.notify_all();
        }
        while state.published < all && !state.is_closed && !cancel.is_set() {
            let left = last.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left.min(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.published >= all
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(stream: &str, id: u128) -> (Stream, Vec<Record>) {
        (Stream::new(stream), vec![Record { bytes: b"{}".to_vec(), id: Some(id) }])
    }

    #[test]
    fn batches_are_appended_together_and_a_stream_too_many_is_refused_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::open(folder.path(), &BTreeMap::new(), 0, Arc::default()).expect("it opens").log;
        let writing = Arc::clone(&log);
        let writer = std::thread::spawn(move || writing.write());
        let many = (0..MOST_STREAMS).map(|stream| batch(&format!("http/{stream}"), 1)).collect();
        let appended = log.append_all(many).expect("they are stored");
        assert!(appended.iter().all(|one| one.as_ref().is_ok_and(|one| one.stored == 1)));
        assert_eq!(log.counters().read().syncs, 1, "one sync serves them all");
        let mixed = vec![batch("http/0", 1), batch("http/new", 1), batch("http/1", 2)];
        let appended = log.append_all(mixed).expect("what can be stored is");
        let stored: Vec<_> = appended.iter().map(|one| one.as_ref().map(|one| one.stored).ok()).collect();
        assert_eq!(stored, [Some(0), None, Some(1)]);
        log.close();
        let refused = log.append_all(vec![batch("http/0", 3), batch("http/1", 3)]);
        assert_eq!(refused, Err(Refused::Closed));
        let counted = log.counters().read().sources;
        assert_eq!((counted["http/1"].accepted, counted["http/1"].rejected["closed"]), (2, 1));
        assert_eq!(counted["http/new"].rejected["failed"], 1);
        writer.join().expect("it ends");
    }

    #[test]
    fn batch_without_room_on_the_disk_stores_nothing_of_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::open(folder.path(), &BTreeMap::new(), u64::MAX, Arc::default()).expect("it opens").log;
        let refused = log.append_all(vec![batch("http/0", 1), batch("http/1", 1)]);
        assert!(matches!(refused, Err(Refused::DiskNearlyFull { .. })));
        assert_eq!((log.end_of("http/0"), log.end_of("http/1")), (0, 0));
    }

    #[test]
    fn wait_for_a_refresh_ends_when_nobody_waits_for_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::open(folder.path(), &BTreeMap::new(), 0, Arc::default()).expect("it opens").log;
        let cancel = Cancel::default();
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| log.refresh(true, Duration::from_hours(1), &cancel));
            cancel.set();
            waiting.join().expect("no panic")
        });
        assert!(!waiting);
    }
}
