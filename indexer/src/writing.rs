//! The right to write a case, and the steps of every change to it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::case::Case;
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files::{self, EntryKind, FolderEntry};
use base::limits::TRASH_BYTES;
use store::{
    FORMAT_VERSION, Frame, Lock, Manifest, Missing, Names, Outlived, Profile, RawCursor, RawFile, Segment,
    SegmentEntry, Snapshot, SourceEntry, SourceReading, TrashSet, WrittenSegment, account_number,
    empty_trash, folder_bytes, frames_by_source, has_tail, has_templates, recover_raw,
};

const REPAIR: &str =
    "run `timberline verify --repair` on the case, which rebuilds what its original bytes still have";

/// What a change needs of the case as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It replaces or removes parts, so all of them must be whole.
    Rewrite,
    /// It adds to the case, or changes what the manifest says. Parts that cannot be read stay as they are.
    Add,
    /// The same while events are received. What is merged is not kept.
    Receive,
    /// It repairs what is damaged.
    Repair,
    /// It only keeps others from writing meanwhile.
    Hold,
}

impl Case {
    /// Runs a change of the case. Only one runs at a time.
    pub(crate) fn write<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut Writing<'_>) -> Result<T>,
    ) -> Result<T> {
        let _turn = self.turn()?;
        let done = Writing::begin(self, purpose).and_then(|mut writing| work(&mut writing));
        done.map_err(|error| match error.kind() {
            ErrorKind::CaseDamaged if error.hint_text().is_none() => error.hint(REPAIR),
            _ => error,
        })
    }
}

/// The right to write a case, with the last committed state.
pub(crate) struct Writing<'c> {
    case: &'c Case,
    pub manifest: Manifest,
    segments: Vec<Arc<Segment>>,
    names: OnceLock<Arc<Names>>,
    /// A part cannot be read, so that what nothing lists may belong to it: nothing is cut off or removed.
    is_damaged: bool,
    purpose: Purpose,
    /// The manifest that the change began with.
    began: Manifest,
    /// What this change replaces or removes, once there is anything, and how much that is.
    trash: Option<TrashSet>,
    trashed_bytes: u64,
    _lock: Lock,
}

impl<'c> Writing<'c> {
    pub fn begin(case: &'c Case, purpose: Purpose) -> Result<Writing<'c>> {
        let lock = Lock::acquire(case.folder())?;
        // Another process may have committed since this one last read.
        let manifest = Manifest::read(case.folder())?;
        let snapshot = Snapshot::load(manifest, &case.snapshot().segments, case.shared());
        let manifest_fault = Manifest::fault(case.folder());
        let is_damaged = manifest_fault.is_some() || !snapshot.unopened().is_empty();
        match purpose {
            Purpose::Rewrite => unless_damaged(manifest_fault, snapshot.unopened())?,
            // Its copy may lack the last commit, which the next one would make final.
            Purpose::Add | Purpose::Receive => unless_damaged(manifest_fault, &[])?,
            Purpose::Repair | Purpose::Hold => {}
        }
        let Snapshot { manifest, segments, .. } = snapshot;
        let (names, began) = (OnceLock::new(), manifest.clone());
        let mut writing = Writing {
            case,
            manifest,
            segments,
            names,
            is_damaged,
            purpose,
            began,
            trash: None,
            trashed_bytes: 0,
            _lock: lock,
        };
        // A repair finds out first what may be removed.
        if !matches!(purpose, Purpose::Hold | Purpose::Repair) {
            writing.recover()?;
        }
        Ok(writing)
    }

    pub fn folder(&self) -> &Path {
        self.case.folder()
    }

    pub fn case(&self) -> &'c Case {
        self.case
    }

