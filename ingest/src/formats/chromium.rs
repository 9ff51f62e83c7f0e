//! Chromium and programs based on it (Electron, CEF): `[7:9:1121/030405.123456:ERROR:gpu_init.cc(441)]
//! message`, that is the process, the thread, month and day, the time of day, the level and the source
//! position.

use memchr::{memchr, memrchr};

use super::{Fit, Format, Learned, Reader};
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::joined::joined_time;

pub(crate) static FORMAT: Format = Format {
    name: "chromium",
    title: "Chromium log lines",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| head(line).is_some()),
    reader: |_| Box::new(ChromiumReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("pid", ColumnKind::Int),
    ("thread", ColumnKind::Int),
    ("source_file", ColumnKind::Text),
    ("source_line", ColumnKind::Int),
    ("message", ColumnKind::Text),
];
const PID: usize = 0;
const THREAD: usize = 1;
const SOURCE_FILE: usize = 2;
const SOURCE_LINE: usize = 3;
const MESSAGE: usize = 4;

/// The longest head, including the path of a source file.
const LONGEST_HEAD_BYTES: usize = 300;

/// Ranges of the parts in the brackets; process and thread may be missing.
struct ChromiumHead {
    ids: [Option<i64>; 2],
    when: When,
    level: (usize, usize),
    file: (usize, usize),
    line: Option<i64>,
    message: usize,
}

fn whole_number(digits: &[u8]) -> Option<i64> {
    let is_number = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

fn head(line: &[u8]) -> Option<ChromiumHead> {
    let inner = line[..line.len().min(LONGEST_HEAD_BYTES)].strip_prefix(b"[")?;
    let mut at = 1;
    let mut ids = [None; 2];
    for id in &mut ids {
        let end = memchr(b':', &line[at..line.len().min(at + 20)])?;
        *id = whole_number(&line[at..at + end]);
        at += if id.is_some() { end + 1 } else { break };
    }
    let stamp_end = at + memchr(b':', &line[at..line.len().min(at + 24)])?;
    let when = stamp(&line[at..stamp_end])?;
    let level_end = stamp_end + 1 + memchr(b':', &inner[stamp_end..])?;
    let close = level_end + memchr(b']', &inner[level_end - 1..])?;
    let place = &line[level_end + 1..close];
    let open = memrchr(b'(', place)?;
    let digits = place[open + 1..].strip_suffix(b")")?;
    Some(ChromiumHead {
        ids,
        when,
        level: (stamp_end + 1, level_end),
        file: (level_end + 1, level_end + 1 + open),
        line: whole_number(digits),
        message: close + 1 + usize::from(line.get(close + 1) == Some(&b' ')),
    })
}

/// `1121/030405.123456`: month, day, and the time of day.
fn stamp(text: &[u8]) -> Option<When> {
    let is_stamp = text.len() >= 11 && text[4] == b'/' && whole_number(&text[..4]).is_some();
    if !is_stamp || whole_number(&text[5..11]).is_none() {
        return None;
    }
    // As in glog, but with colons.
    let day = [&b"I"[..], &text[..4]].concat();
    let fraction: &[u8] = if text.len() == 11 { b".0" } else { &text[11..] };
    let clock = [&text[5..7], b":", &text[7..9], b":", &text[9..11], fraction].concat();
    joined_time(&[&day, &clock])
}

struct ChromiumReader;

impl Reader for ChromiumReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = head(event).ok_or("no process, time, level and place of Chromium")?;
        rows.when(&head.when);
        for (column, id) in [PID, THREAD].into_iter().zip(head.ids) {
            if let Some(id) = id {
                rows.int(column, id);
            }
        }
        let word = &event[head.level.0..head.level.1];
        // `VERBOSE1` ends with its degree.
        let word = word.strip_suffix(b"1").unwrap_or(word);
        if let Some(level) = level::from_word(word) {
            rows.set_level(level);
        }
        rows.text(SOURCE_FILE, head.file.0, head.file.1);
        if let Some(line) = head.line {
            rows.int(SOURCE_LINE, line);
        }
        let to = event.trim_ascii_end().len();
        if head.message < to {
            rows.text(MESSAGE, head.message, to);
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
        let unparsed = "unparsed: it precedes the first event";
        for (line, expected) in [
            (
                "[7:9:1121/030405.123456:ERROR:gpu_init.cc(441)] Passthrough is not supported, GL is egl",
                r#"1680-11-21T03:04:05.123456Z error pid=7 thread=9 source_file="gpu_init.cc" source_line=441 message="Passthrough is not supported, GL is egl""#,
            ),
            (
                "[1121/030405.123:WARNING:a/b.cc(1)] x\n  more\n",
                "1680-11-21T03:04:05.123Z warn source_file=\"a/b.cc\" source_line=1 message=\"x\\n  more\"",
            ),
            (
                "[7:9:1121/030405.123456:VERBOSE1:x.cc(2)]",
                r#"1680-11-21T03:04:05.123456Z trace pid=7 thread=9 source_file="x.cc" source_line=2"#,
            ),
            (
                "[1121/030405:INFO:ClientHandler.cpp(182)] Creating a window.",
                r#"1680-11-21T03:04:05Z info source_file="ClientHandler.cpp" source_line=182 message="Creating a window.""#,
            ),
            ("[7:9:1121/990405.123456:ERROR:x.cc(2)] y", unparsed),
            ("[7:9:1121/030405.123456:ERROR:x.cc] y", unparsed),
            ("[7:9", unparsed),
        ] {
            assert_eq!(render(&FORMAT, line), expected, "{line}");
        }
    }
}
