//! Detectors as a screen asks for them: listed, kept in a case, run over its events, and tried at other levels.

use std::cell::RefCell;

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::ErrorCode;

/// A minute of requests has ten events, in three minutes sixty, and half of these fail.
fn busy_log() -> Vec<u8> {
    let minute = |minute: usize| {
        let count = if (60..63).contains(&minute) || minute == 100 { 60 } else { 10 };
        (0..count).map(move |index| {
            let status = if count == 60 && index % 2 == 0 { 500 } else { 200 };
            let (hour, minute, second) = (14 + minute / 60, minute % 60, index * 60 / count);
            format!("{{\"time\":\"2026-03-01T{hour:02}:{minute:02}:{second:02}Z\",\"status\":{status},\"app\":\"web\"}}\n")
        })
    };
    (0..120).flat_map(minute).collect::<String>().into_bytes()
}

const BUSY: &str = "# Requests a minute.\n[[detector]]\nname = \"busy\"\ntitle = \"Many requests\"\nseverity = \"high\"\n\
    query = \"app:web\"\nthreshold = { above = 30, clear = 20, every = \"1m\" } # as it was in March\n";

fn back_test(case: &str, text: &str) -> Value {
    json!({ "case": case, "text": text, "name": "busy", "slots": 120, "truth": [], "suggest": false, "within": null })
}

#[test]
fn detectors_are_listed_kept_in_the_case_and_run() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let list = || walk.ask("detectors", json!({ "path": case })).expect("a list");
    let names = |list: &Value| -> Vec<String> {
        let all = list["detectors"].as_array().expect("detectors");
        all.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    let starter = list();
    assert_eq!((names(&starter).len(), &starter["problems"]), (26, &json!([])));
    let ratio = &starter["detectors"][0];
    assert_eq!((&ratio["name"], &ratio["own"]), (&json!("starter.error-ratio"), &json!(false)));
    let text = ratio["text"].as_str().expect("a text");
    let read = walk.ask("readDetectors", json!({ "case": case, "text": text })).expect("read");
    assert_eq!(names(&read), ["starter.error-ratio"], "the text is of this detector alone: {text}");

    let note = json!({ "kind": "detector", "id": "d1", "text": BUSY, "known": 0 });
    walk.ask("changeNotes", json!({ "case": case, "put": [note] })).expect("saved");
    let own = &list()["detectors"][0];
    assert_eq!((&own["name"], &own["own"], &own["file"]), (&json!("busy"), &json!(true), &json!("d1")));
    assert_eq!(
        own["level"],
        json!({ "kind": "above", "value": 30.0, "clear": 20.0, "up": true, "down": false })
    );

    let seen = RefCell::new(Vec::new());
    let runs = walk
        .ask_with("runDetectors", json!({ "case": case }), |run| seen.borrow_mut().push(run))
        .expect("runs");
    assert_eq!(json!(*seen.borrow()), runs["runs"], "each is reported when it is done");
    let busy = &runs["runs"][0];
    assert_eq!((&busy["name"], &busy["tally"]["alerts"]), (&json!("busy"), &json!(2)));
    assert_eq!(busy["tally"]["firingNs"], "240000000000");
    let alert = &busy["listed"][0];
    assert_eq!(
        (&alert["events"], &alert["value"], &alert["expected"]),
        (&json!(180), &json!(60.0), &json!(30.0))
    );
    let view = json!({ "case": case, "query": alert["query"], "from": null, "to": null });
    let counted = walk.ask("timeline", json!({ "view": view, "buckets": 10 })).expect("its events");
    assert_eq!(counted["total"], 180, "{}", alert["query"]);
    assert_eq!(busy["file"], "d1");
    assert_eq!(busy["verdict"]["outcome"], "fired");
    let said = |name: &str| {
        let all = runs["runs"].as_array().expect("runs");
        all.iter().find(|run| run["name"] == name).expect("it ran")["verdict"].clone()
    };
    let missing = said("starter.latency-p95");
    assert_eq!(
        (&missing["outcome"], &missing["sentence"]),
        (&json!("cannotSay"), &json!("the field `duration_ms` is in no event"))
    );
    assert_eq!(said("starter.disk-full")["outcome"], "quiet");

    let copy = json!({ "kind": "detector", "id": "d2", "text": text.replace("0.05", "0.9"), "known": 0 });
    walk.ask("changeNotes", json!({ "case": case, "put": [copy] })).expect("saved");
    let replaced = list();
    let ratios: Vec<_> = names(&replaced).into_iter().filter(|name| name == "starter.error-ratio").collect();
    assert_eq!(ratios.len(), 1, "the one of the case is meant");
    let again = walk.ask("runDetectors", json!({ "case": case })).expect("runs");
    let count = |runs: &Value, alerts: u64| {
        let is_it = |run: &&Value| run["name"] == "starter.error-ratio" && run["tally"]["alerts"] == alerts;
        runs["runs"].as_array().expect("runs").iter().filter(is_it).count()
    };
    assert_eq!((count(&runs, 1), count(&again, 1), count(&again, 0)), (1, 0, 1));
    let not_applicable = |run: &&Value| run["applicable"] == json!(false);
    assert!(runs["runs"].as_array().expect("runs").iter().any(|run| not_applicable(&run)));
}

