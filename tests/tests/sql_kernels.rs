//! SQL whose aggregations the kernels calculate gives the tables that polars makes of the rows: the same columns, types
//! and values, for random questions about random events.

use std::cell::Cell as Counter;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use indexer::{
    Calculated, Cancel, Case, Cell, Column, ColumnKind, ImportOptions, Profile, RunOptions, SqlOptions, Table,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn options(by_rows: bool, zone: &str) -> SqlOptions {
    let run = RunOptions { by_rows, ..RunOptions::in_zone(zone).expect("a zone") };
    SqlOptions { run, ..SqlOptions::default() }
}

fn ask(case: &Arc<Case>, text: &str, by_rows: bool, zone: &str) -> indexer::Result<Table> {
    case.sql(&case.snapshot(), text, &options(by_rows, zone), &Cancel::default())
}

fn decided(case: &Arc<Case>, text: &str) -> Option<Calculated> {
    let explained = case.explain_sql(&case.snapshot(), text, &options(false, "UTC"), &Cancel::default());
    explained.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn imported(folder: &Path, files: &[String], profile: Profile) -> Arc<Case> {
    let case = Case::create(&folder.join("sql.case")).expect("a case can be made");
    let ingest = indexer::ReadOptions { chunk_bytes: 900, ..indexer::ReadOptions::default() };
    let options = ImportOptions { profile: Some(profile), ingest, ..ImportOptions::default() };
    // A file at a time, so that there are segments whose times overlap.
    for (place, text) in files.iter().enumerate() {
        let path = folder.join(format!("{place}.ndjson"));
        std::fs::write(&path, text).expect("a file can be written");
        let report = case.import(&[path], &options, &|_| {}, &Cancel::default()).expect("an import");
        assert!(report.failure.is_none());
    }
    Arc::new(case)
}

/// An event with some of the fields; times lie around a change of clocks.
fn event() -> impl Strategy<Value = String> {
    let parts = (
        0..200_000u32,
        prop::option::weighted(0.9, prop::sample::select(vec!["api", "web", "Web", "größe", ""])),
        prop::option::weighted(0.9, prop::sample::select(vec![200, 404, 500, -7])),
        prop::option::weighted(0.8, -40..40i32),
        prop::option::weighted(0.8, any::<bool>()),
        prop::option::weighted(0.9, prop::sample::select(vec!["info", "warn", "error"])),
        prop::option::weighted(0.7, prop::sample::select(vec!["\"a\"", "\"7\"", "7", "true"])),
        prop::sample::select(vec![1_i64, 2, 3, 9_007_199_254_740_993]),
    );
    parts.prop_map(|(second, service, status, half, ok, level, odd, n)| {
        let time = indexer::stamp::to_rfc3339((1_774_700_000 + i64::from(second)) * 1_000_000_000);
        let mut line = format!("{{\"time\":\"{time}\",\"n\":{n}");
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(line, ",\"{name}\":{value}");
            }
        };
        add("service", service.map(|service| format!("\"{service}\"")));
        add("status", status.map(|status| status.to_string()));
        // Some of them are whole.
        add("took", half.map(|half| format!("{}", f64::from(half) / 2.0)));
        add("ok", ok.map(|ok| ok.to_string()));
        add("level", level.map(|level| format!("\"{level}\"")));
        add("odd", odd.map(str::to_owned));
        line.push_str("}\n");
        line
    })
}

/// Every column is there, or a question about it would be a mistake.
const ALL: &str = "{\"time\":\"2026-03-28T12:00:00Z\",\"n\":1,\"service\":\"api\",\"status\":200,\"took\":1.5,\
                   \"ok\":true,\"level\":\"info\",\"odd\":7}\n{\"service\":\"api\",\"n\":2}\n";

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "service",
        "service",
        "status",
        "ok",
        "level",
        "source",
        "n",
        "odd",
        "took",
        "date_trunc('hour', time)",
        "date_trunc('day', time)",
        "time_bucket('15 minutes', time)",
        "time_bucket('6 hours', time)",
        "time_bucket('1 week', time)",
        "date_trunc('month', time)",
        "lower(service)",
    ])
}

