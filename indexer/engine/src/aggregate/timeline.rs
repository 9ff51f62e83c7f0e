//! Events over time, by level.

use ingest::Level;
use serde::Serialize;

use crate::exec::SegmentRows;
use base::error::Result;
use store::{Rollup, StoredColumn, with_codes};

/// Counts in buckets of equal width. Buckets begin at multiples of their width since 1970 UTC.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Timeline {
    /// Start of the first bucket.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub start: i64,
    #[serde(rename = "bucketNs", with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub width_ns: i64,
    /// For each level, a count a bucket; as JSON only the levels that occur, the lowest first.
    #[serde(rename = "series", with = "base::json::level_series")]
    #[cfg_attr(feature = "typescript", ts(as = "Vec<base::json::LevelSeries>"))]
    pub counts: Vec<Vec<u32>>,
    /// Matching events in the range, those without a time included when the range is unbounded.
    pub total: u64,
    /// Matching events that have no time and so are in no bucket.
    pub untimed: u64,
}

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Round widths, narrow to wide. Narrower ones are 1, 2 and 5 times a power of ten.
const WIDTHS: [i64; 24] = [
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
    91 * DAY,
    365 * DAY,
];

/// The narrowest round width that covers the range in at most this many buckets.
#[must_use]
pub fn width_for(first: i64, last: i64, buckets: usize) -> i64 {
    let span = i128::from(last) - i128::from(first);
    let fits = |width: i64| span / i128::from(width) + 2 <= buckets.max(2) as i128;
    let decades = (0..9).flat_map(|power| [1, 2, 5].map(|times| times * 10_i64.pow(power)));
    let years = (1..=i64::MAX / (365 * DAY)).map(|years| years * 365 * DAY);
    decades.chain(WIDTHS).chain(years).find(|&width| fits(width)).unwrap_or(i64::MAX)
}

impl Timeline {
    /// Empty buckets that cover these times.
    #[must_use]
    pub fn over(first: i64, last: i64, buckets: usize) -> Timeline {
        let width_ns = width_for(first, last, buckets);
        let start = first.div_euclid(width_ns).saturating_mul(width_ns);
        let needed = ((i128::from(last) - i128::from(start)) / i128::from(width_ns) + 1) as usize;
        Timeline { start, width_ns, counts: vec![vec![0; needed]; Level::ALL.len()], total: 0, untimed: 0 }
    }

    /// No event has a time.
    #[must_use]
    pub fn empty() -> Timeline {
        Timeline {
            start: 0,
            width_ns: SECOND,
            counts: vec![Vec::new(); Level::ALL.len()],
            total: 0,
            untimed: 0,
        }
    }

    /// The starts of the buckets, and the end of the last.
    pub fn edges(&self) -> Vec<i64> {
        let end = |bucket: usize| {
            let edge = i128::from(self.start) + bucket as i128 * i128::from(self.width_ns);
            edge.min(i128::from(i64::MAX)) as i64
        };
        let buckets = self.counts.first().map_or(0, Vec::len);
        (0..=buckets).map(end).collect()
    }

    pub fn add(&mut self, counts: &SegmentCounts) {
        self.total += counts.total;
        self.untimed += counts.untimed;
        for &(bucket, level, count) in &counts.buckets {
            if let Some(counted) = self.counts[level as usize].get_mut(bucket) {
                *counted += count;
            }
        }
    }
}

/// The counts of one segment.
#[derive(Debug, Default)]
pub struct SegmentCounts {
    buckets: Vec<(usize, Level, u32)>,
    total: u64,
    untimed: u64,
}

