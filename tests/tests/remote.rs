//! Questions to a cluster: the same answers as a case gives, and nothing wrong shown as complete whatever the cluster does.

use std::fs;
use std::net::TcpListener;

use indexer::query::parse_query;
use indexer::{Cancel, SortBy};
use remote::{Cluster, Events, Listing, Login, Options, Remote, check};
use serde_json::json;

use crate::cluster;

use cluster::logs::{
    EVENTS, asked, assert_stages_answered_alike, connected, imported, patient, remote_at, started,
};
use cluster::server::{FakeCluster, Fault};

#[test]
fn stages_give_the_same_tables_as_a_case() {
    let (fake, folder) = (started(), tempfile::tempdir().expect("a folder"));
    let (cluster, case) = (connected(&fake), imported(folder.path()));
    assert_stages_answered_alike(&cluster, &case, false);
    let estimated = cluster
        .run(&parse_query("* | stats p95(duration)").expect("read"), (None, None), "UTC")
        .expect("a table");
    assert!(estimated.notes.iter().any(|note| note.contains("estimated")), "{:?}", estimated.notes);
}

#[test]
fn groups_beyond_one_page_are_all_there() {
    let fake = started();
    let cluster = connected(&fake);
    let query = parse_query("* | stats count by message").expect("read");
    let table = cluster.run(&query, (None, None), "UTC").expect("a table").value;
    assert_eq!(table.rows(), EVENTS);
}

#[test]
fn stages_that_run_nowhere_are_errors_that_say_so() {
    let fake = started();
    let cluster = connected(&fake);
    for (text, expected) in [
        ("* | stats count by servce", "no field `servce`"),
        ("* | eval a = servce | stats count by a", "no field `servce`"),
        ("* | stats count by service | eval a = cnt", "no field `cnt`"),
        ("is:starred | stats count", "kept in cases"),
        ("* | eval a = 1 | context 5", "needs the events of a case"),
        ("* | compare with status:500", "needs the events of a case"),
    ] {
        let before = fake.asked("/_search").len();
        let error = cluster.run(&parse_query(text).expect(text), (None, None), "UTC").expect_err(text);
        assert!(error.message().contains(expected), "{text}: {error}");
        assert!(error.hint_text().is_some(), "{text}: {error}");
        assert!(fake.asked("/_search").len() <= before + 1, "{text}: nothing is fetched for it");
    }
}

