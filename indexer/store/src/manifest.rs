//! `case.json`, the manifest: the list of what a case consists of. It is replaced as a whole, so a reader
//! sees one commit or the next.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use ingest::{Batch, NO_TIME};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files;
use super::profile::Profile;
use super::raw::{RawFile, raw_frames};
use super::segment::SegmentMeta;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files as case_files;
use base::stamp;

/// Version of everything in the case folder. A reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 6;

/// The oldest version that can be read. Nothing older was ever released.
const OLDEST_FORMAT: u32 = 5;

const NAME: &str = Manifest::NAME;
const REPAIR: &str = "run `timberline verify --repair` on the case; until then it can only be read";
/// A copy, used if the manifest is damaged.
const COPY: &str = "case.copy.json";

/// More than any count, size or number of a case: sums of many still fit 64 bits.
pub(super) const LARGEST: u64 = 1 << 48;

/// Comes before the checksum, which is the last key of the file.
const CHECKSUM_KEY: &str = ",\n  \"sha256\": \"";
const CHECKSUM_END: &str = "\"\n}\n";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub name: String,
    /// Grows with every commit.
    pub revision: u64,
    /// What is stored besides the original bytes. Segments below this profile reach it in the background.
    pub profile: Profile,
    /// The id of the next segment. Ids are never reused.
    pub next_segment: u64,
    /// Files that define formats of sources, with their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<FormatFile>,
    pub sources: Vec<SourceEntry>,
    pub segments: Vec<SegmentEntry>,
}

/// A file that was read into the case. Its id is its index in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceEntry {
    pub name: String,
    pub path: String,
    pub format: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    /// The number of its bytes that are stored, and their hash, both as of the last commit.
    pub bytes: u64,
    pub sha256: String,
    /// The length of the compressed frames in the raw file, without the seek table after them.
    pub raw_bytes: u64,
    /// Bytes of it that compacting has packed.
    #[serde(default)]
    pub packed_bytes: u64,
    pub events: u64,
    pub unparsed: u64,
    #[serde(with = "stamp::json")]
    pub first: Option<i64>,
    #[serde(with = "stamp::json")]
    pub last: Option<i64>,
    /// The whole file was read. False while it is read, and after an import that was cut off.
    pub complete: bool,
    /// Why it is incomplete, or what was odd about it.
    pub note: Option<String>,
    /// Which of its raw files is current: 0 for the first, higher after it was read or packed again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub generation: u32,
    /// The first of its raw files that has its present bytes and events: later ones have the same, packed harder.
    #[serde(default, skip_serializing_if = "is_default")]
    pub content_generation: u32,
    /// Fingerprint of its first bytes, by which it is found again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub head: String,
    /// When its file was last written.
    #[serde(default, with = "stamp::json")]
    pub modified: Option<i64>,
    /// The rotated set that it is a part of, by its name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub set: Option<String>,
    /// What else is needed to read its bytes again in the same way.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reading: Reading,
    /// The file of accounts with its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub account: Option<u64>,
    /// The stream that a received source is a part of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub live: Option<LiveEntry>,
    /// A person deleted it: only its index is left, so that the ids of the others stay valid.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deleted: bool,
}

impl SourceEntry {
    /// The file that its bytes are in, if this is the entry of this source.
    #[must_use]
    pub fn raw_file(&self, source: u32) -> RawFile {
        RawFile { source, generation: self.generation }
    }

    /// What is the same in every commit: which file it is and how it is read, without what was read of it so far.
    #[must_use]
    pub fn described(&self) -> SourceEntry {
        SourceEntry {
            name: self.name.clone(),
            path: self.path.clone(),
            format: self.format.clone(),
            encoding: self.encoding.clone(),
            compression: self.compression.clone(),
            zone: self.zone.clone(),
            head: self.head.clone(),
            modified: self.modified,
            set: self.set.clone(),
            reading: self.reading.clone(),
            live: self.live.clone(),
            ..SourceEntry::default()
        }
    }

    /// Counts the events of a batch that has landed, in the order of the source.
    pub fn add(&mut self, batch: &Batch) {
        self.bytes += batch.chunk.bytes.len() as u64;
        self.events += batch.rows() as u64;
        self.unparsed += u64::from(batch.unparsed);
        // The lines of a file need not be in the order of their times.
        let timed = || batch.time.iter().copied().filter(|&time| time != NO_TIME);
        self.first = timed().chain(self.first).min();
        self.last = timed().chain(self.last).max();
    }
}

