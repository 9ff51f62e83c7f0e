//! Counts rows per cell or per code.

use super::block::{Block, BlockCells};
use crate::exec::SegmentRows;
use store::{Code, StoredColumn, with_codes};

/// With so few keys, several counters are kept per key: if most rows have the same key, each increment would
/// wait for the previous one.
const COPIED_KEYS: usize = 4_096;
const COPIES: usize = 4;

pub struct Counting {
    counts: Vec<u32>,
    keys: usize,
    copies: usize,
}

impl Counting {
    /// For keys below this number.
    #[must_use]
    pub fn new(keys: usize) -> Counting {
        let copies = if keys <= COPIED_KEYS { COPIES } else { 1 };
        Counting { counts: vec![0; keys * copies], keys, copies }
    }

    pub fn add_cells(&mut self, block: &Block<'_>) {
        match &block.cells {
            BlockCells::One(cell) => self.counts[*cell as usize] += block.len() as u32,
            BlockCells::Each(cells) => self.add_all(cells),
        }
    }

    /// Counts the codes of a column in a range of a segment's rows.
    pub fn add_codes(&mut self, column: &StoredColumn, part: &SegmentRows, rows: std::ops::Range<usize>) {
        with_codes!(&column.codes, codes => {
            if part.is_whole() {
                self.add_all(&codes[rows]);
            } else {
                part.for_each_in(rows, |row| self.counts[key(codes[row])] += 1);
            }
        });
    }

    fn add_all<C: Code>(&mut self, keys: &[C]) {
        let mut rest = keys;
        if self.copies == COPIES {
            let (fours, remainder) = keys.as_chunks::<COPIES>();
            let (one, others) = self.counts.split_at_mut(self.keys);
            let (two, others) = others.split_at_mut(self.keys);
            let (three, four) = others.split_at_mut(self.keys);
            for keys in fours {
                one[key(keys[0])] += 1;
                two[key(keys[1])] += 1;
                three[key(keys[2])] += 1;
                four[key(keys[3])] += 1;
            }
            rest = remainder;
        }
        for &each in rest {
            self.counts[key(each)] += 1;
        }
    }

    #[must_use]
    pub fn finish(mut self) -> Vec<u32> {
        let (all, copies) = self.counts.split_at_mut(self.keys);
        for copy in copies.chunks(self.keys.max(1)) {
            all.iter_mut().zip(copy).for_each(|(all, &count)| *all += count);
        }
        self.counts.truncate(self.keys);
        self.counts
    }
}

#[inline]
fn key(code: impl Code) -> usize {
    code.into() as usize
}

/// How often each code of a column occurs in the rows, starting with the missing value.
pub fn count_codes(column: &StoredColumn, part: &SegmentRows) -> Vec<u32> {
    let mut counting = Counting::new(column.largest as usize + 1);
    counting.add_codes(column, part, part.rows());
    counting.finish()
}
