//! The inbox of a case: the alerts of all its detectors, of Sigma rules and of live evaluation as one list, each with
//! the decisions of people about it.
//!
//! An [`Inbox`] holds what the last runs found. [`Inbox::list`] filters, sorts and groups it, and answers any part of
//! the list from the same order until something changes. An alert that was found in several ways is one row.

mod export;
mod listing;
#[cfg(test)]
mod many_alerts;
mod moved;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use indexer::triage::{
    AlertExtent, AlertKey, CloseReason, Triage, TriageEntry, TriageState, TriageStatus, Triaged, TriagedAlert,
};
use indexer::{Engine, Error, ErrorKind, Nanos, Result, files};
use serde::{Deserialize, Serialize};

use crate::alert::{Alert, Severity};
use crate::live::{Message, State, ledger_file, ledger_messages};

pub use export::{InboxFormat, write_alerts};
pub use listing::{
    AlertFilter, AlertGrouping, AlertSort, InboxGroup, InboxLine, InboxPage, InboxRequest, StatusCounts,
};

/// How an alert was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AlertOrigin {
    /// A detector over the history of the case.
    Detector,
    /// A Sigma rule over the history of the case.
    Sigma,
    /// While the case received.
    Live,
}

impl AlertOrigin {
    fn name(self) -> &'static str {
        match self {
            AlertOrigin::Detector => "detector",
            AlertOrigin::Sigma => "sigma",
            AlertOrigin::Live => "live",
        }
    }

    fn named(name: &str) -> AlertOrigin {
        match name {
            "sigma" => AlertOrigin::Sigma,
            "live" => AlertOrigin::Live,
            _ => AlertOrigin::Detector,
        }
    }
}

/// Why an alert that somebody decided something about is not found any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AlertGone {
    /// The case has no such detector any more.
    Detector,
    /// The detector has another level, or the events have changed.
    Alert,
}

/// An alert of the inbox with what people decided about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxAlert {
    pub key: AlertKey,
    pub origin: AlertOrigin,
    /// Whether it goes on, as far as live evaluation knows.
    pub open: bool,
    pub gone: Option<AlertGone>,
    pub status: TriageStatus,
    /// Of a closed alert.
    pub reason: Option<CloseReason>,
    /// How many events came since it was closed, which made it new again; 0 if it has no events, and went on.
    #[serde(rename = "sinceClosed")]
    pub since_closed: Option<u64>,
    #[serde(rename = "mutedUntil")]
    pub muted_until: Option<Nanos>,
    /// All decisions, the earliest first.
    pub history: Vec<TriageEntry>,
    pub alert: Alert,
}

/// The key of an alert, by which people's decisions find it.
#[must_use]
pub fn key_of(alert: &Alert) -> AlertKey {
    AlertKey::new(&alert.detector, alert.start, &alert.group)
}

/// The values that an alert is grouped by, as one text.
#[must_use]
pub fn entity_of(alert: &Alert) -> String {
    let values: Vec<String> = alert.group.iter().map(|(name, value)| format!("{name}={value}")).collect();
    values.join(", ")
}

/// An alert as it is listed and searched.
#[derive(Debug)]
struct InboxRow {
    key: AlertKey,
    alert: Arc<Alert>,
    origin: AlertOrigin,
    is_open: bool,
    gone: Option<AlertGone>,
    entity: String,
    /// Title, detector and entity in lower case.
    text: String,
    /// The decisions about it, also under other keys if it moved.
    triaged: Option<Arc<Triaged>>,
}

impl InboxRow {
    fn new(alert: &Arc<Alert>, origin: AlertOrigin) -> InboxRow {
        let entity = entity_of(alert);
        let text = format!("{}\n{}\n{entity}", alert.title, alert.detector).to_lowercase();
        let (key, alert) = (key_of(alert), Arc::clone(alert));
        InboxRow { key, alert, origin, is_open: false, gone: None, entity, text, triaged: None }
    }

    fn state(&self) -> Option<&TriageState> {
        self.triaged.as_ref().map(|triaged| &triaged.state)
    }

