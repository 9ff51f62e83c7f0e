//! Counters as rsyslog's impstats has them: per source what was received, accepted and rejected, and of the
//! intake as a whole how its queue and its disk do. They only grow while the process runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::limits::MOST_COUNTED;

/// Sources beyond [`MOST_COUNTED`] are counted together under this name.
const OTHERS: &str = "others";

/// All counters of a running intake. Threads add to them; whoever reports reads them.
#[derive(Debug, Default)]
pub struct Counters {
    /// What these are a part of, and what is counted here is counted in too.
    whole: Option<Arc<Counters>>,
    sources: Mutex<BTreeMap<String, Arc<SourceCounters>>>,
    queue: AtomicU64,
    queue_peak: AtomicU64,
    stalls: AtomicU64,
    backlog_bytes: AtomicU64,
    /// Since when the oldest event that is synced and not visible waits.
    waiting_since: Mutex<Option<Instant>>,
    syncs: AtomicU64,
    /// How long each sync of the log took.
    pub sync: Latency,
    /// How long after its append an event became visible.
    pub visible: Latency,
    /// Making events of the log, publishing them, and merging segments.
    pub indexing: Stage,
    pub publishing: Stage,
    pub merging: Stage,
}

impl Counters {
    /// Counters of a part: what is counted for sources in them is counted in these too.
    #[must_use]
    pub fn part_of(whole: &Arc<Counters>) -> Counters {
        Counters { whole: Some(Arc::clone(whole)), ..Counters::default() }
    }

    /// The counters of a source. They are made when they are first asked for.
    pub fn source(&self, name: &str) -> Arc<SourceCounters> {
        let mut sources = lock(&self.sources);
        let name = if sources.len() >= MOST_COUNTED && !sources.contains_key(name) { OTHERS } else { name };
        if let Some(counters) = sources.get(name) {
            return Arc::clone(counters);
        }
        let whole = self.whole.as_ref().map(|whole| whole.source(name));
        let lag = whole.as_ref().map(|whole| Arc::clone(&whole.lag)).unwrap_or_default();
        let counters = Arc::new(SourceCounters { whole, lag, ..SourceCounters::default() });
        Arc::clone(sources.entry(name.to_owned()).or_insert(counters))
    }

    /// So many bytes wait for the next sync.
    pub fn set_queue(&self, bytes: u64) {
        self.queue.store(bytes, Ordering::Relaxed);
        self.queue_peak.fetch_max(bytes, Ordering::Relaxed);
    }

    /// An append had to wait for room in the queue.
    pub fn stall(&self) {
        self.stalls.fetch_add(1, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.stall();
        }
    }

    /// So many synced bytes are not visible yet.
    pub fn set_backlog(&self, bytes: u64) {
        self.backlog_bytes.store(bytes, Ordering::Relaxed);
    }

    /// The oldest event that is synced and not visible was appended then. The percentiles do not have it yet.
    pub fn set_waiting(&self, since: Option<Instant>) {
        *lock(&self.waiting_since) = since;
    }

    pub fn synced(&self, took: Duration) {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.sync.add(took);
    }

    /// The counters as they are now.
    pub fn read(&self) -> Statistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Statistics {
            sources: lock(&self.sources).iter().map(|(name, source)| (name.clone(), source.read())).collect(),
            queue_bytes: get(&self.queue),
            queue_peak_bytes: get(&self.queue_peak),
            stalls: get(&self.stalls),
            backlog_bytes: get(&self.backlog_bytes),
            waiting_ms: lock(&self.waiting_since)
                .map_or(0.0, |since| since.elapsed().as_secs_f64() * 1_000.0),
            syncs: get(&self.syncs),
            sync_p50_ms: self.sync.percentile_ms(0.5),
            sync_p99_ms: self.sync.percentile_ms(0.99),
            visible_p50_ms: self.visible.percentile_ms(0.5),
            visible_p99_ms: self.visible.percentile_ms(0.99),
            indexing: self.indexing.read(),
            publishing: self.publishing.read(),
            merging: self.merging.read(),
        }
    }
}

/// What a stage of the intake did.
#[derive(Debug, Default)]
pub struct Stage {
    batches: AtomicU64,
    micros: AtomicU64,
}

impl Stage {
    /// It did a batch.
    pub fn add(&self, took: Duration) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn read(&self) -> StageStatistics {
        let ms = self.micros.load(Ordering::Relaxed) as f64 / 1000.0;
        StageStatistics { batches: self.batches.load(Ordering::Relaxed), ms }
    }
}

