//! Making events of what was received: the log is read after its writer, and what it says is published in
//! the case at every refresh. When the case or the disk fails, the log is read again from where the case ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use indexer::{
    Case, Compressed, Error, Keep, Live, LiveOptions, Moment, Published as Publication, Received, Retained,
};

use crate::counters::Counters;
use crate::intake::Intake;
use crate::limits::{LANDED_AT_ONCE, RESERVE_BYTES, RETENTION, RETRY};
use crate::log::{Log, Position, Reader, files_of};
use crate::status::{Published, Sources};
use crate::turn::{Turn, Yielded};

/// How a case receives.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long an event may wait until it is visible.
    pub refresh: Duration,
    pub keep: Keep,
    /// So many bytes are left free on the disk.
    pub reserve_bytes: u64,
    pub live: LiveOptions,
}

impl Default for Options {
    fn default() -> Options {
        let refresh = Duration::from_secs(1);
        Options { refresh, keep: Keep::default(), reserve_bytes: RESERVE_BYTES, live: LiveOptions::default() }
    }
}

/// What of the options can be changed while a case receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long an event may wait until it is visible.
    pub refresh: Duration,
    pub keep: Keep,
}

/// What a person should know, when it happens.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The log ended within a record, as after a power cut; what was acknowledged comes before it.
    Torn { bytes: u64 },
    /// Events cannot be made at the moment. What is received is kept, and it is tried again.
    Failing(Error),
    /// A file, or all of a folder or pattern, is not followed at the moment, and why.
    NotFollowed(Error),
    /// Old events were dropped.
    Dropped(Retained),
    /// Old events were packed harder.
    Compressed(Compressed),
    /// New events are visible, in segments of their own that are not merged yet.
    Published,
}

/// Tells a person.
pub type Tell = dyn Fn(Notice) + Send + Sync;

/// A case that receives.
pub struct Receiver {
    case: Arc<Case>,
    tell: Arc<Tell>,
    log: Arc<Log>,
    turn: Arc<Turn>,
    pace: Arc<Mutex<Pace>>,
    sources: Arc<Sources>,
    published: Published,
    writer: JoinHandle<()>,
    indexing: JoinHandle<Result<(), Error>>,
}

impl Receiver {
    /// Begins to receive into a case, which nobody else writes meanwhile.
    pub fn start(case: Arc<Case>, options: Options, tell: Arc<Tell>) -> Result<Receiver, Error> {
        // What other writers left is put right, and nobody else may write the case.
        let positions = case.live(&options.live, now())?.positions();
        let failed = |error: std::io::Error| {
            let message = format!("the log of what is received cannot be opened: {error}");
            Error::new(indexer::ErrorKind::NotReadable, message).at(case.folder())
        };
        let counters = Arc::new(Counters::default());
        let opened = Log::open(case.folder(), &positions, options.reserve_bytes, counters).map_err(failed)?;
        if opened.torn_bytes > 0 {
            tell(Notice::Torn { bytes: opened.torn_bytes });
        }
        let log = opened.log;
        let writing = Arc::clone(&log);
        let writer = thread("log", move || writing.write())?;
        let reading = Arc::clone(&log);
        let (receiving, telling) = (Arc::clone(&case), Arc::clone(&tell));
        let turn = Arc::new(Turn::default());
        let pace = Arc::new(Mutex::new(Pace { refresh: options.refresh, keep: options.keep }));
        let (taking, paced) = (Arc::clone(&turn), Arc::clone(&pace));
        let indexing = thread("indexing", move || {
            index(&receiving, (&reading, &taking), (&options.live, &paced), &*telling)
        })?;
        let sources = Arc::<Sources>::default();
        let published = Published::start(case.folder(), Arc::clone(&sources), Arc::clone(log.counters()))?;
        Ok(Receiver { case, tell, log, turn, pace, sources, published, writer, indexing })
    }

    /// Receives with another refresh interval, and keeps another amount, from now on.
    pub fn set_pace(&self, pace: Pace) {
        *self.pace.lock().unwrap_or_else(PoisonError::into_inner) = pace;
        self.log.nudge();
    }

    /// Where records are appended.
    #[must_use]
    pub fn intake(&self) -> Arc<dyn Intake> {
        Arc::clone(&self.log) as Arc<dyn Intake>
    }

    #[must_use]
    pub fn case(&self) -> &Arc<Case> {
        &self.case
    }

    /// What shows notices to a person.
    #[must_use]
    pub fn teller(&self) -> &Arc<Tell> {
        &self.tell
    }

