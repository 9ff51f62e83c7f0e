//! `PostgreSQL`'s stderr log, whatever its prefix contains in addition to the time, and `PgBouncer`'s.

use memchr::{memchr, memmem};

use super::{Fit, Format, Learned, Reader};
use crate::batch::Level;
use crate::named_columns::{Number, number};
use crate::rows::{ColumnKind, Rows, Schema};
use crate::time::find::time_near_start;

pub(crate) static FORMAT: Format = Format {
    name: "postgres",
    title: "PostgreSQL log entries",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| time_near_start(line, 0).is_some()),
    reader: |_| Box::new(PostgresReader),
    ..Format::LINES
};

pub(crate) static BOUNCER: Format = Format {
    name: "pgbouncer",
    title: "PgBouncer log entries",
    columns: COLUMNS,
    learn: |_, _| Learned::starting(|line| time_near_start(line, 0).is_some()),
    reader: |_| Box::new(BouncerReader),
    ..Format::LINES
};

const COLUMNS: Schema = &[
    ("severity", ColumnKind::Text),
    ("pid", ColumnKind::Int),
    ("user", ColumnKind::Text),
    ("database", ColumnKind::Text),
    ("app", ColumnKind::Text),
    ("client_ip", ColumnKind::Text),
    ("session_id", ColumnKind::Text),
    ("session_line", ColumnKind::Int),
    ("sqlstate", ColumnKind::Text),
    ("duration_ms", ColumnKind::Float),
    ("statement", ColumnKind::Text),
    ("message", ColumnKind::Text),
    ("client_port", ColumnKind::Int),
];
const SEVERITY: usize = 0;
const PID: usize = 1;
const USER: usize = 2;
const DATABASE: usize = 3;
const APP: usize = 4;
const CLIENT_IP: usize = 5;
const SESSION_ID: usize = 6;
const SESSION_LINE: usize = 7;
const SQLSTATE: usize = 8;
const DURATION_MS: usize = 9;
const STATEMENT: usize = 10;
const MESSAGE: usize = 11;
const CLIENT_PORT: usize = 12;

/// A longer prefix is a message that happens to contain a severity.
const LONGEST_PREFIX_BYTES: usize = 400;

const NO_TIME: &str = "no time at the start";

/// The words before the message, in the languages that servers are often set to. A word without a level
/// continues the entry before it.
const SEVERITIES: &[(&[u8], Level)] = &[
    (b"LOG", Level::Info),
    (b"ERROR", Level::Error),
    (b"STATEMENT", Level::None),
    (b"DETAIL", Level::None),
    (b"HINT", Level::None),
    (b"CONTEXT", Level::None),
    (b"WARNING", Level::Warn),
    (b"NOTICE", Level::Notice),
    (b"INFO", Level::Info),
    (b"FATAL", Level::Fatal),
    (b"PANIC", Level::Fatal),
    (b"DEBUG", Level::Debug),
    (b"DEBUG1", Level::Debug),
    (b"DEBUG2", Level::Debug),
    (b"DEBUG3", Level::Debug),
    (b"DEBUG4", Level::Debug),
    (b"DEBUG5", Level::Debug),
    (b"QUERY", Level::None),
    (b"LOCATION", Level::None),
    (b"BACKTRACE", Level::None),
    (b"FEHLER", Level::Error),
    (b"WARNUNG", Level::Warn),
    (b"HINWEIS", Level::Notice),
    (b"TIPP", Level::None),
    (b"ANWEISUNG", Level::None),
    (b"ZUSAMMENHANG", Level::None),
    (b"ANFRAGE", Level::None),
    (b"ERREUR", Level::Error),
    (b"ATTENTION", Level::Warn),
    (b"INSTRUCTION", Level::None),
    (b"ASTUCE", Level::None),
    (b"CONTEXTE", Level::None),
    (b"ERRO", Level::Error),
    (b"AVISO", Level::Warn),
    (b"ERRORE", Level::Error),
];

struct PostgresReader;

impl Reader for PostgresReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        let time = time_near_start(event, 0).ok_or(NO_TIME)?;
        let (from, to, level, message) = severity(event, time.end).ok_or("no severity after the prefix")?;
        rows.when(&time.when);
        rows.set_level(level);
        rows.text(SEVERITY, from, to);
        put_prefix(event, time.end, from, rows);
        if event[from..to].starts_with(b"STATEMENT") && message < event.len() {
            rows.text(STATEMENT, message, event.len());
        }
        put_message(event, message, rows);
        Ok(Fit::Whole)
    }
}

