//! The times of a segment's rows. They are sorted, so a time range is a row range.

use std::ops::Range;

use ingest::NO_TIME;

use super::packed::Packed;
use crate::with_codes;

/// The time units of logs, coarse to fine.
const UNITS_NS: [i64; 6] = [60_000_000_000, 1_000_000_000, 1_000_000, 100_000, 1_000, 1];

/// Times as multiples of the coarsest unit that fits all of them: a log with whole seconds takes four bytes
/// per event.
#[derive(Clone, Debug)]
pub struct Times {
    /// 0 if there is no time, otherwise one more than the units since `first`.
    codes: Packed,
    first: i64,
    unit_ns: i64,
}

impl Times {
    /// Takes sorted times; rows without a time come last.
    #[must_use]
    pub fn new(times: &[i64]) -> Times {
        let dated = &times[times.partition_point(|&time| time == NO_TIME)..];
        let (first, last) = (dated.first().copied().unwrap_or(0), dated.last().copied().unwrap_or(0));
        let since_first = |time: i64| time.wrapping_sub(first) as u64;
        let fits = |unit: &i64| dated.iter().all(|&time| since_first(time).is_multiple_of(*unit as u64));
        let unit_ns = UNITS_NS.into_iter().find(fits).unwrap_or(1);
        let code = |time: i64| if time == NO_TIME { 0 } else { since_first(time) / unit_ns as u64 + 1 };
        let codes = Packed::pack(times.iter().map(|&time| code(time)), code(last));
        Times { codes, first, unit_ns }
    }

    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> i64 {
        match self.codes.get(row) {
            0 => NO_TIME,
            code => self.time(code),
        }
    }

    #[inline]
    fn time(&self, code: u64) -> i64 {
        self.first.wrapping_add((code - 1).wrapping_mul(self.unit_ns as u64) as i64)
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.codes.bytes()
    }

    /// The smallest code of a time at or after a limit.
    fn code_from(&self, limit: i64) -> u64 {
        if limit == NO_TIME {
            return 0;
        }
        let since_first = i128::from(limit) - i128::from(self.first);
        let units = (since_first + i128::from(self.unit_ns) - 1).div_euclid(i128::from(self.unit_ns));
        u64::try_from(units.max(0) + 1).unwrap_or(u64::MAX)
    }

    /// The number of rows before a time; rows without a time count as before.
    #[inline]
    #[must_use]
    pub fn before(&self, limit: i64) -> usize {
        let code = self.code_from(limit);
        with_codes!(&self.codes, codes => codes.partition_point(|&other| u64::from(other) < code))
    }

    /// Rows without a time.
    #[must_use]
    pub fn untimed(&self) -> usize {
        with_codes!(&self.codes, codes => codes.partition_point(|&code| u64::from(code) == 0))
    }

    /// Calls `each` with every bucket that has rows of the range, and those rows. `edges` are the starts of
    /// the buckets and the end of the last one; times outside of them and rows without a time are in no
    /// bucket.
    pub fn for_each_bucket(
        &self,
        rows: Range<usize>,
        edges: &[i64],
        mut each: impl FnMut(usize, Range<usize>),
    ) {
        let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return };
        let mut row = rows.start.max(self.before(first)).max(self.untimed());
        let end = rows.end.min(self.before(last));
        while row < end {
            let time = self.get(row);
            let bucket = edges.partition_point(|&edge| edge <= time) - 1;
            let next = row + self.run(row, end, edges[bucket + 1]);
            each(bucket, row..next);
            row = next;
        }
    }

    /// The number of rows from `row` on that precede a time. An exponential search, because buckets are often
    /// short.
    fn run(&self, row: usize, end: usize, limit: i64) -> usize {
        let code = self.code_from(limit);
        with_codes!(&self.codes, codes => {
            let codes = &codes[row..end];
            let mut reach = 8;
            while reach < codes.len() && u64::from(codes[reach]) < code {
                reach *= 2;
            }
            let near = &codes[..codes.len().min(reach)];
            near.partition_point(|&other| u64::from(other) < code)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorted_times_answer_as_the_plain_list_does(
            mut times in prop::collection::vec(prop_oneof![
                any::<i64>(), -50..50_i64, Just(NO_TIME), (-50..50_i64).prop_map(|s| s * 1_000_000_000),
            ], 0..80),
            mut edges in prop::collection::vec(prop_oneof![any::<i64>(), -60..60_i64], 0..12),
            from in 0..80_usize,
        ) {
            times.sort_unstable();
            edges.sort_unstable();
            edges.dedup();
            let packed = Times::new(&times);
            prop_assert_eq!((0..times.len()).map(|row| packed.get(row)).collect::<Vec<_>>(), times.clone());
            for &edge in &edges {
                prop_assert_eq!(packed.before(edge), times.partition_point(|&time| time < edge));
            }
            let rows = from.min(times.len())..times.len();
            let mut found = Vec::new();
            packed.for_each_bucket(rows.clone(), &edges, |bucket, rows| {
                found.extend(rows.map(|row| (bucket, row)));
            });
            let bucket = |row: usize| {
                let within = |pair: &[i64]| times[row] != NO_TIME && pair[0] <= times[row] && times[row] < pair[1];
                edges.windows(2).position(within).map(|bucket| (bucket, row))
            };
            prop_assert_eq!(found, rows.filter_map(bucket).collect::<Vec<_>>());
        }
    }

    #[test]
    fn times_in_whole_seconds_take_four_bytes_per_event() {
        let times: Vec<i64> =
            (0..100_000).map(|second| 1_772_323_200_000_000_000 + second * 1_000_000_000).collect();
        assert_eq!(Times::new(&times).bytes(), 400_000);
    }
}
