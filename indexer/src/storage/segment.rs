//! A segment: an immutable run of events in time order, with what is needed to find and read them.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ingest::{Encoding, Level, Texts};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::columns::{Column, ColumnCache, Scalar, Times};
use super::parquet::Values;
use super::places::Places;
use super::raw::{Frame, RawCursor, RawFolder};
use super::rollup::Rollup;
use super::table::{self, Columns, Table};
use super::text::TextIndex;
use super::{files, text};
use crate::error::{AtPath, Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::stamp;
use crate::{Cancel, FieldKind};

/// `segment.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SegmentMeta {
    pub id: u64,
    pub events: u64,
    /// Events without a time.
    pub untimed: u64,
    #[serde(with = "stamp::json")]
    pub first: Option<i64>,
    #[serde(with = "stamp::json")]
    pub last: Option<i64>,
    pub sources: Vec<SegmentSource>,
    pub fields: Vec<SegmentField>,
    pub rollup: Rollup,
    /// SHA-256 of `events.parquet`.
    pub sha256: String,
}

/// What a segment holds of a source: the raw frames its events lie in, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentSource {
    pub source: u32,
    /// How its bytes are text.
    pub encoding: String,
    pub frames: Vec<Frame>,
}

/// A field as a column of `events.parquet`. A field of several types has a column for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentField {
    pub name: String,
    pub column: String,
    pub kind: FieldKind,
    /// The table tells where its values stand in their events, not the values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placed: bool,
}

/// A published segment. Columns and fields are decoded when first asked for and then kept while there is room.
#[derive(Debug)]
pub struct Segment {
    folder: PathBuf,
    pub meta: SegmentMeta,
    /// Of the sources in `meta`, in their order.
    encodings: Vec<Encoding>,
    pub(super) cache: Arc<ColumnCache>,
    text: Mutex<Option<Arc<TextIndex>>>,
}

impl Segment {
    pub fn folder(case: &Path, id: u64) -> PathBuf {
        case.join("segments").join(id.to_string())
    }

    /// A file of this segment.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a segment's files and makes them durable. It exists when the manifest lists it, not before.
    pub fn write(
        case: &Path,
        mut meta: SegmentMeta,
        table: table::Builder,
        cache: &Arc<ColumnCache>,
    ) -> Result<Segment> {
        let folder = Self::folder(case, meta.id);
        fs::create_dir_all(&folder).at_path(&folder)?;
        meta.sha256 = table.write(&folder.join("events.parquet"))?;
        let path = folder.join("segment.json");
        let text = serde_json::to_vec(&meta).map_err(|error| Error::damaged(&path, error))?;
        files::replace(&path, &text)?;
        files::sync_folder(&case.join("segments"))?;
        Ok(Segment::with(folder, meta, cache))
    }

