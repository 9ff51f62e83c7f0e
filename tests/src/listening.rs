//! `timberline listen` as a child of a test: waited for, asked and ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, Event, View, Walk};
use serde_json::Value;

use crate::programs;
use crate::shippers::Daemon;

/// What a condition may take on a machine that does much else.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A command that runs and has said where it listens.
pub struct Listening {
    pub child: Daemon,
    output: BufReader<ChildStdout>,
    pub case: PathBuf,
    /// Where its sources listen, in the order of the options: `127.0.0.1:5514`.
    pub addresses: Vec<String>,
}

impl Listening {
    /// Starts it with these options, and waits until it listens.
    ///
    /// # Panics
    /// When it does not.
    #[must_use]
    pub fn start(case: &Path, arguments: &[&str]) -> Listening {
        Listening::with_programs(case, arguments, None)
    }

    /// Finds other programs in this folder first.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn with_programs(case: &Path, arguments: &[&str], programs: Option<&Path>) -> Listening {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = programs.map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&path));
        let mut command = Command::new(programs::timberline());
        command
            .env("PATH", std::env::join_paths(folders).expect("folders"))
            .arg("listen")
            .arg(case)
            .args(arguments)
            .args(["--json", "--refresh", "50ms", "--reserve", "1MB"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = Daemon::start(&mut command);
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("JSON");
        let listening = ready["listening"].as_array().expect("a list");
        let addresses = listening.iter().map(|one| one["address"].as_str().expect("text").to_owned());
        Listening { child, output, case: case.to_owned(), addresses: addresses.collect() }
    }

    /// The port that its source of this number listens on.
    ///
    /// # Panics
    /// When there is no such source.
    #[must_use]
    pub fn port(&self, source: usize) -> &str {
        self.addresses[source].rsplit_once(':').expect("a port").1
    }

    /// Waits until the case has so many events.
    ///
    /// # Panics
    /// When it does not get them.
    pub fn until(&self, events: u64) {
        let case = Case::open(&self.case).expect("the case opens");
        let began = Instant::now();
        while case.snapshot().events() < events {
            assert!(began.elapsed() < PATIENCE, "{} of {events} events", case.snapshot().events());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends it a signal: `-STOP`.
    ///
    /// # Panics
    /// When that fails.
    pub fn signal(&self, signal: &str) {
        let number = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &number]).status().expect("kill runs").success());
    }

    /// Ends it as a service manager does; gives what else it printed.
    ///
    /// # Panics
    /// When it fails, or leaves a damaged case.
    #[allow(clippy::must_use_candidate)] // Most tests only end it.
    pub fn stop(mut self) -> Vec<Value> {
        self.signal("-TERM");
        let lines = self
            .output
            .by_ref()
            .lines()
            .map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON"));
        let lines = lines.collect();
        assert_eq!(self.child.wait().expect("it ended").code(), Some(0));
        let case = Case::open(&self.case).expect("the case opens");
        let problems = case.verify(&Cancel::default()).problems;
        assert!(problems.is_empty(), "{problems:?}");
        lines
    }
}

/// The texts of the events that a query finds, in the order of time.
///
/// # Panics
/// When the case cannot be asked.
#[must_use]
pub fn texts(case: &Path, query: &str) -> Vec<String> {
    events(case, query).into_iter().map(|event| event.text).collect()
}

/// The events that a query finds, in the order of time.
///
/// # Panics
/// When the case cannot be asked.
#[must_use]
pub fn events(case: &Path, query: &str) -> Vec<Event> {
    let case = Case::open(case).expect("the case opens");
    let view = View::parse(query, None, None).expect("a view");
    let mut found = Vec::new();
    let each = &mut |event: Event, _| {
        found.push(event);
        Ok(())
    };
    case.for_each(&case.snapshot(), &view, &Walk::default(), &Cancel::default(), each).expect("events");
    found
}

/// An answer to a request over HTTP: its status, its head and what it says.
pub struct HttpAnswer {
    pub status: u16,
    pub head: String,
    pub body: Value,
}

/// Sends a bulk request. Nothing where the answer did not come as a whole.
#[must_use]
pub fn bulk(address: &str, body: &str) -> Option<HttpAnswer> {
    let mut http = TcpStream::connect(address).ok()?;
    http.set_read_timeout(Some(PATIENCE)).ok()?;
    let length = body.len();
    write!(
        http,
        "POST /_bulk HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .ok()?;
    let mut answer = String::new();
    http.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(HttpAnswer { status, head: head.to_ascii_lowercase(), body: serde_json::from_str(body).ok()? })
}
