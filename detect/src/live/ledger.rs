//! Which alerts were sent, so that each is sent once, over restarts too. It is kept in the case as `alerts.json`.
//!
//! An alert of a detector is known by its group and by times that overlap: its interval grows, and late events move its
//! start. A message is written here before it is delivered and forgotten when it was, so that a crash loses none; one that
//! was being delivered then is delivered again with the same id.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indexer::{Marks, Snapshot, files};
use serde::{Deserialize, Serialize};

use super::{Message, hash};
use crate::alert::{Alert, Basis, Severity};
use crate::limits::KNOWN_ALERTS;

const FILE: &str = "alerts.json";
const VERSION: u32 = 1;

/// What a message says of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AlertState"))]
pub enum State {
    Firing,
    Resolved,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// How far the time of the data was.
    now: Option<i64>,
    /// How far rules were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marks: Option<Marks>,
    detectors: BTreeMap<String, Known>,
}

/// What is known of one detector.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Known {
    /// What ended before this is history, and is not sent.
    pub horizon: Option<i64>,
    /// Of anomalies: up to where bins were judged.
    pub judged: Option<i64>,
    alerts: Vec<SentAlert>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shown {
    /// The cool-down kept it quiet.
    Never,
    Firing,
    Over,
}

#[derive(Debug, Serialize, Deserialize)]
struct SentAlert {
    id: String,
    is_open: bool,
    /// It turned out to be no alert.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_none: bool,
    shown: Shown,
    alert: KeptAlert,
    /// What is not delivered yet: the state, and whether the alert turned out to be none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pending: Vec<(State, bool)>,
}

/// An alert in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptAlert {
    detector: String,
    title: String,
    severity: String,
    start: Option<i64>,
    end: Option<i64>,
    peak: Option<i64>,
    events: u64,
    group: Vec<(String, String)>,
    value: Option<f64>,
    expected: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    query: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wider: bool,
}

impl From<Alert> for KeptAlert {
    fn from(alert: Alert) -> KeptAlert {
        KeptAlert {
            detector: alert.detector,
            title: alert.title,
            severity: alert.severity.name().to_owned(),
            start: alert.start,
            end: alert.end,
            peak: alert.peak,
            events: alert.events,
            group: alert.group,
            value: alert.value,
            expected: alert.expected,
            basis: alert.basis,
            query: alert.query,
            wider: alert.wider,
        }
    }
}

impl From<KeptAlert> for Alert {
    fn from(kept: KeptAlert) -> Alert {
        Alert {
            detector: kept.detector,
            title: kept.title,
            severity: Severity::named(&kept.severity).unwrap_or_default(),
            start: kept.start,
            end: kept.end,
            peak: kept.peak,
            events: kept.events,
            group: kept.group,
            value: kept.value,
            expected: kept.expected,
            basis: kept.basis,
            query: kept.query,
            wider: kept.wider,
        }
    }
}

impl SentAlert {
    /// The times of it; without times it is a moment before all others.
    fn span(&self) -> (i64, i64) {
        span(self.alert.start, self.alert.end)
    }
}

fn span(start: Option<i64>, end: Option<i64>) -> (i64, i64) {
    (start.unwrap_or(i64::MIN), end.unwrap_or(i64::MIN))
}

/// An alert as it is now, before it is known whether it has to be sent.
pub struct Candidate<'a> {
    pub group: Vec<(String, String)>,
    pub start: i64,
    pub end: i64,
    pub is_open: bool,
    pub events: u64,
    pub value: Option<f64>,
    /// Makes the alert.
    pub alert: Box<dyn Fn() -> Alert + 'a>,
}

/// The file of a case that lists the messages that were sent.
#[must_use]
pub fn ledger_file(case: &Path) -> PathBuf {
    case.join(FILE)
}

/// The alerts that were sent live in a case: those that go on, and the last of the others. None if the file cannot be read.
#[must_use]
pub fn ledger_messages(case: &Path) -> Vec<Message> {
    Ledger::read(case).0.shown()
}

/// The fields of a group with their values.
type AlertGroup = [(String, String)];

/// How candidates are to be taken.
pub struct Judgement<'a> {
    /// Alerts that began before are final, because what led to them is not kept.
    pub since: i64,
    /// An alert since then that is no candidate is none any more. Otherwise it is over.
    pub is_whole: bool,
    /// Whether a group is followed, so that its alerts are candidates.
    pub is_followed: &'a dyn Fn(&AlertGroup) -> bool,
    /// So long after an alert another one of the same group is not sent.
    pub cool_down: i64,
    /// What began before detectors were evaluated is history, even where it goes on.
    pub by_start: bool,
}

/// What was sent of all detectors of a case.
#[derive(Debug)]
pub struct Ledger {
    file: PathBuf,
    kept: Kept,
    is_changed: bool,
}

