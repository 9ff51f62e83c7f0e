//! The façade: a case, opened by any number of readers and one writer.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use sha2::{Digest, Sha256};

use crate::Cancel;
use crate::error::{AtPath, Error, ErrorKind, Result};
use crate::exec::{FrameCache, MatchCache};
use crate::import::{self, ImportOptions, ImportReport, Progress};
use crate::limits::{COLUMN_CACHE_BYTES, COLUMN_CACHE_SHARE};
use crate::notes::AnnotatedCache;
use crate::storage::{
    ColumnCache, Frame, Manifest, ManifestStamp, Profile, RawCursor, RawFolder, Readings, Segment,
    SegmentEntry, Shared, SourceEntry, folder_bytes, folder_is_read_only, is_locked, notes, verify_templates,
};
use crate::templates::TemplateCache;
use crate::writing::Writing;

/// A case folder. Shared freely between threads; every query is answered from the [`Snapshot`] that
/// is current when it starts.
#[derive(Debug)]
pub struct Case {
    folder: PathBuf,
    raw: RawFolder,
    shared: Shared,
    state: RwLock<CaseState>,
    writer: Mutex<()>,
    pub(crate) frames: FrameCache,
    pub(crate) matches: MatchCache,
    pub(crate) templates: TemplateCache,
    pub(crate) annotated: AnnotatedCache,
}

#[derive(Debug)]
struct CaseState {
    snapshot: Arc<Snapshot>,
    stamp: Option<ManifestStamp>,
}

/// The content of a case at one revision. Immutable.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Arc<Segment>>,
    missing: Vec<Missing>,
}

/// A segment that cannot be opened. The others answer without it.
#[derive(Clone, Debug)]
pub struct Missing {
    pub segment: u64,
    pub events: u64,
    pub why: Error,
}

impl Snapshot {
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.manifest.revision
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    #[must_use]
    pub fn events(&self) -> u64 {
        self.manifest.segments.iter().map(|segment| segment.events).sum()
    }

    /// The files that were imported into the case. The id of a source is its index here.
    #[must_use]
    pub fn sources(&self) -> &[SourceEntry] {
        &self.manifest.sources
    }

    /// The sources that a person means: by number, by name or path, or all of a rotated set.
    #[must_use]
    pub fn sources_named(&self, name: &str) -> Vec<u32> {
        let all = || (0..).zip(self.sources()).filter(|(_, source)| !source.deleted);
        if let Ok(id) = name.parse::<u32>()
            && self.sources().get(id as usize).is_some_and(|source| !source.deleted)
        {
            return vec![id];
        }
        let ids = |is: &dyn Fn(&SourceEntry) -> bool| -> Vec<u32> {
            all().filter(|(_, source)| is(source)).map(|(id, _)| id).collect()
        };
        let of_set = ids(&|source| source.set.as_deref() == Some(name));
        if of_set.is_empty() { ids(&|source| source.name == name || source.path == name) } else { of_set }
    }

    /// The earliest and latest time of any event.
    #[must_use]
    pub fn time_range(&self) -> Option<(i64, i64)> {
        let first = self.segments.iter().filter_map(|segment| segment.meta.first).min()?;
        let last = self.segments.iter().filter_map(|segment| segment.meta.last).max()?;
        Some((first, last))
    }

    /// How many segments have reached the case's profile, and how many there are.
    #[must_use]
    pub fn indexed(&self) -> (usize, usize) {
        let reached = |segment: &&SegmentEntry| segment.profile == self.manifest.profile;
        (self.manifest.segments.iter().filter(reached).count(), self.manifest.segments.len())
    }

    /// The snapshot without the segments that could not be read when they were needed.
    pub(crate) fn without_failed(&self) -> Snapshot {
        let whole = self.segments.iter().filter(|segment| !segment.has_failed());
        let segments: Vec<_> = whole.cloned().collect();
        let mut manifest = self.manifest.clone();
        manifest.segments.retain(|entry| segments.iter().any(|segment| segment.meta.id == entry.id));
        Snapshot { manifest, segments, missing: Vec::new() }
    }

    /// What is stored besides the original bytes.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.manifest.profile
    }

    /// Segments that cannot be opened.
    pub(crate) fn unopened(&self) -> &[Missing] {
        &self.missing
    }

    /// Segments whose data may be missing in answers because they are damaged: those that cannot be opened,
    /// and those that a query has found.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        let mut missing = self.missing.clone();
        missing.extend(self.segments.iter().filter_map(|segment| {
            let why = segment.damage()?.clone();
            Some(Missing { segment: segment.meta.id, events: segment.meta.events, why })
        }));
        missing
    }
}

