//! Calculations against the plainest reading: every event is read with its fields and put into maps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use indexer::aggregate::{
    Answer, Axis, Bins, By, CalendarUnit, Interval, Measure, Request, TermOrder, TimeZone, zone,
};
use indexer::query::parse;
use indexer::{Cancel, Case, Event, FieldKind, FieldValue, ImportOptions, NO_TIME, Scalar, View, Walk};
use proptest::prelude::*;
use proptest::test_runner::Config;

struct Read {
    event: Event,
    source: String,
    fields: Vec<FieldValue>,
}

impl Read {
    fn text(&self, field: &str) -> Option<String> {
        match field {
            "level" => (self.event.level != indexer::Level::None).then(|| self.event.level.name().to_owned()),
            "source" => Some(self.source.clone()),
            _ => self.fields.iter().find(|value| value.name == field).map(|value| value.value.clone()),
        }
    }

    fn number(&self, field: &str) -> Option<f64> {
        let value = self.fields.iter().find(|value| value.name == field)?;
        matches!(value.kind, FieldKind::Int | FieldKind::Float)
            .then(|| value.value.parse().expect("a number"))
    }
}

fn read(case: &Case, view: &View) -> Vec<Read> {
    let snapshot = case.snapshot();
    let mut events = Vec::new();
    let walk = Walk { with_fields: true, ..Walk::default() };
    case.for_each(&snapshot, view, &walk, &Cancel::default(), &mut |event, fields| {
        let source = snapshot.sources()[event.source as usize].name.clone();
        events.push(Read { event, source, fields });
        Ok(())
    })
    .expect("all events can be read");
    events
}

fn ask(case: &Case, view: &View, request: &Request) -> Answer {
    case.aggregate(&case.snapshot(), view, request, &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

fn line() -> impl Strategy<Value = String> {
    let time = prop_oneof![
        9 => (0..3_000_u32).prop_map(|m| format!("\"ts\":\"2026-03-{:02}T{:02}:{:02}:00Z\",", 27 + m / 1_440, m / 60 % 24, m % 60)),
        1 => Just(String::new()),
    ];
    let status = prop_oneof![
        4 => prop::sample::select(vec![200, 404, 500]).prop_map(|s| format!(",\"status\":{s}")),
        1 => Just(",\"status\":\"none\"".to_owned()),
        1 => Just(",\"status\":true".to_owned()),
        1 => Just(String::new()),
    ];
    let took = prop_oneof![
        4 => (0..90_000_u32).prop_map(|ms| format!(",\"took\":{}.{:03}", ms / 1_000, ms % 1_000)),
        2 => (-5..5_i32).prop_map(|ms| format!(",\"took\":{ms}")),
        1 => Just(",\"took\":\"long\"".to_owned()),
        1 => prop::sample::select(vec!["5e-324", "1.4e-308", "-1.4e-308", "0"]).prop_map(|least| format!(",\"took\":{least}")),
        1 => any::<f64>().prop_filter("JSON has no others", |f| f.is_finite()).prop_map(|f| format!(",\"took\":{f:e}")),
        1 => Just(String::new()),
    ];
    let user = (0..30_u32).prop_map(|user| format!(",\"user\":\"user {user}\""));
    let bytes = prop_oneof![0..50_i64, 1_000_000_000_000..1_000_000_000_900_i64];
    let level = prop::sample::select(vec!["info", "warn", "error"]);
    (time, level, status, took, user, bytes).prop_map(|(time, level, status, took, user, bytes)| {
        format!("{{{time}\"level\":\"{level}\",\"bytes\":{bytes}{status}{took}{user},\"msg\":\"done\"}}\n")
    })
}

/// Each file is imported by itself, so that the case has several segments that overlap in time.
fn imported(folder: &Path, files: &[Vec<String>]) -> Case {
    let case = Case::create(&folder.join("a.case")).expect("a case");
    for (index, lines) in files.iter().enumerate() {
        let path = folder.join(format!("{index}.log"));
        std::fs::write(&path, lines.concat()).expect("a file");
        let options = ImportOptions { profile: Some(indexer::Profile::Fields), ..ImportOptions::default() };
        let report = case.import(&[path], &options, &|_| {}, &Cancel::default()).expect("an import");
        assert!(report.failure.is_none(), "{:?}", report.failure);
    }
    case
}

/// The place of an event on an axis, as the plainest code puts it.
fn place(axis: &Axis, read: &Read) -> Option<usize> {
    match axis {
        Axis::Time { edges } => {
            let within = |pair: &[i64]| (pair[0]..pair[1]).contains(&read.event.time);
            (read.event.time != NO_TIME).then(|| edges.windows(2).position(within).expect("a bucket"))
        }
        Axis::Terms { field, values, .. } => match read.text(field) {
            None => Some(values.len() + 1),
            Some(text) => {
                Some(values.iter().position(|value| value.to_string() == text).unwrap_or(values.len()))
            }
        },
        Axis::Bins { field, edges, .. } => {
            let number = read.number(field)?;
            let place = edges.iter().rposition(|&edge| edge <= number).expect("a bin");
            Some(place.min(edges.len() - 2))
        }
    }
}

fn cells<'r>(answer: &Answer, events: &'r [Read]) -> Vec<Vec<&'r Read>> {
    let mut cells: Vec<Vec<&Read>> = answer.counts.iter().map(|_| Vec::new()).collect();
    for event in events {
        let places: Option<Vec<usize>> = answer.axes.iter().map(|axis| place(axis, event)).collect();
        if let Some(places) = places {
            let cell =
                places.iter().zip(&answer.axes).fold(0, |cell, (place, axis)| cell * axis.places() + place);
            cells[cell].push(event);
        }
    }
    cells
}

