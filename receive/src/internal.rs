//! The internal log: the counters of a case as events of its own, which can be queried like any others.
//!
//! An event for each stream that received something, and one for the intake as a whole. Numbers are of the time since the
//! event before, so that they can be summed; those that end in `_total` are of the time since the process started.

use std::time::{Duration, Instant};

use indexer::Cancel;
use serde_json::{Value, json};

use crate::counters::{SourceStatistics, Statistics};
use crate::intake::{Intake, Record, Refused, Stream};
use crate::syslog::LOOK;

/// What the source of these events is called.
pub const INTERNAL: &str = "timberline/internal";

/// Appends what the counters say this often until it is to stop, and once more then.
pub fn log_counters(intake: &dyn Intake, every: Duration, stop: &Cancel) {
    let stream = Stream { format: Some("json".to_owned()), ..Stream::new(INTERNAL) };
    let mut before = Statistics::default();
    let mut is_last = false;
    while !is_last {
        let began = Instant::now();
        while began.elapsed() < every && !stop.is_set() {
            std::thread::sleep(LOOK.min(every));
        }
        is_last = stop.is_set();
        let now = intake.counters().read();
        let records = events(&before, &now, &jiff::Timestamp::now());
        match intake.append(&stream, records) {
            Ok(_) => before = now,
            Err(Refused::Closed) => return,
            // The next event counts what this one would have.
            Err(_) => {}
        }
    }
}

fn events(before: &Statistics, now: &Statistics, time: &jiff::Timestamp) -> Vec<Record> {
    let none = SourceStatistics::default();
    let sources = now.sources.iter().filter(|(name, _)| *name != INTERNAL);
    let changed = sources.filter_map(|(name, source)| {
        let earlier = before.sources.get(name).unwrap_or(&none);
        (source != earlier).then(|| stream_event(name, earlier, source))
    });
    let all = changed.chain([intake_event(before, now)]).map(|mut event| {
        event["timestamp"] = json!(time.to_string());
        Record::new(event.to_string().into_bytes())
    });
    all.collect()
}

fn stream_event(name: &str, before: &SourceStatistics, now: &SourceStatistics) -> Value {
    let mut reasons = now.rejected.clone();
    for (reason, count) in &before.rejected {
        let now = reasons.entry(reason.clone()).or_default();
        *now = now.saturating_sub(*count);
    }
    reasons.retain(|_, count| *count > 0);
    let rejected: u64 = reasons.values().sum();
    let accepted = now.accepted - before.accepted;
    let mut event = json!({
        "level": if rejected > 0 { "warn" } else { "info" },
        "stage": "stream",
        "stream": name,
        "received": now.received - before.received,
        "accepted": accepted,
        "duplicates": now.duplicates - before.duplicates,
        "bytes": now.bytes - before.bytes,
        "batches": now.batches - before.batches,
        "rejected": rejected,
        "received_total": now.received,
        "accepted_total": now.accepted,
        "rejected_total": now.rejected.values().sum::<u64>(),
        "message": format!("{name}: {accepted} accepted, {rejected} rejected"),
    });
    if let (Some(p50), Some(p99)) = (now.lag_p50_ms, now.lag_p99_ms) {
        (event["lag_p50_ms"], event["lag_p99_ms"]) = (json!(p50), json!(p99));
    }
    if rejected > 0 {
        event["reasons"] = json!(reasons);
    }
    event
}

fn intake_event(before: &Statistics, now: &Statistics) -> Value {
    let stalls = now.stalls - before.stalls;
    let mut event = json!({
        "level": if stalls > 0 { "warn" } else { "info" },
        "stage": "intake",
        "queue_bytes": now.queue_bytes,
        "queue_peak_bytes": now.queue_peak_bytes,
        "backlog_bytes": now.backlog_bytes,
        "waiting_ms": now.waiting_ms,
        "stalls": stalls,
        "stalls_total": now.stalls,
        "syncs": now.syncs - before.syncs,
        "sync_p50_ms": now.sync_p50_ms,
        "sync_p99_ms": now.sync_p99_ms,
        "visible_p50_ms": now.visible_p50_ms,
        "visible_p99_ms": now.visible_p99_ms,
        "message": format!("queue {} bytes, backlog {} bytes, {stalls} stalls", now.queue_bytes, now.backlog_bytes),
    });
    for ((name, before), (_, now)) in before.stages().into_iter().zip(now.stages()) {
        event[format!("{name}_batches")] = json!(now.batches - before.batches);
        event[format!("{name}_ms")] = json!(now.ms - before.ms);
    }
    event
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indexer::Case;

    use super::*;
    use crate::receiver::{Options, Receiver};

    fn read(before: &Statistics, now: &Statistics) -> Vec<Value> {
        let records = events(before, now, &jiff::Timestamp::UNIX_EPOCH);
        records.iter().map(|record| serde_json::from_slice(&record.bytes).expect("JSON")).collect()
    }

    #[test]
    fn events_have_what_was_counted_since_the_ones_before() {
        let counters = crate::counters::Counters::default();
        counters.source("syslog/udp/10.0.0.7").received(5, 50);
        counters.source("syslog/udp/10.0.0.7").rejected("too long", 2);
        counters.source(INTERNAL).received(1, 1);
        let first = counters.read();
        let events = read(&Statistics::default(), &first);
        assert_eq!(events.len(), 2, "none about itself: {events:?}");
        let stream = &events[0];
        assert_eq!((&stream["stream"], &stream["received"]), (&json!("syslog/udp/10.0.0.7"), &json!(5)));
        assert_eq!((&stream["level"], &stream["reasons"]["too long"]), (&json!("warn"), &json!(2)));
        assert_eq!(stream["timestamp"], "1970-01-01T00:00:00Z");

        counters.source("syslog/udp/10.0.0.7").received(3, 30);
        counters.source("syslog/udp/10.0.0.7").accepted(3, 0);
        counters.stall();
        counters.source("syslog/udp/10.0.0.7").visible(Duration::from_secs(2), 3);
        counters.publishing.add(Duration::from_millis(7));
        let second = counters.read();
        let events = read(&first, &second);
        let (stream, intake) = (&events[0], &events[1]);
        assert_eq!((&stream["received"], &stream["received_total"]), (&json!(3), &json!(8)));
        assert_eq!((&stream["rejected"], &stream["rejected_total"]), (&json!(0), &json!(2)));
        assert_eq!((&stream["level"], &intake["level"]), (&json!("info"), &json!("warn")));
        assert_eq!(intake["stalls"], 1);
        assert!(stream["lag_p99_ms"].as_f64().is_some_and(|lag| (2000.0..2260.0).contains(&lag)), "{stream}");
        assert_eq!((&intake["publishing_batches"], &intake["publishing_ms"]), (&json!(1), &json!(7.0)));
        assert_eq!(intake["merging_batches"], 0);
        assert_eq!(read(&second, &second).len(), 1, "streams that received nothing are left out");
    }

    #[test]
    fn last_counters_are_events_when_it_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Arc::new(Case::create(&folder.path().join("live.case")).expect("a case"));
        let receiver =
            Receiver::start(Arc::clone(&case), Options::default(), Arc::new(|_| {})).expect("it starts");
        let (intake, stop) = (receiver.intake(), Cancel::default());
        let record = Record::new(b"{\"message\":\"one\"}".to_vec());
        intake.append(&Stream::new("http/logs"), vec![record]).expect("it is stored");
        stop.set();
        log_counters(&*intake, Duration::from_hours(1), &stop);
        receiver.finish().expect("a clean end");
        // That of the stream, and that of the intake.
        assert_eq!(case.snapshot().events(), 3);
    }
}
