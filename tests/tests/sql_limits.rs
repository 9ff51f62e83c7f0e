//! SQL that is too deep for polars, or adds up to more than its types hold, is refused by name; what programs write is
//! answered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use indexer::{Cancel, Case, ErrorKind, ImportOptions, Result, RunOptions, SqlOptions, Table};

fn imported(folder: &Path, events: &[String]) -> Arc<Case> {
    let log = folder.join("a.ndjson");
    fs::write(&log, events.join("\n")).expect("a log");
    let case = Case::create(&folder.join("a.case")).expect("a case");
    case.import(&[log], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    Arc::new(case)
}

fn ask(case: &Arc<Case>, text: &str, by_rows: bool) -> Result<Table> {
    let run = RunOptions { by_rows, ..RunOptions::default() };
    let options = SqlOptions { run, push_down: !by_rows, ..SqlOptions::default() };
    case.sql(&case.snapshot(), text, &options, &Cancel::default())
}

fn many(count: usize, part: &str, between: &str) -> String {
    vec![part; count].join(between)
}

/// Statements of so many operators within one another.
fn chains(count: usize) -> Vec<String> {
    vec![
        format!("SELECT {} AS a FROM events", many(count, "1", "+")),
        format!("SELECT {} AS a FROM events", many(count, "n", "+")),
        format!("SELECT {} AS a FROM events", many(count, "n", " * ")),
        format!("SELECT {} AS a FROM events", many(count, "host", " || ")),
        format!("SELECT n FROM events WHERE {}", many(count / 2, "n = 1", " OR ")),
        format!("SELECT n FROM events WHERE {}", many(count / 2, "n > 1", " AND ")),
        format!("SELECT n FROM events WHERE {}", many(count / 2, "host LIKE '%a%'", " OR ")),
        format!("SELECT n FROM events WHERE {}n = 1", "NOT ".repeat(count.min(40))),
        format!("SELECT CASE {}ELSE 0 END AS a FROM events", "WHEN n = 1 THEN 2 ".repeat(count / 2)),
        format!("SELECT n{} AS a FROM events", "::BIGINT".repeat(count)),
        format!("SELECT sum(n) AS s FROM events GROUP BY {}", many(count, "n", " + ")),
        format!("SELECT n FROM events ORDER BY {}", many(count, "n", " + ")),
        format!("SELECT {}n{} AS a FROM events", "abs(".repeat(40), ")".repeat(40)),
    ]
}

#[test]
fn chains_of_operators_end_with_an_answer_or_are_refused_by_their_depth() {
    let folder = tempfile::tempdir().expect("a folder");
    let events: Vec<String> = (0..50)
        .map(|n| format!("{{\"time\":\"2026-03-01T00:00:{n:02}Z\",\"n\":{n},\"host\":\"a\"}}"))
        .collect();
    let case = imported(folder.path(), &events);
    let check = |text: &str| case.check_sql(&case.snapshot(), text, &SqlOptions::default());
    let explain =
        |text: &str| case.explain_sql(&case.snapshot(), text, &SqlOptions::default(), &Cancel::default());
    let tables = [
        many(3_000, "SELECT n FROM events", " UNION ALL "),
        many(3_000, "SELECT n FROM events", " UNION "),
        many(3_000, "SELECT n FROM events", " EXCEPT "),
    ];
    for text in chains(2_500).into_iter().chain(tables) {
        let shown = &text[..text.len().min(60)];
        let Err(error) = ask(&case, &text, false) else { continue };
        assert!(matches!(error.kind(), ErrorKind::Limit | ErrorKind::QueryInvalid), "{shown}: {error}");
        assert_eq!(check(&text).diagnostics.len(), 1, "{shown}");
        assert!(explain(&text).is_err(), "{shown}");
    }
    let long = format!("SELECT {} FROM events", many(2_000, "1", "+"));
    let error = ask(&case, &long, false).expect_err("too deep");
    assert!(error.message().contains("1024 operators"), "{error}");
    // As deep as it may be.
    for text in chains(1_000).iter().take(3) {
        assert!(check(text).diagnostics.is_empty(), "{}", &text[..60]);
    }
    for text in chains(300) {
        for by_rows in [false, true] {
            let answer = ask(&case, &text, by_rows);
            let shown = &text[..text.len().min(60)];
            assert!(
                answer.as_ref().is_ok_and(|_| true)
                    || answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::QueryInvalid),
                "{shown}: {answer:?}"
            );
        }
        let _ = (check(&text), explain(&text));
    }
}

