//! The index template of a push, from the fields of the case as they are measured in a part of its events.

use std::collections::BTreeMap;

use indexer::{Cancel, Error, ErrorKind, FieldKind, NO_TIME, SortBy, Walk};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::document::{case_fields, name_there};
use super::{PushOptions, Source};

/// Events that are looked at.
const MEASURED: usize = 20_000;

/// The most characters of a keyword: 32,766 bytes hold them in any script.
const KEYWORD_CHARACTERS: usize = 8_191;

/// From this mean length on, values with spaces are text that people search for words in.
const TEXT_CHARACTERS: usize = 40;

/// The template as the cluster takes it, and why it is so.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct IndexTemplate {
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub body: Value,
    /// The fields and the settings, in the order of the template.
    pub decisions: Vec<TemplateDecision>,
    /// Events that the fields were measured in.
    pub measured: u64,
}

/// One field or setting of a template.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TemplateDecision {
    pub name: String,
    /// The name in the case, where a mapping cannot have it.
    pub renamed: Option<String>,
    /// The type of the field, or the value of the setting.
    pub value: String,
    pub why: String,
}

#[derive(Default)]
struct Measured {
    values: usize,
    characters: usize,
    addresses: usize,
    with_spaces: usize,
}

/// How a field is mapped.
#[derive(Clone, Copy)]
enum Mapping {
    Date,
    DateNanos,
    Long,
    Double,
    Boolean,
    Ip,
    Keyword,
    /// A keyword that is searched, and neither sorted nor grouped.
    SearchedKeyword,
    /// Text with a keyword.
    Text,
}

impl Mapping {
    fn name(self) -> &'static str {
        match self {
            Mapping::Date => "date",
            Mapping::DateNanos => "date_nanos",
            Mapping::Long => "long",
            Mapping::Double => "double",
            Mapping::Boolean => "boolean",
            Mapping::Ip => "ip",
            Mapping::Keyword => "keyword",
            Mapping::SearchedKeyword => "keyword, doc_values off",
            Mapping::Text => "text + keyword",
        }
    }

    fn described(self) -> Value {
        let keyword = json!({"type": "keyword", "ignore_above": KEYWORD_CHARACTERS});
        match self {
            Mapping::Ip => json!({"type": "ip", "ignore_malformed": true}),
            Mapping::Keyword => keyword,
            Mapping::SearchedKeyword => {
                json!({"type": "keyword", "ignore_above": KEYWORD_CHARACTERS, "doc_values": false})
            }
            Mapping::Text => json!({"type": "text", "fields": {"keyword": keyword}}),
            _ => json!({"type": self.name()}),
        }
    }
}

/// A template that is being made.
#[derive(Default)]
struct Draft {
    properties: Map<String, Value>,
    decisions: Vec<TemplateDecision>,
}

impl Draft {
    /// Maps a field, unless another one has its name.
    fn map(&mut self, name: &str, renamed: Option<&str>, mapping: Mapping, why: impl Into<String>) {
        if insert(&mut self.properties, name, mapping.described()) {
            self.decide(name, renamed, mapping.name(), why);
        }
    }

    fn decide(&mut self, name: &str, renamed: Option<&str>, value: &str, why: impl Into<String>) {
        let (name, renamed) = (name.to_owned(), renamed.map(str::to_owned));
        self.decisions.push(TemplateDecision { name, renamed, value: value.to_owned(), why: why.into() });
    }
}

