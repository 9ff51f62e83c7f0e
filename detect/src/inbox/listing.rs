//! The list of an inbox: which alerts it shows, in which order, and in which groups.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use indexer::Nanos;
use indexer::triage::{AlertKey, TriageStatus};
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use serde::{Deserialize, Serialize};

use super::{AlertOrigin, Inbox, InboxAlert, InboxRow};
use crate::alert::Severity;

/// Alerts that span more than this are grouped by days instead of hours.
const HOURS_AT_MOST: i64 = 2 * 24 * 3_600 * 1_000_000_000;

/// Rows of one answer at most.
const MOST_LINES: usize = 1_000;

/// Which alerts are listed. Empty lists and texts ask for all.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertFilter {
    /// Words that the title, the detector or the entity contains, or a comment.
    pub text: String,
    pub statuses: Vec<TriageStatus>,
    pub severities: Vec<Severity>,
    pub origins: Vec<AlertOrigin>,
    pub detector: Option<String>,
    pub entity: Option<String>,
    /// Alerts that begin at this time or later.
    pub from: Option<Nanos>,
    /// Alerts that begin before this time.
    pub to: Option<Nanos>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AlertSort {
    #[default]
    Time,
    Severity,
    Title,
    Entity,
    Events,
    Status,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AlertGrouping {
    #[default]
    None,
    Detector,
    Entity,
    Time,
}

/// A part of the list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxRequest {
    pub filter: AlertFilter,
    pub sort: AlertSort,
    pub descending: bool,
    pub grouping: AlertGrouping,
    /// The groups whose alerts are listed.
    pub unfolded: Vec<String>,
    /// The zone of days and hours; null is UTC.
    pub zone: Option<String>,
    pub first: u64,
    pub count: u32,
    /// An alert whose details are asked for.
    pub selected: Option<AlertKey>,
}

/// How many alerts have which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatusCounts {
    pub new: u64,
    pub acknowledged: u64,
    pub muted: u64,
    pub closed: u64,
}

impl StatusCounts {
    pub(super) fn add(&mut self, status: TriageStatus) {
        match status {
            TriageStatus::New => self.new += 1,
            TriageStatus::Acknowledged => self.acknowledged += 1,
            TriageStatus::Muted => self.muted += 1,
            TriageStatus::Closed => self.closed += 1,
        }
    }
}

/// How many alerts have which severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeverityCount {
    pub severity: Severity,
    pub alerts: u64,
}

/// The heading of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxGroup {
    pub key: String,
    /// The title of the detector, or the entity; empty of a time, and of alerts without an entity.
    pub label: String,
    /// Where the hour or the day begins.
    pub from: Option<Nanos>,
    /// Where it ends; not included.
    pub to: Option<Nanos>,
    pub alerts: u64,
    /// Which alerts these are, for a decision about them.
    pub digest: String,
    pub counts: StatusCounts,
    /// The highest of its alerts.
    pub severity: Severity,
    pub unfolded: bool,
}

/// A line of the list: an alert, or the heading of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxLine {
    pub alert: Option<InboxAlert>,
    pub group: Option<InboxGroup>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxPage {
    /// All alerts of the case.
    pub total: u64,
    /// The alerts that the filter lets through.
    pub matching: u64,
    /// Which alerts these are, for a decision about them.
    pub digest: String,
    /// Lines of the whole list, with the headings of groups.
    pub lines_total: u64,
    pub first: u64,
    pub lines: Vec<InboxLine>,
    /// By state, of the alerts that all of the filter but its states lets through.
    pub statuses: StatusCounts,
    /// By severity, of the alerts that all of the filter but its severities lets through.
    pub severities: Vec<SeverityCount>,
    pub selected: Option<InboxAlert>,
}

/// A line of the list, before it is written out.
#[derive(Debug)]
enum Line {
    Row(usize),
    Group(Box<InboxGroup>),
}

/// The list in its order, for the next parts of it.
#[derive(Debug)]
pub(super) struct Ordered {
    request: InboxRequest,
    version: u64,
    /// When a mute ends, and the list is another one.
    until: Option<i64>,
    matching: u64,
    digest: String,
    lines: Vec<Line>,
    statuses: StatusCounts,
    severities: [u64; Severity::ALL.len()],
}

/// A filter that is ready to be evaluated.
struct Matcher<'f> {
    filter: &'f AlertFilter,
    words: Vec<String>,
}

