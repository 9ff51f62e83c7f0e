//! The decisions of people about alerts: acknowledged, closed with a reason, muted, commented.
//!
//! A decision is a note of the kind `triage`. It holds the alerts that it is about with all that is known of them, so
//! that they stay readable when their detector is gone. The state of an alert follows from all decisions about it, in
//! the order in which they were made. So two windows that decide about one alert never overwrite each other, and undo
//! marks a decision as undone. Large decisions are split into several notes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use base::Nanos;
use base::error::{Error, ErrorKind, Result};
use base::limits::LONGEST_NOTE_BYTES;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use store::{Note, NoteChange, NoteDraft, NotesChanged};

use crate::Engine;

/// The kind of notes that are decisions about alerts.
pub const TRIAGE: &str = "triage";

/// The bytes of alerts in one note; the rest of the longest note is for its text.
const PART_BYTES: usize = LONGEST_NOTE_BYTES / 2;

/// The name of an alert for ever: its detector, its group and its start. Written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "string & { readonly __alert: unique symbol }")
)]
pub struct AlertKey(u64);

impl AlertKey {
    /// The key of an alert of a detector.
    #[must_use]
    pub fn new(detector: &str, start: Option<i64>, group: &[(String, String)]) -> AlertKey {
        let mut hash = Sha256::new();
        let mut add = |text: &[u8]| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        add(detector.as_bytes());
        add(start.map_or_else(String::new, |start| start.to_string()).as_bytes());
        for (name, value) in group {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        let bytes = hash.finalize();
        AlertKey(bytes.iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte)))
    }
}

impl fmt::Display for AlertKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for AlertKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AlertKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(AlertKey).map_err(serde::de::Error::custom)
    }
}

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

    fn take(&mut self, entry: TriageEntry) {
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

/// An alert as a decision holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriagedAlert {
    pub key: AlertKey,
    /// Where it was found: `detector`, `sigma` or `live`.
    pub origin: String,
    pub detector: String,
    pub title: String,
    pub severity: String,
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub peak: Option<i64>,
    pub events: u64,
    pub group: Vec<(String, String)>,
    pub value: Option<f64>,
    pub expected: Option<f64>,
    pub query: String,
}

/// A decision in a note, without its text.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredDecision<A> {
    verb: TriageVerb,
    #[serde(default)]
    reason: Option<CloseReason>,
    #[serde(default)]
    until: Option<i64>,
    #[serde(default)]
    undone: bool,
    alerts: A,
}

#[derive(Debug)]
struct KnownDecision {
    at: i64,
    text: String,
    stored: StoredDecision<Vec<Arc<TriagedAlert>>>,
}

impl KnownDecision {
    /// A decision as its note has it; nothing if another program wrote the note.
    fn of_note(note: &Note) -> Option<KnownDecision> {
        let StoredDecision { verb, reason, until, undone, alerts } =
            serde_json::from_value::<StoredDecision<Vec<TriagedAlert>>>(note.data.clone()).ok()?;
        let alerts = alerts.into_iter().map(Arc::new).collect();
        let stored = StoredDecision { verb, reason, until, undone, alerts };
        Some(KnownDecision { at: note.created_ns, text: note.text.clone(), stored })
    }
}

/// An alert that somebody decided something about.
#[derive(Clone, Debug)]
pub struct Triaged {
    pub alert: Arc<TriagedAlert>,
    pub state: TriageState,
}

/// All decisions of a case.
#[derive(Debug, Default)]
pub struct Triage {
    mark: Option<String>,
    decisions: BTreeMap<String, KnownDecision>,
    alerts: HashMap<AlertKey, Triaged>,
    /// The names of detectors that are muted altogether, by the ids of their notes.
    muted: BTreeSet<String>,
}

impl Triage {
    /// The decisions of notes.
    #[must_use]
    pub fn of_notes(notes: &[Note]) -> Triage {
        let mut triage = Triage::default();
        for note in notes {
            triage.add(note);
        }
        triage.settle();
        triage
    }

    /// Reads what was decided since the last call. True if anything was.
    pub fn refresh(&mut self, engine: &Engine, now_ns: i64) -> Result<bool> {
        let found = engine.notes(self.mark.as_deref(), now_ns)?;
        self.mark = Some(found.mark);
        let is_ours = |kind: &str| kind == TRIAGE || kind == MUTED;
        let is_changed = found.notes.iter().any(|note| is_ours(&note.kind))
            || found.removed.iter().any(|(kind, _)| is_ours(kind))
            || found.whole && !(self.decisions.is_empty() && self.muted.is_empty());
        if !is_changed {
            return Ok(false);
        }
        if found.whole {
            self.decisions.clear();
            self.muted.clear();
        }
        for (kind, id) in &found.removed {
            match kind.as_str() {
                TRIAGE => {
                    self.decisions.remove(id);
                }
                MUTED => {
                    self.muted.remove(id);
                }
                _ => {}
            }
        }
        for note in &found.notes {
            self.add(note);
        }
        self.settle();
        Ok(true)
    }

