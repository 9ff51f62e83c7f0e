//! The header that precedes the message of an event without a known format: times, levels, record numbers.

use super::atoms::{clock, spelled_date};
use base::limits::MOST_HEADING_WORDS;

const LEVELS: [&[u8]; 16] = [
    b"trace",
    b"debug",
    b"verbose",
    b"info",
    b"information",
    b"notice",
    b"warn",
    b"warning",
    b"err",
    b"error",
    b"severe",
    b"crit",
    b"critical",
    b"fatal",
    b"alert",
    b"emerg",
];

/// An epoch has at least as many digits; shorter numbers may be what the message is about.
const EPOCH_DIGITS: usize = 9;

/// The event's first line after its time and level, if it begins with any.
pub fn without_heading(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let line = text[..end].trim_ascii();
    let mut rest = line;
    for _ in 0..MOST_HEADING_WORDS {
        let Some(length) = heading_word(rest) else { break };
        rest = rest[length..].trim_ascii_start();
    }
    // A line that is nothing but a time is about that time.
    if rest.is_empty() { line } else { rest }
}

fn heading_word(text: &[u8]) -> Option<usize> {
    let open = usize::from(matches!(text.first()?, b'[' | b'(' | b'<' | b'"'));
    if let Some(length) = spelled_date(&text[open..]) {
        return Some(open + length + closing(&text[open + length..]));
    }
    let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let word = text[..length].trim_ascii();
    let is_edge = |byte: &u8| {
        matches!(byte, b'[' | b']' | b'(' | b')' | b'<' | b'>' | b'"' | b',' | b':' | b'|' | b'-')
    };
    let from = word.iter().position(|byte| !is_edge(byte)).unwrap_or(word.len());
    let to = word.iter().rposition(|byte| !is_edge(byte)).map_or(from, |last| last + 1);
    let bare = &word[from..to];
    // A dash or a bar between the parts of a heading.
    let is_heading = if bare.is_empty() { length <= 1 } else { is_time(bare) || is_level(bare) };
    is_heading.then_some(length)
}

fn closing(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b']' | b')' | b'>' | b'"' | b':' | b',')).count()
}

fn is_level(word: &[u8]) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

fn is_time(word: &[u8]) -> bool {
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let commas: Vec<u8> = word.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    let is_epoch = digits >= EPOCH_DIGITS && word.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    is_epoch || clock(&commas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_levels_before_a_message_are_dropped() {
        for (text, expected) in [
            ("2026-03-01 14:05:00,123 ERROR pump stopped", "pump stopped"),
            ("[Sun Dec 04 04:47:44 2005] [notice] pump 2 stopped", "pump 2 stopped"),
            ("2026-03-01T14:05:00Z - pump stopped", "pump stopped"),
            ("1772373900.25 <warn> pump stopped\nat depth 2", "pump stopped"),
            ("error 12 happened", "12 happened"),
            ("14:05:00", "14:05:00"),
            ("12 pumps", "12 pumps"),
            ("", ""),
        ] {
            assert_eq!(without_heading(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}
