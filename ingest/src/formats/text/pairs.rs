//! `key=value` pairs within a message. The names that become fields are learned from the sample.

use std::collections::HashMap;

use memchr::{memchr, memchr_iter};

use super::ids;
use crate::batch::Level;
use crate::level;
use crate::limits;
use crate::named_columns::NamedColumns;
use crate::pairs::may_be_field;
use crate::rows::Rows;

/// The names that are fields of a source, each with its field name.
#[derive(Clone, Debug, Default)]
pub(super) struct PairNames {
    names: HashMap<Box<[u8]>, Box<[u8]>>,
}

/// A longer name is part of a text, not a name.
const LONGEST_NAME_BYTES: usize = 40;

/// A name that occurs only once in a sample of this many lines is regarded as an accident.
const FEW_LINES: usize = 20;

/// A pair, with the ranges of its parts.
struct Pair {
    name: (usize, usize),
    value: (usize, usize),
}

impl PairNames {
    pub(super) fn learn(lines: &[(&[u8], usize)]) -> PairNames {
        let mut counts: HashMap<&[u8], (usize, usize)> = HashMap::new();
        for &(line, from) in lines {
            each_pair(line, from, |pair| {
                let order = counts.len();
                let name = &line[pair.name.0..pair.name.1];
                counts.entry(name).or_insert((0, order)).0 += 1;
            });
        }
        let fewest = if lines.len() < FEW_LINES { 1 } else { 2 };
        let mut names: Vec<(&[u8], (usize, usize))> =
            counts.into_iter().filter(|(name, (count, _))| *count >= fewest && may_be_field(name)).collect();
        names.sort_by_key(|&(_, (count, order))| (std::cmp::Reverse(count), order));
        names.truncate(limits::MOST_PAIR_NAMES);
        let field = |name: &[u8]| ids::field_of_name(name).map_or(name, str::as_bytes).into();
        PairNames { names: names.into_iter().map(|(name, _)| (name.into(), field(name))).collect() }
    }

    /// Adds the pairs in a range of the line.
    #[inline]
    pub(super) fn read(&self, line: &[u8], from: usize, named: &mut NamedColumns, rows: &mut Rows) {
        if self.names.is_empty() {
            return;
        }
        each_pair(line, from, |pair| {
            if let Some(field) = self.names.get(&line[pair.name.0..pair.name.1]) {
                let (from, to) = pair.value;
                named.value(field, line, from, to, rows);
                if rows.level() == Level::None
                    && matches!(&**field, b"pri" | b"priority" | b"severity")
                    && let Some(level) = level::from_word(&line[from..to])
                {
                    rows.set_level(level);
                }
            }
        });
    }
}

/// Every certain pair: a bare name before the sign, and after it a text in quotes or without spaces.
#[inline]
fn each_pair<'a>(line: &'a [u8], from: usize, mut found: impl FnMut(Pair) + 'a) {
    let line = &line[..line.len().min(from + limits::PAIRS_WITHIN_BYTES)];
    let Some(rest) = line.get(from..) else { return };
    let mut free_from = from;
    // Bars separate the pairs of a list whose values may contain spaces, up to the end of the line.
    let mut is_barred = false;
    for sign in memchr_iter(b'=', rest).map(|at| from + at) {
        if sign < free_from {
            continue;
        }
        let Some(name) = name_before(line, free_from, sign) else { continue };
        let bar = memchr(b'|', &line[sign..]).map(|length| sign + length);
        let after_bar = name.0 > 0 && line[name.0 - 1] == b'|';
        let barred = after_bar && (bar.is_some() || is_barred);
        is_barred |= after_bar && bar.is_some();
        let found_value = if barred { barred_value(line, sign + 1, bar) } else { value_at(line, sign + 1) };
        let Some((value, next)) = found_value else { continue };
        free_from = next;
        found(Pair { name, value });
    }
}