#[test]
fn run_stops_where_a_person_stops_it() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let seen = RefCell::new(0);
    let stop = |_| {
        *seen.borrow_mut() += 1;
        walk.session.cancel("call");
    };
    let error = walk.ask_with("runDetectors", json!({ "case": case }), stop).expect_err("it was stopped");
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert!(*seen.borrow() < 26, "{} ran", seen.borrow());
}

#[test]
fn mistakes_of_a_text_have_their_line_and_advice() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let text = BUSY.replace("above = 30", "abov = 30");
    let read = walk.ask("readDetectors", json!({ "case": case, "text": text })).expect("read");
    let problem = &read["problems"][0];
    assert_eq!((&read["detectors"], &problem["line"]), (&json!([]), &json!(7)));
    assert!(problem["hint"].is_string());
    let error = walk.ask("backTest", back_test(&case, &text)).expect_err("a mistake");
    assert!(error.message.starts_with("Line 7: ") && error.hint.is_some(), "{error:?}");
    let error = walk.ask("backTest", back_test(&case, &BUSY.replace("app:web", "ap:web")));
    assert!(error.is_err_and(|error| error.message.contains("ap")), "no such field");
}

#[test]
fn levels_are_tried_on_what_was_read_once() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let bad = json!({ "from": "1772377260000000000", "to": "1772377260000000000" });
    let mut request = back_test(&case, BUSY);
    request["truth"] = json!([bad]);
    let tested = walk.ask("backTest", request).expect("tested");
    assert_eq!(tested["ends"]["from"], "1772373600000000000");
    let high = tested["groups"][0]["high"].as_array().expect("values");
    assert_eq!((high.len(), &high[0], &high[61]), (120, &json!(10.0), &json!(60.0)));
    let tally = &tested["tried"]["tally"];
    assert_eq!((&tally["alerts"], &tally["perDay"]), (&json!(2), &Value::Null), "of two hours");
    let moment = json!({
        "incidents": 1, "found": 1, "rightAlerts": 1, "precision": null, "recall": null,
        "medianDelayNs": "0", "worstDelayNs": "0",
    });
    assert_eq!(tally["truth"], moment);
    let mut request = back_test(&case, BUSY);
    request["truth"] = json!([{ "from": "1772377140000000000", "to": "1772377259999999999" }]);
    let tested_again = walk.ask("backTest", request).expect("tested");
    let longer = json!({
        "incidents": 1, "found": 1, "rightAlerts": 1, "precision": 0.25, "recall": 0.5,
        "medianDelayNs": "119999999999", "worstDelayNs": "119999999999",
    });
    assert_eq!(
        tested_again["tried"]["tally"]["truth"], longer,
        "a minute of four that fired, and of two marked"
    );
    assert_eq!(tested["tried"]["spans"].as_array().map(Vec::len), Some(2));

    let level = |level: f64| {
        let request = json!({ "case": case, "text": BUSY, "name": "busy", "level": level, "slots": 120, "truth": [bad] });
        walk.ask("tryLevel", request).expect("tried")
    };
    let (low, none) = (level(5.0), level(60.0));
    assert_eq!(low["verdict"]["outcome"], "fired");
    assert_eq!(
        (&none["verdict"]["outcome"], &none["verdict"]["sentence"]),
        (&json!("quiet"), &json!("120 bins judged, over 1h59m"))
    );
    assert_eq!((&low["tally"]["alerts"], &none["tally"]["alerts"]), (&json!(1), &json!(0)));
    let missed = &none["tally"]["truth"];
    assert_eq!((&missed["found"], &missed["worstDelayNs"]), (&json!(0), &Value::Null));
    let text = low["text"].as_str().expect("a text");
    assert_eq!(text, BUSY.replace("above = 30, clear = 20", "above = 5, clear = 5"), "the rest stays");

    let mut request = back_test(&case, BUSY);
    request["suggest"] = json!(true);
    request["within"] = json!({ "from": "1772377200000000000", "to": "1772377380000000000" });
    let suggested = walk.ask("backTest", request.clone()).expect("tested");
    assert_eq!(suggested["tried"]["level"]["value"], 57.0, "a little below what is there and elsewhere");
    request["within"] = Value::Null;
    let usual = walk.ask("backTest", request).expect("tested");
    assert_eq!(usual["tried"]["level"]["value"], 15.0, "half more than the median");
}

