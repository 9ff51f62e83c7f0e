//! The same events as documents of a cluster and as a case, and what tests do with both.

use std::fs;
use std::path::Path;
use std::time::Duration;

use indexer::query::{parse, parse_query};
use indexer::{Cancel, Case, ImportOptions, RunOptions, Table};
use remote::{Asked, Cluster, Options, Remote};
use serde_json::{Value, json};

use super::server::FakeCluster;

pub const EVENTS: usize = 2_500;

/// How long a question may take beyond its deadline on a machine that does much else.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn document(n: usize) -> Value {
    let time = indexer::stamp::to_rfc3339((1_772_373_600_000 + (n as i64 * 7_919) % 7_200_000) * 1_000_000);
    let mut document = json!({
        "@timestamp": time,
        "message": format!("request {n} to upstream"),
        "status": ([200, 200, 200, 301, 404, 500])[n % 6],
        "service": (["cart", "payment", "search"])[n * 7 % 3],
        "duration": (n * 37 % 1_000) as f64 / 4.0,
    });
    if n.is_multiple_of(5) {
        document["user"] = format!("user-{}", n % 35).into();
    }
    document
}

pub fn properties() -> Value {
    json!({
        "@timestamp": {"type": "date"},
        "message": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "status": {"type": "long"},
        "service": {"type": "keyword"},
        "duration": {"type": "double"},
        "user": {"type": "keyword"},
    })
}

pub fn started() -> FakeCluster {
    FakeCluster::start((0..EVENTS).map(document).collect(), properties())
}

pub fn remote_at(url: &str) -> Remote {
    Remote::new("test", url, "logs").expect("a remote")
}

pub fn patient() -> Options {
    Options {
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(4),
        ..Options::default()
    }
}

pub fn connected(fake: &FakeCluster) -> Cluster {
    Cluster::connect(&remote_at(&fake.url()), patient(), &Cancel::default()).expect("a cluster")
}

pub fn asked(filter: &str) -> Asked {
    Asked { filter: parse(filter).expect(filter), from: None, to: None, zone: "UTC".to_owned() }
}

/// The same documents as a case.
pub fn imported(folder: &Path) -> Case {
    imported_first(folder, EVENTS)
}

/// The first documents as a case.
pub fn imported_first(folder: &Path, count: usize) -> Case {
    let log = folder.join("logs.ndjson");
    let lines: Vec<String> = (0..count).map(|n| document(n).to_string()).collect();
    fs::write(&log, lines.join("\n")).expect("written");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    case
}

pub fn rows(table: &Table) -> Vec<Vec<String>> {
    let row = |row| {
        (0..table.columns().len()).map(move |column| {
            let cell = table.cell(row, column);
            // Sums in another order differ in their last digits.
            match cell.number() {
                Some(number) => format!("{number:.6}"),
                None => cell.to_string(),
            }
        })
    };
    (0..table.rows()).map(|at| row(at).collect()).collect()
}

/// Queries whose first aggregation runs at a cluster.
pub const STAGES: [&str; 43] = [
    "* | stats count, sum(status), avg(duration), min(duration), max(status), range(duration)",
    "* | stats",
    "status>=400 | stats count as n, stddev(duration), count(user) by service, status",
    "* | stats count() where status >= 500 as bad, count by service",
    "* | stats min(time) as first, max(time) as last by status",
    "* | stats count by bin(time, 10m)",
    "* | stats count by bin(duration, 50)",
    "* | stats count by user",
    "* | stats count_distinct(user) as users, median(duration) by service",
    "* | where status in (404, 500) and user is not null | stats count by user | sort -count, user | limit 3",
    "* | search service:cart | stats count by message | limit 5",
    "* | timechart span=10m count",
    "status>=300 | timechart span=30m avg(duration), count",
    "* | timechart span=1h count by status",
    "* | timechart span=1h count by user limit=3",
    "* | top 2 status",
    "* | top 3 user",
    "* | top 1 status by service",
    "* | rare 2 user",
    "* | facets status, service, user values=3",
    "service:nothing | stats count by status",
    "service:nothing | stats count, sum(status)",
    "* | stats sum(duration), min(status), max(status) by service, user",
    "* | stats variance(duration) as v by service",
    "* | stats count by bin(time, 1h), service",
    "* | stats avg(status) by bin(duration, 100)",
    "* | stats count() where status = 200 as good, count() where user is not null as named",
    "* | stats count(duration), count(user) as users by status",
    "* | stats range(status), sum(status) by service",
    "* | stats min(duration) where service = \"cart\" as least, max(duration)",
    "* | stats count by service, status, user",
    "* | stats p95(duration), p50(status) by service",
    "* | stats count_distinct(status) as codes, count_distinct(service) as services by user",
    "* | search status:200 | where duration < 100 | stats count, sum(duration) by service",
    "* | timechart span=15m sum(duration)",
    "* | timechart span=1h count by service",
    "* | timechart span=1h avg(duration) by service",
    "* | timechart span=30m count() where status >= 500 as bad, count",
    "* | top 4 service, status",
    "* | top 2 status by service",
    "* | rare 1 status by service",
    "* | rare 3 service, status",
    "* | facets user values=2",
];

