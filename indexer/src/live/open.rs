//! A stream that is being received, and the source that it goes on in.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ingest::{Encoding, Options, Parser, ResumePoint, Settler, Source, message_format};
use sha2::{Digest, Sha256};

use super::change::Fit;
use super::{LAST_EVENT_WAITS, Live, Moment, Received, STREAM_PART};
use crate::import::fingerprint;
use base::error::{Error, ErrorKind, Result};
use base::limits::{HEAD_BYTES, RESUMED_BYTES};
use store::RawFile;
use store::frames_of;
use store::{Account, FormatFile, Frame, LiveEntry, RawWriter, Reading, SourceEntry, SourceReading};

/// What a stream is read as where its bytes say nothing else, or what they say cannot be.
pub const PLAIN: &str = "text";

/// The encoding of what comes over a network.
const ENCODING: &str = "utf-8";

/// What is written of a source that is being received.
const NOTE: &str = "it is being received";

pub struct LiveStream {
    pub name: String,
    pub sender: Option<String>,
    pub format: Option<String>,
    pub zone: Option<String>,
    /// So many of its bytes were pushed, from its beginning on.
    pub received: u64,
    pub waiting: Waiting,
    /// What was pushed last are records, each a line; or it ends with a line.
    pub ends: bool,
    pub ends_line: bool,
    pub pushed: Instant,
    /// When the first bytes came that have no source yet.
    pub began: Instant,
    /// Sources of it that ended since the last publication: their raw files and frames.
    pub closed: Vec<(RawFile, Arc<[Frame]>)>,
    /// How often another format was learned.
    pub changes: usize,
}

pub enum Waiting {
    /// There is no source yet; the bytes that it will begin with.
    New(Vec<u8>),
    Open(Box<Opened>),
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting::New(Vec::new())
    }
}

/// A source that goes on.
pub struct Opened {
    pub id: u32,
    pub source: Source<'static>,
    pub parser: Parser,
    pub settler: Settler,
    pub raw: RawWriter,
    pub frames: Vec<Frame>,
    hash: Sha256,
    pub account: Account,
    pub encoding: Encoding,
    /// It has only the bytes that showed its format, and all of them become events; these follow them.
    pub is_first: bool,
    pub rest: Vec<u8>,
    /// How well it reads what comes, and whether it reads everything because it is plain text.
    pub fit: Fit,
    pub is_plain: bool,
}

impl LiveStream {
    pub fn push(&mut self, bytes: &[u8], ends: bool, now: Instant) {
        (self.ends, self.ends_line, self.pushed) = (ends, bytes.ends_with(b"\n"), now);
        match &mut self.waiting {
            Waiting::New(waiting) => {
                if waiting.is_empty() {
                    self.began = now;
                }
                waiting.extend_from_slice(bytes);
            }
            Waiting::Open(opened) if opened.is_first => opened.rest.extend_from_slice(bytes),
            Waiting::Open(opened) => opened.source.push(bytes),
        }
    }

    /// Whether it has another sender, or a person chose another format or zone than what it is read as.
    pub fn is_read_otherwise(&self, received: &Received<'_>) -> bool {
        let is_other = |chosen: Option<&str>, present: &Option<String>| {
            chosen.is_some_and(|chosen| present.as_deref() != Some(chosen))
        };
        received.sender != self.sender.as_deref()
            || is_other(received.format, &self.format)
            || is_other(received.zone, &self.zone)
    }

    pub fn choose(&mut self, received: &Received<'_>) {
        self.sender = received.sender.map(str::to_owned);
        self.format = received.format.map(str::to_owned).or_else(|| self.format.take());
        self.zone = received.zone.map(str::to_owned).or_else(|| self.zone.take());
    }

    pub fn has_news(&self) -> bool {
        self.waiting_bytes() > 0
    }

    pub fn waiting_bytes(&self) -> usize {
        match &self.waiting {
            Waiting::New(waiting) => waiting.len(),
            Waiting::Open(opened) => opened.source.waiting_bytes() + opened.rest.len(),
        }
    }
}

