//! Sorted pages, context, facets, followed values and transactions, each against the plainest
//! reading of logs that repeat themselves enough for ties, gaps and missing values everywhere.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use indexer::aggregate::{FacetsRequest, TransactionOrder};
use indexer::{
    Around, Cancel, Case, Direction, Event, FieldKind, FieldValue, ImportOptions, NO_TIME, Scalar, Seek,
    Shown, SortBy, View, Walk,
};

type Read = (Event, Vec<FieldValue>);

/// A generator good enough to mix lines, and the same on every machine.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn line(dice: &mut Dice) -> String {
    let minute = dice.throw(2_000);
    let time =
        format!("\"ts\":\"2026-03-0{}T{:02}:{:02}:00Z\",", 1 + minute / 1_440, minute / 60 % 24, minute % 60);
    let time = if dice.throw(9) == 0 { String::new() } else { time };
    let mut text = format!("{{{time}\"level\":\"{}\"", ["info", "warn", "error"][dice.throw(3) as usize]);
    let field = |text: &mut String, name: &str, value: String| {
        *text += &[",\"", name, "\":", &value].concat();
    };
    match dice.throw(4) {
        0 => field(&mut text, "took", (dice.throw(6)).to_string()),
        1 | 2 => field(&mut text, "took", format!("{}.{}", dice.throw(5), dice.throw(8))),
        _ => {}
    }
    if dice.throw(5) > 0 {
        field(&mut text, "trace", format!("\"t{}\"", dice.throw(12)));
    }
    match dice.throw(5) {
        0 => field(&mut text, "mixed", "true".to_owned()),
        1 => field(&mut text, "mixed", dice.throw(4).to_string()),
        2 => field(&mut text, "mixed", format!("\"word {}\"", dice.throw(4))),
        3 => field(&mut text, "mixed", format!("\"t{}\"", dice.throw(12))),
        _ => {}
    }
    text + ",\"msg\":\"done\"}\n"
}

fn imported(folder: &Path, seed: u64) -> Case {
    let case = Case::create(&folder.join("a.case")).expect("a case");
    let mut dice = Dice(seed);
    for index in 0..3 {
        let path = folder.join(format!("{index}.log"));
        let lines: String = (0..40 + dice.throw(60)).map(|_| line(&mut dice)).collect();
        std::fs::write(&path, lines).expect("a file");
        // Answers come from the index in every other case, and from scans in those between.
        let profile =
            Some(if seed.is_multiple_of(2) { indexer::Profile::Fields } else { indexer::Profile::Full });
        let options = ImportOptions { profile, ..ImportOptions::default() };
        case.import(&[path], &options, &|_| {}, &Cancel::default()).expect("an import");
    }
    case
}

fn read(case: &Case, view: &View) -> Vec<Read> {
    let mut events = Vec::new();
    let walk = Walk { with_fields: true, ..Walk::default() };
    case.for_each(&case.snapshot(), view, &walk, &Cancel::default(), &mut |event, fields| {
        events.push((event, fields));
        Ok(())
    })
    .expect("all events can be read");
    events
}

fn value(read: &Read, field: &str) -> Option<Scalar> {
    if field == "level" {
        return (read.0.level != indexer::Level::None).then(|| Scalar::Text(read.0.level.name().to_owned()));
    }
    let found = read.1.iter().find(|value| value.name == field)?;
    let number = || found.value.parse().expect("a number");
    Some(match found.kind {
        FieldKind::Text => Scalar::Text(found.value.clone()),
        FieldKind::Int | FieldKind::Float => Scalar::Float(number()),
        FieldKind::Bool => Scalar::Bool(found.value == "true"),
    })
}

fn text(read: &Read, field: &str) -> Option<String> {
    value(read, field).map(|value| value.to_string())
}

fn view(query: &str) -> View {
    View::parse(query, None, None).expect("a query")
}

fn for_seeds(check: impl Fn(&Case, &mut Dice)) {
    for seed in 1..=12 {
        let folder = tempfile::tempdir().expect("a folder");
        check(&imported(folder.path(), seed), &mut Dice(seed * 77));
    }
}

