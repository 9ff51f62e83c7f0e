//! Finds addresses and the ids of requests and traces within a message.

use std::net::Ipv6Addr;

use memchr::memchr_iter;
use memchr::memmem::{Finder, find};

use crate::endpoint::TextRange;
use crate::limits;

/// The field for an id with such a name, in any spelling.
pub(super) fn field_of_name(name: &[u8]) -> Option<&'static str> {
    let plain: Vec<u8> =
        name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    Some(match &plain[..] {
        b"traceid" | b"xb3traceid" | b"dtraceid" => "trace_id",
        b"spanid" | b"xb3spanid" => "span_id",
        b"requestid" | b"reqid" | b"xrequestid" | b"correlationid" | b"xcorrelationid" => "request_id",
        _ => return None,
    })
}

/// The marks before the ids of a source that are not written as pairs, learned from its sample.
#[derive(Clone, Debug, Default)]
pub(super) struct IdMarks {
    marks: Vec<IdMark>,
}

#[derive(Clone, Debug)]
struct IdMark {
    finder: Finder<'static>,
    field: &'static str,
    /// The mark is part of the id.
    is_part: bool,
}

/// A shorter run of letters and digits is a word, not an id.
const SHORTEST_ID_BYTES: usize = 8;

/// A source has few kinds of ids; each costs a search in every line.
const MOST_MARKS: usize = 3;

