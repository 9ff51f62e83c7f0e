//! A cluster opened like a case: the calls of the contract give what a case of the same events gives, and what a cluster
//! cannot answer is said.

use std::fs;
use std::path::Path;

use indexer::{Cancel, Case, ImportOptions};
use remote::{Listing, Remote, Remotes};
use serde_json::{Value, json};
use wire::{Command, Session, Start};

use crate::cluster;

use cluster::logs::{asked, patient};
use cluster::server::{FakeCluster, Fault};

const EVENTS: usize = 600;
const LEVELS: [&str; 5] = ["info", "WARN", "error", "debug", "critical"];

/// Several events have the same time.
fn document(n: usize) -> Value {
    let time = indexer::stamp::to_rfc3339((1_772_373_600_000 + (n as i64 / 3) * 4_000) * 1_000_000);
    let mut document = json!({
        "@timestamp": time,
        "n": n,
        "message": format!("request {n} to upstream"),
        "level": LEVELS[n * 7 % 5],
        "status": ([200, 200, 200, 301, 404, 500])[n % 6],
        "service": (["cart", "payment", "search", "mail"])[n * 7 % 4],
        "duration": (n * 37 % 1_000) as f64 / 4.0 + 1.0,
    });
    if n.is_multiple_of(5) {
        document["user"] = format!("user-{}", n % 35).into();
    }
    document
}

fn properties() -> Value {
    json!({
        "@timestamp": {"type": "date"},
        "n": {"type": "long"},
        "message": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "level": {"type": "keyword"},
        "status": {"type": "long"},
        "service": {"type": "keyword"},
        "duration": {"type": "double"},
        "user": {"type": "keyword"},
    })
}

/// A cluster and a case with the same events, in one session.
struct Both {
    fake: FakeCluster,
    session: Session,
    case: String,
    home: tempfile::TempDir,
}

const REMOTE: &str = "remote:prod";

impl Both {
    fn started() -> Both {
        let fake = FakeCluster::start((0..EVENTS).map(document).collect(), properties());
        let home = tempfile::tempdir().expect("a folder");
        let mut remotes = Remotes::default();
        remotes.add(Remote::new("prod", &fake.url(), "logs-*").expect("a remote"));
        remotes.write(home.path()).expect("written");
        let case = imported(home.path());
        let session = Session::new(Start::browser(home.path().to_path_buf()));
        Both { fake, session, case, home }
    }

    // Arguments are written where the call is made.
    #[allow(clippy::needless_pass_by_value)]
    fn try_call(&self, command: &str, args: Value) -> Result<Value, Value> {
        let command: Command =
            serde_json::from_value(json!({"command": command, "args": args})).expect("a command");
        let answer = self.session.dispatch("call", command, |_| {});
        answer.map_err(|error| serde_json::to_value(error).expect("JSON"))
    }

