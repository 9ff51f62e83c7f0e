//! Which files a query may read: those that the person typed, and those below allowed folders if others wrote it.

use std::path::PathBuf;

use indexer::{Error, ErrorKind, FileAccess, Result};

/// For a query on the command line: the person who typed it chose its files.
pub fn typed_files() -> Result<FileAccess> {
    Ok(FileAccess::everywhere(current_folder()?))
}

/// For queries that somebody else wrote. Fails if a folder does not exist.
pub fn files_below(folders: &[PathBuf]) -> Result<FileAccess> {
    FileAccess::below(current_folder()?, folders)
}

fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(|error| {
        Error::new(ErrorKind::NotFound, format!("the current folder cannot be used: {error}"))
    })
}