fn calculation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "count(*)",
        "count(1)",
        "count(service)",
        "count(took)",
        "count(level)",
        "count(odd)",
        "count(DISTINCT service)",
        "count(DISTINCT status)",
        "count(DISTINCT took)",
        "count(DISTINCT ok)",
        "sum(status)",
        "sum(took)",
        "sum(n)",
        "avg(status)",
        "avg(took)",
        "min(took)",
        "max(took)",
        "min(service)",
        "max(service)",
        "min(time)",
        "max(time)",
        "max(level)",
        "min(ok)",
        "min(status)",
        "median(took)",
        "median(status)",
        "quantile_cont(took, 0.9)",
        "quantile_cont(status, 0.25)",
        "quantile_disc(took, 0.5)",
        "stddev(took)",
        "variance(status)",
        "100.0 * count(*) / (1 + count(took))",
        "round(avg(took), 1)",
        "coalesce(sum(status), 0) + 1",
        "CASE WHEN count(*) > 3 THEN 'many' ELSE 'few' END",
        "CAST(sum(status) AS VARCHAR)",
        "sum(took * 2)",
        "first(service)",
        "max(n) - min(n)",
        "count(*) FILTER (WHERE status = 200)",
    ])
}

fn condition() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "",
        " WHERE status = 200",
        " WHERE status >= 404 AND service = 'api'",
        " WHERE took > 3.5 OR ok",
        " WHERE service IN ('api', 'web')",
        " WHERE level >= 'warn'",
        " WHERE time >= '2026-03-29 01:00:00'",
        " WHERE service LIKE '%e%'",
        " WHERE NOT (status = 200)",
        " WHERE took IS NULL",
        " WHERE ok IS NOT NULL AND status <> 500",
        " WHERE status = 12345",
        " WHERE odd = '7'",
    ])
}

