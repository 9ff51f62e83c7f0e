//! Tests on fields. Text is tested once a distinct value.

use std::cmp::Ordering;

use ingest::{Level, NO_INT, NO_TIME};

use super::matcher::Matcher;
use super::rows::Rows;
use super::select::{Question, scan};
use crate::error::Result;
use crate::query::{Bound, Op, Pattern, Range, Test};
use crate::stamp;
use crate::storage::{RawCursor, Values};

/// The rows of a segment whose field passes the test.
pub fn eval(question: &Question<'_>, field: &str, test: &Test) -> Result<Rows> {
    let segment = question.segment;
    let rows = segment.meta.events as usize;
    if let Test::Range(range) = test {
        let mut found = eval(question, field, &Test::Exists)?;
        for end in ends(range) {
            found = found.and(&eval(question, field, &end)?);
        }
        return Ok(found);
    }
    let columns = segment.columns()?;
    match field {
        "level" => {
            let passes = Level::ALL.map(|level| level_passes(level, test));
            Ok(Rows::from_test(rows, |row| passes[columns.level[row] as usize]))
        }
        "source" => {
            let texts = TextTest::new(test);
            let passes: Vec<bool> =
                question.sources.iter().map(|source| texts.passes(&source.name)).collect();
            Ok(Rows::from_test(rows, |row| passes.get(columns.source[row] as usize) == Some(&true)))
        }
        "time" => {
            let test = NumberTest::new(test, |text| stamp::parse(text).map(Number::Int));
            Ok(Rows::from_test(rows, |row| {
                columns.time[row] != NO_TIME && test.passes(Number::Int(columns.time[row]))
            }))
        }
        "line" => {
            let test = NumberTest::new(test, Number::parse);
            Ok(Rows::from_test(rows, |row| test.passes(Number::Int(columns.line[row] as i64))))
        }
        _ => {
            let mut found = Rows::none(rows);
            for column in segment.field(field)? {
                found = found.or(&column_rows(rows, &column, test));
            }
            Ok(found)
        }
    }
}

/// A range as the comparisons that its ends are.
fn ends(range: &Range) -> Vec<Test> {
    let end = |bound: &Option<Bound>, inclusive, exclusive| {
        let op = |bound: &Bound| if bound.inclusive { inclusive } else { exclusive };
        bound.as_ref().map(|bound| Test::Compare(op(bound), bound.value.clone()))
    };
    let from = end(&range.from, Op::GreaterOrEqual, Op::Greater);
    from.into_iter().chain(end(&range.to, Op::LessOrEqual, Op::Less)).collect()
}

/// `raw:…` asks for the event's own text, as a plain word does.
pub fn raw(question: &Question<'_>, test: &Test, cursor: &mut RawCursor<'_>, among: &Rows) -> Result<Rows> {
    match test {
        Test::Exists => Ok(among.clone()),
        Test::Matches(patterns) => {
            let matchers: Vec<Matcher> = patterns.iter().map(Matcher::new).collect();
            scan(question, cursor, among, &|raw| matchers.iter().any(|matcher| matcher.is_in(raw)))
        }
        Test::Compare(op, value) => scan(question, cursor, among, &|raw| op.holds(raw.cmp(value.as_bytes()))),
        Test::Range(range) => {
            let mut found = among.clone();
            for end in ends(range) {
                found = self::raw(question, &end, cursor, &found)?;
            }
            Ok(found)
        }
    }
}

fn column_rows(rows: usize, data: &Values, test: &Test) -> Rows {
    match data {
        Values::Text { codes, texts } => {
            let test = TextTest::new(test);
            let passes: Vec<bool> = texts.iter().map(|text| test.passes(text)).collect();
            // A missing value has a code beyond the list.
            Rows::from_test(rows, |row| passes.get(codes[row] as usize) == Some(&true))
        }
        Values::Int(values) => {
            let test = NumberTest::new(test, Number::parse);
            Rows::from_test(rows, |row| values[row] != NO_INT && test.passes(Number::Int(values[row])))
        }
        Values::Float(values) => {
            let test = NumberTest::new(test, Number::parse);
            Rows::from_test(rows, |row| !values[row].is_nan() && test.passes(Number::Float(values[row])))
        }
        Values::Bool(values) => {
            let texts = TextTest::new(test);
            let passes = [texts.passes("false"), texts.passes("true")];
            Rows::from_test(rows, |row| values[row].is_some_and(|value| passes[usize::from(value)]))
        }
    }
}

