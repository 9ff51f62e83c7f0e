//! Reading the time of day.

use super::digits::{byte, digit_run, fraction_ns, number, one_or_two, two};

/// Hour, minute, second and nanoseconds as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeOfDay {
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanos: u32,
}

impl TimeOfDay {
    #[inline]
    fn is_valid(self) -> bool {
        // A minute has a 61st second when a leap second is inserted.
        self.hour <= 23 && self.minute <= 59 && self.second <= 60
    }
}

/// `HH:MM`, `HH:MM:SS`, with a fraction after a point, comma or colon, with AM or PM; returns the position
/// after it.
#[inline]
pub(crate) fn time_of_day(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    let (hour, colon) = one_or_two(bytes, at)?;
    if byte(bytes, colon) != b':' {
        return None;
    }
    let mut time = TimeOfDay { hour, minute: two(bytes, colon + 1)?, ..TimeOfDay::default() };
    let mut end = colon + 3;
    // A colon may also end a time without seconds.
    if byte(bytes, end) == b':' && byte(bytes, end + 1) != b' ' {
        time.second = two(bytes, end + 1)?;
        end += 3;
        (time.nanos, end) = fraction(bytes, end);
    }
    if let Some((hour, after)) = half_of_day(bytes, end, time.hour) {
        (time.hour, end) = (hour, after);
        // Cisco's servers write the fraction after the half of the day: `05:50:19 AM.484`.
        if byte(bytes, end) == b'.' && digit_run(bytes, end + 1) == 3 {
            (time.nanos, end) = fraction(bytes, end);
        }
    }
    (time.is_valid() && !byte(bytes, end).is_ascii_digit()).then_some((time, end))
}

/// The fraction after a second, if there is one. A comma before more than nine digits or a number with a point
/// separates two values of a table.
#[inline]
fn fraction(bytes: &[u8], at: usize) -> (u32, usize) {
    let found = match byte(bytes, at) {
        b'.' => fraction_ns(bytes, at + 1),
        b',' if digit_run(bytes, at + 1) <= 9 => fraction_ns(bytes, at + 1)
            .filter(|&(_, end)| !(byte(bytes, end) == b'.' && byte(bytes, end + 1).is_ascii_digit())),
        b':' => fraction_after_colon(bytes, at + 1),
        _ => None,
    };
    found.unwrap_or((0, at))
}

/// Only three, six or nine digits are a fraction, and four before a space: other numbers there are a line, a count
/// or part of an address.
fn fraction_after_colon(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let is_fraction = match digit_run(bytes, at) {
        3 | 6 | 9 => true,
        4 => byte(bytes, at + 4) == b' ',
        _ => false,
    };
    fraction_ns(bytes, at).filter(|&(_, end)| {
        is_fraction && !(byte(bytes, end) == b':' && byte(bytes, end + 1).is_ascii_digit())
    })
}

/// `HH-MM-SS`, `HH.MM.SS` or `HHMMSS`, as file names and some databases write it, perhaps with a fraction, and
/// `14h03.05`.
#[inline]
pub(crate) fn unusual_time_of_day(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    let separator = byte(bytes, at + 2);
    if separator == b'h' {
        return time_after_h(bytes, at);
    }
    let width = match separator {
        b'-' | b'.' if byte(bytes, at + 5) == separator => 3,
        b'0'..=b'9' => 2,
        _ => return None,
    };
    let (minute, second) = (two(bytes, at + width)?, two(bytes, at + 2 * width)?);
    let (nanos, end) = fraction(bytes, at + 2 * width + 2);
    let time = TimeOfDay { hour: two(bytes, at)?, minute, second, nanos };
    (time.is_valid() && !byte(bytes, end).is_ascii_digit()).then_some((time, end))
}

/// `14h03`, `14h03.05`, `14h03:05`, `14h03m05`.
fn time_after_h(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    let mut time = TimeOfDay { hour: two(bytes, at)?, minute: two(bytes, at + 3)?, ..TimeOfDay::default() };
    let mut end = at + 5;
    if matches!(byte(bytes, end), b'.' | b':' | b'm')
        && let Some(second) = two(bytes, end + 1)
    {
        time.second = second;
        end += 3;
    }
    (time.is_valid() && !byte(bytes, end).is_ascii_alphanumeric()).then_some((time, end))
}

