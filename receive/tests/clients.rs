//! Real clients send to a case over HTTP and ask it: Elasticsearch's Python client, OpenTelemetry's exporter, rsyslog's
//! omelasticsearch, and curl. A test of one that is not there says that it was skipped.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, View};
use receive::http::{HttpOptions, serve};
use receive::{Options, Receiver};
use serde_json::{Value, json};
use timberline_tests::report;
use timberline_tests::shippers::{self, Daemon};

/// Longer than any client takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A case that receives over HTTP on a port of the system's choice.
struct Server {
    case: Arc<Case>,
    url: String,
    receiver: Receiver,
    stop: Cancel,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let case = Arc::new(Case::create(&folder.join("received.case")).expect("a case"));
        let options = Options { refresh: Duration::from_millis(200), ..Options::default() };
        let receiver = Receiver::start(Arc::clone(&case), options, Arc::new(|_| {})).expect("it receives");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (intake, asked, stop) = (receiver.intake(), Arc::clone(&case), Cancel::default());
        let stopped = stop.clone();
        let thread =
            std::thread::spawn(move || serve(listener, intake, asked, HttpOptions::default(), stopped));
        Server { case, url, receiver, stop, thread }
    }

    fn count(&self, query: &str) -> usize {
        let view = View::parse(query, None, None).expect(query);
        // While there are no events there are no fields to ask for.
        self.case.count(&self.case.snapshot(), &view, &Cancel::default()).unwrap_or(0)
    }

    fn wait_for(&self, events: u64) {
        let started = Instant::now();
        while self.case.snapshot().events() < events && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(self.case.snapshot().events(), events);
    }

    /// Ends it; what was received is whole.
    fn end(self) {
        self.stop.set();
        self.thread.join().expect("the server does not panic").expect("a clean end");
        self.receiver.finish().expect("a clean end");
        let verified = self.case.verify(&Cancel::default());
        assert!(verified.problems.is_empty(), "{:?}", verified.problems);
    }
}

