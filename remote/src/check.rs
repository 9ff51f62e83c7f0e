//! Whether a remote can be asked: each thing that may be wrong, with what to do.

use indexer::{Cancel, Error, Result};
use serde_json::{Value, json};

use crate::client::{Client, Flavour, Options};
use crate::cluster::{Missing, OPEN_ONE, newer_than_known, server_of, supported};
use crate::config::Remote;
use crate::json;
use crate::schema::Schema;

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    pub flavour: Option<Flavour>,
    pub version: String,
    pub findings: Vec<Finding>,
    pub schema: Option<Schema>,
}

/// One thing that was looked at.
#[derive(Debug)]
pub struct Finding {
    pub what: &'static str,
    /// In words; or why not, with what to do.
    pub result: Result<String>,
}

impl Checked {
    /// Whether questions can be asked.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.schema.is_some()
            && self.findings.iter().all(|finding| finding.what == "health" || finding.result.is_ok())
    }

    fn note(&mut self, what: &'static str, result: Result<String>) -> bool {
        let is_good = result.is_ok();
        self.findings.push(Finding { what, result });
        is_good
    }
}

/// Looks at a remote, one thing after the other, and stops where the next needs what failed.
#[must_use]
pub fn check(remote: &Remote, options: Options, cancel: &Cancel) -> Checked {
    let mut checked = Checked { flavour: None, version: String::new(), findings: Vec::new(), schema: None };
    let client = match Client::new(remote, options, cancel) {
        Ok(client) => client,
        Err(error) => {
            checked.note("settings", Err(error));
            return checked;
        }
    };
    match server_of(&client) {
        Ok((flavour, version)) => {
            let is_supported = supported(flavour, &version).map(|()| {
                let note = newer_than_known(flavour, &version);
                note.unwrap_or_else(|| format!("{} {version}", flavour.name()))
            });
            (checked.flavour, checked.version) = (Some(flavour), version);
            if !checked.note("server", is_supported) {
                return checked;
            }
        }
        Err(error) => {
            checked.note("server", Err(error));
            return checked;
        }
    }
    checked.note("health", health(&client));
    if !checked.note("indexes", indexes(&client, &remote.index)) {
        return checked;
    }
    match schema(&client, remote) {
        Ok(schema) => {
            let text = format!(
                "{} of them; time in `{}`, level in {}, text in {}{}",
                schema.fields.len(),
                schema.time,
                named(schema.level.as_deref()),
                named(schema.text.as_deref()),
                if schema.left_out > 0 {
                    format!("; {} more are left out", schema.left_out)
                } else {
                    String::new()
                },
            );
            checked.note("fields", Ok(text));
            checked.schema = Some(schema);
        }
        Err(error) => {
            checked.note("fields", Err(error));
            return checked;
        }
    }
    let time = checked.schema.as_ref().map(|schema| schema.time.clone()).unwrap_or_default();
    checked.note("events", events(&client, &remote.index, &time));
    checked
}

fn named(field: Option<&str>) -> String {
    field.map_or_else(|| "no field".to_owned(), |name| format!("`{name}`"))
}

fn health(client: &Client) -> Result<String> {
    let health = client.get("/_cluster/health")?;
    let text = |key: &str| json::quoted(health[key].as_str().unwrap_or("unknown"));
    let count = |key: &str| health[key].as_u64().unwrap_or(0);
    Ok(format!(
        "{} ({}), {} nodes, {} shards, {} of them unassigned",
        text("status"),
        text("cluster_name"),
        count("number_of_nodes"),
        count("active_shards") + count("unassigned_shards"),
        count("unassigned_shards"),
    ))
}

/// The indexes of the pattern; where none matches, those that there are.
fn indexes(client: &Client, pattern: &str) -> Result<String> {
    let listed = client.call(
        "GET",
        &format!("/_cat/indices/{pattern}?format=json&h=index,status,docs.count"),
        &crate::Body::None,
    )?;
    let rows: Vec<Value> = if listed.status == 404 {
        Vec::new()
    } else {
        client.ok(listed)?.as_array().cloned().unwrap_or_default()
    };
    let names = |rows: &[Value]| json::names(rows, "index");
    if rows.is_empty() {
        let all = client.get("/_cat/indices?format=json&h=index")?;
        let all = all.as_array().cloned().unwrap_or_default();
        let error = Error::new(indexer::ErrorKind::NotFound, format!("no index matches {pattern}"));
        return Err(error.hint(if all.is_empty() {
            "the cluster has no index that may be read".to_owned()
        } else {
            format!("add the cluster again with --index; there are {}", names(&all))
        }));
    }
    let (closed, open): (Vec<Value>, Vec<Value>) = rows.into_iter().partition(|row| row["status"] == "close");
    if open.is_empty() {
        let message = format!("every index that matches {pattern} is closed: {}", names(&closed));
        return Err(Error::new(indexer::ErrorKind::NotFound, message).hint(OPEN_ONE));
    }
    let closed =
        if closed.is_empty() { String::new() } else { format!("; closed and not asked: {}", names(&closed)) };
    Ok(format!("{} of them: {}{closed}", open.len(), names(&open)))
}

fn schema(client: &Client, remote: &Remote) -> Result<Schema> {
    let index = &remote.index;
    let caps = client.get(&format!("/{index}/_field_caps?fields=*&ignore_unavailable=true"))?;
    let mapping = client.get(&format!("/{index}/_mapping?ignore_unavailable=true"))?;
    Schema::new(&caps, &mapping, remote.time_field.as_deref())
}

fn events(client: &Client, index: &str, time: &str) -> Result<String> {
    let body = json!({"size": 0, "track_total_hits": true, "aggs": {
        "first": {"min": {"field": time}}, "last": {"max": {"field": time}}}});
    let answer = client.post(&format!("/{index}/_search"), body)?;
    let missing = Missing::read(&answer)?;
    let total = json::count(&answer, &["hits", "total", "value"])?;
    let at = |name: &str| {
        let ms = answer["aggregations"][name]["value"].as_f64();
        ms.map_or_else(|| "?".to_owned(), |ms| indexer::stamp::to_rfc3339(ms as i64 * 1_000_000))
    };
    let missing = if missing.is_empty() { String::new() } else { format!("; {}", missing.0.join("; ")) };
    Ok(if total == 0 {
        "none".to_owned()
    } else {
        format!("{total}, from {} to {}{missing}", at("first"), at("last"))
    })
}
