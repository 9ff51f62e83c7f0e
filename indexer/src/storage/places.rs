//! Texts that rarely repeat, told by where they stand in their events: the raw bytes hold them already, and a
//! trace id or a message stored twice is the largest part of a case.

use std::sync::Arc;

use ingest::NO_INT;

use super::columns::Column;
use super::parquet::{NO_CODE, Texts, Values};
use crate::limits::MOST_TEXT_RESERVED_BYTES;

/// A column by places. A row has a place, or a value of its own, or none.
#[derive(Debug, Default)]
pub struct Places {
    /// From the first byte of the event on; [`NO_INT`] where the row has no place.
    pub start: Vec<i64>,
    pub length: Vec<i64>,
    /// The values that do not stand in their event as they are, as strings with escapes.
    pub rest: Option<Values>,
    /// No token of an event goes on beyond the ends of the value in it.
    pub delimited: bool,
}

/// The same in memory, to look up the places of some rows.
#[derive(Debug)]
pub struct HeldPlaces {
    start: Column,
    length: Column,
    rest: Option<Arc<Column>>,
}

/// What the column's two columns of numbers are called.
pub fn column_names(column: &str) -> (String, String) {
    (format!("{column}@start"), format!("{column}@length"))
}

impl Places {
    pub fn with_capacity(rows: usize) -> Places {
        let numbers = || Vec::with_capacity(rows);
        Places { start: numbers(), length: numbers(), rest: None, delimited: true }
    }

    /// A row's place in its event.
    pub fn of(&self, row: usize) -> Option<(usize, usize)> {
        let (start, length) = (*self.start.get(row)?, *self.length.get(row)?);
        (start != NO_INT).then_some(())?;
        Some((usize::try_from(start).ok()?, usize::try_from(length).ok()?))
    }

    /// The column's values. `each_event` calls back with the row and the bytes of every event, in any order.
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
        // Damaged lengths make no room; what they say is in no event.
        texts.reserve(count, usize::try_from(bytes).map_or(0, |bytes| bytes.min(MOST_TEXT_RESERVED_BYTES)));
        each_event(&mut |row, event| {
            if let Some((start, length)) = self.of(row)
                && let Some(text) = event.get(start..start.saturating_add(length))
            {
                codes[row] = texts.len() as u32;
                texts.push(&String::from_utf8_lossy(text));
            }
        })?;
        Ok(Values::Text { codes, texts })
    }
}

impl HeldPlaces {
    pub fn new(places: Places, rest: Option<Arc<Column>>) -> HeldPlaces {
        let numbers = |numbers| Column::of(Values::Int(numbers));
        HeldPlaces { start: numbers(places.start), length: numbers(places.length), rest }
    }

    /// The value of a row whose event is this.
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
