//! `keep`, `drop` and `rename`: which columns there are, and what they are called.

use std::sync::Arc;

use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;

pub struct Keep(pub Vec<Arc<str>>);

impl RowStep for Keep {
    fn apply(&self, rows: Table, _: &Run<'_>) -> Result<Table> {
        Ok(rows.keep(&self.0))
    }
}

pub struct Drop(pub Vec<Arc<str>>);

impl RowStep for Drop {
    fn apply(&self, rows: Table, _: &Run<'_>) -> Result<Table> {
        let kept: Vec<Arc<str>> =
            rows.names().iter().filter(|name| !self.0.contains(name)).cloned().collect();
        Ok(rows.keep(&kept))
    }
}

pub struct Rename(pub Vec<(Arc<str>, String)>);

impl RowStep for Rename {
    fn apply(&self, mut rows: Table, _: &Run<'_>) -> Result<Table> {
        self.0.iter().for_each(|(from, to)| rows.rename(from, to));
        Ok(rows)
    }
}
