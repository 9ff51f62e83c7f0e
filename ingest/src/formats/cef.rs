//! CEF and LEEF, the common formats of security devices:
//! `CEF:0|vendor|product|version|id|name|severity|key=value …`, alone on the line or after a syslog header.

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem};

use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::level;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;
use crate::time::When;
use crate::time::field::{FieldTimes, KNOWN, MOST_EVENTS, TimeField, likely_time, mark_chosen};
use crate::time::find::{time_near_start, whole_time};

pub(crate) static FORMAT: Format =
    Format { name: "cef", title: "CEF or LEEF events", learn, reader, ..Format::LINES };

const CEF_HEADER: [&[u8]; 6] =
    [b"device_vendor", b"device_product", b"device_version", b"event_class_id", b"name", b"severity"];
const LEEF_HEADER: [&[u8]; 4] = [b"device_vendor", b"device_product", b"device_version", b"event_class_id"];

/// Keys that contain the event's time, the most reliable first.
const TIME_KEYS: [&[u8]; 7] = [b"rt", b"end", b"start", b"devTime", b"deviceReceiptTime", b"art", b"endTime"];

/// Finds the key that contains the time, if fewer than half of the events have a known one or a header with it.
fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let mut times = FieldTimes::default();
    let (mut events, mut known) = (0, 0);
    for event in sample.split(|&byte| byte == b'\n').take(MOST_EVENTS) {
        let Some(start) = Start::find(event) else { continue };
        let Some(from) = start.header_end(event) else { continue };
        times.event();
        let mut has_known = header_time(event, start.at).is_some();
        start.pairs(event, from).each(event, |key, (from, to)| {
            let value = &event[from..to];
            has_known = has_known || time_rank(key).is_some() && whole_time(value).is_some();
            times.value(key, value);
        });
        events += 1;
        known += usize::from(has_known);
    }
    let weight = |key: &[u8]| if time_rank(key).is_some() { KNOWN } else { 0.0 };
    let mut options = times.options(weight);
    let chosen = setup.time_field.as_deref().and_then(|name| times.named(name));
    let time_field = chosen.or_else(|| if known * 2 < events { times.best(weight) } else { None });
    let used = time_field.as_ref().map(|field| field.name.to_vec()).or_else(|| {
        let known = options.iter().filter_map(|option| Some((time_rank(option.name.as_bytes())?, option)));
        known.min_by_key(|(rank, _)| *rank).map(|(_, option)| option.name.clone().into_bytes())
    });
    mark_chosen(&mut options, &used.unwrap_or_default());
    Learned { time_field: time_field.map(Arc::new), time_options: options.into(), ..Learned::default() }
}

fn time_rank(key: &[u8]) -> Option<usize> {
    TIME_KEYS.iter().position(|known| *known == key)
}

fn reader(setup: &Setup) -> Box<dyn Reader> {
    let time_field = setup.learned.time_field.clone();
    Box::new(CefReader { named: NamedColumns::default(), time_rank: TIME_KEYS.len(), time_field })
}

struct CefReader {
    named: NamedColumns,
    /// Rank of the key that the event's time came from.
    time_rank: usize,
    /// The key that contains the time, if no known one does.
    time_field: Option<Arc<TimeField>>,
}

impl Reader for CefReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        self.named.begin();
        self.time_rank = TIME_KEYS.len();
        let start = Start::find(event).ok_or("not an event in CEF or LEEF")?;
        let end = self.header(event, &start, rows)?;
        self.before(event, start.at, rows);
        start.pairs(event, end).each(event, |key, value| self.pair(event, key, value, rows));
        Ok(Fit::Whole)
    }
}

/// Where an event in one of the formats starts in its line.
#[derive(Clone, Copy)]
struct Start {
    at: usize,
    /// After the name of the format and its colon.
    version: usize,
    /// The names of the values between bars.
    names: &'static [&'static [u8]],
}

impl Start {
    fn find(event: &[u8]) -> Option<Start> {
        let head = &event[..event.len().min(limits::DEVICE_PREFIX_BYTES)];
        let find = |name: &[u8], names| {
            let at =
                memmem::find(head, name).filter(|&at| at == 0 || !head[at - 1].is_ascii_alphanumeric())?;
            Some(Start { at, version: at + name.len(), names })
        };
        find(b"CEF:", &CEF_HEADER).or_else(|| find(b"LEEF:", &LEEF_HEADER))
    }

    /// The position after the version and its bar.
    fn header(&self, event: &[u8]) -> Option<usize> {
        let version = memchr(b'|', &event[self.version..]).filter(|&length| (1..=4).contains(&length));
        Some(self.version + version? + 1)
    }

    /// The position after the last bar of the header.
    fn header_end(&self, event: &[u8]) -> Option<usize> {
        self.names.iter().try_fold(self.header(event)?, |from, _| Some(bar_end(event, from)? + 1))
    }

