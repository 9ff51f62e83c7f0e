//! Detectors: conditions on the events of a case, evaluated over all of its history or over what came since.
//!
//! The nouns: a [`Detectors`] is what was read from files and folders, with a [`Problem`] for each one that is wrong;
//! [`Detectors::check`] evaluates it and gives [`Alert`]s, each an interval with the query that selects its events, and a
//! [`Verdict`] of each detector of our own: it fired, was quiet, or cannot say.
//!
//! ```
//! use detect::{Detectors, Scope};
//! use indexer::{Cancel, Case, ImportOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let log = folder.path().join("web.ndjson");
//! std::fs::write(&log, r#"{"time":"2026-03-01T14:05:00Z","eventSource":"iam","eventName":"CreateUser"}"#)?;
//! let rule = folder.path().join("created.yml");
//! std::fs::write(&rule, "title: User created\nlogsource: {product: aws, service: cloudtrail}\n\
//!     detection: {it: {eventName: CreateUser}, condition: it}\n")?;
//!
//! let case = Case::create(&folder.path().join("demo.case"))?;
//! case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default())?;
//! let detectors = Detectors::read(&[rule], &Default::default());
//! let report = detectors.check(&case, &case.snapshot(), &Scope::default(), &Cancel::default())?;
//! assert_eq!(report.alerts[0].events, 1);
//! # Ok(())
//! # }
//! ```

mod alert;
mod clock;
mod evidence;
mod files;
pub mod inbox;
mod limits;
pub mod live;
pub mod measure;
mod problem;
mod report;
mod sarif;
pub mod sigma;
mod verdict;
mod yaml;

pub use alert::{Alert, Baseline, Basis, HistoryAmount, Severity};
pub use files::{Detectors, FILTER_NOTE, ReadOptions, Scope, Tested, filters_of, run_one, starters};
pub use problem::{Fault, Problem};
pub use report::{MissingFields, Report};
pub use sarif::sarif;
pub use verdict::{Judged, Outcome, Verdict};
