//! Elasticsearch's dates: `2026-03-01T14:05:00Z`, milliseconds since 1970, and date math such as `now-15m`,
//! `now/d` and `2026-03-01||+1M/d`. Intervals and zones of histograms are read here too.

use indexer::aggregate::{CalendarUnit, Interval, TimeZone, zone as named_zone};
use indexer::query::time::{Period, TimeExpr};
use jiff::civil::{self, DateTime};
use jiff::tz::Offset;
use jiff::{Span, Timestamp, ToSpan};

use crate::http::answer::Problem;

pub const MS: i64 = 1_000_000;

/// The moment a search is asked at, and the zone of dates that name none.
#[derive(Clone, Debug)]
pub struct SearchClock {
    pub now: i64,
    pub zone: TimeZone,
}

impl SearchClock {
    pub fn new() -> SearchClock {
        let now = Timestamp::now().as_nanosecond();
        SearchClock { now: i64::try_from(now).unwrap_or(i64::MAX), zone: TimeZone::UTC }
    }

    /// The period that a date means: the day, the minute or the millisecond that it names. After date math it is the
    /// unit that was rounded to, or an instant.
    pub fn period(&self, date: &str, format: Option<&str>) -> Option<Period> {
        let date = date.trim();
        if let Some(math) = date.strip_prefix("now") {
            return self.math(Period { from: self.now, to: self.now.checked_add(1)? }, math);
        }
        match date.split_once("||") {
            Some((date, math)) => self.math(self.plain(date, format)?, math),
            None => self.plain(date, format),
        }
    }

    fn plain(&self, date: &str, format: Option<&str>) -> Option<Period> {
        let formats: Vec<&str> = format.unwrap_or_default().split("||").collect();
        let is_number =
            !date.is_empty() && date.strip_prefix('-').unwrap_or(date).bytes().all(|b| b.is_ascii_digit());
        if is_number {
            let number: i64 = date.parse().ok()?;
            if formats.contains(&"epoch_second") {
                let from = number.checked_mul(1_000 * MS)?;
                return Some(Period { from, to: from.checked_add(1_000 * MS)? });
            }
            // A year is the only date of four digits.
            if date.len() > 4 || formats.contains(&"epoch_millis") {
                let from = number.checked_mul(MS)?;
                return Some(Period { from, to: from.checked_add(MS)? });
            }
        }
        if !date.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        TimeExpr::parse(&format!("@{date}"))?.period(self.now, &self.zone)
    }

    fn math(&self, mut period: Period, mut math: &str) -> Option<Period> {
        let is_shifted_only = |rest: &str| !rest.contains('/');
        if math.is_empty() {
            return Some(period);
        }
        let at_instant = is_shifted_only(math);
        while let Some(sign) = math.chars().next() {
            let rest = &math[sign.len_utf8()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let count: i64 = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
            let unit = rest[digits..].chars().next()?;
            math = &rest[digits + unit.len_utf8()..];
            let start = self.civil(period.from)?;
            period.from = match sign {
                '+' => self.instant(start.checked_add(span(unit, count)?).ok()?)?,
                '-' => self.instant(start.checked_sub(span(unit, count)?).ok()?)?,
                '/' if digits == 0 => {
                    let floor = floor(start, unit)?;
                    period.to = self.instant(floor.checked_add(span(unit, 1)?).ok()?)?;
                    self.instant(floor)?
                }
                _ => return None,
            };
            if sign != '/' {
                period.to = period.from.checked_add(1)?;
            }
        }
        if at_instant {
            period.to = period.from.checked_add(1)?;
        }
        Some(period)
    }

    fn civil(&self, at: i64) -> Option<DateTime> {
        let stamp = Timestamp::from_nanosecond(i128::from(at)).ok()?;
        Some(self.zone.to_datetime(stamp))
    }

    fn instant(&self, at: DateTime) -> Option<i64> {
        i64::try_from(self.zone.to_timestamp(at).ok()?.as_nanosecond()).ok()
    }
}

fn span(unit: char, count: i64) -> Option<Span> {
    Some(match unit {
        'y' => count.try_into().ok().map(|count: i32| count.years())?,
        'M' => count.try_into().ok().map(|count: i32| count.months())?,
        'w' => count.try_into().ok().map(|count: i32| count.weeks())?,
        'd' => count.try_into().ok().map(|count: i32| count.days())?,
        'h' | 'H' => count.try_into().ok().map(|count: i32| count.hours())?,
        'm' => count.minutes(),
        's' => count.seconds(),
        _ => return None,
    })
}

fn floor(at: DateTime, unit: char) -> Option<DateTime> {
    let date = at.date();
    let midnight = |date: civil::Date| date.at(0, 0, 0, 0);
    Some(match unit {
        'y' => midnight(civil::date(at.year(), 1, 1)),
        'M' => midnight(date.first_of_month()),
        'w' => midnight(date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days()).ok()?),
        'd' => midnight(date),
        'h' | 'H' => date.at(at.hour(), 0, 0, 0),
        'm' => date.at(at.hour(), at.minute(), 0, 0),
        's' => date.at(at.hour(), at.minute(), at.second(), 0),
        _ => return None,
    })
}

