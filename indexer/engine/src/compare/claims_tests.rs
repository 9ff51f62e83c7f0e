//! Nothing that a comparison says is false: over generated pairs of sides with known causes, and in cases that once were.

use std::fmt::Write;
use std::path::Path;

use super::claims::{Claims, Raw, RawSide};
use super::tests::{SECOND, START};
use super::*;
use crate::test_case::{ImportOptions, Random, TestCase};
use store::Profile;

/// Pairs in `npm test`. `TIMBERLINE_PAIRS=400 cargo test -p timberline-engine --lib -- claims` checks more.
const PAIRS: u64 = 40;

const APP: &str = "app.ndjson";
const EDGE: &str = "edge.ndjson";

/// Half an hour for both sides.
const HALF_S: i64 = 900;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Nothing,
    /// A host has more of the events.
    Value,
    /// The requests of one host fail.
    Pair,
    /// The requests of one service, or all of them, take longer.
    Number,
    /// A message comes no more.
    Stop,
    /// A new error.
    Error,
    /// A tenth of the traffic, or three times as much.
    Volume,
    /// Slow requests are more, and none of them is slower.
    Confounder,
    /// Two sources have errors at the same time; none of their events is one of the other source.
    Separate,
    /// A new error among errors, which were few before.
    Filter,
}

const CAUSES: [Cause; 10] = [
    Cause::Nothing,
    Cause::Value,
    Cause::Pair,
    Cause::Number,
    Cause::Stop,
    Cause::Error,
    Cause::Volume,
    Cause::Confounder,
    Cause::Separate,
    Cause::Filter,
];

pub(super) fn case_of(folder: &Path, events: &[Raw]) -> TestCase {
    let paths = [APP, EDGE].map(|file| {
        let line = |event: &Raw| {
            let time = base::stamp::to_rfc3339(event.time);
            let mut line = format!(
                "{{\"time\":\"{time}\",\"level\":\"{}\",\"message\":\"{}\"",
                event.level, event.message
            );
            for (field, value) in &event.fields {
                let _ = write!(line, ",\"{field}\":\"{value}\"");
            }
            if let Some(took) = event.took {
                let _ = write!(line, ",\"took\":{took:.1}");
            }
            line + "}\n"
        };
        let path = folder.join(file);
        let own = events.iter().filter(|event| event.file == file);
        std::fs::write(&path, own.map(line).collect::<String>()).expect("written");
        path
    });
    let case = TestCase::create(&folder.join("a.case")).expect("a case");
    let options = ImportOptions { profile: Some(Profile::Fields), ..ImportOptions::default() };
    let report = case.import(&paths, &options, &|_| {}, &Cancel::default()).expect("it is read");
    assert!(report.failure.is_none());
    case
}

fn time(second: i64) -> i64 {
    START + second * SECOND
}

/// All events that pass a test, from a second to another one.
fn side(query: &str, times: [i64; 2], is_it: fn(&Raw) -> bool) -> RawSide {
    let [from, to] = times.map(time);
    RawSide {
        view: View::parse(query, Some(from), Some(to)).expect("a query"),
        has: Box::new(move |event: &Raw| (from..to).contains(&event.time) && is_it(event)),
        times: vec![(from, to)],
    }
}

/// All events but those from a second to another one.
fn outside(query: &str, times: [i64; 2], all: [i64; 2], is_it: fn(&Raw) -> bool) -> RawSide {
    let [from, to] = times.map(time);
    let stamps = [from, to].map(base::stamp::to_rfc3339);
    let query = format!("{query} NOT (time>={} time<{})", stamps[0], stamps[1]);
    RawSide {
        view: View::parse(&query, None, None).expect("a query"),
        has: Box::new(move |event: &Raw| !(from..to).contains(&event.time) && is_it(event)),
        times: vec![(all[0], from), (to, all[1])],
    }
}

struct GeneratedPair {
    events: Vec<Raw>,
    sides: [RawSide; 2],
    cause: Cause,
    /// A part of the text of the row that names the cause.
    named: Option<String>,
}

fn any(_: &Raw) -> bool {
    true
}

fn is_error(event: &Raw) -> bool {
    event.level == "error"
}

