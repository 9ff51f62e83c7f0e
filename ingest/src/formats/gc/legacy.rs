//! Garbage collection logs before Java 9 (`-XX:+PrintGCDetails`): serial, parallel, CMS and G1, with a date,
//! an uptime or both.

use memchr::memmem;

use super::{decimal, last_heap};
use crate::formats::{Fit, Format, Learned, Reader};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "gc_old",
    title: "entries of an older JVM's collection log",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| start(line).is_some()),
    reader: |_| Box::new(OlderReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("uptime_ms", ColumnKind::Float),
    ("pause", ColumnKind::Text),
    ("cause", ColumnKind::Text),
    ("heap_before_bytes", ColumnKind::Int),
    ("heap_after_bytes", ColumnKind::Int),
    ("heap_total_bytes", ColumnKind::Int),
    ("duration_ms", ColumnKind::Float),
    ("message", ColumnKind::Text),
];
const UPTIME_MS: usize = 0;
const PAUSE: usize = 1;
const CAUSE: usize = 2;
const HEAP_BEFORE: usize = 3;
const HEAP_AFTER: usize = 4;
const HEAP_TOTAL: usize = 5;
const DURATION_MS: usize = 6;
const MESSAGE: usize = 7;

/// How the text of an entry begins.
const ENTRIES: [&[u8]; 19] = [
    b"[GC",
    b"[Full GC",
    b"[CMS",
    b"[1 CMS",
    b"[ParNew",
    b"[ASParNew",
    b"[ASCMS",
    b"[DefNew",
    b"[Tenured",
    b"[PS",
    b"[YG occupancy",
    b"[Class Histogram",
    b"[Heap Dump",
    b"[Pause",
    b"[Concurrent",
    b"[Times",
    b"Application time",
    b"Total time",
    b"Concurrent",
];

/// How parts of an entry begin; those too may follow an uptime.
const PARTS: [&[u8]; 4] = [b"[Rescan", b"[weak refs", b"[class unloading", b"[scrub"];

/// Where an entry's text begins, and the uptime before it. An entry begins with a date, an uptime or both,
/// each before a colon. Without an uptime, only its text tells it from the lines of other programs.
fn start(line: &[u8]) -> Option<(usize, Option<f64>)> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let mut at = 0;
    let mut has_date = false;
    if line.get(4) == Some(&b'-')
        && line.get(10) == Some(&b'T')
        && let Some(time) = time_near_start(line, 0)
    {
        has_date = true;
        at = time.end + line[time.end..].strip_prefix(b": ").map(|_| 2)?;
    }
    let length = line[at..]
        .iter()
        .take(16)
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        .count();
    // The JVM writes an uptime with its milliseconds.
    let has_fraction = line[at..at + length].iter().any(|byte| matches!(byte, b'.' | b','));
    let is_uptime = has_fraction && line[at + length..].starts_with(b": ");
    let uptime = decimal(&line[at..at + length]).filter(|_| is_uptime);
    if uptime.is_some() {
        at += length + 2;
    }
    let text = &line[at..];
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| text.starts_with(start));
    let is_entry = if has_date {
        uptime.is_some() || begins(&ENTRIES) || begins(&PARTS)
    } else {
        uptime.is_some() && begins(&ENTRIES)
    };
    is_entry.then_some((at, uptime))
}

struct OlderReader;

impl Reader for OlderReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let (from, uptime) = start(event).ok_or("no time of an entry at the start")?;
        if let Some(time) = time_near_start(event, 0).filter(|time| time.end <= from) {
            rows.when(&time.when);
        } else if let Some(seconds) = uptime {
            rows.when(&When::Uptime((seconds * 1e9) as i64));
        }
        if let Some(seconds) = uptime {
            rows.float(UPTIME_MS, seconds * 1e3);
        }
        rows.text(MESSAGE, from, event.len());
        let text = &event[from..];
        let Some(inner) = text.strip_prefix(b"[") else { return Ok(Fit::Partly) };
        put_pause(inner, from + 1, rows);
        if let Some(heap) = last_heap(before_metaspace(text)) {
            for (column, bytes) in
                [(HEAP_BEFORE, heap.before), (HEAP_AFTER, heap.after), (HEAP_TOTAL, heap.total)]
            {
                rows.int(column, bytes);
            }
        }
        if let Some(seconds) = seconds(text) {
            rows.float(DURATION_MS, seconds * 1e3);
        }
        Ok(Fit::Whole)
    }
}

