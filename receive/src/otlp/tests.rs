use serde_json::{Value, json};

use super::record::{LogRecord, TakeRecord};
use super::{json as json_messages, protobuf};
use crate::Refused;
use crate::http::HttpOptions;
use crate::http::testing::{Server, import};

/// A message of protobuf, written by hand.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(mut self, field: u64, number: u64) -> Message {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    fn fixed(mut self, field: u64, number: u64) -> Message {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(self, field: u64, Message(inner): Message) -> Message {
        self.bytes(field, &inner)
    }
}

fn message() -> Message {
    Message::default()
}

fn text(text: &str) -> Message {
    message().bytes(1, text.as_bytes())
}

fn pair(key: &str, value: Message) -> Message {
    text(key).message(2, value)
}

/// Two records of one service, the second without a time or a severity.
fn request() -> Vec<u8> {
    let first = message()
        .fixed(1, 1_795_230_245_000_000_001)
        .number(2, 17)
        .bytes(3, b"Error")
        .message(5, text("lost connection"))
        .message(6, pair("http.status", message().number(3, 503)))
        .message(6, pair("share", message().fixed(4, 0.5_f64.to_bits())))
        .message(
            6,
            pair(
                "tags",
                message().message(5, message().message(1, text("a")).message(1, message().number(2, 1))),
            ),
        )
        .message(
            6,
            pair(
                "peer",
                message().message(6, message().message(1, pair("port", message().number(3, u64::MAX)))),
            ),
        )
        .number(8, 1)
        .bytes(9, &[0xab; 16])
        .bytes(10, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let second = message()
        .fixed(11, 1_795_230_246_000_000_000)
        .number(2, 9)
        .message(5, message().message(6, message().message(1, pair("k", text("v")))));
    let scope = message().bytes(1, b"library").bytes(2, b"1.2");
    let scope_logs = message().message(1, scope).message(2, first).message(2, second).bytes(3, b"schema");
    let resource = message().message(1, pair("service.name", text("checkout")));
    // The resource follows what it is said of, as encoders may write it.
    message().message(1, message().message(2, scope_logs).message(1, resource)).0
}

fn same_in_json() -> Value {
    json!({"resourceLogs": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "checkout"}}]},
        "scopeLogs": [{
            "scope": {"name": "library", "version": "1.2"},
            "logRecords": [
                {"timeUnixNano": "1795230245000000001", "severityNumber": 17, "severityText": "Error",
                 "body": {"stringValue": "lost connection"},
                 "attributes": [
                    {"key": "http.status", "value": {"intValue": "503"}},
                    {"key": "share", "value": {"doubleValue": 0.5}},
                    {"key": "tags", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"boolValue": true}]}}},
                    {"key": "peer", "value": {"kvlistValue": {"values": [{"key": "port", "value": {"intValue": -1}}]}}},
                 ],
                 "traceId": "ABABABABABABABABABABABABABABABAB", "spanId": "0102030405060708"},
                {"observedTimeUnixNano": 1_795_230_246_000_000_000_u64, "severityNumber": 9,
                 "body": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}}},
            ],
        }],
    }]})
}

fn lines() -> Vec<Value> {
    vec![
        json!({
            "timestamp": "2026-11-21T03:04:05.000000001Z", "severity": "Error", "severity_number": 17,
            "message": "lost connection", "trace_id": "abababababababababababababababab",
            "span_id": "0102030405060708", "scope": "library", "scope_version": "1.2",
            "attributes": {"http.status": 503, "share": 0.5, "tags": ["a", true], "peer": {"port": -1}},
            "resource": {"service.name": "checkout"},
        }),
        json!({
            "timestamp": "2026-11-21T03:04:06Z", "severity": "INFO", "severity_number": 9, "body": {"k": "v"},
            "scope": "library", "scope_version": "1.2", "resource": {"service.name": "checkout"},
        }),
    ]
}

