//! `timberline serve` under connections and calls that would take all of it: each has its bounds, and who opens the
//! workbench meanwhile is answered.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use timberline_tests::listening::PATIENCE;
use timberline_tests::programs;
use timberline_tests::shippers::Daemon;

const TOKEN: &str = "s3cret";

/// Shorter than the time that a call gives a cluster to answer.
const ANSWER: Duration = Duration::from_secs(20);

struct Serving {
    _child: Daemon,
    _home: tempfile::TempDir,
    address: String,
}

impl Serving {
    fn start() -> Serving {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(programs::timberline());
        command.arg("serve").env("TIMBERLINE_TOKEN", TOKEN).env("TIMBERLINE_HOME", home.path());
        let mut child = Daemon::start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.split_once('/'));
        let address = address.unwrap_or_else(|| panic!("no address in {line}")).0.to_owned();
        Serving { _child: child, _home: home, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it accepts");
        stream.set_read_timeout(Some(ANSWER)).expect("it is set");
        stream
    }

    /// Sends a call, whose answer is still to be read.
    fn send(&self, id: &str, command: &str, arguments: &Value) -> TcpStream {
        let body = json!({"id": id, "command": {"command": command, "args": arguments}}).to_string();
        let mut stream = self.connect();
        // A server that is full answers before it has read all of it.
        let _ = write!(
            stream,
            "POST /api/call HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream
    }

    fn call(&self, command: &str, arguments: &Value) -> String {
        let mut answer = String::new();
        if let Err(error) = self.send(command, command, arguments).read_to_string(&mut answer) {
            // A server that is full may close a connection before it has read all of it.
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{command} is not answered");
        }
        answer
    }
}

/// Whether the other end has closed a connection that nothing was sent on.
fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn idle_connections_shut_nobody_out_of_the_workbench() {
    let serving = Serving::start();
    let mut idle: Vec<TcpStream> = (0..300).map(|_| serving.connect()).collect();
    assert!(serving.call("hello", &json!({})).contains("event: reply"));
    // The places of the first ones are those of others now.
    assert!(is_closed(&mut idle[0]));
}

#[test]
fn call_that_is_too_long_is_refused() {
    let serving = Serving::start();
    let length = 65 << 20;
    let mut stream = serving.connect();
    write!(
        stream,
        "POST /api/call HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
        serving.address
    )
    .expect("it is sent");
    let piece = vec![b' '; 1 << 20];
    for _ in 0..65 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn calls_that_take_long_do_not_keep_a_window_from_opening() {
    let serving = Serving::start();
    // A cluster that never answers.
    let cluster = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", cluster.local_addr().expect("its address"));
    let remote = json!({"name": "silent", "url": url, "index": "logs", "timeField": null, "apiKeyFile": null,
        "user": null, "passwordFile": null, "ca": null});
    let added = serving.call("addRemote", &remote);
    assert!(added.contains("event: reply"), "{added}");
    // More than it has threads for.
    let slow: Vec<TcpStream> = (0..540)
        .map(|n| serving.send(&format!("slow-{n}"), "checkRemote", &json!({"name": "silent"})))
        .collect();
    // Those that are refused take their places for a moment.
    let began = Instant::now();
    while !serving.call("hello", &json!({})).contains("event: reply") {
        assert!(began.elapsed() < PATIENCE, "no window opens");
    }
    drop(slow);
}
