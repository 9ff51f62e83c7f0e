//! Aggregates of groups whose events are in several places: what each place calculates, how two of those are added, and the
//! result of all.
//!
//! Counts, sums, means, least and greatest values and deviations are added from a few numbers of each place. Percentiles and
//! distinct counts are calculated here, exactly, from the different values of each place with their counts.

use std::collections::BTreeMap;

use indexer::query::functions::{Aggregation, MergedFrom};
use indexer::query::{Aggregate, Expr, Span};
use indexer::{Cell, percentile_of_counted};

/// An aggregate that follows from parts of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merging {
    function: Aggregation,
    percent: Option<f64>,
}

/// What is known of a group so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Partials {
    /// The results of [`Merging::asked`].
    Cells(Vec<Cell>),
    /// How often each value occurs.
    Values(BTreeMap<Cell, u64>),
}

impl Merging {
    /// The number of rows.
    pub const ROWS: Merging = Merging { function: Aggregation::Count, percent: None };

    /// Nothing for an aggregate that is calculated from whole rows.
    pub fn from_aggregate(aggregate: &Aggregate) -> Option<Merging> {
        let Aggregate { function, parameter, .. } = aggregate;
        let percent = function.percentile(*parameter);
        (function.merged_from() != MergedFrom::Rows).then_some(Merging { function: *function, percent })
    }

    /// The aggregates that each place calculates; none where it lists values.
    pub fn asked(self) -> &'static [Aggregation] {
        match self.function.merged_from() {
            MergedFrom::Aggregations(asked) => asked,
            MergedFrom::Values | MergedFrom::Rows => &[],
        }
    }

    /// Whether the count of values must be one of numbers.
    pub fn needs_numbers(self) -> bool {
        self.asked().len() > 1 && self.asked().contains(&Aggregation::Count)
    }

    pub fn is_zero_without_rows(self) -> bool {
        self.function.is_zero_without_rows()
    }

    /// The state before any event.
    pub fn empty(self) -> Partials {
        match self.asked().len() {
            0 => Partials::Values(BTreeMap::new()),
            asked => Partials::Cells(vec![Cell::Missing; asked]),
        }
    }

    pub fn add(self, own: &mut Partials, more: &Partials) {
        match (own, more) {
            (Partials::Values(own), Partials::Values(more)) => {
                for (value, count) in more {
                    *own.entry(value.clone()).or_default() += count;
                }
            }
            (Partials::Cells(own), Partials::Cells(more))
                if self.asked().contains(&Aggregation::Variance) =>
            {
                add_moments(own, more);
            }
            (Partials::Cells(own), Partials::Cells(more)) => {
                for ((function, own), more) in self.asked().iter().zip(own).zip(more) {
                    *own = match function {
                        Aggregation::Min => picked(own, more, false),
                        Aggregation::Max => picked(own, more, true),
                        _ => sum(own, more),
                    };
                }
            }
            _ => {}
        }
    }

    pub fn result(self, partials: &Partials) -> Cell {
        use Aggregation as A;
        let cells = match partials {
            Partials::Cells(cells) => cells.as_slice(),
            Partials::Values(values) => return self.of_values(values),
        };
        match (self.function, cells) {
            (A::Count, [Cell::Missing]) => Cell::Int(0),
            (A::Avg, [sum, count]) => match (sum.number(), count.number()) {
                (Some(sum), Some(count)) if count > 0.0 => Cell::float(sum / count),
                _ => Cell::Missing,
            },
            (A::Range, [least, greatest]) => match (least, greatest) {
                (Cell::Int(least), Cell::Int(greatest)) | (Cell::Time(least), Cell::Time(greatest)) => {
                    greatest.checked_sub(*least).map_or(Cell::Missing, Cell::Int)
                }
                (least, greatest) => {
                    let ends = greatest.number().zip(least.number());
                    ends.map_or(Cell::Missing, |(greatest, least)| Cell::float(greatest - least))
                }
            },
            (A::Variance, [_, _, variance]) => variance.number().map_or(Cell::Missing, Cell::float),
            (A::Stddev, [_, _, variance]) => {
                variance.number().map_or(Cell::Missing, |variance| Cell::float(variance.sqrt()))
            }
            _ => cells.first().cloned().unwrap_or(Cell::Missing),
        }
    }

    fn of_values(self, values: &BTreeMap<Cell, u64>) -> Cell {
        let Some(percent) = self.percent else {
            return Cell::Int(values.keys().filter(|value| !value.is_missing()).count() as i64);
        };
        let numbers = values.iter().filter(|(value, _)| value.number().is_some());
        let numbers: Vec<(Cell, u64)> = numbers.map(|(value, count)| (value.clone(), *count)).collect();
        percentile_of_counted(&numbers, percent)
    }
}