/// The value up to the next bar or the end of the line.
fn barred_value(line: &[u8], at: usize, bar: Option<usize>) -> Option<((usize, usize), usize)> {
    let end = bar.unwrap_or(at + line[at..].trim_ascii_end().len());
    (at < end).then_some(((at, end), end))
}

#[inline]
fn name_before(line: &[u8], from: usize, sign: usize) -> Option<(usize, usize)> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let length =
        line[from..sign].iter().rev().take(LONGEST_NAME_BYTES + 1).take_while(|byte| is_name(byte)).count();
    let start = sign - length;
    let begins = line[start].is_ascii_alphabetic() || line[start] == b'_';
    let before = if start == 0 { b' ' } else { line[start - 1] };
    let is_delimited = matches!(before, b' ' | b'\t' | b'[' | b'(' | b'{' | b',' | b';' | b'|' | b'"' | b'<');
    (length > 0 && length <= LONGEST_NAME_BYTES && begins && is_delimited).then_some((start, sign))
}

/// The value at a position, and its end including quotes.
#[inline]
fn value_at(line: &[u8], at: usize) -> Option<((usize, usize), usize)> {
    let first = *line.get(at)?;
    if matches!(first, b'"' | b'\'') {
        let mut end = at + 1;
        loop {
            match *line.get(end)? {
                b'\\' => end += 2,
                byte if byte == first => return Some(((at + 1, end), end + 1)),
                _ => end += 1,
            }
        }
    }
    let ends = |byte: &u8| {
        matches!(byte, b' ' | b'\t' | b',' | b';' | b')' | b']' | b'}' | b'|' | b'"' | b'>' | b'\r')
    };
    let length = line[at..].iter().position(ends).unwrap_or(line.len() - at);
    let length = line[at..at + length]
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b':' | b'!' | b'?'))
        .map_or(0, |last| last + 1);
    let is_safe = length > 0 && !matches!(first, b'=' | b'[' | b'(' | b'{' | b'<' | b'>' | b'~');
    is_safe.then_some(((at, at + length), at + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(line: &str) -> String {
        let mut out = Vec::new();
        let text = line.as_bytes();
        each_pair(text, 0, |pair| {
            out.push(format!("{}~{}", &line[pair.name.0..pair.name.1], &line[pair.value.0..pair.value.1]));
        });
        out.join(" ")
    }

    #[test]
    fn pairs_are_distinguished_from_similar_text() {
        assert_eq!(pairs("a=1 b.c=\"x \\\" y\" d='e f', g=h;i=j."), "a~1 b.c~x \\\" y d~e f g~h i~j");
        assert_eq!(pairs("took (ms=12) [k=v] {m=n}"), "ms~12 k~v m~n");
        assert_eq!(pairs("if a == b && c != d || e <= f || g=>h"), "");
        assert_eq!(pairs("GET /search?q=1&r=2 x=/search?q=1"), "x~/search?q=1");
        assert_eq!(pairs("SET a = 5, dGVzdA== list=[1,2] m={"), "");
        assert_eq!(pairs("a=\"open b=1"), "b~1");
        assert_eq!(pairs("=x 1=2 a="), "");
        assert_eq!(
            pairs("act=RUN|cn=Two Words|args=/bin/x -a b=1"),
            "act~RUN cn~Two Words args~/bin/x -a b=1"
        );
        assert_eq!(pairs("x|y=1 and z=2"), "y~1 z~2");
    }

    #[test]
    fn pair_names_come_from_the_sample_up_to_a_limit() {
        let lines: Vec<String> =
            (0..400).map(|row| format!("user=u odd{row}=1 name{}=2", row % 100)).collect();
        let lines: Vec<(&[u8], usize)> = lines.iter().map(|line| (line.as_bytes(), 0)).collect();
        let names = PairNames::learn(&lines);
        assert_eq!(names.names.len(), limits::MOST_PAIR_NAMES);
        assert!(names.names.contains_key(&b"user"[..]));
        assert!(!names.names.contains_key(&b"odd7"[..]));
    }
}
