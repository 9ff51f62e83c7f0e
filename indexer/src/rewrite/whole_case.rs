//! What is done to a case as a whole: another name, a copy, and its end.

use std::io;
use std::path::{Path, PathBuf};

use super::unless_cancelled;
use crate::case::Case;
use crate::writing::Purpose;
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use base::files::{self, EntryKind};
use store::{Manifest, empty_trash, notes, remove_folder, remove_segment};

/// The lock belongs to the process that holds it, the notes are copied by their own means, and the trash is not copied.
const NOT_COPIED: [&str; 4] = ["case.lock", "notes.db", "notes.db-journal", "trash"];

/// The names of files in a case's folder, besides those of damaged notes.
const OWN_FILES: [&str; 10] = [
    "case.copy.json",
    "case.json",
    "case.lock",
    "notes.db",
    "notes.db-journal",
    "templates.json",
    "alerts.json",
    "live.json",
    "watch.json",
    "case.tmp",
];

/// The endings of files in the folders of a case with which no other program names its files there.
const OWN_ENDINGS: [(&str, &[&str]); 3] = [
    ("raw", &["zst"]),
    ("accounts", &["json", "tmp"]),
    ("wal", &["log", "ids", "json", "cursor", "new", "tmp"]),
];

impl Case {
    /// Gives the case another name. Its folder stays where it is, so that notes, links and readers do too.
    pub fn rename(&self, name: &str) -> Result<()> {
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::new(ErrorKind::BadRequest, "a case needs a name").at(self.folder()));
        }
        self.write(Purpose::Add, |writing| {
            let manifest = Manifest { name: name.to_owned(), ..writing.manifest.clone() };
            writing.publish(manifest, Vec::new())
        })
    }

    /// Copies the case with its notes into a folder that does not exist yet, under a name of its own. Nobody writes
    /// the case meanwhile. `report` is called with the bytes copied and those of the whole. A copy that fails or is
    /// cancelled leaves nothing. Links and other things that are no files of a case are not copied.
    pub fn copy_to(
        &self,
        folder: &Path,
        name: &str,
        report: &mut dyn FnMut(u64, u64),
        cancel: &Cancel,
    ) -> Result<Case> {
        let folder = &files::resolved(folder);
        if files::exists(folder) {
            return Err(Error::new(ErrorKind::BadRequest, "there is something here already").at(folder));
        }
        let mut made = Vec::new();
        let copied = self.write(Purpose::Hold, |writing| {
            let (mut done, all) = (0, self.bytes_on_disk());
            copy_folder(writing.folder(), folder, &mut made, cancel, &mut |bytes| {
                done += bytes;
                report(done.min(all), all);
            })?;
            made.push(notes::path(folder));
            notes::copy(writing.folder(), folder)
        });
        let renamed = copied.and_then(|()| {
            let copy = Case::open(folder)?;
            made.push(folder.join("case.lock"));
            copy.rename(name)?;
            Ok(copy)
        });
        if renamed.is_err() {
            for path in made.iter().rev() {
                let _ = files::remove(path).or_else(|_| files::remove_folder(path));
            }
        }
        renamed
    }

    /// Deletes the case, unless another process writes it, and returns what is left in its folder because it is not
    /// the case's. The manifest goes first: what an interruption leaves can only be repaired, not opened.
    pub fn delete(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder();
        self.write(Purpose::Hold, |_| {
            for name in &OWN_FILES[..2] {
                remove(&folder.join(name))?;
            }
            empty_trash(folder, |_| true)?;
            for entry in files::entries(&folder.join("segments")).unwrap_or_default() {
                if entry.kind == EntryKind::Folder && entry.name.parse::<u64>().is_ok() {
                    remove_segment(&folder.join("segments").join(entry.name))?;
                }
            }
            remove_folder(&folder.join("segments"), |_| false)?;
            for (part, endings) in OWN_ENDINGS {
                let is_own =
                    |name: &str| name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending));
                remove_folder(&folder.join(part), is_own)?;
            }
            Ok(())
        })?;
        let is_own = |name: &str| {
            OWN_FILES.contains(&name)
                || name.starts_with("notes.damaged-")
                || name.strip_suffix(".new").is_some_and(|name| OWN_FILES.contains(&name))
        };
        remove_folder(folder, is_own)?;
        let left = files::entries(folder).unwrap_or_default();
        Ok(left.into_iter().map(|entry| folder.join(entry.name)).collect())
    }
}

fn remove(path: &Path) -> Result<()> {
    match files::remove(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at_path(path),
    }
}

