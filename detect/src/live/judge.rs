//! What a detector says of what is kept: intervals, and whether each goes on. A bin is judged when it is over, or before
//! if nothing that may still come can change the judgement.

use super::bins::{Bins, GroupBins};
use crate::limits::JUDGED_BINS;
use crate::measure::absence::Absence;
use crate::measure::anomaly::{Anomaly, anomalies};
use crate::measure::series::Keys;
use crate::measure::threshold::Threshold;
use crate::measure::{Condition, Detector, Interval};

/// An alert as it is at the moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Current {
    pub keys: Keys,
    pub interval: Interval,
    pub is_open: bool,
}

/// All alerts within what is kept, of all groups, where any may have changed.
pub fn judge(detector: &Detector, bins: &mut Bins, now: i64) -> Option<Vec<Current>> {
    let mut groups = std::mem::take(&mut bins.groups);
    let mut is_any = false;
    for (keys, group) in &mut groups {
        let is_due = match &detector.condition {
            Condition::Absence(_) => group.is_changed || now > group.quiet_until,
            _ => group.is_changed,
        };
        if !is_due {
            continue;
        }
        group.is_changed = false;
        is_any = true;
        let found = match &detector.condition {
            Condition::Threshold(threshold) => of_threshold(detector, threshold, bins, keys, group),
            Condition::Absence(absence) => of_absence(absence, group, now),
            Condition::Anomaly(anomaly) => of_anomaly(detector, anomaly, bins, keys, group),
            Condition::Pattern(_) | Condition::Sequence(_) => Vec::new(),
        };
        group.found = found;
    }
    if is_any {
        bins.judged = bins.frontier;
    }
    bins.groups = groups;
    is_any.then(|| {
        let of_group = |(keys, group): (&Keys, &GroupBins)| {
            let current = |(interval, is_open): &(Interval, bool)| Current {
                keys: keys.clone(),
                interval: interval.clone(),
                is_open: *is_open,
            };
            group.found.iter().map(current).collect::<Vec<_>>()
        };
        bins.groups.iter().flat_map(of_group).collect()
    })
}

fn of_threshold(
    detector: &Detector,
    threshold: &Threshold,
    bins: &Bins,
    keys: &Keys,
    group: &GroupBins,
) -> Vec<(Interval, bool)> {
    let (over, early) = bins.of_group(detector, group, keys);
    let mut open = group.open.clone();
    let mut found = Vec::new();
    for bin in over.bins.iter().chain(&early) {
        found.extend(threshold.step(&mut open, bin).map(|closed| (closed, false)));
    }
    found.extend(open.map(|open| (open, true)));
    found.retain(|(interval, _)| threshold.lasts(interval));
    for (interval, _) in &mut found {
        interval.events = threshold.events(&over, interval);
    }
    found
}

fn of_absence(absence: &Absence, group: &mut GroupBins, now: i64) -> Vec<(Interval, bool)> {
    let bins: Vec<_> = group.bins.values().copied().collect();
    let last = bins.last().map_or(now, |bin| bin.ends.1);
    let now = now.max(last);
    group.quiet_until = last.saturating_add(absence.limit(&bins).unwrap_or(i64::MAX));
    let found = absence.intervals(&bins, now);
    // The pause that lasts is the one after the last event.
    found.into_iter().map(|interval| (interval.start > last, interval)).map(|(is, one)| (one, is)).collect()
}

/// Each bin as it was judged when it was over: what comes later changes what is usual, not what was sent.
fn of_anomaly(
    detector: &Detector,
    anomaly: &Anomaly,
    bins: &Bins,
    keys: &Keys,
    group: &GroupBins,
) -> Vec<(Interval, bool)> {
    let (over, _) = bins.of_group(detector, group, keys);
    let all = &over.bins;
    let known = all.partition_point(|bin| bin.start < bins.judged);
    let from = known.max(all.len().saturating_sub(JUDGED_BINS));
    let mut found: Vec<(Interval, bool)> = Vec::new();
    for length in from + 1..=all.len() {
        let Some(last) = all.get(length - 1) else { continue };
        let interval = anomalies(anomaly, &all[..length]).pop().filter(|one| one.end >= last.start);
        for (_, is_open) in &mut found {
            *is_open = false;
        }
        let Some(interval) = interval else { continue };
        match found.last_mut() {
            Some((known, is_open)) if known.end >= interval.start => {
                (*known, *is_open) = (interval, true);
            }
            _ => found.push((interval, true)),
        }
    }
    found
}
