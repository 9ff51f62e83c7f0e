//! What follows from what, and what does not.

use super::counts::{self, Candidate, Counts};
use super::score;
use super::shares::{self, RemovedRow};
use super::sides::{Origin, Sides};
use super::tests::{case_of, compare, random_events, view};
use super::{Change, Difference};
use crate::view::View;
use base::Cancel;

fn counted(sides: &Sides<'_>) -> Counts {
    let mut counts = Counts::of_patterns(sides).expect("counted");
    for field in counts::fields(sides, &mut Vec::new()) {
        counts.add_field(sides, &field, &mut Vec::new()).expect("counted");
    }
    counts
}

#[test]
fn new_pattern_is_listed_once_with_its_consequences() {
    let mut events = random_events(30, 4_000);
    for (place, event) in events.iter_mut().enumerate() {
        event.fields.push(("path", format!("/page/{}", place % 200)));
    }
    for event in events.iter_mut().skip(2_000).step_by(40) {
        event.message = "disk sda1 is read-only".to_owned();
        event.fields.push(("code", "E77".to_owned()));
        event.level = "error";
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compare(&case, &view("*", None, Some(2_000)), &view("*", Some(2_000), None));
    let [only] = found.differences.as_slice() else { panic!("{:#?}", found.differences) };
    assert_eq!((only.change, only.counts), (Change::New, [0, 50]));
    assert!(only.subject.to_string().contains("read-only"), "{}", only.subject);
    let code = only.also.iter().find(|also| also.subject.to_string() == "code=E77").expect("it is listed");
    assert!(code.is_same());
    // All of its events are errors, which makes no pair.
    assert_eq!(only.subject.kind(), "pattern");
    let b = View { filter: only.filter.clone(), ..view("*", Some(2_000), None) };
    assert_eq!(case.count(&case.snapshot(), &b, &Cancel::default()).expect("counted"), 50);
    let without_rows = found.unchanged.fields.iter().chain(&found.unchanged.unclear);
    let without_rows: Vec<&str> = without_rows.map(|field| field.field.as_str()).collect();
    let others: Vec<String> = found.others.iter().map(|row| row.subject.to_string()).collect();
    for field in ["service", "took"] {
        let is_other = others.iter().any(|name| name.starts_with(field));
        assert!(is_other || without_rows.contains(&field), "{field}: {:#?}", found.unchanged);
    }
}

#[test]
fn difference_below_the_line_is_not_listed_with_a_row_that_shares_no_event() {
    let mut events = random_events(36, 2_000);
    for event in events.iter_mut().take(990).step_by(90) {
        event.fields.push(("batch", "b1".to_owned()));
    }
    for event in events.iter_mut().skip(1_000).step_by(5) {
        event.message = "disk sda1 is read-only".to_owned();
        event.fields.push(("batch", "b2".to_owned()));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let (a, b) = (view("*", None, Some(1_000)), view("*", Some(1_000), None));
    let found = compare(&case, &a, &b);
    let also = |row: &Difference, text: &str| row.also.iter().any(|also| also.subject.to_string() == text);
    let row = found.differences.iter().find(|row| row.change == Change::New).expect("the new pattern");
    assert_eq!(row.counts, [0, 200]);
    assert!(also(row, "batch=b2"), "{row:#?}");
    assert!(!found.differences.iter().any(|row| also(row, "batch=b1")), "{found:#?}");
    // It is a difference all the same, only a small one.
    let (snapshot, cancel, views) = (case.snapshot(), Cancel::default(), [a, b]);
    let origin = Origin { case: &case, snapshot: &snapshot, sampled_by: None };
    let sides = Sides::new([origin, origin], &views, &cancel);
    let counts = counted(&sides);
    let limit = score::threshold(counts.tests());
    let small = counts.candidates(limit).into_iter().find(|one| one.subject.to_string() == "batch=b1");
    assert!(small.is_some_and(|small| !small.is_above(counts.events, limit)));
}

#[test]
fn value_that_fails_is_a_pair() {
    let mut events = random_events(31, 6_000);
    for event in events.iter_mut().skip(3_000) {
        if event.fields.contains(&("host", "h2".to_owned())) {
            event.fields[1].1 = "503".to_owned();
        }
    }
    // Some of these there are always.
    for event in events.iter_mut().step_by(50) {
        event.fields[1].1 = "503".to_owned();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compare(&case, &view("*", None, Some(3_000)), &view("*", Some(3_000), None));
    let first = found.differences.first().expect("a difference");
    assert_eq!(first.subject.to_string(), "status=503 and host=h2");
    assert!(first.also.iter().any(|also| also.subject.to_string() == "status=503"), "{:#?}", first.also);
    assert_eq!(first.subject.kind(), "pair");
}

#[test]
fn what_a_whole_side_has_explains_only_the_same_events() {
    let mut events = random_events(43, 6_000);
    for (place, event) in events.iter_mut().enumerate() {
        let is_later = place >= 3_000;
        let version = if is_later { "2.3.1" } else { "2.3.0" };
        event.fields.extend([("version", version.to_owned()), ("wave", format!("w{version}"))]);
        if is_later {
            event.took = event.took.map(|took| took + 60);
            if place % 20 == 0 {
                event.message = "ledger is locked".to_owned();
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compare(&case, &view("*", None, Some(3_000)), &view("*", Some(3_000), None));
    let mut rows: Vec<(Change, String)> =
        found.differences.iter().map(|row| (row.change, row.subject.to_string())).collect();
    rows.sort();
    let expected = [
        (Change::New, "ledger is locked"),
        (Change::New, "version=2.3.1"),
        (Change::Gone, "version=2.3.0"),
        (Change::Moved, "took"),
    ];
    assert_eq!(rows, expected.map(|(change, what)| (change, what.to_owned())), "{found:#?}");
    let version = found.differences.iter().find(|row| row.subject.to_string() == "version=2.3.1");
    let also: Vec<String> =
        version.expect("its row").also.iter().map(|also| also.subject.to_string()).collect();
    assert_eq!(also, ["wave=w2.3.1"]);
}

#[test]
fn what_a_seed_explained_is_counted_again_without_its_pair() {
    let mut events = random_events(44, 4_000);
    for event in events.iter_mut().skip(2_000).step_by(4) {
        event.fields[1].1 = "503".to_owned();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let (snapshot, cancel) = (case.snapshot(), Cancel::default());
    let views = [view("*", None, Some(2_000)), view("*", Some(2_000), None)];
    let origin = Origin { case: &case, snapshot: &snapshot, sampled_by: None };
    let sides = Sides::new([origin, origin], &views, &cancel);
    let counts = counted(&sides);
    let limit = score::threshold(counts.tests());
    let values = counts.fields.iter().enumerate().flat_map(|(place, field)| {
        field.tested().filter_map(move |(code, own)| Candidate::of_value(place, field, code, own))
    });
    let values: Vec<Candidate> = values.collect();
    let named = |name: &str| values.iter().find(|one| one.subject.to_string() == name).expect(name).clone();
    let (seed, value) = (named("status=503"), named("host=h2"));
    let differences = std::slice::from_ref(&seed);
    let mut row = RemovedRow::of_candidate(&seed);
    let found = shares::without(&sides, &counts, differences, &[row.clone()], limit).expect("counted");
    let [share] = found.only.as_slice() else { panic!("{:?}", found.rows) };
    assert_eq!((share.left, found.rows.len()), ([0, 0], 0));
    assert_eq!(share.left_events[1], 2_000 - share.counts[1]);

    row.parts.push(value);
    let found = shares::without(&sides, &counts, differences, &[row], limit).expect("counted");
    let [difference] = found.rows.as_slice() else { panic!("{:?}", found.only) };
    assert_eq!((difference.subject.to_string().as_str(), difference.counts), ("status=503", seed.counts));
    assert!(found.only.is_empty());
}
