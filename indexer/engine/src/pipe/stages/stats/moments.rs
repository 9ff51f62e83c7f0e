//! `sum`, `avg`, `stddev`, `variance`. Whole numbers are added exactly; floats with the part that each
//! addition rounds away kept too, so that neither their number nor their order shows in the sum.

use std::any::Any;

use super::super::super::cell::Cell;
use super::super::super::column::{Column, Data, Picked};
use super::super::super::expr::number_of;
use super::Accumulate;
use query::functions::Aggregation;

pub(super) struct Moments {
    wanted: Aggregation,
    groups: Vec<Moment>,
    missing: u64,
    mistyped: u64,
}

#[derive(Clone, Copy, Default)]
struct Moment {
    count: u64,
    whole: i128,
    floats: f64,
    rounded: f64,
    /// By Welford's method, which does not lose small differences of large numbers.
    mean: f64,
    squares: f64,
    any_float: bool,
}

impl Moment {
    fn whole(&mut self, value: i64) {
        self.wholes(value, 1);
    }

    fn wholes(&mut self, value: i64, times: u64) {
        self.count += times;
        self.whole += i128::from(value) * i128::from(times);
    }

    fn float(&mut self, value: f64) {
        self.count += 1;
        self.any_float = true;
        self.add_float(value);
    }

    fn add_float(&mut self, value: f64) {
        let sum = self.floats + value;
        self.rounded += if self.floats.abs() >= value.abs() {
            (self.floats - sum) + value
        } else {
            (value - sum) + self.floats
        };
        self.floats = sum;
    }

    /// After the count was raised.
    fn spread(&mut self, value: f64) {
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
    }

    fn merge(&mut self, other: &Moment) {
        if other.count == 0 {
            return;
        }
        let (own, others) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        self.squares += other.squares + delta * delta * own * others / (own + others);
        self.mean += delta * others / (own + others);
        self.count += other.count;
        self.whole += other.whole;
        self.add_float(other.floats);
        self.rounded += other.rounded;
        self.any_float |= other.any_float;
    }

    fn sum(&self) -> f64 {
        self.whole as f64 + (self.floats + self.rounded)
    }
}

impl Moments {
    pub fn new(wanted: Aggregation) -> Moments {
        Moments { wanted, groups: Vec::new(), missing: 0, mistyped: 0 }
    }

    fn cell(&self, moment: &Moment) -> Cell {
        let count = moment.count as f64;
        match self.wanted {
            _ if moment.count == 0 => Cell::Missing,
            Aggregation::Sum if !moment.any_float => Cell::whole(moment.whole),
            Aggregation::Sum => Cell::float(moment.sum()),
            Aggregation::Avg => Cell::float(moment.sum() / count),
            _ if moment.count < 2 => Cell::Missing,
            Aggregation::Variance => Cell::float(moment.squares / (count - 1.0)),
            _ => Cell::float((moment.squares / (count - 1.0)).sqrt()),
        }
    }
}

impl Accumulate for Moments {
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>) {
        self.groups.resize(total, Moment::default());
        let Some(column) = column else { return };
        let spread = matches!(self.wanted, Aggregation::Stddev | Aggregation::Variance);
        match &column.data {
            Data::Int(values) => {
                for (&group, value) in groups.iter().zip(values.iter()) {
                    let Some(value) = value else {
                        self.missing += 1;
                        continue;
                    };
                    let moment = &mut self.groups[group as usize];
                    moment.whole(value);
                    if spread {
                        moment.spread(value as f64);
                    }
                }
            }
            Data::Float(values) => {
                for (&group, value) in groups.iter().zip(values.iter()) {
                    let Some(value) = value else {
                        self.missing += 1;
                        continue;
                    };
                    let moment = &mut self.groups[group as usize];
                    moment.float(value);
                    if spread {
                        moment.spread(value);
                    }
                }
            }
            _ => {
                for (row, &group) in groups.iter().enumerate() {
                    let cell = column.cell(row);
                    let moment = &mut self.groups[group as usize];
                    match number_of(&cell) {
                        Some(Cell::Int(value)) => moment.whole(value),
                        Some(Cell::Float(value)) => moment.float(value),
                        _ if cell.is_missing() => self.missing += 1,
                        _ => self.mistyped += 1,
                    }
                    if let Some(value) = number_of(&cell).and_then(|cell| cell.number()).filter(|_| spread) {
                        moment.spread(value);
                    }
                }
            }
        }
    }

    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        self.groups.resize(total, Moment::default());
        let Some(column) = column else { return };
        for (row, (&group, &weight)) in groups.iter().zip(weights).enumerate() {
            match column.cell(row) {
                Cell::Missing => self.missing += weight,
                Cell::Int(value) => self.groups[group as usize].wholes(value, weight),
                // The sums of other values depend on the order that they come in.
                _ => {
                    let row = Picked::Run(row..row + 1);
                    (0..weight).for_each(|_| self.add(&[group], total, Some(&column.pick(&row))));
                }
            }
        }
    }

    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize) {
        self.groups.resize(total, Moment::default());
        let Some(later) = super::same::<Moments>(later) else { return };
        later.groups.iter().zip(to).for_each(|(moment, &group)| self.groups[group as usize].merge(moment));
        self.missing += later.missing;
        self.mistyped += later.mistyped;
    }

    fn finish(&mut self, total: usize) -> Column {
        let empty = Moment::default();
        let cells = (0..total).map(|group| self.cell(self.groups.get(group).unwrap_or(&empty)));
        Column::of_cells(cells.collect())
    }

    fn bytes(&self) -> usize {
        self.groups.len() * size_of::<Moment>()
    }

    fn passed_over(&self) -> (u64, u64) {
        (self.missing, self.mistyped)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
