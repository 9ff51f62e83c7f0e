//! What says that followed files or their folders changed, so that nothing else is looked at. Where the system cannot say
//! it, as for files of other machines, nothing is watched and everything is looked at.

use std::path::Path;

/// A watched file or folder.
pub type Watched = i32;

/// What changed since it was asked last.
#[derive(Debug, Default)]
pub struct Changes {
    pub of: Vec<Watched>,
    /// More changed than is known.
    pub lost: bool,
}

#[cfg(target_os = "linux")]
mod inotify {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::fs::statfs;

    use super::{Changes, Path, Watched};

    /// File systems whose changes happen on another machine or in another program: NFS, SMB (two), CIFS, 9P, FUSE,
    /// Ceph, AFS, Coda, virtio's. The system tells nothing of those.
    const ELSEWHERE: [u32; 10] = [
        0x6969,
        0x517B,
        0xFE53_4D42,
        0xFF53_4D42,
        0x0102_1997,
        0x6573_5546,
        0x00C3_6400,
        0x5346_414F,
        0x7375_7245,
        0x6A65_6A63,
    ];

    /// Room for what happened meanwhile; what is beyond stays with the system.
    const BUFFER_BYTES: usize = 16 << 10;

    pub struct Watcher {
        inotify: Option<OwnedFd>,
    }

    impl Watcher {
        pub fn new() -> Watcher {
            Watcher { inotify: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok() }
        }

        /// Watches what is written to a file. Nothing where that cannot be known.
        pub fn file(&self, path: &Path) -> Option<Watched> {
            self.add(
                path,
                WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF,
            )
        }

        /// Watches which files are in a folder. Nothing where that cannot be known.
        pub fn folder(&self, path: &Path) -> Option<Watched> {
            let names = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MOVED_FROM;
            let others = WatchFlags::DELETE | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF;
            self.add(path, names | others | WatchFlags::ONLYDIR)
        }

        fn add(&self, path: &Path, flags: WatchFlags) -> Option<Watched> {
            let inotify = self.inotify.as_ref()?;
            // Of 64 bits on some systems; the marks have 32.
            let kind = statfs(path).ok()?.f_type as u32;
            if ELSEWHERE.contains(&kind) {
                return None;
            }
            inotify::add_watch(inotify, path, flags).ok()
        }

        pub fn forget(&self, watched: Watched) {
            if let Some(inotify) = &self.inotify {
                // It is gone already where its file is.
                let _ = inotify::remove_watch(inotify, watched);
            }
        }

        pub fn changes(&mut self) -> Changes {
            let mut changes = Changes::default();
            let Some(inotify) = &self.inotify else { return changes };
            let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
            let mut reader = Reader::new(inotify, &mut buffer);
            // Ends where nothing is left to read.
            while let Ok(event) = reader.next() {
                changes.lost |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                if changes.of.last() != Some(&event.wd()) {
                    changes.of.push(event.wd());
                }
            }
            changes
        }
    }
}

#[cfg(target_os = "linux")]
pub use inotify::Watcher;

#[cfg(not(target_os = "linux"))]
pub struct Watcher;

/// Elsewhere nothing is watched.
#[cfg(not(target_os = "linux"))]
impl Watcher {
    pub fn new() -> Watcher {
        Watcher
    }

    pub fn file(&self, _: &Path) -> Option<Watched> {
        None
    }

    pub fn folder(&self, _: &Path) -> Option<Watched> {
        None
    }

    pub fn forget(&self, _: Watched) {}

    pub fn changes(&mut self) -> Changes {
        Changes::default()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    #[test]
    fn only_what_changed_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["a.log", "b.log"].map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "one\n").expect("a file");
        }
        let mut watcher = Watcher::new();
        let [a, b] = paths.each_ref().map(|path| watcher.file(path).expect("it is watched"));
        let within = watcher.folder(folder.path()).expect("it is watched");
        assert_eq!(watcher.changes().of, Vec::<Watched>::new());
        let append = |path: &Path| {
            let mut file = OpenOptions::new().append(true).open(path).expect("a file");
            file.write_all(b"two\n").expect("it is written");
        };
        append(&paths[1]);
        assert_eq!(watcher.changes().of, [b]);
        fs::write(folder.path().join("c.log"), "new\n").expect("a file");
        assert_eq!(watcher.changes().of, [within]);
        fs::rename(&paths[0], folder.path().join("a.log.1")).expect("it is renamed");
        let changed = watcher.changes().of;
        assert!(changed.contains(&a) && changed.contains(&within) && !changed.contains(&b), "{changed:?}");
        watcher.forget(b);
        watcher.changes();
        append(&paths[1]);
        assert!(watcher.changes().of.is_empty());
        assert!(watcher.file(&folder.path().join("none")).is_none());
        assert!(watcher.folder(&paths[1]).is_none(), "a file is no folder");
    }
}
