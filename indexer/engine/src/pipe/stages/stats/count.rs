//! `count`: rows, or those that have a value.

use std::any::Any;

use super::super::super::column::Column;
use super::Accumulate;

#[derive(Default)]
pub(super) struct Count {
    counts: Vec<i64>,
}

impl Accumulate for Count {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.counts.resize(total, 0);
        match column {
            None => groups.iter().for_each(|&group| self.counts[group as usize] += 1),
            Some(column) => {
                for (row, &group) in groups.iter().enumerate() {
                    let missing = column.is_missing(row);
                    self.counts[group as usize] += i64::from(!missing);
                }
            }
        }
    }

    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        self.counts.resize(total, 0);
        for (row, (&group, &weight)) in groups.iter().zip(weights).enumerate() {
            if column.is_none_or(|column| !column.is_missing(row)) {
                self.counts[group as usize] += weight as i64;
            }
        }
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.counts.resize(total, 0);
        let Some(later) = super::same::<Count>(later) else { return };
        later.counts.iter().zip(to).for_each(|(count, &group)| self.counts[group as usize] += count);
    }

    fn finish(&mut self, total: usize) -> Column {
        let mut counts = self.counts.clone();
        counts.resize(total, 0);
        Column::ints(counts)
    }

    fn bytes(&self) -> usize {
        self.counts.len() * 8
    }

    /// `count(x)` is asked in order to leave out what is missing.
    fn passed_over(&self) -> (u64, u64) {
        (0, 0)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
