//! All tests on one field at once: exact values by a table, parts of values by one automaton, the rest one by one.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind, StartKind};
use indexer::query::network::Network;

use super::pattern::{Anchor, Wild, lower};
use super::program::TestId;
use super::values::{Order, Test};
use crate::clock::{self, ClockPart};
use crate::limits::{REGEX_BYTES, TABLE_NEEDLE_BYTES};

#[derive(Debug, Default)]
pub struct FieldMatcher {
    folded: Texts,
    cased: Texts,
    regexes: Vec<(TestId, regex::Regex)>,
    networks: Vec<(TestId, Network)>,
    numbers: Vec<(TestId, Order, f64)>,
    clocks: Vec<(TestId, ClockPart, i64)>,
}

/// Patterns over values in one case.
#[derive(Debug, Default)]
struct Texts {
    exact: HashMap<String, Vec<TestId>>,
    /// Hardly any value has other letters, and a table for these, too, would be twice as wide.
    ascii: Option<Needles>,
    others: Option<Needles>,
    /// Those with nothing certain in them.
    loose: Vec<TestId>,
    wilds: HashMap<TestId, Wild>,
}

/// Parts of values that are looked for at once.
#[derive(Debug)]
struct Needles {
    automaton: AhoCorasick,
    /// By needle of the automaton: the tests that it belongs to.
    tests: Vec<Vec<(TestId, Anchor)>>,
}

