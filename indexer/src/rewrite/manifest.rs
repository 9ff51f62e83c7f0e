//! A manifest for a case that lost its own: from the copy if there is one, and from the segments and raw files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::case::Case;
use crate::import::fingerprint;
use base::error::{ErrorKind, Result};
use base::files::{self, EntryKind};
use base::limits::HEAD_BYTES;
use engine::Engine;
use store::{
    EventCount, FolderUse, Frame, Lock, Manifest, Profile, RawFile, Segment, SegmentEntry, SegmentMeta,
    SourceEntry, WrittenSegment, count_events, folder_use, raw_frames_that_are_left, trash_sets,
};

/// What is written of a source whose entry was made again.
const NOTE: &str = "the case had lost its list of sources; this entry was made again from what is stored";

impl Case {
    /// Opens a case to repair it. If its manifest cannot be used, another one is written first. Returns whether that
    /// was done.
    pub fn open_to_repair(folder: &Path) -> Result<(Case, bool)> {
        let is_lost = make_manifest(&files::resolved(folder))?;
        Ok((Case::open(folder)?, is_lost))
    }
}

/// Writes a manifest if the case has none that can be used. Returns whether it did.
pub(super) fn make_manifest(folder: &Path) -> Result<bool> {
    let is_lost = folder_use(folder) == FolderUse::Case
        && Manifest::fault(folder).is_some_and(|fault| fault.kind() != ErrorKind::CaseTooNew);
    if is_lost {
        let _lock = Lock::acquire(folder)?;
        Remains::read(folder)?.manifest().write(folder)?;
    }
    Ok(is_lost)
}

/// The most sources that are found in segments and raw files beyond those that a copy of the manifest lists.
const MOST_NEW_SOURCES: u32 = 1 << 20;

/// What is left of a case.
struct Remains<'c> {
    case: &'c Path,
    /// What the copy of the manifest says; an empty manifest without one.
    copy: Manifest,
    /// The segments that are on the disk, the newest first, with the hashes of their `segment.json`.
    segments: Vec<(SegmentMeta, String)>,
    /// The raw files by their source: each generation with its frames.
    raw: BTreeMap<u32, BTreeMap<u32, Vec<Frame>>>,
}

