//! Errors: a kind for callers to branch on and a message for a person.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ErrorCode"))]
pub enum ErrorKind {
    /// A file, folder or case that is not there.
    NotFound,
    /// It is there and may not be read.
    NotReadable,
    /// A query names a file that it may not read here.
    NotAllowed,
    /// A file of no bytes.
    Empty,
    /// A file that is no text.
    Binary,
    /// A folder in which no log was found.
    NoLogs,
    Corrupt,
    Limit,
    DiskFull,
    /// The case may not be written: a read-only disk or folder.
    ReadOnly,
    /// Another window or process writes this case.
    CaseLocked,
    /// The folder is no case, or a part of the case is damaged.
    CaseDamaged,
    /// The case was made by a newer version.
    CaseTooNew,
    /// A file that became shorter or was replaced while it was read.
    Changed,
    QueryInvalid,
    /// Nothing here answers it: a cluster is asked what only a case can answer.
    NotAvailable,
    Cancelled,
    /// The request itself is malformed.
    BadRequest,
    /// The engine failed in a way that is our fault.
    Internal,
}

impl ErrorKind {
    /// The fault is in files of the case, not in the query.
    #[must_use]
    pub fn is_of_files(self) -> bool {
        matches!(
            self,
            ErrorKind::CaseDamaged | ErrorKind::NotFound | ErrorKind::NotReadable | ErrorKind::Internal
        )
    }
}

/// An error with its kind, the file it is about and what to do next. The message is lower-case and
/// without a full stop, so that it chains; as JSON it is a [`crate::ErrorReport`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "crate::ErrorReport", rename = "WireError"))]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    path: Option<PathBuf>,
    span: Option<(usize, usize)>,
}

impl Error {
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), hint: None, path: None, span: None }
    }

    #[must_use]
    pub fn at(mut self, path: &Path) -> Error {
        self.path = Some(path.to_path_buf());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn spanning(mut self, start: usize, end: usize) -> Error {
        self.span = Some((start, end));
        self
    }

    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The bytes of the query that the error is about.
    #[must_use]
    pub fn span(&self) -> Option<(usize, usize)> {
        self.span
    }

    /// An error while a file was written.
    #[must_use]
    pub fn writing(path: &Path, error: &io::Error) -> Error {
        from_io(error).at(path)
    }

    #[must_use]
    pub fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "stopped on request")
    }

    pub fn damaged(path: &Path, what: impl fmt::Display) -> Error {
        Error::new(ErrorKind::CaseDamaged, format!("this part of the case is damaged: {what}")).at(path)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Gives an I/O error the kind that a person can act on, and the file it happened at.
pub trait AtPath<T> {
    fn at_path(self, path: &Path) -> Result<T>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at_path(self, path: &Path) -> Result<T> {
        self.map_err(|error| from_io(&error).at(path))
    }
}

/// The kind that a person can act on.
#[must_use]
pub fn from_io(error: &io::Error) -> Error {
    let is_foreign = crate::files::is_foreign(error);
    let kind = match error.kind() {
        _ if is_foreign => ErrorKind::CaseDamaged,
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::NotReadable,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            ErrorKind::DiskFull
        }
        io::ErrorKind::AlreadyExists => ErrorKind::BadRequest,
        io::ErrorKind::ReadOnlyFilesystem => ErrorKind::ReadOnly,
        _ => ErrorKind::Internal,
    };
    let is_too_large = error.kind() == io::ErrorKind::FileTooLarge;
    let message = match kind {
        ErrorKind::DiskFull if is_too_large => "the file would be larger than this system allows".to_owned(),
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::NotReadable => "permission to use it was denied".to_owned(),
        ErrorKind::DiskFull => "the disk is full".to_owned(),
        ErrorKind::ReadOnly => "the disk is read-only".to_owned(),
        _ => error.to_string(),
    };
    let error = Error::new(kind, message);
    match kind {
        ErrorKind::DiskFull if is_too_large => error.hint(
            "what had landed before is kept; raise the limit of file sizes (`ulimit -f`) and repeat the rest",
        ),
        ErrorKind::DiskFull => {
            error.hint("what had landed before is kept; free some space and import the rest")
        }
        _ => error,
    }
}

impl From<ingest::Error> for Error {
    fn from(error: ingest::Error) -> Error {
        use ingest::ErrorKind as Read;
        let kind = match error.kind() {
            Read::NotFound => ErrorKind::NotFound,
            Read::NotReadable
            | Read::Io
            | Read::Refused
            | Read::Encrypted
            | Read::Unsupported
            | Read::Changed => ErrorKind::NotReadable,
            Read::Corrupt | Read::Doubtful | Read::Leftover => ErrorKind::Corrupt,
            Read::Limit => ErrorKind::Limit,
            Read::Empty => ErrorKind::Empty,
            Read::Binary => ErrorKind::Binary,
            Read::NoLogs => ErrorKind::NoLogs,
            Read::UnknownFormat | Read::UnknownEncoding | Read::BadZone => ErrorKind::BadRequest,
        };
        Error::new(kind, error.to_string()).at(error.path())
    }
}
