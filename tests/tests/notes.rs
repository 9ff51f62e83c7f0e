//! What people wrote outlives the process that writes it, and is seen by the others.
//!
//! The tests that need a second process start this one again, as one of its ignored tests.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use indexer::{Case, ErrorKind, Note, NoteChange, NoteDraft, NotesChanged};
use serde_json::json;
use timberline_tests::report;

/// The case that a second process works on.
const CASE: &str = "TIMBERLINE_TEST_CASE";
/// What its notes are called by.
const NAME: &str = "TIMBERLINE_TEST_NAME";

fn new_case(folder: &Path) -> PathBuf {
    let path = folder.join("notes.case");
    Case::create(&path).expect("a case");
    path
}

fn star(name: &str, number: u64) -> NoteDraft {
    NoteDraft {
        kind: "star".into(),
        id: format!("{name}:{number}"),
        known: None,
        event: Some((0, number)),
        range: None,
        text: "evidence ".repeat(50),
        data: json!(null),
    }
}

fn put(case: &Case, drafts: Vec<NoteDraft>) -> NotesChanged {
    case.change_notes(&NoteChange { put: drafts, remove: Vec::new() }, 1).expect("a change")
}

fn notes(case: &Case) -> Vec<Note> {
    case.notes(None, 1).expect("notes").notes
}

fn again(test: &str, case: &Path, name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test's own path"));
    command.args(["--exact", test, "--ignored", "--nocapture"]).env(CASE, case).env(NAME, name);
    command
}

fn variable_value(variable: &str) -> String {
    std::env::var(variable).unwrap_or_default()
}

#[test]
fn command_line_finds_events_with_notes() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.log");
    let lines = [r#"{"n":1,"tag":"web"}"#, r#"{"n":2,"tag":"db"}"#, r#"{"n":3}"#];
    std::fs::write(&log, lines.join("\n")).expect("a log");
    let path = new_case(folder.path());
    let case = Case::open(&path).expect("the case opens");
    let import = indexer::ImportOptions::default();
    case.import(&[log], &import, &|_| {}, &indexer::Cancel::default()).expect("an import");
    let ask = |query: &str| {
        let command = timberline_tests::programs::timberline();
        let output =
            Command::new(command).arg("query").arg(&path).arg(query).args(["--format", "raw"]).output();
        let output = output.expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text").trim_end().to_owned();
        (text(output.stdout), text(output.stderr))
    };
    assert_eq!(ask("is:starred"), (String::new(), String::new()));
    let second = lines[0].len() as u64 + 1;
    let tag = NoteDraft { kind: "tag".into(), text: "web".into(), ..star("t", second) };
    put(&case, vec![star("s", second), tag]);
    assert_eq!(ask("is:starred | keep n | where n > 0").0, ask("n:2 | keep n | where n > 0").0);
    assert_eq!(ask("is:starred").0, lines[1]);
    assert_eq!(ask("note.tag:web").0, lines[1]);
    assert_eq!(ask("NOT is:noted").0, format!("{}\n{}", lines[0], lines[2]));
    // The log's own field takes precedence, and a hint mentions the note field.
    let advice =
        "`tag` is a field of the log; 1 event has such a note; write note.tag to search the notes of people";
    assert_eq!(ask("tag:web"), (lines[0].to_owned(), advice.to_owned()));
    let names = vec![("star".to_owned(), "s:".to_owned() + &second.to_string())];
    let remove = names.into_iter().map(|(kind, id)| indexer::NoteRemoval { kind, id, known: None }).collect();
    case.change_notes(&NoteChange { put: Vec::new(), remove }, 2).expect("a change");
    assert_eq!(ask("is:starred").0, "");
}

