//! The façade: a case, opened for reading by anyone and for writing by one.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use sha2::{Digest, Sha256};

use crate::Cancel;
use crate::error::{AtPath, Error, ErrorKind, Result};
use crate::exec::{FrameCache, MatchCache};
use crate::import::{
    self, ImportOptions, ImportReport, KnownSource, Progress, fingerprint, frames_by_source,
};
use crate::limits::{COLUMN_CACHE_BYTES, COLUMN_CACHE_SHARE};
use crate::storage::{
    ColumnCache, Lock, Manifest, ManifestStamp, RawCursor, RawFolder, Segment, SourceEntry,
    folder_is_read_only, has_templates, is_locked, notes, raw_name, recover_raw, verify_templates,
};
use crate::templates::TemplateCache;

/// A case folder. Shared freely between threads; every question is answered from the [`Snapshot`] that
/// stands when it is asked.
#[derive(Debug)]
pub struct Case {
    folder: PathBuf,
    raw: RawFolder,
    state: RwLock<State>,
    writer: Mutex<()>,
    pub(crate) frames: FrameCache,
    pub(crate) matches: MatchCache,
    pub(crate) columns: Arc<ColumnCache>,
    pub(crate) templates: TemplateCache,
}

#[derive(Debug)]
struct State {
    snapshot: Arc<Snapshot>,
    stamp: Option<ManifestStamp>,
}

/// What a case consists of at one revision. Never changes.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Arc<Segment>>,
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

    /// The files that were read into the case. A source's id is its place here.
    #[must_use]
    pub fn sources(&self) -> &[SourceEntry] {
        &self.manifest.sources
    }

    /// The sources that a person means: by number, by name or path, or all of a rotated set.
    #[must_use]
    pub fn sources_named(&self, name: &str) -> Vec<u32> {
        let all = || (0..).zip(self.sources());
        if let Ok(id) = name.parse::<u32>()
            && (id as usize) < self.sources().len()
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

    /// How many segments there are, and how many of them have their text index.
    #[must_use]
    pub fn indexed(&self) -> (usize, usize) {
        let indexed = self.manifest.segments.iter().filter(|segment| segment.indexed).count();
        (indexed, self.manifest.segments.len())
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
    /// Makes an empty case in a folder that does not exist yet, or is empty.
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
        let columns = Arc::new(ColumnCache::new(column_budget_bytes()));
        let snapshot = Arc::new(load(folder, manifest, &[], &columns)?);
        Ok(Case {
            folder: folder.to_path_buf(),
            raw: RawFolder::new(folder),
            state: RwLock::new(State { snapshot, stamp }),
            writer: Mutex::new(()),
            frames: FrameCache::default(),
            matches: MatchCache::default(),
            columns,
            templates: TemplateCache::default(),
        })
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The case as last published, by this process or another one. When what another one published cannot
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
        let loaded = Manifest::read(&self.folder)
            .and_then(|manifest| load(&self.folder, manifest, &known.segments, &self.columns));
        match loaded {
            Ok(snapshot) if snapshot.revision() >= known.revision() => {
                self.replace(Arc::new(snapshot), stamp)
            }
            _ => known,
        }
    }

    fn replace(&self, snapshot: Arc<Snapshot>, stamp: Option<ManifestStamp>) -> Arc<Snapshot> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let names = |snapshot: &Snapshot| -> Vec<(String, Option<String>)> {
            snapshot.sources().iter().map(|source| (source.name.clone(), source.set.clone())).collect()
        };
        if !names(&snapshot).starts_with(&names(&state.snapshot)) {
            // Which events are of a source of some name was answered by the names before.
            self.matches.clear();
            self.columns.clear();
        }
        *state = State { snapshot: Arc::clone(&snapshot), stamp };
        snapshot
    }

    /// Why the case can only be read at this moment, if so.
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

    /// Reads files and folders into the case. Everything that landed stays, whatever happens later.
    pub fn import(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
        report: &dyn Fn(Progress),
        cancel: &Cancel,
    ) -> Result<ImportReport> {
        let _turn = self.turn()?;
        let mut writing = Writing::begin(self)?;
        import::import(&mut writing, paths, options, report, cancel)
    }

    /// The turn to write, of the threads of this process.
    pub(crate) fn turn(&self) -> Result<MutexGuard<'_, ()>> {
        // An import that panicked leaves nothing behind that the next one does not put right.
        match self.writer.try_lock() {
            Ok(turn) => Ok(turn),
            Err(TryLockError::Poisoned(turn)) => Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::CaseLocked, "an import into this case is running")
                    .at(&self.folder)
                    .hint("add these files when it has ended, or stop it first"))
            }
        }
    }

    /// Reads everything back: each source's hash, each segment's checksum, each event's place, the notes.
    pub fn verify(&self, cancel: &Cancel) -> Verification {
        let snapshot = self.snapshot();
        let mut problems = Vec::new();
        let mut bytes = 0;
        for (id, source) in snapshot.sources().iter().enumerate() {
            match self.hash_source(&snapshot, id as u32, cancel) {
                Ok(hash) if hash == source.sha256 => bytes += source.bytes,
                Ok(_) => problems.push(
                    Error::new(
                        ErrorKind::CaseDamaged,
                        format!("the stored bytes of {} do not match its hash", source.name),
                    )
                    .at(&self.folder),
                ),
                Err(error) => problems.push(error),
            }
        }
        for segment in &snapshot.segments {
            let cursor = &mut self.raw.cursor();
            problems.extend(segment.verify(cursor).err());
            problems.extend(verify_templates(segment, cursor).err());
        }
        problems.extend(notes::verify(&self.folder).err());
        Verification { sources: snapshot.sources().len(), segments: snapshot.segments.len(), bytes, problems }
    }

    fn hash_source(&self, snapshot: &Snapshot, source: u32, cancel: &Cancel) -> Result<String> {
        let mut hash = Sha256::new();
        self.read_source(snapshot, source, cancel, &mut |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        Ok(crate::hex(&hash.finalize()))
    }

    /// Hands out all stored bytes of a source, in order.
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

    pub(crate) fn raw_cursor(&self) -> RawCursor<'_> {
        self.raw.cursor()
    }
}

