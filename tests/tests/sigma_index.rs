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

#[test]
fn rules_find_the_same_by_the_text_index_and_in_all_texts() {
    let rules = datasets().map(|folder| folder.join("sigma")).ok().filter(|rules| rules.is_dir());
    let Some(rules) = rules else { return report::skipped("there are no public Sigma rules here") };
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case::create(&folder.path().join("a.case")).expect("a case");
    let mut logs = Vec::new();
    windows_logs(&rules.join("regression_data"), &mut logs);
    assert_eq!(logs.len(), 96);
    case.import(&logs, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    let sets = ["rules", "rules-emerging-threats", "rules-threat-hunting"].map(|set| rules.join(set));
    let mut detectors = Detectors::read(&sets, &ReadOptions::default());
    assert!(detectors.len() > 1_800, "{} rules", detectors.len());
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
