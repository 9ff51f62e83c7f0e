//! Landing: batches are appended to the case in order, and committed at least once a second.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ingest::{Encoding, Settler, SettlerState};
use sha2::Digest;

use super::held::OldSource;
use super::held::ReplacedAt;
use super::known::Known;
use super::origin::OpenedRaw;
use super::origin::Origin;
use super::pending::Pending;
use super::progress::{FileState, Outcome, Reporter};
use super::read::{Begin, Next, ReadBatch, ReadStep, SourceState, Steps};
use super::sets;
use crate::rewrite::Gone;
use crate::tune::Plan;
use crate::writing::{KnownSource, Writing};
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use store::{
    Account, Accounts, Follows, FormatFile, Frame, Manifest, RawFile, RawWriter, Reading, Resume,
    SourceEntry, SourceReading, WrittenSegment,
};

/// The state of landing: the current file, and what is not committed yet.
pub struct Landing<'w, 'c> {
    pub writing: &'w mut Writing<'c>,
    pub known: &'w Known,
    /// The manifest of the next commit.
    pub manifest: Manifest,
    pub pending: Pending,
    pub next_commit: NextCommit,
    stream: LandingStream,
    /// The sources that were read to their end from the present file, and its index among the inputs.
    of_file: (usize, Vec<u32>),
    pub current: Option<Current>,
    /// The end of the last source's times, for the next file of its set.
    ended: Option<EndedSource>,
    /// The last new source, whose settings the next one may inherit.
    pub last_new: Option<u32>,
    pub landed: Landed,
    pub published: Option<Instant>,
    started: Instant,
    pub plan: Plan,
}

/// What the next commit does besides showing what is pending.
#[derive(Default)]
pub struct NextCommit {
    /// Raw files that it must make durable.
    pub unsynced: BTreeSet<RawFile>,
    /// Segments that are written and not committed, and events that it removes.
    pub written: Vec<WrittenSegment>,
    pub gone: Vec<Gone>,
    pub accounts: Accounts,
    /// Raw files with the frames that are still referenced after it.
    pub buried: Vec<(RawFile, Vec<Frame>)>,
}

/// The stream that is being read: its index in the list of files, its name and its rotated set.
#[derive(Default)]
struct LandingStream {
    file: usize,
    name: String,
    set: Option<String>,
}

/// The last file of a rotated set: its set and format, and the state of its times at its end.
struct EndedSource {
    set: String,
    format: String,
    settler: SettlerState,
}

/// What has landed.
#[derive(Default)]
pub struct Landed {
    /// The source of each file, if any byte of it could be read.
    pub sources: Vec<Option<u32>>,
    pub years: Years,
}

/// The evidence about years when all files have landed.
#[derive(Default)]
pub struct Years {
    pub seen: BTreeSet<i16>,
    pub yearless: Vec<Yearless>,
}

/// A source whose times have no year, as it began, and the year with which it would end in time.
pub struct Yearless {
    pub source: u32,
    pub settler: Settler,
    pub better: Option<i16>,
}

pub struct Current {
    pub source: u32,
    pub raw: RawWriter,
    frames: Vec<Frame>,
    settler: Settler,
    /// In its initial state.
    beginning: Settler,
    pub hash: sha2::Sha256,
    account: Account,
    resume: Option<Resume>,
    pub origin: Origin,
    encoding: Encoding,
    events_before: u64,
}

impl<'w, 'c> Landing<'w, 'c> {
    pub fn new(writing: &'w mut Writing<'c>, known: &'w Known, files: usize, plan: Plan) -> Self {
        let manifest = writing.manifest.clone();
        Landing {
            writing,
            known,
            manifest,
            pending: Pending::default(),
            next_commit: NextCommit::default(),
            stream: LandingStream::default(),
            of_file: (0, Vec::new()),
            current: None,
            ended: None,
            last_new: None,
            landed: Landed { sources: vec![None; files], years: Years::default() },
            published: None,
            started: Instant::now(),
            plan,
        }
    }

    pub fn run(&mut self, steps: &mut Steps, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
        let mut thread = reporter.stages.land.thread();
        while !cancel.is_set() {
            match steps.next(self.until_publication()) {
                Next::End => break,
                Next::Waiting => {}
                Next::ReadStep(ReadStep::Found(stream)) => {
                    if stream.file != self.of_file.0 {
                        self.of_file = (stream.file, Vec::new());
                    }
                    let file = reporter.stream(stream.file, &stream.path, stream.bytes);
                    self.landed.sources.resize(reporter.files().len(), None);
                    self.stream = LandingStream { file, name: stream.name, set: stream.set };
                }
                Next::ReadStep(ReadStep::Known { source, is_whole, moved }) => {
                    self.known(source, is_whole, moved, reporter);
                }
                Next::ReadStep(ReadStep::Begin(begin)) => self.begin(*begin, reporter)?,
                Next::ReadStep(ReadStep::ReadBatch(part)) => self.land(*part, reporter)?,
                Next::ReadStep(ReadStep::End { problem }) => self.finish(problem, reporter)?,
                Next::ReadStep(ReadStep::Doubtful { problem }) => {
                    self.doubt(&problem);
                    self.finish(Some(problem), reporter)?;
                }
            }
            let due = self.until_publication().is_zero() || self.pending.is_full(&self.plan);
            if due && self.has_news() {
                self.publish()?;
                reporter.tell(self.manifest.revision, true);
            }
            thread.count();
            reporter.tell(self.writing.manifest.revision, false);
        }
        Ok(())
    }

