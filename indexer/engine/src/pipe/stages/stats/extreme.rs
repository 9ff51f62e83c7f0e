//! `min`, `max`, `range`: of numbers, times, levels or texts; of several types in the order of types.

use std::any::Any;
use std::cmp::Ordering;

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

    /// Without weights each row counts once.
    fn take_rows(&mut self, groups: &[u32], column: &Column, weights: &[u64]) {
        if self.take_numbers(groups, column, weights) {
            return;
        }
        for (row, &group) in groups.iter().enumerate() {
            if column.is_missing(row) {
                self.missing += weights.get(row).copied().unwrap_or(1);
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

    /// Numbers without a cell for each: first the ends of each group among these rows. True if it was done.
    fn take_numbers(&mut self, groups: &[u32], column: &Column, weights: &[u64]) -> bool {
        // Where most groups have no row here, looking at each group costs more than it saves.
        if self.groups.len() > groups.len() {
            return false;
        }
        match &column.data {
            Data::Int(values) => self.take_ends(groups, (values.iter(), weights), i64::cmp, Cell::Int),
            Data::Time(values) => self.take_ends(groups, (values.iter(), weights), i64::cmp, Cell::Time),
            Data::Float(values) => {
                // As cells compare: both zeros are equal.
                let order = |one: &f64, other: &f64| (one + 0.0).total_cmp(&(other + 0.0));
                self.take_ends(groups, (values.iter(), weights), order, Cell::Float);
            }
            _ => return false,
        }
        true
    }

    fn take_ends<T: Copy>(
        &mut self,
        groups: &[u32],
        (values, weights): (impl Iterator<Item = Option<T>>, &[u64]),
        order: fn(&T, &T) -> Ordering,
        cell: fn(T) -> Cell,
    ) {
        let mut ends: Vec<Option<(T, T)>> = vec![None; self.groups.len()];
        for (row, (&group, value)) in groups.iter().zip(values).enumerate() {
            let Some(value) = value else {
                self.missing += weights.get(row).copied().unwrap_or(1);
                continue;
            };
            let (least, greatest) = ends[group as usize].get_or_insert((value, value));
            if order(&value, least).is_lt() {
                *least = value;
            } else if order(&value, greatest).is_gt() {
                *greatest = value;
            }
        }
        for (group, ends) in (0..).zip(ends) {
            if let Some((least, greatest)) = ends {
                self.take(group, cell(least));
                self.take(group, cell(greatest));
            }
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
        self.take_rows(groups, column, &[]);
    }

    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        self.groups.resize(total, NOTHING);
        let Some(column) = column else { return };
        self.take_rows(groups, column, weights);
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