impl<'f> Matcher<'f> {
    fn new(filter: &'f AlertFilter) -> Matcher<'f> {
        Matcher { filter, words: filter.text.split_whitespace().map(str::to_lowercase).collect() }
    }

    /// Whether everything but states and severities lets a row through.
    fn lets_through(&self, row: &InboxRow) -> bool {
        let AlertFilter { origins, detector, entity, from, to, .. } = self.filter;
        let start = row.alert.start;
        (origins.is_empty() || origins.contains(&row.origin))
            && detector.as_ref().is_none_or(|detector| *detector == row.alert.detector)
            && entity.as_ref().is_none_or(|entity| *entity == row.entity)
            && from.is_none_or(|from| start.is_some_and(|start| start >= from.0))
            && to.is_none_or(|to| start.is_some_and(|start| start < to.0))
            && self.words.iter().all(|word| row.text.contains(word) || has_comment(row, word))
    }

    fn has_status(&self, status: TriageStatus) -> bool {
        self.filter.statuses.is_empty() || self.filter.statuses.contains(&status)
    }

    fn has_severity(&self, row: &InboxRow) -> bool {
        self.filter.severities.is_empty() || self.filter.severities.contains(&row.alert.severity)
    }
}

fn has_comment(row: &InboxRow, word: &str) -> bool {
    row.state()
        .is_some_and(|state| state.history.iter().any(|entry| entry.text.to_lowercase().contains(word)))
}

/// The same for the same alerts with the same numbers of events, in any order.
pub(super) fn digest_of<'a>(rows: impl Iterator<Item = &'a InboxRow>) -> String {
    let digest = rows.fold(0_u64, |sum, row| {
        let mut hasher = DefaultHasher::new();
        (row.key, row.alert.events).hash(&mut hasher);
        sum.wrapping_add(hasher.finish())
    });
    format!("{digest:016x}")
}

