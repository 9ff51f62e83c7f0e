//! The tokens between a line's time and its message: `[main]`, `INFO`, `c.e.Shop:`, `name -`.
//!
//! The text of a token determines its delimiter. Learning and reading split a line with the same function, so
//! the layout learned from a sample applies to every line.

use super::level_words::{level_in_capitals, level_of};
use crate::batch::Level;
use crate::byte_table::ByteTable;
use crate::level::from_letter;

/// Names and brackets before a message are short; a longer run belongs to the message.
const LONGEST_PIECE_BYTES: usize = 160;

/// Bracketed text is delimited more clearly: threads of HDFS are named by their path and block.
const LONGEST_BRACKET_BYTES: usize = 400;

/// What separates a token from the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenDelimiter {
    /// In brackets that open with this.
    Bracket(u8),
    /// Before a space alone.
    Word,
    /// Before a colon and a space, or a colon between spaces.
    Colon,
    /// Before a colon without a space, as in `INFO:root:text`.
    Tight,
    /// Before a bar.
    Bar,
    /// Before a dash between spaces.
    Dash,
    /// Directly before a bracket, as in `app[12]`.
    Joined,
    /// Before a bracket that closes an earlier one, as in `[03:04:05 main]`.
    Closed,
}

/// A token, and where the line continues after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrefixToken {
    pub form: TokenDelimiter,
    pub from: usize,
    pub to: usize,
    pub next: usize,
}

/// The kind of text in a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenClass {
    /// A level, perhaps with a name next to it.
    Level,
    /// A letter that may be a level.
    Letter,
    Number,
    /// A name with dots in it, as classes and modules have.
    Dotted,
    Name,
    /// Anything that cannot be a name.
    Other,
}

/// The bytes that may end a token.
static MAY_END: ByteTable = ByteTable::new(b" \t\r\n:;,[]()|\"'={}<>");

/// The token after the separators at a position, in the first line of the text.
#[inline]
pub(super) fn token(line: &[u8], at: usize, after: Option<TokenDelimiter>) -> Option<PrefixToken> {
    let from = skip_separators(line, at);
    let first = *line.get(from)?;
    if matches!(first, b'[' | b'(' | b'<') || first == b'{' && is_in_braces(&line[from..]) {
        let close = closing(line, from)?;
        // The brackets of an address before its port.
        if line[close + 1..].len() > 1 && line[close + 1] == b':' && line[close + 2].is_ascii_digit() {
            return None;
        }
        return Some(PrefixToken {
            form: TokenDelimiter::Bracket(first),
            from: from + 1,
            to: close,
            next: close + 1,
        });
    }
    let limit = line.len().min(from + LONGEST_PIECE_BYTES);
    let mut to = from;
    // Names that are cut to a width may contain brackets: `o.a.c.C.[.[.[/].[shop]`.
    let mut is_cut_name = false;
    while to < limit {
        if !MAY_END.contains(line[to]) {
            to += 1;
            continue;
        }
        match line[to] {
            b' ' | b'\t' | b'\r' | b'\n' => return Some(before_space(line, from, to)),
            b':' => match line.get(to + 1) {
                None | Some(b' ' | b'\t' | b'\r' | b'\n') => {
                    return Some(PrefixToken { form: TokenDelimiter::Colon, from, to, next: to + 1 });
                }
                Some(b':') => to += 1,
                Some(_) if after == Some(TokenDelimiter::Tight) || level_of(&line[from..to]).is_some() => {
                    return Some(PrefixToken { form: TokenDelimiter::Tight, from, to, next: to + 1 });
                }
                Some(_) => {}
            },
            // Solr ends the names of its classes so.
            b';' if line.get(to + 1) == Some(&b' ') && class(&line[from..to]) == TokenClass::Dotted => {
                return Some(PrefixToken { form: TokenDelimiter::Colon, from, to, next: to + 1 });
            }
            b',' if matches!(line.get(to + 1), None | Some(b' ')) => {
                return Some(PrefixToken { form: TokenDelimiter::Word, from, to, next: to + 1 });
            }
            b'[' if to > from && line[to - 1] == b'.' => is_cut_name = true,
            b'[' | b']' if is_cut_name => {}
            b']' | b')' if to > from => {
                return Some(PrefixToken { form: TokenDelimiter::Closed, from, to, next: to + 1 });
            }
            b'|' if to > from => {
                return Some(PrefixToken { form: TokenDelimiter::Bar, from, to, next: to + 1 });
            }
            b'[' if to > from && ends_piece(line, closing(line, to)) => {
                return Some(PrefixToken { form: TokenDelimiter::Joined, from, to, next: to });
            }
            b'"' | b'\'' | b'=' | b'{' | b'}' | b'<' | b'>' | b'(' | b']' | b')' | b'|' => return None,
            _ => {}
        }
        to += 1;
    }
    (to == line.len() && to > from).then_some(PrefixToken { form: TokenDelimiter::Word, from, to, next: to })
}

