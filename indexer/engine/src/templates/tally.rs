//! Counts the events of each template.

use ingest::{Level, NO_TIME};

use crate::aggregate::timeline::width_for;
use crate::exec::EventKey;

/// Buckets of equal width over a time range.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    pub start: i64,
    pub width_ns: i64,
    pub count: usize,
}

impl Buckets {
    /// Over these times, both inclusive; no buckets if nothing has a time.
    pub fn over(range: Option<(i64, i64)>, most: usize) -> Buckets {
        let Some((first, last)) = range else { return Buckets { start: 0, width_ns: 1, count: 0 } };
        let width_ns = width_for(first, last, most);
        let start = first.div_euclid(width_ns).saturating_mul(width_ns);
        let count = ((i128::from(last) - i128::from(start)) / i128::from(width_ns) + 1) as usize;
        Buckets { start, width_ns, count }
    }

    /// Finds the bucket of a time, fast if times are mostly ascending.
    pub fn lookup(self) -> BucketLookup {
        BucketLookup { buckets: self, within: (1, 0), bucket: None }
    }
}

/// The bucket of the last lookup, and its time range.
pub struct BucketLookup {
    buckets: Buckets,
    within: (i64, i64),
    bucket: Option<usize>,
}

impl BucketLookup {
    /// The bucket of a time; `None` if it is in none.
    #[inline]
    pub fn index(&mut self, time: i64) -> Option<usize> {
        if time == NO_TIME {
            return None;
        }
        if self.within.0 <= time && time <= self.within.1 {
            return self.bucket;
        }
        let Buckets { start, width_ns, count } = self.buckets;
        let place = (i128::from(time) - i128::from(start)).div_euclid(i128::from(width_ns));
        let first = i128::from(start) + place * i128::from(width_ns);
        let limited = |time: i128| time.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        self.within = (limited(first), limited(first + i128::from(width_ns) - 1));
        self.bucket = usize::try_from(place).ok().filter(|&bucket| bucket < count);
        self.bucket
    }
}

/// The accumulator of one template.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub count: u64,
    /// Events outside of the time range.
    pub elsewhere: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
    pub levels: [u64; 8],
    pub buckets: Vec<u32>,
    /// The first events in the order of a case.
    pub examples: Vec<EventKey>,
}

impl Tally {
    /// Adds an event. There are `buckets` buckets.
    #[inline]
    pub fn add(&mut self, time: i64, level: Level, bucket: Option<usize>, buckets: usize) {
        self.count += 1;
        self.levels[level as usize % Level::ALL.len()] += 1;
        if time != NO_TIME {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
        if let Some(bucket) = bucket {
            if self.buckets.is_empty() {
                self.buckets = vec![0; buckets];
            }
            self.buckets[bucket] += 1;
        }
    }

    /// Keeps the event as an example if it is among the first.
    #[inline]
    pub fn example(&mut self, time: i64, place: impl FnOnce() -> EventKey, examples: usize) {
        let is_early =
            self.examples.len() < examples || self.examples.last().is_some_and(|last| time <= last.0);
        if is_early && examples > 0 {
            let place = place();
            let at = self.examples.partition_point(|known| *known < place);
            self.examples.insert(at, place);
            self.examples.truncate(examples);
        }
    }

    /// Merges another accumulator.
    pub fn absorb(&mut self, other: Tally, examples: usize) {
        self.count += other.count;
        self.elsewhere += other.elsewhere;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.into_iter().chain(other.last).max();
        self.levels.iter_mut().zip(other.levels).for_each(|(count, other)| *count += other);
        if self.buckets.is_empty() {
            self.buckets = other.buckets;
        } else {
            self.buckets.iter_mut().zip(other.buckets).for_each(|(count, other)| *count += other);
        }
        for place in other.examples {
            self.example(place.0, || place, examples);
        }
    }
}
