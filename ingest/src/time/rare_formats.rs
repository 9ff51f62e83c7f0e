//! Rare spellings: digits without separators, weeks and ordinal days, Chinese, Japanese and Korean dates,
//! glog's letter and number, and TAI64N.

use super::civil::{DAY_NS, SECOND_NS, civil_from_days, days_from_civil, is_leap};
use super::digits::{byte, digit_run, four, fraction_ns, one_or_two, two};
use super::month_names::{is_letter, month};
use super::stamp::{Stamp, full_year, optional_zone, time_after_date};
use super::time_of_day::{
    TimeOfDay, time_after_half, time_of_day, unpadded_time_of_day, unusual_time_of_day,
};

/// `20261121T030405Z`, `20261121 03:04:05`, `20261121-3:4:5:67`, `261121 3:04:05` (MySQL): a date without
/// separators, distinguished from other numbers by the character between it and the time, or within the time.
pub(crate) fn compact(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (year, month_at) = match digit_run(bytes, at) {
        8 => (four(bytes, at)?, at + 4),
        6 => (full_year(two(bytes, at)?), at + 2),
        _ => return None,
    };
    let (month, day) = (two(bytes, month_at)?, two(bytes, month_at + 2)?);
    let unpadded = || unpadded_time_of_day(bytes, month_at + 5);
    let joined = (byte(bytes, month_at + 4) == b'-').then(unpadded).flatten();
    // A point precedes the time only if one precedes the fraction too; a slash is also one of Automic.
    let is_pointed =
        month_at == at + 4 && matches!(byte(bytes, at + 8), b'.' | b'/') && digit_run(bytes, at + 9) == 6;
    let pointed = is_pointed.then(|| unusual_time_of_day(bytes, at + 9)).flatten();
    let (mut time, mut end) = joined.or(pointed).or_else(|| time_after_date(bytes, month_at + 4))?;
    // Six digits after colons alone are a process: `20261121:03:04:05:002731`.
    if byte(bytes, month_at + 4) == b':' && time.nanos > 0 && byte(bytes, end.saturating_sub(7)) == b':' {
        (time.nanos, end) = (0, end - 7);
    }
    let (zone, end) = optional_zone(bytes, end);
    let stamp = Stamp::new(Some(year), month, day, time, zone).or_else(|| {
        // `21112026 03:04:05`: the year comes last.
        let last = four(bytes, at + 4).filter(|_| month_at == at + 4)?;
        let is_recent = (1990..=2100).contains(&last);
        is_recent.then(|| Stamp::new(Some(last), two(bytes, at + 2)?, two(bytes, at)?, time, zone))?
    });
    Some((stamp?, end))
}

/// `20261121 030405`, `261121 030405`, `20261121030405`, `261121030405.5` and with a fraction: any number
/// could look like this, so it counts only if a whole value or most lines of a source are written so.
pub(crate) fn digits_alone(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (year, month_at, time_at) = match digit_run(bytes, at) {
        14 => (four(bytes, at)?, at + 4, at + 8),
        // Without the point, twelve digits are an id.
        12 if byte(bytes, at + 12) == b'.' => (full_year(two(bytes, at)?), at + 2, at + 6),
        // Milliseconds follow without a point.
        17 => {
            let (stamp, _) = digits_alone(bytes.get(..at + 14)?, at)?;
            let (nanos, end) = fraction_ns(bytes.get(..at + 17)?, at + 14)?;
            return Some((Stamp { nanos, ..stamp }, end));
        }
        8 if byte(bytes, at + 8) == b' ' => (four(bytes, at)?, at + 4, at + 9),
        6 if byte(bytes, at + 6) == b' ' => (full_year(two(bytes, at)?), at + 2, at + 7),
        8 if bytes[at + 8..].starts_with(b"<;>") => return date_and_minute(bytes, at),
        _ => return None,
    };
    if byte(bytes, time_at + 2) == b'.' || byte(bytes, time_at + 2) == b'-' {
        return None;
    }
    let (time, end) = unusual_time_of_day(bytes, time_at)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), two(bytes, month_at)?, two(bytes, month_at + 2)?, time, zone)?, end))
}

/// `20261121<;>0304<;>`, two values of a virus scanner's log.
fn date_and_minute(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (time_at, end) = (at + 11, at + 15);
    let (hour, minute) = (two(bytes, time_at)?, two(bytes, time_at + 2)?);
    let time = TimeOfDay { hour, minute, ..TimeOfDay::default() };
    let exists = hour <= 23 && minute <= 59 && bytes[end..].starts_with(b"<;>");
    let (month, day) = (two(bytes, at + 4)?, two(bytes, at + 6)?);
    exists.then(|| Some((Stamp::new(Some(four(bytes, at)?), month, day, time, None)?, end)))?
}

