//! What the import sheet, the format editor and the list of cases ask.

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::ErrorCode;

const RELAY: &str = r#"name = "relay"
title = "relay status lines"
grok = "^%{TIMESTAMP_ISO8601:at} %{WORD:host} %{INT:load:int}$"
time = { from = ["at"], format = "ISO8601" }

[[tags]]
tag = "hot"
if = "load > 90"
"#;

const RELAYED: &str = "2026-03-01T14:05:00 alpha 17\n2026-03-01T14:05:01 beta 95\nnothing of the kind\n";

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The text of a preview's line with its fields named, as `host=alpha`.
fn shown(row: &Value) -> Vec<String> {
    let pieces = row["pieces"].as_array().expect("pieces").iter();
    let named = pieces.filter(|piece| !piece["field"].is_null());
    named.map(|piece| format!("{}={}", text(&piece["field"]), text(&piece["text"]))).collect()
}

#[test]
fn preview_shows_formats_and_estimates() {
    let walk = Walk::new();
    let line = |n: u32| {
        format!("192.0.2.{n} - - [05/Mar/2024:14:00:{n:02} +0000] \"GET /item/{n} HTTP/1.1\" 200 5120\n")
    };
    let access = (0..50).map(line).collect::<Vec<_>>().concat();
    let access = walk.file("access.log", access.as_bytes());
    let odd = walk.file(
        "odd.log",
        b"2026-03-01 14:05:00 INFO started\nwhat is this\n2026-03-01 14:05:02 INFO stopped\n",
    );
    let empty = walk.file("empty.log", b"");
    let case = walk.folder.path().join("none.case").to_string_lossy().into_owned();
    let paths = json!([access, odd, empty]);
    let preview =
        walk.ask("preview", json!({ "case": case, "paths": paths, "events": 10 })).expect("a preview");
    let file = |name: &str| {
        let files = preview["files"].as_array().expect("files");
        files.iter().find(|file| text(&file["path"]).ends_with(name)).expect("the file").clone()
    };
    let access = file("access.log");
    assert_eq!((&access["events"], &access["unparsed"]), (&json!(50), &json!(0)));
    assert_eq!(access["first"], "1709647200000000000");
    assert_eq!(access["account"]["score"], 1.0);
    let fields = shown(&access["rows"][7]);
    assert!(fields.contains(&"client_ip=192.0.2.7".to_owned()), "{fields:?}");
    assert!(fields.contains(&"status=200".to_owned()), "{fields:?}");
    assert_eq!(
        (file("empty.log")["error"]["code"].clone(), &access["outcome"]),
        (json!("empty"), &json!("new"))
    );
    let costs = preview["estimate"]["profiles"].as_array().expect("a list");
    let profiles: Vec<_> = costs.iter().map(|cost| text(&cost["profile"])).collect();
    assert_eq!(profiles, ["raw", "fields", "bloom", "full"]);
    assert!(costs.iter().all(|cost| cost["bytesOnDisk"].as_u64() > Some(0) && cost["fits"] == true));

    // Another choice for one file leaves the others as they are.
    let choices = json!({ "files": [{ "path": odd, "reading": { "zone": "Europe/Berlin" } }] });
    let request = json!({
        "case": case, "paths": paths, "events": 10, "choices": choices, "withoutEstimate": true,
    });
    let again = walk.ask("preview", request).expect("a preview");
    let moved = |preview: &Value, name: &str| {
        let files = preview["files"].as_array().expect("files");
        let file = files.iter().find(|file| text(&file["path"]).ends_with(name)).expect("the file");
        text(&file["first"]).parse::<i64>().expect("a time")
    };
    assert_eq!(moved(&preview, "odd.log") - moved(&again, "odd.log"), 3_600_000_000_000);
    assert_eq!(moved(&preview, "access.log"), moved(&again, "access.log"));
    assert_eq!(again["estimate"]["profiles"], json!([]));
}