impl Opened {
    pub fn hash_update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
    }

    /// What the next publication says of the source.
    pub fn describe(&self, entry: &mut SourceEntry, now: Moment) {
        if let Some(live) = &mut entry.live {
            live.received = Some(now.unix_ns);
        }
        entry.raw_bytes = self.raw.written();
        entry.sha256 = base::hex(&self.hash.clone().finalize());
    }
}

impl Live<'_> {
    /// The stream as the case has it. Its last source goes on where that takes no long reading; else what comes
    /// is a source of its own.
    pub fn resume(&mut self, received: &Received<'_>, now: Moment) -> Result<LiveStream> {
        let name = received.stream;
        let mut stream = LiveStream {
            name: name.to_owned(),
            sender: received.sender.map(str::to_owned),
            format: received.format.map(str::to_owned),
            zone: received.zone.map(str::to_owned),
            received: 0,
            waiting: Waiting::default(),
            ends: false,
            ends_line: false,
            pushed: now.instant,
            began: now.instant,
            closed: Vec::new(),
            changes: 0,
        };
        let is_of = |entry: &SourceEntry| entry.live.as_ref().is_some_and(|live| live.stream == name);
        let Some(id) = self.manifest.sources.iter().rposition(is_of) else { return Ok(stream) };
        let entry = &self.manifest.sources[id];
        stream.received = entry.live.as_ref().map_or(0, |live| live.base) + entry.bytes;
        let (read_as, read_in) = (entry.reading.format.clone(), entry.reading.zone.clone());
        let as_chosen = received.sender == entry.reading.sender.as_deref()
            && (received.format.is_none() || received.format == read_as.as_deref())
            && (received.zone.is_none() || received.zone == read_in.as_deref());
        if entry.bytes > 0
            && entry.bytes <= RESUMED_BYTES
            && as_chosen
            && let Some(opened) = self.reopen(id as u32)?
        {
            stream.waiting = Waiting::Open(Box::new(opened));
            (stream.format, stream.zone) = (read_as, read_in);
            let entry = &mut self.manifest.sources[id];
            (entry.complete, entry.note) = (false, Some(NOTE.to_owned()));
        }
        Ok(stream)
    }

    /// A source of an earlier time, at its end. What is stored of it is read once more, for what the parser, the
    /// times and the hash depend on.
    fn reopen(&self, id: u32) -> Result<Option<Opened>> {
        let entry = &self.manifest.sources[id as usize];
        let frames = frames_of(self.writing.segments(), id);
        let is_current = frames.iter().all(|frame| frame.generation == entry.generation);
        let Some(reading) = SourceReading::from_manifest(&self.manifest, id) else { return Ok(None) };
        if !is_current || frames.last().is_none_or(|last| last.end() != entry.bytes) {
            return Ok(None);
        }
        let mut hash = Sha256::new();
        let mut account = Account::default();
        let mut again = self.writing.again(id)?;
        let mut cursor = self.writing.cursor();
        let encoding = Encoding::named(&entry.encoding).unwrap_or(Encoding::UTF_8);
        for frame in &frames {
            let bytes = cursor.read(id, frame)?;
            hash.update(&bytes);
            account.add(&again.next(bytes), encoding);
        }
        if base::hex(&hash.clone().finalize()) != entry.sha256 {
            return Ok(None);
        }
        let (place, settler) = again.resume_point();
        let source = reading.go_on(self.writing.folder(), &place)?.frugal();
        account.reason.clone_from(&source.detection().reason);
        account.score = source.detection().score;
        let file = entry.raw_file(id);
        let raw = RawWriter::resume(self.writing.folder(), file, &frames, entry.raw_bytes)?;
        let parser = source.parser();
        let opened = Opened {
            id,
            source,
            parser,
            settler,
            raw,
            frames,
            hash,
            account,
            encoding,
            is_first: false,
            rest: Vec::new(),
            fit: Fit::default(),
            is_plain: entry.format == PLAIN,
        };
        Ok(Some(opened))
    }

    /// Learns from a stream's first bytes what it is and begins a source with them. False while there are too few.
    pub fn begin(&mut self, stream: &mut LiveStream, ends: bool, now: Moment) -> Result<bool> {
        let Waiting::New(waiting) = &mut stream.waiting else { return Ok(true) };
        if waiting.is_empty() {
            return Ok(false);
        }
        let lines = memchr::memrchr(b'\n', waiting).map(|newline| newline + 1);
        let is_late = now.instant.saturating_duration_since(stream.began) >= LAST_EVENT_WAITS;
        let first = match lines {
            _ if ends => waiting.len(),
            Some(lines) if is_late || waiting.len() >= ingest::limits::SAMPLE_BYTES => lines,
            None if waiting.len() >= ingest::limits::LONGEST_EVENT_BYTES => waiting.len(),
            _ => return Ok(false),
        };
        let bytes = std::mem::take(waiting);
        let (first, rest) = bytes.split_at(first);
        let sample = &first[..first.len().min(ingest::limits::SAMPLE_BYTES)];
        let (source, options) = self.learn(stream, sample, now)?;
        let id = self.manifest.sources.len() as u32;
        let detection = source.detection().clone();
        let definition = self.definition(&detection.format, &options);
        let base = stream.received - bytes.len() as u64;
        self.manifest.sources.push(SourceEntry {
            name: title(&stream.name).to_owned(),
            path: title(&stream.name).to_owned(),
            format: detection.format.clone(),
            encoding: detection.encoding.clone(),
            compression: detection.compression.clone(),
            zone: detection.zone.clone(),
            modified: Some(now.unix_ns),
            head: fingerprint(&first[..first.len().min(HEAD_BYTES)]),
            reading: Reading {
                sample_bytes: source.sample_bytes() as u64,
                definition,
                ..Reading::from_options(&options)
            },
            note: Some(NOTE.to_owned()),
            live: Some(LiveEntry {
                stream: stream.name.clone(),
                base,
                partition: self.partition,
                received: Some(now.unix_ns),
            }),
            ..SourceEntry::default()
        });
        let mut opened = Opened {
            id,
            parser: source.parser(),
            settler: source.settler(),
            raw: RawWriter::create(self.writing.folder(), RawFile { source: id, generation: 0 })?,
            frames: Vec::new(),
            hash: Sha256::new(),
            account: Account::from_detection(&detection),
            encoding: Encoding::named(&detection.encoding).unwrap_or(Encoding::UTF_8),
            is_first: true,
            rest: rest.to_vec(),
            fit: Fit::default(),
            is_plain: detection.format == PLAIN,
            source,
        };
        opened.source.push(first);
        stream.waiting = Waiting::Open(Box::new(opened));
        Ok(true)
    }
}