fn close(found: Option<&Scalar>, expected: Option<f64>) -> bool {
    match (found.and_then(Scalar::number), expected) {
        (Some(found), Some(expected)) => {
            found.to_bits() == expected.to_bits()
                || (found - expected).abs() <= 1e-9 * found.abs().max(expected.abs())
        }
        (found, expected) => found.is_none() && expected.is_none(),
    }
}

fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let rank = percent / 100.0 * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[rank as usize], sorted[rank.ceil() as usize]);
    Some(if rank.fract() == 0.0 || low.total_cmp(&high).is_eq() {
        low
    } else {
        low + (high - low) * rank.fract()
    })
}

fn agrees(answer: &Answer, events: &[Read]) -> Result<(), TestCaseError> {
    let cells = cells(answer, events);
    let counts: Vec<u64> = cells.iter().map(|cell| cell.len() as u64).collect();
    prop_assert_eq!(&answer.counts, &counts);
    prop_assert_eq!(answer.total, events.len() as u64);
    if answer.axes.iter().any(|axis| matches!(axis, Axis::Time { .. })) {
        prop_assert_eq!(
            answer.untimed,
            events.iter().filter(|read| read.event.time == NO_TIME).count() as u64
        );
    }
    for measured in &answer.measured {
        let (name, field) = measured
            .name
            .split_once('(')
            .map_or((measured.name.as_str(), ""), |(name, field)| (name, field.trim_end_matches(')')));
        for ((index, cell), value) in cells.iter().enumerate().zip(&measured.values) {
            let mut numbers: Vec<f64> = cell.iter().filter_map(|read| read.number(field)).collect();
            let mut texts = cell.iter().filter_map(|read| read.text(field));
            numbers.sort_unstable_by(f64::total_cmp);
            let count = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            // Sums over numbers of all sizes have no one right last digit.
            let tame =
                numbers.iter().all(|number| number.abs() < 1e15 && (number.abs() > 1e-6 || *number == 0.0));
            let value = value.as_ref();
            let same = match name {
                "count" => close(value, Some(count)),
                "sum" => !tame || close(value, (count > 0.0).then(|| numbers.iter().sum())),
                "avg" => !tame || close(value, (count > 0.0).then_some(mean)),
                "min" => close(value, numbers.first().copied()),
                "max" => close(value, numbers.last().copied()),
                "stddev" => {
                    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
                    let expected = (count > 1.0).then(|| (squares / (count - 1.0)).sqrt());
                    let found = value.and_then(Scalar::number);
                    let near = |found: f64, wanted: f64| {
                        (found - wanted).abs() <= 1e-6 * wanted.abs().max(mean.abs()).max(1e-3)
                    };
                    !tame
                        || found
                            .zip(expected)
                            .map_or(found.is_none() && expected.is_none(), |(found, wanted)| {
                                near(found, wanted)
                            })
                }
                "count_distinct" => {
                    let distinct: BTreeSet<String> = texts.collect();
                    value == Some(&Scalar::Int(distinct.len() as i64))
                }
                "first" => value.map(ToString::to_string) == texts.next(),
                "last" => value.map(ToString::to_string) == texts.next_back(),
                "rate" => width_ns(answer, index)
                    .is_none_or(|width| close(value, Some(cell.len() as f64 * 60e9 / width as f64))),
                percent => {
                    let percent = percent[1..].parse().expect("a percentile");
                    close(value, percentile(&numbers, percent))
                }
            };
            prop_assert!(same, "{} of {:?} is not {:?}", measured.name, numbers, value);
        }
        if name == "p50" || name == "sum" {
            let (numbers, there) = events.iter().fold((0, 0), |(numbers, there), read| {
                (
                    numbers + u64::from(read.number(field).is_some()),
                    there + u64::from(read.text(field).is_some()),
                )
            });
            let all = events.len() as u64;
            prop_assert_eq!((measured.missing, measured.mistyped), (all - there, there - numbers));
        }
    }
    Ok(())
}

