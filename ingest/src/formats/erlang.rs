//! Reports of Erlang's own logger, as older RabbitMQ, CouchDB and ejabberd write them: `=INFO REPORT====
//! 21-Nov-2026::03:04:05 ===`, followed by the lines of the report.

use memchr::memchr;
use memchr::memmem;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::joined::joined_time;

pub(crate) static FORMAT: Format = Format {
    name: "erlang",
    title: "reports of Erlang",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(ReportReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[("type", ColumnKind::Text), ("message", ColumnKind::Text)];
const TYPE: usize = 0;
const MESSAGE: usize = 1;

const REPORT: &[u8] = b" REPORT==== ";

fn begins(line: &[u8]) -> bool {
    line.first() == Some(&b'=') && memmem::find(line, REPORT).is_some()
}

struct ReportReader;

impl Reader for ReportReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no head of a report of Erlang";
        let end = memchr(b'\n', event).unwrap_or(event.len());
        let head = &event[..end];
        let kind_end = memmem::find(head, REPORT).filter(|_| begins(head)).ok_or(broken)?;
        let when = head[kind_end + REPORT.len()..].trim_ascii();
        let when = when.strip_suffix(b"===").unwrap_or(when).trim_ascii();
        // Since Erlang 21 the time may be written as in RFC 3339.
        let parts = memmem::find(when, b"::").map(|at| (&when[..at], &when[at + 2..]));
        let when = match parts {
            Some((date, time)) => joined_time(&[date, time]),
            None => joined_time(&[when]),
        };
        rows.when(&when.ok_or(broken)?);
        let kind = &head[1..kind_end];
        rows.text(TYPE, 1, kind_end);
        rows.set_level(level_of(kind));
        let to = event.trim_ascii_end().len();
        if end < to {
            let from = end + event[end..].len() - event[end..].trim_ascii_start().len();
            rows.text(MESSAGE, from, to);
        }
        Ok(Fit::Whole)
    }
}

/// Crash and supervisor reports are errors; progress reports are about started processes.
fn level_of(kind: &[u8]) -> Level {
    match kind {
        b"CRASH" | b"SUPERVISOR" => Level::Error,
        b"PROGRESS" => Level::Info,
        kind => level::from_word(kind).unwrap_or(Level::None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_reports() {
        for (text, expected) in [
            (
                "=INFO REPORT==== 21-Nov-2026::03:04:05 ===\naccepting AMQP connection <0.1.0>\n\n",
                r#"2026-11-21T03:04:05Z info type="INFO" message="accepting AMQP connection <0.1.0>""#,
            ),
            (
                "=CRASH REPORT==== 21-Nov-2026::03:04:05.123456 ===\n  crasher:\n    pid: <0.7.0>\n",
                "2026-11-21T03:04:05.123456Z error type=\"CRASH\" message=\"crasher:\\n    pid: <0.7.0>\"",
            ),
            ("=ERROR REPORT==== 21-Nov-2026::03:04:05 ===", r#"2026-11-21T03:04:05Z error type="ERROR""#),
            ("=ERROR REPORT==== soon ===", "unparsed: no head of a report of Erlang"),
        ] {
            assert_eq!(render(&FORMAT, text), expected, "{text}");
        }
    }
}
