//! Files that the screen makes itself: pictures of charts, figures, reports.

use std::path::Path;

use indexer::whole_file::{self, Readers};
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

/// A full disk leaves the earlier file as it was.
pub fn write(
    _: &Session,
    _: &Call<'_>,
    request: &WriteRequest,
    _: &dyn Fn(Empty),
) -> Result<Empty, WireError> {
    let path = Path::new(&request.path);
    if path.file_name().is_none() || !path.is_absolute() {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    }
    let bytes = match &request.content {
        FileContent::Text { text } => text.as_bytes(),
        FileContent::Bytes { bytes } => bytes,
    };
    whole_file::replace(path, bytes, Readers::Others)
        .map_err(|error| crate::calls::not_written(path, &error))?;
    Ok(Empty {})
}
