//! Files that appear under their names when they are complete: exports, and the files that Timberline keeps for itself.
//!
//! Every temporary file outside a case is made here. It is created exclusively, under a name that nobody can guess, so
//! that no file and no link in its folder is written through. It is in the lowest crate, because all others write such
//! files. The files of a case itself belong to `store::files`, which has fail points.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Letters and digits of a temporary name: 71 bits.
const RANDOM_LETTERS: usize = 12;

/// Who can read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone: the files that Timberline keeps for itself.
    Owner,
    /// Whoever can read new files of this person: files that a person names. A file that is replaced keeps its mode.
    Others,
}

/// Begins a file in the folder of `path`, for [`finish`]. Dropped before that, it is removed. Fails if something other than
/// a file is at `path`.
pub fn begin(path: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let replaced = replaceable(path)?;
    let mut builder = Builder::new();
    builder.prefix(".timberline-").rand_bytes(RANDOM_LETTERS).suffix(".part");
    #[cfg(unix)]
    if readers == Readers::Others {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away from the mode of a new file what the person's mask forbids.
        let mode = if replaced.is_some() { 0o600 } else { 0o666 };
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    if let Some(replaced) = replaced.filter(|_| readers == Readers::Others) {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file)
}

/// Puts a file in place, durable and whole.
pub fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file in place of an earlier one. After a failure the earlier one is unchanged.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut file = begin(path, readers)?;
    file.as_file_mut().write_all(bytes)?;
    finish(file, path)
}

/// Creates a folder of Timberline's own, with those above it, for its owner alone. One that exists keeps its mode.
pub fn create_own_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// The file that a new one would replace. A rename would replace links, devices and pipes as well, which nobody wants when
/// they name them as a target.
fn replaceable(path: &Path) -> io::Result<Option<Metadata>> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let kind = found.file_type();
    if kind.is_file() {
        return Ok(Some(found));
    }
    let what = if kind.is_symlink() {
        "a link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a device or a pipe"
    };
    Err(io::Error::new(
        ErrorKind::AlreadyExists,
        format!("there is {what} of this name, and only files are replaced"),
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn own_files_are_for_their_owner_and_a_replaced_file_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home/of/it");
        create_own_folder(&home).expect("made");
        assert_eq!((mode(&home), mode(&folder.path().join("home"))), (0o700, 0o700));
        let own = home.join("recent.json");
        fs::write(&own, "earlier").expect("written");
        fs::set_permissions(&own, fs::Permissions::from_mode(0o644)).expect("set");
        replace(&own, b"later", Readers::Owner).expect("written");
        assert_eq!((mode(&own), fs::read(&own).expect("read")), (0o600, b"later".to_vec()));
        let export = home.join("export.csv");
        fs::write(&export, "earlier").expect("written");
        fs::set_permissions(&export, fs::Permissions::from_mode(0o640)).expect("set");
        replace(&export, b"later", Readers::Others).expect("written");
        assert_eq!((mode(&export), fs::read(&export).expect("read")), (0o640, b"later".to_vec()));
        let (new, plain) = (home.join("new.csv"), home.join("plain"));
        replace(&new, b"", Readers::Others).expect("written");
        fs::write(&plain, "").expect("written");
        assert_eq!(mode(&new), mode(&plain), "the mask of the person counts");
    }

    #[test]
    fn temporary_name_cannot_be_guessed_and_goes_with_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.csv");
        let (one, other) = (begin(&path, Readers::Owner), begin(&path, Readers::Others));
        let listed = names(folder.path());
        assert_eq!(listed.len(), 2);
        assert_ne!(listed[0], listed[1]);
        let process = std::process::id().to_string();
        assert!(listed.iter().all(|name| !name.contains(&format!(".{process}."))), "{listed:?}");
        drop(one.expect("begun"));
        finish(other.expect("begun"), &path).expect("in place");
        assert_eq!(names(folder.path()), ["export.csv"]);
    }

    #[test]
    fn links_folders_and_sockets_are_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("target"), "kept").expect("written");
        symlink(at("target"), at("link")).expect("a link");
        symlink(at("nowhere"), at("dangling")).expect("a link");
        fs::create_dir(at("folder")).expect("a folder");
        let _socket = UnixListener::bind(at("socket")).expect("a socket");
        let before = names(folder.path());
        for name in ["link", "dangling", "folder", "socket"] {
            let refused = replace(&at(name), b"new", Readers::Others).expect_err(name);
            assert_eq!(refused.kind(), ErrorKind::AlreadyExists, "{refused}");
        }
        assert_eq!(names(folder.path()), before);
        assert_eq!(fs::read(at("target")).expect("read"), b"kept");
    }
}
