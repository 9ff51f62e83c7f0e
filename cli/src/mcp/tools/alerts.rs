//! `alerts`: the inbox of a case, with people's decisions.

use serde_json::{Value, json};

use super::Tool;
use super::detectors::{readable, time_text};
use super::rows::begun;
use super::sigma::run_rules;
use crate::mcp::answer::{Answered, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::MOST_ROWS;
use crate::workbench::{at_least, every_alert};

pub const TOOL: Tool = Tool {
    name: "alerts",
    title: "Alerts",
    summary: "Lists the alerts of the case: of its detectors and the built-in ones, of the Sigma rules that the server \
              was started with, and those that were sent live. Each has its state, what people decided and wrote about it, and \
              a query that selects its events. Give `seconds` to a large case.",
    arguments: &[
        Argument::new(
            "words",
            ArgumentKind::Text,
            "Words of the title, the detector, the entity or a comment",
        ),
        Argument::new(
            "status",
            ArgumentKind::Choice(&["open", "new", "acknowledged", "muted", "closed", "all"]),
            "Alerts of this state; open are the new and the acknowledged",
        ),
        Argument::new(
            "severity",
            ArgumentKind::Choice(&["informational", "low", "medium", "high", "critical"]),
            "Alerts of this severity or a higher one",
        ),
        Argument::new(
            "detector",
            ArgumentKind::Text,
            "Alerts of this detector, or of the Sigma rule with this id",
        ),
        Argument::new("entity", ArgumentKind::Text, "Alerts of this entity, such as host=web-1"),
        FROM,
        TO,
        Argument::new(
            "sort",
            ArgumentKind::Choice(&["severity", "time", "events"]),
            "What comes first: the most serious, the newest, or those with the most events",
        ),
        Argument::new("first", ArgumentKind::Whole(0, u64::MAX, 0), "Alerts to pass over, to read on"),
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 20), "Alerts listed at most"),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    named.workbench.run_detectors(call.cancel())?;
    if !call.rules.is_empty() {
        run_rules(call, named)?;
    }
    let mut filter = every_alert();
    filter["text"] = json!(call.given.text("words").unwrap_or_default());
    filter["statuses"] = match call.given.choice("status") {
        "open" => json!(["new", "acknowledged"]),
        "all" => json!([]),
        one => json!([one]),
    };
    let least = call.given.text("severity").and_then(detect::Severity::named);
    filter["severities"] = json!(least.map_or_else(Vec::new, at_least));
    for name in ["detector", "entity"] {
        filter[name] = json!(call.given.text(name));
    }
    for name in ["from", "to"] {
        filter[name] = json!(call.time(&snapshot, name)?.map(|time| time.to_string()));
    }
    let (first, limit) = (call.given.whole("first"), call.given.whole("limit"));
    let asked = json!({
        "filter": filter, "sort": call.given.choice("sort"), "descending": true, "grouping": "none", "unfolded": [],
        "zone": null, "first": first, "count": limit, "selected": null,
    });
    let page = call.ask(named, "alerts", asked)?;
    let mut answer = begun(named, &snapshot);
    for name in ["total", "matching", "statuses"] {
        answer.insert(name.to_owned(), page[name].clone());
    }
    let rows = listed(&page, "lines").iter().map(|line| row(&line["alert"])).collect();
    let whole = page["matching"].as_u64().unwrap_or(0).saturating_sub(first as u64);
    with_rows(&mut answer, "alerts", rows, whole, |listed| {
        format!("read on with `first`: {}", first + listed)
    });
    Ok(answer)
}

/// Decisions that are listed with an alert, the latest.
const DECISIONS: usize = 10;

fn row(found: &Value) -> Value {
    let mut row = readable(&found["alert"]);
    for (name, value) in [
        ("key", &found["key"]),
        ("origin", &found["origin"]),
        ("state", &found["status"]),
        ("reason", &found["reason"]),
        ("events_since_closed", &found["sinceClosed"]),
        ("firing", &found["open"]),
        ("gone", &found["gone"]),
    ] {
        row[name] = value.clone();
    }
    row["muted_until"] = time_text(&found["mutedUntil"]);
    let history = listed(found, "history");
    let entry = |entry: &Value| {
        let (at, verb) = (time_text(&entry["at"]), &entry["verb"]);
        json!({ "at": at, "did": verb, "reason": entry["reason"], "text": entry["text"] })
    };
    row["decisions"] = json!(history.len());
    row["history"] = history[history.len().saturating_sub(DECISIONS)..].iter().map(entry).collect();
    short(row)
}
