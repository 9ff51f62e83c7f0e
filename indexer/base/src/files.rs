//! Files inside a case: the only place that opens, creates, renames and removes them.
//!
//! A case may come from anybody, so nothing in it is trusted to be what its name says. No call follows a link,
//! in any part of the path: a case folder that a person names through a link is resolved once
//! ([`resolved`]). Only regular files are opened, so that a FIFO or a device neither blocks nor answers. A new
//! file belongs to its owner alone. Removing takes a file, or an empty folder, and never a tree.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
use other as system;
#[cfg(unix)]
use unix as system;

/// What an entry of a folder is. Links are not followed to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// A link, FIFO, socket or device. A case has none.
    Foreign,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    pub name: String,
    pub kind: EntryKind,
    pub bytes: u64,
    /// The file has other names, as a backup with hard links gives it.
    has_other_names: bool,
}

/// Something in a case that no Timberline put there. It is left as it is.
#[derive(Debug)]
pub struct ForeignEntry(&'static str);

impl std::fmt::Display for ForeignEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ForeignEntry {}

/// True if an error says that something in the case is not the case's own.
#[must_use]
pub fn is_foreign(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<ForeignEntry>()).is_some()
}

fn link() -> io::Error {
    io::Error::other(ForeignEntry(
        "it is a link, or reached through one, which a case never contains; it was left as it is",
    ))
}

fn not_a_file() -> io::Error {
    io::Error::other(ForeignEntry("it is not a file, where the case keeps one; it was left as it is"))
}

/// The path of a case folder without links. A folder that does not exist yet has that of its nearest parent.
#[must_use]
pub fn resolved(folder: &Path) -> PathBuf {
    let has_link = folder.ancestors().any(Path::is_symlink);
    if !has_link {
        return folder.to_path_buf();
    }
    let mut missing = Vec::new();
    for part in folder.ancestors() {
        if let Ok(real) = part.canonicalize() {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        missing.extend(part.file_name());
    }
    folder.to_path_buf()
}

/// The entry of this name, if there is one.
#[must_use]
pub fn look(path: &Path) -> Option<FolderEntry> {
    system::look(path).ok()
}

/// True if the folder has anything of this name.
#[must_use]
pub fn exists(path: &Path) -> bool {
    look(path).is_some()
}

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    system::open(path, system::READ)
}

/// Reads a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a file. Fails if there is anything of this name.
pub fn create(path: &Path) -> io::Result<File> {
    system::open(path, system::CREATE)
}

/// Creates a temporary file. One that an earlier process left is removed; anything but a file is not.
pub fn create_temporary(path: &Path) -> io::Result<File> {
    match create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove(path)?;
            create(path)
        }
        created => created,
    }
}

/// Opens a file for reading and writing in place. A file that has other names, as after a backup with hard
/// links, is copied first, so that the others keep their bytes.
pub fn change(path: &Path) -> io::Result<File> {
    if look(path).is_some_and(|entry| entry.kind == EntryKind::File && entry.has_other_names) {
        let mut name = path.as_os_str().to_owned();
        name.push(".tmp");
        let own = PathBuf::from(name);
        let mut copy = create_temporary(&own)?;
        io::copy(&mut open(path)?, &mut copy)?;
        copy.sync_all()?;
        rename(&own, path)?;
    }
    system::open(path, system::CHANGE)
}

/// Tells whether a file may be written, without changing it.
pub fn may_change(path: &Path) -> io::Result<()> {
    system::open(path, system::CHANGE).map(drop)
}

/// The same as [`change`]; creates the file if it is missing.
pub fn change_or_create(path: &Path) -> io::Result<File> {
    match change(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => system::open(path, system::CREATE),
        opened => opened,
    }
}

/// Opens a file for appending, after cutting it off at a length; creates it if it is missing.
pub fn append_at(path: &Path, length: u64) -> io::Result<File> {
    let mut file = change_or_create(path)?;
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

/// Creates a folder unless it exists.
pub fn create_folder(path: &Path) -> io::Result<()> {
    match system::create_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match look(path) {
            Some(entry) if entry.kind == EntryKind::Folder => Ok(()),
            Some(_) => Err(io::Error::other(ForeignEntry(
                "it is not a folder, where the case keeps one; it was left as it is",
            ))),
            None => Err(error),
        },
        created => created,
    }
}

/// Renames a file within its folder, over a file of the new name if there is one.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if look(to).is_some_and(|entry| entry.kind != EntryKind::File) {
        return Err(not_a_file());
    }
    system::rename(from, to)
}

/// Replaces a small file that need not survive a power cut: a new file under a name of its own, and a rename.
pub fn replace(path: &Path, new: &Path, bytes: &[u8]) -> io::Result<()> {
    create_temporary(new)?.write_all(bytes)?;
    rename(new, path)
}

