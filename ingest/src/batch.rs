//! The contract between reading and storing: a [`Batch`] is a run of events of one source, as columns over
//! the very bytes they were read from.
//!
//! Values are not copied where that can be avoided: a text value is a [`Span`] into the chunk's text, or into
//! a side buffer where it had to be rewritten (a JSON string with escapes).

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::decoded::Decoded;
use crate::encoding::{Encoding, has_escapes};
use crate::limits;
use crate::rare_values::RareValues;
use crate::time::TimeTally;

pub use crate::level::Level;
pub use crate::time::NO_TIME;

/// A missing value in an integer column.
pub const NO_INT: i64 = i64::MIN;

/// A run of whole events as read from a source: its bytes and their position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    pub bytes: Buffer,
    /// Offset of the first byte in the (decompressed) source.
    pub offset: u64,
    /// Number of the first line, counted from 1.
    pub first_line: u64,
    /// The heading lines before this chunk that describe its events.
    pub(crate) heading: Arc<[u8]>,
    /// The text of the bytes, where it differs from the bytes themselves.
    pub(crate) decoded: Option<Decoded>,
}

impl Chunk {
    /// A chunk that is a complete source.
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Chunk {
        Chunk { bytes: bytes.into(), first_line: 1, ..Chunk::default() }
    }

    /// Restores a chunk that was read before, from its stored parts.
    #[must_use]
    pub fn stored(bytes: Vec<u8>, offset: u64, heading: &[u8], encoding: Encoding) -> Chunk {
        let differs = !encoding.is_records() && (!encoding.is_plain() || has_escapes(&bytes));
        let decoded = differs.then(|| {
            let mut decoded = Decoded::new(encoding);
            decoded.extend(&bytes, true);
            decoded
        });
        Chunk { bytes: bytes.into(), offset, first_line: 1, heading: heading.into(), decoded }
    }

    /// The same chunk at this offset of its source.
    #[must_use]
    pub fn at(self, offset: u64) -> Chunk {
        Chunk { offset, ..self }
    }

    /// The heading lines before this chunk, as [`Chunk::stored`] takes them.
    #[must_use]
    pub fn heading(&self) -> &[u8] {
        &self.heading
    }

    /// The chunk up to a position in its text.
    pub(crate) fn up_to(&self, text_end: usize) -> Chunk {
        let bytes = self.bytes[..self.byte_position(text_end)].to_vec().into();
        Chunk { bytes, decoded: self.decoded.clone().map(|decoded| decoded.up_to(text_end)), ..self.clone() }
    }

    pub(crate) fn text(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&self.bytes, Decoded::text)
    }

    /// The position in the bytes that corresponds to a position in the text.
    pub(crate) fn byte_position(&self, at: usize) -> usize {
        self.decoded.as_ref().map_or(at, |decoded| decoded.byte_position(&self.bytes, at))
    }
}

/// The range of one event in its chunk, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// In the text.
    pub text_start: usize,
    pub text_end: usize,
    /// In the bytes.
    pub start: usize,
    pub length: usize,
    pub line: u64,
    /// It continues an event that began earlier: a piece of one beyond the limits, or the text before a
    /// source's first event.
    pub is_rest: bool,
}

/// How well the events of a chunk fit the format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FitTally {
    pub whole: u32,
    pub partly: u32,
    /// Headings and notes instead of events.
    pub headings: u32,
    /// Lines that were joined to an event without looking like a part of it.
    pub joined: u32,
    /// Those of them that begin with a time of their own, or with a level.
    pub joined_with_time: u32,
    pub times: TimeTally,
}

/// A range of text in a batch: of its chunk's text, or of its side buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// No value in this row.
    pub const MISSING: Span = Span { start: u32::MAX, len: 0 };
    /// Set in `start` where the text is in the side buffer. Chunks stay well under 2 GiB.
    const REWRITTEN: u32 = 1 << 31;

    /// A range of the chunk's text.
    #[must_use]
    pub fn in_chunk(start: usize, end: usize) -> Span {
        Span { start: start as u32, len: (end - start) as u32 }
    }

    /// A range of [`Batch::rewritten`], for text that had to be rewritten.
    #[must_use]
    pub fn in_rewritten(start: usize, end: usize) -> Span {
        Span { start: start as u32 | Self::REWRITTEN, len: (end - start) as u32 }
    }

    /// The text of a range of rewritten text.
    pub(crate) fn rewritten(self, rewritten: &[u8]) -> Option<&[u8]> {
        let start = (self.start ^ Self::REWRITTEN) as usize;
        let is_rewritten = self.start & Self::REWRITTEN != 0 && !self.is_missing();
        is_rewritten.then(|| &rewritten[start..start + self.len as usize])
    }

    #[must_use]
    pub fn is_missing(self) -> bool {
        self == Self::MISSING
    }
}

/// The values of one field, one per row. A field whose values differ in type has one column per type.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text(Vec<Span>),
    /// [`NO_INT`] where missing.
    Int(Vec<i64>),
    /// NaN where missing.
    Float(Vec<f64>),
    Bool(Vec<Option<bool>>),
}

