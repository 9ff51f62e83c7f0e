//! The same against a real server, whose address is in `TIMBERLINE_TEST_CLUSTER`: `npm run test:remote` starts one.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use indexer::query::parse;
use indexer::{Cancel, Case, ImportOptions, Scalar, SortBy, View, aggregate};
use proptest::strategy::{Strategy, ValueTree};
use remote::{
    Asked, Body, Client, Cluster, Events, Learned, Listing, Options, PushOptions, PushTarget, Remote,
    RemoteEvent, Source,
};
use serde_json::{Value, json};
use timberline_tests::{programs, report};

use crate::cluster;

use cluster::kinds::Kinds;
use cluster::logs;
use cluster::random::{document, filter, runner};

const DOCUMENTS: usize = 1_000;
const FILTERS: usize = 2_000;

fn remote_of(index: &str) -> Remote {
    let url = std::env::var("TIMBERLINE_TEST_CLUSTER").expect("the address of a cluster for tests");
    Remote::new("live", &url, index).expect("a remote")
}

/// An index with documents, new every time.
fn indexed(index: &str, properties: &Value, documents: &[Value]) -> Cluster {
    let remote = remote_of(index);
    let client = Client::new(&remote, Options::default(), &Cancel::default()).expect("a client");
    let _ = client.call("DELETE", &format!("/{index}"), &Body::None);
    let body = json!({"settings": {"number_of_shards": 3, "number_of_replicas": 0}, "mappings": {"properties": properties}});
    client
        .ok(client.call("PUT", &format!("/{index}"), &Body::Json(body)).expect("an answer"))
        .expect("an index");
    let mut lines = Vec::new();
    for (n, document) in documents.iter().enumerate() {
        lines.extend_from_slice(format!("{{\"create\":{{\"_id\":\"{n}\"}}}}\n{document}\n").as_bytes());
    }
    let reply = client.call("POST", &format!("/{index}/_bulk?refresh=true"), &Body::Lines(Arc::new(lines)));
    let answer = client.ok(reply.expect("an answer")).expect("documents");
    assert_eq!(answer["errors"], false, "{answer}");
    Cluster::connect(&remote, Options::default(), &Cancel::default()).expect("a cluster")
}

