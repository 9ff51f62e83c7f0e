//! The records of one chunk.

use std::ops::Range;

use memchr::memmem;

use super::bytes::{u32_at, u64_at};
use super::fields::FieldId;
use super::flatten::{EventField, EventFlattener};
use super::render::write_event;
use super::tokens::{Store, TokenWalk};
use super::value::filetime_ns;
use crate::batch::{Level, NO_TIME};
use crate::limits;
use crate::time::Clock;
use crate::time::zone::Zone;

pub(super) const CHUNK_SIGNATURE: &[u8; 8] = b"ElfChnk\0";
pub(super) const CHUNK_BYTES: usize = 64 << 10;
const CHUNK_HEADER_BYTES: usize = 512;
const RECORD_SIGNATURE: &[u8; 4] = b"**\0\0";
const RECORD_HEADER_BYTES: usize = 24;
/// The header, and the size again at the end.
const SMALLEST_RECORD: usize = RECORD_HEADER_BYTES + 4;

/// Receives the contents of a chunk, in order: for each record `begin`, its fields, `end`; in between,
/// `damaged` for bytes that should be records and are not.
pub(crate) trait Visitor {
    /// A record begins; the range counts from the start of the chunk.
    fn begin(&mut self, record: Range<usize>);
    /// A value of the record: its range in the text buffer, and its number if it is an integer. A field keeps
    /// its number for the life of the reader, so the number can identify a column.
    fn field(&mut self, field: FieldId, name: &str, value: Range<usize>, int: Option<i64>);
    fn end(&mut self, event: &EventEnd);
    /// These bytes of the chunk were skipped.
    fn damaged(&mut self, bytes: Range<usize>, reason: &'static str);
}

/// A summary of a record, after its last field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventEnd {
    /// From its own `TimeCreated`, otherwise from the record's header, otherwise [`NO_TIME`].
    pub time_ns: i64,
    pub level: Level,
    /// The whole event in the text buffer.
    pub text: Range<usize>,
    /// Why it could not be read completely; the readable parts are present.
    pub problem: Option<&'static str>,
}

/// Counts for one chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkSummary {
    pub records: u32,
    /// How many of these could not be read completely.
    pub unreadable: u32,
    /// A problem of the chunk itself, for a person.
    pub note: Option<&'static str>,
}

/// Reads chunks one after the other. Its caches only affect speed; a chunk reads the same in any order.
pub(crate) struct EvtxReader {
    flattener: EventFlattener,
    store: Store,
    clock: Clock,
}

impl EvtxReader {
    pub(crate) fn new() -> EvtxReader {
        EvtxReader { flattener: EventFlattener::new(), store: Store::default(), clock: Clock::new(Zone::UTC) }
    }

    /// Reads the records of a chunk, which may be truncated or damaged, and appends their text to `text`.
    pub(crate) fn read_chunk(
        &mut self,
        chunk: &[u8],
        text: &mut Vec<u8>,
        visitor: &mut impl Visitor,
    ) -> ChunkSummary {
        let chunk = &chunk[..chunk.len().min(CHUNK_BYTES)];
        let header = ChunkHeader::read(chunk);
        let mut summary = ChunkSummary { note: header.note, ..ChunkSummary::default() };
        self.store.names.reset(chunk.len());
        let text_end = text.len() + limits::LARGEST_EVTX_TEXT_BYTES;
        let mut lowest_id = header.lowest_id;
        let mut at = header.records_from;
        while at < header.records_to {
            let Some(found) = next_record(&chunk[..header.records_to], at, lowest_id.unwrap_or(0)) else {
                break;
            };
            if found.start > at {
                visitor.damaged(at..found.start, "these bytes are no record");
            }
            visitor.begin(found.clone());
            let event = self.read_record(chunk, &found, text_end, text, visitor);
            visitor.end(&event);
            summary.records += 1;
            summary.unreadable += u32::from(event.problem.is_some());
            let id = u64_at(chunk, found.start + 8).unwrap_or(0);
            lowest_id = Some(lowest_id.map_or(id, |lowest| lowest.min(id)));
            at = found.end;
        }
        let left = &chunk[at.min(header.records_to)..header.records_to];
        if left.iter().any(|&byte| byte != 0) {
            if chunk.len() < CHUNK_BYTES {
                visitor.damaged(at..header.records_to, "the chunk ends within a record");
            } else if header.is_trusted {
                visitor.damaged(at..header.records_to, "these bytes are no record");
            }
        }
        summary
    }