fn picked(one: &Cell, other: &Cell, greatest: bool) -> Cell {
    if one.is_missing() || other.is_missing() {
        return if one.is_missing() { other.clone() } else { one.clone() };
    }
    if greatest { one.max(other).clone() } else { one.min(other).clone() }
}

fn sum(one: &Cell, other: &Cell) -> Cell {
    match (one, other) {
        (Cell::Missing, known) | (known, Cell::Missing) => known.clone(),
        (Cell::Int(one), Cell::Int(other)) => Cell::whole(i128::from(*one) + i128::from(*other)),
        _ => one.number().zip(other.number()).map_or(Cell::Missing, |(one, other)| Cell::float(one + other)),
    }
}

/// Adds a count, a mean and a variance.
fn add_moments(own: &mut [Cell], more: &[Cell]) {
    let read = |cells: &[Cell]| {
        let count = cells[0].number().unwrap_or(0.0);
        (count, cells[1].number().unwrap_or(0.0), cells[2].number().unwrap_or(0.0) * (count - 1.0).max(0.0))
    };
    let ((count, mean, squares), (more_count, more_mean, more_squares)) = (read(own), read(more));
    let all = count + more_count;
    if all == 0.0 {
        return;
    }
    let distance = more_mean - mean;
    let squares = squares + more_squares + distance * distance * count * more_count / all;
    own[0] = Cell::Int(all as i64);
    own[1] = Cell::float(mean + distance * more_count / all);
    own[2] = if all > 1.0 { Cell::float(squares / (all - 1.0)) } else { Cell::Missing };
}

/// An aggregate of the same rows.
pub(super) fn with_function(aggregate: &Aggregate, function: Aggregation, name: String) -> Aggregate {
    Aggregate { function, parameter: None, name: Some(name), ..aggregate.clone() }
}

/// The number of rows that meet a condition, whatever their values.
pub(super) fn counting(condition: Option<Expr>, name: &str) -> Aggregate {
    Aggregate { condition, name: Some(name.to_owned()), ..Aggregate::counting(Span::default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of a place with these numbers.
    fn partials(merging: Merging, numbers: &[i64]) -> Partials {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<i64>() as f64 / count;
        let squares: f64 = numbers.iter().map(|number| (*number as f64 - mean).powi(2)).sum();
        if merging.asked().is_empty() {
            let mut values = BTreeMap::new();
            for number in numbers {
                *values.entry(Cell::Int(*number)).or_default() += 1;
            }
            return Partials::Values(values);
        }
        let cell = |function: &Aggregation| match function {
            Aggregation::Count => Cell::Int(numbers.len() as i64),
            _ if numbers.is_empty() => Cell::Missing,
            Aggregation::Sum => Cell::Int(numbers.iter().sum()),
            Aggregation::Avg => Cell::float(mean),
            Aggregation::Min => numbers.iter().min().map_or(Cell::Missing, |number| Cell::Int(*number)),
            Aggregation::Max => numbers.iter().max().map_or(Cell::Missing, |number| Cell::Int(*number)),
            Aggregation::Variance if count > 1.0 => Cell::float(squares / (count - 1.0)),
            _ => Cell::Missing,
        };
        Partials::Cells(merging.asked().iter().map(cell).collect())
    }

    #[test]
    fn merged_aggregates_are_those_of_all_numbers() {
        let all: Vec<i64> = (0..60).map(|n| (n * 37 + n * n) % 101 - 20).collect();
        let mergings: Vec<Merging> = Aggregation::ALL
            .iter()
            .map(|function| Aggregate {
                function: *function,
                parameter: Some(95.0),
                ..Aggregate::counting(Span::default())
            })
            .filter_map(|aggregate| Merging::from_aggregate(&aggregate))
            .collect();
        assert_eq!(mergings.len(), 17);
        for merging in mergings {
            for cuts in [[0, 0], [0, 60], [1, 2], [7, 40], [30, 31], [60, 60]] {
                let mut merged = merging.empty();
                for part in [&all[..cuts[0]], &all[cuts[0]..cuts[1]], &all[cuts[1]..]] {
                    merging.add(&mut merged, &partials(merging, part));
                }
                let (merged, whole) = (merging.result(&merged), merging.result(&partials(merging, &all)));
                let (merged, whole) = (merged.number().expect("a number"), whole.number().expect("a number"));
                assert!((merged - whole).abs() < 1e-9, "{merging:?} {cuts:?}: {merged} {whole}");
            }
        }
        assert_eq!(Merging::ROWS.result(&Merging::ROWS.empty()), Cell::Int(0));
        let mean = Merging { function: Aggregation::Avg, percent: None };
        assert_eq!(mean.result(&mean.empty()), Cell::Missing);
    }
}