impl Values {
    /// How many rows have a value.
    fn present(&self) -> u64 {
        let rows = match self {
            Values::Text(values) => values.iter().filter(|span| !span.is_missing()).count(),
            Values::Int(values) => values.iter().filter(|&&value| value != NO_INT).count(),
            Values::Float(values) => values.iter().filter(|value| !value.is_nan()).count(),
            Values::Bool(values) => values.iter().flatten().count(),
        };
        rows as u64
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct BatchColumn {
    pub name: Arc<str>,
    pub values: Values,
}

/// Events in source order. Every vector has one value per row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub chunk: Chunk,
    pub rewritten: Vec<u8>,
    /// Nanoseconds since 1970 UTC, or [`NO_TIME`].
    pub time: Vec<i64>,
    pub level: Vec<Level>,
    /// Number of the event's first line in the source, counted from 1.
    pub line: Vec<u64>,
    /// First byte of the event within the chunk's bytes.
    pub start: Vec<u32>,
    /// Length in bytes without the line end. Between events there are only line ends, blank lines, separators
    /// (the brackets of a list), heading lines that name the fields of the events after them, and at the very
    /// start perhaps a byte order mark.
    pub length: Vec<u32>,
    pub columns: Vec<BatchColumn>,
    /// Columns with few values, until it is known which of them are fields of the source.
    pub(crate) rare: RareValues,
    /// Values that are no fields because the source has too many; they are in the text of their events.
    pub left_out: LeftOut,
    /// How many times contained a zone, a year or a date.
    pub times: TimeTally,
    /// Rows that do not fit the format; they are events all the same.
    pub unparsed: u32,
    /// How many unparsed rows there are for each reason.
    pub unparsed_reasons: Vec<(&'static str, u32)>,
    /// The first few unparsed rows, for a person: row and reason.
    pub unparsed_examples: Vec<(u32, &'static str)>,
    /// How many events begin at each layout, in words; empty where the layouts are not known.
    pub layouts: Vec<(String, u32)>,
}

/// Counts one more unparsed row for this reason. There are few reasons, so a list is faster than a map.
pub(crate) fn count_reason(reasons: &mut Vec<(&'static str, u32)>, reason: &'static str) {
    match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, count)) => *count += 1,
        None => reasons.push((reason, 1)),
    }
}

/// The field of the address that an event was received from.
const SENDER: &str = "sender";

impl Batch {
    /// Adds the address that all events were received from. No event says another: a field of the data with this name
    /// gets the prefix `data.`.
    pub(crate) fn add_sender(&mut self, address: &str) {
        for column in self.columns.iter_mut().filter(|column| &*column.name == SENDER) {
            column.name = Arc::from(format!("data.{SENDER}"));
        }
        for column in self.rare.columns_mut().iter_mut().filter(|column| &*column.name == SENDER) {
            column.name = Arc::from(format!("data.{SENDER}"));
        }
        let start = self.rewritten.len();
        self.rewritten.extend_from_slice(address.as_bytes());
        let span = Span::in_rewritten(start, self.rewritten.len());
        if self.rows() > 0 {
            let values = Values::Text(vec![span; self.rows()]);
            self.columns.push(BatchColumn { name: Arc::from(SENDER), values });
        }
    }

    /// Removes the fields that are not wanted. Returns how many values they have.
    pub fn keep_fields(&mut self, mut is_wanted: impl FnMut(&str) -> bool) -> u64 {
        let mut removed = 0;
        self.columns.retain(|column| {
            let is_wanted = is_wanted(&column.name);
            removed += if is_wanted { 0 } else { column.values.present() };
            is_wanted
        });
        let rare = std::mem::take(&mut self.rare);
        removed + rare.spread(self.time.len(), &mut self.columns, &mut is_wanted)
    }

    #[must_use]
    pub fn rows(&self) -> usize {
        self.time.len()
    }

    /// The bytes of an event, without its line end.
    #[must_use]
    pub fn raw(&self, row: usize) -> &[u8] {
        &self.chunk.bytes[self.event(row)]
    }

    /// The range of an event in the chunk's bytes.
    #[must_use]
    pub fn event(&self, row: usize) -> Range<usize> {
        let start = self.start[row] as usize;
        start..start + self.length[row] as usize
    }

    /// The position of a span's text in the bytes of its event, counted from the event's first byte, and its
    /// length. `None` where the bytes do not contain it unchanged.
    #[must_use]
    pub fn span_in_event(&self, row: usize, span: Span) -> Option<(usize, usize)> {
        let copied = span.is_missing() || span.start & Span::REWRITTEN != 0 || self.chunk.decoded.is_some();
        let start = span.start.checked_sub(self.start[row]).filter(|_| !copied)?;
        (start.checked_add(span.len)? <= self.length[row]).then_some((start as usize, span.len as usize))
    }

    /// The text of a span; empty where the value is missing.
    #[must_use]
    pub fn text(&self, span: Span) -> &[u8] {
        if span.is_missing() {
            return &[];
        }
        let (buffer, start) = match span.start & Span::REWRITTEN {
            0 => (self.chunk.text(), span.start as usize),
            _ => (&self.rewritten[..], (span.start & !Span::REWRITTEN) as usize),
        };
        &buffer[start..start + span.len as usize]
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Int,
    Float,
    Bool,
}

/// Values that are no fields because their source has too many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub values: u64,
    /// The names of the first of them.
    pub names: Vec<String>,
}

impl LeftOut {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values == 0
    }

    /// Adds those of later events.
    pub fn add(&mut self, later: &LeftOut) {
        self.values += later.values;
        for name in &later.names {
            if self.names.len() < limits::LEFT_OUT_EXAMPLES && !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
    }
}
