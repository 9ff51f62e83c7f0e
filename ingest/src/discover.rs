//! Finds the files to read below the given paths, in an order that a person expects.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::error::{Error, ErrorKind};
use crate::glob::Glob;
use crate::limits;

/// A file that can be opened as a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    pub path: PathBuf,
    /// Short name for people: relative to the given folder, with `/` between parts.
    pub name: String,
    pub bytes: u64,
    /// When the file was last written, in nanoseconds since 1970 UTC, if the system knows it.
    pub modified_ns: Option<i64>,
    /// The named folder that it lies in, if no link below that folder is followed when it is opened.
    pub below: Option<PathBuf>,
}

/// The path of the standard input, by convention. A file of this name is `./-`.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The files below the given paths, and the paths that cannot be read.
#[derive(Debug, Default)]
pub struct Discovery {
    pub files: Vec<InputFile>,
    pub refused: Vec<Error>,
}

/// Searches files and folders. Folders are walked in natural order of names (`app.2` before `app.10`); hidden
/// entries and case folders in them are skipped, and each folder is entered once. Links, pipes, sockets and devices
/// in folders are refused by name; a link that is itself one of the paths is followed.
#[must_use]
pub fn discover(paths: &[PathBuf]) -> Discovery {
    discover_some(paths, &Filter::default())
}

/// Selects files within folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only files that match one of these patterns; all files if there are none.
    pub include: Vec<Glob>,
    /// No files that match one of these patterns, nor the contents of folders that do.
    pub exclude: Vec<Glob>,
    /// Follow links in folders, wherever they lead.
    pub follow_links: bool,
}

/// The reason why a link in a folder is not followed.
pub(crate) const LINK: &str =
    "it is a link, and links in folders are not followed; name it, or use --follow-links";

/// The reason why something else than a file is not opened.
pub(crate) const SPECIAL: &str = "it is a pipe, a socket or a device, not a file";

impl Filter {
    fn accepts(&self, name: &str) -> bool {
        let is_included = self.include.is_empty() || self.include.iter().any(|glob| glob.matches(name));
        is_included && !self.excludes(name)
    }

    /// Whether files in a folder may be accepted.
    fn enters(&self, name: &str) -> bool {
        let is_included = self.include.is_empty() || self.include.iter().any(Glob::enters_folders);
        is_included && !self.excludes(name)
    }

    fn excludes(&self, name: &str) -> bool {
        self.exclude.iter().any(|glob| glob.matches(name))
    }
}

/// Like [`discover`], with a filter for the files of folders. A path that does not exist and is written as a
/// pattern (`logs/**/*.gz`) selects the files that match it.
#[must_use]
pub fn discover_some(paths: &[PathBuf], filter: &Filter) -> Discovery {
    let mut walk = FolderWalk { filter: filter.clone(), ..FolderWalk::default() };
    for path in paths {
        match pattern(path) {
            Some((folder, glob)) => walk.matching(path, &folder, glob),
            None => walk.add_path(path),
        }
    }
    walk.discovery
}

/// The folder at the start of a pattern, and the rest of it.
fn pattern(path: &Path) -> Option<(PathBuf, Glob)> {
    let text = path.to_str().filter(|text| Glob::is_pattern(text))?;
    if fs::symlink_metadata(path).is_ok() {
        // A file may be called `a[1].log`.
        return None;
    }
    let text = text.replace(std::path::MAIN_SEPARATOR, "/");
    let literal = text.split('/').take_while(|part| !Glob::is_pattern(part)).map(|part| part.len() + 1).sum();
    let (folder, rest) = text.split_at(literal);
    let folder = if folder.is_empty() { PathBuf::from(".") } else { PathBuf::from(folder) };
    // A pattern without a folder matches only files of this folder, not of its subfolders.
    let glob = if rest.contains('/') { Glob::new(rest) } else { Glob::for_whole_path(rest) };
    Some((folder, glob))
}

#[derive(Default)]
struct FolderWalk {
    discovery: Discovery,
    filter: Filter,
    /// The named folder whose files are searched.
    named: PathBuf,
    /// Folders entered, by their real paths, so that link cycles end.
    entered: HashSet<PathBuf>,
}

