//! What a note must have, by its kind.

use base::error::{Error, ErrorKind, Result};
use base::limits::{LONGEST_NOTE_BYTES, LONGEST_NOTE_NAME_BYTES, MOST_NOTES_AT_ONCE};
use store::{NoteChange, NoteDraft};

/// Kinds that are about an event or a range, and are nothing without one.
const ABOUT_SOMETHING: &[&str] = &["star", "tag", "comment"];
/// Kinds that are at a time.
const AT_A_TIME: &[&str] = &["marker"];
/// Kinds that say nothing without a text.
const WITH_TEXT: &[&str] = &["tag", "comment"];

/// Refuses a change that no reader of the store could make sense of.
pub fn check(change: &NoteChange) -> Result<()> {
    let count = change.put.len() + change.remove.len();
    if count > MOST_NOTES_AT_ONCE {
        let message =
            format!("{count} notes are to be changed at once, and {MOST_NOTES_AT_ONCE} are the most");
        return Err(Error::new(ErrorKind::Limit, message).hint("select fewer events"));
    }
    for removal in &change.remove {
        check_name(&removal.kind, &removal.id)?;
    }
    change.put.iter().try_for_each(check_draft)
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

fn check_name(kind: &str, id: &str) -> Result<()> {
    if kind.is_empty() || !kind.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(wrong(format!("`{kind}` is not a kind of note: kinds are words in lower case")));
    }
    if id.is_empty() || kind.len() + id.len() > LONGEST_NOTE_NAME_BYTES {
        return Err(wrong(format!("the id of a {kind} has 1 to {LONGEST_NOTE_NAME_BYTES} bytes")));
    }
    Ok(())
}

fn check_draft(draft: &NoteDraft) -> Result<()> {
    let kind = draft.kind.as_str();
    check_name(kind, &draft.id)?;
    let bytes = draft.text.len() + draft.data.to_string().len();
    if bytes > LONGEST_NOTE_BYTES {
        let message = format!("this {kind} has {bytes} bytes, and {LONGEST_NOTE_BYTES} are the most");
        return Err(
            Error::new(ErrorKind::Limit, message).hint("what was kept before is unchanged; split it in two")
        );
    }
    if ABOUT_SOMETHING.contains(&kind) && draft.event.is_none() && draft.range.is_none() {
        return Err(wrong(format!("a {kind} needs an event or a range")));
    }
    if AT_A_TIME.contains(&kind) && draft.range.is_none() {
        return Err(wrong(format!("a {kind} needs a time")));
    }
    if WITH_TEXT.contains(&kind) && draft.text.trim().is_empty() {
        return Err(wrong(format!("a {kind} needs a text")));
    }
    if draft.range.is_some_and(|(first, last)| first > last) {
        return Err(wrong(format!("the range of a {kind} ends before it begins")));
    }
    if draft.event.is_some_and(|(_, offset)| i64::try_from(offset).is_err()) {
        return Err(wrong(format!("no source is so long as the offset of a {kind} says")));
    }
    Ok(())
}
