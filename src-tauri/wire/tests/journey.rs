//! The thin line as a host walks it: commands as JSON, progress and replies as JSON.

use std::cell::RefCell;
use std::path::Path;

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::{ErrorCode, Session, Start};

fn view(case: &str, query: &str) -> Value {
    json!({ "case": case, "query": query, "from": null, "to": null })
}

const LOG: &[u8] =
    b"2026-03-01T14:05:00Z INFO started\n2026-03-01T14:05:01Z ERROR lost connection\nno time here\n";

#[test]
fn sample_to_detail() {
    let walk = Walk::new();
    let sample = walk.ask("sample", json!({})).expect("the sample");
    let case =
        walk.ask("createCase", sample.clone()).expect("a case")["path"].as_str().expect("a path").to_owned();
    let phases = RefCell::new(Vec::new());
    let import = json!({ "case": case, "paths": sample["paths"] });
    let report = walk
        .ask_with("import", import, |progress| phases.borrow_mut().push(progress["phase"].clone()))
        .expect("an import");
    assert_eq!(report["problems"], json!([]));
    assert!(phases.borrow().contains(&json!("landing")) && phases.borrow().contains(&json!("indexing")));

    let timeline =
        walk.ask("timeline", json!({ "view": view(&case, ""), "buckets": 100 })).expect("a timeline");
    let counted: u64 = timeline["series"]
        .as_array()
        .expect("series")
        .iter()
        .flat_map(|series| series["counts"].as_array().expect("counts"))
        .map(|count| count.as_u64().expect("a count"))
        .sum();
    assert_eq!(Some(counted), report["events"].as_u64());
    assert_eq!(timeline["total"], report["events"]);

    let page = json!({ "view": view(&case, "level:error"), "order": "newestFirst", "first": 0, "count": 5 });
    let page = walk.ask("page", page).expect("a page");
    let row = &page["rows"][0];
    assert_eq!(row["level"], "error");
    let detail = walk.ask("event", json!({ "case": case, "id": row["id"] })).expect("a detail");
    assert!(
        detail["text"].as_str().is_some_and(|text| text.starts_with(row["text"].as_str().expect("text")))
    );

    let hello = walk.ask("hello", json!({})).expect("a greeting");
    assert_eq!(hello["recent"][0]["events"], report["events"]);
}

