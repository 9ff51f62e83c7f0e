//! Indices and what shippers set up around them: templates, lifecycle policies, pipelines, aliases, data streams.
//!
//! A case needs none of it. Requests to set it up are acknowledged and their names are remembered while the
//! server runs, so that a shipper that looks finds what it made. The names of indices are those of sources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::{Method, StatusCode};
use indexer::{Engine, FieldKind};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::Host;
use super::answer::{Answer, Answered, Problem};
use super::document;
use super::limits::{ANSWER_BYTES, REFRESH_TIME, REMEMBERED_NAMES};
use super::request::Request;
use super::search::{index_of, names_index};

/// What clients set up, by kind and name.
#[derive(Debug, Default)]
pub struct Settings(Mutex<BTreeSet<(SettingKind, String)>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingKind {
    Index,
    IndexTemplate,
    LegacyTemplate,
    ComponentTemplate,
    Policy,
    Pipeline,
    DataStream,
    Alias,
}

impl Settings {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<(SettingKind, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a name, unless there are too many already.
    fn add(&self, kind: SettingKind, name: &str) {
        let mut names = self.lock();
        if names.len() < REMEMBERED_NAMES {
            names.insert((kind, name.to_owned()));
        }
    }

    /// Remembers an index that has received documents: it exists before they are visible.
    pub fn add_index(&self, name: &str) {
        self.add(SettingKind::Index, name);
    }

    fn remove(&self, kind: SettingKind, name: &str) {
        self.lock().remove(&(kind, name.to_owned()));
    }

    fn named(&self, kind: SettingKind, pattern: &str) -> Vec<String> {
        let names = self.lock();
        let of_kind = names.iter().filter(|(known, name)| *known == kind && names_index(pattern, name));
        of_kind.map(|(_, name)| name.clone()).collect()
    }
}

/// An index as clients see it: sources of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    pub name: String,
    pub events: u64,
    pub bytes: u64,
}

impl Index {
    /// Looks like an id and depends on the name alone.
    pub fn uuid(&self) -> String {
        let hash = self.name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("timberline{hash:012x}").chars().take(22).collect()
    }
}

/// All indices: those that have events, and those that were made and have none yet.
pub fn indices(host: &Host) -> Vec<Index> {
    let snapshot = host.case.snapshot();
    let mut found: BTreeMap<String, Index> = BTreeMap::new();
    for source in snapshot.sources().iter().filter(|source| !source.deleted) {
        let name = index_of(&source.name).to_owned();
        let index = found.entry(name.clone()).or_insert_with(|| Index { name, ..Index::default() });
        index.events += source.events;
        index.bytes += source.raw_bytes;
    }
    for name in host.settings.named(SettingKind::Index, "_all") {
        found.entry(name.clone()).or_insert_with(|| Index { name, ..Index::default() });
    }
    found.into_values().collect()
}

/// Answers requests for indices and settings; nothing where it is something else.
pub fn answer(host: &Host, request: &Request, segments: &[&str]) -> Option<Answered> {
    let method = &request.head.method;
    if let Some(answered) = settings(host, request, segments) {
        return Some(answered);
    }
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let shards = || json!({"_shards": {"total": 1, "successful": 1, "failed": 0}});
    match *segments {
        ["_resolve", "index", pattern] if reads => Some(Ok(Answer::value(resolved(host, pattern)))),
        ["_mapping" | "_mappings"] if reads => Some(mappings(host, "_all")),
        [index, "_mapping" | "_mappings"] if reads => Some(mappings(host, index)),
        [_, "_mapping" | "_mappings" | "_settings"] if *method == Method::PUT => {
            Some(Ok(Answer::acknowledged()))
        }
        [index, "_settings"] if reads => Some(listed(host, index, "settings")),
        ["_field_caps"] => Some(Ok(Answer::value(field_caps(host, "_all")))),
        [index, "_field_caps"] => Some(Ok(Answer::value(field_caps(host, index)))),
        ["_refresh"] | [_, "_refresh"] => {
            let is_visible = host.intake.refresh(true, REFRESH_TIME, &request.cancel);
            let (successful, failed) = if is_visible { (1, 0) } else { (0, 1) };
            let shards = json!({"total": 1, "successful": successful, "failed": failed});
            Some(Ok(Answer::value(json!({ "_shards": shards }))))
        }
        ["_flush" | "_forcemerge"] | [_, "_flush" | "_forcemerge"] => Some(Ok(Answer::value(shards()))),
        ["_stats"] | [_, "_stats"] if reads => Some(Ok(Answer::value(stats(host)))),
        ["_alias" | "_aliases"] if reads => Some(aliases(host, "_all", method)),
        ["_aliases"] => Some(Ok(Answer::acknowledged())),
        ["_alias", name] if reads => Some(aliases(host, name, method)),
        [_, "_alias" | "_aliases"] if reads => Some(Ok(Answer::value(json!({})))),
        [_, "_alias" | "_aliases", name] if reads => Some(aliases(host, name, method)),
        [index, "_alias" | "_aliases", name] if *method == Method::PUT => {
            host.settings.add(SettingKind::Index, index);
            host.settings.add(SettingKind::Alias, name);
            Some(Ok(Answer::acknowledged()))
        }
        [index] if !index.starts_with('_') || index == "_all" => Some(index_itself(host, request, index)),
        _ => None,
    }
}

/// What matters of the body that makes an index.
#[derive(Default, Deserialize)]
#[allow(clippy::zero_sized_map_values, reason = "a set is not read from an object")]
struct NewIndex {
    #[serde(default)]
    aliases: BTreeMap<String, IgnoredAny>,
}

fn index_itself(host: &Host, request: &Request, index: &str) -> Answered {
    match request.head.method {
        Method::HEAD => Ok(Answer::exists(indices(host).iter().any(|known| names_index(index, &known.name)))),
        Method::GET => listed(host, index, "all"),
        Method::PUT => {
            document::check_index(index)?;
            if indices(host).iter().any(|known| known.name == index) {
                let reason = format!("index [{index}] already exists");
                return Err(Problem::new(
                    StatusCode::BAD_REQUEST,
                    "resource_already_exists_exception",
                    reason,
                ));
            }
            host.settings.add(SettingKind::Index, index);
            let named: NewIndex = serde_json::from_slice(&request.body).unwrap_or_default();
            for alias in named.aliases.keys() {
                host.settings.add(SettingKind::Alias, alias);
            }
            Ok(Answer::value(json!({"acknowledged": true, "shards_acknowledged": true, "index": index})))
        }
        _ => Err(Problem::argument(
            "what a case has received stays in it: indices are not deleted here, only by `listen --keep`",
        )),
    }
}

/// The indices that a pattern names, with what they are made of.
fn listed(host: &Host, pattern: &str, part: &str) -> Answered {
    let properties = if part == "all" { properties(host) } else { Value::Null };
    each_index(host, pattern, &properties, |index| {
        let settings = json!({"index": {
            "number_of_shards": "1", "number_of_replicas": "0", "uuid": index.uuid(),
            "provided_name": index.name, "version": {"created": "8536000"},
        }});
        if part == "all" {
            json!({"settings": settings, "aliases": {}, "mappings": {"properties": properties}})
        } else {
            json!({ "settings": settings })
        }
    })
}

/// An entry for each index that a pattern names, with these properties in it.
fn each_index(host: &Host, pattern: &str, properties: &Value, entry: impl Fn(&Index) -> Value) -> Answered {
    let mut indices = indices(host);
    indices.retain(|index| names_index(pattern, &index.name));
    if indices.is_empty() && !pattern.contains('*') && pattern != "_all" {
        return Err(no_index(pattern));
    }
    // As trees they take some times that.
    if properties.to_string().len().saturating_mul(indices.len()) > ANSWER_BYTES / 8 {
        return Err(Problem::argument(format!(
            "the fields of {} indices are too long for one answer; name fewer of them",
            indices.len()
        )));
    }
    let entries = indices.iter().map(|index| (index.name.clone(), entry(index)));
    Ok(Answer::value(Value::Object(entries.collect())))
}

pub fn no_index(name: &str) -> Problem {
    Problem::not_found("index_not_found_exception", format!("no such index [{name}]"))
}

fn mappings(host: &Host, pattern: &str) -> Answered {
    let properties = properties(host);
    each_index(host, pattern, &properties, |_| json!({"mappings": {"properties": properties}}))
}

/// The names of Elasticsearch's types.
fn type_of(kinds: &[FieldKind]) -> &'static str {
    match kinds {
        [FieldKind::Int] => "long",
        [FieldKind::Bool] => "boolean",
        kinds if kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float)) => "double",
        _ => "keyword",
    }
}

