//! `case.json`: what a case consists of. Replaced as a whole, so that a reader sees one state or the next.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::files;
use crate::error::{AtPath, Error, ErrorKind, Result};
use crate::stamp;

/// Version of everything in the case folder. A reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 4;

/// The oldest version that can be read. Nothing older was ever released.
const OLDEST_FORMAT: u32 = 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub name: String,
    /// Grows with every publication.
    pub revision: u64,
    pub sources: Vec<SourceEntry>,
    pub segments: Vec<SegmentEntry>,
    /// No segment has had this number or a higher one.
    #[serde(default)]
    pub next_segment: u64,
}

/// A file that was read into the case. Its id is its place in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceEntry {
    pub name: String,
    pub path: String,
    pub format: String,
    pub encoding: String,
    pub compression: String,
    pub zone: String,
    /// Bytes of it that are stored, and their hash, both as of the last publication.
    pub bytes: u64,
    pub sha256: String,
    /// Length of the compressed frames in the raw file, without the seek table behind them.
    pub raw_bytes: u64,
    pub events: u64,
    pub unparsed: u64,
    #[serde(with = "stamp::json")]
    pub first: Option<i64>,
    #[serde(with = "stamp::json")]
    pub last: Option<i64>,
    /// The whole file was read. False while it is read, and after an import that was cut off.
    pub complete: bool,
    /// Why it is not complete, or what was odd about it.
    pub note: Option<String>,
    /// Which of its raw files holds it: 0 for the first, more where it was read anew.
    #[serde(default, skip_serializing_if = "is_default")]
    pub generation: u32,
    /// Fingerprint of its first bytes, by which it is found again; empty in older cases.
    #[serde(default, skip_serializing_if = "is_default")]
    pub head: String,
    /// When its file was last written.
    #[serde(default, with = "stamp::json")]
    pub modified: Option<i64>,
    /// The rotated set that it is a part of, by its name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub set: Option<String>,
    /// What was chosen about reading it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reading: Reading,
    /// The file of accounts with its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub account: Option<u64>,
}

/// What was chosen about reading a source, where the data does not say it.
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
    /// Why that year, where no person chose it.
    #[serde(skip_serializing_if = "is_default")]
    pub year_reason: Option<String>,
    /// When the machine was started whose uptimes its times are.
    #[serde(skip_serializing_if = "is_default")]
    pub boot_ns: Option<i64>,
    /// Added to every time.
    #[serde(skip_serializing_if = "is_default")]
    pub clock_offset_ns: i64,
}

impl Reading {
    #[must_use]
    pub fn of(options: &ingest::Options) -> Reading {
        Reading {
            format: options.format.clone(),
            encoding: options.encoding.clone(),
            zone: options.zone.clone(),
            year: options.year,
            year_reason: options.year_reason.clone(),
            boot_ns: options.boot_ns,
            clock_offset_ns: options.clock_offset_ns,
        }
    }

    /// These choices with those on top that `options` make; what else the options say stays.
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
            boot_ns: options.boot_ns.or(self.boot_ns),
            clock_offset_ns: match options.clock_offset_ns {
                0 => self.clock_offset_ns,
                chosen => chosen,
            },
            ..options.clone()
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentEntry {
    pub id: u64,
    pub events: u64,
    /// Whether its text index stands.
    pub indexed: bool,
}

/// Tells whether `case.json` was replaced since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestStamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Manifest {
    pub fn new(name: &str) -> Manifest {
        Manifest {
            format: FORMAT_VERSION,
            name: name.to_owned(),
            revision: 0,
            sources: vec![],
            segments: vec![],
            next_segment: 0,
        }
    }

    pub fn read(case: &Path) -> Result<Manifest> {
        let path = case.join("case.json");
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && case.is_dir() => {
                return Err(Error::new(
                    ErrorKind::CaseDamaged,
                    "this folder is no case: it has no case.json",
                )
                .at(case)
                .hint("drop the folder to import the logs in it"));
            }
            Err(error) => return Err(error).at_path(case),
        };
        let version: Version = serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))?;
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
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))?;
        Ok(Manifest { format: FORMAT_VERSION, ..manifest })
    }

    /// A number for a segment that none had before: what was answered from a segment is kept by its number.
    pub fn new_segment(&mut self) -> u64 {
        let behind = self.segments.iter().map(|segment| segment.id + 1).max().unwrap_or(0);
        let id = self.next_segment.max(behind);
        self.next_segment = id + 1;
        id
    }

    pub fn write(&self, case: &Path) -> Result<()> {
        let path = case.join("case.json");
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::damaged(&path, error))?;
        files::replace(&path, &text)
    }

    pub fn stamp(case: &Path) -> Option<ManifestStamp> {
        let meta = fs::metadata(case.join("case.json")).ok()?;
        Some(ManifestStamp { modified: meta.modified().ok(), bytes: meta.len() })
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}
