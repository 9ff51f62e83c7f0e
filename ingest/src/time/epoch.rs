//! Times written as a number since 1970: seconds, milli-, micro- or nanoseconds, distinguished by size.

use super::civil::SECOND_NS;
use super::digits::{byte, digit_run, fraction_ns};

/// Seconds of 1990 and 2200. A number outside is a duration or a count, not a time.
const FIRST_SECOND: i64 = 631_152_000;
const LAST_SECOND: i64 = 7_258_118_400;

/// A whole value: digits, with a fraction if they are seconds, or with an exponent.
pub(crate) fn number(value: &[u8]) -> Option<i64> {
    let (ns, end) = decimal(value).or_else(|| with_exponent(value, 0))?;
    (end == value.len()).then_some(ns)
}

/// `1.795230245123e+09`, as loggers write seconds that are a float, or `1.795230245123E12`.
#[inline]
pub(crate) fn with_exponent(line: &[u8], at: usize) -> Option<(i64, usize)> {
    if byte(line, at + 1) != b'.' || !byte(line, at).is_ascii_digit() {
        return None;
    }
    let digits = digit_run(line, at + 2);
    let exponent_at = at + 2 + digits;
    if byte(line, exponent_at) | 0x20 != b'e' || !(4..=18).contains(&digits) {
        return None;
    }
    let exponent_at = exponent_at + 1 + usize::from(byte(line, exponent_at + 1) == b'+');
    let end = exponent_at + digit_run(line, exponent_at);
    // Seconds, milliseconds, microseconds or nanoseconds: all begin with the same digits.
    if !matches!(&line[exponent_at..end], b"9" | b"09" | b"12" | b"15" | b"18") {
        return None;
    }
    let whole = i64::from(line[at] - b'0') * 10_i64.pow(18);
    let fraction = line[at + 2..at + 2 + digits].iter().try_fold(0, |number, digit| {
        i64::checked_add(i64::checked_mul(number, 10)?, i64::from(digit - b'0'))
    })?;
    let ns = whole.checked_add(fraction * 10_i64.pow(18 - u32::try_from(digits).ok()?))?;
    (FIRST_SECOND..LAST_SECOND).contains(&(ns / SECOND_NS)).then_some((ns, end))
}

/// A number at this position that is long enough to be a time and is delimited.
#[inline]
pub(crate) fn delimited(line: &[u8], at: usize) -> Option<(i64, usize)> {
    if !byte(line, at).is_ascii_digit() {
        return None;
    }
    let (ns, length) = decimal(&line[at..])?;
    let end = at + length;
    let ends = matches!(
        byte(line, end),
        0 | b' ' | b'\t' | b',' | b';' | b':' | b'|' | b']' | b')' | b'"' | b'<' | b'>'
    );
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
