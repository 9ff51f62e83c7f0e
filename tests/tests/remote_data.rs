//! Logs of a million lines at a real server: the same filters, pushed as fast as a Python program loads them, and killed on
//! the way. `npm run test:remote -- --data DIR` names the folder with D1-1M.log and D2-1M.ndjson; `TIMBERLINE_TEST_EVENTS`
//! takes fewer of their lines.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::query::parse;
use indexer::{Cancel, Case, ImportOptions, Scalar, View, aggregate};
use remote::{Asked, Body, Client, Cluster, Options, PushOptions, PushTarget, Remote, Source};
use serde_json::json;
use timberline_tests::{files, programs, report};

const FILTERS: usize = 1_000;

/// How long anything may take on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(10);

/// The data and the address of the server; nothing where no data is named.
fn named() -> Option<(PathBuf, String)> {
    let Ok(data) = std::env::var("TIMBERLINE_TEST_DATA") else {
        report::skipped("TIMBERLINE_TEST_DATA names no folder with D1-1M.log and D2-1M.ndjson");
        return None;
    };
    Some((
        PathBuf::from(data),
        std::env::var("TIMBERLINE_TEST_CLUSTER").expect("the address of a cluster for tests"),
    ))
}

/// The first lines of a log, and a case of them.
fn imported(folder: &Path, log: &Path) -> (PathBuf, usize, Case) {
    let most =
        std::env::var("TIMBERLINE_TEST_EVENTS").map_or(usize::MAX, |count| count.parse().expect("a number"));
    let part = folder.join(log.file_name().expect("a name"));
    let mut out = std::io::BufWriter::new(fs::File::create(&part).expect("a file"));
    let mut count = 0;
    for line in BufReader::new(fs::File::open(log).expect("the data")).lines().take(most) {
        writeln!(out, "{}", line.expect("text")).expect("written");
        count += 1;
    }
    out.flush().expect("written");
    let case = Case::create(&folder.join(format!("{count}.case"))).expect("a case");
    case.import(std::slice::from_ref(&part), &ImportOptions::default(), &|_| {}, &Cancel::default())
        .expect("an import");
    (part, count, case)
}

fn client(url: &str, index: &str) -> (Remote, Arc<Client>) {
    let remote = Remote::new("live", url, index).expect("a remote");
    let options = Options { deadline: PATIENCE, ..Options::default() };
    let client = Client::new(&remote, options, &Cancel::default()).expect("a client");
    (remote, Arc::new(client))
}

fn forget(client: &Client, index: &str) {
    let _ = client.call("DELETE", &format!("/{index}"), &Body::None);
}

/// The rate of a push, in documents a second.
fn pushed(url: &str, index: &str, case: &Case, with_original: bool) -> f64 {
    let (remote, client) = client(url, index);
    forget(&client, index);
    let view = View::parse("*", None, None).expect("a view");
    let source = Source { case, snapshot: &case.snapshot(), view: &view };
    let options = PushOptions {
        index: index.to_owned(),
        data_stream: false,
        with_original,
        rate: None,
        senders: 2,
        checkpoints: None,
    };
    let began = Instant::now();
    let target = PushTarget { client: &client, url: &remote.url };
    let pushed = remote::push(&target, &source, &options, &mut |_| {}, &Cancel::default()).expect("a push");
    let took = began.elapsed().as_secs_f64();
    assert!(pushed.refused.is_empty(), "{pushed:?}");
    pushed.created as f64 / took
}

/// A generator of its own, so that the filters are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A clause about a value that events have.
fn clause(dice: &mut Dice, fields: &[(String, Vec<Scalar>)]) -> String {
    let (name, values) = &fields[dice.roll(fields.len())];
    let value = &values[dice.roll(values.len())];
    let operator = ["=", "!=", "<", "<=", ">", ">="][dice.roll(6)];
    let text = match value {
        Scalar::Text(text) => text,
        Scalar::Int(number) => return format!("{name}{operator}{number}"),
        Scalar::Float(number) => return format!("{name}{operator}{number}"),
        _ => return format!("{name}:*"),
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).collect();
    let word = if words.is_empty() { "none" } else { words[dice.roll(words.len())] };
    match dice.roll(5) {
        0 => format!("{name}={}", quoted(text)),
        1 => format!("{name}:{}", quoted(word)),
        2 => format!("{name}:*{word}*"),
        3 => format!("NOT {name}:{}", quoted(text)),
        _ => format!("{name}:/{word}[a-z0-9]*/"),
    }
}

fn filter(dice: &mut Dice, fields: &[(String, Vec<Scalar>)]) -> String {
    let parts: Vec<String> = (0..=dice.roll(3)).map(|_| clause(dice, fields)).collect();
    format!("({})", parts.join([" AND ", " OR "][dice.roll(2)]))
}

