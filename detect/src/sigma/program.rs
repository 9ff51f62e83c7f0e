//! All rules as one program for one case: tests that rules share are there once, fields are those of the case, and
//! each rule has triggers. At least one trigger holds wherever the rule does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexer::query::Pattern;

use super::condition::Expr;
use super::levels::{LEVEL, passing_levels};
use super::matching::FieldMatcher;
use super::pattern::Wild;
use super::rule::Rule;
use super::sources::{Events, Sources};
use super::values::{Predicate, Test};
use crate::limits::SOURCE_CONDITIONS;
use crate::problem::Fault;

/// The number of a test of the program.
pub type TestId = u32;

/// Of an event's whole text, in place of fields.
pub const TEXT: usize = 0;

/// Which fields of the case a test reads; any of them may pass.
#[derive(Debug)]
pub struct Slot {
    pub fields: Vec<String>,
    pub matcher: FieldMatcher,
}

#[derive(Debug)]
pub struct SlotTest {
    pub slot: usize,
    pub test: Test,
    /// The slot of the other field, for comparisons of fields.
    pub other: Option<usize>,
    /// Tested when a rule needs it, because it is slow and starts no rule.
    pub lazy: bool,
    /// Of a test on texts what the text index is asked for.
    pub pattern: Option<Pattern>,
}

/// A condition by which a log source selects events.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub enum Selector {
    Field { slot: usize, patterns: Vec<Wild> },
    Format(Vec<Wild>),
    Source(Vec<Wild>),
}

/// Tests on one slot; one of them has to pass.
#[derive(Debug)]
pub struct AnyTest {
    pub slot: usize,
    /// In order.
    pub tests: Vec<TestId>,
    /// Whether the slot's matcher decides them. Others are alone.
    pub is_matched: bool,
}

/// A rule over one kind of events.
#[derive(Debug)]
pub struct Variant {
    pub rule: usize,
    /// Of the program's `kinds`.
    pub kind: usize,
    pub expr: Expr<TestId>,
    /// The same with alternatives of one slot as one test, as it is evaluated.
    pub plan: Expr<AnyTest>,
    /// Without triggers it is evaluated for every event of its kind.
    pub triggers: Option<Vec<TestId>>,
}

/// A kind of events that a rule is about.
#[derive(Debug)]
pub struct RuleKind {
    /// Of the program's `kinds`.
    pub kind: usize,
    /// Fields of the rule that the case has none of, in order.
    pub missing: BTreeSet<String>,
    /// Whether the rule can match an event of this kind.
    pub can_match: bool,
}

#[derive(Debug)]
pub struct Program {
    pub slots: Vec<Slot>,
    pub tests: Vec<SlotTest>,
    pub selectors: Vec<Selector>,
    /// Kinds of events: selectors that must all hold; nothing where a field of one is not in the case.
    pub kinds: Vec<Option<Vec<usize>>>,
    pub variants: Vec<Variant>,
    /// By test: the variants that it starts.
    pub starts: Vec<Vec<u32>>,
    /// By rule: the kinds it is about. None where the table has no entry for its log source.
    pub rule_kinds: Vec<Option<Vec<RuleKind>>>,
}

impl Program {
    pub fn new(rules: &[Rule], sources: &Sources, fields: &[String]) -> Result<Program, Fault> {
        let mut builder = Builder::new(sources, fields);
        let mut rule_kinds = Vec::with_capacity(rules.len());
        let mut variants = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let Some(ways) = sources.events(&rule.source) else {
                rule_kinds.push(None);
                continue;
            };
            builder.is_windows = rule.source.product.as_deref() == Some("windows");
            let mut kinds = Vec::with_capacity(ways.len());
            for events in ways {
                let kind = builder.kind(events);
                let mut of_kind = RuleKind { kind, missing: BTreeSet::new(), can_match: false };
                if builder.kinds[kind].is_some() {
                    let expr = builder.expr(&rule.condition, events);
                    of_kind.can_match = expr != Expr::Always(false);
                    of_kind.missing = builder.missing(&rule.condition, events, of_kind.can_match);
                    if of_kind.can_match {
                        variants.push((index, kind, expr));
                    }
                }
                kinds.push(of_kind);
            }
            rule_kinds.push(Some(kinds));
        }
        if builder.selectors.len() > SOURCE_CONDITIONS {
            let message = format!("the log sources have more than {SOURCE_CONDITIONS} conditions");
            return Err(Fault::new(0, message).hint("run fewer rules at once"));
        }
        Ok(builder.finish(variants, rule_kinds))
    }
}

