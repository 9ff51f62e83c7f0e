//! Percentiles, exactly: every number is kept until the end. Between two numbers the result is interpolated.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data};
use super::super::super::expr::number_of;
use super::Accumulate;
use crate::percentile::{Percent, between};

pub(super) struct Percentile {
    share: Percent,
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
        let share = Percent::new(percentile);
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
            others.iter_mut().zip(to).for_each(|(other, &group)| join(&mut own[group as usize], other));
            return;
        }
        let own = self.floats();
        later.floats().iter_mut().zip(to).for_each(|(other, &group)| join(&mut own[group as usize], other));
    }

    fn finish(&mut self, total: usize) -> Column {
        let share = self.share;
        let cells = (0..total).map(|group| match &mut self.numbers {
            Numbers::Whole(groups) => {
                groups.get_mut(group).map_or(Cell::Missing, |group| of(group, share, i64::cmp, Cell::Int))
            }
            Numbers::Floats(groups) => groups
                .get_mut(group)
                .map_or(Cell::Missing, |group| of(group, share, f64::total_cmp, Cell::float)),
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

/// Takes the numbers of another list, in any order: it is the shorter one that is copied.
fn join<T>(own: &mut Vec<T>, other: &mut Vec<T>) {
    if own.len() < other.len() {
        std::mem::swap(own, other);
    }
    own.append(other);
}

/// The percentile of numbers in any order, which they change.
fn of<T: Copy>(
    numbers: &mut [T],
    percent: Percent,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
    cell: impl Fn(T) -> Cell,
) -> Cell {
    if numbers.is_empty() {
        return Cell::Missing;
    }
    let (rank, way) = percent.place(numbers.len() as u64);
    let (_, low, above) = numbers.select_nth_unstable_by(rank as usize, &order);
    let low = cell(*low);
    let next = above.iter().copied().min_by(&order);
    let (Some(next), true) = (next, way > 0.0) else { return low };
    let next = cell(next);
    if next == low {
        return low;
    }
    let (Some(from), Some(to)) = (low.number(), next.number()) else { return low };
    Cell::float(between(from, to, way))
}
