//! Syslog in all its dialects: RFC 3164 as daemons and relays write it, RFC 5424, the output of `journalctl`,
//! and frames with a byte count. The messages of well-known programs become fields too, by the table in
//! [`programs`].

mod carried;
mod cisco;
mod filterlog;
mod framing;
mod header;
mod ise;
mod mail;
mod named;
mod netfilter;
mod network;
mod programs;
mod protocol;
pub(crate) mod proxy;
mod session;
mod snare;

pub(crate) use self::carried::{CARRIED, Carried};
pub use self::carried::{SYSLOG_PREFIX, message_format, program_of};
use self::header::{SyslogHeader, is_daemons_own};
use self::programs::Programs;
use self::protocol::Protocol;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::{Level, Span};
use crate::endpoint::TextRange;
use crate::level;
use crate::limits;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::When;
use crate::time::stamp::iso;

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

/// The number that each of [`COLUMNS`] has in the rows.
type ColumnNumbers = [usize; COLUMNS.len()];

/// Those of lines of syslog alone.
const OWN: &ColumnNumbers = &[FACILITY, HOST, APP, PID, PID_TEXT, MSGID, MESSAGE];

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
    Box::new(SyslogReader { header: HeaderReader::default(), programs: Programs::default() })
}

struct SyslogReader {
    header: HeaderReader,
    programs: Programs,
}

impl Reader for SyslogReader {
    #[inline]
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let head = self.header.read(event, OWN, rows)?;
        self.message(event, head.app, head.message, rows);
        if !head.is_protocol
            && rows.level() == Level::None
            && let Some(word) = level::find(event, head.message, head.message + limits::LEVEL_WITHIN_BYTES)
        {
            rows.set_level(word.level);
        }
        // Some lines have no program's name: "last message repeated 3 times", marks, kernel messages.
        let message = &event[head.message..];
        let is_whole = head.is_certain || is_daemons_own(message) || ise::begins(message);
        Ok(if is_whole { Fit::Whole } else { Fit::Partly })
    }
}

/// What comes before a message.
struct Head {
    app: Option<TextRange>,
    message: usize,
    /// It is one of RFC 5424.
    is_protocol: bool,
    /// No other log looks like this.
    is_certain: bool,
}

/// Reads what comes before messages.
#[derive(Default)]
struct HeaderReader {
    /// The span of each facility's name, once written.
    facilities: [Option<Span>; FACILITIES.len()],
    protocol: Protocol,
}

impl HeaderReader {
    /// Puts the fields of the header, and its level and time.
    #[inline]
    fn read(&mut self, event: &[u8], numbers: &ColumnNumbers, rows: &mut Rows) -> Result<Head, &'static str> {
        let start = count_bytes(event);
        let Some((priority, length)) = priority(&event[start..]) else {
            if protocol::lacks_priority(event) {
                return self.versioned(event, 0, numbers, rows);
            }
            return Self::plain(event, (0, false), numbers, rows);
        };
        let at = start + length;
        let facility = usize::from(priority / 8);
        let span = *self.facilities[facility]
            .get_or_insert_with(|| rows.rewrite(|buffer| buffer.extend_from_slice(FACILITIES[facility])));
        rows.span(numbers[FACILITY], span);
        rows.set_level(level::from_severity(i64::from(priority % 8)).unwrap_or(Level::None));
        if event[at..].starts_with(VERSION) {
            return self.versioned(event, at, numbers, rows);
        }
        Self::plain(event, (at, true), numbers, rows)
    }

    /// RFC 5424 from its version on.
    fn versioned(
        &mut self,
        event: &[u8],
        at: usize,
        numbers: &ColumnNumbers,
        rows: &mut Rows,
    ) -> Result<Head, &'static str> {
        let (app, message) = self.protocol.read(event, at + VERSION.len(), numbers, rows)?;
        Ok(Head { app, message, is_protocol: true, is_certain: true })
    }

    /// RFC 3164 and everything like it: `time host app[pid]: message`.
    #[inline]
    fn plain(
        event: &[u8],
        (at, has_priority): (usize, bool),
        numbers: &ColumnNumbers,
        rows: &mut Rows,
    ) -> Result<Head, &'static str> {
        let header = SyslogHeader::read(event, at, has_priority)?;
        header.put(event, numbers, rows);
        let is_certain = (has_priority && !header.is_bare) || header.is_certain;
        Ok(Head { app: header.app, message: header.message, is_protocol: false, is_certain })
    }
}

/// The length of the byte count before a frame: one that the end of a source truncates still has its count.
fn count_bytes(event: &[u8]) -> usize {
    match event.first() {
        Some(b'0'..=b'9') => framing::counted(event).map_or(0, |(_, start)| start),
        _ => 0,
    }
}

impl SyslogReader {
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

/// Whether a word is a facility's name, in any case; `kernel` is that of a collector.
pub(crate) fn is_facility(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"kernel") || FACILITIES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The time at the end of a message whose header has none, as firewalls write it: `(2026-11-21 03:04:05)`.
#[cold]
fn time_at_end(event: &[u8]) -> Option<When> {
    let text = event.trim_ascii_end().strip_suffix(b")")?;
    let open = memchr::memrchr(b'(', text)?;
    iso(text, open + 1).filter(|(_, end)| *end == text.len()).map(|(stamp, _)| When::Stamp(stamp))
}

/// The version of RFC 5424 before its header.
const VERSION: &[u8] = b"1 ";

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
    let length = digits + 2 + usize::from(event.get(digits + 2) == Some(&b' '));
    (number < 192).then_some((number as u8, length))
}

#[cfg(test)]
mod tests;
