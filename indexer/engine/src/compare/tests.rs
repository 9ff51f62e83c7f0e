//! Comparisons against a slow reference over plain lists of events, and what must hold at the edges.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;

use super::cells::{Cells, RestEvents};
use super::counts::{self, Counts};
use super::score::{self, Rates};
use super::sides::{Origin, Sides};
use super::*;
use crate::test_case::{ImportOptions, Random, TestCase};
use patterns::Granularity;
use store::{Profile, Scalar};

pub(super) const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
pub(super) const START: i64 = 1_772_373_600 * SECOND;

/// An event as it is written to the log, one a second.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub fields: Vec<(&'static str, String)>,
    pub level: &'static str,
    pub message: String,
    pub took: Option<u64>,
}

fn event(random: &mut Random) -> Event {
    let service = ["cart", "login", "search"][random.below(3) as usize];
    let status = [200, 200, 200, 404, 500][random.below(5) as usize];
    let mut fields = vec![("service", service.to_owned()), ("status", status.to_string())];
    if random.below(2) == 0 {
        fields.push(("host", format!("h{}", random.below(4))));
    }
    let message = match random.below(4) {
        0 => format!("user {} signed in", random.below(90)),
        1 => format!("job {} took {} ms", random.below(900), random.below(90)),
        2 => "cache refreshed".to_owned(),
        _ => format!("queue is {}% full", random.below(100)),
    };
    let took = (random.below(5) > 0).then(|| random.below(200) + 1);
    Event { fields, level: if status == 500 { "error" } else { "info" }, message, took }
}

pub(super) fn random_events(seed: u64, count: usize) -> Vec<Event> {
    let mut random = Random(seed);
    (0..count).map(|_| event(&mut random)).collect()
}

pub(super) fn case_of(folder: &Path, events: &[Event]) -> TestCase {
    let line = |(place, event): (usize, &Event)| {
        let time = base::stamp::to_rfc3339(START + place as i64 * SECOND);
        let mut line =
            format!("{{\"time\":\"{time}\",\"level\":\"{}\",\"message\":\"{}\"", event.level, event.message);
        for (field, value) in &event.fields {
            let quoted = if value.parse::<u64>().is_ok() { value.clone() } else { format!("\"{value}\"") };
            let _ = write!(line, ",\"{field}\":{quoted}");
        }
        if let Some(took) = event.took {
            let _ = write!(line, ",\"took\":{took}");
        }
        line + "}\n"
    };
    let log = folder.join("app.ndjson");
    std::fs::write(&log, events.iter().enumerate().map(line).collect::<String>()).expect("written");
    let case = TestCase::create(&folder.join("a.case")).expect("a case");
    let options = ImportOptions { profile: Some(Profile::Fields), ..ImportOptions::default() };
    let report = case.import(&[log], &options, &|_| {}, &Cancel::default()).expect("it is read");
    assert!(report.failure.is_none());
    case
}

pub(super) fn view(query: &str, from: Option<usize>, to: Option<usize>) -> View {
    let time = |place: usize| START + place as i64 * SECOND;
    View::parse(query, from.map(time), to.map(time)).expect("a query")
}

pub(super) fn compare(case: &TestCase, a: &View, b: &View) -> Comparison {
    case.compare(&case.snapshot(), [a, b], ROWS, &mut |_, _| {}, &Cancel::default()).expect("an answer")
}

/// The two sides of a test: the views, and the same as a test on an event and its place.
type Choice = Box<dyn Fn(usize, &Event) -> bool>;

