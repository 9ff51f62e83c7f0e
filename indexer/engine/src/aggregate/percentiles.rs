//! Exact percentiles of a field's numbers in each cell.

use super::block::Block;
use crate::exec::{Domain, Narrowed, Ranks, ToKey};
use crate::percentile::between;
use store::{Code, Scalar, StoredColumn, with_codes};

/// The buffered numbers of one segment in a pass.
pub struct Passing<'a> {
    ranks: &'a Ranks,
    column: &'a StoredColumn,
    to_key: ToKey,
    first: u32,
    narrowed: Narrowed,
}

impl<'a> Passing<'a> {
    /// The rows span this many cells from `first` on.
    pub fn new(
        ranks: &'a Ranks,
        column: &'a StoredColumn,
        to_key: ToKey,
        first: u32,
        cells: usize,
    ) -> Passing<'a> {
        Passing { ranks, column, to_key, first, narrowed: ranks.begin(cells) }
    }

    pub fn add(&mut self, block: &Block<'_>) {
        with_codes!(&self.column.codes, codes => self.add_codes(block, codes));
    }

    /// How codes become keys is the same for all rows, so it is not asked for each.
    fn add_codes<C: Code>(&mut self, block: &Block<'_>, codes: &[C]) {
        match self.to_key {
            ToKey::Linear { times, plus } => {
                self.add_keys(block, codes, |code| ToKey::Linear { times, plus }.key(code));
            }
            to_key @ ToKey::Float { .. } => self.add_keys(block, codes, |code| to_key.key(code)),
        }
    }

    fn add_keys<C: Code>(&mut self, block: &Block<'_>, codes: &[C], key: impl Fn(u64) -> u64) {
        let (ranks, first, narrowed) = (self.ranks, self.first, &mut self.narrowed);
        if let (Some((shift, buckets)), Narrowed::Counts(counts)) = (ranks.first_pass(), &mut *narrowed) {
            block.for_codes(codes, |cell, code| {
                let code: u64 = code.into();
                if code > 0 {
                    counts[cell as usize * buckets + (key(code) >> shift) as usize] += 1;
                }
            });
        } else {
            let sieve = ranks.sieve();
            block.for_codes(codes, |cell, code| {
                let code: u64 = code.into();
                if code > 0 && sieve.lets_through(first + cell, key(code)) {
                    ranks.put(narrowed, first, cell, key(code));
                }
            });
        }
    }

    pub fn finish(self) -> Narrowed {
        self.narrowed
    }
}

/// The percentile of a cell, interpolated between two different numbers.
pub fn value(ranks: &Ranks, domain: &Domain, cell: usize, share: usize) -> Option<Scalar> {
    let (low, high, way) = ranks.between(cell, share)?;
    let lower = domain.value(low);
    if low == high || way == 0.0 {
        return Some(lower);
    }
    let (from, to) = (lower.number()?, domain.value(high).number()?);
    Some(Scalar::Float(between(from, to, way)))
}
