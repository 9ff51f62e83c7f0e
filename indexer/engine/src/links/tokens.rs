//! Values in running text that can be ids, each with the word before it: `order=42310`, `order 42310`.

use std::ops::Range;

/// A value of fewer bytes is found in too many places to say anything.
pub const LEAST_BYTES: usize = 4;
pub const MOST_BYTES: usize = 128;
const LONGEST_WORD: usize = 40;

/// Bytes that may lie between a word and the value it names: `order = "42310`.
const LONGEST_GAP: usize = 4;

/// Endings that make a measured amount of a number: `286ms`, `5000b`.
const UNITS: [&str; 14] = ["ns", "us", "ms", "s", "m", "h", "d", "b", "k", "kb", "mb", "gb", "x", "px"];

/// Calls `each` with the word before a value (empty if there is none) and the value.
pub fn each_value<'t>(text: &'t [u8], mut each: impl FnMut(&'t [u8], &'t [u8])) {
    let (mut at, mut word) = (0, 0..0);
    while let Some(token) = next_token(text, at) {
        at = token.end;
        let value = &text[token.clone()];
        if is_word(value) {
            word = token;
            continue;
        }
        if is_id(value) {
            let gap = token.start - word.end;
            let is_named = !word.is_empty() && gap <= LONGEST_GAP && joins(&text[word.end..token.start]);
            each(if is_named { &text[word.clone()] } else { &[] }, value);
        }
        word = 0..0;
    }
}

/// The next run of bytes that a value may consist of, without marks at its ends.
fn next_token(text: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].iter().position(u8::is_ascii_alphanumeric)?;
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = text[start..].iter().position(|byte| !inner(byte)).unwrap_or(text.len() - start);
    let last = text[start..start + length].iter().rposition(u8::is_ascii_alphanumeric).unwrap_or(0);
    Some(start..start + last + 1)
}

fn is_word(token: &[u8]) -> bool {
    token.len() <= LONGEST_WORD && !token.iter().any(u8::is_ascii_digit)
}

/// Marks that lead from a word to its value; a comma or the end of a sentence does not.
fn joins(gap: &[u8]) -> bool {
    gap.iter().all(|byte| matches!(byte, b' ' | b'=' | b':' | b'#' | b'"' | b'\'' | b'[' | b'(' | b'/'))
}

/// A value that can name one thing among many. Dates, amounts and fractions do not.
pub fn is_id(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || !(LEAST_BYTES..=MOST_BYTES).contains(&value.len()) || has_space(value) {
        return false;
    }
    !is_fraction(value) && !is_date(value) && !is_amount(value)
}

pub fn has_space(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace)
}

fn is_fraction(value: &[u8]) -> bool {
    value.split(|&byte| byte == b'.').count() == 2
        && value.iter().all(|&byte| byte == b'.' || byte.is_ascii_digit())
}

fn is_date(value: &[u8]) -> bool {
    let is_digits =
        |part: &[u8], most: usize| (1..=most).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    // The time of day may follow.
    let date = value.split(|byte| *byte == b'T').next().unwrap_or(value);
    let parts: Vec<&[u8]> = date.split(|byte| matches!(byte, b'-' | b'.')).collect();
    matches!(parts[..], [first, month, last] if is_digits(first, 4) && is_digits(month, 2) && is_digits(last, 4))
}

fn is_amount(value: &[u8]) -> bool {
    let end = value.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').unwrap_or(value.len());
    let unit = &value[end..];
    end > 0 && !unit.is_empty() && UNITS.iter().any(|known| unit.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let owned = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        each_value(text.as_bytes(), |word, value| found.push((owned(word), owned(value))));
        found
    }

    #[test]
    fn a_value_has_the_word_before_it() {
        let expected = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(word, value)| ((*word).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        for (text, found) in [
            ("order 47345 packed in 286 ms", &[("order", "47345")][..]),
            ("could not be stored, trace_id=1b72c3ff", &[("trace_id", "1b72c3ff")]),
            ("user=\"u3969\" order: #42310.", &[("user", "u3969"), ("order", "42310")]),
            (
                "done. 42310 left, 10.0.0.12 from [4bf9-22a1]",
                &[("", "42310"), ("", "10.0.0.12"), ("from", "4bf9-22a1")],
            ),
            ("took 5000ms on 2026-03-03, 2026-03-03T10 12.75 of 12", &[]),
            ("", &[]),
        ] {
            assert_eq!(values(text), expected(found), "{text}");
        }
    }
}