#[test]
fn the_measure_around_an_alert_is_that_of_its_group() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let text = BUSY.replace("threshold", "by = [\"app\"]\nthreshold");
    let note = json!({ "kind": "detector", "id": "d1", "text": text, "known": 0 });
    walk.ask("changeNotes", json!({ "case": case, "put": [note] })).expect("saved");
    let ask = |detector: &str, group: Value| {
        let around = json!({ "from": "1772377140000000000", "to": "1772377439999999999" });
        let request =
            json!({ "case": case, "detector": detector, "group": group, "around": around, "slots": 5 });
        walk.ask("alertMeasure", request).expect("a measure")
    };
    let measure = ask("busy", json!([["app", "web"]]));
    assert_eq!(measure["groups"][0]["high"], json!([10.0, 60.0, 60.0, 60.0, 10.0]));
    assert_eq!(measure["ends"]["from"], "1772377140000000000");
    assert_eq!((&measure["level"]["value"], &measure["level"]["clear"]), (&json!(30.0), &json!(20.0)));
    let nothing = json!({ "ends": null, "groups": [], "level": null });
    assert_eq!(ask("busy", json!([["app", "mail"]])), nothing, "no such group");
    assert_eq!(ask("busy", json!([["host", "web"]])), nothing, "it was grouped by another field");
    assert_eq!(ask("gone", json!([])), nothing, "no such detector");
    assert_eq!(ask("starter.new-error", json!([])), nothing, "it measures nothing over time");
    assert_eq!(
        ask("starter.5xx-burst", json!([]))["groups"][0]["high"][1],
        30.0,
        "those of the program, too"
    );
}

#[test]
fn rules_of_a_folder_run_and_say_what_is_not_applicable() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    let folder = walk.folder.path().join("rules");
    std::fs::create_dir(&folder).expect("a folder");
    let rule = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    rule(
        "a.yml",
        "title: Windows\nid: w\nlogsource: {product: windows, service: security}\ndetection: {it: {EventID: 1102}, condition: it}\n",
    );
    rule("b.yml", "title: [\n");
    rule(
        "d.yml",
        "title: Blind\nid: blind\nlogsource: {product: jvm, category: application}\ndetection: {it: {nowhere: x}, condition: it}\n",
    );
    rule("c.toml", BUSY);
    let found = walk.ask("runRules", json!({ "case": case, "paths": [folder] })).expect("run");
    assert_eq!((&found["rules"], &found["applicable"]), (&json!(3), &json!(2)));
    let blind = json!([
        { "blindness": "fields", "missing": "nowhere", "rules": 1, "titles": ["Blind"] },
        { "blindness": "source", "missing": "product windows, service security", "rules": 1, "titles": ["Windows"] },
    ]);
    assert_eq!(found["blind"], blind);
    assert_eq!((found["problems"].as_array().map(Vec::len), &found["allProblems"]), (Some(1), &json!(1)));
    assert_eq!((&found["fired"][0]["name"], &found["fired"][0]["alerts"]), (&json!("busy"), &json!(2)));
}

#[test]
fn keys_of_a_detector_are_changed_one_by_one_in_its_text() {
    let walk = Walk::new();
    let change = |name: &str, changes: Value| {
        walk.ask("changeDetector", json!({ "text": BUSY, "name": name, "changes": changes })).expect("keys")
    };
    let same = change("busy", json!([]));
    assert_eq!(same["text"], BUSY);
    assert_eq!(same["keys"][5], json!({ "key": "threshold.above", "value": 30.0, "line": 7 }));
    let changes = json!([
        { "key": "threshold.clear", "value": null, "renamed": null },
        { "key": "by", "value": ["app"], "renamed": null },
    ]);
    let answer = change("busy", changes);
    let text = BUSY.replace(", clear = 20", "") + "by = [\"app\"]\n";
    assert_eq!((&answer["text"], &answer["keys"][0]["value"]), (&json!(text), &json!("busy")));
    let broken =
        walk.ask("changeDetector", json!({ "text": "[[", "name": "a", "changes": [] })).expect("an answer");
    assert_eq!(broken, json!({ "text": "[[", "keys": null }));
}

