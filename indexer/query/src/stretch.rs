//! The stretch of time that a text means, in the time picker and in queries: one time that lasts, two times, a time with
//! a length, or a test on the time as the query bar takes it.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::ast::Unit;
use super::time::{Period, TimeExpr};

/// The time in a query.
const NAMES: [&str; 3] = ["@timestamp", "_time", "time"];

/// What a comparison with a period leaves of the data, which ends at an instant (exclusive).
type Compared = fn(Period, i64) -> Period;

const COMPARISONS: [(&str, Compared); 4] = [
    (">=", |than, end| Period { from: than.from, to: end }),
    ("<=", |than, _| Period { from: i64::MIN, to: than.to }),
    (">", |than, end| Period { from: than.to, to: end }),
    ("<", |than, _| Period { from: i64::MIN, to: than.from }),
];

/// The stretch of time from one written time to another, or of one alone: `now-15m` is the last quarter of an
/// hour, `yesterday` is all of it, and a single text may be two times, `a/b`, `a to b`, a time with a length, `14:05 ±5m`,
/// or a test of a query, `time>14:05`. A time of day is on the first day of `around` that has it. Nothing for what is no time.
#[must_use]
pub fn stretch(
    from: &str,
    to: Option<&str>,
    now: i64,
    zone: &TimeZone,
    around: Option<Period>,
) -> Option<Period> {
    let Some(to) = to else {
        if let Some(compared) = compared(from, now, zone, around) {
            return Some(compared);
        }
        let with_length = WITH_LENGTH.iter().find_map(|read| read(from.trim(), now, zone, around));
        if with_length.is_some() {
            return with_length;
        }
        if let Some(alone) = TimeExpr::parse(from) {
            return alone.dated(around, zone).matched(now, zone);
        }
        return two_times(from).find_map(|(from, to)| stretch(from, Some(to), now, zone, around));
    };
    let from = TimeExpr::parse(from)?.dated(around, zone).period(now, zone)?.from;
    // What has no date ends on the day on which it begins.
    let day_after = Period { from, to: from.checked_add(Unit::Day.factor() as i64)? };
    Some(Period { from, to: TimeExpr::parse(to)?.dated(Some(day_after), zone).until(now, zone)? })
}

/// A way to read a time with a length.
type WithLength = fn(&str, i64, &TimeZone, Option<Period>) -> Option<Period>;

const WITH_LENGTH: [WithLength; 3] = [around_time, from_or_until, last];

/// The margin around a minute, a second or an instant if none is written.
const MARGIN: &str = "5m";

/// `around 14:05`, `14:05 ±5m` and `around 14:05 +/- 1h`. Without a length the margin of a minute is [`MARGIN`], and
/// that of a longer time, such as a day, is as long as itself.
fn around_time(text: &str, now: i64, zone: &TimeZone, around: Option<Period>) -> Option<Period> {
    let (is_named, text) = match text.get(..7) {
        Some(word) if word.eq_ignore_ascii_case("around ") => (true, text[7..].trim()),
        _ => (false, text),
    };
    let written = ["±", "+/-", "+-"].iter().find_map(|sign| text.split_once(sign));
    if !is_named && written.is_none() {
        return None;
    }
    let (time, margin) = written.unwrap_or((text, ""));
    let period = TimeExpr::parse(time.trim())?.dated(around, zone).period(now, zone)?;
    if written.is_none() && period.to - period.from > Unit::Minute.factor() as i64 {
        let length = period.to - period.from;
        return Some(Period { from: period.from.checked_sub(length)?, to: period.to.checked_add(length)? });
    }
    let margin = if written.is_none() { MARGIN } else { margin.trim() };
    let margin: Span = margin.parse().ok()?;
    let found = Period { from: earlier(period.from, margin, zone)?, to: later(period.from, margin, zone)? };
    Some(found).filter(|found| found.from < found.to)
}

/// A time and a duration of ISO 8601, in either order: `14:05/PT15M`, `P1D/2024-05-02`.
fn from_or_until(text: &str, now: i64, zone: &TimeZone, around: Option<Period>) -> Option<Period> {
    let (first, second) = text.split_once('/')?;
    let instant = |time: &str| Some(TimeExpr::parse(time)?.dated(around, zone).period(now, zone)?.from);
    if let Some(length) = iso_duration(second) {
        let from = instant(first.trim())?;
        return Some(Period { from, to: later(from, length, zone)? });
    }
    let length = iso_duration(first)?;
    let to = instant(second.trim())?;
    Some(Period { from: earlier(to, length, zone)?, to })
}

