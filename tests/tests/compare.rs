//! How well a comparison finds what changed: logs with one change in their second half, and logs without any.
//!
//! A few of each kind by default. `npm run changes` runs two hundred of both with longer logs and prints the table of
//! docs/compare.md.

use std::fs;
use std::path::PathBuf;

use indexer::compare::{Comparison, ROWS};
use indexer::{Cancel, Case, ImportOptions, Profile, View};
use timberline_tests::changes::{self, Change, Log};

/// A number of the environment.
fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn runs() -> usize {
    setting("TIMBERLINE_CHANGES", 8)
}

fn events() -> usize {
    setting("TIMBERLINE_CHANGES_EVENTS", 100_000)
}

fn compared(log: &Log) -> Comparison {
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<PathBuf> = log.files.iter().map(|(name, _)| folder.path().join(name)).collect();
    for (file, (_, text)) in files.iter().zip(&log.files) {
        fs::write(file, text).expect("the log is written");
    }
    let case = Case::create(&folder.path().join("shop.case")).expect("a case");
    let options = ImportOptions { profile: Some(Profile::Fields), ..ImportOptions::default() };
    let report = case.import(&files, &options, &|_| {}, &Cancel::default()).expect("it is imported");
    assert!(report.failure.is_none());
    let half = |from, to| View::parse("*", from, to).expect("a query");
    let (a, b) = (half(None, Some(log.middle)), half(Some(log.middle), None));
    case.compare(&case.snapshot(), [&a, &b], ROWS, &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

#[test]
#[allow(clippy::print_stdout)]
fn injected_changes_are_found() {
    let (mut all, mut firsts, mut threes, mut rows) = (0, 0, 0, 0);
    for change in Change::ALL {
        let count = runs().div_ceil(Change::ALL.len());
        let (mut first, mut three, mut missed) = (0, 0, Vec::new());
        for seed in 0..count as u64 {
            let log = changes::log(change, seed, events());
            let found = compared(&log);
            rows += found.differences.len();
            let rank = log.cause.as_ref().and_then(|cause| cause.rank(&found));
            first += usize::from(rank == Some(1));
            three += usize::from(rank.is_some_and(|rank| rank <= 3));
            if rank != Some(1) {
                let rows: Vec<String> =
                    found.differences.iter().take(4).map(|row| row.subject.to_string()).collect();
                missed.push(format!("seed {seed}: rank {rank:?} of {:?}, rows {rows:?}", log.cause));
            }
        }
        println!("{change:?}: first {first}, in the first three {three}, of {count}\n{}", missed.join("\n"));
        all += count;
        firsts += first;
        threes += three;
    }
    let others = (rows - all.min(rows)) as f64 / all as f64;
    let (first, three) = (percent(firsts, all), percent(threes, all));
    println!("all: first {first:.1} %, in the first three {three:.1} %, other rows {others:.2}");
    assert!(first >= 80.0 && three >= 95.0);
}

#[test]
#[allow(clippy::print_stdout)]
fn equal_halves_have_no_row() {
    let mut with_rows = Vec::new();
    for seed in 0..runs() as u64 {
        let found = compared(&changes::log(Change::Nothing, 10_000 + seed, events()));
        if let Some(row) = found.differences.first() {
            with_rows.push(format!("seed {seed}: {} {}", row.change.name(), row.subject));
        }
    }
    println!("without a row: {:.1} %\n{}", percent(runs() - with_rows.len(), runs()), with_rows.join("\n"));
    assert!(percent(runs() - with_rows.len(), runs()) >= 95.0);
}