/// The width of a cell's bucket of time, where there are such.
fn width_ns(answer: &Answer, cell: usize) -> Option<i64> {
    let at = answer.axes.iter().position(|axis| matches!(axis, Axis::Time { .. }))?;
    let faster: usize = answer.axes[at + 1..].iter().map(Axis::places).product();
    let Axis::Time { edges } = &answer.axes[at] else { return None };
    let bucket = cell / faster % answer.axes[at].places();
    Some(edges[bucket + 1] - edges[bucket])
}

/// The values of an axis are those that come first by the counts of all.
fn is_top(answer: &Answer, events: &[Read], order: TermOrder) -> Result<(), TestCaseError> {
    for axis in &answer.axes {
        let Axis::Terms { field, values, distinct } = axis else { continue };
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        events
            .iter()
            .filter_map(|read| read.text(field))
            .for_each(|text| *counts.entry(text).or_default() += 1);
        prop_assert_eq!(*distinct, counts.len() as u64);
        let sign = if order == TermOrder::Most { -1 } else { 1 };
        let mut all: Vec<i64> = counts.values().map(|count| sign * count).collect();
        all.sort_unstable();
        let found: Vec<i64> = values.iter().map(|value| sign * counts[&value.to_string()]).collect();
        prop_assert_eq!(&found[..], &all[..found.len()]);
        prop_assert_eq!(found.len(), all.len().min(5));
    }
    Ok(())
}

fn terms(field: &str, order: TermOrder) -> By {
    By::Terms { field: field.to_owned(), top: 5, order }
}

fn by() -> impl Strategy<Value = By> {
    let zones = prop::sample::select(vec!["UTC", "Europe/Berlin", "Asia/Kolkata"]);
    let interval = prop_oneof![
        Just(Interval::Auto(30)),
        Just(Interval::Fixed(3_600_000_000_000)),
        Just(Interval::Fixed(21_600_000_000_000)),
        Just(Interval::Calendar(1, CalendarUnit::Day)),
        Just(Interval::Calendar(1, CalendarUnit::Week)),
    ];
    let field = prop::sample::select(vec!["status", "took", "user", "level", "source", "bytes"]);
    let number = prop::sample::select(vec!["took", "bytes", "status"]);
    let bins = prop_oneof![Just(Bins::Linear { most: 12 }), Just(Bins::Logarithmic { most: 12 })];
    prop_oneof![
        (interval, zones)
            .prop_map(|(interval, name)| By::Time { interval, zone: zone(name).expect("a zone") }),
        field.prop_map(|field| terms(field, TermOrder::Most)),
        (number, bins).prop_map(|(field, bins)| By::Bins { field: field.to_owned(), bins }),
    ]
}

fn measure() -> impl Strategy<Value = Measure> {
    let number = prop::sample::select(vec!["took", "bytes", "status"]).prop_map(str::to_owned);
    let field = prop::sample::select(vec!["status", "took", "user"]).prop_map(str::to_owned);
    prop_oneof![
        number.clone().prop_map(|field| Measure::Stats { field }),
        number.prop_map(|field| Measure::Percentiles { field, at: vec![50.0, 99.0, 0.0, 12.5] }),
        field.clone().prop_map(|field| Measure::Distinct { field }),
        field.clone().prop_map(|field| Measure::First { field }),
        field.prop_map(|field| Measure::Last { field }),
        Just(Measure::Rate { per_ns: 60_000_000_000 }),
    ]
}

