//! Detectors of `timberline listen`: alerts that are printed, given to a program and sent, once, over `kill -9` too.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::Value;
use timberline_tests::programs;

/// What a condition may take on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);

const MANY: &str = r#"
[[detector]]
name = "many"
severity = "high"
by = ["host"]
threshold = { above = 3, every = "1m" }
"#;

struct Listening {
    child: Child,
    lines: Receiver<Value>,
}

impl Listening {
    fn start(folder: &Path, arguments: &[&str]) -> Listening {
        let mut child = Command::new(programs::timberline())
            .arg("listen")
            .arg(folder.join("live.case"))
            .arg("--follow")
            .arg(folder.join("app.ndjson"))
            .arg("--detectors")
            .arg(folder.join("many.toml"))
            .args(["--json", "--refresh", "50ms", "--reserve", "1MB", "--cool-down", "0s"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A process that is killed may end within a line.
                if let Ok(value) = serde_json::from_str(&line) {
                    let _ = sender.send(value);
                }
            }
        });
        let listening = Listening { child, lines };
        let ready = listening.lines.recv_timeout(PATIENCE).expect("it is ready");
        assert!(ready["listening"].is_array(), "{ready}");
        listening
    }

    fn alert(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an alert");
        line["alert"].clone()
    }

    fn kill(mut self) -> Vec<Value> {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ended");
        self.lines.iter().map(|line| line["alert"].clone()).collect()
    }

    /// Ends it as a service manager does; gives the alerts that it still received, and what it said.
    fn stop(mut self) -> (Vec<Value>, String) {
        let number = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &number]).status().expect("kill runs").success());
        let mut said = String::new();
        self.child.stderr.take().expect("its messages").read_to_string(&mut said).expect("text");
        assert_eq!(self.child.wait().expect("it ended").code(), Some(0), "{said}");
        (self.lines.iter().map(|line| line["alert"].clone()).collect(), said)
    }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("many.toml"), MANY).expect("written");
    let log = folder.path().join("app.ndjson");
    fs::write(&log, "").expect("written");
    (folder, log)
}

/// So many events of a host within a minute.
fn add(log: &Path, minute: u32, host: &str, count: u32) {
    let line = |second: u32| {
        let (hour, minute) = (minute / 60, minute % 60);
        format!("{{\"time\":\"2026-03-01T{hour:02}:{minute:02}:{second:02}Z\",\"host\":\"{host}\"}}\n")
    };
    let text: String = (0..count).map(line).collect();
    let mut file = OpenOptions::new().append(true).open(log).expect("the log");
    file.write_all(text.as_bytes()).expect("written");
}

/// Takes one request and answers it; gives its first line and its body.
fn take(listener: &TcpListener, status: &str) -> (String, Value) {
    let (stream, _) = listener.accept().expect("a connection");
    let mut reader = BufReader::new(stream.try_clone().expect("the same"));
    let mut head = String::new();
    reader.read_line(&mut head).expect("a line");
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
        .expect("answered");
    (head.trim().to_owned(), serde_json::from_slice(&body).expect("JSON"))
}

#[test]
fn an_alert_is_printed_given_to_a_program_and_sent_until_it_is_over() {
    let (folder, log) = folder();
    let given = folder.path().join("given.ndjson");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hooks/secret", listener.local_addr().expect("an address"));
    let (sender, sent) = mpsc::channel();
    std::thread::spawn(move || {
        // The first answer asks to try again.
        for status in ["503 Service Unavailable", "200 OK", "204 No Content", "200 OK", "400 Bad Request"] {
            let _ = sender.send(take(&listener, status));
        }
    });
    let tee = format!("tee -a {}", given.display());
    let arguments = ["--on-alert", &tee, "--webhook", &url];
    let listening = Listening::start(folder.path(), &arguments);
    add(&log, 0, "a", 5);
    let fired = listening.alert();
    assert_eq!(
        (&fired["state"], &fired["open"], &fired["severity"]),
        (&"firing".into(), &true.into(), &"high".into())
    );
    assert_eq!((&fired["group"]["host"], &fired["detector"]), (&"a".into(), &"many".into()));
    let tried = sent.recv_timeout(PATIENCE).expect("a request");
    assert_eq!(tried.0, "POST /hooks/secret HTTP/1.1");
    let accepted = sent.recv_timeout(PATIENCE).expect("again");
    assert_eq!((&accepted.1["id"], &accepted.1["state"]), (&fired["id"], &"firing".into()));
    add(&log, 2, "a", 1);
    let over = listening.alert();
    assert_eq!((&over["id"], &over["state"], &over["events"]), (&fired["id"], &"resolved".into(), &5.into()));
    assert_eq!(sent.recv_timeout(PATIENCE).expect("a request").1["state"], "resolved");
    let (rest, said) = listening.stop();
    assert!(rest.is_empty() && !said.contains("secret"), "{rest:?} {said}");
    let lines = fs::read_to_string(&given).expect("the program has run");
    let given: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(given, [fired, over]);

    // What happens while nothing listens is received at the next start, and what was received is not.
    add(&log, 4, "b", 7);
    let listening = Listening::start(folder.path(), &["--on-alert", "/nowhere/program", "--webhook", &url]);
    assert_eq!(listening.alert()["group"]["host"], "b");
    assert_eq!(sent.recv_timeout(PATIENCE).expect("a request").1["group"]["host"], "b");
    add(&log, 5, "c", 7);
    let mut seen = BTreeSet::new();
    while !seen.contains("c") {
        seen.insert(listening.alert()["group"]["host"].as_str().expect("text").to_owned());
    }
    sent.recv_timeout(PATIENCE).expect("a request");
    let (_, said) = listening.stop();
    assert!(said.contains("--on-alert /nowhere/program: it cannot be started"), "{said}");
    assert!(!seen.contains("a"), "{seen:?}");
}

