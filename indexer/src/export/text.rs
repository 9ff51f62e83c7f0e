//! Aligned columns. Numbers are right-aligned; a missing value is a dash.

use std::io::Write;

use super::TableWriter;
use engine::pipe::{Cell, Table};

/// A cell wider than this does not widen its column.
const WIDEST: usize = 60;

/// Gathers all rows, because the widest cell of a column decides how it is written.
#[derive(Default)]
pub struct Text {
    tables: Vec<Table>,
}

impl TableWriter for Text {
    fn rows(&mut self, table: &Table, _: &mut dyn Write) -> std::io::Result<()> {
        self.tables.push(table.clone());
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> std::io::Result<()> {
        let table = Table::concat(std::mem::take(&mut self.tables));
        let columns: Vec<usize> = (0..table.names().len()).collect();
        let widths: Vec<usize> = columns
            .iter()
            .map(|&column| {
                let cells = (0..table.rows()).map(|row| width(&shown(&table.cell(row, column))));
                cells.max().unwrap_or(0).min(WIDEST).max(width(&table.names()[column]))
            })
            .collect();
        let is_number: Vec<bool> = columns
            .iter()
            .map(|&column| {
                let number = |row| matches!(table.cell(row, column), Cell::Int(_) | Cell::Float(_));
                (0..table.rows()).any(number)
            })
            .collect();
        let mut line = |cells: Vec<String>| {
            let mut text = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let gap = " ".repeat(widths[column].saturating_sub(width(cell)));
                let between = if column > 0 { "  " } else { "" };
                let (before, after) = if is_number[column] { (gap.as_str(), "") } else { ("", gap.as_str()) };
                text += &[between, before, cell, after].concat();
            }
            writeln!(out, "{}", text.trim_end())
        };
        line(table.names().iter().map(|name| one_line(name)).collect())?;
        for row in 0..table.rows() {
            line(columns.iter().map(|&column| shown(&table.cell(row, column))).collect())?;
        }
        Ok(())
    }
}

fn shown(cell: &Cell) -> String {
    if cell.is_missing() { "-".to_owned() } else { one_line(&cell.to_string()) }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}