    fn call(&self, command: &str, args: Value) -> Value {
        self.try_call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// The same call about the cluster and about the case.
    fn both(&self, command: &str, args: &dyn Fn(&str) -> Value) -> (Value, Value) {
        (self.call(command, args(REMOTE)), self.call(command, args(&self.case)))
    }
}

fn imported(folder: &Path) -> String {
    let log = folder.join("logs.ndjson");
    let lines: Vec<String> = (0..EVENTS).map(|n| document(n).to_string()).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case.folder().to_string_lossy().into_owned()
}

fn view(case: &str, query: &str) -> Value {
    json!({"case": case, "query": query, "from": null, "to": null})
}

fn at(seconds: i64) -> String {
    ((1_772_373_600 + seconds) * 1_000_000_000).to_string()
}

/// A reply without what differs between a case and a cluster by itself.
fn compared(mut reply: Value, without: &[&str]) -> Value {
    for name in ["revision", "elapsedMs", "remote"].iter().chain(without) {
        reply.as_object_mut().expect("an object").remove(*name);
    }
    reply
}

#[test]
fn remote_opens_like_a_case_that_is_only_read() {
    let both = Both::started();
    assert!(
        both.fake.state.lock().expect("no panic").asked.is_empty(),
        "nothing connects before it is opened"
    );
    let listed = both.call("remotes", json!({}));
    assert_eq!(listed["remotes"][0]["path"], REMOTE);
    assert_eq!(listed["remotes"][0]["url"], both.fake.url().as_str());
    assert!(both.fake.state.lock().expect("no panic").asked.is_empty(), "the list connects to nothing");

    let (there, here) = both.both("openCase", &|path| json!({"path": path}));
    for name in ["events", "first", "last"] {
        assert_eq!(there[name], here[name], "{name}");
    }
    assert_eq!((&there["name"], &there["path"]), (&json!("prod"), &json!(REMOTE)));
    assert!(there["readOnly"].is_string(), "{there}");
    assert_eq!(there["remote"]["server"], "Elasticsearch 8.19.21");
    assert_eq!(there["remote"]["url"], both.fake.url().as_str());
    assert!(here["remote"].is_null(), "a case has no mark: {here}");
    assert_eq!(there["sources"][0]["name"], "logs");
    assert_eq!(both.call("openCase", json!({"path": REMOTE}))["revision"], there["revision"]);

    let fields = both.call("fields", json!({"path": REMOTE}))["fields"].clone();
    let present = |name: &str| {
        let found = fields.as_array().expect("fields").iter().find(|field| field["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {fields}"))["present"].clone()
    };
    assert_eq!((present("user"), present("level")), (json!(EVENTS / 5), json!(EVENTS)));
}

#[test]
fn rows_anywhere_are_those_of_a_case_in_both_directions() {
    let both = Both::started();
    for order in ["oldestFirst", "newestFirst"] {
        for (query, first, count) in
            [("", 0, 50), ("", 50, 50), ("", 333, 7), ("", 590, 50), ("", 600, 5), ("level>=error", 17, 40)]
        {
            let (there, here) = both.both("page", &|case| {
                json!({"view": view(case, query), "order": order, "first": first, "count": count,
                       "columns": ["n", "user", "status"]})
            });
            let values = |page: &Value| -> Vec<Value> {
                page["rows"]
                    .as_array()
                    .expect("rows")
                    .iter()
                    .map(|row| json!([row["time"], row["level"], row["values"]]))
                    .collect()
            };
            assert_eq!(values(&there), values(&here), "{order} {query} {first}");
            assert_eq!(there["total"], here["total"], "{order} {query} {first}");
        }
        for seconds in [-5, 0, 100, 401, 100_000] {
            let (there, here) = both
                .both("locate", &|case| json!({"view": view(case, ""), "order": order, "time": at(seconds)}));
            assert_eq!(there, here, "{order} {seconds}");
        }
        for (from, backward) in
            [(Value::Null, false), (json!(10), false), (json!(10), true), (json!(599), false)]
        {
            let (there, here) = both.both("seek", &|case| {
                json!({"view": view(case, ""), "order": order, "from": from, "backward": backward, "wanted": "level:fatal"})
            });
            assert_eq!(there, here, "{order} {from} {backward}");
        }
    }
    let sorted = json!({"view": view(REMOTE, ""), "field": "duration", "descending": true, "first": 2, "count": 3,
        "columns": ["duration"]});
    let page = both.call("sortedPage", sorted);
    assert_eq!(page["rows"][0]["values"][0], "250.25", "{page}");
}

#[test]
fn event_is_opened_located_and_surrounded() {
    let both = Both::started();
    let page = both.call(
        "page",
        json!({"view": view(REMOTE, ""), "order": "newestFirst", "first": 100, "count": 5, "columns": ["n"]}),
    );
    let row = &page["rows"][1];
    let id = &row["id"];
    let detail = both.call("event", json!({"case": REMOTE, "id": id}));
    let n: usize = row["values"][0].as_str().and_then(|n| n.parse().ok()).expect("a number");
    assert_eq!(detail["text"], format!("request {n} to upstream").as_str());
    assert_eq!(detail["source"]["name"], "logs");
    let address = format!("{}/logs/_doc/{n:06}", both.fake.url());
    assert_eq!(detail["source"]["path"], address.as_str());
    let fields: Vec<&Value> =
        detail["fields"].as_array().expect("fields").iter().map(|field| &field["name"]).collect();
    assert!(fields.contains(&&json!("service")) && !fields.contains(&&json!("message")), "{fields:?}");
    let place = json!({"view": view(REMOTE, ""), "order": "newestFirst", "time": row["time"], "event": id});
    assert_eq!(both.call("locate", place)["row"], 101);
    let around = both.call(
        "context",
        json!({"case": REMOTE, "id": id, "around": {"kind": "everywhere"}, "before": 3, "after": 2, "columns": ["n"]}),
    );
    let numbers = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| row["values"][0].as_str().expect("a value").to_owned()).collect()
    };
    assert_eq!(numbers(&around["before"]), [n - 3, n - 2, n - 1].map(|n| n.to_string()));
    assert_eq!(numbers(&around["after"]), [n + 1, n + 2].map(|n| n.to_string()));
    let sharing = json!({"kind": "sharing", "field": "service"});
    let around = both.call(
        "context",
        json!({"case": REMOTE, "id": id, "around": sharing, "before": 1, "after": 1, "columns": ["n"]}),
    );
    assert_eq!(numbers(&around["before"]), [(n - 4).to_string()]);
    let unknown = both.try_call("event", json!({"case": REMOTE, "id": {"source": 7, "offset": 1}}));
    assert_eq!(unknown.expect_err("no such event")["code"], "notFound");
}