/// `38091C0E1F2D,`: the years since 1970, the month from 0, the day, hour, minute and second as six hexadecimal
/// numbers, as another virus scanner writes them.
fn six_hex_numbers(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let digits = std::str::from_utf8(bytes.get(at..at + 12)?).ok()?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    if byte(bytes, at + 12) != b',' || !digits.bytes().all(is_digit) {
        return None;
    }
    let part = |index: usize| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok();
    let (hour, minute, second) = (part(3)?, part(4)?, part(5)?);
    let time = TimeOfDay { hour, minute, second, nanos: 0 };
    let year = 1970 + i16::from(part(0)?);
    let exists = (2001..2060).contains(&year) && hour <= 23 && minute <= 59 && second <= 59;
    exists.then(|| Some((Stamp::new(Some(year), part(1)? + 1, part(2)?, time, None)?, at + 12)))?
}

/// `261121030405`: without separators and a fraction, so that it is a time only where most lines have one.
pub(crate) fn twelve_digits(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let end = at + 12;
    if digit_run(bytes, at) < 12 {
        return six_hex_numbers(bytes, at);
    }
    if digit_run(bytes, at) != 12 || !matches!(byte(bytes, end), b' ' | b'\t' | b',' | b';' | b'|' | 0) {
        return None;
    }
    let (time, _) = unusual_time_of_day(bytes.get(..end)?, at + 6)?;
    let year = full_year(two(bytes, at)?);
    let stamp = Stamp::new(Some(year), two(bytes, at + 2)?, two(bytes, at + 4)?, time, None)?;
    (2001..2060).contains(&year).then_some((stamp, end))
}

/// Stamps that begin with a year but are not `iso`: `2026-W47-6T…`, `2026-325T…`, `2026 Nov 21 …`,
/// `2026年11月21日 …`.
pub(crate) fn year_first(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    match byte(bytes, at + 4) {
        b'-' if byte(bytes, at + 5) == b'W' => week_date(bytes, at),
        b'-' | b':' | b'/' | b'.' if digit_run(bytes, at + 5) == 3 => ordinal_date(bytes, at),
        b'-' | b' ' | b'/' | b'.' if is_letter(byte(bytes, at + 5)) => year_name_day(bytes, at),
        b' ' if byte(bytes, at + 7) == b' ' && byte(bytes, at + 10) == b' ' => spaced_numbers(bytes, at),
        b'/' | b'-' | b'.' => unpadded_numbers(bytes, at),
        0x80.. => east_asian(bytes, at),
        _ => None,
    }
}

/// `11 30 2026 14:54:30.270` of Windows' boot log, `30 11 2026 14:54:30.270:INFO` of log4js.
pub(super) fn spaced_year_last(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    if byte(bytes, at + 2) != b' ' || byte(bytes, at + 5) != b' ' || byte(bytes, at + 10) != b' ' {
        return None;
    }
    let (mut month, mut day, year) = (two(bytes, at)?, two(bytes, at + 3)?, four(bytes, at + 6)?);
    let (time, end) = time_of_day(bytes, at + 11)?;
    if byte(bytes, end) == b':' {
        (day, month) = (month, day);
    }
    Some((Stamp::new(Some(year), month, day, time, None)?, end))
}

fn from_days(bytes: &[u8], days: i64, at: usize) -> Option<(Stamp, usize)> {
    let (year, month, day) = civil_from_days(days);
    let (time, end) = time_after_date(bytes, at)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(i16::try_from(year).ok(), month, day, time, zone)?, end))
}

/// The day number of a weekday of an ISO 8601 week: week 1 contains the fourth of January.
pub(super) fn week_day(year: i16, week: u8, weekday: u8) -> Option<i64> {
    let fourth = days_from_civil(i32::from(year), 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7);
    let exists = (1..=53).contains(&week) && (1..=7).contains(&weekday);
    exists.then(|| monday + i64::from(week - 1) * 7 + i64::from(weekday - 1))
}

fn week_date(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    if byte(bytes, at + 8) != b'-' {
        return None;
    }
    let weekday = byte(bytes, at + 9).wrapping_sub(b'0');
    from_days(bytes, week_day(four(bytes, at)?, two(bytes, at + 6)?, weekday)?, at + 10)
}

fn ordinal_date(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let year = four(bytes, at)?;
    let of_year = i64::from(byte(bytes, at + 5) - b'0') * 100 + i64::from(two(bytes, at + 6)?);
    let exists = (1..=365 + i64::from(is_leap(i32::from(year)))).contains(&of_year);
    exists.then(|| from_days(bytes, days_from_civil(i32::from(year), 1, 1) + of_year - 1, at + 8))?
}

