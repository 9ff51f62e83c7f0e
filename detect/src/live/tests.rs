//! Live evaluation next to `check` over the whole case, after random appends, merges and restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, LiveOptions, Moment, Received};

use super::{Message, State, Watch, WatchOptions};
use crate::{Alert, Detectors, ReadOptions, Scope};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;

/// A generator of numbers with a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// A case that is written as `listen` does, and what watches it.
struct Bench {
    _folder: tempfile::TempDir,
    case: Case,
    files: Vec<PathBuf>,
    offset: u64,
    start: Instant,
    passed: Duration,
    cool_down: Duration,
    watch: Option<Watch>,
    messages: Vec<Message>,
    problems: Vec<String>,
}

fn base() -> i64 {
    indexer::stamp::parse("2026-03-01T00:00:00Z").expect("a time")
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        let write = |(name, text): &(&str, &str)| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("written");
            file
        };
        let files = files.iter().map(write).collect();
        Bench {
            case,
            files,
            offset: 0,
            start: Instant::now(),
            passed: Duration::ZERO,
            cool_down: Duration::ZERO,
            watch: None,
            messages: Vec::new(),
            problems: Vec::new(),
            _folder: folder,
        }
    }

    fn detectors(&self) -> Detectors {
        let detectors = Detectors::read(&self.files, &ReadOptions::default());
        assert_eq!(detectors.problems(), []);
        detectors
    }

    fn moment(&self) -> Moment {
        Moment { unix_ns: i64::MAX, instant: self.start + self.passed }
    }

    /// Publishes events by their seconds, and perhaps merges what there is.
    fn append(&mut self, events: &[(i64, String)], merges: bool) {
        let moment = self.moment();
        let mut live = self.case.live(&LiveOptions::default(), moment).expect("it can be written");
        let written = |(second, fields): &(i64, String)| {
            format!("{{\"time\":\"{}\",{fields}}}\n", indexer::stamp::to_rfc3339(base() + second * SECOND))
        };
        let text: String = events.iter().map(written).collect();
        let received = Received {
            stream: "test",
            sender: None,
            format: None,
            zone: None,
            offset: self.offset,
            bytes: text.as_bytes(),
            ends: true,
        };
        live.push(received, moment).expect("pushed");
        self.offset += text.len() as u64;
        live.land(true, moment).expect("landed");
        live.publish(moment).expect("published");
        while merges && live.start_merging().expect("it merges") {
            while !live.has_merged() {
                std::thread::yield_now();
            }
            live.publish(moment).expect("published");
        }
        live.finish(moment).expect("finished");
    }

    /// Evaluates what came; what is sent is delivered.
    fn refresh(&mut self) -> Vec<Message> {
        if self.watch.is_none() {
            let options = WatchOptions { cool_down: self.cool_down };
            let (watch, problem) = Watch::new(self.detectors(), &self.case, &options, self.moment());
            assert_eq!(problem, None);
            self.watch = Some(watch);
        }
        let (moment, snapshot) = (self.moment(), self.case.snapshot());
        let watch = self.watch.as_mut().expect("it watches");
        let problems = watch.refresh(&self.case, &snapshot, moment, &Cancel::default()).expect("evaluated");
        self.problems.extend(problems.iter().map(ToString::to_string));
        let sent = watch.pending();
        for message in &sent {
            watch.delivered(message);
        }
        watch.save().expect("written");
        self.messages.extend(sent.iter().cloned());
        sent
    }

    /// As after `kill -9`: nothing but the case is left.
    fn restart(&mut self) {
        self.watch = None;
    }

    fn check(&self, to: i64) -> Vec<Alert> {
        let scope = Scope { from: None, to: Some(to) };
        let detectors = self.detectors();
        let report = detectors.check(&self.case, &self.case.snapshot(), &scope, &Cancel::default());
        report.expect("checked").alerts
    }

    /// Detector, state and group of messages.
    fn lines(messages: &[Message]) -> Vec<String> {
        let line = |message: &Message| {
            let state = match (message.state, message.open, message.retracted) {
                (State::Firing, true, _) => "fires",
                (State::Firing, false, _) => "fired",
                (State::Resolved, _, true) => "was none",
                (State::Resolved, _, false) => "is over",
            };
            let group: Vec<&str> = message.alert.group.iter().map(|(_, value)| &**value).collect();
            format!("{} {} {state}", message.alert.detector, group.join(" ")).replace("  ", " ")
        };
        messages.iter().map(line).collect()
    }
}

