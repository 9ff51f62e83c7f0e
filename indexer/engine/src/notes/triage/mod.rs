//! The decisions of people about alerts: acknowledged, closed with a reason, muted, commented.
//!
//! A decision is a note of the kind `triage`. It holds the alerts that it is about with all that is known of them, so
//! that they stay readable when their detector is gone. The state of an alert follows from all decisions about it, in
//! the order in which they were written, and from its events: one that was closed and has grown is new. So two windows
//! that decide about one alert never overwrite each other, and undo marks a decision as undone. Large decisions are
//! split into several notes.

mod state;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use base::Nanos;
use base::error::{Error, ErrorKind, Result};
use base::limits::LONGEST_NOTE_BYTES;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use store::{Note, NoteChange, NoteDraft, NotesChanged};

use crate::Engine;

pub use state::{AlertExtent, CloseReason, Decision, TriageEntry, TriageState, TriageStatus, TriageVerb};

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
    /// The query selects more events than these.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wider: bool,
}

impl TriagedAlert {
    /// The first and the last instant of it.
    #[must_use]
    pub fn times(&self) -> Option<(i64, i64)> {
        self.start.zip(self.end)
    }

    #[must_use]
    pub fn extent(&self) -> AlertExtent {
        AlertExtent { events: self.events, end: self.end }
    }
}

/// Whether the queries of two alerts of one detector may have one condition. They begin with the times of their alerts,
/// which may differ. Queries that begin otherwise name events one by one, and say nothing of the condition.
#[must_use]
pub fn have_one_condition(one: &str, other: &str) -> bool {
    condition(one).zip(condition(other)).is_none_or(|(one, other)| one == other)
}

fn condition(query: &str) -> Option<&str> {
    let (_, condition) = query.strip_prefix("time:[")?.split_once(']')?;
    Some(condition)
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
    /// The same for all notes that a large decision was split into.
    id: String,
    number: u64,
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
        let id = decision_id(&note.id).to_owned();
        Some(KnownDecision { id, number: note.number, at: note.created_ns, text: note.text.clone(), stored })
    }

    fn entry(&self) -> TriageEntry {
        TriageEntry {
            at: Nanos(self.at),
            verb: self.stored.verb,
            reason: self.stored.reason,
            until: self.stored.until.map(Nanos),
            text: self.text.clone(),
        }
    }
}

/// An alert that somebody decided something about.
#[derive(Clone, Debug)]
pub struct Triaged {
    /// As the last decision has it.
    pub alert: Arc<TriagedAlert>,
    pub state: TriageState,
    decided: Vec<DecidedAlert>,
}

/// A decision, and the alert as it has it.
type DecidedAlert = (Arc<KnownDecision>, Arc<TriagedAlert>);

impl Triaged {
    /// The decisions are in their order.
    fn new(decided: Vec<DecidedAlert>) -> Option<Triaged> {
        let alert = Arc::clone(&decided.last()?.1);
        let mut state = TriageState::default();
        let mut listed = HashSet::new();
        for (known, alert) in &decided {
            let entry = known.entry();
            state.take(&entry, alert);
            // One decision about several alerts that turned out to be one is listed once, whichever of its notes they are in.
            if listed.insert(known.id.as_str()) {
                state.history.push(entry);
            }
        }
        Some(Triaged { alert, state, decided })
    }

    /// Alerts that turned out to be one, with all decisions about them in their order.
    #[must_use]
    pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Arc<Triaged>>) -> Option<Triaged> {
        let decided = parts.into_iter().flat_map(|part| part.decided.iter().cloned());
        let mut decided: Vec<DecidedAlert> = decided.collect();
        decided.sort_by_key(|(known, _)| known.number);
        Triaged::new(decided)
    }

    /// All keys that the alert had in decisions.
    pub fn keys(&self) -> impl Iterator<Item = AlertKey> {
        self.decided.iter().map(|(_, alert)| alert.key)
    }
}

/// All decisions of a case.
#[derive(Debug, Default)]
pub struct Triage {
    mark: Option<String>,
    decisions: BTreeMap<String, Arc<KnownDecision>>,
    alerts: HashMap<AlertKey, Arc<Triaged>>,
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
            Some(known) => self.decisions.insert(note.id.clone(), Arc::new(known)),
            None => self.decisions.remove(&note.id),
        };
    }

    /// Derives the state of each alert from the decisions.
    fn settle(&mut self) {
        let mut order: Vec<&Arc<KnownDecision>> =
            self.decisions.values().filter(|known| !known.stored.undone).collect();
        // A clock may have been set back.
        order.sort_by_key(|known| known.number);
        let mut alerts: HashMap<AlertKey, Vec<DecidedAlert>> = HashMap::new();
        for known in order {
            for alert in &known.stored.alerts {
                alerts.entry(alert.key).or_default().push((Arc::clone(known), Arc::clone(alert)));
            }
        }
        let triaged = |(key, decided)| Some((key, Arc::new(Triaged::new(decided)?)));
        self.alerts = alerts.into_iter().filter_map(triaged).collect();
    }

    /// What was decided about an alert.
    #[must_use]
    pub fn get(&self, key: AlertKey) -> Option<&Arc<Triaged>> {
        self.alerts.get(&key)
    }

    /// All alerts that somebody decided something about, in no order.
    pub fn alerts(&self) -> impl Iterator<Item = &Arc<Triaged>> {
        self.alerts.values()
    }

    /// The alerts of these keys, in no order. Those of one detector, group and condition whose times overlap are one that
    /// moved.
    #[must_use]
    pub fn united(&self, is_wanted: impl Fn(AlertKey) -> bool) -> Vec<Arc<Triaged>> {
        let wanted = self.alerts.iter().filter(|(key, _)| is_wanted(**key));
        let mut wanted: Vec<&Arc<Triaged>> = wanted.map(|(_, triaged)| triaged).collect();
        let identity = |one: &Arc<Triaged>| (one.alert.detector.clone(), one.alert.group.clone());
        wanted.sort_by_cached_key(|one| (identity(one), one.alert.start, one.alert.key));
        let mut united: Vec<Vec<&Arc<Triaged>>> = Vec::new();
        let mut until = None;
        for one in wanted {
            let times = one.alert.times();
            let is_same = |last: &[&Arc<Triaged>]| {
                let known = &last[0].alert;
                known.detector == one.alert.detector
                    && known.group == one.alert.group
                    && have_one_condition(&known.query, &one.alert.query)
                    && times.zip(until).is_some_and(|((start, end), until)| {
                        // An instant overlaps the time that it is in; other times that only touch do not overlap.
                        start < until || start == until && start == end
                    })
            };
            let end = times.map(|(_, end)| end);
            if let Some(last) = united.last_mut().filter(|last| is_same(last)) {
                last.push(one);
                until = until.max(end);
            } else {
                united.push(vec![one]);
                until = end;
            }
        }
        let merged = |parts: Vec<&Arc<Triaged>>| match parts.as_slice() {
            [one] => Some(Arc::clone(one)),
            several => Triaged::merged(several.iter().copied()).map(Arc::new),
        };
        united.into_iter().filter_map(merged).collect()
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

/// The id of a decision, as [`part`] makes those of its notes from it.
fn decision_id(note: &str) -> &str {
    let is_part = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    note.rsplit_once('.').filter(|(_, number)| is_part(number)).map_or(note, |(id, _)| id)
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
