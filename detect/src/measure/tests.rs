//! Detectors of our own over small cases, and anomalies over made-up series.

mod starters;
mod verdicts;

use std::fs;

use indexer::{Cancel, Case, ImportOptions, View};

use super::series::Bin;
use super::{Anomaly, Season, anomalies};
use crate::{Baseline, Detectors, HistoryAmount, Outcome, ReadOptions, Report, Scope};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 86_400 * SECOND;

struct Bench {
    folder: tempfile::TempDir,
    case: Case,
}

impl Bench {
    /// Events by second of the first of March 2026.
    fn new(events: &[(i64, &str)]) -> Bench {
        let start = indexer::stamp::parse("2026-03-01T00:00:00Z").expect("a time");
        let line = |(second, fields): &(i64, &str)| {
            format!("{{\"time\":\"{}\",{fields}}}\n", indexer::stamp::to_rfc3339(start + second * SECOND))
        };
        Bench::of_log(&events.iter().map(line).collect::<String>())
    }

    fn of_log(text: &str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("events.log");
        fs::write(&log, text).expect("written");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
        Bench { folder, case }
    }

    fn check(&self, detector: &str) -> Report {
        let file = self.folder.path().join("detectors.toml");
        fs::write(&file, format!("[[detector]]\nname = \"d\"\n{detector}")).expect("written");
        let detectors = Detectors::read(&[file], &ReadOptions::default());
        assert_eq!(detectors.problems(), []);
        let snapshot = self.case.snapshot();
        let report =
            detectors.check(&self.case, &snapshot, &Scope::default(), &Cancel::default()).expect("checked");
        for alert in &report.alerts {
            let view = View::parse(&alert.query, None, None)
                .unwrap_or_else(|error| panic!("{}: {error}", alert.query));
            let count = self.case.count(&snapshot, &view, &Cancel::default());
            assert_eq!(count.expect("counted") as u64, alert.events, "{}", alert.query);
        }
        report
    }

    /// Start and end in seconds, and the value, of each alert.
    fn spans(&self, detector: &str) -> Vec<(i64, i64, f64)> {
        let start = indexer::stamp::parse("2026-03-01T00:00:00Z").expect("a time");
        let second = |time: Option<i64>| (time.expect("a time") - start).div_euclid(SECOND);
        let report = self.check(detector);
        assert_eq!(report.problems, []);
        report
            .alerts
            .iter()
            .map(|alert| (second(alert.start), second(alert.end), alert.value.expect("a value")))
            .collect()
    }
}

/// So many events a minute.
fn minutes(counts: &[usize], fields: &'static str) -> Vec<(i64, &'static str)> {
    let events_in = |(minute, count): (usize, &usize)| {
        (0..*count).map(move |index| (minute as i64 * 60 + index as i64, fields))
    };
    counts.iter().enumerate().flat_map(events_in).collect()
}

