//! Records whose time is not at the start of their first line: a heading line that all of them have, then lines,
//! and one of these has the time; or names and values that may begin with the time. Alerts and audits are
//! written so, reports of errors, the events that a tool prints, and the history of a repository.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::{memchr, memchr2, memrchr};

use super::json::begins_with_object;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::level_words::from_word_of_any_language;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::When;
use crate::time::epoch;
use crate::time::find::{FoundTime, scan};
use crate::time::numeric_date::DateOrder;

/// A record of many lines fits as a whole, so it outweighs the single lines that others read of it.
pub(crate) static FORMAT: Format = Format {
    name: "records",
    title: "records with a time below their first line",
    weight: 2.0,
    preamble: Some(|event| lines_of(event).all(is_between)),
    learn: |sample, setup| learn(sample, setup).unwrap_or_default(),
    reader: |setup| {
        let shape = setup.learned.records.clone();
        Box::new(RecordReader { shape, order: setup.times.order, named: NamedColumns::default() })
    },
    ..Format::LINES
};

/// What the records of a source have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordShape {
    /// The names of the values that many records have on lines of their own, `Name: value`.
    names: Vec<ValueName>,
    time: RecordTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ValueName {
    name: Box<[u8]>,
    /// Nearly all records have it, so it is no part of a text before it.
    is_usual: bool,
}

/// How the time of a record is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RecordTime {
    /// Below the first line.
    #[default]
    Below,
    /// In the first line, after its name.
    Named,
    /// Below the first line, as a number since 1970.
    Epoch,
}

impl RecordTime {
    fn find(self, line: &[u8], order: DateOrder) -> Option<FoundTime> {
        if self == RecordTime::Epoch {
            return epoch_value(line);
        }
        scan(line, limits::STAMP_WITHIN_BYTES, order).map(|(found, _)| found)
    }
}

/// A number since 1970 that is the value of a name, an item of a list or the first of several values.
fn epoch_value(line: &[u8]) -> Option<FoundTime> {
    let within = line.len().min(limits::STAMP_WITHIN_BYTES);
    let follows_mark = |at: usize| {
        let before = line[..at].trim_ascii_end();
        before.len() < at && before.last().is_some_and(|byte| matches!(byte, b':' | b'=' | b')'))
    };
    (1..within).filter(|&at| line[at].is_ascii_digit() && follows_mark(at)).find_map(|start| {
        let (ns, end) = epoch::delimited(line, start)?;
        (EPOCHS.contains(&ns)).then_some(FoundTime { when: When::Instant(ns), start, end })
    })
}

/// Numbers of these years are times of logs; others with as many digits may be anything.
const EPOCHS: std::ops::Range<i64> = 1_000_000_000_000_000_000..2_808_000_000_000_000_000;

/// The time is within this many lines after the first.
const TIME_WITHIN_LINES: usize = 12;

/// A time that begins its line is this close to the first line of the record.
const BARE_TIME_WITHIN_LINES: usize = 3;

/// This many lines of a sample are examined.
const LINES_LEARNED: usize = 2_000;

/// The longest first word of a record, and the longest name of a value.
const LONGEST_WORD_BYTES: usize = 40;

const MOST_NAMES: usize = 40;

/// The first word of a line, with numbers and ids by their kind; `None` for a line that is indented, blank
/// or a ruler.
fn first_word(line: &[u8]) -> Option<Vec<u8>> {
    if line.first().is_none_or(u8::is_ascii_whitespace) || is_ruler(line) {
        return None;
    }
    let end = line.iter().take(LONGEST_WORD_BYTES).position(u8::is_ascii_whitespace);
    let word = &line[..end.unwrap_or(line.len().min(LONGEST_WORD_BYTES))];
    let mut out = Vec::with_capacity(word.len());
    for run in word.chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric()) {
        if run.iter().any(u8::is_ascii_digit) {
            out.push(b'0');
        } else {
            out.extend_from_slice(run);
        }
    }
    Some(out)
}

/// A line of marks between two records.
pub(super) fn is_ruler(line: &[u8]) -> bool {
    line.len() >= 8 && line.iter().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'#' | b'_' | b' '))
}

/// A blank line, a ruler, or a bracket that closes a record.
fn is_between(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), b"" | b"}" | b"};" | b"]" | b")") || is_ruler(line)
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Whether a line is neither blank nor indented.
fn is_flush(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| !byte.is_ascii_whitespace())
}

