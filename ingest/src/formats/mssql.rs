//! The ERRORLOG of SQL Server.

use memchr::memmem;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "mssql",
    title: "SQL Server error log entries",
    columns: COLUMNS,
    learn: |_, _| {
        // A line of the version at the start begins with the date of its build.
        Learned::starting(|line| {
            line.first().is_some_and(u8::is_ascii_digit) && time_near_start(line, 0).is_some()
        })
    },
    reader: |_| Box::new(MssqlErrorReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("process", ColumnKind::Text),
    ("error_code", ColumnKind::Int),
    ("severity", ColumnKind::Int),
    ("state", ColumnKind::Int),
    ("message", ColumnKind::Text),
];
const PROCESS: usize = 0;
const ERROR_CODE: usize = 1;
const SEVERITY: usize = 2;
const STATE: usize = 3;
const MESSAGE: usize = 4;

/// The processes that have a name; up to version 2000 it is in small letters, and padded.
const PROCESSES: [&[u8]; 3] = [b"Server", b"Logon", b"Backup"];

struct MssqlErrorReader;

impl Reader for MssqlErrorReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let time = time_near_start(event, 0).ok_or("no time at the start")?;
        let from = time.end + 1;
        let rest = event.get(from..).unwrap_or_default();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let process = &rest[..length];
        let is_padded = rest[length..].starts_with(b"  ");
        let is_process = PROCESSES.contains(&process)
            || is_padded && PROCESSES.iter().any(|known| known.eq_ignore_ascii_case(process))
            || process.strip_prefix(b"spid").is_some_and(|id| id.first().is_some_and(u8::is_ascii_digit));
        if !is_process {
            return Err("no SQL Server process after the time");
        }
        rows.when(&time.when);
        rows.text(PROCESS, from, from + length);
        let message = rest[length..].trim_ascii_start();
        let at = event.len() - message.len();
        if !message.is_empty() {
            rows.text(MESSAGE, at, event.len());
        }
        let severity = value(message, b"Severity: ");
        if let Some(code) = message.starts_with(b"Error: ").then(|| value(message, b"Error: ")).flatten() {
            rows.int(ERROR_CODE, code);
            for (column, value) in [(SEVERITY, severity), (STATE, value(message, b"State: "))] {
                if let Some(value) = value {
                    rows.int(column, value);
                }
            }
            // From severity 20 on the server ends the connection.
            rows.set_level(match severity {
                Some(..=10) => Level::Info,
                Some(20..) => Level::Fatal,
                _ => Level::Error,
            });
        } else if message.starts_with(b"Warning") {
            rows.set_level(Level::Warn);
        }
        Ok(Fit::Whole)
    }
}

fn value(message: &[u8], name: &[u8]) -> Option<i64> {
    let rest = &message[memmem::find(message, name)? + name.len()..];
    let digits = rest.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| rest[..digits].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
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
            "2026-11-21 03:04:05.12 Server      Up\n\tand more",
            "2026-11-21T03:04:05.12Z - process=\"Server\" message=\"Up\\n\\tand more\"",
        );
        check(
            "2026-11-21 03:04:05.12 Logon       Error: 18456, Severity: 14, State: 8.",
            r#"2026-11-21T03:04:05.12Z error process="Logon" error_code=18456 severity=14 state=8 message="Error: 18456, Severity: 14, State: 8.""#,
        );
        check(
            "2026-11-21 03:04:05.12 spid22s     x",
            r#"2026-11-21T03:04:05.12Z - process="spid22s" message="x""#,
        );
        check("2026-11-21 03:04:05 server received a=1", "unparsed: no SQL Server process after the time");
        check("2026-11-21 03:04:05.12 main x", "unparsed: no SQL Server process after the time");
        check("2026-11-21 03:04:05.12", "unparsed: no SQL Server process after the time");
        check("x", "unparsed: it precedes the first event");
    }
}
