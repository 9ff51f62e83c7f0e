//! Tests on values: texts and numbers. They are made once a question, and asked once a distinct value.

use std::cmp::Ordering;

use super::literal::Literal;
use super::matcher::Matcher;
use super::tokens_of::{sure_text, sure_tokens};
use crate::query::network::address_number;
use crate::query::{Amount, Bound, Op, Pattern, Range, Test};
use crate::storage::Sequence;
use crate::tokens;

/// A test on a field, read in every way that its values may need.
#[derive(Debug)]
pub struct ValueTest {
    pub test: Test,
    pub texts: TextTest,
    pub numbers: NumberTest,
}

impl ValueTest {
    pub fn new(field: &str, test: &Test) -> ValueTest {
        ValueTest {
            test: test.clone(),
            texts: TextTest::new(field, test),
            numbers: NumberTest::new(field, test),
        }
    }
}

/// A range as the comparisons that its ends are.
pub fn ends(range: &Range) -> Vec<(Op, &str)> {
    let end = |bound: &'_ Bound, inclusive, exclusive| if bound.inclusive { inclusive } else { exclusive };
    let from =
        range.from.as_ref().map(|from| (end(from, Op::GreaterOrEqual, Op::Greater), from.value.as_str()));
    let to = range.to.as_ref().map(|to| (end(to, Op::LessOrEqual, Op::Less), to.value.as_str()));
    from.into_iter().chain(to).collect()
}

/// A test on values that are text.
#[derive(Debug)]
pub struct TextTest {
    field: String,
    kind: TextKind,
    ways: Option<Vec<Way>>,
}

#[derive(Debug)]
enum TextKind {
    Matches(Vec<Matcher>),
    /// All of them; none at all only asks that there is a value.
    Compare(Vec<(Op, Wanted)>),
}

/// How texts that may pass are found among many. Whichever are found are tested still.
#[derive(Debug)]
pub struct Way {
    /// A text of ASCII that occurs in all of them.
    pub literal: Literal,
    /// The tokens that occur in them one after the other, and whether they have no others.
    pub sequence: Option<(Sequence, bool)>,
    /// Folded tokens that all of them have.
    pub tokens: Vec<String>,
}

impl Way {
    fn new(literal: &str, sequence: Option<(Sequence, bool)>, tokens: Vec<String>) -> Option<Way> {
        Some(Way { literal: Literal::new(literal)?, sequence, tokens })
    }

    fn of_pattern(pattern: &Pattern) -> Option<Way> {
        let sequence = match pattern {
            Pattern::Tokens(words) => Some((Sequence::of(words), false)),
            _ => None,
        };
        Way::new(&sure_text(pattern)?, sequence, sure_tokens(pattern))
    }

    fn of_equal(text: &str) -> Option<Way> {
        let literal = sure_text(&Pattern::Substring(text.to_owned()))?;
        Way::new(&literal, Some((Sequence::of(text), true)), tokens::folded(text.as_bytes()))
    }
}

/// What a text is compared with, read in every way that it can be.
#[derive(Debug)]
struct Wanted {
    text: String,
    amount: Option<Amount>,
    address: Option<u128>,
}

impl Wanted {
    fn new(text: &str) -> Wanted {
        Wanted { text: text.to_owned(), amount: Amount::parse(text), address: address_number(text) }
    }

    /// Sizes, durations and addresses are often text in a log; they still compare as what they are.
    fn compare(&self, field: &str, value: &str) -> Ordering {
        let amounts = || compare_amounts(field, Amount::parse(value)?, self.amount?);
        let addresses = || Some(address_number(value)?.cmp(&self.address?));
        amounts().or_else(addresses).unwrap_or_else(|| value.cmp(&self.text))
    }
}

/// Amounts compare where both are plain or measure the same; a plain one beside another is in the field's unit.
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
            Test::Compare(op, value) => TextKind::Compare(vec![(*op, Wanted::new(value))]),
            Test::Range(range) => TextKind::Compare(
                ends(range).into_iter().map(|(op, value)| (op, Wanted::new(value))).collect(),
            ),
        };
        let ways = match test {
            Test::Matches(patterns) => patterns.iter().map(Way::of_pattern).collect(),
            Test::Compare(Op::Equal, value) => Way::of_equal(value).map(|way| vec![way]),
            _ => None,
        };
        TextTest { field: field.to_owned(), kind, ways }
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

    /// Every text that passes is found in one of these ways, where there are any.
    pub fn ways(&self) -> Option<&[Way]> {
        self.ways.as_deref()
    }

    /// All that it asks is that there is a value.
    pub fn is_exists(&self) -> bool {
        matches!(&self.kind, TextKind::Compare(all) if all.is_empty())
    }
}

#[derive(Debug)]
pub enum NumberTest {
    /// Any of these; what is no number is compared with the number's text.
    Any(Vec<std::result::Result<Amount, Matcher>>),
    /// All of them; none at all only asks that there is a value.
    Compare(Vec<(Op, Amount)>),
    /// Compared with something that is no number: nothing passes.
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
