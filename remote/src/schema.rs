//! The fields of a cluster's indexes, from `_field_caps` and `_mapping`, and which of them a question is put to.

use std::collections::{BTreeMap, BTreeSet};

use indexer::query::{KnownField, ecs};
use indexer::{Error, ErrorKind, FieldKind, Result};
use serde_json::Value;

use crate::json;
use crate::limits::{DEPTH, FIELDS, KEYWORD_BYTES, NAME_BYTES};

/// What the values of a field are there.
#[derive(Clone, Debug, PartialEq)]
pub enum MappedKind {
    /// Analysed text, found by its tokens.
    Text,
    /// Whole values: `keyword`, `constant_keyword` and `wildcard`.
    Keyword,
    /// Whole numbers between two ends.
    Whole(i64, i64),
    Double,
    /// Numbers that are kept with less than 15 digits.
    Rounded,
    Bool,
    Ip,
    /// Milliseconds.
    Date,
    DateNanos,
    /// Another type, which is only known to be there or not.
    Other(String),
    /// Indexes disagree.
    Mixed(Vec<String>),
}

impl MappedKind {
    fn named(name: &str) -> MappedKind {
        match name {
            "text" | "match_only_text" => MappedKind::Text,
            "keyword" | "constant_keyword" | "wildcard" => MappedKind::Keyword,
            "long" => MappedKind::Whole(i64::MIN, i64::MAX),
            "integer" => MappedKind::Whole(i32::MIN.into(), i32::MAX.into()),
            "short" => MappedKind::Whole(i16::MIN.into(), i16::MAX.into()),
            "byte" => MappedKind::Whole(i8::MIN.into(), i8::MAX.into()),
            "double" => MappedKind::Double,
            "float" | "half_float" | "scaled_float" | "unsigned_long" => MappedKind::Rounded,
            "boolean" => MappedKind::Bool,
            "ip" => MappedKind::Ip,
            "date" => MappedKind::Date,
            "date_nanos" => MappedKind::DateNanos,
            other => MappedKind::Other(json::quoted(other)),
        }
    }

    /// As the cluster calls it, for people.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            MappedKind::Text => "text".to_owned(),
            MappedKind::Keyword => "keyword".to_owned(),
            MappedKind::Whole(..) => "long".to_owned(),
            MappedKind::Double => "double".to_owned(),
            MappedKind::Rounded => "float".to_owned(),
            MappedKind::Bool => "boolean".to_owned(),
            MappedKind::Ip => "ip".to_owned(),
            MappedKind::Date => "date".to_owned(),
            MappedKind::DateNanos => "date_nanos".to_owned(),
            MappedKind::Other(name) => name.clone(),
            MappedKind::Mixed(names) => names.join(" and "),
        }
    }

    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, MappedKind::Whole(..) | MappedKind::Double | MappedKind::Rounded)
    }

    #[must_use]
    pub fn is_time(&self) -> bool {
        matches!(self, MappedKind::Date | MappedKind::DateNanos)
    }
}

/// Where the values of a field come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Documents have it under its name.
    Document,
    /// An alias, a multi-field, a runtime field or metadata, which no document has.
    #[default]
    Derived,
}

/// A field there.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub kind: MappedKind,
    pub searchable: bool,
    pub aggregatable: bool,
    /// Of a text, the multi-field with its whole values.
    pub keyword: Option<String>,
    /// Values with more characters are not indexed.
    pub ignore_above: Option<u64>,
    /// Whether values are changed before they are indexed, by a normalizer.
    pub normalized: bool,
    /// The path of the objects in a list that it is in, if they are indexed one by one.
    pub nested: Option<String>,
    pub origin: Origin,
}

impl Field {
    /// The index that a document is in, which every document has.
    #[must_use]
    pub fn of_indexes() -> Field {
        Field {
            name: "_index".to_owned(),
            kind: MappedKind::Keyword,
            searchable: true,
            aggregatable: true,
            keyword: None,
            ignore_above: None,
            normalized: false,
            nested: None,
            origin: Origin::Derived,
        }
    }

    /// The type of its values, as the language knows it.
    #[must_use]
    pub fn language_kind(&self) -> FieldKind {
        match self.kind {
            MappedKind::Whole(..) => FieldKind::Int,
            MappedKind::Double | MappedKind::Rounded => FieldKind::Float,
            MappedKind::Bool => FieldKind::Bool,
            _ => FieldKind::Text,
        }
    }
}

/// The fields of a remote's indexes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub fields: BTreeMap<String, Field>,
    /// The field with the time.
    pub time: String,
    pub level: Option<String>,
    pub source: Option<String>,
    pub line: Option<String>,
    /// The field with an event's own text.
    pub text: Option<String>,
    /// How many fields there are beyond those that were read.
    pub left_out: usize,
}

