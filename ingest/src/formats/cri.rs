//! Container logs as Kubernetes stores them (CRI): a time, the stream, whether the line is complete, and the
//! program's output, which is parsed further if it is JSON. Runtimes cut long lines into parts (`P`, and the
//! last one `F`), which are joined to one event here; if a line of the other stream interrupts them, the
//! event ends there.

use memchr::memchr;

use super::json::JsonBody;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::frame::{EventBlock, Framing};
use crate::layout::time_at;
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};

pub(crate) static FORMAT: Format = Format {
    name: "cri",
    title: "container log lines",
    columns: COLUMNS,
    learn: |_, _| Learned { framing: Framing::blocks(event), ..Learned::default() },
    reader,
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("stream", ColumnKind::Text), ("tag", ColumnKind::Text), ("message", ColumnKind::Text)];
const STREAM: usize = 0;
const TAG: usize = 1;
const MESSAGE: usize = 2;

/// The head of a line, before its message.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CriHead {
    is_error: bool,
    is_part: bool,
    tag: usize,
    tag_end: usize,
}

impl CriHead {
    const STREAMS: [&[u8]; 2] = [b" stdout ", b" stderr "];

    /// Parses the head of a line whose time ends at a position.
    fn parse_after_time(line: &[u8], time_end: usize) -> Option<CriHead> {
        let stream = line.get(time_end..time_end + 8)?;
        let tag = time_end + 8;
        // Future versions may add more to a tag after a colon.
        let tag_end = tag + memchr(b' ', &line[tag..]).unwrap_or(line.len() - tag);
        let is_tag = matches!(line.get(tag), Some(b'F' | b'P'))
            && matches!(line.get(tag + 1), None | Some(b' ' | b':'));
        let is_stream = CriHead::STREAMS.contains(&stream);
        (is_stream && is_tag).then(|| CriHead {
            is_error: stream == CriHead::STREAMS[1],
            is_part: line[tag] == b'P',
            tag,
            tag_end,
        })
    }

    /// Parses the head of a line without reading its time.
    fn parse(line: &[u8]) -> Option<CriHead> {
        if !line.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        CriHead::parse_after_time(
            line,
            memchr(b' ', &line[..line.len().min(limits::LONGEST_JOINED_TIME_BYTES)])?,
        )
    }
}

/// The first line of the text without its line end, and the start of the next line.
fn line(text: &[u8]) -> Option<(&[u8], usize)> {
    let end = memchr(b'\n', text)?;
    Some((text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]), end + 1))
}

/// A line, with the lines that continue it.
fn event(text: &[u8]) -> Option<EventBlock> {
    let (first, mut next) = line(text)?;
    let Some(head) = CriHead::parse(first).filter(|head| head.is_part) else {
        return Some(EventBlock { start: 0, end: first.len(), next });
    };
    let mut end = first.len();
    loop {
        let is_other =
            |line: &[u8]| CriHead::parse(line).is_some_and(|other| other.is_error != head.is_error);
        let Some((part, length)) = line(&text[next..]) else {
            return is_other(&text[next..]).then_some(EventBlock { start: 0, end, next });
        };
        let part_head = CriHead::parse(part).filter(|part| part.is_error == head.is_error);
        // An event without an end is cut at the same length as any other event.
        let goes_on = next + length <= limits::LONGEST_EVENT_BYTES;
        let Some(part_head) = part_head.filter(|_| goes_on) else {
            return Some(EventBlock { start: 0, end, next });
        };
        end = next + part.len();
        next += length;
        if !part_head.is_part {
            return Some(EventBlock { start: 0, end, next });
        }
    }
}

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(CriReader { json: JsonBody::default(), joined: Vec::new() })
}

struct CriReader {
    json: JsonBody,
    /// The joined message of an event of several lines.
    joined: Vec<u8>,
}

