//! Exact order statistics for many groups without sorting (a radix selection). Keys are counted by their
//! upper bits; only keys that share them with a wanted rank are counted again or, if they are few, collected.

use crate::percentile::Percent;
use base::limits::{PERCENTILE_CANDIDATES, PERCENTILE_COUNTERS};

/// The smallest and the largest number of upper-bit values that one pass distinguishes.
const FEWEST_BUCKETS: usize = 4;
const MOST_BUCKETS: usize = 1 << 16;

const NOWHERE: u32 = u32::MAX;

/// The wanted ranks, and the current state of the selection.
#[derive(Debug)]
pub struct Ranks {
    wanted: RankTargets,
    cells: usize,
    steps: Vec<RadixLevel>,
    last: Last,
    wants: Vec<Want>,
    /// For each cell and share.
    found: Vec<Option<RankedPair>>,
}

/// The two numbers on both sides of a rank.
#[derive(Clone, Copy, Debug, Default)]
struct RankedPair {
    low: u64,
    high: u64,
    /// The weight of the second, for interpolation.
    way: f64,
    /// The count of smaller numbers.
    below: u64,
}

#[derive(Debug)]
enum RankTargets {
    /// Percentages, the same for each cell.
    Shares(Vec<Percent>),
    /// Ranks of the only cell.
    Ranks(Vec<u64>),
}

impl RankTargets {
    fn len(&self) -> usize {
        match self {
            RankTargets::Shares(shares) => shares.len(),
            RankTargets::Ranks(ranks) => ranks.len(),
        }
    }

    /// The two ranks on both sides of a percentile among `count` numbers, and the weight of the second.
    fn between(&self, share: usize, count: u64) -> (u64, u64, f64) {
        match self {
            RankTargets::Shares(shares) => {
                let (rank, way) = shares[share].place(count);
                (rank, rank + u64::from(way > 0.0), way)
            }
            RankTargets::Ranks(ranks) => {
                let rank = ranks[share].min(count - 1);
                (rank, rank, 0.0)
            }
        }
    }
}

/// Tests whether a later pass needs a number. Nearly all numbers are rejected by the first level.
#[derive(Clone, Copy, Debug)]
pub struct Sieve<'r> {
    shift: u32,
    buckets: usize,
    has_next: &'r [u64],
}

impl Sieve<'_> {
    #[inline]
    pub fn lets_through(&self, cell: u32, key: u64) -> bool {
        let at = cell as usize * self.buckets + (key >> self.shift) as usize;
        self.has_next[at / 64] >> (at % 64) & 1 == 1
    }
}

/// One radix level: `shift` selects the upper bits of a key; `groups` maps each group and each value of these
/// bits to the group of the remaining bits in the next level.
#[derive(Debug)]
struct RadixLevel {
    shift: u32,
    buckets: usize,
    groups: Vec<u32>,
    /// One bit for each of `groups`, set if it has a next level. Nearly all keys have none, and the bit set
    /// fits the nearest cache.
    has_next: Vec<u64>,
}

impl RadixLevel {
    fn new(shift: u32, buckets: usize, groups: Vec<u32>) -> RadixLevel {
        let word = |groups: &[u32]| {
            let bits = groups.iter().enumerate();
            bits.fold(0, |word, (bit, &group)| word | u64::from(group != NOWHERE) << bit)
        };
        let has_next = groups.chunks(64).map(word).collect();
        RadixLevel { shift, buckets, groups, has_next }
    }

    /// The index in `groups` for a key of a group.
    #[inline]
    fn at(&self, group: usize, key: u64) -> usize {
        group * self.buckets + (key >> self.shift) as usize
    }
}

#[derive(Debug)]
enum Last {
    Count { shift: u32, buckets: usize, groups: usize },
    Gather { groups: usize },
    Done,
}

