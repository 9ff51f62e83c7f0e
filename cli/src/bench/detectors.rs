//! Detectors tried on the whole history: reading what a threshold measures, and another level on what was read.

use std::hint::black_box;
use std::path::Path;

use detect::measure::{CheckScope, Detector, History, read};
use indexer::{Cancel, Case, Error, ErrorKind, Result};

use super::{BenchRun, Floor};

/// As the workbench draws a back-test, and lists of its alerts.
const SLOTS: usize = 600;
const GROUPS: usize = 12;
const LISTED: usize = 500;

impl BenchRun {
    pub fn detectors(&self, floor: &Floor, group: &str) -> Result<()> {
        // Opened again, so that the first run finds nothing in memory.
        let case = Case::open(self.case.folder())?;
        let (snapshot, cancel) = (case.snapshot(), Cancel::default());
        let scope = CheckScope { case: &case, snapshot: &snapshot, range: (None, None), cancel: &cancel };
        let history = |seconds: usize| -> Result<(Detector, History)> {
            let detector = threshold(group, seconds)?;
            let history = History::read(&detector, &scope)?;
            let history = history.ok_or_else(|| Error::new(ErrorKind::BadRequest, "the case is empty"))?;
            Ok((detector.clone(), history.kept(&detector)))
        };
        self.row(&format!("back-test of a threshold by {group}"), 60.0, floor.words, |run| {
            let (detector, history) = history(60 + run)?;
            black_box(history.points(&detector, SLOTS, GROUPS));
            tried(&detector, &history);
            Ok(())
        })?;
        let (detector, history) = history(60)?;
        let most = history.points(&detector, 1, 1).first().and_then(|points| points.high[0]).unwrap_or(0.0);
        self.row("one step of dragging its level", 50.0, 0.0, |run| {
            tried(&detector.at_level(most * run as f64 / 10.0), &history);
            Ok(())
        })
    }
}

/// Counts by group in bins of so many seconds.
fn threshold(group: &str, seconds: usize) -> Result<Detector> {
    let text = format!(
        "[[detector]]\nname = \"bench\"\nby = [\"{group}\"]\nthreshold = {{ above = 100, every = \"{seconds}s\" }}\n"
    );
    let (detectors, problems) = read(Path::new("bench.toml"), &text);
    let wrong = || Error::new(ErrorKind::Internal, format!("{problems:?}"));
    detectors.into_iter().next().ok_or_else(wrong)
}

/// The intervals of a level, and the first of its alerts.
fn tried(detector: &Detector, history: &History) {
    let (found, _) = detector.judge(history);
    for one in found.iter().take(LISTED) {
        black_box(detector.alert_of(history, one));
    }
}