    /// Counters of a part of what is received. What is counted in them is counted for the whole too.
    #[must_use]
    pub fn part(&self) -> Arc<Counters> {
        Arc::new(Counters::part_of(self.log.counters()))
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(crate) fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// Lets other work of this process write the case, once what was received so far is published. Until the
    /// value that this returns is dropped, what is received is kept in the log and does not become events.
    pub fn yielding(&self) -> impl FnOnce() -> Yielded + use<> {
        let (turn, log) = (Arc::clone(&self.turn), Arc::clone(&self.log));
        move || Yielded::wait(&turn, &log)
    }

    /// Accepts nothing any more, makes events of everything that was accepted, and gives the case back.
    pub fn finish(self) -> Result<(), Error> {
        self.log.close();
        drop(self.published);
        let panicked = |_| Error::new(indexer::ErrorKind::Internal, "receiving ended unexpectedly");
        self.writer.join().map_err(panicked)?;
        self.indexing.join().map_err(panicked)?
    }
}

fn thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| {
        Error::new(indexer::ErrorKind::Internal, format!("no thread could be started: {error}"))
    })
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { unix_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), instant: Instant::now() }
}

/// Why events are made no longer.
enum End {
    /// Everything that was received has become events.
    Closed,
    /// Other work of this process wants to write.
    Wanted,
}

/// How events are made, and what of it can change meanwhile.
type Paced<'c> = (&'c LiveOptions, &'c Mutex<Pace>);

fn index(case: &Case, (log, turn): (&Log, &Turn), options: Paced<'_>, tell: &Tell) -> Result<(), Error> {
    let (mut is_reported, mut is_last) = (false, false);
    loop {
        let held = turn.hold();
        let outcome = Indexing::begin(case, (log, turn), options, tell).and_then(Indexing::run);
        drop(held);
        match outcome {
            Ok(End::Wanted) => is_reported = false,
            Err(error) if !is_last => {
                // What was wrong may be over when receiving ends, so then it is tried once more.
                is_last = log.wait(Position { file: u64::MAX, offset: 0 }, RETRY);
                if !is_last && !is_reported {
                    tell(Notice::Failing(error));
                    is_reported = true;
                }
            }
            outcome => return outcome.map(|_| ()),
        }
    }
}

/// Reading the log into the case.
struct Indexing<'c> {
    live: Live<'c>,
    log: &'c Log,
    turn: &'c Turn,
    pace: &'c Mutex<Pace>,
    tell: &'c Tell,
    reader: Reader,
    /// For each file that was read: where its streams end, and its ids.
    files: BTreeMap<u64, File>,
    positions: BTreeMap<String, u64>,
    published: Instant,
    /// Where the reader was at the last publication of all that was read.
    landed: Position,
    retained: Instant,
}

#[derive(Default)]
struct File {
    ends: HashMap<String, u64>,
    ids: Vec<u128>,
}

impl<'c> Indexing<'c> {
    fn begin(
        case: &'c Case,
        (log, turn): (&'c Log, &'c Turn),
        (options, pace): Paced<'c>,
        tell: &'c Tell,
    ) -> Result<Self, Error> {
        let live = case.live(options, now())?;
        let positions = live.positions();
        let first = files_of(log.folder()).map_err(|error| failed(log, &error))?.first().copied();
        let reader = Reader::at(log.folder(), first.unwrap_or_else(|| log.readable().file));
        Ok(Indexing {
            live,
            log,
            turn,
            pace,
            tell,
            reader,
            files: BTreeMap::new(),
            positions,
            published: now().instant,
            landed: Position::default(),
            retained: now().instant,
        })
    }

