//! Rules over small cases of their own: each modifier, log sources, lists and nulls, correlations, bad input.

use std::fs;
use std::path::{Path, PathBuf};

use indexer::{Cancel, Case, ImportOptions, View};
use proptest::prelude::*;

use super::TextSearch;
use crate::{Alert, Detectors, ReadOptions, Report, Scope};

pub struct Bench {
    pub folder: tempfile::TempDir,
    pub case: Case,
}

impl Bench {
    pub fn new(lines: &str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("events.ndjson");
        fs::write(&log, lines).expect("written");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        let bench = Bench { folder, case };
        bench.import(log);
        bench
    }

    pub fn import(&self, log: PathBuf) {
        self.case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    }

    fn detectors(&self, rules: &str) -> Detectors {
        let file = self.folder.path().join("rule.yml");
        fs::write(&file, rules).expect("written");
        Detectors::read(&[file], &ReadOptions::default())
    }

    pub fn report(&self, rules: &str) -> Report {
        let detectors = self.detectors(rules);
        assert_eq!(detectors.problems(), []);
        detectors
            .check(&self.case, &self.case.snapshot(), &Scope::default(), &Cancel::default())
            .expect("checked")
    }

    pub fn count(&self, query: &str) -> usize {
        let view = View::parse(query, None, None).unwrap_or_else(|error| panic!("{query}: {error}"));
        self.case
            .count(&self.case.snapshot(), &view, &Cancel::default())
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// How many events a detection matches. Its query must select as many.
    fn matches(&self, detection: &str) -> u64 {
        let rules =
            format!("title: t\nid: x\nlogsource: {{product: acme, service: audit}}\ndetection:\n{detection}");
        let file = self.folder.path().join("rule.yml");
        fs::write(&file, rules).expect("written");
        let table = self.folder.path().join("sources.toml");
        let text = "[[source]]\nproduct = \"acme\"\nservice = \"audit\"\nevents = [{ where = { format = \"json\" } }]\n";
        fs::write(&table, text).expect("written");
        let values = self.folder.path().join("values.toml");
        fs::write(&values, "admins = [\"ann\", \"root\"]\n").expect("written");
        let options =
            ReadOptions { log_sources: vec![table], placeholders: vec![values], ..ReadOptions::default() };
        let detectors = Detectors::read(&[file], &options);
        assert_eq!(detectors.problems(), [], "{detection}");
        let snapshot = self.case.snapshot();
        let report =
            detectors.check(&self.case, &snapshot, &Scope::default(), &Cancel::default()).expect("checked");
        assert_eq!(report.applicable, 1, "{detection}");
        for alert in &report.alerts {
            assert_eq!(self.count(&alert.query) as u64, alert.events, "{detection}: {}", alert.query);
        }
        report.alerts.iter().map(|alert| alert.events).sum()
    }
}

const EVENTS: &str = r#"{"time":"2026-03-01T03:04:05Z","cmd":"C:\\Tools\\Run.exe -enc ZQB2AGkAbAA=","ip":"10.1.2.3","n":5,"user":"ann","owner":"Ann","at":"2026-03-01T22:30:00Z"}
{"time":"2026-03-01T03:04:06Z","cmd":"c:\\tools\\run.exe /enc evil","ip":"192.168.0.1","n":50,"user":"bob","owner":"ann","at":"2026-04-02T03:00:00Z"}
{"time":"2026-03-01T03:04:07Z","cmd":"a*b?c\\d ZXZpbA==","ip":"fe80::1","n":500,"user":"ÄRGER"}
{"time":"2026-03-01T03:04:08Z","cmd":"x ldmls y","n":5000,"user":"ann","deep":{"User":{"Name":"root"}}}
"#;

#[test]
fn each_modifier_matches_what_it_should() {
    let bench = Bench::new(EVENTS);
    let one = |item: &str| bench.matches(&format!("  s:\n    {item}\n  condition: s\n"));
    for (item, expected) in [
        (r"cmd|contains: RUN.EXE", 2),
        (r"cmd|contains|cased: RUN", 0),
        (r"cmd|contains|cased: Run", 1),
        (r"cmd|startswith: 'c:\tools'", 2),
        (r"cmd|endswith: evil", 1),
        (r"cmd|contains|all: [tools, evil]", 1),
        (r"cmd|contains: [enc, ldmls]", 3),
        (r"cmd: '*\run.exe ?enc*'", 2),
        (r"cmd: 'a\*b\?c\\d*'", 1),
        (r"cmd: 'a\*bxc*'", 0),
        (r"cmd|re: 'Run\.exe'", 1),
        (r"cmd|re|i: 'run\.exe'", 2),
        (r"cmd|re|i|s: 'RUN.+EVIL$'", 1),
        (r"cmd|windash|contains: ' -enc '", 2),
        (r"cmd|base64|contains: evil", 1),
        (r"cmd|base64offset|contains: evil", 2),
        (r"cmd|wide|base64offset|contains: evil", 1),
        (r"cmd|utf16le|base64|contains: evil", 1),
        (r"ip|cidr: 10.0.0.0/8", 1),
        (r"ip|cidr: [192.168.0.0/16, 'fe80::/10']", 2),
        ("n|gt: 50", 2),
        ("n|gte: 50", 3),
        ("n|lt: 50", 1),
        ("n|lte: 50", 2),
        ("n: 50", 1),
        ("n: [5, 5000]", 2),
        ("n|neq: 50", 3),
        ("ip|exists: true", 3),
        ("ip|exists: false", 1),
        ("ip: null", 1),
        ("ip: [null, 10.1.2.3]", 2),
        ("nowhere: null", 4),
        ("nowhere: x", 0),
        ("user|expand: '%admins%'", 2),
        ("user|fieldref: owner", 1),
        ("user|fieldref|startswith: owner", 1),
        ("owner|cased|fieldref: user", 0),
        ("user: ärger", 1),
        ("Name: root", 1),
        ("CMD|contains: ldmls", 1),
        ("at|hour: 22", 1),
        ("at|month: 4", 1),
        ("user: '*'", 4),
    ] {
        if item == "user: '*'" {
            // It would match everything alone.
            assert_eq!(bench.matches("  s:\n    user: '*'\n    n: 5\n  condition: s\n"), 1);
        } else {
            assert_eq!(one(item), expected, "{item}");
        }
    }
}

#[test]
fn fields_that_are_nowhere_are_named_by_rule() {
    let bench = Bench::new(&logins(&[(0, "Fail", "ann")]));
    let missing = |detection: &str| {
        let rule = format!(
            "title: t\nid: r\nlogsource: {{product: aws, service: cloudtrail}}\ndetection:\n{detection}"
        );
        let report = bench.report(&rule);
        assert_eq!(report.applicable, 1, "{detection}");
        report
            .missing_fields
            .into_iter()
            .next()
            .map(|missing| (missing.fields.join(" "), missing.cannot_match))
    };
    for (detection, expected) in [
        ("  s: {eventName: Fail}\n  condition: s\n", None),
        ("  s: {eventName: Login}\n  condition: s\n", None),
        ("  s: {eventName: Fail, errorCode: x}\n  condition: s\n", Some(("errorCode", true))),
        ("  s: {userAgent: x, errorCode: x}\n  condition: s\n", Some(("errorCode userAgent", true))),
        (
            "  s: {eventName: Fail}\n  f: {errorCode: x}\n  condition: s and not f\n",
            Some(("errorCode", false)),
        ),
        ("  s: [{eventName: Fail}, {errorCode: x}]\n  condition: s\n", Some(("errorCode", false))),
        ("  s: {eventName|fieldref: errorCode}\n  condition: s\n", Some(("errorCode", true))),
        ("  s: {eventName: Fail, errorCode: null}\n  condition: s\n", None),
        ("  s: {eventName: Fail, errorCode|exists: false}\n  condition: s\n", None),
        (
            "  s: {eventName: Fail}\n  f: {errorCode: null}\n  condition: s and not f\n",
            Some(("errorCode", true)),
        ),
        ("  k: [Fail]\n  condition: k\n", None),
    ] {
        let expected = expected.map(|(fields, cannot_match): (&str, bool)| (fields.to_owned(), cannot_match));
        assert_eq!(missing(detection), expected, "{detection}");
    }
}

#[test]
fn keywords_lists_of_maps_and_quantifiers() {
    let bench = Bench::new(EVENTS);
    assert_eq!(bench.matches("  k: [ldmls, '192.168.0.1']\n  condition: k\n"), 2);
    assert_eq!(bench.matches("  k:\n    '|all': [tools, evil]\n  condition: k\n"), 1);
    assert_eq!(bench.matches("  k: EVIL\n  condition: k\n"), 1);
    assert_eq!(bench.matches("  s:\n    - user: ann\n      n: 5\n    - n: 50\n  condition: s\n"), 2);
    assert_eq!(
        bench.matches("  s_a: {user: ann}\n  s_b: {n: 5}\n  f: {n: 5000}\n  condition: 1 of s_* and not f\n"),
        1
    );
    assert_eq!(bench.matches("  s_a: {user: ann}\n  s_b: {n: 5}\n  condition: all of s_*\n"), 1);
    assert_eq!(bench.matches("  a: {user: ann}\n  b: {n: 5}\n  c: {n|lt: 60}\n  condition: 2 of them\n"), 1);
    assert_eq!(bench.matches("  a: {user: ann}\n  condition: not a\n"), 2);
    assert_eq!(bench.matches("  a: {user: ann}\n  b: {n: 50}\n  condition: [a, b]\n"), 3);
}

#[test]
fn few_events_of_a_long_rule_are_named() {
    let bench = Bench::new(EVENTS);
    let names = (0..100).map(|n| format!("      - a-long-name-of-a-tool-{n}\n")).collect::<Vec<_>>().concat();
    let rules = format!(
        "title: t\nid: x\nlogsource: {{category: application, product: python}}\n\
         detection:\n  s:\n    user|contains:\n      - ann\n{names}  condition: s\n"
    );
    let report = bench.report(&rules);
    let alert = &report.alerts[0];
    assert!(alert.query.len() < 200 && alert.query.contains("line"), "{}", alert.query);
    assert_eq!(bench.count(&alert.query) as u64, alert.events, "{}", alert.query);
}

#[test]
fn a_time_range_limits_events_and_the_query() {
    let bench = Bench::new(EVENTS);
    let detectors = bench.detectors(
        "title: t\nlogsource: {product: linux}\ndetection: {s: {n|gte: 1}, condition: s}\n---\n\
         title: c\nlogsource: {product: aws, service: cloudtrail}\ndetection: {s: {eventName: x}, condition: s}\n",
    );
    let report = detectors
        .check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default())
        .expect("checked");
    assert_eq!(
        (report.alerts.len(), report.applicable, report.not_applicable.len()),
        (0, 0, 2),
        "no such events"
    );
    let at = |text: &str| indexer::stamp::parse(text);
    let scope = Scope { from: at("2026-03-01T03:04:06Z"), to: at("2026-03-01T03:04:08Z") };
    let rules = "title: t\nid: x\nlogsource: {category: application, product: python}\ndetection: {s: {n|gte: 1}, condition: s}\n";
    let detectors = bench.detectors(rules);
    let report =
        detectors.check(&bench.case, &bench.case.snapshot(), &scope, &Cancel::default()).expect("checked");
    let alert = &report.alerts[0];
    assert_eq!((alert.events, alert.start, alert.end), (2, scope.from, at("2026-03-01T03:04:07Z")));
    assert_eq!(bench.count(&alert.query), 2, "{}", alert.query);
}

