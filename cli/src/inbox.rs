//! `timberline alerts`: the inbox of a case. Lists its alerts, and decides about them.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, ValueEnum};
use indexer::{Cancel, Case, Error, ErrorKind, duration, stamp};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::Severity;
use crate::check::WIDER;
use crate::events::{outcome, time};
use crate::import::counted;
use crate::out;
use crate::workbench::{WorkbenchCase, at_least, engine_error, every_alert};

#[derive(Args)]
#[command(
    after_help = "The detectors of the case and the built-in ones run first; alerts that were sent live are listed too.
  timberline alerts shop.case                              what nobody has dealt with
  timberline alerts shop.case web-1 --severity high        with this word, high or critical
  timberline alerts shop.case --sigma rules/ --format sarif
  timberline alerts shop.case --detector busy --close expected --comment 'load test'
docs/alerts.md says what the decisions mean."
)]
pub struct InboxArguments {
    /// The case's folder
    pub case: PathBuf,
    /// Only alerts with these words in their title, detector, entity or comments
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Files and folders with Sigma rules, which run first; repeatable
    #[arg(long, value_name = "FILE")]
    pub sigma: Vec<PathBuf>,
    /// Only alerts of this state; repeatable (default: new and acknowledged)
    #[arg(long, value_enum, value_name = "STATE")]
    pub status: Vec<AlertStatus>,
    /// Only alerts of this severity or a higher one
    #[arg(long, value_name = "S")]
    pub severity: Option<Severity>,
    /// Only alerts of this detector, or of the Sigma rule with this id
    #[arg(long, value_name = "NAME")]
    pub detector: Option<String>,
    /// Only alerts of this entity: host=web-1
    #[arg(long, value_name = "ENTITY")]
    pub entity: Option<String>,
    /// Only alerts that begin at or after this time (RFC 3339; UTC if it has no zone)
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Only alerts that begin before this time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: InboxOutput,
    /// Acknowledge these alerts
    #[arg(long, group = "decision")]
    pub acknowledge: bool,
    /// Close these alerts for a reason
    #[arg(long, value_enum, value_name = "REASON", group = "decision")]
    pub close: Option<Reason>,
    /// Make these alerts new again
    #[arg(long, group = "decision")]
    pub reopen: bool,
    /// Mute these alerts for a time: 1h, 7d
    #[arg(long, value_name = "DURATION", group = "decision")]
    pub mute: Option<String>,
    /// End the mute of these alerts
    #[arg(long, group = "decision")]
    pub unmute: bool,
    /// A comment of the decision, or alone
    #[arg(long, value_name = "TEXT")]
    pub comment: Option<String>,
    /// Decide about this alert only, whatever its state; repeatable. `--format ndjson` lists the keys
    #[arg(long, value_name = "KEY")]
    pub key: Vec<String>,
    /// Decide only if so many alerts match
    #[arg(long, value_name = "N", conflicts_with = "key")]
    pub expect: Option<u64>,
    /// Undo the decision of this id
    #[arg(long, value_name = "ID", conflicts_with_all = ["decision", "comment", "key", "expect"])]
    pub undo: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertStatus {
    New,
    Acknowledged,
    Muted,
    Closed,
}

impl AlertStatus {
    fn name(self) -> &'static str {
        match self {
            AlertStatus::New => "new",
            AlertStatus::Acknowledged => "acknowledged",
            AlertStatus::Muted => "muted",
            AlertStatus::Closed => "closed",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reason {
    Resolved,
    FalsePositive,
    Expected,
    Duplicate,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::Resolved => "resolved",
            Reason::FalsePositive => "falsePositive",
            Reason::Expected => "expected",
            Reason::Duplicate => "duplicate",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InboxOutput {
    Text,
    Csv,
    Ndjson,
    Sarif,
}

impl InboxOutput {
    /// The format that the workbench writes. Text is made from lines of JSON.
    fn name(self) -> &'static str {
        match self {
            InboxOutput::Text | InboxOutput::Ndjson => "ndjson",
            InboxOutput::Csv => "csv",
            InboxOutput::Sarif => "sarif",
        }
    }
}

/// The decision of a person.
struct Verdict {
    verb: &'static str,
    /// As a message says it of alerts.
    done: String,
    reason: Option<&'static str>,
    until: Option<i64>,
    /// The states of alerts that it is about, unless others are named.
    statuses: &'static [AlertStatus],
}

pub fn run(arguments: &InboxArguments) -> Result<Outcome> {
    let verdict = verdict(arguments)?;
    if verdict.is_none() && !(arguments.key.is_empty() && arguments.expect.is_none()) {
        return Err(refused("--key and --expect are of a decision")
            .hint("add --acknowledge or --close REASON")
            .into());
    }
    let case = Arc::new(Case::open(&arguments.case)?);
    let workbench = WorkbenchCase::new(&case);
    let ask = |call: &str, asked: Value| workbench.ask(call, asked, &Cancel::default()).map_err(engine_error);
    if let Some(id) = &arguments.undo {
        ask("undoTriage", json!({ "id": id, "undone": true }))?;
        out::say("The decision is undone.");
        return Ok(Outcome::Done);
    }
    let runs = workbench.run_detectors(&Cancel::default()).map_err(engine_error)?;
    report_detectors(&runs);
    if !arguments.sigma.is_empty() {
        let paths: Vec<_> = arguments.sigma.iter().map(|path| path.to_string_lossy()).collect();
        report_rules(&ask("runRules", json!({ "paths": paths }))?);
    }
    let statuses = match &verdict {
        _ if !arguments.status.is_empty() => &arguments.status,
        Some(verdict) => verdict.statuses,
        None => OPEN,
    };
    let filter = filter(arguments, statuses)?;
    let asked = json!({
        "filter": filter, "sort": "time", "descending": false, "grouping": "none", "unfolded": [], "zone": null,
        "first": 0, "count": 0, "selected": null,
    });
    let page = ask("alerts", asked)?;
    let Some(verdict) = verdict else {
        let written = ask(
            "exportAlerts",
            json!({ "filter": filter, "format": arguments.format.name(), "path": null }),
        )?;
        print(written["text"].as_str().unwrap_or_default(), arguments.format)?;
        out::say(&summary(&page));
        return Ok(outcome(&case.snapshot()));
    };
    let alerts = if arguments.key.is_empty() {
        let expected = arguments.expect.map_or_else(|| page["matching"].clone(), Value::from);
        json!({ "matching": { "filter": filter, "expected": expected, "digest": page["digest"] } })
    } else {
        let keys = arguments.key.iter().map(|key| json!({ "key": key, "events": null }));
        json!({ "keys": keys.collect::<Vec<_>>() })
    };
    let id = new_id()?;
    let decided = ask(
        "triage",
        json!({
            "id": id,
            "alerts": alerts,
            "verb": verdict.verb,
            "reason": verdict.reason,
            "until": verdict.until.map(|until| until.to_string()),
            "text": arguments.comment.as_deref().unwrap_or_default(),
        }),
    )?;
    let alerts = counted(decided["alerts"].as_u64().unwrap_or(0), "alert");
    out::say(&format!(
        "{alerts} {}. To undo it: timberline alerts {} --undo {id}",
        verdict.done,
        arguments.case.display()
    ));
    Ok(Outcome::Done)
}

const OPEN: &[AlertStatus] = &[AlertStatus::New, AlertStatus::Acknowledged];

fn verdict(arguments: &InboxArguments) -> Result<Option<Verdict>> {
    let simple = |verb, done: &str, statuses| Verdict {
        verb,
        done: done.to_owned(),
        reason: None,
        until: None,
        statuses,
    };
    Ok(Some(if arguments.acknowledge {
        simple("acknowledge", "acknowledged", &[AlertStatus::New])
    } else if let Some(reason) = arguments.close {
        Verdict { reason: Some(reason.name()), ..simple("close", "closed", OPEN) }
    } else if arguments.reopen {
        simple("reopen", "reopened", &[AlertStatus::Acknowledged, AlertStatus::Muted, AlertStatus::Closed])
    } else if let Some(text) = &arguments.mute {
        let long = duration::parse(text).filter(|&long| long > 0).ok_or_else(|| {
            refused(&format!("\"{text}\" is not a duration")).hint("write numbers with their units: 1h, 7d")
        })?;
        let until = now_ns().saturating_add(long);
        let done = format!("muted until {}", stamp::to_rfc3339(until));
        Verdict { until: Some(until), ..simple("mute", &done, OPEN) }
    } else if arguments.unmute {
        simple("unmute", "no longer muted", &[AlertStatus::Muted])
    } else if arguments.comment.is_some() {
        simple("comment", "commented on", OPEN)
    } else {
        return Ok(None);
    }))
}

fn filter(arguments: &InboxArguments, statuses: &[AlertStatus]) -> Result<Value> {
    let nanos = |text: Option<&String>| Ok::<_, anyhow::Error>(time(text)?.map(|time| time.to_string()));
    let mut filter = every_alert();
    filter["text"] = json!(arguments.words.join(" "));
    filter["statuses"] = statuses.iter().map(|status| status.name()).collect();
    filter["severities"] = json!(arguments.severity.map_or_else(Vec::new, |least| at_least(least.into())));
    filter["detector"] = json!(arguments.detector);
    filter["entity"] = json!(arguments.entity);
    filter["from"] = json!(nanos(arguments.from.as_ref())?);
    filter["to"] = json!(nanos(arguments.to.as_ref())?);
    Ok(filter)
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn report_detectors(runs: &Value) {
    let said = |outcome: &str| list(runs, "runs").filter(|run| run["verdict"]["outcome"] == outcome).count();
    // Detectors for other logs usually cannot judge.
    for run in list(runs, "runs").filter(|run| run["verdict"]["outcome"] != "cannotSay") {
        report_problem(&run["problem"]);
    }
    let all = counted(list(runs, "runs").count() as u64, "detector");
    out::say(&format!(
        "{all}: {} fired, {} quiet, {} cannot say",
        said("fired"),
        said("quiet"),
        said("cannotSay")
    ));
}

fn report_rules(ran: &Value) {
    list(ran, "problems").for_each(report_problem);
    let rules = counted(ran["rules"].as_u64().unwrap_or(0), "Sigma rule");
    let fired = list(ran, "fired").count();
    out::say(&format!("{rules}: {fired} fired, {} applicable to this case", ran["applicable"]));
}

fn report_problem(problem: &Value) {
    if problem.is_object() {
        let hint = problem["hint"].as_str().map_or_else(String::new, |hint| format!("; {hint}"));
        let line = problem["line"]
            .as_u64()
            .filter(|&line| line > 0)
            .map_or_else(String::new, |line| format!(":{line}"));
        out::say(&format!("{}{line}: {}{hint}", text(problem, "file"), text(problem, "message")));
    }
}

fn summary(page: &Value) -> String {
    let counts = &page["statuses"];
    let of = if page["matching"] == page["total"] { String::new() } else { format!(" of {}", page["total"]) };
    let states = ["new", "acknowledged", "muted", "closed"].map(|name| format!("{} {name}", counts[name]));
    format!("{}{of} alerts listed. Of all states: {}", page["matching"], states.join(", "))
}

fn print(written: &str, format: InboxOutput) -> Result<()> {
    let mut stdout = out::stdout();
    if format == InboxOutput::Text {
        for line in written.lines() {
            print_alert(&serde_json::from_str(line)?, &mut stdout)?;
        }
    } else {
        stdout.write_all(written.as_bytes())?;
    }
    stdout.flush()?;
    Ok(())
}

fn print_alert(alert: &Value, to: &mut dyn Write) -> Result<()> {
    const INDENT: &str = "              ";
    let at = |name: &str| alert[name].as_str().unwrap_or("-");
    let events = counted(alert["events"].as_u64().unwrap_or(0), "event");
    writeln!(to, "{:<13} {} ({events}, {} to {})", at("severity"), at("title"), at("start"), at("end"))?;
    for (name, value) in alert["group"].as_object().into_iter().flatten() {
        writeln!(to, "{INDENT}{name}: {}", value.as_str().unwrap_or_default())?;
    }
    let reason = alert["reason"].as_str().map_or_else(String::new, |reason| format!(" as {reason}"));
    let until = alert["muted_until"].as_str().filter(|_| at("state") == "muted");
    let until = until.map_or_else(String::new, |until| format!(" until {until}"));
    let since = alert["since_closed"].as_u64();
    let since = match since {
        None => String::new(),
        Some(0) => ", went on since it was closed".to_owned(),
        Some(more) => format!(", {} since it was closed", counted(more, "event")),
    };
    writeln!(to, "{INDENT}{}{reason}{until}{since}", at("state"))?;
    for entry in list(alert, "history").filter(|entry| !text(entry, "text").is_empty()) {
        writeln!(to, "{INDENT}{} {}: {}", text(entry, "at"), text(entry, "did"), text(entry, "text"))?;
    }
    writeln!(to, "{INDENT}{}", at("detector"))?;
    writeln!(to, "{INDENT}{}", at("query"))?;
    if alert["wider"] == true {
        writeln!(to, "{INDENT}{WIDER}")?;
    }
    Ok(())
}

fn now_ns() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

/// A new name of a decision.
fn new_id() -> Result<String> {
    let number = getrandom::u64()
        .map_err(|error| Error::new(ErrorKind::Internal, format!("no random number: {error}")))?;
    Ok(format!("{number:016x}"))
}

fn refused(message: &str) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(part: &Value) -> String {
        let mut alert =
            json!({ "title": "Many", "query": "a=1", "events": 3, "wider": false, "state": "new" });
        alert.as_object_mut().expect("a map").extend(part.as_object().expect("a map").clone());
        let mut text = Vec::new();
        print_alert(&alert, &mut text).expect("written");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn alert_says_that_its_query_is_wider_and_that_it_went_on() {
        assert!(printed(&json!({})).ends_with("              a=1\n"));
        let wider = printed(&json!({ "wider": true }));
        assert!(
            wider.ends_with("a=1\n              (the query selects more events than these)\n"),
            "{wider}"
        );
        assert!(printed(&json!({ "since_closed": 1 })).contains("new, 1 event since it was closed\n"));
        assert!(printed(&json!({ "since_closed": 0 })).contains("new, went on since it was closed\n"));
    }
}
