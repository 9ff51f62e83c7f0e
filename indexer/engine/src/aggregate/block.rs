//! Rows in batches, with the cell (the group key) of each row.

use std::ops::Range;
use std::sync::Arc;

use crate::exec::SegmentRows;
use store::{Code, StoredColumn, Times, with_codes};

/// Rows of a batch: few enough that the buffers next to them stay in the nearest cache.
const BLOCK_ROWS: usize = 4_096;

pub enum RowsOf<'b> {
    Range(Range<usize>),
    List(&'b [u32]),
}

pub enum BlockCells<'b> {
    /// All rows belong to this one.
    One(u32),
    Each(&'b [u32]),
}

pub struct Block<'b> {
    pub rows: RowsOf<'b>,
    pub cells: BlockCells<'b>,
}

impl Block<'_> {
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.rows {
            RowsOf::Range(range) => range.len(),
            RowsOf::List(rows) => rows.len(),
        }
    }

    /// Calls `each` with the cell and the code of every row.
    #[inline]
    pub fn for_codes<C: Code>(&self, codes: &[C], mut each: impl FnMut(u32, C)) {
        match (&self.rows, &self.cells) {
            (RowsOf::Range(range), BlockCells::One(cell)) => {
                codes[range.clone()].iter().for_each(|&code| each(*cell, code));
            }
            (RowsOf::Range(range), BlockCells::Each(cells)) => {
                codes[range.clone()].iter().zip(*cells).for_each(|(&code, &cell)| each(cell, code));
            }
            (RowsOf::List(rows), BlockCells::One(cell)) => {
                rows.iter().for_each(|&row| each(*cell, codes[row as usize]));
            }
            (RowsOf::List(rows), BlockCells::Each(cells)) => {
                rows.iter().zip(*cells).for_each(|(&row, &cell)| each(cell, codes[row as usize]));
            }
        }
    }

    /// Calls `each` with the cell of every row and the row.
    #[inline]
    pub fn for_rows(&self, mut each: impl FnMut(u32, usize)) {
        let cell = |index: usize| match &self.cells {
            BlockCells::One(cell) => *cell,
            BlockCells::Each(cells) => cells[index],
        };
        match &self.rows {
            RowsOf::Range(range) => range.clone().enumerate().for_each(|(index, row)| each(cell(index), row)),
            RowsOf::List(rows) => {
                rows.iter().enumerate().for_each(|(index, &row)| each(cell(index), row as usize));
            }
        }
    }
}

/// How one axis other than time maps the rows of a segment to group keys.
pub struct AxisKeys {
    pub lookup: Lookup,
    /// The distance in cells between neighbouring keys of the axis.
    pub stride: u32,
}

pub enum Lookup {
    /// Every row has the same key.
    All(u32),
    /// The key of each code of a column.
    Table(Arc<StoredColumn>, Vec<u32>),
    /// Keys by ranges of codes.
    Ranges(Arc<StoredColumn>, Ranges),
}

/// Maps a code to its range in a list of sorted edges.
pub struct Ranges {
    edges: Vec<u64>,
    /// For each value of a code's upper bits, the key of the smallest code with them.
    starts: Vec<u32>,
    shift: u32,
    /// The key of a row without a value.
    missing: u32,
}

impl Ranges {
    const STARTS: u64 = 1 << 12;

    /// Key `p` holds codes from `edges[p]` on; codes before the first edge have the key 0.
    pub fn new(edges: Vec<u64>, largest: u64, missing: u32) -> Ranges {
        let bits = 64 - largest.leading_zeros();
        let shift = bits.saturating_sub(Self::STARTS.ilog2());
        let place = |code: u64| (edges.partition_point(|&edge| edge <= code) as u32).saturating_sub(1);
        let starts = (0..=largest >> shift).map(|upper| place(upper << shift)).collect();
        Ranges { edges, starts, shift, missing }
    }

    #[inline]
    fn place(&self, code: u64) -> u32 {
        if code == 0 {
            return self.missing;
        }
        let mut place = self.starts[(code >> self.shift) as usize];
        while self.edges.get(place as usize + 1).is_some_and(|&edge| edge <= code) {
            place += 1;
        }
        place
    }
}

