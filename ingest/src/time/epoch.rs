//! Times written as a number since 1970: seconds, milli-, micro- or nanoseconds, distinguished by size.

use super::civil::SECOND_NS;
use super::digits::{byte, digit_run, fraction_ns};

/// Seconds of 1990 and 2200. A number outside is a duration or a count, not a time.
const FIRST_SECOND: i64 = 631_152_000;
const LAST_SECOND: i64 = 7_258_118_400;

/// A whole value: digits, with a fraction if they are seconds.
pub(crate) fn number(value: &[u8]) -> Option<i64> {
    let (ns, end) = decimal(value)?;
    (end == value.len()).then_some(ns)
}

/// A number at this position that is long enough to be a time and is delimited.
#[inline]
pub(crate) fn delimited(line: &[u8], at: usize) -> Option<(i64, usize)> {
    if !byte(line, at).is_ascii_digit() {
        return None;
    }
    let (ns, length) = decimal(&line[at..])?;
    let end = at + length;
    let ends = matches!(byte(line, end), 0 | b' ' | b'\t' | b',' | b';' | b':' | b'|' | b']' | b')' | b'"');
    ends.then_some((ns, end))
}

#[inline]
fn decimal(text: &[u8]) -> Option<(i64, usize)> {
    let digits = digit_run(text, 0);
    if !(9..=19).contains(&digits) {
        return None;
    }
    let mut whole: i64 = 0;
    for byte in &text[..digits] {
        whole = whole.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
    }
    let units_per_second = match digits {
        ..=11 => 1,
        12..=14 => 1_000,
        15..=17 => 1_000_000,
        _ => SECOND_NS,
    };
    let second = whole / units_per_second;
    if !(FIRST_SECOND..LAST_SECOND).contains(&second) {
        return None;
    }
    let unit_ns = SECOND_NS / units_per_second;
    let mut ns = whole * unit_ns;
    let mut end = digits;
    if matches!(byte(text, digits), b'.' | b',')
        && let Some((fraction, after)) = fraction_ns(text, digits + 1)
    {
        // A comma between whole numbers separates them; a fraction of milliseconds or more has three digits.
        if text[digits] == b'.' || matches!(after - digits - 1, 3 | 6 | 9) && digits <= 10 {
            ns += i64::from(fraction) / units_per_second;
            end = after;
        }
    }
    Some((ns, end))
}
