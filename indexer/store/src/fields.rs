//! The columns of a segment: read from its table, or rebuilt from the original bytes if the table does not
//! have them, and cached within a budget.

use std::any::Any;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ingest::Level;

use super::byte_ranges::{ByteRanges, CachedByteRanges};
use super::columns::{ColumnValues, StoredColumn, Times};
use super::derive;
use super::parquet::Values;
use super::raw::RawCursor;
use super::segment::{Segment, SegmentField};
use super::table::{self, Columns, Table};
use base::Cancel;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;

/// The columns that locate events in their files.
#[derive(Debug)]
pub struct Locations {
    source: Arc<StoredColumn>,
    offset: Arc<StoredColumn>,
    length: Arc<StoredColumn>,
}

impl Locations {
    #[inline]
    pub fn source(&self, row: usize) -> u32 {
        self.source.whole_at(row) as u32
    }

    #[inline]
    pub fn offset(&self, row: usize) -> u64 {
        self.offset.whole_at(row) as u64
    }

    #[inline]
    pub fn length(&self, row: usize) -> u32 {
        self.length.whole_at(row) as u32
    }
}

/// The levels of a segment's events.
#[derive(Debug)]
pub struct Levels {
    column: Arc<StoredColumn>,
    by_code: Vec<Level>,
}

impl Levels {
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Level {
        self.by_code[self.column.codes.get(row) as usize]
    }
}

/// The columns that events are sorted by: time, source, offset. The key is unique.
#[derive(Debug)]
pub struct EventKeys {
    times: Arc<Times>,
    source: Arc<StoredColumn>,
    offset: Arc<StoredColumn>,
}

impl EventKeys {
    #[inline]
    #[must_use]
    pub fn time(&self, row: usize) -> i64 {
        self.times.get(row)
    }

    #[inline]
    #[must_use]
    pub fn key(&self, row: usize) -> (i64, u32, u64) {
        (self.times.get(row), self.source.whole_at(row) as u32, self.offset.whole_at(row) as u64)
    }
}

/// The cache key of a packed column. It never equals the cache key of anything else, whatever the field is
/// called.
fn packed_name(name: &str) -> String {
    format!("={name}")
}

fn stopped(cancel: &Cancel) -> Result<()> {
    if cancel.is_set() { Err(Error::cancelled()) } else { Ok(()) }
}