#[test]
fn a_kill_loses_no_alert_and_repeats_none_that_was_delivered() {
    let (folder, log) = folder();
    let mut received: Vec<Value> = Vec::new();
    let mut listening = Listening::start(folder.path(), &[]);
    for round in 0..8_u32 {
        add(&log, round * 3, &format!("h{round}"), 6);
        let is_waited_for = round % 2 == 0;
        if is_waited_for {
            let host = format!("h{round}");
            loop {
                let alert = listening.alert();
                let is_it = alert["group"]["host"] == host.as_str() && alert["state"] == "firing";
                received.push(alert);
                if is_it {
                    break;
                }
            }
            // That it was delivered is noted in the case.
            let began = Instant::now();
            while fs::read_to_string(folder.path().join("live.case/alerts.json"))
                .expect("it is there")
                .contains("pending")
            {
                assert!(began.elapsed() < PATIENCE);
                std::thread::sleep(Duration::from_millis(5));
            }
        } else {
            std::thread::sleep(Duration::from_millis(u64::from(round) * 13));
        }
        received.extend(listening.kill());
        listening = Listening::start(folder.path(), &[]);
    }
    add(&log, 60, "end", 1);
    let hosts = |received: &[Value], state: &str| -> BTreeSet<String> {
        let of_state = received.iter().filter(|alert| alert["state"] == state);
        of_state.map(|alert| alert["group"]["host"].as_str().expect("text").to_owned()).collect()
    };
    // An alert that was over when it was seen first is received once, as one that came and went.
    let is_whole = |received: &[Value]| {
        let gone = received.iter().filter(|alert| alert["state"] == "firing" && alert["open"] == false);
        let gone: BTreeSet<String> =
            gone.map(|alert| alert["group"]["host"].as_str().expect("text").to_owned()).collect();
        hosts(received, "firing").len() == 8 && hosts(received, "resolved").union(&gone).count() == 8
    };
    while !is_whole(&received) {
        received.push(listening.alert());
    }
    received.extend(listening.stop().0);
    for round in (0..8_u32).step_by(2) {
        let host = format!("h{round}");
        let fired =
            received.iter().filter(|alert| alert["group"]["host"] == *host && alert["state"] == "firing");
        assert_eq!(fired.count(), 1, "{host}: {received:#?}");
    }
}

#[test]
fn what_is_wrong_with_detectors_is_named_and_the_others_run() {
    let (folder, log) = folder();
    let bad = folder.path().join("bad.toml");
    fs::write(&bad, "[[detector]]\nname = \"x\"\nthreshold = { above = 1, every = \"soon\" }\n")
        .expect("written");
    let listening = Listening::start(folder.path(), &["--detectors", bad.to_str().expect("text")]);
    add(&log, 0, "a", 5);
    assert_eq!(listening.alert()["detector"], "many");
    let (_, said) = listening.stop();
    assert!(said.contains("bad.toml:3: `soon` is not a duration; write a number and a unit"), "{said}");

    let failed = |arguments: &[&str]| {
        let output = Command::new(programs::timberline())
            .arg("listen")
            .arg(folder.path().join("other.case"))
            .arg("--stdin")
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = failed(&["--detectors", bad.to_str().expect("text")]);
    assert!(code == Some(2) && said.contains("No detector can be read"), "{code:?} {said}");
    let many = folder.path().join("many.toml");
    let many = many.to_str().expect("text");
    let (code, said) = failed(&["--detectors", many, "--webhook", "ftp://example.org/"]);
    assert!(code == Some(2) && said.contains("webhook"), "{code:?} {said}");
    let (code, said) = failed(&["--webhook", "http://127.0.0.1:1/"]);
    assert!(code == Some(2) && said.contains("--detectors"), "{code:?} {said}");
}

#[test]
fn sigma_rules_take_placeholders_and_log_sources() {
    let (folder, log) = folder();
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let rule = "title: Administrator\nid: admin\nlogsource: {product: acme}\n\
                detection: {s: {host|expand: '%admins%'}, condition: s}\n";
    let rule = written("rule.yml", rule);
    let values = written("values.toml", "admins = [\"root\"]\n");
    let sources = "[[source]]\nproduct = \"acme\"\nevents = [{ where = { format = \"json\" } }]\n";
    let sources = written("sources.toml", sources);
    let arguments = ["--detectors", &rule, "--placeholders", &values, "--logsource", &sources];
    let listening = Listening::start(folder.path(), &arguments);
    add(&log, 0, "ann", 1);
    add(&log, 0, "root", 1);
    let alert = listening.alert();
    assert_eq!((&alert["detector"], &alert["events"]), (&"admin".into(), &1.into()));
    listening.stop();
}
