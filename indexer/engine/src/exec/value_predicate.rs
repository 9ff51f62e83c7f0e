//! Predicates on values: texts and numbers. They are compiled once per query and evaluated once per distinct
//! value.

use std::cmp::Ordering;

use super::literal::Literal;
use super::matcher::Matcher;
use super::required_tokens::{required_text, required_tokens};
use base::tokens;
use query::network::address_number;
use query::{Amount, Bound, Op, Pattern, Range, Test};
use store::Sequence;

/// A test on a field, compiled for every type that its values may have.
#[derive(Debug)]
pub struct ValueTest {
    pub test: Test,
    pub texts: TextTest,
    pub numbers: NumberTest,
}

impl ValueTest {
    #[must_use]
    pub fn new(field: &str, test: &Test) -> ValueTest {
        ValueTest {
            test: test.clone(),
            texts: TextTest::new(field, test),
            numbers: NumberTest::new(field, test),
        }
    }
}

/// A range as one comparison per end.
pub fn ends(range: &Range) -> Vec<(Op, &str)> {
    let end = |bound: &'_ Bound, inclusive, exclusive| if bound.inclusive { inclusive } else { exclusive };
    let from =
        range.from.as_ref().map(|from| (end(from, Op::GreaterOrEqual, Op::Greater), from.value.as_str()));
    let to = range.to.as_ref().map(|to| (end(to, Op::LessOrEqual, Op::Less), to.value.as_str()));
    from.into_iter().chain(to).collect()
}

/// A predicate on text values.
#[derive(Debug)]
pub struct TextTest {
    field: String,
    kind: TextKind,
    probes: Option<Vec<Probe>>,
}

#[derive(Debug)]
enum TextKind {
    Matches(Vec<Matcher>),
    /// All of these comparisons; an empty list tests only that a value exists.
    Compare(Vec<(Op, Operand)>),
}

/// How to find texts that may pass among many. Every hit is verified afterwards.
#[derive(Debug)]
pub struct Probe {
    /// An ASCII text that all matches contain.
    pub literal: Literal,
    /// The token sequence that all matches contain, and whether it is the whole text.
    pub sequence: Option<(Sequence, bool)>,
    /// Folded tokens that all matches contain.
    pub tokens: Vec<String>,
}

impl Probe {
    fn new(literal: &str, sequence: Option<(Sequence, bool)>, tokens: Vec<String>) -> Option<Probe> {
        Some(Probe { literal: Literal::new(literal)?, sequence, tokens })
    }

    fn from_pattern(pattern: &Pattern) -> Option<Probe> {
        let sequence = match pattern {
            Pattern::Tokens(words) => Some((Sequence::from_text(words), false)),
            _ => None,
        };
        Probe::new(&required_text(pattern)?, sequence, required_tokens(pattern))
    }

    fn from_equal(text: &str) -> Option<Probe> {
        let literal = required_text(&Pattern::Substring(text.to_owned()))?;
        Probe::new(&literal, Some((Sequence::from_text(text), true)), tokens::folded(text.as_bytes()))
    }
}

/// The operand of a comparison, parsed as every type that it can be.
#[derive(Debug)]
struct Operand {
    text: String,
    amount: Option<Amount>,
    address: Option<u128>,
}

impl Operand {
    fn new(text: &str) -> Operand {
        Operand { text: text.to_owned(), amount: Amount::parse(text), address: address_number(text) }
    }

    /// Sizes, durations and addresses are often text in a log; they still compare by their meaning.
    fn compare(&self, field: &str, value: &str) -> Ordering {
        let amounts = || compare_amounts(field, Amount::parse(value)?, self.amount?);
        let addresses = || Some(address_number(value)?.cmp(&self.address?));
        amounts().or_else(addresses).unwrap_or_else(|| value.cmp(&self.text))
    }
}