#[test]
fn rows_have_columns_and_events_their_places() {
    let walk = Walk::new();
    let lines = b"{\"ts\":\"2026-03-01T14:00:00Z\",\"level\":\"info\",\"status\":200,\"size\":200}
{\"ts\":\"2026-03-01T14:00:01Z\",\"level\":\"error\",\"status\":500}
{\"ts\":\"2026-03-01T14:00:02Z\",\"level\":\"info\",\"status\":200}
";
    let (case, _) = walk.imported(&walk.file("app.jsonl", lines));
    let all = view(&case, "");
    let asked =
        json!({ "view": all, "order": "newestFirst", "first": 0, "count": 9, "columns": ["status", "size"] });
    let page = walk.ask("page", asked).expect("a page");
    assert_eq!(page["rows"][2]["values"], json!(["200", "200"]));
    assert_eq!(page["rows"][0]["values"], json!(["200", null]));
    let sorted = json!({ "view": all, "field": "status", "descending": true, "first": 0, "count": 1, "columns": ["status"] });
    assert_eq!(walk.ask("sortedPage", sorted).expect("a page")["rows"][0]["values"], json!(["500"]));

    let fields = walk.ask("fields", json!({ "path": case })).expect("fields");
    let status =
        json!({ "name": "status", "kinds": ["int"], "ecs": "http.response.status_code", "present": 3 });
    assert!(fields["fields"].as_array().is_some_and(|fields| fields.contains(&status)));

    let id = &page["rows"][2]["id"];
    let seek =
        json!({ "view": all, "order": "oldestFirst", "from": 0, "backward": false, "wanted": "level:error" });
    assert_eq!(walk.ask("seek", seek).expect("a row"), json!({ "row": 1 }));
    let strip =
        json!({ "view": all, "order": "newestFirst", "cells": 3, "marks": ["level:error", "status:200"] });
    let strip = walk.ask("strip", strip).expect("a strip");
    assert_eq!(strip["counts"], json!([[0, 1, 0], [1, 0, 1]]));
    let locate = json!({ "view": all, "order": "newestFirst", "time": "0", "event": id });
    assert_eq!(walk.ask("locate", locate).expect("a place"), json!({ "row": 2 }));
    let around = json!({ "case": case, "id": id, "around": { "kind": "file" }, "before": 1, "after": 1, "columns": ["status"] });
    let around = walk.ask("context", around).expect("a context");
    assert_eq!((&around["before"], &around["after"][0]["values"]), (&json!([]), &json!(["500"])));

    let event =
        walk.ask("events", json!({ "case": case, "ids": [id] })).expect("events")["events"][0].clone();
    assert_eq!(event, walk.ask("event", json!({ "case": case, "id": id })).expect("an event"));
    let fields = event["fields"].as_array().expect("fields");
    let status = fields.iter().find(|field| field["name"] == "status").expect("a status");
    assert_eq!(status["ecs"], "http.response.status_code");
    let pieces = event["pieces"].as_array().expect("pieces");
    let written: String = pieces.iter().map(|piece| piece["text"].as_str().expect("a text")).collect();
    assert_eq!(event["text"], written.as_str());
    let of = |field: &str| pieces.iter().position(|piece| piece["field"] == field);
    assert!(of("status").is_some() && of("status") < of("size"));
    assert!(event["hex"].as_str().is_some_and(|hex| hex.starts_with("7b2274")));
}

#[test]
fn calculations_cross_in_both_directions() {
    let walk = Walk::new();
    let line = |n: u32| {
        let (level, status) = if n.is_multiple_of(4) { ("error", 500) } else { ("info", 200) };
        let time = format!("2026-03-01T14:{n:02}:00Z");
        let trace = format!("t{}", n % 5);
        json!({ "ts": time, "level": level, "status": status, "took": f64::from(n) + 0.5, "trace": trace })
    };
    let lines: Vec<String> = (0..40).map(|n| line(n).to_string() + "\n").collect();
    let lines = lines.concat();
    let (case, _) = walk.imported(&walk.file("app.jsonl", lines.as_bytes()));
    let all = view(&case, "");
    let daily = json!({ "kind": "calendar", "count": 1, "unit": "day" });
    let daily = json!({ "kind": "time", "interval": daily, "zone": "Asia/Kolkata" });
    let by_status = json!({ "kind": "terms", "field": "status", "top": 1, "order": "most" });
    let measures = json!([{ "kind": "percentiles", "field": "took", "at": [50, 95] }, { "kind": "first", "field": "trace" }]);
    let answer = walk
        .ask("aggregate", json!({ "view": all, "by": [daily, by_status], "measures": measures }))
        .expect("an answer");
    assert_eq!(answer["axes"][0]["edges"], json!(["1772303400000000000", "1772389800000000000"]));
    assert_eq!(answer["counts"], json!([30, 10, 0]));
    assert_eq!(answer["axes"][1]["values"][0], json!({ "kind": "int", "text": "200", "number": 200.0 }));
    assert_eq!(answer["measured"][0]["name"], "p50(took)");
    assert_eq!(answer["measured"][0]["values"], json!([20.5, 18.5, null]));
    assert_eq!(answer["measured"][2]["texts"], json!(["t1", "t0", null]));

    let facets =
        walk.ask("facets", json!({ "view": all, "fields": [], "top": 2, "buckets": 10 })).expect("facets");
    let took = facets["fields"].as_array().expect("fields").iter().find(|facet| facet["field"] == "took");
    assert_eq!(took.expect("took")["numbers"]["greatest"], 39.5);

    let request = json!({ "view": all, "field": "took", "descending": true, "first": 1, "count": 2 });
    let page = walk.ask("sortedPage", request).expect("a page");
    assert_eq!((&page["total"], page["rows"].as_array().map(Vec::len)), (&json!(40), Some(2)));
    assert!(page["rows"][0]["text"].as_str().is_some_and(|text| text.contains("38.5")));

    let either = view(&case, "info OR (error t3)");
    let request = json!({ "view": either, "field": "relevance", "descending": true, "first": 0, "count": 3 });
    let best = walk.ask("sortedPage", request).expect("a page");
    let lines = best["rows"].as_array().expect("rows").iter().map(|row| row["line"].clone());
    assert_eq!(lines.collect::<Vec<_>>(), [9, 29, 4], "errors of t3 match best, then what else has t3");

    let around = json!({ "kind": "sharing", "field": "trace" });
    let request =
        json!({ "case": case, "id": page["rows"][0]["id"], "around": around, "before": 1, "after": 5 });
    let context = walk.ask("context", request).expect("a context");
    assert!(context["before"][0]["text"].as_str().is_some_and(|text| text.contains("33.5")));
    assert_eq!(context["after"], json!([]));

    let trails = walk.ask("follow", json!({ "case": case, "value": "t3" })).expect("trails");
    assert_eq!((&trails["trails"][0]["field"], &trails["trails"][0]["events"]), (&json!("trace"), &json!(8)));

    let request = json!({ "view": all, "field": "trace", "order": "longest", "most": 2 });
    let found = walk.ask("transactions", request).expect("transactions");
    assert_eq!((&found["total"], &found["shown"][0]["durationNs"]), (&json!(5), &json!("2100000000000")));
    let wrong = json!({ "kind": "terms", "field": "statsu", "top": 1, "order": "most" });
    let error =
        walk.ask("aggregate", json!({ "view": all, "by": [wrong], "measures": [] })).expect_err("no field");
    assert_eq!((error.code, error.hint.as_deref()), (ErrorCode::BadRequest, Some("Did you mean `status`?")));
}

#[test]
fn nanoseconds_cross_as_text() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", b"2026-03-01T14:05:00.123456789Z INFO started\n"));
    let page = json!({ "view": view(&case, ""), "order": "oldestFirst", "first": 0, "count": 1 });
    assert_eq!(walk.ask("page", page).expect("a page")["rows"][0]["time"], "1772373900123456789");
}

#[test]
fn each_bad_input_has_its_own_message_and_hides_nothing() {
    let walk = Walk::new();
    let good = walk.file("app.log", LOG);
    let empty = walk.file("empty.log", b"");
    let binary = walk.file(
        "picture.png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89",
    );
    let missing = walk.folder.path().join("gone.log").to_string_lossy().into_owned();
    let hollow = walk.folder.path().join("hollow");
    std::fs::create_dir(&hollow).expect("a folder");
    let paths = json!([empty, good, binary, missing, hollow.to_string_lossy()]);
    let case = walk.ask("createCase", json!({ "paths": [good] })).expect("a case")["path"].clone();
    let report = walk.ask("import", json!({ "case": case, "paths": paths })).expect("an import");
    assert_eq!(report["events"], 2);
    let problem = |path: &str| {
        let problems = report["problems"].as_array().expect("problems");
        let found =
            problems.iter().find(|problem| problem["path"].as_str().is_some_and(|p| p.ends_with(path)));
        found.unwrap_or_else(|| panic!("{path} is not named in {problems:?}"))["code"].clone()
    };
    assert_eq!(problem("empty.log"), "empty");
    assert_eq!(problem("picture.png"), "binary");
    assert_eq!(problem("gone.log"), "notFound");
    assert_eq!(problem("hollow"), "noLogs");
}

#[test]
fn query_error_has_a_span_and_a_suggestion() {
    let walk = Walk::new();
    let (case, _) =
        walk.imported(&walk.file("app.jsonl", b"{\"ts\":\"2026-03-01T14:05:00Z\",\"status\":500}\n"));
    let ask = |query: &str| walk.ask("timeline", json!({ "view": view(&case, query), "buckets": 10 }));
    let error = ask("sttaus:500").expect_err("no such field");
    assert_eq!((error.code, error.span), (ErrorCode::QueryInvalid, Some((0, 6))));
    assert!(error.hint.is_some_and(|hint| hint.contains("`status`")), "{}", error.message);
    assert_eq!(ask("(a").expect_err("an open parenthesis").span, Some((0, 1)));
    assert_eq!(ask("status:500").expect("a timeline")["total"], 1);
}

#[test]
fn second_writer_is_refused_and_may_read() {
    let walk = Walk::new();
    let log = walk.file("app.log", LOG);
    let (case, _) = walk.imported(&log);
    let lock =
        std::fs::File::options().write(true).open(Path::new(&case).join("case.lock")).expect("the lock file");
    lock.lock().expect("the lock");
    let error = walk.ask("import", json!({ "case": case, "paths": [log] })).expect_err("it is locked");
    assert_eq!(error.code, ErrorCode::CaseLocked);
    let summary = walk.ask("openCase", json!({ "path": case })).expect("it can be read");
    assert!(summary["readOnly"].as_str().is_some_and(|reason| reason.contains("written by another")));
    assert_eq!(summary["events"], 2);
}

#[test]
fn folder_without_a_case_is_refused() {
    let walk = Walk::new();
    let folder = walk.folder.path().to_string_lossy().into_owned();
    assert_eq!(
        walk.ask("openCase", json!({ "path": folder })).expect_err("no case").code,
        ErrorCode::CaseDamaged
    );
    let gone = walk.folder.path().join("gone.case").to_string_lossy().into_owned();
    assert_eq!(walk.ask("openCase", json!({ "path": gone })).expect_err("no case").code, ErrorCode::NotFound);
    let newer = walk.folder.path().join("newer.case");
    std::fs::create_dir(&newer).expect("a folder");
    std::fs::write(newer.join("case.json"), "{\"format\":999}").expect("a manifest");
    let newer = newer.to_string_lossy().into_owned();
    assert_eq!(
        walk.ask("openCase", json!({ "path": newer })).expect_err("too new").code,
        ErrorCode::CaseTooNew
    );
}

#[test]
fn cancel_keeps_what_had_landed() {
    let walk = Walk::new();
    let log = walk.file("long.log", &LOG.repeat(1_500_000));
    let case = walk.ask("createCase", json!({ "paths": [log] })).expect("a case")["path"].clone();
    let report = walk
        .ask_with("import", json!({ "case": case, "paths": [log] }), |progress| {
            if progress["events"].as_u64() > Some(0) {
                walk.session.cancel("call");
            }
        })
        .expect("an import that was stopped");
    assert_eq!(report["cancelled"], true);
    let kept = report["case"]["events"].as_u64().expect("a count");
    assert!(kept > 0 && kept < 4_500_000, "{kept}");
    assert_eq!(report["problems"][0]["code"], "cancelled");
}

#[test]
fn a_query_is_checked_and_completed() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("a.log", LOG));
    let check = |query: &str| {
        walk.ask("check", json!({ "case": case, "query": query, "kql": false })).expect("a check")
    };
    let right = check("level>=warning connection");
    assert_eq!(right["printed"], "level>=warning AND connection");
    assert_eq!(right["diagnostics"], json!([]));
    assert_eq!(right["words"][0], json!({ "class": "field", "start": 0, "end": 5 }));
    let wrong = check("levle:error AND time>soon |");
    let listed: Vec<_> =
        wrong["diagnostics"].as_array().expect("a list").iter().map(|one| one["start"].clone()).collect();
    assert_eq!(listed, [0, 16, 27]);
    assert_eq!(wrong["diagnostics"][0]["replacement"], "level");
    assert_eq!(wrong["diagnostics"][0]["message"], "No field `levle`.");
    assert!(wrong["printed"].is_null());
    let piped = check("error -host:a | stats count");
    assert_eq!(piped["filter"], "error -host:a");
    assert_eq!(piped["clauses"][1], json!({ "text": "NOT host:a", "isNegated": true }));
    assert_eq!(piped["stages"], json!([{ "start": 16, "end": 27 }]));
    let complete = |query: &str| {
        let args = json!({ "case": case, "query": query, "cursor": query.len() });
        walk.ask("complete", args).expect("a completion")
    };
    let found = complete("source:a");
    assert_eq!(found["suggestions"][0]["insert"], "a.log");
    assert_eq!(found["suggestions"][0]["count"], 2);
    let unknown = |query: &str| {
        let args = json!({ "case": case, "query": query });
        walk.ask("unknownWords", args).expect("the words that are not there")["words"].clone()
    };
    let near = json!({ "word": "connection", "events": 1, "query": "level:warn connection | stats count" });
    assert_eq!(
        unknown("level:warn Conection | stats count"),
        json!([{ "word": "Conection", "start": 11, "end": 20, "nearest": [near] }])
    );
    assert_eq!(unknown("connection -conection"), json!([]));
    let found = complete("CONN");
    let word =
        json!({ "kind": "word", "label": "connection", "insert": "connection", "detail": "", "count": 1 });
    assert_eq!(found["suggestions"], json!([word]));
    assert_eq!(complete("error | st")["suggestions"][0]["insert"], "stats ");
}

