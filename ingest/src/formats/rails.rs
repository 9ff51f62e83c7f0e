//! Requests of Ruby on Rails: a line that begins one, followed by parameters, queries and the outcome.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::named_columns::{Number, number};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "rails",
    title: "requests of Rails",
    // A request has many lines after a first line that no other format has.
    weight: 2.0,
    columns: COLUMNS,
    learn: |_, _| Learned::starting(begins),
    reader: |_| Box::new(RailsReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("method", ColumnKind::Text),
    ("path", ColumnKind::Text),
    ("client_ip", ColumnKind::Text),
    ("action", ColumnKind::Text),
    ("status", ColumnKind::Int),
    ("duration_ms", ColumnKind::Float),
];
const METHOD: usize = 0;
const PATH: usize = 1;
const CLIENT_IP: usize = 2;
const ACTION: usize = 3;
const STATUS: usize = 4;
const DURATION_MS: usize = 5;

/// `Started GET "/cart" for 10.1.2.3 at …` since version 3, `Processing Cart#show (for 10.1.2.3 at …) [GET]`
/// before.
fn begins(line: &[u8]) -> bool {
    let has = |part: &[u8]| memmem::find(line, part).is_some();
    (line.starts_with(b"Started ") && has(b" for ") && has(b" at "))
        || (line.starts_with(b"Processing ") && has(b" (for ") && has(b" at "))
}

struct RailsReader;

impl Reader for RailsReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let line = &event[..memchr(b'\n', event).unwrap_or(event.len())];
        if !begins(line) {
            return Err("no request begins here");
        }
        let client = memmem::rfind(line, b"for ").map_or(0, |at| at + 4);
        let at =
            memmem::find(&line[client..], b" at ").map(|at| client + at).ok_or("no time of the request")?;
        rows.text(CLIENT_IP, client, at);
        if let Some(time) = time_near_start(&line[at + 4..], 0) {
            rows.when(&time.when);
        }
        let word = |from: usize| {
            (from, from + event[from..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count())
        };
        let find_after = |mark: &[u8]| memmem::find(event, mark).map(|at| at + mark.len());
        if line.starts_with(b"Started ") {
            let (from, to) = word(b"Started ".len());
            rows.text(METHOD, from, to);
            if let Some(open) = memchr(b'"', &line[to..client])
                && let Some(length) = memchr(b'"', &line[to + open + 1..client])
            {
                rows.text(PATH, to + open + 1, to + open + 1 + length);
            }
            if let Some(at) = find_after(b"\nProcessing by ") {
                let (from, to) = word(at);
                rows.text(ACTION, from, to);
            }
        } else {
            let (from, to) = word(b"Processing ".len());
            rows.text(ACTION, from, to);
            if let Some(open) = memchr::memrchr(b'[', line)
                && let Some(length) = memchr(b']', &line[open..])
            {
                rows.text(METHOD, open + 1, open + length);
            }
        }
        put_outcome(event, rows);
        Ok(Fit::Whole)
    }
}

/// `Completed 200 OK in 12ms` or `Completed in 0.01 (90 reqs/sec) | … | 200 OK [http://…]`.
fn put_outcome(event: &[u8], rows: &mut Rows) {
    let Some(at) = memmem::find(event, b"\nCompleted ").map(|at| at + b"\nCompleted ".len()) else { return };
    let line = &event[at..at + memchr(b'\n', &event[at..]).unwrap_or(event.len() - at)];
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let leading = digits(line) == 3;
    let status = if leading { Some(0) } else { memmem::rfind(line, b" | ").map(|at| at + 3) };
    if let Some(from) = status.filter(|&from| digits(&line[from..]) == 3)
        && let Some(Number::Int(status)) = number(&line[from..from + 3])
    {
        rows.int(STATUS, status);
        rows.set_level(match status {
            500.. => Level::Error,
            400.. => Level::Warn,
            _ => Level::Info,
        });
    }
    let Some(from) = memmem::find(line, b"in ").map(|at| at + 3) else { return };
    let length = line[from..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let scale = if line[from + length..].starts_with(b"ms") { 1.0 } else { 1e3 };
    match number(&line[from..from + length]) {
        Some(Number::Int(value)) => rows.float(DURATION_MS, value as f64 * scale),
        Some(Number::Float(value)) => rows.float(DURATION_MS, value * scale),
        None => {}
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
    fn requests() {
        check(
            "Started GET \"/cart?a=1\" for 10.1.2.3 at 2026-11-21 03:04:05 +0100\nProcessing by CartController#show as HTML\n  Parameters: {}\nCompleted 404 Not Found in 12ms (Views: 3.0ms)\n\n",
            r#"2026-11-21T02:04:05Z warn method="GET" path="/cart?a=1" client_ip="10.1.2.3" action="CartController#show" status=404 duration_ms=12.0"#,
        );
        check(
            "Processing CartController#index (for 10.1.2.3 at 2026-11-21 03:04:05) [POST]\n  Session ID: x\nCompleted in 0.25 (4 reqs/sec) | DB: 0.1 (10%) | 200 OK [http://shop/cart]",
            r#"2026-11-21T03:04:05Z info method="POST" client_ip="10.1.2.3" action="CartController#index" status=200 duration_ms=250.0"#,
        );
        check("Started GET \"/\" for 10.1.2.3 at x", r#"- - method="GET" path="/" client_ip="10.1.2.3""#);
        check("Processing a file", "unparsed: it precedes the first event");
    }
}
