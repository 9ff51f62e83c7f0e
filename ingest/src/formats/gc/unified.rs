//! Unified logging of the JVM (`-Xlog:gc*`): decorations in brackets, then the message.

use memchr::{memchr, memmem};

use super::{decimal, last_heap};
use crate::batch::Level;
use crate::formats::{Fit, Format, Learned, Reader};
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "gc",
    title: "lines of a JVM's unified log",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| line.starts_with(b"[") && decorations(line, |_| {}).is_some()),
    reader: |_| Box::new(UnifiedReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("tags", ColumnKind::Text),
    ("pid", ColumnKind::Int),
    ("thread", ColumnKind::Text),
    ("uptime_ms", ColumnKind::Float),
    ("gc_id", ColumnKind::Int),
    ("pause", ColumnKind::Text),
    ("cause", ColumnKind::Text),
    ("heap_before_bytes", ColumnKind::Int),
    ("heap_after_bytes", ColumnKind::Int),
    ("heap_total_bytes", ColumnKind::Int),
    ("duration_ms", ColumnKind::Float),
    ("message", ColumnKind::Text),
];
const TAGS: usize = 0;
const PID: usize = 1;
const THREAD: usize = 2;
const UPTIME_MS: usize = 3;
const GC_ID: usize = 4;
const PAUSE: usize = 5;
const CAUSE: usize = 6;
const HEAP_BEFORE: usize = 7;
const HEAP_AFTER: usize = 8;
const HEAP_TOTAL: usize = 9;
const DURATION_MS: usize = 10;
const MESSAGE: usize = 11;

/// A decoration, and the range of its text.
enum Decoration {
    Level(Level),
    Tags(usize, usize),
    Number(usize, usize),
    UptimeMs(f64),
    Other,
}

/// The brackets at the start, up to the level and its tags; returns the position after them.
fn decorations(line: &[u8], mut found: impl FnMut(Decoration)) -> Option<usize> {
    let mut at = 0;
    let mut has_level = false;
    while line.get(at) == Some(&b'[') && at < 200 {
        let close = at + memchr(b']', &line[at..])?;
        let (from, to) = (at + 1, at + 1 + line[at + 1..close].trim_ascii_end().len());
        let text = &line[from..to];
        at = close + 1;
        if has_level {
            let is_tag = |byte: &u8| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b',' | b'+' | b'*')
            };
            if text.is_empty() || !text.iter().all(is_tag) {
                return None;
            }
            found(Decoration::Tags(from, to));
            return Some(at);
        }
        found(match text {
            b"trace" | b"debug" | b"info" | b"warning" | b"error" => {
                has_level = true;
                Decoration::Level(level::from_word(text)?)
            }
            _ if !text.is_empty() && text.iter().all(u8::is_ascii_digit) => Decoration::Number(from, to),
            _ => uptime_ms(text).map_or(Decoration::Other, Decoration::UptimeMs),
        });
    }
    None
}

/// `12.345s`, `12345ms`, `12345678ns`.
fn uptime_ms(text: &[u8]) -> Option<f64> {
    if let Some(number) = text.strip_suffix(b"ms") {
        return decimal(number);
    }
    if let Some(number) = text.strip_suffix(b"ns") {
        return decimal(number).map(|ns| ns / 1e6);
    }
    decimal(text.strip_suffix(b"s")?).map(|seconds| seconds * 1e3)
}

struct UnifiedReader;

impl Reader for UnifiedReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (mut numbers, mut uptime) = (0, None);
        let end = decorations(event, |decoration| match decoration {
            Decoration::Level(level) => rows.set_level(level),
            Decoration::Tags(from, to) => rows.text(TAGS, from, to),
            Decoration::UptimeMs(ms) => {
                rows.float(UPTIME_MS, ms);
                uptime = Some(ms);
            }
            Decoration::Number(from, to) => {
                if numbers == 0 && to - from < 11 {
                    rows.int(PID, digits(&event[from..to]));
                } else if numbers == 1 {
                    rows.text(THREAD, from, to);
                }
                numbers += 1;
            }
            Decoration::Other => {}
        })
        .ok_or("no level and tags in brackets")?;
        if let Some(time) = time_near_start(event, 1) {
            rows.when(&time.when);
        } else if let Some(ms) = uptime {
            rows.when(&When::Uptime((ms * 1e6) as i64));
        }
        let message = event[end..].trim_ascii_start();
        if !message.is_empty() {
            let from = event.len() - message.len();
            rows.text(MESSAGE, from, event.len());
            put_message(event, from, rows);
        }
        Ok(Fit::Whole)
    }
}

