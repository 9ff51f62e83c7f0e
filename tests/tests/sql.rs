//! SQL gives the same whether its conditions are answered by the index or every event is looked through, and the
//! same as pipes; what would not fit into memory is refused.

use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use indexer::{Cancel, Case, ErrorKind, ImportOptions, Profile, RunOptions, SqlOptions, Table};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::random::logs;

use logs::{file, write_files};

fn sql(case: &Arc<Case>, text: &str, push_down: bool) -> indexer::Result<Table> {
    let options = SqlOptions { push_down, ..SqlOptions::default() };
    case.sql(&case.snapshot(), text, &options, &Cancel::default())
}

fn cells(table: &Table) -> Vec<Vec<String>> {
    let row =
        |row: usize| (0..table.columns().len()).map(|column| table.cell(row, column).to_string()).collect();
    (0..table.rows()).map(row).collect()
}

fn answer(case: &Arc<Case>, text: &str) -> Vec<Vec<String>> {
    cells(&sql(case, text, true).unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn imported(folder: &Path, files: &[std::path::PathBuf], profile: Profile) -> Arc<Case> {
    let case = Case::create(&folder.join("sql.case")).expect("a case can be made");
    let ingest = indexer::ReadOptions { chunk_bytes: 700, ..indexer::ReadOptions::default() };
    let options = ImportOptions { profile: Some(profile), ingest, ..ImportOptions::default() };
    // A file at a time, so that there are segments whose times overlap.
    for file in files {
        let report = case.import(std::slice::from_ref(file), &options, &|_| {}, &Cancel::default());
        assert!(report.expect("an import").failure.is_none());
    }
    Arc::new(case)
}

/// A condition on the columns that random files have, and on values that are in them, nearly are, or are not.
fn condition() -> impl Strategy<Value = String> {
    let texts =
        prop::sample::select(vec!["GET", "get", "/api/cart/7", "timeout", "error", "Größe5", "größe5", "K"]);
    let numbers = prop::sample::select(vec!["200", "404", "0", "-1", "99.5", "250", "1e3", "300.0"]);
    let operators = prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let text_columns =
        prop::sample::select(vec!["method", "path", "user", "message", "raw", "took", "source"]);
    let number_columns = prop::sample::select(vec!["status", "bytes", "duration_ms", "line"]);
    let levels = prop::sample::select(vec!["info", "warn", "error", "debug"]);
    let columns = prop::sample::select(vec![
        "method",
        "status",
        "duration_ms",
        "user",
        "level",
        "time",
        "message",
        "raw",
        "source",
        "line",
    ]);
    let leaf = prop_oneof![
        (number_columns.clone(), operators.clone(), numbers.clone())
            .prop_map(|(column, operator, number)| format!("{column} {operator} {number}")),
        (text_columns.clone(), operators.clone(), texts.clone())
            .prop_map(|(column, operator, text)| format!("{column} {operator} '{text}'")),
        (text_columns.clone(), texts.clone()).prop_map(|(column, text)| format!("{column} LIKE '%{text}%'")),
        (text_columns.clone(), texts.clone()).prop_map(|(column, text)| format!("{column} LIKE '{text}%'")),
        (text_columns.clone(), texts.clone())
            .prop_map(|(column, text)| format!("{column} NOT ILIKE '%{text}_'")),
        (text_columns, texts.clone(), texts)
            .prop_map(|(column, one, other)| format!("{column} IN ('{one}', '{other}')")),
        (number_columns.clone(), numbers)
            .prop_map(|(column, number)| format!("{column} IN ({number}, 301, 7)")),
        (number_columns, 0..400u32).prop_map(|(column, n)| format!("{column} BETWEEN {n} AND {}", n + 100)),
        (operators.clone(), levels).prop_map(|(operator, level)| format!("level {operator} '{level}'")),
        (operators, 0..60u32).prop_map(|(operator, s)| format!("time {operator} '2026-03-01 14:05:{s:02}'")),
        (columns.clone()).prop_map(|column| format!("{column} IS NULL")),
        (columns).prop_map(|column| format!("{column} IS NOT NULL")),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} AND {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} OR {other})")),
            inner.prop_map(|inner| format!("NOT ({inner})")),
        ]
    })
}