impl FieldMatcher {
    pub fn new(tests: &[(TestId, &Test)]) -> FieldMatcher {
        let mut matcher = FieldMatcher::default();
        let mut wilds: [Vec<(TestId, &Wild)>; 2] = [Vec::new(), Vec::new()];
        for &(id, test) in tests {
            match test {
                Test::Text { wild, cased } => wilds[usize::from(*cased)].push((id, wild)),
                Test::Regex(source) => matcher.regexes.extend(compiled(source).map(|regex| (id, regex))),
                Test::Network(text) => {
                    matcher.networks.extend(Network::parse(text).map(|network| (id, network)));
                }
                Test::Compare { op, number } => matcher.numbers.push((id, *op, f64::from_bits(*number))),
                Test::Clock { unit, number } => matcher.clocks.push((id, *unit, *number)),
                Test::Exists | Test::Null | Test::Field { .. } => {}
            }
        }
        matcher.folded = Texts::new(&wilds[0]);
        matcher.cased = Texts::new(&wilds[1]);
        matcher
    }

    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
            && self.cased.is_empty()
            && self.regexes.is_empty()
            && self.networks.is_empty()
            && self.numbers.is_empty()
            && self.clocks.is_empty()
    }

    /// The tests that a value passes, in their order.
    pub fn passing(&self, value: &str) -> Vec<TestId> {
        let mut found = Vec::new();
        if !self.folded.is_empty() {
            self.folded.passing(&lower(value), &mut found);
        }
        if !self.cased.is_empty() {
            self.cased.passing(value, &mut found);
        }
        found.extend(self.regexes.iter().filter(|(_, regex)| regex.is_match(value)).map(|(id, _)| *id));
        let held = self.networks.iter().filter(|(_, network)| network.holds(value) == Some(true));
        found.extend(held.map(|(id, _)| *id));
        if !self.numbers.is_empty()
            && let Ok(number) = value.trim().parse::<f64>()
        {
            let holds = |op: Order, wanted: f64| op.op().holds(number.total_cmp(&wanted));
            found.extend(
                self.numbers.iter().filter(|(_, op, wanted)| holds(*op, *wanted)).map(|(id, ..)| *id),
            );
        }
        if !self.clocks.is_empty()
            && let Some(time) = indexer::stamp::parse(value)
        {
            let holds = |unit: ClockPart, wanted: i64| clock::part(time, unit) == wanted;
            found.extend(
                self.clocks.iter().filter(|(_, unit, wanted)| holds(*unit, *wanted)).map(|(id, ..)| *id),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

pub fn compiled(source: &str) -> Option<regex::Regex> {
    regex::RegexBuilder::new(source).size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES).build().ok()
}

impl Texts {
    fn new(patterns: &[(TestId, &Wild)]) -> Texts {
        let mut texts = Texts::default();
        let mut needles: HashMap<&str, Vec<(TestId, Anchor)>> = HashMap::new();
        for &(id, wild) in patterns {
            match wild.longest() {
                _ if wild.0.is_empty() => texts.exact.entry(String::new()).or_default().push(id),
                None => {
                    texts.loose.push(id);
                    texts.wilds.insert(id, wild.clone());
                }
                Some((text, Anchor::Whole)) => texts.exact.entry(text.to_owned()).or_default().push(id),
                Some((text, anchor)) => {
                    needles.entry(text).or_default().push((id, anchor));
                    if anchor == Anchor::Verify {
                        texts.wilds.insert(id, wild.clone());
                    }
                }
            }
        }
        let (ascii, others) = needles.into_iter().partition(|(needle, _)| needle.is_ascii());
        (texts.ascii, texts.others) = (Needles::new(ascii), Needles::new(others));
        texts
    }

    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.ascii.is_none() && self.others.is_none() && self.loose.is_empty()
    }

    fn passing(&self, value: &str, found: &mut Vec<TestId>) {
        if let Some(exact) = self.exact.get(value) {
            found.extend(exact);
        }
        found.extend(self.loose.iter().filter(|id| self.wilds[id].matches(value)));
        let first = found.len();
        let others = self.others.iter().filter(|_| !value.is_ascii());
        for Needles { automaton, tests } in self.ascii.iter().chain(others) {
            for hit in automaton.find_overlapping_iter(value) {
                for &(id, anchor) in &tests[hit.pattern().as_usize()] {
                    let passes = match anchor {
                        Anchor::Start => hit.start() == 0,
                        Anchor::End => hit.end() == value.len(),
                        Anchor::Whole | Anchor::Anywhere => true,
                        Anchor::Verify => !found[first..].contains(&id) && self.wilds[&id].matches(value),
                    };
                    if passes {
                        found.push(id);
                    }
                }
            }
        }
    }
}

impl Needles {
    fn new(needles: HashMap<&str, Vec<(TestId, Anchor)>>) -> Option<Needles> {
        let (needles, tests): (Vec<&str>, Vec<_>) = needles.into_iter().unzip();
        let bytes: usize = needles.iter().map(|needle| needle.len()).sum();
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::Standard).start_kind(StartKind::Unanchored);
        if bytes <= TABLE_NEEDLE_BYTES {
            builder.kind(Some(AhoCorasickKind::DFA));
        }
        // Too many needles for its numbers are some hundred million bytes of rules, which no file may have.
        let automaton = builder.build(&needles).ok().filter(|_| !needles.is_empty())?;
        Some(Needles { automaton, tests })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(pattern: &str, cased: bool) -> Test {
        let wild = Wild::parse(pattern);
        Test::Text { wild: if cased { wild } else { wild.lower() }, cased }
    }

    #[test]
    fn each_kind_of_test_finds_its_values() {
        let tests = [
            text("*\\CMD.exe", false),
            text("*\\CMD.exe", true),
            Test::Regex("(?i)c.D".to_owned()),
            Test::Network("10.0.0.0/8".to_owned()),
            Test::Compare { op: Order::GreaterOrEqual, number: 4_f64.to_bits() },
            Test::Clock { unit: ClockPart::Hour, number: 3 },
            text("?", false),
            text("", false),
        ];
        let tests: Vec<(TestId, &Test)> = (0..).zip(&tests).collect();
        let matcher = FieldMatcher::new(&tests);
        assert_eq!(matcher.passing("c:\\cmd.exe"), [0, 2]);
        assert_eq!(matcher.passing("c:\\CMD.exe"), [0, 1, 2]);
        assert_eq!(matcher.passing("10.2.3.4"), [3]);
        assert_eq!(matcher.passing("4"), [4, 6]);
        assert_eq!(matcher.passing("2026-03-01T03:59:00Z"), [5]);
        assert_eq!(matcher.passing(""), [7]);
    }

    proptest! {
        #[test]
        fn the_automaton_agrees_with_each_pattern(
            patterns in prop::collection::vec("[abAä*?]{0,5}", 1..12),
            value in "[abABäÄ]{0,8}",
            cased in any::<bool>(),
        ) {
            let tests: Vec<Test> = patterns.iter().map(|pattern| text(pattern, cased)).collect();
            let numbered: Vec<(TestId, &Test)> = (0..).zip(&tests).collect();
            let folded = if cased { value.clone() } else { lower(&value) };
            let expected: Vec<TestId> = numbered
                .iter()
                .filter(|(_, test)| matches!(test, Test::Text { wild, .. } if wild.matches(&folded)))
                .map(|(id, _)| *id)
                .collect();
            prop_assert_eq!(FieldMatcher::new(&numbered).passing(&value), expected);
        }
    }
}
