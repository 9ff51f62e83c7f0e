//! A segment: an immutable run of events in time order, with what is needed to find and read them.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ingest::{Encoding, Texts};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::raw::{Frame, RawCursor};
use super::table::{self, Columns, FieldColumn, FieldSeries};
use super::text::TextIndex;
use super::{files, text};
use crate::FieldKind;
use crate::error::{AtPath, Error, Result};
use crate::limits::CANCEL_ROWS;
use crate::stamp;

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
}

/// A published segment. Columns and fields are decoded when first asked for and then kept.
#[derive(Debug)]
pub struct Segment {
    folder: PathBuf,
    pub meta: SegmentMeta,
    /// Of the sources in `meta`, in their order.
    encodings: Vec<Encoding>,
    columns: Mutex<Option<Arc<Columns>>>,
    fields: Mutex<HashMap<String, Arc<FieldColumn>>>,
    text: Mutex<Option<Arc<TextIndex>>>,
}

impl Segment {
    pub fn folder(case: &Path, id: u64) -> PathBuf {
        case.join("segments").join(id.to_string())
    }

    /// Writes a segment's files and makes them durable. It exists when the manifest lists it, not before.
    pub fn write(
        case: &Path,
        mut meta: SegmentMeta,
        columns: Columns,
        fields: Vec<FieldSeries>,
    ) -> Result<Segment> {
        let folder = Self::folder(case, meta.id);
        fs::create_dir_all(&folder).at_path(&folder)?;
        let table = folder.join("events.parquet");
        table::write(&table, &columns, fields)?;
        meta.sha256 = hash_file(&table)?;
        let path = folder.join("segment.json");
        let text = serde_json::to_vec(&meta).map_err(|error| Error::damaged(&path, error))?;
        files::replace(&path, &text)?;
        files::sync_folder(&case.join("segments"))?;
        Ok(Segment::with(folder, meta, Some(Arc::new(columns))))
    }

