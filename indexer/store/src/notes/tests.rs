use std::fs;

use serde_json::json;

use super::*;

fn case() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn draft(kind: &str, id: &str, text: &str) -> NoteDraft {
    NoteDraft {
        kind: kind.into(),
        id: id.into(),
        known: None,
        event: Some((1, 234)),
        range: Some((-5, 9_000_000_000_000_000_001)),
        text: text.into(),
        data: json!({ "x": [1, null] }),
    }
}

fn put(drafts: Vec<NoteDraft>) -> NoteChange {
    NoteChange { put: drafts, remove: Vec::new() }
}

fn made(changed: NotesChanged) -> Notes {
    match changed {
        NotesChanged::Made(notes) => notes,
        NotesChanged::Conflict(names) => panic!("in conflict: {names:?}"),
    }
}

fn texts(case: &Path) -> Vec<String> {
    read(case, None, 0).expect("notes").notes.into_iter().map(|note| note.text).collect()
}

#[test]
fn nothing_is_made_before_somebody_writes() {
    let case = case();
    let notes = read(case.path(), None, 1).expect("no notes");
    assert!(notes.whole && notes.notes.is_empty() && notes.mark.is_empty());
    verify(case.path()).expect("nothing is sound");
    assert_eq!(fs::read_dir(case.path()).expect("a folder").count(), 0);
}

#[test]
fn values_that_no_notes_have_are_set_aside_with_their_file() {
    for (statement, kept) in [
        ("UPDATE about SET value = '18446744073709551615' WHERE key = 'revision'", 2),
        ("UPDATE about SET value = '9223372036854775807' WHERE key = 'revision'", 2),
        ("UPDATE note SET source = 4294967297 WHERE id = 'a'", 1),
        ("UPDATE note SET offset = -1 WHERE id = 'a'", 1),
        ("UPDATE note SET revision = -1 WHERE id = 'a'", 1),
        ("UPDATE note SET created = 'then' WHERE id = 'a'", 1),
        ("UPDATE note SET text = x'ff' WHERE id = 'a'", 1),
        ("UPDATE note SET data = '{' WHERE id = 'a'", 1),
        ("DROP TABLE removed", 2),
        ("DROP TABLE note", 0),
        ("ALTER TABLE note RENAME TO other; CREATE VIEW note AS SELECT * FROM other", 0),
    ] {
        let case = case();
        made(
            change(case.path(), &put(vec![draft("tag", "a", "a"), draft("tag", "b", "b")]), 1)
                .expect("a change"),
        );
        let connection = rusqlite::Connection::open(path(case.path())).expect("the file");
        connection.execute_batch(statement).expect(statement);
        drop(connection);
        let given = fs::read(path(case.path())).expect("the file");
        let since = read(case.path(), None, 2).map(|notes| notes.mark).unwrap_or_default();
        let changed = change(case.path(), &put(vec![draft("tag", "c", "c")]), 3);
        assert_eq!(made(changed.expect(statement)).notes.len(), 1, "{statement}");
        read(case.path(), Some(&since), 4).expect(statement);
        assert_eq!(texts(case.path()).len(), kept + 1, "{statement}");
        let aside = kept_aside(case.path());
        assert_eq!(fs::read(&aside[0]).expect("the file aside"), given, "{statement}");
    }
}

#[test]
fn schema_that_calculates_much_takes_no_memory() {
    let case = case();
    made(change(case.path(), &put(vec![draft("tag", "a", "a")]), 1).expect("a change"));
    let connection = rusqlite::Connection::open(path(case.path())).expect("the file");
    let index = "DELETE FROM note; CREATE INDEX more ON note (hex(zeroblob(length(id) * 400000000)))";
    connection.execute_batch(index).expect("an index");
    drop(connection);
    let error = change(case.path(), &put(vec![draft("tag", "b", "b")]), 2).expect_err("it is too much");
    assert!(error.message().contains("too big"), "{error}");
}

#[test]
fn written_notes_read_back_exactly() {
    let case = case();
    let whole =
        made(change(case.path(), &put(vec![draft("star", "1:234", "ä\0<b>")]), 77).expect("a change"));
    let notes = read(case.path(), None, 0).expect("notes");
    assert_eq!((&notes.notes, &notes.mark), (&whole.notes, &whole.mark));
    let note = &notes.notes[0];
    assert_eq!((note.event, note.range), (Some((1, 234)), Some((-5, 9_000_000_000_000_000_001))));
    assert_eq!((note.text.as_str(), &note.data), ("ä\0<b>", &json!({ "x": [1, null] })));
    assert_eq!((note.created_ns, note.changed_ns, note.revision), (77, 77, 1));
    made(change(case.path(), &put(vec![draft("star", "1:234", "later")]), 99).expect("a change"));
    let note = read(case.path(), None, 0).expect("notes").notes.remove(0);
    assert_eq!((note.created_ns, note.changed_ns, note.revision), (77, 99, 2));
    verify(case.path()).expect("it is sound");
}

