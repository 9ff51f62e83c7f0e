//! A case and clusters asked together give what one case with all of their events gives.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use indexer::aggregate::{Bins, By, FacetsRequest, Interval, Measure, Request, TermOrder, TimeZone};
use indexer::query::{Filter, parse, parse_query};
use indexer::{Cancel, Case, Direction, ErrorKind, ImportOptions, RunOptions, Shown, View};
use remote::{Both, Cluster, Here, Lane, MergedEvent, MergedListing, Remote, Splits, new_listing};
use serde_json::{Value, json};

use crate::cluster;

use cluster::logs::{patient, rows};
use cluster::server::{FakeCluster, Fault};

const LEVELS: [&str; 5] = ["info", "warn", "error", "debug", "fatal"];
const START_MS: i64 = 1_772_373_600_000;

/// Some events have the same time, also in different places.
fn document(n: usize) -> Value {
    let time = indexer::stamp::to_rfc3339((START_MS + (n as i64 * 7_919) % 600_000 / 3 * 30) * 1_000_000);
    let mut document = json!({
        "@timestamp": time,
        "n": n,
        "message": format!("request {n} to upstream"),
        "level": LEVELS[n * 7 % 5],
        "status": ([200, 200, 200, 301, 404, 500])[n % 6],
        "service": (["cart", "payment", "search", "mail"])[n * 7 % 4],
        "duration": (n * 37 % 1_000) as f64 / 4.0 + 1.0,
    });
    if n.is_multiple_of(5) {
        document["user"] = format!("user-{}", n % 35).into();
    }
    document
}

fn properties() -> Value {
    json!({
        "@timestamp": {"type": "date"},
        "n": {"type": "long"},
        "message": {"type": "keyword"},
        "level": {"type": "keyword"},
        "status": {"type": "long"},
        "service": {"type": "keyword"},
        "duration": {"type": "double"},
        "user": {"type": "keyword"},
    })
}

/// Events in a case and in clusters, and all of them in another case.
struct Places {
    case: Case,
    reference: Case,
    clusters: Vec<FakeCluster>,
    _folder: tempfile::TempDir,
}

fn imported(folder: &Path, name: &str, documents: &[Value]) -> Case {
    let log = folder.join(format!("{name}.ndjson"));
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join(format!("{name}.case"))).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case
}

impl Places {
    /// `place` says where each event goes: 0 is the case.
    fn new(events: usize, clusters: usize, place: &dyn Fn(usize) -> usize) -> Places {
        Places::with(events, clusters, place, &document)
    }

    fn with(
        events: usize,
        clusters: usize,
        place: &dyn Fn(usize) -> usize,
        document: &dyn Fn(usize) -> Value,
    ) -> Places {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |wanted: usize| -> Vec<Value> {
            (0..events).filter(|n| place(*n) == wanted).map(document).collect()
        };
        let all: Vec<Value> = (0..events).map(document).collect();
        Places {
            case: imported(folder.path(), "own", &of(0)),
            reference: imported(folder.path(), "all", &all),
            clusters: (1..=clusters).map(|at| FakeCluster::start(of(at), properties())).collect(),
            _folder: folder,
        }
    }

    fn ask<T>(&self, ask: impl FnOnce(&Both<'_>) -> T) -> T {
        self.ask_in("UTC", ask)
    }

    fn ask_in<T>(&self, zone: &str, ask: impl FnOnce(&Both<'_>) -> T) -> T {
        let cancel = Cancel::default();
        let lanes = self.clusters.iter().enumerate().map(|(at, fake)| {
            let remote = Remote::new(&format!("c{at}"), &fake.url(), "logs").expect("a remote");
            let cluster = Cluster::connect(&remote, patient(), &cancel).expect("a cluster");
            let times = cluster.overview().expect("an overview").times;
            Lane { cluster, times }
        });
        let snapshot = self.case.snapshot();
        ask(&Both { case: &self.case, snapshot: &snapshot, lanes: lanes.collect(), zone, cancel: &cancel })
    }
}

fn numbers(events: &[MergedEvent], both: &Both<'_>) -> Vec<(Option<i64>, usize)> {
    let number = |event: &MergedEvent| match event {
        MergedEvent::OfCase(event) => event.values[0].clone(),
        MergedEvent::OfLane(place, event) => both.lanes[*place].cluster.value(event, "n"),
    };
    events
        .iter()
        .map(|event| (event.time(), number(event).and_then(|n| n.parse().ok()).expect("a number")))
        .collect()
}

fn listing<'b>(
    both: &'b Both<'b>,
    filter: &str,
    direction: Direction,
    splits: &'b Mutex<Splits>,
) -> MergedListing<'b> {
    let filter = parse(filter).expect(filter);
    MergedListing::new(both, &filter, (None, None), direction, splits, &|_, lane, asked, sort| {
        new_listing(lane, asked, sort)
    })
    .expect("a listing")
}