#[test]
fn long_statements_of_programs_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let events: Vec<String> = (0..50)
        .map(|n| format!("{{\"time\":\"2026-03-01T00:00:{n:02}Z\",\"n\":{n},\"host\":\"a\"}}"))
        .collect();
    let case = imported(folder.path(), &events);
    let list: Vec<String> = (0..10_000).map(|n| (n * 2).to_string()).collect();
    let conditions: Vec<String> = (0..200).map(|n| format!("n >= {n} AND n < {n} + 1")).collect();
    for (text, rows) in [
        (format!("SELECT n FROM events WHERE n IN ({})", list.join(", ")), 25),
        (format!("SELECT n FROM events WHERE {}", conditions.join(" OR ")), 50),
        (many(120, "SELECT n FROM events WHERE n = 1", " UNION ALL "), 120),
    ] {
        for by_rows in [false, true] {
            assert_eq!(ask(&case, &text, by_rows).expect("an answer").rows(), rows, "{}", &text[..60]);
        }
    }
}

#[test]
fn sum_beyond_its_type_is_an_error_in_sql_and_a_float_in_pipes() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = |n: i64| format!("{{\"time\":\"2026-03-01T00:00:00Z\",\"n\":{n},\"host\":\"a\"}}");
    let case = imported(folder.path(), &[event(i64::MAX), event(i64::MAX), event(5)]);
    for text in [
        "SELECT sum(n) AS s FROM events",
        "SELECT sum(n + 0) AS s FROM events",
        "SELECT host, sum(n) AS s FROM events GROUP BY host",
        "SELECT host, sum(n + 0) AS s FROM events GROUP BY host",
        "SELECT sum(n) OVER (PARTITION BY host) AS s FROM events",
        "SELECT sum(n) OVER (ORDER BY n DESC) AS s FROM events",
        "SELECT max(s) AS m FROM (SELECT sum(n) AS s FROM events GROUP BY host) AS t",
        "SELECT sum(CAST(n % 4294967296 AS INT) + CAST(2147483000 AS INT)) AS s FROM events",
    ] {
        for by_rows in [false, true] {
            let error = ask(&case, text, by_rows).expect_err(text);
            let message = error.message();
            // In a development build polars panics itself.
            let is_named = ["beyond", "conversion", "gave up"].iter().any(|part| message.contains(part));
            assert!(is_named, "{text}: {error}");
        }
    }
    let float = ask(&case, "SELECT sum(CAST(n AS DOUBLE)) AS s FROM events", false).expect("a sum");
    let query = indexer::query::parse_query("* | stats sum(n) as s").expect("a query");
    let run = |by_rows: bool| {
        let options = RunOptions { by_rows, ..RunOptions::default() };
        case.run(&case.snapshot(), &query, (None, None), &options, &mut |_| {}, &Cancel::default())
            .expect("a sum")
    };
    for table in [float, run(false), run(true)] {
        assert_eq!(table.cell(0, 0).number(), Some(18_446_744_073_709_551_619.0));
    }
    // Sums that fit are whole and exact, at the ends of their type too.
    let folder = tempfile::tempdir().expect("a folder");
    let case = imported(folder.path(), &[event(i64::MAX - 1), event(1), event(0)]);
    for by_rows in [false, true] {
        for text in ["SELECT sum(n) AS s FROM events", "SELECT sum(n + 0) AS s FROM events GROUP BY host"] {
            let table = ask(&case, text, by_rows).expect(text);
            assert_eq!(table.cell(0, 0).to_string(), i64::MAX.to_string(), "{text}");
        }
    }
}