/// Whether most lines begin with a time. They are events of their own, and the repeated lines are between
/// their sections.
fn are_stamped(lines: &[&[u8]], times: &[Option<FoundTime>], places: &[usize]) -> bool {
    let (mut flush, mut stamped) = (0, 0);
    let of_records = lines.iter().zip(times).skip(places[0]);
    for (line, time) in of_records.filter(|(line, _)| is_flush(line) && !is_ruler(line)) {
        flush += 1;
        stamped += usize::from(time.as_ref().is_some_and(|time| begins_with_time(line, time)));
    }
    stamped * 2 > flush - places.len() && stamped * 2 > places.len() * 3
}

/// Whether a line begins with its time, as the events of most logs do.
fn begins_with_time(line: &[u8], found: &FoundTime) -> bool {
    !line[0].is_ascii_whitespace() && found.start <= limits::STAMP_ANCHORED_BYTES
}

fn learn(sample: &[u8], setup: &Setup) -> Option<Learned> {
    if begins_with_object(sample) {
        return None;
    }
    let order = setup.times.order;
    let lines: Vec<&[u8]> = lines_of(sample).take(LINES_LEARNED).collect();
    let kinds = [RecordTime::Below, RecordTime::Epoch];
    kinds.into_iter().find_map(|kind| {
        let times: Vec<Option<FoundTime>> = lines.iter().map(|line| kind.find(line, order)).collect();
        begun_by_word(&lines, &times, kind).or_else(|| begun_flush(&lines, &times, kind))
    })
}

/// Records that begin with the same word.
fn begun_by_word(lines: &[&[u8]], times: &[Option<FoundTime>], kind: RecordTime) -> Option<Learned> {
    let first_time = times.iter().position(Option::is_some)?;
    // A block of lines that begins with a time is an event of another kind of log.
    let follows_gap = |at: usize| at == 0 || is_between(lines[at - 1]);
    let is_bare = |at: usize| times[at].as_ref().is_some_and(|time| begins_with_time(lines[at], time));
    let stamped_blocks = (0..lines.len()).filter(|&at| is_bare(at) && follows_gap(at)).count();
    let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(word) = first_word(line) {
            places.entry(word).or_default().push(at);
        }
    }
    let fits = |places: &[usize]| {
        let count = places.len();
        let nearly_all = |some: usize| some * 10 >= count * 9;
        if count < 2 || places[0] > first_time {
            return false;
        }
        if !nearly_all(places.iter().filter(|&&at| follows_gap(at)).count())
            || are_stamped(lines, times, places)
        {
            return false;
        }
        if places.iter().any(|&at| times[at].is_some()) {
            return are_named(lines, times, places);
        }
        if stamped_blocks * 10 > count {
            return false;
        }
        let ends = places.iter().skip(1).copied().chain([lines.len()]);
        let distances: Vec<(usize, bool)> = places
            .iter()
            .zip(ends)
            .filter_map(|(&from, end)| {
                let to = end.min(from + 1 + TIME_WITHIN_LINES);
                let at = (from + 1..to).find(|&at| times[at].is_some())?;
                Some((at - from, is_bare(at)))
            })
            .collect();
        // The last record may be cut.
        let with_time = distances.len() + usize::from(distances.len() + 1 == count && count > 2);
        let bare = distances.iter().filter(|(_, is_bare)| *is_bare).count();
        let distance = distances.first().map_or(0, |(distance, _)| *distance);
        let same = distances.iter().filter(|(other, _)| *other == distance).count();
        let is_near = distance <= BARE_TIME_WITHIN_LINES && same * 10 >= distances.len() * 9;
        nearly_all(with_time) && (bare * 10 <= count || is_near)
    };
    let fitting = places.into_iter().filter(|(_, places)| fits(places));
    // The line that comes first in a record begins it.
    let (word, places) = fitting.max_by_key(|(_, places)| (places.len(), std::cmp::Reverse(places[0])))?;
    let names = names(lines, &places);
    let time = if times[places[0]].is_some() { RecordTime::Named } else { kind };
    let shape = RecordShape { names, time };
    let begins = move |line: &[u8]| first_word(line).is_some_and(|first| first == word);
    Some(Learned { records: Some(Arc::new(shape)), ..Learned::starting(begins) })
}