    pub fn cursor(&self) -> RawCursor<'c> {
        self.case.raw_cursor()
    }

    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The column names of the case's tables. New ones are added as they are written.
    pub fn names(&self) -> &Arc<Names> {
        self.names
            .get_or_init(|| Names::from_segments(self.segments.iter().map(|segment| &segment.meta)).into())
    }

    /// Parses the stored frames of a source again, from the first on.
    pub fn again(&self, source: u32) -> Result<ingest::Replay> {
        self.case.shared().readings.again(source)
    }

    /// The manifest entry of a written segment.
    pub fn entry(written: &WrittenSegment) -> SegmentEntry {
        SegmentEntry {
            id: written.meta.id,
            events: written.meta.events,
            profile: if written.meta.has_columns { Profile::Fields } else { Profile::Raw },
            sha256: written.sha256.clone(),
        }
    }

    /// Commits: replaces the manifest on disk and then the snapshot for queries. What the new manifest no
    /// longer lists stays for its current readers.
    pub fn publish(&mut self, mut manifest: Manifest, written: Vec<WrittenSegment>) -> Result<()> {
        manifest.revision = self.manifest.revision + 1;
        // Older versions must not write a case that this version has written to.
        manifest.format = FORMAT_VERSION;
        let _loading = self.case.loading();
        if let Err(error) = manifest.write(self.folder()) {
            // Whether it failed before or after the replacement, only the disk can tell.
            self.reload();
            return Err(error);
        }
        let before = std::mem::replace(&mut self.manifest, manifest);
        self.case.shared().readings.update(&self.manifest);
        let opened = written.into_iter().map(|new| Arc::new(Segment::new(new.meta, self.case.shared())));
        self.segments.extend(opened);
        let order: HashMap<u64, usize> =
            self.manifest.segments.iter().enumerate().map(|(place, entry)| (entry.id, place)).collect();
        let (mut kept, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut self.segments)
            .into_iter()
            .partition(|segment| order.contains_key(&segment.meta.id));
        kept.sort_by_key(|segment| order.get(&segment.meta.id).copied());
        self.segments = kept;
        self.outlive(&gone, &before);
        let snapshot = Snapshot::load(self.manifest.clone(), &self.segments, self.case.shared());
        self.case.replace(Arc::new(snapshot), Manifest::stamp(self.folder()));
        Ok(())
    }

    fn reload(&mut self) {
        if let Ok(manifest) = Manifest::read(self.folder()) {
            let snapshot = Snapshot::load(manifest, &self.segments, self.case.shared());
            (self.manifest, self.segments) = (snapshot.manifest, snapshot.segments);
        }
    }

    /// Puts segments and raw files that nothing needs any more into the trash, with their last reader. What is
    /// received merges all the time, and is removed at once: the verified merged segments have the same events.
    fn outlive(&mut self, gone: &[Arc<Segment>], before: &Manifest) {
        let now: HashSet<RawFile> = current_raw(&self.manifest).collect();
        if gone.is_empty() && current_raw(before).all(|raw| now.contains(&raw)) {
            return;
        }
        let unnamed = self.unnamed_raw(gone, before);
        // Without a place in the trash, because the disk is full, the files stay where they are for the next writer: the
        // commit is made.
        let Ok(trash) = self.trash_for(gone, &unnamed) else { return };
        let outlived = |path: PathBuf| {
            let trash = trash.as_ref().map(|trash| trash.place_of(self.folder(), &path));
            Arc::new(Outlived { path, trash })
        };
        for segment in gone {
            segment.outlive(outlived(segment.path().to_path_buf()));
        }
        for raw in unnamed {
            let file = outlived(raw.path(self.folder()));
            let readers = gone.iter().filter(|segment| raw_files(segment).any(|named| named == raw));
            readers.for_each(|segment| segment.outlive(Arc::clone(&file)));
        }
    }

    /// The raw files that only what is gone needed.
    fn unnamed_raw(&self, gone: &[Arc<Segment>], before: &Manifest) -> HashSet<RawFile> {
        let named = self.named_raw();
        let of_gone = gone.iter().flat_map(|segment| raw_files(segment));
        of_gone.chain(current_raw(before)).filter(|file| !named.contains(file)).collect()
    }

    /// The part of the trash for what goes; nothing where it is only removed. What is received merges all the time, and
    /// a change may replace more than the trash keeps: then none of it is kept, and nothing of earlier changes.
    pub fn trash_for(&mut self, gone: &[Arc<Segment>], raw: &HashSet<RawFile>) -> Result<Option<TrashSet>> {
        if matches!(self.purpose, Purpose::Receive | Purpose::Hold) {
            return Ok(None);
        }
        let of_raw = raw.iter().filter_map(|raw| Some(files::look(&raw.path(self.folder()))?.bytes));
        let of_segments = gone.iter().map(|segment| folder_bytes(segment.path()));
        self.trashed_bytes += of_raw.chain(of_segments).sum::<u64>();
        if self.trashed_bytes > TRASH_BYTES {
            empty_trash(self.folder(), |_| true)?;
            return Ok(None);
        }
        self.new_trash().map(Some)
    }

    /// The part of the trash for this change. Those of earlier changes go when it is made.
    fn new_trash(&mut self) -> Result<TrashSet> {
        if let Some(trash) = &self.trash {
            return Ok(trash.clone());
        }
        empty_trash(self.folder(), |set| set.revision != self.began.revision)?;
        let trash = TrashSet::of_change(self.folder(), &self.began)?;
        Ok(self.trash.insert(trash).clone())
    }

    /// Puts something that no manifest lists into the trash: with what the last change left there, because that one
    /// may not have come to its end.
    fn discard(&self, path: &Path) -> Result<()> {
        TrashSet::of_leftovers(self.folder(), self.began.revision)?.take(self.folder(), path)
    }

    /// The raw files that the case needs: the sources' current ones, and those that segments have frames in.
    fn named_raw(&self) -> HashSet<RawFile> {
        let of_segments = self.segments.iter().flat_map(|segment| raw_files(segment));
        of_segments.chain(current_raw(&self.manifest)).collect()
    }

    /// Removes what interrupted work left: bytes and files that no manifest lists.
    pub fn recover(&mut self) -> Result<()> {
        if self.is_damaged {
            return Ok(());
        }
        let folder = self.case.folder();
        // What is old goes with whatever writes next.
        empty_trash(folder, |_| false)?;
        let frames = frames_by_source(&self.segments);
        for (id, source) in (0..).zip(&mut self.manifest.sources).filter(|(_, source)| !source.deleted) {
            let of_source = frames.get(&id).map_or(&[][..], Vec::as_slice);
            // Until segments read it, a file that was packed again stays as it was finished.
            // Frames of bytes that no segment has are not cut off either.
            let is_current = of_source.iter().all(|frame| frame.generation == source.generation);
            if is_current && end_of(of_source) == Some(source.bytes) {
                let raw = source.raw_file(id);
                // If the manifest is an older one that somebody put back, what follows are events.
                if has_tail(folder, raw, source.raw_bytes)? {
                    let trash = TrashSet::of_leftovers(folder, self.began.revision)?;
                    trash.take_tail(folder, &raw.path(folder), source.raw_bytes)?;
                }
                recover_raw(folder, raw, source.raw_bytes, of_source)?;
            }
            if !source.complete && source.note.is_none() {
                source.note =
                    Some(format!("the import was cut off; its first {} bytes are kept", source.bytes));
            }
        }
        for path in self.unlisted()? {
            match self.discard(&path) {
                // What is left waits, so that a full disk does not keep a person from deleting.
                Err(error) if error.kind() == ErrorKind::DiskFull => break,
                discarded => discarded?,
            }
        }
        for (segment, profile) in self.reached() {
            segment.remove_text_beyond(profile)?;
        }
        self.remove_old_accounts()
    }

    /// The segments and raw files that nothing lists: what interrupted work left, and what a process that died had
    /// still been reading. Names that a case does not use are not ours.
    fn unlisted(&self) -> Result<Vec<PathBuf>> {
        let listed: HashSet<u64> = self.manifest.segments.iter().map(|segment| segment.id).collect();
        let named = self.named_raw();
        let is_unlisted = |part: &str, entry: &FolderEntry| match (part, entry.kind) {
            ("segments", EntryKind::Folder) => entry.name.parse().is_ok_and(|id| !listed.contains(&id)),
            ("raw", EntryKind::File) => {
                RawFile::from_name(&entry.name).is_some_and(|file| !named.contains(&file))
            }
            _ => false,
        };
        let mut found = Vec::new();
        for part in ["segments", "raw"] {
            let folder = self.folder().join(part);
            files::create_folder(&folder).at_path(&folder)?;
            let entries = files::entries(&folder).at_path(&folder)?;
            found.extend(
                entries.iter().filter(|entry| is_unlisted(part, entry)).map(|entry| folder.join(&entry.name)),
            );
        }
        Ok(found)
    }

    /// Puts files of accounts that no source lists any more into the trash.
    pub fn remove_old_accounts(&mut self) -> Result<()> {
        let folder = self.folder().join("accounts");
        if !files::exists(&folder) {
            return Ok(());
        }
        let named: HashSet<u64> = self.manifest.sources.iter().filter_map(|source| source.account).collect();
        for entry in files::entries(&folder).at_path(&folder)? {
            let is_old = account_number(&entry.name).is_some_and(|number| !named.contains(&number));
            if is_old && entry.kind == EntryKind::File {
                self.discard(&folder.join(&entry.name))?;
            }
        }
        Ok(())
    }

    /// The sources with what is needed to tell whether a stream is one of them.
    pub fn known_sources(&self) -> Vec<KnownSource> {
        let mut frames = frames_by_source(&self.segments);
        let sources = (0..).zip(&self.manifest.sources).filter(|(_, source)| !source.deleted);
        let known = sources.filter_map(|(id, entry)| {
            let frames = frames.remove(&id).unwrap_or_default().into();
            let reading = SourceReading::from_manifest(&self.manifest, id)?.into();
            Some(KnownSource { id, entry: entry.clone().into(), frames, reading })
        });
        known.collect()
    }

    /// The segments with the profiles they have reached.
    fn reached(&self) -> impl Iterator<Item = (&Arc<Segment>, Profile)> {
        self.segments.iter().filter_map(|segment| {
            let entry = self.manifest.segments.iter().find(|entry| entry.id == segment.meta.id)?;
            Some((segment, entry.profile))
        })
    }

    /// Segments below the profile of the case, and those with a deleted file.
    pub fn segments_below_profile(&self) -> Vec<Arc<Segment>> {
        let wanted = self.manifest.profile;
        let lacks = |segment: &Segment, profile: Profile| {
            segment.text_path(profile).is_some_and(|(path, _)| !path.exists())
                || profile == Profile::Full && !has_templates(segment)
        };
        let segments_below_profile =
            self.reached().filter(|(segment, profile)| *profile != wanted || lacks(segment, *profile));
        segments_below_profile.map(|(segment, _)| Arc::clone(segment)).collect()
    }

    /// Stores the names of templates, once all segments have them.
    pub fn keep_template_ids(&self, cancel: &Cancel) -> Result<()> {
        self.case.keep_template_ids(&self.case.snapshot(), cancel)
    }

    /// Records that a segment has reached a profile.
    pub fn reach(&mut self, segment: &Segment, profile: Profile) -> Result<()> {
        let mut manifest = self.manifest.clone();
        let entries = manifest.segments.iter_mut().filter(|entry| entry.id == segment.meta.id);
        entries.for_each(|entry| entry.profile = profile);
        self.publish(manifest, Vec::new())?;
        segment.reopen_text();
        segment.remove_text_beyond(profile)
    }
}

