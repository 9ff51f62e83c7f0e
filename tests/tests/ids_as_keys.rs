//! An import whose keys are ids stays under its memory. One test alone is in this process, whose peak is measured.

use std::collections::HashSet;
use std::fs;

use indexer::{Cancel, Case, ImportOptions, Overrides, View};

fn id(n: u64) -> String {
    format!("{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The most memory this process ever held.
fn peak_mb() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? >> 10)
}

#[test]
fn ids_as_keys_take_no_more_memory_than_the_budget_and_are_found_as_text() {
    const EVENTS: u64 = 60_000;
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("ids.jsonl");
    let line = |n: u64| format!("{{\"{}\":{{\"ms\":{},\"up\":true}}}}\n", id(n), n % 1_000);
    fs::write(&log, (0..EVENTS).map(line).collect::<String>()).expect("the log can be written");
    let case = Case::create(&folder.path().join("c.case")).expect("a case");
    let tune = Overrides { budget_bytes: Some(256 << 20), ..Overrides::default() };
    let options = ImportOptions { tune, ..ImportOptions::default() };
    let done = case.import(&[log], &options, &|_| {}, &Cancel::default()).expect("an import");
    if let Some(peak) = peak_mb() {
        assert!(peak <= 256 + 64, "{peak} MB were taken of 256");
    }
    assert_eq!(done.events, EVENTS);
    let snapshot = case.snapshot();
    let fields = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    let names: HashSet<_> = fields.map(|field| &field.name).collect();
    assert_eq!(names.len(), ingest::limits::MOST_FIELDS);
    // Each event has two values, and the first thousand have those of the fields.
    let account = done.files[0].account.as_ref().expect("an account");
    assert_eq!(account.left_out.values, 2 * EVENTS - ingest::limits::MOST_FIELDS as u64);
    assert_eq!(
        account.left_out.names,
        [format!("{}.ms", id(1_000)), format!("{}.up", id(1_000)), format!("{}.ms", id(1_001))]
    );
    let count = |query: &str| {
        let view = View::parse(query, None, None).expect("a query");
        case.count(&snapshot, &view, &Cancel::default()).expect("a count")
    };
    let field = (0..1_000).find(|&n| id(n).starts_with('f')).expect("an id that is a name");
    assert_eq!((count(&id(EVENTS - 1)), count(&format!("{}.ms={field}", id(field)))), (1, 1));
}
