//! `sigma`: the findings of Sigma rules in a case.

use serde_json::{Value, json};

use super::Tool;
use super::detectors::{readable, time_text};
use super::rows::begun;
use crate::mcp::answer::{Answered, Failure, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, bad};
use crate::mcp::call::Call;
use crate::mcp::cases::NamedCase;
use crate::mcp::limits::MOST_ROWS;

pub const TOOL: Tool = Tool {
    name: "sigma",
    title: "Sigma rules",
    summary: "Runs the Sigma rules that the server was started with (`--rules`), and lists those that fired, the most \
              serious first, and what the others miss. With `rule`: the alerts of one by host, user and process, and its events \
              with the values that matched.",
    arguments: &[
        Argument::new("rule", ArgumentKind::Text, "The id of one rule"),
        Argument::new(
            "limit",
            ArgumentKind::Whole(1, MOST_ROWS, 20),
            "Rules, or events of one, listed at most",
        ),
        Argument::new(
            "first",
            ArgumentKind::Whole(0, 10_000, 0),
            "With `rule`: events to pass over, to read on",
        ),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let ran = run_rules(call, named)?;
    let fired = listed(&ran, "fired");
    let mut answer = begun(named, &snapshot);
    if let Some(id) = call.given.text("rule") {
        let Some(rule) = fired.iter().find(|rule| rule["name"] == id) else {
            let error = bad(format!("no rule `{id}` fired"))
                .hint("call `sigma` without `rule` to list those that fired");
            return Err(Failure::from(error.spanning(0, id.len())).in_argument("rule", id));
        };
        answer.insert("rule".to_owned(), row(rule));
        add_events(call, named, rule, &mut answer)?;
        let alerts = listed(rule, "listed").iter().map(readable).collect();
        let whole = rule["alerts"].as_u64().unwrap_or(0);
        with_rows(&mut answer, "alerts", alerts, whole, |_| {
            "read on with the tool `alerts` and the id of the rule as `detector`".to_owned()
        });
        return Ok(answer);
    }
    for name in ["rules", "applicable"] {
        answer.insert(name.to_owned(), ran[name].clone());
    }
    let limit = call.given.whole("limit");
    for (name, whole) in [("problems", ran["allProblems"].as_u64()), ("blind", None)] {
        let all = listed(&ran, name);
        let rows = all.iter().take(limit).cloned().map(short).collect();
        let whole = whole.unwrap_or(all.len() as u64);
        with_rows(&mut answer, name, rows, whole, |_| format!("give a higher `limit` (up to {MOST_ROWS})"));
    }
    let rows = fired.iter().take(limit).map(row).collect();
    with_rows(&mut answer, "fired", rows, fired.len() as u64, |_| {
        format!("give a higher `limit` (up to {MOST_ROWS}), or start the server with fewer rules")
    });
    Ok(answer)
}

/// The rules that a person named when the server was started, over a case.
pub fn run_rules(call: &Call<'_>, named: &NamedCase) -> Result<Value, Failure> {
    if call.rules.is_empty() {
        let error = bad("the server was started without Sigma rules");
        return Err(error.hint("the person who starts it can add --rules FOLDER").into());
    }
    call.ask(named, "runRules", json!({ "paths": rule_paths(call) }))
}

fn rule_paths(call: &Call<'_>) -> Value {
    call.rules.iter().map(|path| path.to_string_lossy()).collect()
}

/// The events of a rule, each by its reference.
fn add_events(
    call: &Call<'_>,
    named: &NamedCase,
    rule: &Value,
    answer: &mut serde_json::Map<String, Value>,
) -> Result<(), Failure> {
    if rule["file"] == "" {
        // A detector of our own: its alerts have queries.
        return Ok(());
    }
    let (first, limit) = (call.given.whole("first"), call.given.whole("limit"));
    let asked = json!({
        "paths": rule_paths(call), "file": rule["file"], "rule": rule["name"], "entities": null, "interval": null,
        "skip": first, "take": limit,
    });
    let found = call.ask(named, "ruleHits", asked)?;
    let event = |hit: &Value| {
        let source = hit["event"]["source"].as_u64().and_then(|source| u32::try_from(source).ok());
        let place = source.zip(hit["event"]["offset"].as_u64());
        short(json!({
            "event": place.map(|place| named.reference(place)),
            "time": time_text(&hit["time"]),
            "source": hit["source"],
            "line": hit["line"],
            "entities": hit["entities"],
            "matched": hit["fields"],
        }))
    };
    let rows = listed(&found, "hits").iter().map(event).collect();
    let whole = found["matches"].as_u64().unwrap_or(0).saturating_sub(first as u64);
    with_rows(answer, "events", rows, whole, |listed| format!("read on with `first`: {}", first + listed));
    Ok(())
}

fn row(rule: &Value) -> Value {
    short(json!({
        "rule": rule["name"],
        "title": rule["title"],
        "severity": rule["severity"],
        "file": rule["file"],
        "description": rule["about"]["description"],
        "false_positives": rule["about"]["falsePositives"],
        "techniques": rule["about"]["techniques"],
        "events": rule["events"],
        "alerts": rule["alerts"],
    }))
}
