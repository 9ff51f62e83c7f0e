//! Reads one stream of bytes: detects its format, decodes it, and returns chunks of whole events.

mod live;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr_iter;

use crate::batch::{Batch, Chunk};
use crate::buffer::{Buffer, BufferPool};
use crate::custom::Definition;
use crate::decoded::Decoded;
use crate::detect::{Candidate, Detection, Verdict, binary, detect, fit_as_previous};
use crate::discover::{InputFile, STANDARD_INPUT};
use crate::encoding::BYTE_ORDER_MARK;
use crate::encoding::{Encoding, has_escapes};
use crate::error::{Error, ErrorKind};
use crate::evtx::looks_like_evtx;
use crate::formats::{self, Setup};
use crate::frame::Framing;
use crate::heading::{self, Heading};
use crate::limits;
use crate::logins;
use crate::open_file::open_file;
use crate::parser::Parser;
use crate::settler::{Evidence, Settler, ZoneOrigin};
use crate::time::year_in_text;
use crate::time::zone::Zone;
use crate::unpack::{Member, UnpackLimits, is_container, unpack, unpack_stream};

/// How to read sources, if the data does not determine it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the format to use, instead of detecting it.
    pub format: Option<String>,
    /// User-defined formats; they are tried before the built-in ones.
    pub definitions: Vec<Arc<Definition>>,
    /// Name of the encoding to use, instead of detecting it; see [`Encoding::named`].
    pub encoding: Option<String>,
    /// Zone of times without one: an IANA name or a fixed offset such as `+02:00`. UTC by default.
    pub zone: Option<String>,
    /// Year of the first time without one.
    pub year: Option<i16>,
    /// The reason for that year, if no person chose it.
    pub year_reason: Option<String>,
    /// The years of neighbouring files, for times without one.
    pub neighbours: Vec<i16>,
    /// Name of the field that contains the time, instead of finding it by names and values; of the fields in
    /// [`Detection::time_fields`]. It is ignored where the source has no such field.
    pub time_field: Option<String>,
    /// When the machine was booted whose uptimes the times are, in nanoseconds since 1970 UTC.
    pub boot_ns: Option<i64>,
    /// Added to every time, for a machine whose clock was wrong.
    pub clock_offset_ns: i64,
    /// Every line is an event, whatever the format says.
    pub lines: bool,
    /// The address that the bytes were received from: the field `sender` of all events.
    pub sender: Option<String>,
    /// The limits on unpacking.
    pub unpack: UnpackLimits,
    /// The approximate number of bytes per chunk.
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
            year_reason: None,
            neighbours: Vec::new(),
            time_field: None,
            boot_ns: None,
            clock_offset_ns: 0,
            lines: false,
            sender: None,
            unpack: UnpackLimits::default(),
            chunk_bytes: limits::CHUNK_BYTES,
        }
    }
}

/// A stream found in a file, and its source or an error.
pub struct Opened<'a> {
    /// The file's path, followed by the path inside it if it is an archive.
    pub path: PathBuf,
    /// Short name for people.
    pub name: String,
    /// Its length, if it is known.
    pub bytes: Option<u64>,
    pub source: Result<Source<'a>, Error>,
}

/// Opens a file and passes on every stream in it: the file itself, its decompressed content, or the members
/// of an archive in order. `visit` returns false to stop.
pub fn open(found: &InputFile, options: &Options, visit: &mut dyn FnMut(Opened<'_>) -> bool) {
    members(found, &options.unpack, &mut |member| visit(opened(member, options)));
}

/// Like [`open`], for bytes that do not come from the file itself.
pub fn open_stream(
    found: &InputFile,
    input: impl Read + Send,
    options: &Options,
    visit: &mut dyn FnMut(Opened<'_>) -> bool,
) {
    unpack_stream(found, input, &options.unpack, &mut |member| visit(opened(member, options)));
}

fn opened<'a>(member: Member<'a>, options: &Options) -> Opened<'a> {
    let (path, name, bytes) = (member.path.clone(), member.name.clone(), member.bytes);
    Opened { path, name, bytes, source: Source::detect(member, options) }
}