/// Refuses a change that would be made of what is damaged.
fn unless_damaged(manifest: Option<Error>, unopened: &[Missing]) -> Result<()> {
    if let Some(fault) = manifest {
        return Err(fault);
    }
    let Some(missing) = unopened.first() else { return Ok(()) };
    let message = format!("{}; nothing was changed", missing.why.message());
    let error = Error::new(ErrorKind::CaseDamaged, message);
    Err(match missing.why.path() {
        Some(path) => error.at(path),
        None => error,
    })
}

fn current_raw(manifest: &Manifest) -> impl Iterator<Item = RawFile> {
    let sources = manifest.sources.iter().enumerate().filter(|(_, source)| !source.deleted);
    sources.map(|(id, source)| source.raw_file(id as u32))
}

/// The raw files that a segment has frames in. All frames of a source in it are in one.
fn raw_files(segment: &Segment) -> impl Iterator<Item = RawFile> {
    segment.meta.sources.iter().filter_map(|entry| {
        entry.frames.first().map(|frame| RawFile { source: entry.source, generation: frame.generation })
    })
}

/// Where frames end that follow one another from the first byte on; nothing if some are missing between them.
fn end_of(frames: &[Frame]) -> Option<u64> {
    frames.iter().try_fold(0, |end, frame| (frame.offset == end).then(|| frame.end()))
}

/// A candidate source for a stream.
#[derive(Clone, Debug)]
pub struct KnownSource {
    pub id: u32,
    pub entry: Arc<SourceEntry>,
    pub frames: Arc<[Frame]>,
    /// How it was read.
    pub reading: Arc<SourceReading>,
}

impl KnownSource {
    /// True if its frames are all of its bytes. They are not if a segment cannot be opened.
    pub fn has_all_frames(&self) -> bool {
        end_of(&self.frames) == Some(self.entry.bytes)
    }

    /// True if its frames are in its current raw file. During compaction they may not be.
    pub fn has_current_frames(&self) -> bool {
        self.frames.iter().all(|frame| frame.generation == self.entry.generation)
    }
}
