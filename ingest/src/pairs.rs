//! Lists of `key=value`, as many programs write them: with values in quotes, flags without a value, and words
//! between them.

use memchr::{memchr, memchr2, memchr3};

use crate::json_escapes::unescape;
use crate::named_columns::NamedColumns;
use crate::rows::Rows;

/// The syntax of such a list.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// A backslash in a quoted value escapes the next character.
    pub escapes: bool,
    /// Single quotes may hold a value.
    pub single_quotes: bool,
}

/// Names of fields that every event has; no pair in a message may use them.
const TAKEN: [&[u8]; 11] = [
    b"time",
    b"t",
    b"ts",
    b"timestamp",
    b"level",
    b"source",
    b"line",
    b"raw",
    b"message",
    b"msg",
    b"template",
];

/// Whether a pair in a message may be a field of this name.
pub(crate) fn may_be_field(name: &[u8]) -> bool {
    !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name))
}

/// The syntax of the pairs that begin a message.
const LEADING: Style = Style { escapes: true, single_quotes: false };

/// A longer name begins no list.
const LONGEST_FIRST_NAME: usize = 32;

/// Adds the pairs of a message that begins with two or more: words may follow them.
#[inline]
pub(crate) fn read_leading(event: &[u8], message: usize, named: &mut NamedColumns, rows: &mut Rows) {
    let start = message + usize::from(event.get(message) == Some(&b' '));
    let head = event.get(start..event.len().min(start + LONGEST_FIRST_NAME)).unwrap_or_default();
    if let Some(name) = head.iter().position(|byte| matches!(byte, b'=' | b' '))
        && head[name] == b'='
    {
        put_pairs(event, start, named, rows);
    }
}

#[cold]
fn put_pairs(event: &[u8], start: usize, named: &mut NamedColumns, rows: &mut Rows) {
    let is_pair = |item: &PairItem| item.value.is_some() && is_key(item.key(event));
    let first = LEADING.next(event, start).filter(is_pair);
    if !first.and_then(|first| LEADING.next(event, first.end)).is_some_and(|second| is_pair(&second)) {
        return;
    }
    named.begin();
    let mut at = start;
    while let Some(item) = LEADING.next(event, at) {
        at = item.end;
        if is_pair(&item) && may_be_field(item.key(event)) {
            item.put(item.key(event), event, named, rows);
        }
    }
}

/// One item of a list, as ranges of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairItem {
    pub key: (usize, usize),
    /// Without its quotes; `None` for a bare word.
    pub value: Option<(usize, usize)>,
    pub is_quoted: bool,
    pub has_escapes: bool,
    pub end: usize,
}

impl Style {
    /// The item at a position, after any spaces.
    #[inline]
    pub(crate) fn next(self, text: &[u8], at: usize) -> Option<PairItem> {
        let start = at + text.get(at..)?.iter().position(|&byte| !is_space(byte))?;
        let rest = &text[start..];
        let length = rest.iter().position(|&byte| byte == b'=' || byte == b'"' || is_space(byte));
        let key_end = start + length.unwrap_or(rest.len());
        if text.get(key_end) != Some(&b'=') || key_end == start {
            let end = key_end
                + text[key_end..].iter().position(|&byte| is_space(byte)).unwrap_or(text.len() - key_end);
            let end = end.max(start + 1);
            return Some(PairItem {
                key: (start, end),
                value: None,
                is_quoted: false,
                has_escapes: false,
                end,
            });
        }
        let from = key_end + 1;
        let key = (start, key_end);
        match text.get(from) {
            Some(b'"') => {
                if let Some((to, has_escapes)) = self.quoted(text, from + 1) {
                    return Some(PairItem {
                        key,
                        value: Some((from + 1, to)),
                        is_quoted: true,
                        has_escapes,
                        end: to + 1,
                    });
                }
            }
            Some(b'\'') if self.single_quotes => {
                if let Some(length) = memchr(b'\'', &text[from + 1..]) {
                    let to = from + 1 + length;
                    let value = Some((from + 1, to));
                    return Some(PairItem { key, value, is_quoted: true, has_escapes: false, end: to + 1 });
                }
            }
            _ => {}
        }
        let to = from + memchr3(b' ', b'\t', b'\n', &text[from..]).unwrap_or(text.len() - from);
        // Auditd separates its additions with a group separator.
        let to = from + memchr2(0x1D, b'\r', &text[from..to]).unwrap_or(to - from);
        Some(PairItem { key, value: Some((from, to)), is_quoted: false, has_escapes: false, end: to })
    }

