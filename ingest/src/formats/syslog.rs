//! Syslog: RFC 3164 as daemons write it to files (with a time without year, or an ISO time) and RFC 5424.

use std::collections::HashMap;

use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::batch::{Level, Span};
use crate::level;
use crate::limits;
use crate::rows::{Kind, Rows, Schema};
use crate::time::stamp::{iso, month_day};

/// Slightly less than others: a time and two words can be many things.
pub(crate) static FORMAT: Format =
    Format { name: "syslog", title: "syslog lines", weight: 0.95, columns: COLUMNS, reader, ..Format::LINES };

const COLUMNS: Schema = &[
    ("facility", Kind::Text),
    ("host", Kind::Text),
    ("app", Kind::Text),
    ("pid", Kind::Int),
    ("pid", Kind::Text),
    ("msgid", Kind::Text),
    ("message", Kind::Text),
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

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(SyslogReader {
        facilities: [None; FACILITIES.len()],
        parameters: HashMap::new(),
        name: Vec::new(),
    })
}

struct SyslogReader {
    /// Where each facility's name was written, once it has been.
    facilities: [Option<Span>; FACILITIES.len()],
    /// Columns of structured data by `id.parameter`.
    parameters: HashMap<Box<[u8]>, Option<usize>>,
    name: Vec<u8>,
}

impl Reader for SyslogReader {
    #[inline]
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let Some((priority, at)) = priority(event) else { return plain(event, 0, false, rows) };
        let facility = usize::from(priority / 8);
        let span = *self.facilities[facility]
            .get_or_insert_with(|| rows.rewrite(|buffer| buffer.extend_from_slice(FACILITIES[facility])));
        rows.span(FACILITY, span);
        rows.set_level(level::of_severity(i64::from(priority % 8)).unwrap_or(Level::None));
        if event[at..].starts_with(b"1 ") {
            return self.protocol_1(event, at + 2, rows);
        }
        plain(event, at, true, rows)
    }
}

/// `<165>` at the start: facility and severity in one number.
fn priority(event: &[u8]) -> Option<(u8, usize)> {
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

/// RFC 3164: `time host app[pid]: message`.
#[inline]
fn plain(event: &[u8], at: usize, has_priority: bool, rows: &mut Rows) -> Result<Fit, &'static str> {
    let no_time = "no time of syslog at the start";
    let (stamp, end) = match event.get(at) {
        Some(b'0'..=b'9') => {
            iso(event, at).filter(|(stamp, _)| stamp.zone.is_some() && event[at + 10] == b'T')
        }
        _ => month_day(event, at),
    }
    .ok_or(no_time)?;
    rows.stamp(&stamp);
    let host = end + 1;
    if event.get(end) != Some(&b' ') {
        return Err("no host behind the time");
    }
    let host_end = word_end(event, host, b' ');
    if host_end == host || host_end == event.len() || !is_host(&event[host..host_end]) {
        return Err("no host behind the time");
    }
    rows.text(HOST, host, host_end);
    let tag = host_end + 1;
    let (message, fit) = match app_and_pid(event, tag, rows) {
        Some(message) => (message, Fit::Whole),
        // Some lines have no program's name: "last message repeated 3 times", marks, kernel messages.
        None => (tag, if has_priority || is_daemons_own(&event[tag..]) { Fit::Whole } else { Fit::Partly }),
    };
    if message < event.len() {
        rows.text(MESSAGE, message, event.len());
    }
    if !has_priority && let Some(word) = level::find(event, message, message + limits::LEVEL_WITHIN_BYTES) {
        rows.set_level(word.level);
    }
    Ok(fit)
}

#[inline]
fn word_end(event: &[u8], from: usize, end: u8) -> usize {
    event[from..].iter().position(|&byte| byte == end).map_or(event.len(), |length| from + length)
}

/// A name or address, and not the level word that other logs have in this place.
fn is_host(word: &[u8]) -> bool {
    let allowed =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'/' | b'@');
    word.iter().all(allowed) && word.last() != Some(&b':') && level::of_word(word).is_none()
}