#[test]
fn clauses_are_changed_and_written_times_are_read() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("a.log", LOG));
    let edit = |query: &str, edit: serde_json::Value| {
        walk.ask("edit", json!({ "case": case, "query": query, "edit": edit }))
    };
    let added = edit("a OR b | sort -time", json!({ "kind": "add", "clause": "level=\"warn\"" }));
    assert_eq!(added.expect("a query")["query"], "(a OR b) AND level=warn | sort -time");
    let turned = edit("a b", json!({ "kind": "turn", "at": 1 }));
    assert_eq!(turned.expect("a query")["query"], "a AND NOT b");
    let refused = edit("a )", json!({ "kind": "remove", "at": 0 })).expect_err("a mistake");
    assert_eq!((refused.code, refused.span), (ErrorCode::QueryInvalid, Some((2, 3))));

    let stretch = |from: &str, to: Option<&str>, zone: &str| {
        walk.ask("stretch", json!({ "case": case, "from": from, "to": to, "zone": zone }))
    };
    let day = stretch("2024-05-01", None, "Europe/Berlin").expect("a day");
    assert_eq!(day, json!({ "from": "1714514400000000000", "to": "1714600800000000000" }));
    // What is only before a time begins with the data.
    let first = stretch("time<2026-03-01T14:05:01Z", None, "UTC").expect("a second");
    assert_eq!(first, json!({ "from": "1772373900000000000", "to": "1772373901000000000" }));
    for (from, to) in [
        ("soon", None),
        ("now-1h", Some("soon")),
        ("now", Some("now-1h")),
        ("time<2020", None),
        ("time>2099", None),
    ] {
        let refused = stretch(from, to, "UTC").expect_err("no time");
        assert_eq!(refused.code, ErrorCode::QueryInvalid, "{from} {to:?}");
    }
    assert_eq!(stretch("now", None, "Nowhere").expect_err("no zone").code, ErrorCode::BadRequest);
}

