//! Texts that rarely repeat are stored as byte ranges into their events, and read back with the same values.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use indexer::{Cancel, Case, ImportOptions, View, Walk};

const ROWS: usize = 20_000;

/// A row's id and its message: with an escape here and there, now and then without one.
fn written(row: usize) -> (String, Option<String>) {
    let id = format!("{:032x}", (row as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
    let message = match row % 7 {
        0 => Some(format!("user {row} said \"{id}\"")),
        3 => None,
        _ => Some(format!("größe {row} of {id}")),
    };
    (id, message)
}

fn log() -> String {
    let mut text = String::new();
    for row in 0..ROWS {
        let (id, message) = written(row);
        // Some later events precede earlier ones, so rows are not in file order.
        let second = row / 10 + usize::from(row % 11 == 0) * 30;
        let time = format!("2026-03-01T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60);
        let message = message.map(|message| serde_json::json!(message).to_string());
        let message = message.map_or(String::new(), |message| format!(",\"message\":{message}"));
        writeln!(text, "{{\"ts\":\"{time}\",\"id\":\"{id}\"{message},\"row\":{row}}}").unwrap();
    }
    text
}

#[test]
fn byte_ranges_read_back_the_original_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.jsonl");
    std::fs::write(&path, log()).unwrap();
    let case = Case::create(&folder.path().join("places.case")).unwrap();
    case.import(&[path], &ImportOptions::default(), &|_| {}, &Cancel::default()).unwrap();

    let tables = std::fs::read_dir(case.folder().join("segments")).unwrap().flatten();
    let placed = tables.filter_map(|segment| std::fs::read(segment.path().join("places.parquet")).ok());
    let names = |table: &[u8], name: &str| table.windows(name.len()).any(|part| part == name.as_bytes());
    assert!(placed.into_iter().any(|table| names(&table, "id@start") && names(&table, "message@length")));

    let snapshot = case.snapshot();
    let everything = View::parse("", None, None).unwrap();
    let mut seen = 0;
    let walk = Walk { with_fields: true, ..Walk::default() };
    case.for_each(&snapshot, &everything, &walk, &Cancel::default(), &mut |event, fields| {
        let value =
            |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.value.clone());
        let row: usize = value("row").unwrap().parse().unwrap();
        let (id, message) = written(row);
        assert_eq!((value("id"), value("message")), (Some(id), message.clone()), "{row}");
        if row.is_multiple_of(2_503) {
            let (_, fields) = case.event(&snapshot, event.source, event.offset, 100).unwrap();
            let shown = fields.iter().find(|field| field.name == "message").map(|field| field.value.clone());
            assert_eq!(shown, message, "{row}");
        }
        seen += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, ROWS);

    let (id, _) = written(7_000);
    for query in [format!("id:{id}"), format!("message:\"said {id}\""), format!("id={id}")] {
        let view = View::parse(&query, None, None).unwrap();
        assert_eq!(case.count(&snapshot, &view, &Cancel::default()).unwrap(), 1, "{query}");
    }
}

#[test]
fn damaged_byte_ranges_are_reported_and_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.jsonl");
    std::fs::write(&path, log()).unwrap();
    let case = Case::create(&folder.path().join("places.case")).unwrap();
    case.import(&[path], &ImportOptions::default(), &|_| {}, &Cancel::default()).unwrap();
    let (id, _) = written(7_000);
    let view = View::parse(&format!("id:{id}"), None, None).unwrap();
    let segments = || std::fs::read_dir(case.folder().join("segments")).unwrap().flatten();
    let placed = segments().map(|segment| segment.path().join("places.parquet")).find(|path| path.exists());
    let placed = placed.expect("a segment with places");
    let mut bytes = std::fs::read(&placed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&placed, bytes).unwrap();
    let problems = case.verify(&Cancel::default()).problems;
    assert!(problems.iter().any(|problem| problem.to_string().contains("places.parquet")), "{problems:?}");
    let done = case.repair(&Cancel::default()).unwrap();
    assert!(done.problems.is_empty() && done.segments == 1, "{:?}", done.problems);
    assert_eq!(case.count(&case.snapshot(), &view, &Cancel::default()).unwrap(), 1);
}
