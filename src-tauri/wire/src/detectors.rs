//! Detectors on the screen: those of a case, what they find, and one of them tried on all of the time.
//!
//! A detector of a case is a note of the kind `detector`, whose text is the TOML of a file. So it is saved, shared and
//! taken back as other notes are.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use detect::measure::{
    CheckScope, Detector, Firing, History, KeyChange, Level, Points, Tally, WrittenKey, tally, text_of,
    with_keys, with_level, with_service, written_keys,
};
use detect::{Alert, Detectors, Problem, Severity, Verdict, run_one, starters};
use indexer::{Cancel, Case, Engine, Nanos, Snapshot};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds};
use crate::patterns::TimeSpan;
use crate::session::{Call, Session, locked};
use crate::types::{CasePath, Empty, ErrorCode, WireError};

/// The kind of notes that are detectors.
const KIND: &str = "detector";

/// Back-tests whose events need not be read again: the one that is shown, and some that a person goes back to.
const KEPT: usize = 4;

/// Alerts that are listed of one detector, the first; all are counted.
const LISTED: usize = 500;

/// The most slots of time that a back-test is drawn in.
pub(crate) const MOST_SLOTS: usize = 4_000;

/// Groups that are drawn, those with the most events.
const MOST_GROUPS: usize = 12;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorList {
    pub detectors: Vec<DetectorEntry>,
    pub problems: Vec<Problem>,
}

