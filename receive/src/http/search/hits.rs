//! Hits: the documents of a page. What was received as JSON is given as it was received; other events as an
//! object of their time, level, text and fields.

use indexer::{Engine, Event, Level, NO_TIME, Shown, Snapshot, View, stamp};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::dates::{MS, printed};
use super::names::{hit_id, index_of};
use super::options::text_of;
use super::sorting::Sorting;
use crate::http::Host;
use crate::http::answer::Problem;
use crate::http::bulk::push_text;
use crate::http::filter_path::{FilterPath, is_like};
use crate::http::limits::HIT_BYTES;
use crate::http::request::Head;

/// Events that are read at once: an answer is written as they come.
const STEP_ROWS: usize = 256;

/// The longest answer; more is fetched in smaller pages.
const ANSWER_BYTES: usize = 100 << 20;

/// Fields of events that are no JSON, at most so many.
const MOST_FIELDS: usize = 256;

/// What of each document is wanted.
#[derive(Clone, Debug, Default)]
pub struct HitParts {
    no_source: bool,
    source: FilterPath,
    /// Patterns of names, and the format of times.
    fields: Vec<(String, Option<String>)>,
}

/// A page as text.
pub struct Hits {
    pub total: usize,
    pub count: usize,
    pub scored: bool,
    pub written: Vec<u8>,
}

impl HitParts {
    pub fn parse(head: &Head, options: &Map<String, Value>) -> Result<HitParts, Problem> {
        let mut wanted = HitParts::default();
        let list = |value: &Value| match value {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
            other => text_of(Some(other)),
        };
        let mut paths: Vec<String> = Vec::new();
        let leave =
            |list: String| list.split(',').map(|path| format!("-{path}")).collect::<Vec<_>>().join(",");
        match options.get("_source") {
            None | Some(Value::Null | Value::Bool(true)) => {}
            Some(Value::Bool(false)) => wanted.no_source = true,
            Some(Value::Object(parts)) => {
                for (name, value) in parts {
                    match name.as_str() {
                        "includes" | "include" => paths.push(list(value)),
                        "excludes" | "exclude" if !list(value).is_empty() => paths.push(leave(list(value))),
                        "excludes" | "exclude" => {}
                        other => {
                            return Err(Problem::parsing(format!("[_source] does not support [{other}]")));
                        }
                    }
                }
            }
            Some(value) => paths.push(list(value)),
        }
        match head.parameter("_source") {
            None | Some("true" | "") => {}
            Some("false") => wanted.no_source = true,
            Some(list) => paths.push(list.to_owned()),
        }
        paths.extend(head.parameter("_source_includes").map(str::to_owned));
        paths.extend(head.parameter("_source_excludes").map(|list| leave(list.to_owned())));
        wanted.source = FilterPath::parse(&paths.join(","));
        for name in ["fields", "docvalue_fields"] {
            let list = options.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            wanted.fields.extend(list.iter().map(|field| match field {
                Value::Object(field) => (
                    text_of(field.get("field")),
                    field.get("format").and_then(Value::as_str).map(str::to_owned),
                ),
                field => (text_of(Some(field)), None),
            }));
        }
        Ok(wanted)
    }
}

/// The hits of some rows of a result.
pub fn hits(
    host: &Host,
    snapshot: &Snapshot,
    view: &View,
    sorting: &Sorting,
    (from, size): (usize, usize),
    wanted: &HitParts,
) -> Result<Hits, Problem> {
    let scored = sorting.keys.is_empty();
    if size == 0 {
        let total = host.case.count(snapshot, view, &host.stop)?;
        return Ok(Hits { total, count: 0, scored: false, written: Vec::new() });
    }
    let columns = columns(snapshot, sorting);
    let mut row = from + sorting.first(&host.case, snapshot, view, &host.stop)?;
    let mut hits = Hits { total: 0, count: 0, scored, written: Vec::new() };
    while hits.count < size {
        let step = STEP_ROWS.min(size - hits.count);
        let shown = Shown { cut: HIT_BYTES, columns: &columns };
        let page = host.case.page_by(snapshot, view, &sorting.by, (row, step), &shown, &host.stop)?;
        hits.total = page.total;
        for event in &page.events {
            if !hits.written.is_empty() {
                hits.written.push(b',');
            }
            push_hit(&mut hits.written, snapshot, event, &columns, (sorting, wanted))?;
        }
        if hits.written.len() > ANSWER_BYTES {
            return Err(Problem::argument(format!(
                "the hits take more than {ANSWER_BYTES} bytes; ask for fewer with [size]"
            )));
        }
        hits.count += page.events.len();
        row += page.events.len();
        if page.events.len() < step {
            break;
        }
    }
    Ok(hits)
}

