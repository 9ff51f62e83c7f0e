//! `varnishlog`: a transaction as a block of lines, each with a tag and its value. The time is that of the
//! transaction's start.

use memchr::memchr;

use super::{Fit, Format, Learned, Reader};
use crate::endpoint::TextRange;
use crate::level;
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::Rows;
use crate::time::find::whole_time;

pub(crate) static FORMAT: Format = Format {
    name: "varnish",
    title: "transactions of varnishlog",
    // A transaction has some thirty lines after a head that no other log has.
    weight: 16.0,
    learn: |_, _| Learned::starting(|line| head(line).is_some()),
    reader: |_| Box::new(VarnishReader::default()),
    ..Format::LINES
};

/// Tags of a request or of its request to a backend, and their fields. Of several values the last counts: a client
/// gets what the last rule decided.
const FIELDS: [(&[u8], &str); 12] = [
    (b"ReqMethod", "method"),
    (b"BereqMethod", "method"),
    (b"ReqURL", "path"),
    (b"BereqURL", "path"),
    (b"ReqProtocol", "protocol"),
    (b"BereqProtocol", "protocol"),
    (b"RespStatus", "status"),
    (b"BerespStatus", "status"),
    (b"RespReason", "reason"),
    (b"BerespReason", "reason"),
    (b"FetchError", "error"),
    (b"VCL_Error", "error"),
];

#[derive(Default)]
struct VarnishReader {
    named: NamedColumns,
}

impl Reader for VarnishReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let first = memchr(b'\n', event).unwrap_or(event.len());
        let (kind, id) = head(&event[..first]).ok_or("no head of a transaction")?;
        let mut found = [None; FIELDS.len()];
        let mut client = None;
        let mut at = first + 1;
        while at < event.len() {
            let end = at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at);
            if let Some((tag, value)) = tagged(event, at, end) {
                let tag = &event[tag.0..tag.1];
                if let Some(field) = FIELDS.iter().position(|(known, _)| *known == tag) {
                    found[field] = Some(value);
                }
                // Before a session's time are the client, the listener and its address, with their ports.
                let time = match tag {
                    b"Timestamp" => Some(1),
                    b"SessOpen" => Some(5),
                    _ => None,
                };
                if let Some(place) = time
                    && !rows.has_time()
                    && let Some(time) = event[value.0..value.1].split(|byte| *byte == b' ').nth(place)
                    && let Some(when) = whole_time(time)
                {
                    rows.when(&when);
                }
                if matches!(tag, b"ReqStart" | b"SessOpen") {
                    client = Some(value.0);
                }
            }
            at = end + 1;
        }
        self.named.begin();
        self.named.text(b"type", kind.0, kind.1, rows);
        self.named.value(b"id", event, id.0, id.1, rows);
        if let Some(from) = client {
            let length = event[from..].iter().position(u8::is_ascii_whitespace);
            self.named.text(b"client_ip", from, from + length.unwrap_or(event.len() - from), rows);
        }
        for ((_, name), value) in FIELDS.iter().zip(found) {
            let Some((from, to)) = value else { continue };
            self.named.value(name.as_bytes(), event, from, to, rows);
            if *name == "status"
                && let Some(Number::Int(status)) = number(&event[from..to])
            {
                rows.set_level(level::from_http_status(status));
            }
        }
        Ok(Fit::Whole)
    }
}

/// `*   << Request  >> 32770`, where deeper transactions of a group have more asterisks: the kind and the number.
fn head(line: &[u8]) -> Option<(TextRange, TextRange)> {
    let depth = line.iter().take_while(|byte| **byte == b'*').count();
    let open = depth + line[depth..].iter().take_while(|byte| **byte == b' ').count();
    let kind = open + line[open..].strip_prefix(b"<< ").map(|_| 3)?;
    let length = memchr(b' ', &line[kind..])?;
    let close = kind + length + line[kind + length..].iter().take_while(|byte| **byte == b' ').count();
    let id = close + line[close..].strip_prefix(b">> ").map(|_| 3)?;
    let digits = line[id..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (depth > 0 && length > 0 && digits > 0).then_some(((kind, kind + length), (id, id + digits)))
}

/// The tag of `-   RespStatus     503` and its value, as ranges of the event.
fn tagged(event: &[u8], at: usize, end: usize) -> Option<(TextRange, TextRange)> {
    let line = &event[at..end];
    let depth = line.iter().take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let tag = memchr(b' ', &line[depth..])?;
    let from = depth + tag + line[depth + tag..].iter().take_while(|byte| **byte == b' ').count();
    let to = from + line[from..].trim_ascii_end().len();
    Some(((at + depth, at + depth + tag), (at + from, at + to)))
}
