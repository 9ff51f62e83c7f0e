//! The unified log of TiDB, TiKV and PD: time, level, place, message and pairs, each in brackets and quoted where
//! it has to be.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::json_escapes::unescape;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::joined::joined_time;

pub(crate) static FORMAT: Format = Format {
    name: "tidb",
    title: "lines of TiDB's log",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(TidbReader { named: NamedColumns::default() }),
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("source_file", ColumnKind::Text), ("source_line", ColumnKind::Int), ("message", ColumnKind::Text)];
const SOURCE_FILE: usize = 0;
const SOURCE_LINE: usize = 1;
const MESSAGE: usize = 2;

/// Where `[2026/11/21 03:04:05.678 +01:00] [`, which no other log has, closes its first bracket.
const FIRST_CLOSE: usize = 31;

fn begins(line: &[u8]) -> bool {
    line.first() == Some(&b'[')
        && line.get(FIRST_CLOSE..FIRST_CLOSE + 3) == Some(b"] [")
        && matches!(line[24..26], [b' ', b'+' | b'-'])
        && line[5] == b'/'
}

struct TidbReader {
    named: NamedColumns,
}

/// The text in the brackets at a position and the position after them; brackets in quotes do not close.
fn bracketed(line: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let open = at + line.get(at..)?.iter().take_while(|byte| **byte == b' ').count();
    if line.get(open) != Some(&b'[') {
        return None;
    }
    let mut end = open + 1;
    loop {
        match line.get(end)? {
            b']' => return Some((open + 1, end, end + 1)),
            b'"' => end = quoted_end(line, end)?,
            b'\n' => return None,
            _ => end += 1,
        }
    }
}

/// The position after the closing quote.
fn quoted_end(line: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The range without its quotes, and whether it contains escapes.
fn unquoted(line: &[u8], from: usize, to: usize) -> (usize, usize, bool) {
    let is_quoted = to >= from + 2 && line[from] == b'"' && line[to - 1] == b'"';
    let (from, to) = if is_quoted { (from + 1, to - 1) } else { (from, to) };
    (from, to, is_quoted && memchr(b'\\', &line[from..to]).is_some())
}

impl TidbReader {
    fn put(&mut self, name: &[u8], event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let (from, to, has_escapes) = unquoted(event, from, to);
        if has_escapes {
            self.named.rewrite(name, rows, |out| unescape(&event[from..to], out));
        } else if from < to {
            self.named.value(name, event, from, to, rows);
        }
    }
}

impl Reader for TidbReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let broken = "no time, level and place in brackets";
        if !begins(event) {
            return Err(broken);
        }
        let when = joined_time(&[&event[1..24], &event[25..FIRST_CLOSE]]).ok_or(broken)?;
        rows.when(&when);
        let (from, to, at) = bracketed(event, FIRST_CLOSE + 1).ok_or(broken)?;
        rows.set_level(level::from_word(&event[from..to]).ok_or(broken)?);
        let (from, to, at) = bracketed(event, at).ok_or(broken)?;
        if let Some(colon) = memchr(b':', &event[from..to]) {
            rows.text(SOURCE_FILE, from, from + colon);
            let line = std::str::from_utf8(&event[from + colon + 1..to]).ok();
            if let Some(line) = line.and_then(|line| line.parse().ok()) {
                rows.int(SOURCE_LINE, line);
            }
        }
        let (from, to, mut at) = bracketed(event, at).ok_or(broken)?;
        let (from, to, has_escapes) = unquoted(event, from, to);
        if has_escapes {
            let span = rows.rewrite(|out| unescape(&event[from..to], out));
            rows.span(MESSAGE, span);
        } else {
            rows.text(MESSAGE, from, to);
        }
        self.named.begin();
        while let Some((from, to, next)) = bracketed(event, at) {
            at = next;
            let key_end = if event[from] == b'"' { quoted_end(event, from).unwrap_or(to) } else { from };
            let Some(equals) = memchr(b'=', &event[key_end..to]) else { continue };
            let (key_from, key_to, _) = unquoted(event, from, key_end + equals);
            self.put(&event[key_from..key_to], event, key_end + equals + 1, to, rows);
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
                r#"[2026/11/21 03:04:05.678 +01:00] [WARN] [conn.go:12] ["closed \"now\""] [conn=3] ["Release Version"=v7.5.0] [error="a]=b"]"#,
                r#"2026-11-21T02:04:05.678Z warn source_file="conn.go" source_line=12 message="closed \"now\"" conn=3 Release Version="v7.5.0" error="a]=b""#,
            ),
            (
                "[2026/11/21 03:04:05.678 +00:00] [INFO] [<unknown>] [started]",
                r#"2026-11-21T03:04:05.678Z info message="started""#,
            ),
            (
                "[20]6/11/21 03:04:05.678 +00:00] [WARN] [a.go:1] [x]",
                "unparsed: no time, level and place in brackets",
            ),
            ("[2026/11/21 03:04:05.678] [INFO] x", "unparsed: it precedes the first event"),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
