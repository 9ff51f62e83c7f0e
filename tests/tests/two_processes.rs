//! A case that `timberline listen` writes is open in another process: it answers and follows along, shows what is received,
//! and says who writes where it cannot.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use timberline_tests::listening::{Listening, PATIENCE};
use wire::{Session, Start};

fn ask(session: &Session, command: &str, args: &Value) -> Result<Value, String> {
    let command = serde_json::from_value(json!({ "command": command, "args": args })).expect("a command");
    session.dispatch("window", command, |_: Value| {}).map_err(|error| error.message)
}

/// Asks until the answer is as it should be.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn events_of(session: &Session, case: &Path) -> Value {
    ask(session, "openCase", &json!({ "path": case })).expect("the case opens")["events"].clone()
}

#[test]
fn case_that_another_process_receives_into_is_read_and_says_who_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = folder.path().join("live.case");
    let log = folder.path().join("other.log");
    std::fs::write(&log, "2026-03-01T14:05:00Z INFO of a file\n").expect("a file");
    let listening = Listening::start(&case, &["--syslog", "tcp://127.0.0.1:0"]);
    let mut sender = TcpStream::connect(&listening.addresses[0]).expect("it accepts");
    let mut send = |from: u32, to: u32| {
        for number in from..to {
            writeln!(sender, "<34>1 2026-03-01T14:05:{:02}Z web-1 app 7 - - line {number}", number % 60)
                .expect("it is sent");
        }
    };
    send(0, 3);
    listening.until(3);

    let session = Session::new(Start::browser(folder.path().join("home")));
    let opened = ask(&session, "openCase", &json!({ "path": case })).expect("the case opens");
    let writer = format!("process {}", listening.child.id());
    let said = opened["readOnly"].as_str().expect("it is only read").to_owned();
    assert!(said.contains(&writer), "{said}");

    // It follows along.
    send(3, 10);
    until("the events of the other process are there", || events_of(&session, &case) == json!(10));
    let page = |query: &str| {
        let view = json!({ "case": case, "query": query, "from": null, "to": null });
        let request = json!({ "view": view, "order": "newestFirst", "first": 0, "count": 2 });
        ask(&session, "page", &request).expect("a page")
    };
    let found = page("app=app line");
    assert_eq!(found["total"], json!(10), "{found}");
    assert!(found["rows"][0]["text"].as_str().is_some_and(|text| text.ends_with("line 9")), "{found}");

    // The panel shows its sources and counters.
    let path = json!({ "path": case });
    let live = || ask(&session, "live", &path).expect("a status");
    until("its counters are there", || live()["sources"][0]["accepted"] == json!(10));
    let status = live();
    assert_eq!(status["receiver"], json!(listening.child.id()), "{status}");
    assert_eq!(status["isReceiving"], json!(false));
    let source = &status["sources"][0];
    let name = source["name"].as_str().expect("a name");
    assert_eq!(name, format!("syslog/tcp {}", listening.addresses[0]));
    assert_eq!(source["state"], "running");
    assert_eq!(source["streams"], json!(["syslog/tcp", "syslog/tcp/127.0.0.1"]));
    assert!(status["syncs"].as_u64() > Some(0), "{status}");

    // What would write it is refused with the name of the writer; nothing is changed.
    let import = ask(&session, "import", &json!({ "case": case, "paths": [log] }));
    let delete = ask(&session, "deleteSources", &json!({ "case": case, "sources": [0] }));
    let source = json!({ "kind": "syslogTcp", "port": 0 });
    let add = ask(&session, "addLive", &json!({ "case": case, "source": source }));
    for refused in [import, delete, add] {
        let said = refused.expect_err("the other process writes");
        assert!(said.contains(&writer), "{said}");
    }
    assert_eq!(events_of(&session, &case), json!(10));
    // Notes are written by anybody.
    let event = json!({ "source": 0, "offset": 0 });
    let star = json!({ "kind": "star", "id": "0:0", "event": event });
    let noted = ask(&session, "changeNotes", &json!({ "case": case, "put": [star] })).expect("a note");
    assert_eq!(noted["conflicts"], json!([]));

    // When it has ended, the case is written here.
    listening.stop();
    assert_eq!(live()["receiver"], json!(null));
    let opened = ask(&session, "openCase", &json!({ "path": case })).expect("the case opens");
    assert_eq!(opened["readOnly"], json!(null));
    ask(&session, "import", &json!({ "case": case, "paths": [log] })).expect("it is imported");
    assert_eq!(events_of(&session, &case), json!(11));
}
