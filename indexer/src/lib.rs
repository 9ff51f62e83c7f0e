//! The case on disk, the query language and the engine that answers it.
//!
//! The nouns: a [`Case`] is a folder of logs that can be queried; a [`Snapshot`] is its content at one
//! moment; a [`View`] is a filter and a time range. Import commits segments at least once a second, and
//! whatever is committed can be queried at once.
//!
//! ```
//! use indexer::{Cancel, Case, ImportOptions, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let log = folder.path().join("app.log");
//! std::fs::write(&log, "2026-03-01T14:05:00Z INFO started\n2026-03-01T14:05:01Z ERROR lost connection\n")?;
//!
//! let case = Case::create(&folder.path().join("demo.case"))?;
//! case.import(&[log], &ImportOptions::default(), &|_progress| {}, &Cancel::default())?;
//!
//! let view = View::parse("level>=warn connection", None, None)?;
//! assert_eq!(case.count(&case.snapshot(), &view, &Cancel::default())?, 1);
//! # Ok(())
//! # }
//! ```

mod case;
mod detect;
pub mod export;
mod file_scan;
mod import;
mod live;
pub mod notebook;
mod preview;
mod revise;
mod rewrite;
mod tune;
mod value_spans;
mod writing;

pub use base::error::{Error, ErrorKind, Result};
pub use base::files;
pub use base::{
    Cancel, ErrorReport, EventId, FieldKind, LevelCount, LevelSeries, Nanos, duration, hex, json, median,
    sentence, stamp, tokens, whole_file,
};
pub use case::{Case, Verification, is_case};
pub use detect::{Detected, definitions, detect};
pub use engine::notes::triage;
pub use engine::{
    AnswerPath, AnswerStep, Around, Calculated, Cell, Checked, CodedColumn, Column, ColumnKind, Context,
    Direction, Engine, Event, Evidence, Explanation, FieldValue, FileAccess, KeptQuery, KnownWord, Page,
    Partial, Pattern, PatternOptions, PatternVariable, Patterns, RowTimes, RunOptions, Seek, Selection,
    Shown, SnapshotSegment, SortBy, SqlOptions, Strip, Table, TableStages, Timeline, UnknownWord, ValueCount,
    View, Walk, aggregate, compare, is_sql, links, percentile_of_counted, seismograph, service_map,
};
pub use file_scan::{FileScan, ScannedLine, scan_files};
pub use import::{
    FileProgress, FileReport, FileState, ImportOptions, ImportReport, Outcome, Phase, Progress, Stage,
    StageName, bottleneck, unread_files,
};
pub use ingest::custom::{Definition, DefinitionError, load_text as definitions_of};
pub use ingest::{
    Filter, Glob, Level, NO_TIME, Options as ReadOptions, SYSLOG_PREFIX, TimeFieldOption, TimeReport,
    TimeStep, format_names, is_zone, message_format, program_of,
};
pub use live::{
    Compressed, Definitions, Keep, Live, LiveOptions, Moment, Published, Received, Retained, STREAM_PART,
};
pub use patterns::{Granularity, Template, TemplateId};
pub use preview::{
    Estimate, Preview, PreviewFile, PreviewRequest, PreviewRow, ProfileCost, preview, preview_text,
};
pub use query;
pub use rewrite::{CompactReport, RepairReport, Restored, Rewriting, TrashState};
pub use store::{
    Account, Example, Marks, Missing, News, Note, NoteChange, NoteDraft, NoteRemoval, Notes, NotesChanged,
    Profile, Reading, Scalar, Snapshot, SourceEntry, Unparsed, other_writer,
};
pub use tune::{Host, Overrides, Plan};
pub use value_spans::{TextPiece, text_pieces};
