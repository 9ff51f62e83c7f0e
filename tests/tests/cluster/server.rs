//! A cluster on a port of 127.0.0.1 that answers what a test tells it to, remembers what it was asked, and fails as a
//! test plans it: the n-th request to a path is answered with a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// What goes wrong with a request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This status, with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// The connection ends before the head of an answer.
    CutBefore,
    /// The connection ends within the body.
    CutWithin,
    /// A head, and nothing after it until the search is cancelled or the test ends.
    Silent,
    /// The answer, a few bytes at a time with so many milliseconds between them.
    Slow(u64),
    /// A body of so many bytes.
    Huge(usize),
    /// This text instead of the answer, with status 200.
    Text(String),
    /// The answer, in which shards failed.
    Partial,
    /// The answer, which the cluster stopped at its time limit.
    TimedOut,
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub authorization: Option<String>,
    /// What the question calls itself.
    pub opaque: Option<String>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// Documents of one index with a mapping.
#[derive(Default)]
pub struct State {
    pub asked: Vec<Asked>,
    /// Faults by the end of a path; the first waits for the next request.
    pub faults: BTreeMap<&'static str, Vec<Option<Fault>>>,
    pub documents: BTreeMap<String, Value>,
    pub properties: Value,
    /// Indexes that are closed, next to the open one.
    pub closed: Vec<String>,
    pub template: Option<Value>,
    pub root: Value,
    pub points: BTreeSet<String>,
    pub points_made: usize,
    /// Requests so far.
    pub tasks: usize,
    /// What is at work: ids of tasks, and what their questions call themselves.
    pub running: BTreeMap<String, String>,
    /// Documents that there was no room for when they came first.
    pub busy: BTreeSet<String>,
    pub authorization: Option<String>,
    pub searches: usize,
    /// Whether segments were merged since documents came.
    pub is_merged: bool,
    /// For how many more requests segments are merged, and there twice.
    pub merging: u64,
}

pub struct FakeCluster {
    pub address: SocketAddr,
    pub state: Arc<Mutex<State>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeCluster {
    pub fn start(documents: Vec<Value>, properties: Value) -> FakeCluster {
        let state = State {
            documents: documents
                .into_iter()
                .enumerate()
                .map(|(at, document)| (format!("{at:06}"), document))
                .collect(),
            properties,
            root: json!({"name": "node", "cluster_name": "test", "version": {"number": "8.19.21"}, "tagline": "You Know, for Search"}),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let (shared, ends) = (Arc::clone(&state), Arc::clone(&stopped));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), shared, ends) = (stream, Arc::clone(&shared), Arc::clone(&ends)) else {
                    continue;
                };
                std::thread::spawn(move || {
                    let _ = serve(stream, &shared, &ends);
                });
            }
        });
        FakeCluster { address, state, stopped, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next requests to paths that end so go wrong in turn; `None` is answered well.
    pub fn fail(&self, path: &'static str, faults: Vec<Option<Fault>>) {
        self.state.lock().expect("no panic").faults.insert(path, faults);
    }

    pub fn asked(&self, path: &str) -> Vec<Asked> {
        let state = self.state.lock().expect("no panic");
        state
            .asked
            .iter()
            .filter(|asked| asked.path.split('?').next().is_some_and(|asked| asked.ends_with(path)))
            .cloned()
            .collect()
    }
}

impl Drop for FakeCluster {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>, stopped: &AtomicBool) -> std::io::Result<()> {
    let mut read = Vec::new();
    loop {
        let head_end = loop {
            if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            let mut buffer = [0; 8_192];
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            read.extend_from_slice(&buffer[..count]);
            // What begins an encrypted connection is no HTTP.
            if read[0] == 0x16 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&read[..head_end]).into_owned();
        let header = |name: &str| {
            head.lines().find_map(|line| {
                let (known, value) = line.split_once(':')?;
                known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while read.len() < head_end + length {
            let mut buffer = [0; 8_192];
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            read.extend_from_slice(&buffer[..count]);
        }
        let sent = read[head_end..head_end + length].to_vec();
        read.drain(..head_end + length);
        let body = if header("content-encoding").as_deref() == Some("gzip") {
            let mut unpacked = Vec::new();
            GzDecoder::new(sent.as_slice()).read_to_end(&mut unpacked)?;
            unpacked
        } else {
            sent
        };
        let mut words = head.split(' ');
        let (method, path) =
            (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
        let asked = Asked {
            method,
            path,
            authorization: header("authorization"),
            opaque: header("x-opaque-id"),
            body,
        };
        let task = format!("node:{}", {
            let mut state = state.lock().expect("no panic");
            state.tasks += 1;
            state.tasks
        });
        let (status, headers, text, fault) = {
            let mut state = state.lock().expect("no panic");
            state.asked.push(asked.clone());
            let plain = asked.path.split('?').next().unwrap_or_default().to_owned();
            let due =
                state.faults.iter_mut().find(|(end, faults)| plain.ends_with(**end) && !faults.is_empty());
            let fault = due.and_then(|(_, faults)| faults.remove(0));
            match &fault {
                Some(Fault::Status(status, headers, body)) => {
                    (*status, headers.clone(), body.clone(), fault.clone())
                }
                Some(Fault::Text(text)) => (200, Vec::new(), text.clone(), fault.clone()),
                Some(Fault::Huge(bytes)) => {
                    (200, Vec::new(), format!("{{\"x\":\"{}\"}}", "y".repeat(*bytes)), fault.clone())
                }
                _ => {
                    let (status, mut answer) = super::answers::answer(&mut state, &asked);
                    match &fault {
                        Some(Fault::Partial) => {
                            answer["_shards"] = json!({"total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": [
                                {"shard": 1, "reason": {"type": "node_disconnected_exception", "reason": "node left"}}]});
                        }
                        Some(Fault::TimedOut) => answer["timed_out"] = true.into(),
                        _ => {}
                    }
                    (status, Vec::new(), answer.to_string(), fault.clone())
                }
            }
        };
        let mut answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            text.len()
        );
        for (name, value) in headers {
            answer = format!("{answer}{name}: {value}\r\n");
        }
        answer.push_str("\r\n");
        match fault {
            Some(Fault::CutBefore) => return Ok(()),
            Some(Fault::CutWithin) => {
                stream.write_all(answer.as_bytes())?;
                return stream.write_all(&text.as_bytes()[..text.len() / 2]);
            }
            Some(Fault::Silent) => {
                stream.write_all(answer.as_bytes())?;
                let name = asked.opaque.clone().unwrap_or_default();
                state.lock().expect("no panic").running.insert(task.clone(), name);
                let is_running = || state.lock().expect("no panic").running.contains_key(&task);
                while is_running() && !stopped.load(Ordering::SeqCst) {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                return Ok(());
            }
            Some(Fault::Slow(pause_ms)) => {
                for part in [answer.as_bytes(), text.as_bytes()].concat().chunks(64) {
                    if stopped.load(Ordering::SeqCst) {
                        return Ok(());
                    }
                    stream.write_all(part)?;
                    std::thread::sleep(std::time::Duration::from_millis(pause_ms));
                }
            }
            _ => {
                stream.write_all(answer.as_bytes())?;
                stream.write_all(text.as_bytes())?;
            }
        }
    }
}