impl Inbox {
    /// The alerts that a filter lets through, in no order.
    pub(super) fn matching<'a>(
        &'a self,
        filter: &'a AlertFilter,
        now_ns: i64,
    ) -> impl Iterator<Item = &'a InboxRow> + 'a {
        let matcher = Matcher::new(filter);
        self.rows.iter().filter(move |row| {
            matcher.has_severity(row) && matcher.has_status(row.status(now_ns)) && matcher.lets_through(row)
        })
    }

    /// A part of the list.
    pub fn list(&mut self, request: &InboxRequest, now_ns: i64) -> InboxPage {
        let asked = InboxRequest { first: 0, count: 0, selected: None, ..request.clone() };
        let is_current = |order: &Ordered| {
            order.request == asked
                && order.version == self.version
                && order.until.is_none_or(|until| now_ns < until)
        };
        let kept = self.order.take().filter(is_current);
        let order = kept.unwrap_or_else(|| self.ordered(asked, now_ns));
        let first = (request.first as usize).min(order.lines.len());
        let count = (request.count as usize).min(MOST_LINES);
        let lines = order.lines[first..].iter().take(count).map(|line| match line {
            Line::Row(place) => {
                InboxLine { alert: Some(Inbox::shown(&self.rows[*place], now_ns)), group: None }
            }
            Line::Group(group) => InboxLine { alert: None, group: Some((**group).clone()) },
        });
        let severities = Severity::ALL.iter().zip(order.severities).rev();
        let page = InboxPage {
            total: self.rows.len() as u64,
            matching: order.matching,
            digest: order.digest.clone(),
            lines_total: order.lines.len() as u64,
            first: first as u64,
            lines: lines.collect(),
            statuses: order.statuses,
            severities: severities.map(|(&severity, alerts)| SeverityCount { severity, alerts }).collect(),
            selected: request.selected.and_then(|key| self.get(key, now_ns)),
        };
        self.order = Some(order);
        page
    }

    fn ordered(&self, request: InboxRequest, now_ns: i64) -> Ordered {
        let matcher = Matcher::new(&request.filter);
        let mut statuses = StatusCounts::default();
        let mut severities = [0; Severity::ALL.len()];
        let mut found: Vec<(usize, TriageStatus)> = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            if !matcher.lets_through(row) {
                continue;
            }
            let status = row.status(now_ns);
            let (has_status, has_severity) = (matcher.has_status(status), matcher.has_severity(row));
            if has_severity {
                statuses.add(status);
            }
            if has_status {
                severities[row.alert.severity as usize] += 1;
            }
            if has_status && has_severity {
                found.push((place, status));
            }
        }
        self.sort(&mut found, &request);
        let lines = match request.grouping {
            AlertGrouping::None => found.iter().map(|&(place, _)| Line::Row(place)).collect(),
            grouping => self.grouped(&found, grouping, &request),
        };
        Ordered {
            version: self.version,
            until: self.triage.next_end(now_ns),
            matching: found.len() as u64,
            digest: digest_of(found.iter().map(|&(place, _)| &self.rows[place])),
            lines,
            statuses,
            severities,
            request,
        }
    }

    fn sort(&self, found: &mut [(usize, TriageStatus)], request: &InboxRequest) {
        let by = |compare: &dyn Fn(&InboxRow, TriageStatus, &InboxRow, TriageStatus) -> Ordering,
                  found: &mut [(usize, TriageStatus)]| {
            found.sort_unstable_by(|&(one, its), &(other, others)| {
                let (one, other) = (&self.rows[one], &self.rows[other]);
                let order = compare(one, its, other, others);
                let order = if request.descending { order.reverse() } else { order };
                // The newest of equal ones is first.
                order.then_with(|| other.alert.start.cmp(&one.alert.start)).then(one.key.cmp(&other.key))
            });
        };
        match request.sort {
            AlertSort::Time => by(&|a, _, b, _| a.alert.start.cmp(&b.alert.start), found),
            AlertSort::Severity => by(&|a, _, b, _| a.alert.severity.cmp(&b.alert.severity), found),
            AlertSort::Title => by(&|a, _, b, _| a.alert.title.cmp(&b.alert.title), found),
            AlertSort::Entity => by(&|a, _, b, _| a.entity.cmp(&b.entity), found),
            AlertSort::Events => by(&|a, _, b, _| a.alert.events.cmp(&b.alert.events), found),
            AlertSort::Status => by(&|_, a, _, b| a.cmp(&b), found),
        }
    }

    fn grouped(
        &self,
        found: &[(usize, TriageStatus)],
        grouping: AlertGrouping,
        request: &InboxRequest,
    ) -> Vec<Line> {
        let bins = (grouping == AlertGrouping::Time).then(|| self.bins(found, request.zone.as_deref()));
        let unfolded: HashSet<&str> = request.unfolded.iter().map(String::as_str).collect();
        let mut groups: Vec<(InboxGroup, Vec<usize>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for &(place, status) in found {
            let row = &self.rows[place];
            let bin = bins.as_ref().and_then(|bins| bins.bin(row.alert.start?));
            let key = match grouping {
                AlertGrouping::Detector => row.alert.detector.clone(),
                AlertGrouping::Entity => row.entity.clone(),
                _ => bin.map_or_else(String::new, |(from, _)| from.to_string()),
            };
            let at = places.get(&key).copied().unwrap_or_else(|| {
                let label = match grouping {
                    AlertGrouping::Detector => row.alert.title.clone(),
                    AlertGrouping::Entity => row.entity.clone(),
                    _ => String::new(),
                };
                let group = InboxGroup {
                    key: key.clone(),
                    label,
                    from: bin.map(|(from, _)| Nanos(from)),
                    to: bin.map(|(_, to)| Nanos(to)),
                    alerts: 0,
                    digest: String::new(),
                    counts: StatusCounts::default(),
                    severity: Severity::Informational,
                    unfolded: unfolded.contains(key.as_str()),
                };
                places.insert(key, groups.len());
                groups.push((group, Vec::new()));
                groups.len() - 1
            });
            let (group, rows) = &mut groups[at];
            group.alerts += 1;
            group.counts.add(status);
            group.severity = group.severity.max(row.alert.severity);
            rows.push(place);
        }
        for (group, rows) in &mut groups {
            group.digest = digest_of(rows.iter().map(|&place| &self.rows[place]));
        }
        groups.sort_by(|(a, _), (b, _)| match grouping {
            AlertGrouping::Time => b.from.cmp(&a.from),
            // Groups with new alerts first, the most serious of them before the others.
            _ => (b.counts.new > 0, b.severity, b.counts.new, b.alerts)
                .cmp(&(a.counts.new > 0, a.severity, a.counts.new, a.alerts))
                .then_with(|| a.label.cmp(&b.label)),
        });
        let mut lines = Vec::new();
        for (group, rows) in groups {
            let is_unfolded = group.unfolded;
            lines.push(Line::Group(Box::new(group)));
            if is_unfolded {
                lines.extend(rows.into_iter().map(Line::Row));
            }
        }
        lines
    }

    fn bins(&self, found: &[(usize, TriageStatus)], zone: Option<&str>) -> CalendarBins {
        let starts = || found.iter().filter_map(|&(place, _)| self.rows[place].alert.start);
        let span = starts().max().zip(starts().min()).map_or(0, |(last, first)| last.saturating_sub(first));
        let zone = zone.and_then(|zone| TimeZone::get(zone).ok()).unwrap_or(TimeZone::UTC);
        CalendarBins { zone, are_days: span > HOURS_AT_MOST }
    }
}

/// Hours or days of a zone.
struct CalendarBins {
    zone: TimeZone,
    are_days: bool,
}

impl CalendarBins {
    /// Where the hour or day of a time begins and ends; none of a time that a calendar does not have.
    fn bin(&self, time_ns: i64) -> Option<(i64, i64)> {
        let time = Timestamp::from_nanosecond(i128::from(time_ns)).ok()?.to_zoned(self.zone.clone());
        let (begin, next) = if self.are_days {
            let begin = time.start_of_day().ok()?;
            let next = begin.tomorrow().ok()?;
            (begin, next)
        } else {
            let clock = civil::time(time.hour(), 0, 0, 0);
            let within = time.datetime().duration_since(time.date().to_datetime(clock));
            let begin = time.checked_sub(within).ok()?;
            let next = begin.checked_add(jiff::SignedDuration::from_hours(1)).ok()?;
            (begin, next)
        };
        let nanos = |time: &jiff::Zoned| i64::try_from(time.timestamp().as_nanosecond()).ok();
        Some((nanos(&begin)?, nanos(&next)?))
    }
}
