//! Detectors on a thread of their own, next to what is received.

use std::collections::HashSet;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use indexer::{Cancel, Case, Error, ErrorKind, Moment, Result, Snapshot};

use super::{Message, State, Watch, WatchOptions};
use crate::files::Detectors;
use crate::limits::WAITING_SNAPSHOTS;
use crate::problem::Problem;

/// How often time that passes without events is looked at.
const TICK: Duration = Duration::from_millis(500);

/// How long deliveries that are under way are waited for at the end.
const LAST_DELIVERIES: Duration = Duration::from_secs(10);

/// What a person or a program should know, when it happens.
#[derive(Clone, Debug)]
pub enum WatcherEvent {
    /// An alert fires, or is over. It is sent until it is delivered.
    Message(Message),
    /// A detector cannot run; the others do.
    Problem(Problem),
    /// Detectors cannot be evaluated at the moment; it is tried again.
    Failing(Error),
}

enum Signal {
    Published(Arc<Snapshot>),
    Delivered(Box<Message>),
    /// With how long deliveries that are under way are waited for.
    Stop(Duration),
}

/// Where deliveries are acknowledged. Shared freely between threads.
#[derive(Clone, Debug)]
pub struct Deliveries(Sender<Signal>);

impl Deliveries {
    /// A message was delivered, or never can be. What is not acknowledged is sent again after a restart.
    pub fn acknowledge(&self, message: Message) {
        // When the watcher has ended there is nothing to note it in.
        let _ = self.0.send(Signal::Delivered(Box::new(message)));
    }
}

/// Evaluates detectors when a case has more.
#[derive(Debug)]
pub struct Watcher {
    case: Arc<Case>,
    signals: Sender<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watcher {
    /// Begins to watch a case. `tell` is called on a thread of its own and must not wait for the watcher.
    pub fn start(
        case: Arc<Case>,
        detectors: Detectors,
        options: WatchOptions,
        tell: impl Fn(WatcherEvent, &Deliveries) + Send + 'static,
    ) -> Result<Watcher> {
        let (signals, receiver) = mpsc::channel();
        let (watch, problem) = Watch::new(detectors, &case, &options, moment());
        let deliveries = Deliveries(signals.clone());
        let _ = signals.send(Signal::Published(case.snapshot()));
        let watched = Arc::clone(&case);
        let mut run = Run { watch, case: watched, under_way: HashSet::new(), tell, deliveries };
        let thread = std::thread::Builder::new()
            .name("detectors".to_owned())
            .spawn(move || {
                if let Some(problem) = problem {
                    run.say(WatcherEvent::Problem(problem));
                }
                run.run(&receiver);
            })
            .map_err(|error| {
                Error::new(ErrorKind::Internal, format!("no thread could be started: {error}"))
            })?;
        Ok(Watcher { case, signals, thread: Mutex::new(Some(thread)) })
    }

    /// The case has more. To be called after each publication and before anything else is done to the case, so that
    /// what is new lies in segments of its own.
    pub fn published(&self) {
        let _ = self.signals.send(Signal::Published(self.case.snapshot()));
    }

    /// Evaluates what was published, waits for deliveries that are under way, and ends.
    pub fn finish(&self) {
        self.stop(LAST_DELIVERIES);
    }

    /// Evaluates what was published and ends. What is not delivered is sent at the next start.
    pub fn finish_now(&self) {
        self.stop(Duration::ZERO);
    }

    fn stop(&self, patience: Duration) {
        let _ = self.signals.send(Signal::Stop(patience));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // It only ends this way; a thread that panicked has said so.
        let _ = thread.map(JoinHandle::join);
    }
}

fn moment() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { unix_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), instant: Instant::now() }
}

struct Run<T> {
    watch: Watch,
    case: Arc<Case>,
    /// Messages that were sent and are not acknowledged.
    under_way: HashSet<(String, State)>,
    tell: T,
    deliveries: Deliveries,
}

impl<T: Fn(WatcherEvent, &Deliveries)> Run<T> {
    fn run(&mut self, signals: &Receiver<Signal>) {
        let mut waiting: Vec<Arc<Snapshot>> = Vec::new();
        let mut latest: Option<Arc<Snapshot>> = None;
        let mut ending: Option<Duration> = None;
        let mut is_failing = false;
        loop {
            let signal = if waiting.is_empty() {
                signals.recv_timeout(TICK)
            } else {
                signals.try_recv().map_err(|_| RecvTimeoutError::Timeout)
            };
            match signal {
                Ok(Signal::Published(snapshot)) => {
                    waiting.push(snapshot);
                    if waiting.len() > WAITING_SNAPSHOTS {
                        // Too slow for each: the last has all events.
                        waiting.drain(..waiting.len() - 1);
                    }
                    continue;
                }
                Ok(Signal::Delivered(message)) => {
                    self.acknowledge(&message);
                    continue;
                }
                Ok(Signal::Stop(patience)) => ending = Some(patience),
                Err(RecvTimeoutError::Disconnected) => ending = Some(Duration::ZERO),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !waiting.is_empty() {
                latest = Some(waiting.remove(0));
            }
            if let Some(snapshot) = &latest {
                match self.watch.refresh(&self.case, snapshot, moment(), &Cancel::default()) {
                    Ok(problems) => {
                        is_failing = false;
                        for problem in problems {
                            self.say(WatcherEvent::Problem(problem));
                        }
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut is_failing, true) {
                            self.say(WatcherEvent::Failing(error));
                        }
                        latest = Some(self.case.snapshot());
                    }
                }
                self.tell_pending();
            }
            if let Some(patience) = ending
                && waiting.is_empty()
            {
                return self.end(signals, patience);
            }
        }
    }

    fn say(&self, event: WatcherEvent) {
        (self.tell)(event, &self.deliveries);
    }

    fn tell_pending(&mut self) {
        for message in self.watch.pending() {
            if self.under_way.insert((message.id.clone(), message.state)) {
                self.say(WatcherEvent::Message(message));
            }
        }
    }

    fn acknowledge(&mut self, message: &Message) {
        self.watch.delivered(message);
        self.under_way.remove(&(message.id.clone(), message.state));
        if self.under_way.is_empty()
            && let Err(error) = self.watch.save()
        {
            self.say(WatcherEvent::Failing(error));
        }
    }

    /// Waits for the last deliveries.
    fn end(&mut self, signals: &Receiver<Signal>, patience: Duration) {
        let until = Instant::now() + patience;
        while !self.under_way.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            match signals.recv_timeout(left) {
                Ok(Signal::Delivered(message)) => self.acknowledge(&message),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if let Err(error) = self.watch.save() {
            self.say(WatcherEvent::Failing(error));
        }
    }
}