#[test]
fn preview_marks_known_and_grown_files() {
    let walk = Walk::new();
    let line = |n: u32| format!("2026-03-01T14:05:{:02}Z INFO step {n}\n", n % 60);
    let lines = |count: u32| (0..count).map(line).collect::<Vec<_>>().concat();
    let same = walk.file("same.log", lines(40).as_bytes());
    let (case, _) = walk.imported(&same);
    let growing = walk.file("growing.log", format!("{}more\n", lines(40)).as_bytes());
    let fresh = walk.file("fresh.log", b"2026-03-01T14:05:00Z WARN something else\n");
    let request =
        json!({ "case": case, "paths": [same, growing, fresh], "events": 1, "withoutEstimate": true });
    let preview = walk.ask("preview", request).expect("a preview");
    let outcome = |at: usize| preview["files"][at]["outcome"].clone();
    let names: Vec<_> = (0..3).map(|at| text(&preview["files"][at]["name"]).to_owned()).collect();
    let of = |name: &str| outcome(names.iter().position(|known| known == name).expect("the file"));
    assert_eq!(
        (of("same.log"), of("growing.log"), of("fresh.log")),
        (json!("known"), json!("grown"), json!("new"))
    );
    walk.file("same.log", b"2026-03-01T14:05:00Z WARN replaced\n");
    let request = json!({ "case": case, "paths": [same], "events": 1, "withoutEstimate": true });
    let replaced = walk.ask("preview", request).expect("a preview");
    assert_eq!(replaced["files"][0]["outcome"], "new");
    assert!(text(&replaced["files"][0]["remark"]).contains("replaced"));
}

#[test]
fn files_are_imported_with_their_own_options() {
    let walk = Walk::new();
    let one = walk.file("one.log", b"2026-03-01 14:05:00 INFO one\n2026-03-01 14:05:01 INFO two\n");
    let other =
        walk.file("other.log", b"2026-03-01 14:05:00 INFO one more\n2026-03-01 14:05:01 INFO two more\n");
    let umlauts = walk.file("umlauts.log", b"2026-03-01 14:05:00 INFO gr\xFC\xDFe\n");
    let paths = json!([one, other, umlauts]);
    let case = walk.ask("createCase", json!({ "paths": paths })).expect("a case")["path"].clone();
    let choices = json!({
        "reading": { "zone": "UTC" },
        "files": [
            { "path": other, "reading": { "zone": "+02:00", "clockOffset": "1000000000" } },
            { "path": umlauts, "reading": { "format": "text", "encoding": "windows-1252" } },
        ],
    });
    let request = json!({ "case": case, "paths": paths, "choices": choices });
    let report = walk.ask("import", request).expect("an import");
    assert_eq!(report["problems"], json!([]));
    let sources = report["case"]["sources"].as_array().expect("sources");
    let source = |name: &str| sources.iter().find(|source| source["name"] == name).expect("the source");
    let first = |name: &str| text(&source(name)["first"]).parse::<i64>().expect("a time");
    assert_eq!(first("one.log") - first("other.log"), 7_200_000_000_000 - 1_000_000_000);
    assert_eq!(
        (&source("umlauts.log")["encoding"], &source("umlauts.log")["format"]),
        (&json!("windows-1252"), &json!("text"))
    );
    assert_eq!(source("other.log")["chosen"]["zone"], "+02:00");
    assert!(source("one.log")["chosen"]["format"].is_null());
    let page = json!({
        "view": { "case": case, "query": "grüße", "from": null, "to": null },
        "order": "oldestFirst", "first": 0, "count": 5,
    });
    assert_eq!(walk.ask("page", page).expect("a page")["total"], 1);
}

#[test]
fn pasted_text_becomes_a_source_and_empty_text_is_refused() {
    let walk = Walk::new();
    let case = walk.ask("createCase", json!({ "paths": ["Pasted text"] })).expect("a case")["path"].clone();
    let paste = |name: &str, content: &str| {
        walk.ask("paste", json!({ "case": case, "name": name, "text": content, "reading": {} }))
    };
    let report = paste("first", "2026-03-01T14:05:00Z INFO started\n2026-03-01T14:05:01Z ERROR lost\n")
        .expect("a paste");
    assert_eq!((&report["events"], &report["problems"]), (&json!(2), &json!([])));
    assert_eq!(report["case"]["sources"][0]["name"], "first");
    // The same once more is here already, as a file would be.
    let again = paste("second", "2026-03-01T14:05:00Z INFO started\n2026-03-01T14:05:01Z ERROR lost\n")
        .expect("a paste");
    assert_eq!((&again["events"], again["case"]["sources"].as_array().map(Vec::len)), (&json!(0), Some(1)));
    assert!(text(&again["remarks"][0]).contains("already here"));
    let nothing = paste("third", "").expect("a report");
    assert_eq!(nothing["problems"][0]["code"], "empty");
    assert_eq!(nothing["case"]["events"], 2);
}

