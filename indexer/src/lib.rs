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

pub mod aggregate;
mod calculated;
mod case;
mod context;
mod detect;
mod error;
mod estimate;
mod event_walk;
mod events;
mod exec;
pub mod export;
mod faults;
mod file_scan;
mod frame;
mod hash;
mod import;
mod language;
mod limits;
mod live;
mod marks;
pub mod notebook;
mod notes;
mod patterns;
mod percentile;
mod pipe;
mod preview;
pub mod query;
mod relevance;
mod revise;
mod rewrite;
mod rows;
mod search;
mod sorted;
pub mod stamp;
mod storage;
mod templates;
pub mod tokens;
mod tune;
mod value_spans;
mod words;
mod writing;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

pub use calculated::Calculated;
pub use case::{Case, Missing, Snapshot, Verification};
pub use context::{Around, Context};
pub use detect::{Detected, definitions, detect};
pub use error::{Error, ErrorKind, Result};
pub use estimate::{Estimate, ProfileCost};
pub use event_walk::Walk;
pub use events::Shown;
pub use exec::{ClauseStep as AnswerStep, Path as AnswerPath};
pub use file_scan::{FileScan, ScannedLine, scan_files};
pub use frame::{SqlOptions, is_sql};
pub use import::{
    FileProgress, FileReport, FileState, ImportOptions, ImportReport, Outcome, Phase, Progress, Stage,
    StageName, bottleneck,
};
pub use ingest::custom::{Definition, DefinitionError, load_text as definitions_of};
pub use ingest::{Filter, Glob, Level, NO_TIME, Options as ReadOptions, TimeReport, TimeStep, format_names};
pub use language::{Checked, Explanation};
pub use live::{Keep, Live, LiveOptions, Moment, Published, Received, Retained, STREAM_PART};
pub use marks::{Seek, Strip};
pub use notes::Evidence;
pub use patterns::{Granularity, Template, TemplateId};
pub use pipe::{Cell, Column, Kind as ColumnKind, Partial, RunOptions, Table};
pub use preview::{Preview, PreviewFile, PreviewRequest, PreviewRow, preview, preview_text};
pub use rewrite::{CompactReport, RepairReport, Rewriting};
pub use rows::{CodedColumn, RowTimes, SegmentRows};
pub use search::{Direction, Event, FieldValue, Page, Timeline, View};
pub use sorted::SortBy;
pub use storage::{Account, Example, Profile, Reading, Scalar, SourceEntry, Unparsed};
pub use storage::{Note, NoteChange, NoteDraft, NoteRemoval, Notes, NotesChanged};
pub use templates::{Pattern, PatternOptions, PatternVariable, Patterns, ValueCount};
pub use tune::{Host, Overrides, Plan};
pub use value_spans::{TextPiece, text_pieces};
pub use words::{KnownWord, UnknownWord};

/// A cancellation flag for long work. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<Cancel>>,
}

impl Cancel {
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_set())
    }

    /// A flag that is also set by this one, and can be set separately.
    pub(crate) fn child(&self) -> Cancel {
        Cancel { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }
}

/// The types a field's values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    Text,
    Int,
    Float,
    Bool,
}

impl FieldKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Int => "int",
            FieldKind::Float => "float",
            FieldKind::Bool => "bool",
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