impl IdMarks {
    pub(super) fn learn(lines: &[(&[u8], usize)]) -> IdMarks {
        let mut marks: Vec<(Vec<u8>, &'static str, bool)> = Vec::new();
        let mut add = |text: &[u8], field, is_part| {
            if marks.len() < MOST_MARKS && !marks.iter().any(|(known, ..)| known == text) {
                marks.push((text.to_vec(), field, is_part));
            }
        };
        for &(line, from) in lines {
            let rest = &line[from.min(line.len())..];
            for colon in memchr_iter(b':', rest) {
                let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                let name = colon - rest[..colon].iter().rev().take(24).take_while(is_name).count();
                if let Some(field) = field_of_name(&rest[name..colon])
                    && id_at(rest, colon + 1).is_some()
                {
                    add(&rest[name..=colon], field, false);
                }
            }
            // OpenStack's ids contain their own name.
            if let Some(at) = find(rest, b"req-")
                && id_at(rest, at + 4).is_some_and(|(from, to)| to - from == 36)
            {
                add(b"req-", "request_id", true);
            }
        }
        let mark = |(text, field, is_part): (Vec<u8>, _, _)| IdMark {
            finder: Finder::new(&text).into_owned(),
            field,
            is_part,
        };
        IdMarks { marks: marks.into_iter().map(mark).collect() }
    }

    /// The ids of a line: field, start and end.
    pub(super) fn read(
        &self,
        line: &[u8],
        from: usize,
    ) -> impl Iterator<Item = (&'static str, usize, usize)> {
        self.marks.iter().filter_map(move |mark| {
            let at = from + mark.finder.find(line.get(from..)?)?;
            let (start, end) = id_at(line, at + mark.finder.needle().len())?;
            Some((mark.field, if mark.is_part { at } else { start }, end))
        })
    }
}

fn id_at(line: &[u8], mut at: usize) -> Option<(usize, usize)> {
    while matches!(line.get(at), Some(b' ' | b'"' | b'\'' | b'[')) {
        at += 1;
    }
    let rest = line.get(at..)?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let id = &rest[..length];
    (length >= SHORTEST_ID_BYTES && id.iter().any(u8::is_ascii_digit)).then_some((at, at + length))
}

/// Trace and span as tracing libraries write them in brackets: `shop,4bf92f3577b34da6,00f067aa0ba902b7`.
pub(super) fn trace_in_brackets(text: &[u8]) -> Option<(TextRange, TextRange)> {
    let is_hex =
        |id: &[u8], lengths: &[usize]| lengths.contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    let mark = memchr::memrchr2(b',', b'-', text)?;
    let trace = memchr::memrchr2(b',', b'-', &text[..mark]).map_or(0, |mark| mark + 1);
    let fits = is_hex(&text[mark + 1..], &[16]) && is_hex(&text[trace..mark], &[16, 32]);
    fits.then_some(((trace, mark), (mark + 1, text.len())))
}

/// The first IPv4 or IPv6 address in a range of a line that is not a version number.
#[inline]
pub(super) fn address(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let line = &line[..line.len().min(from + limits::PAIRS_WITHIN_BYTES)];
    let four = address_of_four(line, from);
    let six = address_of_six(&line[..four.map_or(line.len(), |(start, _)| start)], from);
    six.or(four)
}

fn address_of_four(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut free_from = from;
    for point in memchr_iter(b'.', line.get(from..)?).map(|at| from + at) {
        let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
        if point <= free_from || !is_digit(point - 1) || !is_digit(point + 1) {
            continue;
        }
        let start =
            point - line[free_from..point].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        match octets(line, start) {
            Some(end) if is_delimited(line, start, end) => return Some((start, end)),
            _ => free_from = point,
        }
    }
    None
}

/// Where four numbers up to 255 with dots between them end.
fn octets(line: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    for part in 0..4 {
        if part > 0 {
            (line.get(at) == Some(&b'.')).then_some(())?;
            at += 1;
        }
        let digits = line[at..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let value = line[at..at + digits].iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        ((1..=3).contains(&digits) && value <= 255 && (digits == 1 || line[at] != b'0')).then_some(())?;
        at += digits;
    }
    Some(at)
}

fn is_delimited(line: &[u8], start: usize, end: usize) -> bool {
    let port = line.get(end) == Some(&b':') && line.get(end + 1).is_some_and(u8::is_ascii_digit);
    let after = line.get(end).copied().unwrap_or(b' ');
    let more = line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
    if after.is_ascii_alphanumeric() || (matches!(after, b'.' | b'-' | b'_' | b'+') && more) {
        return false;
    }
    let Some(before) = start.checked_sub(1).map(|at| line[at]) else { return true };
    match before {
        b'.' | b'_' | b'-' => false,
        // After a name and a slash comes the version of a program, unless there is a port.
        b'/' => port || start < 2 || !line[start - 2].is_ascii_alphanumeric(),
        b' ' => port || !names_version(&line[..start - 1]),
        before => !before.is_ascii_alphanumeric(),
    }
}

fn names_version(before: &[u8]) -> bool {
    let word = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = before[before.len() - word..].to_ascii_lowercase();
    matches!(&word[..], b"version" | b"ver" | b"v" | b"release" | b"build" | b"build number")
}

fn address_of_six(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = line.get(from..)?;
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || **byte == b':';
    let around = |at: usize| {
        let start = at - rest[..at].iter().rev().take(40).take_while(is_part).count();
        let end = at + rest[at..].iter().take(40).take_while(is_part).count();
        let bare = |at: Option<&u8>| {
            at.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'<'))
        };
        let text = &rest[start..end];
        let before = start.checked_sub(1).and_then(|at| rest.get(at));
        // The line of a source file follows two colons: `store.c::2088`.
        let is_address = bare(before)
            && before != Some(&b'.')
            && bare(rest.get(end))
            && text.iter().any(u8::is_ascii_digit)
            && std::str::from_utf8(text).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok());
        is_address.then_some((from + start, from + end))
    };
    let mut colons = 0;
    for at in memchr_iter(b':', rest) {
        colons += 1;
        if rest.get(at + 1) == Some(&b':')
            && let Some(address) = around(at)
        {
            return Some(address);
        }
    }
    // An address with all eight groups has seven colons, more than any time.
    if colons < 7 { None } else { memchr_iter(b':', rest).find_map(around) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let found = address(line.as_bytes(), 0).map_or("", |(from, to)| &line[from..to]);
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn addresses_are_distinguished_from_similar_text() {
        check("from 10.1.2.3:4000 to 10.1.2.4", "10.1.2.3");
        check("/10.1.2.3:22", "10.1.2.3");
        check("host/10.1.2.3:22 up", "10.1.2.3");
        check("src=10.1.2.3, then", "10.1.2.3");
        check("[::1]:80 and 10.1.2.3", "::1");
        check("peer 2001:db8::7f is up", "2001:db8::7f");
        check("peer 2001:db8:0:0:0:0:0:7f", "2001:db8:0:0:0:0:0:7f");
        check("ends with 10.1.2.3.", "10.1.2.3");
        check("Chrome/90.0.1.2 version 1.2.3.4 v1.2.3.4 1.2.3.4.5 1.2.3.4-beta", "");
        check("1.2.3 300.1.1.1 01.2.3.4 10.1.2", "");
        check("std::io::Error at 03:04:05 a::b dead::beef", "");
        check("", "");
    }

    #[test]
    fn ids_after_their_names() {
        let ids = |line: &'static str| {
            let marks = IdMarks::learn(&[(line.as_bytes(), 0)]);
            let ids: Vec<_> = marks
                .read(line.as_bytes(), 0)
                .map(|(field, from, to)| format!("{field}={}", &line[from..to]))
                .collect();
            ids.join(" ")
        };
        assert_eq!(
            ids("START RequestId: 0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11 Version: 1"),
            "request_id=0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11"
        );
        assert_eq!(
            ids("[req-0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11 - -] ok"),
            "request_id=req-0b8e1f6a-1c1d-4d57-9d0e-0d9c1f3e2a11"
        );
        assert_eq!(ids("\"traceId\":\"4bf92f3577b34da6\""), "");
        assert_eq!(ids("traceId: none, request-id: 7"), "");
    }
}
