//! The lexer: query text as tokens with spans. The meaning of a character depends on its context (`-` is part
//! of a name, negates a clause, or subtracts), so the parser passes what it expects for every token.

use super::ast::{Op, Span};

/// What the parser expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A clause of a filter: words run on until white space, a parenthesis, a pipe, or what ends a field's name.
    Clause,
    /// The right side of `:` or `=`: colons and operators belong to the word.
    Value,
    /// The same, but a slash begins a path and never an expression.
    Literal,
    /// Both of them within an expression, where a comma separates: it ends them as well.
    ExprValue,
    ExprLiteral,
    /// A value in a list or range: commas and brackets end it as well.
    List,
    /// An operand of an expression in `where`, `eval` or `stats`.
    Expr,
    /// What may follow an operand.
    Operator,
    /// Names of fields in a stage: dashes, slashes and stars belong to them.
    Name,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A bare word, name or number. `\` takes the next character as it is, unless that is a letter or a digit within the word; `plain` tells for
    /// each character of the text whether it was written plainly, because an escaped `*` is a star.
    Word {
        text: String,
        plain: Vec<bool>,
    },
    /// Between quotation marks.
    Phrase(String),
    /// A name between backticks.
    Name(String),
    /// Between slashes, optionally followed by `i`.
    Regex {
        source: String,
        ignore_case: bool,
    },
    /// A time, only in expressions: `@2024-05-01T14:05`, `now-15m`.
    Time(String),
    /// A digit first, only in expressions; it may have a unit.
    Number(String),
    Open,
    Close,
    /// `[` or `{`.
    OpenRange(char),
    /// `]` or `}`.
    CloseRange(char),
    Comma,
    Colon,
    Pipe,
    Compare(Op),
    /// `=~`, or `!~` where negated.
    MatchesRegex {
        negated: bool,
    },
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    And,
    Or,
    Not,
    /// `~2` directly after a phrase.
    Slop(u32),
    End,
    /// A character that has no place here.
    Stray(char),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

impl Token {
    /// The word, if it is one that was written without quotation marks.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word { text, plain } if plain.iter().all(|&plain| plain) => Some(text),
            _ => None,
        }
    }

    pub fn is_word(&self, wanted: &str) -> bool {
        self.word().is_some_and(|word| word.eq_ignore_ascii_case(wanted))
    }
}

#[derive(Debug)]
pub struct LexError {
    pub message: &'static str,
    pub hint: &'static str,
    pub span: Span,
}

impl Mode {
    fn is_value(self) -> bool {
        matches!(self, Mode::Value | Mode::Literal | Mode::ExprValue | Mode::ExprLiteral)
    }

    fn is_literal(self) -> bool {
        matches!(self, Mode::Literal | Mode::ExprLiteral)
    }

    fn separates_by_commas(self) -> bool {
        matches!(self, Mode::List | Mode::ExprValue | Mode::ExprLiteral)
    }

    /// The mode within an expression.
    pub fn in_expression(self) -> Mode {
        match self {
            Mode::Value => Mode::ExprValue,
            Mode::Literal => Mode::ExprLiteral,
            other => other,
        }
    }
}

/// The token at or after a position.
pub fn token(query: &str, at: usize, mode: Mode) -> Result<Token, LexError> {
    let rest = &query[at..];
    let start = at + (rest.len() - rest.trim_start().len());
    let rest = &query[start..];
    let Some(first) = rest.chars().next() else {
        return Ok(Token { kind: TokenKind::End, span: Span::new(query.len(), query.len()) });
    };
    let done = |kind: TokenKind, length: usize| Ok(Token { kind, span: Span::new(start, start + length) });
    if let Some((kind, length)) = symbol(rest, first, mode) {
        return done(kind, length);
    }
    let phrase = |mark: char| {
        quoted(query, start, mark, mode).map(|(text, span)| Token { kind: TokenKind::Phrase(text), span })
    };
    match first {
        '"' => phrase('"'),
        '\'' if matches!(mode, Mode::Expr | Mode::Operator) => phrase('\''),
        '`' => match quoted(query, start, '`', mode) {
            Ok((text, span)) => Ok(Token { kind: TokenKind::Name(text), span }),
            // In a filter a lone backtick is text like any other.
            Err(_) if !matches!(mode, Mode::Expr | Mode::Operator | Mode::Name) => {
                Ok(word(query, start, mode))
            }
            Err(error) => Err(error),
        },
        '/' if mode != Mode::Name && !mode.is_literal() => match regex(rest) {
            Some((kind, length)) => done(kind, length),
            None if mode == Mode::Expr => done(TokenKind::Slash, 1),
            None => Ok(word(query, start, mode)),
        },
        _ if matches!(mode, Mode::Expr | Mode::Operator) => Ok(expression_word(query, start)),
        _ if mode == Mode::Name => {
            let length = rest.find(|c: char| !is_name_char(c, true)).unwrap_or(rest.len());
            match length {
                0 => done(TokenKind::Stray(first), first.len_utf8()),
                _ => done(plain_word(&rest[..length]), length),
            }
        }
        _ => Ok(word(query, start, mode)),
    }
}

fn plain_word(text: &str) -> TokenKind {
    TokenKind::Word { text: text.to_owned(), plain: vec![true; text.chars().count()] }
}

/// Tokens that are recognised by their first characters alone.
fn symbol(rest: &str, first: char, mode: Mode) -> Option<(TokenKind, usize)> {
    let is_value = mode.is_value();
    let in_filter = is_value || matches!(mode, Mode::Clause | Mode::List);
    let calculates = matches!(mode, Mode::Expr | Mode::Operator);
    if mode != Mode::Name {
        if rest.starts_with("&&") {
            return Some((TokenKind::And, 2));
        }
        if rest.starts_with("||") {
            return Some((TokenKind::Or, 2));
        }
        if rest.starts_with("=~") || (rest.starts_with("!~") && !is_value) {
            return Some((TokenKind::MatchesRegex { negated: first == '!' }, 2));
        }
    }
    if calculates && rest.starts_with("<>") {
        return Some((TokenKind::Compare(Op::NotEqual), 2));
    }
    if let Some((op, text)) = Op::ALL.iter().find(|(_, text)| rest.starts_with(text)) {
        return Some((TokenKind::Compare(*op), text.len()));
    }
    let kind = match first {
        '(' => TokenKind::Open,
        ')' => TokenKind::Close,
        '|' => TokenKind::Pipe,
        ':' if !is_value => TokenKind::Colon,
        ',' if !in_filter || mode.separates_by_commas() => TokenKind::Comma,
        '[' | '{' if is_value || calculates => TokenKind::OpenRange(first),
        ']' | '}' if mode == Mode::List || calculates => TokenKind::CloseRange(first),
        '!' if starts_clause(&rest[1..]) || calculates => TokenKind::Bang,
        '-' if calculates || (mode == Mode::Clause && starts_clause(&rest[1..])) => TokenKind::Minus,
        '-' if mode == Mode::Name => TokenKind::Minus,
        '+' if calculates || mode == Mode::Name => TokenKind::Plus,
        '*' if calculates => TokenKind::Star,
        '%' if calculates => TokenKind::Percent,
        '/' if mode == Mode::Operator => TokenKind::Slash,
        '~' if in_filter => {
            let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
            return rest[1..=digits].parse().ok().map(|slop| (TokenKind::Slop(slop), digits + 1));
        }
        _ => return None,
    };
    Some((kind, 1))
}

/// A `-` or `!` negates if something directly follows it; otherwise it is a word.
fn starts_clause(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_some_and(|next| next.is_alphabetic() || matches!(next, '"' | '(' | '*' | '_' | '@' | '/' | '`'))
}

