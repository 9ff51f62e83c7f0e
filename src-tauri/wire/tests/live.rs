//! Live sources as a host walks them: started, paused, remembered, and taking turns with imports.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::{ErrorCode, Session, Start};

fn case_of(walk: &Walk) -> String {
    let case = walk.ask("createCase", json!({ "paths": ["live"] })).expect("a case");
    case["path"].as_str().expect("a path").to_owned()
}

fn line(second: u32) -> String {
    format!("2026-03-01T14:05:{second:02}Z INFO event {second}\n")
}

fn append(path: &str, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("a file");
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

fn has_events(walk: &Walk, case: &str, events: u64) -> Value {
    until(walk, "openCase", &json!({ "path": case }), |answer| answer["events"] == events)
}

fn add(walk: &Walk, case: &str, source: &Value) -> Value {
    walk.ask("addLive", json!({ "case": case, "source": source })).expect("a live source")
}

fn change(walk: &Walk, case: &str, source: u32, change: &str) -> Value {
    let request = json!({ "case": case, "source": source, "change": change });
    walk.ask("changeLive", request).expect("a live source")
}

#[test]
fn followed_file_is_paused_resumed_and_remembered() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let log = walk.file("app.log", line(1).as_bytes());
    let status = add(&walk, &case, &json!({ "kind": "follow", "paths": [log] }));
    assert_eq!(status["sources"][0]["state"], "running");
    has_events(&walk, &case, 1);
    append(&log, &line(2));
    has_events(&walk, &case, 2);

    // A stage is counted when it is over, and then the events are there already.
    let did = |status: &Value, name: &str| {
        let stages = status["stages"].as_array().expect("stages");
        stages.iter().find(|stage| stage["name"] == name).and_then(|stage| stage["batches"].as_u64())
    };
    let status = until(&walk, "live", &json!({ "path": case }), |status| {
        did(status, "indexing") >= Some(2) && did(status, "publishing") >= Some(2)
    });
    let source = &status["sources"][0];
    assert_eq!((&source["received"], &source["accepted"]), (&json!(2), &json!(2)));
    assert_eq!(source["streams"], json!([log]));
    // The events are of March, and arrive today.
    assert!(source["last"].is_string() && source["lagMs"].as_f64() > Some(1000.0), "{source}");
    let (p50, p99) = (source["lagP50Ms"].as_f64(), source["lagP99Ms"].as_f64());
    assert!(p50 > Some(1000.0) && p99 >= p50, "{source}");

    let status = change(&walk, &case, 1, "pause");
    assert_eq!((&status["sources"][0]["state"], &status["isReceiving"]), (&json!("paused"), &json!(false)));
    append(&log, &line(3));
    assert_eq!(change(&walk, &case, 1, "resume")["sources"][0]["state"], "running");
    has_events(&walk, &case, 3);

    // What was received and is not visible yet becomes events when the program ends.
    append(&log, &line(4));
    until(&walk, "live", &json!({ "path": case }), |status| status["sources"][0]["accepted"] == 2);
    walk.session.finish();
    let later = Walk { session: Session::new(Start::browser(walk.folder.path().join("home"))), ..walk };
    let opened = later.ask("openCase", json!({ "path": case })).expect("a case");
    assert_eq!((&opened["events"], &opened["sources"][0]["complete"]), (&json!(4), &json!(true)));
    assert_eq!(later.ask("verify", json!({ "path": case })).expect("a check")["problems"], json!([]));

    let status = later.ask("live", json!({ "path": case })).expect("a status");
    assert_eq!((&status["sources"][0]["state"], &status["isReceiving"]), (&json!("offered"), &json!(false)));
    append(&log, &line(5));
    let status = later.ask("startLive", json!({ "path": case })).expect("a status");
    assert_eq!(status["sources"][0]["state"], "running");
    has_events(&later, &case, 5);
    assert_eq!(change(&later, &case, 1, "remove")["sources"], json!([]));
    assert!(!Path::new(&case).join("live.json").exists());
    later.ask("deleteCase", json!({ "path": case })).expect("it can be deleted");
}

