//! `fields`: what events have, and the values of one field.

use indexer::aggregate::{Facets, FacetsRequest, NumberFacet};
use indexer::query::ecs;
use indexer::{Engine, FieldKind, Scalar};
use serde_json::{Value, json};

use super::Tool;
use super::rows::{begun, known, scalar};
use crate::mcp::answer::{Answered, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::MOST_ROWS;

pub const TOOL: Tool = Tool {
    name: "fields",
    title: "Fields and their values",
    summary: "Lists the fields of a case with the types of their values and how many events have each. With `field`: the \
              most frequent values of that field among the matching events, and of numbers the range and percentiles.",
    arguments: &[
        Argument::new("field", ArgumentKind::Text, "The field whose values are listed"),
        Argument::new("like", ArgumentKind::Text, "Only fields with this text in their name"),
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 50), "Fields or values listed at most"),
        QUERY,
        FROM,
        TO,
    ],
    run,
};

/// What every event has besides its fields.
const BUILT_IN: &str =
    "Every event also has time, line, raw (its whole text) and template (the id of its pattern).";

fn run(call: &Call<'_>) -> Answered {
    match call.given.text("field") {
        Some(field) => values(call, field),
        None => list(call),
    }
}

fn list(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let like = call.given.text("like").unwrap_or_default().to_lowercase();
    let mut fields = Engine::fields(&snapshot);
    fields.retain(|field| field.name.to_lowercase().contains(&like));
    let whole = fields.len() as u64;
    let row = |field: &indexer::aggregate::KnownField| {
        let kinds: Vec<&str> = field.kinds.iter().map(|kind: &FieldKind| kind.name()).collect();
        let mut row = json!({ "name": field.name, "types": kinds });
        if let Some(events) = field.present {
            row["events"] = json!(events);
        }
        if let Some((_, ecs)) = ecs::NAMES.iter().find(|(name, _)| *name == field.name) {
            row["ecs"] = json!(ecs);
        }
        row
    };
    let rows: Vec<Value> = fields.iter().take(call.given.whole("limit")).map(row).collect();
    let mut answer = begun(named, &snapshot);
    answer.insert("events".to_owned(), json!(snapshot.events()));
    answer.insert("built_in".to_owned(), json!(BUILT_IN));
    with_rows(&mut answer, "fields", rows, whole, |_| {
        format!("give a part of the name as `like`, or a higher `limit` (up to {MOST_ROWS})")
    });
    Ok(answer)
}

fn values(call: &Call<'_>, field: &str) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    known(&snapshot, field, "field")?;
    let request = FacetsRequest {
        fields: vec![field.to_owned()],
        top: call.given.whole("limit"),
        buckets: 1,
        edges: None,
    };
    let found = named.case.facets(&snapshot, &view, &request, &mut |_: &Facets, _| {}, call.cancel());
    let found = call.in_query("query", found)?;
    let mut answer = begun(named, &snapshot);
    answer.insert("matching".to_owned(), json!(found.total));
    let Some(facet) = found.fields.into_iter().next() else { return Ok(answer) };
    answer.insert("field".to_owned(), json!(facet.field));
    answer.insert("events".to_owned(), json!(facet.present));
    answer.insert("distinct".to_owned(), json!(facet.distinct));
    if let Some(numbers) = &facet.numbers {
        answer.insert("numbers".to_owned(), numbers_as_json(numbers));
    }
    let rows =
        facet.top.iter().map(|top| json!({ "value": scalar(&top.value), "events": top.count })).collect();
    // Too many values to be counted are more than fit.
    let whole = facet.distinct.unwrap_or(u64::MAX).max(facet.top.len() as u64);
    with_rows(&mut answer, "values", rows, whole, |_| {
        format!("give a higher `limit` (up to {MOST_ROWS}), narrow the filter, or use `sql`")
    });
    Ok(answer)
}

fn numbers_as_json(numbers: &NumberFacet) -> Value {
    let value = |value: &Option<Scalar>| value.as_ref().map(scalar);
    let mut json = json!({
        "events": numbers.count,
        "least": value(&numbers.least),
        "greatest": value(&numbers.greatest),
        "average": value(&numbers.average),
    });
    for percentile in &numbers.percentiles {
        json[format!("p{}", percentile.percent)] = json!(value(&percentile.value));
    }
    json
}