    fn read_record(
        &mut self,
        chunk: &[u8],
        record: &Range<usize>,
        text_end: usize,
        text: &mut Vec<u8>,
        visitor: &mut impl Visitor,
    ) -> EventEnd {
        let line = text.len();
        let text_left = text_end.saturating_sub(line).min(limits::LONGEST_EVENT_BYTES);
        self.flattener.begin();
        let mut walk = TokenWalk::new(chunk, &mut self.flattener, &mut self.store, text_left);
        let problem = walk.record(record.start + RECORD_HEADER_BYTES..record.end - 4).err();
        let unread = walk.reached..record.end - 4;
        let (flattener, scratch) = (&self.flattener, &self.store.scratch);
        if text_left > 0 {
            let mut put = |entry: &EventField, value: Range<usize>| {
                visitor.field(entry.field, flattener.fields.name(entry.field), value, entry.int);
            };
            write_event(flattener, scratch, text, &mut put);
        }
        if problem.is_some() {
            write_strings(&chunk[unread], text);
        }
        let written = u64_at(chunk, record.start + 16).and_then(filetime_ns);
        let time_ns = match &self.flattener.time {
            Some(when) => self.clock.ns(when),
            None => written.unwrap_or(NO_TIME),
        };
        EventEnd { time_ns, level: self.flattener.level(), text: line..text.len(), problem }
    }
}

/// The contents of a chunk's header, as far as they can be trusted.
struct ChunkHeader {
    records_from: usize,
    /// The bytes after this are remains of older records, which are no longer part of the log.
    records_to: usize,
    /// The header is intact, so `records_to` is right.
    is_trusted: bool,
    /// Records below this id are remains of older ones, because ids only rise. If the header does not give
    /// it, it is the lowest id so far.
    lowest_id: Option<u64>,
    note: Option<&'static str>,
}

impl ChunkHeader {
    fn read(chunk: &[u8]) -> ChunkHeader {
        let doubtful = |records_from, lowest_id, note| {
            let (records_to, is_trusted) = (chunk.len(), false);
            ChunkHeader { records_from, records_to, is_trusted, lowest_id, note: Some(note) }
        };
        if !chunk.starts_with(CHUNK_SIGNATURE) {
            return doubtful(0, None, "the header of a chunk is damaged; its records were searched for");
        }
        let (Some(head), Some(used), Some(records_sum), Some(sum)) =
            (chunk.get(..CHUNK_HEADER_BYTES), u32_at(chunk, 48), u32_at(chunk, 52), u32_at(chunk, 124))
        else {
            return doubtful(chunk.len(), None, "a chunk is cut short within its header");
        };
        let used = used as usize;
        if !header_matches(head, sum) || !(CHUNK_HEADER_BYTES..=CHUNK_BYTES).contains(&used) {
            let note = "the header of a chunk is damaged; its records were read all the same";
            return doubtful(CHUNK_HEADER_BYTES, u64_at(chunk, 24), note);
        }
        let note = match chunk.get(CHUNK_HEADER_BYTES..used) {
            None => Some("a chunk is cut short"),
            Some(records) if crc32fast::hash(records) != records_sum => {
                Some("the records of a chunk do not match its checksum; they were read all the same")
            }
            Some(_) => None,
        };
        let (records_from, records_to) = (CHUNK_HEADER_BYTES, used.min(chunk.len()));
        ChunkHeader { records_from, records_to, is_trusted: true, lowest_id: Some(0), note }
    }
}

/// Whether a chunk's header matches its checksum; the checksum itself and the flags are not covered.
fn header_matches(head: &[u8], sum: u32) -> bool {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..120]);
    hasher.update(&head[128..]);
    hasher.finalize() == sum
}

/// Whether a chunk certainly begins here: its header is intact.
pub(super) fn begins_chunk(bytes: &[u8]) -> bool {
    bytes.starts_with(CHUNK_SIGNATURE)
        && bytes
            .get(..CHUNK_HEADER_BYTES)
            .is_some_and(|head| u32_at(head, 124).is_some_and(|sum| header_matches(head, sum)))
}

/// The next whole record: at this position, or the first one found after the damage.
fn next_record(used: &[u8], at: usize, lowest_id: u64) -> Option<Range<usize>> {
    let is_of_log = |record: &Range<usize>| u64_at(used, record.start + 8).is_some_and(|id| id >= lowest_id);
    whole_record(used, at).filter(is_of_log).or_else(|| {
        memmem::find_iter(&used[at..], RECORD_SIGNATURE)
            .filter_map(|found| whole_record(used, at + found))
            .find(is_of_log)
    })
}

/// Checks that a record has the same size at its start and at its end.
fn whole_record(used: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = used.get(at..)?;
    let size = u32_at(rest, 4)? as usize;
    let fits = rest.starts_with(RECORD_SIGNATURE) && (SMALLEST_RECORD..=rest.len()).contains(&size);
    (fits && u32_at(rest, size - 4)? as usize == size).then(|| at..at + size)
}

/// Writes the readable strings of bytes that could not be parsed, so that a search finds them.
fn write_strings(bytes: &[u8], out: &mut Vec<u8>) {
    const SHORTEST: usize = 4;
    let mut at = 0;
    while at + 1 < bytes.len() {
        let run = bytes[at..].chunks_exact(2).take_while(|unit| matches!(unit, [b' '..=b'~', 0])).count();
        if run >= SHORTEST {
            out.push(b' ');
            out.extend(bytes[at..at + 2 * run].iter().step_by(2));
        }
        at += if run == 0 { 1 } else { 2 * run };
    }
}
