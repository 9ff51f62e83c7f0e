//! The bins of a detector that measures over time. What is new is added to them; a measure that cannot be added up, and
//! bins that are in doubt, are read again from the case, each bin once when it is over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexer::query::{Filter, each_field};
use indexer::{Result, Snapshot};

use super::News;
use super::recent::Recent;
use crate::clock::SECOND;
use crate::evidence::alternatives;
use crate::limits::{BASELINE_BINS, KEPT_BINS, LATE_BINS, LIVE_GROUPS};
use crate::measure::history::Group;
use crate::measure::reads::{Grouping, MeasureRead, Reads};
use crate::measure::series::{Bin, Keys, Series, is_count, series};
use crate::measure::threshold::{Threshold, shares};
use crate::measure::{CheckScope, Condition, Detector, Interval};

/// How the values of two parts of a bin make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    Sum,
    Least,
    Most,
    /// They do not: percentiles, averages, distinct values, and anything by template.
    Reread,
}

impl Merge {
    /// Templates are those of the whole case, not of what is new of it.
    fn new(detector: &Detector, measure: &str) -> Merge {
        if is_by_template(detector) { Merge::Reread } else { Merge::from_measure(measure) }
    }

    /// By the measure as it is written.
    pub fn from_measure(measure: &str) -> Merge {
        let name = match measure.split_once('(') {
            None => measure,
            Some((name, rest)) if rest.find(')') == Some(rest.len() - 1) && !rest.contains('(') => name,
            Some(_) => return Merge::Reread,
        };
        match name.trim() {
            "count" | "c" | "sum" => Merge::Sum,
            "min" => Merge::Least,
            "max" => Merge::Most,
            _ => Merge::Reread,
        }
    }

    fn merged(self, one: Option<f64>, other: Option<f64>) -> Option<f64> {
        let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
        Some(match self {
            Merge::Least => a.min(b),
            Merge::Most => a.max(b),
            Merge::Sum | Merge::Reread => a + b,
        })
    }
}

/// The bins of one group.
#[derive(Debug, Default)]
pub struct GroupBins {
    pub bins: BTreeMap<i64, Bin>,
    /// Of a share: the events that pass, too.
    parts: BTreeMap<i64, Bin>,
    /// Where it begins to count bins without events.
    pub begin: i64,
    /// What a threshold was in before the first bin.
    pub open: Option<Interval>,
    /// It has to be judged again.
    pub is_changed: bool,
    /// How it was judged last: intervals, and whether each goes on.
    pub found: Vec<(Interval, bool)>,
    /// Of absences: until when nothing can be found if no event comes.
    pub quiet_until: i64,
}

/// What is read of the case for the bins of a detector.
#[derive(Clone, Copy, Debug)]
pub struct BinReads {
    whole: MeasureRead,
    /// Of a share.
    part: Option<MeasureRead>,
}

impl BinReads {
    /// Nothing of conditions without bins.
    pub fn new(detector: &Detector, reads: &mut Reads) -> Option<BinReads> {
        let (measure, width) = measured(detector)?;
        let mut reading = |filter: &Filter| {
            let grouping = Grouping {
                with_ends: matches!(detector.condition, Condition::Absence(_)),
                adds_up: Merge::new(detector, measure) != Merge::Reread,
                ..Grouping::new(filter, whole_milliseconds(width), &detector.by)
            };
            reads.reading(grouping, measure)
        };
        let whole = reading(&detector.filter);
        let part = match &detector.condition {
            Condition::Threshold(one) if one.of.is_some() => Some(reading(&one.evidence(detector))),
            _ => None,
        };
        Some(BinReads { whole, part })
    }

    /// The measure by group, and of a share its part: over a place, or over a part of its events.
    fn read(
        self,
        reads: &mut Reads,
        scope: &CheckScope<'_>,
        part: Option<&Snapshot>,
    ) -> Result<(Arc<Series>, Option<Arc<Series>>)> {
        let whole = reads.series(self.whole, scope, part)?;
        let parts = match self.part {
            Some(of) if !whole.is_empty() => Some(reads.series(of, scope, part)?),
            _ => None,
        };
        Ok((whole, parts))
    }
}

#[derive(Debug)]
pub struct Bins {
    wanted: BinReads,
    pub groups: BTreeMap<Keys, GroupBins>,
    pub width: i64,
    merge: Merge,
    /// What is read again is read of what came last, if that is all of it.
    pub reads_recent: bool,
    kept: i64,
    /// Bins without events count from the beginning of the data on, not from the group's first event.
    from_first: bool,
    /// Bins that have new events and were not read again yet.
    dirty: BTreeSet<i64>,
    /// The end of the last bin that is over.
    pub frontier: i64,
    /// The first bin that is kept.
    pub cut: i64,
    /// Of anomalies: up to where bins were judged.
    pub judged: i64,
}

