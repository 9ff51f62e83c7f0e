//! What a detector says about a case.

use std::fmt;

use indexer::{json, stamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How serious a detector takes what it finds, least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Severity {
    Informational,
    Low,
    #[default]
    Medium,
    High,
    Critical,
}

impl Severity {
    pub const ALL: [Severity; 5] =
        [Severity::Informational, Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Informational => "informational",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }

    /// Reads a name in any case; `info` is short for informational.
    #[must_use]
    pub fn named(name: &str) -> Option<Severity> {
        if name.eq_ignore_ascii_case("info") {
            return Some(Severity::Informational);
        }
        Severity::ALL.into_iter().find(|severity| severity.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the value of an anomaly is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Baseline {
    /// The same time of other weeks.
    Week,
    /// The same time of other days.
    Day,
    /// The bins before.
    Window,
}

/// How sure an anomaly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum HistoryAmount {
    Little,
    Enough,
}

/// What an anomaly is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AlertBasis"))]
pub struct Basis {
    pub baseline: Baseline,
    /// How many values of that time there are.
    pub samples: u32,
    pub history: HistoryAmount,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = match self.baseline {
            Baseline::Week => "values of the same time of the week",
            Baseline::Day => "values of the same time of the day",
            Baseline::Window => "values before it",
        };
        let history = match self.history {
            HistoryAmount::Little => "little history",
            HistoryAmount::Enough => "enough history",
        };
        write!(f, "compared with {} {values}: {history}", self.samples)
    }
}

/// An interval in which a detector's condition held.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Alert {
    /// The detector's name, or a Sigma rule's id.
    pub detector: String,
    pub title: String,
    pub severity: Severity,
    /// Nanoseconds since 1970 UTC; nothing where no event of it has a time.
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<indexer::Nanos>"))]
    pub start: Option<i64>,
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<indexer::Nanos>"))]
    pub end: Option<i64>,
    /// When the value was furthest from what is expected.
    #[serde(with = "json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<indexer::Nanos>"))]
    pub peak: Option<i64>,
    /// How many events matched.
    pub events: u64,
    /// The values of the fields that it is grouped by.
    pub group: Vec<(String, String)>,
    pub value: Option<f64>,
    pub expected: Option<f64>,
    /// Of an anomaly, at its peak.
    pub basis: Option<Basis>,
    /// A query that selects the events.
    pub query: String,
    /// The query selects more events than these: the language cannot say which they are.
    pub wider: bool,
}

impl Alert {
    /// The alert as files and messages have it: times as text, the group as a map.
    #[must_use]
    pub fn fields(&self) -> Value {
        let text = |time: Option<i64>| time.map(stamp::to_rfc3339);
        let group: Map<String, Value> =
            self.group.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        serde_json::json!({
            "detector": self.detector,
            "title": self.title,
            "severity": self.severity,
            "start": text(self.start),
            "end": text(self.end),
            "peak": text(self.peak),
            "events": self.events,
            "group": if group.is_empty() { Value::Null } else { group.into() },
            "value": self.value,
            "expected": self.expected,
            "basis": self.basis,
            "query": self.query,
            "wider": self.wider,
        })
    }
}