    fn status(&self, now_ns: i64) -> TriageStatus {
        self.state().map_or(TriageStatus::New, |state| state.status(extent_of(&self.alert), now_ns))
    }
}

/// How many events an alert has, and where it ends.
type AlertSize = (u64, Option<i64>);

fn size(alert: &Alert) -> AlertSize {
    (alert.events, alert.end)
}

/// How large the live alerts of a case were when a run began. Such a size is older than the alerts of the run.
#[derive(Clone, Debug, Default)]
pub struct LiveSizes(Arc<HashMap<AlertKey, AlertSize>>);

/// The alerts of a run.
#[derive(Debug, Default)]
struct RunAlerts {
    alerts: Vec<Arc<Alert>>,
    before: LiveSizes,
}

impl RunAlerts {
    fn new(alerts: Vec<Alert>, before: &LiveSizes) -> RunAlerts {
        RunAlerts { alerts: alerts.into_iter().map(Arc::new).collect(), before: before.clone() }
    }

    /// Each alert, and how large it was live before the run.
    fn each(&self) -> impl Iterator<Item = (&Arc<Alert>, Option<AlertSize>)> {
        self.alerts.iter().map(move |alert| (alert, self.before.0.get(&key_of(alert)).copied()))
    }
}

/// The last run of a detector.
#[derive(Debug)]
struct Ran {
    detector: String,
    found: RunAlerts,
}

/// The alerts of a case and the decisions about them.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    /// By the name of the run: each detector of our own is one.
    ran: BTreeMap<String, Ran>,
    /// All detectors of the case ran at least once.
    has_run: bool,
    /// The alerts of the last run of Sigma rules.
    rules: RunAlerts,
    /// Alerts that were sent live, and whether each goes on.
    live: Vec<(Arc<Alert>, bool)>,
    /// The ledger that `live` was read from: when it changed and how long it is.
    ledger: Option<(SystemTime, u64)>,
    triage: Triage,
    rows: Vec<InboxRow>,
    /// Of rows by their keys, and by those that their alerts had before they moved.
    places: HashMap<AlertKey, usize>,
    is_stale: bool,
    /// Grows with every change of rows or decisions.
    version: u64,
    order: Option<listing::Ordered>,
}

impl Inbox {
    /// The inbox of the case in this folder, as long as nothing has run.
    #[must_use]
    pub fn new(folder: PathBuf) -> Inbox {
        Inbox {
            folder,
            ran: BTreeMap::new(),
            has_run: false,
            rules: RunAlerts::default(),
            live: Vec::new(),
            ledger: None,
            triage: Triage::default(),
            rows: Vec::new(),
            places: HashMap::new(),
            is_stale: true,
            version: 0,
            order: None,
        }
    }

    /// How large live alerts are. To be called before a run takes its snapshot of the case.
    pub fn live_sizes(&mut self) -> LiveSizes {
        self.read_live();
        LiveSizes(Arc::new(self.live.iter().map(|(alert, _)| (key_of(alert), size(alert))).collect()))
    }

    /// Takes the alerts of one detector; `run` names it among those of the case, and `before` are the live alerts when it
    /// began.
    pub fn took_run(&mut self, run: &str, detector: &str, alerts: Vec<Alert>, before: &LiveSizes) {
        let ran = Ran { detector: detector.to_owned(), found: RunAlerts::new(alerts, before) };
        self.ran.insert(run.to_owned(), ran);
        self.is_stale = true;
    }

    /// All detectors ran: forgets those that are not among these runs.
    pub fn keep_runs(&mut self, runs: &HashSet<String>) {
        let before = self.ran.len();
        self.ran.retain(|run, _| runs.contains(run));
        self.is_stale |= self.ran.len() != before || !self.has_run;
        self.has_run = true;
    }

    /// Takes the alerts of Sigma rules, in place of those of an earlier run; `before` are the live alerts when it began.
    pub fn took_rules(&mut self, alerts: Vec<Alert>, before: &LiveSizes) {
        self.rules = RunAlerts::new(alerts, before);
        self.is_stale = true;
    }

