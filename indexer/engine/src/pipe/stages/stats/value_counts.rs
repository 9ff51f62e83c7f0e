//! `values`, `mode` and `entropy`: how often each value of a group occurs.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::Column;
use super::super::super::intern::{Interner, Pairs};
use super::Accumulate;
use base::limits::LISTED_VALUES;
use query::functions::Aggregation;

pub(super) struct ValueCounts {
    wanted: Aggregation,
    /// The most values that are listed.
    most: usize,
    values: Interner,
    /// A group and a value of it.
    pairs: Pairs,
    counts: Vec<u64>,
    missing: u64,
    ids: Vec<u32>,
}

impl ValueCounts {
    pub fn new(wanted: Aggregation, most: Option<f64>) -> ValueCounts {
        let most = most.map_or(LISTED_VALUES, |most| most.max(0.0) as usize).min(LISTED_VALUES);
        ValueCounts {
            wanted,
            most,
            values: Interner::default(),
            pairs: Pairs::default(),
            counts: Vec::new(),
            missing: 0,
            ids: Vec::new(),
        }
    }

    fn take_rows(&mut self, groups: &[u32], column: &Column, weights: impl Iterator<Item = u64>) {
        let mut ids = std::mem::take(&mut self.ids);
        self.values.ids(column, &mut ids);
        for (row, ((&group, &id), weight)) in groups.iter().zip(&ids).zip(weights).enumerate() {
            if column.is_missing(row) {
                self.missing += weight;
            } else {
                self.take(group, id, weight);
            }
        }
        self.ids = ids;
    }

    fn take(&mut self, group: u32, value: u32, count: u64) {
        let pair = self.pairs.id(group, value) as usize;
        if pair == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[pair] += count;
    }
}

impl Accumulate for ValueCounts {
    fn add(&mut self, groups: &[u32], _: usize, column: Option<&Column>) {
        let Some(column) = column else { return };
        self.take_rows(groups, column, std::iter::repeat(1));
    }

    fn add_weighted(&mut self, groups: &[u32], _: usize, column: Option<&Column>, weights: &[u64]) {
        let Some(column) = column else { return };
        self.take_rows(groups, column, weights.iter().copied());
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], _: usize) {
        let Some(later) = super::same::<ValueCounts>(later) else { return };
        let values: Vec<u32> =
            (0..later.values.len() as u32).map(|id| self.values.id(later.values.cell(id))).collect();
        for (pair, &count) in later.counts.iter().enumerate() {
            let (group, value) = later.pairs.get(pair as u32);
            self.take(to[group as usize], values[value as usize], count);
        }
        self.missing += later.missing;
    }

    fn finish(&mut self, total: usize) -> Column {
        let mut groups: Vec<Vec<(&Cell, u64)>> = vec![Vec::new(); total];
        for (pair, &count) in self.counts.iter().enumerate() {
            let (group, value) = self.pairs.get(pair as u32);
            groups[group as usize].push((self.values.cell(value), count));
        }
        let cells = groups.into_iter().map(|mut found| {
            found.sort_unstable_by(|one, other| one.0.cmp(other.0));
            if self.wanted == Aggregation::Values {
                return Cell::List(found.into_iter().take(self.most).map(|(cell, _)| cell.clone()).collect());
            }
            if self.wanted == Aggregation::Entropy {
                return entropy(found.iter().map(|(_, count)| *count));
            }
            let most = found.iter().map(|(_, count)| *count).max();
            let mode = found.iter().find(|(_, count)| Some(*count) == most);
            mode.map_or(Cell::Missing, |(cell, _)| (*cell).clone())
        });
        Column::of_cells(cells.collect())
    }

    fn bytes(&self) -> usize {
        self.values.bytes() + self.pairs.bytes() + self.counts.len() * 8
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, 0)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// In bits; nothing of no values.
fn entropy(counts: impl Iterator<Item = u64> + Clone) -> Cell {
    let total = counts.clone().sum::<u64>() as f64;
    let share_bits = |count: u64| count as f64 / total * (total / count as f64).log2();
    if total > 0.0 { Cell::float(counts.map(share_bits).sum()) } else { Cell::Missing }
}
