//! `eval`: sets columns, each seeing those set before it.

use super::super::expr::Expression;
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;

pub struct Eval(pub Vec<(String, Expression)>);

impl RowStep for Eval {
    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        let mut charge = run.charge("eval");
        let mut bytes = 0;
        for (name, value) in &self.0 {
            let column = value.column(&rows, run)?;
            bytes += column.own_bytes();
            charge.set(bytes)?;
            rows.set(name, column);
            run.check()?;
        }
        Ok(rows)
    }
}