fn page(
    listing: &mut MergedListing<'_>,
    both: &Both<'_>,
    first: u64,
    count: usize,
) -> Vec<(Option<i64>, usize)> {
    let columns = ["n".to_owned()];
    let events = listing.page(first, count, &Shown { cut: 100, columns: &columns }).expect("a page");
    numbers(&events, both)
}

/// The times of the reference in this order.
fn reference_times(places: &Places, filter: &str, direction: Direction) -> Vec<Option<i64>> {
    let view = View::parse(filter, None, None).expect(filter);
    let (snapshot, cancel) = (places.reference.snapshot(), Cancel::default());
    let mut times = Vec::new();
    loop {
        let shown = Shown { cut: 0, columns: &[] };
        let page = places.reference.page(&snapshot, &view, direction, (times.len(), 1_000), &shown, &cancel);
        let events = page.expect("a page").events;
        if events.is_empty() {
            return times;
        }
        times.extend(events.iter().map(|event| (event.time != indexer::NO_TIME).then_some(event.time)));
    }
}

/// Random numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn assert_listed_alike(places: &Places, filter: &str, pages: usize) {
    let expected = |direction| reference_times(places, filter, direction);
    assert_listed(places, filter, pages, &expected);
}

fn assert_listed(
    places: &Places,
    filter: &str,
    pages: usize,
    expected: &dyn Fn(Direction) -> Vec<Option<i64>>,
) {
    let mut dice = Dice(7);
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        places.ask(|both| {
            let splits = Mutex::default();
            let mut walked = listing(both, filter, direction, &splits);
            let total = walked.total();
            let expected = expected(direction);
            assert_eq!(total, expected.len() as u64, "{filter}");
            let mut all = Vec::new();
            while (all.len() as u64) < total {
                let rows = page(&mut walked, both, all.len() as u64, 977);
                assert!(!rows.is_empty(), "{filter}: {} of {total}", all.len());
                all.extend(rows);
            }
            let times: Vec<Option<i64>> = all.iter().map(|(time, _)| *time).collect();
            assert_eq!(times, expected, "{filter} {direction:?}");
            let different: BTreeSet<usize> = all.iter().map(|(_, n)| *n).collect();
            assert_eq!(different.len(), all.len(), "every event is listed once");
            for _ in 0..pages {
                // Nothing is known of the pages before.
                let splits = Mutex::default();
                let mut asked = listing(both, filter, direction, &splits);
                let (first, count) = (dice.below(all.len() + 5), 1 + dice.below(60));
                let rows = page(&mut asked, both, first as u64, count);
                let end = (first + count).min(all.len());
                assert_eq!(
                    rows,
                    all.get(first..end).unwrap_or_default(),
                    "{filter} {direction:?} {first} {count}"
                );
            }
            for _ in 0..6 {
                let row = dice.below(all.len());
                let (Some(time), n) = all[row] else { continue };
                let found = walked.row_of_time(time).expect("a row");
                let expected = all.iter().position(|(other, _)| *other == Some(time)).expect("the time");
                assert_eq!(found, expected as u64, "{filter} {direction:?} {row}");
                let wanted = format!("n:{n}");
                let wanted = parse(&wanted).expect("a filter");
                let before = row.checked_sub(1 + dice.below(row.max(1)).min(row)).map(|at| at as u64);
                assert_eq!(walked.next_row(&wanted, before, false).expect("a row"), Some(row as u64));
                assert_eq!(walked.next_row(&wanted, None, true).expect("a row"), Some(row as u64));
                assert_eq!(walked.next_row(&wanted, Some(row as u64), false).expect("none"), None);
            }
        });
    }
}