#[test]
fn detectors_by_service_name_the_field_that_the_service_map_begins_with() {
    let walk = Walk::new();
    let log = "{\"time\":\"2026-03-01T14:00:00Z\",\"service.name\":\"cart\"}\n";
    let (case, _) = walk.imported(&walk.file("cart.jsonl", log.as_bytes()));
    let fields = walk.ask("fields", json!({ "path": case })).expect("fields");
    assert_eq!(fields["service"], json!("service.name"));
    let listed = walk.ask("detectors", json!({ "path": case })).expect("a list");
    let all = listed["detectors"].as_array().expect("a list");
    let surge = all.iter().find(|one| one["name"] == "starter.service-surge").expect("it comes along");
    assert_eq!((&surge["by"], &surge["applicable"]), (&json!(["service.name"]), &json!(true)));
    for text in [&surge["text"], &surge["description"]] {
        let text = text.as_str().expect("a text");
        assert!(text.contains("by the field `service.name`") && !text.contains("{service}"), "{text}");
    }
}

#[test]
fn detector_by_service_does_not_apply_to_a_case_without_a_service() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("web.jsonl", &busy_log()));
    // It leaves the field to the case without saying that it needs it.
    let text = BUSY.to_owned() + "by = [\"{service}\"]\n";
    let note = json!({ "kind": "detector", "id": "d1", "text": text, "known": 0 });
    walk.ask("changeNotes", json!({ "case": case, "put": [note] })).expect("saved");
    let listed = walk.ask("detectors", json!({ "path": case })).expect("a list");
    let runs = walk.ask("runDetectors", json!({ "case": case })).expect("runs");
    let (entry, run) = (&listed["detectors"][0], &runs["runs"][0]);
    assert_eq!((&entry["name"], &run["name"]), (&json!("busy"), &json!("busy")));
    assert_eq!((&entry["applicable"], &run["applicable"]), (&json!(false), &json!(false)));
    let level =
        json!({ "case": case, "text": text, "name": "busy", "slots": 120, "truth": [], "level": 40.0 });
    for (command, request) in [("backTest", back_test(&case, &text)), ("tryLevel", level)] {
        let error = walk.ask(command, request).expect_err("it has no service");
        assert!(error.message.contains("none of the fields that name a service"), "{command}: {error:?}");
        assert!(error.hint.is_some(), "{command}: {error:?}");
    }
}

#[test]
fn a_sigma_rule_names_who_did_what_and_a_filter_of_the_case_leaves_a_value_out() {
    let walk = Walk::new();
    let event = |second: u32, host: &str, name: &str| {
        json!({ "time": format!("2026-03-01T14:00:0{second}Z"), "eventSource": "iam", "eventName": name,
                "hostname": host, "userIdentity": { "userName": "ann" } })
        .to_string()
            + "\n"
    };
    let log =
        [event(0, "a", "CreateUser"), event(1, "a", "CreateUser"), event(2, "b", "CreateUser")].concat();
    let (case, _) = walk.imported(&walk.file("trail.jsonl", log.as_bytes()));
    let file = walk.folder.path().join("rule.yml");
    let rule = "title: User created\nid: made\nlevel: high\ntags: [attack.persistence, attack.t1136]\n\
                logsource: {product: aws, service: cloudtrail}\n\
                detection: {it: {eventName|startswith: create}, condition: it}\n";
    std::fs::write(&file, rule).expect("written");
    let run = || walk.ask("runRules", json!({ "case": case, "paths": [file] })).expect("run");
    let found = run();
    let fired = &found["fired"][0];
    assert_eq!((&fired["events"], &fired["alerts"]), (&json!(3), &json!(2)));
    assert_eq!(fired["entities"][0]["user"], json!({ "field": "userIdentity.userName", "value": "ann" }));
    assert_eq!(fired["listed"][0]["events"], json!(2));
    assert_eq!(
        (&found["coverage"][0]["name"], &found["coverage"][0]["fired"]),
        (&json!("Create Account"), &json!(1))
    );
    let asked = json!({ "case": case, "paths": [file], "file": file, "rule": "made", "entities": fired["entities"][1],
                        "interval": null, "skip": 0, "take": 5 });
    let hits = walk.ask("ruleHits", asked).expect("found");
    assert_eq!((&hits["matches"], &hits["texts"]), (&json!(1), &json!([{ "file": file, "text": rule }])));
    assert_eq!((&hits["most"], &hits["hits"][0]["title"]), (&json!(200), &json!("User created")));
    let parts = json!([{ "text": "Create", "matched": true }, { "text": "User", "matched": false }]);
    assert_eq!(hits["hits"][0]["fields"][0]["parts"], parts);
    let value = json!({ "case": case, "paths": [file], "rule": "made", "field": "hostname", "value": "a" });
    let filter = walk.ask("excludeValue", value.clone()).expect("a filter");
    let put = json!([{ "kind": "sigmafilter", "id": "1", "text": filter["text"] }]);
    walk.ask("changeNotes", json!({ "case": case, "put": put })).expect("kept");
    let found = run();
    assert_eq!((&found["fired"][0]["events"], &found["filters"]), (&json!(1), &json!(1)));
    let mut gone = value;
    gone["rule"] = json!("nobody");
    assert!(walk.ask("excludeValue", gone).is_err());
}