#[test]
fn revision_returns_later_changes_and_removals() {
    let case = case();
    let change = |what: &NoteChange| made(change(case.path(), what, 0).expect("a change")).mark;
    change(&put(vec![draft("tag", "a", "one"), draft("tag", "b", "two")]));
    let mark = read(case.path(), None, 0).expect("notes").mark;
    let since = |mark: &str| read(case.path(), Some(mark), 0).expect("notes");
    assert!(since(&mark).notes.is_empty() && !since(&mark).whole);
    let gone = NoteRemoval { kind: "tag".into(), id: "a".into(), known: None };
    let later = change(&NoteChange { put: vec![draft("tag", "c", "three")], remove: vec![gone] });
    let seen = since(&mark);
    assert_eq!(seen.notes.iter().map(|note| note.id.as_str()).collect::<Vec<_>>(), ["c"]);
    assert_eq!((seen.removed, seen.mark), (vec![("tag".to_owned(), "a".to_owned())], later));
    // Written again, it is not reported as removed.
    change(&put(vec![draft("tag", "a", "back")]));
    assert!(since(&mark).removed.is_empty());
    assert!(since("another-store:2").whole, "marks of other stores mean nothing");
    assert!(since(&mark.replace(':', ":9")).whole, "nor do marks of the future");
}

#[test]
fn stale_revision_is_refused_and_changes_nothing() {
    let case = case();
    let first = made(change(case.path(), &put(vec![draft("page", "p", "first")]), 0).expect("a change"));
    let known = Some(first.notes[0].revision);
    let of =
        |text: &str| put(vec![NoteDraft { known, ..draft("page", "p", text) }, draft("star", "s", "new")]);
    made(change(case.path(), &of("mine"), 0).expect("a change"));
    let NotesChanged::Conflict(names) = change(case.path(), &of("yours"), 0).expect("an answer") else {
        panic!("the second one was not refused")
    };
    assert_eq!(names[0].2.as_ref().map(|note| note.text.as_str()), Some("mine"));
    assert_eq!(texts(case.path()), ["mine", "new"]);
    let remove = NoteRemoval { kind: "page".into(), id: "p".into(), known };
    let remove = NoteChange { put: Vec::new(), remove: vec![remove] };
    assert!(matches!(change(case.path(), &remove, 0), Ok(NotesChanged::Conflict(_))));
    let new = put(vec![NoteDraft { known: Some(0), ..draft("page", "p", "new") }]);
    assert!(matches!(change(case.path(), &new, 0), Ok(NotesChanged::Conflict(_))));
}

#[test]
fn threads_write_one_after_the_other() {
    let case = case();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = case.path();
            scope.spawn(move || {
                for number in 0..10 {
                    let note = draft("tag", &format!("{thread}-{number}"), "text");
                    made(change(folder, &put(vec![note]), 0).expect("a change"));
                }
            });
        }
    });
    let notes = read(case.path(), None, 0).expect("notes");
    assert_eq!((notes.notes.len(), notes.notes.iter().map(|note| note.revision).max()), (40, Some(40)));
}

#[test]
fn damaged_file_is_renamed_and_readable_notes_are_rescued() {
    let case = case();
    let many: Vec<NoteDraft> =
        (0..2_000).map(|number| draft("comment", &format!("{number:05}"), &"text ".repeat(20))).collect();
    made(change(case.path(), &put(many), 5).expect("a change"));
    let file = path(case.path());
    let mut bytes = fs::read(&file).expect("a file");
    let middle = bytes.len() / 3;
    bytes[middle..middle + 3 * 4_096].fill(0xA5);
    fs::write(&file, &bytes).expect("it can be damaged");
    assert_eq!(verify(case.path()).expect_err("it is damaged").kind(), ErrorKind::CaseDamaged);
    assert!(kept_aside(case.path()).is_empty(), "verifying moves nothing");
    let mut notes = read(case.path(), None, 6);
    if kept_aside(case.path()).is_empty() {
        // The damage is where only a lookup by name reads.
        let again = put((0..2_000).map(|number| draft("comment", &format!("{number:05}"), "new")).collect());
        made(change(case.path(), &again, 7).expect("a change"));
        notes = read(case.path(), None, 8);
    }
    let notes = notes.expect("notes");
    let aside = kept_aside(case.path());
    assert_eq!(aside.len(), 1);
    assert_eq!(fs::read(&aside[0]).expect("it is kept"), bytes, "as it was found");
    assert!(notes.notes.len() > 1_000, "only {} notes were rescued", notes.notes.len());
    verify(case.path()).expect("the new file is sound");
    made(change(case.path(), &put(vec![draft("star", "s", "goes on")]), 9).expect("a change"));
}

