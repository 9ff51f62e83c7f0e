//! Which files of this machine a query may read.
//!
//! Every path in a query, whichever stage or statement names it, is opened by [`FileAccess::read`] and nowhere else.
//! A case may come from somebody else, with queries in its notebook; so nothing may be read unless the caller says so.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{self, Component, Path, PathBuf};

use base::error::{AtPath, Error, ErrorKind, Result};
use base::limits::LOOKUP_BYTES;

/// The files that a query may read, and the folder that their names are relative to. By default it may read none.
#[derive(Clone, Debug)]
pub struct FileAccess {
    folder: PathBuf,
    allowed: Allowed,
}

#[derive(Clone, Debug)]
enum Allowed {
    /// The person who runs the query chose its files.
    Everywhere,
    /// Somebody else wrote the query: only files below these folders.
    Below(Vec<AllowedFolder>),
    /// Nobody has said yet that the case is trusted: none.
    WhenTrusted,
}

#[derive(Clone, Debug)]
struct AllowedFolder {
    /// As it was given, but absolute.
    given: PathBuf,
    /// Without links.
    real: PathBuf,
}

impl Default for FileAccess {
    fn default() -> FileAccess {
        FileAccess { folder: PathBuf::from("."), allowed: Allowed::Below(Vec::new()) }
    }
}

impl FileAccess {
    /// For a query by the person who runs it, who may read the file anyway.
    #[must_use]
    pub fn everywhere(folder: impl Into<PathBuf>) -> FileAccess {
        FileAccess { folder: folder.into(), allowed: Allowed::Everywhere }
    }

    /// For a query by somebody else: only regular files below these folders, whatever links there lead to.
    pub fn below(folder: impl Into<PathBuf>, folders: &[PathBuf]) -> Result<FileAccess> {
        let allowed = folders.iter().map(|folder| {
            let (given, real) =
                (path::absolute(folder).at_path(folder)?, folder.canonicalize().at_path(folder)?);
            Ok(AllowedFolder { given, real })
        });
        Ok(FileAccess { folder: folder.into(), allowed: Allowed::Below(allowed.collect::<Result<_>>()?) })
    }

    /// For a case that nobody has trusted yet: no file.
    #[must_use]
    pub fn when_trusted() -> FileAccess {
        FileAccess { allowed: Allowed::WhenTrusted, ..FileAccess::default() }
    }

    /// The path of a file that a query names.
    #[must_use]
    pub fn path(&self, name: &Path) -> PathBuf {
        self.folder.join(name)
    }

    /// The content of a file that a query names. Fails with [`ErrorKind::NotAllowed`] if it may not be read.
    pub fn read(&self, name: &Path) -> Result<Vec<u8>> {
        let path = self.path(name);
        let file = match &self.allowed {
            Allowed::Everywhere => opened(&path, &path)?,
            Allowed::Below(folders) => opened_below(&path, name, folders)?,
            Allowed::WhenTrusted => return Err(not_trusted(name)),
        };
        let mut bytes = Vec::new();
        // One byte more shows that the file is larger, also if it grows meanwhile.
        file.take(LOOKUP_BYTES + 1).read_to_end(&mut bytes).at_path(&path)?;
        if bytes.len() as u64 > LOOKUP_BYTES {
            let message =
                format!("it is larger than the {} MB that a query may read of a file", LOOKUP_BYTES >> 20);
            return Err(Error::new(ErrorKind::Limit, message).at(&path));
        }
        Ok(bytes)
    }
}

fn opened_below(path: &Path, name: &Path, folders: &[AllowedFolder]) -> Result<File> {
    if name.components().any(|part| part == Component::ParentDir) {
        return Err(not_allowed(name));
    }
    let path = path::absolute(path).at_path(path)?;
    let within = |folder: &AllowedFolder| {
        let rest = path.strip_prefix(&folder.given).or_else(|_| path.strip_prefix(&folder.real));
        rest.ok().map(|rest| folder.real.join(rest))
    };
    // The path alone decides first: elsewhere, not even whether the file exists is looked up.
    let named = folders.iter().find_map(within).ok_or_else(|| not_allowed(name))?;
    let real = named.canonicalize().at_path(&path)?;
    if !folders.iter().any(|folder| real.starts_with(&folder.real)) {
        return Err(not_allowed(name));
    }
    let file = opened(&real, &path)?;
    // A link that somebody put in its place, or in that of a folder above, was followed; that is refused as well.
    let is_same = real.canonicalize().at_path(&path)? == real
        && is_same_file(&fs::symlink_metadata(&real).at_path(&path)?, &file.metadata().at_path(&path)?);
    if is_same { Ok(file) } else { Err(not_allowed(name)) }
}

/// A regular file, ready to be read. Opening a pipe or a device would wait, or never end.
fn opened(real: &Path, shown: &Path) -> Result<File> {
    let not_regular = || {
        let message = "a query reads regular files only, no folders, pipes or devices";
        Err(Error::new(ErrorKind::NotReadable, message).at(shown))
    };
    if !fs::metadata(real).at_path(shown)?.is_file() {
        return not_regular();
    }
    let file = File::open(real).at_path(shown)?;
    if file.metadata().at_path(shown)?.is_file() { Ok(file) } else { not_regular() }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    let facts = |file: &Metadata| (file.file_type(), file.len(), file.created().ok(), file.modified().ok());
    facts(one) == facts(other)
}

