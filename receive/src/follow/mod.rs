//! Files that grow are followed by their names: across rename, truncation, deletion and reappearance. Each file
//! that was at a name is a stream of its own, which the file's device, number and first line tell from others; how
//! far it was read is how much of the stream the case has, so a restart reads no line twice. Only files and folders that
//! have changed are looked at, where the system says which.

mod file;
mod pattern;
mod watch;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indexer::{Cancel, Error, ErrorKind};

use self::file::{Followed, Identity, is_packed};
use self::pattern::files_of;
pub use self::pattern::{folder_of, why_nothing};
use self::watch::{Watched, Watcher};
use crate::intake::Intake;
use crate::limits::{FOLDER_LOOK, FOLDER_SWEEP, FOLLOW_LOOK, MOST_FOLLOWED, SWEEP};
use crate::receiver::{Notice, Tell};
use crate::tally::Tally;

/// Follows files, folders and patterns until it is to stop.
pub fn follow(paths: &[PathBuf], log: &Arc<Tally>, tell: &Tell, stop: &Cancel) {
    let mut following = Following::new(log, tell);
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
    tell: &'l Tell,
    files: Vec<Followed>,
    /// Files that were read to their end before they were rotated away.
    done: HashMap<(u64, u64), Identity>,
    /// Files that are no lines of text or too many, and folders and patterns without files, which was said.
    refused: BTreeSet<PathBuf>,
    /// Files and folders that were reported because they do not exist.
    missing: BTreeSet<PathBuf>,
    /// It was said that there are too many files.
    is_full: bool,
    watcher: Watcher,
    /// What is watched for new files: folders, and files whose first line is not there yet.
    awaited: BTreeSet<Watched>,
    /// A folder, or a file that is not followed yet, may change without being watched.
    is_unwatched: bool,
    has_changed: bool,
    looked: Option<Instant>,
    swept: Instant,
}

