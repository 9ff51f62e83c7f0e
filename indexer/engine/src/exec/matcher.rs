//! Tests whether a pattern occurs in a text. The scan of raw bytes and the verification of index candidates
//! both use this code, so they agree by construction.

use memchr::{memchr, memchr2};
use regex_automata::meta::Regex;

use super::literal::rarest;
use base::tokens;
use query::Pattern;
use query::network::Network;
use store::{Fuzzy, TokenPart};

/// A compiled pattern.
#[derive(Debug)]
pub enum Matcher {
    /// Folded tokens that must be adjacent. An empty list matches everything.
    Tokens(Vec<String>),
    /// The same with at most this many other tokens between them.
    Near(Vec<String>, usize),
    Fuzzy(Fuzzy),
    Glob(Vec<GlobToken>),
    Substring(String),
    Regex(Regex),
    /// A network; a value that is not an address is searched for the tokens.
    Network(Network, Vec<String>),
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobToken {
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
            Pattern::Glob(glob) => Matcher::Glob(glob_tokens(glob)),
            Pattern::Near(words, slop) => Matcher::Near(tokens::folded(words.as_bytes()), *slop as usize),
            Pattern::Regex(regex) => regex.matcher().map_or(Matcher::Never, Matcher::Regex),
            Pattern::Network(text) => match Network::parse(text) {
                Some(network) => Matcher::Network(network, tokens::folded(text.as_bytes())),
                None => Matcher::Tokens(tokens::folded(text.as_bytes())),
            },
        }
    }

    /// A matcher for tokens that contain a part.
    pub fn from_part(part: &TokenPart) -> Matcher {
        if !part.at_start && !part.at_end {
            return Matcher::Substring(part.text.clone());
        }
        let mut glob_tokens: Vec<GlobToken> = part.text.chars().map(GlobToken::Character).collect();
        if !part.at_start {
            glob_tokens.insert(0, GlobToken::Run);
        }
        if !part.at_end {
            glob_tokens.push(GlobToken::Run);
        }
        Matcher::Glob(glob_tokens)
    }

    #[must_use]
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.is_in_from(text, 0)
    }

    /// The same where the literal of the pattern, which is part of every match, does not begin before a position.
    #[must_use]
    pub fn is_in_from(&self, text: &[u8], literal: usize) -> bool {
        match self {
            // Of several words, the literal may be a later one.
            Matcher::Tokens(tokens) if tokens.len() == 1 => has_tokens(text, tokens, literal),
            Matcher::Tokens(tokens) | Matcher::Network(_, tokens) => has_tokens(text, tokens, 0),
            Matcher::Fuzzy(words) => words.is_in(text),
            Matcher::Substring(part) => has_substring(text, part),
            Matcher::Glob(glob_tokens) => has_glob(&String::from_utf8_lossy(text), glob_tokens),
            Matcher::Near(tokens, slop) => has_near(text, tokens, *slop),
            Matcher::Regex(regex) => regex.is_match(String::from_utf8_lossy(text).as_bytes()),
            Matcher::Never => false,
        }
    }

    /// True if a value that contains `word` can hold all of a match or a piece of it, when other words
    /// precede and follow the value in the event. Words of a phrase cross the boundary of a value only at its
    /// ends.
    #[must_use]
    pub fn may_be_partly_in(&self, value: &[u8], word: &str) -> bool {
        match self {
            Matcher::Tokens(words) if words.len() > 1 => {
                has_tokens(value, words, 0) || has_part(value, words, word)
            }
            other => other.is_in(value),
        }
    }

    /// True if the whole text matches; for field values.
    #[must_use]
    pub fn is_whole(&self, text: &str) -> bool {
        match self {
            Matcher::Glob(glob_tokens) => {
                glob_end(&fold_text(text), glob_tokens, false, &|rest| rest.is_empty())
            }
            Matcher::Network(network, tokens) => {
                network.holds(text).unwrap_or_else(|| has_tokens(text.as_bytes(), tokens, 0))
            }
            other => other.is_in(text.as_bytes()),
        }
    }
}

/// Lower case, but a character outside ASCII never becomes ASCII: see [`tokens::fold`].
fn fold_text(text: &str) -> String {
    tokens::fold(text.as_bytes()).into_owned()
}

