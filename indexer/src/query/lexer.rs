//! Query text as tokens with their places.

use super::ast::Op;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bare word. `\` takes the next character as it is; `special` tells for each character of the text
    /// whether it was written plainly, because an escaped `*` is a star.
    Word {
        text: String,
        plain: Vec<bool>,
    },
    Phrase(String),
    Open,
    Close,
    Colon,
    Compare(Op),
    /// `-` before a clause.
    Minus,
    And,
    Or,
    Not,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

pub struct LexError {
    pub message: &'static str,
    pub hint: &'static str,
    pub start: usize,
    pub end: usize,
}

pub fn lex(query: &str) -> Result<Vec<Token>, LexError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(character) = query[at..].chars().next() {
        let start = at;
        let kind = match character {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '(' | ')' => {
                at += 1;
                if character == '(' { Kind::Open } else { Kind::Close }
            }
            '"' => {
                let (text, end) = phrase(query, at)?;
                at = end;
                Kind::Phrase(text)
            }
            ':' => {
                at += 1;
                Kind::Colon
            }
            '-' if starts_clause(&query[at + 1..]) => {
                at += 1;
                Kind::Minus
            }
            _ => {
                if let Some((op, len)) = operator(&query[at..]) {
                    at += len;
                    Kind::Compare(op)
                } else {
                    let (kind, end) = word(query, at, follows_operator(&tokens));
                    at = end;
                    kind
                }
            }
        };
        tokens.push(Token { kind, start, end: at });
    }
    Ok(tokens)
}

/// A `-` negates when something stands right behind it; alone it is a word.
fn starts_clause(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_some_and(|next| next.is_alphabetic() || matches!(next, '"' | '(' | '*' | '_' | '@'))
}

fn operator(rest: &str) -> Option<(Op, usize)> {
    Op::ALL.iter().find(|(_, text)| rest.starts_with(text)).map(|&(op, text)| (op, text.len()))
}

fn follows_operator(tokens: &[Token]) -> bool {
    matches!(tokens.last(), Some(Token { kind: Kind::Colon | Kind::Compare(_), .. }))
}

fn phrase(query: &str, start: usize) -> Result<(String, usize), LexError> {
    let mut text = String::new();
    let mut characters = query[start + 1..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((text, start + 1 + at + 1)),
            '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
            other => text.push(other),
        }
    }
    Err(LexError {
        message: "this quotation has no end",
        hint: "close it with \", or write \\\" for a quotation mark",
        start,
        end: query.len(),
    })
}

/// A bare word. A colon ends it only where it can end a field's name: times and addresses keep theirs, and
/// so does everything on the right of an operator.
fn word(query: &str, start: usize, is_value: bool) -> (Kind, usize) {
    let mut text = String::new();
    let mut plain = Vec::new();
    let mut end = query.len();
    let mut characters = query[start..].char_indices();
    while let Some((at, character)) = characters.next() {
        let stops = match character {
            '(' | ')' | '"' => true,
            ':' => !is_value && is_field_name(&text),
            '=' | '<' | '>' => !is_value && !text.is_empty(),
            '!' => !is_value && query[start + at..].starts_with("!="),
            other => other.is_whitespace(),
        };
        if stops {
            end = start + at;
            break;
        }
        if character == '\\' {
            if let Some((_, escaped)) = characters.next() {
                text.push(escaped);
                plain.push(false);
            }
        } else {
            text.push(character);
            plain.push(true);
        }
    }
    let kind = match (text.to_ascii_lowercase().as_str(), plain.iter().all(|&plain| plain)) {
        ("and", true) => Kind::And,
        ("or", true) => Kind::Or,
        ("not", true) => Kind::Not,
        _ => Kind::Word { text, plain },
    };
    (kind, end)
}

pub fn is_field_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '@'))
        && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-' | '/' | '#' | '$'))
}
