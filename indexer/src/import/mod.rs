//! Import: files are read, parsed and compressed beside each other ([`read`]), landed here in order and
//! published as segments at least once a second; the text index follows behind.

mod pending;
mod progress;
mod read;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ingest::{Detection, Found, NO_TIME, Settler};
use sha2::Digest;

pub use progress::{FileProgress, FileState, Phase, Progress};

pub(crate) use self::pending::Pending;
use self::progress::Reporter;
use self::read::{Next, Part, Step};
use crate::Cancel;
use crate::error::{AtPath, Error, ErrorKind, Result};
use crate::limits::{FIRST_PUBLICATION, PUBLICATION};
use crate::rewrite;
use crate::storage::{
    FormatFile, Manifest, Profile, RawWriter, Reading, SourceEntry, folder_bytes, sync_raw,
};
use crate::writing::Writing;

/// How an import goes about it; the default asks the data and keeps to the case's profile.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    pub ingest: ingest::Options,
    /// What is kept besides the original bytes; the case's own profile unless told.
    pub profile: Option<Profile>,
    /// Parser threads; 0 takes one a core.
    pub workers: usize,
}

/// What an import did.
#[derive(Clone, Debug)]
pub struct ImportReport {
    pub files: Vec<FileReport>,
    /// Paths that held nothing to read, and why.
    pub refused: Vec<Error>,
    pub events: u64,
    pub bytes_in: u64,
    pub bytes_on_disk: u64,
    pub landed: Duration,
    pub indexed: Duration,
    pub cancelled: bool,
    /// What ended the import before its end, with everything landed until then kept.
    pub failure: Option<Error>,
}

#[derive(Clone, Debug)]
pub struct FileReport {
    pub path: PathBuf,
    /// What it became in the case; nothing when no byte of it could be read.
    pub source: Option<SourceEntry>,
    pub problem: Option<Error>,
}

/// Reads files and folders into a case that this process holds for writing.
pub(crate) fn import(
    writing: &mut Writing<'_>,
    paths: &[PathBuf],
    options: &ImportOptions,
    report: &dyn Fn(Progress),
    cancel: &Cancel,
) -> Result<ImportReport> {
    choose_profile(writing, options.profile)?;
    let discovery = ingest::discover(paths);
    let mut reporter = Reporter::new(&discovery.files, report);
    reporter.tell(writing.manifest.revision, true);
    let (sources, failure) = land_all(writing, &discovery.files, options, &mut reporter, cancel);
    let landed = reporter.started().elapsed();
    if failure.is_none() && !cancel.is_set() {
        reporter.phase = Phase::Indexing;
        index(writing, &mut reporter, cancel)?;
    }
    let files = reporter.files().iter().zip(sources).filter(|(progress, _)| !progress.is_archive);
    Ok(ImportReport {
        files: files
            .map(|(progress, source)| FileReport {
                path: progress.path.clone(),
                source: source.and_then(|id| writing.manifest.sources.get(id as usize).cloned()),
                problem: progress.note.clone(),
            })
            .collect(),
        refused: discovery.refused.into_iter().map(Error::from).collect(),
        events: reporter.events(),
        bytes_in: reporter.bytes_read(),
        bytes_on_disk: folder_bytes(writing.folder()),
        landed,
        indexed: reporter.started().elapsed().saturating_sub(landed),
        cancelled: cancel.is_set(),
        failure,
    })
}

/// A case has one profile. An import chooses it while there is nothing yet that has another.
fn choose_profile(writing: &mut Writing<'_>, wanted: Option<Profile>) -> Result<()> {
    let current = writing.manifest.profile;
    match wanted {
        Some(wanted) if wanted != current && !writing.manifest.segments.is_empty() => {
            let message = format!("this case has the profile {}, not {}", current.name(), wanted.name());
            Err(Error::new(ErrorKind::BadRequest, message)
                .at(writing.folder())
                .hint("change it with `timberline reprofile`, or import without naming one"))
        }
        Some(wanted) => {
            writing.manifest.profile = wanted;
            Ok(())
        }
        None => Ok(()),
    }
}

/// Lands every file. Gives back which source each file became, and what ended it early, if anything did.
fn land_all(
    writing: &mut Writing<'_>,
    files: &[Found],
    options: &ImportOptions,
    reporter: &mut Reporter<'_>,
    cancel: &Cancel,
) -> (Vec<Option<u32>>, Option<Error>) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let workers = if options.workers == 0 { cores } else { options.workers };
    // The reader stops by this flag when landing fails, whoever else may hold the caller's.
    let stop = cancel.child();
    let mut landing = Landing::new(writing, files.len(), &options.ingest);
    let outcome = std::thread::scope(|scope| {
        let mut steps = read::start(scope, files, &options.ingest, workers, &stop);
        let outcome = landing.run(&mut steps, reporter, cancel);
        stop.set();
        outcome
    });
    let outcome = outcome.and_then(|()| landing.end(reporter, cancel));
    if let Err(error) = &outcome {
        landing.give_up(reporter, error);
    }
    (landing.sources, outcome.err())
}

