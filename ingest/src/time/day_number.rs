//! Days that are counted: the day of a year before a time of day, as mainframes write it (`26325
//! 03:04:05.67`), the modified Julian date before the seconds since midnight (`61365 11045.678`), and the days
//! since 1601 before a time of day with its unit (`155552 03:04:05.6789012s`). Any numbers could look like
//! these, so they count only if most lines of a source have them in the same position.

use super::civil::{civil_from_days, days_from_civil, is_leap};
use super::digits::{byte, digit_run, fraction_ns, number};
use super::stamp::{Stamp, full_year};
use super::time_of_day::{TimeOfDay, time_of_day};

/// The day 1970-01-01 in each count.
const MODIFIED_JULIAN: i64 = 40_587;
const SINCE_1601: i64 = 134_774;

/// Logs were written on these days since 1970: from 1990 to 2099.
const DAYS: std::ops::Range<i64> = 7_305..47_482;

const SECONDS_PER_DAY: i64 = 86_400;

/// The last two counts are those of time servers, whose times are UTC.
const UTC: Option<i32> = Some(0);

pub(crate) fn day_number(line: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let digits = digit_run(line, at);
    let value = number(line.get(at..at + digits)?).filter(|_| (5..=7).contains(&digits))?;
    let time_at = at + digits + 1;
    if byte(line, time_at - 1) != b' ' {
        return None;
    }
    match digits {
        5 => of_two_digit_year(line, value, time_at).or_else(|| of_julian_date(line, value, time_at)),
        6 => {
            let (time, end) = time_of_day(line, time_at)?;
            let is_unit = byte(line, end) == b's' && matches!(byte(line, end + 1), b' ' | 0);
            is_unit.then(|| Some((stamp(value - SINCE_1601, time, UTC)?, end + 1)))?
        }
        _ => {
            let (time, end) = time_of_day(line, time_at)?;
            Some((stamp(day_of_year(value / 1_000, value % 1_000)?, time, None)?, end))
        }
    }
}

/// With hundredths of a second, which the number of a process before a time of day does not have.
fn of_two_digit_year(line: &[u8], value: i64, time_at: usize) -> Option<(Stamp, usize)> {
    let (time, end) = time_of_day(line, time_at)?;
    if end != time_at + "03:04:05.67".len() {
        return None;
    }
    let year = full_year(u8::try_from(value / 1_000).ok()?);
    Some((stamp(day_of_year(i64::from(year), value % 1_000)?, time, None)?, end))
}

fn of_julian_date(line: &[u8], value: i64, time_at: usize) -> Option<(Stamp, usize)> {
    let digits = digit_run(line, time_at);
    let second = number(line.get(time_at..time_at + digits)?).filter(|second| *second < SECONDS_PER_DAY)?;
    let point = time_at + digits;
    let (nanos, end) = (byte(line, point) == b'.').then(|| fraction_ns(line, point + 1)).flatten()?;
    let part = |value: i64| u8::try_from(value).ok();
    let (hour, minute) = (part(second / 3_600)?, part(second / 60 % 60)?);
    let time = TimeOfDay { hour, minute, second: part(second % 60)?, nanos };
    (byte(line, end) == b' ').then(|| Some((stamp(value - MODIFIED_JULIAN, time, UTC)?, end)))?
}

fn stamp(days: i64, time: TimeOfDay, zone: Option<i32>) -> Option<Stamp> {
    let (year, month, day) = DAYS.contains(&days).then(|| civil_from_days(days))?;
    Stamp::new(Some(i16::try_from(year).ok()?), month, day, time, zone)
}

/// The number of a day since 1970.
fn day_of_year(year: i64, day: i64) -> Option<i64> {
    let year = i32::try_from(year).ok()?;
    let exists = (1..=365 + i64::from(is_leap(year))).contains(&day);
    exists.then(|| days_from_civil(year, 1, 1) + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_in_four_ways() {
        let read = |text: &str| {
            day_number(text.as_bytes(), 0).map(|(stamp, end)| {
                let Stamp { month, day, hour, minute, second, .. } = stamp;
                assert_eq!((stamp.year, month, day, hour, minute, second), (Some(2026), 11, 21, 3, 4, 5));
                (stamp.zone, end)
            })
        };
        assert_eq!(read("26325 03:04:05.67 JOB1"), Some((None, 17)));
        assert_eq!(read("2026325 03:04:05 x"), Some((None, 16)));
        assert_eq!(read("61365 11045.678 0.1"), Some((Some(0), 15)));
        assert_eq!(read("155552 03:04:05.6789012s - x"), Some((Some(0), 24)));
        // The number of a process, a day that does not exist, seconds beyond the day.
        for text in
            ["26325 03:04:05 x", "26366 03:04:05.67 x", "61365 86500.1 x", "155552 03:04:05 x", "12 3"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
