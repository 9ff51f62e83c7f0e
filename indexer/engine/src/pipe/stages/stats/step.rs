//! `stats` where rows come from another stage.

use std::sync::Arc;

use super::super::super::run::Run;
use super::super::super::step::Step;
use super::super::super::table::Table;
use super::{Groups, StatsPlan};
use base::error::Result;

pub struct Stats(Option<Groups>);

impl Stats {
    pub fn new(plan: &Arc<StatsPlan>) -> Stats {
        Stats(Some(Groups::new(plan)))
    }
}

impl Step for Stats {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        if let Some(groups) = &mut self.0 {
            groups.add(&rows, run)?;
        }
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let Some(groups) = self.0.take() else { return Ok(None) };
        run.note(groups.notes());
        groups.into_table(run).map(Some)
    }
}
