//! What a server says about itself: clients ask before they send anything. Of a cluster there is one node.

use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::Host;
use super::answer::{Answer, Answered, Body};
use super::indices::{Index, indices};
use super::request::Head;

/// The version of Elasticsearch whose interface this is. Shippers refuse servers older than themselves.
const VERSION: &str = "8.19.0";

const CLUSTER: &str = "timberline";
const CLUSTER_ID: &str = "dGltYmVybGluZS1jYXNlLTE";
const NODE: &str = "dGltYmVybGluZS1ub2RlLTE";

/// Answers what is asked about the cluster; nothing where it is something else.
pub fn answer(host: &Host, head: &Head, segments: &[&str]) -> Option<Answered> {
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if !reads {
        return match segments {
            ["_cluster", "settings"] if head.method == Method::PUT => {
                Some(Ok(Answer::value(json!({"acknowledged": true, "persistent": {}, "transient": {}}))))
            }
            _ => None,
        };
    }
    let value = match *segments {
        [] => root(),
        ["_cluster", "health"] | ["_cluster", "health", _] => health(host),
        ["_cluster", "settings"] => json!({"persistent": {}, "transient": {}, "defaults": {}}),
        ["_license"] => json!({"license": {
            "status": "active", "uid": CLUSTER_ID, "type": "basic", "issue_date": "2026-01-01T00:00:00.000Z",
            "issue_date_in_millis": 1_767_225_600_000_u64, "max_nodes": 1, "issued_to": CLUSTER,
            "issuer": CLUSTER, "start_date_in_millis": -1,
        }}),
        ["_xpack"] => xpack(),
        ["_xpack", "usage"] => json!({}),
        ["_nodes" | "_cluster", ..] => nodes(head),
        ["_cat", ..] => return Some(Ok(cat(host, head, segments))),
        ["_security", "_authenticate"] => json!({
            "username": "timberline", "roles": [], "enabled": true, "authentication_type": "realm",
            "full_name": null, "email": null, "metadata": {},
        }),
        _ => return None,
    };
    Some(Ok(Answer::value(value)))
}

fn root() -> Value {
    json!({
        "name": CLUSTER,
        "cluster_name": CLUSTER,
        "cluster_uuid": CLUSTER_ID,
        "version": {
            "number": VERSION,
            "build_flavor": "default",
            "build_type": "tar",
            "build_hash": "0000000000000000000000000000000000000000",
            "build_date": "2026-01-01T00:00:00.000000000Z",
            "build_snapshot": false,
            "lucene_version": "9.12.2",
            "minimum_wire_compatibility_version": "7.17.0",
            "minimum_index_compatibility_version": "7.0.0",
        },
        // Clients of version 7 compare this sentence.
        "tagline": "You Know, for Search",
    })
}

fn health(host: &Host) -> Value {
    let shards = indices(host).len();
    json!({
        "cluster_name": CLUSTER, "status": "green", "timed_out": false, "number_of_nodes": 1,
        "number_of_data_nodes": 1, "active_primary_shards": shards, "active_shards": shards,
        "relocating_shards": 0, "initializing_shards": 0, "unassigned_shards": 0,
        "delayed_unassigned_shards": 0, "number_of_pending_tasks": 0, "number_of_in_flight_fetch": 0,
        "task_max_waiting_in_queue_millis": 0, "active_shards_percent_as_number": 100.0,
    })
}

fn xpack() -> Value {
    let feature = |enabled: bool| json!({"available": enabled, "enabled": enabled});
    json!({
        "build": {"hash": "0000000000000000000000000000000000000000", "date": "2026-01-01T00:00:00.000Z"},
        "license": {"uid": CLUSTER_ID, "type": "basic", "mode": "basic", "status": "active"},
        // Shippers set up their policies where there is lifecycle management.
        "features": {"ilm": feature(true), "security": feature(false), "monitoring": feature(false)},
        "tagline": "You know, for X",
    })
}

fn nodes(head: &Head) -> Value {
    let address = head.authority();
    let node = json!({
        "name": CLUSTER, "transport_address": address, "host": "127.0.0.1", "ip": "127.0.0.1",
        "version": VERSION, "build_flavor": "default", "build_type": "tar",
        "roles": ["data", "ingest", "master"],
        "http": {"bound_address": [address], "publish_address": address, "max_content_length_in_bytes": super::limits::BULK_BYTES},
        "plugins": [], "modules": [], "ingest": {"processors": []}, "settings": {},
    });
    json!({
        "_nodes": {"total": 1, "successful": 1, "failed": 0},
        "cluster_name": CLUSTER,
        "cluster_uuid": CLUSTER_ID,
        "master_node": NODE,
        "nodes": {NODE: node},
    })
}

/// Tables for people, as text or, with `format=json`, as objects.
fn cat(host: &Host, head: &Head, segments: &[&str]) -> Answer {
    let rows: Vec<Vec<(&str, String)>> = match segments {
        ["_cat", "indices"] => indices(host).iter().map(index_row).collect(),
        ["_cat", "indices", pattern] => indices(host)
            .iter()
            .filter(|index| super::search::names_index(pattern, &index.name))
            .map(index_row)
            .collect(),
        ["_cat", "health"] => vec![vec![
            ("cluster", CLUSTER.to_owned()),
            ("status", "green".to_owned()),
            ("node.total", "1".to_owned()),
            ("active_shards_percent", "100.0%".to_owned()),
        ]],
        ["_cat", "count"] => vec![vec![("count", host.case.snapshot().events().to_string())]],
        ["_cat", "nodes"] => vec![vec![
            ("ip", "127.0.0.1".to_owned()),
            ("master", "*".to_owned()),
            ("name", CLUSTER.to_owned()),
        ]],
        _ => Vec::new(),
    };
    if head.parameter("format") == Some("json") {
        let object = |row: &Vec<(&str, String)>| -> Value {
            Value::Object(row.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect())
        };
        return Answer::value(Value::Array(rows.iter().map(object).collect()));
    }
    let mut lines: Vec<Vec<&str>> =
        rows.iter().map(|row| row.iter().map(|(_, value)| value.as_str()).collect()).collect();
    if let Some(first) = rows.first().filter(|_| head.flag("v")) {
        lines.insert(0, first.iter().map(|(name, _)| *name).collect());
    }
    Answer::new(StatusCode::OK, Body::Text(laid_out(&lines)))
}

fn index_row(index: &Index) -> Vec<(&'static str, String)> {
    vec![
        ("health", "green".to_owned()),
        ("status", "open".to_owned()),
        ("index", index.name.clone()),
        ("uuid", index.uuid()),
        ("pri", "1".to_owned()),
        ("rep", "0".to_owned()),
        ("docs.count", index.events.to_string()),
        ("docs.deleted", "0".to_owned()),
        ("store.size", format!("{}b", index.bytes)),
        ("pri.store.size", format!("{}b", index.bytes)),
    ]
}

fn laid_out(lines: &[Vec<&str>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.len()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for line in lines {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join(" ").trim_end());
        text.push('\n');
    }
    text
}
