//! Files that a call writes for a browser, because a web page can name no place on this machine.
//!
//! A browser asks for a place, has the engine write there, and fetches the file by an address that works
//! once. The address is a secret of its own, so that the browser can stream the file to disk by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path as UrlPath, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::Host;

/// Read and sent at a time; a browser on this machine takes it at once.
const CHUNK_BYTES: usize = 256 << 10;

#[derive(Deserialize)]
pub struct DownloadRequest {
    /// What the file is called when it arrives.
    name: String,
}

#[derive(Serialize)]
pub struct DownloadTarget {
    /// Where a call is to write.
    path: String,
    /// Fetches what was written, once.
    address: String,
}

type DownloadRefusal = (StatusCode, String);

/// Makes a place for a file that is going to be written.
pub async fn place(
    State(host): State<Arc<Host>>,
    Query(wanted): Query<DownloadRequest>,
) -> Result<Json<DownloadTarget>, DownloadRefusal> {
    let unmade = |error: String| (StatusCode::INSUFFICIENT_STORAGE, error);
    let ticket = super::random_token().map_err(|error| unmade(error.to_string()))?;
    let folder = host.downloads.join(&ticket);
    std::fs::create_dir_all(&folder).map_err(|error| unmade(format!("{}: {error}.", folder.display())))?;
    let path = folder.join(plain(&wanted.name));
    Ok(Json(DownloadTarget {
        path: path.to_string_lossy().into_owned(),
        address: format!("/api/downloaded/{ticket}"),
    }))
}

/// Sends a file that was written, and forgets it.
pub async fn fetch(
    State(host): State<Arc<Host>>,
    UrlPath(ticket): UrlPath<String>,
) -> Result<Response, StatusCode> {
    // A ticket is what we made it: anything else is the name of no folder of ours.
    if ticket.len() != 32 || !ticket.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(StatusCode::NOT_FOUND);
    }
    let folder = host.downloads.join(&ticket);
    let path = written(&folder).ok_or(StatusCode::NOT_FOUND)?;
    let file = tokio::fs::File::open(&path).await.map_err(|_| StatusCode::NOT_FOUND)?;
    let length = file.metadata().await.map_err(|_| StatusCode::NOT_FOUND)?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The open file is read to its end wherever its name has gone; where a system refuses that, the folder
    // goes with those of an earlier server.
    let _ = std::fs::remove_dir_all(&folder);
    let body = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((chunk, file)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{}", encoded(&name))),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

/// The finished file of a folder; one that is still being written has another name.
fn written(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| {
        path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.')) && path.is_file()
    })
}

/// A name without folders, and without what hides a file.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|character| !character.is_control()).take(120).collect();
    let kept = kept.trim_start_matches('.');
    if kept.is_empty() { "timberline".to_owned() } else { kept.to_owned() }
}

/// As RFC 5987 wants it: all but plain letters and digits by their bytes.
fn encoded(name: &str) -> String {
    use std::fmt::Write;

    name.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_the_folder() {
        for (name, kept) in [
            ("top paths.csv", "top paths.csv"),
            ("../../etc/passwd", "passwd"),
            ("a\\b.csv", "b.csv"),
            ("..", "timberline"),
            ("", "timberline"),
            (".hidden", "hidden"),
            ("a\r\nb", "ab"),
        ] {
            assert_eq!(plain(name), kept, "{name:?}");
        }
    }

    #[test]
    fn names_are_sent_as_bytes() {
        assert_eq!(encoded("größe \"1\".csv"), "gr%C3%B6%C3%9Fe%20%221%22.csv");
    }
}
