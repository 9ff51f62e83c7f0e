//! A set of rows of one segment, as bits.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    words: Vec<u64>,
    rows: usize,
}

impl Rows {
    pub fn none(rows: usize) -> Rows {
        Rows { words: vec![0; rows.div_ceil(64)], rows }
    }

    pub fn all(rows: usize) -> Rows {
        let mut all = Rows { words: vec![u64::MAX; rows.div_ceil(64)], rows };
        all.trim();
        all
    }

    pub fn from_sorted(rows: usize, numbers: &[u32]) -> Rows {
        let mut set = Rows::none(rows);
        for &row in numbers {
            set.insert(row);
        }
        set
    }

    pub fn from_test(rows: usize, mut test: impl FnMut(usize) -> bool) -> Rows {
        let mut set = Rows::none(rows);
        for (index, word) in set.words.iter_mut().enumerate() {
            let first = index * 64;
            for bit in 0..64.min(rows - first) {
                *word |= u64::from(test(first + bit)) << bit;
            }
        }
        set
    }

    pub fn range(rows: usize, start: usize, end: usize) -> Rows {
        let mut set = Rows::none(rows);
        let end = end.min(rows);
        for index in start / 64..end.div_ceil(64) {
            let first = index * 64;
            let upto = |bits: usize| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            set.words[index] = upto(end - first) & !upto(start.saturating_sub(first));
        }
        set
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.rows.is_multiple_of(64)
        {
            *last &= (1 << (self.rows % 64)) - 1;
        }
    }

    pub fn insert(&mut self, row: u32) {
        self.words[row as usize / 64] |= 1 << (row % 64);
    }

    pub fn and(mut self, other: &Rows) -> Rows {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self
    }

    pub fn or(mut self, other: &Rows) -> Rows {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
        self
    }

    pub fn without(mut self, other: &Rows) -> Rows {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_to_their_rows() {
        let odd = Rows::from_test(130, |row| row % 2 == 1);
        assert_eq!(Rows::all(130).without(&odd).iter().count(), 65);
        assert_eq!(odd.clone().or(&Rows::from_sorted(130, &[0, 128])).iter().last(), Some(129));
        assert!(odd.and(&Rows::from_sorted(130, &[0, 128])).is_empty());
        assert_eq!(Rows::all(64).iter().count(), 64);
        for (start, end) in [(0, 0), (0, 130), (5, 5), (63, 65), (64, 128), (100, 400), (129, 130), (70, 60)]
        {
            let expected = Rows::from_test(130, |row| (start..end).contains(&row));
            assert_eq!(Rows::range(130, start, end), expected, "{start}..{end}");
        }
    }
}