#[test]
fn pattern_in_folders_without_files_is_said_until_there_are_some() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let logs = walk.folder.path().join("logs");
    std::fs::create_dir(&logs).expect("a folder");
    let pattern = logs.join("*/*.log");
    let status = add(&walk, &case, &json!({ "kind": "follow", "paths": [pattern] }));
    let source = &status["sources"][0];
    assert_eq!(
        (&source["state"], &source["error"]["code"]),
        (&json!("running"), &json!("notFound")),
        "{source}"
    );
    std::fs::create_dir(logs.join("web")).expect("a folder");
    append(&logs.join("web/app.log").display().to_string(), &line(1));
    has_events(&walk, &case, 1);
    let status = walk.ask("live", json!({ "path": case })).expect("a status");
    assert_eq!(status["sources"][0]["error"], Value::Null);

    let wrong = json!({ "kind": "follow", "paths": [logs.join("none/*/*.log")] });
    let refused = walk.ask("addLive", json!({ "case": case, "source": wrong })).expect_err("no such folder");
    assert_eq!(refused.code, ErrorCode::NotFound);
}

#[test]
fn import_while_listening_takes_turns() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let status = add(&walk, &case, &json!({ "kind": "syslogTcp", "port": 0 }));
    let port = status["sources"][0]["kind"]["port"].as_u64().expect("a port") as u16;
    assert!(port > 0);
    let mut sender = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let mut number = 0;
    let mut send = |count: u32| {
        for _ in 0..count {
            number += 1;
            writeln!(sender, "<13>Mar  1 14:05:00 host app: message {number}").expect("it is sent");
        }
    };
    send(3);
    has_events(&walk, &case, 3);

    let other = walk.file("other.log", (1..=5).map(line).collect::<String>().as_bytes());
    send(4);
    let report = walk.ask("import", json!({ "case": case, "paths": [other] })).expect("an import");
    assert_eq!((&report["events"], &report["problems"]), (&json!(5), &json!([])));
    send(2);
    has_events(&walk, &case, 14);
    walk.ask("renameCase", json!({ "path": case, "name": "renamed" })).expect("another name");
    send(1);
    let opened = has_events(&walk, &case, 15);
    assert_eq!((&opened["name"], &opened["readOnly"]), (&json!("renamed"), &Value::Null));
    // A source that is being received is not one that was cut off.
    let of_sender = |source: &&Value| source["name"] == "syslog/tcp/127.0.0.1";
    let source = opened["sources"].as_array().and_then(|all| all.iter().find(of_sender)).expect("a source");
    assert_eq!((&source["live"], &source["complete"]), (&json!(true), &json!(false)));

    // For another process the case is read-only meanwhile, and it is said why.
    let reader = Session::new(Start::browser(walk.folder.path().join("other")));
    let ask =
        |command: Value| reader.dispatch("r", serde_json::from_value(command).expect("a command"), |_| {});
    let seen = ask(json!({ "command": "openCase", "args": { "path": case } })).expect("it can be read");
    assert!(seen["readOnly"].is_string(), "{seen}");
    let source = json!({ "kind": "syslogUdp", "port": 0 });
    let refused = ask(json!({ "command": "addLive", "args": { "case": case, "source": source } }));
    assert_eq!(refused.expect_err("one process writes").code, ErrorCode::CaseLocked);

    let stopped = walk.ask("stopLive", json!({ "path": case })).expect("it stops");
    assert_eq!(
        (&stopped["isReceiving"], &stopped["sources"][0]["state"]),
        (&json!(false), &json!("offered"))
    );
    assert_eq!(walk.ask("verify", json!({ "path": case })).expect("a check")["problems"], json!([]));
}

#[test]
fn sources_are_counted_by_themselves() {
    let walk = Walk::new();
    let case = case_of(&walk);
    add(&walk, &case, &json!({ "kind": "syslogUdp", "port": 0 }));
    let status = add(&walk, &case, &json!({ "kind": "syslogUdp", "port": 0 }));
    let port = |at: usize| status["sources"][at]["kind"]["port"].as_u64().expect("a port") as u16;
    assert_ne!(port(0), port(1));
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for (at, count) in [(0, 2), (1, 5)] {
        for number in 0..count {
            let message = format!("<13>Mar  1 14:05:00 host app: {at} {number}");
            sender.send_to(message.as_bytes(), ("127.0.0.1", port(at))).expect("it is sent");
        }
    }
    let live = json!({ "path": case });
    let accepted = |status: &Value, at: usize| status["sources"][at]["accepted"].clone();
    until(&walk, "live", &live, |status| accepted(status, 0) == 2 && accepted(status, 1) == 5);
    has_events(&walk, &case, 7);
}