/// A zone by its name or as an offset such as `+02:00`.
pub fn zone(text: &str) -> Result<TimeZone, Problem> {
    if text == "Z" {
        return Ok(TimeZone::UTC);
    }
    let offset = || {
        let (sign, rest) =
            if let Some(rest) = text.strip_prefix('+') { (1, rest) } else { (-1, text.strip_prefix('-')?) };
        let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
        let (hours, minutes): (i32, i32) =
            (hours.parse().ok()?, if minutes.is_empty() { 0 } else { minutes.parse().ok()? });
        Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
    };
    match offset() {
        Some(offset) => Ok(offset.to_time_zone()),
        None => named_zone(text).map_err(Problem::from),
    }
}

/// A fixed interval: a number and `ms`, `s`, `m`, `h` or `d`.
pub fn fixed_interval(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let count: i64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "ms" => MS,
        "s" => 1_000 * MS,
        "m" => 60_000 * MS,
        "h" => 3_600_000 * MS,
        "d" => 86_400_000 * MS,
        _ => return None,
    };
    count.checked_mul(unit).filter(|&width| width > 0)
}

pub fn calendar_interval(text: &str) -> Option<Interval> {
    Some(match text {
        "minute" | "1m" => Interval::Fixed(60_000 * MS),
        "hour" | "1h" => Interval::Fixed(3_600_000 * MS),
        "day" | "1d" => Interval::Calendar(1, CalendarUnit::Day),
        "week" | "1w" => Interval::Calendar(1, CalendarUnit::Week),
        "month" | "1M" => Interval::Calendar(1, CalendarUnit::Month),
        "quarter" | "1q" => Interval::Calendar(1, CalendarUnit::Quarter),
        "year" | "1y" => Interval::Calendar(1, CalendarUnit::Year),
        _ => return None,
    })
}

/// The edge so many buckets after another one, or before it.
pub fn step(edge: i64, interval: &Interval, zone: &TimeZone, count: i64) -> Option<i64> {
    let clock = SearchClock { now: 0, zone: zone.clone() };
    let (unit, each) = match interval {
        Interval::Fixed(width) => return edge.checked_add(width.checked_mul(count)?),
        Interval::Auto(_) => return None,
        Interval::Calendar(each, CalendarUnit::Day) => ('d', i64::from(*each)),
        Interval::Calendar(each, CalendarUnit::Week) => ('w', i64::from(*each)),
        Interval::Calendar(each, CalendarUnit::Month) => ('M', i64::from(*each)),
        Interval::Calendar(each, CalendarUnit::Quarter) => ('M', 3 * i64::from(*each)),
        Interval::Calendar(each, CalendarUnit::Year) => ('y', i64::from(*each)),
    };
    clock.instant(clock.civil(edge)?.checked_add(span(unit, each * count)?).ok()?)
}

/// A time as `strict_date_optional_time` prints it, in a zone, or in a format that was asked for.
pub fn printed(at: i64, zone: &TimeZone, format: Option<&str>) -> Result<String, Problem> {
    let stamp =
        Timestamp::from_nanosecond(i128::from(at)).map_err(|error| Problem::argument(error.to_string()))?;
    let zoned = stamp.to_zoned(zone.clone());
    let offset = if zoned.offset().is_zero() { "Z" } else { "%:z" };
    let layout = match format.map(|format| format.split("||").next().unwrap_or_default()) {
        None
        | Some("strict_date_optional_time" | "date_optional_time" | "strict_date_time" | "date_time") => {
            format!("%Y-%m-%dT%H:%M:%S.%3f{offset}")
        }
        Some("strict_date_optional_time_nanos") => format!("%Y-%m-%dT%H:%M:%S.%9f{offset}"),
        Some("epoch_millis") => return Ok(at.div_euclid(MS).to_string()),
        Some("epoch_second") => return Ok(at.div_euclid(1_000 * MS).to_string()),
        Some(pattern) => strftime(pattern)
            .ok_or_else(|| Problem::argument(format!("the date format [{pattern}] is not supported")))?,
    };
    Ok(zoned.strftime(&layout).to_string())
}

