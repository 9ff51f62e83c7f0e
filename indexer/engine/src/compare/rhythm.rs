//! The rhythm of patterns: how often each occurs over a side's time, and which stopped before its end.

use serde::Serialize;

use super::score::{self, Rates};

/// Buckets of equal length that a side's time is cut into.
pub const BUCKETS: usize = 120;

/// A pattern has to occur over so many buckets, and to be silent for so many.
const LEAST_BUCKETS: usize = BUCKETS / 12;

/// It has to be silent for so much longer than ever before.
const LONGER: usize = 3;

/// A pattern that B has until some time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PatternStop"))]
pub struct Stop {
    /// Its last event.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub last: i64,
    /// So many were to be expected after it, at its rate among all events until then.
    pub expected: f64,
    /// The rate until then is at least so many times that after it.
    pub at_least: f64,
}

/// Counts over the buckets of one side's time.
#[derive(Clone, Debug, Default)]
pub struct Rhythm {
    /// The starts of the buckets, and the end of the last; empty if no event has a time.
    pub edges: Vec<i64>,
    /// Events of each bucket, and those of each pattern, by place.
    pub all: Vec<u32>,
    pub patterns: Vec<Vec<u32>>,
    /// The last event of each pattern.
    pub last: Vec<i64>,
}

impl Rhythm {
    /// Over these times, both inclusive.
    pub fn over(range: Option<(i64, i64)>, patterns: usize) -> Rhythm {
        let Some((first, last)) = range else { return Rhythm::default() };
        let span = i128::from(last) + 1 - i128::from(first);
        let edge = |bucket: usize| (i128::from(first) + span * bucket as i128 / BUCKETS as i128) as i64;
        Rhythm {
            edges: (0..=BUCKETS).map(edge).collect(),
            all: vec![0; BUCKETS],
            patterns: vec![Vec::new(); patterns],
            last: vec![i64::MIN; patterns],
        }
    }

    pub fn add(&mut self, bucket: usize, pattern: usize, events: u32) {
        let buckets = &mut self.patterns[pattern];
        if buckets.is_empty() {
            buckets.resize(BUCKETS, 0);
        }
        buckets[bucket] += events;
    }

    /// Patterns that occur often enough to be missed.
    pub fn tests(&self) -> u64 {
        self.patterns.iter().filter(|buckets| is_tested(buckets)).count() as u64
    }

    /// Where a pattern stopped, if it did.
    pub fn stop(&self, pattern: usize, limit: f64) -> Option<Stop> {
        let buckets = self.patterns.get(pattern).filter(|buckets| is_tested(buckets))?;
        let found = stopped(buckets, &self.all, limit)?;
        Some(Stop { last: self.last[pattern], ..found })
    }
}

fn is_tested(buckets: &[u32]) -> bool {
    buckets.iter().map(|&count| u64::from(count)).sum::<u64>() >= score::FEWEST
}

/// Compares the counts up to the last event of a pattern with the silence after it, measured by how many events of
/// all patterns there were.
#[must_use]
pub fn stopped(buckets: &[u32], all: &[u32], limit: f64) -> Option<Stop> {
    let first = buckets.iter().position(|&count| count > 0)?;
    let last = buckets.iter().rposition(|&count| count > 0)?;
    let silent = buckets.len() - 1 - last;
    let active = first..=last;
    if silent < LEAST_BUCKETS || last + 1 - first < LEAST_BUCKETS {
        return None;
    }
    let longest = buckets[active.clone()].split(|&count| count > 0).map(<[u32]>::len).max().unwrap_or(0);
    if silent <= LONGER * longest {
        return None;
    }
    let sum = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let (seen, during, after) =
        (sum(&buckets[active.clone()]), sum(&all[active.clone()]), sum(&all[last + 1..]));
    if during <= 0.0 || after <= 0.0 {
        return None;
    }
    let dispersion = dispersion(&buckets[active.clone()], &all[active]);
    let rates = Rates { counts: [seen / dispersion, 0.0], totals: [during, after] };
    let at_least = rates.at_least(limit);
    let is_clear = at_least >= score::LEAST_RATIO;
    is_clear.then_some(Stop { last: 0, expected: seen * after / during, at_least })
}

/// How many times the variance of counts is that of independent events, given how many events of all kinds there
/// were: 1 where it is no more than by chance. Events that come in bursts of ten count as one.
pub fn dispersion(buckets: &[u32], all: &[u32]) -> f64 {
    let sum = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let (seen, during) = (sum(buckets), sum(all));
    if seen < score::FEWEST as f64 || during <= 0.0 {
        return 1.0;
    }
    let (mut squares, mut inverse, mut used) = (0.0, 0.0, 0.0);
    for (&count, &all) in buckets.iter().zip(all).filter(|(_, all)| **all > 0) {
        let share = f64::from(all) / during;
        let (expected, difference) = (seen * share, f64::from(count) - seen * share);
        squares += difference * difference / expected;
        inverse += 1.0 / expected;
        used += 1.0;
    }
    if used < 2.0 {
        return 1.0;
    }
    let found = squares / (used - 1.0);
    // Of rare events even independent ones vary much.
    let accident = ((2.0 + inverse / used) / (used - 1.0)).sqrt();
    if found > 1.0 + 3.0 * accident { found } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(count: impl Fn(usize) -> u32) -> Vec<u32> {
        (0..BUCKETS).map(count).collect()
    }

    #[test]
    fn a_steady_pattern_that_ends_early_stopped() {
        let all = buckets(|_| 100);
        let limit = score::threshold(100);
        let stop = stopped(&buckets(|bucket| u32::from(bucket < 60)), &all, limit).expect("it stopped");
        assert!((stop.expected - 60.0).abs() < 1e-9 && stop.at_least > 1.2, "{stop:?}");
        assert_eq!(stopped(&buckets(|_| 1), &all, limit), None);
        // Too rare to tell, at the start only, or in bursts that are as far from each other.
        assert_eq!(stopped(&buckets(|bucket| u32::from(bucket < 60 && bucket % 20 == 0)), &all, limit), None);
        assert_eq!(stopped(&buckets(|bucket| 50 * u32::from(bucket < 5)), &all, limit), None);
        assert_eq!(stopped(&buckets(|bucket| 40 * u32::from(bucket % 50 == 0)), &all, limit), None);
    }

    #[test]
    #[allow(clippy::float_cmp)]
    fn bursts_differ_from_independent_events() {
        let all = buckets(|_| 100);
        let near = |found: f64, expected: f64| (found - expected).abs() < 0.1 * expected;
        assert_eq!(dispersion(&buckets(|_| 3), &all), 1.0);
        assert!(near(dispersion(&buckets(|bucket| 20 * u32::from(bucket % 10 == 3)), &all), 18.0));
        // As uneven as everything is.
        let uneven = buckets(|bucket| 10 + 190 * u32::from(bucket % 2 == 0));
        assert_eq!(dispersion(&buckets(|bucket| uneven[bucket] / 10), &uneven), 1.0);
        assert_eq!(dispersion(&buckets(|bucket| 4 * u32::from(bucket == 9)), &all), 1.0);
    }

    #[test]
    fn what_ends_with_all_other_events_did_not_stop() {
        let all = buckets(|bucket| 100 * u32::from(bucket < 60));
        assert_eq!(stopped(&buckets(|bucket| u32::from(bucket < 60)), &all, score::threshold(100)), None);
    }
}
