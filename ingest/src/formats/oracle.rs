//! The alert log of Oracle: a line that contains only a time, followed by what happened at that time. Its audit
//! files are written so too, with a name, a length and a value on each line. And the log of its listener.

use std::sync::LazyLock;

use memchr::{memchr, memmem};

use super::records::is_ruler;
use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::encoding::BYTE_ORDER_MARK;
use crate::layout::LineLayouts;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::{time_near_start, whole_time};
use crate::time::undated::day_time;

pub(crate) static FORMAT: Format = Format {
    name: "oracle_alert",
    title: "entries of an Oracle alert log",
    // The lines after a time are free text, but few other formats have a time alone on its line.
    weight: 2.0,
    columns: COLUMNS,
    learn: |sample, _| {
        if is_alert_log(sample) {
            Learned { has_marks: true, ..Learned::starting(is_time) }
        } else {
            Learned::default()
        }
    },
    reader: |setup| {
        Box::new(AlertReader { is_alert_log: setup.learned.has_marks, named: NamedColumns::default() })
    },
    ..Format::LINES
};

/// The log of the listener: what was asked for, from where, and a code that is 0 if it was granted.
pub(crate) static LISTENER: Format = Format {
    name: "oracle_listener",
    title: "lines of Oracle's listener",
    learn: |_, _| Learned::starting(|line| time_near_start(line, 0).is_some()),
    reader: |setup| Box::new(LAYOUTS.reader(setup)),
    ..Format::LINES
};

static LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "no line of Oracle's listener",
        &[
            "{time} * (CONNECT_DATA={connect_data:words} * (ADDRESS={address:words} * {action:word} * \
             «{service:word}» * {code:int}«{message:rest}»",
            "{time} * (CONNECT_DATA={connect_data:words} * {action:word} * «{service:word}» * {code:int}«{message:rest}»",
            "{time} * {action:word} * {service:word} * {code:int}«{message:rest}»",
        ],
    )
});

const COLUMNS: Schema = &[("code", ColumnKind::Text), ("message", ColumnKind::Text)];
const CODE: usize = 0;
const MESSAGE: usize = 1;

/// The shortest time with a date, and the longest with a zone.
const TIME_BYTES: std::ops::RangeInclusive<usize> = 19..=40;

fn is_time(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    TIME_BYTES.contains(&line.len()) && line[0].is_ascii_alphanumeric() && read_time(line).is_some()
}

/// Words that an alert log has, wherever it begins.
const WORDS: [&[u8]; 6] =
    [b"ORA-", b"Oracle", b"ORACLE", b"advanced to log sequence", b"Archived Log", b"LGWR"];

/// Whether lines with a time alone begin entries: the text begins with one, or the database's words are in it.
/// Below rulers they are parts of the reports of other programs.
fn is_alert_log(sample: &[u8]) -> bool {
    let sample = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    let lines: Vec<&[u8]> = sample.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    let begins = lines.iter().find(|line| !line.is_empty()).is_some_and(|line| is_time(line));
    let (mut times, mut below_rulers) = (0, 0);
    for (index, _) in lines.iter().enumerate().filter(|(_, line)| is_time(line)) {
        times += 1;
        below_rulers += usize::from(index > 0 && is_ruler(lines[index - 1]));
    }
    let has_words = || WORDS.iter().any(|word| memmem::find(sample, word).is_some());
    times > 0 && below_rulers * 2 < times && (begins || has_words())
}

fn read_time(line: &[u8]) -> Option<crate::time::When> {
    // A digit before the time is the first value of a row.
    let is_alone = |start: usize| start == 0 || !line[0].is_ascii_digit();
    let near = || time_near_start(line, 4).filter(|time| time.end == line.len() && is_alone(time.start));
    whole_time(line).or_else(|| near().map(|time| time.when))
}

struct AlertReader {
    is_alert_log: bool,
    named: NamedColumns,
}

