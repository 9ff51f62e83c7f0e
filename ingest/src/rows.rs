//! The output of a format: columns that grow one row at a time and pad themselves.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use crate::batch::{Batch, BatchColumn, Chunk, Frame, LeftOut, Level, NO_INT, NO_TIME, Span, Values};
use crate::limits;
use crate::rare_values::{RareValue, RareValues};
use crate::time::stamp::Stamp;
use crate::time::zone::Zone;
use crate::time::{Clock, When};

pub(crate) use crate::batch::ColumnKind;

/// The numbers of rare columns begin here, far above those of others.
const RARE: usize = 1 << 24;

/// The columns a format always has; it addresses them by their index in this table.
pub(crate) type Schema = &'static [(&'static str, ColumnKind)];

/// The rows read so far from one chunk, and the row being read. Values are put by column number; a column
/// without a value in a row costs nothing, because it is padded when next used.
pub(crate) struct Rows {
    time: Vec<i64>,
    level: Vec<Level>,
    line: Vec<u64>,
    start: Vec<u32>,
    length: Vec<u32>,
    columns: Vec<BatchColumn>,
    /// The columns beyond `most_whole`. Their numbers begin at [`RARE`].
    rare: RareValues,
    /// So many columns have an entry for every row.
    most_whole: usize,
    /// The numbers of the columns by name and kind.
    numbers: HashMap<Arc<str>, [Option<usize>; 4]>,
    rewritten: Vec<u8>,
    clock: Clock,
    expected: usize,
    row: usize,
    row_start: usize,
    row_time: i64,
    row_level: Level,
}

impl Rows {
    pub(crate) fn new(schema: Schema, zone: Zone, expected: usize) -> Rows {
        let mut rows = Rows {
            time: Vec::with_capacity(expected),
            level: Vec::with_capacity(expected),
            line: Vec::with_capacity(expected),
            start: Vec::with_capacity(expected),
            length: Vec::with_capacity(expected),
            columns: Vec::with_capacity(schema.len()),
            rare: RareValues::default(),
            most_whole: (limits::WHOLE_CELLS / expected.max(1))
                .clamp(limits::LEAST_WHOLE_COLUMNS.max(schema.len()), limits::MOST_FIELDS),
            numbers: HashMap::with_capacity(schema.len()),
            rewritten: Vec::new(),
            clock: Clock::new(zone),
            expected,
            row: 0,
            row_start: 0,
            row_time: NO_TIME,
            row_level: Level::None,
        };
        for (name, kind) in schema {
            rows.push_column(name, *kind);
        }
        rows
    }

    /// Adds a column, unless there are too many already. An existing column with the same name is reused: the
    /// reader of an event's header and the reader of its message may find the same name.
    pub(crate) fn add_column(&mut self, name: &str, kind: ColumnKind) -> Option<usize> {
        let known = self.numbers.get(name).and_then(|numbers| numbers[kind as usize]);
        let has_room = self.columns.len() + self.rare.column_count() < limits::MOST_COLUMNS;
        known.or_else(|| has_room.then(|| self.push_column(name, kind)))
    }

    fn push_column(&mut self, name: &str, kind: ColumnKind) -> usize {
        let name = match self.numbers.get_key_value(name) {
            Some((name, _)) => Arc::clone(name),
            None => Arc::from(name),
        };
        let number = if self.columns.len() < self.most_whole {
            let values = match kind {
                ColumnKind::Text => Values::Text(Vec::new()),
                ColumnKind::Int => Values::Int(Vec::new()),
                ColumnKind::Float => Values::Float(Vec::new()),
                ColumnKind::Bool => Values::Bool(Vec::new()),
            };
            self.columns.push(BatchColumn { name: Arc::clone(&name), values });
            self.columns.len() - 1
        } else {
            RARE + self.rare.push_column(Arc::clone(&name), kind)
        };
        self.numbers.entry(name).or_default()[kind as usize].get_or_insert(number);
        number
    }

    pub(crate) fn begin(&mut self, frame: Frame) {
        self.row = self.time.len();
        self.row_start = frame.text_start;
        self.row_time = NO_TIME;
        self.row_level = Level::None;
    }

    /// Begins the only row of rows within another's row, from a position on.
    pub(crate) fn begin_within(&mut self, outer: &Rows, from: usize) {
        self.row_start = outer.row_start + from;
    }

