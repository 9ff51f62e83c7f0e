//! What is done to a case as a whole: another name, a copy, and its end.

use std::fs;
use std::path::Path;

use super::unless_cancelled;
use crate::case::Case;
use base::Cancel;
use base::error::{AtPath, Error, ErrorKind, Result};
use store::{Manifest, notes};

/// The lock belongs to the process that holds it, and the notes are copied by their own means.
const NOT_COPIED: [&str; 3] = ["case.lock", "notes.db", "notes.db-journal"];

impl Case {
    /// Gives the case another name. Its folder stays where it is, so that notes, links and readers do too.
    pub fn rename(&self, name: &str) -> Result<()> {
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::new(ErrorKind::BadRequest, "a case needs a name").at(self.folder()));
        }
        self.write(|writing| {
            let manifest = Manifest { name: name.to_owned(), ..writing.manifest.clone() };
            writing.publish(manifest, Vec::new())
        })
    }

    /// Copies the case with its notes into a folder that does not exist yet, under a name of its own. Nobody writes
    /// the case meanwhile. `report` is called with the bytes copied and those of the whole. A copy that fails or is
    /// cancelled leaves nothing.
    pub fn copy_to(
        &self,
        folder: &Path,
        name: &str,
        report: &mut dyn FnMut(u64, u64),
        cancel: &Cancel,
    ) -> Result<Case> {
        if folder.exists() {
            return Err(Error::new(ErrorKind::BadRequest, "there is something here already").at(folder));
        }
        let copied = self.write(|writing| {
            let (mut done, all) = (0, self.bytes_on_disk());
            copy_folder(writing.folder(), folder, cancel, &mut |bytes| {
                done += bytes;
                report(done.min(all), all);
            })?;
            notes::copy(writing.folder(), folder)
        });
        let renamed = copied.and_then(|()| {
            let copy = Case::open(folder)?;
            copy.rename(name)?;
            Ok(copy)
        });
        if renamed.is_err() {
            let _ = fs::remove_dir_all(folder);
        }
        renamed
    }

    /// Deletes the case with everything in its folder, unless another process writes it. The manifest goes first: what
    /// an interruption leaves is no case any more.
    pub fn delete(&self) -> Result<()> {
        let folder = self.folder();
        self.write(|writing| {
            for name in ["case.copy.json", "case.json"] {
                let path = writing.folder().join(name);
                if path.exists() {
                    fs::remove_file(&path).at_path(&path)?;
                }
            }
            Ok(())
        })?;
        fs::remove_dir_all(folder).at_path(folder)
    }
}

fn copy_folder(from: &Path, to: &Path, cancel: &Cancel, copied: &mut dyn FnMut(u64)) -> Result<()> {
    fs::create_dir_all(to).at_path(to)?;
    for entry in fs::read_dir(from).at_path(from)? {
        unless_cancelled(cancel)?;
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).at_path(from)?;
        let target = to.join(&name);
        if path.is_dir() {
            copy_folder(&path, &target, cancel, copied)?;
        } else if !NOT_COPIED.contains(&name.to_string_lossy().as_ref()) {
            copied(fs::copy(&path, &target).at_path(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn deleted_case_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path());
        case.delete().expect("the end");
        assert!(!case.folder().exists());
        assert!(folder.path().join("a.log").exists());
    }
}
