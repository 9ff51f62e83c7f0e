//! The columns of a segment: read from its table, or made again from the original bytes where the table has not
//! got them, and kept while there is room.

use std::any::Any;
use std::sync::Arc;

use ingest::Level;

use super::columns::{Column, Scalar, Times};
use super::derive;
use super::parquet::Values;
use super::places::Places;
use super::raw::RawCursor;
use super::segment::{Segment, SegmentField};
use super::table::{self, Columns, Table};
use crate::error::{Error, Result};

/// The columns that tell where events lie.
#[derive(Debug)]
pub struct Locations {
    source: Arc<Column>,
    offset: Arc<Column>,
    length: Arc<Column>,
}

impl Locations {
    pub fn source(&self, row: usize) -> u32 {
        self.source.whole_at(row) as u32
    }

    pub fn offset(&self, row: usize) -> u64 {
        self.offset.whole_at(row) as u64
    }

    pub fn length(&self, row: usize) -> u32 {
        self.length.whole_at(row) as u32
    }
}

impl Segment {
    /// What is kept of this segment under a name, or else what is made now.
    fn cached<T: Any + Send + Sync>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.noted(self.cache.get(self.meta.id, name, make))
    }

    pub fn columns(&self) -> Result<Arc<Columns>> {
        self.cached("#columns", || {
            let columns = self.table()?.columns()?;
            let bytes = columns.rows() * Columns::ROW_BYTES;
            Ok((columns, bytes))
        })
    }

    /// The columns of a field, one for each type it has in this segment.
    pub fn field(&self, name: &str) -> Result<Vec<Arc<Values>>> {
        let described = self.meta.fields.iter().filter(|field| field.name == name);
        described.map(|field| self.field_column(field)).collect()
    }

    fn field_column(&self, field: &SegmentField) -> Result<Arc<Values>> {
        self.column(&field.column)
    }

    /// A column by its name in the table.
    pub fn column(&self, name: &str) -> Result<Arc<Values>> {
        self.cached(&format!("#values {name}"), || {
            let values = self.values(name)?;
            let bytes = values.memory();
            Ok((values, bytes))
        })
    }

    /// A column by its name in the table, packed.
    pub fn packed(&self, name: &str) -> Result<Arc<Column>> {
        // No name of a field makes this the name of something else that is kept.
        self.kept(&format!("={name}"), || Ok(Column::of(self.values(name)?)))
    }

    pub fn times(&self) -> Result<Arc<Times>> {
        self.cached("#time", || {
            let times = Times::new(&self.table()?.times()?);
            let bytes = times.bytes();
            Ok((times, bytes))
        })
    }

    /// Where the events lie in their files.
    pub fn locations(&self) -> Result<Locations> {
        Ok(Locations {
            source: self.packed("source")?,
            offset: self.packed("offset")?,
            length: self.packed("length")?,
        })
    }

    pub fn level(&self, row: usize) -> Result<Level> {
        Ok(match self.packed("level")?.at(row) {
            Some(Scalar::Text(name)) => table::level_of(&name),
            _ => Level::None,
        })
    }

    /// A column that is made from others, under a name that no column has.
    pub fn kept(&self, name: &str, make: impl FnOnce() -> Result<Column>) -> Result<Arc<Column>> {
        self.cached(name, || {
            let column = make()?;
            let bytes = column.bytes();
            Ok((column, bytes))
        })
    }

    /// The values of a column, from the table or from the original bytes.
    fn values(&self, name: &str) -> Result<Values> {
        let place = self.meta.fields.iter().position(|field| field.column == name);
        let Some(place) = place.filter(|_| !self.meta.has_columns) else { return self.stored(name) };
        // All are parsed at once; what is asked for next is there then.
        let derived = self.cached("#derived", || {
            let derived = self.derived(&|| Ok(()))?;
            let bytes = derived.iter().map(Values::memory).sum();
            Ok((derived, bytes))
        })?;
        let missing = || Error::damaged(self.path(), format!("it has no column {name}"));
        derived.get(place).cloned().ok_or_else(missing)
    }

    /// A column as it is stored, which is not kept afterwards.
    pub fn stored(&self, name: &str) -> Result<Values> {
        if self.is_placed(name) { self.placed(name) } else { self.table()?.field(name) }
    }

    /// Whether the table tells where a column's values stand in their events, not the values.
    pub fn is_placed(&self, name: &str) -> bool {
        self.meta.fields.iter().any(|field| field.column == name && field.placed)
    }

    /// The places of such a column.
    pub fn places(&self, name: &str) -> Result<Places> {
        self.table()?.places(name)
    }

    /// The columns of all fields, made from the original bytes.
    pub fn derived(&self, stopped: &dyn Fn() -> Result<()>) -> Result<Vec<Values>> {
        let (sources, fields) = (&self.meta.sources, &self.meta.fields);
        derive::fields(&self.readings, &mut self.raw().cursor(), sources, &*self.columns()?, fields, stopped)
    }

    /// The values of a column that is told by places, read from the raw bytes.
    fn placed(&self, name: &str) -> Result<Values> {
        let places = self.table()?.places(name)?;
        let columns = self.columns()?;
        let raw = self.raw();
        places.values(|each| {
            self.for_each_in_order(&mut raw.cursor(), &columns, |row, (_, bytes), event| {
                each(row, &bytes[event]);
                Ok(())
            })
        })
    }

    /// The fields of one event, from columns that are decoded for many.
    pub fn decoded_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
        let mut found = Vec::new();
        for field in &self.meta.fields {
            found.extend(table::text_of(&*self.field_column(field)?, row).map(|value| (field, value)));
        }
        Ok(found)
    }

    /// The fields of one event, straight from the file: the right way for a single one.
    pub fn row_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
        if !self.meta.has_columns {
            let values = self.derived_of(row)?;
            let texts = self.meta.fields.iter().zip(&values);
            return Ok(texts
                .filter_map(|(field, values)| Some((field, table::text_of(values, 0)?)))
                .collect());
        }
        let (table, raw) = (self.table()?, self.raw());
        let mut cursor = raw.cursor();
        let mut found = Vec::new();
        for field in &self.meta.fields {
            let value = match self.placed_value(&table, field, row, &mut cursor)? {
                None if table.has(&field.column) => table.cell(&field.column, row)?,
                value => value,
            };
            found.extend(value.map(|value| (field, value)));
        }
        Ok(found)
    }

    fn derived_of(&self, row: usize) -> Result<Vec<Values>> {
        let columns = self.columns()?;
        let (source, offset) = (columns.source[row], columns.offset[row]);
        let frame = self.frame(source, offset)?;
        let Some(of_source) = self.meta.sources.iter().find(|entry| entry.source == source) else {
            return Ok(Vec::new());
        };
        let bytes = self.raw().cursor().read(source, frame)?;
        derive::of_event(&self.readings, of_source, frame, bytes, offset, &self.meta.fields)
    }

    fn placed_value(
        &self,
        table: &Table,
        field: &SegmentField,
        row: usize,
        cursor: &mut RawCursor<'_>,
    ) -> Result<Option<String>> {
        if !field.placed {
            return Ok(None);
        }
        let Some((start, length)) = table.place(&field.column, row)? else { return Ok(None) };
        let locations = self.locations()?;
        let (source, offset) = (locations.source(row), locations.offset(row));
        let frame = self.frame(source, offset)?;
        let bytes = cursor.frame(source, frame)?;
        let event = &bytes[self.event_in(&bytes, frame, offset, locations.length(row))?];
        let value = event.get(start..start.saturating_add(length));
        Ok(value.map(|value| String::from_utf8_lossy(value).into_owned()))
    }
}