/// Every field and its type. A case has one set of fields for all of its sources.
fn fields(host: &Host) -> Vec<(String, &'static str)> {
    let snapshot = host.case.snapshot();
    let mut fields = vec![("@timestamp".to_owned(), "date")];
    for field in Engine::fields(&snapshot) {
        let kind = if field.name == "message" { "text" } else { type_of(&field.kinds) };
        fields.push((field.name, kind));
    }
    fields
}

/// Fields by the parts of their names: `http.status` lies in `http`.
fn properties(host: &Host) -> Value {
    let mut properties = Map::new();
    for (name, kind) in fields(host) {
        let mut place = &mut properties;
        let mut parts = name.split('.').peekable();
        while let Some(part) = parts.next() {
            let entry = place.entry(part).or_insert_with(|| json!({}));
            let Value::Object(entry) = entry else { break };
            if parts.peek().is_none() {
                entry.insert("type".to_owned(), json!(kind));
                break;
            }
            let inner = entry.entry("properties").or_insert_with(|| json!({}));
            let Value::Object(inner) = inner else { break };
            place = inner;
        }
    }
    Value::Object(properties)
}

fn field_caps(host: &Host, pattern: &str) -> Value {
    let names: Vec<String> =
        indices(host).into_iter().map(|index| index.name).filter(|name| names_index(pattern, name)).collect();
    let mut listed = Map::new();
    for (name, kind) in fields(host) {
        let caps = json!({kind: {
            "type": kind, "metadata_field": false, "searchable": true, "aggregatable": kind != "text",
        }});
        listed.insert(name, caps);
    }
    json!({"indices": names, "fields": listed})
}

