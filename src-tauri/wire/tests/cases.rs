//! A case as a whole, and what the workbench shows of its events: names, copies, files, fields, order, comparisons.

use crate::walk::Walk;
use serde_json::{Value, json};
use wire::ErrorCode;

const LOG: &str =
    "2026-03-01 14:05:00 INFO one\n2026-03-01 14:06:00 WARN two\n2026-03-01 14:07:00 INFO three\n";
/// 2026-03-01T14:05Z.
const START_S: i64 = 1_772_373_900;

fn nanos(after_s: i64) -> Value {
    json!(((START_S + after_s) * 1_000_000_000).to_string())
}

/// Whether each row has a time.
fn times(walk: &Walk, case: &str, order: &str) -> Vec<bool> {
    let view = json!({ "case": case, "query": "", "from": null, "to": null });
    let request = json!({ "view": view, "order": order, "first": 0, "count": 100 });
    let page = walk.ask("page", request).expect("a page");
    page["rows"].as_array().expect("rows").iter().map(|row| row["time"].is_string()).collect()
}

#[test]
fn case_is_renamed_duplicated_and_deleted() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("shop.log", LOG.as_bytes()));
    let renamed = walk.ask("renameCase", json!({ "path": case, "name": "Tuesday: outage" })).expect("a name");
    assert_eq!((&renamed["path"], &renamed["name"]), (&json!(case), &json!("Tuesday: outage")));
    let copy = walk.ask("duplicateCase", json!({ "path": case, "name": "Tuesday: outage" })).expect("a copy");
    assert_eq!((&copy["name"], &copy["events"]), (&json!("Tuesday: outage"), &json!(3)));
    let path = copy["path"].as_str().expect("a path");
    assert!(path.ends_with("Tuesday_ outage.case"), "{path}");
    let recent = || {
        let hello = walk.ask("hello", json!({})).expect("a greeting");
        hello["recent"].as_array().expect("cases").clone()
    };
    assert_eq!(recent().len(), 2);
    assert!(recent().iter().all(|case| case["bytesOnDisk"].as_u64() > Some(1_000)));
    walk.ask("deleteCase", json!({ "path": case })).expect("the end");
    assert!(!std::path::Path::new(&case).exists());
    let left: Vec<_> = recent().iter().map(|case| case["path"].clone()).collect();
    assert_eq!(left, [json!(path)]);
    let gone = walk.ask("openCase", json!({ "path": case })).expect_err("it is gone");
    assert!(matches!(gone.code, ErrorCode::NotFound | ErrorCode::CaseDamaged), "{gone:?}");
}

#[test]
fn matching_events_are_written_as_they_were_and_as_tables() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("shop.log", LOG.as_bytes()));
    let export = |format: &str, query: &str, from: Value| {
        let path = walk.folder.path().join(format!("out.{format}"));
        let view = json!({ "case": case, "query": query, "from": from, "to": null });
        let request = json!({ "view": view, "zone": null, "format": format, "path": path });
        let written = walk.ask("export", request)?;
        Ok::<_, wire::WireError>((written["rows"].clone(), std::fs::read(path).expect("a file")))
    };
    let (rows, bytes) = export("raw", "level:info", Value::Null).expect("a file");
    assert_eq!(rows, json!(2));
    assert_eq!(bytes, b"2026-03-01 14:05:00 INFO one\n2026-03-01 14:07:00 INFO three\n");
    let (rows, bytes) = export("raw", "level:info", nanos(60)).expect("a file");
    assert_eq!((rows, bytes.as_slice()), (json!(1), &b"2026-03-01 14:07:00 INFO three\n"[..]));
    let (rows, bytes) = export("csv", "two", Value::Null).expect("a file");
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!((rows, text.lines().count()), (json!(1), 2), "{text}");
    assert!(text.contains("2026-03-01 14:06:00 WARN two"), "{text}");
    let (rows, bytes) = export("ndjson", "", nanos(60)).expect("a file");
    assert_eq!((rows, String::from_utf8_lossy(&bytes).lines().count()), (json!(2), 2));
    assert_eq!(export("parquet", "", Value::Null).expect("a file").1[..4], *b"PAR1");
    let refused = export("raw", "* | stats count", Value::Null).expect_err("a table has no bytes");
    assert_eq!(refused.code, ErrorCode::BadRequest);
}

