//! Journal entries with all their fields: `journalctl -o export`, where values with line ends have a byte
//! count, and `journalctl -o verbose`, where fields are indented lines below the time.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::frame::{EventBlock, Framing};
use crate::layout::time_at;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::When;
use crate::time::epoch;

pub(crate) static EXPORT: Format = Format {
    name: "journal-export",
    title: "exported journal entries",
    learn: |_, _| Learned { framing: Framing::blocks(entry), ..Learned::default() },
    reader: |_: &Setup| Box::new(ExportReader { named: NamedColumns::default() }),
    ..Format::LINES
};

pub(crate) static VERBOSE: Format = Format {
    name: "journal-verbose",
    title: "journal entries",
    learn: |_, _| Learned::starting(|line| is_verbose(line) || line.starts_with(b"-- ")),
    note: Some(|line| line.starts_with(b"-- ")),
    reader: |_: &Setup| Box::new(VerboseReader { named: NamedColumns::default() }),
    ..Format::LINES
};

/// Bytes of the length of a value.
const LENGTH_BYTES: usize = 8;

/// One field: its name, its value, the position after it, and the end of the text that was needed to find
/// that position.
struct JournalField<'a> {
    name: &'a [u8],
    value: (usize, usize),
    next: usize,
    decided_at: usize,
}

/// The field that begins at a position; `None` if its end is not in the text.
fn field(text: &[u8], at: usize) -> Option<JournalField<'_>> {
    let end = at + memchr(b'\n', &text[at..])?;
    let line = &text[at..end];
    if let Some(equals) = memchr(b'=', line) {
        let value = (at + equals + 1, end);
        return Some(JournalField { name: &line[..equals], value, next: end + 1, decided_at: end + 1 });
    }
    let is_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    if line.is_empty() || !line.iter().all(is_name) {
        return Some(JournalField { name: b"", value: (end, end), next: end + 1, decided_at: end + 1 });
    }
    let start = end + 1;
    let length = u64::from_le_bytes(*text.get(start..)?.first_chunk::<LENGTH_BYTES>()?);
    let value = start + LENGTH_BYTES;
    // A length that does not lead to a line end is damaged: only this line is skipped.
    let damaged = |decided_at: usize| JournalField { name: b"", value: (end, end), next: start, decided_at };
    if length > crate::limits::LARGEST_BLOCK_BYTES as u64 {
        return Some(damaged(value));
    }
    let value_end = value + length as usize;
    match text.get(value_end)? {
        b'\n' => {
            let next = value_end + 1;
            Some(JournalField { name: line, value: (value, value_end), next, decided_at: next })
        }
        _ => Some(damaged(value_end + 1)),
    }
}

/// One entry: fields up to a blank line. It does not end before the text that was needed to find the end of
/// its fields, so that it reads the same if a chunk ends after it.
fn entry(text: &[u8]) -> Option<EventBlock> {
    let blank = text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    if blank > 0 {
        return Some(EventBlock { start: 0, end: 0, next: blank });
    }
    let (mut at, mut decided_at) = (0, 0);
    loop {
        let field = field(text, at)?;
        decided_at = decided_at.max(field.decided_at);
        let next = field.next;
        match text.get(next)? {
            b'\n' if next < decided_at => at = next,
            b'\n' => return Some(EventBlock { start: 0, end: next - 1, next: next + 1 }),
            _ => at = next,
        }
    }
}

/// Adds a field with the journal's name, and the conventional fields of every event.
fn put(named: &mut NamedColumns, name: &[u8], event: &[u8], (from, to): (usize, usize), rows: &mut Rows) {
    let value = &event[from..to];
    match name {
        b"" => return,
        b"MESSAGE" => return named.text(b"message", from, to, rows),
        b"PRIORITY" => {
            if let [digit @ b'0'..=b'7'] = value {
                rows.set_level(level::from_severity(i64::from(digit - b'0')).unwrap_or(Level::None));
            }
        }
        b"__REALTIME_TIMESTAMP" => {
            if let Some(ns) = epoch::number(value) {
                rows.when(&When::Instant(ns));
            }
        }
        _ => {}
    }
    named.value(name, event, from, to, rows);
}

struct ExportReader {
    named: NamedColumns,
}

impl Reader for ExportReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let starts = [&b"__"[..], b"_", b"MESSAGE", b"PRIORITY", b"SYSLOG_"];
        let first = event.split(|byte| matches!(byte, b'=' | b'\n')).next().unwrap_or_default();
        let is_first = starts.iter().any(|start| first.starts_with(start))
            && first.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
        if !is_first {
            return Err("no field of a journal entry");
        }
        self.named.begin();
        let mut at = 0;
        while at < event.len() {
            let Some(field) = field(event, at) else {
                // The last field of an entry has no line end here.
                self.last(event, at, rows);
                break;
            };
            put(&mut self.named, field.name, event, field.value, rows);
            at = field.next;
        }
        if rows.has_time() { Ok(Fit::Whole) } else { Ok(Fit::Partly) }
    }
}