fn choices(count: usize) -> Vec<([View; 2], [Choice; 2])> {
    let half = count / 2;
    let is_error = |_: usize, event: &Event| event.level == "error";
    let has = |event: &Event, name: &str, value: &str| {
        event.fields.iter().any(|(field, own)| *field == name && own == value)
    };
    vec![
        (
            [view("*", None, Some(half)), view("*", Some(half), None)],
            [Box::new(move |place, _| place < half), Box::new(move |place, _| place >= half)],
        ),
        (
            [view("level=info", None, None), view("level=error", None, None)],
            [Box::new(move |place, event| !is_error(place, event)), Box::new(is_error)],
        ),
        (
            [view("service=cart", None, Some(half)), view("service=cart OR host=h1", Some(half / 2), None)],
            [
                Box::new(move |place, event| place < half && has(event, "service", "cart")),
                Box::new(move |place, event| {
                    place >= half / 2 && (has(event, "service", "cart") || has(event, "host", "h1"))
                }),
            ],
        ),
    ]
}

/// What a value is called in the lists of the reference.
fn values_of(event: &Event) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> =
        event.fields.iter().map(|(field, value)| ((*field).to_owned(), value.clone())).collect();
    values.push(("level".to_owned(), event.level.to_owned()));
    values
}

/// The template of each event, asked one by one.
fn templates(case: &TestCase) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |_: crate::Event, template: Option<&patterns::Template>| {
        found.push(template.map(|template| template.id.to_string()).unwrap_or_default());
        Ok(())
    };
    let all = view("*", None, None);
    case.for_each_template(&case.snapshot(), &all, Granularity::Template, &Cancel::default(), &mut each)
        .expect("templates");
    found
}

/// Counts one after the other.
fn tally<T: Ord>(
    events: &[Event],
    choice: &[Choice; 2],
    of: impl Fn(usize, &Event) -> Vec<T>,
) -> BTreeMap<T, [u64; 2]> {
    let mut found: BTreeMap<T, [u64; 2]> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        for (side, is_in) in choice.iter().enumerate() {
            if is_in(place, event) {
                for key in of(place, event) {
                    found.entry(key).or_default()[side] += 1;
                }
            }
        }
    }
    found
}

#[test]
fn counts_and_scores_equal_those_of_the_reference() {
    for seed in 0..6 {
        let count = 300 + 150 * seed as usize;
        let events = random_events(seed, count);
        let folder = tempfile::tempdir().expect("a folder");
        let case = case_of(folder.path(), &events);
        let (snapshot, cancel, of_event) = (case.snapshot(), Cancel::default(), templates(&case));
        for (views, choice) in choices(count) {
            let origin = Origin { case: &case, snapshot: &snapshot, sampled_by: None };
            let sides = Sides::new([origin, origin], &views, &cancel);
            let mut fast = Counts::of_patterns(&sides).expect("counted");
            let mut left_out = Vec::new();
            for field in counts::fields(&sides, &mut left_out) {
                fast.add_field(&sides, &field, &mut left_out).expect("counted");
            }
            let totals = tally(&events, &choice, |_, _| vec![()])[&()];
            assert_eq!(fast.events, totals);
            let both =
                (0..count).filter(|&place| choice.iter().all(|is_in| is_in(place, &events[place]))).count();
            assert_eq!(sides.shared().expect("counted"), both as u64);

            let naive = tally(&events, &choice, |place, _| vec![of_event[place].clone()]);
            let known = fast.places.templates();
            let found: BTreeMap<String, [u64; 2]> = (0..known.len())
                .map(|place| (known[place].id.to_string(), fast.patterns[place]))
                .filter(|(_, counts)| *counts != [0, 0])
                .collect();
            assert_eq!(found, naive, "patterns of seed {seed}");

            let naive = tally(&events, &choice, |_, event| values_of(event));
            let mut found = BTreeMap::new();
            for field in &fast.fields {
                for (code, counts) in field.occurring() {
                    let value = field.values.values([code]).pop().flatten().expect("a value");
                    found.insert((field.field.clone(), value.to_string()), counts);
                }
            }
            found.retain(|(field, _), _| field != "source");
            let naive: BTreeMap<_, _> =
                naive.into_iter().filter(|((field, _), _)| !sides.is_chosen_by(field)).collect();
            assert_eq!(found, naive, "values of seed {seed}");

            let reference = Reference { events: &events, choice: &choice, templates: &of_event };
            reference.check_candidates(&sides, &fast);
            reference.check_rhythm(&fast);
        }
    }
}