#[test]
fn templates_are_listed_filtered_by_and_explained() {
    let walk = Walk::new();
    let line = |n: u32| format!("2026-03-01T14:05:{n:02}Z INFO job {n} took {} ms\n", n * 10);
    let lines = (0..20).map(line).collect::<Vec<_>>().concat();
    let (case, _) = walk.imported(&walk.file("a.log", lines.as_bytes()));
    let ask = |query: &str, variables: Value| {
        walk.ask(
            "patterns",
            json!({
                "view": view(&case, query), "granularity": "template", "limit": 100, "buckets": 10,
                "examples": 1, "compare": false, "variables": variables, "values": 3,
            }),
        )
    };
    let listed = ask("", json!([])).expect("a list");
    let only = &listed["patterns"][0];
    assert_eq!(only["text"], "job <num> took <duration>");
    assert_eq!((&only["count"], &only["levels"]), (&json!(20), &json!([{ "level": "info", "count": 20 }])));
    assert_eq!((&listed["fraction"], &listed["total"]), (&json!(1.0), &json!(20)));
    let id = only["id"].as_str().expect("an id");
    let listed = ask(&format!("template:{id}"), json!([id])).expect("a list");
    let variables = &listed["patterns"][0]["variables"];
    assert_eq!((&variables[0]["distinct"], &variables[1]["max"]), (&json!(20), &json!(190.0)));
    assert_eq!(ask(&format!("NOT template:{id}"), json!([])).expect("a list")["total"], 0);
    assert_eq!(ask("", json!(["nonsense"])).map_err(|error| error.code), Err(ErrorCode::BadRequest));
}

