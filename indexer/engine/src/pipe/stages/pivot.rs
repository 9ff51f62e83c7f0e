//! `pivot`: a row for each combination of the groups' values, and a column for each value of a field.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::{Column, Picked};
use super::super::expr::invalid;
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use super::keys::Keys;
use base::error::Result;
use query::FieldRef;

/// Turns a table of the groups, the value that becomes a column's name, and what was calculated.
pub struct Pivot {
    /// How many of the first columns are groups.
    keys: usize,
    field: FieldRef,
    most: usize,
    /// What was calculated for a combination without rows.
    empty: Cell,
    kept: Kept,
}

impl Pivot {
    pub fn new(keys: usize, field: FieldRef, most: usize, empty: Cell) -> Pivot {
        Pivot { keys, field, most, empty, kept: Kept::new("pivot") }
    }

    /// Distinct values in their order, and which of them each row has.
    fn columns(&self, values: &Column) -> Result<(Vec<Cell>, Vec<usize>)> {
        let mut known: HashMap<Cell, usize> = HashMap::new();
        let of_rows: Vec<usize> = (0..values.len())
            .map(|row| {
                let next = known.len();
                *known.entry(values.cell(row)).or_insert(next)
            })
            .collect();
        if known.len() > self.most {
            let message = format!(
                "`{}` has {} different values; `pivot` makes at most {} columns of them",
                self.field.name,
                known.len(),
                self.most
            );
            let hint = format!("filter it, or allow more with limit={}", known.len());
            return Err(invalid(message, self.field.span).hint(hint));
        }
        let mut in_order: Vec<(Cell, usize)> = known.into_iter().collect();
        in_order.sort();
        let mut place = vec![0; in_order.len()];
        in_order.iter().enumerate().for_each(|(new, (_, old))| place[*old] = new);
        let of_rows = of_rows.into_iter().map(|old| place[old]).collect();
        Ok((in_order.into_iter().map(|(cell, _)| cell).collect(), of_rows))
    }
}

/// What a column is called: its value, with `_` added until no other column has that name.
fn name_of(value: &Cell, taken: &[Arc<str>]) -> String {
    let mut name = if value.is_missing() { "null".to_owned() } else { value.to_string() };
    while taken.iter().any(|known| **known == *name) {
        name.push('_');
    }
    name
}

impl Step for Pivot {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let long = self.kept.take(run)?;
        let rows = long.rows();
        if rows == 0 {
            return Ok(None);
        }
        let (values, column_of) = self.columns(&long.columns()[self.keys])?;
        let mut keys = Keys::new(self.keys);
        let group_of = keys.groups(&long.columns()[..self.keys], rows);
        let groups = keys.len();
        let cells = groups.saturating_mul(values.len());
        run.budget.take("pivot", cells.saturating_mul(4 + size_of::<Cell>()))?;
        // The row of each combination, column by column; the one after the last is that of none.
        let mut places = vec![rows as u32; cells];
        let mut first = vec![u32::MAX; groups];
        for row in 0..rows {
            let group = group_of[row] as usize;
            places[column_of[row] * groups + group] = row as u32;
            first[group] = first[group].min(row as u32);
        }
        let calculated = &long.columns()[self.keys + 1];
        let none = Column::constant(&self.empty, 1);
        let calculated = Column::concat(&[calculated, &none], &|| run.check())?;
        let mut table = long.keep(&long.names()[..self.keys]).pick(&Picked::Some(&first));
        for (value, places) in values.iter().zip(places.chunks(groups)) {
            run.check()?;
            let name = name_of(value, table.names());
            table.set(&name, calculated.pick(&Picked::Some(places)));
        }
        run.budget.give_back(cells.saturating_mul(4 + size_of::<Cell>()));
        Ok(Some(table))
    }
}
