//! `patterns`: the kinds of messages, with how often each occurs.

use indexer::{PatternOptions, Patterns, stamp};
use serde_json::{Value, json};

use super::Tool;
use super::rows::begun;
use crate::mcp::answer::{Answered, shortened, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::{MOST_ROWS, TEXT_BYTES};

pub const TOOL: Tool = Tool {
    name: "patterns",
    title: "Kinds of messages",
    summary: "Lists what the messages of the matching events have in common, the most frequent first: a pattern with \
              <num> and the like where they differ, its count, first and last time, and examples. `template:ID` is a filter.",
    arguments: &[
        QUERY,
        FROM,
        TO,
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 20), "Patterns listed at most"),
        Argument::new("examples", ArgumentKind::Whole(0, 5, 1), "References of the earliest events of each"),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let options = PatternOptions {
        limit: call.given.whole("limit"),
        buckets: 1,
        examples: call.given.whole("examples"),
        ..PatternOptions::default()
    };
    let mut latest = None;
    let mut partial = |found: &Patterns, share: f64| latest = Some((found.clone(), share));
    let found = named.case.patterns(&snapshot, &view, &options, &mut partial, call.cancel());
    let (found, share) = call.or_partial(found, latest)?;
    let rows: Vec<Value> = found
        .patterns
        .iter()
        .map(|pattern| {
            json!({
                "template": pattern.id.to_string(),
                "text": shortened(&pattern.text, TEXT_BYTES),
                "events": pattern.count,
                "share": pattern.share,
                "first": pattern.first.map(stamp::to_rfc3339),
                "last": pattern.last.map(stamp::to_rfc3339),
                "examples": pattern.examples.iter().map(|&id| named.reference(id)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut answer = begun(named, &snapshot);
    answer.insert("matching".to_owned(), json!(found.total));
    answer.insert("without_message".to_owned(), json!(found.without));
    answer.insert("distinct".to_owned(), json!(found.distinct));
    if share >= 1.0 {
        call.advise(&mut answer, named, &snapshot, found.total);
    }
    call.note_share(&mut answer, share, "patterns and counts are of the events looked at");
    with_rows(&mut answer, "patterns", rows, found.distinct as u64, |_| {
        format!("give a higher `limit` (up to {MOST_ROWS}), or exclude frequent ones with NOT template:ID")
    });
    Ok(answer)
}