fn pick<'t>(random: &mut Random, of: &[&'t str]) -> &'t str {
    of[random.below(of.len() as u64) as usize]
}

/// As it is written.
fn tenth(number: f64) -> f64 {
    format!("{number:.1}").parse().unwrap_or(number)
}

/// The times of events at any time, so many in a hundred seconds.
fn any_times(random: &mut Random, [from, to]: [i64; 2], rate: u64) -> Vec<i64> {
    let count = (to - from) as u64 * rate / 100;
    (0..count).map(|_| time(from) + random.below(((to - from) * SECOND) as u64) as i64).collect()
}

fn request(random: &mut Random, at: i64) -> Raw {
    let service = pick(random, &["cart", "cart", "login", "search"]);
    let host = pick(random, &["h0", "h1", "h2", "h3"]);
    let status = if random.below(20) == 0 { "404" } else { "200" };
    let message = match random.below(4) {
        0 => format!("user {} signed in", random.below(90)),
        1 => format!("page {} rendered", random.below(900)),
        2 => "cache refreshed".to_owned(),
        _ => format!("queue is {}% full", random.below(100)),
    };
    let fields = vec![
        ("service", service.to_owned()),
        ("host", host.to_owned()),
        ("status", status.to_owned()),
        ("region", if host < "h2" { "eu" } else { "us" }.to_owned()),
    ];
    let took = 20.0 + random.below(400) as f64 / 10.0 + if service == "search" { 150.0 } else { 0.0 };
    Raw { time: at, file: APP, level: "info", message, fields, took: Some(took) }
}

fn set(event: &mut Raw, field: &str, value: &str) {
    for (name, own) in &mut event.fields {
        if *name == field {
            value.clone_into(own);
        }
    }
}

fn value_of(event: &Raw, field: &str) -> String {
    event.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone()).unwrap_or_default()
}

fn failed(event: &mut Raw, message: String) {
    (event.level, event.message) = ("error", message);
}

/// The cause that a comparison has to name, in the words of its rows.
fn named(cause: Cause, host: &str) -> Option<String> {
    match cause {
        Cause::Value => Some(format!("host={host}")),
        Cause::Pair => Some("upstream of page".to_owned()),
        Cause::Number => Some("took".to_owned()),
        Cause::Stop => Some("heartbeat of".to_owned()),
        Cause::Error => Some("no route to ledger".to_owned()),
        Cause::Confounder => Some("service=search".to_owned()),
        Cause::Separate => Some("pool is empty".to_owned()),
        Cause::Filter => Some("no database connection".to_owned()),
        Cause::Nothing | Cause::Volume => None,
    }
}

