//! Parts of a time in UTC, and durations as rules write them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub const SECOND: i64 = 1_000_000_000;
pub const DAY: i64 = 86_400 * SECOND;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockPart {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

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

/// `10s`, `5m`, `1h30m`, `7d`, `2w` or `1M`, a month of 30 days, as nanoseconds.
pub fn duration(text: &str) -> Option<i64> {
    let months = text.trim().strip_suffix('M').and_then(|months| months.parse::<u32>().ok());
    match months {
        Some(months) => i64::from(months).checked_mul(30 * DAY),
        None => indexer::duration::parse(text),
    }
    .filter(|ns| *ns > 0)
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
    }
}
