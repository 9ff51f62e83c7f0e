//! The segments that one piece has loaded serve the next one, within the memory of the run.

use super::super::file_access::FileAccess;
use super::super::line::Line;
use super::super::plan::Planned;
use super::super::run::{RunClock, RunOptions};
use super::super::step::Step;
use super::super::table::Table;
use super::*;
use crate::test_case::{ImportOptions, TestCase};
use crate::view::View;
use base::Cancel;
use query::Filter;
use store::Snapshot;

static VIEW: View = View { filter: Filter::Everything, from: None, to: None };

fn case(name: &str, lines: &str) -> (tempfile::TempDir, TestCase) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, lines).expect("a log");
    let case = TestCase::create(&folder.path().join("m.case")).expect("a case");
    case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    (folder, case)
}

fn run<'a>(case: &'a TestCase, snapshot: &'a Snapshot, memory_bytes: usize) -> (Scope<'a>, Run<'a>) {
    let scope = Scope { case, snapshot, view: &VIEW };
    let zone = jiff::tz::TimeZone::UTC;
    let clock = RunClock { now: 0, zone, range: None, files: FileAccess::default() };
    let options = RunOptions { memory_bytes, ..RunOptions::default() };
    (scope, Run::new(clock, &options, &Cancel::default(), Some(scope)))
}

/// The messages of the first two rows, as a piece of a run reads them.
fn piece(scope: Scope<'_>, run: &Run<'_>) -> Result<Vec<String>> {
    let mut kept = run.messages.take(run);
    let mut segment = kept.take(0, scope, run)?;
    let mut found = Vec::new();
    segment.for_each(0, scope, run, vec![0, 1], |_, message| {
        let (Message::Field(text) | Message::Event(text)) = message else { return Ok(()) };
        found.push(String::from_utf8_lossy(text).into_owned());
        Ok(())
    })?;
    kept.put(0, segment, run);
    run.messages.put(kept);
    Ok(found)
}

/// The segments that are kept for the next piece of this thread.
fn kept_segments(run: &Run<'_>) -> usize {
    run.messages.lock().get(&thread::current().id()).map_or(0, |kept| kept.segments.len())
}

#[test]
fn next_piece_loads_no_column_again() {
    let lines = "{\"time\":\"2026-03-01T10:00:00Z\",\"message\":\"job 1 took 5 ms\"}\n\
                 {\"time\":\"2026-03-01T10:00:01Z\",\"message\":\"job 2 took 7 ms\"}\n";
    let (_folder, case) = case("app.ndjson", lines);
    let snapshot = case.snapshot();
    let (scope, run) = run(&case, &snapshot, 1 << 30);
    let first = piece(scope, &run).expect("messages");
    assert_eq!(first, ["job 1 took 5 ms", "job 2 took 7 ms"]);
    let meta = &snapshot.segments[0].meta;
    let field = meta.fields.iter().find(|field| field.name == "message").expect("a field");
    let is_loaded = || case.columns().has(meta.id, &format!("#values {}", field.column));
    assert!(is_loaded());
    case.columns().clear();
    assert_eq!(piece(scope, &run).expect("messages"), first);
    assert!(!is_loaded());
}

#[test]
fn next_piece_unpacks_no_frame_again() {
    // Lines without a time or a field are their own messages. The last one has a frame of its own.
    let (folder, case) = case("app.txt", "one came\ntwo came\nthree came\n");
    drop(case);
    // The import leaves its frames with the case that is open.
    let case = TestCase::open(&folder.path().join("m.case")).expect("the case opens");
    let snapshot = case.snapshot();
    let (scope, run_of_both) = run(&case, &snapshot, 1 << 30);
    let first = piece(scope, &run_of_both).expect("messages");
    assert_eq!(first, ["one came", "two came"]);
    std::fs::remove_dir_all(folder.path().join("m.case/raw")).expect("the raw files are gone");
    assert_eq!(piece(scope, &run_of_both).expect("messages"), first);
    let (scope, other) = run(&case, &snapshot, 1 << 30);
    assert!(piece(scope, &other).is_err(), "another run has to read");
}

#[test]
fn segment_is_kept_while_it_is_read_and_there_is_memory() {
    let (_folder, case) = case("app.log", "2026-03-01T10:00:00Z one came\n2026-03-01T10:00:01Z two came\n");
    let snapshot = case.snapshot();
    let (scope, small) = run(&case, &snapshot, 0);
    assert_eq!(piece(scope, &small).expect("messages").len(), 2);
    assert_eq!(kept_segments(&small), 0);

    let (scope, large) = run(&case, &snapshot, 1 << 30);
    assert_eq!(piece(scope, &large).expect("messages").len(), 2);
    for _ in 0..IDLE_PIECES {
        assert_eq!(kept_segments(&large), 1);
        large.messages.put(large.messages.take(&large));
    }
    assert_eq!(kept_segments(&large), 0);

    // The stages have the memory by now.
    assert_eq!(piece(scope, &large).expect("messages").len(), 2);
    large.budget.take("stats", 900 << 20).expect("room");
    assert!(large.messages.take(&large).segments.is_empty());
}

/// A stage that needs all of the memory when the rows have come.
struct NeedsAll;

impl Step for NeedsAll {
    fn push(&mut self, _rows: Table, _run: &Run<'_>) -> Result<Option<Table>> {
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        run.budget.take("sort", run.budget.most()).map(|()| None)
    }
}

#[test]
fn stages_that_finish_have_the_memory_of_messages() {
    let word = |number: u64| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let line = |row: u64| {
        let words: Vec<String> = (0..20).map(|place| word(row * 20 + place)).collect();
        format!("{{\"time\":\"2026-03-01T10:00:00Z\",\"message\":\"{}\"}}\n", words.join(" "))
    };
    let lines: String = (0..10_000).map(line).collect();
    let (_folder, case) = case("app.ndjson", &lines);
    let snapshot = case.snapshot();
    let (scope, run) = run(&case, &snapshot, 1 << 30);
    assert_eq!(piece(scope, &run).expect("messages").len(), 2);
    assert!(run.budget.left() < run.budget.most(), "the messages take memory");
    let mut line = Line::new([Planned::Step(Box::new(NeedsAll))]);
    line.finish(&run, &mut |_| Ok(())).expect("all of the memory");
}

#[test]
fn segment_that_memory_refuses_is_read_again() {
    let (_folder, case) = case("app.log", "2026-03-01T10:00:00Z one came\n2026-03-01T10:00:01Z two came\n");
    let snapshot = case.snapshot();
    let (scope, run) = run(&case, &snapshot, 1 << 30);
    assert_eq!(piece(scope, &run).expect("messages").len(), 2);
    let mut kept = run.messages.take(&run);
    run.budget.take("sort", 1 << 30).expect("all of it");
    // More than is charged: what the cache cannot pay for is dropped, and the query goes on.
    let large = Arc::new(Mined { codes: vec![0; 1 << 20], shapes: Vec::new(), hashes: Vec::new() });
    kept.segments.values_mut().for_each(|segment| segment.mined = Arc::clone(&large));
    run.messages.put(kept);
    assert_eq!(kept_segments(&run), 0);
    assert_eq!(piece(scope, &run).expect("messages").len(), 2);
}
