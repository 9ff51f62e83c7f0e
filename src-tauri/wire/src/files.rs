//! Files that the screen makes itself: pictures of charts, figures, reports.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::session::{Call, Session};
use crate::types::{Empty, ErrorCode, WireError};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WriteRequest {
    /// A file of this machine; one that is there is replaced.
    pub path: String,
    pub content: FileContent,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum FileContent {
    Text { text: String },
    Bytes { bytes: Vec<u8> },
}

/// Writes a temporary file first, so that a full disk leaves the old one as it was.
pub fn write(
    _: &Session,
    _: &Call<'_>,
    request: &WriteRequest,
    _: &dyn Fn(Empty),
) -> Result<Empty, WireError> {
    let path = Path::new(&request.path);
    let Some(name) = path.file_name().filter(|_| path.is_absolute()) else {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    };
    let temporary = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let bytes = match &request.content {
        FileContent::Text { text } => text.as_bytes(),
        FileContent::Bytes { bytes } => bytes,
    };
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // What is left of an attempt is of no use; where it cannot be removed there is nothing to add.
        let _ = fs::remove_file(&temporary);
        crate::calls::not_written(path, &error)
    })?;
    Ok(Empty {})
}