    pub fn open(case: &Path, id: u64, cache: &Arc<ColumnCache>) -> Result<Segment> {
        let folder = Self::folder(case, id);
        let path = folder.join("segment.json");
        let text = fs::read(&path).at_path(&path)?;
        let meta = serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))?;
        Ok(Segment::with(folder, meta, cache))
    }

    fn with(folder: PathBuf, meta: SegmentMeta, cache: &Arc<ColumnCache>) -> Segment {
        let encoding = |source: &SegmentSource| Encoding::named(&source.encoding).unwrap_or(Encoding::UTF_8);
        let encodings = meta.sources.iter().map(encoding).collect();
        Segment { folder, meta, encodings, cache: Arc::clone(cache), text: Mutex::default() }
    }

    pub fn columns(&self) -> Result<Arc<Columns>> {
        self.cache.get(self.meta.id, "#columns", || {
            let columns = self.table()?.columns()?;
            let bytes = columns.rows() * Columns::ROW_BYTES;
            Ok((columns, bytes))
        })
    }

    fn table(&self) -> Result<Table> {
        Table::open(&self.folder.join("events.parquet"))
    }

    /// The columns of a field, one for each type it has in this segment.
    pub fn field(&self, name: &str, cancel: &Cancel) -> Result<Vec<Arc<Values>>> {
        let described = self.meta.fields.iter().filter(|field| field.name == name);
        described.map(|field| self.column(&field.column, cancel)).collect()
    }

    /// A column by its name in the table. One whose values are told by places is read from the raw bytes, which
    /// takes long enough to be stopped.
    pub fn column(&self, name: &str, cancel: &Cancel) -> Result<Arc<Values>> {
        self.cache.get_or_stop(self.meta.id, &format!("#values {name}"), cancel, || {
            let values = self.values(name, cancel)?;
            let bytes = values.memory();
            Ok((values, bytes))
        })
    }

    /// A column that every event has, packed.
    pub fn packed(&self, name: &str) -> Result<Arc<Column>> {
        self.packed_field(name, &Cancel::default())
    }

    /// A column by its name in the table, packed.
    pub fn packed_field(&self, name: &str, cancel: &Cancel) -> Result<Arc<Column>> {
        // No name of a field makes this the name of something else that is kept.
        self.cache.get_or_stop(self.meta.id, &format!("={name}"), cancel, || {
            let column = Column::of(self.values(name, cancel)?);
            let bytes = column.bytes();
            Ok((column, bytes))
        })
    }

    pub fn times(&self) -> Result<Arc<Times>> {
        self.cache.get(self.meta.id, "#time", || {
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

    /// What events are ordered by.
    pub fn event_keys(&self) -> Result<EventKeys> {
        Ok(EventKeys { times: self.times()?, places: self.locations()? })
    }

    pub fn levels(&self) -> Result<Levels> {
        let column = self.packed("level")?;
        let level = |code: u64| match column.value(code) {
            Some(Scalar::Text(name)) => table::level_of(&name),
            _ => Level::None,
        };
        let by_code = (0..=column.largest).map(level).collect();
        Ok(Levels { column, by_code })
    }

    pub fn level(&self, row: usize) -> Result<Level> {
        Ok(self.levels()?.get(row))
    }

    /// A column that is made from others, under a name that no column has.
    pub fn kept(&self, name: &str, make: impl FnOnce() -> Result<Column>) -> Result<Arc<Column>> {
        self.cache.get(self.meta.id, name, || {
            let column = make()?;
            let bytes = column.bytes();
            Ok((column, bytes))
        })
    }

    /// The values of a column as they are on disk.
    fn values(&self, name: &str, cancel: &Cancel) -> Result<Values> {
        let placed = self.meta.fields.iter().any(|field| field.column == name && field.placed);
        if placed { self.placed(name, cancel) } else { self.table()?.field(name) }
    }

    /// A column of the table as it stands there, without keeping it.
    pub(super) fn read_column(&self, name: &str) -> Result<Values> {
        self.table()?.field(name)
    }

    /// The places of a column that is told by them.
    pub(super) fn read_places(&self, name: &str) -> Result<Places> {
        self.table()?.places(name)
    }

    /// The values of a column that is told by places, read from the raw bytes.
    fn placed(&self, name: &str, cancel: &Cancel) -> Result<Values> {
        let places = self.table()?.places(name)?;
        let columns = self.columns()?;
        let raw = self.raw();
        places.values(|each| {
            self.for_each_in_order(&mut raw.cursor(), &columns, |row, (_, bytes), event| {
                if row.is_multiple_of(CANCEL_ROWS) && cancel.is_set() {
                    return Err(Error::cancelled());
                }
                each(row, &bytes[event]);
                Ok(())
            })
        })
    }

    /// The raw bytes of the case it belongs to.
    fn raw(&self) -> RawFolder {
        RawFolder::new(self.folder.ancestors().nth(2).unwrap_or(&self.folder))
    }

    /// The fields of one event, from columns that are decoded for many.
    pub fn decoded_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
        let mut found = Vec::new();
        for field in &self.meta.fields {
            let values = self.column(&field.column, &Cancel::default())?;
            found.extend(table::text_of(&values, row).map(|value| (field, value)));
        }
        Ok(found)
    }

    /// The fields of one event, straight from the file: the right way for a single one.
    pub fn row_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
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

    /// The frame an event lies in.
    pub fn frame(&self, source: u32, offset: u64) -> Result<&Frame> {
        let frames = self.meta.sources.iter().find(|entry| entry.source == source).map(|entry| &entry.frames);
        frames
            .and_then(|frames| {
                let next = frames.partition_point(|frame| frame.offset <= offset);
                frames[..next].last()
            })
            .ok_or_else(|| {
                Error::damaged(&self.folder, format!("no raw frame holds byte {offset} of source {source}"))
            })
    }

    /// How the bytes of a source are text.
    pub fn encoding(&self, source: u32) -> Encoding {
        let index = self.meta.sources.iter().position(|entry| entry.source == source);
        index.map_or(Encoding::UTF_8, |index| self.encodings[index])
    }

    /// Calls `each` with the text of the event at every row given. Rows are visited in the order of their
    /// files, not of their times: in a log whose times jump about, neighbours in time lie in frames far apart,
    /// and each visit would decompress one.
    pub fn for_each_text(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut rows: Vec<u32> = rows.collect();
        if rows.is_empty() {
            return Ok(());
        }
        let places = self.locations()?;
        let place = |&row: &u32| (places.source(row as usize), places.offset(row as usize));
        if !rows.is_sorted_by_key(place) {
            rows.sort_unstable_by_key(place);
        }
        let mut texts = SourceTexts::new(self);
        for row in rows {
            let (source, offset) = place(&row);
            let frame = self.frame(source, offset)?;
            let bytes = cursor.frame(source, frame)?;
            let event = self.event_in(&bytes, frame, offset, places.length(row as usize))?;
            each(row, &texts.of(source).text(&bytes, frame.offset, event))?;
        }
        Ok(())
    }

    /// An event's place within the bytes of its frame.
    fn event_in(&self, bytes: &[u8], frame: &Frame, offset: u64, length: u32) -> Result<Range<usize>> {
        let start = (offset - frame.offset) as usize;
        let place = start..start + length as usize;
        if place.end > bytes.len() {
            let what = format!("the event at byte {offset} reaches past its raw frame");
            return Err(Error::damaged(&self.folder, what));
        }
        Ok(place)
    }

    /// The text index, where one stands.
    pub fn text(&self) -> Result<Option<Arc<TextIndex>>> {
        let mut kept = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let path = self.text_path();
            if path.exists() {
                *kept = Some(Arc::new(TextIndex::open(&path, self.meta.events as u32)?));
            }
        }
        Ok(kept.clone())
    }

    pub fn has_text(&self) -> bool {
        self.text_path().exists()
    }

    fn text_path(&self) -> PathBuf {
        self.folder.join("text.idx")
    }

    /// Builds the text index beside the segment and moves it into place when it is whole.
    pub fn build_text(&self, cursor: &mut RawCursor<'_>, stopped: &dyn Fn() -> bool) -> Result<()> {
        let path = self.text_path();
        if path.exists() {
            return Ok(());
        }
        let table = self.table()?;
        let columns = table.columns()?;
        let repeating = self.meta.fields.iter().filter(|field| table.is_coded(&field.column));
        let repeating = repeating.map(|field| Ok((field.column.clone(), table.field(&field.column)?)));
        let mut builder = text::Builder::new(repeating.collect::<Result<_>>()?);
        let mut texts = SourceTexts::new(self);
        self.for_each_in_order(cursor, &columns, |row, (frame, bytes), event| {
            if row.is_multiple_of(CANCEL_ROWS) && stopped() {
                return Err(Error::cancelled());
            }
            builder.add(row as u32, &texts.of(columns.source[row]).text(bytes, frame.offset, event));
            Ok(())
        })?;
        files::replace(&path, &builder.finish(columns.rows() as u32)?)
    }

    /// Calls `each` with every event, in row order: its frame, and its place there. A frame is unpacked once and kept until
    /// the last row that lies in it, wherever its rows are.
    fn for_each_in_order(
        &self,
        cursor: &mut RawCursor<'_>,
        columns: &Columns,
        mut each: impl FnMut(usize, (&Frame, &[u8]), Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut runs: Vec<(usize, u32, Frame)> = Vec::new();
        let mut last_run = HashMap::new();
        for row in 0..columns.rows() {
            let (source, offset) = (columns.source[row], columns.offset[row]);
            if runs.last().is_none_or(|(_, last, frame)| *last != source || !frame.holds(offset)) {
                let frame = *self.frame(source, offset)?;
                last_run.insert((source, frame.offset), runs.len());
                runs.push((row, source, frame));
            }
        }
        let mut kept = HashMap::new();
        for (run, (first, source, frame)) in runs.iter().enumerate() {
            let key = (*source, frame.offset);
            let bytes = match kept.remove(&key) {
                Some(bytes) => bytes,
                None => cursor.read(*source, frame)?,
            };
            let end = runs.get(run + 1).map_or(columns.rows(), |next| next.0);
            for row in *first..end {
                let event = self.event_in(&bytes, frame, columns.offset[row], columns.length[row])?;
                each(row, (frame, &bytes), event)?;
            }
            if last_run.get(&key).is_some_and(|&last| last > run) {
                kept.insert(key, bytes);
            }
        }
        Ok(())
    }

    /// Checks the table against its checksum, and that every event lies in its raw frame.
    pub fn verify(&self, cursor: &mut RawCursor<'_>) -> Result<()> {
        let table = self.folder.join("events.parquet");
        if hash_file(&table)? != self.meta.sha256 {
            return Err(Error::damaged(&table, "its checksum differs from the one in segment.json"));
        }
        if let Some(text) = self.text()? {
            text.verify()?;
        }
        self.for_each_text(cursor, 0..self.meta.events as u32, |_, _| Ok(()))
    }
}

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

/// The levels of a segment's events.
#[derive(Debug)]
pub struct Levels {
    column: Arc<Column>,
    by_code: Vec<Level>,
}

impl Levels {
    pub fn get(&self, row: usize) -> Level {
        self.by_code[self.column.codes.get(row) as usize]
    }
}

/// The columns that events are ordered by: time, source, offset. No two events have the same key.
#[derive(Debug)]
pub struct EventKeys {
    times: Arc<Times>,
    places: Locations,
}

impl EventKeys {
    pub fn time(&self, row: usize) -> i64 {
        self.times.get(row)
    }

    pub fn of(&self, row: usize) -> (i64, u32, u64) {
        (self.times.get(row), self.places.source(row), self.places.offset(row))
    }
}

/// The texts of the events of each source of a segment.
struct SourceTexts {
    sources: Vec<(u32, Texts)>,
    /// For a source that the segment does not list; no row has one.
    other: Texts,
}

impl SourceTexts {
    fn new(segment: &Segment) -> SourceTexts {
        let entries = segment.meta.sources.iter().zip(&segment.encodings);
        SourceTexts {
            sources: entries.map(|(entry, &encoding)| (entry.source, Texts::of(encoding))).collect(),
            other: Texts::of(Encoding::UTF_8),
        }
    }

    fn of(&mut self, source: u32) -> &mut Texts {
        match self.sources.iter_mut().find(|(id, _)| *id == source) {
            Some((_, texts)) => texts,
            None => &mut self.other,
        }
    }
}

fn hash_file(path: &Path) -> Result<String> {
    let bytes = fs::read(path).at_path(path)?;
    Ok(crate::hex(&Sha256::digest(&bytes)))
}
