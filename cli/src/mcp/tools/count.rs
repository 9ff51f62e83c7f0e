//! `count`: how many events match.

use indexer::aggregate::Request;
use serde_json::json;

use super::Tool;
use super::rows::begun;
use crate::mcp::answer::Answered;
use crate::mcp::arguments::{FROM, QUERY, TO};
use crate::mcp::call::Call;

pub const TOOL: Tool = Tool {
    name: "count",
    title: "Count events",
    summary: "Counts the events that match a filter.",
    arguments: &[QUERY, FROM, TO],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let mut latest = None;
    let mut partial = |answer: &indexer::aggregate::Answer, share: f64| latest = Some((answer.total, share));
    let counted = named.case.aggregate(&snapshot, &view, &Request::default(), &mut partial, call.cancel());
    let (count, share) = call.or_partial(counted.map(|answer| answer.total), latest)?;
    let mut answer = begun(named, &snapshot);
    answer.insert("count".to_owned(), json!(count));
    answer.insert("of".to_owned(), json!(snapshot.events()));
    if share >= 1.0 {
        call.advise(&mut answer, named, &snapshot, count);
    }
    call.note_share(&mut answer, share, "the count is of the events looked at");
    Ok(answer)
}
