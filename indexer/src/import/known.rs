//! The sources that the case already has. A stream is compared with every source that begins in the same way:
//! byte by byte with the stored bytes, and by the hash. The result is that the stream is known, has grown, or
//! is new; in no case is anything read twice.

use crate::writing::KnownSource;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::progress::Outcome;
use base::Cancel;
use base::limits::HEAD_BYTES;
use store::{Frame, RawFolder, SourceEntry};

/// Names a stream of this import that is being landed.
pub type Ticket = u64;

/// The sources of the case, those included that this import has landed. Shared by the reader and the landing
/// thread.
pub struct Known {
    folder: RawFolder,
    state: Mutex<KnownState>,
    changed: Condvar,
}

#[derive(Default)]
struct KnownState {
    sources: Vec<KnownSource>,
    /// Sources by the length and the fingerprint of their first bytes.
    heads: HashMap<(usize, u64), Vec<usize>>,
    /// Streams that are opened and not landed completely, with their first bytes.
    opening: Vec<(Ticket, Vec<u8>)>,
    tickets: Ticket,
}

/// The interval at which a reader that waits for a stream checks the cancel flag.
const LOOK: Duration = Duration::from_millis(50);

impl Known {
    pub fn new(case: &Path, sources: Vec<KnownSource>) -> Known {
        let known = Known { folder: RawFolder::new(case), state: Mutex::default(), changed: Condvar::new() };
        for source in sources {
            known.state().add(source);
        }
        known
    }

    fn state(&self) -> MutexGuard<'_, KnownState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a stream that will be landed as a source of its own.
    pub fn opening(&self, head: &[u8]) -> Ticket {
        let mut state = self.state();
        state.tickets += 1;
        let ticket = state.tickets;
        state.opening.push((ticket, head.to_vec()));
        ticket
    }

    /// A stream has landed, or is abandoned.
    pub fn landed(&self, ticket: Option<Ticket>, source: Option<KnownSource>) {
        let mut state = self.state();
        state.opening.retain(|(waiting, _)| Some(*waiting) != ticket);
        if let Some(source) = source {
            state.add(source);
        }
        self.changed.notify_all();
    }

    /// Updates the path of a source's file.
    pub fn moved(&self, id: u32, path: &str) {
        let mut state = self.state();
        if let Some(source) = state.sources.iter_mut().find(|source| source.id == id) {
            source.entry = Arc::new(SourceEntry { path: path.to_owned(), ..(*source.entry).clone() });
        }
    }

    /// Sources that begin like the stream, or were read from the same path; the longest first. Waits for such
    /// streams of this import to land.
    pub fn candidates(&self, head: &[u8], path: &str, cancel: &Cancel) -> Vec<KnownSource> {
        let mut state = self.state();
        let begins_alike = |other: &[u8]| {
            let shorter = head.len().min(other.len());
            head[..shorter] == other[..shorter]
        };
        while state.opening.iter().any(|(_, other)| begins_alike(other)) && !cancel.is_set() {
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut places = state.beginning_as(head);
        for (place, source) in state.sources.iter().enumerate() {
            if source.entry.path == path && !places.contains(&place) {
                places.push(place);
            }
        }
        let mut found: Vec<_> = places.into_iter().map(|place| state.sources[place].clone()).collect();
        found.sort_by_key(|source| std::cmp::Reverse(source.entry.bytes));
        found
    }

    pub fn source(&self, id: u32) -> Option<KnownSource> {
        self.state().sources.iter().find(|source| source.id == id).cloned()
    }

    /// The stored bytes of a source up to a length, as a stream.
    pub fn stored(&self, source: &KnownSource, up_to: u64) -> StoredBytes {
        StoredBytes::new(self.folder.clone(), source.id, &source.frames, 0, up_to)
    }

    /// The stored bytes of a source from an offset on, where a frame begins.
    pub fn stored_from(&self, source: &KnownSource, offset: u64) -> StoredBytes {
        StoredBytes::new(self.folder.clone(), source.id, &source.frames, offset, source.entry.bytes)
    }
}

impl KnownState {
    fn add(&mut self, source: KnownSource) {
        let head = u64::from_str_radix(&source.entry.head, 16).ok();
        let length = source.entry.bytes.min(HEAD_BYTES as u64) as usize;
        let known = self.sources.iter().position(|known| known.id == source.id);
        let place = known.unwrap_or(self.sources.len());
        if known.is_some() {
            for places in self.heads.values_mut() {
                places.retain(|&other| other != place);
            }
            self.sources[place] = source;
        } else {
            self.sources.push(source);
        }
        if let Some(head) = head {
            self.heads.entry((length, head)).or_default().push(place);
        }
    }