/// The state of landing: the file that is being read, and what is not yet published.
struct Landing<'w, 'c> {
    writing: &'w mut Writing<'c>,
    /// The manifest as it will be published next.
    manifest: Manifest,
    pending: Pending,
    /// Sources with raw bytes that the next publication must make durable.
    unsynced: BTreeSet<(u32, u32)>,
    /// The stream that is being read: its place in the list of files, its name, and what it became.
    stream: usize,
    name: String,
    modified: Option<i64>,
    current: Option<Current>,
    options: &'w ingest::Options,
    /// What each file became in the case.
    sources: Vec<Option<u32>>,
    published: Option<Instant>,
    started: Instant,
}

struct Current {
    source: u32,
    raw: RawWriter,
    settler: Settler,
    hash: sha2::Sha256,
}

impl<'w, 'c> Landing<'w, 'c> {
    fn new(writing: &'w mut Writing<'c>, files: usize, options: &'w ingest::Options) -> Self {
        let manifest = writing.manifest.clone();
        let sources = vec![None; files];
        let started = Instant::now();
        Landing {
            writing,
            manifest,
            pending: Pending::default(),
            unsynced: BTreeSet::new(),
            stream: 0,
            name: String::new(),
            modified: None,
            current: None,
            options,
            sources,
            published: None,
            started,
        }
    }

    fn run(&mut self, steps: &mut read::Steps, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
        while !cancel.is_set() {
            match steps.next(self.until_publication()) {
                Next::End => break,
                Next::Waiting => {}
                Next::Step(Step::Found(stream)) => {
                    self.stream = reporter.stream(stream.file, &stream.path, stream.bytes);
                    self.sources.resize(reporter.files().len(), None);
                    self.name = stream.name;
                    self.modified = stream.modified_ns;
                }
                Next::Step(Step::Begin { detection, settler, sample_bytes }) => {
                    let path = reporter.files()[self.stream].path.clone();
                    self.begin(&path, &detection, *settler, sample_bytes)?;
                    reporter.change(self.stream, |progress| {
                        progress.state = FileState::Reading;
                        progress.format = Some(detection.format.clone());
                    });
                }
                Next::Step(Step::Part(part)) => self.land(*part, reporter)?,
                Next::Step(Step::End { problem }) => self.finish(problem, reporter)?,
            }
            let due = self.until_publication().is_zero() || self.pending.is_full();
            if due && !self.pending.is_empty() {
                self.publish()?;
                reporter.tell(self.manifest.revision, true);
            }
            reporter.tell(self.writing.manifest.revision, false);
        }
        Ok(())
    }

    fn until_publication(&self) -> Duration {
        match self.published {
            None => FIRST_PUBLICATION.saturating_sub(self.started.elapsed()),
            Some(published) => PUBLICATION.saturating_sub(published.elapsed()),
        }
    }

    fn begin(
        &mut self,
        path: &Path,
        detection: &Detection,
        settler: Settler,
        sample_bytes: usize,
    ) -> Result<()> {
        let source = self.manifest.sources.len() as u32;
        let raw = RawWriter::create(self.writing.folder(), source, 0)?;
        let reading = Reading {
            definition: self.definition(&detection.format),
            zone: self.options.zone.clone(),
            year: self.options.year,
            modified: self.modified,
            sample_bytes: sample_bytes as u64,
        };
        self.manifest.sources.push(SourceEntry {
            name: self.name.clone(),
            path: path.to_string_lossy().into_owned(),
            format: detection.format.clone(),
            encoding: detection.encoding.clone(),
            compression: detection.compression.clone(),
            zone: detection.zone.clone(),
            reading,
            bytes: 0,
            sha256: String::new(),
            generation: 0,
            raw_bytes: 0,
            packed_bytes: 0,
            events: 0,
            unparsed: 0,
            first: None,
            last: None,
            complete: false,
            note: None,
            deleted: false,
        });
        self.sources[self.stream] = Some(source);
        self.current = Some(Current { source, raw, settler, hash: sha2::Sha256::new() });
        Ok(())
    }

    /// Where the case keeps the file that defines a format; nothing for a built-in one.
    fn definition(&mut self, format: &str) -> Option<usize> {
        let written = self.options.definitions.iter().find(|known| known.name == format)?.written();
        let file = FormatFile { name: written.file_name.clone(), text: written.text.clone() };
        let known = self.manifest.definitions.iter().position(|known| *known == file);
        Some(known.unwrap_or_else(|| {
            self.manifest.definitions.push(file);
            self.manifest.definitions.len() - 1
        }))
    }

