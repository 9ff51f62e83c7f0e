//! What people wrote: `notes.db`, an SQLite file that is there once somebody wrote something.
//!
//! It is opened for each question and closed again, so a file that another process puts aside or replaces is
//! never written to by mistake. Its rollback journal, and not a write-ahead log, keeps it whole: the case has one
//! more file only while somebody writes, and it can be read where nothing may be written.

mod damaged;
mod file;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(crate) use damaged::kept_aside;
use file::NAME;
pub(crate) use file::read_only;

use crate::error::{Error, ErrorKind, Result};
use file::Failure;

/// One thread of this process uses notes at a time. SQLite's locks belong to the process and are lost when any
/// handle on the file is closed, and the files are also opened here without SQLite, to be made, copied and put aside.
static TURN: Mutex<()> = Mutex::new(());

/// Something that a person wrote or marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub kind: String,
    /// Its name among those of its kind.
    pub id: String,
    /// The change of the store that made it what it is.
    pub revision: u64,
    pub created_ns: i64,
    pub changed_ns: i64,
    /// The event it is on: source and offset, an event's name for ever.
    pub event: Option<(u32, u64)>,
    /// The times it is on, both included. A moment is a range from it to itself.
    pub range: Option<(i64, i64)>,
    pub text: String,
    pub data: serde_json::Value,
}

/// A note as somebody wants it to be.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteDraft {
    pub kind: String,
    pub id: String,
    /// The revision that it was made from, 0 for a note that is not there yet. Without one, what is there is
    /// replaced.
    pub known: Option<u64>,
    pub event: Option<(u32, u64)>,
    pub range: Option<(i64, i64)>,
    pub text: String,
    pub data: serde_json::Value,
}

/// A note that somebody wants to be gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRemoval {
    pub kind: String,
    pub id: String,
    /// The revision that was seen last. Without one, whatever is there goes.
    pub known: Option<u64>,
}

/// What is to be changed in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoteChange {
    pub put: Vec<NoteDraft>,
    pub remove: Vec<NoteRemoval>,
}

/// Notes, all of them or those that changed since a mark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Where the store stands, to ask from later.
    pub mark: String,
    /// Whether these are all notes, and not only those that changed.
    pub whole: bool,
    pub notes: Vec<Note>,
    /// Kind and id of what was removed.
    pub removed: Vec<(String, String)>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum NotesChanged {
    /// It was made. The notes are those that were put, as they are now.
    Made(Notes),
    /// Somebody else changed these notes; nothing was changed. A note that they removed is none.
    Conflict(Vec<(String, String, Option<Note>)>),
}

/// Notes that changed since a mark; all of them without one, or with one of another store.
pub(crate) fn read(case: &Path, since: Option<&str>, now_ns: i64) -> Result<Notes> {
    attempt(case, now_ns, || {
        let Some(connection) = file::open_to_read(case)? else { return Ok(None) };
        Ok(Some(table::read(&connection, since)?))
    })
    .map(|notes| notes.unwrap_or_else(nothing))
}

fn nothing() -> Notes {
    Notes { mark: String::new(), whole: true, ..Notes::default() }
}

/// The same for who only asks for events: a damaged file stays where it is.
pub(crate) fn look(case: &Path, since: Option<&str>) -> Result<Notes> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = file::open_to_read(case).and_then(|connection| match connection {
        Some(connection) => table::read(&connection, since),
        None => Ok(nothing()),
    });
    found.map_err(|failure| failure.told(case))
}

/// Makes all of a change, or nothing of it. What is answered as made survives a power cut.
pub(crate) fn change(case: &Path, change: &NoteChange, now_ns: i64) -> Result<NotesChanged> {
    attempt(case, now_ns, || table::change(&mut file::open_to_write(case)?, change, now_ns))
}

/// Reads all of the file back, without changing anything.
pub(crate) fn verify(case: &Path) -> Result<()> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = file::open_to_read(case).and_then(|connection| match connection {
        Some(connection) => table::check(&connection),
        None => Ok(()),
    });
    found.map_err(|failure| failure.told(case))
}

/// Tries once more after a damaged file was kept aside.
fn attempt<T>(case: &Path, now_ns: i64, step: impl Fn() -> std::result::Result<T, Failure>) -> Result<T> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match step() {
        Err(Failure::Damaged(what)) => {
            damaged::keep_aside(case, now_ns).map_err(|error| unmovable(case, &what, &error))?;
            step().map_err(|failure| failure.told(case))
        }
        other => other.map_err(|failure| failure.told(case)),
    }
}

fn unmovable(case: &Path, what: &str, error: &Error) -> Error {
    let told = format!("the notes are damaged ({what}) and could not be kept aside: {}", error.message());
    Error::new(ErrorKind::CaseDamaged, told)
        .at(&path(case))
        .hint("the events are not touched; copy the case to a folder you may write to, and open it there")
}

pub(crate) fn path(case: &Path) -> PathBuf {
    case.join(NAME)
}