/// Writes two notes at a time until it is killed, and tells each pair once it is written.
#[test]
#[ignore = "the second process of other tests"]
// Its parent reads what was written on its standard output.
#[allow(clippy::print_stdout)]
fn writes_until_killed() {
    let Ok(case) = Case::open(Path::new(&variable_value(CASE))) else { return };
    for number in 0..1_000_000 {
        let pair = vec![star(&variable_value(NAME), number * 2), star(&variable_value(NAME), number * 2 + 1)];
        assert!(matches!(put(&case, pair), NotesChanged::Made(_)));
        println!("written {number}");
        // Nobody is faster.
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Reads pairs that a child tells until one is at least `least`, and gives the last.
fn until(child: &mut Child, least: u64) -> u64 {
    let out = child.stdout.as_mut().expect("it tells");
    let numbers = BufReader::new(out).lines().map_while(Result::ok).filter_map(|line| {
        // The test harness writes the test's name in front of the first line.
        line.rsplit_once("written ")?.1.parse::<u64>().ok()
    });
    numbers.take_while(|&number| number <= least).last().expect("it wrote")
}

#[test]
fn kill_during_writes_keeps_every_reported_change_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = new_case(folder.path());
    for round in 0_u32..8 {
        let name = format!("r{round}");
        let mut child = again("notes::writes_until_killed", &path, &name)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let reported = until(&mut child, 3 + u64::from(round));
        // Not always just after a change.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 700));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let case = Case::open(&path).expect("the case opens");
        let of_round = notes(&case).iter().filter(|note| note.id.starts_with(&name)).count() as u64;
        assert!(of_round.is_multiple_of(2), "half a change is there: {of_round} notes");
        assert!(
            of_round >= (reported + 1) * 2,
            "it reported of {} notes, and {of_round} are there",
            (reported + 1) * 2
        );
        assert!(case.verify(&indexer::Cancel::default()).problems.is_empty());
        assert!(case.notes_kept_aside().is_empty());
        put(&case, vec![star("after", u64::from(round))]);
    }
}

#[test]
fn two_processes_write_and_lose_nothing_of_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = new_case(folder.path());
    let case = Case::open(&path).expect("the case opens");
    let mark = case.notes(None, 1).expect("notes").mark;
    let start = |name: &str| {
        again("notes::writes_until_killed", &path, name).stdout(Stdio::piped()).spawn().expect("it starts")
    };
    let (mut left, mut right) = (start("left"), start("right"));
    put(&case, (0..10).map(|number| star("here", number)).collect());
    let counts = [until(&mut left, 12), until(&mut right, 12)];
    for child in [&mut left, &mut right] {
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    let found = notes(&case);
    let of = |name: &str| found.iter().filter(|note| note.id.starts_with(name)).count() as u64;
    assert!(of("left") >= (counts[0] + 1) * 2 && of("right") >= (counts[1] + 1) * 2);
    assert_eq!(of("here"), 10);
    let since = case.notes(Some(&mark), 1).expect("notes");
    assert_eq!(since.notes.len(), found.len(), "what others wrote is returned for a revision");
    assert!(case.verify(&indexer::Cancel::default()).problems.is_empty());
}

/// Finds a case on a disk that takes nothing.
#[test]
#[ignore = "the second process of another test"]
fn reads_what_cannot_be_written() {
    let Ok(case) = Case::open(Path::new(&variable_value(CASE))) else { return };
    assert_eq!(notes(&case).len(), variable_value(NAME).parse::<usize>().expect("a number"));
    assert!(case.notes_read_only().is_some());
    let change = NoteChange { put: vec![star("new", 1)], remove: Vec::new() };
    let error = case.change_notes(&change, 1).expect_err("nothing can be written");
    assert_eq!(error.kind(), ErrorKind::ReadOnly);
    assert!(error.message().contains("read-only") && error.hint_text().is_some());
    assert_eq!(case.read_only().map(|error| error.kind()), Some(ErrorKind::ReadOnly));
}

/// Runs only where a folder can be mounted for one process, as root can on Linux.
#[test]
fn notes_on_a_read_only_disk_are_readable_and_writes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = new_case(folder.path());
    put(&Case::open(&with).expect("the case opens"), vec![star("a", 1), star("b", 2)]);
    let without = folder.path().join("empty.case");
    Case::create(&without).expect("a case");
    for (path, count) in [(with, "2"), (without, "0")] {
        let child = again("notes::reads_what_cannot_be_written", &path, count);
        let script = format!(
            "mount --bind '{0}' '{0}' && mount -o remount,ro,bind '{0}' || exit 77; exec '{1}' --exact {2} --ignored",
            path.display(),
            child.get_program().display(),
            "notes::reads_what_cannot_be_written",
        );
        let run = Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", &script])
            .env(CASE, &path)
            .env(NAME, count)
            .output();
        let run = match report::unshared(run) {
            Ok(run) => run,
            Err(reason) => return report::skipped(&reason),
        };
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && said.contains("1 passed"), "{said}");
    }
}

#[test]
fn notes_follow_their_events_when_a_source_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = new_case(folder.path());
    let log = folder.path().join("app.log");
    let lines =
        "2026-03-01 14:05:00 INFO one\n2026-03-01 14:05:01 ERROR two\n2026-03-01 14:05:02 INFO three\n";
    std::fs::write(&log, lines).expect("a log");
    let case = Case::open(&path).expect("the case opens");
    let cancel = indexer::Cancel::default();
    case.import(&[log], &indexer::ImportOptions::default(), &|_| {}, &cancel).expect("an import");
    let offset = lines.find("2026-03-01 14:05:01").expect("a line") as u64;
    put(&case, vec![NoteDraft { event: Some((0, offset)), ..star("n", 0) }]);
    let show = || {
        let place = notes(&case)[0].event.expect("an event");
        let found = case.evidence(&case.snapshot(), &[place], 100, &cancel).expect("evidence");
        found[0].clone().expect("the event is there")
    };
    let first = show();
    assert_eq!((first.event.text.as_str(), first.event.line), ("2026-03-01 14:05:01 ERROR two", 2));
    assert_eq!(first.event.raw, &lines.as_bytes()[offset as usize..][..first.event.length as usize]);
    let reading = indexer::ImportOptions {
        ingest: indexer::ReadOptions { zone: Some("+02:00".into()), ..indexer::ReadOptions::default() },
        ..indexer::ImportOptions::default()
    };
    case.reread(&[0], &reading, &|_| {}, &cancel).expect("it is read again");
    let later = show();
    assert_eq!((&later.event.text, &later.sha256), (&first.event.text, &first.sha256));
    assert_eq!(first.event.time - later.event.time, 2 * 3_600 * 1_000_000_000);
}
