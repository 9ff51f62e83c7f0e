//! Access logs of Apache, nginx and others: common and combined format, perhaps with a virtual host in front,
//! perhaps with more fields at the end ([`extra`]).

mod extra;

use self::extra::Extra;
use memchr::memchr;

use super::{Fit, Format, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::stamp::day_month_year;

pub(crate) static FORMAT: Format = Format {
    name: "access",
    title: "access log lines",
    weight: 1.0,
    columns: COLUMNS,
    reader,
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("vhost", ColumnKind::Text),
    ("client_ip", ColumnKind::Text),
    ("ident", ColumnKind::Text),
    ("user", ColumnKind::Text),
    ("method", ColumnKind::Text),
    ("path", ColumnKind::Text),
    ("protocol", ColumnKind::Text),
    ("status", ColumnKind::Int),
    ("bytes", ColumnKind::Int),
    ("referer", ColumnKind::Text),
    ("user_agent", ColumnKind::Text),
];
const VHOST: usize = 0;
const CLIENT_IP: usize = 1;
const IDENT: usize = 2;
const USER: usize = 3;
const METHOD: usize = 4;
const PATH: usize = 5;
const PROTOCOL: usize = 6;
const STATUS: usize = 7;
const BYTES: usize = 8;
const REFERER: usize = 9;
const USER_AGENT: usize = 10;

fn reader(_: &Setup) -> Box<dyn Reader> {
    Box::new(AccessReader::default())
}

#[derive(Default)]
struct AccessReader {
    extra: Extra,
}

impl Reader for AccessReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let bracket = time_bracket(event).ok_or("no [time] of an access log")?;
        let (stamp, end) = day_month_year(event, bracket + 1).ok_or("no [time] of an access log")?;
        if !event[end..].starts_with(b"] \"") {
            return Err("no request in quotes after the time");
        }
        rows.stamp(&stamp);
        let (level, start) = logger(event);
        client(event, start, bracket, rows);
        let from = end + 3;
        let to = closing_quote(event, from).ok_or("the request's quotes are not closed")?;
        request(event, from, to, rows);
        let next = status_and_bytes(event, to + 1, rows)?;
        if let Some(level) = level {
            rows.set_level(level);
        }
        let next = referer_and_agent(event, next, rows);
        if next < event.len() {
            self.extra.read(event, next, rows);
        }
        Ok(Fit::Whole)
    }
}

