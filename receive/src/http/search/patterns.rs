//! Words, wildcards and expressions of clauses as patterns of our language.

use indexer::query::{Filter, Pattern, RegexText, Test};
use serde_json::Value;

use super::names::field_test;
use super::options::{text_of, unsupported};
use crate::http::answer::Problem;

/// A word with the edits that a fuzziness allows it: `AUTO` none up to two letters, one up to five, else two.
pub fn fuzzy_pattern(token: &str, fuzziness: Option<&Value>) -> Result<Pattern, Problem> {
    let edits = match fuzziness {
        None | Some(Value::Null) => 0,
        Some(value) => match text_of(Some(value)).as_str() {
            "0" => 0,
            "1" => 1,
            "2" => 2,
            "AUTO" | "auto" => match token.chars().count() {
                0..=2 => 0,
                3..=5 => 1,
                _ => 2,
            },
            other => return Err(unsupported("match", &format!("fuzziness [{other}]"))),
        },
    };
    let is_word = token.chars().count() <= 40 && !token.contains(|c: char| c.is_ascii_digit());
    Ok(if edits > 0 && is_word {
        Pattern::Fuzzy(token.to_owned(), edits)
    } else {
        Pattern::Tokens(token.to_owned())
    })
}

pub fn glob(field: &str, pattern: String) -> Filter {
    let pattern = Pattern::Glob(pattern);
    if field == "raw" {
        Filter::Text(pattern)
    } else {
        field_test(field, Test::Matches(vec![glob_within(pattern)]))
    }
}

/// A glob asks for the whole value of a field; a word of a message may be anywhere in it.
fn glob_within(pattern: Pattern) -> Pattern {
    let Pattern::Glob(glob) = &pattern else { return pattern };
    let inner = wildcard(glob);
    let inner = inner.trim_start_matches('^').trim_end_matches('$').replace(".*", "\\w*");
    RegexText::new(&format!("\\b{inner}\\b"), true).map_or(pattern, Pattern::Regex)
}

pub fn regex(field: &str, source: &str, ignores_case: bool) -> Result<Filter, Problem> {
    let text = RegexText::new(source, ignores_case)
        .map_err(|error| Problem::argument(format!("the expression [{source}] cannot be read: {error}")))?;
    Ok(field_test(field, Test::Matches(vec![Pattern::Regex(text)])))
}

/// The expression of a pattern with `*` and `?`; a backslash takes the next character as it is.
pub fn wildcard(pattern: &str) -> String {
    let mut source = "^(?s:".to_owned();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' => source.push_str(".*"),
            '?' => source.push('.'),
            '\\' => source.extend(characters.next().map(|next| escaped(&next.to_string()))),
            other => source.push_str(&escaped(&other.to_string())),
        }
    }
    source + ")$"
}

pub fn escaped(text: &str) -> String {
    let special = |c: char| {
        !c.is_alphanumeric() && c.is_ascii() && !c.is_ascii_whitespace() && c != '_' && c != '"' && c != '/'
    };
    text.chars().fold(String::new(), |mut escaped, character| {
        if special(character) {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}

pub fn glob_escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('*', "\\*").replace('?', "\\?")
}
