//! How a result of rules is read: who and where, what matched, over which time, and what a filter leaves out.

use std::fmt::Write;
use std::fs;

use indexer::{Cancel, Case, ImportOptions, View};
use proptest::prelude::*;

use super::{HitPage, HitsOf, RulePlace, RuleState};
use crate::{Detectors, ReadOptions, Report, Scope};

const RULE: &str = r"title: Shell with a flag
id: 11111111-0000-4000-8000-000000000001
status: test
description: |
  Finds shells
  with a flag.
author: Ann
date: 2024-01-02
modified: 2025-03-04
references: [https://example.org/a, https://example.org/b]
falsepositives: [Administrators]
tags: [attack.execution, attack.t1059.003, cve.2024-1]
level: high
logsource: {product: windows, category: process_creation}
detection:
  selection:
    Image|endswith: '\cmd.exe'
    CommandLine|contains: ['/c', '/k']
  filter:
    ParentImage|endswith: '\updater.exe'
  condition: selection and not filter
";

struct Bench {
    folder: tempfile::TempDir,
    case: Case,
}

impl Bench {
    fn new(lines: &[String]) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("events.ndjson");
        fs::write(&log, lines.concat()).expect("written");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
        Bench { folder, case }
    }

    fn rules(&self, rules: &str, filters: &[String]) -> Detectors {
        let file = self.folder.path().join("rule.yml");
        fs::write(&file, rules).expect("written");
        let filters = filters.iter().map(|text| ("filter x".to_owned(), text.clone())).collect();
        Detectors::read(&[file], &ReadOptions { filters, ..ReadOptions::default() })
    }

    fn report(&self, rules: &Detectors) -> Report {
        assert_eq!(rules.problems(), []);
        rules
            .check(&self.case, &self.case.snapshot(), &Scope::default(), &Cancel::default())
            .expect("checked")
    }

    fn events(&self, rules: &str, filters: &[String]) -> u64 {
        self.report(&self.rules(rules, filters)).found.iter().map(|found| found.events).sum()
    }

    fn count(&self, query: &str) -> usize {
        let view = View::parse(query, None, None).unwrap_or_else(|error| panic!("{query}: {error}"));
        self.case.count(&self.case.snapshot(), &view, &Cancel::default()).expect("counted")
    }
}

/// Starts of processes as Sysmon reports them.
fn started(second: usize, host: &str, user: &str, command: &str) -> String {
    let event = serde_json::json!({
        "time": format!("2026-03-01T00:{:02}:{:02}Z", second / 60, second % 60),
        "Channel": "Microsoft-Windows-Sysmon/Operational", "EventID": 1, "Computer": host, "User": user,
        "Image": r"C:\Windows\cmd.exe", "CommandLine": command, "ParentImage": r"C:\x\explorer.exe",
    });
    format!("{event}\n")
}

#[test]
fn a_rule_that_fired_says_what_it_is_about() {
    let bench = Bench::new(&[started(0, "WS1", "ACME\\ann", "cmd.exe /c whoami")]);
    let rules = bench.rules(RULE, &[]);
    let about = rules.rules().rules().next().expect("a rule").about;
    assert_eq!(about.description, "Finds shells\nwith a flag.");
    assert_eq!((&*about.author, &*about.status, &*about.date), ("Ann", "test", "2025-03-04"));
    assert_eq!((about.references.len(), &*about.false_positives), (2, &["Administrators".to_owned()][..]));
    assert_eq!(
        (&*about.tactics[0], &*about.techniques[0], &*about.tags[0]),
        ("execution", "T1059.003", "cve.2024-1")
    );
    assert_eq!(about.log_source, "category process_creation, product windows");
}

