//! What goes wrong at a cluster while it is asked and written to: nothing hangs over its deadline, and nothing wrong is shown
//! as complete.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indexer::aggregate::{By, FacetsRequest, Measure, Request, TermOrder};
use indexer::query::parse;
use indexer::{Cancel, Case, Direction, ErrorKind, Result, Shown, SortBy, View};
use remote::{
    Answer, Both, Client, Cluster, Events, Lane, MergedListing, Missing, Options, PushOptions, PushTarget,
    Remote, Source, new_listing,
};
use serde_json::json;

use crate::cluster;

use cluster::logs::{PATIENCE, asked, document, imported_first, patient, properties, remote_at};
use cluster::random::Dice;
use cluster::server::{FakeCluster, Fault};

/// More than one page.
const EVENTS: usize = 1_050;

/// Faults that a request met.
const INJECTED: usize = 300;

const FILTERS: [&str; 2] = ["*", "status:500"];

/// What is asked, and the ends of the paths that go wrong for it.
const QUESTIONS: [(&str, [&str; 4]); 7] = [
    ("count", ["/_search"; 4]),
    ("events", ["/_search", "/_search", "/_search", "/_pit"]),
    ("timeline", ["/_search"; 4]),
    ("facets", ["/_search"; 4]),
    ("aggregate", ["/_search"; 4]),
    ("both", ["/_search", "/_search", "/_search", "/_pit"]),
    ("push", ["/_bulk", "/_bulk", "/_refresh", "/timberline-logs-pushed"]),
];

fn hasty() -> Options {
    Options { deadline: Duration::from_millis(600), answer_bytes: 4 << 20, ..patient() }
}

/// An answer whose value is compared as text.
fn as_text<T: Debug>(answer: Answer<T>) -> Answer<String> {
    let Answer { value, inexact, missing, notes } = answer;
    Answer { value: format!("{value:?}"), inexact, missing, notes }
}

fn answered(question: &str, cluster: &Cluster, case: &Case, filter: &str) -> Result<Answer<String>> {
    let asked = asked(filter);
    let times = case.snapshot().time_range();
    match question {
        "count" => cluster.count(&asked).map(as_text),
        "events" => {
            let (sort, mut texts) = (SortBy { field: "time".to_owned(), descending: true }, Vec::new());
            let events = Events { asked: &asked, sort, limit: usize::MAX };
            let answer = cluster.for_each(&events, &mut |event| {
                texts.push(event.text);
                Ok(())
            })?;
            Ok(Answer { value: texts.join("\n"), ..as_text(answer) })
        }
        "timeline" => cluster.timeline(&asked, times, 40).map(as_text),
        "facets" => {
            let request = FacetsRequest { fields: Vec::new(), top: 3, buckets: 10, edges: None };
            cluster.facets(&asked, &request, times, &mut |_, _| {}).map(as_text)
        }
        "aggregate" => {
            let by = By::Terms { field: "service".to_owned(), top: 2, order: TermOrder::Most };
            let measures = vec![Measure::Stats { field: "duration".to_owned() }];
            cluster.aggregate(&asked, &Request { by: vec![by], measures }, times).map(as_text)
        }
        "both" => together(cluster, case, filter),
        other => panic!("{other} is not asked"),
    }
}

/// The timeline and a page of the case and the cluster.
fn together(cluster: &Cluster, case: &Case, filter: &str) -> Result<Answer<String>> {
    let (snapshot, cancel, filter) = (case.snapshot(), Cancel::default(), parse(filter).expect(filter));
    let lanes = vec![Lane { cluster: cluster.for_question(&cancel), times: snapshot.time_range() }];
    let both = Both { case, snapshot: &snapshot, lanes, zone: "UTC", cancel: &cancel };
    let timeline = as_text(both.timeline(&filter, (None, None), 40)?);
    let splits = Mutex::default();
    let open = |_: usize, lane: &Lane, asked: &remote::Asked, sort: &SortBy| new_listing(lane, asked, sort);
    let mut listing =
        MergedListing::new(&both, &filter, (None, None), Direction::OldestFirst, &splits, &open)?;
    let page = listing.page(100, 30, &Shown { cut: 100, columns: &[] })?;
    let mut answer = as_text(listing.answer(page));
    answer.value.push_str(&timeline.value);
    answer.missing.0.extend(timeline.missing.0);
    Ok(answer)
}

