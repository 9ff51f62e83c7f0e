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
