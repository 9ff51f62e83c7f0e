//! A filter made ready to be asked of many segments: its expressions are compiled once, not once a segment.

use std::sync::Arc;

use super::literal::Literal;
use super::matcher::Matcher;
use super::tokens_of::{is_one_part, sure_parts, sure_text, sure_tokens};
use super::values::{TextTest, ValueTest};
use crate::query::{Filter, NotedEvents, Pattern, Test};
use crate::storage::TokenPart;

#[derive(Debug)]
pub enum Prepared {
    Everything,
    /// Those that cost least come first, so that the others are asked of what they leave.
    And(Vec<Prepared>),
    Or(Vec<Prepared>),
    Not(Box<Prepared>),
    Clause(Clause),
}

#[derive(Debug)]
pub struct Clause {
    /// The clause as it is printed.
    pub shown: String,
    pub asks: Asks,
}

/// What a clause asks for.
#[derive(Debug)]
pub enum Asks {
    /// Any of them occurs in the event's text.
    Text(Vec<TextClause>),
    /// The event's text compares so.
    WholeText(TextTest),
    /// Every event has a text.
    AnyText,
    Template(Test),
    Field(String, ValueTest),
    /// Nothing where they are not looked up.
    Noted(Option<Arc<NotedEvents>>),
}

/// A pattern that is looked for in the text of events.
#[derive(Debug)]
pub struct TextClause {
    pub matcher: Matcher,
    /// Tokens that every match has.
    pub tokens: Vec<String>,
    /// Parts of tokens that every match has.
    pub parts: Vec<TokenPart>,
    /// A text with a token that has the only part matches.
    pub is_one_part: bool,
    /// What occurs in every match.
    pub literal: Option<Literal>,
}

impl TextClause {
    fn new(pattern: &Pattern) -> TextClause {
        let literal = sure_text(pattern).and_then(|text| Literal::new(&text));
        TextClause {
            matcher: Matcher::new(pattern),
            tokens: sure_tokens(pattern),
            parts: sure_parts(pattern),
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
        let asks = match filter {
            Filter::Everything => return Prepared::Everything,
            Filter::And(parts) => return Prepared::And(list(parts)),
            Filter::Or(parts) => return Prepared::Or(list(parts)),
            Filter::Not(inner) => return Prepared::Not(Box::new(Prepared::new(inner))),
            Filter::Text(pattern) => Asks::Text(vec![TextClause::new(pattern)]),
            Filter::Noted(noted) => Asks::Noted(noted.events.clone()),
            Filter::Field { field, test, .. } if field == "raw" => match test {
                Test::Exists => Asks::AnyText,
                Test::Matches(patterns) => Asks::Text(patterns.iter().map(TextClause::new).collect()),
                Test::Compare(..) | Test::Range(_) => Asks::WholeText(TextTest::new(field, test)),
            },
            Filter::Field { field, test, .. } if field == "template" => Asks::Template(test.clone()),
            Filter::Field { field, test, .. } => Asks::Field(field.clone(), ValueTest::new(field, test)),
        };
        Prepared::Clause(Clause { shown: filter.to_string(), asks })
    }
}

/// What can be told of a text that is no event yet.
impl Prepared {
    /// Whether nothing is asked for but text.
    pub fn is_of_text(&self) -> bool {
        match self {
            Prepared::Everything => true,
            Prepared::And(parts) | Prepared::Or(parts) => parts.iter().all(Prepared::is_of_text),
            Prepared::Not(inner) => inner.is_of_text(),
            Prepared::Clause(clause) => {
                matches!(clause.asks, Asks::Text(_) | Asks::WholeText(_) | Asks::AnyText)
            }
        }
    }

    /// Whether an event of this text matches. What is asked for besides text fails.
    pub fn holds(&self, event: &[u8]) -> bool {
        match self {
            Prepared::Everything => true,
            Prepared::And(parts) => parts.iter().all(|part| part.holds(event)),
            Prepared::Or(parts) => parts.iter().any(|part| part.holds(event)),
            Prepared::Not(inner) => !inner.holds(event),
            Prepared::Clause(clause) => match &clause.asks {
                Asks::Text(clauses) => clauses.iter().any(|clause| clause.matcher.is_in(event)),
                Asks::WholeText(test) => test.passes(&String::from_utf8_lossy(event)),
                Asks::AnyText => true,
                Asks::Template(_) | Asks::Field(..) | Asks::Noted(_) => false,
            },
        }
    }

    /// What occurs in the text of every event that matches, if that is known.
    pub fn literal(&self) -> Option<&Literal> {
        match self {
            Prepared::And(parts) => parts.iter().find_map(Prepared::literal),
            Prepared::Clause(Clause { asks: Asks::Text(clauses), .. }) => match clauses.as_slice() {
                [clause] => clause.literal.as_ref(),
                _ => None,
            },
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
        Filter::Text(Pattern::Tokens(_) | Pattern::Near(..) | Pattern::Fuzzy(..)) => 3,
        Filter::Field { .. } | Filter::Text(_) => 4,
    }
}
