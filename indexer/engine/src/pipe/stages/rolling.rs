//! Calculations over the rows of the last so long, for each row: what comes into the window is added, what leaves
//! it is taken out, so that a row costs the same however long the window is.
//!
//! Percentiles keep how often each value is in the window, and where among them the asked one lies. From one row to
//! the next it moves by a few values at most.

use std::collections::HashMap;

use ingest::NO_INT;

use crate::percentile::Percent;
use base::hash::Fast;

/// Values by keys that are in the same order as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Whole,
    Time,
    /// Decimal numbers in units of one part in so many; sums of them are exact.
    Decimal(i64),
    Float,
}

/// The key of a missing value.
pub const NO_KEY: i64 = i64::MIN;

impl Coding {
    pub fn of_float(value: f64) -> i64 {
        if value.is_nan() {
            return NO_KEY;
        }
        // Zeros are one value; of negative numbers all but the sign is turned round.
        let bits = (value + 0.0).to_bits().cast_signed();
        bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
    }

    pub fn float(self, key: i64) -> f64 {
        match self {
            Coding::Whole | Coding::Time => key as f64,
            Coding::Decimal(unit) => key as f64 / unit as f64,
            Coding::Float => {
                let bits = key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed();
                f64::from_bits(bits.cast_unsigned())
            }
        }
    }

    /// What is so many parts of the way from one value to another.
    fn between(self, from: i64, to: i64, parts: u64, of: u64) -> f64 {
        let unit = match self {
            Coding::Whole | Coding::Time => 1,
            Coding::Decimal(unit) => unit,
            Coding::Float => {
                let (from, to) = (self.float(from), self.float(to));
                return from + (to - from) * (parts as f64 / of as f64);
            }
        };
        let way = i128::from(to) - i128::from(from);
        let sum = i128::from(from) * i128::from(of) + way * i128::from(parts);
        sum as f64 / (of as f64 * unit as f64)
    }
}

/// Which calculation.
#[derive(Clone, Copy, Debug)]
pub enum Calculation {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Percentile(Percent),
}

/// What came out of it; [`NO_INT`] and NaN where no value was in the window.
#[derive(Debug, PartialEq)]
pub enum Results {
    /// Keys of values or whole numbers.
    Whole(Vec<i64>),
    Floats(Vec<f64>),
}

/// Rows in the order of their times.
#[derive(Clone, Copy)]
pub struct Series<'a> {
    pub times: &'a [i64],
    pub keys: &'a [i64],
    pub coding: Coding,
    /// A window begins after the time this long before that of its row.
    pub length: i64,
}

/// The first row from here on that does not have the time of the one before it.
pub fn boundary(times: &[i64], from: usize) -> usize {
    let mut at = from;
    while at > 0 && at < times.len() && times[at] == times[at - 1] {
        at += 1;
    }
    at
}

impl Series<'_> {
    /// The calculation for some of the rows, which begin and end at a [`boundary`].
    pub fn calculate(&self, rows: std::ops::Range<usize>, what: Calculation) -> Results {
        let coding = self.coding;
        let is_whole = matches!(coding, Coding::Whole | Coding::Time);
        match what {
            Calculation::Count => {
                let mut sums = RollingSums::new(coding);
                Results::Whole(self.each(rows, &mut sums, |sums| sums.count))
            }
            Calculation::Sum if is_whole => {
                let mut sums = RollingSums::new(coding);
                let sum = |sums: &mut RollingSums| if sums.count == 0 { NO_INT } else { sums.whole };
                Results::Whole(self.each(rows, &mut sums, sum))
            }
            Calculation::Sum => {
                let mut sums = RollingSums::new(coding);
                Results::Floats(self.each(rows, &mut sums, |sums| sums.sum()))
            }
            Calculation::Avg => {
                let mut sums = RollingSums::new(coding);
                Results::Floats(self.each(rows, &mut sums, |sums| sums.sum() / sums.count as f64))
            }
            Calculation::Min | Calculation::Max => {
                let is_max = matches!(what, Calculation::Max);
                let mut values = self.ordered(&rows);
                let key = |values: &mut Ordered| match values.count {
                    0 => None,
                    count => Some(values.at(if is_max { count - 1 } else { 0 })),
                };
                if is_whole {
                    let key = |values: &mut Ordered| key(values).unwrap_or(NO_INT);
                    return Results::Whole(self.each(rows, &mut values, key));
                }
                let float = |values: &mut Ordered| key(values).map_or(f64::NAN, |key| coding.float(key));
                Results::Floats(self.each(rows, &mut values, float))
            }
            Calculation::Percentile(percent) => {
                let mut values = self.ordered(&rows);
                let mut places = RankPlaces { percent, known: Vec::new() };
                let value = |values: &mut Ordered| {
                    if values.count == 0 {
                        return f64::NAN;
                    }
                    let (place, parts) = places.of_count(values.count);
                    let from = values.at(place);
                    let to = if parts == 0 { from } else { values.next_after(place) };
                    if from == to {
                        return coding.float(from);
                    }
                    coding.between(from, to, parts, percent.parts_of_way())
                };
                Results::Floats(self.each(rows, &mut values, value))
            }
        }
    }

    fn first(&self, rows: &std::ops::Range<usize>) -> usize {
        let Some(&time) = self.times.get(rows.start) else { return rows.start };
        let before = time.saturating_sub(self.length);
        self.times[..rows.start].partition_point(|&time| time <= before)
    }

    fn ordered(&self, rows: &std::ops::Range<usize>) -> Ordered {
        let first = self.first(rows);
        Ordered::new(first, &self.keys[first..rows.end])
    }

    /// Moves the window over the rows.
    fn each<W: RollingWindow, T: Copy>(
        &self,
        rows: std::ops::Range<usize>,
        window: &mut W,
        mut value: impl FnMut(&mut W) -> T,
    ) -> Vec<T> {
        let mut results = Vec::with_capacity(rows.len());
        let mut first = self.first(&rows);
        for row in first..rows.start {
            window.add(row, self.keys[row]);
        }
        let mut row = rows.start;
        while row < rows.end {
            let time = self.times[row];
            // Rows of one time are in each other's windows.
            while row < rows.end && self.times[row] == time {
                window.add(row, self.keys[row]);
                row += 1;
            }
            let before = time.saturating_sub(self.length);
            while self.times[first] <= before {
                window.remove(first, self.keys[first]);
                first += 1;
            }
            let found = value(window);
            results.resize(row - rows.start, found);
        }
        results
    }
}

