//! `stats`: calculations over groups of rows. Each function is a file here and a line in [`accumulator`].

mod count;
mod count_distinct;
mod ends;
mod extreme;
mod groups;
mod moments;
mod percentile;
mod step;
mod value_counts;

use std::any::Any;

use query::functions::{Aggregation, Order};
use store::Snapshot;

use super::super::column::{Column, Picked};
use super::super::expr::Expression;
use super::super::source::in_time_order;
pub use groups::Groups;
pub use percentile::percentile_of_counted;
pub use step::Stats;

/// What `stats` calculates, compiled.
#[derive(Debug)]
pub struct StatsPlan {
    pub by: Vec<(String, Expression)>,
    pub aggregates: Vec<PlannedAggregate>,
    /// Only the largest values of a key keep to themselves.
    pub largest: Option<Largest>,
    /// Only the first groups by their counts are asked for.
    pub ranked: Option<RankedGroups>,
    /// The name of the stage, for messages.
    pub stage: &'static str,
}

/// So many of the most or least frequent groups.
#[derive(Debug)]
pub struct RankedGroups {
    pub count: usize,
    pub rarest: bool,
}

/// Of a key so many values, those with the most rows (or the largest first sum); all others become one.
#[derive(Debug)]
pub struct Largest {
    pub key: usize,
    pub most: usize,
}

#[derive(Debug)]
pub struct PlannedAggregate {
    pub name: String,
    pub function: Aggregation,
    pub argument: Option<Expression>,
    pub parameter: Option<f64>,
    pub condition: Option<Expression>,
}

impl StatsPlan {
    /// Whether the result depends on the order of the rows.
    pub fn needs_order(&self) -> bool {
        self.aggregates.iter().any(|one| one.function.order() == Order::Matters)
    }

    /// Which segments are calculated together.
    pub fn tasks(&self, snapshot: &Snapshot) -> Vec<Vec<u32>> {
        if self.needs_order() {
            return in_time_order(snapshot);
        }
        (0..snapshot.segments.len() as u32).map(|segment| vec![segment]).collect()
    }
}

/// One calculation for every group at once. Groups are numbered; those not seen yet have no state.
pub trait Accumulate: Send {
    /// Takes rows by their groups. There are `total` groups by now; `column` is the argument, where there is one.
    fn add(&mut self, groups: &[u32], total: usize, column: Option<&Column>);

    /// Takes rows that each count as so many equal ones. Only for functions that give the same in every
    /// order of rows.
    fn add_weighted(&mut self, groups: &[u32], total: usize, column: Option<&Column>, weights: &[u64]) {
        let times = |(row, &weight): (usize, &u64)| std::iter::repeat_n(row as u32, weight as usize);
        let rows: Vec<u32> = weights.iter().enumerate().flat_map(times).collect();
        let picked = Picked::Some(&rows);
        self.add(&picked.pick(groups), total, column.map(|column| column.pick(&picked)).as_ref());
    }

    /// Takes what another one of the same kind gathered from later rows; its group g is `to[g]` here.
    fn merge(&mut self, later: Box<dyn Accumulate>, to: &[u32], total: usize);

    /// A value for each group. More rows may follow.
    fn finish(&mut self, total: usize) -> Column;

    fn bytes(&self) -> usize;

    /// Rows without a value, and those whose value is of another type than the function takes.
    fn passed_over(&self) -> (u64, u64);

    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// The same kind of accumulator, whole.
fn same<T: 'static>(other: Box<dyn Accumulate>) -> Option<Box<T>> {
    other.into_any().downcast().ok()
}

fn accumulator(aggregate: &PlannedAggregate) -> Box<dyn Accumulate> {
    use Aggregation as A;
    match aggregate.function {
        A::Count => Box::new(count::Count::default()),
        A::Rate | A::PerMinute | A::PerHour if aggregate.argument.is_none() => {
            Box::new(count::Count::default())
        }
        A::Rate | A::PerMinute | A::PerHour | A::Sum => Box::new(moments::Moments::new(A::Sum)),
        A::Avg | A::Stddev | A::Variance => Box::new(moments::Moments::new(aggregate.function)),
        A::Min | A::Max | A::Range => Box::new(extreme::Extremes::new(aggregate.function)),
        A::First | A::Last => Box::new(ends::Ends::new(aggregate.function == A::Last)),
        A::CountDistinct => Box::new(count_distinct::CountDistinct::default()),
        A::Values | A::Mode | A::Entropy => {
            Box::new(value_counts::ValueCounts::new(aggregate.function, aggregate.parameter))
        }
        A::Median | A::P50 | A::P75 | A::P90 | A::P95 | A::P99 | A::P999 | A::Percentile => {
            let percentile = aggregate.function.percentile(aggregate.parameter).unwrap_or(50.0);
            Box::new(percentile::Percentile::new(percentile))
        }
    }
}