#[test]
fn events_of_a_rule_are_grouped_by_host_user_and_process() {
    let mut lines: Vec<String> = (0..30).map(|at| started(at, "WS1", "ACME\\ann*", "cmd /c a")).collect();
    lines.push(started(60, "WS2", "ACME\\bob", "cmd /k b"));
    lines.push(started(3_000, "WS2", "-", "cmd /k b"));
    let bench = Bench::new(&lines);
    let report = bench.report(&bench.rules(RULE, &[]));
    assert_eq!(report.states, [RuleState::Fired]);
    let [found] = &report.found[..] else { panic!("{:?}", report.found) };
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|group| {
            let value = |entity: &Option<super::EntityValue>| entity.as_ref().map(|one| one.value.clone());
            assert_eq!(bench.count(&group.query) as u64, group.events, "{}", group.query);
            assert_eq!(value(&group.entities.process).as_deref(), Some(r"C:\Windows\cmd.exe"));
            (value(&group.entities.host), value(&group.entities.user), group.events)
        })
        .collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        groups,
        [
            (text("WS1"), text("ACME\\ann*"), 30),
            (text("WS2"), text("ACME\\bob"), 1),
            // A dash says that there is nobody.
            (text("WS2"), None, 1),
        ]
    );
    // Bins of a minute over the fifty minutes of the case.
    let noise: Vec<u64> = found.noise.iter().map(|(_, events)| *events).collect();
    assert_eq!(noise, [30, 1, 1]);
}

#[test]
fn each_event_shows_the_values_that_matched_and_not_those_of_filters() {
    let lines = [started(0, "WS1", "ann", "CMD /C whoami /k"), started(1, "WS2", "bob", "cmd /c x")];
    let bench = Bench::new(&lines);
    let snapshot = bench.case.snapshot();
    let hits = |page: &HitPage| {
        let rules = bench.rules(RULE, &[]);
        rules.hits(RulePlace::Rule(0), &bench.case, &snapshot, page, &Cancel::default()).expect("found")
    };
    let all = hits(&HitPage { take: 10, ..HitPage::default() });
    assert_eq!((all.matches, all.page.len()), (2, 2));
    let shown: Vec<String> = all.page[0]
        .fields
        .iter()
        .map(|field| {
            let parts = field.parts.iter();
            let parts =
                parts.map(|part| if part.matched { format!("[{}]", part.text) } else { part.text.clone() });
            format!("{}: {}", field.field, parts.collect::<String>())
        })
        .collect();
    assert_eq!(shown, [r"Image: C:\Windows[\cmd.exe]", "CommandLine: CMD [/C] whoami [/k]"]);
    assert_eq!(all.page[0].fields[1].value.as_deref(), Some("CMD /C whoami /k"));
    let of = HitsOf::Entities(all.page[1].entities.clone());
    let second = hits(&HitPage { of, take: 10, ..HitPage::default() });
    assert_eq!((second.matches, second.page[0].line), (1, 2));
    assert_eq!(hits(&HitPage { skip: 1, take: 10, ..HitPage::default() }).page.len(), 1);
}

