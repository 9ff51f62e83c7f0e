//! Hits: the documents of a page. What was received as JSON is given as it was received; other events as an
//! object of their time, level, text and fields.

use indexer::{Cancel, Case, Engine, Event, Level, NO_TIME, Shown, Snapshot, View, stamp};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::dates::{MS, printed};
use super::names::{hit_id, index_of};
use super::options::text_of;
use super::sorting::Sorting;
use crate::http::answer::Problem;
use crate::http::bulk::push_text;
use crate::http::filter_path::{FilterPath, is_like};
use crate::http::limits::{ANSWER_BYTES, HIT_BYTES, SEARCH_LIST};
use crate::http::request::Head;

/// The most events that are read at once: an answer is written as they come.
const STEP_ROWS: usize = 256;

/// Events that are read first, while it is not known how long they are.
const FIRST_ROWS: usize = 16;

/// About so many bytes of events are read at once.
const STEP_BYTES: usize = 8 << 20;

/// Fields of events that are no JSON, at most so many.
const MOST_FIELDS: usize = 256;

/// The most bytes of the names of one document's fields.
const NAMES_BYTES: usize = 8 * HIT_BYTES;

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
        wanted.source = FilterPath::parse(&paths.join(","))?;
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
        if wanted.fields.len() > SEARCH_LIST {
            return Err(Problem::argument(format!("more than {SEARCH_LIST} [fields] are asked for")));
        }
        Ok(wanted)
    }
}

/// What hits are read of, and how.
pub struct Page<'a> {
    pub case: &'a Case,
    pub snapshot: &'a Snapshot,
    pub view: &'a View,
    pub sorting: &'a Sorting,
    pub wanted: &'a HitParts,
    pub most_bytes: usize,
    pub cancel: &'a Cancel,
}

impl Page<'_> {
    /// The hits of some rows of the result.
    pub fn hits(&self, from: usize, size: usize) -> Result<Hits, Problem> {
        let Page { case, snapshot, view, sorting, cancel, .. } = *self;
        let scored = sorting.keys.is_empty();
        if size == 0 {
            let total = case.count(snapshot, view, cancel)?;
            return Ok(Hits { total, count: 0, scored: false, written: Vec::new() });
        }
        let columns = columns(snapshot, sorting);
        let mut row = from + sorting.first(case, snapshot, view, cancel)?;
        let mut hits = Hits { total: 0, count: 0, scored, written: Vec::new() };
        let mut at_once = FIRST_ROWS;
        while hits.count < size {
            let step = at_once.min(size - hits.count);
            let shown = Shown { cut: HIT_BYTES, columns: &columns };
            let page = case.page_by(snapshot, view, &sorting.by, (row, step), &shown, cancel)?;
            hits.total = page.total;
            for event in &page.events {
                if !hits.written.is_empty() {
                    hits.written.push(b',');
                }
                self.push_hit(&mut hits.written, event, &columns)?;
            }
            if hits.written.len() > self.most_bytes {
                return Err(Problem::argument(format!(
                    "the hits take more than the {ANSWER_BYTES} bytes of an answer; ask for fewer with [size]"
                )));
            }
            hits.count += page.events.len();
            row += page.events.len();
            if page.events.len() < step {
                break;
            }
            let each = page.events.iter().map(|event| event.text.len()).sum::<usize>() / step;
            at_once = (STEP_BYTES / each.max(1)).clamp(1, (at_once * 4).min(STEP_ROWS));
        }
        Ok(hits)
    }

    fn push_hit(&self, out: &mut Vec<u8>, event: &Event, columns: &[String]) -> Result<(), Problem> {
        let Page { snapshot, sorting, wanted, .. } = *self;
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
                out.extend_from_slice(&wanted.source.apply(&document, self.cancel));
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
    let (mut flat, mut left) = (Vec::new(), NAMES_BYTES);
    flatten(String::new(), document, &mut flat, &mut left);
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
    }
    let is_wanted = |name: &str| wanted.iter().any(|(pattern, _)| is_like(pattern, name));
    for (name, value) in flat.iter().filter(|(name, _)| name != "@timestamp" && is_wanted(name)) {
        let list = found.entry(name.clone()).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push((*value).clone());
        }
    }
    Ok(Value::Object(found))
}

/// The values of a document by their names. Names are put together of those around them, so a long one that has many others in
/// it would be there as often: what is beyond the bytes that are left is passed over.
fn flatten<'v>(name: String, value: &'v Value, into: &mut Vec<(String, &'v Value)>, left: &mut usize) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let length = name.len() + 1 + key.len();
                let Some(rest) = left.checked_sub(length) else { continue };
                *left = rest;
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(name, field, into, left);
            }
        }
        Value::Array(values) => {
            for value in values {
                let Some(rest) = left.checked_sub(name.len()) else { continue };
                *left = rest;
                flatten(name.clone(), value, into, left);
            }
        }
        Value::Null => {}
        value => into.push((name, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_with_many_others_in_it_is_not_there_as_often() {
        let many: Map<String, Value> = (0..100_u32).map(|n| (n.to_string(), json!([n, n]))).collect();
        let mut document = json!({"a": {"b": 1}});
        document["x".repeat(10_000)] = Value::Object(many);
        let (mut flat, mut left) = (Vec::new(), 100_000);
        flatten(String::new(), &document, &mut flat, &mut left);
        assert_eq!(flat[0], ("a.b".to_owned(), &json!(1)));
        assert!(flat.len() < 12, "{}", flat.len());
    }
}
