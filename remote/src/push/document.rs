//! An event as a document, and its id.

use std::collections::BTreeMap;

use indexer::{Event, FieldKind, FieldValue, NO_TIME, Snapshot, stamp};
use serde::Serialize;
use serde_json::Value;

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
    sources: Vec<SourceParts>,
    with_original: bool,
}

/// What the documents of a source have in common.
struct SourceParts {
    key: String,
    name: String,
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
        let sources = sources
            .map(|entry| SourceParts { key: source_key(&entry.sha256), name: entry.name.clone() })
            .collect();
        Documents { names, sources, with_original }
    }

    /// The document of an event.
    pub fn document(&self, event: &Event, fields: &[FieldValue]) -> Value {
        let mut text = Vec::new();
        self.write(event, fields, &mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes the two lines of a bulk request: an action, which names the index if there is one, and the document.
    pub fn write_lines(&self, event: &Event, fields: &[FieldValue], index: Option<&str>, to: &mut Vec<u8>) {
        put(to, "{\"create\":{\"_id\":\"");
        put(to, self.key(event));
        put(to, &format!("-{:x}\"", event.offset));
        if let Some(index) = index {
            put(to, ",\"_index\":");
            put_json(to, index);
        }
        put(to, "}}\n");
        self.write(event, fields, to);
        to.push(b'\n');
    }

    fn key(&self, event: &Event) -> &str {
        self.sources.get(event.source as usize).map_or("", |source| &source.key)
    }

    /// Written without values in between: a push makes millions.
    fn write(&self, event: &Event, fields: &[FieldValue], to: &mut Vec<u8>) {
        put(to, "{\"log\":{\"file\":{\"line\":");
        put_json(to, &event.line);
        put(to, ",\"path\":");
        put_json(to, self.sources.get(event.source as usize).map_or("", |source| source.name.as_str()));
        put(to, "}");
        if !event.level.name().is_empty() {
            put(to, ",\"level\":");
            put_json(to, event.level.name());
        }
        put(to, "},\"timberline\":{\"offset\":");
        put_json(to, &event.offset);
        put(to, ",\"source\":");
        put_json(to, self.key(event));
        put(to, "}");
        if event.time != NO_TIME {
            put(to, ",\"@timestamp\":");
            put_json(to, &stamp::to_rfc3339(event.time));
        }
        if self.with_original {
            put(to, ",\"event\":{\"original\":");
            put_json(to, &event.text);
            put(to, "}");
        }
        let mut written: Vec<&str> = Vec::with_capacity(fields.len());
        for field in fields {
            let name = self.names.get(&field.name).map_or(field.name.as_str(), String::as_str);
            // Of fields that have one name there, the first counts.
            if written.contains(&name) {
                continue;
            }
            written.push(name);
            put(to, ",");
            put_json(to, name);
            put(to, ":");
            match field.kind {
                FieldKind::Text => put_json(to, &field.value),
                _ => put_json(to, &field.as_json()),
            }
        }
        if !written.contains(&"message") {
            put(to, ",\"message\":");
            put_json(to, &event.text);
        }
        put(to, "}");
    }
}

fn put(to: &mut Vec<u8>, text: &str) {
    to.extend_from_slice(text.as_bytes());
}

fn put_json(to: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(to, value);
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
