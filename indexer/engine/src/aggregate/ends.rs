//! The value of the earliest or the latest event of each cell.

use std::sync::Arc;

use super::block::Block;
use crate::exec::{EventKey, SegmentRows};
use base::error::Result;
use store::{Scalar, StoredColumn};

/// The first or last value of a cell, with the global sort key of its event.
pub type End = Option<(EventKey, Scalar)>;

pub struct Ending {
    columns: Vec<Arc<StoredColumn>>,
    last: bool,
    rows: Vec<Option<u32>>,
}

impl Ending {
    pub fn new(columns: Vec<Arc<StoredColumn>>, last: bool, cells: usize) -> Ending {
        Ending { columns, last, rows: vec![None; cells] }
    }

    pub fn add(&mut self, block: &Block<'_>) {
        let (columns, rows, last) = (&self.columns, &mut self.rows, self.last);
        block.for_rows(|cell, row| {
            let found = &mut rows[cell as usize];
            // Rows come in order: the first hit stays, or the last hit wins.
            if (last || found.is_none()) && columns.iter().any(|column| column.codes.get(row) > 0) {
                *found = Some(row as u32);
            }
        });
    }

    pub fn finish(self, part: &SegmentRows) -> Result<Vec<End>> {
        let (times, places) = (part.segment.times()?, part.segment.locations()?);
        let end = |row: u32| {
            let row = row as usize;
            let value = self.columns.iter().find_map(|column| column.at(row))?;
            Some(((times.get(row), places.source(row), places.offset(row)), value))
        };
        Ok(self.rows.iter().map(|row| row.and_then(end)).collect())
    }
}

pub fn absorb(total: &mut End, other: End, last: bool) {
    let wins = match (&*total, &other) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some((own, _)), Some((other, _))) => (other > own) == last,
    };
    if wins {
        *total = other;
    }
}
