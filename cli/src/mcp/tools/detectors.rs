//! `detectors`: the verdict of each detector about a case.

use serde_json::{Value, json};

use super::Tool;
use super::rows::begun;
use crate::mcp::answer::{Answered, Failure, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, bad};
use crate::mcp::call::Call;
use crate::mcp::limits::MOST_ROWS;

pub const TOOL: Tool = Tool {
    name: "detectors",
    title: "Detectors",
    summary: "Runs the detectors of the case and the built-in ones over all events, and lists what each says: fired, \
              quiet, or cannot say and why. With `name`: one of them, with its alerts. Give `seconds` to a large case.",
    arguments: &[
        Argument::new("name", ArgumentKind::Text, "The name of one detector"),
        Argument::new(
            "limit",
            ArgumentKind::Whole(1, MOST_ROWS, 50),
            "Detectors, or alerts of one, listed at most",
        ),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let folder = json!({ "path": named.case.folder().to_string_lossy() });
    let list = call.ask(named, "detectors", folder)?;
    let ran = named.workbench.run_detectors(call.cancel())?;
    let (entries, runs) = (listed(&list, "detectors"), listed(&ran, "runs"));
    let row = |run: &Value| {
        let entry = entries.iter().find(|one| one["file"] == run["file"] && one["name"] == run["name"]);
        let about = |name: &str| entry.map_or(Value::Null, |entry| entry[name].clone());
        short(json!({
            "name": run["name"],
            "title": about("title"),
            "severity": about("severity"),
            "of_the_case": about("own"),
            "condition": about("condition"),
            "query": about("query"),
            "by": about("by"),
            "outcome": run["verdict"]["outcome"],
            "verdict": run["verdict"]["sentence"],
            "hint": run["verdict"]["hint"],
            "problem": run["problem"]["message"],
            "alerts": run["tally"]["alerts"],
        }))
    };
    let limit = call.given.whole("limit");
    let mut answer = begun(named, &snapshot);
    if let Some(name) = call.given.text("name") {
        let Some(run) = runs.iter().find(|run| run["name"] == name) else {
            let known = runs.iter().filter_map(|run| run["name"].as_str());
            let error = bad(format!("there is no detector `{name}`"));
            let error = match indexer::query::nearest(name, known) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("call `detectors` without `name` to list them"),
            };
            return Err(Failure::from(error.spanning(0, name.len())).in_argument("name", name));
        };
        answer.insert("detector".to_owned(), row(run));
        let alerts = listed(run, "listed").iter().take(limit).map(readable).collect();
        let whole = run["tally"]["alerts"].as_u64().unwrap_or(0);
        with_rows(&mut answer, "alerts", alerts, whole, |_| {
            format!(
                "give a higher `limit` (up to {MOST_ROWS}), or read on with the tool `alerts` and `detector`"
            )
        });
        return Ok(answer);
    }
    let count = |outcome: &str| runs.iter().filter(|run| run["verdict"]["outcome"] == outcome).count();
    answer.insert("fired".to_owned(), json!(count("fired")));
    answer.insert("quiet".to_owned(), json!(count("quiet")));
    answer.insert("cannot_say".to_owned(), json!(count("cannotSay")));
    answer.insert("problems".to_owned(), short(list["problems"].clone()));
    let mut rows: Vec<Value> = runs.iter().map(row).collect();
    // Detectors that fired come first.
    rows.sort_by_key(|row| row["outcome"] != "fired");
    rows.truncate(limit);
    with_rows(&mut answer, "detectors", rows, runs.len() as u64, |_| {
        format!("give a higher `limit` (up to {MOST_ROWS}), or the `name` of one")
    });
    Ok(answer)
}

/// An alert with its times as texts, and its group as a map.
pub fn readable(alert: &Value) -> Value {
    let mut alert = alert.clone();
    for name in ["start", "end", "peak"] {
        alert[name] = time_text(&alert[name]);
    }
    let group = listed(&alert, "group").iter();
    alert["group"] = group.filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].clone()))).collect();
    short(alert)
}

/// A time of JSON, which is a text of nanoseconds, as people read it.
pub fn time_text(time: &Value) -> Value {
    let time = time.as_str().and_then(|time| time.parse().ok());
    json!(time.map(indexer::stamp::to_rfc3339))
}
