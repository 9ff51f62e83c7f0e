//! Which tokens a text must have for a pattern to occur in it. The text index narrows a search by them.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::limits::REGEX_NESTING;
use crate::query::{Pattern, RegexText};
use crate::storage::TokenPart;
use crate::tokens;

/// Folded tokens that every text has in which the pattern occurs; perhaps none.
pub fn sure_tokens(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Tokens(words) | Pattern::Near(words, _) | Pattern::Network(words) => {
            tokens::folded(words.as_bytes())
        }
        // What is looked for may begin and end inside of a token of the text.
        Pattern::Substring(part) => inner_tokens(&[Piece::Text(part.clone())]),
        Pattern::Glob(glob) => glob_tokens(glob),
        Pattern::Regex(regex) => regex_tokens(regex),
        Pattern::Fuzzy(..) => Vec::new(),
    }
}

/// A text of ASCII that occurs, in whatever case, in every text that the pattern does: the longest that is
/// known, if it is worth looking for. Nothing is known of what a field's value must have to be in a network.
pub fn sure_text(pattern: &Pattern) -> Option<String> {
    let pieces = match pattern {
        Pattern::Tokens(words) | Pattern::Near(words, _) => {
            tokens::folded(words.as_bytes()).into_iter().map(Piece::Text).collect()
        }
        Pattern::Substring(part) => vec![Piece::Text(part.clone())],
        Pattern::Glob(glob) => glob_pieces(glob),
        Pattern::Regex(regex) => regex_pieces(regex)?,
        Pattern::Network(_) | Pattern::Fuzzy(..) => return None,
    };
    let texts =
        pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(text) } else { None });
    // No character beyond ASCII folds into ASCII, so what is ASCII here is ASCII there.
    let runs = texts.flat_map(|text| text.split(|character: char| !character.is_ascii()));
    runs.max_by_key(|run| run.len()).filter(|run| run.len() > 1).map(str::to_owned)
}

/// What is known of a stretch of a match.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// It is this text.
    Text(String),
    /// Anything may stand here, also something that belongs to a token beside it.
    Unknown,
    /// A token ends or begins here.
    Edge,
}

/// The tokens of the texts that end within them, or at an edge.
fn inner_tokens(pieces: &[Piece]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else { continue };
        let bytes = text.as_bytes();
        let edge = |beside: Option<usize>| beside.and_then(|at| pieces.get(at)) == Some(&Piece::Edge);
        let (at_start, at_end) = (edge(index.checked_sub(1)), edge(Some(index + 1)));
        for (start, end) in tokens::ranges(bytes) {
            if (start > 0 || at_start) && (end < bytes.len() || at_end) {
                found.push(tokens::fold(&bytes[start..end]).into_owned());
            }
        }
    }
    found
}

/// Parts of tokens that every text has in which the pattern occurs, which are no whole tokens.
pub fn sure_parts(pattern: &Pattern) -> Vec<TokenPart> {
    let pieces = match pattern {
        Pattern::Substring(part) => vec![Piece::Text(part.clone())],
        Pattern::Glob(glob) => glob_pieces(glob),
        Pattern::Regex(regex) => regex_pieces(regex).unwrap_or_default(),
        Pattern::Tokens(_) | Pattern::Near(..) | Pattern::Network(_) | Pattern::Fuzzy(..) => Vec::new(),
    };
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else { continue };
        let bytes = text.as_bytes();
        let edge = |beside: Option<usize>| beside.and_then(|at| pieces.get(at)) == Some(&Piece::Edge);
        let (text_at_start, text_at_end) = (edge(index.checked_sub(1)), edge(Some(index + 1)));
        for (start, end) in tokens::ranges(bytes) {
            let at_start = start > 0 || text_at_start;
            let at_end = end < bytes.len() || text_at_end;
            if !(at_start && at_end) {
                let text = tokens::fold(&bytes[start..end]).into_owned();
                found.push(TokenPart { text, at_start, at_end });
            }
        }
    }
    found.retain(TokenPart::is_telling);
    found
}

/// Whether a text has the pattern where it has a token with its only part: a glob with a star at an end or both.
pub fn is_one_part(pattern: &Pattern) -> bool {
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(tokens::is_token_byte);
    match pattern {
        Pattern::Substring(part) => is_token(part),
        Pattern::Glob(glob) => is_token(glob.trim_matches('*')),
        _ => false,
    }
}

fn glob_tokens(glob: &str) -> Vec<String> {
    inner_tokens(&glob_pieces(glob))
}

/// A glob begins and ends where tokens do, unless it begins or ends with a star.
fn glob_pieces(glob: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Edge];
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '*' | '?' => None,
            '\\' => characters.next(),
            other => Some(other),
        };
        push(&mut pieces, literal);
    }
    pieces.push(Piece::Edge);
    pieces
}

