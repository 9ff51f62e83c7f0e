//! `timberline mcp` over its pipes, as an assistant talks to it, and with Python's official client.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use indexer::{Cancel, Case, ImportOptions, View};
use serde_json::{Value, json};
use timberline_tests::assistant::{Server, contents, keys_rule, rows, shop};
use timberline_tests::{files, programs, report};

const TOOLS: [&str; 14] = [
    "fields",
    "count",
    "timeline",
    "events",
    "patterns",
    "percentiles",
    "explain-selection",
    "sql",
    "detectors",
    "sigma",
    "alerts",
    "compare",
    "links",
    "map",
];

#[test]
fn every_tool_answers_over_the_pipes_what_the_engine_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shop(folder.path(), 6_000);
    let case = Case::open(&path).expect("a case");
    let count = |query: &str| {
        let view = View::parse(query, None, None).expect(query);
        case.count(&case.snapshot(), &view, &Cancel::default()).expect(query)
    };
    let errors = count("level=error");
    assert!(errors > 500);
    let before = contents(&path);
    let mut server = Server::start(&[&path]);

    let listed = server.ask("tools/list", &json!({}));
    let names: Vec<&str> =
        rows(&listed["result"], "tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, TOOLS);
    for tool in rows(&listed["result"], "tools") {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }

    let fields = server.call("fields", json!({}));
    let took = rows(&fields, "fields").iter().find(|field| field["name"] == "took_ms").expect("the field");
    assert_eq!((&took["types"], &took["events"]), (&json!(["int"]), &json!(6_000)));
    let services = server.call("fields", json!({ "field": "service", "query": "level=error" }));
    assert_eq!(services["values"], json!([{ "value": "payment", "events": errors }]));

    let counted = server.call("count", json!({ "query": "level=error" }));
    assert_eq!((&counted["count"], &counted["of"]), (&json!(errors), &json!(6_000)));

    let timeline = server.call("timeline", json!({ "query": "level=error", "buckets": 4 }));
    let counts: u64 =
        rows(&timeline, "buckets").iter().filter_map(|row| row["levels"]["error"].as_u64()).sum();
    assert_eq!(counts as usize, errors, "{timeline}");
    assert_eq!(timeline["buckets"][0]["time"], "2026-03-01T15:00:00Z");
    let split = server.call("timeline", json!({ "by": "service", "buckets": 4, "groups": 2 }));
    let by = rows(&split["buckets"][0], "by");
    assert_eq!(by.len(), 3, "two values and all others: {split}");

    let patterns = server.call("patterns", json!({ "query": "level=error", "examples": 2 }));
    assert_eq!(patterns["patterns"][0]["events"], errors, "{patterns}");
    let reference = patterns["patterns"][0]["examples"][0].as_str().expect("a reference").to_owned();
    let template = patterns["patterns"][0]["template"].as_str().expect("an id").to_owned();
    let of_template = server.call("count", json!({ "query": format!("template:{template} level=error") }));
    assert_eq!(of_template["count"], errors);

    let one = server.call("events", json!({ "event": reference, "around": 2 }));
    assert_eq!(one["event"]["event"], reference);
    assert_eq!(one["event"]["level"], "error");
    let has = |name: &str, value: &str| {
        rows(&one, "fields").iter().any(|field| field["name"] == name && field["value"] == value)
    };
    assert!(has("service", "payment"), "{one}");
    assert_eq!(rows(&one, "around").len(), 4);

    let asked =
        json!({ "query": "level=error", "order": "newest", "limit": 3, "first": 2, "columns": ["took_ms"] });
    let events = server.call("events", asked);
    assert_eq!((events["matching"].as_u64(), rows(&events, "events").len()), (Some(errors as u64), 3));
    assert_eq!(events["left_out"][0]["count"], errors - 5);
    assert!(
        events["left_out"][0]["how_to_see_more"].as_str().is_some_and(|how| how.contains("`first`: 5")),
        "{events}"
    );
    for row in rows(&events, "events") {
        assert!(row["fields"]["took_ms"].as_str().is_some(), "{row}");
        let again = server.call("events", json!({ "event": row["event"], "around": 0 }));
        assert_eq!(again["event"]["text"], row["text"], "a reference names the event for ever");
    }
    let slowest = server.call("events", json!({ "sort": "-took_ms", "limit": 1, "columns": ["took_ms"] }));
    assert_eq!(slowest["events"][0]["fields"]["took_ms"], "999");

    let asked = json!({ "field": "took_ms", "by": "service", "at": [50, 99], "from": "15:00" });
    let percentiles = server.call("percentiles", asked);
    let payment = rows(&percentiles, "rows").iter().find(|row| row["group"] == "payment").expect("a group");
    assert!(payment["p50(took_ms)"].as_f64().is_some_and(|p50| p50 > 900.0), "{percentiles}");
    let sql = "SELECT service, quantile_cont(took_ms, 0.5) AS p50, count(*) AS n FROM events \
               WHERE time >= TIMESTAMP '2026-03-01 15:00:00' GROUP BY service ORDER BY service";
    let table = server.call("sql", json!({ "statement": sql }));
    assert_eq!(table["columns"], json!(["service", "p50", "n"]));
    assert_eq!(table["rows"][1][0], "payment");
    assert_eq!(table["rows"][1][1], payment["p50(took_ms)"]);
    assert_eq!(table["rows"][1][2], payment["events"]);

    let explained = server.call("explain-selection", json!({ "from": "15:00" }));
    assert_eq!(explained["selected_events"], 3_000, "{explained}");
    assert_eq!(explained["baseline_events"], 3_000, "all other events are the baseline");
    let first = &explained["differences"][0];
    assert_eq!(first["change"], "new", "{explained}");
    let found = server.call("count", json!({ "query": first["filter"] }));
    assert_eq!(found["count"], first["selected_events"], "{first}");
    let word = &rows(&explained, "words")[0];
    let with_word = server.call("count", json!({ "query": word["word"], "from": "15:00" }));
    assert_eq!(with_word["count"], word["selected_events"], "{word}");
    let asked = json!({ "query": "service=payment", "against": "service=cart", "from": "15:00", "against_from": "15:00" });
    let sides = server.call("explain-selection", asked);
    assert_eq!(sides["selected_events"], count("service=payment time>=15:00"), "{sides}");

    let (output, rest) = server.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?} {rest:?}");
    assert_eq!(contents(&path), before, "nothing of the case changed");
}