    /// Copies the only row of other rows; the numbers of their columns here are kept from row to row.
    pub(crate) fn copy_row(&mut self, inner: &Rows, numbers: &mut Vec<Option<usize>>) {
        for column in &inner.columns[numbers.len()..] {
            numbers.push(self.add_column(&column.name, kind_of(&column.values)));
        }
        for (column, number) in inner.columns.iter().zip(numbers) {
            let Some(number) = *number else { continue };
            match &column.values {
                Values::Text(values) => {
                    for span in values {
                        self.copied_span(number, *span, &inner.rewritten);
                    }
                }
                Values::Int(values) => values.iter().for_each(|value| self.int(number, *value)),
                Values::Float(values) => values.iter().for_each(|value| self.float(number, *value)),
                Values::Bool(values) => {
                    values.iter().flatten().for_each(|value| self.boolean(number, *value));
                }
            }
        }
        for (column, _, value) in inner.rare.each() {
            let Some(number) = self.add_column(&column.name, column.kind) else { continue };
            match value {
                RareValue::Text(span) => self.copied_span(number, span, &inner.rewritten),
                RareValue::Int(value) => self.int(number, value),
                RareValue::Float(value) => self.float(number, value),
                RareValue::Bool(value) => self.boolean(number, value),
            }
        }
        if inner.row_time != NO_TIME {
            if self.row_time != NO_TIME {
                self.clock.uncount_last();
            }
            self.clock.count_as(&inner.clock);
            self.row_time = inner.row_time;
        }
        if inner.row_level != Level::None {
            self.row_level = inner.row_level;
        }
    }

    /// Puts a span of other rows with this rewritten text.
    fn copied_span(&mut self, column: usize, span: Span, rewritten: &[u8]) {
        let copy = |text: &[u8]| self.rewrite(|buffer| buffer.extend(text));
        let span = span.rewritten(rewritten).map_or(span, copy);
        self.span(column, span);
    }

    /// Removes every value of a row that turned out not to fit the format; the row stays an event. Rewritten
    /// text stays in its buffer, because a reader may use one span for many rows.
    pub(crate) fn clear(&mut self) {
        let row = self.row;
        for column in &mut self.columns {
            match &mut column.values {
                Values::Text(values) => values.truncate(row),
                Values::Int(values) => values.truncate(row),
                Values::Float(values) => values.truncate(row),
                Values::Bool(values) => values.truncate(row),
            }
        }
        self.rare.clear_row(row);
        if self.row_time != NO_TIME {
            self.clock.uncount_last();
        }
        self.row_time = NO_TIME;
        self.row_level = Level::None;
    }

    /// Reads the rest of the event from a position on as an event of its own. Its time and its level replace those of
    /// the row, if it has any.
    pub(crate) fn within<T>(&mut self, from: usize, read: impl FnOnce(&mut Rows) -> T) -> T {
        let time = mem::replace(&mut self.row_time, NO_TIME);
        let level = mem::replace(&mut self.row_level, Level::None);
        let counted = self.clock.tally;
        if time != NO_TIME {
            self.clock.uncount_last();
        }
        self.row_start += from;
        let read = read(self);
        self.row_start -= from;
        if self.row_time == NO_TIME {
            (self.row_time, self.clock.tally) = (time, counted);
        }
        if self.row_level == Level::None {
            self.row_level = level;
        }
        read
    }

    #[inline]
    pub(crate) fn end(&mut self, frame: Frame) {
        self.time.push(self.row_time);
        self.level.push(self.row_level);
        self.line.push(frame.line);
        self.start.push(frame.start as u32);
        self.length.push(frame.length as u32);
    }

    #[inline]
    pub(crate) fn stamp(&mut self, stamp: &Stamp) {
        self.row_time = self.clock.stamp_ns(stamp);
    }

    #[inline]
    pub(crate) fn when(&mut self, when: &When) {
        self.row_time = self.clock.ns(when);
    }

    #[inline]
    pub(crate) fn has_time(&self) -> bool {
        self.row_time != NO_TIME
    }

    #[inline]
    pub(crate) fn set_level(&mut self, level: Level) {
        self.row_level = level;
    }

