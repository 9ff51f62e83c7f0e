//! The log of an Eclipse workspace or of any program on its platform: sessions, and entries with the plug-in, a
//! severity and a code; their messages and traces are on the lines below, and so are the entries within them.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::stamp::iso;

pub(crate) static FORMAT: Format = Format {
    name: "eclipse",
    title: "entries of an Eclipse log",
    // Text would read the times of the entries, too.
    weight: 2.0,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| line.starts_with(ENTRY) || line.starts_with(SESSION)),
    reader: |_| Box::new(EclipseReader),
    ..Format::LINES
};

const COLUMNS: Schema =
    &[("logger", ColumnKind::Text), ("event_id", ColumnKind::Int), ("message", ColumnKind::Text)];
const LOGGER: usize = 0;
const EVENT_ID: usize = 1;
const MESSAGE: usize = 2;

const ENTRY: &[u8] = b"!ENTRY ";
const SESSION: &[u8] = b"!SESSION ";
const TEXT: &[u8] = b"\n!MESSAGE ";

struct EclipseReader;

impl Reader for EclipseReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
        let time = if line.starts_with(SESSION) { SESSION.len() } else { read_head(line, rows)? };
        let (stamp, _) = iso(event, time).ok_or("no time after the head of the entry")?;
        rows.stamp(&stamp);
        if let Some(at) = memmem::find(event, TEXT) {
            let from = at + TEXT.len();
            let to = memmem::find(&event[from..], b"\n!").map_or(event.len(), |end| from + end);
            let to = from + event[from..to].trim_ascii_end().len();
            if from < to {
                rows.text(MESSAGE, from, to);
            }
        }
        Ok(Fit::Whole)
    }
}

/// `!ENTRY org.eclipse.core.resources 4 567 2026-11-21 03:04:05.123`: returns where the time begins.
fn read_head(line: &[u8], rows: &mut Rows) -> Result<usize, &'static str> {
    let broken = "no plug-in, severity and code after !ENTRY";
    let mut at = line.strip_prefix(ENTRY).map(|_| ENTRY.len()).ok_or(broken)?;
    let mut word = || {
        let length = memchr(b' ', &line[at..]).filter(|length| *length > 0)?;
        at += length + 1;
        Some((at - length - 1, at - 1))
    };
    let (plugin, severity, code) = (word().ok_or(broken)?, word().ok_or(broken)?, word().ok_or(broken)?);
    let number = |(from, to): (usize, usize)| std::str::from_utf8(&line[from..to]).ok()?.parse::<i64>().ok();
    let (severity, code) = (number(severity).ok_or(broken)?, number(code).ok_or(broken)?);
    rows.text(LOGGER, plugin.0, plugin.1);
    rows.int(EVENT_ID, code);
    match severity {
        0 | 1 => rows.set_level(Level::Info),
        2 => rows.set_level(Level::Warn),
        4 => rows.set_level(Level::Error),
        _ => {}
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::FORMAT;

    #[test]
    fn sample_events() {
        for (event, expected) in [
            (
                "!ENTRY org.shop.core 4 567 2026-11-21 03:04:05.123\n!MESSAGE no cart\nat all\n!STACK 0\njava.io.IOException: x\n\tat a.B.c(B.java:1)",
                r#"2026-11-21T03:04:05.123Z error logger="org.shop.core" event_id=567 message="no cart\nat all""#,
            ),
            ("!SESSION 2026-11-21 03:04:05.123 -----------\njava.version=17", "2026-11-21T03:04:05.123Z -"),
            (
                "!ENTRY org.shop.core x 2026-11-21 03:04:05.123",
                "unparsed: no plug-in, severity and code after !ENTRY",
            ),
        ] {
            assert_eq!(render(&FORMAT, event), expected, "{event}");
        }
    }
}