fn numbers(cluster: &Cluster, sort: SortBy, limit: usize, filter: &str) -> Vec<usize> {
    let asked = asked(filter);
    let mut found = Vec::new();
    let mut each = |event: remote::RemoteEvent| {
        found.push(event.text.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number"));
        Ok(())
    };
    let answer = cluster.for_each(&Events { asked: &asked, sort, limit }, &mut each).expect("events");
    assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    assert_eq!(answer.value, found.len() as u64);
    found
}

#[test]
fn events_come_in_any_order_from_one_point_in_time() {
    let fake = started();
    let cluster = connected(&fake);
    let expected = |key: &dyn Fn(usize) -> f64, descending: bool| {
        let mut all: Vec<usize> = (0..EVENTS).collect();
        all.sort_by(|&one, &other| {
            let order = key(one).total_cmp(&key(other));
            if descending { order.reverse() } else { order }
        });
        all
    };
    let time = |n: usize| ((n as i64 * 7_919) % 7_200_000) as f64;
    let by = |field: &str, descending| SortBy { field: field.to_owned(), descending };
    assert_eq!(numbers(&cluster, by("time", false), usize::MAX, "*"), expected(&time, false));
    assert_eq!(numbers(&cluster, by("time", true), 1_500, "*"), expected(&time, true)[..1_500]);
    let duration = |n: usize| (n * 37 % 1_000) as f64;
    assert_eq!(numbers(&cluster, by("duration", false), usize::MAX, "*"), expected(&duration, false));
    assert_eq!(numbers(&cluster, by("status", true), 3, "status:500 service:search").len(), 3);
    let state = fake.state.lock().expect("no panic");
    assert_eq!((state.points_made, state.points.len()), (4, 0), "every point in time is given back");
}

#[test]
fn point_in_time_is_given_back_when_a_page_fails_or_somebody_cancels() {
    let fake = started();
    let cluster = connected(&fake);
    let everything = asked("*");
    let sort = SortBy { field: "time".to_owned(), descending: false };
    let events = Events { asked: &everything, sort, limit: usize::MAX };
    fake.fail("/_search", vec![None, Some(Fault::Text("nonsense".to_owned()))]);
    let mut got = 0;
    let answer = cluster.for_each(&events, &mut |_| {
        got += 1;
        Ok(())
    });
    assert!(answer.is_err() && got == 1_000, "{got}");
    let mut got = 0;
    let answer = cluster.for_each(&events, &mut |_| {
        got += 1;
        if got == 1_200 {
            cluster.client.cancel().set();
        }
        Ok(())
    });
    assert_eq!(answer.map(|_| ()).expect_err("cancelled").kind(), indexer::ErrorKind::Cancelled);
    let state = fake.state.lock().expect("no panic");
    assert_eq!((state.points_made, state.points.len()), (2, 0));
}

#[test]
fn cancelled_question_ends_while_the_cluster_is_silent() {
    let fake = started();
    let cancel = Cancel::default();
    let cluster = Cluster::connect(&remote_at(&fake.url()), patient(), &cancel).expect("a cluster");
    fake.fail("/_search", vec![Some(Fault::Silent)]);
    std::thread::scope(|scope| {
        let question = scope.spawn(|| cluster.count(&asked("*")));
        while fake.asked("/_search").is_empty() {
            std::thread::yield_now();
        }
        cancel.set();
        let error = question.join().expect("no panic").expect_err("cancelled");
        assert_eq!(error.kind(), indexer::ErrorKind::Cancelled);
    });
}

#[test]
fn answers_that_lack_something_say_what() {
    let fake = started();
    let cluster = connected(&fake);
    for (fault, expected) in [
        (Fault::Partial, "1 of 2 shards failed: node_disconnected_exception node left"),
        (Fault::TimedOut, "the cluster stopped at its time limit"),
    ] {
        fake.fail("/_search", vec![Some(fault)]);
        let answer = cluster.count(&asked("status:500")).expect("an answer");
        assert_eq!(answer.missing.0, [expected]);
    }
}

#[test]
fn closed_indexes_of_a_wildcard_are_missing_in_every_answer() {
    let fake = started();
    fake.state.lock().expect("no panic").closed = vec!["logs-2025.02".to_owned(), "logs-2025.01".to_owned()];
    let at = |index: &str| {
        let remote = Remote::new("test", &fake.url(), index).expect("a remote");
        Cluster::connect(&remote, patient(), &Cancel::default())
    };
    let lacks = ["closed and not asked: logs-2025.01, logs-2025.02"];
    let cluster = at("logs-*").expect("a cluster");
    let counted = cluster.count(&asked("status:500")).expect("a count");
    assert_eq!((counted.value, counted.missing.0.as_slice()), (416, &lacks.map(str::to_owned)[..]));
    let query = parse_query("* | stats count by status").expect("read");
    assert_eq!(cluster.run(&query, (None, None), "UTC").expect("a table").missing.0, lacks);
    assert_eq!(cluster.overview().expect("an overview").missing.0, lacks);
    let sort = SortBy { field: "time".to_owned(), descending: true };
    let mut listing = Listing::new(&cluster, &asked("*"), &sort).expect("a listing");
    for first in [0, 1_200, 0] {
        assert_eq!(listing.page(&cluster, first, 20).expect("a page").missing.0, lacks);
    }
    // What an answer lacks besides is said too.
    fake.fail("/_search", vec![Some(Fault::Partial)]);
    assert_eq!(cluster.count(&asked("*")).expect("a count").missing.0.len(), 2);
    // Whoever names a closed index learns what to do.
    let listed = at("logs,logs-2025.01").expect("a cluster");
    assert!(listed.missing.is_empty());
    for error in [
        listed.count(&asked("*")).map(|_| ()).expect_err("closed"),
        at("logs-2025.01").map(|_| ()).expect_err("closed"),
    ] {
        assert!(error.message().contains("is closed"), "{error}");
        assert!(error.hint_text().is_some_and(|hint| hint.starts_with("open it, or add")), "{error:?}");
    }
    let missing = at("logs").expect("a cluster").count(&asked("*")).expect("a count").missing;
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn releases_that_are_newer_than_known_are_asked_and_said() {
    let fake = started();
    for (version, name) in [
        (json!({"number": "10.1.0"}), "Elasticsearch 10.1.0"),
        (json!({"number": "4.0.0", "distribution": "opensearch"}), "OpenSearch 4.0.0"),
    ] {
        fake.state.lock().expect("no panic").root = json!({"version": version});
        let cluster = connected(&fake);
        let answer = cluster.count(&asked("status:500")).expect("a count");
        assert_eq!((answer.value, answer.missing.is_empty(), answer.notes.len()), (416, true, 1));
        let says = |text: &str| {
            text.starts_with(name) && text.contains("newer than") && text.contains("compare a count")
        };
        assert!(says(&answer.notes[0]), "{:?}", answer.notes);
        let checked = check(&remote_at(&fake.url()), patient(), &Cancel::default());
        let server = checked.findings.iter().find(|finding| finding.what == "server").expect("a server");
        assert!(checked.is_usable() && server.result.as_ref().is_ok_and(|text| says(text)), "{server:?}");
    }
}

#[test]
fn overloaded_cluster_is_asked_again_as_it_wishes() {
    let fake = started();
    let cluster = connected(&fake);
    let busy = |after: &str| {
        let body = json!({"error": {"type": "es_rejected_execution_exception", "reason": "queue is full"}})
            .to_string();
        Some(Fault::Status(429, vec![("retry-after", after.to_owned())], body))
    };
    let plain = Some(Fault::Status(503, Vec::new(), "no JSON".to_owned()));
    fake.fail("/_search", vec![busy("0"), plain, Some(Fault::CutBefore), Some(Fault::CutWithin), None]);
    let answer = cluster.count(&asked("*")).expect("an answer");
    assert_eq!((answer.value, answer.missing.is_empty()), (EVENTS as u64, true));
    assert_eq!(fake.asked("/_search").len(), 5);

    fake.fail("/_search", vec![busy("3600")]);
    let error = cluster.count(&asked("*")).expect_err("it must not wait an hour");
    assert!(
        error.message().contains("has too much to do (429)") && error.message().contains("queue is full"),
        "{error}"
    );
    assert!(error.hint_text().is_some_and(|hint| hint.contains("asks to wait 3600 s")), "{error:?}");
    fake.fail("/_search", vec![busy("0"); 20]);
    let error = cluster.count(&asked("*")).expect_err("it is too busy");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("tried 8 times")), "{error:?}");
}

