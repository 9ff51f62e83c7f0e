//! Percentiles, exactly: every number is kept until the end. Between two numbers the result is interpolated.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data};
use super::super::super::expr::{floats, number_of};
use super::Accumulate;
use crate::query::BinaryOp;

pub(super) struct Percentile {
    share: f64,
    numbers: Numbers,
    kept: usize,
    missing: u64,
    mistyped: u64,
}

/// Whole numbers stay whole until the first that is not.
enum Numbers {
    Whole(Vec<Vec<i64>>),
    Floats(Vec<Vec<f64>>),
}

impl Percentile {
    pub fn new(percentile: f64) -> Percentile {
        let share = percentile.clamp(0.0, 100.0);
        Percentile { share, numbers: Numbers::Whole(Vec::new()), kept: 0, missing: 0, mistyped: 0 }
    }

    fn resize(&mut self, total: usize) {
        match &mut self.numbers {
            Numbers::Whole(groups) => groups.resize(total, Vec::new()),
            Numbers::Floats(groups) => groups.resize(total, Vec::new()),
        }
    }

    fn whole(&mut self, group: u32, value: i64) {
        self.kept += 1;
        match &mut self.numbers {
            Numbers::Whole(groups) => groups[group as usize].push(value),
            Numbers::Floats(groups) => groups[group as usize].push(value as f64),
        }
    }

    fn float(&mut self, group: u32, value: f64) {
        self.kept += 1;
        self.floats()[group as usize].push(value);
    }

    fn floats(&mut self) -> &mut Vec<Vec<f64>> {
        if let Numbers::Whole(groups) = &mut self.numbers {
            let floats = groups.drain(..).map(|group| group.into_iter().map(|value| value as f64).collect());
            self.numbers = Numbers::Floats(floats.collect());
        }
        match &mut self.numbers {
            Numbers::Floats(groups) => groups,
            Numbers::Whole(_) => unreachable!("it was made floats just now"),
        }
    }
}

impl Accumulate for Percentile {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.resize(total);
        let Some(column) = column else { return };
        if let (Data::Int(values), Numbers::Whole(kept)) = (&column.data, &mut self.numbers) {
            for (&group, &value) in groups.iter().zip(values) {
                if value == ingest::NO_INT {
                    self.missing += 1;
                } else {
                    kept[group as usize].push(value);
                    self.kept += 1;
                }
            }
            return;
        }
        for (row, &group) in groups.iter().enumerate() {
            let cell = column.cell(row);
            match number_of(&cell) {
                Some(Cell::Int(value)) => self.whole(group, value),
                Some(Cell::Float(value)) => self.float(group, value),
                _ if cell.is_missing() => self.missing += 1,
                _ => self.mistyped += 1,
            }
        }
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.resize(total);
        let Some(mut later) = super::same::<Percentile>(later) else { return };
        self.kept += later.kept;
        self.missing += later.missing;
        self.mistyped += later.mistyped;
        if let (Numbers::Whole(own), Numbers::Whole(others)) = (&mut self.numbers, &mut later.numbers) {
            others.iter_mut().zip(to).for_each(|(other, &group)| own[group as usize].append(other));
            return;
        }
        let own = self.floats();
        later.floats().iter_mut().zip(to).for_each(|(other, &group)| own[group as usize].append(other));
    }

    fn finish(&self, total: usize) -> Column {
        let cells = (0..total).map(|group| match &self.numbers {
            Numbers::Whole(groups) => groups
                .get(group)
                .map_or(Cell::Missing, |group| of(&mut group.clone(), self.share, i64::cmp, Cell::Int)),
            Numbers::Floats(groups) => groups.get(group).map_or(Cell::Missing, |group| {
                of(&mut group.clone(), self.share, f64::total_cmp, Cell::float)
            }),
        });
        Column::of_cells(cells.collect())
    }

    fn bytes(&self) -> usize {
        let groups = match &self.numbers {
            Numbers::Whole(groups) => groups.len(),
            Numbers::Floats(groups) => groups.len(),
        };
        // A vector that grows has room for as much again.
        self.kept * 12 + groups * 24
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, self.mistyped)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The percentile of numbers in any order.
fn of<T: Copy>(
    numbers: &mut [T],
    percentile: f64,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
    cell: impl Fn(T) -> Cell,
) -> Cell {
    let Some(last) = numbers.len().checked_sub(1) else { return Cell::Missing };
    // As decimal numbers, so that the place is what a person calculates.
    let exact = |op, one, other| floats(op, one, other).number().unwrap_or(0.0);
    let place = exact(BinaryOp::Divide, exact(BinaryOp::Multiply, percentile, last as f64), 100.0);
    let index = place.floor() as usize;
    let (_, low, above) = numbers.select_nth_unstable_by(index, &order);
    let low = cell(*low);
    let share = exact(BinaryOp::Subtract, place, index as f64);
    let next = above.iter().copied().min_by(&order);
    let (Some(next), true) = (next, share > 0.0) else { return low };
    let next = cell(next);
    if next == low {
        return low;
    }
    let (Some(from), Some(to)) = (low.number(), next.number()) else { return low };
    let step = exact(BinaryOp::Multiply, to - from, share);
    floats(BinaryOp::Add, from, step)
}
