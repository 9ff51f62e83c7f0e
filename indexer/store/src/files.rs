//! Every write to a case on disk. A crash leaves the old file or the new one, never half of one. Each step
//! has a fail point for the tests. Paths are those of `base::files`: nothing here follows a link, and only
//! files with names of this program are removed.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::Path;

use base::error::{AtPath, Result};
use base::faults;
use base::files::{self, EntryKind};

/// The role of a file, for the names of its fail points.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    create: &'static str,
    write: &'static str,
    sync: &'static str,
    rename: &'static str,
    folder: &'static str,
    cut: &'static str,
    over: &'static str,
}

macro_rules! role {
    ($name:literal) => {
        Role {
            create: concat!($name, ".create"),
            write: concat!($name, ".write"),
            sync: concat!($name, ".sync"),
            rename: concat!($name, ".rename"),
            folder: concat!($name, ".folder"),
            cut: concat!($name, ".cut"),
            over: concat!($name, ".over"),
        }
    };
}

pub const MANIFEST: Role = role!("manifest");
pub const TABLE: Role = role!("table");
pub const SEGMENT: Role = role!("segment");
pub const INDEX: Role = role!("index");
pub const FILTER: Role = role!("filter");
pub const TEMPLATES: Role = role!("templates");
pub const RAW: Role = role!("raw");
pub const ACCOUNTS: Role = role!("accounts");
pub const NOTES: Role = role!("notes");
pub const TRASH: Role = role!("trash");

/// Writes a file that nothing refers to yet and makes it durable.
pub fn write(path: &Path, bytes: &[u8], role: Role) -> Result<()> {
    let written = || -> io::Result<()> {
        faults::at(role.create)?;
        let mut file = files::create_temporary(path)?;
        faults::at(role.write)?;
        file.write_all(bytes)?;
        faults::at(role.sync)?;
        file.sync_all()
    };
    written().at_path(path)
}

/// Replaces a file atomically: a temporary file in the same folder, fsync, rename, fsync of the folder.
pub fn replace(path: &Path, bytes: &[u8], role: Role) -> Result<()> {
    let temporary = path.with_extension("tmp");
    write(&temporary, bytes, role)?;
    faults::at(role.rename).and_then(|()| files::rename(&temporary, path)).at_path(path)?;
    path.parent().map_or(Ok(()), |folder| sync_folder(folder, role))
}

/// Puts a folder in place atomically: its files in a temporary folder next to it, fsync of each and of the
/// folder, rename, fsync of the parent folder. An existing folder of that name is removed first, if it has no other
/// files than those that `is_ours` names.
pub fn replace_folder(
    path: &Path,
    parts: &[(String, impl Deref<Target = [u8]>)],
    is_ours: impl Fn(&str) -> bool,
    role: Role,
) -> Result<()> {
    let temporary = path.with_extension("tmp");
    for old in [&temporary, path] {
        remove_folder(old, &is_ours)?;
    }
    files::create_folder(&temporary).at_path(&temporary)?;
    for (name, bytes) in parts {
        write(&temporary.join(name), bytes, role)?;
    }
    sync_folder(&temporary, role)?;
    faults::at(role.rename).and_then(|()| files::relocate(&temporary, path)).at_path(path)?;
    path.parent().map_or(Ok(()), |folder| sync_folder(folder, role))
}

/// Replaces a backup copy: it must be complete, but need not be durable or the newest.
pub fn copy(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    let written = || -> io::Result<()> {
        faults::at("copy.write")?;
        files::create_temporary(&temporary)?.write_all(bytes)?;
        faults::at("copy.rename")?;
        files::rename(&temporary, path)
    };
    written().at_path(path)
}

/// Makes renames and new files in a folder survive a power cut.
pub fn sync_folder(folder: &Path, role: Role) -> Result<()> {
    faults::at(role.folder).and_then(|()| files::sync_folder(folder)).at_path(folder)
}

/// Makes appended bytes durable.
pub fn sync(path: &Path, role: Role) -> Result<()> {
    faults::at(role.sync).and_then(|()| files::open(path)?.sync_all()).at_path(path)
}

/// Makes a new file that is appended to. Fails if there is one.
pub fn create(path: &Path, role: Role) -> Result<File> {
    faults::at(role.create).and_then(|()| files::create(path)).at_path(path)
}

pub fn append(file: &mut File, bytes: &[u8], path: &Path, role: Role) -> Result<()> {
    faults::at(role.write).and_then(|()| file.write_all(bytes)).at_path(path)
}

/// Opens a file for appending, truncated to a length; creates it if it is missing.
pub fn cut(path: &Path, length: u64, role: Role) -> Result<File> {
    faults::at(role.cut).and_then(|()| files::append_at(path, length)).at_path(path)
}

/// Overwrites some bytes of a file, idempotently, and makes them durable.
pub fn overwrite(path: &Path, pieces: &[(u64, Vec<u8>)], role: Role) -> Result<()> {
    let written = || -> io::Result<()> {
        let mut file = files::change(path)?;
        for (at, bytes) in pieces {
            faults::at(role.over)?;
            file.seek(SeekFrom::Start(*at))?;
            file.write_all(bytes)?;
        }
        faults::at(role.sync)?;
        file.sync_all()
    };
    written().at_path(path)
}

/// Removes a file; a missing one is not an error.
pub fn remove(path: &Path) -> Result<()> {
    unless_missing(faults::at("remove").and_then(|()| files::remove(path))).at_path(path)
}

/// Removes the files of a folder whose names are ours, and the folder if nothing else is in it. A missing folder
/// is not an error, and neither is one that keeps what others put there.
pub fn remove_folder(path: &Path, is_ours: impl Fn(&str) -> bool) -> Result<()> {
    let entries = match files::entries(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.at_path(path)?,
    };
    for entry in entries.iter().filter(|entry| entry.kind == EntryKind::File && is_ours(&entry.name)) {
        remove(&path.join(&entry.name))?;
    }
    match faults::at("remove").and_then(|()| files::remove_folder(path)) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => unless_missing(removed).at_path(path),
    }
}

fn unless_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes the files of a folder whose names are ours and unwanted.
pub fn remove_where(folder: &Path, is_unwanted: impl Fn(&str) -> bool) -> Result<()> {
    for entry in files::entries(folder).at_path(folder)? {
        if entry.kind == EntryKind::File && is_unwanted(&entry.name) {
            remove(&folder.join(&entry.name))?;
        }
    }
    Ok(())
}

/// True if nothing can be written in a case's folder. The check writes nothing.
#[must_use]
pub fn folder_is_read_only(case: &Path) -> bool {
    let folder = fs::metadata(case).is_ok_and(|meta| meta.permissions().readonly());
    let manifest = files::may_change(&case.join("case.json"));
    folder || manifest.is_err_and(|error| is_refusal(&error))
}

/// True if an error means that writing is not permitted.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// The bytes of all files under a folder.
#[must_use]
pub fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = files::entries(folder) else { return 0 };
    let bytes = entries.iter().map(|entry| match entry.kind {
        EntryKind::Folder => folder_bytes(&folder.join(&entry.name)),
        EntryKind::File => entry.bytes,
        EntryKind::Foreign => 0,
    });
    bytes.sum()
}
