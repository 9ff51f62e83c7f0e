//! Events pushed to a cluster: every event once, whatever happens on the way.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::query::parse_query;
use indexer::{Cancel, Case, ImportOptions, View};
use remote::{Client, Cluster, PushOptions, PushTarget, Pushed, Remote, Remotes, Source};
use serde_json::{Value, json};
use timberline_tests::programs;
use wire::{Session, Start};

use crate::cluster;

use cluster::logs::{PATIENCE, patient};
use cluster::server::{FakeCluster, Fault};

/// A case with events of 2 KB, so that a push takes several requests.
fn case_of(folder: &Path, events: usize, message: &dyn Fn(usize) -> String) -> Case {
    let lines: Vec<String> = (0..events)
        .map(|n| {
            let time = indexer::stamp::to_rfc3339((1_772_373_600_000 + n as i64 * 3_000) * 1_000_000);
            json!({
                "@timestamp": time, "level": (["info", "error"])[n % 2], "message": message(n), "n": n, "took": n as f64 / 8.0,
                "client": format!("10.0.{}.{}", n / 250, n % 250), "pod": {"name": format!("pod-{}", n % 3)},
            })
            .to_string()
        })
        .collect();
    let log = folder.join("app.ndjson");
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case
}

fn long(n: usize) -> String {
    format!("event {n} {}", "padding ".repeat(250))
}

fn options(checkpoints: Option<&Path>) -> PushOptions {
    PushOptions {
        index: "logs-pushed".to_owned(),
        data_stream: false,
        with_original: false,
        rate: None,
        senders: 2,
        checkpoints: checkpoints.map(Path::to_owned),
    }
}

fn pushed(fake: &FakeCluster, case: &Case, filter: &str, options: &PushOptions) -> indexer::Result<Pushed> {
    let remote = Remote::new("test", &fake.url(), "logs-pushed").expect("a remote");
    let client = Arc::new(Client::new(&remote, patient(), &Cancel::default()).expect("a client"));
    let target = PushTarget { client: &client, url: &remote.url };
    let view = remote::filter_of(&parse_query(filter).expect(filter)).expect("a filter");
    let source = Source { case, snapshot: &case.snapshot(), view: &view };
    remote::push(&target, &source, options, &mut |_| {}, &Cancel::default())
}

/// The numbers of the events that the cluster has.
fn numbers(fake: &FakeCluster) -> BTreeSet<u64> {
    let state = fake.state.lock().expect("no panic");
    let numbers: Vec<u64> =
        state.documents.values().map(|document| document["n"].as_u64().expect("a number")).collect();
    let set: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(set.len(), numbers.len(), "an event is there twice");
    set
}

fn empty() -> FakeCluster {
    FakeCluster::start(Vec::new(), json!({}))
}

#[test]
fn events_are_documents_that_answer_as_the_case_does() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 600, &|n| format!("event {n}"));
    let pushed_events = pushed(&fake, &case, "level:error", &options(None)).expect("a push");
    assert_eq!((pushed_events.created, pushed_events.known), (300, 0));
    let again = pushed(&fake, &case, "*", &options(None)).expect("a push");
    assert_eq!((again.created, again.known, again.refused.len()), (300, 300, 0));
    assert_eq!(numbers(&fake).len(), 600);
    let template = fake.state.lock().expect("no panic").template.clone().expect("a template");
    let properties = &template["template"]["mappings"]["properties"];
    for (path, expected) in [
        ("/@timestamp", "date"),
        ("/n", "long"),
        ("/took", "double"),
        ("/client", "ip"),
        ("/message", "text"),
        ("/pod/properties/name", "keyword"),
        ("/log/properties/level", "keyword"),
    ] {
        assert_eq!(properties.pointer(path).expect(path)["type"], expected, "{path}");
    }
    let remote = Remote::new("test", &fake.url(), "logs-pushed").expect("a remote");
    let cluster = Cluster::connect(&remote, patient(), &Cancel::default()).expect("a cluster");
    for text in [
        "level>=error",
        "source:app.ndjson client:10.0.1.0/24",
        "n<100 took>=3.5",
        "pod.name:pod-2",
        "line:7",
        "NOT level:error",
    ] {
        let view = View::parse(text, None, None).expect(text);
        let local = case.count(&case.snapshot(), &view, &Cancel::default()).expect(text);
        let asked = remote::Asked { filter: view.filter, from: None, to: None, zone: "UTC".to_owned() };
        assert_eq!(cluster.count(&asked).expect(text).value, local as u64, "{text}");
    }
    let view = View::parse("*", None, None).expect("a view");
    let source = Source { case: &case, snapshot: &case.snapshot(), view: &view };
    let hours = remote::compare_hours(&cluster, &source, &Cancel::default()).expect("counts");
    assert!(hours.len() == 1 && hours[0].case == 600 && hours[0].remote == 600, "{hours:?}");
    fake.state.lock().expect("no panic").documents.pop_first();
    let hours = remote::compare_hours(&cluster, &source, &Cancel::default()).expect("counts");
    assert_eq!((hours[0].case, hours[0].remote), (600, 599));
}

