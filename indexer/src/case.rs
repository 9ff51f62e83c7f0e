//! The façade: a case, opened by any number of readers and one writer.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files;
use engine::Engine;
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{
    Accounts, FolderUse, Manifest, ManifestStamp, Snapshot, case_bytes, count_events, folder_is_read_only,
    folder_use, is_locked, notes, verify_templates,
};

/// A case folder. Shared freely between threads; every query is answered from the [`Snapshot`] that
/// is current when it starts.
#[derive(Debug)]
pub struct Case {
    engine: Arc<Engine>,
    state: RwLock<CaseState>,
    /// Held from the commit of a snapshot to the moment when queries get it, by whoever writes or reads it. Two who
    /// opened the same segments would not know when the other still reads their files.
    loading: Mutex<()>,
    writer: Mutex<()>,
}

#[derive(Debug)]
struct CaseState {
    snapshot: Arc<Snapshot>,
    stamp: Option<ManifestStamp>,
}

/// What `verify` found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Verification {
    pub sources: usize,
    pub segments: usize,
    pub bytes: u64,
    pub problems: Vec<Error>,
}

impl Case {
    /// Creates an empty case in a folder that does not exist yet, or is empty. Any other folder is refused, and
    /// nothing in it is changed.
    pub fn create(folder: &Path) -> Result<Case> {
        let folder = &files::resolved(folder);
        let refused = |what: &str| Error::new(ErrorKind::BadRequest, what).at(folder);
        match folder_use(folder) {
            FolderUse::Free => {}
            FolderUse::Case => return Err(refused("there is a case here already")),
            FolderUse::Other if !folder.is_dir() => {
                return Err(refused(
                    "this is not a folder, so it cannot become a case; it was left as it is",
                )
                .hint("name a folder that does not exist yet"));
            }
            FolderUse::Other => {
                return Err(refused("this folder is not a case and not empty; nothing in it was changed")
                    .hint("name a folder that does not exist yet, or an empty one"));
            }
        }
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent).at_path(parent)?;
        }
        for part in [folder.clone(), folder.join("raw"), folder.join("segments")] {
            files::create_folder(&part).at_path(&part)?;
        }
        let name =
            folder.file_stem().map_or_else(|| "case".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Manifest::new(&name).write(folder)?;
        Case::open(folder)
    }

    /// Opens the case in a folder, or creates one if the folder does not exist yet or is empty.
    pub fn open_or_create(folder: &Path) -> Result<Case> {
        match folder_use(&files::resolved(folder)) {
            FolderUse::Case => Case::open(folder),
            FolderUse::Free | FolderUse::Other => Case::create(folder),
        }
    }

    pub fn open(folder: &Path) -> Result<Case> {
        Case::opened(folder, Engine::new)
    }

    /// The same for whoever must change nothing: damaged notes are an error, and are not kept aside.
    pub fn open_to_look(folder: &Path) -> Result<Case> {
        Case::opened(folder, Engine::only_looking)
    }

    fn opened(folder: &Path, engine: fn(&Path) -> Engine) -> Result<Case> {
        let folder = &files::resolved(folder);
        let stamp = Manifest::stamp(folder);
        let manifest = Manifest::read(folder)?;
        let engine = Arc::new(engine(folder));
        let snapshot = Arc::new(Snapshot::load(manifest, &[], engine.shared()));
        let state = RwLock::new(CaseState { snapshot, stamp });
        Ok(Case { engine, state, loading: Mutex::default(), writer: Mutex::default() })
    }

    /// The size of the case on disk, without its trash.
    #[must_use]
    pub fn bytes_on_disk(&self) -> u64 {
        case_bytes(self.folder())
    }

    /// The current snapshot, committed by this process or another one. If a commit of another process cannot
    /// be read, the last good state stays.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        if let (snapshot, true) = self.known() {
            return snapshot;
        }
        let _loading = self.loading();
        let stamp = Manifest::stamp(self.folder());
        let known = match self.known() {
            (snapshot, true) => return snapshot,
            (snapshot, false) => snapshot,
        };
        match Manifest::read(self.folder()) {
            Ok(manifest) if manifest.revision >= known.revision() => {
                let snapshot = Snapshot::load(manifest, &known.segments, self.shared());
                self.replace(Arc::new(snapshot), stamp)
            }
            _ => known,
        }
    }

    /// The snapshot that queries get, and whether it is the last one on the disk.
    fn known(&self) -> (Arc<Snapshot>, bool) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let stamp = Manifest::stamp(self.folder());
        (Arc::clone(&state.snapshot), stamp == state.stamp || stamp.is_none())
    }

    /// To be held while a snapshot is committed, or read from the disk, until it is in place.
    pub(crate) fn loading(&self) -> MutexGuard<'_, ()> {
        self.loading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn replace(&self, snapshot: Arc<Snapshot>, stamp: Option<ManifestStamp>) -> Arc<Snapshot> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let names = |snapshot: &Snapshot| -> Vec<(String, Option<String>)> {
            snapshot.sources().iter().map(|source| (source.name.clone(), source.set.clone())).collect()
        };
        if !names(&snapshot).starts_with(&names(&state.snapshot)) {
            // Cached rows of predicates on source names are stale.
            self.engine.forget_names();
        }
        *state = CaseState { snapshot: Arc::clone(&snapshot), stamp };
        snapshot
    }

    /// Why the case is read-only at this moment, if so.
    #[must_use]
    pub fn read_only(&self) -> Option<Error> {
        if matches!(self.writer.try_lock(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        is_locked(self.folder()).or_else(|| {
            let read_only = folder_is_read_only(self.folder());
            read_only
                .then(|| Error::new(ErrorKind::ReadOnly, "the case's folder is read-only").at(self.folder()))
        })
    }

    /// The writer's turn, among the threads of this process.
    pub(crate) fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        // If work panics, the next call repairs what it left.
        match self.writer.try_lock() {
            Ok(turn) => Ok(turn),
            Err(TryLockError::Poisoned(turn)) => Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::CaseLocked, "this case is being written already")
                    .at(self.folder())
                    .hint("try it again when that has ended, or stop it first"))
            }
        }
    }

    /// Reads everything back: each source's hash, each segment's checksum, each event's place, the notes.
    pub fn verify(&self, cancel: &Cancel) -> Verification {
        let snapshot = self.snapshot();
        let mut problems: Vec<Error> = Manifest::problem(self.folder()).into_iter().collect();
        problems.extend(snapshot.unopened().iter().map(|missing| missing.why.clone()));
        let mut bytes = 0;
        let kept = snapshot.sources().iter().enumerate().filter(|(_, source)| !source.deleted);
        for (id, source) in kept.clone() {
            match self.hash_source(&snapshot, id as u32, cancel) {
                Ok(hash) if hash == source.sha256 => bytes += source.bytes,
                Ok(_) if snapshot.unopened().is_empty() => problems.push(
                    Error::new(
                        ErrorKind::CaseDamaged,
                        format!("the stored bytes of {} do not match its hash", source.name),
                    )
                    .at(self.folder()),
                ),
                // A part of it may be in a segment that is already listed.
                Ok(_) => {}
                Err(error) => problems.push(error),
            }
        }
        problems.extend(counts_that_differ(&snapshot).into_iter().map(|error| error.at(self.folder())));
        problems.extend(self.unreadable_accounts(&snapshot));
        problems.extend(store::verify_ids(self.folder()).err());
        for segment in &snapshot.segments {
            let cursor = &mut self.raw_cursor();
            problems.extend(segment.verify(cursor).err());
            problems.extend(verify_templates(segment, cursor).err());
        }
        problems.extend(notes::verify(self.folder()).err());
        Verification { sources: kept.count(), segments: snapshot.manifest.segments.len(), bytes, problems }
    }

    /// The files of accounts that sources name and that cannot be read.
    fn unreadable_accounts(&self, snapshot: &Snapshot) -> Vec<Error> {
        let named: BTreeSet<u64> = snapshot.sources().iter().filter_map(|source| source.account).collect();
        let read = named.into_iter().map(|number| Accounts::read(self.folder(), number));
        read.filter_map(std::result::Result::err).collect()
    }

    fn hash_source(&self, snapshot: &Snapshot, source: u32, cancel: &Cancel) -> Result<String> {
        let mut hash = Sha256::new();
        self.read_source(snapshot, source, cancel, &mut |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        Ok(base::hex(&hash.finalize()))
    }
}

/// Where the numbers of events differ between the list of sources and the segments. Without all segments nothing can
/// be said.
fn counts_that_differ(snapshot: &Snapshot) -> Vec<Error> {
    if !snapshot.unopened().is_empty() {
        return Vec::new();
    }
    // A segment that cannot be read is named for itself.
    let Ok(counts) = count_events(&snapshot.segments) else { return Vec::new() };
    let sources = (0..).zip(snapshot.sources()).filter(|(_, source)| !source.deleted);
    let counted = sources.map(|(id, source)| (source, counts.get(&id).map_or(0, |count| count.events)));
    let differing = counted.filter(|(source, events)| source.events != *events);
    let error = |(source, events): (&store::SourceEntry, u64)| {
        let message = format!("{} has {events} events, and case.json lists {}", source.name, source.events);
        Error::new(ErrorKind::CaseDamaged, message).hint("`timberline verify --repair` counts them again")
    };
    differing.map(error).collect()
}

/// True if a folder is a case, or what is left of one.
#[must_use]
pub fn is_case(folder: &Path) -> bool {
    folder_use(&files::resolved(folder)) == FolderUse::Case
}

/// A case is asked like its engine.
impl Deref for Case {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}