#[test]
fn huge_deep_and_wrong_answers_are_errors() {
    let fake = started();
    let options = Options { answer_bytes: 1 << 20, ..patient() };
    let cluster = Cluster::connect(&remote_at(&fake.url()), options, &Cancel::default()).expect("a cluster");
    for (fault, expected) in [
        (Fault::Huge(2 << 20), "more than 1 MB"),
        (Fault::Text(format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000))), "not JSON that can be read"),
        (Fault::Text("<html>hello</html>".to_owned()), "not JSON that can be read"),
        (Fault::Text("{}".to_owned()), "the answer lacks"),
        (Fault::Text("null".to_owned()), "the answer lacks"),
        (Fault::Text(r#"{"_shards":{"total":1,"successful":1,"failed":0},"hits":{"total":{"value":"many"}}}"#.to_owned()), "the answer lacks"),
        (
            Fault::Text(r#"{"_shards":{"total":1,"successful":1,"failed":0},"hits":{"total":{"value":10000,"relation":"gte"}}}"#.to_owned()),
            "counted only a part",
        ),
        (Fault::Status(302, vec![("location", "http://127.0.0.1:1/".to_owned())], String::from("moved")), "redirects"),
        (Fault::Status(500, Vec::new(), r#"{"error":"it broke"}"#.to_owned()), "refused the request with 500: it broke"),
    ] {
        fake.fail("/_search", vec![Some(fault.clone())]);
        let error = cluster.count(&asked("*")).expect_err(expected);
        assert!(error.message().contains(expected), "{fault:?}: {error}");
    }
}

#[test]
fn check_says_what_to_do_for_everything_that_may_be_wrong() {
    let findings = |remote: &Remote| {
        let checked = check(remote, patient(), &Cancel::default());
        let said: Vec<String> = checked
            .findings
            .iter()
            .map(|finding| match &finding.result {
                Ok(text) => format!("{}: {text}", finding.what),
                Err(error) => {
                    format!("{}: {error} ({})", finding.what, error.hint_text().unwrap_or("no hint"))
                }
            })
            .collect();
        (checked.is_usable(), said.join("\n"))
    };
    let fake = started();
    let (usable, said) = findings(&remote_at(&fake.url()));
    assert!(usable, "{said}");
    for expected in [
        "server: Elasticsearch 8.19.21",
        "health: green",
        "indexes: 1 of them: logs",
        "time in `@timestamp`",
        "events: 2500, from 2026-03-01T14:00:00Z",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let refused = |remote: &Remote, expected: &str| {
        let (usable, said) = findings(remote);
        assert!(!usable && said.contains(expected) && !said.contains("no hint"), "{expected}: {said}");
    };
    // A port that nothing listens at any more.
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    refused(&remote_at(&format!("http://{closed}")), "nothing listens at");
    refused(&remote_at(&format!("https://{}", fake.address)), "https:// only where the cluster has TLS");
    let mut other = remote_at(&fake.url());
    other.index = "metrics".to_owned();
    refused(&other, "no index matches metrics (add the cluster again with --index; there are logs)");
    fake.state.lock().expect("no panic").closed = vec!["logs-old".to_owned()];
    other.index = "logs-old".to_owned();
    refused(&other, "every index that matches logs-old is closed: logs-old (open it");
    other.index = "logs-*".to_owned();
    let (usable, said) = findings(&other);
    assert!(usable && said.contains("indexes: 1 of them: logs; closed and not asked: logs-old"), "{said}");
    let mut timeless = remote_at(&fake.url());
    timeless.time_field = Some("status".to_owned());
    refused(
        &timeless,
        "`status` is not a time there but long (name one with --time-field; dates there are @timestamp)",
    );
    fake.state.lock().expect("no panic").authorization = Some("Basic bWU6cmlnaHQ=".to_owned());
    refused(&remote_at(&fake.url()), "did not accept the credentials");
    fake.state.lock().expect("no panic").authorization = None;
    fake.state.lock().expect("no panic").root = json!({"version": {"number": "6.8.1"}});
    refused(&remote_at(&fake.url()), "Elasticsearch 6.8.1 is too old, or not known");
    fake.state.lock().expect("no panic").root = json!({"version": {"number": "tomorrow"}});
    refused(
        &remote_at(&fake.url()),
        "Elasticsearch tomorrow is too old, or not known (questions need Elasticsearch 7.12",
    );
    fake.state.lock().expect("no panic").root = json!({"hello": "world"});
    refused(&remote_at(&fake.url()), "neither Elasticsearch nor OpenSearch");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    fs::write(&file, "no certificate").expect("written");
    let mut distrusted = remote_at(&fake.url());
    distrusted.ca = Some(file);
    refused(&distrusted, "has no PEM certificate");
}

#[test]
fn mappings_of_thousands_of_fields_are_asked_and_those_without_a_time_say_what_to_do() {
    let mut properties: serde_json::Map<String, serde_json::Value> =
        (0..5_000).map(|n| (format!("f{n}"), json!({"type": "keyword"}))).collect();
    let timeless = FakeCluster::start(Vec::new(), properties.clone().into());
    let checked = check(&remote_at(&timeless.url()), patient(), &Cancel::default());
    let said = checked.findings.last().expect("a finding");
    let error = said.result.as_ref().expect_err("no time");
    assert!(error.message().contains("which field there has the time"), "{error}");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("no field there is a date")), "{error:?}");
    properties.insert("@timestamp".to_owned(), json!({"type": "date"}));
    let documents = (0..20).map(|n| json!({"@timestamp": "2026-03-01T00:00:00Z", (format!("f{n}")): "a"}));
    let fake = FakeCluster::start(documents.collect(), properties.into());
    let checked = check(&remote_at(&fake.url()), patient(), &Cancel::default());
    let text = checked.findings.iter().find(|finding| finding.what == "fields").expect("fields");
    assert!(text.result.as_ref().is_ok_and(|text| text.starts_with("5001 of them")), "{text:?}");
    let cluster = connected(&fake);
    assert_eq!(cluster.count(&asked("f7:a")).expect("a count").value, 1);
    let error = cluster.count(&asked("f5001:a")).expect_err("no such field");
    assert!(error.hint_text().is_some(), "{error:?}");
}

#[test]
fn credentials_are_sent_and_never_shown() {
    let fake = started();
    fake.state.lock().expect("no panic").authorization = Some("Basic bWU6czNjcjN0".to_owned());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("password");
    fs::write(&file, "s3cr3t\n").expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    }
    let mut remote = remote_at(&fake.url());
    remote.login = Some(Login::UserAndFile("me".to_owned(), file));
    let cluster = Cluster::connect(&remote, patient(), &Cancel::default()).expect("a cluster");
    assert_eq!(cluster.count(&asked("*")).expect("a count").value, EVENTS as u64);
    fake.state.lock().expect("no panic").authorization = Some("another".to_owned());
    let error = cluster.count(&asked("*")).expect_err("refused");
    let shown = format!("{error} {error:?} {cluster:?} {remote:?} {:?}", cluster.client.exchanges());
    assert!(!shown.contains("s3cr3t") && !shown.contains("czNjcjN0"), "{shown}");
    assert!(error.hint_text().is_some_and(|hint| hint.contains("--api-key-file")), "{error:?}");
}
