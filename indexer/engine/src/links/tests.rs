//! Links and clocks of logs in several formats whose truth is known.

use std::fmt::Write;
use std::path::Path;

use super::*;
use crate::test_case::{ImportOptions, Random, TestCase};

const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * SECOND;

/// A gateway, an application and a worker that work on the same requests: they share request ids under two names and
/// order numbers under two. Ports, process ids, sizes, durations and codes are their own.
fn mixed(folder: &Path, seed: u64, worker_offset: i64) -> Vec<std::path::PathBuf> {
    let mut random = Random(seed);
    let (mut gateway, mut application, mut worker) = (Vec::new(), Vec::new(), Vec::new());
    for nth in 0..400 {
        let at = START + nth * 9 * SECOND + random.below(8_000) as i64 * 1_000_000;
        let (id, order) = (format!("{:016x}", random.below(u64::MAX)), 40_000 + random.below(9_000));
        let (there, work) = (2 + random.below(30) as i64, 20 + random.below(200) as i64);
        let ms = |after: i64| at + after * 1_000_000;
        let mut number = |limit: u64| random.below(limit);
        gateway.push((
            ms(0),
            format!(
                r#""request_id":"{id}","port":{},"bytes":{},"status":{},"message":"request begins""#,
                30_000 + number(30_000),
                200 + number(5_000),
                200 + number(4) * 100,
            ),
        ));
        gateway.push((
            ms(there + work + 5),
            format!(
                r#""request_id":"{id}","port":{},"bytes":{},"status":200,"message":"request ends""#,
                30_000 + number(30_000),
                200 + number(5_000),
            ),
        ));
        application.push((
            ms(there),
            format!(
                "INFO  [{}] app.Handler - begins request {id} for order {order} from port {}",
                1_000 + number(30_000),
                30_000 + number(30_000),
            ),
        ));
        if nth % 2 == 0 {
            let later = worker_offset / 1_000_000 + there + work / 4;
            worker.push((
                ms(later),
                format!(
                    r"host-1 worker[{}]: job={} done, order_id={order} size {}",
                    1_000 + number(30_000),
                    700_000 + nth,
                    200 + number(5_000),
                ),
            ));
        }
    }
    let written = |name: &str, lines: &mut Vec<(i64, String)>, line: &dyn Fn(&str, &str) -> String| {
        lines.sort();
        let mut text = String::new();
        for (time, rest) in lines {
            writeln!(text, "{}", line(&base::stamp::to_rfc3339(*time), rest)).expect("memory");
        }
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    vec![
        written("gateway.ndjson", &mut gateway, &|time, rest| format!(r#"{{"time":"{time}",{rest}}}"#)),
        written("application.log", &mut application, &|time, rest| format!("{time} {rest}")),
        written("worker.log", &mut worker, &|time, rest| format!("<13>1 {time} {rest}")),
    ]
}

fn links_of(paths: &[std::path::PathBuf], folder: &Path) -> (Arc<Links>, TestCase) {
    let case = TestCase::create(&folder.join("a.case")).expect("a case");
    case.import(paths, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    let links = case.links(&case.snapshot(), &mut |_| {}, &Cancel::default()).expect("links");
    (links, case)
}

fn names(links: &Links) -> Vec<[&str; 2]> {
    let mut names: Vec<[&str; 2]> = links
        .links
        .iter()
        .map(|link| {
            let mut names = [link.ends[0].spot.name(), link.ends[1].spot.name()];
            names.sort_unstable();
            names
        })
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn ids_are_linked_under_all_their_names_and_nothing_else_is() {
    for seed in 1..=5 {
        let folder = tempfile::tempdir().expect("a folder");
        let (links, _case) = links_of(&mixed(folder.path(), seed, 0), folder.path());
        assert_eq!(
            names(&links),
            [["order", "order_id"], ["request", "request_id"]],
            "seed {seed}: {links:#?}"
        );
        assert!(
            links.links.iter().all(|link| link.share > 0.9 && link.examples.len() == EXAMPLES),
            "{links:#?}"
        );
        assert!(links.clocks.iter().all(|clock| !clock.differs), "seed {seed}: {:#?}", links.clocks);
    }
}

#[test]
fn a_clock_that_is_wrong_is_found_through_shared_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let (links, case) = links_of(&mixed(folder.path(), 9, 90 * SECOND), folder.path());
    let snapshot = case.snapshot();
    let differing: Vec<&Clock> = links.clocks.iter().filter(|clock| clock.differs).collect();
    let [clock] = differing[..] else { panic!("{:#?}", links.clocks) };
    let sources = clock.sources.map(|source| snapshot.sources()[source as usize].name.clone());
    assert_eq!(sources, ["application.log", "worker.log"]);
    let error = clock.estimate.offset_ns + 90 * SECOND;
    assert!(error.abs() < 50_000_000, "{clock:#?}");
    assert_eq!(clock.examples.len(), EXAMPLES);
}

#[test]
fn a_case_without_anything_in_common_has_no_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(3);
    let mut paths = Vec::new();
    for name in ["a.ndjson", "b.ndjson"] {
        let mut text = String::new();
        for nth in 0..500 {
            let time = base::stamp::to_rfc3339(START + nth * SECOND);
            let (port, pid, took) =
                (random.below(30_000) + 30_000, random.below(9_000) + 1_000, random.below(5_000));
            writeln!(
                text,
                r#"{{"time":"{time}","port":{port},"pid":{pid},"duration_ms":{took},"started":{}}}"#,
                1_772_373_600 + nth
            )
            .expect("memory");
        }
        paths.push(folder.path().join(name));
        std::fs::write(&paths[paths.len() - 1], text).expect("written");
    }
    let (links, _case) = links_of(&paths, folder.path());
    assert_eq!((names(&links).len(), links.clocks.len()), (0, 0), "{links:#?}");
}

#[test]
fn the_sample_has_one_link_and_clocks_that_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sample");
    let (links, _case) = links_of(&[sample], folder.path());
    assert_eq!(names(&links), [["order", "order.id"]], "{links:#?}");
    let [clock] = &links.clocks[..] else { panic!("{:#?}", links.clocks) };
    assert!(!clock.differs, "the worker writes 600 ms after the shop: {clock:#?}");
}

#[test]
fn an_id_is_followed_and_put_together_under_all_its_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (links, case) = links_of(&mixed(folder.path(), 2, 0), folder.path());
    let snapshot = case.snapshot();
    let spots_of = |id: &LinkedId| id.spots.iter().map(|spot| spot.name().to_owned()).collect::<Vec<_>>();
    let mut names: Vec<Vec<String>> = links.ids.iter().map(spots_of).collect();
    names.sort();
    assert_eq!(names, [["order", "order_id"], ["request_id", "request"]]);

    let request = links.links.iter().find(|link| link.ends.iter().any(|end| end.spot.name() == "request"));
    let value = &request.expect("requests").examples[0];
    let found = case.linked_value(&snapshot, &links, value, &Cancel::default()).expect("an answer");
    assert_eq!(found.ids.len(), 1);
    assert_eq!(found.query, format!("request_id={value} OR \"request {value}\""));
    assert_eq!(found.events, 3, "it begins and ends in the gateway, and begins in the application");
    let view = crate::View::parse(&format!("\"{value}\""), None, None).expect("a query");
    assert_eq!(case.count(&snapshot, &view, &Cancel::default()).expect("a count"), 3);
    let nothing =
        case.linked_value(&snapshot, &links, "no-such-value-1", &Cancel::default()).expect("an answer");
    assert_eq!(nothing, LinkedValue::default());

    // Every request is one transaction of its three events, in both formats.
    let query = query::parse_query(&found.ids[0].transactions).expect("a query of the language");
    assert_eq!(query.to_string(), found.ids[0].transactions);
    let table = case
        .run(&snapshot, &query, (None, None), &crate::RunOptions::default(), &mut |_| {}, &Cancel::default())
        .expect("transactions");
    let counts = table.column("count").expect("a column");
    assert_eq!(table.rows(), 400);
    assert!((0..400).all(|row| counts.cell(row) == crate::Cell::Int(3)));

    assert!(Arc::ptr_eq(&links, &case.known_links(&snapshot).expect("they are known")));
}

#[test]
fn value_is_looked_for_only_where_it_can_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let (links, case) = links_of(&mixed(folder.path(), 1, 0), folder.path());
    let snapshot = case.snapshot();
    let request = links.links.iter().find(|link| link.ends.iter().any(|end| end.spot.name() == "request"));
    let value = &request.expect("requests").examples[0];
    // Ports are numbers, and the id of a request is none.
    let spots = ["port", "request_id"].map(|name| Spot::Field(name.to_owned())).to_vec();
    let ids = vec![LinkedId { spots, transactions: String::new() }];
    let mixed_up = Links { ids, ..(*links).clone() };
    let found = case.linked_value(&snapshot, &mixed_up, value, &Cancel::default()).expect("an answer");
    assert_eq!((found.query, found.events), (format!("request_id={value}"), 2));
}

#[test]
fn what_is_linked_with_the_same_place_is_one_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, case) = links_of(&mixed(folder.path(), 2, 0), folder.path());
    let end = |spot: Spot| LinkEnd { format: String::new(), spot, sources: vec![0], values: 9 };
    let link = |one: Spot, other: Spot| Link {
        ends: [end(one), end(other)],
        shared: 9,
        share: 1.0,
        examples: Vec::new(),
    };
    let field = |name: &str| Spot::Field(name.to_owned());
    let ids = names::linked_ids(
        &[
            link(field("a"), field("x-request-id")),
            link(field("order"), Spot::After("order".to_owned())),
            link(Spot::After(String::new()), field("trace")),
            link(field("trace"), field("a")),
        ],
        &case.snapshot(),
    );
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0].filter("4711"), r#""a"="4711" OR "trace"="4711" OR "x-request-id"="4711" OR "4711""#);
    let parsed = query::parse_query(&ids[0].transactions).expect("a query of the language");
    assert!(parsed.to_string().contains("`x-request-id`"), "{parsed}");
    assert_eq!(ids[1].spots.len(), 2);
}
