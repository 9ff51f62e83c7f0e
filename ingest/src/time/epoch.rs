//! Times written as a number since 1970: seconds, milli-, micro- or nanoseconds, told apart by size.

use super::civil::SECOND_NS;
use super::digits::fraction_ns;

/// Seconds of 1990 and 2200. A number outside is a duration or a count, not a time.
const FIRST_SECOND: i64 = 631_152_000;
const LAST_SECOND: i64 = 7_258_118_400;

/// A whole value: digits, with a fraction where they are seconds.
pub(crate) fn number(value: &[u8]) -> Option<i64> {
    let (ns, end) = decimal(value)?;
    (end == value.len()).then_some(ns)
}

/// A number at the very start of a line that is long enough to be a time and stands alone.
#[inline]
pub(crate) fn leading(line: &[u8]) -> Option<(i64, usize)> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let (ns, end) = decimal(line)?;
    match line.get(end) {
        None | Some(b' ' | b'\t' | b',' | b';' | b':' | b'|' | b']') => Some((ns, end)),
        _ => None,
    }
}

#[inline]
fn decimal(text: &[u8]) -> Option<(i64, usize)> {
    let digits = text.iter().take(20).take_while(|byte| byte.is_ascii_digit()).count();
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
    if text.get(digits) == Some(&b'.')
        && let Some((fraction, after)) = fraction_ns(text, digits + 1)
    {
        ns += i64::from(fraction) / units_per_second;
        end = after;
    }
    Some((ns, end))
}
