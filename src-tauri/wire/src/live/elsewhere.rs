//! The counters of live sources as a screen shows them: of this process, and of another one that receives into a case
//! which is only read here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use indexer::{Nanos, Snapshot};
use receive::{SourceStatistics, Statistics, Status};

use super::{LiveReading, LiveSettings, LiveSource, LiveStage, LiveState, LiveStatus, Rejected};

/// What another process receives.
pub fn status(other: &Status, settings: LiveSettings, snapshot: &Snapshot) -> LiveStatus {
    let sources = (1..).zip(&other.sources).map(|(id, source)| LiveSource {
        id,
        name: match source.address.as_str() {
            "-" => source.kind.clone(),
            address => format!("{} {address}", source.kind),
        },
        ..counted(source.streams.clone(), snapshot)
    });
    LiveStatus {
        sources: sources.collect(),
        receiver: Some(other.process),
        ..of_intake(&other.statistics, settings, snapshot)
    }
}

/// The counters of a receiver as a whole.
pub fn of_intake(statistics: &Statistics, settings: LiveSettings, snapshot: &Snapshot) -> LiveStatus {
    let stages = statistics.stages().map(|(name, stage)| LiveStage {
        name: name.to_owned(),
        batches: stage.batches,
        ms: stage.ms,
    });
    LiveStatus {
        settings,
        revision: snapshot.revision(),
        queue_bytes: statistics.queue_bytes,
        queue_peak_bytes: statistics.queue_peak_bytes,
        backlog_bytes: statistics.backlog_bytes,
        waiting_ms: statistics.waiting_ms,
        stalls: statistics.stalls,
        syncs: statistics.syncs,
        sync_p50_ms: statistics.sync_p50_ms,
        sync_p99_ms: statistics.sync_p99_ms,
        visible_p50_ms: statistics.visible_p50_ms,
        visible_p99_ms: statistics.visible_p99_ms,
        stages: stages.into(),
        ..LiveStatus::default()
    }
}

/// A source that runs, by what came from it for each source of the case.
pub fn counted(streams: BTreeMap<String, SourceStatistics>, snapshot: &Snapshot) -> LiveSource {
    // Of several streams, the slowest.
    let most = |of: fn(&SourceStatistics) -> Option<f64>| streams.values().filter_map(of).reduce(f64::max);
    let sum = |of: fn(&SourceStatistics) -> u64| streams.values().map(of).sum();
    let mut rejected: BTreeMap<Cow<'static, str>, u64> = BTreeMap::new();
    for (reason, count) in streams.values().flat_map(|stream| &stream.rejected) {
        *rejected.entry(reason.clone()).or_default() += count;
    }
    let last_ms = streams.values().filter_map(|stream| stream.last_ms).max();
    let of_source = snapshot.sources().iter().filter(|source| streams.contains_key(&source.name));
    let newest = of_source.filter_map(|source| source.last).max();
    let received = last_ms.and_then(|ms| i64::try_from(ms).ok()).map(|ms| ms.saturating_mul(1_000_000));
    let lag = received.zip(newest).map(|(received, newest)| received.saturating_sub(newest).max(0));
    let rejected =
        rejected.into_iter().map(|(reason, count)| Rejected { reason: reason.into_owned(), count });
    LiveSource {
        id: 0,
        name: String::new(),
        kind: None,
        reading: LiveReading::default(),
        state: LiveState::Running,
        error: None,
        received: sum(|stream| stream.received),
        accepted: sum(|stream| stream.accepted),
        duplicates: sum(|stream| stream.duplicates),
        bytes: sum(|stream| stream.bytes),
        rejected: rejected.collect(),
        last: received.map(Nanos),
        lag_ms: lag.map(|ns| ns as f64 / 1e6),
        lag_p50_ms: most(|stream| stream.lag_p50_ms),
        lag_p99_ms: most(|stream| stream.lag_p99_ms),
        streams: streams.into_keys().collect(),
    }
}
