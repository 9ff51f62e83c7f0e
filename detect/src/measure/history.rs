//! The measure of a detector over all of the time, read once. Another level is tried on it without reading events again,
//! so that a line can be dragged.

use indexer::Result;
use indexer::query::Filter;
use serde::Serialize;

use super::absence::Absence;
use super::anomaly::{Expected, unusual};
use super::reads::Grouping;
use super::series::{Bin, Keys, filled, is_count, is_whole, series};
use super::{CheckScope, Condition, Detector, Interval};
use crate::alert::{Alert, Basis};
use crate::limits::KEPT_BINS;
use crate::verdict::{Account, Coverage, Lack, Verdict};

/// What was read of the events of one detector.
#[derive(Debug)]
pub struct History {
    /// The first and last instant that was looked at.
    pub ends: (i64, i64),
    pub groups: Vec<Group>,
    /// The width of its bins.
    width: i64,
    /// By group its bins of all of the time, and what is expected of each; nothing where they would fill the memory.
    kept: Option<Vec<Whole>>,
}

/// Bins that have events, of one group.
#[derive(Debug)]
pub struct Group {
    pub keys: Keys,
    pub(crate) bins: Vec<Bin>,
    /// Of a share: the events that pass, too.
    pub(crate) parts: Vec<Bin>,
}

impl Group {
    fn events(&self) -> u64 {
        self.bins.iter().map(|bin| bin.events).sum()
    }
}

#[derive(Debug)]
struct Whole {
    bins: Vec<Bin>,
    expected: Vec<Option<Expected>>,
}

/// A measure as it is drawn: so many slots of the time, with the least and the greatest value in each.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "MeasurePoints"))]
pub struct Points {
    /// The group's values, empty without groups.
    pub group: Vec<String>,
    pub events: u64,
    pub low: Vec<Option<f64>>,
    pub high: Vec<Option<f64>>,
    /// Of anomalies and rhythms: what is expected, and the distance that a level is a multiple of.
    pub expected: Vec<Option<f64>>,
    pub deviation: Vec<Option<f64>>,
    /// Of anomalies: what the last bin is compared with.
    pub basis: Option<Basis>,
}

impl History {
    /// Reads the measure of a detector; nothing of an empty case, and of conditions that measure nothing over time.
    pub fn read(detector: &Detector, scope: &CheckScope<'_>) -> Result<Option<History>> {
        let Some(ends) = scope.ends() else { return Ok(None) };
        let groups_of = |measure: &str, width: i64| -> Result<Vec<Group>> {
            let with_ends = matches!(detector.condition, Condition::Absence(_));
            let grouping = Grouping { with_ends, ..Grouping::new(&detector.filter, width, &detector.by) };
            let groups = series(scope, &grouping, measure)?;
            Ok(groups.into_iter().map(|(keys, bins)| Group { keys, bins, parts: Vec::new() }).collect())
        };
        let (groups, width) = match &detector.condition {
            Condition::Threshold(threshold) => {
                (threshold.read_groups(detector, scope, ends)?, threshold.width)
            }
            Condition::Absence(absence) => (groups_of("count", absence.width())?, absence.width()),
            Condition::Anomaly(anomaly) => (groups_of(&anomaly.measure, anomaly.width)?, anomaly.width),
            Condition::Pattern(_) | Condition::Sequence(_) => return Ok(None),
        };
        Ok(Some(History { ends, groups, width, kept: None }))
    }

    /// Keeps what every try needs, if it fits into memory.
    #[must_use]
    pub fn kept(mut self, detector: &Detector) -> History {
        let bins = (self.ends.1 - self.ends.0) / self.width.max(1) + 1;
        if bins.saturating_mul(self.groups.len() as i64) <= KEPT_BINS {
            self.kept = Some(self.groups.iter().map(|group| self.whole(detector, group)).collect());
        }
        self
    }

    /// Whether a detector can be tried on what was read: another level may need shorter bins.
    #[must_use]
    pub fn serves(&self, detector: &Detector) -> bool {
        match &detector.condition {
            Condition::Absence(absence) => absence.width() >= self.width,
            _ => true,
        }
    }

    fn whole(&self, detector: &Detector, group: &Group) -> Whole {
        match &detector.condition {
            Condition::Threshold(threshold) => {
                let bins = filled(&group.bins, threshold.width, self.ends, threshold.has_zeros());
                Whole { bins, expected: Vec::new() }
            }
            Condition::Anomaly(anomaly) => {
                let bins = filled(&group.bins, anomaly.width, self.ends, is_count(&anomaly.measure));
                let bins = anomaly.known(bins);
                let expected = anomaly.expected(&bins);
                Whole { bins, expected }
            }
            _ => Whole { bins: group.bins.clone(), expected: Vec::new() },
        }
    }