/// The range of the severity, its level, and where the message begins.
fn severity(event: &[u8], from: usize) -> Option<(usize, usize, Level, usize)> {
    let end = event.len().min(from + LONGEST_PREFIX_BYTES);
    let line = &event[..memchr(b'\n', &event[from..end]).map_or(end, |length| from + length)];
    memmem::find_iter(&line[from..], b":  ").find_map(|at| {
        let colon = from + at;
        // French has a space before the colon.
        let to = colon - usize::from(line[colon - 1] == b' ');
        let length = line[from..to].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let word = &line[to - length..to];
        let &(_, level) = SEVERITIES.iter().find(|(name, _)| *name == word)?;
        Some((to - length, to, level, colon + 3))
    })
}

/// Adds the fields of a prefix: named values, and values that are recognised by their shape.
fn put_prefix(event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    let mut at = from;
    let mut has_pid = false;
    let mut has_app = false;
    while at < to {
        let length =
            event[at..to].iter().position(|byte| matches!(byte, b' ' | b',' | b':')).unwrap_or(to - at);
        let (start, end) = without_brackets(event, at, at + length);
        at += length + 1;
        let token = &event[start..end];
        if token.is_empty() || matches!(token, b"-" | b"[unknown]") {
            continue;
        }
        if let Some(sign) = memchr(b'=', token) {
            has_pid |= put_named(&event[start..start + sign], event, start + sign + 1, end, rows);
        } else if let Some(pid) = pid(token).filter(|_| !has_pid) {
            rows.int(PID, pid);
            has_pid = true;
        } else if let Some(dash) = memchr(b'-', token)
            && let (Some(first), Some(second)) = (pid(&token[..dash]), pid(&token[dash + 1..]))
        {
            // After the process it is the line number and an unused number; otherwise `process-line`.
            rows.int(SESSION_LINE, if has_pid { first } else { second });
            if !has_pid {
                rows.int(PID, first);
                has_pid = true;
            }
        } else if let Some(sign) = memchr::memrchr(b'@', token) {
            put_text(USER, event, start, start + sign, rows);
            put_text(DATABASE, event, start + sign + 1, end, rows);
        } else if is_session_id(token) {
            rows.text(SESSION_ID, start, end);
        } else if is_address(token) {
            put_client(event, start, end, rows);
        } else if token.len() == 5
            && token.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        {
            rows.text(SQLSTATE, start, end);
        } else if !has_app && start > from + 5 && token.iter().any(u8::is_ascii_lowercase) {
            rows.text(APP, start, end);
            has_app = true;
        }
    }
}

fn without_brackets(event: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    if event[start..end].contains(&b'@') {
        return (start, end);
    }
    while start < end && matches!(event[start], b'[' | b'(' | b'<') {
        start += 1;
    }
    while end > start && matches!(event[end - 1], b']' | b'>') {
        end -= 1;
    }
    (start, end)
}

/// Returns whether the value is the process.
fn put_named(name: &[u8], event: &[u8], from: usize, to: usize, rows: &mut Rows) -> bool {
    let column = match name {
        b"user" | b"u" | b"usr" => USER,
        b"db" | b"database" | b"d" => DATABASE,
        b"app" | b"application" | b"application_name" | b"a" => APP,
        b"client" | b"host" | b"remote" | b"h" | b"r" => {
            put_client(event, from, to, rows);
            return false;
        }
        b"session" | b"sess" | b"c" => SESSION_ID,
        b"sqlstate" | b"state" | b"e" => SQLSTATE,
        b"pid" | b"p" => {
            if let Some(pid) = pid(&event[from..to]) {
                rows.int(PID, pid);
            }
            return true;
        }
        _ => return false,
    };
    put_text(column, event, from, to, rows);
    false
}

fn put_text(column: usize, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    if from < to && &event[from..to] != b"[unknown]" {
        rows.text(column, from, to);
    }
}

/// `10.1.2.3(4711)`, `[local]`.
fn put_client(event: &[u8], from: usize, to: usize, rows: &mut Rows) {
    let open = memchr(b'(', &event[from..to]).map(|length| from + length);
    put_text(CLIENT_IP, event, from, open.unwrap_or(to), rows);
    if let Some(open) = open
        && let Some(port) = event[open + 1..to].strip_suffix(b")").and_then(pid)
    {
        rows.int(CLIENT_PORT, port);
    }
}

