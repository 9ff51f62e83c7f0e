//! RFC 5424: `time host app procid msgid [data] message`, with structured data as fields.

use std::collections::HashMap;

use memchr::memchr;

use super::header::put_pid;
use super::{APP, ColumnNumbers, HOST, MSGID, PID, VERSION};
use crate::endpoint::TextRange;
use crate::layout::time_at;
use crate::rows::{ColumnKind, Rows};
use crate::time::stamp::iso;

/// Whether the line is one of RFC 5424 whose priority was taken off: its seventh part is the structured data.
#[inline]
pub(super) fn lacks_priority(event: &[u8]) -> bool {
    event.starts_with(VERSION) && has_parts(event)
}

#[cold]
fn has_parts(event: &[u8]) -> bool {
    let mut parts = event.splitn(7, |&byte| byte == b' ');
    let is_time = |time: &[u8]| time.get(10) == Some(&b'T') && iso(time, 0).is_some();
    parts.nth(1).is_some_and(is_time)
        && parts.nth(4).is_some_and(|data| data.starts_with(b"[") || data == b"-" || data.starts_with(b"- "))
}

/// Columns of structured data by `id.parameter`.
#[derive(Default)]
pub(super) struct Protocol {
    parameters: HashMap<Box<[u8]>, Option<usize>>,
    name: Vec<u8>,
}

/// Whether structured data, or `-` in its place, follows four words.
fn has_data(text: &[u8]) -> bool {
    let data = text.split(|&byte| byte == b' ').nth(4);
    data.is_some_and(|data| data == b"-" || data.starts_with(b"["))
}

impl Protocol {
    /// The fields after the version, `-` for a missing one. Returns the range of the program's name, and
    /// where the message begins.
    pub(super) fn read(
        &mut self,
        event: &[u8],
        mut at: usize,
        numbers: &ColumnNumbers,
        rows: &mut Rows,
    ) -> Result<(Option<TextRange>, usize), &'static str> {
        let mut columns = &[HOST, APP, PID, MSGID][..];
        if event[at..].starts_with(b"- ") {
            at += 2;
        } else {
            let (when, end) = time_at(event, at).ok_or("no syslog time after the version")?;
            rows.when(&when);
            // With seconds since 1970 it is seldom a header of the standard: the message follows the program.
            let is_epoch = event[at..end].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
            at = end + 1;
            if is_epoch && !has_data(&event[at.min(event.len())..]) {
                columns = &[HOST, APP];
            }
        }
        let mut app = None;
        for &column in columns {
            if at > event.len() {
                return Err("the syslog header is cut short");
            }
            let end = at + memchr(b' ', &event[at..]).unwrap_or(event.len() - at);
            if &event[at..end] != b"-" && end > at {
                match column {
                    PID => put_pid(event, (at, end), numbers, rows),
                    _ => rows.text(numbers[column], at, end),
                }
                if column == APP {
                    app = Some((at, end));
                }
            }
            at = end + 1;
        }
        if columns.len() < 4 {
            return Ok((app, at.min(event.len())));
        }
        match event.get(at) {
            Some(b'-') => at += 1,
            Some(b'[') => {
                while event.get(at) == Some(&b'[') {
                    at = self
                        .element(event, at + 1, rows)
                        .or_else(|| self.colon_pairs(event, at + 1, rows))
                        .ok_or("the structured data is broken")?;
                }
            }
            // Some senders omit the data if there is none; the message follows at once.
            Some(_) => return Ok((app, at)),
            None => return Err("the syslog header is cut short"),
        }
        // rsyslog writes the blank after the tag of an older message once more.
        let blanks = event[at.min(event.len())..].iter().take(2).take_while(|&&byte| byte == b' ').count();
        let mut message = at + blanks;
        if event[message..].starts_with(b"\xEF\xBB\xBF") {
            message += 3;
        }
        Ok((app, message))
    }

    /// `id name="value" …]`; returns the position after the bracket.
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
            self.put(event, (value, value_end), escaped, rows);
            at = value_end + 1;
        }
    }

    /// `name:"value"; …]`, which Check Point writes instead of structured data.
    fn colon_pairs(&mut self, event: &[u8], from: usize, rows: &mut Rows) -> Option<usize> {
        let mut at = from;
        loop {
            while matches!(event.get(at), Some(b' ' | b';')) {
                at += 1;
            }
            if *event.get(at)? == b']' {
                return Some(at + 1);
            }
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let name_end = at + event[at..].iter().take_while(is_name).count();
            // Some names end with a colon of their own.
            let sign = name_end + usize::from(event[name_end..].starts_with(b"::"));
            if name_end == at || !event[sign..].starts_with(b":\"") {
                return None;
            }
            let value = sign + 2;
            let (value_end, escaped) = quoted_end(event, value)?;
            self.name.clear();
            self.name.extend_from_slice(&event[at..name_end]);
            self.put(event, (value, value_end), escaped, rows);
            at = value_end + 1;
        }
    }

    /// Puts a value into the column of the current name.
    fn put(&mut self, event: &[u8], (from, to): TextRange, escaped: bool, rows: &mut Rows) {
        let Some(column) = self.parameter(rows) else { return };
        if escaped {
            let span = rows.rewrite(|buffer| unescape(&event[from..to], buffer));
            rows.span(column, span);
        } else {
            rows.text(column, from, to);
        }
    }

    fn parameter(&mut self, rows: &mut Rows) -> Option<usize> {
        if let Some(column) = self.parameters.get(&*self.name) {
            return *column;
        }
        let column = rows.add_column(&String::from_utf8_lossy(&self.name), ColumnKind::Text);
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

/// RFC 5424 escapes a quote, a backslash and a closing bracket; other backslashes are literal.
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