/// One wanted number: the one at a rank of a group whose keys share these upper bits.
#[derive(Clone, Copy, Debug)]
struct Want {
    cell: usize,
    share: usize,
    upper: bool,
    group: usize,
    rank: u64,
    /// The count of numbers less than the whole group.
    below: u64,
    above: u64,
}

/// The result of a pass over some rows.
#[derive(Clone, Debug)]
pub enum Narrowed {
    Counts(Vec<u32>),
    Gathered(Vec<Vec<u64>>),
}

impl Ranks {
    /// `percents` are 0 to 100 of the numbers of each cell; no key is larger than `largest`.
    #[must_use]
    pub fn new(percents: &[f64], cells: usize, largest: u64) -> Ranks {
        let shares = percents.iter().map(|&percent| Percent::new(percent)).collect();
        Ranks::wanting(RankTargets::Shares(shares), cells, largest)
    }

    /// The numbers at these zero-based ranks of one cell.
    #[must_use]
    pub fn at(ranks: &[u64], largest: u64) -> Ranks {
        Ranks::wanting(RankTargets::Ranks(ranks.to_vec()), 1, largest)
    }

    fn wanting(wanted: RankTargets, cells: usize, largest: u64) -> Ranks {
        Ranks {
            found: vec![None; cells * wanted.len()],
            wanted,
            cells,
            steps: Vec::new(),
            last: counting(64 - largest.leading_zeros(), cells),
            wants: Vec::new(),
        }
    }

    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.last, Last::Done)
    }

    /// An empty result of a pass over rows of this many cells. Later passes number the cells by groups.
    #[must_use]
    pub fn begin(&self, cells: usize) -> Narrowed {
        match &self.last {
            Last::Count { buckets, groups, .. } => {
                let groups = if self.steps.is_empty() { cells } else { *groups };
                Narrowed::Counts(vec![0; groups * buckets])
            }
            Last::Gather { groups } => Narrowed::Gathered(vec![Vec::new(); *groups]),
            Last::Done => Narrowed::Gathered(Vec::new()),
        }
    }

    /// The sieve that rejects most numbers before a later pass.
    #[must_use]
    pub fn sieve(&self) -> Sieve<'_> {
        match self.steps.first() {
            Some(step) => Sieve { shift: step.shift, buckets: step.buckets, has_next: &step.has_next },
            None => Sieve { shift: 63, buckets: 0, has_next: &[u64::MAX] },
        }
    }

    /// Adds one number of a cell to the result of a pass. `first` is the first cell of the pass.
    #[inline(never)]
    pub fn put(&self, narrowed: &mut Narrowed, first: u32, cell: u32, key: u64) {
        let Some((group, key)) = self.follow(first + cell, key) else { return };
        match (narrowed, &self.last) {
            (Narrowed::Counts(counts), Last::Count { shift, buckets, .. }) => {
                let group = if self.steps.is_empty() { cell as usize } else { group };
                counts[group * buckets + (key >> shift) as usize] += 1;
            }
            (Narrowed::Gathered(gathered), _) => gathered[group].push(key),
            _ => {}
        }
    }

    /// The same for many numbers of the first pass, which covers all rows.
    #[must_use]
    pub fn first_pass(&self) -> Option<(u32, usize)> {
        match self.last {
            Last::Count { shift, buckets, .. } if self.steps.is_empty() => Some((shift, buckets)),
            _ => None,
        }
    }

    fn follow(&self, cell: u32, mut key: u64) -> Option<(usize, u64)> {
        let mut group = cell as usize;
        for step in &self.steps {
            let next = step.groups[step.at(group, key)];
            if next == NOWHERE {
                return None;
            }
            group = next as usize;
            key &= (1 << step.shift) - 1;
        }
        Some((group, key))
    }

    /// The smallest and the largest key that the next pass needs.
    #[must_use]
    pub fn span(&self) -> (u64, u64) {
        let Some(step) = self.steps.last() else { return (0, u64::MAX) };
        let uppers = self.wants.iter().map(|want| want.above);
        let (least, most) =
            uppers.fold((u64::MAX, 0), |(least, most), upper| (least.min(upper), most.max(upper)));
        (least, most | ((1 << step.shift) - 1))
    }

    /// An empty sum of pass results.
    #[must_use]
    pub fn total(&self) -> Narrowed {
        self.begin(self.cells)
    }

    /// Adds the result of a pass whose first cell is `first`.
    pub fn absorb(&self, total: &mut Narrowed, first: u32, other: &Narrowed) {
        match (total, other) {
            (Narrowed::Counts(total), Narrowed::Counts(other)) => {
                let skip = match self.first_pass() {
                    Some((_, buckets)) => first as usize * buckets,
                    None => 0,
                };
                total[skip..].iter_mut().zip(other).for_each(|(total, count)| *total += count);
            }
            (Narrowed::Gathered(total), Narrowed::Gathered(other)) => {
                total.iter_mut().zip(other).for_each(|(total, other)| total.extend(other));
            }
            _ => {}
        }
    }

    /// Takes the sum of a pass and plans the next one, if one is needed.
    pub fn narrow(&mut self, total: Narrowed) {
        match (total, std::mem::replace(&mut self.last, Last::Done)) {
            (Narrowed::Counts(counts), Last::Count { shift, buckets, .. }) => {
                if self.steps.is_empty() {
                    self.want(&counts, buckets);
                }
                self.narrow_by_counts(&counts, shift, buckets);
            }
            (Narrowed::Gathered(gathered), _) => self.pick(gathered),
            _ => {}
        }
    }

    /// Selects the wanted keys of each group in ascending order of rank: after a selection, keys of smaller
    /// ranks precede it.
    fn pick(&mut self, mut gathered: Vec<Vec<u64>>) {
        let mut wants = std::mem::take(&mut self.wants);
        wants.sort_unstable_by_key(|want| (want.group, want.rank));
        let (mut group, mut found) = (usize::MAX, 0);
        for want in wants {
            if want.group != group {
                (group, found) = (want.group, 0);
            }
            let (keys, rank) = (&mut gathered[group], want.rank as usize);
            if (found..keys.len()).contains(&rank) {
                keys[found..].select_nth_unstable(rank - found);
                found = rank + 1;
            }
            if let Some(&key) = keys.get(rank) {
                let less = keys[..rank].iter().filter(|&&other| other < key).count() as u64;
                self.settle(want, want.above | key, want.below + less);
            }
        }
    }

    /// The ranks on both sides of the percentiles of each cell.
    fn want(&mut self, counts: &[u32], buckets: usize) {
        let cells = counts.chunks(buckets);
        let numbers = cells.map(|cell| cell.iter().map(|&count| u64::from(count)).sum::<u64>());
        for (cell, count) in numbers.enumerate().filter(|(_, count)| *count > 0) {
            for share in 0..self.wanted.len() {
                let (low, high, way) = self.wanted.between(share, count);
                let want = Want { cell, share, upper: false, group: cell, rank: low, below: 0, above: 0 };
                self.wants.push(want);
                self.wants.push(Want { upper: true, rank: high, ..want });
                self.found[cell * self.wanted.len() + share] =
                    Some(RankedPair { way, ..RankedPair::default() });
            }
        }
    }

    fn narrow_by_counts(&mut self, counts: &[u32], shift: u32, buckets: usize) {
        let mut groups = vec![NOWHERE; counts.len()];
        let (mut next, mut candidates) = (0, 0);
        let mut wants = std::mem::take(&mut self.wants);
        let mut rest = Vec::new();
        // The ranks of a group ascend only within a share, so each search starts at the beginning.
        wants.sort_unstable_by_key(|want| (want.group, want.rank));
        let (mut group, mut bucket, mut before) = (usize::MAX, 0, 0);
        for mut want in wants {
            if want.group != group {
                (group, bucket, before) = (want.group, 0, 0);
            }
            let counts = &counts[group * buckets..][..buckets];
            while bucket + 1 < buckets && before + u64::from(counts[bucket]) <= want.rank {
                before += u64::from(counts[bucket]);
                bucket += 1;
            }
            want.above |= (bucket as u64) << shift;
            want.rank -= before;
            want.below += before;
            if shift == 0 {
                self.settle(want, want.above, want.below);
                continue;
            }
            let slot = &mut groups[group * buckets + bucket];
            if *slot == NOWHERE {
                *slot = next;
                next += 1;
                candidates += u64::from(counts[bucket]);
            }
            want.group = *slot as usize;
            rest.push(want);
        }
        self.wants = rest;
        if self.wants.is_empty() {
            return;
        }
        self.steps.push(RadixLevel::new(shift, buckets, groups));
        let groups = next as usize;
        self.last = if candidates <= PERCENTILE_CANDIDATES {
            Last::Gather { groups }
        } else {
            counting(shift, groups)
        };
    }

    fn settle(&mut self, want: Want, key: u64, below: u64) {
        if let Some(Some(found)) = self.found.get_mut(want.cell * self.wanted.len() + want.share) {
            if want.upper {
                found.high = key;
            } else {
                (found.low, found.below) = (key, below);
            }
        }
    }

    /// The two keys on both sides of a percentile of a cell, and the weight of the second; `None` if the cell
    /// has no numbers.
    #[must_use]
    pub fn between(&self, cell: usize, share: usize) -> Option<(u64, u64, f64)> {
        self.found(cell, share).map(|found| (found.low, found.high, found.way))
    }

    /// The key at a wanted rank of the only cell, and the count of smaller keys.
    #[must_use]
    pub fn found_at(&self, wanted: usize) -> Option<(u64, u64)> {
        self.found(0, wanted).map(|found| (found.low, found.below))
    }

    fn found(&self, cell: usize, share: usize) -> Option<RankedPair> {
        self.found.get(cell * self.wanted.len() + share).copied().flatten()
    }
}

