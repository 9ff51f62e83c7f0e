//! Every write to a case on disk. A crash leaves the old file or the new one, never half of one. Each step
//! has a fail point for the tests.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::Path;

use base::error::{AtPath, Result};
use base::faults;

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

/// Writes a file that nothing refers to yet and makes it durable.
pub fn write(path: &Path, bytes: &[u8], role: Role) -> Result<()> {
    let written = || -> io::Result<()> {
        faults::at(role.create)?;
        let mut file = File::create(path)?;
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
    faults::at(role.rename).and_then(|()| fs::rename(&temporary, path)).at_path(path)?;
    path.parent().map_or(Ok(()), |folder| sync_folder(folder, role))
}

/// Puts a folder in place atomically: its files in a temporary folder next to it, fsync of each and of the
/// folder, rename, fsync of the parent folder. An existing folder of that name is removed first.
pub fn replace_folder(path: &Path, files: &[(String, impl Deref<Target = [u8]>)], role: Role) -> Result<()> {
    let temporary = path.with_extension("tmp");
    if temporary.exists() {
        remove(&temporary)?;
    }
    fs::create_dir(&temporary).at_path(&temporary)?;
    for (name, bytes) in files {
        write(&temporary.join(name), bytes, role)?;
    }
    sync_folder(&temporary, role)?;
    if path.exists() {
        remove(path)?;
    }
    faults::at(role.rename).and_then(|()| fs::rename(&temporary, path)).at_path(path)?;
    path.parent().map_or(Ok(()), |folder| sync_folder(folder, role))
}

/// Replaces a backup copy: it must be complete, but need not be durable or the newest.
pub fn copy(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    let written = || -> io::Result<()> {
        faults::at("copy.write")?;
        fs::write(&temporary, bytes)?;
        faults::at("copy.rename")?;
        fs::rename(&temporary, path)
    };
    written().at_path(path)
}

/// Makes renames and new files in a folder survive a power cut.
pub fn sync_folder(folder: &Path, role: Role) -> Result<()> {
    faults::at(role.folder).at_path(folder)?;
    // Not every system can open a folder as a file; where it cannot, the system orders the writes itself.
    if cfg!(unix) { File::open(folder).and_then(|file| file.sync_all()).at_path(folder) } else { Ok(()) }
}

/// Makes appended bytes durable.
pub fn sync(path: &Path, role: Role) -> Result<()> {
    faults::at(role.sync).and_then(|()| File::open(path)?.sync_all()).at_path(path)
}

/// Makes a new file that is appended to.
pub fn create(path: &Path, role: Role) -> Result<File> {
    faults::at(role.create).and_then(|()| File::create(path)).at_path(path)
}

pub fn append(file: &mut File, bytes: &[u8], path: &Path, role: Role) -> Result<()> {
    faults::at(role.write).and_then(|()| file.write_all(bytes)).at_path(path)
}

/// Opens a file for appending, truncated to a length; creates it if it is missing.
pub fn cut(path: &Path, length: u64, role: Role) -> Result<File> {
    let opened = || -> io::Result<File> {
        faults::at(role.cut)?;
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    };
    opened().at_path(path)
}

/// Overwrites some bytes of a file, idempotently, and makes them durable.
pub fn overwrite(path: &Path, pieces: &[(u64, Vec<u8>)], role: Role) -> Result<()> {
    let written = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(path)?;
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

/// Removes a file or a folder; a missing one is not an error.
pub fn remove(path: &Path) -> Result<()> {
    let removed = faults::at("remove")
        .and_then(|()| if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at_path(path),
    }
}

/// Removes what is unwanted in a folder.
pub fn remove_where(folder: &Path, unwanted: impl Fn(&str) -> bool) -> Result<()> {
    for entry in fs::read_dir(folder).at_path(folder)?.flatten() {
        if unwanted(&entry.file_name().to_string_lossy()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// True if nothing can be written in a case's folder. The check writes nothing.
#[must_use]
pub fn folder_is_read_only(case: &Path) -> bool {
    let folder = fs::metadata(case).is_ok_and(|meta| meta.permissions().readonly());
    let manifest = OpenOptions::new().append(true).open(case.join("case.json"));
    folder || manifest.is_err_and(|error| is_refusal(&error))
}

/// True if an error means that writing is not permitted.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// The bytes of all files under a folder.
#[must_use]
pub fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => folder_bytes(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
