//! A then B with the same key within a time, and A without B.

use std::collections::BTreeMap;

use indexer::query::Filter;
use indexer::{Cell, Result, duration};
use serde::Deserialize;
use toml::Spanned;

use super::read::Lines;
use super::series::{Keys, key_expression, key_name};
use super::{CheckScope, Detector, Evaluated, Interval};
use crate::evidence::{all, any};
use crate::problem::Fault;
use crate::verdict::{Account, Coverage, Lack, Outcome};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSequence {
    then: Option<Spanned<String>>,
    without: Option<Spanned<String>>,
    within: Spanned<String>,
}

#[derive(Clone, Debug)]
pub struct Sequence {
    pub second: Filter,
    /// The second event must not come.
    pub is_without: bool,
    pub within: i64,
}

impl WrittenSequence {
    pub fn read(self, lines: &Lines<'_>) -> std::result::Result<Sequence, Fault> {
        let within = lines.duration(&self.within)?;
        match (&self.then, &self.without) {
            (Some(then), None) => Ok(Sequence { second: lines.filter(then)?, is_without: false, within }),
            (None, Some(without)) => {
                Ok(Sequence { second: lines.filter(without)?, is_without: true, within })
            }
            _ => Err(lines.fault(
                self.within.span(),
                "the sequence has not one second query",
                "write either then = \"…\" or without = \"…\"",
            )),
        }
    }
}

/// The times of the events of one key, each in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTimes {
    pub first: Vec<i64>,
    pub second: Vec<i64>,
    /// Of events that match both queries: they are in both of the others, too.
    pub both: Vec<i64>,
}

impl StepTimes {
    pub fn steps(&mut self) -> [&mut Vec<i64>; 3] {
        [&mut self.first, &mut self.second, &mut self.both]
    }

    /// The next second event after a first one.
    fn following(&self, time: i64) -> Option<i64> {
        let at = self.second.partition_point(|&other| other < time);
        // An event does not follow itself.
        let is_alone = |times: &[i64]| within(times, time, time) == 1;
        let is_itself = [&self.first, &self.second, &self.both].into_iter().all(|times| is_alone(times));
        self.second.get(at + usize::from(is_itself)).copied()
    }
}

/// A first event with its second, or without one.
#[derive(Clone, Copy, Debug)]
pub struct StepPair {
    start: i64,
    end: i64,
    /// From the first event to the second.
    gap: i64,
}

/// How many times are between two, both included.
fn within(times: &[i64], from: i64, to: i64) -> u64 {
    (times.partition_point(|&time| time <= to) - times.partition_point(|&time| time < from)) as u64
}

impl Sequence {
    pub fn evaluate(&self, detector: &Detector, scope: &CheckScope<'_>) -> Result<Evaluated> {
        let Some(ends) = scope.ends() else { return Ok(Evaluated::lacking(Lack::Time)) };
        let keys = self.times(detector, scope)?;
        let filter = self.evidence(detector);
        let (mut alerts, mut account) = (Vec::new(), Account::new(ends));
        for (keys, times) in keys.iter().filter(|(_, times)| !times.first.is_empty()) {
            account.add(self.coverage(times, ends.1));
            for pair in self.pairs(times, ends.1) {
                let interval = self.interval(pair, times);
                alerts.push(detector.alert(keys, &interval, &filter));
            }
        }
        let is_any =
            |filter: &Filter| -> Result<bool> { Ok(scope.table(&format!("{filter} | limit 1"))?.rows() > 0) };
        if keys.values().all(|times| times.first.is_empty()) {
            let lack = is_any(&detector.filter)?.then_some(Lack::Key);
            account.add(Coverage { lack, ..Coverage::default() });
            return Ok(Evaluated { verdict: account.verdict(0, "event"), alerts, remark: None });
        }
        let mut why = self.unmet(keys.values());
        if keys.values().all(|times| times.second.is_empty()) {
            let is_keyless = is_any(&self.second)?;
            if is_keyless && !self.is_without {
                return Ok(Evaluated::lacking(Lack::Key));
            }
            why = Some(format!(
                "no event {}",
                if is_keyless { "has the fields of `by`" } else { "matches it" }
            ));
        }
        let mut verdict = account.verdict(alerts.len(), "event");
        let why = why.map(|why| format!("its second query can end no sequence, because {why}"));
        let remark = why
            .as_ref()
            .filter(|_| self.is_without)
            .map(|why| (why.clone(), "check the query of `without`, and `within`".to_owned()));
        if let (false, Outcome::Quiet, Some(why)) = (self.is_without, verdict.outcome, why) {
            verdict.sentence = format!("{}; {why}", verdict.sentence);
        }
        Ok(Evaluated { alerts, verdict, remark })
    }

