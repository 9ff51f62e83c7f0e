//! Sigma rules on the screen: what a folder of rules found in a case, the events of one rule, and filters that leave a value
//! out of one. A filter is a note of the case, so that it is saved, shared and taken back as other notes are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use detect::sigma::{
    Entities, EventGroup, FoundRule, HitPage, HitsOf, MatchedField, OtherGroups, RuleAbout, RuleEntry,
    RuleState, TechniqueCoverage, bin_width,
};
use detect::{Alert, Detectors, Problem, ReadOptions, Report, Scope, Severity, filters_of};
use indexer::{Case, EventId, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds};
use crate::patterns::TimeSpan;
use crate::session::{Call, Session, locked};
use crate::types::{Empty, ErrorCode, WireError};

/// Alerts that are listed of one rule, those with the most events; all are counted.
const LISTED: usize = 100;

/// Problems, and reasons why rules cannot match, that are listed; all are counted.
const REASONS: usize = 100;

/// Rules that are named for one such reason.
const NAMED: usize = 10;

/// The most events of one page of a rule, and how far a person can turn the pages.
const MOST_HITS: u32 = 200;
const MOST_SKIPPED: u32 = 10_000;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunRulesRequest {
    pub case: String,
    /// Files and folders with Sigma rules.
    pub paths: Vec<String>,
}

/// What rules found: the rules that fired, and what the others could see.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleRuns {
    pub revision: u64,
    /// Rules that were read.
    pub rules: u64,
    /// Of them, how many had events to look at.
    pub applicable: u64,
    /// The most serious first; of those alike in the order of time.
    pub fired: Vec<FiredRule>,
    /// How many rules and correlations of each log source are about a technique, and could see it or fired.
    pub coverage: Vec<TechniqueCoverage>,
    /// Why rules cannot match, the reasons of the most rules first.
    pub blind: Vec<BlindRules>,
    /// The first of what is wrong with files, and how much there is.
    pub problems: Vec<Problem>,
    pub all_problems: u64,
    /// Filters of the case that were read.
    pub filters: u64,
    /// The width of bins of `noise`, and the times of the case that they cover; both ends included.
    pub bin: Nanos,
    pub ends: Option<TimeSpan>,
    pub elapsed_ms: f64,
}

/// What fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum FiredKind {
    Rule,
    Correlation,
    /// A detector of our own that is in the folder.
    Detector,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FiredRule {
    pub kind: FiredKind,
    /// Its id.
    pub name: String,
    pub title: String,
    pub severity: Severity,
    /// Empty for detectors of our own.
    pub file: String,
    pub about: RuleAbout,
    pub events: u64,
    /// How many alerts there are; the first are listed.
    pub alerts: u64,
    /// Of a rule one for each host, user and process; of a correlation one for each interval.
    pub listed: Vec<Alert>,
    /// Of a rule: who each listed alert is about.
    pub entities: Vec<Entities>,
    /// Of a rule: its events whose hosts, users and processes are too many to be alerts of their own, as one more alert.
    pub others: Option<Alert>,
    /// Of those events, the ones whose hosts, users and processes are not counted one by one. Listed alerts may have some.
    pub uncounted: u64,
    /// Bins of time with events of a rule.
    pub noise: Vec<NoiseBin>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoiseBin {
    pub start: Nanos,
    pub events: u64,
}

/// What rules miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Blindness {
    /// Fields without which they cannot match.
    Fields,
    /// Fields that only a part of their condition is about.
    SomeFields,
    /// Events of their log source.
    Source,
}

/// Rules that miss the same.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BlindRules {
    pub blindness: Blindness,
    /// The log source, or the names of the fields.
    pub missing: String,
    pub rules: u64,
    /// The titles of the first.
    pub titles: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleHitsRequest {
    pub case: String,
    /// The files and folders that the rules were run from: filters of any of them narrow the rule.
    pub paths: Vec<String>,
    /// The file of the rule or correlation, and its id.
    pub file: String,
    pub rule: String,
    /// Only events of these.
    pub entities: Option<Entities>,
    /// Of a correlation: only events of an alert.
    pub interval: Option<AlertInterval>,
    pub skip: u32,
    pub take: u32,
}

