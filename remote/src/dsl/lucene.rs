//! Patterns as Lucene's regular expressions, which must match a whole value.
//!
//! Lucene has no flag for the case of letters beyond ASCII, and its character classes are those of no other language; so
//! every letter is written with all characters that fold to it, and every sign with a backslash before it.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

use indexer::tokens;

/// Any character that is in no token.
pub const BETWEEN: &str = "[^0-9A-Za-z_\u{80}-\u{10ffff}]";

/// Any character that is no white space; a star in the text of an event stays within them.
const NO_SPACE: &str =
    "[^\u{9}-\u{d} \u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}]";

/// How a pattern is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The value of a field: a glob is all of it.
    Value,
    /// The text of an event: a glob is somewhere in it, within words.
    Text,
}

/// A sign or letter as itself.
pub fn escaped(character: char, to: &mut String) {
    if character.is_ascii_punctuation() {
        to.push('\\');
    }
    to.push(character);
}

/// A character in any case.
fn any_case(character: char, to: &mut String) {
    let same = same_when_folded(character);
    if let [only] = same.as_slice() {
        escaped(*only, to);
        return;
    }
    to.push('[');
    for &one in &same {
        escaped(one, to);
    }
    to.push(']');
}

/// Characters beyond ASCII by what they fold to.
static FOLDED: OnceLock<HashMap<char, Vec<char>>> = OnceLock::new();

/// All characters that fold to the same one as this.
fn same_when_folded(character: char) -> Vec<char> {
    if character.is_ascii() {
        let (lower, upper) = (character.to_ascii_lowercase(), character.to_ascii_uppercase());
        return if lower == upper { vec![lower] } else { vec![lower, upper] };
    }
    let folded = FOLDED.get_or_init(|| {
        let mut folded: HashMap<char, Vec<char>> = HashMap::new();
        for one in (0x80..=0x0010_ffff).filter_map(char::from_u32) {
            let to = folded_character(one);
            if to != one {
                folded.entry(to).or_insert_with(|| vec![to]).push(one);
            }
        }
        folded
    });
    let to = folded_character(character);
    folded.get(&to).cloned().unwrap_or_else(|| vec![to])
}

fn folded_character(character: char) -> char {
    let mut buffer = [0; 4];
    let folded = tokens::fold(character.encode_utf8(&mut buffer).as_bytes());
    let mut all = folded.chars();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

pub fn any_case_text(text: &str) -> String {
    let mut expression = String::new();
    text.chars().for_each(|character| any_case(character, &mut expression));
    expression
}

/// Tokens in a row, with anything between them.
pub fn with_tokens(words: &str) -> Option<String> {
    let words = tokens::folded(words.as_bytes());
    let all: Vec<String> = words.iter().map(|word| any_case_text(word)).collect();
    (!all.is_empty()).then(|| format!("(.*{BETWEEN})?{}({BETWEEN}.*)?", all.join(&format!("{BETWEEN}+"))))
}

/// Two tokens with at most so many others between them. Of more than two the sum of what is between them has no
/// counterpart.
pub fn with_near_tokens(words: &str, slop: u32) -> Option<String> {
    let words = tokens::folded(words.as_bytes());
    let [first, second] = words.as_slice() else { return None };
    let (first, second) = (any_case_text(first), any_case_text(second));
    let token = "[0-9A-Za-z_\u{80}-\u{10ffff}]";
    let gap = format!("{BETWEEN}+({token}+{BETWEEN}+){{0,{slop}}}");
    Some(format!("(.*{BETWEEN})?{first}{gap}{second}({BETWEEN}.*)?"))
}

pub fn with_substring(part: &str) -> String {
    format!(".*{}.*", any_case_text(&tokens::fold(part.as_bytes())))
}

/// A glob with `*` and `?`; a backslash takes the next character as it is.
pub fn with_glob(glob: &str, within: Within) -> String {
    let any = if within == Within::Value { "." } else { NO_SPACE };
    let (mut expression, mut first, mut last) = (String::new(), None, None);
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        let literal = match character {
            '*' => {
                let _ = write!(expression, "{any}*");
                None
            }
            '?' => {
                expression.push_str(any);
                None
            }
            '\\' => characters.next(),
            other => Some(other),
        };
        if let Some(literal) = literal {
            any_case(literal, &mut expression);
        }
        first = first.or(Some(literal));
        last = Some(literal);
    }
    if within == Within::Value {
        return expression;
    }
    let bounded = |end: Option<Option<char>>| {
        end.flatten().is_some_and(|c| !c.is_ascii() || tokens::is_token_byte(c as u8))
    };
    let head = if bounded(first) { format!("(.*{BETWEEN})?") } else { ".*".to_owned() };
    let tail = if bounded(last) { format!("({BETWEEN}.*)?") } else { ".*".to_owned() };
    format!("{head}{expression}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_written_in_every_case() {
        assert_eq!(any_case_text("aß.k"), "[aA][ßẞ]\\.[kK]");
        assert_eq!(same_when_folded('\u{212a}'), ['\u{212a}'], "the Kelvin sign is no k");
    }

    #[test]
    fn phrases_and_globs_end_at_tokens() {
        assert_eq!(
            with_tokens("a-b").as_deref(),
            Some(format!("(.*{BETWEEN})?[aA]{BETWEEN}+[bB]({BETWEEN}.*)?").as_str())
        );
        assert_eq!(with_tokens("--"), None);
        assert_eq!(with_glob("a*\\*", Within::Value), "[aA].*\\*");
        assert!(with_glob("a*", Within::Text).starts_with("(.*"));
    }
}
