//! A segment: an immutable run of events in time order, with the columns and indexes to find and read them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ingest::Encoding;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::columns::ColumnCache;
use super::files;
use super::manifest::{SourceEntry, bytes_as_text, text_as_bytes};
use super::profile::Profile;
use super::raw::{Frame, RawCursor, RawFolder};
use super::reading::Readings;
use super::rollup::Rollup;
use super::table::{self, Table, TableBuilder};
use super::text::{self, TextIndex};
use base::FieldKind;
use base::error::{AtPath, Error, Result};
use base::files::{self as case_files, EntryKind};
use base::limits::MOST_SEGMENT_ROWS;
use base::stamp;
use patterns::source_kind;

/// Its text index in the cache. No column is called that.
const OPENED_TEXT: &str = "\0text";

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
    /// True if the table has the columns of the fields; otherwise they are rebuilt from the original bytes.
    pub has_columns: bool,
    /// True if compaction wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_compact: bool,
    pub fields: Vec<SegmentField>,
    pub rollup: Rollup,
    /// SHA-256 of `events.parquet`.
    pub sha256: String,
    /// SHA-256 of `places.parquet`, if there is one. Cases of format 5 have the byte ranges in
    /// `events.parquet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places_sha256: Option<String>,
}

impl SegmentMeta {
    /// Reads a `segment.json`.
    pub fn from_text(text: &[u8], path: &Path) -> Result<SegmentMeta> {
        let meta: SegmentMeta = serde_json::from_slice(text).map_err(|error| Error::damaged(path, error))?;
        meta.validate().map_err(|what| Error::damaged(path, what))?;
        Ok(meta)
    }

    /// Refuses numbers that no segment has: a checksum proves that they are those that were written, not that they are
    /// true. The error says which.
    fn validate(&self) -> std::result::Result<(), &'static str> {
        let frames = || self.sources.iter().flat_map(|source| &source.frames);
        let fits = |at: u64, bytes: u32| at.checked_add(u64::from(bytes)).is_some();
        let timed = self.events.checked_sub(self.untimed);
        let checks = [
            (self.events <= MOST_SEGMENT_ROWS as u64, "it claims more events than a segment has"),
            (timed.is_some(), "it claims more events without a time than it has events"),
            (self.first <= self.last, "its last event is before its first one"),
            (timed.is_some_and(|timed| self.rollup.is_valid(timed)), "its counts over time cannot be"),
            (
                frames().all(|frame| fits(frame.offset, frame.bytes) && fits(frame.at, frame.size)),
                "a raw frame of it ends beyond every file",
            ),
            (
                self.sources.iter().all(|source| source.frames.is_sorted_by_key(|frame| frame.offset)),
                "its raw frames are not in the order of their source",
            ),
            (
                self.fields.iter().all(|field| field.rows <= self.events),
                "a field of it has more values than events",
            ),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(what))
    }
}

/// The part of a source in a segment: the raw frames of its events, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentSource {
    pub source: u32,
    /// How its bytes are text.
    pub encoding: String,
    /// The kind of source that its messages are mined as. Empty in segments of former versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    pub frames: Vec<Frame>,
    /// The header lines in effect from an offset on, if the format has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<Heading>,
    /// What the manifest says of the source itself, for when the manifest is lost. Absent in segments of former
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Arc<SourceEntry>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    pub offset: u64,
    /// Its bytes, each as the character with that number.
    pub text: String,
}

impl SegmentSource {
    /// What a segment is to hold of a source of the case.
    #[must_use]
    pub fn new(source: u32, entry: &SourceEntry) -> SegmentSource {
        let (encoding, kind) = (entry.encoding.clone(), source_kind(&entry.format, &entry.path));
        let described = Some(Arc::new(entry.described()));
        SegmentSource { source, encoding, kind, frames: Vec::new(), headings: Vec::new(), described }
    }

    #[must_use]
    pub fn without_frames(&self) -> SegmentSource {
        SegmentSource {
            source: self.source,
            encoding: self.encoding.clone(),
            kind: self.kind.clone(),
            frames: Vec::new(),
            headings: Vec::new(),
            described: self.described.clone(),
        }
    }

    /// Adds the next frame, with the header lines that precede it.
    pub fn add(&mut self, frame: Frame, heading: &[u8]) {
        let text = bytes_as_text(heading);
        if self.headings.last().map_or("", |last| &last.text) != text {
            self.headings.push(Heading { offset: frame.offset, text });
        }
        self.frames.push(frame);
    }

