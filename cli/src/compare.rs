//! `timberline compare`: what differs between two parts of a case, ranked, for people and as JSON.

use std::io::Write;

use anyhow::Result;
use indexer::aggregate::TimeZone;
use indexer::compare::{Change, Comparison, Difference};
use indexer::query::time::{Period, stretch};
use indexer::{Cancel, Case, Error, ErrorKind, Scalar, View, stamp};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::Compare;
use crate::events::{outcome, time};
use crate::out;

/// Consequences that are printed with a row.
const ALSO: usize = 3;

pub fn run(arguments: &Compare) -> Result<Outcome> {
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let range = (time(arguments.from.as_ref())?, time(arguments.to.as_ref())?);
    let side = |text: &str| -> Result<View> {
        let (filter, view) = side(text, snapshot.time_range(), range)?;
        let view = view.inspect_err(|error| out::caret(filter, error))?;
        // What is wrong with one side is shown under that one.
        case.resolved(&snapshot, &view).inspect_err(|error| out::caret(filter, error))?;
        Ok(view)
    };
    let (a, b) = (side(&arguments.a)?, side(&arguments.b)?);
    let mut partial = |_: &Comparison, share: f64| out::progress(&format!("{:.0} %", share * 100.0));
    let found = case.compare(&snapshot, [&a, &b], arguments.limit, &mut partial, &Cancel::default());
    out::progress("");
    let found = found?;
    let mut stdout = out::stdout();
    if arguments.json {
        out::json(&mut stdout, &as_json(&found))?;
    } else {
        print(&found, &mut stdout)?;
    }
    stdout.flush()?;
    found.notes().iter().for_each(|note| out::say(note));
    Ok(outcome(&snapshot))
}

/// A side as it is written: a filter, a range of times after an `@`, or both. Its filter, and its view.
fn side(
    text: &str,
    data: Option<(i64, i64)>,
    range: (Option<i64>, Option<i64>),
) -> Result<(&str, indexer::Result<View>)> {
    let (filter, times) = match text.rsplit_once(" @") {
        Some((filter, times)) => (filter, Some(times)),
        None => text.strip_prefix('@').map_or((text, None), |times| ("*", Some(times))),
    };
    let (from, to) = times.map_or(Ok(range), |times| self::range(times.trim(), data))?;
    let filter = if filter.trim().is_empty() { "*" } else { filter };
    Ok((filter, View::parse(filter, from, to)))
}

/// `from/to`, where either may be missing, or one time that lasts, as `yesterday`. The end of the data is now, as in
/// queries.
fn range(text: &str, data: Option<(i64, i64)>) -> Result<(Option<i64>, Option<i64>)> {
    let now = data.map_or(0, |(_, last)| last);
    let around = data.map(|(from, to)| Period { from, to });
    let read = |from: &str, to: Option<&str>| {
        stretch(from, to, now, &TimeZone::UTC, around).ok_or_else(|| {
            let message = format!("not a range of times: {text}");
            Error::new(ErrorKind::BadRequest, message)
                .hint("write FILTER @ 2026-03-01T14:00/2026-03-01T15:00, @ 14:00/, @ /now-1h or @ yesterday")
        })
    };
    Ok(match (text.strip_prefix('/'), text.strip_suffix('/')) {
        (Some(to), _) => (None, Some(read(to, Some(to))?.from)),
        (_, Some(from)) => (Some(read(from, Some(from))?.from), None),
        _ => {
            let period = read(text, None)?;
            (Some(period.from), Some(period.to))
        }
    })
}

fn print(found: &Comparison, to: &mut dyn Write) -> Result<()> {
    writeln!(to, "A {} events, B {} events", found.events[0], found.events[1])?;
    for (place, row) in found.differences.iter().enumerate() {
        writeln!(to)?;
        writeln!(to, "{:>3}. {} {}: {}", place + 1, row.change.name(), row.subject.kind(), row.subject)?;
        writeln!(to, "     {}", figures(row))?;
        if let Some(stop) = row.stop {
            let last = stamp::to_rfc3339(stop.last);
            writeln!(to, "     the last one at {last}; {:.0} more were to be expected", stop.expected)?;
        }
        for (name, sides) in percentiles(row) {
            let [a, b] = sides.map(|side| side.map_or_else(|| "none".to_owned(), rounded));
            writeln!(to, "     {name} {a} before, {b} after")?;
        }
        for also in row.also.iter().take(ALSO) {
            let how = if also.is_same { "the same events" } else { "with it" };
            let (change, counts) = (also.change.name(), also.counts);
            writeln!(to, "     {how}: {change} {} ({} and {})", also.subject, counts[0], counts[1])?;
        }
        if row.also.len() > ALSO {
            writeln!(to, "     and {} more with it", row.also.len() - ALSO)?;
        }
        writeln!(to, "     {}", row.filter)?;
    }
    if found.differences.is_empty() && !found.events.contains(&0) {
        writeln!(to, "\nNo difference is above the line.")?;
    }
    if found.unlisted > 0 {
        writeln!(to, "\n{} more differ.", found.unlisted)?;
    }
    if !found.events.contains(&0) {
        unchanged(found, to)?;
    }
    Ok(())
}

