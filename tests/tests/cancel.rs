//! Whoever cancels a question has its thread back at once, wherever the work stood: over a million events, with
//! nothing kept from earlier questions.

use std::fmt::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use indexer::aggregate::{By, FacetsRequest, Measure, Request, TermOrder};
use indexer::{
    Cancel, Case, ErrorKind, ImportOptions, PatternOptions, RunOptions, Shown, Snapshot, SortBy, View,
};

const EVENTS: u64 = 1_000_000;

/// How soon a question ends that is cancelled.
const LIMIT: Duration = Duration::from_millis(50);

/// When it is cancelled, from its begin on.
const DELAYS_MS: [u64; 6] = [0, 3, 15, 60, 150, 400];

/// Each delay is tried so often, and the shortest wait counts: the machine has other things to do as well.
const TRIES: usize = 4;

/// Something that is asked: all it gives is how it ended.
type Ask = fn(&Case, &Snapshot, &Cancel) -> Result<(), indexer::Error>;

const QUESTIONS: [(&str, Ask); 13] = [
    ("a scan of all text", |case, snapshot, cancel| {
        case.count(snapshot, &view("/u[a-z]+ 99[0-9]*7 t/"), cancel).map(drop)
    }),
    ("a field of byte ranges", |case, snapshot, cancel| {
        case.count(snapshot, &view("trace_id:*abcd*"), cancel).map(drop)
    }),
    ("an id", |case, snapshot, cancel| {
        case.count(snapshot, &view("trace_id:0123456789abcdef"), cancel).map(drop)
    }),
    ("numbers and words", |case, snapshot, cancel| {
        case.count(snapshot, &view("duration_ms>7 took NOT service:api"), cancel).map(drop)
    }),
    ("terms of ids", |case, snapshot, cancel| aggregate(case, snapshot, "trace_id", cancel)),
    ("percentiles by service", |case, snapshot, cancel| aggregate(case, snapshot, "service", cancel)),
    ("facets of all fields", |case, snapshot, cancel| {
        let request = FacetsRequest { fields: Vec::new(), top: 10, buckets: 60, edges: None };
        case.facets(snapshot, &view("*"), &request, &mut |_, _| {}, cancel).map(drop)
    }),
    ("a page sorted by number", |case, snapshot, cancel| page(case, snapshot, "duration_ms", cancel)),
    ("a page sorted by id", |case, snapshot, cancel| page(case, snapshot, "trace_id", cancel)),
    ("patterns", |case, snapshot, cancel| {
        case.patterns(snapshot, &view("*"), &PatternOptions::default(), &mut |_, _| {}, cancel).map(drop)
    }),
    ("a pipe with rex", |case, snapshot, cancel| {
        pipe(
            case,
            snapshot,
            "* | rex field=message \"user (?<user>[0-9]+)\" | stats count, p95(duration_ms) by user",
            cancel,
        )
    }),
    ("a pipe that sorts all", |case, snapshot, cancel| {
        pipe(case, snapshot, "* | keep trace_id | sort trace_id", cancel)
    }),
    ("a pipe that sorts some", |case, snapshot, cancel| {
        pipe(case, snapshot, "* | eval late = duration_ms * 2 | sort -late, trace_id | limit 100", cancel)
    }),
];

fn view(query: &str) -> View {
    View::parse(query, None, None).unwrap_or_else(|error| panic!("{query}: {error}"))
}

fn aggregate(case: &Case, snapshot: &Snapshot, field: &str, cancel: &Cancel) -> Result<(), indexer::Error> {
    let by = vec![By::Terms { field: field.to_owned(), top: 10, order: TermOrder::Most }];
    let measures = vec![Measure::Percentiles { field: "duration_ms".to_owned(), at: vec![50.0, 99.0] }];
    case.aggregate(snapshot, &view("*"), &Request { by, measures }, &mut |_, _| {}, cancel).map(drop)
}

fn page(case: &Case, snapshot: &Snapshot, field: &str, cancel: &Cancel) -> Result<(), indexer::Error> {
    let sort = SortBy { field: field.to_owned(), descending: true };
    case.page_by(snapshot, &view("*"), &sort, (500_000, 100), &Shown::text(200), cancel).map(drop)
}

fn pipe(case: &Case, snapshot: &Snapshot, query: &str, cancel: &Cancel) -> Result<(), indexer::Error> {
    let query = indexer::query::parse_query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    case.run(snapshot, &query, (None, None), &RunOptions::default(), &mut |_| {}, cancel).map(drop)
}

fn million_events(folder: &Path) -> std::path::PathBuf {
    let mut log = String::new();
    for event in 0..EVENTS {
        let id = event.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let time = indexer::stamp::to_rfc3339(1_772_323_200_000_000_000 + event as i64 * 3_000_000);
        let service = ["api", "web", "jobs"][(id % 3) as usize];
        let (user, took) = (id % 40_000, (id >> 20) % 5_000);
        let _ = writeln!(
            log,
            "{{\"time\":\"{time}\",\"level\":\"info\",\"service\":\"{service}\",\"trace_id\":\"{id:016x}\",\
             \"duration_ms\":{}.{},\"message\":\"request of user {user} took {took} us\"}}",
            took / 10,
            took % 10,
        );
    }
    let file = folder.join("million.ndjson");
    std::fs::write(&file, log).expect("a file can be written");
    let path = folder.join("million.case");
    let case = Case::create(&path).expect("a case can be made");
    let options = ImportOptions { profile: Some(indexer::Profile::Fields), ..ImportOptions::default() };
    let report = case.import(&[file], &options, &|_| {}, &Cancel::default()).expect("an import");
    assert!(report.failure.is_none(), "{:?}", report.failure);
    path
}

/// How long a question took to end after it was cancelled; nothing where it had ended before.
fn wait(path: &Path, ask: Ask, delay: Duration) -> Option<Duration> {
    let case = Case::open(path).expect("a case");
    let snapshot = case.snapshot();
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let outcome = ask(&case, &snapshot, &cancel);
            (outcome, Instant::now())
        });
        thread::sleep(delay);
        let cancelled = Instant::now();
        cancel.set();
        let (outcome, ended) = asked.join().expect("no panic");
        match outcome {
            Ok(()) => None,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
                Some(ended.saturating_duration_since(cancelled))
            }
        }
    })
}

/// `cargo test --release -p timberline-tests --test all -- cancel:: --ignored --nocapture` prints the waits.
#[test]
#[ignore = "reads a million events many times"]
#[allow(clippy::print_stdout)]
fn a_cancelled_question_ends_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = million_events(folder.path());
    let mut late = Vec::new();
    for (name, ask) in QUESTIONS {
        let waits = DELAYS_MS.map(|delay| {
            let tries = (0..TRIES).map(|_| wait(&path, ask, Duration::from_millis(delay)));
            tries.flatten().min()
        });
        println!("{name:28} {waits:.1?}");
        if waits.iter().flatten().any(|wait| *wait > LIMIT) {
            late.push(name);
        }
        assert!(waits.iter().any(Option::is_some), "{name} is over before it can be cancelled");
    }
    assert!(late.is_empty(), "more than {LIMIT:?} after they were cancelled: {late:?}");
}