/// `GC pause (G1 Evacuation Pause) (young)`, `Full GC (System.gc())`, `CMS-concurrent-mark: 0.044/0.047 secs`.
fn put_pause(inner: &[u8], at: usize, rows: &mut Rows) {
    let length = inner
        .iter()
        .position(|byte| matches!(byte, b'(' | b':' | b'[' | b']' | b',' | b'\n'))
        .unwrap_or(inner.len());
    let pause = inner[..length].trim_ascii_end();
    // An old `[GC 123K->45K(678K)` has its sizes directly after the word.
    let sizes = pause
        .iter()
        .position(u8::is_ascii_digit)
        .filter(|_| pause.starts_with(b"GC") || pause.starts_with(b"Full"));
    let pause = pause[..sizes.unwrap_or(pause.len())].trim_ascii_end();
    if !pause.is_empty() {
        rows.text(PAUSE, at, at + pause.len());
    }
    if sizes.is_none()
        && inner.get(length) == Some(&b'(')
        && let Some(close) =
            memmem::find(&inner[length..], b") ").or_else(|| memmem::find(&inner[length..], b")"))
    {
        rows.text(CAUSE, at + length + 1, at + length + close);
    }
}

/// The sizes of the metaspace follow those of the heap.
fn before_metaspace(text: &[u8]) -> &[u8] {
    let end = [&b"[Metaspace"[..], b"[PSPermGen", b"[CMS Perm", b"[Perm"]
        .iter()
        .filter_map(|name| memmem::find(text, name))
        .min();
    &text[..end.unwrap_or(text.len())]
}

/// The seconds of the whole collection: the last ones before the table of CPU times.
fn seconds(text: &[u8]) -> Option<f64> {
    let end = memmem::find(text, b"[Times:").unwrap_or(text.len());
    // G1 has them on its first line, and the times of its phases in milliseconds.
    let at = memmem::rfind(&text[..end], b" secs]")?;
    let length = text[..at]
        .iter()
        .rev()
        .take(20)
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        .count();
    let number = &text[at - length..at];
    decimal(number.strip_prefix(b",").unwrap_or(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::render;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let rendered = render(&FORMAT, line);
        assert_eq!(rendered.split(" message=").next().unwrap_or_default(), expected, "{line}");
    }

    #[test]
    fn sample_entries() {
        check(
            "2026-11-21T03:04:05.108+0000: 12.5: [GC (Allocation Failure) [PSYoungGen: 9K->1K(2K)] 123K->45K(678K), 0.0125 secs] [Times: user=0.1 sys=0.0, real=0.01 secs]",
            r#"2026-11-21T03:04:05.108Z - uptime_ms=12500.0 pause="GC" cause="Allocation Failure" heap_before_bytes=125952 heap_after_bytes=46080 heap_total_bytes=694272 duration_ms=12.5"#,
        );
        check(
            "12.5: [Full GC (System.gc()) [PSYoungGen: 9K->0K(2K)] [ParOldGen: 1K->2K(3K)] 10K->2K(5K), [Metaspace: 2K->2K(9K)], 0.5 secs]",
            r#"1690-01-01T00:00:12.5Z - uptime_ms=12500.0 pause="Full GC" cause="System.gc()" heap_before_bytes=10240 heap_after_bytes=2048 heap_total_bytes=5120 duration_ms=500.0"#,
        );
        check(
            "2026-11-21T03:04:05.108+0000: 1.5: [GC pause (G1 Evacuation Pause) (young), 0.25 secs]\n   [Parallel Time: 7.2 ms]\n   [Eden: 51.0M(51.0M)->0.0B(44.0M) Survivors: 0.0B->7K Heap: 51.0M(1024.0M)->7.0M(1024.0M)]\n [Times: user=0.01 sys=0.00, real=0.01 secs]",
            r#"2026-11-21T03:04:05.108Z - uptime_ms=1500.0 pause="GC pause" cause="G1 Evacuation Pause" heap_before_bytes=53477376 heap_after_bytes=7340032 heap_total_bytes=1073741824 duration_ms=250.0"#,
        );
        check(
            "1.5: [CMS-concurrent-mark: 0.044/0.047 secs] [Times: user=0.2 sys=0.0, real=0.05 secs]",
            r#"1690-01-01T00:00:01.5Z - uptime_ms=1500.0 pause="CMS-concurrent-mark" duration_ms=47.0"#,
        );
        check(
            "1.5: [GC 123K->45K(678K), 0.25 secs]",
            r#"1690-01-01T00:00:01.5Z - uptime_ms=1500.0 pause="GC" heap_before_bytes=125952 heap_after_bytes=46080 heap_total_bytes=694272 duration_ms=250.0"#,
        );
        for line in [
            "5.170: [Rescan (parallel) , 0.002 secs]",
            "12: x",
            "12: [GC x]",
            "12.5: [I] x",
            "2026-11-21T03:04:05.108+0000: [I] x",
            "2026-11-21_03:04:05.108+0000: [GC x]",
            "2026-11-21 03:04:05 INFO x",
            "   [Other: 2 ms]",
            "",
        ] {
            assert_eq!(start(line.as_bytes()), None, "{line}");
        }
    }
}