/// The times of an alert of a correlation, both included, and the values that it is grouped by.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlertInterval {
    pub start: Nanos,
    pub end: Nanos,
    pub keys: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleHitList {
    /// How many events of these the rule matches. Of a correlation an event counts for each rule that matches it.
    pub matches: u64,
    pub hits: Vec<RuleHitRow>,
    /// So many are listed at most.
    pub most: u32,
    /// The file of the rule; of a correlation its own first, then those of its rules.
    pub texts: Vec<RuleText>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleText {
    pub file: String,
    pub text: String,
}

/// An event that a rule matched, and the values that made it match.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleHitRow {
    /// The id of the rule, which of a correlation is one of its rules, and its title.
    pub rule: String,
    pub title: String,
    pub event: EventId,
    pub source: String,
    pub line: u64,
    pub time: Option<Nanos>,
    pub entities: Entities,
    pub fields: Vec<MatchedField>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExclusionRequest {
    pub case: String,
    /// The files and folders that the rules were run from.
    pub paths: Vec<String>,
    pub rule: String,
    pub field: String,
    pub value: String,
}

/// A Sigma filter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Exclusion {
    pub text: String,
}

/// The rules that were read last. Each look at their matches would read a folder with thousands of them again.
#[derive(Default)]
struct LastRules(Mutex<Option<Arc<ReadRules>>>);

struct ReadRules {
    case: PathBuf,
    paths: Vec<String>,
    filters: Vec<(String, String)>,
    detectors: Detectors,
}

/// Reads rules with the filters of the case.
fn read(session: &Session, case: &Case, paths: &[String]) -> Answer<Arc<ReadRules>> {
    let options = ReadOptions { filters: filters_of(case)?, ..ReadOptions::default() };
    let files: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let detectors = Detectors::read(&files, &options);
    let ReadOptions { filters, .. } = options;
    let case = case.folder().to_path_buf();
    let read = Arc::new(ReadRules { case, paths: paths.to_vec(), filters, detectors });
    *locked(&session.part::<LastRules>().0) = Some(Arc::clone(&read));
    Ok(read)
}

/// The rules as they ran last; read again if others, or those of another case, ran since.
fn last_read(session: &Session, case: &Case, paths: &[String]) -> Answer<Arc<ReadRules>> {
    let filters = filters_of(case)?;
    let is_same =
        |read: &&Arc<ReadRules>| read.case == case.folder() && read.paths == paths && read.filters == filters;
    let last = locked(&session.part::<LastRules>().0).as_ref().filter(is_same).map(Arc::clone);
    last.map_or_else(|| read(session, case, paths), Ok)
}

pub fn run_rules(
    session: &Session,
    call: &Call<'_>,
    request: &RunRulesRequest,
    _: &dyn Fn(Empty),
) -> Answer<RuleRuns> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let inbox = session.inbox(&case);
    let before = locked(&inbox).live_sizes();
    let snapshot = case.snapshot();
    let read = read(session, &case, &request.paths)?;
    let rules = &read.detectors;
    let report = rules.check(&case, &snapshot, &Scope::default(), &call.cancel)?;
    let entries: Vec<RuleEntry<'_>> = rules.rules().rules().collect();
    locked(&inbox).took_rules(inbox_alerts(&entries, &report), &before);
    let coverage = rules.rules().coverage(&report.states);
    let all: Vec<RuleEntry<'_>> = entries.iter().copied().chain(rules.rules().correlations()).collect();
    let blind = blind(&all, &report);
    let all_problems = (rules.problems().len() + report.problems.len()) as u64;
    let problems = rules.problems().iter().chain(&report.problems).take(REASONS).cloned().collect();
    let applicable = report.applicable as u64;
    Ok(RuleRuns {
        revision: snapshot.revision(),
        rules: rules.len() as u64,
        applicable,
        fired: fired(rules, &entries, report),
        coverage,
        blind,
        problems,
        all_problems,
        filters: read.filters.len() as u64,
        bin: Nanos(snapshot.time_range().map_or(0, |(from, to)| bin_width(from, to))),
        ends: snapshot.time_range().map(|(from, to)| TimeSpan { from: Nanos(from), to: Nanos(to) }),
        elapsed_ms: milliseconds(started),
    })
}

fn alert_of(entry: &RuleEntry<'_>, group: &EventGroup) -> Alert {
    let of_entities = group.entities.each().map(|one| (one.field.clone(), one.value.clone()));
    Alert {
        detector: entry.id.to_owned(),
        title: entry.title.to_owned(),
        severity: entry.severity,
        start: group.first,
        end: group.last,
        peak: None,
        events: group.events,
        group: of_entities.collect(),
        value: Some(group.events as f64),
        expected: None,
        basis: None,
        query: group.query.clone(),
        wider: group.is_wider,
    }
}

