//! `timechart`: out of groups by a bin of time, and perhaps by a value, a row for each bin, those without
//! events too, and a column for each value.

use super::super::calendar::Width;
use super::super::cell::Cell;
use super::super::column::{Column, Data, filled};
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use base::error::{Error, ErrorKind, Result};
use base::limits::TIMELINE_BUCKETS;
use query::functions::Aggregation;

/// The value of all that are not among the largest.
pub const OTHER: &str = "other";

/// The column of rows without a value.
const NONE: &str = "none";

pub struct Timechart {
    width: Width,
    /// Whether the second column is a value whose series are columns.
    split: bool,
    /// The calculations, which the last columns hold, and their names.
    functions: Vec<(String, Aggregation)>,
    kept: Kept,
}

impl Timechart {
    pub fn new(width: Width, split: bool, functions: Vec<(String, Aggregation)>) -> Timechart {
        Timechart { width, split, functions, kept: Kept::new("timechart") }
    }

    /// Where each bin begins that the times looked at lie in.
    fn bins(&self, times: &[i64], run: &Run<'_>) -> Result<Vec<i64>> {
        let there = times.iter().copied().filter(|&time| time != ingest::NO_TIME);
        let found = there.clone().min().zip(there.max());
        let range = match (run.clock.range, found) {
            (Some((from, to)), Some((first, last))) => Some((from.min(first), to.max(last))),
            (range, found) => range.or(found),
        };
        let Some((first, last)) = range else { return Ok(Vec::new()) };
        let mut bins = Vec::new();
        let mut at = first;
        while at <= last {
            let Some((start, end)) = self.width.around(at, &run.clock.zone) else { break };
            bins.push(start);
            if bins.len() > TIMELINE_BUCKETS {
                let message = format!("`timechart` would have more than {TIMELINE_BUCKETS} bins");
                return Err(
                    Error::new(ErrorKind::Limit, message).hint("take a wider span or a shorter range")
                );
            }
            if end <= at {
                break;
            }
            at = end;
        }
        Ok(bins)
    }
}

/// The value of a group without rows.
pub fn empty(function: Aggregation) -> Cell {
    if function.is_zero_without_rows() { Cell::Int(0) } else { Cell::Missing }
}

impl Step for Timechart {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let all = self.kept.take(run)?;
        let times: Vec<i64> = match all.columns().first().map(|column| &column.data) {
            Some(Data::Time(times)) => filled(times, ingest::NO_TIME).into_owned(),
            _ => vec![ingest::NO_TIME; all.rows()],
        };
        if times.contains(&ingest::NO_TIME) {
            run.note(vec!["rows without a time are left out of the chart".to_owned()]);
        }
        let bins = self.bins(&times, run)?;
        let name_of = |row: usize| match all.cell(row, 1) {
            Cell::Missing => NONE.to_owned(),
            cell => cell.to_string(),
        };
        // The series in the order of their values, all others last.
        let mut series: Vec<(Cell, String)> = Vec::new();
        if self.split {
            series = (0..all.rows()).map(|row| (all.cell(row, 1), name_of(row))).collect();
            series.sort_by_key(|(cell, name)| (name == OTHER, cell.clone()));
            series.dedup_by(|one, other| one.1 == other.1);
        }
        let mut table = Table::from_columns(vec![("time".to_owned(), Column::times(bins.clone()))]);
        for (calculated, function) in &self.functions {
            let cells = all.column_or_missing(calculated);
            // Without rows there are no series.
            let count = if self.split { series.len() } else { 1 };
            let function = *function;
            let mut columns = vec![vec![empty(function); bins.len()]; count];
            for (row, time) in times.iter().enumerate() {
                let Ok(bin) = bins.binary_search(time) else { continue };
                let place = if self.split {
                    let name = name_of(row);
                    series.iter().position(|(_, known)| *known == name).unwrap_or(0)
                } else {
                    0
                };
                columns[place][bin] = cells.cell(row);
            }
            for (place, cells) in columns.into_iter().enumerate() {
                let name = match (series.get(place), self.functions.len()) {
                    (None, _) => calculated.clone(),
                    (Some((_, name)), 1) => name.clone(),
                    (Some((_, name)), _) => format!("{calculated}: {name}"),
                };
                table.set(&name, Column::of_cells(cells));
            }
        }
        Ok(Some(table))
    }
}