    /// Calls with a group's bins of all of the time.
    fn with_whole<T>(&self, detector: &Detector, at: usize, call: impl FnOnce(&Whole) -> T) -> T {
        match &self.kept {
            Some(kept) => call(&kept[at]),
            None => call(&self.whole(detector, &self.groups[at])),
        }
    }

    /// Calls with each group's bins of all of the time.
    fn each<T>(&self, detector: &Detector, mut call: impl FnMut(usize, &Whole) -> T) -> Vec<T> {
        (0..self.groups.len()).map(|at| self.with_whole(detector, at, |whole| call(at, whole))).collect()
    }

    /// The measure in so many slots, of the groups with the most events.
    #[must_use]
    pub fn points(&self, detector: &Detector, slots: usize, most: usize) -> Vec<Points> {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.groups[at].events()), at));
        order.truncate(most);
        order.into_iter().map(|at| self.points_of(detector, at, self.ends, slots)).collect()
    }

    /// The measure of one group in so many slots of a range, and the part of the range that was looked at; nothing of a
    /// group that is not known. The group is its values, as alerts have them.
    #[must_use]
    pub fn points_around(
        &self,
        detector: &Detector,
        group: &[&str],
        range: (i64, i64),
        slots: usize,
    ) -> Option<((i64, i64), Points)> {
        let at = self.groups.iter().position(|known| shown(&known.keys) == group)?;
        let range = (range.0.max(self.ends.0), range.1.min(self.ends.1));
        (range.0 <= range.1).then(|| (range, self.points_of(detector, at, range, slots)))
    }

    fn points_of(&self, detector: &Detector, at: usize, range: (i64, i64), slots: usize) -> Points {
        let group = &self.groups[at];
        let mut slots = Slots::new(range, slots);
        self.with_whole(detector, at, |whole| {
            match &detector.condition {
                Condition::Absence(absence) => slots.pauses(absence, &group.bins, self.ends.1),
                _ => slots.bins(whole, self.width),
            }
            let basis = whole.expected.iter().rev().flatten().next().map(|expected| expected.basis);
            slots.points(shown(&group.keys), group.events(), basis)
        })
    }

    /// A level that is worth trying: between what is in a range and what is elsewhere, or beyond what is usual.
    #[must_use]
    pub fn suggested(&self, detector: &Detector, range: Option<(i64, i64)>) -> Option<f64> {
        let Condition::Threshold(threshold) = &detector.condition else { return None };
        let sign = if threshold.is_above { 1.0 } else { -1.0 };
        let (mut inside, mut outside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        self.each(detector, |_, whole| {
            for bin in whole.bins.iter().filter(|bin| bin.events >= threshold.least) {
                let is_inside =
                    range.is_some_and(|(from, to)| bin.start < to && bin.start + self.width > from);
                let values = if is_inside { &mut inside } else { &mut outside };
                values.extend(bin.value.map(|value| value * sign));
            }
        });
        let greatest = |values: &[f64]| values.iter().copied().max_by(f64::total_cmp);
        let level = match (greatest(&inside), greatest(&outside)) {
            (Some(high), Some(other)) if high > other => f64::midpoint(high, other),
            // The range is no more than elsewhere; a little below its greatest value it fires at least there.
            (Some(high), _) => high - high.abs() * 0.05,
            (None, Some(_)) => {
                let middle = indexer::median(&mut outside)?;
                let mut distances: Vec<f64> = outside.iter().map(|value| (value - middle).abs()).collect();
                let spread = indexer::median(&mut distances)?;
                middle + (9.0 * spread).max(middle.abs() * 0.5)
            }
            (None, None) => return None,
        };
        let level = rounded(level * sign);
        if threshold.of.is_some() || !is_whole(&threshold.measure) {
            return Some(level);
        }
        // A count that is above 6.09 is above 6.
        Some(if threshold.is_above { level.floor() } else { level.ceil() })
    }
}