/// Plain lists.
struct Reference<'a> {
    events: &'a [Event],
    choice: &'a [Choice; 2],
    /// Of each event.
    templates: &'a [String],
}

impl Reference<'_> {
    /// Every candidate has the score of its counts, and the cells count them together.
    fn check_candidates(&self, sides: &Sides<'_>, fast: &Counts) {
        let Reference { events, choice, templates } = self;
        let (count, totals) = (events.len(), fast.events);
        let mut candidates = fast.candidates(1.0);
        candidates.truncate(super::cells::MOST);
        let cells = Cells::count(sides, fast, &candidates).expect("counted");
        let has = |place: usize, candidate: usize| match &candidates[candidate].subject {
            Subject::Pattern { id, .. } => templates[place] == id.to_string(),
            Subject::Value { field, value } if field == "source" => value.to_string() == "app.ndjson",
            Subject::Value { field, value } => {
                values_of(&events[place]).contains(&(field.clone(), value.to_string()))
            }
            other => panic!("{other} is no candidate"),
        };
        for (one, candidate) in candidates.iter().enumerate() {
            let expected = tally(events, choice, |place, _| vec![has(place, one)]);
            assert_eq!(Some(&candidate.counts), expected.get(&true), "{}", candidate.subject);
            for (side, choice) in choice.iter().enumerate() {
                let edges = &fast.rhythms[side].edges;
                let bucket = |part: usize| {
                    let is_in = |place: usize| {
                        let time = START + place as i64 * SECOND;
                        let is_then = edges[part] <= time && time < edges[part + 1];
                        is_then && choice(place, &events[place]) && has(place, one)
                    };
                    (0..count).filter(|&place| is_in(place)).count() as u32
                };
                let parts: Vec<u32> = (0..super::rhythm::BUCKETS).map(bucket).collect();
                assert_eq!(cells.buckets[one][side], parts, "{}", candidate.subject);
            }
            let filter = candidate.subject.filter();
            let views = [sides.view_with(0, &filter), sides.view_with(1, &filter)];
            let within = fast.values_within(sides, &views).expect("counted");
            for (field, within) in
                fast.fields.iter().zip(&within).filter(|(field, _)| field.field != "source")
            {
                let naive = tally(events, choice, |place, event| {
                    let own = values_of(event).into_iter().find(|(name, _)| *name == field.field);
                    own.filter(|_| has(place, one)).map(|(_, value)| value).into_iter().collect()
                });
                for (code, _) in field.occurring() {
                    let value = field.values.values([code]).pop().flatten().expect("a value").to_string();
                    let found = [0, 1].map(|side: usize| u64::from(within[side][code as usize]));
                    assert_eq!(found, naive.get(&value).copied().unwrap_or_default(), "{value}");
                }
            }
            let rates = Rates::new(candidate.counts, totals);
            let naive = rates.at_least(1.0).log2() * (1.0 + rates.excess()).log2();
            assert!((candidate.score - naive).abs() < 1e-9 || candidate.stop.is_some());
            let without = (one + 1) % candidates.len();
            if without != one {
                let rest = tally(events, choice, |place, _| {
                    if has(place, without) { Vec::new() } else { vec![has(place, one)] }
                });
                let of = |key| rest.get(&key).copied().unwrap_or_default();
                let (with, other) = (of(true), of(false));
                let expected = RestEvents { own: with, all: [with[0] + other[0], with[1] + other[1]] };
                assert_eq!(cells.rest(one, 1 << without), expected);
                let (mut both, mut either) = (0, 0);
                for (place, event) in events.iter().enumerate() {
                    let times = choice.iter().filter(|is_in| is_in(place, event)).count();
                    both += times * usize::from(has(place, one) && has(place, without));
                    either += times * usize::from(has(place, one) || has(place, without));
                }
                assert!((cells.overlap(one, without) - both as f64 / either.max(1) as f64).abs() < 1e-12);
            }
        }
    }

    /// The rhythm of B, bucket by bucket.
    fn check_rhythm(&self, fast: &Counts) {
        let Reference { events, choice, templates } = self;
        let edges = &fast.rhythms[1].edges;
        for (place, template) in fast.places.templates().iter().enumerate() {
            let mut parts = vec![0_u32; super::rhythm::BUCKETS];
            let mut last = i64::MIN;
            for (row, _) in events.iter().enumerate().filter(|(row, event)| choice[1](*row, event)) {
                let time = START + row as i64 * SECOND;
                if templates[row] == template.id.to_string() {
                    let part = (0..parts.len()).find(|&part| edges[part] <= time && time < edges[part + 1]);
                    parts[part.expect("it is in a part")] += 1;
                    last = time;
                }
            }
            let found = &fast.rhythms[1].patterns[place];
            assert_eq!(found.iter().sum::<u32>(), parts.iter().sum::<u32>());
            assert!(found.is_empty() || *found == parts, "{}", template.text());
            assert_eq!(fast.rhythms[1].last[place], last);
        }
    }
}