/// What a mapping says of a field besides its type.
#[derive(Clone, Debug, Default)]
struct Mapped {
    ignore_above: Option<u64>,
    normalized: bool,
    nested: Option<String>,
    multi: BTreeSet<String>,
    /// The field that it is another name of.
    alias: Option<String>,
    origin: Origin,
}

impl Schema {
    /// Reads what `_field_caps?fields=*` and `_mapping` answer.
    pub fn new(caps: &Value, mapping: &Value, time_field: Option<&str>) -> Result<Schema> {
        let mut schema = Schema::default();
        let Some(described) = caps["fields"].as_object() else { return Err(json::lacks(&["fields"])) };
        let mut mapped = BTreeMap::new();
        for index in mapping.as_object().into_iter().flat_map(|indexes| indexes.values()) {
            read_properties(&index["mappings"]["properties"], "", None, DEPTH, &mut mapped);
        }
        // An alias is what it leads to.
        let aliases: Vec<(String, String)> =
            mapped.iter().filter_map(|(name, of)| Some((name.clone(), of.alias.clone()?))).collect();
        for (name, path) in aliases {
            if let Some(of) = mapped.get(&path).cloned() {
                mapped.insert(name, Mapped { origin: Origin::Derived, ..of });
            }
        }
        for (name, kinds) in described {
            let Some(kinds) = kinds.as_object().filter(|kinds| !kinds.is_empty()) else { continue };
            let is_inner = kinds.values().any(|kind| kind["metadata_field"] == true) || name.starts_with('_');
            if is_inner
                || name.len() > NAME_BYTES
                || kinds.keys().all(|kind| matches!(kind.as_str(), "object" | "nested"))
            {
                continue;
            }
            if schema.fields.len() >= FIELDS {
                schema.left_out += 1;
                continue;
            }
            schema.fields.insert(name.clone(), field(name, kinds, mapped.get(name)));
        }
        // Of the multi-fields of a text the one that leaves out least is best.
        for (name, of) in &mapped {
            let is_exact = |multi: &&String| {
                schema.fields.get(*multi).is_some_and(|field| {
                    field.kind == MappedKind::Keyword && field.searchable && !field.normalized
                })
            };
            let best = of.multi.iter().filter(is_exact).max_by_key(|multi| {
                schema.fields.get(*multi).and_then(|field| field.ignore_above).unwrap_or(u64::MAX)
            });
            let best = best.cloned();
            if let Some(field) = schema.fields.get_mut(name).filter(|field| field.kind == MappedKind::Text) {
                field.keyword = best;
            }
        }
        schema.choose(time_field)?;
        Ok(schema)
    }

    fn choose(&mut self, time_field: Option<&str>) -> Result<()> {
        let is_time = |name: &str| self.fields.get(name).is_some_and(|field| field.kind.is_time());
        let dates = || -> Vec<&str> {
            self.fields
                .values()
                .filter(|field| field.kind.is_time())
                .map(|field| field.name.as_str())
                .collect()
        };
        self.time = match time_field {
            Some(name) if is_time(name) => name.to_owned(),
            Some(name) => {
                let message = match self.fields.get(name) {
                    Some(field) => format!("`{name}` is not a time there but {}", field.kind.name()),
                    None => format!("no index there has the field `{name}`"),
                };
                return Err(Error::new(ErrorKind::BadRequest, message).hint(time_hint(&dates())));
            }
            None => {
                let usual = ["@timestamp", "timestamp", "time", "ts", "date", "event.created"];
                let found = usual.into_iter().find(|name| is_time(name)).map(str::to_owned);
                let only = || Some(dates()).filter(|dates| dates.len() == 1).map(|dates| dates[0].to_owned());
                let Some(found) = found.or_else(only) else {
                    let message = "it is not clear which field there has the time of events";
                    return Err(Error::new(ErrorKind::BadRequest, message).hint(time_hint(&dates())));
                };
                found
            }
        };
        let first = |names: &[&str]| {
            let fits = |name: &&&str| {
                self.fields
                    .get(**name)
                    .is_some_and(|field| matches!(field.kind, MappedKind::Keyword | MappedKind::Text))
            };
            names.iter().find(fits).map(|name| (*name).to_owned())
        };
        self.level = first(&["log.level", "level", "severity", "severity_text", "loglevel"]);
        self.source = first(&["log.file.path", "source.file", "file"]);
        self.text = first(&["event.original", "message", "msg", "log", "body"])
            .filter(|name| self.fields.get(name).is_some_and(|field| field.searchable))
            .or_else(|| first(&["message", "msg", "log", "body"]));
        self.line = self.fields.get("log.file.line").map(|field| field.name.clone());
        Ok(())
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }

