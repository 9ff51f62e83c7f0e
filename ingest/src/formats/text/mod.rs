//! Any other text. The common structure of its lines is learned from a sample: where an event begins, the
//! positions of its time, level, thread and logger, and which `key=value` pairs it has.

mod event_starts;
mod ids;
mod labelled_time;
mod level_marks;
mod level_words;
mod pairs;
mod prefix_layout;
mod prefix_token;

use std::sync::Arc;

use memchr::memchr;

use super::json::{JsonBody, is_whole_object};
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::frame::Framing;
use crate::level::{self, LevelWord};
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::other_lines::is_object;
use crate::rows::{ColumnKind, Rows};
use crate::time::field::TimeField;
use crate::time::find::{FoundTime, find};
use crate::time::rules::TimeRules;
use event_starts::{SecondLine, Starts};
pub(crate) use event_starts::{
    TRACEBACK, begins_with_level_in_brackets, continues_trace, level_in_capitals_before_colon,
};
use ids::IdMarks;
pub(crate) use level_marks::letter_of_stamp;
use level_marks::{LevelMark, letter_after_zone, letter_in_brackets, level_of_device};
use pairs::PairNames;
use prefix_layout::{PrefixFields, PrefixLayout};
use prefix_token::{skip_separators, skip_spaces};

/// Any line fits, so a fit means little: a known format that fits two lines in five is preferred.
pub(crate) static FORMAT: Format = Format {
    name: "text",
    title: "lines of text",
    weight: 0.4,
    preamble: Some(event_starts::are_comments),
    learn,
    reader: |setup| Box::new(TextReader::new(setup)),
    ..Format::LINES
};

/// The common structure of a source's lines.
#[derive(Clone, Default)]
pub(crate) struct TextShape {
    times: TimeRules,
    /// Before the time.
    before: PrefixLayout,
    /// After the time, or from the start of lines that have none; the most frequent layout first.
    after: Vec<PrefixLayout>,
    /// Most lines end with their logger in parentheses.
    ends_with_logger: bool,
    /// Where the level may be, if not in the first line.
    second_line: Option<SecondLine>,
    level_mark: Option<LevelMark>,
    pairs: PairNames,
    ids: IdMarks,
    /// The name before the time, if lines have no other.
    time_label: Option<Arc<TimeField>>,
}

impl TextShape {
    /// The same, with more layouts of times.
    pub(crate) fn with_times(&self, times: &TimeRules) -> TextShape {
        TextShape { times: times.clone(), ..self.clone() }
    }
}

/// This many lines of a sample are enough to learn from.
const LINES_LEARNED: usize = 1_000;

fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let lines: Vec<&[u8]> = sample
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty())
        .take(LINES_LEARNED)
        .collect();
    let rules = setup.times.clone();
    let times: Vec<Option<(usize, usize)>> = lines
        .iter()
        .map(|line| find(line, &rules).map(|time| (time.start, padded_end(line, time.end))))
        .collect();
    let stamped = || lines.iter().zip(&times).filter_map(|(line, time)| Some((*line, (*time)?)));
    let prefixes: Vec<(&[u8], usize)> =
        stamped().map(|(line, (start, _))| (&line[..start], prefix_start(&line[..start]))).collect();
    let before = if prefixes.is_empty() { PrefixLayout::default() } else { prefix_layout::learn(&prefixes) };
    let Starts { begins, by_level } = event_starts::learn(&lines, &times, &rules, &before);
    let with_time = stamped().count() > 0 && !by_level;
    let starting: Vec<(&[u8], usize)> = lines
        .iter()
        .zip(&times)
        .filter(|(line, time)| begins(line) && (!with_time || time.is_some()))
        .map(|(line, time)| (*line, time.map_or(0, |(_, end)| end)))
        .collect();
    // The text before a time within a message belongs to the message.
    let before = if by_level { PrefixLayout::default() } else { before };
    let mut text = TextShape { times: rules.clone(), before, ..TextShape::default() };
    let ending = starting.iter().filter(|(line, from)| logger_at_end(line, *from).is_some()).count();
    text.ends_with_logger = ending > 0 && ending * 5 >= starting.len() * 3;
    let headed: Vec<(&[u8], usize)> =
        starting.iter().map(|&(line, from)| (&line[..text.header_end(line, from)], from)).collect();
    text.after = prefix_layout::learn_several(&headed);
    if !with_time {
        // Without a time, only a level or a bracket shows that there is a prefix before the message.
        text.after.retain(PrefixLayout::has_level);
    }
    text.level_mark = LevelMark::learn(&starting);
    if text.level_mark == Some(LevelMark::CodeAfterBracket) {
        // Otherwise the code would be taken for a logger.
        text.after.clear();
    }
    text.second_line = SecondLine::learn(&lines, &*begins);
    let paired: Vec<(&[u8], usize)> =
        starting.iter().map(|&(line, end)| (line, pairs_from(find(line, &rules).as_ref(), end))).collect();
    text.pairs = PairNames::learn(&paired);
    let with_requests = lines.iter().filter(|line| event_starts::begins_request(line)).map(|line| (*line, 0));
    text.ids = IdMarks::learn(&starting.iter().copied().chain(with_requests).collect::<Vec<_>>());
    let mut time_options = Arc::default();
    if stamped().count() == 0 {
        (text.time_label, time_options) = labelled_time::learn(&lines, setup.time_field.as_deref());
    }
    let text = Some(Arc::new(text));
    Learned { framing: Framing::Starts(begins), text, time_options, ..Learned::default() }
}

