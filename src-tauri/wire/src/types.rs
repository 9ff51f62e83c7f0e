//! What calls take and give, around the engine's own types.
//!
//! A type of the engine crosses as it is: it derives its JSON and its TypeScript where it is defined. A type is
//! here if it is of the call (the case, the page, the share that is done) or differs from the engine's, and then it
//! says why.

use indexer::{Direction, EventId, Level, Nanos, Profile, StageName, TextPiece};
pub use indexer::{ErrorKind as ErrorCode, ErrorReport as WireError};
use serde::{Deserialize, Serialize};

use crate::readings::{ImportChoices, Reading};

/// Which of the two hosts answers: the desktop window or the loopback server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum HostKind {
    Desktop,
    Browser,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Empty {}

/// What a window needs to know when it opens.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hello {
    pub version: String,
    pub host: HostKind,
    /// Files and folders named on the command line: to be imported into a new case.
    pub paths: Vec<String>,
    /// A case named on the command line: to be opened.
    pub case: Option<String>,
    /// Where new cases are put.
    pub cases_folder: String,
    /// Cases that were open and those of that folder, the last used first.
    pub recent: Vec<RecentCase>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RecentCase {
    pub path: String,
    pub name: String,
    pub events: u64,
    pub sources: u32,
    pub bytes: u64,
    /// What the case takes on disk.
    #[serde(default)]
    pub bytes_on_disk: u64,
    pub changed: Nanos,
    /// When it was opened last, where it was.
    pub opened: Option<Nanos>,
    /// The first and last time of its events.
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    pub state: CaseState,
    /// Why it can only be read, if so.
    pub read_only: Option<String>,
}

