//! A rule as a query: its condition in the language, as far as that can say it.

use std::cell::Cell;

use indexer::query::{Filter, Op, Pattern, RegexText, Test as FieldTest};
use indexer::{FieldKind, Snapshot};

use super::condition::Expr;
use super::levels::LEVEL;
use super::pattern::Wild;
use super::program::{Program, Selector, TEXT, TestId};
use super::values::Test;
use crate::evidence::{all, any, field_filter, never, without_value};

/// Parts of a query that a single rule may give; a longer one is no help to a reader.
const MOST_PARTS: usize = 400;

pub struct Evidence<'a> {
    pub program: &'a Program,
    pub snapshot: &'a Snapshot,
    /// The fields of the case and the types of their values.
    pub fields: &'a [(String, Vec<FieldKind>)],
}

/// A query for the events of a rule.
#[derive(Clone, Debug)]
pub struct RuleQuery {
    /// Selects every event that the rule matches.
    pub filter: Filter,
    /// It selects no others.
    pub is_exact: bool,
}

impl Evidence<'_> {
    /// The condition of a rule. A part of it that the language cannot say is left out, so that the query selects more.
    pub fn rule(&self, rule: usize) -> RuleQuery {
        let is_exact = Cell::new(true);
        let variants = self.program.variants.iter().filter(|variant| variant.rule == rule);
        let (mut ways, mut of_sources) = (Vec::new(), Vec::new());
        for variant in variants {
            let selectors = self.program.kinds[variant.kind].iter().flatten();
            let source: Vec<Filter> = selectors.map(|selector| self.selector(*selector, &is_exact)).collect();
            ways.push(all(vec![all(source.clone()), self.expr(&variant.expr, true, &is_exact)]));
            of_sources.push(all(source));
        }
        let filter = any(ways);
        if parts(&filter) > MOST_PARTS {
            let filter = any(of_sources);
            let filter = if parts(&filter) > MOST_PARTS { Filter::Everything } else { filter };
            return RuleQuery { filter, is_exact: false };
        }
        RuleQuery { filter, is_exact: is_exact.get() }
    }

    fn selector(&self, selector: usize, is_exact: &Cell<bool>) -> Filter {
        let (patterns, name): (_, fn(&indexer::SourceEntry) -> &str) = match &self.program.selectors[selector]
        {
            Selector::Field { slot, patterns } => {
                let fields = &self.program.slots[*slot].fields;
                let ways = fields.iter().flat_map(|field| patterns.iter().map(move |wild| (field, wild)));
                let ways =
                    ways.map(|(field, wild)| self.text(field, wild, false)).collect::<Option<Vec<_>>>();
                return ways.map_or_else(|| unsaid(true, is_exact), any);
            }
            Selector::Format(patterns) => (patterns, |source| &source.format),
            Selector::Source(patterns) => (patterns, |source| &source.name),
        };
        let sources = self.snapshot.sources().iter().filter(|source| !source.deleted);
        let passes = |source: &&indexer::SourceEntry| {
            let name = super::pattern::lower(name(source));
            patterns.iter().any(|pattern| pattern.matches(&name))
        };
        let chosen: Vec<_> = sources.clone().filter(passes).collect();
        if chosen.len() == sources.count() {
            return Filter::Everything;
        }
        let is = |source: &&indexer::SourceEntry| {
            field_filter("source", FieldTest::Compare(Op::Equal, source.name.clone()))
        };
        any(chosen.iter().map(is).collect())
    }

    /// A condition as a filter that selects no fewer events than it (`is_widest`), or no more.
    fn expr(&self, expr: &Expr<TestId>, is_widest: bool, is_exact: &Cell<bool>) -> Filter {
        let each = |parts: &[Expr<TestId>]| -> Vec<Filter> {
            parts.iter().map(|part| self.expr(part, is_widest, is_exact)).collect()
        };
        match expr {
            Expr::And(parts) => all(each(parts)),
            Expr::Or(parts) => any(each(parts)),
            Expr::Not(part) => match self.expr(part, !is_widest, is_exact) {
                Filter::Everything => never(),
                part if part == never() => Filter::Everything,
                part => Filter::Not(Box::new(part)),
            },
            Expr::AtLeast(_, parts) => {
                is_exact.set(false);
                if is_widest { any(each(parts)) } else { all(each(parts)) }
            }
            Expr::Always(truth) => {
                if *truth {
                    Filter::Everything
                } else {
                    never()
                }
            }
            Expr::Leaf(test) => self.test(*test).unwrap_or_else(|| unsaid(is_widest, is_exact)),
        }
    }

    fn test(&self, id: TestId) -> Option<Filter> {
        let test = &self.program.tests[id as usize];
        if test.slot == TEXT {
            return test.test.pattern().map(Filter::Text);
        }
        let fields = &self.program.slots[test.slot].fields;
        let each = |one: &dyn Fn(&str) -> Option<Filter>| {
            fields.iter().map(|field| one(field)).collect::<Option<Vec<_>>>().map(any)
        };
        match &test.test {
            Test::Text { wild, cased } => each(&|field| self.text(field, wild, *cased)),
            Test::Regex(source) => each(&|field| {
                let pattern = Pattern::Regex(RegexText::new(source, false).ok()?);
                (!self.has_numbers(field)).then(|| field_filter(field, FieldTest::Matches(vec![pattern])))
            }),
            Test::Network(network) => each(&|field| {
                // The language reads networks of version 4 only.
                let is_text = self.kinds(field) == [FieldKind::Text] && !network.contains(':');
                is_text
                    .then(|| field_filter(field, FieldTest::Matches(vec![Pattern::Network(network.clone())])))
            }),
            Test::Compare { op, number } => each(&|field| {
                let is_number =
                    self.kinds(field).iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float));
                let number = f64::from_bits(*number).to_string();
                is_number.then(|| field_filter(field, FieldTest::Compare(op.op(), number)))
            }),
            Test::Exists => each(&|field| Some(field_filter(field, FieldTest::Exists))),
            Test::Null => {
                let is_null = |field: &String| without_value(field, self.kinds(field), "^$");
                Some(all(fields.iter().map(is_null).collect()))
            }
            Test::Field { .. } | Test::Clock { .. } => None,
        }
    }

    fn kinds(&self, field: &str) -> &[FieldKind] {
        self.fields.iter().find(|(name, _)| name == field).map_or(&[], |(_, kinds)| kinds)
    }

    fn has_numbers(&self, field: &str) -> bool {
        self.kinds(field).iter().any(|kind| matches!(kind, FieldKind::Int | FieldKind::Float))
    }

    /// A pattern over all of a field's value. Numbers are only compared as a whole.
    fn text(&self, field: &str, wild: &Wild, cased: bool) -> Option<Filter> {
        if wild.0 == [super::pattern::Token::Many] {
            return Some(field_filter(field, FieldTest::Exists));
        }
        if field == LEVEL {
            let name = wild.plain()?;
            return Some(field_filter(field, FieldTest::Compare(Op::Equal, name.to_owned())));
        }
        let mut ways = Vec::new();
        let kinds = self.kinds(field);
        if self.has_numbers(field) {
            let plain = wild.plain()?;
            let as_written = plain.parse::<i64>().ok().map(|number| number.to_string());
            if as_written.as_deref() == Some(plain) {
                ways.push(field_filter(field, FieldTest::Compare(Op::Equal, plain.to_owned())));
            } else if kinds.contains(&FieldKind::Float) && plain.parse::<f64>().is_ok() {
                return None;
            }
        }
        if kinds.iter().any(|kind| matches!(kind, FieldKind::Text | FieldKind::Bool)) {
            let regex = RegexText::new(&wild.to_regex(), !cased).ok()?;
            ways.push(field_filter(field, FieldTest::Matches(vec![Pattern::Regex(regex)])));
        }
        Some(any(ways))
    }
}

impl Test {
    /// The same as a pattern of the language, which is looked for in texts.
    pub fn pattern(&self) -> Option<Pattern> {
        let regex = match self {
            Test::Text { wild, cased } => RegexText::new(&wild.to_regex(), !cased),
            Test::Regex(source) => RegexText::new(source, false),
            _ => return None,
        };
        regex.ok().map(Pattern::Regex)
    }
}

/// In place of a condition that the language cannot say.
fn unsaid(is_widest: bool, is_exact: &Cell<bool>) -> Filter {
    is_exact.set(false);
    if is_widest { Filter::Everything } else { never() }
}

fn parts(filter: &Filter) -> usize {
    match filter {
        Filter::And(inner) | Filter::Or(inner) => inner.iter().map(parts).sum(),
        Filter::Not(inner) => parts(inner),
        Filter::Field { test: FieldTest::Matches(patterns), .. } => patterns.len(),
        _ => 1,
    }
}
