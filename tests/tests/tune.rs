//! An import keeps to its plan: it stays under the memory that it may take, and tells what it did with it.

use std::process::Command;

use indexer::Case;
use serde_json::Value;
use timberline_tests::faults::{answers, logs, said};
use timberline_tests::programs::timberline;

fn json(command: &mut Command) -> Value {
    let done = command.output().expect("the command starts");
    assert!(done.status.success(), "{}", said(&done));
    serde_json::from_slice(&done.stdout).expect("it prints JSON")
}

#[test]
fn import_follows_the_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = logs(folder.path(), 2_000);
    let machine = ["--cores", "3", "--available", "800"];
    let tuned =
        json(Command::new(timberline()).args(["tune", "--json", "--disk"]).arg(folder.path()).args(machine));
    let plan = &tuned["plan"];
    assert_eq!((plan["parsers"].as_u64(), plan["budget_bytes"].as_u64()), (Some(3), Some(200 << 20)));
    assert!(tuned["host"]["disk_bytes_a_second"].as_u64() > Some(0));
    let import = |name: &str, options: &[&str]| {
        let case = folder.path().join(name);
        json(Command::new(timberline()).args(["import", "--json"]).args(options).arg(case).args(&log))
    };
    // Each measures the disk, which others use as well, and its speed chooses the level.
    let without_level = |plan: &Value| {
        let mut plan = plan.clone();
        plan.as_object_mut().and_then(|plan| plan.remove("level")).expect("a level");
        plan
    };
    assert_eq!(without_level(&import("plain.case", &machine)["plan"]), without_level(plan));
    let done = import("other.case", &["--parsers", "3", "--indexers", "2", "--level", "6", "--segment", "7"]);
    let other = &done["plan"];
    assert_eq!((other["parsers"].as_u64(), other["segment_bytes"].as_u64()), (Some(3), Some(7 << 20)));
    assert_eq!((other["indexers"].as_u64(), other["level"].as_u64()), (Some(2), Some(6)));
}

#[test]
fn every_stage_tells_what_it_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = logs(folder.path(), 20_000);
    let case = folder.path().join("c.case");
    let done = Command::new(timberline())
        .args(["import", "--json", "--progress", "json", "--parsers", "3"])
        .arg(case)
        .args(&log)
        .output()
        .expect("it starts");
    let report: Value = serde_json::from_slice(&done.stdout).expect("it prints JSON");
    let stage = |of: &Value, name: &str| {
        let stages = of["stages"].as_array().expect("a list");
        stages.iter().find(|stage| stage["name"] == name).expect("the stage is there").clone()
    };
    for name in ["parse", "land", "index"] {
        assert_eq!(stage(&report, name)["events"], report["events"], "{name}");
    }
    for name in ["read", "parse", "land", "index"] {
        assert_eq!(stage(&report, name)["bytes"], report["bytes_in"], "{name}");
    }
    let threads = |name: &str| stage(&report, name)["threads"].as_u64();
    assert_eq!((threads("parse"), threads("read")), (Some(3), Some(1)));
    assert!(["read", "parse", "land"].contains(&report["waited_for"].as_str().expect("a stage")));
    // Live, every report has at least what the one before it had.
    let reports = String::from_utf8_lossy(&done.stderr);
    let reports: Vec<Value> = reports.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let landed: Vec<_> = reports.iter().map(|at| stage(at, "land")["events"].as_u64()).collect();
    assert!(landed.is_sorted() && landed.last().copied().flatten() == Some(20_000), "{landed:?}");
}

#[test]
fn more_is_kept_for_more_room_and_that_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = logs(folder.path(), 40_000);
    let tuned =
        json(Command::new(timberline()).args(["tune", "--json", "--disk"]).arg(folder.path()).args(&log));
    let costs = tuned["profiles"].as_array().expect("a list");
    let profiles: Vec<_> = costs.iter().filter_map(|cost| cost["profile"].as_str()).collect();
    assert_eq!(profiles, ["raw", "fields", "bloom", "full"]);
    let sizes: Vec<_> = costs.iter().filter_map(|cost| cost["bytes_a_byte"].as_f64()).collect();
    assert!(sizes.is_sorted_by(|less, more| less < more), "{sizes:?}");
    // What was imported to measure it is gone.
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), log.len());
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_under_the_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = logs(folder.path(), 500_000);
    // Lines of a few bytes, whose rows cost more than their text.
    let numbers = folder.path().join("numbers.log");
    let lines = (0..2_000_000).map(|number| number.to_string()).collect::<Vec<_>>().join("\n");
    std::fs::write(&numbers, lines).expect("the log can be written");
    files.push(numbers);
    let done = json(
        Command::new(timberline())
            .args(["import", "--json", "--memory", "256"])
            .arg(folder.path().join("c.case"))
            .args(&files),
    );
    let peak = done["peak_rss_bytes"].as_u64().expect("a number") >> 20;
    assert!(peak <= 256, "{peak} MB were taken of 256");
    assert_eq!(done["events"].as_u64(), Some(2_500_000));
}

/// Neither columns nor an opened text index stay in memory then.
#[test]
fn answers_are_the_same_without_room_for_caches() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("c.case");
    let log = logs(folder.path(), 2_000);
    json(Command::new(timberline()).args(["import", "--json", "--profile", "full"]).arg(&case).args(&log));
    let open = || Case::open(&case).expect("it opens");
    let (roomy, narrow) = (open(), open());
    narrow.limit_caches(1);
    for _ in 0..2 {
        assert_eq!(answers(&narrow), answers(&roomy));
    }
}
