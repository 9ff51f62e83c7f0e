//! The log of Samba: a line in brackets with the time, the debug level and the source position, followed by
//! indented lines with the message.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::named_columns::{NamedColumns, number};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::stamp::{Stamp, iso};

pub(crate) static FORMAT: Format = Format {
    name: "samba",
    title: "Samba log lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| head(line).is_some()),
    reader: |_: &Setup| Box::new(SambaReader { named: NamedColumns::default() }),
    ..Format::LINES
};

const COLUMNS: Schema = &[("debug_level", ColumnKind::Int), ("message", ColumnKind::Text)];
const DEBUG_LEVEL: usize = 0;
const MESSAGE: usize = 1;

/// The longest line in brackets, including the options that add process and users.
const LONGEST_HEAD_BYTES: usize = 256;

/// The contents of the brackets, and their end.
struct SambaHead {
    stamp: Stamp,
    depth: u8,
    /// The position of the options, if present.
    options: usize,
    close: usize,
}

/// `[2026/11/21 03:04:05.123456,  1, pid=12, …] `.
fn head(line: &[u8]) -> Option<SambaHead> {
    if line.first() != Some(&b'[') {
        return None;
    }
    let (stamp, comma) = iso(line, 1)?;
    let rest = line[comma..].strip_prefix(b", ")?;
    let from = comma + 2 + rest.iter().take_while(|byte| **byte == b' ').count();
    let digits = line[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let options = from + digits;
    if !(1..=2).contains(&digits) || !matches!(line.get(options), Some(b',' | b']')) {
        return None;
    }
    let close = options + memchr(b']', &line[options..line.len().min(options + LONGEST_HEAD_BYTES)])?;
    let depth = line[from..options].iter().fold(0, |number, digit| number * 10 + (digit - b'0'));
    Some(SambaHead { stamp, depth, options, close })
}

struct SambaReader {
    named: NamedColumns,
}

impl Reader for SambaReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = head(event).ok_or("no time and debug level in brackets at the start")?;
        rows.stamp(&head.stamp);
        rows.set_level(level(head.depth));
        rows.int(DEBUG_LEVEL, i64::from(head.depth));
        self.named.begin();
        self.options(event, &head, rows);
        let line_end = memchr(b'\n', event).unwrap_or(event.len());
        let from = head.close + 1 + usize::from(event.get(head.close + 1) == Some(&b' '));
        let place = event.get(from..line_end).unwrap_or_default();
        let message = if self.place(event, from, place, rows) { line_end } else { from };
        let text = event.get(message..).unwrap_or_default();
        let start = message + (text.len() - text.trim_ascii_start().len());
        let end = message + text.trim_ascii_end().len();
        if start < end {
            rows.text(MESSAGE, start, end);
        }
        Ok(Fit::Whole)
    }
}

impl SambaReader {
    /// `, pid=12, effective(0, 0), real(0, 0), class=auth`: the options that are pairs.
    fn options(&mut self, event: &[u8], head: &SambaHead, rows: &mut Rows) {
        let mut at = head.options;
        for option in event[head.options..head.close].split(|byte| *byte == b',') {
            let from = at + (option.len() - option.trim_ascii_start().len());
            at += option.len() + 1;
            if let Some(sign) = memchr(b'=', option.trim_ascii_start()) {
                let name = &event[from..from + sign];
                self.named.value(name, event, from + sign + 1, at - 1, rows);
            }
        }
    }

    /// `../source3/smbd/server.c:12(main)`: file, line and function, if the line contains nothing else.
    fn place(&mut self, event: &[u8], from: usize, place: &[u8], rows: &mut Rows) -> bool {
        let place = place.trim_ascii_end();
        let Some(inner) = place.strip_suffix(b")") else { return false };
        let (Some(open), Some(colon)) = (memchr(b'(', inner), memchr(b':', inner)) else { return false };
        if colon >= open || colon == 0 || place[..open].contains(&b' ') {
            return false;
        }
        self.named.text(b"source_file", from, from + colon, rows);
        let (line, function) = (colon + 1, open + 1);
        if number(&place[line..open]).is_some() {
            self.named.value(b"source_line", event, from + line, from + open, rows);
            self.named.text(b"function", from + function, from + inner.len(), rows);
        } else if number(&inner[function..]).is_some() {
            // Older versions put the function first: `server.c:main(12)`.
            self.named.value(b"source_line", event, from + function, from + inner.len(), rows);
            self.named.text(b"function", from + line, from + open, rows);
        }
        true
    }
}

/// Samba's own mapping to syslog levels; higher values are for developers.
fn level(depth: u8) -> Level {
    match depth {
        0 => Level::Error,
        1 => Level::Warn,
        2 => Level::Notice,
        3 | 4 => Level::Info,
        5..=9 => Level::Debug,
        _ => Level::Trace,
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            "[2026/11/21 03:04:05.123456,  1] ../source3/smbd/shop.c:12(open_shop)\n  the shop is closed\n  until nine",
            r#"2026-11-21T03:04:05.123456Z warn debug_level=1 message="the shop is closed\n  until nine" source_file="../source3/smbd/shop.c" source_line=12 function="open_shop""#,
        );
        check(
            "[2026/11/21 03:04:05, 0] lib/shop.c:open_shop(12)\n  closed",
            r#"2026-11-21T03:04:05Z error debug_level=0 message="closed" source_file="lib/shop.c" source_line=12 function="open_shop""#,
        );
        check(
            "[2026/11/21 03:04:05.123456,  5, pid=12, effective(0, 0), class=auth] auth.c:1(x)\n  y",
            r#"2026-11-21T03:04:05.123456Z debug debug_level=5 message="y" pid=12 class="auth" source_file="auth.c" source_line=1 function="x""#,
        );
        check(
            "[2026/11/21 03:04:05,  3] a text at once",
            r#"2026-11-21T03:04:05Z info debug_level=3 message="a text at once""#,
        );
        for line in
            ["[2026/11/21 03:04:05] x", "[2026-11-21 03:04:05,123] INFO x", "[2026/11/21 03:04:05, a] x", "x"]
        {
            check(line, "unparsed: it precedes the first event");
        }
    }
}