/// Whether a backslash before a character escapes it. Before any other it is a plain one: `C:\Users`, and in texts of
/// expressions, which may be regular expressions, `\.` too.
fn is_escapable(character: char, mode: Mode) -> bool {
    match mode {
        Mode::Expr | Mode::Operator => matches!(character, '\\' | '"' | '\'' | '`'),
        _ => !character.is_alphanumeric(),
    }
}

fn quoted(query: &str, start: usize, mark: char, mode: Mode) -> Result<(String, Span), LexError> {
    let mut text = String::new();
    let mut characters = query[start + 1..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                let next = characters.next().map(|(_, next)| next);
                text.extend(next.is_some_and(|next| !is_escapable(next, mode)).then_some('\\'));
                text.extend(next);
            }
            other if other == mark => return Ok((text, Span::new(start, start + 1 + at + 1))),
            other => text.push(other),
        }
    }
    let (message, hint) = match mark {
        '"' => ("this quotation has no end", "close it with \", or write \\\" for a quotation mark"),
        '\'' => ("this text has no end", "close it with '"),
        _ => ("this name has no end", "close it with `"),
    };
    Err(LexError { message, hint, span: Span::new(start, query.len()) })
}

/// An expression between slashes. A path begins with a slash too: the text is a path unless the next slash
/// ends a word, does not follow white space, and the quotation marks between come in pairs.
fn regex(rest: &str) -> Option<(TokenKind, usize)> {
    let mut source = String::new();
    let mut quotes = 0;
    let mut before = '/';
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                let (_, escaped) = characters.next()?;
                if escaped != '/' {
                    source.push('\\');
                }
                source.push(escaped);
                before = escaped;
                continue;
            }
            '/' => {
                let tail = &rest[at + 1..];
                let (ignore_case, tail) = tail.strip_prefix('i').map_or((false, tail), |tail| (true, tail));
                let ends =
                    |tail: &str| tail.chars().next().is_none_or(|c| c.is_whitespace() || ")|,]".contains(c));
                let closes = !before.is_whitespace() && quotes % 2 == 0 && !source.is_empty() && ends(tail);
                return closes.then(|| (TokenKind::Regex { source, ignore_case }, rest.len() - tail.len()));
            }
            '"' => quotes += 1,
            _ => {}
        }
        source.push(character);
        before = character;
    }
    None
}

