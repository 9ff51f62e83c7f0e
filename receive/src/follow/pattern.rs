//! Which files a path names: itself, those of a folder, or those that match a pattern. Each part of a pattern is matched in
//! the folders that match the parts before it, and those are named too, because something new may appear in them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use indexer::{Error, ErrorKind, Glob};

use super::file::is_rotation;

/// A part that matches any number of folders.
const ANY_DEPTH: &str = "**";

/// The files of a path, in order. `watch` is given each folder before it is read.
pub fn files_of(path: &Path, watch: &mut dyn FnMut(&Path)) -> Vec<PathBuf> {
    if path.is_dir() {
        return files_in(path, &Glob::new("*"), watch);
    }
    if path.exists() || !Glob::is_pattern(&path.to_string_lossy()) {
        // A file may be called `a[1].log`.
        watch(&folder_of(path));
        return vec![path.to_owned()];
    }
    let parent = path.parent().unwrap_or(path);
    let literal = folder_of(path);
    let mut folders = BTreeSet::from([literal.clone()]);
    for part in parent.strip_prefix(&literal).unwrap_or(parent).components() {
        folders = folders.iter().flat_map(|folder| folders_in(folder, part.as_os_str(), watch)).collect();
    }
    let mut name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == ANY_DEPTH {
        folders =
            folders.iter().flat_map(|folder| folders_in(folder, OsStr::new(ANY_DEPTH), watch)).collect();
        name = "*".into();
    }
    let glob = Glob::new(&name);
    folders.iter().flat_map(|folder| files_in(folder, &glob, watch)).collect()
}

/// The folder that has to be there: that of a file, or what comes before the first part that is a pattern.
#[must_use]
pub fn folder_of(path: &Path) -> PathBuf {
    let is_literal = |part: &Component<'_>| !Glob::is_pattern(&part.as_os_str().to_string_lossy());
    let parent = path.parent().unwrap_or(path);
    let folder: PathBuf =
        if path.exists() { parent.to_owned() } else { parent.components().take_while(is_literal).collect() };
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

/// Why nothing is read of a folder or a pattern yet: it has no files.
#[must_use]
pub fn why_nothing(path: &Path) -> Option<Error> {
    files_of(path, &mut |_| {}).is_empty().then(|| {
        let folder = if path.is_dir() { path.to_owned() } else { folder_of(path) };
        let (kind, message) = match fs::read_dir(&folder) {
            Ok(_) => (ErrorKind::NotFound, "no file to tail is there yet".to_owned()),
            Err(error) => (ErrorKind::NotReadable, format!("{} cannot be read: {error}", folder.display())),
        };
        Error::new(kind, message).at(path).hint("files are tailed as soon as they are there")
    })
}

/// The folders in a folder that a part of a path names.
fn folders_in(folder: &Path, part: &OsStr, watch: &mut dyn FnMut(&Path)) -> Vec<PathBuf> {
    let (named, text) = (folder.join(part), part.to_string_lossy());
    if !Glob::is_pattern(&text) || named.is_dir() {
        return vec![named];
    }
    watch(folder);
    let is_any_depth = text == ANY_DEPTH;
    let glob = Glob::new(&text);
    let mut found = if is_any_depth { vec![folder.to_owned()] } else { Vec::new() };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let is_hidden = name.starts_with('.') && !text.starts_with('.');
        let is_case = path.extension().is_some_and(|extension| extension == "case");
        if is_hidden || is_case || !glob.matches(&name) || !path.is_dir() {
            continue;
        }
        if is_any_depth && !path.is_symlink() {
            found.extend(folders_in(&path, part, watch));
        } else if !is_any_depth {
            found.push(path);
        }
    }
    found
}

fn files_in(folder: &Path, pattern: &Glob, watch: &mut dyn FnMut(&Path)) -> Vec<PathBuf> {
    watch(folder);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let known: BTreeSet<PathBuf> = names.iter().cloned().collect();
    names.retain(|path| {
        let fits = pattern.matches(&path.file_name().unwrap_or_default().to_string_lossy());
        // Older files of a log are those that it was renamed to, and were read under its name.
        fits && !path.is_dir() && !is_rotation(path, &known)
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_matched_part_by_part_and_name_the_folders_to_watch() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for name in [
            "pods/shop_web-1_7/web/0.log",
            "pods/shop_web-1_7/web/0.log.20260301-120000",
            "pods/shop_web-1_7/side/1.log",
            "pods/shop_db-1_8/db/0.txt",
            "pods/.hidden/web/0.log",
            "pods/live.case/wal/1.log",
            "pods/a[1].log",
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, "x\n").expect("a file");
        }
        let found = |pattern: &str| -> (Vec<String>, BTreeSet<String>) {
            let short = |path: &Path| path.strip_prefix(root).expect("a path in it").display().to_string();
            let mut watched = BTreeSet::new();
            let files = files_of(&root.join(pattern), &mut |folder| {
                watched.insert(short(folder));
            });
            (files.iter().map(|file| short(file)).collect(), watched)
        };
        let web = "pods/shop_web-1_7";
        let logs = [format!("{web}/side/1.log"), format!("{web}/web/0.log")];
        let (files, watched) = found("pods/*/*/*.log");
        assert_eq!(files, logs);
        let folders =
            ["", "/shop_db-1_8", "/shop_db-1_8/db", "/shop_web-1_7"].map(|name| format!("pods{name}"));
        let below = ["side", "web"].map(|name| format!("{web}/{name}"));
        assert_eq!(watched, folders.into_iter().chain(below).collect::<BTreeSet<_>>());
        assert_eq!(found("pods/{shop_web,other}*/w?b/*").0, logs[1..]);
        assert_eq!(found("pods/**/*.log").0, [&["pods/a[1].log".to_owned()][..], &logs].concat());
        assert_eq!(found("pods/shop_db*/**").0, ["pods/shop_db-1_8/db/0.txt"]);
        // Names of files that are there are no patterns.
        assert_eq!(found("pods/a[1].log").0, ["pods/a[1].log"]);
        assert_eq!(found("pods").0, ["pods/a[1].log"]);
        // A file that is named is waited for, and a folder that is not there is looked for again.
        let (files, watched) = found("pods/shop_web-1_7/new.log");
        assert_eq!((files, watched), (vec![format!("{web}/new.log")], BTreeSet::from([web.to_owned()])));
        let (files, watched) = found("gone/*/x.log*");
        assert_eq!((files, watched), (Vec::new(), BTreeSet::from(["gone".to_owned()])));
        let why = |pattern: &str| why_nothing(&root.join(pattern)).map(|error| error.to_string());
        assert!(why("pods/*/*/*.log").is_none() && why("pods/new.log").is_none());
        assert!(why("pods/*/*.zip").is_some_and(|why| why.contains("no file to tail is there yet")));
        assert!(why("gone/*/*.log").is_some_and(|why| why.contains("cannot be read")));
    }
}
