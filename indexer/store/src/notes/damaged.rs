//! Repairs a damaged `notes.db`: the file is renamed, never deleted, and what can be read of it goes into a
//! new one.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;

use super::file::{self, Failure, journal};
use super::{path, table};
use base::error::{AtPath, Result};
use base::files::{self, EntryKind};

const ASIDE: &str = "notes.damaged-";

/// Renames the damaged file. Does nothing if another process has just done so.
pub fn keep_aside(case: &Path, now_ns: i64) -> Result<()> {
    let file = path(case);
    let Ok(held) = files::open(&file) else { return Ok(()) };
    // After the wait the file may be sound or missing; then it is left alone.
    held.lock().at_path(&file)?;
    let still = file::open_to_read(case).and_then(|open| open.map_or(Ok(()), |open| table::check(&open)));
    if !matches!(still, Err(Failure::Damaged(_))) {
        return Ok(());
    }
    let aside = free_name(case);
    if files::exists(&journal(&file)) {
        // It belongs to the file, and SQLite looks for it by the file's name.
        files::relocate(&journal(&file), &journal(&aside)).at_path(&aside)?;
    }
    files::relocate(&file, &aside).at_path(&aside)?;
    file::sync(case)?;
    let rescued = rescued(&aside);
    if !rescued.is_empty() {
        let restored = file::open_to_write(case)
            .and_then(|mut connection| table::restore(&mut connection, &rescued, now_ns));
        restored.map_err(|failure| failure.into_error(case))?;
    }
    Ok(())
}

fn free_name(case: &Path) -> PathBuf {
    let names = (1_u32..).map(|number| case.join(format!("{ASIDE}{number}.db")));
    let mut free = names.skip_while(|name| files::exists(name));
    free.next().unwrap_or_else(|| case.join(format!("{ASIDE}0.db")))
}

fn rescued(aside: &Path) -> Vec<super::Note> {
    let Ok(folder) = tempfile::tempdir() else { return Vec::new() };
    // A copy, because SQLite may try to repair what it reads, and the renamed file must stay as it was found.
    let copy = folder.path().join(file::NAME);
    let Ok(bytes) = files::read(aside) else { return Vec::new() };
    if fs::write(&copy, bytes).is_err() {
        return Vec::new();
    }
    file::connected(&copy, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_or_else(|_| Vec::new(), |open| table::rescue(&open))
}

/// The damaged files that were renamed, the oldest first.
#[must_use]
pub fn kept_aside(case: &Path) -> Vec<PathBuf> {
    let entries = files::entries(case).unwrap_or_default().into_iter();
    let is_aside = |name: &str| {
        name.strip_prefix(ASIDE)
            .is_some_and(|rest| rest.split_once('.').is_some_and(|(_, ending)| ending == "db"))
    };
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.kind == EntryKind::File && is_aside(&entry.name))
        .map(|entry| case.join(entry.name))
        .collect();
    found.sort();
    found
}
