//! Notes that people wrote about a case, at the level of the façade: by kind and id, with the evidence for
//! them.
//!
//! The store knows no kinds. What the kinds in use mean is defined in `rules.rs`.

mod evidence;
mod filter;
mod rules;
mod said;

use std::path::PathBuf;

pub use evidence::Evidence;
pub(crate) use filter::{AnnotatedCache, states_of};
pub use said::Said;
pub(crate) use said::said_by;

use crate::Case;
use crate::error::{Error, Result};
use crate::storage::notes as store;
use crate::storage::{NoteChange, Notes, NotesChanged};

impl Case {
    /// The notes that changed since a revision that an earlier answer gave; all of them without one. Another process
    /// may have written them. The time is that of now, for a store that has to be rebuilt because it is damaged.
    pub fn notes(&self, since: Option<&str>, now_ns: i64) -> Result<Notes> {
        store::read(self.folder(), since, now_ns)
    }

    /// Commits all of a change or, if somebody else changed one of its notes meanwhile, nothing of it. A change
    /// that was made survives the end of the process and a power cut. Needs no import to have ended.
    pub fn change_notes(&self, change: &NoteChange, now_ns: i64) -> Result<NotesChanged> {
        rules::check(change)?;
        store::change(self.folder(), change, now_ns)
    }

    /// Why notes cannot be written, if so.
    #[must_use]
    pub fn notes_read_only(&self) -> Option<Error> {
        store::read_only(self.folder())
    }

    /// Damaged files of notes that were kept aside, the earliest first.
    #[must_use]
    pub fn notes_kept_aside(&self) -> Vec<PathBuf> {
        store::kept_aside(self.folder())
    }
}
