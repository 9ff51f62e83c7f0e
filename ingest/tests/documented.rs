//! Formats as their documentation describes them, each in a file of `ingest/tests/documented`: above a line
//! of four dashes the expected values, below it the log. A file is written before its format is read for the
//! first time, so these show how unfamiliar logs are read.
//!
//! Above the line, by the first word: `events` their number; `first` and `last` the times of the first and
//! the last event with a time, or `none` if no event has one; `timed` how many events have one; `format` its
//! name; `field` a field, how many events have it and how many values it has; `levels` how many events have
//! each level; `value` the number of an event and a value that one of its fields has; `year` the year to read
//! by; `encode` an encoding; `escapes: yes` that `\x00` represents a byte and `\t` a tab; `repeat` how often
//! the first line is repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use ingest::{Batch, Level, NO_TIME, Options, Values, discover, read_all};

/// The expectations of a file of the folder, and the log in it.
#[derive(Clone)]
struct Documented {
    expected: Vec<(String, String)>,
    log: Vec<u8>,
    options: Options,
}

fn documented(text: &str) -> Documented {
    let (head, body) = text.split_once("\n----\n").expect("a line of four dashes");
    let mut options = Options::default();
    let (mut expected, mut log, mut repeat) = (Vec::new(), body.as_bytes().to_vec(), 1);
    for (key, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        match key {
            "year" => options.year = Some(value.parse().expect("a year")),
            "escapes" => log = unescaped(&log),
            "encode" => log = encoded(body, value),
            "repeat" => repeat = value.parse().expect("a count"),
            "events" | "first" | "last" | "timed" | "format" | "field" | "levels" | "value" => {
                expected.push((key.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    let first_line = log.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let log = [log[..first_line].repeat(repeat), log[first_line..].to_vec()].concat();
    assert!(!expected.is_empty(), "it says nothing of what is to be read");
    Documented { expected, log, options }
}

fn encoded(text: &str, label: &str) -> Vec<u8> {
    match label {
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => {
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("a known encoding");
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable, "{label} has all characters");
            bytes.into_owned()
        }
    }
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(b"\\x") {
            let digits = std::str::from_utf8(&rest[2..4]).expect("two digits");
            out.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
            at += 4;
        } else if rest.starts_with(b"\\t") {
            out.push(b'\t');
            at += 2;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
    out
}

#[derive(Default)]
struct Read {
    events: usize,
    times: Vec<i64>,
    format: String,
    lines: Vec<u64>,
    /// Names and values, one entry per event that has them.
    values: Vec<(String, String)>,
    /// The number of the event, counted from 1, of each of these.
    events_of_values: Vec<usize>,
}

fn read(documented: &Documented) -> Read {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.log");
    std::fs::write(&path, &documented.log).expect("it can be written");
    let found = discover(&[path]).files.remove(0);
    let mut read = Read::default();
    ingest::open(&found, &documented.options, &mut |opened| {
        if let Ok(source) = opened.source {
            read.format.clone_from(&source.detection().format);
        }
        true
    });
    let Ok(batches) = read_all(&found, &documented.options) else { return read };
    for batch in batches {
        for row in 0..batch.rows() {
            let level = batch.level[row];
            let level = (level != Level::None).then(|| ("level".to_owned(), level.name().to_owned()));
            let columns = batch.columns.iter();
            let values = columns
                .filter_map(|column| Some((column.name.to_string(), value(&batch, &column.values, row)?)));
            read.values.extend(level.into_iter().chain(values));
            read.events_of_values.resize(read.values.len(), read.events + row + 1);
        }
        read.events += batch.rows();
        read.times.extend(batch.time.iter().filter(|&&time| time != NO_TIME));
        read.lines.extend(&batch.line);
    }
    read
}

fn value(batch: &Batch, values: &Values, row: usize) -> Option<String> {
    match values {
        Values::Text(spans) if spans[row].is_missing() => None,
        Values::Text(spans) => Some(String::from_utf8_lossy(batch.text(spans[row])).into_owned()),
        Values::Int(values) => (values[row] != ingest::NO_INT).then(|| values[row].to_string()),
        Values::Float(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        Values::Bool(values) => values[row].map(|value| value.to_string()),
    }
}

fn time(ns: Option<&i64>) -> String {
    let instant = ns.and_then(|&ns| jiff::Timestamp::from_nanosecond(i128::from(ns)).ok());
    instant.map_or_else(|| "none".to_owned(), |instant| instant.to_string())
}

/// The result in the words of the expectation.
fn found(read: &Read, key: &str, expected: &str) -> String {
    match key {
        "events" => read.events.to_string(),
        "timed" => read.times.len().to_string(),
        "first" => time(read.times.first()),
        "last" => time(read.times.last()),
        "format" => read.format.clone(),
        "levels" => {
            let levels = read.values.iter().filter(|(name, _)| name == "level").map(|(_, value)| value);
            let mut counts = BTreeMap::new();
            levels.for_each(|level| *counts.entry(level).or_insert(0) += 1);
            let mut order: Vec<&str> =
                expected.split(", ").filter_map(|part| part.split(' ').next()).collect();
            order.extend(counts.keys().map(|level| level.as_str()).filter(|level| !expected.contains(level)));
            let levels = order.iter().map(|level| {
                let count =
                    counts.iter().find(|(known, _)| known.as_str() == *level).map_or(0, |(_, count)| *count);
                format!("{level} {count}")
            });
            levels.collect::<Vec<_>>().join(", ")
        }
        "value" => {
            let (event, wanted) = expected.split_once(' ').unwrap_or_default();
            let of_event = read.values.iter().zip(&read.events_of_values);
            let values = of_event.filter(|(_, number)| number.to_string() == event).map(|(value, _)| value);
            let values: Vec<_> = values.collect();
            if values.iter().any(|(_, value)| value == wanted) {
                expected.to_owned()
            } else {
                format!("{event} {values:?}")
            }
        }
        _ => {
            let name = expected.split(' ').next().unwrap_or_default();
            let values: Vec<&String> =
                read.values.iter().filter(|(known, _)| known == name).map(|(_, value)| value).collect();
            let distinct: BTreeSet<_> = values.iter().collect();
            format!("{name} {} {}", values.len(), distinct.len())
        }
    }
}

fn paths() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/documented");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 50, "{} files", paths.len());
    paths
}

#[test]
fn documented_formats_read_the_same_in_chunks_of_any_size() {
    for path in paths() {
        let documented = documented(&std::fs::read_to_string(&path).expect("it is text"));
        let whole = read(&documented);
        for chunk_bytes in [1, 61, 333] {
            let options = Options { chunk_bytes, ..documented.options.clone() };
            let pieces = read(&Documented { options, ..documented.clone() });
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            assert_eq!(pieces.lines, whole.lines, "{name} in chunks of {chunk_bytes}");
            assert_eq!(sorted(&pieces), sorted(&whole), "{name} in chunks of {chunk_bytes}");
            // Uptimes count to the last change of the file, which is different here.
            if !name.contains("ticks") && !name.contains("monotonic") {
                assert_eq!(pieces.times, whole.times, "{name} in chunks of {chunk_bytes}");
            }
        }
    }
}

fn sorted(read: &Read) -> Vec<&(String, String)> {
    let mut values: Vec<_> = read.values.iter().collect();
    values.sort();
    values
}

#[test]
fn formats_read_as_their_documentation_says() {
    let paths = paths();
    let mut wrong = String::new();
    let mut files = 0;
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("it is text");
        let documented = documented(&text);
        let read = read(&documented);
        let mut here = String::new();
        for (key, expected) in &documented.expected {
            let found = found(&read, key, expected);
            if found != *expected {
                write!(here, "\n    {key}: {expected}, but {found}").expect("a text");
            }
        }
        if !here.is_empty() {
            files += 1;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let lines = &read.lines[..read.lines.len().min(16)];
            write!(wrong, "\n{name}: read as {}, events begin in lines {lines:?}{here}", read.format)
                .expect("a text");
        }
    }
    assert!(wrong.is_empty(), "{files} of {} files are read wrongly{wrong}", paths.len());
}
