//! Anomalies in a measure with days and weekends: of the faults that the generator put into it most are found, and hardly
//! anything else, whatever the seed.

use std::fs;
use std::process::Command;

use detect::measure::{Firing, tally};
use detect::{Detectors, Scope};
use indexer::{Cancel, Case, ImportOptions, stamp};
use timberline_tests::programs;

/// Eight weeks, with two hundred faults.
const LINES: &str = "16000";

const DETECTOR: &str = "[[detector]]\nname = \"requests\"\n\
    anomaly = { measure = \"sum(requests)\", every = \"5m\" }\n";

fn generated(seed: u64, options: &[&str]) -> String {
    let generate = programs::folder().join(format!("generate{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(generate);
    let made = command.args(["seasonal", LINES, "--seed", &seed.to_string()]).args(options).output();
    String::from_utf8(made.expect("it runs").stdout).expect("text")
}

/// From when to when each fault lasts, both ends included.
fn faults(seed: u64) -> Vec<(i64, i64)> {
    let span = |line: &str| {
        let mut times = line.split('\t').map_while(stamp::parse);
        times.next().zip(times.next()).map(|(from, to)| (from, to - 1))
    };
    generated(seed, &["--truth"]).lines().map(|line| span(line).expect("two times")).collect()
}

#[test]
fn injected_faults_are_found_and_little_else() {
    let cancel = Cancel::default();
    for seed in [1, 2, 3, 71, 4_242, 987_654_321] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("requests.ndjson");
        fs::write(&log, generated(seed, &[])).expect("written");
        let case = Case::create(&folder.path().join("a.case")).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &cancel).expect("imported");
        let (snapshot, detectors) = (case.snapshot(), Detectors::of_texts([("d.toml", DETECTOR)]));
        let report = detectors.check(&case, &snapshot, &Scope::default(), &cancel).expect("checked");
        assert_eq!(report.problems, []);
        let firing = |(start, end): (i64, i64)| Firing { start, end, raised: start };
        let fired: Vec<Firing> =
            report.alerts.iter().filter_map(|alert| alert.start.zip(alert.end)).map(firing).collect();
        let faults = faults(seed);
        assert_eq!(faults.len(), 200);
        let found = tally(&fired, snapshot.time_range().expect("events"), &faults);
        let truth = found.truth.expect("faults");
        let share = |part: u64, whole: u64| part as f64 / whole as f64;
        let precision = share(truth.right_alerts, found.alerts);
        let recall = share(truth.found, truth.incidents);
        assert!(
            precision >= 0.95 && recall >= 0.95,
            "seed {seed}: precision {precision:.3}, recall {recall:.3}"
        );
    }
}