fn pair(seed: u64) -> GeneratedPair {
    let random = &mut Random(seed * 7_919 + 1);
    let cause = CAUSES[seed as usize % CAUSES.len()];
    let rate = 60 + random.below(80);
    let all = [0, 2 * HALF_S];
    let rate_of_b = match cause {
        Cause::Volume if random.below(2) == 0 => rate / 10,
        Cause::Volume => 3 * rate,
        _ => rate,
    };
    let mut events: Vec<Raw> = Vec::new();
    for (times, rate) in [([0, HALF_S], rate), ([HALF_S, 2 * HALF_S], rate_of_b)] {
        events.extend(any_times(random, times, rate).into_iter().map(|at| request(random, at)));
    }
    let (host, service) =
        (pick(random, &["h0", "h1", "h2", "h3"]), pick(random, &["cart", "login", "search"]));
    let is_all = random.below(2) == 0;
    let share = 10 + random.below(30);
    let slower = 15.0 + random.below(60) as f64;
    for event in &mut events {
        let is_later = event.time >= time(HALF_S);
        match cause {
            Cause::Value if is_later && random.below(100) < 2 * share => set(event, "host", host),
            Cause::Pair if is_later && value_of(event, "host") == host && random.below(100) < 20 + share => {
                set(event, "status", "503");
                failed(event, format!("upstream of page {} is gone", random.below(500)));
            }
            Cause::Number if is_later && (is_all || value_of(event, "service") == service) => {
                event.took = event.took.map(|took| took + slower);
            }
            Cause::Stop if random.below(12) == 0 => {
                let has_stopped = event.time >= time(HALF_S + HALF_S * 6 / 10);
                event.message =
                    if has_stopped { "cache refreshed" } else { "heartbeat of the scheduler" }.to_owned();
            }
            Cause::Error if is_later && random.below(100) < share / 3 => {
                failed(event, format!("no route to ledger {}", random.below(900)));
            }
            Cause::Confounder if is_later && random.below(100) < 20 + share => {
                let fast = !matches!(value_of(event, "service").as_str(), "search");
                set(event, "service", "search");
                event.took = event.took.map(|took| if fast { took + 150.0 } else { took });
            }
            _ => {}
        }
    }
    let edge = |at: i64, level: &'static str, message: &str| Raw {
        time: at,
        file: EDGE,
        level,
        message: message.to_owned(),
        fields: vec![("status", "200".to_owned())],
        took: None,
    };
    let mut sides = [side("*", [0, HALF_S], any), side("*", [HALF_S, 2 * HALF_S], any)];
    let burst = [1_200, 1_200 + 30 + random.below(60) as i64];
    if matches!(cause, Cause::Separate | Cause::Filter) {
        events.extend(any_times(random, all, 50).into_iter().map(|at| edge(at, "info", "GET /index.html")));
        events.extend(any_times(random, burst, 200).into_iter().map(|at| edge(at, "error", "pool is empty")));
        for at in any_times(random, burst, 150) {
            let mut event = request(random, at);
            failed(&mut event, format!("no database connection within {} ms", 5_000 + random.below(9)));
            events.push(event);
        }
        if cause == Cause::Filter {
            for at in any_times(random, all, 2) {
                let mut event = request(random, at);
                failed(&mut event, format!("login of user {} refused", random.below(90)));
                events.push(event);
            }
        }
        let window = [burst[0] - 60, burst[1] + 60];
        let (query, is_it): (&str, fn(&Raw) -> bool) =
            if cause == Cause::Filter { ("level=error", is_error) } else { ("*", any) };
        let ends = [events.iter().map(|event| event.time).min(), events.iter().map(|event| event.time).max()];
        let ends = ends.map(|end| end.expect("a time"));
        sides = [outside(query, window, [ends[0], ends[1] + 1], is_it), side(query, window, is_it)];
    } else {
        // Both ends are known, so that each side has the same time.
        for at in [time(0), time(2 * HALF_S) - 1_000_000] {
            events.push(request(random, at));
        }
    }
    // Each has a time of its own, to a millisecond as it is written.
    events.sort_by_key(|event| event.time);
    let mut last = i64::MIN;
    for event in &mut events {
        event.time = (event.time / 1_000_000 * 1_000_000).max(last + 1_000_000);
        last = event.time;
        event.took = event.took.map(tenth);
    }
    if matches!(cause, Cause::Separate | Cause::Filter) {
        let ends = [events[0].time, last + 1];
        sides[0].times = vec![(ends[0], sides[0].times[0].1), (sides[0].times[1].0, ends[1])];
    }
    let end = last + 1;
    for side in &mut sides {
        side.times = side.times.iter().map(|&(from, to)| (from.max(events[0].time), to.min(end))).collect();
    }
    GeneratedPair { events, sides, cause, named: named(cause, host) }
}

fn compared(case: &TestCase, sides: &[RawSide; 2]) -> Comparison {
    super::tests::compare(case, &sides[0].view, &sides[1].view)
}

fn names(found: &Comparison) -> Vec<String> {
    let rows = found.differences.iter().chain(&found.others);
    rows.flat_map(|row| std::iter::once(&row.subject).chain(row.also.iter().map(|also| &also.subject)))
        .map(ToString::to_string)
        .collect()
}