    fn beginning_as(&self, head: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        for (length, print) in prints(head) {
            found.extend(self.heads.get(&(length, print)).into_iter().flatten().copied());
        }
        found
    }
}

/// The fingerprint of the first bytes of a source, as it is kept in the case.
pub fn fingerprint(head: &[u8]) -> String {
    let print = prints(&head[..head.len().min(HEAD_BYTES)]).last().map_or(OFFSET_BASIS, |(_, print)| print);
    format!("{print:016x}")
}

/// Whether a stream with these first bytes begins as a source did.
pub fn begins_as(source: &SourceEntry, head: &[u8]) -> bool {
    let length = source.bytes.min(HEAD_BYTES as u64) as usize;
    head.get(..length).is_some_and(|head| fingerprint(head) == source.head)
}

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The fingerprint (FNV-1a) of every beginning of some bytes, with its length. It only finds candidates;
/// whether they are the same is decided by their bytes and their SHA-256.
fn prints(bytes: &[u8]) -> impl Iterator<Item = (usize, u64)> {
    let mut print = OFFSET_BASIS;
    bytes.iter().enumerate().map(move |(index, &byte)| {
        print = (print ^ u64::from(byte)).wrapping_mul(PRIME);
        (index + 1, print)
    })
}

/// What a stream is to a case, judging by its first bytes and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub outcome: Outcome,
    pub remark: String,
}

impl Expected {
    /// `None` if it is simply new. `length` is that of the whole stream, if known.
    pub fn find(sources: &[SourceEntry], path: &Path, head: &[u8], length: Option<u64>) -> Option<Expected> {
        let prints: HashMap<usize, u64> = prints(&head[..head.len().min(HEAD_BYTES)]).collect();
        let begins_alike = |source: &SourceEntry| {
            let length = source.bytes.min(HEAD_BYTES as u64) as usize;
            let print = u64::from_str_radix(&source.head, 16).ok();
            !source.deleted && print.is_some() && prints.get(&length).copied() == print
        };
        let alike = || (0_u32..).zip(sources).filter(|(_, source)| begins_alike(source));
        let same = alike().find(|(_, source)| Some(source.bytes) == length);
        if let Some((id, source)) = same {
            let remark = format!("it is already here, as source {id} ({})", source.name);
            return Some(Expected { outcome: Outcome::Known, remark });
        }
        let longest = alike().max_by_key(|(_, source)| source.bytes);
        let grown = longest.filter(|(_, source)| length.is_none_or(|length| length > source.bytes));
        if let Some((id, source)) = grown {
            let remark = format!("it has grown; source {id} ({}) goes on", source.name);
            return Some(Expected { outcome: Outcome::Grown, remark });
        }
        let path = path.to_string_lossy();
        let (id, _) = (0_u32..).zip(sources).find(|(_, source)| source.path == path && !source.deleted)?;
        let remark =
            format!("it was replaced or cut since it was imported; what it was then stays source {id}");
        Some(Expected { outcome: Outcome::New, remark })
    }
}