fn not_allowed(name: &Path) -> Error {
    let message =
        format!("the file `{}` may not be read: it is in no folder that is allowed", name.display());
    Error::new(ErrorKind::NotAllowed, message).hint("allow its folder with --allow-files FOLDER")
}

fn not_trusted(name: &Path) -> Error {
    let message = format!("the file `{}` is not read, because this case is not trusted", name.display());
    Error::new(ErrorKind::NotAllowed, message).hint("trust this case if you know who made it")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with `allowed/keys.csv` and `secret.csv`.
    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(place.path().join("allowed/deep")).expect("made");
        fs::write(place.path().join("allowed/keys.csv"), "keys").expect("written");
        fs::write(place.path().join("secret.csv"), "secret").expect("written");
        place
    }

    /// The kind of error, or the content.
    fn outcome(files: &FileAccess, name: &str) -> std::result::Result<Vec<u8>, ErrorKind> {
        files.read(Path::new(name)).map_err(|error| error.kind())
    }

    #[test]
    fn without_permission_no_file_is_read_or_even_looked_up() {
        let place = place();
        let secret = place.path().join("secret.csv");
        for files in [FileAccess::default(), FileAccess::when_trusted()] {
            let there = files.read(&secret).expect_err("it is refused");
            assert!(there.message().contains("secret.csv") && there.hint_text().is_some(), "{there}");
            assert_eq!(there.kind(), ErrorKind::NotAllowed);
            fs::rename(&secret, place.path().join("moved")).expect("moved");
            assert_eq!(
                files.read(&secret).expect_err("it is refused"),
                there,
                "whether it exists is not said"
            );
            fs::rename(place.path().join("moved"), &secret).expect("moved back");
        }
        assert_eq!(
            FileAccess::everywhere(place.path()).read(Path::new("secret.csv")).expect("typed"),
            b"secret"
        );
    }

    #[test]
    fn files_below_an_allowed_folder_are_read() {
        let place = place();
        let allowed = place.path().join("allowed");
        let files = FileAccess::below(place.path(), std::slice::from_ref(&allowed)).expect("a folder");
        for name in ["allowed/keys.csv", "./allowed/./keys.csv", "allowed/deep//../keys.csv"] {
            let is_refused = name.contains("..");
            assert_eq!(files.read(Path::new(name)).is_err(), is_refused, "{name}");
        }
        assert_eq!(files.read(&allowed.join("keys.csv")).expect("the whole path"), b"keys");
        assert_eq!(outcome(&files, "allowed/none.csv"), Err(ErrorKind::NotFound));
        assert_eq!(outcome(&files, "secret.csv"), Err(ErrorKind::NotAllowed));
        assert_eq!(outcome(&files, "allowed-too/keys.csv"), Err(ErrorKind::NotAllowed));
        assert_eq!(outcome(&files, "allowed"), Err(ErrorKind::NotReadable));
        let none = place.path().join("none");
        assert!(
            FileAccess::below(place.path(), &[none]).is_err_and(|error| error.kind() == ErrorKind::NotFound)
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_nothing_outside() {
        use std::os::unix::fs::symlink;
        let place = place();
        let at = |name: &str| place.path().join(name);
        symlink(at("secret.csv"), at("allowed/link.csv")).expect("a link");
        symlink(place.path(), at("allowed/out")).expect("a link");
        symlink(at("allowed/keys.csv"), at("allowed/deep/within.csv")).expect("a link");
        symlink(at("allowed"), at("other-name")).expect("a link");
        let files = FileAccess::below(place.path(), &[at("other-name")]).expect("a folder");
        assert_eq!(outcome(&files, "other-name/link.csv"), Err(ErrorKind::NotAllowed));
        assert_eq!(outcome(&files, "other-name/out/secret.csv"), Err(ErrorKind::NotAllowed));
        assert_eq!(outcome(&files, "other-name/out/allowed/keys.csv"), Ok(b"keys".to_vec()));
        assert_eq!(outcome(&files, "other-name/deep/within.csv"), Ok(b"keys".to_vec()));
        assert_eq!(outcome(&files, "allowed/keys.csv"), Ok(b"keys".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let place = place();
        let socket = place.path().join("allowed/socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        for files in [
            FileAccess::everywhere(place.path()),
            FileAccess::below(place.path(), &[place.path().to_owned(), PathBuf::from("/dev")])
                .expect("folders"),
        ] {
            for name in ["allowed/socket", "/dev/zero", "allowed"] {
                assert_eq!(outcome(&files, name), Err(ErrorKind::NotReadable), "{name}");
            }
        }
    }

    #[test]
    fn larger_files_are_refused() {
        let place = place();
        let file = File::create(place.path().join("large.csv")).expect("a file");
        file.set_len(LOOKUP_BYTES + 1).expect("a sparse file");
        assert_eq!(outcome(&FileAccess::everywhere(place.path()), "large.csv"), Err(ErrorKind::Limit));
    }
}
