//! Which aggregations are calculated from codes, and why the others are not.

use std::fmt::Write;

use super::super::cell::Cell;
use super::super::file_access::FileAccess;
use super::super::names::Names;
use super::super::plan::{Planned, Planner, plan};
use super::super::run::{Run, RunClock, RunOptions};
use super::*;
use crate::Engine;
use crate::test_case::{ImportOptions, TestCase};
use crate::view::View;
use base::Cancel;
use query::{Filter, parse_query};

fn case() -> (tempfile::TempDir, TestCase) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("events.ndjson");
    let mut log = String::new();
    for n in 0..20_000_i64 {
        let mixed = if n % 2 == 0 { "\"x\"".to_owned() } else { n.to_string() };
        let _ = writeln!(
            log,
            "{{\"id\":\"x{n}\",\"time\":\"2026-03-01T10:00:{:02}Z\",\"w\":\"w{}\",\"n\":{},\"d\":{}.5,\"far\":{},\"many\":{},\"mixed\":{mixed}{}}}",
            n % 60,
            n % 7,
            n % 9,
            n % 5,
            n * 1_000_003,
            n % 3_000,
            // Some have none.
            if n % 11 == 0 {
                String::new()
            } else {
                format!(",\"spread\":{}.{:02}", n * 7_919 % 1_000_003, n % 89)
            },
        );
    }
    std::fs::write(&file, log).expect("a log");
    let case = TestCase::create(&folder.path().join("p.case")).expect("a case");
    case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    (folder, case)
}

/// Why the rows of a query's first aggregation go through tables; nothing where they do not.
fn reason(case: &TestCase, query: &str) -> Option<GeneralPathReason> {
    let snapshot = case.snapshot();
    let clock = RunClock {
        now: 0,
        zone: jiff::tz::TimeZone::UTC,
        range: snapshot.time_range(),
        files: FileAccess::default(),
    };
    let view = View { filter: Filter::Everything, from: None, to: None };
    let scope = Scope { case, snapshot: &snapshot, view: &view };
    let run = Run::new(clock.clone(), &RunOptions::default(), &Cancel::default(), Some(scope));
    let names = Names::of_events(&Engine::field_names(&snapshot), false);
    let stages = parse_query(&format!("* | {query}")).expect(query).stages;
    let planned = plan(&stages, &mut Planner { names, clock: &clock }).expect(query);
    let mut aggregation = planned.iter().enumerate().filter_map(|(index, planned)| match planned {
        Planned::Stats(stats) => Some((index, stats)),
        _ => None,
    });
    let (index, stats) = aggregation.next().expect("an aggregation");
    let lowered = match Lowered::new(stats, index == 0) {
        Ok(lowered) => lowered,
        Err(reason) => return Some(reason),
    };
    (0..snapshot.segments.len()).find_map(|segment| {
        let part = case.part(&snapshot, segment, &view, &run.cancel).expect("a part").expect("rows");
        GroupCells::new(&lowered.keys, &part, scope, &run).expect("cells").err()
    })
}

#[test]
fn plain_fields_and_bins_are_aggregated_from_codes_and_others_say_why_not() {
    let (_folder, case) = case();
    for (query, expected) in [
        ("stats count", None),
        ("stats count by w", None),
        ("stats sum(n), p95(far), first(w), stddev(d) by w, bin(time, 1s)", None),
        ("stats count by many", None),
        ("timechart avg(d) by level", None),
        ("timechart span=1d sum(n) by w", None),
        ("top 3 w by n", None),
        ("shift with 1d count by source", None),
        ("eval m = 1 | stats count by w", Some("a stage before it makes columns or drops rows")),
        ("stats count by lower(w)", Some("a group is an expression")),
        ("stats count by bin(n, 3)", Some("a group is an expression")),
        ("stats count by time", Some("hardly two events have the same time or text")),
        ("stats count by bin(time, 1m), bin(time, 1h)", Some("it groups by bins of two widths")),
        ("stats count() where n > 3", Some("a calculation has a condition")),
        ("stats sum(n * 2)", Some("a calculation is of an expression, of the text or of patterns")),
        ("timechart sum(d) by w", None),
        ("stats count by far", Some("a field that it groups by has too many values")),
        ("stats count by id", Some("a field that it groups by has too many values")),
        ("stats count by mixed", Some("a field that it groups by has values of several types")),
        ("stats count by many, bin(time, 1s)", Some("there are more combinations of values than rows")),
    ] {
        assert_eq!(reason(&case, query), expected, "{query}");
    }
}

/// What a function gives for the first planned stage of a query.
fn with_first_stage<T>(
    case: &TestCase,
    query: &str,
    ask: impl FnOnce(Planned, (Scope<'_>, &Run<'_>)) -> Result<T>,
) -> T {
    let (parsed, snapshot) = (parse_query(query).expect(query), case.snapshot());
    let clock = RunClock {
        now: 0,
        zone: jiff::tz::TimeZone::UTC,
        range: snapshot.time_range(),
        files: FileAccess::default(),
    };
    let view = View { filter: parsed.filter.clone(), from: None, to: None };
    let scope = Scope { case, snapshot: &snapshot, view: &view };
    let run = Run::new(clock.clone(), &RunOptions::default(), &Cancel::default(), Some(scope));
    let names = Names::of_events(&Engine::field_names(&snapshot), false);
    let planned = plan(&parsed.stages, &mut Planner { names, clock: &clock }).expect(query);
    ask(planned.into_iter().next().expect(query), (scope, &run)).expect(query)
}

/// The names, cells and notes of a result.
fn answer(case: &TestCase, query: &str, by_rows: bool) -> (Vec<Arc<str>>, Vec<Vec<Cell>>, Vec<String>) {
    let options = RunOptions { by_rows, ..RunOptions::default() };
    answer_within(case, query, &options).expect(query)
}