    #[must_use]
    pub fn heading_at(&self, offset: u64) -> Vec<u8> {
        let next = self.headings.partition_point(|heading| heading.offset <= offset);
        let heading = next.checked_sub(1).map_or("", |last| &self.headings[last].text);
        text_as_bytes(heading)
    }

    #[must_use]
    pub fn as_encoding(&self) -> Encoding {
        Encoding::named(&self.encoding).unwrap_or(Encoding::UTF_8)
    }
}

/// A field as a column of `events.parquet`. A field of several types has a column for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentField {
    pub name: String,
    pub column: String,
    pub kind: FieldKind,
    /// True if the table stores byte ranges of its values instead of the values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placed: bool,
    /// True if no token of an event extends past the ends of such a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delimited: bool,
    /// Events that have it. Zero in segments of former versions, and where no columns are stored.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

/// A segment whose files are written but not committed yet.
pub struct WrittenSegment {
    pub meta: SegmentMeta,
    /// SHA-256 of its `segment.json`.
    pub sha256: String,
}

/// What all segments of a case share.
#[derive(Clone, Debug)]
pub struct Shared {
    pub readings: Arc<Readings>,
    pub columns: Arc<ColumnCache>,
}

/// A committed segment. Columns and fields are decoded on first use and cached within a budget.
#[derive(Debug)]
pub struct Segment {
    pub(super) folder: PathBuf,
    pub meta: SegmentMeta,
    pub(super) readings: Arc<Readings>,
    /// Of the sources in `meta`, in the same order.
    pub(super) encodings: Vec<Encoding>,
    pub(super) cache: Arc<ColumnCache>,
    /// What is wrong with it, once a query found out.
    damage: OnceLock<Error>,
    /// True if a query could not be answered for it.
    has_failed: AtomicBool,
    /// Files to remove when nothing reads this segment any more.
    outlived: Mutex<Vec<Arc<Outlived>>>,
}

/// A raw file or a segment that no manifest lists any more. When its last possible reader is gone, it goes to the
/// trash, or is removed where it was never listed or a verified copy replaces it.
#[derive(Debug)]
pub struct Outlived {
    pub path: PathBuf,
    pub trash: Option<PathBuf>,
}

impl Outlived {
    /// Something that is only removed.
    #[must_use]
    pub fn removed(path: PathBuf) -> Outlived {
        Outlived { path, trash: None }
    }
}

impl Drop for Outlived {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next writer.
        let _ = match (&self.trash, case_files::look(&self.path)) {
            (Some(trash), _) => case_files::relocate(&self.path, trash).at_path(trash),
            (None, Some(entry)) if entry.kind == EntryKind::Folder => remove_segment(&self.path),
            (None, _) => files::remove(&self.path),
        };
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.cache.forget(self.meta.id);
    }
}

impl Segment {
    #[must_use]
    pub fn folder(case: &Path, id: u64) -> PathBuf {
        case.join("segments").join(id.to_string())
    }

    /// A file of this segment.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a segment's files and makes them durable. The segment exists once the manifest lists it.
    pub fn write(case: &Path, mut meta: SegmentMeta, table: TableBuilder) -> Result<WrittenSegment> {
        let folder = Self::folder(case, meta.id);
        case_files::create_folder(&folder).at_path(&folder)?;
        (meta.sha256, meta.places_sha256) = table.write(&folder)?;
        let path = folder.join("segment.json");
        let text = serde_json::to_vec(&meta).map_err(|error| Error::damaged(&path, error))?;
        files::replace(&path, &text, files::SEGMENT)?;
        files::sync_folder(&case.join("segments"), files::SEGMENT)?;
        Ok(WrittenSegment { meta, sha256: base::hex(&Sha256::digest(&text)) })
    }

    /// Opens a segment whose `segment.json` has this hash.
    pub fn open(id: u64, sha256: &str, shared: &Shared) -> Result<Segment> {
        let path = Self::folder(shared.readings.case(), id).join("segment.json");
        let text = case_files::read(&path).at_path(&path)?;
        if base::hex(&Sha256::digest(&text)) != sha256 {
            return Err(Error::damaged(&path, "its checksum differs from the one in case.json"));
        }
        Ok(Segment::new(SegmentMeta::from_text(&text, &path)?, shared))
    }

    pub fn new(meta: SegmentMeta, shared: &Shared) -> Segment {
        let encodings = meta.sources.iter().map(SegmentSource::as_encoding).collect();
        Segment {
            folder: Self::folder(shared.readings.case(), meta.id),
            meta,
            readings: Arc::clone(&shared.readings),
            encodings,
            cache: Arc::clone(&shared.columns),
            damage: OnceLock::new(),
            has_failed: AtomicBool::new(false),
            outlived: Mutex::default(),
        }
    }