/// The largest difference between the shares of numbers up to any of them.
fn naive_distance(mut numbers: [Vec<u64>; 2]) -> f64 {
    for numbers in &mut numbers {
        numbers.sort_unstable();
    }
    let share = |side: usize, upto: u64| {
        numbers[side].partition_point(|&number| number <= upto) as f64 / numbers[side].len() as f64
    };
    let all = numbers.iter().flatten().copied();
    all.map(|upto| (share(0, upto) - share(1, upto)).abs()).fold(0.0, f64::max)
}

#[test]
fn numbers_move_as_far_as_the_reference_says() {
    let mut held = 0;
    for seed in 20..24 {
        let mut events = random_events(seed, 3_000);
        let slow = |event: &Event| event.fields.contains(&("service", "cart".to_owned()));
        for event in events.iter_mut().skip(1_500) {
            if slow(event) {
                event.took = event.took.map(|took| took + 40);
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let case = case_of(folder.path(), &events);
        let found = compare(&case, &view("*", None, Some(1_500)), &view("*", Some(1_500), None));
        let [first] = found.differences.as_slice() else { panic!("{:#?}", found.differences) };
        assert_eq!(first.subject.to_string(), "took where service=cart");
        assert_eq!(first.change, Change::Moved);
        let numbers = |from: usize, to: usize| {
            let mut numbers: Vec<u64> =
                events[from..to].iter().filter(|event| slow(event)).filter_map(|event| event.took).collect();
            numbers.sort_unstable();
            numbers
        };
        let sides = [numbers(0, 1_500), numbers(1_500, 3_000)];
        let moved = first.moved.as_ref().expect("it moved");
        // Up to 64 the bins hold one number each; a bin above holds those of a 32nd.
        let exact = naive_distance(sides.clone());
        assert!(
            moved.distance <= exact + 1e-12 && moved.distance >= exact - 0.06,
            "{} {exact}",
            moved.distance
        );
        assert_eq!(first.counts, [sides[0].len() as u64, sides[1].len() as u64]);
        for (place, percent) in [50, 95, 99].into_iter().enumerate() {
            for (side, sorted) in sides.iter().enumerate() {
                let rank = percent * (sorted.len() - 1);
                let (low, high) = (sorted[rank / 100], sorted[rank.div_ceil(100)]);
                let expected = low as f64 + (high - low) as f64 * (rank % 100) as f64 / 100.0;
                let found = moved.percentiles[place][side].as_ref().and_then(Scalar::number);
                assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "p{percent}");
            }
        }
        let quantile = |sorted: &[u64], share: f64| {
            let rank = share * (sorted.len() - 1) as f64;
            let (low, high) = (sorted[rank.floor() as usize] as f64, sorted[rank.ceil() as usize] as f64);
            low + (high - low) * rank.fract()
        };
        let [a, b] = sides.each_ref().map(|side| side.len() as f64);
        let margin = ((2.0_f64 / 0.05).ln() / 2.0 * (1.0 / a + 1.0 / b)).sqrt();
        assert_eq!(moved.curve.len(), 17);
        for point in &moved.curve {
            let near = |found: f64, side: usize, at: f64| (found - quantile(&sides[side], at)).abs() < 1e-6;
            assert!(near(point.a, 0, point.quantile) && near(point.b, 1, point.quantile), "{point:?}");
            let (low, high) = (point.quantile - margin, point.quantile + margin);
            assert_eq!((point.low.is_some(), point.high.is_some()), (low > 0.0, high < 1.0));
            assert!(point.low.is_none_or(|found| near(found, 1, low)), "{point:?} {low}");
            assert!(point.high.is_none_or(|found| near(found, 1, high)), "{point:?} {high}");
        }
        // All moved by 40, and nothing else: the band contains that everywhere, in 19 of 20 logs.
        let holds = |point: &CurvePoint| {
            let (low, high) = (point.low.map(|low| low - point.a), point.high.map(|high| high - point.a));
            low.is_none_or(|low| low <= 40.0) && high.is_none_or(|high| high >= 40.0)
        };
        held += usize::from(moved.curve.iter().all(holds));
        let share = |side: usize| {
            let greater = sides[side].iter().filter(|&&number| number as f64 >= moved.threshold).count();
            greater as f64 / sides[side].len() as f64
        };
        assert!((share(1) - share(0) - moved.distance).abs() < 1e-9, "{}", moved.threshold);
    }
    assert!(held >= 3, "{held}");
}

#[test]
fn pattern_that_stops_is_listed_with_its_last_time() {
    let mut events = random_events(32, 6_000);
    for (place, event) in events.iter_mut().enumerate().filter(|(place, _)| place % 20 == 0) {
        event.message =
            if place < 4_200 { "heartbeat of the scheduler" } else { "cache refreshed" }.to_owned();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compare(&case, &view("*", None, Some(3_000)), &view("*", Some(3_000), None));
    let first = found.differences.first().expect("a difference");
    assert_eq!(first.change, Change::Stopped, "{first:#?}");
    let stop = first.stop.expect("it stopped");
    assert_eq!(stop.last, START + 4_180 * SECOND);
    assert!((stop.expected - 90.0).abs() < 10.0, "{stop:?}");
}

#[test]
fn one_event_is_compared_with_many() {
    let mut events = random_events(39, 20_000);
    // It is like none of the others.
    events[10_000] = Event {
        fields: vec![("code", "E77".to_owned())],
        level: "fatal",
        message: "disk sda1 is read-only".to_owned(),
        took: Some(900_000),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let one = view("*", Some(10_000), Some(10_001));
    for (many, shared) in [(view("*", None, None), 1), (view("*", None, Some(10_000)), 0)] {
        for sides in [[&one, &many], [&many, &one]] {
            let found = compare(&case, sides[0], sides[1]);
            let rows = (found.differences.len(), found.unlisted, found.first.as_ref());
            assert_eq!((rows, found.shared), ((0, 0, None), shared), "{found:#?}");
            assert!(found.notes()[0].contains("1 event, too few"), "{:?}", found.notes());
        }
    }
}

#[test]
fn empty_shared_and_tiny_sides_have_notes() {
    let events = random_events(33, 2_000);
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let all = view("*", None, None);
    let empty = compare(&case, &view("service=cart AND service=login", None, None), &all);
    assert_eq!((empty.events, empty.differences.len()), ([0, 2_000], 0));
    assert_eq!(empty.notes(), ["A has no events, so there is nothing to compare"]);
    let same = compare(&case, &all, &all);
    assert_eq!((same.shared, same.differences.len()), (2_000, 0));
    assert!(same.notes()[0].contains("2000 events are on both sides (100.0 %"), "{:?}", same.notes());
    let one = compare(&case, &view("*", None, Some(1)), &view("*", Some(1), None));
    assert_eq!((one.events, one.differences.len()), ([1, 1_999], 0));
    assert!(one.notes()[0].contains("A has 1 event, too few"), "{:?}", one.notes());
    let unknown = View::parse("servise=cart", None, None).expect("a query");
    let error = case.compare(&case.snapshot(), [&unknown, &all], ROWS, &mut |_, _| {}, &Cancel::default());
    assert!(error.expect_err("a mistake").to_string().contains("servise"));
}

#[test]
fn fields_that_choose_the_sides_sequences_and_names_are_left_out() {
    let mut events = random_events(34, 1_000);
    for (place, event) in events.iter_mut().enumerate() {
        event.took = Some(100_000 + place as u64 * 7);
        event
            .fields
            .push(("mixed", if place % 2 == 0 { place.to_string() } else { format!("x{}", place % 3) }));
        // Names that moved by a restart say nothing by themselves.
        event.fields.push(("pid", (place / 500 * 9_000 + place * 31 % 700).to_string()));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compare(&case, &view("*", None, Some(500)), &view("*", Some(500), None));
    assert!(found.left_out.contains(&("took".to_owned(), LeftOut::CountsUp)), "{:?}", found.left_out);
    assert!(found.left_out.contains(&("mixed".to_owned(), LeftOut::CountsUp)), "{:?}", found.left_out);
    assert!(found.left_out.contains(&("pid".to_owned(), LeftOut::ManyValues)), "{:?}", found.left_out);
    let found = compare(&case, &view("level=info", None, None), &view("level=error", None, None));
    assert!(found.left_out.contains(&("level".to_owned(), LeftOut::ChosenBy)));
    assert_eq!(found.differences[0].subject.to_string(), "status=500");
    // A field that limits both sides alike is compared.
    let both = "(level=error OR level=info)";
    let found = compare(
        &case,
        &view(&format!("{both} status=200"), None, None),
        &view(&format!("status=500 {both}"), None, None),
    );
    assert!(!found.left_out.contains(&("level".to_owned(), LeftOut::ChosenBy)), "{:?}", found.left_out);
    assert!(found.left_out.contains(&("status".to_owned(), LeftOut::ChosenBy)), "{:?}", found.left_out);
}

#[test]
fn first_rows_come_before_the_last_and_it_can_be_cancelled() {
    let mut events = random_events(35, 2_000);
    events.iter_mut().skip(1_000).step_by(10).for_each(|event| event.message = "out of memory".to_owned());
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let [a, b] = [view("*", None, Some(1_000)), view("*", Some(1_000), None)];
    let mut seen: Vec<(Vec<String>, f64)> = Vec::new();
    let mut partial = |found: &Comparison, share: f64| {
        seen.push((found.differences.iter().map(|row| row.subject.to_string()).collect(), share));
    };
    let whole =
        case.compare(&case.snapshot(), [&a, &b], ROWS, &mut partial, &Cancel::default()).expect("an answer");
    assert!(seen[0].0.contains(&"out of memory".to_owned()) && seen[0].1 < 1.0, "{seen:?}");
    assert_eq!(whole.differences[0].subject.to_string(), "out of memory");
    let cancel = Cancel::default();
    let stopped = case.compare(&case.snapshot(), [&a, &b], ROWS, &mut |_, _| cancel.set(), &cancel);
    assert_eq!(stopped.expect_err("it was cancelled").kind(), base::error::ErrorKind::Cancelled);
}

#[test]
fn equal_halves_have_no_difference() {
    let mut rows = HashMap::new();
    for seed in 40..52 {
        let events = random_events(seed, 3_000);
        let folder = tempfile::tempdir().expect("a folder");
        let case = case_of(folder.path(), &events);
        let found = compare(&case, &view("*", None, Some(1_500)), &view("*", Some(1_500), None));
        rows.insert(seed, found.differences.len());
        assert!(score::threshold(100) > 10.0);
    }
    assert!(rows.values().filter(|&&count| count > 0).count() == 0, "{rows:?}");
}
