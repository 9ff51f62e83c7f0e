//! Flow logs of AWS: space-separated values, under a line that names them or in the order of version 2, or in
//! the order that the documentation gives for version 3.

use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::epoch;

pub(crate) static FORMAT: Format = Format {
    name: "vpcflow",
    title: "AWS flow records",
    heading: Some(|_, line, _| is_header(line)),
    reader,
    ..Format::LINES
};

/// The default order.
const VERSION_2: &str = "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets \
     bytes start end action log-status";

const VERSION_3: &str = "version vpc-id subnet-id instance-id interface-id account-id type srcaddr dstaddr \
     srcport dstport pkt-srcaddr pkt-dstaddr protocol bytes packets start end action tcp-flags log-status";

fn reader(_: &Setup) -> Box<dyn Reader> {
    let mut reader =
        FlowReader { fields: Vec::new(), named: NamedColumns::default(), is_default: true, order: VERSION_2 };
    reader.name(VERSION_2.as_bytes());
    Box::new(reader)
}

struct FlowReader {
    fields: Vec<Box<[u8]>>,
    named: NamedColumns,
    /// No line named the fields, which are in this order.
    is_default: bool,
    order: &'static str,
}

impl Reader for FlowReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let count = event.trim_ascii_end().split(|&byte| byte == b' ').count();
        if self.is_default {
            let order = if event.starts_with(b"3 ") { VERSION_3 } else { VERSION_2 };
            if self.order != order {
                self.name(order.as_bytes());
                self.order = order;
            }
        }
        if count != self.fields.len() {
            return Err("it has other fields than a flow record");
        }
        let has_version = matches!(event, [b'2' | b'3', b' ', ..]);
        if self.is_default && !(has_version && self.action(event).is_some_and(is_action)) {
            return Err("not a flow record of version 2 or 3");
        }
        self.named.begin();
        let (mut from, mut has_time) = (0, false);
        for index in 0..count {
            let to = memchr::memchr(b' ', &event[from..])
                .map_or(event.trim_ascii_end().len(), |length| from + length);
            let value = &event[from..to];
            let name = &self.fields[index];
            match &**name {
                _ if matches!(value, b"-" | b"") => {}
                b"start" if let Some(ns) = epoch::number(value) => {
                    rows.when(&When::Instant(ns));
                    has_time = true;
                }
                b"end" if !has_time && let Some(ns) = epoch::number(value) => {
                    rows.when(&When::Instant(ns));
                    self.named.value(name, event, from, to, rows);
                }
                b"action" => {
                    if value == b"REJECT" && rows.level() == Level::None {
                        rows.set_level(Level::Notice);
                    }
                    self.named.text(name, from, to, rows);
                }
                // Twelve digits, perhaps with leading zeros: not a number.
                b"account-id" => self.named.text(name, from, to, rows),
                _ => match number(value) {
                    Some(Number::Int(int)) => {
                        if let Some(column) = self.named.column(name, ColumnKind::Int, rows) {
                            rows.int(column, int);
                        }
                    }
                    _ => self.named.text(name, from, to, rows),
                },
            }
            from = to + 1;
        }
        Ok(Fit::Whole)
    }

    fn heading(&mut self, line: &[u8], _: &mut Rows) {
        self.name(line);
        self.is_default = false;
    }
}

impl FlowReader {
    fn name(&mut self, line: &[u8]) {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        self.fields = words.map(Into::into).collect();
    }

    fn action<'a>(&self, event: &'a [u8]) -> Option<&'a [u8]> {
        event.split(|&byte| byte == b' ').nth(self.fields.iter().position(|field| **field == *b"action")?)
    }
}

fn is_action(word: &[u8]) -> bool {
    matches!(word, b"ACCEPT" | b"REJECT" | b"-")
}

/// Whether a line names fields of flow records.
fn is_header(line: &[u8]) -> bool {
    let has = |name: &[u8]| line.split(u8::is_ascii_whitespace).any(|word| word == name);
    line.first().is_some_and(u8::is_ascii_lowercase)
        && has(b"srcaddr")
        && has(b"dstaddr")
        && (has(b"start") || has(b"end"))
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(render(&FORMAT, text), expected, "{text}");
    }

    #[test]
    fn sample_lines() {
        let record =
            "2 012345678901 eni-1 10.1.2.3 10.0.0.1 20641 22 6 20 4249 1795230245 1795230305 REJECT OK";
        let expected = r#"2026-11-21T03:04:05Z notice version=2 account-id="012345678901" interface-id="eni-1" srcaddr="10.1.2.3" dstaddr="10.0.0.1" srcport=20641 dstport=22 protocol=6 packets=20 bytes=4249 end=1795230305 action="REJECT" log-status="OK""#;
        check(record, expected);
        check(&format!("{VERSION_2}\n{record}\n"), expected);
        check(
            "2 123456789012 eni-1 - - - - - - - 1795230245 1795230305 - NODATA",
            r#"2026-11-21T03:04:05Z - version=2 account-id="123456789012" interface-id="eni-1" end=1795230305 log-status="NODATA""#,
        );
        check(
            "srcaddr dstaddr end tcp-flags\n10.1.2.3 10.0.0.1 1795230305 2\n",
            r#"2026-11-21T03:05:05Z - srcaddr="10.1.2.3" dstaddr="10.0.0.1" end=1795230305 tcp-flags=2"#,
        );
        check(
            "3 vpc-1 subnet-1 i-1 eni-1 123456789010 IPv4 10.1.2.3 10.0.0.62 43416 5001 10.1.2.3 10.0.0.62 6 568 8 1795230245 1795230305 REJECT 2 OK",
            r#"2026-11-21T03:04:05Z notice version=3 vpc-id="vpc-1" subnet-id="subnet-1" instance-id="i-1" interface-id="eni-1" account-id="123456789010" type="IPv4" srcaddr="10.1.2.3" dstaddr="10.0.0.62" srcport=43416 dstport=5001 pkt-srcaddr="10.1.2.3" pkt-dstaddr="10.0.0.62" protocol=6 bytes=568 packets=8 end=1795230305 action="REJECT" tcp-flags=2 log-status="OK""#,
        );
        check("2 a b", "unparsed: it has other fields than a flow record");
        check("1 2 3 4 5 6 7 8 9 10 11 12 13 14", "unparsed: not a flow record of version 2 or 3");
    }
}