    /// The pairs from the end of the header.
    fn pairs(&self, event: &[u8], from: usize) -> Pairs {
        if self.names.len() == CEF_HEADER.len() {
            return Pairs { from, delimiter: None };
        }
        let is_second = event[self.version..].starts_with(b"2");
        let (delimiter, from) = if is_second { leef_delimiter(event, from) } else { (b'\t', from) };
        Pairs { from, delimiter: Some(delimiter) }
    }
}

/// The pairs of an event. Without a delimiter their values may contain spaces: a value ends where the next key
/// begins.
struct Pairs {
    from: usize,
    delimiter: Option<u8>,
}

impl Pairs {
    /// Calls with each key and the range of its value, if neither is empty.
    fn each(&self, event: &[u8], mut put: impl FnMut(&[u8], (usize, usize))) {
        let mut pair = |key: (usize, usize), from: usize, to: usize| {
            let (name, value) = (event[key.0..key.1].trim_ascii(), event[from..to].trim_ascii_end());
            if !name.is_empty() && !value.is_empty() {
                put(name, (from, from + value.len()));
            }
        };
        let Some(delimiter) = self.delimiter else {
            let mut open: Option<((usize, usize), usize)> = None;
            for equals in memchr_iter(b'=', &event[self.from..]).map(|length| self.from + length) {
                let least = open.map_or(self.from, |(_, value)| value);
                let Some(key) = key_before(event, least, equals) else { continue };
                if let Some((earlier, value)) = open {
                    pair(earlier, value, key.0);
                }
                open = Some((key, equals + 1));
            }
            if let Some((key, value)) = open {
                pair(key, value, event.len());
            }
            return;
        };
        let mut start = self.from;
        while start < event.len() {
            let end = memchr(delimiter, &event[start..]).map_or(event.len(), |length| start + length);
            if let Some(equals) = memchr(b'=', &event[start..end]).map(|length| start + length) {
                pair((start, equals), equals + 1, end);
            }
            start = end + 1;
        }
    }
}

/// The time of a syslog header before the event, and where it ends.
fn header_time(event: &[u8], to: usize) -> Option<(When, usize)> {
    let after_priority = memchr(b'>', &event[..to.min(5)]).map_or(0, |end| end + 1);
    // The version of RFC 5424.
    let from = after_priority + if event[after_priority..to].starts_with(b"1 ") { 2 } else { 0 };
    let time = time_near_start(&event[from..to], 1)?;
    Some((time.when, from + time.end))
}

impl CefReader {
    /// The version and the values between bars; returns the position after the last bar.
    fn header(&mut self, event: &[u8], start: &Start, rows: &mut Rows) -> Result<usize, &'static str> {
        let mut from = start.header(event).ok_or("no version after the name of the format")?;
        for (index, name) in start.names.iter().enumerate() {
            let bar = bar_end(event, from);
            // The last bar may be missing if nothing follows.
            let to = match bar {
                Some(bar) => bar,
                None if index + 1 == start.names.len() => event.len(),
                None => return Err("its header has too few parts"),
            };
            let value = &event[from..to];
            if *name == b"severity" {
                self.severity(event, from, to, rows);
            } else if value.contains(&b'\\') {
                self.named.rewrite(name, rows, |buffer| resolve(value, buffer));
            } else if from < to {
                self.named.text(name, from, to, rows);
            }
            from = (to + 1).min(event.len());
        }
        Ok(from)
    }

    fn severity(&mut self, event: &[u8], from: usize, to: usize, rows: &mut Rows) {
        if let Some(level) = severity(event[from..to].trim_ascii()) {
            rows.set_level(level);
        }
        self.named.value(b"severity", event, from, to, rows);
    }

    /// A syslog header before the event: its time and its host.
    fn before(&mut self, event: &[u8], to: usize, rows: &mut Rows) {
        let Some((when, end)) = header_time(event, to) else { return };
        rows.when(&when);
        let mut words = event[end..to].split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        if let Some(host) = words.next() {
            let start = host.as_ptr().addr() - event.as_ptr().addr();
            self.named.text(b"host", start, start + host.len(), rows);
        }
    }

    fn pair(&mut self, event: &[u8], name: &[u8], (from, to): (usize, usize), rows: &mut Rows) {
        let value = &event[from..to];
        let found = self.time_field.as_ref().filter(|field| *field.name == *name);
        if let Some(when) = found.and_then(|field| field.read(value)) {
            rows.when(&when);
            self.time_rank = 0;
        } else if !rows.has_time()
            && time_rank(name).is_none()
            && let Some(when) = likely_time(name, value)
        {
            rows.when(&when);
        } else if let Some(rank) = time_rank(name)
            && let Some(when) = whole_time(value).or_else(|| time_near_start(value, 0).map(|time| time.when))
        {
            if rank < self.time_rank {
                rows.when(&when);
                self.time_rank = rank;
            }
        } else if name == b"sev" && rows.level() == Level::None {
            self.severity(event, from, to, rows);
            return;
        }
        if value.contains(&b'\\') {
            self.named.rewrite(name, rows, |buffer| resolve(value, buffer));
        } else {
            self.named.value(name, event, from, to, rows);
        }
    }
}

