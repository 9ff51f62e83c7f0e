//! A set of rows of one segment, as a bitmap.

use std::ops::Range;

use store::Code;

/// Words of a run of 1,024 rows.
const RUN_WORDS: usize = 16;

/// Below one row in this many, single lookups are faster than comparing all rows.
const LOOKED_UP: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    rows: usize,
}

impl Bitmap {
    #[must_use]
    pub fn none(rows: usize) -> Bitmap {
        Bitmap { words: vec![0; rows.div_ceil(64)], rows }
    }

    #[must_use]
    pub fn all(rows: usize) -> Bitmap {
        let mut all = Bitmap { words: vec![u64::MAX; rows.div_ceil(64)], rows };
        all.trim();
        all
    }

    #[must_use]
    pub fn from_sorted(rows: usize, numbers: &[u32]) -> Bitmap {
        let mut set = Bitmap::none(rows);
        for &row in numbers {
            set.insert(row);
        }
        set
    }

    pub fn from_test(rows: usize, mut test: impl FnMut(usize) -> bool) -> Bitmap {
        let mut set = Bitmap::none(rows);
        for (index, word) in set.words.iter_mut().enumerate() {
            let first = index * 64;
            for bit in 0..64.min(rows - first) {
                *word |= u64::from(test(first + bit)) << bit;
            }
        }
        set
    }

    /// The rows whose code passes. The test must be cheap: it runs for every row.
    pub fn from_codes<C: Code>(codes: &[C], test: impl Fn(C) -> bool) -> Bitmap {
        let (whole, rest) = codes.as_chunks::<64>();
        // Eight booleans become eight bits by one multiplication; the compiler does not find this for the
        // plain loop.
        let gather =
            |truths: &[u8; 8]| (u64::from_le_bytes(*truths).wrapping_mul(0x0102_0408_1020_4080) >> 56) & 0xff;
        let mut words = Vec::with_capacity(codes.len().div_ceil(64));
        words.extend(whole.iter().map(|codes| {
            let truths = codes.map(|code| u8::from(test(code)));
            let eights = truths.as_chunks::<8>().0.iter().enumerate();
            eights.fold(0, |word, (index, eight)| word | gather(eight) << (8 * index))
        }));
        if !rest.is_empty() {
            let bits = rest.iter().enumerate();
            words.push(bits.fold(0, |word, (bit, &code)| word | u64::from(test(code)) << bit));
        }
        Bitmap { words, rows: codes.len() }
    }

    /// The rows of this set whose code passes. The test must be cheap: it may run for every row of the
    /// segment.
    #[must_use]
    pub fn with_code<C: Code>(&self, codes: &[C], test: impl Fn(C) -> bool) -> Bitmap {
        if !self.are_few() {
            return Bitmap::from_codes(codes, test).and(self);
        }
        let mut rows = Bitmap::none(self.rows);
        self.for_each_in(0..self.rows, |row| {
            if test(codes[row]) {
                rows.insert(row as u32);
            }
        });
        rows
    }

    /// True if single lookups are faster than a pass over all rows.
    #[must_use]
    pub fn are_few(&self) -> bool {
        self.count() <= self.rows / LOOKED_UP
    }

