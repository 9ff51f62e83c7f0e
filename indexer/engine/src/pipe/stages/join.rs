//! `join`: rows combined with those of a file or of another query that have the same keys. The other side is
//! read once and its keys are numbered; rows then find theirs a part at a time, each distinct text once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::column::{Column, Picked};
use super::super::run::{Run, RunOptions, megabytes};
use super::super::step::RowStep;
use super::super::table::Table;
use super::join_keys::{KeyIndex, NONE};
use super::lookup::table_of_file;
use base::error::{Error, ErrorKind, Result};
use base::limits::JOINED_ROWS;
use query::{JoinKind, Query, Span};

pub struct Join {
    pub kind: JoinKind,
    /// The keys here, and what they are called there.
    pub on: Vec<JoinKey>,
    pub with: With,
    /// Names that columns of the other side cannot have.
    pub taken: Vec<Arc<str>>,
    pub right: Mutex<Option<Arc<Right>>>,
    pub made: AtomicU64,
}

/// A column here, and the one there that must be equal.
pub struct JoinKey {
    pub here: Arc<str>,
    pub there: Arc<str>,
    pub span: Span,
}

/// The other side, as it was asked for.
pub enum With {
    File(PathBuf),
    Query(Box<Query>),
}

/// The other side, ready to be joined.
pub struct Right {
    index: KeyIndex,
    /// Its columns without the keys, with one row more, in which all is missing.
    columns: Vec<(String, Column)>,
    none: u32,
    is_unique: bool,
}

/// What a column of the other side is called among these.
pub fn unique_name(name: &str, taken: &[Arc<str>]) -> String {
    let mut name = name.to_owned();
    while taken.iter().any(|known| **known == *name) {
        name.push_str("_right");
    }
    name
}

impl Right {
    fn new(table: &Table, join: &Join, run: &Run<'_>) -> Result<Right> {
        let rows = table.rows();
        let keys =
            join.on.iter().map(|key| (Arc::clone(&key.there), key.span, table.column_or_missing(&key.there)));
        let keys: Vec<(Arc<str>, Span, Column)> = keys.collect();
        let index = KeyIndex::new(&keys, rows);
        let is_key = |name: &Arc<str>| join.on.iter().any(|key| key.there == *name);
        let others = table.names().iter().zip(table.columns()).filter(|(name, _)| !is_key(name));
        let mut columns = Vec::new();
        let mut taken = join.taken.clone();
        for (name, column) in others.filter(|_| join.kind.adds_columns()) {
            let name = unique_name(name, &taken);
            taken.push(Arc::from(name.as_str()));
            columns.push((name, Column::concat(&[column, &Column::missing(1)], &|| run.check())?));
        }
        let is_unique = index.is_unique();
        let bytes = index.bytes() + columns.iter().map(|(_, column)| column.bytes()).sum::<usize>();
        run.budget.take("join", bytes)?;
        Ok(Right { index, columns, none: rows as u32, is_unique })
    }

    /// Bytes that a row takes at least with these columns.
    fn row_bytes(&self, rows: &Table) -> usize {
        (rows.names().len() + self.columns.len()) * 4
    }
}

impl Join {
    fn right(&self, run: &Run<'_>) -> Result<Arc<Right>> {
        let mut right = self.right.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(right) = &*right {
            return Ok(Arc::clone(right));
        }
        let table = match &self.with {
            With::File(name) => table_of_file(&run.clock.files, name)?,
            With::Query(query) => Self::asked(query, run)?,
        };
        let made = Arc::new(Right::new(&table, self, run)?);
        *right = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The result of a query in the range of times of the query that contains it.
    fn asked(query: &Query, run: &Run<'_>) -> Result<Table> {
        let Some(scope) = run.scope else {
            return Err(Error::new(
                ErrorKind::QueryInvalid,
                "`join` with a query needs the events of a case",
            )
            .hint("join a file instead"));
        };
        let options = RunOptions {
            zone: run.clock.zone.clone(),
            files: run.clock.files.clone(),
            memory_bytes: run.budget.left(),
            by_rows: run.by_rows,
        };
        let range = (scope.view.from, scope.view.to);
        let found = scope.case.run(scope.snapshot, query, range, &options, &mut |_| {}, &run.cancel);
        let found = found.map_err(|error| match error.kind() {
            ErrorKind::Limit => error
                .hint("`join` keeps what its query finds in memory: filter it more, or keep fewer columns"),
            _ => error,
        })?;
        run.note(found.notes.clone());
        Ok(found)
    }

    /// Refuses what would explode, before it is made.
    fn check(&self, rows: &Table, made: u64, right: &Right, run: &Run<'_>) -> Result<()> {
        let hint = "many rows of both sides have the same key; make it unique there, with dedup or stats … by, \
                    or join on more columns";
        let bytes = made.saturating_mul(right.row_bytes(rows) as u64);
        if bytes > run.budget.left() as u64 {
            let message = format!(
                "`join` would make {made} rows of {}, more than the {} of memory that a query may take",
                rows.rows(),
                megabytes(run.budget.most()),
            );
            return Err(Error::new(ErrorKind::Limit, message).hint(hint));
        }
        let all = self.made.fetch_add(made, Ordering::Relaxed).saturating_add(made);
        if all > JOINED_ROWS {
            let message = format!("`join` would make more than {JOINED_ROWS} rows");
            return Err(Error::new(ErrorKind::Limit, message).hint(hint));
        }
        Ok(())
    }

    /// Rows combined with the matching rows of the other side.
    fn join_rows(&self, rows: Table, groups: &[u32], right: &Right, run: &Run<'_>) -> Result<Table> {
        let keeps_all = self.kind == JoinKind::Left;
        let counted = groups.iter().map(|&group| match right.index.rows_of(group).len() as u64 {
            0 if keeps_all => 1,
            count => count,
        });
        let made = counted.sum();
        self.check(&rows, made, right, run)?;
        let (mut own, mut others) = (Vec::new(), Vec::with_capacity(made as usize));
        let stay = right.is_unique && (keeps_all || !groups.contains(&NONE));
        for (row, &group) in groups.iter().enumerate() {
            let found = right.index.rows_of(group);
            if found.is_empty() && keeps_all {
                others.push(right.none);
            }
            others.extend_from_slice(found);
            if !stay {
                own.resize(others.len(), row as u32);
            }
        }
        run.check()?;
        let mut joined = if stay { rows } else { rows.pick(&Picked::Some(&own)) };
        for (name, column) in &right.columns {
            joined.set(name, column.pick(&Picked::Some(&others)));
        }
        Ok(joined)
    }
}

impl RowStep for Join {
    fn apply(&self, rows: Table, run: &Run<'_>) -> Result<Table> {
        let right = self.right(run)?;
        let keys: Vec<Column> = self.on.iter().map(|key| rows.column_or_missing(&key.here)).collect();
        let groups = right.index.find(&keys, rows.rows())?;
        if self.kind.adds_columns() {
            return self.join_rows(rows, &groups, &right, run);
        }
        let wanted = self.kind == JoinKind::Semi;
        let kept = (0..rows.rows() as u32).filter(|&row| (groups[row as usize] != NONE) == wanted);
        let kept: Vec<u32> = kept.collect();
        Ok(if kept.len() == rows.rows() { rows } else { rows.pick(&Picked::Some(&kept)) })
    }

    fn begin(&self, run: &Run<'_>) -> Result<()> {
        self.right(run).map(|_| ())
    }
}
