//! What is normal for a row, and whether it starts or stops within the picture.

use serde::Serialize;

use crate::compare;

/// The standard deviation of a normal distribution is so many times the median of the distances to its median.
const DEVIATION_OF_MEDIAN_DISTANCE: f64 = 1.4826;

/// Starts and stops are measured on so many bins at most, as those of a comparison.
const COARSE_BINS: usize = 120;

/// The usual count of a bin, and how far counts usually are from it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Normal {
    pub median: f64,
    /// Never less than what independent events vary by, and never less than one event.
    pub spread: f64,
}

impl Normal {
    /// Over the bins in which anything happened at all.
    #[must_use]
    pub fn from_counts(counts: &[u32], all: &[u32]) -> Normal {
        let used = counts.iter().zip(all).filter(|(_, all)| **all > 0);
        let mut values: Vec<f64> = used.map(|(&count, _)| f64::from(count)).collect();
        let median = median(&mut values);
        for value in &mut values {
            *value = (*value - median).abs();
        }
        let distance = self::median(&mut values) * DEVIATION_OF_MEDIAN_DISTANCE;
        Normal { median, spread: distance.max(median.sqrt()).max(1.0) }
    }

    /// How many spreads a count is above the median, or below it.
    #[must_use]
    pub fn deviation(self, count: u32) -> f64 {
        (f64::from(count) - self.median) / self.spread
    }
}

fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// Tests rows for a beginning or an end within the picture.
pub struct Changes {
    all: Vec<u32>,
    reversed: Vec<u32>,
    limit: f64,
}

impl Changes {
    pub fn new(all: &[u32], rows: usize) -> Changes {
        let all = coarse(all);
        let reversed = all.iter().rev().copied().collect();
        Changes { all, reversed, limit: compare::threshold(2 * rows as u64) }
    }

    /// Both by the test of a comparison for patterns that stopped; a row that starts is one that stops backwards.
    pub fn starts_and_stops(&self, counts: &[u32]) -> [bool; 2] {
        let mut counts = coarse(counts);
        let stops = compare::stopped(&counts, &self.all, self.limit).is_some();
        counts.reverse();
        [compare::stopped(&counts, &self.reversed, self.limit).is_some(), stops]
    }
}

fn coarse(counts: &[u32]) -> Vec<u32> {
    let together = counts.len().div_ceil(COARSE_BINS).max(1);
    counts.chunks(together).map(|bins| bins.iter().copied().fold(0, u32::saturating_add)).collect()
}