#[test]
fn timeline_facets_and_charts_count_what_a_case_counts() {
    let both = Both::started();
    for (query, from, to) in [
        ("", Value::Null, Value::Null),
        ("level>=warn", Value::Null, Value::Null),
        ("status:500", json!(at(40)), json!(at(400))),
        ("service:nothing", Value::Null, Value::Null),
    ] {
        let (there, here) = both.both(
            "timeline",
            &|case| json!({"view": {"case": case, "query": query, "from": from, "to": to}, "buckets": 40}),
        );
        assert_eq!(compared(there, &[]), compared(here, &[]), "{query}");
    }
    let (there, here) = both.both("facets", &|case| {
        json!({"view": view(case, "status>=200"), "fields": ["service", "user", "duration", "status"], "top": 4, "buckets": 20})
    });
    assert!(there["remote"]["notes"].to_string().contains("estimated"), "{there}");
    for (there, here) in
        there["fields"].as_array().expect("fields").iter().zip(here["fields"].as_array().expect("fields"))
    {
        for name in ["field", "present", "distinct", "sparkline"] {
            assert_eq!(there[name], here[name], "{name} of {there}");
        }
        let counts = |facet: &Value| -> Vec<Value> {
            facet["top"].as_array().expect("values").iter().map(|value| value["count"].clone()).collect()
        };
        assert_eq!(counts(there), counts(here), "{there}");
        assert_eq!(there["numbers"]["least"], here["numbers"]["least"], "{there}");
    }
    let time = json!({"kind": "time", "interval": {"kind": "fixed", "ns": "60000000000"}, "zone": "UTC"});
    let day = json!({"kind": "time", "interval": {"kind": "calendar", "count": 1, "unit": "day"}, "zone": "Europe/Berlin"});
    let terms = json!({"kind": "terms", "field": "status", "top": 2, "order": "most"});
    let bins = json!({"kind": "bins", "field": "duration", "bins": {"kind": "linear", "most": 12}});
    let growing = json!({"kind": "bins", "field": "duration", "bins": {"kind": "logarithmic", "most": 9}});
    let stats = json!({"kind": "stats", "field": "duration"});
    let percentiles = json!({"kind": "percentiles", "field": "duration", "at": [50.0, 95.0]});
    let rate = json!({"kind": "rate", "per": "1000000000"});
    for (by, measures) in [
        (json!([]), json!([stats, percentiles])),
        (json!([time]), json!([stats, rate])),
        (json!([day]), json!([])),
        (json!([terms]), json!([{"kind": "distinct", "field": "user"}])),
        (json!([time, terms]), json!([percentiles])),
        (json!([bins]), json!([])),
        (json!([growing]), json!([])),
        (json!([terms, bins]), json!([])),
    ] {
        let (there, here) = both.both(
            "aggregate",
            &|case| json!({"view": view(case, "level>=info"), "by": by, "measures": measures}),
        );
        let rounded = |reply: &Value| -> String {
            let round = |number: &Value| number.as_f64().map(|number| format!("{number:.6}"));
            let figures: Vec<Vec<Option<String>>> = reply["measured"]
                .as_array()
                .expect("measures")
                .iter()
                .map(|measured| measured["values"].as_array().expect("values").iter().map(round).collect())
                .collect();
            format!("{figures:?}")
        };
        assert_eq!(rounded(&there), rounded(&here), "{by}");
        let names = |reply: &Value| -> Vec<Value> {
            reply["measured"].as_array().expect("measures").iter().map(|one| one["name"].clone()).collect()
        };
        assert_eq!(names(&there), names(&here));
        assert_eq!(
            compared(there, &["measured", "axes"]),
            compared(here.clone(), &["measured", "axes"]),
            "{by}"
        );
    }
    let table = json!({"view": view(REMOTE, "* | stats p95(duration) by service | sort service"), "zone": null, "first": 0, "count": 10});
    let table = both.call("run", table);
    assert_eq!((&table["total"], &table["rows"][0][0]), (&json!(4), &json!("cart")));
    assert!(table["notes"].to_string().contains("estimated"), "{table}");
}

