//! The raw texts of a segment's events, and the indexes built from them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ingest::{Encoding, TextDecoder};

use super::files::{self, Role};
use super::profile::Profile;
use super::raw::{Frame, RawCursor};
use super::segment::{Segment, SegmentField};
use super::table::Columns;
use super::text::{self, Built};
use base::FieldKind;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;

/// Files of former versions, and what a crash may leave of a folder. Nothing reads them.
const FORMER_FILES: [&str; 5] = ["text.idx", "text.flt", "text.tmp", "text.3.tmp", "templates.1.parquet"];

/// After this many events of a frame it is known whether the literal search excludes enough of them.
const PROBED: usize = 128;

impl Segment {
    /// Calls `each` with the text of the event at every given row. Rows are visited in file order, not in
    /// time order: in a log with unordered times, neighbours in time lie in distant frames, and each visit
    /// would decompress one.
    pub fn for_each_text(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.record_damage(
            self.read_texts(cursor, rows, None, |row, _, text| each(row, text.unwrap_or_default())),
        )
    }

    /// The same with the bytes of each event, and its text only if it may match: `find` returns the next
    /// position, at or after a byte, of a literal that every match contains.
    pub fn for_each_candidate(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        find: Option<Find<'_>>,
        each: impl FnMut(u32, usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        self.record_damage(self.read_texts(cursor, rows, find, each))
    }

    fn read_texts(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        find: Option<Find<'_>>,
        mut each: impl FnMut(u32, usize, Option<&[u8]>) -> Result<()>,
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
        let mut texts = TextsBySource::new(self);
        let mut unpacked: Option<Unpacked<'_>> = None;
        for row in rows {
            let (source, offset) = place(&row);
            let current = match &mut unpacked {
                Some(current) if current.source == source && current.frame.holds(offset) => current,
                _ => {
                    let frame = self.frame(source, offset)?;
                    let bytes = cursor.frame(source, frame)?;
                    let find = find.filter(|_| texts.source(source).is_identity(&bytes));
                    let found = find.map(|find| find(&bytes, 0).unwrap_or(usize::MAX));
                    unpacked.insert(Unpacked { source, frame, bytes, found, visited: 0, wanted: 0 })
                }
            };
            let bytes = &current.bytes;
            let event = self.event_in(bytes, current.frame, offset, places.length(row as usize))?;
            if let (Some(find), Some(found)) = (find, &mut current.found) {
                if *found < event.start {
                    *found = find(bytes, event.start).unwrap_or(usize::MAX);
                }
                current.visited += 1;
                if *found >= event.end {
                    each(row, event.len(), None)?;
                    continue;
                }
                current.wanted += 1;
                if current.visited == PROBED && current.wanted * 2 > PROBED {
                    current.found = None;
                }
            }
            let text = texts.source(source).text(bytes, current.frame.offset, event);
            each(row, text.len(), Some(&text))?;
        }
        Ok(())
    }

    /// The range of an event in the bytes of its frame.
    pub(super) fn event_in(
        &self,
        bytes: &[u8],
        frame: &Frame,
        offset: u64,
        length: u32,
    ) -> Result<Range<usize>> {
        let start = (offset - frame.offset) as usize;
        let place = start..start + length as usize;
        if place.end > bytes.len() {
            let what = format!("the event at byte {offset} reaches past its raw frame");
            return Err(Error::damaged(&self.folder, what));
        }
        Ok(place)
    }

    /// The file or folder of a profile's token index, and its role.
    pub fn text_path(&self, profile: Profile) -> Option<(PathBuf, Role)> {
        match profile {
            Profile::Raw | Profile::Fields => None,
            Profile::Bloom => Some((self.path().join("text.3.flt"), files::FILTER)),
            Profile::Full => Some((self.path().join("text"), files::INDEX)),
        }
    }

    /// Builds the token index of a profile next to the segment, and moves it into place when it is complete.
    pub fn build_text(
        &self,
        profile: Profile,
        cursor: &mut RawCursor<'_>,
        stopped: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let Some((path, role)) = self.text_path(profile).filter(|(path, _)| !path.exists()) else {
            return Ok(());
        };
        let table = self.table()?;
        let columns = table.columns()?;
        // An integer token of a column needs no posting: the column has the rows.
        let is_number = |field: &SegmentField| profile == Profile::Full && field.kind == FieldKind::Int;
        let mut repeating = Vec::new();
        for field in &self.meta.fields {
            let is_coded_text = field.kind == FieldKind::Text && table.is_coded(&field.column)?;
            if is_number(field) || is_coded_text {
                repeating.push((field.column.clone(), table.field(&field.column)?));
            }
        }
        let mut builder = match profile {
            Profile::Full => text::IndexBuilder::for_index(repeating),
            _ => text::IndexBuilder::for_filters(repeating),
        };
        let mut texts = TextsBySource::new(self);
        self.for_each_in_order(cursor, &columns, |row, (frame, bytes), event| {
            if row.is_multiple_of(CANCEL_ROWS) {
                stopped()?;
            }
            builder.add(row as u32, &texts.source(columns.source[row]).text(bytes, frame.offset, event));
            Ok(())
        })?;
        match builder.finish(columns.rows() as u32)? {
            Built::File(bytes) => files::replace(&path, &bytes, role),
            Built::Folder(files) => files::replace_folder(&path, &files, role),
        }
    }

    /// Removes indexes that the profile does not use.
    pub fn remove_text_beyond(&self, profile: Profile) -> Result<()> {
        let others = Profile::ALL.into_iter().filter(|&other| other != profile);
        let others = others.filter_map(|other| self.text_path(other)).map(|(path, _)| path);
        for path in others.chain(FORMER_FILES.iter().map(|name| self.file(name))) {
            if path.exists() {
                files::remove(&path)?;
            }
        }
        if !profile.has_columns() && super::has_templates(self) {
            files::remove(&self.file(super::templates::FILE))?;
        }
        Ok(())
    }

    /// Calls `each` with every event, in row order: its frame, and its range there. A frame is decompressed
    /// once and cached until its last row, wherever its rows are.
    pub(super) fn for_each_in_order(
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
}

/// Returns the next position, at or after a byte, of a literal.
pub type Find<'f> = &'f dyn Fn(&[u8], usize) -> Option<usize>;

/// The frame whose events are visited.
struct Unpacked<'s> {
    source: u32,
    frame: &'s Frame,
    bytes: Arc<Vec<u8>>,
    /// The next position of the literal, or beyond all bytes if there is none. `None` if the bytes are not
    /// the text, so that they cannot be searched, or if most of the first events contained the literal.
    found: Option<usize>,
    visited: usize,
    wanted: usize,
}

/// The texts of the events of each source of a segment.
struct TextsBySource {
    sources: Vec<(u32, TextDecoder)>,
    /// For a source that the segment does not list; no row has one.
    other: TextDecoder,
}

impl TextsBySource {
    fn new(segment: &Segment) -> TextsBySource {
        let entries = segment.meta.sources.iter().zip(&segment.encodings);
        TextsBySource {
            sources: entries.map(|(entry, &encoding)| (entry.source, TextDecoder::new(encoding))).collect(),
            other: TextDecoder::new(Encoding::UTF_8),
        }
    }

    fn source(&mut self, source: u32) -> &mut TextDecoder {
        match self.sources.iter_mut().find(|(id, _)| *id == source) {
            Some((_, texts)) => texts,
            None => &mut self.other,
        }
    }
}
