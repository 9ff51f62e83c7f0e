//! One stream of bytes being read: looked at, decoded, and handed out in chunks of whole events.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr_iter;

use crate::batch::{Batch, Chunk};
use crate::custom::Definition;
use crate::decoded::Decoded;
use crate::detect::{Candidate, Detection, Verdict, binary, detect};
use crate::discover::{Found, STANDARD_INPUT};
use crate::encoding::{Encoding, has_escapes};
use crate::error::{Error, ErrorKind};
use crate::evtx::looks_like_evtx;
use crate::formats::{self, Setup};
use crate::heading::Heading;
use crate::limits;
use crate::parser::Parser;
use crate::settler::{Evidence, Settler, ZoneOrigin};
use crate::time::zone::Zone;
use crate::unpack::{Member, UnpackLimits, unpack, unpack_stream};

/// How sources are to be read, where the data does not say it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the format to use, instead of detecting it.
    pub format: Option<String>,
    /// Formats that a person defined; they are tried before the built-in ones.
    pub definitions: Vec<Arc<Definition>>,
    /// Name of the encoding to use, instead of detecting it; see [`Encoding::named`].
    pub encoding: Option<String>,
    /// Zone of times that carry none: an IANA name or a fixed offset such as `+02:00`. UTC by default.
    pub zone: Option<String>,
    /// Year of the first time that carries none.
    pub year: Option<i16>,
    /// How much unpacking may take.
    pub unpack: UnpackLimits,
    /// About how many bytes a chunk has.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            definitions: Vec::new(),
            encoding: None,
            zone: None,
            year: None,
            unpack: UnpackLimits::default(),
            chunk_bytes: limits::CHUNK_BYTES,
        }
    }
}

/// A stream that was found in a file, and its source or why there is none.
pub struct Opened<'a> {
    /// The file's path, with the path inside it behind where it is an archive.
    pub path: PathBuf,
    /// Short name for people.
    pub name: String,
    /// Its length, where something tells it.
    pub bytes: Option<u64>,
    /// When it was last changed.
    pub modified_ns: Option<i64>,
    pub source: Result<Source<'a>, Error>,
}

/// Opens a file and hands out every stream in it: the file itself, what was compressed, or the members of an
/// archive in its order. `visit` returns false to stop.
pub fn open(found: &Found, options: &Options, visit: &mut dyn FnMut(Opened<'_>) -> bool) {
    if found.path == Path::new(STANDARD_INPUT) {
        open_stream(found, io::stdin(), options, visit);
    } else {
        unpack(found, &options.unpack, &mut |member| visit(opened(member, options)));
    }
}

/// Like [`open`], for bytes that come from elsewhere than a file of the found name.
pub fn open_stream(
    found: &Found,
    input: impl Read + Send,
    options: &Options,
    visit: &mut dyn FnMut(Opened<'_>) -> bool,
) {
    unpack_stream(found, input, &options.unpack, &mut |member| visit(opened(member, options)));
}

fn opened<'a>(member: Member<'a>, options: &Options) -> Opened<'a> {
    let Member { path, name, modified_ns, bytes, compression, input } = member;
    let source = input.and_then(|input| Source::new(&path, &name, modified_ns, &compression, input, options));
    Opened { path, name, bytes, modified_ns, source }
}

/// One stream being read. Its chunks, put together, are its bytes.
pub struct Source<'a> {
    path: PathBuf,
    input: Box<dyn Read + Send + 'a>,
    chunk_bytes: usize,
    encoding: Encoding,
    /// Bytes read and not yet handed out; they begin at `offset`, in line `line`.
    pending: Vec<u8>,
    /// Their text, where it is not the bytes themselves.
    decoded: Option<Decoded>,
    offset: u64,
    line: u64,
    heading: Heading,
    state: State,
    detection: Detection,
    parser: Parser,
    settler: Settler,
    sample_bytes: usize,
}

enum State {
    Reading,
    /// Reading failed; what was read before is handed out first.
    Failed(io::Error),
    Ended,
}

