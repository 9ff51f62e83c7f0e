//! Live sources of an open case: started, paused and removed, and how each does.
//!
//! A receiver belongs to the process, not to a window: it goes on while windows come and go, until the case is
//! closed or the program ends. Then everything that was received becomes events, and the case remembers its
//! sources. Calls that write the case take turns with it (`Session::writing`).

mod elsewhere;
mod receiving;
mod remembered;
mod watched_sets;
mod watching;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use indexer::{Case, Error, ErrorKind, Nanos, message_format};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::session::{Call, Session, locked};
use crate::trust::check_trusted;
use crate::types::{CasePath, Empty, WireError};

use self::receiving::Receiving;
pub(crate) use self::receiving::Writing;
pub use self::watched_sets::{WatchSetsRequest, WatchedSets, watch_sets};
pub use self::watching::{LiveAlerts, live_alerts};

/// Something to receive from. Addresses are of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum LiveKind {
    /// Files, folders and patterns.
    Follow {
        paths: Vec<String>,
    },
    SyslogUdp {
        /// 0 lets the system choose.
        port: u16,
    },
    SyslogTcp {
        port: u16,
    },
    /// A datagram socket at this path.
    SyslogUnix {
        path: String,
    },
    /// Elasticsearch's interface and OTLP.
    Http {
        port: u16,
    },
    Journal,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AddLiveRequest {
    pub case: String,
    pub source: LiveKind,
    /// How to read it; its formats are learned from its first lines by default.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reading: Option<LiveReading>,
    /// New settings for all live sources of the case.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub settings: Option<LiveSettings>,
}

/// How what comes from a live source is read, where that was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveReading {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub format: Option<String>,
    /// The zone of times without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
    /// Parts of it that are read in another way.
    pub parts: Vec<LivePart>,
}

/// What a sender sends, or what a program writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LivePart {
    /// `10.0.0.7`, `10.0.0.0/8`, `tag:nginx`, or `source:/var/log/app/*`.
    pub part: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
}

/// How all live sources of a case are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveSettings {
    /// How long an event may wait until it is visible.
    pub refresh_ms: u32,
    /// What was received longer ago is dropped.
    pub keep_hours: Option<u32>,
    /// The oldest events are dropped when the case takes more.
    pub keep_bytes: Option<u64>,
    /// What was received longer ago is compressed harder.
    #[serde(default)]
    pub compress_hours: Option<u32>,
}

