//! The whole server over its sockets. The first byte chooses between the bytes as they are, after `GET `, and a request
//! that is put together: a line with method and address, headers up to an empty line, and the body. Such a request is
//! answered as a whole, by clients of this machine only; and appending stores what the answer says, however the body comes.
#![no_main]

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use flate2::write::GzEncoder;
use indexer::{Cancel, Case, ImportOptions};
use libfuzzer_sys::fuzz_target;
use receive::http::{HttpOptions, serve};
use receive::{Appended, Counters, Intake, Record, Refused, Stream};
use serde_json::Value;

fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let [how, bytes @ ..] = bytes else { return };
    if how & 1 == 1 {
        send_as_it_is(bytes);
    } else if let Some(request) = Request::parse(bytes) {
        check(&request, usize::from(how >> 1) + 1);
    }
});

/// A request with a sound head.
struct Request<'b> {
    method: &'b str,
    address: &'b str,
    headers: Vec<(String, &'b str)>,
    body: &'b [u8],
}

/// Headers that say how the body comes, or what becomes of the connection.
const OF_THE_CONNECTION: &[&str] =
    &["connection", "content-encoding", "content-length", "expect", "te", "transfer-encoding", "upgrade"];

impl<'b> Request<'b> {
    fn parse(bytes: &'b [u8]) -> Option<Request<'b>> {
        let (first, mut rest) = line(bytes)?;
        let (method, address) = first.split_once(' ')?;
        let is_plain = |text: &str| text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
        let is_address = address.starts_with('/') && is_plain(address) && !address.contains([' ', '#']);
        if !is_address || !["GET", "POST", "PUT", "HEAD", "DELETE"].contains(&method) {
            return None;
        }
        let mut headers = Vec::new();
        while let Some((header, after)) = line(rest) {
            rest = after;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':')?;
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let name = name.to_ascii_lowercase();
            if !is_name || !is_plain(value) || OF_THE_CONNECTION.contains(&name.as_str()) || headers.len() > 20 {
                return None;
            }
            headers.push((name, value.trim()));
        }
        Some(Request { method, address, headers, body: rest })
    }

    fn values(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| *value).collect()
    }

    /// Whether a program of this machine may have sent it.
    fn is_own(&self, port: u16) -> bool {
        let hosts = self.values("host");
        let named = |host: &str| {
            let host = host.to_ascii_lowercase();
            let with_port = host.rsplit_once(':').filter(|(_, given)| given.parse() == Ok(port));
            let host = with_port.map_or(host.as_str(), |(host, _)| host);
            host == "localhost" || host == "[::1]" || host.parse::<Ipv4Addr>().is_ok_and(|host| host.is_loopback())
        };
        let own = |origin: &&str| {
            hosts.iter().any(|host| origin.split_once("://").is_some_and(|(_, of)| of.eq_ignore_ascii_case(host)))
        };
        let from = self.values("sec-fetch-site");
        matches!(hosts[..], [] | [_])
            && hosts.iter().all(|host| named(host))
            && self.values("origin").iter().all(own)
            && from.iter().all(|from| ["same-origin", "none"].contains(from))
    }

    /// The bytes of the request, its body in chunks of so many bytes or in one piece.
    fn text(&self, port: u16, chunks: Option<usize>, is_packed: bool) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.address);
        if self.values("host").is_empty() {
            text += &format!("host: 127.0.0.1:{port}\r\n");
        }
        self.headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        let mut body = self.body.to_vec();
        if is_packed {
            text += "content-encoding: gzip\r\n";
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&body).expect("memory");
            body = encoder.finish().expect("memory");
        }
        let Some(bytes) = chunks else {
            let head = format!("{text}content-length: {}\r\n\r\n", body.len());
            return [head.as_bytes(), &body].concat();
        };
        let mut text = format!("{text}transfer-encoding: chunked\r\n\r\n").into_bytes();
        for chunk in body.chunks(bytes) {
            text.extend(format!("{:x}\r\n", chunk.len()).bytes());
            text.extend_from_slice(chunk);
            text.extend_from_slice(b"\r\n");
        }
        text.extend_from_slice(b"0\r\n\r\n");
        text
    }
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