/// Moves a file or a folder of the case. Fails if there is anything of the new name.
pub fn relocate(from: &Path, to: &Path) -> io::Result<()> {
    if exists(to) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match look(from) {
        Some(entry) if entry.kind == EntryKind::Foreign => Err(link()),
        _ => system::rename(from, to),
    }
}

/// Removes a file. Anything else stays and is an error.
pub fn remove(path: &Path) -> io::Result<()> {
    match system::look(path)?.kind {
        EntryKind::File => system::remove(path),
        _ => Err(not_a_file()),
    }
}

/// Removes an empty folder.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    system::remove_folder(path)
}

/// The entries of a folder, by name. Names that are not text are left out: the case has no such files.
pub fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut found: Vec<FolderEntry> =
        system::names(folder)?.into_iter().filter_map(|name| look(&folder.join(name))).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Makes renames and new files in a folder survive a power cut.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    system::sync_folder(folder)
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::{Component, Path};

    use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};
    use rustix::io::Errno;

    use super::{EntryKind, FolderEntry, link, not_a_file};

    pub const READ: OFlags = OFlags::RDONLY;
    pub const CHANGE: OFlags = OFlags::RDWR;
    pub const CREATE: OFlags = OFlags::RDWR.union(OFlags::CREATE).union(OFlags::EXCL);
    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
    /// Neither waits for the other end of a FIFO nor becomes the terminal of the process.
    const ALWAYS: OFlags =
        OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

    fn error(errno: Errno) -> io::Error {
        if errno == Errno::LOOP { link() } else { errno.into() }
    }

    /// A handle of a folder, without following a link in any part of its path.
    fn folder(path: &Path) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        #[cfg(target_os = "linux")]
        match fs::openat2(CWD, path, FOLDER | ALWAYS, Mode::empty(), fs::ResolveFlags::NO_SYMLINKS) {
            // An older kernel, or a container that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened.map_err(|errno| folder_error(path, errno)),
        }
        let mut handle = fs::openat(CWD, Path::new("."), FOLDER | ALWAYS, Mode::empty())?;
        for part in path.components() {
            let name = match part {
                Component::CurDir | Component::Prefix(_) => continue,
                Component::RootDir => Path::new("/").as_os_str(),
                Component::ParentDir => OsStr::new(".."),
                Component::Normal(name) => name,
            };
            handle = fs::openat(&handle, name, FOLDER | ALWAYS, Mode::empty())
                .map_err(|errno| folder_error(path, errno))?;
        }
        Ok(handle)
    }

    /// Systems call a link in the place of a folder "not a directory".
    fn folder_error(path: &Path, errno: Errno) -> io::Error {
        if errno == Errno::NOTDIR && path.is_symlink() { link() } else { error(errno) }
    }

    /// The folder that contains the path, and the name in it.
    fn place(path: &Path) -> io::Result<(OwnedFd, &OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((folder(path.parent().unwrap_or(Path::new(".")))?, name))
    }

    fn kind_of(stat: &fs::Stat) -> EntryKind {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            _ => EntryKind::Foreign,
        }
    }

    pub fn look(path: &Path) -> io::Result<FolderEntry> {
        let (folder, name) = place(path)?;
        let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(error)?;
        Ok(FolderEntry {
            name: name.to_string_lossy().into_owned(),
            kind: kind_of(&stat),
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            has_other_names: stat.st_nlink > 1,
        })
    }

    pub fn open(path: &Path, how: OFlags) -> io::Result<File> {
        let (folder, name) = place(path)?;
        let mode = Mode::RUSR | Mode::WUSR;
        if !how.contains(OFlags::CREATE) {
            // A device may answer to being opened.
            let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => {}
                FileType::Symlink => return Err(link()),
                _ => return Err(not_a_file()),
            }
        }
        let file = fs::openat(&folder, name, how | ALWAYS, mode).map_err(error)?;
        if kind_of(&fs::fstat(&file)?) == EntryKind::File { Ok(File::from(file)) } else { Err(not_a_file()) }
    }

    pub fn create_folder(path: &Path) -> io::Result<()> {
        let (folder, name) = place(path)?;
        Ok(fs::mkdirat(&folder, name, Mode::RWXU)?)
    }

    pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
        let (here, name) = place(from)?;
        if from.parent() == to.parent() {
            let new = to.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            return Ok(fs::renameat(&here, name, &here, new)?);
        }
        let (there, new) = place(to)?;
        Ok(fs::renameat(&here, name, &there, new)?)
    }

    pub fn remove(path: &Path) -> io::Result<()> {
        let (folder, name) = place(path)?;
        Ok(fs::unlinkat(&folder, name, AtFlags::empty())?)
    }

    pub fn remove_folder(path: &Path) -> io::Result<()> {
        let (folder, name) = place(path)?;
        Ok(fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
    }

    pub fn names(path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(folder(path)?)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    pub fn sync_folder(path: &Path) -> io::Result<()> {
        Ok(fs::fsync(folder(path)?)?)
    }
}

/// Systems without handles of folders. Links are looked for in the last part of a path, which is what a case
/// that somebody sent can contain.
#[cfg(not(unix))]
mod other {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::Path;

    use super::{EntryKind, FolderEntry, link, not_a_file};

    #[derive(Clone, Copy, PartialEq)]
    pub enum How {
        Read,
        Change,
        Create,
    }
    pub const READ: How = How::Read;
    pub const CHANGE: How = How::Change;
    pub const CREATE: How = How::Create;

    pub fn look(path: &Path) -> io::Result<FolderEntry> {
        let meta = fs::symlink_metadata(path)?;
        let kind = match meta.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            _ => EntryKind::Foreign,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(FolderEntry { name, kind, bytes: meta.len(), has_other_names: false })
    }

    fn without_link(path: &Path) -> io::Result<()> {
        let is_link = |path: &Path| look(path).is_ok_and(|entry| entry.kind == EntryKind::Foreign);
        if is_link(path) || path.parent().is_some_and(is_link) { Err(link()) } else { Ok(()) }
    }

    pub fn open(path: &Path, how: How) -> io::Result<File> {
        without_link(path)?;
        if look(path).is_ok_and(|entry| entry.kind != EntryKind::File) {
            return Err(not_a_file());
        }
        let (write, new) = (how != How::Read, how == How::Create);
        OpenOptions::new().read(true).write(write).create_new(new).open(path)
    }

    pub fn create_folder(path: &Path) -> io::Result<()> {
        without_link(path)?;
        fs::create_dir(path)
    }

    pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
        without_link(from)?;
        without_link(to)?;
        fs::rename(from, to)
    }

    pub fn remove(path: &Path) -> io::Result<()> {
        without_link(path)?;
        fs::remove_file(path)
    }

    pub fn remove_folder(path: &Path) -> io::Result<()> {
        without_link(path)?;
        fs::remove_dir(path)
    }

    pub fn names(path: &Path) -> io::Result<Vec<String>> {
        without_link(path)?;
        let names = fs::read_dir(path)?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.collect())
    }

    /// The system orders the writes itself.
    pub fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there");
        (folder, path)
    }

    #[test]
    fn no_call_follows_a_link() {
        let (_held, folder) = folder();
        let target = folder.join("target");
        fs::create_dir(&target).expect("made");
        fs::write(target.join("kept"), "kept").expect("written");
        symlink(target.join("kept"), folder.join("file")).expect("linked");
        symlink(&target, folder.join("raw")).expect("linked");
        let (file, below) = (folder.join("file"), folder.join("raw/kept"));
        for path in [&file, &below] {
            assert!(open(path).is_err() && change(path).is_err() && create(path).is_err(), "{path:?}");
            assert!(remove(path).is_err() && create_temporary(path).is_err(), "{path:?}");
            assert!(
                rename(&target.join("kept"), path).is_err() && relocate(path, &folder.join("new")).is_err()
            );
        }
        assert!(entries(&folder.join("raw")).is_err() && create_folder(&folder.join("raw")).is_err());
        assert_eq!(fs::read(target.join("kept")).expect("it is there"), b"kept");
        assert_eq!(resolved(&folder.join("raw/new.case")), target.join("new.case"));
    }

    #[test]
    fn fifo_and_folder_are_no_files() {
        let (_held, folder) = folder();
        let (fifo, sub) = (folder.join("fifo"), folder.join("sub"));
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("made");
        fs::create_dir(&sub).expect("made");
        for path in [&fifo, &sub] {
            assert!(open(path).is_err() && change(path).is_err() && remove(path).is_err(), "{path:?}");
            assert!(exists(path));
        }
    }

    #[test]
    fn new_files_are_private_and_never_replace_one() {
        let (_held, folder) = folder();
        create(&folder.join("one")).expect("made");
        create_folder(&folder.join("sub")).expect("made");
        let mode = |name: &str| fs::metadata(folder.join(name)).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode("one") & 0o177, mode("sub") & 0o77), (0, 0));
        let again = create(&folder.join("one")).expect_err("it is there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn changing_a_file_leaves_its_other_names_as_they_were() {
        let (_held, folder) = folder();
        fs::write(folder.join("one"), "before").expect("written");
        fs::hard_link(folder.join("one"), folder.join("backup")).expect("linked");
        append_at(&folder.join("one"), 2).expect("opened");
        assert_eq!(fs::read(folder.join("backup")).expect("there"), b"before");
        assert_eq!(fs::read(folder.join("one")).expect("there"), b"be");
    }
}
