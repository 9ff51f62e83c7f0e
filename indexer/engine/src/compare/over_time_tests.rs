//! Rhythms that change, and when differences begin.

use super::tests::{SECOND, START, case_of, compare, random_events, view};
use super::{Change, Comparison, Difference};
use crate::test_case::Random;

#[test]
fn rhythm_that_changes_is_one_row() {
    let mut events = random_events(37, 6_000);
    let mut random = Random(37);
    for (place, event) in events.iter_mut().enumerate() {
        let period = if place < 3_000 { 20 } else { 26 };
        if place % period == 7 {
            event.message = "checkpoint written".to_owned();
        }
        // At random times, and then at regular ones.
        let is_regular = place >= 3_000 && place % 40 == 12;
        if is_regular || (place < 3_000 && random.below(40) == 0) {
            event.message = "probe answered".to_owned();
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let (a, b) = (view("*", None, Some(3_000)), view("*", Some(3_000), None));
    let found = compare(&case, &a, &b);
    let row = |text: &str| {
        let rows = found.differences.iter().filter(|row| row.subject.to_string() == text);
        let rows: Vec<&Difference> = rows.collect();
        let [row] = rows.as_slice() else { panic!("{text}: {found:#?}") };
        (row.change, row.beat.expect("a rhythm").beats.map(|beat| beat.map(|beat| beat.period_ns / SECOND)))
    };
    assert_eq!(row("checkpoint written"), (Change::Period, [Some(20), Some(26)]));
    assert_eq!(row("probe answered"), (Change::Repeats, [None, Some(40)]));
    let back = compare(&case, &b, &a);
    let row = back.differences.iter().find(|row| row.subject.to_string() == "probe answered");
    assert_eq!(row.map(|row| row.change), Some(Change::Irregular), "{back:#?}");
    assert!(row.is_some_and(|row| row.since.is_none()));
}

#[test]
fn first_divergence_is_the_event_that_shows_it() {
    let mut events = random_events(38, 6_000);
    for (place, event) in events.iter_mut().enumerate().skip(4_000) {
        if place % 10 == 3 {
            event.message = "ledger is locked".to_owned();
        }
        if place >= 5_000 && event.fields.contains(&("service", "cart".to_owned())) {
            event.took = event.took.map(|took| took + 300);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let (a, b) = (view("*", None, Some(3_000)), view("*", Some(3_000), None));
    let found = compare(&case, &a, &b);
    let at = |text: &str| {
        let row = found.differences.iter().find(|row| row.subject.to_string() == text).expect(text);
        let since = row.since.expect("it begins");
        assert_eq!(since.side, 1);
        (since.at - START) / SECOND
    };
    // A bucket is a 120th of the side.
    assert!((3_950..=4_003).contains(&at("ledger is locked")), "{found:#?}");
    assert!((4_900..=5_050).contains(&at("took where service=cart")), "{found:#?}");
    let first = found.first.as_ref().expect("it begins");
    assert_eq!(found.differences[first.row].subject.to_string(), "ledger is locked");
    assert_eq!(first.at, START + 4_003 * SECOND);
    assert!(first.event.is_some() && first.onset.is_some());
    // Swapped, the side that is compared with has it.
    let back = compare(&case, &b, &a);
    let first = back.first.as_ref().expect("it begins");
    assert_eq!((first.at, first.onset.map(|onset| onset.side)), (START + 4_003 * SECOND, Some(0)));
    // From the beginning on.
    let found = compare(&case, &view("*", None, Some(3_000)), &view("*", Some(5_000), None));
    let first = found.first.as_ref().expect("it begins");
    assert_eq!((first.onset, first.at >= START + 5_000 * SECOND), (None, true));
}

#[test]
fn times_in_a_filter_are_the_range_of_a_side() {
    let mut events = random_events(40, 6_000);
    for (place, event) in events.iter_mut().enumerate().skip(4_000) {
        if place % 10 == 3 {
            event.message = "ledger is locked".to_owned();
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let time = |place: i64| base::stamp::to_rfc3339(START + place * SECOND);
    let ranges = compare(&case, &view("*", None, Some(3_000)), &view("*", Some(3_000), Some(6_000)));
    let (before, after) =
        (format!("time<{}", time(3_000)), format!("time>={} time<{}", time(3_000), time(6_000)));
    let filters = compare(&case, &view(&before, None, None), &view(&after, None, None));
    let first = |found: &Comparison| found.first.as_ref().map(|first| (first.at, first.onset));
    assert!(first(&ranges).is_some(), "{ranges:#?}");
    assert_eq!(first(&filters), first(&ranges));
}
