//! The date near the beginning of a source whose lines have only a time of day or the time since a start:
//! `12:30:01 (lmgrd) TIMESTAMP 2/28/2026`, `0.000 2026-02-28 12:30:00; Factorio`, `Linux (box) 02/28/2026`.

use super::When;
use super::civil::{DAY_NS, SECOND_NS};
use super::day::Days;
use super::epoch;
use super::find::{Spelling, announces, is_announced, is_delimited, scan};
use super::numeric_date::{DateOrder, date_alone};
use super::rules::FURTHEST_ZONE_NS;
use super::stamp::Stamp;
use crate::limits;

/// What a line near the beginning says about the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadDate {
    /// The first time of day is on this day: midnight of it on the wall clock.
    Midnight(i64),
    /// At this time the source had run for so long.
    Running { at: Stamp, uptime_ns: i64 },
}

/// This many lines from the first are examined.
const HEAD_LINES: usize = 40;

/// A time of day that is this small may be the time since a start.
const LONGEST_START_NS: i64 = 300 * SECOND_NS;

/// The time of day of a stamp at the end of its line differs by no more from that at its beginning.
const SAME_TIME_NS: i64 = 2 * SECOND_NS;

/// The furthest a date may be from the start of a line.
const DATE_WITHIN_BYTES: usize = 240;

/// Examines the first lines; for each `own` returns its time of day or uptime and the position after it.
pub(super) fn learn(
    lines: &[&[u8]],
    spelling: Spelling,
    own: impl Fn(&[u8]) -> Option<(i64, usize)>,
) -> Option<HeadDate> {
    let is_clock = spelling == Spelling::DayTime;
    let mut days = Days::starting(0);
    let (mut first, mut begun) = (None, None);
    for line in lines.iter().take(HEAD_LINES) {
        let found = own(line);
        let (time, from) = found.unwrap_or((0, 0));
        if let (Some(_), true) = (found, is_clock) {
            if let (Some(at), None) = (begun, first)
                && is_elapsed(time, &at)
            {
                return Some(HeadDate::Running { at, uptime_ns: 0 });
            }
            let wall = days.resolve(time);
            first = first.or(Some(wall));
        }
        if !is_clock
            && found.is_none()
            && let Some((at, uptime_ns)) = announced_start(line)
        {
            return Some(HeadDate::Running { at, uptime_ns });
        }
        if found.is_none() {
            begun = begun.or_else(|| begin_of_log(line));
        }
        let crossed = days.midnight_ns();
        if let Some((stamp, is_next)) = stamp_after(line, from) {
            let wall = stamp.wall_ns(1970);
            let since = time - wall.rem_euclid(DAY_NS);
            // A program says when it was started only after it has read its libraries.
            let is_start = (0..LONGEST_START_NS).contains(&since) && says_start(line, from);
            let is_same = since.abs() <= SAME_TIME_NS || is_start;
            match found {
                Some(_) if is_clock && is_same => {
                    return Some(HeadDate::Midnight(wall.div_euclid(DAY_NS) * DAY_NS - crossed));
                }
                Some(_) if is_next && (!is_clock || time < LONGEST_START_NS) => {
                    return Some(HeadDate::Running { at: stamp, uptime_ns: time });
                }
                _ => continue,
            }
        }
        // A date above the first time, or that ends its line.
        if is_clock
            && (found.is_some() || first.is_none())
            && let Some(day) = date_in(line, from, found.is_some())
        {
            return Some(HeadDate::Midnight(day * DAY_NS - crossed));
        }
    }
    None
}

/// The stamp at the end of a line that says when the log was begun: `log created on : Monday June 29 2026 @ 10:16:51`.
fn begin_of_log(line: &[u8]) -> Option<Stamp> {
    let (found, _) = scan(line, limits::STAMP_WITHIN_BYTES, DateOrder::Customary)?;
    let When::Stamp(stamp) = found.when else { return None };
    let ends = line[found.end..].iter().all(|byte| byte.is_ascii_punctuation() || *byte == b' ');
    (stamp.year.is_some() && ends && announces(&line[..found.start])).then_some(stamp)
}

