//! Events in each cell.

use super::block::{Block, Cells};

/// So few cells are counted in several copies: where most rows are alike, each would wait for the one before
/// it to be counted.
const COPIED_CELLS: usize = 4_096;
const COPIES: usize = 4;

pub struct Counting {
    counts: Vec<u32>,
    cells: usize,
    copies: usize,
}

impl Counting {
    pub fn new(cells: usize) -> Counting {
        let copies = if cells <= COPIED_CELLS { COPIES } else { 1 };
        Counting { counts: vec![0; cells * copies], cells, copies }
    }

    pub fn add(&mut self, block: &Block<'_>) {
        match &block.cells {
            Cells::One(cell) => self.counts[*cell as usize] += block.len() as u32,
            Cells::Each(cells) if self.copies == COPIES => {
                let (fours, rest) = cells.as_chunks::<COPIES>();
                let (one, others) = self.counts.split_at_mut(self.cells);
                let (two, others) = others.split_at_mut(self.cells);
                let (three, four) = others.split_at_mut(self.cells);
                for cells in fours {
                    one[cells[0] as usize] += 1;
                    two[cells[1] as usize] += 1;
                    three[cells[2] as usize] += 1;
                    four[cells[3] as usize] += 1;
                }
                for &cell in rest {
                    one[cell as usize] += 1;
                }
            }
            Cells::Each(cells) => cells.iter().for_each(|&cell| self.counts[cell as usize] += 1),
        }
    }

    pub fn finish(self) -> Vec<u64> {
        let mut all = vec![0; self.cells];
        for counts in self.counts.chunks(self.cells.max(1)) {
            all.iter_mut().zip(counts).for_each(|(all, &count)| *all += u64::from(count));
        }
        all
    }
}