fn digits(text: &[u8]) -> i64 {
    text.iter().take(18).fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

/// `GC(5) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.311ms`
fn put_message(event: &[u8], from: usize, rows: &mut Rows) {
    let mut at = from;
    if let Some(rest) = event[at..].strip_prefix(b"GC(") {
        let length = rest.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        if length > 0 && rest[length..].starts_with(b") ") {
            rows.int(GC_ID, digits(&rest[..length]));
            at += b"GC(".len() + length + b") ".len();
        }
    }
    let line = &event[at..memchr(b'\n', &event[at..]).map_or(event.len(), |length| at + length)];
    let line = line.trim_ascii_end();
    if let Some(number) = line.rsplit(|byte| *byte == b' ').next().and_then(|word| word.strip_suffix(b"ms"))
        && let Some(ms) = decimal(number)
    {
        rows.float(DURATION_MS, ms);
    }
    if line.starts_with(b"Pause ") {
        let end = memmem::find(line, b" (").unwrap_or(line.len());
        let numbers = line.iter().position(u8::is_ascii_digit).map_or(line.len(), |digit| digit.max(1) - 1);
        rows.text(PAUSE, at, at + end.min(numbers));
        // The last of the parentheses before the sizes is the cause; the one before it is the kind of pause.
        let arrow = memmem::find(line, b"->").unwrap_or(line.len());
        if let Some(close) = memmem::rfind(&line[..arrow], b")")
            && let Some(open) = memchr::memrchr(b'(', &line[..close])
        {
            rows.text(CAUSE, at + open + 1, at + close);
        }
    }
    if let Some(heap) = last_heap(line) {
        for (column, bytes) in
            [(HEAP_BEFORE, heap.before), (HEAP_AFTER, heap.after), (HEAP_TOTAL, heap.total)]
        {
            rows.int(column, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::render;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_lines() {
        check(
            "[0.009s][info][gc] Using G1",
            r#"1690-01-01T00:00:00.009Z info tags="gc" uptime_ms=9.0 message="Using G1""#,
        );
        check(
            "[2026-11-21T03:04:05.123+0100][12.300s][info ][gc,start     ] GC(5) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.311ms",
            r#"2026-11-21T02:04:05.123Z info tags="gc,start" uptime_ms=12300.0 gc_id=5 pause="Pause Young" cause="G1 Evacuation Pause" heap_before_bytes=25165824 heap_after_bytes=4194304 heap_total_bytes=268435456 duration_ms=2.311 message="GC(5) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.311ms""#,
        );
        check(
            "[2026-11-21T03:04:05.123+0000][99][7][debug][gc,phases] GC(0) Scavenge 4.410ms",
            r#"2026-11-21T03:04:05.123Z debug tags="gc,phases" pid=99 thread="7" gc_id=0 duration_ms=4.41 message="GC(0) Scavenge 4.410ms""#,
        );
        check(
            "[0.009s][info][gc] GC(1) Pause Remark 3M->3M(8M) 0.5ms",
            r#"1690-01-01T00:00:00.009Z info tags="gc" uptime_ms=9.0 gc_id=1 pause="Pause Remark" heap_before_bytes=3145728 heap_after_bytes=3145728 heap_total_bytes=8388608 duration_ms=0.5 message="GC(1) Pause Remark 3M->3M(8M) 0.5ms""#,
        );
        for line in ["[main] INFO x", "[0.1s] x", "[0.1s][info][Not A Tag] x", "[0.1s][info", ""] {
            assert!(decorations(line.as_bytes(), |_| {}).is_none(), "{line}");
        }
    }
}
