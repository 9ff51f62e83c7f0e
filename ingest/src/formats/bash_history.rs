//! A shell's history with times: a line with `#` and the seconds since 1970, then the command.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::rows::{Kind, Rows};
use crate::time::{When, epoch};

pub(crate) static FORMAT: Format = Format {
    name: "bash-history",
    title: "commands of a shell",
    columns: &[("command", Kind::Text)],
    learn: |_, _| Learned::starting(is_stamp),
    reader: |_| Box::new(HistoryReader),
    ..Format::LINES
};
const COMMAND: usize = 0;

/// Ten digits are the seconds from 2001 to 2286.
fn is_stamp(line: &[u8]) -> bool {
    line.strip_prefix(b"#").is_some_and(|digits| digits.len() == 10 && digits.iter().all(u8::is_ascii_digit))
}

struct HistoryReader;

impl Reader for HistoryReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let end = memchr(b'\n', event).unwrap_or(event.len());
        if !is_stamp(event[..end].trim_ascii_end()) {
            return Err("no time of a command");
        }
        if let Some(ns) = epoch::number(event[1..end].trim_ascii_end()) {
            rows.when(&When::Instant(ns));
        }
        if end + 1 < event.len() {
            rows.text(COMMAND, end + 1, event.len());
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_commands() {
        for (text, expected) in [
            ("#1763694245\nls -l", r#"2025-11-21T03:04:05Z - command="ls -l""#),
            (
                "#1763694245\nfor x in a; do\necho $x; done",
                "2025-11-21T03:04:05Z - command=\"for x in a; do\\necho $x; done\"",
            ),
            ("#1763694245", "2025-11-21T03:04:05Z -"),
            ("ls", "unparsed: it stands before the first event, or goes on with one that is too long"),
        ] {
            assert_eq!(render(&FORMAT, text), expected, "{text}");
        }
    }
}
