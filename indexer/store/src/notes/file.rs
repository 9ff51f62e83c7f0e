//! Opens `notes.db` and reports what can be wrong with it.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::ffi::{self, ErrorCode};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::path;
use crate::files::{NOTES, folder_is_read_only, is_refusal, sync_folder};
use base::error::{Error, ErrorKind, Result, from_io};
use base::files::{self, EntryKind};
use base::limits::{LONGEST_NOTE_BYTES, NOTES_PATIENCE, NOTES_RETRY};

pub const NAME: &str = "notes.db";
/// `TLN1`, by which `file` and similar tools identify the application of the SQLite file.
const APPLICATION: i32 = 0x544C_4E31;
/// The version of the tables in it. A reader refuses a higher one.
pub const VERSION: i32 = 1;

/// How a step on the file can fail.
#[derive(Debug)]
pub enum Failure {
    /// The file is not a notes file, or is not intact.
    Damaged(String),
    Known(Error),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::Error as Sqlite;

        // A value or a table that this program never writes, such as text for a time.
        let is_foreign = match &error {
            Sqlite::InvalidColumnType(..)
            | Sqlite::IntegralValueOutOfRange(..)
            | Sqlite::FromSqlConversionFailure(..)
            | Sqlite::Utf8Error(..) => true,
            other => other.sqlite_extended_error_code() == Some(ffi::SQLITE_ERROR),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Failure::Damaged(error.to_string()),
            _ if is_foreign => Failure::Damaged(error.to_string()),
            _ => Failure::Sqlite(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Known(error)
    }
}

impl Failure {
    /// An error that tells a person what to do.
    pub fn into_error(self, case: &Path) -> Error {
        let error = match self {
            Failure::Known(error) => return error,
            Failure::Damaged(what) => return Error::damaged(&path(case), what),
            Failure::Sqlite(error) => error,
        };
        let failed = |kind, what: &str| Error::new(kind, what).at(&path(case));
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => failed(
                ErrorKind::CaseLocked,
                "another Timberline is writing notes for longer than can be waited for",
            )
            .hint("nothing was changed; try once more"),
            Some(ErrorCode::DiskFull) => {
                failed(ErrorKind::DiskFull, "the disk is full, and the note was not written")
                    .hint("all earlier notes are kept; free some space and try once more")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                may_not_write(case)
            }
            _ => failed(ErrorKind::Internal, &format!("the notes could not be read or written: {error}")),
        }
    }
}

fn may_not_write(case: &Path) -> Error {
    Error::new(ErrorKind::ReadOnly, "notes cannot be written: the case's folder is read-only")
        .at(case)
        .hint("everything can be read; copy the case to a folder you may write to, to write notes")
}

/// Why notes cannot be written, if so.
#[must_use]
pub fn read_only(case: &Path) -> Option<Error> {
    folder_is_read_only(case).then(|| may_not_write(case))
}

/// An open file, and the copy it was made of where the file itself could not be used.
pub struct Open {
    connection: Connection,
    _copy: Option<tempfile::TempDir>,
}

impl std::ops::Deref for Open {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// Opens the notes for reading; `None` if nobody wrote any.
pub fn open_to_read(case: &Path) -> std::result::Result<Option<Open>, Failure> {
    let file = path(case);
    match files::look(&file) {
        None => return Ok(None),
        Some(entry) if entry.kind == EntryKind::File && entry.bytes == 0 => return Ok(None),
        Some(_) => refuse_foreign(&file)?,
    }
    match readable(&file) {
        Ok(connection) => Ok(connection.map(|connection| Open { connection, _copy: None })),
        Err(Failure::Sqlite(error)) if needs_a_copy(&error) => in_a_copy(&file),
        Err(failure) => Err(failure),
    }
}

/// The last bytes of a journal that names a journal over several databases.
const SUPER_JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Refuses what SQLite must not be given: it opens whatever has the name of the file or of its journal, and after
/// a rollback it removes the file that a journal names as the one over several databases. Ours never name one.
fn refuse_foreign(file: &Path) -> std::result::Result<(), Failure> {
    let known = |path: &Path, error: &io::Error| Failure::Known(from_io(error).at(path));
    files::open(file).map_err(|error| known(file, &error))?;
    let journal = journal(file);
    let mut opened = match files::open(&journal) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(|error| known(&journal, &error))?,
    };
    let mut end = [0; SUPER_JOURNAL.len()];
    let read = opened.seek(SeekFrom::End(-(end.len() as i64))).and_then(|_| opened.read_exact(&mut end));
    if read.is_ok() && end == SUPER_JOURNAL {
        return Err(Failure::Known(Error::damaged(&journal, "it names a file outside of the case")));
    }
    Ok(())
}

