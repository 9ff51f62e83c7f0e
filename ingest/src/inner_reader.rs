//! Text of another format within a line: its reader puts an event into rows of its own, whose values are then
//! copied, because a format knows its columns by their numbers.

use crate::formats::{Fit, Reader};
use crate::parser::Parser;
use crate::rows::Rows;

pub(crate) struct InnerReader {
    reader: Box<dyn Reader>,
    rows: Rows,
    /// The column of the line's format for each column of the inner format.
    columns: Vec<Option<usize>>,
}

impl InnerReader {
    pub(crate) fn new(parser: &Parser) -> InnerReader {
        let (reader, rows) = parser.reader();
        InnerReader { reader, rows, columns: Vec::new() }
    }

    /// Reads the rest of an event from a position on. Its time and its level replace those of the row, if it
    /// has any.
    pub(crate) fn read(&mut self, event: &[u8], from: usize, rows: &mut Rows) -> Result<Fit, &'static str> {
        self.rows.begin_within(rows, from);
        let read = self.reader.read(&event[from..], &mut self.rows);
        if read.is_ok() {
            rows.copy_row(&self.rows, &mut self.columns);
        }
        self.rows.clear();
        read
    }
}