/// The field that is sorted by and, where there are events that are no JSON, all others.
fn columns(snapshot: &Snapshot, sorting: &Sorting) -> Vec<String> {
    let mut columns = Vec::new();
    if !matches!(sorting.by.field.as_str(), "time" | "relevance") {
        columns.push(sorting.by.field.clone());
    }
    if snapshot.sources().iter().any(|source| !source.deleted && source.format != "json") {
        let fields = Engine::fields(snapshot).into_iter().map(|field| field.name);
        columns.extend(fields.filter(|name| !matches!(name.as_str(), "level" | "source")).take(MOST_FIELDS));
    }
    columns
}

fn push_hit(
    out: &mut Vec<u8>,
    snapshot: &Snapshot,
    event: &Event,
    columns: &[String],
    (sorting, wanted): (&Sorting, &HitParts),
) -> Result<(), Problem> {
    let source = snapshot.sources().get(event.source as usize);
    out.extend_from_slice(b"{\"_index\":");
    push_text(out, source.map_or("", |source| index_of(&source.name)));
    out.extend_from_slice(b",\"_id\":");
    push_text(out, &hit_id(event.source, event.offset));
    out.extend_from_slice(if sorting.keys.is_empty() { b",\"_score\":1.0" } else { b",\"_score\":null" });
    let document = document(event, columns);
    if !wanted.no_source {
        out.extend_from_slice(b",\"_source\":");
        if wanted.source.is_everything() {
            out.extend_from_slice(&document);
        } else {
            let value: Value = serde_json::from_slice(&document).unwrap_or_default();
            out.extend_from_slice(wanted.source.apply(&value).to_string().as_bytes());
        }
    }
    if !wanted.fields.is_empty() {
        let value: Value = serde_json::from_slice(&document).unwrap_or_default();
        out.extend_from_slice(b",\"fields\":");
        out.extend_from_slice(fields(event, &value, &wanted.fields)?.to_string().as_bytes());
    }
    if !sorting.keys.is_empty() {
        let place = columns.iter().position(|column| *column == sorting.by.field);
        let value = place.and_then(|place| event.values.get(place)?.as_deref());
        let keys = sorting.of_hit(event, value);
        out.extend_from_slice(b",\"sort\":");
        out.extend_from_slice(Value::Array(keys).to_string().as_bytes());
    }
    out.push(b'}');
    Ok(())
}

/// An event as a document, without the values of columns.
pub fn hit_source(event: &Event) -> Vec<u8> {
    document(event, &[])
}

fn document(event: &Event, columns: &[String]) -> Vec<u8> {
    let text = event.text.trim();
    if !event.cut && text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return text.as_bytes().to_vec();
    }
    let mut document = Map::new();
    for (name, value) in columns.iter().zip(&event.values) {
        let Some(value) = value else { continue };
        document.insert(name.clone(), number_like(value).unwrap_or_else(|| json!(value)));
    }
    if event.time != NO_TIME {
        document.insert("@timestamp".to_owned(), json!(stamp::to_rfc3339(event.time)));
    }
    if event.level != Level::None {
        document.insert("log.level".to_owned(), json!(event.level.name()));
    }
    document.entry("message").or_insert_with(|| json!(event.text));
    document.insert("event.original".to_owned(), json!(event.text));
    Value::Object(document).to_string().into_bytes()
}

/// The number that prints as the text does.
fn number_like(text: &str) -> Option<Value> {
    let number =
        text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()?;
    let printed = number.to_string();
    (printed == text).then_some(number)
}

/// The values of some fields of a document, each as a list.
fn fields(event: &Event, document: &Value, wanted: &[(String, Option<String>)]) -> Result<Value, Problem> {
    let mut flat = Vec::new();
    flatten(String::new(), document, &mut flat);
    let mut found: Map<String, Value> = Map::new();
    for (pattern, format) in wanted {
        if is_like(pattern, "@timestamp") && event.time != NO_TIME {
            let text = printed(
                event.time.div_euclid(MS) * MS,
                &indexer::aggregate::TimeZone::UTC,
                format.as_deref(),
            )?;
            found.insert("@timestamp".to_owned(), json!([text]));
        }
        for (name, value) in flat.iter().filter(|(name, _)| name != "@timestamp" && is_like(pattern, name)) {
            let list = found.entry(name.clone()).or_insert_with(|| json!([]));
            if let Value::Array(list) = list {
                list.push((*value).clone());
            }
        }
    }
    Ok(Value::Object(found))
}

fn flatten<'v>(name: String, value: &'v Value, into: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(name, field, into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| flatten(name.clone(), value, into)),
        Value::Null => {}
        value => into.push((name, value)),
    }
}
