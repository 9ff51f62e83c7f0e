//! The extended log format of the W3C, whose `#Fields:` line names the values of the lines after it: IIS,
//! Exchange, CloudFront, proxies, the Windows firewall. It may change midway.

use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::level;
use crate::rows::Rows;
use crate::table::{Cell, ColumnRole, Table, TableColumn, cells, make_unique};

pub(crate) static FORMAT: Format = Format {
    name: "w3c",
    title: "W3C extended log lines",
    heading: Some(|_, line, _| is_directive(line)),
    note: Some(|line| line == b"#" || line.starts_with(b"#<")),
    reader,
    ..Format::LINES
};

/// Directives of the standard, and those that Microsoft added.
const DIRECTIVES: [&str; 9] =
    ["Fields", "Date", "Software", "Version", "Remark", "Start-Date", "End-Date", "Time Format", "Log-type"];

fn is_directive(line: &[u8]) -> bool {
    let name = line.strip_prefix(b"#").and_then(|line| Some(line[..memchr(b':', line)?].trim_ascii()));
    name.is_some_and(|name| DIRECTIVES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name)))
}

/// Fields that have a conventional name in other formats.
const CONVENTIONAL: [(&str, &str); 9] = [
    ("c-ip", "client_ip"),
    ("cs-method", "method"),
    ("cs-username", "user"),
    ("cs-version", "protocol"),
    ("sc-status", "status"),
    ("sc-bytes", "bytes"),
    ("cs(user-agent)", "user_agent"),
    ("cs(referer)", "referer"),
    ("cs(referrer)", "referer"),
];

fn reader(_: &Setup) -> Box<dyn Reader> {
    let table = Table::new(b"-", level::from_word);
    Box::new(W3cReader { table, delimiter: b' ', date: Vec::new(), is_local: false, cells: Vec::new() })
}

struct W3cReader {
    table: Table,
    delimiter: u8,
    /// The date of the last `#Date:` line, for lines with only a time of day.
    date: Vec<u8>,
    /// The times are local, as the header of the firewall log says.
    is_local: bool,
    cells: Vec<Cell>,
}

impl Reader for W3cReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let count = self.table.columns.len();
        if count == 0 {
            return Err("no line before it names its fields");
        }
        let line = event.trim_ascii_end();
        // CloudFront separates its field names by spaces and their values by tabs.
        let delimiter =
            if self.delimiter == b' ' && memchr(b'\t', line).is_some() { b'\t' } else { self.delimiter };
        self.cells.clear();
        self.cells.extend(cells(line, delimiter).take(count));
        if self.cells.len() * 2 < count && count > 2 {
            return Err("it has fewer values than there are fields");
        }
        // A value contains spaces that should have none: the surplus belongs to the last value.
        let is_longer =
            self.cells.len() == count && self.cells.last().is_some_and(|cell| cell.to + 1 < line.len());
        if is_longer && let Some(last) = self.cells.last_mut() {
            last.to = line.len();
        }
        self.table.begin();
        for (index, cell) in self.cells.iter().enumerate() {
            self.table.cell(index, event, *cell, rows);
        }
        self.table.end(event, &self.date, rows);
        Ok(if is_longer { Fit::Partly } else { Fit::Whole })
    }

    fn heading(&mut self, line: &[u8], _: &mut Rows) {
        let Some(colon) = memchr(b':', line) else { return };
        let (name, value) = (line[1..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"Fields") {
            self.fields(value);
        } else if name.eq_ignore_ascii_case(b"Date") {
            let date = value.split(|byte| matches!(byte, b' ' | b'T')).next().unwrap_or_default();
            self.date = date.to_vec();
        } else if name.eq_ignore_ascii_case(b"Time Format") {
            self.is_local = value.eq_ignore_ascii_case(b"Local");
            self.table.is_utc = !self.is_local;
        }
    }
}

impl W3cReader {
    fn fields(&mut self, list: &[u8]) {
        let delimiter = [b',', b'\t'].into_iter().find(|delimiter| list.contains(delimiter)).unwrap_or(b' ');
        let names =
            list.split(|&byte| byte == delimiter).map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
        let conventional = |name: &[u8]| -> Box<[u8]> {
            let known = CONVENTIONAL.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
            known.map_or(name, |(_, conventional)| conventional.as_bytes()).into()
        };
        let mut names: Vec<_> = names.map(conventional).collect();
        make_unique(&mut names);
        let role = |name: &[u8]| match name.to_ascii_lowercase().as_slice() {
            b"date" | b"date-local" => ColumnRole::Date,
            b"time" | b"time-local" => ColumnRole::TimeOfDay,
            b"date-time" | b"datetime" | b"timestamp" | b"x-timestamp" => ColumnRole::Time,
            b"tz" => ColumnRole::Zone,
            b"status" => ColumnRole::Status,
            b"level" | b"severity" | b"priority" | b"x-severity" => ColumnRole::Level,
            _ => ColumnRole::Field,
        };
        self.table.columns = names.into_iter().map(|name| TableColumn { role: role(&name), name }).collect();
        // The standard requires times in UTC; a heading that says otherwise comes before the fields.
        self.table.is_utc = !self.is_local;
        self.delimiter = delimiter;
    }
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
    fn web_servers() {
        check(
            "#Software: Microsoft Internet Information Services 10.0\n#Date: 2026-11-21 03:00:00\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status time-taken\n2026-11-21 03:04:05 10.0.0.1 GET /cart id=7 443 - 10.1.2.3 Mozilla/5.0+(X11) 502 65\n",
            r#"2026-11-21T03:04:05Z error s-ip="10.0.0.1" method="GET" cs-uri-stem="/cart" cs-uri-query="id=7" s-port=443 client_ip="10.1.2.3" user_agent="Mozilla/5.0+(X11)" status=502 time-taken=65"#,
        );
        check(
            "#Version: 1.0\n#Date: 21-Nov-2026 00:00:00\n#Fields: time c-ip sc-status\n03:04:05 10.1.2.3 200\n",
            r#"2026-11-21T03:04:05Z info client_ip="10.1.2.3" status=200"#,
        );
        check(
            "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs(User-Agent)\n2026-11-21\t03:04:05\tFRA2\t300\t10.1.2.3\tcurl/8%200\n",
            r#"2026-11-21T03:04:05Z - x-edge-location="FRA2" bytes=300 client_ip="10.1.2.3" user_agent="curl/8%200""#,
        );
        check(
            "#Fields: date time cs(User-Agent) sc-status\n2026-11-21 03:04:05 \"a b\" 404 \n",
            r#"2026-11-21T03:04:05Z warn user_agent="a b" status=404"#,
        );
    }

    #[test]
    fn others() {
        check(
            "#Software: Microsoft Exchange Server\n#Fields: date-time,client-ip,subject\n2026-11-21T03:04:05.123Z,10.1.2.3,\"a, b\"\n",
            r#"2026-11-21T03:04:05.123Z - client-ip="10.1.2.3" subject="a, b""#,
        );
        check(
            "#Version: 1.5\n#Time Format: Local\n#Fields: date time action protocol src-ip\n2026-11-21 03:04:05 DROP UDP 10.1.2.3\n",
            r#"2026-11-21T03:04:05Z - action="DROP" protocol="UDP" src-ip="10.1.2.3""#,
        );
        check("2026-11-21 03:04:05 a b\n", "unparsed: no line before it names its fields");
        check("#Fields: a b\n# x: y\n", "- - a=\"#\" b=\"x: y\"");
        check("#Fields: a b c d e\nx\n", "unparsed: it has fewer values than there are fields");
    }
}
