//! Detectors over a case that still grows. A [`Watch`] keeps what each detector needs of the past and takes what is new:
//! the cost is that of the new events. [`Watcher`] does so on a thread of its own and tells [`Message`]s.
//!
//! What it says is what `check` says: bins are judged when they are over, by the time of the data, and what is not simply
//! added up is read from the case once per bin. docs/detectors.md says how late events and open alerts are taken.

mod bins;
mod clock;
mod judge;
mod ledger;
mod recent;
mod rules;
mod times;
mod watcher;

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, Engine, ErrorKind, Marks, Moment, Result, Snapshot};
use serde::Serialize;

use self::bins::{BinReads, Bins};
use self::clock::DataClock;
use self::judge::{Current, judge};
use self::ledger::{Candidate, Judgement, Ledger};
use self::recent::Recent;
use self::rules::Rules;
use self::times::Times;
use crate::alert::Alert;
use crate::files::Detectors;
use crate::limits::WHOLE_SHARE;
use crate::measure::reads::Reads;
use crate::measure::series::Keys;
use crate::measure::{CheckScope, Condition, Detector};
use crate::problem::{Fault, Problem};

pub use ledger::{State, ledger_file, ledger_messages};
pub use watcher::{Deliveries, Watcher, WatcherEvent};

/// What is sent of an alert.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AlertMessage"))]
pub struct Message {
    /// The same in all messages of an alert, over restarts too.
    pub id: String,
    pub state: State,
    /// Whether it goes on.
    pub open: bool,
    /// It turned out to be none, because of events that came later.
    pub retracted: bool,
    pub alert: Alert,
}

/// How detectors are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct WatchOptions {
    /// So long after an alert, by the times of the events, another one of the same detector and group is not sent.
    pub cool_down: Duration,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions { cool_down: Duration::from_mins(5) }
    }
}

/// What came since the last refresh.
struct News {
    fresh: Snapshot,
    /// The seconds that new events are in, by their beginnings.
    fresh_seconds: BTreeSet<i64>,
    /// Those of segments in which new events were merged with known ones.
    mixed: Snapshot,
    mixed_seconds: BTreeSet<i64>,
}

/// What is kept of one detector.
enum Past {
    /// It could not be read; it is tried again when the case has other fields.
    Waiting {
        fields: Option<usize>,
    },
    Bins(Bins),
    Times(Times),
    /// It is evaluated over all of the history again, for a bounded part of the time.
    Whole {
        is_due: bool,
        rested: Instant,
    },
}

struct Track {
    detector: Detector,
    file: PathBuf,
    /// What it is known by: its name and its condition.
    key: String,
    /// What is read for its bins; nothing of conditions without any.
    wanted: Option<BinReads>,
    past: Past,
    /// The last problem that was said of it.
    said: Option<String>,
}

/// Detectors that watch a case.
pub struct Watch {
    tracks: Vec<Track>,
    reads: Reads,
    recent: Recent,
    rules: Rules,
    ledger: Ledger,
    clock: DataClock,
    /// What was taken so far; nothing before the first refresh.
    marks: Option<Marks>,
    cool_down: i64,
}