#[test]
fn patterns_over_time_names_of_ids_and_service_maps_cross_the_boundary() {
    let walk = Walk::new();
    let line = |n: u32| {
        let service = ["gateway", "shop"][n as usize % 2];
        format!(
            "{{\"time\":\"2026-03-01T14:05:{n:02}Z\",\"service\":\"{service}\",\"trace_id\":\"{:08x}\",\"message\":\"job {n} done\"}}\n",
            0xabc_0000 + n / 2
        )
    };
    let lines = (0..40).map(line).collect::<Vec<_>>().concat();
    let (case, _) = walk.imported(&walk.file("a.ndjson", lines.as_bytes()));
    let request = json!({ "view": view(&case, ""), "granularity": "template", "rows": 500, "bins": 60 });
    let seen = walk.ask("seismograph", request).expect("a seismograph");
    assert_eq!((&seen["rows"][0]["text"], &seen["rows"][0]["count"]), (&json!("job <num> done"), &json!(40)));
    assert_eq!(seen["rows"][0]["counts"].as_array().map(Vec::len), seen["all"].as_array().map(Vec::len));
    assert_eq!(seen["rows"][0]["normal"]["spread"], json!(1.0));

    let request =
        |node: &str| json!({ "view": view(&case, ""), "id": "trace_id", "linked": true, "node": node });
    let map = walk.ask("serviceMap", request("service")).expect("a map");
    assert_eq!(map["places"], json!([{ "kind": "field", "name": "trace_id" }]));
    let edge =
        json!({ "from": 0, "to": 1, "count": 20, "p50Ns": "1000000000", "p95Ns": "1000000000", "errors": 0 });
    assert_eq!((&map["edges"], &map["ids"]), (&json!([edge]), &json!(20)));
    assert_eq!(map["nodes"][0]["name"], json!("gateway"));
    let unknown = walk.ask("serviceMap", request("servise")).expect_err("no such field");
    assert_eq!(unknown.code, ErrorCode::BadRequest);

    let linked = |value: &str, only_known: bool| {
        walk.ask("linked", json!({ "case": case, "value": value, "onlyKnown": only_known }))
    };
    // The map has looked for links, so they are known; this case has none.
    let none = json!({ "ids": [], "query": "", "events": 0 });
    assert_eq!(linked("0abc0001", true).expect("an answer"), none);
    assert_eq!(linked("0abc0001", false).expect("an answer"), none);
}