    /// The fields as the language knows them. Those that are built in to it go by its names, and multi-fields by that
    /// of their text.
    #[must_use]
    pub fn known_fields(&self) -> Vec<KnownField> {
        let multi: BTreeSet<&str> =
            self.fields.values().filter_map(|field| field.keyword.as_deref()).collect();
        let is_level = |name: &str| {
            self.level.as_deref() == Some(name)
                && (name == "level" || ecs::fields_of(name).any(|field| field == "level"))
        };
        let is_time = |name: &str| name == self.time;
        let shown = self.fields.values().filter(|field| {
            let name = field.name.as_str();
            !multi.contains(name) && !is_level(name) && !is_time(name)
        });
        shown
            .map(|field| KnownField { name: field.name.clone(), kinds: vec![field.language_kind()] })
            .collect()
    }

    /// The field that whole values of a field are in, for groups and order.
    #[must_use]
    pub fn groupable<'s>(&'s self, field: &'s Field) -> Option<&'s Field> {
        match &field.keyword {
            Some(keyword) if field.kind == MappedKind::Text => {
                self.field(keyword).filter(|field| field.aggregatable)
            }
            _ => Some(field).filter(|field| field.aggregatable),
        }
    }
}

fn time_hint(dates: &[&str]) -> String {
    if dates.is_empty() {
        "no field there is a date; see that the pattern of indexes is right".to_owned()
    } else {
        let shown: Vec<&str> = dates.iter().take(8).copied().collect();
        format!("name one with --time-field; dates there are {}", shown.join(", "))
    }
}

fn field(name: &str, kinds: &serde_json::Map<String, Value>, mapped: Option<&Mapped>) -> Field {
    let mut distinct: Vec<MappedKind> = Vec::new();
    let is_of_values = |kind: &&String| !matches!(kind.as_str(), "unmapped" | "object" | "nested");
    for kind in kinds.keys().filter(is_of_values).map(|kind| MappedKind::named(kind)) {
        if !distinct.contains(&kind) {
            distinct.push(kind);
        }
    }
    // Whole numbers of several widths are numbers all the same.
    if distinct.len() > 1 && distinct.iter().all(|kind| matches!(kind, MappedKind::Whole(..))) {
        let widest = |one: &MappedKind, two: &MappedKind| match (one, two) {
            (MappedKind::Whole(a, b), MappedKind::Whole(c, d)) => MappedKind::Whole(*a.max(c), *b.min(d)),
            (other, _) => other.clone(),
        };
        distinct = distinct.into_iter().reduce(|one, two| widest(&one, &two)).into_iter().collect();
    }
    let kind = if distinct.len() == 1 {
        distinct.remove(0)
    } else {
        MappedKind::Mixed(kinds.keys().map(|kind| json::quoted(kind)).collect())
    };
    let all = |key: &str| kinds.values().all(|kind| kind[key] != false);
    let mapped = mapped.cloned().unwrap_or_default();
    Field {
        name: name.to_owned(),
        kind,
        searchable: all("searchable"),
        aggregatable: all("aggregatable"),
        keyword: None,
        ignore_above: mapped.ignore_above.filter(|&above| above < KEYWORD_BYTES as u64 / 4),
        normalized: mapped.normalized,
        nested: mapped.nested,
        origin: mapped.origin,
    }
}

/// Notes what the properties of a mapping say. An index that lacks a multi-field takes it from all.
fn read_properties(
    properties: &Value,
    above: &str,
    nested: Option<&str>,
    depth: usize,
    mapped: &mut BTreeMap<String, Mapped>,
) {
    let Some(properties) = properties.as_object().filter(|_| depth > 0) else { return };
    for (name, described) in properties {
        let name = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        if mapped.len() >= 2 * FIELDS {
            return;
        }
        let inner_nested = if described["type"] == "nested" { Some(name.as_str()) } else { nested };
        if described["properties"].is_object() {
            read_properties(&described["properties"], &name, inner_nested, depth - 1, mapped);
            continue;
        }
        let mut multi = BTreeSet::new();
        for (inner, described) in described["fields"].as_object().into_iter().flatten() {
            let inner = format!("{name}.{inner}");
            note(mapped, &inner, described, nested);
            multi.insert(inner);
        }
        let is_first = !mapped.contains_key(&name);
        note(mapped, &name, described, nested);
        if let Some(known) = mapped.get_mut(&name) {
            let is_alias = described["type"] == "alias";
            known.origin = if is_alias { Origin::Derived } else { Origin::Document };
            known.multi = if is_first { multi } else { known.multi.intersection(&multi).cloned().collect() };
        }
    }
}

