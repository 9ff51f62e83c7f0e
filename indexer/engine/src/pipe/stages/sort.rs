//! `sort`: rows in the order of keys, which polars sorts. Equal rows stay in the order they had, which for events is
//! time, source and offset. If a limit follows, only the rows that can still be among the first are kept.

use super::super::cell::Cell;
use super::super::column::{Column, Picked};
use super::super::expr::Expression;
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use crate::frame::order::order;
use base::error::Result;
use base::limits::PIPE_ROWS;

/// Where few rows are wanted, so many are kept before they are sorted again.
const FEWEST_KEPT: usize = PIPE_ROWS / 4;

/// A key, and whether its greatest value comes first.
pub type SortExpression = (Expression, bool);

pub struct Sort {
    keys: Vec<SortExpression>,
    /// Only so many of the first rows are wanted.
    first: Option<usize>,
    kept: Kept,
}

impl Sort {
    pub fn new(keys: Vec<SortExpression>, first: Option<usize>) -> Sort {
        Sort { keys, first, kept: Kept::new("sort") }
    }

    /// Takes rows. When many more are kept than are wanted, the last ones are dropped and the first key of the last
    /// remaining row is returned: no row after it is among the first.
    pub fn keep(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Cell>> {
        self.kept.push(rows, run)?;
        if self.first.is_none_or(|first| self.kept.rows() <= first.max(FEWEST_KEPT).saturating_mul(4)) {
            return Ok(None);
        }
        let best = self.sorted(run)?;
        let last = self.first.filter(|&first| first > 0 && first == best.rows());
        let bar = match (last, self.keys.first()) {
            (Some(rows), Some((key, _))) => Some(key.column(&best.slice(rows - 1..rows), run)?.cell(0)),
            _ => None,
        };
        self.kept.push(best, run)?;
        Ok(bar)
    }

    fn sorted(&mut self, run: &Run<'_>) -> Result<Table> {
        let all = self.kept.take(run)?;
        let keys = self.keys.iter().map(|(key, descending)| Ok((key.column(&all, run)?, *descending)));
        let keys: Vec<(Column, bool)> = keys.collect::<Result<_>>()?;
        let mut order = order(&keys, all.rows(), &run.cancel)?;
        if let Some(first) = self.first {
            order.truncate(first);
        }
        Ok(all.pick(&Picked::Some(&order)))
    }
}

impl Step for Sort {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.keep(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        self.sorted(run).map(Some)
    }
}