/// A source that is a part of a stream that was received, or still is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveEntry {
    pub stream: String,
    /// Where in the stream it begins.
    pub base: u64,
    /// Sources and their segments are dropped together with all others of their partition.
    pub partition: u64,
    /// When the last of it was received.
    #[serde(with = "stamp::json")]
    pub received: Option<i64>,
}

/// The choices made for reading a source, where the data does not decide, and what was detected from its
/// first bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    #[serde(skip_serializing_if = "is_default")]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub encoding: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub zone: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub year: Option<i16>,
    /// The reason for that year, unless a person chose it.
    #[serde(skip_serializing_if = "is_default")]
    pub year_reason: Option<String>,
    /// The field that contains the time.
    #[serde(skip_serializing_if = "is_default")]
    pub time_field: Option<String>,
    /// The boot time of the machine, for times that are uptimes.
    #[serde(skip_serializing_if = "is_default")]
    pub boot_ns: Option<i64>,
    /// Added to every time.
    #[serde(skip_serializing_if = "is_default")]
    pub clock_offset_ns: i64,
    /// Every line is an event.
    #[serde(skip_serializing_if = "is_default")]
    pub lines: bool,
    /// The address that it was received from.
    #[serde(skip_serializing_if = "is_default")]
    pub sender: Option<String>,
    /// The index of its format in the definitions of the case, if a person defined it.
    #[serde(skip_serializing_if = "is_default")]
    pub definition: Option<usize>,
    /// The number of first bytes that the format was detected from.
    #[serde(skip_serializing_if = "is_default")]
    pub sample_bytes: u64,
    /// The source whose first bytes it was detected from, if not its own.
    #[serde(skip_serializing_if = "is_default")]
    pub follows: Option<Box<Follows>>,
}

/// A source in a rotated set is read like the previous file, with the parser of the first file. The state is
/// stored because the first file may be read differently later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Follows {
    /// The source with the first bytes.
    pub source: u32,
    /// How those were read.
    pub format: String,
    pub encoding: String,
    pub reading: Reading,
    /// The header lines in effect at the end of the previous file, each byte as the character with that
    /// number.
    pub heading: String,
}

/// A file that defines formats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatFile {
    pub name: String,
    pub text: String,
}

impl Reading {
    /// True if a person wrote the format that the source was read with, or that of the first file of its set.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        self.definition.is_some() || self.follows.as_ref().is_some_and(|first| first.reading.is_defined())
    }

    #[must_use]
    pub fn from_options(options: &ingest::Options) -> Reading {
        Reading {
            format: options.format.clone(),
            encoding: options.encoding.clone(),
            zone: options.zone.clone(),
            year: options.year,
            year_reason: options.year_reason.clone(),
            time_field: options.time_field.clone(),
            boot_ns: options.boot_ns,
            clock_offset_ns: options.clock_offset_ns,
            lines: options.lines,
            sender: options.sender.clone(),
            ..Reading::default()
        }
    }

    /// True if these options choose the same.
    #[must_use]
    pub fn is_of(&self, options: &ingest::Options) -> bool {
        let found = Reading { definition: None, sample_bytes: 0, follows: None, ..self.clone() };
        found == Reading::from_options(options)
    }

    /// These options with the choices on top.
    #[must_use]
    pub fn under(&self, options: &ingest::Options) -> ingest::Options {
        let year = options.year.or(self.year);
        ingest::Options {
            format: options.format.clone().or_else(|| self.format.clone()),
            encoding: options.encoding.clone().or_else(|| self.encoding.clone()),
            zone: options.zone.clone().or_else(|| self.zone.clone()),
            year,
            year_reason: if options.year.is_some() {
                options.year_reason.clone()
            } else {
                self.year_reason.clone()
            },
            time_field: options.time_field.clone().or_else(|| self.time_field.clone()),
            boot_ns: options.boot_ns.or(self.boot_ns),
            lines: options.lines || self.lines,
            sender: options.sender.clone().or_else(|| self.sender.clone()),
            clock_offset_ns: match options.clock_offset_ns {
                0 => self.clock_offset_ns,
                chosen => chosen,
            },
            ..options.clone()
        }
    }
}