/// Pairs follow a time that begins the line, or surround one within it.
fn pairs_from(time: Option<&FoundTime>, end: usize) -> usize {
    if time.is_none_or(|time| time.start <= limits::STAMP_ANCHORED_BYTES) { end } else { 0 }
}

/// Skips a bracket that opens before the time and closes after it.
fn prefix_start(prefix: &[u8]) -> usize {
    let opens = matches!(prefix.first(), Some(b'[' | b'(' | b'<'));
    usize::from(opens && !prefix.iter().any(|byte| matches!(byte, b']' | b')' | b'>')))
}

struct TextReader {
    text: Arc<TextShape>,
    named: NamedColumns,
    /// Some lines may be JSON between those of text.
    body: JsonBody,
}

impl TextReader {
    fn new(setup: &Setup) -> TextReader {
        let unlearned = || Arc::new(TextShape { times: setup.times.clone(), ..TextShape::default() });
        TextReader {
            text: setup.learned.text.clone().unwrap_or_else(unlearned),
            named: NamedColumns::default(),
            body: JsonBody::default(),
        }
    }

    fn put_header(&mut self, header: &PrefixFields, event: &[u8], rows: &mut Rows) {
        for (name, value) in [(&b"pid"[..], header.pid), (b"event_id", header.event_id)] {
            if let Some(value) = value
                && let Some(column) = self.named.column(name, ColumnKind::Int, rows)
            {
                rows.int(column, value);
            }
        }
        let (mut thread, mut logger) = (header.thread, header.logger);
        if let (Some((from, to)), None) = (thread, logger)
            && let Some((class, line)) = class_in_thread(&event[from..to])
        {
            (thread, logger) = (Some((from, from + class - 1)), Some((from + class, from + line - 1)));
            self.named.value(b"source_line", event, from + line, to, rows);
        }
        let places = [
            (&b"thread"[..], thread),
            (b"logger", logger),
            (b"user", header.user),
            (b"context", header.context),
        ];
        for (name, place) in places {
            let Some((from, to)) = place else { continue };
            self.named.text(name, from, to, rows);
        }
        if let Some((from, to)) = header.trace
            && let Some((trace, span)) = ids::trace_in_brackets(&event[from..to])
        {
            self.named.text(b"trace_id", from + trace.0, from + trace.1, rows);
            self.named.text(b"span_id", from + span.0, from + span.1, rows);
        }
    }

    /// The format of `java.util.logging`: class and method after the time, level and message on the next
    /// line.
    fn put_second_line(
        &mut self,
        event: &[u8],
        from: usize,
        line_end: usize,
        rows: &mut Rows,
    ) -> Option<usize> {
        let second = event.len() - second_line(event).len();
        let (level, after) = event_starts::level_before_colon(&event[second..])?;
        rows.set_level(level);
        let names = &event[from..line_end];
        let class = skip_spaces(names, 0);
        let length = names[class..].iter().position(|byte| *byte == b' ').unwrap_or(names.len() - class);
        if length > 0 && names[class].is_ascii_alphabetic() {
            self.named.text(b"logger", from + class, from + class + length, rows);
        }
        Some(skip_spaces(event, second + after))
    }
}

