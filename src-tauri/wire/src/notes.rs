//! What people wrote about a case: stars, tags, comments, markers, saved queries, boards, pages.
//!
//! A few general calls serve all kinds: list what changed, change several in one step, and their events.

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use indexer::triage::TRIAGE;
use indexer::{EventId, Nanos, NoteRemoval, NotesChanged as Outcome};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds};
use crate::events::{ROW_BYTES, row};
use crate::session::{Call, Session};
use crate::types::{Empty, Row, WireError};

/// Something that a person wrote or marked. The times it is on are two fields, as in a [`NoteDraft`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Note {
    /// `star`, `tag`, `comment`, `marker`, `query`, `board`, `page`; the store takes any word.
    pub kind: String,
    /// Its name among those of its kind.
    pub id: String,
    /// Grows with every change of the case's notes; tells one state of a note from a later one.
    pub revision: u64,
    pub created: Nanos,
    pub changed: Nanos,
    /// The event it is on.
    pub event: Option<EventId>,
    /// The times it is on, both included; equal for a moment.
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
    pub text: String,
    /// Whatever the kind needs in addition.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub data: serde_json::Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotesRequest {
    pub case: String,
    /// The mark of an earlier reply; null for all notes.
    pub since: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
// The screen reads `notes.notes`.
#[allow(clippy::struct_field_names)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Notes {
    /// To ask from later.
    pub mark: String,
    /// Whether these are all notes, and not only those that changed.
    pub whole: bool,
    pub notes: Vec<Note>,
    pub removed: Vec<NoteName>,
    /// Why notes cannot be written, if so.
    pub read_only: Option<String>,
    /// Damaged files of notes that were kept aside; what could be read of them is among the notes.
    pub kept_aside: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoteName {
    pub kind: String,
    pub id: String,
}

/// A note as somebody wants it to be. One time alone is a moment, which the engine knows as a range.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoteDraft {
    pub kind: String,
    pub id: String,
    /// The revision that it was made from, 0 for a note that is not there yet; null replaces what is there.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub known: Option<u64>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub event: Option<EventId>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub from: Option<Nanos>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub to: Option<Nanos>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub text: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(type = "unknown", optional))]
    pub data: serde_json::Value,
}

/// All of it is done in one step, or nothing.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeNotesRequest {
    pub case: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<NoteDraft>>", optional))]
    pub put: Vec<NoteDraft>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<NoteRemoval>>", optional))]
    pub remove: Vec<NoteRemoval>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotesChanged {
    /// The notes that were put, as they are now. Its mark is that of the change: what others changed before it
    /// is still to be asked for from the last mark.
    pub made: Option<NotesMade>,
    /// Notes that somebody else changed meanwhile; where there are any, nothing was changed.
    pub conflicts: Vec<NoteConflict>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NotesMade {
    pub mark: String,
    pub notes: Vec<Note>,
    pub removed: Vec<NoteName>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoteConflict {
    pub kind: String,
    pub id: String,
    /// The note as it is now; null where it was removed.
    pub current: Option<Note>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EvidenceRequest {
    pub case: String,
    pub events: Vec<EventId>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EvidenceList {
    pub revision: u64,
    /// One for each event that was asked for, null where the case has no such event any more.
    pub events: Vec<Option<Evidence>>,
    pub elapsed_ms: f64,
}

/// An event, and where in which file that can be checked.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Evidence {
    pub row: Row,
    /// Where its source was read from.
    pub source_path: String,
    /// Of all bytes of its source.
    pub source_sha256: String,
    /// Its bytes: from the offset of its id, so many.
    pub bytes: u64,
    /// Of those bytes; null where there are more than a page can show.
    pub sha256: Option<String>,
}

/// The clock of the machine, which says when a note was written.
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

pub fn notes(session: &Session, _: &Call<'_>, request: &NotesRequest, _: &dyn Fn(Empty)) -> Answer<Notes> {
    let case = session.case(Path::new(&request.case))?;
    let found = case.notes(request.since.as_deref(), now_ns())?;
    Ok(Notes {
        mark: found.mark,
        whole: found.whole,
        notes: found.notes.into_iter().map(Note::from).collect(),
        removed: found.removed.into_iter().map(|(kind, id)| NoteName { kind, id }).collect(),
        read_only: case.notes_read_only().map(|error| WireError::from(&error).message),
        kept_aside: case.notes_kept_aside().iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    })
}

impl From<indexer::Note> for Note {
    fn from(note: indexer::Note) -> Note {
        // A decision holds the alerts that it is about, which may be many. Only the inbox reads them.
        let data = if note.kind == TRIAGE { serde_json::Value::Null } else { note.data };
        Note {
            kind: note.kind,
            id: note.id,
            revision: note.revision,
            created: Nanos(note.created_ns),
            changed: Nanos(note.changed_ns),
            event: note.event.map(EventId::from),
            from: note.range.map(|(from, _)| Nanos(from)),
            to: note.range.map(|(_, to)| Nanos(to)),
            text: note.text,
            data,
        }
    }
}

pub fn change_notes(
    session: &Session,
    _: &Call<'_>,
    request: &ChangeNotesRequest,
    _: &dyn Fn(Empty),
) -> Answer<NotesChanged> {
    let case = session.case(Path::new(&request.case))?;
    let change =
        indexer::NoteChange { put: request.put.iter().map(draft).collect(), remove: request.remove.clone() };
    let conflict = |(kind, id, current): (String, String, Option<indexer::Note>)| NoteConflict {
        kind,
        id,
        current: current.map(Note::from),
    };
    Ok(match case.change_notes(&change, now_ns())? {
        Outcome::Conflict(names) => {
            NotesChanged { made: None, conflicts: names.into_iter().map(conflict).collect() }
        }
        Outcome::Made(made) => {
            let removed = made.removed.into_iter().map(|(kind, id)| NoteName { kind, id }).collect();
            let notes = made.notes.into_iter().map(Note::from).collect();
            NotesChanged { made: Some(NotesMade { mark: made.mark, notes, removed }), conflicts: Vec::new() }
        }
    })
}

fn draft(draft: &NoteDraft) -> indexer::NoteDraft {
    // One time alone is a moment.
    let (from, to) = (draft.from.or(draft.to), draft.to.or(draft.from));
    indexer::NoteDraft {
        kind: draft.kind.clone(),
        id: draft.id.clone(),
        known: draft.known,
        event: draft.event.map(EventId::place),
        range: from.zip(to).map(|(from, to)| (from.0, to.0)),
        text: draft.text.clone(),
        data: draft.data.clone(),
    }
}

pub fn evidence(
    session: &Session,
    call: &Call<'_>,
    request: &EvidenceRequest,
    _: &dyn Fn(Empty),
) -> Answer<EvidenceList> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let places: Vec<_> = request.events.iter().map(|id| id.place()).collect();
    let found = case.evidence(&snapshot, &places, ROW_BYTES, &call.cancel)?;
    let evidence = |found: indexer::Evidence| {
        let source = snapshot.sources().get(found.event.source as usize);
        Evidence {
            row: row(&found.event, &snapshot),
            source_path: source.map(|source| source.path.clone()).unwrap_or_default(),
            source_sha256: source.map(|source| source.sha256.clone()).unwrap_or_default(),
            bytes: u64::from(found.event.length),
            sha256: found.sha256,
        }
    };
    Ok(EvidenceList {
        revision: snapshot.revision(),
        events: found.into_iter().map(|event| event.map(evidence)).collect(),
        elapsed_ms: milliseconds(started),
    })
}
