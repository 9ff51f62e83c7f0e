//! `percentiles`: exact percentiles of a numeric field, for all matching events or by the values of another field.

use indexer::aggregate::{self, Axis, By, Measure, Request, TermOrder};
use indexer::{Engine, FieldKind, Snapshot};
use serde_json::{Value, json};

use super::Tool;
use super::rows::{begun, known, scalar};
use crate::mcp::answer::{Answered, Failure, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, QUERY, TO, bad};
use crate::mcp::call::Call;
use crate::mcp::limits::{MOST_GROUPS, MOST_NAMES};

pub const TOOL: Tool = Tool {
    name: "percentiles",
    title: "Percentiles of a number",
    summary: "Exact percentiles of a numeric field, with its count, over the matching events; with `by` for each of the \
              most frequent values of another field.",
    arguments: &[
        Argument::needed("field", ArgumentKind::Text, "The numeric field"),
        Argument::new("by", ArgumentKind::Text, "The field whose values are compared"),
        Argument::new("at", ArgumentKind::Numbers, "Percentiles from 0 to 100; 50, 90, 95, 99 unless given"),
        Argument::new(
            "groups",
            ArgumentKind::Whole(1, MOST_GROUPS, 20),
            "With `by`: values at most; all others are one more",
        ),
        QUERY,
        FROM,
        TO,
    ],
    run,
};

const USUAL: [f64; 4] = [50.0, 90.0, 95.0, 99.0];

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let view = call.view(&snapshot)?;
    let field = call.given.text("field").unwrap_or_default().to_owned();
    numeric(&snapshot, &field)?;
    if let Some(by) = call.given.text("by") {
        known(&snapshot, by, "by")?;
    }
    let mut at = call.given.numbers("at");
    if let Some(wrong) = at.iter().find(|percent| !(0.0..=100.0).contains(*percent)) {
        let error = bad(format!("{wrong} is not a percentile")).hint("percentiles are from 0 to 100");
        return Err(Failure::from(error).in_argument("at", ""));
    }
    if at.is_empty() {
        at = USUAL.to_vec();
    }
    let by: Vec<By> = call
        .given
        .text("by")
        .map(|by| By::Terms { field: by.to_owned(), top: call.given.whole("groups"), order: TermOrder::Most })
        .into_iter()
        .collect();
    let request = Request { by, measures: vec![Measure::Percentiles { field: field.clone(), at }] };
    let mut latest = None;
    let mut partial = |answer: &aggregate::Answer, share: f64| latest = Some((answer.clone(), share));
    let measured = named.case.aggregate(&snapshot, &view, &request, &mut partial, call.cancel());
    let (measured, share) = call.or_partial(measured, latest)?;
    let mut answer = begun(named, &snapshot);
    answer.insert("matching".to_owned(), json!(measured.total));
    answer.insert("field".to_owned(), json!(field));
    if let Some(first) = measured.measured.first() {
        answer.insert("without_the_field".to_owned(), json!(first.missing));
        answer.insert("not_a_number".to_owned(), json!(first.mistyped));
    }
    if share >= 1.0 {
        call.advise(&mut answer, named, &snapshot, measured.total);
    }
    call.note_share(
        &mut answer,
        share,
        "only counts are known, of the events looked at; percentiles need all of them",
    );
    let mut groups: Vec<Value> = match measured.axes.first() {
        Some(Axis::Terms { values, .. }) => values.iter().map(scalar).collect(),
        _ => Vec::new(),
    };
    let distinct = match measured.axes.first() {
        Some(Axis::Terms { field, distinct, .. }) => {
            groups.extend([json!("all others"), json!("without the field")]);
            answer.insert("by".to_owned(), json!(field));
            answer.insert("distinct".to_owned(), json!(distinct));
            true
        }
        _ => false,
    };
    let row = |(cell, events): (usize, &u64)| {
        let mut row = json!({ "events": events });
        if distinct {
            row["group"] = groups.get(cell).cloned().unwrap_or_default();
        }
        for one in &measured.measured {
            row[one.name.as_str()] = json!(one.values.get(cell).and_then(Option::as_ref).map(scalar));
        }
        (*events > 0 || !distinct).then_some(row)
    };
    let rows: Vec<Value> = measured.counts.iter().enumerate().filter_map(row).collect();
    let whole = rows.len() as u64;
    with_rows(&mut answer, "rows", rows, whole, |_| "ask for fewer `groups` or percentiles".to_owned());
    Ok(answer)
}

/// A field without numbers is an error, with those that have some.
fn numeric(snapshot: &Snapshot, field: &str) -> Result<(), Failure> {
    known(snapshot, field, "field")?;
    let is_number = |kind: &FieldKind| matches!(kind, FieldKind::Int | FieldKind::Float);
    let fields = Engine::fields(snapshot);
    let numbers: Vec<&str> = fields
        .iter()
        .filter(|field| field.kinds.iter().any(is_number))
        .map(|field| field.name.as_str())
        .take(MOST_NAMES)
        .collect();
    if fields.is_empty()
        || fields.iter().any(|known| known.name == field && known.kinds.iter().any(is_number))
    {
        return Ok(());
    }
    let error = bad(format!("`{field}` has no numbers")).spanning(0, field.len());
    let error = match numbers.as_slice() {
        [] => error.hint("the case has no numeric field"),
        some => error.hint(format!("numeric fields are {}", some.join(", "))),
    };
    Err(Failure::from(error).in_argument("field", field))
}
