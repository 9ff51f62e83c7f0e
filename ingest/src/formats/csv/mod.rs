//! Tables: values between commas, semicolons, tabs or bars, with or without a line that names the columns.

mod columns;
mod table_shape;
mod timeless;

use std::sync::Arc;

use memchr::memchr;

use super::json::JsonBody;
use super::{Fit, Format, Learned, Reader, Setup};
use crate::batch::Level;
use crate::encoding::BYTE_ORDER_MARK;
use crate::frame::{EventBlock, Framing};
use crate::limits;
use crate::rows::Rows;
use crate::table::{Cell, ColumnRole, Table, TableColumn, cells, make_unique, row_end, single_quotes};
use crate::time::find::{find, whole_time};

/// Lower than formats whose lines have a shape of their own, because those may look like tables too.
pub(crate) static FORMAT: Format = Format {
    name: "csv",
    title: "rows of a table",
    weight: 0.85,
    learn,
    heading: Some(|setup, row, _| setup.learned.table_heads.iter().any(|head| **head == *without_mark(row))),
    reader,
    ..Format::LINES
};

/// Finds the next row.
type NextRow = fn(&[u8]) -> Option<EventBlock>;

/// Delimiters, the likeliest first, with the function that cuts text into rows.
const DELIMITERS: [(u8, NextRow); 4] =
    [(b',', record::<b','>), (b'\t', record::<b'\t'>), (b';', record::<b';'>), (b'|', record::<b'|'>)];

fn learn(sample: &[u8], setup: &Setup) -> Learned {
    let chosen = setup.time_field.as_deref();
    let Some((delimiter, next, shape)) = table_shape::learn(sample, &DELIMITERS, chosen) else {
        return Learned::default();
    };
    // Lines that have a time somewhere else are no rows of a table without one.
    let has_time = shape.time_columns != [None; 2];
    if shape.heads.is_empty() && !has_time && have_times(sample, setup) {
        return Learned::default();
    }
    // A quote is a letter between tabs unless it encloses a value.
    let has_quotes = memchr(b'"', sample).is_some() && (delimiter != b'\t' || shape.has_quoted_values)
        || preamble(sample) != Some(0);
    let table_title: Arc<[u8]> = sample[..shape.names_at].into();
    let framing = match shape.heads.first() {
        Some(names) if shape.has_text_below => stamped_rows(names.clone(), delimiter),
        Some(_) if !table_title.is_empty() => rows_below(Arc::clone(&table_title), next),
        _ if has_quotes => Framing::blocks(next),
        names if names.is_some() || are_rows(sample, delimiter, shape.columns) => {
            Framing::blocks(late_quotes(delimiter, shape.columns))
        }
        // The lines between the rows may turn out to continue them.
        _ => Framing::Lines,
    };
    Learned {
        framing,
        delimiter,
        table_heads: shape.heads.into(),
        table_title,
        json_column: shape.json_column,
        columns: shape.columns,
        time_columns: shape.time_columns,
        date_order: shape.date_order,
        level_column: shape.level_column,
        message_column: shape.message_column,
        time_options: shape.time_options.into(),
        ..Learned::default()
    }
}

/// Whether every line is a row of the table.
fn are_rows(sample: &[u8], delimiter: u8, columns: usize) -> bool {
    let mut lines =
        sample.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.all(|line| cells(line, delimiter).count() == columns)
}

/// Whether a time is found in more than one in four of the lines.
fn have_times(sample: &[u8], setup: &Setup) -> bool {
    let lines = || sample.split(|&byte| byte == b'\n').take(limits::TABLE_SAMPLE_ROWS);
    lines().filter(|line| find(line, &setup.times).is_some()).count() * 4 > lines().count()
}

/// Rows are the line that names the columns and the lines that begin with a time; other lines continue the
/// text of a row.
fn stamped_rows(names: Box<[u8]>, delimiter: u8) -> Framing {
    Framing::Starts(Arc::new(move |line| {
        let line = without_mark(line);
        let time = memchr(delimiter, line).and_then(|end| whole_time(&line[..end]));
        time.is_some() || *line == *names
    }))
}

/// The text above the names is one event.
fn rows_below(title: Arc<[u8]>, next: NextRow) -> Framing {
    Framing::blocks(move |text| {
        if text.starts_with(&title) {
            return Some(EventBlock { start: 0, end: title.len(), next: title.len() });
        }
        // More of the text may show that it is the title.
        if title.starts_with(text) { None } else { next(text) }
    })
}

