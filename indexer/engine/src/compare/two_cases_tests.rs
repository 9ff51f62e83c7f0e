//! Sides in two cases, and sides that do not fit together.

use std::fmt::Write;
use std::path::Path;

use super::tests::{SECOND, START, case_of, compare, random_events, view};
use super::{Change, Comparison, LeftOut, ROWS, Side};
use crate::Engine;
use crate::test_case::{ImportOptions, TestCase};
use crate::view::View;
use base::Cancel;
use store::Profile;

fn compare_cases(cases: [&TestCase; 2], views: [&View; 2]) -> Comparison {
    let [in_a, in_b] = cases.map(TestCase::snapshot);
    let sides = [
        Side { case: cases[0], snapshot: &in_a, view: views[0] },
        Side { case: cases[1], snapshot: &in_b, view: views[1] },
    ];
    Engine::compare_cases(sides, [None; 2], ROWS, &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

fn case_with(folder: &Path, name: &str, text: &str) -> TestCase {
    let log = folder.join(name);
    std::fs::write(&log, text).expect("written");
    let case = TestCase::create(&folder.join(format!("{name}.case"))).expect("a case");
    let options = ImportOptions { profile: Some(Profile::Fields), ..ImportOptions::default() };
    let report = case.import(&[log], &options, &|_| {}, &Cancel::default()).expect("it is read");
    assert!(report.failure.is_none());
    case
}

#[test]
fn two_cases_differ_as_two_halves_of_one_do() {
    let mut events = random_events(41, 6_000);
    for event in events.iter_mut().skip(3_000).step_by(9) {
        event.message = "ledger is locked".to_owned();
    }
    for event in events.iter_mut().skip(3_000) {
        if event.fields.contains(&("service", "cart".to_owned())) {
            event.took = event.took.map(|took| took + 60);
        }
    }
    let folders = [0, 1, 2].map(|_| tempfile::tempdir().expect("a folder"));
    let whole = case_of(folders[0].path(), &events);
    let halves = [case_of(folders[1].path(), &events[..3_000]), case_of(folders[2].path(), &events[3_000..])];
    let one = compare(&whole, &view("*", None, Some(3_000)), &view("*", Some(3_000), None));
    let all = view("*", None, None);
    let two = compare_cases([&halves[0], &halves[1]], [&all, &all]);
    let rows = |found: &Comparison| -> Vec<(Change, String, [u64; 2])> {
        let rows = found.differences.iter();
        rows.map(|row| (row.change, row.subject.to_string(), row.counts)).collect()
    };
    assert_eq!(rows(&one), rows(&two));
    assert_eq!((one.events, two.shared), (two.events, 0));
    assert!(two.left_out.contains(&("source".to_owned(), LeftOut::ChosenBy)), "{:?}", two.left_out);
    // Each side finds its events in its own case.
    for row in &two.differences {
        let filters = row.side_filters.as_ref().expect("filters of both cases");
        for (side, (case, filter)) in halves.iter().zip(filters).enumerate() {
            let own = View { filter: filter.clone(), from: None, to: None };
            let found = compare(case, &own, &all);
            assert_eq!(found.events[0], row.counts[side], "{filter}");
        }
    }
    // Within a case there is one filter for both.
    assert!(one.differences.iter().all(|row| row.side_filters.is_none()));
}

#[test]
fn cases_with_other_formats_are_compared_by_the_text_of_their_messages() {
    let (mut json, mut pairs) = (String::new(), String::new());
    for place in 0..2_000_u32 {
        let time = base::stamp::to_rfc3339(START + i64::from(place) * SECOND);
        let status = if place % 7 == 0 { 404 } else { 200 };
        let (took, tries) = (20 + place * 37 % 500, place % 3);
        let _ = writeln!(
            json,
            r#"{{"time":"{time}","level":"info","status":{status},"took":{took},"tries":{tries},"message":"cache is warm"}}"#
        );
        // The same in another format, where `took` and `tries` are texts.
        let message = if place % 5 == 0 { "ledger is locked" } else { "cache is warm" };
        let _ = writeln!(
            pairs,
            r#"time={time} level=info status={status} took={took}ms tries=#{tries} msg="{message}""#
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b] = [case_with(folder.path(), "a.ndjson", &json), case_with(folder.path(), "b.log", &pairs)];
    let all = view("*", None, None);
    let found = compare_cases([&a, &b], [&all, &all]);
    let row = |text: &str| found.differences.iter().find(|row| row.subject.to_string() == text);
    let locked = row("ledger is locked").expect("the new pattern");
    assert_eq!((locked.change, locked.counts), (Change::New, [0, 400]), "{found:#?}");
    let warm = row("cache is warm").map_or(2_000, |row| row.counts[0]);
    assert_eq!(warm, 2_000);
    assert!(row("status=404").is_none() && row("status=200").is_none(), "{found:#?}");
    assert!(found.left_out.contains(&("took".to_owned(), LeftOut::OneSide)), "{:?}", found.left_out);
    // Few numbers are values.
    let tries = row("tries=#1").map(|row| (row.change, row.counts));
    assert_eq!(tries, Some((Change::New, [0, 667])), "{found:#?}");
    let compared = found.unchanged.fields.iter().chain(&found.unchanged.unclear);
    assert!(!compared.into_iter().any(|field| field.field == "took"), "{:?}", found.unchanged);
}

#[test]
fn empty_side_of_another_case_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = case_of(folder.path(), &random_events(42, 500));
    let empty = TestCase::create(&folder.path().join("empty.case")).expect("a case");
    let all = view("*", None, None);
    let found = compare_cases([&empty, &a], [&all, &all]);
    assert_eq!((found.events, found.differences.len()), ([0, 500], 0));
    assert_eq!(found.notes(), ["A has no events, so there is nothing to compare"]);
}