#[test]
fn storms_broken_connections_and_full_queues_lose_and_double_nothing() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 3_000, &|n| {
        if n % 50 == 7 { format!("not now {}", long(n)) } else { long(n) }
    });
    let busy = || Some(Fault::Status(429, vec![("retry-after", "0".to_owned())], String::new()));
    let too_large = Some(Fault::Status(413, Vec::new(), "{}".to_owned()));
    fake.fail(
        "/_bulk",
        vec![
            None,
            busy(),
            Some(Fault::CutBefore),
            too_large,
            Some(Fault::CutWithin),
            busy(),
            Some(Fault::Status(503, Vec::new(), String::new())),
        ],
    );
    let pushed = pushed(&fake, &case, "*", &options(None)).expect("a push");
    assert_eq!(pushed.created + pushed.known, 3_000, "{pushed:?}");
    assert!(pushed.retries >= 30, "{pushed:?}");
    assert_eq!(numbers(&fake).len(), 3_000);
}

#[test]
fn refused_documents_are_counted_with_the_reason() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 40, &|n| {
        if n % 10 == 3 { "refuse me".to_owned() } else { format!("event {n}") }
    });
    let pushed = pushed(&fake, &case, "*", &options(None)).expect("a push");
    assert_eq!(pushed.created, 36);
    let refused: Vec<(&str, u64)> =
        pushed.refused.iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    assert_eq!(refused, [("document_parsing_exception: refused", 4)]);
}

