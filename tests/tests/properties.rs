//! The properties that count: bytes come back, index and scan and the plainest reading agree, pages are
//! in order, and a killed import leaves a case that opens.

use std::fs;
use std::path::{Path, PathBuf};

use indexer::query::{Filter, parse};
use indexer::{Cancel, Case, Direction, Event, FieldValue, ImportOptions, NO_TIME, View, Walk};
use proptest::prelude::*;
use proptest::test_runner::Config;
use timberline_tests::reference;

/// Fields that only some of the files have.
const FIELDS: [&str; 4] = ["message", "status", "duration_ms", "bytes"];

fn imported(folder: &Path, name: &str, files: &[PathBuf], without_index: bool) -> Case {
    let case = Case::create(&folder.join(name)).expect("a case can be made");
    let ingest = indexer::ReadOptions { chunk_bytes: 700, ..indexer::ReadOptions::default() };
    let options = ImportOptions { without_index, ingest, ..ImportOptions::default() };
    let report = case.import(files, &options, &|_| {}, &Cancel::default()).expect("an import");
    assert!(report.failure.is_none(), "{:?}", report.failure);
    case
}

fn access() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32, prop::sample::select(vec![200, 301, 404, 500]), 0..9000u32).prop_map(|(s, status, bytes)| {
        let request = format!("\"GET /api/cart/{bytes} HTTP/1.1\" {status} {bytes}");
        format!("10.0.0.{s} - - [01/Mar/2026:14:05:{s:02} +0000] {request} \"-\" \"Mozilla/5.0 (X11)\"")
            .into_bytes()
    })
}

fn json() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32, prop::sample::select(vec!["info", "warn", "error"]), 0..300u32).prop_map(|(s, level, ms)| {
        let time = format!("\"ts\":\"2026-03-01T14:05:{s:02}.{ms:03}Z\",\"level\":\"{level}\"");
        let rest =
            format!("\"message\":\"request timeout to upstream\",\"duration_ms\":{ms},\"user\":\"Größe{s}\"");
        format!("{{{time},{rest}}}").into_bytes()
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    (0..60u32).prop_map(|s| {
        format!("2026-03-01 14:05:{s:02} ERROR [worker-{s}] connection reset by peer, retry={s}").into_bytes()
    })
}

/// Lines as they should not occur, and do.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"    at com.example.Cart.add(Cart.java:42)".to_vec()),
        Just(Vec::new()),
        Just(b"caf\xe9 \xff\xfe naked bytes".to_vec()),
        Just("300\u{212a} İstanbul".as_bytes().to_vec()),
    ]
}