fn year_name_day(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (month, end) = month(bytes, at + 5)?;
    if byte(bytes, end) != byte(bytes, at + 4) {
        return None;
    }
    let (day, end) = one_or_two(bytes, end + 1)?;
    let (time, end) = time_after_date(bytes, end)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(four(bytes, at)?), month, day, time, zone)?, end))
}

/// `2026 11 21 03:04:05:678`, as SAP's Java server writes it, with the zone as the next value: `#+0100#`.
fn spaced_numbers(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (year, month, day) = (four(bytes, at)?, two(bytes, at + 5)?, two(bytes, at + 8)?);
    let (time, end) = time_of_day(bytes, at + 11)?;
    let zone_at = end + usize::from(byte(bytes, end) == b'#');
    let (zone, zone_end) = optional_zone(bytes, zone_at);
    let end = if zone.is_some() { zone_end } else { end };
    Some((Stamp::new(Some(year), month, day, time, zone)?, end))
}

/// `2026/2/8 3:04:05`, `2026. 2. 8. 오후 3:04:05`: month and day without leading zeros.
fn unpadded_numbers(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let separator = byte(bytes, at + 4);
    let after = |end: usize| {
        (byte(bytes, end) == separator).then(|| end + 1 + usize::from(byte(bytes, end + 1) == b' '))
    };
    let (month, end) = one_or_two(bytes, after(at + 4)?)?;
    let (day, mut end) = one_or_two(bytes, after(end)?)?;
    end += usize::from(separator == b'.' && byte(bytes, end) == b'.');
    let (time, end) = time_after_date(bytes, end)?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(four(bytes, at), month, day, time, zone)?, end))
}

/// A number and the sign of its unit, in Chinese and Japanese or in Korean.
fn with_unit(bytes: &[u8], at: usize, units: [&str; 2]) -> Option<(u8, usize)> {
    let at = at + usize::from(byte(bytes, at) == b' ');
    let (value, end) = one_or_two(bytes, at)?;
    let unit = units.iter().find(|unit| bytes[end..].starts_with(unit.as_bytes()))?;
    Some((value, end + unit.len()))
}

fn east_asian(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let year = four(bytes, at)?;
    let unit = ["年", "년"].into_iter().find(|unit| bytes[at + 4..].starts_with(unit.as_bytes()))?;
    let (month, end) = with_unit(bytes, at + 4 + unit.len(), ["月", "월"])?;
    let (day, end) = with_unit(bytes, end, ["日", "일"])?;
    let clock_at = end + usize::from(byte(bytes, end) == b' ');
    let halved = time_after_half(bytes, clock_at).or_else(|| time_of_day(bytes, clock_at));
    let (time, end) = halved.or_else(|| {
        let (hour, end) =
            with_unit(bytes, clock_at, ["時", "시"]).or_else(|| with_unit(bytes, clock_at, ["时", "点"]))?;
        let (minute, end) = with_unit(bytes, end, ["分", "분"])?;
        let (second, end) = with_unit(bytes, end, ["秒", "초"]).unwrap_or((0, end));
        let exists = hour <= 23 && minute <= 59 && second <= 60;
        exists.then_some((TimeOfDay { hour, minute, second, nanos: 0 }, end))
    })?;
    let (zone, end) = optional_zone(bytes, end);
    Some((Stamp::new(Some(year), month, day, time, zone)?, end))
}

/// `I1121 03:04:05.123456` of glog and klog: severity, month and day, time. Newer versions write the year:
/// `I20261121 03:04:05.123456`.
pub(crate) fn glog(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let (year, month_at) = match digit_run(bytes, at + 1) {
        4 => (None, at + 1),
        // CockroachDB and others write the year's last two digits.
        6 => (Some(full_year(two(bytes, at + 1)?)), at + 3),
        8 => (Some(four(bytes, at + 1)?), at + 5),
        _ => return None,
    };
    // Meteor writes a dash: `I20261121-03:04:05.678(1)? `.
    let is_joined = byte(bytes, month_at + 4) == b'-' && month_at == at + 5;
    if byte(bytes, month_at + 4) != b' ' && !is_joined {
        return None;
    }
    let (time, end) = time_of_day(bytes, month_at + 5)?;
    // With its seconds and fraction it cannot be a word and a number of a message.
    if byte(bytes, month_at + 13) != b'.' {
        return None;
    }
    let (month, day) = (two(bytes, month_at)?, two(bytes, month_at + 2)?);
    Some((Stamp::new(year, month, day, time, None)?, end))
}