impl<'c> Remains<'c> {
    fn read(case: &'c Path) -> Result<Remains<'c>> {
        let name = case.file_stem().unwrap_or_default().to_string_lossy();
        let copy = match Manifest::read(case) {
            Err(error) if error.kind() == ErrorKind::CaseTooNew => return Err(error),
            read => read.unwrap_or_else(|_| Manifest::new(&name)),
        };
        let listed = files::entries(&case.join("segments")).unwrap_or_default();
        let mut segments: Vec<(SegmentMeta, String)> = listed
            .iter()
            .filter(|entry| entry.kind == EntryKind::Folder)
            .filter_map(|entry| {
                let path = Segment::folder(case, entry.name.parse().ok()?).join("segment.json");
                let text = files::read(&path).ok()?;
                let meta = SegmentMeta::from_text(&text, &path).ok()?;
                let sha256 = base::hex(&Sha256::digest(&text));
                let listed = copy.segments.iter().find(|listed| listed.id == meta.id);
                let is_intact = listed.is_none_or(|listed| listed.sha256 == sha256);
                (is_intact && meta.id.to_string() == entry.name).then_some((meta, sha256))
            })
            .collect();
        segments.sort_by_key(|(meta, _)| std::cmp::Reverse(meta.id));
        let mut raw: BTreeMap<u32, BTreeMap<u32, Vec<Frame>>> = BTreeMap::new();
        for entry in files::entries(&case.join("raw")).unwrap_or_default() {
            let file = RawFile::from_name(&entry.name).filter(|_| entry.kind == EntryKind::File);
            if let Some(file) = file
                && let Ok(frames) = raw_frames_that_are_left(case, file)
            {
                raw.entry(file.source).or_default().insert(file.generation, frames);
            }
        }
        Ok(Remains { case, copy, segments, raw })
    }

    fn manifest(&self) -> Manifest {
        let known = self.copy.sources.len() as u32;
        let in_segments = self.segments.iter().flat_map(|(meta, _)| &meta.sources).map(|of| of.source);
        // A number far beyond the others is one that somebody gave a file.
        let numbers = in_segments.chain(self.raw.keys().copied()).filter(|id| *id < known + MOST_NEW_SOURCES);
        let count = numbers.map(|id| id + 1).chain([known]).max().unwrap_or_default();
        let sources: Vec<SourceEntry> = (0..count).map(|source| self.source(source)).collect();
        let segments = self.chosen(&sources);
        let highest = self.segments.first().map_or(0, |(meta, _)| meta.id + 1);
        let in_trash =
            trash_sets(self.case).iter().filter_map(|set| Some(set.manifest().ok()?.next_segment)).max();
        Manifest {
            revision: self.copy.revision + 1,
            next_segment: self.copy.next_segment.max(highest).max(in_trash.unwrap_or_default()),
            profile: self.profile(),
            sources,
            segments,
            ..self.copy.clone()
        }
    }

    /// The profile of the case: what the copy says, or what its newest segment has reached.
    fn profile(&self) -> Profile {
        match self.segments.first() {
            Some((meta, _)) if self.copy.segments.is_empty() => self.reached(meta),
            _ => self.copy.profile,
        }
    }

    fn reached(&self, meta: &SegmentMeta) -> Profile {
        let has = |name: &str| files::exists(&Segment::folder(self.case, meta.id).join(name));
        match meta.has_columns {
            true if has("text") => Profile::Full,
            true if has("text.3.flt") => Profile::Bloom,
            true => Profile::Fields,
            false => Profile::Raw,
        }
    }

    /// The entry of a source. Where the stored bytes are those that the copy lists, it is the copy's.
    fn source(&self, source: u32) -> SourceEntry {
        let known = self.copy.sources.get(source as usize);
        let (generation, frames) = self.current(source).unwrap_or_default();
        let bytes = frames.last().map_or(0, Frame::end);
        if let Some(known) = known
            && (known.deleted || known.bytes >= bytes)
        {
            // What is missing of it, `verify` names.
            return known.clone();
        }
        let described = self.segments.iter().flat_map(|(meta, _)| &meta.sources).find_map(|of| {
            of.described.as_ref().filter(|_| of.source == source).map(|described| (**described).clone())
        });
        let described = known.cloned().or(described).unwrap_or_else(|| SourceEntry {
            name: format!("source {source}"),
            format: "text".to_owned(),
            encoding: "utf-8".to_owned(),
            compression: "none".to_owned(),
            ..SourceEntry::default()
        });
        let is_known_format = described.reading.definition.is_none_or(|at| at < self.copy.definitions.len());
        let (format, reading) = if is_known_format {
            (described.format.clone(), described.reading.clone())
        } else {
            ("text".to_owned(), store::Reading::default())
        };
        let engine = Engine::new(self.case);
        let (mut hash, mut cursor, mut head) = (Sha256::new(), engine.raw_cursor(), Vec::new());
        for frame in &frames {
            // Bytes that cannot be read, `verify` names.
            if let Ok(bytes) = cursor.read(source, frame) {
                head.extend_from_slice(&bytes[..bytes.len().min(HEAD_BYTES.saturating_sub(head.len()))]);
                hash.update(bytes);
            }
        }
        let sample_bytes = match reading.sample_bytes {
            0 => bytes.min(ingest::limits::SAMPLE_BYTES as u64),
            known => known,
        };
        SourceEntry {
            format,
            reading: store::Reading { sample_bytes, ..reading },
            head: fingerprint(&head),
            bytes,
            sha256: base::hex(&hash.finalize()),
            raw_bytes: frames.last().map_or(0, |frame| frame.at + u64::from(frame.size)),
            generation,
            content_generation: generation,
            complete: false,
            note: Some(NOTE.to_owned()),
            deleted: frames.is_empty(),
            ..described
        }
    }

    /// The raw file of a source with the most bytes, and of several the newest, with its frames.
    fn current(&self, source: u32) -> Option<(u32, Vec<Frame>)> {
        let generations = self.raw.get(&source)?;
        let bytes = |frames: &[Frame]| frames.last().map_or(0, Frame::end);
        let newest = generations.iter().max_by_key(|(generation, frames)| (bytes(frames), **generation))?;
        Some((*newest.0, newest.1.clone()))
    }

    /// Segments that share no events: newer ones come first, because a merged one follows those it replaces. Each
    /// frame must be one of a raw file that has all bytes of its source, and the tables must be as they were written.
    fn chosen(&self, sources: &[SourceEntry]) -> Vec<SegmentEntry> {
        let mut taken: HashMap<u32, Vec<(u64, u64)>> = HashMap::new();
        let mut chosen = Vec::new();
        for (meta, sha256) in &self.segments {
            let is_stored = |source: u32, frame: &Frame| {
                let stored = self.raw.get(&source).and_then(|generations| generations.get(&frame.generation));
                let Some(entry) = sources.get(source as usize).filter(|entry| !entry.deleted) else {
                    return false;
                };
                stored.is_some_and(|stored| {
                    let place = stored.partition_point(|one| one.offset < frame.offset);
                    stored.last().map_or(0, Frame::end) >= entry.bytes && stored.get(place) == Some(frame)
                })
            };
            let frames =
                || meta.sources.iter().flat_map(|of| of.frames.iter().map(|frame| (of.source, *frame)));
            let is_free = |source: u32, frame: &Frame| {
                let others = taken.get(&source).map_or(&[][..], Vec::as_slice);
                others.iter().all(|&(start, end)| frame.end() <= start || frame.offset >= end)
            };
            let written = WrittenSegment { meta: meta.clone(), sha256: sha256.clone() };
            let is_whole = || Segment::check_written(self.case, &written).is_ok();
            if !frames().all(|(source, frame)| is_stored(source, &frame) && is_free(source, &frame))
                || !is_whole()
            {
                continue;
            }
            for (source, frame) in frames() {
                taken.entry(source).or_default().push((frame.offset, frame.end()));
            }
            let listed = self.copy.segments.iter().position(|listed| listed.id == meta.id);
            let entry = listed.map_or_else(
                || SegmentEntry {
                    id: meta.id,
                    events: meta.events,
                    profile: self.reached(meta),
                    sha256: sha256.clone(),
                },
                |place| self.copy.segments[place].clone(),
            );
            chosen.push((listed.unwrap_or(usize::MAX), entry));
        }
        chosen.sort_by_key(|(place, entry)| (*place, entry.id));
        chosen.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// Corrects the numbers of events in a manifest. Returns whether any changed.
pub(super) fn count_again(manifest: &mut Manifest, segments: &[Arc<Segment>]) -> Result<bool> {
    let counts = count_events(segments)?;
    let mut is_changed = false;
    for (id, entry) in (0..).zip(&mut manifest.sources).filter(|(_, entry)| !entry.deleted) {
        let EventCount { events, first, last } = counts.get(&id).copied().unwrap_or_default();
        is_changed |= (entry.events, entry.first, entry.last) != (events, first, last);
        (entry.events, entry.first, entry.last) = (events, first, last);
    }
    Ok(is_changed)
}