/// Of an alert what does not depend on when it was looked at: detector, group, start, end, value, events.
fn seen(alert: &Alert, boundary: i64) -> String {
    let second = |time: i64| (time - base()) as f64 / SECOND as f64;
    let start = alert.start.expect("a time");
    let group: Vec<&str> = alert.group.iter().map(|(_, value)| &**value).collect();
    let head = format!("{} {group:?} {:.3}", alert.detector, second(start));
    // A silence that lasts grows, in both ways of looking at it.
    match alert.end.filter(|end| *end < boundary - SECOND) {
        Some(end) => {
            format!("{head} {:.3} {:.6} {}", second(end), alert.value.unwrap_or(f64::NAN), alert.events)
        }
        None => format!("{head} goes on"),
    }
}

const RANDOM: &str = r#"
[[detector]]
name = "many"
threshold = { above = 40, clear = 30, every = "1m" }
[[detector]]
name = "many-by-host"
by = ["host"]
threshold = { above = 14, every = "1m", for = "2m" }
[[detector]]
name = "few"
threshold = { below = 12, every = "1m" }
[[detector]]
name = "slow"
by = ["host"]
threshold = { measure = "p90(ms)", above = 900, every = "1m", least = 5 }
[[detector]]
name = "average"
threshold = { measure = "avg(ms)", above = 540, every = "2m" }
[[detector]]
name = "slowest"
threshold = { measure = "max(ms)", above = 990, every = "30s" }
[[detector]]
name = "bytes"
query = "status<500"
threshold = { measure = "sum(ms)", above = 20000, every = "1m" }
[[detector]]
name = "errors"
by = ["host"]
threshold = { of = "status>=500", above = 0.3, every = "1m", least = 6 }
[[detector]]
name = "silent"
by = ["host"]
absence = { longer = "2m" }
[[detector]]
name = "slower-than-usual"
query = "status>=500"
by = ["host"]
absence = { times = 3 }
[[detector]]
name = "then"
query = "status=500"
by = ["host"]
sequence = { then = "status=503", within = "8s" }
[[detector]]
name = "without"
query = "status=503"
by = ["host"]
sequence = { without = "status=200", within = "20s" }
"#;