impl Segment {
    /// The cached value under a name, computed if missing.
    fn cached<T: Any + Send + Sync>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.record_damage(self.cache.get(self.meta.id, name, make))
    }

    /// The same for a computation that takes long enough to be cancelled.
    fn cached_or_stop<T: Any + Send + Sync>(
        &self,
        name: &str,
        cancel: &Cancel,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.record_damage(self.cache.get_or_stop(self.meta.id, name, cancel, make))
    }

    pub fn columns(&self) -> Result<Arc<Columns>> {
        self.cached("#columns", || {
            let columns = self.table()?.columns()?;
            let bytes = columns.rows() * Columns::ROW_BYTES;
            Ok((columns, bytes))
        })
    }

    /// The columns, decoded again and not those of the cache, for a caller that gives up their parts.
    pub fn stored_columns(&self) -> Result<Columns> {
        self.record_damage(self.table().and_then(|table| table.columns()))
    }

    /// The columns of a field, one for each type it has in this segment.
    pub fn field(&self, name: &str, cancel: &Cancel) -> Result<Vec<Arc<Values>>> {
        let described = self.meta.fields.iter().filter(|field| field.name == name);
        described.map(|field| self.column(&field.column, cancel)).collect()
    }

    /// A column by its name in the table. Rebuilding one from the raw bytes takes long enough to be
    /// cancelled.
    pub fn column(&self, name: &str, cancel: &Cancel) -> Result<Arc<Values>> {
        self.cached_or_stop(&format!("#values {name}"), cancel, || {
            let values = self.values(name, cancel)?;
            let bytes = values.memory();
            Ok((values, bytes))
        })
    }

    /// The same without caching, for a single use: an import goes over whole cases and must not fill the
    /// memory with them.
    pub fn column_once(&self, name: &str, cancel: &Cancel) -> Result<Arc<Values>> {
        if self.meta.has_columns {
            self.stored_or_stop(name, cancel).map(Arc::new)
        } else {
            self.column(name, cancel)
        }
    }

    /// A column that every event has, packed.
    pub fn packed(&self, name: &str) -> Result<Arc<StoredColumn>> {
        self.packed_field(name, &Cancel::default())
    }

    /// A column by its name in the table, packed.
    pub fn packed_field(&self, name: &str, cancel: &Cancel) -> Result<Arc<StoredColumn>> {
        self.cached_or_stop(&packed_name(name), cancel, || {
            let column = StoredColumn::from_values(self.values(name, cancel)?);
            let bytes = column.bytes();
            Ok((column, bytes))
        })
    }

    pub fn times(&self) -> Result<Arc<Times>> {
        self.cached("#time", || {
            let times = Times::new(&self.table()?.times()?);
            let bytes = times.bytes();
            Ok((times, bytes))
        })
    }

    /// The positions of the events in their files.
    pub fn locations(&self) -> Result<Locations> {
        Ok(Locations {
            source: self.packed("source")?,
            offset: self.packed("offset")?,
            length: self.packed("length")?,
        })
    }

    /// The rows in the order of their files; nothing where they are in it.
    pub(super) fn file_order(&self, places: &Locations) -> Result<Arc<Option<Vec<u32>>>> {
        self.cached("#file order", || {
            let mut rows: Vec<u32> = (0..self.meta.events as u32).collect();
            let place = |&row: &u32| (places.source(row as usize), places.offset(row as usize));
            let order = (!rows.is_sorted_by_key(place)).then(|| {
                rows.sort_by_key(place);
                rows
            });
            let bytes = order.as_ref().map_or(1, |rows| rows.len() * size_of::<u32>());
            Ok((order, bytes))
        })
    }

    /// The sort keys of the events.
    pub fn event_keys(&self) -> Result<EventKeys> {
        Ok(EventKeys { times: self.times()?, source: self.packed("source")?, offset: self.packed("offset")? })
    }

    pub fn levels(&self) -> Result<Levels> {
        let column = self.packed("level")?;
        // Numbers have as many codes as a file claims.
        let ColumnValues::Texts(names) = &column.values else {
            return Err(Error::damaged(&self.folder, "its column `level` has the wrong type"));
        };
        let by_code = iter::once(Level::None).chain(names.iter().map(table::level_of)).collect();
        Ok(Levels { column, by_code })
    }

    pub fn level(&self, row: usize) -> Result<Level> {
        Ok(self.levels()?.get(row))
    }

    /// A column that is computed from others and cached under a name that no column has.
    pub fn derived_column(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<StoredColumn>,
    ) -> Result<Arc<StoredColumn>> {
        self.cached(name, || {
            let column = make()?;
            let bytes = column.bytes();
            Ok((column, bytes))
        })
    }

    /// The values of a column, from the table or from the original bytes.
    fn values(&self, name: &str, cancel: &Cancel) -> Result<Values> {
        let place = self.meta.fields.iter().position(|field| field.column == name);
        let Some(place) = place.filter(|_| !self.meta.has_columns) else {
            return self.stored_or_stop(name, cancel);
        };
        // All columns are parsed at once, so the next one is in the cache.
        let derived = self.cached_or_stop("#derived", cancel, || {
            let derived = self.derived(&|| stopped(cancel))?;
            let bytes = derived.iter().map(Values::memory).sum();
            Ok((derived, bytes))
        })?;
        let missing = || Error::damaged(self.path(), format!("it has no column {name}"));
        derived.get(place).cloned().ok_or_else(missing)
    }

    /// A column as it is stored, not cached.
    pub fn stored(&self, name: &str) -> Result<Values> {
        self.stored_or_stop(name, &Cancel::default())
    }

    fn stored_or_stop(&self, name: &str, cancel: &Cancel) -> Result<Values> {
        if self.is_placed(name) { self.placed(name, cancel) } else { self.table()?.field(name) }
    }

    /// True if the table stores byte ranges of a column's values instead of the values.
    pub fn is_placed(&self, name: &str) -> bool {
        self.meta.fields.iter().any(|field| field.column == name && field.placed)
    }

    /// The byte ranges of such a column.
    pub fn places(&self, name: &str) -> Result<ByteRanges> {
        let delimited = self.meta.fields.iter().any(|field| field.column == name && field.delimited);
        Ok(ByteRanges { delimited, ..self.table()?.places(name)? })
    }

    /// True if a column is materialised late: its values are stored as byte ranges into the raw text, and no
    /// earlier query has left them in the cache.
    pub fn is_late(&self, name: &str) -> bool {
        self.is_placed(name) && !self.cache.has(self.meta.id, &packed_name(name))
    }

    /// The number of earlier lookups in such a column that did not materialise it.
    pub fn lookups_before(&self, name: &str) -> Result<u32> {
        let lookups =
            self.cached(&format!("#lookups {name}"), || Ok((AtomicU32::new(0), size_of::<AtomicU32>())))?;
        Ok(lookups.fetch_add(1, Ordering::Relaxed))
    }

    /// The values of such a column that do not occur verbatim in their event; `None` if all do.
    pub fn escaped_values(&self, name: &str) -> Result<Option<Arc<StoredColumn>>> {
        let rest = self.cached(&format!("#rest {name}"), || {
            let table = self.table()?;
            let rest = if table.has(name)? {
                Some(Arc::new(StoredColumn::from_values(table.field(name)?)))
            } else {
                None
            };
            let bytes = rest.as_ref().map_or(1, |rest| rest.bytes());
            Ok((rest, bytes))
        })?;
        Ok(rest.as_ref().clone())
    }

    /// The values of a dictionary-encoded column, packed. For a column of byte ranges, the values without one.
    pub fn coded(&self, name: &str, cancel: &Cancel) -> Result<Option<Arc<StoredColumn>>> {
        if self.is_placed(name) {
            self.escaped_values(name)
        } else {
            self.packed_field(name, cancel).map(Some)
        }
    }

    fn cached_ranges(&self, name: &str) -> Result<Arc<CachedByteRanges>> {
        let rest = self.escaped_values(name)?;
        self.cached(&format!("#places {name}"), || {
            let places = CachedByteRanges::new(self.table()?.places(name)?, rest);
            let bytes = places.bytes();
            Ok((places, bytes))
        })
    }

    /// The values of such columns in a few rows. Only the frames that contain them are decompressed.
    pub fn values_at(
        &self,
        names: &[&str],
        rows: &[u32],
        cursor: &mut RawCursor<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<Option<String>>>> {
        let places: Vec<_> = names.iter().map(|name| self.cached_ranges(name)).collect::<Result<_>>()?;
        let mut values = vec![vec![None; rows.len()]; names.len()];
        if !names.is_empty() {
            self.events_at(rows, cursor, cancel, |index, event| {
                for (values, places) in values.iter_mut().zip(&places) {
                    values[index] = places.value(rows[index] as usize, event);
                }
            })?;
        }
        Ok(values)
    }

    /// The values of such a column in some sorted rows, if they occur verbatim. Nothing of the column is cached.
    pub fn verbatim_values_at(
        &self,
        name: &str,
        rows: &[u32],
        cursor: &mut RawCursor<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Option<String>>> {
        let places = self.record_damage(self.table().and_then(|table| table.places_at(name, rows)))?;
        let mut values = vec![None; rows.len()];
        self.events_at(rows, cursor, cancel, |index, event| {
            let value = places
                .range(index)
                .and_then(|(start, length)| event.get(start..start.saturating_add(length)));
            values[index] = value.map(|value| String::from_utf8_lossy(value).into_owned());
        })?;
        Ok(values)
    }

    /// Calls `each` with the bytes of some events, in file order.
    fn events_at(
        &self,
        rows: &[u32],
        cursor: &mut RawCursor<'_>,
        cancel: &Cancel,
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        let located = self.locations()?;
        let at = |index: usize| {
            let row = rows[index] as usize;
            (located.source(row), located.offset(row))
        };
        let mut in_files: Vec<usize> = (0..rows.len()).collect();
        in_files.sort_unstable_by_key(|&index| at(index));
        let mut read = |index: usize| -> Result<()> {
            let (source, offset) = at(index);
            let frame = self.frame(source, offset)?;
            let bytes = cursor.frame(source, frame)?;
            each(index, &bytes[self.event_in(&bytes, frame, offset, located.length(rows[index] as usize))?]);
            Ok(())
        };
        for index in in_files {
            stopped(cancel)?;
            self.record_damage(read(index))?;
        }
        Ok(())
    }

    /// The columns of all fields, rebuilt from the original bytes.
    pub fn derived(&self, stopped: &dyn Fn() -> Result<()>) -> Result<Vec<Values>> {
        let (sources, fields) = (&self.meta.sources, &self.meta.fields);
        derive::fields(&self.readings, &mut self.raw().cursor(), sources, &*self.columns()?, fields, stopped)
    }

    /// The values of a column of byte ranges, read from the raw bytes.
    fn placed(&self, name: &str, cancel: &Cancel) -> Result<Values> {
        let places = self.table()?.places(name)?;
        let columns = self.columns()?;
        let raw = self.raw();
        places.values(|each| {
            self.for_each_in_order(&mut raw.cursor(), &columns.places(), |row, (_, bytes), event| {
                if row.is_multiple_of(CANCEL_ROWS) {
                    stopped(cancel)?;
                }
                each(row, &bytes[event]);
                Ok(())
            })
        })
    }

    /// The columns of all fields, for a walk over many events.
    pub fn decoded_columns(&self) -> Result<Vec<Arc<Values>>> {
        self.meta.fields.iter().map(|field| self.column(&field.column, &Cancel::default())).collect()
    }

    /// The fields of one event in those columns.
    pub fn decoded_fields(&self, columns: &[Arc<Values>], row: usize) -> Vec<(&SegmentField, String)> {
        let fields = self.meta.fields.iter().zip(columns);
        fields.filter_map(|(field, values)| Some((field, table::text_of(values, row)?))).collect()
    }

    /// The fields of one event, read from the file: the fast path for a single event.
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
                None if table.has(&field.column)? => table.cell(&field.column, row)?,
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
        let places = table.places_at(&field.column, &[row as u32])?;
        let Some((start, length)) = places.range(0) else { return Ok(None) };
        let locations = self.locations()?;
        let (source, offset) = (locations.source(row), locations.offset(row));
        let frame = self.frame(source, offset)?;
        let bytes = cursor.frame(source, frame)?;
        let event = &bytes[self.event_in(&bytes, frame, offset, locations.length(row))?];
        let value = event.get(start..start.saturating_add(length));
        Ok(value.map(|value| String::from_utf8_lossy(value).into_owned()))
    }
}
