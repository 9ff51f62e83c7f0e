//! `fillnull` and `filldown`: values in place of missing ones.

use std::collections::HashMap;
use std::sync::Arc;

use ingest::{NO_INT, NO_TIME};

use super::super::cell::Cell;
use super::super::column::{Column, Data};
use super::super::run::Run;
use super::super::step::{RowStep, Step};
use super::super::table::Table;
use crate::error::Result;

/// The columns that are filled: those that were named, or all that there are.
pub(crate) type Filled = Option<Vec<Arc<str>>>;

fn filled(names: &Filled, rows: &Table) -> Vec<Arc<str>> {
    names.clone().unwrap_or_else(|| rows.names().to_vec())
}

pub(crate) struct FillNull {
    pub names: Filled,
    pub value: Cell,
}

impl RowStep for FillNull {
    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        for name in filled(&self.names, &rows) {
            run.check()?;
            if let Some(column) = fill(&rows.column_or_missing(&name), &self.value) {
                rows.set(&name, column);
            }
        }
        Ok(rows)
    }
}

/// The column without missing values; nothing where it has none.
fn fill(column: &Column, value: &Cell) -> Option<Column> {
    let rows = column.len();
    if let Data::Missing(_) = &column.data {
        return Some(Column::constant(value, rows));
    }
    if !(0..rows).any(|row| column.is_missing(row)) {
        return None;
    }
    Some(match (&column.data, value) {
        (Data::Int(values), Cell::Int(value)) => {
            let put = |&old: &i64| if old == NO_INT { *value } else { old };
            Column::new(Data::Int(values.iter().map(put).collect()))
        }
        (Data::Time(values), Cell::Time(value)) => {
            let put = |&old: &i64| if old == NO_TIME { *value } else { old };
            Column::new(Data::Time(values.iter().map(put).collect()))
        }
        (Data::Float(values), value) if value.number().is_some() => {
            let value = value.number().unwrap_or(f64::NAN);
            let put = |&old: &f64| if old.is_nan() { value } else { old };
            Column::new(Data::Float(values.iter().map(put).collect()))
        }
        _ => {
            let cell = |row| if column.is_missing(row) { value.clone() } else { column.cell(row) };
            Column::of_cells((0..rows).map(cell).collect())
        }
    })
}

/// The last value of each column goes on where values are missing.
pub(crate) struct FillDown {
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