impl Reader for TextReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if is_object(event) {
            if self.body.read(event, 0, rows) {
                return Ok(Fit::Whole);
            }
            // What was read of a torn object.
            rows.clear();
        }
        let text = Arc::clone(&self.text);
        let line = first_line(event);
        let time = find(line, &text.times);
        let (start, end) = time.map_or((0, 0), |time| (time.start, padded_end(line, time.end)));
        if let Some(time) = &time {
            rows.when(&time.when);
        } else if let Some(label) = &text.time_label
            && let Some(when) = labelled_time::find(line, label)
        {
            rows.when(&when);
        }
        self.named.begin();
        let header = text.header(line, start, end);
        self.put_header(&header, event, rows);
        if is_uuid_and_space(&line[..start]) {
            self.named.text(b"uuid", 0, start - 1, rows);
        }
        let begins_with_time =
            time.is_some() && (start <= limits::STAMP_ANCHORED_BYTES || !text.times.layouts.is_empty());
        let mut message =
            (header.found > 0 || begins_with_time).then(|| skip_separators(event, header.end.max(end)));
        if let Some(mark) = text.level_mark.and_then(|mark| mark.read(line, end)) {
            rows.set_level(mark.level);
            if let Some((from, to)) = mark.code {
                self.named.text(b"code", from, to, rows);
                message = Some(skip_separators(event, to));
            }
        } else if let Some(level) = header.level {
            rows.set_level(level);
        } else if let Some(word) = level_around(line, start, end) {
            rows.set_level(word.level);
            if message.is_some_and(|from| skip_open_brackets(line, from) == word.start) {
                message = Some(skip_separators(event, word.end));
            }
        } else if text.level_mark == Some(LevelMark::BracketedLetter)
            && let Some((level, after)) = letter_in_brackets(line, end)
        {
            rows.set_level(level);
            message = Some(skip_separators(event, after));
        } else if let Some(level) = letter_at_stamp(line, start, end) {
            rows.set_level(level);
        } else if let Some((level, after)) = level_before_place(line, end) {
            rows.set_level(level);
            message = Some(after);
        }
        text.put_fields(line, pairs_from(time.as_ref(), end), end, &mut self.named, rows);
        let mut message_to = event.len();
        if let Some((at, to)) = object_at_end(event, end) {
            let level = rows.level();
            self.body.read(&event[..to], at, rows);
            if level != Level::None {
                rows.set_level(level);
            }
            message_to = at;
        }
        if text.second_line == Some(SecondLine::MayHaveLevel)
            && rows.level() == Level::None
            && let Some(level) = event_starts::level_in_capitals_before_colon(second_line(event))
        {
            rows.set_level(level);
        }
        if text.second_line == Some(SecondLine::HasLevel)
            && header.level.is_none()
            && let Some(from) = self.put_second_line(event, end, line.len(), rows)
        {
            message = Some(from);
        } else if text.ends_with_logger
            && let Some((from, to)) = logger_at_end(line, end)
        {
            self.named.text(b"logger", from, to, rows);
            if let Some((from, to)) = thread_at_end(line) {
                self.named.text(b"thread", from, to, rows);
            }
            if line.len() == event.len() {
                message_to = from - 1;
            }
        }
        if let Some(from) = message.filter(|&from| from < message_to) {
            // If nothing is left of the first line, the message is the following text.
            let from =
                from + event[from..message_to].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let to = from + event[from..message_to].trim_ascii_end().len();
            if from < to {
                self.named.text(b"message", from, to, rows);
            }
        }
        Ok(Fit::Whole)
    }
}

/// The end of a stamp that is padded within its brackets: `[ 2026-11-21 03:04:05 ]`.
#[inline]
fn padded_end(line: &[u8], end: usize) -> usize {
    end + usize::from(matches!(line.get(end..end + 2), Some(b" ]")))
}

/// `main:QuorumPeer@913`, the thread, class and line that ZooKeeper's layout puts into one bracket: where the
/// class and the line begin.
fn class_in_thread(text: &[u8]) -> Option<(usize, usize)> {
    let at = memchr::memrchr(b'@', text)?;
    let digits = &text[at + 1..];
    if digits.is_empty() || digits.len() > 6 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let class = memchr::memrchr(b':', &text[..at])? + 1;
    let is_class = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let is_split = class > 1
        && text.get(class).is_some_and(u8::is_ascii_alphabetic)
        && text[class..at].iter().all(is_class);
    is_split.then_some((class, at + 1))
}

fn first_line(event: &[u8]) -> &[u8] {
    let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The text from the second line on; it may be empty.
fn second_line(event: &[u8]) -> &[u8] {
    memchr(b'\n', event).map_or(&[], |newline| &event[newline + 1..])
}

/// A letter joined to the time, or the severity in a device's tag after it.
fn letter_at_stamp(line: &[u8], start: usize, end: usize) -> Option<Level> {
    let after = || letter_after_zone(line, end).or_else(|| level_of_device(line, end));
    letter_of_stamp(line, start).or_else(after)
}

/// A level may be on either side of the time.
fn level_around(line: &[u8], start: usize, end: usize) -> Option<LevelWord> {
    level::find(line, 0, start).or_else(|| level::find(line, end, end + limits::LEVEL_WITHIN_BYTES))
}

fn skip_open_brackets(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b'[' | b'(' | b'<')).count()
}