/// A source's frames over all segments, in the order of the source.
fn frames_of(segments: &[Arc<Segment>], source: u32) -> Vec<crate::storage::Frame> {
    let entries = segments.iter().flat_map(|segment| &segment.meta.sources);
    let mut frames: Vec<_> = entries
        .filter(|entry| entry.source == source)
        .flat_map(|entry| entry.frames.iter().copied())
        .collect();
    frames.sort_unstable_by_key(|frame| frame.offset);
    frames
}

/// Opens the segments that a manifest lists, taking those that are known already.
fn load(
    folder: &Path,
    manifest: Manifest,
    known: &[Arc<Segment>],
    columns: &Arc<ColumnCache>,
) -> Result<Snapshot> {
    let segments = manifest.segments.iter().map(|entry| {
        match known.iter().find(|segment| segment.meta.id == entry.id) {
            Some(segment) => Ok(Arc::clone(segment)),
            None => Segment::open(folder, entry.id, columns).map(Arc::new),
        }
    });
    let segments = segments.collect::<Result<_>>()?;
    Ok(Snapshot { manifest, segments })
}

/// The right to write a case, with the state as last published.
pub(crate) struct Writing<'c> {
    case: &'c Case,
    pub manifest: Manifest,
    segments: Vec<Arc<Segment>>,
    _lock: Lock,
}

