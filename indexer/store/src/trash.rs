//! `trash/`: what a change replaced or deleted, kept until the next change so that a person can have it back.
//!
//! Each change that removes something has a folder named after the revision it began with. The folder holds the
//! manifest of that revision, and the segments, raw files and accounts that no later manifest lists, under their
//! names in the case. Without a manifest it holds only what interrupted work left.

use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base::error::{AtPath, Result};
use base::files::{self, EntryKind};
use base::limits::TRASH_AGE;

use super::files::{TRASH, folder_bytes, remove, remove_folder, remove_where, write};
use super::manifest::Manifest;
use super::raw::RawFile;
use super::segment::remove_segment;

const FOLDER: &str = "trash";
const PARTS: [&str; 3] = ["segments", "raw", "accounts"];

/// What one change put into the trash.
#[derive(Clone, Debug)]
pub struct TrashSet {
    /// The revision that the change began with.
    pub revision: u64,
    pub bytes: u64,
    folder: PathBuf,
}

/// The sets in the trash of a case, the oldest first.
#[must_use]
pub fn trash_sets(case: &Path) -> Vec<TrashSet> {
    let entries = files::entries(&case.join(FOLDER)).unwrap_or_default();
    let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    let mut sets: Vec<TrashSet> = folders
        .filter_map(|entry| {
            let folder = case.join(FOLDER).join(&entry.name);
            Some(TrashSet { revision: entry.name.parse().ok()?, bytes: folder_bytes(&folder), folder })
        })
        .collect();
    sets.sort_by_key(|set| set.revision);
    sets
}

/// The bytes of a case without its trash.
#[must_use]
pub fn case_bytes(case: &Path) -> u64 {
    folder_bytes(case).saturating_sub(folder_bytes(&case.join(FOLDER)))
}

/// The next number for a raw file of a source: no file of the case has it, nor one in the trash.
#[must_use]
pub fn next_generation(case: &Path, before: RawFile) -> u32 {
    let is_free = |&generation: &u32| {
        let path = RawFile { generation, ..before }.path(case);
        !files::exists(&path) && find_in_trash(case, &path, 0).is_none()
    };
    (before.generation + 1..u32::MAX).find(is_free).unwrap_or(u32::MAX)
}

impl TrashSet {
    /// The set for what nothing lists at a revision: the last one there is, or a new one.
    pub fn of_leftovers(case: &Path, revision: u64) -> Result<TrashSet> {
        trash_sets(case).pop().map_or_else(|| TrashSet::create(case, revision), Ok)
    }

    /// The set of a change that begins with this manifest.
    pub fn of_change(case: &Path, manifest: &Manifest) -> Result<TrashSet> {
        let set = TrashSet::create(case, manifest.revision)?;
        let path = set.folder.join(Manifest::NAME);
        if !files::exists(&path) {
            write(&path, manifest.to_text(&path)?.as_bytes(), TRASH)?;
        }
        Ok(set)
    }

    fn create(case: &Path, revision: u64) -> Result<TrashSet> {
        let folder = case.join(FOLDER).join(revision.to_string());
        let folders = PARTS.iter().map(|part| folder.join(part));
        for path in [case.join(FOLDER), folder.clone()].into_iter().chain(folders) {
            files::create_folder(&path).at_path(&path)?;
        }
        Ok(TrashSet { revision, bytes: 0, folder })
    }

    /// The manifest of the revision that the change began with.
    pub fn manifest(&self) -> Result<Manifest> {
        Manifest::read(&self.folder)
    }

    /// Where a file or a segment of the case has its place in the set.
    #[must_use]
    pub fn place_of(&self, case: &Path, path: &Path) -> PathBuf {
        self.folder.join(path.strip_prefix(case).unwrap_or(path))
    }

    /// Moves a file or a segment of the case into the set. What interrupted work left under the same name before
    /// makes room for it.
    pub fn take(&self, case: &Path, path: &Path) -> Result<()> {
        let place = self.place_of(case, path);
        match files::look(&place) {
            Some(entry) if entry.kind == EntryKind::Folder => remove_segment(&place)?,
            Some(_) => remove(&place)?,
            None => {}
        }
        self.make_room(&place)?;
        files::relocate(path, &place).at_path(path)
    }

    /// Creates the folder of a place again, if the set was cut off while it was made or removed.
    fn make_room(&self, place: &Path) -> Result<()> {
        for folder in [Some(&*self.folder), place.parent()].into_iter().flatten() {
            files::create_folder(folder).at_path(folder)?;
        }
        Ok(())
    }

    /// Copies the bytes of a raw file from an offset on into the set.
    pub fn take_tail(&self, case: &Path, path: &Path, from: u64) -> Result<()> {
        let mut place = self.place_of(case, path).into_os_string();
        place.push(".tail");
        self.make_room(Path::new(&place))?;
        let copied = || -> io::Result<()> {
            let mut file = files::open(path)?;
            file.seek(SeekFrom::Start(from))?;
            let mut tail = files::create_temporary(Path::new(&place))?;
            io::copy(&mut file, &mut tail)?;
            tail.sync_all()
        };
        copied().at_path(path)
    }

    /// Removes the set, except for what others put into it. The manifest goes first: what is left of an interrupted
    /// removal cannot be restored.
    pub fn remove(&self) -> Result<()> {
        remove_where(&self.folder, |name| name == Manifest::NAME)?;
        let [segments, raw, accounts] = PARTS.map(|part| self.folder.join(part));
        for entry in files::entries(&segments).unwrap_or_default() {
            if entry.kind == EntryKind::Folder && entry.name.parse::<u64>().is_ok() {
                remove_segment(&segments.join(&entry.name))?;
            }
        }
        remove_folder(&segments, |_| false)?;
        remove_folder(&raw, |name| RawFile::from_name(name.trim_end_matches(".tail")).is_some())?;
        remove_folder(&accounts, |name| super::account::number_of(name).is_some())?;
        remove_folder(&self.folder, |_| false)
    }

    fn is_old(&self) -> bool {
        let changed = std::fs::symlink_metadata(&self.folder).and_then(|meta| meta.modified());
        let age = changed.map(|changed| SystemTime::now().duration_since(changed).unwrap_or(Duration::ZERO));
        age.is_ok_and(|age| age > TRASH_AGE)
    }
}

/// Empties the trash of what is old, and of the sets that `is_due` names.
pub fn empty_trash(case: &Path, is_due: impl Fn(&TrashSet) -> bool) -> Result<()> {
    for set in trash_sets(case).iter().filter(|set| is_due(set) || set.is_old()) {
        set.remove()?;
    }
    remove_folder(&case.join(FOLDER), |_| false)
}

/// Looks for something that a manifest lists: in its place, or in the trash of this change and later ones.
#[must_use]
pub fn find_in_trash(case: &Path, path: &Path, from: u64) -> Option<PathBuf> {
    let sets = trash_sets(case).into_iter().filter(|set| set.revision >= from);
    sets.map(|set| set.place_of(case, path)).find(|place| files::exists(place))
}
