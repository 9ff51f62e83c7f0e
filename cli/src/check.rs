//! `timberline check`: detectors over a case, as text, JSON or SARIF.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use detect::{Alert, Detectors, MissingFields, Outcome as Said, ReadOptions, Scope, Verdict, filters_of};
use indexer::{Cancel, Case, stamp};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::{AlertFormat, Check};
use crate::events::{outcome, time};
use crate::out;
use crate::rule_events::{self, EventAlerts};

/// Below the query of an alert that does not select its events alone.
pub const WIDER: &str = "(the query selects more events than these)";

pub fn run(arguments: &Check) -> Result<Outcome> {
    let scope = Scope { from: time(arguments.from.as_ref())?, to: time(arguments.to.as_ref())? };
    let case = Case::open(&arguments.case)?;
    let snapshot = case.snapshot();
    let options = ReadOptions {
        log_sources: arguments.logsource.clone(),
        placeholders: arguments.placeholders.clone(),
        filters: filters_of(&case)?,
    };
    let detectors = Detectors::read(&arguments.detectors, &options);
    if !options.filters.is_empty() {
        let count = options.filters.len();
        let filters = if count == 1 { "filter" } else { "filters" };
        out::say(&format!("{count} Sigma {filters} of this case narrow the rules that they name"));
    }
    detectors.problems().iter().for_each(|problem| out::say(&problem.to_string()));
    let mut report = detectors.check(&case, &snapshot, &scope, &Cancel::default())?;
    report.problems.iter().for_each(|problem| out::say(&problem.to_string()));
    // The most serious first; of those alike in the order of time.
    report.alerts.sort_by(|one, other| {
        let key = |alert: &Alert| (std::cmp::Reverse(alert.severity), alert.start);
        key(one).cmp(&key(other))
    });
    if arguments.events {
        let found = EventAlerts { case: &case, snapshot: &snapshot, scope: &scope };
        let events = found.of_rules(&detectors, &report.found)?;
        let ids: HashSet<&str> = events.iter().map(|event| event.rule.as_str()).collect();
        let others: Vec<Alert> =
            report.alerts.iter().filter(|alert| !ids.contains(&*alert.detector)).cloned().collect();
        rule_events::print(&events, &others, &report.verdicts, arguments.format)?;
        out::say(&rule_events::shares(&events));
    } else {
        print(&report.alerts, &report.verdicts, arguments.format)?;
    }
    if arguments.verbose {
        report.not_applicable.iter().for_each(|id| out::say(&format!("not applicable: {id}")));
        for (name, Verdict { outcome, sentence, .. }) in &report.verdicts {
            out::say(&format!("{outcome}: {name}: {sentence}"));
        }
        for MissingFields { rule, fields, cannot_match } in &report.missing_fields {
            let but = if *cannot_match { ", so that it cannot match" } else { "" };
            out::say(&format!("fields that are nowhere in this case: {rule}: {}{but}", fields.join(", ")));
        }
    }
    let fired: std::collections::BTreeSet<&str> =
        report.alerts.iter().map(|alert| &*alert.detector).collect();
    out::say(&format!(
        "{} detectors: {} fired ({} alerts), {} not applicable to this case, {} unreadable",
        detectors.len(),
        fired.len(),
        report.alerts.len(),
        report.not_applicable.len(),
        detectors.problems().len(),
    ));
    if !report.verdicts.is_empty() {
        let count = |said: Said| report.verdicts.iter().filter(|(_, one)| one.outcome == said).count();
        out::say(&format!(
            "without Sigma rules: {} fired, {} quiet, {} cannot say (--verbose says why)",
            count(Said::Fired),
            count(Said::Quiet),
            count(Said::CannotSay),
        ));
    }
    if !report.missing_fields.is_empty() {
        let cannot_match = report.missing_fields.iter().filter(|rule| rule.cannot_match).count();
        out::say(&format!(
            "{} rules name fields that are nowhere in this case; {cannot_match} of them cannot match without them (--verbose names them)",
            report.missing_fields.len(),
        ));
    }
    let least = arguments.severity.map(detect::Severity::from);
    if report.alerts.iter().any(|alert| least.is_none_or(|least| alert.severity >= least)) {
        return Ok(Outcome::Fired);
    }
    let unread = !detectors.problems().is_empty() || !report.problems.is_empty();
    Ok(if unread { Outcome::Unreadable } else { outcome(&snapshot) })
}

pub fn print(alerts: &[Alert], verdicts: &[(String, Verdict)], format: AlertFormat) -> Result<()> {
    let mut stdout = out::stdout();
    match format {
        AlertFormat::Ndjson => {
            for alert in alerts {
                writeln!(stdout, "{}", alert.fields())?;
            }
        }
        AlertFormat::Json => {
            let answer = whole(&alerts.iter().map(Alert::fields).collect::<Vec<_>>(), verdicts);
            writeln!(stdout, "{}", serde_json::to_string_pretty(&answer)?)?;
        }
        AlertFormat::Sarif => {
            let sarif = detect::sarif(alerts.iter().map(|alert| (alert, alert.fields())));
            writeln!(stdout, "{}", serde_json::to_string_pretty(&sarif)?)?;
        }
        AlertFormat::Text => {
            for alert in alerts {
                let text = |time: Option<i64>| time.map_or_else(|| "-".to_owned(), stamp::to_rfc3339);
                let events = if alert.events == 1 { "event" } else { "events" };
                write!(stdout, "{:<13} {} ({} {events}, ", alert.severity.name(), alert.title, alert.events)?;
                writeln!(stdout, "{} to {})", text(alert.start), text(alert.end))?;
                for (name, value) in &alert.group {
                    writeln!(stdout, "              {name}: {value}")?;
                }
                if let Some(basis) = &alert.basis {
                    writeln!(stdout, "              {basis}")?;
                }
                writeln!(stdout, "              {}", alert.detector)?;
                writeln!(stdout, "              {}", alert.query)?;
                if alert.wider {
                    writeln!(stdout, "              {WIDER}")?;
                }
            }
        }
    }
    stdout.flush()?;
    Ok(())
}

/// The answer as one object.
pub fn whole(alerts: &[Value], verdicts: &[(String, Verdict)]) -> Value {
    let verdict = |(name, verdict): &(String, Verdict)| json!({ "detector": name, "verdict": verdict });
    let verdicts: Vec<Value> = verdicts.iter().map(verdict).collect();
    json!({ "alerts": alerts, "verdicts": verdicts })
}
