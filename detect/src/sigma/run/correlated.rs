//! Correlations over the events of rules: which of them hold, which could, and the alerts of each.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexer::query::{Filter, Op, Test as FieldTest};

use super::{RuleFound, RuleOutcome};
use crate::alert::Alert;
use crate::evidence;
use crate::limits::{ALERTS, NAMED_EVENTS};
use crate::problem::{Fault, Problem};
use crate::report::{MissingFields, Report};
use crate::sigma::attack::RuleState;
use crate::sigma::correlation::{CorrelatedInterval, Correlation, Hit, evaluate};
use crate::sigma::keys::meant;
use crate::sigma::{RulePlace, RuleSet};

/// The correlations of a set by how they can be evaluated.
pub(super) struct CorrelationOrder {
    /// Each follows those that it names.
    able: Vec<usize>,
    /// They name themselves, or each other, or such ones.
    circular: Vec<usize>,
}

impl CorrelationOrder {
    pub(super) fn new(rules: &RuleSet) -> CorrelationOrder {
        let (mut able, mut circular) = (Vec::new(), (0..rules.correlations.len()).collect::<Vec<_>>());
        let is_ready = |index: usize, able: &[usize]| {
            rules.correlations[index].0.rules.iter().all(|name| {
                rules.rule_named(name).is_some()
                    || rules.correlation_named(name).is_some_and(|other| able.contains(&other))
            })
        };
        while let Some(place) = circular.iter().position(|&index| is_ready(index, &able)) {
            able.push(circular.remove(place));
        }
        CorrelationOrder { able, circular }
    }
}