/// What a decoder hands on.
fn records(decode: impl FnOnce(TakeRecord<'_>) -> Result<(), String>) -> Result<Vec<LogRecord>, String> {
    let mut records = Vec::new();
    decode(&mut |record| {
        records.push(record.ok_or("too long")?.clone());
        Ok(())
    })?;
    Ok(records)
}

const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

#[test]
fn both_encodings_give_the_same_lines() {
    let from_protobuf = records(|each| protobuf::decode(&request(), each)).expect("records");
    let json = same_in_json().to_string();
    assert_eq!(Ok(from_protobuf), records(|each| json_messages::decode(json.as_bytes(), each)));
    let server = Server::start(HttpOptions::default());
    let reply = server.call("POST", "/v1/logs", &[PROTOBUF], &request());
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert_eq!(reply.header("content-type"), Some("application/x-protobuf"));
    let reply = server.call("POST", "/v1/logs", &[JSON], same_in_json().to_string().as_bytes());
    assert_eq!((reply.status, reply.json()), (200, json!({})));
    let stored: Vec<Value> = server
        .intake
        .lines("otlp/checkout")
        .iter()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(stored, [lines(), lines()].concat());
}

#[test]
fn lines_are_read_with_their_time_level_and_message() {
    let records = records(|each| protobuf::decode(&request(), each)).expect("well formed");
    let text: String =
        records.iter().map(|record| String::from_utf8(record.line(0)).expect("JSON") + "\n").collect();
    let folder = tempfile::tempdir().expect("a folder");
    let case = indexer::Case::create(&folder.path().join("otlp.case")).expect("a case");
    import(&case, folder.path(), &[("otlp.ndjson", &text)]);
    let found = |query: &str| {
        let view = indexer::View::parse(query, None, None).expect(query);
        case.count(&case.snapshot(), &view, &indexer::Cancel::default()).expect(query)
    };
    assert_eq!(case.snapshot().events(), 2);
    for query in [
        "level:error",
        "level:info",
        "message:\"lost connection\"",
        "trace_id:abababababababababababababababab",
        "attributes.http.status=503",
        "time=2026-11-21T03:04:05.000000001Z",
        "attributes.peer.port=-1",
        "body.k:v",
    ] {
        assert_eq!(found(query), 1, "{query}");
    }
    assert_eq!(found("resource.service.name:checkout"), 2);
    assert_eq!(found("time:*"), 2);
}

#[test]
fn malformed_messages_are_refused_and_never_panic() {
    let server = Server::start(HttpOptions::default());
    let whole = request();
    for body in
        [&whole[..whole.len() - 1], b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x0f", b"\x80\x80\x80"]
    {
        let reply = server.call("POST", "/v1/logs", &[PROTOBUF], body);
        assert_eq!((reply.status, reply.header("content-type")), (400, Some("application/x-protobuf")));
        assert!(reply.body.starts_with(&[8, 3, 18]));
    }
    for length in 0..whole.len() {
        let _ = records(|each| protobuf::decode(&whole[..length], each));
        let mut other = whole.clone();
        other[length] ^= 0x55;
        let _ = records(|each| protobuf::decode(&other, each));
    }
    for body in [
        "[]",
        "{",
        "{\"resourceLogs\": 1}",
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"x\"}]}]}]}",
    ] {
        assert_eq!(server.call("POST", "/v1/logs", &[JSON], body.as_bytes()).status, 400, "{body}");
    }
    let mut value = text("deep");
    for _ in 0..100 {
        value = message().message(5, message().message(1, value));
    }
    let deep =
        message().message(1, message().message(2, message().message(2, message().message(5, value)))).0;
    assert!(records(|each| protobuf::decode(&deep, each)).is_err());
    assert_eq!(server.call("POST", "/v1/logs", &[("content-type", "text/plain")], b"x").status, 415);
    assert!(server.intake.lines("otlp/checkout").is_empty());
}

#[test]
fn what_is_too_long_is_left_out_and_said() {
    let server = Server::start(HttpOptions::default());
    let log = |body: &str| message().fixed(1, 1).message(5, text(body));
    let logs = message().message(2, log("short")).message(2, log(&"x".repeat(2 << 20)));
    let body = message().message(1, message().message(2, logs)).0;
    let reply = server.call("POST", "/v1/logs", &[PROTOBUF], &body);
    assert_eq!(
        (reply.status, reply.body),
        (200, protobuf::success(1, "a log record is longer than 1048576 bytes"))
    );
    assert_eq!(server.intake.lines("otlp/unknown_service").len(), 1);
}

#[test]
fn exporters_are_asked_to_send_again() {
    let server = Server::start(HttpOptions::default());
    server.intake.refuse(Some(Refused::Busy { retry_after: std::time::Duration::from_secs(3) }));
    let reply = server.call("POST", "/v1/logs", &[PROTOBUF], &request());
    assert_eq!((reply.status, reply.header("retry-after")), (429, Some("3")));
    server.intake.refuse(Some(Refused::Closed));
    assert_eq!(server.call("POST", "/v1/logs", &[JSON], same_in_json().to_string().as_bytes()).status, 503);
}