/// A duration of ISO 8601 alone: so long until now, which is included.
fn last(text: &str, now: i64, zone: &TimeZone, _: Option<Period>) -> Option<Period> {
    let length = iso_duration(text)?;
    Some(Period { from: earlier(now, length, zone)?, to: now.checked_add(1)? })
}

/// `PT15M`, `P1DT12H`. Other durations begin with a number, and are read as times are.
fn iso_duration(text: &str) -> Option<Span> {
    let text = text.trim();
    text.starts_with(['P', 'p']).then(|| text.parse().ok())?
}

/// Days, weeks and months are those of the zone.
fn later(at: i64, length: Span, zone: &TimeZone) -> Option<i64> {
    let at = Timestamp::from_nanosecond(i128::from(at)).ok()?.to_zoned(zone.clone());
    i64::try_from(at.checked_add(length).ok()?.timestamp().as_nanosecond()).ok()
}

fn earlier(at: i64, length: Span, zone: &TimeZone) -> Option<i64> {
    later(at, length.checked_mul(-1).ok()?, zone)
}

/// Whether a text is a time and nothing that people search for: a date, an epoch, `last 15 minutes`, or two of these.
#[must_use]
pub fn is_pasted(text: &str) -> bool {
    match TimeExpr::parse(text) {
        Some(time) => time.is_dated() || time.is_length() && text.trim().contains(' '),
        None => two_times(text).any(|(from, to)| {
            [from, to].iter().any(|one| TimeExpr::parse(one).is_some_and(|time| time.is_dated()))
        }),
    }
}

/// The ways to read a text as two times.
fn two_times(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let text = text.trim();
    let text = text.strip_prefix("between ").unwrap_or(text);
    let text = text.strip_prefix("from ").unwrap_or(text);
    [" to ", " until ", " and ", " TO ", " – ", " - ", "..", "–", "/", "-"].into_iter().flat_map(
        move |separator| {
            text.match_indices(separator)
                .map(move |(at, _)| (text[..at].trim(), text[at + separator.len()..].trim()))
                .filter(|(from, to)| TimeExpr::parse(from).is_some() && TimeExpr::parse(to).is_some())
        },
    )
}