/// A bare word of a filter. In a clause a colon or operator ends it only where it can end a field's name:
/// times and addresses keep theirs.
fn word(query: &str, start: usize, mode: Mode) -> Token {
    let mut text = String::new();
    let mut plain = Vec::new();
    let mut end = query.len();
    let mut characters = query[start..].char_indices();
    while let Some((at, character)) = characters.next() {
        let is_clause = mode == Mode::Clause;
        let stops = match character {
            '(' | ')' | '"' | '|' => true,
            ':' => is_clause && is_field_name(&text),
            '=' | '<' | '>' => is_clause && !text.is_empty(),
            '!' => {
                is_clause && (query[start + at..].starts_with("!=") || query[start + at..].starts_with("!~"))
            }
            '&' => query[start + at..].starts_with("&&"),
            ',' => mode.separates_by_commas() && !text.is_empty(),
            ']' | '}' => mode == Mode::List && !text.is_empty(),
            other => other.is_whitespace(),
        };
        if stops {
            end = start + at;
            break;
        }
        if character == '\\' {
            if let Some((_, next)) = characters.next() {
                // In front of a word it says that `\and` is text.
                if !text.is_empty() && !is_escapable(next, mode) {
                    text.push('\\');
                    plain.push(false);
                }
                text.push(next);
                plain.push(false);
            }
        } else {
            text.push(character);
            plain.push(true);
        }
    }
    let kind = match (text.to_ascii_lowercase().as_str(), plain.iter().all(|&plain| plain)) {
        ("and", true) => TokenKind::And,
        ("or", true) => TokenKind::Or,
        ("not", true) => TokenKind::Not,
        _ => TokenKind::Word { text, plain },
    };
    Token { kind, span: Span::new(start, end) }
}