fn pid(text: &[u8]) -> Option<i64> {
    match number(text) {
        Some(Number::Int(value)) if value >= 0 && text.len() < 10 => Some(value),
        _ => None,
    }
}

fn is_session_id(token: &[u8]) -> bool {
    let Some(point) = memchr(b'.', token) else { return false };
    token.len() >= 8
        && token[..point].len() >= 6
        && token[..point].iter().all(u8::is_ascii_hexdigit)
        && token[point + 1..].iter().all(u8::is_ascii_hexdigit)
}

fn is_address(token: &[u8]) -> bool {
    let host = &token[..memchr(b'(', token).unwrap_or(token.len())];
    token == b"local"
        || (memchr::memchr_iter(b'.', host).count() == 3
            && host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

/// `duration: 1.5 ms  statement: SELECT 1`, `execute x: SELECT 1`, or any text.
fn put_message(event: &[u8], from: usize, rows: &mut Rows) {
    let message = &event[from.min(event.len())..];
    if message.is_empty() {
        return;
    }
    rows.text(MESSAGE, from, event.len());
    let mut rest = message;
    if let Some(duration) = message.strip_prefix(b"duration: ") {
        let length = memchr(b' ', duration).unwrap_or(duration.len());
        match number(&duration[..length]) {
            Some(Number::Int(value)) => rows.float(DURATION_MS, value as f64),
            Some(Number::Float(value)) => rows.float(DURATION_MS, value),
            None => {}
        }
        rest = duration[length..].strip_prefix(b" ms").unwrap_or(&duration[length..]).trim_ascii_start();
    }
    let is_statement =
        [&b"statement: "[..], b"execute ", b"parse ", b"bind "].iter().any(|kind| rest.starts_with(kind));
    if is_statement && let Some(colon) = memmem::find(rest, b": ") {
        rows.text(STATEMENT, event.len() - rest.len() + colon + 2, event.len());
    }
}

struct BouncerReader;

impl Reader for BouncerReader {
    /// `2026-11-21 03:04:05.123 UTC [12] LOG C-0x7f: shop/bob@10.1.2.3:4711 login attempt: …`
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        const NO_LEVEL: &str = "no process and level after the time";
        let time = time_near_start(event, 0).ok_or(NO_TIME)?;
        let open =
            event[time.end..].iter().take(8).position(|byte| *byte == b'[').ok_or(NO_LEVEL)? + time.end;
        let close = memchr(b']', &event[open..]).ok_or(NO_LEVEL)? + open;
        let pid = pid(&event[open + 1..close]).ok_or(NO_LEVEL)?;
        let word = close + 2;
        let length = event.get(word..).and_then(|rest| memchr(b' ', rest)).ok_or(NO_LEVEL)?;
        let level = match &event[word..word + length] {
            b"FATAL" => Level::Fatal,
            b"ERROR" => Level::Error,
            b"WARNING" => Level::Warn,
            b"LOG" | b"INFO" => Level::Info,
            b"DEBUG" => Level::Debug,
            b"NOISE" => Level::Trace,
            _ => return Err(NO_LEVEL),
        };
        rows.when(&time.when);
        rows.set_level(level);
        rows.int(PID, pid);
        rows.text(SEVERITY, word, word + length);
        let text = word + length + 1;
        let Some(message) = put_socket(event, text, rows) else {
            rows.text(MESSAGE, text, event.len());
            let is_own = matches!(&event[word..word + length], b"LOG" | b"NOISE");
            return Ok(if is_own { Fit::Whole } else { Fit::Partly });
        };
        rows.text(MESSAGE, message, event.len());
        Ok(Fit::Whole)
    }
}

/// `C-0x7f: shop/bob@10.1.2.3:4711 `; returns the position after it.
fn put_socket(event: &[u8], from: usize, rows: &mut Rows) -> Option<usize> {
    let rest = &event[from..];
    if !(rest.starts_with(b"C-") || rest.starts_with(b"S-")) {
        return None;
    }
    let colon = from + memchr(b':', rest)?;
    let slash = colon + memchr(b'/', &event[colon..])?;
    let sign = slash + memchr(b'@', &event[slash..])?;
    let end = sign + memchr(b' ', &event[sign..])?;
    let port = sign + memchr::memrchr(b':', &event[sign..end])?;
    rows.text(SESSION_ID, from, colon);
    let none = |from: usize, to: usize| matches!(&event[from..to], b"(nodb)" | b"(nouser)" | b"");
    for (column, from, to) in
        [(DATABASE, colon + 2, slash), (USER, slash + 1, sign), (CLIENT_IP, sign + 1, port)]
    {
        if from < to && !none(from, to) {
            rows.text(column, from, to);
        }
    }
    if let Some(number) = pid(&event[port + 1..end]) {
        rows.int(CLIENT_PORT, number);
    }
    Some(end + 1)
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
    fn prefixes() {
        check(
            "2026-11-21 03:04:05.123 UTC [12] LOG:  ready",
            r#"2026-11-21T03:04:05.123Z info severity="LOG" pid=12 message="ready""#,
        );
        check(
            "2026-11-21 03:04:05 UTC [12-3] bob@shop ERROR:  no: such  \n\ttable",
            "2026-11-21T03:04:05Z error severity=\"ERROR\" pid=12 user=\"bob\" database=\"shop\" session_line=3 message=\"no: such  \\n\\ttable\"",
        );
        check(
            "2026-11-21 03:04:05 UTC [20]: [4-1] user=bob,db=shop,app=pgbench,client=10.1.2.3 LOG:  duration: 2.280 ms  statement: END;",
            r#"2026-11-21T03:04:05Z info severity="LOG" pid=20 user="bob" database="shop" app="pgbench" client_ip="10.1.2.3" session_line=4 duration_ms=2.28 statement="END;" message="duration: 2.280 ms  statement: END;""#,
        );
        check(
            "2026-11-21 03:04:05 UTC:10.1.2.3(4711):bob@shop:[12]:STATEMENT:  SELECT 1",
            r#"2026-11-21T03:04:05Z - severity="STATEMENT" pid=12 user="bob" database="shop" client_ip="10.1.2.3" statement="SELECT 1" message="SELECT 1" client_port=4711"#,
        );
        check(
            "2026-11-21 03:04:05 UTC [12] [6741c2a5.c] 42P01 [unknown]@[unknown] FATAL:  no",
            r#"2026-11-21T03:04:05Z fatal severity="FATAL" pid=12 session_id="6741c2a5.c" sqlstate="42P01" message="no""#,
        );
        check(
            "2026-11-21 03:04:05 UTC [12] ERREUR :  non",
            r#"2026-11-21T03:04:05Z error severity="ERREUR" pid=12 message="non""#,
        );
    }

    #[test]
    fn broken_lines() {
        check("LOG:  no time", "unparsed: it precedes the first event");
        check("2026-11-21 03:04:05 UTC [12] LOG: one space", "unparsed: no severity after the prefix");
        check("2026-11-21 03:04:05", "unparsed: no severity after the prefix");
        check("2026-11-21 03:04:05:  ", "unparsed: no severity after the prefix");
    }

    #[test]
    fn pgbouncer() {
        let check = |line, expected| assert_eq!(render(&BOUNCER, line), expected, "{line}");
        check(
            "2026-11-21 03:04:05.123 UTC [12] LOG C-0x7f3b: shop/bob@10.1.2.3:4711 closing because: done (age=5s)",
            r#"2026-11-21T03:04:05.123Z info severity="LOG" pid=12 user="bob" database="shop" client_ip="10.1.2.3" session_id="C-0x7f3b" message="closing because: done (age=5s)" client_port=4711"#,
        );
        check(
            "2026-11-21 03:04:05.123 UTC [12] WARNING C-0x7f3b: (nodb)/(nouser)@unix:6432 x",
            r#"2026-11-21T03:04:05.123Z warn severity="WARNING" pid=12 client_ip="unix" session_id="C-0x7f3b" message="x" client_port=6432"#,
        );
        check(
            "2026-11-21 03:04:05.123 UTC [12] LOG stats: 3 xacts/s",
            r#"2026-11-21T03:04:05.123Z info severity="LOG" pid=12 message="stats: 3 xacts/s""#,
        );
        check("2026-11-21 03:04:05.123 UTC [main] LOG x", "unparsed: no process and level after the time");
        check("2026-11-21 03:04:05.123 UTC [12]", "unparsed: no process and level after the time");
    }
}
