//! Comma-separated values. A spreadsheet takes a text that begins like a formula for one, so it gets
//! an apostrophe before.

use std::io::{Error, Write};
use std::sync::Arc;

use super::TableWriter;
use engine::pipe::{Cell, Table};

#[derive(Default)]
pub struct Csv {
    header: Option<Vec<Arc<str>>>,
}

impl TableWriter for Csv {
    fn rows(&mut self, table: &Table, out: &mut dyn Write) -> std::io::Result<()> {
        if self.header.is_none() {
            write_row(out, table.names().iter().map(|name| Cell::text(name)))?;
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
            write_row(out, places.iter().map(cell))?;
        }
        Ok(())
    }
}

fn write_row(out: &mut dyn Write, cells: impl Iterator<Item = Cell>) -> std::io::Result<()> {
    for (index, cell) in cells.enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}{}", field(&cell))?;
    }
    out.write_all(b"\n")
}

fn field(cell: &Cell) -> String {
    let mut text = cell.to_string();
    let is_text = matches!(cell, Cell::Text(_) | Cell::List(_));
    if is_text && text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err() {
        text.insert(0, '\'');
    }
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
