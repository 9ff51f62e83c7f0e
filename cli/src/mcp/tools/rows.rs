//! What several tools write alike: times, values, events, and what an answer lacks.

use indexer::{Engine, Event, NO_TIME, Scalar, Snapshot, sentence, stamp};
use serde_json::{Map, Value, json};

use crate::mcp::answer::{Failure, cut, shortened};
use crate::mcp::cases::NamedCase;
use crate::mcp::limits::{CELL_BYTES, TEXT_BYTES};

/// An answer, begun with what is true of every answer of a case.
pub fn begun(case: &NamedCase, snapshot: &Snapshot) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("case".to_owned(), json!(case.name));
    let missing = snapshot.missing();
    if let Some(first) = missing.first() {
        let why = format!(
            "{} of the case's segments are damaged, and their events may be missing here: {} `timberline verify \
             --repair` rebuilds them.",
            missing.len(),
            sentence(first.why.message())
        );
        answer.insert("missing".to_owned(), json!(shortened(&why, TEXT_BYTES)));
    }
    answer
}

/// A field that no event has is an error, with the nearest name.
pub fn known(snapshot: &Snapshot, field: &str, argument: &'static str) -> Result<(), Failure> {
    if matches!(field, "time" | "line") {
        return Ok(());
    }
    Engine::check_known(snapshot, field)
        .map_err(|error| Failure::from(error.spanning(0, field.len())).in_argument(argument, field))
}

pub fn time(time: i64) -> Option<String> {
    (time != NO_TIME).then(|| stamp::to_rfc3339(time))
}

/// A value of a field. Whole numbers stay exact: JSON readers take up to 2^53.
pub fn scalar(value: &Scalar) -> Value {
    const EXACT: i64 = 1 << 53;
    match value {
        Scalar::Text(text) => json!(shortened(text, CELL_BYTES)),
        Scalar::Int(number) if number.abs() < EXACT => json!(number),
        Scalar::Int(number) => json!(number.to_string()),
        Scalar::Float(number) => json!(number),
        Scalar::Bool(is) => json!(is),
        Scalar::Time(at) => json!(time(*at)),
    }
}

/// An event in a list, with the values of the columns that were asked for.
pub fn event(
    case: &NamedCase,
    snapshot: &Snapshot,
    event: &Event,
    columns: &[String],
    bytes: usize,
) -> Value {
    let (text, is_cut) = cut(&event.text, bytes);
    let mut row = json!({
        "event": case.reference((event.source, event.offset)),
        "time": time(event.time),
        "source": snapshot.sources().get(event.source as usize).map(|source| &source.name),
        "line": event.line,
        "text": text,
    });
    if !event.level.name().is_empty() {
        row["level"] = json!(event.level.name());
    }
    if is_cut || event.cut {
        row["bytes"] = json!(event.length);
        row["cut"] = json!(true);
    }
    let values = columns.iter().zip(&event.values);
    let fields: Map<String, Value> = values
        .filter_map(|(name, value)| Some((name.clone(), json!(shortened(value.as_ref()?, CELL_BYTES)))))
        .collect();
    if !fields.is_empty() {
        row["fields"] = Value::Object(fields);
    }
    row
}
