//! `compare`: the differences between two parts of a case, or of two cases.

use std::sync::Arc;

use indexer::Engine;
use indexer::compare::{Comparison, Side};
use serde_json::{Value, json};

use super::Tool;
use super::rows::begun;
use crate::compare::json::as_json;
use crate::mcp::answer::{Answered, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind};
use crate::mcp::call::Call;

pub const TOOL: Tool = Tool {
    name: "compare",
    title: "Compare two parts",
    summary: "Compares the events of B with those of A, in one case or in two (`other`): what is new, gone, more or less \
              frequent, slower, or stopped in B; ranked, each with a query that finds its events, and the moment of the \
              first difference. `explain-selection` compares a part with all the rest.",
    arguments: &[
        Argument::new(
            "a",
            ArgumentKind::Text,
            "Filter of side A, what is compared with; all events unless given",
        ),
        Argument::new("a_from", ArgumentKind::Text, "Begin of the time of A"),
        Argument::new("a_to", ArgumentKind::Text, "End of the time of A"),
        Argument::new(
            "b",
            ArgumentKind::Text,
            "Filter of side B, what is looked into; all events unless given",
        ),
        Argument::new("b_from", ArgumentKind::Text, "Begin of the time of B"),
        Argument::new("b_to", ArgumentKind::Text, "End of the time of B"),
        Argument::new("other", ArgumentKind::Text, "Name of the case that A is in; that of B unless given"),
        Argument::new("limit", ArgumentKind::Whole(1, 100, 15), "Differences listed at most"),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let other = if call.given.text("other").is_some() { call.case_in("other")? } else { named };
    let snapshot = named.case.snapshot();
    // Events of both sides are known within one snapshot only.
    let earlier =
        if Arc::ptr_eq(&named.case, &other.case) { Arc::clone(&snapshot) } else { other.case.snapshot() };
    let a = call.view_of(&earlier, ["a", "a_from", "a_to"])?;
    call.in_query("a", other.case.resolved(&earlier, &a))?;
    let b = call.view_of(&snapshot, ["b", "b_from", "b_to"])?;
    call.in_query("b", named.case.resolved(&snapshot, &b))?;
    let sides = [
        Side { case: &other.case, snapshot: &earlier, view: &a },
        Side { case: &named.case, snapshot: &snapshot, view: &b },
    ];
    let mut latest = None;
    let mut partial = |found: &Comparison, share: f64| latest = Some((found.clone(), share));
    let limit = call.given.whole("limit");
    let found = Engine::compare_cases(sides, [None, None], limit, &mut partial, call.cancel());
    let (found, share) = call.or_partial(found, latest)?;
    let mut all = short(as_json(&found, &found.notes()));
    let mut answer = begun(named, &snapshot);
    for name in ["a_events", "b_events", "notes", "volume", "compared"] {
        answer.insert(name.to_owned(), all[name].take());
    }
    if let Some(first) = &found.first {
        let case = if first.side == 0 { other } else { named };
        all["first"]["event"] = json!(first.event.map(|event| case.reference((event.source, event.offset))));
        answer.insert("first".to_owned(), all["first"].take());
    }
    call.note_share(&mut answer, share, "differences that follow from others are not folded yet");
    let rows = listed(&all, "rows").iter().map(without_curve).collect();
    let whole = (found.differences.len() + found.unlisted) as u64;
    with_rows(&mut answer, "differences", rows, whole, |_| {
        "give a higher `limit` (up to 100), or narrower sides".to_owned()
    });
    Ok(answer)
}

/// A row without the curve of a number, which is for drawing, and without empty fields.
fn without_curve(row: &Value) -> Value {
    let fields = row.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, value)| *name != "curve" && !value.is_null());
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