/// Opens a file and passes on every stream in it as bytes, before any detection.
pub fn members(found: &InputFile, limits: &UnpackLimits, visit: &mut dyn FnMut(Member<'_>) -> bool) {
    if found.path == Path::new(STANDARD_INPUT) {
        unpack_stream(found, io::stdin(), limits, visit);
    } else {
        unpack(found, limits, visit);
    }
}

/// The encoding of a file whose bytes are lines already: neither packed nor records, with line feeds of one
/// byte. `None` for any other file.
pub fn encoding_of_lines(found: &InputFile) -> io::Result<Option<Encoding>> {
    let mut sample = Vec::new();
    open_file(found)?.take(limits::SAMPLE_BYTES as u64).read_to_end(&mut sample)?;
    let encoding = Encoding::detect(&sample);
    let is_lines = !is_container(&sample)
        && !looks_like_evtx(&sample)
        && logins::detect(&sample, &found.name).is_none()
        && encoding.newline() == b"\n"
        && binary(&sample_chunk(&sample, encoding)).is_none();
    Ok(is_lines.then_some(encoding))
}

/// Where reading resumes in a source whose beginning was read before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    pub offset: u64,
    /// Number of the line that begins at the offset.
    pub line: u64,
    /// The heading lines in effect there.
    pub heading: Vec<u8>,
}

/// One stream being read. Its chunks, put together, are its bytes.
pub struct Source<'a> {
    path: PathBuf,
    input: Box<dyn Read + Send + 'a>,
    chunk_bytes: usize,
    encoding: Encoding,
    /// Bytes read and not yet returned; they begin at `offset`, in line `line`.
    pending: Buffer,
    spare: Arc<BufferPool>,
    /// Their text, if it differs from the bytes.
    decoded: Option<Decoded>,
    offset: u64,
    line: u64,
    heading: Heading,
    state: ReadState,
    detection: Detection,
    parser: Parser,
    /// The parser's framing, with the layouts that were learned so far.
    framing: Framing,
    settler: Settler,
    sample_bytes: usize,
}

/// What a source passes on to the next file of its rotated set.
#[derive(Clone)]
pub struct Succession {
    parser: Parser,
    format: String,
    heading: Arc<[u8]>,
}

/// The name of a stream, and what is known of it other than its bytes.
#[derive(Clone, Copy, Debug)]
pub struct StreamInfo<'m> {
    pub path: &'m Path,
    pub name: &'m str,
    pub modified_ns: Option<i64>,
    pub compression: &'m str,
}

enum ReadState {
    Reading,
    /// Reading failed; what was read before is returned first.
    Failed(io::Error),
    Ended,
}

impl<'a> Source<'a> {
    /// Detects what a stream is from its first bytes.
    pub fn detect(member: Member<'a>, options: &Options) -> Result<Source<'a>, Error> {
        let mut input = member.input?;
        let mut pending = Buffer::default();
        let read = pending.fill(&mut *input, limits::SAMPLE_BYTES);
        let state = match read {
            Ok(()) if pending.len() < limits::SAMPLE_BYTES => ReadState::Ended,
            Ok(()) => ReadState::Reading,
            Err(error) if pending.is_empty() => return Err(Error::io(&member.path, error)),
            Err(error) => ReadState::Failed(error),
        };
        let stream = StreamInfo {
            path: &member.path,
            name: &member.name,
            modified_ns: member.modified_ns,
            compression: &member.compression,
        };
        let mut source = Source::learned(&stream, &pending, options)?;
        (source.pending, source.input, source.state) = (pending, input, state);
        source.decode(0);
        Ok(source)
    }

    /// A source that resumes in a stream whose beginning was read before; `sample` is that beginning. Its
    /// bytes from the resume point on come from [`Source::reading`].
    pub fn resume(
        stream: &StreamInfo<'_>,
        sample: &[u8],
        place: &ResumePoint,
        options: &Options,
    ) -> Result<Source<'a>, Error> {
        let mut source = Source::learned(stream, sample, options)?;
        (source.offset, source.line) = (place.offset, place.line);
        heading::split(&place.heading).for_each(|line| source.heading.add(line));
        source.framing = source.parser.framing_after(&source.heading.lines());
        Ok(source)
    }