impl<'c> Writing<'c> {
    pub fn begin(case: &'c Case) -> Result<Writing<'c>> {
        let lock = Lock::acquire(&case.folder)?;
        // Another process may have written since this one last looked.
        let manifest = Manifest::read(&case.folder)?;
        let snapshot = load(&case.folder, manifest, &case.snapshot().segments, &case.columns)?;
        let (manifest, segments) = (snapshot.manifest, snapshot.segments);
        let mut writing = Writing { case, manifest, segments, _lock: lock };
        writing.recover()?;
        Ok(writing)
    }

    pub fn folder(&self) -> &Path {
        &self.case.folder
    }

    pub fn columns(&self) -> &Arc<ColumnCache> {
        &self.case.columns
    }

    /// Replaces the manifest on disk and then what questions are answered from.
    pub fn publish(&mut self, manifest: Manifest, segments: Vec<Segment>, removed: &[u64]) -> Result<()> {
        manifest.write(&self.case.folder)?;
        self.manifest = manifest;
        self.segments.retain(|segment| !removed.contains(&segment.meta.id));
        self.segments.extend(segments.into_iter().map(Arc::new));
        let snapshot = Snapshot { manifest: self.manifest.clone(), segments: self.segments.clone() };
        self.case.replace(Arc::new(snapshot), Manifest::stamp(&self.case.folder));
        Ok(())
    }

    /// Removes what an import left behind that ended without a word: bytes and segments that no manifest names.
    pub fn recover(&mut self) -> Result<()> {
        let folder = &self.case.folder;
        let frames = frames_by_source(self.segments.iter().map(AsRef::as_ref));
        for (id, source) in (0..).zip(&self.manifest.sources) {
            let of_source = frames.get(&id).map_or(&[][..], Vec::as_slice);
            recover_raw(folder, (id, source.generation), source.raw_bytes, of_source)?;
        }
        for source in &mut self.manifest.sources {
            if !source.complete && source.note.is_none() {
                source.note =
                    Some(format!("the import was cut off; its first {} bytes are kept", source.bytes));
            }
        }
        let listed = |id: u64| self.manifest.segments.iter().any(|segment| segment.id == id);
        remove_where(&folder.join("segments"), |name| !name.parse().is_ok_and(listed))?;
        let sources = (0..).zip(&self.manifest.sources);
        let raw: HashSet<_> = sources.map(|(id, source)| raw_name(id, source.generation)).collect();
        remove_where(&folder.join("raw"), |name| !raw.contains(name))?;
        let accounts: HashSet<_> = self.manifest.sources.iter().filter_map(|source| source.account).collect();
        let folder = folder.join("accounts");
        if !folder.is_dir() {
            return Ok(());
        }
        remove_where(&folder, |name| {
            let number = name.strip_suffix(".json").and_then(|number| number.parse().ok());
            number.is_none_or(|number: u64| !accounts.contains(&number))
        })
    }

    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().map(AsRef::as_ref)
    }

    /// The sources with what is needed to tell whether a stream is one of them.
    pub fn known_sources(&self) -> Vec<KnownSource> {
        let mut frames = frames_by_source(self.segments());
        let sources = (0..).zip(&self.manifest.sources);
        let known = sources.map(|(id, entry)| {
            let frames: Vec<_> = frames.remove(&id).unwrap_or_default();
            let mut entry = entry.clone();
            if entry.head.is_empty()
                && let Some(first) = frames.first()
                && let Ok(bytes) = self.case.raw.cursor().read(id, first)
            {
                // Cases of earlier versions do not have it.
                entry.head = fingerprint(&bytes);
            }
            KnownSource { id, entry: entry.into(), frames: frames.into() }
        });
        known.collect()
    }

    /// Segments without a text index or without templates: those not yet indexed, and those of which somebody
    /// deleted the one or the other.
    pub fn unindexed(&self) -> Vec<u64> {
        let entries = self.manifest.segments.iter().zip(&self.segments);
        entries
            .filter(|(entry, segment)| !entry.indexed || !segment.has_text() || !has_templates(segment))
            .map(|(entry, _)| entry.id)
            .collect()
    }

    /// Writes down what templates are called by, once all segments have them.
    pub fn keep_template_ids(&self, cancel: &Cancel) -> Result<()> {
        self.case.keep_template_ids(&self.case.snapshot(), cancel)
    }

    pub fn index_segment(&mut self, id: u64, cancel: &Cancel) -> Result<()> {
        let Some(segment) = self.segments.iter().find(|segment| segment.meta.id == id) else { return Ok(()) };
        segment.build_text(&mut self.case.raw.cursor(), &|| cancel.is_set())?;
        if !has_templates(segment) {
            self.case.mined(segment, cancel)?.store(segment)?;
        }
        let mut manifest = self.manifest.clone();
        manifest.segments.iter_mut().filter(|entry| entry.id == id).for_each(|entry| entry.indexed = true);
        self.publish(manifest, Vec::new(), &[])
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

fn remove_where(folder: &Path, unwanted: impl Fn(&str) -> bool) -> Result<()> {
    for entry in fs::read_dir(folder).at_path(folder)?.flatten() {
        if unwanted(&entry.file_name().to_string_lossy()) {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.at_path(&path)?;
        }
    }
    Ok(())
}
