//! The questions that a cluster answers, replayed from what real servers answered: no server is needed, and a request that
//! changed is noticed. `npm run test:remote -- --record` records them again.

use std::net::ToSocketAddrs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use indexer::query::{parse, parse_query};
use indexer::{Cancel, Case, PatternOptions, SortBy, View, aggregate};
use remote::{Body, Client, Cluster, Events, Here, Listing, Options, Remote, RemoteEvent};
use serde_json::json;
use timberline_tests::report;

use crate::cluster;

use cluster::logs::{
    STAGES, asked, assert_within_stated_error, document, imported_first, is_estimated, properties, rows,
    run_here,
};
use cluster::recorded::{Between, files, read, write};

const INDEX: &str = "timberline-recorded";

/// Few, because all of them are in the recording.
const RECORDED: usize = 240;

/// Stages that run here, over fetched events.
const HERE: [&str; 3] = [
    "* | eval class = status / 100 | stats count by class",
    "* | stats last(message) by service",
    "* | stats count by service | eval double = count * 2 | sort -double",
];

/// Documents in an index of one shard, so that nothing is estimated over shards.
fn filled(remote: &Remote) {
    let client = Client::new(remote, Options::default(), &Cancel::default()).expect("a client");
    let _ = client.call("DELETE", &format!("/{INDEX}"), &Body::None);
    let body = json!({"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "mappings": {"properties": properties()}});
    client
        .ok(client.call("PUT", &format!("/{INDEX}"), &Body::Json(body)).expect("an answer"))
        .expect("an index");
    let mut lines = Vec::new();
    for n in 0..RECORDED {
        lines.extend_from_slice(format!("{{\"create\":{{\"_id\":\"{n}\"}}}}\n{}\n", document(n)).as_bytes());
    }
    let reply = client.call("POST", &format!("/{INDEX}/_bulk?refresh=true"), &Body::Lines(Arc::new(lines)));
    assert_eq!(client.ok(reply.expect("an answer")).expect("documents")["errors"], false);
}

/// Everything is asked in one order, on one thread, and compared with a case of the same documents.
fn questions(remote: &Remote, case: &Case) {
    let (snapshot, cancel) = (case.snapshot(), Cancel::default());
    let cluster = Cluster::connect(remote, Options::default(), &cancel).expect("a cluster");
    for filter in [
        "*",
        "status>=400",
        "service=cart user:*",
        "message:*quest*",
        "duration:[10 TO 100}",
        "time>=2026-03-01T15:00",
    ] {
        let view = View { filter: parse(filter).expect(filter), from: None, to: None };
        let local = case.count(&snapshot, &view, &cancel).expect(filter);
        assert_eq!(cluster.count(&asked(filter)).expect(filter).value, local as u64, "{filter}");
    }
    for text in STAGES.iter().chain(&HERE) {
        let query = parse_query(text).expect(text);
        let there =
            cluster.run(&query, (None, None), "UTC").unwrap_or_else(|error| panic!("{text}: {error}"));
        let here = run_here(case, text);
        assert_eq!((there.value.names(), there.value.rows()), (here.names(), here.rows()), "{text}");
        if is_estimated(text) {
            assert_within_stated_error(&there.value, case, text, RECORDED / 3);
        } else if !text.contains("limit=3") {
            assert_eq!(rows(&there.value), rows(&here), "{text}");
        }
    }
    let exact = "* | stats median(duration), count_distinct(user) by service";
    let query = parse_query(exact).expect(exact);
    let there = cluster.run_with(&query, (None, None), "UTC", &Here { is_exact: true, ..Here::default() });
    assert_eq!(rows(&there.expect(exact).value), rows(&run_here(case, exact)), "{exact}");

    let everything = asked("*");
    let sort = SortBy { field: "time".to_owned(), descending: true };
    let mut texts = Vec::new();
    let mut each = |event: RemoteEvent| {
        texts.push(event.text);
        Ok(())
    };
    cluster
        .for_each(&Events { asked: &everything, sort: sort.clone(), limit: 30 }, &mut each)
        .expect("events");
    let overview = cluster.overview().expect("an overview");
    assert_eq!(overview.total, RECORDED as u64);
    let mut listing = Listing::new(&cluster, &everything, &sort).expect("a listing");
    let page = listing.page(&cluster, 10, 20).expect("a page").value;
    assert_eq!(
        page.iter().map(|event| event.text.as_str()).collect::<Vec<_>>(),
        texts[10..],
        "pages are in one order"
    );
    let first = &page[0];
    let around =
        cluster.around((&first.index, &first.id), &everything.filter, (2, 2)).expect("events around it");
    assert_eq!((around.value.before.len(), around.value.after.len()), (2, 2));
    let wanted = parse("status:500").expect("read");
    assert!(listing.next_row(&cluster, &wanted, Some(10), false).expect("a row").value.is_some());
    drop(listing);

    let view = View::parse("duration>=10", None, None).expect("read");
    let there = cluster.timeline(&asked("duration>=10"), overview.times, 40).expect("a timeline").value;
    assert_eq!(there, case.timeline(&snapshot, &view, 40, &mut |_, _| {}, &cancel).expect("a timeline"));
    let measures = vec![
        aggregate::Measure::Stats { field: "duration".to_owned() },
        aggregate::Measure::Last { field: "service".to_owned() },
        aggregate::Measure::First { field: "status".to_owned() },
    ];
    let by = vec![
        aggregate::By::Terms { field: "status".to_owned(), top: 2, order: aggregate::TermOrder::Most },
        aggregate::By::Bins { field: "duration".to_owned(), bins: aggregate::Bins::Linear { most: 5 } },
    ];
    // A heatmap, with values in its cells.
    let request = aggregate::Request { by, measures };
    let there = cluster.aggregate(&asked("*"), &request, overview.times).expect("counts").value;
    let all = View::parse("*", None, None).expect("read");
    let here = case.aggregate(&snapshot, &all, &request, &mut |_, _| {}, &cancel).expect("counts");
    assert_eq!((&there.counts, &there.axes), (&here.counts, &here.axes));
    assert_eq!(there.measured[6..], here.measured[6..], "first and last values");
    let trails = cluster.follow("user-5").expect("trails").value;
    let users = (0..RECORDED).filter(|n| n % 5 == 0 && n % 35 == 5).count() as u64;
    assert_eq!(
        trails.iter().map(|trail| (trail.field.as_str(), trail.events)).collect::<Vec<_>>(),
        [("user", users)]
    );
    let options = PatternOptions { buckets: 5, ..PatternOptions::default() };
    let sampled = cluster.patterns(&asked("*"), &options).expect("patterns").value;
    let here = case.patterns(&snapshot, &all, &options, &mut |_, _| {}, &cancel).expect("patterns");
    let texts = |found: &indexer::Patterns| -> Vec<(String, u64)> {
        found.patterns.iter().map(|one| (one.text.clone(), one.count)).collect()
    };
    assert_eq!(texts(&sampled.patterns), texts(&here));
}

#[test]
fn requests_are_those_that_real_servers_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported_first(folder.path(), RECORDED);
    let recordings = files();
    assert_eq!(recordings.len(), 2, "one of Elasticsearch and one of OpenSearch: {recordings:?}");
    for file in recordings {
        let (wrong, left) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(0)));
        let server = Between::replaying(read(&file), &wrong, &left);
        let remote = Remote::new("recorded", &server.url(), INDEX).expect("a remote");
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| questions(&remote, &case)));
        let wrong = wrong.lock().expect("no panic").clone();
        assert!(wrong.is_none(), "{}: {}", file.display(), wrong.unwrap_or_default());
        assert!(asked.is_ok(), "{}", file.display());
        assert_eq!(*left.lock().expect("no panic"), 0, "{}: all that was recorded is asked", file.display());
    }
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote -- --record"]
fn real_server_is_recorded() {
    let url = std::env::var("TIMBERLINE_TEST_CLUSTER").expect("the address of a cluster for tests");
    let Ok(name) = std::env::var("TIMBERLINE_RECORD") else {
        return report::skipped("TIMBERLINE_RECORD names no recording");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported_first(folder.path(), RECORDED);
    let direct = Remote::new("recorded", &url, INDEX).expect("a remote");
    filled(&direct);
    let server =
        url.trim_start_matches("http://").to_socket_addrs().expect("an address").next().expect("an address");
    let kept = Arc::new(Mutex::new(Vec::new()));
    let between = Between::recording(server, &kept);
    questions(&Remote::new("recorded", &between.url(), INDEX).expect("a remote"), &case);
    drop(between);
    let file: PathBuf =
        timberline_tests::files::root().join("fixtures/clusters").join(format!("{name}.json"));
    let kept = kept.lock().expect("no panic");
    assert!(kept.len() > 60, "{}", kept.len());
    write(&file, &kept);
    report::figure(&format!("{} exchanges recorded in {name}.json", kept.len()));
}
