//! Calls that remove, cut, overwrite or rename over files. Every file of the code that has one is in [`PLACES`] with
//! the reason and the most it can hit, so that a new one is a decision and not an accident.

/// Such calls, of the standard library and of the two modules that the code has for them: `base::files` for what is
/// in a case, `base::whole_file` for what is not.
const CALLS: [&str; 18] = [
    "remove_dir_all(",
    "fs::remove_dir(",
    "remove_file(",
    "fs::rename(",
    "fs::write(",
    "fs::copy(",
    "set_len(",
    "File::create(",
    "File::options(",
    "OpenOptions::new(",
    "files::remove(",
    "files::remove_folder(",
    "files::rename(",
    "files::replace(",
    "files::append_at(",
    "files::change",
    "files::relocate(",
    "whole_file::replace(",
];

const CASE: &str = "a file of the case with a name that is ours; links and other files stay";
const SWEEP: &str = "never_destroyed: no_command_loses_an_original_byte_or_leaves_the_case";
const LINKS: &str = "never_destroyed: links_in_a_received_case_are_never_followed";
const FAULTS: &str = "faults: work_resumes_after_a_fault_at_every_step";
const HOME: &str = "a file in the folder of the workbench's own settings";
const OWN_TEMPORARY: &str = "a file in a temporary folder that this process made";
const WHOLE_FILES: &str = "base: whole_file::tests";

/// A file with such calls: its path, how many it has, why, the most they can hit, and the test that shows it.
pub type Place = (&'static str, usize, &'static str, &'static str, &'static str);

