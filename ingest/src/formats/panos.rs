//! Palo Alto's firewalls: a list of comma-separated values, after a syslog header if it came over the
//! network. The fourth value is the type of the list, which determines the other fields.

use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows};
use crate::table::{Cell, cells};
use crate::time::find::whole_time;
use crate::time::stamp::iso;

pub(crate) static FORMAT: Format = Format {
    name: "panos",
    title: "Palo Alto log lines",
    reader: |_: &Setup| Box::new(PanosReader { named: NamedColumns::default(), cells: Vec::new() }),
    ..Format::LINES
};

/// An index in the list, its name, and whether it may be a number.
type ListField = (usize, &'static str, ColumnKind);

const TEXT: ColumnKind = ColumnKind::Text;
const NUMBER: ColumnKind = ColumnKind::Int;

/// The start of all lists, after an unused number and the time of receipt.
const COMMON: &[ListField] = &[(2, "serial", TEXT), (3, "type", TEXT), (4, "subtype", TEXT)];

/// The fields that traffic and threat lists share.
const SESSION: &[ListField] = &[
    (7, "source_ip", TEXT),
    (8, "destination_ip", TEXT),
    (9, "source_nat_ip", TEXT),
    (10, "destination_nat_ip", TEXT),
    (11, "rule", TEXT),
    (12, "user", TEXT),
    (13, "destination_user", TEXT),
    (14, "application", TEXT),
    (15, "vsys", TEXT),
    (16, "source_zone", TEXT),
    (17, "destination_zone", TEXT),
    (18, "source_interface", TEXT),
    (19, "destination_interface", TEXT),
    (22, "session_id", NUMBER),
    (23, "repeated", NUMBER),
    (24, "source_port", NUMBER),
    (25, "destination_port", NUMBER),
    (26, "source_nat_port", NUMBER),
    (27, "destination_nat_port", NUMBER),
    (28, "flags", TEXT),
    (29, "protocol", TEXT),
    (30, "action", TEXT),
];

const TRAFFIC: &[ListField] = &[
    (31, "bytes", NUMBER),
    (32, "bytes_sent", NUMBER),
    (33, "bytes_received", NUMBER),
    (34, "packets", NUMBER),
    (35, "started", TEXT),
    (36, "elapsed_s", NUMBER),
    (37, "category", TEXT),
    (41, "source_location", TEXT),
    (42, "destination_location", TEXT),
    (46, "end_reason", TEXT),
];

const THREAT: &[ListField] = &[
    (31, "url", TEXT),
    (32, "threat", TEXT),
    (33, "category", TEXT),
    (34, "severity", TEXT),
    (35, "direction", TEXT),
    (38, "source_location", TEXT),
    (39, "destination_location", TEXT),
    (41, "content_type", TEXT),
];

const SYSTEM: &[ListField] = &[
    (7, "vsys", TEXT),
    (8, "event_id", TEXT),
    (9, "object", TEXT),
    (12, "module", TEXT),
    (13, "severity", TEXT),
    (14, "message", TEXT),
];

const CONFIG: &[ListField] = &[
    (7, "client_ip", TEXT),
    (8, "vsys", TEXT),
    (9, "command", TEXT),
    (10, "user", TEXT),
    (11, "client", TEXT),
    (12, "result", TEXT),
    (13, "path", TEXT),
];

const HIP_MATCH: &[ListField] = &[
    (7, "user", TEXT),
    (8, "vsys", TEXT),
    (9, "machine", TEXT),
    (10, "os", TEXT),
    (11, "source_ip", TEXT),
    (12, "match", TEXT),
    (13, "repeated", NUMBER),
    (14, "match_type", TEXT),
];

const GLOBAL_PROTECT: &[ListField] = &[
    (7, "vsys", TEXT),
    (8, "event_id", TEXT),
    (9, "stage", TEXT),
    (10, "auth_method", TEXT),
    (11, "tunnel", TEXT),
    (12, "user", TEXT),
    (13, "source_location", TEXT),
    (14, "machine", TEXT),
    (15, "source_ip", TEXT),
];

const USER_ID: &[ListField] = &[
    (7, "vsys", TEXT),
    (8, "source_ip", TEXT),
    (9, "user", TEXT),
    (10, "data_source", TEXT),
    (12, "repeated", NUMBER),
    (13, "timeout_s", NUMBER),
];

/// The lists by the name of their type; other lists have only the common fields.
const LISTS: &[(&[u8], &[&[ListField]])] = &[
    (b"TRAFFIC", &[SESSION, TRAFFIC]),
    (b"THREAT", &[SESSION, THREAT]),
    (b"SYSTEM", &[SYSTEM]),
    (b"CONFIG", &[CONFIG]),
    (b"HIPMATCH", &[HIP_MATCH]),
    (b"HIP-MATCH", &[HIP_MATCH]),
    (b"GLOBALPROTECT", &[GLOBAL_PROTECT]),
    (b"USERID", &[USER_ID]),
    (b"AUTHENTICATION", &[]),
    (b"DECRYPTION", &[SESSION]),
    (b"CORRELATION", &[]),
];

/// The index of the time at which the firewall created the entry.
const GENERATED: usize = 6;

struct PanosReader {
    named: NamedColumns,
    cells: Vec<Cell>,
}

/// Where the list begins: at a number before a comma, a time and a comma.
fn start(event: &[u8]) -> Option<usize> {
    let head = &event[..event.len().min(limits::DEVICE_PREFIX_BYTES)];
    let comma = memchr(b',', head)?;
    let digits = head[..comma].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let start = comma - digits;
    let is_delimited = start == 0 || matches!(head[start - 1], b' ' | b'>');
    let (_, end) = iso(event, comma + 1)?;
    (is_delimited && event.get(comma + 5) == Some(&b'/') && event.get(end) == Some(&b',')).then_some(start)
}

impl Reader for PanosReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let other = "no list of Palo Alto";
        let start = start(event).ok_or(other)?;
        let list = event[start..].trim_ascii_end();
        let shifted = |cell: Cell| Cell { from: cell.from + start, to: cell.to + start, ..cell };
        self.cells.clear();
        self.cells.extend(cells(list, b',').map(shifted));
        let value = |index: usize| self.cells.get(index).map_or(&b""[..], |cell| &event[cell.from..cell.to]);
        let (_, lists) = LISTS.iter().find(|(name, _)| *name == value(3)).ok_or(other)?;
        let when = whole_time(value(GENERATED)).or_else(|| whole_time(value(1))).ok_or(other)?;
        rows.when(&when);
        self.named.begin();
        self.fields(event, COMMON, rows);
        for fields in *lists {
            self.fields(event, fields, rows);
        }
        Ok(Fit::Whole)
    }
}