struct Builder<'a> {
    sources: &'a Sources,
    fields: &'a [String],
    slots: Vec<Vec<String>>,
    slot_ids: HashMap<Vec<String>, usize>,
    resolved: HashMap<Vec<Vec<String>>, Option<usize>>,
    tests: Vec<SlotTest>,
    test_ids: HashMap<(usize, Test), TestId>,
    selectors: Vec<Selector>,
    kinds: Vec<Option<Vec<usize>>>,
    kind_ids: Vec<(Events, usize)>,
    /// Whether the rule that is read is about Windows events.
    is_windows: bool,
}

impl<'a> Builder<'a> {
    fn new(sources: &'a Sources, fields: &'a [String]) -> Builder<'a> {
        Builder {
            sources,
            fields,
            slots: vec![Vec::new()],
            slot_ids: HashMap::new(),
            resolved: HashMap::new(),
            tests: Vec::new(),
            test_ids: HashMap::new(),
            selectors: Vec::new(),
            kinds: Vec::new(),
            kind_ids: Vec::new(),
            is_windows: false,
        }
    }

    fn slot(&mut self, field: &str, events: &Events) -> Option<usize> {
        let names = self.sources.names(field, events);
        if let Some(known) = self.resolved.get(&names) {
            return *known;
        }
        let fields = self.sources.resolve(&names, self.fields);
        let slot = (!fields.is_empty()).then(|| self.slot_of(fields));
        self.resolved.insert(names, slot);
        slot
    }

    fn slot_of(&mut self, fields: Vec<String>) -> usize {
        *self.slot_ids.entry(fields.clone()).or_insert_with(|| {
            self.slots.push(fields);
            self.slots.len() - 1
        })
    }

    fn selector(&mut self, selector: Selector) -> usize {
        if let Some(known) = self.selectors.iter().position(|other| *other == selector) {
            return known;
        }
        self.selectors.push(selector);
        self.selectors.len() - 1
    }

    fn kind(&mut self, events: &Events) -> usize {
        let same = |(other, _): &&(Events, usize)| other.conditions == events.conditions;
        if let Some((_, kind)) = self.kind_ids.iter().find(same) {
            return *kind;
        }
        let mut selectors = Some(Vec::new());
        // Conditions name fields as rules do, but not by the other names that the entry gives them.
        let plain = Events { conditions: BTreeMap::new(), fields: BTreeMap::new() };
        for (field, values) in &events.conditions {
            let patterns = values.patterns();
            let selector = match field.as_str() {
                "format" => Some(Selector::Format(patterns)),
                "source" => Some(Selector::Source(patterns)),
                _ => self.slot(field, &plain).map(|slot| Selector::Field { slot, patterns }),
            };
            match (selector, &mut selectors) {
                (Some(selector), Some(_)) => {
                    let selector = self.selector(selector);
                    if let Some(all) = &mut selectors {
                        all.push(selector);
                    }
                }
                _ => selectors = None,
            }
        }
        self.kinds.push(selectors);
        self.kind_ids.push((events.clone(), self.kinds.len() - 1));
        self.kinds.len() - 1
    }

    fn test(&mut self, slot: usize, test: &Test, other: Option<usize>) -> TestId {
        if let Some(known) = self.test_ids.get(&(slot, test.clone()))
            && self.tests[*known as usize].other == other
        {
            return *known;
        }
        let id = self.tests.len() as TestId;
        let pattern = if slot == TEXT { test.pattern() } else { None };
        self.tests.push(SlotTest { slot, test: test.clone(), other, lazy: false, pattern });
        self.test_ids.insert((slot, test.clone()), id);
        id
    }

    /// The fields of a condition that are nowhere in the case. A condition that can hold may test that they are not there.
    fn missing(&mut self, expr: &Expr<Predicate>, events: &Events, can_match: bool) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        expr.each_leaf(&mut |predicate| match (&predicate.field, &predicate.test) {
            (_, Test::Exists | Test::Null) if can_match => {}
            (None, _) => {}
            (Some(field), Test::Field { other, .. }) => names.extend([field, other]),
            (Some(field), _) => names.extend([field]),
        });
        names.into_iter().filter(|name| self.slot(name, events).is_none()).cloned().collect()
    }

    /// A condition over tests of the program. What a field that is nowhere decides is decided here.
    fn expr(&mut self, expr: &Expr<Predicate>, events: &Events) -> Expr<TestId> {
        match expr {
            Expr::Always(truth) => Expr::Always(*truth),
            Expr::Leaf(predicate) => self.leaf(predicate, events),
            Expr::Not(part) => match self.expr(part, events) {
                Expr::Always(truth) => Expr::Always(!truth),
                part => Expr::Not(Box::new(part)),
            },
            Expr::And(parts) => self.joined(parts, events, true),
            Expr::Or(parts) => self.joined(parts, events, false),
            Expr::AtLeast(count, parts) => {
                Expr::AtLeast(*count, parts.iter().map(|part| self.expr(part, events)).collect())
            }
        }
    }

    fn joined(&mut self, parts: &[Expr<Predicate>], events: &Events, all: bool) -> Expr<TestId> {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match self.expr(part, events) {
                Expr::Always(truth) if truth == all => {}
                Expr::Always(_) => return Expr::Always(!all),
                part => kept.push(part),
            }
        }
        match kept.len() {
            0 => Expr::Always(all),
            1 => kept.remove(0),
            _ if all => Expr::And(kept),
            _ => Expr::Or(kept),
        }
    }

    fn leaf(&mut self, predicate: &Predicate, events: &Events) -> Expr<TestId> {
        let Some(field) = &predicate.field else {
            return Expr::Leaf(self.test(TEXT, &predicate.test, None));
        };
        let Some(slot) = self.slot(field, events) else {
            return Expr::Always(predicate.test == Test::Null);
        };
        let other = match &predicate.test {
            Test::Field { other, .. } => match self.slot(other, events) {
                Some(other) => Some(other),
                None => return Expr::Always(false),
            },
            _ => None,
        };
        self.level(slot, &predicate.test)
            .unwrap_or_else(|| Expr::Leaf(self.test(slot, &predicate.test, other)))
    }

    /// A test on values of the built-in field `level`, as a test for its names. Nothing for other tests and fields.
    fn level(&mut self, slot: usize, test: &Test) -> Option<Expr<TestId>> {
        let (built_in, others): (Vec<String>, Vec<String>) =
            self.slots[slot].iter().cloned().partition(|field| field == LEVEL);
        let names = passing_levels(test, self.is_windows).filter(|_| !built_in.is_empty())?;
        let mut ways = Vec::new();
        if !others.is_empty() {
            let slot = self.slot_of(others);
            ways.push(Expr::Leaf(self.test(slot, test, None)));
        }
        let slot = self.slot_of(built_in);
        for name in names {
            let test = Test::Text { wild: Wild::literal(name), cased: false };
            ways.push(Expr::Leaf(self.test(slot, &test, None)));
        }
        Some(match ways.len() {
            0 => Expr::Always(false),
            1 => ways.remove(0),
            _ => Expr::Or(ways),
        })
    }

    fn finish(
        self,
        variants: Vec<(usize, usize, Expr<TestId>)>,
        rule_kinds: Vec<Option<Vec<RuleKind>>>,
    ) -> Program {
        let Builder { slots, mut tests, selectors, kinds, .. } = self;
        let mut starts = vec![Vec::new(); tests.len()];
        let triggers: Vec<Option<Vec<TestId>>> =
            variants.iter().map(|(.., expr)| triggers(expr, &tests).map(|(_, triggers)| triggers)).collect();
        for (variant, triggers) in (0..).zip(&triggers) {
            triggers.iter().flatten().for_each(|&test| starts[test as usize].push(variant));
        }
        for (test, starts) in tests.iter_mut().zip(&starts) {
            test.lazy = starts.is_empty() && test.slot != TEXT && matches!(test.test, Test::Regex(_));
        }
        let made = variants.into_iter().zip(triggers).map(|((rule, kind, expr), triggers)| {
            let expr = slow_last(expr, &tests);
            let plan = plan(&expr, &tests);
            Variant { rule, kind, expr, plan, triggers }
        });
        let made = made.collect();
        let slots = slots.into_iter().enumerate();
        let slots = slots.map(|(slot, fields)| {
            let of_slot = (0..).zip(&tests).filter(|(_, test)| test.slot == slot && !test.lazy);
            let tests: Vec<(TestId, &Test)> = of_slot.map(|(id, test)| (id, &test.test)).collect();
            Slot { fields, matcher: FieldMatcher::new(&tests) }
        });
        Program { slots: slots.collect(), tests, selectors, kinds, variants: made, starts, rule_kinds }
    }
}

