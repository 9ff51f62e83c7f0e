//! `timeline`: how many events there are over time, by level or by the values of a field.

use indexer::aggregate::{self, Axis, By, Interval, Request, TermOrder, TimeZone};
use indexer::{Level, Timeline};
use serde_json::{Map, Value, json};

use super::Tool;
use super::rows::{begun, known, scalar, time};
use crate::mcp::answer::{Answered, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::{MOST_BUCKETS, MOST_GROUPS};

pub const TOOL: Tool = Tool {
    name: "timeline",
    title: "Events over time",
    summary: "Counts the matching events over time, split by level, or by the most frequent values of a field. Buckets \
              without events are not listed.",
    arguments: &[
        QUERY,
        FROM,
        TO,
        Argument::new(
            "buckets",
            ArgumentKind::Whole(1, MOST_BUCKETS, 60),
            "Buckets of time at most; they have round widths",
        ),
        Argument::new("by", ArgumentKind::Text, "The field that counts are split by, instead of level"),
        Argument::new(
            "groups",
            ArgumentKind::Whole(1, MOST_GROUPS, 5),
            "With `by`: values at most; all others are one more",
        ),
    ],
    run,
};

const MORE: &str = "ask for fewer buckets, or for a shorter time with `from` and `to`";

fn run(call: &Call<'_>) -> Answered {
    match call.given.text("by") {
        Some(field) => by_field(call, field),
        None => by_level(call),
    }
}

fn by_level(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let mut latest = None;
    let mut partial = |timeline: &Timeline, share: f64| latest = Some((timeline.clone(), share));
    let buckets = call.given.whole("buckets");
    let counted = named.case.timeline(&snapshot, &view, buckets, &mut partial, call.cancel());
    let (timeline, share) = call.or_partial(counted, latest)?;
    let edges = timeline.edges();
    let bucket = |index: usize| {
        let levels: Map<String, Value> = Level::ALL
            .iter()
            .zip(&timeline.counts)
            .filter(|(_, counts)| counts[index] > 0)
            .map(|(level, counts)| (level_name(*level).to_owned(), json!(counts[index])))
            .collect();
        let events: u64 = timeline.counts.iter().map(|counts| u64::from(counts[index])).sum();
        (events > 0).then(|| json!({ "time": time(edges[index]), "events": events, "levels": levels }))
    };
    let rows: Vec<Value> = (0..edges.len().saturating_sub(1)).filter_map(bucket).collect();
    let mut answer = begun(named, &snapshot);
    answer.insert("events".to_owned(), json!(timeline.total));
    answer.insert("without_time".to_owned(), json!(timeline.untimed));
    answer.insert("bucket_seconds".to_owned(), json!(timeline.width_ns as f64 / 1e9));
    if share >= 1.0 {
        call.advise(&mut answer, named, &snapshot, timeline.total);
    }
    call.note_share(&mut answer, share, "counts are of the events looked at");
    let whole = rows.len() as u64;
    with_rows(&mut answer, "buckets", rows, whole, |_| MORE.to_owned());
    Ok(answer)
}

fn level_name(level: Level) -> &'static str {
    if level.name().is_empty() { "none" } else { level.name() }
}

fn by_field(call: &Call<'_>, field: &str) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    known(&snapshot, field, "by")?;
    let interval = Interval::Auto(call.given.whole("buckets"));
    let terms =
        By::Terms { field: field.to_owned(), top: call.given.whole("groups"), order: TermOrder::Most };
    let request =
        Request { by: vec![By::Time { interval, zone: TimeZone::UTC }, terms], measures: Vec::new() };
    let mut latest = None;
    let mut partial = |answer: &aggregate::Answer, share: f64| latest = Some((answer.clone(), share));
    let counted = named.case.aggregate(&snapshot, &view, &request, &mut partial, call.cancel());
    let (counted, share) = call.or_partial(counted, latest)?;
    let mut answer = begun(named, &snapshot);
    answer.insert("events".to_owned(), json!(counted.total));
    answer.insert("without_time".to_owned(), json!(counted.untimed));
    answer.insert("by".to_owned(), json!(field));
    call.note_share(&mut answer, share, "counts are of the events looked at");
    let [Axis::Time { edges }, Axis::Terms { values, distinct, .. }] = counted.axes.as_slice() else {
        return Ok(answer);
    };
    answer.insert("distinct".to_owned(), json!(distinct));
    let mut groups: Vec<Value> = values.iter().map(scalar).collect();
    groups.extend([json!("all others"), json!("without the field")]);
    let bucket = |(counts, start): (&[u64], &i64)| {
        let events: u64 = counts.iter().sum();
        let filled = groups.iter().zip(counts).filter(|(_, count)| **count > 0);
        let by: Vec<Value> =
            filled.map(|(value, count)| json!({ "value": value, "events": count })).collect();
        (events > 0).then(|| json!({ "time": time(*start), "events": events, "by": by }))
    };
    let rows: Vec<Value> = counted.counts.chunks(groups.len()).zip(edges).filter_map(bucket).collect();
    let whole = rows.len() as u64;
    with_rows(&mut answer, "buckets", rows, whole, |_| MORE.to_owned());
    Ok(answer)
}