impl Following<'_> {
    fn new<'l>(log: &'l Arc<Tally>, tell: &'l Tell) -> Following<'l> {
        Following {
            log,
            tell,
            files: Vec::new(),
            done: HashMap::new(),
            refused: BTreeSet::new(),
            missing: BTreeSet::new(),
            is_full: false,
            watcher: Watcher::new(),
            awaited: BTreeSet::new(),
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
        self.has_changed |= changes.lost || self.awaited.iter().any(|awaited| news.contains(awaited));
    }

    /// Finds files that are not followed yet.
    fn look(&mut self, paths: &[PathBuf]) {
        (self.has_changed, self.is_unwatched) = (false, false);
        let mut folders = Vec::new();
        let before = std::mem::take(&mut self.awaited);
        for path in paths {
            // Changes from here on are seen by the next look.
            let files = files_of(path, &mut |folder| folders.push(self.watcher.folder(folder)));
            if files.is_empty()
                && self.refused.insert(path.clone())
                && let Some(why) = why_nothing(path)
            {
                (self.tell)(Notice::NotFollowed(why));
            }
            let is_awaited = files == [path.as_path()] && fs::symlink_metadata(path).is_err();
            if is_awaited
                && !self.files.iter().any(|file| file.path() == path)
                && self.missing.insert(path.clone())
            {
                (self.tell)(Notice::NotFollowed(missing(path)));
            }
            for file in &files {
                self.open(file, path);
            }
        }
        self.is_unwatched |= folders.iter().any(Option::is_none);
        self.awaited.extend(folders.into_iter().flatten());
        let is_followed = |watched: Watched| self.files.iter().any(|file| file.watched() == Some(watched));
        let gone = before.difference(&self.awaited).filter(|&&watched| !is_followed(watched));
        gone.for_each(|&gone| self.watcher.forget(gone));
    }

    /// Opens a file that is followed by its own path, or that of its folder or pattern.
    fn open(&mut self, path: &Path, named: &Path) {
        let Ok(meta) = fs::metadata(path) else { return };
        let Some(number) = file::number(&meta) else { return };
        if !meta.is_file()
            || self.done.get(&number).is_some_and(|done| done.is_of(path))
            || self.files.iter().any(|file| file.number() == number)
        {
            return;
        }
        if is_packed(path) {
            return self.refuse(path, path, "compressed or no text");
        }
        if self.files.len() >= MOST_FOLLOWED {
            if !self.is_full {
                self.is_full = true;
                (self.tell)(Notice::NotFollowed(too_many(path)));
            }
            return self.refuse(path, named, "too many files");
        }
        let is_first = !self.files.iter().any(|file| file.path() == path);
        if is_first {
            self.open_rest(path);
        }
        // Watched before it is opened, so that no line is missed in between.
        let watched = self.watcher.file(path);
        match (Followed::open(path, self.log), watched) {
            (Some(opened), _) => self.push(opened),
            // Its first line is not there yet.
            (None, Some(watched)) => drop(self.awaited.insert(watched)),
            (None, None) => self.is_unwatched = true,
        }
    }

    /// Counts once that a file is not followed.
    fn refuse(&mut self, path: &Path, counted_at: &Path, reason: &'static str) {
        if self.refused.insert(path.to_owned()) {
            self.log.counters().source(&counted_at.to_string_lossy()).rejected(reason, 1);
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
        let mut copies = Vec::new();
        let mut at = 0;
        while at < self.files.len() {
            let file = &mut self.files[at];
            if all || file.is_due() {
                let was_gone = file.is_gone();
                has_read |= file.read(self.log);
                copies.extend(file.take_copy());
                // Another file may be at its path.
                self.has_changed |= file.is_gone() && !was_gone;
            }
            if file.has_ended() {
                self.done.insert(file.number(), file.identity());
                if let Some(watched) = file.watched() {
                    self.watcher.forget(watched);
                }
                self.files.swap_remove(at);
            } else {
                at += 1;
            }
        }
        has_read |= !copies.is_empty();
        for copy in copies {
            // A pattern may name it too; then it is a file of its own.
            if !self.files.iter().any(|file| file.number() == copy.number()) {
                self.push(copy);
            }
        }
        has_read
    }
}

fn missing(path: &Path) -> Error {
    Error::new(ErrorKind::NotFound, "no file or folder of this name exists")
        .at(path)
        .hint("Timberline waits for it; stop with Ctrl+C if the name is wrong")
}

fn too_many(path: &Path) -> Error {
    let message = format!("it is not tailed: {MOST_FOLLOWED} other files are");
    Error::new(ErrorKind::Limit, message)
        .at(path)
        .hint("name fewer files; this one is tailed when another one has ended")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use indexer::Case;

    use super::*;
    use crate::receiver::{Options, Receiver};

    /// A folder with a case that receives.
    fn started() -> (tempfile::TempDir, Arc<Case>, Receiver, Arc<Tally>) {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Arc::new(Case::create(&folder.path().join("live.case")).expect("a case"));
        let receiver =
            Receiver::start(Arc::clone(&case), Options::default(), Arc::new(|_| {})).expect("it starts");
        let tally = Arc::new(Tally::new(receiver.log(), receiver.part(), Arc::default()));
        (folder, case, receiver, tally)
    }

    /// The reports of files that are not tailed, and the closure that adds to them.
    fn reports() -> (Arc<Mutex<Vec<String>>>, impl Fn(Notice) + Send + Sync + 'static) {
        let said = Arc::new(Mutex::new(Vec::new()));
        let saying = Arc::clone(&said);
        let tell = move |notice: Notice| {
            let Notice::NotFollowed(why) = notice else { return };
            saying.lock().expect("a list").push(why.to_string());
        };
        (said, tell)
    }

    #[test]
    fn only_files_that_changed_are_read() {
        let (folder, case, receiver, tally) = started();
        let logs = folder.path().join("logs");
        fs::create_dir(&logs).expect("a folder");
        let write = |name: usize, line: &str| {
            let path = logs.join(format!("{name}.log"));
            let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("a file");
            file.write_all(line.as_bytes()).expect("it is written");
        };
        (0..200).for_each(|name| write(name, "one\n"));
        let tell = |_: Notice| {};
        let mut following = Following::new(&tally, &tell);
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

        // A file without a line is looked at when it has one.
        write(300, "");
        following.take_changes();
        following.look(std::slice::from_ref(&logs));
        following.take_changes();
        assert!(!following.is_unwatched && !following.has_changed);
        write(300, "first\n");
        following.take_changes();
        assert!(following.has_changed);
        following.look(std::slice::from_ref(&logs));
        assert!(following.read(false) && following.files.len() == 201);
        write(300, "second\n");
        following.take_changes();
        assert!(following.read(false));

        // A new file, and one that is replaced.
        write(200, "new\n");
        following.take_changes();
        assert!(following.has_changed);
        following.look(std::slice::from_ref(&logs));
        assert!(following.read(false) && following.files.len() == 202);
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
        assert_eq!(case.snapshot().events(), 200 + 6);
    }

    #[test]
    fn what_is_not_followed_is_counted_and_said_once() {
        let (folder, _case, receiver, tally) = started();
        let (said, tell) = reports();
        let mut following = Following::new(&tally, &tell);
        let pattern = folder.path().join("pods/*/*.log");
        following.look(std::slice::from_ref(&pattern));
        let pod = folder.path().join("pods/web");
        fs::create_dir_all(&pod).expect("folders");
        for name in 0..MOST_FOLLOWED + 3 {
            fs::write(pod.join(format!("{name}.log")), "one\n").expect("a file");
        }
        for _ in 0..2 {
            following.look(std::slice::from_ref(&pattern));
        }
        assert_eq!(following.files.len(), MOST_FOLLOWED);
        let counters = tally.counters().read();
        assert_eq!(counters.sources[&*pattern.to_string_lossy()].rejected["too many files"], 3);
        let said = said.lock().expect("a list");
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("cannot be read") && said[1].contains("512 other files"), "{said:?}");
        receiver.finish().expect("a clean end");
    }

    #[test]
    fn folder_that_does_not_exist_is_reported_once_and_tailed_when_it_appears() {
        let (folder, _case, receiver, tally) = started();
        let (said, tell) = reports();
        let logs = folder.path().join("logs");
        let mut following = Following::new(&tally, &tell);
        for _ in 0..2 {
            following.look(std::slice::from_ref(&logs));
        }
        assert_eq!(said.lock().expect("a list").len(), 1);
        assert!(said.lock().expect("a list")[0].contains("no file or folder of this name"));
        fs::create_dir(&logs).expect("a folder");
        fs::write(logs.join("app.log"), "one\n").expect("a file");
        following.look(std::slice::from_ref(&logs));
        assert_eq!(following.files.len(), 1);
        drop(following);
        receiver.finish().expect("a clean end");
    }

    #[test]
    fn new_file_with_the_number_of_one_that_was_read_to_its_end_is_followed() {
        let (folder, _case, receiver, tally) = started();
        let tell = |_: Notice| {};
        let mut following = Following::new(&tally, &tell);
        let log = folder.path().join("app.log");
        fs::write(&log, "read to its end\n").expect("a file");
        let read = Identity::from_path(&log).expect("its first line");
        following.done.insert(read.number(), read);
        following.look(std::slice::from_ref(&log));
        assert!(following.files.is_empty());
        // Written over, it has the same number.
        fs::write(&log, "another file with that number\n").expect("a file");
        following.look(std::slice::from_ref(&log));
        assert_eq!(following.files.len(), 1);
        receiver.finish().expect("a clean end");
    }
}