/// The row at the start of the text. A quote that is never closed cannot make a row longer than an event may
/// be.
fn record<const DELIMITER: u8>(text: &[u8]) -> Option<EventBlock> {
    let blank = text.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    if blank > 0 {
        return Some(EventBlock { start: blank, end: blank, next: blank });
    }
    let start = preamble(text)?;
    let row = &text[start..];
    let within = &row[..row.len().min(limits::LONGEST_EVENT_BYTES)];
    let end = match row_end(within, DELIMITER) {
        None if within.len() < limits::LONGEST_EVENT_BYTES => return None,
        None => memchr(b'\n', row)?,
        Some(end) => end,
    };
    let shown = end - usize::from(end > 0 && row[end - 1] == b'\r');
    Some(EventBlock { start, end: start + shown, next: start + end + 1 })
}

/// Rows of a table without quotes in its sample. The first quote in front of a value may come later, and may enclose
/// lines or be a letter: it encloses them if together they have all columns, and none of them has so by itself. The
/// first of them has so if the value is in the last column.
fn late_quotes(delimiter: u8, columns: usize) -> impl Fn(&[u8]) -> Option<EventBlock> {
    move |text| {
        let end = memchr(b'\n', text)?;
        let block = |end: usize, next: usize| {
            let shown = end - usize::from(text[..end].ends_with(b"\r"));
            Some(EventBlock { start: 0, end: shown, next })
        };
        let width = |from: usize, to: usize| cells(&text[from..to], delimiter).count();
        let last = cells(&text[..end], delimiter).last();
        let ends_in_quotes = last.is_some_and(|last| text[last.from..].starts_with(b"\""));
        let is_whole = width(0, end) == columns;
        if row_end(&text[..=end], delimiter).is_some() || is_whole && !ends_in_quotes {
            return block(end, end + 1);
        }
        let within = &text[..text.len().min(end + limits::LATE_QUOTE_BYTES)];
        let closed = row_end(within, delimiter);
        let mut line_end = end;
        loop {
            let from = line_end + 1;
            let Some(length) = memchr(b'\n', &within[from..]) else {
                // Where more may follow, it decides; at the end of the text it is a line.
                return block(end, if within.len() < text.len() { end + 1 } else { 0 });
            };
            line_end = from + length;
            let is_row = width(from, line_end) == columns;
            if closed == Some(line_end) && !(is_whole && is_row) {
                let end = if width(0, line_end) == columns { line_end } else { end };
                return block(end, end + 1);
            }
            if is_row {
                return block(end, end + 1);
            }
        }
    }
}

/// Where the first row begins after a line that is none: the type of PowerShell's objects, or a delimiter
/// declaration for spreadsheets. `None` if the line's end is not in the text.
fn preamble(text: &[u8]) -> Option<usize> {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if bare.starts_with(b"#TYPE ")
        || (bare.starts_with(b"sep=") && matches!(bare.get(5), Some(b'\r' | b'\n')))
    {
        return memchr(b'\n', text).map(|newline| newline + 1);
    }
    Some(0)
}

fn without_mark(row: &[u8]) -> &[u8] {
    row.strip_prefix(BYTE_ORDER_MARK).unwrap_or(row)
}

fn reader(setup: &Setup) -> Box<dyn Reader> {
    let learned = &setup.learned;
    let mut table = Table::new(b"", columns::named_level);
    table.order = learned.date_order;
    if learned.table_heads.is_empty() {
        table.columns = columns::without_header(learned.columns, learned.time_columns);
        if let Some(column) = learned.level_column.and_then(|column| table.columns.get_mut(column)) {
            column.role = ColumnRole::Level;
        }
        if let Some(column) = learned.message_column.and_then(|column| table.columns.get_mut(column)) {
            *column = TableColumn { name: (*b"message").into(), role: ColumnRole::Text };
        }
    }
    Box::new(CsvReader {
        delimiter: learned.delimiter,
        learned: learned.clone(),
        table,
        cells: Vec::new(),
        ends_with_text: false,
        json: JsonBody::default(),
        unquoted: Vec::new(),
    })
}

struct CsvReader {
    delimiter: u8,
    learned: Learned,
    table: Table,
    cells: Vec<Cell>,
    /// The last column is a text, which may contain the delimiter.
    ends_with_text: bool,
    json: JsonBody,
    /// A JSON object without the quotes around it.
    unquoted: Vec<u8>,
}