/// A detector as a screen lists it. The engine's holds how it is evaluated.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorEntry {
    /// The id of its note, or its file where it comes with the program.
    pub file: String,
    /// Whether it is of the case.
    pub own: bool,
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub severity: Severity,
    /// `threshold`, `absence`, `anomaly`, `pattern` or `sequence`.
    pub condition: String,
    pub measure: Option<String>,
    pub query: String,
    pub by: Vec<String>,
    /// Where it begins in its text.
    pub line: u32,
    /// The TOML of its note, or of it alone where it comes with the program.
    pub text: String,
    pub level: Option<Level>,
    /// Whether the case has the fields that it needs.
    pub applicable: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorText {
    pub case: String,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeDetectorRequest {
    pub text: String,
    /// The detector; the first one of the text if none has this name.
    pub name: String,
    /// In their order.
    pub changes: Vec<KeyChange>,
}

/// A text of detectors, with the keys of one of them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorKeys {
    pub text: String,
    /// Null if the text is no TOML or has no detector; it is unchanged then.
    pub keys: Option<Vec<WrittenKey>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunDetectorsRequest {
    pub case: String,
}

/// What one detector found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorRun {
    pub name: String,
    /// The id of its note, or its file where it comes with the program.
    pub file: String,
    /// Its place among all, from 1, and how many those are.
    pub done: u32,
    pub total: u32,
    pub applicable: bool,
    pub verdict: Verdict,
    pub tally: Tally,
    /// The first of its alerts.
    pub listed: Vec<Alert>,
    /// Why it could not run or cannot say anything, or a remark about it.
    pub problem: Option<Problem>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DetectorRuns {
    pub revision: u64,
    pub runs: Vec<DetectorRun>,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BackTestRequest {
    pub case: String,
    /// The TOML that the detector is in.
    pub text: String,
    pub name: String,
    /// Slots of time that it is drawn in.
    pub slots: u32,
    /// Times that are known to be bad, both ends included.
    pub truth: Vec<TimeSpan>,
    /// Whether to choose its level instead of taking the written one.
    pub suggest: bool,
    /// For that: where it should fire.
    pub within: Option<TimeSpan>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BackTest {
    pub revision: u64,
    /// The first and last instant that was looked at; null in an empty case.
    pub ends: Option<TimeSpan>,
    /// The measure by group, those with the most events; empty where the condition measures nothing over time.
    pub groups: Vec<Points>,
    /// How many groups there are.
    pub all_groups: u64,
    pub tried: TriedLevel,
    /// What to know about it.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TryLevelRequest {
    pub case: String,
    pub text: String,
    pub name: String,
    pub level: f64,
    pub slots: u32,
    pub truth: Vec<TimeSpan>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TriedLevel {
    pub level: Option<Level>,
    /// The TOML with this level in it.
    pub text: String,
    pub verdict: Verdict,
    pub tally: Tally,
    /// When something fired, no finer than slots.
    pub spans: Vec<TimeSpan>,
    /// The first of its alerts.
    pub listed: Vec<Alert>,
    pub elapsed_ms: f64,
}

/// What back-tests have read, the last used first.
#[derive(Debug, Default)]
pub struct KeptHistories(Vec<KeptHistory>);

#[derive(Debug)]
struct KeptHistory {
    case: String,
    revision: u64,
    reads: String,
    history: Arc<History>,
}

impl KeptHistories {
    fn find(&mut self, case: &str, revision: u64, detector: &Detector) -> Option<Arc<History>> {
        let reads = detector.reads();
        let is_it = |kept: &KeptHistory| {
            kept.case == case
                && kept.revision == revision
                && kept.reads == reads
                && kept.history.serves(detector)
        };
        let at = self.0.iter().position(is_it)?;
        let kept = self.0.remove(at);
        let history = Arc::clone(&kept.history);
        self.0.insert(0, kept);
        Some(history)
    }

    fn keep(&mut self, case: &str, revision: u64, detector: &Detector, history: &Arc<History>) {
        let reads = detector.reads();
        self.0.retain(|kept| kept.case != case || kept.revision == revision && kept.reads != reads);
        self.0.truncate(KEPT - 1);
        let (case, history) = (case.to_owned(), Arc::clone(history));
        self.0.insert(0, KeptHistory { case, revision, reads, history });
    }
}

pub fn detectors(
    session: &Session,
    _: &Call<'_>,
    request: &CasePath,
    _: &dyn Fn(Empty),
) -> Answer<DetectorList> {
    let case = session.case(Path::new(&request.path))?;
    let own = own_texts(&case)?;
    Ok(list(&own, starters(), &case.snapshot()))
}

pub fn read_detectors(
    session: &Session,
    _: &Call<'_>,
    request: &DetectorText,
    _: &dyn Fn(Empty),
) -> Answer<DetectorList> {
    let case = session.case(Path::new(&request.case))?;
    Ok(list(&[(String::new(), request.text.clone())], &[], &case.snapshot()))
}

// Every call has this shape.
#[allow(clippy::unnecessary_wraps)]
pub fn change_detector(
    _: &Session,
    _: &Call<'_>,
    ChangeDetectorRequest { text, name, changes }: &ChangeDetectorRequest,
    _: &dyn Fn(Empty),
) -> Answer<DetectorKeys> {
    let changed = with_keys(text, name, changes);
    let keys = changed.as_ref().and_then(|text| written_keys(text, name));
    Ok(DetectorKeys { text: changed.unwrap_or_else(|| text.clone()), keys })
}

/// The texts of a case's own detectors, by the ids of their notes.
pub(crate) fn own_texts(case: &Case) -> Answer<Vec<(String, String)>> {
    // Of all notes nothing is written here, so the time does not matter.
    let notes = case.notes(None, 0)?.notes;
    Ok(notes.into_iter().filter(|note| note.kind == KIND).map(|note| (note.id, note.text)).collect())
}

/// Whether a detector comes with the program and the case has one of its name: that is the one that is meant.
pub(crate) fn replaced(all: &Detectors, detector: &Detector, file: &Path) -> bool {
    let is_starter = |file: &Path| starters().iter().any(|(name, _)| Path::new(name) == file);
    is_starter(file) && all.measures().any(|(other, place)| other.name == detector.name && !is_starter(place))
}

fn list(own: &[(String, String)], starters: &[(&str, &str)], snapshot: &Snapshot) -> DetectorList {
    let fields = Engine::field_names(snapshot);
    let (mut entries, mut problems): (Vec<DetectorEntry>, _) = (Vec::new(), Vec::new());
    let own = own.iter().map(|(file, text)| (&**file, &**text, true));
    for (file, text, own) in own.chain(starters.iter().map(|&(file, text)| (file, text, false))) {
        let read = Detectors::of_texts([(file, text)]);
        problems.extend(read.problems().iter().cloned());
        let entry = |(detector, _): (&Detector, &Path)| {
            let applicable = detector.lack(&fields).is_none();
            let detector = detector.for_fields(&fields);
            DetectorEntry {
                file: file.to_owned(),
                own,
                condition: detector.kind().to_owned(),
                measure: detector.measure(),
                query: detector.filter.to_string(),
                line: detector.line as u32,
                text: if own { text.to_owned() } else { with_service(text_of(text, &detector), &fields) },
                level: detector.level(),
                applicable,
                name: detector.name,
                title: detector.title,
                description: detector.description,
                severity: detector.severity,
                by: detector.by,
            }
        };
        entries.extend(read.measures().map(entry));
    }
    let named: HashSet<String> =
        entries.iter().filter(|entry| entry.own).map(|entry| entry.name.clone()).collect();
    entries.retain(|entry| entry.own || !named.contains(&entry.name));
    DetectorList { detectors: entries, problems }
}

pub fn run_detectors(
    session: &Session,
    call: &Call<'_>,
    request: &RunDetectorsRequest,
    report: &dyn Fn(DetectorRun),
) -> Answer<DetectorRuns> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let inbox = session.inbox(&case);
    let before = locked(&inbox).live_sizes();
    let snapshot = case.snapshot();
    let own = own_texts(&case)?;
    let own = own.iter().map(|(file, text)| (&**file, &**text));
    let detectors = Detectors::of_texts(own.chain(starters().iter().copied()));
    let fields = Engine::field_names(&snapshot);
    let scope = CheckScope { case: &case, snapshot: &snapshot, range: (None, None), cancel: &call.cancel };
    let shown: Vec<_> = detectors.measures().filter(|(one, file)| !replaced(&detectors, one, file)).collect();
    let total = shown.len() as u32;
    let mut runs = Vec::new();
    let mut names = HashSet::new();
    for (detector, file) in shown {
        let tested = run_one(detector, file, &scope, &fields)?;
        let run = DetectorRun {
            name: detector.name.clone(),
            file: file.to_string_lossy().into_owned(),
            done: runs.len() as u32 + 1,
            total,
            applicable: tested.is_applicable,
            verdict: tested.verdict,
            tally: tally(&firings(detector, &tested.alerts), scope.ends().unwrap_or_default(), &[]),
            listed: tested.alerts.iter().take(LISTED).cloned().collect(),
            problem: tested.problem,
        };
        let name = format!("{} {}", file.display(), detector.name);
        locked(&inbox).took_run(&name, &detector.name, tested.alerts, &before);
        names.insert(name);
        report(run.clone());
        runs.push(run);
    }
    locked(&inbox).keep_runs(&names);
    Ok(DetectorRuns { revision: snapshot.revision(), runs, elapsed_ms: milliseconds(started) })
}

fn firings(detector: &Detector, alerts: &[Alert]) -> Vec<Firing> {
    alerts.iter().filter_map(|alert| detector.firing_of(alert)).collect()
}

/// The detector of a text that is called so, for the fields of a case. What is wrong with it is an error with its line,
/// and so is a field that it needs and the case has not.
fn named(text: &str, name: &str, snapshot: &Snapshot) -> Answer<Detector> {
    let read = Detectors::of_texts([("", text)]);
    if let Some((detector, _)) = read.measures().find(|(detector, _)| detector.name == name) {
        let fields = Engine::field_names(snapshot);
        return match detector.lack(&fields) {
            None => Ok(detector.for_fields(&fields)),
            Some((lack, hint)) => {
                let message = format!("The detector `{name}` cannot say anything over this case: {lack}.");
                Err(WireError { hint: Some(hint), ..WireError::new(ErrorCode::BadRequest, message) })
            }
        };
    }
    let error = match read.problems().first() {
        Some(problem) => WireError {
            hint: problem.hint.clone(),
            ..WireError::new(ErrorCode::BadRequest, format!("Line {}: {}.", problem.line, problem.message))
        },
        None => WireError::new(ErrorCode::BadRequest, format!("No detector here is called `{name}`.")),
    };
    Err(error)
}

impl Session {
    /// What the last back-tests have read.
    pub(crate) fn kept_histories(&self) -> MutexGuard<'_, KeptHistories> {
        locked(self.part::<Mutex<KeptHistories>>())
    }
}

/// What a detector reads of the events: as it was kept, or read now.
pub(crate) fn history(
    session: &Session,
    case: &Case,
    snapshot: &Snapshot,
    detector: &Detector,
    cancel: &Cancel,
) -> Answer<Option<Arc<History>>> {
    let path = case.folder().to_string_lossy();
    if let Some(kept) = session.kept_histories().find(&path, snapshot.revision(), detector) {
        return Ok(Some(kept));
    }
    let scope = CheckScope { case, snapshot, range: (None, None), cancel };
    let Some(history) = History::read(detector, &scope)? else { return Ok(None) };
    let history = Arc::new(history.kept(detector));
    session.kept_histories().keep(&path, snapshot.revision(), detector, &history);
    Ok(Some(history))
}

pub fn back_test(
    session: &Session,
    call: &Call<'_>,
    request: &BackTestRequest,
    _: &dyn Fn(Empty),
) -> Answer<BackTest> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let mut detector = named(&request.text, &request.name, &snapshot)?;
    let scope = CheckScope { case: &case, snapshot: &snapshot, range: (None, None), cancel: &call.cancel };
    let history = history(session, &case, &snapshot, &detector, &call.cancel)?;
    let suggested = history.as_ref().filter(|_| request.suggest).and_then(|history| {
        let within = request.within.map(|span| (span.from.0, span.to.0));
        history.suggested(&detector, within)
    });
    if let Some(level) = suggested {
        detector = detector.at_level(level);
    }
    let attempt = Attempt::new(&request.text, &detector, &request.truth, request.slots, started);
    let (tried, remark, groups, all_groups) = if let Some(history) = &history {
        let groups = history.points(&detector, attempt.slots, MOST_GROUPS);
        (attempt.over(history), None, groups, history.groups.len() as u64)
    } else {
        // The case is empty, or the condition measures nothing over time.
        let found = detector.evaluate(&scope)?;
        let ends = scope.ends().unwrap_or_default();
        let fired = firings(&detector, &found.alerts);
        let listed = found.alerts.into_iter().take(LISTED).collect();
        (attempt.tried(&fired, found.verdict, listed, ends), found.remark, Vec::new(), 0)
    };
    Ok(BackTest {
        revision: snapshot.revision(),
        ends: scope.ends().map(|(from, to)| TimeSpan { from: Nanos(from), to: Nanos(to) }),
        groups,
        all_groups,
        tried,
        remark: remark.map(|(message, hint)| format!("{message}; {hint}")),
    })
}

pub fn try_level(
    session: &Session,
    call: &Call<'_>,
    request: &TryLevelRequest,
    _: &dyn Fn(Empty),
) -> Answer<TriedLevel> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let detector = named(&request.text, &request.name, &snapshot)?.at_level(request.level);
    let attempt = Attempt::new(&request.text, &detector, &request.truth, request.slots, started);
    let history = history(session, &case, &snapshot, &detector, &call.cancel)?;
    history.map(|history| attempt.over(&history)).ok_or_else(|| {
        let message = format!("The detector `{}` has no level that could be tried.", request.name);
        WireError::new(ErrorCode::BadRequest, message)
    })
}

