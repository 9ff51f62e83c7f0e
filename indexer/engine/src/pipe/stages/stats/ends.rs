//! `first` and `last`: the value of the first (or last) row that has one.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::Column;
use super::Accumulate;

pub(super) struct Ends {
    last: bool,
    groups: Vec<Cell>,
    missing: u64,
}

impl Ends {
    pub fn new(last: bool) -> Ends {
        Ends { last, groups: Vec::new(), missing: 0 }
    }
}

impl Accumulate for Ends {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.groups.resize(total, Cell::Missing);
        let Some(column) = column else { return };
        // Only the value that stays is made; the others of these rows are passed by.
        let mut rows = std::collections::HashMap::new();
        for (row, &group) in groups.iter().enumerate() {
            if column.is_missing(row) {
                self.missing += 1;
            } else if self.last {
                rows.insert(group, row);
            } else if self.groups[group as usize].is_missing() {
                rows.entry(group).or_insert(row);
            }
        }
        for (group, row) in rows {
            self.groups[group as usize] = column.cell(row);
        }
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.groups.resize(total, Cell::Missing);
        let Some(later) = super::same::<Ends>(later) else { return };
        self.missing += later.missing;
        for (cell, &group) in later.groups.into_iter().zip(to) {
            let own = &mut self.groups[group as usize];
            if !cell.is_missing() && (self.last || own.is_missing()) {
                *own = cell;
            }
        }
    }

    fn finish(&mut self, total: usize) -> Column {
        let mut cells = self.groups.clone();
        cells.resize(total, Cell::Missing);
        Column::of_cells(cells)
    }

    fn bytes(&self) -> usize {
        self.groups.len() * size_of::<Cell>()
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, 0)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
