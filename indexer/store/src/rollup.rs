//! A rollup: event counts by level over time, stored with each segment, so that the timeline of a whole case
//! reads no events.

use ingest::{Level, NO_TIME};
use serde::{Deserialize, Serialize};

use super::table::Columns;

/// Buckets of a segment's counts: more than a screen shows of one segment, and some tens of kilobytes at
/// most.
const BUCKETS: i64 = 2_048;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Nearly every timeline width is a multiple of one of these, so that buckets can be summed.
const WIDTHS: [i64; 19] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    SECOND,
    5 * SECOND,
    30 * SECOND,
    60 * SECOND,
    300 * SECOND,
    900 * SECOND,
    3_600 * SECOND,
    21_600 * SECOND,
    DAY,
    365 * DAY,
];

/// Events with a time, in buckets that begin at multiples of their width since 1970 UTC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rollup {
    pub width_ns: i64,
    /// The number of the first bucket; bucket `n` begins at `n * width_ns`.
    pub first: i64,
    /// For each level that occurs, one count per bucket.
    pub levels: Vec<LevelCounts>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelCounts {
    pub level: u8,
    pub counts: Vec<u32>,
}

impl Rollup {
    /// Counts rows in time order.
    #[must_use]
    pub fn from_columns(columns: &Columns) -> Rollup {
        let untimed = columns.time.partition_point(|&time| time == NO_TIME);
        let (times, levels) = (&columns.time[untimed..], &columns.level[untimed..]);
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Rollup::default() };
        let buckets = |width: i64| last.div_euclid(width) - first.div_euclid(width) + 1;
        let fits =
            |width: &i64| i128::from(last) - i128::from(first) < i128::from(*width) * i128::from(BUCKETS);
        let Some(width_ns) = WIDTHS.into_iter().find(fits) else { return Rollup::default() };
        let start = first.div_euclid(width_ns);
        let mut all = vec![vec![0; buckets(width_ns) as usize]; Level::ALL.len()];
        for (&time, &level) in times.iter().zip(levels) {
            all[level as usize][(time.div_euclid(width_ns) - start) as usize] += 1;
        }
        let occurs = |(level, counts): (usize, Vec<u32>)| {
            counts.iter().any(|&count| count > 0).then_some(LevelCounts { level: level as u8, counts })
        };
        Rollup { width_ns, first: start, levels: all.into_iter().enumerate().filter_map(occurs).collect() }
    }

    /// False if [`Rollup::from_columns`] does not make such counts of so many events with a time.
    pub(super) fn is_valid(&self, timed: u64) -> bool {
        let is_level = |counts: &LevelCounts| {
            usize::from(counts.level) < Level::ALL.len()
                && counts.counts.len() <= BUCKETS as usize + 1
                && self.first.checked_add(counts.counts.len() as i64).is_some()
        };
        let counts = self.levels.iter().flat_map(|counts| &counts.counts);
        self.width_ns >= 0
            && self.levels.len() <= Level::ALL.len()
            && self.levels.iter().all(is_level)
            && counts.map(|&count| u64::from(count)).sum::<u64>() <= timed
    }

    /// True if buckets of this width are sums of these.
    #[must_use]
    pub fn divides(&self, width_ns: i64) -> bool {
        self.width_ns > 0 && width_ns % self.width_ns == 0
    }

    /// The buckets that have events: begin, level, count.
    pub fn buckets(&self) -> impl Iterator<Item = (i64, Level, u32)> {
        self.levels.iter().flat_map(|counts| {
            let level = Level::ALL.get(usize::from(counts.level)).copied().unwrap_or_default();
            let begins = (self.first..).map(|number| number.saturating_mul(self.width_ns));
            begins
                .zip(&counts.counts)
                .filter(|(_, count)| **count > 0)
                .map(move |(begin, count)| (begin, level, *count))
        })
    }
}