impl Detector {
    /// What is read of events: detectors that differ in their level alone read the same.
    #[must_use]
    pub fn reads(&self) -> String {
        let what = match &self.condition {
            Condition::Threshold(one) => format!("{} {:?} {}", one.measure, one.of, one.width),
            Condition::Anomaly(one) => {
                format!("{} {} {:?} {} {}", one.measure, one.width, one.season, one.window, one.least)
            }
            Condition::Absence(_) => "absence".to_owned(),
            Condition::Pattern(_) | Condition::Sequence(_) => "nothing".to_owned(),
        };
        format!("{} {:?} {what}", self.filter, self.by)
    }

    /// The intervals of all groups in which it fires, with the place of the group, in the order of time, and the
    /// verdict.
    #[must_use]
    pub fn judge(&self, history: &History) -> (Vec<(usize, Interval)>, Verdict) {
        let last = history.ends.1;
        let (mut found, mut account) = (Vec::new(), Account::new(history.ends));
        history.each(self, |at, whole| {
            let group = &history.groups[at];
            let (intervals, coverage) = match &self.condition {
                Condition::Threshold(threshold) => {
                    let (mut intervals, coverage) = threshold.judge(&whole.bins);
                    for one in &mut intervals {
                        one.events = threshold.events(group, one);
                    }
                    (intervals, coverage)
                }
                Condition::Absence(absence) => {
                    (absence.intervals(&group.bins, last), absence.coverage(&group.bins, last))
                }
                Condition::Anomaly(anomaly) => unusual(anomaly, &whole.bins, &whole.expected),
                Condition::Pattern(_) | Condition::Sequence(_) => (Vec::new(), Coverage::default()),
            };
            account.add(coverage);
            found.extend(intervals.into_iter().map(|interval| (at, interval)));
        });
        if history.groups.is_empty() {
            account.add(self.without_events(history));
        }
        found.sort_by_key(|(group, interval)| (interval.start, *group));
        let noun = if matches!(self.condition, Condition::Absence(_)) { "pause" } else { "bin" };
        let verdict = account.verdict(found.len(), noun);
        (found, verdict)
    }

    /// Where no event matches, a count is zero, and nothing else is known.
    fn without_events(&self, history: &History) -> Coverage {
        match &self.condition {
            Condition::Threshold(threshold) if threshold.has_zeros() && !threshold.breaks(0.0) => {
                let start = history.ends.0 - history.ends.0.rem_euclid(threshold.width.max(1));
                let none = Bin { start, value: Some(0.0), events: 0, ends: (start, start) };
                threshold.judge(&filled(&[none], threshold.width, history.ends, true)).1
            }
            _ => Coverage { lack: Some(Lack::Match), ..Coverage::default() },
        }
    }

    /// One of its intervals as an alert.
    #[must_use]
    pub fn alert_of(&self, history: &History, (group, interval): &(usize, Interval)) -> Alert {
        self.alert(&history.groups[*group].keys, interval, &self.evidence())
    }

    /// The events that its alerts are about.
    pub(crate) fn evidence(&self) -> Filter {
        match &self.condition {
            Condition::Threshold(threshold) => threshold.evidence(self),
            _ => self.filter.clone(),
        }
    }
}

/// Values in slots of the time.
struct Slots {
    ends: (i64, i64),
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    /// Sums, and of how many.
    expected: Vec<(f64, f64, u32)>,
}

impl Slots {
    fn new(ends: (i64, i64), count: usize) -> Slots {
        let count = count.max(1);
        Slots { ends, low: vec![None; count], high: vec![None; count], expected: vec![(0.0, 0.0, 0); count] }
    }

    fn at(&self, time: i64) -> usize {
        let span = i128::from(self.ends.1 - self.ends.0) + 1;
        let offset = i128::from(time.clamp(self.ends.0, self.ends.1) - self.ends.0);
        (offset * self.low.len() as i128 / span) as usize
    }

    fn meets(&self, from: i64, to: i64) -> bool {
        from <= self.ends.1 && to >= self.ends.0
    }

    fn end_of(&self, slot: usize) -> i64 {
        let span = i128::from(self.ends.1 - self.ends.0) + 1;
        (i128::from(self.ends.0) + span * (slot as i128 + 1) / self.low.len() as i128) as i64
    }

    fn add(&mut self, slot: usize, value: f64) {
        let (low, high) = (&mut self.low[slot], &mut self.high[slot]);
        *low = Some(low.map_or(value, |known| known.min(value)));
        *high = Some(high.map_or(value, |known| known.max(value)));
    }

