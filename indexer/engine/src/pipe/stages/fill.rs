//! `fillnull` and `filldown`: values in place of missing ones.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::run::Run;
use super::super::step::{RowStep, Step};
use super::super::table::Table;
use base::error::Result;

/// The columns that are filled: those that were named, or all that there are.
pub type Filled = Option<Vec<Arc<str>>>;

fn filled(names: &Filled, rows: &Table) -> Vec<Arc<str>> {
    names.clone().unwrap_or_else(|| rows.names().to_vec())
}

pub struct FillNull {
    pub names: Filled,
    pub value: Cell,
}

impl RowStep for FillNull {
    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        for name in filled(&self.names, &rows) {
            run.check()?;
            let column = fill(&rows.column_or_missing(&name), &self.value);
            rows.set(&name, column);
        }
        Ok(rows)
    }
}

/// The column without missing values. It holds the values of both types then.
fn fill(column: &Column, value: &Cell) -> Column {
    let values = [column.clone(), Column::constant(value, column.len())];
    Column::choose(&values, column.len(), |row| Some(usize::from(column.is_missing(row))))
}

/// The last value of each column goes on where values are missing.
pub struct FillDown {
    names: Filled,
    last: HashMap<Arc<str>, Cell>,
}

impl FillDown {
    pub fn new(names: Filled) -> FillDown {
        FillDown { names, last: HashMap::new() }
    }
}

impl Step for FillDown {
    fn push(&mut self, mut rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        for name in filled(&self.names, &rows) {
            run.check()?;
            let column = rows.column_or_missing(&name);
            let last = self.last.entry(Arc::clone(&name)).or_insert(Cell::Missing);
            if !(0..column.len()).any(|row| column.is_missing(row)) {
                *last = column.len().checked_sub(1).map_or(Cell::Missing, |row| column.cell(row));
                continue;
            }
            let cells = (0..column.len()).map(|row| {
                if !column.is_missing(row) {
                    *last = column.cell(row);
                }
                last.clone()
            });
            let column = Column::of_cells(cells.collect());
            rows.set(&name, column);
        }
        Ok(Some(rows))
    }
}