#[test]
fn no_sentence_about_generated_pairs_is_false() {
    let pairs = std::env::var("TIMBERLINE_PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(PAIRS);
    let mut wrong = Vec::new();
    let (mut missed, mut without_cause, mut nothing) = (Vec::new(), 0, 0);
    for seed in 0..pairs {
        let pair = pair(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let case = case_of(folder.path(), &pair.events);
        let found = compared(&case, &pair.sides);
        let claims = Claims::new(&case, &found, &pair.events, &pair.sides);
        wrong.extend(claims.check().into_iter().map(|claim| format!("{seed} {:?}: {claim}", pair.cause)));
        let names = names(&found);
        if pair.named.as_ref().is_some_and(|named| !names.iter().any(|name| name.contains(named))) {
            missed.push(format!("{seed} {:?}: {names:?}", pair.cause));
        }
        let volume = found.volume.as_ref().and_then(|volume| volume.change);
        if (pair.cause == Cause::Volume) != volume.is_some()
            && !matches!(pair.cause, Cause::Separate | Cause::Filter)
        {
            wrong.push(format!("{seed} {:?}: volume {:?}", pair.cause, found.volume));
        }
        if matches!(pair.cause, Cause::Nothing | Cause::Volume) {
            nothing += 1;
            without_cause += usize::from(!found.differences.is_empty());
        }
    }
    assert!(wrong.is_empty(), "{} claims are false:\n{}", wrong.len(), wrong.join("\n"));
    // A value that took events from all others may be shown by what those lost.
    assert!(100 * missed.len() <= pairs as usize, "causes that are not listed:\n{}", missed.join("\n"));
    // Chance alone makes a row in at most one of twenty.
    assert!(20 * without_cause <= nothing, "{without_cause} of {nothing}");
}

/// Two halves of one event a second, changed by the place of each.
fn halves(change: impl Fn(i64, &mut Raw)) -> (tempfile::TempDir, TestCase, Vec<Raw>, [RawSide; 2]) {
    let mut random = Random(11);
    let mut events: Vec<Raw> = (0..2 * HALF_S).map(|second| request(&mut random, time(second))).collect();
    for (event, second) in events.iter_mut().zip(0..) {
        change(second, event);
        event.took = event.took.map(tenth);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let mut sides = [side("*", [0, HALF_S], any), side("*", [HALF_S, 2 * HALF_S], any)];
    sides[1].times[0].1 = events.last().expect("an event").time + 1;
    (folder, case, events, sides)
}

fn is_unchanged(found: &Comparison, field: &str) -> bool {
    found.unchanged.fields.iter().any(|unchanged| unchanged.field == field)
}

#[test]
fn durations_of_other_requests_are_not_called_unchanged() {
    // Each kind of request is as fast as before; the slow ones are more.
    let (_folder, case, events, sides) = halves(|second, event| {
        let is_slow = if second < HALF_S { second % 5 == 0 } else { second % 5 != 0 };
        set(event, "service", if is_slow { "search" } else { "cart" });
        event.took = Some(if is_slow { 140.0 } else { 20.0 } + (second * 7 % 41) as f64 / 10.0);
    });
    let found = compared(&case, &sides);
    assert!(!is_unchanged(&found, "took"), "{found:#?}");
    let row = found.others.iter().find(|row| row.subject.to_string() == "took").expect("it is listed");
    let moved = row.moved.as_ref().expect("it moved");
    assert_eq!(moved.mix.as_ref().map(|mix| mix.field.as_str()), Some("service"), "{row:#?}");
    let half = moved.percentiles[0].each_ref().map(|half| half.as_ref().and_then(store::Scalar::number));
    assert!(half[0].is_some_and(|half| half < 25.0) && half[1].is_some_and(|half| half > 135.0), "{half:?}");
    assert_eq!(Claims::new(&case, &found, &events, &sides).check(), Vec::<String>::new());
}

#[test]
fn level_of_few_events_is_not_called_unchanged() {
    // 18 % warnings, and then 37 %: p is 0.004 for this value alone, and more among all that are tested.
    let mut random = Random(12);
    let mut events: Vec<Raw> = (0..200).map(|second| request(&mut random, time(second))).collect();
    for (event, second) in events.iter_mut().zip(0_i64..) {
        let warnings = if second < 100 { 18 } else { 37 };
        event.level = if second * 53 % 100 < warnings { "warn" } else { "info" };
        event.took = event.took.map(tenth);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let mut sides = [side("*", [0, 100], any), side("*", [100, 200], any)];
    sides[1].times[0].1 = events[199].time + 1;
    let found = compared(&case, &sides);
    assert!(!is_unchanged(&found, "level"), "{found:#?}");
    assert!(names(&found).iter().any(|name| name.starts_with("level=")), "{found:#?}");
    assert_eq!(Claims::new(&case, &found, &events, &sides).check(), Vec::<String>::new());
}

#[test]
fn a_tenth_of_the_traffic_is_a_difference() {
    let (_folder, case, mut events, sides) = halves(|_, _| {});
    drop(case);
    let mut second = 0;
    events.retain(|event| {
        second += 1;
        event.time < time(HALF_S) || second % 10 == 0
    });
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let found = compared(&case, &sides);
    let volume = found.volume.as_ref().expect("a volume");
    assert_eq!((volume.change, volume.events), (Some(Change::Fewer), [900, 90]), "{volume:?}");
    assert!((volume.per_second[1] / volume.per_second[0] - 0.1).abs() < 0.01, "{volume:?}");
    assert!(found.differences.is_empty(), "{found:#?}");
    // Half of the time with all of the traffic is none.
    let half = side("*", [0, HALF_S / 2], any);
    let found = super::tests::compare(&case, &sides[0].view, &half.view);
    assert_eq!(found.volume.expect("a volume").change, None);
    // Sources have times of their own, and a filter may ask for several times.
    let middle = base::stamp::to_rfc3339(time(HALF_S));
    for other in ["source:other.log", &format!("time<{middle} OR time>={middle}")] {
        let found = super::tests::compare(&case, &sides[0].view, &side(other, [0, HALF_S], any).view);
        assert_eq!(found.volume, None, "{other}");
    }
}

#[test]
fn cause_under_a_filter_is_listed_and_shares_no_event_of_another_source() {
    // Before, 24 errors, a third of them of web-1; then 327 errors of three sources, 110 of them with the cause.
    let mut events: Vec<Raw> = Vec::new();
    let mut add = |count: i64, from: i64, file: &'static str, message: &str, host: Option<&str>| {
        for nth in 0..count {
            let mut fields = Vec::new();
            if let Some(host) = host {
                fields.push(("host", host.to_owned()));
            } else {
                fields.push(("status", "502".to_owned()));
            }
            let time = time(from) + nth * SECOND / 2 + events.len() as i64 * 1_000_000;
            events.push(Raw { time, file, level: "error", message: message.to_owned(), fields, took: None });
        }
    };
    add(11, 0, APP, "maximum of attempts exceeded", Some("web-1"));
    add(7, 10, APP, "maximum of attempts exceeded", Some("app-2"));
    add(6, 20, APP, "maximum of attempts exceeded", Some("db-1"));
    add(110, 500, EDGE, "no database connection", None);
    add(172, 500, EDGE, "pool is empty", None);
    add(9, 500, APP, "upstream timed out", Some("web-1"));
    add(36, 500, APP, "slots are reserved", Some("db-1"));
    events.sort_by_key(|event| event.time);
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &events);
    let sides = [side("level=error", [0, 400], is_error), side("level=error", [400, 900], is_error)];
    let found = compared(&case, &sides);
    assert!(names(&found).iter().any(|name| name == "no database connection"), "{found:#?}");
    for row in &found.differences {
        for also in &row.also {
            let is_separate =
                row.subject.to_string().starts_with("host=") && also.subject.to_string().contains("status=");
            assert!(!is_separate, "{} with {}", row.subject, also.subject);
        }
    }
    let false_ones = Claims::new(&case, &found, &events, &sides).check();
    assert!(false_ones.iter().all(|claim| claim.starts_with("volume")), "{false_ones:#?}");
}

#[test]
fn words_that_chance_made_more_frequent_distinguish_nothing() {
    let (_folder, case, events, sides) = halves(|second, event| {
        // One word of a thousand in each event, and one that only B has.
        let refused = if second >= HALF_S && second % 9 == 0 { " refused" } else { "" };
        event.message = format!("order w{:03} taken{refused}", second * 577 % 1_000);
    });
    let snapshot = case.snapshot();
    let compared_sides =
        [0, 1].map(|at: usize| Side { case: &case, snapshot: &snapshot, view: &sides[at].view });
    let found = Engine::significant_words(compared_sides, 24, &Cancel::default()).expect("words");
    let words: Vec<&str> = found.words.iter().map(|word| word.word.as_str()).collect();
    assert_eq!(words, ["refused"], "{found:#?}");
    assert_eq!(found.words[0].others, 0);
    assert_eq!(events.len() as u64, found.selected + found.others);
}