/// The measure and the width of bins; nothing of conditions that have none.
fn measured(detector: &Detector) -> Option<(&str, i64)> {
    match &detector.condition {
        Condition::Threshold(one) => Some((&one.measure, one.width)),
        Condition::Anomaly(one) => Some((&one.measure, one.width)),
        Condition::Absence(one) => Some(("count", one.width())),
        Condition::Pattern(_) | Condition::Sequence(_) => None,
    }
}

fn is_by_template(detector: &Detector) -> bool {
    detector.by.iter().flat_map(|key| alternatives(key)).any(|field| field == "template")
}

/// Whether its filter or its groups depend on templates.
fn names_templates(detector: &Detector) -> bool {
    let mut names = is_by_template(detector);
    each_field(&detector.filter, &mut |_, field, _| names |= field == "template");
    names
}

/// The language's bins have whole milliseconds.
fn whole_milliseconds(width: i64) -> i64 {
    (width / 1_000_000).max(1) * 1_000_000
}

fn floor(time: i64, width: i64) -> i64 {
    time - time.rem_euclid(width)
}

impl Bins {
    /// Reads what is kept of the history.
    pub fn read(
        detector: &Detector,
        wanted: BinReads,
        reads: &mut Reads,
        (scope, now): (&CheckScope<'_>, i64),
    ) -> Result<Bins> {
        let (measure, width) = measured(detector).unwrap_or(("count", 1));
        let width = whole_milliseconds(width);
        let is_anomaly = matches!(detector.condition, Condition::Anomaly(_));
        let kept = if is_anomaly { BASELINE_BINS } else { LATE_BINS };
        let merge = Merge::new(detector, measure);
        let frontier = floor(now, width);
        let cut = frontier.saturating_sub(kept.saturating_mul(width));
        let mut bins = Bins {
            wanted,
            groups: BTreeMap::new(),
            width,
            merge,
            reads_recent: merge == Merge::Reread && !names_templates(detector),
            kept,
            from_first: is_anomaly || detector.by.is_empty(),
            dirty: BTreeSet::new(),
            frontier,
            cut,
            judged: i64::MIN,
        };
        let first = scope.snapshot.time_range().map_or(frontier, |(first, _)| floor(first, width));
        let until = if merge == Merge::Reread { Some(frontier) } else { None };
        bins.reread(detector, reads, (scope, (Some(cut), until)), None, first)?;
        if until.is_some() {
            // Those that are not over yet are read later.
            let range = (Some(frontier), None);
            let grouping = Grouping::new(&detector.filter, width, &[]);
            let rest = series(&CheckScope { range, ..*scope }, &grouping, "count")?;
            bins.dirty.extend(rest.values().flatten().map(|bin| bin.start));
        }
        if let Condition::Threshold(one) = &detector.condition
            && detector.by.is_empty()
            && one.has_zeros()
        {
            bins.group(&Vec::new(), first).is_changed = true;
        }
        Ok(bins)
    }

    /// Takes what is new, and goes on to the present.
    pub fn update(
        &mut self,
        detector: &Detector,
        reads: &mut Reads,
        scope: &CheckScope<'_>,
        (news, recent, now): (&News, &Recent, i64),
    ) -> Result<()> {
        let first = scope.snapshot.time_range().map_or(now, |(first, _)| floor(first, self.width));
        self.doubt(&news.mixed_seconds);
        if self.merge == Merge::Reread {
            self.doubt(&news.fresh_seconds);
        } else if !news.fresh_seconds.is_empty() {
            let since = CheckScope { range: (Some(self.cut), None), ..*scope };
            let found = self.wanted.read(reads, &since, Some(&news.fresh))?;
            self.add_all(detector, &found, first);
        }
        let frontier = floor(now, self.width).max(self.frontier);
        // What cannot be added up is read when its bin is over; late events of it when the next one is.
        let due = match self.merge {
            // A silence ends with the first event, in a bin that is not over.
            Merge::Reread if matches!(detector.condition, Condition::Absence(_)) => i64::MAX,
            Merge::Reread if frontier == self.frontier => i64::MIN,
            Merge::Reread => frontier,
            _ => i64::MAX,
        };
        let later = self.dirty.split_off(&due);
        let doubtful = std::mem::replace(&mut self.dirty, later);
        for (from, to) in runs(&doubtful, self.width) {
            if to > self.cut {
                let from = from.max(self.cut);
                let part = if self.reads_recent { recent.since(from, scope.snapshot) } else { None };
                self.reread(detector, reads, (scope, (Some(from), Some(to))), part.as_ref(), first)?;
            }
        }
        if frontier > self.frontier {
            self.frontier = frontier;
            self.groups.values_mut().for_each(|group| group.is_changed = true);
        }
        Ok(())
    }

    /// Notes that the bins of these seconds are not known any more.
    fn doubt(&mut self, seconds: &BTreeSet<i64>) {
        for &second in seconds {
            let mut start = floor(second, self.width);
            while start < second + SECOND {
                self.dirty.insert(start);
                start += self.width;
            }
        }
    }

    /// The beginning of the bin of a time.
    pub fn floor(&self, time: i64) -> i64 {
        floor(time, self.width)
    }

    fn group(&mut self, keys: &Keys, begin: i64) -> &mut GroupBins {
        self.groups.entry(keys.clone()).or_insert_with(|| GroupBins { begin, ..GroupBins::default() })
    }

    /// Adds what was read, and of a share its part.
    fn add_all(
        &mut self,
        detector: &Detector,
        (whole, parts): &(Arc<Series>, Option<Arc<Series>>),
        first: i64,
    ) {
        for (keys, bins) in whole.iter() {
            self.add(detector, keys, bins, first, false);
        }
        for (keys, bins) in parts.iter().flat_map(|parts| parts.iter()) {
            self.add(detector, keys, bins, first, true);
        }
    }

    fn add(&mut self, detector: &Detector, keys: &Keys, bins: &[Bin], first: i64, is_part: bool) {
        let (merge, cut, frontier) = (self.merge, self.cut, self.frontier);
        if !self.groups.contains_key(keys) && self.groups.len() >= LIVE_GROUPS {
            return;
        }
        let begin = bins.first().filter(|_| !self.from_first).map_or(first, |bin| bin.start);
        let group = self.group(keys, begin.max(cut));
        let known = if is_part { &mut group.parts } else { &mut group.bins };
        for &bin in bins.iter().filter(|bin| bin.start >= cut) {
            group.begin = group.begin.min(bin.start);
            let whole = known
                .entry(bin.start)
                .and_modify(|known| {
                    known.value = merge.merged(known.value, bin.value);
                    known.events += bin.events;
                    known.ends = (known.ends.0.min(bin.ends.0), known.ends.1.max(bin.ends.1));
                })
                .or_insert(bin);
            group.is_changed |= bin.start < frontier || is_early(detector, merge, whole);
        }
    }

    /// Replaces the bins of a range by what the case has.
    fn reread(
        &mut self,
        detector: &Detector,
        reads: &mut Reads,
        (scope, (from, to)): (&CheckScope<'_>, (Option<i64>, Option<i64>)),
        part: Option<&Snapshot>,
        first: i64,
    ) -> Result<()> {
        let found = self.wanted.read(reads, &CheckScope { range: (from, to), ..*scope }, part)?;
        let range = (from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX));
        for group in self.groups.values_mut() {
            let before = group.bins.len();
            group.bins.retain(|start, _| !(range.0..range.1).contains(start));
            group.parts.retain(|start, _| !(range.0..range.1).contains(start));
            group.is_changed |= before != group.bins.len();
        }
        self.add_all(detector, &found, first);
        Ok(())
    }

    /// A group with the bins of all of its time up to the last that is over, and those after it that cannot change their judgement.
    pub fn of_group(&self, detector: &Detector, group: &GroupBins, keys: &Keys) -> (Group, Vec<Bin>) {
        let list = |bins: &BTreeMap<i64, Bin>| bins.values().copied().collect::<Vec<Bin>>();
        let (known, parts) = (list(&group.bins), list(&group.parts));
        let is_share = matches!(&detector.condition, Condition::Threshold(one) if one.of.is_some());
        let known = if is_share { shares(&known, &parts) } else { known };
        let over = known.partition_point(|bin| bin.start < self.frontier);
        let zeros = match &detector.condition {
            Condition::Threshold(one) => one.has_zeros(),
            Condition::Anomaly(one) => is_count(&one.measure),
            _ => false,
        };
        let mut all = Vec::with_capacity(over);
        let missing = (self.frontier - group.begin.max(self.cut)) / self.width;
        // After a leap of years the time between is not filled, as in `check`.
        if zeros && missing <= KEPT_BINS {
            let mut bins = known[..over].iter().peekable();
            let mut start = group.begin.max(self.cut);
            while start < self.frontier {
                let empty = Bin { start, value: Some(0.0), events: 0, ends: (start, start) };
                all.push(bins.next_if(|bin| bin.start == start).copied().unwrap_or(empty));
                start += self.width;
            }
        } else {
            all.extend_from_slice(&known[..over]);
        }
        let early = known[over..].iter().filter(|bin| is_early(detector, self.merge, bin));
        let rest = early.copied().collect();
        (Group { keys: keys.clone(), bins: all, parts }, rest)
    }

    /// Forgets what is older than late events are taken into account.
    pub fn trim(&mut self, detector: &Detector) {
        let cut = self.frontier.saturating_sub(self.kept.saturating_mul(self.width));
        // Now and then, so that it costs nothing.
        if cut <= self.cut + self.kept / 10 * self.width {
            return;
        }
        if let Condition::Threshold(threshold) = &detector.condition {
            let keys: Vec<Keys> = self.groups.keys().cloned().collect();
            for keys in keys {
                let Some(group) = self.groups.get(&keys) else { continue };
                let open = self.folded(detector, threshold, group, &keys, cut);
                if let Some(group) = self.groups.get_mut(&keys) {
                    group.open = open;
                }
            }
        }
        self.cut = cut;
        let may_end = !detector.by.is_empty();
        self.groups.retain(|_, group| {
            let last = group.bins.last_key_value().map(|(_, bin)| *bin);
            group.bins = group.bins.split_off(&cut);
            if let (Condition::Absence(_), true, Some(last)) =
                (&detector.condition, group.bins.is_empty(), last)
            {
                // Since when it is silent.
                group.bins.insert(last.start, last);
            }
            group.parts = group.parts.split_off(&cut);
            let is_quiet = group.bins.is_empty() && group.open.is_none();
            let is_missed = match &detector.condition {
                Condition::Threshold(threshold) => !threshold.is_above,
                Condition::Absence(_) | Condition::Anomaly(_) => true,
                _ => false,
            };
            group.begin = group.begin.max(cut);
            !(may_end && is_quiet && !is_missed)
        });
        self.dirty = self.dirty.split_off(&cut);
    }

    /// What a threshold is in before a bin.
    fn folded(
        &self,
        detector: &Detector,
        threshold: &Threshold,
        group: &GroupBins,
        keys: &Keys,
        cut: i64,
    ) -> Option<Interval> {
        let (all, _) = self.of_group(detector, group, keys);
        let mut open = group.open.clone();
        for bin in all.bins.iter().take_while(|bin| bin.start < cut) {
            threshold.step(&mut open, bin);
        }
        open
    }
}

/// Whether a bin that is not over breaks a limit already, whatever comes: counts and maxima only grow.
pub fn is_early(detector: &Detector, merge: Merge, bin: &Bin) -> bool {
    let Condition::Threshold(one) = &detector.condition else {
        return matches!(detector.condition, Condition::Absence(_));
    };
    let is_steady = one.of.is_none()
        && match merge {
            Merge::Sum => one.is_above && one.measure.trim_start().starts_with('c'),
            Merge::Most => one.is_above,
            Merge::Least => !one.is_above,
            Merge::Reread => false,
        };
    is_steady && bin.events >= one.least && bin.value.is_some_and(|value| one.breaks(value))
}

/// Starts of bins as ranges of neighbours, from inclusive to exclusive.
fn runs(starts: &BTreeSet<i64>, width: i64) -> Vec<(i64, i64)> {
    let mut found: Vec<(i64, i64)> = Vec::new();
    for &start in starts {
        match found.last_mut() {
            Some(last) if last.1 == start => last.1 = start + width,
            _ => found.push((start, start + width)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_that_add_up_differ_from_others() {
        for (measure, merge) in [
            ("count", Merge::Sum),
            ("count(status)", Merge::Sum),
            ("sum(bytes)", Merge::Sum),
            ("max(ms)", Merge::Most),
            ("min(ms)", Merge::Least),
            ("p95(ms)", Merge::Reread),
            ("avg(ms)", Merge::Reread),
            ("count_distinct(ip)", Merge::Reread),
            ("sum(a) / sum(b)", Merge::Reread),
            ("sum(abs(a))", Merge::Reread),
        ] {
            assert_eq!(Merge::from_measure(measure), merge, "{measure}");
        }
        assert_eq!(Merge::Sum.merged(None, Some(2.0)), Some(2.0));
    }

    #[test]
    fn neighbouring_bins_are_read_at_once() {
        assert_eq!(runs(&BTreeSet::from([0, 10, 20, 40]), 10), [(0, 30), (40, 50)]);
    }
}