impl Watch {
    /// Detectors from what was sent of them on. The problem says that this could not be read.
    #[must_use]
    pub fn new(
        detectors: Detectors,
        case: &Case,
        options: &WatchOptions,
        moment: Moment,
    ) -> (Watch, Option<Problem>) {
        let (mut ledger, unread) = Ledger::read(case.folder());
        let problem = unread.map(|why| {
            let fault = Fault::new(0, format!("what was sent of alerts cannot be read: {why}"));
            let fault = fault.hint("alerts of the past are not sent again; the file is replaced");
            Problem::of_file(&case.folder().join("alerts.json"), fault)
        });
        let snapshot = case.snapshot();
        let end = snapshot.time_range().map(|(_, last)| last);
        let (measures, rules) = detectors.into_parts();
        let mut names = HashSet::new();
        let (mut tracks, mut reads) = (Vec::new(), Reads::default());
        for (detector, file) in measures {
            let mut key = format!("{} {:016x}", detector.name, hash([&*definition(&detector)]));
            if !names.insert(key.clone()) {
                key = format!("{key} {}", file.display());
            }
            ledger.detector(&key, end);
            let past = Past::Waiting { fields: None };
            let wanted = if detector.is_by_service() { None } else { BinReads::new(&detector, &mut reads) };
            let detector = detector.live();
            tracks.push(Track { detector, file, key, wanted, past, said: None });
        }
        let rules = Rules::new(rules, &mut ledger, &snapshot);
        let clock = DataClock::new(ledger.now(), moment);
        let cool_down = i64::try_from(options.cool_down.as_nanos()).unwrap_or(i64::MAX);
        let recent = Recent::default();
        (Watch { tracks, reads, recent, rules, ledger, clock, marks: None, cool_down }, problem)
    }

    /// Evaluates all detectors over what came since the last call, and gives problems that were not given before.
    /// What is to be sent is in [`Watch::pending`], and written to the case before this returns.
    pub fn refresh(
        &mut self,
        case: &Case,
        snapshot: &Snapshot,
        moment: Moment,
        cancel: &Cancel,
    ) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        let Some((_, newest)) = snapshot.time_range() else { return Ok(problems) };
        let now = self.clock.now(newest, moment);
        let news = News::since(case, snapshot, self.marks.as_ref(), cancel)?;
        let fields = Engine::field_names(snapshot);
        let scope = CheckScope { case, snapshot, range: (None, None), cancel };
        for track in &mut self.tracks {
            track.choose_service(&fields, &mut self.reads);
        }
        self.reads.begin(snapshot);
        self.recent.add(&news, snapshot, self.tracks.iter().filter_map(Track::reads_recent).max());
        for track in &mut self.tracks {
            if track.detector.lack(&fields).is_some() {
                continue;
            }
            let known = self.ledger.detector(&track.key, None);
            let (horizon, judged) = (known.horizon, known.judged);
            let tried = (fields.len(), judged.or(horizon));
            let candidates = match track.update(&mut self.reads, &scope, (&news, &self.recent, now), tried) {
                Ok(candidates) => candidates,
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => {
                    track.past = Past::Waiting { fields: Some(fields.len()) };
                    problems.extend(track.problem(&error));
                    continue;
                }
            };
            track.said = None;
            if let Some(candidates) = candidates {
                track.compare(&mut self.ledger, &candidates, self.cool_down);
            }
        }
        problems.extend(self.rules.refresh(&scope, (&news, now), &mut self.ledger, self.cool_down)?);
        self.marks = Some(self.marks.take().unwrap_or_default().covering(snapshot));
        self.recent.close();
        self.ledger.set_now(now);
        self.save()?;
        Ok(problems)
    }

    /// Messages that are to be delivered, until [`Watch::delivered`] is called with each.
    #[must_use]
    pub fn pending(&self) -> Vec<Message> {
        self.ledger.pending()
    }

    /// Alerts that were sent and go on, and the last of the others.
    #[must_use]
    pub fn shown(&self) -> Vec<Message> {
        self.ledger.shown()
    }

    /// Notes that a message was delivered; [`Watch::save`] makes that last.
    pub fn delivered(&mut self, message: &Message) {
        self.ledger.delivered(message);
    }

    /// Writes what is known of alerts to the case.
    pub fn save(&mut self) -> Result<()> {
        self.ledger.save().map_err(|error| {
            let message = format!("what was sent of alerts cannot be written: {error}");
            indexer::Error::new(ErrorKind::ReadOnly, message).hint("make room on the disk")
        })
    }
}

