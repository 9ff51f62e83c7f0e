//! The tables of `notes.db`.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::file::{self, Failure};
use super::{Note, NoteChange, NoteDraft, Notes, NotesChanged};
use base::error::{Error, ErrorKind};
use base::limits::MOST_NOTES;

const TABLES: &str = "
    CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE note (
        kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL,
        created INTEGER NOT NULL, changed INTEGER NOT NULL,
        source INTEGER, offset INTEGER, first INTEGER, last INTEGER,
        text TEXT NOT NULL, data TEXT NOT NULL,
        UNIQUE (kind, id)
    );
    CREATE INDEX note_revision ON note (revision);
    CREATE TABLE removed (kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, UNIQUE (kind, id));
";
const COLUMNS: &str = "kind, id, revision, created, changed, source, offset, first, last, text, data";

type Step<T> = std::result::Result<T, Failure>;

/// Creates the tables of an empty file, inside the first transaction.
fn prepare(transaction: &Transaction<'_>, now_ns: i64) -> Step<()> {
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > 0 {
        return Ok(());
    }
    transaction.execute_batch(TABLES)?;
    // Revisions of one store mean nothing in another, even if it has the same path.
    let store = format!("{now_ns:x}-{:x}", std::process::id());
    transaction.execute("INSERT INTO about VALUES ('store', ?1), ('revision', '0')", [store])?;
    file::stamp(transaction)?;
    Ok(())
}

fn place(connection: &Connection) -> Step<(String, u64)> {
    let about = |key: &str| -> Step<String> {
        let value = connection.query_row("SELECT value FROM about WHERE key = ?1", [key], |row| row.get(0));
        value.optional()?.ok_or_else(|| Failure::Damaged(format!("it does not tell its {key}")))
    };
    let revision = about("revision")?;
    // There is a next one, and SQLite can store it.
    let revision = (revision.parse().ok().filter(|&known: &u64| known < i64::MAX as u64))
        .ok_or_else(|| Failure::Damaged(format!("its revision is {revision}")))?;
    Ok((about("store")?, revision))
}

pub fn read(connection: &Connection, since: Option<&str>) -> Step<Notes> {
    // One transaction, so that the revision and the notes belong together.
    let transaction = connection.unchecked_transaction()?;
    let (store, revision) = place(&transaction)?;
    let since = since.and_then(|mark| mark.strip_prefix(&store)?.strip_prefix(':')?.parse::<u64>().ok());
    let after = since.filter(|&known| known <= revision);
    let mut found = Notes { mark: format!("{store}:{revision}"), whole: after.is_none(), ..Notes::default() };
    if after == Some(revision) {
        return Ok(found);
    }
    let after = after.map_or(i64::MIN, |known| known as i64);
    let listed = format!("SELECT {COLUMNS}, rowid FROM note WHERE revision > ?1 ORDER BY kind, id");
    let mut statement = transaction.prepare(&listed)?;
    for row in statement.query_map([after], note)? {
        found.notes.push(row?);
    }
    if !found.whole {
        let mut statement = transaction.prepare("SELECT kind, id FROM removed WHERE revision > ?1")?;
        for row in statement.query_map([after], |row| Ok((row.get(0)?, row.get(1)?)))? {
            found.removed.push(row?);
        }
    }
    Ok(found)
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    let data: String = row.get(10)?;
    let data = serde_json::from_str(&data)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(10, Type::Text, Box::new(error)))?;
    let both = |first: Option<i64>, second: Option<i64>| first.zip(second);
    let event = match both(row.get(5)?, row.get(6)?) {
        Some((source, offset)) => Some((within(5, source)?, within(6, offset)?)),
        None => None,
    };
    Ok(Note {
        kind: row.get(0)?,
        id: row.get(1)?,
        number: within(11, row.get(11)?)?,
        revision: within(2, row.get(2)?)?,
        created_ns: row.get(3)?,
        changed_ns: row.get(4)?,
        event,
        range: both(row.get(7)?, row.get(8)?),
        text: row.get(9)?,
        data,
    })
}

