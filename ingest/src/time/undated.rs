//! Times that lack their date: a time of day, or the seconds since something started. Any number could look
//! like one, so they count only if most lines of a source have them in the same position.

use super::When;
use super::civil::SECOND_NS;
use super::digits::{byte, digit_run, fraction_ns, number};
use super::time_of_day::{TimeOfDay, time_of_day, unusual_time_of_day};

impl TimeOfDay {
    #[inline]
    pub(super) fn ns(self) -> i64 {
        let minutes = i64::from(self.hour) * 60 + i64::from(self.minute);
        (minutes * 60 + i64::from(self.second)) * SECOND_NS + i64::from(self.nanos)
    }
}

/// `21:08:50`, `21:08:50.123`, `9:08:50 PM`, at the start of a line `21.08.50`, and in brackets or before a space
/// `21:08`, as nanoseconds since midnight.
pub(crate) fn day_time(line: &[u8], at: usize) -> Option<(i64, usize)> {
    if !byte(line, at).is_ascii_digit() {
        return None;
    }
    let Some((time, end)) = time_of_day(line, at) else { return pointed_day_time(line, at) };
    let has_seconds = byte(line, at + 4) == b':' || byte(line, at + 5) == b':';
    let ends = match byte(line, end) {
        b']' | b')' | b' ' | b'\t' => true,
        // The clock of Zephyr, which runs since the start.
        b',' if digit_run(line, end + 1) == 3 && byte(line, end + 4) == b']' => false,
        0 | b',' | b';' | b'|' | b'>' | b'"' | b'-' | b'@' => has_seconds,
        b':' => has_seconds && !byte(line, end + 1).is_ascii_digit(),
        _ => false,
    };
    // A clock is padded to two digits; minutes and seconds that are padded to more are the time of a game.
    let width = at + 1 + usize::from(byte(line, at + 1) != b':');
    let is_padded = !has_seconds && at > 0 && width > 2 && line[..at].iter().all(|byte| *byte == b' ');
    (ends && !is_padded).then(|| (time.ns(), end))
}

/// A value that is a time of day as a whole.
pub(crate) fn whole_day_time(value: &[u8]) -> Option<When> {
    let (ns, end) = day_time(value, 0)?;
    (end == value.len()).then_some(When::TimeOfDay(ns))
}

/// `21.08.50 `, as mainframes write it.
fn pointed_day_time(line: &[u8], at: usize) -> Option<(i64, usize)> {
    let is_pointed = at <= 1 && byte(line, at + 2) == b'.' && byte(line, at + 5) == b'.';
    let (time, end) = is_pointed.then(|| unusual_time_of_day(line, at))??;
    (byte(line, end) == b' ').then(|| (time.ns(), end))
}

/// Longest uptime that is read, in seconds: thirty years.
const LONGEST_UPTIME: i64 = 30 * 366 * 86_400;

/// Whether one letter for the level begins the line before an opening parenthesis, as in ESP-IDF's `I (312)`.
fn follows_level_letter(line: &[u8], at: usize) -> bool {
    at == 2 && matches!(line[..3], [b'A'..=b'Z', b' ', b'('])
}

/// `00:00:12.345,678]` of Zephyr: hours, minutes, seconds, milliseconds and microseconds.
fn clock_since_start(line: &[u8], at: usize) -> Option<(i64, usize)> {
    let mut end = at;
    let mut part = |width: usize, after: u8| {
        let digits = digit_run(line, end);
        let value = number(line.get(end..end + digits)?)?;
        end += digits + 1;
        (digits == width && byte(line, end - 1) == after).then_some(value)
    };
    let (hours, minutes, seconds) = (part(2, b':')?, part(2, b':')?, part(2, b'.')?);
    let (millis, micros) = (part(3, b',')?, part(3, b']')?);
    let micros = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + millis * 1_000 + micros;
    Some((micros * 1_000, end - 1))
}

/// `[   12.345678]`, `[0.009s]`, `[00:00:12.345,678]`, `I (312)`, `[10020ms]`, `0.533: `, `12.345s `: nanoseconds since a start.
pub(crate) fn uptime(line: &[u8], at: usize) -> Option<(i64, usize)> {
    let bracketed = matches!(byte(line, at), b'[' | b'(');
    let mut from = at + usize::from(bracketed);
    if bracketed {
        from += line[from..].iter().take(8).take_while(|&&byte| byte == b' ').count();
    }
    let digits = digit_run(line, from);
    let whole = number(line.get(from..from + digits)?)?;
    let mut end = from + digits;
    if bracketed && byte(line, end) == b':' {
        return clock_since_start(line, from);
    }
    let mut nanos = 0;
    let point = matches!(byte(line, end), b'.' | b',');
    if point {
        // Other numbers after a comma are values of a table.
        let digits = digit_run(line, end + 1);
        if byte(line, end) == b',' && !digits.is_multiple_of(3) {
            return None;
        }
        (nanos, end) = fraction_ns(line, end + 1)?;
    }
    let unit = line[end..].iter().take(3).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let unit_ns = match &line[end..end + unit] {
        // A number without a unit is an uptime only if it has the precision of a clock.
        b"" if point && end - from - digits > 3 => SECOND_NS,
        // Klipper writes tenths and a colon.
        b"" if point && digits > 1 && byte(line, end) == b':' => SECOND_NS,
        b"" if !point && follows_level_letter(line, at) => 1_000_000,
        b"s" => SECOND_NS,
        b"ms" if !point => 1_000_000,
        b"us" if !point => 1_000,
        b"ns" if !point => 1,
        _ => return None,
    };
    end += unit;
    let ends = match byte(line, end) {
        b']' | b')' => bracketed,
        b' ' | b':' | b'\t' | b'|' | b',' => !bracketed,
        _ => false,
    };
    let in_range = whole <= LONGEST_UPTIME * (SECOND_NS / unit_ns).min(1_000_000_000);
    (ends && in_range)
        .then(|| (whole.saturating_mul(unit_ns).saturating_add(i64::from(nanos)), end))
        .filter(|&(ns, _)| ns <= LONGEST_UPTIME * SECOND_NS)
}
