//! Whether a pattern occurs in a text. The scan of raw bytes and the check of what the index found are
//! this code, so they agree by construction.

use memchr::{memchr, memchr2};
use regex_automata::meta::Regex;

use crate::query::Pattern;
use crate::query::network::Network;
use crate::storage::{Fuzzy, TokenPart};
use crate::tokens;

/// A pattern made ready to be looked for many times.
#[derive(Debug)]
pub enum Matcher {
    /// Folded tokens that must follow each other. None at all match everything.
    Tokens(Vec<String>),
    /// The same with at most so many other tokens between them.
    Near(Vec<String>, usize),
    Fuzzy(Fuzzy),
    Glob(Vec<Piece>),
    Substring(String),
    Regex(Regex),
    /// Of a value that is no address its tokens are looked for.
    Network(Network, Vec<String>),
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Run,
    One,
    Character(char),
}

impl Matcher {
    pub fn new(pattern: &Pattern) -> Matcher {
        match pattern {
            Pattern::Tokens(words) => Matcher::Tokens(tokens::folded(words.as_bytes())),
            Pattern::Fuzzy(word, edits) => {
                Fuzzy::new(&fold_text(word), *edits).map_or(Matcher::Never, Matcher::Fuzzy)
            }
            Pattern::Substring(part) => Matcher::Substring(fold_text(part)),
            Pattern::Glob(glob) => Matcher::Glob(pieces(glob)),
            Pattern::Near(words, slop) => Matcher::Near(tokens::folded(words.as_bytes()), *slop as usize),
            Pattern::Regex(regex) => regex.matcher().map_or(Matcher::Never, Matcher::Regex),
            Pattern::Network(text) => match Network::parse(text) {
                Some(network) => Matcher::Network(network, tokens::folded(text.as_bytes())),
                None => Matcher::Tokens(tokens::folded(text.as_bytes())),
            },
        }
    }

    /// Looks for tokens that have a part.
    pub fn of_part(part: &TokenPart) -> Matcher {
        if !part.at_start && !part.at_end {
            return Matcher::Substring(part.text.clone());
        }
        let mut pieces: Vec<Piece> = part.text.chars().map(Piece::Character).collect();
        if !part.at_start {
            pieces.insert(0, Piece::Run);
        }
        if !part.at_end {
            pieces.push(Piece::Run);
        }
        Matcher::Glob(pieces)
    }

    pub fn is_in(&self, text: &[u8]) -> bool {
        match self {
            Matcher::Tokens(tokens) | Matcher::Network(_, tokens) => has_tokens(text, tokens),
            Matcher::Fuzzy(words) => words.is_in(text),
            Matcher::Substring(part) => has_substring(text, part),
            Matcher::Glob(pieces) => has_glob(&String::from_utf8_lossy(text), pieces),
            Matcher::Near(tokens, slop) => has_near(text, tokens, *slop),
            Matcher::Regex(regex) => regex.is_match(String::from_utf8_lossy(text).as_bytes()),
            Matcher::Never => false,
        }
    }

    /// Whether a value can have a part of what is looked for with this word, or all of it, where texts have other words
    /// before and behind the value: those of a phrase that stand in it side by side go on beyond it at its ends only.
    pub fn may_be_partly_in(&self, value: &[u8], word: &str) -> bool {
        match self {
            Matcher::Tokens(words) if words.len() > 1 => {
                has_tokens(value, words) || has_part(value, words, word)
            }
            other => other.is_in(value),
        }
    }

    /// The whole text matches, for values of fields.
    pub fn is_whole(&self, text: &str) -> bool {
        match self {
            Matcher::Glob(pieces) => glob_end(&fold_text(text), pieces, false, &|rest| rest.is_empty()),
            Matcher::Network(network, tokens) => {
                network.holds(text).unwrap_or_else(|| has_tokens(text.as_bytes(), tokens))
            }
            other => other.is_in(text.as_bytes()),
        }
    }
}

/// Lower case, except where a character beyond ASCII would become ASCII: see [`tokens::fold`].
fn fold_text(text: &str) -> String {
    tokens::fold(text.as_bytes()).into_owned()
}

fn has_tokens(text: &[u8], wanted: &[String]) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return true };
    if !first.is_ascii() {
        return has_tokens_of_any_script(text, wanted);
    }
    let first = first.as_bytes();
    let (lower, upper) = (first[0], first[0].to_ascii_uppercase());
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|tail| memchr2(lower, upper, tail)) {
        let start = at + found;
        at = start + 1;
        let end = start + first.len();
        let begins = start == 0 || !tokens::is_token_byte(text[start - 1]);
        if begins && is_token(text, start, end, first) && follow(text, end, rest) {
            return true;
        }
    }
    false
}

