//! Redis and Valkey: `12:M 21 Nov 2026 03:04:05.123 * text`, before 3.0 `[12] 21 Nov 03:04:05 * text`.

use memchr::memchr;

use super::{Fit, Format, Reader};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "redis",
    title: "Redis log lines",
    columns: COLUMNS,
    reader: |_| Box::new(RedisReader),
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("pid", ColumnKind::Int), ("role", ColumnKind::Text), ("message", ColumnKind::Text)];
const PID: usize = 0;
const ROLE: usize = 1;
const MESSAGE: usize = 2;

struct RedisReader;

impl Reader for RedisReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (pid, role, at) = process(event).ok_or("no process at the start")?;
        // The time of old servers has no year, and neither of its two words is a level.
        let (mark_at, level) = mark(event, at).ok_or("no level mark after the time")?;
        if let Some(time) = time_near_start(&event[at..mark_at], 0) {
            rows.when(&time.when);
        }
        rows.set_level(level);
        rows.int(PID, pid);
        if let Some(role) = role {
            rows.text(ROLE, role, role + 1);
        }
        let from = mark_at + 2;
        if from < event.len() {
            rows.text(MESSAGE, from, event.len());
        }
        Ok(Fit::Whole)
    }
}

/// `12:M ` or `[12] `: the number, the position of the role, and the position after it.
fn process(event: &[u8]) -> Option<(i64, Option<usize>, usize)> {
    let open = usize::from(event.first() == Some(&b'['));
    let digits = event[open..].iter().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let end = open + digits;
    if digits == 0 || digits > 10 {
        return None;
    }
    let pid = event[open..end].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    match (open, event.get(end..end + 3)?) {
        (1, [b']', b' ', _]) => Some((pid, None, end + 2)),
        (0, [b':', b'M' | b'S' | b'C' | b'X' | b'R' | b'L', b' ']) => Some((pid, Some(end + 1), end + 3)),
        _ => None,
    }
}

/// The sign between two spaces after the time, and its level.
fn mark(event: &[u8], from: usize) -> Option<(usize, Level)> {
    /// The longest time: `21 Nov 2026 03:04:05.123`.
    const TIME_BYTES: usize = 26;
    let end = event.len().min(from + TIME_BYTES + 2);
    let mut at = from;
    while let Some(length) = memchr(b' ', &event[at..end]) {
        at += length + 1;
        let level = match event.get(at)? {
            b'.' => Level::Debug,
            b'-' => Level::Trace,
            b'*' => Level::Notice,
            b'#' => Level::Warn,
            _ => continue,
        };
        if matches!(event.get(at + 1), None | Some(b' '))
            && memchr::memchr_iter(b':', &event[from..at]).count() == 2
        {
            return Some((at, level));
        }
    }
    None
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
            "12:M 21 Nov 2026 03:04:05.123 * Ready",
            r#"2026-11-21T03:04:05.123Z notice pid=12 role="M" message="Ready""#,
        );
        check(
            "7:C 21 Nov 2026 03:04:05.123 # Low # x",
            r#"2026-11-21T03:04:05.123Z warn pid=7 role="C" message="Low # x""#,
        );
        check(
            "7:S 21 Nov 2026 03:04:05.123 - x",
            r#"2026-11-21T03:04:05.123Z trace pid=7 role="S" message="x""#,
        );
        check("7:S 21 Nov 2026 03:04:05.123 .", "2026-11-21T03:04:05.123Z debug pid=7 role=\"S\"");
        check("[12] INFO 2026 x * y", "unparsed: no level mark after the time");
        check("12:Q 21 Nov 2026 03:04:05.123 * x", "unparsed: no process at the start");
        check("12:M", "unparsed: no process at the start");
    }

    #[test]
    fn old_lines_have_their_level_too() {
        let rendered = render(&FORMAT, "[12] 21 Nov 03:04:05 # Low");
        assert!(rendered.ends_with(" warn pid=12 message=\"Low\""), "{rendered}");
    }
}
