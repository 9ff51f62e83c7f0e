//! The outcome of detectors over a case: alerts, problems and verdicts.

use serde::Serialize;

use crate::alert::Alert;
use crate::problem::Problem;
use crate::sigma::{FoundRule, RuleState};
use crate::verdict::Verdict;

/// Everything that a run of detectors found.
#[derive(Debug, Default)]
pub struct Report {
    /// Of rules, then of correlations, then of detectors.
    pub alerts: Vec<Alert>,
    /// Detectors that could not run, and why.
    pub problems: Vec<Problem>,
    /// Detectors for events that the case has none of.
    pub not_applicable: Vec<String>,
    /// Rules that ran and name fields that the case has none of.
    pub missing_fields: Vec<MissingFields>,
    /// Detectors for events that the case has.
    pub applicable: usize,
    /// The verdict of each detector of our own, by its name.
    pub verdicts: Vec<(String, Verdict)>,
    /// Sigma rules that fired, with their events by host, user and process.
    pub found: Vec<FoundRule>,
    /// The state of each Sigma rule, then of each correlation, in their order.
    pub states: Vec<RuleState>,
}

/// Fields that a rule names and the case has none of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MissingFields {
    /// The rule's id.
    pub rule: String,
    pub fields: Vec<String>,
    /// Whether it can match nothing without them, so that "no match" would say too much.
    pub cannot_match: bool,
}