/// The template, before anything is sent.
#[must_use]
pub fn template(source: &Source<'_>, options: &PushOptions) -> IndexTemplate {
    let (events, measured, has_nanos) = measured(source);
    let fields = case_fields(source.snapshot);
    let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    let mut draft = Draft::default();
    if has_nanos {
        draft.map("@timestamp", None, Mapping::DateNanos, "times have more than milliseconds");
    } else {
        draft.map("@timestamp", None, Mapping::Date, "times have milliseconds");
    }
    draft.map("message", None, Mapping::Text, "words are searched in it, and the whole in its keyword");
    draft.map("log.level", None, Mapping::Keyword, "the word of the level");
    draft.map("log.file.path", None, Mapping::Keyword, "the source of the event");
    draft.map("log.file.line", None, Mapping::Long, "its line there");
    draft.map("timberline.source", None, Mapping::Keyword, "the hash of the source; ids come from it");
    draft.map("timberline.offset", None, Mapping::Long, "the place in the source; ids come from it");
    if options.with_original {
        let why = "the text as it was, searched exactly; neither sorted nor grouped";
        draft.map("event.original", None, Mapping::SearchedKeyword, why);
    }
    for (name, kinds) in &fields {
        let there = name_there(name, &names);
        let (mapping, why) = mapping(kinds, measured.get(name));
        draft.map(&there, (there != *name).then_some(name.as_str()), mapping, why);
    }
    let limit = (fields.len() * 3 + 100).max(1_000);
    draft.decide("index.codec", None, "best_compression", "smaller on disk, a little slower to read");
    draft.decide("index.mapping.total_fields.limit", None, &limit.to_string(), "room for more fields");
    let mut body = json!({
        "index_patterns": [options.index],
        "priority": 500,
        "template": {
            "settings": {"index": {
                "codec": "best_compression",
                "mapping": {"total_fields": {"limit": limit}},
            }},
            "mappings": {
                "properties": draft.properties,
                "dynamic_templates": [{"texts": {"match_mapping_type": "string", "mapping": Mapping::Keyword.described()}}],
            },
        },
        "_meta": {"made_by": "timberline push"},
    });
    if options.data_stream {
        body["data_stream"] = json!({});
        draft.decide("data_stream", None, "on", "documents are only added, and old ones go with their index");
    }
    IndexTemplate { body, decisions: draft.decisions, measured: events }
}

/// The mapping of a field of the case, and why.
fn mapping(kinds: &[FieldKind], measured: Option<&Measured>) -> (Mapping, String) {
    let numbers = kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float));
    let found = measured.filter(|found| found.values > 0);
    match (kinds, found) {
        ([FieldKind::Int], _) => (Mapping::Long, "whole numbers".to_owned()),
        ([FieldKind::Bool], _) => (Mapping::Boolean, "true or false".to_owned()),
        _ if numbers => (Mapping::Double, "numbers with fractions".to_owned()),
        ([FieldKind::Text], Some(found)) if found.addresses == found.values => {
            (Mapping::Ip, format!("all {} measured values are addresses", found.values))
        }
        ([FieldKind::Text], Some(found)) => {
            let mean = found.characters / found.values;
            if found.characters >= TEXT_CHARACTERS * found.values && found.with_spaces * 2 > found.values {
                let why = format!("{mean} characters on average, most with spaces: words are searched in it");
                (Mapping::Text, why)
            } else {
                let why = format!("{mean} characters on average: searched, sorted and grouped as a whole");
                (Mapping::Keyword, why)
            }
        }
        ([FieldKind::Text], None) => {
            (Mapping::Keyword, "not in the measured events; a keyword takes everything".to_owned())
        }
        _ => (Mapping::Keyword, "values of several types; a keyword takes all of them".to_owned()),
    }
}

/// Puts a field at its path; false where the path is taken.
fn insert(properties: &mut Map<String, Value>, path: &str, described: Value) -> bool {
    match path.split_once('.') {
        None if properties.contains_key(path) => false,
        None => properties.insert(path.to_owned(), described).is_none(),
        Some((head, rest)) => {
            let object = properties.entry(head).or_insert_with(|| json!({"properties": {}}));
            let Some(object) = object.as_object_mut() else { return false };
            let inner = object.entry("properties").or_insert_with(|| json!({}));
            inner.as_object_mut().is_some_and(|inner| insert(inner, rest, described))
        }
    }
}

/// How many events were looked at, what the values of text fields are like, and whether times have more than milliseconds.
fn measured(source: &Source<'_>) -> (u64, BTreeMap<String, Measured>, bool) {
    let (mut events, mut measured, mut has_nanos) = (0, BTreeMap::<String, Measured>::new(), false);
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let walk = Walk { sort, limit: MEASURED, with_fields: true };
    let mut each = |event: indexer::Event, fields: Vec<indexer::FieldValue>| {
        events += 1;
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
    (events, measured, has_nanos)
}
