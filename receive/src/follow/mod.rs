//! Files that grow are followed by their names: across rename, truncation, deletion and reappearance. Each file
//! that was at a name is a stream of its own, which the file's device, number and first line tell from others; how
//! far it was read is how much of the stream the case has, so a restart reads no line twice. Only files and folders that
//! have changed are looked at, where the system says which.

mod file;
mod watch;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indexer::{Cancel, Glob};

use self::file::{Followed, Identity, is_packed, is_rotation};
use self::watch::{Watched, Watcher};
use crate::intake::Intake;
use crate::limits::{FOLDER_LOOK, FOLDER_SWEEP, FOLLOW_LOOK, MOST_FOLLOWED, SWEEP};
use crate::tally::Tally;

/// Follows files, folders and patterns until it is to stop.
pub fn follow(paths: &[PathBuf], log: &Arc<Tally>, stop: &Cancel) {
    let mut following = Following::new(log);
    while !stop.is_set() {
        let has_read = following.turn(paths);
        if !has_read {
            std::thread::sleep(FOLLOW_LOOK);
        }
    }
    // What was written before the end was asked for is read.
    while following.read(true) {}
}

struct Following<'l> {
    log: &'l Arc<Tally>,
    files: Vec<Followed>,
    /// Files that were read to their end before they were rotated away.
    done: HashSet<(u64, u64)>,
    /// Files that are no lines of text, which was said.
    refused: BTreeSet<PathBuf>,
    watcher: Watcher,
    /// The folders that are watched for new files.
    folders: BTreeSet<Watched>,
    /// A folder, or a file that is not followed yet, may change without being watched.
    is_unwatched: bool,
    has_changed: bool,
    looked: Option<Instant>,
    swept: Instant,
}

impl Following<'_> {
    fn new(log: &Arc<Tally>) -> Following<'_> {
        Following {
            log,
            files: Vec::new(),
            done: HashSet::new(),
            refused: BTreeSet::new(),
            watcher: Watcher::new(),
            folders: BTreeSet::new(),
            is_unwatched: true,
            has_changed: true,
            looked: None,
            swept: Instant::now(),
        }
    }

    /// Reads what was written since. Tells whether there was anything.
    fn turn(&mut self, paths: &[PathBuf]) -> bool {
        self.take_changes();
        let patience = if self.is_unwatched || self.files.iter().any(Followed::is_gone) {
            FOLDER_LOOK
        } else {
            FOLDER_SWEEP
        };
        if self.has_changed || self.looked.is_none_or(|looked| looked.elapsed() >= patience) {
            self.looked = Some(Instant::now());
            self.look(paths);
        }
        let is_sweep = self.swept.elapsed() >= SWEEP;
        if is_sweep {
            self.swept = Instant::now();
        }
        self.read(is_sweep)
    }

    /// Notes which files and folders have changed.
    fn take_changes(&mut self) {
        let changes = self.watcher.changes();
        let news: HashSet<Watched> = changes.of.into_iter().collect();
        for file in &mut self.files {
            if changes.lost || file.watched().is_some_and(|watched| news.contains(&watched)) {
                file.changed();
            }
        }
        self.has_changed |= changes.lost || self.folders.iter().any(|folder| news.contains(folder));
    }

    /// Finds files that are not followed yet.
    fn look(&mut self, paths: &[PathBuf]) {
        // Changes from here on are seen by the next look.
        self.watch_folders(paths);
        self.has_changed = false;
        for path in paths {
            if path.is_dir() {
                self.look_in(path, None);
            } else if let Some((folder, pattern)) = pattern_of(path) {
                self.look_in(&folder, Some(&pattern));
            } else {
                self.open(path);
            }
        }
    }

    fn watch_folders(&mut self, paths: &[PathBuf]) {
        let folders = paths.iter().map(|path| {
            let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            self.watcher.folder(folder)
        });
        let folders: Vec<Option<Watched>> = folders.collect();
        self.is_unwatched = folders.iter().any(Option::is_none);
        let folders: BTreeSet<Watched> = folders.into_iter().flatten().collect();
        self.folders.difference(&folders).for_each(|&gone| self.watcher.forget(gone));
        self.folders = folders;
    }

    fn look_in(&mut self, folder: &Path, pattern: Option<&Glob>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut names: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        names.sort();
        let known: BTreeSet<PathBuf> = names.iter().cloned().collect();
        for path in names {
            let fits = pattern.is_none_or(|pattern| {
                pattern.matches(&path.file_name().unwrap_or_default().to_string_lossy())
            });
            // Older files of a log are those that it was renamed to, and were read under its name.
            if fits && !is_rotation(&path, &known) {
                self.open(&path);
            }
        }
    }

    fn open(&mut self, path: &Path) {
        let Ok(meta) = fs::metadata(path) else { return };
        let Some(number) = file::number(&meta) else { return };
        if !meta.is_file()
            || self.done.contains(&number)
            || self.files.iter().any(|file| file.number() == number)
            || self.files.len() >= MOST_FOLLOWED
        {
            return;
        }
        if is_packed(path) {
            if self.refused.insert(path.to_owned()) {
                self.log.counters().source(&path.to_string_lossy()).rejected("compressed or no text", 1);
            }
            return;
        }
        let is_first = !self.files.iter().any(|file| file.path() == path);
        if is_first {
            self.open_rest(path);
        }
        match Followed::open(path, self.log) {
            Some(opened) => self.push(opened),
            // Its first line is not there yet.
            None => self.is_unwatched = true,
        }
    }

    /// Opens files that this one's name was rotated to while nobody looked, where they were not read to the end.
    fn open_rest(&mut self, path: &Path) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let name = name.to_string_lossy().into_owned();
        let Ok(entries) = fs::read_dir(folder) else { return };
        for other in entries.flatten().map(|entry| entry.path()) {
            let is_sibling = other.file_name().is_some_and(|other| {
                let other = other.to_string_lossy();
                *other != *name && other.starts_with(&name)
            });
            if !is_sibling || is_packed(&other) {
                continue;
            }
            let Some(identity) = Identity::from_path(&other) else { continue };
            let is_open = self.files.iter().any(|file| file.number() == identity.number());
            if !is_open && let Some(mut rest) = Followed::rest_of(path, &other, &identity, self.log) {
                rest.is_rotated();
                self.push(rest);
            }
        }
    }

    fn push(&mut self, mut file: Followed) {
        file.watch(&self.watcher);
        self.files.push(file);
    }

    /// Reads what was written to the files that may have changed, or to all. Tells whether there was anything.
    fn read(&mut self, all: bool) -> bool {
        let mut has_read = false;
        let mut at = 0;
        while at < self.files.len() {
            let file = &mut self.files[at];
            if all || file.is_due() {
                let was_gone = file.is_gone();
                has_read |= file.read(self.log);
                // Another file may be at its path.
                self.has_changed |= file.is_gone() && !was_gone;
            }
            if file.has_ended() {
                self.done.insert(file.number());
                if let Some(watched) = file.watched() {
                    self.watcher.forget(watched);
                }
                self.files.swap_remove(at);
            } else {
                at += 1;
            }
        }
        has_read
    }
}

