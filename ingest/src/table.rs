//! Rows of tables: values between delimiters, their columns, and the meaning of the columns.

use memchr::{memchr, memchr2};

use crate::batch::Level;
use crate::level;
use crate::named_columns::NamedColumns;
use crate::rows::{ColumnKind, Rows};
use crate::time::When;
use crate::time::find::{time_near_start, whole_time_in_order};
use crate::time::joined::{in_zone, joined_time_in_order};
use crate::time::numeric_date::DateOrder;
use crate::time::undated::whole_day_time;

/// A value of a row, without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub from: usize,
    pub to: usize,
    /// It was in quotes.
    pub is_quoted: bool,
    /// It contains quotes, written twice.
    pub has_quotes: bool,
}

/// The values of a row. One that begins with a quote extends to the next single quote.
pub(crate) struct Cells<'a> {
    row: &'a [u8],
    delimiter: u8,
    at: Option<usize>,
}

pub(crate) fn cells(row: &[u8], delimiter: u8) -> Cells<'_> {
    Cells { row, delimiter, at: Some(0) }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let from = self.at?;
        if self.row.get(from) == Some(&b'"')
            && let Some((to, has_quotes)) = closing_quote(self.row, from + 1)
        {
            // Text after the closing quote would be lost, so then the quotes are part of the value.
            match self.row.get(to + 1) {
                None => self.at = None,
                Some(byte) if *byte == self.delimiter => self.at = Some(to + 2),
                Some(_) => return Some(self.plain(from, to + 1)),
            }
            return Some(Cell { from: from + 1, to, is_quoted: true, has_quotes });
        }
        Some(self.plain(from, from))
    }
}

impl Cell {
    /// Without the spaces that align the columns of a printed table.
    #[inline]
    fn without_padding(mut self, row: &[u8]) -> Cell {
        if !self.is_quoted {
            while self.from < self.to && row[self.to - 1] == b' ' {
                self.to -= 1;
            }
            while self.from < self.to && row[self.from] == b' ' {
                self.from += 1;
            }
        }
        self
    }
}

impl Cells<'_> {
    #[inline]
    fn plain(&mut self, from: usize, search: usize) -> Cell {
        let to = memchr(self.delimiter, &self.row[search..]).map(|length| search + length);
        self.at = to.map(|to| to + 1);
        Cell { from, to: to.unwrap_or(self.row.len()), is_quoted: false, has_quotes: false }
    }
}

/// The quote that ends a value, and whether the value contains quotes written twice.
pub(crate) fn closing_quote(text: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut has_quotes = false;
    loop {
        at += memchr(b'"', text.get(at..)?)?;
        if text.get(at + 1) != Some(&b'"') {
            return Some((at, has_quotes));
        }
        has_quotes = true;
        at += 2;
    }
}

/// Where the row at the start of the text ends, with quoted line ends in it. `None`: not within the text.
pub(crate) fn row_end(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        // Most rows, and most ends of rows, contain no quotes at all.
        let quote = at + memchr2(b'"', b'\n', text.get(at..)?)?;
        if text[quote] == b'\n' {
            return Some(quote);
        }
        let begins = quote == 0 || text[quote - 1] == delimiter;
        at = if begins { closing_quote(text, quote + 1)?.0 + 1 } else { quote + 1 };
    }
}

/// The meaning of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColumnRole {
    #[default]
    Field,
    /// Always text, whatever it looks like.
    Text,
    Time,
    Date,
    TimeOfDay,
    /// The zone of the time, which is also a field.
    Zone,
    Level,
    /// An HTTP status, which determines the level.
    Status,
}

pub(crate) struct TableColumn {
    pub name: Box<[u8]>,
    pub role: ColumnRole,
}

/// The columns of a table and the row being read.
pub(crate) struct Table {
    pub columns: Vec<TableColumn>,
    /// The text for a missing value.
    missing: &'static [u8],
    pub is_utc: bool,
    /// Which number of a date is the day.
    pub order: DateOrder,
    /// The level of a word in such a table.
    level: fn(&[u8]) -> Option<Level>,
    named: NamedColumns,
    time: Option<When>,
    date: Option<(usize, usize)>,
    time_of_day: Option<(usize, usize)>,
    zone: Option<(usize, usize)>,
}

impl Table {
    pub(crate) fn new(missing: &'static [u8], level: fn(&[u8]) -> Option<Level>) -> Table {
        Table {
            columns: Vec::new(),
            missing,
            is_utc: false,
            order: DateOrder::Customary,
            level,
            named: NamedColumns::default(),
            time: None,
            date: None,
            time_of_day: None,
            zone: None,
        }
    }

    #[inline]
    pub(crate) fn begin(&mut self) {
        self.named.begin();
        self.time = None;
        self.date = None;
        self.time_of_day = None;
        self.zone = None;
    }

