//! The layouts of lines whose time is not at the usual position of their source: of a second logger, of a
//! library, of a program that the first one started. A layout is the text before the time, with marks
//! literally, and words and numbers by their kind.

use std::sync::Arc;

use super::civil::{DAY_NS, SECOND_NS};
use super::find::{FoundTime, Spelling, scan};
use super::numeric_date::DateOrder;
use super::rules::{TimeRules, is_complete};
use super::stamp::Stamp;
use super::undated::day_time;
use super::zone::Zone;
use super::{Clock, When};
use crate::limits;

/// The layouts of a source other than its usual one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeLayouts {
    /// The texts before the times.
    before: Arc<[Box<[u8]>]>,
    /// A time of day alone begins some lines.
    day_time: bool,
}

/// This many lines make a layout.
const FEWEST_LINES: usize = 2;

/// Lines of several threads and programs are slightly out of order.
const SLACK_NS: i64 = 5 * SECOND_NS;

/// A time of day is on the day of the stamps around it if it is no further from them than this.
const DAY_TIME_SLACK_NS: i64 = 2 * 3_600 * SECOND_NS;

/// The longest text before a time, as it is written in a layout.
const LONGEST_LAYOUT_BYTES: usize = 24;

impl TimeLayouts {
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && !self.day_time
    }

    /// The same, and more that were learned later.
    pub(crate) fn with(&self, later: &[Box<[u8]>]) -> TimeLayouts {
        TimeLayouts { before: self.before.iter().chain(later).cloned().collect(), ..self.clone() }
    }

    /// The time of a line that has one of the layouts.
    pub(crate) fn find(&self, line: &[u8], order: DateOrder) -> Option<FoundTime> {
        if line.first().is_none_or(u8::is_ascii_whitespace) {
            return None;
        }
        if !self.before.is_empty()
            && let Some((found, _)) = scan(line, limits::STAMP_WITHIN_BYTES, order)
            && !is_value(line, &found)
            && let Some(before) = layout(&line[..found.start])
            && self.before.iter().any(|known| **known == *before)
        {
            return Some(found);
        }
        self.day_time(line)
    }

    /// The layouts in addition to the usual one, which begins with its time. Their times fit between those of
    /// the lines around them, unlike dates in data.
    pub(super) fn additional(lines: &[&[u8]], found: &[Option<(FoundTime, Spelling)>]) -> TimeLayouts {
        let usual = || found.iter().map(|found| found.as_ref().filter(|(time, _)| is_anchored(time)));
        // Times without a year are compared as all of one year.
        let have_years = usual().flatten().any(|(time, _)| is_complete(&time.when));
        let instant = |when: &When| if have_years { complete(when) } else { complete(&in_one_year(when)) };
        let times: Vec<Option<i64>> = usual().map(|found| instant(&found?.0.when)).collect();
        let next = following(&times);
        let mut groups: Vec<(Vec<u8>, usize, usize)> = Vec::new();
        let mut days = DayTimes::default();
        let mut before = None;
        for (index, (line, found)) in lines.iter().zip(found).enumerate() {
            match found {
                Some((time, _)) if is_anchored(time) => {
                    before = times[index].or(before);
                    days.count(line, Some(time));
                }
                Some((time, _)) => {
                    if is_value(line, time) {
                        continue;
                    }
                    let Some(layout) = layout(&line[..time.start]) else { continue };
                    let fits = instant(&time.when).is_none_or(|ns| is_between(ns, before, next[index]));
                    count(&mut groups, layout, fits);
                }
                None => days.count(line, None),
            }
        }
        let before = groups.into_iter().filter(|&(_, lines, fitting)| is_layout(lines, fitting));
        TimeLayouts {
            before: before.map(|(layout, ..)| layout.into_boxed_slice()).collect(),
            day_time: days.are_layout(),
        }
    }

    /// The layouts of a source without a usual one, if together they cover nearly all lines with a time.
    pub(super) fn combined(lines: &[&[u8]], found: &[Option<(FoundTime, Spelling)>]) -> TimeLayouts {
        let mut groups: Vec<(Vec<u8>, usize, usize)> = Vec::new();
        let mut stamped = 0;
        let mut days = DayTimes::default();
        let (mut last, mut falling): (Vec<i64>, Vec<usize>) = (Vec::new(), Vec::new());
        for (line, found) in lines.iter().zip(found) {
            days.count(line, found.as_ref().map(|(time, _)| time));
            let Some((time, _)) = found else { continue };
            stamped += 1;
            let Some(layout) = layout(&line[..time.start]) else { continue };
            let ns = complete(&time.when).unwrap_or(i64::MIN);
            let at = groups.iter().position(|(known, ..)| *known == layout);
            let rises = at.is_none_or(|at| ns >= last[at].saturating_sub(SLACK_NS));
            if let Some(at) = at {
                falling[at] += usize::from(ns <= last[at].saturating_add(SLACK_NS));
                last[at] = ns;
            } else {
                last.push(ns);
                falling.push(1);
            }
            count(&mut groups, layout, rises);
        }
        // The latest event may come first.
        let is_in_order = |lines: usize, some: usize| some * 5 >= lines * 4;
        let mut falling = falling.into_iter();
        groups.retain(|&(_, lines, rising)| is_in_order(lines, rising.max(falling.next().unwrap_or(0))));
        // Where a layout repeats, a single word before a date is part of a text.
        if groups.iter().any(|(_, lines, _)| *lines > 1) {
            let texts = groups.extract_if(.., |(layout, lines, _)| *lines == 1 && layout == b"a ");
            stamped -= texts.count();
        }
        let covered: usize = groups.iter().map(|(_, lines, _)| lines).sum();
        if stamped < FEWEST_LINES || covered * 10 < stamped * 9 {
            return TimeLayouts::default();
        }
        let before = groups.into_iter().map(|(layout, ..)| layout.into_boxed_slice()).collect();
        TimeLayouts { before, day_time: days.are_layout() }
    }

    /// The time of a line that begins with a time of day, if some do.
    pub(crate) fn day_time(&self, line: &[u8]) -> Option<FoundTime> {
        self.day_time.then(|| begins_with_day_time(line))?
    }
}

