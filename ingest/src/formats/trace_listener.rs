//! The output of .NET's trace listeners: source, kind and number of the event before the message, and the
//! options that the listener is set to write, each on an indented line of its own.

use memchr::{memchr, memchr_iter, memmem};

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::stamp::iso;

pub(crate) static FORMAT: Format = Format {
    name: "trace_listener",
    title: "events of a .NET trace listener",
    // Its messages have stack traces, but no other format has such a first line and such options.
    weight: 2.0,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| first_line(line).is_some()),
    reader: |_| Box::new(TraceListenerReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("logger", ColumnKind::Text),
    ("event_id", ColumnKind::Int),
    ("pid", ColumnKind::Int),
    ("thread", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const LOGGER: usize = 0;
const EVENT_ID: usize = 1;
const PID: usize = 2;
const THREAD: usize = 3;
const MESSAGE: usize = 4;

/// The kinds of events that are no levels.
const KINDS: [&[u8]; 5] = [b"Start", b"Stop", b"Suspend", b"Resume", b"Transfer"];

/// What a listener may write below the message.
const OPTIONS: [&[u8]; 6] =
    [b"ProcessId=", b"LogicalOperationStack=", b"ThreadId=", b"DateTime=", b"Timestamp=", b"Callstack="];

/// The source's name, the kind and the number end within this many bytes.
const HEAD_WITHIN_BYTES: usize = 160;

/// `Shop.exe Warning: 0 : `, the start of an event.
struct TraceHead {
    source_end: usize,
    level: Option<Level>,
    event_id: i64,
    message: usize,
}

fn first_line(line: &[u8]) -> Option<TraceHead> {
    if !line.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let head = &line[..line.len().min(HEAD_WITHIN_BYTES)];
    let head = &head[..memchr(b'\n', head).unwrap_or(head.len())];
    let number_end =
        memmem::find(head, b" :").filter(|end| matches!(head.get(end + 2), None | Some(b' ')))?;
    let digits = head[..number_end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let kind = head[..number_end - digits].strip_suffix(b": ")?;
    let source_end = memchr::memrchr(b' ', kind)?;
    let (kind, number) = (&kind[source_end + 1..], &head[number_end - digits..number_end]);
    // The kinds are written with a capital letter.
    let level =
        level::from_word(kind).filter(|_| kind[0].is_ascii_uppercase() && kind[1].is_ascii_lowercase());
    let is_number = (1..=9).contains(&digits) && source_end > 0;
    (is_number && (level.is_some() || KINDS.contains(&kind))).then(|| TraceHead {
        source_end,
        level,
        event_id: number.iter().fold(0, |id, digit| id * 10 + i64::from(digit - b'0')),
        message: (number_end + 3).min(line.len()),
    })
}

struct TraceListenerReader;

impl Reader for TraceListenerReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = first_line(event).ok_or("no source, kind and number at the start")?;
        rows.text(LOGGER, 0, head.source_end);
        rows.int(EVENT_ID, head.event_id);
        if let Some(level) = head.level {
            rows.set_level(level);
        }
        let mut message_end = event.len();
        for newline in memchr_iter(b'\n', event) {
            let line = &event[newline + 1..];
            let from = newline + 1 + line.iter().take_while(|byte| **byte == b' ').count();
            let Some(option) = OPTIONS.iter().find(|option| event[from..].starts_with(option)) else {
                continue;
            };
            if from == newline + 1 {
                continue;
            }
            message_end = message_end.min(newline);
            put_option(option, event, from + option.len(), rows);
        }
        let message = event[..message_end].trim_ascii_end().len();
        if head.message < message {
            rows.text(MESSAGE, head.message, message);
        }
        // Without the time below it, the line may as well be of a program that writes the time in its message.
        Ok(if rows.has_time() { Fit::Whole } else { Fit::Partly })
    }
}

fn put_option(option: &[u8], event: &[u8], from: usize, rows: &mut Rows) {
    let rest = &event[from..];
    let value = rest[..memchr(b'\n', rest).unwrap_or(rest.len())].trim_ascii_end();
    let is_number = (1..=10).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    match option {
        b"DateTime=" => {
            if let Some((stamp, _)) = iso(event, from) {
                rows.stamp(&stamp);
            }
        }
        b"ProcessId=" if is_number => {
            rows.int(PID, value.iter().fold(0, |pid, digit| pid * 10 + i64::from(digit - b'0')));
        }
        b"ThreadId=" if !value.is_empty() => rows.text(THREAD, from, from + value.len()),
        _ => {}
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
    fn sample_events() {
        check(
            "Shop.exe Error: 11 : no answer.\r\n   at Shop.Cart.Pay()\r\n    ProcessId=63\r\n    ThreadId=7\r\n    DateTime=2026-11-21T03:04:05.1234567Z",
            r#"2026-11-21T03:04:05.1234567Z error logger="Shop.exe" event_id=11 pid=63 thread="7" message="no answer.\r\n   at Shop.Cart.Pay()""#,
        );
        check(
            "Shop Cart Start: 0 : open\n    DateTime=2026-11-21T03:04:05.0000000Z",
            r#"2026-11-21T03:04:05Z - logger="Shop Cart" event_id=0 message="open""#,
        );
        check("the cart warning: 0 : x", "unparsed: it precedes the first event");
        check("Shop.exe Error: eleven : x", "unparsed: it precedes the first event");
    }
}
