//! A remote whose server and fields are known.

use std::sync::Arc;

use indexer::query::{Filter, QueryContext, Range, Severity, Span, Test, resolve};
use indexer::{Cancel, Error, ErrorKind, Result, stamp};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::client::{Body, Client, Flavour, Options};
use crate::config::Remote;
use crate::dsl::{Translated, translate};
use crate::json;
use crate::schema::Schema;

/// A cluster that can be asked.
#[derive(Debug)]
pub struct Cluster {
    pub client: Client,
    pub schema: Arc<Schema>,
    pub flavour: Flavour,
    /// As it calls its release: `8.19.0`.
    pub version: String,
    /// The indexes that are asked.
    pub index: String,
    pub name: String,
    /// What every answer lacks: the events of closed indexes.
    pub missing: Missing,
    /// What every answer says of the cluster.
    pub notes: Vec<String>,
}

/// A filter in a range of times.
#[derive(Clone, Debug)]
pub struct Asked {
    pub filter: Filter,
    /// From (inclusive) to (exclusive), in nanoseconds since 1970 UTC.
    pub from: Option<i64>,
    pub to: Option<i64>,
    /// The zone of days and bins: `Europe/Berlin`.
    pub zone: String,
}

impl Asked {
    #[must_use]
    pub fn everything() -> Asked {
        Asked { filter: Filter::Everything, from: None, to: None, zone: "UTC".to_owned() }
    }
}

/// What to do about closed indexes.
pub(crate) const OPEN_ONE: &str = "open it, or add the cluster again with a pattern of the open ones";

/// What an answer lacks, in words; empty for a complete one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing(pub Vec<String>);

impl Missing {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads what an answer says of itself. An answer that says nothing is not one of a search.
    pub(crate) fn read(answer: &Value) -> Result<Missing> {
        let mut missing = Vec::new();
        let shards = &answer["_shards"];
        let total = json::count(shards, &["total"])?;
        let failed = json::count(shards, &["failed"])?;
        if failed > 0 {
            let reason = json::at(&shards["failures"], &[]).get(0).map(|failure| &failure["reason"]);
            let reason = reason.map_or_else(String::new, |reason| {
                let text = |key: &str| json::quoted(reason[key].as_str().unwrap_or_default());
                format!(": {} {}", text("type"), text("reason"))
            });
            missing.push(format!("{failed} of {total} shards failed{reason}"));
        }
        if json::count(shards, &["successful"])? + failed < total {
            missing.push(format!("not all of {total} shards answered"));
        }
        if answer["timed_out"] == true {
            missing.push("the cluster stopped at its time limit".to_owned());
        }
        // `terminated_early` says nothing here: no request sets `terminate_after`, and OpenSearch sends it for every search
        // without hits.
        for key in ["skipped", "partial", "failed"] {
            let clusters = answer["_clusters"][key].as_u64().unwrap_or(0);
            if clusters > 0 {
                missing.push(format!("{clusters} linked clusters are {key}"));
            }
        }
        Ok(Missing(missing))
    }

    pub(crate) fn add(&mut self, more: Missing) {
        for one in more.0 {
            if !self.0.contains(&one) {
                self.0.push(one);
            }
        }
    }
}

/// Asks which server it is, and its release. Where `/` is not served, the node that answers says it.
pub(crate) fn server_of(client: &Client) -> Result<(Flavour, String)> {
    let root = client.call("GET", "/", &Body::None)?;
    if !matches!(root.status, 403 | 405) {
        return server(&client.ok(root)?);
    }
    let Ok(nodes) = client.get("/_nodes/_local?filter_path=nodes.*.version,nodes.*.build_flavor") else {
        return Err(client.refused(&root));
    };
    let node = nodes["nodes"].as_object().and_then(|nodes| nodes.values().next()).unwrap_or(&Value::Null);
    let distribution = if node["build_flavor"].is_string() { "elasticsearch" } else { "opensearch" };
    server(&json!({"version": {"number": node["version"], "distribution": distribution}}))
}

/// Which server answers at `/`, and its release.
fn server(root: &Value) -> Result<(Flavour, String)> {
    let version = &root["version"];
    let Some(number) = version["number"].as_str() else {
        let message = "what answers is neither Elasticsearch nor OpenSearch";
        return Err(Error::new(ErrorKind::BadRequest, message)
            .hint("see that the address is that of the cluster's HTTP interface, usually port 9200"));
    };
    let flavour = match version["distribution"].as_str() {
        Some("opensearch") => Flavour::OpenSearch,
        _ => Flavour::Elasticsearch,
    };
    Ok((flavour, json::quoted(number)))
}

