//! `change_point`: where a series changes, and how.
//!
//! - A *spike* or *dip* is a value (or a few in a row, at most a twentieth of the series) further from the
//!   median than six times the median distance, scaled as a deviation.
//! - A *step* is where Pettitt's test, which looks at ranks and so at no distribution, sees a change that
//!   chance gives in less than one series of a hundred.
//! - A *trend* is such a change that a straight line (Theil and Sen's) fits better than two levels.

use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::{floats, number_of};
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use base::error::{Error, ErrorKind, Result};
use base::limits::SERIES_POINTS;
use query::BinaryOp;

pub struct ChangePoint {
    value: Arc<str>,
    on: Arc<str>,
    kept: Kept,
}

/// What chance must give less often than this to be called a change.
const CHANCE: f64 = 0.01;
/// Distances from the median, in deviations, beyond which a value is an outlier.
const OUTLIER_DISTANCE: f64 = 6.0;
/// The median distance of a normal distribution, in its deviations.
const MEDIAN_DISTANCE: f64 = 0.6745;
/// The fewest values that a result can come from.
const FEWEST: usize = 6;

struct FoundChange {
    kind: &'static str,
    at: Option<usize>,
    before: f64,
    after: f64,
    /// How often chance gives the like.
    chance: f64,
}

impl ChangePoint {
    pub const COLUMNS: [&'static str; 6] = ["kind", "before", "after", "delta", "chance", "points"];

    pub fn new(value: Arc<str>, on: Arc<str>) -> ChangePoint {
        ChangePoint { value, on, kept: Kept::new("change_point") }
    }
}

impl Step for ChangePoint {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows.keep(&[Arc::clone(&self.on), Arc::clone(&self.value)]), run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let all = self.kept.take(run)?;
        let mut points: Vec<(Cell, f64)> = Vec::with_capacity(all.rows());
        let (on, value) = (all.column_or_missing(&self.on), all.column_or_missing(&self.value));
        for row in 0..all.rows() {
            if let Some(number) = number_of(&value.cell(row)).and_then(|cell| cell.number()) {
                points.push((on.cell(row), number));
            }
        }
        if points.len() > SERIES_POINTS {
            let message = format!(
                "`change_point` looks at series of up to {SERIES_POINTS} points, not {}",
                points.len()
            );
            return Err(
                Error::new(ErrorKind::Limit, message).hint("bin the time first: timechart span=auto …")
            );
        }
        if points.len() < all.rows() {
            run.note(vec![format!("{} rows have no number in {}", all.rows() - points.len(), self.value)]);
        }
        points.sort_by(|one, other| one.0.cmp(&other.0));
        let numbers: Vec<f64> = points.iter().map(|(_, number)| *number).collect();
        let change = find(&numbers);
        let place = change.at.map_or(Cell::Missing, |at| points[at].0.clone());
        let one = |cell: Cell| Column::of_cells(vec![cell]);
        let values = [
            one(Cell::text(change.kind)),
            one(Cell::float(change.before)),
            one(Cell::float(change.after)),
            one(floats(BinaryOp::Subtract, change.after, change.before)),
            one(Cell::float(change.chance)),
            one(Cell::Int(points.len() as i64)),
        ];
        let mut columns = vec![(self.on.to_string(), one(place))];
        columns.extend(Self::COLUMNS.map(str::to_owned).into_iter().zip(values));
        Ok(Some(Table::from_columns(columns)))
    }
}

fn find(series: &[f64]) -> FoundChange {
    let middle = median(series);
    let nothing = FoundChange { kind: "none", at: None, before: middle, after: middle, chance: 1.0 };
    if series.len() < FEWEST {
        return nothing;
    }
    if let Some(outlier) = outlier(series, middle) {
        return outlier;
    }
    let (at, chance) = pettitt(series);
    if chance >= CHANCE || at + 1 >= series.len() {
        return FoundChange { chance, ..nothing };
    }
    let (before, after) = (median(&series[..=at]), median(&series[at + 1..]));
    let slope = slope(series);
    let centre = (series.len() - 1) as f64 / 2.0;
    let error = |model: &dyn Fn(usize) -> f64| -> f64 {
        series.iter().enumerate().map(|(place, value)| (value - model(place)).abs()).sum()
    };
    let levels = error(&|place| if place <= at { before } else { after });
    let line = error(&|place| middle + slope * (place as f64 - centre));
    if line < levels {
        let end = slope * centre;
        return FoundChange { kind: "trend", at: Some(0), before: middle - end, after: middle + end, chance };
    }
    FoundChange { kind: "step", at: Some(at + 1), before, after, chance }
}