#[test]
fn matches_of_a_folder_are_those_that_its_filters_leave_and_correlations_have_theirs() {
    let walk = Walk::new();
    let event = |second: u32, who: &str| {
        json!({ "time": format!("2026-03-01T14:00:0{second}Z"), "eventSource": "iam", "eventName": "FailLogin",
                "hostname": "a", "who": who })
        .to_string()
            + "\n"
    };
    let log = [event(0, "ann"), event(1, "bob"), event(2, "ann"), event(3, "bob")].concat();
    let (case, _) = walk.imported(&walk.file("trail.jsonl", log.as_bytes()));
    let folder = walk.folder.path().join("rules");
    std::fs::create_dir(&folder).expect("a folder");
    let file = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("written");
        file
    };
    let rule = file(
        "a.yml",
        "title: Failed\nid: failed\ntags: [attack.credential-access, attack.t1110]\nlogsource: {product: aws, service: cloudtrail}\n\
         detection: {it: {eventName|startswith: fail}, condition: it}\n",
    );
    let many = file(
        "b.yml",
        "title: Many\nid: many\nlevel: high\ndescription: Guessing.\ncorrelation: {type: event_count, rules: [failed], \
         group-by: [who], timespan: 1m, generate: true, condition: {gte: 2}}\n",
    );
    file(
        "c.yml",
        "title: n\nlogsource: {product: aws}\nfilter: {rules: [failed], it: {who: bob}, condition: not it}\n",
    );
    let found = walk.ask("runRules", json!({ "case": case, "paths": [folder] })).expect("run");
    let fired = |name: &str| {
        let all = found["fired"].as_array().expect("a list");
        all.iter().find(|rule| rule["name"] == name).expect("it fired").clone()
    };
    let (failed, of_many) = (fired("failed"), fired("many"));
    assert_eq!((&failed["kind"], &failed["events"]), (&json!("rule"), &json!(2)));
    assert_eq!(
        (&of_many["kind"], &of_many["about"]["techniques"]),
        (&json!("correlation"), &json!(["T1110"]))
    );
    assert_eq!(of_many["about"]["description"], "Guessing.");
    let covered = &found["coverage"][0];
    assert_eq!(
        (&covered["technique"], &covered["rules"], &covered["fired"]),
        (&json!("T1110"), &json!(2), &json!(2))
    );
    let ask = |file: &std::path::Path, name: &str, entities: &Value, interval: Value| {
        let asked = json!({ "case": case, "paths": [folder], "file": file, "rule": name, "entities": entities,
                            "interval": interval, "skip": 0, "take": 9 });
        walk.ask("ruleHits", asked).expect("found")
    };
    let hits = ask(&rule, "failed", &failed["entities"][0], Value::Null);
    assert_eq!(hits["matches"], json!(2), "the filter of the other file leaves out bob");
    let alert = &of_many["listed"][0];
    let interval = json!({ "start": alert["start"], "end": alert["end"], "keys": ["ann"] });
    let hits = ask(&many, "many", &Value::Null, interval);
    assert_eq!((&hits["matches"], &hits["hits"][0]["rule"]), (&json!(2), &json!("failed")));
    assert_eq!(hits["hits"][0]["fields"][0]["parts"][0], json!({ "text": "Fail", "matched": true }));
    let files: Vec<&Value> =
        hits["texts"].as_array().expect("texts").iter().map(|text| &text["file"]).collect();
    assert_eq!(files, [&json!(many), &json!(rule)]);
}