/// The seconds that programs with TAI64N add to the seconds since 1970: daemontools and related programs
/// ignore leap seconds, and subtract the same ten to show the time.
const TAI_AHEAD: i64 = 10;

/// `@40000000433225833b6e1a8c`: TAI64N of daemontools and related programs, also the shorter TAI64.
pub(crate) fn tai64(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let label = bytes.get(at + 1..)?;
    let digits = label.iter().take(25).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if byte(bytes, at) != b'@' || !matches!(digits, 16 | 24) {
        return None;
    }
    let hex = |from: usize, to: usize| {
        let text = std::str::from_utf8(label.get(from..to)?).ok()?;
        i64::from_str_radix(text, 16).ok()
    };
    let tai = hex(0, 16)?.checked_sub(1 << 62)?;
    let nanos = if digits == 24 { hex(16, 24)? } else { 0 };
    let second = tai - TAI_AHEAD;
    let in_range = (0..200 * 366 * DAY_NS / SECOND_NS).contains(&second) && nanos < SECOND_NS;
    in_range.then(|| (second * SECOND_NS + nanos, at + 1 + digits))
}

/// This many hexadecimal digits hold the seconds since 1970 until 2106.
pub(crate) const HEX_DIGITS: usize = 8;

/// Seconds of 2001 and 2059.
const HEX_YEARS: std::ops::Range<i64> = 1_000_000_000..2_808_000_000;

fn hex(bytes: &[u8], at: usize) -> Option<i64> {
    let digits = bytes.get(at..at + HEX_DIGITS)?;
    let is_written_so = digits.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    i64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_written_so)?, 16).ok()
}

/// `69bd54f0.075bcd15 `: seconds and nanoseconds since 1970, as OpenLDAP writes them at the start of its lines;
/// `(69BD54F0.0000-1:`, seconds and a counter, as agents of Tivoli do.
pub(crate) fn hex_epoch(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    if byte(bytes, at) == b'(' {
        return tivoli(bytes).filter(|_| at == 0);
    }
    let end = at + 2 * HEX_DIGITS + 1;
    if at > 0 || byte(bytes, HEX_DIGITS) != b'.' || byte(bytes, end) != b' ' {
        return None;
    }
    let (second, nanos) = (hex(bytes, 0)?, hex(bytes, HEX_DIGITS + 1)?);
    (HEX_YEARS.contains(&second) && nanos < SECOND_NS).then_some((second * SECOND_NS + nanos, end))
}

fn tivoli(bytes: &[u8]) -> Option<(i64, usize)> {
    let digits = bytes.get(1..=HEX_DIGITS)?;
    let counter_end = 1 + HEX_DIGITS + ".0000".len();
    let is_upper = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F');
    let is_one =
        bytes.get(2 + HEX_DIGITS..counter_end)?.iter().all(is_upper) && byte(bytes, counter_end) == b'-';
    let text = std::str::from_utf8(digits).ok().filter(|_| is_one && digits.iter().all(is_upper))?;
    let second = i64::from_str_radix(text, 16).ok()?;
    HEX_YEARS.contains(&second).then_some((second * SECOND_NS, counter_end))
}

/// `69bd54f0 `, `[69bd54f0][`: only the seconds, as older versions and a game write them. Any id could look like
/// this.
pub(crate) fn hex_seconds(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let end = at + HEX_DIGITS;
    let is_own = match (at, byte(bytes, end)) {
        (0, b' ') => true,
        (1, b']') => bytes[0] == b'[' && byte(bytes, end + 1) == b'[',
        _ => false,
    };
    let second = is_own.then(|| hex(bytes, at)).flatten()?;
    HEX_YEARS.contains(&second).then_some((second * SECOND_NS, end))
}

/// `UPID:pve1:0002E096:0E10F08E:69A2DFC8:qmstart:100:root@pam:`: the id of a task of Proxmox, whose fifth part
/// is the second of its start.
pub(crate) fn task_id(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let rest = bytes.get(at..)?;
    let mut parts =
        rest[..rest.len().min(LONGEST_TASK_ID_BYTES)].strip_prefix(b"UPID:")?.split(|&byte| byte == b':');
    let start = parts.nth(3).filter(|start| start.len() == HEX_DIGITS)?;
    let second = i64::from_str_radix(std::str::from_utf8(start).ok()?, 16).ok()?;
    let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    (parts.count() >= 3 && HEX_YEARS.contains(&second)).then_some((second * SECOND_NS, at + length))
}

const LONGEST_TASK_ID_BYTES: usize = 256;
