//! The Linux audit daemon: `type=SYSCALL msg=audit(1481076983.819:7): key=value …`, as it writes it, enriched,
//! or interpreted by `ausearch`.

use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::named_columns::NamedColumns;
use crate::pairs::Style;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "auditd",
    title: "audit records",
    columns: COLUMNS,
    note: Some(separates_records),
    reader,
    ..Format::LINES
};

/// The lines that `ausearch` writes between the records of different events.
fn separates_records(line: &[u8]) -> bool {
    line == b"----" || line.starts_with(b"time->")
}

const COLUMNS: Schema = &[
    ("type", ColumnKind::Text),
    ("serial", ColumnKind::Int),
    ("host", ColumnKind::Text),
    ("message", ColumnKind::Text),
];
const TYPE: usize = 0;
const SERIAL: usize = 1;
const HOST: usize = 2;
const MESSAGE: usize = 3;

const STYLE: Style = Style { escapes: false, single_quotes: true };

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(AuditReader { named: NamedColumns::default() })
}

struct AuditReader {
    named: NamedColumns,
}

impl Reader for AuditReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let mut at = 0;
        if event.starts_with(b"node=") {
            let host = STYLE.next(event, 0).and_then(|item| Some((item.value?, item.end)));
            let ((from, to), end) = host.ok_or("no record of the audit daemon")?;
            rows.text(HOST, from, to);
            at = end + 1;
        }
        let kind = event.get(at..).and_then(|rest| rest.strip_prefix(b"type="));
        let kind_end = kind.and_then(|kind| memchr(b' ', kind)).ok_or("no type of record at the start")?;
        let message = at + 5 + kind_end + 1;
        let stamp = message + b"msg=audit(".len();
        if !event[message..].starts_with(b"msg=audit(") {
            return self.cut_short(event, at + 5, message, rows);
        }
        let end =
            memchr(b')', &event[stamp..]).map(|length| stamp + length).ok_or("the time does not end")?;
        let colon =
            event[stamp..end].iter().rposition(|&byte| byte == b':').ok_or("no serial after the time")?;
        let when = whole_time(&event[stamp..stamp + colon]).ok_or("the time is not one")?;
        rows.when(&when);
        rows.text(TYPE, at + 5, at + 5 + kind_end);
        if let Some(crate::named_columns::Number::Int(serial)) =
            crate::named_columns::number(&event[stamp + colon + 1..end])
        {
            rows.int(SERIAL, serial);
        }
        self.named.begin();
        let body = end + 1 + usize::from(event.get(end + 1) == Some(&b':'));
        self.list(event, body, event.len(), true, rows);
        Ok(Fit::Whole)
    }
}

impl AuditReader {
    /// A record of a kind that `ausearch` or the daemon does not know may lack its time.
    fn cut_short(
        &mut self,
        event: &[u8],
        kind: usize,
        message: usize,
        rows: &mut Rows,
    ) -> Result<Fit, &'static str> {
        if !event[message..].starts_with(b"msg=")
            || !event[kind..].first().is_some_and(u8::is_ascii_uppercase)
        {
            return Err("no time after the type of record");
        }
        rows.text(TYPE, kind, message - 1);
        self.named.begin();
        self.list(event, message, event.len(), true, rows);
        Ok(Fit::Partly)
    }

    /// Words and pairs up to a position. The pairs that user programs write are inside another pair.
    fn list(&mut self, event: &[u8], from: usize, to: usize, is_outer: bool, rows: &mut Rows) {
        let mut at = from;
        let mut words: Option<(usize, usize)> = None;
        while let Some(item) = STYLE.next(&event[..to], at) {
            at = item.end;
            match item.value {
                None => {
                    // Words after the first pair are parts of a value that should be quoted.
                    words = Some((words.map_or(item.key.0, |(start, _)| start), item.end));
                }
                Some((from, to)) if is_outer && item.is_quoted && item.key(event) == b"msg" => {
                    self.list(event, from, to, false, rows);
                }
                Some(_) => item.put(item.key(event), event, &mut self.named, rows),
            }
        }
        if let Some((from, to)) = words {
            rows.text(MESSAGE, from, to);
        }
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
    fn sample_lines() {
        check(
            r#"type=SYSCALL msg=audit(1795230245.819:77): arch=c000003e success=yes a0=7f pid=12 comm="cart" exe="/usr/bin/cart" key=(null)"#,
            r#"2026-11-21T03:04:05.819Z - type="SYSCALL" serial=77 arch="c000003e" success="yes" a0="7f" pid=12 comm="cart" exe="/usr/bin/cart" key="(null)""#,
        );
        check(
            r#"type=USER_CMD msg=audit(1795230245.819:78): pid=12 msg='cwd="/home/a b" cmd=6C73 terminal=pts/0 res=success'"#,
            r#"2026-11-21T03:04:05.819Z - type="USER_CMD" serial=78 pid=12 cwd="/home/a b" cmd="6C73" terminal="pts/0" res="success""#,
        );
        check(
            "node=web-1 type=AVC msg=audit(1795230245.819:79): avc:  denied  { read } for  pid=12 comm=\"x\"",
            r#"2026-11-21T03:04:05.819Z - type="AVC" serial=79 host="web-1" message="avc:  denied  { read } for" pid=12 comm="x""#,
        );
        check(
            "type=LOGIN msg=audit(1795230245.819:80): uid=0\u{1d}UID=\"root\"",
            r#"2026-11-21T03:04:05.819Z - type="LOGIN" serial=80 uid=0 UID="root""#,
        );
        check("type=LOGIN msg=audit(1795230245.819:80", "unparsed: the time does not end");
        check("type=UNKNOWN[1329] msg=g", r#"- - type="UNKNOWN[1329]" msg="g""#);
        check("type=login msg=g", "unparsed: no time after the type of record");
        check("type=LOGIN", "unparsed: no type of record at the start");
        check("a=1 b=2", "unparsed: no type of record at the start");
    }
}
