//! Notes that people wrote: `notes.db`, an SQLite file that is created with the first note.
//!
//! It is opened for each query and closed again, so that a file that another process renames or replaces is
//! never written by mistake. A rollback journal keeps it intact, not a write-ahead log: the case has an extra
//! file only during a write, and it can be read where nothing may be written.

mod damaged;
mod file;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

pub use damaged::kept_aside;
use file::NAME;
pub use file::read_only;

use base::error::{Error, ErrorKind, Result};
use file::Failure;

/// One thread of this process uses notes at a time. SQLite's locks belong to the process and are lost when
/// any handle on the file is closed, and the files are also opened here without SQLite, to create, copy and
/// rename them.
static TURN: Mutex<()> = Mutex::new(());

/// Something that a person wrote or marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub kind: String,
    /// Its name among those of its kind.
    pub id: String,
    /// Grows in the order in which notes were first written, whatever the clock said. Changes keep it.
    pub number: u64,
    /// The revision of the store that last changed it.
    pub revision: u64,
    pub created_ns: i64,
    pub changed_ns: i64,
    /// The event it is on: source and offset, which identify an event for ever.
    pub event: Option<(u32, u64)>,
    /// The time range it is on, both ends included. A moment is a range from it to itself.
    pub range: Option<(i64, i64)>,
    pub text: String,
    pub data: serde_json::Value,
}

/// A new state of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteDraft {
    pub kind: String,
    pub id: String,
    /// The revision that it was made from (an optimistic lock), 0 for a new note. Without one, an existing
    /// note is replaced.
    pub known: Option<u64>,
    pub event: Option<(u32, u64)>,
    pub range: Option<(i64, i64)>,
    pub text: String,
    pub data: serde_json::Value,
}

/// A note to remove.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoteRemoval {
    pub kind: String,
    pub id: String,
    /// The revision that was seen last. Without one, the note is removed in any state.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub known: Option<u64>,
}

/// Changes of one transaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoteChange {
    pub put: Vec<NoteDraft>,
    pub remove: Vec<NoteRemoval>,
}

/// Notes, all of them or those that changed since a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// The revision of the store, for the next request.
    pub mark: String,
    /// True if these are all notes, and not only those that changed.
    pub whole: bool,
    pub notes: Vec<Note>,
    /// Kind and id of the removed notes.
    pub removed: Vec<(String, String)>,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum NotesChanged {
    /// It was committed. The notes are those that were written, in their new state.
    Made(Notes),
    /// The optimistic lock failed: somebody else changed these notes, and nothing was written. A removed note
    /// is missing here.
    Conflict(Vec<(String, String, Option<Note>)>),
}

/// The notes that changed since a revision; all of them without one, or with one of another store.
pub fn read(case: &Path, since: Option<&str>, now_ns: i64) -> Result<Notes> {
    attempt(case, now_ns, || {
        let Some(connection) = file::open_to_read(case)? else { return Ok(None) };
        Ok(Some(table::read(&connection, since)?))
    })
    .map(|notes| notes.unwrap_or_else(nothing))
}

fn nothing() -> Notes {
    Notes { mark: String::new(), whole: true, ..Notes::default() }
}

/// The same without any change: a damaged file stays where it is.
pub fn look(case: &Path, since: Option<&str>) -> Result<Notes> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = file::open_to_read(case).and_then(|connection| match connection {
        Some(connection) => table::read(&connection, since),
        None => Ok(nothing()),
    });
    found.map_err(|failure| failure.into_error(case))
}

/// Copies the notes to another case, as one state of them.
pub fn copy(case: &Path, to: &Path) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let copied = file::open_to_read(case).and_then(|connection| match connection {
        Some(connection) => {
            // The copy is a database that this connection writes.
            connection.pragma_update(None, "query_only", false)?;
            connection.execute("VACUUM INTO ?1", [path(to).to_string_lossy()]).map_err(Failure::from)?;
            Ok(())
        }
        None => Ok(()),
    });
    copied.map_err(|failure| failure.into_error(case))
}

/// Commits all of a change, or nothing of it. A reported commit survives a power cut.
pub fn change(case: &Path, change: &NoteChange, now_ns: i64) -> Result<NotesChanged> {
    attempt(case, now_ns, || table::change(&mut file::open_to_write(case)?, change, now_ns))
}

/// Reads the whole file, without changing anything.
pub fn verify(case: &Path) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = file::open_to_read(case).and_then(|connection| match connection {
        Some(connection) => table::check(&connection),
        None => Ok(()),
    });
    found.map_err(|failure| failure.into_error(case))
}

/// Tries once more after a damaged file was renamed.
fn attempt<T>(case: &Path, now_ns: i64, step: impl Fn() -> std::result::Result<T, Failure>) -> Result<T> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match step() {
        Err(Failure::Damaged(what)) => {
            damaged::keep_aside(case, now_ns).map_err(|error| unmovable(case, &what, &error))?;
            step().map_err(|failure| failure.into_error(case))
        }
        other => other.map_err(|failure| failure.into_error(case)),
    }
}

fn unmovable(case: &Path, what: &str, error: &Error) -> Error {
    let message = format!("the notes are damaged ({what}) and could not be kept aside: {}", error.message());
    Error::new(ErrorKind::CaseDamaged, message)
        .at(&path(case))
        .hint("the events are not touched; copy the case to a folder you may write to, and open it there")
}

#[must_use]
pub fn path(case: &Path) -> PathBuf {
    case.join(NAME)
}