/// The folder that a pattern looks into, and the pattern.
fn pattern_of(path: &Path) -> Option<(PathBuf, Glob)> {
    let name = path.file_name()?.to_string_lossy();
    if !name.contains(['*', '?', '[']) {
        return None;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some((folder.to_owned(), Glob::new(&name)))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;

    use indexer::Case;

    use super::*;
    use crate::receiver::{Options, Receiver};

    #[test]
    fn only_files_that_changed_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Arc::new(Case::create(&folder.path().join("live.case")).expect("a case"));
        let receiver =
            Receiver::start(Arc::clone(&case), Options::default(), Arc::new(|_| {})).expect("it starts");
        let tally = Arc::new(Tally::new(receiver.log(), receiver.part(), Arc::default()));
        let logs = folder.path().join("logs");
        fs::create_dir(&logs).expect("a folder");
        let write = |name: usize, line: &str| {
            let path = logs.join(format!("{name}.log"));
            let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("a file");
            file.write_all(line.as_bytes()).expect("it is written");
        };
        (0..200).for_each(|name| write(name, "one\n"));
        let mut following = Following::new(&tally);
        following.look(std::slice::from_ref(&logs));
        assert!(following.read(false) && !following.is_unwatched);
        let due = |following: &Following<'_>| -> Vec<PathBuf> {
            let due = following.files.iter().filter(|file| file.is_due());
            due.map(|file| file.path().to_owned()).collect()
        };
        following.take_changes();
        assert_eq!((due(&following), following.has_changed), (Vec::new(), false));

        write(7, "two\n");
        following.take_changes();
        assert_eq!(due(&following), [logs.join("7.log")]);
        assert!(following.read(false) && due(&following).is_empty());
        // A line that has no end yet is waited for.
        write(8, "thr");
        following.take_changes();
        assert!(!following.read(false));
        assert_eq!(due(&following), [logs.join("8.log")]);
        write(8, "ee\n");
        assert!(following.read(false) && due(&following).is_empty());

        // A new file, and one that is replaced.
        write(200, "new\n");
        following.take_changes();
        assert!(following.has_changed);
        following.look(std::slice::from_ref(&logs));
        assert!(following.read(false) && following.files.len() == 201);
        following.take_changes();
        following.has_changed = false;
        fs::rename(logs.join("9.log"), folder.path().join("elsewhere")).expect("it is renamed");
        write(9, "other\n");
        following.take_changes();
        following.look(std::slice::from_ref(&logs));
        assert!(following.read(false));
        assert_eq!(following.files.iter().filter(|file| file.is_gone()).count(), 1);
        drop(following);
        receiver.finish().expect("a clean end");
        assert_eq!(case.snapshot().events(), 200 + 4);
    }
}