/// Whether a text has tokens next to each other, and the first does not begin before a position.
fn has_tokens(text: &[u8], wanted: &[String], from: usize) -> bool {
    let Some((first, rest)) = wanted.split_first() else { return true };
    if !first.is_ascii() {
        return has_tokens_of_any_script(text, wanted);
    }
    let first = first.as_bytes();
    let rare = rarest(first);
    let (lower, upper) = (first[rare], first[rare].to_ascii_uppercase());
    let mut at = from + rare;
    while let Some(found) = text.get(at..).and_then(|tail| memchr2(lower, upper, tail)) {
        let start = at + found - rare;
        at += found + 1;
        let end = start + first.len();
        let begins = start == 0 || !tokens::is_token_byte(text[start - 1]);
        if begins && is_token(text, start, end, first) && follow(text, end, rest) {
            return true;
        }
    }
    false
}

/// True if the token at `start..end` equals this ASCII token, ignoring case.
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

/// True if the text ends with the start of the phrase, starts with its end, or lies inside it, and the shared
/// words include `word`.
fn has_part(text: &[u8], words: &[String], word: &str) -> bool {
    let [others @ .., _] = words else { return false };
    let is_one_of = |words: &[String], (start, end)| {
        let token = tokens::fold(&text[start..end]);
        words.iter().any(|word| *word == token)
    };
    let (Some(first), Some(last)) = (tokens::ranges(text).next(), tokens::last_range(text)) else {
        return false;
    };
    // Early exit: nearly no value has one of the words at its ends.
    if !is_one_of(&words[1..], first) && !is_one_of(others, last) {
        return false;
    }
    let tokens = tokens::folded(text);
    (1..words.len()).any(|at| {
        let (before, after) = words.split_at(at);
        let (ending, beginning) = (tokens.len().min(before.len()), tokens.len().min(after.len()));
        let (at_end, at_start) = (&before[at - ending..], &after[..beginning]);
        let has = |part: &[String]| part.iter().any(|one| one == word);
        tokens.ends_with(at_end) && has(at_end) || tokens.starts_with(at_start) && has(at_start)
    })
}

fn has_tokens_of_any_script(text: &[u8], wanted: &[String]) -> bool {
    tokens::folded(text).windows(wanted.len()).any(|window| window == wanted)
}

/// True if the tokens occur in order with at most `slop` other tokens between them in total. From each
/// occurrence of the first token the nearest next ones are the best, so one pass from each decides.
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

fn glob_tokens(glob: &str) -> Vec<GlobToken> {
    let mut glob_tokens = Vec::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' if glob_tokens.last() == Some(&GlobToken::Run) => {}
            '*' => glob_tokens.push(GlobToken::Run),
            '?' => glob_tokens.push(GlobToken::One),
            '\\' => glob_tokens.extend(characters.next().into_iter().flat_map(literal)),
            other => glob_tokens.extend(literal(other)),
        }
    }
    glob_tokens
}

fn literal(character: char) -> Vec<GlobToken> {
    fold_text(&character.to_string()).chars().map(GlobToken::Character).collect()
}

/// A glob begins and ends at a token boundary, unless that end is a star or not a token character.
fn has_glob(text: &str, glob_tokens: &[GlobToken]) -> bool {
    let folded = fold_text(text);
    let bounded =
        |piece: Option<&GlobToken>| matches!(piece, Some(GlobToken::Character(c)) if is_token_char(*c));
    let (head, tail) = (bounded(glob_tokens.first()), bounded(glob_tokens.last()));
    let ends = |rest: &str| !tail || !rest.chars().next().is_some_and(is_token_char);
    let star = glob_tokens.iter().position(|token| *token == GlobToken::Run);
    let (start, rest) = glob_tokens.split_at(star.unwrap_or(glob_tokens.len()));
    // Where the text up to the first star begins with `start` and the rest does not follow, it does not follow later
    // before that white space either: the star would have crossed what lies between.
    let mut hopeless = 0;
    let mut before = None;
    for (at, character) in folded.char_indices() {
        if !(head && before.is_some_and(is_token_char))
            && let Some(end) = start_end(&folded[at..], start).map(|length| at + length)
            && (star.is_none() || end >= hopeless)
        {
            let after = &folded[end..];
            if glob_end(after, rest, true, &ends) {
                return true;
            }
            hopeless = end + after.find(char::is_whitespace).unwrap_or(after.len()) + 1;
        }
        before = Some(character);
    }
    false
}

