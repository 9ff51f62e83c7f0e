//! Events of a case to a cluster, or to a file that a cluster takes: first what would be sent and the index template, then
//! the events, then the counts of every hour in both.
//!
//! All of it is the command's own code in `remote`, with its checkpoints: what one began, the other continues.

use std::path::Path;

use indexer::Nanos;
use remote::{
    Counted, IndexTemplate, Options, PushOptions, PushProgress, Pushed, Remotes, Source, check_index,
    push_and_compare, sent_before, template, write_ndjson,
};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, view};
use crate::session::{Call, Session};
use crate::tables::Exported;
use crate::types::{Empty, ErrorCode, View, WireError};

/// The most hours that a report lists.
const LISTED_HOURS: usize = 1_000;

/// What would be sent, and to which index.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanPushRequest {
    pub view: View,
    /// The name of the remote.
    pub remote: String,
    pub index: String,
    /// A data stream instead of an index.
    pub data_stream: bool,
    /// Whether the text of events is kept as it was, and can be searched exactly.
    pub with_original: bool,
}

/// What a push would do. Nothing was sent for it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PushPlan {
    pub events: u64,
    /// Events that an earlier push has sent before it was cut off; this one continues after them.
    pub sent_before: u64,
    pub url: String,
    pub template: IndexTemplate,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PushRequest {
    #[serde(flatten)]
    pub what: PlanPushRequest,
    /// Documents a second at most.
    pub rate: Option<u64>,
    /// Requests under way at once.
    pub senders: u32,
    /// The body of the index template as it was shown.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub template: serde_json::Value,
}

/// What came of a push.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PushReport {
    pub pushed: Pushed,
    /// Hours that the case or the cluster has events of, and how many have different counts.
    pub hours: u64,
    pub different: u64,
    /// The first of them; where there are too many, of those that differ.
    pub listed: Vec<PushedHour>,
    /// Why they were not counted. The documents are there all the same.
    pub problem: Option<WireError>,
}

/// Counts of one hour. The command writes its time as a number, which a screen could not read exactly.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PushedHour {
    pub hour: Nanos,
    pub case: u64,
    pub remote: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WriteBulkRequest {
    pub view: View,
    pub index: String,
    pub with_original: bool,
    /// A file of this machine; one that is there is replaced.
    pub path: String,
}

pub fn plan_push(
    session: &Session,
    call: &Call<'_>,
    request: &PlanPushRequest,
    _: &dyn Fn(Empty),
) -> Answer<PushPlan> {
    let remotes = Remotes::read(&session.start.home)?;
    let remote = remotes.get(&request.remote)?;
    check_index(&request.index)?;
    with_source(session, &request.view, |source| {
        let options = options(session, request);
        let events = source.case.count(source.snapshot, source.view, &call.cancel)? as u64;
        Ok(PushPlan {
            events,
            sent_before: sent_before(&remote.url, source, &options, events),
            url: remote.url.clone(),
            template: template(source, &options),
        })
    })
}

pub fn push(
    session: &Session,
    call: &Call<'_>,
    request: &PushRequest,
    report: &dyn Fn(PushProgress),
) -> Answer<PushReport> {
    let remotes = Remotes::read(&session.start.home)?;
    let remote = remotes.get(&request.what.remote)?;
    let senders = request.senders as usize;
    let options = PushOptions { rate: request.rate, senders, ..options(session, &request.what) };
    let (patience, mut progress) = (Options::default(), |at| report(at));
    let outcome = with_source(session, &request.what.view, |source| {
        let template = &request.template;
        Ok(push_and_compare(remote, source, &options, template, patience, &mut progress, &call.cancel)?)
    })?;
    let (hours, problem) = match outcome.hours {
        Ok(hours) => (hours, None),
        Err(error) => (Vec::new(), Some(WireError::from(&error))),
    };
    let different = hours.iter().filter(|hour| hour.differs()).count() as u64;
    let is_listed = |hour: &&Counted| hours.len() <= LISTED_HOURS || different == 0 || hour.differs();
    let listed = hours.iter().filter(is_listed).take(LISTED_HOURS);
    Ok(PushReport {
        pushed: outcome.pushed,
        hours: hours.len() as u64,
        different,
        listed: listed.map(pushed_hour).collect(),
        problem,
    })
}

pub fn write_bulk(
    session: &Session,
    call: &Call<'_>,
    request: &WriteBulkRequest,
    report: &dyn Fn(Exported),
) -> Answer<Exported> {
    let path = Path::new(&request.path);
    if !path.is_absolute() {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    }
    let exported = |rows, fraction| Exported { path: request.path.clone(), rows, fraction };
    let mut progress = |done: u64, of: u64| report(exported(done, done as f64 / of.max(1) as f64));
    with_source(session, &request.view, |source| {
        let options = PushOptions {
            index: request.index.clone(),
            data_stream: false,
            with_original: request.with_original,
            rate: None,
            senders: 1,
            checkpoints: None,
        };
        let mut rows = 0;
        indexer::export::replaced(path, &mut |file| {
            rows = write_ndjson(source, &options, file, &mut progress, &call.cancel)?;
            Ok(())
        })?;
        Ok(exported(rows, 1.0))
    })
}

/// The events of a view.
fn with_source<T>(session: &Session, asked: &View, then: impl FnOnce(&Source<'_>) -> Answer<T>) -> Answer<T> {
    let (case, snapshot, view) = view(session, asked)?;
    then(&Source { case: &case, snapshot: &snapshot, view: &view })
}

fn options(session: &Session, request: &PlanPushRequest) -> PushOptions {
    PushOptions {
        index: request.index.clone(),
        data_stream: request.data_stream,
        with_original: request.with_original,
        rate: None,
        senders: 1,
        checkpoints: Some(session.start.home.join("push")),
    }
}

fn pushed_hour(counted: &Counted) -> PushedHour {
    PushedHour { hour: Nanos(counted.hour), case: counted.case, remote: counted.remote }
}
