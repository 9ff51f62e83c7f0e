//! The decisions of people about an alert, and the state that follows from them.

use base::Nanos;
use serde::{Deserialize, Serialize};

use super::TriagedAlert;

/// A decision about alerts.
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

/// The state of one alert after all decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriageState {
    is_acknowledged: bool,
    closed: Option<ClosedAlert>,
    pub muted_until: Option<i64>,
    /// All decisions, the earliest first.
    pub history: Vec<TriageEntry>,
}

/// The parts of an alert that grow while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertExtent {
    pub events: u64,
    pub end: Option<i64>,
}

/// A close, and the extent that was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClosedAlert {
    reason: CloseReason,
    /// Several where alerts that were closed one by one turned out to be one. Their times do not overlap.
    parts: Vec<ClosedPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ClosedPart {
    times: Option<(i64, i64)>,
    events: u64,
}

impl ClosedAlert {
    /// This close, and the earlier ones of other times.
    fn with(earlier: Option<ClosedAlert>, reason: CloseReason, alert: &TriagedAlert) -> ClosedAlert {
        let part = ClosedPart { times: alert.times(), events: alert.events };
        let is_other = |other: &ClosedPart| {
            let times = other.times.zip(part.times);
            times.is_some_and(|((from, to), (start, end))| to < start || end < from)
        };
        let mut parts = earlier.map_or_else(Vec::new, |earlier| earlier.parts);
        parts.retain(is_other);
        parts.push(part);
        ClosedAlert { reason, parts }
    }

    /// Whether an alert without events, as that of a silence, is longer by more than a tenth than what was closed of it.
    fn has_gone_on(&self, end: Option<i64>) -> bool {
        let times = || self.parts.iter().filter_map(|part| part.times);
        let held = times().map(|(start, _)| start).min().zip(times().map(|(_, end)| end).max());
        held.zip(end).is_some_and(|((from, to), end)| end.saturating_sub(to) > to.saturating_sub(from) / 10)
    }
}

impl TriageState {
    /// The state of an alert of this extent at a time of the wall clock. A closed alert is closed, whatever else was
    /// decided, as long as it does not grow.
    #[must_use]
    pub fn status(&self, extent: AlertExtent, now_ns: i64) -> TriageStatus {
        if self.closed(extent).is_some() {
            TriageStatus::Closed
        } else if self.muted_until.is_some_and(|until| now_ns < until) {
            TriageStatus::Muted
        } else if self.is_acknowledged {
            TriageStatus::Acknowledged
        } else {
            TriageStatus::New
        }
    }

    /// Why an alert of this extent is closed, if it is.
    #[must_use]
    pub fn closed(&self, extent: AlertExtent) -> Option<CloseReason> {
        let closed = self.closed.as_ref().filter(|_| self.since_closed(extent).is_none());
        closed.map(|closed| closed.reason)
    }

    /// How many events an alert of this extent has more than when it was closed; 0 if it has none, and went on.
    #[must_use]
    pub fn since_closed(&self, extent: AlertExtent) -> Option<u64> {
        let closed = self.closed.as_ref()?;
        let held: u64 = closed.parts.iter().map(|part| part.events).sum();
        if extent.events == 0 && held == 0 {
            return closed.has_gone_on(extent.end).then_some(0);
        }
        extent.events.checked_sub(held).filter(|&more| more > 0)
    }

    /// Takes the next decision, and the alert as that has it.
    pub(super) fn take(&mut self, entry: &TriageEntry, alert: &TriagedAlert) {
        match entry.verb {
            // In a window that had not seen it closed.
            TriageVerb::Acknowledge if self.closed(alert.extent()).is_some() => {}
            TriageVerb::Acknowledge => (self.is_acknowledged, self.closed) = (true, None),
            TriageVerb::Close => {
                let reason = entry.reason.unwrap_or(CloseReason::Resolved);
                self.closed = Some(ClosedAlert::with(self.closed.take(), reason, alert));
                // If it grows, it is new.
                self.is_acknowledged = false;
            }
            TriageVerb::Reopen => (self.is_acknowledged, self.closed, self.muted_until) = (false, None, None),
            TriageVerb::Mute => self.muted_until = entry.until.map(|until| until.0),
            TriageVerb::Unmute => self.muted_until = None,
            TriageVerb::Comment => {}
        }
    }
}
