//! What each command of the contract does: plain calls of the engine's façade, its data reshaped.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indexer::query::Filter;
use indexer::whole_file::{self, Readers};
use indexer::{Cancel, Case, Engine, Nanos, RunOptions, Snapshot, is_case, sentence};

use crate::live::Writing;
use crate::recent::{note, recent};
use crate::remotes::remote_of;
use crate::session::{Call, Session};
use crate::sources::Reading;
use crate::trust::trust;
use crate::types::{
    CancelRequest, CasePath, CaseSummary, Empty, ErrorCode, Hello, ImportProgress, ImportReport,
    ImportRequest, Paths, Source, Timeline, TimelineRequest, View, WireError,
};
use crate::unread::Unread;
use crate::works::Tell;

const SAMPLE: [(&str, &str); 4] = [
    ("web/access.log", include_str!("../../../fixtures/sample/web/access.log")),
    ("shop/checkout.jsonl", include_str!("../../../fixtures/sample/shop/checkout.jsonl")),
    ("shop/worker.log", include_str!("../../../fixtures/sample/shop/worker.log")),
    ("host/syslog", include_str!("../../../fixtures/sample/host/syslog")),
];

pub type Answer<T> = Result<T, WireError>;

pub fn hello(session: &Session, _: &Call<'_>, _: &Empty, _: &dyn Fn(Empty)) -> Answer<Hello> {
    let (cases, paths): (Vec<_>, Vec<_>) =
        session.start.paths.iter().partition(|path| is_case(path) || remote_of(path).is_some());
    // A window that comes later looks at what the first one imports.
    let made = session.made();
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
    session.made_for(&request.paths, &summary.path);
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
    if session.is_first_sight(&summary.path) {
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
    let options = indexer::ImportOptions { profile: request.profile, ..request.choices.options(session)? };
    let unread = Unread::begin(&session.start.home, request);
    let run =
        move |case: &Writing, tell: Tell<'_>, cancel: &Cancel| case.import(&paths, &options, tell, cancel);
    session.work(call, case, report, run, move |answer| unread.ended(answer))
}

pub(crate) fn import_report(case: &Case, done: &indexer::ImportReport) -> ImportReport {
    let problems = done.files.iter().filter_map(|file| file.problem.as_ref()).chain(&done.refused);
    let remark =
        |file: &indexer::FileReport| Some(format!("{}: {}", text(&file.path), file.remark.as_ref()?));
    ImportReport {
        case: summary(case),
        remarks: done.files.iter().filter_map(remark).collect(),
        events: done.events,
        bytes_in: done.bytes_in,
        bytes_on_disk: done.bytes_on_disk,
        landed_seconds: done.landed.as_secs_f64(),
        indexed_seconds: done.indexed.as_secs_f64(),
        cancelled: done.cancelled,
        problems: problems.map(WireError::from).collect(),
    }
}

pub fn cancel(session: &Session, _: &Call<'_>, request: &CancelRequest, _: &dyn Fn(Empty)) -> Answer<Empty> {
    session.cancel(&request.call);
    Ok(Empty {})
}

pub fn timeline(
    session: &Session,
    call: &Call<'_>,
    request: &TimelineRequest,
    report: &dyn Fn(Timeline),
) -> Answer<Timeline> {
    let started = Instant::now();
    let (case, snapshot, view) = view(session, &request.view)?;
    let reply = |counted: indexer::Timeline, fraction: f64| Timeline {
        revision: snapshot.revision(),
        counted,
        lanes: Vec::new(),
        fraction,
        elapsed_ms: milliseconds(started),
        remote: None,
    };
    let mut partial = |timeline: &indexer::Timeline, fraction: f64| report(reply(timeline.clone(), fraction));
    let timeline = case.timeline(&snapshot, &view, request.buckets as usize, &mut partial, &call.cancel)?;
    Ok(reply(timeline, 1.0))
}

/// The case of a view, its snapshot of the revision that is asked for, and its filter and range.
pub fn view(session: &Session, view: &View) -> Answer<(Arc<Case>, Arc<Snapshot>, indexer::View)> {
    let case = session.case(Path::new(&view.case))?;
    let (from, to) = (view.from.map(|time| time.0), view.to.map(|time| time.0));
    let filter = in_zone(&case, indexer::View::parse(&view.query, from, to)?.filter, view.zone.as_deref())?;
    let snapshot = session.shown().snapshot(&case, view.revision);
    Ok((case, snapshot, indexer::View { filter, from, to }))
}

/// A filter with its times in a zone.
pub(crate) fn in_zone(case: &Case, filter: Filter, zone: Option<&str>) -> Answer<Filter> {
    let Some(zone) = zone else { return Ok(filter) };
    Ok(Engine::in_zone(&case.snapshot(), filter, &RunOptions::in_zone(zone)?.zone))
}

pub fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}

pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn not_written(path: &Path, error: &std::io::Error) -> WireError {
    let code = match error.kind() {
        std::io::ErrorKind::StorageFull
        | std::io::ErrorKind::QuotaExceeded
        | std::io::ErrorKind::FileTooLarge => ErrorCode::DiskFull,
        std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => ErrorCode::ReadOnly,
        _ => ErrorCode::Internal,
    };
    WireError { path: Some(text(path)), ..WireError::new(code, format!("It could not be written: {error}.")) }
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

pub fn summary(case: &Case) -> CaseSummary {
    let snapshot = case.snapshot();
    let range = snapshot.time_range();
    let (ready, segments) = snapshot.indexed();
    CaseSummary {
        path: text(case.folder()),
        name: snapshot.name().to_owned(),
        events: snapshot.events(),
        sources: sources(&snapshot),
        first: range.map(|(first, _)| Nanos(first)),
        last: range.map(|(_, last)| Nanos(last)),
        revision: snapshot.revision(),
        read_only: case.read_only().map(|error| WireError::from(&error).message),
        profile: snapshot.profile(),
        segments_ready: ready as u32,
        segments: segments as u32,
        bytes_on_disk: case.bytes_on_disk(),
        missing: snapshot.missing().iter().map(|missing| WireError::from(&missing.why)).collect(),
        shown_with: Vec::new(),
        remote: None,
    }
}

/// The sources that are listed.
pub(crate) fn sources(snapshot: &Snapshot) -> Vec<Source> {
    let listed = |(id, source): (usize, &indexer::SourceEntry)| Source {
        id: id as u32,
        name: source.name.clone(),
        path: source.path.clone(),
        format: source.format.clone(),
        bytes: source.bytes,
        events: source.events,
        unparsed: source.unparsed,
        sha256: source.sha256.clone(),
        complete: source.complete,
        live: source.live.is_some(),
        set: source.set.clone(),
        zone: Some(source.zone.clone()),
        encoding: source.encoding.clone(),
        compression: source.compression.clone(),
        first: source.first.map(Nanos),
        last: source.last.map(Nanos),
        note: source.note.as_deref().map(sentence),
        chosen: Reading::from_engine(&source.reading),
    };
    snapshot.sources().iter().enumerate().filter(|(_, source)| !source.deleted).map(listed).collect()
}

pub(crate) fn import_progress(progress: indexer::Progress) -> ImportProgress {
    ImportProgress { waits_for: indexer::bottleneck(&progress.stages), progress }
}
