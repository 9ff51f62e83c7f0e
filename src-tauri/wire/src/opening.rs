//! What a window asks first: what the host was started with, a new case or an open one, and an import into it.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use indexer::whole_file::{self, Readers};
use indexer::{Cancel, Case, is_case};

use crate::calls::{Answer, not_written, summary, text};
use crate::formats::saved_definitions;
use crate::live::Writing;
use crate::recent::{note, recent};
use crate::remotes::remote_of;
use crate::session::{Call, Session, locked};
use crate::trust::trust;
use crate::types::{
    CasePath, CaseSummary, Empty, ErrorCode, Hello, ImportProgress, ImportReport, ImportRequest, Paths,
    WireError,
};
use crate::unread::Unread;
use crate::works::Tell;

const SAMPLE: [(&str, &str); 4] = [
    ("web/access.log", include_str!("../../../fixtures/sample/web/access.log")),
    ("shop/checkout.jsonl", include_str!("../../../fixtures/sample/shop/checkout.jsonl")),
    ("shop/worker.log", include_str!("../../../fixtures/sample/shop/worker.log")),
    ("host/syslog", include_str!("../../../fixtures/sample/host/syslog")),
];

/// Cases that were opened since the start.
#[derive(Default)]
struct Seen(Mutex<HashSet<String>>);

/// The case that was made for the files that the host was started with.
#[derive(Default)]
struct Made(Mutex<Option<String>>);

/// The case that was made for the files that the host was started with, while it is there.
fn made(session: &Session) -> Option<String> {
    locked(&session.part::<Made>().0).clone().filter(|path| Path::new(path).exists())
}

/// Notes a new case, if it is for the files that the host was started with.
fn made_for(session: &Session, paths: &[String], case: &str) {
    if !paths.is_empty() && session.start.paths.iter().map(|path| text(path)).eq(paths.iter().cloned()) {
        *locked(&session.part::<Made>().0) = Some(case.to_owned());
    }
}

pub fn hello(session: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<Hello> {
    let (cases, paths): (Vec<_>, Vec<_>) =
        session.start.paths.iter().partition(|path| is_case(path) || remote_of(path).is_some());
    // A window that comes later looks at what the first one imports.
    let made = made(session);
    Ok(Hello {
        version: session.start.version.clone(),
        host: session.start.host,
        paths: if made.is_some() { Vec::new() } else { paths.into_iter().map(|path| text(path)).collect() },
        case: made.or_else(|| cases.first().map(|path| remote_of(path).unwrap_or_else(|| text(path)))),
        cases_folder: text(&session.cases_folder()),
        recent: recent(session),
    })
}

pub fn sample(session: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<Paths> {
    let folder = session.start.home.join("sample");
    for (name, content) in SAMPLE {
        let path = folder.join(name);
        let written = path.parent().map_or(Ok(()), whole_file::create_own_folder);
        written
            .and_then(|()| whole_file::replace(&path, content.as_bytes(), Readers::Owner))
            .map_err(|error| not_written(&path, &error))?;
    }
    Ok(Paths { paths: vec![text(&folder)] })
}

pub fn create_case(
    session: &Session,
    _: &Call<'_>,
    request: &Paths,
    _: &dyn Fn(Empty),
) -> Answer<CaseSummary> {
    let path = free_case_path(session, &case_name(&request.paths))?;
    Case::create(&path)?;
    let case = session.case(&path)?;
    // If the list cannot be written, a person is asked when it matters.
    let _ = trust(session, &case);
    let summary = summary(&case);
    note(&session.start.home, &summary);
    made_for(session, &request.paths, &summary.path);
    Ok(summary)
}

/// A folder that is not there yet, in the folder of cases. Systems refuse some characters in the names of files.
pub(crate) fn free_case_path(session: &Session, name: &str) -> Answer<PathBuf> {
    let folder = session.cases_folder();
    whole_file::create_own_folder(&folder).map_err(|error| not_written(&folder, &error))?;
    let refused = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let name = name.replace(refused, "_");
    let name = name.trim().trim_start_matches('.');
    let free = (1..).map(|number| if number == 1 { name.to_owned() } else { format!("{name} {number}") });
    free.map(|name| folder.join(format!("{name}.case")))
        .find(|path| !path.exists())
        .ok_or_else(|| WireError::new(ErrorCode::Internal, "No name is free for a new case."))
}

pub fn open_case(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<CaseSummary> {
    let summary = summary(&*session.case(Path::new(&request.path))?);
    // A window that follows another's import asks again and again; opened is what it was the first time.
    if locked(&session.part::<Seen>().0).insert(summary.path.clone()) {
        note(&session.start.home, &summary);
    }
    Ok(summary)
}

pub fn import(
    session: &Session,
    call: &Call<'_>,
    request: &ImportRequest,
    report: &dyn Fn(ImportProgress),
) -> Answer<ImportReport> {
    let case = session.writing(Path::new(&request.case))?;
    let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
    let choices = request.choices.options(&saved_definitions(&session.start.home))?;
    let options = indexer::ImportOptions { profile: request.profile, ..choices };
    let unread = Unread::begin(&session.start.home, request);
    let run =
        move |case: &Writing, tell: Tell<'_>, cancel: &Cancel| case.import(&paths, &options, tell, cancel);
    session.work(call, case, report, run, move |answer| unread.ended(answer))
}

/// A case is called after what is dropped first, without the endings that say only that it is a log.
fn case_name(paths: &[String]) -> String {
    let first = paths
        .first()
        .map(Path::new)
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let mut name = first.unwrap_or_else(|| "new".to_owned());
    for ending in [".gz", ".log", ".txt", ".jsonl", ".json"] {
        if let Some(shorter) = name.strip_suffix(ending) {
            name.truncate(shorter.len());
        }
    }
    match paths.len() {
        0 | 1 => name,
        more => format!("{name} and {} more", more - 1),
    }
}