/// What `verify` found.
#[derive(Clone, Debug)]
pub struct Verification {
    pub sources: usize,
    pub segments: usize,
    pub bytes: u64,
    pub problems: Vec<Error>,
}

impl Case {
    /// Creates an empty case in a folder that does not exist yet, or is empty.
    pub fn create(folder: &Path) -> Result<Case> {
        for part in [folder.to_path_buf(), folder.join("raw"), folder.join("segments")] {
            fs::create_dir_all(&part).at_path(&part)?;
        }
        if folder.join("case.json").exists() {
            return Err(Error::new(ErrorKind::BadRequest, "there is a case here already").at(folder));
        }
        let name =
            folder.file_stem().map_or_else(|| "case".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Manifest::new(&name).write(folder)?;
        Case::open(folder)
    }

    pub fn open(folder: &Path) -> Result<Case> {
        let stamp = Manifest::stamp(folder);
        let manifest = Manifest::read(folder)?;
        let readings = Arc::new(Readings::new(folder));
        let columns = Arc::new(ColumnCache::new(column_budget_bytes()));
        let shared = Shared { readings, columns };
        let snapshot = Arc::new(Snapshot::load(manifest, &[], &shared));
        Ok(Case {
            folder: folder.to_path_buf(),
            raw: RawFolder::new(folder),
            shared,
            state: RwLock::new(CaseState { snapshot, stamp }),
            writer: Mutex::new(()),
            frames: FrameCache::default(),
            matches: MatchCache::default(),
            templates: TemplateCache::default(),
            annotated: AnnotatedCache::default(),
        })
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The size of the case on disk.
    #[must_use]
    pub fn bytes_on_disk(&self) -> u64 {
        folder_bytes(&self.folder)
    }

    /// The current snapshot, committed by this process or another one. If a commit of another process cannot
    /// be read, the last good state stays.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let stamp = Manifest::stamp(&self.folder);
        if stamp == state.stamp || stamp.is_none() {
            return Arc::clone(&state.snapshot);
        }
        let known = Arc::clone(&state.snapshot);
        drop(state);
        match Manifest::read(&self.folder) {
            Ok(manifest) if manifest.revision >= known.revision() => {
                let snapshot = Snapshot::load(manifest, &known.segments, &self.shared);
                self.replace(Arc::new(snapshot), stamp)
            }
            _ => known,
        }
    }

    pub(crate) fn replace(&self, snapshot: Arc<Snapshot>, stamp: Option<ManifestStamp>) -> Arc<Snapshot> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let names = |snapshot: &Snapshot| -> Vec<(String, Option<String>)> {
            snapshot.sources().iter().map(|source| (source.name.clone(), source.set.clone())).collect()
        };
        if !names(&snapshot).starts_with(&names(&state.snapshot)) {
            // Cached rows of predicates on source names are stale.
            self.matches.clear();
            self.shared.columns.clear();
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
        is_locked(&self.folder).or_else(|| {
            let read_only = folder_is_read_only(&self.folder);
            read_only
                .then(|| Error::new(ErrorKind::ReadOnly, "the case's folder is read-only").at(&self.folder))
        })
    }

    /// Imports files and folders into the case. Everything that landed stays, whatever happens later.
    pub fn import(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        self.write(|writing| import::import(writing, paths, options, report, cancel))
    }

    /// Runs a change of the case. Only one runs at a time.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut Writing<'_>) -> Result<T>) -> Result<T> {
        let _turn = self.turn()?;
        work(&mut Writing::begin(self)?)
    }

