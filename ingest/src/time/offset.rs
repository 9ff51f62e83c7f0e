//! Reads the zone after a time: an offset from UTC, or a usual abbreviation of one.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::digits::{byte, digit_run, two};

/// A zone at exactly this position: `Z`, an abbreviation, `+hh`, `+hhmm`, `+hh:mm`, `GMT+1`, or in minutes
/// `+060`, as seconds east of UTC.
#[inline]
pub(crate) fn offset(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let (seconds, end) = match byte(bytes, at) {
        b'z' => (0, at + 1),
        b'(' => return in_parentheses(bytes, at),
        b'+' | b'-' => signed(bytes, at)?,
        b'A'..=b'Z' => named(bytes, at)?,
        _ => return None,
    };
    (!byte(bytes, end).is_ascii_alphanumeric()).then_some((seconds, end))
}

#[inline]
fn signed(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    if digit_run(bytes, at + 1) == 3 {
        return in_minutes(bytes, at);
    }
    let hours = two(bytes, at + 1)?;
    let colon = usize::from(byte(bytes, at + 3) == b':');
    let (minutes, end) = match two(bytes, at + 3 + colon) {
        Some(minutes) => (minutes, at + 5 + colon),
        None => (0, at + 3),
    };
    // No zone is further from UTC than this, and all are multiples of a quarter of an hour.
    if hours > 18 || minutes > 59 || minutes % 15 != 0 {
        return None;
    }
    let seconds = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
    Some((if bytes[at] == b'-' { -seconds } else { seconds }, end))
}

/// Db2 writes an offset as its minutes: `+060`.
#[cold]
fn in_minutes(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let digits = [byte(bytes, at + 1), byte(bytes, at + 2), byte(bytes, at + 3)];
    let minutes = digits.iter().fold(0, |minutes, digit| minutes * 10 + i32::from(digit - b'0'));
    let seconds = minutes * 60;
    let exists = minutes <= 18 * 60 && minutes % 15 == 0;
    exists.then_some((if bytes[at] == b'-' { -seconds } else { seconds }, at + 4))
}

/// Longest abbreviation that is read.
const LONGEST_NAME: usize = 5;

fn named(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let rest = bytes.get(at..)?;
    let length = rest.iter().take(LONGEST_NAME + 1).take_while(|byte| byte.is_ascii_uppercase()).count();
    let end = at + length;
    let name = rest.get(..length.min(LONGEST_NAME))?;
    if matches!(name, b"UTC" | b"GMT") && matches!(byte(bytes, end), b'+' | b'-') {
        return signed(bytes, end).or_else(|| one_digit(bytes, end));
    }
    // TIBCO and others write the offset after the name: `GMT +0100`.
    if matches!(name, b"UTC" | b"GMT")
        && byte(bytes, end) == b' '
        && matches!(byte(bytes, end + 1), b'+' | b'-')
        && digit_run(bytes, end + 2) == 4
    {
        return signed(bytes, end + 1);
    }
    // Levels, which often follow a time, end otherwise.
    if !matches!(name.last(), Some(b'T' | b'C' | b'Z' | b'K' | b'B')) {
        return None;
    }
    Some((abbreviation(name)? * 60, end))
}

/// `GMT+1` and `GMT+1:00` have one digit; no other offset does.
#[cold]
fn one_digit(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let hour = byte(bytes, at + 1).wrapping_sub(b'0');
    let sign = if bytes[at] == b'-' { -1 } else { 1 };
    let minutes = if byte(bytes, at + 2) == b':' { two(bytes, at + 3) } else { None };
    let (minutes, length) = minutes.map_or((0, 2), |minutes| (i32::from(minutes), 5));
    (hour <= 9).then_some((sign * (i32::from(hour) * 3_600 + minutes * 60), at + length))
}

