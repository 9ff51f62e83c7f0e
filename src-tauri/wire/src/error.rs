//! The engine's errors as codes and sentences.

use std::fmt;

use indexer::ErrorKind;

use crate::types::{ErrorCode, WireError};

impl WireError {
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> WireError {
        WireError { code, message: message.into(), hint: None, path: None, span: None }
    }

    #[must_use]
    pub fn internal(error: &dyn fmt::Display) -> WireError {
        WireError::new(ErrorCode::Internal, sentence(&error.to_string()))
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {}

impl From<&indexer::Error> for WireError {
    fn from(error: &indexer::Error) -> WireError {
        WireError {
            code: code(error.kind()),
            message: sentence(error.message()),
            hint: error.hint_text().map(sentence),
            path: error.path().map(|path| path.to_string_lossy().into_owned()),
            span: error.span().map(|(start, end)| (start as u32, end as u32)),
        }
    }
}

impl From<indexer::Error> for WireError {
    fn from(error: indexer::Error) -> WireError {
        WireError::from(&error)
    }
}

fn code(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::NotReadable => ErrorCode::NotReadable,
        ErrorKind::Empty => ErrorCode::Empty,
        ErrorKind::Binary => ErrorCode::Binary,
        ErrorKind::NoLogs => ErrorCode::NoLogs,
        ErrorKind::Corrupt => ErrorCode::Corrupt,
        ErrorKind::Limit => ErrorCode::Limit,
        ErrorKind::DiskFull => ErrorCode::DiskFull,
        ErrorKind::ReadOnly => ErrorCode::ReadOnly,
        ErrorKind::CaseLocked => ErrorCode::CaseLocked,
        ErrorKind::CaseDamaged => ErrorCode::CaseDamaged,
        ErrorKind::CaseTooNew => ErrorCode::CaseTooNew,
        ErrorKind::Changed => ErrorCode::Changed,
        ErrorKind::QueryInvalid => ErrorCode::QueryInvalid,
        ErrorKind::Cancelled => ErrorCode::Cancelled,
        ErrorKind::BadRequest => ErrorCode::BadRequest,
        ErrorKind::Internal => ErrorCode::Internal,
    }
}

/// Engine messages chain in lower case; people read sentences.
pub(crate) fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let mut text: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    text.push_str(characters.as_str());
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}
