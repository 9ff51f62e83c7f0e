//! One file being read: opened, looked at, and handed out in chunks of whole lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use memchr::{memchr_iter, memrchr};

use crate::batch::{Batch, Chunk};
use crate::detect::{Detection, Verdict, binary, detect};
use crate::discover::Found;
use crate::error::{Error, ErrorKind};
use crate::formats::{Setup, by_name};
use crate::limits::{self, LONGEST_EVENT_BYTES};
use crate::parser::Parser;
use crate::settler::Settler;
use crate::time::zone::Zone;

/// How sources are to be read, where the data does not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Name of the format to use, instead of detecting it.
    pub format: Option<String>,
    /// Zone of times that carry none: an IANA name or a fixed offset such as `+02:00`. UTC by default.
    pub zone: Option<String>,
    /// Year of the first time that carries none.
    pub year: Option<i16>,
    /// About how many bytes a chunk has.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { format: None, zone: None, year: None, chunk_bytes: limits::CHUNK_BYTES }
    }
}

/// One file being read. Its chunks, put together, are the bytes of the file.
pub struct Source {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    chunk_bytes: usize,
    /// Bytes read and not yet handed out; they begin at `offset`, in line `line`.
    pending: Vec<u8>,
    offset: u64,
    line: u64,
    state: State,
    detection: Detection,
    parser: Parser,
    settler: Settler,
}

enum State {
    Reading,
    /// Reading failed; what was read before is handed out first.
    Failed(io::Error),
    Ended,
}

impl Source {
    /// Opens a file and finds out what it is from its first bytes.
    pub fn open(found: &Found, options: &Options) -> Result<Source, Error> {
        let fail = |kind, message: String| Error::new(kind, &found.path, message);
        let zone = match &options.zone {
            None => Zone::UTC,
            Some(name) => Zone::named(name)
                .ok_or_else(|| fail(ErrorKind::BadZone, format!("there is no time zone named \"{name}\"")))?,
        };
        let forced = match &options.format {
            None => None,
            Some(name) => Some(by_name(name).ok_or_else(|| {
                fail(ErrorKind::UnknownFormat, format!("there is no format named \"{name}\""))
            })?),
        };
        let file = File::open(&found.path).map_err(|error| Error::io(&found.path, error))?;
        let mut input: Box<dyn Read + Send> = Box::new(file);
        let mut pending = Vec::with_capacity(limits::SAMPLE_BYTES);
        let read = fill(&mut *input, &mut pending, limits::SAMPLE_BYTES);
        let state = match read {
            Ok(()) => State::Reading,
            Err(error) if pending.is_empty() => return Err(Error::io(&found.path, error)),
            Err(error) => State::Failed(error),
        };
        if pending.is_empty() {
            return Err(fail(ErrorKind::Empty, "it is empty".to_string()));
        }
        if let Some(what) = binary(&pending) {
            return Err(fail(ErrorKind::Binary, what));
        }
        let setup = Setup { zone: zone.clone(), stamp_within: limits::STAMP_WITHIN_BYTES };
        let Verdict { parser, detection, times } =
            detect(whole_lines(&pending), forced, &setup, options.zone.as_deref());
        Ok(Source {
            path: found.path.clone(),
            input,
            chunk_bytes: options.chunk_bytes.clamp(1, limits::LARGEST_CHUNK_BYTES),
            pending,
            offset: 0,
            line: 1,
            state,
            detection,
            parser,
            settler: Settler::new(&times, options.year, found.modified_ns, &zone),
        })
    }

    #[must_use]
    pub fn detection(&self) -> &Detection {
        &self.detection
    }

    /// A parser for this source's chunks, for use on any thread.
    #[must_use]
    pub fn parser(&self) -> Parser {
        self.parser.clone()
    }

    /// A settler that stands at the start of the source.
    #[must_use]
    pub fn settler(&self) -> Settler {
        self.settler.clone()
    }