#[test]
fn push_goes_on_after_an_error_where_it_ended() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 3_000, &long);
    let checkpoints = folder.path().join("push");
    let one = PushOptions { senders: 1, ..options(Some(&checkpoints)) };
    fake.fail(
        "/_bulk",
        vec![None, None, Some(Fault::Status(400, Vec::new(), r#"{"error":"no"}"#.to_owned()))],
    );
    let error = pushed(&fake, &case, "*", &one).expect_err("refused");
    assert!(error.message().contains("refused the request with 400"), "{error}");
    let there = numbers(&fake).len() as u64;
    assert!(there > 0 && there < 3_000, "{there}");
    let rest = pushed(&fake, &case, "*", &one).expect("a push");
    // A request that waited for the refused one to be answered may be there beyond the checkpoint.
    assert!(rest.skipped > 0, "{rest:?}");
    assert_eq!((rest.skipped + rest.known, rest.created), (there, 3_000 - there));
    assert_eq!(numbers(&fake).len(), 3_000);
    assert_eq!(fs::read_dir(&checkpoints).expect("a folder").count(), 0, "a whole push leaves no checkpoint");
}

fn timberline(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(programs::timberline());
    command.args(arguments).env("TIMBERLINE_HOME", home);
    command
}

#[test]
fn push_that_is_killed_again_and_again_has_every_event_once() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 6_000, &long);
    let home = folder.path().join("home");
    let added = timberline(&home, &["remote", "add", "prod", &fake.url(), "--index", "logs-*"]).status();
    assert!(added.expect("it runs").success());
    let path = case.folder().to_string_lossy().into_owned();
    let arguments = ["push", path.as_str(), "*", "--to", "remote:prod", "--index", "logs-pushed", "--json"];
    for _ in 0..20 {
        let before = fake.asked("/_bulk").len();
        let mut child = timberline(&home, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let began = Instant::now();
        while fake.asked("/_bulk").len() == before && child.try_wait().expect("a state").is_none() {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    let done = timberline(&home, &arguments).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(numbers(&fake).len(), 6_000);
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(result["different"], json!([]), "{result}");
}

#[test]
fn dry_run_sends_nothing_and_a_file_has_the_same_documents() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 50, &|n| format!("event {n}"));
    let path = case.folder().to_string_lossy().into_owned();
    let file = folder.path().join("events.ndjson");
    let run = |arguments: &[&str]| timberline(folder.path(), arguments).output().expect("it runs");
    let dry = run(&["push", &path, "*", "--to", "remote:none", "--index", "logs-pushed", "--dry-run"]);
    assert!(
        dry.status.success() && String::from_utf8_lossy(&dry.stderr).contains("50 events would be sent"),
        "{dry:?}"
    );
    let template: Value = serde_json::from_slice(&dry.stdout).expect("JSON");
    assert_eq!(template["template"]["settings"]["index"]["codec"], "best_compression");
    let written =
        run(&["push", &path, "level:error", "--to-file", &file.to_string_lossy(), "--index", "logs-pushed"]);
    assert!(written.status.success(), "{written:?}");
    pushed(&fake, &case, "level:error", &options(None)).expect("a push");
    let text = fs::read_to_string(&file).expect("a file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let documents: Vec<(String, Value)> = lines
        .chunks(2)
        .map(|pair| (pair[0]["create"]["_id"].as_str().expect("an id").to_owned(), pair[1].clone()))
        .collect();
    let there: Vec<(String, Value)> =
        fake.state.lock().expect("no panic").documents.clone().into_iter().collect();
    let sorted = |mut all: Vec<(String, Value)>| {
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    };
    assert_eq!(sorted(documents), there);
    assert_eq!(lines[0]["create"]["_index"], "logs-pushed");
    let refused = run(&["push", &path, "* | stats count", "--to-file", "x", "--index", "logs-pushed"]);
    assert_eq!(refused.status.code(), Some(2), "stages make tables");
}

#[test]
fn plan_is_calculated_from_the_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), 50, &|n| format!("event {n}"));
    let path = case.folder().to_string_lossy().into_owned();
    let bytes: u64 = case.snapshot().sources().iter().map(|source| source.bytes).sum();
    let arguments = [
        "plan",
        &path,
        "--per-day",
        "500GB",
        "--keep",
        "30d",
        "--hot",
        "3d",
        "--warm",
        "7d",
        "--cold",
        "20d",
    ];
    let planned = timberline(folder.path(), &arguments).arg("--json").output().expect("it runs");
    let plan: Value = serde_json::from_slice(&planned.stdout).expect("JSON");
    let value = |name: &str| {
        let figures = plan["figures"].as_array().expect("figures");
        figures
            .iter()
            .find(|figure| figure["name"] == name)
            .map(|figure| figure["value"].as_f64().expect("a number"))
    };
    assert_eq!(value("raw bytes an event"), Some(bytes as f64 / 50.0), "{plan}");
    let expected = 500e9_f64 * 7.0 * 2.0 * 1.1 * 1.25;
    assert!(value("warm: storage").is_some_and(|found| (found / expected - 1.0).abs() < 1e-9), "{plan}");
    let text = timberline(folder.path(), &arguments).output().expect("it runs");
    assert!(String::from_utf8_lossy(&text.stdout).contains("hot: nodes by disk"), "{text:?}");
    let page = folder.path().join("plan.html");
    let written = timberline(folder.path(), &arguments).arg("--html").arg(&page).output().expect("it runs");
    assert!(written.status.success() && written.stdout == text.stdout, "{written:?}");
    let page = fs::read_to_string(&page).expect("a page");
    assert_eq!(
        page.matches("<tr>").count(),
        plan["figures"].as_array().expect("figures").len() + 1,
        "{page}"
    );
    assert!(page.contains("<h1>a</h1>") && page.contains("stated default; --merged-ratio"), "{page}");
    let fake = empty();
    timberline(folder.path(), &["remote", "add", "prod", &fake.url(), "--index", "logs"])
        .status()
        .expect("it runs");
    let measured = timberline(folder.path(), &arguments)
        .args(["--measure", "remote:prod", "--json"])
        .output()
        .expect("it runs");
    let plan: Value = serde_json::from_slice(&measured.stdout).expect("JSON");
    let ratio = |which: &str, how: &str| {
        let name = format!("index bytes for a raw byte, {which}");
        let mut figures = plan["figures"].as_array().expect("figures").iter();
        let ratio = figures.find(|one| one["name"] == name.as_str()).expect(which);
        assert_eq!(ratio["from"], format!("measured at remote:prod with 50 events, {how}"));
        ratio["value"].as_f64().expect("a number")
    };
    let (unmerged, merged) =
        (ratio("unmerged", "before merging"), ratio("merged", "merged into one segment"));
    // The cluster of the tests stores documents as they are sent, which is more than the lines they come from, and
    // merging leaves it three quarters.
    assert!(unmerged > 1.0 && unmerged < 5.0, "{unmerged}");
    assert!((merged / unmerged - 0.75).abs() < 0.01, "{merged} of {unmerged}");
    let figure = |name: &str| {
        let mut figures = plan["figures"].as_array().expect("figures").iter();
        figures.find(|one| one["name"] == name).and_then(|one| one["value"].as_f64()).expect(name)
    };
    for (tier, days, ratio) in [("hot", 3.0, unmerged), ("cold", 20.0, merged)] {
        let total = figure(&format!("{tier}: total data"));
        assert!((total / (500e9 * days * 2.0 * ratio) - 1.0).abs() < 1e-9, "{tier}: {total}");
    }
    let state = fake.state.lock().expect("no panic");
    assert!(
        state.documents.is_empty() && state.asked.iter().any(|asked| asked.method == "DELETE"),
        "the index is deleted"
    );
    drop(state);
    let wrong = timberline(folder.path(), &["plan", &path, "--per-day", "lots", "--keep", "30d"])
        .output()
        .expect("it runs");
    assert!(
        wrong.status.code() == Some(2) && String::from_utf8_lossy(&wrong.stderr).contains("500GB"),
        "{wrong:?}"
    );
}