/// Whether a line ends in a stamp after the name of a start: `Start Date/Time: September 3, 2026 9:13:38 AM CST`.
fn says_start(line: &[u8], from: usize) -> bool {
    let text = &line[from.min(line.len())..line.len().min(from + DATE_WITHIN_BYTES)];
    let Some((found, _)) = scan(text, text.len(), DateOrder::Customary) else { return false };
    let name = &text[..found.start];
    let is_start = |word: &[u8]| word.eq_ignore_ascii_case(b"start");
    let words = || name.split(|byte| !byte.is_ascii_alphabetic());
    let ends = line[from + found.end..].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b' ');
    ends && name.trim_ascii_end().ends_with(b":") && (announces(name) || words().any(is_start))
}

/// Whether the first time of day below the begin of a log is rather the time since it.
fn is_elapsed(time: i64, begun: &Stamp) -> bool {
    let since_midnight = begun.wall_ns(1970).rem_euclid(DAY_NS);
    time < LONGEST_START_NS && (since_midnight - time).abs() > DAY_NS / 24
}

/// A stamp and the uptime at that time: alone after the word `date`, above a recording that begins then; or
/// with the same instant as an epoch and the uptime in parentheses.
fn announced_start(line: &[u8]) -> Option<(Stamp, i64)> {
    let (found, _) = scan(line, limits::STAMP_WITHIN_BYTES, DateOrder::Customary)?;
    let When::Stamp(stamp) = found.when else { return None };
    stamp.year?;
    let (before, after) = (&line[..found.start], line[found.end..].trim_ascii());
    if after.is_empty() {
        return (before == b"date ").then_some((stamp, 0));
    }
    let mut numbers = after.strip_prefix(b"(")?.strip_suffix(b")")?.split(|&byte| byte == b' ');
    let (epoch, uptime, None) = (numbers.next()?, numbers.next()?, numbers.next()) else { return None };
    let distance = epoch::number(epoch)?.saturating_sub(stamp.wall_ns(1970)).abs();
    let seconds: f64 = std::str::from_utf8(uptime).ok()?.parse().ok()?;
    (distance <= FURTHEST_ZONE_NS).then_some((stamp, (seconds * SECOND_NS as f64) as i64))
}

/// A complete stamp after a position, and whether it follows directly or after a word like "opened".
fn stamp_after(line: &[u8], from: usize) -> Option<(Stamp, bool)> {
    let rest = &line[from.min(line.len())..line.len().min(from + DATE_WITHIN_BYTES)];
    let (found, _) = scan(rest, rest.len(), DateOrder::Customary)?;
    let When::Stamp(stamp) = found.when else { return None };
    stamp.year?;
    let before = rest[..found.start].trim_ascii();
    let last = before.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    Some((stamp, before.iter().all(u8::is_ascii_punctuation) || is_announced(last)))
}

/// The day number of a date without a time: anywhere in a line, or only at its end, perhaps in parentheses or
/// between dashes.
fn date_in(line: &[u8], from: usize, at_end: bool) -> Option<i64> {
    let end = line.len().min(from + DATE_WITHIN_BYTES);
    let begins = |at: usize| line[at].is_ascii_digit() || line[at].is_ascii_uppercase();
    (from..end).filter(|&at| begins(at) && is_delimited(line, at)).find_map(|at| {
        let (day, date_end) = date_alone(line, at)?;
        let rest = line[date_end..].trim_ascii();
        let is_alone =
            line.get(date_end).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b')' | b',' | b':'));
        let ends = || rest == b")" || rest.iter().all(|byte| *byte == b'-');
        (is_alone && (!at_end || ends())).then_some(day)
    })
}

