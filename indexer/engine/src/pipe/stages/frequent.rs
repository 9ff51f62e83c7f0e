//! `top` and `rare`: the most and the least frequent values, out of counts by group.

use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::{Column, Picked};
use super::super::expr::floats;
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use base::error::Result;
use query::BinaryOp;

/// Takes the counts of every combination, those of the `by` fields first, and keeps some of each.
pub struct Ranking {
    by: Vec<Arc<str>>,
    fields: Vec<Arc<str>>,
    count: usize,
    rarest: bool,
    kept: Kept,
}

impl Ranking {
    pub fn new(by: Vec<Arc<str>>, fields: Vec<Arc<str>>, count: usize, rarest: bool) -> Ranking {
        let kept = Kept::new(if rarest { "rare" } else { "top" });
        Ranking { by, fields, count, rarest, kept }
    }
}

impl Step for Ranking {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let all = self.kept.take(run)?;
        let columns = |names: &[Arc<str>]| -> Vec<Column> {
            names.iter().map(|name| all.column_or_missing(name)).collect()
        };
        let (by, fields, counts) = (columns(&self.by), columns(&self.fields), all.column_or_missing("count"));
        let count = |row: u32| if let Cell::Int(count) = counts.cell(row as usize) { count } else { 0 };
        let is_there = |row: &u32| fields.iter().all(|column| !column.is_missing(*row as usize));
        let missing: i64 = (0..all.rows() as u32).filter(|row| !is_there(row)).map(count).sum();
        if missing > 0 {
            run.note(vec![format!("{missing} rows have no value and are left out")]);
        }
        // The counts come in the order of their groups.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for row in (0..all.rows() as u32).filter(is_there) {
            let same =
                |other: u32| by.iter().all(|column| column.cell(row as usize) == column.cell(other as usize));
            match groups.last_mut() {
                Some(group) if same(group[0]) => group.push(row),
                _ => groups.push(vec![row]),
            }
        }
        let (mut order, mut percents) = (Vec::new(), Vec::new());
        for mut group in groups {
            let total: i64 = group.iter().map(|&row| count(row)).sum();
            group.sort_by_key(|&row| if self.rarest { count(row) } else { -count(row) });
            group.truncate(self.count);
            for row in group {
                let percent = floats(BinaryOp::Divide, 100.0 * count(row) as f64, total as f64);
                percents.push(percent);
                order.push(row);
            }
        }
        let mut table = all.pick(&Picked::Some(&order));
        table.set("percent", Column::of_cells(percents));
        Ok(Some(table))
    }
}