#[test]
fn mistakes_come_back_as_tool_errors_with_span_and_nearest_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shop(folder.path(), 300);
    let mut server = Server::start(&[&path]);

    let field = server.refused("count", json!({ "query": "servce=cart" }));
    assert_eq!((&field["argument"], &field["part"]), (&json!("query"), &json!("servce")), "{field}");
    assert!(field["hint"].as_str().is_some_and(|hint| hint.contains("`service`")), "{field}");
    let clause = server.refused("timeline", json!({ "query": "level=error (" }));
    assert_eq!(clause["code"], "queryInvalid", "{clause}");
    assert!(clause["span"].is_array(), "{clause}");
    let baseline = server.refused("explain-selection", json!({ "against": "took_sm>5" }));
    assert_eq!(
        (&baseline["argument"], &baseline["part"]),
        (&json!("against"), &json!("took_sm")),
        "{baseline}"
    );
    let statement = server.refused("sql", json!({ "statement": "SELECT servce FROM events" }));
    assert_eq!(
        (&statement["argument"], &statement["part"]),
        (&json!("statement"), &json!("servce")),
        "{statement}"
    );
    let no_numbers = server.refused("percentiles", json!({ "field": "service" }));
    assert!(no_numbers["hint"].as_str().is_some_and(|hint| hint.contains("took_ms")), "{no_numbers}");
    let column = server.refused("events", json!({ "columns": ["servic"] }));
    assert!(column["hint"].as_str().is_some_and(|hint| hint.contains("`service`")), "{column}");
    let time = server.refused("count", json!({ "from": "noon" }));
    assert_eq!((&time["argument"], &time["span"]), (&json!("from"), &json!([0, 4])), "{time}");
    let argument = server.refused("count", json!({ "qery": "*" }));
    assert!(argument["hint"].as_str().is_some_and(|hint| hint.contains("`query`")), "{argument}");
    let wrong = server.refused("events", json!({ "limit": 100_000 }));
    assert_eq!(wrong["argument"], "limit", "{wrong}");
    for reference in ["shop#0:1", "shop#9:0", "shop#x", "shp#0:0", "nonsense"] {
        let unknown = server.refused("events", json!({ "event": reference }));
        assert_eq!(unknown["argument"], "event", "{unknown}");
        assert!(unknown["hint"].is_string(), "{unknown}");
    }
    let case = server.refused("count", json!({ "case": "shp" }));
    assert!(case["hint"].as_str().is_some_and(|hint| hint.contains("`shop`")), "{case}");

    // Nothing but the case is read, whatever a log talks an assistant into.
    let secret = folder.path().join("secret.csv");
    fs::write(&secret, "a\nhidden-value\n").expect("a file");
    for statement in [
        format!("SELECT * FROM '{}'", secret.display()),
        format!("SELECT * FROM events WHERE service IN (SELECT a FROM \"{}\")", secret.display()),
        format!("SELECT * FROM read_csv('{}')", secret.display()),
        "DROP TABLE events".to_owned(),
    ] {
        let refused = server.refused("sql", json!({ "statement": statement }));
        assert!(!refused.to_string().contains("hidden-value"), "{refused}");
    }
    let piped = server.refused("count", json!({ "query": format!("* | lookup {} a", secret.display()) }));
    assert_eq!(piped["argument"], "query", "{piped}");

    let nothing = server.call("count", json!({ "query": "connexion" }));
    assert_eq!(nothing["count"], 0);
    assert!(nothing["advice"].as_str().is_some_and(|advice| advice.contains("`connection`")), "{nothing}");
    drop(server.end());
}

