//! Values of columns that few events have. A column has an entry for every row, so a chunk whose keys are ids would
//! have thousands of nearly empty ones; here a value takes one entry, and a column without a value none.

use std::collections::HashSet;
use std::sync::Arc;

use crate::batch::{BatchColumn, ColumnKind, NO_INT, Span, Values};

/// The values of many columns, in the order of their rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RareValues {
    columns: Vec<RareColumn>,
    values: Vec<PlacedValue>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RareColumn {
    pub name: Arc<str>,
    pub kind: ColumnKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedValue {
    column: u32,
    row: u32,
    value: RareValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RareValue {
    Text(Span),
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl RareValues {
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn columns_mut(&mut self) -> &mut [RareColumn] {
        &mut self.columns
    }

    pub fn column_count(&self) -> usize {
        self.columns.len()
    }

    pub fn push_column(&mut self, name: Arc<str>, kind: ColumnKind) -> usize {
        self.columns.push(RareColumn { name, kind });
        self.columns.len() - 1
    }

    /// Puts a value into a row; of several in one row, the last is its value.
    pub fn put(&mut self, column: usize, row: usize, value: RareValue) {
        self.values.push(PlacedValue { column: column as u32, row: row as u32, value });
    }

    /// Removes the values of the last row, if it has this number.
    pub fn clear_row(&mut self, row: usize) {
        while self.values.pop_if(|value| value.row as usize == row).is_some() {}
    }

    /// Each value with its column and its row.
    pub fn each(&self) -> impl Iterator<Item = (&RareColumn, usize, RareValue)> {
        self.values
            .iter()
            .map(|value| (&self.columns[value.column as usize], value.row as usize, value.value))
    }

    /// Makes whole columns of those that are wanted. Returns how many values the others have.
    pub fn spread(
        self,
        rows: usize,
        columns: &mut Vec<BatchColumn>,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> u64 {
        let mut used = vec![false; self.columns.len()];
        self.values.iter().for_each(|value| used[value.column as usize] = true);
        let place = |(column, is_used): (RareColumn, bool)| {
            (is_used && wanted(&column.name)).then(|| {
                let values = match column.kind {
                    ColumnKind::Text => Values::Text(vec![Span::MISSING; rows]),
                    ColumnKind::Int => Values::Int(vec![NO_INT; rows]),
                    ColumnKind::Float => Values::Float(vec![f64::NAN; rows]),
                    ColumnKind::Bool => Values::Bool(vec![None; rows]),
                };
                columns.push(BatchColumn { name: column.name, values });
                columns.len() - 1
            })
        };
        let places: Vec<Option<usize>> = self.columns.into_iter().zip(used).map(place).collect();
        let mut left_out = HashSet::new();
        for PlacedValue { column, row, value } in self.values {
            let Some(place) = places[column as usize] else {
                left_out.insert((column, row));
                continue;
            };
            match (&mut columns[place].values, value) {
                (Values::Text(values), RareValue::Text(value)) => values[row as usize] = value,
                (Values::Int(values), RareValue::Int(value)) => values[row as usize] = value,
                (Values::Float(values), RareValue::Float(value)) => values[row as usize] = value,
                (Values::Bool(values), RareValue::Bool(value)) => values[row as usize] = Some(value),
                _ => {}
            }
        }
        left_out.len() as u64
    }
}
