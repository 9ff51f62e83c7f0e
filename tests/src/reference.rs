//! The plainest reading of a query: every event looked at, one by one, without a line of the engine's.
//!
//! It covers what the property tests ask, and panics on what it does not understand rather than guess.

use indexer::query::{Filter, Op, Pattern, Test};
use indexer::{Event, FieldValue, Level, tokens};

/// Whether an event passes a filter.
#[must_use]
pub fn passes(filter: &Filter, event: &Event, source: &str, fields: &[FieldValue]) -> bool {
    match filter {
        Filter::Everything => true,
        Filter::And(parts) => parts.iter().all(|part| passes(part, event, source, fields)),
        Filter::Or(parts) => parts.iter().any(|part| passes(part, event, source, fields)),
        Filter::Not(inner) => !passes(inner, event, source, fields),
        Filter::Text(pattern) => occurs(pattern, event.text.as_bytes()),
        Filter::Field { field, test, .. } => match field.as_str() {
            "raw" => text_passes(test, &event.text),
            "source" => text_passes(test, source),
            "line" => number_passes(test, event.line as f64),
            "level" => level_passes(test, event.level),
            name => fields.iter().filter(|value| value.name == name).any(|value| {
                match value.value.parse::<f64>() {
                    Ok(number) => number_passes(test, number),
                    Err(_) => text_passes(test, &value.value),
                }
            }),
        },
    }
}

fn occurs(pattern: &Pattern, raw: &[u8]) -> bool {
    match pattern {
        Pattern::Tokens(words) => {
            let (words, text) = (tokens::folded(words.as_bytes()), tokens::folded(raw));
            words.is_empty() || text.windows(words.len()).any(|window| window == words)
        }
        Pattern::Near(..) | Pattern::Regex(_) | Pattern::Network(_) => panic!("this is not asked here"),
        Pattern::Substring(part) => tokens::fold(raw).contains(tokens::fold(part.as_bytes()).as_ref()),
        Pattern::Glob(glob) => {
            // The globs asked here are a prefix, a path prefix and one with a single `?`, over words without spaces.
            let text = tokens::fold(raw).into_owned();
            let starts = text.char_indices().map(|(at, _)| at);
            let mut starts = starts
                .filter(|&at| at == 0 || !is_word(&text[..at]) || !glob.starts_with(char::is_alphanumeric));
            match glob.strip_suffix('*') {
                Some(head) => starts.any(|at| text[at..].starts_with(head)),
                None => starts.any(|at| {
                    let token: String =
                        text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    token.chars().count() == glob.chars().count()
                        && token.chars().zip(glob.chars()).all(|(have, want)| want == '?' || have == want)
                }),
            }
        }
    }
}

fn is_word(before: &str) -> bool {
    before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii())
}

fn text_passes(test: &Test, value: &str) -> bool {
    match test {
        Test::Exists => true,
        Test::Matches(patterns) => patterns.iter().any(|pattern| occurs(pattern, value.as_bytes())),
        Test::Compare(..) | Test::Range(_) => panic!("no text is compared here"),
    }
}

fn number_passes(test: &Test, value: f64) -> bool {
    let compare = |op: &Op, wanted: &str| op.holds(value.total_cmp(&wanted.parse().expect("a number")));
    match test {
        Test::Exists => true,
        Test::Compare(op, wanted) => compare(op, wanted),
        Test::Range(_) => panic!("no range is asked for here"),
        Test::Matches(patterns) => patterns.iter().any(|pattern| match pattern {
            Pattern::Tokens(wanted) => compare(&Op::Equal, wanted),
            _ => panic!("no number is matched with a wildcard here"),
        }),
    }
}

fn level_passes(test: &Test, level: Level) -> bool {
    let named = |name: &str| Level::ALL.into_iter().find(|level| level.name() == name).expect("a level");
    level != Level::None
        && match test {
            Test::Exists => true,
            Test::Compare(op, wanted) => op.holds(level.cmp(&named(wanted))),
            Test::Range(_) => panic!("no range is asked for here"),
            Test::Matches(patterns) => {
                patterns.iter().any(|p| *p == Pattern::Tokens(level.name().to_owned()))
            }
        }
}