/// Whether braces contain an id or a place in the source, not an object or pairs.
fn is_in_braces(text: &[u8]) -> bool {
    let length = text[1..].iter().take(LONGEST_BRACKET_BYTES).position(|byte| b" \"'={}".contains(byte));
    length.is_some_and(|length| text[length + 1] == b'}' && text.get(length + 2) == Some(&b' '))
}

/// A word followed by a space: a sign after the space decides the delimiter.
fn before_space(line: &[u8], from: usize, to: usize) -> PrefixToken {
    let space = to + line[to..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let alone = |at: usize| matches!(line.get(at), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
    let (form, next) = match line.get(space) {
        _ if space == to => (TokenDelimiter::Word, to),
        Some(b'-') => {
            let dashes = space + line[space..].iter().take_while(|byte| **byte == b'-').count();
            if alone(dashes) { (TokenDelimiter::Dash, dashes) } else { (TokenDelimiter::Word, to) }
        }
        Some(b':') if alone(space + 1) => (TokenDelimiter::Colon, space + 1),
        Some(b'|') => (TokenDelimiter::Bar, space + 1),
        _ => (TokenDelimiter::Word, to),
    };
    PrefixToken { form, from, to, next }
}

/// Whether a token may end after a closing bracket.
fn ends_piece(line: &[u8], close: Option<usize>) -> bool {
    close.is_some_and(|close| {
        matches!(line.get(close + 1), None | Some(b':' | b' ' | b'\t' | b'\r' | b'\n' | b']' | b'|'))
    })
}

/// Where the bracket at a position closes on its line; nested brackets of its kind are skipped.
fn closing(line: &[u8], open_at: usize) -> Option<usize> {
    let open = line[open_at];
    let close = match open {
        b'[' => b']',
        b'(' => b')',
        b'{' => b'}',
        _ => b'>',
    };
    let mut depth = 0;
    for (length, &byte) in line[open_at..].iter().take(LONGEST_BRACKET_BYTES).enumerate() {
        if byte == b'\n' {
            return None;
        }
        depth += usize::from(byte == open);
        if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(open_at + length);
            }
        }
    }
    None
}

/// Skips the separators between two tokens: closing brackets, spaces, and dashes, colons and bars between
/// spaces.
#[inline]
pub(super) fn skip_separators(line: &[u8], mut at: usize) -> usize {
    while matches!(line.get(at), Some(b']' | b')' | b'>' | b'}' | b':' | b',' | b'|' | b';')) {
        at += 1;
    }
    // A stamp may end with a point, as the level before it.
    at += usize::from(line[at.min(line.len())..].starts_with(b". "));
    loop {
        at = skip_spaces(line, at);
        let mark = match line.get(at) {
            Some(b'-') => line[at..].iter().take_while(|byte| **byte == b'-').count(),
            // Logback draws a tree of its own messages: `|-INFO in a.B - text`.
            Some(b'|') if line.get(at + 1) == Some(&b'-') => return at + 2,
            Some(b':' | b'|') => 1,
            _ => return at,
        };
        if !matches!(line.get(at + mark), Some(b' ' | b'\t')) {
            return at;
        }
        at += mark;
    }
}

