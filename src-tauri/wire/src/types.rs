//! The data that crosses the boundary, in the shape the screen needs it.
//!
//! Times are nanoseconds since 1970 UTC as decimal strings, because a JSON number stops at 2^53.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::sources::{ImportChoices, Piece, Reading};
use crate::stages::{Stage, StageName};

/// Nanoseconds since 1970-01-01 UTC, as a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, TS)]
#[ts(type = "Nanos")]
pub struct Nanos(pub i64);

impl Serialize for Nanos {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Nanos {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Nanos).map_err(serde::de::Error::custom)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    None,
    Trace,
    Debug,
    Info,
    Notice,
    Warn,
    Error,
    Fatal,
}

/// Which of the two hosts answers: the desktop window or the loopback server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum HostKind {
    Desktop,
    Browser,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Empty {}

/// What a window needs to know when it opens.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum CaseState {
    Ready,
    /// It is not where it was; its details are those seen last.
    Gone,
    /// It is there and cannot be opened.
    Unusable {
        message: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Paths {
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CasePath {
    pub path: String,
}

/// Names a call that is running, so that it can be stopped.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CancelRequest {
    pub call: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
}

/// What is kept of a case besides its original bytes. Every profile answers every question alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Profile {
    /// Time, level and place; questions about fields parse the text again.
    Raw,
    /// Typed columns; searches for text read the text.
    Fields,
    /// Columns, and filters of the tokens in each block of rows.
    Bloom,
    /// Columns and the text index.
    Full,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReprofileRequest {
    pub case: String,
    pub profile: Profile,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DeleteRequest {
    pub case: String,
    /// Ids of the sources that go, with all that is kept of them.
    pub sources: Vec<u32>,
}

/// The progress of a change of a case.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rewriting {
    pub done: u32,
    pub of: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompactReport {
    pub bytes_before: u64,
    pub bytes_after: u64,
    pub segments_before: u32,
    pub segments_after: u32,
    pub seconds: f64,
}

/// What reading everything back found.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    pub sources: u32,
    pub segments: u32,
    pub bytes: u64,
    pub problems: Vec<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
    /// The rotated set it is a part of: shown as one source.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub set: Option<String>,
    /// The zone of its times, and how it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub zone: Option<String>,
    pub encoding: String,
    pub compression: String,
    /// The earliest and the latest time of its events.
    pub first: Option<Nanos>,
    pub last: Option<Nanos>,
    /// Why it is not complete, or what was odd about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// What was chosen about reading it.
    pub chosen: Reading,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportRequest {
    pub case: String,
    pub paths: Vec<String>,
    /// What is kept besides the original bytes; the case's own profile, and `full` for a new case, by default.
    #[serde(default)]
    #[ts(optional)]
    pub profile: Option<Profile>,
    #[serde(default)]
    #[ts(optional, as = "Option<ImportChoices>")]
    pub choices: ImportChoices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ImportPhase {
    /// Files are read, and what was read is published at least once a second.
    Landing,
    /// Everything can be seen; the text index is built in the background.
    Indexing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FileState {
    Waiting,
    Reading,
    Done,
    /// Part or all of it could not be read; the note says why and what was kept.
    Failed,
}

/// What a file is to the case that it is imported into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FileOutcome {
    New,
    /// All of it is there already.
    Known,
    /// Its beginning is there, and it goes on in the same source.
    Grown,
    /// What is stored of it is read in another way.
    Anew,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportProgress {
    pub phase: ImportPhase,
    /// The case's revision after the last publication.
    pub revision: u64,
    pub events: u64,
    pub bytes_read: u64,
    pub bytes_total: u64,
    pub elapsed_ms: u32,
    pub files_total: u32,
    pub files_done: u32,
    /// Only the files whose state changed since the last report.
    pub changed: Vec<FileProgress>,
    /// The counters of each stage.
    pub stages: Vec<Stage>,
    /// The stage that the others wait for.
    pub waits_for: Option<StageName>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileProgress {
    /// Its place in the list of files of this import.
    pub index: u32,
    pub path: String,
    pub state: FileState,
    pub format: Option<String>,
    pub events: u64,
    pub unparsed: u64,
    pub bytes_read: u64,
    pub bytes_total: u64,
    pub outcome: FileOutcome,
    /// That in words, where it is not simply new: there already, grown, replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub remark: Option<String>,
    pub note: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
    #[ts(optional, as = "Option<Vec<String>>")]
    pub remarks: Vec<String>,
}

/// What part of a case is looked at.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct View {
    pub case: String,
    /// The filter, in the query language; empty means everything.
    pub query: String,
    /// The time range, from inclusive, to exclusive; null means unbounded.
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimelineRequest {
    pub view: View,
    /// The most buckets the screen can draw.
    pub buckets: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    pub revision: u64,
    /// Start of the first bucket. Buckets are aligned to round times.
    pub start: Nanos,
    pub bucket_ns: Nanos,
    /// One series a level that occurs, lowest level first, each as long as there are buckets.
    pub series: Vec<LevelSeries>,
    /// Matching events in the range, those without a time included when the range is unbounded.
    pub total: u64,
    /// Matching events that have no time and so are in no bucket.
    pub untimed: u64,
    /// Share of the case's events that are done: 1 when this is the whole answer.
    pub fraction: f64,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LevelSeries {
    pub level: Level,
    pub counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Order {
    OldestFirst,
    NewestFirst,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PageRequest {
    pub view: View,
    pub order: Order,
    /// Rows of the sorted result, counted from 0.
    pub first: u64,
    pub count: u32,
    /// Fields whose values come with each row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub revision: u64,
    pub total: u64,
    pub first: u64,
    pub rows: Vec<Row>,
    pub elapsed_ms: f64,
}

/// An event for ever: its source and the offset of its first byte there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventId {
    pub source: u32,
    pub offset: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
    #[ts(optional, as = "Option<Vec<Option<String>>>")]
    pub values: Vec<Option<String>>,
}

/// The position of an event or a time in the sorted result, for jumping to it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LocateRequest {
    pub view: View,
    pub order: Order,
    pub time: Nanos,
    /// The row of this event is wanted, or the row where it would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub event: Option<EventId>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Located {
    /// The first row at or past the time in this order.
    pub row: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventRequest {
    pub case: String,
    pub id: EventId,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
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
    pub pieces: Vec<Piece>,
    /// Its first bytes as they are in the source, in hexadecimal.
    pub hex: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FieldValue {
    pub name: String,
    pub value: String,
    pub kind: FieldKind,
    /// What the Elastic Common Schema calls it.
    pub ecs: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    Text,
    Int,
    Float,
    Bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// A file, folder or case that is not there.
    NotFound,
    /// It is there and may not be read.
    NotReadable,
    /// A file of no bytes.
    Empty,
    /// A file that is no text.
    Binary,
    /// A folder in which no log was found.
    NoLogs,
    Corrupt,
    Limit,
    DiskFull,
    /// The case may not be written: a read-only disk or folder.
    ReadOnly,
    /// Another window or process writes this case.
    CaseLocked,
    /// The folder is no case, or a part of the case is damaged.
    CaseDamaged,
    /// The case was made by a newer version.
    CaseTooNew,
    /// A file that became shorter or was replaced while it was read.
    Changed,
    QueryInvalid,
    Cancelled,
    /// The request itself is malformed.
    BadRequest,
    /// The engine failed in a way that is our fault.
    Internal,
}

/// What happened, to which file, what was kept, what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WireError {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    pub path: Option<String>,
    /// Byte range of the query that the error is about.
    pub span: Option<(u32, u32)>,
}
