//! What is reports of files before they are read is what the case tells of them afterwards.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use flate2::Compression;
use flate2::write::GzEncoder;
use indexer::query::Filter;
use indexer::{Cancel, Case, FileScan, ImportOptions, View, scan_files};

fn filter(query: &str) -> Filter {
    View::parse(query, None, None).expect("a query").filter
}

fn look(paths: &[PathBuf], query: &str) -> Option<FileScan> {
    let taken = indexer::Filter::default();
    scan_files(paths, &taken, &filter(query), &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

fn lines(path: &Path, query: &str) -> u64 {
    look(&[path.to_path_buf()], query).expect("it is about text").lines
}

/// Lines from a few bytes to more than a block, so that each way of lying over the ends of blocks comes about.
fn log() -> String {
    let line = |line: u32| {
        let word = ["lost", "sent", "Found"][line as usize % 3];
        let length = if line.is_multiple_of(997) { 900_000 } else { line.wrapping_mul(2_654_435_761) >> 21 };
        let filling = "ab cd ".repeat(length as usize / 6);
        let (minute, second) = (line / 60 % 60, line % 60);
        format!("2026-03-01T14:{minute:02}:{second:02}Z INFO {filling}{word} packet {line}\n")
    };
    (0..15_000).map(line).collect()
}

#[test]
fn lines_that_are_found_are_the_events_of_the_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.log");
    fs::write(&path, log()).expect("a log");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    case.import(from_ref(&path), &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    for query in [
        "found",
        "LOST",
        "\"found packet\"",
        "\"packet 4711\"",
        "4711",
        "NOT sent",
        "found OR lost",
        "found -59*",
        "/packet [0-9]*7$/",
        "fou*",
        "raw:*packet*",
        "nowhere",
        "\"packet found\"",
    ] {
        let view = View { filter: filter(query), from: None, to: None };
        let events = case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count");
        assert_eq!(lines(&path, query), events as u64, "{query}");
    }
}

#[test]
fn the_first_lines_are_shown_in_the_order_of_the_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("app.2.log"), folder.path().join("app.10.log"));
    fs::write(&first, "\u{FEFF}error one\r\n\r\nan \u{1b}[31merr\u{1b}[0mor two\r\n").expect("a log");
    fs::write(&second, b"caf\xE9 ferm\xE9, error d\xE9j\xE0 vu\nno end of the error").expect("a log");
    let scan = look(&[folder.path().to_path_buf()], "error").expect("it is about text");
    let shown: Vec<_> = scan.first.iter().map(|line| (&line.path, line.offset, line.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (&first, 3, "error one"),
            (&first, 16, "an error two"),
            (&second, 0, "café fermé, error déjà vu"),
            (&second, 26, "no end of the error"),
        ]
    );
    assert_eq!((scan.lines, scan.files, scan.others), (4, 2, 0));
}

#[test]
fn what_only_reading_can_tell_is_not_guessed() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = folder.path().join("app.log.gz");
    let mut gzip = GzEncoder::new(fs::File::create(&packed).expect("a file"), Compression::fast());
    gzip.write_all(b"error one\n").and_then(|()| gzip.finish().map(drop)).expect("it is packed");
    let wide = folder.path().join("wide.log");
    fs::write(&wide, "error two\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .expect("a log");
    let gone = folder.path().join("gone.log");
    let scan = look(&[packed, wide, gone], "error").expect("it is about text");
    assert_eq!((scan.lines, scan.files, scan.others), (0, 0, 2));
    assert_eq!(look(&[], "level:error"), None);
    assert_eq!(look(&[], "error status:500"), None);
    assert_eq!(look(&[], "*"), None);
}

#[test]
fn scan_reports_progress_and_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.log");
    fs::write(&path, "error\n".repeat(20_000_000)).expect("a log");
    let look = |partial: &mut dyn FnMut(&FileScan, f64), cancel: &Cancel| {
        scan_files(from_ref(&path), &indexer::Filter::default(), &filter("error"), partial, cancel)
    };
    let mut reports = vec![(0, 0.0)];
    let all = look(&mut |scan, fraction| reports.push((scan.lines, fraction)), &Cancel::default());
    reports.push((all.expect("an answer").expect("it is about text").lines, 1.0));
    assert!(
        reports.len() > 2 && reports.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1),
        "{reports:?}"
    );

    let cancel = Cancel::default();
    assert!(look(&mut |_, _| cancel.set(), &cancel).is_err());
}
