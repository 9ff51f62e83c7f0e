//! A case that somebody sent: what it may do before a person trusts it, and how it stays trusted.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::{ErrorCode, Session, Start, WireError};

const LOG: &[u8] = b"{\"time\":\"2026-03-01T00:00:00Z\",\"host\":\"web\"}\n";

/// A case of this session, and the files of this machine that its page names.
struct Scene {
    walk: Walk,
    case: String,
    secret: String,
}

impl Scene {
    fn new() -> Scene {
        let walk = Walk::new();
        let (case, _) = walk.imported(&walk.file("app.ndjson", LOG));
        let secret = walk.file("secret.csv", b"host,owner\nweb,hidden-owner\n");
        let scene = Scene { walk, case, secret };
        let text = format!("```query\n{}\n```", scene.lookup());
        let page = json!({ "kind": "page", "id": "p", "text": text, "data": { "title": "Found" } });
        scene.walk.ask("changeNotes", json!({ "case": scene.case, "put": [page] })).expect("a page");
        scene
    }

    /// The same case at another machine: another home, and a copy of the folder at another place.
    fn received(&self) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let case = folder.path().join("received.case");
        copy(Path::new(&self.case), &case);
        let walk = Walk { session: Session::new(Start::browser(folder.path().join("home"))), folder };
        let case = case.to_string_lossy().into_owned();
        walk.ask("openCase", json!({ "path": case })).expect("it opens");
        Scene { walk, case, secret: self.secret.clone() }
    }

    fn lookup(&self) -> String {
        format!("* | lookup \"{}\" on host", self.secret)
    }

    fn sql(&self) -> String {
        format!("SELECT owner FROM '{}'", self.secret)
    }

    fn view(&self, query: &str) -> Value {
        json!({ "case": self.case, "query": query, "from": null, "to": null })
    }

    fn run(&self, query: &str) -> Result<Value, WireError> {
        let request = json!({ "view": self.view(query), "zone": null, "first": 0, "count": 10 });
        self.walk.ask("run", request)
    }

    fn exported(&self) -> String {
        let request =
            json!({ "case": self.case, "pages": null, "format": "html", "zone": null, "path": null });
        let reply = self.walk.ask("exportNotes", request).expect("a notebook");
        reply["text"].as_str().expect("a text").to_owned()
    }

    fn trust(&self) {
        self.walk.ask("trustCase", json!({ "path": self.case })).expect("it is trusted");
    }

    fn reads_files(&self) -> bool {
        let read = self.run(&self.lookup()).map(|table| table.to_string().contains("hidden-owner"));
        match read {
            Ok(found) => found,
            Err(error) if error.code == ErrorCode::NotAllowed => false,
            Err(error) => panic!("{error:?}"),
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}

#[test]
fn case_of_this_workbench_is_trusted_without_a_question() {
    let scene = Scene::new();
    assert!(scene.reads_files());
    assert!(scene.run(&scene.sql()).expect("a table").to_string().contains("hidden-owner"));
    assert!(scene.exported().contains("hidden-owner"));
    // Another window, or a later start, has the same home.
    let later = Walk {
        session: Session::new(Start::browser(scene.walk.folder.path().join("home"))),
        folder: tempfile::tempdir().expect("a folder"),
    };
    let later = Scene { walk: later, case: scene.case.clone(), secret: scene.secret.clone() };
    assert!(later.reads_files());
}

#[test]
fn received_case_reads_no_files_until_it_is_trusted() {
    let sender = Scene::new();
    let scene = sender.received();
    for query in [scene.lookup(), scene.sql(), format!("* | join left on host \"{}\"", scene.secret)] {
        let error = scene.run(&query).expect_err(&query);
        assert_eq!(error.code, ErrorCode::NotAllowed, "{query}: {error:?}");
        assert!(error.message.contains("secret.csv"), "{error:?}");
        assert!(error.hint.is_some_and(|hint| hint.contains("rust this case")), "{query}");
        let path = scene.walk.folder.path().join("out.csv").to_string_lossy().into_owned();
        let export = json!({ "view": scene.view(&query), "zone": null, "format": "csv", "path": path });
        assert_eq!(scene.walk.ask("export", export).expect_err(&query).code, ErrorCode::NotAllowed);
        assert!(!Path::new(&path).exists(), "nothing is written");
        let explained = scene.walk.ask("explain", json!({ "view": scene.view(&query), "zone": null }));
        assert_eq!(explained.expect_err(&query).code, ErrorCode::NotAllowed);
    }
    // A statement is not wrong because of it, and is answered no sooner than it runs.
    let check = scene.walk.ask("check", json!({ "case": scene.case, "query": scene.sql(), "kql": false }));
    assert_eq!(check.expect("a check")["diagnostics"], json!([]));
    let page = scene.exported();
    assert!(!page.contains("hidden-owner") && page.contains("not trusted"), "{page}");
    assert!(scene.run("* | stats count() by host").is_ok(), "queries without files are answered");

    scene.trust();
    assert!(scene.reads_files() && scene.exported().contains("hidden-owner"));
    assert!(scene.run(&scene.sql()).expect("a table").to_string().contains("hidden-owner"));
}

#[test]
fn live_sources_and_rules_of_a_received_case_are_not_read_until_it_is_trusted() {
    let scene = Scene::new();
    let log = scene.walk.file("private.log", b"2026-03-01T00:00:00Z private\n");
    let live = json!({ "version": 1, "sources": [{ "kind": "follow", "paths": [log], "paused": false }] });
    fs::write(Path::new(&scene.case).join("live.json"), live.to_string()).expect("written");
    let watch = json!({ "version": 1, "starter": true, "rules": [] });
    fs::write(Path::new(&scene.case).join("watch.json"), watch.to_string()).expect("written");
    let scene = scene.received();
    let asked = json!({ "path": scene.case });
    let offered = scene.walk.ask("live", asked.clone()).expect("a status");
    assert_eq!(offered["sources"][0]["state"], "offered", "{offered}");
    let source = &offered["sources"][0]["id"];
    let resume = json!({ "case": scene.case, "source": source, "change": "resume" });
    let sets = json!({ "starter": true, "rules": [scene.secret] });
    let watch = json!({ "case": scene.case, "sets": sets });
    for (command, request) in [("startLive", asked.clone()), ("changeLive", resume), ("watchSets", watch)] {
        let error = scene.walk.ask(command, request).expect_err(command);
        assert_eq!(error.code, ErrorCode::NotAllowed, "{command}: {error:?}");
    }
    assert_eq!(scene.walk.ask("live", asked.clone()).expect("a status")["isReceiving"], false);
    // A person may choose a live source; the rules that came along are still not evaluated.
    let mine = json!({ "kind": "follow", "paths": [scene.walk.file("mine.log", b"")] });
    scene.walk.ask("addLive", json!({ "case": scene.case, "source": mine })).expect("a live source");
    let detectors = || scene.walk.ask("liveAlerts", asked.clone()).expect("an answer")["detectors"].clone();
    assert_eq!(detectors(), 0);

    scene.trust();
    let began = Instant::now();
    while detectors() == 0 {
        assert!(began.elapsed() < Duration::from_mins(1), "the rules are evaluated");
        std::thread::sleep(Duration::from_millis(20));
    }
    let started = scene.walk.ask("startLive", asked.clone()).expect("it starts");
    assert_eq!(started["sources"][0]["state"], "running", "{started}");
    scene.walk.ask("stopLive", asked).expect("it stops");
}

#[test]
fn trust_does_not_come_along_with_a_copy() {
    let sender = Scene::new();
    let scene = sender.received();
    scene.trust();
    // Sent back and forth, the case carries no mark.
    assert!(!scene.received().reads_files());
    // A copy that a person makes is as trusted as the case, and no more.
    let duplicate = |scene: &Scene| {
        let request = json!({ "path": scene.case, "name": "copy" });
        let copy = scene.walk.ask("duplicateCase", request).expect("a copy");
        let path = copy["path"].as_str().expect("a path").to_owned();
        let request = json!({ "view": { "case": path, "query": scene.lookup(), "from": null, "to": null },
                              "zone": null, "first": 0, "count": 10 });
        scene.walk.ask("run", request).map_err(|error| error.code)
    };
    assert!(duplicate(&scene).is_ok());
    assert_eq!(duplicate(&sender.received()).expect_err("not trusted"), ErrorCode::NotAllowed);
}

#[test]
fn another_case_at_the_path_of_a_trusted_one_is_not_trusted() {
    let sender = Scene::new();
    let scene = sender.received();
    scene.trust();
    let (case, aside) = (PathBuf::from(&scene.case), scene.walk.folder.path().join("aside.case"));
    fs::rename(&case, &aside).expect("moved");
    copy(&aside, &case);
    assert!(!scene.reads_files(), "it lies in another folder");
    fs::remove_dir_all(&case).expect("removed");
    fs::rename(&aside, &case).expect("moved back");
    assert!(scene.reads_files(), "it is the same folder again");
    // Deleted in the workbench, it is forgotten.
    scene.walk.ask("deleteCase", json!({ "path": scene.case })).expect("deleted");
    let list = fs::read_to_string(scene.walk.folder.path().join("home/trusted.json")).expect("the list");
    assert!(!list.contains("received.case"), "{list}");
}

#[test]
fn list_that_cannot_be_read_trusts_nothing() {
    let sender = Scene::new();
    let scene = sender.received();
    scene.trust();
    fs::write(scene.walk.folder.path().join("home/trusted.json"), "{\"cases\": true}").expect("written");
    assert!(!scene.reads_files());
    scene.trust();
    assert!(scene.reads_files());
}