fn note(mapped: &mut BTreeMap<String, Mapped>, name: &str, described: &Value, nested: Option<&str>) {
    let known = mapped.entry(name.to_owned()).or_default();
    known.ignore_above = known.ignore_above.into_iter().chain(described["ignore_above"].as_u64()).min();
    known.normalized |= described["normalizer"].is_string();
    if described["type"] == "alias" {
        known.alias = described["path"].as_str().map(str::to_owned);
    }
    known.nested = known.nested.take().or_else(|| nested.map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn caps() -> Value {
        json!({"fields": {
            "_id": {"_id": {"metadata_field": true, "searchable": true, "aggregatable": false}},
            "@timestamp": {"date": {"searchable": true, "aggregatable": true}},
            "message": {"text": {"searchable": true, "aggregatable": false}},
            "message.keyword": {"keyword": {"searchable": true, "aggregatable": true}},
            "message.lower": {"keyword": {"searchable": true, "aggregatable": true}},
            "log": {"object": {}},
            "log.level": {"keyword": {"searchable": true, "aggregatable": true}},
            "status": {"long": {}, "short": {}},
            "code": {"long": {}, "keyword": {}},
            "items": {"nested": {}},
            "items.price": {"double": {}},
            "msg2": {"text": {"searchable": true, "aggregatable": false}},
        }})
    }

    fn mapping() -> Value {
        json!({"one": {"mappings": {"properties": {
            "message": {"type": "text", "fields": {
                "keyword": {"type": "keyword", "ignore_above": 256},
                "lower": {"type": "keyword", "normalizer": "lowercase"},
            }},
            "msg2": {"type": "alias", "path": "message"},
            "items": {"type": "nested", "properties": {"price": {"type": "double"}}},
        }}}})
    }

    #[test]
    fn fields_are_read_from_capabilities_and_mappings() {
        let schema = Schema::new(&caps(), &mapping(), None).expect("a schema");
        assert_eq!(schema.time, "@timestamp");
        assert_eq!(schema.level.as_deref(), Some("log.level"));
        let message = schema.field("message").expect("known");
        assert_eq!(
            (message.kind.clone(), message.keyword.as_deref()),
            (MappedKind::Text, Some("message.keyword"))
        );
        assert_eq!(schema.field("message.keyword").expect("known").ignore_above, Some(256));
        assert_eq!(
            schema.field("msg2").expect("known").keyword.as_deref(),
            Some("message.keyword"),
            "an alias"
        );
        assert_eq!(
            schema.field("status").expect("known").kind,
            MappedKind::Whole(i16::MIN.into(), i16::MAX.into())
        );
        let in_documents = |name: &str| schema.field(name).expect("known").origin == Origin::Document;
        assert!(in_documents("message") && !in_documents("msg2") && !in_documents("message.keyword"));
        assert!(matches!(schema.field("code").expect("known").kind, MappedKind::Mixed(_)));
        assert_eq!(schema.field("items.price").expect("known").nested.as_deref(), Some("items"));
        assert!(schema.field("_id").is_none() && schema.field("log").is_none());
        let known: Vec<String> = schema.known_fields().into_iter().map(|field| field.name).collect();
        assert!(
            known.contains(&"message".to_owned()) && !known.contains(&"message.keyword".to_owned()),
            "{known:?}"
        );
    }

    #[test]
    fn multi_field_that_an_index_lacks_is_not_used() {
        let mut mapping = mapping();
        mapping["two"] = json!({"mappings": {"properties": {"message": {"type": "text"}}}});
        let schema = Schema::new(&caps(), &mapping, None).expect("a schema");
        assert_eq!(schema.field("message").expect("known").keyword, None);
    }

    #[test]
    fn index_without_a_time_says_which_dates_there_are() {
        let error = Schema::new(&caps(), &mapping(), Some("status")).expect_err("no time");
        assert!(error.message().contains("`status` is not a time there but long"), "{error}");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("@timestamp")), "{error:?}");
        let none = json!({"fields": {"a": {"keyword": {}}}});
        let error = Schema::new(&none, &json!({}), None).expect_err("no time");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("no field there is a date")), "{error:?}");
    }

    #[test]
    fn mapping_of_many_fields_is_bounded() {
        let fields: serde_json::Map<String, Value> = (0..5_000)
            .map(|n| (format!("f{n}"), json!({"keyword": {}})))
            .chain([("ts".to_owned(), json!({"date": {}}))])
            .collect();
        let schema = Schema::new(&json!({"fields": fields}), &json!({}), None).expect("a schema");
        assert_eq!((schema.fields.len(), schema.left_out, schema.time.as_str()), (5_001, 0, "ts"));
    }
}