#[test]
fn stored_source_is_previewed_adjusted_and_read_again() {
    let walk = Walk::new();
    let log = walk.file("a.log", b"2026-03-01 14:05:00 INFO n=1\n2026-03-01 14:05:01 INFO n=2\n");
    let (case, _) = walk.imported(&log);
    std::fs::remove_file(&log).expect("the original goes away");
    let preview = |reading: Value| {
        let request = json!({ "case": case, "source": 0, "reading": reading, "events": 5 });
        walk.ask("previewSource", request)
    };
    let now = preview(json!({})).expect("a preview");
    assert_eq!(now["events"], 2);
    let plain = preview(json!({ "format": "text" })).expect("a preview");
    assert_eq!(plain["format"], "text");
    let error = preview(json!({ "zone": "Mars/Phobos" })).expect_err("no such zone");
    assert!(error.message.contains("Mars/Phobos"), "{error:?}");
    let request = json!({ "case": case, "sources": [0], "zone": "+01:00", "clockOffset": "-500000000" });
    let report = walk.ask("adjust", request).expect("it is adjusted");
    let moved = text(&now["first"]).parse::<i64>().expect("a time") - 3_600_000_000_000 - 500_000_000;
    assert_eq!(report["case"]["first"], moved.to_string());
    assert_eq!(report["case"]["sources"][0]["chosen"]["clockOffset"], "-500000000");
    let request = json!({ "case": case, "sources": [0], "reading": { "format": "logfmt" } });
    let report = walk.ask("reread", request).expect("it is read again");
    assert_eq!(report["case"]["sources"][0]["format"], "logfmt");
    let account = walk.ask("account", json!({ "case": case, "source": 0 })).expect("an account");
    assert!(text(&account["reason"]).contains("by hand"), "{account}");
}

#[test]
fn definition_is_tried_saved_used_and_removed() {
    let walk = Walk::new();
    let tried = walk
        .ask("tryFormat", json!({ "text": RELAY, "sample": RELAYED, "events": 50 }))
        .expect("it is tried");
    assert_eq!((&tried["faults"], &tried["formats"][0]["name"]), (&json!([]), &json!("relay")));
    let rows = &tried["file"]["rows"];
    assert_eq!(shown(&rows[1]), ["at=2026-03-01T14:05:01", "host=beta", "load=95"]);
    assert!(rows[0]["unparsed"].is_null() && rows[2]["unparsed"].is_string(), "{rows}");
    assert_eq!(tried["file"]["unparsed"], 1);

    let wrong = RELAY.replace("load > 90", "laod > 90").replace("%{WORD:host}", "%{WROD:host}");
    let tried = walk
        .ask("tryFormat", json!({ "text": wrong, "sample": RELAYED, "events": 50 }))
        .expect("it is tried");
    assert!(tried["file"].is_null());
    assert!(text(&tried["faults"][0]["message"]).contains("WROD"), "{tried}");
    let save =
        |text: &str, replace: bool| walk.ask("saveFormat", json!({ "text": text, "replace": replace }));
    assert_eq!(save(&wrong, false).expect_err("it is wrong").code, ErrorCode::BadRequest);
    let built_in = save(&RELAY.replace("\"relay\"", "\"logfmt\""), false).expect_err("the name is taken");
    assert!(built_in.message.contains("built-in"), "{built_in:?}");

    let saved = save(RELAY, false).expect("it is saved");
    assert!(save(RELAY, false).is_err() && save(RELAY, true).is_ok());
    // It is tried on whatever is imported from now on, and can be adjusted and read again like any other.
    let (case, report) = walk.imported(&walk.file("relay.log", RELAYED.as_bytes()));
    assert_eq!(report["case"]["sources"][0]["format"], "relay");
    assert_eq!(report["case"]["sources"][0]["unparsed"], 1);
    let adjusted = walk
        .ask("adjust", json!({ "case": case, "sources": [0], "zone": "+01:00" }))
        .expect("it is adjusted");
    assert_eq!((&adjusted["problems"], &adjusted["case"]["events"]), (&json!([]), &json!(3)));

    let listed = walk.ask("formats", json!({})).expect("a list");
    assert_eq!(listed["saved"][0]["text"], RELAY);
    assert!(listed["builtIn"].as_array().is_some_and(|formats| formats.len() > 20));
    let outside = walk.file("outside.toml", RELAY.as_bytes());
    let remove = |path: &Value| walk.ask("removeFormat", json!({ "path": path }));
    assert_eq!(remove(&json!(outside)).expect_err("it is none of ours").code, ErrorCode::NotFound);
    remove(&saved["path"]).expect("it is removed");
    assert_eq!(walk.ask("formats", json!({})).expect("a list")["saved"], json!([]));
}

