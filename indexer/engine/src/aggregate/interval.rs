//! Buckets of time: fixed widths, and the days, weeks, months, quarters and years of a time zone.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Deserialize;

use super::timeline::width_for;
use base::error::{Error, ErrorKind, Result};
use base::limits::TIMELINE_BUCKETS;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;

/// The width of time buckets.
#[derive(Clone, Debug, PartialEq)]
pub enum Interval {
    /// The narrowest round width that needs at most this many buckets.
    Auto(usize),
    /// Nanoseconds. Widths that divide a day start with the days of the zone.
    Fixed(i64),
    /// This many calendar units, whose length depends on the zone.
    Calendar(u32, CalendarUnit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CalendarUnit {
    Day,
    /// From Monday on.
    Week,
    Month,
    Quarter,
    Year,
}

/// The zone with a name such as `Europe/Berlin`.
pub fn zone(name: &str) -> Result<TimeZone> {
    TimeZone::get(name).map_err(|_| {
        Error::new(ErrorKind::BadRequest, format!("there is no time zone `{name}`"))
            .hint("zones have names such as Europe/Berlin or UTC")
    })
}

/// The starts of the buckets that cover these times, and the end of the last one.
pub fn edges(first: i64, last: i64, interval: &Interval, zone: &TimeZone) -> Result<Vec<i64>> {
    let edges = match interval {
        Interval::Auto(buckets) => {
            let buckets = (*buckets).clamp(1, TIMELINE_BUCKETS - 2);
            return edges(first, last, &automatic(first, last, buckets), zone);
        }
        Interval::Fixed(width) if *width <= 0 => {
            return Err(Error::new(
                ErrorKind::BadRequest,
                "the width of a time bucket must be greater than zero",
            ));
        }
        Interval::Fixed(width) => fixed(first, last, *width, zone)?,
        Interval::Calendar(0, _) => {
            return Err(Error::new(
                ErrorKind::BadRequest,
                "the width of a time bucket must be greater than zero",
            ));
        }
        Interval::Calendar(count, unit) => calendar(first, last, i64::from(*count), *unit, zone)?,
    };
    Ok(edges)
}

/// The interval that `Auto` selects.
pub fn automatic(first: i64, last: i64, buckets: usize) -> Interval {
    let width = width_for(first, last, buckets);
    if width < DAY {
        return Interval::Fixed(width);
    }
    let days = (i128::from(last) - i128::from(first)) / i128::from(DAY) + 2;
    let fits = |length: i128| days / length < buckets.max(2) as i128;
    let units = [
        (1, CalendarUnit::Day, 1),
        (7, CalendarUnit::Week, 1),
        (28, CalendarUnit::Month, 1),
        (90, CalendarUnit::Quarter, 1),
        (365, CalendarUnit::Year, 1),
        (3_650, CalendarUnit::Year, 10),
    ];
    let found = units.into_iter().find(|(length, ..)| fits(*length));
    let (_, unit, count) = found.unwrap_or((0, CalendarUnit::Year, 100));
    Interval::Calendar(count, unit)
}

fn fixed(first: i64, last: i64, width: i64, zone: &TimeZone) -> Result<Vec<i64>> {
    if (i128::from(last) - i128::from(first)) / i128::from(width) > TIMELINE_BUCKETS as i128 {
        return Err(too_many());
    }
    let by_day = DAY % width == 0 && *zone != TimeZone::UTC;
    if !by_day {
        let start = first.div_euclid(width).saturating_mul(width);
        let mut edges = vec![start];
        while let Some(&edge) = edges.last()
            && edge <= last
        {
            edges.push(edge.saturating_add(width));
            if edge > i64::MAX - width {
                break;
            }
        }
        return Ok(edges);
    }
    // Hours keep their length when clocks change, so such a day has 23 or 25 of them. Wider parts of a day
    // follow the clock.
    let mut edges = Vec::new();
    let mut day = day_of(first, zone)?;
    loop {
        let next = later(day, 1)?;
        let (start, end) = (begin(day, zone)?, begin(next, zone)?);
        if width <= HOUR {
            let mut edge = start + (first.max(start) - start) / width * width;
            while edge < end && edges.last().is_none_or(|&edge| edge <= last) {
                edges.push(edge);
                edge = edge.saturating_add(width);
            }
        } else {
            for hours in 0..DAY / width {
                let clock = day.at(0, 0, 0, 0).saturating_add((hours * width / SECOND).seconds());
                edges.push(instant(&clock, zone)?.max(start).min(end));
            }
        }
        if end > last || edges.last().is_some_and(|&edge| edge > last) {
            edges.push(end);
            break;
        }
        day = next;
    }
    edges.dedup();
    // The first day begins before the first time, and the last ends after the last one.
    let from = edges.partition_point(|&edge| edge <= first).saturating_sub(1);
    let to = edges.partition_point(|&edge| edge <= last);
    Ok(edges[from..=to.min(edges.len() - 1)].to_vec())
}

fn calendar(first: i64, last: i64, count: i64, unit: CalendarUnit, zone: &TimeZone) -> Result<Vec<i64>> {
    let day = day_of(first, zone)?;
    let epoch = date(1970, 1, 1);
    let (start, days, months) = match unit {
        CalendarUnit::Day => {
            let since = i64::from(epoch.until(day).map_err(out_of_range)?.get_days());
            (later(epoch, since.div_euclid(count).saturating_mul(count))?, count, 0)
        }
        CalendarUnit::Week => {
            let monday = date(1970, 1, 5);
            let since = i64::from(monday.until(day).map_err(out_of_range)?.get_days());
            let length = count.saturating_mul(7);
            (later(monday, since.div_euclid(length).saturating_mul(length))?, length, 0)
        }
        CalendarUnit::Month | CalendarUnit::Quarter | CalendarUnit::Year => {
            let length = count.saturating_mul(match unit {
                CalendarUnit::Quarter => 3,
                CalendarUnit::Year => 12,
                _ => 1,
            });
            let since = i64::from(day.year()) * 12 + i64::from(day.month()) - 1;
            let start = since.div_euclid(length).saturating_mul(length);
            (month(start)?, 0, length)
        }
    };
    let mut edges = vec![begin(start, zone)?];
    let mut at = start;
    while edges.last().is_some_and(|&edge| edge <= last) {
        at = if months == 0 { later(at, days)? } else { month(months_of(at) + months)? };
        edges.push(begin(at, zone)?);
        if edges.len() > TIMELINE_BUCKETS {
            return Err(too_many());
        }
    }
    edges.dedup();
    Ok(edges)
}

fn months_of(day: Date) -> i64 {
    i64::from(day.year()) * 12 + i64::from(day.month()) - 1
}

fn month(months: i64) -> Result<Date> {
    let year = i16::try_from(months.div_euclid(12)).map_err(out_of_range)?;
    Date::new(year, months.rem_euclid(12) as i8 + 1, 1).map_err(out_of_range)
}

fn day_of(time: i64, zone: &TimeZone) -> Result<Date> {
    let stamp = Timestamp::from_nanosecond(i128::from(time)).map_err(out_of_range)?;
    Ok(stamp.to_zoned(zone.clone()).date())
}

fn later(day: Date, days: i64) -> Result<Date> {
    day.checked_add(jiff::Span::new().try_days(days).map_err(out_of_range)?).map_err(out_of_range)
}

/// The first instant of a day, which is not midnight where clocks change at midnight.
fn begin(day: Date, zone: &TimeZone) -> Result<i64> {
    let zoned = day.to_zoned(zone.clone()).and_then(|zoned| zoned.start_of_day()).map_err(out_of_range)?;
    Ok(whole(zoned.timestamp()))
}

fn instant(clock: &jiff::civil::DateTime, zone: &TimeZone) -> Result<i64> {
    Ok(whole(clock.to_zoned(zone.clone()).map_err(out_of_range)?.timestamp()))
}

/// Times outside the range of 64-bit nanoseconds saturate.
fn whole(stamp: Timestamp) -> i64 {
    let time = stamp.as_nanosecond();
    i64::try_from(time).unwrap_or(if time < 0 { i64::MIN + 1 } else { i64::MAX })
}

fn out_of_range(_: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::BadRequest, "these time buckets extend beyond the supported years")
}

fn too_many() -> Error {
    Error::new(ErrorKind::BadRequest, format!("these are more than {TIMELINE_BUCKETS} time buckets"))
        .hint("use a wider interval or a shorter range")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> i64 {
        base::stamp::parse(text).expect("a time")
    }

    fn shown(first: &str, last: &str, interval: &Interval, name: &str) -> Vec<String> {
        let zone = zone(name).expect("a zone");
        let edges = edges(time(first), time(last), interval, &zone).expect("buckets");
        edges.into_iter().map(base::stamp::to_rfc3339).collect()
    }

    #[test]
    fn days_are_as_long_as_the_zone_makes_them() {
        let days = shown(
            "2026-03-28T12:00:00Z",
            "2026-03-30T01:00:00Z",
            &Interval::Calendar(1, CalendarUnit::Day),
            "Europe/Berlin",
        );
        let expected =
            ["2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"];
        assert_eq!(days, expected);
        // The clock of Cairo springs forward at midnight: the day begins at one.
        let cairo = shown(
            "2026-04-24T12:00:00Z",
            "2026-04-24T12:00:00Z",
            &Interval::Calendar(1, CalendarUnit::Day),
            "Africa/Cairo",
        );
        assert_eq!(cairo, ["2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"]);
    }

    #[test]
    fn hours_repeat_and_quarter_days_keep_to_the_clock() {
        let hours =
            shown("2026-10-24T22:00:00Z", "2026-10-25T22:59:00Z", &Interval::Fixed(HOUR), "Europe/Berlin");
        assert_eq!(hours.len(), 26, "a day of 25 hours");
        let quarters = shown(
            "2026-10-25T00:00:00Z",
            "2026-10-25T22:00:00Z",
            &Interval::Fixed(6 * HOUR),
            "Europe/Berlin",
        );
        let expected = [
            "2026-10-24T22:00:00Z",
            "2026-10-25T05:00:00Z",
            "2026-10-25T11:00:00Z",
            "2026-10-25T17:00:00Z",
            "2026-10-25T23:00:00Z",
        ];
        assert_eq!(quarters, expected);
        let half =
            shown("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z", &Interval::Fixed(HOUR), "Asia/Kolkata");
        assert_eq!(half, ["2025-12-31T23:30:00Z", "2026-01-01T00:30:00Z"]);
    }

    #[test]
    fn weeks_months_quarters_and_years_begin_where_people_say() {
        let first = |unit, count| {
            shown("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", &Interval::Calendar(count, unit), "UTC")
        };
        assert_eq!(first(CalendarUnit::Week, 1), ["2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z"]);
        assert_eq!(first(CalendarUnit::Month, 1), ["2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]);
        assert_eq!(first(CalendarUnit::Quarter, 1), ["2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z"]);
        assert_eq!(first(CalendarUnit::Year, 10), ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"]);
    }

    #[test]
    fn every_time_is_in_a_bucket_and_there_are_not_more_than_asked_for() {
        let zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"];
        for (index, span) in
            [0, 5, 7_000_000, HOUR * 3, DAY * 3, DAY * 40, DAY * 900, DAY * 40_000].into_iter().enumerate()
        {
            let first = time("2011-12-29T09:59:59Z") + index as i64;
            for name in zones {
                let zone = zone(name).expect("a zone");
                let edges = edges(first, first + span, &Interval::Auto(60), &zone).expect("buckets");
                assert!(edges.is_sorted() && edges.len() <= 61, "{span} {name} {}", edges.len());
                assert!(edges[0] <= first && edges[edges.len() - 1] > first + span, "{span} {name}");
            }
        }
        let zone = TimeZone::UTC;
        let ends = [i64::MIN + 1, i64::MAX - 1];
        for interval in [Interval::Auto(60), Interval::Fixed(HOUR), Interval::Calendar(1, CalendarUnit::Year)]
        {
            let _ = edges(ends[0], ends[1], &interval, &zone);
            let _ = edges(ends[1], ends[1], &interval, &zone);
        }
        assert!(edges(0, DAY, &Interval::Fixed(1), &zone).is_err());
    }
}
