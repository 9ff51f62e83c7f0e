//! An import over damage: of an archive, of a file that changes while it is read, of the case itself. Nothing is taken for
//! whole that is not, and nothing is twice in the case.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, ErrorKind, ImportOptions, ImportReport, Outcome, Overrides, ReadOptions};

fn lines(from: usize, to: usize) -> String {
    let line = |n: usize| format!("2026-03-01 14:{:02}:{:02} INFO request {n}\n", n / 60 % 60, n % 60);
    (from..to).map(line).collect()
}

fn import(case: &Path, files: &[PathBuf]) -> ImportReport {
    let case = Case::open(case).expect("the case opens");
    case.import(files, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import")
}

fn new_case(folder: &Path) -> PathBuf {
    let path = folder.join("c.case");
    Case::create(&path).expect("a case");
    path
}

fn events(case: &Path) -> u64 {
    Case::open(case).expect("the case opens").snapshot().events()
}

/// A tar archive with these members, packed with gzip.
fn tar_gz(members: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, text) in members {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..136].copy_from_slice(format!("{:011o} ", text.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(header);
        tar.extend(text.as_bytes());
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1_024, 0);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&tar).expect("it packs");
    gzip.finish().expect("it packs")
}

#[test]
fn members_of_an_archive_with_a_wrong_checksum_are_incomplete_until_an_undamaged_copy_is_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = new_case(folder.path());
    let (first, second) = (lines(0, 300), lines(300, 500));
    let whole = tar_gz(&[("a.log", &first), ("b.log", &second)]);
    let mut damaged = whole.clone();
    let end = damaged.len();
    damaged[end - 8] ^= 1;
    let archive = folder.path().join("logs.tar.gz");
    fs::write(&archive, &damaged).expect("it can be written");
    let sources = || Case::open(&case).expect("the case opens").snapshot().sources().to_vec();
    // Importing it once more takes away no doubt.
    for _ in 0..2 {
        let report = import(&case, std::slice::from_ref(&archive));
        let of_archive = report.files.iter().find(|file| file.path == archive).expect("it is in the report");
        let problem = of_archive.problem.as_ref().expect("a problem");
        assert_eq!(problem.kind(), ErrorKind::Corrupt);
        assert!(problem.message().contains("2 members of the archive were read and are kept"), "{problem}");
        assert_eq!(events(&case), 500);
        for source in sources() {
            assert_eq!((source.complete, source.note.as_deref()), (false, Some(problem.message())));
        }
    }
    fs::write(&archive, &whole).expect("it can be written");
    let report = import(&case, std::slice::from_ref(&archive));
    assert!(report.files.iter().all(|file| file.problem.is_none() && file.outcome == Outcome::Known));
    assert!(sources().iter().all(|source| source.complete && source.note.is_none()));
    assert_eq!((sources().len(), events(&case)), (2, 500));
}

#[test]
fn file_that_becomes_shorter_while_it_is_imported_is_incomplete() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = new_case(folder.path());
    let log = folder.path().join("app.log");
    fs::write(&log, lines(0, 400_000)).expect("it can be written");
    let options = ImportOptions {
        ingest: ReadOptions { chunk_bytes: 16 << 10, ..ReadOptions::default() },
        // Little is read ahead of what has landed, and that is reported at once.
        tune: Overrides {
            parsers: Some(1),
            budget_bytes: Some(1),
            publication_ms: Some(1),
            ..Overrides::default()
        },
        ..ImportOptions::default()
    };
    let is_cut = Cell::new(false);
    let report = |progress: indexer::Progress| {
        if progress.bytes_read > 0 && !is_cut.replace(true) {
            let file = fs::OpenOptions::new().write(true).open(&log).expect("it opens");
            file.set_len(1_000).expect("it is cut");
        }
    };
    let opened = Case::open(&case).expect("the case opens");
    let files = [log.clone()];
    let done = opened.import(&files, &options, &report, &Cancel::default()).expect("an import");
    let problem = done.files[0].problem.as_ref().expect("a problem");
    assert!(problem.message().starts_with("it became shorter while it was read"), "{problem}");
    let source = done.files[0].source.as_ref().expect("its first bytes are kept");
    assert!(!source.complete && source.events > 0 && source.events < 400_000);
    assert_eq!(source.note.as_deref(), Some(problem.message()));
    assert!(opened.verify(&Cancel::default()).problems.is_empty());
}