/// A condition whose alternatives on one slot are looked up together: a value passes few tests, and conditions list many.
fn plan(expr: &Expr<TestId>, tests: &[SlotTest]) -> Expr<AnyTest> {
    let one = |id: TestId| {
        let test = &tests[id as usize];
        let is_matched = !test.lazy && cost(&test.test).is_some();
        AnyTest { slot: test.slot, tests: vec![id], is_matched }
    };
    let each = |parts: &[Expr<TestId>]| parts.iter().map(|part| plan(part, tests)).collect();
    match expr {
        Expr::Leaf(id) => Expr::Leaf(one(*id)),
        Expr::Not(part) => Expr::Not(Box::new(plan(part, tests))),
        Expr::And(parts) => Expr::And(each(parts)),
        Expr::AtLeast(count, parts) => Expr::AtLeast(*count, each(parts)),
        Expr::Always(truth) => Expr::Always(*truth),
        Expr::Or(parts) => {
            let mut joined: Vec<Expr<AnyTest>> = Vec::new();
            for part in parts.iter().map(|part| plan(part, tests)) {
                let together = joined.iter_mut().find_map(|known| match (known, &part) {
                    (Expr::Leaf(known), Expr::Leaf(more)) => {
                        (known.is_matched && more.is_matched && known.slot == more.slot).then_some(known)
                    }
                    _ => None,
                });
                match (together, part) {
                    (Some(known), Expr::Leaf(more)) => known.tests.extend(more.tests),
                    (_, part) => joined.push(part),
                }
            }
            for part in &mut joined {
                if let Expr::Leaf(any) = part {
                    any.tests.sort_unstable();
                }
            }
            Expr::Or(joined)
        }
    }
}

