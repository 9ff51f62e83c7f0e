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

pub struct TransactionStage {
    pub by: Vec<Arc<str>>,
    pub max_pause_ns: Option<i64>,
    pub max_span_ns: Option<i64>,
    pub starts_with: Option<TableFilter>,
    pub ends_with: Option<TableFilter>,
    pub open: HashMap<Vec<Cell>, One>,
    pub closed: Vec<(Vec<Cell>, One)>,
    pub without: u64,
    pub begun: u64,
    /// What is charged for them.
    pub bytes: usize,
}

/// The events of a transaction so far.
#[derive(Clone, Debug)]
pub struct One {
    first: i64,
    last: i64,
    count: i64,
    level: Level,
    longest_pause: i64,
    /// Its place among all, for those that begin at the same time.
    number: u64,
}

impl One {
    pub fn new(time: i64, number: u64) -> One {
        One { first: time, last: time, count: 0, level: Level::None, longest_pause: 0, number }
    }

    pub fn add(&mut self, time: i64, level: Level) {
        self.longest_pause = self.longest_pause.max(time.saturating_sub(self.last));
        self.last = self.last.max(time);
        self.level = self.level.max(level);
        self.count += 1;
    }
}

const COLUMNS: [&str; 6] = ["time", "end", "duration_ms", "count", "level", "longest_pause_ms"];

impl TransactionStage {
    /// The columns of the result.
    pub fn names(by: &[Arc<str>]) -> Vec<String> {
        by.iter().map(ToString::to_string).chain(COLUMNS.map(str::to_owned)).collect()
    }

    /// Whether a transaction ends before an event at this time.
    pub fn ends_before(&self, one: &One, time: i64) -> bool {
        self.max_pause_ns.is_some_and(|most| time.saturating_sub(one.last) > most)
            || self.max_span_ns.is_some_and(|most| time.saturating_sub(one.first) > most)
    }

    fn take(&mut self, key: &[Cell], time: i64, level: Level, (starts, ends): (bool, bool)) {
        if self.open.get(key).is_some_and(|open| starts || self.ends_before(open, time)) {
            self.close(key);
        }
        if let Some(open) = self.open.get_mut(key) {
            open.add(time, level);
        } else {
            self.begun += 1;
            self.bytes += bytes_of(key);
            let mut one = One::new(time, self.begun);
            one.add(time, level);
            self.open.insert(key.to_vec(), one);
        }
        if ends {
            self.close(key);
        }
    }

    /// The rows of transactions that were put together in another way.
    pub fn table(&self, all: Vec<(Vec<Cell>, One)>, without: u64, run: &Run<'_>) -> Result<Table> {
        let bytes = all.iter().map(|(key, _)| bytes_of(key)).sum();
        run.budget.take("transaction", bytes)?;
        let table = table(&self.by, all, without, run)?;
        run.budget.give_back(bytes);
        Ok(table)
    }

    fn close(&mut self, key: &[Cell]) {
        if let Some((key, one)) = self.open.remove_entry(key) {
            self.closed.push((key, one));
        }
    }
}

impl Step for TransactionStage {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        let passing = |filter: &Option<TableFilter>| match filter {
            Some(filter) => filter.passing(&rows),
            None => vec![false; rows.rows()],
        };
        let (starts, ends) = (passing(&self.starts_with), passing(&self.ends_with));
        let keys: Vec<Column> = self.by.iter().map(|name| rows.column_or_missing(name)).collect();
        let (times, levels) = (rows.column_or_missing("time"), rows.column_or_missing("level"));
        let before = self.bytes;
        for row in 0..rows.rows() {
            let key: Vec<Cell> = keys.iter().map(|column| column.cell(row)).collect();
            let (Cell::Time(time), false) = (times.cell(row), key.iter().any(Cell::is_missing)) else {
                self.without += 1;
                continue;
            };
            let level = if let Cell::Level(level) = levels.cell(row) { level } else { Level::None };
            self.take(&key, time, level, (starts[row], ends[row]));
        }
        run.budget.take("transaction", self.bytes - before)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let mut all = std::mem::take(&mut self.closed);
        all.extend(self.open.drain());
        let table = table(&self.by, all, self.without, run)?;
        run.budget.give_back(self.bytes);
        Ok(Some(table))
    }
}

/// What a transaction takes: its place in a table that is half full, and its values.
fn bytes_of(key: &[Cell]) -> usize {
    2 * size_of::<(Vec<Cell>, One)>() + key.iter().map(Cell::bytes).sum::<usize>()
}

/// The rows of transactions with their values.
fn table(by: &[Arc<str>], mut all: Vec<(Vec<Cell>, One)>, without: u64, run: &Run<'_>) -> Result<Table> {
    if without > 0 {
        run.note(vec![format!("{without} events have no time or no value of {}", by.join(", "))]);
    }
    all.sort_by_key(|(_, one)| (one.first, one.number));
    let milliseconds = |ns: i64| floats(BinaryOp::Divide, ns as f64, 1e6);
    let mut columns = Vec::new();
    for (index, name) in by.iter().enumerate() {
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
    let table = Table::from_columns(columns);
    // The transactions are given back once their rows are made.
    run.budget.take("transaction", table.bytes())?;
    run.budget.give_back(table.bytes());
    Ok(table)
}