fn python(module: &str) -> Option<String> {
    let works = |python: &String| {
        let tried = Command::new(python).args(["-c", &format!("import {module}")]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    std::env::var("TIMBERLINE_PYTHON").into_iter().chain(["python3".to_owned()]).find(works)
}

fn script(python: &str, name: &str, url: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name);
    let run = Command::new(python).arg(path).arg(url).output().expect("it starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

#[test]
fn elasticsearch_for_python_stores_and_finds() {
    let Some(python) = python("elasticsearch") else {
        return report::skipped("no Python with elasticsearch is here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let found = script(&python, "elasticsearch_client.py", &server.url);
    let expected = json!({
        "version": "8.19.0", "alive": true, "stored": 3000, "again": [0, [409], 3000], "one": "created",
        "bad": [400, 201], "known": true, "count": 3002, "errors": 300, "search": [1, 17], "median": 17.0, "scanned": 3002,
        "parallel": 3000, "distinct": [3000, 3000],
        "exists": [true, false], "health": "green",
    });
    assert_eq!(found, expected);
    server.end();
}

#[test]
fn opentelemetry_exports_its_logs() {
    let Some(python) = python("opentelemetry.exporter.otlp.proto.http") else {
        return report::skipped("no Python with opentelemetry-exporter-otlp-proto-http is here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    assert_eq!(script(&python, "otlp_exporter.py", &server.url), json!({"flushed": true}));
    server.wait_for(1_000);
    for (query, expected) in [
        ("source=otlp/checkout", 1_000),
        ("level:error", 100),
        ("message:\"order 10 failed\"", 1),
        ("attributes.order.id=17", 1),
        ("resource.host.name:web-1", 1_000),
        ("time>=2026-03-01T14:05:00Z time<2026-03-01T14:05:00.5Z", 500),
    ] {
        assert_eq!(server.count(query), expected, "{query}");
    }
    server.end();
}

#[test]
fn curl_sends_packed_bodies() {
    if Command::new("curl").arg("--version").output().is_err() {
        return report::skipped("curl is not here");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let lines = (0..20_000).map(|n| {
        let time = format!("2026-03-01T{:02}:{:02}:{:02}Z", n / 3_600, n / 60 % 60, n % 60);
        json!({"index": {}}).to_string() + "\n" + &json!({"@timestamp": time, "n": n}).to_string() + "\n"
    });
    let body: String = lines.collect();
    let packed = folder.path().join("body.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body.as_bytes()).expect("memory");
    std::fs::write(&packed, encoder.finish().expect("memory")).expect("a file");
    let curl = |path: &str, arguments: &[&str]| -> Value {
        let run =
            Command::new("curl").args(["-sS", &format!("{}{path}", server.url)]).args(arguments).output();
        let run = run.expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        serde_json::from_slice(&run.stdout).expect("JSON")
    };
    let data = format!("@{}", packed.display());
    let headers =
        ["-H", "Content-Type: application/x-ndjson", "-H", "Content-Encoding: gzip", "--data-binary", &data];
    let answer = curl("/access/_bulk?filter_path=errors", &headers);
    assert_eq!(answer, json!({"errors": false}));
    server.wait_for(20_000);
    let found = curl("/access/_search?size=0&q=n:%5B100%20TO%20199%5D", &[]);
    assert_eq!(found["hits"]["total"]["value"], 100);
    server.end();
}

#[test]
fn rsyslog_sends_each_line_once() {
    let Some(rsyslogd) = shippers::rsyslogd() else {
        return report::skipped("rsyslog with omelasticsearch is not here");
    };
    // More of them measure the rate.
    let lines: u64 =
        std::env::var("TIMBERLINE_RSYSLOG_LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(20_000);
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let port = server.url.rsplit(':').next().expect("a port");
    let (work, log) = (folder.path().display(), folder.path().join("app.log"));
    let text: String =
        (0..lines).map(|n| ["request ", &n.to_string(), " took long \"quoted\"\n"].concat()).collect();
    std::fs::write(&log, text).expect("a file");
    let configuration = format!(
        r#"global(workDirectory="{work}")
module(load="imfile")
module(load="omelasticsearch")
input(type="imfile" File="{log}" Tag="app" ruleset="send")
template(name="document" type="list" option.jsonf="on") {{
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
  property(outname="facility" name="syslogfacility-text" format="jsonf")
  property(outname="program" name="programname" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}}
ruleset(name="send" queue.type="linkedList" queue.size="200000" queue.dequeueBatchSize="4096" queue.workerThreads="2") {{
  action(type="omelasticsearch" server="127.0.0.1" serverport="{port}" bulkmode="on" template="document"
    searchIndex="system" searchType="" maxbytes="10m" errorfile="{work}/errors" action.resumeRetryCount="-1")
}}
"#,
        log = log.display(),
    );
    let conf = folder.path().join("rsyslog.conf");
    std::fs::write(&conf, configuration).expect("a file");
    let started = Instant::now();
    let pid = folder.path().join("pid");
    let mut command = Command::new(rsyslogd);
    command.arg("-n").arg("-f").arg(&conf).arg("-i").arg(pid).stdout(Stdio::null());
    let running = Daemon::start(&mut command);
    server.wait_for(lines);
    let rate = lines as f64 / started.elapsed().as_secs_f64();
    report::figure(&format!("rsyslog sent {lines} lines, visible at {rate:.0} a second"));
    drop(running);
    let errors = std::fs::read_to_string(folder.path().join("errors")).unwrap_or_default();
    assert_eq!(errors, "");
    // Each once, with what the template says.
    assert_eq!(server.count("source=http/system program=app"), lines as usize);
    for n in [0, 7, lines - 1] {
        assert_eq!(server.count(&format!("message:\"request {n} took\"")), 1, "{n}");
    }
    server.end();
}
