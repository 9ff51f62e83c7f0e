//! Parquet, as far as a table of events needs it: one row group, optional flat columns, dictionaries and
//! packed differences, zstd. Any tool reads what is written here; what is read here was written here, but for `others`.
//!
//! Written by hand because an import lives or dies by it: values that repeat arrive with their codes, and
//! writers that take plain values hash every cell once more.

mod bits;
pub mod others;
mod read;
mod thrift;
mod write;

pub use read::File;
pub use write::Writer;

/// Marks both ends of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Rows of a data page. One row is read by decoding one page of each column, and pages this large still
/// compress as well as whole columns.
const PAGE_ROWS: usize = 1 << 16;

/// What a column's numbers stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Nanoseconds since 1970 UTC.
    Time,
    Int,
    UnsignedInt,
    UnsignedShort,
    Float,
    Bool,
}

/// The numbers that Parquet gives physical types.
mod physical {
    pub const BOOLEAN: i32 = 0;
    pub const INT32: i32 = 1;
    pub const INT64: i32 = 2;
    pub const DOUBLE: i32 = 5;
    pub const BYTE_ARRAY: i32 = 6;
}

/// The numbers that Parquet gives encodings.
mod encoding {
    pub const PLAIN: i32 = 0;
    pub const RLE: i32 = 3;
    pub const DIFFERENCES: i32 = 5;
    pub const LENGTHS_AND_TEXT: i32 = 6;
    pub const CODES: i32 = 8;
}

/// The numbers that Parquet gives kinds of pages.
mod page {
    pub const DICTIONARY: i32 = 2;
    pub const DATA: i32 = 3;
}

const ZSTD: i32 = 6;

impl Kind {
    fn physical(self) -> i32 {
        match self {
            Kind::Text => physical::BYTE_ARRAY,
            Kind::UnsignedShort => physical::INT32,
            Kind::Time | Kind::Int | Kind::UnsignedInt => physical::INT64,
            Kind::Float => physical::DOUBLE,
            Kind::Bool => physical::BOOLEAN,
        }
    }
}

/// Texts in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Makes room for so many more texts of so many bytes.
    pub fn reserve(&mut self, texts: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.ends.reserve(texts);
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start..end)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// All texts, one behind the other.
    pub fn joined(&self) -> &str {
        &self.text
    }

    /// Which text a byte of the joined ones belongs to, at this place or behind it, and where that text ends.
    pub fn at_byte(&self, byte: usize, from: usize) -> Option<(usize, usize)> {
        let ends = self.ends.get(from..)?;
        // What is looked for next is mostly near.
        let mut reach = 1;
        while reach < ends.len() && ends[reach] <= byte {
            reach *= 2;
        }
        let near = &ends[..ends.len().min(reach + 1)];
        let place = from + near.partition_point(|&end| end <= byte);
        self.ends.get(place).map(|&end| (place, end))
    }

    /// The places of a text.
    pub fn places_of<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let wanted =
            begins.zip(&self.ends).enumerate().filter(move |(_, (begin, end))| **end - begin == text.len());
        wanted.filter(move |(place, _)| self.get(*place) == Some(text)).map(|(place, _)| place)
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Bytes it takes in memory.
    pub fn memory(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<usize>()
    }
}

/// The code of a missing value.
pub const NO_CODE: u32 = u32::MAX;

/// A column's values, one a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Each row's text as its place among the texts, or [`NO_CODE`].
    Text {
        codes: Vec<u32>,
        texts: Texts,
    },
    /// [`ingest::NO_INT`] where missing.
    Int(Vec<i64>),
    /// NaN where missing.
    Float(Vec<f64>),
    Bool(Vec<Option<bool>>),
}

impl Values {
    /// Bytes it takes in memory.
    pub fn memory(&self) -> usize {
        match self {
            Values::Text { codes, texts } => codes.len() * size_of::<u32>() + texts.memory(),
            Values::Int(numbers) => numbers.len() * size_of::<i64>(),
            Values::Float(numbers) => numbers.len() * size_of::<f64>(),
            Values::Bool(truths) => truths.len() * size_of::<Option<bool>>(),
        }
    }
}

#[cfg(test)]
mod tests;
