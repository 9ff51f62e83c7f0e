//! `sample`: random rows, the same ones for the same seed, in their order.

use std::collections::BinaryHeap;

use super::super::column::Picked;
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use base::error::Result;

pub struct Sample {
    seed: u64,
    size: Size,
    rows: u64,
}

enum Size {
    Share(f64),
    /// The rows whose random numbers are the least, the greatest on top, and the tables that they lie in.
    Rows {
        count: usize,
        least: BinaryHeap<(u64, u64)>,
        tables: Vec<(u64, Table)>,
        bytes: usize,
    },
}

impl Sample {
    pub fn new(size: f64, is_share: bool, seed: Option<u64>) -> Sample {
        let size = if is_share {
            Size::Share(size)
        } else {
            Size::Rows {
                count: size.max(0.0) as usize,
                least: BinaryHeap::new(),
                tables: Vec::new(),
                bytes: 0,
            }
        };
        Sample { seed: seed.unwrap_or(1), size, rows: 0 }
    }
}

/// The random number of a row (SplitMix64).
fn random(seed: u64, row: u64) -> u64 {
    let mut state =
        seed.wrapping_mul(0xd1b5_4a32_d192_ed03).wrapping_add((row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

impl Step for Sample {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        let first = self.rows;
        self.rows += rows.rows() as u64;
        let seed = self.seed;
        match &mut self.size {
            Size::Share(share) => {
                let limit = (*share * u64::MAX as f64) as u64;
                let taken: Vec<u32> = (0..rows.rows() as u32)
                    .filter(|&row| random(seed, first + u64::from(row)) < limit)
                    .collect();
                Ok(Some(rows.pick(&Picked::Some(&taken))))
            }
            Size::Rows { count, least, tables, bytes } => {
                let mut taken = false;
                for row in 0..rows.rows() as u64 {
                    let number = (random(seed, first + row), first + row);
                    if least.len() < *count || least.peek().is_some_and(|most| number < *most) {
                        least.push(number);
                        taken = true;
                    }
                    if least.len() > *count {
                        least.pop();
                    }
                }
                if taken {
                    // Of each table only the rows stay that are still among the chosen.
                    let mut chosen: Vec<u64> = least.iter().map(|(_, row)| *row).collect();
                    chosen.sort_unstable();
                    let end = first + rows.rows() as u64;
                    let picked: Vec<u32> = chosen
                        .iter()
                        .filter(|&&row| (first..end).contains(&row))
                        .map(|&row| (row - first) as u32)
                        .collect();
                    for &row in &picked {
                        let one = rows.pick(&Picked::Some(&[row]));
                        tables.push((first + u64::from(row), one));
                    }
                    tables.retain(|(row, _)| chosen.binary_search(row).is_ok());
                    let now: usize = tables.iter().map(|(_, table)| table.bytes()).sum();
                    run.budget.take("sample", now.saturating_sub(*bytes))?;
                    *bytes = now;
                }
                Ok(None)
            }
        }
    }

    fn finish(&mut self, _: &Run<'_>) -> Result<Option<Table>> {
        match &mut self.size {
            Size::Share(_) => Ok(None),
            Size::Rows { tables, .. } if tables.is_empty() => Ok(None),
            Size::Rows { tables, .. } => {
                Ok(Some(Table::concat(tables.drain(..).map(|(_, table)| table).collect())))
            }
        }
    }
}
