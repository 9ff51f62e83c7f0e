//! Keys of a table by which the rows of others find theirs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

use super::super::cell::Cell;
use super::super::column::{Column, ColumnKind, Data};
use super::super::dictionary::Dictionary;
use super::super::expr::invalid;
use base::error::Result;
use base::hash::Fast;
use query::Span;

/// The number of no key.
pub const NONE: u32 = u32::MAX;

/// The rows of a table by their keys. Threads share it.
pub struct KeyIndex {
    columns: Vec<KeyColumn>,
    /// The numbers of the first two keys together, then of those and the third, and so on.
    pairs: Vec<HashMap<u64, u32, Fast>>,
    /// Where the rows of each combination begin; they end where the next one's begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// The distinct values of one key, numbered.
struct KeyColumn {
    name: Arc<str>,
    /// Where the query asks for it.
    span: Span,
    kind: ColumnKind,
    numbers: HashMap<Cell, u32, Fast>,
    /// The same by what a person reads of them, for what is text on one side.
    texts: OnceLock<HashMap<Box<str>, u32, Fast>>,
}

impl KeyIndex {
    /// Of columns of equal length. Rows without one of their keys are found by nothing.
    pub fn new(columns: &[(Arc<str>, Span, Column)], rows: usize) -> KeyIndex {
        let mut index =
            KeyIndex { columns: Vec::new(), pairs: Vec::new(), starts: Vec::new(), rows: Vec::new() };
        let mut groups = vec![0_u32; rows];
        let mut count = 1;
        for (place, (name, span, column)) in columns.iter().enumerate() {
            let mut own = KeyColumn {
                name: Arc::clone(name),
                span: *span,
                kind: column.kind(),
                numbers: HashMap::default(),
                texts: OnceLock::new(),
            };
            let mut pairs: HashMap<u64, u32, Fast> = HashMap::default();
            for (row, group) in groups.iter_mut().enumerate() {
                let id = own.insert(column.cell(row));
                *group = match (place, *group, id) {
                    (0, _, id) => id,
                    (_, NONE, _) | (_, _, NONE) => NONE,
                    (_, group, id) => {
                        let next = pairs.len() as u32;
                        *pairs.entry(pair(group, id)).or_insert(next)
                    }
                };
            }
            count = if place == 0 { own.numbers.len() } else { pairs.len() };
            if place > 0 {
                index.pairs.push(pairs);
            }
            index.columns.push(own);
        }
        index.sort_rows(&groups, count);
        index
    }

    /// Puts the rows of each group side by side, in their order.
    fn sort_rows(&mut self, groups: &[u32], count: usize) {
        self.starts = vec![0; count + 1];
        for &group in groups.iter().filter(|&&group| group != NONE) {
            self.starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            self.starts[group + 1] += self.starts[group];
        }
        let mut next = self.starts.clone();
        self.rows = vec![0; self.starts[count] as usize];
        for (row, &group) in groups.iter().enumerate().filter(|(_, group)| **group != NONE) {
            self.rows[next[group as usize] as usize] = row as u32;
            next[group as usize] += 1;
        }
    }

    /// The rows with a key.
    pub fn rows_of(&self, group: u32) -> &[u32] {
        if group == NONE {
            return &[];
        }
        let range = self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize;
        &self.rows[range]
    }

    /// Whether no two rows have the same key.
    pub fn is_unique(&self) -> bool {
        self.starts.windows(2).all(|ends| ends[1] - ends[0] <= 1)
    }

    /// The key of each row of other columns, [`NONE`] where there is no such key here.
    pub fn find(&self, columns: &[Column], rows: usize) -> Result<Vec<u32>> {
        let mut groups = vec![0; rows];
        for (place, (own, column)) in self.columns.iter().zip(columns).enumerate() {
            let ids = own.find(column)?;
            if place == 0 {
                groups = ids;
                continue;
            }
            let pairs = &self.pairs[place - 1];
            for (group, id) in groups.iter_mut().zip(ids) {
                let known = *group != NONE && id != NONE;
                *group = if known { pairs.get(&pair(*group, id)).copied().unwrap_or(NONE) } else { NONE };
            }
        }
        Ok(groups)
    }

    /// Bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let cells = self.columns.iter().flat_map(|column| column.numbers.keys());
        let keys: usize = cells.map(|cell| cell.bytes() + 16).sum();
        keys + self.pairs.iter().map(|pairs| pairs.len() * 32).sum::<usize>()
            + (self.rows.len() + self.starts.len()) * 4
    }
}

fn pair(one: u32, other: u32) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

/// What types can be equal at all: those of one class; what is text or a list is compared as text.
fn class(kind: ColumnKind) -> Option<&'static str> {
    match kind {
        ColumnKind::Int | ColumnKind::Float => Some("a number"),
        ColumnKind::Time => Some("a time"),
        ColumnKind::Bool => Some("true or false"),
        ColumnKind::Text | ColumnKind::Level | ColumnKind::List | ColumnKind::Missing => None,
    }
}

impl KeyColumn {
    fn insert(&mut self, cell: Cell) -> u32 {
        if cell.is_missing() {
            return NONE;
        }
        let next = self.numbers.len() as u32;
        match self.numbers.entry(cell) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(next),
        }
    }

    fn texts(&self) -> &HashMap<Box<str>, u32, Fast> {
        self.texts.get_or_init(|| {
            self.numbers.iter().map(|(cell, &id)| (cell.to_string().into_boxed_str(), id)).collect()
        })
    }

    fn find(&self, column: &Column) -> Result<Vec<u32>> {
        let (own, other) = (class(self.kind), class(column.kind()));
        if let (Some(own), Some(other)) = (own, other)
            && own != other
        {
            let message = format!("`{}` is {other} in the rows and {own} in what is joined", self.name);
            return Err(
                invalid(message, self.span).hint("make one of them a text before, with eval and to_string")
            );
        }
        let rows = column.len();
        if self.numbers.is_empty() {
            return Ok(vec![NONE; rows]);
        }
        Ok(match &column.data {
            Data::Missing(rows) => vec![NONE; *rows],
            Data::Text { codes, texts } => self.of_codes(codes, texts),
            _ if own.is_some() && own == other => {
                let mut last = (Cell::Missing, NONE);
                let mut id = |row: usize| {
                    let cell = column.cell(row);
                    if cell != last.0 {
                        last = (cell.clone(), self.numbers.get(&cell).copied().unwrap_or(NONE));
                    }
                    if cell.is_missing() { NONE } else { last.1 }
                };
                (0..rows).map(&mut id).collect()
            }
            _ => {
                let texts = self.texts();
                let id = |row: usize| {
                    let cell = column.cell(row);
                    if cell.is_missing() {
                        return NONE;
                    }
                    texts.get(cell.to_string().as_str()).copied().unwrap_or(NONE)
                };
                (0..rows).map(id).collect()
            }
        })
    }

    /// Each distinct text is looked for once.
    fn of_codes(&self, codes: &[u32], dictionary: &Dictionary) -> Vec<u32> {
        let texts = self.texts();
        let find = |code: u32| dictionary.get(code).and_then(|text| texts.get(text)).copied().unwrap_or(NONE);
        if dictionary.len() > codes.len() * 2 {
            return codes.iter().map(|&code| find(code)).collect();
        }
        let known: Vec<u32> = (0..dictionary.len() as u32).map(find).collect();
        codes.iter().map(|&code| known.get(code as usize).copied().unwrap_or(NONE)).collect()
    }
}