/// Bytes as text for JSON, each as the character of that number.
#[must_use]
pub fn bytes_as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The bytes of such a text.
pub fn text_as_bytes(text: &str) -> Vec<u8> {
    text.chars().filter_map(|character| u8::try_from(character).ok()).collect()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentEntry {
    pub id: u64,
    pub events: u64,
    /// The profile it has reached.
    pub profile: Profile,
    /// SHA-256 of its `segment.json`.
    pub sha256: String,
}

/// Detects whether `case.json` was replaced since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestStamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Manifest {
    pub const NAME: &str = "case.json";

    #[must_use]
    pub fn new(name: &str) -> Manifest {
        Manifest {
            format: FORMAT_VERSION,
            name: name.to_owned(),
            revision: 0,
            profile: Profile::default(),
            next_segment: 0,
            definitions: vec![],
            sources: vec![],
            segments: vec![],
        }
    }

    /// Reads the manifest, or its copy if it is damaged.
    pub fn read(case: &Path) -> Result<Manifest> {
        let path = case.join(NAME);
        Self::read_file(case, &path).or_else(|error| {
            let copy = Self::read_file(case, &case.join(COPY));
            if error.kind() == ErrorKind::CaseDamaged { copy.map_err(|_| error) } else { Err(error) }
        })
    }

    fn read_file(case: &Path, path: &Path) -> Result<Manifest> {
        let text = match case_files::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && case.is_dir() => {
                return Err(match folder_use(case) {
                    FolderUse::Case => {
                        Error::new(ErrorKind::CaseDamaged, "its case.json is missing").at(case).hint(REPAIR)
                    }
                    FolderUse::Free | FolderUse::Other => {
                        Error::new(ErrorKind::CaseDamaged, "this folder is not a case: it has no case.json")
                            .at(case)
                            .hint("drop the folder to import the logs in it")
                    }
                });
            }
            Err(error) => return Err(error).at_path(case),
        };
        check_version(case, path, &text)?;
        if checksum_differs(&text) {
            return Err(Error::damaged(path, "its checksum differs from the one in it"));
        }
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| Error::damaged(path, error))?;
        if manifest.has_true_numbers() {
            Ok(manifest)
        } else {
            Err(Error::damaged(path, "its numbers cannot be"))
        }
    }

    /// False for numbers that no case has: sums of them, and the next ones, would not be numbers any more. A checksum
    /// proves that they are those that were written, not that they are true.
    fn has_true_numbers(&self) -> bool {
        let sizes = self.sources.iter().flat_map(|source| {
            let stored =
                [source.bytes, source.raw_bytes, source.packed_bytes, source.events, source.unparsed];
            let live = source.live.as_ref().map(|live| [live.base, live.partition]);
            stored.into_iter().chain(live.into_iter().flatten()).chain(source.account)
        });
        let segments = self.segments.iter().flat_map(|segment| [segment.id, segment.events]);
        let mut all = sizes.chain(segments).chain([self.revision, self.next_segment]);
        let generations = self.sources.iter().all(|source| source.generation < u32::MAX);
        generations && all.all(|number| number < LARGEST)
    }

    /// A segment number that was never used: caches are keyed by it.
    pub fn new_segment(&mut self) -> u64 {
        self.next_segment += 1;
        self.next_segment - 1
    }

    /// The number of a definition, which is added if it is new.
    pub fn definition_number(&mut self, definition: FormatFile) -> usize {
        let known = self.definitions.iter().position(|known| *known == definition);
        known.unwrap_or_else(|| {
            self.definitions.push(definition);
            self.definitions.len() - 1
        })
    }

    /// The definition of a source's format, if a person wrote it.
    #[must_use]
    pub fn definition_of(&self, reading: &Reading) -> Option<&FormatFile> {
        self.definitions.get(reading.definition?)
    }

    /// Why `case.json` itself cannot be used, if so. [`Manifest::read`] gives its copy then, which may lack the
    /// last commit: nothing may be written from it.
    #[must_use]
    pub fn fault(case: &Path) -> Option<Error> {
        Self::read_file(case, &case.join(NAME)).err().map(|error| error.hint(REPAIR))
    }

    /// What is wrong with the manifest, or with its copy.
    #[must_use]
    pub fn problem(case: &Path) -> Option<Error> {
        let copy = || {
            let fault = Self::read_file(case, &case.join(COPY)).err();
            fault.filter(|_| case_files::exists(&case.join(COPY))).map(|error| error.hint(REPAIR))
        };
        Self::fault(case).or_else(copy)
    }

    pub fn write(&self, case: &Path) -> Result<()> {
        let path = case.join(NAME);
        let text = self.to_text(&path)?;
        files::replace(&path, text.as_bytes(), files::MANIFEST)?;
        // The copy is only a backup; the commit succeeded without it.
        let _ = files::copy(&case.join(COPY), text.as_bytes());
        Ok(())
    }

    /// The content of its file, with the checksum.
    pub(super) fn to_text(&self, path: &Path) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| Error::damaged(path, error))?;
        text.truncate(text.trim_end_matches(['}', '\n']).len());
        let hash = base::hex(&Sha256::digest(&text));
        text.extend([CHECKSUM_KEY, &hash, CHECKSUM_END]);
        Ok(text)
    }

    #[must_use]
    pub fn stamp(case: &Path) -> Option<ManifestStamp> {
        // The time tells one commit from the next, so this looks at the file itself.
        let meta = fs::symlink_metadata(case.join(NAME)).ok()?;
        Some(ManifestStamp { modified: meta.modified().ok(), bytes: meta.len() })
    }
}

