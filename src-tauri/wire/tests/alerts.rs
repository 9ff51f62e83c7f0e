//! The inbox of alerts as a screen asks for it: listed, decided about, undone, exported.

use crate::walk::Walk;
use serde_json::{Value, json};

const MANY: &str =
    "[[detector]]\nname = \"many\"\nby = [\"host\"]\nthreshold = { above = 3, every = \"1m\" }\n";

/// Each of two hosts has ten events in the first and the third minute.
fn log() -> Vec<u8> {
    let line = |minute: usize, host: usize, second: usize| {
        format!("{{\"time\":\"2026-03-01T14:{minute:02}:{second:02}Z\",\"host\":\"web-{host}\"}}\n")
    };
    let minutes = [(0, 10), (1, 1), (2, 10), (3, 1)];
    let all = minutes.into_iter().flat_map(|(minute, count)| (0..count).map(move |second| (minute, second)));
    let lines = all.flat_map(|(minute, second)| [1, 2].map(|host| line(minute, host, second)));
    lines.collect::<String>().into_bytes()
}

fn filter(statuses: &[&str]) -> Value {
    json!({
        "text": "many", "statuses": statuses, "severities": [], "origins": [], "detector": null, "entity": null,
        "from": null, "to": null
    })
}

fn list(walk: &Walk, case: &str, statuses: &[&str]) -> Value {
    let asked = json!({
        "case": case, "filter": filter(statuses), "sort": "time", "descending": true, "grouping": "none",
        "unfolded": [], "zone": null, "first": 0, "count": 50, "selected": null
    });
    walk.ask("alerts", asked).expect("a list")
}

#[test]
fn alerts_of_a_run_are_listed_decided_about_and_exported() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &log()));
    let note = json!({ "kind": "detector", "id": "d1", "text": MANY, "known": 0 });
    walk.ask("changeNotes", json!({ "case": case, "put": [note] })).expect("saved");
    assert_eq!(list(&walk, &case, &[])["total"], 0, "nothing has run yet");
    walk.ask("runDetectors", json!({ "case": case })).expect("runs");
    let all = list(&walk, &case, &[]);
    assert_eq!((&all["matching"], &all["statuses"]["new"]), (&json!(4), &json!(4)), "{all}");
    let first = &all["lines"][0]["alert"];
    assert_eq!((&first["origin"], &first["status"]), (&json!("detector"), &json!("new")));
    let start = |line: usize| -> i64 {
        let start = &all["lines"][line]["alert"]["alert"]["start"];
        start.as_str().expect("a time").parse().expect("nanoseconds")
    };
    assert!(start(0) > start(3), "the newest is first: {all}");

    let decision = |id: &str, alerts: Value, verb: &str| {
        json!({ "case": case, "id": id, "alerts": alerts, "verb": verb, "reason": "falsePositive", "until": null,
            "text": "the scanner" })
    };
    let open = list(&walk, &case, &["new"]);
    let keys = json!({ "keys": [{ "key": first["key"], "events": first["alert"]["events"] }] });
    assert_eq!(walk.ask("triage", decision("a", keys, "close")).expect("a decision")["alerts"], 1);
    let rest = |seen: &Value| {
        let (expected, digest) = (&seen["matching"], &seen["digest"]);
        json!({ "matching": { "filter": filter(&["new"]), "expected": expected, "digest": digest } })
    };
    let refused = walk.ask("triage", decision("b", rest(&open), "acknowledge")).expect_err("one is closed");
    assert!(refused.message.contains("3 alerts match now, not the 4"), "{refused:?}");
    let open = list(&walk, &case, &["new"]);
    assert_eq!(open["matching"], 3, "nothing was changed");
    assert_eq!(
        walk.ask("triage", decision("b", rest(&open), "acknowledge")).expect("a decision")["alerts"],
        3
    );
    let closed = list(&walk, &case, &["closed"]);
    assert_eq!((&closed["matching"], &closed["statuses"]["acknowledged"]), (&json!(1), &json!(3)));
    assert_eq!(closed["lines"][0]["alert"]["history"][0]["text"], "the scanner");
    let flags = walk.ask("alertFlags", json!({ "path": case })).expect("flags");
    assert_eq!((&flags["counts"]["closed"], &flags["flags"]), (&json!(1), &json!([])), "{flags}");

    let notes = walk.ask("notes", json!({ "case": case, "since": null })).expect("notes");
    let triage = notes["notes"].as_array().expect("notes").iter().find(|note| note["kind"] == "triage");
    assert_eq!(triage.expect("a decision is a note")["data"], Value::Null, "its alerts stay in the engine");

    walk.ask("undoTriage", json!({ "case": case, "id": "b", "undone": true })).expect("undone");
    assert_eq!(list(&walk, &case, &["new"])["matching"], 3);
    let export = |format: &str| {
        let asked = json!({ "case": case, "filter": filter(&[]), "format": format, "path": null });
        walk.ask("exportAlerts", asked).expect("a text")["text"].as_str().expect("a text").to_owned()
    };
    assert_eq!((export("ndjson").lines().count(), export("csv").lines().count()), (4, 5));
    assert!(export("sarif").contains("\"justification\": \"false positive: the scanner\""));

    walk.ask("changeNotes", json!({ "case": case, "remove": [{ "kind": "detector", "id": "d1" }] }))
        .expect("removed");
    walk.ask("runDetectors", json!({ "case": case })).expect("runs");
    let kept = list(&walk, &case, &[]);
    assert_eq!(
        (&kept["matching"], &kept["lines"][0]["alert"]["gone"]),
        (&json!(1), &json!("detector")),
        "{kept}"
    );
}