#[test]
fn fields_tell_how_many_events_have_them() {
    let walk = Walk::new();
    let log = "{\"ts\":\"2026-03-01T14:05:00Z\",\"status\":200,\"zeta\":\"a\"}\n\
               {\"ts\":\"2026-03-01T14:05:01Z\",\"status\":404}\n\
               {\"ts\":\"2026-03-01T14:05:02Z\",\"status\":\"gone\",\"Alpha\":true}\n";
    let (case, _) = walk.imported(&walk.file("web.jsonl", log.as_bytes()));
    let fields = walk.ask("fields", json!({ "path": case })).expect("fields");
    let present = |name: &str| {
        let all = fields["fields"].as_array().expect("fields").iter();
        all.clone().find(|field| field["name"] == name).map(|field| field["present"].clone())
    };
    assert_eq!(present("status"), Some(json!(3)));
    assert_eq!(present("zeta"), Some(json!(1)));
    assert_eq!(present("Alpha"), Some(json!(1)));
    assert_eq!(present("source"), Some(json!(3)));
}

#[test]
fn events_without_a_time_come_last_in_both_orders() {
    let walk = Walk::new();
    let (case, _) = walk.imported(&walk.file("shop.log", LOG.as_bytes()));
    let plain = walk.file("plain.txt", b"no time in here\nnor in here\n");
    walk.ask("import", json!({ "case": case, "paths": [plain] })).expect("an import");
    for order in ["oldestFirst", "newestFirst"] {
        assert_eq!(times(&walk, &case, order), [true, true, true, false, false], "{order}");
    }
}