    fn bins(&mut self, whole: &Whole, width: i64) {
        for (index, bin) in whole.bins.iter().enumerate() {
            if !self.meets(bin.start, bin.start + width - 1) {
                continue;
            }
            // A bin that is wider than slots fills them all.
            let slots = self.at(bin.start)..=self.at(bin.start + width - 1);
            for slot in slots {
                if let Some(value) = bin.value {
                    self.add(slot, value);
                }
                if let Some(Some(expected)) = whole.expected.get(index) {
                    let sum = &mut self.expected[slot];
                    *sum = (sum.0 + expected.value, sum.1 + expected.deviation, sum.2 + 1);
                }
            }
        }
    }

    /// How long no event was, in seconds: it rises as long as a pause lasts.
    fn pauses(&mut self, absence: &Absence, bins: &[Bin], last: i64) {
        // Pauses that are shorter than a bin are none.
        self.low.fill(Some(0.0));
        self.high.fill(Some(0.0));
        for (from, to) in Absence::pauses(bins, last) {
            if !self.meets(from, to) {
                continue;
            }
            for slot in self.at(from)..=self.at(to) {
                let until = self.end_of(slot).min(to);
                self.add(slot, (until - from).max(0) as f64 / 1e9);
            }
        }
        let rhythm = absence.rhythm(bins).filter(|_| matches!(absence, Absence::Times(_)));
        if let Some(rhythm) = rhythm {
            self.expected.fill((0.0, rhythm as f64 / 1e9, 1));
        }
    }

    fn points(self, group: Vec<String>, events: u64, basis: Option<Basis>) -> Points {
        let mean = |part: fn(&(f64, f64, u32)) -> f64| {
            let of = |sum: &(f64, f64, u32)| (sum.2 > 0).then(|| part(sum) / f64::from(sum.2));
            self.expected.iter().map(of).collect()
        };
        let (expected, deviation) = (mean(|sum| sum.0), mean(|sum| sum.1));
        Points { group, events, low: self.low, high: self.high, expected, deviation, basis }
    }
}

fn shown(keys: &Keys) -> Vec<String> {
    keys.iter().map(|key| key.clone().unwrap_or_default()).collect()
}