/// The alert of the events that are in none of the groups of a rule.
fn alert_of_others(entry: &RuleEntry<'_>, others: &OtherGroups) -> Alert {
    Alert {
        detector: entry.id.to_owned(),
        title: entry.title.to_owned(),
        severity: entry.severity,
        start: others.first,
        end: others.last,
        peak: None,
        events: others.events,
        group: vec![("host, user, process".to_owned(), "others".to_owned())],
        value: Some(others.events as f64),
        expected: None,
        basis: None,
        query: others.query.clone(),
        wider: true,
    }
}

/// What the inbox lists: an alert for each host, user and process of a rule, and those of correlations and detectors.
fn inbox_alerts(entries: &[RuleEntry<'_>], report: &Report) -> Vec<Alert> {
    let of_rule = |found: &FoundRule| {
        let entry = &entries[found.rule];
        let groups = found.groups.iter().map(|group| alert_of(entry, group));
        groups.chain(found.others.iter().map(|others| alert_of_others(entry, others))).collect::<Vec<_>>()
    };
    let rules: HashSet<&str> = report.found.iter().map(|found| entries[found.rule].id).collect();
    let others = report.alerts.iter().filter(|alert| !rules.contains(&*alert.detector)).cloned();
    report.found.iter().flat_map(of_rule).chain(others).collect()
}

fn fired(rules: &Detectors, entries: &[RuleEntry<'_>], report: Report) -> Vec<FiredRule> {
    let mut fired = Vec::new();
    let mut of_rules: HashMap<&str, u64> = HashMap::new();
    for found in report.found {
        let entry = &entries[found.rule];
        *of_rules.entry(entry.id).or_default() += 1;
        let listed = found.groups.len().min(LISTED);
        fired.push(FiredRule {
            events: found.events,
            alerts: found.groups.len() as u64 + u64::from(found.others.is_some()),
            others: found.others.as_ref().map(|others| alert_of_others(entry, others)),
            uncounted: found.others.as_ref().map_or(0, |others| others.uncounted),
            listed: found.groups[..listed].iter().map(|group| alert_of(entry, group)).collect(),
            entities: found.groups[..listed].iter().map(|group| group.entities.clone()).collect(),
            noise: found
                .noise
                .iter()
                .map(|&(start, events)| NoiseBin { start: Nanos(start), events })
                .collect(),
            ..of_entry(FiredKind::Rule, entry)
        });
    }
    // Correlations, and detectors of our own that are in the folder.
    let correlations: HashMap<&str, RuleEntry<'_>> =
        rules.rules().correlations().map(|entry| (entry.id, entry)).collect();
    let mut others: BTreeMap<String, FiredRule> = BTreeMap::new();
    for alert in report.alerts {
        // Each rule that fired has one alert of its own.
        if let Some(left) = of_rules.get_mut(&*alert.detector).filter(|left| **left > 0) {
            *left -= 1;
            continue;
        }
        let rule = others.entry(alert.detector.clone()).or_insert_with(|| {
            match correlations.get(&*alert.detector) {
                Some(entry) => of_entry(FiredKind::Correlation, entry),
                None => FiredRule {
                    kind: FiredKind::Detector,
                    name: alert.detector.clone(),
                    title: alert.title.clone(),
                    severity: alert.severity,
                    file: String::new(),
                    about: RuleAbout::default(),
                    events: 0,
                    alerts: 0,
                    listed: Vec::new(),
                    entities: Vec::new(),
                    others: None,
                    uncounted: 0,
                    noise: Vec::new(),
                },
            }
        });
        rule.alerts += 1;
        rule.events += alert.events;
        if rule.listed.len() < LISTED {
            rule.listed.push(alert);
        }
    }
    fired.extend(others.into_values());
    let start = |rule: &FiredRule| rule.listed.iter().filter_map(|alert| alert.start).min();
    fired.sort_by_key(|rule| (std::cmp::Reverse(rule.severity), start(rule)));
    fired
}

fn of_entry(kind: FiredKind, entry: &RuleEntry<'_>) -> FiredRule {
    FiredRule {
        kind,
        name: entry.id.to_owned(),
        title: entry.title.to_owned(),
        severity: entry.severity,
        file: entry.file.to_string_lossy().into_owned(),
        about: entry.about.clone(),
        events: 0,
        alerts: 0,
        listed: Vec::new(),
        entities: Vec::new(),
        others: None,
        uncounted: 0,
        noise: Vec::new(),
    }
}

fn blind(entries: &[RuleEntry<'_>], report: &Report) -> Vec<BlindRules> {
    let titles: HashMap<&str, &str> = entries.iter().map(|entry| (entry.id, entry.title)).collect();
    let mut reasons: BTreeMap<(Blindness, String), Vec<&str>> = BTreeMap::new();
    for (entry, state) in entries.iter().zip(&report.states) {
        if *state == RuleState::NoSource {
            let source = (Blindness::Source, entry.about.log_source.clone());
            reasons.entry(source).or_default().push(entry.title);
        }
    }
    for missing in &report.missing_fields {
        let blindness = if missing.cannot_match { Blindness::Fields } else { Blindness::SomeFields };
        let title = titles.get(&*missing.rule).copied().unwrap_or(&missing.rule);
        reasons.entry((blindness, missing.fields.join(", "))).or_default().push(title);
    }
    let mut blind: Vec<BlindRules> = reasons
        .into_iter()
        .map(|((blindness, missing), titles)| BlindRules {
            blindness,
            missing,
            rules: titles.len() as u64,
            titles: titles.into_iter().take(NAMED).map(str::to_owned).collect(),
        })
        .collect();
    blind.sort_by_key(|reason| (reason.blindness, std::cmp::Reverse(reason.rules)));
    blind
}

pub fn rule_hits(
    session: &Session,
    call: &Call<'_>,
    request: &RuleHitsRequest,
    _: &dyn Fn(Empty),
) -> Answer<RuleHitList> {
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let read = last_read(session, &case, &request.paths)?;
    let rules = read.detectors.rules();
    let place =
        rules.find(Path::new(&request.file), &request.rule).ok_or_else(|| unknown_rule(&request.rule))?;
    let (of, range) = match (&request.interval, &request.entities) {
        (Some(AlertInterval { start, end, keys }), _) => {
            (HitsOf::Keys(keys.clone()), (Some(start.0), end.0.checked_add(1)))
        }
        (None, Some(entities)) => (HitsOf::Entities(entities.clone()), (None, None)),
        (None, None) => (HitsOf::All, (None, None)),
    };
    let page = HitPage {
        of,
        range,
        skip: request.skip.min(MOST_SKIPPED) as usize,
        take: request.take.min(MOST_HITS) as usize,
    };
    let found = read.detectors.hits(place, &case, &snapshot, &page, &call.cancel)?;
    let sources = snapshot.sources();
    let titles: HashMap<&str, &str> = rules.rules().map(|entry| (entry.id, entry.title)).collect();
    let row = |hit: detect::sigma::RuleHit| RuleHitRow {
        title: titles.get(&*hit.rule).map_or_else(String::new, |title| (*title).to_owned()),
        rule: hit.rule,
        event: EventId { source: hit.event.0, offset: hit.event.1 },
        source: sources.get(hit.event.0 as usize).map_or_else(String::new, |source| source.name.clone()),
        line: hit.line,
        time: hit.time.map(Nanos),
        entities: hit.entities,
        fields: hit.fields,
    };
    // Files of rules were read a moment ago; one that has gone since has no text to show.
    let text = |file: &Path| RuleText {
        file: file.to_string_lossy().into_owned(),
        text: std::fs::read_to_string(file).unwrap_or_default(),
    };
    Ok(RuleHitList {
        matches: found.matches,
        hits: found.page.into_iter().map(row).collect(),
        most: MOST_HITS,
        texts: rules.files_of(place).into_iter().map(text).collect(),
    })
}

pub fn exclude_value(
    session: &Session,
    _: &Call<'_>,
    request: &ExclusionRequest,
    _: &dyn Fn(Empty),
) -> Answer<Exclusion> {
    let case = session.case(Path::new(&request.case))?;
    let read = last_read(session, &case, &request.paths)?;
    let rules = read.detectors.rules();
    if !rules.rules().any(|entry| entry.id == request.rule) {
        return Err(unknown_rule(&request.rule));
    }
    let text = rules.exclusion(&request.rule, &request.field, &request.value);
    text.map(|text| Exclusion { text }).ok_or_else(|| WireError {
        hint: Some("Exclude another field of the event.".to_owned()),
        ..WireError::new(ErrorCode::BadRequest, "A Sigma filter cannot name this field or a value this long.")
    })
}

fn unknown_rule(rule: &str) -> WireError {
    WireError {
        hint: Some("Run the rules again.".to_owned()),
        ..WireError::new(ErrorCode::BadRequest, format!("The rule {rule} is no longer among the rules."))
    }
}