impl PanosReader {
    fn fields(&mut self, event: &[u8], fields: &[ListField], rows: &mut Rows) {
        for &(index, name, kind) in fields {
            let Some(&Cell { from, to, .. }) = self.cells.get(index) else { return };
            if name == "severity"
                && let Some(level) = level_of(&event[from..to])
            {
                rows.set_level(level);
            }
            match kind {
                _ if from == to => {}
                NUMBER => self.named.value(name.as_bytes(), event, from, to, rows),
                _ => self.named.text(name.as_bytes(), from, to, rows),
            }
        }
    }
}

fn level_of(severity: &[u8]) -> Option<Level> {
    level::from_risk(severity).or_else(|| level::from_word(severity))
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
    fn sample_lines() {
        let session = "10.1.2.3,192.0.2.5,0.0.0.0,0.0.0.0,shop-out,shop\\bob,,ssl,vsys1,in,out,e1,e2,fwd,x,7,1,40000,443,0,0,0x0,tcp";
        let shown = r#"source_ip="10.1.2.3" destination_ip="192.0.2.5" source_nat_ip="0.0.0.0" destination_nat_ip="0.0.0.0" rule="shop-out" user="shop\\bob" application="ssl" vsys="vsys1" source_zone="in" destination_zone="out" source_interface="e1" destination_interface="e2" session_id=7 repeated=1 source_port=40000 destination_port=443 source_nat_port=0 destination_nat_port=0 flags="0x0" protocol="tcp""#;
        check(
            &format!(
                "1,2026/11/21 03:04:06,007,TRAFFIC,end,1,2026/11/21 03:04:05,{session},allow,50,20,30,4"
            ),
            &format!(
                r#"2026-11-21T03:04:05Z - serial="007" type="TRAFFIC" subtype="end" {shown} action="allow" bytes=50 bytes_sent=20 bytes_received=30 packets=4"#
            ),
        );
        check(
            &format!(
                "<14>Nov 21 03:04:06 fw-1 1,2026/11/21 03:04:06,007,THREAT,url,1,2026/11/21 03:04:05,{session},alert,\"shop/a,b\",(9999),shops,high,client-to-server"
            ),
            &format!(
                r#"2026-11-21T03:04:05Z error serial="007" type="THREAT" subtype="url" {shown} action="alert" url="shop/a,b" threat="(9999)" category="shops" severity="high" direction="client-to-server""#
            ),
        );
        check(
            "1,2026/11/21 03:04:06,007,SYSTEM,general,0,2026/11/21 03:04:05,,login,,0,0,general,informational,\"bob is in, again\"",
            r#"2026-11-21T03:04:05Z info serial="007" type="SYSTEM" subtype="general" event_id="login" module="general" severity="informational" message="bob is in, again""#,
        );
        for line in ["1,2026/11/21 03:04:06,x", "7,2026-11-21 03:04:06,007,TRAFFIC", "a,b", "x"] {
            check(line, "unparsed: no list of Palo Alto");
        }
    }
}
