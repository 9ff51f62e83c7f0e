//! The history of a shell that records times: `#1763694245` above each command of bash, or `:
//! 1763694245:0;command` of zsh.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::{When, epoch};

pub(crate) static FORMAT: Format = Format {
    name: "shell_history",
    title: "commands of a shell's history",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| start(line).is_some()),
    reader: |_| Box::new(HistoryReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[("command", ColumnKind::Text)];
const COMMAND: usize = 0;

/// The time of a command, and where the command begins.
fn start(line: &[u8]) -> Option<(i64, usize)> {
    let at = if line.starts_with(b": ") { 2 } else { usize::from(line.first() == Some(&b'#')) };
    let digits = line[at..].iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let ns = epoch::number(&line[at..at + digits])?;
    let rest = &line[at + digits..];
    match at {
        1 => matches!(rest.first(), None | Some(b'\n' | b'\r')).then_some((ns, at + digits)),
        2 => Some((ns, at + digits + memchr(b';', rest.strip_prefix(b":")?)? + 2)),
        _ => None,
    }
}

struct HistoryReader;

impl Reader for HistoryReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (ns, from) = start(event).ok_or("no time of a command")?;
        rows.when(&When::Instant(ns));
        let command = event[from..].trim_ascii();
        if !command.is_empty() {
            let from = from + event[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            rows.text(COMMAND, from, from + command.len());
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[test]
    fn sample_commands() {
        let check = |text, expected| assert_eq!(render(&FORMAT, text), expected, "{text}");
        check("#1763694245\nls -l \\\n  /tmp\n", "2025-11-21T03:04:05Z - command=\"ls -l \\\\\\n  /tmp\"");
        check(": 1763694245:0;ls; pwd", "2025-11-21T03:04:05Z - command=\"ls; pwd\"");
        check("#1763694245", "2025-11-21T03:04:05Z -");
        check("#17 is a comment", "unparsed: it precedes the first event");
    }
}
