//! The protocol as clients speak it, over real connections, with an intake in memory.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::HttpOptions;
use super::testing::{Server, gzip};
use crate::Refused;

fn server() -> Server {
    Server::start(HttpOptions::default())
}

#[test]
fn clients_recognise_the_server() {
    let server = server();
    let root = server.get("/");
    assert_eq!(root.status, 200);
    assert_eq!(root.header("x-elastic-product"), Some("Elasticsearch"));
    assert_eq!(root.header("content-type"), Some("application/json"));
    let root = root.json();
    assert!(root["version"]["number"].as_str().is_some_and(|version| version.starts_with("8.")), "{root}");
    assert_eq!(root["tagline"], "You Know, for Search");
    let accept = "application/vnd.elasticsearch+json; compatible-with=8";
    let reply = server.call("GET", "/", &[("accept", accept)], b"");
    assert_eq!(reply.header("content-type"), Some("application/vnd.elasticsearch+json;compatible-with=8"));
    let head = server.call("HEAD", "/", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(server.get("/_cluster/health").json()["status"], "green");
    assert_eq!(server.get("/_license").json()["license"]["status"], "active");
    assert_eq!(server.get("/_xpack").json()["features"]["ilm"]["enabled"], true);
    assert!(server.get("/_nodes/_all/http").json()["nodes"].is_object());
    assert_eq!(server.get("/?filter_path=version.number").json(), json!({"version": {"number": "8.19.0"}}));
    assert!(String::from_utf8_lossy(&server.get("/?pretty").body).contains("\n  \"cluster_name\""));
    let unknown = server.get("/_no_such_thing");
    assert_eq!((unknown.status, unknown.header("x-elastic-product")), (400, Some("Elasticsearch")));
}

#[test]
fn bulk_items_land_and_fail_on_their_own() {
    let server = server();
    let body = "{\"index\":{}}\n{\"message\":\"one\"}\n{\"create\":{\"_id\":\"7\"}}\n{\"message\":\"two\"}\n\
                {\"create\":{\"_id\":\"7\"}}\n{\"message\":\"again\"}\n{\"index\":{\"_index\":\"other\"}}\nbroken\n\
                {\"index\":{\"_index\":\"other\"}}\n{\"message\":\"three\"}\n";
    let reply = server.post("/logs/_bulk", body);
    assert_eq!(reply.status, 200);
    let answer = reply.json();
    let statuses: Vec<u64> = answer["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| {
            item.as_object().and_then(|item| item.values().next()?["status"].as_u64()).expect("a status")
        })
        .collect();
    assert_eq!((statuses, answer["errors"].clone()), (vec![201, 201, 409, 400, 201], json!(true)));
    assert_eq!(answer["items"][2]["create"]["error"]["type"], "version_conflict_engine_exception");
    assert_eq!(server.intake.lines("http/logs"), ["{\"message\":\"one\"}", "{\"message\":\"two\"}"]);
    assert_eq!(server.intake.lines("http/other"), ["{\"message\":\"three\"}"]);
    let again = server
        .post("/_bulk", "{\"index\":{\"_index\":\"logs\",\"_id\":\"7\"}}\n{\"message\":\"two\"}\n")
        .json();
    assert_eq!(again["items"][0]["index"]["result"], "noop");
    assert_eq!(again["errors"], false);
    let filtered = server.post("/logs/_bulk?filter_path=errors,items.*.error", "{\"index\":{}}\n{}\n").json();
    assert_eq!(filtered, json!({"errors": false}));
    let rejected = &server.intake.counters_read()["http/other"].rejected;
    assert_eq!(rejected.get("not JSON"), Some(&1));
}

#[test]
fn bodies_may_be_packed_and_come_in_chunks() {
    let server = server();
    let body: String =
        (0..5_000).map(|n| ["{\"index\":{}}\n{\"n\":", &n.to_string(), "}\n"].concat()).collect();
    let reply = server.call("POST", "/packed/_bulk", &[("content-encoding", "gzip")], &gzip(body.as_bytes()));
    assert_eq!((reply.status, reply.json()["items"].as_array().map(Vec::len)), (200, Some(5_000)));
    assert_eq!(server.intake.lines("http/packed").len(), 5_000);
    let mut chunked = b"POST /chunked/_bulk HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for chunk in body.as_bytes().chunks(777) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(server.raw(&[&chunked]).status, 200);
    assert_eq!(server.intake.lines("http/chunked"), server.intake.lines("http/packed"));
    let torn =
        server.call("POST", "/torn/_bulk", &[("content-encoding", "gzip")], &gzip(body.as_bytes())[..500]);
    assert_eq!(torn.status, 400);
    let other = server.call("POST", "/torn/_bulk", &[("content-encoding", "br")], b"x");
    assert_eq!(other.status, 415);
}