    /// Lets a query continue without a damaged part of this segment, and remembers the reason.
    pub fn or_missing<T>(&self, answer: Result<T>) -> Result<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.kind().is_of_files() => {
                let _ = self.damage.set(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Passes the result on and remembers an error.
    pub(super) fn record_damage<T>(&self, read: Result<T>) -> Result<T> {
        if let Err(error) = &read
            && error.kind().is_of_files()
        {
            let _ = self.damage.set(error.clone());
            self.has_failed.store(true, Ordering::Relaxed);
        }
        read
    }

    /// True if something that a query needed could not be read.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// The damage that queries have found.
    pub fn damage(&self) -> Option<&Error> {
        self.damage.get()
    }

    /// Keeps a file until nothing reads this segment any more.
    pub fn outlive(&self, file: Arc<Outlived>) {
        self.outlived.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// The number of original bytes in the segment.
    pub fn raw_bytes(&self) -> u64 {
        let frames = self.meta.sources.iter().flat_map(|source| &source.frames);
        frames.map(|frame| u64::from(frame.bytes)).sum()
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }

    pub(super) fn table(&self) -> Result<Table> {
        Table::open(&self.folder, self.meta.events as usize, self.meta.places_sha256.is_some())
    }

    /// The raw bytes of the case it belongs to.
    pub fn raw(&self) -> RawFolder {
        RawFolder::new(self.readings.case())
    }

    /// The frame that contains an event.
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

    /// The text index, or else the token filters, if one of them exists. It stays open as long as what was read of it fits
    /// the cache.
    pub fn text(&self) -> Result<Option<Arc<TextIndex>>> {
        let opened = self.cache.get(self.meta.id, OPENED_TEXT, || Ok((self.open_text()?, 1)))?;
        match &*opened {
            Some(index) => self.cache.account(self.meta.id, OPENED_TEXT, index.read_bytes().max(1)),
            None => self.reopen_text(),
        }
        Ok(opened.as_ref().clone())
    }

    fn open_text(&self) -> Result<Option<Arc<TextIndex>>> {
        let Some(path) = self.text_files().last() else { return Ok(None) };
        // Without it the raw text is scanned, which gives the same answer.
        Ok(self.or_missing(TextIndex::open(&path, self.meta.events as u32))?.map(Arc::new))
    }

    /// Drops an opened index, because there is a better one or none any more.
    pub fn reopen_text(&self) {
        self.cache.remove(self.meta.id, OPENED_TEXT);
    }

    /// Checks the files against their checksums, and that every event lies in its raw frame.
    pub fn verify(&self, cursor: &mut RawCursor<'_>) -> Result<()> {
        self.verify_table()?;
        for path in self.text_files() {
            self.verify_text(&path)?;
        }
        self.for_each_text(cursor, 0..self.meta.events as u32, |_, _| Ok(()))
    }

    /// Checks the tables, and remembers what is wrong with them.
    pub fn check_table(&self) -> Result<()> {
        self.record_damage(self.verify_table())
    }

    pub fn verify_table(&self) -> Result<()> {
        check_tables(&self.folder, &self.meta)
    }

    /// Reads the files of a segment that is not listed yet, and compares them with what was written.
    pub fn check_written(case: &Path, written: &WrittenSegment) -> Result<()> {
        let folder = Self::folder(case, written.meta.id);
        let path = folder.join("segment.json");
        if hash_file(&path)? != written.sha256 {
            return Err(Error::damaged(&path, "it differs from what was written"));
        }
        check_tables(&folder, &written.meta)
    }
    fn verify_text(&self, path: &Path) -> Result<()> {
        TextIndex::open(path, self.meta.events as u32)?.verify()
    }

    fn text_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = Profile::ALL.into_iter().filter_map(|profile| self.text_path(profile));
        files.map(|(path, _)| path).filter(|path| case_files::exists(path))
    }

    /// Removes a damaged text index, so that it is built again.
    pub fn remove_bad_text(&self) -> Result<usize> {
        let mut bad: Vec<PathBuf> =
            self.text_files().filter(|path| self.verify_text(path).is_err()).collect();
        if super::verify_templates(self, &mut self.raw().cursor()).is_err() {
            bad.push(self.file(super::templates::FILE));
        }
        bad.iter().try_for_each(|path| remove_part(path))?;
        self.reopen_text();
        Ok(bad.len())
    }
}

/// Compares the tables of a segment with their checksums.
fn check_tables(folder: &Path, meta: &SegmentMeta) -> Result<()> {
    let tables = [(table::EVENTS, Some(&meta.sha256)), (table::PLACES, meta.places_sha256.as_ref())];
    for (name, sha256) in tables {
        let path = folder.join(name);
        if let Some(sha256) = sha256
            && hash_file(&path)? != *sha256
        {
            return Err(Error::damaged(&path, "its checksum differs from the one in segment.json"));
        }
    }
    Ok(())
}

fn hash_file(path: &Path) -> Result<String> {
    let bytes = case_files::read(path).at_path(path)?;
    Ok(base::hex(&Sha256::digest(&bytes)))
}

/// Removes a file of a segment, or the folder of an index. An index gets another name first: a half of one would be
/// damage if the program ended now.
pub(super) fn remove_part(path: &Path) -> Result<()> {
    match case_files::look(path) {
        Some(entry) if entry.kind == EntryKind::Folder => {
            let leaving = path.with_extension("tmp");
            if leaving == path {
                return files::remove_folder(path, text::is_index_file);
            }
            files::remove_folder(&leaving, text::is_index_file)?;
            match case_files::relocate(path, &leaving) {
                Ok(()) => files::remove_folder(&leaving, text::is_index_file),
                // Somebody else's file has that name, or is in that folder.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    files::remove_folder(path, text::is_index_file)
                }
                Err(error) => Err(error).at_path(path),
            }
        }
        _ => files::remove(path),
    }
}

/// Removes the files of a segment, and its folder if nothing else is in it.
pub fn remove_segment(folder: &Path) -> Result<()> {
    for index in ["text", "text.tmp", "text.3.tmp"] {
        remove_part(&folder.join(index))?;
    }
    files::remove_folder(folder, is_segment_file)
}

/// True for the names that files of a segment have, or had in earlier versions.
fn is_segment_file(name: &str) -> bool {
    let own = ["segment.json", table::EVENTS, table::PLACES, super::templates::FILE, "text.3.flt"];
    let temporary = name.strip_suffix(".tmp");
    own.contains(&name)
        || super::texts::FORMER_FILES.contains(&name)
        || temporary
            .is_some_and(|stem| own.iter().any(|own| own.rsplit_once('.').is_some_and(|(of, _)| of == stem)))
}

#[cfg(test)]
mod tests {
    use super::super::rollup::LevelCounts;
    use super::*;