#[test]
fn thresholds_hold_for_a_time_and_end_by_their_margin() {
    let bench = Bench::new(&minutes(&[1, 5, 4, 3, 1, 6, 1], r#""n":1"#));
    assert_eq!(bench.spans("threshold = { above = 3 }"), [(60, 179, 5.0), (300, 359, 6.0)]);
    assert_eq!(bench.spans("threshold = { above = 3, for = \"2m\" }"), [(60, 179, 5.0)]);
    assert_eq!(bench.spans("threshold = { above = 4, clear = 2 }"), [(60, 239, 5.0), (300, 359, 6.0)]);
    assert_eq!(bench.spans("threshold = { below = 2, measure = \"sum(n)\" }").len(), 3);
    assert_eq!(
        bench.spans("query = \"n:2\"\nthreshold = { below = 1 }").len(),
        1,
        "nothing at all is below one"
    );
}

#[test]
fn thresholds_of_groups_and_shares() {
    let mut events = minutes(&[4, 4], r#""app":"web","status":200"#);
    events.extend(minutes(&[1, 4], r#""app":"web","status":500"#));
    events.extend(minutes(&[3, 3], r#""app":"db","status":200"#));
    let bench = Bench::new(&events);
    let share =
        "query = \"status:*\"\nby = [\"app\"]\nthreshold = { of = \"status>=500\", above = 0.3, least = 2 }";
    assert_eq!(bench.spans(share), [(60, 119, 0.5)]);
    let report = bench.check(share);
    assert_eq!(report.alerts[0].group, [("app".to_owned(), "web".to_owned())]);
    assert_eq!((report.alerts[0].events, report.alerts[0].expected), (4, Some(0.3)));
    assert_eq!(bench.spans("threshold = { measure = \"p95(status)\", above = 400 }").len(), 1);
}

#[test]
fn absence_is_longer_than_a_time_or_than_the_own_rhythm() {
    let mut events: Vec<(i64, &str)> = (0..30).map(|minute| (minute * 60, r#""host":"a""#)).collect();
    events.extend(
        (0..30).filter(|minute| !(10..20).contains(minute)).map(|minute| (minute * 60 + 1, r#""host":"b""#)),
    );
    let bench = Bench::new(&events);
    let found = bench.spans("by = [\"host\"]\nabsence = { longer = \"5m\" }");
    assert_eq!(found, [(541, 1200, 660.0)]);
    assert_eq!(bench.spans("by = [\"host\"]\nabsence = { times = 5 }"), found);
    assert_eq!(bench.spans("by = [\"host\"]\nabsence = { longer = \"15m\" }"), []);
    let quiet = Bench::new(&[(0, r#""host":"a""#), (10, r#""host":"b""#), (900, r#""host":"b""#)]);
    assert_eq!(
        quiet.spans("query = \"host:a\"\nabsence = { longer = \"5m\" }"),
        [(0, 899, 900.0)],
        "silent to the end"
    );
}

#[test]
fn each_template_is_a_group_of_its_own() {
    let mut events = minutes(&[1, 1, 5, 1, 1, 1], r#""message":"request done in time""#);
    events.extend(minutes(&[2, 2, 2, 0, 0, 0], r#""message":"queue is empty""#));
    let bench = Bench::new(&events);
    let found = |condition: &str| {
        let report = bench.check(&format!("by = [\"template\"]\n{condition}"));
        assert_eq!(report.problems, []);
        report.alerts
    };
    let busy = found("threshold = { above = 4 }");
    assert_eq!(busy.iter().map(|alert| alert.value).collect::<Vec<_>>(), [Some(5.0)]);
    let silent = found("absence = { longer = \"2m\" }");
    assert_eq!(silent.len(), 1, "of one the silence lasts, the other goes on");
    assert_eq!(silent[0].start.zip(silent[0].end).map(|(start, end)| (end - start) / SECOND), Some(178));
    assert_ne!(busy[0].group, silent[0].group);
}

#[test]
fn sequences_have_a_key_and_a_time() {
    let bench = Bench::new(&[
        (0, r#""user":"ann","what":"fail""#),
        (5, r#""user":"ann","what":"login""#),
        (10, r#""user":"bob","what":"fail""#),
        (100, r#""user":"bob","what":"login""#),
        (200, r#""user":"eve","what":"fail""#),
        (201, r#""user":"ann","what":"login""#),
        (400, r#""user":"ann","what":"other""#),
    ]);
    let head = "query = \"what:fail\"\nby = [\"user\"]\n";
    assert_eq!(
        bench.spans(&format!("{head}sequence = {{ then = \"what:login\", within = \"30s\" }}")),
        [(0, 5, 5.0)]
    );
    let without = format!("{head}sequence = {{ without = \"what:login\", within = \"2m\" }}");
    assert_eq!(bench.spans(&without), [(200, 200, 120.0)]);
}

#[test]
fn linked_fields_are_one_key() {
    let bench = Bench::new(&[
        (0, r#""trace_id":"a1","what":"order""#),
        (5, r#""request_id":"a1","what":"paid""#),
        (10, r#""trace_id":"b2","request_id":"a1","what":"order""#),
        (40, r#""request_id":"b2","what":"paid""#),
        (100, r#""what":"order""#),
        (101, r#""what":"paid""#),
        (300, r#""request_id":"c3","what":"order""#),
        (400, r#""trace_id":"c3","what":"paid""#),
    ]);
    let head = "query = \"what:order\"\nby = [\"trace_id|request_id\"]\n";
    let paid = format!("{head}sequence = {{ then = \"what:paid\", within = \"1m\" }}");
    assert_eq!(bench.spans(&paid), [(0, 5, 5.0), (10, 40, 30.0)]);
    assert_eq!(bench.check(&paid).alerts[0].group, [("trace_id|request_id".to_owned(), "a1".to_owned())]);
    let unpaid = format!("{head}sequence = {{ without = \"what:paid\", within = \"1m\" }}");
    assert_eq!(bench.spans(&unpaid), [(300, 300, 60.0)]);
    // The first field that an event has is its key: of the third event that is `b2`. Without any it has none.
    let counts =
        bench.check("by = [\"trace_id|request_id\"]\nthreshold = { above = 0, every = \"1h\" }").alerts;
    let counts: Vec<(&str, u64)> = counts.iter().map(|alert| (&*alert.group[0].1, alert.events)).collect();
    assert_eq!(counts, [("", 2), ("a1", 2), ("b2", 2), ("c3", 2)]);
    let silent = "query = \"what:paid\"\nby = [\"trace_id|request_id\"]\nabsence = { longer = \"5m\" }";
    assert_eq!(bench.check(silent).alerts.len(), 2, "a1 and b2 are silent to the end");
}

#[test]
fn new_patterns_and_surges() {
    let mut events: Vec<(i64, &str)> =
        (0..2_000).map(|index| (index * 60, r#""message":"request done in time""#)).collect();
    events.extend((0..3).map(|index| (110_000 + index, r#""message":"disk on fire, call somebody""#)));
    events.extend((0..40).map(|index| (index * 3_000, r#""message":"cache miss for a key""#)));
    events.extend((0..60).map(|index| (60_000 + index, r#""message":"cache miss for a key""#)));
    events.sort_by_key(|event| event.0);
    let bench = Bench::new(&events);
    let report = bench.check("pattern = { new = true, learn = \"1d\", least = 2 }");
    let found: Vec<_> = report.alerts.iter().map(|alert| (&*alert.group[0].1, alert.events)).collect();
    assert_eq!(found, [("disk on fire, call somebody", 3)]);
    let report = bench.check("pattern = { surge = 8, least = 20 }");
    let found: Vec<_> = report.alerts.iter().map(|alert| &*alert.group[0].1).collect();
    assert_eq!(found, ["cache miss for a key"]);
}

#[test]
fn mistakes_are_named_with_line_and_advice_and_the_others_run() {
    let bench = Bench::new(&minutes(&[5], r#""word":"x""#));
    let file = bench.folder.path().join("d.toml");
    let check = |text: &str| {
        fs::write(&file, text).expect("written");
        let detectors = Detectors::read(std::slice::from_ref(&file), &ReadOptions::default());
        let report = detectors
            .check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default())
            .expect("checked");
        let problems = [detectors.problems().to_vec(), report.problems].concat();
        (problems, report.alerts.len())
    };
    let good = "[[detector]]\nname = \"good\"\nthreshold = { above = 1 }\n";
    for (text, line, part) in [
        ("[[detector]]\nname = \"a\"\nthreshold = { abov = 1 }\n", 3, "abov"),
        ("[[detector]]\nname = \"a\"\n", 1, "no condition"),
        ("[[detector]]\nname = \"a\"\nquery = \"(x\"\nthreshold = { above = 1 }\n", 3, "query"),
        ("[[detector]]\nname = \"a\"\nthreshold = { measure = \"p95x(n)\", above = 1 }\n", 3, "p95x"),
        ("[[detector]]\nname = \"a\"\nthreshold = { above = 1, for = \"soon\" }\n", 3, "duration"),
        ("[[detector]]\nname = \"a\"\nthreshold = { above = 1, clear = 2 }\n", 3, "clear"),
        ("[[detector]]\nname = \"a\"\nthreshold = { above = nan }\n", 3, "`above` is NaN"),
        ("[[detector]]\nname = \"a\"\nthreshold = { below = inf }\n", 3, "`below` is inf"),
        ("[[detector]]\nname = \"a\"\nthreshold = { above = 1, clear = -inf }\n", 3, "`clear` is -inf"),
        ("[[detector]]\nname = \"a\"\nabsence = { times = inf }\n", 3, "`times` is inf"),
        ("[[detector]]\nname = \"a\"\nanomaly = { sensitivity = nan }\n", 3, "`sensitivity` is NaN"),
        ("[[detector]]\nname = \"a\"\npattern = { surge = inf }\n", 3, "`surge` is inf"),
        ("[[detector]]\nname = \"a\"\nseverity = \"dire\"\nthreshold = { above = 1 }\n", 3, "dire"),
        ("[[detector]]\nname = \"a\"\nsequence = { then = \"x\", within = \"1m\" }\n", 1, "key"),
        ("[[detector]]\nname = \"a\"\nquery = \"nofield:1\"\nthreshold = { above = 1 }\n", 1, "nofield"),
        ("[[detector]]\nname = \"a\"\nthreshold = { measure = \"p95(word)\", above = 1 }\n", 1, "no number"),
    ] {
        let (problems, alerts) = check(&format!("{text}{good}"));
        let problem = problems.first().unwrap_or_else(|| panic!("{text}: no problem"));
        assert!(
            problem.line == line && problem.to_string().contains(part) && problem.hint.is_some(),
            "{text}: {problem:?}"
        );
        let is_read = !problem.message.contains("not a file of detectors");
        assert_eq!(alerts, usize::from(is_read), "{text}: the good one runs");
    }
}

#[test]
fn the_starter_set_reads_and_runs_over_a_case_with_its_fields() {
    let mut events: Vec<(i64, &str)> =
        (0..60).map(|second| (second, r#""status":500,"client_ip":"10.0.0.1","duration_ms":3.5"#)).collect();
    events
        .extend((60..120).map(|second| (second, r#""status":503,"client_ip":"10.0.0.1","duration_ms":3.5"#)));
    events.push((300, r#""message":"kernel: Out of memory: Killed process 17""#));
    let bench = Bench::new(&events);
    let detectors = Detectors::read(&["starter".into()], &ReadOptions::default());
    assert_eq!((detectors.len(), detectors.problems()), (26, [].as_slice()));
    let report = detectors
        .check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default())
        .expect("checked");
    let mut fired: Vec<&str> = report.alerts.iter().map(|alert| &*alert.detector).collect();
    fired.dedup();
    assert_eq!(
        fired,
        ["starter.error-ratio", "starter.5xx-burst", "starter.out-of-memory"],
        "{:?}",
        report.problems
    );
    assert!(report.not_applicable.contains(&"starter.log-cleared".to_owned()));
    assert!(
        report.problems.iter().all(|problem| problem.message.contains("cannot say")),
        "{:?}",
        report.problems
    );
    let said = |name: &str| {
        let named = report.verdicts.iter().find(|(other, _)| other == name);
        named.map(|(_, verdict)| (verdict.outcome, &*verdict.sentence)).expect("it was run")
    };
    assert_eq!(said("starter.5xx-burst").0, Outcome::Fired);
    assert_eq!(said("starter.disk-full"), (Outcome::Quiet, "6 bins judged, over 5m"));
    assert_eq!(
        said("starter.silent-host"),
        (Outcome::CannotSay, "the field `host` is in no event"),
        "nothing to be quiet about"
    );
    assert_eq!(
        said("starter.latency-p95").1,
        "it needs 13 bins with values, twelve of them to know what is usual, and the data has 1"
    );
}

fn detector(season: Season) -> Anomaly {
    Anomaly {
        measure: "count".to_owned(),
        width: 5 * MINUTE,
        up: true,
        down: true,
        season,
        sensitivity: 6.0,
        window: 5 * 60 * MINUTE,
        bins: 1,
        least: 0,
    }
}

/// So many bins of five minutes with hardly any change.
fn calm(bins: usize) -> Vec<Bin> {
    let bin = |index: usize| {
        let start = index as i64 * 5 * MINUTE + 2_000 * 7 * DAY;
        Bin { start, value: Some(100.0 + (index * 7 % 11) as f64), events: 1, ends: (start, start) }
    };
    (0..bins).map(bin).collect()
}

#[test]
fn anomalies_say_what_they_are_judged_by() {
    const PER_DAY: usize = 288;
    let basis = |bins: usize| {
        let mut calm = calm(bins);
        calm[bins - 10].value = Some(900.0);
        let found = anomalies(&detector(Season::Auto), &calm);
        assert_eq!(found.len(), 1, "{bins} bins");
        found[0].basis.map(|basis| (basis.baseline, basis.samples, basis.history))
    };
    for (bins, expected) in [
        (8 * 7 * PER_DAY, (Baseline::Week, 8, HistoryAmount::Enough)),
        (4 * 7 * PER_DAY, (Baseline::Week, 4, HistoryAmount::Little)),
        (8 * PER_DAY, (Baseline::Day, 8, HistoryAmount::Enough)),
        (5 * PER_DAY, (Baseline::Day, 5, HistoryAmount::Little)),
        (40, (Baseline::Window, 30, HistoryAmount::Enough)),
        (25, (Baseline::Window, 15, HistoryAmount::Little)),
    ] {
        assert_eq!(basis(bins), Some(expected), "{bins} bins");
    }
    let bench = Bench::new(&minutes(&[&[5; 20][..], &[50], &[5]].concat(), r#""n":1"#));
    let alerts = bench.check("anomaly = { every = \"1m\" }").alerts;
    assert_eq!(
        alerts[0].basis.map(|basis| basis.to_string()).as_deref(),
        Some("compared with 20 values before it: little history")
    );
    assert_eq!(bench.check("threshold = { above = 20 }").alerts[0].basis, None);
}

#[test]
fn quiet_data_has_few_anomalies_whatever_the_season() {
    for season in [Season::Auto, Season::Week, Season::Day, Season::None] {
        let calm = calm(2_000);
        assert_eq!(anomalies(&detector(season), &calm), [], "{season:?}");
        let mut spiked = calm.clone();
        spiked[1_500].value = Some(900.0);
        assert_eq!(anomalies(&detector(season), &spiked).len(), 1, "{season:?}");
    }
    assert_eq!(anomalies(&detector(Season::Auto), &[]), []);
}
