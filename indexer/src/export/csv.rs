//! Comma-separated values: the only place of the engine and its hosts that writes them.

use std::io::{Error, Write};
use std::sync::Arc;

use super::TableWriter;
use engine::pipe::{Cell, Table};

/// What is done with a text that a spreadsheet would calculate, because it begins with `=`, `+`, `-` or `@`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// It stays as it is, for programs that read the data.
    #[default]
    Keep,
    /// It gets an apostrophe before, for files that people open in a spreadsheet.
    Escape,
}

pub struct Csv {
    formulas: Formulas,
    header: Option<Vec<Arc<str>>>,
}

impl Csv {
    pub fn new(formulas: Formulas) -> Csv {
        Csv { formulas, header: None }
    }
}

impl TableWriter for Csv {
    fn rows(&mut self, table: &Table, out: &mut dyn Write) -> std::io::Result<()> {
        let mut records = Records::new(self.formulas, out);
        if self.header.is_none() {
            records.write(table.names().iter().map(|name| Cell::text(name)))?;
        }
        let header = self.header.get_or_insert_with(|| table.names().to_vec());
        if let Some(name) = table.names().iter().find(|name| !header.contains(name)) {
            let message = format!("the column {name} appears only in later rows; name the columns with keep");
            return Err(Error::other(message));
        }
        let places: Vec<Option<usize>> =
            header.iter().map(|name| table.names().iter().position(|known| known == name)).collect();
        for row in 0..table.rows() {
            let cell = |place: &Option<usize>| place.map_or(Cell::Missing, |column| table.cell(row, column));
            records.write(places.iter().map(cell))?;
        }
        records.finish()
    }
}

/// Writes records, each as a line.
pub struct Records<'a> {
    formulas: Formulas,
    writer: csv::Writer<&'a mut dyn Write>,
}

impl<'a> Records<'a> {
    pub fn new(formulas: Formulas, out: &'a mut dyn Write) -> Records<'a> {
        // The columns of later batches may be fewer.
        Records { formulas, writer: csv::WriterBuilder::new().flexible(true).from_writer(out) }
    }

    /// One record. Numbers are no formulas, however they begin.
    pub fn write(&mut self, cells: impl Iterator<Item = Cell>) -> std::io::Result<()> {
        for cell in cells {
            let mut text = cell.to_string();
            if self.formulas == Formulas::Escape && is_formula(&cell, &text) {
                text.insert(0, '\'');
            }
            self.writer.write_field(text)?;
        }
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    /// Hands what is buffered to the output.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

fn is_formula(cell: &Cell, text: &str) -> bool {
    matches!(cell, Cell::Text(_) | Cell::List(_))
        && text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && text.parse::<f64>().is_err()
}
