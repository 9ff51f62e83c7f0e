//! The right to write a case, and the steps of every change to it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::case::Case;
use base::Cancel;
use base::error::Result;
use store::Snapshot;
use store::frames_by_source;
use store::{
    FORMAT_VERSION, Frame, Lock, Manifest, Names, Outlived, Profile, RawCursor, RawFile, Segment,
    SegmentEntry, SourceEntry, SourceReading, WrittenSegment, has_templates, recover_raw, remove_where,
};

impl Case {
    /// Runs a change of the case. Only one runs at a time.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut Writing<'_>) -> Result<T>) -> Result<T> {
        let _turn = self.turn()?;
        work(&mut Writing::begin(self)?)
    }
}

/// The right to write a case, with the last committed state.
pub(crate) struct Writing<'c> {
    case: &'c Case,
    pub manifest: Manifest,
    segments: Vec<Arc<Segment>>,
    names: OnceLock<Arc<Names>>,
    /// Some segments cannot be opened, so what they hold of a source is unknown.
    is_damaged: bool,
    _lock: Lock,
}

impl<'c> Writing<'c> {
    pub fn begin(case: &'c Case) -> Result<Writing<'c>> {
        let lock = Lock::acquire(case.folder())?;
        // Another process may have committed since this one last read.
        let manifest = Manifest::read(case.folder())?;
        let snapshot = Snapshot::load(manifest, &case.snapshot().segments, case.shared());
        let is_damaged = !snapshot.unopened().is_empty();
        let Snapshot { manifest, segments, .. } = snapshot;
        let mut writing =
            Writing { case, manifest, segments, names: OnceLock::new(), is_damaged, _lock: lock };
        writing.recover()?;
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
        let is_raw_left = !current_raw(&before).eq(current_raw(&self.manifest).take(before.sources.len()));
        if !gone.is_empty() || is_raw_left {
            self.outlive(&gone, &before);
        }
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

    /// Removes the files of segments, and raw files that nothing needs any more, with their last reader.
    fn outlive(&self, gone: &[Arc<Segment>], before: &Manifest) {
        for segment in gone {
            segment.outlive(Arc::new(Outlived(segment.path().to_path_buf())));
        }
        let named = self.named_raw();
        let of_gone = gone.iter().flat_map(|segment| raw_files(segment));
        let unnamed: HashSet<RawFile> =
            of_gone.chain(current_raw(before)).filter(|file| !named.contains(file)).collect();
        for raw in unnamed {
            let file = Arc::new(Outlived(raw.path(self.folder())));
            let readers = gone.iter().filter(|segment| raw_files(segment).any(|named| named == raw));
            readers.for_each(|segment| segment.outlive(Arc::clone(&file)));
        }
    }

    /// The raw files that the case needs: the sources' current ones, and those that segments have frames in.
    fn named_raw(&self) -> HashSet<RawFile> {
        let of_segments = self.segments.iter().flat_map(|segment| raw_files(segment));
        of_segments.chain(current_raw(&self.manifest)).collect()
    }

    /// Removes what interrupted work left: bytes and files that no manifest lists.
    pub fn recover(&mut self) -> Result<()> {
        if self.is_damaged {
            // An unreadable part may list anything; nothing is cut off or removed until it is repaired.
            return Ok(());
        }
        let folder = self.case.folder();
        let frames = frames_by_source(&self.segments);
        for (id, source) in (0..).zip(&mut self.manifest.sources).filter(|(_, source)| !source.deleted) {
            let of_source = frames.get(&id).map_or(&[][..], Vec::as_slice);
            // Until segments read it, a file that was packed again stays as it was finished.
            if of_source.iter().all(|frame| frame.generation == source.generation) {
                let raw = source.raw_file(id);
                recover_raw(folder, raw, source.raw_bytes, of_source)?;
            }
            if !source.complete && source.note.is_none() {
                source.note =
                    Some(format!("the import was cut off; its first {} bytes are kept", source.bytes));
            }
        }
        let listed = |id: u64| self.manifest.segments.iter().any(|segment| segment.id == id);
        remove_where(&folder.join("segments"), |name| !name.parse().is_ok_and(listed))?;
        let named = self.named_raw();
        remove_where(&folder.join("raw"), |name| {
            RawFile::from_name(name).is_none_or(|file| !named.contains(&file))
        })?;
        for (segment, profile) in self.reached() {
            segment.remove_text_beyond(profile)?;
        }
        self.remove_old_accounts()
    }

    /// Removes files of accounts that no source lists any more.
    pub fn remove_old_accounts(&self) -> Result<()> {
        let folder = self.folder().join("accounts");
        if !folder.is_dir() {
            return Ok(());
        }
        let named: HashSet<u64> = self.manifest.sources.iter().filter_map(|source| source.account).collect();
        remove_where(&folder, |name| {
            let number = name.strip_suffix(".json").and_then(|number| number.parse().ok());
            number.is_none_or(|number: u64| !named.contains(&number))
        })
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
    /// True if its frames are in its current raw file. During compaction they may not be.
    pub fn has_current_frames(&self) -> bool {
        self.frames.iter().all(|frame| frame.generation == self.entry.generation)
    }
}