/// Waits for another process. SQLite's own busy handler sleeps longer each time, so a process starves next to
/// one that writes many notes.
fn wait(times: i32) -> bool {
    std::thread::sleep(NOTES_RETRY);
    NOTES_RETRY * times.unsigned_abs() < NOTES_PATIENCE
}

/// Opens a file that may come from somebody else: its triggers and views do not run, its schema calls no function that
/// has an effect, and SQL cannot damage it.
pub fn connected(file: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // What its schema calculates takes no more memory than notes do.
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 4 * LONGEST_NOTE_BYTES as i32)?;
    connection.busy_handler(Some(wait))?;
    Ok(connection)
}

fn readable(file: &Path) -> std::result::Result<Option<Connection>, Failure> {
    // SQLite opens a file that may not be written for reading.
    let connection = connected(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok((version(&connection, file)? > 0).then_some(connection))
}

/// A killed writer left its journal, which has to be rolled back, and here nothing can be written.
fn needs_a_copy(error: &rusqlite::Error) -> bool {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    let playback =
        [ffi::SQLITE_READONLY_ROLLBACK, ffi::SQLITE_READONLY_CANTLOCK, ffi::SQLITE_READONLY_RECOVERY];
    extended.is_some_and(|code| playback.contains(&code))
        || matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

pub fn in_a_copy(file: &Path) -> std::result::Result<Option<Open>, Failure> {
    let io = |error: io::Error| Failure::Known(from_io(&error).at(file));
    let folder = tempfile::tempdir().map_err(io)?;
    let copy = folder.path().join(NAME);
    for (from, to) in [(file.to_path_buf(), copy.clone()), (journal(file), journal(&copy))] {
        if files::exists(&from) {
            fs::write(to, files::read(&from).map_err(io)?).map_err(io)?;
        }
    }
    let mut all = Ok(());
    for copied in [copy.clone(), journal(&copy)].iter().filter(|copied| copied.exists()) {
        all = all.and(make_writable(copied));
    }
    all.map_err(io)?;
    Ok(readable(&copy)?.map(|connection| Open { connection, _copy: Some(folder) }))
}

/// A copy has the rights of what it was copied from, which were none to write.
fn make_writable(file: &Path) -> io::Result<()> {
    let mut rights = fs::metadata(file)?.permissions();
    // It lies in a folder that nobody else can enter.
    #[allow(clippy::permissions_set_readonly_false)]
    rights.set_readonly(false);
    fs::set_permissions(file, rights)
}

/// The SQLite journal of a file.
pub fn journal(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-journal");
    PathBuf::from(name)
}

/// Opens the notes for writing; the file is created if it is missing.
pub fn open_to_write(case: &Path) -> std::result::Result<Connection, Failure> {
    let file = path(case);
    // SQLite does not report why it cannot open a file. An empty file is a database without tables.
    if let Err(error) = files::change_or_create(&file) {
        let error = if is_refusal(&error) { may_not_write(case) } else { from_io(&error).at(&file) };
        return Err(error.into());
    }
    refuse_foreign(&file)?;
    let connection = connected(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // The folder is also synced when the journal is removed, which is when a change commits.
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    version(&connection, &file)?;
    Ok(connection)
}

/// The version of the tables, 0 if there are none yet.
pub fn version(connection: &Connection, file: &Path) -> std::result::Result<i32, Failure> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application == 0 && version == 0 && tables == 0 {
        return Ok(0);
    }
    if application != APPLICATION || version <= 0 {
        return Err(Failure::Damaged("it is an SQLite file that something else made".to_owned()));
    }
    if version > VERSION {
        let message =
            format!("the notes are of version {version}, and this Timberline knows up to {VERSION}");
        let hint = "the events can be read; open the case with a newer Timberline to see its notes";
        return Err(Error::new(ErrorKind::CaseTooNew, message).at(file).hint(hint).into());
    }
    Ok(version)
}

/// Marks the file as ours, in the transaction that creates its tables.
pub fn stamp(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Makes a renamed file survive a power cut.
pub fn sync(case: &Path) -> Result<()> {
    sync_folder(case, NOTES)
}
