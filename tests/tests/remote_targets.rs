//! What a person waits for with whole logs at a real server, and whether a plan is right: each against its target.
//! `npm run test:remote -- --release --data DIR` names the folder with D1.log and D2.ndjson; `TIMBERLINE_TEST_EVENTS` takes fewer
//! of their lines.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use indexer::aggregate::FacetsRequest;
use indexer::query::Filter;
use indexer::{Cancel, Case, Direction, Shown, SortBy};
use remote::{
    Asked, Body, Both, Cluster, Exchange, Lane, Listing, MergedListing, OpenListing, Options, PushTarget,
    Splits, new_listing,
};
use serde_json::{Value, json};
use timberline_tests::report;

use crate::cluster;

use cluster::data::{PATIENCE, client, forget, imported, named, pushed, stored_bytes, with_source};
use cluster::random::Dice;
use cluster::recorded::answered;

/// How much longer than the cluster itself takes for the same requests.
const MOST_OVERHEAD: f64 = 1.3;
const ROUNDS: usize = 5;

/// A page of a merged list anywhere.
const MOST_PAGE: Duration = Duration::from_millis(150);
const PLACES: usize = 40;
const PAGE: usize = 60;

/// How far an index may be from what a plan says.
const MOST_ERROR: f64 = 0.2;

#[test]
#[ignore = "needs a real cluster and data: npm run test:remote -- --data DIR"]
fn whole_logs_are_answered_in_time_and_as_large_as_planned() {
    let Some((data, url)) = named() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (d1_index, d2_index) = ("timberline-targets-d1", "timberline-targets-d2");
    let (_, _, d1) = imported(folder.path(), &data.join("D1.log"));
    let other = tempfile::tempdir().expect("a folder");
    let (_, _, d2) = imported(other.path(), &data.join("D2.ndjson"));
    let mut missed = Vec::new();
    let mut judge = |figure: String, is_met: bool| {
        report::figure(&figure);
        if !is_met {
            missed.push(figure);
        }
    };
    compare_plan(&url, d2_index, &d2, "D2", &mut judge);
    let (remote, _) = client(&url, d2_index);
    let options = Options { deadline: PATIENCE, ..Options::default() };
    let cluster = Cluster::connect(&remote, options, &Cancel::default()).expect("a cluster");
    compare_times(&url, &cluster, &mut judge);
    page_anywhere(&d1, cluster, &mut judge);
    compare_plan(&url, d1_index, &d1, "D1", &mut judge);
    let (_, client) = client(&url, d1_index);
    for index in [d1_index, d2_index] {
        forget(&client, index);
    }
    assert!(missed.is_empty(), "beyond their targets:\n{}\n", missed.join("\n"));
}

/// What a plan says of a part of the events, and what all of them take.
fn compare_plan(url: &str, index: &str, case: &Case, name: &str, judge: &mut dyn FnMut(String, bool)) {
    let (remote, client) = client(url, index);
    let target = PushTarget { client: &client, url: &remote.url };
    let ratios = with_source(case, |source| remote::measure(&target, source, &Cancel::default()));
    let ratios = ratios.expect("ratios");
    let left = client.get("/_cat/indices/timberline-measure-*?format=json").expect("a list");
    assert_eq!(left, json!([]), "what it was measured in is deleted");
    pushed(url, index, case);
    let unmerged = stored_bytes(&client, index);
    let merging = client.call("POST", &format!("/{index}/_forcemerge?max_num_segments=1"), &Body::None);
    client.ok(merging.expect("an answer")).expect("a merged index");
    let merged = stored_bytes(&client, index);
    let snapshot = case.snapshot();
    let raw = snapshot.sources().iter().map(|source| source.bytes).sum::<u64>() as f64;
    for (how, planned, real) in [("unmerged", ratios.unmerged, unmerged), ("merged", ratios.merged, merged)] {
        let error = (planned * raw / real - 1.0).abs();
        judge(
            format!(
                "plan of {name}, {} events, {how}: {:.1} MB from a ratio of {planned:.3} over {} events, and {:.1} MB are used, \
                 {:.1} % off (target {:.0} %)",
                snapshot.events(),
                planned * raw / 1e6,
                ratios.events,
                real / 1e6,
                error * 100.0,
                MOST_ERROR * 100.0,
            ),
            error <= MOST_ERROR,
        );
    }
}

/// The timeline, the facets and the first page, as the workbench asks for them.
fn first_look(cluster: &Cluster, times: Option<(i64, i64)>) {
    let asked = Asked::everything();
    cluster.timeline(&asked, times, 200).expect("a timeline");
    let request = FacetsRequest { fields: Vec::new(), top: 10, buckets: 40, edges: None };
    cluster.facets(&asked, &request, times, &mut |_, _| {}).expect("facets");
    let sort = SortBy { field: "time".to_owned(), descending: true };
    let mut listing = Listing::new(cluster, &asked, &sort).expect("a listing");
    let page = listing.page(cluster, 0, PAGE).expect("a page");
    assert!(page.missing.is_empty() && page.value.len() == PAGE, "{:?}", page.missing);
}