/// What a folder is to someone who wants a case there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderUse {
    /// It does not exist yet, or is empty, or has what a cut-off creation left.
    Free,
    /// A case, whole or in part: it has a manifest, or files that only a case has.
    Case,
    /// Something else, which is not ours to write to.
    Other,
}

/// Looks at a folder without changing anything.
#[must_use]
pub fn folder_use(folder: &Path) -> FolderUse {
    let entries = match case_files::entries(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return FolderUse::Free,
        Err(_) => return FolderUse::Other,
    };
    // The creation of a case that was cut off leaves empty folders and a part of the manifest.
    let is_begun = |entry: &case_files::FolderEntry| match entry.name.as_str() {
        "raw" | "segments" => {
            entry.kind == case_files::EntryKind::Folder && is_empty(&folder.join(&entry.name))
        }
        "case.tmp" => entry.kind == case_files::EntryKind::File,
        _ => false,
    };
    if entries.iter().all(is_begun) {
        let count = fs::read_dir(folder).map_or(0, Iterator::count);
        return if count == entries.len() { FolderUse::Free } else { FolderUse::Other };
    }
    let has_manifest = entries.iter().any(|entry| {
        [NAME, COPY].contains(&entry.name.as_str()) && entry.kind == case_files::EntryKind::File
    });
    let has_raw = || {
        let raw = case_files::entries(&folder.join("raw")).unwrap_or_default();
        raw.iter()
            .filter_map(|entry| RawFile::from_name(&entry.name))
            .any(|raw| raw_frames(folder, raw).is_ok())
    };
    let has_segment = || {
        let segments = case_files::entries(&folder.join("segments")).unwrap_or_default();
        segments.iter().any(|entry| {
            let path = folder.join("segments").join(&entry.name).join("segment.json");
            case_files::read(&path).is_ok_and(|text| SegmentMeta::from_text(&text, &path).is_ok())
        })
    };
    if has_manifest || has_raw() || has_segment() { FolderUse::Case } else { FolderUse::Other }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn check_version(case: &Path, path: &Path, text: &[u8]) -> Result<()> {
    let version: Version = serde_json::from_slice(text).map_err(|error| Error::damaged(path, error))?;
    if version.format > FORMAT_VERSION {
        let message = format!(
            "this case has format {}, and this Timberline reads up to {FORMAT_VERSION}",
            version.format
        );
        return Err(Error::new(ErrorKind::CaseTooNew, message)
            .at(case)
            .hint("open it with a newer Timberline"));
    }
    if version.format < OLDEST_FORMAT {
        let message = format!("this case has format {}, from before the first release", version.format);
        return Err(Error::new(ErrorKind::CaseDamaged, message)
            .at(case)
            .hint("unpack its raw/*.zst with zstd -d and import them again"));
    }
    Ok(())
}

/// A file without a checksum was written by hand and is accepted.
fn checksum_differs(text: &[u8]) -> bool {
    let Some(end) = text.strip_suffix(CHECKSUM_END.as_bytes()) else { return false };
    let (Some(body), Some(hash)) =
        (end.len().checked_sub(64 + CHECKSUM_KEY.len()), end.len().checked_sub(64))
    else {
        return false;
    };
    end[body..hash] == *CHECKSUM_KEY.as_bytes()
        && base::hex(&Sha256::digest(&end[..body])).as_bytes() != &end[hash..]
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut SourceEntry);

    #[test]
    fn numbers_that_no_source_has_are_refused() {
        let source = || SourceEntry { live: Some(LiveEntry::default()), ..SourceEntry::default() };
        let manifest = |source| Manifest { sources: vec![source], ..Manifest::new("x") };
        assert!(manifest(source()).has_true_numbers());
        let changes: [Change; 8] = [
            |source| source.bytes = LARGEST,
            |source| source.raw_bytes = u64::MAX,
            |source| source.packed_bytes = u64::MAX,
            |source| source.events = u64::MAX,
            |source| source.unparsed = u64::MAX,
            |source| source.account = Some(u64::MAX),
            |source| source.live = Some(LiveEntry { base: u64::MAX, ..LiveEntry::default() }),
            |source| source.live = Some(LiveEntry { partition: u64::MAX, ..LiveEntry::default() }),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = source();
            change(&mut other);
            assert!(!manifest(other).has_true_numbers(), "{number}");
        }
    }
}
