//! One process for all windows of a person: a second start hands its files to the first and ends.
//!
//! Whoever holds `instance.lock` in Timberline's own folder is the first. The others put a letter into the folder
//! `inbox` next to it and wait until it was taken. Files need neither a network nor a message bus, and two folders
//! of one's own (as tests have) are two instances.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often the first instance looks for letters: soon enough for a double click, seldom enough to cost nothing.
const LOOK: Duration = Duration::from_millis(250);
/// A first instance that takes no letter for so long hangs, and the second goes on by itself.
const PATIENCE: Duration = Duration::from_secs(4);

/// What a start turns out to be.
#[derive(Debug)]
pub enum Start {
    /// No other is running; letters come here for as long as this is kept.
    First(First),
    /// Another one has taken over what this one was started for.
    HandedOver,
    /// Another one holds the lock and does not answer, or nothing can be written: this one is on its own.
    Alone,
}

#[derive(Debug)]
pub struct First {
    inbox: PathBuf,
    /// Held until the process ends, however it ends.
    _lock: File,
}

/// Becomes the first instance, or hands the paths to it.
pub fn start(home: &Path, paths: &[PathBuf]) -> Start {
    start_with_patience(home, paths, PATIENCE).unwrap_or(Start::Alone)
}

fn start_with_patience(home: &Path, paths: &[PathBuf], patience: Duration) -> io::Result<Start> {
    let inbox = home.join("inbox");
    fs::create_dir_all(&inbox)?;
    let lock = File::options().create(true).truncate(false).write(true).open(home.join("instance.lock"))?;
    match lock.try_lock() {
        Ok(()) => {
            // Letters to an instance that is no more were answered by those who wrote them.
            let first = First { inbox, _lock: lock };
            first.letters();
            Ok(Start::First(first))
        }
        Err(TryLockError::WouldBlock) => {
            let letter = write_letter(&inbox, paths)?;
            let since = Instant::now();
            while since.elapsed() < patience {
                if !letter.exists() {
                    return Ok(Start::HandedOver);
                }
                sleep(LOOK / 5);
            }
            // Whoever removes it first has it.
            Ok(if fs::remove_file(&letter).is_ok() { Start::Alone } else { Start::HandedOver })
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn write_letter(inbox: &Path, paths: &[PathBuf]) -> io::Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = format!("{now}-{}", std::process::id());
    let (part, letter) = (inbox.join(format!("{name}.part")), inbox.join(format!("{name}.json")));
    fs::write(&part, serde_json::to_vec(paths)?)?;
    fs::rename(&part, &letter)?;
    Ok(letter)
}

impl First {
    /// What other starts were for since the last look, in their order. An empty list asks only to be seen.
    pub fn letters(&self) -> Vec<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.inbox).into_iter().flatten().flatten();
        let is_letter = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
        let mut letters: Vec<_> = entries.map(|entry| entry.path()).filter(is_letter).collect();
        letters.sort();
        let take = |letter: PathBuf| {
            let text = fs::read(&letter).ok()?;
            fs::remove_file(&letter).ok()?;
            serde_json::from_slice(&text).ok()
        };
        letters.into_iter().filter_map(take).collect()
    }

    /// Gives every letter to `open` for as long as the process lives.
    pub fn serve(self, open: impl Fn(Vec<PathBuf>) + Send + 'static) {
        std::thread::spawn(move || {
            loop {
                self.letters().into_iter().for_each(&open);
                sleep(LOOK);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_second_start_hands_its_files_to_the_first() {
        let home = std::env::temp_dir().join(format!("timberline-instance-{}", std::process::id()));
        let Start::First(first) = start(&home, &paths(&["/a.log"])) else { panic!("it is the first") };
        let second = {
            let home = home.clone();
            std::thread::spawn(move || start(&home, &paths(&["/b.log", "/c d.log"])))
        };
        let since = Instant::now();
        let letters = loop {
            let letters = first.letters();
            if !letters.is_empty() || since.elapsed() > PATIENCE {
                break letters;
            }
        };
        assert_eq!(letters, [paths(&["/b.log", "/c d.log"])]);
        assert!(matches!(second.join().expect("it ends"), Start::HandedOver));

        // One that does not answer is not waited for for ever, and its letter does not turn up later.
        let alone = start_with_patience(&home, &paths(&["/d.log"]), Duration::from_millis(50));
        assert!(matches!(alone, Ok(Start::Alone)));
        assert!(first.letters().is_empty());
        drop(first);
        assert!(matches!(start(&home, &[]), Start::First(_)));
        fs::remove_dir_all(&home).expect("it can be removed");
    }
}
