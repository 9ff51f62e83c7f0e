//! The tokens that every match required a pattern must contain. The text index narrows a search with them.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use base::limits::{LOOKED_UP_WORDS, REGEX_NESTING};
use base::tokens;
use query::{Pattern, RegexText};
use store::TokenPart;

/// Folded tokens that every matching text contains; possibly none, and of many the longest.
pub fn required_tokens(pattern: &Pattern) -> Vec<String> {
    let mut tokens = all_tokens(pattern);
    if tokens.len() > LOOKED_UP_WORDS {
        tokens.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        tokens.dedup();
        tokens.truncate(LOOKED_UP_WORDS);
    }
    tokens
}

fn all_tokens(pattern: &Pattern) -> Vec<String> {
    match pattern {
        Pattern::Tokens(words) | Pattern::Near(words, _) | Pattern::Network(words) => {
            tokens::folded(words.as_bytes())
        }
        // A match may begin or end inside a token required the text.
        Pattern::Substring(part) => inner_tokens(&[Fragment::Text(part.clone())]),
        Pattern::Glob(glob) => glob_tokens(glob),
        Pattern::Regex(regex) => regex_tokens(regex),
        Pattern::Fuzzy(..) => Vec::new(),
    }
}

/// The longest ASCII text that every match contains in some case, if it is long enough to search for. A
/// network test on a field requires no particular text.
pub fn required_text(pattern: &Pattern) -> Option<String> {
    let fragments = match pattern {
        Pattern::Tokens(words) | Pattern::Near(words, _) => {
            tokens::folded(words.as_bytes()).into_iter().map(Fragment::Text).collect()
        }
        Pattern::Substring(part) => vec![Fragment::Text(part.clone())],
        Pattern::Glob(glob) => glob_fragments(glob),
        Pattern::Regex(regex) => regex_fragments(regex)?,
        Pattern::Network(_) | Pattern::Fuzzy(..) => return None,
    };
    let texts =
        fragments.iter().filter_map(|piece| if let Fragment::Text(text) = piece { Some(text) } else { None });
    // No character outside ASCII folds into ASCII, so ASCII here means ASCII in the text.
    let runs = texts.flat_map(|text| text.split(|character: char| !character.is_ascii()));
    runs.max_by_key(|run| run.len()).filter(|run| run.len() > 1).map(str::to_owned)
}

/// A fragment required a match.
#[derive(Clone, Debug, PartialEq)]
enum Fragment {
    /// Exactly this text.
    Text(String),
    /// Any text, including characters required an adjacent token.
    Unknown,
    /// A token boundary.
    Edge,
}

/// The tokens whose both ends lie within the fragments or at a boundary.
fn inner_tokens(fragments: &[Fragment]) -> Vec<String> {
    let parts = token_parts(fragments).into_iter();
    parts.filter(|part| part.at_start && part.at_end).map(|part| part.text).collect()
}

/// All tokens of the fragments, with the ends that lie within their fragment or at a boundary.
fn token_parts(fragments: &[Fragment]) -> Vec<TokenPart> {
    let is_edge = |at: Option<usize>| at.and_then(|at| fragments.get(at)) == Some(&Fragment::Edge);
    let mut found = Vec::new();
    for (index, fragment) in fragments.iter().enumerate() {
        let Fragment::Text(text) = fragment else { continue };
        let bytes = text.as_bytes();
        for (start, end) in tokens::ranges(bytes) {
            found.push(TokenPart {
                text: tokens::fold(&bytes[start..end]).into_owned(),
                at_start: start > 0 || is_edge(index.checked_sub(1)),
                at_end: end < bytes.len() || is_edge(Some(index + 1)),
            });
        }
    }
    found
}

/// Parts required tokens that every match contains and that are not whole tokens.
pub fn required_parts(pattern: &Pattern) -> Vec<TokenPart> {
    let fragments = match pattern {
        Pattern::Substring(part) => vec![Fragment::Text(part.clone())],
        Pattern::Glob(glob) => glob_fragments(glob),
        Pattern::Regex(regex) => regex_fragments(regex).unwrap_or_default(),
        Pattern::Tokens(_) | Pattern::Near(..) | Pattern::Network(_) | Pattern::Fuzzy(..) => Vec::new(),
    };
    let mut found = token_parts(&fragments);
    found.retain(|part| !(part.at_start && part.at_end) && part.is_selective());
    found
}

