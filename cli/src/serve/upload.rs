//! Files that a browser sends, because a web page learns no paths.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;

use super::Host;
use super::limits::UPLOAD_PAUSE;

#[derive(Deserialize)]
pub struct UploadRequest {
    /// The file's name, with its folders when a folder was dropped.
    name: String,
    /// Shared by the files of one drop.
    batch: String,
}

#[derive(Serialize)]
pub struct Stored {
    path: String,
}

type UploadRefusal = (StatusCode, String);

/// Streams the body to a file of its own and tells its path.
pub async fn upload(
    State(host): State<Arc<Host>>,
    Query(place): Query<UploadRequest>,
    body: Body,
) -> Result<Json<Stored>, UploadRefusal> {
    let path = inside(&host.uploads, &place)
        .ok_or_else(|| (StatusCode::BAD_REQUEST, format!("{} is not a valid file name.", place.name)))?;
    let failed =
        |error: std::io::Error| (StatusCode::INSUFFICIENT_STORAGE, format!("{}: {error}.", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = tokio::fs::File::create(&path).await.map_err(failed)?;
    let mut chunks = body.into_data_stream();
    loop {
        let arriving = tokio::time::timeout(UPLOAD_PAUSE, chunks.next()).await;
        let late = |_| (StatusCode::REQUEST_TIMEOUT, "The upload stopped before its end.".to_owned());
        let Some(chunk) = arriving.map_err(late)? else { break };
        let chunk =
            chunk.map_err(|error| (StatusCode::BAD_REQUEST, format!("The upload broke off: {error}.")))?;
        file.write_all(&chunk).await.map_err(failed)?;
    }
    file.flush().await.map_err(failed)?;
    Ok(Json(Stored { path: path.to_string_lossy().into_owned() }))
}

/// Uploads of an earlier server are of no use once they are in a case; a day is long enough for one that
/// still runs.
const KEPT: Duration = Duration::from_hours(24);

/// This server's own folder of uploads. Those that earlier servers left are removed.
pub fn folder(uploads: &Path, name: &str) -> PathBuf {
    for entry in std::fs::read_dir(uploads).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            // What cannot be removed now is tried again at the next start.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    uploads.join(name)
}

/// The place of an upload; nothing when its name would lead out of the folder.
fn inside(uploads: &Path, place: &UploadRequest) -> Option<PathBuf> {
    let plain = |path: &str| {
        let path = Path::new(path);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        (is_plain && path.file_name().is_some()).then(|| path.to_path_buf())
    };
    Some(uploads.join(plain(&place.batch)?).join(plain(&place.name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder() {
        let place = |name: &str| UploadRequest { name: name.to_owned(), batch: "b1".to_owned() };
        let uploads = Path::new("/uploads");
        assert_eq!(inside(uploads, &place("a/b.log")), Some(PathBuf::from("/uploads/b1/a/b.log")));
        for name in ["../b.log", "/etc/passwd", "a/../../b", "", "."] {
            assert_eq!(inside(uploads, &place(name)), None, "{name}");
        }
    }
}