/// The bracket before the time; a host in front of it may be an IPv6 address in brackets of its own.
#[inline]
fn time_bracket(event: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr(b'[', &event[from..])?;
        if event.get(at + 1).is_some_and(u8::is_ascii_digit) && event.get(at + 3) == Some(&b'/') {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The level before the name of a logger that wrote the line, and where the line itself starts:
/// `INFO:werkzeug:10.1.2.3 - - […`.
#[inline]
fn logger(event: &[u8]) -> (Option<Level>, usize) {
    if !event[0].is_ascii_uppercase() {
        return (None, 0);
    }
    let mut parts = event[..event.len().min(LONGEST_LOGGER)].splitn(3, |byte| *byte == b':');
    let (Some(word), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return (None, 0);
    };
    let level = level::from_word(word).filter(|_| !name.contains(&b' '));
    (level, level.map_or(0, |_| word.len() + name.len() + 2))
}

/// The longest level with the name of its logger.
const LONGEST_LOGGER: usize = 80;

/// The words before the time: `[vhost] client ident user`. A user's name may contain spaces.
fn client(event: &[u8], start: usize, bracket: usize, rows: &mut Rows) {
    let mut words = [(0, 0); 4];
    let mut count = 0;
    let mut at = start;
    while at < bracket && count < words.len() {
        let end = at + memchr(b' ', &event[at..bracket]).unwrap_or(bracket - at);
        if end > at {
            words[count] = (at, end);
            count += 1;
        }
        at = end + 1;
    }
    let word = |(from, to): (usize, usize)| &event[from..to];
    // The client precedes the ident, which is nearly always a dash.
    let mut first = 0;
    if count == 4 && word(words[1]) != b"-" && word(words[2]) == b"-" {
        let (from, to) = words[0];
        if event[to - 1] == b',' {
            // Proxies write the address of every hop; the first is the client's.
            rows.text(CLIENT_IP, from, to - 1);
        } else {
            rows.text(VHOST, from, to);
        }
        first = 1;
    }
    if count > first && !(first == 1 && event[words[0].1 - 1] == b',') {
        rows.text(CLIENT_IP, words[first].0, words[first].1);
    }
    if count > first + 1 && word(words[first + 1]) != b"-" {
        rows.text(IDENT, words[first + 1].0, words[first + 1].1);
    }
    if count > first + 2 {
        let from = words[first + 2].0;
        let to = bracket - usize::from(event[bracket - 1] == b' ');
        put_unless_dash(event, USER, from, to, rows);
    }
}

/// The quote that closes a text; quotes after a backslash are part of the text.
#[inline]
fn closing_quote(event: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'"', event.get(at..)?)?;
        let backslashes = event[from..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 0 {
            return Some(at);
        }
        at += 1;
    }
}

/// `GET /path HTTP/1.1`, or whatever else a client sent, which is then kept as the path.
fn request(event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    let text = &event[from..to];
    let method = memchr(b' ', text).unwrap_or(text.len());
    let is_method = (1..=24).contains(&method)
        && text[..method].iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
    if !is_method || method == text.len() {
        put_unless_dash(event, PATH, from, to, rows);
        return;
    }
    rows.text(METHOD, from, from + method);
    let rest = from + method + 1;
    match memchr::memrchr(b' ', &event[rest..to]) {
        Some(space) if is_protocol(&event[rest + space + 1..to]) => {
            rows.text(PATH, rest, rest + space);
            rows.text(PROTOCOL, rest + space + 1, to);
        }
        _ => rows.text(PATH, rest, to),
    }
}

fn is_protocol(text: &[u8]) -> bool {
    let slash = text.iter().position(|&byte| byte == b'/');
    slash.is_some_and(|slash| slash > 0 && text[..slash].iter().all(u8::is_ascii_uppercase))
}

/// ` 200 5012` after the request; returns the position after it.
fn status_and_bytes(event: &[u8], at: usize, rows: &mut Rows) -> Result<usize, &'static str> {
    let broken = "no status after the request";
    let status = event.get(at..at + 4).ok_or(broken)?;
    if status[0] != b' ' || !status[1..].iter().all(u8::is_ascii_digit) {
        return Err(broken);
    }
    let status = status[1..].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    rows.int(STATUS, status);
    rows.set_level(level::from_http_status(status));
    let mut next = at + 5;
    if event.get(at + 4) != Some(&b' ') {
        return if event.len() == at + 4 { Ok(event.len()) } else { Err(broken) };
    }
    if event.get(next) == Some(&b'-') {
        return Ok(next + 1);
    }
    let mut size: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = event.get(next) {
        size = size.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        next += 1;
    }
    let alone = event.get(next).is_none_or(|&byte| byte == b' ');
    if next > at + 5 && alone {
        rows.int(BYTES, size);
    }
    Ok(next)
}

/// The two quoted texts directly after the numbers, if present; returns the position after them.
fn referer_and_agent(event: &[u8], mut at: usize, rows: &mut Rows) -> usize {
    for column in [REFERER, USER_AGENT] {
        if event.get(at..at + 2) != Some(b" \"") {
            return at;
        }
        let from = at + 2;
        // A truncated line still has the start of the agent.
        let to = closing_quote(event, from).unwrap_or(event.len());
        put_unless_dash(event, column, from, to, rows);
        at = (to + 1).min(event.len());
    }
    at
}