    fn add(&mut self, note: &Note) {
        if note.kind == MUTED {
            self.muted.insert(note.id.clone());
        }
        if note.kind != TRIAGE {
            return;
        }
        match KnownDecision::of_note(note) {
            Some(known) => self.decisions.insert(note.id.clone(), known),
            None => self.decisions.remove(&note.id),
        };
    }

    /// Derives the state of each alert from the decisions.
    fn settle(&mut self) {
        let mut order: Vec<(&String, &KnownDecision)> =
            self.decisions.iter().filter(|(_, known)| !known.stored.undone).collect();
        order.sort_by_key(|(id, known)| (known.at, *id));
        let mut alerts: HashMap<AlertKey, Triaged> = HashMap::new();
        for (_, KnownDecision { at, text, stored }) in order {
            for alert in &stored.alerts {
                let triaged = alerts
                    .entry(alert.key)
                    .or_insert_with(|| Triaged { alert: Arc::clone(alert), state: TriageState::default() });
                triaged.alert = Arc::clone(alert);
                triaged.state.take(TriageEntry {
                    at: Nanos(*at),
                    verb: stored.verb,
                    reason: stored.reason,
                    until: stored.until.map(Nanos),
                    text: text.clone(),
                });
            }
        }
        self.alerts = alerts;
    }

    /// What was decided about an alert.
    #[must_use]
    pub fn get(&self, key: AlertKey) -> Option<&Triaged> {
        self.alerts.get(&key)
    }

    /// All alerts that somebody decided something about, in no order.
    pub fn alerts(&self) -> impl Iterator<Item = &Triaged> {
        self.alerts.values()
    }

    /// Whether all alerts of a detector are muted.
    #[must_use]
    pub fn is_muted(&self, detector: &str) -> bool {
        self.muted.contains(detector)
    }

    /// The next time after `now_ns` at which a mute ends.
    #[must_use]
    pub fn next_end(&self, now_ns: i64) -> Option<i64> {
        self.alerts.values().filter_map(|one| one.state.muted_until).filter(|&until| until > now_ns).min()
    }
}

/// The kind of notes whose ids are the names of muted detectors.
const MUTED: &str = "mute";

impl Engine {
    /// Writes a decision about alerts. `id` names it for [`Engine::undo_triage`], and must be new.
    pub fn triage(&self, id: &str, decision: &Decision, alerts: &[TriagedAlert], now_ns: i64) -> Result<()> {
        if alerts.is_empty() {
            return Err(Error::new(ErrorKind::BadRequest, "no alert is selected"));
        }
        if decision.verb == TriageVerb::Comment && decision.text.trim().is_empty() {
            return Err(Error::new(ErrorKind::BadRequest, "a comment needs a text"));
        }
        let mut put = Vec::new();
        let (mut first, mut bytes) = (0, 0);
        for (at, alert) in alerts.iter().enumerate() {
            let next = serde_json::to_string(alert).map_or(0, |text| text.len());
            if bytes + next > PART_BYTES && at > first {
                put.push(part(id, put.len(), decision, &alerts[first..at])?);
                (first, bytes) = (at, 0);
            }
            bytes += next;
        }
        put.push(part(id, put.len(), decision, &alerts[first..])?);
        let change = NoteChange { put, remove: Vec::new() };
        match self.change_notes(&change, now_ns)? {
            NotesChanged::Made(_) => Ok(()),
            NotesChanged::Conflict(_) => {
                Err(Error::new(ErrorKind::BadRequest, "there is a decision of this id"))
            }
        }
    }

    /// Undoes a decision, or makes it again. An id without a decision is an error.
    pub fn undo_triage(&self, id: &str, undone: bool, now_ns: i64) -> Result<()> {
        let of_id = |note: &Note| {
            let rest = note.id.strip_prefix(id);
            let is_part = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            note.kind == TRIAGE && is_part && note.data.is_object()
        };
        let notes = self.notes(None, now_ns)?.notes;
        let put: Vec<NoteDraft> = notes
            .into_iter()
            .filter(of_id)
            .map(|mut note| {
                note.data["undone"] = undone.into();
                // Nothing but this flag of a decision changes, so the last writer is right.
                NoteDraft { known: None, ..draft(&note.id, note.text, note.data) }
            })
            .collect();
        if put.is_empty() {
            return Err(Error::new(ErrorKind::NotFound, "there is no decision of this id"));
        }
        self.change_notes(&NoteChange { put, remove: Vec::new() }, now_ns)?;
        Ok(())
    }
}