    fn land(&mut self, part: Part, reporter: &mut Reporter<'_>) -> Result<()> {
        let Some(current) = &mut self.current else {
            return Err(Error::new(ErrorKind::Internal, "a part of a file arrived before its beginning"));
        };
        let Part { mut batch, compressed, hash } = part;
        current.settler.settle(&mut batch);
        let compressed = compressed.at_path(self.writing.folder())?;
        let bytes = batch.chunk.bytes.len() as u32;
        let frame = current.raw.append(&compressed, bytes)?;
        current.hash = hash;
        let entry = &mut self.manifest.sources[current.source as usize];
        entry.bytes += u64::from(bytes);
        entry.events += batch.rows() as u64;
        entry.unparsed += u64::from(batch.unparsed);
        let mut timed = batch.time.iter().copied().filter(|&time| time != NO_TIME);
        entry.first = entry.first.or_else(|| timed.clone().next());
        entry.last = timed.next_back().or(entry.last);
        reporter.change(self.stream, |progress| {
            progress.bytes_read += u64::from(bytes);
            progress.events += batch.rows() as u64;
            progress.unparsed += u64::from(batch.unparsed);
        });
        self.pending.add(current.source, &entry.encoding, frame, batch);
        Ok(())
    }

    fn finish(&mut self, problem: Option<Error>, reporter: &mut Reporter<'_>) -> Result<()> {
        if let Some(current) = self.current.take() {
            let entry = &mut self.manifest.sources[current.source as usize];
            entry.raw_bytes = current.raw.written();
            entry.sha256 = crate::hex(&current.hash.finalize());
            entry.complete = problem.is_none();
            entry.note = problem.as_ref().map(|problem| problem.message().to_owned());
            current.raw.finish()?;
            self.unsynced.insert((current.source, entry.generation));
        }
        reporter.change(self.stream, |progress| {
            progress.state = if problem.is_some() { FileState::Failed } else { FileState::Done };
            progress.note = problem;
        });
        reporter.tell(self.writing.manifest.revision, true);
        Ok(())
    }

    /// Makes what has landed segments that everyone sees. They and the raw bytes are on disk before
    /// the manifest names them.
    fn publish(&mut self) -> Result<()> {
        if let Some(current) = &mut self.current {
            let entry = &mut self.manifest.sources[current.source as usize];
            entry.raw_bytes = current.raw.written();
            entry.sha256 = crate::hex(&current.hash.clone().finalize());
            self.unsynced.insert((current.source, entry.generation));
        }
        sync_raw(self.writing.folder(), &std::mem::take(&mut self.unsynced))?;
        let mut segments = Vec::new();
        for part in std::mem::take(&mut self.pending).into_segments() {
            let id = self.manifest.next_segment;
            self.manifest.next_segment += 1;
            let written = part.write(self.writing.folder(), id, self.manifest.profile.has_columns())?;
            self.manifest.segments.push(Writing::entry(&written));
            segments.push(written);
        }
        self.writing.publish(self.manifest.clone(), segments)?;
        self.manifest.revision = self.writing.manifest.revision;
        self.published = Some(Instant::now());
        Ok(())
    }

    /// Closes what is open after the last step, or after a stop: what has landed is published.
    fn end(&mut self, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
        if let Some(source) = self.current.as_ref().map(|current| current.source) {
            let problem = cancel.is_set().then(|| {
                let bytes = self.manifest.sources[source as usize].bytes;
                Error::new(
                    ErrorKind::Cancelled,
                    format!("stopped on request; its first {bytes} bytes are kept"),
                )
                .at(&reporter.files()[self.stream].path)
            });
            self.finish(problem, reporter)?;
        }
        if !self.pending.is_empty() || self.manifest.sources != self.writing.manifest.sources {
            self.publish()?;
        }
        reporter.tell(self.manifest.revision, true);
        Ok(())
    }

    /// After an error of the disk: the case stands as last published, and every file says what is kept of it.
    fn give_up(&mut self, reporter: &mut Reporter<'_>, error: &Error) {
        self.current = None;
        let kept = &self.writing.manifest.sources;
        for (file, source) in self.sources.iter().enumerate() {
            let entry = source.and_then(|id| kept.get(id as usize));
            if entry.is_some_and(|entry| entry.complete) {
                continue;
            }
            let (bytes, events) = entry.map_or((0, 0), |entry| (entry.bytes, entry.events));
            reporter.change(file, |progress| {
                if progress.note.is_some() {
                    return;
                }
                let message = format!("{}; {events} events ({bytes} bytes) of it are kept", error.message());
                let note = Error::new(error.kind(), message).at(&progress.path);
                progress.note = Some(match error.hint_text() {
                    Some(hint) => note.hint(hint),
                    None => note,
                });
                progress.state = FileState::Failed;
                (progress.bytes_read, progress.events) = (bytes, events);
            });
        }
        // What was written past the last publication is of no use to anyone, and the disk may need the room.
        // Where even that fails, the next import into this case does it.
        let _ = self.writing.recover();
        reporter.tell(self.writing.manifest.revision, true);
    }
}

/// Gives every landed segment what the profile has besides columns. Answers are the same before, during and
/// after.
fn index(writing: &mut Writing<'_>, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
    let catching_up = rewrite::catch_up(writing, cancel, &mut |revision| reporter.tell(revision, false));
    match catching_up {
        Err(error) if error.kind() == ErrorKind::Cancelled => {}
        outcome => outcome?,
    }
    if !cancel.is_set() {
        // Without the file templates may show another of their ids, and the next import writes it.
        let _ = writing.keep_template_ids(cancel);
    }
    reporter.tell(writing.manifest.revision, true);
    Ok(())
}
