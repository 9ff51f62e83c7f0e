//! What has no counterpart at a cluster and runs here, over fetched events: the same answers as a case gives, with what was
//! fetched and what was left out said.

use indexer::query::parse_query;
use indexer::{Cancel, RunOptions};
use remote::{Cluster, Here};
use serde_json::{Value, json};

use crate::cluster;

use cluster::logs::{EVENTS, asked, connected, imported, patient, remote_at, rows, started};
use cluster::server::{FakeCluster, Fault};

/// Queries with a stage that no cluster has, before or after the first aggregation.
const STAGES: [&str; 22] = [
    "* | eval class = status / 100 | stats count by class",
    "* | eval slow = duration > 200 | stats count, avg(duration) by slow, service",
    "* | stats first(message) as first, last(message) as last by service",
    "* | stats mode(service) as most, count by status",
    "* | stats count by len(message)",
    "* | stats list(status) as all by user | limit 3",
    "* | where len(message) > 20 | stats count",
    "* | where not status > 400 | stats count by service",
    "* | where duration * 2 > 300 | keep time, service, duration | sort -duration, time | limit 20",
    "* | dedup service | keep service, message, status",
    "* | rex message /request (?<n>\\d+)/ | stats count by len(n)",
    "* | transaction user max_pause=20m | keep user, duration_ms, count | sort user, -count | limit 30",
    "* | window before = lag(status) by service | stats count by before, status",
    "* | timechart span=2d count",
    "* | stats count by service | eval double = count * 2 | where double > 1600 | sort -double",
    "status>=400 | stats count as n by service, status | pivot sum(n) on status by service",
    "* | timechart span=1h count by service | unpivot cart, payment, search as service, n | stats sum(n) by service",
    "* | stats count by user | fillnull value=\"nobody\" user | sort -count, user | limit 4",
    "* | sort -duration, time | limit 7 | keep time, duration, user",
    "service:nothing | eval a = 1 | stats count by a",
    "status>=400 | patterns | keep pattern, count, share, first, last",
    "service:nothing | patterns",
];