fn median(numbers: &[f64]) -> f64 {
    base::median(&mut numbers.to_vec()).unwrap_or(0.0)
}

/// A few consecutive values that are outliers.
fn outlier(series: &[f64], middle: f64) -> Option<FoundChange> {
    let distances: Vec<f64> = series.iter().map(|value| (value - middle).abs()).collect();
    let usual = median(&distances) / MEDIAN_DISTANCE;
    // In a series that never moves, any difference is an outlier, except one of rounding.
    let limit = (OUTLIER_DISTANCE * usual).max(middle.abs() * 1e-9);
    let out: Vec<usize> = (0..series.len()).filter(|&place| distances[place] > limit).collect();
    let (&first, &last) = (out.first()?, out.last()?);
    let most = (series.len() / 20).max(1);
    if last - first >= most || out.len() > most {
        return None;
    }
    let at = out.into_iter().max_by(|&one, &other| distances[one].total_cmp(&distances[other]))?;
    let kind = if series[at] > middle { "spike" } else { "dip" };
    // Chebyshev's bound holds for every distribution.
    let chance = if usual > 0.0 { (usual / distances[at]).powi(2) } else { 0.0 };
    Some(FoundChange { kind, at: Some(at), before: middle, after: series[at], chance })
}

/// The last place before the change, and how often chance gives as large a one.
fn pettitt(series: &[f64]) -> (usize, f64) {
    let count = series.len() as f64;
    let ranks = ranks(series);
    let (mut sum, mut best, mut at) = (0.0, 0.0_f64, 0);
    for (place, rank) in ranks.iter().enumerate() {
        sum += rank;
        let statistic = (2.0 * sum - (place + 1) as f64 * (count + 1.0)).abs();
        if statistic > best {
            (best, at) = (statistic, place);
        }
    }
    (at, (2.0 * (-6.0 * best * best / (count.powi(3) + count.powi(2))).exp()).min(1.0))
}

/// The place of each value in the order of all; equal ones share the mean of theirs.
fn ranks(series: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|&one, &other| series[one].total_cmp(&series[other]));
    let mut ranks = vec![0.0; series.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..]
            .iter()
            .take_while(|&&place| series[place].total_cmp(&series[order[start]]).is_eq())
            .count();
        let rank = start as f64 + f64::midpoint(same as f64, 1.0);
        order[start..start + same].iter().for_each(|&place| ranks[place] = rank);
        start += same;
    }
    ranks
}

/// The median slope between pairs at a distance of half of the series.
fn slope(series: &[f64]) -> f64 {
    let half = series.len() / 2;
    let slopes: Vec<f64> =
        (0..series.len() - half).map(|place| (series[place + half] - series[place]) / half as f64).collect();
    median(&slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around zero that look random and are always the same.
    fn noise(place: usize) -> f64 {
        ((place as f64 * 12.9898).sin() * 43_758.545_3).fract() - 0.5
    }

    fn kind(value: impl Fn(usize) -> f64) -> (&'static str, Option<usize>) {
        let series: Vec<f64> = (0..60).map(|place| value(place) + noise(place)).collect();
        let change = find(&series);
        (change.kind, change.at)
    }

    #[test]
    fn each_kind_of_change_is_found() {
        assert_eq!(kind(|_| 10.0).0, "none");
        assert_eq!(kind(|place| if place == 20 { 40.0 } else { 10.0 }), ("spike", Some(20)));
        assert_eq!(kind(|place| if place == 31 { -40.0 } else { 10.0 }), ("dip", Some(31)));
        assert_eq!(kind(|place| if place < 40 { 10.0 } else { 13.0 }), ("step", Some(40)));
        assert_eq!(kind(|place| place as f64 * 0.5), ("trend", Some(0)));
        assert_eq!(find(&[1.0, 2.0]).kind, "none");
        assert_eq!(find(&[]).kind, "none");
        assert_eq!(find(&[5.0; 30]).kind, "none");
    }
}
