//! The error log of `MySQL` and `MariaDB`: `161209 14:18:50 [Note] …`, `2026-11-21 03:04:05 12 [ERROR] …`,
//! `2026-11-21T03:04:05.123456Z 0 [Warning] [MY-010055] [Server] …`.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::digits::byte;
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "mysql",
    title: "MySQL error log entries",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(MysqlErrorReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("thread", ColumnKind::Text),
    ("severity", ColumnKind::Text),
    ("code", ColumnKind::Text),
    ("component", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const THREAD: usize = 0;
const SEVERITY: usize = 1;
const CODE: usize = 2;
const COMPONENT: usize = 3;
const MESSAGE: usize = 4;

/// A date as old and new servers write it, and a time that may begin with a space.
fn begins(line: &[u8]) -> bool {
    let digits = line.iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        6 => byte(line, 6) == b' ' && (byte(line, 9) == b':' || byte(line, 8) == b':'),
        4 => byte(line, 4) == b'-' && byte(line, 7) == b'-' && byte(line, 13) == b':',
        _ => false,
    }
}

struct MysqlErrorReader;

impl Reader for MysqlErrorReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !begins(event) {
            return Err("no time at the start");
        }
        let time = time_near_start(event, 0);
        // If the time cannot be read, its two words are skipped all the same.
        let after =
            |at: usize| at + event[at..].iter().position(|byte| *byte == b' ').unwrap_or(event.len() - at);
        let mut at = time.map_or_else(|| after(skip_spaces(event, after(0))), |time| time.end);
        if let Some(time) = time {
            rows.when(&time.when);
        }
        at = skip_spaces(event, at);
        let word = event[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let is_thread =
            event[at..at + word].iter().all(u8::is_ascii_hexdigit) && byte(event, at + word) == b' ';
        let has_thread = word > 0 && is_thread && event[at].is_ascii_digit();
        if has_thread {
            rows.text(THREAD, at, at + word);
            at = skip_spaces(event, at + word);
        }
        let mut is_own = ["InnoDB:", "mysqld", "mariadbd", "/usr/", "Plugin "]
            .iter()
            .any(|start| event[at..].starts_with(start.as_bytes()));
        if let Some((from, to)) = bracket(event, at)
            && let Some(level) = severity_level(&event[from..to])
        {
            rows.set_level(level);
            rows.text(SEVERITY, from, to);
            at = skip_spaces(event, to + 1);
            // Words in brackets and upper case may be from any program. Only old servers wrote no thread.
            let is_old = byte(event, 6) == b' ';
            is_own = has_thread
                || matches!(&event[from..to], b"Note" | b"Warning" | b"System")
                || is_old && &event[from..to] == b"ERROR";
            while let Some((from, to)) = bracket(event, at) {
                let column = if event[from..to].starts_with(b"MY-") { CODE } else { COMPONENT };
                rows.text(column, from, to);
                at = skip_spaces(event, to + 1);
                if column == COMPONENT {
                    break;
                }
            }
        }
        if at < event.len() {
            rows.text(MESSAGE, at, event.len());
        }
        // A server of MySQL writes fractions of a second after a point.
        let has_comma = byte(event, "2026-11-21 03:04:05".len()) == b',';
        Ok(if is_own && !has_comma { Fit::Whole } else { Fit::Partly })
    }
}

fn severity_level(word: &[u8]) -> Option<crate::batch::Level> {
    match word {
        b"Note" => Some(crate::batch::Level::Notice),
        b"System" => Some(crate::batch::Level::Info),
        word => level::from_word(word),
    }
}

/// A bracket at a position: the range of its text.
fn bracket(event: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = event.get(at..)?.strip_prefix(b"[")?;
    let length = memchr(b']', &rest[..rest.len().min(40)])?;
    Some((at + 1, at + 1 + length))
}

fn skip_spaces(event: &[u8], at: usize) -> usize {
    at + event.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
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
            "2026-11-21T03:04:05.123456Z 0 [Warning] [MY-010055] [Server] Slow DNS",
            r#"2026-11-21T03:04:05.123456Z warn thread="0" severity="Warning" code="MY-010055" component="Server" message="Slow DNS""#,
        );
        check(
            "2026-11-21 03:04:05 7f8e1 [Note] InnoDB: up\n more",
            "2026-11-21T03:04:05Z notice thread=\"7f8e1\" severity=\"Note\" message=\"InnoDB: up\\n more\"",
        );
        check(
            "2026-11-21T03:04:05.123456Z 3 [ERROR] x",
            r#"2026-11-21T03:04:05.123456Z error thread="3" severity="ERROR" message="x""#,
        );
        check(
            "2026-11-21 03:04:05 mysqld_safe Starting",
            r#"2026-11-21T03:04:05Z - message="mysqld_safe Starting""#,
        );
        check("InnoDB: 127 rollback segment(s) active.", "unparsed: it precedes the first event");
    }

    #[test]
    fn short_dates_begin_events() {
        assert!(begins(b"161209 14:18:50 [Note] x") && begins(b"161209  4:18:50 InnoDB: x"));
        assert!(!begins(b"161209 records") && !begins(b"InnoDB: x") && !begins(b""));
    }
}
