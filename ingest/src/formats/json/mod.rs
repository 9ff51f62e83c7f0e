//! JSON: one object per line, objects over many lines, and lists of them. Nested objects become fields with
//! dotted names, arrays stay JSON text, and the usual keys determine the time and the level.

mod embedded;
mod framing;
mod keys;
mod levels;
mod scan;
mod time_key;

use std::sync::Arc;

pub(crate) use embedded::JsonBody;
use keys::{KeyRole, Keys, MONGODB_TIME, NONE, ROOT, SECONDS, STREAM, Scale};
pub(crate) use keys::{is_level, time_key_weight};
use scan::{Cursor, JsonValue, Scan};

use super::{Fit, Format, Learned, Reader, Setup};
use crate::json_escapes::unescape;
use crate::level;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::civil::SECOND_NS;
use crate::time::epoch;
use crate::time::field::TimeField;
use crate::time::find::{time_near_start, whole_time};

pub(crate) static FORMAT: Format = Format {
    name: "json",
    title: "JSON objects",
    learn: |sample, setup| {
        let learned = framing::learn(sample);
        let (time_field, options, unscaled) =
            time_key::learn(sample, &learned.framing, setup.time_field.as_deref());
        let (time_field, time_options) = (time_field.map(Arc::new), options.into());
        Learned { time_field, time_options, unscaled_levels: unscaled.into(), ..learned }
    },
    reader,
    ..Format::LINES
};

fn reader(setup: &Setup) -> Box<dyn Reader> {
    let Learned { time_field, unscaled_levels, .. } = &setup.learned;
    Box::new(JsonReader::new(time_field.clone(), Arc::clone(unscaled_levels)))
}

/// Whether a text begins with a complete object.
pub(super) fn begins_with_object(text: &[u8]) -> bool {
    object_end(text).is_some()
}

/// Whether a text is a complete object and nothing more.
pub(crate) fn is_whole_object(text: &[u8]) -> bool {
    object_end(text).is_some_and(|end| text[end..].trim_ascii().is_empty())
}

fn object_end(text: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(text);
    (cursor.peek() == Ok(b'{') && cursor.value(false).is_ok()).then_some(cursor.at)
}

pub(crate) struct JsonReader {
    keys: Keys,
    found: EventMarks,
    /// The event had a time before its object was read; that time stays.
    keeps_time: bool,
    /// The text that is read is not part of the chunk, so its values are copied.
    copies: bool,
    /// A line that a container wrote, without escapes.
    line: Vec<u8>,
    /// For the text before the objects.
    named: NamedColumns,
}

/// Findings of an event in addition to its fields.
#[derive(Default)]
struct EventMarks {
    /// The best time so far.
    time: Option<Time>,
    level: Option<LevelValue>,
    letter: Option<JsonValue>,
    nanos: Option<i64>,
    /// Under `log`.
    line: Option<JsonValue>,
    marks: u8,
}

struct Time {
    rank: u8,
    slot: usize,
    value: JsonValue,
    when: When,
}

struct LevelValue {
    rank: u8,
    scale: Scale,
    slot: usize,
    value: JsonValue,
}

impl Reader for JsonReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        self.read_at(event, 0, rows)
    }
}

/// An object that a text contains begins like this.
const OBJECT_IN_TEXT: &[u8] = b"{\\\"";

impl JsonReader {
    pub(super) fn new(time_field: Option<Arc<TimeField>>, unscaled: Arc<[Box<str>]>) -> JsonReader {
        JsonReader {
            keys: Keys::new(time_field, unscaled),
            found: EventMarks::default(),
            keeps_time: false,
            copies: false,
            line: Vec::new(),
            named: NamedColumns::default(),
        }
    }