#[test]
fn values_are_followed_and_first_and_last_ones_found_as_in_a_case() {
    let both = Both::started();
    for value in ["user-5", "404", "payment", "upstream", "nowhere"] {
        let (there, here) = both.both("follow", &|case| json!({"case": case, "value": value}));
        let without_source = |reply: &Value| {
            let mut trails: Vec<Value> = reply["trails"].as_array().expect("trails").clone();
            for trail in &mut trails {
                let trail = trail.as_object_mut().expect("an object");
                trail.retain(|name, _| !matches!(name.as_str(), "source" | "sourceName"));
            }
            trails.sort_by_key(Value::to_string);
            trails
        };
        assert_eq!(without_source(&there), without_source(&here), "{value}");
    }
    let linked = both.call("linked", json!({"case": REMOTE, "value": "user-5", "onlyKnown": true}));
    assert_eq!(linked, Value::Null);
    let measures = json!([{"kind": "first", "field": "status"}, {"kind": "last", "field": "user"}, {"kind": "last", "field": "duration"}]);
    for by in [json!([]), json!([{"kind": "terms", "field": "service", "top": 10, "order": "value"}])] {
        let (there, here) = both
            .both("aggregate", &|case| json!({"view": view(case, "n<597"), "by": by, "measures": measures}));
        // Of events of one time either may be the last; these have times of their own.
        assert_eq!(there["counts"], here["counts"]);
        let names = |reply: &Value| -> Vec<Value> {
            reply["measured"].as_array().expect("measured").iter().map(|one| one["name"].clone()).collect()
        };
        assert_eq!(names(&there), names(&here));
        let kinds = |reply: &Value| -> Vec<bool> {
            let answers = reply["measured"].as_array().expect("measured").iter();
            answers.flat_map(|one| one["values"].as_array().expect("values")).map(Value::is_null).collect()
        };
        assert_eq!(kinds(&there), kinds(&here), "{by}");
    }
    // The last time is that of one event alone.
    let only = json!([{"kind": "last", "field": "status"}]);
    let (there, here) =
        both.both("aggregate", &|case| json!({"view": view(case, "n<=597"), "by": [], "measures": only}));
    assert_eq!(there["measured"], here["measured"]);
}

#[test]
fn patterns_are_those_of_a_case_and_a_sample_says_its_size() {
    let both = Both::started();
    let request = |case: &str| {
        json!({"view": view(case, "status<500"), "granularity": "template", "limit": 10, "buckets": 5, "examples": 2,
            "compare": false, "variables": [], "values": 3})
    };
    let (there, here) = both.both("patterns", &request);
    let texts = |reply: &Value| -> Vec<(Value, Value)> {
        let patterns = reply["patterns"].as_array().expect("patterns").iter();
        patterns.map(|one| (one["text"].clone(), one["count"].clone())).collect()
    };
    assert_eq!(texts(&there), texts(&here));
    assert!(!texts(&there).is_empty() && there["remote"].is_null(), "all events fit in the sample: {there}");
    // Examples are events of the cluster.
    let example = &there["patterns"][0]["examples"][0];
    let event = both.call("event", json!({"case": REMOTE, "id": example}));
    assert!(event["row"]["text"].as_str().is_some_and(|text| text.starts_with("request ")), "{event}");
    let few = (0..12_000).map(|n| {
        let time = indexer::stamp::to_rfc3339((1_772_373_600 + n) * 1_000_000_000);
        json!({"@timestamp": time, "message": format!("request {n}")})
    });
    let properties = json!({"@timestamp": {"type": "date"}, "message": {"type": "keyword"}});
    let fake = FakeCluster::start(few.collect(), properties);
    let remote = Remote::new("test", &fake.url(), "logs").expect("a remote");
    let cluster = remote::Cluster::connect(&remote, patient(), &Cancel::default()).expect("a cluster");
    let sampled = cluster.patterns(&asked("*"), &indexer::PatternOptions::default()).expect("patterns");
    assert_eq!((sampled.value.sampled, sampled.value.matching), (10_000, 12_000));
    assert_eq!(sampled.notes, ["patterns are those of a random sample of 10000 of 12000 events"]);
}

