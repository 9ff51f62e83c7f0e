//! An event as a document, and its id.

use std::collections::BTreeMap;

use indexer::{Event, FieldKind, FieldValue, NO_TIME, Snapshot, stamp};
use serde_json::{Map, Value};

/// Names that are ours in every document; a field of a case with one of them gets another.
const OURS: [&str; 5] = ["@timestamp", "log", "event", "timberline", "message"];

/// The fields of the case's formats with their types; level and source are built in.
pub fn case_fields(snapshot: &Snapshot) -> Vec<(String, Vec<FieldKind>)> {
    let fields = indexer::Engine::fields(snapshot).into_iter();
    fields
        .filter(|field| !matches!(field.name.as_str(), "level" | "source"))
        .map(|field| (field.name, field.kinds))
        .collect()
}

/// Makes documents of the events of one case.
pub struct Documents {
    names: BTreeMap<String, String>,
    sources: Vec<(String, String)>,
    with_original: bool,
}

/// The part of a source's hash that ids and documents have.
pub fn source_key(sha256: &str) -> String {
    sha256.chars().take(20).collect()
}

impl Documents {
    pub fn new(snapshot: &Snapshot, with_original: bool) -> Documents {
        let fields: Vec<String> = case_fields(snapshot).into_iter().map(|field| field.0).collect();
        let names = fields.iter().map(|name| (name.clone(), name_there(name, &fields))).collect();
        let sources = snapshot.sources().iter();
        let sources = sources.map(|entry| (source_key(&entry.sha256), entry.name.clone())).collect();
        Documents { names, sources, with_original }
    }

    /// The id and the document of an event.
    pub fn document(&self, event: &Event, fields: &[FieldValue]) -> (String, Value) {
        let unknown = (String::new(), String::new());
        let (key, source) = self.sources.get(event.source as usize).unwrap_or(&unknown);
        let mut document = Map::new();
        if event.time != NO_TIME {
            document.insert("@timestamp".to_owned(), stamp::to_rfc3339(event.time).into());
        }
        let mut log = Map::new();
        if !event.level.name().is_empty() {
            log.insert("level".to_owned(), event.level.name().into());
        }
        log.insert("file".to_owned(), serde_json::json!({"path": source, "line": event.line}));
        document.insert("log".to_owned(), Value::Object(log));
        document.insert("timberline".to_owned(), serde_json::json!({"source": key, "offset": event.offset}));
        if self.with_original {
            document.insert("event".to_owned(), serde_json::json!({"original": event.text}));
        }
        for field in fields {
            let name = self.names.get(&field.name).map_or(field.name.as_str(), String::as_str);
            document.entry(name.to_owned()).or_insert_with(|| field.as_json());
        }
        document.entry("message").or_insert_with(|| event.text.as_str().into());
        (format!("{key}-{:x}", event.offset), Value::Object(document))
    }
}

/// A field's name as a mapping can have it: objects and values do not share one, and some names are taken.
pub fn name_there(name: &str, all: &[String]) -> String {
    let parts: Vec<&str> =
        name.split('.').map(|part| if part.trim().is_empty() { "_" } else { part }).collect();
    let mut there = parts.join(".");
    if there.starts_with('_') {
        there.insert(0, 'x');
    }
    let is_ours = OURS.contains(&there.as_str()) && there != "message";
    let below = format!("{name}.");
    if is_ours || all.iter().any(|other| other.starts_with(&below)) {
        there.push_str(".value");
    }
    // What is below one of our objects is not mixed with it.
    if matches!(there.as_str(), "log.level" | "log.file.path" | "log.file.line" | "event.original") {
        there.insert_str(0, "fields.");
    }
    there
}

/// The two lines of a bulk request.
pub fn lines(id: &str, document: &Value, index: Option<&str>, to: &mut Vec<u8>) {
    let action = match index {
        Some(index) => serde_json::json!({"create": {"_index": index, "_id": id}}),
        None => serde_json::json!({"create": {"_id": id}}),
    };
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *to, &action);
    to.push(b'\n');
    let _ = serde_json::to_writer(&mut *to, document);
    to.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_a_mapping_can_have() {
        let all: Vec<String> = ["a", "a.b", "log", "_id", "x..y", "status"].map(str::to_owned).to_vec();
        let there: Vec<String> = all.iter().map(|name| name_there(name, &all)).collect();
        assert_eq!(there, ["a.value", "a.b", "log.value", "x_id", "x._.y", "status"]);
        assert_eq!(name_there("log.level", &all), "fields.log.level");
    }
}
