//! Logs of a million lines and more at a real server, for the tests that `npm run test:remote -- --data DIR` runs.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexer::{Cancel, Case, ImportOptions, View};
use remote::{Body, Client, Options, PushOptions, PushTarget, Remote, Source};
use serde_json::{Value, json};
use timberline_tests::report;

/// How long anything may take on a machine that does much else.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// The data and the address of the server; nothing where no data is named.
pub fn named() -> Option<(PathBuf, String)> {
    let Ok(data) = std::env::var("TIMBERLINE_TEST_DATA") else {
        report::skipped(
            "TIMBERLINE_TEST_DATA names no folder with D1-1M.log, D2-1M.ndjson, D1.log and D2.ndjson",
        );
        return None;
    };
    Some((
        PathBuf::from(data),
        std::env::var("TIMBERLINE_TEST_CLUSTER").expect("the address of a cluster for tests"),
    ))
}

/// The first lines of a log, and a case of them.
pub fn imported(folder: &Path, log: &Path) -> (PathBuf, usize, Case) {
    let most =
        std::env::var("TIMBERLINE_TEST_EVENTS").map_or(usize::MAX, |count| count.parse().expect("a number"));
    let part = folder.join(log.file_name().expect("a name"));
    let mut out = std::io::BufWriter::new(fs::File::create(&part).expect("a file"));
    let mut count = 0;
    for line in BufReader::new(fs::File::open(log).expect("the data")).lines().take(most) {
        writeln!(out, "{}", line.expect("text")).expect("written");
        count += 1;
    }
    out.flush().expect("written");
    let case = Case::create(&folder.join(format!("{count}.case"))).expect("a case");
    case.import(std::slice::from_ref(&part), &ImportOptions::default(), &|_| {}, &Cancel::default())
        .expect("an import");
    (part, count, case)
}

pub fn client(url: &str, index: &str) -> (Remote, Arc<Client>) {
    let remote = Remote::new("live", url, index).expect("a remote");
    let options = Options { deadline: PATIENCE, ..Options::default() };
    let client = Client::new(&remote, options, &Cancel::default()).expect("a client");
    (remote, Arc::new(client))
}

pub fn forget(client: &Client, index: &str) {
    let _ = client.call("DELETE", &format!("/{index}"), &Body::None);
}

/// All events of a case, as they are pushed.
pub fn with_source<T>(case: &Case, ask: impl FnOnce(&Source<'_>) -> T) -> T {
    let view = View::parse("*", None, None).expect("a view");
    ask(&Source { case, snapshot: &case.snapshot(), view: &view })
}

/// Pushes a case into an index that is new and tells its size without delay; gives the documents a second.
pub fn pushed(url: &str, index: &str, case: &Case) -> f64 {
    let (remote, client) = client(url, index);
    forget(&client, index);
    let options = PushOptions {
        index: index.to_owned(),
        data_stream: false,
        with_original: false,
        rate: None,
        senders: 2,
        checkpoints: None,
    };
    with_source(case, |source| {
        let mut body = remote::template(source, &options).body["template"].clone();
        body["settings"]["index"]["store"] = json!({"stats_refresh_interval": "0s"});
        create(&client, index, body);
        let target = PushTarget { client: &client, url: &remote.url };
        let began = Instant::now();
        let pushed = remote::push(&target, source, &options, &mut |_| {}, &Cancel::default());
        let (pushed, took) = (pushed.expect("a push"), began.elapsed());
        assert!(pushed.refused.is_empty(), "{pushed:?}");
        pushed.created as f64 / took.as_secs_f64()
    })
}

pub fn create(client: &Client, index: &str, body: Value) {
    let made = client.call("PUT", &format!("/{index}"), &Body::Json(body));
    client.ok(made.expect("an answer")).expect("an index");
}

/// The bytes of an index without its copies, once nothing in it is merged any more.
pub fn stored_bytes(client: &Client, index: &str) -> f64 {
    let began = Instant::now();
    loop {
        for step in ["_flush", "_refresh"] {
            client.call("POST", &format!("/{index}/{step}"), &Body::None).expect("an answer");
        }
        let stats = client.get(&format!("/{index}/_stats/store,merge")).expect("statistics");
        let primaries = &stats["_all"]["primaries"];
        if primaries["merges"]["current"] == 0 {
            return primaries["store"]["size_in_bytes"].as_f64().expect("a size");
        }
        assert!(began.elapsed() < PATIENCE, "the index is merged for ever");
        std::thread::sleep(Duration::from_millis(200));
    }
}
