//! A JSON object a line. Missing values are null, times RFC 3339 text, lists arrays.

use std::io::Write;

use serde_json::{Map, Value};

use super::TableWriter;
use engine::pipe::{Cell, Table};

pub struct Ndjson;

impl TableWriter for Ndjson {
    fn rows(&mut self, table: &Table, out: &mut dyn Write) -> std::io::Result<()> {
        for row in 0..table.rows() {
            let mut object = Map::new();
            for (column, name) in table.names().iter().enumerate() {
                object.insert(name.to_string(), json(&table.cell(row, column)));
            }
            serde_json::to_writer(&mut *out, &object)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

pub fn json(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Bool(value) => Value::from(*value),
        Cell::Int(value) => Value::from(*value),
        Cell::Float(value) => Value::from(*value),
        Cell::List(cells) => Value::Array(cells.iter().map(json).collect()),
        Cell::Text(text) => Value::from(&**text),
        other => Value::from(other.to_string()),
    }
}