impl AlertReader {
    /// `DATABASE USER:[3] 'SYS'` and `ACTION : 'CONNECT'`, a value on each line.
    fn put_audit(&mut self, event: &[u8], from: usize, rows: &mut Rows) {
        self.named.begin();
        let mut at = from;
        while at < event.len() {
            let end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
            let line = event[at..end].trim_ascii_end();
            if let Some(open) = memmem::find(line, b" '")
                && let Some(name) = audit_name(&line[..open])
            {
                let value = &line[open + 2..];
                let to = at + open + 2 + value.strip_suffix(b"'").unwrap_or(value).len();
                if at + open + 2 < to {
                    self.named.value(name, event, at + open + 2, to, rows);
                }
            }
            at = end + 1;
        }
    }
}

/// The name before the length of a value: `DATABASE USER:[3]`.
fn audit_name(text: &[u8]) -> Option<&[u8]> {
    let name = text[..memchr(b':', text)?].trim_ascii_end();
    let length = &text[memchr(b':', text)? + 1..];
    let is_length = length.is_empty()
        || length
            .strip_prefix(b"[")
            .and_then(|length| length.strip_suffix(b"]"))
            .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let is_name = name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b' ');
    (is_length && is_name && !name.is_empty()).then_some(name)
}

impl Reader for AlertReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if !self.is_alert_log {
            return Err("no alert log");
        }
        let newline = memchr(b'\n', event).unwrap_or(event.len());
        let time = read_time(event[..newline].trim_ascii_end()).ok_or("no line with a time alone")?;
        let second = event.get(newline + 1..).unwrap_or_default();
        if time_near_start(second, 0).is_some() {
            // Every line has its time there, and some have nothing else.
            return Err("the line after the time also begins with a time");
        }
        if day_time(event[newline..].trim_ascii_start(), 0).is_some() {
            return Err("the lines after the time have times of their own");
        }
        rows.when(&time);
        let message = event[newline..].trim_ascii_start();
        let from = event.len() - message.len();
        if message.is_empty() {
            return Ok(Fit::Partly);
        }
        rows.text(MESSAGE, from, event.len());
        self.put_audit(event, from, rows);
        let code = memmem::find_iter(message, b"ORA-").find_map(|at| {
            let digits = message[at + 4..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            ((3..=6).contains(&digits)).then_some((from + at, from + at + 4 + digits))
        });
        if let Some((start, end)) = code {
            rows.text(CODE, start, end);
            let is_internal = matches!(&event[start + 4..end], b"00600" | b"07445" | b"600" | b"7445");
            rows.set_level(if is_internal { Level::Fatal } else { Level::Error });
        } else if message.to_ascii_uppercase().starts_with(b"WARNING") {
            rows.set_level(Level::Warn);
        }
        Ok(Fit::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(render(&FORMAT, line), expected, "{line}");
    }

    #[test]
    fn sample_entries() {
        check(
            "Sat Nov 21 03:04:05 2026\nStarting ORACLE instance\n  x",
            "2026-11-21T03:04:05Z - message=\"Starting ORACLE instance\\n  x\"",
        );
        check(
            "2026-11-21T03:04:05.123456+01:00\nErrors in file /x.trc:\nORA-01555: snapshot too old",
            "2026-11-21T02:04:05.123456Z error code=\"ORA-01555\" message=\"Errors in file /x.trc:\\nORA-01555: snapshot too old\"",
        );
        check(
            "2026-11-21T03:04:05.123456+01:00\nWARNING: low",
            "2026-11-21T02:04:05.123456Z warn message=\"WARNING: low\"",
        );
        check(
            "----------\n2026-11-21 03:04:05\nType: x\nORA-00001: x\n----------\n2026-11-21 03:04:06\nType: y",
            "unparsed: no alert log",
        );
        check("Starting up", "unparsed: no alert log");
        check("2026-11-21T03:04:05Z up", "unparsed: no alert log");
    }
}