/// Where the part of a glob before its first star ends, if a text begins with it.
fn start_end(text: &str, start: &[GlobToken]) -> Option<usize> {
    let mut rest = text.chars();
    let is_next = |token: &GlobToken| match (token, rest.next()) {
        (GlobToken::Character(wanted), Some(found)) => *wanted == found,
        (_, found) => found.is_some_and(|found| !found.is_whitespace()),
    };
    start.iter().all(is_next).then(|| text.len() - rest.as_str().len())
}

fn is_token_char(character: char) -> bool {
    !character.is_ascii() || tokens::is_token_byte(character as u8)
}

/// True if the glob matches from the start of the text to a position where `ends` is true. The time is
/// proportional to text times glob: only the last star is ever retried.
fn glob_end(text: &str, glob_tokens: &[GlobToken], in_word: bool, ends: &dyn Fn(&str) -> bool) -> bool {
    let crosses = |c: char| !(in_word && c.is_whitespace());
    let (mut rest, mut at) = (text, 0);
    let mut retry: Option<(&str, usize)> = None;
    loop {
        if at == glob_tokens.len() && ends(rest) {
            return true;
        }
        let next = rest.chars().next();
        let step = match (glob_tokens.get(at), next) {
            (Some(GlobToken::Run), _) => {
                retry = Some((rest, at + 1));
                at += 1;
                continue;
            }
            (Some(GlobToken::One), Some(c)) => crosses(c).then_some(c),
            (Some(GlobToken::Character(wanted)), Some(c)) => (*wanted == c).then_some(c),
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
        match query::parse(query) {
            Ok(query::Filter::Text(pattern)) => Matcher::new(&pattern).is_in(text.as_bytes()),
            other => panic!("{query} is no plain text: {other:?}"),
        }
    }

    #[test]
    fn words_match_whole_tokens_ignoring_case() {
        assert!(finds("ERROR", "an error occurred"));
        assert!(!finds("err", "an error occurred"));
        assert!(finds("10.0.0.1", "from 10.0.0.1:80"));
        assert!(!finds("10.0.0.1", "from 10.0.0.12"));
        assert!(finds("\"connection reset\"", "Connection  reset by peer"));
        assert!(!finds("\"reset connection\"", "connection reset"));
        assert!(finds("größe", "Die GRÖSSE heißt GRÖßE"));
    }

    #[test]
    fn stars_match_inside_words() {
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
        fn value_that_overlaps_a_phrase_is_kept(
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
    fn value_with_phrase_words_elsewhere_is_dropped() {
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
    fn glob_with_many_stars_takes_linear_time() {
        assert!(!finds("a*a*a*a*a*a*a*a*b", &"a".repeat(20_000)));
        for glob in ["*1*2*3*4*5*", "1*2*3*4*5*", "1*2*3*4*5", "*1?2*3"] {
            for word in ["1", "1.", "1234.", "1 2 3 4 ", "12 "] {
                assert!(!finds(glob, &word.repeat(200_000)), "{glob} in {word}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn glob_is_found_where_it_matches_at_some_place(
            glob in "[ab*? .]{1,7}",
            text in "[ab .\u{e4}\u{2003}]{0,12}",
        ) {
            let tokens = glob_tokens(&glob);
            let is_word = |token: Option<&GlobToken>| {
                matches!(token, Some(GlobToken::Character(c)) if is_token_char(*c))
            };
            let (head, tail) = (is_word(tokens.first()), is_word(tokens.last()));
            let ends = |rest: &str| !tail || !rest.chars().next().is_some_and(is_token_char);
            let begins = |at: usize| !head || !text[..at].chars().next_back().is_some_and(is_token_char);
            let expected = text
                .char_indices()
                .any(|(at, _)| begins(at) && glob_end(&text[at..], &tokens, true, &ends));
            prop_assert_eq!(has_glob(&text, &tokens), expected);
        }
    }
}