#[test]
fn pages_sorted_by_a_field_are_those_of_a_stable_sort() {
    for_seeds(|case, dice| {
        for query in ["*", "level:error", "took>2"] {
            let events = read(case, &view(query));
            for field in ["took", "mixed", "trace", "level"] {
                for descending in [false, true] {
                    let mut sorted: Vec<&Read> = events.iter().collect();
                    sorted.sort_by(|one, other| match (value(one, field), value(other, field)) {
                        (Some(one), Some(other)) if descending => other.order(&one),
                        (Some(one), Some(other)) => one.order(&other),
                        (one, other) => other.is_some().cmp(&one.is_some()),
                    });
                    let rows = (dice.throw(sorted.len() as u64 + 4) as usize, dice.throw(30) as usize);
                    let sort = SortBy { field: field.to_owned(), descending };
                    let page = case
                        .page_by(
                            &case.snapshot(),
                            &view(query),
                            &sort,
                            rows,
                            &Shown::text(usize::MAX),
                            &Cancel::default(),
                        )
                        .expect("a page");
                    let expected: Vec<&Event> =
                        sorted.iter().map(|(event, _)| event).skip(rows.0).take(rows.1).collect();
                    assert_eq!(page.total, sorted.len());
                    assert_eq!(page.events.iter().collect::<Vec<_>>(), expected, "{query} {sort:?} {rows:?}");
                }
            }
        }
    });
}

#[test]
fn marks_give_the_rows_of_a_second_filter() {
    for_seeds(|case, dice| {
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        for (query, wanted) in [("*", "level:error"), ("level>=warn", "took>2"), ("trace:t1", "trace:t2")] {
            for direction in [Direction::OldestFirst, Direction::NewestFirst] {
                let rows =
                    case.page(&snapshot, &view(query), direction, (0, 10_000), &Shown::text(0), &never);
                let rows: Vec<_> =
                    rows.expect("a page").events.iter().map(|event| (event.source, event.offset)).collect();
                let marked: BTreeSet<_> =
                    read(case, &view(wanted)).iter().map(|(event, _)| (event.source, event.offset)).collect();
                let is_marked = |row: &usize| marked.contains(&rows[*row]);
                let asked = (direction, &view(wanted).filter);
                for from in (0..rows.len()).map(Some).chain([None, Some(rows.len())]) {
                    for backward in [false, true] {
                        let at = from.filter(|&from| from < rows.len());
                        let expected = if backward {
                            (0..at.unwrap_or(rows.len())).rev().find(is_marked)
                        } else {
                            (at.map_or(0, |at| at + 1)..rows.len()).find(is_marked)
                        };
                        let found =
                            case.seek(&snapshot, &view(query), asked, Seek { from, backward }, &never);
                        assert_eq!(found.expect("a row"), expected, "{query} {wanted} {from:?} {backward}");
                    }
                }
                let cells = 1 + dice.throw(20) as usize;
                let marks = [view(wanted).filter, indexer::query::Filter::Everything];
                let strip = case.strip(&snapshot, &view(query), (direction, &marks), cells, &never);
                let cells = cells.min(rows.len().max(1));
                let run = |cell: usize| rows.len() * cell / cells..rows.len() * (cell + 1) / cells;
                let counts = |test: &dyn Fn(&usize) -> bool| -> Vec<u64> {
                    (0..cells).map(|cell| run(cell).filter(|row| test(row)).count() as u64).collect()
                };
                let expected = vec![counts(&is_marked), counts(&|_| true)];
                assert_eq!(strip.expect("a strip").counts, expected, "{query} {wanted} {direction:?}");
                for (row, &id) in rows.iter().enumerate() {
                    let place = case.place_of(&snapshot, &view(query), direction, id, &never);
                    assert_eq!(place.expect("a place"), Some(row));
                }
            }
        }
    });
}