impl TextShape {
    /// The text around the time of a line; it may be empty.
    #[inline]
    fn header(&self, line: &[u8], start: usize, end: usize) -> PrefixFields {
        let mut header = PrefixFields { end, ..PrefixFields::default() };
        if start > 0 && !self.before.is_empty() {
            self.before.read(&line[..start], prefix_start(&line[..start]), &mut header);
        }
        if start > 0
            && header.level.is_none()
            && let Some((level, name_end)) = level_marks::level_joined_to_name(&line[..start])
        {
            header.level = Some(level);
            header.logger = header.logger.or(Some((0, name_end)));
            header.found = header.found.max(1);
        }
        let before = header.found;
        self.read_after(&line[..self.header_end(line, end)], end, &mut header);
        header.found += before;
        header
    }

    /// Adds pairs, an address and ids.
    #[inline]
    fn put_fields(
        &self,
        line: &[u8],
        pairs_from: usize,
        from: usize,
        named: &mut NamedColumns,
        rows: &mut Rows,
    ) {
        self.pairs.read(line, pairs_from, named, rows);
        if let Some((from, to)) = ids::address(line, from) {
            named.text(b"ip", from, to, rows);
        }
        for (field, from, to) in self.ids.read(line, from) {
            named.text(field.as_bytes(), from, to, rows);
        }
    }

    /// The position where nothing more may precede the message.
    #[inline]
    fn header_end(&self, line: &[u8], from: usize) -> usize {
        let logger = if self.ends_with_logger { logger_at_end(line, from) } else { None };
        logger.map_or(line.len(), |(start, _)| start - 1)
    }

    /// Reads the tokens after the time with the layout that fits, or with the one that fits furthest.
    #[inline]
    fn read_after(&self, line: &[u8], from: usize, header: &mut PrefixFields) {
        let before = *header;
        let mut best = PrefixFields { end: from, found: 0, ..before };
        for shape in &self.after {
            *header = before;
            shape.read(line, from, header);
            if header.found == shape.len() {
                return;
            }
            if header.found > best.found {
                best = *header;
            }
        }
        *header = best;
    }
}

/// The name in parentheses at the end of a line, perhaps before the thread in brackets.
fn logger_at_end(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let line = thread_at_end(line).map_or(line, |(open, _)| &line[..open - 2]);
    let inner = line.strip_suffix(b")")?;
    let open = memchr::memrchr(b'(', inner)?;
    let name = &inner[open + 1..];
    let is_name = name.len() > 2
        && name[0].is_ascii_alphabetic()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-$".contains(byte))
        && name.contains(&b'.');
    (is_name && open > from && inner[open - 1] == b' ').then_some((open + 1, inner.len()))
}

/// The thread in brackets after the closing parenthesis of a logger.
fn thread_at_end(line: &[u8]) -> Option<(usize, usize)> {
    let inner = line.strip_suffix(b"]")?;
    let open = memchr::memrchr(b'[', inner)? + 1;
    line[..open].ends_with(b") [").then_some((open, inner.len()))
}

/// A capitalised level directly after the time and before a place in the source: `Info Player.cpp:72: `.
fn level_before_place(line: &[u8], end: usize) -> Option<(Level, usize)> {
    let text = line.get(end..)?.strip_prefix(b" ")?;
    let word = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let level = level::from_word(&text[..word])?;
    let place = text[word..].strip_prefix(b" ")?;
    let name = place.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
    let is_place = place[..name].contains(&b'.')
        && place.get(name) == Some(&b':')
        && place.get(name + 1).is_some_and(u8::is_ascii_digit);
    is_place.then_some((level, end + 1 + word + 1))
}

/// An object that ends an event, perhaps before an empty list, as loggers write the context of a message: where it
/// begins and ends.
#[inline]
fn object_at_end(event: &[u8], from: usize) -> Option<(usize, usize)> {
    let text = event.trim_ascii_end();
    matches!(text.last(), Some(b'}' | b']')).then(|| object_before_end(text, from))?
}

#[cold]
fn object_before_end(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let text = text.strip_suffix(b" []").unwrap_or(text);
    let begins = |&at: &usize| at > 0 && matches!(text[at - 1], b' ' | b'\t') && is_object(&text[at..]);
    let starts = memchr::memmem::find_iter(text.get(from..)?, b"{\"").map(|at| from + at).filter(begins);
    starts.take(MOST_OBJECTS).find(|&at| is_whole_object(&text[at..])).map(|at| (at, text.len()))
}

/// At most this many objects may end an event: a context and what is added to it.
const MOST_OBJECTS: usize = 3;

/// Whether a UUID precedes the time: that of the call, job or request of the event.
fn is_uuid_and_space(before: &[u8]) -> bool {
    let is_of_uuid = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        36 => *byte == b' ',
        _ => byte.is_ascii_hexdigit(),
    };
    before.len() == 37 && before.iter().enumerate().all(is_of_uuid)
}

#[cfg(test)]
mod tests;