#[test]
fn senders_wait_when_the_case_is_busy() {
    let server = server();
    let body = "{\"index\":{}}\n{}\n";
    for (refused, status, kind) in [
        (Refused::Busy { retry_after: Duration::from_millis(1500) }, 429, "es_rejected_execution_exception"),
        (Refused::DiskNearlyFull { free_bytes: 7 }, 429, "cluster_block_exception"),
        (Refused::Closed, 503, "node_closed_exception"),
        (Refused::Failed("no disk".to_owned()), 500, "translog_exception"),
    ] {
        server.intake.refuse(Some(refused.clone()));
        for reply in [server.post("/logs/_bulk", body), server.post("/logs/_doc", "{}")] {
            assert_eq!(reply.status, status, "{refused:?}");
            let answer = reply.json();
            assert_eq!((&answer["error"]["type"], &answer["status"]), (&json!(kind), &json!(status)));
            if let Refused::Busy { .. } = refused {
                assert_eq!(reply.header("retry-after"), Some("2"));
            }
            if let Refused::DiskNearlyFull { .. } = refused {
                assert!(
                    answer["error"]["reason"].as_str().is_some_and(|reason| reason.contains("nearly full"))
                );
            }
        }
    }
    server.intake.refuse(None);
    assert_eq!(server.post("/logs/_bulk", body).status, 200);
    assert_eq!(server.intake.lines("http/logs").len(), 1);
}

#[test]
fn documents_are_stored_one_at_a_time() {
    let server = server();
    let made = server.post("/logs/_doc", "{\n  \"a\": 1\n}\n");
    assert_eq!((made.status, made.json()["result"].clone()), (201, json!("created")));
    assert_eq!(made.json()["_id"].as_str().map(str::len), Some(20));
    assert_eq!(server.call("PUT", "/logs/_doc/5", &[], b"{}").status, 201);
    assert_eq!(server.call("PUT", "/logs/_create/5", &[], b"{}").status, 409);
    assert_eq!(server.post("/logs/_doc/5?op_type=create", "{}").status, 409);
    assert_eq!(server.post("/logs/_doc/5", "{}").json()["result"], "noop");
    assert_eq!(server.post("/system/events", "{\"old\": true}").status, 201);
    assert_eq!(server.post("/logs/_doc", "[]").status, 400);
    assert_eq!(server.post("/Logs/_doc", "{}").json()["error"]["type"], "invalid_index_name_exception");
    assert_eq!(server.post("/logs/_update/5", "{}").status, 400);
    assert_eq!(server.intake.lines("http/logs"), ["{   \"a\": 1 }", "{}"]);
    assert_eq!(server.intake.lines("http/system"), ["{\"old\": true}"]);
}

#[test]
fn shippers_find_what_they_set_up() {
    let server = server();
    let put = |path: &str| server.call("PUT", path, &[], b"{\"index_patterns\":[\"logs-*\"]}");
    for path in [
        "/_index_template/filebeat-8",
        "/_component_template/filebeat-8",
        "/_template/logstash",
        "/_ilm/policy/filebeat",
        "/_ingest/pipeline/filebeat-8-nginx",
        "/_data_stream/logs-app",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
        assert_eq!(server.call("HEAD", path, &[], b"").status, 404, "{path}");
        assert_eq!(put(path).json(), json!({"acknowledged": true}), "{path}");
        assert_eq!(server.call("HEAD", path, &[], b"").status, 200, "{path}");
        assert!(
            String::from_utf8_lossy(&server.get(path).body)
                .contains(path.rsplit('/').next().expect("a name"))
        );
    }
    assert_eq!(server.call("HEAD", "/filebeat-1", &[], b"").status, 404);
    assert_eq!(put("/filebeat-1").json()["index"], "filebeat-1");
    assert_eq!(put("/filebeat-1").json()["error"]["type"], "resource_already_exists_exception");
    assert_eq!(server.call("HEAD", "/filebeat-1", &[], b"").status, 200);
    assert_eq!(server.get("/_alias/filebeat").status, 404);
    assert_eq!(put("/filebeat-1/_alias/filebeat").status, 200);
    assert_eq!(server.call("HEAD", "/_alias/filebeat", &[], b"").status, 200);
    assert_eq!(server.get("/filebeat-1/_settings").status, 200);
    assert_eq!(server.get("/nothing/_settings").json()["error"]["type"], "index_not_found_exception");
    assert_eq!(server.call("DELETE", "/filebeat-1", &[], b"").status, 400);
    assert_eq!(server.call("DELETE", "/_template/logstash", &[], b"").status, 200);
    assert_eq!(server.get("/_template/logstash").status, 404);
    let listed = String::from_utf8_lossy(&server.get("/_cat/indices?v").body).into_owned();
    assert!(listed.contains("docs.count") && listed.contains("filebeat-1"), "{listed}");
}