    fn pace(&self) -> Pace {
        *self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(mut self) -> Result<End, Error> {
        loop {
            let has_ended = self.wait();
            if self.turn.is_wanted() {
                // What is not published yet stays in the log.
                let moment = now();
                self.land(false, moment)?;
                self.publish(true, moment)?;
                return Ok(End::Wanted);
            }
            let has_read = self.read()?;
            let is_due = self.published.elapsed() >= self.pace().refresh || self.log.is_wanted();
            let moment = now();
            if self.live.waiting_bytes() >= LANDED_AT_ONCE || is_due {
                self.land(false, moment)?;
            }
            if self.live.is_full() || is_due {
                self.publish(is_due, moment)?;
            }
            if has_ended && !has_read {
                return self.finish().map(|()| End::Closed);
            }
        }
    }

    /// Waits for more in the log, or for what was read to be due.
    fn wait(&self) -> bool {
        let due = self.pace().refresh.saturating_sub(self.published.elapsed());
        let patience = if self.live.waiting_bytes() > 0 { due.max(Duration::from_millis(10)) } else { due };
        let idle = self.live.waiting_bytes() == 0 && due.is_zero();
        self.log.wait(self.reader.position(), if idle { RETRY } else { patience })
    }

    /// Reads as much of the log as is landed at once. Tells whether there was anything.
    fn read(&mut self) -> Result<bool, Error> {
        let readable = self.log.readable();
        let moment = now();
        let mut has_read = false;
        while self.live.waiting_bytes() < LANDED_AT_ONCE && self.reader.position() < readable {
            let position = self.reader.position();
            let end = (position.file == readable.file).then_some(readable.offset);
            let file = self.files.entry(position.file).or_default();
            let (live, mut pushed) = (&mut self.live, Ok(()));
            let next = self.reader.next(end, &mut |bytes| {
                let end = bytes.offset + bytes.bytes.len() as u64;
                match file.ends.get_mut(&bytes.stream.name) {
                    Some(known) => *known = end.max(*known),
                    None => drop(file.ends.insert(bytes.stream.name.clone(), end)),
                }
                file.ids.extend(&bytes.ids);
                let received = Received {
                    stream: &bytes.stream.name,
                    sender: bytes.stream.sender.as_deref(),
                    format: bytes.stream.format.as_deref(),
                    zone: bytes.stream.zone.as_deref(),
                    offset: bytes.offset,
                    bytes: bytes.bytes,
                    ends: bytes.ends,
                };
                pushed = live.push(received, moment);
            });
            pushed?;
            if next.map_err(|error| failed(self.log, &error))? {
                has_read = true;
            } else if position.file < readable.file {
                self.next_file(position.file, readable.file)?;
            } else {
                break;
            }
        }
        Ok(has_read)
    }

    /// Goes on with the file after one that was read to its end.
    fn next_file(&mut self, file: u64, last: u64) -> Result<(), Error> {
        let files = files_of(self.log.folder()).map_err(|error| failed(self.log, &error))?;
        let next = files.into_iter().find(|&other| other > file).unwrap_or(last);
        self.reader = Reader::at(self.log.folder(), next);
        Ok(())
    }

    fn land(&mut self, flush: bool, moment: Moment) -> Result<(), Error> {
        let (began, waiting) = (Instant::now(), self.live.waiting_bytes());
        self.live.land(flush, moment)?;
        if waiting > 0 {
            self.log.counters().indexing.add(began.elapsed());
        }
        Ok(())
    }

    /// Counts what is visible since a publication, and says it.
    fn count_visible(&mut self, published: Publication, began: Instant) {
        let (counters, now) = (self.log.counters(), now());
        for (source, times) in &published.times {
            let source = counters.source(source);
            for &(time, events) in times {
                let lag_ns = u64::try_from(now.unix_ns.saturating_sub(time)).unwrap_or_default();
                source.visible(Duration::from_nanos(lag_ns), events);
            }
        }
        if let Some(took) = published.merging {
            counters.merging.add(took);
        }
        self.positions.extend(published.positions);
        if published.events > 0 {
            counters.publishing.add(began.elapsed());
            (self.tell)(Notice::Published);
        }
    }

    fn publish(&mut self, has_landed: bool, moment: Moment) -> Result<(), Error> {
        let began = Instant::now();
        let published = self.live.publish(moment)?;
        self.published = moment.instant;
        self.count_visible(published, began);
        if has_landed {
            self.log.published(self.reader.position());
        }
        if self.live.waiting_bytes() == 0 {
            self.log.visible(self.reader.position());
        } else if has_landed {
            // Under load the last event of some stream always waits. Events read before the last publication do not,
            // but for lines without an end, which may wait longer.
            self.log.visible(self.landed);
            self.landed = self.reader.position();
        }
        self.log.counters().set_backlog(self.log.bytes_beyond(self.reader.position()));
        self.remove_read(self.reader.position().file)?;
        self.live.start_merging()?;
        self.live.start_packing(self.pace().keep, moment)?;
        match self.live.compressed() {
            Some(Ok(compressed)) => (self.tell)(Notice::Compressed(compressed)),
            Some(Err(error)) => (self.tell)(Notice::Failing(error)),
            None => {}
        }
        if self.retained.elapsed() >= RETENTION.min(self.pace().refresh * 10) {
            self.retained = moment.instant;
            let retained = self.live.retain(self.pace().keep, moment)?;
            if retained != Retained::default() {
                (self.tell)(Notice::Dropped(retained));
            }
        }
        Ok(())
    }

    /// Removes the files of the log before this one that are in segments as a whole.
    fn remove_read(&mut self, before: u64) -> Result<(), Error> {
        while let Some(entry) = self.files.first_entry() {
            let is_published = |(stream, end): (&String, &u64)| {
                self.positions.get(stream).is_some_and(|position| position >= end)
            };
            if *entry.key() >= before || !entry.get().ends.iter().all(is_published) {
                break;
            }
            let (file, read) = entry.remove_entry();
            self.log.remove(file, &read.ids).map_err(|error| failed(self.log, &error))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        let moment = now();
        self.land(true, moment)?;
        self.publish(true, moment)?;
        // What it does last is not measured: nothing has to become visible any more.
        let published = self.live.finish(moment)?;
        if published.events > 0 {
            (self.tell)(Notice::Published);
        }
        self.positions.extend(published.positions);
        for (file, read) in std::mem::take(&mut self.files) {
            let is_published = |(stream, end): (&String, &u64)| {
                self.positions.get(stream).is_some_and(|position| position >= end)
            };
            if read.ends.iter().all(is_published) {
                self.log.remove(file, &read.ids).map_err(|error| failed(self.log, &error))?;
            }
        }
        Ok(())
    }
}

fn failed(log: &Log, error: &std::io::Error) -> Error {
    let message = format!("the log of what is received cannot be read: {error}");
    Error::new(indexer::ErrorKind::NotReadable, message).at(log.folder())
}

#[cfg(test)]
mod tests {
    use indexer::Cancel;

    use super::*;
    use crate::intake::{Record, Stream};

    const PATIENCE: Duration = Duration::from_mins(1);

    #[test]
    fn refresh_publishes_at_once_and_waits_while_others_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Arc::new(Case::create(&folder.path().join("live.case")).expect("a case"));
        // Nothing becomes visible by itself.
        let options = Options { refresh: Duration::from_hours(1), ..Options::default() };
        let receiver = Receiver::start(Arc::clone(&case), options, Arc::new(|_| {})).expect("it starts");
        let intake = receiver.intake();
        let stream = Stream::new("http/logs");
        let send = |number: u32| {
            let record = Record::new(format!("{{\"number\":{number}}}").into_bytes());
            intake.append(&stream, vec![record]).expect("it is stored");
        };
        for number in 1..=3 {
            send(number);
            assert!(intake.refresh(true, PATIENCE, &Cancel::default()));
            assert_eq!(case.snapshot().events(), u64::from(number));
        }
        send(4);
        assert!(
            !intake.refresh(false, Duration::from_millis(1), &Cancel::default()),
            "the next refresh is in an hour"
        );

        // What was received so far is published before others write, and what comes meanwhile after that.
        let yielded = receiver.yielding()();
        assert_eq!(case.snapshot().events(), 4);
        case.rename("renamed").expect("it can be written");
        send(5);
        assert!(!intake.refresh(true, Duration::from_millis(50), &Cancel::default()));
        assert_eq!(case.snapshot().events(), 4);
        drop(yielded);
        assert!(intake.refresh(true, PATIENCE, &Cancel::default()));
        assert_eq!(case.snapshot().events(), 5);
        receiver.finish().expect("a clean end");
        assert_eq!((case.snapshot().events(), case.snapshot().name()), (5, "renamed"));
    }

    #[test]
    fn stream_that_is_read_in_two_ways_keeps_every_record() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Arc::new(Case::create(&folder.path().join("live.case")).expect("a case"));
        let options = Options { refresh: Duration::from_hours(1), ..Options::default() };
        let receiver = Receiver::start(Arc::clone(&case), options, Arc::new(|_| {})).expect("it starts");
        let intake = receiver.intake();
        for (number, format) in (0..).zip(["json", "json", "text", "json", "text", "text"]) {
            let stream = Stream { format: Some(format.to_owned()), ..Stream::new("http/logs") };
            let record = Record::new(format!("{{\"number\":{number}}}").into_bytes());
            intake.append(&stream, vec![record]).expect("it is stored");
            assert!(intake.refresh(true, PATIENCE, &Cancel::default()));
        }
        receiver.finish().expect("a clean end");
        let snapshot = case.snapshot();
        let read: Vec<(&str, u64)> =
            snapshot.sources().iter().map(|source| (source.format.as_str(), source.events)).collect();
        assert_eq!(read, [("json", 2), ("text", 1), ("json", 1), ("text", 2)]);
    }
}
