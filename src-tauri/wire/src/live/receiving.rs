//! The live sources of one open case, and the receiver that they share while any of them runs.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indexer::{Cancel, Case, Definitions, Error, ErrorKind, Keep, LiveOptions, Snapshot, is_zone};
use receive::{
    Counters, Networks, Notice, Options, Pace, Readings, Receiver, Running, Source, Status, Yielded,
};

use super::elsewhere::{self, counted, of_intake};
use super::remembered::{self, RememberedSource};
use super::watching::Watching;
use super::{LiveKind, LiveReading, LiveSettings, LiveSource, LiveState, LiveStatus};
use crate::calls::{Answer, not_written};
use crate::formats::saved_definitions;
use crate::session::locked;
use crate::types::WireError;

/// Sooner, publishing takes most of the time; later, nobody calls it live.
const LEAST_REFRESH_MS: u32 = 50;
const MOST_REFRESH_MS: u32 = 600_000;

/// What a person should know of a receiver that has trouble, and the revision of the case then.
type Trouble = Arc<Mutex<Option<(Error, u64)>>>;

pub(crate) struct Receiving {
    case: Arc<Case>,
    home: PathBuf,
    sources: Vec<HeldReceiver>,
    receiver: Option<Receiver>,
    /// Calls that write the case meanwhile: the receiver is kept until they have ended.
    writers: usize,
    trouble: Trouble,
    watching: Arc<Watching>,
    settings: LiveSettings,
    next: u32,
}

struct HeldReceiver {
    id: u32,
    kind: LiveKind,
    reading: LiveReading,
    state: State,
    counters: Arc<Counters>,
}

enum State {
    Running(Running, Cancel),
    /// A person paused it.
    Paused,
    /// It ran when the case was open last.
    Offered,
    Failed(WireError),
}

impl Receiving {
    /// The live sources that a case remembers. Formats that were saved are in `home`.
    pub fn new(case: Arc<Case>, home: &Path) -> Receiving {
        let remembered = remembered::read(case.folder());
        let mut receiving = Receiving {
            sources: Vec::new(),
            receiver: None,
            writers: 0,
            trouble: Trouble::default(),
            watching: Arc::new(Watching::new(home)),
            settings: remembered.settings,
            next: 1,
            home: home.to_path_buf(),
            case,
        };
        for RememberedSource { kind, reading, paused } in remembered.sources {
            receiving.hold(kind, reading, if paused { State::Paused } else { State::Offered });
        }
        receiving
    }

    fn hold(&mut self, kind: LiveKind, reading: LiveReading, state: State) -> u32 {
        let id = self.next;
        self.next += 1;
        self.sources.push(HeldReceiver { id, kind, reading, state, counters: Arc::default() });
        id
    }

    pub fn settings(&self) -> LiveSettings {
        self.settings
    }

    /// Keeps all live sources like that from now on.
    pub fn set(&mut self, settings: LiveSettings) -> Answer<()> {
        if !(LEAST_REFRESH_MS..=MOST_REFRESH_MS).contains(&settings.refresh_ms) {
            let message = format!("events cannot become visible every {} ms", settings.refresh_ms);
            let hint = format!("choose from {LEAST_REFRESH_MS} ms to {} s", MOST_REFRESH_MS / 1_000);
            return Err(refused(message).hint(hint).into());
        }
        if settings.compress_hours == Some(0) {
            return Err(refused("everything would be compressed again as it comes")
                .hint("compress what is an hour old at least")
                .into());
        }
        if settings.keep_hours == Some(0) || settings.keep_bytes == Some(0) {
            return Err(refused("nothing would be kept").hint("keep at least an hour and a byte").into());
        }
        let is_new = settings != self.settings;
        self.settings = settings;
        if let Some(receiver) = &self.receiver {
            receiver.set_pace(pace_of(settings));
        }
        if is_new { self.remember() } else { Ok(()) }
    }

    /// Starts a new source, unless it cannot be received from.
    pub fn add(&mut self, kind: LiveKind, reading: LiveReading) -> Answer<()> {
        check(&kind)?;
        readings(&reading)?;
        if self.sources.iter().any(|held| held.kind == kind && !kind.takes_any_port()) {
            let message = format!("{} is a live source of this case already", kind.name());
            return Err(refused(message).hint("resume it or remove it in the list of live sources").into());
        }
        let id = self.hold(kind, reading, State::Paused);
        let started = self.resume(id);
        if started.is_err() {
            self.sources.retain(|held| held.id != id);
            self.settle()?;
        }
        started
    }