    /// Why no second event follows a first one in time; nothing if one does.
    fn unmet<'a>(&self, keys: impl Iterator<Item = &'a StepTimes>) -> Option<String> {
        let gap = |times: &StepTimes| {
            times.first.iter().filter_map(|&time| Some(times.following(time)? - time)).min()
        };
        let length = |ns: i64| duration::compact(ns, 2);
        match keys.filter_map(gap).min() {
            None => {
                Some("none of its events comes after a first event with the same fields of `by`".to_owned())
            }
            Some(gap) if gap > self.within => {
                let (gap, within) = (length(gap), length(self.within));
                Some(format!(
                    "the nearest of its events comes {gap} after a first one, and `within` is {within}"
                ))
            }
            Some(_) => None,
        }
    }

    /// How many first events of a key can be judged: not those whose second event may come after the end of the data.
    pub(crate) fn coverage(&self, times: &StepTimes, last: i64) -> Coverage {
        let is_judged = |&&time: &&i64| {
            last - time >= self.within || times.following(time).is_some_and(|next| next - time <= self.within)
        };
        let count = times.first.iter().filter(is_judged).count() as u64;
        let has = times.first.first().map_or(0, |time| last - time);
        let lack = Lack::Span { has, needed: self.within, what: "waits for the second event for" };
        Coverage { count, of: times.first.len() as u64, short: 0, lack: (count == 0).then_some(lack) }
    }

    /// The events that its alerts are about.
    pub fn evidence(&self, detector: &Detector) -> Filter {
        if self.is_without {
            return detector.filter.clone();
        }
        any(vec![detector.filter.clone(), self.second.clone()])
    }

    /// A pair as an interval, with the events in it.
    pub fn interval(&self, pair: StepPair, times: &StepTimes) -> Interval {
        let StepPair { start, end, gap } = pair;
        let count = |times: &[i64]| within(times, start, end);
        let seconds = if self.is_without { 0 } else { count(&times.second) - count(&times.both) };
        let (value, expected) = (gap as f64 / 1e9, self.within as f64 / 1e9);
        Interval {
            start,
            end,
            peak: end,
            value,
            expected,
            events: count(&times.first) + seconds,
            basis: None,
        }
    }

    /// The sequences of a key; those that overlap are one.
    pub fn pairs(&self, times: &StepTimes, last: i64) -> Vec<StepPair> {
        let mut found: Vec<StepPair> = Vec::new();
        for &time in &times.first {
            let next = times.following(time).filter(|next| next - time <= self.within);
            let pair = match (self.is_without, next) {
                (false, Some(next)) => StepPair { start: time, end: next, gap: next - time },
                // What may still come is not missing yet.
                (true, None) if last - time >= self.within => {
                    StepPair { start: time, end: time, gap: self.within }
                }
                _ => continue,
            };
            match found.last_mut() {
                Some(open) if pair.start <= open.end => {
                    open.end = open.end.max(pair.end);
                    open.gap = open.gap.min(pair.gap);
                }
                _ => found.push(pair),
            }
        }
        found
    }

    /// The times of the events of each key.
    pub fn times(&self, detector: &Detector, scope: &CheckScope<'_>) -> Result<BTreeMap<Keys, StepTimes>> {
        let mut found: BTreeMap<Keys, StepTimes> = BTreeMap::new();
        let both = all(vec![detector.filter.clone(), self.second.clone()]);
        for (step, filter) in [&detector.filter, &self.second, &both].into_iter().enumerate() {
            for (keys, times) in matching_times(detector, scope, filter)? {
                *found.entry(keys).or_default().steps()[step] = times;
            }
        }
        Ok(found)
    }
}

/// The times of matching events by key, in order. Events without a key belong to no sequence.
fn matching_times(
    detector: &Detector,
    scope: &CheckScope<'_>,
    filter: &Filter,
) -> Result<BTreeMap<Keys, Vec<i64>>> {
    let names: Vec<String> = (0..detector.by.len()).map(key_name).collect();
    let keys = detector.by.iter().zip(&names).map(|(key, name)| format!("{name} = {}", key_expression(key)));
    let keys: Vec<String> = keys.collect();
    let text = format!("{filter} | eval {} | keep time, {}", keys.join(", "), names.join(", "));
    let table = scope.table(&text)?;
    let column = |name: &str| table.names().iter().position(|known| &**known == name);
    let (at, keys): (_, Vec<_>) = (column("time"), names.iter().map(|name| column(name)).collect());
    let mut found: BTreeMap<Keys, Vec<i64>> = BTreeMap::new();
    for row in 0..table.rows() {
        let Some(Cell::Time(time)) = at.map(|at| table.cell(row, at)) else { continue };
        let key = |at: &Option<usize>| at.map(|at| table.cell(row, at)).filter(|cell| !cell.is_missing());
        let keys: Keys = keys.iter().map(|at| key(at).map(|cell| cell.to_string())).collect();
        if keys.iter().all(Option::is_some) {
            found.entry(keys).or_default().push(time);
        }
    }
    for times in found.values_mut() {
        times.sort_unstable();
    }
    Ok(found)
}