    #[must_use]
    pub fn range(rows: usize, start: usize, end: usize) -> Bitmap {
        let mut set = Bitmap::none(rows);
        let end = end.min(rows);
        for index in start / 64..end.div_ceil(64) {
            let first = index * 64;
            let upto = |bits: usize| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            set.words[index] = upto(end - first) & !upto(start.saturating_sub(first));
        }
        set
    }

    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.rows.is_multiple_of(64)
        {
            *last &= (1 << (self.rows % 64)) - 1;
        }
    }

    /// The number of rows of the segment, in the set or not.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn insert(&mut self, row: u32) {
        self.words[row as usize / 64] |= 1 << (row % 64);
    }

    #[must_use]
    pub fn without_listed(mut self, rows: &[u32]) -> Bitmap {
        for &row in rows {
            self.words[row as usize / 64] &= !(1 << (row % 64));
        }
        self
    }

    #[must_use]
    pub fn has(&self, row: u32) -> bool {
        self.words[row as usize / 64] >> (row % 64) & 1 == 1
    }

    #[must_use]
    pub fn and(mut self, other: &Bitmap) -> Bitmap {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self
    }

    #[must_use]
    pub fn or(mut self, other: &Bitmap) -> Bitmap {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self
    }

    #[must_use]
    pub fn without(mut self, other: &Bitmap) -> Bitmap {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
        self
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The number of runs of 1,024 neighbouring rows that contain a row of the set.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.words.chunks(RUN_WORDS).filter(|words| words.iter().any(|&word| word != 0)).count()
    }

    /// The row ids. In a sparse set most words have few bits, in a number that no branch predictor guesses: a
    /// fixed number of bits is written for each word, and surplus entries are overwritten.
    #[must_use]
    pub fn list(&self) -> Vec<u32> {
        const TAKEN: u32 = 4;
        let mut list = vec![0; self.count() + TAKEN as usize];
        let mut filled = 0;
        for (first, &word) in (0..).step_by(64).zip(&self.words) {
            let (mut rest, count) = (word, word.count_ones());
            for place in 0..count.max(TAKEN) as usize {
                list[filled + place] = first + rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
            }
            filled += count as usize;
        }
        list.truncate(filled);
        list
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index as u32 * 64 + bit)
            })
        })
    }

    /// The words that cover a range of rows, with the bits of other rows cleared.
    fn words_in(&self, range: Range<usize>) -> impl Iterator<Item = (usize, u64)> + '_ {
        let words = range.start / 64..range.end.min(self.rows).div_ceil(64).max(range.start / 64);
        words.map(move |index| {
            let mut word = self.words[index];
            if index == range.start / 64 {
                word &= u64::MAX << (range.start % 64);
            }
            if index == range.end / 64 {
                word &= (1 << (range.end % 64)) - 1;
            }
            (index, word)
        })
    }

    /// Calls `each` with the rows of a range that are in the set.
    #[inline]
    pub fn for_each_in(&self, range: Range<usize>, mut each: impl FnMut(usize)) {
        for (index, mut word) in self.words_in(range) {
            if word == u64::MAX {
                (index * 64..index * 64 + 64).for_each(&mut each);
                continue;
            }
            while word != 0 {
                each(index * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }

    #[must_use]
    pub fn count_in(&self, range: Range<usize>) -> usize {
        self.words_in(range).map(|(_, word)| word.count_ones() as usize).sum()
    }
}

/// Words between two counts of a [`Ranked`] set. Selecting a row scans at most this many words.
const STEP: usize = 8;

/// A bitmap with rank and select: the row at any rank is found without a scan.
#[derive(Debug)]
pub struct Ranked {
    pub rows: Bitmap,
    /// The number of set rows before every [`STEP`]th word, and the total at the end.
    before: Vec<u32>,
}

impl Ranked {
    pub fn new(rows: Bitmap) -> Ranked {
        let mut count = 0;
        let mut before = vec![0];
        before.extend(rows.words.chunks(STEP).map(|words| {
            count += words.iter().map(|word| word.count_ones()).sum::<u32>();
            count
        }));
        Ranked { rows, before }
    }

    pub fn len(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// The number of rows of the set that precede a row.
    pub fn before(&self, row: usize) -> usize {
        let step = (row / 64 / STEP).min(self.before.len() - 1);
        self.before[step] as usize + self.rows.count_in(step * STEP * 64..row.max(step * STEP * 64))
    }

    /// The row at a rank of the set. The rank must be valid.
    pub fn row(&self, place: usize) -> usize {
        let step = self.before.partition_point(|&before| before as usize <= place) - 1;
        let mut rest = place as u32 - self.before[step];
        for (index, &word) in self.rows.words.iter().enumerate().skip(step * STEP) {
            if rest < word.count_ones() {
                let mut word = word;
                (0..rest).for_each(|_| word &= word - 1);
                return index * 64 + word.trailing_zeros() as usize;
            }
            rest -= word.count_ones();
        }
        self.rows.rows
    }

    pub fn bytes(&self) -> usize {
        self.rows.words.len() * 8 + self.before.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn set_operations_stay_within_the_rows() {
        let odd = Bitmap::from_test(130, |row| row % 2 == 1);
        assert_eq!(Bitmap::all(130).without(&odd).iter().count(), 65);
        assert_eq!(odd.clone().or(&Bitmap::from_sorted(130, &[0, 128])).iter().last(), Some(129));
        assert!(odd.and(&Bitmap::from_sorted(130, &[0, 128])).is_empty());
        assert_eq!(Bitmap::all(64).list(), (0..64).collect::<Vec<_>>());
        for (start, end) in [(0, 0), (0, 130), (5, 5), (63, 65), (64, 128), (100, 400), (129, 130), (70, 60)]
        {
            let expected = Bitmap::from_test(130, |row| (start..end).contains(&row));
            assert_eq!(Bitmap::range(130, start, end), expected, "{start}..{end}");
        }
    }

    proptest! {
        #[test]
        fn ranks_ranges_and_codes_agree_with_the_plain_list(
            codes in prop::collection::vec(prop_oneof![4 => Just(7_u8), 1 => any::<u8>()], 0..1_500),
            from in 0..1_600_usize,
            length in 0..1_600_usize,
        ) {
            let rows = Bitmap::from_codes(&codes, |code| code == 7);
            prop_assert_eq!(&rows, &Bitmap::from_test(codes.len(), |row| codes[row] == 7));
            let plain: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] == 7).collect();
            let range = from.min(codes.len())..(from + length).min(codes.len());
            let within: Vec<usize> = plain.iter().copied().filter(|row| range.contains(row)).collect();
            let mut found = Vec::new();
            rows.for_each_in(range.clone(), |row| found.push(row));
            prop_assert_eq!(&found, &within);
            prop_assert_eq!(rows.count_in(range), within.len());
            prop_assert_eq!(rows.list().into_iter().map(|row| row as usize).collect::<Vec<_>>(), plain.clone());
            let ranked = Ranked::new(rows);
            prop_assert_eq!(ranked.len(), plain.len());
            for (place, &row) in plain.iter().enumerate() {
                prop_assert_eq!((ranked.row(place), ranked.before(row)), (row, place));
            }
            prop_assert_eq!(ranked.before(codes.len()), plain.len());
        }
    }
}
