//! Sigma rules on the screen: what a folder of rules found in a case, the events of one rule, and filters that leave a value
//! out of one. A filter is a note of the case, so that it is saved, shared and taken back as other notes are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use detect::sigma::{
    Entities, EventGroup, FoundRule, HitPage, MatchedField, RuleAbout, RuleEntry, RuleState,
    TechniqueCoverage, bin_width, coverage,
};
use detect::{Alert, Detectors, Problem, ReadOptions, Report, Scope, Severity, filters_of};
use indexer::{Case, EventId, Nanos};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, milliseconds};
use crate::live::locked;
use crate::patterns::TimeSpan;
use crate::session::{Call, Session};
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
    /// How many rules of each log source are about a technique, and could see it or fired.
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

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FiredRule {
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
    /// The file of the rule, and its id.
    pub file: String,
    pub rule: String,
    /// Only events of these.
    pub entities: Option<Entities>,
    pub skip: u32,
    pub take: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleHitList {
    /// How many events of these the rule matches.
    pub events: u64,
    pub hits: Vec<RuleHitRow>,
    /// The text of the rule's file.
    pub text: String,
}

/// An event that a rule matched, and the values that made it match.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleHitRow {
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
    pub file: String,
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

fn read(case: &Case, paths: &[PathBuf]) -> Answer<(Detectors, u64)> {
    let options = ReadOptions { filters: filters_of(case)?, ..ReadOptions::default() };
    let filters = options.filters.len() as u64;
    Ok((Detectors::read(paths, &options), filters))
}

pub fn run_rules(
    session: &Session,
    call: &Call<'_>,
    request: &RunRulesRequest,
    _: &dyn Fn(Empty),
) -> Answer<RuleRuns> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.case))?;
    let snapshot = case.snapshot();
    let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
    let (rules, filters) = read(&case, &paths)?;
    let report = rules.check(&case, &snapshot, &Scope::default(), &call.cancel)?;
    let entries: Vec<RuleEntry<'_>> = rules.rules().rules().collect();
    locked(&session.inbox(&case)).took_rules(inbox_alerts(&entries, &report));
    let states = entries.iter().map(|entry| entry.about).zip(report.states.iter().copied());
    let coverage = coverage(states);
    let blind = blind(&entries, &report);
    let all_problems = (rules.problems().len() + report.problems.len()) as u64;
    let problems = rules.problems().iter().chain(&report.problems).take(REASONS).cloned().collect();
    let applicable = report.applicable as u64;
    Ok(RuleRuns {
        revision: snapshot.revision(),
        rules: rules.len() as u64,
        applicable,
        fired: fired(&rules, &entries, report),
        coverage,
        blind,
        problems,
        all_problems,
        filters,
        bin: Nanos(snapshot.time_range().map_or(0, |(from, to)| bin_width(from, to))),
        ends: snapshot.time_range().map(|(from, to)| TimeSpan { from: Nanos(from), to: Nanos(to) }),
        elapsed_ms: milliseconds(started),
    })
}

fn alert_of(entry: &RuleEntry<'_>, group: &EventGroup) -> Alert {
    Alert {
        detector: entry.id.to_owned(),
        title: entry.title.to_owned(),
        severity: entry.severity,
        start: group.first,
        end: group.last,
        peak: None,
        events: group.events,
        group: group.entities.each().map(|one| (one.field.clone(), one.value.clone())).collect(),
        value: Some(group.events as f64),
        expected: None,
        basis: None,
        query: group.query.clone(),
        wider: group.is_wider,
    }
}

/// What the inbox lists: an alert for each host, user and process of a rule, and those of correlations and detectors.
fn inbox_alerts(entries: &[RuleEntry<'_>], report: &Report) -> Vec<Alert> {
    let of_rule = |found: &FoundRule| {
        let alert = |group: &EventGroup| alert_of(&entries[found.rule], group);
        found.groups.iter().map(alert).collect::<Vec<_>>()
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
            alerts: found.groups.len() as u64,
            listed: found.groups[..listed].iter().map(|group| alert_of(entry, group)).collect(),
            entities: found.groups[..listed].iter().map(|group| group.entities.clone()).collect(),
            noise: found
                .noise
                .iter()
                .map(|&(start, events)| NoiseBin { start: Nanos(start), events })
                .collect(),
            ..of_entry(entry)
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
                Some(entry) => of_entry(entry),
                None => FiredRule {
                    name: alert.detector.clone(),
                    title: alert.title.clone(),
                    severity: alert.severity,
                    file: String::new(),
                    about: RuleAbout::default(),
                    events: 0,
                    alerts: 0,
                    listed: Vec::new(),
                    entities: Vec::new(),
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

fn of_entry(entry: &RuleEntry<'_>) -> FiredRule {
    FiredRule {
        name: entry.id.to_owned(),
        title: entry.title.to_owned(),
        severity: entry.severity,
        file: entry.file.to_string_lossy().into_owned(),
        about: entry.about.clone(),
        events: 0,
        alerts: 0,
        listed: Vec::new(),
        entities: Vec::new(),
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
    let file = PathBuf::from(&request.file);
    let rules = named(&case, &file, &request.rule)?;
    let page = HitPage {
        of: request.entities.clone(),
        range: (None, None),
        skip: request.skip.min(MOST_SKIPPED) as usize,
        take: request.take.min(MOST_HITS) as usize,
    };
    let found = rules.hits(&request.rule, &case, &snapshot, &page, &call.cancel)?;
    let sources = snapshot.sources();
    let row = |hit: detect::sigma::RuleHit| RuleHitRow {
        event: EventId { source: hit.event.0, offset: hit.event.1 },
        source: sources.get(hit.event.0 as usize).map_or_else(String::new, |source| source.name.clone()),
        line: hit.line,
        time: hit.time.map(Nanos),
        entities: hit.entities,
        fields: hit.fields,
    };
    // A file of rules was read a moment ago; one that has gone since has no text to show.
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    Ok(RuleHitList { events: found.events, hits: found.page.into_iter().map(row).collect(), text })
}

pub fn exclude_value(
    session: &Session,
    _: &Call<'_>,
    request: &ExclusionRequest,
    _: &dyn Fn(Empty),
) -> Answer<Exclusion> {
    let case = session.case(Path::new(&request.case))?;
    let rules = named(&case, Path::new(&request.file), &request.rule)?;
    let text = rules.rules().exclusion(&request.rule, &request.field, &request.value);
    text.map(|text| Exclusion { text }).ok_or_else(|| WireError {
        hint: Some("Exclude another field of the event.".to_owned()),
        ..WireError::new(ErrorCode::BadRequest, "A Sigma filter cannot name this field or a value this long.")
    })
}

/// The rules of a file, if the named one is among them.
fn named(case: &Case, file: &Path, rule: &str) -> Answer<Detectors> {
    let (rules, _) = read(case, &[file.to_owned()])?;
    if rules.rules().rules().any(|entry| entry.id == rule) {
        return Ok(rules);
    }
    let message = format!("The rule {rule} is no longer in {}.", file.display());
    Err(WireError {
        hint: Some("Run the rules again.".to_owned()),
        ..WireError::new(ErrorCode::BadRequest, message)
    })
}
