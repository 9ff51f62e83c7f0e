//! The index template of a push, from the fields of the case as they are measured in a part of its events.

use std::collections::BTreeMap;

use indexer::{Cancel, Error, ErrorKind, FieldKind, NO_TIME, SortBy, Walk};
use serde_json::{Map, Value, json};

use super::document::{case_fields, name_there};
use super::{PushOptions, Source};

/// Events that are looked at.
const MEASURED: usize = 20_000;

/// The most characters of a keyword: 32,766 bytes hold them in any script.
const KEYWORD_CHARACTERS: usize = 8_191;

/// From this mean length on, values with spaces are text that people search for words in.
const TEXT_CHARACTERS: usize = 40;

#[derive(Default)]
struct Measured {
    values: usize,
    characters: usize,
    addresses: usize,
    with_spaces: usize,
}

/// The template, before anything is sent.
#[must_use]
pub fn template(source: &Source<'_>, options: &PushOptions) -> Value {
    let (measured, has_nanos) = measured(source);
    let fields = case_fields(source.snapshot);
    let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    let keyword = || json!({"type": "keyword", "ignore_above": KEYWORD_CHARACTERS});
    let text = || json!({"type": "text", "fields": {"keyword": keyword()}});
    let mut properties = Map::new();
    properties
        .insert("@timestamp".to_owned(), json!({"type": if has_nanos { "date_nanos" } else { "date" }}));
    properties.insert("message".to_owned(), text());
    let whole = json!({"type": "long"});
    properties.insert(
        "log".to_owned(),
        json!({"properties": {"level": keyword(), "file": {"properties": {"path": keyword(), "line": whole}}}}),
    );
    properties.insert(
        "timberline".to_owned(),
        json!({"properties": {"source": {"type": "keyword"}, "offset": whole}}),
    );
    if options.with_original {
        properties.insert("event".to_owned(), json!({"properties": {"original": {"type": "keyword", "ignore_above": KEYWORD_CHARACTERS, "doc_values": false}}}));
    }
    for (name, kinds) in &fields {
        let there = name_there(name, &names);
        let described = match kinds.as_slice() {
            [FieldKind::Int] => whole.clone(),
            [FieldKind::Bool] => json!({"type": "boolean"}),
            kinds if kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float)) => {
                json!({"type": "double"})
            }
            [FieldKind::Text] => match measured.get(name) {
                Some(found) if found.values > 0 && found.addresses == found.values => {
                    json!({"type": "ip", "ignore_malformed": true})
                }
                Some(found)
                    if found.characters >= TEXT_CHARACTERS * found.values
                        && found.with_spaces * 2 > found.values =>
                {
                    text()
                }
                _ => keyword(),
            },
            _ => keyword(),
        };
        insert(&mut properties, &there, described);
    }
    let mut template = json!({
        "index_patterns": [options.index],
        "priority": 500,
        "template": {
            "settings": {"index": {
                "codec": "best_compression",
                "mapping": {"total_fields": {"limit": (fields.len() * 3 + 100).max(1_000)}},
            }},
            "mappings": {
                "properties": properties,
                "dynamic_templates": [{"texts": {"match_mapping_type": "string", "mapping": keyword()}}],
            },
        },
        "_meta": {"made_by": "timberline push"},
    });
    if options.data_stream {
        template["data_stream"] = json!({});
    }
    template
}

/// Puts a field at its path.
fn insert(properties: &mut Map<String, Value>, path: &str, described: Value) {
    match path.split_once('.') {
        None => {
            properties.entry(path).or_insert(described);
        }
        Some((head, rest)) => {
            let object = properties.entry(head).or_insert_with(|| json!({"properties": {}}));
            let Some(object) = object.as_object_mut() else { return };
            let inner = object.entry("properties").or_insert_with(|| json!({}));
            if let Some(inner) = inner.as_object_mut() {
                insert(inner, rest, described);
            }
        }
    }
}

/// What the values of text fields are like, and whether times have more than milliseconds.
fn measured(source: &Source<'_>) -> (BTreeMap<String, Measured>, bool) {
    let (mut measured, mut has_nanos) = (BTreeMap::<String, Measured>::new(), false);
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let walk = Walk { sort, limit: MEASURED, with_fields: true };
    let mut each = |event: indexer::Event, fields: Vec<indexer::FieldValue>| {
        has_nanos |= event.time != NO_TIME && event.time.rem_euclid(1_000_000) != 0;
        for field in fields.iter().filter(|field| field.kind == FieldKind::Text) {
            let found = measured.entry(field.name.clone()).or_default();
            found.values += 1;
            found.characters += field.value.chars().count();
            found.addresses += usize::from(field.value.parse::<std::net::IpAddr>().is_ok());
            found.with_spaces += usize::from(field.value.contains(' '));
        }
        Ok::<(), Error>(())
    };
    let looked = source.case.for_each(source.snapshot, source.view, &walk, &Cancel::default(), &mut each);
    // What cannot be read is reported when it is sent; keywords take everything.
    if looked.is_err_and(|error| error.kind() != ErrorKind::Cancelled) {
        measured.clear();
    }
    (measured, has_nanos)
}