#[test]
fn only_who_has_the_token_is_answered() {
    let options = HttpOptions { token: Some("s3cret".to_owned()), ..HttpOptions::default() };
    let server = Server::start(options);
    let refused = server.get("/");
    assert_eq!((refused.status, refused.header("www-authenticate").is_some()), (401, true));
    assert_eq!(server.post("/logs/_bulk", "{\"index\":{}}\n{}\n").status, 401);
    assert_eq!(server.call("GET", "/", &[("authorization", "Bearer s3cret")], b"").status, 200);
    assert!(server.intake.lines("http/logs").is_empty());
}

#[test]
fn web_pages_are_not_answered() {
    let server = server();
    assert_eq!(server.call("POST", "/logs/_doc", &[("origin", "http://logs.example")], b"{}").status, 403);
    for head in [
        "host: logs.example",
        "host: localhost:1",
        "host: localhost\r\nsec-fetch-site: cross-site",
        "host: localhost\r\nsec-fetch-site: same-site",
        "host: localhost\r\norigin: http://localhost:3000",
    ] {
        let request = format!("GET /_search HTTP/1.1\r\n{head}\r\nconnection: close\r\n\r\n");
        assert_eq!(server.raw(&[request.as_bytes()]).status, 403, "{head}");
    }
    assert!(server.intake.lines("http/logs").is_empty());
}

#[test]
fn an_address_that_others_reach_needs_permission_and_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = std::sync::Arc::new(indexer::Case::create(&folder.path().join("a.case")).expect("a case"));
    let serve = |options: HttpOptions| {
        let listener = std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
        let intake = std::sync::Arc::new(super::testing::MemoryIntake::default());
        let stop = indexer::Cancel::default();
        stop.set();
        super::serve(listener, intake, std::sync::Arc::clone(&case), options, stop)
    };
    let remote: super::Allows = std::sync::Arc::new(|_| true);
    assert!(serve(HttpOptions::default()).is_err());
    assert!(serve(HttpOptions { remote: Some(remote.clone()), ..HttpOptions::default() }).is_err());
    assert!(
        serve(HttpOptions {
            remote: Some(remote),
            token: Some("s3cret".to_owned()),
            ..HttpOptions::default()
        })
        .is_ok()
    );
}

#[test]
fn broken_requests_end_their_connection_only() {
    let server = server();
    // Not HTTP at all, a head that is too long, a body that is shorter than it says.
    assert_eq!(server.raw(&[b"\x16\x03\x01\x02\x00\x01\x00"]).status, 400);
    let long = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    assert!(matches!(server.raw(&[long.as_bytes()]).status, 431 | 0));
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    let part = b"POST /logs/_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n{\"index\":{}}\n{}\n{\"ind";
    stream.write_all(part).expect("a connection");
    drop(stream);
    let too_long = b"POST /logs/_doc HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n{}";
    assert_eq!(server.raw(&[too_long]).status, 413);
    assert_eq!(server.post("/logs/_bulk", "\n\n").status, 400);
    assert_eq!(server.post("/logs/_bulk", "{\"index\":{}}\n{\"whole\":1}").status, 200);
    assert_eq!(server.intake.lines("http/logs"), ["{\"whole\":1}"]);
}

