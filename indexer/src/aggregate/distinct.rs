//! How many different values a field has in each cell, counted value by value.

use super::block::{Block, Cells};
use super::dictionary::Coded;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::DISTINCT_PAIRS;
use crate::storage::with_codes;

/// The values seen: a bit a value for one cell, pairs of cell and value for several.
#[derive(Clone, Debug)]
pub enum Seen {
    Bits(Vec<u64>),
    Pairs(Vec<u64>),
}

impl Seen {
    pub fn none(cells: usize, codes: usize) -> Seen {
        if cells == 1 { Seen::Bits(vec![0; codes.div_ceil(64)]) } else { Seen::Pairs(Vec::new()) }
    }

    /// Adds what a part saw, whose first cell is this one here.
    pub fn absorb(&mut self, first: u32, other: Seen) -> Result<()> {
        match (self, other) {
            (Seen::Bits(own), Seen::Bits(other)) => {
                own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
            }
            (Seen::Pairs(own), Seen::Pairs(other)) => {
                own.extend(other.into_iter().map(|pair| pair + (u64::from(first) << 32)));
                if own.len() > DISTINCT_PAIRS {
                    own.sort_unstable();
                    own.dedup();
                }
                if own.len() > DISTINCT_PAIRS {
                    let message =
                        format!("the different values of all groups are more than {DISTINCT_PAIRS}");
                    return Err(Error::new(ErrorKind::Limit, message).hint("ask for fewer groups"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub fn counts(mut self, cells: usize) -> Vec<u64> {
        match &mut self {
            Seen::Bits(bits) => vec![bits.iter().map(|word| u64::from(word.count_ones())).sum()],
            Seen::Pairs(pairs) => {
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
    seen: Seen,
}

impl<'a> Seeing<'a> {
    pub fn new(coded: &'a Coded, seen: Seen) -> Seeing<'a> {
        Seeing { coded, seen }
    }

    pub fn add(&mut self, block: &Block<'_>) {
        let shared = &self.coded.shared;
        with_codes!(&self.coded.column.codes, codes => match &mut self.seen {
            Seen::Bits(bits) => block.for_codes(codes, |_, code| {
                let code = shared[u64::from(code) as usize];
                bits[code as usize / 64] |= 1 << (code % 64);
            }),
            Seen::Pairs(pairs) => {
                let before = pairs.len();
                block.for_codes(codes, |cell, code| {
                    let code = shared[u64::from(code) as usize];
                    if code > 0 {
                        pairs.push(u64::from(cell) << 32 | u64::from(code));
                    }
                });
                // In one cell a block repeats its values; elsewhere the end of the part sorts them out.
                if matches!(block.cells, Cells::One(_)) {
                    pairs[before..].sort_unstable();
                    let mut kept = pairs.split_off(before);
                    kept.dedup();
                    pairs.append(&mut kept);
                }
            }
        });
    }

    pub fn finish(self) -> Seen {
        match self.seen {
            Seen::Bits(mut bits) => {
                // The bit of a missing value.
                if let Some(first) = bits.first_mut() {
                    *first &= !1;
                }
                Seen::Bits(bits)
            }
            Seen::Pairs(mut pairs) => {
                pairs.sort_unstable();
                pairs.dedup();
                Seen::Pairs(pairs)
            }
        }
    }
}
