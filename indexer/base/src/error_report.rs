//! Errors as a host hands them on: a code to branch on, and sentences for a person.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::error::{Error, ErrorKind};

/// What happened, to which file, what was kept, what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WireError"))]
pub struct ErrorReport {
    pub code: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
    pub path: Option<String>,
    /// Byte range of the query that the error is about.
    pub span: Option<(usize, usize)>,
}

impl ErrorReport {
    #[must_use]
    pub fn new(code: ErrorKind, message: impl Into<String>) -> ErrorReport {
        ErrorReport { code, message: message.into(), hint: None, path: None, span: None }
    }

    #[must_use]
    pub fn internal(error: &dyn fmt::Display) -> ErrorReport {
        ErrorReport::new(ErrorKind::Internal, sentence(&error.to_string()))
    }
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ErrorReport {}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ErrorReport::from(self).serialize(serializer)
    }
}

impl From<&Error> for ErrorReport {
    fn from(error: &Error) -> ErrorReport {
        ErrorReport {
            code: error.kind(),
            message: sentence(error.message()),
            hint: error.hint_text().map(sentence),
            path: error.path().map(|path: &Path| path.to_string_lossy().into_owned()),
            span: error.span(),
        }
    }
}

impl From<Error> for ErrorReport {
    fn from(error: Error) -> ErrorReport {
        ErrorReport::from(&error)
    }
}

/// Messages chain in lower case; people read sentences.
#[must_use]
pub fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let mut text: String = characters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    text.push_str(characters.as_str());
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}

/// Fields of messages as sentences.
pub mod sentences {
    use serde::{Serialize, Serializer};

    // Serde hands the field over by reference.
    #[allow(clippy::ref_option)]
    pub fn serialize<S: Serializer>(message: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
        message.as_deref().map(super::sentence).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_is_written_as_sentences() {
        let error =
            Error::new(ErrorKind::CaseTooNew, "the case is newer").at(Path::new("/a")).hint("update it");
        let expected = json!({
            "code": "caseTooNew", "message": "The case is newer.", "hint": "Update it.", "path": "/a", "span": null,
        });
        assert_eq!(serde_json::to_value(error).expect("JSON"), expected);
    }
}