/// Names of columns, their cells, and notes.
type Whole = (Vec<Arc<str>>, Vec<Vec<Cell>>, Vec<String>);

fn answer_within(case: &TestCase, query: &str, options: &RunOptions) -> Result<Whole> {
    let (parsed, never) = (parse_query(query).expect(query), Cancel::default());
    let table = case.run(&case.snapshot(), &parsed, (None, None), options, &mut |_| {}, &never)?;
    let cells =
        (0..table.rows()).map(|row| (0..table.names().len()).map(|column| table.cell(row, column)).collect());
    Ok((table.names().to_vec(), cells.collect(), table.notes.clone()))
}

#[test]
fn transactions_of_plain_fields_are_put_together_by_codes() {
    let (_folder, case) = case();
    for (query, is_coded) in [
        ("* | transaction w", true),
        ("n>3 | transaction w, many max_pause=1s | sort -count | limit 5", true),
        ("* | transaction id | stats count", true),
        ("* | transaction n max_span=10s", true),
        ("* | transaction w starts_with=(n:3)", false),
        ("* | transaction mixed", false),
        ("* | transaction d", false),
    ] {
        let found = with_first_stage(&case, query, |planned, (scope, _)| match planned {
            Planned::Transaction(stage) => Ok(transactions::can_code(&stage, scope.snapshot).is_ok()),
            _ => panic!("{query}"),
        });
        assert_eq!(found, is_coded, "{query}");
        assert_eq!(answer(&case, query, false), answer(&case, query, true), "{query}");
    }
    for by_rows in [false, true] {
        let options = RunOptions { memory_bytes: 1 << 20, by_rows, ..RunOptions::default() };
        let refused = answer_within(&case, "* | transaction id | stats count", &options);
        let refused = refused.expect_err("more transactions than memory holds");
        assert!(refused.message().starts_with("`transaction` would need more than the 1 MB"), "{refused}");
    }
}

#[test]
fn values_that_memory_does_not_hold_are_counted_in_passes() {
    let (_folder, case) = case();
    // What 1 GB is for ten million different values, and far less.
    for (memory_bytes, queries) in [
        (20_000 * 107, &["* | stats dc(id)", "* | top 10 id", "* | rare 10 id"][..]),
        (
            300 << 10,
            &["* | top 10 id", "* | rare 3 id", "w:w3 | top 5 id", "n>3 | rare id", "id:x1* | top 200 id"],
        ),
    ] {
        for query in queries {
            let options = RunOptions { memory_bytes, ..RunOptions::default() };
            let within = answer_within(&case, query, &options).expect(query);
            assert_eq!(within, answer(&case, query, true), "{query} within {memory_bytes}");
        }
    }
    let rows = RunOptions { memory_bytes: 300 << 10, by_rows: true, ..RunOptions::default() };
    let refused = answer_within(&case, "* | top 10 id", &rows).expect_err("more than memory holds");
    assert_eq!(refused.kind(), base::error::ErrorKind::Limit);
}

#[test]
fn only_events_that_can_be_among_the_first_are_read_where_several_keys_are_compared() {
    let (_folder, case) = case();
    for (query, expected) in [
        ("* | sort -far, w | limit 100", Some("far>=19900059700")),
        ("* | sort n, -many, w | limit 300", Some("n<=0")),
        ("w:w3 | sort -n, d | limit 5", Some("w:w3 AND n>=8")),
        ("* | sort -line, w | limit 2", Some("line>=19999")),
        ("* | sort -spread, many | limit 3", Some("spread>=999877.49")),
        ("* | sort -spread, many | limit 19000", None),
        ("far<9 | sort far, w | limit 3", None),
        ("* | sort -mixed, w | limit 3", None),
        ("* | sort w, -n | limit 3", None),
        ("* | sort -d, -n | limit 3", Some("d>=4.5")),
        ("n<2 | sort n, -many | limit 3", None),
        ("* | sort -time, w | limit 3", None),
        ("* | sort -n | limit 3", None),
        ("* | sort -n, w | limit 0", None),
    ] {
        assert_eq!(answer(&case, query, false), answer(&case, query, true), "{query}");
        let narrowed = with_first_stage(&case, query, |planned, around| match planned {
            Planned::First(keys, first) => narrowed(&keys, first, around),
            _ => panic!("{query}"),
        });
        assert_eq!(narrowed.map(|view| view.filter.to_string()).as_deref(), expected, "{query}");
    }
}

#[test]
fn percentiles_of_spread_numbers_are_selected_as_rows_give_them() {
    let (_folder, case) = case();
    for (query, is_selected) in [
        ("* | stats p50(spread), count, p95(spread), p99(far)", true),
        ("* | stats count, median(spread) as m, percentile(spread, 12.5), p99(far) by w", true),
        ("n>3 d>1 | stats p95(spread) by n | where n > 4 | sort -n", true),
        ("* | stats p95(spread) by level", true),
        ("* | stats p95(far) by many", true),
        ("n>99 | stats p95(spread) by w", false),
        ("* | stats p95(spread), avg(spread) by w", false),
        ("* | stats p95(spread) by w, n", false),
        ("* | stats p95(spread) by mixed", false),
        ("* | stats p95(spread) by d", false),
        ("* | stats p95(mixed) by w", false),
    ] {
        assert_eq!(answer(&case, query, false), answer(&case, query, true), "{query}");
        let selected = with_first_stage(&case, query, |planned, around| match planned {
            Planned::Stats(stats) => percentiles(&stats, around, &mut |_| {}),
            _ => panic!("{query}"),
        });
        assert_eq!(selected.is_some(), is_selected, "{query}");
    }
}
