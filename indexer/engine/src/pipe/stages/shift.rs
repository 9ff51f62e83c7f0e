//! `shift`: the same calculations also for an earlier time or for other events, with the difference
//! and the ratio.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::arithmetic;
use super::super::run::{Run, RunOptions};
use super::super::step::{Kept, Step};
use super::super::table::Table;
use base::error::{Error, ErrorKind, Result};
use query::{Baseline, BinaryOp, Query, Stage};

pub struct Shift {
    baseline: Baseline,
    /// The stages that give the figures, those of `shift` itself among them as `stats`.
    stages: Vec<Stage>,
    keys: usize,
    /// The value of each calculation over no rows.
    empty: Vec<Cell>,
    kept: Kept,
}

/// The columns that follow each calculation.
pub fn shifted_names(calculated: &str) -> [String; 3] {
    ["before", "delta", "ratio"].map(|what| format!("{calculated}_{what}"))
}

impl Shift {
    pub fn new(baseline: Baseline, stages: Vec<Stage>, keys: usize, empty: Vec<Cell>) -> Shift {
        Shift { baseline, stages, keys, empty, kept: Kept::new("shift") }
    }

    /// The figures of the baseline, and how much earlier its times are.
    fn baseline(&self, run: &Run<'_>) -> Result<(Table, i64)> {
        let Some(scope) = run.scope else {
            return Err(Error::new(ErrorKind::QueryInvalid, "`shift` needs the events of a case"));
        };
        let view = scope.view;
        let (filter, shift) = match &self.baseline {
            Baseline::Events(filter) => (filter.clone(), 0),
            Baseline::Earlier(by) => (view.filter.clone(), by.amount() as i64),
            Baseline::Previous => {
                let (Some(from), Some(to)) = (view.from, view.to.or(run.clock.range.map(|(_, last)| last)))
                else {
                    return Err(Error::new(
                        ErrorKind::QueryInvalid,
                        "there is nothing before all of the data",
                    )
                    .hint("choose a range of times, or write shift with 1d"));
                };
                (view.filter.clone(), to.saturating_sub(from))
            }
        };
        let earlier = |time: Option<i64>| time.map(|time| time.saturating_sub(shift));
        let now = run.clock.range.map(|(first, last)| (first, last.saturating_add(1)));
        let range = match self.baseline {
            Baseline::Events(_) => (view.from, view.to),
            // Events after the range are not before it, however far the baseline lies back.
            _ => (earlier(view.from.or(now.map(|now| now.0))), earlier(view.to.or(now.map(|now| now.1)))),
        };
        let query = Query { filter, stages: self.stages.clone() };
        let options = RunOptions {
            zone: run.clock.zone.clone(),
            files: run.clock.files.clone(),
            by_rows: run.by_rows,
            ..RunOptions::default()
        };
        let found = scope.case.run(scope.snapshot, &query, range, &options, &mut |_| {}, &run.cancel)?;
        run.budget.take("shift", found.bytes())?;
        Ok((found, shift))
    }

    fn key(&self, table: &Table, row: usize, shift: i64) -> Vec<Cell> {
        (0..self.keys)
            .map(|column| match table.cell(row, column) {
                // Bins of an earlier time get the time of those that they are compared with.
                Cell::Time(time) => Cell::Time(time.saturating_add(shift)),
                cell => cell,
            })
            .collect()
    }
}

impl Step for Shift {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let now = self.kept.take(run)?;
        let (before, shift) = self.baseline(run)?;
        // Groups of both, in their order; for each the row here and there.
        let mut groups: BTreeMap<Vec<Cell>, (Option<usize>, Option<usize>)> = BTreeMap::new();
        (0..now.rows()).for_each(|row| groups.entry(self.key(&now, row, 0)).or_default().0 = Some(row));
        (0..before.rows())
            .for_each(|row| groups.entry(self.key(&before, row, shift)).or_default().1 = Some(row));
        let names: Vec<Arc<str>> = if now.names().is_empty() { before.names() } else { now.names() }.to_vec();
        let mut table = Table::of_rows(groups.len());
        for (column, name) in names.iter().enumerate() {
            if column < self.keys {
                table.set(name, Column::of_cells(groups.keys().map(|key| key[column].clone()).collect()));
                continue;
            }
            let empty = self.empty.get(column - self.keys).cloned().unwrap_or(Cell::Missing);
            let cells = |from: &Table, row: Option<usize>| {
                row.map_or_else(|| empty.clone(), |row| from.cell(row, column))
            };
            let pairs: Vec<(Cell, Cell)> =
                groups.values().map(|(one, other)| (cells(&now, *one), cells(&before, *other))).collect();
            let calculated = |op| pairs.iter().map(|(now, before)| arithmetic(op, now, before)).collect();
            let [earlier, delta, ratio] = shifted_names(name);
            table.set(name, Column::of_cells(pairs.iter().map(|(now, _)| now.clone()).collect()));
            table.set(&earlier, Column::of_cells(pairs.iter().map(|(_, before)| before.clone()).collect()));
            table.set(&delta, Column::of_cells(calculated(BinaryOp::Subtract)));
            table.set(&ratio, Column::of_cells(calculated(BinaryOp::Divide)));
        }
        Ok(Some(table))
    }
}
