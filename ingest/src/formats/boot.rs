//! The console output of systemd and other init programs while a machine starts: a status in brackets and the
//! unit it refers to. Any other console output is kept as a message.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};

pub(crate) static FORMAT: Format = Format {
    name: "boot",
    title: "messages of a machine's start",
    weight: 0.9,
    columns: COLUMNS,
    learn: |sample, _| {
        let lines = || sample.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let statuses = || lines().filter_map(|line| status(after_charset_code(line).1));
        Learned {
            // The lines of many logs begin with a level word in brackets, too.
            has_marks: statuses().any(|status| !status.is_level())
                && statuses().count() * LINES_PER_STATUS >= lines().count(),
            ..Learned::default()
        }
    },
    reader: |setup: &Setup| Box::new(BootReader { has_statuses: setup.learned.has_marks }),
    ..Format::LINES
};

const COLUMNS: Schema = &[("status", ColumnKind::Text), ("message", ColumnKind::Text)];
const STATUS: usize = 0;
const MESSAGE: usize = 1;

/// The words in the brackets and their levels; no other log has the first ones in this place.
const STATUSES: [(&[u8], Level); 12] = [
    (b"OK", Level::Info),
    (b"ok", Level::Info),
    (b"DONE", Level::Info),
    (b"FAILED", Level::Error),
    (b"fail", Level::Error),
    (b"DEPEND", Level::Error),
    (b"TIME", Level::Error),
    (b"WARN", Level::Warn),
    (b"warn", Level::Warn),
    (b"INFO", Level::Info),
    (b"info", Level::Info),
    (b"SKIP", Level::Notice),
];

/// No status is wider, including the closing bracket.
const STATUS_WIDTH: usize = 8;

/// If fewer than one line in this many has a status, the other lines are not part of a start.
const LINES_PER_STATUS: usize = 5;

struct BootReader {
    has_statuses: bool,
}

impl Reader for BootReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !self.has_statuses {
            return Err("no boot status");
        }
        let (start, line) = after_charset_code(event);
        let status = status(line);
        let (mut from, mut fit) = (start, Fit::Partly);
        if let Some(Status { word, level, next, .. }) = status {
            from = start + next;
            if let Some(level) = level {
                rows.text(STATUS, start + word.0, start + word.1);
                rows.set_level(level);
            }
            // The lines of many logs begin with a level word in brackets; only this one centres it.
            if word.0 > 1 || level == Some(Level::Error) || level.is_none() {
                fit = Fit::Whole;
            }
        }
        let to = event.trim_ascii_end().len();
        from += event[from..].iter().take_while(|byte| **byte == b' ').count();
        if from < to {
            rows.text(MESSAGE, from, to);
        }
        Ok(fit)
    }
}

/// The rest of a line after the code that switches a console's character set, which shows as `%G`.
fn after_charset_code(line: &[u8]) -> (usize, &[u8]) {
    let start = line.chunks(2).take_while(|code| **code == *b"%G").count() * 2;
    (start, &line[start..])
}

/// The word in the brackets, without a level while the start is still pending, and the position after the
/// brackets.
struct Status {
    word: (usize, usize),
    level: Option<Level>,
    next: usize,
    is_word_of_levels: bool,
}

impl Status {
    /// Whether it may be a level instead: `[INFO]`, whereas a status is padded.
    fn is_level(&self) -> bool {
        self.is_word_of_levels && self.word.0 == 1
    }
}

/// This many statuses, from the first on, are no level words.
const SURE_STATUSES: usize = 7;

fn status(line: &[u8]) -> Option<Status> {
    let inner = line.strip_prefix(b"[")?;
    let inner = &inner[..memchr(b']', &inner[..inner.len().min(STATUS_WIDTH)])?];
    let word = inner.trim_ascii();
    let known = STATUSES.iter().position(|(known, _)| *known == word);
    let level = known.map(|known| STATUSES[known].1);
    let is_waiting = word.contains(&b'*') && word.iter().all(|byte| matches!(byte, b'*' | b' '));
    if level.is_none() && !is_waiting {
        return None;
    }
    // A time in brackets follows a level, not a status.
    if matches!(line.get(inner.len() + 2..), Some([b' ', b'[', b'0'..=b'9', ..])) {
        return None;
    }
    let from = 1 + inner.len() - inner.trim_ascii_start().len();
    let is_word_of_levels = known.is_some_and(|known| known >= SURE_STATUSES);
    Some(Status { word: (from, from + word.len()), level, next: inner.len() + 2, is_word_of_levels })
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_lines() {
        for (line, expected) in [
            ("[  OK  ] Started cron.", r#"- info status="OK" message="Started cron.""#),
            (
                "[FAILED] Failed to start Apache.",
                r#"- error status="FAILED" message="Failed to start Apache.""#,
            ),
            (
                "[DEPEND] Dependency failed for /data.",
                r#"- error status="DEPEND" message="Dependency failed for /data.""#,
            ),
            ("[ ok ] Starting cron", r#"- info status="ok" message="Starting cron""#),
            ("[***   ] A start job is running for x", r#"- - message="A start job is running for x""#),
            ("%G%G[  OK  ] Mounted /tmp.", r#"- info status="OK" message="Mounted /tmp.""#),
            ("         Starting Cleanup...\n[  OK  ] x", r#"- - message="Starting Cleanup...""#),
            ("[   16.731645] fsck: clean\n[  OK  ] x", r#"- - message="[   16.731645] fsck: clean""#),
            ("[]\n[  OK  ] x", r#"- - message="[]""#),
            ("[main] started", "unparsed: no boot status"),
            ("[INFO] Building shop 1.0\n[INFO] done", "unparsed: no boot status"),
            ("[ INFO ] Kernel modules\n[ INFO ] x", r#"- info status="INFO" message="Kernel modules""#),
            ("[ERROR] x", "unparsed: no boot status"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
