//! The distinct count of a field in each cell.

use super::block::{Block, BlockCells};
use super::dictionary::Coded;
use base::error::{Error, ErrorKind, Result};
use base::limits::DISTINCT_PAIRS;
use store::with_codes;

/// The values seen: a bitmap for one cell, pairs of cell and value for several.
#[derive(Clone, Debug)]
pub enum SeenValues {
    Bits(Vec<u64>),
    Pairs(Vec<u64>),
}

impl SeenValues {
    pub fn none(cells: usize, codes: usize) -> SeenValues {
        if cells == 1 { SeenValues::Bits(vec![0; codes.div_ceil(64)]) } else { SeenValues::Pairs(Vec::new()) }
    }

    /// Merges the accumulator of a segment, whose first cell is `first`.
    pub fn absorb(&mut self, first: u32, other: SeenValues) -> Result<()> {
        match (self, other) {
            (SeenValues::Bits(own), SeenValues::Bits(other)) => {
                own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
            }
            (SeenValues::Pairs(own), SeenValues::Pairs(other)) => {
                own.extend(other.into_iter().map(|pair| pair + (u64::from(first) << 32)));
                if own.len() > DISTINCT_PAIRS {
                    own.sort_unstable();
                    own.dedup();
                }
                if own.len() > DISTINCT_PAIRS {
                    let message = format!("the distinct values of all groups are more than {DISTINCT_PAIRS}");
                    return Err(Error::new(ErrorKind::Limit, message).hint("use fewer groups"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub fn counts(mut self, cells: usize) -> Vec<u64> {
        match &mut self {
            SeenValues::Bits(bits) => vec![bits.iter().map(|word| u64::from(word.count_ones())).sum()],
            SeenValues::Pairs(pairs) => {
                pairs.sort_unstable();
                pairs.dedup();
                let mut counts = vec![0; cells];
                for pair in pairs {
                    if let Some(count) = counts.get_mut((*pair >> 32) as usize) {
                        *count += 1;
                    }
                }
                counts
            }
        }
    }
}

pub struct Seeing<'a> {
    coded: &'a Coded,
    seen: SeenValues,
}

impl<'a> Seeing<'a> {
    pub fn new(coded: &'a Coded, seen: SeenValues) -> Seeing<'a> {
        Seeing { coded, seen }
    }

    pub fn add(&mut self, block: &Block<'_>) {
        let shared = &self.coded.shared;
        with_codes!(&self.coded.column.codes, codes => match &mut self.seen {
            SeenValues::Bits(bits) => block.for_codes(codes, |_, code| {
                let code = shared[u64::from(code) as usize];
                bits[code as usize / 64] |= 1 << (code % 64);
            }),
            SeenValues::Pairs(pairs) => {
                let before = pairs.len();
                block.for_codes(codes, |cell, code| {
                    let code = shared[u64::from(code) as usize];
                    if code > 0 {
                        pairs.push(u64::from(cell) << 32 | u64::from(code));
                    }
                });
                // With one cell, values are deduplicated per batch; otherwise at the end of the segment.
                if matches!(block.cells, BlockCells::One(_)) {
                    pairs[before..].sort_unstable();
                    let mut kept = pairs.split_off(before);
                    kept.dedup();
                    pairs.append(&mut kept);
                }
            }
        });
    }

    pub fn finish(self) -> SeenValues {
        match self.seen {
            SeenValues::Bits(mut bits) => {
                // The bit of a missing value.
                if let Some(first) = bits.first_mut() {
                    *first &= !1;
                }
                SeenValues::Bits(bits)
            }
            SeenValues::Pairs(mut pairs) => {
                pairs.sort_unstable();
                pairs.dedup();
                SeenValues::Pairs(pairs)
            }
        }
    }
}