impl FolderWalk {
    fn add_path(&mut self, path: &Path) {
        if path == Path::new(STANDARD_INPUT) {
            let name = "standard input".to_owned();
            let found =
                InputFile { path: path.to_path_buf(), name, bytes: 0, modified_ns: None, below: None };
            return self.discovery.files.push(found);
        }
        match fs::metadata(path) {
            Err(error) => self.discovery.refused.push(Error::io(path, error)),
            Ok(metadata) if metadata.is_file() => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                self.discovery.files.push(found(path, name, &metadata, None));
            }
            Ok(metadata) if !metadata.is_dir() => {
                self.refuse(ErrorKind::NotReadable, path, "it is neither a file nor a folder");
            }
            Ok(_) if is_case(path) => {
                self.refuse(ErrorKind::NoLogs, path, "it is a case: open it, there is nothing to import");
            }
            Ok(_) => {
                let before = (self.discovery.files.len(), self.discovery.refused.len());
                self.named = path.to_path_buf();
                self.folder(path, "", 0);
                if before == (self.discovery.files.len(), self.discovery.refused.len()) {
                    self.refuse(ErrorKind::NoLogs, path, "there is no file in this folder");
                }
            }
        }
    }

    /// The files of a folder that match a pattern.
    fn matching(&mut self, path: &Path, folder: &Path, glob: Glob) {
        let before = self.discovery.files.len();
        let include = std::mem::replace(&mut self.filter.include, vec![glob]);
        // Several patterns may name one folder, and each selects its own files.
        let entered = std::mem::take(&mut self.entered);
        folder.clone_into(&mut self.named);
        self.folder(folder, "", 0);
        (self.filter.include, self.entered) = (include, entered);
        let known: HashSet<PathBuf> =
            self.discovery.files[..before].iter().map(|found| found.path.clone()).collect();
        let mut place = 0;
        self.discovery.files.retain(|found| {
            place += 1;
            place <= before || !known.contains(&found.path)
        });
        if self.discovery.files.len() == before && known.is_empty() {
            self.refuse(ErrorKind::NotFound, path, "no file matches this pattern");
        }
    }

    fn folder(&mut self, path: &Path, prefix: &str, depth: usize) {
        if !self.entered.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())) {
            return;
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return self.discovery.refused.push(Error::io(path, error)),
        };
        let mut names: Vec<(String, PathBuf)> = entries
            .filter_map(Result::ok)
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
            .filter(|(name, _)| !name.starts_with('.'))
            .collect();
        names.sort_by(|a, b| natural_order(&a.0, &b.0).then_with(|| a.cmp(b)));
        for (name, path) in names {
            let full_name = format!("{prefix}{name}");
            let follows = self.filter.follow_links;
            match if follows { fs::metadata(&path) } else { fs::symlink_metadata(&path) } {
                Err(error) => self.discovery.refused.push(Error::io(&path, error)),
                Ok(metadata) if metadata.is_file() => {
                    if self.filter.accepts(&full_name) {
                        let below = (!follows).then(|| self.named.clone());
                        self.discovery.files.push(found(&path, full_name, &metadata, below));
                    }
                }
                Ok(metadata) if metadata.is_dir() && self.filter.excludes(&full_name) => {}
                Ok(metadata) if metadata.is_dir() && !is_case(&path) => {
                    if depth < limits::DEEPEST_FOLDER {
                        self.folder(&path, &format!("{full_name}/"), depth + 1);
                    } else {
                        self.refuse(ErrorKind::NotReadable, &path, "it lies too many folders deep");
                    }
                }
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) if metadata.is_symlink() && fs::metadata(&path).is_ok_and(|to| to.is_dir()) => {
                    if self.filter.enters(&full_name) {
                        self.refuse(ErrorKind::Refused, &path, LINK);
                    }
                }
                Ok(metadata) if self.filter.accepts(&full_name) => {
                    self.refuse(
                        ErrorKind::Refused,
                        &path,
                        if metadata.is_symlink() { LINK } else { SPECIAL },
                    );
                }
                Ok(_) => {}
            }
        }
    }

    fn refuse(&mut self, kind: ErrorKind, path: &Path, message: &str) {
        self.discovery.refused.push(Error::new(kind, path, message));
    }
}

fn found(path: &Path, name: String, metadata: &Metadata, below: Option<PathBuf>) -> InputFile {
    let modified_ns = metadata.modified().ok().and_then(|modified| {
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    });
    InputFile { path: path.to_path_buf(), name, bytes: metadata.len(), modified_ns, below }
}

fn is_case(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("case"))
}

