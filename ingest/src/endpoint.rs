//! Addresses with their ports, and numeric times: where the one at a given position of a line ends.

use std::net::{IpAddr, Ipv6Addr};

/// The start and the end of a text within a line.
pub(crate) type TextRange = (usize, usize);

/// The end of a numeric time: `[   12.345678]`, `11/21/26-03:04:05.123`, `11-21 03:04:05.123`.
pub(crate) fn end_of_numbers(event: &[u8], at: usize) -> Option<usize> {
    let run = |from: usize, within: fn(&u8) -> bool| {
        from + event[from..].iter().take(LONGEST_NUMBERS).take_while(|byte| within(byte)).count()
    };
    if event.get(at) == Some(&b'[') {
        let digits = run(at + 1, |byte| *byte == b' ');
        let end = run(digits, |byte| byte.is_ascii_digit() || *byte == b'.');
        let has_point = event[digits..end].contains(&b'.');
        return (has_point && event.get(end) == Some(&b']')).then_some(end + 1);
    }
    let within = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b':' | b'.' | b',');
    let end = run(at, within);
    if end == at || !event[at].is_ascii_digit() {
        return None;
    }
    // The time of day follows a space.
    let clock = run(end, |byte| *byte == b' ');
    let clock_end = run(clock, within);
    let is_clock = event[clock..clock_end].contains(&b':') && !event[at..end].contains(&b':');
    Some(if is_clock { clock_end } else { end })
}

/// No numeric time is longer.
const LONGEST_NUMBERS: usize = 40;

/// An address or host at a position, the digits of its port, and the position after both. A colon separates
/// the port only if an address remains before it, because IPv6 addresses contain colons.
pub(crate) fn endpoint(event: &[u8], at: usize) -> Option<(TextRange, Option<TextRange>, usize)> {
    let within = |byte: &u8| !byte.is_ascii_whitespace() && !b",;()<>\"'[]{}|".contains(byte);
    let run = |from: usize| event[from..].iter().take_while(|byte| within(byte)).count();
    if event.get(at) == Some(&b'[') {
        let end = at + 1 + run(at + 1);
        if event.get(end) != Some(&b']') {
            return None;
        }
        let digits = event[end + 1..].iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        let port = (event.get(end + 1) == Some(&b':') && digits > 0).then_some((end + 2, end + 2 + digits));
        return Some(((at + 1, end), port, port.map_or(end + 1, |(_, to)| to)));
    }
    let mut end = at + run(at);
    if end > at && event[end - 1] == b':' && event[at..end - 1].iter().any(|byte| *byte != b':') {
        end -= 1;
    }
    // An arrow to another address may follow at once.
    end -= usize::from(end > at && event[end - 1] == b'-' && event.get(end) == Some(&b'>'));
    if end == at {
        return None;
    }
    let digits = event[at..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let port = end - digits;
    let splits = (1..=5).contains(&digits) && port > at + 1 && is_port_sign(&event[at..port]);
    if splits { Some(((at, port - 1), Some((port, end)), end)) } else { Some(((at, end), None, end)) }
}

pub(crate) fn is_address(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'.' | b':'))
        && std::str::from_utf8(text).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}

/// Whether digits after this text are a port.
fn is_port_sign(before: &[u8]) -> bool {
    match before.split_last() {
        Some((b'#' | b'/', _)) => true,
        Some((b':', head)) if !head.contains(&b':') => true,
        Some((b':', head)) => std::str::from_utf8(head).is_ok_and(|head| head.parse::<Ipv6Addr>().is_ok()),
        _ => false,
    }
}