/// Two amounts compare if both are plain or have the same unit; a plain one next to one with a unit is in the
/// unit of the field.
fn compare_amounts(field: &str, one: Amount, other: Amount) -> Option<Ordering> {
    if let (Amount::With(one), Amount::With(other)) = (one, other) {
        let same = one.unit.dimension() == other.unit.dimension();
        return same.then(|| one.amount().total_cmp(&other.amount()));
    }
    Some(one.in_field(field)?.compare(other.in_field(field)?))
}

impl TextTest {
    pub fn new(field: &str, test: &Test) -> TextTest {
        let kind = match test {
            Test::Exists => TextKind::Compare(Vec::new()),
            Test::Matches(patterns) => TextKind::Matches(patterns.iter().map(Matcher::new).collect()),
            Test::Compare(op, value) => TextKind::Compare(vec![(*op, Operand::new(value))]),
            Test::Range(range) => TextKind::Compare(
                ends(range).into_iter().map(|(op, value)| (op, Operand::new(value))).collect(),
            ),
        };
        let probes = match test {
            Test::Matches(patterns) => patterns.iter().map(Probe::from_pattern).collect(),
            Test::Compare(Op::Equal, value) => Probe::from_equal(value).map(|way| vec![way]),
            _ => None,
        };
        TextTest { field: field.to_owned(), kind, probes }
    }

    pub fn passes(&self, value: &str) -> bool {
        match &self.kind {
            TextKind::Matches(matchers) => matchers.iter().any(|matcher| matcher.is_whole(value)),
            TextKind::Compare(all) => all.iter().all(|(op, wanted)| match op {
                Op::Equal => value == wanted.text,
                Op::NotEqual => value != wanted.text,
                _ => op.holds(wanted.compare(&self.field, value)),
            }),
        }
    }

    /// The probes that together find every text that passes, if there are any.
    pub fn probes(&self) -> Option<&[Probe]> {
        self.probes.as_deref()
    }

    /// True if the predicate only tests that a value exists.
    pub fn is_exists(&self) -> bool {
        matches!(&self.kind, TextKind::Compare(all) if all.is_empty())
    }
}

#[derive(Debug)]
pub enum NumberTest {
    /// Any of these; a value that is not a number is compared as text.
    Any(Vec<std::result::Result<Amount, Matcher>>),
    /// All of these comparisons; an empty list tests only that a value exists.
    Compare(Vec<(Op, Amount)>),
    /// Compared with something that is not a number: nothing passes.
    Never,
}

impl NumberTest {
    pub fn new(field: &str, test: &Test) -> NumberTest {
        let parse = |text: &str| Amount::parse(text)?.in_field(field);
        let compare = |all: Vec<(Op, &str)>| {
            let numbers: Option<Vec<_>> =
                all.into_iter().map(|(op, text)| Some((op, parse(text)?))).collect();
            numbers.map_or(NumberTest::Never, NumberTest::Compare)
        };
        match test {
            Test::Exists => NumberTest::Compare(Vec::new()),
            Test::Compare(op, value) => compare(vec![(*op, value)]),
            Test::Range(range) => compare(ends(range)),
            Test::Matches(patterns) => {
                let one = |pattern: &Pattern| match pattern {
                    Pattern::Tokens(words) => parse(words).ok_or_else(|| Matcher::new(pattern)),
                    _ => Err(Matcher::new(pattern)),
                };
                NumberTest::Any(patterns.iter().map(one).collect())
            }
        }
    }

    pub fn passes(&self, value: Amount) -> bool {
        match self {
            NumberTest::Never => false,
            NumberTest::Compare(all) => all.iter().all(|(op, wanted)| op.holds(value.compare(*wanted))),
            NumberTest::Any(wanted) => wanted.iter().any(|wanted| match wanted {
                Ok(wanted) => value.compare(*wanted).is_eq(),
                Err(matcher) => matcher.is_whole(&text_of(value)),
            }),
        }
    }

    pub fn looks_at_text(&self) -> bool {
        matches!(self, NumberTest::Any(wanted) if wanted.iter().any(std::result::Result::is_err))
    }
}

fn text_of(value: Amount) -> String {
    match value {
        Amount::Whole(value) => value.to_string(),
        other => other.float().to_string(),
    }
}
