//! The contract between the engine and every screen: each command, progress report, reply and error
//! as plain data, and one [`Session::dispatch`] that answers them.
//!
//! Two hosts serve it, the desktop window and the loopback server; neither adds behaviour. The nouns:
//! a [`Command`] asks, a [`Call`] is one command under way (it can be cancelled and it reports
//! progress), a [`Session`] holds the open cases and the running calls.
//!
//! ```
//! use wire::{Command, Empty, Session, Start};
//!
//! let session = Session::new(Start::browser(std::env::temp_dir()));
//! let reply = session.dispatch("call-1", Command::Hello(Empty {}), |_progress| {}).unwrap();
//! assert_eq!(reply["host"], "browser");
//! ```

mod ahead;
mod analyse;
mod analysis;
mod calls;
mod cases;
mod contract;
mod error;
mod events;
mod files;
mod formats;
mod language;
mod notebook;
mod notes;
mod patterns;
mod recent;
mod session;
mod sources;
mod stages;
mod tables;
mod types;
pub mod typescript;
mod upkeep;

pub use analysis::*;
pub use cases::{Copying, Reference, ReferenceEntry, ReferenceTopic, RenameRequest};
pub use contract::Command;
pub use files::{FileContent, WriteRequest};
pub use formats::{FormatFault, FormatName, Formats, SavedFormat, TriedFormat, saved_definitions};
pub use language::{
    CheckRequest, CompleteRequest, Completion, QueryCheck, QueryDiagnostic, QueryWord, Suggestion,
    SuggestionKind, UnknownWord, UnknownWords, WordClass,
};
pub use notebook::{
    CellEvent, CellKind, ExportNotesRequest, ExportedNotes, MarkdownKind, MarkdownNode, MarkdownPage,
    MarkdownRequest, NotebookCell, NotebookFormat, NotebookProgress,
};
pub use notes::{
    ChangeNotesRequest, Evidence, EvidenceList, EvidenceRequest, Note, NoteConflict, NoteDraft, NoteName,
    NoteRemoval, Notes, NotesChanged, NotesMade, NotesRequest,
};
pub use patterns::{
    Granularity, LevelCount, Pattern, PatternVariable, Patterns, PatternsRequest, TimeSpan, ValueCount,
};
pub use session::{Call, Session, Start, home};
pub use sources::{FileReading, ImportChoices, Reading};
pub use tables::{
    ColumnKind, ExportRequest, Exported, RunRequest, Table, TableCell, TableColumn, TableFormat,
};
pub use types::*;
