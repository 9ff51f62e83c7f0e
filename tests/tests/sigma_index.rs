//! Public Sigma rules over the logs that come with them: what they find by the text index and in all texts is the same. The
//! rules are not part of the project; they are expected in `shared/datasets` next to it.

use std::path::{Path, PathBuf};

use detect::sigma::TextSearch;
use detect::{Detectors, ReadOptions, Scope};
use indexer::{Cancel, Case, ImportOptions};
use timberline_tests::files::datasets;
use timberline_tests::report;

/// The Windows logs below a folder.
fn windows_logs(folder: &Path, logs: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            windows_logs(&path, logs);
        } else if path.extension().is_some_and(|ending| ending == "evtx") {
            logs.push(path);
        }
    }
}

/// A case of the logs that come with the rules, and the rules; nothing where they are not there.
fn public_rules(folder: &Path) -> Option<(Case, Detectors)> {
    let rules = datasets().map(|folder| folder.join("sigma")).ok().filter(|rules| rules.is_dir())?;
    let case = Case::create(&folder.join("a.case")).expect("a case");
    let mut logs = Vec::new();
    windows_logs(&rules.join("regression_data"), &mut logs);
    assert_eq!(logs.len(), 96);
    case.import(&logs, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    let sets = ["rules", "rules-emerging-threats", "rules-threat-hunting"].map(|set| rules.join(set));
    let detectors = Detectors::read(&sets, &ReadOptions::default());
    assert!(detectors.len() > 1_800, "{} rules", detectors.len());
    Some((case, detectors))
}

#[test]
fn rules_find_the_same_by_the_text_index_and_in_all_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((case, mut detectors)) = public_rules(folder.path()) else {
        return report::skipped("there are no public Sigma rules here");
    };
    let mut alerts = |search| {
        detectors.search_texts(search);
        let report = detectors.check(&case, &case.snapshot(), &Scope::default(), &Cancel::default());
        let mut alerts = report.expect("checked").alerts;
        alerts.sort_by(|one, other| one.detector.cmp(&other.detector));
        alerts
    };
    let (index, scan) = (alerts(TextSearch::Index), alerts(TextSearch::Scan));
    assert!(scan.len() > 80, "{} rules fired", scan.len());
    assert_eq!(index, scan);
}

#[test]
fn alerts_of_windows_rules_name_their_host_and_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some((case, detectors)) = public_rules(folder.path()) else {
        return report::skipped("there are no public Sigma rules here");
    };
    let report = detectors.check(&case, &case.snapshot(), &Scope::default(), &Cancel::default());
    let report = report.expect("checked");
    let (mut events, mut named) = (0, 0);
    for group in report.found.iter().flat_map(|found| &found.groups) {
        events += group.events;
        if group.entities.host.is_some() && group.entities.user.is_some() {
            named += group.events;
        }
    }
    // Every event is in a group, too.
    assert_eq!(events, report.found.iter().map(|found| found.events).sum::<u64>());
    assert!(events > 100 && named * 100 >= events * 95, "{named} of {events} hits name their host and user");
}
