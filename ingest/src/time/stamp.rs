//! A time as written in a line, and the most frequent spellings.

use jiff::civil::DateTime;

use super::civil::{DAY_NS, SECOND_NS, days_from_civil, last_day};
use super::digits::{byte, digit_run, four, fraction_ns, one_or_two, two};
use super::month_names::{is_letter, month, month_name, word_end};
use super::offset::{region_after, zone_after};
use super::time_of_day::{TimeOfDay, half_of_day, time_after_half, time_of_day, unusual_time_of_day};

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
    #[inline]
    pub(super) fn new(
        year: Option<i16>,
        month: u8,
        day: u8,
        time: TimeOfDay,
        zone: Option<i32>,
    ) -> Option<Stamp> {
        let TimeOfDay { hour, minute, second, nanos } = time;
        // Earlier and later years are typing errors or no dates at all, and would not fit nanoseconds.
        let is_date = year.is_none_or(|year| (1900..=2200).contains(&year))
            && (1..=12).contains(&month)
            && (1..=last_day(year, month)).contains(&day);
        is_date.then_some(Stamp { year, month, day, hour, minute, second, nanos, zone })
    }
}

impl Stamp {
    /// Nanoseconds of the wall clock; if no year was written, in the given one.
    pub(crate) fn wall_ns(&self, year: i32) -> i64 {
        let days = days_from_civil(self.year.map_or(year, i32::from), self.month, self.day);
        let minutes = i64::from(self.hour) * 60 + i64::from(self.minute);
        days * DAY_NS + (minutes * 60 + i64::from(self.second)) * SECOND_NS + i64::from(self.nanos)
    }

    /// Adds the zone of the region that may follow a stamp.
    #[cold]
    fn in_region(self, bytes: &[u8], end: usize) -> (Stamp, usize) {
        let small = |value: u8| i8::try_from(value).unwrap_or_default();
        let [month, day, hour, minute] = [self.month, self.day, self.hour, self.minute].map(small);
        let wall = DateTime::new(self.year.unwrap_or_default(), month, day, hour, minute, 0, 0).ok();
        match wall.and_then(|wall| region_after(bytes, end, wall)) {
            Some((zone, end)) => (Stamp { zone: Some(zone), ..self }, end),
            None => (self, end),
        }
    }
}

/// The year of two digits, by the rule of POSIX: 69 to 99 are of the last century.
#[inline]
pub(super) fn full_year(two_digits: u8) -> i16 {
    i16::from(two_digits) + if two_digits < 69 { 2000 } else { 1900 }
}

/// `2026-11-21T03:04:05.123+01:00` and similar: dashes, slashes, points or colons in the date, anything usual
/// before the time, a fraction, and any zone or none.
#[inline]
pub(crate) fn iso(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let separator = byte(bytes, at + 4);
    if !matches!(separator, b'-' | b'/' | b'.' | b'_' | b':') || byte(bytes, at + 7) != separator {
        return None;
    }
    let (year, month, day) = (four(bytes, at)?, two(bytes, at + 5)?, two(bytes, at + 8)?);
    let (time, end) = time_after_date(bytes, at + 10)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), month, day, time, zone)?, end))
}

/// The time of day after a date: after `T`, a space or another usual separator.
#[inline]
pub(super) fn time_after_date(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    if matches!(byte(bytes, at), b' ' | b'T')
        && let Some(found) = time_of_day(bytes, at + 1)
    {
        return Some(pointed_second(bytes, found).unwrap_or(found));
    }
    time_after_wide_gap(bytes, at)
}

/// `03:04.05`, `03:04.05.678`: a time of day whose seconds follow a point.
#[inline]
fn pointed_second(bytes: &[u8], (time, end): (TimeOfDay, usize)) -> Option<(TimeOfDay, usize)> {
    if byte(bytes, end) != b'.' {
        return None;
    }
    let second = two(bytes, end + 1).filter(|&second| second <= 59)?;
    let is_minute = byte(bytes, end - 3) == b':' && time.second == 0 && time.nanos == 0;
    let ends = !byte(bytes, end + 3).is_ascii_digit();
    let (nanos, after) = match byte(bytes, end + 3) {
        b'.' => fraction_ns(bytes, end + 4).unwrap_or((0, end + 3)),
        _ => (0, end + 3),
    };
    (is_minute && ends).then_some((TimeOfDay { second, nanos, ..time }, after))
}

/// Words between a date and a time.
const AT: [&[u8]; 7] = [b"time=", b"at ", b"um ", b"kl. ", "à ".as_bytes(), b"a las ", b"@ "];