impl RuleOutcome<'_> {
    /// Evaluates correlations in this order, those first that others name. The report has the states of all rules
    /// already, and gets those of all correlations.
    pub(super) fn correlations(
        &self,
        order: &CorrelationOrder,
        silent: &HashSet<RulePlace>,
        report: &mut Report,
    ) {
        let all = &self.rules.correlations;
        let mut states = vec![RuleState::CannotRun; all.len()];
        let mut done: HashMap<usize, Vec<CorrelatedInterval>> = HashMap::new();
        for &index in &order.able {
            let intervals = self.correlation(index, silent, &mut states, &done, report);
            done.insert(index, intervals);
        }
        for &index in &order.circular {
            let (correlation, file) = &all[index];
            let fault =
                Fault::new(correlation.line, "the correlation depends on itself, or on one that does")
                    .hint("let it name rules, or correlations that do not name it");
            report.problems.push(Problem::of_file(file, fault));
        }
        report.states.extend(states);
    }

    /// When a correlation held. Its alerts and its state are added to those of the others.
    fn correlation(
        &self,
        index: usize,
        silent: &HashSet<RulePlace>,
        states: &mut [RuleState],
        done: &HashMap<usize, Vec<CorrelatedInterval>>,
        report: &mut Report,
    ) -> Vec<CorrelatedInterval> {
        let (correlation, file) = &self.rules.correlations[index];
        let intervals = evaluate(correlation, self.hits(correlation, done));
        if intervals.len() >= ALERTS {
            let message = format!("the correlation gives {ALERTS} alerts or more; the first are shown");
            let fault = Fault::new(correlation.line, message).hint("raise its condition");
            report.problems.push(Problem::of_file(file, fault));
        }
        for rule in correlation.rules.iter().filter_map(|name| self.rules.rule_named(name)) {
            let left_out = self.left_out(rule);
            if left_out > 0 {
                let rule = &self.rules.rules[rule].id;
                // Without the number, which is another one in each refresh of a live case.
                let message =
                    format!("the correlation leaves out events of the rule `{rule}`: they are too many");
                let hint =
                    format!("narrow the rule, or check a shorter time; {left_out} events are left out");
                let fault = Fault::new(correlation.line, message).hint(hint);
                report.problems.push(Problem::of_file(file, fault));
            }
        }
        let sight = self.sight(correlation, states, &report.states);
        if sight == RuleState::NoField {
            let missing = self.missing_for(correlation, &report.missing_fields);
            report.missing_fields.push(missing);
        }
        if sight == RuleState::NoSource {
            report.not_applicable.push(correlation.head.id.clone());
        } else {
            report.applicable += 1;
        }
        let is_silent = silent.contains(&RulePlace::Correlation(index));
        states[index] = if intervals.is_empty() || is_silent { sight } else { RuleState::Fired };
        if !is_silent {
            report.alerts.extend(intervals.iter().map(|interval| self.correlated(correlation, interval)));
        }
        intervals
    }

    /// The rules and correlations that others name without saying that these alert by themselves, too. One that cannot
    /// run silences none, and none is silenced that the other cannot count.
    pub(super) fn silent(&self, order: &CorrelationOrder) -> HashSet<RulePlace> {
        let able = order.able.iter().map(|&index| &self.rules.correlations[index].0);
        let silencing = able.filter(|correlation| !correlation.generate);
        let names = silencing.flat_map(|correlation| {
            let is_counted = |name: &&String| self.rules.lost_field(correlation, name).is_none();
            correlation.rules.iter().filter(is_counted)
        });
        let place = |name: &String| {
            let rule = self.rules.rule_named(name).map(RulePlace::Rule);
            rule.or_else(|| self.rules.correlation_named(name).map(RulePlace::Correlation))
        };
        names.filter_map(place).collect()
    }

    /// How many events of a rule that correlations name are not kept for these.
    fn left_out(&self, rule: usize) -> u64 {
        let of_segment = |found: &RuleFound| {
            let timed = found.count.events - found.count.untimed;
            timed.saturating_sub(found.hits.len() as u64)
        };
        let earlier = self.progress.earlier.get(&rule).and_then(|earlier| earlier.left_out);
        self.in_segments(rule).map(of_segment).sum::<u64>() + earlier.map_or(0, |(events, _)| events)
    }

    /// What a correlation can see at most: as much as so many of its rules that it can hold.
    fn sight(
        &self,
        correlation: &Correlation,
        of_correlations: &[RuleState],
        of_rules: &[RuleState],
    ) -> RuleState {
        let of_part = |name: &String| match self.rules.rule_named(name) {
            Some(rule) if !self.absent(correlation, name, rule).is_empty() => {
                of_rules[rule].min(RuleState::NoField)
            }
            Some(rule) => of_rules[rule].min(RuleState::Quiet),
            None => {
                let other = self.rules.correlation_named(name);
                let able = other.filter(|_| self.rules.lost_field(correlation, name).is_none());
                able.map_or(RuleState::CannotRun, |other| of_correlations[other].min(RuleState::Quiet))
            }
        };
        let mut sights: Vec<RuleState> = correlation.rules.iter().map(of_part).collect();
        sights.sort_unstable();
        sights[sights.len() - correlation.least_rules()]
    }

    /// The fields without which no event of a rule counts for a correlation, and that no event of the case has.
    fn absent(&self, correlation: &Correlation, name: &str, rule: usize) -> Vec<String> {
        let mut fields = correlation.fields_of(name);
        if !correlation.needs_value() {
            fields.truncate(correlation.group_by.len());
        }
        let rule = &self.rules.rules[rule];
        fields.retain(|field| meant(field, rule, self.sources, &self.progress.fields).is_empty());
        fields
    }

    /// The fields that keep a correlation from holding: its own, and those of its rules.
    fn missing_for(&self, correlation: &Correlation, of_parts: &[MissingFields]) -> MissingFields {
        let mut fields = BTreeSet::new();
        for name in &correlation.rules {
            let id = if let Some(rule) = self.rules.rule_named(name) {
                fields.extend(self.absent(correlation, name, rule));
                Some(&self.rules.rules[rule].id)
            } else {
                let other = self.rules.correlation_named(name);
                other.map(|other| &self.rules.correlations[other].0.head.id)
            };
            let of_part = of_parts.iter().filter(|part| part.cannot_match && Some(&part.rule) == id);
            fields.extend(of_part.flat_map(|part| part.fields.iter().cloned()));
        }
        let rule = correlation.head.id.clone();
        MissingFields { rule, fields: fields.into_iter().collect(), cannot_match: true }
    }

    fn hits(&self, correlation: &Correlation, done: &HashMap<usize, Vec<CorrelatedInterval>>) -> Vec<Hit> {
        let keys = correlation.group_by.len();
        let mut hits = Vec::new();
        for (place, name) in correlation.rules.iter().enumerate() {
            if let Some(rule) = self.rules.rule_named(name) {
                let width = keys + usize::from(correlation.field.is_some());
                let Some(start) = self.offset(rule, correlation, place) else { continue };
                let earlier = self.progress.earlier.get(&rule).into_iter().flat_map(|earlier| &earlier.hits);
                for hit in self.in_segments(rule).flat_map(|found| &found.hits).chain(earlier) {
                    let values = hit.values.get(start..start + width).unwrap_or_default();
                    let (of_group, counted) = values.split_at(keys.min(values.len()));
                    hits.push(Hit {
                        time: hit.time,
                        source: hit.source,
                        event_line: hit.line,
                        rule: place,
                        keys: of_group.to_vec(),
                        value: counted.first().cloned().flatten(),
                    });
                }
            } else if let Some(other) = self.rules.correlation_named(name) {
                let names = &self.rules.correlations[other].0.group_by;
                for interval in done.get(&other).into_iter().flatten() {
                    let key = |name: &String| {
                        let at = names.iter().position(|known| known == name)?;
                        interval.keys.get(at).cloned()
                    };
                    let (source, event_line) = interval.events.last().copied().unwrap_or_default();
                    hits.push(Hit {
                        time: interval.end,
                        source,
                        event_line,
                        rule: place,
                        keys: correlation.group_by.iter().map(key).collect(),
                        value: correlation.field.as_ref().and_then(key),
                    });
                }
            }
        }
        hits
    }

    /// Where the fields that a correlation needs of a rule begin among those that all correlations need of it.
    fn offset(&self, rule: usize, wanted: &Correlation, place: usize) -> Option<usize> {
        let mut at = 0;
        for (correlation, _) in &self.rules.correlations {
            let width = correlation.group_by.len() + usize::from(correlation.field.is_some());
            for (index, name) in correlation.rules.iter().enumerate() {
                if self.rules.rule_named(name) != Some(rule) {
                    continue;
                }
                if std::ptr::eq(correlation, wanted) && index == place {
                    return Some(at);
                }
                at += width;
            }
        }
        None
    }

    fn correlated(&self, correlation: &Correlation, interval: &CorrelatedInterval) -> Alert {
        let is_few = interval.events.len() <= NAMED_EVENTS;
        let (filter, is_exact) = if is_few {
            (evidence::named(self.snapshot, &interval.events), true)
        } else {
            let (filter, is_exact) = self.of_interval(correlation, interval);
            (evidence::within(filter, Some(interval.start), Some(interval.end)), is_exact)
        };
        let expected = correlation.conditions.first().map(|(_, number)| *number);
        Alert {
            detector: correlation.head.id.clone(),
            title: correlation.head.title.clone(),
            severity: correlation.head.severity,
            start: Some(interval.start),
            end: Some(interval.end),
            peak: Some(interval.peak),
            events: interval.events.len() as u64,
            group: correlation.group_by.iter().cloned().zip(interval.keys.iter().cloned()).collect(),
            value: Some(interval.value),
            expected,
            basis: None,
            query: filter.to_string(),
            wider: !is_exact,
        }
    }

    /// A filter for the events of the rules of a correlation with the values of an interval, and whether it selects no
    /// others within its times.
    fn of_interval(&self, correlation: &Correlation, interval: &CorrelatedInterval) -> (Filter, bool) {
        // Of a correlation over others only the last event of each interval counts.
        let mut is_exact = correlation.rules.iter().all(|name| self.rules.rule_named(name).is_some());
        let mut ways = Vec::new();
        for rule in self.rules.parts_of(correlation).0 {
            let query = self.evidence.rule(rule);
            is_exact &= query.is_exact;
            let mut parts = vec![query.filter];
            for (field, key) in correlation.keys_of(&self.rules.rules[rule]).iter().zip(&interval.keys) {
                let names = meant(field, &self.rules.rules[rule], self.sources, &self.progress.fields);
                is_exact &= names.len() == 1;
                let is_key =
                    |name: &String| evidence::field_filter(name, FieldTest::Compare(Op::Equal, key.clone()));
                parts.push(evidence::any(names.iter().map(is_key).collect()));
            }
            ways.push(evidence::all(parts));
        }
        (evidence::any(ways), is_exact)
    }
}