#[test]
fn sql_reads_files_below_the_folders_that_are_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, tables) = (shop(folder.path(), 60), folder.path().join("tables"));
    fs::create_dir(&tables).expect("made");
    fs::write(tables.join("owners.csv"), "service,owner\ncart,Ann\n").expect("a file");
    fs::write(folder.path().join("secret.csv"), "service,owner\ncart,hidden-value\n").expect("a file");
    let statement = |name: &str| {
        let file = folder.path().join(name);
        json!({ "statement": format!("SELECT owner FROM '{}'", file.display()) })
    };

    let mut server = Server::start(&[&path]);
    let refused = server.refused("sql", statement("tables/owners.csv"));
    assert_eq!(
        (&refused["code"], &refused["argument"]),
        (&json!("notAllowed"), &json!("statement")),
        "{refused}"
    );
    let hint = refused["hint"].as_str().expect("a hint");
    assert!(
        hint.contains("--allow-files") && refused["part"].to_string().contains("owners.csv"),
        "{refused}"
    );
    assert_eq!(server.refused("sql", statement("none.csv"))["code"], "notAllowed");
    drop(server.end());

    let mut server = Server::start(&[&path, Path::new("--allow-files"), &tables]);
    assert_eq!(server.call("sql", statement("tables/owners.csv"))["rows"], json!([["Ann"]]));
    let mut outside = vec!["secret.csv", "tables/../secret.csv"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.csv", tables.join("link.csv")).expect("a link");
        outside.push("tables/link.csv");
    }
    for name in outside {
        assert_eq!(server.refused("sql", statement(name))["code"], "notAllowed", "{name}");
    }
    drop(server.end());
}