/// A name, number or time of an expression.
fn expression_word(query: &str, start: usize) -> Token {
    let rest = &query[start..];
    let first = rest.chars().next().unwrap_or(' ');
    if let Some(length) = time_length(rest) {
        return Token {
            kind: TokenKind::Time(rest[..length].to_owned()),
            span: Span::new(start, start + length),
        };
    }
    let (kind, length) = if first.is_ascii_digit() || (first == '.' && starts_with_digit(&rest[1..])) {
        let length = number_length(rest);
        (TokenKind::Number(rest[..length].to_owned()), length)
    } else {
        let length = rest.find(|c: char| !is_name_char(c, false)).unwrap_or(rest.len());
        match rest[..length].to_ascii_lowercase().as_str() {
            "" => (TokenKind::Stray(first), first.len_utf8()),
            "and" => (TokenKind::And, length),
            "or" => (TokenKind::Or, length),
            "not" => (TokenKind::Not, length),
            _ => (plain_word(&rest[..length]), length),
        }
    };
    Token { kind, span: Span::new(start, start + length) }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Digits, a point, an exponent, then the letters of a unit.
fn number_length(rest: &str) -> usize {
    let digits = |from: usize| {
        rest[from..].find(|c: char| !c.is_ascii_digit() && c != '_').map_or(rest.len(), |n| from + n)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') && starts_with_digit(&rest[end + 1..]) {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        if starts_with_digit(&rest[end + 1 + sign..]) {
            end = digits(end + 1 + sign);
        }
    }
    rest[end..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |n| end + n)
}

/// The length of the time that begins here; `None` if there is none. `now` includes what is joined to it
/// without a space; with spaces it is arithmetic.
fn time_length(rest: &str) -> Option<usize> {
    let of = |more: &dyn Fn(char) -> bool, from: usize| {
        rest[from..].find(|c: char| !(c.is_ascii_alphanumeric() || more(c))).map_or(rest.len(), |n| from + n)
    };
    if rest.starts_with('@') && starts_with_digit(&rest[1..]) {
        return Some(of(&|c| matches!(c, ':' | '-' | '.' | '+'), 1));
    }
    let begins = |word: &&str| rest.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    let word = ["now", "today", "yesterday", "tomorrow"].into_iter().find(begins)?;
    let next = rest[word.len()..].chars().next();
    match next {
        Some('-' | '+' | '/' | '@') if word == "now" => {
            let after = &rest[word.len() + 1..];
            let joined = after.starts_with(|c: char| c.is_ascii_alphanumeric());
            Some(if joined { of(&|c| matches!(c, '-' | '+' | '/' | '@'), word.len()) } else { word.len() })
        }
        Some('(') => None,
        Some(c) if is_name_char(c, false) => None,
        _ => Some(word.len()),
    }
}

fn is_name_char(character: char, in_list: bool) -> bool {
    character.is_alphanumeric()
        || matches!(character, '_' | '.' | '@' | '#' | '$')
        || (in_list && matches!(character, '-' | '/' | '*'))
}

/// Whether a filter can name a field so without quotation marks.
pub fn is_field_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '@'))
        && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-' | '/' | '#' | '$'))
}

/// Words that mean something where an expression or a list of names expects a name.
const RESERVED: [&str; 25] = [
    "and",
    "or",
    "not",
    "in",
    "is",
    "null",
    "true",
    "false",
    "like",
    "rlike",
    "by",
    "as",
    "asc",
    "desc",
    "where",
    "now",
    "today",
    "yesterday",
    "tomorrow",
    "on",
    "output",
    "with",
    "matches",
    "auto",
    "nulls",
];

/// Whether an expression or list of names can name a field so without backticks.
pub fn is_plain_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '@')
        && !text.starts_with(|c: char| c == '@' && starts_with_digit(&text[1..]))
        && text.chars().all(|c| is_name_char(c, false))
        && !RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text))
}
