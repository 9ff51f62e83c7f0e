//! Job logs whose lines have no time, but whose sections do: older GitLab (`section_start:1795230245:build`)
//! and Travis (`travis_time:end:…`). Lines within a section take the time of the line before them.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader, Setup};
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::epoch;

/// Any line fits if one marks a section, so every other format that fits is preferred.
pub(crate) static FORMAT: Format = Format {
    name: "ci-sections",
    title: "lines of a job's log with sections",
    weight: 0.45,
    columns: COLUMNS,
    learn: |sample, _| {
        let has_marks = sample.split(|&byte| byte == b'\n').any(|line| mark(line).is_some());
        Learned { has_marks, ..Learned::default() }
    },
    reader: |setup: &Setup| Box::new(JobSectionReader { has_marks: setup.learned.has_marks }),
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("command", ColumnKind::Text), ("section", ColumnKind::Text), ("message", ColumnKind::Text)];
const COMMAND: usize = 0;
const SECTION: usize = 1;
const MESSAGE: usize = 2;

/// The section of a line, and where the rest of the line begins.
struct SectionMark {
    command: usize,
    section: (usize, usize),
    when: Option<When>,
    next: usize,
}

fn mark(line: &[u8]) -> Option<SectionMark> {
    let end = memchr(b'\r', line).unwrap_or(line.len());
    let head = line[..end].trim_ascii_end();
    let next = (end + 1).min(line.len());
    for command in [&b"section_start"[..], b"section_end"] {
        let Some(rest) = head.strip_prefix(command).and_then(|rest| rest.strip_prefix(b":")) else {
            continue;
        };
        let colon = memchr(b':', rest)?;
        let when = epoch::number(&rest[..colon]).map(When::Instant)?;
        let section = command.len() + 1 + colon + 1;
        return Some(SectionMark {
            command: command.len(),
            section: (section, head.len()),
            when: Some(when),
            next,
        });
    }
    for command in [&b"travis_fold:start"[..], b"travis_fold:end", b"travis_time:start", b"travis_time:end"] {
        let Some(rest) = head.strip_prefix(command).and_then(|rest| rest.strip_prefix(b":")) else {
            continue;
        };
        let name_end = memchr(b':', rest).unwrap_or(rest.len());
        let finish = memmem::find(rest, b"finish=").map(|at| &rest[at + 7..]);
        let digits = finish.map(|finish| &finish[..memchr(b',', finish).unwrap_or(finish.len())]);
        let section = command.len() + 1;
        let when = digits.and_then(epoch::number).map(When::Instant);
        return Some(SectionMark {
            command: command.len(),
            section: (section, section + name_end),
            when,
            next,
        });
    }
    None
}

struct JobSectionReader {
    has_marks: bool,
}

impl Reader for JobSectionReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !self.has_marks {
            return Err("no section of a job");
        }
        let mut from = 0;
        if let Some(mark) = mark(event) {
            rows.text(COMMAND, 0, mark.command);
            rows.text(SECTION, mark.section.0, mark.section.1);
            if let Some(when) = &mark.when {
                rows.when(when);
            }
            from = mark.next;
        }
        let to = event.trim_ascii_end().len();
        from += event[from..].iter().take_while(|byte| matches!(byte, b'\r' | b' ')).count();
        if from < to {
            rows.text(MESSAGE, from, to);
            if let Some(word) = level::find(event, from, from + limits::LEVEL_WITHIN_BYTES) {
                rows.set_level(word.level);
            }
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            (
                "section_start:1795230245:prepare_executor\rPreparing the \"docker\" executor",
                r#"2026-11-21T03:04:05Z - command="section_start" section="prepare_executor" message="Preparing the \"docker\" executor""#,
            ),
            (
                "section_end:1795230245:prepare_executor\r",
                r#"2026-11-21T03:04:05Z - command="section_end" section="prepare_executor""#,
            ),
            (
                "travis_time:end:0a1b:start=1795230244123456789,finish=1795230245123456789,duration=1000000000\rERROR: x",
                r#"2026-11-21T03:04:05.123456789Z error command="travis_time:end" section="0a1b" message="ERROR: x""#,
            ),
            ("travis_fold:start:git.checkout\r", r#"- - command="travis_fold:start" section="git.checkout""#),
            ("section_start:soon:x", "unparsed: no section of a job"),
            ("make: done", "unparsed: no section of a job"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
