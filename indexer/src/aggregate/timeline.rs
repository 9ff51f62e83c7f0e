//! Events over time, by level.

use ingest::{Level, NO_TIME};

use crate::exec::Part;
use crate::storage::{Columns, Rollup};

/// Counts in buckets of equal width. Buckets begin at multiples of their width since 1970 UTC.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    pub start: i64,
    pub width_ns: i64,
    /// For each level, a count a bucket.
    pub counts: Vec<Vec<u32>>,
    pub total: u64,
    pub untimed: u64,
}

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Widths a person can name, narrow to wide. Narrower ones are 1, 2 and 5 times a power of ten.
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

/// The narrowest width a person can name that covers the range in so many buckets.
pub fn width_for(first: i64, last: i64, buckets: usize) -> i64 {
    let span = i128::from(last) - i128::from(first);
    let fits = |width: i64| span / i128::from(width) + 2 <= buckets.max(2) as i128;
    let decades = (0..9).flat_map(|power| [1, 2, 5].map(|times| times * 10_i64.pow(power)));
    let years = (1..=300).map(|years| years * 365 * DAY);
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

    pub fn add(&mut self, part: &Part, columns: &Columns) {
        self.total += part.len() as u64;
        for index in 0..part.len() {
            let row = part.row(index);
            let time = columns.time[row];
            if time == NO_TIME {
                self.untimed += 1;
                continue;
            }
            self.count(time, columns.level[row], 1);
        }
    }

    /// Adds all timed events of a segment by their counts. Its buckets must divide these.
    pub fn add_rollup(&mut self, rollup: &Rollup) {
        for (time, level, count) in rollup.buckets() {
            self.total += u64::from(count);
            self.count(time, level, count);
        }
    }

    fn count(&mut self, time: i64, level: Level, count: u32) {
        let bucket = (i128::from(time) - i128::from(self.start)) / i128::from(self.width_ns);
        let counts = &mut self.counts[level as usize];
        if let Some(counted) = usize::try_from(bucket).ok().and_then(|bucket| counts.get_mut(bucket)) {
            *counted += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let rollup = Rollup::of(&columns);
                for buckets in [3, 40, 500] {
                    let empty = Timeline::over(time[0], time[999], buckets);
                    if !rollup.divides(empty.width_ns) {
                        continue;
                    }
                    let (mut scanned, mut added) = (empty.clone(), empty);
                    time.iter().zip(&level).for_each(|(&time, &level)| scanned.count(time, level, 1));
                    scanned.total = 1_000;
                    added.add_rollup(&rollup);
                    assert_eq!(added, scanned, "{span} {first} {buckets}");
                }
                assert!(rollup.divides(Timeline::over(time[0], time[999], 40).width_ns), "{span} {first}");
            }
        }
    }
}
