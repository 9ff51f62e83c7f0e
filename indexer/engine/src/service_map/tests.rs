//! A map is compared with one that is put together event by event from the same log.

use std::collections::HashMap;
use std::fmt::Write;

use super::*;
use crate::test_case::{ImportOptions, Random, TestCase};

const SECOND: i64 = 1_000_000_000;
/// 2026-03-01T14:00:00Z.
const START: i64 = 1_772_373_600 * SECOND;

struct Line {
    time: i64,
    id: Option<u64>,
    service: &'static str,
    is_error: bool,
}

const SERVICES: [&str; 5] = ["gateway", "cart", "payment", "ledger", "mail"];

fn lines(seed: u64) -> Vec<Line> {
    let mut random = Random(seed);
    let mut lines: Vec<Line> = (0..3_000)
        .map(|_| Line {
            // Some events have the same time, and some no id.
            time: START + random.below(900) as i64 * SECOND,
            id: (random.below(10) > 0).then(|| 40_000 + random.below(400)),
            service: SERVICES[random.below(5) as usize],
            is_error: random.below(12) == 0,
        })
        .collect();
    lines.sort_by_key(|line| line.time);
    lines
}

fn case(folder: &std::path::Path, files: &[(&str, String)]) -> TestCase {
    let case = TestCase::create(&folder.join("a.case")).expect("a case");
    let paths: Vec<_> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path
        })
        .collect();
    case.import(&paths, &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("imported");
    case
}