#[test]
fn files_of_the_screen_are_written_whole_or_not_at_all() {
    let walk = Walk::new();
    let path = walk.folder.path().join("chart.svg");
    let written = |path: &Path, content: Value| {
        walk.ask("write", json!({ "path": path.to_string_lossy(), "content": content }))
    };
    written(&path, json!({ "kind": "text", "text": "<svg>größe</svg>" })).expect("a file");
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "<svg>größe</svg>");
    written(&path, json!({ "kind": "bytes", "bytes": [137, 80, 78, 71] })).expect("a file");
    assert_eq!(std::fs::read(&path).expect("the file"), [137, 80, 78, 71]);

    let nowhere = walk.folder.path().join("nowhere").join("chart.svg");
    let error = written(&nowhere, json!({ "kind": "text", "text": "" })).expect_err("no such folder");
    assert_eq!(error.path.as_deref(), nowhere.to_str());
    let error =
        written(Path::new("chart.svg"), json!({ "kind": "text", "text": "" })).expect_err("no whole path");
    assert_eq!(error.code, ErrorCode::BadRequest);
    let left = std::fs::read_dir(walk.folder.path()).expect("the folder").flatten();
    let left: Vec<_> = left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn notes_of_one_window_appear_in_another() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", LOG));
    let other = Session::new(Start::browser(walk.folder.path().join("home")));
    let list = |session: &Session, since: Value| {
        let message = json!({ "command": "notes", "args": { "case": case, "since": since } });
        let command = serde_json::from_value(message).expect("a command");
        session.dispatch("list", command, |_| {}).expect("notes")
    };
    let nothing = list(&other, Value::Null);
    assert_eq!((&nothing["notes"], &nothing["readOnly"]), (&json!([]), &Value::Null));
    let event = json!({ "source": 0, "offset": 34 });
    let star = json!({ "kind": "star", "id": "0:34", "event": event });
    let marker = json!({ "kind": "marker", "id": "m1", "from": "1772373901000000000", "text": "it broke", "data": { "colour": 2 } });
    let put = walk.ask("changeNotes", json!({ "case": case, "put": [star, marker] })).expect("a change");
    assert_eq!(put["conflicts"], json!([]));
    assert_eq!(put["made"]["notes"][1]["to"], "1772373901000000000", "a moment is a range to itself");
    let seen = list(&other, nothing["mark"].clone());
    assert_eq!(seen["notes"].as_array().map(Vec::len), Some(2));
    assert_eq!(seen["notes"][1]["event"], event);
    let page = json!({ "kind": "page", "id": "p", "known": 0, "text": "# Found" });
    walk.ask("changeNotes", json!({ "case": case, "put": [page] })).expect("a change");
    let again = walk.ask("changeNotes", json!({ "case": case, "put": [page] })).expect("an answer");
    assert_eq!(
        (&again["made"], &again["conflicts"][0]["current"]["text"]),
        (&Value::Null, &json!("# Found"))
    );
    let gone = json!([{ "kind": "star", "id": "0:34" }]);
    walk.ask("changeNotes", json!({ "case": case, "remove": gone })).expect("a change");
    let later = list(&other, seen["mark"].clone());
    assert_eq!((&later["whole"], &later["removed"]), (&json!(false), &gone));
    let nameless = json!([{ "kind": "tag", "id": "t", "event": event }]);
    let error = walk.ask("changeNotes", json!({ "case": case, "put": nameless })).expect_err("no text");
    assert_eq!(error.code, ErrorCode::BadRequest);

    let places = json!([event, { "source": 0, "offset": 40 }, { "source": 7, "offset": 0 }]);
    let found = walk.ask("evidence", json!({ "case": case, "events": places })).expect("evidence");
    assert_eq!(found["events"][0]["row"]["line"], 2);
    // Of `2026-03-01T14:05:01Z ERROR lost connection` and the line after it, as sha256sum tells it.
    assert_eq!(found["events"][0]["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(found["events"][1]["row"]["id"], event, "a byte inside an event is of that event");
    assert_eq!(found["events"][2], Value::Null);
}

#[test]
fn page_is_parsed_and_notebook_is_exported() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", LOG));
    let text = "# Found\n\n```query rows=1\nlevel:error\n```\n\n```event\n0@34 this one\n```\n\n<b>x</b>";
    let read = walk.ask("markdown", json!({ "text": text })).expect("a page");
    assert_eq!((&read["nodes"][0]["kind"], &read["nodes"][0]["level"]), (&json!("heading"), &json!(1)));
    assert_eq!(read["nodes"][1]["cell"]["query"], "level:error");
    assert_eq!(read["nodes"][2]["cell"]["events"][0]["id"], json!({ "source": 0, "offset": 34 }));
    let page = json!({ "kind": "page", "id": "p", "text": text, "data": { "title": "Found" } });
    walk.ask("changeNotes", json!({ "case": case, "put": [page] })).expect("a change");
    let ask = |format: &str, path: Value| {
        walk.ask(
            "exportNotes",
            json!({ "case": case, "pages": null, "format": format, "zone": null, "path": path }),
        )
    };
    let html = ask("html", Value::Null).expect("a file");
    let html = html["text"].as_str().expect("its text");
    assert!(html.contains("lost connection") && html.contains("&lt;b&gt;x") && !html.contains("<script"));
    let file = walk.folder.path().join("notes.md");
    let written = ask("markdown", json!(file.to_string_lossy())).expect("a file");
    assert_eq!(written["text"], Value::Null);
    let markdown = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(written["bytes"], markdown.len());
    assert!(markdown.contains("```query rows=1\nlevel:error\n```") && markdown.contains("SHA-256"));
    assert_eq!(ask("html", json!("notes.html")).map_err(|error| error.code), Err(ErrorCode::BadRequest));
}

