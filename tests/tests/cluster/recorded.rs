//! Exchanges with a real server: recorded on their way to it, and replayed strictly, so that every request must be the one
//! that the server was asked, in the same order.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// A request and what the server answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchanged {
    pub method: String,
    pub path: String,
    /// JSON, or lines of JSON.
    pub body: Value,
    pub status: u64,
    pub answer: Value,
}

/// Where the exchanges of a server are: `elasticsearch-8.19.21.json`.
pub fn files() -> Vec<PathBuf> {
    let folder = timberline_tests::files::root().join("fixtures/clusters");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    files.sort();
    files
}

pub fn read(file: &Path) -> Vec<Exchanged> {
    let text = std::fs::read_to_string(file).expect("a recording");
    let listed: Value = serde_json::from_str(&text).expect("JSON");
    let listed = listed.as_array().expect("a list").iter().map(|one| Exchanged {
        method: one["method"].as_str().expect("a method").to_owned(),
        path: one["path"].as_str().expect("a path").to_owned(),
        body: one["body"].clone(),
        status: one["status"].as_u64().expect("a status"),
        answer: one["answer"].clone(),
    });
    listed.collect()
}

pub fn write(file: &Path, exchanged: &[Exchanged]) {
    let lines: Vec<String> = exchanged
        .iter()
        .map(|one| {
            let mut one = one.clone();
            // What a server says of its machine is nobody's business.
            if one.path == "/" {
                for name in ["name", "cluster_name", "cluster_uuid"] {
                    one.answer[name] = name.into();
                }
            }
            json!({"method": one.method, "path": one.path, "body": one.body, "status": one.status, "answer": one.answer})
                .to_string()
        })
        .collect();
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).expect("written");
}

/// What answers requests one after the other.
type Answering = dyn FnMut(&str, &str, &[u8]) -> (u64, Value) + Send;

/// A server on a port of 127.0.0.1 whose answers come from elsewhere.
pub struct Between {
    pub address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Between {
    fn start(answering: Box<Answering>) -> Between {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stopped);
        let answering = Arc::new(Mutex::new(answering));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), answering) = (stream, Arc::clone(&answering)) else { continue };
                std::thread::spawn(move || {
                    let _ = serve(stream, &answering);
                });
            }
        });
        Between { address, stopped, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Passes requests on to the server at this address, and keeps what was said.
    pub fn recording(server: SocketAddr, kept: &Arc<Mutex<Vec<Exchanged>>>) -> Between {
        let kept = Arc::clone(kept);
        Between::start(Box::new(move |method, path, body| {
            let (status, answer) = asked(server, method, path, body);
            kept.lock().expect("no panic").push(Exchanged {
                method: method.to_owned(),
                path: path.to_owned(),
                body: value_of(body),
                status,
                answer: answer.clone(),
            });
            (status, answer)
        }))
    }

    /// Answers as the server did, if it is asked what the server was asked; the first difference is kept, and everything
    /// after it is refused.
    pub fn replaying(
        exchanged: Vec<Exchanged>,
        wrong: &Arc<Mutex<Option<String>>>,
        left: &Arc<Mutex<usize>>,
    ) -> Between {
        let (wrong, left) = (Arc::clone(wrong), Arc::clone(left));
        *left.lock().expect("no panic") = exchanged.len();
        let mut waiting: VecDeque<Exchanged> = exchanged.into();
        Between::start(Box::new(move |method, path, body| {
            let sent = (method.to_owned(), path.to_owned(), value_of(body));
            let mut wrong = wrong.lock().expect("no panic");
            let expected =
                waiting.front().map(|one| (one.method.clone(), one.path.clone(), one.body.clone()));
            if wrong.is_none() && expected.as_ref() == Some(&sent) {
                let one = waiting.pop_front().expect("it is there");
                *left.lock().expect("no panic") = waiting.len();
                return (one.status, one.answer);
            }
            wrong.get_or_insert_with(|| format!("asked: {sent:?}\nrecorded: {expected:?}"));
            (
                400,
                json!({"error": {"type": "not_recorded", "reason": "this was not asked when it was recorded"}}),
            )
        }))
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn value_of(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let lines = std::str::from_utf8(body).expect("text").lines();
        lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON")).collect()
    })
}

/// A whole message: its first line and headers, and its body.
fn message(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut more = |read: &mut Vec<u8>| -> std::io::Result<bool> {
        let mut buffer = [0; 16_384];
        let count = stream.read(&mut buffer)?;
        read.extend_from_slice(&buffer[..count]);
        Ok(count > 0)
    };
    let end = loop {
        if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if !more(read)? {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let length: usize = header(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    while read.len() < end + length {
        if !more(read)? {
            return Ok(None);
        }
    }
    let body = read[end..end + length].to_vec();
    read.drain(..end + length);
    let packed = header(&head, "content-encoding").as_deref() == Some("gzip");
    let mut plain = Vec::new();
    if packed {
        GzDecoder::new(body.as_slice()).read_to_end(&mut plain)?;
    }
    Ok(Some((head, if packed { plain } else { body })))
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

fn serve(mut stream: TcpStream, answering: &Mutex<Box<Answering>>) -> std::io::Result<()> {
    let mut read = Vec::new();
    while let Some((head, body)) = message(&mut stream, &mut read)? {
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (status, answer) = (answering.lock().expect("no panic"))(method, path, &body);
        let text = answer.to_string();
        write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )?;
    }
    Ok(())
}

/// Asks a real server, on a connection of its own.
fn asked(server: SocketAddr, method: &str, path: &str, body: &[u8]) -> (u64, Value) {
    let (status, body) = answered(server, method, path, body);
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// The same, with the answer as it came.
pub fn answered(server: SocketAddr, method: &str, path: &str, body: &[u8]) -> (u64, Vec<u8>) {
    let mut stream = TcpStream::connect(server).expect("the server listens");
    let kind = if path.contains("_bulk") { "application/x-ndjson" } else { "application/json" };
    let kind = if body.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\naccept: application/json\r\n{kind}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
    // The connection ends with the answer.
    let mut read = Vec::new();
    stream.read_to_end(&mut read).expect("an answer");
    let end = read.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let is_chunked = header(&head, "transfer-encoding").is_some_and(|coding| coding == "chunked");
    let body = if is_chunked { joined(&read[end..]) } else { read[end..].to_vec() };
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body)
}

/// The chunks of a body, each after a line with its length.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = chunks.windows(2).position(|window| window == b"\r\n").expect("the length of a chunk");
        let length = std::str::from_utf8(&chunks[..line]).expect("text");
        let length =
            usize::from_str_radix(length.split(';').next().unwrap_or_default(), 16).expect("a length");
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunks[line + 2..line + 2 + length]);
        chunks = &chunks[line + 2 + length + 2..];
    }
}
