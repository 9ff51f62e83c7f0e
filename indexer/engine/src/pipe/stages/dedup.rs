//! `dedup`: of rows with the same values the first ones.

use std::sync::Arc;

use super::super::column::{Column, Picked};
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use super::keys::Keys;
use base::error::Result;

pub struct Dedup {
    fields: Vec<Arc<str>>,
    keep: u64,
    keys: Keys,
    seen: Vec<u64>,
    bytes: usize,
}

impl Dedup {
    pub fn new(fields: Vec<Arc<str>>, keep: u64) -> Dedup {
        let keys = Keys::new(fields.len());
        Dedup { fields, keep, keys, seen: Vec::new(), bytes: 0 }
    }
}

impl Step for Dedup {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        let columns: Vec<Column> = self.fields.iter().map(|name| rows.column_or_missing(name)).collect();
        let groups = self.keys.groups(&columns, rows.rows());
        self.seen.resize(self.keys.len(), 0);
        let mut kept = Vec::new();
        for (row, &group) in groups.iter().enumerate() {
            let seen = &mut self.seen[group as usize];
            *seen += 1;
            if *seen <= self.keep {
                kept.push(row as u32);
            }
        }
        let bytes = self.keys.bytes() + self.seen.len() * 8;
        run.budget.take("dedup", bytes.saturating_sub(self.bytes))?;
        self.bytes = bytes;
        Ok(Some(rows.pick(&Picked::Some(&kept))))
    }
}