    #[inline]
    pub(crate) fn level(&self) -> Level {
        self.row_level
    }

    /// Puts a range of the line as text.
    #[inline]
    pub(crate) fn text(&mut self, column: usize, from: usize, to: usize) {
        self.span(column, Span::in_chunk(self.row_start + from, self.row_start + to));
    }

    #[inline]
    pub(crate) fn span(&mut self, column: usize, span: Span) {
        match self.columns.get_mut(column).map(|column| &mut column.values) {
            Some(Values::Text(values)) => put(values, self.row, self.expected, Span::MISSING, span),
            Some(_) => {}
            None => self.put_rare(column, RareValue::Text(span)),
        }
    }

    #[cold]
    fn put_rare(&mut self, column: usize, value: RareValue) {
        self.rare.put(column - RARE, self.row, value);
    }

    /// Adds text that had to be rewritten; the function appends it to the given buffer.
    pub(crate) fn rewrite(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Span {
        let from = self.rewritten.len();
        write(&mut self.rewritten);
        Span::in_rewritten(from, self.rewritten.len())
    }

    #[inline]
    pub(crate) fn int(&mut self, column: usize, value: i64) {
        match self.columns.get_mut(column).map(|column| &mut column.values) {
            Some(Values::Int(values)) => put(values, self.row, self.expected, NO_INT, value),
            Some(_) => {}
            None => self.put_rare(column, RareValue::Int(value)),
        }
    }

    #[inline]
    pub(crate) fn float(&mut self, column: usize, value: f64) {
        match self.columns.get_mut(column).map(|column| &mut column.values) {
            Some(Values::Float(values)) => put(values, self.row, self.expected, f64::NAN, value),
            Some(_) => {}
            None => self.put_rare(column, RareValue::Float(value)),
        }
    }

    #[inline]
    pub(crate) fn boolean(&mut self, column: usize, value: bool) {
        match self.columns.get_mut(column).map(|column| &mut column.values) {
            Some(Values::Bool(values)) => put(values, self.row, self.expected, None, Some(value)),
            Some(_) => {}
            None => self.put_rare(column, RareValue::Bool(value)),
        }
    }

    /// The batch, without columns that never had a value.
    pub(crate) fn finish(self, chunk: Chunk) -> (Batch, Clock) {
        let count = self.time.len();
        let mut columns = self.columns;
        columns.retain_mut(|column| match &mut column.values {
            Values::Text(values) => pad(values, count, Span::MISSING),
            Values::Int(values) => pad(values, count, NO_INT),
            Values::Float(values) => pad(values, count, f64::NAN),
            Values::Bool(values) => pad(values, count, None),
        });
        let mut rare = self.rare;
        if (columns.len() + rare.column_count()) * count <= limits::WHOLE_CELLS {
            mem::take(&mut rare).spread(count, &mut columns, &mut |_| true);
        }
        let batch = Batch {
            chunk,
            rewritten: self.rewritten,
            time: self.time,
            level: self.level,
            line: self.line,
            start: self.start,
            length: self.length,
            columns,
            rare,
            left_out: LeftOut::default(),
            times: self.clock.tally,
            unparsed: 0,
            unparsed_reasons: Vec::new(),
            unparsed_examples: Vec::new(),
            layouts: Vec::new(),
        };
        (batch, self.clock)
    }
}

fn kind_of(values: &Values) -> ColumnKind {
    match values {
        Values::Text(_) => ColumnKind::Text,
        Values::Int(_) => ColumnKind::Int,
        Values::Float(_) => ColumnKind::Float,
        Values::Bool(_) => ColumnKind::Bool,
    }
}

/// Puts a value into a row. A second value for the same row replaces the first, as JSON readers do.
#[inline]
fn put<T: Copy>(values: &mut Vec<T>, row: usize, expected: usize, missing: T, value: T) {
    if let Some(earlier) = values.get_mut(row) {
        *earlier = value;
        return;
    }
    if values.capacity() == 0 {
        values.reserve(expected);
    }
    if values.len() < row {
        values.resize(row, missing);
    }
    values.push(value);
}

fn pad<T: Copy>(values: &mut Vec<T>, count: usize, missing: T) -> bool {
    let used = !values.is_empty();
    if used {
        values.resize(count, missing);
    }
    used
}
