//! Rules and correlations over the parts of what is new in one refresh.

use std::collections::BTreeSet;

use indexer::{Cancel, Case, ImportOptions, Marks};

use super::News;
use super::ledger::Ledger;
use super::rules::Rules;
use crate::measure::CheckScope;
use crate::{Detectors, ReadOptions};

const RULES: &str = "title: Bad login\nid: bad\nlogsource: {product: aws, service: cloudtrail}\n\
    detection: {it: {eventName: Login}, condition: it}\n---\n\
    title: Guessing\nid: guess\ncorrelation: {type: event_count, rules: [bad], group-by: [who], timespan: 1m, \
    condition: {gte: 3}}\n";

#[test]
fn correlation_counts_events_of_fresh_and_of_merged_segments_of_one_refresh_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    let import = |second: u32| {
        let log = folder.path().join(format!("{second}.ndjson"));
        let line = format!(
            "{{\"time\":\"2026-03-01T00:00:{second:02}Z\",\"eventSource\":\"iam\",\"eventName\":\"Login\",\"who\":\"ann\"}}\n"
        );
        std::fs::write(&log, line).expect("written");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
        case.snapshot()
    };
    let file = folder.path().join("rules.yml");
    std::fs::write(&file, RULES).expect("written");
    let detectors = Detectors::read(&[file], &ReadOptions::default());
    assert_eq!(detectors.problems(), []);
    let first = import(10);
    let cancel = Cancel::default();
    let scope = |snapshot| CheckScope { case: &case, snapshot, range: (None, None), cancel: &cancel };
    let (mut ledger, problem) = Ledger::read(case.folder());
    assert_eq!(problem, None);
    let mut rules = Rules::new(detectors.into_parts().1, &mut ledger, &first);
    let (_, now) = first.time_range().expect("it has events");
    let of =
        |fresh, mixed| News { fresh, fresh_seconds: BTreeSet::new(), mixed, mixed_seconds: BTreeSet::new() };
    let since_first = Marks::default().covering(&first);
    let nothing = || first.since(&since_first).fresh;
    let news = of(nothing(), nothing());
    rules.refresh(&scope(&first), (&news, now), &mut ledger, 0).expect("evaluated");
    ledger.set_now(now);
    let second = import(20);
    let third = import(30);
    // As if the second had been merged with known events.
    let (merged, fresh) =
        (second.since(&since_first).fresh, third.since(&Marks::default().covering(&second)).fresh);
    assert_eq!((merged.events(), fresh.events()), (1, 1));
    rules.refresh(&scope(&third), (&of(fresh, merged), now), &mut ledger, 0).expect("evaluated");
    let sent: Vec<(String, u64)> =
        ledger.pending().into_iter().map(|message| (message.alert.detector, message.alert.events)).collect();
    assert_eq!(sent, [("guess".to_owned(), 3)]);
}

#[test]
fn events_that_live_correlations_leave_out_are_the_oldest_and_are_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    let import = |name: &str, seconds: std::ops::Range<u32>| {
        let line = |second: u32| {
            format!(
                "{{\"time\":\"2026-03-01T00:00:{second:02}Z\",\"eventSource\":\"iam\",\"eventName\":\"Login\",\"who\":\"ann\"}}\n"
            )
        };
        let log = folder.path().join(name);
        std::fs::write(&log, seconds.map(line).collect::<String>()).expect("written");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
        case.snapshot()
    };
    let file = folder.path().join("rules.yml");
    std::fs::write(&file, RULES).expect("written");
    let cancel = Cancel::default();
    let first = import("a.ndjson", 0..2);
    let (mut ledger, _) = Ledger::read(case.folder());
    let (_, read) = Detectors::read(&[file], &ReadOptions::default()).into_parts();
    let mut rules = Rules::new(read, &mut ledger, &first);
    rules.keep_at_most(2);
    let mut known = Marks::default().covering(&first);
    let mut refresh = |snapshot: &indexer::Snapshot| {
        let scope = CheckScope { case: &case, snapshot, range: (None, None), cancel: &cancel };
        let fresh = snapshot.since(&known);
        known = Marks::default().covering(snapshot);
        let (_, now) = snapshot.time_range().expect("it has events");
        let (fresh_seconds, mixed_seconds) = (BTreeSet::new(), BTreeSet::new());
        let news = News { fresh: fresh.fresh, fresh_seconds, mixed: fresh.mixed, mixed_seconds };
        let problems = rules.refresh(&scope, (&news, now), &mut ledger, 0).expect("evaluated");
        ledger.set_now(now);
        let sent = ledger.pending().into_iter().map(|message| (message.alert.start, message.alert.events));
        (problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>(), sent.collect::<Vec<_>>())
    };
    assert_eq!(refresh(&first), (Vec::new(), Vec::new()));
    // The two before and the next one; then the oldest is not there any more.
    let (problems, sent) = refresh(&import("b.ndjson", 10..11));
    assert_eq!(problems, Vec::<String>::new());
    let start = first.time_range().map(|(from, _)| from);
    assert_eq!(sent, [(start, 3)]);
    let said = "the correlation leaves out events of the rule `bad`: they are too many";
    assert_eq!(refresh(&import("c.ndjson", 20..21)).0, [said]);
    let (problems, sent) = refresh(&import("d.ndjson", 30..31));
    assert_eq!(problems, Vec::<String>::new(), "with another number it is the same problem");
    let second = |second: i64| start.map(|start| start + second * 1_000_000_000);
    assert_eq!(sent, [(second(10), 3)], "the last three");
}
