//! Notes. The first byte chooses what the rest is: `notes.db`, the same after its journal, values and statements that SQLite puts
//! into a true file, or a change. Notes are read, or their file is set aside as it was; and a change is read back.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use base::error::{Error, ErrorKind};
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use store::{NoteChange, NoteDraft, NotesChanged, notes};

const NOW: i64 = 1_795_230_245_000_000_000;

/// In memory where the system keeps temporary files there.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("timberline-fuzz-notes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [how, bytes @ ..] = bytes else { return };
    let folder = FOLDER.as_path();
    clear(folder);
    let file = notes::path(folder);
    match how % 4 {
        0 => std::fs::write(&file, bytes).expect("a file can be written"),
        1 => {
            let length = bytes.first().map_or(0, |length| usize::from(*length) * 64).min(bytes.len());
            std::fs::write(folder.join("notes.db-journal"), &bytes[..length]).expect("a file can be written");
            std::fs::write(&file, &bytes[length..]).expect("a file can be written");
        }
        2 => {
            notes::change(folder, &change(b"star 1\ncomment text"), NOW).expect("a change");
            put_values(&file, bytes);
        }
        _ => {}
    }
    let given = std::fs::read(&file).unwrap_or_default();
    let has_journal = folder.join("notes.db-journal").exists();
    let _ = notes::look(folder, Some("store:1"));
    let looked = notes::look(folder, None);
    let _ = notes::verify(folder);
    let read = notes::read(folder, None, NOW);
    assert!(read.as_ref().err().is_none_or(is_known), "{read:?}");
    if !has_journal {
        let aside = notes::kept_aside(folder).first().map(|path| std::fs::read(path).expect("a file"));
        let kept = aside.unwrap_or_else(|| std::fs::read(&file).unwrap_or_default());
        assert!(kept == given, "the file changed when its notes were read");
        if let (Ok(looked), Ok(read)) = (&looked, &read) {
            assert_eq!(looked.notes, read.notes);
        }
    }
    write_and_read(folder, bytes);
    clear(folder);
});

fn write_and_read(folder: &Path, bytes: &[u8]) {
    let change = change(bytes);
    let changed = notes::change(folder, &change, NOW);
    assert!(changed.as_ref().err().is_none_or(is_known), "{changed:?}");
    if let Ok(NotesChanged::Made(made)) = changed {
        let read = notes::read(folder, None, NOW).expect("what was written can be read");
        assert_eq!(read.mark, made.mark);
        for draft in &change.put {
            let note = read.notes.iter().find(|note| (&note.kind, &note.id) == (&draft.kind, &draft.id));
            let note = note.expect("the note that was written");
            // Of several drafts of a note the last one counts.
            let last = change.put.iter().rfind(|other| (&other.kind, &other.id) == (&note.kind, &note.id));
            let last = last.expect("the draft");
            let written = (last.event, last.range, &last.text, &last.data);
            assert_eq!((note.event, note.range, &note.text, &note.data), written);
        }
        assert!(notes::read(folder, Some(&made.mark), NOW).is_ok_and(|since| since.notes.is_empty() && !since.whole));
    }
}

/// Whether an error says what is wrong, and not only that something is. A file may refuse values in ways of its own.
fn is_known(error: &Error) -> bool {
    error.kind() != ErrorKind::Internal || ["too big", "constraint", "disk I/O"].iter().any(|how| error.message().contains(how))
}

/// A draft for each line: a letter for the kind, the id, and the text after a space.
fn change(bytes: &[u8]) -> NoteChange {
    const KINDS: [&str; 8] = ["star", "tag", "comment", "marker", "query", "board", "page", "other"];
    let text = String::from_utf8_lossy(bytes);
    let draft = |(line, text): (usize, &str)| {
        let (name, rest) = text.split_once(' ').unwrap_or((text, "text"));
        let number = name.bytes().fold(line as u64, |number, byte| number.wrapping_mul(31) + u64::from(byte));
        let kind = name.bytes().next().map_or(0, usize::from) % KINDS.len();
        NoteDraft {
            kind: KINDS[kind].to_owned(),
            id: name.to_owned(),
            known: (number % 11 == 0).then_some(number % 3),
            event: (number % 2 == 0).then_some((number as u32 % 4, (number % 2) << (number % 63))),
            range: (number % 3 == 0 || kind == 3).then_some((number as i64, i64::MAX)),
            text: rest.replace('\r', "\n"),
            data: json!({"title": name, "place": line}),
        }
    };
    NoteChange { put: text.lines().take(20).enumerate().map(draft).collect(), remove: Vec::new() }
}

