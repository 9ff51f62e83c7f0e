//! Real logs whose truth others established, where a folder with them is: `TIMBERLINE_DATASETS`, or
//! `shared/datasets` beside the project. They are not part of the project, because their licences differ.
//!
//! For each file its events and its first and last time are compared. What disagrees is printed with what is
//! known of it; too many disagreements fail.

#![allow(clippy::print_stdout, reason = "what disagrees is for a person to read")]

use std::path::{Path, PathBuf};

use ingest::{NO_TIME, Options, Source};
use timberline_tests::files::root;

/// Disagreements that were looked into, and whose fault they are.
const KNOWN: &[(&str, &str)] = &[
    ("fortinet/fortigate_utm.log", "the truth takes times as UTC; the lines have a zone, which we apply"),
    ("apache_error/apache-auth.log", "lines of four other formats are mixed in and stay unparsed"),
    ("mysql_slow/mysql_slow_lnav.log", "the truth leaves out the fraction of `# Time`"),
];

/// Of the files whose truth is sure, so many must agree in events, first and last time.
const FILES_AGREE: f64 = 0.97;

fn datasets() -> Option<PathBuf> {
    let named = std::env::var_os("TIMBERLINE_DATASETS").map(PathBuf::from);
    let folder = named.or_else(|| Some(root().parent()?.join("shared/datasets")))?;
    folder.join("TRUTH.tsv").is_file().then_some(folder)
}

/// What was read of a file, all its streams together.
#[derive(Default)]
struct Read {
    formats: Vec<String>,
    events: u64,
    unparsed: u64,
    first: Option<i64>,
    last: Option<i64>,
}

fn read(path: &Path) -> Read {
    let mut all = Read::default();
    for found in ingest::discover(&[path.to_path_buf()]).files {
        ingest::open(&found, &Options::default(), &mut |opened| {
            if let Ok(source) = opened.source {
                read_stream(source, &mut all);
            }
            true
        });
    }
    all
}

fn read_stream(mut source: Source<'_>, all: &mut Read) {
    all.formats.push(source.detection().format.clone());
    let (parser, mut settler) = (source.parser(), source.settler());
    while let Ok(Some(chunk)) = source.next_chunk() {
        let mut batch = parser.parse(chunk);
        settler.settle(&mut batch);
        all.events += batch.rows() as u64;
        all.unparsed += u64::from(batch.unparsed);
        let mut times = batch.time.iter().copied().filter(|&time| time != NO_TIME);
        all.first = all.first.or_else(|| times.clone().next());
        all.last = times.next_back().or(all.last);
    }
}

/// Whether an instant is what the truth says: to the microsecond, as far as the truth knows it (`?` where it
/// does not). Seconds since a start have no place in time to compare.
fn is_time(ns: Option<i64>, truth: &str) -> bool {
    if truth.is_empty() || truth.starts_with("uptime") {
        return true;
    }
    let Some(time) = ns.and_then(|ns| jiff::Timestamp::from_nanosecond(i128::from(ns)).ok()) else {
        return false;
    };
    let micros = |text: &str| {
        let (seconds, fraction) =
            text.trim_end_matches('Z').split_once('.').unwrap_or((text.trim_end_matches('Z'), ""));
        format!("{seconds}.{:0<6}", &fraction[..fraction.len().min(6)])
    };
    let (ours, truth) = (micros(&time.to_string()), micros(truth));
    ours.len() == truth.len()
        && ours.bytes().zip(truth.bytes()).all(|(ours, truth)| truth == b'?' || ours == truth)
}

#[test]
fn real_files_read_as_their_truth_says() {
    let Some(folder) = datasets() else {
        println!("there is no folder with real logs here, so nothing was compared");
        return;
    };
    let table = std::fs::read_to_string(folder.join("TRUTH.tsv")).expect("the truth is text");
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().expect("a line of names");
    let column =
        |name: &str| names.iter().position(|known| *known == name).expect("the truth has this column");
    let (path, events, first, last, quality) = (
        column("path"),
        column("events"),
        column("first_event_ts"),
        column("last_event_ts"),
        column("quality"),
    );
    let (mut sure, mut agree) = (0, 0);
    for row in lines {
        let found = read(&folder.join(row[path]));
        let expected: u64 = row[events].parse().expect("a count");
        let counted = found.events == expected || found.events - found.unparsed == expected;
        let agrees = counted && is_time(found.first, row[first]) && is_time(found.last, row[last]);
        let is_sure = matches!(row[quality], "A" | "B");
        sure += u32::from(is_sure);
        agree += u32::from(is_sure && agrees);
        if !agrees {
            let known = KNOWN.iter().find(|(known, _)| *known == row[path]).map_or("", |(_, why)| why);
            println!(
                "{} ({}, {}): {} events, {} unparsed for {expected}; {:?} to {:?} for {} to {}; {known}",
                row[path],
                row[quality],
                found.formats.join("+"),
                found.events,
                found.unparsed,
                found.first.map(shown),
                found.last.map(shown),
                row[first],
                row[last],
            );
        }
    }
    println!("{agree} of {sure} files agree");
    assert!(f64::from(agree) >= f64::from(sure) * FILES_AGREE, "only {agree} of {sure} files agree");
}

fn shown(ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns)).map_or_else(|_| "?".to_owned(), |time| time.to_string())
}
