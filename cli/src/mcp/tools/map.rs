//! `map`: who follows whom, from events with the same id.

use indexer::links::Spot;
use serde_json::json;

use super::Tool;
use super::rows::{begun, known};
use crate::mcp::answer::{Answered, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::MOST_ROWS;
use crate::service_map::as_json;

pub const TOOL: Tool = Tool {
    name: "map",
    title: "Service map",
    summary: "Puts the matching events with the same id in order; where the service changes, that is a step. Lists the \
              steps with their counts, rates, latencies and errors.",
    arguments: &[
        Argument::needed("id", ArgumentKind::Text, "The field that holds the id, such as trace_id"),
        QUERY,
        FROM,
        TO,
        Argument::new(
            "by",
            ArgumentKind::Text,
            "The field whose values are the services; `source` unless given",
        ),
        Argument::new(
            "linked",
            ArgumentKind::Choice(&["no", "yes"]),
            "Whether to read the id under its other names too, as `links` finds them",
        ),
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 50), "Steps listed at most"),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let id = call.given.text("id").unwrap_or_default();
    let by = call.given.text("by").unwrap_or("source");
    known(&snapshot, id, "id")?;
    if by != "source" {
        known(&snapshot, by, "by")?;
    }
    let places = if call.given.choice("linked") == "yes" {
        named.case.links(&snapshot, &mut |_| {}, call.cancel())?.names_of(id)
    } else {
        vec![Spot::Field(id.to_owned())]
    };
    let found = named.case.service_map(&snapshot, &view, (&places, by), &mut |_| {}, call.cancel());
    let all = short(as_json(&call.in_query("query", found)?));
    let mut answer = begun(named, &snapshot);
    answer.insert("by".to_owned(), json!(by));
    for name in ["ids", "events", "without", "span_ns", "sampled"] {
        answer.insert(name.to_owned(), all[name].clone());
    }
    for (name, plural) in [("nodes", "services"), ("edges", "steps")] {
        let all = listed(&all, name);
        let rows = all.iter().take(call.given.whole("limit")).cloned().collect();
        let more = |_| format!("give a higher `limit` (up to {MOST_ROWS}), or a narrower `query`");
        with_rows(&mut answer, plural, rows, all.len() as u64, more);
    }
    Ok(answer)
}
