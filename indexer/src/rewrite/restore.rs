//! Takes back the last change that replaced or deleted something: what it put into the trash is listed again.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::case::Case;
use crate::writing::{Purpose, Writing};
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files;
use store::{
    Accounts, Manifest, RawFile, Segment, SegmentEntry, SegmentMeta, TrashSet, WrittenSegment, find_in_trash,
    trash_sets,
};

/// What the trash of a case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TrashState {
    pub bytes: u64,
    /// The events that the case had before the change, as far as they were in it then.
    pub events_before: u64,
}

/// What was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Restored {
    pub events_before: u64,
    pub events: u64,
    /// Sources that were added since the change. They stay.
    pub added_since: usize,
}

impl Case {
    /// What the last change that replaced or deleted something left in the trash, if it can be had back.
    #[must_use]
    pub fn trash(&self) -> Option<TrashState> {
        let set = trash_sets(self.folder()).pop()?;
        let manifest = set.manifest().ok()?;
        Some(TrashState { bytes: set.bytes, events_before: events(&manifest) })
    }

    /// Takes the last change back. What it had made goes to the trash in turn, so restoring again makes the change
    /// once more. Sources that were added since stay.
    pub fn restore(&self) -> Result<Restored> {
        self.write(Purpose::Rewrite, restore)
    }
}

fn events(manifest: &Manifest) -> u64 {
    manifest.segments.iter().map(|segment| segment.events).sum()
}

fn restore(writing: &mut Writing<'_>) -> Result<Restored> {
    let case = writing.folder().to_path_buf();
    let Some(set) = trash_sets(&case).pop() else {
        return Err(Error::new(ErrorKind::NotFound, "the trash of this case is empty").at(&case).hint(
            "it holds what the last change replaced or deleted, for seven days and up to two gigabytes",
        ));
    };
    let before = set.manifest()?;
    let mut manifest = together(writing, &before)?;
    let events_before = events(&writing.manifest);
    let listed: HashSet<u64> = writing.manifest.segments.iter().map(|entry| entry.id).collect();
    let mut moves = Moves { case: &case, set: &set, found: BTreeSet::new() };
    let mut back = Vec::new();
    for entry in before.segments.iter().filter(|entry| !listed.contains(&entry.id)) {
        let meta = moves.segment(entry)?;
        back.push(WrittenSegment { meta, sha256: entry.sha256.clone() });
    }
    for (id, source) in (0..).zip(&before.sources).filter(|(_, source)| !source.deleted) {
        moves.add(&source.raw_file(id).path(&case))?;
        if let Some(number) = source.account {
            moves.add(&Accounts::path(&case, number))?;
        }
    }
    for (from, to) in &moves.found {
        files::relocate(from, to).at_path(to)?;
    }
    for segment in &back {
        Segment::check_written(&case, segment)?;
    }
    manifest.next_segment = writing.manifest.next_segment.max(before.next_segment);
    let added_since = manifest.sources.len() - before.sources.len();
    let events = events(&manifest);
    writing.publish(manifest, back)?;
    // A deletion made nothing that could go to the trash; its own manifest does, so that it can be made again.
    writing.trash_for(&[], &HashSet::new())?;
    Ok(Restored { events_before, events, added_since })
}

/// The earlier manifest with the sources that were added since.
fn together(writing: &Writing<'_>, before: &Manifest) -> Result<Manifest> {
    let (now, known) = (&writing.manifest, before.sources.len() as u32);
    let mut manifest = before.clone();
    manifest.name.clone_from(&now.name);
    manifest.sources.extend(now.sources.iter().skip(known as usize).cloned());
    manifest.definitions.clone_from(&now.definitions);
    for segment in writing.segments() {
        let is_since = |source: u32| source >= known;
        let sources = || segment.meta.sources.iter().map(|of| of.source);
        if !sources().any(is_since) {
            continue;
        }
        if !sources().all(is_since) {
            let message = "events of sources from before and after the change share a part of the case; \
                           nothing was changed";
            return Err(Error::new(ErrorKind::BadRequest, message).at(writing.folder()));
        }
        manifest.segments.extend(now.segments.iter().filter(|entry| entry.id == segment.meta.id).cloned());
    }
    Ok(manifest)
}

