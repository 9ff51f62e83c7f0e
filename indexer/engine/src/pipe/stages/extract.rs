//! `grok`, `dissect` and `rex`: columns out of a text. What does not fit the pattern leaves them as they were.

use std::collections::HashMap;
use std::sync::Arc;

use ingest::custom::{ExtractedKind, Extractor, Search};
use regex::bytes::Regex;

use super::super::cell::Cell;
use super::super::column::{Column, Data, Picked};
use super::super::expr::number_of;
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::Result;
use base::limits::CANCEL_ROWS;

pub struct Extract {
    pub field: Arc<str>,
    pub by: ExtractPattern,
}

pub enum ExtractPattern {
    Extractor(Extractor),
    Regex(Regex),
}

/// The columns of a text, each with its value.
type Extracted = Vec<(usize, Cell)>;

impl ExtractPattern {
    /// The columns it makes.
    pub fn names(&self) -> Vec<String> {
        match self {
            ExtractPattern::Extractor(extractor) => {
                extractor.fields().iter().map(|(name, _)| name.clone()).collect()
            }
            ExtractPattern::Regex(regex) => regex.capture_names().flatten().map(str::to_owned).collect(),
        }
    }

    fn find(&self, text: &str, search: &mut Search, names: &mut Vec<String>) -> Extracted {
        let mut found = Vec::new();
        match self {
            ExtractPattern::Extractor(extractor) => {
                let mut own = Vec::new();
                extractor.extract(
                    text.as_bytes(),
                    search,
                    &mut |place, value| found.push((place, typed(value, extractor.fields()[place].1))),
                    &mut |name, value| {
                        own.push((
                            String::from_utf8_lossy(name).into_owned(),
                            typed(value, ExtractedKind::Text),
                        ));
                    },
                );
                for (name, value) in own.into_iter().filter(|(name, _)| !name.is_empty()) {
                    let known = names.iter().position(|known| *known == name);
                    let place = known.unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    found.push((place, value));
                }
            }
            ExtractPattern::Regex(regex) => {
                if let Some(groups) = regex.captures(text.as_bytes()) {
                    let of_names = regex.capture_names().enumerate().filter(|(_, name)| name.is_some());
                    for (place, (group, _)) in of_names.enumerate() {
                        let value = groups.get(group);
                        found
                            .extend(value.map(|value| (place, typed(value.as_bytes(), ExtractedKind::Text))));
                    }
                }
            }
        }
        found
    }
}

fn typed(text: &[u8], kind: ExtractedKind) -> Cell {
    let text = Cell::text(&String::from_utf8_lossy(text));
    let read = match kind {
        ExtractedKind::Text => None,
        ExtractedKind::Int => number_of(&text).filter(|cell| matches!(cell, Cell::Int(_))),
        ExtractedKind::Float => number_of(&text).and_then(|cell| cell.number()).map(Cell::Float),
        ExtractedKind::Bool => match text.to_string().to_ascii_lowercase().as_str() {
            "true" => Some(Cell::Bool(true)),
            "false" => Some(Cell::Bool(false)),
            _ => None,
        },
    };
    // A value of another type than was asked for is kept as it is.
    read.unwrap_or(text)
}

impl RowStep for Extract {
    fn apply(&self, mut rows: Table, run: &Run<'_>) -> Result<Table> {
        let Some(column) = rows.column(&self.field) else { return Ok(rows) };
        let mut search = Search::default();
        let mut names = self.by.names();
        // Each distinct text is looked at once.
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut distinct: Vec<Extracted> = Vec::new();
        let mut order = Vec::with_capacity(rows.rows());
        for row in 0..rows.rows() {
            let code = match &column.data {
                Data::Text { codes, .. } => codes[row],
                _ => row as u32,
            };
            order.push(*places.entry(code).or_insert_with(|| {
                distinct.push(match column.cell(row) {
                    Cell::Missing => Vec::new(),
                    cell => self.by.find(&cell.to_string(), &mut search, &mut names),
                });
                distinct.len() as u32 - 1
            }));
            if row % CANCEL_ROWS == 0 {
                run.check()?;
            }
        }
        let mut columns = vec![vec![Cell::Missing; distinct.len()]; names.len()];
        for (place, found) in distinct.into_iter().enumerate() {
            for (column, value) in found {
                columns[column][place] = value;
            }
        }
        for (name, cells) in names.iter().zip(columns) {
            fill(&mut rows, name, Column::of_cells(cells).pick(&Picked::Some(&order)));
        }
        Ok(rows)
    }
}

/// Sets a column. Where it has no value, an earlier one stays.
pub fn fill(rows: &mut Table, name: &str, new: Column) {
    let filled = rows.column(name).map(|old| {
        let cells = (0..rows.rows()).map(|row| match new.cell(row) {
            Cell::Missing => old.cell(row),
            cell => cell,
        });
        Column::of_cells(cells.collect())
    });
    rows.set(name, filled.unwrap_or(new));
}
