//! Finding a time in text: anywhere near the start of a line, or as the whole of a value.

use super::When;
use super::digits::byte;
use super::epoch;
use super::stamp::{day_month_year, iso, month_day};

/// A time and where it stands in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoundTime {
    pub when: When,
    pub start: usize,
    pub end: usize,
}

/// The first time that begins within the first `within` bytes of a line. Epoch numbers count at the very
/// start only, because further in any number could look like one.
pub(crate) fn find(line: &[u8], within: usize) -> Option<FoundTime> {
    if let Some((ns, end)) = epoch::leading(line) {
        return Some(FoundTime { when: When::Instant(ns), start: 0, end });
    }
    let mut before = b' ';
    for (start, &first) in line.iter().enumerate().take(within + 1) {
        // Within a word, a number or a file name it is no stamp of the line's own.
        let set_apart =
            !before.is_ascii_alphanumeric() && !matches!(before, b'.' | b'_' | b'-' | b'/' | b':');
        before = first;
        if set_apart && let Some((when, end)) = at(line, start, first) {
            return Some(FoundTime { when, start, end });
        }
    }
    None
}

#[inline]
fn at(line: &[u8], start: usize, first: u8) -> Option<(When, usize)> {
    let found = match first {
        b'0'..=b'9' => iso(line, start).or_else(|| day_month_year(line, start)),
        b'A'..=b'Z' | b'a'..=b'z' => month_day(line, start),
        _ => None,
    };
    found.map(|(stamp, end)| (When::Stamp(stamp), end))
}

/// A value that is a time as a whole: a stamp, perhaps behind the name of its weekday, or an epoch number.
pub(crate) fn whole(value: &[u8]) -> Option<When> {
    if let Some(ns) = epoch::number(value) {
        return Some(When::Instant(ns));
    }
    let weekday = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let mut start = 0;
    if weekday >= 3 && super::stamp::month_name(value, 0).is_none() {
        start = weekday + usize::from(byte(value, weekday) == b',');
        start += usize::from(byte(value, start) == b' ');
    }
    let (when, end) = at(value, start, byte(value, start))?;
    value[end..].iter().all(u8::is_ascii_whitespace).then_some(when)
}
