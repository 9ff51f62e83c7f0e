//! Notes that people wrote about a case, at the level of the façade: by kind and id, with the evidence for
//! them.
//!
//! The store knows no kinds. What the kinds in use mean is defined in `rules.rs`.

mod filter;
mod rules;
mod said;
pub mod triage;

use std::path::PathBuf;

pub use filter::{NotedCache, states_of};
pub use said::Said;
pub use said::said_by;

use crate::Engine;
use base::error::{Error, Result};
use store::notes as store;
use store::{NoteChange, Notes, NotesChanged};

impl Engine {
    /// The notes that changed since a revision that an earlier answer gave; all of them without one. Another process
    /// may have written them. The time is that of now, for a store that has to be rebuilt because it is damaged.
    pub fn notes(&self, since: Option<&str>, now_ns: i64) -> Result<Notes> {
        if self.only_looks {
            return store::look(self.folder(), since);
        }
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