/// Tests with what they cost: how often they hold for other reasons. At least one holds wherever the
/// condition does.
fn triggers(expr: &Expr<TestId>, tests: &[SlotTest]) -> Option<(f64, Vec<TestId>)> {
    match expr {
        Expr::Leaf(test) => cost(&tests[*test as usize].test).map(|cost| (cost, vec![*test])),
        Expr::And(parts) => parts
            .iter()
            .filter_map(|part| triggers(part, tests))
            .min_by(|one, other| one.0.total_cmp(&other.0)),
        // Of so many one holds whichever do.
        Expr::Or(parts) | Expr::AtLeast(_, parts) => {
            let mut all = (0.0, Vec::new());
            for part in parts {
                let (cost, triggers) = triggers(part, tests)?;
                all.0 += cost;
                all.1.extend(triggers);
            }
            all.1.sort_unstable();
            all.1.dedup();
            Some(all)
        }
        Expr::Not(_) | Expr::Always(_) => None,
    }
}

fn cost(test: &Test) -> Option<f64> {
    match test {
        Test::Text { wild, .. } => {
            let length = wild.longest().map_or(0, |(text, _)| text.len());
            // Short numbers are those of kinds of events, which many events have.
            let is_number = wild.plain().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            Some(100.0 / (1.0 + length as f64) + if is_number { 100.0 } else { 0.0 })
        }
        Test::Regex(_) => Some(300.0),
        Test::Network(_) => Some(60.0),
        Test::Compare { .. } | Test::Clock { .. } => Some(150.0),
        Test::Exists | Test::Null | Test::Field { .. } => None,
    }
}

/// Puts the parts of conjunctions with regular expressions after the others.
fn slow_last(expr: Expr<TestId>, tests: &[SlotTest]) -> Expr<TestId> {
    let each = |parts: Vec<Expr<TestId>>| -> Vec<Expr<TestId>> {
        let mut parts: Vec<_> = parts.into_iter().map(|part| slow_last(part, tests)).collect();
        parts.sort_by_key(|part| {
            let mut slow = 0;
            part.each_leaf(&mut |test| {
                slow += u32::from(matches!(tests[*test as usize].test, Test::Regex(_)));
            });
            slow.min(1)
        });
        parts
    };
    match expr {
        Expr::And(parts) => Expr::And(each(parts)),
        Expr::Or(parts) => Expr::Or(each(parts)),
        Expr::Not(part) => Expr::Not(Box::new(slow_last(*part, tests))),
        other => other,
    }
}