/// True if a text matches the pattern exactly when it has a token with the pattern's only part: a glob with a
/// star at one or both ends.
pub fn is_one_part(pattern: &Pattern) -> bool {
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(tokens::is_token_byte);
    match pattern {
        Pattern::Substring(part) => is_token(part),
        Pattern::Glob(glob) => is_token(glob.trim_matches('*')),
        _ => false,
    }
}

fn glob_tokens(glob: &str) -> Vec<String> {
    inner_tokens(&glob_fragments(glob))
}

/// A glob begins and ends at token boundaries, unless it begins or ends with a star.
fn glob_fragments(glob: &str) -> Vec<Fragment> {
    let mut fragments = vec![Fragment::Edge];
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '*' | '?' => None,
            '\\' => characters.next(),
            other => Some(other),
        };
        push(&mut fragments, literal);
    }
    fragments.push(Fragment::Edge);
    fragments
}

fn push(fragments: &mut Vec<Fragment>, literal: Option<char>) {
    match (fragments.last_mut(), literal) {
        (Some(Fragment::Text(text)), Some(character)) => text.push(character),
        (_, Some(character)) => fragments.push(Fragment::Text(character.to_string())),
        (_, None) => fragments.push(Fragment::Unknown),
    }
}

fn regex_tokens(regex: &RegexText) -> Vec<String> {
    regex_fragments(regex).map_or_else(Vec::new, |fragments| inner_tokens(&fragments))
}

fn regex_fragments(regex: &RegexText) -> Option<Vec<Fragment>> {
    let parsed = ParserBuilder::new()
        .case_insensitive(regex.ignore_case())
        .nest_limit(REGEX_NESTING)
        .build()
        .parse(regex.source());
    let mut fragments = Vec::new();
    walk(&parsed.ok()?, &mut fragments);
    Some(fragments)
}

fn walk(hir: &Hir, fragments: &mut Vec<Fragment>) {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().for_each(|character| push(fragments, Some(character))),
            Err(_) => push(fragments, None),
        },
        HirKind::Class(Class::Unicode(class)) => push(fragments, one_folded(class)),
        HirKind::Look(Look::Start | Look::End) => fragments.push(Fragment::Edge),
        HirKind::Capture(capture) => walk(&capture.sub, fragments),
        HirKind::Concat(parts) => parts.iter().for_each(|part| walk(part, fragments)),
        // A repeated expression that must occur once is required, but not the text next to it.
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            push(fragments, None);
            walk(&repetition.sub, fragments);
            push(fragments, None);
        }
        _ => push(fragments, None),
    }
}

/// The single lower-case character that a class matches, such as a letter in either case.
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
    use query::{Filter, parse};

    fn required(query: &str) -> Vec<String> {
        match parse(query) {
            Ok(Filter::Text(pattern)) => required_tokens(&pattern),
            other => panic!("{query} is no plain text: {other:?}"),
        }
    }

    #[test]
    fn required_parts_know_which_ends_are_open() {
        let parts = |query: &str| {
            let Ok(Filter::Text(pattern)) = parse(query) else { panic!("{query} is no plain text") };
            let star = |is_end: bool| if is_end { "" } else { "*" };
            let shown = required_parts(&pattern)
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
    fn few_tokens_of_a_long_phrase_are_looked_up() {
        let words: Vec<String> = (0..2_000).map(|n| format!("w{}", n % 700)).collect();
        let found = required(&format!("\"{}\"", words.join(" ")));
        assert_eq!(found.len(), LOOKED_UP_WORDS);
        assert!(
            found.iter().all(|token| words.contains(token)) && found.windows(2).all(|two| two[0] != two[1])
        );
    }

    #[test]
    fn only_text_of_every_match_is_required() {
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
            assert_eq!(required(query), expected, "{query}");
        }
    }
}