/// The first two numbers of a release.
fn release(version: &str) -> (u32, u32) {
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// What to do about a release that is newer than those that are known.
pub(crate) fn newer_than_known(flavour: Flavour, version: &str) -> Option<String> {
    let newest = match flavour {
        Flavour::Elasticsearch => 9,
        Flavour::OpenSearch => 3,
    };
    let name = flavour.name();
    (release(version).0 > newest).then(|| {
        format!(
            "{name} {version} is newer than the releases that are known, up to {newest}.x: compare a count with one of \
             the cluster's own tools, and look for a newer Timberline"
        )
    })
}

/// Refuses releases that lack what questions need.
pub(crate) fn supported(flavour: Flavour, version: &str) -> Result<()> {
    let is_known = match flavour {
        Flavour::Elasticsearch => release(version) >= (7, 12),
        Flavour::OpenSearch => release(version) >= (2, 4),
    };
    if is_known {
        return Ok(());
    }
    let message = format!("{} {version} is too old, or not known", flavour.name());
    Err(Error::new(ErrorKind::BadRequest, message).hint(
        "questions need Elasticsearch 7.12 or OpenSearch 2.4 and later; what they share is points in time",
    ))
}

impl Cluster {
    /// Connects, and reads the fields of the remote's indexes.
    pub fn connect(remote: &Remote, options: Options, cancel: &Cancel) -> Result<Cluster> {
        let client = Client::new(remote, options, cancel)?;
        let (flavour, version) = server_of(&client)?;
        supported(flavour, &version)?;
        let notes = newer_than_known(flavour, &version).into_iter().collect();
        let index = &remote.index;
        let has_wildcard = index.contains('*') || index == "_all";
        let missing = if has_wildcard { closed_indexes(&client, index)? } else { Missing::default() };
        let caps = client.get(&format!("/{index}/_field_caps?fields=*&ignore_unavailable=true"))?;
        if caps["indices"].as_array().is_some_and(Vec::is_empty) {
            let name = &remote.name;
            if !closed_indexes(&client, index)?.is_empty() {
                let message = format!("every index at {name} that matches {index} is closed");
                return Err(Error::new(ErrorKind::NotFound, message).hint(OPEN_ONE));
            }
            let message = format!("no index at {name} matches {index}");
            let hint = format!("timberline remote check {name} lists its indexes");
            return Err(Error::new(ErrorKind::NotFound, message).hint(hint));
        }
        let mapping = client.get(&format!("/{index}/_mapping?ignore_unavailable=true"))?;
        let schema = Schema::new(&caps, &mapping, remote.time_field.as_deref())?;
        let schema = Arc::new(schema);
        let (index, name) = (index.clone(), remote.name.clone());
        Ok(Cluster { client, schema, flavour, version, index, name, missing, notes })
    }

    /// The same cluster for another question, which is cancelled by itself.
    #[must_use]
    pub fn for_question(&self, cancel: &Cancel) -> Cluster {
        Cluster {
            client: self.client.for_question(cancel),
            schema: Arc::clone(&self.schema),
            flavour: self.flavour,
            version: self.version.clone(),
            index: self.index.clone(),
            name: self.name.clone(),
            missing: self.missing.clone(),
            notes: self.notes.clone(),
        }
    }

    /// All that an answer lacks, together with what every answer does.
    pub(crate) fn lacking(&self, more: Missing) -> Missing {
        let mut missing = self.missing.clone();
        missing.add(more);
        missing
    }

    /// The query of a filter, and the clauses that are not exact.
    pub fn translate(&self, asked: &Asked) -> Result<Translated> {
        let zone = TimeZone::get(&asked.zone).map_err(|_| {
            Error::new(ErrorKind::BadRequest, format!("\"{}\" is not a time zone", asked.zone))
                .hint("write it as Europe/Berlin, or UTC")
        })?;
        let now = if names_a_time(&asked.filter) { self.last_time()? } else { 0 };
        let context = QueryContext { fields: self.schema.known_fields(), now, zone };
        let resolved = resolve(&asked.filter, &context);
        if let Some(error) = resolved.diagnostics.into_iter().find(|found| found.severity == Severity::Error)
        {
            return Err(error.into());
        }
        let mut parts = vec![resolved.filter];
        if asked.from.is_some() || asked.to.is_some() {
            let bound = |at: Option<i64>, inclusive: bool| {
                at.map(|at| indexer::query::Bound { value: stamp::to_rfc3339(at), inclusive })
            };
            let range = Range { from: bound(asked.from, true), to: bound(asked.to, false) };
            parts.push(Filter::Field {
                field: "time".to_owned(),
                test: Test::Range(range),
                span: Span::default(),
            });
        }
        parts.retain(|part| *part != Filter::Everything);
        let filter = match parts.len() {
            0 => Filter::Everything,
            1 => parts.swap_remove(0),
            _ => Filter::And(parts),
        };
        translate(&filter, &self.schema)
    }

    /// The end of the data.
    pub fn last_time(&self) -> Result<i64> {
        let body = json!({"size": 0, "track_total_hits": false, "aggs": {"last": {"max": {"field": self.schema.time}}}});
        let answer = self.search(body)?;
        Missing::read(&answer)?;
        Ok(answer["aggregations"]["last"]["value"].as_f64().map_or(0, |ms| ms as i64 * 1_000_000))
    }

    /// A search in the remote's indexes.
    pub(crate) fn search(&self, body: Value) -> Result<Value> {
        let reply = self.client.call("POST", &format!("/{}/_search", self.index), &Body::Json(body))?;
        self.client.ok(reply)
    }
}

/// Closed indexes of a pattern. Searches pass over those that a wildcard takes in without saying so.
fn closed_indexes(client: &Client, pattern: &str) -> Result<Missing> {
    let path = format!("/_resolve/index/{pattern}?expand_wildcards=open,closed");
    // Whoever may not ask this may not read the mapping either, which is the next question.
    let listed = client.call("GET", &path, &Body::None)?.body;
    let is_closed = |index: &Value| {
        index["attributes"].as_array().is_some_and(|all| all.iter().any(|one| one == "closed"))
    };
    let mut closed = listed["indices"].as_array().cloned().unwrap_or_default();
    closed.retain(is_closed);
    let lacks = || format!("closed and not asked: {}", json::names(&closed, "name"));
    Ok(Missing(if closed.is_empty() { Vec::new() } else { vec![lacks()] }))
}

/// Whether a filter may say something of `now`.
fn names_a_time(filter: &Filter) -> bool {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(names_a_time),
        Filter::Not(inner) => names_a_time(inner),
        Filter::Field { field, .. } => {
            field == "time" || indexer::query::ecs::fields_of(field).any(|field| field == "time")
        }
        Filter::Everything | Filter::Text(_) | Filter::Noted(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_say_what_they_lack() {
        let whole = json!({"timed_out": false, "_shards": {"total": 2, "successful": 2, "failed": 0}});
        assert!(Missing::read(&whole).is_ok_and(|missing| missing.is_empty()));
        let partial = json!({"timed_out": true, "_shards": {"total": 3, "successful": 1, "failed": 1, "failures": [
            {"reason": {"type": "node_disconnected_exception", "reason": "gone"}}]}});
        let missing = Missing::read(&partial).expect("read");
        assert_eq!(missing.0.len(), 3, "{missing:?}");
        assert!(
            missing.0[0].contains("1 of 3 shards failed: node_disconnected_exception gone"),
            "{missing:?}"
        );
        assert!(Missing::read(&json!({"hits": {}})).is_err(), "an answer without shards is none of a search");
    }

    #[test]
    fn servers_are_recognised_and_old_ones_refused() {
        let opensearch = json!({"version": {"number": "3.6.0", "distribution": "opensearch"}});
        assert!(server(&opensearch).is_ok_and(|(flavour, _)| flavour == Flavour::OpenSearch));
        assert!(server(&json!({"hello": "world"})).is_err());
        assert!(supported(Flavour::Elasticsearch, "8.19.21").is_ok());
        for (flavour, version) in
            [(Flavour::Elasticsearch, "6.8.0"), (Flavour::OpenSearch, "1.3.0"), (Flavour::Elasticsearch, "x")]
        {
            assert!(supported(flavour, version).expect_err(version).hint_text().is_some());
        }
        for (flavour, known, newer) in
            [(Flavour::Elasticsearch, "9.4.0", "10.0.0-beta1"), (Flavour::OpenSearch, "3.6.0", "4.0.1")]
        {
            assert_eq!(newer_than_known(flavour, known), None);
            assert!(newer_than_known(flavour, newer).is_some_and(|note| note.contains(newer)));
        }
    }
}