/// The end of a value of the header: at a bar without a backslash before it.
fn bar_end(event: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr2(b'|', b'\\', event.get(at..)?)?;
        if event[at] == b'|' {
            return Some(at);
        }
        at += 2;
    }
}

/// The key before an equals sign: it follows a space or is at the start, and the sign is not part of a value.
fn key_before(event: &[u8], from: usize, equals: usize) -> Option<(usize, usize)> {
    let is_key =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'[' | b']' | b':');
    let word = event[from..equals].iter().rev().take_while(|&&byte| is_key(byte)).count();
    let start = equals - word;
    let is_separate = start == from || matches!(event[start - 1], b' ' | b'\t' | b'|');
    // Directly after an equals sign it is the start of a value: `request=a=b`.
    let begins_value = start == from && from > 0 && event[from - 1] == b'=';
    (word > 0 && is_separate && !begins_value).then_some((start, equals))
}

/// `|^|` or `|x5E|` after the header of LEEF 2.0; a tab by default.
fn leef_delimiter(event: &[u8], from: usize) -> (u8, usize) {
    let Some(bar) = memchr(b'|', &event[from..]).filter(|&length| length <= 5) else { return (b'\t', from) };
    let delimiter = match &event[from..from + bar] {
        [] => Some(b'\t'),
        [byte] => Some(*byte),
        word => {
            let digits = word.strip_prefix(b"0x").or_else(|| word.strip_prefix(b"x"));
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
        }
    };
    delimiter.map_or((b'\t', from), |delimiter| (delimiter, from + bar + 1))
}

/// Resolves the escapes of both formats: `\=`, `\|`, `\\`, `\n`, `\r`.
fn resolve(value: &[u8], buffer: &mut Vec<u8>) {
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(&next @ (b'=' | b'|' | b'\\'))) => buffer.push(next),
            (b'\\', Some(b'n')) => buffer.push(b'\n'),
            (b'\\', Some(b'r')) => buffer.push(b'\r'),
            _ => {
                buffer.push(byte);
                continue;
            }
        }
        bytes.next();
    }
}

/// Severities are 0 to 10, or words.
fn severity(value: &[u8]) -> Option<Level> {
    Some(match value {
        b"0" | b"1" | b"2" | b"3" => Level::Info,
        b"4" | b"5" | b"6" => Level::Warn,
        b"7" | b"8" => Level::Error,
        b"9" | b"10" => Level::Fatal,
        word if word.eq_ignore_ascii_case(b"low") => Level::Info,
        word => return level::from_risk(word).or_else(|| level::from_word(word)),
    })
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
            r"CEF:0|Acme|Wall\|Guard|1.0|100|Web request|7|src=10.1.2.3 spt=33876 msg=a b\=c and d=e request=https://shop.example/?q=1&r=2 rt=1795230245123",
            r#"2026-11-21T03:04:05.123Z error device_vendor="Acme" device_product="Wall|Guard" device_version="1.0" event_class_id="100" name="Web request" severity=7 src="10.1.2.3" spt=33876 msg="a b=c and" d="e" request="https://shop.example/?q=1&r=2" rt=1795230245123"#,
        );
        check(
            "<134>Nov 21 2026 03:04:05 fw-1 CEF:0|A|B|1|2|n|Very-High|act=drop   ",
            r#"2026-11-21T03:04:05Z fatal device_vendor="A" device_product="B" device_version=1 event_class_id=2 name="n" severity="Very-High" host="fw-1" act="drop""#
                .replace("version=1", "version=\"1\"").replace("id=2", "id=\"2\"").as_str(),
        );
        check(
            "LEEF:1.0|A|B|1|login|src=10.1.2.3\tsev=5\tdevTime=2026-11-21T03:04:05Z\tusrName=Jo Doe",
            r#"2026-11-21T03:04:05Z warn device_vendor="A" device_product="B" device_version="1" event_class_id="login" src="10.1.2.3" severity=5 devTime="2026-11-21T03:04:05Z" usrName="Jo Doe""#,
        );
        check(
            "LEEF:2.0|A|B|1|login|x5E|a=1^b=x y",
            r#"- - device_vendor="A" device_product="B" device_version="1" event_class_id="login" a=1 b="x y""#,
        );
        check("CEF:0|A|B", "unparsed: its header has too few parts");
        check("CEF:", "unparsed: no version after the name of the format");
        check("a NCEF:0|A|B|1|2|n|1|", "unparsed: not an event in CEF or LEEF");
        check(
            "CEF:0|A|B|1|2|n|1|=x =y",
            r#"- info device_vendor="A" device_product="B" device_version="1" event_class_id="2" name="n" severity=1"#,
        );
    }
}
