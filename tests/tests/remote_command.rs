//! The command line with a remote in place of a case, and our own server as the cluster that is asked.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use indexer::query::{Filter, parse, parse_query};
use indexer::{Cancel, RunOptions, SortBy};
use remote::{Asked, Cluster, Events, Remote};
use serde_json::Value;
use timberline_tests::programs;

use crate::cluster;

use cluster::logs::{EVENTS, PATIENCE, asked, document, imported, patient, properties, rows, started};
use cluster::server::{FakeCluster, Fault};

/// The command with a folder of its own for what it keeps.
fn timberline(home: &Path, arguments: &[&str]) -> Output {
    command(home, arguments).output().expect("it runs")
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(programs::timberline());
    command.args(arguments).env("TIMBERLINE_HOME", home);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn command_line_asks_a_remote_like_a_case() {
    let (fake, home) = (started(), tempfile::tempdir().expect("a folder"));
    let added = timberline(home.path(), &["remote", "add", "prod", &fake.url(), "--index", "logs-*"]);
    assert!(added.status.success(), "{}", text(&added.stderr));
    assert!(fake.state.lock().expect("no panic").asked.is_empty(), "adding connects to nothing");
    let run = |arguments: &[&str]| timberline(home.path(), arguments);
    let counted = run(&["query", "remote:prod", "status:500", "--count", "--explain"]);
    assert_eq!(text(&counted.stdout), "416\n", "{}", text(&counted.stderr));
    assert!(text(&counted.stderr).contains("POST /logs-*/_search  (200"), "{}", text(&counted.stderr));
    assert!(text(&counted.stderr).contains(r#""term":{"status":500}"#), "{}", text(&counted.stderr));
    let inexact = run(&["query", "remote:prod", "message:nothing OR status:500", "--count"]);
    assert_eq!(text(&inexact.stdout), "416\n", "{}", text(&inexact.stderr));
    assert!(
        text(&inexact.stderr).contains("not exact: `message:nothing`: analysed text"),
        "{}",
        text(&inexact.stderr)
    );
    let listed = run(&[
        "query",
        "remote:prod",
        "status:404 service:payment",
        "--limit",
        "2",
        "--sort",
        "-time",
        "--format",
        "ndjson",
    ]);
    let lines: Vec<Value> =
        text(&listed.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{}", text(&listed.stderr));
    assert!(
        lines[0]["time"].as_str() > lines[1]["time"].as_str() && lines[0]["service"] == "payment",
        "{lines:?}"
    );
    let csv = run(&["query", "remote:prod", "* | top 1 status", "--format", "csv"]);
    assert_eq!(
        text(&csv.stdout).replace('\r', ""),
        "status,count,percent\n200,1251,50.04\n",
        "{}",
        text(&csv.stderr)
    );

    let median = ["query", "remote:prod", "* | stats median(duration)", "--format", "csv"];
    let estimated = run(&median);
    assert!(text(&estimated.stderr).contains("is estimated (t-digest)"), "{}", text(&estimated.stderr));
    let exact = run(&[&median[..], &["--exact", "--explain"]].concat());
    let said = text(&exact.stderr);
    assert!(
        said.contains("`stats` ran here, over 2500 fetched events") && !said.contains("t-digest"),
        "{said}"
    );
    assert!(said.contains(r#""_source":{"includes":["duration"]}"#), "{said}");
    assert_eq!(text(&exact.stdout).replace('\r', ""), "median(duration)\n125.125\n", "{said}");

    fake.fail("/_search", vec![Some(Fault::Partial)]);
    let partial = run(&["query", "remote:prod", "*", "--count"]);
    assert_eq!(partial.status.code(), Some(1));
    assert!(text(&partial.stderr).contains("partial: 1 of 2 shards failed"), "{}", text(&partial.stderr));

    let unknown = run(&["query", "remote:pord", "*"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("Did you mean remote:prod?"), "{}", text(&unknown.stderr));
    assert!(run(&["remote", "off", "prod"]).status.success());
    let before = fake.state.lock().expect("no panic").asked.len();
    let off = run(&["query", "remote:prod", "*", "--count"]);
    assert!(text(&off.stderr).contains("switched off"), "{}", text(&off.stderr));
    assert_eq!(fake.state.lock().expect("no panic").asked.len(), before, "nothing connects to it");
    assert!(run(&["remote", "on", "prod"]).status.success());
    assert!(run(&["remote", "off", "--all"]).status.success());
    let off = run(&["query", "remote:prod", "*", "--count"]);
    assert!(text(&off.stderr).contains("ll clusters are switched off"), "{}", text(&off.stderr));
    assert_eq!(fake.state.lock().expect("no panic").asked.len(), before, "nothing connects to any");
    assert!(run(&["remote", "on", "--all"]).status.success());
    let checked = run(&["remote", "check", "prod", "--fields"]);
    assert!(
        checked.status.success()
            && text(&checked.stdout).contains("message  text, whole values in message.keyword"),
        "{checked:?}"
    );
    assert!(text(&run(&["remote", "list"]).stdout).starts_with("prod  http://127.0.0.1:"));
    assert!(run(&["remote", "remove", "prod"]).status.success());
    assert_eq!(text(&run(&["remote", "list"]).stdout), "");
}

/// An event of a cluster that differs from the case: there is a new message, and the cart is slower.
fn changed(n: usize) -> Value {
    let mut document = document(n);
    if n % 5 == 2 {
        document["message"] = format!("ledger {n} is locked").into();
    }
    if let (true, Some(duration)) = (document["service"] == "cart", document["duration"].as_f64()) {
        document["duration"] = (duration + 300.0).into();
    }
    document
}

#[test]
fn remote_as_side_b_is_compared_as_a_case_of_the_same_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    imported(folder.path());
    let changed: Vec<Value> = (0..EVENTS).map(changed).collect();
    let lines: Vec<String> = changed.iter().map(Value::to_string).collect();
    fs::write(path("changed.ndjson"), lines.join("\n")).expect("written");
    let fake = FakeCluster::start(changed, properties());
    let run = |arguments: &[&str]| timberline(folder.path(), arguments);
    assert!(run(&["import", &path("b.case"), &path("changed.ndjson")]).status.success());
    assert!(run(&["remote", "add", "prod", &fake.url(), "--index", "logs"]).status.success());
    let compare = |b: &str, filter: &str| -> Value {
        let compared = run(&["compare", b, "*", filter, "--other", &path("a.case"), "--json"]);
        assert!(compared.status.success(), "{}", text(&compared.stderr));
        serde_json::from_slice(&compared.stdout).expect("JSON")
    };
    let rows = |found: &Value| -> Vec<Value> {
        let names = ["kind", "change", "what", "a", "b", "effect", "percentiles"];
        let rows = found["rows"].as_array().expect("rows").iter();
        rows.map(|row| names.iter().map(|name| row[name].clone()).collect()).collect()
    };
    let left_out = |found: &Value| -> Vec<String> {
        let mut all: Vec<String> =
            found["left_out"].as_array().expect("a list").iter().map(Value::to_string).collect();
        all.sort();
        all
    };
    for filter in ["*", "NOT user=user-5", "* @ 2026-03-01T14:30/"] {
        let [there, here] = ["remote:prod", &path("b.case")].map(|b| compare(b, filter));
        assert_eq!(rows(&there), rows(&here), "{filter}");
        assert_eq!(left_out(&there), left_out(&here), "{filter}");
        for name in ["a_events", "b_events", "notes"] {
            assert_eq!(there[name], here[name], "{filter}");
        }
        let what: Vec<&Value> =
            there["rows"].as_array().expect("rows").iter().map(|row| &row["what"]).collect();
        assert_eq!(what, ["ledger <num> is locked", "duration where service=cart"], "{filter}");
    }
}

#[test]
fn comparison_with_a_remote_that_fails_midway_says_so_and_has_no_rows() {
    let (fake, folder) = (started(), tempfile::tempdir().expect("a folder"));
    imported(folder.path());
    let case = folder.path().join("a.case").to_string_lossy().into_owned();
    let run = |arguments: &[&str]| timberline(folder.path(), arguments);
    assert!(run(&["remote", "add", "prod", &fake.url(), "--index", "logs"]).status.success());
    let compare = ["compare", "remote:prod", "*", "*", "--other", &case, "--json"];
    for (fault, says) in [
        (Fault::CutWithin, "the connection to the cluster prod broke"),
        (Fault::Partial, "the answer of the cluster prod is not complete: 1 of 2 shards failed"),
        (Fault::TimedOut, "not complete: the cluster stopped at its time limit"),
        (Fault::Text("{\"took\": 1".to_owned()), "the answer is not JSON that can be read"),
        (Fault::Status(500, Vec::new(), "{}".to_owned()), "refused the request with 500"),
    ] {
        // The end of the data is asked for first, and then the sample, again and again.
        let faults = std::iter::once(None).chain(vec![Some(fault); 20]);
        fake.fail("/_search", faults.collect());
        let compared = run(&[&compare[..], &["--timeout", "5s"]].concat());
        let said = text(&compared.stderr).to_lowercase();
        assert!(!compared.status.success() && compared.stdout.is_empty(), "{says}: {compared:?}");
        assert!(said.contains(&says.to_lowercase()), "{says}: {said}");
    }
    fake.state.lock().expect("no panic").faults.clear();
    let whole = run(&compare);
    let found: Value = serde_json::from_slice(&whole.stdout).expect("JSON");
    assert_eq!((&found["b_events"], &found["rows"]), (&EVENTS.into(), &Value::Array(Vec::new())), "{found}");

    // What the cluster does not answer exactly is said.
    let inexact = run(&["compare", "remote:prod", "*", "message:nothing OR status<500", "--other", &case]);
    assert!(text(&inexact.stderr).contains("B: not exact: `message:nothing`"), "{}", text(&inexact.stderr));
}

#[cfg(unix)]
#[test]
fn interrupted_command_gives_its_point_in_time_back() {
    let (fake, home) = (started(), tempfile::tempdir().expect("a folder"));
    timberline(home.path(), &["remote", "add", "prod", &fake.url(), "--index", "logs"]);
    fake.fail("/_search", vec![None, Some(Fault::Silent)]);
    let mut child = command(home.path(), &["query", "remote:prod", "*", "--format", "raw"])
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let began = Instant::now();
    while fake.asked("/_search").len() < 2 {
        assert!(began.elapsed() < PATIENCE, "{:?}", fake.asked("/_search").len());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs").success()
    );
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    let state = fake.state.lock().expect("no panic");
    assert_eq!((state.points_made, state.points.len()), (1, 0));
}

/// Our own server, which answers as a cluster does.
struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    fn start(case: &Path) -> Listening {
        let mut child = Command::new(programs::timberline())
            .arg("listen")
            .arg(case)
            .args(["--http", "127.0.0.1:0", "--json", "--refresh", "50ms", "--reserve", "1MB"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("JSON");
        let address = ready["listening"][0]["address"].as_str().expect("an address").to_owned();
        Listening { child, address: address.rsplit('/').next().expect("a host").to_owned() }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

#[test]
fn case_that_listens_is_asked_as_a_cluster_and_answers_as_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path());
    let listening = Listening::start(&folder.path().join("a.case"));
    let remote = Remote::new("own", &format!("http://{}", listening.address), "*").expect("a remote");
    let cluster = Cluster::connect(&remote, patient(), &Cancel::default()).expect("a cluster");
    let snapshot = case.snapshot();
    for text in [
        "*",
        "status>=400",
        "service:cart AND NOT user:*",
        "time>=2026-03-01T15:00 duration<100",
        "user:user-5",
        "status:4??",
        "message:upstream",
    ] {
        let view = indexer::View { filter: parse(text).expect(text), from: None, to: None };
        let local = case.count(&snapshot, &view, &Cancel::default()).expect(text);
        let answer = cluster.count(&asked(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.value, local as u64, "{text}");
    }
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let everything = Asked { filter: Filter::Everything, from: None, to: None, zone: "UTC".to_owned() };
    let mut times = Vec::new();
    let mut each = |event: remote::RemoteEvent| {
        times.push(event.time.expect("a time"));
        Ok(())
    };
    cluster.for_each(&Events { asked: &everything, sort, limit: usize::MAX }, &mut each).expect("events");
    assert!(times.len() == EVENTS && times.is_sorted(), "{}", times.len());
    for text in ["* | timechart span=30m count", "* | top 2 status", "* | stats count, avg(duration)"] {
        let query = parse_query(text).expect(text);
        let table =
            cluster.run(&query, (None, None), "UTC").unwrap_or_else(|error| panic!("{text}: {error}")).value;
        let local = case.run(
            &snapshot,
            &query,
            (None, None),
            &RunOptions::default(),
            &mut |_| {},
            &Cancel::default(),
        );
        assert_eq!(rows(&table), rows(&local.expect(text)), "{text}");
    }
}
