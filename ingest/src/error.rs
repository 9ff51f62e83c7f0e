//! Why a path or a file could not be read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::problem::find_in;

/// The kind of an error. Hosts decide by this, never by the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    NotFound,
    NotReadable,
    Empty,
    Binary,
    NoLogs,
    UnknownFormat,
    UnknownEncoding,
    BadZone,
    /// Packed data is truncated or damaged.
    Corrupt,
    /// Packed data was unpacked, but what verifies all of it is wrong or missing: any part may be damaged.
    Doubtful,
    /// A limit was reached; the message says which and how to raise it.
    Limit,
    /// A link, a device or a path that leaves its archive.
    Refused,
    Encrypted,
    /// A container or a packing method that is recognised but not supported.
    Unsupported,
    /// All of it was read, and unrelated data follows it.
    Leftover,
    /// It became shorter or was replaced while it was read.
    Changed,
    Io,
}

/// A path that could not be read, and why. The text does not repeat the path, because every place that shows
/// the text shows the path with it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    message: String,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: &Path, message: impl Into<String>) -> Error {
        Error { kind, path: path.to_path_buf(), message: message.into(), source: None }
    }

    /// Converts a read error for this path: of the operating system, or of the unpacking.
    #[must_use]
    pub fn io(path: &Path, source: io::Error) -> Error {
        if let Some(problem) = find_in(&source) {
            return Error::new(problem.kind, path, problem.message.clone());
        }
        let (kind, message) = match source.kind() {
            io::ErrorKind::NotFound => (ErrorKind::NotFound, "there is no such file or folder"),
            io::ErrorKind::PermissionDenied => (ErrorKind::NotReadable, "permission to read it is missing"),
            io::ErrorKind::IsADirectory => (ErrorKind::NotReadable, "it is a folder, not a file"),
            _ => (ErrorKind::Io, "reading it failed"),
        };
        let message = match kind {
            ErrorKind::Io => format!("{message}: {source}"),
            _ => message.to_string(),
        };
        Error { kind, path: path.to_path_buf(), message, source: Some(source) }
    }

    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