#[test]
fn senders_that_trickle_are_cut_off() {
    let short = Duration::from_millis(100);
    let patience = super::Patience { head: short, pause: short, ..super::Patience::default() };
    let server = Server::start(HttpOptions { patience, ..HttpOptions::default() });
    // Each reads until the server closes the connection, which these senders never do.
    let head = server.raw(&[b"GET / HTTP/1.1\r\nhost: local"]);
    assert!(matches!(head.status, 0 | 408), "{}", head.head);
    let half =
        b"POST /logs/_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n{\"index\":{}}\n{}\n";
    let body = server.raw(&[half]);
    assert_eq!((body.status, body.json()["error"]["type"].clone()), (408, json!("timeout_exception")));
    let idle = server.raw(&[b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"]);
    assert_eq!(idle.status, 200);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_bomb_is_noticed_before_it_is_in_memory() {
    let server = server();
    let zeros = gzip(&vec![b' '; 64 << 20]);
    let reply = server.call("POST", "/logs/_doc", &[("content-encoding", "gzip")], &zeros);
    assert_eq!(
        (reply.status, reply.json()["error"]["type"].clone()),
        (413, json!("content_too_long_exception"))
    );
}

#[test]
fn connections_are_kept_and_the_server_ends_when_it_is_stopped() {
    let mut server = server();
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    let mut bytes = [0; 4096];
    for _ in 0..3 {
        stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("a connection");
        let read = stream.read(&mut bytes).expect("an answer");
        assert!(bytes[..read].starts_with(b"HTTP/1.1 200 OK"));
    }
    server.end().expect("a clean end");
    // The idle connection was closed.
    while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
    assert!(TcpStream::connect(server.address).is_err());
}

#[test]
fn what_cannot_be_asked_is_said() {
    let server = server();
    let error = |path: &str, body: &Value| {
        let reply = server.post(path, &body.to_string());
        assert_eq!(reply.status, 400, "{path} {body}");
        reply.json()["error"]["reason"].as_str().expect("a reason").to_owned()
    };
    for (body, named) in [
        (json!({"query": {"geo_distance": {}}}), "[geo_distance]"),
        (json!({"query": {"match": {"a": {"query": "b", "analyzer": "x"}}}}), "[analyzer]"),
        (json!({"query": {"bool": {"must": [{"nested": {}}]}}}), "[nested]"),
        (json!({"aggs": {"a": {"significant_text": {}}}}), "[significant_text]"),
        (json!({"aggs": {"a": {"terms": {"field": "a", "include": "x"}}}}), "[include]"),
        (json!({"collapse": {"field": "a"}}), "[collapse]"),
        (json!({"query": {"term": {"a": "b"}, "match": {}}}), "[END_OBJECT]"),
        (json!({"from": 9_999, "size": 2}), "Result window is too large"),
        (json!({"query": {"query_string": {"query": "a AND ("}}}), "a AND ("),
        (json!({"query": {"range": {"@timestamp": {"gte": "soon"}}}}), "[soon]"),
    ] {
        assert!(error("/_search", &body).contains(named), "{body}: {}", error("/_search", &body));
    }
    assert_eq!(server.post("/nothing/_search", "{}").json()["error"]["type"], "index_not_found_exception");
    assert_eq!(
        server.post("/nothing/_search?ignore_unavailable=true", "{}").json()["hits"]["total"]["value"],
        0
    );
}

#[test]
fn documents_are_visible_before_the_answer_where_that_is_asked() {
    let server = server();
    let refreshes = || std::mem::take(&mut *server.intake.refreshes.lock().expect("no panic"));
    let item = "{\"index\":{}}\n{\"message\":\"one\"}\n";
    server.post("/logs/_bulk", item);
    server.post("/logs/_bulk?refresh=false", item);
    assert!(refreshes().is_empty());
    for (asked, at_once) in [("refresh", true), ("refresh=true", true), ("refresh=wait_for", false)] {
        assert_eq!(server.post(&format!("/logs/_bulk?{asked}"), item).status, 200);
        assert_eq!(server.post(&format!("/logs/_doc?{asked}"), "{\"message\":\"two\"}").status, 201);
        assert_eq!(refreshes(), [at_once, at_once], "{asked}");
    }
    // Nothing of it was stored, so there is nothing to wait for.
    server.post("/logs/_bulk?refresh=true", "{\"index\":{}}\nbroken\n");
    assert!(refreshes().is_empty());
    for path in ["/_refresh", "/logs/_refresh"] {
        assert_eq!(server.post(path, "").json()["_shards"]["successful"], 1);
    }
    assert_eq!(refreshes(), [true, true]);
}
