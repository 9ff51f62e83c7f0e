//! `links`: fields that hold the same ids, and clocks that differ.

use serde_json::json;

use super::Tool;
use super::rows::begun;
use crate::links::as_json;
use crate::mcp::answer::{Answered, listed, short, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind};
use crate::mcp::call::Call;
use crate::mcp::limits::MOST_ROWS;

pub const TOOL: Tool = Tool {
    name: "links",
    title: "Links between sources",
    summary: "Finds fields of different sources that hold the same values under other names, with how many they share; \
              for each id a query that puts its events together (`transactions`); and sources whose clocks differ. Reads \
              all events, so give `seconds`.",
    arguments: &[Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 30), "Links listed at most")],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let found = named.case.links(&snapshot, &mut |_| {}, call.cancel())?;
    let all = short(as_json(&found, &snapshot));
    let mut answer = begun(named, &snapshot);
    answer.insert("sampled".to_owned(), json!(found.sampled));
    for name in ["clocks", "ids", "links"] {
        let all = listed(&all, name);
        let rows = all.iter().take(call.given.whole("limit")).cloned().collect();
        let more = |_| format!("give a higher `limit` (up to {MOST_ROWS})");
        with_rows(&mut answer, name, rows, all.len() as u64, more);
    }
    Ok(answer)
}
