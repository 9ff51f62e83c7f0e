//! Detectors of a case while it receives, as a host walks them.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::walk::Walk;
use serde_json::{Value, json};

const MANY: &str = "[[detector]]\nname = \"many\"\nthreshold = { above = 3 }\n";
const LOST: &str = "[[detector]]\nname = \"lost\"\nquery = \"nowhere:1\"\nthreshold = { above = 3 }\n";

fn append(path: &str, minute: u32, count: u32) {
    let line = |second: u32| format!("2026-03-01T14:{minute:02}:{second:02}Z INFO event {second}\n");
    let text: String = (0..count).map(line).collect();
    let mut file = OpenOptions::new().append(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("it is written");
}

/// Asks until it holds; a test that waits in vain says what there was last.
fn until(walk: &Walk, command: &str, args: &Value, holds: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let answer = walk.ask(command, args.clone()).expect("an answer");
        if holds(&answer) {
            return answer;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{command}: {answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn save(walk: &Walk, case: &str, id: &str, text: &str, known: u32) {
    let note = json!({ "kind": "detector", "id": id, "text": text, "known": known });
    walk.ask("changeNotes", json!({ "case": case, "put": [note] })).expect("saved");
}

#[test]
fn detectors_of_a_case_tell_while_it_receives() {
    let walk = Walk::new();
    let case = walk.ask("createCase", json!({ "paths": ["live"] })).expect("a case");
    let case = case["path"].as_str().expect("a path").to_owned();
    let asked = json!({ "path": case });
    let none = walk.ask("liveAlerts", asked.clone()).expect("an answer");
    assert_eq!((&none["detectors"], &none["alerts"]), (&json!(0), &json!([])), "nothing is received");

    save(&walk, &case, "d1", MANY, 0);
    save(&walk, &case, "d2", LOST, 0);
    let log = walk.file("app.log", b"");
    let follow = json!({ "kind": "follow", "paths": [log] });
    walk.ask("addLive", json!({ "case": case, "source": follow })).expect("a live source");
    append(&log, 1, 6);
    let sent = until(&walk, "liveAlerts", &asked, |sent| sent["alerts"] != json!([]));
    let alert = &sent["alerts"][0];
    assert_eq!(
        (&alert["number"], &alert["state"], &alert["alert"]["detector"], &sent["detectors"]),
        (&json!(1), &json!("firing"), &json!("many"), &json!(2))
    );
    let lost = until(&walk, "liveAlerts", &asked, |sent| sent["problems"] != json!([]));
    assert!(lost["problems"][0]["message"].as_str().is_some_and(|said| said.contains("`lost`")), "{lost}");

    append(&log, 3, 1);
    let over = until(&walk, "liveAlerts", &asked, |sent| sent["alerts"][1]["state"] == "resolved");
    assert_eq!(over["alerts"][1]["id"], alert["id"]);

    // A detector that is saved meanwhile tells of what goes on, and of what comes from then on.
    let every = MANY.replace("many", "every").replace("above = 3", "above = 0");
    save(&walk, &case, "d3", &every, 0);
    let sent = until(&walk, "liveAlerts", &asked, |sent| sent["alerts"].as_array().map_or(0, Vec::len) > 2);
    assert_eq!((&sent["alerts"][2]["alert"]["detector"], &sent["detectors"]), (&json!("every"), &json!(3)));

    // What was sent is not sent again when the case receives again.
    walk.ask("stopLive", asked.clone()).expect("stopped");
    walk.ask("startLive", asked.clone()).expect("started");
    append(&log, 30, 9);
    let sent = until(&walk, "liveAlerts", &asked, |sent| {
        let alerts = sent["alerts"].as_array().expect("a list");
        let is_it = |alert: &&Value| alert["alert"]["detector"] == "many" && alert["state"] == "firing";
        alerts.iter().filter(is_it).count() == 2
    });
    let sent = sent["alerts"].as_array().expect("a list").clone();
    let messages: BTreeSet<String> =
        sent.iter().map(|alert| format!("{} {}", alert["id"], alert["state"])).collect();
    assert_eq!(messages.len(), sent.len(), "{sent:#?}");
}

const RULE: &str = "title: User created\nid: created\nlogsource: {product: aws, service: cloudtrail}\n\
                    detection: {it: {eventName: CreateUser}, condition: it}\n";

#[test]
fn folders_of_rules_and_built_in_detectors_watch_when_they_are_chosen() {
    let walk = Walk::new();
    let case = walk.ask("createCase", json!({ "paths": ["live"] })).expect("a case");
    let case = case["path"].as_str().expect("a path").to_owned();
    let asked = json!({ "path": case });
    let log = walk.file("trail.ndjson", b"");
    let write = |minute: u32, name: &str| {
        let line = format!(
            "{{\"time\":\"2026-03-01T14:{minute:02}:00Z\",\"eventSource\":\"iam\",\"eventName\":\"{name}\"}}\n"
        );
        let mut file = OpenOptions::new().append(true).open(&log).expect("a file");
        file.write_all(line.as_bytes()).expect("it is written");
    };
    let follow = json!({ "kind": "follow", "paths": [log] });
    walk.ask("addLive", json!({ "case": case, "source": follow })).expect("a live source");
    let sets = |sets: Value| walk.ask("watchSets", json!({ "case": case, "sets": sets })).expect("sets");
    assert_eq!(sets(Value::Null), json!({ "starter": false, "rules": [] }));

    let folder = Path::new(&log).with_file_name("rules");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("created.yml"), RULE).expect("a rule");
    let both = json!({ "starter": true, "rules": [folder.to_string_lossy()] });
    assert_eq!(sets(both.clone()), both);
    let watched = until(&walk, "liveAlerts", &asked, |sent| sent["detectors"] != json!(0));
    assert!(watched["detectors"].as_u64().is_some_and(|count| count > 15), "{watched}");
    write(1, "CreateUser");
    let created = |sent: &Value| {
        let alerts = sent["alerts"].as_array().expect("a list");
        alerts.iter().filter(|alert| alert["alert"]["detector"] == "created").count()
    };
    until(&walk, "liveAlerts", &asked, |sent| created(sent) == 1);

    // They are remembered, and nothing of them is evaluated any more when they are taken away.
    assert_eq!(sets(Value::Null), both);
    sets(json!({ "starter": false, "rules": [] }));
    until(&walk, "liveAlerts", &asked, |sent| sent["detectors"] == json!(0));
}
