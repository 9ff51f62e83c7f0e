//! `min`, `max`, `range`: of numbers, times, levels or texts; of several types in the order of types.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data};
use super::super::super::expr::arithmetic;
use super::Accumulate;
use query::BinaryOp;
use query::functions::Aggregation;

pub(super) struct Extremes {
    wanted: Aggregation,
    /// Least and greatest of each group.
    groups: Vec<(Cell, Cell)>,
    missing: u64,
}

const NOTHING: (Cell, Cell) = (Cell::Missing, Cell::Missing);

impl Extremes {
    pub fn new(wanted: Aggregation) -> Extremes {
        Extremes { wanted, groups: Vec::new(), missing: 0 }
    }

    fn take_rows(&mut self, groups: &[u32], column: &Column, weights: impl Iterator<Item = u64>) {
        for (row, (&group, weight)) in groups.iter().zip(weights).enumerate() {
            if column.is_missing(row) {
                self.missing += weight;
                continue;
            }
            // Texts are copied only where they are new ends.
            if let (Data::Text { codes, texts }, (Cell::Text(least), Cell::Text(greatest))) =
                (&column.data, &self.groups[group as usize])
                && texts.get(codes[row]).is_some_and(|text| &**least <= text && text <= &**greatest)
            {
                continue;
            }
            self.take(group, column.cell(row));
        }
    }

    fn take(&mut self, group: u32, value: Cell) {
        let (least, greatest) = &mut self.groups[group as usize];
        // A missing value is the greatest of all.
        if least.is_missing() || value < *least {
            *least = value.clone();
        }
        if greatest.is_missing() || value > *greatest {
            *greatest = value;
        }
    }
}

impl Accumulate for Extremes {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.groups.resize(total, NOTHING);
        let Some(column) = column else { return };
        self.take_rows(groups, column, std::iter::repeat(1));
    }

    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        self.groups.resize(total, NOTHING);
        let Some(column) = column else { return };
        self.take_rows(groups, column, weights.iter().copied());
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.groups.resize(total, NOTHING);
        let Some(later) = super::same::<Extremes>(later) else { return };
        self.missing += later.missing;
        for ((least, greatest), &group) in later.groups.into_iter().zip(to) {
            if !least.is_missing() {
                self.take(group, least);
                self.take(group, greatest);
            }
        }
    }

    fn finish(&mut self, total: usize) -> Column {
        let cells = (0..total).map(|group| {
            let (least, greatest) = self.groups.get(group).unwrap_or(&NOTHING);
            match self.wanted {
                Aggregation::Min => least.clone(),
                Aggregation::Max => greatest.clone(),
                _ => arithmetic(BinaryOp::Subtract, greatest, least),
            }
        });
        Column::of_cells(cells.collect())
    }

    fn bytes(&self) -> usize {
        self.groups.len() * size_of::<(Cell, Cell)>()
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, 0)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