impl News {
    /// What is new in a snapshot; nothing before the first refresh, which reads the history.
    fn since(case: &Case, snapshot: &Snapshot, marks: Option<&Marks>, cancel: &Cancel) -> Result<News> {
        let news = match marks {
            Some(marks) => snapshot.since(marks),
            None => snapshot.since(&Marks::default().covering(snapshot)),
        };
        let seconds = |part: &Snapshot| -> Result<BTreeSet<i64>> {
            let mut seconds = BTreeSet::new();
            let of_rows = |rows: &indexer::SnapshotSegment<'_>| {
                let times = rows.times()?;
                let mut found: Vec<i64> = Vec::new();
                for time in (0..rows.len()).filter_map(|row| times.get(row)) {
                    let second = time - time.rem_euclid(1_000_000_000);
                    if found.last() != Some(&second) {
                        found.push(second);
                    }
                }
                Ok(found)
            };
            case.each_segment(part, cancel, of_rows, |found| {
                seconds.extend(found);
                Ok(())
            })?;
            Ok(seconds)
        };
        let (fresh_seconds, mixed_seconds) = (seconds(&news.fresh)?, seconds(&news.mixed)?);
        Ok(News { fresh: news.fresh, fresh_seconds, mixed: news.mixed, mixed_seconds })
    }

    fn is_empty(&self) -> bool {
        self.fresh_seconds.is_empty() && self.mixed_seconds.is_empty()
    }
}

/// The alerts of a detector as they are now.
enum Now {
    Intervals(Vec<Current>),
    Alerts(Vec<Alert>),
}

impl Track {
    /// Chooses the field that names the services, once the case has one. To be called before what is read begins.
    fn choose_service(&mut self, fields: &[String], reads: &mut Reads) {
        if self.detector.is_by_service() && self.detector.lack(fields).is_none() {
            self.detector = self.detector.for_fields(fields);
            self.wanted = BinReads::new(&self.detector, reads);
        }
    }

    /// The width of its bins, where they are read again from what came last.
    fn reads_recent(&self) -> Option<i64> {
        match &self.past {
            Past::Bins(bins) if bins.reads_recent => Some(bins.width),
            _ => None,
        }
    }

    /// Takes what is new. Nothing where no alert can have changed.
    fn update(
        &mut self,
        reads: &mut Reads,
        scope: &CheckScope<'_>,
        (news, recent, now): (&News, &Recent, i64),
        (fields, judged): (usize, Option<i64>),
    ) -> Result<Option<Now>> {
        let detector = &self.detector;
        if let Past::Waiting { fields: tried } = self.past {
            if tried == Some(fields) {
                return Ok(None);
            }
            self.past = match &detector.condition {
                Condition::Pattern(_) => Past::Whole { is_due: true, rested: Instant::now() },
                Condition::Sequence(one) => Past::Times(Times::read(detector, one, scope, now)?),
                _ => match self.wanted.map(|wanted| Bins::read(detector, wanted, reads, (scope, now))) {
                    Some(bins) => {
                        let mut bins = bins?;
                        bins.judged = judged.map_or(i64::MIN, |judged| bins.floor(judged));
                        bins.groups.values_mut().for_each(|group| group.is_changed = true);
                        Past::Bins(bins)
                    }
                    None => return Ok(None),
                },
            };
        } else {
            match (&mut self.past, &detector.condition) {
                (Past::Bins(bins), _) => bins.update(detector, reads, scope, (news, recent, now))?,
                (Past::Times(times), Condition::Sequence(one)) => {
                    times.update(detector, one, scope, (news, now))?;
                }
                (Past::Whole { is_due, .. }, _) => *is_due |= !news.is_empty(),
                _ => {}
            }
        }
        Ok(match (&mut self.past, &detector.condition) {
            (Past::Bins(bins), _) => {
                let found = judge(detector, bins, now);
                bins.trim(detector);
                found.map(Now::Intervals)
            }
            (Past::Times(times), Condition::Sequence(one)) => times.judge(one, now).map(|found| {
                let current = |(keys, interval)| Current { keys, interval, is_open: false };
                Now::Intervals(found.into_iter().map(current).collect())
            }),
            (Past::Whole { is_due, rested }, _) if *is_due && *rested <= Instant::now() => {
                let began = Instant::now();
                let found = detector.evaluate(scope)?;
                (*is_due, *rested) = (false, Instant::now() + began.elapsed() * WHOLE_SHARE);
                Some(Now::Alerts(found.alerts))
            }
            _ => None,
        })
    }

