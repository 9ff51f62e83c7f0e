//! The raw texts of a segment's events, and the indexes built from them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

use ingest::{Encoding, TextDecoder};

use super::files::{self, Role};
use super::profile::Profile;
use super::raw::{Frame, RawCursor};
use super::segment::{Segment, SegmentField, remove_part};
use super::table::{Columns, RowPlaces};
use super::text::{self, Built, IndexedValues};
use base::FieldKind;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;

/// Files of former versions, and what a crash may leave of a folder. Nothing reads them.
pub(super) const FORMER_FILES: [&str; 5] =
    ["text.idx", "text.flt", "text.tmp", "text.3.tmp", "templates.1.parquet"];

/// One row in this many or fewer are sorted. For more, the order of all rows is worked out once.
const FEW_ROWS: usize = 16;

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
        self.record_damage(self.read_texts(cursor, rows, None, &|| Ok(()), |row, text, _| each(row, text)))
    }

    /// The same with the events alone that may match: `find` returns the next position, at or after a byte, of a
    /// literal that every match contains. `each` gets a position in the text before which none begins. `stopped` is asked
    /// once a frame.
    pub fn for_each_candidate(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        find: Option<Find<'_>>,
        stopped: &dyn Fn() -> Result<()>,
        each: impl FnMut(u32, &[u8], usize) -> Result<()>,
    ) -> Result<()> {
        self.record_damage(self.read_texts(cursor, rows, find, stopped, each))
    }

    fn read_texts(
        &self,
        cursor: &mut RawCursor<'_>,
        rows: impl Iterator<Item = u32>,
        find: Option<Find<'_>>,
        stopped: &dyn Fn() -> Result<()>,
        mut each: impl FnMut(u32, &[u8], usize) -> Result<()>,
    ) -> Result<()> {
        let mut rows: Vec<u32> = rows.collect();
        if rows.is_empty() {
            return Ok(());
        }
        let places = self.locations()?;
        let place = |&row: &u32| (places.source(row as usize), places.offset(row as usize));
        if rows.len() * FEW_ROWS < self.meta.events as usize || !rows.is_sorted_by(|one, next| one < next) {
            rows.sort_by_key(place);
        } else if let Some(order) = &*self.file_order(&places)? {
            let mut wanted = vec![false; order.len()];
            for &row in &rows {
                wanted[row as usize] = true;
            }
            rows = order.iter().copied().filter(|&row| wanted[row as usize]).collect();
        }
        let mut texts = TextsBySource::new(self);
        let mut rest = rows.as_slice();
        while let Some(first) = rest.first() {
            stopped()?;
            let (source, offset) = place(first);
            let frame = self.frame(source, offset)?;
            let bytes = cursor.frame(source, frame)?;
            let is_here = |row: &u32| place(row).0 == source && frame.holds(place(row).1);
            let here;
            (here, rest) = rest.split_at(rest.partition_point(is_here).max(1));
            let decoder = texts.source(source);
            let event = |&row: &u32| {
                self.event_in(&bytes, frame, places.offset(row as usize), places.length(row as usize))
            };
            let is_text = decoder.is_identity(&bytes);
            let find = find.filter(|_| is_text);
            let mut searched = find.map(|find| Searched { find, next: find(&bytes, 0), tested: 0 });
            let mut at = 0;
            while at < here.len() {
                let mut literal = 0;
                if let Some(search) = &mut searched {
                    let Some(next) = search.next else { break };
                    // Events before the literal are passed over; mostly it is in the next one.
                    if event(&here[at])?.end <= next {
                        let ends_before = |row: &u32| event(row).is_ok_and(|event| event.end <= next);
                        at += here[at..].partition_point(ends_before);
                    }
                    let Some(row) = here.get(at) else { break };
                    let start = event(row)?.start;
                    if start > next {
                        search.next = (search.find)(&bytes, start);
                        continue;
                    }
                    literal = next - start;
                    search.tested += 1;
                    if at >= PROBED && search.tested * 2 > at {
                        searched = None;
                    }
                }
                let event = event(&here[at])?;
                if is_text {
                    each(here[at], &bytes[event], literal)?;
                } else {
                    each(here[at], &decoder.text(&bytes, frame.offset, event), 0)?;
                }
                at += 1;
            }
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
        let Some((path, role)) = self.text_path(profile).filter(|(path, _)| !base::files::exists(path))
        else {
            return Ok(());
        };
        let table = self.table()?;
        // Tokens take most of the memory of a merge, so that nothing else is kept next to them.
        let Columns { source, offset, length, .. } = table.columns()?;
        let rows = offset.len() as u32;
        // An integer token of a column needs no posting: the column has the rows.
        let is_number = |field: &SegmentField| profile == Profile::Full && field.kind == FieldKind::Int;
        let mut repeating = Vec::new();
        for field in &self.meta.fields {
            let is_coded_text = field.kind == FieldKind::Text && table.is_coded(&field.column)?;
            if is_number(field) || is_coded_text {
                let values = IndexedValues::new(table.field(&field.column)?);
                repeating.extend(values.map(|values| (field.column.clone(), values)));
            }
        }
        let mut builder = match profile {
            Profile::Full => text::IndexBuilder::for_index(repeating),
            _ => text::IndexBuilder::for_filters(repeating),
        };
        let mut texts = TextsBySource::new(self);
        let places = RowPlaces { source: &source, offset: &offset, length: &length };
        self.for_each_in_order(cursor, &places, |row, (frame, bytes), event| {
            if row.is_multiple_of(CANCEL_ROWS) {
                stopped()?;
            }
            builder.add(row as u32, &texts.source(source[row]).text(bytes, frame.offset, event));
            Ok(())
        })?;
        drop((source, offset, length));
        match builder.finish(rows)? {
            Built::File(bytes) => files::replace(&path, &bytes, role),
            Built::Folder(files) => files::replace_folder(&path, &files, text::is_index_file, role),
        }
    }

    /// Removes indexes that the profile does not use.
    pub fn remove_text_beyond(&self, profile: Profile) -> Result<()> {
        let others = Profile::ALL.into_iter().filter(|&other| other != profile);
        let others = others.filter_map(|other| self.text_path(other)).map(|(path, _)| path);
        for path in others.chain(FORMER_FILES.iter().map(|name| self.file(name))) {
            remove_part(&path)?;
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
        places: &RowPlaces<'_>,
        mut each: impl FnMut(usize, (&Frame, &[u8]), Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let rows = places.offset.len();
        // The frames, each with the last of its runs, and the runs of rows in one frame by their first rows.
        let mut frames: Vec<(u32, Frame, usize)> = Vec::new();
        let mut numbers = HashMap::new();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for row in 0..rows {
            let (source, offset) = (places.source[row], places.offset[row]);
            let before = runs.last().map(|&(_, number)| &frames[number as usize]);
            if before.is_none_or(|(before, frame, _)| *before != source || !frame.holds(offset)) {
                let frame = *self.frame(source, offset)?;
                let number = *numbers.entry((source, frame.offset)).or_insert_with(|| {
                    frames.push((source, frame, 0));
                    frames.len() - 1
                });
                frames[number].2 = runs.len();
                runs.push((row as u32, number as u32));
            }
        }
        let mut kept = HashMap::new();
        for (run, &(first, number)) in runs.iter().enumerate() {
            let (source, frame, last_run) = &frames[number as usize];
            let bytes = match kept.remove(&number) {
                Some(bytes) => bytes,
                None => cursor.read(*source, frame)?,
            };
            let end = runs.get(run + 1).map_or(rows, |next| next.0 as usize);
            for row in first as usize..end {
                let event = self.event_in(&bytes, frame, places.offset[row], places.length[row])?;
                each(row, (frame, &bytes), event)?;
            }
            if *last_run > run {
                kept.insert(number, bytes);
            }
        }
        Ok(())
    }
}

/// Returns the next position, at or after a byte, of a literal.
pub type Find<'f> = &'f dyn Fn(&[u8], usize) -> Option<usize>;

/// The search for a literal in a frame whose bytes are the text.
struct Searched<'f> {
    find: Find<'f>,
    next: Option<usize>,
    /// The events that have it. Where most of the first have, all are tested.
    tested: usize,
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