/// The offset of an abbreviation, in minutes east of UTC. Some mean different zones in different countries;
/// this uses the most frequent in logs: `CST` of North America (not China), `BST` of Britain (not
/// Bangladesh), `IST` of India (not Ireland or Israel), `AST` of Canada (not Arabia), `EST` of North America
/// (not Australia).
pub(crate) fn abbreviation(name: &[u8]) -> Option<i32> {
    Some(match name {
        b"Z" | b"UTC" | b"GMT" | b"WET" | b"UCT" => 0,
        b"CET" | b"MET" | b"MEZ" | b"BST" | b"WEST" | b"WAT" => 60,
        b"CEST" | b"MEST" | b"MESZ" | b"EET" | b"SAST" | b"CAT" => 120,
        b"EEST" | b"MSK" | b"EAT" | b"TRT" => 180,
        b"GST" => 240,
        b"PKT" | b"UZT" => 300,
        b"IST" => 330,
        b"NPT" => 345,
        b"WIB" | b"ICT" => 420,
        b"HKT" | b"SGT" | b"AWST" | b"MYT" | b"PHT" => 480,
        b"JST" | b"KST" => 540,
        b"ACST" => 570,
        b"AEST" => 600,
        b"ACDT" => 630,
        b"AEDT" => 660,
        b"NZST" => 720,
        b"NZDT" => 780,
        b"BRT" | b"ART" | b"ADT" | b"CLST" => -180,
        b"NST" => -210,
        b"NDT" => -150,
        b"AST" | b"EDT" | b"CLT" => -240,
        b"EST" | b"CDT" | b"COT" | b"PET" => -300,
        b"CST" | b"MDT" => -360,
        b"MST" | b"PDT" => -420,
        b"PST" | b"AKDT" => -480,
        b"AKST" => -540,
        b"HST" => -600,
        _ => return None,
    })
}

/// A zone at this position or one space after it, perhaps with its region as Java writes it
/// (`+01:00[Europe/Berlin]`). After a space a bare `+hh` could be any number, so there it needs its minutes or a
/// leading zero.
#[inline]
pub(crate) fn zone_after(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let (seconds, end) = if byte(bytes, at) == b' ' {
        if byte(bytes, at + 1) == b'(' {
            return in_parentheses(bytes, at + 1);
        }
        let found = offset(bytes, at + 1)?;
        let signed = matches!(byte(bytes, at + 1), b'+' | b'-');
        let is_padded = byte(bytes, at + 2) == b'0' && byte(bytes, at + 4) == b' ';
        if signed && found.1 < at + 6 && !is_padded {
            return None;
        }
        found
    } else {
        offset(bytes, at)?
    };
    Some((seconds, if byte(bytes, end) == b'[' { region_end(bytes, end) } else { end }))
}

/// `(+0100)`, `(GMT-1:00)`, `(UTC+5:30)`.
#[cold]
fn in_parentheses(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let is_offset =
        digit_run(bytes, at + 2) == 4 || matches!(bytes.get(at + 1..at + 4), Some(b"GMT" | b"UTC"));
    // Otherwise a row of parentheses would be one call within the other.
    let (seconds, end) = if is_offset { offset(bytes, at + 1)? } else { return None };
    (byte(bytes, end) == b')').then_some((seconds, end + 1))
}

/// Longest name of a region, such as `America/Argentina/ComodRivadavia`.
const LONGEST_REGION: usize = 32;

fn region_end(bytes: &[u8], at: usize) -> usize {
    region(bytes, at + 1).map_or(at, |end| end + 1)
}

/// Where the name of a region ends, between a position and a closing bracket.
fn region(bytes: &[u8], at: usize) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'_' | b'-');
    let length = bytes[at..].iter().take(LONGEST_REGION).take_while(|byte| is_part(byte)).count();
    let end = at + length;
    (bytes[at..end].contains(&b'/') && byte(bytes, end) == b']').then_some(end)
}

/// The offset of a region at a given time; its name follows the time after one space: `[21-Nov-2026 03:04:05
/// Europe/Berlin]` of PHP.
#[cold]
pub(super) fn region_after(bytes: &[u8], at: usize, wall: DateTime) -> Option<(i32, usize)> {
    let end = region(bytes, at + 1)?;
    let zone = TimeZone::get(std::str::from_utf8(&bytes[at + 1..end]).ok()?).ok()?;
    let zoned = zone.to_ambiguous_zoned(wall).compatible().ok()?;
    Some((zoned.offset().seconds(), end))
}
