//! One process for all windows of a person: a second start hands its files to the first and ends.
//!
//! Whoever holds `instance.lock` in Timberline's own folder is the first. The others put a letter into the folder
//! `inbox` next to it, ring the first one's [`Bell`] and wait until the letter was taken. Files need neither a network
//! nor a message bus, and two folders of one's own (as tests have) are two instances.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wire::whole_file::{self, Readers};

/// How often the first instance looks for letters where it has no bell: soon enough for a double click, seldom enough
/// to cost nothing.
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
    bell: Option<Bell>,
    /// Held until the process ends, however it ends.
    _lock: File,
}

/// Becomes the first instance, or hands the paths to it.
pub fn start(home: &Path, paths: &[PathBuf]) -> Start {
    start_with_patience(home, paths, PATIENCE).unwrap_or(Start::Alone)
}

fn start_with_patience(home: &Path, paths: &[PathBuf], patience: Duration) -> io::Result<Start> {
    let inbox = home.join("inbox");
    whole_file::create_own_folder(&inbox)?;
    let lock = File::options().create(true).truncate(false).write(true).open(home.join("instance.lock"))?;
    match lock.try_lock() {
        Ok(()) => {
            // Letters to an instance that is no more were answered by those who wrote them.
            let first = First { inbox, bell: Bell::in_folder(home), _lock: lock };
            first.letters();
            Ok(Start::First(first))
        }
        Err(TryLockError::WouldBlock) => {
            let letter = write_letter(&inbox, paths)?;
            let since = Instant::now();
            // The ring ends when the letter was taken; without a bell the letter is looked for.
            Bell::ring(home, patience);
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
    let letter = inbox.join(format!("{name}.json"));
    whole_file::replace(&letter, &serde_json::to_vec(paths)?, Readers::Owner)?;
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
                match &self.bell {
                    // Letters are taken while the ring lasts.
                    Some(bell) => bell.answer(|| self.letters().into_iter().for_each(&open)),
                    None => sleep(LOOK),
                }
            }
        });
    }
}

/// A socket in the folder. Who connects to it says only that there is a letter; the connection ends when the letters
/// were taken. The first instance sleeps until then. Systems without such sockets have no bell.
#[derive(Debug)]
struct Bell {
    #[cfg(unix)]
    socket: std::os::unix::net::UnixListener,
}

#[cfg(unix)]
impl Bell {
    fn path(home: &Path) -> PathBuf {
        home.join("instance.sock")
    }

    /// None where no socket can be made, such as in a folder whose path is too long for one.
    fn in_folder(home: &Path) -> Option<Bell> {
        let path = Bell::path(home);
        // One that an earlier instance left; this one holds the lock.
        let _ = fs::remove_file(&path);
        std::os::unix::net::UnixListener::bind(path).ok().map(|socket| Bell { socket })
    }

    /// Waits for a ring, and ends it after `take`.
    fn answer(&self, take: impl FnOnce()) {
        match self.socket.accept() {
            Ok((_ring, _)) => take(),
            // Too many open files, perhaps; they will be fewer.
            Err(_) => sleep(LOOK),
        }
    }

    /// Rings, and waits for the end of it.
    fn ring(home: &Path, patience: Duration) {
        use std::io::Read;
        if let Ok(mut ring) = std::os::unix::net::UnixStream::connect(Bell::path(home))
            && ring.set_read_timeout(Some(patience)).is_ok()
        {
            // Nothing is written to it; its end is the answer, and without one the letter decides.
            let _ = ring.read(&mut [0]);
        }
    }
}

#[cfg(not(unix))]
impl Bell {
    fn in_folder(_home: &Path) -> Option<Bell> {
        None
    }

    fn answer(&self, take: impl FnOnce()) {
        take();
    }

    fn ring(_home: &Path, _patience: Duration) {}
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("timberline-instance-{name}-{}", std::process::id()))
    }

    #[test]
    fn later_starts_hand_their_files_to_the_first() {
        let home = folder("first");
        let Start::First(first) = start(&home, &paths(&["/a.log"])) else { panic!("it is the first") };
        let (sender, letters) = mpsc::channel();
        first.serve(move |paths| sender.send(paths).expect("the test waits for it"));
        for named in [paths(&["/b.log", "/c d.log"]), paths(&[])] {
            assert!(matches!(start(&home, &named), Start::HandedOver));
            assert_eq!(letters.recv().expect("a letter"), named);
        }
        fs::remove_dir_all(&home).expect("it can be removed");
    }

    #[cfg(unix)]
    #[test]
    fn first_instance_sleeps_until_the_bell_rings() {
        let home = folder("bell");
        fs::create_dir_all(home.join("inbox")).expect("a folder");
        let bell = Bell::in_folder(&home).expect("a socket");
        let letter = write_letter(&home.join("inbox"), &[]).expect("a letter");
        let second = {
            let home = home.clone();
            std::thread::spawn(move || Bell::ring(&home, PATIENCE))
        };
        let since = Instant::now();
        bell.answer(|| fs::remove_file(&letter).expect("it is taken once"));
        second.join().expect("the ring ends with the answer");
        assert!(!letter.exists() && since.elapsed() < PATIENCE);
        // What was left by an earlier one is in nobody's way.
        assert!(Bell::in_folder(&home).is_some());
        fs::remove_dir_all(&home).expect("it can be removed");
    }

    #[test]
    fn start_goes_on_alone_where_the_first_does_not_answer() {
        let home = folder("alone");
        let Start::First(first) = start(&home, &[]) else { panic!("it is the first") };
        let alone = start_with_patience(&home, &paths(&["/d.log"]), Duration::from_millis(50));
        assert!(matches!(alone, Ok(Start::Alone)));
        // Its letter does not turn up later.
        assert!(first.letters().is_empty());
        drop(first);
        assert!(matches!(start(&home, &[]), Start::First(_)));
        fs::remove_dir_all(&home).expect("it can be removed");
    }
}
