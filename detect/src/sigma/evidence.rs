//! A rule as a query: its condition in the language, where that can say all of it.

use indexer::query::{Filter, Op, Pattern, RegexText, Test as FieldTest};
use indexer::{FieldKind, Snapshot};

use super::condition::Expr;
use super::levels::LEVEL;
use super::pattern::Wild;
use super::program::{Program, Selector, TEXT, TestId};
use super::values::Test;
use crate::evidence::{all, any, field_filter, never};

/// Parts of a query that a single rule may give; a longer one is no help to a reader.
const MOST_PARTS: usize = 400;

pub struct Evidence<'a> {
    pub program: &'a Program,
    pub snapshot: &'a Snapshot,
    /// The fields of the case and the types of their values.
    pub fields: &'a [(String, Vec<FieldKind>)],
}

impl Evidence<'_> {
    /// What a rule asks for; nothing where the language cannot say it.
    pub fn rule(&self, rule: usize) -> Option<Filter> {
        let variants = self.program.variants.iter().filter(|variant| variant.rule == rule);
        let mut ways = Vec::new();
        for variant in variants {
            let selectors = self.program.kinds[variant.kind].as_deref()?;
            let mut parts =
                selectors.iter().map(|selector| self.selector(*selector)).collect::<Option<Vec<_>>>()?;
            parts.push(self.expr(&variant.expr)?);
            ways.push(all(parts));
        }
        let filter = any(ways);
        (parts(&filter) <= MOST_PARTS && filter != never()).then_some(filter)
    }

    fn selector(&self, selector: usize) -> Option<Filter> {
        let (patterns, name): (_, fn(&indexer::SourceEntry) -> &str) = match &self.program.selectors[selector]
        {
            Selector::Field { slot, patterns } => {
                let fields = &self.program.slots[*slot].fields;
                let ways = fields.iter().flat_map(|field| patterns.iter().map(move |wild| (field, wild)));
                let ways =
                    ways.map(|(field, wild)| self.text(field, wild, false)).collect::<Option<Vec<_>>>()?;
                return Some(any(ways));
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
            return Some(Filter::Everything);
        }
        let is = |source: &&indexer::SourceEntry| {
            field_filter("source", FieldTest::Compare(Op::Equal, source.name.clone()))
        };
        Some(any(chosen.iter().map(is).collect()))
    }

    fn expr(&self, expr: &Expr<TestId>) -> Option<Filter> {
        let each =
            |parts: &[Expr<TestId>]| parts.iter().map(|part| self.expr(part)).collect::<Option<Vec<_>>>();
        match expr {
            Expr::And(parts) => Some(all(each(parts)?)),
            Expr::Or(parts) => Some(any(each(parts)?)),
            Expr::Not(part) => Some(match self.expr(part)? {
                Filter::Everything => never(),
                part if part == never() => Filter::Everything,
                part => Filter::Not(Box::new(part)),
            }),
            Expr::AtLeast(..) => None,
            Expr::Always(truth) => Some(if *truth { Filter::Everything } else { never() }),
            Expr::Leaf(test) => self.test(*test),
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
                Some(Filter::Not(Box::new(each(&|field| Some(field_filter(field, FieldTest::Exists)))?)))
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

fn parts(filter: &Filter) -> usize {
    match filter {
        Filter::And(inner) | Filter::Or(inner) => inner.iter().map(parts).sum(),
        Filter::Not(inner) => parts(inner),
        Filter::Field { test: FieldTest::Matches(patterns), .. } => patterns.len(),
        _ => 1,
    }
}