    /// Compares what it says now with what was sent.
    fn compare(&self, ledger: &mut Ledger, now: &Now, cool_down: i64) {
        let detector = &self.detector;
        let is_whole = !matches!(detector.condition, Condition::Anomaly(_) | Condition::Pattern(_));
        let since = match &self.past {
            Past::Bins(bins) => bins.cut,
            Past::Times(times) => times.cut,
            Past::Waiting { .. } | Past::Whole { .. } => i64::MIN,
        };
        // A group that was silent for too long to be in what is kept may be silent still.
        let followed: Option<HashSet<Vec<String>>> = match (&self.past, &detector.condition) {
            (Past::Bins(bins), Condition::Absence(_)) => Some(bins.groups.keys().map(shown).collect()),
            _ => None,
        };
        let is_followed = |group: &[(String, String)]| {
            let values = || group.iter().map(|(_, value)| value.clone()).collect::<Vec<String>>();
            followed.as_ref().is_none_or(|followed| followed.contains(&values()))
        };
        let by_start = matches!(detector.condition, Condition::Pattern(_));
        let judgement = Judgement { since, is_whole, is_followed: &is_followed, cool_down, by_start };
        let filter = match &detector.condition {
            Condition::Sequence(sequence) => sequence.evidence(detector),
            _ => detector.evidence(),
        };
        let of_interval = |current: &'_ Current| Candidate {
            group: detector.by.iter().cloned().zip(shown(&current.keys)).collect(),
            start: current.interval.start,
            end: current.interval.end,
            is_open: current.is_open,
            events: current.interval.events,
            value: Some(current.interval.value),
            alert: Box::new({
                let (current, filter) = (current.clone(), filter.clone());
                move || detector.alert(&current.keys, &current.interval, &filter)
            }),
        };
        let candidates: Vec<Candidate<'_>> = match now {
            Now::Intervals(found) => found.iter().map(of_interval).collect(),
            Now::Alerts(alerts) => alerts.iter().map(Candidate::of_events).collect(),
        };
        ledger.take(&self.key, &candidates, &judgement);
        if let (Past::Bins(bins), Condition::Anomaly(_)) = (&self.past, &detector.condition) {
            ledger.set_judged(&self.key, bins.frontier);
        }
    }

    /// A problem that was not said before.
    fn problem(&mut self, error: &indexer::Error) -> Option<Problem> {
        let name = &self.detector.name;
        let message = format!("the detector `{name}` cannot run over this case: {}", error.message());
        if self.said.as_ref() == Some(&message) {
            return None;
        }
        self.said = Some(message.clone());
        let hint = error.hint_text().unwrap_or("check the names of its fields with `timberline info CASE`");
        let hint = format!("{hint}; it is tried again when other fields come");
        Some(Problem::of_file(&self.file, Fault::new(self.detector.line, message).hint(hint)))
    }
}

impl<'a> Candidate<'a> {
    /// Of an alert that is about events, and does not go on.
    fn of_events(alert: &'a Alert) -> Candidate<'a> {
        Candidate {
            group: alert.group.clone(),
            start: alert.start.unwrap_or(i64::MIN),
            end: alert.end.unwrap_or(i64::MIN),
            is_open: false,
            events: alert.events,
            value: alert.value,
            alert: Box::new(|| alert.clone()),
        }
    }
}

fn shown(keys: &Keys) -> Vec<String> {
    keys.iter().map(|key| key.clone().unwrap_or_default()).collect()
}

/// What a detector evaluates. Another title, description or severity leaves it the same.
fn definition(detector: &Detector) -> String {
    format!("{} {:?}", detector.reads(), detector.condition)
}

/// FNV-1a: the same in all versions and on all machines.
fn hash<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let bytes = texts.into_iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod service_tests;
#[cfg(test)]
mod tests;