impl SegmentCounts {
    pub fn from_rows(part: &SegmentRows, edges: &[i64]) -> Result<SegmentCounts> {
        let times = part.segment.times()?;
        let column = part.segment.packed("level")?;
        let levels: Vec<Level> = (0..=column.largest).map(|code| level_of(&column, code)).collect();
        let untimed = part.count_in(0..times.untimed()) as u64;
        let mut counts = SegmentCounts { total: part.len() as u64, untimed, buckets: Vec::new() };
        // Fast path: a segment with one level needs no test per row.
        let alike = column.missing == column.rows() || (column.missing == 0 && column.largest == 1);
        with_codes!(&column.codes, codes => times.for_each_bucket(part.rows(), edges, |bucket, rows| {
            let mut by_level = [0_u32; Level::ALL.len()];
            if alike {
                let level = levels[codes[rows.start] as usize];
                by_level[level as usize] = part.count_in(rows) as u32;
            } else {
                part.for_each_in(rows, |row| by_level[levels[codes[row] as usize] as usize] += 1);
            }
            let found = Level::ALL.into_iter().zip(by_level).filter(|(_, count)| *count > 0);
            counts.buckets.extend(found.map(|(level, count)| (bucket, level, count)));
        }));
        Ok(counts)
    }

    /// The counts of a whole segment from its rollup, whose bucket width must divide the timeline's, and the
    /// number of events without a time.
    #[must_use]
    pub fn from_rollup(rollup: &Rollup, untimed: u64, timeline: &Timeline) -> SegmentCounts {
        let mut counts = SegmentCounts { total: untimed, untimed, buckets: Vec::new() };
        for (time, level, count) in rollup.buckets() {
            counts.total += u64::from(count);
            let bucket = (i128::from(time) - i128::from(timeline.start)) / i128::from(timeline.width_ns);
            counts.buckets.extend(usize::try_from(bucket).ok().map(|bucket| (bucket, level, count)));
        }
        counts
    }
}

#[must_use]
pub fn level_of(column: &StoredColumn, code: u64) -> Level {
    let name = column.value(code).map(|value| value.to_string()).unwrap_or_default();
    Level::ALL.into_iter().find(|level| level.name() == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Columns;

    #[test]
    fn widths_are_ones_a_person_can_name_and_buckets_stay_within_the_request() {
        assert_eq!(width_for(0, 7 * DAY, 200), 3_600_000_000_000);
        assert_eq!(width_for(0, 0, 200), 1);
        for span in [1, 999, SECOND, 90 * MINUTE, 11 * DAY, 40_000 * DAY] {
            let timeline = Timeline::over(12_345, 12_345 + span, 100);
            assert!(timeline.counts[0].len() <= 100, "{span}");
        }
        assert!(Timeline::over(i64::MIN + 1, i64::MAX - 1, 100).counts[0].len() <= 100);
    }

    #[test]
    fn rollups_count_what_a_scan_counts() {
        for span in [1, 5_000, 3 * SECOND, 50 * MINUTE, 9 * DAY, 4_000 * DAY] {
            for first in [-7 * DAY - 1, 0, 1_772_323_200 * SECOND + 3] {
                let time: Vec<i64> = (0..1_000).map(|row| first + span / 1_000 * row).collect();
                let level: Vec<Level> = (0..1_000).map(|row| Level::ALL[row % 8]).collect();
                let columns = Columns { time: time.clone(), level: level.clone(), ..Columns::default() };
                let rollup = Rollup::from_columns(&columns);
                for buckets in [3, 40, 500] {
                    let empty = Timeline::over(time[0], time[999], buckets);
                    if !rollup.divides(empty.width_ns) {
                        continue;
                    }
                    let (mut scanned, mut added) = (empty.clone(), empty.clone());
                    for (time, level) in time.iter().zip(&level) {
                        let bucket = empty.edges().partition_point(|edge| edge <= time) - 1;
                        scanned.counts[*level as usize][bucket] += 1;
                        scanned.total += 1;
                    }
                    added.add(&SegmentCounts::from_rollup(&rollup, 0, &empty));
                    assert_eq!(added, scanned, "{span} {first} {buckets}");
                }
                assert!(rollup.divides(Timeline::over(time[0], time[999], 40).width_ns), "{span} {first}");
            }
        }
    }
}