#[test]
fn file_that_was_unchecked_is_previewed_and_not_imported() {
    let walk = Walk::new();
    let (one, two) = (walk.file("one.log", LOG.as_bytes()), walk.file("two.log", b"2026-03-02 01:00:00 x\n"));
    let choices = json!({ "leftOut": [two] });
    let case = walk.ask("createCase", json!({ "paths": [one] })).expect("a case");
    let request = json!({ "case": case["path"], "paths": [one, two], "events": 1, "choices": choices });
    let preview = walk.ask("preview", request).expect("a preview");
    assert_eq!(preview["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(preview["estimate"]["bytesIn"], json!(LOG.len()));
    let request = json!({ "case": case["path"], "paths": [one, two], "choices": choices });
    let report = walk.ask("import", request).expect("an import");
    assert_eq!(report["case"]["sources"].as_array().map(Vec::len), Some(1));
    assert_eq!((&report["events"], &report["problems"]), (&json!(3), &json!([])));
}

#[test]
fn preview_of_a_long_file_counts_no_half_line_as_not_understood_and_says_its_latest_time() {
    let walk = Walk::new();
    let line = |minute: u32, n: usize| {
        format!("{{\"ts\":\"2026-03-01T14:{minute:02}:00Z\",\"n\":{n},\"text\":\"{}\"}}\n", "x".repeat(90))
    };
    let mut log: String = (0..12_000).map(|n| line(5, n)).collect();
    assert!(log.len() > 1 << 20);
    // Writers of one file are not in order.
    log += &(line(9, 12_000) + &line(7, 12_001));
    let path = walk.file("long.jsonl", log.as_bytes());
    let case = walk.folder.path().join("none.case");
    let request = json!({ "case": case, "paths": [path], "events": 1, "withoutEstimate": true });
    let preview = walk.ask("preview", request).expect("a preview");
    let file = &preview["files"][0];
    assert_eq!((&file["isWhole"], &file["unparsed"]), (&json!(false), &json!(0)), "{file}");
    assert!(file["events"].as_u64() > Some(7_000));
    assert_eq!((&file["first"], &file["last"]), (&nanos(0), &nanos(240)));
}

#[test]
fn source_tells_its_earliest_and_latest_time_whatever_the_order_of_its_lines() {
    let walk = Walk::new();
    let log = "2026-03-01 14:06:00 INFO b\n2026-03-01 14:05:00 INFO a\n2026-03-01 14:08:00 INFO d\n\
               2026-03-01 14:07:00 INFO c\n";
    let (_, report) = walk.imported(&walk.file("odd.log", log.as_bytes()));
    let source = &report["case"]["sources"][0];
    assert_eq!((&source["first"], &source["last"]), (&nanos(0), &nanos(180)));
}

#[test]
fn patterns_are_compared_with_a_chosen_range() {
    let walk = Walk::new();
    let at = |minute: usize, text: &str| format!("2026-03-01 14:{minute:02}:00 INFO {text}\n");
    let log =
        [at(5, "disk is full"), at(10, "all is well now"), at(15, "disk is full"), at(15, "all is well now")];
    let (case, _) = walk.imported(&walk.file("app.log", log.concat().as_bytes()));
    let view = json!({ "case": case, "query": "", "from": nanos(600), "to": nanos(700) });
    let elsewhere = |against: Value| {
        let request = json!({
            "view": view, "granularity": "template", "limit": 10, "buckets": 1, "examples": 0,
            "compare": true, "against": against, "variables": [], "values": 1,
        });
        let listed = walk.ask("patterns", request).expect("patterns");
        let all = listed["patterns"].as_array().expect("patterns").clone();
        let disk = all.iter().find(|one| one["text"] == "disk is full").expect("the pattern").clone();
        disk["elsewhere"].clone()
    };
    assert_eq!(elsewhere(Value::Null), json!(1));
    assert_eq!(elsewhere(json!({ "from": nanos(240), "to": nanos(360) })), json!(0));
    assert_eq!(elsewhere(json!({ "from": nanos(0), "to": nanos(60) })), json!(1));
}

#[test]
fn two_parts_of_a_case_are_compared() {
    let walk = Walk::new();
    let line = |second: usize| {
        let is_full = second >= 60 && second.is_multiple_of(2);
        let (level, message) = if is_full { ("warn", "disk is full") } else { ("info", "all is well") };
        let took = if second >= 60 { 900 + second } else { 10 + second };
        let time = format!("2026-03-01T14:{:02}:{:02}Z", 5 + second / 60, second % 60);
        json!({ "ts": time, "level": level, "message": message, "took": took % 1_000 }).to_string() + "\n"
    };
    let log: String = (0..120).map(line).collect();
    let (case, _) = walk.imported(&walk.file("app.jsonl", log.as_bytes()));
    let view =
        |query: &str, from: Value, to: Value| json!({ "case": case, "query": query, "from": from, "to": to });
    let (a, b) = (view("", Value::Null, nanos(60)), view("", nanos(60), Value::Null));
    let partial = std::cell::RefCell::new(Vec::new());
    let found = walk
        .ask_with("compare", json!({ "a": a, "b": b, "limit": 5 }), |report| {
            partial.borrow_mut().push(report);
        })
        .expect("a comparison");
    let first = &partial.borrow()[0];
    assert!(first["fraction"].as_f64() < Some(1.0) && first["differences"][0]["change"] == "new", "{first}");
    assert_eq!((&found["events"], &found["fraction"]), (&json!([60, 60]), &json!(1.0)));
    let row = &found["differences"][0];
    assert_eq!((&row["change"], &row["counts"]), (&json!("new"), &json!([0, 30])));
    assert_eq!(
        (&row["subject"]["kind"], &row["subject"]["text"]),
        (&json!("pattern"), &json!("disk is full"))
    );
    let pattern = format!("template={}", row["subject"]["id"].as_str().expect("an id"));
    assert_eq!(row["filter"], json!(pattern));
    let (subject, same) = (&row["also"][0]["subject"], &row["also"][0]["relation"]["kind"]);
    assert_eq!(
        (&subject["field"], &subject["value"]["text"], same),
        (&json!("level"), &json!("warn"), &json!("same"))
    );

    // The rest of the time, as a filter.
    let rest = view("NOT (time>=2026-03-01T14:06:00Z time<2026-03-01T14:07:00Z)", Value::Null, Value::Null);
    let same = walk.ask("compare", json!({ "a": rest, "b": b, "limit": 5 })).expect("a comparison");
    assert_eq!((&same["events"], &same["shared"]), (&json!([60, 60]), &json!(0)));
    assert_eq!(same["differences"][0]["subject"], row["subject"]);

    let all = view("", Value::Null, Value::Null);
    let overlap = walk.ask("compare", json!({ "a": all, "b": b, "limit": 5 })).expect("a comparison");
    assert_eq!((&overlap["shared"], overlap["notes"].as_array().map(Vec::len)), (&json!(60), Some(1)));
    let none = view("nowhere", Value::Null, Value::Null);
    let empty = walk.ask("compare", json!({ "a": none, "b": b, "limit": 5 })).expect("an answer");
    assert_eq!((&empty["events"], &empty["differences"]), (&json!([0, 60]), &json!([])));
    let wrong = view("level:(", Value::Null, Value::Null);
    let error = walk.ask("compare", json!({ "a": wrong, "b": b, "limit": 5 })).expect_err("no filter");
    assert_eq!(error.code, ErrorCode::QueryInvalid);
}

#[test]
fn cases_of_different_formats_are_compared() {
    let walk = Walk::new();
    let json = (0..60)
        .map(|second| format!("{{\"ts\":\"2026-03-01T14:05:{second:02}Z\",\"level\":\"info\",\"message\":\"all is well\"}}\n"))
        .collect::<Vec<String>>()
        .concat();
    let text = (0..60)
        .map(|second| {
            let message = if second % 2 == 0 { "ERROR disk is full" } else { "INFO all is well" };
            format!("2026-03-02 14:05:{second:02} {message}\n")
        })
        .collect::<Vec<String>>()
        .concat();
    let (before, _) = walk.imported(&walk.file("before.jsonl", json.as_bytes()));
    let (after, _) = walk.imported(&walk.file("after.log", text.as_bytes()));
    let view = |case: &str, query: &str| json!({ "case": case, "query": query, "from": null, "to": null });
    let ask =
        |a: Value, b: Value| walk.ask("compare", json!({ "a": a, "b": b, "limit": 5 })).expect("an answer");
    let found = ask(view(&before, ""), view(&after, ""));
    assert_eq!((&found["events"], &found["shared"]), (&json!([60, 60]), &json!(0)), "{found}");
    let row = &found["differences"][0];
    assert_eq!((&row["change"], &row["subject"]["text"]), (&json!("new"), &json!("disk is full")), "{found}");
    // A pattern has the same id in each case, so the rows of both find it.
    let swapped = ask(view(&after, ""), view(&before, ""));
    assert_eq!(
        (&swapped["differences"][0]["change"], &swapped["differences"][0]["filter"]),
        (&json!("gone"), &row["filter"])
    );
    let same = ask(view(&before, ""), view(&after, "level=info"));
    assert_eq!(same["differences"], json!([]), "{same}");
}

#[test]
fn reference_of_the_language_is_complete() {
    let walk = Walk::new();
    let reference = walk.ask("reference", json!({})).expect("a reference");
    let topics = reference["topics"].as_array().expect("topics");
    let names: Vec<_> = topics.iter().map(|topic| topic["name"].as_str().expect("a name")).collect();
    assert_eq!(names[..4], ["Filters", "Stages", "Aggregations", "Functions"]);
    let all = topics.iter().flat_map(|topic| topic["entries"].as_array().expect("entries"));
    assert!(all.clone().any(|entry| entry["written"][0].as_str().is_some_and(|it| it.starts_with("stats"))));
    assert!(all.clone().any(|entry| entry["written"][0] == "count_distinct(x)"));
}
