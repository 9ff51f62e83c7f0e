//! Component-based servicing and similar logs (`CBS.log`, `dism.log`): `2026-11-21 03:04:05, Info   CBS
//! text`.

use super::super::{Fit, Format, Learned, Reader};
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::{FoundTime, time_near_start};

pub(crate) static FORMAT: Format = Format {
    name: "cbs",
    title: "servicing log lines of Windows",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| time(line).is_some()),
    reader: |_| Box::new(CbsReader),
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("component", ColumnKind::Text), ("code", ColumnKind::Text), ("message", ColumnKind::Text)];
const COMPONENT: usize = 0;
const CODE: usize = 1;
const MESSAGE: usize = 2;

/// The time, including the comma after it.
fn time(line: &[u8]) -> Option<FoundTime> {
    time_near_start(line, 0).filter(|time| line[time.end..].starts_with(b", "))
}

struct CbsReader;

impl Reader for CbsReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let time = time(event).ok_or("no time before a comma at the start")?;
        let word_at = |from: usize| {
            let from = from + event[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (from, from + event[from..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count())
        };
        let (from, to) = word_at(time.end + 2);
        let level = level::from_word(&event[from..to]).ok_or("no level after the time")?;
        rows.when(&time.when);
        rows.set_level(level);
        let (from, to) = word_at(to);
        let (mut text, end) = (from, event.len());
        // Without a component the message is in its column.
        let is_component = to > from
            && to - from <= 12
            && event[from..to].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && event[from..to].iter().any(u8::is_ascii_uppercase);
        if is_component {
            rows.text(COMPONENT, from, to);
            text = word_at(to).0;
        }
        if text < end {
            rows.text(MESSAGE, text, end);
        }
        if let Some(at) = memchr::memmem::find(&event[text..], b"HRESULT = 0x") {
            let from = text + at + b"HRESULT = ".len();
            let length = event[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            rows.text(CODE, from, from + length);
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            "2026-11-21 03:04:05, Info                  CBS    Failed to open. [HRESULT = 0x80070002 - NOT_FOUND]",
            r#"2026-11-21T03:04:05Z info component="CBS" code="0x80070002" message="Failed to open. [HRESULT = 0x80070002 - NOT_FOUND]""#,
        );
        check(
            "2026-11-21 03:04:05, Error      DISM   PID=1\n  more",
            "2026-11-21T03:04:05Z error component=\"DISM\" message=\"PID=1\\n  more\"",
        );
        check(
            "2026-11-21 03:04:05, Warning    the message",
            "2026-11-21T03:04:05Z warn message=\"the message\"",
        );
        check("2026-11-21 03:04:05, no level", "unparsed: no level after the time");
        check("2026-11-21 03:04:05 Info x", "unparsed: it precedes the first event");
    }
}