fn resolved(host: &Host, pattern: &str) -> Value {
    let indices = indices(host).into_iter().filter(|index| names_index(pattern, &index.name));
    let indices: Vec<Value> =
        indices.map(|index| json!({"name": index.name, "attributes": ["open"]})).collect();
    json!({"indices": indices, "aliases": [], "data_streams": []})
}

fn stats(host: &Host) -> Value {
    let mut listed = Map::new();
    let (mut events, mut bytes) = (0, 0);
    let figures = |events: u64, bytes: u64| {
        let docs = json!({"count": events, "deleted": 0});
        json!({"docs": docs, "store": {"size_in_bytes": bytes}})
    };
    for index in indices(host) {
        events += index.events;
        bytes += index.bytes;
        let stats = figures(index.events, index.bytes);
        listed.insert(index.name.clone(), json!({"uuid": index.uuid(), "primaries": stats, "total": stats}));
    }
    let all = figures(events, bytes);
    json!({
        "_shards": {"total": 1, "successful": 1, "failed": 0},
        "_all": {"primaries": all, "total": all},
        "indices": listed,
    })
}

fn aliases(host: &Host, name: &str, method: &Method) -> Answered {
    let known = host.settings.named(SettingKind::Alias, name);
    if *method == Method::HEAD {
        return Ok(Answer::exists(!known.is_empty()));
    }
    if known.is_empty() && name != "_all" {
        return Err(Problem::not_found("aliases_not_found_exception", format!("alias [{name}] missing")));
    }
    let entry =
        |alias: String| (format!("{alias}-000001"), json!({"aliases": {alias: {"is_write_index": true}}}));
    Ok(Answer::value(Value::Object(known.into_iter().map(entry).collect())))
}