/// A number of a column, if it is one that the column can have.
fn within<T: TryFrom<i64>>(column: usize, number: i64) -> rusqlite::Result<T> {
    T::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn one(connection: &Connection, kind: &str, id: &str) -> Step<Option<Note>> {
    let query = format!("SELECT {COLUMNS}, rowid FROM note WHERE kind = ?1 AND id = ?2");
    Ok(connection.query_row(&query, [kind, id], note).optional()?)
}

pub fn change(connection: &mut Connection, change: &NoteChange, now_ns: i64) -> Step<NotesChanged> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    prepare(&transaction, now_ns)?;
    let put = change.put.iter().map(|draft| (&draft.kind, &draft.id, draft.known));
    let remove = change.remove.iter().map(|removal| (&removal.kind, &removal.id, removal.known));
    let mut conflicts = Vec::new();
    for (kind, id, known) in put.chain(remove) {
        let Some(known) = known else { continue };
        let current = one(&transaction, kind, id)?;
        if current.as_ref().map_or(0, |note| note.revision) != known {
            conflicts.push((kind.clone(), id.clone(), current));
        }
    }
    if !conflicts.is_empty() {
        return Ok(NotesChanged::Conflict(conflicts));
    }
    let (store, revision) = place(&transaction)?;
    let revision = revision + 1;
    for draft in &change.put {
        put_one(&transaction, draft, revision, now_ns)?;
    }
    let mut removed = Vec::new();
    for removal in &change.remove {
        let name = params![removal.kind, removal.id];
        if transaction.execute("DELETE FROM note WHERE kind = ?1 AND id = ?2", name)? > 0 {
            let name = params![removal.kind, removal.id, revision as i64];
            transaction.execute("INSERT OR REPLACE INTO removed VALUES (?1, ?2, ?3)", name)?;
            removed.push((removal.kind.clone(), removal.id.clone()));
        }
    }
    transaction.execute("UPDATE about SET value = ?1 WHERE key = 'revision'", [revision.to_string()])?;
    within_bounds(&transaction)?;
    let mut notes = Vec::new();
    for draft in &change.put {
        notes.extend(one(&transaction, &draft.kind, &draft.id)?);
    }
    transaction.commit()?;
    Ok(NotesChanged::Made(Notes { mark: format!("{store}:{revision}"), whole: false, notes, removed }))
}

fn put_one(transaction: &Transaction<'_>, draft: &NoteDraft, revision: u64, now_ns: i64) -> Step<()> {
    // The creation time is kept; everything else comes from the draft.
    let mut statement = transaction.prepare(&format!(
        "INSERT INTO note ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (kind, id) DO UPDATE SET revision = ?3, changed = ?4, source = ?5, offset = ?6,
             first = ?7, last = ?8, text = ?9, data = ?10"
    ))?;
    statement.execute(params![
        draft.kind,
        draft.id,
        revision as i64,
        now_ns,
        draft.event.map(|(source, _)| i64::from(source)),
        draft.event.map(|(_, offset)| offset as i64),
        draft.range.map(|(first, _)| first),
        draft.range.map(|(_, last)| last),
        draft.text,
        draft.data.to_string(),
    ])?;
    transaction.execute("DELETE FROM removed WHERE kind = ?1 AND id = ?2", params![draft.kind, draft.id])?;
    Ok(())
}

fn within_bounds(transaction: &Transaction<'_>) -> Step<()> {
    let count: i64 = transaction.query_row("SELECT count(*) FROM note", [], |row| row.get(0))?;
    if count as usize > MOST_NOTES {
        let message = format!("a case has at most {MOST_NOTES} notes; nothing was changed");
        return Err(Error::new(ErrorKind::Limit, message).hint("remove some first").into());
    }
    Ok(())
}

/// Everything that can be read of a damaged file: each table from both ends, up to the damage.
pub fn rescue(connection: &Connection) -> Vec<Note> {
    let mut found: Vec<Note> = Vec::new();
    for order in ["ASC", "DESC"] {
        // Without the index, which may be what is damaged.
        let query = format!("SELECT {COLUMNS}, rowid FROM note NOT INDEXED ORDER BY rowid {order}");
        let Ok(mut statement) = connection.prepare(&query) else { continue };
        let Ok(rows) = statement.query_map([], note) else { continue };
        // After an error of the file itself there are no more rows; a value that cannot be is in one row.
        found.extend(rows.flatten());
    }
    found.sort_by(|a, b| (&a.kind, &a.id, b.revision).cmp(&(&b.kind, &b.id, a.revision)));
    found.dedup_by(|later, first| later.kind == first.kind && later.id == first.id);
    // They are written again in this order.
    found.sort_by_key(|note| note.number);
    found
}

/// Writes the rescued notes to a new file, with their times.
pub fn restore(connection: &mut Connection, notes: &[Note], now_ns: i64) -> Step<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    prepare(&transaction, now_ns)?;
    let (_, revision) = place(&transaction)?;
    for note in notes.iter().take(MOST_NOTES) {
        if one(&transaction, &note.kind, &note.id)?.is_some() {
            // Another process created it meanwhile.
            continue;
        }
        let draft = NoteDraft {
            kind: note.kind.clone(),
            id: note.id.clone(),
            known: None,
            event: note.event,
            range: note.range,
            text: note.text.clone(),
            data: note.data.clone(),
        };
        put_one(&transaction, &draft, revision + 1, note.changed_ns)?;
        transaction.execute(
            "UPDATE note SET created = ?3 WHERE kind = ?1 AND id = ?2",
            params![note.kind, note.id, note.created_ns],
        )?;
    }
    transaction
        .execute("UPDATE about SET value = ?1 WHERE key = 'revision'", [(revision + 1).to_string()])?;
    transaction.commit()?;
    Ok(())
}

/// Reads everything: SQLite's own check, and each note.
pub fn check(connection: &Connection) -> Step<()> {
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Failure::Damaged(found));
    }
    read(connection, None)?;
    let mut removed = connection.prepare("SELECT kind, id, revision FROM removed")?;
    let name = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    for name in removed.query_map([], name)? {
        let _: (String, String, i64) = name?;
    }
    Ok(())
}