    /// Reads the decisions and the live alerts since the last call.
    pub fn refresh(&mut self, engine: &Engine, now_ns: i64) -> Result<()> {
        self.is_stale |= self.triage.refresh(engine, now_ns)?;
        self.read_live();
        if self.is_stale {
            self.rebuild();
        }
        Ok(())
    }

    /// Reads the live alerts if they have changed since they were read.
    fn read_live(&mut self) {
        let file = ledger_file(&self.folder);
        let found = files::open(&file).and_then(|file| file.metadata()).ok();
        let stamp = found.and_then(|found| Some((found.modified().ok()?, found.len())));
        if stamp != self.ledger {
            self.ledger = stamp;
            let sent = ledger_messages(&self.folder).into_iter().filter(|message| !message.retracted);
            self.live = sent.map(live).collect();
            self.is_stale = true;
        }
    }

    fn rebuild(&mut self) {
        let (mut rows, mut places) = (Vec::<InboxRow>::new(), HashMap::new());
        // By row: how large its alert was live before the run that found it.
        let mut known_sizes: Vec<Option<AlertSize>> = Vec::new();
        let detected = self.ran.values().flat_map(|ran| ran.found.each());
        let detected = detected.map(|(alert, before)| (alert, AlertOrigin::Detector, false, before));
        let rules = self.rules.each().map(|(alert, before)| (alert, AlertOrigin::Sigma, false, before));
        let live = self.live.iter().map(|(alert, is_open)| (alert, AlertOrigin::Live, *is_open, None));
        for (alert, origin, is_open, before) in detected.chain(rules).chain(live) {
            let row = InboxRow::new(alert, origin);
            let place = *places.entry(row.key).or_insert(rows.len());
            let is_old = origin == AlertOrigin::Live && known_sizes.get(place) == Some(&Some(size(alert)));
            match rows.get_mut(place) {
                None => {
                    rows.push(row);
                    known_sizes.push(before);
                }
                // It has grown since its detector ran.
                Some(known) if size(&row.alert) > size(&known.alert) && !is_old => {
                    *known = InboxRow { origin: known.origin, is_open: known.is_open, ..row };
                }
                Some(_) => {}
            }
            rows[place].is_open |= is_open;
        }
        self.add_decisions(&mut rows, &mut places);
        (self.rows, self.places, self.order, self.is_stale) = (rows, places, None, false);
        self.version += 1;
    }

    /// Gives each alert the decisions about it, and adds the alerts with decisions that are not found any more.
    fn add_decisions(&self, rows: &mut Vec<InboxRow>, places: &mut HashMap<AlertKey, usize>) {
        let mut inherited: HashMap<usize, Vec<AlertKey>> = HashMap::new();
        for (key, place) in moved::heirs(rows, places, &self.triage) {
            inherited.entry(place).or_default().push(key);
            places.insert(key, place);
        }
        for (place, row) in rows.iter_mut().enumerate() {
            let moved = inherited.get(&place).into_iter().flatten();
            let parts = [&row.key].into_iter().chain(moved).filter_map(|key| self.triage.get(*key));
            row.triaged = merged(&parts.collect::<Vec<_>>());
        }
        for triaged in self.triage.united(|key| !places.contains_key(&key)) {
            let origin = AlertOrigin::named(&triaged.alert.origin);
            let gone = self.why_gone(&triaged.alert.detector, origin);
            places.extend(triaged.keys().map(|key| (key, rows.len())));
            let row = InboxRow::new(&Arc::new(restored(&triaged.alert)), origin);
            rows.push(InboxRow { gone, triaged: Some(triaged), ..row });
        }
    }

    /// Why an alert is not among those that were found, if that is known.
    fn why_gone(&self, detector: &str, origin: AlertOrigin) -> Option<AlertGone> {
        // Which rules there are besides those that ran last is not known.
        if origin != AlertOrigin::Detector {
            return None;
        }
        let is_known = self.ran.values().any(|ran| ran.detector == detector);
        if is_known { Some(AlertGone::Alert) } else { self.has_run.then_some(AlertGone::Detector) }
    }

