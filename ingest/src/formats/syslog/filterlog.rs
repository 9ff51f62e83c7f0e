//! pfSense and OPNsense: `filterlog` writes a rule's decision as comma-separated values; their order depends
//! on the IP version and the protocol.

use crate::named_columns::NamedColumns;
use crate::rows::Rows;

#[derive(Default)]
pub(super) struct Filterlog {
    named: NamedColumns,
}

const START: [&str; 9] =
    ["rule", "subrule", "anchor", "tracker", "interface", "reason", "action", "direction", "ip_version"];
const IP_4: [&str; 11] = [
    "tos",
    "ecn",
    "ttl",
    "id",
    "offset",
    "flags",
    "protocol_id",
    "transport",
    "bytes",
    "source_ip",
    "destination_ip",
];
const IP_6: [&str; 8] =
    ["class", "flow_label", "hop_limit", "transport", "protocol_id", "bytes", "source_ip", "destination_ip"];
const PORTS: [&str; 3] = ["source_port", "destination_port", "data_bytes"];
const TCP: [&str; 6] = ["tcp_flags", "sequence", "ack", "window", "urgent", "options"];

impl Filterlog {
    pub(super) fn read(&mut self, event: &[u8], message: usize, rows: &mut Rows) {
        self.named.begin();
        let mut values = CommaValues { event, at: Some(message) };
        let version = self.put(&START, &mut values, rows);
        let names: &[&str] = match version {
            b"4" => &IP_4,
            b"6" => &IP_6,
            _ => return,
        };
        let transport = self.put(names, &mut values, rows);
        if [&b"tcp"[..], b"udp"].iter().any(|known| transport.eq_ignore_ascii_case(known)) {
            self.put(&PORTS, &mut values, rows);
        }
        if transport.eq_ignore_ascii_case(b"tcp") {
            self.put(&TCP, &mut values, rows);
        }
    }

    /// Adds as many values as there are names; returns the one that determines the values after it.
    fn put<'a>(&mut self, names: &[&str], values: &mut CommaValues<'a>, rows: &mut Rows) -> &'a [u8] {
        let mut tells = &b""[..];
        for name in names {
            let Some((from, to)) = values.next() else { break };
            if matches!(*name, "ip_version" | "transport") {
                tells = &values.event[from..to];
            }
            if from < to {
                self.named.value(name.as_bytes(), values.event, from, to, rows);
            }
        }
        tells
    }
}

struct CommaValues<'a> {
    event: &'a [u8],
    at: Option<usize>,
}

impl Iterator for CommaValues<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let from = self.at?;
        let rest = &self.event[from..];
        let comma = memchr::memchr(b',', rest);
        self.at = comma.map(|comma| from + comma + 1);
        Some((from, from + comma.unwrap_or(rest.trim_ascii_end().len())))
    }
}