/// Whether records are lists of names and values that begin with their time.
fn are_named(lines: &[&[u8]], times: &[Option<FoundTime>], places: &[usize]) -> bool {
    let begins_with_time = |at: usize| {
        let value = name_and_value(lines[at]).map(|(_, value)| value);
        times[at].as_ref().is_some_and(|time| Some(time.start) == value)
    };
    let named = lines[places[0]..].iter().filter(|line| name_and_value(line).is_some()).count();
    places.iter().all(|&at| begins_with_time(at)) && named >= places.len() * FEWEST_NAMED
}

/// A list has this many names and values.
const FEWEST_NAMED: usize = 3;

/// Records that are a line without a time, and indented lines: one of the first has it.
fn begun_flush(lines: &[&[u8]], times: &[Option<FoundTime>], kind: RecordTime) -> Option<Learned> {
    let places: Vec<usize> = (0..lines.len()).filter(|&at| is_flush(lines[at])).collect();
    if places.len() < 2
        || places[0] > 0
        || places.iter().any(|&at| times[at].is_some() || is_ruler(lines[at]))
    {
        return None;
    }
    let has_time = |&at: &usize| {
        let to = lines.len().min(at + 1 + BARE_TIME_WITHIN_LINES);
        (at + 1..to).take_while(|&below| !is_flush(lines[below])).any(|below| times[below].is_some())
    };
    let with_time = places.iter().filter(|at| has_time(at)).count();
    if with_time * 10 < places.len() * 9 {
        return None;
    }
    let shape = RecordShape { names: names(lines, &places), time: kind };
    Some(Learned { records: Some(Arc::new(shape)), ..Learned::starting(is_flush) })
}

/// The names that at least half of the records have.
fn names(lines: &[&[u8]], places: &[usize]) -> Vec<ValueName> {
    let mut counts: Vec<(&[u8], usize)> = Vec::new();
    for line in &lines[places[0]..] {
        let Some((name, _)) = name_and_value(line) else { continue };
        let may_add = counts.len() < MOST_NAMES * 4;
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None if may_add => counts.push((name, 1)),
            None => {}
        }
    }
    let usual = counts.into_iter().filter(|(_, count)| count * 2 >= places.len());
    let name = |(name, count): (&[u8], usize)| ValueName {
        name: name.into(),
        is_usual: count * 10 >= places.len() * 9,
    };
    usual.take(MOST_NAMES).map(name).collect()
}

/// `Event ID: 7036`, `Machine Id:      00F6`, `Type : x`, `Agent   = y`: the name, and where the value begins.
fn name_and_value(line: &[u8]) -> Option<(&[u8], usize)> {
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let within = line[indent..].get(..LONGEST_WORD_BYTES.min(line.len() - indent))?;
    let mark = indent + memchr2(b':', b'=', within)?;
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    // Without spaces around it, an equals sign is part of a text.
    let is_separate = line[mark] == b':' || line[indent..mark].last().is_some_and(is_space);
    if !is_separate || line.get(mark + 1).is_some_and(|byte| !is_space(byte)) {
        return None;
    }
    let name = line[indent..mark].trim_ascii_end();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'/' | b'_' | b'-');
    let words = name.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
    let is_name =
        name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_of_name) && words <= 3;
    let value = mark + 1;
    let spaces = line[value..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    is_name.then_some((name, value + spaces))
}

struct RecordReader {
    shape: Option<Arc<RecordShape>>,
    order: DateOrder,
    named: NamedColumns,
}

/// The names of a level and of the text of a record.
const LEVEL_NAMES: [&[u8]; 5] = [b"level", b"severity", b"type", b"loglevel", b"leveldisplayname"];
const MESSAGE_NAMES: [&[u8]; 3] = [b"message", b"description", b"msg"];