fn check(request: &Request<'_>, chunk_bytes: usize) {
    let server = &*SERVER;
    let answer = |chunks, is_packed| {
        server.intake.clear();
        let reply = ask(server.port, request.method, &request.text(server.port, chunks, is_packed));
        (reply, server.intake.stored())
    };
    let (whole, stored) = answer(None, false);
    assert!(whole.status >= 400 || request.is_own(server.port), "a web page was answered: {:?}", request.headers);
    assert!(whole.status < 400 || stored.is_empty(), "status {}, and it is stored: {stored:?}", whole.status);
    let (path, query) = request.address.split_once('?').unwrap_or((request.address, ""));
    let is_bulk = path.ends_with("/_bulk");
    if !is_bulk && path != "/v1/logs" || request.method != "POST" {
        return;
    }
    if is_bulk && whole.status == 200 && !query.contains("filter_path") && !query.contains('%') {
        let json = whole.json().expect("an answer in JSON");
        let items = json["items"].as_array().expect("items").iter().filter_map(|item| item.as_object()?.values().next());
        let created = items.filter(|item| item["status"] == 201).count();
        assert_eq!(created, stored.len(), "acknowledged and stored");
    }
    for (chunks, is_packed) in [(Some(chunk_bytes), false), (Some(chunk_bytes), true)] {
        let (other, also_stored) = answer(chunks, is_packed);
        assert_eq!((other.status, also_stored), (whole.status, stored.clone()), "in chunks of {chunk_bytes} bytes");
    }
}