    /// Puts the value of a column. A column without a known name is named by its number.
    #[inline]
    pub(crate) fn cell(&mut self, index: usize, event: &[u8], cell: Cell, rows: &mut Rows) {
        let cell = cell.without_padding(event);
        let value = &event[cell.from..cell.to];
        if value.is_empty() || value == self.missing {
            return;
        }
        while index >= self.columns.len() {
            let name = format!("column_{}", self.columns.len() + 1).into_bytes().into();
            self.columns.push(TableColumn { name, role: ColumnRole::Field });
        }
        let TableColumn { name, role } = &self.columns[index];
        match role {
            ColumnRole::Time if self.time.is_some() => {}
            ColumnRole::Time => {
                if let Some(when) = whole_time_in_order(value, self.order)
                    .or_else(|| time_near_start(value, 0).map(|time| time.when))
                {
                    self.time = Some(when);
                    return;
                }
            }
            ColumnRole::Date => {
                self.date = Some((cell.from, cell.to));
                return;
            }
            ColumnRole::TimeOfDay => {
                self.time_of_day = Some((cell.from, cell.to));
                return;
            }
            ColumnRole::Zone => self.zone = Some((cell.from, cell.to)),
            ColumnRole::Level => {
                if let Some(level) = (self.level)(value) {
                    rows.set_level(level);
                    return;
                }
            }
            ColumnRole::Status => {
                if let Some(level) = level::from_status(value) {
                    rows.set_level(level);
                }
            }
            ColumnRole::Field | ColumnRole::Text => {}
        }
        if cell.has_quotes {
            self.named.rewrite(name, rows, |buffer| single_quotes(value, buffer));
        } else if *role == ColumnRole::Text {
            self.named.text(name, cell.from, cell.to, rows);
        } else {
            self.named.value(name, event, cell.from, cell.to, rows);
        }
    }

    /// Puts the time whose parts are in two columns; `date` is that of the table if rows have none.
    #[inline]
    pub(crate) fn end(&mut self, event: &[u8], date: &[u8], rows: &mut Rows) {
        let part = |place: (usize, usize)| &event[place.0..place.1];
        let zone = self.zone.map(part);
        if let Some(when) = self.time {
            rows.when(&in_zone(when, zone.unwrap_or_default()));
            return;
        }
        let zone = zone.unwrap_or(if self.is_utc { b"UTC" } else { b"" });
        let date = self.date.map_or(date, part);
        let when = match self.time_of_day.map(part) {
            Some(time) if date.is_empty() => whole_day_time(time),
            Some(time) => joined_time_in_order(&[date, time], self.order).map(|when| in_zone(when, zone)),
            None => whole_time_in_order(date, self.order),
        };
        if let Some(when) = when {
            rows.when(&when);
            return;
        }
        for (place, name) in [(self.date, &b"date"[..]), (self.time_of_day, b"time")] {
            if let Some((from, to)) = place {
                let column = self.named.column(name, ColumnKind::Text, rows);
                if let Some(column) = column {
                    rows.text(column, from, to);
                }
            }
        }
    }
}

pub(crate) fn single_quotes(value: &[u8], buffer: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(quote) = memchr(b'"', rest) {
        buffer.extend_from_slice(&rest[..=quote]);
        rest = &rest[(quote + 2).min(rest.len())..];
    }
    buffer.extend_from_slice(rest);
}

/// Makes column names unique: a repeated name gets its number as a suffix.
pub(crate) fn make_unique(names: &mut [Box<[u8]>]) {
    for index in 1..names.len() {
        if names[..index].contains(&names[index]) {
            let mut name = names[index].to_vec();
            name.extend_from_slice(format!("_{}", index + 1).as_bytes());
            names[index] = name.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(row: &str, delimiter: u8) -> Vec<String> {
        cells(row.as_bytes(), delimiter)
            .map(|cell| {
                let mut text = Vec::new();
                single_quotes(&row.as_bytes()[cell.from..cell.to], &mut text);
                if cell.has_quotes {
                    String::from_utf8_lossy(&text).into_owned()
                } else {
                    row[cell.from..cell.to].to_string()
                }
            })
            .collect()
    }

    #[test]
    fn values_and_quotes() {
        assert_eq!(split(r#"a,"b ""c"", d",,"e""#, b','), ["a", r#"b "c", d"#, "", "e"]);
        assert_eq!(split("a;", b';'), ["a", ""]);
        assert_eq!(split(r#""a" b,"open,c"#, b','), [r#""a" b"#, r#""open"#, "c"]);
        assert_eq!(split("", b','), [""]);
    }

    #[test]
    fn rows_end_outside_quotes() {
        assert_eq!(row_end(b"a,b\nc", b','), Some(3));
        assert_eq!(row_end(b"a,\"b\n\"\"\",c\nd", b','), Some(10));
        assert_eq!(row_end(b"a \"b\nc", b','), Some(4));
        assert_eq!(row_end(b"\"a\nb", b','), None);
        assert_eq!(row_end(b"ab", b','), None);
    }

    #[test]
    fn column_names_are_unique() {
        let mut names: Vec<Box<[u8]>> = [&b"a"[..], b"b", b"a"].into_iter().map(Into::into).collect();
        make_unique(&mut names);
        assert_eq!(names[2], (*b"a_3").into());
    }
}