    fn until_publication(&self) -> Duration {
        match self.published {
            None => self.plan.first_publication().saturating_sub(self.started.elapsed()),
            Some(published) => self.plan.publication().saturating_sub(published.elapsed()),
        }
    }

    fn known(
        &mut self,
        source: u32,
        is_whole: bool,
        moved: Option<(PathBuf, String)>,
        reporter: &mut Reporter<'_>,
    ) {
        self.landed.sources[self.stream.file] = Some(source);
        let Some(entry) = self.manifest.sources.get_mut(source as usize) else { return };
        let was = entry.name.clone();
        if let Some((path, name)) = moved {
            (entry.path, entry.name) = (path.to_string_lossy().into_owned(), name);
            entry.set.clone_from(&self.stream.set);
        }
        if is_whole && !entry.complete {
            (entry.complete, entry.note) = (true, None);
            self.of_file.1.push(source);
        }
        reporter.change(self.stream.file, |progress| {
            progress.format = Some(entry.format.clone());
            progress.bytes_read = entry.bytes;
            progress.outcome = Outcome::Known;
            progress.remark = Some(format!("it is already here, as source {source} ({was})"));
        });
    }

    fn begin(&mut self, begin: Begin, reporter: &mut Reporter<'_>) -> Result<()> {
        let path = reporter.files()[self.stream.file].path.clone();
        let format = begin.detection.format.clone();
        let (outcome, remark) = match &begin.state {
            SourceState::New { .. } => (Outcome::New, begin.note.clone()),
            SourceState::Reread { source, replaced_at: ReplacedAt::End } => {
                (Outcome::Reread, Some(format!("source {source} is read again from its stored bytes")))
            }
            SourceState::Reread { source, .. } | SourceState::Resumed { source, .. } => {
                (Outcome::Grown, Some(format!("it has grown; source {source} goes on")))
            }
        };
        self.open(&path, begin)?;
        reporter.change(self.stream.file, |progress| {
            progress.state = FileState::Reading;
            progress.format = Some(format);
            (progress.outcome, progress.remark) = (outcome, remark);
        });
        Ok(())
    }

    fn open(&mut self, path: &Path, begin: Begin) -> Result<()> {
        let Begin { detection, mut settler, modified_ns, head, reading, definition, followed, state, .. } =
            begin;
        let reading = self.reading(reading, definition, followed);
        let old = match &state {
            SourceState::New { .. } => None,
            SourceState::Reread { source, .. } | SourceState::Resumed { source, .. } => {
                self.manifest.sources.get(*source as usize).cloned()
            }
        };
        let beginning = settler.clone();
        let mut account = Account::from_detection(&detection);
        let encoding = Encoding::named(&detection.encoding).unwrap_or(Encoding::UTF_8);
        let mut entry = SourceEntry {
            name: self.stream.name.clone(),
            path: path.to_string_lossy().into_owned(),
            format: detection.format,
            encoding: detection.encoding,
            compression: detection.compression,
            zone: detection.zone,
            modified: modified_ns,
            set: self.stream.set.clone().or_else(|| old.as_ref().and_then(|old| old.set.clone())),
            head,
            reading,
            ..SourceEntry::default()
        };
        if let SourceState::Reread { source, .. } | SourceState::Resumed { source, .. } = &state
            && (self.pending.has_source(*source) || !self.next_commit.written.is_empty())
        {
            // The events that landed in this import are removed from those that are committed.
            self.publish()?;
        }
        let events_before = old.as_ref().map_or(0, |old| old.events);
        let old = OldSource::from_entry(old.as_ref());
        let opened = match state {
            SourceState::New { ticket } => self.open_new(ticket)?,
            SourceState::Reread { source, replaced_at } => {
                self.open_again(source, replaced_at, old, &mut entry)?
            }
            SourceState::Resumed { source, resume } => {
                self.open_resumed(source, &resume, old, &mut entry, &mut account)?
            }
        };
        let OpenedRaw { source, raw, frames, origin } = opened;
        if origin.starts_at_first_byte()
            && let Some(before) = self.before(source, &entry)
        {
            settler.follow(&before);
            account.began = Some(before);
            // The state for settling its times again is stored from its first commit on.
            self.next_commit.accounts.of.insert(source, account.clone());
        }
        self.manifest.sources[source as usize] = entry;
        self.landed.sources[self.stream.file] = Some(source);
        self.current = Some(Current {
            source,
            raw,
            frames,
            settler,
            beginning,
            hash: sha2::Sha256::new(),
            account,
            resume: None,
            origin,
            encoding,
            events_before,
        });
        Ok(())
    }