#[test]
fn what_cannot_be_received_says_why() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let refused = |source: Value| {
        let answer = walk.ask("addLive", json!({ "case": case, "source": source }));
        answer.expect_err("it cannot be received from")
    };
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let error = refused(json!({ "kind": "http", "port": port }));
    assert!(error.message.contains(&format!("127.0.0.1:{port} is in use by")), "{error:?}");
    assert!(error.hint.is_some_and(|hint| hint.contains("another port")));
    let error = refused(json!({ "kind": "follow", "paths": [] }));
    assert!(
        error.message.contains("no file is named") || error.message.contains("No file is named"),
        "{error:?}"
    );
    let error = refused(json!({ "kind": "follow", "paths": ["logs/app.log"] }));
    assert!(error.hint.is_some_and(|hint| hint.contains("whole path")));
    let gone = walk.folder.path().join("gone/app.log");
    assert_eq!(refused(json!({ "kind": "follow", "paths": [gone] })).code, ErrorCode::NotFound);

    // Nothing of it stays: no source is remembered, and the case is free for others.
    let status = walk.ask("live", json!({ "path": case })).expect("a status");
    assert_eq!((&status["sources"], &status["isReceiving"]), (&json!([]), &json!(false)));
    let waited = walk.folder.path().join("later.log");
    let source = json!({ "kind": "follow", "paths": [waited] });
    assert_eq!(add(&walk, &case, &source)["sources"][0]["state"], "running");
    assert_eq!(refused(source).code, ErrorCode::BadRequest);
    append(&waited.to_string_lossy(), &line(1));
    has_events(&walk, &case, 1);
}

#[test]
fn sources_stop_while_an_import_runs() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let log = walk.file("app.log", line(1).as_bytes());
    add(&walk, &case, &json!({ "kind": "follow", "paths": [log] }));
    has_events(&walk, &case, 1);
    let live = json!({ "path": case });
    let imported = walk.file("long.log", line(2).repeat(200_000).as_bytes());
    let stopped = std::cell::Cell::new(false);
    let while_landing = |progress: Value| {
        if progress["events"].as_u64() > Some(0) && !stopped.replace(true) {
            append(&log, &line(3));
            let waiting = |status: &Value| status["sources"][0]["accepted"] == 2;
            assert_eq!(until(&walk, "live", &live, waiting)["isWaiting"], true);
            // The import has the case, so the line becomes an event when it has ended.
            let status = walk.ask("stopLive", live.clone()).expect("it stops");
            assert_eq!(status["sources"][0]["state"], "offered");
            assert_eq!(status["isReceiving"], true);
        }
    };
    let import = json!({ "case": case, "paths": [imported] });
    let report = walk.ask_with("import", import, while_landing).expect("an import");
    assert!(stopped.get());
    assert_eq!(report["events"], 200_000);
    assert_eq!(walk.ask("openCase", live.clone()).expect("a case")["events"], 200_002);
    assert_eq!(walk.ask("live", live).expect("a status")["isReceiving"], false);
}