#[test]
fn case_is_compared_with_a_sample_of_a_cluster() {
    let both = Both::started();
    let compare = |a: Value, b: Value| both.call("compare", json!({"a": a, "b": b, "limit": 20}));
    let same = compare(view(REMOTE, "*"), view(&both.case, "*"));
    assert_eq!(same["events"], json!([EVENTS, EVENTS]));
    assert_eq!((&same["differences"], &same["notes"]), (&json!([]), &json!([])), "{same}");
    // Both sides may be of one cluster; the field of its filter differs by choice, as in a case.
    let fewer = compare(view(REMOTE, "status<500"), view(REMOTE, "*"));
    assert_eq!(fewer["events"], json!([EVENTS / 6 * 5, EVENTS]), "{fewer}");
    assert!(fewer["leftOut"].to_string().contains(r#"["status","chosenBy"]"#), "{fewer}");
}

#[test]
fn query_is_checked_and_completed_by_the_fields_of_the_cluster() {
    let both = Both::started();
    let check = |query: &str| both.call("check", json!({"case": REMOTE, "query": query, "kql": false}));
    assert_eq!(check("status>=500 | timechart span=5m count")["stages"].as_array().map(Vec::len), Some(1));
    for (query, expected, start) in [
        ("servce:cart", "servce", 0),
        ("status:500 is:starred", "kept in cases", 11),
        ("select * from events", "SQL is not available", 0),
    ] {
        let found = check(query);
        let error =
            found["diagnostics"].as_array().expect("diagnostics").iter().find(|one| one["isError"] == true);
        let error = error.unwrap_or_else(|| panic!("{query}: {found}"));
        assert!(error.to_string().to_lowercase().contains(&expected.to_lowercase()), "{error}");
        assert_eq!(error["start"], start, "{error}");
    }
    let complete = |query: &str| {
        both.call("complete", json!({"case": REMOTE, "query": query, "cursor": query.len()})).to_string()
    };
    assert!(complete("serv").contains("service"), "{}", complete("serv"));
    let values = complete("service:PA");
    assert!(values.contains("payment") && !values.contains("cart"), "{values}");
    let (there, here) = both.both(
        "stretch",
        &|case| json!({"case": case, "from": "now-5m", "to": "now", "zone": null, "around": null}),
    );
    assert_eq!(there, here);
    let inexact = both.call(
        "page",
        json!({"view": view(REMOTE, "message:upstream"), "order": "oldestFirst", "first": 0, "count": 1}),
    );
    assert!(
        inexact["remote"]["inexact"][0].as_str().is_some_and(|said| said.contains("analysed")),
        "{inexact}"
    );
}

#[test]
fn what_a_cluster_cannot_answer_is_said() {
    let both = Both::started();
    both.call("openCase", json!({"path": REMOTE}));
    let before = both.fake.state.lock().expect("no panic").asked.len();
    let view = view(REMOTE, "");
    for (command, args) in [
        ("strip", json!({"view": view, "order": "oldestFirst", "cells": 5, "marks": []})),
        ("detectors", json!({"path": REMOTE})),
        ("links", json!({"path": REMOTE})),
        ("verify", json!({"path": REMOTE})),
        ("compact", json!({"path": REMOTE})),
        ("deleteCase", json!({"path": REMOTE})),
        ("renameCase", json!({"path": REMOTE, "name": "other"})),
        ("import", json!({"case": REMOTE, "paths": ["/nowhere"]})),
        ("changeNotes", json!({"case": REMOTE, "put": [{"kind": "star", "id": "a"}]})),
        ("export", json!({"view": view, "zone": null, "format": "csv", "path": "/tmp/never.csv"})),
        ("transactions", json!({"view": view, "field": "user", "order": "longest", "most": 3})),
    ] {
        let error = both.try_call(command, args).expect_err(command);
        assert_eq!(error["code"], "notAvailable", "{command}: {error}");
        assert!(error["hint"].is_string(), "{command}: {error}");
    }
    assert_eq!(both.fake.state.lock().expect("no panic").asked.len(), before, "no request is sent for them");
    let notes = both.call("notes", json!({"case": REMOTE, "since": null}));
    assert!(notes["readOnly"].is_string() && notes["notes"].as_array().is_some_and(Vec::is_empty), "{notes}");
}

#[test]
fn answers_that_lack_shards_say_so_and_cancelled_ones_end() {
    let both = Both::started();
    both.call("openCase", json!({"path": REMOTE}));
    let timeline = json!({"view": view(REMOTE, ""), "buckets": 10});
    both.fake.fail("/_search", vec![Some(Fault::Partial)]);
    let partial = both.call("timeline", timeline.clone());
    let missing = partial["remote"]["missing"][0].as_str().expect("what is missing");
    assert!(missing.starts_with("1 of 2 shards failed"), "{partial}");
    assert!(both.call("timeline", timeline.clone())["remote"].is_null(), "the next answer is whole");
    both.fake.fail("/_search", vec![Some(Fault::TimedOut), Some(Fault::TimedOut), Some(Fault::TimedOut)]);
    let page = json!({"view": view(REMOTE, ""), "order": "oldestFirst", "first": 0, "count": 3});
    assert!(both.call("page", page)["remote"]["missing"].to_string().contains("time limit"));
    both.fake.fail("/_search", vec![]);
    let id =
        both.call(
            "page",
            json!({"view": view(REMOTE, "n:4"), "order": "oldestFirst", "first": 0, "count": 1}),
        )["rows"][0]["id"]
            .clone();
    both.fake.fail("/_search", vec![Some(Fault::Partial)]);
    let event = both.try_call("event", json!({"case": REMOTE, "id": id})).expect_err("not whole");
    assert!(event["message"].as_str().is_some_and(|message| message.contains("shards failed")), "{event}");

    both.fake.fail("/_search", vec![Some(Fault::Silent)]);
    let asked_before = both.fake.asked("/_search").len();
    std::thread::scope(|scope| {
        let question = scope.spawn(|| both.try_call("timeline", timeline.clone()));
        while both.fake.asked("/_search").len() == asked_before {
            std::thread::yield_now();
        }
        both.session.cancel("call");
        let error = question.join().expect("no panic").expect_err("cancelled");
        assert_eq!(error["code"], "cancelled");
    });
}

#[test]
fn remotes_are_added_tried_switched_off_and_removed() {
    let both = Both::started();
    let request = |name: &str, url: &str| {
        json!({"name": name, "url": url, "index": "logs-*", "timeField": null, "apiKeyFile": null, "user": null,
            "passwordFile": null, "ca": null})
    };
    let list = both.call("addRemote", request("second", &both.fake.url()));
    assert_eq!(list["remotes"].as_array().map(Vec::len), Some(2));
    let again = both.try_call("addRemote", request("second", "https://a")).expect_err("it is there");
    assert!(again["message"].as_str().is_some_and(|message| message.contains("already")), "{again}");
    let bad = both.try_call("addRemote", request("third", "https://me:secret@a")).expect_err("credentials");
    assert!(!bad.to_string().contains("secret"), "{bad}");

    let checked = both.call("checkRemote", json!({"name": "second"}));
    assert_eq!(checked["usable"], true, "{checked}");
    assert_eq!(checked["findings"][0]["text"], "Elasticsearch 8.19.21");
    let wrong = both.call("addRemote", request("wrong", "http://127.0.0.1:1"));
    assert_eq!(wrong["remotes"].as_array().map(Vec::len), Some(3));
    assert_eq!(both.call("checkRemote", json!({"name": "wrong"}))["usable"], false);

    both.call("page", json!({"view": view(REMOTE, ""), "order": "oldestFirst", "first": 0, "count": 3}));
    assert_eq!(both.fake.state.lock().expect("no panic").points.len(), 1);
    let off = both.call("switchRemote", json!({"name": null, "off": true}));
    assert_eq!(off["allOff"], true);
    assert!(both.fake.state.lock().expect("no panic").points.is_empty(), "the point in time is given back");
    let before = both.fake.state.lock().expect("no panic").asked.len();
    for (command, args) in [
        ("openCase", json!({"path": REMOTE})),
        ("timeline", json!({"view": view(REMOTE, ""), "buckets": 4})),
        ("checkRemote", json!({"name": "second"})),
    ] {
        let error = both.try_call(command, args).expect_err(command);
        assert!(error["message"].as_str().is_some_and(|message| message.contains("switched off")), "{error}");
    }
    assert_eq!(both.fake.state.lock().expect("no panic").asked.len(), before, "nothing connects");
    both.call("switchRemote", json!({"name": null, "off": false}));
    both.call("openCase", json!({"path": REMOTE}));

    // Another process may switch it off: then nothing is given back either.
    both.call("page", json!({"view": view(REMOTE, ""), "order": "oldestFirst", "first": 0, "count": 3}));
    let mut remotes = Remotes::read(both.home.path()).expect("read");
    remotes.switch(Some("prod"), true).expect("known");
    remotes.write(both.home.path()).expect("written");
    let before = both.fake.state.lock().expect("no panic").asked.len();
    assert!(both.try_call("timeline", json!({"view": view(REMOTE, ""), "buckets": 4})).is_err());
    assert_eq!(both.fake.state.lock().expect("no panic").asked.len(), before, "nothing connects");
    both.call("removeRemote", json!({"name": "prod"}));
    assert!(both.try_call("openCase", json!({"path": REMOTE})).is_err());
}

#[test]
fn page_far_from_any_other_is_found_by_counts_over_time() {
    const MANY: usize = 25_000;
    /// Those in the middle have one time.
    fn crowded(n: usize) -> Value {
        let second = if (9_000..16_000).contains(&n) { 9_000 } else { n };
        let time = indexer::stamp::to_rfc3339((1_772_373_600 + second as i64) * 1_000_000_000);
        json!({"@timestamp": time, "message": format!("request {n}")})
    }
    let properties = json!({"@timestamp": {"type": "date"}, "message": {"type": "keyword"}});
    let mut documents: Vec<Value> = (0..MANY).map(crowded).collect();
    // Events without a time come last in both directions.
    documents.extend((0..50).map(|n| json!({"message": format!("untimed {n}")})));
    let fake = FakeCluster::start(documents, properties);
    let remote = Remote::new("test", &fake.url(), "logs").expect("a remote");
    let cluster = remote::Cluster::connect(&remote, patient(), &Cancel::default()).expect("a cluster");
    for descending in [false, true] {
        let sort = indexer::SortBy { field: "time".to_owned(), descending };
        let mut listing = Listing::new(&cluster, &asked("*"), &sort).expect("a listing");
        assert_eq!(listing.total(), MANY as u64 + 50);
        for first in [20_500, 12_345, 24_990, 11_000, 12_348, 25_020] {
            let page = listing.page(&cluster, first, 20).expect("a page").value;
            let texts: Vec<String> = page.into_iter().map(|event| event.text).collect();
            let expected: Vec<String> = (first..(first + 20).min(MANY as u64 + 50))
                .map(|row| match row as usize {
                    row if row >= MANY && descending => format!("untimed {}", 49 - (row - MANY)),
                    row if row >= MANY => format!("untimed {}", row - MANY),
                    row if descending => format!("request {}", MANY - 1 - row),
                    row => format!("request {row}"),
                })
                .collect();
            assert_eq!(texts, expected, "{first} {descending}");
        }
    }
    // A cluster gives points in time up after a while; another one begins.
    let sort = indexer::SortBy { field: "time".to_owned(), descending: false };
    let mut listing = Listing::new(&cluster, &asked("*"), &sort).expect("a listing");
    fake.fail(
        "/_search",
        vec![Some(Fault::Status(
            404,
            Vec::new(),
            r#"{"error":{"type":"search_phase_execution_exception"}}"#.to_owned(),
        ))],
    );
    let page = listing.page(&cluster, 3, 1).expect("a page").value;
    assert_eq!(page[0].text, "request 3");
    drop(listing);
    assert!(fake.state.lock().expect("no panic").points.is_empty());
}
