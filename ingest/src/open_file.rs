//! Opens the files that were found. Between listing and opening, anything may take a file's place: a link that leads
//! out of the named folder, or a pipe on which reading would wait for ever.

use std::fs::File;
use std::io;

use crate::discover::{InputFile, SPECIAL};
use crate::error::ErrorKind;
use crate::problem::Problem;

/// Opens a regular file for reading, and nothing else. Never waits. Below the folder that a person named, no part of
/// the path may be a link unless links are followed.
pub fn open_file(found: &InputFile) -> io::Result<File> {
    let file = open(found)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(Problem::new(ErrorKind::Refused, SPECIAL).into());
    }
    Ok(file)
}

#[cfg(not(unix))]
fn open(found: &InputFile) -> io::Result<File> {
    if found.below.is_some() && found.path.is_symlink() {
        return Err(Problem::new(ErrorKind::Refused, crate::discover::LINK).into());
    }
    File::open(&found.path)
}

#[cfg(unix)]
fn open(found: &InputFile) -> io::Result<File> {
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    // Without waiting, a pipe is opened although nobody writes to it, and then refused.
    let file = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Some((named, path)) = found.below.as_deref().and_then(|named| {
        let path = found.path.strip_prefix(named).ok()?;
        Some((if named.as_os_str().is_empty() { Path::new(".") } else { named }, path))
    }) else {
        return Ok(openat(CWD, &found.path, file, Mode::empty())?.into());
    };
    let mut at = openat(CWD, named, folder, Mode::empty())?;
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { folder } else { file };
        at = openat(&at, Path::new(&part), kind | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| {
            // A link is refused as a loop, or as not being a folder.
            if matches!(error, Errno::LOOP | Errno::MLINK | Errno::NOTDIR) {
                Problem::new(ErrorKind::Refused, crate::discover::LINK).into()
            } else {
                io::Error::from(error)
            }
        })?;
    }
    Ok(at.into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::discover::discover;
    use crate::error::Error;

    /// The reason why the file that was found is not opened, once the given change was made to its folder.
    fn refusal(change: impl FnOnce(&std::path::Path)) -> Option<String> {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(root.path().join("logs/sub")).expect("a folder");
        fs::create_dir_all(root.path().join("keys")).expect("a folder");
        for name in ["logs/sub/app.log", "keys/app.log"] {
            fs::write(root.path().join(name), "x\n").expect("a file");
        }
        let found = discover(&[root.path().join("logs")]).files.remove(0);
        change(root.path());
        let error = open_file(&found).err()?;
        Some(Error::io(&found.path, error).to_string())
    }

    #[test]
    fn file_that_became_a_link_or_a_pipe_after_it_was_listed_is_not_opened() {
        assert_eq!(refusal(|_| {}), None);
        let link = Some(crate::discover::LINK.to_owned());
        let as_file = refusal(|root| {
            fs::remove_file(root.join("logs/sub/app.log")).expect("it is there");
            symlink(root.join("keys/app.log"), root.join("logs/sub/app.log")).expect("a link");
        });
        assert_eq!(as_file, link);
        let as_folder = refusal(|root| {
            fs::rename(root.join("logs/sub"), root.join("logs/moved")).expect("it is there");
            symlink(root.join("keys"), root.join("logs/sub")).expect("a link");
        });
        assert_eq!(as_folder, link);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipe_in_the_place_of_a_file_is_refused_at_once() {
        use rustix::fs::{CWD, mkfifoat};
        let as_pipe = refusal(|root| {
            fs::remove_file(root.join("logs/sub/app.log")).expect("it is there");
            mkfifoat(CWD, root.join("logs/sub/app.log"), 0o600.into()).expect("a pipe");
        });
        assert_eq!(as_pipe.as_deref(), Some(SPECIAL));
    }
}