/// Levels compare by how serious they are.
fn level_passes(level: Level, test: &Test) -> bool {
    match test {
        Test::Exists => level != Level::None,
        Test::Range(range) => ends(range).iter().all(|end| level_passes(level, end)),
        Test::Matches(_) => level != Level::None && TextTest::new(test).passes(level.name()),
        Test::Compare(op, value) => {
            let wanted = Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(value));
            level != Level::None && wanted.is_some_and(|wanted| op.holds(level.cmp(&wanted)))
        }
    }
}

enum TextTest<'a> {
    Exists,
    Matches(Vec<Matcher>),
    Compare(Op, &'a str),
}

impl<'a> TextTest<'a> {
    fn new(test: &'a Test) -> TextTest<'a> {
        match test {
            Test::Matches(patterns) => TextTest::Matches(patterns.iter().map(Matcher::new).collect()),
            Test::Compare(op, value) => TextTest::Compare(*op, value),
            // A range is asked as two comparisons.
            Test::Exists | Test::Range(_) => TextTest::Exists,
        }
    }

    fn passes(&self, value: &str) -> bool {
        match self {
            TextTest::Exists => true,
            TextTest::Matches(matchers) => matchers.iter().any(|matcher| matcher.is_whole(value)),
            TextTest::Compare(op @ (Op::Equal | Op::NotEqual), wanted) => op.holds(value.cmp(wanted)),
            // Sizes and durations are often text in a log; they still compare as numbers.
            TextTest::Compare(op, wanted) => match (Number::parse(value), Number::parse(wanted)) {
                (Some(value), Some(wanted)) => op.holds(value.compare(wanted)),
                _ => op.holds(value.cmp(wanted)),
            },
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        let float = || text.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Float);
        text.parse().map(Number::Int).ok().or_else(float)
    }

    fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(one), Number::Int(other)) => one.cmp(&other),
            (one, other) => one.float().total_cmp(&other.float()),
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    fn text(self) -> String {
        match self {
            Number::Int(value) => value.to_string(),
            Number::Float(value) => value.to_string(),
        }
    }
}

enum NumberTest {
    Exists,
    /// Any of these; what is no number is compared with the number's text.
    Any(Vec<std::result::Result<Number, Matcher>>),
    Compare(Op, Number),
    /// Compared with something that is no number: nothing passes.
    Never,
}

impl NumberTest {
    fn new(test: &Test, parse: impl Fn(&str) -> Option<Number>) -> NumberTest {
        match test {
            Test::Exists | Test::Range(_) => NumberTest::Exists,
            Test::Compare(op, value) => {
                parse(value).map_or(NumberTest::Never, |number| NumberTest::Compare(*op, number))
            }
            Test::Matches(patterns) => {
                let one = |pattern: &Pattern| match pattern {
                    Pattern::Tokens(words) => parse(words).ok_or_else(|| Matcher::new(pattern)),
                    _ => Err(Matcher::new(pattern)),
                };
                NumberTest::Any(patterns.iter().map(one).collect())
            }
        }
    }

    fn passes(&self, value: Number) -> bool {
        match self {
            NumberTest::Exists => true,
            NumberTest::Never => false,
            NumberTest::Compare(op, wanted) => op.holds(value.compare(*wanted)),
            NumberTest::Any(wanted) => wanted.iter().any(|wanted| match wanted {
                Ok(wanted) => value.compare(*wanted).is_eq(),
                Err(matcher) => matcher.is_whole(&value.text()),
            }),
        }
    }
}