#[test]
fn later_window_shows_the_running_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("app.log");
    std::fs::write(&log, "2026-03-01T14:05:00Z started\n").expect("a log");
    let start = Start::browser(folder.path().join("home")).with_paths(vec![log.clone()]);
    let walk = Walk { session: Session::new(start), folder };
    let paths = json!([log.to_string_lossy()]);
    let hello = || walk.ask("hello", json!({})).expect("a greeting");
    assert_eq!((&hello()["paths"], &hello()["case"]), (&paths, &json!(null)));
    let (other, _) = walk.imported(&walk.file("other.log", b"2026-03-01T14:05:00Z other\n"));
    assert_eq!(hello()["paths"], paths);
    let (case, _) = walk.imported(&log.to_string_lossy());
    assert_ne!(case, other);
    assert_eq!((&hello()["paths"], &hello()["case"]), (&json!([]), &json!(case)));
    std::fs::remove_dir_all(&case).expect("it can be removed");
    assert_eq!((&hello()["paths"], &hello()["case"]), (&paths, &json!(null)));
}

#[test]
fn table_call_accepts_sql() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("app.log", LOG));
    let ask = |text: &str, first: u64| {
        walk.ask("run", json!({ "view": view(&case, text), "zone": null, "first": first, "count": 1 }))
    };
    let text =
        "SELECT level, count(*) AS n FROM events WHERE level IS NOT NULL GROUP BY level ORDER BY level";
    let page = ask(text, 1).expect("a table");
    assert_eq!(
        page["columns"],
        json!([{ "name": "level", "kind": "level" }, { "name": "n", "kind": "int" }])
    );
    assert_eq!((&page["total"], &page["rows"]), (&json!(2), &json!([["error", 1]])));
    // A query of the language may begin with the word.
    assert!(ask("select | stats count", 0).is_ok_and(|page| page["rows"] == json!([[0]])));
    let error = ask("SELECT levl FROM events", 0).expect_err("a mistake");
    assert_eq!((error.code, error.span), (ErrorCode::QueryInvalid, Some((7, 11))));
}