/// The lines that begin with a time of day alone, and how many of these times fit after the stamps before them.
#[derive(Default)]
struct DayTimes {
    before: Option<i64>,
    lines: usize,
    fitting: usize,
}

impl DayTimes {
    fn count(&mut self, line: &[u8], found: Option<&FoundTime>) {
        if let Some(found) = found {
            self.before = time_of_day(&found.when).or(self.before);
            return;
        }
        let day = begins_with_day_time(line).and_then(|found| time_of_day(&found.when));
        if let (Some(day), Some(before)) = (day, self.before) {
            let distance = (day - before).rem_euclid(DAY_NS);
            self.lines += 1;
            self.fitting += usize::from(distance.min(DAY_NS - distance) <= DAY_TIME_SLACK_NS);
        }
    }

    fn are_layout(&self) -> bool {
        is_layout(self.lines, self.fitting)
    }
}

fn is_layout(lines: usize, fitting: usize) -> bool {
    lines >= FEWEST_LINES && fitting * 10 >= lines * 9
}

/// Whether nearly all times of other lines lie between those of the lines around them: for each line its
/// time, and whether it is another one. A time of another program without a zone may be in another zone, and
/// is then out of order.
pub(crate) fn fit_between(lines: &[(Option<FoundTime>, bool)]) -> bool {
    let ns = |time: &Option<FoundTime>| time.as_ref().and_then(|time| complete(&time.when));
    let usual: Vec<Option<i64>> =
        lines.iter().map(|(time, is_other)| ns(time).filter(|_| !is_other)).collect();
    let next = following(&usual);
    let (mut before, mut others, mut fitting) = (None, 0, 0);
    for (index, (time, is_other)) in lines.iter().enumerate() {
        before = usual[index].or(before);
        if *is_other {
            others += 1;
            fitting += usize::from(ns(time).is_none_or(|ns| is_between(ns, before, next[index])));
        }
    }
    fitting * 10 >= others * 9
}