/// Whether a case that was open once can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CaseState {
    Ready,
    /// It is not where it was; its details are those seen last.
    Gone,
    /// It is there and cannot be opened.
    Unusable {
        message: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Paths {
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CasePath {
    pub path: String,
}

/// Names a call that is running, so that it can be stopped.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CancelRequest {
    pub call: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CaseSummary {
    /// The case's folder. Every later request names the case by it.
    pub path: String,
    pub name: String,
    pub events: u64,
    pub sources: Vec<Source>,
    /// The first and last time of all events, where any has a time.
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    /// Grows with every publication; a page or timeline carries the one it was answered from.
    pub revision: u64,
    /// Why this window may only read: another one writes, or the disk is read-only.
    pub read_only: Option<String>,
    /// What is kept besides the original bytes.
    pub profile: Profile,
    /// Segments that have reached the profile, of how many.
    pub segments_ready: u32,
    pub segments: u32,
    /// What the case takes on disk.
    pub bytes_on_disk: u64,
    /// What answers lack, because a part of the case is damaged.
    pub missing: Vec<WireError>,
    /// The clusters that the case is shown with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<RemoteCaseMark>>"))]
    pub shown_with: Vec<RemoteCaseMark>,
    /// The cluster, where it is one and no case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteCaseMark>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReprofileRequest {
    pub case: String,
    pub profile: Profile,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DeleteRequest {
    pub case: String,
    /// Ids of the sources that go, with all that is kept of them.
    pub sources: Vec<u32>,
}

/// A source as the list shows it. The engine's own entry is that of the case's file, and says more.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Source {
    pub id: u32,
    pub name: String,
    /// Where it was read from.
    pub path: String,
    pub format: String,
    pub bytes: u64,
    pub events: u64,
    pub unparsed: u64,
    pub sha256: String,
    /// False while it is being read, and after an import that was cut off.
    pub complete: bool,
    /// It was received while it was written. While it is not complete, more may come.
    pub live: bool,
    /// The rotated set it is a part of: shown as one source.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub set: Option<String>,
    /// The zone of its times, and how it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
    pub encoding: String,
    pub compression: String,
    /// The earliest and the latest time of its events.
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    /// Why it is not complete, or what was odd about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub note: Option<String>,
    /// What was chosen about reading it.
    pub chosen: Reading,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ImportRequest {
    pub case: String,
    pub paths: Vec<String>,
    /// What is kept besides the original bytes; the case's own profile, and `full` for a new case, by default.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub profile: Option<Profile>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<ImportChoices>"))]
    pub choices: ImportChoices,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ImportProgress {
    #[serde(flatten)]
    pub progress: indexer::Progress,
    /// The stage that the others wait for.
    pub waits_for: Option<StageName>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ImportReport {
    pub case: CaseSummary,
    pub events: u64,
    pub bytes_in: u64,
    pub bytes_on_disk: u64,
    pub landed_seconds: f64,
    pub indexed_seconds: f64,
    /// True when a person stopped it; what had landed is kept.
    pub cancelled: bool,
    /// Every file or folder that could not be read completely, with the reason.
    pub problems: Vec<WireError>,
    /// What files are to the case that are not simply new: there already, grown, replaced.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub remarks: Vec<String>,
}

/// What part of a case is looked at.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct View {
    pub case: String,
    /// The filter, in the query language; empty means everything.
    pub query: String,
    /// The time range, from inclusive, to exclusive; null means unbounded.
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
    /// The zone of days in the filter, and of times that name none; UTC if it is missing.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub zone: Option<String>,
    /// That of an answer before, to see the case as it was then although it has more by now.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub revision: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineRequest {
    pub view: View,
    /// The most buckets the screen can draw.
    pub buckets: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Timeline {
    pub revision: u64,
    #[serde(flatten)]
    pub counted: indexer::Timeline,
    /// The counts of the case and of each cluster that it is shown with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<TimelineLane>>"))]
    pub lanes: Vec<TimelineLane>,
    /// Share of the case's events that are done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageRequest {
    pub view: View,
    pub order: Direction,
    /// Rows of the sorted result, counted from 0.
    pub first: u64,
    pub count: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Page {
    pub revision: u64,
    pub total: u64,
    pub first: u64,
    pub rows: Vec<Row>,
    pub elapsed_ms: f64,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
}

/// An event in a list: cut, with the name of its source and without its bytes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Row {
    pub id: EventId,
    pub time: Option<Nanos>,
    pub level: Level,
    pub source_name: String,
    pub line: u64,
    /// The event as text, cut at a length that a screen can show.
    pub text: String,
    pub cut: bool,
    /// The values of the columns asked for, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Option<String>>>"))]
    pub values: Vec<Option<String>>,
}

/// The position of an event or a time in the sorted result, for jumping to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LocateRequest {
    pub view: View,
    pub order: Direction,
    pub time: Nanos,
    /// The row of this event is wanted, or the row where it would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub event: Option<EventId>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Located {
    /// The first row at or past the time in this order.
    pub row: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventRequest {
    pub case: String,
    pub id: EventId,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventDetail {
    pub row: Row,
    /// The whole event as text, up to a limit; bytes that are no text are shown as U+FFFD.
    pub text: String,
    pub text_cut: bool,
    pub bytes: u64,
    pub format: String,
    pub source: Source,
    pub fields: Vec<FieldValue>,
    /// The text in pieces, those that are a field's value with its name.
    pub pieces: Vec<TextPiece>,
    /// Its first bytes as they are in the source, in hexadecimal.
    pub hex: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldValue {
    #[serde(flatten)]
    pub field: indexer::FieldValue,
    /// What the Elastic Common Schema calls it.
    pub ecs: Option<String>,
}

/// The counts of the case or of a cluster, in the bins of the whole timeline.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineLane {
    /// The name of the cluster; null for the case.
    pub remote: Option<String>,
    #[serde(flatten)]
    pub counted: indexer::Timeline,
}

/// What the window shows of a case that is a cluster.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteCaseMark {
    pub name: String,
    pub url: String,
    /// The pattern of its indexes.
    pub index: String,
    /// Which server it is, with its release.
    pub server: String,
}

/// What keeps the answer of a cluster from being exact and complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RemoteSays {
    /// What the answer lacks: shards that failed, a time limit.
    pub missing: Vec<String>,
    /// Clauses that the cluster answers a little differently, and why.
    pub inexact: Vec<String>,
    /// What is estimated, and what else people should know.
    pub notes: Vec<String>,
}

impl RemoteSays {
    /// What another cluster says too, with its name.
    pub(crate) fn add(&mut self, name: &str, more: RemoteSays) {
        let named = |what: String| format!("{name}: {what}");
        self.missing.extend(more.missing.into_iter().map(named));
        self.inexact.extend(more.inexact.into_iter().map(named));
        self.notes.extend(more.notes.into_iter().map(named));
    }

    pub(crate) fn from_answer<T>(answer: &remote::Answer<T>) -> Option<RemoteSays> {
        let says = RemoteSays {
            missing: answer.missing.0.clone(),
            inexact: answer.inexact.iter().map(|one| format!("{}: {}", one.clause, one.reason)).collect(),
            notes: answer.notes.clone(),
        };
        (says != RemoteSays::default()).then_some(says)
    }
}
