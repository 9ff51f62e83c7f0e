//! What a request may cost: it ends with its client and its time, and is taken or refused as a whole.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::limits::{ANSWER_BYTES, BULK_ITEMS};
use super::testing::{Server, gzip};
use super::{HttpOptions, Patience};

/// Longer than anything takes here on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request that waits until what was stored is visible.
const REFRESH: &[u8] = b"POST /_refresh HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n";

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn server_with(patience: Patience) -> Server {
    Server::start(HttpOptions { patience, ..HttpOptions::default() })
}

/// Sends a request whose work takes until nobody waits for it, and waits until that has begun.
fn begin_endless(server: &Server) -> TcpStream {
    server.intake.never_visible.set();
    let before = server.intake.refreshes.lock().expect("no panic").len();
    let mut client = TcpStream::connect(server.address).expect("a connection");
    client.write_all(REFRESH).expect("it is sent");
    until("it is worked on", || server.intake.refreshes.lock().expect("no panic").len() > before);
    client
}

fn ended(server: &Server) -> usize {
    server.intake.refreshed.load(Ordering::Relaxed)
}

#[test]
fn request_ends_when_its_client_goes_away() {
    let server = Server::start(HttpOptions::default());
    let client = begin_endless(&server);
    assert_eq!(ended(&server), 0);
    drop(client);
    until("it ends", || ended(&server) == 1);
}