/// A line of another program is not so much later than the event before it.
const LONGEST_PAUSE_NS: i64 = DAY_NS;

/// Whether a time of another layout fits after that of the event before it.
pub(crate) fn fits_after(ns: i64, before: i64) -> bool {
    (before.saturating_sub(SLACK_NS)..=before.saturating_add(LONGEST_PAUSE_NS)).contains(&ns)
}

fn is_between(ns: i64, before: Option<i64>, next: Option<i64>) -> bool {
    before.is_none_or(|before| ns >= before - SLACK_NS) && next.is_none_or(|next| ns <= next + SLACK_NS)
}

fn count(groups: &mut Vec<(Vec<u8>, usize, usize)>, layout: Vec<u8>, fits: bool) {
    match groups.iter_mut().find(|(known, ..)| *known == layout) {
        Some((_, lines, fitting)) => {
            *lines += 1;
            *fitting += usize::from(fits);
        }
        None => groups.push((layout, 1, usize::from(fits))),
    }
}

fn is_anchored(time: &FoundTime) -> bool {
    time.start <= limits::STAMP_ANCHORED_BYTES
}

/// The layout of a line that has a time near its start, and the time.
pub(crate) fn layout_of(line: &[u8], rules: &TimeRules) -> Option<(Vec<u8>, FoundTime)> {
    let (found, _) = scan(line, limits::STAMP_WITHIN_BYTES, rules.order)?;
    layout(&line[..found.start]).map(|before| (before, found))
}

/// The layout of a line whose time was found; empty if its time begins it.
pub(crate) fn layout_of_found(line: &[u8], found: &FoundTime) -> Vec<u8> {
    let before = if is_anchored(found) { None } else { layout(&line[..found.start]) };
    before.unwrap_or_default()
}

/// A layout for a person: `number word word [time`. `None` is that of events without a time.
pub(crate) fn layout_in_words(layout: Option<&[u8]>) -> String {
    let Some(layout) = layout else { return "no time".to_owned() };
    if layout == b"T" {
        return "time of day".to_owned();
    }
    let words = layout.iter().map(|byte| match byte {
        b'a' => "word".to_owned(),
        b'0' => "number".to_owned(),
        other => char::from(*other).to_string(),
    });
    words.chain(["time".to_owned()]).collect()
}

/// The instant of a time with its date; without a zone it is taken as UTC.
pub(crate) fn instant(when: &When) -> Option<i64> {
    complete(when)
}

/// The instant of a complete time; without a zone it is taken as UTC.
fn complete(when: &When) -> Option<i64> {
    let when = match when {
        When::Stamp(stamp) => When::Stamp(Stamp { zone: stamp.zone.or(Some(0)), ..*stamp }),
        other => *other,
    };
    is_complete(&when).then(|| Clock::new(Zone::UTC).ns(&when))
}

fn in_one_year(when: &When) -> When {
    match when {
        When::Stamp(stamp) => When::Stamp(Stamp { year: Some(LEAP_YEAR), ..*stamp }),
        other => *other,
    }
}

/// Any one in which 29 February exists.
const LEAP_YEAR: i16 = 2024;

/// For each line the next time after it.
fn following(times: &[Option<i64>]) -> Vec<Option<i64>> {
    let mut next = None;
    let mut following: Vec<Option<i64>> = times
        .iter()
        .rev()
        .map(|time| {
            let following = next;
            next = time.or(next);
            following
        })
        .collect();
    following.reverse();
    following
}

fn time_of_day(when: &When) -> Option<i64> {
    match when {
        When::Stamp(stamp) => {
            let minutes = i64::from(stamp.hour) * 60 + i64::from(stamp.minute);
            Some((minutes * 60 + i64::from(stamp.second)) * SECOND_NS)
        }
        When::TimeOfDay(ns) => Some(*ns),
        When::Instant(_) | When::Uptime(_) => None,
    }
}

