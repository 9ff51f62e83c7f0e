//! Counts the alerts that a detector would have raised, and compares them with incidents: times that people know to be
//! bad. A detector that is always on meets each incident, so events alone would call it perfect. The times show that it
//! is not.

use indexer::{json, median};
use serde::Serialize;

use super::absence::Absence;
use super::pattern::Pattern;
use super::{Condition, Detector, Interval};
use crate::alert::Alert;
use crate::clock::DAY;

/// An alert as it is compared with incidents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firing {
    pub start: i64,
    /// The last instant of it.
    pub end: i64,
    /// When its condition was met. It begins before: with the first bin, or with the silence.
    pub raised: i64,
}

/// The alerts of a level, and how well they meet incidents.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AlertTally"))]
pub struct Tally {
    pub alerts: u64,
    /// In which something fired: alerts at the same time count once.
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "indexer::Nanos"))]
    pub firing_ns: i64,
    /// Null for less than a day of data.
    pub per_day: Option<f64>,
    /// Null without incidents in the data.
    pub truth: Option<IncidentTally>,
}

/// How alerts compare with incidents. Incidents that overlap are one, and their times outside the data do not count.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct IncidentTally {
    pub incidents: u64,
    /// Incidents in which something fired.
    pub found: u64,
    /// Alerts that meet an incident.
    pub right_alerts: u64,
    /// The share of the alerted time that is inside incidents. Null without alerted time, and if all incidents are
    /// moments.
    pub precision: Option<f64>,
    /// The share of the incidents' time that is alerted. Null if all incidents are moments.
    pub recall: Option<f64>,
    /// From the start of an incident to its first alert, over the incidents in which something fired; nothing if that was
    /// raised before.
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<indexer::Nanos>"))]
    pub median_delay_ns: Option<i64>,
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<indexer::Nanos>"))]
    pub worst_delay_ns: Option<i64>,
}

/// Counts alerts over ends, next to incidents (both ends included).
#[must_use]
pub fn tally(alerts: &[Firing], ends: (i64, i64), incidents: &[(i64, i64)]) -> Tally {
    let alerted = merged(alerts.iter().map(|one| (one.start, one.end)), ends);
    let incidents = merged(incidents.iter().copied(), ends);
    let days = (ends.1 - ends.0) as f64 / DAY as f64;
    Tally {
        alerts: alerts.len() as u64,
        firing_ns: length(&alerted),
        per_day: (days >= 1.0).then(|| alerts.len() as f64 / days),
        truth: (!incidents.is_empty()).then(|| compared(alerts, &alerted, &incidents)),
    }
}

fn compared(alerts: &[Firing], alerted: &[(i64, i64)], incidents: &[(i64, i64)]) -> IncidentTally {
    let mut raised: Vec<Option<i64>> = vec![None; incidents.len()];
    let mut right_alerts = 0;
    for alert in alerts {
        let first = incidents.partition_point(|(_, to)| *to < alert.start);
        let met = incidents[first..].iter().take_while(|(from, _)| *from <= alert.end).count();
        right_alerts += u64::from(met > 0);
        for earliest in &mut raised[first..first + met] {
            *earliest = Some(earliest.map_or(alert.raised, |known| known.min(alert.raised)));
        }
    }
    let delay = |(raised, (from, _)): (&Option<i64>, &(i64, i64))| raised.map(|at| (at - from).max(0));
    let delays: Vec<i64> = raised.iter().zip(incidents).filter_map(delay).collect();
    let mut sorted: Vec<f64> = delays.iter().map(|ns| *ns as f64).collect();
    let has_length = incidents.iter().any(|(from, to)| from < to);
    let both = common(alerted, incidents) as f64;
    let share = |of: i64| (has_length && of > 0).then(|| both / of as f64);
    IncidentTally {
        incidents: incidents.len() as u64,
        found: delays.len() as u64,
        right_alerts,
        precision: share(length(alerted)),
        recall: share(length(incidents)),
        median_delay_ns: median(&mut sorted).map(|middle| middle.round() as i64),
        worst_delay_ns: delays.into_iter().max(),
    }
}

