//! Tests on fields. Text is tested once a distinct value.

use std::cmp::Ordering;
use std::collections::HashMap;

use ingest::{Level, NO_INT, NO_TIME};

use super::explain::Path;
use super::matcher::Matcher;
use super::rows::Rows;
use super::select::{Found, Question};
use crate::error::Result;
use crate::query::network::address_number;
use crate::query::{Amount, Bound, Op, Pattern, Range, Test, levels};
use crate::stamp;
use crate::storage::Values;

/// The rows of a segment whose field passes the test.
pub fn eval(question: &Question<'_>, field: &str, test: &Test) -> Result<Found> {
    let segment = question.segment;
    let rows = segment.meta.events as usize;
    match field {
        "level" => level(question, test),
        "source" => source(question, test),
        "time" => time(question, test),
        "line" => {
            let columns = segment.columns()?;
            let test = NumberTest::new(field, test);
            let passing = Rows::from_test(rows, |row| test.passes(Amount::Whole(columns.line[row] as i64)));
            Ok(Found { rows: passing, path: Path::Column })
        }
        _ => {
            let mut found = Found { rows: Rows::none(rows), path: Path::Pruned };
            for column in segment.field(field)? {
                let (passing, path) = column_rows(field, rows, &column, test);
                found = Found { rows: found.rows.or(&passing), path: path.max(found.path) };
            }
            Ok(found)
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

fn level(question: &Question<'_>, test: &Test) -> Result<Found> {
    let meta = &question.segment.meta;
    let rows = meta.events as usize;
    let passes = Level::ALL.map(|level| level_passes(level, test));
    // The counts over time name the levels of all events that have a time.
    let occurs = |level: &u8| passes.get(*level as usize) == Some(&true);
    if meta.untimed == 0 && !meta.rollup.levels.iter().any(|counts| occurs(&counts.level)) {
        return Ok(Found { rows: Rows::none(rows), path: Path::Pruned });
    }
    let columns = question.segment.columns()?;
    let passing = Rows::from_test(rows, |row| passes[columns.level[row] as usize]);
    Ok(Found { rows: passing, path: Path::Column })
}

fn source(question: &Question<'_>, test: &Test) -> Result<Found> {
    let meta = &question.segment.meta;
    let rows = meta.events as usize;
    let texts = TextTest::new("source", test);
    let passes: Vec<bool> = question
        .sources
        .iter()
        .map(|source| {
            texts.passes(&source.name) || source.set.as_deref().is_some_and(|set| texts.passes(set))
        })
        .collect();
    let of = |source: u32| passes.get(source as usize) == Some(&true);
    let here = meta.sources.iter().filter(|entry| of(entry.source)).count();
    if here == 0 {
        return Ok(Found { rows: Rows::none(rows), path: Path::Pruned });
    }
    if here == meta.sources.len() {
        return Ok(Found { rows: Rows::all(rows), path: Path::Pruned });
    }
    let columns = question.segment.columns()?;
    Ok(Found { rows: Rows::from_test(rows, |row| of(columns.source[row])), path: Path::Dictionary })
}

/// Rows are in the order of their times, those without one first, so a range of times is a range of rows.
fn time(question: &Question<'_>, test: &Test) -> Result<Found> {
    let meta = &question.segment.meta;
    let (rows, untimed) = (meta.events as usize, meta.untimed as usize);
    let comparisons = match test {
        Test::Exists => Vec::new(),
        Test::Compare(op, value) => vec![(*op, value.as_str())],
        Test::Range(range) => ends(range),
        Test::Matches(patterns) => {
            // Times are resolved before they come here; what is left of them are instants.
            let mut found = Found { rows: Rows::none(rows), path: Path::Order };
            for pattern in patterns {
                if let Pattern::Tokens(text) = pattern {
                    let equal = time(question, &Test::Compare(Op::Equal, text.clone()))?;
                    found.rows = found.rows.or(&equal.rows);
                }
            }
            return Ok(found);
        }
    };
    let (mut from, mut to) = (i64::MIN + 1, i64::MAX);
    let mut without = None;
    for (op, value) in comparisons {
        let Some(at) = stamp::parse(value) else {
            return Ok(Found { rows: Rows::none(rows), path: Path::Pruned });
        };
        match op {
            Op::Equal => (from, to) = (from.max(at), to.min(at.saturating_add(1))),
            Op::NotEqual => without = Some(at),
            Op::Less => to = to.min(at),
            Op::LessOrEqual => to = to.min(at.saturating_add(1)),
            Op::Greater => from = from.max(at.saturating_add(1)),
            Op::GreaterOrEqual => from = from.max(at),
        }
    }
    let (Some(first), Some(last)) = (meta.first, meta.last) else {
        return Ok(Found { rows: Rows::none(rows), path: Path::Pruned });
    };
    if last < from || first >= to {
        return Ok(Found { rows: Rows::none(rows), path: Path::Pruned });
    }
    if from <= first && last < to && without.is_none() {
        return Ok(Found { rows: Rows::range(rows, untimed, rows), path: Path::Pruned });
    }
    let times = &question.segment.columns()?.time;
    let before = |limit: i64| times.partition_point(|&time| time == NO_TIME || time < limit);
    // The latest instant that there is has none behind it.
    let end = if to == i64::MAX { rows } else { before(to) };
    let mut passing = Rows::range(rows, before(from).max(untimed), end);
    if let Some(at) = without {
        passing = passing.without(&Rows::range(rows, before(at), before(at.saturating_add(1))));
    }
    Ok(Found { rows: passing, path: Path::Order })
}

/// The rows of any column of a table whose value passes, as of a field of this name.
pub fn passing_values(field: &str, rows: usize, values: &Values, test: &Test) -> Rows {
    column_rows(field, rows, values, test).0
}

fn column_rows(field: &str, rows: usize, data: &Values, test: &Test) -> (Rows, Path) {
    match data {
        Values::Text { codes, texts } => {
            let test = TextTest::new(field, test);
            let passes: Vec<bool> = texts.iter().map(|text| test.passes(text)).collect();
            if !passes.contains(&true) {
                return (Rows::none(rows), Path::Dictionary);
            }
            // A missing value has a code beyond the list.
            (Rows::from_test(rows, |row| passes.get(codes[row] as usize) == Some(&true)), Path::Dictionary)
        }
        Values::Int(values) => {
            let mut test = Remembering::new(NumberTest::new(field, test));
            let passes = |row: usize| values[row] != NO_INT && test.passes(values[row]);
            (Rows::from_test(rows, passes), Path::Column)
        }
        Values::Float(values) => {
            let test = NumberTest::new(field, test);
            let passes = |row: usize| !values[row].is_nan() && test.passes(Amount::Float(values[row]));
            (Rows::from_test(rows, passes), Path::Column)
        }
        Values::Bool(values) => {
            let texts = TextTest::new(field, test);
            let passes = [texts.passes("false"), texts.passes("true")];
            let passes = |row: usize| values[row].is_some_and(|value| passes[usize::from(value)]);
            (Rows::from_test(rows, passes), Path::Column)
        }
    }
}

/// Levels compare by how serious they are.
pub fn level_passes(level: Level, test: &Test) -> bool {
    let compares = |op: Op, word: &str| {
        let wanted =
            levels::named(word).and_then(|name| Level::ALL.into_iter().find(|level| level.name() == name));
        wanted.is_some_and(|wanted| op.holds(level.cmp(&wanted)))
    };
    level != Level::None
        && match test {
            Test::Exists => true,
            Test::Compare(op, word) => compares(*op, word),
            Test::Range(range) => ends(range).into_iter().all(|(op, word)| compares(op, word)),
            Test::Matches(patterns) => patterns.iter().any(|pattern| match pattern {
                Pattern::Tokens(word) if levels::named(word).is_some() => compares(Op::Equal, word),
                _ => Matcher::new(pattern).is_whole(level.name()),
            }),
        }
}

/// A test on values that are text.
pub struct TextTest<'a> {
    field: &'a str,
    kind: TextKind<'a>,
}

enum TextKind<'a> {
    Matches(Vec<Matcher>),
    /// All of them; none at all only asks that there is a value.
    Compare(Vec<(Op, Wanted<'a>)>),
}

/// What a text is compared with, read in every way that it can be.
struct Wanted<'a> {
    text: &'a str,
    amount: Option<Amount>,
    address: Option<u128>,
}

impl<'a> Wanted<'a> {
    fn new(text: &'a str) -> Wanted<'a> {
        Wanted { text, amount: Amount::parse(text), address: address_number(text) }
    }

    /// Sizes, durations and addresses are often text in a log; they still compare as what they are.
    fn compare(&self, field: &str, value: &str) -> Ordering {
        let amounts = || compare_amounts(field, Amount::parse(value)?, self.amount?);
        let addresses = || Some(address_number(value)?.cmp(&self.address?));
        amounts().or_else(addresses).unwrap_or_else(|| value.cmp(self.text))
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

impl<'a> TextTest<'a> {
    pub fn new(field: &'a str, test: &'a Test) -> TextTest<'a> {
        let kind = match test {
            Test::Exists => TextKind::Compare(Vec::new()),
            Test::Matches(patterns) => TextKind::Matches(patterns.iter().map(Matcher::new).collect()),
            Test::Compare(op, value) => TextKind::Compare(vec![(*op, Wanted::new(value))]),
            Test::Range(range) => TextKind::Compare(
                ends(range).into_iter().map(|(op, value)| (op, Wanted::new(value))).collect(),
            ),
        };
        TextTest { field, kind }
    }

    pub fn passes(&self, value: &str) -> bool {
        match &self.kind {
            TextKind::Matches(matchers) => matchers.iter().any(|matcher| matcher.is_whole(value)),
            TextKind::Compare(all) => all.iter().all(|(op, wanted)| match op {
                Op::Equal => value == wanted.text,
                Op::NotEqual => value != wanted.text,
                _ => op.holds(wanted.compare(self.field, value)),
            }),
        }
    }
}

enum NumberTest {
    /// Any of these; what is no number is compared with the number's text.
    Any(Vec<std::result::Result<Amount, Matcher>>),
    /// All of them; none at all only asks that there is a value.
    Compare(Vec<(Op, Amount)>),
    /// Compared with something that is no number: nothing passes.
    Never,
}

impl NumberTest {
    fn new(field: &str, test: &Test) -> NumberTest {
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

    fn passes(&self, value: Amount) -> bool {
        match self {
            NumberTest::Never => false,
            NumberTest::Compare(all) => all.iter().all(|(op, wanted)| op.holds(value.compare(*wanted))),
            NumberTest::Any(wanted) => wanted.iter().any(|wanted| match wanted {
                Ok(wanted) => value.compare(*wanted).is_eq(),
                Err(matcher) => matcher.is_whole(&text_of(value)),
            }),
        }
    }

    fn looks_at_text(&self) -> bool {
        matches!(self, NumberTest::Any(wanted) if wanted.iter().any(std::result::Result::is_err))
    }
}

fn text_of(value: Amount) -> String {
    match value {
        Amount::Whole(value) => value.to_string(),
        other => other.float().to_string(),
    }
}

/// A test on whole numbers that prints each number only once to look at its text.
struct Remembering {
    test: NumberTest,
    known: Option<HashMap<i64, bool>>,
}

impl Remembering {
    fn new(test: NumberTest) -> Remembering {
        let known = test.looks_at_text().then(HashMap::new);
        Remembering { test, known }
    }

    fn passes(&mut self, value: i64) -> bool {
        let test = &self.test;
        let ask = || test.passes(Amount::Whole(value));
        match &mut self.known {
            None => ask(),
            Some(known) => *known.entry(value).or_insert_with(ask),
        }
    }
}
