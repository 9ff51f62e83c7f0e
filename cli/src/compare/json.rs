//! A comparison as JSON.

use indexer::compare::{Change, Comparison, CurvePoint, Difference, FieldChange, Relation};
use indexer::{Scalar, stamp};
use serde_json::{Value, json};

use super::{SIDES, percentiles};

/// A comparison with all figures.
pub fn as_json(found: &Comparison, notes: &[String]) -> Value {
    let unchanged = &found.unchanged;
    let left_out =
        found.left_out.iter().map(|(field, why)| json!({ "field": field, "reason": why.reason() }));
    json!({
        "a_events": found.events[0],
        "b_events": found.events[1],
        "shared": found.shared,
        "notes": notes,
        "rows": (1..).zip(&found.differences).map(|(rank, row)| row_as_json(Some(rank), row)).collect::<Vec<_>>(),
        "first": found.first.as_ref().map(|first| json!({
            "at": stamp::to_rfc3339(first.at),
            "row": first.row + 1,
            "from_the_beginning": first.onset.is_none(),
            "event": first.event.map(|event| format!("{}@{}", event.source, event.offset)),
            "side": SIDES[first.side.min(1)],
        })),
        "unlisted": found.unlisted,
        "volume": found.volume.as_ref().map(|volume| json!({
            "a_per_second": volume.per_second[0],
            "b_per_second": volume.per_second[1],
            "change": volume.change.map(Change::name),
            "effect": volume.at_least,
            "p": volume.p_value,
        })),
        "others": found.others.iter().map(|row| row_as_json(None, row)).collect::<Vec<_>>(),
        "only_shares": found.only_shares.iter().map(|share| json!({
            "change": share.change.name(),
            "what": share.subject.to_string(),
            "a": share.counts[0],
            "b": share.counts[1],
            "shares": share.shares,
            "without": share.without.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "left": share.left,
            "left_events": share.left_events,
        })).collect::<Vec<_>>(),
        "compared": { "patterns": unchanged.patterns, "values": unchanged.values },
        "unchanged": unchanged.fields.iter().map(field_as_json).collect::<Vec<_>>(),
        "unclear": unchanged.unclear.iter().map(field_as_json).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

fn field_as_json(field: &FieldChange) -> Value {
    json!({
        "field": field.field,
        "within": field.within,
        "value": field.value.as_ref().map(|(value, _)| value.to_string()),
        "shares": field.value.as_ref().map(|(_, shares)| shares),
        "p50": field.p50,
    })
}

fn row_as_json(rank: Option<usize>, row: &Difference) -> Value {
    let number = |value: Option<&Scalar>| value.and_then(Scalar::number);
    let sides = |(name, sides): (&str, [Option<&Scalar>; 2])| (name.to_owned(), json!(sides.map(number)));
    let also = row.also.iter().map(|also| {
        json!({
            "change": also.change.name(),
            "what": also.subject.to_string(),
            "a": also.counts[0],
            "b": also.counts[1],
            "both": also.both,
            "same_events": also.is_same(),
            "same_time": matches!(also.relation, Relation::Time { .. }),
        })
    });
    let curve = |point: &CurvePoint| {
        let CurvePoint { quantile, a, b, low, high } = *point;
        json!({
            "quantile": quantile,
            "a": a,
            "b": b,
            "difference": b - a,
            "low": low.map(|low| low - a),
            "high": high.map(|high| high - a),
        })
    };
    let moved = row.moved.as_ref();
    json!({
        "rank": rank,
        "kind": row.kind(),
        "change": row.change.name(),
        "what": row.subject.to_string(),
        "query": row.filter.to_string(),
        "queries": row.side_filters.as_ref().map(|filters| filters.each_ref().map(ToString::to_string)),
        "a": row.counts[0],
        "b": row.counts[1],
        "shares": row.shares,
        "effect": row.at_least,
        "p": row.p_value,
        "g2": row.g2,
        "score": row.score,
        "distance": moved.map(|moved| moved.distance),
        "mix": moved.and_then(|moved| moved.mix.as_ref()).map(|mix| json!({
            "field": mix.field,
            "distance": mix.within,
        })),
        "percentiles": percentiles(row).into_iter().map(sides).collect::<serde_json::Map<_, _>>(),
        "curve": moved.map(|moved| moved.curve.iter().map(curve).collect::<Vec<_>>()),
        "periods_ns": row.beat.map(|beat| beat.beats.map(|beat| beat.map(|beat| beat.period_ns))),
        "clock": row.clock.as_ref().map(|clock| json!({
            "later_ns": clock.later.map(|later| later.offset_ns),
            "moved_ns": clock.moved_ns,
            "margin_ns": clock.margin_ns,
            "set_ns": clock.set_ns,
            "examples": clock.examples.iter().map(|example| json!({
                "value": example.value,
                "against": stamp::to_rfc3339(example.one),
                "source": stamp::to_rfc3339(example.other),
            })).collect::<Vec<_>>(),
        })),
        "since": row.since.map(|since| json!({
            "at": stamp::to_rfc3339(since.at),
            "side": SIDES[since.side.min(1)],
        })),
        "last": row.stop.map(|stop| stamp::to_rfc3339(stop.last)),
        "expected": row.stop.map(|stop| stop.expected),
        "also": also.collect::<Vec<_>>(),
    })
}