/// A file of mostly one kind of line, with either line end, and perhaps none at the end.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![
        prop::collection::vec(prop_oneof![6 => access().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(prop_oneof![6 => json().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(prop_oneof![6 => text().boxed(), 1 => odd().boxed()], 1..40),
        prop::collection::vec(
            prop_oneof![access().boxed(), json().boxed(), text().boxed(), odd().boxed()],
            1..40
        ),
    ];
    let end = prop::sample::select(vec![&b"\n"[..], &b"\r\n"[..]]);
    (kind, text(), end, any::<bool>()).prop_map(|(mut lines, one, end, ended)| {
        // A file of nothing but blank lines is empty, and is refused.
        lines.push(one);
        let mut bytes = lines.join(end);
        if ended {
            bytes.extend(end);
        }
        bytes
    })
}

fn write_files(folder: &Path, contents: &[Vec<u8>]) -> Vec<PathBuf> {
    let names = contents.iter().enumerate().map(|(index, bytes)| {
        let path = folder.join(format!("{index}.log"));
        fs::write(&path, bytes).expect("a file can be written");
        path
    });
    names.collect()
}

fn query() -> impl Strategy<Value = String> {
    let clause = prop::sample::select(vec![
        "error",
        "ERROR",
        "timeout",
        "connection",
        "\"connection reset\"",
        "\"reset connection\"",
        "*imeou*",
        "tim*",
        "10.0.0.7",
        "/api/*",
        "größe7",
        "*größe1*",
        "k",
        "300",
        "level:error",
        "level>=warn",
        "level:*",
        "line>10",
        "source:0.log",
        "raw:retry",
        "upstream",
        "caf",
        "w?rker",
        "*",
        "message:timeout",
        "status>=404",
        "status:500",
        "duration_ms<150",
        "bytes:*",
    ]);
    prop::collection::vec(
        (clause, prop::sample::select(vec![" ", " AND ", " OR ", " NOT ", " AND NOT "])),
        1..4,
    )
    .prop_map(|parts| {
        let mut text = String::new();
        for (index, (clause, joint)) in parts.iter().enumerate() {
            text.push_str(if index == 0 { if joint.contains("NOT") { "NOT " } else { "" } } else { joint });
            text.push_str(clause);
        }
        text
    })
}

/// An event, its source's name and its fields.
type Events = (Event, String, Vec<FieldValue>);

fn all(case: &Case) -> Vec<Events> {
    let snapshot = case.snapshot();
    let everything = View { filter: Filter::Everything, from: None, to: None };
    let mut events = Vec::new();
    case.for_each(
        &snapshot,
        &everything,
        Walk { with_fields: true, ..Walk::default() },
        &Cancel::default(),
        &mut |event, fields| {
            let source = snapshot.sources()[event.source as usize].name.clone();
            events.push((event, source, fields));
            Ok(())
        },
    )
    .expect("all events can be read");
    events
}

/// Counts, pages in both directions and the timeline of one query against the reference.
fn agrees(
    case: &Case,
    query: &str,
    events: &[Events],
    (first, count): (usize, usize),
) -> Result<(), TestCaseError> {
    let filter = parse(query).expect("the queries here are right");
    let snapshot = case.snapshot();
    let view = View { filter: filter.clone(), from: None, to: None };
    let never = Cancel::default();
    if let Err(error) = case.count(&snapshot, &view, &never) {
        let known = Case::field_names(&snapshot);
        let named = FIELDS.iter().find(|field| error.message().contains(&format!("`{field}`")));
        // Files of other formats have not these fields; the engine says so.
        prop_assert!(
            named.is_some_and(|field| !known.iter().any(|name| name == field)),
            "{}: {}",
            query,
            error
        );
        return Ok(());
    }
    let passing =
        events.iter().filter(|(event, source, fields)| reference::passes(&filter, event, source, fields));
    let expected: Vec<&Event> = passing.map(|(event, ..)| event).collect();
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        let page =
            case.page(&snapshot, &view, direction, (first, count), usize::MAX, &never).expect("a page");
        prop_assert_eq!(page.total, expected.len(), "{}", query);
        let mut sorted = expected.clone();
        if direction == Direction::NewestFirst {
            sorted.reverse();
        }
        let wanted: Vec<&Event> = sorted.into_iter().skip(first).take(count).collect();
        prop_assert_eq!(page.events.iter().collect::<Vec<_>>(), wanted, "{}", query);
    }
    let timeline = case.timeline(&snapshot, &view, 50, &mut |_, _| {}, &never).expect("a timeline");
    let counted: u64 = timeline.counts.iter().flatten().map(|&count| u64::from(count)).sum();
    prop_assert_eq!(counted + timeline.untimed, expected.len() as u64, "{}", query);
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 32, ..Config::default() })]

    #[test]
    fn the_bytes_that_went_in_come_out(contents in prop::collection::vec(file(), 1..4)) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, true);
        let mut out = Vec::new();
        let everything = View { filter: Filter::Everything, from: None, to: None };
        case.export_raw(&case.snapshot(), &everything, &mut out, &Cancel::default()).expect("an export");
        prop_assert_eq!(out, contents.concat());
        prop_assert!(case.verify(&Cancel::default()).problems.is_empty());
    }

    #[test]
    fn index_scan_and_reference_agree(
        contents in prop::collection::vec(file(), 1..4),
        queries in prop::collection::vec(query(), 24),
        page in (0..120usize, 1..50usize),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let scanned = imported(folder.path(), "scan.case", &files, true);
        let indexed = imported(folder.path(), "index.case", &files, false);
        let events = all(&scanned);
        let keys: Vec<_> = events.iter().map(|(event, ..)| (event.time, event.source, event.offset)).collect();
        prop_assert!(keys.is_sorted());
        for query in queries {
            agrees(&scanned, &query, &events, page)?;
            agrees(&indexed, &query, &events, page)?;
        }
    }

    #[test]
    fn a_time_range_takes_the_events_within_it(contents in file(), from in 0..60i64, span in 0..40i64) {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path(), "c.case", &write_files(folder.path(), &[contents]), true);
        let minute = indexer::stamp::parse("2026-03-01T14:05:00Z").expect("a time");
        let (from, to) = (minute + from * 1_000_000_000, minute + (from + span) * 1_000_000_000);
        let within = |time: i64| time != NO_TIME && (from..to).contains(&time);
        let expected = all(&case).iter().filter(|(event, ..)| within(event.time)).count();
        let view = View { filter: Filter::Everything, from: Some(from), to: Some(to) };
        prop_assert_eq!(case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count"), expected);
    }
}