    /// Reads the object from a position to the end of the event. A time found before it stays the event's
    /// time.
    pub(super) fn read_at(&mut self, event: &[u8], at: usize, rows: &mut Rows) -> Result<Fit, &'static str> {
        let mut cursor = Cursor { bytes: event, at };
        if cursor.peek() != Ok(b'{') {
            return self.read_after_prefix(event, rows);
        }
        self.keeps_time = rows.has_time();
        self.read_object(event, cursor.at, rows)?;
        Ok(Fit::Whole)
    }

    /// An object after something short: the name of a container, as `docker compose` writes it.
    fn read_after_prefix(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let not_json = "not a JSON object";
        let head = &event[..event.len().min(limits::JSON_PREFIX_BYTES)];
        let at = memchr::memchr(b'{', head).ok_or(not_json)?;
        // A brace that opens no object: a set, a path, a format string.
        if !event[at + 1..].trim_ascii_start().starts_with(b"\"") || !event.trim_ascii_end().ends_with(b"}") {
            return Err(not_json);
        }
        let time = time_near_start(&event[..at], limits::JSON_PREFIX_BYTES);
        self.read_object(event, at, rows)?;
        let is_separator =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'|' | b':' | b'-' | b'>');
        let start = event[..at].iter().position(|byte| !is_separator(byte)).unwrap_or(at);
        let end = event[start..at]
            .iter()
            .rposition(|byte| !is_separator(byte))
            .map_or(start, |last| start + last + 1);
        if start < end {
            self.named.begin();
            let is_container = event[end..at].contains(&b'|');
            let name = if is_container { &b"container"[..] } else { b"prefix" };
            self.named.text(name, start, end, rows);
        }
        match time {
            // With a time of its own the line is more than the object.
            Some(time) => {
                if self.found.time.is_none() {
                    rows.when(&time.when);
                }
                Ok(Fit::Partly)
            }
            None => Ok(Fit::Whole),
        }
    }

    /// The object at a position of the event, up to its end.
    fn read_object(&mut self, event: &[u8], at: usize, rows: &mut Rows) -> Scan<()> {
        self.found = EventMarks::default();
        let mut cursor = Cursor { bytes: event, at: at + 1 };
        self.object(&mut cursor, ROOT, 1, rows)?;
        // A comma follows the members of an array that is never closed.
        if cursor.peek().is_ok() && event[cursor.at..].trim_ascii() != b"," {
            return Err("there is more text after the JSON object");
        }
        self.settle(event, rows);
        Ok(())
    }

    /// Decides what only the whole event shows.
    fn settle(&mut self, event: &[u8], rows: &mut Rows) {
        if let Some(LevelValue { scale, slot, value, .. }) = self.found.level.take() {
            match levels::level_from_value(event, value, scale, self.found.marks) {
                Some(level) => rows.set_level(level),
                None if !self.keys.slot(slot).role.is_kept() => self.field(event, slot, value, rows),
                None => {}
            }
        }
        if let Some(Time { slot, when, .. }) = &self.found.time {
            if !self.keeps_time {
                rows.when(&self.with_nanos(*when, *slot));
            }
            if let Some(JsonValue::Text { start, end, .. }) = self.found.letter
                && self.keys.slot(*slot).path.starts_with(MONGODB_TIME)
                && let Some(level) = levels::level_from_letter(&event[start..end])
            {
                rows.set_level(level);
            }
        }
        if let Some(JsonValue::Text { start, end, .. }) = self.found.line
            && (self.found.marks & STREAM != 0
                || self.found.time.is_none() && event[start..end].starts_with(OBJECT_IN_TEXT))
        {
            self.original_line(&event[start..end], rows);
        }
    }

    /// The time with the nanoseconds that another key has.
    fn with_nanos(&self, when: When, slot: usize) -> When {
        match (when, self.found.nanos) {
            (When::Instant(ns), Some(nanos @ 0..SECOND_NS))
                if SECONDS.contains(&self.keys.slot(slot).path.as_str()) =>
            {
                When::Instant(ns + nanos)
            }
            (when, _) => when,
        }
    }

    /// A line as its program wrote it: its own level, and its fields if it is JSON itself.
    fn original_line(&mut self, text: &[u8], rows: &mut Rows) {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        unescape(text, &mut line);
        let shown = line.trim_ascii();
        if shown.starts_with(b"{") && shown.ends_with(b"}") && Cursor::new(shown).value(false).is_ok() {
            self.copies = true;
            let time = self.found.time.take();
            self.found = EventMarks { time, ..EventMarks::default() };
            let mut cursor = Cursor { bytes: shown, at: 1 };
            let read = self.object(&mut cursor, ROOT, 1, rows);
            self.found.line = None;
            if read.is_ok() {
                self.settle(shown, rows);
            }
            self.copies = false;
        } else if let Some(word) = level::find(shown, 0, limits::LEVEL_WITHIN_BYTES) {
            rows.set_level(word.level);
        }
        self.line = line;
    }

    /// An object after its opening brace. Recursive for nested ones, down to the limit.
    fn object(&mut self, cursor: &mut Cursor<'_>, node: usize, depth: usize, rows: &mut Rows) -> Scan<()> {
        if cursor.peek()? == b'}' {
            cursor.at += 1;
            return Ok(());
        }
        let mut before = NONE;
        loop {
            cursor.expect(b'"')?;
            let slot = self.key(cursor, node, before)?;
            cursor.expect(b':')?;
            let (first, start) = (cursor.peek()?, cursor.at);
            let value = cursor.value_after(first, slot.is_some() && depth < limits::DEEPEST_JSON)?;
            let text = &cursor.bytes[start..cursor.at];
            if let Some(slot) = slot {
                match value {
                    JsonValue::Object => {
                        let child = self.keys.child(slot);
                        self.object(cursor, child, depth + 1, rows)?;
                    }
                    _ => self.put(cursor.bytes, slot, value, text, rows),
                }
                before = slot;
            }
            match cursor.peek()? {
                b',' => cursor.at += 1,
                _ => return cursor.expect(b'}'),
            }
        }
    }

    /// The key whose opening quote was consumed; `None` if there are too many keys already.
    #[inline]
    fn key(&mut self, cursor: &mut Cursor<'_>, node: usize, before: usize) -> Scan<Option<usize>> {
        if let Some((slot, length)) = self.keys.guess(node, before, &cursor.bytes[cursor.at..]) {
            cursor.at += length + 1;
            return Ok(Some(slot));
        }
        let (start, end, escaped) = cursor.string()?;
        Ok(self.keys.find(node, before, &cursor.bytes[start..end], escaped))
    }

    /// Puts a value where its key says; `text` is the value as written.
    #[inline]
    fn put(&mut self, line: &[u8], slot: usize, value: JsonValue, text: &[u8], rows: &mut Rows) {
        match self.keys.slot(slot).role {
            KeyRole::Field => self.field(line, slot, value, rows),
            KeyRole::Level(rank, scale) => {
                let rank = levels::rank(rank, scale, value);
                self.level(line, LevelValue { rank, scale, slot, value }, rows);
            }
            KeyRole::Time(rank) => match time_of(value, text).or_else(|| self.learned_time(slot, text)) {
                Some(when) => self.time(line, Time { rank, slot, value, when }, rows),
                None => self.field(line, slot, value, rows),
            },
            KeyRole::Mark(mark) => {
                self.found.marks |= mark;
                self.field(line, slot, value, rows);
            }
            KeyRole::Line => {
                self.found.line = Some(value);
                self.field(line, slot, value, rows);
            }
            KeyRole::Letter => {
                self.found.letter = Some(value);
                self.field(line, slot, value, rows);
            }
            KeyRole::Nanos => {
                if let JsonValue::Int(nanos) = value {
                    self.found.nanos = Some(nanos);
                }
                self.field(line, slot, value, rows);
            }
            KeyRole::Bytes => match value {
                JsonValue::Raw { start, end } => self.bytes(&line[start..end], slot, value, line, rows),
                _ => self.field(line, slot, value, rows),
            },
        }
    }

    /// The time in a value of the field that the values of a sample determined.
    #[cold]
    fn learned_time(&self, slot: usize, text: &[u8]) -> Option<When> {
        let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text);
        self.keys.learned_time(text).filter(|_| self.keys.slot(slot).is_learned_time())
    }

    /// Keeps the better of two times; the other one is a normal field.
    fn time(&mut self, line: &[u8], time: Time, rows: &mut Rows) {
        if self.keys.slot(time.slot).role.is_kept() {
            self.field(line, time.slot, time.value, rows);
        }
        let other = match &mut self.found.time {
            Some(best) if best.rank <= time.rank => Some(time),
            best => best.replace(time),
        };
        if let Some(Time { slot, value, .. }) = other
            && !self.keys.slot(slot).role.is_kept()
            // The line with the kept time may not be this one.
            && !self.copies
        {
            self.field(line, slot, value, rows);
        }
    }

    /// Keeps the better of two levels; the other one is a normal field.
    fn level(&mut self, line: &[u8], level: LevelValue, rows: &mut Rows) {
        if self.keys.slot(level.slot).role.is_kept() {
            self.field(line, level.slot, level.value, rows);
        }
        if matches!(level.value, JsonValue::Null) {
            return;
        }
        let other = match &mut self.found.level {
            Some(best) if best.rank <= level.rank => Some(level),
            best => best.replace(level),
        };
        if let Some(LevelValue { slot, value, .. }) = other
            && !self.keys.slot(slot).role.is_kept()
        {
            self.field(line, slot, value, rows);
        }
    }

    /// Text that is written as a list of its bytes.
    fn bytes(&mut self, list: &[u8], slot: usize, value: JsonValue, line: &[u8], rows: &mut Rows) {
        let numbers = list.strip_prefix(b"[").and_then(|list| list.strip_suffix(b"]")).unwrap_or_default();
        let bytes: Option<Vec<u8>> = numbers
            .split(|&byte| byte == b',')
            .map(|number| std::str::from_utf8(number.trim_ascii()).ok()?.parse().ok())
            .collect();
        let column = self.keys.column(slot, ColumnKind::Text, rows);
        match (bytes, column) {
            (Some(bytes), Some(column)) => {
                let span = rows.rewrite(|buffer| buffer.extend_from_slice(&bytes));
                rows.span(column, span);
            }
            _ => self.field(line, slot, value, rows),
        }
    }

    #[inline]
    fn field(&mut self, line: &[u8], slot: usize, value: JsonValue, rows: &mut Rows) {
        let kind = match value {
            JsonValue::Null | JsonValue::Object => return,
            JsonValue::Bool(_) => ColumnKind::Bool,
            JsonValue::Int(_) => ColumnKind::Int,
            JsonValue::Float(_) => ColumnKind::Float,
            JsonValue::Text { .. } | JsonValue::Raw { .. } => ColumnKind::Text,
        };
        let Some(column) = self.keys.column(slot, kind, rows) else { return };
        match value {
            JsonValue::Bool(value) => rows.boolean(column, value),
            JsonValue::Int(value) => rows.int(column, value),
            JsonValue::Float(value) => rows.float(column, value),
            JsonValue::Text { start, end, escaped: true } => {
                let span = rows.rewrite(|buffer| unescape(&line[start..end], buffer));
                rows.span(column, span);
            }
            JsonValue::Text { start, end, .. } | JsonValue::Raw { start, end } if self.copies => {
                let span = rows.rewrite(|buffer| buffer.extend_from_slice(&line[start..end]));
                rows.span(column, span);
            }
            JsonValue::Text { start, end, .. } | JsonValue::Raw { start, end } => {
                rows.text(column, start, end);
            }
            JsonValue::Null | JsonValue::Object => {}
        }
    }
}

fn time_of(value: JsonValue, text: &[u8]) -> Option<When> {
    match value {
        JsonValue::Text { escaped: false, .. } => {
            let text = &text[1..text.len() - 1];
            whole_time(text).or_else(|| whole_time(text.strip_prefix(b"/Date(")?.strip_suffix(b")/")?))
        }
        // Some writers escape the slashes in the time of access logs.
        JsonValue::Text { .. } => {
            let mut plain = Vec::with_capacity(text.len());
            unescape(&text[1..text.len() - 1], &mut plain);
            whole_time(&plain).or_else(|| whole_time(plain.strip_prefix(b"/Date(")?.strip_suffix(b")/")?))
        }
        // The written digits are exact where the number may not be.
        JsonValue::Int(_) | JsonValue::Float(_) => epoch::number(text).map(When::Instant),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
