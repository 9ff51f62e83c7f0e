//! The properties that count: bytes come back, index and scan and the plainest reading agree, pages are
//! in order, and a killed import leaves a case that opens.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use indexer::compare::{LEAST_RATIO, Rates, Side, threshold};
use indexer::query::{Filter, parse};
use indexer::{
    Cancel, Case, Direction, Engine, Event, FieldValue, ImportOptions, NO_TIME, NoteChange, NoteDraft,
    NoteRemoval, Profile, Shown, SortBy, View, Walk, tokens,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use timberline_tests::reference::{self, Known};

use crate::random;

use random::{WrittenNote, file, notes, query, write_files};

/// In small chunks, and as if the bytes were received: their sender is a field that they do not contain.
fn options(profile: Option<Profile>) -> ImportOptions {
    let sender = Some("10.0.0.7".to_owned());
    let ingest = indexer::ReadOptions { chunk_bytes: 700, sender, ..indexer::ReadOptions::default() };
    ImportOptions { profile, ingest, ..ImportOptions::default() }
}

fn imported(folder: &Path, name: &str, files: &[PathBuf], profile: Profile) -> Case {
    let case = Case::create(&folder.join(name)).expect("a case can be made");
    let options = options(Some(profile));
    let report = case.import(files, &options, &|_| {}, &Cancel::default()).expect("an import");
    assert!(report.failure.is_none(), "{:?}", report.failure);
    case
}

/// An event, its source's name and its fields.
type Events = (Event, String, Vec<FieldValue>);

fn all(case: &Case) -> Vec<Events> {
    let snapshot = case.snapshot();
    let everything = View { filter: Filter::Everything, from: None, to: None };
    let mut events = Vec::new();
    case.for_each(
        &snapshot,
        &everything,
        &Walk { with_fields: true, ..Walk::default() },
        &Cancel::default(),
        &mut |event, fields| {
            let source = snapshot.sources()[event.source as usize].name.clone();
            events.push((event, source, fields));
            Ok(())
        },
    )
    .expect("all events can be read");
    events
}

/// An engine may refuse a query only because no event has a field of it: files of other formats have not these fields.
fn names_no_field(error: &indexer::Error, query: &str, known: &Known) -> Result<(), TestCaseError> {
    let named = error.message().strip_prefix("no field `").and_then(|rest| rest.strip_suffix('`'));
    prop_assert!(named.is_some_and(|field| known.meant(field).is_empty()), "{}: {}", query, error);
    Ok(())
}

/// Counts, pages in both directions and the timeline of one query against the reference.
fn agrees(
    case: &Case,
    query: &str,
    events: &[Events],
    known: &Known,
    (first, count): (usize, usize),
) -> Result<(), TestCaseError> {
    let filter = parse(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    let snapshot = case.snapshot();
    let view = View { filter: filter.clone(), from: None, to: None };
    let never = Cancel::default();
    if let Err(error) = case.count(&snapshot, &view, &never) {
        return names_no_field(&error, query, known);
    }
    let passing = events
        .iter()
        .filter(|(event, source, fields)| reference::passes(&filter, event, source, fields, known));
    let expected: Vec<&Event> = passing.map(|(event, ..)| event).collect();
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        let page = case
            .page(&snapshot, &view, direction, (first, count), &Shown::text(usize::MAX), &never)
            .expect("a page");
        prop_assert_eq!(page.total, expected.len(), "{}", query);
        // Events without a time come last in both directions.
        let (untimed, mut sorted): (Vec<&Event>, Vec<&Event>) =
            expected.iter().copied().partition(|event| event.time == NO_TIME);
        if direction == Direction::NewestFirst {
            sorted.reverse();
            sorted.extend(untimed.into_iter().rev());
        } else {
            sorted.extend(untimed);
        }
        let wanted: Vec<&Event> = sorted.into_iter().skip(first).take(count).collect();
        prop_assert_eq!(page.events.iter().collect::<Vec<_>>(), wanted, "{}", query);
    }
    let timeline = case.timeline(&snapshot, &view, 50, &mut |_, _| {}, &never).expect("a timeline");
    let counted: u64 = timeline.counts.iter().flatten().map(|&count| u64::from(count)).sum();
    prop_assert_eq!(counted + timeline.untimed, expected.len() as u64, "{}", query);
    let explained = case.explain(&snapshot, &view, &never).expect("an explanation");
    prop_assert_eq!(explained.matched, expected.len() as u64, "{}", query);
    Ok(())
}

/// A case of several segments in which every second one has its index.
fn half_indexed(folder: &Path, files: &[PathBuf]) -> Case {
    let path = folder.join("half.case");
    for (index, file) in files.iter().enumerate() {
        let file = std::slice::from_ref(file);
        if index == 0 {
            drop(imported(folder, "half.case", file, Profile::Full));
        } else {
            let case = Case::open(&path).expect("a case");
            case.import(file, &options(None), &|_| {}, &Cancel::default()).expect("an import");
        }
    }
    let segments = fs::read_dir(path.join("segments")).expect("segments");
    let mut indexes: Vec<PathBuf> =
        segments.map(|segment| segment.expect("a segment").path().join("text")).collect();
    indexes.sort();
    for index in indexes.iter().step_by(2) {
        fs::remove_dir_all(index).expect("an index");
    }
    Case::open(&path).expect("a case")
}

/// Writes notes on events of a case, and says what is on them then.
fn write_notes(case: &Case, events: &[Events], written: &[WrittenNote]) -> Vec<(String, (u32, u64), String)> {
    for one in written.iter().filter(|_| !events.is_empty()) {
        let (event, ..) = &events[one.event.index(events.len())];
        let within = if one.is_within { u64::from(event.length / 2) } else { 0 };
        let (kind, id) = (one.kind.to_owned(), one.id.to_string());
        let mut change = NoteChange::default();
        if one.is_removed {
            change.remove.push(NoteRemoval { kind, id, known: None });
        } else {
            let event = Some((event.source, event.offset + within));
            let (text, data) = (one.text.to_owned(), serde_json::Value::Null);
            change.put.push(NoteDraft { kind, id, known: None, event, range: None, text, data });
        }
        case.change_notes(&change, 1).expect("a change");
    }
    let all = case.notes(None, 1).expect("notes").notes.into_iter();
    all.filter(|note| note.kind != "page")
        .map(|note| (note.kind, note.event.expect("an event"), note.text))
        .collect()
}

/// One set of files, asked before, during and after indexing.
fn index_scan_and_reference_agree_on(
    contents: &[Vec<u8>],
    written: &[WrittenNote],
    queries: &[String],
    page: (usize, usize),
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a folder");
    let files = write_files(folder.path(), contents);
    let cases = Profile::ALL.map(|profile| imported(folder.path(), profile.name(), &files, profile));
    let half = half_indexed(folder.path(), &files);
    let events = all(&cases[1]);
    for case in &cases {
        prop_assert_eq!(&all(case), &events);
    }
    let mut known = Known::from_events(events.iter().map(|(event, _, fields)| (event, fields.as_slice())));
    for case in cases.iter().chain([&half]) {
        known.notes = write_notes(case, &events, written);
    }
    let keys: Vec<_> = events.iter().map(|(event, ..)| (event.time, event.source, event.offset)).collect();
    prop_assert!(keys.is_sorted());
    for query in queries {
        for case in cases.iter().chain([&half]) {
            agrees(case, query, &events, &known, page)?;
        }
    }
    Ok(())
}

/// Many more queries than an ordinary test can take: `cargo test --workspace --test all -- properties:: --ignored`.
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_queries_agree() {
    let mut runner = TestRunner::new(Config { cases: 420, ..Config::default() });
    let files = prop::collection::vec(file(), 1..4);
    let queries = prop::collection::vec(query(), 24);
    let page = (0..120usize, 1..50usize);
    let outcome = runner.run(&(files, notes(), queries, page), |(files, written, queries, page)| {
        index_scan_and_reference_agree_on(&files, &written, &queries, page)
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

proptest! {
    #![proptest_config(Config { cases: 32, ..Config::default() })]

    #[test]
    fn stored_bytes_equal_the_imported_bytes(contents in prop::collection::vec(file(), 1..4)) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, Profile::Fields);
        let mut out = Vec::new();
        let everything = View { filter: Filter::Everything, from: None, to: None };
        case.export_raw(&case.snapshot(), &everything, &mut out, &Cancel::default()).expect("an export");
        prop_assert_eq!(out, contents.concat());
        prop_assert!(case.verify(&Cancel::default()).problems.is_empty());
    }

    #[test]
    fn every_profile_and_the_reference_agree(
        contents in prop::collection::vec(file(), 1..4),
        written in notes(),
        queries in prop::collection::vec(query(), 24),
        page in (0..120usize, 1..50usize),
    ) {
        index_scan_and_reference_agree_on(&contents, &written, &queries, page)?;
    }

    #[test]
    fn new_notes_are_in_the_next_answer(
        contents in prop::collection::vec(file(), 1..3),
        rounds in prop::collection::vec(notes(), 1..6),
        queries in prop::collection::vec(query(), 6),
        page in (0..120usize, 1..50usize),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, Profile::Fields);
        // Another process writes now and then.
        let other = Case::open(case.folder()).expect("a case");
        let events = all(&case);
        let mut known = Known::from_events(events.iter().map(|(event, _, fields)| (event, fields.as_slice())));
        let of_notes = ["is:starred", "is:noted", "tag:*", "NOT tag:root", "is!=tagged"].map(str::to_owned);
        for (round, written) in rounds.iter().enumerate() {
            let writer = if round % 2 == 0 { &case } else { &other };
            known.notes = write_notes(writer, &events, written);
            for query in of_notes.iter().chain(&queries) {
                agrees(&case, query, &events, &known, page)?;
            }
        }
        // A file of notes that is gone, or another one in its place, is noticed as well.
        let _ = fs::remove_file(case.folder().join("notes.db"));
        known.notes.clear();
        agrees(&case, "is:noted", &events, &known, page)?;
        known.notes = write_notes(&other, &events, &rounds[0]);
        agrees(&case, "is:noted", &events, &known, page)?;
    }

    #[test]
    fn profiles_may_change_and_cases_be_compacted_without_another_answer(
        contents in prop::collection::vec(file(), 2..4),
        later in file(),
        queries in prop::collection::vec(query(), 12),
        page in (0..120usize, 1..50usize),
        changes in prop::collection::vec(prop::option::of(0..4usize), 1..5),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files[1..], Profile::Fields);
        let never = Cancel::default();
        let more = folder.path().join("later.log");
        fs::write(&more, later).expect("a file can be written");
        case.import(&[more], &ImportOptions::default(), &|_| {}, &never).expect("an import");
        let events = all(&case);
        let known = Known::from_events(events.iter().map(|(event, _, fields)| (event, fields.as_slice())));
        let before = case.snapshot();
        for change in changes {
            match change {
                Some(profile) => case.reprofile(Profile::ALL[profile], &mut |_| {}, &never).expect("a change"),
                None => drop(case.compact(&mut |_| {}, &never).expect("it is compacted")),
            }
            prop_assert_eq!(&all(&case), &events);
            for query in &queries {
                agrees(&case, query, &events, &known, page)?;
            }
            let problems = case.verify(&never).problems;
            prop_assert!(problems.is_empty(), "{:?}", problems);
        }
        // Whoever has asked before goes on reading what was there then.
        let everything = View { filter: Filter::Everything, from: None, to: None };
        prop_assert_eq!(case.count(&before, &everything, &never).expect("a count"), events.len());
        let mut old = 0;
        let walk = Walk { with_fields: true, ..Walk::default() };
        case.for_each(&before, &everything, &walk, &never, &mut |_, _| { old += 1; Ok(()) }).expect("a walk");
        prop_assert_eq!(old, events.len());
    }

    #[test]
    fn deleted_source_disappears_and_others_stay(
        contents in prop::collection::vec(file(), 2..5),
        which in any::<prop::sample::Index>(),
        profile in 0..4usize,
        queries in prop::collection::vec(query(), 8),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, Profile::ALL[profile]);
        let never = Cancel::default();
        let gone = which.index(contents.len()) as u32;
        let mut left = all(&case);
        left.retain(|(event, ..)| event.source != gone);
        case.delete_sources(&[gone], &mut |_| {}, &never).expect("it is deleted");
        prop_assert_eq!(&all(&case), &left);
        let known = Known::from_events(left.iter().map(|(event, _, fields)| (event, fields.as_slice())));
        for query in &queries {
            agrees(&case, query, &left, &known, (0, 50))?;
        }
        let problems = case.verify(&never).problems;
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let raw = folder.path().join(format!("c.case/raw/{gone}.zst"));
        prop_assert!(!raw.exists());
        let again = case.delete_sources(&[gone], &mut |_| {}, &never);
        prop_assert!(again.is_err());
    }

    #[test]
    fn the_best_match_comes_first_and_ties_are_in_the_order_of_time(
        contents in prop::collection::vec(file(), 1..4),
        clauses in prop::collection::vec(
            prop::sample::select(vec!["error", "timeout", "\"connection reset\"", "tim*", "rest~", "raw:get", "status>300"]),
            1..5,
        ),
        denied in any::<bool>(),
        profile in 0..4usize,
        page in (0..90usize, 1..40usize),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, Profile::ALL[profile]);
        let never = Cancel::default();
        let events = all(&case);
        let known = Known::from_events(events.iter().map(|(event, _, fields)| (event, fields.as_slice())));
        let query = clauses.join(" OR ");
        let query = if denied { format!("({query}) NOT worker") } else { query };
        let view = View { filter: parse(&query).expect("a query"), from: None, to: None };
        let passes = |query: &str, (event, source, fields): &Events| {
            reference::passes(&parse(query).expect("a query"), event, source, fields, &known)
        };
        let sort = SortBy { field: "relevance".to_owned(), descending: true };
        let found = case.page_by(&case.snapshot(), &view, &sort, page, &Shown::text(usize::MAX), &never);
        let found = match found {
            Ok(found) => found,
            Err(error) => return names_no_field(&error, &query, &known),
        };
        let looked_for: BTreeSet<&str> = clauses.iter().copied().filter(|clause| *clause != "status>300").collect();
        let weights: Vec<(&str, u32)> = looked_for.into_iter().map(|clause| {
            let having = events.iter().filter(|event| passes(clause, event)).count() as f64;
            let weight = (1.0 + (events.len() as f64 - having + 0.5) / (having + 0.5)).ln();
            (clause, (weight * 10_000.0) as u32)
        }).collect();
        let mut expected: Vec<(Reverse<u32>, usize)> = Vec::new();
        for (at, event) in events.iter().enumerate().filter(|(_, event)| passes(&query, event)) {
            let score = weights.iter().filter(|(clause, _)| passes(clause, event)).map(|(_, weight)| weight).sum();
            expected.push((Reverse(score), at));
        }
        expected.sort_unstable();
        prop_assert_eq!(found.total, expected.len());
        let wanted: Vec<&Event> =
            expected.iter().skip(page.0).take(page.1).map(|(_, at)| &events[*at].0).collect();
        prop_assert_eq!(found.events.iter().collect::<Vec<_>>(), wanted, "{}", query);
    }

    #[test]
    fn word_counts_equal_a_scan_of_the_texts(
        contents in prop::collection::vec(file(), 1..4),
        prefix in prop::sample::select(vec!["", "e", "T", "größ", "conn", "k"]),
        most in 1..200usize,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path(), "c.case", &write_files(folder.path(), &contents), Profile::Full);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (event, ..) in all(&case) {
            let words: BTreeSet<String> = tokens::folded(event.text.as_bytes()).into_iter().collect();
            let is_word = |word: &String| word.len() <= 40 && !word.contains(|c: char| c.is_ascii_digit());
            for word in words.into_iter().filter(is_word) {
                if word.starts_with(&prefix.to_lowercase()) {
                    *counts.entry(word).or_default() += 1;
                }
            }
        }
        let found = case.words(&case.snapshot(), prefix, most, &Cancel::default()).expect("words");
        prop_assert_eq!(found.len(), counts.len().min(most));
        for known in &found {
            prop_assert_eq!(counts.get(&known.word), Some(&known.events), "{}", known.word);
        }
        prop_assert!(found.is_sorted_by_key(|known| (Reverse(known.events), known.word.clone())));
    }

    #[test]
    fn significant_words_are_counted_in_all_events(
        contents in prop::collection::vec(file(), 1..4),
        query in prop::sample::select(vec!["error", "timeout OR reset", "level:warn", "status>=400", "zebra"]),
        profile in 0..4usize,
        most in 1..9usize,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = write_files(folder.path(), &contents);
        let case = imported(folder.path(), "c.case", &files, Profile::ALL[profile]);
        let never = Cancel::default();
        let events = all(&case);
        let known = Known::from_events(events.iter().map(|(event, _, fields)| (event, fields.as_slice())));
        let filter = parse(query).expect("a query");
        let view = |filter: Filter| View { filter, from: None, to: None };
        let (selection, others) = (view(filter.clone()), view(Filter::Not(Box::new(filter.clone()))));
        let snapshot = case.snapshot();
        let sides = [&others, &selection].map(|view| Side { case: &case, snapshot: &snapshot, view });
        let found = Engine::significant_words(sides, most, &never);
        let found = match found {
            Ok(found) => found,
            Err(error) => return names_no_field(&error, query, &known),
        };
        let mut counts: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        let mut totals = [0_u64; 2];
        for (event, source, fields) in &events {
            let place = usize::from(!reference::passes(&filter, event, source, fields, &known));
            totals[place] += 1;
            let words: BTreeSet<String> = tokens::folded(event.text.as_bytes()).into_iter().collect();
            for word in words.into_iter().filter(|word| tokens::is_word(word.as_bytes())) {
                counts.entry(word).or_default()[place] += 1;
            }
        }
        let mut expected: Vec<(f64, String, u64, u64)> = Vec::new();
        let limit = threshold(counts.values().filter(|[selected, _]| *selected > 0).count() as u64);
        for (word, [selected, others]) in counts {
            let share = selected as f64 / totals[0].max(1) as f64;
            let elsewhere = (others as f64).max(0.5) / totals[1].max(1) as f64;
            let rates = Rates::new([others, selected], [totals[1], totals[0]]);
            if share > elsewhere && rates.higher() == 1 && rates.at_least(limit) >= LEAST_RATIO {
                expected.push(((share - elsewhere) * share / elsewhere, word, selected, others));
            }
        }
        expected.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        expected.truncate(most);
        prop_assert_eq!([found.selected, found.others], totals);
        let words = found.words.into_iter().map(|found| (found.score, found.word, found.selected, found.others));
        prop_assert_eq!(words.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_time_range_takes_the_events_within_it(contents in file(), from in 0..60i64, span in 0..40i64) {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path(), "c.case", &write_files(folder.path(), &[contents]), Profile::Raw);
        let minute = indexer::stamp::parse("2026-03-01T14:05:00Z").expect("a time");
        let (from, to) = (minute + from * 1_000_000_000, minute + (from + span) * 1_000_000_000);
        let within = |time: i64| time != NO_TIME && (from..to).contains(&time);
        let expected = all(&case).iter().filter(|(event, ..)| within(event.time)).count();
        let view = View { filter: Filter::Everything, from: Some(from), to: Some(to) };
        prop_assert_eq!(case.count(&case.snapshot(), &view, &Cancel::default()).expect("a count"), expected);
    }
}