fn part(id: &str, number: usize, decision: &Decision, alerts: &[TriagedAlert]) -> Result<NoteDraft> {
    let Decision { verb, reason, until, text } = decision;
    let stored = StoredDecision { verb: *verb, reason: *reason, until: *until, undone: false, alerts };
    let data = serde_json::to_value(stored)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("a decision cannot be written: {error}")))?;
    let id = if number == 0 { id.to_owned() } else { format!("{id}.{number}") };
    Ok(draft(&id, text.trim().to_owned(), data))
}

fn draft(id: &str, text: String, data: serde_json::Value) -> NoteDraft {
    NoteDraft {
        kind: TRIAGE.to_owned(),
        id: id.to_owned(),
        known: Some(0),
        event: None,
        range: None,
        text,
        data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(start: i64) -> TriagedAlert {
        let group = vec![("host".to_owned(), "web-1".to_owned())];
        TriagedAlert {
            key: AlertKey::new("busy", Some(start), &group),
            origin: "detector".to_owned(),
            detector: "busy".to_owned(),
            title: "Many requests".to_owned(),
            severity: "high".to_owned(),
            start: Some(start),
            end: Some(start + 60),
            peak: None,
            events: 7,
            group,
            value: Some(7.0),
            expected: None,
            query: "host:web-1".to_owned(),
        }
    }

    fn note(id: &str, at: i64, verb: TriageVerb, data: &serde_json::Value) -> Note {
        let mut all = serde_json::json!({ "verb": verb, "alerts": [alert(1)] });
        all.as_object_mut().expect("a map").extend(data.as_object().expect("a map").clone());
        Note {
            kind: TRIAGE.to_owned(),
            id: id.to_owned(),
            revision: 1,
            created_ns: at,
            changed_ns: at,
            event: None,
            range: None,
            text: String::new(),
            data: all,
        }
    }

    fn status(notes: &[Note], now: i64) -> TriageStatus {
        let triage = Triage::of_notes(notes);
        triage.get(alert(1).key).map_or(TriageStatus::New, |one| one.state.status(now))
    }

    #[test]
    fn state_of_an_alert_follows_from_all_decisions_about_it() {
        use TriageVerb::{Acknowledge, Close, Mute, Reopen};
        let none = serde_json::json!({});
        let mut notes = vec![note("a", 1, Acknowledge, &none)];
        assert_eq!(status(&notes, 9), TriageStatus::Acknowledged);
        notes.push(note("b", 2, Mute, &serde_json::json!({ "until": 10 })));
        assert_eq!(
            (status(&notes, 9), status(&notes, 10)),
            (TriageStatus::Muted, TriageStatus::Acknowledged)
        );
        notes.push(note("c", 3, Close, &serde_json::json!({ "reason": "falsePositive" })));
        notes.push(note("d", 4, Acknowledge, &none));
        assert_eq!(
            status(&notes, 9),
            TriageStatus::Closed,
            "a window that had not seen it closed acknowledges it"
        );
        notes.push(note("e", 5, Reopen, &none));
        assert_eq!(status(&notes, 9), TriageStatus::New);
        let triage = Triage::of_notes(&notes);
        let history = &triage.get(alert(1).key).expect("it was triaged").state.history;
        assert_eq!(history.iter().map(|entry| entry.at.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(history[2].reason, Some(CloseReason::FalsePositive));
    }

    #[test]
    fn undone_decision_counts_no_more_and_notes_of_strangers_decide_nothing() {
        let undone = serde_json::json!({ "undone": true });
        assert_eq!(status(&[note("a", 1, TriageVerb::Close, &undone)], 9), TriageStatus::New);
        let strange = note("a", 1, TriageVerb::Close, &serde_json::json!({ "alerts": "all" }));
        assert_eq!(status(&[strange], 9), TriageStatus::New);
    }

    #[test]
    fn key_of_an_alert_depends_on_detector_start_and_group() {
        let group = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let key = AlertKey::new("busy", Some(1), &group("a", "bc"));
        assert_eq!(key, AlertKey::new("busy", Some(1), &group("a", "bc")));
        let others = [
            AlertKey::new("busy", Some(1), &group("ab", "c")),
            AlertKey::new("busy", None, &group("a", "bc")),
            AlertKey::new("busy", Some(2), &group("a", "bc")),
            AlertKey::new("idle", Some(1), &group("a", "bc")),
        ];
        assert!(!others.contains(&key));
        let written = serde_json::to_string(&key).expect("JSON");
        assert_eq!((written.len(), serde_json::from_str::<AlertKey>(&written).expect("read")), (18, key));
    }
}