/// Copies a folder, and lists what it makes.
fn copy_folder(
    from: &Path,
    to: &Path,
    made: &mut Vec<PathBuf>,
    cancel: &Cancel,
    copied: &mut dyn FnMut(u64),
) -> Result<()> {
    files::create_folder(to).at_path(to)?;
    made.push(to.to_path_buf());
    for entry in files::entries(from).at_path(from)? {
        unless_cancelled(cancel)?;
        let (path, target) = (from.join(&entry.name), to.join(&entry.name));
        match entry.kind {
            _ if NOT_COPIED.contains(&entry.name.as_str()) => {}
            EntryKind::Folder => copy_folder(&path, &target, made, cancel, copied)?,
            EntryKind::File => {
                let mut copy = files::create(&target).at_path(&target)?;
                made.push(target);
                copied(io::copy(&mut files::open(&path).at_path(&path)?, &mut copy).at_path(&path)?);
            }
            EntryKind::Foreign => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use crate::ImportOptions;
    use engine::View;
    use store::{NoteChange, NoteDraft};

    fn imported(folder: &Path) -> Case {
        let (log, path) = (folder.join("a.log"), folder.join("a.case"));
        fs::write(&log, "2026-03-01 14:05:00 INFO one\n2026-03-01 14:06:00 WARN two\n").expect("a log");
        let case = Case::create(&path).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
        case
    }

    fn count(case: &Case) -> usize {
        let view = View::parse("", None, None).expect("a query");
        case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count")
    }

    #[test]
    fn case_is_renamed_and_stays_where_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        case.rename("  Tuesday  ").expect("a name");
        assert_eq!(case.snapshot().name(), "Tuesday");
        let again = Case::open(case.folder()).expect("a case");
        assert_eq!((again.snapshot().name(), count(&again)), ("Tuesday", 2));
        assert_eq!(case.rename(" ").expect_err("no name").kind(), ErrorKind::BadRequest);
    }

    #[test]
    fn copy_has_the_events_and_the_notes_and_goes_its_own_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        let draft = NoteDraft {
            kind: "query".to_owned(),
            id: "q".to_owned(),
            known: None,
            event: None,
            range: None,
            text: "level:warn".to_owned(),
            data: serde_json::Value::Null,
        };
        let change = NoteChange { put: vec![draft], ..NoteChange::default() };
        case.change_notes(&change, 1).expect("a note");
        let mut seen = Vec::new();
        let mut report = |done, all| seen.push((done, all));
        let copy = case.copy_to(&folder.path().join("b.case"), "b", &mut report, &Cancel::default());
        let copy = copy.expect("a copy");
        assert!(seen.windows(2).all(|two| two[0].0 <= two[1].0) && !seen.is_empty());
        assert_eq!((copy.snapshot().name(), count(&copy)), ("b", 2));
        assert_eq!(copy.notes(None, 1).expect("notes").notes.len(), 1);
        assert!(copy.verify(&Cancel::default()).problems.is_empty());
        case.delete().expect("the end of the first");
        assert_eq!(count(&Case::open(copy.folder()).expect("a case")), 2);
        let taken = copy.copy_to(copy.folder(), "c", &mut |_, _| {}, &Cancel::default());
        assert_eq!(taken.expect_err("a folder that is taken").kind(), ErrorKind::BadRequest);
    }

    #[test]
    fn cancelled_copy_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        let (cancel, target) = (Cancel::default(), folder.path().join("b.case"));
        cancel.set();
        let copy = case.copy_to(&target, "b", &mut |_, _| {}, &cancel);
        assert_eq!(copy.expect_err("it was cancelled").kind(), ErrorKind::Cancelled);
        assert!(!target.exists());
    }

    #[test]
    fn deleting_a_case_leaves_what_others_put_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        let mine = ["photo.jpg", "raw/photo.jpg", "segments/0/photo.jpg", "segments/mine/photo.jpg"];
        fs::create_dir(case.folder().join("segments/mine")).expect("made");
        for name in mine {
            fs::write(case.folder().join(name), "mine").expect("written");
        }
        let left = case.delete().expect("the end");
        assert_eq!(left, ["photo.jpg", "raw", "segments"].map(|name| case.folder().join(name)));
        for name in mine {
            assert_eq!(fs::read(case.folder().join(name)).expect(name), b"mine");
        }
        assert!(!case.folder().join("case.json").exists() && !case.folder().join("raw/0.zst").exists());
    }

    #[test]
    fn deleted_case_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        case.delete().expect("the end");
        assert!(!case.folder().exists());
        assert!(folder.path().join("a.log").exists());
    }
}
