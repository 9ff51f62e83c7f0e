//! Live counters of the stages of an import: throughput, queue depth, stalls (backpressure) and CPU time.
//! They show which stage is the bottleneck.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::tune::thread_cpu;

/// The stages in the order that bytes go through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum StageName {
    /// Reading and unpacking, finding where events end.
    Read,
    /// Parsing and packing, on several threads.
    Parse,
    /// Settling times, writing raw frames and segments, publishing.
    Land,
    /// Building the token index of the profile.
    Index,
}

impl StageName {
    pub const ALL: [StageName; 4] = [StageName::Read, StageName::Parse, StageName::Land, StageName::Index];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StageName::Read => "read",
            StageName::Parse => "parse",
            StageName::Land => "land",
            StageName::Index => "index",
        }
    }
}

/// The counters of a stage at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Stage {
    pub name: StageName,
    pub threads: u64,
    pub events: u64,
    pub bytes: u64,
    /// The queue depth of the stage, and its capacity.
    pub queue: u64,
    pub queue_room: u64,
    /// How often its output queue was full (a stall), and how long it waited then.
    pub stalls: u64,
    #[serde(rename = "stalledMs", with = "base::json::milliseconds")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub stalled: Duration,
    /// The time it was idle.
    #[serde(rename = "idleMs", with = "base::json::milliseconds")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub idle: Duration,
    /// The CPU time of its threads.
    #[serde(rename = "cpuMs", with = "base::json::milliseconds")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub cpu: Duration,
}

/// The live counters of one stage. Its threads add to them; the reporter reads them.
#[derive(Debug, Default)]
pub struct Counters {
    threads: AtomicU64,
    events: AtomicU64,
    bytes: AtomicU64,
    stalls: AtomicU64,
    stalled_ns: AtomicU64,
    idle_ns: AtomicU64,
    cpu_ns: AtomicU64,
    queue: AtomicU64,
    queue_room: AtomicU64,
}

impl Counters {
    pub fn done(&self, events: u64, bytes: u64) {
        self.events.fetch_add(events, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn set_queue(&self, waiting: usize, room: usize) {
        self.queue.store(waiting as u64, Ordering::Relaxed);
        self.queue_room.store(room as u64, Ordering::Relaxed);
    }

    /// Idle, waiting for input.
    pub fn idle<T>(&self, wait: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let got = wait();
        self.idle_ns.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        got
    }

    /// Sending, which stalls while the queue is full.
    pub fn hand_on<T>(&self, is_full: bool, send: impl FnOnce() -> T) -> T {
        if !is_full {
            return send();
        }
        let began = Instant::now();
        let handed = send();
        self.stalls.fetch_add(1, Ordering::Relaxed);
        self.stalled_ns.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        handed
    }

    /// A thread of the stage begins; its CPU time is added as it runs.
    pub fn thread(self: &Arc<Self>) -> StageThread {
        self.threads.fetch_add(1, Ordering::Relaxed);
        StageThread { counters: Arc::clone(self), counted: thread_cpu() }
    }

    pub fn read(&self, name: StageName) -> Stage {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let time = |counter: &AtomicU64| Duration::from_nanos(get(counter));
        Stage {
            name,
            threads: get(&self.threads),
            events: get(&self.events),
            bytes: get(&self.bytes),
            queue: get(&self.queue),
            queue_room: get(&self.queue_room),
            stalls: get(&self.stalls),
            stalled: time(&self.stalled_ns),
            idle: time(&self.idle_ns),
            cpu: time(&self.cpu_ns),
        }
    }
}

/// Adds the CPU time of one thread.
pub struct StageThread {
    counters: Arc<Counters>,
    counted: Duration,
}

impl StageThread {
    pub fn count(&mut self) {
        let now = thread_cpu();
        let more = now.saturating_sub(self.counted);
        self.counters.cpu_ns.fetch_add(more.as_nanos() as u64, Ordering::Relaxed);
        self.counted = now;
    }
}

impl Drop for StageThread {
    fn drop(&mut self) {
        self.count();
    }
}

/// The counters of all stages of an import.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    pub read: Arc<Counters>,
    pub parse: Arc<Counters>,
    pub land: Arc<Counters>,
    pub index: Arc<Counters>,
}

impl Stages {
    pub fn all(&self) -> Vec<Stage> {
        let counters = [&self.read, &self.parse, &self.land, &self.index];
        StageName::ALL.into_iter().zip(counters).map(|(name, counters)| counters.read(name)).collect()
    }
}

/// The bottleneck: the one of landing's three stages that waited least for the others, per thread.
#[must_use]
pub fn bottleneck(stages: &[Stage]) -> Option<StageName> {
    let waited = |stage: &Stage| (stage.idle + stage.stalled).as_secs_f64() / stage.threads.max(1) as f64;
    let working = stages.iter().filter(|stage| stage.name != StageName::Index && stage.threads > 0);
    let busiest = working.min_by(|one, other| waited(one).total_cmp(&waited(other)))?;
    (busiest.bytes > 0).then_some(busiest.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stage_that_never_waits_is_the_bottleneck() {
        let ms = Duration::from_millis;
        let stage = |name, threads, idle, stalled| {
            let counted = Stages::default().all()[0];
            Stage { name, threads, bytes: 10, idle: ms(idle), stalled: ms(stalled), ..counted }
        };
        let [read, parse, land] = [StageName::Read, StageName::Parse, StageName::Land];
        let waits_for = |stages: [Stage; 3]| bottleneck(&stages);
        assert_eq!(bottleneck(&Stages::default().all()), None);
        assert_eq!(
            waits_for([stage(read, 1, 0, 3), stage(parse, 2, 0, 0), stage(land, 1, 3, 0)]),
            Some(parse)
        );
        // Two threads may wait together for longer than one.
        assert_eq!(
            waits_for([stage(read, 1, 0, 3), stage(parse, 2, 5, 0), stage(land, 1, 9, 0)]),
            Some(parse)
        );
        assert_eq!(
            waits_for([stage(read, 1, 0, 3), stage(parse, 2, 7, 0), stage(land, 1, 9, 0)]),
            Some(read)
        );
    }

    #[test]
    fn waiting_is_counted() {
        let stages = Stages::default();
        let _thread = stages.read.thread();
        stages.read.done(0, 10);
        stages.read.hand_on(false, || ());
        stages.read.hand_on(true, || std::thread::sleep(Duration::from_millis(3)));
        stages.land.idle(|| std::thread::sleep(Duration::from_millis(3)));
        let all = stages.all();
        assert_eq!((all[0].threads, all[0].bytes, all[0].stalls), (1, 10, 1));
        assert!(all[0].stalled >= Duration::from_millis(3) && all[2].idle >= Duration::from_millis(3));
    }
}