#[test]
fn columns_are_the_values_of_the_fields() {
    for_seeds(|case, _| {
        let columns = ["took", "level", "mixed", "trace", "nowhere"].map(str::to_owned);
        let shown = Shown { cut: 100, columns: &columns };
        let (snapshot, never) = (case.snapshot(), Cancel::default());
        let page = case.page(&snapshot, &view("*"), Direction::OldestFirst, (0, 10_000), &shown, &never);
        let page = page.expect("a page").events;
        let events = read(case, &view("*"));
        assert_eq!(page.len(), events.len());
        for (row, event) in page.iter().zip(&events) {
            let expected: Vec<_> = columns.iter().map(|column| text(event, column)).collect();
            let level = expected[1].clone().or(Some("none".to_owned()));
            assert!(row.values[1] == expected[1] || row.values[1] == level);
            assert_eq!([&row.values[..1], &row.values[2..]], [&expected[..1], &expected[2..]]);
        }
        let ids: Vec<_> = events.iter().rev().map(|(event, _)| (event.source, event.offset)).collect();
        let ids = [&[(9, 9)], &ids[..], &ids[..1]].concat();
        let found = case.events(&snapshot, &ids, usize::MAX, &never).expect("events");
        let expected: Vec<_> = events.iter().rev().chain(events.last()).map(|(event, _)| event).collect();
        assert_eq!(found.iter().map(|(event, _)| event).collect::<Vec<_>>(), expected);
    });
}

#[test]
fn context_of_an_event_is_its_neighbours() {
    for_seeds(|case, dice| {
        let events = read(case, &view("*"));
        for _ in 0..20 {
            let at = dice.throw(events.len() as u64) as usize;
            let (event, own) = (&events[at].0, &events[at]);
            let (before, after) = (dice.throw(6) as usize, dice.throw(6) as usize);
            let check_context =
                |around: &Around, mut others: Vec<&Event>, order: &dyn Fn(&Event, &Event) -> Ordering| {
                    others.sort_by(|one, other| order(one, other));
                    let place = others.iter().position(|other| *other == event);
                    let place =
                        place.unwrap_or_else(|| others.partition_point(|other| order(other, event).is_lt()));
                    let context = case
                        .around(
                            &case.snapshot(),
                            (event.source, event.offset),
                            around,
                            (before, after),
                            &Shown::text(usize::MAX),
                            &Cancel::default(),
                        )
                        .expect("a context");
                    let earlier: Vec<&Event> = others[place.saturating_sub(before)..place].to_vec();
                    let later: Vec<&Event> =
                        others[place..].iter().copied().filter(|other| *other != event).take(after).collect();
                    assert_eq!(context.before.iter().collect::<Vec<_>>(), earlier, "{around:?}");
                    assert_eq!(context.after.iter().collect::<Vec<_>>(), later, "{around:?}");
                    assert_eq!(&context.event, event);
                };
            let key = |event: &Event| (event.time, event.source, event.offset);
            let all = || events.iter().map(|(event, _)| event);
            let by_time = |one: &Event, other: &Event| key(one).cmp(&key(other));
            check_context(&Around::Everywhere, all().collect(), &by_time);
            let in_file = all().filter(|other| other.source == event.source).collect();
            check_context(&Around::File, in_file, &|one, other| one.offset.cmp(&other.offset));
            for field in ["trace", "mixed", "level", "took"] {
                let shared = text(own, field);
                let sharing = events.iter().filter(|other| shared.is_some() && text(other, field) == shared);
                let around = Around::Sharing { field: field.to_owned() };
                check_context(&around, sharing.map(|(event, _)| event).collect(), &by_time);
            }
        }
    });
}