/// `3:4:5:67`: hours, minutes, seconds and milliseconds, each without its leading zeros.
pub(crate) fn unpadded_time_of_day(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    let mut end = at;
    let mut part = |most: usize, last: bool| {
        let digits = digit_run(bytes, end);
        let value = number(bytes.get(end..end + digits)?).filter(|_| digits <= most)?;
        end += digits + usize::from(!last);
        (last || byte(bytes, end - 1) == b':').then_some(value)
    };
    let (hour, minute, second) = (part(2, false)?, part(2, false)?, part(2, false)?);
    let nanos = u32::try_from(part(3, true)?).ok()? * 1_000_000;
    let small = |value: i64| u8::try_from(value).ok();
    let time = TimeOfDay { hour: small(hour)?, minute: small(minute)?, second: small(second)?, nanos };
    (time.is_valid() && byte(bytes, end) != b':').then_some((time, end))
}

/// The words for the halves of a day that precede the time in Korean, Chinese and Japanese, and whether they
/// are the afternoon.
pub(super) const HALVES: [(&str, bool); 6] =
    [("오전", false), ("오후", true), ("上午", false), ("下午", true), ("午前", false), ("午後", true)];

/// `오후 3:04:05`: a time on a 12-hour clock after the word for the half of the day.
pub(crate) fn time_after_half(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    if byte(bytes, at) < 0x80 {
        return None;
    }
    let (word, is_afternoon) = HALVES.iter().find(|(word, _)| bytes[at..].starts_with(word.as_bytes()))?;
    let at = at + word.len();
    let (time, end) = time_of_day(bytes, at + usize::from(byte(bytes, at) == b' '))?;
    let hour = time.hour % 12 + if *is_afternoon { 12 } else { 0 };
    (time.hour <= 12).then_some((TimeOfDay { hour, ..time }, end))
}

/// The same for the words of [`HALVES`] after a time: `3:04:05 下午`.
#[cold]
fn half_in_words(bytes: &[u8], at: usize, hour: u8) -> Option<(u8, usize)> {
    let (word, is_afternoon) = HALVES.iter().find(|(word, _)| bytes[at..].starts_with(word.as_bytes()))?;
    let hour = (1..=12).contains(&hour).then_some(hour % 12 + if *is_afternoon { 12 } else { 0 })?;
    Some((hour, at + word.len()))
}

/// The hour on a 24-hour clock for `AM`, `pm`, `a.m.` or `p. m.` after a time, perhaps after a space, or for a
/// single `a` or `p` directly after it.
#[inline]
pub(crate) fn half_of_day(bytes: &[u8], at: usize, hour: u8) -> Option<(u8, usize)> {
    // Some locales write a narrow or a normal no-break space here.
    let mut letter = match byte(bytes, at) {
        b' ' => at + 1,
        0xE2 if bytes[at..].starts_with("\u{202f}".as_bytes()) => at + 3,
        0xC2 if bytes[at..].starts_with("\u{a0}".as_bytes()) => at + 2,
        _ => at,
    };
    let afternoon = match byte(bytes, letter) | 0x20 {
        b'a' => false,
        b'p' => true,
        0x80.. => return half_in_words(bytes, letter, hour),
        _ => return None,
    };
    letter += 1;
    let dotted = byte(bytes, letter) == b'.';
    if dotted {
        letter += 1 + usize::from(byte(bytes, letter + 1) == b' ');
    }
    let is_single = letter == at + 1 && matches!(byte(bytes, letter), b' ' | b'\t' | b',' | b';' | 0);
    if byte(bytes, letter) | 0x20 != b'm' && !is_single {
        return None;
    }
    let end = letter + usize::from(!is_single) + usize::from(dotted && byte(bytes, letter + 1) == b'.');
    let alone = is_single || !byte(bytes, end).is_ascii_alphanumeric();
    (alone && (1..=12).contains(&hour)).then_some((hour % 12 + if afternoon { 12 } else { 0 }, end))
}