#[test]
fn a_filter_of_the_case_leaves_a_value_out_of_a_rule() {
    let lines = [started(0, "WS1", "ann", "cmd /c backup"), started(1, "WS1", "ann", "cmd /c *other*")];
    let bench = Bench::new(&lines);
    let rules = bench.rules(RULE, &[]);
    let id = "11111111-0000-4000-8000-000000000001";
    let filter = |value: &str| rules.rules().exclusion(id, "CommandLine", value).expect("a filter");
    assert_eq!(bench.events(RULE, &[]), 2);
    assert_eq!(bench.events(RULE, &[filter("cmd /c backup")]), 1);
    // A star in a value is a star.
    assert_eq!(bench.events(RULE, &[filter("cmd /c *")]), 2);
    assert_eq!(bench.events(RULE, &[filter("cmd /c *other*"), filter("cmd /c backup")]), 0);
    // The rule of a filter may be in a folder that is not read now.
    let other = filter("x").replace(id, "22222222-0000-4000-8000-000000000002");
    assert_eq!(bench.events(RULE, &[other]), 2);
    assert_eq!(rules.rules().exclusion("nobody", "User", "x"), None);
    assert_eq!(rules.rules().exclusion(id, "User|contains", "x"), None);
    assert_eq!(rules.rules().exclusion(id, "User", &"x".repeat(100_000)), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn any_value_of_an_event_can_be_left_out(value in "[a-z*?\\\\:'\"#{}\\[\\],&!|>%@` \n\r\tä\u{85}\u{2028}\u{202e}\u{0}\u{7f}-]{1,12}") {
        // Nothing but white space is no value.
        prop_assume!(!value.trim().is_empty());
        let command = format!("cmd /c {value}");
        let bench = Bench::new(&[started(0, "WS1", "ann", &command), started(1, "WS1", "ann", "cmd /c")]);
        let rules = bench.rules(RULE, &[]);
        let filter = rules.rules().exclusion("11111111-0000-4000-8000-000000000001", "CommandLine", &command);
        prop_assert_eq!(bench.events(RULE, &[filter.expect("a filter")]), 1);
    }
}

#[test]
fn names_of_defender_and_of_user_data_match_as_rules_write_them() {
    let lines = [
        r#"{"time":"2026-03-01T00:00:00Z","Event":{"System":{"Channel":"Microsoft-Windows-Windows Defender/Operational","EventID":5007,"Computer":"WS1"},"EventData":{"New Value":"HKLM\\Exclusions\\Paths\\C:\\x","Detection User":"ACME\\ann"}}}"#,
        r#"{"time":"2026-03-01T00:00:01Z","Event":{"System":{"Channel":"Microsoft-Windows-TerminalServices-LocalSessionManager/Operational","EventID":21,"Computer":"WS2"},"UserData":{"EventXML":{"Address":"10.0.0.9","User":"ACME\\bob"}}}}"#,
        r#"{"time":"2026-03-01T00:00:02Z","channel":"Application","event_id":7,"host":"WS3","data":{"param1":"xp_cmdshell","param2":"x"}}"#,
    ];
    let bench = Bench::new(&lines.map(|line| format!("{line}\n")));
    let rule = |service: &str, detection: &str| {
        format!(
            "title: t\nid: x\nlogsource: {{product: windows, service: {service}}}\n\
             detection:\n  s: {detection}\n  condition: s\n"
        )
    };
    for (service, detection, user) in [
        ("windefend", r"{EventID: 5007, NewValue|contains: '\Exclusions\'}", Some("ACME\\ann")),
        ("terminalservices-localsessionmanager", "{EventID: 21, Address: 10.0.0.9}", Some("ACME\\bob")),
        ("application", "{EventID: 7, Data|contains: cmdshell}", None),
    ] {
        let report = bench.report(&bench.rules(&rule(service, detection), &[]));
        let [found] = &report.found[..] else { panic!("{service}: {:?}", report.missing_fields) };
        let entities = &found.groups[0].entities;
        assert_eq!(found.events, 1, "{service}");
        assert!(entities.host.is_some(), "{service}");
        assert_eq!(entities.user.as_ref().map(|user| &*user.value), user, "{service}");
    }
}

#[test]
fn of_a_folder_of_ten_thousand_rules_the_broken_ones_are_named_and_the_others_run() {
    let bench = Bench::new(&[started(0, "WS1", "ann", "cmd /c 4242")]);
    let folder = bench.folder.path().join("rules");
    fs::create_dir(&folder).expect("made");
    for at in 0..10_000 {
        let mut rule = String::new();
        let condition = if at % 100 == 7 { "nothing" } else { "s" };
        let _ = write!(
            rule,
            "title: Rule {at}\nid: r{at}\nlogsource: {{product: windows, category: process_creation}}\n\
             detection:\n  s: {{CommandLine|contains: '{at}'}}\n  condition: {condition}\n"
        );
        fs::write(folder.join(format!("rule{at:05}.yml")), rule).expect("written");
    }
    let rules = Detectors::read(&[folder], &ReadOptions::default());
    assert_eq!((rules.len(), rules.problems().len()), (9_900, 100));
    assert!(rules.problems()[0].to_string().contains("rule00007.yml"), "{}", rules.problems()[0]);
    let snapshot = bench.case.snapshot();
    let report = rules.check(&bench.case, &snapshot, &Scope::default(), &Cancel::default()).expect("checked");
    let mut fired: Vec<usize> = report.found.iter().map(|found| found.rule).collect();
    fired.sort_unstable();
    // 2, 4, 24, 42, 242, 424 and 4242.
    assert_eq!(fired.len(), 7, "{fired:?}");
    assert_eq!(report.states.iter().filter(|state| **state == RuleState::Fired).count(), 7);
}
