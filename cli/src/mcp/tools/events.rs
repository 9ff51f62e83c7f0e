//! `events`: events in order, and everything about one.

use indexer::{Around, Direction, ErrorKind, EventId, Shown, SortBy};
use serde_json::{Map, Value, json};

use super::Tool;
use super::rows::{begun, event, known};
use crate::mcp::answer::{Answered, Failure, shortened, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO, bad};
use crate::mcp::call::Call;
use crate::mcp::cases::NamedCase;
use crate::mcp::limits::{CELL_BYTES, EVENT_BYTES, MOST_ROWS, TEXT_BYTES};

pub const TOOL: Tool = Tool {
    name: "events",
    title: "Events",
    summary: "Lists the matching events in order of time or of a field. With `event`, the reference that every listed \
              event has: everything about that event, with the lines around it.",
    arguments: &[
        QUERY,
        FROM,
        TO,
        Argument::new(
            "order",
            ArgumentKind::Choice(&["oldest", "newest", "relevance"]),
            "Which events come first",
        ),
        Argument::new(
            "sort",
            ArgumentKind::Text,
            "A field to sort by instead of time; -field has the greatest first",
        ),
        Argument::new(
            "first",
            ArgumentKind::Whole(0, u64::MAX, 0),
            "Matching events to pass over, to read on",
        ),
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 20), "Events listed at most"),
        Argument::new("columns", ArgumentKind::Texts, "Fields whose values are listed with each event"),
        Argument::new("event", ArgumentKind::Text, "Reference of one event: CASE#SOURCE:OFFSET"),
        Argument::new("around", ArgumentKind::Whole(0, 50, 3), "With `event`: events before and after it"),
        Argument::new(
            "among",
            ArgumentKind::Choice(&["source", "case"]),
            "With `event`: those of its source, or of all sources by time",
        ),
    ],
    run,
};

fn run(call: &Call<'_>) -> Answered {
    match call.given.text("event") {
        Some(reference) => one(call, reference),
        None => list(call),
    }
}

fn list(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let columns = call.given.texts("columns");
    for column in &columns {
        known(&snapshot, column, "columns")?;
    }
    let rows = (call.given.whole("first"), call.given.whole("limit"));
    let shown = Shown { cut: TEXT_BYTES, columns: &columns };
    let page = if let Some(sort) = sort(call) {
        if sort.field != "relevance" {
            known(&snapshot, &sort.field, "sort")?;
        }
        named.case.page_by(&snapshot, &view, &sort, rows, &shown, call.cancel())
    } else {
        let newest = call.given.choice("order") == "newest";
        let direction = if newest { Direction::NewestFirst } else { Direction::OldestFirst };
        named.case.page(&snapshot, &view, direction, rows, &shown, call.cancel())
    };
    let page = call.in_query("query", page)?;
    let total = page.total as u64;
    let mut answer = begun(named, &snapshot);
    answer.insert("matching".to_owned(), json!(total));
    if rows.0 > 0 {
        answer.insert("first".to_owned(), json!(rows.0));
    }
    call.advise(&mut answer, named, &snapshot, total);
    let listed =
        page.events.iter().map(|found| event(named, &snapshot, found, &columns, TEXT_BYTES)).collect();
    with_rows(&mut answer, "events", listed, total.saturating_sub(rows.0 as u64), |listed| {
        format!("read on with `first`: {}; or narrow the filter or the times", rows.0 + listed)
    });
    Ok(answer)
}

fn sort(call: &Call<'_>) -> Option<SortBy> {
    if call.given.choice("order") == "relevance" {
        return Some(SortBy { field: "relevance".to_owned(), descending: true });
    }
    let text = call.given.text("sort")?;
    let (field, descending) = text.strip_prefix('-').map_or((text, false), |field| (field, true));
    Some(SortBy { field: field.to_owned(), descending })
}

fn one(call: &Call<'_>, reference: &str) -> Answered {
    let in_reference = |error| Failure::from(error).in_argument("event", reference);
    let (named, id) = call.cases.event(reference, call.given.text("case")).map_err(in_reference)?;
    let snapshot = named.case.snapshot();
    let found = named.case.event(&snapshot, id.source, id.offset, EVENT_BYTES);
    let (found, fields) = found.map_err(|error| in_reference(explained(error, named, id)))?;
    let mut answer = begun(named, &snapshot);
    answer.insert("event".to_owned(), event(named, &snapshot, &found, &[], EVENT_BYTES));
    let fields: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), json!(shortened(&field.value, CELL_BYTES)))).collect();
    let whole = fields.len() as u64;
    let fields = fields.into_iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    with_rows(&mut answer, "fields", fields, whole, |_| {
        "list the event with the fields that are wanted as `columns`".to_owned()
    });
    let wanted = call.given.whole("around");
    if wanted > 0 {
        let among = if call.given.choice("among") == "case" { Around::Everywhere } else { Around::File };
        let sides = (wanted, wanted);
        let shown = Shown::text(TEXT_BYTES);
        let context = named.case.around(&snapshot, id.place(), &among, sides, &shown, call.cancel());
        let context = context.map_err(in_reference)?;
        // The nearest ones first, so that those far away are left out where there is no room.
        let before = context.before.iter().rev().map(|event| (event, "before"));
        let after = context.after.iter().map(|event| (event, "after"));
        let mut around: Vec<(usize, Value)> = Vec::new();
        for side in [before.collect::<Vec<_>>(), after.collect()] {
            let rows = side.into_iter().enumerate().map(|(distance, (near, place))| {
                let mut row = event(named, &snapshot, near, &[], TEXT_BYTES);
                row["place"] = json!(place);
                (distance, row)
            });
            around.extend(rows);
        }
        around.sort_by_key(|(distance, _)| *distance);
        let whole = around.len() as u64;
        let rows = around.into_iter().map(|(_, row)| row).collect();
        with_rows(&mut answer, "around", rows, whole, |_| "ask for one of these with `event`".to_owned());
    }
    Ok(answer)
}

/// What a reference to no event should have been.
fn explained(error: indexer::Error, named: &NamedCase, id: EventId) -> indexer::Error {
    if error.kind() != ErrorKind::NotFound {
        return error;
    }
    bad(format!("the case {} has no event at byte {} of source {}", named.name, id.offset, id.source))
        .hint("take references from the answers of `events` and `patterns`; they are not made up")
}
