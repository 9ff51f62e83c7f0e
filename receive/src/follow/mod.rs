//! Files that grow are followed by their names: across rename, truncation, deletion and reappearance. Each file
//! that was at a name is a stream of its own, which the file's device, number and first line tell from others; how
//! far it was read is how much of the stream the case has, so a restart reads no line twice.

mod file;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indexer::{Cancel, Glob};

use self::file::{Followed, Identity, is_packed, is_rotation};
use crate::intake::Intake;
use crate::limits::{FOLDER_LOOK, FOLLOW_LOOK, MOST_FOLLOWED};
use crate::tally::Tally;

/// Follows files, folders and patterns until it is to stop.
pub fn follow(paths: &[PathBuf], log: &Arc<Tally>, stop: &Cancel) {
    let mut following = Following { log, files: Vec::new(), done: HashSet::new(), refused: BTreeSet::new() };
    let mut looked: Option<Instant> = None;
    while !stop.is_set() {
        if looked.is_none_or(|looked| looked.elapsed() >= FOLDER_LOOK) {
            looked = Some(Instant::now());
            following.look(paths);
        }
        let has_read = following.read();
        if !has_read {
            std::thread::sleep(FOLLOW_LOOK);
        }
    }
    // What was written before the end was asked for is read.
    while following.read() {}
}

struct Following<'l> {
    log: &'l Arc<Tally>,
    files: Vec<Followed>,
    /// Files that were read to their end before they were rotated away.
    done: HashSet<(u64, u64)>,
    /// Files that are no lines of text, which was said.
    refused: BTreeSet<PathBuf>,
}

impl Following<'_> {
    /// Finds files that are not followed yet.
    fn look(&mut self, paths: &[PathBuf]) {
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
        if let Some(opened) = Followed::open(path, self.log) {
            self.files.push(opened);
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
                self.files.push(rest);
            }
        }
    }

    /// Reads what was written to any of the files. Tells whether there was anything.
    fn read(&mut self) -> bool {
        let mut has_read = false;
        let mut at = 0;
        while at < self.files.len() {
            let file = &mut self.files[at];
            has_read |= file.read(self.log);
            if file.has_ended() {
                self.done.insert(file.number());
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
