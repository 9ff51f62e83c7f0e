//! Comparisons of real logs, normal against abnormal, and of sides that hardly fit together.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexer::compare::{Comparison, LeftOut, ROWS};
use indexer::query::parse_query;
use indexer::{Cancel, Case, Cell, ImportOptions, Profile, RunOptions, Scalar, View, stamp};
use tempfile::TempDir;
use timberline_tests::files::datasets;
use timberline_tests::report;

const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * SECOND;

/// The known abnormal patterns are in the first rows.
const FIRST: usize = 10;

/// What a person waits for, times what other tests at the same time may cost.
const PATIENCE: Duration = Duration::from_secs(6);

/// The folder is gone with its last user.
struct Imported {
    case: Case,
    _folder: TempDir,
}

fn imported(logs: &[PathBuf], profile: Profile) -> Imported {
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    let options = ImportOptions { profile: Some(profile), ..ImportOptions::default() };
    let report = case.import(logs, &options, &|_| {}, &Cancel::default()).expect("it is imported");
    assert!(report.failure.is_none());
    Imported { case, _folder: folder }
}

impl Imported {
    fn compare(&self, a: &str, b: &str) -> Comparison {
        let sides = [a, b].map(|filter| View::parse(filter, None, None).expect("a filter"));
        let snapshot = self.case.snapshot();
        let compared =
            self.case.compare(&snapshot, [&sides[0], &sides[1]], ROWS, &mut |_, _| {}, &Cancel::default());
        compared.expect("an answer")
    }

    /// A filter for the windows of time, so many seconds each, in which some event matches.
    fn windows_with(&self, filter: &str, seconds: i64) -> String {
        let query = parse_query(&format!("{filter} | keep time")).expect("a query");
        let snapshot = self.case.snapshot();
        let table = self
            .case
            .run(&snapshot, &query, (None, None), &RunOptions::default(), &mut |_| {}, &Cancel::default())
            .expect("the times");
        let times = table.column("time").expect("a column");
        let mut windows: Vec<i64> = (0..table.rows())
            .filter_map(|row| match times.cell(row) {
                Cell::Time(time) => Some(time.div_euclid(seconds * SECOND)),
                _ => None,
            })
            .collect();
        windows.dedup();
        assert!(!windows.is_empty(), "{filter} finds nothing");
        let window = |window: i64| {
            let [from, to] = [window, window + 1].map(|at| stamp::to_rfc3339(at * seconds * SECOND));
            format!("(time>={from} time<{to})")
        };
        windows.into_iter().map(window).collect::<Vec<_>>().join(" OR ")
    }
}

/// Whether a row that is more frequent in B, or one that is listed with it, has these words.
fn is_listed(found: &Comparison, words: &str) -> bool {
    found.differences.iter().take(FIRST).filter(|row| row.change.name() != "fewer").any(|row| {
        let also = row.also.iter().map(|also| &also.subject);
        std::iter::once(&row.subject).chain(also).any(|subject| subject.to_string().contains(words))
    })
}

/// A log of loghub: the window of time in seconds, by what abnormal windows are known, and their patterns.
const ABNORMAL: &[(&str, i64, &str, &[&str])] = &[
    ("loghub_hdfs/HDFS_2k.log", 1_800, "\"Got exception while serving\"", &["Got exception while serving"]),
    ("loghub_openstack/OpenStack_2k.log", 10, "\"Unknown base file\"", &["Unknown base file"]),
    (
        "loghub_openstack/OpenStack_2k.log",
        10,
        "\"Deleting instance files\"",
        &["Deletion of", "Instance destroyed successfully", "Deleting instance files"],
    ),
];

#[test]
fn abnormal_patterns_of_real_logs_are_in_the_first_rows() {
    let folder = match datasets() {
        Ok(folder) => folder,
        Err(reason) => return report::skipped(&reason),
    };
    for (log, seconds, known_by, patterns) in ABNORMAL {
        let log = folder.join(log);
        if !log.is_file() {
            report::skipped(&format!("{} is not here", log.display()));
            continue;
        }
        let imported = imported(&[log], Profile::Full);
        let abnormal = imported.windows_with(known_by, *seconds);
        let found = imported.compare(&format!("NOT ({abnormal})"), &abnormal);
        assert_eq!((found.events[0] + found.events[1], found.shared), (2_000, 0));
        let rows: Vec<String> =
            found.differences.iter().map(|row| format!("{} {}", row.change.name(), row.subject)).collect();
        for pattern in *patterns {
            assert!(is_listed(&found, pattern), "{pattern} is not among {rows:#?}");
        }
    }
}

fn write_log(folder: &Path, line: impl Fn(i64, &str) -> String, events: i64) -> PathBuf {
    let mut text = String::new();
    for nth in 0..events {
        let time = stamp::to_rfc3339(START + nth * SECOND);
        writeln!(text, "{}", line(nth, &time)).expect("memory");
    }
    let path = folder.join("mixed.ndjson");
    fs::write(&path, text).expect("written");
    path
}

