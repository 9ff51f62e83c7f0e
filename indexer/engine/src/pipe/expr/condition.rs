//! Clauses of the filter language on the rows of a table: the tests are those that events are found with.

use std::sync::Arc;

use ingest::{Level, NO_INT};

use super::super::column::{Column, ColumnKind, Data, filled};
use super::super::dictionary::Dictionary;
use super::super::names::Names;
use super::super::run::RunClock;
use super::super::table::Table;
use super::convert::time_of;
use crate::exec::{Matcher, ValueTest, level_passes, passing_values};
use base::error::Result;
use query::{Filter, Op, Pattern, Test};
use store::{NO_CODE, Values};

#[derive(Clone, Debug)]
pub enum TableFilter {
    Everything,
    And(Vec<TableFilter>),
    Or(Vec<TableFilter>),
    Not(Box<TableFilter>),
    /// Looked for in `raw`.
    Text(Arc<Matcher>),
    Field(Arc<str>, Arc<ValueTest>),
}

impl TableFilter {
    pub fn new(filter: &Filter, names: &Names, clock: &RunClock) -> Result<TableFilter> {
        TableFilter::of_resolved(&names.filter(filter, clock)?, names)
    }

    fn of_resolved(filter: &Filter, names: &Names) -> Result<TableFilter> {
        let list = |parts: &[Filter]| {
            parts.iter().map(|part| TableFilter::of_resolved(part, names)).collect::<Result<Vec<_>>>()
        };
        Ok(match filter {
            Filter::Everything => TableFilter::Everything,
            Filter::And(parts) => TableFilter::And(list(parts)?),
            Filter::Or(parts) => TableFilter::Or(list(parts)?),
            Filter::Not(inner) => TableFilter::Not(Box::new(TableFilter::of_resolved(inner, names)?)),
            Filter::Text(pattern) => {
                names.resolve("raw", query::Span::default())?;
                TableFilter::Text(Arc::new(Matcher::new(pattern)))
            }
            Filter::Noted(noted) => return Err(noted.field.only_in_the_filter(noted.span).into()),
            Filter::Field { field, test, span } => {
                TableFilter::Field(names.resolve(field, *span)?, Arc::new(ValueTest::new(field, test)))
            }
        })
    }

    /// The columns it reads.
    pub fn fields(&self, into: &mut Vec<Arc<str>>) {
        match self {
            TableFilter::Everything => {}
            TableFilter::And(parts) | TableFilter::Or(parts) => {
                for part in parts {
                    part.fields(into);
                }
            }
            TableFilter::Not(inner) => inner.fields(into),
            TableFilter::Text(_) => into.push(Arc::from("raw")),
            TableFilter::Field(name, _) => into.push(Arc::clone(name)),
        }
    }

    /// Whether each row passes.
    pub fn passing(&self, table: &Table) -> Vec<bool> {
        let rows = table.rows();
        let all = |parts: &[TableFilter], start: bool, join: fn(bool, bool) -> bool| {
            let mut passing = vec![start; rows];
            for part in parts {
                let other = part.passing(table);
                passing.iter_mut().zip(other).for_each(|(one, other)| *one = join(*one, other));
            }
            passing
        };
        match self {
            TableFilter::Everything => vec![true; rows],
            TableFilter::And(parts) => all(parts, true, |one, other| one && other),
            TableFilter::Or(parts) => all(parts, false, |one, other| one || other),
            TableFilter::Not(inner) => inner.passing(table).into_iter().map(|passes| !passes).collect(),
            TableFilter::Text(matcher) => match table.column("raw").map(|column| &column.data) {
                Some(Data::Text { codes, texts }) => codes
                    .iter()
                    .map(|&code| texts.get(code).is_some_and(|text| matcher.is_in(text.as_bytes())))
                    .collect(),
                _ => vec![false; rows],
            },
            TableFilter::Field(name, test) => match table.column(name) {
                Some(column) => column_passing(column, test),
                None => vec![false; rows],
            },
        }
    }
}

fn column_passing(column: &Column, test: &ValueTest) -> Vec<bool> {
    let rows = column.len();
    match &column.data {
        Data::Missing(_) => vec![false; rows],
        Data::Level(levels) => {
            let passes = Level::ALL.map(|level| level_passes(level, &test.test));
            levels.iter().map(|&level| passes[level as usize]).collect()
        }
        Data::Time(times) => {
            times.iter().map(|time| time.is_some_and(|time| time_passes(time, &test.test))).collect()
        }
        _ => {
            let mut passing = vec![false; rows];
            if let Some(values) = values_of(column) {
                let found = passing_values(values, test);
                found.iter().for_each(|row| passing[row as usize] = true);
            }
            passing
        }
    }
}

fn time_passes(time: i64, test: &Test) -> bool {
    let instant = |text: &str| text.parse().ok().or_else(|| time_of(text));
    let compare = |op: Op, text: &str| instant(text).is_some_and(|other| op.holds(time.cmp(&other)));
    match test {
        Test::Exists => true,
        Test::Compare(op, value) => compare(*op, value),
        Test::Range(range) => {
            let end = |bound: &Option<query::Bound>, inclusive, exclusive| {
                bound.as_ref().is_none_or(|bound| {
                    compare(if bound.inclusive { inclusive } else { exclusive }, &bound.value)
                })
            };
            end(&range.from, Op::GreaterOrEqual, Op::Greater) && end(&range.to, Op::LessOrEqual, Op::Less)
        }
        Test::Matches(patterns) => patterns.iter().any(|pattern| match pattern {
            Pattern::Tokens(wanted) if instant(wanted).is_some() => compare(Op::Equal, wanted),
            pattern => Matcher::new(pattern).is_whole(&base::stamp::to_rfc3339(time)),
        }),
    }
}

/// The column as what fields are stored as.
fn values_of(column: &Column) -> Option<Values> {
    Some(match &column.data {
        Data::Int(values) => Values::Int(filled(values, NO_INT).into_owned()),
        Data::Float(values) => Values::Float(filled(values, f64::NAN).into_owned()),
        Data::Bool(values) => Values::Bool(values.iter().collect()),
        Data::Text { codes, texts } => text_values(codes, texts),
        Data::List(_) => return values_of(&column.as_kind(ColumnKind::Text)),
        Data::Missing(_) | Data::Time(_) | Data::Level(_) => return None,
    })
}

/// Only the texts that occur.
fn text_values(codes: &[u32], texts: &Dictionary) -> Values {
    let mut places = std::collections::HashMap::new();
    let mut own = store::Texts::default();
    let codes = codes.iter().map(|&code| {
        *places.entry(code).or_insert_with(|| {
            texts.get(code).map_or(NO_CODE, |text| {
                own.push(text);
                own.len() as u32 - 1
            })
        })
    });
    Values::Text { codes: codes.collect(), texts: own }
}