#[test]
fn recent_cases_are_remembered_found_again_and_forgotten() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("shop.log", b"2026-03-01T14:05:00Z INFO started\n"));
    let recent = || walk.ask("hello", json!({})).expect("a greeting")["recent"].clone();
    let listed = recent();
    assert_eq!((&listed[0]["path"], &listed[0]["events"]), (&json!(case), &json!(1)));
    assert_eq!(
        (&listed[0]["first"], &listed[0]["state"]["kind"]),
        (&json!("1772373900000000000"), &json!("ready"))
    );
    assert!(listed[0]["opened"].is_string());

    // It is moved to another folder under the same roof, keeping its name.
    let moved = walk.folder.path().join("elsewhere").join("shop.case");
    std::fs::create_dir_all(moved.parent().expect("a folder")).expect("a folder");
    std::fs::rename(&case, &moved).expect("it is moved");
    let listed = recent();
    assert_eq!((&listed[0]["state"]["kind"], &listed[0]["events"]), (&json!("gone"), &json!(1)));
    let other = walk.folder.path().join("home").join("shop.case");
    std::fs::rename(&moved, &other).expect("it is moved");
    let found = walk.ask("findCase", json!({ "path": case })).expect("an answer");
    assert_eq!(found["paths"], json!([other.to_string_lossy()]));
    walk.ask("openCase", json!({ "path": other.to_string_lossy() })).expect("it opens");
    walk.ask("forgetCase", json!({ "path": case })).expect("it is forgotten");
    let listed = recent();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["path"], json!(other.to_string_lossy()));

    // A case of the folder of cases stays where it is when it is taken off the list.
    let (second, _) = walk.imported(&walk.file("two.log", b"2026-03-01T14:05:00Z INFO two\n"));
    walk.ask("forgetCase", json!({ "path": second })).expect("it is forgotten");
    assert_eq!(recent().as_array().map(Vec::len), Some(1));
    walk.ask("openCase", json!({ "path": second })).expect("it still opens");
    std::fs::write(std::path::Path::new(&second).join("case.json"), "{\"format\":999}").expect("a manifest");
    let listed = recent();
    let broken = listed.as_array().expect("cases").iter().find(|case| case["path"] == json!(second));
    assert!(broken.is_none_or(|case| case["state"]["kind"] == "unusable"), "{listed}");
}

const LONG_LINES: usize = 400_000;

/// A log that takes long enough to be left in the middle.
fn long_log(walk: &Walk) -> String {
    walk.file("long.log", "2026-03-01T14:05:00Z INFO one of many\n".repeat(LONG_LINES).as_bytes())
}

fn created(walk: &Walk, path: &str) -> String {
    text(&walk.ask("createCase", json!({ "paths": [path] })).expect("a case")["path"]).to_owned()
}

/// Does something once, when a progress report says that events have landed.
fn at_first_events(act: impl Fn()) -> impl Fn(Value) {
    let done = std::cell::Cell::new(false);
    move |progress: Value| {
        if progress["events"].as_u64() > Some(0) && !done.replace(true) {
            act();
        }
    }
}