/// Templates, policies, pipelines and data streams.
fn settings(host: &Host, request: &Request, segments: &[&str]) -> Option<Answered> {
    let (kind, name) = match *segments {
        ["_index_template"] => (SettingKind::IndexTemplate, None),
        ["_index_template", "_simulate" | "_simulate_index", ..] => return None,
        ["_index_template", name] => (SettingKind::IndexTemplate, Some(name)),
        ["_template"] => (SettingKind::LegacyTemplate, None),
        ["_template", name] => (SettingKind::LegacyTemplate, Some(name)),
        ["_component_template"] => (SettingKind::ComponentTemplate, None),
        ["_component_template", name] => (SettingKind::ComponentTemplate, Some(name)),
        ["_ilm", "policy"] => (SettingKind::Policy, None),
        ["_ilm", "policy", name] => (SettingKind::Policy, Some(name)),
        ["_ilm", "status"] => return Some(Ok(Answer::value(json!({"operation_mode": "RUNNING"})))),
        ["_ingest", "pipeline"] => (SettingKind::Pipeline, None),
        ["_ingest", "pipeline", name] => (SettingKind::Pipeline, Some(name)),
        ["_data_stream"] => (SettingKind::DataStream, None),
        ["_data_stream", name] => (SettingKind::DataStream, Some(name)),
        _ => return None,
    };
    Some(match (&request.head.method, name) {
        (&(Method::PUT | Method::POST), Some(name)) => {
            // Data streams and the indices of a case are alike.
            if kind == SettingKind::DataStream {
                host.settings.add(SettingKind::Index, name);
            }
            host.settings.add(kind, name);
            Ok(Answer::acknowledged())
        }
        (&Method::DELETE, Some(name)) => {
            host.settings.remove(kind, name);
            Ok(Answer::acknowledged())
        }
        (&(Method::GET | Method::HEAD), name) => {
            let known = host.settings.named(kind, name.unwrap_or("_all"));
            if request.head.method == Method::HEAD {
                Ok(Answer::exists(!known.is_empty()))
            } else if let Some(name) = name.filter(|name| known.is_empty() && !name.contains('*')) {
                let reason = format!("{} [{name}] is not there", kind.words());
                Err(Problem::not_found("resource_not_found_exception", reason))
            } else {
                Ok(Answer::value(kind.listed(&known)))
            }
        }
        (method, _) => Err(Problem::argument(format!("{} cannot be asked for with {method}", kind.words()))),
    })
}

impl SettingKind {
    fn words(self) -> &'static str {
        match self {
            SettingKind::Index => "index",
            SettingKind::IndexTemplate => "index template matching",
            SettingKind::LegacyTemplate => "template",
            SettingKind::ComponentTemplate => "component template matching",
            SettingKind::Policy => "lifecycle policy",
            SettingKind::Pipeline => "pipeline",
            SettingKind::DataStream => "data stream",
            SettingKind::Alias => "alias",
        }
    }

    /// The names as the answer to GET has them.
    fn listed(self, names: &[String]) -> Value {
        let list = |key: &str, inner: &str| {
            let entries: Vec<Value> = names.iter().map(|name| json!({"name": name, inner: {}})).collect();
            json!({key: entries})
        };
        let map = |entry: &dyn Fn(&String) -> Value| -> Value {
            Value::Object(names.iter().map(|name| (name.clone(), entry(name))).collect())
        };
        match self {
            SettingKind::IndexTemplate => {
                let entry = |name: &String| json!({"name": name, "index_template": {"index_patterns": [], "composed_of": []}});
                json!({"index_templates": names.iter().map(entry).collect::<Vec<_>>()})
            }
            SettingKind::ComponentTemplate => list("component_templates", "component_template"),
            SettingKind::DataStream => {
                let entry = |name: &String| {
                    json!({"name": name, "timestamp_field": {"name": "@timestamp"}, "indices": [{"index_name": name}],
                           "generation": 1, "status": "GREEN", "template": name})
                };
                json!({"data_streams": names.iter().map(entry).collect::<Vec<_>>()})
            }
            SettingKind::Policy => map(&|_| json!({"version": 1, "policy": {"phases": {}}})),
            SettingKind::Pipeline => map(&|_| json!({"processors": []})),
            SettingKind::LegacyTemplate => {
                map(&|_| json!({"index_patterns": [], "settings": {}, "mappings": {}, "aliases": {}}))
            }
            SettingKind::Index | SettingKind::Alias => map(&|_| json!({})),
        }
    }
}