    /// The same source, reading from this input.
    #[must_use]
    pub fn reading(self, input: Box<dyn Read + Send + 'a>) -> Source<'a> {
        Source { input, ..self }
    }

    /// What the next file of a rotated set continues with, once this one has been read.
    #[must_use]
    pub fn succession(&self) -> Succession {
        self.succession_with(self.heading.lines())
    }

    /// The same, with the heading lines that were in effect at its end, if they are known already.
    #[must_use]
    pub fn succession_with(&self, heading: Arc<[u8]>) -> Succession {
        Succession { parser: self.parser.for_next_file(), format: self.detection.format.clone(), heading }
    }

    /// Continues like the previous file in its rotated set, if it fits: with the same columns, whose names
    /// may be in the first file only, and the same framing. Call it before anything is read. Returns whether
    /// it does.
    pub fn follow(&mut self, before: &Succession) -> bool {
        // Each file of records says how it is read.
        if self.encoding.is_records() {
            return false;
        }
        let mut sample = sample_chunk(&self.pending, self.encoding);
        let first = sample.text().split(|&byte| byte == b'\n').next().unwrap_or_default();
        let first = first.strip_suffix(b"\r").unwrap_or(first);
        if heading::split(&before.heading).any(|line| line == first) {
            // It has headings of its own.
            return false;
        }
        sample.heading = Arc::clone(&before.heading);
        let Some(score) = fit_as_previous(&before.parser, &self.detection, sample) else { return false };
        self.follow_again(before);
        self.detection.score = score;
        true
    }

    /// Follows the previous file again, without checking whether it fits: it did when it was first read. A
    /// source that resumes has its heading lines already.
    pub fn follow_again(&mut self, before: &Succession) {
        self.parser = before.parser.clone();
        self.detection.format.clone_from(&before.format);
        self.detection.reason.push_str("; it is read as the file before it in its set");
        if self.offset == 0 {
            heading::split(&before.heading).for_each(|line| self.heading.add(line));
        }
        self.framing = self.parser.framing_after(&self.heading.lines());
    }

    /// A source with nothing to read yet, whose sample determined its format.
    fn learned(stream: &StreamInfo<'_>, sample: &[u8], options: &Options) -> Result<Source<'a>, Error> {
        let StreamInfo { path, name, modified_ns, compression } = *stream;
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
        if sample.is_empty() {
            return Err(fail(ErrorKind::Empty, "it is empty".to_string()));
        }
        let sample_bytes = sample.len();
        let is_evtx = looks_like_evtx(sample);
        let chosen_layout = forced_encoding.and_then(Encoding::logins);
        // The choice of a person holds.
        let detected_layout = |sample: &[u8], name: &str| {
            let is_open = forced_encoding.is_none()
                && options.format.as_deref().is_none_or(|format| format == formats::LOGINS.name);
            if is_open { logins::detect(sample, name) } else { None }
        };
        let login_layout =
            if is_evtx { None } else { chosen_layout.or_else(|| detected_layout(sample, name)) };
        let is_records = is_evtx || login_layout.is_some();
        let encoding = match (login_layout, forced_encoding) {
            _ if is_evtx => Encoding::EVTX,
            (Some(layout), _) => Encoding::of_logins(layout),
            (None, Some(encoding)) => encoding,
            (None, None) => Encoding::detect(sample),
        };
        let is_whole = sample.len() < limits::SAMPLE_BYTES;
        let sample = sample_chunk(sample, encoding);
        if !is_records && let Some(what) = binary(&sample) {
            return Err(fail(ErrorKind::Binary, what));
        }
        let forced = match login_layout {
            _ if is_evtx => Some(Candidate::BuiltIn(&formats::EVTX)),
            Some(_) => Some(Candidate::BuiltIn(&formats::LOGINS)),
            None => forced,
        };
        let time_field = options.time_field.as_deref().map(Arc::from);
        let setup = Setup { time_field, logins: login_layout, ..Setup::new(zone.clone()) };
        let Verdict { parser, mut detection, times, rules } =
            detect(&sample, is_whole, forced.as_ref(), &options.definitions, &setup, options.zone.as_deref());
        let parser = if options.lines && !is_records { parser.by_lines() } else { parser };
        let parser = parser.received_from(options.sender.as_deref());
        detection.encoding = encoding.name();
        compression.clone_into(&mut detection.compression);
        let (year, year_reason) = match options.year {
            None => (year_in_text::learn(sample.text(), &times, &rules), Some(year_in_text::REASON)),
            chosen => (chosen, options.year_reason.as_deref()),
        };
        let zone_origin = options.zone.as_deref().map_or(ZoneOrigin::Assumed, ZoneOrigin::Chosen);
        let evidence = Evidence {
            rules: Some(&rules),
            name,
            modified_ns,
            zone,
            zone_origin,
            year,
            year_reason,
            neighbours: &options.neighbours,
            boot_ns: options.boot_ns,
            clock_offset_ns: options.clock_offset_ns,
            ..Evidence::from_sample(&times)
        };
        let settler = Settler::new(&evidence);
        let chunk_bytes = options.chunk_bytes.clamp(1, limits::LARGEST_CHUNK_BYTES);
        Ok(Source {
            path: path.to_path_buf(),
            input: Box::new(io::empty()),
            chunk_bytes,
            encoding,
            pending: Buffer::default(),
            spare: BufferPool::new(chunk_bytes),
            decoded: None,
            offset: 0,
            line: 1,
            heading: Heading::default(),
            state: ReadState::Reading,
            detection,
            framing: parser.framing().clone(),
            parser,
            settler,
            sample_bytes,
        })
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The heading lines in effect at the resume point.
    #[must_use]
    pub fn heading(&self) -> Arc<[u8]> {
        self.heading.lines()
    }

    /// How many of its first bytes were used for detection.
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

    /// A settler at the start of the source.
    #[must_use]
    pub fn settler(&self) -> Settler {
        self.settler.clone()
    }

    /// The next run of whole events; `None` at the end. Only the last line of the source may lack its line
    /// end, and an event beyond the limits comes in pieces. If reading fails, the bytes read come first, then
    /// the error once, then `None`.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, Error> {
        let mut wanted = self.chunk_bytes;
        loop {
            let ended = self.read_up_to(wanted);
            if let Some(end) = self.cut(ended) {
                return Ok(Some(self.hand_out(end)));
            }
            if ended {
                if !self.pending.is_empty() {
                    let end = self.text().len();
                    return Ok(Some(self.hand_out(end)));
                }
                return match std::mem::replace(&mut self.state, ReadState::Ended) {
                    ReadState::Failed(error) => Err(Error::io(&self.path, error)),
                    _ => Ok(None),
                };
            }
            // For an event longer than the chunk the read size grows each time, so that it is not scanned too
            // often.
            wanted = self.pending.len() + self.pending.len().max(self.chunk_bytes).max(limits::SAMPLE_BYTES);
        }
    }

    /// Where to end the next chunk, if the pending bytes determine it. Blank lines at the start of a source
    /// belong to its first event, which shows whether it is a heading.
    fn cut(&self, ended: bool) -> Option<usize> {
        let (text, mut end) = (self.text(), 0);
        loop {
            let offset = self.offset + end as u64;
            end += self.framing.cut(offset, &text[end..], self.chunk_bytes, ended)?;
            if self.offset > 0 || end >= limits::SAMPLE_BYTES || !is_blank(&text[..end]) {
                return Some(end);
            }
        }
    }

    fn text(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&self.pending, Decoded::text)
    }

    /// Reads until this many bytes are pending; returns whether the input has ended.
    fn read_up_to(&mut self, wanted: usize) -> bool {
        if !matches!(self.state, ReadState::Reading) {
            return true;
        }
        let before = self.pending.len();
        let read = self.pending.fill(&mut *self.input, wanted.saturating_sub(before));
        let enough = self.pending.len() >= wanted;
        match read {
            Ok(()) if enough => {}
            Ok(()) => self.state = ReadState::Ended,
            Err(error) => self.state = ReadState::Failed(error),
        }
        self.decode(before);
        !matches!(self.state, ReadState::Reading)
    }

    /// Decodes the pending bytes from a position on, if they differ from their text.
    fn decode(&mut self, new_from: usize) {
        let is_text = !self.encoding.is_records();
        let differs = !self.encoding.is_plain() || has_escapes(&self.pending[new_from..]);
        if self.decoded.is_none() && is_text && differs {
            self.decoded = Some(Decoded::new(self.encoding));
        }
        if let Some(decoded) = &mut self.decoded {
            decoded.extend(&self.pending, !matches!(self.state, ReadState::Reading));
        }
    }

    /// Returns the bytes of the text up to a position.
    fn hand_out(&mut self, text_end: usize) -> Chunk {
        let text = &self.text()[..text_end];
        let offset = |at: usize| {
            let position = |decoded: &Decoded| decoded.byte_position(&self.pending, at);
            self.offset + self.decoded.as_ref().map_or(at, position) as u64
        };
        let (layouts, cut) = self.parser.learn_layouts(&self.heading.lines(), text, &offset);
        let text_end = cut.unwrap_or(text_end);
        let end = match &self.decoded {
            None => text_end,
            Some(decoded) if text_end == decoded.text().len() => decoded.decoded_bytes(),
            Some(decoded) => decoded.byte_position(&self.pending, text_end),
        };
        let mut rest = self.spare.buffer();
        rest.extend(&self.pending[end..]);
        self.pending.truncate(end);
        let bytes = std::mem::replace(&mut self.pending, rest);
        let decoded = self.decoded.take().map(|decoded| decoded.up_to(text_end));
        let chunk = Chunk {
            offset: self.offset,
            first_line: self.line,
            heading: self.heading.lines(),
            bytes: bytes.shrunk(),
            decoded,
        };
        self.decode(0);
        self.offset += chunk.bytes.len() as u64;
        self.line += memchr_iter(b'\n', chunk.text()).count() as u64;
        self.parser.add_headings(&chunk, &mut self.heading);
        if let Some(layouts) = layouts {
            self.heading.add(&layouts);
            self.framing = self.parser.framing_after(&self.heading.lines());
        }
        chunk
    }
}

fn is_blank(text: &[u8]) -> bool {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii().is_empty()
}

/// The first bytes of a source as a chunk, without the truncated line at the end unless there is no other.
fn sample_chunk(bytes: &[u8], encoding: Encoding) -> Chunk {
    let is_whole = bytes.len() < limits::SAMPLE_BYTES;
    if encoding.is_records() || encoding.is_plain() && !has_escapes(bytes) {
        let end = if is_whole || encoding.is_records() { None } else { memchr::memrchr(b'\n', bytes) };
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

/// Reads a file as a whole, settled: for tests, and for small files whose events are all needed at once. For
/// an archive it is all members up to the first that cannot be read.
pub fn read_all(found: &InputFile, options: &Options) -> Result<Vec<Batch>, Error> {
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