/// Pushes all events; refused ones are missing.
fn pushed(fake: &FakeCluster, case: &Case) -> Result<Answer<String>> {
    let remote = Remote::new("test", &fake.url(), "logs-pushed").expect("a remote");
    let client = Arc::new(Client::new(&remote, hasty(), &Cancel::default()).expect("a client"));
    let view = View::parse("*", None, None).expect("a view");
    let source = Source { case, snapshot: &case.snapshot(), view: &view };
    let options = PushOptions {
        index: "logs-pushed".to_owned(),
        data_stream: false,
        with_original: false,
        rate: None,
        senders: 1,
        checkpoints: None,
    };
    let target = PushTarget { client: &client, url: &remote.url };
    let pushed = remote::push(&target, &source, &options, &mut |_| {}, &Cancel::default())?;
    let (value, there) =
        ((pushed.created + pushed.known).to_string(), fake.state.lock().expect("no panic").documents.len());
    assert_eq!(value, there.to_string(), "what is said to be there is there");
    let missing = Missing(pushed.refused.into_keys().collect());
    Ok(Answer { value, inexact: Vec::new(), missing, notes: Vec::new() })
}

/// Up to three faults, and requests between them that are answered.
fn planned(dice: &mut Dice) -> Vec<Option<Fault>> {
    let busy = |after: String| Some(Fault::Status(429, vec![("retry-after", after)], String::new()));
    let half = r#"{"_shards":{"total":2,"successful":1,"failed":0},"hits":{"total":{"value":7,"relation":"eq"},"hits":[]}}"#;
    let count = 1 + dice.roll(3);
    let mut fault = || match dice.roll(20) {
        0 => busy("0".to_owned()),
        1 => busy("100".to_owned()),
        2 => Some(Fault::Status(503, Vec::new(), String::new())),
        3 => Some(Fault::CutBefore),
        4 => Some(Fault::CutWithin),
        5 if dice.roll(4) == 0 => Some(Fault::Silent),
        6 => Some(Fault::Huge(5 << 20)),
        7 => Some(Fault::Text("{\"took\": 1".to_owned())),
        8 => Some(Fault::Partial),
        9 => Some(Fault::TimedOut),
        // Some answers come within the deadline this way, and some do not.
        10 => Some(Fault::Slow(dice.roll(8) as u64)),
        // The clock of a cluster may be years off.
        11 => busy(format!("Fri, 31 Dec {} 23:59:59 GMT", [1999, 2099][dice.roll(2)])),
        12 => Some(Fault::Text(half.to_owned())),
        _ => None,
    };
    (0..count).map(|_| fault()).collect()
}

#[test]
fn three_hundred_faults_never_show_something_wrong_as_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported_first(folder.path(), EVENTS);
    let fake = FakeCluster::start((0..EVENTS).map(document).collect(), properties());
    let cluster = Cluster::connect(&remote_at(&fake.url()), hasty(), &Cancel::default()).expect("a cluster");
    let well = Cluster::connect(&remote_at(&fake.url()), patient(), &Cancel::default()).expect("a cluster");
    let truth = |question: &str, filter: &str| {
        if question == "push" {
            return EVENTS.to_string();
        }
        let answer = answered(question, &well, &case, filter).expect(question);
        assert!(answer.missing.is_empty(), "{question}: {:?}", answer.missing);
        answer.value
    };
    let truths: BTreeMap<(&str, &str), String> = QUESTIONS
        .iter()
        .flat_map(|(question, _)| FILTERS.map(|filter| ((*question, filter), truth(question, filter))))
        .collect();
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    // Answers that are complete, partial, and errors, by what was asked.
    let mut ends: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut injected = 0;
    while injected < INJECTED {
        let (question, paths) = QUESTIONS[dice.roll(QUESTIONS.len())];
        let filter = FILTERS[dice.roll(FILTERS.len())];
        let empty = (question == "push").then(|| FakeCluster::start(Vec::new(), json!({})));
        let asked = empty.as_ref().unwrap_or(&fake);
        let faults = planned(&mut dice);
        let all = faults.iter().flatten().count();
        asked.fail(paths[dice.roll(paths.len())], faults);
        let began = Instant::now();
        let answer = match &empty {
            Some(empty) => pushed(empty, &case),
            None => answered(question, &cluster, &case, filter),
        };
        // Each request has its deadline, and so has what gives the point in time back.
        assert!(began.elapsed() < PATIENCE, "{question}: {:?}", began.elapsed());
        let end = match answer {
            Ok(answer) if answer.missing.is_empty() => {
                assert_eq!(answer.value, truths[&(question, filter)], "{question}: {filter}");
                0
            }
            Ok(_) => 1,
            Err(error) => {
                let says = error.hint_text().is_some() || error.kind() == ErrorKind::Corrupt;
                assert!(says, "{question}: {error}");
                2
            }
        };
        ends.entry(question).or_default()[end] += 1;
        let mut state = asked.state.lock().expect("no panic");
        injected += all - state.faults.values().flatten().flatten().count();
        state.faults.clear();
    }
    for (question, [complete, partial, failed]) in &ends {
        assert!(*complete > 1 && partial + failed > 1, "{question} is not tested: {ends:?}");
    }
    assert_eq!(ends.len(), QUESTIONS.len(), "{ends:?}");
}