/// Imports a log, damages the case, and imports the log again and another one: only the other one may come in. After
/// a repair that brings everything back, the log is known.
fn import_over(damage: impl Fn(&Path), is_repairable: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let case = new_case(folder.path());
    let log = folder.path().join("app.log");
    let other = folder.path().join("other.log");
    fs::write(&log, lines(0, 3_000)).expect("it can be written");
    fs::write(&other, lines(5_000, 5_100)).expect("it can be written");
    import(&case, std::slice::from_ref(&log));
    damage(&case);
    let report = import(&case, &[log.clone(), other]);
    let problem = report.files[0].problem.as_ref().expect("a problem");
    assert_eq!(problem.kind(), ErrorKind::CaseDamaged);
    assert!(problem.hint_text().is_some_and(|hint| hint.contains("`timberline verify --repair`")));
    assert!(report.files[0].source.is_none() && report.files[1].problem.is_none());
    let opened = Case::open(&case).expect("the case opens");
    assert_eq!(opened.snapshot().sources().len(), 2);
    let repaired = opened.repair(&Cancel::default()).expect("a repair");
    if is_repairable {
        assert!(repaired.problems.is_empty(), "{:?}", repaired.problems);
        let report = import(&case, std::slice::from_ref(&log));
        assert_eq!(report.files[0].outcome, Outcome::Known);
        assert_eq!(events(&case), 3_100);
    }
}

#[test]
fn file_whose_source_has_a_damaged_segment_is_not_imported_twice() {
    import_over(|case| fs::remove_file(case.join("segments/0/segment.json")).expect("it is removed"), true);
}

#[test]
fn file_whose_source_has_damaged_original_bytes_is_not_imported_twice() {
    let flip = |case: &Path| {
        let raw = case.join("raw/0.zst");
        let mut bytes = fs::read(&raw).expect("it can be read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&raw, bytes).expect("it can be written");
    };
    import_over(flip, false);
    import_over(|case| fs::remove_file(case.join("raw/0.zst")).expect("it is removed"), false);
}

/// The raw file of a source as an import leaves it that is killed between the end of a file and its commit.
fn with_uncommitted(raw: &[u8], committed: usize, text: &str) -> Vec<u8> {
    let (frames, table) = raw.split_at(committed);
    let (entries, end) = table[8..].split_at(table.len() - 8 - 9);
    let packed = zstd::encode_all(text.as_bytes(), 1).expect("it packs");
    let count = (entries.len() / 8 + 1) as u32;
    let mut bytes = [frames, &packed[..], &table[..4], &(count * 8 + 9).to_le_bytes()[..], entries].concat();
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(&end[4..]);
    bytes
}

#[test]
fn repair_brings_back_no_events_that_were_never_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = new_case(folder.path());
    let log = folder.path().join("app.log");
    fs::write(&log, lines(0, 3_000)).expect("it can be written");
    import(&case, std::slice::from_ref(&log));
    let committed = Case::open(&case).expect("the case opens").snapshot().sources()[0].raw_bytes as usize;
    let raw = case.join("raw/0.zst");
    let bytes = with_uncommitted(&fs::read(&raw).expect("it can be read"), committed, &lines(3_000, 3_100));
    fs::write(&raw, bytes).expect("it can be written");
    fs::remove_file(case.join("segments/0/segment.json")).expect("it is removed");
    let repaired = Case::open(&case).expect("the case opens").repair(&Cancel::default()).expect("a repair");
    assert!(repaired.problems.is_empty(), "{:?}", repaired.problems);
    assert_eq!(events(&case), 3_000);
    fs::write(&log, lines(0, 3_200)).expect("it can be written");
    let report = import(&case, std::slice::from_ref(&log));
    assert_eq!((report.files[0].outcome, events(&case)), (Outcome::Grown, 3_200));
}
