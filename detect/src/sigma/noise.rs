//! How many events a rule matched over time, in bins that are the same for all rules of a case.

use std::collections::BTreeMap;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Widths of bins. Each is a multiple of the one before, so that bins can be joined.
const WIDTHS: [i64; 10] = [
    SECOND,
    10 * SECOND,
    60 * SECOND,
    600 * SECOND,
    3_600 * SECOND,
    6 * 3_600 * SECOND,
    DAY,
    7 * DAY,
    28 * DAY,
    364 * DAY,
];

/// Bins at most, unless the data covers more than so many years.
const BINS: i64 = 60;

/// Events by the bin that they are in.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    width: i64,
    bins: BTreeMap<i64, u64>,
}

/// The width of bins for such a time, both ends included.
#[must_use]
pub fn bin_width(from: i64, to: i64) -> i64 {
    let fits = |width: &&i64| to.div_euclid(**width) - from.div_euclid(**width) < BINS;
    WIDTHS.iter().find(fits).copied().unwrap_or(WIDTHS[WIDTHS.len() - 1])
}

impl Noise {
    /// Of times in order.
    pub fn new(times: impl Iterator<Item = i64> + Clone) -> Noise {
        let ends = times.clone().next().zip(times.clone().last());
        let Some((from, to)) = ends else { return Noise::default() };
        let mut noise = Noise { width: bin_width(from, to), bins: BTreeMap::new() };
        for time in times {
            *noise.bins.entry(time.div_euclid(noise.width)).or_default() += 1;
        }
        noise
    }

    pub fn add(&mut self, other: &Noise) {
        self.widen(self.width.max(other.width));
        for (bin, count) in &other.bins {
            *self.bins.entry((bin * other.width).div_euclid(self.width.max(1))).or_default() += count;
        }
    }

    /// Joins bins. `width` is one of [`WIDTHS`] and no narrower than the bins are.
    pub fn widen(&mut self, width: i64) {
        if width > self.width {
            let before = std::mem::take(&mut self.bins);
            for (bin, count) in before {
                *self.bins.entry((bin * self.width).div_euclid(width)).or_default() += count;
            }
            self.width = width;
        }
    }

    /// The start of each bin with events, and how many.
    pub fn bins(&self) -> impl Iterator<Item = (i64, u64)> {
        self.bins.iter().map(|(bin, count)| (bin.saturating_mul(self.width), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_segments_join_to_those_of_the_case() {
        let times = |from: i64, step: i64, count: i64| (0..count).map(move |at| from + at * step);
        let (minute, day) = (60 * SECOND, DAY);
        let mut all = Noise::default();
        all.add(&Noise::new(times(0, SECOND, 50)));
        all.add(&Noise::new(times(10 * day, minute, 240)));
        let width = bin_width(0, 11 * day);
        all.widen(width);
        assert_eq!(width, 6 * 3_600 * SECOND);
        assert_eq!(all.bins().collect::<Vec<_>>(), [(0, 50), (10 * day, 240)]);
        assert_eq!(Noise::new(times(0, 1, 0)).bins().count(), 0);
        assert_eq!(bin_width(-DAY, i64::MAX / 2), 364 * DAY);
        for pair in WIDTHS.windows(2) {
            assert_eq!(pair[1] % pair[0], 0);
        }
    }
}