/// A statement, and whether its rows have an order.
fn statement() -> impl Strategy<Value = (String, bool)> {
    let having =
        prop::sample::select(vec!["", "", " HAVING count(*) > 2", " HAVING sum(took) < 5 AND count(*) > 1"]);
    let grouped = (
        prop::collection::btree_set(key(), 1..3),
        prop::collection::btree_set(calculation(), 0..4),
        condition(),
        having,
        0..8u32,
    );
    let grouped = grouped.prop_map(|(keys, calculations, condition, having, form)| {
        let named = |(place, key): (usize, &&str)| format!("{key} AS k{place}");
        let mut shown: Vec<String> = keys.iter().enumerate().map(named).collect();
        shown.extend(calculations.iter().enumerate().map(|(place, one)| format!("{one} AS c{place}")));
        let places: Vec<String> = (1..=keys.len()).map(|place| place.to_string()).collect();
        let (shown, places) = (shown.join(", "), places.join(", "));
        let from = format!("FROM events{condition} GROUP BY {places}{having}");
        match form {
            0 => (format!("SELECT {shown} {from} ORDER BY {places}"), true),
            1 => {
                (format!("WITH g AS (SELECT {shown} {from}) SELECT * FROM g ORDER BY {places} LIMIT 3"), true)
            }
            2 => (
                format!("SELECT count(*) AS groups, min(k0) AS least FROM (SELECT {shown} {from}) AS g"),
                true,
            ),
            _ => (format!("SELECT {shown} {from}"), false),
        }
    });
    let alone = (prop::collection::btree_set(calculation(), 1..4), condition()).prop_map(
        |(calculations, condition)| {
            let shown = calculations.iter().enumerate().map(|(place, one)| format!("{one} AS c{place}"));
            (format!("SELECT {} FROM events{condition}", shown.collect::<Vec<_>>().join(", ")), true)
        },
    );
    let fields = prop::sample::select(vec!["status", "n", "took", "service", "line"]);
    let orders = prop::sample::select(vec!["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
    let first =
        (fields, orders, condition(), 1..40u32, 0..3u32).prop_map(|(field, order, condition, rows, from)| {
            let text = format!(
                "SELECT {field} FROM events{condition} ORDER BY {field}{order} LIMIT {rows} OFFSET {from}"
            );
            (text, true)
        });
    prop_oneof![6 => grouped, 2 => alone, 2 => first]
}

/// The difference of two values, where they do not count as the same.
fn differ(one: &Cell, other: &Cell) -> bool {
    match (one, other) {
        // Kernels round less than sums in the order of the rows do.
        (Cell::Float(one), Cell::Float(other)) => (one - other).abs() > 1e-6 * one.abs().max(1.0),
        (one, other) => one != other || one.type_name() != other.type_name(),
    }
}

fn rows(table: &Table, ordered: bool) -> Vec<Vec<Cell>> {
    let row = |row: usize| (0..table.columns().len()).map(|column| table.cell(row, column)).collect();
    let mut rows: Vec<Vec<Cell>> = (0..table.rows()).map(row).collect();
    if !ordered {
        rows.sort();
    }
    rows
}

fn difference(one: &Table, other: &Table, ordered: bool) -> Option<String> {
    let kinds = |table: &Table| -> Vec<ColumnKind> { table.columns().iter().map(Column::kind).collect() };
    if one.names() != other.names() || kinds(one) != kinds(other) {
        return Some(format!("{:?} {:?}, {:?} {:?}", one.names(), kinds(one), other.names(), kinds(other)));
    }
    let (one, other) = (rows(one, ordered), rows(other, ordered));
    if one.len() != other.len() {
        return Some(format!("{} rows, {} rows: {one:?} {other:?}", one.len(), other.len()));
    }
    let differs = |(one, other): &(&Vec<Cell>, &Vec<Cell>)| {
        one.iter().zip(other.iter()).any(|(one, other)| differ(one, other))
    };
    one.iter().zip(&other).find(differs).map(|(one, other)| format!("{one:?}, {other:?}"))
}

/// What random questions begin with.
const SEED: [u8; 32] = *b"the same questions at every run.";

#[test]
fn kernels_give_what_rows_give() {
    let config = Config { cases: 30, max_shrink_iters: 0, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &SEED);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let (lowered, others, refused) = (Counter::new(0), Counter::new(0), Counter::new(0));
    let files = prop::collection::vec(prop::collection::vec(event(), 1..60), 1..4);
    let profiles = prop::sample::select(vec![Profile::Full, Profile::Fields]);
    let zones = prop::sample::select(vec!["UTC", "UTC", "Europe/Berlin", "Asia/Kolkata", "America/New_York"]);
    let strategy = (files, profiles, zones, prop::collection::vec(statement(), 24..25));
    runner
        .run(&strategy, |(files, profile, zone, statements)| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut files: Vec<String> = files.into_iter().map(|lines| lines.concat()).collect();
            files.push(ALL.to_owned());
            let case = imported(folder.path(), &files, profile);
            for (text, ordered) in &statements {
                match (ask(&case, text, false, zone), ask(&case, text, true, zone)) {
                    (Ok(kernels), Ok(by_rows)) => {
                        let mismatch = difference(&kernels, &by_rows, *ordered);
                        prop_assert!(
                            mismatch.is_none(),
                            "{} in {}: {}",
                            text,
                            zone,
                            mismatch.unwrap_or_default()
                        );
                        let counter = if decided(&case, text) == Some(Calculated::ByKernels) {
                            &lowered
                        } else {
                            &others
                        };
                        counter.set(counter.get() + 1);
                    }
                    (Err(one), Err(other)) => {
                        refused.set(refused.get() + 1);
                        prop_assert_eq!(one.message(), other.message(), "{}", text);
                    }
                    (one, other) => prop_assert!(false, "{}: {:?} but {:?}", text, one.err(), other.err()),
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("with the seed {SEED:?}: {error}"));
    let (lowered, others, refused) = (lowered.get(), others.get(), refused.get());
    assert!(lowered > 240 && others > 100 && refused == 0, "{lowered}, {others}, {refused}");
}

#[test]
fn decision_is_reported_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &[ALL.replace("\"odd\":7", "\"odd\":\"x\"") + ALL], Profile::Full);
    let kernels = |text: &str| assert_eq!(decided(&case, text), Some(Calculated::ByKernels), "{text}");
    kernels("SELECT count(*) FROM events");
    kernels("SELECT service, count(*) AS n FROM events GROUP BY service ORDER BY n DESC LIMIT 3");
    kernels("SELECT e.service, avg(e.took) FROM events e WHERE e.status >= 200 GROUP BY 1");
    kernels("SELECT service AS s, sum(took) FROM events GROUP BY s HAVING count(*) > 1");
    kernels(
        "SELECT time_bucket('5 minutes', time) AS t, level, count(*) AS n FROM events GROUP BY 1, 2 ORDER BY 1",
    );
    kernels("SELECT 100.0 * count(status) / count(*) AS share, quantile_cont(took, 0.95) FROM events");
    kernels("WITH e AS (SELECT * FROM events WHERE level = 'info') SELECT ok, max(n) FROM e GROUP BY ok");
    kernels(
        "WITH g AS (SELECT date_trunc('hour', time) AS t, sum(n) AS n FROM events GROUP BY 1) SELECT max(n) FROM g",
    );
    kernels("SELECT max(n) FROM (SELECT service, count(*) AS n FROM events GROUP BY service) AS g");
    kernels(
        "SELECT g.n FROM (SELECT source, count(*) AS n FROM events GROUP BY 1) g JOIN sources s ON g.source = s.name",
    );
    for (text, reason) in [
        ("SELECT lower(service) AS s, count(*) FROM events GROUP BY 1", "expression"),
        ("SELECT odd, count(*) FROM events GROUP BY odd", "several types"),
        ("SELECT sum(took * 2) FROM events", "expression"),
        ("SELECT service, count(*) FROM events WHERE raw LIKE '%x%' GROUP BY 1", "condition"),
        ("SELECT service, quantile_disc(took, 0.5) FROM events GROUP BY 1", "quantiles"),
        ("SELECT count(*) FROM events a JOIN events b ON a.n = b.n", "not of the events alone"),
        ("SELECT count(*) FROM sources", "not of the events alone"),
    ] {
        let calculated = decided(&case, text).unwrap_or_else(|| panic!("{text}"));
        assert!(
            matches!(calculated, Calculated::FromRows(why) if why.contains(reason)),
            "{text}: {calculated}"
        );
    }
    assert_eq!(decided(&case, "SELECT raw FROM events"), None);
}

/// Events beyond the first ones in the order are not read: they would not fit.
#[test]
fn the_first_rows_are_found_without_reading_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = String::new();
    for n in 0..6_000 {
        let _ = writeln!(
            log,
            "{{\"time\":\"2026-03-01T00:00:00Z\",\"n\":{},\"text\":\"some text of {n}\"}}",
            n * 7 % 6_001
        );
    }
    let case = imported(folder.path(), &[log], Profile::Full);
    let text = "SELECT n, raw FROM events ORDER BY n DESC NULLS LAST LIMIT 3 OFFSET 1";
    let within = |by_rows: bool| {
        let run = RunOptions { memory_bytes: 500 << 10, by_rows, ..RunOptions::default() };
        case.sql(&case.snapshot(), text, &SqlOptions { run, ..SqlOptions::default() }, &Cancel::default())
    };
    let found = within(false).expect("the first rows");
    let numbers: Vec<String> = (0..found.rows()).map(|row| found.cell(row, 0).to_string()).collect();
    assert_eq!(numbers, ["5999", "5998", "5997"]);
    assert_eq!(within(true).expect_err("too many rows").kind(), indexer::ErrorKind::Limit);
}