fn push(pieces: &mut Vec<Piece>, literal: Option<char>) {
    match (pieces.last_mut(), literal) {
        (Some(Piece::Text(text)), Some(character)) => text.push(character),
        (_, Some(character)) => pieces.push(Piece::Text(character.to_string())),
        (_, None) => pieces.push(Piece::Unknown),
    }
}

fn regex_tokens(regex: &RegexText) -> Vec<String> {
    regex_pieces(regex).map_or_else(Vec::new, |pieces| inner_tokens(&pieces))
}

fn regex_pieces(regex: &RegexText) -> Option<Vec<Piece>> {
    let parsed = ParserBuilder::new()
        .case_insensitive(regex.ignore_case())
        .nest_limit(REGEX_NESTING)
        .build()
        .parse(regex.source());
    let mut pieces = Vec::new();
    walk(&parsed.ok()?, &mut pieces);
    Some(pieces)
}

fn walk(hir: &Hir, pieces: &mut Vec<Piece>) {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().for_each(|character| push(pieces, Some(character))),
            Err(_) => push(pieces, None),
        },
        HirKind::Class(Class::Unicode(class)) => push(pieces, one_folded(class)),
        HirKind::Look(Look::Start | Look::End) => pieces.push(Piece::Edge),
        HirKind::Capture(capture) => walk(&capture.sub, pieces),
        HirKind::Concat(parts) => parts.iter().for_each(|part| walk(part, pieces)),
        // What must come at least once is sure to, but not what stands beside it.
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            push(pieces, None);
            walk(&repetition.sub, pieces);
            push(pieces, None);
        }
        _ => push(pieces, None),
    }
}

/// The character that all of a class are in lower case, which a letter in any case is.
fn one_folded(class: &regex_syntax::hir::ClassUnicode) -> Option<char> {
    let mut folded = None;
    for range in class.ranges() {
        if range.end() as u32 - range.start() as u32 > 4 {
            return None;
        }
        for character in range.start()..=range.end() {
            let text = tokens::fold(character.to_string().as_bytes()).into_owned();
            let mut characters = text.chars();
            let (one, more) = (characters.next()?, characters.next());
            if more.is_some() || folded.is_some_and(|known| known != one) {
                return None;
            }
            folded = Some(one);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Filter, parse};

    fn of(query: &str) -> Vec<String> {
        match parse(query) {
            Ok(Filter::Text(pattern)) => sure_tokens(&pattern),
            other => panic!("{query} is no plain text: {other:?}"),
        }
    }

    #[test]
    fn parts_are_told_with_their_ends() {
        let parts = |query: &str| {
            let Ok(Filter::Text(pattern)) = parse(query) else { panic!("{query} is no plain text") };
            let star = |is_end: bool| if is_end { "" } else { "*" };
            let shown = sure_parts(&pattern)
                .into_iter()
                .map(|part| format!("{}{}{}", star(part.at_start), part.text, star(part.at_end)));
            (shown.collect::<Vec<_>>().join(" "), is_one_part(&pattern))
        };
        for (query, expected, is_one) in [
            ("TIM*", "tim*", true),
            ("*Imeou*", "*imeou*", true),
            ("*out", "*out", true),
            ("*\u{f6}\u{df}e*", "*\u{f6}\u{df}e*", true),
            ("t?meout", "*meout", false),
            ("conn*ion", "conn* *ion", false),
            ("*abc-def*", "*abc def*", false),
            ("*300*", "", true),
            ("/api/car*", "car*", false),
            ("/Timeou./", "*timeou*", false),
            ("/^connection(s)? timed/", "connection* timed*", false),
            ("/abc|def/", "", false),
        ] {
            assert_eq!(parts(query), (expected.to_owned(), is_one), "{query}");
        }
    }

    #[test]
    fn only_what_every_match_has_is_sure() {
        for (query, expected) in [
            ("Error", vec!["error"]),
            ("\"connection reset\"~3", vec!["connection", "reset"]),
            ("/api/*/items", vec!["api", "items"]),
            ("tim*", vec![]),
            ("*-time", vec!["time"]),
            ("w?rker", vec![]),
            ("*a/def/b*", vec!["def"]),
            ("/connection reset by/", vec!["reset"]),
            ("/^connection (reset|closed) by peer$/", vec!["connection", "by", "peer"]),
            ("/user=(alice) x/i", vec!["alice"]),
            ("/x(timeout )+y/", vec![]),
            ("/a|b/", vec![]),
            ("/task 9 x/i", vec!["9"]),
        ] {
            assert_eq!(of(query), expected, "{query}");
        }
    }
}