#[test]
fn request_ends_when_its_time_is_over() {
    let server = server_with(Patience { answer: Duration::from_millis(50), ..Patience::default() });
    server.intake.never_visible.set();
    for path in ["/_refresh", "/logs/_doc?refresh=true"] {
        let reply = server.post(path, "{}");
        assert_eq!(
            (reply.status, reply.json()["error"]["type"].clone()),
            (503, json!("timeout_exception")),
            "{path}"
        );
    }
    until("both end", || ended(&server) == 2);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn server_ends_at_once_while_requests_are_worked_on_and_bodies_arrive() {
    let mut server = Server::start(HttpOptions::default());
    let waiting: Vec<TcpStream> = (0..3).map(|_| begin_endless(&server)).collect();
    let mut sending = TcpStream::connect(server.address).expect("a connection");
    sending
        .write_all(b"POST /logs/_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n{\"index\":{}}\n{}\n")
        .expect("it is sent");
    let began = Instant::now();
    server.end().expect("a clean end");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(ended(&server), 3);
    for mut client in waiting.into_iter().chain([sending]) {
        // Each is answered, or its connection is closed.
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
    }
    assert!(server.intake.lines("http/logs").is_empty());
}

#[test]
fn searches_that_wait_hold_up_nothing_else() {
    let server = Server::start(HttpOptions::default());
    let mut waiting = vec![begin_endless(&server)];
    // More waits than there are threads for them.
    waiting.resize_with(80, || {
        let mut client = TcpStream::connect(server.address).expect("a connection");
        client.write_all(REFRESH).expect("it is sent");
        client
    });
    assert_eq!(server.post("/logs/_doc", "{}").status, 201);
    assert_eq!(server.get("/").status, 200);
    drop(waiting);
    // Those that had no thread yet never begin.
    until("those that began end", || {
        ended(&server) == server.intake.refreshes.lock().expect("no panic").len()
    });
}

#[test]
fn filter_of_many_stars_is_answered_at_once() {
    let server = Server::start(HttpOptions::default());
    let began = Instant::now();
    for _ in 0..4 {
        let reply = server.get(&format!("/_nodes?filter_path={}x", "**.".repeat(100)));
        assert_eq!((reply.status, reply.json()), (200, json!({})));
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let reply = server.get(&format!("/_nodes?filter_path={}x", "*.**.".repeat(1_000)));
    assert_eq!(
        (reply.status, reply.json()["error"]["type"].clone()),
        (400, json!("illegal_argument_exception"))
    );
}

#[test]
fn bulk_beyond_a_limit_stores_nothing() {
    let server = Server::start(HttpOptions::default());
    let documents = |count: usize| "{\"index\":{}}\n{}\n".repeat(count);
    let reply = server.post("/logs/_bulk?filter_path=errors", &documents(BULK_ITEMS + 1));
    assert_eq!((reply.status, reply.json().get("errors").cloned()), (413, None));
    assert!(server.intake.lines("http/logs").is_empty());
    let reply = server.post("/logs/_bulk?filter_path=errors", &documents(10));
    assert_eq!((reply.status, reply.json()), (200, json!({"errors": false})));
    assert_eq!(server.intake.lines("http/logs").len(), 10);
}

#[test]
fn bulk_that_breaks_off_stores_nothing() {
    let server = Server::start(HttpOptions::default());
    let document = format!("{{\"index\":{{}}}}\n{{\"message\":\"{}\"}}\n", "x".repeat(100_000));
    let body = document.repeat(120);
    let head =
        format!("POST /logs/_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", body.len() + 1);
    let mut client = TcpStream::connect(server.address).expect("a connection");
    client.write_all(head.as_bytes()).and_then(|()| client.write_all(body.as_bytes())).expect("it is sent");
    client.shutdown(std::net::Shutdown::Both).expect("it is closed");
    // Of twelve megabytes the server has most by now: no system keeps so many for it.
    assert_eq!(server.post("/other/_doc", "{}").status, 201);
    assert!(server.intake.lines("http/logs").is_empty());
}

#[test]
fn bulk_says_which_items_are_stored_where_an_index_is_one_too_many() {
    let server = Server::start(HttpOptions::default());
    let body = "{\"index\":{\"_index\":\"logs\"}}\n{}\n{\"index\":{\"_index\":\"one-too-many\"}}\n{}\n";
    let answer = server.post("/_bulk", body).json();
    let statuses = [0, 1].map(|item: usize| answer["items"][item]["index"]["status"].clone());
    assert_eq!((statuses, answer["errors"].clone()), ([json!(201), json!(500)], json!(true)));
    assert_eq!(server.intake.lines("http/logs").len(), 1);
    let alone = server.post("/one-too-many/_bulk", "{\"index\":{}}\n{}\n");
    assert_eq!((alone.status, alone.json()["error"]["type"].clone()), (500, json!("translog_exception")));
}

#[test]
fn searches_of_one_request_share_one_answer() {
    let lines: Vec<String> =
        (0..1_000).map(|n| format!("{{\"n\":{n},\"message\":\"{}\"}}", "word ".repeat(800))).collect();
    let server = Server::with_files(HttpOptions::default(), &[("logs", &lines.join("\n"))]);
    let body = "{}\n{\"size\":1000}\n".repeat(12);
    let reply = server.post("/_msearch", &body);
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() < 2 * ANSWER_BYTES, "{}", reply.body.len());
    let answer = reply.json();
    let responses = answer["responses"].as_array().expect("responses");
    let statuses: Vec<u64> = responses.iter().filter_map(|response| response["status"].as_u64()).collect();
    let found = statuses.iter().take_while(|status| **status == 200).count();
    assert!(
        (5..10).contains(&found) && statuses[found..].iter().all(|status| *status == 400),
        "{statuses:?}"
    );
    let reason: &Value = &responses[11]["error"]["reason"];
    assert!(reason.as_str().is_some_and(|reason| reason.contains("[size]")), "{reason}");
    assert_eq!(responses[0]["hits"]["hits"].as_array().map(Vec::len), Some(1_000));
}

#[test]
fn search_that_multiplies_its_buckets_or_clauses_is_refused() {
    let server = Server::with_files(HttpOptions::default(), &[("logs", "{\"a\":1}\n{\"a\":2}\n")]);
    let kind = |body: &Value| {
        let reply = server.post("/_search?size=0", &body.to_string());
        (reply.status, reply.json()["error"]["type"].clone())
    };
    // 64 conditions in each of 64, three times.
    let filters: Vec<Value> = (0..64).map(|_| json!({"match_all": {}})).collect();
    let nested =
        (0..3).fold(json!({}), |inner, _| json!({"f": {"filters": {"filters": filters}, "aggs": inner}}));
    assert_eq!(kind(&json!({"aggs": nested})), (400, json!("too_many_buckets_exception")));
    let clauses = vec![json!({"match_all": {}}); 5_000];
    assert_eq!(kind(&json!({"query": {"bool": {"should": clauses}}})), (400, json!("too_many_clauses")));
    let words = "word ".repeat(5_000);
    assert_eq!(kind(&json!({"query": {"match": {"message": words}}})), (400, json!("too_many_clauses")));
    assert_eq!(kind(&json!({"query": {"match": {"message": "x".repeat(1 << 20)}}})).0, 413);
    let list = server.get(&format!("/{}/_search", "a,".repeat(10_000)));
    assert_eq!(list.status, 400);
}

#[test]
fn deep_answers_are_laid_out_up_to_a_limit() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    let server = Server::with_files(HttpOptions::default(), &[("logs", &deep)]);
    let reply = server.get("/_search?pretty&filter_path=hits.hits._source");
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    assert!(text.contains('\n') && reply.json()["hits"]["hits"][0]["_source"]["a"].is_array(), "{text}");
}

#[test]
fn packed_body_that_becomes_too_much_takes_no_memory() {
    let server = Server::start(HttpOptions::default());
    // Empty records of OTLP, two bytes each: in JSON or as a struct they take hundreds of times that.
    let packed = gzip(&in_field(0x0a, &in_field(0x12, &[0x12, 0].repeat(7 << 20))));
    assert!(packed.len() < 100_000, "{}", packed.len());
    let headers = [("content-encoding", "gzip"), ("content-type", "application/x-protobuf")];
    assert_eq!(server.call("POST", "/v1/logs", &headers, &packed).status, 413);
    let objects = format!(
        "{{\"resourceLogs\":[{{\"scopeLogs\":[{{\"logRecords\":[{}{{}}]}}]}}]}}",
        "{},".repeat(1 << 20)
    );
    let headers = [("content-type", "application/json")];
    assert_eq!(server.call("POST", "/v1/logs", &headers, objects.as_bytes()).status, 413);
    assert!(server.intake.streams.lock().expect("no panic").is_empty());
}

/// A field of protobuf with these bytes.
fn in_field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut field, mut length) = (vec![tag], bytes.len());
    while length >= 0x80 {
        field.push(length as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend_from_slice(bytes);
    field
}