#[test]
fn merged_pages_anywhere_are_those_of_one_case_in_both_directions() {
    let places = Places::new(1_800, 1, &|n| usize::from(n % 3 > 0));
    assert_listed_alike(&places, "*", 10);
    assert_listed_alike(&places, "level>=error status:500", 8);
    assert_listed_alike(&places, "user:user-5 OR n<10", 4);
    // Two clusters, the second of them with few events.
    let places = Places::new(1_900, 2, &|n| if n % 5 > 1 { 1 } else { 2 * usize::from(n % 9 == 1) });
    assert_listed_alike(&places, "*", 8);
    assert_listed_alike(&places, "service:cart", 6);
}

#[test]
fn events_without_a_time_and_times_that_do_not_overlap_are_in_order() {
    let later = |n: usize| indexer::stamp::to_rfc3339((START_MS + 7_000_000 + n as i64) * 1_000_000);
    let split = |n: usize| {
        let mut document = document(n);
        if n >= 600 {
            document["@timestamp"] = later(n).into();
        }
        document
    };
    // The cluster has the first half, then the second.
    let places = Places::with(1_200, 1, &|n| usize::from(n < 600), &split);
    assert_listed_alike(&places, "*", 6);
    let places = Places::with(1_200, 1, &|n| usize::from(n >= 600), &split);
    assert_listed_alike(&places, "*", 6);
    // All events are in one place.
    let places = Places::new(300, 1, &|_| 1);
    assert_listed_alike(&places, "*", 3);
    let places = Places::new(300, 1, &|_| 0);
    assert_listed_alike(&places, "*", 3);
    // A file gives an event without a time that of the one before; a cluster keeps it without.
    let untimed = |n: usize| {
        let mut document = document(n);
        if n % 40 == 3 {
            document.as_object_mut().expect("an object").remove("@timestamp");
        }
        document
    };
    let places = Places::with(500, 1, &|n| usize::from(n % 2 == 1), &untimed);
    let expected = |direction| {
        let time = |n: usize| indexer::stamp::parse(document(n)["@timestamp"].as_str()?);
        let mut times: Vec<Option<i64>> = (0..500).filter(|n| n % 40 != 3).map(time).collect();
        times.sort_unstable();
        if direction == Direction::NewestFirst {
            times.reverse();
        }
        times.resize(500, None);
        times
    };
    assert_listed(&places, "*", 8, &expected);
}

#[test]
fn page_in_the_middle_of_many_events_takes_few_requests() {
    let places = Places::new(14_000, 1, &|n| usize::from(n % 7 > 0));
    places.ask(|both| {
        let splits = Mutex::default();
        for direction in [Direction::OldestFirst, Direction::NewestFirst] {
            let mut asked = listing(both, "*", direction, &splits);
            let expected = reference_times(&places, "*", direction);
            for first in [13_000, 12_000, 6_000, 10_500] {
                let before = places.clusters[0].asked("/_search").len();
                let rows = page(&mut asked, both, first, 50);
                let requests = places.clusters[0].asked("/_search").len() - before;
                assert!(requests <= 4, "{requests} requests for a page at {first}");
                let times: Vec<Option<i64>> = rows.iter().map(|(time, _)| *time).collect();
                assert_eq!(times, expected[first as usize..first as usize + 50], "{direction:?} {first}");
                let before = places.clusters[0].asked("/_search").len();
                page(&mut asked, both, first + 50, 50);
                let requests = places.clusters[0].asked("/_search").len() - before;
                assert!(requests <= 1, "{requests} requests for the next page");
            }
        }
    });
}

#[test]
fn counts_timeline_and_lanes_are_those_of_one_case() {
    let places = Places::new(2_400, 2, &|n| n % 3);
    let (snapshot, cancel) = (places.reference.snapshot(), Cancel::default());
    places.ask(|both| {
        for (filter, range) in [
            ("*", (None, None)),
            ("level>=error", (None, None)),
            ("service:cart", (Some(START_MS * 1_000_000 + 600_000_000_000), None)),
            ("service:nothing", (None, None)),
        ] {
            let parsed = parse(filter).expect(filter);
            let view = View { filter: parsed.clone(), from: range.0, to: range.1 };
            let whole =
                places.reference.timeline(&snapshot, &view, 60, &mut |_, _| {}, &cancel).expect("counts");
            let merged = both.timeline(&parsed, range, 60).expect("counts");
            assert_eq!(merged.value.all, whole, "{filter}");
            assert!(merged.missing.is_empty());
            assert_eq!(merged.value.lanes.len(), 3);
            assert_eq!(merged.value.lanes.iter().map(|lane| lane.counted.total).sum::<u64>(), whole.total);
            assert_eq!(both.count(&parsed, range).expect("a count").value, whole.total, "{filter}");
        }
    });
}