/// What has to be moved out of the trash, each with its place in the case.
struct Moves<'c> {
    case: &'c Path,
    set: &'c TrashSet,
    found: BTreeSet<(PathBuf, PathBuf)>,
}

impl Moves<'_> {
    /// Looks for something that is to be in its place.
    fn add(&mut self, path: &Path) -> Result<PathBuf> {
        if files::exists(path) {
            return Ok(path.to_path_buf());
        }
        let Some(place) = find_in_trash(self.case, path, self.set.revision) else {
            let message =
                "it is not in the trash any more, so the change cannot be taken back; nothing was changed";
            return Err(Error::new(ErrorKind::NotFound, message).at(path));
        };
        self.found.insert((place.clone(), path.to_path_buf()));
        Ok(place)
    }

    /// The same for a segment and the raw files that it reads.
    fn segment(&mut self, entry: &SegmentEntry) -> Result<SegmentMeta> {
        let path = self.add(&Segment::folder(self.case, entry.id))?.join("segment.json");
        let text = files::read(&path).at_path(&path)?;
        if base::hex(&Sha256::digest(&text)) != entry.sha256 {
            return Err(Error::damaged(&path, "its checksum differs from the one in the trash's case.json"));
        }
        let meta = SegmentMeta::from_text(&text, &path)?;
        for of in &meta.sources {
            let raw =
                of.frames.iter().map(|frame| RawFile { source: of.source, generation: frame.generation });
            for raw in raw.collect::<BTreeSet<_>>() {
                self.add(&raw.path(self.case))?;
            }
        }
        Ok(meta)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ImportOptions;
    use base::Cancel;

    fn import(case: &Case, folder: &Path, name: &str, lines: usize) {
        let log = folder.join(name);
        let line = |number: usize| format!("2026-03-01 14:{:02}:00 INFO {name} {number}\n", number % 60);
        fs::write(&log, (0..lines).map(line).collect::<String>()).expect("a log");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    }

    #[test]
    fn deleted_source_is_had_back_with_what_came_since() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        import(&case, folder.path(), "a.log", 20);
        import(&case, folder.path(), "b.log", 30);
        case.delete_sources(&[0], &mut |_| {}, &Cancel::default()).expect("it is deleted");
        assert_eq!(case.trash().map(|trash| trash.events_before), Some(50));
        import(&case, folder.path(), "c.log", 7);
        let restored = case.restore().expect("it is had back");
        assert_eq!(restored, Restored { events_before: 37, events: 57, added_since: 1 });
        assert_eq!(case.snapshot().events(), 57);
        assert!(case.verify(&Cancel::default()).problems.is_empty());
        assert!(Case::open(case.folder()).expect("a case").verify(&Cancel::default()).problems.is_empty());
    }

    #[test]
    fn deletion_that_was_taken_back_is_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        import(&case, folder.path(), "a.log", 20);
        import(&case, folder.path(), "b.log", 30);
        case.delete_sources(&[0], &mut |_| {}, &Cancel::default()).expect("it is deleted");
        for events in [50, 30, 50, 30] {
            assert_eq!(case.restore().expect("restored").events, events);
            assert_eq!(case.snapshot().events(), events);
            assert!(case.verify(&Cancel::default()).problems.is_empty());
        }
    }

    #[test]
    fn compaction_is_taken_back_and_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        import(&case, folder.path(), "a.log", 20);
        import(&case, folder.path(), "b.log", 30);
        let compact = || case.compact(&mut |_| {}, &Cancel::default()).expect("compacted");
        assert_eq!(compact().segments_after, 1);
        for events in [2, 1] {
            case.restore().expect("restored");
            assert_eq!((case.snapshot().segments.len(), case.snapshot().events()), (events, 50));
            assert!(case.verify(&Cancel::default()).problems.is_empty());
        }
        case.restore().expect("restored");
        assert_eq!(compact().segments_after, 1);
        assert!(case.verify(&Cancel::default()).problems.is_empty());
    }
}