/// Whether the token that starts here is this ASCII one, in whatever case.
fn is_token(text: &[u8], start: usize, end: usize, token: &[u8]) -> bool {
    text.get(start..end).is_some_and(|found| found.eq_ignore_ascii_case(token))
        && text.get(end).is_none_or(|&next| !tokens::is_token_byte(next))
}

fn follow(text: &[u8], at: usize, rest: &[String]) -> bool {
    let mut found = tokens::ranges(&text[at..]);
    rest.iter().all(|wanted| {
        found.next().is_some_and(|(start, end)| tokens::fold(&text[at + start..at + end]).as_ref() == wanted)
    })
}

/// Whether the tokens of a text end with the beginning of a phrase, begin with its end, or are from its middle, and the
/// word is among those.
fn has_part(text: &[u8], words: &[String], word: &str) -> bool {
    let [others @ .., _] = words else { return false };
    let is_one_of = |words: &[String], (start, end)| {
        let token = tokens::fold(&text[start..end]);
        words.iter().any(|word| *word == token)
    };
    let (Some(first), Some(last)) = (tokens::ranges(text).next(), tokens::last_range(text)) else {
        return false;
    };
    // Nearly no value has any of them at its ends.
    if !is_one_of(&words[1..], first) && !is_one_of(others, last) {
        return false;
    }
    let tokens = tokens::folded(text);
    (1..words.len()).any(|at| {
        let (before, behind) = words.split_at(at);
        let (ending, beginning) = (tokens.len().min(before.len()), tokens.len().min(behind.len()));
        let (at_end, at_start) = (&before[at - ending..], &behind[..beginning]);
        let has = |part: &[String]| part.iter().any(|one| one == word);
        has(at_end) && tokens.ends_with(at_end) || has(at_start) && tokens.starts_with(at_start)
    })
}

fn has_tokens_of_any_script(text: &[u8], wanted: &[String]) -> bool {
    tokens::folded(text).windows(wanted.len()).any(|window| window == wanted)
}

/// Whether the tokens occur in their order with at most `slop` others between them in all. From each place of
/// the first token the nearest next ones are the best, so one walk from each decides.
fn has_near(text: &[u8], wanted: &[String], slop: usize) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return true };
    let tokens = tokens::folded(text);
    let starts = tokens.iter().enumerate().filter(|(_, token)| *token == first);
    starts.into_iter().any(|(start, _)| {
        let last = (start + wanted.len() + slop).min(tokens.len());
        let mut places = tokens[start + 1..last].iter();
        rest.iter().all(|token| places.any(|found| found == token))
    })
}

fn has_substring(text: &[u8], part: &str) -> bool {
    let Some(&first) = part.as_bytes().first() else { return true };
    if !part.is_ascii() {
        return fold_text(&String::from_utf8_lossy(text)).contains(part);
    }
    let upper = first.to_ascii_uppercase();
    let mut at = 0;
    loop {
        let Some(tail) = text.get(at..) else { return false };
        let found = if upper == first { memchr(first, tail) } else { memchr2(first, upper, tail) };
        let Some(found) = found else { return false };
        let start = at + found;
        if text
            .get(start..start + part.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(part.as_bytes()))
        {
            return true;
        }
        at = start + 1;
    }
}

fn pieces(glob: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' if pieces.last() == Some(&Piece::Run) => {}
            '*' => pieces.push(Piece::Run),
            '?' => pieces.push(Piece::One),
            '\\' => pieces.extend(characters.next().into_iter().flat_map(literal)),
            other => pieces.extend(literal(other)),
        }
    }
    pieces
}

fn literal(character: char) -> Vec<Piece> {
    fold_text(&character.to_string()).chars().map(Piece::Character).collect()
}

/// A glob begins and ends where a token does, unless it begins or ends with a star or no token character.
fn has_glob(text: &str, pieces: &[Piece]) -> bool {
    let folded = fold_text(text);
    let bounded = |piece: Option<&Piece>| matches!(piece, Some(Piece::Character(c)) if is_token_char(*c));
    let (head, tail) = (bounded(pieces.first()), bounded(pieces.last()));
    let ends = |rest: &str| !tail || !rest.chars().next().is_some_and(is_token_char);
    let mut before = None;
    for (at, character) in folded.char_indices() {
        if !(head && before.is_some_and(is_token_char)) && glob_end(&folded[at..], pieces, true, &ends) {
            return true;
        }
        before = Some(character);
    }
    false
}

fn is_token_char(character: char) -> bool {
    !character.is_ascii() || tokens::is_token_byte(character as u8)
}

