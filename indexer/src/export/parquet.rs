//! Parquet, by the writer of the case's own tables. A row group holds all rows, so they are gathered first.

use std::io::Write;

use super::TableWriter;
use ingest::{NO_INT, NO_TIME};

use engine::pipe::{Cell, Column, ColumnData, Table, filled};
use store::{NO_CODE, ParquetKind, ParquetWriter, Texts, Values};

#[derive(Default)]
pub struct Parquet {
    tables: Vec<Table>,
}

impl TableWriter for Parquet {
    fn rows(&mut self, table: &Table, _: &mut dyn Write) -> std::io::Result<()> {
        self.tables.push(table.clone());
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> std::io::Result<()> {
        let table = Table::concat(std::mem::take(&mut self.tables));
        let mut writer = ParquetWriter::new(table.rows())?;
        for (name, column) in table.names().iter().zip(table.columns()) {
            let (kind, values) = values_of(column);
            writer.column(name, kind, &values)?;
        }
        out.write_all(&writer.finish()?)
    }
}

/// Lists are written as the text that they are shown as.
fn values_of(column: &Column) -> (ParquetKind, Values) {
    match &column.data {
        ColumnData::Int(values) => (ParquetKind::Int, Values::Int(filled(values, NO_INT).into_owned())),
        ColumnData::Time(values) => (ParquetKind::Time, Values::Int(filled(values, NO_TIME).into_owned())),
        ColumnData::Float(values) => {
            (ParquetKind::Float, Values::Float(filled(values, f64::NAN).into_owned()))
        }
        ColumnData::Bool(values) => (ParquetKind::Bool, Values::Bool(values.iter().collect())),
        ColumnData::Missing(_) | ColumnData::Text { .. } | ColumnData::Level(_) | ColumnData::List(_) => {
            (ParquetKind::Text, texts_of(column))
        }
    }
}

fn texts_of(column: &Column) -> Values {
    let mut texts = Texts::default();
    let mut known = std::collections::HashMap::new();
    let codes = (0..column.len()).map(|row| match column.cell(row) {
        Cell::Missing => NO_CODE,
        cell => *known.entry(cell.to_string()).or_insert_with_key(|text| {
            texts.push(text);
            texts.len() as u32 - 1
        }),
    });
    let codes = codes.collect();
    Values::Text { codes, texts }
}

#[cfg(test)]
mod tests {
    use ingest::Level;

    use super::*;
    use store::ParquetFile;

    #[test]
    fn every_type_reads_back() {
        let column = |cells: Vec<Cell>| Column::of_cells(cells);
        let table = Table::from_columns(vec![
            ("time".to_owned(), column(vec![Cell::Time(5), Cell::Missing])),
            ("n".to_owned(), column(vec![Cell::Missing, Cell::Int(-7)])),
            ("x".to_owned(), column(vec![Cell::Float(0.5), Cell::Missing])),
            ("b".to_owned(), column(vec![Cell::Bool(true), Cell::Bool(false)])),
            ("mixed".to_owned(), column(vec![Cell::Int(1), Cell::text("one")])),
            ("level".to_owned(), column(vec![Cell::Level(Level::Warn), Cell::Missing])),
            ("none".to_owned(), Column::missing(2)),
        ]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.parquet");
        let mut bytes = Vec::new();
        super::super::write_table(&table, super::super::Format::Parquet, &mut bytes)
            .expect("memory takes it");
        std::fs::write(&path, bytes).expect("written");
        let file = ParquetFile::open(&path, 2).expect("a file");
        let read = |name: &str| file.column(name).expect("a column");
        assert_eq!(read("time"), Values::Int(vec![5, NO_INT]));
        assert_eq!(read("n"), Values::Int(vec![NO_INT, -7]));
        assert_eq!(read("b"), Values::Bool(vec![Some(true), Some(false)]));
        let texts = |name: &str| match read(name) {
            Values::Text { codes, texts } => {
                codes.iter().map(|&code| texts.get(code as usize).map(str::to_owned)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        assert_eq!(texts("mixed"), [Some("1".to_owned()), Some("one".to_owned())]);
        assert_eq!(texts("level"), [Some("warn".to_owned()), None]);
        assert_eq!(texts("none"), [None, None]);
    }
}