struct Reply {
    status: u16,
    body: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(15);

/// The connection of the requests before, if it is still open.
static CONNECTION: Mutex<Option<TcpStream>> = Mutex::new(None);

fn connection(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    stream.set_nodelay(true).expect("an option");
    stream
}

fn ask(port: u16, method: &str, text: &[u8]) -> Reply {
    let kept = CONNECTION.lock().expect("no panic").take();
    let was_open = kept.is_some();
    let mut stream = kept.unwrap_or_else(|| connection(port));
    // The server may answer before all of the body is there, and close.
    let _ = stream.write_all(text);
    let mut read = Vec::new();
    let mut more = |read: &mut Vec<u8>| {
        let mut piece = [0; 1 << 14];
        let bytes = stream.read(&mut piece).expect("an answer in time");
        read.extend_from_slice(&piece[..bytes]);
        bytes > 0
    };
    let end = loop {
        if let Some(at) = read.windows(4).position(|end| end == b"\r\n\r\n") {
            break at + 4;
        }
        if !more(&mut read) {
            assert!(was_open && read.is_empty(), "no whole head: {:?}", String::from_utf8_lossy(&read));
            // It was closed after the request before.
            return ask(port, method, text);
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let header = |name: &str| {
        let named = |line: &str| line.strip_prefix(name)?.strip_prefix(':').map(|value| value.trim().to_owned());
        head.lines().find_map(named)
    };
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    assert!((200..600).contains(&status), "status {status}");
    assert_ne!(status, 500, "{}", String::from_utf8_lossy(&read));
    let bytes: usize = header("content-length").map_or(0, |length| length.parse().expect("a length"));
    let bytes = if method == "HEAD" { 0 } else { bytes };
    while read.len() < end + bytes {
        assert!(more(&mut read), "the answer is cut off");
    }
    let reply = Reply { status, body: read.split_off(end) };
    assert_eq!(reply.body.len(), bytes, "the answer goes on after its end");
    if bytes > 0 && header("content-type").is_some_and(|of| of.contains("json")) {
        let lines = reply.body.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let is_json = reply.json().is_some() || lines.clone().all(|line| serde_json::from_slice::<Value>(line).is_ok());
        assert!(is_json, "no JSON: {}", String::from_utf8_lossy(&reply.body));
    }
    if header("connection").as_deref() != Some("close") {
        *CONNECTION.lock().expect("no panic") = Some(stream);
    }
    reply
}

/// Sends bytes to a server of their own, because their work may still go on when the next ones are sent.
fn send_as_it_is(bytes: &[u8]) {
    let mut stream = connection(RAW_SERVER.port);
    let _ = stream.write_all(b"GET ").and_then(|()| stream.write_all(bytes));
    let _ = stream.shutdown(Shutdown::Write);
    let mut reply = Vec::new();
    match stream.read_to_end(&mut reply) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("the connection stays open"),
        _ => {}
    }
    assert!(reply.is_empty() || reply.starts_with(b"HTTP/1."), "{:?}", String::from_utf8_lossy(&reply));
    RAW_SERVER.intake.clear();
}

/// Keeps records in memory.
#[derive(Default)]
struct MemoryIntake {
    stored: Mutex<(Vec<(String, Vec<u8>)>, HashSet<(String, u128)>)>,
    counters: Arc<Counters>,
}

impl MemoryIntake {
    fn clear(&self) {
        *self.stored.lock().expect("no panic") = Default::default();
    }

    fn stored(&self) -> Vec<(String, Vec<u8>)> {
        self.stored.lock().expect("no panic").0.clone()
    }
}

impl Intake for MemoryIntake {
    fn append_all(&self, batches: Vec<(Stream, Vec<Record>)>) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        let (records, ids) = &mut *self.stored.lock().expect("no panic");
        let append = |(stream, batch): (Stream, Vec<Record>)| {
            let mut appended = Appended::default();
            for record in batch {
                let is_new = record.id.is_none_or(|id| ids.insert((stream.title().to_owned(), id)));
                appended.is_new.push(is_new);
                if is_new {
                    appended.stored += 1;
                    records.push((stream.title().to_owned(), record.bytes));
                } else {
                    appended.duplicates += 1;
                }
            }
            Ok(appended)
        };
        Ok(batches.into_iter().map(append).collect())
    }

    fn append_lines(&self, _: &Stream, _: &[u8]) -> Result<(), Refused> {
        Err(Refused::Closed)
    }

    fn refresh(&self, _: bool, _: Duration, _: &Cancel) -> bool {
        true
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}

struct Server {
    port: u16,
    intake: Arc<MemoryIntake>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start("fuzz"));
static RAW_SERVER: LazyLock<Server> = LazyLock::new(|| Server::start("fuzz-raw"));

const LOG: &str = r#"{"ts":"2026-03-01T14:05:00Z","level":"info","message":"started","status":200,"took":1.5,"host":"a"}
{"ts":"2026-03-01T14:05:01Z","level":"error","message":"lost connection to 10.0.0.7","status":500,"ok":false}
{"ts":"2026-03-01T14:06:00Z","level":"warn","message":"slow request","status":200,"took":9,"host":"b"}
"#;

impl Server {
    /// A server with a case of its own, in memory where the system keeps temporary files there.
    fn start(name: &str) -> Server {
        let folder = std::env::temp_dir().join(format!("timberline-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let log = folder.join("http").join("logs-app");
        std::fs::create_dir_all(folder.join("http")).expect("a folder");
        std::fs::write(&log, LOG).expect("a file");
        let case = Case::create(&folder.join("fuzz.case")).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let intake = Arc::new(MemoryIntake::default());
        let shared: Arc<dyn Intake> = intake.clone();
        std::thread::spawn(move || {
            serve(listener, shared, Arc::new(case), HttpOptions::default(), Cancel::default()).expect("it serves");
        });
        Server { port, intake }
    }
}

/// A field of a protobuf message, of fewer than 128 bytes.
fn field(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    let bytes = parts.concat();
    [&[number << 3 | 2, bytes.len() as u8], &bytes[..]].concat()
}

/// A record of a service, as OTLP's protobuf.
fn otlp() -> Vec<u8> {
    let text = |text: &str| field(1, &[text.as_bytes()]);
    let attribute = |name: &str, value: &[u8]| [text(name), field(2, &[value])].concat();
    let resource = field(1, &[&field(1, &[&attribute("service.name", &text("a"))])]);
    let values = field(1, &[&attribute("k", &[3 << 3, 7])]);
    let record = [
        &b"\x09\x00\x10\x5e\xd0\xb2\x18\xea\x18\x10\x09"[..],
        &field(3, &[b"INFO"]),
        &field(5, &[&field(6, &[&values])]),
        &field(6, &[&attribute("list", &field(5, &[&text("x")]))]),
        &field(9, &[&[0x5b; 16]]),
    ]
    .concat();
    field(1, &[&resource, &field(2, &[&field(1, &[&text("lib")]), &field(2, &[&record])])])
}

const SEEDS: &[&str] = &[
    "POST /_bulk\ncontent-type: application/x-ndjson\n\n{\"index\":{\"_index\":\"a\"}}\n{\"m\":1}\n{\"create\":{\"_index\":\"b\",\"_id\":\"1\"}}\n{\"m\":\"x\"}\n{\"create\":{\"_index\":\"b\",\"_id\":\"1\"}}\n{\"m\":\"x\"}\n{\"delete\":{\"_index\":\"b\",\"_id\":\"1\"}}\n",
    "POST /logs/_bulk?filter_path=errors,items.*.error\n\n{\"index\":{}}\n{\"m\":1}\n{\"update\":{}}\n{\"doc\":{}}\nno action\n{}\n",
    "POST /v1/logs\ncontent-type: application/json\n\n{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"a\"}}]},\"scopeLogs\":[{\"scope\":{\"name\":\"s\"},\"logRecords\":[{\"timeUnixNano\":\"1795230245000000000\",\"severityNumber\":9,\"body\":{\"kvlistValue\":{\"values\":[{\"key\":\"k\",\"value\":{\"intValue\":\"7\"}}]}},\"traceId\":\"5b8efff798038103d269b633813fc60c\"}]}]}]}",
    "POST /fuzz/_doc/1?refresh=true\ncontent-type: application/json\n\n{\"m\":1}",
    "PUT /fuzz/_create/1\n\n{\"m\":1}",
    "GET /logs-app/_doc/0-0\nhost: localhost\n\n",
    "POST /_search?pretty\n\n{\"size\":2,\"from\":0,\"query\":{\"bool\":{\"must\":[{\"match\":{\"message\":\"slow\"}}],\"filter\":[{\"range\":{\"@timestamp\":{\"gte\":\"now-1d\",\"lt\":\"2026-03-02\"}}}],\"must_not\":[{\"term\":{\"level\":\"info\"}}]}},\"sort\":[{\"status\":\"desc\"}],\"_source\":[\"message\"],\"highlight\":{\"fields\":{\"*\":{}}}}",
    "POST /_search\n\n{\"size\":0,\"aggs\":{\"t\":{\"date_histogram\":{\"field\":\"@timestamp\",\"fixed_interval\":\"1m\"},\"aggs\":{\"s\":{\"terms\":{\"field\":\"host\"},\"aggs\":{\"p\":{\"percentiles\":{\"field\":\"took\",\"percents\":[50,99]}}}}}},\"c\":{\"composite\":{\"size\":2,\"sources\":[{\"h\":{\"terms\":{\"field\":\"host\"}}}]}},\"u\":{\"cardinality\":{\"field\":\"message\"}},\"f\":{\"filters\":{\"filters\":{\"e\":{\"query_string\":{\"query\":\"level:error AND status:[400 TO *]\"}}}}}}}",
    "POST /_msearch\n\n{\"index\":\"*\"}\n{\"query\":{\"query_string\":{\"query\":\"a* OR \\\"lost connection\\\"~2\"}}}\n{}\n{\"query\":{\"match_all\":{}},\"size\":1}\n",
    "POST /_search?scroll=1m\n\n{\"size\":1,\"query\":{\"wildcard\":{\"message\":\"*o*\"}}}",
    "GET /_count?q=level:error\n\n",
    "GET /_cat/indices?format=json\norigin: http://localhost\nsec-fetch-site: same-origin\n\n",
    "GET /_field_caps?fields=*\n\n",
    "POST /_async_search\n\n{}",
    "GET /\naccept: application/vnd.elasticsearch+json;compatible-with=8\n\n",
    "PUT /_index_template/a\n\n{\"index_patterns\":[\"a*\"],\"template\":{\"settings\":{\"number_of_shards\":1}}}",
    "PUT /new\n\n{}",
    "GET /_nodes/http?filter_path=nodes.*.http\n\n",
    "HEAD /logs-app\n\n",
    "GET /logs%2Dapp/_mapping\n\n",
];

fn write_seeds() {
    let Some(folder) = std::env::var_os("SEEDS").map(PathBuf::from) else { return };
    let seed = |name: String, parts: &[&[u8]]| {
        std::fs::write(folder.join(name), parts.concat()).expect("seeds can be written");
    };
    for (number, text) in SEEDS.iter().enumerate() {
        seed(format!("request-{number}"), &[&[20], text.as_bytes()]);
    }
    seed("otlp".to_owned(), &[&[20], b"POST /v1/logs\ncontent-type: application/x-protobuf\n\n", &otlp()]);
    seed("raw".to_owned(), &[&[1], b"/_search?q=a HTTP/1.1\r\nhost: localhost\r\n\r\nPOST /_bulk HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n"]);
}
