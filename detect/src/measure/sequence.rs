//! A then B with the same key within a time, and A without B.

use std::collections::BTreeMap;

use indexer::query::Filter;
use indexer::{Cell, Result};
use serde::Deserialize;
use toml::Spanned;

use super::read::Lines;
use super::series::{Keys, key_expression, key_name};
use super::{CheckScope, Detector, Evaluated, Interval};
use crate::evidence::any;
use crate::problem::Fault;
use crate::verdict::{Account, Coverage, Lack};

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

impl Sequence {
    pub fn evaluate(&self, detector: &Detector, scope: &CheckScope<'_>) -> Result<Evaluated> {
        let Some(ends) = scope.ends() else { return Ok(Evaluated::lacking(Lack::Time)) };
        let first = times(detector, scope, &detector.filter)?;
        let second = times(detector, scope, &self.second)?;
        let filter = self.evidence(detector);
        let (mut alerts, mut account) = (Vec::new(), Account::new(ends));
        for (keys, first) in &first {
            let second = second.get(keys).map(Vec::as_slice).unwrap_or_default();
            account.add(self.coverage(first, second, ends.1));
            for pair in self.pairs(first, second, ends.1) {
                let interval = self.interval(pair, first, second);
                alerts.push(detector.alert(keys, &interval, &filter));
            }
        }
        let is_any =
            |filter: &Filter| -> Result<bool> { Ok(scope.table(&format!("{filter} | limit 1"))?.rows() > 0) };
        if first.is_empty() {
            let lack = is_any(&detector.filter)?.then_some(Lack::Key);
            account.add(Coverage { lack, ..Coverage::default() });
        }
        let mut remark = None;
        if !first.is_empty() && second.is_empty() {
            let is_keyless = is_any(&self.second)?;
            if is_keyless && !self.is_without {
                return Ok(Evaluated::lacking(Lack::Key));
            }
            remark = self.is_without.then(|| {
                let why = if is_keyless { "has the fields of `by`" } else { "matches it" };
                let message = format!("its second query can end no sequence, because no event {why}");
                (message, "check the query of `without`".to_owned())
            });
        }
        let verdict = account.verdict(alerts.len(), "event");
        Ok(Evaluated { alerts, verdict, remark })
    }

    /// How many first events of a key can be judged: not those whose second event may come after the end of the data.
    pub(crate) fn coverage(&self, first: &[i64], second: &[i64], last: i64) -> Coverage {
        let is_judged = |&&time: &&i64| {
            let next = second.get(second.partition_point(|&other| other < time));
            last - time >= self.within || next.is_some_and(|next| next - time <= self.within)
        };
        let count = first.iter().filter(is_judged).count() as u64;
        let has = first.first().map_or(0, |time| last - time);
        let lack = Lack::Span { has, needed: self.within, what: "waits for the second event for" };
        Coverage { count, of: first.len() as u64, short: 0, lack: (count == 0).then_some(lack) }
    }

    /// The events that its alerts are about.
    pub fn evidence(&self, detector: &Detector) -> Filter {
        if self.is_without {
            return detector.filter.clone();
        }
        any(vec![detector.filter.clone(), self.second.clone()])
    }

    /// A pair as an interval, with the events in it.
    pub fn interval(&self, (start, end, gap): (i64, i64, i64), first: &[i64], second: &[i64]) -> Interval {
        let within = |times: &[i64]| {
            (times.partition_point(|&time| time <= end) - times.partition_point(|&time| time < start)) as u64
        };
        let events = if self.is_without { within(first) } else { within(first) + within(second) };
        let (value, expected) = (gap as f64 / 1e9, self.within as f64 / 1e9);
        Interval { start, end, peak: end, value, expected, events, basis: None }
    }

    /// From when to when, and how long from the first event to the second; sequences that overlap are one.
    pub fn pairs(&self, first: &[i64], second: &[i64], last: i64) -> Vec<(i64, i64, i64)> {
        let mut found: Vec<(i64, i64, i64)> = Vec::new();
        for &time in first {
            let next = second.get(second.partition_point(|&other| other < time)).copied();
            let next = next.filter(|next| next - time <= self.within);
            let pair = match (self.is_without, next) {
                (false, Some(next)) => (time, next, next - time),
                // What may still come is not missing yet.
                (true, None) if last - time >= self.within => (time, time, self.within),
                _ => continue,
            };
            match found.last_mut() {
                Some(open) if pair.0 <= open.1 => {
                    open.1 = open.1.max(pair.1);
                    open.2 = open.2.min(pair.2);
                }
                _ => found.push(pair),
            }
        }
        found
    }
}

/// The times of matching events by key, in order. Events without a key belong to no sequence.
pub fn times(
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