impl<'a> Source<'a> {
    /// Finds out what a stream is from its first bytes.
    fn new(
        path: &Path,
        name: &str,
        modified_ns: Option<i64>,
        compression: &str,
        mut input: Box<dyn Read + Send + 'a>,
        options: &Options,
    ) -> Result<Source<'a>, Error> {
        let fail = |kind, message: String| Error::new(kind, path, message);
        let zone = match &options.zone {
            None => Zone::UTC,
            Some(name) => Zone::named(name)
                .ok_or_else(|| fail(ErrorKind::BadZone, format!("there is no time zone named \"{name}\"")))?,
        };
        let forced = match &options.format {
            None => None,
            Some(name) => Some(Candidate::named(name, &options.definitions).ok_or_else(|| {
                fail(ErrorKind::UnknownFormat, format!("there is no format named \"{name}\""))
            })?),
        };
        let forced_encoding = match &options.encoding {
            None => None,
            Some(name) => Some(Encoding::named(name).ok_or_else(|| {
                fail(ErrorKind::UnknownEncoding, format!("there is no encoding named \"{name}\""))
            })?),
        };
        let mut pending = Vec::with_capacity(limits::SAMPLE_BYTES);
        let read = fill(&mut *input, &mut pending, limits::SAMPLE_BYTES);
        let state = match read {
            Ok(()) => State::Reading,
            Err(error) if pending.is_empty() => return Err(Error::io(path, error)),
            Err(error) => State::Failed(error),
        };
        if pending.is_empty() {
            return Err(fail(ErrorKind::Empty, "it is empty".to_string()));
        }
        let sample_bytes = pending.len();
        let is_evtx = looks_like_evtx(&pending);
        let encoding = match forced_encoding {
            _ if is_evtx => Encoding::EVTX,
            Some(encoding) => encoding,
            None => Encoding::detect(&pending),
        };
        let sample = sample_chunk(&pending, encoding);
        if !is_evtx && let Some(what) = binary(&sample) {
            return Err(fail(ErrorKind::Binary, what));
        }
        let forced = if is_evtx { Some(Candidate::BuiltIn(&formats::EVTX)) } else { forced };
        let setup = Setup::new(zone.clone());
        let is_whole = pending.len() < limits::SAMPLE_BYTES;
        let Verdict { parser, mut detection, times, rules } =
            detect(&sample, is_whole, forced.as_ref(), &options.definitions, &setup, options.zone.as_deref());
        detection.encoding = encoding.name();
        compression.clone_into(&mut detection.compression);
        let zone_origin = options.zone.as_deref().map_or(ZoneOrigin::Assumed, ZoneOrigin::Chosen);
        let evidence = Evidence {
            rules: Some(&rules),
            name,
            modified_ns,
            zone,
            zone_origin,
            year: options.year,
            ..Evidence::of_sample(&times)
        };
        let settler = Settler::new(&evidence);
        let mut source = Source {
            path: path.to_path_buf(),
            input,
            chunk_bytes: options.chunk_bytes.clamp(1, limits::LARGEST_CHUNK_BYTES),
            encoding,
            pending,
            decoded: None,
            offset: 0,
            line: 1,
            heading: Heading::default(),
            state,
            detection,
            parser,
            settler,
            sample_bytes,
        };
        source.decode(0);
        Ok(source)
    }

    /// Reads a stream again that was kept: the same bytes and options give the same events.
    pub fn stored(
        name: &str,
        modified_ns: Option<i64>,
        input: Box<dyn Read + Send + 'a>,
        options: &Options,
    ) -> Result<Source<'a>, Error> {
        Source::new(Path::new(name), name, modified_ns, "none", input, options)
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How many of its first bytes told what it is.
    #[must_use]
    pub fn sample_bytes(&self) -> usize {
        self.sample_bytes
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

    /// The next run of whole events; `None` at the end. Only the last line of the source may come without
    /// its line end, and an event beyond the limits in pieces. When reading fails, what was read comes
    /// first, then the error once, then `None`.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, Error> {
        let mut wanted = self.chunk_bytes;
        loop {
            let ended = self.read_up_to(wanted);
            if let Some(end) = self.parser.framing().cut(self.offset, self.text(), self.chunk_bytes, ended) {
                return Ok(Some(self.hand_out(end)));
            }
            if ended {
                if !self.pending.is_empty() {
                    let end = self.text().len();
                    return Ok(Some(self.hand_out(end)));
                }
                return match std::mem::replace(&mut self.state, State::Ended) {
                    State::Failed(error) => Err(Error::io(&self.path, error)),
                    _ => Ok(None),
                };
            }
            // An event longer than the chunk is looked for in ever larger steps, not in ever more of them.
            wanted = self.pending.len() + self.pending.len().max(self.chunk_bytes).max(limits::SAMPLE_BYTES);
        }
    }

    fn text(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&self.pending, Decoded::text)
    }

    /// Reads until so many bytes are pending; tells whether there is nothing more to read.
    fn read_up_to(&mut self, wanted: usize) -> bool {
        if !matches!(self.state, State::Reading) {
            return true;
        }
        let before = self.pending.len();
        let read = fill(&mut *self.input, &mut self.pending, wanted.saturating_sub(before));
        let enough = self.pending.len() >= wanted;
        match read {
            Ok(()) if enough => {}
            Ok(()) => self.state = State::Ended,
            Err(error) => self.state = State::Failed(error),
        }
        self.decode(before);
        !matches!(self.state, State::Reading)
    }

    /// Decodes the pending bytes, of which those from a place on are new, where they are not their own text.
    fn decode(&mut self, new_from: usize) {
        let is_text = !self.encoding.is_evtx();
        let differs = !self.encoding.is_plain() || has_escapes(&self.pending[new_from..]);
        if self.decoded.is_none() && is_text && differs {
            self.decoded = Some(Decoded::new(self.encoding));
        }
        if let Some(decoded) = &mut self.decoded {
            decoded.extend(&self.pending, !matches!(self.state, State::Reading));
        }
    }

    /// Hands out the bytes of the text up to a place.
    fn hand_out(&mut self, text_end: usize) -> Chunk {
        let end = match &self.decoded {
            None => text_end,
            Some(decoded) if text_end == decoded.text().len() => decoded.decoded_bytes(),
            Some(decoded) => decoded.place(&self.pending, text_end),
        };
        let mut rest = Vec::new();
        if end < self.pending.len() {
            rest.reserve_exact(self.chunk_bytes.max(self.pending.len() - end));
            rest.extend_from_slice(&self.pending[end..]);
            self.pending.truncate(end);
        }
        let bytes = std::mem::replace(&mut self.pending, rest);
        let decoded = self.decoded.take().map(|decoded| decoded.up_to(text_end));
        let chunk = Chunk {
            offset: self.offset,
            first_line: self.line,
            heading: self.heading.lines(),
            bytes,
            decoded,
        };
        self.decode(0);
        self.offset += chunk.bytes.len() as u64;
        self.line += memchr_iter(b'\n', chunk.text()).count() as u64;
        self.parser.add_headings(&chunk, &mut self.heading);
        chunk
    }
}

