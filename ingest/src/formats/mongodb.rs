//! `MongoDB`'s text log: since 3.0 with severity and component, before that with the context only; up to 4.2.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "mongodb",
    title: "MongoDB log lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| time_near_start(line, 4).is_some()),
    reader: |_| Box::new(MongoReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("severity", ColumnKind::Text),
    ("component", ColumnKind::Text),
    ("context", ColumnKind::Text),
    ("duration_ms", ColumnKind::Int),
    ("message", ColumnKind::Text),
];
const SEVERITY: usize = 0;
const COMPONENT: usize = 1;
const CONTEXT: usize = 2;
const DURATION_MS: usize = 3;
const MESSAGE: usize = 4;

/// The threads of a server that have names; other programs put other names in brackets.
const CONTEXTS: [&[u8]; 18] = [
    b"conn",
    b"initandlisten",
    b"rs",
    b"repl",
    b"TTLMonitor",
    b"journal",
    b"clientcursormon",
    b"signalProcessing",
    b"websvr",
    b"FileAllocator",
    b"mongosMain",
    b"Balancer",
    b"LockPinger",
    b"snapshot",
    b"DataFileSync",
    b"main",
    b"thread",
    b"PeriodicTask",
];

struct MongoReader;

impl Reader for MongoReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        // Old servers write the weekday before the time.
        let time = time_near_start(event, 4).ok_or("no time at the start")?;
        rows.when(&time.when);
        let mut at = skip_spaces(event, time.end);
        let has_severity = severity(event, at).inspect(|&(level, end)| {
            rows.set_level(level);
            rows.text(SEVERITY, at, end);
        });
        if let Some((_, end)) = has_severity {
            at = skip_spaces(event, end);
            let length = event[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
                .count();
            if length == 0 {
                return Err("no component after the severity");
            }
            if &event[at..at + length] != b"-" {
                rows.text(COMPONENT, at, at + length);
            }
            at = skip_spaces(event, at + length);
        }
        let context = event[at..]
            .strip_prefix(b"[")
            .and_then(|rest| memchr(b']', rest))
            .map(|length| (at + 1, at + 1 + length));
        let mut fit = Fit::Partly;
        if let Some((from, to)) = context {
            rows.text(CONTEXT, from, to);
            at = skip_spaces(event, to + 1);
            let word = event[at..].iter().take_while(|byte| byte.is_ascii_uppercase()).count();
            if has_severity.is_none() && level::from_word(&event[at..at + word]).is_some() {
                return Err("a level follows the context");
            }
            if has_severity.is_some() || CONTEXTS.iter().any(|name| event[from..to].starts_with(name)) {
                fit = Fit::Whole;
            }
        } else if has_severity.is_some() {
            return Err("no context after the component");
        }
        if at < event.len() {
            rows.text(MESSAGE, at, event.len());
        }
        if let Some(duration) = duration_at_end(event) {
            rows.int(DURATION_MS, duration);
        }
        Ok(fit)
    }
}

/// `I`, `D2`, and where it ends.
fn severity(event: &[u8], at: usize) -> Option<(Level, usize)> {
    let level = match event.get(at)? {
        b'F' => Level::Fatal,
        b'E' => Level::Error,
        b'W' => Level::Warn,
        b'I' => Level::Info,
        b'D' => Level::Debug,
        _ => return None,
    };
    let end = at + 1 + usize::from(event.get(at + 1).is_some_and(u8::is_ascii_digit));
    (event.get(end) == Some(&b' ')).then_some((level, end))
}

fn skip_spaces(event: &[u8], at: usize) -> usize {
    at + event[at..].iter().take_while(|byte| **byte == b' ').count()
}

/// Slow operations end with their milliseconds.
fn duration_at_end(event: &[u8]) -> Option<i64> {
    let digits = event.strip_suffix(b"ms")?;
    let length = digits.iter().rev().take(15).take_while(|byte| byte.is_ascii_digit()).count();
    let start = digits.len() - length;
    if length == 0 || start == 0 || digits[start - 1] != b' ' {
        return None;
    }
    Some(digits[start..].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
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
            "2026-11-21T03:04:05.123+0100 I COMMAND  [conn1] command a.b planSummary: COLLSCAN protocol:op_msg 123ms",
            r#"2026-11-21T02:04:05.123Z info severity="I" component="COMMAND" context="conn1" duration_ms=123 message="command a.b planSummary: COLLSCAN protocol:op_msg 123ms""#,
        );
        check(
            "2026-11-21T03:04:05.123+0000 D2 -        [rsSync-0] x",
            r#"2026-11-21T03:04:05.123Z debug severity="D2" context="rsSync-0" message="x""#,
        );
        check(
            "2026-11-21T03:04:05.123+0000 [initandlisten] up",
            r#"2026-11-21T03:04:05.123Z - context="initandlisten" message="up""#,
        );
        check(
            "2026-11-21T03:04:05.123+0000 ***** RESTARTED",
            r#"2026-11-21T03:04:05.123Z - message="***** RESTARTED""#,
        );
        check("up", "unparsed: it precedes the first event");
        check("2026-11-21T03:04:05.123+0000 I am here", "unparsed: no component after the severity");
        check("2026-11-21T03:04:05.123+0000 I NETWORK  x", "unparsed: no context after the component");
        check("2026-11-21T03:04:05.123+0000", "2026-11-21T03:04:05.123Z -");
    }
}