    /// The end of the times of the previous file of its set.
    fn before(&self, source: u32, entry: &SourceEntry) -> Option<SettlerState> {
        let set = entry.set.as_ref()?;
        if let Some(ended) = &self.ended
            && ended.set == *set
            && ended.format == entry.format
        {
            return Some(ended.settler.clone());
        }
        let earlier = self.manifest.sources.get(..source as usize)?;
        let before = earlier.iter().rposition(|other| other.set.as_ref() == Some(set))?;
        let other = &earlier[before];
        self.account_of(before as u32, other)?.ended.filter(|_| other.format == entry.format)
    }

    pub fn account_of(&self, source: u32, entry: &SourceEntry) -> Option<Account> {
        Accounts::read(self.writing.folder(), entry.account?).ok()?.of.remove(&source)
    }

    /// How a source is read, with the ids that this refers to.
    fn reading(
        &mut self,
        reading: Reading,
        definition: Option<FormatFile>,
        followed: Option<String>,
    ) -> Reading {
        let mut reading = reading;
        reading.definition = definition.map(|definition| self.manifest.definition_number(definition));
        let before =
            self.last_new.and_then(|before| Some((before, self.manifest.sources.get(before as usize)?)));
        if let (Some(heading), Some((source, before))) = (followed, before) {
            let first = before.reading.follows.as_deref().cloned().unwrap_or_else(|| Follows {
                source,
                format: before.format.clone(),
                encoding: before.encoding.clone(),
                reading: before.reading.clone(),
                heading: String::new(),
            });
            reading.follows = Some(Box::new(Follows { heading, ..first }));
        }
        reading
    }

    fn land(&mut self, part: ReadBatch, reporter: &mut Reporter<'_>) -> Result<()> {
        let Some(current) = &mut self.current else {
            return Err(Error::new(ErrorKind::Internal, "a part of a file arrived before its beginning"));
        };
        let ReadBatch { mut batch, packed, hash, expected } = part;
        let entry = &mut self.manifest.sources[current.source as usize];
        current.resume = current.place(entry, &batch);
        current.settler.settle(&mut batch);
        let packed = packed.at_path(self.writing.folder())?;
        let bytes = batch.chunk.bytes.len() as u32;
        let frame = current.raw.append(&packed, bytes)?;
        current.frames.push(frame);
        current.hash = hash;
        current.account.add(&batch, current.encoding);
        entry.add(&batch);
        reporter.stages.land.done(batch.rows() as u64, u64::from(bytes));
        let (events, unparsed) = (entry.events.saturating_sub(current.events_before), entry.unparsed);
        reporter.change(self.stream.file, |progress| {
            progress.bytes_read = entry.bytes;
            progress.bytes_total = expected.unwrap_or(progress.bytes_total);
            (progress.events, progress.unparsed) = (events, unparsed);
        });
        self.pending.add(current.source, entry, frame, batch);
        if current.replacement().is_some_and(|replacement| replacement.is_complete(entry.bytes))
            && let Some(replacement) = current.take_replacement()
        {
            self.release(replacement);
        }
        Ok(())
    }

    pub fn finish(&mut self, problem: Option<Error>, reporter: &mut Reporter<'_>) -> Result<()> {
        let mut problem = problem;
        if let Some(mut current) = self.current.take() {
            let source = current.source;
            let entry = &mut self.manifest.sources[source as usize];
            entry.raw_bytes = current.raw.written();
            entry.sha256 = base::hex(&current.hash.clone().finalize());
            entry.complete = problem.is_none();
            entry.note = problem.as_ref().map(|problem| problem.message().to_owned());
            let entry = entry.clone();
            if let Some(replacement) = current.take_replacement() {
                problem = problem.or_else(|| replacement.fault(&entry));
                if problem.is_some() {
                    self.keep_earlier(current, &replacement)?;
                } else {
                    self.replace(replacement);
                    self.close(current, entry)?;
                }
            } else {
                self.close(current, entry)?;
            }
        }
        reporter.change(self.stream.file, |progress| {
            progress.state = if problem.is_some() { FileState::Failed } else { FileState::Done };
            if problem.is_none() && progress.bytes_read > 0 {
                progress.bytes_total = progress.bytes_read;
            }
            progress.note = problem;
        });
        reporter.tell(self.writing.manifest.revision, true);
        Ok(())
    }