/// The requests once more as they were; what the cluster answers is taken and not looked at.
fn replayed(server: SocketAddr, exchanges: &[Exchange]) -> Duration {
    let began = Instant::now();
    let mut point = Value::Null;
    for exchange in exchanges {
        let mut body = exchange.body.clone().unwrap_or(Value::Null);
        if body["pit"].is_object() {
            body["pit"]["id"] = point.clone();
        }
        let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (status, answer) = answered(server, exchange.method, &exchange.path, &sent);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        if ["_pit?", "/point_in_time?"].iter().any(|end| exchange.path.contains(end)) {
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            point = if answer["id"].is_null() { answer["pit_id"].clone() } else { answer["id"].clone() };
        }
    }
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn compare_times(url: &str, cluster: &Cluster, judge: &mut dyn FnMut(String, bool)) {
    let server = url.trim_start_matches("http://").to_socket_addrs().expect("an address").next();
    let server = server.expect("an address");
    // Otherwise the second to ask the same is answered without work.
    let remember = |answers: bool| {
        let settings = json!({"index": {"requests": {"cache": {"enable": answers}}}});
        let set = cluster.client.call("PUT", &format!("/{}/_settings", cluster.index), &Body::Json(settings));
        cluster.client.ok(set.expect("an answer")).expect("set");
    };
    remember(false);
    let overview = cluster.overview().expect("an overview");
    let (mut ours, mut theirs, mut requests) = (Vec::new(), Vec::new(), 0);
    for round in 0..=ROUNDS {
        let asking = cluster.for_question(&Cancel::default());
        let began = Instant::now();
        first_look(&asking, overview.times);
        let our_time = began.elapsed();
        let exchanges = asking.client.exchanges();
        let their_time = replayed(server, &exchanges);
        // The first round warms up the server.
        if round > 0 {
            ours.push(our_time);
            theirs.push(their_time);
        }
        requests = exchanges.len();
    }
    remember(true);
    let (ours, theirs) = (median(ours), median(theirs));
    let overhead = ours.as_secs_f64() / theirs.as_secs_f64();
    judge(
        format!(
            "timeline, facets and first page of {} events: {:.0} ms, and the cluster's own {requests} answers {:.0} ms, {overhead:.2} \
             times as long (target {MOST_OVERHEAD:.2})",
            overview.total,
            ours.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
        ),
        overhead <= MOST_OVERHEAD,
    );
}

fn page_anywhere(case: &Case, cluster: Cluster, judge: &mut dyn FnMut(String, bool)) {
    let (snapshot, cancel) = (case.snapshot(), Cancel::default());
    let times = cluster.overview().expect("an overview").times;
    let both = Both {
        case,
        snapshot: &snapshot,
        lanes: vec![Lane { cluster, times }],
        zone: "UTC",
        cancel: &cancel,
    };
    // As in the workbench, where the listing of a cluster outlives one page.
    let (splits, kept) = (Mutex::new(Splits::default()), OnceLock::<OpenListing>::new());
    let opened = || {
        MergedListing::new(
            &both,
            &Filter::Everything,
            (None, None),
            Direction::NewestFirst,
            &splits,
            &|_, lane, asked, sort| {
                let listing = kept
                    .get()
                    .map_or_else(|| new_listing(lane, asked, sort), |known| Ok(Arc::clone(known)))?;
                Ok(Arc::clone(kept.get_or_init(|| listing)))
            },
        )
        .expect("a list")
    };
    let total = opened().total();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut taken = Vec::new();
    for _ in 0..PLACES {
        let first = dice.roll(total as usize - PAGE) as u64;
        let began = Instant::now();
        let page = opened().page(first, PAGE, &Shown { cut: 400, columns: &[] }).expect("a page");
        taken.push(began.elapsed());
        assert_eq!(page.len(), PAGE, "{first}");
    }
    let (worst, p50) = (taken.iter().copied().max().unwrap_or_default(), median(taken));
    judge(
        format!(
            "merged page anywhere in {} events of a case and {} of a cluster, {PLACES} places: p50 {:.0} ms, worst {:.0} ms (target \
             {} ms)",
            snapshot.events(),
            total - snapshot.events(),
            p50.as_secs_f64() * 1e3,
            worst.as_secs_f64() * 1e3,
            MOST_PAGE.as_millis(),
        ),
        worst <= MOST_PAGE,
    );
}
