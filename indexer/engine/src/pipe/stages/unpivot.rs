//! `unpivot`: a row for each of some columns, with its name and its value. Missing values give no row.

use std::sync::Arc;

use super::super::column::{Column, Picked};
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;
use query::like;

pub struct Unpivot {
    /// Patterns of the columns that become rows; all that do not stay when empty.
    pub columns: Vec<String>,
    /// The columns that stay; all that do not become rows when empty.
    pub by: Vec<Arc<str>>,
    pub name: String,
    pub value: String,
}

impl Unpivot {
    /// Of these columns those that become rows, and those that stay.
    pub fn split(&self, names: &[Arc<str>]) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
        let turns = |name: &&Arc<str>| {
            !self.by.contains(name)
                && (self.columns.is_empty() || self.columns.iter().any(|pattern| like(pattern, name)))
        };
        let turned: Vec<Arc<str>> = names.iter().filter(turns).cloned().collect();
        let stays = if self.by.is_empty() {
            names.iter().filter(|name| !turned.contains(name)).cloned().collect()
        } else {
            self.by.clone()
        };
        (turned, stays)
    }
}

impl RowStep for Unpivot {
    fn apply(&self, rows: Table, run: &Run<'_>) -> Result<Table> {
        let (turned, stays) = self.split(rows.names());
        let count = rows.rows();
        let columns: Vec<Column> = turned.iter().map(|name| rows.column_or_missing(name)).collect();
        run.budget.take("unpivot", rows.bytes() * turned.len())?;
        run.budget.give_back(rows.bytes() * turned.len());
        // The place of each value in the columns one below the other, row by row.
        let (mut places, mut of_rows, mut of_names) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..count {
            for (index, column) in columns.iter().enumerate() {
                if !column.is_missing(row) {
                    places.push((index * count + row) as u32);
                    of_rows.push(row as u32);
                    of_names.push(index as u32);
                }
            }
        }
        let parts: Vec<&Column> = columns.iter().collect();
        let values = Column::concat(&parts, &|| run.check())?;
        let names = turned.iter().map(|name| super::super::cell::Cell::text(name)).collect();
        let mut table = rows.keep(&stays).pick(&Picked::Some(&of_rows));
        table.set(&self.name, Column::of_cells(names).pick(&Picked::Some(&of_names)));
        table.set(&self.value, values.pick(&Picked::Some(&places)));
        Ok(table)
    }
}