/// `time>14:05` and `time:yesterday`, as in a query. What is only before a time begins at the first instant there is.
fn compared(text: &str, now: i64, zone: &TimeZone, around: Option<Period>) -> Option<Period> {
    let comparison = NAMES.iter().find_map(|name| text.trim().strip_prefix(name))?.trim_start();
    let value = |written: &str| written.trim().trim_matches('"').to_owned();
    for (operator, bounds) in COMPARISONS {
        if let Some(written) = comparison.strip_prefix(operator) {
            let than = TimeExpr::parse(&value(written))?.dated(around, zone).period(now, zone)?;
            return Some(bounds(than, now.checked_add(1)?));
        }
    }
    let written = comparison.strip_prefix([':', '='])?.trim().trim_matches(['[', ']', '{', '}']);
    stretch(&value(written), None, now, zone, around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::stamp::{parse as at, to_rfc3339};

    /// Now is a Wednesday.
    const NOW: &str = "2024-05-15T14:05:30.5Z";

    #[test]
    fn times_of_day_are_on_the_days_in_view() {
        let now = at(NOW).expect("a time");
        let around = Period {
            from: at("2024-05-01T12:00:00Z").expect("a time"),
            to: at("2024-05-03T12:00:00Z").expect("a time"),
        };
        let found = |text: &str| {
            stretch(text, None, now, &TimeZone::UTC, Some(around)).map_or_else(
                || "none".to_owned(),
                |Period { from, to }| format!("{} {}", to_rfc3339(from), to_rfc3339(to)),
            )
        };
        for (text, expected) in [
            ("14:05", "2024-05-01T14:05:00Z 2024-05-01T14:06:00Z"),
            ("9:05", "2024-05-02T09:05:00Z 2024-05-02T09:06:00Z"),
            ("14:05-14:10", "2024-05-01T14:05:00Z 2024-05-01T14:10:00Z"),
            ("23:50 to 00:10", "2024-05-01T23:50:00Z 2024-05-02T00:10:00Z"),
            ("2024-05-01T14:05/14:10", "2024-05-01T14:05:00Z 2024-05-01T14:10:00Z"),
            ("2024-05-01/2024-05-02", "2024-05-01T00:00:00Z 2024-05-03T00:00:00Z"),
            ("2024-05-01 – 2024-05-02", "2024-05-01T00:00:00Z 2024-05-03T00:00:00Z"),
            ("now-2h to now-1h", "2024-05-15T12:05:30.5Z 2024-05-15T13:05:30.500000001Z"),
            (
                "03/May/2024:14:05:00 +0000/03/May/2024:14:10:00 +0000",
                "2024-05-03T14:05:00Z 2024-05-03T14:10:00Z",
            ),
            ("between May 1 14:05 and May 1 14:10", "2024-05-01T14:05:00Z 2024-05-01T14:10:00Z"),
            ("now/d", "2024-05-15T00:00:00Z 2024-05-16T00:00:00Z"),
            ("a/b", "none"),
            ("around 14:05", "2024-05-01T14:00:00Z 2024-05-01T14:10:00Z"),
            ("Around 14:05 ±90s", "2024-05-01T14:03:30Z 2024-05-01T14:06:30Z"),
            ("14:05 ±5m", "2024-05-01T14:00:00Z 2024-05-01T14:10:00Z"),
            ("2024-05-01T14:05+/-1h", "2024-05-01T13:05:00Z 2024-05-01T15:05:00Z"),
            ("around 2024-05-02", "2024-05-01T00:00:00Z 2024-05-04T00:00:00Z"),
            ("14:05/PT15M", "2024-05-01T14:05:00Z 2024-05-01T14:20:00Z"),
            ("P1D/2024-05-02", "2024-05-01T00:00:00Z 2024-05-02T00:00:00Z"),
            ("PT15M", "2024-05-15T13:50:30.5Z 2024-05-15T14:05:30.500000001Z"),
            ("around soon", "none"),
            ("14:05 ±soon", "none"),
            ("PT", "none"),
            ("PT15M/P1D", "none"),
            ("time:14:05", "2024-05-01T14:05:00Z 2024-05-01T14:06:00Z"),
            ("time>14:05", "2024-05-01T14:06:00Z 2024-05-15T14:05:30.500000001Z"),
            ("time >= 14:05", "2024-05-01T14:05:00Z 2024-05-15T14:05:30.500000001Z"),
            ("time<14:05", "1677-09-21T00:12:43.145224192Z 2024-05-01T14:05:00Z"),
            ("time<=2024-05-02", "1677-09-21T00:12:43.145224192Z 2024-05-03T00:00:00Z"),
            ("time>=now-1h", "2024-05-15T13:05:30.5Z 2024-05-15T14:05:30.500000001Z"),
            ("_time:yesterday", "2024-05-14T00:00:00Z 2024-05-15T00:00:00Z"),
            ("@timestamp=\"2024-05-01 14:05\"", "2024-05-01T14:05:00Z 2024-05-01T14:06:00Z"),
            ("time:[14:05 TO 14:10]", "2024-05-01T14:05:00Z 2024-05-01T14:10:00Z"),
            ("time!=14:05", "none"),
            ("time>", "none"),
            ("time", "none"),
            ("time>soon", "none"),
            ("time_taken>14:05", "none"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn range_ends_after_a_whole_day_but_at_the_exact_minute() {
        let now = at(NOW).expect("a time");
        let stretch = |from: &str, to: Option<&str>| {
            stretch(from, to, now, &TimeZone::UTC, None).map_or_else(
                || "none".to_owned(),
                |Period { from, to }| format!("{} {}", to_rfc3339(from), to_rfc3339(to)),
            )
        };
        for (from, to, expected) in [
            ("now-15m", None, "2024-05-15T13:50:30.5Z 2024-05-15T14:05:30.500000001Z"),
            ("yesterday", None, "2024-05-14T00:00:00Z 2024-05-15T00:00:00Z"),
            ("2024-05-01T14:05", None, "2024-05-01T14:05:00Z 2024-05-01T14:06:00Z"),
            ("2024-05-01 14:05", Some("2024-05-01 14:10"), "2024-05-01T14:05:00Z 2024-05-01T14:10:00Z"),
            ("2024-05-01", Some("2024-05-02"), "2024-05-01T00:00:00Z 2024-05-03T00:00:00Z"),
            ("now-1h", Some("now"), "2024-05-15T13:05:30.5Z 2024-05-15T14:05:30.500000001Z"),
            ("now-1h/h", Some("now-1h/h"), "2024-05-15T13:00:00Z 2024-05-15T14:00:00Z"),
            ("now", Some("soon"), "none"),
            ("", None, "none"),
        ] {
            assert_eq!(stretch(from, to), expected, "{from} {to:?}");
        }
    }
}