pub const PLACES: &[Place] = &[
    (
        "cli/src/bench/shared.rs",
        1,
        "the keys of a benchmark",
        OWN_TEMPORARY,
        "none: benchmarks are run by hand",
    ),
    (
        "cli/src/serve/download.rs",
        1,
        "a download that was fetched or given up",
        "the folder that was made for it",
        "serve",
    ),
    (
        "cli/src/serve/upload.rs",
        2,
        "files that the browser sends, and those of earlier runs",
        "the folder of uploads in the workbench's own folder",
        "serve",
    ),
    ("detect/src/live/ledger.rs", 1, "which alerts were sent", CASE, SWEEP),
    (
        "fixtures/generate/src/sample.rs",
        1,
        "the sample logs, by a developer",
        "the path given to the generator",
        "none: a developer's tool",
    ),
    (
        "indexer/base/src/faults.rs",
        1,
        "the trace of steps that a test asks for",
        "the file that a variable names, appended to",
        FAULTS,
    ),
    (
        "indexer/base/src/files.rs",
        5,
        "what the calls for files of a case are made of",
        "one file or an empty folder, never through a link",
        "base: files::tests",
    ),
    ("indexer/src/preview/estimate.rs", 1, "a sample that is imported to measure it", OWN_TEMPORARY, "tune"),
    (
        "indexer/src/rewrite/restore.rs",
        1,
        "takes a change back",
        "from the case's trash to where nothing is",
        "indexer: rewrite::restore::tests",
    ),
    (
        "indexer/src/rewrite/whole_case.rs",
        3,
        "deletes a case, and a copy that failed",
        "the case's own files, or those of the copy",
        "indexer: deleting_a_case_leaves_what_others_put_there",
    ),
    ("indexer/store/src/account.rs", 1, "the accounts of a commit", CASE, FAULTS),
    ("indexer/store/src/files.rs", 7, "every write to a case, with fail points", CASE, FAULTS),
    ("indexer/store/src/lock.rs", 2, "the lock names its process", "case.lock, if it is a file", LINKS),
    ("indexer/store/src/manifest.rs", 1, "a commit", "case.json and its copy", FAULTS),
    (
        "indexer/store/src/notes/damaged.rs",
        3,
        "puts damaged notes aside and reads a copy of them",
        "notes.db, renamed to where nothing is; a temporary folder",
        "store: notes::tests",
    ),
    (
        "indexer/store/src/notes/file.rs",
        2,
        "creates the notes, and copies them to read them",
        "notes.db, created if missing; a temporary folder",
        LINKS,
    ),
    (
        "indexer/store/src/segment.rs",
        10,
        "segments that a verified one replaces, damaged indexes",
        "segments/<id>: files with names of a segment",
        SWEEP,
    ),
    ("indexer/store/src/template_ids.rs", 1, "the names of patterns", CASE, FAULTS),
    ("indexer/store/src/templates.rs", 1, "the shapes of messages", CASE, FAULTS),
    (
        "indexer/store/src/texts.rs",
        2,
        "indexes that are built, or that the profile does not use",
        CASE,
        FAULTS,
    ),
    (
        "indexer/store/src/trash.rs",
        1,
        "moves into the trash, and emptying it",
        "trash/<revision>: files with names of a case",
        SWEEP,
    ),
    ("receive/src/journal.rs", 1, "the place in the journal", CASE, SWEEP),
    ("receive/src/log/ids.rs", 2, "ids of records that are in segments", CASE, "receive: kill"),
    (
        "receive/src/log/mod.rs",
        1,
        "a part of the log that is in segments",
        "wal/<n>.log, if it begins as ours",
        "receive: kill",
    ),
    (
        "receive/src/log/writer.rs",
        1,
        "takes back a write that failed",
        "the end of the file that this process writes",
        "acknowledged",
    ),
    ("receive/src/readings.rs", 2, "the formats that were chosen", CASE, SWEEP),
    (
        "receive/src/sources.rs",
        2,
        "the socket of an earlier run, and this one's",
        "a socket at the address given",
        "listen",
    ),
    ("receive/src/status.rs", 2, "what is received now", CASE, SWEEP),
    ("remote/src/config.rs", 1, "the clusters that a person added", HOME, WHOLE_FILES),
    ("remote/src/push/mod.rs", 2, "where a push goes on", HOME, WHOLE_FILES),
    ("remote/src/workbench/patterns.rs", 1, "a sample of a cluster's events", OWN_TEMPORARY, "remote_case"),
    ("remote/src/workbench/sample.rs", 1, "a sample of a cluster's events", OWN_TEMPORARY, "remote_case"),
    (
        "src-tauri/src/instance.rs",
        5,
        "hands paths over to the window that is open",
        HOME,
        "desktop: instance::tests",
    ),
    ("src-tauri/src/placement.rs", 1, "where the window was", HOME, WHOLE_FILES),
    ("src-tauri/wire/src/files.rs", 1, "an export", "the file that the person chose", WHOLE_FILES),
    ("src-tauri/wire/src/formats.rs", 3, "formats that the person saves and deletes", HOME, "wire: imports"),
    ("src-tauri/wire/src/live/remembered.rs", 2, "the live sources of a case", CASE, SWEEP),
    ("src-tauri/wire/src/live/watched_sets.rs", 2, "the detectors that are watched", CASE, SWEEP),
    ("src-tauri/wire/src/opening.rs", 1, "the sample logs", HOME, WHOLE_FILES),
    ("src-tauri/wire/src/recent.rs", 1, "the list of recent cases", HOME, WHOLE_FILES),
    ("src-tauri/wire/src/trust.rs", 1, "the list of trusted cases", HOME, "wire: trust"),
    ("src-tauri/wire/src/unread.rs", 2, "imports that are not read to their end", HOME, "wire: imports"),
];

/// How many such calls a file has outside of its tests.
#[must_use]
pub fn calls(path: &str, text: &str) -> usize {
    let is_code = path.contains("src/") && !path.starts_with("tests/");
    let names = ["tests", "testing.rs", "test_case.rs", "build.rs"];
    let is_test = path.split('/').any(|part| part.ends_with("tests.rs") || names.contains(&part));
    if !is_code || is_test {
        return 0;
    }
    let code = text.split("\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| CALLS.iter().map(|call| line.matches(call).count()).sum::<usize>()).sum()
}
