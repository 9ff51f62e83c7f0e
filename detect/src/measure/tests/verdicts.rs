//! Tests on the past fire, are quiet, or cannot say.

use super::super::Condition;
use super::super::absence::Absence;
use super::super::anomaly::unusual;
use super::super::sequence::{Sequence, StepTimes};
use super::super::series::Bin;
use super::super::threshold::Threshold;
use super::{Bench, MINUTE, SECOND, Season, detector, minutes};
use crate::verdict::{Account, Coverage};
use crate::{Detectors, Outcome, starters};
use indexer::query::Filter;

/// The outcome and the sentence of a detector.
fn verdict(bench: &Bench, detector: &str) -> (Outcome, String) {
    let report = bench.check(detector);
    let (_, verdict) = report.verdicts.into_iter().next().expect("a verdict");
    assert_eq!(verdict.outcome == Outcome::CannotSay, verdict.hint.is_some(), "{}", verdict.sentence);
    assert_eq!(verdict.outcome == Outcome::Fired, !report.alerts.is_empty(), "{}", verdict.sentence);
    (verdict.outcome, verdict.sentence)
}

#[test]
fn detectors_name_what_they_lack() {
    let says = |counts: &[usize], detector: &str, sentence: &str| {
        let bench = Bench::new(&minutes(counts, r#""n":1,"message":"all is well""#));
        assert_eq!(verdict(&bench, detector), (Outcome::CannotSay, sentence.to_owned()), "{detector}");
    };
    let anomaly = "anomaly = { every = \"1m\", bins = 2 }";
    let known = "with values, twelve of them to know what is usual";
    says(&[5; 5], anomaly, &format!("it needs 14 bins {known}, and the data has 5"));
    says(&[5; 13], anomaly, "it needs 2 bins in a row that can be judged, and the data has 1");
    says(
        &[&[5; 20][..], &[50]].concat(),
        anomaly,
        "the data ends 1m after the level was crossed, and it needs 2m",
    );
    says(
        &[5; 5],
        "query = \"n:2\"\nanomaly = { every = \"1m\" }",
        "no event matches its query, so there is nothing to measure",
    );
    says(
        &[5; 30],
        "anomaly = { measure = \"p95(n)\", every = \"1m\", least = 20 }",
        "no bin of a group has the 20 events that `least` asks for",
    );
    says(
        &[5; 3],
        "threshold = { measure = \"p95(message)\", above = 1 }",
        "the events have no number to measure",
    );
    says(
        &[5],
        "threshold = { above = 3, for = \"2m\" }",
        "it needs the level to be crossed for 2m, and has 1m of data for that",
    );
    says(
        &[1, 1, 5],
        "threshold = { above = 3, for = \"2m\" }",
        "the data ends 1m after the level was crossed, and it needs 2m",
    );
    let hours = [1; 121];
    says(&hours, "pattern = { new = true, learn = \"1d\" }", "it learns for 1d, and has 2h of data for that");
    says(
        &hours,
        "pattern = { new = true, since = \"2027-01-01T00:00:00Z\" }",
        "it looks for what is new since 2027-01-01T00:00:00Z, and the data ends before",
    );
    says(
        &hours,
        "pattern = { surge = 10, least = 5 }",
        "the usual share of each pattern is too large to become so many times larger",
    );
    says(
        &[1; 3],
        "absence = { longer = \"1h\" }",
        "it waits for a silence of 1h, and has 2m of data for that",
    );
    says(&[1; 5], "absence = { times = 5 }", "it needs 10 pauses to know a rhythm, and the data has 4");
    says(&[1; 5], "needs = [\"host\"]\nthreshold = { above = 1 }", "the field `host` is in no event");
}

#[test]
fn quiet_says_how_much_was_judged() {
    let mut events = minutes(&[1; 31], r#""host":"a","message":"all is well""#);
    events.extend(minutes(&[1; 3], r#""host":"b","message":"all is well""#));
    let bench = Bench::new(&events);
    let quiet = |detector: &str, sentence: &str| {
        assert_eq!(verdict(&bench, detector), (Outcome::Quiet, sentence.to_owned()), "{detector}");
    };
    quiet("threshold = { above = 5 }", "31 bins judged, over 30m");
    quiet("by = [\"host\"]\nthreshold = { above = 5 }", "62 bins judged in 2 groups, over 30m");
    quiet("query = \"host:b\"\nthreshold = { below = 0 }", "31 bins judged, over 30m");
    quiet("by = [\"host\"]\nabsence = { times = 20 }\nquery = \"host:a\"", "31 pauses judged, over 30m");
    quiet("query = \"message:missing\"\npattern = { new = true }", "no event matches its query, over 30m");
    let crossed = Bench::new(&minutes(&[1, 5, 1, 1], r#""n":1"#));
    let (outcome, sentence) = verdict(&crossed, "threshold = { above = 3, for = \"2m\" }");
    assert_eq!(outcome, Outcome::Quiet);
    assert_eq!(sentence, "4 bins judged, over 3m; the level was crossed once, but not for long enough");
}

#[test]
fn what_is_new_is_learned_from_a_quarter_of_short_data() {
    let mut events = minutes(&[1; 121], r#""message":"all is well""#);
    events.push((3_600, r#""message":"disk on fire, call somebody""#));
    let bench = Bench::new(&events);
    let report = bench.check("pattern = { new = true }");
    let found: Vec<_> = report.alerts.iter().map(|alert| &*alert.group[0].1).collect();
    assert_eq!(found, ["disk on fire, call somebody"]);
}

#[test]
fn sequences_say_whether_they_could_be_judged() {
    let head = "query = \"what:fail\"\nby = [\"user\"]\n";
    let then = format!("{head}sequence = {{ then = \"what:login\", within = \"2m\" }}");
    let without = format!("{head}sequence = {{ without = \"what:login\", within = \"2m\" }}");
    let (fail, login) = (r#""user":"ann","what":"fail""#, r#""user":"bob","what":"login""#);
    let short = Bench::new(&[(0, fail), (30, login)]);
    let waits = "it waits for the second event for 2m, and has 30s of data for that".to_owned();
    assert_eq!(verdict(&short, &then), (Outcome::CannotSay, waits.clone()));
    assert_eq!(verdict(&short, &without), (Outcome::CannotSay, waits));
    let long = Bench::new(&[(0, fail), (600, login)]);
    let never = "1 event judged, over 10m; its second query can end no sequence, because none of its events comes after \
        a first event with the same fields of `by`";
    assert_eq!(verdict(&long, &then), (Outcome::Quiet, never.to_owned()));
    assert_eq!(verdict(&long, &without).0, Outcome::Fired);
    let keyless = Bench::new(&[(0, fail), (5, r#""what":"login""#), (600, r#""user":"ann","what":"other""#)]);
    let lacks = "no event that it is about has the fields of `by`".to_owned();
    assert_eq!(verdict(&keyless, &then), (Outcome::CannotSay, lacks));
    let report = keyless.check(&without);
    assert!(report.problems[0].message.contains("can end no sequence"), "{:?}", report.problems);
    let late = Bench::new(&[(0, fail), (300, r#""user":"ann","what":"login""#), (600, fail), (900, login)]);
    let gap = "because the nearest of its events comes 5m after a first one, and `within` is 2m";
    let (outcome, sentence) = verdict(&late, &then);
    assert!(outcome == Outcome::Quiet && sentence.ends_with(gap), "{sentence}");
    let report = late.check(&without);
    assert_eq!(report.alerts.len(), 2, "each of them fires");
    assert!(report.problems[0].message.ends_with(gap), "{:?}", report.problems);
    let none = Bench::new(&[(0, fail), (600, fail)]);
    assert!(verdict(&none, &then).1.ends_with("because no event matches it"));
}

#[test]
fn event_does_not_follow_itself() {
    let fail = r#""user":"ann","what":"fail""#;
    let bench = Bench::new(&[(0, fail), (30, fail), (600, fail), (900, r#""user":"ann","what":"other""#)]);
    let head = "query = \"what:fail\"\nby = [\"user\"]\n";
    let then = format!("{head}sequence = {{ then = \"user:ann\", within = \"1m\" }}");
    assert_eq!(bench.spans(&then), [(0, 30, 30.0)], "its events count once");
    let without = format!("{head}sequence = {{ without = \"what:fail\", within = \"1m\" }}");
    assert_eq!(bench.spans(&without), [(30, 30, 60.0), (600, 600, 60.0)]);
    let at_once = Bench::new(&[(0, fail), (0, fail), (900, fail)]);
    assert_eq!(at_once.spans(&then), [(0, 0, 0.0)], "the other one follows");
}

/// A generator of numbers with a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

fn bins(values: &[f64], events: u64) -> Vec<Bin> {
    let bin = |(index, value): (usize, &f64)| {
        let start = index as i64 * MINUTE;
        Bin { start, value: Some(*value), events, ends: (start, start) }
    };
    values.iter().enumerate().map(bin).collect()
}

/// So many calm values with a fault of a length at a place.
fn with_fault(length: usize, at: usize, fault: usize) -> Vec<f64> {
    let value = |index: usize| {
        if (at..at + fault).contains(&index) { 900.0 } else { 100.0 + (index * 7 % 11) as f64 }
    };
    (0..length).map(value).collect()
}

fn outcome(alerts: usize, coverage: Coverage) -> Outcome {
    let mut account = Account::new((0, MINUTE));
    account.add(coverage);
    account.verdict(alerts, "bin").outcome
}

/// The right outcome of a fault that has to last, and when it still goes on.
fn expected(is_judged: bool, is_long: bool, is_at_the_end: bool) -> Outcome {
    match (is_judged, is_long, is_at_the_end) {
        (true, true, _) => Outcome::Fired,
        (true, false, false) => Outcome::Quiet,
        _ => Outcome::CannotSay,
    }
}

fn of_threshold(dice: &mut Dice) -> (Outcome, Outcome) {
    let (length, needed) = (1 + dice.below(40), dice.below(4));
    let fault = dice.below(6).min(length);
    let at = dice.below(length - fault + 1);
    let is_thin = dice.below(4) == 0;
    let threshold = Threshold {
        measure: "p95(n)".to_owned(),
        of: None,
        width: MINUTE,
        limit: 500.0,
        is_above: true,
        clear: 500.0,
        duration: needed as i64 * MINUTE,
        least: 20,
    };
    let bins = bins(&with_fault(length, at, fault), if is_thin { 5 } else { 30 });
    let (found, coverage) = threshold.judge(&bins);
    let is_at_the_end = fault > 0 && at + fault == length;
    let is_judged = !is_thin && length >= needed;
    let is_long = fault >= needed.max(1);
    (outcome(found.len(), coverage), expected(is_judged, is_long, is_at_the_end))
}

fn of_anomaly(dice: &mut Dice) -> (Outcome, Outcome) {
    let (length, needed) = (1 + dice.below(80), 1 + dice.below(3));
    // Twelve bins are learned from.
    let fault = dice.below(5).min(length.saturating_sub(12));
    let at = 12 + dice.below(length.saturating_sub(12 + fault) + 1);
    let is_thin = dice.below(5) == 0;
    let mut anomaly = detector(Season::None);
    (anomaly.width, anomaly.window, anomaly.bins, anomaly.least) = (MINUTE, 60 * MINUTE, needed, 20);
    let bins = anomaly.known(bins(&with_fault(length, at, fault), if is_thin { 5 } else { 30 }));
    let (found, coverage) = unusual(&anomaly, &bins, &anomaly.expected(&bins));
    let is_at_the_end = fault > 0 && at + fault + 1 >= length;
    let is_judged = !is_thin && length >= 12 + needed;
    (outcome(found.len(), coverage), expected(is_judged, fault >= needed, is_at_the_end))
}

/// A detector of volume that comes with the program: a file or a service begins later than the data, then writes far more
/// or far fewer events for a time.
fn of_volume(dice: &mut Dice) -> (Outcome, Outcome) {
    const NAMES: [&str; 5] =
        ["traffic-surge", "source-drop", "source-surge", "service-drop", "service-surge"];
    let name = format!("starter.{}", NAMES[dice.below(NAMES.len())]);
    let starters = Detectors::of_texts(starters().iter().copied());
    let (detector, _) = starters.measures().find(|(one, _)| one.name == name).expect("it comes along");
    let Condition::Anomaly(anomaly) = &detector.condition else { panic!("{name} is an anomaly") };
    let (silent, length) = (dice.below(20), 1 + dice.below(60));
    let fault = dice.below(4).min(length.saturating_sub(12));
    let at = 12 + dice.below(length.saturating_sub(12 + fault) + 1);
    let is_surge = dice.below(2) == 0;
    let count = |index: usize| match index.checked_sub(silent) {
        None => 0,
        Some(index) if !(at..at + fault).contains(&index) => 100 + index as u64 * 7 % 11,
        Some(_) if is_surge => 900,
        Some(_) => 5,
    };
    let bin = |index: usize| {
        let start = index as i64 * anomaly.width;
        Bin { start, value: Some(count(index) as f64), events: count(index), ends: (start, start) }
    };
    let bins = anomaly.known((0..silent + length).map(bin).collect());
    let (found, coverage) = unusual(anomaly, &bins, &anomaly.expected(&bins));
    let is_of_it = fault > 0 && is_surge == name.ends_with("surge");
    let is_at_the_end = is_of_it && at + fault + 1 >= length;
    (outcome(found.len(), coverage), expected(length >= 14, is_of_it && fault >= 2, is_at_the_end))
}

fn of_absence(dice: &mut Dice) -> (Outcome, Outcome) {
    let count = 1 + dice.below(40);
    let (at, pause) = (dice.below(count), 1 + dice.below(20) as i64);
    let mut time = 0;
    let event = |index: usize| {
        let minutes = if index == 0 { 0 } else { [1, pause][usize::from(index == at)] };
        time += minutes * MINUTE;
        Bin { start: time, value: Some(1.0), events: 1, ends: (time, time) }
    };
    let bins: Vec<Bin> = (0..count).map(event).collect();
    let last = bins.last().map_or(0, |bin| bin.start);
    let is_rhythm = dice.below(2) == 0;
    let absence = if is_rhythm { Absence::Times(5.5) } else { Absence::Longer(330 * SECOND) };
    let coverage = absence.coverage(&bins, last);
    let is_judged = if is_rhythm { count > 10 } else { last > 330 * SECOND };
    let is_long = at > 0 && pause > 5;
    (outcome(absence.intervals(&bins, last).len(), coverage), expected(is_judged, is_long, false))
}

fn of_sequence(dice: &mut Dice) -> (Outcome, Outcome) {
    let within = 100 * SECOND;
    let is_without = dice.below(2) == 0;
    let sequence = Sequence { second: Filter::Everything, is_without, within };
    let count = 1 + dice.below(4);
    let first: Vec<i64> = (0..count as i64).map(|index| index * 1_000 * SECOND).collect();
    let tail = dice.below(200) as i64 * SECOND;
    let last = first[count - 1] + tail;
    let answers = |_: &&i64| dice.below(3) == 0;
    let answered: Vec<i64> = first.iter().filter(answers).copied().collect();
    let second: Vec<i64> = answered.iter().map(|time| (time + 50 * SECOND).min(last)).collect();
    let is_over = |time: &i64| last - time >= within;
    let is_missing = |time: &&i64| !answered.contains(time);
    let is_fired = if is_without { first.iter().filter(is_missing).any(is_over) } else { !second.is_empty() };
    let is_judged = first.iter().any(|time| answered.contains(time) || is_over(time));
    let times = StepTimes { first, second, both: Vec::new() };
    let alerts = sequence.pairs(&times, last).len();
    (outcome(alerts, sequence.coverage(&times, last)), expected(is_judged, is_fired, false))
}

#[test]
fn the_outcome_of_made_up_series_is_the_known_one() {
    let mut dice = Dice(50);
    for (name, made) in [
        ("threshold", of_threshold as fn(&mut Dice) -> (Outcome, Outcome)),
        ("anomaly", of_anomaly),
        ("volume", of_volume),
        ("absence", of_absence),
        ("sequence", of_sequence),
    ] {
        let mut seen = [0; 3];
        for round in 0..500 {
            let (found, expected) = made(&mut dice);
            assert_eq!(found, expected, "{name}, round {round}");
            seen[expected as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count >= 10), "{name} has each outcome: {seen:?}");
    }
}
