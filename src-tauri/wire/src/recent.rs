//! The cases that a person had open, wherever they are, and those in the folder of cases.
//!
//! What was seen of a case last is kept in `recent.json` of Timberline's own folder, so that one that is gone can
//! still be distinguished and searched.

// Every call answers alike, so that the contract's table can list it; some of them cannot fail.
#![allow(clippy::unnecessary_wraps)]

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use indexer::whole_file::{self, Readers};
use indexer::{Case, Nanos, is_case};
use serde::{Deserialize, Serialize};

use crate::calls::Answer;
use crate::session::{Call, Session};
use crate::types::{CasePath, CaseState, CaseSummary, Empty, Paths, RecentCase, WireError};

/// Cases listed on the welcome screen.
const LISTED: usize = 12;
/// Cases remembered; those beyond were not opened for long.
const REMEMBERED: usize = 100;
/// Folders looked into for a case that is gone; more would make a person wait.
const MOST_FOLDERS: usize = 2_000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct RecentFile {
    cases: Vec<RecentCase>,
    /// Cases of the folder of cases that a person does not want to see in the list.
    hidden: BTreeSet<String>,
}

fn file(home: &Path) -> PathBuf {
    home.join("recent.json")
}

impl RecentFile {
    /// What cannot be read is as if nothing had been remembered; nothing but the list depends on it.
    fn read(home: &Path) -> RecentFile {
        let read = fs::read(file(home)).ok();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Two windows may write at once; the last counts, and the other notes its case again when it is opened next.
    fn write(&self, home: &Path) -> std::io::Result<()> {
        let path = file(home);
        whole_file::create_own_folder(home)?;
        whole_file::replace(&path, &serde_json::to_vec_pretty(self)?, Readers::Owner)
    }
}

fn now() -> Option<Nanos> {
    stamp(SystemTime::now())
}

fn stamp(time: SystemTime) -> Option<Nanos> {
    let ns = time.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    i64::try_from(ns).ok().map(Nanos)
}

/// Takes note that a case was opened or has changed.
pub(crate) fn note(home: &Path, summary: &CaseSummary) {
    let mut remembered = RecentFile::read(home);
    let entry = RecentCase {
        path: summary.path.clone(),
        name: summary.name.clone(),
        events: summary.events,
        sources: summary.sources.len() as u32,
        bytes: summary.sources.iter().map(|source| source.bytes).sum(),
        bytes_on_disk: summary.bytes_on_disk,
        changed: now().unwrap_or(Nanos(0)),
        opened: now(),
        first: summary.first,
        last: summary.last,
        state: CaseState::Ready,
        read_only: None,
    };
    remembered.hidden.remove(&summary.path);
    remembered.cases.retain(|case| case.path != summary.path);
    remembered.cases.insert(0, entry);
    remembered.cases.truncate(REMEMBERED);
    // A list of recent cases that cannot be kept is no reason to refuse a case.
    let _ = remembered.write(home);
}

/// The last opened first; cases that were only found come by their last change.
pub(crate) fn recent(session: &Session) -> Vec<RecentCase> {
    let remembered = RecentFile::read(&session.start.home);
    let known: HashSet<&str> = remembered.cases.iter().map(|case| case.path.as_str()).collect();
    let entries = fs::read_dir(session.cases_folder()).into_iter().flatten().flatten();
    let found = entries.map(|entry| entry.path()).filter(|path| is_case(path)).filter_map(|path| {
        let text = path.to_string_lossy().into_owned();
        let is_listed = known.contains(text.as_str()) || remembered.hidden.contains(&text);
        let changed = fs::metadata(path.join("case.json")).ok()?.modified().ok()?;
        (!is_listed).then(|| (stamp(changed), text))
    });
    let mut listed: Vec<(Option<Nanos>, Option<&RecentCase>, String)> = found
        .map(|(changed, path)| (changed, None, path))
        .chain(remembered.cases.iter().map(|case| (case.opened, Some(case), case.path.clone())))
        .collect();
    listed.sort_by_key(|(when, ..)| std::cmp::Reverse(*when));
    listed.truncate(LISTED);
    listed.into_iter().map(|(_, before, path)| look(&path, before)).collect()
}

/// A case as it is now; where it cannot be opened, as it was.
fn look(path: &str, before: Option<&RecentCase>) -> RecentCase {
    let folder = Path::new(path);
    let name = folder.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let before = before.cloned().unwrap_or_else(|| RecentCase {
        path: path.to_owned(),
        name,
        events: 0,
        sources: 0,
        bytes: 0,
        bytes_on_disk: 0,
        changed: Nanos(0),
        opened: None,
        first: None,
        last: None,
        state: CaseState::Ready,
        read_only: None,
    });
    if !is_case(folder) {
        return RecentCase { state: CaseState::Gone, ..before };
    }
    let case = match Case::open(folder) {
        Ok(case) => case,
        Err(error) => {
            let message = WireError::from(&error).message;
            return RecentCase { state: CaseState::Unusable { message }, ..before };
        }
    };
    let snapshot = case.snapshot();
    let range = snapshot.time_range();
    let changed = fs::metadata(folder.join("case.json")).and_then(|meta| meta.modified()).ok();
    RecentCase {
        name: snapshot.name().to_owned(),
        events: snapshot.events(),
        sources: snapshot.sources().iter().filter(|source| !source.deleted).count() as u32,
        bytes: snapshot.sources().iter().map(|source| source.bytes).sum(),
        bytes_on_disk: case.bytes_on_disk(),
        changed: changed.and_then(stamp).unwrap_or(before.changed),
        first: range.map(|(first, _)| Nanos(first)),
        last: range.map(|(_, last)| Nanos(last)),
        read_only: case.read_only().map(|error| WireError::from(&error).message),
        ..before
    }
}

pub fn forget_case(session: &Session, _: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<Empty> {
    let mut remembered = RecentFile::read(&session.start.home);
    remembered.cases.retain(|case| case.path != request.path);
    remembered.hidden.insert(request.path.clone());
    let path = file(&session.start.home);
    remembered.write(&session.start.home).map_err(|error| crate::calls::not_written(&path, &error))?;
    Ok(Empty {})
}

/// Takes a case that was deleted off the list.
pub(crate) fn drop_case(session: &Session, path: &str) -> Answer<Empty> {
    let mut remembered = RecentFile::read(&session.start.home);
    remembered.cases.retain(|case| case.path != path);
    let file = file(&session.start.home);
    remembered.write(&session.start.home).map_err(|error| crate::calls::not_written(&file, &error))?;
    Ok(Empty {})
}

/// Looks for a case that is gone: by its folder's name or its own, near where it was and in the folder of cases.
pub fn find_case(session: &Session, call: &Call<'_>, request: &CasePath, _: &dyn Fn(Empty)) -> Answer<Paths> {
    let gone = Path::new(&request.path);
    let remembered = RecentFile::read(&session.start.home);
    let name = remembered.cases.iter().find(|case| case.path == request.path).map(|case| case.name.clone());
    let is_it = |folder: &Path| {
        let same_folder = folder.file_name() == gone.file_name();
        let same_name =
            || Case::open(folder).is_ok_and(|case| Some(case.snapshot().name()) == name.as_deref());
        is_case(folder) && (same_folder || same_name())
    };
    let near = gone.ancestors().skip(1).filter(|folder| folder.is_dir()).take(2).map(Path::to_path_buf);
    let mut places: Vec<(PathBuf, usize)> =
        near.chain([session.cases_folder()]).map(|folder| (folder, 0)).collect();
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    while let Some((folder, depth)) = places.pop() {
        if seen.len() >= MOST_FOLDERS || call.cancel.is_set() {
            break;
        }
        if !seen.insert(folder.clone()) {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()) {
            if is_it(&path) {
                found.insert(path.to_string_lossy().into_owned());
            } else if depth < DEEPEST && !is_case(&path) {
                places.push((path, depth + 1));
            }
        }
    }
    Ok(Paths { paths: found.into_iter().collect() })
}

/// So many folders below those that are near.
const DEEPEST: usize = 2;