/// The counters of one source.
#[derive(Debug, Default)]
pub struct SourceCounters {
    whole: Option<Arc<SourceCounters>>,
    received: AtomicU64,
    accepted: AtomicU64,
    duplicates: AtomicU64,
    bytes: AtomicU64,
    batches: AtomicU64,
    /// When records were accepted last, in milliseconds since 1970.
    last_ms: AtomicU64,
    /// How long after their own times its events became visible; that of the whole and of its parts is one.
    lag: Arc<OnceLock<Latency>>,
    rejected: Mutex<BTreeMap<&'static str, u64>>,
}

impl SourceCounters {
    /// Records came in; what becomes of them is not known yet.
    pub fn received(&self, records: u64, bytes: u64) {
        self.received.fetch_add(records, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.received(records, bytes);
        }
    }

    /// A batch was synced.
    pub fn accepted(&self, records: u64, duplicates: u64) {
        self.accepted.fetch_add(records, Ordering::Relaxed);
        self.duplicates.fetch_add(duplicates, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last_ms.fetch_max(u64::try_from(since.as_millis()).unwrap_or_default(), Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.accepted(records, duplicates);
        }
    }

    /// Events became visible so long after their own times.
    pub fn visible(&self, lag: Duration, events: u64) {
        self.lag.get_or_init(Latency::default).add_many(lag, events);
    }

    /// When records were accepted last, in milliseconds since 1970.
    #[must_use]
    pub fn last_ms(&self) -> Option<u64> {
        Some(self.last_ms.load(Ordering::Relaxed)).filter(|&last| last > 0)
    }

    /// Records were turned away, or cut off by the kernel.
    pub fn rejected(&self, reason: &'static str, records: u64) {
        *lock(&self.rejected).entry(reason).or_default() += records;
        if let Some(whole) = &self.whole {
            whole.rejected(reason, records);
        }
    }

    pub fn read(&self) -> SourceStatistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SourceStatistics {
            received: get(&self.received),
            accepted: get(&self.accepted),
            duplicates: get(&self.duplicates),
            bytes: get(&self.bytes),
            batches: get(&self.batches),
            last_ms: self.last_ms(),
            lag_p50_ms: self.lag.get().map(|lag| lag.percentile_ms(0.5)),
            lag_p99_ms: self.lag.get().map(|lag| lag.percentile_ms(0.99)),
            rejected: lock(&self.rejected)
                .iter()
                .map(|(reason, count)| (Cow::Borrowed(*reason), *count))
                .collect(),
        }
    }
}

/// The counters of an intake at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    pub sources: BTreeMap<String, SourceStatistics>,
    pub queue_bytes: u64,
    pub queue_peak_bytes: u64,
    pub stalls: u64,
    pub backlog_bytes: u64,
    /// How long the oldest of it has waited.
    pub waiting_ms: f64,
    pub syncs: u64,
    pub sync_p50_ms: f64,
    pub sync_p99_ms: f64,
    pub visible_p50_ms: f64,
    pub visible_p99_ms: f64,
    pub indexing: StageStatistics,
    pub publishing: StageStatistics,
    pub merging: StageStatistics,
}