/// Windows events as JSON, as shippers write them.
fn windows(channel: &str, number: u32, data: &str) -> String {
    format!("{{\"time\":\"2026-03-01T00:00:00Z\",\"Channel\":\"{channel}\",\"EventID\":{number},{data}}}\n")
}

#[test]
fn windows_log_sources_select_events_and_name_their_fields() {
    let sysmon = "Microsoft-Windows-Sysmon/Operational";
    let text = [
        windows(sysmon, 1, r#""Image":"C:\\x\\evil.exe""#),
        windows(sysmon, 11, r#""Image":"C:\\x\\evil.exe""#),
        windows("Security", 4688, r#""NewProcessName":"C:\\y\\EVIL.exe""#),
        windows("Security", 4624, r#""NewProcessName":"C:\\y\\evil.exe""#),
        windows(sysmon, 12, r#""EventType":"CreateKey","TargetObject":"HKLM\\evil""#),
        windows(sysmon, 12, r#""EventType":"DeleteValue","TargetObject":"HKLM\\evil""#),
    ]
    .concat();
    let bench = Bench::new(&text);
    let rule = |source: &str, field: &str| {
        format!(
            "title: t\nid: x\nlogsource: {{{source}}}\ndetection: {{s: {{{field}|contains: evil}}, condition: s}}\n"
        )
    };
    let count = |source: &str, field: &str| -> u64 {
        let report = bench.report(&rule(source, field));
        for alert in &report.alerts {
            assert_eq!(bench.count(&alert.query) as u64, alert.events, "{}", alert.query);
        }
        report.alerts.iter().map(|alert| alert.events).sum()
    };
    assert_eq!(count("product: windows, category: process_creation", "Image"), 2);
    assert_eq!(count("product: windows, category: file_event", "Image"), 1);
    assert_eq!(count("product: windows, category: registry_add", "TargetObject"), 1);
    assert_eq!(count("product: windows, category: registry_delete", "TargetObject"), 1);
    assert_eq!(count("product: windows, category: registry_event", "TargetObject"), 2);
    assert_eq!(count("product: windows, service: security", "NewProcessName"), 2);
    assert_eq!(count("product: windows", "Image"), 2);
    let absent = bench.report(&rule("product: windows, category: dns_query", "QueryName"));
    assert_eq!(absent.not_applicable, ["x"]);
}

const LOGINS: &str = "title: failed\nname: failed\nlogsource: {product: aws, service: cloudtrail}\n\
    detection: {s: {eventName: Fail}, condition: s}\n---\n\
    title: done\nname: done\nlogsource: {product: aws, service: cloudtrail}\n\
    detection: {s: {eventName: Login}, condition: s}\n---\n";

fn logins(events: &[(u32, &str, &str)]) -> String {
    let line = |(second, name, user): &(u32, &str, &str)| {
        format!(
            "{{\"time\":\"2026-03-01T00:{:02}:{:02}Z\",\"eventSource\":\"s\",\"eventName\":\"{name}\",\"who\":\"{user}\"}}\n",
            second / 60,
            second % 60
        )
    };
    events.iter().map(line).collect()
}

#[test]
fn correlations_group_count_and_order() {
    let bench = Bench::new(&logins(&[
        (0, "Fail", "ann"),
        (5, "Fail", "ann"),
        (9, "Fail", "ann"),
        (10, "Fail", "bob"),
        (12, "Login", "ann"),
        (100, "Login", "bob"),
        (200, "Fail", "ann"),
    ]));
    let correlation = |body: &str| {
        let report = bench.report(&format!("{LOGINS}title: c\nid: c\nlevel: high\ncorrelation:\n{body}"));
        for alert in &report.alerts {
            assert_eq!(bench.count(&alert.query) as u64, alert.events, "{}", alert.query);
        }
        report.alerts
    };
    let shown = |alerts: &[Alert]| -> Vec<(String, u64, Option<f64>)> {
        let group = |alert: &Alert| alert.group.first().map(|(_, value)| value.clone()).unwrap_or_default();
        let correlated = alerts.iter().filter(|alert| alert.detector == "c");
        correlated.map(|alert| (group(alert), alert.events, alert.value)).collect()
    };
    let alerts = correlation(
        "  type: event_count\n  rules: failed\n  group-by: [who]\n  timespan: 1m\n  condition: {gte: 3}\n",
    );
    assert_eq!(shown(&alerts), [("ann".to_owned(), 3, Some(3.0))]);
    assert_eq!(
        alerts.iter().find(|alert| alert.detector == "c").map(|alert| alert.severity),
        Some(crate::Severity::High)
    );
    assert!(alerts.iter().all(|alert| alert.detector != "failed"), "it is quiet next to its correlation");
    let alerts = correlation(
        "  type: value_count\n  rules: [failed]\n  timespan: 1m\n  condition: {gte: 2, field: who}\n",
    );
    assert_eq!(shown(&alerts), [(String::new(), 4, Some(2.0))]);
    let alerts = correlation(
        "  type: temporal_ordered\n  rules: [failed, done]\n  group-by: [who]\n  timespan: 30s\n",
    );
    assert_eq!(shown(&alerts), [("ann".to_owned(), 2, Some(2.0))]);
    let alerts = correlation(
        "  type: temporal\n  rules: [failed, done]\n  group-by: [user]\n  aliases: {user: {failed: who, done: who}}\n  timespan: 2m\n",
    );
    assert_eq!(shown(&alerts).len(), 2);
    let alerts = correlation(
        "  type: event_count\n  rules: [failed]\n  group-by: [who]\n  timespan: 1m\n  condition: {gte: 9}\n  generate: true\n",
    );
    assert_eq!(
        alerts.iter().map(|alert| (&*alert.detector, alert.events)).collect::<Vec<_>>(),
        [("failed", 5), ("done", 2)]
    );
}

/// Rules of two log sources and what filters leave of them, with what is said.
#[test]
fn filters_narrow_the_rules_that_they_name() {
    const RULES: &str = "title: f\nid: failed\nname: failing\nlogsource: {product: aws, service: cloudtrail}\n\
        detection: {s: {eventName: Fail}, condition: s}\n---\n\
        title: d\nid: done\nlogsource: {product: aws, service: cloudtrail}\n\
        detection: {s: {eventName: Login}, condition: s}\n---\n";
    let bench = Bench::new(&logins(&[
        (0, "Fail", "ann"),
        (5, "Fail", "bob"),
        (9, "Fail", "bob"),
        (12, "Login", "ann"),
        (13, "Login", "bob"),
    ]));
    let found = |filters: &str| {
        let detectors = bench.detectors(&format!("{RULES}{filters}"));
        let report = detectors
            .check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default())
            .expect("checked");
        for alert in &report.alerts {
            assert_eq!(bench.count(&alert.query) as u64, alert.events, "{}", alert.query);
        }
        let events: Vec<(String, u64)> =
            report.alerts.iter().map(|alert| (alert.detector.clone(), alert.events)).collect();
        let problems: Vec<(usize, String)> =
            detectors.problems().iter().map(|problem| (problem.line, problem.to_string())).collect();
        (events, problems)
    };
    let counts = |failed: u64, done: u64| {
        let all = [("failed", failed), ("done", done)];
        let fired = all.into_iter().filter(|(_, events)| *events > 0);
        fired.map(|(rule, events)| (rule.to_owned(), events)).collect::<Vec<_>>()
    };
    let filter = |source: &str, body: &str| format!("title: mf\nlogsource: {{{source}}}\nfilter:\n{body}");
    let not_bob = "  selection: {who|startswith: b}\n  condition: not selection\n";
    assert_eq!(found(""), (counts(3, 2), Vec::new()));
    for (source, rules, expected) in [
        ("product: aws", "[failed]", counts(1, 2)),
        ("product: aws", "failing", counts(1, 2)),
        ("product: aws", "[failed, done]", counts(1, 1)),
        ("product: aws, service: cloudtrail", "any", counts(1, 1)),
    ] {
        assert_eq!(
            found(&filter(source, &format!("  rules: {rules}\n{not_bob}"))),
            (expected, Vec::new()),
            "{rules}"
        );
    }
    // Two filters of one rule narrow it together, with several searches each.
    let two = format!(
        "{}---\n{}",
        filter("product: aws", &format!("  rules: [failed]\n{not_bob}")),
        filter(
            "product: aws",
            "  rules: [failed, done]\n  a: {who: ann}\n  b: {eventName: Login}\n  condition: not (a and b) and 1 of *\n"
        )
    );
    assert_eq!(found(&two), (counts(1, 1), Vec::new()));
    // A filter with an unknown placeholder, or one that is wrong otherwise, is named; its rules run as they are.
    for (body, line, part) in [
        ("  rules: [faild]\n", 15, "did you mean `failed`"),
        ("  rules: []\n", 15, "lists no ids"),
        ("", 15, "no `rules`"),
    ] {
        let (events, problems) = found(&filter("product: aws", &format!("{body}{not_bob}")));
        assert_eq!(events, counts(3, 2), "{body}");
        assert!(problems.len() == 1 && problems[0].0 == line && problems[0].1.contains(part), "{problems:?}");
    }
    let (events, problems) = found(&filter("product: azure", &format!("  rules: any\n{not_bob}")));
    assert_eq!(events, counts(3, 2));
    assert!(problems[0].1.contains("changes nothing"), "{problems:?}");
    let with_rule = format!(
        "{}detection: {{s: {{a: b}}, condition: s}}\n",
        filter("product: aws", &format!("  rules: any\n{not_bob}"))
    );
    assert!(found(&with_rule).1[0].1.contains("both"));
    // A correlation counts what filters leave; it is none of the rules that they narrow.
    let correlation = "title: c\nid: c\ncorrelation: {type: event_count, rules: [failed], timespan: 1m, condition: {gte: 2}}\n---\n";
    let all =
        found(&format!("{correlation}{}", filter("product: aws", &format!("  rules: [failed]\n{not_bob}"))));
    assert_eq!(all, (counts(0, 2), Vec::new()));
    let (events, problems) =
        found(&format!("{correlation}{}", filter("product: aws", &format!("  rules: [c]\n{not_bob}"))));
    assert!(
        events.contains(&("c".to_owned(), 3)) && problems[0].1.contains("is a correlation"),
        "{problems:?}"
    );
}

#[test]
fn later_segments_add_to_what_was_found() {
    let bench = Bench::new(&logins(&[(0, "Fail", "ann")]));
    let detectors = bench.detectors("title: f\nid: f\nlogsource: {product: aws, service: cloudtrail}\ndetection: {s: {eventName: Fail}, condition: s}\n");
    let mut progress = super::Progress::default();
    let mut check = || {
        let snapshot = bench.case.snapshot();
        detectors
            .check_on(&bench.case, &snapshot, &Scope::default(), &mut progress, &Cancel::default())
            .expect("checked")
    };
    assert_eq!(check().alerts[0].events, 1);
    let more = bench.folder.path().join("more.ndjson");
    fs::write(&more, logins(&[(50, "Fail", "bob"), (51, "Login", "bob")])).expect("written");
    bench.import(more);
    assert_eq!(check().alerts[0].events, 2);
    assert_eq!(check().alerts[0].events, 2);
}

#[test]
fn bad_rules_are_named_with_line_and_advice_and_the_others_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = "title: t\nlogsource: {product: windows}\n";
    for (name, text, line, part) in [
        ("yaml.yml", "title: [\n".to_owned(), 2, "YAML"),
        (
            "modifier.yml",
            format!("{head}detection:\n  s:\n    a|contans: x\n  condition: s\n"),
            5,
            "contains",
        ),
        ("regex.yml", format!("{head}detection:\n  s:\n    a|re: '(?<!x)y'\n  condition: s\n"), 5, "look"),
        (
            "huge.yml",
            format!("{head}detection:\n  s:\n    a|re: '(((a{{1000}}){{1000}}){{1000}})'\n  condition: s\n"),
            5,
            "large",
        ),
        ("all.yml", format!("{head}detection:\n  s:\n    a: '*'\n  condition: s\n"), 1, "every event"),
        (
            "condition.yml",
            format!("{head}detection:\n  s:\n    a: x\n  condition: s and other\n"),
            6,
            "other",
        ),
        ("source.yml", "title: t\ndetection: {s: {a: b}, condition: s}\n".to_owned(), 1, "logsource"),
        ("cidr.yml", format!("{head}detection:\n  s:\n    a|cidr: ten\n  condition: s\n"), 5, "network"),
        ("level.yml", format!("{head}level: dire\ndetection: {{s: {{a: b}}, condition: s}}\n"), 3, "dire"),
        (
            "expand.yml",
            format!("{head}detection:\n  s:\n    a|expand: '%list%'\n  condition: s\n"),
            5,
            "placeholder",
        ),
        (
            "link.yml",
            "title: t\ncorrelation: {type: temporal, rules: [nobody], timespan: 1m}\n".to_owned(),
            1,
            "nobody",
        ),
        ("empty.yml", String::new(), 0, "empty"),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("written");
        let detectors = Detectors::read(&[file], &ReadOptions::default());
        assert_eq!(detectors.problems().len(), 1, "{name}: {:?}", detectors.problems());
        let problem = &detectors.problems()[0];
        assert!(
            problem.line == line && problem.to_string().contains(part) && problem.hint.is_some(),
            "{name}: {problem:?}"
        );
    }
    fs::write(folder.path().join("good.yaml"), format!("{head}detection: {{s: {{a: b}}, condition: s}}\n"))
        .expect("written");
    fs::write(folder.path().join("notes.txt"), "no rule").expect("written");
    let detectors = Detectors::read(&[folder.path().to_owned()], &ReadOptions::default());
    assert_eq!((detectors.len(), detectors.problems().len()), (1, 12));
    let gone = Detectors::read(&[Path::new("no/such/file.yml").to_owned()], &ReadOptions::default());
    assert!(gone.problems()[0].message.contains("read"));
}

fn keyword() -> impl Strategy<Value = String> {
    prop_oneof!["[abAB]{3,5}", "[abAB:. -]{1,7}", "[abAB]{2,4}::[abAB]{1,3}", "[abAB*?]{3,5}", "[aäÄß]{3,4}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]
    #[test]
    fn the_text_index_leaves_out_no_event_with_a_keyword(
        texts in prop::collection::vec("[abABäÄß:. -]{0,14}", 1..20),
        keywords in prop::collection::vec(keyword(), 1..5),
        all in any::<bool>(),
    ) {
        let line = |text: &String| format!("{{\"time\":\"2026-03-01T00:00:00Z\",\"t\":\"{text}\"}}\n");
        let bench = Bench::new(&texts.iter().map(line).collect::<String>());
        let list: String =
            keywords.iter().fold(String::new(), |list, word| format!("{list}      - '{word}'\n"));
        let key = if all { "'|all'" } else { "''" };
        let rules = format!(
            "title: k\nid: k\nlogsource: {{product: acme}}\ndetection:\n  k:\n    {key}:\n{list}  condition: k\n"
        );
        let (file, table) = (bench.folder.path().join("rule.yml"), bench.folder.path().join("sources.toml"));
        fs::write(&file, rules).expect("written");
        fs::write(&table, "[[source]]\nproduct = \"acme\"\nevents = [{ where = { format = \"json\" } }]\n")
            .expect("written");
        let options = ReadOptions { log_sources: vec![table], ..ReadOptions::default() };
        let mut detectors = Detectors::read(&[file], &options);
        let mut found = |search| {
            detectors.search_texts(search);
            let report = detectors.check(&bench.case, &bench.case.snapshot(), &Scope::default(), &Cancel::default());
            let report = report.expect("checked");
            (report.applicable, report.alerts)
        };
        let (index, scan) = (found(TextSearch::Index), found(TextSearch::Scan));
        prop_assert_eq!(index, scan);
    }
}

fn detection() -> impl Strategy<Value = String> {
    let item = (0..4_usize, 0..5_usize, "[abAB*?-]{1,4}").prop_map(|(field, modifier, value)| {
        let field = ["p", "q", "r", "n"][field];
        let modifier = ["", "|contains", "|startswith", "|endswith", "|contains|cased"][modifier];
        format!("{field}{modifier}: 'a{value}'")
    });
    let items = prop::collection::vec(item, 1..3);
    let condition = prop_oneof![
        Just("a and b"),
        Just("a or b"),
        Just("a and not b"),
        Just("not (a or b)"),
        Just("1 of them"),
    ];
    (items.clone(), items, condition).prop_map(|(a, b, condition)| {
        let list = |items: Vec<String>| {
            items.iter().fold(String::new(), |list, item| format!("{list}    - {item}\n"))
        };
        format!("  a:\n{}  b:\n{}  condition: {condition}\n", list(a), list(b))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    /// `matches` asserts that the query of each alert selects as many events as the rule did.
    #[test]
    fn queries_select_the_events_of_random_rules(
        rows in prop::collection::vec(("[abAB-]{1,4}", prop::option::of("[abAB-]{1,4}"), prop::option::of(0..9_i32)), 1..12),
        detections in prop::collection::vec(detection(), 1..6),
    ) {
        let line = |(p, q, n): &(String, Option<String>, Option<i32>)| {
            let q = q.as_ref().map_or_else(String::new, |q| format!(",\"q\":\"a{q}\""));
            let n = n.map_or_else(String::new, |n| format!(",\"n\":{n}"));
            format!("{{\"time\":\"2026-03-01T00:00:00Z\",\"p\":\"a{p}\"{q}{n}}}\n")
        };
        let bench = Bench::new(&rows.iter().map(line).collect::<String>());
        for detection in &detections {
            bench.matches(detection);
        }
    }
}