/// Whether the first value of a row is marks alone, as in a line between two sections of a table.
fn is_section(value: &[u8]) -> bool {
    value.len() >= 3 && value.iter().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'#' | b'_'))
}

impl CsvReader {
    fn is_title(&self, event: &[u8]) -> bool {
        let title = &self.learned.table_title;
        !title.is_empty() && without_mark(event).trim_ascii() == without_mark(title).trim_ascii()
    }

    /// Joins the values beyond the last column to its text.
    fn join_text(&mut self, event: &[u8]) {
        let columns = self.learned.columns;
        if !self.ends_with_text || self.cells.len() <= columns || self.cells[columns - 1].is_quoted {
            return;
        }
        // A delimiter at the end of every row is no text.
        if self.cells[columns..].iter().any(|cell| cell.from < cell.to) {
            self.cells[columns - 1].to = event.len();
        }
        self.cells.truncate(columns);
    }

    /// Puts the fields of the JSON object in a column, and its text if the column has a name. The time and the
    /// level of the row stay.
    fn put_json(&mut self, event: &[u8], column: usize, rows: &mut Rows) {
        let Some(&cell) = self.cells.get(column) else { return };
        let level = rows.level();
        let is_object = if cell.has_quotes {
            self.unquoted.clear();
            single_quotes(&event[cell.from..cell.to], &mut self.unquoted);
            self.json.read_copy(&self.unquoted, rows)
        } else {
            self.json.read(&event[..cell.to], cell.from, rows)
        };
        if level != Level::None {
            rows.set_level(level);
        }
        if !is_object || !self.learned.table_heads.is_empty() {
            self.table.cell(column, event, cell, rows);
        }
    }
}

impl Reader for CsvReader {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if self.learned.columns == 0 {
            return Err("not a table");
        }
        self.cells.clear();
        self.cells.extend(cells(event, self.delimiter));
        if self.is_title(event) {
            return Err("it precedes the names of the columns");
        }
        self.join_text(event);
        let count = self.cells.len();
        if count < 2 {
            return Err("not a row of the table");
        }
        if is_section(&event[self.cells[0].from..self.cells[0].to]) {
            return Ok(Fit::Partly);
        }
        if count > self.learned.columns + 1 {
            return Err("it has more values than the table has columns");
        }
        self.table.begin();
        let json_column = self.learned.json_column;
        for (index, cell) in self.cells.iter().enumerate().filter(|(index, _)| Some(*index) != json_column) {
            self.table.cell(index, event, *cell, rows);
        }
        self.table.end(event, b"", rows);
        if let Some(column) = json_column {
            self.put_json(event, column, rows);
        }
        Ok(if count == self.learned.columns { Fit::Whole } else { Fit::Partly })
    }

    fn heading(&mut self, line: &[u8], _: &mut Rows) {
        // The row of types adds nothing to the names.
        let line = without_mark(line);
        if self.learned.table_heads.first().is_none_or(|names| **names != *line) {
            return;
        }
        let name = |cell: Cell| -> Box<[u8]> { line[cell.from..cell.to].trim_ascii().into() };
        let mut names: Vec<_> = cells(line, self.delimiter).map(name).collect();
        for (index, name) in names.iter_mut().enumerate() {
            if name.is_empty() {
                *name = format!("column_{}", index + 1).into_bytes().into();
            }
        }
        // The Windows event viewer omits the name of its last column.
        if names.len() + 1 == self.learned.columns && !names.iter().any(|name| **name == *b"message") {
            names.push((*b"message").into());
        }
        make_unique(&mut names);
        let role = |index: usize, name: &[u8]| match self.learned.time_columns {
            [Some(time), None] if time == index => ColumnRole::Time,
            [Some(date), Some(_)] if date == index => ColumnRole::Date,
            [_, Some(time)] if time == index => ColumnRole::TimeOfDay,
            _ if self.learned.level_column == Some(index) => ColumnRole::Level,
            _ => columns::role(name),
        };
        let columns = names.into_iter().enumerate();
        self.table.columns =
            columns.map(|(index, name)| TableColumn { role: role(index, &name), name }).collect();
        let last = self.learned.columns.checked_sub(1).and_then(|last| self.table.columns.get(last));
        self.ends_with_text = last.is_some_and(|last| last.role == ColumnRole::Text);
    }
}

#[cfg(test)]
mod tests;