/// A time of day with seconds, at the start of a line or after a bracket there.
fn begins_with_day_time(line: &[u8]) -> Option<FoundTime> {
    let start = usize::from(matches!(line.first(), Some(b'[' | b'(')));
    let (ns, end) = day_time(line, start)?;
    (end >= start + "1:02:03".len()).then_some(FoundTime { when: When::TimeOfDay(ns), start, end })
}

/// Whether a line is a name, a colon and a time: the time is a value of an event that began earlier.
fn is_value(line: &[u8], time: &FoundTime) -> bool {
    let name = line[..time.start].trim_ascii_end();
    let is_of_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-');
    line[time.end..].trim_ascii().is_empty()
        && name.strip_suffix(b":").is_some_and(|name| !name.is_empty() && name.iter().all(is_of_name))
}

/// Whether a time after this text may be that of its line.
pub(super) fn may_begin_line(before: &[u8]) -> bool {
    layout(before).is_some()
}

/// The start of a line that is a JSON object.
const OBJECT: &[u8] = b"{\"";

/// The text before a time in the notation of layouts: marks as they are, words and numbers by their kind.
/// `None` if it is rather part of a text: after a quote, a tag, the name of a value, or several words.
fn layout(before: &[u8]) -> Option<Vec<u8>> {
    // The rows of a printed table.
    if before.starts_with(b"|") {
        return None;
    }
    if before.starts_with(OBJECT) {
        return Some(OBJECT.to_vec());
    }
    let mut out = Vec::new();
    let (mut at, mut depth, mut words) = (0, 0_i32, 0);
    while let Some(&byte) = before.get(at) {
        let from = at;
        at += 1;
        match byte {
            b'"' | b'\'' | b'=' | b'{' | b'}' | b'`' => return None,
            b' ' | b'\t' => {
                at += before[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                out.push(b' ');
            }
            _ if is_of_word(byte) => {
                at += before[at..].iter().take_while(|byte| is_of_word(**byte)).count();
                let word = &before[from..at];
                let is_number = !word.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
                // Words between tabs or bars are columns, not a sentence.
                let is_column = matches!(before.get(at), Some(b'\t' | b'|' | b'!' | b';' | b'#'));
                words += usize::from(depth <= 0 && !is_column && word.iter().all(u8::is_ascii_alphabetic));
                out.push(if is_number && word != b"-" { b'0' } else { b'a' });
            }
            b'<' if matches!(before.get(at), Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z')) => {
                return None;
            }
            _ => {
                depth += i32::from(matches!(byte, b'[' | b'(')) - i32::from(matches!(byte, b']' | b')'));
                out.push(byte);
            }
        }
    }
    (words <= 1 && out.len() <= LONGEST_LAYOUT_BYTES).then_some(out)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_.-/:@%+$".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, expected: Option<&str>) {
        let layout = layout(before.as_bytes());
        assert_eq!(layout.map(|layout| String::from_utf8_lossy(&layout).into_owned()).as_deref(), expected);
    }

    #[test]
    fn lines_of_one_program_have_one_layout() {
        for before in ["192.0.2.4 - - [", "198.51.100.77 - - ["] {
            check(before, Some("0 a a ["));
        }
        check("192.0.2.4 - ines [", Some("0 a a ["));
        for before in ["[stats:debug,", "[ns_server:info,"] {
            check(before, Some("[a,"));
        }
        check("6e1f0a3c-2f1b-4f60 ", Some("a "));
        check("[pool 3 of main] ", Some("[a 0 a a] "));
    }

    #[test]
    fn layouts_are_worded() {
        let words = |before: &str| layout_in_words(layout(before.as_bytes()).as_deref());
        assert_eq!(words("192.0.2.4 - ines ["), "number word word [time");
        assert_eq!(words(""), "time");
        assert_eq!(layout_in_words(None), "no time");
    }

    #[test]
    fn text_before_a_date_within_a_sentence_is_no_layout() {
        for before in
            ["WHERE placed_at > '", "<at>", "at=", "\"at\":\"", "Copyright of ", "\u{2014} started at "]
        {
            check(before, None);
        }
    }
}
