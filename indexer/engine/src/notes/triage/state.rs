//! What people decide about an alert, and the state that follows from it.

use base::Nanos;
use serde::{Deserialize, Serialize};

/// What a person does with alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TriageVerb {
    Acknowledge,
    /// Closes alerts, with a reason.
    Close,
    /// Makes alerts new again.
    Reopen,
    /// Mutes alerts until a time.
    Mute,
    Unmute,
    /// Writes a comment and changes nothing else. Other decisions may have one, too.
    Comment,
}

/// Why an alert was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CloseReason {
    /// It was right, and somebody dealt with it.
    Resolved,
    FalsePositive,
    /// It was right, and is no problem.
    Expected,
    Duplicate,
}

impl CloseReason {
    /// The reason as people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            CloseReason::Resolved => "resolved",
            CloseReason::FalsePositive => "false positive",
            CloseReason::Expected => "expected",
            CloseReason::Duplicate => "duplicate",
        }
    }
}

/// The state of an alert at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TriageStatus {
    /// Nobody has decided anything about it.
    #[default]
    New,
    Acknowledged,
    Muted,
    Closed,
}

impl TriageStatus {
    /// The state as people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            TriageStatus::New => "new",
            TriageStatus::Acknowledged => "acknowledged",
            TriageStatus::Muted => "muted",
            TriageStatus::Closed => "closed",
        }
    }
}

/// A decision, as it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub verb: TriageVerb,
    /// Of a closed alert.
    pub reason: Option<CloseReason>,
    /// The end of a mute.
    pub until: Option<i64>,
    /// A comment; empty for none.
    pub text: String,
}

/// A decision about one alert, as its history lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriageEntry {
    pub at: Nanos,
    pub verb: TriageVerb,
    pub reason: Option<CloseReason>,
    pub until: Option<Nanos>,
    pub text: String,
}

/// What people decided about one alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriageState {
    is_acknowledged: bool,
    /// Why it is closed, if it is.
    pub closed: Option<CloseReason>,
    pub muted_until: Option<i64>,
    /// All decisions, the earliest first.
    pub history: Vec<TriageEntry>,
}

impl TriageState {
    /// The state at a time of the wall clock. A closed alert is closed, whatever else was decided.
    #[must_use]
    pub fn status(&self, now_ns: i64) -> TriageStatus {
        if self.closed.is_some() {
            TriageStatus::Closed
        } else if self.muted_until.is_some_and(|until| now_ns < until) {
            TriageStatus::Muted
        } else if self.is_acknowledged {
            TriageStatus::Acknowledged
        } else {
            TriageStatus::New
        }
    }

    pub(super) fn take(&mut self, entry: TriageEntry) {
        match entry.verb {
            TriageVerb::Acknowledge => self.is_acknowledged = true,
            TriageVerb::Close => self.closed = Some(entry.reason.unwrap_or(CloseReason::Resolved)),
            TriageVerb::Reopen => (self.is_acknowledged, self.closed, self.muted_until) = (false, None, None),
            TriageVerb::Mute => self.muted_until = entry.until.map(|until| until.0),
            TriageVerb::Unmute => self.muted_until = None,
            TriageVerb::Comment => {}
        }
        self.history.push(entry);
    }
}