#[test]
fn conditions_that_are_pushed_down_select_what_they_select_otherwise() {
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng());
    let profiles = prop::sample::select(vec![Profile::Full, Profile::Fields]);
    let (answered, refused) = (Cell::new(0), Cell::new(0));
    let strategy =
        (prop::collection::vec(file(), 1..4), profiles, prop::collection::vec(condition(), 12..13));
    runner
        .run(&strategy, |(files, profile, conditions)| {
            let folder = tempfile::tempdir().expect("a folder");
            // Every column is there in every run, or a question about it would be a mistake.
            let all = "{\"method\":\"GET\",\"path\":\"/\",\"user\":\"u\",\"status\":200,\"bytes\":1,\"took\":\"1s\",\
                       \"duration_ms\":1.5,\"message\":\"m\"}\n";
            let mut files = files;
            files.push(all.as_bytes().to_vec());
            let case = imported(folder.path(), &write_files(folder.path(), &files), profile);
            for condition in &conditions {
                let text = format!("SELECT time, source, line, level, raw, status FROM events WHERE {condition}");
                let (pushed, plain) = (sql(&case, &text, true), sql(&case, &text, false));
                match (pushed, plain) {
                    (Ok(pushed), Ok(plain)) => {
                        answered.set(answered.get() + usize::from(plain.rows() > 0));
                        prop_assert_eq!(cells(&pushed), cells(&plain), "{}", text);
                    }
                    (Err(pushed), Err(plain)) => {
                        refused.set(refused.get() + 1);
                        prop_assert_eq!(pushed.message(), plain.message(), "{}", text);
                    }
                    (pushed, plain) => prop_assert!(false, "{}: {:?} but {:?}", text, pushed.err(), plain.err()),
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let (answered, refused) = (answered.get(), refused.get());
    assert!(answered > 100 && refused < answered, "{answered} with events, {refused} refused");
}

#[test]
fn events_that_cannot_pass_are_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 4_000);
    // So little memory holds some events, and not all of them.
    let run = RunOptions { memory_bytes: 64 << 10, ..RunOptions::default() };
    for condition in [
        "n = 77",
        "n IN (5, 6)",
        "time < '2026-03-01 00:00:20'",
        "raw LIKE '%\"n\":1234%'",
        "status = 203 AND n < 50",
        "NOT (n > 10)",
        "took IS NULL AND n < 100",
    ] {
        let text = format!("SELECT n, raw FROM events WHERE {condition}");
        let ask = |push_down: bool| {
            let options = SqlOptions { push_down, run: run.clone(), ..SqlOptions::default() };
            case.sql(&case.snapshot(), &text, &options, &Cancel::default())
        };
        let read = ask(true).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(read.rows() > 0, "{text}");
        assert_eq!(ask(false).expect_err(&text).kind(), ErrorKind::Limit, "{text}");
    }
}

#[test]
fn levels_are_compared_by_their_own_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("levels.log");
    let log =
        "2026-03-01T00:00:00Z ERROR one\n2026-03-01T00:00:01Z INFO two\n2026-03-01T00:00:02Z WARN three\n";
    std::fs::write(&path, log).expect("a file");
    let case = imported(folder.path(), &[path], Profile::Full);
    assert_eq!(answer(&case, "SELECT line FROM events WHERE level >= 'warn' ORDER BY level"), [["3"], ["1"]]);
    for (condition, literal, hint) in [
        ("level = 'eror'", "'eror'", "did you mean 'error'?"),
        ("level = 'ERR'", "'ERR'", "did you mean 'error'?"),
        ("level IN ('warn', 'warning')", "'warning'", "did you mean 'warn'?"),
        (
            "raw <> 'x' AND NOT (level >= 'loud')",
            "'loud'",
            "the levels are trace, debug, info, notice, warn, error, fatal",
        ),
        ("raw = '' OR level = ''", "''", "level IS NULL selects events without one"),
        ("level = 5", "5", "the levels are trace, debug, info, notice, warn, error, fatal"),
    ] {
        for push_down in [true, false] {
            let text =
                format!("SELECT line FROM (SELECT * FROM events WHERE {condition}) AS e WHERE line > 1");
            let error = sql(&case, &text, push_down).expect_err(condition);
            assert_eq!(error.hint_text(), Some(hint), "{condition}");
            let (start, end) = error.span().expect(condition);
            assert_eq!(&text[start..end], literal, "{condition}");
            assert!(text[..start].contains("level"), "{condition}");
        }
    }
}