impl Ledger {
    /// Reads what is known. The error says that there is a file that cannot be read; then nothing is known.
    pub fn read(case: &Path) -> (Ledger, Option<String>) {
        let file = ledger_file(case);
        let ledger = |kept| Ledger { file: file.clone(), kept, is_changed: false };
        let text = match files::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (ledger(Kept::default()), None),
            Err(error) => return (ledger(Kept::default()), Some(error.to_string())),
        };
        match serde_json::from_slice::<Kept>(&text) {
            Ok(kept) if kept.version == VERSION => (ledger(kept), None),
            Ok(kept) => (ledger(Kept::default()), Some(format!("it is of version {}", kept.version))),
            Err(error) => (ledger(Kept::default()), Some(error.to_string())),
        }
    }

    pub fn now(&self) -> Option<i64> {
        self.kept.now
    }

    pub fn set_now(&mut self, now: i64) {
        self.kept.now = Some(now);
    }

    pub fn marks(&self) -> Option<&Marks> {
        self.kept.marks.as_ref()
    }

    /// Notes that rules were evaluated over a snapshot.
    pub fn cover(&mut self, snapshot: &Snapshot) {
        let marks = self.kept.marks.clone().unwrap_or_default().covering(snapshot);
        self.is_changed |= self.kept.marks.as_ref() != Some(&marks);
        self.kept.marks = Some(marks);
    }

    /// What is known of a detector. Of one that is seen for the first time, everything up to the end of the data is
    /// history.
    pub fn detector(&mut self, key: &str, end_of_data: Option<i64>) -> &mut Known {
        if !self.kept.detectors.contains_key(key) {
            self.is_changed = true;
            self.kept.detectors.insert(key.to_owned(), Known { horizon: end_of_data, ..Known::default() });
        }
        self.kept.detectors.entry(key.to_owned()).or_default()
    }

    /// Notes up to where the bins of a detector were judged.
    pub fn set_judged(&mut self, key: &str, judged: i64) {
        let known = self.detector(key, None);
        let is_new = known.judged != Some(judged);
        known.judged = Some(judged);
        self.is_changed |= is_new;
    }

    /// Messages that are to be delivered, of the detectors given.
    pub fn pending(&self) -> Vec<Message> {
        let of_alert = |sent: &SentAlert| {
            let message = |&(state, retracted): &(State, bool)| Message {
                id: sent.id.clone(),
                state,
                open: sent.is_open && state == State::Firing,
                retracted,
                alert: sent.alert.clone().into(),
            };
            sent.pending.iter().map(message).collect::<Vec<_>>()
        };
        self.kept.detectors.values().flat_map(|known| known.alerts.iter().flat_map(of_alert)).collect()
    }

    /// Alerts that were sent and go on, and the last of the others.
    pub fn shown(&self) -> Vec<Message> {
        let of_alert = |sent: &SentAlert| {
            let state = match sent.shown {
                Shown::Never => return None,
                Shown::Firing => State::Firing,
                Shown::Over => State::Resolved,
            };
            let (id, alert) = (sent.id.clone(), sent.alert.clone().into());
            Some(Message { id, state, open: sent.is_open, retracted: sent.is_none, alert })
        };
        self.kept.detectors.values().flat_map(|known| known.alerts.iter().filter_map(of_alert)).collect()
    }

    /// A message was delivered.
    pub fn delivered(&mut self, message: &Message) {
        for sent in self.kept.detectors.values_mut().flat_map(|known| &mut known.alerts) {
            if sent.id == message.id {
                let before = sent.pending.len();
                if let Some(at) = sent.pending.iter().position(|(state, _)| *state == message.state) {
                    sent.pending.remove(at);
                }
                self.is_changed |= sent.pending.len() != before;
            }
        }
    }

    /// Writes what changed: a temporary file, fsync, rename, fsync of the folder.
    pub fn save(&mut self) -> io::Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        self.kept.version = VERSION;
        let text = serde_json::to_vec(&self.kept)?;
        let new = self.file.with_extension("json.new");
        let mut file = files::create_temporary(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        files::rename(&new, &self.file)?;
        if let Some(folder) = self.file.parent() {
            files::sync_folder(folder)?;
        }
        self.is_changed = false;
        Ok(())
    }

    /// Compares what a detector says now with what was sent.
    pub fn take(&mut self, key: &str, candidates: &[Candidate<'_>], judgement: &Judgement<'_>) {
        let known = self.detector(key, None);
        let mut changed = known.take(key, candidates, judgement);
        changed |= known.bound();
        self.is_changed |= changed;
    }
}

