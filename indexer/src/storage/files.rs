//! Writing files so that a crash leaves the old one or the new one, never half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::error::{AtPath, Result};

/// Replaces a file in one step: a temporary file beside it, fsync, rename, fsync of the folder.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).at_path(&temporary)?;
    file.write_all(bytes).at_path(&temporary)?;
    file.sync_all().at_path(&temporary)?;
    drop(file);
    fs::rename(&temporary, path).at_path(path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes renames and new files in a folder survive a power cut.
pub fn sync_folder(folder: &Path) -> Result<()> {
    // Folders cannot be opened as files everywhere; where they cannot, the system orders the writes itself.
    if cfg!(unix) { File::open(folder).and_then(|file| file.sync_all()).at_path(folder) } else { Ok(()) }
}

/// Whether nothing can be written in a case's folder. Nothing is written to find out.
pub fn folder_is_read_only(case: &Path) -> bool {
    let folder = fs::metadata(case).is_ok_and(|meta| meta.permissions().readonly());
    let manifest = OpenOptions::new().append(true).open(case.join("case.json"));
    folder || manifest.is_err_and(|error| is_refusal(&error))
}

/// Whether an error says that a place may not be written to.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// The bytes of all files under a folder.
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