impl Narrowed {
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Narrowed::Counts(counts) => counts.len() * size_of::<u32>(),
            Narrowed::Gathered(gathered) => gathered.iter().map(|keys| keys.len() * size_of::<u64>()).sum(),
        }
    }
}

/// A pass that distinguishes keys by this many bits, for this many groups.
fn counting(bits: u32, groups: usize) -> Last {
    let buckets = (PERCENTILE_COUNTERS / groups.max(1)).clamp(FEWEST_BUCKETS, MOST_BUCKETS).ilog2();
    let shift = bits.saturating_sub(buckets);
    Last::Count { shift, buckets: 1 << (bits - shift), groups }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_equal_those_of_sorted_numbers(
            cells in prop::collection::vec(
                prop::collection::vec(prop_oneof![any::<u64>(), 0..9_u64, (1_u64 << 40)..(1 << 40) + 50], 0..40), 1..5
            ),
            percent in 0..=100_u32,
        ) {
            let largest = cells.iter().flatten().copied().max().unwrap_or(0);
            let mut ranks = Ranks::new(&[f64::from(percent), 50.0], cells.len(), largest);
            while !ranks.is_done() {
                let mut total = ranks.total();
                for (cell, keys) in cells.iter().enumerate() {
                    let mut pass = ranks.begin(1);
                    for &key in keys {
                        ranks.put(&mut pass, cell as u32, 0, key);
                    }
                    ranks.absorb(&mut total, cell as u32, &pass);
                }
                ranks.narrow(total);
            }
            for (cell, keys) in cells.iter().enumerate() {
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                for (share, percent) in [percent, 50].into_iter().enumerate() {
                    let expected = (!sorted.is_empty()).then(|| {
                        let rank = percent as usize * (sorted.len() - 1);
                        (sorted[rank / 100], sorted[rank.div_ceil(100)], (rank % 100) as f64 / 100.0)
                    });
                    prop_assert_eq!(ranks.between(cell, share), expected);
                }
            }
        }
    }
}