/// Queries whose first aggregation is merged, or that run over the events of all.
const QUERIES: [&str; 34] = [
    "* | stats count, sum(status), avg(duration), min(duration), max(status), range(duration)",
    "* | stats",
    "status>=400 | stats count as n, stddev(duration), count(user) by service, status",
    "* | stats count() where status >= 500 as bad, count by service",
    "* | stats min(time) as first, max(time) as last by status",
    "* | stats count by bin(time, 10m)",
    "* | stats count by bin(duration, 50)",
    "* | stats count by user",
    "* | stats count by level",
    "* | stats variance(duration), count by level, service | sort -count, level, service | limit 7",
    "* | stats count_distinct(user) as users, median(duration) by service",
    "* | stats p95(duration), p99(duration), percentile(status, 30) by level",
    "* | stats count_distinct(status) where duration > 100 as some by service",
    "* | where status in (404, 500) and user is not null | stats count by user | sort -count, user | limit 3",
    "* | search service:cart | stats count by message | sort message | limit 5",
    "* | eval class = status / 100 | stats avg(duration), count by class",
    "* | where len(message) > 20 | stats count by status",
    "* | timechart span=1m count",
    "status>=300 | timechart span=2m avg(duration), count",
    "* | timechart span=10m count by status",
    "* | timechart span=10m p95(duration) by service",
    "* | timechart span=30m max(duration), count_distinct(user) by service",
    "* | top 3 status",
    "* | top 1 status by service",
    "* | rare 2 status",
    "* | facets status, service, user values=3",
    "service:nothing | stats count by status",
    "service:nothing | stats count, sum(status)",
    "* | stats first(n), last(n), values(status) by service",
    "* | stats mode(status), entropy(service)",
    "status:500 | sort n | keep n, service, level | limit 12",
    "* | dedup service | keep service, n",
    "* | eval late = duration > 200 | where late | sort -n | limit 3 | keep n, level, status",
    "* | window before = lag(n) by service | stats count(before) as n",
];

#[test]
fn stages_over_all_give_the_tables_of_one_case() {
    let one = Places::new(1_300, 1, &|n| usize::from(n * 7 % 10 > 3));
    let two = Places::new(900, 2, &|n| n * n % 7 % 3);
    for places in [&one, &two] {
        let (snapshot, options, cancel) =
            (places.reference.snapshot(), RunOptions::default(), Cancel::default());
        places.ask(|both| {
            for text in QUERIES {
                let query = parse_query(text).expect(text);
                let merged = both
                    .run(&query, (None, None), &Here::default())
                    .unwrap_or_else(|error| panic!("{text}: {error}"));
                let whole =
                    places.reference.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &cancel);
                let whole = whole.expect(text);
                assert_eq!(merged.value.names(), whole.names(), "{text}");
                assert!(merged.missing.is_empty() && merged.inexact.is_empty(), "{text}: {merged:?}");
                if text.contains("mode(")
                    || !text.contains("first(") && !text.contains("dedup") && !text.contains("lag(")
                {
                    assert_eq!(rows(&merged.value), rows(&whole), "{text}");
                } else {
                    // Which of the events with one time is first is open.
                    assert_eq!(merged.value.rows(), whole.rows(), "{text}");
                }
                assert!(
                    !merged.notes.iter().any(|note| note.contains(remote::ESTIMATED)),
                    "{text}: {:?}",
                    merged.notes
                );
            }
        });
    }
}