/// How a stream compares with a stored source.
pub struct Compared {
    pub found: Comparison,
    /// The number of equal bytes.
    pub same: u64,
    /// The bytes that were read after them.
    pub following: Vec<u8>,
    /// What ended the stream early.
    pub problem: Option<io::Error>,
    /// The hash of the stream up to the mark.
    pub at_mark: Option<Sha256>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// All of it is stored, and the source has no more.
    Same,
    /// The stream begins with the whole source.
    Grown,
    /// The source begins with the whole stream.
    Shorter,
    Other,
    /// The stored bytes are damaged after the equal ones: nothing tells what the source is to the stream.
    Unreadable,
}

impl Known {
    /// Compares a stream with a source up to the first difference. The hash is recorded at the mark, the
    /// start of a frame.
    pub fn compare(&self, source: &KnownSource, input: &mut dyn Read, mark: Option<u64>) -> Compared {
        let mut compared = Compared {
            found: Comparison::Other,
            same: 0,
            following: Vec::new(),
            problem: None,
            at_mark: None,
        };
        if !source.has_all_frames() {
            compared.found = Comparison::Unreadable;
            return compared;
        }
        let mut hash = Sha256::new();
        let mut cursor = self.folder.cursor();
        let mut buffer = vec![0; BUFFER_BYTES];
        for frame in source.frames.iter() {
            if mark == Some(frame.offset) {
                compared.at_mark = Some(hash.clone());
            }
            let Ok(stored) = cursor.read(source.id, frame) else {
                compared.found = Comparison::Unreadable;
                return compared;
            };
            let mut rest = stored.as_slice();
            while !rest.is_empty() {
                let wanted = rest.len().min(buffer.len());
                let read = match read(input, &mut buffer[..wanted]) {
                    Ok(0) => {
                        compared.found = Comparison::Shorter;
                        return compared;
                    }
                    Ok(read) => read,
                    Err(error) => {
                        (compared.found, compared.problem) = (Comparison::Shorter, Some(error));
                        return compared;
                    }
                };
                if buffer[..read] != rest[..read] {
                    compared.following = buffer[..read].to_vec();
                    return compared;
                }
                hash.update(&buffer[..read]);
                compared.same += read as u64;
                rest = &rest[read..];
            }
        }
        match read(input, &mut buffer) {
            Ok(read) => compared.following = buffer[..read].to_vec(),
            Err(error) => compared.problem = Some(error),
        }
        let is_whole = base::hex(&hash.finalize()) == source.entry.sha256;
        compared.found = match (is_whole, compared.following.is_empty()) {
            (false, _) => Comparison::Unreadable,
            (true, true) => Comparison::Same,
            (true, false) => Comparison::Grown,
        };
        compared
    }
}

const BUFFER_BYTES: usize = 64 << 10;

fn read(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The stored bytes of a source as a stream. It needs only the folder of the case.
pub struct StoredBytes {
    folder: RawFolder,
    source: u32,
    frames: VecDeque<Frame>,
    left: u64,
    current: Vec<u8>,
    at: usize,
}

impl StoredBytes {
    pub fn new(folder: RawFolder, source: u32, frames: &[Frame], from: u64, up_to: u64) -> StoredBytes {
        let frames = frames.iter().copied().filter(|frame| frame.offset >= from).collect();
        StoredBytes { folder, source, frames, left: up_to.saturating_sub(from), current: Vec::new(), at: 0 }
    }
}

impl Read for StoredBytes {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.at == self.current.len() {
            let Some(frame) = self.frames.pop_front() else { return Ok(0) };
            let read = self.folder.cursor().read(self.source, &frame);
            self.current = read.map_err(|error| io::Error::other(error.to_string()))?;
            self.at = 0;
        }
        let wanted = output.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let taken = wanted.min(self.current.len() - self.at);
        output[..taken].copy_from_slice(&self.current[self.at..self.at + taken]);
        self.at += taken;
        self.left -= taken as u64;
        Ok(taken)
    }
}
