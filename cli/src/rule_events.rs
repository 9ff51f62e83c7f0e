//! `timberline check --events`: an alert for each event of a Sigma rule, which names its host, user and process and the values
//! that matched.

use std::io::Write;

use anyhow::{Result, bail};
use detect::sigma::{Entities, EntityValue, FoundRule, HitPage, HitsOf, RuleHit, RulePlace};
use detect::{Alert, Detectors, Scope, Severity, Verdict};
use indexer::{Cancel, Case, Snapshot, stamp};
use serde_json::{Map, Value, json};

use crate::args::AlertFormat;
use crate::{check, out};

/// Where the events of rules are looked for.
pub struct EventAlerts<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    pub scope: &'a Scope,
}

/// An event that a rule matched.
pub struct EventAlert {
    pub rule: String,
    title: String,
    severity: Severity,
    source: String,
    hit: RuleHit,
}

impl EventAlerts<'_> {
    /// The events of the rules that fired, the most serious rules first.
    pub fn of_rules(&self, detectors: &Detectors, found: &[FoundRule]) -> Result<Vec<EventAlert>> {
        let entries: Vec<_> = detectors.rules().rules().collect();
        let mut found: Vec<&FoundRule> = found.iter().collect();
        found.sort_by_key(|found| std::cmp::Reverse(entries[found.rule].severity));
        let mut events = Vec::new();
        for found in found {
            let entry = &entries[found.rule];
            let range = (self.scope.from, self.scope.to);
            let page = HitPage { of: HitsOf::All, range, skip: 0, take: usize::MAX };
            let place = RulePlace::Rule(found.rule);
            let hits = detectors.hits(place, self.case, self.snapshot, &page, &Cancel::default())?;
            let sources = self.snapshot.sources();
            events.extend(hits.page.into_iter().map(|hit| EventAlert {
                rule: entry.id.to_owned(),
                title: entry.title.to_owned(),
                severity: entry.severity,
                source:
                    sources.get(hit.event.0 as usize).map_or_else(String::new, |source| source.name.clone()),
                hit,
            }));
        }
        Ok(events)
    }
}

pub fn print(
    events: &[EventAlert],
    others: &[Alert],
    verdicts: &[(String, Verdict)],
    format: AlertFormat,
) -> Result<()> {
    let mut stdout = out::stdout();
    match format {
        AlertFormat::Sarif => bail!("--events has no SARIF; use ndjson, json or text"),
        AlertFormat::Json => {
            let all: Vec<Value> = events.iter().map(fields).chain(others.iter().map(Alert::fields)).collect();
            writeln!(stdout, "{}", serde_json::to_string_pretty(&check::whole(&all, verdicts))?)?;
            stdout.flush()?;
            return Ok(());
        }
        AlertFormat::Ndjson => {
            for event in events {
                writeln!(stdout, "{}", fields(event))?;
            }
        }
        AlertFormat::Text => {
            for event in events {
                let EventAlert { title, severity, source, hit, .. } = event;
                let time = hit.time.map_or_else(|| "-".to_owned(), stamp::to_rfc3339);
                writeln!(stdout, "{:<13} {title} ({time}, {source}:{})", severity.name(), hit.line)?;
                let Entities { host, user, process } = &hit.entities;
                for (name, entity) in [("host", host), ("user", user), ("process", process)] {
                    if let Some(entity) = entity {
                        writeln!(stdout, "              {name}: {}", one_line(&entity.value))?;
                    }
                }
                for (field, value) in matched(hit) {
                    writeln!(stdout, "              {field} = {}", one_line(&value))?;
                }
            }
        }
    }
    stdout.flush()?;
    drop(stdout);
    check::print(others, verdicts, format)
}

/// How many of the events name their host, their user and their process.
pub fn shares(events: &[EventAlert]) -> String {
    let count = |has: fn(&Entities) -> bool| events.iter().filter(|event| has(&event.hit.entities)).count();
    let share = |count: usize| 100.0 * count as f64 / events.len().max(1) as f64;
    format!(
        "{} events of rules: {:.1} % name their host, {:.1} % their user, {:.1} % their process",
        events.len(),
        share(count(|entities| entities.host.is_some())),
        share(count(|entities| entities.user.is_some())),
        share(count(|entities| entities.process.is_some())),
    )
}

/// An event's alert as programs get it.
fn fields(event: &EventAlert) -> Value {
    let EventAlert { rule, title, severity, source, hit } = event;
    let value = |entity: &Option<EntityValue>| entity.as_ref().map(|entity| entity.value.clone());
    let matched: Map<String, Value> =
        matched(hit).into_iter().map(|(field, value)| (field, value.into())).collect();
    json!({
        "detector": rule,
        "title": title,
        "severity": severity,
        "time": hit.time.map(stamp::to_rfc3339),
        "source": source,
        "line": hit.line,
        "host": value(&hit.entities.host),
        "user": value(&hit.entities.user),
        "process": value(&hit.entities.process),
        "matched": matched,
    })
}

/// The fields that matched and their values, cut around what matched.
fn matched(hit: &RuleHit) -> Vec<(String, String)> {
    let name = |field: &str| if field.is_empty() { "text".to_owned() } else { field.to_owned() };
    hit.fields
        .iter()
        .map(|field| (name(&field.field), field.parts.iter().map(|part| part.text.as_str()).collect()))
        .collect()
}

/// A value without line ends and other control characters.
fn one_line(value: &str) -> String {
    value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