    pub fn open(case: &Path, id: u64) -> Result<Segment> {
        let folder = Self::folder(case, id);
        let path = folder.join("segment.json");
        let text = fs::read(&path).at_path(&path)?;
        let meta = serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))?;
        Ok(Segment::with(folder, meta, None))
    }

    fn with(folder: PathBuf, meta: SegmentMeta, columns: Option<Arc<Columns>>) -> Segment {
        let encoding = |source: &SegmentSource| Encoding::named(&source.encoding).unwrap_or(Encoding::UTF_8);
        Segment {
            folder,
            encodings: meta.sources.iter().map(encoding).collect(),
            meta,
            columns: Mutex::new(columns),
            fields: Mutex::default(),
            text: Mutex::default(),
        }
    }

    pub fn columns(&self) -> Result<Arc<Columns>> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(columns) = &*columns {
            return Ok(Arc::clone(columns));
        }
        let read = Arc::new(table::read_columns(&self.folder.join("events.parquet"))?);
        *columns = Some(Arc::clone(&read));
        Ok(read)
    }

    /// The columns of a field, one for each type it has in this segment.
    pub fn field(&self, name: &str) -> Result<Vec<Arc<FieldColumn>>> {
        let described = self.meta.fields.iter().filter(|field| field.name == name);
        described.map(|field| self.field_column(field)).collect()
    }

    fn field_column(&self, field: &SegmentField) -> Result<Arc<FieldColumn>> {
        let mut fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(column) = fields.get(&field.column) {
            return Ok(Arc::clone(column));
        }
        let path = self.folder.join("events.parquet");
        let column = Arc::new(table::read_field(&path, &field.name, &field.column)?);
        fields.insert(field.column.clone(), Arc::clone(&column));
        Ok(column)
    }

    /// The fields of one event, from columns that are decoded for many.
    pub fn decoded_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
        let mut found = Vec::new();
        for field in &self.meta.fields {
            found.extend(self.field_column(field)?.data.text(row).map(|value| (field, value)));
        }
        Ok(found)
    }

    /// The fields of one event, straight from the file: the right way for a single one.
    pub fn row_fields(&self, row: usize) -> Result<Vec<(&SegmentField, String)>> {
        let names: Vec<_> = self.meta.fields.iter().map(|field| field.column.as_str()).collect();
        let values = table::read_row(&self.folder.join("events.parquet"), &names, row)?;
        Ok(self.meta.fields.iter().zip(values).filter_map(|(field, value)| Some((field, value?))).collect())
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
        let columns = self.columns()?;
        let mut rows: Vec<u32> = rows.collect();
        let place = |&row: &u32| (columns.source[row as usize], columns.offset[row as usize]);
        if !rows.is_sorted_by_key(place) {
            rows.sort_unstable_by_key(place);
        }
        let mut texts = SourceTexts::new(self);
        for row in rows {
            let (source, offset) = place(&row);
            let frame = self.frame(source, offset)?;
            let bytes = cursor.frame(source, frame)?;
            let event = self.event_in(&bytes, frame, &columns, row as usize)?;
            each(row, &texts.of(source).text(&bytes, frame.offset, event))?;
        }
        Ok(())
    }

    /// An event's place within the bytes of its frame.
    fn event_in(&self, bytes: &[u8], frame: &Frame, columns: &Columns, row: usize) -> Result<Range<usize>> {
        let start = (columns.offset[row] - frame.offset) as usize;
        let place = start..start + columns.length[row] as usize;
        if place.end > bytes.len() {
            return Err(Error::damaged(&self.folder, format!("row {row} reaches past its raw frame")));
        }
        Ok(place)
    }

    /// The text index, where one stands.
    pub fn text(&self) -> Result<Option<Arc<TextIndex>>> {
        let mut kept = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let folder = self.folder.join("text");
            if folder.is_dir() {
                *kept = Some(Arc::new(TextIndex::open(&folder)?));
            }
        }
        Ok(kept.clone())
    }

    /// Builds the text index beside the segment and moves it into place when it is whole.
    pub fn build_text(&self, cursor: &mut RawCursor<'_>, stopped: &dyn Fn() -> bool) -> Result<()> {
        let folder = self.folder.join("text");
        if folder.is_dir() {
            return Ok(());
        }
        let temporary = self.folder.join("text.tmp");
        if temporary.exists() {
            fs::remove_dir_all(&temporary).at_path(&temporary)?;
        }
        fs::create_dir(&temporary).at_path(&temporary)?;
        let mut builder = text::Builder::create(&temporary)?;
        // Documents are added in row order, wherever their bytes lie, so all frames are at hand at once. A
        // segment's size bounds them.
        let columns = self.columns()?;
        let mut frames = HashMap::new();
        for entry in &self.meta.sources {
            for frame in &entry.frames {
                frames.insert((entry.source, frame.offset), cursor.frame(entry.source, frame)?);
            }
        }
        let mut texts = SourceTexts::new(self);
        for row in 0..columns.rows() {
            if row.is_multiple_of(CANCEL_ROWS) && stopped() {
                return Err(Error::cancelled());
            }
            let source = columns.source[row];
            let frame = self.frame(source, columns.offset[row])?;
            let bytes = &frames[&(source, frame.offset)];
            let event = self.event_in(bytes, frame, &columns, row)?;
            builder.add(&texts.of(source).text(bytes, frame.offset, event))?;
        }
        builder.finish()?;
        fs::rename(&temporary, &folder).at_path(&folder)?;
        files::sync_folder(&self.folder)
    }

    /// Checks the table against its checksum, and that every event lies in its raw frame.
    pub fn verify(&self, cursor: &mut RawCursor<'_>) -> Result<()> {
        let table = self.folder.join("events.parquet");
        if hash_file(&table)? != self.meta.sha256 {
            return Err(Error::damaged(&table, "its checksum differs from the one in segment.json"));
        }
        self.for_each_text(cursor, 0..self.meta.events as u32, |_, _| Ok(()))
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
