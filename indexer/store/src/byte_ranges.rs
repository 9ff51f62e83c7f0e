//! Texts that rarely repeat, stored as byte ranges into their events: the raw bytes contain them already, and
//! a second copy of a trace id or a message would be the largest part of a case.

use std::sync::Arc;

use ingest::NO_INT;

use super::columns::StoredColumn;
use super::parquet::{NO_CODE, Texts, Values};
use base::limits::MOST_TEXT_RESERVED_BYTES;

/// A column of byte ranges. A row has a range, or a value of its own, or none.
#[derive(Debug, Default)]
pub struct ByteRanges {
    /// Relative to the first byte of the event; [`NO_INT`] if the row has no range.
    pub start: Vec<i64>,
    pub length: Vec<i64>,
    /// The values that do not occur verbatim in their event, such as strings with escapes.
    pub rest: Option<Values>,
    /// True if no token of an event extends past the ends of the value in it.
    pub delimited: bool,
}

/// A cached column of byte ranges, for the lookup of some rows.
#[derive(Debug)]
pub struct CachedByteRanges {
    start: StoredColumn,
    length: StoredColumn,
    rest: Option<Arc<StoredColumn>>,
}

/// The names of the two integer columns of a column.
pub fn column_names(column: &str) -> (String, String) {
    (format!("{column}@start"), format!("{column}@length"))
}

impl ByteRanges {
    #[must_use]
    pub fn with_capacity(rows: usize) -> ByteRanges {
        let numbers = || Vec::with_capacity(rows);
        ByteRanges { start: numbers(), length: numbers(), rest: None, delimited: true }
    }

    /// The number of rows with a value.
    pub fn present(&self) -> u64 {
        let rest = self.rest.as_ref().map_or(0, Values::present);
        self.start.iter().filter(|&&start| start != NO_INT).count() as u64 + rest
    }

    /// The range of a row in its event.
    #[inline]
    #[must_use]
    pub fn range(&self, row: usize) -> Option<(usize, usize)> {
        let (start, length) = (*self.start.get(row)?, *self.length.get(row)?);
        (start != NO_INT).then_some(())?;
        Some((usize::try_from(start).ok()?, usize::try_from(length).ok()?))
    }

    /// The values of the column. `each_event` calls back with the row and the bytes of every event, in any
    /// order.
    pub fn values<E>(
        self,
        each_event: impl FnOnce(&mut dyn FnMut(usize, &[u8])) -> Result<(), E>,
    ) -> Result<Values, E> {
        let (mut codes, mut texts) = match &self.rest {
            Some(Values::Text { codes, texts }) => (codes.clone(), texts.clone()),
            _ => (vec![NO_CODE; self.start.len()], Texts::default()),
        };
        let lengths = self.length.iter().filter(|&&length| length != NO_INT);
        let (count, bytes) =
            lengths.fold((0, 0_i64), |(count, bytes), &length| (count + 1, bytes.saturating_add(length)));
        // A damaged length must not allocate memory; its range is in no event.
        texts.reserve(count, usize::try_from(bytes).map_or(0, |bytes| bytes.min(MOST_TEXT_RESERVED_BYTES)));
        each_event(&mut |row, event| {
            if let Some((start, length)) = self.range(row)
                && let Some(text) = event.get(start..start.saturating_add(length))
            {
                codes[row] = texts.len() as u32;
                texts.push(&String::from_utf8_lossy(text));
            }
        })?;
        Ok(Values::Text { codes, texts })
    }
}

impl CachedByteRanges {
    pub fn new(places: ByteRanges, rest: Option<Arc<StoredColumn>>) -> CachedByteRanges {
        let numbers = |numbers| StoredColumn::from_values(Values::Int(numbers));
        CachedByteRanges { start: numbers(places.start), length: numbers(places.length), rest }
    }

    /// The value of a row, given its event.
    #[inline]
    pub fn value(&self, row: usize, event: &[u8]) -> Option<String> {
        if self.start.codes.get(row) == 0 {
            return self.rest.as_ref()?.at(row).map(|value| value.to_string());
        }
        let start = usize::try_from(self.start.whole_at(row)).ok()?;
        let length = usize::try_from(self.length.whole_at(row)).ok()?;
        let value = event.get(start..start.checked_add(length)?)?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    pub fn bytes(&self) -> usize {
        self.start.bytes() + self.length.bytes()
    }
}
