//! Detectors of our own: measures of queries over time, in TOML files. One file a condition: it says what is read of
//! the file, what the engine evaluates, and when it alerts.

pub(crate) mod absence;
pub(crate) mod anomaly;
mod form;
pub(crate) mod history;
mod level;
mod pattern;
mod read;
pub(crate) mod reads;
pub(crate) mod sequence;
pub(crate) mod series;
mod service;
mod tally;
pub(crate) mod threshold;

use indexer::query::{Filter, parse_query};
use indexer::{Cancel, Case, Error, ErrorKind, Result, RunOptions, Snapshot, Table};

use crate::alert::{Alert, Basis, Severity};
use crate::evidence;
use crate::limits::ALERTS;
use crate::verdict::{Lack, Verdict};

pub use anomaly::{Anomaly, Season, anomalies};
pub use form::{KeyChange, KeyValue, WrittenKey, with_keys, written_keys};
pub use history::{Group, History, Points};
pub use level::{Level, LevelKind, with_level};
pub use read::{read, text_of};
pub use service::with_service;
pub use tally::{Firing, IncidentTally, Tally, tally};

/// A detector as it was read.
#[derive(Clone, Debug)]
pub struct Detector {
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub severity: Severity,
    /// The line of the file that it begins at.
    pub line: usize,
    pub filter: Filter,
    /// Fields without which the detector is not applicable.
    pub needs: Vec<String>,
    pub by: Vec<String>,
    pub condition: Condition,
}

#[derive(Clone, Debug)]
pub enum Condition {
    Threshold(threshold::Threshold),
    Absence(absence::Absence),
    Anomaly(anomaly::Anomaly),
    Pattern(pattern::Pattern),
    Sequence(sequence::Sequence),
}

/// What a detector is evaluated over.
pub struct CheckScope<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    /// From (inclusive) to (exclusive).
    pub range: (Option<i64>, Option<i64>),
    pub cancel: &'a Cancel,
}

impl CheckScope<'_> {
    /// The result of a query with stages, over the range.
    pub fn table(&self, text: &str) -> Result<Table> {
        let query = parse_query(text).map_err(|error| of_detector(&error.into()))?;
        self.case
            .run(self.snapshot, &query, self.range, &RunOptions::default(), &mut |_| {}, self.cancel)
            .map_err(|error| of_detector(&error))
    }

    /// The first and last instant that is looked at.
    #[must_use]
    pub fn ends(&self) -> Option<(i64, i64)> {
        let (first, last) = self.snapshot.time_range()?;
        let first = self.range.0.map_or(first, |from| from.max(first));
        let last = self.range.1.map_or(last, |to| (to - 1).min(last));
        (first <= last).then_some((first, last))
    }
}

/// What a detector found.
#[derive(Debug)]
pub struct Evaluated {
    pub alerts: Vec<Alert>,
    pub verdict: Verdict,
    /// Something that whoever wrote the detector should know, and what to do.
    pub remark: Option<(String, String)>,
}

impl Evaluated {
    pub(crate) fn lacking(lack: Lack) -> Evaluated {
        Evaluated { alerts: Vec::new(), verdict: Verdict::lacking(lack), remark: None }
    }
}

/// An interval, before it is an alert.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    pub start: i64,
    /// The last instant of it.
    pub end: i64,
    pub peak: i64,
    pub value: f64,
    pub expected: f64,
    pub events: u64,
    /// Of anomalies.
    pub basis: Option<Basis>,
}

impl Detector {
    /// Evaluates it over the events of a place.
    pub fn evaluate(&self, scope: &CheckScope<'_>) -> Result<Evaluated> {
        let mut found = match &self.condition {
            Condition::Threshold(_) | Condition::Absence(_) | Condition::Anomaly(_) => {
                let Some(history) = History::read(self, scope)? else {
                    return Ok(Evaluated::lacking(Lack::Time));
                };
                let (intervals, verdict) = self.judge(&history);
                let alerts = intervals.iter().take(ALERTS + 1).map(|one| self.alert_of(&history, one));
                Ok(Evaluated { alerts: alerts.collect(), verdict, remark: None })
            }
            Condition::Pattern(pattern) => pattern.evaluate(self, scope),
            Condition::Sequence(sequence) => sequence.evaluate(self, scope),
        }?;
        found.alerts.sort_by(|one, other| (one.start, &one.group).cmp(&(other.start, &other.group)));
        if found.alerts.len() > ALERTS {
            found.alerts.truncate(ALERTS);
            let remark = format!("it gives more than {ALERTS} alerts; the first are shown");
            found.remark = Some((remark, "make its condition stricter".to_owned()));
        }
        Ok(found)
    }

    /// As it is evaluated while the case grows. A share of the first events is learned in no time, and then
    /// everything would be new.
    #[must_use]
    pub(crate) fn live(mut self) -> Detector {
        if let Condition::Pattern(pattern) = &mut self.condition {
            pattern.learn_in_full();
        }
        self
    }

    /// The first field that it needs and that is not among those of a case. To be called of a detector for these fields.
    fn missing(&self, fields: &[String]) -> Option<&str> {
        self.needs.iter().find(|needed| !fields.contains(needed)).map(String::as_str)
    }

    /// What its condition is called in files.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.condition {
            Condition::Threshold(_) => "threshold",
            Condition::Absence(_) => "absence",
            Condition::Anomaly(_) => "anomaly",
            Condition::Pattern(_) => "pattern",
            Condition::Sequence(_) => "sequence",
        }
    }

    /// What it measures, as it is written in a file; nothing where it measures no events.
    #[must_use]
    pub fn measure(&self) -> Option<String> {
        match &self.condition {
            Condition::Threshold(one) => Some(match &one.of {
                Some(of) => format!("{} of {of}", one.measure),
                None => one.measure.clone(),
            }),
            Condition::Anomaly(one) => Some(one.measure.clone()),
            _ => None,
        }
    }

    /// An interval of a group as an alert.
    pub(crate) fn alert(&self, keys: &[Option<String>], interval: &Interval, filter: &Filter) -> Alert {
        let filter = evidence::in_group(filter.clone(), &self.by, keys);
        let query = evidence::within(filter, Some(interval.start), Some(interval.end));
        let group = self.by.iter().cloned().zip(keys.iter().map(|key| key.clone().unwrap_or_default()));
        Alert {
            detector: self.name.clone(),
            title: self.title.clone(),
            severity: self.severity,
            start: Some(interval.start),
            end: Some(interval.end),
            peak: Some(interval.peak),
            events: interval.events,
            group: group.collect(),
            value: Some(interval.value),
            expected: Some(interval.expected),
            basis: interval.basis,
            query: query.to_string(),
            wider: false,
        }
    }
}

/// An error in a query that was put together, in words about the detector.
fn of_detector(error: &Error) -> Error {
    let shown = Error::new(ErrorKind::BadRequest, error.message());
    match error.hint_text() {
        Some(hint) => shown.hint(hint.to_owned()),
        None => shown,
    }
}

#[cfg(test)]
mod tests;