/// The parts that patterns of Java's dates are usually made of.
fn strftime(pattern: &str) -> Option<String> {
    let parts = [
        ("yyyy", "%Y"),
        ("uuuu", "%Y"),
        ("MM", "%m"),
        ("dd", "%d"),
        ("HH", "%H"),
        ("mm", "%M"),
        ("ss", "%S"),
        ("SSS", "%3f"),
        ("XXX", "%:z"),
        ("'T'", "T"),
        ("'Z'", "Z"),
    ];
    let mut layout = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some((java, own)) = parts.iter().find(|(java, _)| rest.starts_with(java)) {
            layout.push_str(own);
            rest = &rest[java.len()..];
        } else if first.is_ascii_alphabetic() || matches!(first, '\'' | '%') {
            return None;
        } else {
            layout.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(layout)
}

#[cfg(test)]
mod tests {
    use indexer::stamp;

    use super::*;

    fn period(date: &str, zone: TimeZone) -> Option<(String, String)> {
        let clock = SearchClock { now: stamp::parse("2026-03-14T15:09:26.5Z").expect("a time"), zone };
        let period = clock.period(date, None)?;
        Some((stamp::to_rfc3339(period.from), stamp::to_rfc3339(period.to)))
    }

    #[test]
    fn dates_mean_what_they_mean_in_elasticsearch() {
        for (date, from, to) in [
            ("2026-03-01", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"),
            ("2026", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2026-03-01T14:05:00.250Z", "2026-03-01T14:05:00.25Z", "2026-03-01T14:05:00.251Z"),
            ("2026-03-01T14:05:00+02:00", "2026-03-01T12:05:00Z", "2026-03-01T12:05:01Z"),
            ("1772323200000", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00.001Z"),
            ("now", "2026-03-14T15:09:26.5Z", "2026-03-14T15:09:26.500000001Z"),
            ("now-15m", "2026-03-14T14:54:26.5Z", "2026-03-14T14:54:26.500000001Z"),
            ("now/d", "2026-03-14T00:00:00Z", "2026-03-15T00:00:00Z"),
            ("now-1M/M", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
            ("now/w", "2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"),
            ("now/d+8h", "2026-03-14T08:00:00Z", "2026-03-14T08:00:00.000000001Z"),
            ("2026-03-31||-1M/d", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"),
        ] {
            assert_eq!(period(date, TimeZone::UTC), Some((from.to_owned(), to.to_owned())), "{date}");
        }
        for date in
            ["", "soon", "now-", "now-x", "now/", "now/2d", "2026-03-01||", "now+99999999999y", "x||+1d"]
        {
            let ok = date == "2026-03-01||";
            assert_eq!(period(date, TimeZone::UTC).is_some(), ok, "{date}");
        }
        let berlin = zone("Europe/Berlin").expect("a zone");
        assert_eq!(
            period("2026-03-29", berlin),
            Some(("2026-03-28T23:00:00Z".to_owned(), "2026-03-29T22:00:00Z".to_owned()))
        );
    }

    #[test]
    fn intervals_zones_and_formats_are_read() {
        assert_eq!(fixed_interval("90s"), Some(90_000 * MS));
        assert_eq!(fixed_interval("1M"), None);
        assert_eq!(fixed_interval("0s"), None);
        assert_eq!(calendar_interval("1M"), Some(Interval::Calendar(1, CalendarUnit::Month)));
        let at = stamp::parse("2026-03-01T14:05:09.123456Z").expect("a time");
        let zoned = zone("+02:30").expect("an offset");
        assert_eq!(printed(at, &TimeZone::UTC, None).as_deref(), Ok("2026-03-01T14:05:09.123Z"));
        assert_eq!(printed(at, &zoned, None).as_deref(), Ok("2026-03-01T16:35:09.123+02:30"));
        assert_eq!(printed(at, &TimeZone::UTC, Some("yyyy-MM-dd HH:mm")).as_deref(), Ok("2026-03-01 14:05"));
        assert_eq!(printed(at, &TimeZone::UTC, Some("epoch_millis")).as_deref(), Ok("1772373909123"));
        assert!(printed(at, &TimeZone::UTC, Some("EEE")).is_err());
        assert!(zone("Mars/Olympus").is_err());
        let month = calendar_interval("month").expect("an interval");
        let edge = stamp::parse("2026-01-01").expect("a time");
        assert_eq!(step(edge, &month, &TimeZone::UTC, 2), stamp::parse("2026-03-01"));
        assert_eq!(step(edge, &month, &TimeZone::UTC, -1), stamp::parse("2025-12-01"));
    }
}