#[test]
fn facets_and_charts_count_what_one_case_counts() {
    let places = Places::new(1_500, 1, &|n| n % 2);
    let (snapshot, cancel) = (places.reference.snapshot(), Cancel::default());
    let view = View::parse("status>=200", None, None).expect("a view");
    places.ask(|both| {
        let fields = ["service", "user", "status", "level", "duration"].map(str::to_owned).to_vec();
        let request = FacetsRequest { fields, top: 4, buckets: 20, edges: None };
        let merged = both.facets(&view.filter, (None, None), &request).expect("facets").value;
        let whole =
            places.reference.facets(&snapshot, &view, &request, &mut |_, _| {}, &cancel).expect("facets");
        assert_eq!(merged.total, whole.total);
        for (merged, whole) in merged.fields.iter().zip(&whole.fields) {
            assert_eq!((&merged.field, merged.present), (&whole.field, whole.present));
            assert_eq!(
                merged.sparkline.iter().sum::<u32>(),
                whole.sparkline.iter().sum::<u32>(),
                "{}",
                merged.field
            );
            if merged.field == "duration" {
                continue;
            }
            assert_eq!(merged.distinct, whole.distinct, "{}", merged.field);
            let counts = |facet: &indexer::aggregate::Facet| -> Vec<u64> {
                facet.top.iter().map(|value| value.count).collect()
            };
            assert_eq!(counts(merged), counts(whole), "{}", merged.field);
        }
        let time = By::Time { interval: Interval::Fixed(60_000_000_000), zone: TimeZone::UTC };
        let automatic =
            By::Time { interval: Interval::Auto(40), zone: TimeZone::get("Europe/Berlin").expect("a zone") };
        let terms = By::Terms { field: "status".to_owned(), top: 2, order: TermOrder::Most };
        let bins = By::Bins { field: "duration".to_owned(), bins: Bins::Linear { most: 12 } };
        let growing = By::Bins { field: "duration".to_owned(), bins: Bins::Logarithmic { most: 9 } };
        let stats = Measure::Stats { field: "duration".to_owned() };
        let percentiles = Measure::Percentiles { field: "duration".to_owned(), at: vec![50.0, 95.0] };
        let distinct = Measure::Distinct { field: "user".to_owned() };
        let rate = Measure::Rate { per_ns: 1_000_000_000 };
        for (by, measures) in [
            (vec![], vec![stats.clone(), percentiles.clone()]),
            (vec![time.clone()], vec![stats, rate]),
            (vec![automatic], vec![]),
            (vec![terms.clone()], vec![distinct]),
            (vec![time, terms.clone()], vec![percentiles]),
            (vec![bins.clone()], vec![]),
            (vec![growing], vec![]),
            (vec![terms, bins], vec![]),
        ] {
            let request = Request { by, measures };
            let merged = both.aggregate(&view.filter, (None, None), &request).expect("a chart").value;
            let whole = places
                .reference
                .aggregate(&snapshot, &view, &request, &mut |_, _| {}, &cancel)
                .expect("a chart");
            assert_eq!((&merged.axes, &merged.counts), (&whole.axes, &whole.counts), "{request:?}");
            assert_eq!((merged.total, merged.untimed), (whole.total, whole.untimed), "{request:?}");
            let figures = |cube: &indexer::aggregate::Answer| -> Vec<(String, Vec<String>, u64)> {
                let figure = |value: &Option<indexer::Scalar>| {
                    let number = value.as_ref().and_then(indexer::Scalar::number);
                    number.map_or_else(|| "none".to_owned(), |number| format!("{number:.6}"))
                };
                cube.measured
                    .iter()
                    .map(|one| (one.name.clone(), one.values.iter().map(figure).collect(), one.missing))
                    .collect()
            };
            assert_eq!(figures(&merged), figures(&whole), "{request:?}");
        }
    });
}

#[test]
fn field_of_one_place_is_missing_in_the_others() {
    let with_own = |n: usize| {
        let mut document = document(n);
        if n.is_multiple_of(2) {
            document["only_here"] = (n % 10).into();
        } else {
            document.as_object_mut().expect("an object").remove("user");
        }
        document
    };
    // Even events are in the case.
    let places = Places::with(800, 1, &|n| n % 2, &with_own);
    let (snapshot, options, cancel) = (places.reference.snapshot(), RunOptions::default(), Cancel::default());
    places.ask(|both| {
        for filter in
            ["only_here:4", "NOT only_here:4", "only_here>=4 OR status:500", "is:starred", "NOT is:starred"]
        {
            let parsed = parse(filter).expect(filter);
            let whole = View { filter: parsed.clone(), from: None, to: None };
            let whole = places.reference.count(&snapshot, &whole, &cancel).expect("a count") as u64;
            assert_eq!(both.count(&parsed, (None, None)).expect(filter).value, whole, "{filter}");
        }
        for text in [
            "* | stats count by only_here",
            "* | stats sum(only_here), count(only_here), count",
            "* | stats count() where only_here > 4 as some, count",
            "* | stats count() where only_here is null as some",
            "* | eval x = coalesce(only_here, -1) | stats count by x",
            "* | stats avg(only_here) by service, user",
        ] {
            let query = parse_query(text).expect(text);
            let merged = both.run(&query, (None, None), &Here::default()).expect(text);
            let whole = places.reference.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &cancel);
            assert_eq!(rows(&merged.value), rows(&whole.expect(text)), "{text}");
        }
        let error =
            both.count(&parse("nowhere:1").expect("a filter"), (None, None)).expect_err("no such field");
        assert_eq!(error.kind(), ErrorKind::QueryInvalid);
    });
}