#[test]
fn import_goes_on_without_its_page_and_is_attended_by_another() {
    let walk = Walk::new();
    let (long, short) = (long_log(&walk), walk.file("short.log", b"2026-03-01T15:05:00Z INFO last\n"));
    let case = created(&walk, &long);
    let left = walk.ask_with(
        "import",
        json!({ "case": case, "paths": [long, short] }),
        at_first_events(|| walk.session.leave("call")),
    );
    assert_eq!(left.expect_err("nobody waits for it").code, ErrorCode::Cancelled);
    let state = walk.ask("pulse", json!({ "path": case })).expect("a state");
    assert_eq!((&state["isImporting"], &state["readOnly"]), (&json!(true), &json!(false)));
    assert_eq!(walk.ask("unread", json!({ "path": case })).expect("a list")["imports"], json!([]));
    let files = std::cell::Cell::new(0);
    let report = walk
        .ask_with("attend", json!({ "path": case }), |progress| {
            files.set(files.get().max(progress["changed"].as_array().map_or(0, Vec::len)));
        })
        .expect("it is attended");
    assert_eq!((files.get(), &report["events"]), (2, &json!(LONG_LINES + 1)));
    assert_eq!((&report["cancelled"], &report["case"]["events"]), (&json!(false), &json!(LONG_LINES + 1)));
    assert_eq!(walk.ask("attend", json!({ "path": case })).expect("nothing"), Value::Null);
    assert_eq!(walk.ask("unread", json!({ "path": case })).expect("a list")["imports"], json!([]));
}

#[test]
fn stopped_import_is_listed_by_name_and_continued_with_its_choices() {
    let walk = Walk::new();
    let (long, short) = (long_log(&walk), walk.file("short.log", b"2026-03-01T15:05:00Z INFO last\n"));
    let case = created(&walk, &long);
    let request = json!({ "case": case, "paths": [long, short], "choices": { "reading": { "zone": "Europe/Berlin" } } });
    let report = walk
        .ask_with("import", request, at_first_events(|| walk.session.cancel("call")))
        .expect("it is stopped");
    assert_eq!(report["cancelled"], true);
    let unread = || walk.ask("unread", json!({ "path": case })).expect("a list")["imports"].clone();
    let listed = unread();
    assert_eq!((&listed[0]["files"][0], &listed[0]["isThere"]), (&json!(long), &json!(true)), "{listed}");
    let done = walk.ask("import", listed[0]["request"].clone()).expect("it continues");
    assert_eq!(done["case"]["events"], LONG_LINES + 1);
    let sources = done["case"]["sources"].as_array().expect("sources");
    assert!(sources.iter().all(|source| source["chosen"]["zone"] == "Europe/Berlin"), "{sources:?}");
    assert_eq!(unread(), json!([]));

    // One whose files are gone is named, and is left out when a person says so.
    let gone = walk.file("gone.log", b"2026-03-01T15:05:00Z INFO gone\n");
    let request = json!({ "case": case, "paths": [gone], "choices": { "leftOut": ["/nothing"] } });
    let cancelled = walk.ask_with("import", request, |_| walk.session.cancel("call"));
    if cancelled.is_ok_and(|report| report["cancelled"] == true) {
        std::fs::remove_file(&gone).expect("removed");
        let listed = unread();
        if listed != json!([]) {
            assert_eq!(listed[0]["isThere"], false, "{listed}");
            walk.ask("leaveUnread", listed[0]["request"].clone()).expect("it is left out");
        }
        assert_eq!(unread(), json!([]));
    }
}

#[test]
fn second_import_of_a_case_waits_for_the_first() {
    let walk = Walk::new();
    let (long, short) = (long_log(&walk), walk.file("short.log", b"2026-03-01T15:05:00Z INFO last\n"));
    let case = created(&walk, &long);
    let _ = walk.ask_with(
        "import",
        json!({ "case": case, "paths": [long] }),
        at_first_events(|| walk.session.leave("call")),
    );
    let report = walk.ask("import", json!({ "case": case, "paths": [short] })).expect("it waits");
    assert_eq!((&report["events"], &report["case"]["events"]), (&json!(1), &json!(LONG_LINES + 1)));
}