/// Whether the pieces match from the start of the text up to a place where `ends` holds. Runs in time
/// proportional to text times pieces: only the last star is ever tried again.
fn glob_end(text: &str, pieces: &[Piece], in_word: bool, ends: &dyn Fn(&str) -> bool) -> bool {
    let crosses = |c: char| !(in_word && c.is_whitespace());
    let (mut rest, mut at) = (text, 0);
    let mut retry: Option<(&str, usize)> = None;
    loop {
        if at == pieces.len() && ends(rest) {
            return true;
        }
        let next = rest.chars().next();
        let step = match (pieces.get(at), next) {
            (Some(Piece::Run), _) => {
                retry = Some((rest, at + 1));
                at += 1;
                continue;
            }
            (Some(Piece::One), Some(c)) => crosses(c).then_some(c),
            (Some(Piece::Character(wanted)), Some(c)) => (*wanted == c).then_some(c),
            _ => None,
        };
        if let Some(character) = step {
            rest = &rest[character.len_utf8()..];
            at += 1;
            continue;
        }
        match retry {
            Some((from, piece)) => match from.chars().next() {
                Some(character) if crosses(character) => {
                    rest = &from[character.len_utf8()..];
                    at = piece;
                    retry = Some((rest, piece));
                }
                _ => return false,
            },
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finds(query: &str, text: &str) -> bool {
        match crate::query::parse(query) {
            Ok(crate::query::Filter::Text(pattern)) => Matcher::new(&pattern).is_in(text.as_bytes()),
            other => panic!("{query} is no plain text: {other:?}"),
        }
    }

    #[test]
    fn words_match_whole_tokens_in_any_case() {
        assert!(finds("ERROR", "an error occurred"));
        assert!(!finds("err", "an error occurred"));
        assert!(finds("10.0.0.1", "from 10.0.0.1:80"));
        assert!(!finds("10.0.0.1", "from 10.0.0.12"));
        assert!(finds("\"connection reset\"", "Connection  reset by peer"));
        assert!(!finds("\"reset connection\"", "connection reset"));
        assert!(finds("größe", "Die GRÖSSE heißt GRÖßE"));
    }

    #[test]
    fn stars_reach_inside_words() {
        assert!(finds("*rror*", "an ERROR occurred"));
        assert!(finds("err*", "an error occurred"));
        assert!(!finds("rr*", "an error occurred"));
        assert!(finds("e?ror", "error"));
        assert!(finds("/api/*/items", "GET /api/cart/items HTTP"));
        assert!(!finds("a*z", "a b z"));
        assert!(finds("*or", "error"));
    }

    proptest! {
        #[test]
        fn a_value_that_a_phrase_reaches_into_is_not_passed_over(
            text in prop::collection::vec("[a-c]|Gr\u{f6}", 2..9),
            ends in prop::array::uniform4(0..9_usize),
        ) {
            let range = |one: usize, other: usize| {
                let (one, other) = (one.min(text.len()), other.min(text.len()));
                one.min(other)..one.max(other)
            };
            let (value, phrase) = (range(ends[0], ends[1]), range(ends[2], ends[3]));
            let share = value.start.max(phrase.start)..value.end.min(phrase.end);
            prop_assume!(phrase.len() > 1 && !share.is_empty());
            let matcher = Matcher::Tokens(tokens::folded(text[phrase].join(" ").as_bytes()));
            for word in tokens::folded(text[share].join(" ").as_bytes()) {
                prop_assert!(matcher.may_be_partly_in(text[value.clone()].join("-").as_bytes(), &word));
            }
        }
    }

    #[test]
    fn values_that_have_words_of_a_phrase_elsewhere_are_passed_over() {
        let matcher = Matcher::Tokens(tokens::folded(b"10.165.53.67"));
        for value in ["/a/67", "/a/53-67/b", "Safari/531.53", "1.67.165.53", ""] {
            for word in ["10", "165", "53", "67"] {
                assert!(!matcher.may_be_partly_in(value.as_bytes(), word), "{value}");
            }
        }
        for (value, word) in [("67/10.165", "53"), ("/a/10", "67")] {
            assert!(!matcher.may_be_partly_in(value.as_bytes(), word), "{value}");
        }
        for (value, word) in [
            ("/a/10", "10"),
            ("165.53", "165"),
            ("67/a", "67"),
            ("to 10.165.53.67 again", "53"),
            ("53", "53"),
        ] {
            assert!(matcher.may_be_partly_in(value.as_bytes(), word), "{value}");
        }
    }

    #[test]
    fn a_glob_made_to_explode_does_not() {
        assert!(!finds("a*a*a*a*a*a*a*a*b", &"a".repeat(20_000)));
    }
}
