//! A time as it is written in a line, and the spellings that are read.

use super::civil::last_day;
use super::clock::{TimeOfDay, time_of_day, zone_after};
use super::digits::{byte, four, one_or_two, two};

/// A date and time as written: perhaps without a year, perhaps without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub year: Option<i16>,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanos: u32,
    /// Seconds east of UTC.
    pub zone: Option<i32>,
}

impl Stamp {
    fn new(year: Option<i16>, month: u8, day: u8, time: &TimeOfDay, zone: Option<i32>) -> Option<Stamp> {
        let TimeOfDay { hour, minute, second, nanos } = *time;
        // Earlier and later years are typing errors or no dates at all, and would not fit nanoseconds.
        let is_date = year.is_none_or(|year| (1900..=2200).contains(&year))
            && (1..=12).contains(&month)
            && (1..=last_day(year, month)).contains(&day);
        is_date.then_some(Stamp { year, month, day, hour, minute, second, nanos, zone })
    }
}

/// `2026-11-21T03:04:05.123+01:00` and its kin: dashes, slashes or points in the date, `T` or a space
/// before the time, a fraction after a point or comma, and any zone or none.
#[inline]
pub(crate) fn iso(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let separator = byte(bytes, at + 4);
    if !matches!(separator, b'-' | b'/' | b'.') || byte(bytes, at + 7) != separator {
        return None;
    }
    let (year, month, day) = (four(bytes, at)?, two(bytes, at + 5)?, two(bytes, at + 8)?);
    if !matches!(byte(bytes, at + 10), b'T' | b' ' | b't') {
        return None;
    }
    let (time, end) = time_of_day(bytes, at + 11)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), month, day, &time, zone)?, end))
}

/// `21/Nov/2026:03:04:05 +0100` of access logs, also with dashes or spaces and a space before the time.
#[inline]
pub(crate) fn day_month_year(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (day, name) = one_or_two(bytes, at)?;
    let separator = byte(bytes, name);
    if !matches!(separator, b'/' | b'-' | b' ') || byte(bytes, name + 4) != separator {
        return None;
    }
    let (month, year) = (month_name(bytes, name + 1)?, four(bytes, name + 5)?);
    if !matches!(byte(bytes, name + 9), b':' | b' ' | b'T') {
        return None;
    }
    let (time, end) = time_of_day(bytes, name + 10)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), month, day, &time, zone)?, end))
}

/// `Nov 21 03:04:05` of syslog, also `Nov 21 2026 03:04:05`, `Nov 21, 2026 3:04:05 PM` and, as `date`
/// and `ctime` write it, `Nov 21 03:04:05 2026`.
#[inline]
pub(crate) fn month_day(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let month = month_name(bytes, at)?;
    if byte(bytes, at + 3) != b' ' {
        return None;
    }
    let (day, mut next) = one_or_two(bytes, at + 4)?;
    next += usize::from(byte(bytes, next) == b',');
    if byte(bytes, next) != b' ' {
        return None;
    }
    next += 1;
    let leading_year = match byte(bytes, next + 4) {
        b' ' => four(bytes, next),
        _ => None,
    };
    if leading_year.is_some() {
        let (time, end) = time_of_day(bytes, next + 5)?;
        let (zone, end) = optional_zone(bytes, end);
        return Some((Stamp::new(leading_year, month, day, &time, zone)?, end));
    }
    let (time, end) = time_of_day(bytes, next)?;
    let (zone, after_zone) = optional_zone(bytes, end);
    if byte(bytes, after_zone) == b' '
        && let Some(year @ 1970..=2200) = four(bytes, after_zone + 1)
        && !byte(bytes, after_zone + 5).is_ascii_alphanumeric()
    {
        return Some((Stamp::new(Some(year), month, day, &time, zone)?, after_zone + 5));
    }
    // The year and the zone of a source are settled together, so a zone without a year is left unread.
    Some((Stamp::new(None, month, day, &time, None)?, end))
}

#[inline]
fn optional_zone(bytes: &[u8], at: usize) -> (Option<i32>, usize) {
    match zone_after(bytes, at) {
        Some((zone, end)) => (Some(zone), end),
        None => (None, at),
    }
}

#[inline]
pub(crate) fn month_name(bytes: &[u8], at: usize) -> Option<u8> {
    let &[a, b, c] = bytes.get(at..)?.first_chunk::<3>()?;
    Some(match &[a | 0x20, b | 0x20, c | 0x20] {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    })
}
