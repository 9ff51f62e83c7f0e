//! Memory of a run that belongs to somebody: it is given back when they are gone.

use std::sync::Arc;

use super::cell::Cell;
use super::column::{Column, Data};
use super::dictionary::{Dictionary, TextBuilder};
use super::run::{Budget, Run};
use super::table::Table;
use base::error::Result;
use store::Texts;

/// Less is not charged: a thread has a few such pieces at once, and what all columns of a table have is charged together.
const FREE_BYTES: usize = 1 << 20;

/// While a text grows, it is in memory as it was and as it will be, which is twice as long.
const GROWTH: usize = 3;

/// Charged memory. Dropping it gives the memory back.
#[derive(Debug)]
pub struct Charge {
    budget: Arc<Budget>,
    stage: &'static str,
    bytes: usize,
}

impl Charge {
    /// No memory yet. The stage is named by the error if there is too little.
    pub fn new(budget: &Arc<Budget>, stage: &'static str) -> Charge {
        Charge { budget: Arc::clone(budget), stage, bytes: 0 }
    }

    /// Takes as much more, or gives as much back, as leads to so many bytes. Call it before they are allocated.
    pub fn set(&mut self, bytes: usize) -> Result<()> {
        let bytes = if bytes > FREE_BYTES { bytes } else { 0 };
        if bytes == self.bytes {
            return Ok(());
        }
        if let Some(more) = bytes.checked_sub(self.bytes) {
            self.budget.take(self.stage, more).inspect_err(|_| self.budget.give_back(more))?;
        } else {
            self.budget.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// The bytes that are charged now.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Charges the rows of a table that is handed on, with what its receiver copies of them.
    pub fn hold(&mut self, table: &Table) -> Result<()> {
        self.set(table.columns().iter().map(Column::handed_on_bytes).sum())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// Texts of a dictionary, and their memory.
#[derive(Debug)]
pub struct ChargedTexts {
    pub texts: Texts,
    _charge: Charge,
}

/// A column of texts being made, charged as it grows.
pub struct ChargedBuilder {
    builder: TextBuilder,
    charge: Charge,
    /// So many bytes are paid for.
    paid: usize,
}

impl ChargedBuilder {
    pub fn new(charge: Charge) -> ChargedBuilder {
        ChargedBuilder { builder: TextBuilder::default(), charge, paid: FREE_BYTES / GROWTH }
    }

    pub fn push(&mut self, text: Option<&str>) -> Result<()> {
        let bytes = self.builder.bytes() + text.map_or(0, str::len);
        if bytes > self.paid {
            // So much more that a long column is not charged row by row.
            let bytes = bytes + bytes / 8;
            self.charge.set(bytes.saturating_mul(GROWTH))?;
            self.paid = bytes;
        }
        self.builder.push(text);
        Ok(())
    }

    pub fn finish(mut self) -> Result<Column> {
        let (codes, texts) = self.builder.into_parts();
        let bytes = texts.memory();
        if bytes <= FREE_BYTES {
            return Ok(Column::new(Data::Text { codes, texts: Dictionary::Own(Arc::new(texts)) }));
        }
        self.charge.set(bytes)?;
        let texts = Dictionary::Charged(Arc::new(ChargedTexts { texts, _charge: self.charge }));
        Ok(Column::new(Data::Text { codes, texts }))
    }
}

/// The results of an expression, row by row. Texts go into a dictionary at once.
pub struct ResultBuilder {
    cells: Vec<Cell>,
    texts: Option<ChargedBuilder>,
    charge: Charge,
    bytes: usize,
}

impl ResultBuilder {
    pub fn new(run: &Run<'_>, rows: usize) -> ResultBuilder {
        ResultBuilder { cells: Vec::with_capacity(rows), texts: None, charge: run.charge("eval"), bytes: 0 }
    }

    pub fn push(&mut self, cell: Cell) -> Result<()> {
        if self.texts.is_none() && matches!(cell, Cell::Text(_)) {
            // Where one is a text, all are.
            let mut texts = ChargedBuilder::new(Charge::new(&self.charge.budget, self.charge.stage));
            for cell in self.cells.drain(..) {
                push_as_text(&mut texts, &cell)?;
            }
            self.texts = Some(texts);
        }
        if let Some(texts) = &mut self.texts {
            return push_as_text(texts, &cell);
        }
        if let Cell::List(_) = cell {
            self.bytes += cell.bytes();
            self.charge.set(2 * self.bytes)?;
        }
        self.cells.push(cell);
        Ok(())
    }

    pub fn finish(self) -> Result<Column> {
        match self.texts {
            Some(texts) => texts.finish(),
            None => Ok(Column::of_cells(self.cells)),
        }
    }
}

fn push_as_text(texts: &mut ChargedBuilder, cell: &Cell) -> Result<()> {
    match cell {
        Cell::Missing => texts.push(None),
        Cell::Text(text) => texts.push(Some(text)),
        other => texts.push(Some(&other.to_string())),
    }
}