    /// The sources that were read from an archive may be damaged, by what its end tells.
    fn doubt(&mut self, problem: &Error) {
        for &source in &self.of_file.1 {
            let entry = &mut self.manifest.sources[source as usize];
            if problem.path().is_some_and(|archive| Path::new(&entry.path).starts_with(archive)) {
                (entry.complete, entry.note) = (false, Some(problem.message().to_owned()));
            }
        }
    }

    /// Closes a source that was read to its end, or up to an error.
    fn close(&mut self, current: Current, entry: SourceEntry) -> Result<()> {
        let source = current.source;
        if entry.complete {
            self.of_file.1.push(source);
        }
        let mut account = current.account;
        account.times = current.settler.report();
        account.years = current.settler.sample_years();
        let mut entry = entry;
        if !account.times.zone.is_empty() {
            // The whole source gives more evidence of its zone than its first lines.
            entry.zone.clone_from(&account.times.zone);
            self.manifest.sources[source as usize].zone.clone_from(&entry.zone);
        }
        account.resume = current.resume;
        let state = current.settler.state();
        self.landed.years.seen.extend(account.years.into_iter().flat_map(|(first, last)| first..=last));
        if account.times.yearless > 0 && entry.reading.year.is_none() {
            let better = account.times.better_year;
            self.landed.years.yearless.push(Yearless { source, settler: current.beginning, better });
        }
        if let Some(set) = &entry.set {
            account.ended = Some(state.clone());
            self.ended = Some(EndedSource { set: set.clone(), format: entry.format.clone(), settler: state });
        } else {
            self.ended = None;
        }
        self.next_commit.accounts.of.insert(source, account);
        current.raw.finish()?;
        let raw = entry.raw_file(source);
        self.next_commit.unsynced.insert(raw);
        self.next_commit.buried.push((raw, current.frames.clone()));
        let reading = SourceReading::from_manifest(&self.manifest, source);
        let known = reading.map(|reading| KnownSource {
            id: source,
            entry: entry.into(),
            frames: current.frames.into(),
            reading: reading.into(),
        });
        self.known.landed(current.origin.ticket(), known);
        Ok(())
    }

    fn has_news(&self) -> bool {
        let replacement = self.current.as_ref().and_then(Current::replacement);
        let held = replacement.map(|replacement| replacement.gone.source);
        let has_written = !self.next_commit.written.is_empty();
        self.pending.is_full(&self.plan) || self.pending.has_other_than(held) || has_written
    }

    /// Closes what is open after the last step, or after a stop: landed events are committed.
    pub fn end(&mut self, reporter: &mut Reporter<'_>, cancel: &Cancel) -> Result<()> {
        if let Some(source) = self.current.as_ref().map(|current| current.source) {
            let problem = cancel.is_set().then(|| {
                let bytes = self.manifest.sources[source as usize].bytes;
                Error::new(
                    ErrorKind::Cancelled,
                    format!("stopped on request; its first {bytes} bytes are kept"),
                )
                .at(&reporter.files()[self.stream.file].path)
            });
            self.finish(problem, reporter)?;
        }
        sets::label(&mut self.manifest.sources);
        let is_new = self.manifest.sources != self.writing.manifest.sources;
        let NextCommit { written, gone, .. } = &self.next_commit;
        if !self.pending.is_empty() || is_new || !written.is_empty() || !gone.is_empty() {
            self.publish()?;
        }
        reporter.tell(self.manifest.revision, true);
        Ok(())
    }

    /// After a disk error: the case stays as of the last commit, and every file reports what was kept of it.
    pub fn give_up(&mut self, reporter: &mut Reporter<'_>, error: &Error) {
        self.current = None;
        let kept = &self.writing.manifest.sources;
        for (file, source) in self.landed.sources.iter().enumerate() {
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
        // Bytes written after the last commit are useless, and the disk may need the room.
        // If this fails too, the next import into this case does it.
        let _ = self.writing.recover();
        reporter.tell(self.writing.manifest.revision, true);
    }
}

impl Current {
    /// The start of the batch as a resume point, in case it is the last one.
    fn place(&self, entry: &SourceEntry, batch: &ingest::Batch) -> Option<Resume> {
        Some(Resume {
            offset: batch.chunk.offset,
            line: batch.chunk.first_line,
            heading: String::from_utf8(batch.chunk.heading().to_vec()).ok()?,
            events: entry.events,
            not_parsed: entry.unparsed,
            first: entry.first,
            last: entry.last,
            unparsed: self.account.unparsed.clone(),
            layouts: self.account.layouts.clone(),
            left_out: self.account.left_out.clone(),
            settler: self.settler.state(),
        })
    }
}