#[test]
fn fields_of_mixed_types_are_compared_where_both_sides_have_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write_log(
        folder.path(),
        |nth, time| {
            let is_later = nth >= 2_000;
            let side = if is_later { "b" } else { "a" };
            let noise = nth * 37 % 50;
            // Of `both` every fifth is a text on either side, and the numbers move; `texts` has numbers in A only; `units` has
            // texts with units only; `odd` is now a number, now a text, now an object.
            let both = match nth % 5 {
                0 => format!("\"{noise}ms\""),
                _ => (100 + noise + if is_later { 300 } else { 0 }).to_string(),
            };
            let texts = if is_later { format!("\"{noise}ms\"") } else { (nth * 37 % 500).to_string() };
            let odd = match nth % 3 {
                0 => noise.to_string(),
                1 => format!("\"word {}\"", noise % 4),
                _ => format!("{{\"inner\":{noise}}}"),
            };
            format!(
                r#"{{"time":"{time}","side":"{side}","both":{both},"texts":{texts},"units":"{noise}ms","odd":{odd},"message":"work is done"}}"#
            )
        },
        4_000,
    );
    let found = imported(&[log], Profile::Fields).compare("side=a", "side=b");
    let row = |name: &str| found.differences.iter().find(|row| row.subject.to_string() == name);
    let moved = row("both").and_then(|row| row.moved.as_ref()).unwrap_or_else(|| panic!("{found:#?}"));
    let half = moved.percentiles[0].each_ref().map(|side| side.as_ref().and_then(Scalar::number));
    let [Some(a), Some(b)] = half else { panic!("{half:?}") };
    assert!((100.0..150.0).contains(&a) && (400.0..450.0).contains(&b), "{half:?}");
    assert!(found.left_out.contains(&("texts".to_owned(), LeftOut::OneSide)), "{:?}", found.left_out);
    let mut compared = found.unchanged.fields.iter().chain(&found.unchanged.unclear);
    assert!(!compared.any(|field| field.field == "texts"), "{:?}", found.unchanged);
    let other: Vec<String> = found.differences.iter().map(|row| row.subject.to_string()).collect();
    assert!(!other.iter().any(|name| name.starts_with("units") || name.starts_with("odd")), "{other:?}");
}

/// Compares two halves of a log whose events have a `code`: the JSON of its value, by the number of the event and its half.
fn codes_compared(code: fn(i64, bool) -> String) -> Comparison {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |nth: i64, time: &str| {
        let is_later = nth >= 1_000;
        let (side, code) = (if is_later { "b" } else { "a" }, code(nth, is_later));
        format!(r#"{{"time":"{time}","side":"{side}","code":{code},"message":"work is done"}}"#)
    };
    let log = write_log(folder.path(), line, 2_000);
    let found = imported(&[log], Profile::Fields).compare("side=a", "side=b");
    assert!(!found.left_out.iter().any(|(field, _)| field == "code"), "{:?}", found.left_out);
    found
}

#[test]
fn few_numbers_are_compared_as_values_next_to_texts() {
    let rows = |found: &Comparison| -> Vec<(String, [u64; 2])> {
        let rows = found.differences.iter();
        let mut rows: Vec<_> = rows.map(|row| (row.subject.to_string(), row.counts)).collect();
        rows.sort();
        rows
    };
    // A text among numbers is new.
    let refused = codes_compared(|nth, is_later| match nth % 10 {
        3 if is_later => "\"timeout\"".to_owned(),
        _ => (200 + nth % 3).to_string(),
    });
    assert_eq!(rows(&refused), [("code=timeout".to_owned(), [0, 100])]);
    // A number and a text that is written alike are the same value.
    let quoted = codes_compared(|nth, is_later| match (200 + nth % 3, is_later) {
        (code, true) => format!("\"{code}\""),
        (code, false) => code.to_string(),
    });
    assert!(rows(&quoted).is_empty(), "{quoted:#?}");
    // One side has numbers only, and the other one texts.
    let texts = codes_compared(|nth, is_later| match (nth % 4, is_later) {
        (code, true) => format!("\"{code}ms\""),
        (code, false) => code.to_string(),
    });
    let expected = (0..4).flat_map(|n| [(format!("code={n}"), [250, 0]), (format!("code={n}ms"), [0, 250])]);
    assert_eq!(rows(&texts), expected.collect::<Vec<_>>());
}

#[test]
fn one_event_is_compared_with_a_million_in_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write_log(
        folder.path(),
        |nth, time| {
            let level = if nth == 700_000 { "fatal" } else { "info" };
            let (service, took) = (nth % 7, nth * 7_919 % 1_000);
            format!(
                r#"{{"time":"{time}","level":"{level}","service":"s{service}","took":{took},"message":"request {nth} done"}}"#
            )
        },
        1_000_000,
    );
    let imported = imported(&[log], Profile::Fields);
    let started = Instant::now();
    let found = imported.compare("level=info", "level=fatal");
    let took = started.elapsed();
    assert_eq!((found.events, found.differences.len()), ([999_999, 1], 0), "{found:#?}");
    assert!(found.notes()[0].starts_with("B has 1 event, too few"), "{:?}", found.notes());
    // The other way round: everything is gone, and nothing of it is said.
    let found = imported.compare("level=fatal", "level=info");
    assert_eq!((found.events, found.differences.len()), ([1, 999_999], 0), "{found:#?}");
    report::figure(&format!("one event is compared with a million in {:.0} ms", took.as_secs_f64() * 1e3));
    assert!(took < PATIENCE, "{took:?}");
}
