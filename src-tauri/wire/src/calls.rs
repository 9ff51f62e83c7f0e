//! What calls of the contract share: the case of a view, summaries and errors; and the calls `timeline` and `cancel`.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use indexer::query::Filter;
use indexer::{Case, Engine, Nanos, RunOptions, Snapshot, sentence};

use crate::readings::Reading;
use crate::session::{Call, Session};
use crate::types::{
    CancelRequest, CaseSummary, Empty, ErrorCode, ImportProgress, ImportReport, Source, Timeline,
    TimelineRequest, View, WireError,
};

pub type Answer<T> = Result<T, WireError>;

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