#[test]
fn sides_of_a_comparison_that_do_not_fit_are_pointed_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 10);
    for (condition, place, hint) in [
        (
            "n < 5 AND service > 5",
            "5",
            "did you mean '5'? TRY_CAST(service AS DOUBLE) reads texts as numbers",
        ),
        ("service IN (1, 2)", "1", "did you mean '1'? TRY_CAST(service AS DOUBLE) reads texts as numbers"),
        ("lower(service) = 3", "3", "did you mean '3'? TRY_CAST(x AS DOUBLE) reads texts as numbers"),
        ("status BETWEEN '200' AND '201'", "'200'", "did you mean 200?"),
        (
            "service < n",
            "service",
            "CAST(x AS VARCHAR), CAST(x AS BIGINT) and the like turn a value into another type",
        ),
        ("time > 'yesterday'", "'yesterday'", "write times like '2026-03-01 14:05:00'"),
        (
            "service + 1 > 5",
            "service",
            "CAST(x AS VARCHAR), CAST(x AS BIGINT) and the like turn a value into another type",
        ),
    ] {
        let text = format!("SELECT n FROM events WHERE {condition}");
        for push_down in [true, false] {
            let error = sql(&case, &text, push_down).expect_err(condition);
            assert_eq!(error.hint_text(), Some(hint), "{condition}: {error}");
            let (start, end) = error.span().expect(condition);
            assert_eq!(&text[start..end], place, "{condition}");
        }
    }
    // What fits is answered.
    for (condition, rows) in [
        ("service > '5'", 10),
        ("status = 200.0 AND n < 3.5", 1),
        ("CAST(n AS VARCHAR) = '5'", 1),
        ("time >= '2026-03-01'", 10),
        ("level IS NULL AND (level = 'error') IS NULL", 10),
    ] {
        let text = format!("SELECT n FROM events WHERE {condition}");
        assert_eq!(answer(&case, &text).len(), rows, "{condition}");
    }
}

fn rng() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

/// Requests of some services; the same second holds several.
fn requests(folder: &Path, count: usize) -> Arc<Case> {
    let mut log = String::new();
    for n in 0..count {
        let time = indexer::stamp::to_rfc3339(1_772_323_200_000_000_000 + (n as i64 / 3) * 1_000_000_000);
        let took = if n % 7 == 0 { String::new() } else { format!(",\"took\":{}.5", n * 37 % 101) };
        let _ = writeln!(
            log,
            "{{\"time\":\"{time}\",\"service\":\"s{}\",\"status\":{},\"n\":{n}{took}}}",
            n % 5,
            200 + n % 4
        );
    }
    let path = folder.join("requests.ndjson");
    std::fs::write(&path, log).expect("a file can be written");
    imported(folder, &[path], Profile::Full)
}

#[test]
fn rows_come_in_the_order_of_the_case_and_only_as_many_as_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 300);
    let all = answer(&case, "SELECT n FROM events");
    assert_eq!(all.len(), 300);
    assert!(all.iter().enumerate().all(|(place, row)| row[0] == place.to_string()));
    assert_eq!(answer(&case, "SELECT n FROM events LIMIT 3"), [["0"], ["1"], ["2"]]);
    assert_eq!(answer(&case, "SELECT n FROM events WHERE status = 203 LIMIT 2"), [["3"], ["7"]]);
    assert_eq!(answer(&case, "SELECT count(*) FROM events"), [["300"]]);
    let names = |text: &str| {
        let table = sql(&case, text, true).unwrap_or_else(|error| panic!("{text}: {error}"));
        table.names().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(names("SELECT service, count(*) FROM events GROUP BY 1"), ["service", "count"]);
    assert_eq!(names("SELECT count(*) AS len FROM events"), ["len"]);
}

#[test]
fn sql_and_pipes_agree_on_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 1_000);
    for (text, query) in [
        (
            "SELECT service, count(*) AS n, sum(took) AS s, min(took) AS a, max(took) AS z FROM events \
             GROUP BY service ORDER BY service",
            "* | stats count as n, sum(took) as s, min(took) as a, max(took) as z by service | sort service",
        ),
        (
            "SELECT service, quantile_cont(took, 0.95) AS p, median(took) AS m, count(took) AS c FROM events \
             WHERE status >= 202 GROUP BY 1 ORDER BY 1",
            "status>=202 | stats percentile(took, 95) as p, median(took) as m, count(took) as c by service \
             | sort service",
        ),
        (
            "SELECT count(DISTINCT status) AS d FROM events WHERE service IN ('s1', 's2')",
            "service:(s1 s2) | stats count_distinct(status) as d",
        ),
    ] {
        let query = query.replace("(s1 s2)", "(s1 OR s2)");
        let parsed = indexer::query::parse_query(&query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
        let piped = case
            .run(
                &case.snapshot(),
                &parsed,
                (None, None),
                &RunOptions::default(),
                &mut |_| {},
                &Cancel::default(),
            )
            .unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(answer(&case, text), cells(&piped), "{text}");
    }
}

