//! The alerts of a case that somebody decided something about, as rows of a table.

use std::sync::Arc;

use super::pattern_names::PatternNames;
use base::stamp::to_rfc3339;
use engine::notes::triage::{Triage, TriageEntry, TriageVerb, Triaged};
use store::Note;

pub const COLUMNS: [&str; 6] = ["Start", "Severity", "Alert", "Entity", "State", "History"];

/// The alerts that a file lists, the latest.
pub const LISTED: usize = 1_000;

/// A sentence about the alerts that a file does not list.
pub fn rest(alerts: &[Triaged]) -> Option<String> {
    let left_out = alerts.len().saturating_sub(LISTED);
    (left_out > 0).then(|| format!("{left_out} earlier alerts are in the case."))
}

/// The alerts of these notes, the latest first.
pub fn triaged(notes: &[Note]) -> Vec<Triaged> {
    let united = Triage::of_notes(notes).united(|_| true);
    let mut all: Vec<Triaged> = united.into_iter().map(Arc::unwrap_or_clone).collect();
    let names = PatternNames::from_notes(notes);
    for Triaged { alert, .. } in &mut all {
        if alert.group.iter().any(|(field, value)| names.of_value(field, value).is_some()) {
            for (field, value) in &mut Arc::make_mut(alert).group {
                if let Some(name) = names.of_value(field, value) {
                    *value = name;
                }
            }
        }
    }
    all.sort_by(|a, b| b.alert.start.cmp(&a.alert.start).then(a.alert.key.cmp(&b.alert.key)));
    all
}

/// A cell for each column. Lines of a cell are separated by line feeds.
pub fn cells(Triaged { alert, state, .. }: &Triaged, now_ns: i64) -> [String; 6] {
    let entity: Vec<String> = alert.group.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let status = state.status(alert.extent(), now_ns).label();
    let state_cell = match (state.closed(alert.extent()), state.muted_until) {
        (Some(reason), _) => format!("{status}: {}", reason.label()),
        (None, Some(until)) if now_ns < until => format!("{status} until {}", to_rfc3339(until)),
        _ => status.to_owned(),
    };
    let history: Vec<String> = state.history.iter().map(entry_text).collect();
    [
        alert.start.map_or_else(String::new, to_rfc3339),
        alert.severity.clone(),
        alert.title.clone(),
        entity.join(", "),
        state_cell,
        history.join("\n"),
    ]
}

fn entry_text(entry: &TriageEntry) -> String {
    let done = match entry.verb {
        TriageVerb::Acknowledge => "acknowledged".to_owned(),
        TriageVerb::Close => {
            entry.reason.map_or_else(|| "closed".to_owned(), |reason| format!("closed as {}", reason.label()))
        }
        TriageVerb::Reopen => "reopened".to_owned(),
        TriageVerb::Mute => entry
            .until
            .map_or_else(|| "muted".to_owned(), |until| format!("muted until {}", to_rfc3339(until.0))),
        TriageVerb::Unmute => "unmuted".to_owned(),
        TriageVerb::Comment => "comment".to_owned(),
    };
    let text = if entry.text.is_empty() { String::new() } else { format!(": {}", entry.text) };
    format!("{} {done}{text}", to_rfc3339(entry.at.0))
}