#[test]
#[ignore = "needs a real cluster and data: npm run test:remote -- --data DIR"]
fn filters_over_real_logs_match_the_same_events() {
    let Some((data, url)) = named() else { return };
    for log in ["D1-1M.log", "D2-1M.ndjson"] {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, count, case) = imported(folder.path(), &data.join(log));
        let index = "timberline-data-filters";
        pushed(&url, index, &case, false);
        let (remote, _) = client(&url, index);
        let options = Options { deadline: PATIENCE, ..Options::default() };
        let cluster = Cluster::connect(&remote, options, &Cancel::default()).expect("a cluster");
        let (snapshot, cancel) = (case.snapshot(), Cancel::default());
        let all = View::parse("*", None, None).expect("a view");
        let request = aggregate::FacetsRequest { fields: Vec::new(), top: 50, buckets: 1, edges: None };
        let facets = case.facets(&snapshot, &all, &request, &mut |_, _| {}, &cancel).expect("facets");
        let fields: Vec<(String, Vec<Scalar>)> = facets
            .fields
            .into_iter()
            .map(|facet| (facet.field, facet.top.into_iter().map(|one| one.value).collect::<Vec<_>>()))
            .filter(|(name, values)| !values.is_empty() && name != "source")
            .collect();
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let (mut exact, mut inexact, mut unable, mut wrong) = (0, 0, 0, Vec::new());
        for _ in 0..FILTERS {
            let text = filter(&mut dice, &fields);
            let Ok(parsed) = parse(&text) else { panic!("{text}") };
            let asked = Asked { filter: parsed.clone(), from: None, to: None, zone: "UTC".to_owned() };
            match cluster.translate(&asked) {
                Err(_) => unable += 1,
                Ok(translated) if !translated.is_exact() => inexact += 1,
                Ok(_) => {
                    exact += 1;
                    let there = cluster.count(&asked).unwrap_or_else(|error| panic!("{text}: {error}")).value;
                    let view = View { filter: parsed, from: None, to: None };
                    let local = case.count(&snapshot, &view, &cancel).expect(&text) as u64;
                    if there != local {
                        wrong.push(format!("{text}: {local} in the case, {there} there"));
                    }
                }
            }
        }
        wrong.sort_by_key(String::len);
        wrong.truncate(10);
        assert!(wrong.is_empty(), "{log}, of {exact} exact:\n{}\n", wrong.join("\n"));
        assert!(exact > FILTERS / 5, "{exact} exact, {inexact} not, {unable} not possible");
        report::figure(&format!(
            "{log}, {count} events: {exact} filters exact and equal, {inexact} not exact, {unable} refused"
        ));
        forget(&cluster.client, index);
    }
}

#[test]
#[ignore = "needs a real cluster and data: npm run test:remote -- --data DIR"]
fn push_is_about_as_fast_as_a_python_loader_and_survives_twenty_kills() {
    let Some((data, url)) = named() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (log, count, case) = imported(folder.path(), &data.join("D2-1M.ndjson"));
    let (index, loaded) = ("timberline-data-push", "timberline-data-python");
    let (_, python) = client(&url, loaded);
    forget(&python, loaded);
    let ours = pushed(&url, index, &case, false);
    // The same mapping, so that the server does the same work.
    let mapping = python.get(&format!("/{index}/_mapping")).expect("a mapping");
    let properties = &mapping[index]["mappings"]["properties"];
    let codec = json!({"index": {"codec": "best_compression"}});
    let body = json!({"settings": codec, "mappings": {"properties": properties}});
    python
        .ok(python.call("PUT", &format!("/{loaded}"), &Body::Json(body)).expect("an answer"))
        .expect("an index");
    let script = files::root().join("scripts/bulk_load.py");
    let output = Command::new("python3")
        .arg(script)
        .args([url.as_str(), loaded])
        .arg(&log)
        .arg(count.to_string())
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a rate");
    report::figure(&format!(
        "push of {count} events: {ours:.0} documents/s, a Python loader {theirs:.0}, {:.2} of it",
        ours / theirs
    ));
    forget(&python, loaded);
    forget(&python, index);

    let home = folder.path().join("home");
    let path = case.folder().to_string_lossy().into_owned();
    let command = |arguments: &[&str]| {
        let mut command = Command::new(programs::timberline());
        command.args(arguments).env("TIMBERLINE_HOME", &home).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let added = command(&["remote", "add", "live", &url, "--index", index]).status().expect("it runs");
    assert!(added.success());
    let push = ["push", path.as_str(), "*", "--to", "remote:live", "--index", index];
    let documents = || {
        let stats =
            python.call("GET", &format!("/{index}/_stats/indexing"), &Body::None).expect("statistics");
        stats.body["_all"]["primaries"]["indexing"]["index_total"].as_u64().unwrap_or(0)
    };
    for kill in 1..=20_u64 {
        let mut child = command(&push).spawn().expect("it starts");
        let (began, goal) = (Instant::now(), count as u64 * kill / 25);
        while documents() < goal && child.try_wait().expect("a state").is_none() {
            assert!(began.elapsed() < PATIENCE, "the push does not go on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    assert!(command(&push).status().expect("it runs").success(), "hours compared with the case are equal");
    let (remote, _) = client(&url, index);
    let cluster = Cluster::connect(&remote, Options::default(), &Cancel::default()).expect("a cluster");
    let all = Asked::everything();
    assert_eq!(cluster.count(&all).expect("a count").value, count as u64, "every event once");
    report::figure(&format!("push of {count} events killed 20 times: every event once"));
    forget(&cluster.client, index);
    assert!(ours >= 0.8 * theirs, "{ours:.0} documents/s, and {theirs:.0} by Python");
}
