//! `quantiles`: how much each part of a field's numbers differs from those of another filter.

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use crate::compare::CurvePoint;
use crate::view::View;
use base::error::{Error, ErrorKind, Result};
use query::Filter;

/// Directly after the filter, so that the case itself compares.
pub struct QuantilesStage {
    field: String,
    with: Filter,
}

impl QuantilesStage {
    pub const COLUMNS: [&'static str; 6] = ["quantile", "a", "b", "difference", "low", "high"];

    const CELLS: [fn(&CurvePoint) -> Option<f64>; 6] = [
        |point| Some(point.quantile),
        |point| Some(point.a),
        |point| Some(point.b),
        |point| Some(point.b - point.a),
        |point| point.low.map(|low| low - point.a),
        |point| point.high.map(|high| high - point.a),
    ];

    pub fn new(field: String, with: Filter) -> QuantilesStage {
        QuantilesStage { field, with }
    }
}

impl Step for QuantilesStage {
    fn push(&mut self, _: Table, _: &Run<'_>) -> Result<Option<Table>> {
        Ok(None)
    }

    /// The case reads the events itself.
    fn is_full(&self) -> bool {
        true
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let Some(scope) = run.scope else {
            return Err(Error::new(ErrorKind::QueryInvalid, "`quantiles` needs the events of a case"));
        };
        let b = scope.view;
        let a = View { filter: self.with.clone(), from: b.from, to: b.to };
        let curve = scope.case.quantile_curve(scope.snapshot, [&a, b], &self.field, &run.cancel)?;
        if curve.is_empty() {
            run.note(vec![format!(
                "a side has no numbers of {}, so there is nothing to compare",
                self.field
            )]);
            return Ok(None);
        }
        let cell = |value: Option<f64>| value.map_or(Cell::Missing, Cell::float);
        let column = |value: &fn(&CurvePoint) -> Option<f64>| {
            Column::of_cells(curve.iter().map(|point| cell(value(point))).collect())
        };
        let columns = Self::COLUMNS.into_iter().map(str::to_owned).zip(Self::CELLS.iter().map(column));
        Ok(Some(Table::from_columns(columns.collect())))
    }
}