#[test]
fn notes_keep_the_order_in_which_they_were_first_written() {
    let (case, copied) = (case(), case());
    // A clock that was set back, and ids in another order.
    for (id, now) in [("c", 30), ("a", 20), ("b", 10)] {
        made(change(case.path(), &put(vec![draft("triage", id, "first")]), now).expect("a change"));
    }
    made(change(case.path(), &put(vec![draft("triage", "c", "changed")]), 40).expect("a change"));
    let order = |case: &Path| {
        let mut notes = read(case, None, 50).expect("notes").notes;
        notes.sort_by_key(|note| note.number);
        notes.into_iter().map(|note| note.id).collect::<Vec<_>>()
    };
    assert_eq!(order(case.path()), ["c", "a", "b"]);
    copy(case.path(), copied.path()).expect("copied");
    assert_eq!(order(copied.path()), ["c", "a", "b"]);
    made(change(case.path(), &put(vec![draft("tag", "z", "damaged")]), 60).expect("a change"));
    let open = rusqlite::Connection::open(path(case.path())).expect("it opens");
    open.execute_batch("UPDATE note SET data = '{' WHERE id = 'z'").expect("damaged");
    drop(open);
    assert_eq!(order(case.path()), ["c", "a", "b"], "what is rescued keeps its order");
    assert_eq!(kept_aside(case.path()).len(), 1);
}

#[test]
fn foreign_file_in_place_of_notes_is_renamed_intact() {
    for content in [&b"not a database at all, but long enough to be looked at as one"[..], &[0; 5_000]] {
        let case = case();
        fs::write(path(case.path()), content).expect("a file");
        assert!(read(case.path(), None, 0).expect("no notes").notes.is_empty());
        made(change(case.path(), &put(vec![draft("star", "s", "new")]), 0).expect("a change"));
        let aside = kept_aside(case.path());
        assert_eq!(fs::read(&aside[0]).expect("it is kept"), content);
        assert_eq!(texts(case.path()), ["new"]);
    }
}

#[test]
fn file_of_a_newer_version_is_left_alone() {
    let case = case();
    made(change(case.path(), &put(vec![draft("star", "s", "kept")]), 0).expect("a change"));
    let file = path(case.path());
    let open = rusqlite::Connection::open(&file).expect("it opens");
    open.pragma_update(None, "user_version", 99).expect("a version");
    drop(open);
    let before = fs::read(&file).expect("a file");
    assert_eq!(read(case.path(), None, 0).expect_err("too new").kind(), ErrorKind::CaseTooNew);
    let new = put(vec![draft("star", "t", "new")]);
    assert_eq!(change(case.path(), &new, 0).expect_err("too new").kind(), ErrorKind::CaseTooNew);
    assert_eq!(fs::read(&file).expect("a file"), before);
}

#[test]
fn interrupted_change_is_rolled_back_even_on_a_read_only_disk() {
    let case = case();
    made(change(case.path(), &put(vec![draft("star", "s", "before")]), 0).expect("a change"));
    let file = path(case.path());
    // The state after a writer dies between writing the file and removing its journal.
    let aside = case.path().join("copy");
    fs::create_dir(&aside).expect("a folder");
    let open = rusqlite::Connection::open(&file).expect("it opens");
    open.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE note SET text = 'half';")
        .expect("a change");
    open.execute_batch("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, randomblob(50) FROM n;")
        .expect("pages are spilled to the file");
    assert!(file::journal(&file).exists());
    fs::copy(&file, path(&aside)).expect("a copy");
    fs::copy(file::journal(&file), file::journal(&path(&aside))).expect("a copy");
    drop(open);
    let (bytes, journal) = (fs::read(path(&aside)).expect("a file"), fs::read(file::journal(&path(&aside))));
    let journal = journal.expect("a journal");
    assert_eq!(texts(&aside), ["before"]);
    // The same on a read-only disk.
    fs::write(path(&aside), &bytes).expect("a file");
    fs::write(file::journal(&path(&aside)), &journal).expect("a journal");
    let open = file::in_a_copy(&path(&aside)).expect("it is read").expect("there are notes");
    assert_eq!(table::read(&open, None).expect("notes").notes[0].text, "before");
    assert_eq!(fs::read(path(&aside)).expect("a file"), bytes, "and stays as it is");
}

#[test]
fn triggers_and_views_of_a_received_file_do_not_run() {
    let case = case();
    made(change(case.path(), &put(vec![draft("star", "1", "mine")]), 1).expect("a change"));
    let file = rusqlite::Connection::open(path(case.path())).expect("a file");
    let trigger = "CREATE TRIGGER gone AFTER INSERT ON note BEGIN DELETE FROM note WHERE text = 'mine'; END";
    file.execute_batch(trigger).expect("a trigger");
    made(change(case.path(), &put(vec![draft("star", "2", "later")]), 2).expect("a change"));
    assert_eq!(texts(case.path()), ["mine", "later"]);
    let view = "DROP TRIGGER gone; ALTER TABLE note RENAME TO notes; CREATE VIEW note AS SELECT * FROM notes";
    file.execute_batch(view).expect("a view");
    // The file is not one that a Timberline wrote.
    assert!(read(case.path(), None, 0).is_ok_and(|notes| notes.notes.is_empty()), "a view is not read");
}

#[test]
fn notes_that_are_read_cannot_be_written() {
    let case = case();
    made(change(case.path(), &put(vec![draft("star", "1", "mine")]), 1).expect("a change"));
    let open = file::open_to_read(case.path()).expect("a file").expect("notes");
    open.execute("DELETE FROM note", []).expect_err("it is refused");
    drop(open);
    assert_eq!(texts(case.path()), ["mine"]);
}