impl Live<'_> {
    /// A source whose first bytes are the sample. Where they look like no text, fewer of them tell less.
    pub fn learn(
        &self,
        stream: &LiveStream,
        sample: &[u8],
        now: Moment,
    ) -> Result<(Source<'static>, Options)> {
        let name = title(&stream.name);
        let of = ingest::StreamInfo {
            path: Path::new(name),
            name,
            modified_ns: Some(now.unix_ns),
            compression: "none",
        };
        let place = ResumePoint { offset: 0, line: 1, heading: Vec::new() };
        let chosen = Options {
            format: stream.format.clone(),
            zone: stream.zone.clone(),
            definitions: (self.definitions.0)(),
            encoding: Some(ENCODING.to_owned()),
            lines: stream.ends,
            sender: stream.sender.clone(),
            ..Options::default()
        };
        if let Ok(source) = Source::resume(&of, sample, &place, &chosen) {
            return Ok((source.frugal(), chosen));
        }
        let plain = Options { format: Some(PLAIN.to_owned()), ..chosen };
        // A single byte is always detected as text.
        for bytes in [sample.len(), 1] {
            if let Ok(source) = Source::resume(&of, &sample[..bytes], &place, &plain) {
                return Ok((source.frugal(), plain));
            }
        }
        Err(Error::new(ErrorKind::Binary, format!("what {name} sends is not text")))
    }

    /// The number of the definition of a format in the case, if a person defined it.
    fn definition(&mut self, format: &str, options: &Options) -> Option<usize> {
        let name = message_format(format);
        let written = options.definitions.iter().find(|known| known.name == name)?.written();
        let file = FormatFile { name: written.file_name.clone(), text: written.text.clone() };
        Some(self.manifest.definition_number(file))
    }
}

/// What the source of a stream is called.
pub fn title(stream: &str) -> &str {
    stream.split(STREAM_PART).next().unwrap_or(stream)
}
