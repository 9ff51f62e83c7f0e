//! A case that is shown with a cluster: the calls of the contract are answered by both of them, and what only one could
//! answer is refused. The same on the command line.

use std::fs;
use std::path::Path;
use std::process::{Command as Program, Output};

use indexer::{Cancel, Case, ImportOptions};
use remote::{Remote, Remotes};
use serde_json::{Value, json};
use timberline_tests::programs;
use wire::{Command, Session, Start};

use crate::cluster;

use cluster::server::{FakeCluster, Fault};

const EVENTS: usize = 600;
const START_MS: i64 = 1_772_373_600_000;

fn document(n: usize) -> Value {
    json!({
        "@timestamp": indexer::stamp::to_rfc3339((START_MS + n as i64 * 1_000) * 1_000_000),
        "n": n,
        "message": format!("request {n} to upstream"),
        "level": (["info", "warn", "error"])[n % 3],
        "service": (["cart", "payment"])[n % 2],
        "duration": (n * 37 % 100) as f64 / 4.0,
    })
}

fn properties() -> Value {
    json!({
        "@timestamp": {"type": "date"},
        "n": {"type": "long"},
        "message": {"type": "keyword"},
        "level": {"type": "keyword"},
        "service": {"type": "keyword"},
        "duration": {"type": "double"},
    })
}

/// Every third event is in the case, the others are in the cluster.
struct Workbench {
    fake: FakeCluster,
    session: Session,
    case: String,
    path: String,
    home: tempfile::TempDir,
}

fn imported(folder: &Path, documents: &[Value]) -> String {
    let log = folder.join("own.ndjson");
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case.folder().to_string_lossy().into_owned()
}

impl Workbench {
    fn started() -> Workbench {
        let of =
            |own: bool| (0..EVENTS).filter(move |n| (n % 3 == 0) == own).map(document).collect::<Vec<_>>();
        let fake = FakeCluster::start(of(false), properties());
        let home = tempfile::tempdir().expect("a folder");
        let mut remotes = Remotes::default();
        remotes.add(Remote::new("prod", &fake.url(), "logs-*").expect("a remote"));
        remotes.write(home.path()).expect("written");
        let case = imported(home.path(), &of(true));
        let session = Session::new(Start::browser(home.path().to_path_buf()));
        let path = format!("with:prod:{case}");
        Workbench { fake, session, case, path, home }
    }

    // Arguments are written where the call is made.
    #[allow(clippy::needless_pass_by_value)]
    fn try_call(&self, command: &str, args: Value) -> Result<Value, Value> {
        let command: Command =
            serde_json::from_value(json!({"command": command, "args": args})).expect("a command");
        let answer = self.session.dispatch("call", command, |_| {});
        answer.map_err(|error| serde_json::to_value(error).expect("JSON"))
    }