    type Change = fn(&mut SegmentMeta);

    fn meta() -> SegmentMeta {
        let frame = Frame { offset: 10, bytes: 90, at: 0, size: 40, generation: 0 };
        let source = SegmentSource {
            source: 0,
            encoding: "UTF-8".to_owned(),
            kind: String::new(),
            frames: vec![frame],
            headings: Vec::new(),
            described: None,
        };
        let field = SegmentField {
            name: "n".to_owned(),
            column: "n".to_owned(),
            kind: FieldKind::Int,
            placed: false,
            delimited: false,
            rows: 9,
        };
        let counts = vec![LevelCounts { level: 0, counts: vec![4, 4] }];
        SegmentMeta {
            id: 0,
            events: 10,
            untimed: 2,
            first: Some(-5),
            last: Some(5),
            sources: vec![source],
            has_columns: true,
            is_compact: false,
            fields: vec![field],
            rollup: Rollup { width_ns: 10, first: -1, levels: counts },
            sha256: String::new(),
            places_sha256: None,
        }
    }

    #[test]
    fn numbers_that_no_segment_has_are_refused_whatever_their_checksum() {
        assert_eq!(meta().validate(), Ok(()));
        let changes: [(&str, Change); 12] = [
            ("more events", |meta| (meta.events, meta.untimed) = (u64::MAX, u64::MAX)),
            ("more events", |meta| meta.events = 1 << 32),
            ("without a time", |meta| meta.untimed = 11),
            ("before its first", |meta| meta.first = Some(i64::MAX)),
            ("before its first", |meta| meta.last = None),
            ("over time", |meta| meta.rollup.levels[0].counts[0] = u32::MAX),
            ("over time", |meta| meta.rollup.first = i64::MAX),
            ("over time", |meta| meta.rollup.levels[0].level = 200),
            ("over time", |meta| meta.rollup.width_ns = i64::MIN),
            ("beyond every file", |meta| meta.sources[0].frames[0].offset = u64::MAX),
            ("not in the order", |meta| {
                let first = Frame { offset: 200, ..meta.sources[0].frames[0] };
                meta.sources[0].frames.insert(0, first);
            }),
            ("more values", |meta| meta.fields[0].rows = 11),
        ];
        for (expected, change) in changes {
            let mut meta = meta();
            change(&mut meta);
            assert!(meta.validate().is_err_and(|what| what.contains(expected)), "{expected}");
        }
    }
}