impl ExportReader {
    fn last(&mut self, event: &[u8], at: usize, rows: &mut Rows) {
        let line_end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
        if let Some(equals) = memchr(b'=', &event[at..line_end]) {
            put(&mut self.named, &event[at..at + equals], event, (at + equals + 1, line_end), rows);
        } else if line_end + 1 + LENGTH_BYTES <= event.len() {
            let value = (line_end + 1 + LENGTH_BYTES, event.len());
            put(&mut self.named, &event[at..line_end], event, value, rows);
        }
    }
}

/// `Sat 2026-11-21 03:04:05.123456 CET [s=…;i=…`.
fn is_verbose(line: &[u8]) -> bool {
    line.len() > 40
        && line[3] == b' '
        && line[0].is_ascii_uppercase()
        && memmem::find(line, b" [s=").is_some()
}

struct VerboseReader {
    named: NamedColumns,
}

impl Reader for VerboseReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let end = memchr(b'\n', event).unwrap_or(event.len());
        if !is_verbose(&event[..end]) {
            return Err("no time and cursor of a journal entry");
        }
        if let Some((when, _)) = time_at(event, 4) {
            rows.when(&when);
        }
        self.named.begin();
        let mut at = end + 1;
        while at < event.len() {
            let end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
            let name = at + event[at..end].iter().take_while(|byte| **byte == b' ').count();
            if let Some(equals) = memchr(b'=', &event[name..end]) {
                put(&mut self.named, &event[name..name + equals], event, (name + equals + 1, end), rows);
            }
            at = end + 1;
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    const BINARY: &str = "__REALTIME_TIMESTAMP=1763694245123456\nMESSAGE\n\u{3}\0\0\0\0\0\0\0a\nb\nPRIORITY=4\n_COMM=shop\n_PID=7\n\n";

    #[test]
    fn sample_entries() {
        assert_eq!(
            render(&EXPORT, BINARY),
            "2025-11-21T03:04:05.123456Z warn __REALTIME_TIMESTAMP=1763694245123456 message=\"a\\nb\" PRIORITY=4 _COMM=\"shop\" _PID=7"
        );
        assert_eq!(render(&EXPORT, "_PID=7\nMESSAGE=x"), "- - _PID=7 message=\"x\"");
        assert_eq!(render(&EXPORT, "x=7\n"), "unparsed: no field of a journal entry");
        assert_eq!(
            render(
                &VERBOSE,
                "Sat 2026-11-21 03:04:05.123456 UTC [s=0123;i=1;b=2;m=3;t=4;x=5]\n    PRIORITY=3\n    MESSAGE=a=b"
            ),
            r#"2026-11-21T03:04:05.123456Z error PRIORITY=3 message="a=b""#
        );
        assert_eq!(render(&VERBOSE, "Sat 2026-11-21"), "unparsed: it precedes the first event");
    }

    #[test]
    fn entry_with_a_damaged_length_ends_the_same_whatever_follows() {
        let text = b"V\n\n\n\n\n;\nmore\n\nnext\n\n";
        for end in 14..text.len() {
            assert_eq!(entry(&text[..end]), Some(EventBlock { start: 0, end: 12, next: 14 }), "{end} bytes");
        }
    }

    #[test]
    fn entries_end_at_blank_lines_and_not_within_counted_values() {
        let text = format!("\n{BINARY}_PID=8\n\n_PID=9");
        let text = text.as_bytes();
        let length = BINARY.len();
        assert_eq!(entry(text), Some(EventBlock { start: 0, end: 0, next: 1 }));
        assert_eq!(entry(&text[1..]), Some(EventBlock { start: 0, end: length - 2, next: length }));
        assert_eq!(entry(&text[1 + length..]), Some(EventBlock { start: 0, end: 6, next: 8 }));
        assert_eq!(entry(b"_PID=9"), None);
        // Blank lines within a counted value do not end it; a damaged length affects only its own line.
        let blank = b"MESSAGE\n\x03\0\0\0\0\0\0\0\n\n\n\n_PID=1\n\n";
        assert_eq!(entry(blank).map(|block| block.next), Some(28));
        let damaged = b"MESSAGE\n\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFab\n\n";
        assert_eq!(entry(damaged).map(|block| block.next), Some(20));
    }
}
