//! JSON lines: an object a line. Nested objects become fields with dotted names, arrays stay JSON text, and
//! the usual keys give the time and the level.

mod body;
mod keys;
mod scan;

pub(crate) use body::JsonBody;
use keys::{Keys, NONE, ROOT, Role};
use scan::{Cursor, Scan, Value, unescape};

use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::limits;
use crate::rows::{Kind, Rows};
use crate::time::When;
use crate::time::epoch;
use crate::time::find::whole;

pub(crate) static FORMAT: Format =
    Format { name: "json", title: "JSON objects", weight: 1.0, columns: &[], reader, ..Format::LINES };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(JsonReader::new())
}

pub(crate) struct JsonReader {
    keys: Keys,
    /// The best time of the event so far.
    time: Option<Time>,
}

struct Time {
    rank: u8,
    slot: usize,
    value: Value,
    when: When,
}

impl Reader for JsonReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        self.read_at(event, 0, rows)
    }
}

impl JsonReader {
    pub(super) fn new() -> JsonReader {
        JsonReader { keys: Keys::new(), time: None }
    }

    /// Reads the object that stands from a place to the end of the event. A time that was found before it
    /// stays the event's.
    pub(super) fn read_at(&mut self, event: &[u8], at: usize, rows: &mut Rows) -> Result<Fit, &'static str> {
        let mut cursor = Cursor { bytes: event, at };
        if cursor.peek() != Ok(b'{') {
            return Err("not a JSON object");
        }
        cursor.at += 1;
        self.time = None;
        self.object(&mut cursor, ROOT, 1, rows)?;
        if cursor.peek().is_ok() {
            return Err("there is more behind the JSON object");
        }
        if let Some(time) = self.time.take()
            && !rows.has_time()
        {
            rows.when(&time.when);
        }
        Ok(Fit::Whole)
    }

    /// An object behind its opening brace. Calls itself for nested ones, down to the limit.
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
            cursor.peek()?;
            let start = cursor.at;
            let value = cursor.value(slot.is_some() && depth < limits::DEEPEST_JSON)?;
            let text = &cursor.bytes[start..cursor.at];
            if let Some(slot) = slot {
                match value {
                    Value::Object => {
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

    /// The key whose opening quote was passed; `None` when there are too many keys already.
    #[inline]
    fn key(&mut self, cursor: &mut Cursor<'_>, node: usize, before: usize) -> Scan<Option<usize>> {
        if let Some((slot, length)) = self.keys.guess(node, before, &cursor.bytes[cursor.at..]) {
            cursor.at += length + 1;
            return Ok(Some(slot));
        }
        let (start, end, escaped) = cursor.string()?;
        Ok(self.keys.find(node, before, &cursor.bytes[start..end], escaped))
    }

    /// Puts a value where its key says; `text` is the value as it is written.
    #[inline]
    fn put(&mut self, line: &[u8], slot: usize, value: Value, text: &[u8], rows: &mut Rows) {
        match self.keys.slot(slot).role {
            Role::Field => self.field(line, slot, value, rows),
            Role::Level => match level_of(line, value) {
                Some(level) if rows.level() == Level::None => rows.set_level(level),
                _ => self.field(line, slot, value, rows),
            },
            Role::Time(rank) => match time_of(value, text) {
                Some(when) => self.time(line, Time { rank, slot, value, when }, rows),
                None => self.field(line, slot, value, rows),
            },
        }
    }

    /// Keeps the better of two times; the other is a field like any.
    fn time(&mut self, line: &[u8], time: Time, rows: &mut Rows) {
        let other = match &mut self.time {
            Some(best) if best.rank <= time.rank => Some(time),
            best => best.replace(time),
        };
        if let Some(Time { slot, value, .. }) = other {
            self.field(line, slot, value, rows);
        }
    }

    #[inline]
    fn field(&mut self, line: &[u8], slot: usize, value: Value, rows: &mut Rows) {
        let kind = match value {
            Value::Null | Value::Object => return,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Text { .. } | Value::Raw { .. } => Kind::Text,
        };
        let Some(column) = self.keys.column(slot, kind, rows) else { return };
        match value {
            Value::Bool(value) => rows.boolean(column, value),
            Value::Int(value) => rows.int(column, value),
            Value::Float(value) => rows.float(column, value),
            Value::Text { start, end, escaped: true } => {
                let span = rows.rewrite(|buffer| unescape(&line[start..end], buffer));
                rows.span(column, span);
            }
            Value::Text { start, end, .. } | Value::Raw { start, end } => rows.text(column, start, end),
            Value::Null | Value::Object => {}
        }
    }
}

fn level_of(line: &[u8], value: Value) -> Option<Level> {
    match value {
        Value::Int(number) => level::of_number(number),
        Value::Text { start, end, .. } => match &line[start..end] {
            [digit @ b'0'..=b'7'] => level::of_severity(i64::from(digit - b'0')),
            word => level::of_word(word),
        },
        _ => None,
    }
}

fn time_of(value: Value, text: &[u8]) -> Option<When> {
    match value {
        Value::Text { escaped: false, .. } => whole(&text[1..text.len() - 1]),
        // The digits as they are written are exact where the number may not be.
        Value::Int(_) | Value::Float(_) => epoch::number(text).map(When::Instant),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            r#"{"ts":"2026-11-21T03:04:05.123Z","level":"WARN","msg":"slow \"cart\"","n":3,"ms":1.25,"ok":true,"x":null}"#,
            r#"2026-11-21T03:04:05.123Z warn msg="slow \"cart\"" n=3 ms=1.25 ok=true"#,
        );
        check(
            r#"{"name":"shop","pid":7,"level":30,"msg":"up","time":"2026-11-21T03:04:05Z","v":0}"#,
            r#"2026-11-21T03:04:05Z info name="shop" pid=7 msg="up" v=0"#,
        );
        check(
            r#"{"@timestamp":"2026-11-21T03:04:05Z","log":{"level":"error","origin":{"line":7}},"tags":["a",{"b":1}],"e":{}}"#,
            r#"2026-11-21T03:04:05Z error log.origin.line=7 tags="[\"a\",{\"b\":1}]""#,
        );
        check(r#"{"ts":1716723772.6014802,"level":"info"}"#, "2024-05-26T11:42:52.6014802Z info");
        check(
            r#"{"__REALTIME_TIMESTAMP":"1615650027387860","PRIORITY":"4","MESSAGE":"x"}"#,
            r#"2021-03-13T15:40:27.38786Z warn MESSAGE="x""#,
        );
        check(
            r#"{"date":"2020-01-01T00:00:00Z","time":"2026-11-21T03:04:05Z","t":12.5}"#,
            r#"2026-11-21T03:04:05Z - date="2020-01-01T00:00:00Z" t=12.5"#,
        );
        check(r#" { "level" : "audit" , "level2":7 } "#, r#"- - level="audit" level2=7"#);
        check("{}", "- -");
    }

    #[test]
    fn numbers_and_escapes() {
        check(
            r#"{"a":-0.5,"b":1e3,"c":123456789012345678,"d":18446744073709551616,"e":0.1234567890123456789}"#,
            r#"- - a=-0.5 b=1000.0 c=123456789012345678 d="18446744073709551616" e=0.12345678901234568"#,
        );
        check(
            r#"{"a":"\u00e9\ud83d\ude00\ud83d \n\/\q","k\u0065y":"\\"}"#,
            r#"- - a="é😀� \n/\\q" key="\\""#,
        );
        check(r#"{"a":1,"a":2}"#, "- - a=2");
    }

    #[test]
    fn broken_lines() {
        check("hello", "unparsed: not a JSON object");
        check(r#"{"a":1"#, "unparsed: the JSON ends too early");
        check(r#"{"a":"b\"#, "unparsed: the JSON ends too early");
        check(r#"{"a":1,}"#, "unparsed: the JSON is broken");
        check(r#"{"a":-}"#, "unparsed: the JSON is broken");
        check(r#"{"a":1} x"#, "unparsed: there is more behind the JSON object");
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep =
            |open: &str, close: &str| format!("{{\"a\":{}1{}}}", open.repeat(10_000), close.repeat(10_000));
        assert!(render(&FORMAT, &deep("[", "]")).starts_with("- - a=\"[[["));
        assert!(render(&FORMAT, &deep("{\"a\":", "}")).starts_with("- - a.a.a.a.a.a.a.a.a.a.a.a=\"{"));
        assert!(render(&FORMAT, &"{\"a\":".repeat(10_000)).starts_with("unparsed"));
    }
}
