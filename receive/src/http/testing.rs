//! For tests: an intake in memory, a server on a port of the system's choice, and a plain client.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use indexer::{Cancel, Case, ImportOptions};
use serde_json::Value;

use super::{HttpOptions, serve};
use crate::{Appended, Counters, Intake, Record, Refused, SourceStatistics, Stream};

/// Keeps records as they come; refuses them while a refusal is set.
#[derive(Default)]
pub struct MemoryIntake {
    pub streams: Mutex<BTreeMap<String, Vec<Record>>>,
    pub refuses: Mutex<Option<Refused>>,
    /// Whether each refresh was to be at once.
    pub refreshes: Mutex<Vec<bool>>,
    /// Set where a refresh takes until nobody waits for it.
    pub never_visible: Cancel,
    /// Refreshes that have ended.
    pub refreshed: AtomicUsize,
    counters: Arc<Counters>,
}

impl MemoryIntake {
    /// What was sent to a source.
    pub fn lines(&self, source: &str) -> Vec<String> {
        let streams = self.streams.lock().expect("no panic");
        let records = streams.get(source).map_or(&[][..], Vec::as_slice);
        records.iter().map(|record| String::from_utf8_lossy(&record.bytes).into_owned()).collect()
    }

    pub fn counters_read(&self) -> BTreeMap<String, SourceStatistics> {
        self.counters.read().sources
    }

    pub fn refuse(&self, refused: Option<Refused>) {
        *self.refuses.lock().expect("no panic") = refused;
    }
}

impl Intake for MemoryIntake {
    fn append_all(
        &self,
        batches: Vec<(Stream, Vec<Record>)>,
    ) -> Result<Vec<Result<Appended, Refused>>, Refused> {
        if let Some(refused) = self.refuses.lock().expect("no panic").clone() {
            return Err(refused);
        }
        let mut streams = self.streams.lock().expect("no panic");
        let append = |(stream, records): (Stream, Vec<Record>)| {
            if stream.title().ends_with("one-too-many") {
                return Err(Refused::Failed("there are too many streams".to_owned()));
            }
            let known = streams.entry(stream.title().to_owned()).or_default();
            let mut appended = Appended::default();
            for record in records {
                let is_new = record.id.is_none() || !known.iter().any(|other| other.id == record.id);
                appended.is_new.push(is_new);
                if is_new {
                    known.push(record);
                    appended.stored += 1;
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

    fn refresh(&self, at_once: bool, _: Duration, cancel: &Cancel) -> bool {
        self.refreshes.lock().expect("no panic").push(at_once);
        while self.never_visible.is_set() && !cancel.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.refreshed.fetch_add(1, Ordering::Relaxed);
        !cancel.is_set()
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}

/// A server that ends with its owner.
pub struct Server {
    pub address: SocketAddr,
    pub intake: Arc<MemoryIntake>,
    stop: Cancel,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    _folder: tempfile::TempDir,
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Server {
    pub fn start(options: HttpOptions) -> Server {
        Server::with_files(options, &[])
    }

    /// With a case of files, by name and content.
    pub fn with_files(options: HttpOptions, files: &[(&str, &str)]) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::create(&folder.path().join("test.case")).expect("a case");
        import(&case, folder.path(), files);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (intake, stop) = (Arc::new(MemoryIntake::default()), Cancel::default());
        let (shared, stopped): (Arc<dyn Intake>, Cancel) = (intake.clone(), stop.clone());
        let thread = std::thread::spawn(move || serve(listener, shared, Arc::new(case), options, stopped));
        Server { address, intake, stop, thread: Some(thread), _folder: folder }
    }

    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        for (name, value) in headers {
            head = format!("{head}{name}: {value}\r\n");
        }
        head = format!("{head}content-length: {}\r\n\r\n", body.len());
        self.raw(&[head.as_bytes(), body])
    }

    /// Sends bytes as they are and reads until the server closes the connection.
    pub fn raw(&self, parts: &[&[u8]]) -> Reply {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        for part in parts {
            // A server that refuses a body early may close before all of it is sent.
            if stream.write_all(part).is_err() {
                break;
            }
        }
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Reply { status, head, body: bytes[end..].to_vec() }
    }

    pub fn get(&self, path: &str) -> Reply {
        self.call("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.call("POST", path, &[("content-type", "application/json")], body.as_bytes())
    }

    /// Ends the server; gives what it returned.
    pub fn end(&mut self) -> std::io::Result<()> {
        self.stop.set();
        self.thread.take().map_or(Ok(()), |thread| thread.join().expect("the server does not panic"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

pub fn import(case: &Case, folder: &Path, files: &[(&str, &str)]) {
    let paths = files.iter().map(|(name, content)| {
        let path = folder.join(name);
        std::fs::write(&path, content).expect("the file can be written");
        path
    });
    let paths: Vec<_> = paths.collect();
    if !paths.is_empty() {
        case.import(&paths, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    }
}