fn put_unless_dash(event: &[u8], column: usize, from: usize, to: usize, rows: &mut Rows) {
    if from < to && &event[from..to] != b"-" {
        rows.text(column, from, to);
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
    fn fields_after_a_missing_byte_count_are_kept() {
        check(
            r#"10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 304 - "-" "curl/8.5""#,
            r#"2026-11-21T03:04:05Z info client_ip="10.1.2.3" method="GET" path="/" protocol="HTTP/1.1" status=304 user_agent="curl/8.5""#,
        );
    }

    #[test]
    fn sample_lines() {
        check(
            r#"10.1.2.3 - - [21/Nov/2026:03:04:05 +0100] "GET /cart?id=7 HTTP/1.1" 200 5012 "https://shop.example/" "Mozilla/5.0 (X11)""#,
            r#"2026-11-21T02:04:05Z info client_ip="10.1.2.3" method="GET" path="/cart?id=7" protocol="HTTP/1.1" status=200 bytes=5012 referer="https://shop.example/" user_agent="Mozilla/5.0 (X11)""#,
        );
        check(
            r#"::1 - frank [10/Oct/2026:13:55:36 -0700] "POST /login HTTP/2.0" 401 -"#,
            r#"2026-10-10T20:55:36Z warn client_ip="::1" user="frank" method="POST" path="/login" protocol="HTTP/2.0" status=401"#,
        );
        check(
            r#"shop.example:443 10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 502 0 "-" "curl/8.0 \"beta\"" "10.9.9.9" rt=0.004"#,
            r#"2026-11-21T03:04:05Z error vhost="shop.example:443" client_ip="10.1.2.3" method="GET" path="/" protocol="HTTP/1.1" status=502 bytes=0 user_agent="curl/8.0 \\\"beta\\\"" forwarded_for="10.9.9.9" duration_ms=4.0"#,
        );
        check(
            r#"10.0.0.9, 10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "GET /a b HTTP/1.0" 304 0"#,
            r#"2026-11-21T03:04:05Z info client_ip="10.0.0.9" method="GET" path="/a b" protocol="HTTP/1.0" status=304 bytes=0"#,
        );
        check(
            r#"10.1.2.3 id Jo Doe [21/Nov/2026:03:04:05 +0000] "\x16\x03\x01" 400 150 "-" "-""#,
            r#"2026-11-21T03:04:05Z warn client_ip="10.1.2.3" ident="id" user="Jo Doe" path="\\x16\\x03\\x01" status=400 bytes=150"#,
        );
        check(
            r#"10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "-" 408 -"#,
            r#"2026-11-21T03:04:05Z warn client_ip="10.1.2.3" status=408"#,
        );
        check(
            r#"[2001:db8::1]:80 10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 200"#,
            r#"2026-11-21T03:04:05Z info vhost="[2001:db8::1]:80" client_ip="10.1.2.3" method="GET" path="/" protocol="HTTP/1.1" status=200"#,
        );
    }

    #[test]
    fn fields_that_servers_append() {
        let line = |extra: &str| {
            let line = format!(r#"10.1.2.3 - - [21/Nov/2026:03:04:05 +0000] "GET / HTTP/1.1" 200 5{extra}"#);
            let rendered = render(&FORMAT, &line);
            rendered
                .split_once(" bytes=5")
                .map(|(_, extra)| extra.trim_start().to_string())
                .unwrap_or(rendered)
        };
        for (extra, expected) in [
            (r#" "-" "x" "-""#, r#"user_agent="x""#),
            (r#" "-" "x" 0.123 0.120"#, r#"user_agent="x" duration_ms=123.0 upstream_ms=120.0"#),
            (
                r#" "-" "x" rt=0.250 uct="0.001" uht="-" urt="0.240""#,
                r#"user_agent="x" duration_ms=250.0 uct=0.001 urt=0.24"#,
            ),
            (
                r#" "-" "x" "10.9.9.9, 10.8.8.8" 0.5"#,
                r#"user_agent="x" forwarded_for="10.9.9.9, 10.8.8.8" duration_ms=500.0"#,
            ),
            (
                r#" "-" "-" 42 "shop@docker" "http://10.0.0.2:80" 12ms"#,
                r#"router="shop@docker" upstream="http://10.0.0.2:80" duration_ms=12.0"#,
            ),
            (r#" "-" "x" TCP_MISS:HIER_DIRECT"#, r#"user_agent="x" cache_result="TCP_MISS:HIER_DIRECT""#),
            (r#" "-" "x" 1234"#, r#"user_agent="x" time_taken=1234"#),
            (" 17", "time_taken=17"),
            (r#" "-" "x" "open"#, r#"user_agent="x""#),
        ] {
            assert_eq!(line(extra), expected, "{extra}");
        }
    }

    #[test]
    fn broken_lines() {
        check("hello", "unparsed: no [time] of an access log");
        check("[", "unparsed: no [time] of an access log");
        check("a - - [21/Nov/2026:03:04:05 +0000] GET /", "unparsed: no request in quotes after the time");
        check(
            r#"a - - [21/Nov/2026:03:04:05 +0000] "GET / HT"#,
            "unparsed: the request's quotes are not closed",
        );
        check(r#"a - - [21/Nov/2026:03:04:05 +0000] "GET /" x"#, "unparsed: no status after the request");
    }
}