fn unchanged(found: &Comparison, to: &mut dyn Write) -> Result<()> {
    let unchanged = &found.unchanged;
    let (patterns, values) =
        (unchanged.patterns - unchanged.patterns_changed.min(unchanged.patterns), unchanged.values);
    let values = values - unchanged.values_changed.min(values);
    writeln!(
        to,
        "\nThe same: {patterns} of {} patterns, {values} of {} values",
        unchanged.patterns, unchanged.values
    )?;
    for (what, names) in [("fields", &unchanged.fields), ("numbers", &unchanged.numbers)] {
        if !names.is_empty() {
            writeln!(to, "The same {what}: {}", names.join(", "))?;
        }
    }
    for (field, why) in &found.left_out {
        writeln!(to, "Not compared: {field}, because {}", why.reason())?;
    }
    Ok(())
}

/// The counts, how sure the difference is, and how large.
fn figures(row: &Difference) -> String {
    let [a, b] = row.counts;
    let [share_a, share_b] = row.shares.map(|share| 100.0 * share);
    let counts = format!("A {a} ({share_a:.3} %), B {b} ({share_b:.3} %)");
    let p = if row.p_value > 0.0 { format!("p {:.1e}", row.p_value) } else { "p < 1e-300".to_owned() };
    let score = format!("score {:.1}, G² {:.1}, {p}", row.score, row.g2);
    let at_least = row.at_least;
    match (&row.moved, row.change) {
        (Some(moved), _) => format!("{counts}; distance {:.3}; {score}", moved.distance),
        (None, Change::Stopped) => format!("{counts}; {score}"),
        _ => format!("{counts}; at least {at_least:.1} times; {score}"),
    }
}

/// The percentiles by name, of A and of B.
fn percentiles(row: &Difference) -> Vec<(&'static str, [Option<&Scalar>; 2])> {
    let Some(moved) = &row.moved else { return Vec::new() };
    let sides = moved.percentiles.iter().map(|[a, b]| [a.as_ref(), b.as_ref()]);
    ["p50", "p95", "p99"].into_iter().zip(sides).collect()
}

fn rounded(value: &Scalar) -> String {
    match value {
        Scalar::Float(number) => {
            let text = format!("{number:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => other.to_string(),
    }
}

fn as_json(found: &Comparison) -> Value {
    let unchanged = &found.unchanged;
    let left_out =
        found.left_out.iter().map(|(field, why)| json!({ "field": field, "reason": why.reason() }));
    json!({
        "events": found.events,
        "shared": found.shared,
        "notes": found.notes(),
        "differences": found.differences.iter().map(row_as_json).collect::<Vec<_>>(),
        "unlisted": found.unlisted,
        "unchanged": {
            "patterns": unchanged.patterns,
            "patterns_changed": unchanged.patterns_changed,
            "values": unchanged.values,
            "values_changed": unchanged.values_changed,
            "fields": unchanged.fields,
            "numbers": unchanged.numbers,
        },
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

fn row_as_json(row: &Difference) -> Value {
    let number = |value: Option<&Scalar>| value.and_then(Scalar::number);
    let sides = |(name, sides): (&str, [Option<&Scalar>; 2])| (name.to_owned(), json!(sides.map(number)));
    let also = row.also.iter().map(|also| {
        json!({
            "subject": also.subject.to_string(),
            "change": also.change.name(),
            "counts": also.counts,
            "same_events": also.is_same,
        })
    });
    json!({
        "change": row.change.name(),
        "kind": row.subject.kind(),
        "subject": row.subject.to_string(),
        "counts": row.counts,
        "shares": row.shares,
        "at_least": row.at_least,
        "g2": row.g2,
        "p_value": row.p_value,
        "score": row.score,
        "distance": row.moved.as_ref().map(|moved| moved.distance),
        "percentiles": percentiles(row).into_iter().map(sides).collect::<serde_json::Map<_, _>>(),
        "last": row.stop.map(|stop| stamp::to_rfc3339(stop.last)),
        "expected": row.stop.map(|stop| stop.expected),
        "filter": row.filter.to_string(),
        "also": also.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_a_filter_and_a_range() {
        let stamp = |text: &str| stamp::parse(text).expect("a time");
        let data = Some((stamp("2026-03-01T14:00:00Z"), stamp("2026-03-01T18:00:00Z")));
        let of = |text: &str| {
            let (_, view) = side(text, data, (None, Some(2))).expect("a side");
            let view = view.expect("a filter");
            (view.filter.to_string(), view.from, view.to)
        };
        let all = query_of("*");
        let (two, four) = (stamp("2026-03-01T14:00:00Z"), stamp("2026-03-01T16:00:00Z"));
        let both = of("level=error @ 2026-03-01T14:00/2026-03-01T16:00");
        assert_eq!(both, ("level=error".to_owned(), Some(two), Some(four)));
        assert_eq!(of("@ 14:00/16:00"), (all.clone(), Some(two), Some(four)));
        assert_eq!(of("@ /2026-03-01T16:00"), (all.clone(), None, Some(four)));
        assert_eq!(of("* @ 16:00/"), (all.clone(), Some(four), None));
        assert_eq!(of("mail=ann@example.org").0, query_of("mail=ann@example.org"));
        assert_eq!(of("*"), (all, None, Some(2)));
        let day = of("@ 2026-03-01");
        assert_eq!(
            (day.1, day.2),
            (Some(stamp("2026-03-01T00:00:00Z")), Some(stamp("2026-03-02T00:00:00Z")))
        );
        let error = side("* @ noon", data, (None, None)).expect_err("no time");
        assert!(error.to_string().contains("not a range of times: noon"), "{error}");
    }

    fn query_of(text: &str) -> String {
        View::parse(text, None, None).expect("a filter").filter.to_string()
    }
}