#[test]
fn bins_are_those_that_were_asked_for_in_whatever_zone_the_filter_is() {
    let places = Places::new(600, 1, &|n| n % 2);
    let (snapshot, cancel) = (places.reference.snapshot(), Cancel::default());
    let all = View { filter: Filter::Everything, from: None, to: None };
    for hours in [6, 24] {
        let interval = Interval::Fixed(hours * 3_600_000_000_000);
        let by = vec![By::Time { interval, zone: TimeZone::UTC }];
        let request = Request { by, measures: Vec::new() };
        let merged = places.ask_in("Asia/Kolkata", |both| {
            both.aggregate(&Filter::Everything, (None, None), &request).expect("a chart").value
        });
        let whole = places.reference.aggregate(&snapshot, &all, &request, &mut |_, _| {}, &cancel);
        let whole = whole.expect("a chart");
        assert_eq!((merged.axes, merged.counts), (whole.axes, whole.counts), "{hours} hours");
    }
}

#[test]
fn times_without_a_zone_are_those_of_the_zone_that_is_asked_in() {
    let places = Places::new(600, 1, &|n| n % 2);
    let counted = |zone: &str, filter: &str| {
        let parsed = parse(filter).expect(filter);
        places.ask_in(zone, |both| both.count(&parsed, (None, None)).expect(filter).value)
    };
    let utc = counted("UTC", "time>=2026-03-01T14:05");
    assert!(utc > 0 && utc < 600, "{utc} of 600");
    assert_eq!(counted("Europe/Berlin", "time>=2026-03-01T15:05"), utc);
    assert_eq!(counted("Europe/Berlin", "time>=2026-03-01T14:05Z"), utc);
    let chart = parse_query("time>=2026-03-01T15:05 | stats count").expect("a query");
    let table = places.ask_in("Europe/Berlin", |both| both.run(&chart, (None, None), &Here::default()));
    assert_eq!(table.expect("a table").value.cell(0, 0).to_string(), utc.to_string());
}

#[test]
fn cluster_that_fails_or_answers_in_part_is_named_and_the_rest_is_there() {
    let places = Places::new(600, 2, &|n| n % 3);
    let everything = Filter::Everything;
    let refused = || Fault::Status(401, Vec::new(), json!({"error": {"reason": "no"}}).to_string());
    places.ask(|both| {
        places.clusters[1].fail("/_search", vec![Some(refused())]);
        let counted = both.count(&everything, (None, None)).expect("a count");
        assert_eq!(counted.value, 400);
        assert!(counted.missing.0[0].starts_with("nothing from c1"), "{:?}", counted.missing);
        places.clusters[0].fail("/_search", vec![Some(Fault::Partial)]);
        let timeline = both.timeline(&everything, (None, None), 20).expect("counts");
        assert!(timeline.missing.0[0].starts_with("c0: 1 of 2 shards failed"), "{:?}", timeline.missing);
        places.clusters[1].fail("/_search", vec![Some(refused())]);
        let query = parse_query("* | stats count by service").expect("a query");
        let table = both.run(&query, (None, None), &Here::default()).expect("a table");
        assert!(table.missing.0[0].starts_with("nothing from c1"), "{:?}", table.missing);
        // One that ends between two pages is left out of those that follow.
        let splits = Mutex::default();
        let mut asked = listing(both, "*", Direction::OldestFirst, &splits);
        assert_eq!(asked.total(), 600);
        places.clusters[1].fail("/_search", vec![Some(refused())]);
        let rows = page(&mut asked, both, 300, 40);
        assert_eq!((rows.len(), asked.total()), (40, 400));
        assert!(asked.answer(()).missing.0[0].starts_with("nothing from c1"));
        // What a cluster cannot answer is an error, and no empty answer.
        let refused = both.count(&parse("n:/1[^2]*\\b3/").expect("a filter"), (None, None));
        assert!(refused.is_err(), "{refused:?}");
    });
}
