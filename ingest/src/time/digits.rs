//! Reads small numbers at a position in a line, without ever reading past its end.

/// The byte at a position, or NUL past the end: no stamp contains a NUL.
#[inline]
pub(crate) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

#[inline]
pub(crate) fn two(bytes: &[u8], at: usize) -> Option<u8> {
    let &[tens, ones] = bytes.get(at..)?.first_chunk::<2>()?;
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| tens * 10 + ones)
}

#[inline]
pub(crate) fn four(bytes: &[u8], at: usize) -> Option<i16> {
    Some(i16::from(two(bytes, at)?) * 100 + i16::from(two(bytes, at + 2)?))
}

/// One or two digits; the first may be a space as in `Feb  9`; returns the position after them.
#[inline]
pub(crate) fn one_or_two(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = byte(bytes, at);
    let second = byte(bytes, at + 1).wrapping_sub(b'0');
    match first {
        b' ' if second <= 9 => Some((second, at + 2)),
        b'0'..=b'9' if second <= 9 => Some(((first - b'0') * 10 + second, at + 2)),
        b'0'..=b'9' => Some((first - b'0', at + 1)),
        _ => None,
    }
}

/// The number of digits here; counting ends at twenty, which no time has.
#[inline]
pub(crate) fn digit_run(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take(20).take_while(|byte| byte.is_ascii_digit()).count()
}

/// A whole number of at most eighteen digits.
#[inline]
pub(crate) fn number(digits: &[u8]) -> Option<i64> {
    let fits = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    fits.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// A fraction of a second as nanoseconds, and the position after its digits. Digits beyond nine are ignored.
#[inline]
pub(crate) fn fraction_ns(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let mut end = at;
    let mut nanos = 0;
    let mut unit = 100_000_000;
    while byte(bytes, end).is_ascii_digit() {
        nanos += u32::from(bytes[end] - b'0') * unit;
        unit /= 10;
        end += 1;
    }
    (end > at).then_some((nanos, end))
}
