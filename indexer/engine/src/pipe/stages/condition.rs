//! `where` and `search`: rows for which a condition holds.

use super::super::column::Picked;
use super::super::expr::{Expression, TableFilter};
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;

pub struct Where(pub Expression);

impl RowStep for Where {
    fn apply(&self, rows: Table, run: &Run<'_>) -> Result<Table> {
        let holding = self.0.holding(&rows, run)?;
        Ok(if holding.len() == rows.rows() { rows } else { rows.pick(&Picked::Some(&holding)) })
    }
}

pub struct Search(pub TableFilter);

impl RowStep for Search {
    fn apply(&self, rows: Table, _: &Run<'_>) -> Result<Table> {
        let passing = self.0.passing(&rows);
        let found: Vec<u32> = (0..rows.rows() as u32).filter(|&row| passing[row as usize]).collect();
        Ok(rows.pick(&Picked::Some(&found)))
    }
}
