//! `limit` and `tail`: the first rows, or the last.

use std::collections::VecDeque;

use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use base::error::Result;

pub struct Limit {
    left: usize,
}

impl Limit {
    pub fn new(rows: u64) -> Limit {
        Limit { left: usize::try_from(rows).unwrap_or(usize::MAX) }
    }
}

impl Step for Limit {
    fn push(&mut self, rows: Table, _: &Run<'_>) -> Result<Option<Table>> {
        let taken = rows.rows().min(self.left);
        self.left -= taken;
        Ok(Some(if taken == rows.rows() { rows } else { rows.slice(0..taken) }))
    }

    fn is_full(&self) -> bool {
        self.left == 0
    }
}

pub struct Tail {
    wanted: usize,
    kept: VecDeque<Table>,
    rows: usize,
}

impl Tail {
    pub fn new(rows: u64) -> Tail {
        Tail { wanted: usize::try_from(rows).unwrap_or(usize::MAX), kept: VecDeque::new(), rows: 0 }
    }
}

impl Step for Tail {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        run.budget.take("tail", rows.bytes())?;
        self.rows += rows.rows();
        self.kept.push_back(rows);
        while let Some(first) = self.kept.front().filter(|first| self.rows - first.rows() >= self.wanted) {
            run.budget.give_back(first.bytes());
            self.rows -= first.rows();
            self.kept.pop_front();
        }
        Ok(None)
    }

    fn finish(&mut self, _: &Run<'_>) -> Result<Option<Table>> {
        let all = Table::concat(self.kept.drain(..).collect());
        let first = all.rows().saturating_sub(self.wanted);
        Ok(Some(all.slice(first..all.rows())))
    }
}