trait RollingWindow {
    fn add(&mut self, row: usize, key: i64);
    fn remove(&mut self, row: usize, key: i64);
}

/// How many values, and their sum. Floats are summed with what rounding took, so that what was taken out leaves
/// no trace that would be seen.
struct RollingSums {
    coding: Coding,
    count: i64,
    whole: i64,
    float: f64,
    lost: f64,
}

impl RollingSums {
    fn new(coding: Coding) -> RollingSums {
        RollingSums { coding, count: 0, whole: 0, float: 0.0, lost: 0.0 }
    }

    fn sum(&self) -> f64 {
        match (self.count, self.coding) {
            (0, _) => f64::NAN,
            (_, Coding::Float) => self.float + self.lost,
            (_, coding) => coding.float(self.whole),
        }
    }

    fn put(&mut self, value: f64) {
        let sum = self.float + value;
        self.lost += if self.float.abs() >= value.abs() {
            (self.float - sum) + value
        } else {
            (value - sum) + self.float
        };
        self.float = sum;
    }
}

impl RollingWindow for RollingSums {
    fn add(&mut self, _: usize, key: i64) {
        if key == NO_KEY {
            return;
        }
        self.count += 1;
        match self.coding {
            Coding::Float => self.put(self.coding.float(key)),
            _ => self.whole = self.whole.wrapping_add(key),
        }
    }

    fn remove(&mut self, _: usize, key: i64) {
        if key == NO_KEY {
            return;
        }
        self.count -= 1;
        match (self.coding, self.count) {
            (Coding::Float, 0) => (self.float, self.lost) = (0.0, 0.0),
            (Coding::Float, _) => self.put(-self.coding.float(key)),
            _ => self.whole = self.whole.wrapping_sub(key),
        }
    }
}

/// Where a percentile lies among so many values; windows have the same few sizes again and again.
struct RankPlaces {
    percent: Percent,
    known: Vec<Option<(u64, u64)>>,
}

/// Sizes of windows up to this are looked up: 1.5 MB.
const KNOWN_PLACES: usize = 1 << 16;

impl RankPlaces {
    fn of_count(&mut self, count: u64) -> (u64, u64) {
        let size = count as usize;
        if size >= KNOWN_PLACES {
            return self.percent.parts(count);
        }
        if size >= self.known.len() {
            self.known.resize((size + 1).next_power_of_two(), None);
        }
        *self.known[size].get_or_insert_with(|| self.percent.parts(count))
    }
}

/// No value.
const NO_RANK: u32 = u32::MAX;

/// Values within this of the least one are ranked by how far they are from it.
const NEAR: i64 = 1 << 22;

/// The values of a window in their order.
struct Ordered {
    /// The first row that has a rank here.
    first: usize,
    /// The rank of each row's value.
    ranks: Vec<u32>,
    distinct: Distinct,
    /// How often each value is in the window, and a bit for each that is.
    counts: Vec<u32>,
    there: Vec<u64>,
    count: u64,
    /// A value of the window, or one that was, and how many of the window are before it.
    at: usize,
    before: u64,
}