const TARGETS: [&str; 18] = [
    "UPDATE note SET kind = ?1", "UPDATE note SET id = ?1", "UPDATE note SET revision = ?1", "UPDATE note SET created = ?1",
    "UPDATE note SET changed = ?1", "UPDATE note SET source = ?1", "UPDATE note SET offset = ?1", "UPDATE note SET first = ?1",
    "UPDATE note SET last = ?1", "UPDATE note SET text = ?1", "UPDATE note SET data = ?1",
    "UPDATE about SET value = ?1 WHERE key = 'revision'", "UPDATE about SET value = ?1 WHERE key = 'store'",
    "INSERT INTO removed VALUES (?1, ?1, ?1)", "DELETE FROM about WHERE value < ?1", "INSERT INTO about VALUES (?1, ?1)",
    "UPDATE note SET source = ?1, offset = ?1, first = ?1, last = ?1",
    "INSERT INTO note SELECT kind, ?1, revision, created, changed, source, offset, first, last, text, data FROM note LIMIT 1",
];
const STATEMENTS: [&str; 13] = [
    "DELETE FROM note; CREATE INDEX more ON note (hex(zeroblob(length(id) * 400000000)))",
    "PRAGMA user_version = 2", "PRAGMA user_version = -1", "PRAGMA application_id = 7", "DROP TABLE removed", "DROP TABLE note",
    "DROP TABLE about", "DROP INDEX note_revision", "ALTER TABLE note RENAME TO other; CREATE VIEW note AS SELECT * FROM other",
    "ALTER TABLE note ADD COLUMN more GENERATED ALWAYS AS (randomblob(1000000000))",
    "CREATE TRIGGER more AFTER INSERT ON note BEGIN DELETE FROM note; END",
    "CREATE TRIGGER less AFTER UPDATE ON note BEGIN INSERT INTO about VALUES (new.id, 1); END",
    "PRAGMA journal_mode = WAL",
];

/// Puts values into a true file as somebody else may have done: a byte for where, one for what, and up to eight for the value.
fn put_values(file: &Path, bytes: &[u8]) {
    let connection = Connection::open(file).expect("the file that was made");
    for edit in bytes.chunks(10).take(16) {
        let [target, how, number @ ..] = edit else { return };
        let text = || String::from_utf8_lossy(number).into_owned();
        let integer = number.iter().fold(0_i64, |all, &byte| all << 8 | i64::from(byte));
        let value = match how % 8 {
            0 => Value::Integer(integer),
            1 => Value::Real(f64::from_bits(integer as u64)),
            2 => Value::Text(text()),
            3 => Value::Blob(number.to_vec()),
            4 => Value::Null,
            5 => Value::Text((integer as u64).to_string()),
            6 => Value::Integer([i64::MIN, i64::MAX, -1, 1 << 32, 1 << 53][integer.unsigned_abs() as usize % 5]),
            _ => {
                let _ = connection.execute_batch(STATEMENTS[usize::from(*target) % STATEMENTS.len()]);
                continue;
            }
        };
        // What the tables do not allow stays as it was.
        let _ = connection.execute(TARGETS[usize::from(*target) % TARGETS.len()], [value]);
    }
}

/// Removes all files of notes.
fn clear(folder: &Path) {
    let is_of_notes = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("notes."));
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if is_of_notes(&entry.path()) {
            std::fs::remove_file(entry.path()).expect("a file");
        }
    }
}

fn seed(name: &str, parts: &[&[u8]]) {
    if let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) {
        std::fs::write(folder.join(name), parts.concat()).expect("seeds can be written");
    }
}

fn write_seeds() {
    let folder = FOLDER.as_path();
    clear(folder);
    notes::change(folder, &change(b"star 1\ncomment text\npage # A\rb"), NOW).expect("a change");
    let small = Connection::open(notes::path(folder)).expect("the file that was made");
    small.execute_batch("PRAGMA page_size = 512; VACUUM").expect("smaller pages");
    drop(small);
    let file = std::fs::read(notes::path(folder)).expect("a file");
    clear(folder);
    seed("file", &[&[0], &file]);
    seed("cut", &[&[0], &file[..2048]]);
    seed("journal", &[&[1, 8], &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7], &[0; 503], &file]);
    for target in 0..TARGETS.len() as u8 {
        for how in 0..8 {
            seed(&format!("value-{target}-{how}"), &[&[2, target, how, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]);
        }
    }
    seed("change", &[b"\x03star 1\nghi # Title\r\r*a* [b](javascript:c) <script>d</script> | e |\nb [x](http://y) \"href=\"\nd 1"]);
}
