//! What is normal for a row, and whether it starts or stops within the picture.

use serde::Serialize;

use crate::compare;

/// The standard deviation of a normal distribution is so many times the median of the distances to its median.
const DEVIATION_OF_MEDIAN_DISTANCE: f64 = 1.4826;

/// Starts and stops are measured on so many bins at most, as those of a comparison.
const COARSE_BINS: usize = 120;

/// A row whose events all lie in fewer bins than this is an episode, too short for the test of comparisons.
const EPISODE_BINS: usize = COARSE_BINS / 12;

/// An episode has events in so many bins at least: a single burst of lines is one event to a reader.
const EPISODE_USED: usize = 3;

/// The silence around an episode is so many times longer than the episode, and has [`EPISODE_BINS`] at least.
const EPISODE_SILENCE: usize = 3;

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
        let median = base::median(&mut values).unwrap_or(0.0);
        for value in &mut values {
            *value = (*value - median).abs();
        }
        let distance = base::median(&mut values).unwrap_or(0.0) * DEVIATION_OF_MEDIAN_DISTANCE;
        Normal { median, spread: distance.max(median.sqrt()).max(1.0) }
    }

    /// How many spreads a count is above the median, or below it.
    #[must_use]
    pub fn deviation(self, count: u32) -> f64 {
        (f64::from(count) - self.median) / self.spread
    }
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
        if let Some(found) = self.episode(&counts) {
            return found;
        }
        let stops = compare::stopped(&counts, &self.all, self.limit).is_some();
        counts.reverse();
        [compare::stopped(&counts, &self.reversed, self.limit).is_some(), stops]
    }
}

impl Changes {
    /// Whether an episode has a silence before it, and after it. Only bins in which others happen count as silence. By
    /// chance, ten independent events lie in a twelfth of the time once in a hundred million rows.
    fn episode(&self, counts: &[u32]) -> Option<[bool; 2]> {
        let first = counts.iter().position(|&count| count > 0)?;
        let last = counts.iter().rposition(|&count| count > 0)?;
        let own = &counts[first..=last];
        let used = own.iter().filter(|&&count| count > 0).count();
        let events: u64 = own.iter().map(|&count| u64::from(count)).sum();
        if own.len() >= EPISODE_BINS || used < EPISODE_USED || events < 2 * compare::FEWEST {
            return None;
        }
        let silence = EPISODE_BINS.max(EPISODE_SILENCE * own.len());
        let is_silence = |all: &[u32]| all.iter().filter(|&&all| all > 0).count() >= silence;
        Some([is_silence(&self.all[..first]), is_silence(&self.all[last + 1..])])
    }
}

fn coarse(counts: &[u32]) -> Vec<u32> {
    let together = counts.len().div_ceil(COARSE_BINS).max(1);
    counts.chunks(together).map(|bins| bins.iter().copied().fold(0, u32::saturating_add)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts of 120 minutes with so many events in each of these.
    fn minutes(range: std::ops::Range<usize>, events: u32) -> Vec<u32> {
        (0..120).map(|minute| if range.contains(&minute) { events } else { 0 }).collect()
    }

    #[test]
    fn pattern_of_a_short_incident_starts_and_stops() {
        let changes = Changes::new(&minutes(0..120, 50), 40);
        assert_eq!(changes.starts_and_stops(&minutes(65..69, 20)), [true, true]);
        assert_eq!(changes.starts_and_stops(&minutes(2..6, 20)), [false, true]);
        assert_eq!(changes.starts_and_stops(&minutes(116..120, 20)), [true, false]);
        // One burst, or a few events, may be chance.
        assert_eq!(changes.starts_and_stops(&minutes(65..66, 80)), [false, false]);
        assert_eq!(changes.starts_and_stops(&minutes(65..68, 1)), [false, false]);
        // Nothing is silent where nothing happens at all.
        let changes = Changes::new(&minutes(60..70, 50), 40);
        assert_eq!(changes.starts_and_stops(&minutes(65..69, 20)), [false, false]);
    }
}
