//! Syslog in all its dialects: RFC 3164 as daemons and relays write it, RFC 5424, the output of `journalctl`,
//! and frames with a byte count. The messages of well-known programs become fields too, by the table in
//! [`programs`].

mod cisco;
mod filterlog;
mod framing;
mod header;
mod mail;
mod named;
mod netfilter;
mod network;
mod programs;
mod protocol;
pub(crate) mod proxy;
mod session;

use self::header::{SyslogHeader, is_daemons_own};
use self::programs::Programs;
use self::protocol::Protocol;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::{Level, Span};
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};

/// Slightly less than other formats, because a time and two words can be many things.
pub(crate) static FORMAT: Format = Format {
    name: "syslog",
    title: "syslog lines",
    weight: 0.95,
    columns: COLUMNS,
    learn,
    note: Some(framing::is_note),
    reader,
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("facility", ColumnKind::Text),
    ("host", ColumnKind::Text),
    ("app", ColumnKind::Text),
    ("pid", ColumnKind::Int),
    ("pid", ColumnKind::Text),
    ("msgid", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const FACILITY: usize = 0;
const HOST: usize = 1;
const APP: usize = 2;
const PID: usize = 3;
const PID_TEXT: usize = 4;
const MSGID: usize = 5;
const MESSAGE: usize = 6;

const FACILITIES: [&[u8]; 24] = [
    b"kern",
    b"user",
    b"mail",
    b"daemon",
    b"auth",
    b"syslog",
    b"lpr",
    b"news",
    b"uucp",
    b"cron",
    b"authpriv",
    b"ftp",
    b"ntp",
    b"audit",
    b"alert",
    b"clock",
    b"local0",
    b"local1",
    b"local2",
    b"local3",
    b"local4",
    b"local5",
    b"local6",
    b"local7",
];

fn learn(sample: &[u8], setup: &Setup) -> Learned {
    framing::learn(sample, setup.is_recoded)
}

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(SyslogReader {
        facilities: [None; FACILITIES.len()],
        protocol: Protocol::default(),
        programs: Programs::default(),
    })
}

struct SyslogReader {
    /// The span of each facility's name, once written.
    facilities: [Option<Span>; FACILITIES.len()],
    protocol: Protocol,
    programs: Programs,
}

impl Reader for SyslogReader {
    #[inline]
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        // A frame that the end of a source truncates still has its count.
        let start = match event.first() {
            Some(b'0'..=b'9') => framing::counted(event).map_or(0, |(_, start)| start),
            _ => 0,
        };
        let Some((priority, length)) = priority(&event[start..]) else {
            return self.plain(event, 0, false, rows);
        };
        let at = start + length;
        let facility = usize::from(priority / 8);
        let span = *self.facilities[facility]
            .get_or_insert_with(|| rows.rewrite(|buffer| buffer.extend_from_slice(FACILITIES[facility])));
        rows.span(FACILITY, span);
        rows.set_level(level::from_severity(i64::from(priority % 8)).unwrap_or(Level::None));
        if event[at..].starts_with(b"1 ") {
            let (app, message) = self.protocol.read(event, at + 2, rows)?;
            self.message(event, app, message, rows);
            return Ok(Fit::Whole);
        }
        self.plain(event, at, true, rows)
    }
}

impl SyslogReader {
    /// RFC 3164 and everything like it: `time host app[pid]: message`.
    #[inline]
    fn plain(
        &mut self,
        event: &[u8],
        at: usize,
        has_priority: bool,
        rows: &mut Rows,
    ) -> Result<Fit, &'static str> {
        let header = SyslogHeader::read(event, at, has_priority)?;
        header.put(event, rows);
        let message = header.message;
        self.message(event, header.app, message, rows);
        if rows.level() == Level::None
            && let Some(word) = level::find(event, message, message + limits::LEVEL_WITHIN_BYTES)
        {
            rows.set_level(word.level);
        }
        // Some lines have no program's name: "last message repeated 3 times", marks, kernel messages.
        let is_whole =
            (has_priority && !header.is_bare) || header.is_certain || is_daemons_own(&event[message..]);
        Ok(if is_whole { Fit::Whole } else { Fit::Partly })
    }

    /// Reads the message, with the layouts of its program if there are any.
    #[inline]
    fn message(&mut self, event: &[u8], app: Option<(usize, usize)>, message: usize, rows: &mut Rows) {
        if message < event.len() {
            rows.text(MESSAGE, message, event.len());
            let app = app.map_or(&b""[..], |(from, to)| &event[from..to]);
            self.programs.read(app, event, message, rows);
        }
    }
}

/// `<165>` at the start: facility and severity in one number.
pub(super) fn priority(event: &[u8]) -> Option<(u8, usize)> {
    if event.first() != Some(&b'<') {
        return None;
    }
    let digits = event[1..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) || event.get(1 + digits) != Some(&b'>') {
        return None;
    }
    let number = event[1..=digits].iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    (number < 192).then_some((number as u8, digits + 2))
}

#[cfg(test)]
mod tests;