pub(super) fn skip_spaces(line: &[u8], at: usize) -> usize {
    at + line.get(at..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Classifies the text of a token.
pub(super) fn class(text: &[u8]) -> TokenClass {
    let text = text.trim_ascii();
    if level_and_name(text).is_some() {
        return TokenClass::Level;
    }
    if letter(text).is_some() {
        return TokenClass::Letter;
    }
    if number(text).is_some() {
        return TokenClass::Number;
    }
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"._-$/@#:+*~\\,".contains(byte);
    if text.is_empty() || !text.iter().all(is_name) {
        return TokenClass::Other;
    }
    let letters = text.iter().any(u8::is_ascii_alphabetic);
    let within = |mark: &[u8]| {
        memchr::memmem::find(text, mark).is_some_and(|at| at > 0 && at + mark.len() < text.len())
    };
    if letters && (within(b".") || within(b"::") || within(b"$")) && !text.contains(&b'/') {
        return TokenClass::Dotted;
    }
    TokenClass::Name
}

/// The level of a token of one letter, perhaps with a mark: `I`, `I!`, `I.`.
#[inline]
pub(super) fn letter(text: &[u8]) -> Option<Level> {
    match text {
        [letter] | [letter, b'!' | b'.'] => from_letter(*letter),
        _ => None,
    }
}

/// The level of a code of a letter and three digits, as VMware writes it: `I005`, `W003`.
fn coded(text: &[u8]) -> Option<Level> {
    match text {
        [letter, digits @ ..] if digits.len() == 3 && digits.iter().all(u8::is_ascii_digit) => {
            from_letter(*letter)
        }
        _ => None,
    }
}

/// The digits of a number that names a process or thread.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"#").unwrap_or(text);
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// The level of a token and the name next to it, as ranges of its text: `INFO`, `main/INFO`, `INFO/main`,
/// `production.ERROR`, `Info   :  Console`.
pub(super) fn level_and_name(text: &[u8]) -> Option<(Level, usize, usize)> {
    if let Some(level) = level_in_capitals(text).or_else(|| level_of(text)).or_else(|| coded(text)) {
        return Some((level, 0, 0));
    }
    let first = memchr::memchr2(b'/', b':', text);
    if let Some(at) = first {
        let letter = || letter(&text[..at]).filter(|_| text[at] == b'/' && text.len() > at + 3);
        let word = text[..at].trim_ascii_end();
        // The level of BepInEx between a warning and an information.
        let message = || (word == b"Message").then_some(Level::Notice);
        if let Some(level) = level_of(word).or_else(letter).or_else(message) {
            return Some((level, skip_spaces(text, at + 1), text.len()));
        }
    }
    let last = memchr::memrchr2(b'/', b'.', text)?;
    level_of(&text[last + 1..]).map(|level| (level, 0, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(line: &str) -> String {
        let mut at = 0;
        let mut after = None;
        let mut out = Vec::new();
        while let Some(found) = token(line.as_bytes(), at, after)
            && out.len() < 6
        {
            let text = &line[found.from..found.to];
            out.push(format!("{text}={:?}:{:?}", found.form, class(text.as_bytes())));
            at = found.next;
            after = Some(found.form);
        }
        out.join(" ")
    }

    #[test]
    fn lines_are_split_into_tokens() {
        let bracket = "Bracket(91)";
        assert_eq!(
            tokens(" INFO  [main] c.e.Shop - up"),
            format!("INFO=Word:Level main={bracket}:Name c.e.Shop=Dash:Dotted up=Word:Name")
        );
        assert_eq!(
            tokens("[QuorumPeer[myid=1]/0:0] - x"),
            format!("QuorumPeer[myid=1]/0:0={bracket}:Other x=Word:Name")
        );
        assert_eq!(
            tokens("INFO:root:text more"),
            "INFO=Tight:Level root=Tight:Name text=Word:Name more=Word:Name"
        );
        assert_eq!(tokens("a::b: x"), "a::b=Colon:Dotted x=Word:Name");
        assert_eq!(tokens("x.py[DEBUG]: y"), format!("x.py=Joined:Dotted DEBUG={bracket}:Level y=Word:Name"));
        assert_eq!(tokens(" #12]  INFO -- : t"), "#12=Closed:Number INFO=Dash:Level t=Word:Name");
        assert_eq!(
            tokens("[Server thread/INFO]: t"),
            format!("Server thread/INFO={bracket}:Level t=Word:Name")
        );
        assert_eq!(tokens("|INFO|a b|c"), "INFO=Bar:Level a=Word:Name b=Bar:Name c=Word:Name");
        assert_eq!(tokens("o.a.c.C.[.[.[/].[shop] : up"), "o.a.c.C.[.[.[/].[shop]=Colon:Other up=Word:Name");
        assert_eq!(
            tokens("[Info   : Unity Log] [Message:   Core] t"),
            format!("Info   : Unity Log={bracket}:Level Message:   Core={bracket}:Level t=Word:Name")
        );
        assert_eq!(tokens("say=\"x\""), "");
        assert_eq!(tokens("[open"), "");
    }
}
