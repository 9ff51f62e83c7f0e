//! `case.json`: what a case consists of. Replaced as a whole, so that a reader sees one state or the next.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::files;
use crate::error::{AtPath, Error, ErrorKind, Result};
use crate::stamp;

/// Version of everything in the case folder. A reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 3;

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
}

/// A file that was read into the case. Its id is its place in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error))
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