#[test]
fn what_memory_cannot_hold_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 2_000);
    let refused = |text: &str, memory_bytes: usize| {
        let run = RunOptions { memory_bytes, ..RunOptions::default() };
        let options = SqlOptions { run, ..SqlOptions::default() };
        let answer = case.sql(&case.snapshot(), text, &options, &Cancel::default());
        let error = answer.expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Limit, "{text}: {error}");
        error.message().to_owned()
    };
    let explodes = "SELECT count(*) AS n, sum(a.n) AS s FROM events a JOIN events b ON a.service = b.service";
    // 2,000 events of five services make 400 pairs for each.
    assert!(refused(explodes, 4 << 20).contains("800000 rows"), "{}", refused(explodes, 4 << 20));
    assert_eq!(answer(&case, explodes)[0][0], "800000");
    assert!(refused("SELECT a.n FROM events a CROSS JOIN events b", 4 << 20).contains("4000000 rows"));
    assert!(refused("SELECT raw FROM events", 64 << 10).contains("`events`"));
    // A key that is alone on one side doubles nothing.
    let alone = "SELECT count(*) AS n FROM events a JOIN events b ON a.n = b.n";
    assert_eq!(answer(&case, alone), [["2000"]]);
}

#[test]
fn operators_of_polars_are_refused_before_they_take_too_much_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 4_000);
    let ask = |text: &str, memory_bytes: usize| {
        let run = RunOptions { memory_bytes, by_rows: true, ..RunOptions::default() };
        let options = SqlOptions { run, ..SqlOptions::default() };
        case.sql(&case.snapshot(), text, &options, &Cancel::default())
    };
    for (text, name) in [
        (
            "SELECT n + 1 AS m, count(*) AS c FROM events GROUP BY n + 1 ORDER BY c LIMIT 1",
            "GROUP BY of 4000 rows",
        ),
        ("SELECT count(*) AS c FROM (SELECT DISTINCT n FROM events) AS d", "DISTINCT of 4000 rows"),
        ("SELECT count(DISTINCT n) AS c FROM events", "DISTINCT of 4000 rows"),
        (
            "SELECT max(m) AS m FROM (SELECT n AS m FROM events ORDER BY n, status) AS s WHERE m > 2",
            "ORDER BY of",
        ),
        (
            "SELECT max(s) AS s FROM (SELECT sum(n) OVER (PARTITION BY n) AS s FROM events) AS w",
            "OVER of 4000 rows",
        ),
    ] {
        let refused = ask(text, 200 << 10).expect_err(text);
        assert_eq!(refused.kind(), ErrorKind::Limit, "{text}: {refused}");
        let expected = format!("`{name}");
        assert!(refused.message().starts_with(&expected), "{text}: {refused}");
        assert!(refused.message().contains("200 kB of memory"), "{text}: {refused}");
        assert_eq!(ask(text, 4 << 20).expect(text).rows(), 1, "{text}");
    }
    // Few groups take little, and what an operator kept is given back to the next one.
    for text in [
        "SELECT n % 5 AS m, count(*) AS c FROM events GROUP BY n % 5",
        "SELECT DISTINCT m FROM (SELECT DISTINCT n % 5 AS m FROM events) AS d ORDER BY m",
    ] {
        assert_eq!(ask(text, 270 << 10).expect(text).rows(), 5, "{text}");
    }
}

#[test]
fn sql_query_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = requests(folder.path(), 500);
    let cancel = Cancel::default();
    cancel.set();
    let answer = case.sql(&case.snapshot(), "SELECT * FROM events", &SqlOptions::default(), &cancel);
    assert_eq!(answer.expect_err("a request to stop").kind(), ErrorKind::Cancelled);
}

#[test]
fn days_are_those_of_the_zone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("night.log");
    std::fs::write(&path, "2026-03-01T23:30:00Z INFO one\n2026-03-02T00:30:00Z INFO two\n").expect("a file");
    let case = imported(folder.path(), &[path], Profile::Full);
    let days = |zone: &str| {
        let options = SqlOptions { run: RunOptions::in_zone(zone).expect(zone), ..SqlOptions::default() };
        let text = "SELECT date_trunc('day', time) AS day, count(*) AS n FROM events GROUP BY 1 ORDER BY 1";
        cells(&case.sql(&case.snapshot(), text, &options, &Cancel::default()).expect(text))
    };
    assert_eq!(days("UTC"), [["2026-03-01T00:00:00Z", "1"], ["2026-03-02T00:00:00Z", "1"]]);
    assert_eq!(days("Europe/Berlin"), [["2026-03-01T23:00:00Z", "2"]]);
}