fn is_one_of(name: &[u8], names: &[&[u8]]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

impl Reader for RecordReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let Some(shape) = self.shape.clone() else { return Err("no records were learned") };
        self.named.begin();
        let mut at = 0;
        let mut time_end = None;
        let mut message: Option<MessageLines> = None;
        let (mut level, mut has_level) = (None, false);
        for (index, line) in lines_of(event).enumerate() {
            let from = at;
            at = from + memchr(b'\n', &event[from..]).map_or(event.len() - from, |length| length + 1);
            if (index > 0 || shape.time == RecordTime::Named)
                && index <= TIME_WITHIN_LINES
                && time_end.is_none()
                && let Some(found) = shape.time.find(line, self.order)
            {
                rows.when(&found.when);
                time_end = Some((from + found.end, from + line.len()));
            }
            if level.is_none() && index <= BARE_TIME_WITHIN_LINES {
                level = level::find(line, 0, limits::LEVEL_WITHIN_BYTES).map(|word| word.level);
            }
            let Some((name, value)) = name_and_value(line) else { continue };
            let Some(known) = shape.names.iter().find(|known| *known.name == *name) else { continue };
            let is_message = is_one_of(name, &MESSAGE_NAMES);
            let indent = line.len() - line.trim_ascii_start().len();
            match &mut message {
                None if is_message => {
                    message = Some(MessageLines { from: from + value, indent, to: None });
                    continue;
                }
                // The text goes on.
                Some(MessageLines { indent: of_message, to: None, .. })
                    if is_message || !known.is_usual || *of_message != indent =>
                {
                    continue;
                }
                Some(MessageLines { to: to @ None, .. }) => *to = Some(from),
                Some(_) if is_message => continue,
                _ => {}
            }
            let to = value + line[value..].trim_ascii_end().len();
            if is_one_of(name, &LEVEL_NAMES)
                && !has_level
                && let Some(word) = level_of(&line[value..to])
            {
                (level, has_level) = (Some(word), true);
            }
            if value < to {
                let event_line = &event[..from + to];
                self.named.value(name, event_line, from + value, from + to, rows);
            }
        }
        if let Some(level) = level {
            rows.set_level(level);
        }
        let mut to = message.as_ref().and_then(|message| message.to).unwrap_or(event.len());
        to = without_end(&event[..to]);
        let mut message = message.map(|message| message.from);
        if message.is_none()
            && let Some((end, line_end)) = time_end
            && event[end..line_end].iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 4
        {
            message = Some(end);
        }
        if let Some(from) = message {
            let from = from + event[from..].iter().take_while(|byte| !is_of_text(**byte)).count();
            if from < to {
                self.named.text(b"message", from, to, rows);
            }
        }
        if time_end.is_some() { Ok(Fit::Whole) } else { Err("no time in its first lines") }
    }
}

/// The text of a record, which extends to the next usual name or to the record's end.
struct MessageLines {
    from: usize,
    /// The indentation of the line that names it; the names after it have the same.
    indent: usize,
    to: Option<usize>,
}

/// Where the text ends without the rulers and blank lines at its end.
fn without_end(text: &[u8]) -> usize {
    let mut to = text.trim_ascii_end().len();
    while let Some(newline) = memrchr(b'\n', &text[..to]).filter(|newline| is_ruler(&text[newline + 1..to])) {
        to = text[..newline].trim_ascii_end().len();
    }
    to
}

fn is_of_text(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b']' | b')' | b'>' | b':' | b',' | b'|' | b';')
}

fn level_of(value: &[u8]) -> Option<Level> {
    level::from_word(value).or_else(|| from_word_of_any_language(value))
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        let alert = "** Alert 1: - syslog\n2026 Nov 21 03:04:05 box->x\nRule: 5 fired";
        let printed = "Event[0]:\n  Level: Error\n  Date: 2026-11-21T03:04:05.5\n  Event ID: 7\n  Description: \nIt failed.\nTwice.";
        for (record, expected) in [
            (alert, r#"2026-11-21T03:04:05Z - message="box->x\nRule: 5 fired" Rule="5 fired""#),
            (
                printed,
                r#"2026-11-21T03:04:05.5Z error Level="Error" Date="2026-11-21T03:04:05.5" Event ID=7 message="It failed.\nTwice.""#,
            ),
        ] {
            let text = format!("{record}\n\n{record}\n");
            let read = render(&FORMAT, &text);
            let mut read: Vec<&str> = read.split(' ').collect();
            let mut expected: Vec<&str> = expected.split(' ').collect();
            read.sort_unstable();
            expected.sort_unstable();
            assert_eq!(read, expected, "{record}");
        }
    }

    #[test]
    fn lines_that_begin_with_their_time_are_no_records() {
        for text in [
            "2026-11-21 03:04:05 ERROR x\n\njava.lang.Error: x\n\n2026-11-21 03:04:06 ERROR x\n\njava.lang.Error: x\n",
            "Report\nDate: 2026-11-21 03:04:05\n",
            "a\nb\n\na\nb\n",
        ] {
            assert_eq!(render(&FORMAT, text), "unparsed: no records were learned", "{text}");
        }
    }
}
