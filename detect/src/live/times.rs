//! The events of a sequence by key, as far back as they may still be a part of one.

use std::collections::{BTreeMap, BTreeSet};

use indexer::{Result, Snapshot};

use super::News;
use crate::limits::LIVE_GROUPS;
use crate::measure::sequence::{Sequence, StepTimes};
use crate::measure::series::Keys;
use crate::measure::{CheckScope, Detector, Interval};

/// Events that come later than this are for `check`, unless a sequence lasts longer.
const LATE_NS: i64 = 3_600_000_000_000;

#[derive(Debug)]
pub struct Times {
    keys: BTreeMap<Keys, StepTimes>,
    changed: BTreeSet<Keys>,
    found: BTreeMap<Keys, Vec<Interval>>,
    kept: i64,
    pub cut: i64,
}

impl Times {
    pub fn read(detector: &Detector, sequence: &Sequence, scope: &CheckScope<'_>, now: i64) -> Result<Times> {
        let kept = sequence.within.saturating_mul(2).max(LATE_NS);
        let cut = now.saturating_sub(kept);
        let (keys, changed, found) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        let mut all = Times { keys, changed, found, kept, cut };
        all.add(detector, sequence, scope, scope.snapshot)?;
        Ok(all)
    }

    fn add(
        &mut self,
        detector: &Detector,
        sequence: &Sequence,
        scope: &CheckScope<'_>,
        snapshot: &Snapshot,
    ) -> Result<()> {
        let part = CheckScope { snapshot, range: (Some(self.cut), None), ..*scope };
        for (keys, mut new) in sequence.times(detector, &part)? {
            if !self.keys.contains_key(&keys) && self.keys.len() >= LIVE_GROUPS {
                continue;
            }
            let known = self.keys.entry(keys.clone()).or_default();
            for (known, new) in known.steps().into_iter().zip(new.steps()) {
                let in_order = known.last().zip(new.first()).is_none_or(|(last, first)| first >= last);
                known.append(new);
                if !in_order {
                    known.sort_unstable();
                }
            }
            self.changed.insert(keys);
        }
        Ok(())
    }

    pub fn update(
        &mut self,
        detector: &Detector,
        sequence: &Sequence,
        scope: &CheckScope<'_>,
        (news, now): (&News, i64),
    ) -> Result<()> {
        if news.mixed_seconds.is_empty() {
            if !news.fresh_seconds.is_empty() {
                self.add(detector, sequence, scope, &news.fresh)?;
            }
        } else {
            // What is new in merged segments cannot be sent from what is known.
            self.changed.extend(self.keys.keys().cloned());
            self.keys.clear();
            self.add(detector, sequence, scope, scope.snapshot)?;
        }
        let cut = now.saturating_sub(self.kept);
        if cut > self.cut + self.kept / 4 {
            self.cut = cut;
            for (keys, times) in &mut self.keys {
                let before = times.first.len();
                times.steps().into_iter().for_each(|step| step.retain(|&time| time >= cut));
                if times.first.len() != before {
                    self.changed.insert(keys.clone());
                }
            }
            self.keys.retain(|_, times| !times.first.is_empty() || !times.second.is_empty());
        }
        Ok(())
    }

    /// The sequences of all keys, where any may have changed.
    pub fn judge(&mut self, sequence: &Sequence, now: i64) -> Option<Vec<(Keys, Interval)>> {
        if sequence.is_without {
            // What is missing is known when its time is over.
            let waits = |times: &StepTimes| times.first.iter().any(|time| now - time >= sequence.within);
            let waiting = self.keys.iter().filter(|(_, times)| waits(times)).map(|(keys, _)| keys.clone());
            self.changed.extend(waiting.collect::<Vec<_>>());
        }
        if self.changed.is_empty() {
            return None;
        }
        for keys in std::mem::take(&mut self.changed) {
            let found = self.keys.get(&keys).map(|times| intervals(sequence, times, now)).unwrap_or_default();
            if found.is_empty() {
                self.found.remove(&keys);
            } else {
                self.found.insert(keys, found);
            }
        }
        let all =
            self.found.iter().flat_map(|(keys, found)| found.iter().map(|one| (keys.clone(), one.clone())));
        Some(all.collect())
    }
}

fn intervals(sequence: &Sequence, times: &StepTimes, now: i64) -> Vec<Interval> {
    sequence.pairs(times, now).into_iter().map(|pair| sequence.interval(pair, times)).collect()
}