impl Default for LiveSettings {
    fn default() -> LiveSettings {
        LiveSettings { refresh_ms: 1_000, keep_hours: None, keep_bytes: None, compress_hours: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum LiveChange {
    Pause,
    Resume,
    Remove,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeLiveRequest {
    pub case: String,
    pub source: u32,
    pub change: LiveChange,
}

/// The live sources of a case at a moment. The counters of the crate that receives are of streams; these are of sources.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveStatus {
    pub sources: Vec<LiveSource>,
    /// This process receives.
    pub is_receiving: bool,
    /// The number of another process that receives into the case. Its sources are shown here, and changed there.
    pub receiver: Option<u32>,
    pub settings: LiveSettings,
    /// What is received waits for another change of the case, such as an import.
    pub is_waiting: bool,
    /// That of the case, as every answer has it.
    pub revision: u64,
    /// What waits for the next sync.
    pub queue_bytes: u64,
    pub queue_peak_bytes: u64,
    /// What is synced and not visible yet.
    pub backlog_bytes: u64,
    /// How long the oldest of it has waited; the percentiles do not have it yet.
    pub waiting_ms: f64,
    /// Appends that found no room.
    pub stalls: u64,
    /// How often the log was synced, and how long that took.
    pub syncs: u64,
    pub sync_p50_ms: f64,
    pub sync_p99_ms: f64,
    /// How long after its append an event became visible.
    pub visible_p50_ms: f64,
    pub visible_p99_ms: f64,
    /// What was done since it began to receive.
    pub stages: Vec<LiveStage>,
    /// Why no events can be made at the moment. What is received is kept.
    pub trouble: Option<WireError>,
}

/// Making events, publishing them, or merging segments.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveStage {
    /// `indexing`, `publishing` or `merging`.
    pub name: String,
    pub batches: u64,
    /// How long they took together.
    pub ms: f64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveSource {
    pub id: u32,
    pub name: String,
    /// What it was added as, if it was here.
    pub kind: Option<LiveKind>,
    pub reading: LiveReading,
    pub state: LiveState,
    /// Why it does not run, or has nothing to read yet.
    pub error: Option<WireError>,
    pub received: u64,
    pub accepted: u64,
    pub duplicates: u64,
    pub bytes: u64,
    pub rejected: Vec<Rejected>,
    /// When something was accepted last.
    pub last: Option<Nanos>,
    /// How much later than their own times events arrive: the newest of them.
    pub lag_ms: Option<f64>,
    /// How long after their own times they became visible: all of them.
    pub lag_p50_ms: Option<f64>,
    pub lag_p99_ms: Option<f64>,
    /// The names of the case's sources that it feeds.
    pub streams: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum LiveState {
    Running,
    /// A person paused it.
    Paused,
    /// It ran when the case was open last, and can be started again.
    Offered,
    Failed,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Rejected {
    pub reason: String,
    pub count: u64,
}

/// What receives into open cases, by their folders.
type OpenReceivers = Mutex<HashMap<PathBuf, Arc<Mutex<Receiving>>>>;

impl Session {
    /// An open case, for a call that writes it. What is received meanwhile becomes events afterwards.
    pub(crate) fn writing(&self, folder: &Path) -> Answer<Writing> {
        let case = self.case(folder)?;
        let receiving = locked(self.part::<OpenReceivers>()).get(case.folder()).map(Arc::clone);
        Ok(Writing::begin(case, receiving))
    }

    /// The live sources of an open case.
    fn receiving(&self, folder: &Path) -> Answer<Arc<Mutex<Receiving>>> {
        let case = self.case(folder)?;
        let mut live = locked(self.part::<OpenReceivers>());
        if let Some(receiving) = live.get(case.folder()) {
            return Ok(Arc::clone(receiving));
        }
        let key = case.folder().to_path_buf();
        Ok(Arc::clone(
            live.entry(key).or_insert(Arc::new(Mutex::new(Receiving::new(case, &self.start.home)))),
        ))
    }

    /// Receives into a case no longer.
    pub(crate) fn stop_receiving(&self, case: &Case) -> Answer<()> {
        let receiving = locked(self.part::<OpenReceivers>()).remove(case.folder());
        receiving.map_or(Ok(()), |receiving| locked(&receiving).stop())
    }

    /// Receives into no case any longer, because the host ends.
    pub(crate) fn finish_receiving(&self) {
        let live: Vec<_> =
            locked(self.part::<OpenReceivers>()).drain().map(|(_, receiving)| receiving).collect();
        for receiving in live {
            let _ = locked(&receiving).finish();
        }
    }
}

pub fn live(session: &Session, _: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<LiveStatus> {
    let receiving = session.receiving(Path::new(&request.path))?;
    Ok(locked(&receiving).status_of_all())
}

pub fn add_live(
    session: &Session,
    call: &Call<'_>,
    request: &AddLiveRequest,
    _: &dyn Fn(Empty),
) -> Answer<LiveStatus> {
    let reading = request.reading.clone().unwrap_or_default();
    let parts = reading.parts.iter().filter_map(|part| part.format.as_ref());
    for format in reading.format.iter().chain(parts) {
        check_format(session, call, format)?;
    }
    changed(session, &request.case, |receiving| {
        let before = receiving.settings();
        if let Some(settings) = request.settings {
            receiving.set(settings)?;
        }
        let added = receiving.add(request.source.clone(), reading);
        if added.is_err() {
            receiving.set(before)?;
        }
        added
    })
}

pub fn change_live(
    session: &Session,
    _: &Call<'_>,
    request: &ChangeLiveRequest,
    _: &dyn Fn(Empty),
) -> Answer<LiveStatus> {
    if matches!(request.change, LiveChange::Resume) {
        check_trusted(session, Path::new(&request.case), "the live source is not resumed")?;
    }
    changed(session, &request.case, |receiving| match request.change {
        LiveChange::Pause => receiving.pause(request.source),
        LiveChange::Resume => receiving.resume(request.source),
        LiveChange::Remove => receiving.remove(request.source),
    })
}

pub fn start_live(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<LiveStatus> {
    check_trusted(session, Path::new(&request.path), "its live sources are not started")?;
    changed(session, &request.path, Receiving::start_offered)
}

pub fn stop_live(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<LiveStatus> {
    changed(session, &request.path, Receiving::stop)
}

fn check_format(session: &Session, call: &Call<'_>, format: &str) -> Answer<()> {
    let known = crate::formats::formats(session, call, &Empty {}, &|_| {})?;
    let saved = known.saved.into_iter().flat_map(|file| file.formats);
    let mut names = known.built_in.into_iter().chain(saved).map(|known| known.name);
    if names.any(|known| known == message_format(format)) {
        return Ok(());
    }
    let message = format!("there is no format `{format}`");
    let hint = "choose one of the list, or let it be learned from the first lines";
    Err(Error::new(ErrorKind::BadRequest, message).hint(hint).into())
}

/// The status after a change.
fn changed(
    session: &Session,
    case: &str,
    change: impl FnOnce(&mut Receiving) -> Answer<()>,
) -> Answer<LiveStatus> {
    let receiving = session.receiving(Path::new(case))?;
    let mut receiving = locked(&receiving);
    change(&mut receiving)?;
    Ok(receiving.status())
}
