//! `lookup`: columns of a CSV, NDJSON or Parquet file, joined where keys are equal. Of several lines with the same key
//! the first counts; rows without a partner keep missing values.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::super::cell::Cell;
use super::super::column::{Column, Data, Picked};
use super::super::dictionary::Dictionary;
use super::super::expr::of_json;
use super::super::file_access::FileAccess;
use super::super::run::Run;
use super::super::step::RowStep;
use super::super::table::Table;
use base::error::{Error, ErrorKind, Result};
use store::{ParquetKind, Values, other_parquet};

pub struct LookupStage {
    /// Columns of the rows, in the order of the file's keys.
    on: Vec<Arc<str>>,
    /// The first line of each key, as texts: `1` in a file finds the number 1.
    lines: HashMap<Vec<String>, u32>,
    columns: Vec<(String, Column)>,
}

/// A file's columns.
type TableColumns = (Vec<String>, Vec<Vec<Cell>>);

impl LookupStage {
    /// `keys` are pairs of a column of the rows and one of the file; `output` those that are joined and what
    /// they are called.
    pub fn open(
        files: &FileAccess,
        file: &Path,
        keys: &[(Arc<str>, String)],
        output: &[(String, String)],
    ) -> Result<LookupStage> {
        let (names, columns) = read(files, file)?;
        let find = |name: &str| {
            names.iter().position(|known| known == name).ok_or_else(|| {
                Error::new(ErrorKind::BadRequest, format!("it has no column `{name}`"))
                    .at(&files.path(file))
                    .hint(format!("its columns are {}", names.join(", ")))
            })
        };
        let places: Vec<usize> = keys.iter().map(|(_, column)| find(column)).collect::<Result<_>>()?;
        let mut lines = HashMap::new();
        let key_of = |line: usize| -> Vec<String> {
            places.iter().map(|&place| columns[place][line].to_string()).collect()
        };
        for line in 0..columns.first().map_or(0, Vec::len) {
            let key = key_of(line);
            lines.entry(key).or_insert(line as u32);
        }
        let output: Vec<(usize, String)> = if output.is_empty() {
            let rest = (0..names.len()).filter(|place| !places.contains(place));
            rest.map(|place| (place, names[place].clone())).collect()
        } else {
            output.iter().map(|(name, shown)| Ok((find(name)?, shown.clone()))).collect::<Result<_>>()?
        };
        let columns = output.into_iter().map(|(place, name)| {
            let mut cells = columns[place].clone();
            // The line of those without a partner.
            cells.push(Cell::Missing);
            (name, Column::of_cells(cells))
        });
        Ok(LookupStage {
            on: keys.iter().map(|(on, _)| Arc::clone(on)).collect(),
            lines,
            columns: columns.collect(),
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().map(|(name, _)| name)
    }
}

impl RowStep for LookupStage {
    fn apply(&self, mut rows: Table, _: &Run<'_>) -> Result<Table> {
        let keys: Vec<Column> = self.on.iter().map(|name| rows.column_or_missing(name)).collect();
        let none = self.columns.first().map_or(0, |(_, column)| column.len() - 1) as u32;
        let line = |row: usize| {
            let key: Vec<String> = keys.iter().map(|column| column.cell(row).to_string()).collect();
            self.lines.get(&key).copied().unwrap_or(none)
        };
        let lines: Vec<u32> = (0..rows.rows()).map(line).collect();
        for (name, column) in &self.columns {
            rows.set(name, column.pick(&Picked::Some(&lines)));
        }
        Ok(rows)
    }
}

/// The columns of a file.
fn read(files: &FileAccess, name: &Path) -> Result<TableColumns> {
    let bytes = files.read(name)?;
    if other_parquet::is_parquet(&bytes) {
        return parquet(&files.path(name), bytes);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let text = text.trim_start_matches('\u{FEFF}');
    Ok(if text.trim_start().starts_with('{') { json_lines(text) } else { comma_separated(text) })
}

/// A file as a table.
pub fn table_of_file(files: &FileAccess, name: &Path) -> Result<Table> {
    let (names, columns) = read(files, name)?;
    Ok(Table::from_columns(names.into_iter().zip(columns.into_iter().map(Column::of_cells)).collect()))
}

fn parquet(path: &Path, bytes: Vec<u8>) -> Result<TableColumns> {
    let columns = other_parquet::columns(path, bytes)?.into_iter().map(|(name, kind, values)| {
        let column = match (values, kind) {
            (Values::Int(times), ParquetKind::Time) => Column::times(times),
            (Values::Int(numbers), _) => Column::ints(numbers),
            (Values::Float(numbers), _) => Column::floats(numbers),
            (Values::Bool(truths), _) => Column::bools(truths.into_iter()),
            (Values::Text { codes, texts }, _) => {
                Column::new(Data::Text { codes, texts: Dictionary::Own(Arc::new(texts)) })
            }
        };
        (name, (0..column.len()).map(|row| column.cell(row)).collect())
    });
    Ok(columns.unzip())
}

fn json_lines(text: &str) -> TableColumns {
    let mut names: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let Ok(serde_json::Value::Object(object)) = serde_json::from_str(line) else { continue };
        for (name, value) in object {
            let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                columns.push(vec![Cell::Missing; count]);
                names.len() - 1
            });
            columns[place].push(of_json(&value));
        }
        count += 1;
        for column in &mut columns {
            column.resize(count, Cell::Missing);
        }
    }
    (names, columns)
}

/// The first line names the columns.
fn comma_separated(text: &str) -> TableColumns {
    let mut records = csv_records(text).into_iter();
    let names = records.next().unwrap_or_default();
    let mut columns = vec![Vec::new(); names.len()];
    for record in records.filter(|record| record.iter().any(|field| !field.is_empty())) {
        for (place, column) in columns.iter_mut().enumerate() {
            column.push(match record.get(place).map(String::as_str) {
                None | Some("") => Cell::Missing,
                Some(text) => number(text).unwrap_or_else(|| Cell::text(text)),
            });
        }
    }
    (names, columns)
}

/// A number that is spelled as it is shown: `007` stays a text.
fn number(text: &str) -> Option<Cell> {
    let read = text.parse().map(Cell::Int).ok().or_else(|| text.parse().ok().map(Cell::float))?;
    (read.to_string() == text).then_some(read)
}

/// Records without their quotation marks. One that ends early, as the last of a file cut off, has what is there.
fn csv_records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let fields = |record: csv::StringRecord| record.iter().map(ToOwned::to_owned).collect();
    // Neither memory nor text can fail to be read.
    reader.records().map_while(std::result::Result::ok).map(fields).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_read_with_its_quotation_marks() {
        let (names, columns) = comma_separated("host,owner,n\r\na,\"Ann, \"\"A\"\"\",1\nb,,007\n\n");
        assert_eq!(names, ["host", "owner", "n"]);
        assert_eq!(columns[1], [Cell::text("Ann, \"A\""), Cell::Missing]);
        assert_eq!(columns[2], [Cell::Int(1), Cell::text("007")]);
    }
}