impl Statistics {
    /// What each stage did, with its name.
    #[must_use]
    pub fn stages(&self) -> [(&'static str, StageStatistics); 3] {
        [("indexing", self.indexing), ("publishing", self.publishing), ("merging", self.merging)]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageStatistics {
    pub batches: u64,
    /// How long they took together.
    pub ms: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceStatistics {
    pub received: u64,
    pub accepted: u64,
    pub duplicates: u64,
    pub bytes: u64,
    pub batches: u64,
    /// When records were accepted last, in milliseconds since 1970.
    pub last_ms: Option<u64>,
    /// How long after their own times events became visible.
    pub lag_p50_ms: Option<f64>,
    pub lag_p99_ms: Option<f64>,
    pub rejected: BTreeMap<Cow<'static, str>, u64>,
}

/// Durations by size, in buckets that are an eighth of a power of two wide, so that a percentile is at most
/// an eighth too long.
#[derive(Debug)]
pub struct Latency {
    buckets: Vec<AtomicU64>,
}

/// The buckets of a power of two are distinguished by its next three bits.
const BITS: u32 = 3;
const BUCKETS: usize = 64 << BITS;

impl Default for Latency {
    fn default() -> Latency {
        Latency { buckets: std::iter::repeat_with(AtomicU64::default).take(BUCKETS).collect() }
    }
}

impl Latency {
    pub fn add(&self, took: Duration) {
        self.add_many(took, 1);
    }

    pub fn add_many(&self, took: Duration, count: u64) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        self.buckets[bucket(micros)].fetch_add(count, Ordering::Relaxed);
    }

    /// The upper end of the bucket that this part of all durations is not beyond; 0 while there are none.
    #[must_use]
    pub fn percentile_ms(&self, part: f64) -> f64 {
        let counts: Vec<u64> = self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let total: u64 = counts.iter().sum();
        let wanted = ((total as f64 * part).ceil() as u64).max(1);
        let mut counted = 0;
        for (bucket, count) in counts.iter().enumerate() {
            counted += count;
            if counted >= wanted {
                return upper_end(bucket) as f64 / 1000.0;
            }
        }
        0.0
    }
}

fn bucket(micros: u64) -> usize {
    let power = micros.ilog2();
    let within = if power >= BITS { micros >> (power - BITS) } else { micros << (BITS - power) };
    ((power as usize) << BITS) + (within as usize & ((1 << BITS) - 1))
}

fn upper_end(bucket: usize) -> u64 {
    let (power, within) = ((bucket >> BITS) as u32, (bucket & ((1 << BITS) - 1)) as u128);
    let begin = (1_u128 << power) + ((within + 1) << power >> BITS);
    u64::try_from(begin).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_at_most_an_eighth_too_long() {
        let latency = Latency::default();
        assert!(latency.percentile_ms(0.99).abs() < f64::EPSILON);
        for ms in 1..=1000 {
            latency.add(Duration::from_millis(ms));
        }
        for (part, exact) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = latency.percentile_ms(part);
            assert!((exact..=exact * 1.13).contains(&found), "{part}: {found}");
        }
        latency.add(Duration::from_secs(u64::MAX / 2));
        latency.add(Duration::ZERO);
    }

    #[test]
    fn counters_are_kept_by_source_and_reason() {
        let counters = Counters::default();
        counters.source("syslog/udp").received(3, 30);
        counters.source("syslog/udp").accepted(2, 1);
        counters.source("syslog/udp").rejected("too long", 1);
        counters.source("http/a").rejected("not JSON", 2);
        counters.set_queue(70);
        counters.set_queue(7);
        let read = counters.read();
        let udp = &read.sources["syslog/udp"];
        assert_eq!((udp.received, udp.bytes, udp.accepted, udp.duplicates, udp.batches), (3, 30, 2, 1, 1));
        assert_eq!((udp.rejected["too long"], read.sources["http/a"].rejected["not JSON"]), (1, 2));
        assert_eq!((read.queue_bytes, read.queue_peak_bytes), (7, 70));
        assert!(udp.last_ms.is_some() && read.sources["http/a"].last_ms.is_none());
    }

    #[test]
    fn part_counts_for_the_whole_too() {
        let whole = Arc::new(Counters::default());
        let (one, other) = (Counters::part_of(&whole), Counters::part_of(&whole));
        for part in [&one, &other] {
            part.source("syslog/udp").received(3, 30);
            part.source("syslog/udp").accepted(2, 0);
            part.source("syslog/udp").rejected("too long", 1);
        }
        other.stall();
        // What becomes visible is known of the whole alone.
        whole.source("syslog/udp").visible(Duration::from_secs(1), 99);
        whole.source("syslog/udp").visible(Duration::from_mins(1), 1);
        let (whole, one) = (whole.read(), one.read());
        let (all, udp) = (&whole.sources["syslog/udp"], &one.sources["syslog/udp"]);
        assert_eq!((all.received, all.accepted, all.rejected["too long"]), (6, 4, 2));
        assert_eq!((udp.received, udp.accepted, udp.rejected["too long"]), (3, 2, 1));
        assert_eq!((whole.stalls, one.stalls), (1, 0));
        assert!(udp.lag_p50_ms == all.lag_p50_ms && udp.lag_p99_ms == udp.lag_p50_ms, "{udp:?}");
        assert!(udp.lag_p99_ms.is_some_and(|lag| (1000.0..1130.0).contains(&lag)), "{udp:?}");
    }
}