    /// Starts a source that does not run.
    pub fn resume(&mut self, id: u32) -> Answer<()> {
        let place = self.place(id)?;
        if matches!(self.sources[place].state, State::Running(..)) {
            return Ok(());
        }
        let started = self.start(place);
        let held = &mut self.sources[place];
        match started {
            Ok(state) => held.state = state,
            Err(error) => {
                held.state = State::Failed(WireError::from(&error));
                self.settle()?;
                return Err(error.into());
            }
        }
        self.remember()
    }

    fn start(&mut self, place: usize) -> Result<State, Error> {
        let receiver = self.receiver()?;
        let counters = receiver.part();
        let stop = Cancel::default();
        let Some(receiver) = &self.receiver else { return Ok(State::Offered) };
        let held = &mut self.sources[place];
        let read = (&counters, &Arc::new(readings(&held.reading)?));
        let running =
            receive::start_counted(&held.kind.source(), receiver, (&Networks::default(), &stop), read)?;
        held.counters = counters;
        held.kind.set_port(&running.address);
        Ok(State::Running(running, stop))
    }

    fn receiver(&mut self) -> Result<&Receiver, Error> {
        if self.receiver.is_none() {
            let (trouble, case) = (Arc::clone(&self.trouble), Arc::downgrade(&self.case));
            self.watching.start(&self.case);
            let watching = Arc::clone(&self.watching);
            let tell = move |notice: Notice| match (notice, case.upgrade()) {
                (Notice::Failing(error), Some(case)) => {
                    *locked(&trouble) = Some((error, case.snapshot().revision()));
                }
                (Notice::Published, _) => watching.published(),
                _ => {}
            };
            let Pace { refresh, keep } = pace_of(self.settings);
            let home = self.home.clone();
            let definitions = Definitions::new(move || saved_definitions(&home));
            let live = LiveOptions { definitions, ..LiveOptions::default() };
            let options = Options { refresh, keep, live, ..Options::default() };
            let receiver = Receiver::start(Arc::clone(&self.case), options, Arc::new(tell))?;
            self.receiver = Some(receiver);
        }
        self.receiver.as_ref().ok_or_else(|| refused("nothing is received"))
    }

    /// Stops a source; what it has read becomes events.
    pub fn pause(&mut self, id: u32) -> Answer<()> {
        let place = self.place(id)?;
        end(&mut self.sources[place], State::Paused);
        self.remember()?;
        self.settle()
    }

    pub fn remove(&mut self, id: u32) -> Answer<()> {
        let place = self.place(id)?;
        end(&mut self.sources[place], State::Paused);
        self.sources.remove(place);
        self.remember()?;
        self.settle()
    }

    /// Starts all sources that ran when the case was open last. Those that cannot be started say why.
    pub fn start_offered(&mut self) -> Answer<()> {
        let offered = self.sources.iter().filter(|held| matches!(held.state, State::Offered));
        let ids: Vec<u32> = offered.map(|held| held.id).collect();
        let outcomes: Vec<Answer<()>> = ids.into_iter().map(|id| self.resume(id)).collect();
        outcomes.into_iter().collect()
    }

    /// Stops all sources, which are offered again. Everything that was received becomes events: now, or when the calls
    /// have ended that write the case.
    pub fn stop(&mut self) -> Answer<()> {
        let running = self.sources.iter_mut().filter(|held| matches!(held.state, State::Running(..)));
        running.for_each(|held| end(held, State::Offered));
        self.settle()
    }

    /// Stops all sources, and waits until everything that was received has become events.
    pub fn finish(&mut self) -> Answer<()> {
        self.stop()?;
        self.end_receiver()
    }

    fn end_receiver(&mut self) -> Answer<()> {
        let Some(receiver) = self.receiver.take() else { return Ok(()) };
        let finished = receiver.finish();
        self.watching.stop();
        Ok(finished?)
    }

    /// Ends the receiver where no source needs it.
    fn settle(&mut self) -> Answer<()> {
        let is_needed = self.sources.iter().any(|held| matches!(held.state, State::Running(..)));
        if is_needed || self.writers > 0 {
            return Ok(());
        }
        self.end_receiver()
    }

    /// The detectors that are evaluated, and the case.
    pub fn watched(&self) -> (Arc<Watching>, Arc<Case>) {
        (Arc::clone(&self.watching), Arc::clone(&self.case))
    }