/// The complete time of a line that begins with its time of day and ends with its date after the word
/// `TIMESTAMP`, as license servers write it a few times each day.
pub(super) fn dated(line: &[u8], time_of_day: i64) -> Option<When> {
    const WORD: &[u8] = b"TIMESTAMP ";
    if !line.last().is_some_and(u8::is_ascii_digit) || line.len() > 80 {
        return None;
    }
    let at = memchr::memmem::find(line, WORD)? + WORD.len();
    let (day, end) = date_alone(line, at)?;
    let (year, month, day) = super::civil::civil_from_days(day);
    let seconds = time_of_day / SECOND_NS;
    let part = |value: i64| u8::try_from(value).ok();
    (end == line.len()).then_some(When::Stamp(Stamp {
        year: Some(i16::try_from(year).ok()?),
        month,
        day,
        hour: part(seconds / 3_600)?,
        minute: part(seconds / 60 % 60)?,
        second: part(seconds % 60)?,
        nanos: u32::try_from(time_of_day % SECOND_NS).ok()?,
        zone: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::civil::civil_from_days;
    use super::super::undated::{day_time, uptime};
    use super::*;

    fn words(lines: &[&str], spelling: Spelling) -> String {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let read = if spelling == Spelling::DayTime { day_time } else { uptime };
        match learn(&lines, spelling, |line| read(line, 0)) {
            Some(HeadDate::Midnight(ns)) => format!("{:?}", civil_from_days(ns / DAY_NS)),
            Some(HeadDate::Running { at, uptime_ns }) => {
                format!("{:02}:{:02}:{:02} after {uptime_ns}", at.hour, at.minute, at.second)
            }
            None => String::new(),
        }
    }

    #[test]
    fn the_first_lines_have_a_date() {
        let clock = |lines: &[&str]| words(lines, Spelling::DayTime);
        assert_eq!(clock(&["12:30:01 (lmgrd) started (11/21/2026)"]), "(2026, 11, 21)");
        assert_eq!(clock(&["23:59:01 a", "0:10:01 b TIMESTAMP 11/22/2026"]), "(2026, 11, 21)");
        assert_eq!(clock(&["Linux 5.4 (box) \t11/21/2026 \t_x86_64_", "12:00:01 AM CPU"]), "(2026, 11, 21)");
        assert_eq!(clock(&["[x", "12:30:00 on Sat Nov 21 12:30:00 CET 2026"]), "(2026, 11, 21)");
        assert_eq!(clock(&["00:00:00.5 Log opened 2026-11-21T03:04:05Z"]), "03:04:05 after 500000000");
        let running = |lines: &[&str]| words(lines, Spelling::Uptime);
        assert_eq!(running(&["0.250 2026-11-21 03:04:05; x"]), "03:04:05 after 250000000");
        assert_eq!(running(&["date Sat Nov 21 03:04:05 2026", "0.250 x"]), "03:04:05 after 0");
        let pair = "Start at Sat Nov 21 03:04:05 2026 (1795230245.0 12.5)";
        assert_eq!(running(&[pair, "14.250 x"]), "03:04:05 after 12500000000");
        assert_eq!(running(&["0.250 built on 2026-11-21 03:04:05"]), "");
        // The date in a message, and of a build.
        assert_eq!(clock(&["12:30:01 valid until 11/21/2026 only", "12:30:02 x"]), "");
        assert_eq!(clock(&["00:00:00.1 x (Apr 28 2021 22:06:38) release"]), "");
    }

    #[test]
    fn a_line_may_say_its_date() {
        let stamp = |line: &str| dated(line.as_bytes(), 45_001 * SECOND_NS);
        assert!(matches!(
            stamp("12:30:01 (x) TIMESTAMP 2/28/2026"),
            Some(When::Stamp(Stamp {
                year: Some(2026),
                month: 2,
                day: 28,
                hour: 12,
                minute: 30,
                second: 1,
                ..
            }))
        ));
        assert_eq!(stamp("12:30:01 (x) until 2/28/2026"), None);
        assert_eq!(stamp("12:30:01 (x) TIMESTAMP 2/28/2026 x 1"), None);
    }
}