impl Reader for CriReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no time, stream and tag of a container log";
        if !event.first().is_some_and(u8::is_ascii_digit) {
            return Err(broken);
        }
        let (when, end) = time_at(event, 0).ok_or(broken)?;
        let (first, second) = line(event).map_or((event, None), |(line, next)| (line, Some(next)));
        let head = CriHead::parse_after_time(first, end).ok_or(broken)?;
        rows.when(&when);
        rows.text(STREAM, end + 1, end + 7);
        let message = head.tag_end + 1;
        let Some(second) = second else {
            rows.text(TAG, head.tag, head.tag_end);
            if message < event.len() {
                rows.text(MESSAGE, message, event.len());
                let is_object = event[message] == b'{' && self.json.read(event, message, rows);
                if !is_object {
                    put_level(event, message, rows);
                }
            }
            return Ok(Fit::Whole);
        };
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.extend_from_slice(first.get(message..).unwrap_or_default());
        let mut at = second;
        while at < event.len() {
            let (part, length) = line(&event[at..]).unwrap_or((&event[at..], event.len() - at));
            if let Some(head) = CriHead::parse(part) {
                rows.text(TAG, at + head.tag, at + head.tag_end);
                joined.extend_from_slice(part.get(head.tag_end + 1..).unwrap_or_default());
            }
            at += length;
        }
        if !joined.is_empty() {
            let span = rows.rewrite(|buffer| buffer.extend_from_slice(&joined));
            rows.span(MESSAGE, span);
        }
        if joined.first() != Some(&b'{') || !self.json.read_copy(&joined, rows) {
            put_level(&joined, 0, rows);
        }
        self.joined = joined;
        Ok(Fit::Whole)
    }
}

/// The level from the level word of the message, if nothing else gives it.
fn put_level(text: &[u8], message: usize, rows: &mut Rows) {
    if rows.level() == Level::None
        && let Some(word) = level::find(text, message, message + limits::LEVEL_WITHIN_BYTES)
    {
        rows.set_level(word.level);
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "2026-11-21T03:04:05.123456789Z stdout F WARN slow",
                r#"2026-11-21T03:04:05.123456789Z warn stream="stdout" tag="F" message="WARN slow""#,
            ),
            (
                "2026-11-21T03:04:05.1+01:00 stderr P half a",
                r#"2026-11-21T02:04:05.1Z - stream="stderr" tag="P" message="half a""#,
            ),
            (
                r#"2026-11-21T03:04:05Z stderr F {"level":"error","msg":"x","ts":"2020-01-01T00:00:00Z"}"#,
                r#"2026-11-21T03:04:05Z error stream="stderr" tag="F" message="{\"level\":\"error\",\"msg\":\"x\",\"ts\":\"2020-01-01T00:00:00Z\"}" msg="x""#,
            ),
            ("2026-11-21T03:04:05Z stdout F", r#"2026-11-21T03:04:05Z - stream="stdout" tag="F""#),
            (
                "2026-11-21T03:04:05.1Z stdout P WARN \n2026-11-21T03:04:05.2Z stdout P in three\r\n2026-11-21T03:04:05.3Z stdout F  parts\n",
                r#"2026-11-21T03:04:05.1Z warn stream="stdout" tag="F" message="WARN in three parts""#,
            ),
            (
                "2026-11-21T03:04:05Z stderr P {\"level\":\"error\",\n2026-11-21T03:04:05Z stderr P \n2026-11-21T03:04:05Z stderr F \"msg\":\"x\"}\n",
                r#"2026-11-21T03:04:05Z error stream="stderr" tag="F" message="{\"level\":\"error\",\"msg\":\"x\"}" msg="x""#,
            ),
            ("2026-11-21T03:04:05Z stdout X y", "unparsed: no time, stream and tag of a container log"),
            ("2026-11-21T03:04:05Z up", "unparsed: no time, stream and tag of a container log"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
    #[test]
    fn parts_are_joined_up_to_the_last_of_their_stream() {
        let events = |text: &str| {
            let mut at = 0;
            let mut events = Vec::new();
            while let Some(block) = event(&text.as_bytes()[at..]) {
                events.push(&text[at + block.start..at + block.end]);
                at += block.next;
            }
            (events.len(), text.len() - at)
        };
        let part = |stream: &str, tag: &str| format!("2026-11-21T03:04:05Z {stream} {tag} x\n");
        let (out, err) = (|tag: &str| part("stdout", tag), |tag: &str| part("stderr", tag));
        assert_eq!(events(&[out("F"), out("P"), out("P:a"), out("F"), out("F")].concat()), (3, 0));
        assert_eq!(events(&[out("P"), err("F"), out("F")].concat()), (3, 0));
        assert_eq!(events(&[out("P"), "panic\n".to_string(), out("F")].concat()), (3, 0));
        // Only the next line shows whether a part continues.
        assert_eq!(events(&out("P")), (0, out("P").len()));
        let endless = out("P").repeat(2 * limits::LONGEST_EVENT_BYTES / out("P").len() + 2);
        assert_eq!(events(&endless).0, 2);
    }
}
