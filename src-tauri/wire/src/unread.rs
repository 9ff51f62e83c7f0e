//! Imports that were stopped or cut off, so that a person can continue them. They are kept in Timberline's own folder
//! and not in the case: a case that somebody sent must not name files of this machine.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::whole_file::{self, Readers};
use indexer::{Snapshot, unread_files};
use serde::Serialize;

use crate::calls::{Answer, not_written, text};
use crate::readings::ImportChoices;
use crate::session::{Call, Session};
use crate::types::{CasePath, Empty, ImportReport, ImportRequest};

/// What imports have left unread.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnreadImports {
    pub imports: Vec<UnreadImport>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UnreadImport {
    /// The call that continues it.
    pub request: ImportRequest,
    /// The files that are not read to their end.
    pub files: Vec<String>,
    /// It is not continued where its files are gone.
    pub is_there: bool,
}

/// An import under way, on record until all of it is read.
pub(crate) struct Unread {
    home: PathBuf,
    request: ImportRequest,
}

impl Unread {
    /// An import that cannot be recorded is still done.
    pub(crate) fn begin(home: &Path, request: &ImportRequest) -> Unread {
        if records(home).all(|(_, of)| of != *request) {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let record = folder(home).join(format!("{}-{}.json", since.as_nanos(), std::process::id()));
            let bytes = serde_json::to_vec(request).unwrap_or_default();
            let _ = whole_file::create_own_folder(&folder(home))
                .and_then(|()| whole_file::replace(&record, &bytes, Readers::Owner));
        }
        Unread { home: home.to_path_buf(), request: request.clone() }
    }

    pub(crate) fn ended(self, answer: &Answer<ImportReport>) {
        if answer.as_ref().is_ok_and(|report| !report.cancelled) {
            let _ = forget(&self.home, |request| *request == self.request);
        }
    }
}

fn folder(home: &Path) -> PathBuf {
    home.join("unread")
}

/// Every record with its file, the oldest first.
fn records(home: &Path) -> impl Iterator<Item = (PathBuf, ImportRequest)> {
    let entries = fs::read_dir(folder(home)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().filter_map(|file| {
        let request = serde_json::from_slice(&fs::read(&file).ok()?).ok()?;
        Some((file, request))
    })
}

fn forget(home: &Path, is_meant: impl Fn(&ImportRequest) -> bool) -> std::io::Result<()> {
    let mut meant = records(home).filter(|(_, request)| is_meant(request));
    meant.try_for_each(|(file, _)| fs::remove_file(file))
}

/// Forgets what was left unread of a case that is deleted.
pub(crate) fn forget_unread(home: &Path, case: &Path) {
    let _ = forget(home, |request| Path::new(&request.case) == case);
}

pub fn unread(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<UnreadImports> {
    let case = session.case(Path::new(&request.path))?;
    let mut imports = Vec::new();
    // While one is under way, nothing is left unread.
    if session.work_on(case.folder()).is_none() && case.read_only().is_none() {
        let snapshot = case.snapshot();
        let of_it = records(&session.start.home).map(|(_, request)| request);
        let of_it = of_it.filter(|request| Path::new(&request.case) == case.folder());
        imports.extend(of_it.filter_map(|request| left(&snapshot, request)));
        imports.extend(unfinished(&snapshot, &request.path, &imports));
    }
    Ok(UnreadImports { imports })
}

/// What of a recorded import is not read; nothing where another import has read it since.
fn left(snapshot: &Snapshot, request: ImportRequest) -> Option<UnreadImport> {
    let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
    let left_out: Vec<PathBuf> = request.choices.left_out.iter().map(PathBuf::from).collect();
    let files = unread_files(snapshot, &paths, &request.choices.filter(), &left_out);
    let is_there = !files.is_empty();
    let files: Vec<String> =
        if is_there { files.iter().map(|file| text(file)).collect() } else { gone(snapshot, &paths) };
    (!files.is_empty()).then_some(UnreadImport { request, files, is_there })
}

/// Paths that are gone and were not read to their end.
fn gone(snapshot: &Snapshot, paths: &[PathBuf]) -> Vec<String> {
    let is_read = |path: &Path| {
        let mut of_it =
            snapshot.sources().iter().filter(|source| Path::new(&source.path).starts_with(path)).peekable();
        of_it.peek().is_some() && of_it.all(|source| source.complete)
    };
    paths.iter().filter(|path| !path.exists() && !is_read(path)).map(|path| text(path)).collect()
}

/// Sources that are not complete and that no record names: a command has imported them.
fn unfinished(snapshot: &Snapshot, case: &str, listed: &[UnreadImport]) -> Option<UnreadImport> {
    let is_listed = |path: &str| {
        let mut files = listed.iter().flat_map(|import| &import.files);
        files.any(|file| Path::new(path).starts_with(file))
    };
    let sources = snapshot.sources().iter();
    let paths: Vec<String> = sources
        // Of one with a note there is no more to read.
        .filter(|source| {
            !source.complete && !source.deleted && source.live.is_none() && source.note.is_none()
        })
        .map(|source| source.path.clone())
        .filter(|path| !is_listed(path) && Path::new(path).is_file())
        .collect();
    let request = ImportRequest {
        case: case.to_owned(),
        paths: paths.clone(),
        profile: None,
        choices: ImportChoices::default(),
    };
    (!paths.is_empty()).then_some(UnreadImport { request, files: paths, is_there: true })
}

pub fn leave_unread(
    session: &Session,
    _: &Call<'_>,
    request: &ImportRequest,
    _: &dyn Fn(Empty),
) -> Answer<Empty> {
    let home = &session.start.home;
    forget(home, |of| of == request).map_err(|error| not_written(&folder(home), &error))?;
    Ok(Empty {})
}
