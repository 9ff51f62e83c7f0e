//! A filter compiled once and then evaluated on many segments.

use std::sync::Arc;

use super::literal::Literal;
use super::matcher::Matcher;
use super::required_tokens::{is_one_part, required_parts, required_text, required_tokens};
use super::value_predicate::{TextTest, ValueTest};
use query::{Filter, NotedEvents, Pattern, Test};
use store::TokenPart;

#[derive(Debug)]
pub enum Prepared {
    Everything,
    /// In ascending order of cost: each predicate is evaluated only on the rows that the previous ones left.
    And(Vec<Prepared>),
    Or(Vec<Prepared>),
    Not(Box<Prepared>),
    Clause(Clause),
}

/// A compiled filter with its text, which its rows are cached under.
#[derive(Debug)]
pub struct KeptFilter {
    pub printed: String,
    pub prepared: Prepared,
}

impl KeptFilter {
    #[must_use]
    pub fn new(filter: &Filter) -> KeptFilter {
        KeptFilter { printed: filter.to_string(), prepared: Prepared::new(filter) }
    }
}

#[derive(Debug)]
pub struct Clause {
    /// The clause as it is printed.
    pub shown: String,
    pub predicate: Predicate,
}

/// The predicate of a clause.
#[derive(Debug)]
pub enum Predicate {
    /// Any of these patterns occurs in the text of the event.
    Text(Vec<TextClause>),
    /// The whole text of the event passes a comparison.
    WholeText(TextTest),
    /// Always true: every event has a text.
    AnyText,
    Template(Test),
    Field(String, ValueTest),
    /// The events whose notes pass; `None` if they are not resolved.
    Noted(Option<Arc<NotedEvents>>),
}

/// A pattern that is searched in the text of events.
#[derive(Debug)]
pub struct TextClause {
    pub matcher: Matcher,
    /// Tokens that every match contains.
    pub tokens: Vec<String>,
    /// Parts of tokens that every match contains.
    pub parts: Vec<TokenPart>,
    /// True if a text with a token that has the only part is a match.
    pub is_one_part: bool,
    /// A literal that every match contains.
    pub literal: Option<Literal>,
}

impl TextClause {
    fn new(pattern: &Pattern) -> TextClause {
        let literal = required_text(pattern).and_then(|text| Literal::new(&text));
        TextClause {
            matcher: Matcher::new(pattern),
            tokens: required_tokens(pattern),
            parts: required_parts(pattern),
            is_one_part: is_one_part(pattern),
            literal,
        }
    }
}

impl Prepared {
    pub fn new(filter: &Filter) -> Prepared {
        let list = |parts: &[Filter]| {
            let mut parts: Vec<&Filter> = parts.iter().collect();
            parts.sort_by_key(|part| cost(part));
            parts.into_iter().map(Prepared::new).collect()
        };
        let predicate = match filter {
            Filter::Everything => return Prepared::Everything,
            Filter::And(parts) => return Prepared::And(list(parts)),
            Filter::Or(parts) => return Prepared::Or(list(parts)),
            Filter::Not(inner) => return Prepared::Not(Box::new(Prepared::new(inner))),
            Filter::Text(pattern) => Predicate::Text(vec![TextClause::new(pattern)]),
            Filter::Noted(noted) => Predicate::Noted(noted.events.clone()),
            Filter::Field { field, test, .. } if field == "raw" => match test {
                Test::Exists => Predicate::AnyText,
                Test::Matches(patterns) => Predicate::Text(patterns.iter().map(TextClause::new).collect()),
                Test::Compare(..) | Test::Range(_) => Predicate::WholeText(TextTest::new(field, test)),
            },
            Filter::Field { field, test, .. } if field == "template" => Predicate::Template(test.clone()),
            Filter::Field { field, test, .. } => Predicate::Field(field.clone(), ValueTest::new(field, test)),
        };
        Prepared::Clause(Clause { shown: filter.to_string(), predicate })
    }
}

/// Evaluation on text that is not an event of a segment yet.
impl Prepared {
    /// True if all predicates test only the text.
    pub fn is_of_text(&self) -> bool {
        match self {
            Prepared::Everything => true,
            Prepared::And(parts) | Prepared::Or(parts) => parts.iter().all(Prepared::is_of_text),
            Prepared::Not(inner) => inner.is_of_text(),
            Prepared::Clause(clause) => {
                matches!(clause.predicate, Predicate::Text(_) | Predicate::WholeText(_) | Predicate::AnyText)
            }
        }
    }

    /// True if an event with this text matches. Predicates on anything but the text are false.
    #[must_use]
    pub fn holds(&self, event: &[u8]) -> bool {
        match self {
            Prepared::Everything => true,
            Prepared::And(parts) => parts.iter().all(|part| part.holds(event)),
            Prepared::Or(parts) => parts.iter().any(|part| part.holds(event)),
            Prepared::Not(inner) => !inner.holds(event),
            Prepared::Clause(clause) => match &clause.predicate {
                Predicate::Text(clauses) => clauses.iter().any(|clause| clause.matcher.is_in(event)),
                Predicate::WholeText(test) => test.passes(&String::from_utf8_lossy(event)),
                Predicate::AnyText => true,
                Predicate::Template(_) | Predicate::Field(..) | Predicate::Noted(_) => false,
            },
        }
    }

    /// A literal that the text of every matching event contains, if one is known.
    pub fn literal(&self) -> Option<&Literal> {
        match self {
            Prepared::And(parts) => parts.iter().find_map(Prepared::literal),
            Prepared::Clause(Clause { predicate: Predicate::Text(clauses), .. }) => {
                match clauses.as_slice() {
                    [clause] => clause.literal.as_ref(),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn cost(filter: &Filter) -> u32 {
    match filter {
        Filter::Everything => 0,
        Filter::Field { field, .. } if matches!(field.as_str(), "time" | "level" | "source") => 1,
        Filter::Noted(_) => 2,
        Filter::Field { field, .. } if field != "raw" => 2,
        Filter::Not(inner) => cost(inner),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(cost).max().unwrap_or(0),
        // Fewer events have a number than a word.
        Filter::Text(Pattern::Tokens(words)) if words.contains(|c: char| c.is_ascii_digit()) => 3,
        Filter::Text(Pattern::Tokens(_) | Pattern::Near(..) | Pattern::Fuzzy(..)) => 4,
        Filter::Field { .. } | Filter::Text(_) => 5,
    }
}
