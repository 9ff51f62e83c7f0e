//! The tables of a case as Parquet: one row group, optional flat columns, dictionaries and delta encoding,
//! zstd. File and page headers, runs and codes are those of `polars-parquet`; pages are made and read here,
//! directly from codes and numbers and into them. Any tool reads what is written here; only files written
//! here are read here, except by `others`.

mod differences;
#[cfg(feature = "other-parquet")]
pub mod others;
mod read;
mod write;

use polars_parquet::parquet::schema::types::{
    IntegerType, PhysicalType, PrimitiveConvertedType, PrimitiveLogicalType, PrimitiveType, TimeUnit,
};

pub use read::File;
pub use write::Writer;

/// Rows of a data page. One row is read by decoding one page of each column, and pages this large still
/// compress as well as whole columns.
const PAGE_ROWS: usize = 1 << 16;

/// What a column's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    Text,
    /// Nanoseconds since 1970 UTC.
    Time,
    Int,
    UnsignedInt,
    UnsignedShort,
    Float,
    Bool,
}

impl NumberKind {
    /// The Parquet type of such a column.
    fn primitive_type(self, name: &str) -> PrimitiveType {
        use PrimitiveConvertedType as Converted;
        use PrimitiveLogicalType as Logical;
        let (physical, logical, converted) = match self {
            NumberKind::Text => (PhysicalType::ByteArray, Some(Logical::String), Some(Converted::Utf8)),
            NumberKind::Time => {
                let time = Logical::Timestamp { unit: TimeUnit::Nanoseconds, is_adjusted_to_utc: true };
                (PhysicalType::Int64, Some(time), None)
            }
            NumberKind::Int => (PhysicalType::Int64, None, None),
            NumberKind::UnsignedInt => {
                let long = Logical::Integer(IntegerType::UInt64);
                (PhysicalType::Int64, Some(long), Some(Converted::Uint64))
            }
            NumberKind::UnsignedShort => {
                let short = Logical::Integer(IntegerType::UInt32);
                (PhysicalType::Int32, Some(short), Some(Converted::Uint32))
            }
            NumberKind::Float => (PhysicalType::Double, None, None),
            NumberKind::Bool => (PhysicalType::Boolean, None, None),
        };
        PrimitiveType {
            logical_type: logical,
            converted_type: converted,
            ..PrimitiveType::from_physical(name.into(), physical)
        }
    }
}

/// Concatenated texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reserves room for more texts and bytes.
    pub fn reserve(&mut self, texts: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.ends.reserve(texts);
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start..end)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// All texts, concatenated.
    #[must_use]
    pub fn joined(&self) -> &str {
        &self.text
    }

    /// The text that contains a byte of the concatenated ones, searched from this index on, and the end of
    /// that text.
    #[inline]
    #[must_use]
    pub fn at_byte(&self, byte: usize, from: usize) -> Option<(usize, usize)> {
        let ends = self.ends.get(from..)?;
        // The next hit is mostly near.
        let mut reach = 1;
        while reach < ends.len() && ends[reach] <= byte {
            reach *= 2;
        }
        let near = &ends[..ends.len().min(reach + 1)];
        let place = from + near.partition_point(|&end| end <= byte);
        self.ends.get(place).map(|&end| (place, end))
    }

    /// The byte range of a text.
    pub fn places_of<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let wanted =
            begins.zip(&self.ends).enumerate().filter(move |(_, (begin, end))| **end - begin == text.len());
        wanted.filter(move |(place, _)| self.get(*place) == Some(text)).map(|(place, _)| place)
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Bytes it takes in memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<usize>()
    }
}

/// The code of a missing value.
pub const NO_CODE: u32 = u32::MAX;

/// A column's values, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The index of each row's text, or [`NO_CODE`].
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
    /// The number of rows with a value.
    #[must_use]
    pub fn present(&self) -> u64 {
        let count = match self {
            Values::Text { codes, .. } => codes.iter().filter(|&&code| code != NO_CODE).count(),
            Values::Int(numbers) => numbers.iter().filter(|&&number| number != ingest::NO_INT).count(),
            Values::Float(numbers) => numbers.iter().filter(|number| !number.is_nan()).count(),
            Values::Bool(truths) => truths.iter().flatten().count(),
        };
        count as u64
    }

    /// Bytes it takes in memory.
    #[must_use]
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
