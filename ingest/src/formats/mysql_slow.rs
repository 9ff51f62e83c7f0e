//! The slow query log of `MySQL`, `MariaDB` and Percona: lines that begin with `# ` and contain user, time
//! and duration, followed by the statement.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader};
use crate::frame::{EventBlock, Framing};
use crate::named_columns::{NamedColumns, Number, number};
use crate::rows::{ColumnKind, Rows};
use crate::time::epoch;
use crate::time::find::time_near_start;
use crate::time::{When, stamp::Stamp};

pub(crate) static FORMAT: Format = Format {
    name: "mysql_slow",
    title: "slow queries of MySQL",
    learn: |_, _| Learned { framing: Framing::blocks(block), ..Learned::default() },
    note: Some(is_preamble),
    reader: |_| Box::new(SlowReader { named: NamedColumns::default() }),
    ..Format::LINES
};

/// The lines that a server writes when it opens the file, at its start or after a restart.
fn is_preamble(line: &[u8]) -> bool {
    line.starts_with(b"Tcp port: ")
        || (line.starts_with(b"Time  ") && memmem::find(line, b"Command").is_some())
        || (memmem::find(line, b", Version: ").is_some() && line.trim_ascii_end().ends_with(b"started with:"))
}

fn begins(line: &[u8]) -> bool {
    [&b"# Time: "[..], b"# User@Host: ", b"# Query_time: "].iter().any(|start| line.starts_with(start))
}

/// An entry: lines about the query, then the statement up to the next line that begins an entry.
fn block(text: &[u8]) -> Option<EventBlock> {
    let mut at = 0;
    let mut in_statement = false;
    while let Some(length) = memchr(b'\n', &text[at..]) {
        let line = &text[at..at + length];
        let next = at + length + 1;
        if is_preamble(line) {
            return Some(if at == 0 { entry(next) } else { entry(at) });
        }
        if in_statement && begins(line) {
            return Some(entry(at));
        }
        in_statement |= !line.starts_with(b"# ") && !line.trim_ascii().is_empty();
        at = next;
    }
    None
}

/// The entry with the line ends after it, which are removed from it as at the end of a chunk.
fn entry(next: usize) -> EventBlock {
    EventBlock { start: 0, end: next, next }
}

struct SlowReader {
    named: NamedColumns,
}

impl Reader for SlowReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        self.named.begin();
        let mut at = 0;
        let mut time: Option<When> = None;
        let mut has_times = false;
        while event[at..].starts_with(b"# ") || event[at..].starts_with(b"#\t") {
            let end = line_end(event, at);
            let line = &event[at..end];
            if let Some(rest) = line.strip_prefix(b"# Time: ") {
                time = time_near_start(rest, 0).map(|found| found.when);
            } else if line.starts_with(b"# User@Host: ") {
                self.put_user(event, at + b"# User@Host: ".len(), end, rows);
                has_times = true;
            } else {
                has_times |= line.starts_with(b"# Query_time: ");
                self.put_values(event, at + 2, end, rows);
            }
            at = (end + 1).min(event.len());
        }
        if at == 0 || !has_times {
            return Err("no lines about the query before it");
        }
        // The server's own number is an instant; its time may be in any zone.
        let is_zoned = matches!(time, Some(When::Instant(_) | When::Stamp(Stamp { zone: Some(_), .. })));
        loop {
            let end = line_end(event, at);
            let line = &event[at..end];
            let small = line[..line.len().min(16)].to_ascii_lowercase();
            if small.starts_with(b"set timestamp=") {
                let value = line[14..].strip_suffix(b";").unwrap_or(&line[14..]);
                if let Some(ns) = epoch::number(value).filter(|_| !is_zoned) {
                    time = Some(When::Instant(ns));
                }
            } else if small.starts_with(b"use ") && line.ends_with(b";") {
                self.named.text(b"database", at + 4, end - 1, rows);
            } else {
                break;
            }
            at = (end + 1).min(event.len());
        }
        if let Some(time) = time {
            rows.when(&time);
        }
        if at < event.len() {
            self.named.text(b"statement", at, event.len(), rows);
        }
        Ok(Fit::Whole)
    }
}

fn line_end(event: &[u8], at: usize) -> usize {
    memchr(b'\n', &event[at..]).map_or(event.len(), |length| at + length)
}