#[test]
fn protocol_errors_are_answered_and_the_server_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shop(folder.path(), 60);
    let mut server = Server::start(&[&path]);
    let unknown = server.ask("tools/call", &json!({ "name": "event", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32_602);
    assert!(unknown["error"]["message"].as_str().is_some_and(|text| text.contains("`events`")), "{unknown}");
    // Clients of releases without `initialize` ask this first, and take the error as a sign of an earlier one.
    assert_eq!(server.ask("server/discover", &json!({}))["error"]["code"], -32_601);
    assert_eq!(server.ask("ping", &Value::Null)["result"], json!({}));
    for (version, expected) in
        [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")]
    {
        let reply = server.ask("initialize", &json!({ "protocolVersion": version }));
        assert_eq!(reply["result"]["protocolVersion"], expected);
        let instructions = reply["result"]["instructions"].as_str().expect("a text");
        assert!(instructions.contains("- shop: 60 events"), "{instructions}");
    }

    for (line, code) in [
        ("{ not json", -32_700),
        ("\u{fffd}", -32_700),
        ("[]", -32_600),
        ("7", -32_600),
        (r#"{"jsonrpc":"2.0","id":5}"#, -32_600),
        (r#"{"id":5,"method":"ping"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600),
    ] {
        server.send(line);
        let reply = server.read();
        assert_eq!(reply["error"]["code"], code, "{line}: {reply}");
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(2 << 20));
    server.send(&long);
    assert_eq!(server.read()["error"]["code"], -32_600);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    server.send(&deep);
    assert_eq!(server.read()["error"]["code"], -32_700);
    server.send("");
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#);
    server.send(r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    server.send(
        r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
            {"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"count","arguments":{"seconds":60}}}]"#
            .replace('\n', " ")
            .as_str(),
    );
    let batch = server.read();
    let ids: Vec<&Value> = batch.as_array().expect("a batch").iter().map(|reply| &reply["id"]).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(server.call("count", json!({}))["count"], 60, "it still answers");
    let (output, rest) = server.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?} {rest:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn cancelled_call_is_not_answered_and_slow_one_says_it_is_partial() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shop(folder.path(), 200_000);
    let mut server = Server::start(&[&path]);
    // A scan of all texts for something that no index knows.
    let scan = |number: u64| format!("/user [0-9]*{number}[0-9]*7 ?x/");
    let call = |id: &str, query: &str, seconds: f64| {
        let params = json!({ "name": "count", "arguments": { "query": query, "seconds": seconds } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "slow" } });
    // Both in one write, so that the second is read while the first is under way.
    server.send(&format!("{}\n{cancel}", call("slow", &scan(1), 60.0)));
    let counted = server.call("count", json!({ "query": scan(2) }));
    assert_eq!(counted["count"], 0);
    // A millisecond is less than a scan takes: it is partial, or there is nothing of it yet.
    let (answer, is_error) = server.try_call("count", json!({ "query": scan(3), "seconds": 0.001 }));
    if is_error {
        assert_eq!(answer["error"]["code"], "cancelled", "{answer}");
        assert!(answer["error"]["hint"].as_str().is_some_and(|hint| hint.contains("`seconds`")), "{answer}");
    } else {
        assert!(answer["partial"].as_str().is_some_and(|text| text.starts_with("Partial")), "{answer}");
    }
    let (_, rest) = server.end();
    assert!(rest.is_empty(), "the cancelled call has no answer: {rest:?}");
}

#[test]
fn huge_results_are_cut_and_say_what_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("huge.json");
    let mut text = String::new();
    for event in 0..400 {
        let mut fields = String::new();
        for field in 0..120 {
            write!(fields, ",\"f{field:03}\":\"{}\"", "\\u0001\\\"".repeat(40)).expect("text grows");
        }
        writeln!(text, "{{\"time\":\"2026-03-01T14:00:{:02}Z\",\"n\":{event}{fields}}}", event % 60)
            .expect("text grows");
    }
    fs::write(&log, text).expect("a log");
    let path = folder.path().join("huge.case");
    let case = Case::create(&path).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    let mut server = Server::start(&[&path]);
    // `try_call` checks the size of every answer.
    let events = server.call("events", json!({ "limit": 200 }));
    let listed = rows(&events, "events").len();
    assert!(listed > 5 && listed < 200, "{listed}");
    assert_eq!(events["left_out"][0]["count"], 400 - listed);
    assert_eq!(events["events"][0]["cut"], true);
    let table = server.call("sql", json!({ "statement": "SELECT * FROM events", "limit": 200 }));
    let rows_listed = rows(&table, "rows").len();
    assert!(rows_listed > 0, "{}", table["columns"]);
    assert_eq!(table["left_out"][0]["count"], 400 - rows_listed);
    let one = server.call("events", json!({ "event": events["events"][0]["event"], "around": 50 }));
    assert!(
        !rows(&one, "fields").is_empty() && one["left_out"][0]["count"].as_u64().is_some_and(|left| left > 0)
    );
    let fields = server.call("fields", json!({ "limit": 200 }));
    assert!(rows(&fields, "fields").len() > 100);
    drop(server.end());
}

#[test]
fn several_cases_are_asked_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = ["a", "b"].map(|name| folder.path().join(name));
    for place in &places {
        fs::create_dir(place).expect("a folder");
    }
    let (first, second) = (shop(&places[0], 60), shop(&places[1], 90));
    let mut server = Server::start(&[&first, &second]);
    let unnamed = server.refused("count", json!({}));
    assert!(unnamed["hint"].as_str().is_some_and(|hint| hint.contains("shop, shop 2")), "{unnamed}");
    assert_eq!(server.call("count", json!({ "case": "shop" }))["count"], 60);
    assert_eq!(server.call("count", json!({ "case": "shop 2" }))["count"], 90);
    let listed = server.call("events", json!({ "case": "shop 2", "limit": 1 }));
    let reference = listed["events"][0]["event"].as_str().expect("a reference").to_owned();
    assert_eq!(reference, "shop 2#0:0");
    assert_eq!(server.call("events", json!({ "event": reference }))["case"], "shop 2");
    drop(server.end());

    let none = Command::new(programs::timberline()).args(["mcp", "nowhere.case"]).output().expect("it runs");
    assert_eq!((none.status.code(), none.stdout.len()), (Some(3), 0), "{none:?}");
    let cluster =
        Command::new(programs::timberline()).args(["mcp", "remote:prod"]).output().expect("it runs");
    assert_eq!(cluster.status.code(), Some(2), "{cluster:?}");
}

#[test]
fn python_client_lists_and_calls_every_tool() {
    let named = std::env::var("TIMBERLINE_PYTHON").ok();
    let works = |python: &String| {
        let tried = Command::new(python).args(["-c", "import mcp"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let Some(python) = named.into_iter().chain(["python3".to_owned()]).find(works) else {
        return report::skipped("no Python with the package mcp is here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = shop(folder.path(), 3_000);
    let script = files::root().join("tests/tests/mcp/client.py");
    let rules = keys_rule(folder.path());
    let run = Command::new(python)
        .arg(script)
        .arg(programs::timberline())
        .args([&path, &rules])
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    let tools = "alerts compare count detectors events explain-selection fields links map patterns percentiles sigma sql \
                 timeline";
    assert_eq!(said.lines().collect::<Vec<_>>(), [tools, "14 answered", "1 refused"], "{said}");
}