fn time_after_wide_gap(bytes: &[u8], mut at: usize) -> Option<(TimeOfDay, usize)> {
    let separator = byte(bytes, at);
    if !matches!(
        separator,
        b' ' | b'\t' | b'T' | b't' | b'_' | b'-' | b':' | b',' | b'@' | b'|' | b'*' | b'.' | b']'
    ) {
        return None;
    }
    // The date alone is in brackets: `[2026.11.21] 03:04:05`.
    if separator == b']' && byte(bytes, at + 1) != b' ' {
        return None;
    }
    at += 1;
    at += spaces(bytes, at);
    if separator == b' ' || separator == b',' {
        if matches!(byte(bytes, at), b'-' | b'|') && byte(bytes, at + 1) == b' ' {
            at += 2;
        }
        at += AT.iter().find(|word| bytes[at..].starts_with(word)).map_or(0, |word| word.len());
    }
    let usual = time_of_day(bytes, at).or_else(|| time_after_half(bytes, at));
    if separator == b'.' {
        return usual;
    }
    // Six bare digits after a space are any number; after a dash or the like they are a time.
    let tight = |at: usize| separator != b' ' || !byte(bytes, at + 2).is_ascii_digit();
    usual.or_else(|| if tight(at) { unusual_time_of_day(bytes, at) } else { None })
}

/// The number of spaces here, up to the few that alignment needs.
#[inline]
fn spaces(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(2).take_while(|&&byte| byte == b' ').count()
}

/// `21/Nov/2026:03:04:05 +0100` of access logs, also with dashes, spaces or nothing between, a month in any
/// language, and without a year.
#[inline]
pub(crate) fn day_month_year(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (day, name) = one_or_two(bytes, at)?;
    let separator = byte(bytes, name);
    if matches!(separator, b'/' | b'-' | b' ')
        && byte(bytes, name + 4) == separator
        && let Some(month) = month_name(bytes, name + 1)
        && let Some(year) = four(bytes, name + 5)
        && matches!(byte(bytes, name + 9), b':' | b' ' | b'T')
        && let Some((time, end)) = time_of_day(bytes, name + 10)
    {
        let (zone, end) = optional_zone(bytes, end);
        let stamp = Stamp::new(Some(year), month, day, time, zone)?;
        let has_region =
            zone.is_none() && byte(bytes, end) == b' ' && byte(bytes, end + 1).is_ascii_uppercase();
        return Some(if has_region { stamp.in_region(bytes, end) } else { (stamp, end) });
    }
    day_name_year(bytes, name, day)
}

/// `de `, `of `: words between the parts of a date.
#[inline]
fn skip_connective(bytes: &[u8], at: usize) -> usize {
    let word = [&b"de "[..], b"of ", b"del "].into_iter().find(|word| bytes[at..].starts_with(word));
    at + word.map_or(0, <[u8]>::len)
}

fn day_name_year(bytes: &[u8], after_day: usize, day: u8) -> Option<(Stamp, usize)> {
    let mut at = after_day + usize::from(byte(bytes, after_day) == b'.');
    let separator = byte(bytes, at);
    let separated = matches!(separator, b'/' | b'-' | b' ');
    at += usize::from(separated);
    // Chinese has the number of the month here: `212月2026`.
    if !is_letter(byte(bytes, at)) && (separated || !byte(bytes, at).is_ascii_digit()) {
        return None;
    }
    at = skip_connective(bytes, at);
    let (month, mut end) = month(bytes, at)?;
    let parted = matches!(byte(bytes, end), b'/' | b'-' | b' ');
    if parted != separated {
        return None;
    }
    // `21 Nov 03:04:05`, `21-Nov 03:04`: no year.
    if separated
        && byte(bytes, end) == b' '
        && let Some((time, end)) = time_after_date(bytes, end)
    {
        return yearless(bytes, month, day, time, end);
    }
    end = skip_connective(bytes, end + usize::from(parted));
    let (year, end) = match digit_run(bytes, end) {
        4 => (four(bytes, end)?, end + 4),
        2 => (full_year(two(bytes, end)?), end + 2),
        _ => return None,
    };
    let (time, end) = time_after_date(bytes, end)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), month, day, time, zone)?, end))
}

/// `Nov 21 03:04:05` of syslog, also `Nov 21st 03:04`, `Nov 21 2026 03:04:05`, `November 21, 2026 at 3:04:05 PM` and `Nov 21
/// 03:04:05 2026` of `date` and `ctime`; a month in any language.
#[inline]
pub(crate) fn month_day(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (month, end) = match month_name(bytes, at) {
        Some(month) if byte(bytes, at + 3) == b' ' => (month, at + 3),
        _ => long_month(bytes, at)?,
    };
    let (day, mut next) = one_or_two(bytes, end + 1)?;
    next += ordinal(bytes, next);
    next += usize::from(matches!(byte(bytes, next), b',' | b'.'));
    if byte(bytes, next) != b' ' {
        return None;
    }
    let leading_year = match byte(bytes, next + 5) {
        b' ' | b',' => four(bytes, next + 1),
        _ => None,
    };
    if leading_year.is_some() {
        let (time, end) = time_after_date(bytes, next + 5)?;
        let (zone, end) = optional_zone(bytes, end);
        return Some((Stamp::new(leading_year, month, day, time, zone)?, end));
    }
    let (time, end) = time_after_date(bytes, next)?;
    yearless(bytes, month, day, time, end)
}