fn is_daemons_own(message: &[u8]) -> bool {
    [&b"last message repeated"[..], b"message repeated", b"-- MARK --", b"exiting on signal"]
        .iter()
        .any(|start| message.starts_with(start))
}

/// `app[pid]: ` or `app: `; gives where the message begins.
#[inline]
fn app_and_pid(event: &[u8], from: usize, rows: &mut Rows) -> Option<usize> {
    let tag = event.get(from..)?;
    let end = tag.iter().take(64).position(|byte| matches!(byte, b'[' | b':' | b' '))?;
    let mut colon = from + end;
    if end == 0 {
        return None;
    }
    if tag[end] == b'[' {
        let pid = colon + 1;
        let pid_end = pid + memchr(b']', &event[pid..event.len().min(pid + 32)])?;
        colon = pid_end + 1;
        if event.get(colon) != Some(&b':') {
            return None;
        }
        put_pid(event, pid, pid_end, rows);
    }
    let after = event.get(colon + 1);
    if event[colon] != b':' || !after.is_none_or(|&byte| byte == b' ' || byte == b'\t') {
        return None;
    }
    rows.text(APP, from, from + end);
    Some((colon + 1 + usize::from(after.is_some())).min(event.len()))
}

fn put_pid(event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    let digits = &event[from..to];
    if (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        rows.int(PID, digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')));
    } else if from < to {
        rows.text(PID_TEXT, from, to);
    }
}

impl SyslogReader {
    /// RFC 5424 behind its version: `time host app procid msgid [data] message`, `-` where one is missing.
    fn protocol_1(&mut self, event: &[u8], mut at: usize, rows: &mut Rows) -> Result<Fit, &'static str> {
        if event[at..].starts_with(b"- ") {
            at += 2;
        } else {
            let (stamp, end) = iso(event, at).ok_or("no time of syslog behind the version")?;
            rows.stamp(&stamp);
            at = end + 1;
        }
        for column in [HOST, APP, PID, MSGID] {
            if at > event.len() {
                return Err("the syslog header is cut short");
            }
            let end = word_end(event, at, b' ');
            if &event[at..end] != b"-" && end > at {
                match column {
                    PID => put_pid(event, at, end, rows),
                    _ => rows.text(column, at, end),
                }
            }
            at = end + 1;
        }
        match event.get(at) {
            Some(b'-') => at += 1,
            Some(b'[') => {
                while event.get(at) == Some(&b'[') {
                    at = self.element(event, at + 1, rows).ok_or("the structured data is broken")?;
                }
            }
            _ => return Err("no structured data of syslog"),
        }
        let mut message = (at + usize::from(event.get(at) == Some(&b' '))).min(event.len());
        if event[message..].starts_with(b"\xEF\xBB\xBF") {
            message += 3;
        }
        if message < event.len() {
            rows.text(MESSAGE, message, event.len());
        }
        Ok(Fit::Whole)
    }

    /// `id name="value" …]`; gives the place behind the bracket.
    fn element(&mut self, event: &[u8], from: usize, rows: &mut Rows) -> Option<usize> {
        let id_end = from + event.get(from..)?.iter().position(|byte| matches!(byte, b' ' | b']'))?;
        let mut at = id_end;
        loop {
            while event.get(at) == Some(&b' ') {
                at += 1;
            }
            if *event.get(at)? == b']' {
                return Some(at + 1);
            }
            let name_end = at + memchr(b'=', &event[at..])?;
            if event.get(name_end + 1) != Some(&b'"') {
                return None;
            }
            let value = name_end + 2;
            let (value_end, escaped) = quoted_end(event, value)?;
            self.name.clear();
            self.name.extend_from_slice(&event[from..id_end]);
            self.name.push(b'.');
            self.name.extend_from_slice(&event[at..name_end]);
            if let Some(column) = self.parameter(rows) {
                if escaped {
                    let span = rows.rewrite(|buffer| unescape(&event[value..value_end], buffer));
                    rows.span(column, span);
                } else {
                    rows.text(column, value, value_end);
                }
            }
            at = value_end + 1;
        }
    }

    fn parameter(&mut self, rows: &mut Rows) -> Option<usize> {
        if let Some(column) = self.parameters.get(&*self.name) {
            return *column;
        }
        let column = rows.add_column(&String::from_utf8_lossy(&self.name), Kind::Text);
        self.parameters.insert(self.name.as_slice().into(), column);
        column
    }
}