    fn remember(&self) -> Answer<()> {
        let remembered = |held: &HeldReceiver| RememberedSource {
            kind: held.kind.clone(),
            reading: held.reading.clone(),
            paused: matches!(held.state, State::Paused),
        };
        let sources = self.sources.iter().map(remembered).collect();
        let folder = self.case.folder();
        remembered::write(folder, self.settings, sources)
            .map_err(|error| not_written(&folder.join("live.json"), &error))
    }

    fn place(&self, id: u32) -> Answer<usize> {
        let place = self.sources.iter().position(|held| held.id == id);
        place.ok_or_else(|| refused("this live source is not there any more").into())
    }

    /// Where nothing is received there is nothing to wait for.
    fn begin_writing(&mut self) -> Option<impl FnOnce() -> Yielded + use<>> {
        let waiting = self.receiver.as_ref().map(Receiver::yielding)?;
        self.writers += 1;
        Some(waiting)
    }

    /// The status; where another process receives into the case, that of its sources.
    pub fn status_of_all(&mut self) -> LiveStatus {
        let other = if self.receiver.is_none() { Status::of_other(self.case.folder()) } else { None };
        match other {
            Some(other) => elsewhere::status(&other, self.settings, &self.case.snapshot()),
            None => self.status(),
        }
    }

    pub fn status(&mut self) -> LiveStatus {
        for held in &mut self.sources {
            if matches!(&held.state, State::Running(running, _) if running.has_ended()) {
                let message = format!("{} ended by itself", held.kind.name());
                end(
                    held,
                    State::Failed(WireError::from(&refused(message).hint("resume it to start it again"))),
                );
            }
        }
        let snapshot = self.case.snapshot();
        let receiver = self.receiver.as_ref();
        let statistics = receiver.map(|receiver| receiver.intake().counters().read()).unwrap_or_default();
        let trouble = locked(&self.trouble).clone().filter(|(_, revision)| *revision == snapshot.revision());
        LiveStatus {
            sources: self.sources.iter().map(|held| status_of(held, &snapshot)).collect(),
            is_receiving: self.receiver.is_some(),
            is_waiting: self.receiver.is_some() && self.writers > 0,
            trouble: trouble.map(|(error, _)| WireError::from(&error)),
            ..of_intake(&statistics, self.settings, &snapshot)
        }
    }
}

/// The case, for a call that writes it. What is received meanwhile is kept, and becomes events afterwards.
pub(crate) struct Writing {
    case: Arc<Case>,
    live: Option<(Arc<Mutex<Receiving>>, Yielded)>,
}

impl Writing {
    pub fn begin(case: Arc<Case>, receiving: Option<Arc<Mutex<Receiving>>>) -> Writing {
        let waiting = receiving.and_then(|receiving| {
            let waiting = locked(&receiving).begin_writing()?;
            Some((receiving, waiting))
        });
        // What is received is looked at meanwhile, so nothing is locked while this waits.
        Writing { case, live: waiting.map(|(receiving, wait)| (receiving, wait())) }
    }
}

impl std::ops::Deref for Writing {
    type Target = Arc<Case>;

    fn deref(&self) -> &Arc<Case> {
        &self.case
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some((receiving, yielded)) = self.live.take() else { return };
        drop(yielded);
        let mut receiving = locked(&receiving);
        receiving.writers -= 1;
        // Where it fails, what was received is in the log, and the next start makes events of it.
        let _ = receiving.settle();
    }
}

fn end(held: &mut HeldReceiver, state: State) {
    if let State::Running(running, stop) = std::mem::replace(&mut held.state, state) {
        stop.set();
        running.join();
    }
}

fn status_of(held: &HeldReceiver, snapshot: &Snapshot) -> LiveSource {
    let counted = counted(held.counters.read().sources, snapshot);
    let nothing = || match &held.kind {
        LiveKind::Follow { paths } => paths.iter().find_map(|path| receive::why_nothing(Path::new(path))),
        _ => None,
    };
    LiveSource {
        id: held.id,
        name: held.kind.name(),
        kind: Some(held.kind.clone()),
        reading: held.reading.clone(),
        state: match &held.state {
            State::Running(..) => LiveState::Running,
            State::Paused => LiveState::Paused,
            State::Offered => LiveState::Offered,
            State::Failed(_) => LiveState::Failed,
        },
        error: match &held.state {
            State::Failed(error) => Some(error.clone()),
            State::Running(..) if counted.received == 0 => nothing().as_ref().map(WireError::from),
            _ => None,
        },
        ..counted
    }
}

