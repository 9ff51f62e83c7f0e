//! The table that stages hand to each other.

use std::convert::Infallible;
use std::sync::Arc;

use super::cell::Cell;
use super::column::{Column, Picked};

/// Named columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct Table {
    names: Vec<Arc<str>>,
    columns: Vec<Column>,
    rows: usize,
    /// Which event each row is, while rows are events.
    pub events: Option<Vec<EventRef>>,
    /// What people should know of it, such as values that were passed over.
    pub notes: Vec<String>,
}

/// An event by its place in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventRef {
    pub segment: u32,
    pub row: u32,
}

impl Table {
    #[must_use]
    pub fn of_rows(rows: usize) -> Table {
        Table { rows, ..Table::default() }
    }

    #[must_use]
    pub fn from_columns(columns: Vec<(String, Column)>) -> Table {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        let mut table = Table::of_rows(rows);
        for (name, column) in columns {
            table.set(&name, column);
        }
        table
    }

    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.names.iter().position(|known| **known == *name).map(|index| &self.columns[index])
    }

    /// The column of this name, or one that is all missing.
    #[must_use]
    pub fn column_or_missing(&self, name: &str) -> Column {
        self.column(name).cloned().unwrap_or_else(|| Column::missing(self.rows))
    }

    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        self.columns[column].cell(row)
    }

    /// The first rows.
    #[must_use]
    pub fn first(&self, rows: usize) -> Table {
        if rows >= self.rows {
            self.clone()
        } else {
            Table { notes: self.notes.clone(), ..self.slice(0..rows) }
        }
    }

    /// Replaces the column of this name, or adds one at the end.
    pub fn set(&mut self, name: &str, column: Column) {
        if let Some(index) = self.names.iter().position(|known| **known == *name) {
            self.columns[index] = column;
        } else {
            self.names.push(Arc::from(name));
            self.columns.push(column);
        }
    }

    /// These columns in this order; those that are not there are all missing.
    #[must_use]
    pub fn keep(&self, names: &[Arc<str>]) -> Table {
        let columns =
            names.iter().map(|name| self.column(name).cloned().unwrap_or_else(|| Column::missing(self.rows)));
        Table {
            columns: columns.collect(),
            names: names.to_vec(),
            rows: self.rows,
            events: self.events.clone(),
            notes: Vec::new(),
        }
    }

    pub fn rename(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        if let Some(index) = self.names.iter().position(|known| **known == *from) {
            if let Some(old) = self.names.iter().position(|known| **known == *to) {
                self.names.remove(old);
                self.columns.remove(old);
                return self.rename(from, to);
            }
            self.names[index] = Arc::from(to);
        }
    }

    /// The same unless there is a column of the new name.
    pub fn rename_new(&mut self, from: &str, to: &str) {
        if self.column(to).is_none() {
            self.rename(from, to);
        }
    }

    #[must_use]
    pub fn pick(&self, rows: &Picked<'_>) -> Table {
        Table {
            names: self.names.clone(),
            columns: self.columns.iter().map(|column| column.pick(rows)).collect(),
            rows: rows.len(),
            events: self.events.as_ref().map(|events| rows.pick(events)),
            notes: Vec::new(),
        }
    }

    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Table {
        let end = range.end.min(self.rows);
        self.pick(&Picked::Run(range.start.min(end)..end))
    }

    /// Tables one below the other. Columns that some do not have are missing there.
    #[must_use]
    pub fn concat(tables: Vec<Table>) -> Table {
        let Ok(table) = Table::concat_unless(tables, &|| Ok::<_, Infallible>(()));
        table
    }

    /// The same, as long as nobody stops it: many texts take a while.
    pub fn concat_unless<E>(
        mut tables: Vec<Table>,
        stopped: &dyn Fn() -> std::result::Result<(), E>,
    ) -> std::result::Result<Table, E> {
        if tables.len() == 1 {
            return Ok(tables.swap_remove(0));
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        for name in tables.iter().flat_map(|table| &table.names) {
            if !names.contains(name) {
                names.push(Arc::clone(name));
            }
        }
        let column = |name: &Arc<str>| {
            let absent: Vec<Column> = tables.iter().map(|table| Column::missing(table.rows)).collect();
            let parts: Vec<&Column> = tables
                .iter()
                .zip(&absent)
                .map(|(table, absent)| table.column(name).unwrap_or(absent))
                .collect();
            Column::concat(&parts, stopped)
        };
        let columns = names.iter().map(column).collect::<std::result::Result<_, E>>()?;
        let rows = tables.iter().map(|table| table.rows).sum();
        let are_events = tables.iter().all(|table| table.events.is_some()) && !tables.is_empty();
        let events = tables.iter().filter_map(|table| table.events.as_deref()).flatten().copied();
        let events = are_events.then(|| events.collect());
        Ok(Table { names, columns, rows, events, notes: Vec::new() })
    }

    /// Bytes it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let events = self.events.as_ref().map_or(0, |events| events.len() * size_of::<EventRef>());
        events + self.columns.iter().map(Column::bytes).sum::<usize>()
    }

    /// Those that are not charged yet.
    #[must_use]
    pub fn own_bytes(&self) -> usize {
        let events = self.events.as_ref().map_or(0, |events| events.len() * size_of::<EventRef>());
        events + self.columns.iter().map(Column::own_bytes).sum::<usize>()
    }
}