fn event(dice: &mut Dice) -> String {
    let status = [200, 200, 200, 200, 404, 500, 503][dice.below(7) as usize];
    let host = ["a", "b", "c", "d"][dice.below(4) as usize];
    format!(r#""host":"{host}","status":{status},"ms":{}"#, dice.below(1_000))
}

/// Appends for forty minutes with bursts, pauses and late events; sometimes merges, sometimes starts again.
fn random_run(seed: u64, restarts: bool) -> (BTreeSet<String>, Bench) {
    let mut dice = Dice(seed);
    let mut bench = Bench::new(&[("random.toml", RANDOM)]);
    let mut second = 0;
    bench.refresh();
    while second < 40 * 60 {
        let length = 5 + dice.below(60) as i64;
        let is_pause = dice.one_in(9);
        let rate = if dice.one_in(6) { 3 } else { 1 };
        let mut events = Vec::new();
        for at in second..second + if is_pause { 0 } else { length } {
            for _ in 0..dice.below(2 * rate) {
                let late = if dice.one_in(30) { dice.below(400) as i64 } else { 0 };
                events.push(((at - late).max(0), event(&mut dice)));
            }
        }
        second += if is_pause { 60 + dice.below(240) as i64 } else { length };
        if !events.is_empty() {
            bench.append(&events, dice.one_in(3));
        }
        // Some publications are missed, so that new events are merged with known ones.
        if !dice.one_in(4) {
            bench.refresh();
        }
        if restarts && dice.one_in(5) {
            bench.restart();
        }
    }
    // Everything before is over by then.
    let end = second + 600 - second % 600;
    bench.append(&[(end, r#""host":"z","status":200,"ms":1"#.to_owned())], false);
    bench.refresh();
    let boundary = base() + end * SECOND;
    let shown = bench.watch.as_ref().expect("it watches").shown();
    let sent = shown.iter().filter(|message| !message.retracted);
    let before = sent.filter(|message| message.alert.start < Some(boundary));
    let live = before.map(|message| seen(&message.alert, boundary)).collect();
    (live, bench)
}

#[test]
fn live_alerts_are_those_of_check_whatever_was_late_merged_or_restarted() {
    for (seed, restarts) in [(1_u64, false), (7, true), (42, true)] {
        let (live, bench) = random_run(seed * 7_919, restarts);
        let snapshot = bench.case.snapshot();
        let boundary = snapshot.time_range().expect("events").1;
        let checked: BTreeSet<String> =
            bench.check(boundary).iter().map(|alert| seen(alert, boundary)).collect();
        let extra: Vec<_> = live.difference(&checked).collect();
        let missing: Vec<_> = checked.difference(&live).collect();
        assert!(
            extra.is_empty() && missing.is_empty(),
            "seed {seed}, restarts {restarts}:\nonly live: {extra:#?}\nonly checked: {missing:#?}"
        );
        let names: BTreeSet<&str> = checked.iter().filter_map(|one| one.split(' ').next()).collect();
        assert_eq!(names.len(), 12, "each detector fires: {names:?}");
        assert_eq!(bench.problems, Vec::<String>::new());
        // Nobody was sent twice that an alert fires, or that one is over that never fired.
        let mut fires: BTreeMap<&str, bool> = BTreeMap::new();
        for message in &bench.messages {
            let before = fires.insert(&message.id, message.state == State::Firing && message.open);
            match message.state {
                State::Firing => assert_ne!(before, Some(true), "{message:?}"),
                State::Resolved => assert_eq!(before, Some(true), "{message:?}"),
            }
        }
    }
}

/// So many events in a minute each, from a second on.
fn minutes(from: i64, counts: &[usize], fields: &str) -> Vec<(i64, String)> {
    let of_minute = |(minute, count): (usize, &usize)| {
        (0..*count).map(move |index| (from + minute as i64 * 60 + index as i64 % 60, fields.to_owned()))
    };
    counts.iter().enumerate().flat_map(of_minute).collect()
}

const MANY: &str = "[[detector]]\nname = \"many\"\nthreshold = { above = 3 }\n";

#[test]
fn what_came_last_is_known_from_where_it_came() {
    let mut bench = Bench::new(&[("random.toml", RANDOM)]);
    for minute in 0..3 {
        bench.append(&minutes(minute * 60, &[3], r#""ms":1"#), false);
        bench.refresh();
    }
    let (watch, whole) = (bench.watch.as_ref().expect("it watches"), bench.case.snapshot());
    let events = |from| watch.recent.since(base() + from * SECOND, &whole).map(|part| part.events());
    assert_eq!((events(0), events(60), events(120)), (None, Some(6), Some(3)));
}

#[test]
fn history_is_not_sent_but_what_goes_on_is() {
    let mut bench = Bench::new(&[("d.toml", MANY)]);
    bench.append(&minutes(0, &[1, 9, 1, 9, 1], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), Vec::<String>::new(), "both were before");
    bench.append(&minutes(300, &[9], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many fires"]);
    bench.restart();
    assert_eq!(Bench::lines(&bench.refresh()), Vec::<String>::new(), "it was sent");
    bench.append(&minutes(360, &[1, 1], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many is over"]);
    bench.restart();
    bench.append(&minutes(480, &[9, 1, 1], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many fired"], "it came and went at once");
}

#[test]
fn a_count_fires_before_its_minute_is_over_and_a_lack_after_it() {
    let few = "[[detector]]\nname = \"few\"\nthreshold = { below = 3 }\n";
    let mut bench = Bench::new(&[("d.toml", MANY), ("e.toml", few)]);
    bench.append(&minutes(0, &[3, 3], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), Vec::<String>::new());
    bench.append(&[(65, r#""n":1"#.to_owned())], false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many fires"]);
    bench.append(&[(121, r#""n":1"#.to_owned())], false);
    assert_eq!(Bench::lines(&bench.refresh()), Vec::<String>::new(), "two may still come");
    bench.passed = Duration::from_mins(1);
    let sent = Bench::lines(&bench.refresh());
    assert_eq!(sent, ["few fires", "many is over"], "time goes on without events");
    // What is late shows that there were enough.
    bench.append(&minutes(122, &[2], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["few was none"]);
}

#[test]
fn silence_is_sent_by_the_clock_and_over_restarts() {
    let text = "[[detector]]\nname = \"silent\"\nby = [\"host\"]\nabsence = { longer = \"5m\" }\n";
    let mut bench = Bench::new(&[("d.toml", text)]);
    let of = |host: &str, second: i64| (second, format!("\"host\":\"{host}\""));
    bench.append(&[of("a", 0), of("b", 0), of("a", 60)], false);
    bench.passed = Duration::from_secs(1);
    assert!(bench.refresh().is_empty());
    bench.passed = Duration::from_secs(250);
    assert_eq!(Bench::lines(&bench.refresh()), ["silent b fires"]);
    bench.restart();
    bench.passed = Duration::from_secs(251);
    assert!(bench.refresh().is_empty(), "it is silent still, which is known");
    bench.append(&[of("b", 600)], false);
    assert_eq!(Bench::lines(&bench.refresh()), ["silent b is over", "silent a fires"]);
}

#[test]
fn silence_of_a_template_ends_with_its_first_event() {
    let text = "[[detector]]\nname = \"silent\"\nby = [\"template\"]\nabsence = { longer = \"10m\" }\n";
    let mut bench = Bench::new(&[("d.toml", text)]);
    let says = |second: i64, message: &str| (second, format!("\"message\":\"{message}\""));
    bench.append(&[says(0, "queue is empty"), says(299, "job is done")], false);
    assert_eq!(Bench::lines(&bench.refresh()), Vec::<String>::new());
    // In a part of the case that has this template alone, and in a bin that is not over.
    bench.append(&[says(895, "job is done")], false);
    assert_eq!(bench.refresh().len(), 1, "the queue is silent");
    bench.passed = Duration::from_secs(10);
    assert_eq!(bench.refresh().len(), 0, "the job was done within ten minutes");
    bench.append(&[says(950, "queue is empty")], false);
    let sent = bench.refresh();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].state, State::Resolved);
}

#[test]
fn an_anomaly_is_what_check_would_have_found_when_its_bin_was_over() {
    let text = "[[detector]]\nname = \"odd\"\nanomaly = { every = \"1m\", season = \"none\" }\n";
    let mut bench = Bench::new(&[("d.toml", text)]);
    bench.refresh();
    let mut dice = Dice(11);
    let mut expected: BTreeSet<i64> = BTreeSet::new();
    let mut sent: BTreeSet<i64> = BTreeSet::new();
    for minute in 0..120_i64 {
        let is_odd = minute > 30 && dice.one_in(15);
        let count = 20 + dice.below(4) as usize + if is_odd { 60 } else { 0 };
        bench.append(&minutes(minute * 60, &[count], r#""n":1"#), dice.one_in(4));
        if dice.one_in(5) {
            bench.restart();
        }
        if dice.one_in(6) {
            continue;
        }
        for message in bench.refresh().iter().filter(|message| message.state == State::Firing) {
            sent.insert(message.alert.start.expect("a time"));
        }
    }
    bench.append(&minutes(120 * 60, &[1], r#""n":1"#), false);
    sent.extend(
        bench.refresh().iter().filter(|one| one.state == State::Firing).filter_map(|one| one.alert.start),
    );
    for minute in 1..=120 {
        let boundary = base() + minute * MINUTE;
        let last = bench.check(boundary).pop().filter(|alert| alert.end == Some(boundary - 1));
        expected.extend(last.and_then(|alert| alert.start));
    }
    assert!(expected.len() > 3, "{expected:?}");
    assert_eq!(sent, expected);
}

#[test]
fn alerts_that_follow_another_closely_are_not_sent() {
    let mut bench = Bench::new(&[("d.toml", MANY)]);
    bench.cool_down = Duration::from_mins(5);
    bench.refresh();
    bench.append(&minutes(0, &[9, 1, 9, 1, 1, 1, 1, 1, 9, 1, 1], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many fired", "many fired"], "of three");
    let starts: Vec<i64> =
        bench.messages.iter().map(|one| (one.alert.start.expect("a time") - base()) / MINUTE).collect();
    assert_eq!(starts, [0, 8]);
}

#[test]
fn what_cannot_run_is_named_and_the_others_run() {
    let text =
        format!("{MANY}[[detector]]\nname = \"lost\"\nquery = \"nowhere:1\"\nthreshold = {{ above = 1 }}\n");
    let mut bench = Bench::new(&[("d.toml", &text)]);
    bench.refresh();
    bench.append(&minutes(0, &[9], r#""n":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["many fires"]);
    assert_eq!(bench.problems.len(), 1);
    assert!(bench.problems[0].contains("d.toml:4: the detector `lost` cannot run"), "{}", bench.problems[0]);
    bench.refresh();
    assert_eq!(bench.problems.len(), 1, "once");
    bench.append(&minutes(60, &[2], r#""nowhere":1"#), false);
    assert_eq!(Bench::lines(&bench.refresh()), ["lost fires"], "it runs when the field is there");
}

#[test]
fn what_was_not_delivered_is_sent_after_a_restart() {
    let mut bench = Bench::new(&[("d.toml", MANY)]);
    bench.refresh();
    bench.append(&minutes(0, &[9], r#""n":1"#), false);
    let (moment, snapshot) = (bench.moment(), bench.case.snapshot());
    let watch = bench.watch.as_mut().expect("it watches");
    watch.refresh(&bench.case, &snapshot, moment, &Cancel::default()).expect("evaluated");
    let first = watch.pending();
    assert_eq!(first.len(), 1);
    bench.restart();
    let again = bench.refresh();
    assert_eq!((again.len(), &again[0].id), (1, &first[0].id));
    bench.restart();
    assert!(bench.refresh().is_empty());
    // A file that is damaged forgets, says so, and tells nothing of the past.
    std::fs::write(bench.case.folder().join("alerts.json"), "{").expect("written");
    let (_, problem) = Watch::new(bench.detectors(), &bench.case, &WatchOptions::default(), bench.moment());
    assert!(problem.is_some_and(|problem| problem.to_string().contains("alerts.json")));
}

const RULES: &str = "title: Bad login\nid: bad\nlogsource: {product: aws, service: cloudtrail}\ndetection: {it: {eventName: Login, result: bad}, condition: it}\n---\ntitle: Made\nid: made\nlogsource: {product: aws, service: cloudtrail}\ndetection: {it: {eventName: CreateUser}, condition: it}\n---\ntitle: Guessing\nid: guess\ncorrelation: {type: event_count, rules: [bad], group-by: [who], timespan: 1m, condition: {gte: 3}}\n";

#[test]
fn rules_and_correlations_go_on_where_they_were() {
    let of = |second: i64, name: &str, result: &str| {
        (
            second,
            format!(
                "\"eventSource\":\"iam.amazonaws.com\",\"eventName\":\"{name}\",\"result\":\"{result}\",\"who\":\"ann\""
            ),
        )
    };
    for restarts in [false, true] {
        let mut bench = Bench::new(&[("rules.yml", RULES)]);
        bench.cool_down = Duration::from_secs(30);
        bench.append(&[of(0, "Login", "bad"), of(1, "CreateUser", "ok")], false);
        assert!(bench.refresh().is_empty(), "history");
        bench.append(&[of(20, "Login", "bad"), of(21, "CreateUser", "ok")], true);
        let first = Bench::lines(&bench.refresh());
        assert_eq!(first, ["made fired"], "two logins are too few");
        if restarts {
            bench.restart();
        }
        bench.append(&[of(40, "Login", "bad"), of(45, "CreateUser", "ok")], false);
        assert_eq!(Bench::lines(&bench.refresh()), ["guess ann fired"], "the rule was sent a moment ago");
        bench.append(&[of(80, "CreateUser", "ok")], true);
        if restarts {
            bench.restart();
        }
        assert_eq!(Bench::lines(&bench.refresh()), ["made fired"]);
    }
}

const ALIKE: &str = r#"
[[detector]]
name = "some"
query = "status>=500"
threshold = { above = 2, every = "1m" }
[[detector]]
name = "more"
query = "status>=500"
threshold = { above = 4, every = "1m" }
[[detector]]
name = "slowest"
query = "status>=500"
threshold = { measure = "max(ms)", above = 80, every = "1m" }
[[detector]]
name = "share"
threshold = { of = "status>=500", above = 0.6, every = "1m", least = 2 }
[[detector]]
name = "of-host"
query = "status>=500"
by = ["host"]
threshold = { above = 1, every = "1m" }
[[detector]]
name = "calm"
threshold = { below = 3, every = "1m" }
"#;

#[test]
fn detectors_that_read_the_same_ask_the_case_once() {
    let mut bench = Bench::new(&[("a.toml", ALIKE)]);
    let event = |second: i64, status: u32, ms: u32| {
        (second, format!("\"host\":\"a\",\"status\":{status},\"ms\":{ms}"))
    };
    let asked = |bench: &Bench| bench.watch.as_ref().map_or(0, |watch| watch.reads.asked);
    bench.append(&[event(0, 200, 1), event(1, 500, 5)], false);
    bench.refresh();
    let before = asked(&bench);
    let second: Vec<(i64, String)> = (0..5).map(|at| event(60 + at, 503, 90)).collect();
    bench.append(&second, false);
    bench.refresh();
    // Errors, errors by host, and everything: the share reads what two others do.
    assert_eq!(asked(&bench) - before, 3);
    // A refresh without events asks nothing, and one whose events lack a field is as any other.
    bench.refresh();
    bench.append(&[(130, "\"status\":500".to_owned()), (131, "\"other\":1".to_owned())], false);
    bench.refresh();
    assert_eq!(asked(&bench) - before, 2 * 3);
    bench.append(&[event(200, 200, 1)], false);
    bench.refresh();
    assert_eq!(bench.problems, Vec::<String>::new());
    let sent: BTreeSet<String> = Bench::lines(&bench.messages).into_iter().collect();
    for expected in
        ["some fires", "more fires", "slowest fires", "share fires", "of-host a fires", "more is over"]
    {
        assert!(sent.contains(expected), "{expected}: {sent:?}");
    }
    let boundary = base() + 180 * SECOND;
    let of_check: BTreeSet<String> =
        bench.check(boundary).iter().map(|alert| alert.detector.clone()).collect();
    let sent: BTreeSet<String> =
        bench.messages.iter().map(|message| message.alert.detector.clone()).collect();
    assert_eq!(sent, of_check);
}

#[test]
fn a_measure_that_cannot_be_calculated_stops_none_that_reads_the_same() {
    let lost = "[[detector]]\nname = \"lost\"\nquery = \"status>=500\"\n\
                threshold = { measure = \"max(nowhere)\", above = 1, every = \"1m\" }\n";
    let mut bench = Bench::new(&[("a.toml", ALIKE), ("b.toml", lost)]);
    bench.append(&[(0, "\"status\":200,\"host\":\"a\",\"ms\":1".to_owned())], false);
    bench.refresh();
    let many: Vec<(i64, String)> =
        (0..5).map(|at| (60 + at, "\"status\":500,\"host\":\"a\",\"ms\":90".to_owned())).collect();
    bench.append(&many, false);
    bench.refresh();
    assert_eq!(bench.problems.len(), 1, "{:?}", bench.problems);
    assert!(
        bench.problems[0].contains("`lost`") && bench.problems[0].contains("nowhere"),
        "{:?}",
        bench.problems
    );
    let sent = Bench::lines(&bench.messages);
    assert!(
        ["some", "more", "slowest"].iter().all(|name| sent.contains(&format!("{name} fires"))),
        "{sent:?}"
    );
    // When events come that have the field, it is tried again.
    bench.append(&[(70, "\"status\":500,\"nowhere\":9".to_owned())], false);
    bench.refresh();
    assert!(Bench::lines(&bench.messages).contains(&"lost fires".to_owned()), "{:?}", bench.messages);
}