    fn call(&self, command: &str, args: Value) -> Value {
        self.try_call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    fn view(&self, query: &str) -> Value {
        json!({"case": self.path, "query": query, "from": null, "to": null})
    }

    fn page(&self, query: &str, order: &str, first: usize, count: usize) -> Value {
        self.call(
            "page",
            json!({"view": self.view(query), "order": order, "first": first, "count": count, "columns": ["n"]}),
        )
    }
}

fn numbers(rows: &Value) -> Vec<usize> {
    let number = |row: &Value| row["values"][0].as_str().and_then(|n| n.parse().ok()).expect("a number");
    rows.as_array().expect("rows").iter().map(number).collect()
}

#[test]
fn case_and_cluster_are_one_list_one_timeline_and_one_table() {
    let bench = Workbench::started();
    let opened = bench.call("openCase", json!({"path": bench.path}));
    assert_eq!((&opened["events"], &opened["path"]), (&json!(EVENTS), &json!(bench.path)));
    assert_eq!(opened["shownWith"][0]["name"], "prod");
    assert!(opened["remote"].is_null() && opened["readOnly"].is_string(), "{opened}");
    assert_eq!(opened["sources"].as_array().map(Vec::len), Some(2), "{opened}");

    let page = bench.page("", "oldestFirst", 250, 20);
    assert_eq!(page["total"], json!(EVENTS));
    assert_eq!(numbers(&page["rows"]), (250..270).collect::<Vec<_>>());
    let page = bench.page("service:cart", "newestFirst", 17, 9);
    assert_eq!(numbers(&page["rows"]), (0..9).map(|at| EVENTS - 2 - 2 * (17 + at)).collect::<Vec<_>>());

    let timeline = bench.call("timeline", json!({"view": bench.view("level>=warn"), "buckets": 30}));
    assert_eq!(timeline["total"], json!(EVENTS / 3 * 2));
    let lanes = timeline["lanes"].as_array().expect("lanes");
    assert_eq!((lanes.len(), &lanes[0]["remote"], &lanes[1]["remote"]), (2, &Value::Null, &json!("prod")));
    assert_eq!((&lanes[0]["total"], &lanes[1]["total"]), (&json!(0), &json!(EVENTS / 3 * 2)));

    let run = json!({"view": bench.view("* | stats count, p95(duration), count_distinct(service) as services by level | sort level"),
        "zone": null, "first": 0, "count": 10});
    let table = bench.call("run", run);
    let counts: Vec<&Value> = table["rows"].as_array().expect("rows").iter().map(|row| &row[1]).collect();
    assert_eq!(counts, [&json!(200), &json!(200), &json!(200)], "{table}");
    let facets = bench.call(
        "facets",
        json!({"view": bench.view(""), "fields": ["service", "level"], "top": 5, "buckets": 10}),
    );
    assert_eq!(
        (&facets["fields"][0]["present"], &facets["fields"][0]["distinct"]),
        (&json!(EVENTS), &json!(2))
    );
    let time = json!({"kind": "time", "interval": {"kind": "auto", "buckets": 20}, "zone": "UTC"});
    let chart = bench.call("aggregate", json!({"view": bench.view(""), "by": [time], "measures": []}));
    assert_eq!(chart["total"], json!(EVENTS));
    let fields = bench.call("fields", json!({"path": bench.path}))["fields"].clone();
    let level = fields.as_array().expect("fields").iter().find(|field| field["name"] == "level");
    assert_eq!(level.expect("the level")["present"], json!(EVENTS));
}

#[test]
fn events_of_both_are_opened_located_sought_and_surrounded() {
    let bench = Workbench::started();
    let page = bench.page("", "oldestFirst", 300, 2);
    for (row, own) in [(0, true), (1, false)] {
        let row = &page["rows"][row];
        let n = row["values"][0].as_str().and_then(|n| n.parse::<usize>().ok()).expect("a number");
        let detail = bench.call("event", json!({"case": bench.path, "id": row["id"]}));
        assert!(
            detail["text"].as_str().expect("a text").contains(&format!("request {n} to upstream")),
            "{detail}"
        );
        assert_eq!(detail["source"]["name"] == "prod: logs", !own, "{detail}");
        assert_eq!(detail["hex"] == "", !own, "only a case has bytes");
        let place =
            json!({"view": bench.view(""), "order": "newestFirst", "time": row["time"], "event": row["id"]});
        assert_eq!(bench.call("locate", place)["row"], json!(EVENTS - 1 - n));
        let around = json!({"case": bench.path, "id": row["id"], "around": {"kind": "everywhere"}, "before": 4, "after": 3,
            "columns": ["n"]});
        let around = bench.call("context", around);
        assert_eq!(numbers(&around["before"]), (n - 4..n).collect::<Vec<_>>());
        assert_eq!(numbers(&around["after"]), (n + 1..n + 4).collect::<Vec<_>>());
        let sharing = json!({"case": bench.path, "id": row["id"], "around": {"kind": "sharing", "field": "service"},
            "before": 2, "after": 1, "columns": ["n"]});
        let around = bench.call("context", sharing);
        assert_eq!(numbers(&around["before"]), [n - 4, n - 2]);
    }
    let seek = |from: Value, backward: bool, wanted: &str| {
        let asked = json!({"view": bench.view(""), "order": "oldestFirst", "from": from, "backward": backward, "wanted": wanted});
        bench.call("seek", asked)["row"].clone()
    };
    assert_eq!(seek(json!(10), false, "level:warn"), json!(13));
    assert_eq!(seek(json!(10), true, "level:info"), json!(9));
    assert_eq!(seek(Value::Null, true, "n<100"), json!(99));
    assert_eq!(seek(json!(599), false, "*"), Value::Null);
    let trails = bench.call("follow", json!({"case": bench.path, "value": "payment"}));
    assert_eq!(trails["trails"].as_array().map(Vec::len), Some(2), "{trails}");
    let jump = json!({"view": bench.view(""), "order": "oldestFirst", "time": ((START_MS + 123_400) * 1_000_000).to_string()});
    assert_eq!(bench.call("locate", jump)["row"], json!(124));
}

#[test]
fn what_one_of_them_cannot_answer_is_said_and_never_answered_by_the_other_alone() {
    let bench = Workbench::started();
    let patterns =
        bench.try_call("detectors", json!({"path": bench.path})).expect_err("detectors are a case's");
    assert_eq!(patterns["code"], "notAvailable");
    let sorted = json!({"view": bench.view(""), "field": "n", "descending": true, "first": 0, "count": 3});
    assert_eq!(bench.try_call("sortedPage", sorted).expect_err("by time only")["code"], "notAvailable");
    let check = bench.call("check", json!({"case": bench.path, "query": "nowhere:1", "kql": false}));
    assert_eq!(check["diagnostics"][0]["isError"], json!(true), "{check}");
    let check =
        bench.call("check", json!({"case": bench.path, "query": "service:cart duration>1", "kql": false}));
    assert_eq!(check["diagnostics"], json!([]), "{check}");
    let sql = bench.call("check", json!({"case": bench.path, "query": "SELECT 1", "kql": false}));
    assert_eq!(sql["diagnostics"][0]["isError"], json!(true));
    let refused = || Fault::Status(401, Vec::new(), json!({"error": {"reason": "no"}}).to_string());
    bench.fake.fail("/_search", vec![Some(refused())]);
    let timeline = bench.call("timeline", json!({"view": bench.view(""), "buckets": 30}));
    assert_eq!(timeline["total"], json!(EVENTS / 3));
    let missing = timeline["remote"]["missing"][0].as_str().expect("what is missing").to_owned();
    assert!(missing.starts_with("nothing from prod: "), "{missing}");
    // It is not asked again until somebody wants it, and all answers say so.
    let before = bench.fake.asked("/_search").len();
    let page = bench.page("", "oldestFirst", 0, 10);
    assert_eq!((&page["total"], bench.fake.asked("/_search").len()), (&json!(EVENTS / 3), before));
    assert!(page["remote"]["missing"][0].as_str().expect("said").starts_with("nothing from prod"), "{page}");
    let opened = bench.call("openCase", json!({"path": bench.path}));
    assert_eq!(opened["events"], json!(EVENTS), "it answers again: {opened}");
    assert_eq!(bench.page("", "oldestFirst", 0, 10)["total"], json!(EVENTS));
    bench.fake.fail("/_search", vec![Some(Fault::Partial)]);
    let table = json!({"view": bench.view("* | stats count"), "zone": null, "first": 0, "count": 1});
    assert!(
        bench.call("run", table)["remote"]["missing"][0].as_str().expect("said").contains("shards failed")
    );
    // A case by itself is as it was.
    let alone = bench.call("openCase", json!({"path": bench.case}));
    assert_eq!((&alone["events"], alone["shownWith"].is_null()), (&json!(EVENTS / 3), true));
}

#[test]
fn command_line_asks_a_case_with_a_remote() {
    let bench = Workbench::started();
    let run = |arguments: &[&str]| -> Output {
        let mut program = Program::new(programs::timberline());
        program.arg("query").arg(&bench.case).args(["--with", "remote:prod"]).args(arguments);
        program.env("TIMBERLINE_HOME", bench.home.path()).output().expect("it runs")
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let counted = run(&["level>=warn", "--count"]);
    assert_eq!(text(&counted.stdout), "400\n", "{}", text(&counted.stderr));
    let listed = run(&["*", "--format", "ndjson", "--sort", "-time", "--limit", "7"]);
    let found: Vec<Value> =
        text(&listed.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let found: Vec<&Value> = found.iter().map(|event| &event["n"]).collect();
    let expected: Vec<Value> = (0..7).map(|at| json!(EVENTS - 1 - at)).collect();
    assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{}", text(&listed.stderr));
    let csv = run(&["n<4", "--format", "csv"]);
    assert_eq!(text(&csv.stdout).lines().count(), 5, "{}", text(&csv.stdout));
    let table = run(&["* | stats count, sum(n) as sum by service", "--format", "csv"]);
    let expected = "service,count,sum\ncart,300,89700\npayment,300,90000\n";
    assert_eq!(text(&table.stdout).replace('\r', ""), expected, "{}", text(&table.stderr));
    let sorted = run(&["*", "--sort", "n"]);
    assert!(text(&sorted.stderr).contains("listed by time"), "{}", text(&sorted.stderr));
    bench.fake.fail("/_search", vec![Some(Fault::Partial), Some(Fault::Partial)]);
    let partial = run(&["*", "--count"]);
    assert_eq!(partial.status.code(), Some(1));
    assert!(
        text(&partial.stderr).contains("partial: prod: 1 of 2 shards failed"),
        "{}",
        text(&partial.stderr)
    );
    let unknown = run(&["*", "--with", "prod"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
}