/// Appends up to `missing` bytes; fewer at the end of the input. What was read before an error stays.
fn fill(input: &mut dyn Read, pending: &mut Vec<u8>, missing: usize) -> io::Result<()> {
    pending.reserve(missing);
    input.take(missing as u64).read_to_end(pending).map(drop)
}

/// The first bytes of a source as a chunk, without the line they were cut in unless that is all there is.
fn sample_chunk(bytes: &[u8], encoding: Encoding) -> Chunk {
    let is_whole = bytes.len() < limits::SAMPLE_BYTES;
    if encoding.is_evtx() || encoding.is_plain() && !has_escapes(bytes) {
        let end = if is_whole || encoding.is_evtx() { None } else { memchr::memrchr(b'\n', bytes) };
        return Chunk::whole(bytes[..end.map_or(bytes.len(), |newline| newline + 1)].to_vec());
    }
    let mut decoded = Decoded::new(encoding);
    decoded.extend(bytes, is_whole);
    if decoded.text().is_empty() {
        decoded.extend(bytes, true);
    }
    let bytes = bytes[..decoded.decoded_bytes()].to_vec();
    Chunk { decoded: Some(decoded), ..Chunk::whole(bytes) }
}

/// Reads a file as a whole, settled: for tests, and for small files whose every event is wanted at once. Of
/// an archive it is all members up to the first that cannot be read.
pub fn read_all(found: &Found, options: &Options) -> Result<Vec<Batch>, Error> {
    let mut batches = Vec::new();
    let mut outcome = Ok(());
    open(found, options, &mut |opened| {
        outcome = opened.source.and_then(|source| read_source(source, &mut batches));
        outcome.is_ok()
    });
    outcome.map(|()| batches)
}

fn read_source(mut source: Source<'_>, batches: &mut Vec<Batch>) -> Result<(), Error> {
    let (parser, mut settler) = (source.parser(), source.settler());
    while let Some(chunk) = source.next_chunk()? {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        batches.push(batch);
    }
    Ok(())
}