#[test]
fn settings_and_formats_are_kept_and_a_socket_receives() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let live = json!({ "path": case });
    let log = walk.file("app.log", b"{\"message\":\"one\"}\n");
    let add = |source: &Value, more: &Value| {
        let mut request = json!({ "case": case, "source": source });
        request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        walk.ask("addLive", request)
    };
    let settings = json!({ "refreshMs": 200, "keepHours": 48, "keepBytes": null, "compressHours": 24 });
    let follow = json!({ "kind": "follow", "paths": [log] });
    let status = add(
        &follow,
        &json!({ "reading": { "format": "text", "zone": "Europe/Berlin" }, "settings": settings }),
    )
    .expect("a live source");
    assert_eq!(
        (&status["settings"], &status["sources"][0]["reading"]["format"]),
        (&settings, &json!("text"))
    );
    let seen = has_events(&walk, &case, 1);
    assert_eq!(seen["sources"][0]["format"], "text", "it looks like JSON: {seen}");
    let counted = walk.ask("live", live.clone()).expect("a status");
    assert!(counted["syncs"].as_u64() > Some(0) && counted["queuePeakBytes"].as_u64() > Some(0), "{counted}");
    assert!(counted["syncP99Ms"].as_f64() >= counted["syncP50Ms"].as_f64(), "{counted}");

    #[cfg(unix)]
    {
        let socket = walk.folder.path().join("log");
        let source = json!({ "kind": "syslogUnix", "path": socket });
        let status = add(&source, &json!({})).expect("a live source");
        assert_eq!(status["settings"], settings, "other sources do not change them");
        let own = std::os::unix::net::UnixDatagram::unbound().expect("a socket");
        own.send_to(b"<14>Mar  1 14:07:00 cron[3]: local", &socket).expect("it is sent");
        has_events(&walk, &case, 2);
    }

    let unknown =
        add(&json!({ "kind": "syslogTcp", "port": 0 }), &json!({ "reading": { "format": "sylog" } }));
    assert!(unknown.expect_err("no such format").message.contains("sylog"));
    // Settings that cannot be are refused, and so are those of a source that cannot be received from.
    let other = walk.file("other.log", b"");
    let other = json!({ "kind": "follow", "paths": [other] });
    let soon = json!({ "settings": { "refreshMs": 1, "keepHours": null, "keepBytes": null } });
    assert!(add(&other, &soon).expect_err("too soon").message.contains("1 ms"));
    let none = json!({ "settings": { "refreshMs": 200, "keepHours": 0, "keepBytes": null } });
    assert!(add(&other, &none).is_err());
    let at_once =
        json!({ "settings": { "refreshMs": 200, "keepHours": null, "keepBytes": null, "compressHours": 0 } });
    assert!(add(&other, &at_once).is_err());
    let slow = json!({ "settings": { "refreshMs": 5000, "keepHours": null, "keepBytes": 1000 } });
    assert!(add(&json!({ "kind": "follow", "paths": [] }), &slow).is_err());
    assert_eq!(walk.ask("live", live.clone()).expect("a status")["settings"], settings);

    // They are remembered with the case.
    walk.session.finish();
    let later = Session::new(Start::browser(walk.folder.path().join("home")));
    let ask = |command: &str| {
        let command = json!({ "command": command, "args": { "path": case } });
        later.dispatch("r", serde_json::from_value(command).expect("a command"), |_| {}).expect("an answer")
    };
    ask("openCase");
    let status = ask("live");
    assert_eq!(
        (&status["settings"], &status["sources"][0]["reading"]["format"]),
        (&settings, &json!("text"))
    );
}

#[test]
fn list_that_is_held_shows_the_same_rows_while_events_arrive() {
    let walk = Walk::new();
    let case = case_of(&walk);
    let log = walk.file("app.log", (0..5).map(line).collect::<String>().as_bytes());
    add(&walk, &case, &json!({ "kind": "follow", "paths": [log] }));
    has_events(&walk, &case, 5);
    let view = |revision: &Value| json!({ "case": case, "query": "", "from": null, "to": null, "revision": revision });
    let page = |first: u32, revision: &Value| {
        let request = json!({ "view": view(revision), "order": "newestFirst", "first": first, "count": 2 });
        let answer = walk.ask("page", request).expect("a page");
        let rows = answer["rows"].as_array().expect("rows");
        let texts: Vec<String> =
            rows.iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect();
        (texts, answer["total"].clone(), answer["revision"].clone())
    };
    let (newest, _, revision) = page(0, &Value::Null);
    assert!(newest[0].ends_with("event 4"), "{newest:?}");
    let held = page(2, &revision);
    assert!(held.0[0].ends_with("event 2"), "{held:?}");
    // Each publication is looked at, as a count of new events does.
    for number in 5..20 {
        append(&log, &line(number));
        has_events(&walk, &case, u64::from(number) + 1);
        assert_eq!(page(0, &Value::Null).1, number + 1);
    }
    assert_eq!(page(2, &revision), held, "rows stay in place");
    assert_eq!(page(0, &revision).0, newest);
    let request = json!({ "view": view(&revision), "order": "newestFirst", "time": "0" });
    assert_eq!(walk.ask("locate", request).expect("a row")["row"], 5);
    // So do all other answers.
    let counted = |revision: &Value| {
        let request = json!({ "view": view(revision), "buckets": 10 });
        walk.ask("timeline", request).expect("a timeline")["total"].clone()
    };
    assert_eq!((counted(&revision), counted(&Value::Null)), (json!(5), json!(20)));
    // What nobody has kept is the case as it is.
    assert_eq!(page(0, &json!(1_000_000)).1, 20);
}