impl SlowReader {
    /// `bob[bob] @ web-1 [10.1.2.3]  Id:     2`
    fn put_user(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let bracket = |from: usize| {
            let open = from + memchr(b'[', &event[from..to])?;
            let close = open + memchr(b']', &event[open..to])?;
            Some((open, close))
        };
        let Some((open, close)) = bracket(from) else { return };
        self.put_text(b"user", event, from, open, rows);
        let Some(sign) = memchr(b'@', &event[close..to]).map(|length| close + length + 1) else { return };
        let Some((open, close)) = bracket(sign) else { return };
        let host = sign + event[sign..open].iter().take_while(|byte| **byte == b' ').count();
        self.put_text(b"host", event, host, host + event[host..open].trim_ascii_end().len(), rows);
        self.put_text(b"client_ip", event, open + 1, close, rows);
        self.put_values(event, close + 1, to, rows);
    }

    fn put_text(&mut self, name: &[u8], event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        if from < to && !event[from..to].is_empty() {
            self.named.text(name, from, to, rows);
        }
    }

    /// `Query_time: 0.011853  Lock_time: 0.011542  Schema:   Killed: 0`
    fn put_values(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        let to = from + event[from..to].trim_ascii_end().len();
        let mut at = from;
        while let Some(colon) = memchr(b':', &event[at..to]).map(|length| at + length) {
            let name = at + event[at..colon].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if event[name..colon].iter().any(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                || name == colon
            {
                return;
            }
            let value = colon + 1 + event[colon + 1..to].iter().take_while(|byte| **byte == b' ').count();
            let length = event[value..to].iter().position(|byte| *byte == b' ').unwrap_or(to - value);
            // If a value is missing, the next name is in its place.
            if event[value..value + length].ends_with(b":") {
                at = value;
                continue;
            }
            at = value + length;
            let field = match &event[name..colon] {
                b"Schema" => &b"database"[..],
                name => name,
            };
            if value < at {
                self.named.value(field, event, value, at, rows);
            }
            if field == b"Query_time"
                && let Some(column) = self.named.column(b"duration_ms", ColumnKind::Float, rows)
            {
                match number(&event[value..at]) {
                    Some(Number::Int(seconds)) => rows.float(column, seconds as f64 * 1e3),
                    Some(Number::Float(seconds)) => rows.float(column, seconds * 1e3),
                    None => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    const ENTRY: &str = "# Time: 2026-11-21T03:04:05.678222Z
# User@Host: bob[bob] @ web-1 [10.1.2.3]  Id:     2
# Schema: shop  Last_errno: 0
# Query_time: 0.5  Lock_time: 0.25  Rows_sent: 268  Rows_examined: 3
SET timestamp=1611704757;
SELECT *
FROM cart;
";

    #[test]
    fn an_entry() {
        assert_eq!(
            render(&FORMAT, ENTRY),
            r#"2026-11-21T03:04:05.678222Z - user="bob" host="web-1" client_ip="10.1.2.3" Id=2 database="shop" Last_errno=0 Query_time=0.5 duration_ms=500.0 Lock_time=0.25 Rows_sent=268 Rows_examined=3 statement="SELECT *\nFROM cart;""#
        );
        assert_eq!(
            render(
                &FORMAT,
                "# User@Host: root[root] @ localhost []\n# Thread_id: 7  Schema:   Killed: 0\n# Query_time: 2  Lock_time: 0\nuse shop;\nSET timestamp=1611704757;\nselect sleep(2);\n"
            ),
            r#"2021-01-26T23:45:57Z - user="root" host="localhost" Thread_id=7 Killed=0 Query_time=2 duration_ms=2000.0 Lock_time=0 database="shop" statement="select sleep(2);""#
        );
        assert_eq!(render(&FORMAT, "# a comment\nx\n"), "unparsed: no lines about the query before it");
        assert_eq!(render(&FORMAT, "x"), "unparsed: no lines about the query before it");
    }

    #[test]
    fn entries_end_where_the_next_begins() {
        let preamble = "/usr/sbin/mysqld, Version: 8.0. started with:\nTcp port: 3306  Unix socket: /x\nTime                 Id Command    Argument\n";
        let text = format!("{preamble}{ENTRY}{ENTRY}{preamble}{ENTRY}");
        let mut at = 0;
        let mut starts = Vec::new();
        while let Some(block) = block(&text.as_bytes()[at..]) {
            starts.push(
                text[at..].lines().next().unwrap_or_default().split([' ', ':']).next().unwrap_or_default(),
            );
            at += block.next;
        }
        assert_eq!(
            starts,
            ["/usr/sbin/mysqld,", "Tcp", "Time", "#", "#", "/usr/sbin/mysqld,", "Tcp", "Time"]
        );
        assert!(text[at..].starts_with("# Time"));
    }
}