enum Distinct {
    From(i64),
    Sorted(Vec<i64>),
}

impl Ordered {
    fn new(first: usize, keys: &[i64]) -> Ordered {
        let (ranks, distinct, size) = ranked(keys);
        let words = size.div_ceil(64).max(1);
        Ordered {
            first,
            ranks,
            distinct,
            counts: vec![0; words * 64],
            there: vec![0; words],
            count: 0,
            at: 0,
            before: 0,
        }
    }

    fn key(&self, rank: usize) -> i64 {
        match &self.distinct {
            Distinct::From(least) => least + rank as i64,
            Distinct::Sorted(keys) => keys[rank],
        }
    }

    /// The value with so many before it; there are more.
    fn at(&mut self, place: u64) -> i64 {
        while place < self.before {
            self.at = self.previous(self.at);
            self.before -= u64::from(self.counts[self.at]);
        }
        while place >= self.before + u64::from(self.counts[self.at]) {
            self.before += u64::from(self.counts[self.at]);
            self.at = self.next(self.at);
        }
        self.key(self.at)
    }

    /// The value after the one of a place that [`Ordered::at`] returned last; there is one.
    fn next_after(&self, place: u64) -> i64 {
        let is_last = place + 1 >= self.before + u64::from(self.counts[self.at]);
        self.key(if is_last { self.next(self.at) } else { self.at })
    }

    /// The nearest value of the window above a rank.
    fn next(&self, rank: usize) -> usize {
        let from = rank + 1;
        let mut word = from / 64;
        let mut bits = self.there.get(word).map_or(0, |bits| bits & (u64::MAX << (from % 64)));
        while bits == 0 && word + 1 < self.there.len() {
            word += 1;
            bits = self.there[word];
        }
        word * 64 + bits.trailing_zeros() as usize
    }

    /// The nearest value of the window below a rank.
    fn previous(&self, rank: usize) -> usize {
        let mut word = rank / 64;
        let mut bits = self.there[word] & !(u64::MAX << (rank % 64));
        while bits == 0 && word > 0 {
            word -= 1;
            bits = self.there[word];
        }
        word * 64 + 63 - bits.leading_zeros() as usize
    }
}

impl RollingWindow for Ordered {
    fn add(&mut self, row: usize, _: i64) {
        let rank = self.ranks[row - self.first];
        if rank == NO_RANK {
            return;
        }
        let rank = rank as usize;
        self.counts[rank] += 1;
        self.there[rank / 64] |= 1 << (rank % 64);
        self.count += 1;
        self.before += u64::from(rank < self.at);
    }

    fn remove(&mut self, row: usize, _: i64) {
        let rank = self.ranks[row - self.first];
        if rank == NO_RANK {
            return;
        }
        let rank = rank as usize;
        self.counts[rank] -= 1;
        if self.counts[rank] == 0 {
            self.there[rank / 64] &= !(1 << (rank % 64));
        }
        self.count -= 1;
        self.before -= u64::from(rank < self.at);
    }
}

/// Ranks in the order of the keys, the value of each, and how many there can be.
fn ranked(keys: &[i64]) -> (Vec<u32>, Distinct, usize) {
    let there = || keys.iter().copied().filter(|&key| key != NO_KEY);
    let (Some(least), Some(greatest)) = (there().min(), there().max()) else {
        return (vec![NO_RANK; keys.len()], Distinct::From(0), 0);
    };
    if let Some(range) = greatest.checked_sub(least).filter(|&range| range < NEAR) {
        let rank = |&key: &i64| if key == NO_KEY { NO_RANK } else { (key - least) as u32 };
        return (keys.iter().map(rank).collect(), Distinct::From(least), range as usize + 1);
    }
    let mut known: HashMap<i64, u32, Fast> = HashMap::default();
    let mut distinct: Vec<i64> = Vec::new();
    let mut numbers: Vec<u32> = Vec::with_capacity(keys.len());
    for &key in keys {
        numbers.push(if key == NO_KEY {
            NO_RANK
        } else {
            *known.entry(key).or_insert_with(|| {
                distinct.push(key);
                distinct.len() as u32 - 1
            })
        });
    }
    let mut in_order: Vec<u32> = (0..distinct.len() as u32).collect();
    in_order.sort_unstable_by_key(|&number| distinct[number as usize]);
    let mut rank_of = vec![0; distinct.len()];
    in_order.iter().enumerate().for_each(|(rank, &number)| rank_of[number as usize] = rank as u32);
    for number in numbers.iter_mut().filter(|number| **number != NO_RANK) {
        *number = rank_of[*number as usize];
    }
    distinct.sort_unstable();
    let size = distinct.len();
    (numbers, Distinct::Sorted(distinct), size)
}
