//! Job logs of GitHub Actions and Azure DevOps: every line begins with its time to a tenth of a microsecond,
//! and some have a command such as `##[error]`. Lines of Buildkite begin with a command for the terminal that
//! has the time. `gh run view --log` writes job and step before the time.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::encoding::BYTE_ORDER_MARK;
use crate::layout::time_at;
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::epoch;

pub(crate) static FORMAT: Format = Format {
    name: "ci",
    title: "lines of a job's log",
    weight: 0.97,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(CiJobReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("command", ColumnKind::Text),
    ("message", ColumnKind::Text),
    ("job", ColumnKind::Text),
    ("step", ColumnKind::Text),
];
const COMMAND: usize = 0;
const MESSAGE: usize = 1;
const JOB: usize = 2;
const STEP: usize = 3;

/// `2026-11-21T03:04:05.1234567Z`, which no other log has.
const STAMP_BYTES: usize = 28;

/// The command for the terminal that begins Buildkite's lines, without its escape, and the mark that ends it.
const TERMINAL_COMMAND: &[u8] = b"_bk;t=";
const BELL: u8 = 0x07;

/// The time and where the text after it begins: `_bk;t=1795230245123` and a bell.
fn after_terminal_command(line: &[u8]) -> Option<(When, usize)> {
    let digits = line.strip_prefix(TERMINAL_COMMAND)?;
    let length = digits.iter().take(20).position(|&byte| byte == BELL)?;
    let end = TERMINAL_COMMAND.len() + length + 1;
    epoch::number(&digits[..length]).map(|ns| (When::Instant(ns), end))
}

fn begins(line: &[u8]) -> bool {
    begins_with_stamp(line) || after_terminal_command(line).is_some() || after_step(line).is_some()
}

/// Where the job's name ends, where the step's does, and where the time begins.
fn after_step(line: &[u8]) -> Option<(usize, usize, usize)> {
    let head = &line[..line.len().min(LONGEST_NAMES)];
    let job = memchr(b'\t', head)?;
    let step = job + 1 + memchr(b'\t', &head[job + 1..])?;
    // The first line of a step may begin with a byte order mark.
    let time =
        step + 1 + if line[step + 1..].starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    begins_with_stamp(&line[time..]).then_some((job, step, time))
}

/// The longest names of a job and its step.
const LONGEST_NAMES: usize = 300;

fn begins_with_stamp(line: &[u8]) -> bool {
    line.len() >= STAMP_BYTES
        && line[STAMP_BYTES - 1] == b'Z'
        && line[19] == b'.'
        && line[10] == b'T'
        && line[20..STAMP_BYTES - 1].iter().all(u8::is_ascii_digit)
        && line.get(STAMP_BYTES).is_none_or(|byte| *byte == b' ')
}

struct CiJobReader;

impl Reader for CiJobReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no time of a job's log";
        let step = after_step(event);
        if let Some((job, step, _)) = step {
            rows.text(JOB, 0, job);
            rows.text(STEP, job + 1, step);
        }
        let at = step.map_or(0, |(_, _, time)| time);
        let time = if step.is_some() || begins_with_stamp(event) {
            time_at(event, at).map(|(when, _)| (when, (at + STAMP_BYTES + 1).min(event.len())))
        } else {
            after_terminal_command(event)
        };
        let (when, mut message) = time.ok_or(broken)?;
        rows.when(&when);
        if event[message..].starts_with(b"##[")
            && let Some(close) = memchr(b']', &event[message..event.len().min(message + LONGEST_COMMAND)])
        {
            let command = (message + 3, message + close);
            rows.text(COMMAND, command.0, command.1);
            if let Some(level) = level::from_word(&event[command.0..command.1]) {
                rows.set_level(level);
            }
            message += close + 1;
        }
        if rows.level() == Level::None
            && let Some(word) = level::find(event, message, message + limits::LEVEL_WITHIN_BYTES)
        {
            rows.set_level(word.level);
        }
        if message < event.len() {
            rows.text(MESSAGE, message, event.len());
        }
        Ok(Fit::Whole)
    }
}

/// The name of a command is one short word.
const LONGEST_COMMAND: usize = 32;

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        let unparsed = "unparsed: it precedes the first event";
        for (line, expected) in [
            (
                "2026-11-21T03:04:05.1234567Z ##[error]x failed",
                r#"2026-11-21T03:04:05.1234567Z error command="error" message="x failed""#,
            ),
            (
                "2026-11-21T03:04:05.1234567Z ##[group]Run tests",
                r#"2026-11-21T03:04:05.1234567Z - command="group" message="Run tests""#,
            ),
            (
                "2026-11-21T03:04:05.1234567Z WARN slow",
                r#"2026-11-21T03:04:05.1234567Z warn message="WARN slow""#,
            ),
            (
                "build (a, b)\tRun tests\t2026-11-21T03:04:05.1234567Z ##[warning]slow",
                r#"2026-11-21T03:04:05.1234567Z warn command="warning" message="slow" job="build (a, b)" step="Run tests""#,
            ),
            ("_bk;t=1795230245123\u{7}--- x", r#"2026-11-21T03:04:05.123Z - message="--- x""#),
            ("2026-11-21T03:04:05.1234567Z", "2026-11-21T03:04:05.1234567Z -"),
            ("2026-13-21T03:04:05.1234567Z x", "unparsed: no time of a job's log"),
            ("2026-11-21T03:04:05.123456Z x", unparsed),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