/// The workbench with the remote `prod`.
fn workbench(home: &Path, fake: &FakeCluster) -> Session {
    let mut remotes = Remotes::default();
    remotes.add(Remote::new("prod", &fake.url(), "logs-*").expect("a remote"));
    remotes.write(home).expect("written");
    Session::new(Start::browser(home.to_path_buf()))
}

// Arguments are written where the call is made.
#[allow(clippy::needless_pass_by_value)]
fn call(session: &Session, command: &str, args: Value, progress: impl Fn(Value)) -> Result<Value, Value> {
    let command = serde_json::from_value(json!({"command": command, "args": args})).expect("a command");
    let answer = session.dispatch("push", command, progress);
    answer.map_err(|error| serde_json::to_value(error).expect("JSON"))
}

fn what(case: &Case, (from, to): (Option<&str>, Option<&str>)) -> Value {
    let nanos =
        |text: Option<&str>| text.map(|text| indexer::stamp::parse(text).expect("a time").to_string());
    let view = json!({"case": case.folder(), "query": "", "from": nanos(from), "to": nanos(to)});
    json!({"view": view, "remote": "prod", "index": "logs-pushed", "dataStream": false, "withOriginal": false})
}

/// The request of a push, as a plan of it was shown.
fn planned(what: &Value, plan: &Value) -> Value {
    let mut request = what.clone();
    request["rate"] = Value::Null;
    request["senders"] = 2.into();
    request["template"] = plan["template"]["body"].clone();
    request
}