fn run(cluster: &Cluster, text: &str, here: &Here) -> remote::Answer<indexer::Table> {
    let query = parse_query(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    cluster.run_with(&query, (None, None), "UTC", here).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn stages_without_counterpart_run_here_and_give_the_tables_of_a_case() {
    let (fake, folder) = (started(), tempfile::tempdir().expect("a folder"));
    let (cluster, case) = (connected(&fake), imported(folder.path()));
    for text in STAGES {
        let there = run(&cluster, text, &Here::default());
        assert!(there.missing.is_empty() && there.inexact.is_empty(), "{text}: {there:?}");
        let query = parse_query(text).expect(text);
        let (options, cancel) = (RunOptions::default(), Cancel::default());
        let here =
            case.run(&case.snapshot(), &query, (None, None), &options, &mut |_| {}, &cancel).expect(text);
        assert_eq!(there.value.names(), here.names(), "{text}");
        assert_eq!(rows(&there.value), rows(&here), "{text}");
    }
    let state = fake.state.lock().expect("no panic");
    assert!(state.points.is_empty(), "every point in time is given back");
}

#[test]
fn answers_say_what_ran_here_and_fetch_only_the_fields_that_are_read() {
    let fake = started();
    let cluster = connected(&fake);
    let answer =
        run(&cluster, "service=cart | eval class = status / 100 | stats count by class", &Here::default());
    let expected = "`eval` ran here, over 834 fetched events";
    assert!(answer.notes.iter().any(|note| note == expected), "{:?}", answer.notes);
    let pages = fake.asked("/_search");
    let page = pages.last().expect("a page").json();
    assert_eq!(page["_source"], json!({"includes": ["status"]}), "{page}");
    assert_eq!(page["query"], json!({"term": {"service": "cart"}}), "the filter stays there");

    let before = fake.asked("/_search").len();
    let answer = run(&cluster, "* | stats count by service | eval a = count", &Here::default());
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
    let fetched: Vec<Value> =
        fake.asked("/_search")[before..].iter().map(cluster::server::Asked::json).collect();
    assert!(fetched.iter().all(|body| body["size"] == 0), "groups only: {fetched:?}");
}

#[test]
fn more_events_than_the_limit_are_a_part_and_say_so() {
    let fake = started();
    let cluster = connected(&fake);
    let few = Here { events: 1_200, ..Here::default() };
    let answer = run(&cluster, "* | eval a = 1 | stats count by a", &few);
    assert_eq!(rows(&answer.value), [["1.000000", "1200.000000"]]);
    assert_eq!(
        answer.missing.0,
        [format!("{EVENTS} events match, and the stages ran over the first 1200 of them by time")]
    );
    // Who wants the first rows alone has all of them.
    let answer = run(&cluster, "* | eval a = 1 | limit 5 | keep a", &few);
    assert!(answer.missing.is_empty() && answer.value.rows() == 5, "{answer:?}");
    fake.fail("/_search", vec![None, Some(Fault::Partial)]);
    let answer = run(&cluster, "* | eval a = 1 | stats count by a", &Here::default());
    assert!(answer.missing.0[0].contains("1 of 2 shards failed"), "{:?}", answer.missing);
}

#[test]
fn exact_figures_are_calculated_here_from_their_fields_alone() {
    let (fake, folder) = (started(), tempfile::tempdir().expect("a folder"));
    let (cluster, case) = (connected(&fake), imported(folder.path()));
    let exact = Here { is_exact: true, ..Here::default() };
    for text in [
        "* | stats median(duration), p99(duration), count_distinct(user) as users by service",
        "status<500 | timechart span=30m p95(duration), count",
        "* | facets status, user values=3",
    ] {
        let estimated = run(&cluster, text, &Here::default());
        assert!(estimated.notes.iter().any(|note| note.contains(remote::ESTIMATED)), "{:?}", estimated.notes);
        let there = run(&cluster, text, &exact);
        assert!(!there.notes.iter().any(|note| note.contains(remote::ESTIMATED)), "{:?}", there.notes);
        let query = parse_query(text).expect(text);
        let (options, cancel) = (RunOptions::default(), Cancel::default());
        let here =
            case.run(&case.snapshot(), &query, (None, None), &options, &mut |_| {}, &cancel).expect(text);
        assert_eq!(rows(&there.value), rows(&here), "{text}");
    }
    let before = fake.asked("/_search").len();
    run(&cluster, "* | stats p95(duration) by service", &exact);
    let pages = fake.asked("/_search")[before..].to_vec();
    let wanted = pages.last().expect("a page").json();
    assert_eq!(wanted["_source"], json!({"includes": ["duration", "service"]}));
    // Sums and counts are exact there.
    let before = fake.asked("/_search").len();
    run(&cluster, "* | stats sum(duration), count by service", &exact);
    assert!(fake.asked("/_search")[before..].iter().all(|asked| asked.json()["size"] == 0));
}

#[test]
fn cancelled_question_is_ended_at_the_cluster_and_no_other_is() {
    let fake = started();
    let cancel = Cancel::default();
    let cluster =
        Cluster::connect(&remote_at(&fake.url()), patient(), &Cancel::default()).expect("a cluster");
    fake.fail("/_search", vec![Some(Fault::Silent), Some(Fault::Silent)]);
    let running = |fake: &FakeCluster| fake.state.lock().expect("no panic").running.clone();
    let (mine, other) = (cluster.for_question(&cancel), cluster.for_question(&Cancel::default()));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| other.count(&asked("status:404")));
        while running(&fake).is_empty() {
            std::thread::yield_now();
        }
        let kept = running(&fake);
        let question = scope.spawn(|| mine.count(&asked("*")));
        while running(&fake).len() < 2 {
            std::thread::yield_now();
        }
        cancel.set();
        let error = question.join().expect("no panic").expect_err("cancelled");
        assert_eq!(error.kind(), indexer::ErrorKind::Cancelled);
        assert_eq!(running(&fake), kept, "the search of another question goes on");
        assert_eq!(fake.asked("/_cancel").len(), 1);
        other.client.cancel().set();
        assert!(waiting.join().expect("no panic").is_err());
        assert!(running(&fake).is_empty());
    });
    let names: std::collections::BTreeSet<_> =
        fake.asked("/_search").into_iter().map(|asked| asked.opaque.expect("a name")).collect();
    assert_eq!(names.len(), 2, "each question has a name of its own");
    assert!(names.iter().all(|name| name.starts_with("timberline-")), "{names:?}");
}
