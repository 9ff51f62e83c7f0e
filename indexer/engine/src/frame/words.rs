//! The words of SQL by kind, for the screen. Any text is taken.

use polars::sql::keywords;

use super::functions::FUNCTIONS;
use query::{Class, Highlight};

/// What a stretch of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A name or a word of SQL.
    Word,
    /// A name in double quotes.
    Name,
    /// A text in single quotes; false where its end is missing.
    Text(bool),
    Number,
    Comment,
    Open,
    Close,
    Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub kind: WordKind,
    pub text: &'t str,
    pub start: usize,
}

impl Word<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn is(&self, word: &str) -> bool {
        self.kind == WordKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub fn is_keyword(&self) -> bool {
        self.kind == WordKind::Word && KEYWORDS.iter().any(|word| self.is(word))
    }
}

/// Whether a statement has this name in it, quoted or not.
pub(super) fn names(text: &str, name: &str) -> bool {
    words(text).iter().any(|word| word.text.trim_matches(['"', '`']).eq_ignore_ascii_case(name))
}

/// Words that belong to statements as this engine reads them.
pub(super) const KEYWORDS: [&str; 58] = [
    "select",
    "from",
    "where",
    "group",
    "by",
    "having",
    "order",
    "limit",
    "offset",
    "as",
    "and",
    "or",
    "not",
    "in",
    "is",
    "null",
    "like",
    "ilike",
    "between",
    "case",
    "when",
    "then",
    "else",
    "end",
    "cast",
    "distinct",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "outer",
    "cross",
    "semi",
    "anti",
    "on",
    "using",
    "with",
    "union",
    "all",
    "except",
    "intersect",
    "asc",
    "desc",
    "nulls",
    "first",
    "last",
    "over",
    "partition",
    "rows",
    "filter",
    "true",
    "false",
    "extract",
    "interval",
    "exists",
    "qualify",
    "escape",
];

/// The words of a statement, in their order.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (kind, length) = word(first, rest);
        found.push(Word { kind, text: &rest[..length], start: at });
        at += length;
    }
    found
}

fn word(first: char, rest: &str) -> (WordKind, usize) {
    let run = |passes: &dyn Fn(char) -> bool| -> usize {
        rest.chars().take_while(|&c| passes(c)).map(char::len_utf8).sum()
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '\'' | '"' => {
            let (length, ended) = quoted(rest, first);
            (if first == '"' { WordKind::Name } else { WordKind::Text(ended) }, length)
        }
        '-' if rest.starts_with("--") => (WordKind::Comment, run(&|c| c != '\n')),
        '/' if rest.starts_with("/*") => {
            (WordKind::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        }
        '0'..='9' => (WordKind::Number, run(&|c| is_part(c) || c == '.')),
        c if is_part(c) => (WordKind::Word, run(&is_part)),
        '(' | '[' => (WordKind::Open, 1),
        ')' | ']' => (WordKind::Close, 1),
        '<' | '>' | '=' | '!' | '|' | ':' => (WordKind::Operator, run(&|c| "<>=!|:".contains(c))),
        other => (WordKind::Operator, other.len_utf8()),
    }
}

/// How long a quoted text is, in which its own quote is doubled; and whether it is closed.
fn quoted(rest: &str, quote: char) -> (usize, bool) {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c != quote {
            continue;
        }
        if characters.peek().is_some_and(|&(_, next)| next == quote) {
            characters.next();
            continue;
        }
        return (at + 1, true);
    }
    (rest.len(), false)
}

/// The words of a statement as the screen colours them.
pub(super) fn highlights(text: &str) -> Vec<Highlight> {
    let words = words(text);
    let class = |place: usize, word: &Word<'_>| match word.kind {
        WordKind::Text(true) => Class::Text,
        WordKind::Text(false) => Class::Unknown,
        WordKind::Number => Class::Number,
        WordKind::Name => Class::Field,
        WordKind::Open | WordKind::Close => Class::Bracket,
        WordKind::Operator | WordKind::Comment => Class::Operator,
        WordKind::Word => {
            let calls = words.get(place + 1).is_some_and(|next| next.text == "(");
            let lower = word.text.to_ascii_lowercase();
            let is_function =
                || FUNCTIONS.contains(&lower.as_str()) || keywords::all_functions().contains(&lower.as_str());
            if calls && is_function() {
                Class::Function
            } else if word.is_keyword() {
                Class::Keyword
            } else {
                Class::Field
            }
        }
    };
    let shown = |(place, word): (usize, &Word<'_>)| Highlight {
        class: class(place, word),
        start: word.start,
        end: word.end(),
    };
    words.iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class as C;

    #[test]
    fn words_are_separated() {
        let text = "SELECT count(*), \"a.b\" FROM events WHERE s = 'it''s' -- why\n AND n>=1.5";
        let shown: Vec<(Class, &str)> =
            highlights(text).iter().map(|found| (found.class, &text[found.start..found.end])).collect();
        assert_eq!(
            shown,
            [
                (C::Keyword, "SELECT"),
                (C::Function, "count"),
                (C::Bracket, "("),
                (C::Operator, "*"),
                (C::Bracket, ")"),
                (C::Operator, ","),
                (C::Field, "\"a.b\""),
                (C::Keyword, "FROM"),
                (C::Field, "events"),
                (C::Keyword, "WHERE"),
                (C::Field, "s"),
                (C::Operator, "="),
                (C::Text, "'it''s'"),
                (C::Operator, "-- why"),
                (C::Keyword, "AND"),
                (C::Field, "n"),
                (C::Operator, ">="),
                (C::Number, "1.5"),
            ]
        );
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "'", "\"", "/*", "größe ≠ 'ß", "a\u{0}b", "--", "((", "1e"] {
            let words = words(text);
            assert!(words.windows(2).all(|pair| pair[0].end() <= pair[1].start), "{text}");
            assert_eq!(
                words.iter().map(|word| word.text.len()).sum::<usize>(),
                text.replace(' ', "").len(),
                "{text}"
            );
        }
    }
}