/// A detector that is tried, what it is compared with, and what it is drawn in.
struct Attempt<'a> {
    text: &'a str,
    detector: &'a Detector,
    truth: &'a [TimeSpan],
    slots: usize,
    started: Instant,
}

impl<'a> Attempt<'a> {
    fn new(
        text: &'a str,
        detector: &'a Detector,
        truth: &'a [TimeSpan],
        slots: u32,
        started: Instant,
    ) -> Attempt<'a> {
        Attempt { text, detector, truth, slots: (slots as usize).clamp(1, MOST_SLOTS), started }
    }

    fn over(&self, history: &History) -> TriedLevel {
        let (found, verdict) = self.detector.judge(history);
        let fired: Vec<Firing> = found.iter().map(|(_, interval)| self.detector.firing(interval)).collect();
        let listed = found.iter().take(LISTED).map(|one| self.detector.alert_of(history, one)).collect();
        self.tried(&fired, verdict, listed, history.ends)
    }

    fn tried(&self, fired: &[Firing], verdict: Verdict, listed: Vec<Alert>, ends: (i64, i64)) -> TriedLevel {
        let bad: Vec<(i64, i64)> = self.truth.iter().map(|span| (span.from.0, span.to.0)).collect();
        TriedLevel {
            level: self.detector.level(),
            verdict,
            tally: tally(fired, ends, &bad),
            text: with_level(self.text, self.detector).unwrap_or_else(|| self.text.to_owned()),
            spans: drawn(fired, (ends.1 - ends.0) / self.slots as i64),
            listed,
            elapsed_ms: milliseconds(self.started),
        }
    }
}

/// Intervals that a slot would not separate are one.
fn drawn(fired: &[Firing], slot: i64) -> Vec<TimeSpan> {
    let mut spans: Vec<(i64, i64)> = fired.iter().map(|one| (one.start, one.end)).collect();
    spans.sort_unstable();
    let mut merged: Vec<TimeSpan> = Vec::new();
    for (from, to) in spans {
        match merged.last_mut() {
            Some(last) if from <= last.to.0.saturating_add(slot) => last.to.0 = last.to.0.max(to),
            _ => merged.push(TimeSpan { from: Nanos(from), to: Nanos(to) }),
        }
    }
    merged
}
