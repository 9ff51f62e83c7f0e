//! Parts of a time in UTC, and durations as rules write them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::sigma::ClockPart;

pub const SECOND: i64 = 1_000_000_000;
pub const DAY: i64 = 86_400 * SECOND;

/// A part of a time: the minute of its hour, the day of its month, the week of its year by ISO 8601.
pub fn part(time: i64, unit: ClockPart) -> i64 {
    let time = Timestamp::from_nanosecond(i128::from(time)).unwrap_or_default().to_zoned(TimeZone::UTC);
    match unit {
        ClockPart::Minute => i64::from(time.minute()),
        ClockPart::Hour => i64::from(time.hour()),
        ClockPart::Day => i64::from(time.day()),
        ClockPart::Month => i64::from(time.month()),
        ClockPart::Year => i64::from(time.year()),
        ClockPart::Week => i64::from(time.date().iso_week_date().week()),
    }
}

/// `10s`, `5m`, `1h30m`, `7d`, `2w`: numbers with units, as nanoseconds.
pub fn duration(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("ms", 1_000_000),
        ("s", SECOND),
        ("m", 60 * SECOND),
        ("h", 3_600 * SECOND),
        ("d", DAY),
        ("w", 7 * DAY),
        ("M", 30 * DAY),
    ];
    let mut rest = text.trim();
    let mut total = 0_i64;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|&digits| digits > 0)?;
        let number: i64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let (unit, unit_ns) = UNITS.into_iter().find(|(unit, _)| after.starts_with(unit))?;
        total = total.checked_add(number.checked_mul(unit_ns)?)?;
        rest = after[unit.len()..].trim_start();
    }
    (total > 0).then_some(total)
}

/// `1h30m`: the largest of the units that it needs, at most so many.
pub fn written(ns: i64, units: usize) -> String {
    const UNITS: [(&str, i64); 5] =
        [("d", DAY), ("h", 3_600 * SECOND), ("m", 60 * SECOND), ("s", SECOND), ("ms", 1_000_000)];
    let mut rest = ns.max(1_000_000);
    let parts = UNITS.map(|(unit, size)| {
        let count = rest / size;
        rest %= size;
        (count, unit)
    });
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or_default();
    let shown = parts[first..].iter().take(units).filter(|(count, _)| *count > 0);
    shown.map(|(count, unit)| format!("{count}{unit}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        indexer::stamp::parse(text).expect("a time")
    }

    #[test]
    fn parts_of_times() {
        let time = at("2024-02-29T23:59:58Z");
        let parts = [
            ClockPart::Year,
            ClockPart::Month,
            ClockPart::Day,
            ClockPart::Hour,
            ClockPart::Minute,
            ClockPart::Week,
        ];
        assert_eq!(parts.map(|unit| part(time, unit)), [2024, 2, 29, 23, 59, 9]);
        for (text, week) in
            [("2021-01-03", 53), ("2021-01-04", 1), ("2026-12-31", 53), ("1969-12-31", 1), ("2023-01-01", 52)]
        {
            assert_eq!(part(at(text), ClockPart::Week), week, "{text}");
        }
        assert_eq!(part(at("1960-03-01"), ClockPart::Month), 3);
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("1h30m"), Some(5_400 * SECOND));
        assert_eq!(duration("2M"), Some(60 * DAY));
        assert_eq!(
            (duration(""), duration("5"), duration("h"), duration("0s"), duration("5x")),
            (None, None, None, None, None)
        );
        let cut = written(2 * 3_600 * SECOND + 3 * 60 * SECOND + 17 * SECOND, 2);
        assert_eq!((&*cut, &*written(DAY + SECOND, 2), &*written(DAY + SECOND, 5)), ("2h3m", "1d", "1d1s"));
    }
}
