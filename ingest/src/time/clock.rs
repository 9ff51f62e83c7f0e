//! Reading the time of day and the zone behind it.

use super::digits::{byte, fraction_ns, one_or_two, two};

/// Hour, minute, second and nanoseconds as written.
pub(crate) struct TimeOfDay {
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanos: u32,
}

/// `HH:MM`, `HH:MM:SS`, with a fraction after a point or comma, with AM or PM; gives the place behind it.
#[inline]
pub(crate) fn time_of_day(bytes: &[u8], at: usize) -> Option<(TimeOfDay, usize)> {
    let (mut hour, colon) = one_or_two(bytes, at)?;
    if byte(bytes, colon) != b':' {
        return None;
    }
    let minute = two(bytes, colon + 1)?;
    let mut end = colon + 3;
    let mut second = 0;
    let mut nanos = 0;
    if byte(bytes, end) == b':' {
        second = two(bytes, end + 1)?;
        end += 3;
        if matches!(byte(bytes, end), b'.' | b',')
            && let Some((fraction, after)) = fraction_ns(bytes, end + 1)
        {
            nanos = fraction;
            end = after;
        }
    }
    if let Some(afternoon) = half_of_day(bytes, end)
        && (1..=12).contains(&hour)
    {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
        end += 3;
    }
    // A minute has a 61st second when a leap second is inserted.
    (hour <= 23 && minute <= 59 && second <= 60).then_some((TimeOfDay { hour, minute, second, nanos }, end))
}

fn half_of_day(bytes: &[u8], at: usize) -> Option<bool> {
    let &[space, half, m] = bytes.get(at..)?.first_chunk::<3>()?;
    if space != b' ' || m | 0x20 != b'm' || byte(bytes, at + 3).is_ascii_alphanumeric() {
        return None;
    }
    match half | 0x20 {
        b'a' => Some(false),
        b'p' => Some(true),
        _ => None,
    }
}

/// A zone at exactly this place: `Z`, `UTC`, `GMT`, `+hh`, `+hhmm` or `+hh:mm`, as seconds east of UTC.
#[inline]
pub(crate) fn offset(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let (seconds, end) = match byte(bytes, at) {
        b'Z' | b'z' => (0, at + 1),
        b'U' | b'G' => match bytes.get(at..at + 3) {
            Some(b"UTC" | b"GMT") => (0, at + 3),
            _ => return None,
        },
        sign @ (b'+' | b'-') => {
            let hours = two(bytes, at + 1)?;
            let colon = usize::from(byte(bytes, at + 3) == b':');
            let (minutes, end) = match two(bytes, at + 3 + colon) {
                Some(minutes) => (minutes, at + 5 + colon),
                None => (0, at + 3),
            };
            // No zone is further from UTC than this, and all keep to quarters of an hour.
            if hours > 18 || minutes > 59 || minutes % 15 != 0 {
                return None;
            }
            let seconds = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
            (if sign == b'-' { -seconds } else { seconds }, end)
        }
        _ => return None,
    };
    (!byte(bytes, end).is_ascii_alphanumeric()).then_some((seconds, end))
}

/// A zone at this place or one space behind it. Behind a space a bare `+hh` could be any number, so
/// there it must have its minutes.
#[inline]
pub(crate) fn zone_after(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    if byte(bytes, at) != b' ' {
        return offset(bytes, at);
    }
    let found = offset(bytes, at + 1)?;
    let signed = matches!(byte(bytes, at + 1), b'+' | b'-');
    (!signed || found.1 >= at + 6).then_some(found)
}