    /// The item at a position of a list that has this sign between its items, so that values may contain spaces.
    pub(crate) fn next_delimited(self, text: &[u8], at: usize, delimiter: u8) -> Option<PairItem> {
        let start = at + text.get(at..)?.iter().position(|&byte| !is_space(byte) && byte != delimiter)?;
        let end = start + memchr(delimiter, &text[start..]).unwrap_or(text.len() - start);
        let trimmed = |from: usize, to: usize| from + text[from..to].trim_ascii_end().len();
        let Some(length) = memchr(b'=', &text[start..end]).filter(|&length| length > 0) else {
            let key = (start, trimmed(start, end));
            return Some(PairItem { key, value: None, is_quoted: false, has_escapes: false, end });
        };
        let key = (start, trimmed(start, start + length));
        let from = start + length + 1;
        if text.get(from) == Some(&b'"')
            && let Some((to, has_escapes)) = self.quoted(text, from + 1)
        {
            let end = to + 1;
            return Some(PairItem { key, value: Some((from + 1, to)), is_quoted: true, has_escapes, end });
        }
        let value = Some((from, trimmed(from, end)));
        Some(PairItem { key, value, is_quoted: false, has_escapes: false, end })
    }

    /// Where a quoted value ends. A quote after a backslash belongs to the value, in any style.
    #[inline]
    pub(crate) fn quoted(self, text: &[u8], from: usize) -> Option<(usize, bool)> {
        let mut at = from;
        let mut has_escapes = false;
        loop {
            at += memchr2(b'"', b'\\', text.get(at..)?)?;
            if text[at] == b'"' {
                return Some((at, has_escapes && self.escapes));
            }
            // A path may end with a backslash: then the text after the quote is the next item.
            if !self.escapes && text.get(at + 1) == Some(&b'"') && begins_item(&text[at + 2..]) {
                return Some((at + 1, false));
            }
            has_escapes = true;
            at += 2;
        }
    }
}

impl PairItem {
    /// Puts the value into the column of a name: as text if it is quoted, otherwise perhaps as a number.
    #[inline]
    pub(crate) fn put(&self, name: &[u8], event: &[u8], named: &mut NamedColumns, rows: &mut Rows) {
        match self.value {
            Some((from, to)) if from == to => {}
            Some((from, to)) if self.has_escapes => {
                named.rewrite(name, rows, |buffer| unescape(&event[from..to], buffer));
            }
            Some((from, to)) if self.is_quoted => named.text(name, from, to, rows),
            Some((from, to)) => named.value(name, event, from, to, rows),
            None => named.text(name, self.key.0, self.key.1, rows),
        }
    }

    pub(crate) fn key<'a>(&self, event: &'a [u8]) -> &'a [u8] {
        &event[self.key.0..self.key.1]
    }

    pub(crate) fn value<'a>(&self, event: &'a [u8]) -> Option<&'a [u8]> {
        self.value.map(|(from, to)| &event[from..to])
    }
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x1D)
}

/// Whether a quote is followed by the end, or by a space and the next key.
fn begins_item(rest: &[u8]) -> bool {
    let Some((space, rest)) = rest.split_first() else { return true };
    let key = rest.iter().take_while(|&&byte| byte != b'=' && !is_space(byte)).count();
    is_space(*space) && rest.get(key) == Some(&b'=') && is_key(&rest[..key])
}

/// Whether a word can be a key: letters, digits and the signs that programs use in names.
pub(crate) fn is_key(word: &[u8]) -> bool {
    let is_sign =
        |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b'@' | b'/' | b'$' | b'#' | b':' | b'[' | b']');
    let first = word.first();
    first.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'.') || *byte >= 0x80
    }) && word.iter().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte) || *byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(style: Style, text: &str) -> Vec<String> {
        let (mut items, mut at) = (Vec::new(), 0);
        while let Some(item) = style.next(text.as_bytes(), at) {
            assert!(item.end > at);
            at = item.end;
            let key = &text[item.key.0..item.key.1];
            items.push(match item.value {
                Some((from, to)) => format!("{key}→{}", &text[from..to]),
                None => key.to_string(),
            });
        }
        items
    }

    #[test]
    fn quotes_flags_and_broken_quotes() {
        let usual = Style { escapes: true, single_quotes: false };
        assert_eq!(
            items(usual, r#" a=1  b="x \"y\" z" c= d e="#),
            ["a→1", r#"b→x \"y\" z"#, "c→", "d", "e→"]
        );
        assert_eq!(items(usual, r#"a="open b=2"#), [r#"a→"open"#, "b→2"]);
        assert_eq!(items(usual, r#""a b" =x "#), [r#""a"#, r#"b""#, "=x"]);
        let delimited = |text: &str, delimiter| {
            let (mut items, mut at) = (Vec::new(), 0);
            while let Some(item) = usual.next_delimited(text.as_bytes(), at, delimiter) {
                at = item.end;
                let value = item.value.map(|(from, to)| &text[from..to]);
                items.push(format!("{}→{}", &text[item.key.0..item.key.1], value.unwrap_or("-")));
            }
            items
        };
        assert_eq!(delimited("a=x y ;b=;c;=d; e=1=2", b';'), ["a→x y", "b→", "c→-", "=d→-", "e→1=2"]);
        assert_eq!(delimited(r#"a="x,y",b=z,"#, b','), ["a→x,y", "b→z"]);
        let audit = Style { escapes: false, single_quotes: true };
        assert_eq!(items(audit, "a='b c' d=\u{1d}E=f"), ["a→b c", "d→", "E→f"]);
        assert_eq!(items(audit, r#"p="C:\x\" q=1"#), [r"p→C:\x\", "q→1"]);
    }
}
