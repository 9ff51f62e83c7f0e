//! Percentiles, exactly: every number is kept until the end, numbers that came together as one with its count.
//! Between two numbers the result is interpolated.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data};
use super::super::super::expr::number_of;
use super::Accumulate;
use crate::percentile::{Percent, between};

pub(super) struct Percentile {
    share: Percent,
    numbers: CountedNumbers,
    missing: u64,
    mistyped: u64,
}

/// Whole numbers stay whole until the first that is not.
enum CountedNumbers {
    Whole(Lists<i64>),
    Floats(Lists<f64>),
}

/// The numbers of each group.
struct Lists<T> {
    single: Vec<Vec<T>>,
    /// Numbers that came with a count, by group; empty where none did.
    counted: Vec<Vec<(T, u64)>>,
    kept: usize,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { single: Vec::new(), counted: Vec::new(), kept: 0 }
    }
}

impl<T: Copy> Lists<T> {
    fn resize(&mut self, total: usize) {
        self.single.resize_with(total, Vec::new);
    }

    fn put(&mut self, group: u32, value: T, weight: u64) {
        self.kept += 1;
        if weight == 1 {
            return self.single[group as usize].push(value);
        }
        if self.counted.len() <= group as usize {
            self.counted.resize_with(group as usize + 1, Vec::new);
        }
        self.counted[group as usize].push((value, weight));
    }

    fn merge(&mut self, later: &mut Lists<T>, to: &[u32]) {
        self.kept += later.kept;
        later
            .single
            .iter_mut()
            .zip(to)
            .for_each(|(other, &group)| join(&mut self.single[group as usize], other));
        for (other, &group) in later.counted.iter_mut().zip(to).filter(|(other, _)| !other.is_empty()) {
            if self.counted.len() <= group as usize {
                self.counted.resize_with(group as usize + 1, Vec::new);
            }
            join(&mut self.counted[group as usize], other);
        }
    }

    fn map<U>(&mut self, value: impl Fn(T) -> U) -> Lists<U> {
        let single = self.single.drain(..).map(|group| group.into_iter().map(&value).collect());
        let pair = |(number, weight)| (value(number), weight);
        let counted = self.counted.drain(..).map(|group| group.into_iter().map(pair).collect());
        Lists { single: single.collect(), counted: counted.collect(), kept: self.kept }
    }

    /// The percentile of a group's numbers, which may change their order.
    fn percentile(
        &mut self,
        group: usize,
        percent: Percent,
        order: impl Fn(&T, &T) -> std::cmp::Ordering,
        cell: impl Fn(T) -> Cell,
    ) -> Cell {
        let Some(single) = self.single.get_mut(group) else { return Cell::Missing };
        match self.counted.get_mut(group).filter(|counted| !counted.is_empty()) {
            None => percentile_of_unsorted(single, percent, order, cell),
            Some(counted) => {
                counted.extend(single.drain(..).map(|value| (value, 1)));
                counted.sort_unstable_by(|one, other| order(&one.0, &other.0));
                of_counted(counted, percent, cell)
            }
        }
    }

    fn bytes(&self) -> usize {
        // A vector that grows has room for as much again.
        self.kept * 12 + (self.single.len() + self.counted.len()) * 24
    }
}

impl Percentile {
    pub fn new(percentile: f64) -> Percentile {
        let share = Percent::new(percentile);
        Percentile { share, numbers: CountedNumbers::Whole(Lists::default()), missing: 0, mistyped: 0 }
    }

    fn resize(&mut self, total: usize) {
        match &mut self.numbers {
            CountedNumbers::Whole(lists) => lists.resize(total),
            CountedNumbers::Floats(lists) => lists.resize(total),
        }
    }

    fn take(&mut self, group: u32, cell: &Cell, weight: u64) {
        match number_of(cell) {
            Some(Cell::Int(value)) => match &mut self.numbers {
                CountedNumbers::Whole(lists) => lists.put(group, value, weight),
                CountedNumbers::Floats(lists) => lists.put(group, value as f64, weight),
            },
            Some(Cell::Float(value)) => self.floats().put(group, value, weight),
            _ if cell.is_missing() => self.missing += weight,
            _ => self.mistyped += weight,
        }
    }