#[test]
fn facets_count_every_field() {
    for_seeds(|case, _| {
        for query in ["*", "level:warn"] {
            let events = read(case, &view(query));
            let request = FacetsRequest { fields: vec![], top: 3, buckets: 20, edges: None };
            let facets = case
                .facets(&case.snapshot(), &view(query), &request, &mut |_, _| {}, &Cancel::default())
                .expect("facets");
            assert_eq!(facets.total, events.len() as u64);
            let names: BTreeSet<&str> = facets.fields.iter().map(|facet| facet.field.as_str()).collect();
            assert!(["level", "source", "took", "trace", "mixed"].iter().all(|name| names.contains(name)));
            for facet in facets.fields.iter().filter(|facet| facet.field != "source") {
                let mut counts: BTreeMap<String, u64> = BTreeMap::new();
                let there: Vec<&Read> =
                    events.iter().filter(|read| text(read, &facet.field).is_some()).collect();
                there
                    .iter()
                    .filter_map(|read| text(read, &facet.field))
                    .for_each(|text| *counts.entry(text).or_default() += 1);
                assert_eq!(facet.present, there.len() as u64, "{}", facet.field);
                assert_eq!(facet.distinct, Some(counts.len() as u64), "{}", facet.field);
                let mut most: Vec<u64> = counts.values().copied().collect();
                most.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
                most.truncate(3);
                assert_eq!(facet.top.iter().map(|value| value.count).collect::<Vec<_>>(), most);
                assert!(facet.top.iter().all(|top| counts[&top.value.to_string()] == top.count));
                for (bucket, &count) in facet.sparkline.iter().enumerate() {
                    let times = facets.edges[bucket]..facets.edges[bucket + 1];
                    let inside = there
                        .iter()
                        .filter(|(event, _)| event.time != NO_TIME && times.contains(&event.time));
                    assert_eq!(count as usize, inside.count(), "{} {bucket}", facet.field);
                }
                let mut numbers: Vec<f64> =
                    events.iter().filter_map(|read| value(read, &facet.field)?.number()).collect();
                numbers.sort_unstable_by(f64::total_cmp);
                match &facet.numbers {
                    None => assert!(numbers.is_empty(), "{}", facet.field),
                    Some(found) => {
                        assert_eq!(found.count, numbers.len() as u64, "{}", facet.field);
                        assert_eq!(found.least.as_ref().and_then(Scalar::number), numbers.first().copied());
                        assert_eq!(found.greatest.as_ref().and_then(Scalar::number), numbers.last().copied());
                    }
                }
            }
        }
    });
}

#[test]
fn transactions_and_trails_are_those_of_the_plain_reading() {
    for_seeds(|case, dice| {
        let events = read(case, &view("*"));
        let found = case
            .transactions(
                &case.snapshot(),
                &view("*"),
                ("trace", TransactionOrder::Longest, 5),
                &Cancel::default(),
            )
            .expect("transactions");
        let mut plain: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
        for read in &events {
            if let Some(id) = text(read, "trace") {
                plain.entry(id).or_default().push(&read.0);
            }
        }
        assert_eq!(found.total, plain.len() as u64);
        assert_eq!(
            found.without as usize,
            events.iter().filter(|read| text(read, "trace").is_none()).count()
        );
        let times = |events: &[&Event]| {
            events.iter().map(|event| event.time).filter(|&time| time != NO_TIME).collect::<Vec<i64>>()
        };
        let duration = |events: &[&Event]| {
            let times = times(events);
            times.last().zip(times.first()).map_or(0, |(last, first)| last - first)
        };
        let mut durations: Vec<i64> = plain.values().map(|events| duration(events)).collect();
        durations.sort_unstable_by_key(|&duration| std::cmp::Reverse(duration));
        durations.truncate(5);
        assert_eq!(
            found.shown.iter().map(|transaction| transaction.duration_ns).collect::<Vec<_>>(),
            durations
        );
        for shown in &found.shown {
            let events = &plain[&shown.id.to_string()];
            let times = times(events);
            assert_eq!(shown.events as usize, events.len());
            assert_eq!(Some(shown.level), events.iter().map(|event| event.level).max());
            assert_eq!(shown.gap_ns, times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0));
            assert_eq!((shown.first, shown.last), (times.first().copied(), times.last().copied()));
        }
        let wanted = format!("t{}", dice.throw(14));
        let trails = case.follow(&case.snapshot(), &wanted, &Cancel::default()).expect("trails");
        for field in ["trace", "mixed"] {
            let held = events.iter().filter(|read| text(read, field).as_deref() == Some(&wanted)).count();
            let followed: u64 =
                trails.iter().filter(|trail| trail.field == field).map(|trail| trail.events).sum();
            assert_eq!(followed as usize, held, "{wanted} in {field}");
        }
        assert!(
            trails.iter().all(|trail| trail.field != "raw"),
            "each event names it in a field: {trails:?}"
        );
    });
}