impl LiveKind {
    /// As a person reads it.
    fn name(&self) -> String {
        let at = |kind: &str, port: u16| format!("{kind} 127.0.0.1:{port}");
        match self {
            LiveKind::Follow { paths } => paths.join(", "),
            LiveKind::SyslogUdp { port } => at("Syslog UDP", *port),
            LiveKind::SyslogTcp { port } => at("Syslog TCP", *port),
            LiveKind::SyslogUnix { path } => format!("Syslog {path}"),
            LiveKind::Http { port } => at("HTTP", *port),
            LiveKind::Journal => "Journal of this machine".to_owned(),
        }
    }

    /// Addresses are of this machine alone: other machines are for the command, which asks for networks.
    fn source(&self) -> Source {
        let address = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        match self {
            LiveKind::Follow { paths } => Source::Follow(paths.iter().map(PathBuf::from).collect()),
            LiveKind::SyslogUdp { port } => Source::SyslogUdp(address(*port)),
            LiveKind::SyslogTcp { port } => Source::SyslogTcp(address(*port)),
            LiveKind::SyslogUnix { path } => Source::SyslogUnix(PathBuf::from(path)),
            LiveKind::Http { port } => Source::Http { address: address(*port), token: None },
            LiveKind::Journal => Source::Journal,
        }
    }

    fn port(&mut self) -> Option<&mut u16> {
        match self {
            LiveKind::SyslogUdp { port } | LiveKind::SyslogTcp { port } | LiveKind::Http { port } => {
                Some(port)
            }
            LiveKind::Follow { .. } | LiveKind::SyslogUnix { .. } | LiveKind::Journal => None,
        }
    }

    fn takes_any_port(&self) -> bool {
        self.clone().port() == Some(&mut 0)
    }

    /// Where the system chose the port, a later start wants the same.
    fn set_port(&mut self, address: &str) {
        if let (Some(port), Ok(address)) = (self.port(), address.parse::<SocketAddr>()) {
            *port = address.port();
        }
    }
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

/// What a person chose, as what receives takes it.
fn readings(reading: &LiveReading) -> Result<Readings, Error> {
    let mut readings = Readings::default();
    let parts = reading.parts.iter().map(|part| (part.part.as_str(), &part.format, &part.zone));
    for (part, format, zone) in parts.chain([("", &reading.format, &reading.zone)]) {
        if let Some(zone) = zone.as_ref().filter(|zone| !is_zone(zone)) {
            return Err(refused(format!("there is no time zone named \"{zone}\""))
                .hint("write Europe/Berlin, UTC or +02:00"));
        }
        let is_understood = format.as_ref().is_none_or(|format| readings.add_format(part, format))
            && zone.as_ref().is_none_or(|zone| readings.add_zone(part, zone));
        if !is_understood {
            return Err(refused(format!("\"{part}\" names no sender, tag or source"))
                .hint("write 10.0.0.7, 10.0.0.0/8, tag:nginx or source:/var/log/app/*"));
        }
    }
    Ok(readings)
}

/// A path that can never be followed is said at once; a file that is not there yet is waited for.
fn check(kind: &LiveKind) -> Result<(), Error> {
    let paths: Vec<&Path> = match kind {
        LiveKind::Follow { paths } if paths.is_empty() => {
            return Err(refused("no file is named")
                .hint("name a file, a folder or a pattern such as /var/log/app/*.log"));
        }
        LiveKind::Follow { paths } => paths.iter().map(Path::new).collect(),
        LiveKind::SyslogUnix { path } => vec![Path::new(path)],
        _ => Vec::new(),
    };
    for path in paths {
        if !path.is_absolute() {
            return Err(refused(format!("{} does not say in which folder it is", path.display()))
                .hint("write the whole path, from / on"));
        }
        let folder = receive::folder_of(path);
        if !path.exists() && !folder.is_dir() {
            return Err(Error::new(ErrorKind::NotFound, "this folder is not there")
                .at(&folder)
                .hint("correct the path; a file may appear later, its folder has to be there"));
        }
        if path.is_file() && matches!(kind, LiveKind::Follow { .. }) {
            std::fs::File::open(path).map_err(|error| {
                Error::new(ErrorKind::NotReadable, format!("it cannot be read: {error}")).at(path)
            })?;
        }
    }
    Ok(())
}

fn pace_of(settings: LiveSettings) -> Pace {
    let hours_ns = |hours: u32| i64::from(hours) * 3_600_000_000_000;
    let keep = Keep {
        age_ns: settings.keep_hours.map(hours_ns),
        bytes: settings.keep_bytes,
        compress_after_ns: settings.compress_hours.map(hours_ns),
    };
    Pace { refresh: Duration::from_millis(u64::from(settings.refresh_ms)), keep }
}