    fn floats(&mut self) -> &mut Lists<f64> {
        if let CountedNumbers::Whole(lists) = &mut self.numbers {
            self.numbers = CountedNumbers::Floats(lists.map(|value| value as f64));
        }
        match &mut self.numbers {
            CountedNumbers::Floats(lists) => lists,
            CountedNumbers::Whole(_) => unreachable!("it was made floats just now"),
        }
    }
}

impl Accumulate for Percentile {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.resize(total);
        let Some(column) = column else { return };
        if let (Data::Int(values), CountedNumbers::Whole(lists)) = (&column.data, &mut self.numbers) {
            for (&group, value) in groups.iter().zip(values.iter()) {
                match value {
                    Some(value) => lists.put(group, value, 1),
                    None => self.missing += 1,
                }
            }
            return;
        }
        for (row, &group) in groups.iter().enumerate() {
            self.take(group, &column.cell(row), 1);
        }
    }

    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        self.resize(total);
        let Some(column) = column else { return };
        for (row, (&group, &weight)) in groups.iter().zip(weights).enumerate() {
            self.take(group, &column.cell(row), weight);
        }
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.resize(total);
        let Some(mut later) = super::same::<Percentile>(later) else { return };
        self.missing += later.missing;
        self.mistyped += later.mistyped;
        if let (CountedNumbers::Whole(own), CountedNumbers::Whole(others)) =
            (&mut self.numbers, &mut later.numbers)
        {
            own.merge(others, to);
            return;
        }
        let own = self.floats();
        own.merge(later.floats(), to);
    }

    fn finish(&mut self, total: usize) -> Column {
        let share = self.share;
        let cells = (0..total).map(|group| match &mut self.numbers {
            CountedNumbers::Whole(lists) => lists.percentile(group, share, i64::cmp, Cell::Int),
            CountedNumbers::Floats(lists) => lists.percentile(group, share, f64::total_cmp, Cell::float),
        });
        Column::of_cells(cells.collect())
    }

    fn bytes(&self) -> usize {
        match &self.numbers {
            CountedNumbers::Whole(lists) => lists.bytes(),
            CountedNumbers::Floats(lists) => lists.bytes(),
        }
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
fn percentile_of_unsorted<T: Copy>(
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
    match above.iter().copied().min_by(&order) {
        Some(next) if way > 0.0 => interpolated(low, &cell(next), way),
        _ => low,
    }
}

/// The percentile of sorted numbers, each counted as often as its weight says.
fn of_counted<T: Copy>(numbers: &[(T, u64)], percent: Percent, cell: impl Fn(T) -> Cell) -> Cell {
    let (rank, way) = percent.place(numbers.iter().map(|(_, weight)| weight).sum());
    let ends = numbers.iter().scan(0, |end, (_, weight)| {
        *end += weight;
        Some(*end)
    });
    let at = |rank: u64| ends.clone().position(|end| end > rank).map(|place| cell(numbers[place].0));
    match (at(rank), at(rank + 1)) {
        (Some(low), Some(next)) if way > 0.0 => interpolated(low, &next, way),
        (low, _) => low.unwrap_or(Cell::Missing),
    }
}

/// The percentile, from 0 to 100, of numbers in their order with how often each occurs.
#[must_use]
pub fn percentile_of_counted(numbers: &[(Cell, u64)], percent: f64) -> Cell {
    let places: Vec<(usize, u64)> =
        numbers.iter().enumerate().map(|(place, (_, count))| (place, *count)).collect();
    of_counted(&places, Percent::new(percent), |place| numbers[place].0.clone())
}

fn interpolated(low: Cell, next: &Cell, way: f64) -> Cell {
    if *next == low {
        return low;
    }
    let (Some(from), Some(to)) = (low.number(), next.number()) else { return low };
    Cell::float(between(from, to, way))
}