fn quoted_end(event: &[u8], from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    loop {
        match event.get(at)? {
            b'"' => return Some((at, event[from..at].contains(&b'\\'))),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// RFC 5424 escapes a quote, a backslash and a closing bracket; other backslashes stand for themselves.
fn unescape(value: &[u8], buffer: &mut Vec<u8>) {
    let mut bytes = value.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match bytes.peek() {
            Some(&&next @ (b'"' | b'\\' | b']')) if byte == b'\\' => {
                buffer.push(next);
                bytes.next();
            }
            _ => buffer.push(byte),
        }
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
    fn sample_lines_of_files() {
        check(
            "Nov 21 03:04:05 web-1 sshd[4711]: error: no such user",
            r#"1680-11-21T03:04:05Z error host="web-1" app="sshd" pid=4711 message="error: no such user""#,
        );
        check(
            "Feb  9 21:19:40 db-1 kernel: [  12.3] eth0: link up",
            r#"1680-02-09T21:19:40Z - host="db-1" app="kernel" message="[  12.3] eth0: link up""#,
        );
        check(
            "2026-11-21T03:04:05.5+01:00 web-1 sshd(pam_unix)[7]: x",
            r#"2026-11-21T02:04:05.5Z - host="web-1" app="sshd(pam_unix)" pid=7 message="x""#,
        );
        check(
            "Nov 21 03:04:05 web-1 last message repeated 3 times",
            r#"1680-11-21T03:04:05Z - host="web-1" message="last message repeated 3 times""#,
        );
        check(
            "<34>Oct 11 22:14:15 10.1.2.3 su: 'su root' failed",
            r#"1680-10-11T22:14:15Z fatal facility="auth" host="10.1.2.3" app="su" message="'su root' failed""#,
        );
        check(
            "<189>Mar 24 2026 15:17:38.5 fw-1 app[a-1]: x",
            r#"2026-03-24T15:17:38.5Z notice facility="local7" host="fw-1" app="app" pid="a-1" message="x""#,
        );
    }

    #[test]
    fn sample_lines_of_the_protocol() {
        check(
            r#"<165>1 2026-11-21T03:04:05.000003-07:00 10.1.2.3 shop 8710 ID47 [ex@1 iut="3" note="a \"b\" \] c:\d"][k@2 x=""] hello"#,
            r#"2026-11-21T10:04:05.000003Z notice facility="local4" host="10.1.2.3" app="shop" pid=8710 msgid="ID47" message="hello" ex@1.iut="3" ex@1.note="a \"b\" ] c:\\d" k@2.x="""#,
        );
        check("<14>1 - - - - - -", r#"- info facility="user""#);
        check(
            "<11>1 2026-11-21T03:04:05Z h a - - - \u{feff}up",
            r#"2026-11-21T03:04:05Z error facility="user" host="h" app="a" message="up""#,
        );
    }

    #[test]
    fn broken_lines() {
        check("hello", "unparsed: no time of syslog at the start");
        check("2026-11-21 03:04:05Z web-1 sshd: x", "unparsed: no time of syslog at the start");
        check("Nov 21 03:04:05 ERROR main: x", "unparsed: no host behind the time");
        check("Nov 21 03:04:05", "unparsed: no host behind the time");
        check("<14>1 2026-11-21T03:04:05Z h a", "unparsed: the syslog header is cut short");
        check("<14>1 2026-11-21T03:04:05Z h a - - [x y", "unparsed: the structured data is broken");
    }
}
