//! The error log of IBM MQ (`AMQERR01.LOG`): origin, a message with its code, and the recommended action.

use memchr::memmem;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "ibmmq",
    title: "IBM MQ error log entries",
    // Its entries are mostly free text, but no other format has their first line.
    weight: 3.0,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(MqReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("process", ColumnKind::Text),
    ("user", ColumnKind::Text),
    ("app", ColumnKind::Text),
    ("host", ColumnKind::Text),
    ("installation", ColumnKind::Text),
    ("queue_manager", ColumnKind::Text),
    ("code", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const CODE: usize = 6;
const MESSAGE: usize = 7;

/// The names in parentheses, each at the index of its column.
const NAMES: [&[u8]; 6] = [b"Process(", b"User(", b"Program(", b"Host(", b"Installation(", b"QMgr("];

fn begins(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_digit)
        && memmem::find(&line[..line.len().min(60)], b" - Process(").is_some()
}

struct MqReader;

impl Reader for MqReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !begins(event) {
            return Err("no process after the time");
        }
        if let Some(time) = time_near_start(event, 0) {
            rows.when(&time.when);
        }
        let (code, end) = code(event).ok_or("no code of a message")?;
        for (column, name) in NAMES.iter().enumerate() {
            if let Some(at) = memmem::find(&event[..code], name) {
                let from = at + name.len();
                let length =
                    event[from..code].iter().position(|byte| matches!(byte, b')' | b'\n')).unwrap_or(0);
                if length > 0 {
                    rows.text(column, from, from + length);
                }
            }
        }
        rows.text(CODE, code, end);
        rows.set_level(match event[end - 1] {
            b'W' => Level::Warn,
            b'E' | b'S' => Level::Error,
            b'T' => Level::Fatal,
            _ => Level::Info,
        });
        // The dashed line that ends an entry contains a position in the server's source code.
        let close = memmem::rfind(event, b"\n-----").unwrap_or(event.len());
        let from = end + event[end..].iter().take_while(|byte| matches!(byte, b':' | b' ')).count();
        let text = event.get(from..close).unwrap_or_default().trim_ascii_end();
        if !text.is_empty() {
            rows.text(MESSAGE, from, from + text.len());
        }
        Ok(Fit::Whole)
    }
}

/// `AMQ6287I` at the start of a line; returns its range.
fn code(event: &[u8]) -> Option<(usize, usize)> {
    memmem::find_iter(event, b"\nAMQ").find_map(|at| {
        let from = at + 1;
        let length = event[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        ((7..=9).contains(&length) && event.get(from + length) == Some(&b':'))
            .then_some((from, from + length))
    })
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        // The spelling of local dates is covered by the tests of times.
        let rendered = render(&FORMAT, line);
        assert_eq!(rendered.split_once(' ').map_or("", |(_, rest)| rest), expected, "{line}");
    }

    #[test]
    fn sample_entries() {
        check(
            "21/11/2026 03:04:05 - Process(12.1) User(bob) Program(runmqsc)\n                      Host(web-1) Installation(One)\n                      QMgr(QM1)\n\nAMQ7126E: No license.\n\nACTION:\nNone.\n----- amqx.c : 62 ------",
            "error process=\"12.1\" user=\"bob\" app=\"runmqsc\" host=\"web-1\" installation=\"One\" queue_manager=\"QM1\" code=\"AMQ7126E\" message=\"No license.\\n\\nACTION:\\nNone.\"",
        );
        check("21/11/2026 03:04:05 - Process(12.1) User(bob)", "no code of a message");
        check("AMQ7126E: No", "it precedes the first event");
    }
}