/// Whether a server estimates what a query calculates, and says so.
pub fn is_estimated(text: &str) -> bool {
    ["median", "p95", "p50", "count_distinct", "facets"].iter().any(|word| text.contains(word))
}

/// The table that a case gives.
pub fn run_here(case: &Case, text: &str) -> Table {
    let query = parse_query(text).expect(text);
    let (snapshot, options) = (case.snapshot(), RunOptions::default());
    case.run(&snapshot, &query, (None, None), &options, &mut |_| {}, &Cancel::default()).expect(text)
}

/// What a cluster estimates is as near to the exact value as the answer says, and all else is equal. Groups have at least so
/// many values.
pub fn assert_within_stated_error(there: &Table, case: &Case, text: &str, values: usize) {
    // The same query for the percentiles that are as much lower and higher as the error.
    let percentile = regex::Regex::new(r"\bp(\d+)\((\w+)\)").expect("an expression");
    let error = remote::PERCENTILE_ERROR + 100.0 / values as f64;
    let [lower, higher] = [-error, error].map(|by| {
        let named = text.replace("median(", "p50(");
        let moved = percentile.replace_all(&named, |found: &regex::Captures<'_>| {
            let percent = found[1].parse::<f64>().expect("a number") + by;
            format!("percentile({}, {percent:.2})", &found[2])
        });
        run_here(case, &moved)
    });
    assert_eq!(there.rows(), lower.rows(), "{text}");
    for (row, column) in (0..there.rows()).flat_map(|row| (0..there.names().len()).map(move |at| (row, at))) {
        let [cell, least, most] = [there, &lower, &higher].map(|table| table.cell(row, column));
        let (Some(found), Some(least), Some(most)) = (cell.number(), least.number(), most.number()) else {
            assert_eq!(cell.to_string(), least.to_string(), "{text}");
            continue;
        };
        let is_distinct = ["users", "codes", "services", "distinct"].contains(&&*there.names()[column]);
        let slack = if is_distinct { most * remote::DISTINCT_ERROR } else { 1e-6 };
        assert!(
            found >= least - slack && found <= most + slack,
            "{text}, row {row}: {} is {found}, not within {least} and {most}",
            there.names()[column]
        );
    }
}

/// Every stage gives the same table there as here; where servers estimate, one that is as near as they say.
pub fn assert_stages_answered_alike(cluster: &Cluster, case: &Case, estimates: bool) {
    for text in STAGES {
        let query = parse_query(text).expect(text);
        let there =
            cluster.run(&query, (None, None), "UTC").unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(there.missing.is_empty() && there.inexact.is_empty(), "{text}: {there:?}");
        let says = there.notes.iter().any(|note| note.contains(remote::ESTIMATED));
        assert_eq!(says, is_estimated(text), "{text}: {:?}", there.notes);
        let here = run_here(case, text);
        assert_eq!(there.value.names(), here.names(), "{text}");
        assert_eq!(there.value.rows(), here.rows(), "{text}");
        if is_estimated(text) {
            assert_within_stated_error(&there.value, case, text, EVENTS / 3);
        }
        // Which of equally frequent values have a series of their own is open.
        let is_open = text.contains("limit=3") || estimates && is_estimated(text);
        if !is_open {
            assert_eq!(rows(&there.value), rows(&here), "{text}");
        }
    }
}
