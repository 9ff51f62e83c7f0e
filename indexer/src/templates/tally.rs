//! Counting the events of each template.

use ingest::{Level, NO_TIME};

use crate::aggregate::timeline::width_for;
use crate::storage::Columns;

/// Equal buckets over a range of times.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    pub start: i64,
    pub width_ns: i64,
    pub count: usize,
}

impl Buckets {
    /// Over these times, both inclusive; none at all where nothing has a time.
    pub fn over(range: Option<(i64, i64)>, most: usize) -> Buckets {
        let Some((first, last)) = range else { return Buckets { start: 0, width_ns: 1, count: 0 } };
        let width_ns = width_for(first, last, most);
        let start = first.div_euclid(width_ns).saturating_mul(width_ns);
        let count = ((i128::from(last) - i128::from(start)) / i128::from(width_ns) + 1) as usize;
        Buckets { start, width_ns, count }
    }

    fn of(&self, time: i64) -> Option<usize> {
        let bucket = (i128::from(time) - i128::from(self.start)) / i128::from(self.width_ns);
        usize::try_from(bucket).ok().filter(|&bucket| bucket < self.count)
    }
}

/// The first events in the order of a case.
type Place = (i64, u32, u64);

/// What is known of one template.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub count: u64,
    /// Events outside of the range that is looked at.
    pub elsewhere: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub levels: [u64; 8],
    pub buckets: Vec<u32>,
    pub examples: Vec<Place>,
}

impl Tally {
    pub fn add(&mut self, columns: &Columns, row: usize, buckets: &Buckets, examples: usize) {
        let time = columns.time[row];
        self.count += 1;
        self.levels[columns.level[row] as usize % Level::ALL.len()] += 1;
        if time != NO_TIME {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
            if let Some(bucket) = buckets.of(time) {
                if self.buckets.is_empty() {
                    self.buckets = vec![0; buckets.count];
                }
                self.buckets[bucket] += 1;
            }
        }
        let is_early =
            self.examples.len() < examples || self.examples.last().is_some_and(|last| time <= last.0);
        if is_early && examples > 0 {
            let place = (time, columns.source[row], columns.offset[row]);
            let at = self.examples.partition_point(|known| *known < place);
            self.examples.insert(at, place);
            self.examples.truncate(examples);
        }
    }
}