    fn shown(row: &InboxRow, now_ns: i64) -> InboxAlert {
        let (state, extent) = (row.state(), extent_of(&row.alert));
        InboxAlert {
            key: row.key,
            origin: row.origin,
            open: row.is_open,
            gone: row.gone,
            status: row.status(now_ns),
            reason: state.and_then(|state| state.closed(extent)),
            since_closed: state.and_then(|state| state.since_closed(extent)),
            muted_until: state.and_then(|state| state.muted_until).map(Nanos),
            history: state.map(|state| state.history.clone()).unwrap_or_default(),
            alert: (*row.alert).clone(),
        }
    }

    /// An alert by its key, or by one that it had before it moved.
    #[must_use]
    pub fn get(&self, key: AlertKey, now_ns: i64) -> Option<InboxAlert> {
        self.places.get(&key).map(|&place| Inbox::shown(&self.rows[place], now_ns))
    }

    /// Whether a person does not want to hear of an alert: it, or its detector, is muted, or it was dealt with.
    #[must_use]
    pub fn is_quiet(&self, alert: &Alert, now_ns: i64) -> bool {
        let state = self.places.get(&key_of(alert)).and_then(|&place| self.rows[place].state());
        self.triage.is_muted(&alert.detector)
            || state.is_some_and(|state| state.status(extent_of(alert), now_ns) != TriageStatus::New)
    }

    /// New alerts of detectors that are not muted, the most serious first and at most so many; how many alerts have
    /// which state; and when a mute ends next.
    #[must_use]
    pub fn flags(&self, most: usize, now_ns: i64) -> InboxFlags {
        let mut counts = StatusCounts::default();
        let mut new: Vec<&InboxRow> = Vec::new();
        for row in &self.rows {
            let status = row.status(now_ns);
            counts.add(status);
            let has_time = row.alert.start.is_some() && row.alert.end.is_some();
            if status == TriageStatus::New && has_time && !self.triage.is_muted(&row.alert.detector) {
                new.push(row);
            }
        }
        let rank = |row: &&InboxRow| (std::cmp::Reverse((row.alert.severity, row.alert.start)), row.key);
        if new.len() > most {
            new.select_nth_unstable_by_key(most, rank);
            new.truncate(most);
        }
        new.sort_unstable_by_key(rank);
        let flag = |row: &InboxRow| AlertFlag {
            key: row.key,
            title: row.alert.title.clone(),
            severity: row.alert.severity,
            start: row.alert.start.map(Nanos),
            end: row.alert.end.map(Nanos),
            value: row.alert.value,
        };
        InboxFlags {
            counts,
            flags: new.into_iter().map(flag).collect(),
            wakes: self.triage.next_end(now_ns).map(Nanos),
        }
    }

    /// The alerts of these keys, or those of a filter, as a decision holds them. Refuses keys without an alert, and a
    /// filter that does not select the alerts that the person saw.
    pub fn chosen(&self, choice: &AlertChoice, now_ns: i64) -> Result<Vec<TriagedAlert>> {
        match choice {
            AlertChoice::Keys(seen) => self.of_keys(seen),
            AlertChoice::Matching { filter, expected, digest } => {
                let chosen: Vec<&InboxRow> = self.matching(filter, now_ns).collect();
                let number = chosen.len() as u64;
                if listing::digest_of(chosen.iter().copied()) != *digest || number != *expected {
                    return Err(other_alerts(*expected, number));
                }
                Ok(chosen.into_iter().map(held).collect())
            }
        }
    }