/// The intervals within ends in order, those that overlap or touch as one.
fn merged(intervals: impl Iterator<Item = (i64, i64)>, ends: (i64, i64)) -> Vec<(i64, i64)> {
    let within = intervals.map(|(from, to)| (from.max(ends.0), to.min(ends.1)));
    let mut sorted: Vec<(i64, i64)> = within.filter(|(from, to)| from <= to).collect();
    sorted.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (from, to) in sorted {
        match merged.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

fn length(merged: &[(i64, i64)]) -> i64 {
    merged.iter().map(|(from, to)| to + 1 - from).sum()
}

/// The time that is in both; each is in order and does not overlap itself.
fn common(some: &[(i64, i64)], others: &[(i64, i64)]) -> i64 {
    let (mut some, mut others) = (some.iter().peekable(), others.iter().peekable());
    let mut sum = 0;
    while let (Some(one), Some(other)) = (some.peek(), others.peek()) {
        sum += (one.1.min(other.1) + 1 - one.0.max(other.0)).max(0);
        if one.1 < other.1 {
            some.next();
        } else {
            others.next();
        }
    }
    sum
}

impl Detector {
    /// One of its intervals for the comparison with incidents.
    #[must_use]
    pub fn firing(&self, interval: &Interval) -> Firing {
        self.raised_between(interval.start, interval.end, Some(interval.expected))
    }

    /// One of its alerts for the comparison with incidents; nothing if it has no times.
    #[must_use]
    pub fn firing_of(&self, alert: &Alert) -> Option<Firing> {
        Some(self.raised_between(alert.start?, alert.end?, alert.expected))
    }

    /// An alert of a time, with the limit that its value is compared with.
    fn raised_between(&self, start: i64, end: i64, limit: Option<f64>) -> Firing {
        let bins = |width: i64, count: i64| start.saturating_add(width.saturating_mul(count.max(1))) - 1;
        let raised = match &self.condition {
            Condition::Threshold(one) => bins(one.width, (one.duration + one.width - 1) / one.width),
            Condition::Anomaly(one) => bins(one.width, one.bins as i64),
            Condition::Absence(Absence::Longer(longest)) => start.saturating_add(*longest),
            Condition::Absence(Absence::Times(_)) => {
                start.saturating_add((limit.unwrap_or_default() * 1e9) as i64)
            }
            Condition::Sequence(one) if one.is_without => start.saturating_add(one.within),
            // Several that overlap are one alert. The first of them was complete by then.
            Condition::Sequence(one) => end.min(start.saturating_add(one.within)),
            Condition::Pattern(Pattern::New { least: ..=1, .. }) => start,
            // At the latest: the alert has no time of the event with which there were enough.
            Condition::Pattern(_) => end,
        };
        Firing { start, end, raised }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::measure::read;

    const SECOND: i64 = 1_000_000_000;

    /// Alerts that are raised at once.
    fn at_once(spans: &[(i64, i64)]) -> Vec<Firing> {
        spans.iter().map(|&(start, end)| Firing { start, end, raised: start }).collect()
    }

    #[test]
    fn alerts_at_the_same_time_count_once_and_a_rate_needs_a_day() {
        let found = tally(&at_once(&[(0, 9), (5, 19), (100, 109), (200, 200)]), (0, 2 * DAY), &[]);
        assert_eq!((found.alerts, found.firing_ns, found.per_day), (4, 31, Some(2.0)));
        assert_eq!(found.truth, None);
        let hours = tally(&at_once(&[(0, 1); 188]), (0, 7_200 * SECOND), &[]);
        assert_eq!((hours.alerts, hours.per_day), (188, None), "188 in two hours are no rate per day");
    }

    #[test]
    fn detector_that_is_always_on_is_not_precise() {
        let hour = 3_600 * SECOND;
        let ends = (0, 2 * hour - 1);
        let incident = (hour, hour + 600 * SECOND - 1);
        let always = tally(&at_once(&[(-5, 3 * hour)]), ends, &[incident]);
        assert_eq!(always.firing_ns, 2 * hour, "only the time of the data counts");
        let truth = always.truth.expect("an incident");
        assert_eq!((truth.incidents, truth.found, truth.right_alerts), (1, 1, 1));
        assert_eq!((truth.precision, truth.recall), (Some(600.0 / 7_200.0), Some(1.0)));
        let late =
            Firing { start: hour + 60 * SECOND, end: hour + 300 * SECOND - 1, raised: hour + 120 * SECOND };
        let truth = tally(&[late], ends, &[incident]).truth.expect("an incident");
        assert_eq!((truth.precision, truth.recall), (Some(1.0), Some(0.4)));
        assert_eq!(truth.worst_delay_ns, Some(120 * SECOND));
    }

    #[test]
    fn incidents_that_are_moments_or_outside_the_data_have_no_time() {
        let alerts = at_once(&[(0, 9), (20, 29)]);
        let truth = tally(&alerts, (0, 99), &[(5, 5), (50, 50)]).truth.expect("incidents");
        assert_eq!((truth.found, truth.right_alerts, truth.precision, truth.recall), (1, 1, None, None));
        assert_eq!(tally(&alerts, (0, 99), &[(100, 200)]).truth, None, "nothing could have found it");
        let silent = tally(&[], (0, 99), &[(5, 9)]).truth.expect("an incident");
        assert_eq!((silent.precision, silent.recall, silent.worst_delay_ns), (None, Some(0.0), None));
    }

    #[test]
    fn alert_is_raised_when_its_condition_is_met() {
        let raised = |condition: &str, (start, end): (i64, i64), expected: f64| {
            let text = format!("[[detector]]\nname = \"d\"\nby = [\"user\"]\n{condition}\n");
            let (detectors, problems) = read(Path::new("d.toml"), &text);
            assert_eq!(problems, []);
            let (start, end) = (start * SECOND, end * SECOND - 1);
            let interval = Interval { start, end, peak: start, value: 1.0, expected, events: 1, basis: None };
            detectors[0].firing(&interval).raised + 1
        };
        for (condition, span, expected, at) in [
            ("threshold = { above = 5 }", (60, 300), 5.0, 120),
            ("threshold = { above = 5, for = \"90s\" }", (60, 300), 5.0, 180),
            ("anomaly = { every = \"1m\", bins = 3 }", (60, 300), 5.0, 240),
            ("absence = { longer = \"2m\" }", (60, 300), 120.0, 180),
            ("absence = { times = 4 }", (60, 300), 200.0, 260),
            ("sequence = { then = \"a\", within = \"1m\" }", (60, 90), 60.0, 90),
            ("sequence = { then = \"a\", within = \"1m\" }", (60, 300), 60.0, 120),
            ("sequence = { without = \"a\", within = \"1m\" }", (60, 60), 60.0, 120),
        ] {
            let found = raised(condition, span, expected);
            assert!((found - at * SECOND).abs() <= 1, "{condition}: {found}");
        }
    }

    /// The same, instant by instant.
    fn reference(alerts: &[Firing], ends: (i64, i64), incidents: &[(i64, i64)]) -> Tally {
        let is_in =
            |spans: &[(i64, i64)], at: i64| spans.iter().any(|(from, to)| (*from..=*to).contains(&at));
        let spans: Vec<(i64, i64)> = alerts.iter().map(|one| (one.start, one.end)).collect();
        let count = |is: &dyn Fn(i64) -> bool| (ends.0..=ends.1).filter(|at| is(*at)).count() as i64;
        let alerted = count(&|at| is_in(&spans, at));
        let bad = count(&|at| is_in(incidents, at));
        let both = count(&|at| is_in(&spans, at) && is_in(incidents, at));
        // The instants of an incident follow one another.
        let mut runs: Vec<Vec<i64>> = Vec::new();
        for at in (ends.0..=ends.1).filter(|at| is_in(incidents, *at)) {
            match runs.last_mut() {
                Some(run) if run.last() == Some(&(at - 1)) => run.push(at),
                _ => runs.push(vec![at]),
            }
        }
        let meets = |alert: &Firing, run: &[i64]| run.iter().any(|at| (alert.start..=alert.end).contains(at));
        let first = |run: &Vec<i64>| {
            let raised = alerts.iter().filter(|alert| meets(alert, run)).map(|alert| alert.raised).min();
            raised.map(|raised| (raised - run[0]).max(0))
        };
        let mut delays: Vec<i64> = runs.iter().filter_map(first).collect();
        delays.sort_unstable();
        let middle = |delays: &[i64]| {
            let (low, high) = (delays.get((delays.len().max(1) - 1) / 2)?, delays.get(delays.len() / 2)?);
            Some((low + high) as f64 / 2.0)
        };
        let has_length = runs.iter().any(|run| run.len() > 1);
        let share = |of: i64| (has_length && of > 0).then(|| both as f64 / of as f64);
        let truth = IncidentTally {
            incidents: runs.len() as u64,
            found: delays.len() as u64,
            right_alerts: alerts.iter().filter(|alert| runs.iter().any(|run| meets(alert, run))).count()
                as u64,
            precision: share(alerted),
            recall: share(bad),
            median_delay_ns: middle(&delays).map(|middle| middle.round() as i64),
            worst_delay_ns: delays.last().copied(),
        };
        Tally {
            alerts: alerts.len() as u64,
            firing_ns: alerted,
            per_day: None,
            truth: (!runs.is_empty()).then_some(truth),
        }
    }

    fn firing() -> impl Strategy<Value = Firing> {
        (0..60_i64, 0..12_i64, 0..20_i64).prop_map(|(start, length, wait)| Firing {
            start,
            end: start + length,
            raised: start + wait,
        })
    }

    proptest! {
        #[test]
        fn tally_is_that_of_each_instant(
            alerts in proptest::collection::vec(firing(), 0..8),
            incidents in proptest::collection::vec((0..60_i64, 0..9_i64), 0..6),
            ends in (0..20_i64, 30..70_i64),
        ) {
            let incidents: Vec<(i64, i64)> = incidents.iter().map(|(from, length)| (*from, from + length)).collect();
            prop_assert_eq!(tally(&alerts, ends, &incidents), reference(&alerts, ends, &incidents));
        }
    }
}
