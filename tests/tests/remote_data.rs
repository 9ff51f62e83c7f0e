//! Logs of a million lines at a real server: the same filters, pushed as fast as a Python program loads them, and killed on
//! the way. `npm run test:remote -- --data DIR` names the folder with D1-1M.log and D2-1M.ndjson; `TIMBERLINE_TEST_EVENTS`
//! takes fewer of their lines.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use indexer::query::parse;
use indexer::{Cancel, Scalar, View, aggregate};
use remote::{Asked, Body, Client, Cluster, Options};
use serde_json::{Value, json};
use timberline_tests::{files, programs, report};

use crate::cluster;

use cluster::data::{PATIENCE, client, create, forget, imported, named, pushed};
use cluster::kinds::Kinds;
use cluster::random::Dice;

const FILTERS: usize = 1_000;

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
        pushed(&url, index, &case);
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
        let (mut kinds, mut wrong) = (Kinds::default(), Vec::new());
        for _ in 0..FILTERS {
            let text = filter(&mut dice, &fields);
            let Ok(parsed) = parse(&text) else { panic!("{text}") };
            let asked = Asked { filter: parsed.clone(), from: None, to: None, zone: "UTC".to_owned() };
            if !kinds.count(&cluster.translate(&asked)) {
                continue;
            }
            let there = cluster.count(&asked).unwrap_or_else(|error| panic!("{text}: {error}")).value;
            let view = View { filter: parsed, from: None, to: None };
            let local = case.count(&snapshot, &view, &cancel).expect(&text) as u64;
            if there != local {
                wrong.push(format!("{text}: {local} in the case, {there} there"));
            }
        }
        wrong.sort_by_key(String::len);
        wrong.truncate(10);
        assert!(wrong.is_empty(), "{log}, of {} exact:\n{}\n", kinds.exact, wrong.join("\n"));
        assert!(kinds.exact > FILTERS / 5, "{kinds}");
        let undocumented = kinds.undocumented();
        assert!(undocumented.is_empty(), "docs/remote.md lists all kinds but {undocumented:?}");
        report::figure(&format!(
            "{log}, {count} events, {FILTERS} filters, those that are exact with equal counts: {kinds}"
        ));
        forget(&cluster.client, index);
    }
}

/// The rate at which a Python program loads the lines of a log, in documents a second, into an index with the same mapping.
fn loaded(url: &str, python: &Client, properties: &Value, (log, count): (&Path, usize)) -> f64 {
    let index = "timberline-data-python";
    forget(python, index);
    let settings = json!({"index": {"codec": "best_compression"}});
    create(python, index, json!({"settings": settings, "mappings": {"properties": properties}}));
    let script = files::root().join("scripts/bulk_load.py");
    let mut command = Command::new("python3");
    command.arg(script).args([url, index]).arg(log).arg(count.to_string());
    let output = command.output().expect("python runs");
    forget(python, index);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a rate")
}

#[test]
#[ignore = "needs a real cluster and data: npm run test:remote -- --data DIR"]
fn push_is_about_as_fast_as_a_python_loader_and_survives_twenty_kills() {
    let Some((data, url)) = named() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (log, count, case) = imported(folder.path(), &data.join("D2-1M.ndjson"));
    let index = "timberline-data-push";
    let (_, python) = client(&url, index);
    let (mut ours, mut theirs) = (0.0_f64, 0.0_f64);
    // The first round warms up the server, and is not counted; of the others the best of each is.
    for round in 0..3 {
        let our_rate = pushed(&url, index, &case);
        let mapping = python.get(&format!("/{index}/_mapping")).expect("a mapping");
        // What the server still does for the one must not slow down the other.
        forget(&python, index);
        let properties = &mapping[index]["mappings"]["properties"];
        let their_rate = loaded(&url, &python, properties, (&log, count));
        if round > 0 {
            (ours, theirs) = (ours.max(our_rate), theirs.max(their_rate));
        }
    }
    report::figure(&format!(
        "push of {count} events: {ours:.0} documents/s, a Python loader {theirs:.0}, {:.2} of it (target 0.80)",
        ours / theirs
    ));

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