    /// Each alert once, also if it moved and is named by several keys, and without events that the person did not see.
    fn of_keys(&self, seen: &[SeenAlert]) -> Result<Vec<TriagedAlert>> {
        let mut unknown = Vec::new();
        let mut events: BTreeMap<usize, u64> = BTreeMap::new();
        for one in seen {
            let Some(&place) = self.places.get(&one.key) else {
                unknown.push(one.key);
                continue;
            };
            let least = events.entry(place).or_insert(self.rows[place].alert.events);
            *least = one.events.map_or(*least, |events| events.min(*least));
        }
        if !unknown.is_empty() {
            return Err(without_alert(&unknown));
        }
        Ok(events
            .into_iter()
            .map(|(place, events)| TriagedAlert { events, ..held(&self.rows[place]) })
            .collect())
    }
}

/// Alerts that are chosen for a decision.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AlertChoice {
    Keys(Vec<SeenAlert>),
    /// All that a filter selects. Alerts and events come while a person decides: `expected` is how many alerts the
    /// person saw, and `digest`, as the list has it, which.
    Matching {
        filter: AlertFilter,
        expected: u64,
        digest: String,
    },
}

/// An alert as a person saw it: events come while the person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeenAlert {
    pub key: AlertKey,
    /// How many events it had; null for those that it has now.
    pub events: Option<u64>,
}

/// Keys that an error names at most.
const NAMED_KEYS: usize = 5;

fn without_alert(keys: &[AlertKey]) -> Error {
    let named: Vec<String> = keys.iter().take(NAMED_KEYS).map(AlertKey::to_string).collect();
    let are = if keys.len() == 1 { "is no alert with the key" } else { "are no alerts with the keys" };
    let more = keys.len() - named.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let message = format!("there {are} {}{more}; nothing was changed", named.join(", "));
    Error::new(ErrorKind::BadRequest, message)
        .hint("look at the list again, and choose alerts that are in it")
}

fn other_alerts(expected: u64, number: u64) -> Error {
    let are = if number == 1 { "alert matches" } else { "alerts match" };
    let message = if number == expected {
        "the alerts that match are others than you decided about, or have other events; nothing was changed"
            .to_owned()
    } else {
        format!("{number} {are} now, not the {expected} that you decided about; nothing was changed")
    };
    Error::new(ErrorKind::BadRequest, message).hint("look at the list again, and repeat the decision")
}

/// What a case has of alerts, in short.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxFlags {
    pub counts: StatusCounts,
    pub flags: Vec<AlertFlag>,
    /// When a mute ends next, by the wall clock.
    pub wakes: Option<Nanos>,
}

/// A new alert on the timeline.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertFlag {
    pub key: AlertKey,
    pub title: String,
    pub severity: Severity,
    pub start: Option<Nanos>,
    pub end: Option<Nanos>,
    pub value: Option<f64>,
}

fn extent_of(alert: &Alert) -> AlertExtent {
    AlertExtent { events: alert.events, end: alert.end }
}

fn merged(parts: &[&Arc<Triaged>]) -> Option<Arc<Triaged>> {
    match parts {
        [one] => Some(Arc::clone(one)),
        several => Triaged::merged(several.iter().copied()).map(Arc::new),
    }
}

fn live(message: Message) -> (Arc<Alert>, bool) {
    (Arc::new(message.alert), message.open && message.state == State::Firing)
}

fn held(row: &InboxRow) -> TriagedAlert {
    let alert = &row.alert;
    TriagedAlert {
        key: row.key,
        origin: row.origin.name().to_owned(),
        detector: alert.detector.clone(),
        title: alert.title.clone(),
        severity: alert.severity.name().to_owned(),
        start: alert.start,
        end: alert.end,
        peak: alert.peak,
        events: alert.events,
        group: alert.group.clone(),
        value: alert.value,
        expected: alert.expected,
        query: alert.query.clone(),
        wider: alert.wider,
    }
}

fn restored(held: &TriagedAlert) -> Alert {
    Alert {
        detector: held.detector.clone(),
        title: held.title.clone(),
        severity: Severity::named(&held.severity).unwrap_or_default(),
        start: held.start,
        end: held.end,
        peak: held.peak,
        events: held.events,
        group: held.group.clone(),
        value: held.value,
        expected: held.expected,
        basis: None,
        query: held.query.clone(),
        wider: held.wider,
    }
}
