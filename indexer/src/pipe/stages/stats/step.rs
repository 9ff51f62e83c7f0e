//! `stats` where rows come from another stage.

use std::sync::Arc;

use super::super::super::run::Run;
use super::super::super::step::Step;
use super::super::super::table::Table;
use super::{Groups, StatsPlan};
use crate::error::Result;

pub(crate) struct Stats(Groups);

impl Stats {
    pub fn new(plan: &Arc<StatsPlan>) -> Stats {
        Stats(Groups::new(plan))
    }
}

impl Step for Stats {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.0.add(&rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        run.note(self.0.notes());
        self.0.table(run).map(Some)
    }
}