#[test]
fn workbench_shows_the_template_first_and_continues_what_the_command_began() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 3_000, &long);
    let home = folder.path().join("home");
    let session = workbench(&home, &fake);
    fake.fail(
        "/_bulk",
        vec![None, None, Some(Fault::Status(400, Vec::new(), r#"{"error":"no"}"#.to_owned()))],
    );
    // The command names the case in another way than the workbench.
    let mut command = timberline(&home, &["push", "a.case", "*", "--to", "remote:prod"]);
    command.args(["--index", "logs-pushed", "--senders", "1"]).current_dir(folder.path());
    let stopped = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&stopped.stderr);
    assert_eq!(stopped.status.code(), Some(2), "{said}");
    assert!(
        said.contains("index template timberline-logs-pushed") && said.contains("whole numbers"),
        "{said}"
    );
    assert!(said.contains("documents are there, and the next push continues after them"), "{said}");

    let asked = fake.state.lock().expect("no panic").asked.len();
    let what = what(&case, (None, None));
    let plan = call(&session, "planPush", what.clone(), |_| {}).expect("a plan");
    assert_eq!(fake.state.lock().expect("no panic").asked.len(), asked, "a plan sends nothing");
    let sent = plan["sentBefore"].as_u64().expect("a number");
    assert!(plan["events"] == 3_000 && sent > 0 && sent < 3_000, "{plan}");
    let decisions = plan["template"]["decisions"].as_array().expect("decisions");
    let decision = |name: &str| decisions.iter().find(|one| one["name"] == name).expect(name).clone();
    assert_eq!(decision("client")["value"], "ip");
    assert_eq!(decision("client")["why"], "all 3000 measured values are addresses");
    assert_eq!(decision("message")["value"], "text + keyword");

    let reports = std::sync::Mutex::new(Vec::new());
    let done = call(&session, "push", planned(&what, &plan), |report| {
        reports.lock().expect("no panic").push(report);
    });
    let done = done.expect("a push");
    let pushed = &done["pushed"];
    let created_or_known = pushed["created"].as_u64().zip(pushed["known"].as_u64()).map(|(a, b)| a + b);
    assert_eq!((&pushed["skipped"], created_or_known), (&json!(sent), Some(3_000 - sent)), "{done}");
    assert_eq!((&done["different"], &done["problem"]), (&json!(0), &Value::Null), "{done}");
    assert_eq!(done["listed"].as_array().map(Vec::len), done["hours"].as_u64().map(|hours| hours as usize));
    assert_eq!(numbers(&fake).len(), 3_000);
    let reports = reports.into_inner().expect("no panic");
    assert_eq!(reports.first().map(|first| &first["done"]), Some(&json!(sent)));
    assert_eq!(
        reports.last().map(|last| (&last["done"], &last["leftSeconds"])),
        Some((&json!(3_000), &json!(0.0)))
    );
    assert_eq!(fake.state.lock().expect("no panic").template.as_ref(), Some(&plan["template"]["body"]));
    let again = call(&session, "planPush", what, |_| {}).expect("a plan");
    assert_eq!(again["sentBefore"], 0, "a whole push leaves no checkpoint");
}

#[test]
fn push_of_a_time_range_is_stopped_and_continued_and_compares_that_range() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 3_000, &long);
    let session = workbench(&folder.path().join("home"), &fake);
    let first = what(&case, (None, Some("2026-03-01T15:00:00Z")));
    let plan = call(&session, "planPush", first.clone(), |_| {}).expect("a plan");
    let events = plan["events"].as_u64().expect("a number");
    assert!(events > 0 && events < 3_000, "{plan}");
    fake.fail("/_bulk", vec![None, Some(Fault::Silent), Some(Fault::Silent)]);
    let stopped = std::thread::scope(|scope| {
        let request = planned(&first, &plan);
        let pushing = scope.spawn(|| call(&session, "push", request, |_| {}));
        let began = Instant::now();
        while fake.asked("/_bulk").len() < 2 {
            assert!(began.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(2));
        }
        session.cancel("push");
        pushing.join().expect("no panic")
    });
    let error = stopped.expect_err("stopped");
    assert_eq!(error["code"], "cancelled");
    let there = format!("of {events} documents are there");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains(&there)), "{error}");
    fake.fail("/_bulk", Vec::new());
    let done = call(&session, "push", planned(&first, &plan), |_| {}).expect("a push");
    assert_eq!((&done["hours"], &done["different"]), (&json!(1), &json!(0)), "{done}");
    assert_eq!(numbers(&fake).len() as u64, events);

    // The other hours are compared without those of the first push.
    let rest = what(&case, (Some("2026-03-01T15:00:00Z"), None));
    let plan = call(&session, "planPush", rest.clone(), |_| {}).expect("a plan");
    assert_eq!((plan["events"].as_u64(), &plan["sentBefore"]), (Some(3_000 - events), &json!(0)));
    let done = call(&session, "push", planned(&rest, &plan), |_| {}).expect("a push");
    assert_eq!((&done["hours"], &done["different"]), (&json!(2), &json!(0)), "{done}");
    assert_eq!(numbers(&fake).len(), 3_000);
}

#[test]
fn workbench_writes_the_file_of_the_command_and_says_what_is_wrong() {
    let (fake, folder) = (empty(), tempfile::tempdir().expect("a folder"));
    let case = case_of(folder.path(), 50, &|n| format!("event {n}"));
    let home = folder.path().join("home");
    let session = workbench(&home, &fake);
    let (ours, theirs) = (folder.path().join("ours.ndjson"), folder.path().join("theirs.ndjson"));
    let what = what(&case, (None, None));
    let request = json!({"view": what["view"], "index": "logs-pushed", "withOriginal": false, "path": ours});
    let written = call(&session, "writeBulk", request, |_| {}).expect("a file");
    assert_eq!(written["rows"], 50);
    let path = case.folder().to_string_lossy().into_owned();
    let done =
        timberline(&home, &["push", &path, "*", "--index", "logs-pushed", "--to-file"]).arg(&theirs).status();
    assert!(done.expect("it runs").success());
    assert_eq!(fs::read(&ours).expect("a file"), fs::read(&theirs).expect("a file"));

    for (part, value, code, said) in [
        ("index", "Logs", "badRequest", "cannot be the name of an index"),
        ("remote", "none", "badRequest", "no cluster named"),
    ] {
        let mut wrong = what.clone();
        wrong[part] = value.into();
        let error = call(&session, "planPush", wrong, |_| {}).expect_err(part);
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(said)), "{error}");
        assert!(error["hint"].is_string(), "{error}");
    }
    assert!(fake.asked("/_bulk").is_empty(), "nothing was sent");
}
