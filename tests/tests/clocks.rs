//! Whether `links` finds how much the clocks of two logs differ: pairs of logs whose offset and drift are known.
//!
//! A few pairs by default; `TIMBERLINE_CLOCKS=100` for the figure of docs/links.md.

use std::fs;
use std::path::{Path, PathBuf};

use indexer::links::Clock;
use indexer::{Cancel, Case, ImportOptions, Profile, stamp};
use timberline_tests::changes::Random;
use timberline_tests::report;

const SECOND: f64 = 1e9;
/// 2026-03-01T14:00:00Z.
const START: f64 = 1_772_373_600.0 * SECOND;
const SPAN: f64 = 7_200.0 * SECOND;
const REQUESTS: usize = 400;

/// The estimate is right if it is no further from the truth.
const NEAR: f64 = 0.05 * SECOND;

const FRONT: &str = "front.ndjson";
const BACK: &str = "back.log";

/// How the clock of the back is wrong.
#[derive(Clone, Copy, Debug)]
struct Wrong {
    /// What it is fast in the middle of the time.
    offset: f64,
    /// What it gains.
    drift: f64,
}

impl Wrong {
    /// From a second to three hours, either way, and up to fifty millionths.
    fn any(random: &mut Random) -> Wrong {
        let sign = if random.below(2) == 0 { -1.0 } else { 1.0 };
        Wrong {
            offset: sign * 10_800_f64.powf(random.share()) * SECOND,
            drift: (random.share() - 0.5) * 100e-6,
        }
    }

    /// What it shows at a time.
    fn shown(self, at: f64) -> f64 {
        at + self.fast_at(at)
    }

    fn fast_at(self, at: f64) -> f64 {
        self.offset + self.drift * (at - START - SPAN / 2.0)
    }
}

/// Requests of the front that the back works on, each log in a format of its own and with the id in another place. Some
/// requests fail before they are passed on, and some events of the back are of other requests.
fn write_logs(folder: &Path, wrong: Wrong, random: &mut Random) -> [PathBuf; 2] {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        let at = START + random.share() * SPAN;
        let mut takes = |least: f64, mean: f64| (least - (1.0 - random.share()).ln() * mean) * 1e6;
        let (there, work, back_again) = (takes(1.0, 15.0), takes(3.0, 90.0), takes(1.0, 15.0));
        let id = format!("{:016x}", random.bits());
        let (is_passed_on, is_front) = (random.below(20) > 0, random.below(20) > 0);
        let mut write_front = |at: f64, what: &str| {
            let time = stamp::to_rfc3339(at as i64);
            let line =
                format!(r#"{{"time":"{time}","level":"info","request_id":"{id}","message":"{what}"}}"#);
            front.push((at as i64, line));
        };
        if is_front {
            write_front(at, "request begins");
            write_front(at + there + work + back_again, "request ends");
        }
        let mut write_back = |at: f64, what: &str| {
            let at = wrong.shown(at) as i64;
            let line = format!("{} INFO  [pool-1] app.Worker - {what} request {id}", stamp::to_rfc3339(at));
            back.push((at, line));
        };
        if is_passed_on {
            write_back(at + there, "begins");
            write_back(at + there + work, "ends");
        }
    }
    [(FRONT, front), (BACK, back)].map(|(name, mut lines)| {
        lines.sort();
        let path = folder.join(name);
        let text: String = lines.into_iter().map(|(_, line)| line + "\n").collect();
        fs::write(&path, text).expect("written");
        path
    })
}

/// What the clock of the back is fast, as the links of the case say, and the clock.
fn estimated(logs: &[PathBuf], folder: &Path) -> Option<(f64, Clock)> {
    let case = Case::create(&folder.join("a.case")).expect("a case");
    let options = ImportOptions { profile: Some(Profile::Fields), ..ImportOptions::default() };
    let report = case.import(logs, &options, &|_| {}, &Cancel::default()).expect("imported");
    assert!(report.failure.is_none());
    let snapshot = case.snapshot();
    let links = case.links(&snapshot, &mut |_| {}, &Cancel::default()).expect("links");
    let clock = links.clocks.first()?.clone();
    let second = &snapshot.sources()[clock.sources[1] as usize].name;
    // What has to be added to the second is what it is slow.
    let sign = if second == BACK { -1.0 } else { 1.0 };
    let offset = sign * clock.estimate.offset_ns as f64;
    // Nothing is changed that nobody asked for.
    assert!(snapshot.sources().iter().all(|source| source.reading.clock_offset_ns == 0));
    Some((offset, clock))
}

#[test]
fn offsets_of_clocks_are_found_in_logs() {
    let pairs: usize =
        std::env::var("TIMBERLINE_CLOCKS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let mut missed = Vec::new();
    for seed in 0..pairs as u64 {
        let mut random = Random::new(seed);
        let wrong = Wrong::any(&mut random);
        let folder = tempfile::tempdir().expect("a folder");
        let logs = write_logs(folder.path(), wrong, &mut random);
        let found = estimated(&logs, folder.path());
        let is_near = found.as_ref().is_some_and(|(offset, clock)| {
            clock.differs && (offset - wrong.fast_at(clock.estimate.at as f64)).abs() <= NEAR
        });
        if !is_near {
            missed.push(format!("seed {seed}: {wrong:?}, found {found:?}"));
        }
    }
    let share = 100.0 * (pairs - missed.len()) as f64 / pairs.max(1) as f64;
    report::figure(&format!("clocks of {pairs} pairs of logs: {share:.1} % within 50 ms"));
    assert!(share >= 95.0, "{share:.1} %\n{}", missed.join("\n"));
}
