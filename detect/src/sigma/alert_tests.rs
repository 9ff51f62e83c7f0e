//! The alerts of rules: their entities, the events that their queries select, and those of a correlation.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use indexer::Cancel;

use super::groups::GroupLimits;
use super::tests::Bench;
use super::{FoundRule, HitPage, HitsOf, Progress, RulePlace, RuleState, TechniqueCoverage};
use crate::limits::{COUNTED_GROUPS, LISTED_GROUPS, RULE_GROUPS};
use crate::{Detectors, ReadOptions, Report, Scope};

/// A rule over JSON events of `acme`, whose detection is given.
fn rule(detection: &str) -> String {
    format!("title: t\nid: x\nlogsource: {{product: aws, service: cloudtrail}}\ndetection: {detection}\n")
}

/// An event of CloudTrail with further members.
fn event(second: usize, more: &str) -> String {
    format!(
        "{{\"time\":\"2026-03-01T{:02}:{:02}:{:02}Z\",\"eventSource\":\"iam\",\"eventName\":\"Make\",{more}}}\n",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

fn found(bench: &Bench, rules: &str) -> FoundRule {
    bench.report(rules).found.remove(0)
}

/// The query of each group must select its events and no others, or say that it selects more.
fn check_queries(bench: &Bench, found: &FoundRule) {
    for group in &found.groups {
        let selected = bench.count(&group.query) as u64;
        if group.is_wider {
            assert!(selected >= group.events, "{}", group.query);
        } else {
            assert_eq!(selected, group.events, "{}", group.query);
        }
    }
}

#[test]
fn the_query_of_a_group_leaves_out_events_with_a_field_that_it_has_not() {
    let mut text = String::new();
    for at in 0..30 {
        text += &event(at, r#""hostname":"web""#);
        text += &event(at, r#""hostname":"web","user":"ann","exe":"/bin/sh""#);
        text += &event(at, r#""hostname":"web","user":"-","acct":"bob""#);
        text += &event(at, r#""hostname":"web","user":"ann ","acct":"bob""#);
        text += &event(at, r#""user":" N/A ","exe":"(null)""#);
        text += &event(at, r#""user":"ANN","exe":"/bin/sh""#);
    }
    // Of a logon the target is the user.
    for at in 0..30 {
        text += &event(at, r#""SubjectUserName":"svc","TargetUserName":"ann","LogonType":3"#);
        text += &event(at, r#""SubjectUserName":"svc","TargetUserName":"ann""#);
        text += &event(at, r#""SubjectUserName":"svc","LogonType":3"#);
        text += &event(at, r#""TargetUserName":"ann""#);
    }
    let bench = Bench::new(&text);
    let found = found(&bench, &rule("{s: {eventName: Make}, condition: s}"));
    assert!(found.groups.iter().all(|group| group.events >= 30 && !group.is_wider), "{found:?}");
    assert_eq!(found.groups.iter().map(|group| group.events).sum::<u64>(), 300);
    assert_eq!(found.groups.len(), 8, "a logon and an event whose only user is the target are of one user");
    check_queries(&bench, &found);
}

#[test]
fn a_query_that_cannot_say_a_condition_is_narrowed_otherwise_and_says_so() {
    let mut text = String::new();
    for at in 0..250 {
        let host = at % 2;
        text += &event(at, &format!(r#""hostname":"h{host}","user":"ann","owner":"ann","kind":"a""#));
        text += &event(at, &format!(r#""hostname":"h{host}","user":"ann","owner":"bob","kind":"a""#));
        text += &event(at, &format!(r#""hostname":"h{host}","user":"ann","owner":"ann","kind":"b""#));
    }
    let bench = Bench::new(&text);
    let rules = rule("{s: {user|fieldref: owner, kind: a}, condition: s}");
    let alert = bench.report(&rules).alerts.remove(0);
    assert_eq!((alert.events, alert.wider), (250, true));
    assert_eq!(bench.count(&alert.query), 500, "the part that can be said stays: {}", alert.query);
    let found = found(&bench, &rules);
    assert_eq!(found.groups.len(), 2);
    for group in &found.groups {
        assert_eq!((group.events, group.is_wider, bench.count(&group.query)), (125, true, 250));
    }
    // An exclusion that cannot be said excludes nothing.
    let rules = rule("{s: {kind: a}, f: {user|fieldref: owner}, condition: s and not f}");
    let alert = bench.report(&rules).alerts.remove(0);
    assert_eq!((alert.events, alert.wider, bench.count(&alert.query)), (250, true, 500));
    // Few events are named, whatever the condition is.
    let rules = rule("{s: {user|fieldref: owner, kind: a, hostname: h1}, condition: s}");
    let alert = bench.report(&rules).alerts.remove(0);
    assert_eq!((alert.events, alert.wider, bench.count(&alert.query)), (125, false, 125));
}

#[test]
fn events_without_a_time_are_selected_too() {
    let mut text = String::new();
    for at in 0..30 {
        text += &event(at, r#""user":"ann""#);
        text += "{\"eventSource\":\"iam\",\"eventName\":\"Make\",\"user\":\"ann\"}\n";
    }
    let bench = Bench::new(&text);
    let found = found(&bench, &rule("{s: {eventName: Make}, condition: s}"));
    assert_eq!(found.groups[0].events, 60);
    check_queries(&bench, &found);
}

/// A slow import makes two segments of many events.
fn in_one_segment(text: &str) -> Bench {
    let bench = Bench::new(text);
    let report = bench.case.compact(&mut |_| {}, &Cancel::default()).expect("compacted");
    assert_eq!(report.segments_after, 1);
    bench
}

#[test]
fn events_of_more_users_than_are_kept_are_in_groups_or_among_the_others() {
    let users = RULE_GROUPS + 500;
    let line = |at: usize, user: usize| event(at, &format!(r#""user":"u{user}""#));
    let text: String = (0..users).map(|user| line(user, user)).collect();
    // One segment cannot name all of them.
    let bench = in_one_segment(&text);
    let rules = rule("{s: {eventName: Make}, condition: s}");
    let alone = found(&bench, &rules);
    let others = alone.others.expect("some are beyond");
    assert_eq!((alone.groups.len(), others.groups, others.events), (RULE_GROUPS, 500, 500));
    assert_eq!(bench.count(&others.query), users - RULE_GROUPS, "their times are later");
    // A second one knows the last users, and counts those that the first one knows.
    let more = bench.folder.path().join("more.ndjson");
    fs::write(&more, (0..users).map(|user| line(users - user, user)).collect::<String>()).expect("written");
    bench.import(more);
    let both = found(&bench, &rules);
    let others = both.others.as_ref().expect("some are beyond");
    assert_eq!(both.events, 2 * users as u64);
    assert!(both.groups.len() == LISTED_GROUPS && both.groups.iter().all(|group| group.events == 2));
    assert_eq!((others.groups, others.events), (500, 1_000));
    check_queries(&bench, &FoundRule { groups: both.groups[..50].to_vec(), ..both.clone() });
}

#[test]
fn events_of_more_users_than_are_counted_are_said_to_be_uncounted() {
    let all = RULE_GROUPS + COUNTED_GROUPS + 300;
    let line = |user: usize| event(user, &format!(r#""user":"u{user}""#));
    let bench = in_one_segment(&(0..all).map(line).collect::<String>());
    let rules = rule("{s: {eventName: Make}, condition: s}");
    let alone = found(&bench, &rules);
    let others = alone.others.expect("some are beyond");
    assert_eq!((others.events, others.uncounted), (COUNTED_GROUPS as u64 + 300, 300));
    assert_eq!((alone.groups.len(), others.groups), (RULE_GROUPS, COUNTED_GROUPS as u64));
    assert!(alone.groups.iter().all(|group| group.events == 1 && !group.is_wider));
    // A second segment knows some of the uncounted ones.
    let last = [vec![all - 1; 30], (all - 300..all - 1).collect()].concat();
    let more = bench.folder.path().join("more.ndjson");
    fs::write(&more, last.into_iter().map(line).collect::<String>()).expect("written");
    bench.import(more);
    let both = found(&bench, &rules);
    let others = both.others.as_ref().expect("some are beyond");
    let in_groups: u64 = both.groups.iter().map(|group| group.events).sum();
    assert_eq!((both.events, others.uncounted), (all as u64 + 329, 300));
    assert_eq!(in_groups + others.events, both.events, "each event is counted once");
    assert_eq!((both.groups[0].events, both.groups[0].is_wider), (30, true), "it has one event more");
    check_queries(&bench, &FoundRule { groups: both.groups[..20].to_vec(), ..both.clone() });
}

#[test]
fn groups_of_all_segments_are_bounded_together() {
    let bench = Bench::new(&event(0, r#""user":"first""#));
    let import = |start: usize, users: &[&str]| {
        let log = bench.folder.path().join(format!("{start}.ndjson"));
        let line = |(at, user): (usize, &&str)| event(start + at, &format!(r#""user":"{user}""#));
        fs::write(&log, users.iter().enumerate().map(line).collect::<String>()).expect("written");
        bench.import(log);
    };
    import(10, &["first", "b1", "b1", "b2", "b3"]);
    import(20, &["c1", "c2", "c3", "b2", "first"]);
    import(30, &["d1", "b1"]);
    let file = bench.folder.path().join("rule.yml");
    fs::write(&file, rule("{s: {eventName: Make}, condition: s}")).expect("written");
    let detectors = Detectors::read(&[file], &ReadOptions::default());
    let mut progress = Progress::default();
    progress.group_limits = GroupLimits { known: 2, counted: 3 };
    let (scope, cancel) = (Scope::default(), Cancel::default());
    let mut found = || {
        let report = detectors.check_on(&bench.case, &bench.case.snapshot(), &scope, &mut progress, &cancel);
        let found = report.expect("checked").found.remove(0);
        (found, progress.held().1)
    };
    let (first, held) = found();
    assert_eq!(held, (2, 3), "two with their values, three by number");
    let groups = |found: &FoundRule| -> Vec<u64> { found.groups.iter().map(|group| group.events).collect() };
    assert_eq!(groups(&first), [3, 3], "first and b1 are in three segments, or twice in one");
    let others = first.others.as_ref().expect("some are beyond");
    assert_eq!((first.events, others.events, others.groups), (13, 7, 3));
    assert_eq!(others.uncounted, 3, "c2, c3 and d1, or as many others");
    check_queries(&bench, &first);
    // Known segments add nothing.
    assert_eq!(found().0.events, 13);
    import(50, &["root"; 4]);
    let (later, held) = found();
    assert_eq!(
        (groups(&later), later.events, held),
        (vec![4, 3], 17, (2, 3)),
        "whoever comes late and often is listed"
    );
    check_queries(&bench, &later);
}

#[test]
fn levels_of_windows_are_their_numbers_and_words() {
    let line = |number: usize, level: &str| {
        event(number, &format!(r#""Channel":"Application","EventID":{number},"Level":{level}"#))
    };
    let lines = [line(1, "4"), line(2, "\"Information\""), line(3, "2"), line(4, "\"Critical\"")].concat();
    let bench = Bench::new(&lines);
    let count = |item: &str| {
        let head = "title: t\nid: x\nlogsource: {product: windows, service: application}\n";
        let report = bench.report(&format!("{head}detection: {{s: {{{item}}}, condition: s}}\n"));
        for alert in &report.alerts {
            assert_eq!(
                (bench.count(&alert.query) as u64, alert.wider),
                (alert.events, false),
                "{}",
                alert.query
            );
        }
        report.alerts.iter().map(|alert| alert.events).sum::<u64>()
    };
    assert_eq!(count("Level: 4"), 2);
    assert_eq!(count("Level|contains: Information"), 2);
    assert_eq!(count("Level: [1, Error]"), 2);
    assert_eq!(count("Level|lte: 2"), 2);
    assert_eq!(count("Level: 5"), 0);
}

const CORRELATED: &str = "title: Many failures\nid: many\nlevel: high\nauthor: ann\ndescription: Someone guesses.\n\
    tags: [attack.t1110.001]\ncorrelation:\n  type: event_count\n  rules: [failed]\n  group-by: [who]\n  timespan: 1m\n  \
    condition: {gte: 2}\n";
const FAILED: &str = "title: A failure\nid: f\nname: failed\ntags: [attack.credential-access, attack.t1110]\n\
    logsource: {product: aws, service: cloudtrail}\ndetection: {s: {eventName|startswith: fail}, condition: s}\n";
const FILTER: &str =
    "title: n\nlogsource: {product: aws}\nfilter:\n  rules: [failed]\n  s: {who: bob}\n  condition: not s\n";

/// A folder with a correlation, its rule and a filter of it, each in a file of its own.
fn folder_of_rules(bench: &Bench, filter: &str) -> (Detectors, PathBuf) {
    let folder = bench.folder.path().join("rules");
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in [("a.yml", CORRELATED), ("b.yml", FAILED), ("c.yml", filter)] {
        fs::write(folder.join(name), text).expect("written");
    }
    (Detectors::read(std::slice::from_ref(&folder), &ReadOptions::default()), folder)
}

fn failures() -> Bench {
    let mut text = String::new();
    for (second, who) in [(0, "ann"), (10, "bob"), (20, "ann"), (30, "bob"), (300, "ann"), (310, "cid")] {
        let _ = writeln!(
            text,
            "{{\"time\":\"2026-03-01T00:{:02}:{:02}Z\",\"eventSource\":\"iam\",\"eventName\":\"FailLogin\",\"who\":\"{who}\"}}",
            second / 60,
            second % 60
        );
    }
    Bench::new(&text)
}

#[test]
fn filters_of_other_files_narrow_the_events_of_a_rule() {
    let bench = failures();
    let (detectors, folder) = folder_of_rules(&bench, FILTER);
    assert_eq!(detectors.problems(), []);
    let place = detectors.rules().find(&folder.join("b.yml"), "f").expect("the rule");
    assert_eq!(place, RulePlace::Rule(0));
    let page = HitPage { take: 10, ..HitPage::default() };
    let snapshot = bench.case.snapshot();
    let hits = detectors.hits(place, &bench.case, &snapshot, &page, &Cancel::default()).expect("found");
    assert_eq!((hits.matches, hits.page.len()), (4, 4), "bob is left out");
    assert_eq!(detectors.rules().find(&folder.join("a.yml"), "f"), None);
}

#[test]
fn a_correlation_has_the_matched_fields_the_files_and_the_techniques_of_its_rules() {
    let bench = failures();
    let (detectors, folder) = folder_of_rules(&bench, "");
    let rules = detectors.rules();
    let place = rules.find(&folder.join("a.yml"), "many").expect("the correlation");
    assert_eq!(rules.files_of(place), [folder.join("a.yml"), folder.join("b.yml")]);
    let about = rules.correlations().next().expect("one").about;
    assert_eq!(about.techniques, ["T1110.001", "T1110"]);
    assert_eq!((&*about.tactics, &*about.author), (&["credential-access".to_owned()][..], "ann"));
    assert_eq!(about.log_source, "product aws, service cloudtrail");
    let snapshot = bench.case.snapshot();
    let report =
        detectors.check(&bench.case, &snapshot, &Scope::default(), &Cancel::default()).expect("checked");
    assert_eq!(report.alerts.len(), 2);
    for alert in &report.alerts {
        let page = HitPage {
            of: HitsOf::Keys(alert.group.iter().map(|(_, value)| value.clone()).collect()),
            range: (alert.start, alert.end.map(|end| end + 1)),
            skip: 0,
            take: 10,
        };
        let hits = detectors.hits(place, &bench.case, &snapshot, &page, &Cancel::default()).expect("found");
        assert_eq!((hits.matches, alert.events), (2, 2));
        for hit in &hits.page {
            assert_eq!((&*hit.rule, &*hit.fields[0].field), ("f", "eventName"));
            assert!(hit.fields[0].parts[0].matched && hit.fields[0].parts[0].text == "Fail");
        }
    }
}

/// The counts of each technique that a report of rules and correlations has.
fn covered(bench: &Bench, text: &str) -> (Vec<(String, [u32; 3])>, Report) {
    let file = bench.folder.path().join("covered.yml");
    fs::write(&file, text).expect("written");
    let detectors = Detectors::read(&[file], &ReadOptions::default());
    assert_eq!(detectors.problems(), []);
    let snapshot = bench.case.snapshot();
    let report =
        detectors.check(&bench.case, &snapshot, &Scope::default(), &Cancel::default()).expect("checked");
    let count = |cell: TechniqueCoverage| {
        (format!("{} {}", cell.tactic, cell.technique), [cell.rules, cell.seeing, cell.fired])
    };
    (detectors.rules().coverage(&report.states).into_iter().map(count).collect(), report)
}

#[test]
fn coverage_counts_correlations_by_what_their_rules_see_and_by_their_own_alerts() {
    let bench = failures();
    let other = "title: On Windows\nid: w\nname: other\ntags: [attack.discovery, attack.t1087]\n\
        logsource: {product: windows, category: process_creation}\n\
        detection: {s: {Image|endswith: whoami}, condition: s}\n";
    let correlation = |body: &str| {
        let head = "title: c\nid: c\ntags: [attack.impact, attack.t1485]\ncorrelation:";
        let text = format!("{FAILED}---\n{other}---\n{head} {{{body}, timespan: 1m}}\n");
        let (counts, report) = covered(&bench, &text);
        assert_eq!(
            report.states[..2],
            [RuleState::Quiet, RuleState::NoSource],
            "a part alerts not by itself"
        );
        (counts, report)
    };
    // Of all log sources.
    let cell = |counts: &[(String, [u32; 3])], name: &str| {
        let of_name = counts.iter().filter(|(cell, _)| cell == name);
        of_name.fold([0; 3], |sum: [u32; 3], (_, more)| std::array::from_fn(|at| sum[at] + more[at]))
    };
    let (passwords, own, discovery) = ("credential-access T1110", "impact T1485", "discovery T1087");
    let (counts, report) =
        correlation("type: event_count, rules: [failed], group-by: [who], condition: {gte: 2}");
    assert_eq!(report.states[2], RuleState::Fired);
    assert_eq!((cell(&counts, passwords), cell(&counts, own)), ([2, 2, 1], [1, 1, 1]));
    assert_eq!(cell(&counts, discovery), [1, 0, 0]);
    let (counts, report) =
        correlation("type: event_count, rules: [failed], group-by: [who], condition: {gte: 9}");
    assert_eq!(report.states[2], RuleState::Quiet);
    assert_eq!((cell(&counts, passwords), cell(&counts, own)), ([2, 2, 0], [1, 1, 0]));
    // It needs both of its rules, and the case has events for one only; then one is enough.
    let (counts, report) = correlation("type: temporal, rules: [failed, other]");
    assert_eq!(
        (report.states[2], &*report.not_applicable),
        (RuleState::NoSource, &["w", "c"].map(str::to_owned)[..])
    );
    assert_eq!((cell(&counts, own), cell(&counts, discovery)), ([1, 0, 0], [2, 0, 0]));
    let (counts, report) = correlation("type: temporal, rules: [failed, other], condition: {gte: 1}");
    assert_eq!(report.states[2], RuleState::Fired);
    assert_eq!(cell(&counts, discovery), [2, 1, 1], "it sees what one of its rules sees");
    // No event has a value of the field that it groups by.
    let (counts, report) =
        correlation("type: event_count, rules: [failed], group-by: [nowhere], condition: {gte: 1}");
    assert_eq!((report.states[2], cell(&counts, own)), (RuleState::NoField, [1, 0, 0]));
    let missing = report.missing_fields.last().expect("it is said");
    assert_eq!(
        (&*missing.rule, &*missing.fields, missing.cannot_match),
        ("c", &["nowhere".to_owned()][..], true)
    );
    let circle = "title: c\nid: c\ncorrelation: {type: temporal, rules: [c], timespan: 1m}\n";
    let (_, report) = covered(&bench, &format!("{FAILED}---\n{other}---\n{circle}"));
    assert_eq!((report.states[2], report.problems.len()), (RuleState::CannotRun, 1), "it depends on itself");
}

#[test]
fn a_correlation_that_leaves_out_events_of_all_segments_says_how_many() {
    let bench = failures();
    let file = bench.folder.path().join("many.yml");
    let correlation = "title: c\nid: c\ncorrelation: {type: event_count, rules: [failed], timespan: 1h, condition: {gte: 5}}\n";
    fs::write(&file, format!("{FAILED}---\n{correlation}")).expect("written");
    let detectors = Detectors::read(&[file], &ReadOptions::default());
    assert_eq!(detectors.problems(), []);
    let said = |most_hits: Option<usize>| {
        let mut progress = Progress::default();
        if let Some(most_hits) = most_hits {
            progress.most_hits = most_hits;
        }
        let (scope, cancel) = (Scope::default(), Cancel::default());
        let report = detectors.check_on(&bench.case, &bench.case.snapshot(), &scope, &mut progress, &cancel);
        let report = report.expect("checked");
        assert!(most_hits.is_none_or(|most| progress.held().0 <= most), "there is no memory for more");
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        let problems =
            problems.iter().filter_map(|text| Some(text.split_once(": the correlation ")?.1.to_owned()));
        let problems: Vec<String> = problems.collect();
        (report.alerts.iter().map(|alert| alert.events).collect::<Vec<_>>(), problems)
    };
    let left_out = |events: u32| {
        vec![format!(
            "leaves out events of the rule `f`: they are too many; narrow the rule, or check a shorter time; \
             {events} events are left out"
        )]
    };
    assert_eq!(said(None), (vec![6], Vec::new()));
    assert_eq!(said(Some(4)), (Vec::new(), left_out(2)));
    let more = bench.folder.path().join("more.ndjson");
    let line = |minute: u32| {
        format!(
            "{{\"time\":\"2026-03-01T00:{minute}:00Z\",\"eventSource\":\"iam\",\"eventName\":\"FailLogin\",\"who\":\"eve\"}}\n"
        )
    };
    fs::write(&more, (20..23).map(line).collect::<String>()).expect("written");
    bench.import(more);
    assert_eq!(said(None), (vec![9], Vec::new()));
    assert_eq!(said(Some(4)), (Vec::new(), left_out(5)), "the limit is one for all segments");
}

#[test]
fn a_correlation_that_cannot_run_silences_no_rule() {
    let bench = failures();
    let body =
        |id: &str, body: &str| format!("---\ntitle: {id}\nid: {id}\ncorrelation: {{{body}, timespan: 1m}}\n");
    let outcome = |correlations: &[String]| {
        let file = bench.folder.path().join("idle.yml");
        fs::write(&file, format!("{FAILED}{}", correlations.concat())).expect("written");
        let detectors = Detectors::read(&[file], &ReadOptions::default());
        let (scope, snapshot) = (Scope::default(), bench.case.snapshot());
        let report = detectors.check(&bench.case, &snapshot, &scope, &Cancel::default()).expect("checked");
        let problems = detectors.problems().iter().chain(&report.problems);
        let problems: Vec<String> = problems.map(|problem| problem.message.clone()).collect();
        (report.alerts.into_iter().map(|alert| alert.detector).collect::<Vec<_>>(), problems)
    };
    let (outer, inner) = (body("outer", "type: temporal, rules: [f, inner]"), |more: &str| {
        body("inner", &format!("type: event_count, rules: [{more}], group-by: [who], condition: {{gte: 99}}"))
    });
    let (alerts, problems) = outcome(&[outer.clone(), inner("nobody")]);
    assert_eq!(alerts, ["f"], "the outer one is dropped, too");
    assert_eq!(
        problems,
        [
            "the correlation names `nobody`, which no rule is called",
            "the correlation names `inner`, which cannot run"
        ]
    );
    let (alerts, problems) = outcome(&[body("round", "type: temporal, rules: [f, round]")]);
    assert_eq!(
        (alerts, problems),
        (vec!["f".to_owned()], vec!["the correlation depends on itself, or on one that does".to_owned()])
    );
    assert_eq!(outcome(&[outer, inner("f")]), (Vec::new(), Vec::new()), "both can run");
    // No interval of the inner one has a host. One rule is enough if the condition says so.
    let by_host =
        |more: &str| body("outer", &format!("type: temporal, rules: [f, inner], group-by: [host]{more}"));
    let (alerts, problems) = outcome(&[by_host(""), inner("f, f")]);
    assert_eq!(alerts, Vec::<String>::new(), "the inner one could hold");
    assert_eq!(
        problems,
        ["the correlation needs the field `host`, by which `inner` does not group its events"]
    );
    let often = body("inner", "type: event_count, rules: [f], group-by: [who], condition: {gte: 2}");
    let (alerts, problems) = outcome(&[by_host(", condition: {gte: 1}"), often]);
    assert_eq!((alerts, problems), (vec!["inner".to_owned(); 2], Vec::new()), "the outer one counts only f");
}

#[test]
fn a_correlation_that_another_one_counts_alerts_by_itself_only_if_that_says_so() {
    let bench = failures();
    let twice = |more: &str| {
        let text = format!(
            "{FAILED}---\n{CORRELATED}---\ntitle: Twice\nid: twice\ncorrelation: {{type: event_count, \
             rules: [many], timespan: 1m, condition: {{gte: 2}}{more}}}\n"
        );
        let mut names: Vec<String> =
            bench.report(&text).alerts.into_iter().map(|alert| alert.detector).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(twice(""), ["twice"]);
    assert_eq!(twice(", generate: true"), ["many", "many", "twice"]);
}

#[test]
fn the_query_of_a_correlation_with_many_events_has_the_values_of_its_group() {
    let mut text = String::new();
    for at in 0..210 {
        text += &event(at / 10, r#""who":"ann""#);
        text += &event(at / 10, r#""who":"bob""#);
    }
    let bench = Bench::new(&text);
    let base = rule("{s: {eventName: Make}, condition: s}");
    let correlation = "title: c\nid: c\ncorrelation: {type: event_count, rules: [x], group-by: [who], timespan: 1m, condition: {gte: 200}}\n";
    let report = bench.report(&format!("{base}---\n{correlation}"));
    assert_eq!(report.alerts.len(), 2);
    for alert in &report.alerts {
        assert_eq!(
            (alert.events, alert.wider, bench.count(&alert.query)),
            (210, false, 210),
            "{}",
            alert.query
        );
    }
}