/// A request with time at most once.
fn request() -> impl Strategy<Value = Request> {
    (prop::collection::vec(by(), 0..3), prop::collection::vec(measure(), 0..3)).prop_map(
        |(mut by, measures)| {
            let mut timed = false;
            by.retain(|by| !matches!(by, By::Time { .. }) || !std::mem::replace(&mut timed, true));
            Request { by, measures }
        },
    )
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn every_calculation_agrees_with_the_plainest_reading(
        files in prop::collection::vec(prop::collection::vec(line(), 1..60), 1..4),
        requests in prop::collection::vec(request(), 12),
        query in prop::sample::select(vec!["*", "level:error", "user:7 OR level:info", "NOT done", "bytes>25"]),
        ranged in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let known: Vec<String> = files.iter().map(|lines| lines.concat()).collect();
        let case = imported(folder.path(), &files);
        let range = if ranged { (indexer::stamp::parse("2026-03-27T05:30:00Z"), indexer::stamp::parse("2026-03-28T07:00:00Z")) } else { (None, None) };
        let view = View { filter: parse(query).expect("a query"), from: range.0, to: range.1 };
        let events = read(&case, &view);
        for request in requests {
            let text = format!("{request:?}");
            let named = ["status", "took"].iter().all(|field| !text.contains(&format!("{field:?}")) || known.iter().any(|log| log.contains(&format!("{field:?}"))));
            if !named {
                continue;
            }
            // What numbers of all sizes are in bins of, a person does not name; the bins are tested by themselves.
            let answer = ask(&case, &view, &request);
            agrees(&answer, &events)?;
            is_top(&answer, &events, TermOrder::Most)?;
        }
        let rare = Request { by: vec![terms("user", TermOrder::Fewest)], measures: vec![] };
        is_top(&ask(&case, &view, &rare), &events, TermOrder::Fewest)?;
        let sorted = Request { by: vec![terms("user", TermOrder::Value)], measures: vec![] };
        let Axis::Terms { values, .. } = &ask(&case, &view, &sorted).axes[0] else { panic!("terms") };
        let users: BTreeSet<String> = events.iter().filter_map(|read| read.text("user")).collect();
        prop_assert_eq!(values.iter().map(ToString::to_string).collect::<Vec<_>>(), users.into_iter().take(5).collect::<Vec<_>>());
    }
}

#[test]
fn events_without_a_time_are_in_no_bucket_and_in_every_other_figure() {
    let untimed = |value: &str| format!("{{\"status\":200,\"took\":{value}}}\n");
    let timed = "{\"ts\":\"2026-03-27T05:30:00Z\",\"status\":200,\"took\":5}\n".to_owned();
    let time = || By::Time { interval: Interval::Auto(30), zone: TimeZone::UTC };
    let took = || "took".to_owned();
    for files in [
        vec![vec![untimed("1.5"), untimed("\"long\"")]],
        vec![vec![untimed("7"), untimed("null")], vec![timed]],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let case = imported(folder.path(), &files);
        let view = View::parse("*", None, None).expect("a view");
        for measure in [
            Measure::Stats { field: took() },
            Measure::Percentiles { field: took(), at: vec![50.0] },
            Measure::Distinct { field: took() },
            Measure::Last { field: took() },
        ] {
            let request = Request { by: vec![time()], measures: vec![measure] };
            let agreed = agrees(&ask(&case, &view, &request), &read(&case, &view));
            assert!(agreed.is_ok(), "{agreed:?} for {request:?}");
        }
    }
}

#[test]
fn a_cancelled_calculation_ends_and_a_field_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "{\"ts\":\"2026-03-27T05:30:00Z\",\"status\":200}\n".to_owned();
    let case = imported(folder.path(), &[vec![line]]);
    let view = View::parse("*", None, None).expect("a view");
    let request = Request {
        by: vec![By::Time { interval: Interval::Auto(10), zone: TimeZone::UTC }],
        measures: vec![Measure::Stats { field: "sttaus".to_owned() }],
    };
    let asked = |request: &Request, cancel: &Cancel| {
        case.aggregate(&case.snapshot(), &view, request, &mut |_, _| {}, cancel).expect_err("no answer")
    };
    assert_eq!(asked(&request, &Cancel::default()).hint_text(), Some("did you mean `status`?"));
    let cancel = Cancel::default();
    cancel.set();
    assert_eq!(asked(&Request::default(), &cancel).kind(), indexer::ErrorKind::Cancelled);
}