    /// The next run of whole lines; `None` at the end. Only the last line of the file may come without its
    /// line end, and a line beyond the limit in pieces. When reading fails, what was read comes first, then
    /// the error once, then `None`.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, Error> {
        let mut wanted = self.chunk_bytes;
        loop {
            let ended = self.read_up_to(wanted);
            if let Some(end) = cut_at(&self.pending, self.chunk_bytes) {
                return Ok(Some(self.hand_out(end)));
            }
            if ended {
                if !self.pending.is_empty() {
                    return Ok(Some(self.hand_out(self.pending.len())));
                }
                return match std::mem::replace(&mut self.state, State::Ended) {
                    State::Failed(error) => Err(Error::io(&self.path, error)),
                    _ => Ok(None),
                };
            }
            wanted = self.pending.len() + self.chunk_bytes.max(limits::SAMPLE_BYTES);
        }
    }

    /// Reads until so many bytes are pending; tells whether there is nothing more to read.
    fn read_up_to(&mut self, wanted: usize) -> bool {
        if !matches!(self.state, State::Reading) {
            return true;
        }
        let missing = wanted.saturating_sub(self.pending.len());
        let read = fill(&mut *self.input, &mut self.pending, missing);
        match read {
            Ok(()) if self.pending.len() >= wanted => return false,
            Ok(()) => self.state = State::Ended,
            Err(error) => self.state = State::Failed(error),
        }
        true
    }

    fn hand_out(&mut self, end: usize) -> Chunk {
        let mut rest = Vec::new();
        if end < self.pending.len() {
            rest.reserve_exact(self.chunk_bytes.max(self.pending.len() - end));
            rest.extend_from_slice(&self.pending[end..]);
            self.pending.truncate(end);
        }
        let bytes = std::mem::replace(&mut self.pending, rest);
        let chunk = Chunk { offset: self.offset, first_line: self.line, bytes };
        self.offset += chunk.bytes.len() as u64;
        self.line += memchr_iter(b'\n', &chunk.bytes).count() as u64;
        chunk
    }
}

/// Appends up to `missing` bytes; fewer at the end of the input. What was read before an error stays.
fn fill(input: &mut dyn Read, pending: &mut Vec<u8>, missing: usize) -> io::Result<()> {
    pending.reserve(missing);
    input.take(missing as u64).read_to_end(pending).map(drop)
}

/// Where to cut the pending bytes: behind the last line end within the chunk size, else behind the first
/// one, else within a line that is surely too long. `None`: more must be read first.
fn cut_at(pending: &[u8], chunk_bytes: usize) -> Option<usize> {
    let head = &pending[..chunk_bytes.min(pending.len())];
    if let Some(newline) = memrchr(b'\n', head).or_else(|| memchr::memchr(b'\n', pending)) {
        return Some(newline + 1);
    }
    // A line end of two bytes may still follow, and then the line would not be too long.
    let surely_too_long = pending.len().saturating_sub(2) / LONGEST_EVENT_BYTES * LONGEST_EVENT_BYTES;
    (surely_too_long > 0).then_some(surely_too_long)
}

/// The sample without the line it was cut in, unless that is all there is.
fn whole_lines(sample: &[u8]) -> &[u8] {
    if sample.len() < limits::SAMPLE_BYTES {
        return sample;
    }
    &sample[..memrchr(b'\n', sample).map_or(sample.len(), |newline| newline + 1)]
}

/// Reads a file as a whole, settled: for tests, and for small files whose every event is wanted at once.
pub fn read_all(found: &Found, options: &Options) -> Result<Vec<Batch>, Error> {
    let mut source = Source::open(found, options)?;
    let (parser, mut settler) = (source.parser(), source.settler());
    let mut batches = Vec::new();
    while let Some(chunk) = source.next_chunk()? {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        batches.push(batch);
    }
    Ok(batches)
}
