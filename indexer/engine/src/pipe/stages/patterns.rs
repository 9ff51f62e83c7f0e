//! `patterns`: the templates of the messages of the events that came.

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use crate::templates::PatternOptions;
use base::error::{Error, ErrorKind, Result};

/// Directly after the filter, so that the case itself lists them.
pub struct PatternsStage {
    limit: usize,
}

impl PatternsStage {
    pub const COLUMNS: [&'static str; 6] = ["id", "pattern", "count", "share", "first", "last"];

    pub fn new(limit: usize) -> PatternsStage {
        PatternsStage { limit }
    }
}

impl Step for PatternsStage {
    fn push(&mut self, _: Table, _: &Run<'_>) -> Result<Option<Table>> {
        Ok(None)
    }

    /// The case reads the events itself.
    fn is_full(&self) -> bool {
        true
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let Some(scope) = run.scope else {
            return Err(Error::new(ErrorKind::QueryInvalid, "`patterns` needs the events of a case"));
        };
        let options = PatternOptions { limit: self.limit, ..PatternOptions::default() };
        let found =
            scope.case.patterns(scope.snapshot, scope.view, &options, &mut |_, _| {}, &run.cancel)?.patterns;
        if found.is_empty() {
            return Ok(None);
        }
        let column = |cell: &dyn Fn(&crate::templates::Pattern) -> Cell| {
            Column::of_cells(found.iter().map(cell).collect())
        };
        let time = |time: Option<i64>| time.map_or(Cell::Missing, Cell::Time);
        let columns = [
            column(&|one| Cell::text(&one.id.to_string())),
            column(&|one| Cell::text(&one.text)),
            column(&|one| Cell::Int(one.count as i64)),
            column(&|one| Cell::float(one.share)),
            column(&|one| time(one.first)),
            column(&|one| time(one.last)),
        ];
        Ok(Some(Table::from_columns(Self::COLUMNS.map(str::to_owned).into_iter().zip(columns).collect())))
    }
}