/// Calls `each` with the rows of a segment in batches. With a time axis a batch lies in one time bucket,
/// buckets are `bucket_stride` cells from each other, and rows outside all buckets are left out.
pub fn each_block(
    part: &SegmentRows,
    time: Option<(&Times, &[i64], u32)>,
    axes: &[AxisKeys],
    each: &mut dyn FnMut(&Block<'_>),
) {
    let mut blocks = Blocks { part, axes, rows: Vec::with_capacity(BLOCK_ROWS), cells: Vec::new(), each };
    match time {
        None => blocks.run(part.rows(), 0),
        Some((times, edges, stride)) => {
            times
                .for_each_bucket(part.rows(), edges, |bucket, rows| blocks.run(rows, bucket as u32 * stride));
        }
    }
}

/// The same for row ranges that the caller knows, in order, each with its first cell.
pub fn each_block_of(
    part: &SegmentRows,
    runs: &[(Range<usize>, u32)],
    axes: &[AxisKeys],
    each: &mut dyn FnMut(&Block<'_>),
) {
    let mut blocks = Blocks { part, axes, rows: Vec::with_capacity(BLOCK_ROWS), cells: Vec::new(), each };
    for (rows, first) in runs {
        blocks.run(rows.clone(), *first);
    }
}

struct Blocks<'a> {
    part: &'a SegmentRows,
    axes: &'a [AxisKeys],
    rows: Vec<u32>,
    cells: Vec<u32>,
    each: &'a mut dyn FnMut(&Block<'_>),
}

impl Blocks<'_> {
    fn run(&mut self, rows: Range<usize>, first: u32) {
        let part = self.part;
        if let Some(listed) = part.listed(rows.clone()) {
            listed.chunks(BLOCK_ROWS).for_each(|rows| self.tell(RowsOf::List(rows), first));
            return;
        }
        let mut list = std::mem::take(&mut self.rows);
        for start in rows.clone().step_by(BLOCK_ROWS) {
            let block = start..rows.end.min(start + BLOCK_ROWS);
            match part.count_in(block.clone()) {
                0 => {}
                count if count == block.len() => self.tell(RowsOf::Range(block), first),
                _ => {
                    list.clear();
                    part.for_each_in(block, |row| list.push(row as u32));
                    self.tell(RowsOf::List(&list), first);
                }
            }
        }
        self.rows = list;
    }

    fn tell(&mut self, rows: RowsOf<'_>, first: u32) {
        let mut base = first;
        let mut block = Block { rows, cells: BlockCells::One(base) };
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        for axes in self.axes {
            match &axes.lookup {
                Lookup::All(place) => base += place * axes.stride,
                Lookup::Table(column, places) => {
                    add_keys(&block, column, &mut cells, |code| places[code as usize] * axes.stride);
                }
                Lookup::Ranges(column, ranges) => {
                    add_keys(&block, column, &mut cells, |code| ranges.place(code) * axes.stride);
                }
            }
        }
        if cells.is_empty() {
            block.cells = BlockCells::One(base);
            (self.each)(&block);
        } else {
            if base > 0 {
                for cell in &mut cells {
                    *cell += base;
                }
            }
            block.cells = BlockCells::Each(&cells);
            (self.each)(&block);
        }
        self.cells = cells;
    }
}

/// Adds the key of each row, times the stride, to its cell.
fn add_keys(block: &Block<'_>, column: &StoredColumn, cells: &mut Vec<u32>, worth: impl Fn(u64) -> u32) {
    with_codes!(&column.codes, codes => {
        let worth = |code: &_| worth(u64::from(*code));
        match &block.rows {
            RowsOf::Range(range) => put(codes[range.clone()].iter().map(worth), cells),
            RowsOf::List(rows) => put(rows.iter().map(|&row| worth(&codes[row as usize])), cells),
        }
    });
}

fn put(worths: impl ExactSizeIterator<Item = u32>, cells: &mut Vec<u32>) {
    if cells.is_empty() {
        cells.extend(worths);
    } else {
        cells.iter_mut().zip(worths).for_each(|(cell, worth)| *cell += worth);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_find_what_a_search_finds(
            mut edges in prop::collection::vec(1..3_000_000_u64, 1..40),
            codes in prop::collection::vec(0..3_000_000_u64, 1..60),
        ) {
            edges.sort_unstable();
            let ranges = Ranges::new(edges.clone(), 3_000_000, 77);
            for code in codes {
                let expected = match code {
                    0 => 77,
                    code => (edges.partition_point(|&edge| edge <= code) as u32).saturating_sub(1),
                };
                prop_assert_eq!(ranges.place(code), expected);
            }
        }
    }
}