    /// The writer's turn, among the threads of this process.
    pub(crate) fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        // If work panics, the next call repairs what it left.
        match self.writer.try_lock() {
            Ok(turn) => Ok(turn),
            Err(TryLockError::Poisoned(turn)) => Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::CaseLocked, "this case is being written already")
                    .at(&self.folder)
                    .hint("try it again when that has ended, or stop it first"))
            }
        }
    }

    /// Reads everything back: each source's hash, each segment's checksum, each event's place, the notes.
    pub fn verify(&self, cancel: &Cancel) -> Verification {
        let snapshot = self.snapshot();
        let mut problems: Vec<Error> = Manifest::problem(&self.folder).into_iter().collect();
        problems.extend(snapshot.missing.iter().map(|missing| missing.why.clone()));
        let mut bytes = 0;
        let kept = snapshot.sources().iter().enumerate().filter(|(_, source)| !source.deleted);
        for (id, source) in kept.clone() {
            match self.hash_source(&snapshot, id as u32, cancel) {
                Ok(hash) if hash == source.sha256 => bytes += source.bytes,
                Ok(_) if snapshot.missing.is_empty() => problems.push(
                    Error::new(
                        ErrorKind::CaseDamaged,
                        format!("the stored bytes of {} do not match its hash", source.name),
                    )
                    .at(&self.folder),
                ),
                // A part of it may be in a segment that is already listed.
                Ok(_) => {}
                Err(error) => problems.push(error),
            }
        }
        for segment in &snapshot.segments {
            let cursor = &mut self.raw.cursor();
            problems.extend(segment.verify(cursor).err());
            problems.extend(verify_templates(segment, cursor).err());
        }
        problems.extend(notes::verify(&self.folder).err());
        Verification { sources: kept.count(), segments: snapshot.manifest.segments.len(), bytes, problems }
    }

    fn hash_source(&self, snapshot: &Snapshot, source: u32, cancel: &Cancel) -> Result<String> {
        let mut hash = Sha256::new();
        self.read_source(snapshot, source, cancel, &mut |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        Ok(crate::hex(&hash.finalize()))
    }

    /// Passes all stored bytes of a source on, in order.
    pub(crate) fn read_source(
        &self,
        snapshot: &Snapshot,
        source: u32,
        cancel: &Cancel,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.raw.cursor();
        for frame in frames_of(&snapshot.segments, source) {
            if cancel.is_set() {
                return Err(Error::cancelled());
            }
            each(&cursor.frame(source, &frame)?)?;
        }
        Ok(())
    }

    /// What the segments share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The cache of decoded columns and of values computed from them.
    pub(crate) fn columns(&self) -> &ColumnCache {
        &self.shared.columns
    }

    /// Runs a query. If segments turn out to be damaged, it runs again without them, and
    /// [`Snapshot::missing`] then lists what the answer lacks.
    pub(crate) fn without_damaged<S: Borrow<Snapshot> + From<Snapshot>, T>(
        snapshot: &S,
        mut ask: impl FnMut(&S) -> Result<T>,
    ) -> Result<T> {
        let mut answer = ask(snapshot);
        let snapshot = snapshot.borrow();
        let mut asked = snapshot.segments.len();
        while answer.as_ref().is_err_and(|error| error.kind().is_of_files()) {
            let whole = snapshot.without_failed();
            if whole.segments.len() == asked {
                break;
            }
            asked = whole.segments.len();
            answer = ask(&S::from(whole));
        }
        answer
    }

    pub(crate) fn raw_cursor(&self) -> RawCursor<'_> {
        self.raw.cursor()
    }
}

/// The frames of every source over all segments, in the order of the source.
pub(crate) fn frames_by_source(segments: &[Arc<Segment>]) -> BTreeMap<u32, Vec<Frame>> {
    let mut found: BTreeMap<u32, Vec<Frame>> = BTreeMap::new();
    for entry in segments.iter().flat_map(|segment| &segment.meta.sources) {
        found.entry(entry.source).or_default().extend(&entry.frames);
    }
    for frames in found.values_mut() {
        frames.sort_unstable_by_key(|frame| frame.offset);
    }
    found
}

/// Those of one source.
pub(crate) fn frames_of(segments: &[Arc<Segment>], source: u32) -> Vec<Frame> {
    let entries = segments.iter().flat_map(|segment| &segment.meta.sources);
    let mut frames: Vec<_> = entries
        .filter(|entry| entry.source == source)
        .flat_map(|entry| entry.frames.iter().copied())
        .collect();
    frames.sort_unstable_by_key(|frame| frame.offset);
    frames
}

impl Snapshot {
    /// Opens the segments of a manifest, reusing those that are open.
    pub(crate) fn load(manifest: Manifest, known: &[Arc<Segment>], shared: &Shared) -> Snapshot {
        shared.readings.update(&manifest);
        let mut segments = Vec::with_capacity(manifest.segments.len());
        let mut missing = Vec::new();
        let known: HashMap<u64, &Arc<Segment>> =
            known.iter().map(|segment| (segment.meta.id, segment)).collect();
        for entry in &manifest.segments {
            if let Some(&segment) = known.get(&entry.id) {
                segments.push(Arc::clone(segment));
                continue;
            }
            match Segment::open(entry.id, &entry.sha256, shared) {
                Ok(segment) => segments.push(Arc::new(segment)),
                Err(why) => missing.push(Missing { segment: entry.id, events: entry.events, why }),
            }
        }
        Snapshot { manifest, segments, missing }
    }
}

/// The share of the machine's memory that decoded columns may take.
fn column_budget_bytes() -> usize {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    });
    total.map_or(COLUMN_CACHE_BYTES, |kilobytes| kilobytes / COLUMN_CACHE_SHARE * 1_024)
}
