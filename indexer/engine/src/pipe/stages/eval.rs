//! `eval`: sets columns, each seeing those set before it.

use super::super::expr::Expression;
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;

pub struct Eval(pub Vec<(String, Expression)>);

impl RowStep for Eval {
    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        for (name, value) in &self.0 {
            let column = value.column(&rows, &run.clock)?;
            rows.set(name, column);
            run.check()?;
        }
        Ok(rows)
    }
}