fn imported(folder: &Path, documents: &[Value]) -> Case {
    let log = folder.join("logs.ndjson");
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote"]
fn clauses_claimed_exact_match_the_same_events_at_a_real_server() {
    let mut runner = runner();
    let documents: Vec<Value> =
        (0..DOCUMENTS).map(|_| document().new_tree(&mut runner).expect("a document").current()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &documents);
    let properties = json!({
        "@timestamp": {"type": "date"},
        "message": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "method": {"type": "keyword"}, "path": {"type": "keyword"}, "status": {"type": "long"},
        "duration": {"type": "double"}, "client": {"type": "ip"}, "ok": {"type": "boolean"},
    });
    let cluster = indexed("timberline-live-filters", &properties, &documents);
    let snapshot = case.snapshot();
    let (mut kinds, mut wrong) = (Kinds::default(), Vec::new());
    for _ in 0..FILTERS {
        let text = filter().new_tree(&mut runner).expect("a filter").current();
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let view = View { filter: parsed.clone(), from: None, to: None };
        let asked = Asked { filter: parsed, from: None, to: None, zone: "UTC".to_owned() };
        let translated = cluster.translate(&asked);
        let is_exact = kinds.count(&translated);
        let Ok(translated) = translated else { continue };
        // One that is not exact must be a query that the server takes all the same.
        let there = cluster.count(&asked);
        let there = there.unwrap_or_else(|error| panic!("{text}: {error} {}", translated.query));
        if !is_exact {
            continue;
        }
        let local = case.count(&snapshot, &view, &Cancel::default()).expect(&text) as u64;
        if there.value != local {
            wrong.push(format!("{text}: {local} in the case, {} there", there.value));
        }
    }
    wrong.sort_by_key(String::len);
    wrong.truncate(10);
    assert!(wrong.is_empty(), "of {} exact:\n{}\n", kinds.exact, wrong.join("\n"));
    assert!(kinds.exact > FILTERS / 4, "{kinds}");
    assert!(kinds.undocumented().is_empty(), "docs/remote.md lists all kinds but {:?}", kinds.undocumented());
    report::figure(&format!(
        "{FILTERS} filters at a server, those that are exact with equal counts: {kinds}"
    ));
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote"]
fn stages_and_pages_are_those_of_a_case_at_a_real_server() {
    let documents: Vec<Value> = (0..logs::EVENTS).map(logs::document).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &documents);
    let cluster = indexed("timberline-live-stages", &logs::properties(), &documents);
    logs::assert_stages_answered_alike(&cluster, &case, true);
    let estimated = logs::STAGES.iter().filter(|text| logs::is_estimated(text)).count();
    report::figure(&format!(
        "{} kinds of aggregations at a server: {} equal, {estimated} within the stated error",
        logs::STAGES.len(),
        logs::STAGES.len() - estimated,
    ));
    let everything = logs::asked("status<500");
    let sort = SortBy { field: "time".to_owned(), descending: true };
    let mut times = Vec::new();
    let mut each = |event: RemoteEvent| {
        times.push(event.time.expect("a time"));
        Ok(())
    };
    let answer =
        cluster.for_each(&Events { asked: &everything, sort, limit: usize::MAX }, &mut each).expect("events");
    assert!(answer.missing.is_empty() && answer.notes.is_empty(), "{answer:?}");
    assert!(times.iter().rev().is_sorted());
    assert_eq!(times.len(), (0..logs::EVENTS).filter(|n| n % 6 != 5).count());
    // Of this index alone: other tests have searches under way.
    let stats = cluster.client.get("/timberline-live-stages/_stats/search").expect("statistics");
    assert_eq!(stats["_all"]["total"]["search"]["open_contexts"], 0, "points in time are given back");
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote"]
fn pushed_case_answers_as_itself_at_a_real_server() {
    let mut runner = runner();
    let documents: Vec<Value> =
        (0..DOCUMENTS).map(|_| document().new_tree(&mut runner).expect("a document").current()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &documents);
    let remote = remote_of("timberline-live-push");
    let client = Arc::new(Client::new(&remote, Options::default(), &Cancel::default()).expect("a client"));
    let _ = client.call("DELETE", "/timberline-live-push", &Body::None);
    let view = View::parse("*", None, None).expect("a view");
    let source = Source { case: &case, snapshot: &case.snapshot(), view: &view };
    let options = PushOptions {
        index: "timberline-live-push".to_owned(),
        data_stream: false,
        with_original: true,
        rate: None,
        senders: 2,
        checkpoints: None,
    };
    let target = PushTarget { client: &client, url: &remote.url };
    for (created, known) in [(DOCUMENTS as u64, 0), (0, DOCUMENTS as u64)] {
        let pushed =
            remote::push(&target, &source, &options, &mut |_| {}, &Cancel::default()).expect("a push");
        assert_eq!((pushed.created, pushed.known, pushed.refused.len()), (created, known, 0), "{pushed:?}");
    }
    let cluster = Cluster::connect(&remote, Options::default(), &Cancel::default()).expect("a cluster");
    let hours = remote::compare_hours(&cluster, &source, &Cancel::default()).expect("counts");
    assert!(!hours.is_empty() && hours.iter().all(|hour| hour.case == hour.remote), "{hours:?}");
    for text in [
        "timeout",
        "\"connection reset\"",
        "*eset*",
        "status>=400",
        "client:10.1.0.0/16",
        "source:logs.ndjson",
        "method:get path:*cart*",
    ] {
        let parsed = parse(text).expect(text);
        let asked = Asked { filter: parsed.clone(), from: None, to: None, zone: "UTC".to_owned() };
        let there = cluster.count(&asked).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(there.inexact.is_empty(), "{text}: {:?}", there.inexact);
        let view = View { filter: parsed, from: None, to: None };
        let local = case.count(&case.snapshot(), &view, &Cancel::default()).expect(text);
        assert_eq!(there.value, local as u64, "{text}");
    }
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote"]
fn ingest_pipeline_reads_lines_as_timberline_does_at_a_real_server() {
    let client = Client::new(&remote_of("any"), Options::default(), &Cancel::default()).expect("a client");
    let nodes = client.call("GET", "/_nodes/ingest", &Body::None).and_then(|reply| client.ok(reply));
    if !nodes.expect("an answer").to_string().contains("\"grok\"") {
        return report::skipped("this distribution of the server has no ingest processors");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (kind, least) in [("access", 99.0), ("json", 99.0), ("syslog", 97.0)] {
        let generate = programs::folder().join(format!("generate{}", std::env::consts::EXE_SUFFIX));
        let made = Command::new(generate).args([kind, "800"]).output().expect("it runs");
        let log = folder.path().join(format!("{kind}.log"));
        fs::write(&log, made.stdout).expect("a log");
        let case = Case::create(&folder.path().join(format!("{kind}.case"))).expect("a case");
        case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
        let mut learned =
            Learned::new(&case, &case.snapshot(), 0, &Cancel::default()).expect("it is learned");
        let share = learned.check(&client, "the server").expect("it runs");
        assert_eq!(share.lines, 800, "{kind}");
        assert!(share.percent() >= least, "{kind}: {share:?}\n{}", learned.pipeline());
        report::figure(&format!(
            "the ingest pipeline reads {kind}: {:.2} % of fields equal",
            share.percent()
        ));
    }
}

/// The figures of the measure whose name begins so, cell by cell; zero where there is none.
fn figures(cube: &aggregate::Answer, name: &str) -> Vec<f64> {
    let measured = cube.measured.iter().find(|measured| measured.name.starts_with(name)).expect(name);
    let number = |value: &Option<Scalar>| match value {
        Some(Scalar::Int(number)) => *number as f64,
        Some(Scalar::Float(number)) => *number,
        _ => 0.0,
    };
    measured.values.iter().map(number).collect()
}

#[test]
#[ignore = "needs a real cluster: npm run test:remote"]
fn rows_anywhere_and_figures_are_those_of_a_case_at_a_real_server() {
    const ROWS: usize = 15_000;
    let documents: Vec<Value> = (0..ROWS).map(logs::document).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &documents);
    let cluster = indexed("timberline-live-listing", &logs::properties(), &documents);
    let overview = cluster.overview().expect("an overview");
    assert_eq!((overview.total, overview.indexes.len()), (ROWS as u64, 1));
    // No two of them have the same time.
    let mut in_order: Vec<usize> = (0..ROWS).collect();
    in_order.sort_by_key(|&n| indexer::stamp::parse(documents[n]["@timestamp"].as_str().expect("a time")));
    for descending in [false, true] {
        let sort = SortBy { field: "time".to_owned(), descending };
        let mut listing = Listing::new(&cluster, &logs::asked("*"), &sort).expect("a listing");
        let expected = |row: usize| in_order[if descending { ROWS - 1 - row } else { row }];
        for first in [0, 3, 12_345, 14_990, 9_995, 7_777, 12_365] {
            let page = listing.page(&cluster, first as u64, 20).expect("a page");
            assert!(page.missing.is_empty(), "{:?}", page.missing);
            let texts: Vec<String> = page.value.iter().map(|event| event.text.clone()).collect();
            let rows = first..(first + 20).min(ROWS);
            let wanted: Vec<String> =
                rows.map(|row| format!("request {} to upstream", expected(row))).collect();
            assert_eq!(texts, wanted, "{first} {descending}");
            let event = &page.value[1];
            let place = listing.row_of_event(&cluster, (&event.index, &event.id)).expect("a row").value;
            assert_eq!(place, Some(first as u64 + 1), "{descending}");
            let around = cluster.around((&event.index, &event.id), &parse("*").expect("read"), (2, 2));
            let around = around.expect("events around it").value;
            assert_eq!(around.after.len(), 2.min(if descending { first + 1 } else { ROWS - first - 2 }));
        }
        let wanted = parse("status:500").expect("read");
        let next = listing.next_row(&cluster, &wanted, Some(12_000), false).expect("a row").value;
        let nearest = (12_001..ROWS).find(|&row| expected(row) % 6 == 5).map(|row| row as u64);
        assert_eq!(next, nearest, "{descending}");
    }
    let (snapshot, cancel) = (case.snapshot(), Cancel::default());
    let filter = "duration>=10";
    let view = View::parse(filter, None, None).expect("read");
    let there = cluster.timeline(&logs::asked(filter), overview.times, 70).expect("a timeline").value;
    let here = case.timeline(&snapshot, &view, 70, &mut |_, _| {}, &cancel).expect("a timeline");
    assert_eq!(there, here);
    let zone = aggregate::zone("Europe/Berlin").expect("a zone");
    let by = [
        aggregate::By::Terms { field: "status".to_owned(), top: 1, order: aggregate::TermOrder::Most },
        aggregate::By::Time { interval: aggregate::Interval::Auto(20), zone },
        aggregate::By::Bins { field: "duration".to_owned(), bins: aggregate::Bins::Linear { most: 10 } },
    ];
    for by in [&by[..1], &by[1..2], &by[2..], &by[..2]] {
        let measures = vec![
            aggregate::Measure::Stats { field: "duration".to_owned() },
            aggregate::Measure::Percentiles { field: "duration".to_owned(), at: vec![50.0] },
            aggregate::Measure::Distinct { field: "user".to_owned() },
        ];
        let mut request = aggregate::Request { by: by.to_vec(), measures };
        let there = cluster.aggregate(&logs::asked(filter), &request, overview.times).expect("counts");
        let here = case.aggregate(&snapshot, &view, &request, &mut |_, _| {}, &cancel).expect("counts");
        assert_eq!((&there.value.counts, &there.value.axes), (&here.counts, &here.axes));
        assert_eq!(there.notes.len(), 2, "percentiles and distinct counts are estimated: {:?}", there.notes);
        // One percentile, and one value of a hundred.
        let error = remote::PERCENTILE_ERROR + 1.0;
        let at = vec![50.0 - error, 50.0 + error];
        request.measures[1] = aggregate::Measure::Percentiles { field: "duration".to_owned(), at };
        let here = case.aggregate(&snapshot, &view, &request, &mut |_, _| {}, &cancel).expect("counts");
        let [found, least, most] =
            [(&there.value, "p50"), (&here, "p48"), (&here, "p52")].map(|(cube, name)| figures(cube, name));
        let cells = found.iter().zip(least).zip(most).zip(&here.counts);
        for (((found, least), most), _) in cells.filter(|(_, count)| **count >= 100) {
            assert!(*found >= least && *found <= most, "{found} is not within {least} and {most}");
        }
        let (there, here) = (figures(&there.value, "count_distinct"), figures(&here, "count_distinct"));
        assert!(
            there.iter().zip(here).all(|(one, other)| (one - other).abs() <= other * remote::DISTINCT_ERROR)
        );
    }
    let request = aggregate::FacetsRequest {
        fields: ["service", "duration", "user", "source", "message"].map(str::to_owned).to_vec(),
        top: 3,
        buckets: 12,
        edges: None,
    };
    let facets =
        cluster.facets(&logs::asked(filter), &request, overview.times, &mut |_, _| {}).expect("facets").value;
    let present: Vec<u64> = facets.fields.iter().map(|facet| facet.present).collect();
    assert_eq!(present, [14_400, 14_400, 2_880, 14_400, 14_400]);
}
