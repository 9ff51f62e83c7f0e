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
            let mut text = match cell {
                Cell::Float(value) => without_noise(value),
                ref other => other.to_string(),
            };
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

/// Digits that a calculation adds to a number: `5081.9800000000005` is `5081.98` to fifteen digits.
const NOISE_DIGITS: usize = 4;

/// A number to fifteen digits where the others are the noise of a calculation; any other as it is, so that what was
/// imported stays exact.
fn without_noise(value: f64) -> String {
    let exact = Cell::Float(value).to_string();
    let rounded = format!("{value:.14e}")
        .parse()
        .map_or_else(|_| exact.clone(), |value| Cell::Float(value).to_string());
    if rounded.len() + NOISE_DIGITS <= exact.len() { rounded } else { exact }
}

fn is_formula(cell: &Cell, text: &str) -> bool {
    matches!(cell, Cell::Text(_) | Cell::List(_))
        && text.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::without_noise;

    #[test]
    fn noise_of_calculations_is_rounded_away_and_exact_numbers_stay() {
        for (value, expected) in [
            (5_081.980_000_000_000_5, "5081.98"),
            (0.1 + 0.2, "0.3"),
            (4.333_333_333_333_333, "4.333333333333333"),
            (1_772_546_700.123_456, "1772546700.123456"),
            (0.5, "0.5"),
            (-2.0, "-2"),
        ] {
            assert_eq!(without_noise(value), expected);
        }
    }
}