fn log(lines: &[Line]) -> String {
    let mut text = String::new();
    for Line { time, id, service, is_error } in lines {
        let time = base::stamp::to_rfc3339(*time);
        let (level, id) =
            (if *is_error { "error" } else { "info" }, id.map(|id| format!(r#""order":{id},"#)));
        let id = id.unwrap_or_default();
        writeln!(text, r#"{{"time":"{time}","level":"{level}",{id}"service":"{service}","message":"step"}}"#)
            .expect("memory");
    }
    text
}

/// Edges by name: count, median, 95th percentile and errors.
type Edges = BTreeMap<(String, String), (u64, i64, i64, u64)>;

fn naive(lines: &[Line]) -> Edges {
    let mut by_id: HashMap<u64, Vec<&Line>> = HashMap::new();
    for line in lines {
        if let Some(id) = line.id {
            by_id.entry(id).or_default().push(line);
        }
    }
    let mut gaps: BTreeMap<(String, String), (Vec<i64>, u64)> = BTreeMap::new();
    for pair in by_id.values().flat_map(|lines| lines.windows(2)) {
        if pair[0].service != pair[1].service {
            let edge = gaps.entry((pair[0].service.to_owned(), pair[1].service.to_owned())).or_default();
            edge.0.push(pair[1].time - pair[0].time);
            edge.1 += u64::from(pair[1].is_error);
        }
    }
    gaps.into_iter()
        .map(|(names, (mut gaps, errors))| {
            gaps.sort_unstable();
            let at = |share: f64| gaps[(share * (gaps.len() as f64 - 1.0)).round() as usize];
            (names, (gaps.len() as u64, at(0.5), at(0.95), errors))
        })
        .collect()
}

fn edges_of(map: &ServiceMap) -> Edges {
    let name = |place: u32| map.nodes[place as usize].name.clone().unwrap_or_default();
    let edge = |edge: &ServiceEdge| {
        ((name(edge.from), name(edge.to)), (edge.count, edge.p50_ns, edge.p95_ns, edge.errors))
    };
    map.edges.iter().map(edge).collect()
}

fn field(name: &str) -> Spot {
    Spot::Field(name.to_owned())
}

fn map_of(case: &TestCase, query: &str, places: &[Spot], node: &str) -> ServiceMap {
    let view = View::parse(query, None, None).expect("a query");
    case.service_map(&case.snapshot(), &view, (places, node), &mut |_| {}, &Cancel::default()).expect("a map")
}

#[test]
fn edges_are_those_of_a_naive_walk() {
    for seed in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = lines(seed);
        let case = case(folder.path(), &[("shop.ndjson", log(&lines))]);
        let map = map_of(&case, "*", &[field("order")], "service");
        assert_eq!(edges_of(&map), naive(&lines), "seed {seed}");
        assert!(map.edges.is_sorted_by_key(|edge| Reverse(edge.count)));
        let with_id = lines.iter().filter(|line| line.id.is_some()).count() as u64;
        assert_eq!((map.events, map.events + map.without), (with_id, lines.len() as u64));
        for node in &map.nodes {
            let own = || {
                lines.iter().filter(|line| line.id.is_some() && node.name.as_deref() == Some(line.service))
            };
            let errors = own().filter(|line| line.is_error).count() as u64;
            let ids: std::collections::BTreeSet<_> = own().map(|line| line.id).collect();
            assert_eq!(
                (node.events, node.errors, node.ids),
                (own().count() as u64, errors, ids.len() as u64)
            );
        }
        let some = map_of(&case, "service!=cart", &[field("order")], "service");
        let others: Vec<Line> = lines.into_iter().filter(|line| line.service != "cart").collect();
        assert_eq!(edges_of(&some), naive(&others), "the filter decides which events are consecutive");
    }
}

#[test]
fn an_id_goes_through_formats_that_name_it_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut shop, mut worker) = (String::new(), String::new());
    for nth in 0..50_i64 {
        let time = |after: i64| base::stamp::to_rfc3339(START + nth * SECOND + after * 1_000_000);
        writeln!(shop, r#"{{"time":"{}","order":{{"id":{}}},"message":"paid"}}"#, time(0), 40_000 + nth)
            .expect("memory");
        let level = if nth % 5 == 0 { "ERROR" } else { "INFO" };
        writeln!(worker, "{} {level}  [w] app.Queue - order {} packed", time(20 + nth), 40_000 + nth)
            .expect("memory");
    }
    let case = case(folder.path(), &[("shop.ndjson", shop), ("worker.log", worker)]);
    let places = [field("order.id"), Spot::After("order".to_owned())];
    let map = map_of(&case, "*", &places, "source");
    let ms = 1_000_000;
    let edge = (50, 20 * ms + 25 * ms, 20 * ms + 47 * ms, 10);
    let names = ("shop.ndjson".to_owned(), "worker.log".to_owned());
    assert_eq!(edges_of(&map), BTreeMap::from([(names, edge)]));
    assert_eq!((map.ids, map.events, map.without), (50, 100, 0));
    assert!(map_of(&case, "*", &places[..1], "source").edges.is_empty(), "one name is in one format");
    let view = View::parse("*", None, None).expect("a query");
    let unknown = case.service_map(
        &case.snapshot(),
        &view,
        (&[field("ordr.id")], "source"),
        &mut |_| {},
        &Cancel::default(),
    );
    assert!(unknown.is_err_and(|error| error.to_string().contains("ordr.id")));
}

#[test]
fn a_sample_has_whole_ids_and_rare_nodes_share_one() {
    let visit =
        |id: u64, time: i64, node: u32| Visit { id, time, source: 0, offset: 0, node, is_error: false };
    let step = u64::MAX / 64;
    let mut visits = Visits { most: 32, ..Visits::default() };
    for id in 0..64 {
        let id = id * step + step / 2;
        visits.add(vec![visit(id, 1, 1), visit(id, 2, 2)]);
    }
    let map = visits.into_map(|code| Some(format!("n{code}")));
    assert!((map.sampled - 0.25).abs() < 1e-9, "{map:?}");
    assert_eq!((map.ids, map.events, map.without), (16, 32, 0));
    assert_eq!(map.edges[0].count, 16);

    let mut many = Visits::default();
    for node in 1..=(MOST_MAP_NODES as u32 + 10) {
        many.add((0..100 - i64::from(node)).map(|nth| visit(u64::from(node), nth, node)).collect());
    }
    let map = many.into_map(|code| Some(format!("n{code}")));
    assert_eq!(map.nodes.len(), MOST_MAP_NODES + 1);
    assert_eq!(map.nodes[MOST_MAP_NODES].name, None);
    assert_eq!(map.nodes.iter().map(|node| node.events).sum::<u64>(), map.events);
    assert_eq!(Visits::default().into_map(|_| None), ServiceMap { sampled: 1.0, ..ServiceMap::default() });
}