impl Known {
    fn take(&mut self, key: &str, candidates: &[Candidate<'_>], judgement: &Judgement<'_>) -> bool {
        let mut changed = false;
        let mut seen = vec![false; self.alerts.len()];
        let mut by_group: BTreeMap<Vec<(String, String)>, Vec<usize>> = BTreeMap::new();
        for (index, sent) in self.alerts.iter().enumerate() {
            by_group.entry(sent.alert.group.clone()).or_default().push(index);
        }
        for candidate in candidates {
            let of_group = by_group.entry(candidate.group.clone()).or_default();
            let mut meeting = of_group.iter().copied().filter(|&index| {
                let (start, end) = self.alerts[index].span();
                start <= candidate.end && candidate.start <= end
            });
            let found = meeting.next();
            // Late events made one of several.
            let others: Vec<usize> = meeting.collect();
            for other in others {
                seen[other] = true;
                changed |= self.alerts[other].end(true);
            }
            if let Some(index) = found {
                seen[index] = true;
                changed |= self.alerts[index].follow(candidate, judgement.cool_down);
                continue;
            }
            let moment = if judgement.by_start { candidate.start } else { candidate.end };
            if self.horizon.is_some_and(|horizon| moment <= horizon) {
                continue;
            }
            let is_quiet = of_group.iter().any(|&index| {
                let sent = &self.alerts[index];
                sent.shown != Shown::Never && {
                    let pause = candidate.start.saturating_sub(sent.span().1);
                    judgement.cool_down > 0 && (0..judgement.cool_down).contains(&pause)
                }
            });
            let shown = match (is_quiet, candidate.is_open) {
                (true, _) => Shown::Never,
                (false, true) => Shown::Firing,
                (false, false) => Shown::Over,
            };
            of_group.push(self.alerts.len());
            seen.push(true);
            self.alerts.push(SentAlert {
                id: id(key, candidate),
                is_open: candidate.is_open,
                is_none: false,
                shown,
                alert: (candidate.alert)().into(),
                pending: if is_quiet { Vec::new() } else { vec![(State::Firing, false)] },
            });
            changed = true;
        }
        for (sent, _) in self.alerts.iter_mut().zip(seen).filter(|(_, seen)| !seen) {
            if (judgement.is_followed)(&sent.alert.group) {
                let is_none = judgement.is_whole && sent.span().0 >= judgement.since;
                changed |= sent.end(is_none);
            }
        }
        changed
    }

    /// Keeps the newest alerts; what is forgotten is history.
    fn bound(&mut self) -> bool {
        if self.alerts.len() <= KNOWN_ALERTS {
            return false;
        }
        self.alerts.sort_by_key(SentAlert::span);
        let mut surplus = self.alerts.len() - KNOWN_ALERTS / 2;
        let mut horizon = self.horizon;
        self.alerts.retain(|sent| {
            let goes = surplus > 0 && !sent.is_open && sent.pending.is_empty();
            if goes {
                surplus -= 1;
                horizon = horizon.max(Some(sent.span().1));
            }
            !goes
        });
        self.horizon = horizon;
        true
    }
}

impl SentAlert {
    /// Takes its interval as it is now.
    fn follow(&mut self, candidate: &Candidate<'_>, cool_down: i64) -> bool {
        let span = (candidate.start, candidate.end);
        let is_alike = self.alert.events == candidate.events && self.alert.value == candidate.value;
        if self.span() == span && is_alike && self.is_open == candidate.is_open && !self.is_none {
            return false;
        }
        let pause = candidate.end.saturating_sub(self.span().1);
        let is_same = self.is_open == candidate.is_open && !std::mem::take(&mut self.is_none);
        self.alert = (candidate.alert)().into();
        match (self.is_open, candidate.is_open) {
            (true, false) => {
                self.end(false);
            }
            (false, true) => {
                self.is_open = true;
                // It was over, and goes on after all.
                if self.shown == Shown::Over && pause >= cool_down {
                    self.shown = Shown::Firing;
                    self.pending.push((State::Firing, false));
                }
            }
            _ => {}
        }
        // That it grew need not be written: it is found again by where it overlaps.
        !is_same
    }

    /// It is over.
    fn end(&mut self, is_none: bool) -> bool {
        let was = (std::mem::take(&mut self.is_open), std::mem::replace(&mut self.is_none, is_none));
        if self.shown == Shown::Firing {
            self.shown = Shown::Over;
            self.pending.push((State::Resolved, is_none));
        }
        was != (false, is_none)
    }
}

/// What an alert is known by outside: the same whenever it is sent.
fn id(key: &str, candidate: &Candidate<'_>) -> String {
    let start = candidate.start.to_string();
    let group = candidate.group.iter().flat_map(|(name, value)| [&**name, &**value]);
    format!("{:016x}", hash([key].into_iter().chain(group).chain([&*start])))
}
