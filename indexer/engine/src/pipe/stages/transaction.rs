//! `transaction`: a row for the events that share values, in the order in which they begin.

use std::collections::HashMap;
use std::sync::Arc;

use ingest::{Level, NO_TIME};

use super::super::cell::Cell;
use super::super::column::Column;
use super::super::expr::{TableFilter, floats};
use super::super::run::Run;
use super::super::step::Step;
use super::super::table::Table;
use base::error::Result;
use query::BinaryOp;

pub struct Transaction {
    pub by: Vec<Arc<str>>,
    pub max_pause_ns: Option<i64>,
    pub max_span_ns: Option<i64>,
    pub starts_with: Option<TableFilter>,
    pub ends_with: Option<TableFilter>,
    pub open: HashMap<Vec<Cell>, One>,
    pub closed: Vec<(Vec<Cell>, One)>,
    pub without: u64,
}

#[derive(Clone)]
pub struct One {
    first: i64,
    last: i64,
    count: i64,
    level: Level,
    longest_pause: i64,
    /// Its place among all, for those that begin at the same time.
    number: u64,
}

const COLUMNS: [&str; 6] = ["time", "end", "duration_ms", "count", "level", "longest_pause_ms"];

impl Transaction {
    /// The columns of the result.
    pub fn names(by: &[Arc<str>]) -> Vec<String> {
        by.iter().map(ToString::to_string).chain(COLUMNS.map(str::to_owned)).collect()
    }

    fn take(&mut self, key: &[Cell], time: i64, level: Level, number: u64, (starts, ends): (bool, bool)) {
        if let Some(open) = self.open.get(key) {
            let pause = time.saturating_sub(open.last);
            let span = time.saturating_sub(open.first);
            let broken = self.max_pause_ns.is_some_and(|most| pause > most)
                || self.max_span_ns.is_some_and(|most| span > most);
            if starts || broken {
                self.close(key);
            }
        }
        let one = self.open.entry(key.to_vec()).or_insert(One {
            first: time,
            last: time,
            count: 0,
            level,
            longest_pause: 0,
            number,
        });
        one.longest_pause = one.longest_pause.max(time.saturating_sub(one.last));
        one.last = one.last.max(time);
        one.level = one.level.max(level);
        one.count += 1;
        if ends {
            self.close(key);
        }
    }

    fn close(&mut self, key: &[Cell]) {
        if let Some((key, one)) = self.open.remove_entry(key) {
            self.closed.push((key, one));
        }
    }
}

impl Step for Transaction {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        let passing = |filter: &Option<TableFilter>| match filter {
            Some(filter) => filter.passing(&rows),
            None => vec![false; rows.rows()],
        };
        let (starts, ends) = (passing(&self.starts_with), passing(&self.ends_with));
        let keys: Vec<Column> = self.by.iter().map(|name| rows.column_or_missing(name)).collect();
        let (times, levels) = (rows.column_or_missing("time"), rows.column_or_missing("level"));
        let before = self.open.len() + self.closed.len();
        for row in 0..rows.rows() {
            let key: Vec<Cell> = keys.iter().map(|column| column.cell(row)).collect();
            let (Cell::Time(time), false) = (times.cell(row), key.iter().any(Cell::is_missing)) else {
                self.without += 1;
                continue;
            };
            let level = if let Cell::Level(level) = levels.cell(row) { level } else { Level::None };
            let number = (self.open.len() + self.closed.len()) as u64;
            self.take(&key, time, level, number, (starts[row], ends[row]));
        }
        let new = self.open.len() + self.closed.len() - before;
        run.budget.take("transaction", new * (size_of::<One>() + 64 * self.by.len().max(1)))?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        if self.without > 0 {
            let said = format!("{} events have no time or no value of {}", self.without, self.by.join(", "));
            run.note(vec![said]);
        }
        let mut all = std::mem::take(&mut self.closed);
        all.extend(self.open.drain());
        all.sort_by_key(|(_, one)| (one.first, one.number));
        let milliseconds = |ns: i64| floats(BinaryOp::Divide, ns as f64, 1e6);
        let mut columns = Vec::new();
        for (index, name) in self.by.iter().enumerate() {
            let cells = all.iter().map(|(key, _)| key[index].clone()).collect();
            columns.push((name.to_string(), Column::of_cells(cells)));
        }
        let time = |time: i64| if time == NO_TIME { Cell::Missing } else { Cell::Time(time) };
        let column =
            |value: &dyn Fn(&One) -> Cell| Column::of_cells(all.iter().map(|(_, one)| value(one)).collect());
        let values = [
            column(&|one| time(one.first)),
            column(&|one| time(one.last)),
            column(&|one| milliseconds(one.last - one.first)),
            Column::ints(all.iter().map(|(_, one)| one.count).collect()),
            column(&|one| Cell::level(one.level)),
            column(&|one| milliseconds(one.longest_pause)),
        ];
        columns.extend(COLUMNS.map(str::to_owned).into_iter().zip(values));
        Ok(Some(Table::from_columns(columns)))
    }
}