/// Three digits: a level that a person could have written.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use indexer::{Cancel, Case, ImportOptions};

    use super::*;
    use crate::measure::read;

    const SECOND: i64 = 1_000_000_000;

    /// A case with an event at each of these seconds, and the history of a detector over it.
    fn over<T>(seconds: &[i64], condition: &str, then: impl FnOnce(&Detector, &History, i64) -> T) -> T {
        let start = indexer::stamp::parse("2026-03-01T00:00:00Z").expect("a time");
        let line = |second: &i64| {
            let time = indexer::stamp::to_rfc3339(start + second * SECOND);
            format!("{{\"time\":\"{time}\",\"n\":{second}}}\n")
        };
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("events.ndjson");
        fs::write(&log, seconds.iter().map(line).collect::<String>()).expect("written");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
        let text = format!("[[detector]]\nname = \"d\"\n{condition}\n");
        let (detectors, problems) = read(Path::new("d.toml"), &text);
        assert_eq!(problems, []);
        let (snapshot, cancel) = (case.snapshot(), Cancel::default());
        let scope = CheckScope { case: &case, snapshot: &snapshot, range: (None, None), cancel: &cancel };
        let history = History::read(&detectors[0], &scope).expect("read").expect("a measure");
        // Whatever is kept, the intervals are those of an evaluation that keeps nothing.
        let found = detectors[0].evaluate(&scope).expect("evaluated").alerts;
        let history = history.kept(&detectors[0]);
        let tried: Vec<_> =
            detectors[0].judge(&history).0.iter().map(|one| detectors[0].alert_of(&history, one)).collect();
        assert_eq!(tried, found);
        then(&detectors[0], &history, start)
    }

    /// Two a minute for ten minutes, twelve in the sixth.
    fn burst() -> Vec<i64> {
        let minute = |minute: i64| (0..if minute == 5 { 12 } else { 2 }).map(move |at| minute * 60 + at);
        (0..10).flat_map(minute).collect()
    }

    #[test]
    fn a_level_is_suggested_between_a_range_and_the_rest() {
        over(&burst(), "threshold = { above = 0 }", |detector, history, start| {
            let minute = |from: i64, to: i64| Some((start + from * 60 * SECOND, start + to * 60 * SECOND));
            assert_eq!(history.suggested(detector, minute(5, 6)), Some(7.0), "between 12 and 2");
            assert_eq!(history.suggested(detector, minute(2, 3)), Some(1.0), "below 2, and whole");
            assert_eq!(history.suggested(detector, None), Some(3.0), "half more than the median");
        });
        over(&burst(), "threshold = { below = 0 }", |detector, history, start| {
            let range = Some((start + 5 * 60 * SECOND, start + 6 * 60 * SECOND));
            assert_eq!(history.suggested(detector, range), Some(13.0), "a little above 12, which is no drop");
        });
        over(&burst(), "anomaly = { every = \"1m\" }", |detector, history, _| {
            assert_eq!(history.suggested(detector, None), None, "it has one");
        });
    }

    #[test]
    fn the_measure_is_drawn_in_slots_whatever_their_width() {
        over(&burst(), "threshold = { above = 5 }", |detector, history, _| {
            let points = &history.points(detector, 5, 3)[0];
            assert_eq!((points.events, &points.high[..2]), (30, [Some(2.0), Some(2.0)].as_slice()));
            let most = points.high.iter().flatten().copied().fold(0.0, f64::max);
            let least = points.low.iter().flatten().copied().fold(f64::MAX, f64::min);
            assert_eq!((most, least), (12.0, 2.0));
            let wide = &history.points(detector, 1_000, 3)[0];
            assert!(wide.high.iter().all(Option::is_some), "a bin fills all of its slots");
        });
    }

    #[test]
    fn silence_rises_as_long_as_nothing_comes() {
        let seconds = [0, 60, 120, 720, 780];
        over(&seconds, "absence = { longer = \"5m\" }", |detector, history, _| {
            let high: Vec<f64> = history.points(detector, 13, 1)[0].high.iter().flatten().copied().collect();
            assert_eq!(high.len(), 13);
            assert!(high[3..11].windows(2).all(|pair| pair[0] < pair[1]), "{high:?}");
            assert!(high[1] < 100.0 && high[11] > 500.0, "{high:?}");
            assert!(history.serves(&detector.at_level(900.0)), "longer pauses are in what was read");
            assert!(!history.serves(&detector.at_level(30.0)), "shorter ones may not be");
        });
    }

    #[test]
    fn detectors_that_differ_in_their_level_read_the_same() {
        let read_of = |condition: &str| {
            let text = format!("[[detector]]\nname = \"d\"\n{condition}\n");
            read(Path::new("d.toml"), &text).0[0].reads()
        };
        let one = read_of("threshold = { above = 5, clear = 2, for = \"2m\" }");
        assert_eq!(one, read_of("threshold = { below = 9 }"));
        assert_ne!(one, read_of("threshold = { above = 5, every = \"5m\" }"));
        assert_ne!(one, read_of("query = \"n:1\"\nthreshold = { above = 5 }"));
        assert_ne!(one, read_of("by = [\"n\"]\nthreshold = { above = 5 }"));
        assert_ne!(read_of("anomaly = { season = \"day\" }"), read_of("anomaly = { season = \"week\" }"));
    }

    #[test]
    fn the_measure_around_an_alert_is_that_of_its_group_and_of_a_part_of_the_time() {
        let seconds = burst();
        over(&seconds, "threshold = { above = 5 }", |detector, history, start| {
            let minute = |minute: i64| start + minute * 60 * SECOND;
            let (range, points) =
                history.points_around(detector, &[], (minute(4), minute(7) - 1), 3).expect("the only group");
            assert_eq!(range, (minute(4), minute(7) - 1));
            assert_eq!(points.high, [Some(2.0), Some(12.0), Some(2.0)], "each slot is one bin");
            assert_eq!(points.low, points.high);
            let (range, _) =
                history.points_around(detector, &[], (minute(-9), minute(99)), 3).expect("a part of it");
            assert_eq!(range, history.ends);
            assert!(history.points_around(detector, &[], (minute(50), minute(99)), 3).is_none());
            assert!(history.points_around(detector, &["other"], history.ends, 3).is_none());
        });
        over(&[0, 60, 120, 720, 780], "absence = { longer = \"5m\" }", |detector, history, start| {
            let range = (start + 420 * SECOND, start + 719 * SECOND);
            let (_, points) = history.points_around(detector, &[], range, 2).expect("the only group");
            assert!(points.high[0] >= Some(449.0) && points.high[1] >= Some(598.0), "{:?}", points.high);
        });
        over(&seconds, "by = [\"n\"]\nthreshold = { above = 5 }", |detector, history, _| {
            let (_, points) = history.points_around(detector, &["61"], history.ends, 10).expect("a group");
            assert_eq!((&points.group[..], points.events), (["61".to_owned()].as_slice(), 1));
        });
    }
}
