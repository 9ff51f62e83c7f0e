//! `compare`: how the events differ from those of another filter, as `timberline compare` says it.

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use crate::compare::Difference;
use crate::view::View;
use base::error::{Error, ErrorKind, Result};
use query::Filter;
use store::Scalar;

/// Directly after the filter, so that the case itself compares.
pub struct Compare {
    with: Filter,
    limit: usize,
}

impl Compare {
    pub const COLUMNS: [&'static str; 21] = [
        "change",
        "kind",
        "what",
        "a",
        "b",
        "share_a",
        "share_b",
        "at_least",
        "score",
        "p_value",
        "distance",
        "p50_a",
        "p50_b",
        "p95_a",
        "p95_b",
        "period_a_s",
        "period_b_s",
        "clock_s",
        "since",
        "last",
        "filter",
    ];

    const CELLS: [fn(&Difference) -> Cell; 21] = [
        |row| Cell::text(row.change.name()),
        |row| Cell::text(row.kind()),
        |row| Cell::text(&row.subject.to_string()),
        |row| Cell::Int(row.counts[0] as i64),
        |row| Cell::Int(row.counts[1] as i64),
        |row| Cell::float(row.shares[0]),
        |row| Cell::float(row.shares[1]),
        |row| Cell::float(row.at_least),
        |row| Cell::float(row.score),
        |row| Cell::float(two_digits(row.p_value)),
        |row| row.moved.as_ref().map_or(Cell::Missing, |moved| Cell::float(moved.distance)),
        |row| percentile(row, 0, 0),
        |row| percentile(row, 0, 1),
        |row| percentile(row, 1, 0),
        |row| percentile(row, 1, 1),
        |row| period(row, 0),
        |row| period(row, 1),
        |row| row.clock.as_ref().map_or(Cell::Missing, |clock| Cell::float(clock.moved_ns as f64 / 1e9)),
        |row| row.since.map_or(Cell::Missing, |since| Cell::Time(since.at)),
        |row| row.stop.map_or(Cell::Missing, |stop| Cell::Time(stop.last)),
        |row| Cell::text(&row.filter.to_string()),
    ];

    pub fn new(with: Filter, limit: usize) -> Compare {
        Compare { with, limit }
    }
}

/// A probability to two digits: nobody reads more of one.
fn two_digits(probability: f64) -> f64 {
    format!("{probability:.1e}").parse().unwrap_or(probability)
}

fn percentile(row: &Difference, place: usize, side: usize) -> Cell {
    let value = row.moved.as_ref().and_then(|moved| moved.percentiles[place][side].as_ref());
    value.and_then(Scalar::number).map_or(Cell::Missing, Cell::float)
}

/// The seconds after which a pattern with another rhythm repeats.
fn period(row: &Difference, side: usize) -> Cell {
    let beat = row.beat.and_then(|beat| beat.beats[side]);
    beat.map_or(Cell::Missing, |beat| Cell::float(beat.period_ns as f64 / 1e9))
}

impl Step for Compare {
    fn push(&mut self, _: Table, _: &Run<'_>) -> Result<Option<Table>> {
        Ok(None)
    }

    /// The case reads the events itself.
    fn is_full(&self) -> bool {
        true
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let Some(scope) = run.scope else {
            return Err(Error::new(ErrorKind::QueryInvalid, "`compare` needs the events of a case"));
        };
        let b = scope.view;
        let a = View { filter: self.with.clone(), from: b.from, to: b.to };
        let found = scope.case.compare(scope.snapshot, [&a, b], self.limit, &mut |_, _| {}, &run.cancel)?;
        let mut notes = found.notes_and_volume();
        notes.extend(found.begins());
        run.note(notes);
        let rows = &found.differences;
        if rows.is_empty() {
            return Ok(None);
        }
        let column = |cell: &fn(&Difference) -> Cell| Column::of_cells(rows.iter().map(cell).collect());
        let columns = Self::COLUMNS.into_iter().map(str::to_owned).zip(Self::CELLS.iter().map(column));
        Ok(Some(Table::from_columns(columns.collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_probability_is_short() {
        let shown = |value: f64| Cell::float(two_digits(value)).to_string();
        assert_eq!(shown(3.456_789e-240), "3.5e-240");
        assert_eq!(shown(0.012_345), "0.012");
        assert_eq!((shown(0.0).as_str(), shown(1.0).as_str()), ("0", "1"));
    }
}