/// Compares names as people do: runs of digits by their value, letters case-insensitively.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_a, number_b) = (digits(&mut a), digits(&mut b));
            number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b))
        } else {
            (a, b) = (&a[1..], &b[1..]);
            x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Removes the leading digits from a name. Returns them without leading zeros, so that a longer run is a
/// larger value.
fn digits<'a>(name: &mut &'a [u8]) -> &'a [u8] {
    let end = name.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(name.len());
    let (number, rest) = name.split_at(end);
    *name = rest;
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    &number[zeros..]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn touch(root: &Path, name: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x\n").unwrap();
    }

    #[test]
    fn folders_are_walked_in_natural_order_without_hidden_files_and_cases() {
        let root = tempfile::tempdir().unwrap();
        for name in ["app.log.10", "app.log.2", "web/Access.log", ".hidden", ".git/x", "old.case/case.json"] {
            touch(root.path(), name);
        }
        let discovery = discover(&[root.path().to_path_buf()]);
        let names: Vec<_> = discovery.files.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["app.log.2", "app.log.10", "web/Access.log"]);
        assert!(discovery.refused.is_empty());
        assert!(discovery.files[0].modified_ns.is_some());
    }

    #[test]
    fn unreadable_paths_are_reported_and_the_rest_is_kept() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), "a.log");
        fs::create_dir(root.path().join("empty")).unwrap();
        fs::create_dir(root.path().join("x.case")).unwrap();
        let paths = ["missing.log", "a.log", "empty", "x.case"].map(|name| root.path().join(name));
        let discovery = discover(&paths);
        assert_eq!(discovery.files.len(), 1);
        let kinds: Vec<_> = discovery.refused.iter().map(Error::kind).collect();
        assert_eq!(kinds, [ErrorKind::NotFound, ErrorKind::NoLogs, ErrorKind::NoLogs]);
        assert_eq!(discovery.refused[0].path(), root.path().join("missing.log"));
    }

    #[test]
    fn folders_are_filtered_and_patterns_are_matched() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a.log", "b.txt", "old/c.log", "old/deep/d.log.gz", "tmp/e.log"] {
            touch(root.path(), name);
        }
        let names = |discovery: Discovery| -> Vec<String> {
            discovery.files.into_iter().map(|found| found.name).collect()
        };
        let filter = Filter {
            include: vec![Glob::new("*.log")],
            exclude: vec![Glob::new("tmp")],
            ..Filter::default()
        };
        assert_eq!(names(discover_some(&[root.path().to_path_buf()], &filter)), ["a.log", "old/c.log"]);
        let matching = |pattern: &str| names(discover(&[root.path().join(pattern)]));
        assert_eq!(matching("*.log"), ["a.log"]);
        assert_eq!(matching("**/*.log"), ["a.log", "old/c.log", "tmp/e.log"]);
        assert_eq!(matching("old/**"), ["c.log", "deep/d.log.gz"]);
        let none = discover(&[root.path().join("*.zip")]);
        assert_eq!(none.refused[0].kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_folders_are_refused_by_name_unless_they_are_to_be_followed() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        for name in ["keys/id_rsa", "logs/a.log", "logs/sub/b.log"] {
            touch(root.path(), name);
        }
        let logs = root.path().join("logs");
        symlink(root.path().join("keys/id_rsa"), logs.join("app.log")).unwrap();
        symlink(root.path().join("keys"), logs.join("keys")).unwrap();
        symlink(root.path().join("nowhere"), logs.join("sub/gone.log")).unwrap();
        let names = |discovery: &Discovery| -> Vec<String> {
            discovery.files.iter().map(|found| found.name.clone()).collect()
        };
        let discovery = discover(std::slice::from_ref(&logs));
        assert_eq!(names(&discovery), ["a.log", "sub/b.log"]);
        let refused: Vec<_> =
            discovery.refused.iter().map(|error| (error.path(), error.to_string())).collect();
        let link = |name: &str| (logs.join(name), LINK.to_owned());
        let expected = [link("app.log"), link("keys"), link("sub/gone.log")];
        assert_eq!(refused, expected.each_ref().map(|(path, why)| (path.as_path(), why.clone())));
        // A pattern selects within a folder; what it leaves out is not named.
        let some = discover(&[logs.join("*.log")]);
        assert_eq!((names(&some), some.refused.len()), (vec!["a.log".to_owned()], 1));
        let filter = Filter { exclude: vec![Glob::new("keys"), Glob::new("app*")], ..Filter::default() };
        assert_eq!(discover_some(std::slice::from_ref(&logs), &filter).refused.len(), 1);
        // A person named these links, or asked for all of them.
        assert_eq!(names(&discover(&[logs.join("app.log"), logs.join("keys")])), ["app.log", "id_rsa"]);
        let follow = Filter { follow_links: true, ..Filter::default() };
        let all = discover_some(&[logs], &follow);
        assert_eq!(names(&all), ["a.log", "app.log", "keys/id_rsa", "sub/b.log"]);
        assert_eq!(all.refused.iter().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::NotFound]);
    }

    #[cfg(unix)]
    #[test]
    fn link_cycles_end() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), "logs/a.log");
        std::os::unix::fs::symlink(root.path(), root.path().join("logs/up")).unwrap();
        for follow_links in [false, true] {
            let filter = Filter { follow_links, ..Filter::default() };
            assert_eq!(discover_some(&[root.path().to_path_buf()], &filter).files.len(), 1);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_and_sockets_in_folders_are_refused_by_name() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), "a.log");
        rustix::fs::mkfifoat(rustix::fs::CWD, root.path().join("pipe.log"), 0o600.into()).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.path().join("socket.log")).unwrap();
        let discovery = discover(&[root.path().to_path_buf()]);
        assert_eq!(discovery.files.len(), 1);
        let refused: Vec<_> =
            discovery.refused.iter().map(|error| (error.path(), error.to_string())).collect();
        let expected = ["pipe.log", "socket.log"].map(|name| (root.path().join(name), SPECIAL.to_owned()));
        assert_eq!(refused, expected.each_ref().map(|(path, why)| (path.as_path(), why.clone())));
    }
}