/// The length of the letters that make a number an ordinal.
fn ordinal(bytes: &[u8], at: usize) -> usize {
    let is_ordinal = byte(bytes, at).is_ascii_lowercase()
        && [&b"th"[..], b"st", b"nd", b"rd"].iter().any(|end| bytes[at..].starts_with(end));
    if is_ordinal { 2 } else { 0 }
}

/// `Nov-21-26 03:04:05`, `nov/21/2026 03:04:05`, `nov/21 03:04:05`, `Nov21 03:04:05`: the English abbreviation
/// and numbers.
pub(super) fn month_day_joined(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let separator = byte(bytes, at + 3);
    if separator.is_ascii_digit() {
        let month = month_name(bytes, at)?;
        let (day, end) = one_or_two(bytes, at + 3)?;
        let (time, end) = (byte(bytes, end) == b' ').then(|| time_of_day(bytes, end + 1))??;
        return yearless(bytes, month, day, time, end);
    }
    if !matches!(separator, b'-' | b'/') {
        return None;
    }
    let (month, day) = (month_name(bytes, at)?, two(bytes, at + 4)?);
    let (year, end) = match (byte(bytes, at + 6) == separator, digit_run(bytes, at + 7)) {
        (true, 4) => (Some(four(bytes, at + 7)?), at + 11),
        (true, 2) => (Some(full_year(two(bytes, at + 7)?)), at + 9),
        (true, _) => return None,
        (false, _) => (None, at + 6),
    };
    let (time, end) = time_after_date(bytes, end)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(year, month, day, time, zone)?, end))
}

/// The month of a name that is not an English abbreviation. Only looked up if a day follows.
fn long_month(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let mut end = word_end(bytes, at);
    end += usize::from(byte(bytes, end) == b'.');
    let day = end + 1 + usize::from(byte(bytes, end + 1) == b' ');
    let day_end = day + digit_run(bytes, day);
    let is_day = matches!(day_end - day, 1 | 2) && matches!(byte(bytes, day_end), b' ' | b',' | b'.');
    if byte(bytes, end) != b' ' || !is_day {
        return None;
    }
    month(bytes, at).filter(|&(_, month_end)| month_end == end)
}

/// The text after a time whose year did not precede it: a zone, and then perhaps the year.
#[inline]
pub(super) fn yearless(
    bytes: &[u8],
    month: u8,
    day: u8,
    time: TimeOfDay,
    end: usize,
) -> Option<(Stamp, usize)> {
    let (zone, after_zone) = optional_zone(bytes, end);
    if byte(bytes, after_zone) == b' '
        && let Some(year @ 1970..=2200) = four(bytes, after_zone + 1)
        && !byte(bytes, after_zone + 5).is_ascii_alphanumeric()
        && !continues_number(bytes, after_zone + 5)
    {
        let mut time = time;
        let mut end = after_zone + 5;
        if zone.is_none()
            && let Some((zone, after)) = zone_after(bytes, end)
        {
            return Some((Stamp::new(Some(year), month, day, time, Some(zone))?, after));
        }
        if let Some((hour, after)) = half_of_day(bytes, end, time.hour) {
            (time.hour, end) = (hour, after);
        }
        return Some((Stamp::new(Some(year), month, day, time, zone)?, end));
    }
    // In syslog a host is in this place, and its name may begin like a zone.
    let is_zone = matches!(byte(bytes, after_zone), b' ' | b':' | 0);
    let (zone, end) = if is_zone { (zone, after_zone) } else { (None, end) };
    Some((Stamp::new(None, month, day, time, zone)?, end))
}

/// Whether a number that looks like a year is part of a version, an address or a path.
fn continues_number(bytes: &[u8], at: usize) -> bool {
    matches!(byte(bytes, at), b'.' | b'-' | b'_')
        || byte(bytes, at) == b'/' && byte(bytes, at + 1).is_ascii_alphanumeric()
}

#[inline]
pub(super) fn optional_zone(bytes: &[u8], at: usize) -> (Option<i32>, usize) {
    match zone_after(bytes, at) {
        Some((zone, end)) => (Some(zone), end),
        None => (None, at),
    }
}
