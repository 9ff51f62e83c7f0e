//! What pipes do faster than stage by stage is what they would do stage by stage, and what is calculated in a pipe is
//! what the same calculation without one gives.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use indexer::aggregate::{Axis, By, Measure, Request, TermOrder};
use indexer::{Cancel, Case, ImportOptions, RunOptions, Scalar, Table, View};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Files whose times span a change of the clocks in Berlin, with values missing in events and in whole segments, values
/// of several types in one segment and in another, equal times, and events without a time.
fn varied_case_of(folder: &Path, files: &[Vec<(i64, i64)>]) -> Case {
    let case = Case::create(&folder.join("varied.case")).expect("a case can be made");
    for (index, events) in files.iter().enumerate() {
        // Every field has a value somewhere, or a question about it is an error.
        let mut log = "{\"k\":\"v\",\"n\":0,\"w\":\"w\",\"i\":-1,\"f\":0.5,\"b\":true,\"t\":7,\"g\":1000000,\"level\":\"info\"}\n".to_owned();
        for (place, &(step, value)) in events.iter().enumerate() {
            // Two hours before clocks spring forward at 01:00 UTC, in steps of some minutes.
            let time = 1_774_738_800_000_000_000 + step * 437 * 1_000_000_000;
            let mut fields = Vec::new();
            if step != 11 {
                fields.push(format!("\"time\":\"{}\"", indexer::stamp::to_rfc3339(time)));
            }
            fields.push(match value % 5 {
                0 => format!("\"k\":{value}"),
                1 => format!("\"k\":\"v{value}\""),
                2 => format!("\"k\":{}.5", value / 2),
                3 => "\"k\":null".to_owned(),
                _ => format!("\"k\":{}", value % 3 == 0),
            });
            // Of one type in a file, and of another one in the next.
            fields.push(if index == 1 {
                format!("\"t\":\"{}\"", value % 7)
            } else {
                format!("\"t\":{}", value % 7)
            });
            if value % 6 != 1 {
                fields.push(format!("\"n\":{}", value % 4 - 1));
                fields.push(format!("\"f\":{}.{}", value % 9, value * 7 % 100));
            }
            if index != 2 {
                fields.push(format!("\"w\":\"w{}\"", value % 6));
            }
            fields.push(format!("\"b\":{},\"i\":{place}", value % 2 == 0));
            fields.push(format!("\"g\":{}", (value - 9) * 300_000_007));
            fields.push(format!("\"level\":\"{}\"", ["info", "warn", "error"][value as usize % 3]));
            let _ = writeln!(log, "{{{}}}", fields.join(","));
        }
        let file = folder.join(format!("{index}.ndjson"));
        std::fs::write(&file, log).expect("a file can be written");
        case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    }
    case
}

const FIELDS: [&str; 10] = ["w", "k", "n", "f", "b", "t", "g", "level", "source", "line"];

fn key() -> impl Strategy<Value = String> {
    let bins = ["1h", "6h", "1d", "auto", "30m", "17m", "1w"].map(|width| format!("bin(time, {width})"));
    let others = ["bin(n, 2)", "time", "lower(w)"].map(str::to_owned);
    prop_oneof![
        6 => prop::sample::select(&FIELDS[..]).prop_map(str::to_owned),
        4 => prop::sample::select(bins.to_vec()),
        1 => prop::sample::select(others.to_vec()),
    ]
}

fn calculation() -> impl Strategy<Value = String> {
    let functions = [
        "count",
        "count_distinct",
        "sum",
        "avg",
        "min",
        "max",
        "range",
        "stddev",
        "variance",
        "first",
        "last",
        "mode",
        "values",
        "median",
        "p50",
        "p90",
        "p99",
        "p37",
        "rate",
        "per_hour",
    ];
    let argument = prop_oneof![
        10 => prop::sample::select(&FIELDS[..]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["time", "n * 2", "i", "raw"]).prop_map(str::to_owned),
    ];
    let named = (prop::sample::select(functions.to_vec()), argument)
        .prop_map(|(function, argument)| format!("{function}({argument})"));
    prop_oneof![
        12 => named,
        3 => prop::sample::select(vec!["count", "rate", "per_minute"]).prop_map(str::to_owned),
        1 => Just("count() where n > 0".to_owned()),
        1 => Just("percentile(f, 12.5)".to_owned()),
    ]
}

/// A stage that aggregates, and perhaps one after it.
fn aggregating() -> impl Strategy<Value = String> {
    let by =
        |keys: &[String]| if keys.is_empty() { String::new() } else { format!(" by {}", keys.join(", ")) };
    let calculations = || prop::collection::vec(calculation(), 1..5).prop_map(|all| all.join(", "));
    let stats = (calculations(), prop::collection::vec(key(), 0..3))
        .prop_map(move |(calculated, keys)| format!("stats {calculated}{}", by(&keys)));
    let span = prop::sample::select(vec!["span=1h ", "span=1d ", "span=6h ", "span=13m ", "span=1w ", ""]);
    let split =
        prop_oneof![Just(String::new()), prop::sample::select(&FIELDS[..]).prop_map(|f| format!(" by {f}"))];
    let limit = prop::sample::select(vec!["", " limit=1", " limit=3"]);
    let timechart = (span, calculations(), split, limit)
        .prop_map(|(span, calculated, split, limit)| format!("timechart {span}{calculated}{split}{limit}"));
    let frequent = (
        prop::sample::select(vec!["top", "rare"]),
        1..9_usize,
        prop::collection::vec(prop::sample::select(&FIELDS[..]), 1..3),
        prop::option::weighted(0.2, prop::sample::select(&FIELDS[..])),
    )
        .prop_map(|(stage, count, fields, by)| {
            let by = by.map_or_else(String::new, |by| format!(" by {by}"));
            format!("{stage} {count} {}{by}", fields.join(", "))
        });
    let facets = (prop::collection::vec(prop::sample::select(&FIELDS[..]), 0..4), 1..5_usize)
        .prop_map(|(fields, values)| format!("facets {} values={values}", fields.join(", ")));
    let sort = (prop::sample::select(&FIELDS[..]), any::<bool>(), 0..50_usize).prop_map(
        |(field, descending, limit)| {
            format!("sort {}{field} | limit {limit}", if descending { "-" } else { "" })
        },
    );
    let shift = (calculations(), prop::collection::vec(key(), 0..2))
        .prop_map(move |(calculated, keys)| format!("shift with 3h {calculated}{}", by(&keys)));
    let limits = prop::sample::select(vec!["", "", " max_pause=15m", " max_span=1h", " starts_with=(n:2)"]);
    let transaction = (prop::collection::vec(prop::sample::select(&FIELDS[..]), 1..3), limits)
        .prop_map(|(fields, limits)| format!("transaction {}{limits}", fields.join(", ")));
    let stage = prop_oneof![
        8 => stats,
        4 => timechart,
        4 => frequent,
        2 => sort,
        1 => shift,
        2 => facets,
        2 => transaction,
    ];
    let rest_of_pipe = prop::sample::select(vec!["", "", "", " | limit 3", " | eval z = 1"]);
    (stage, rest_of_pipe).prop_map(|(stage, rest_of_pipe)| format!("{stage}{rest_of_pipe}"))
}

/// All of a table: names, types of columns, values to the last bit, and notes.
fn whole(table: &Table) -> String {
    let columns = table.names().iter().zip(table.columns());
    let columns = columns.map(|(name, column)| {
        let values: Vec<_> = (0..table.rows()).map(|row| column.cell(row)).collect();
        format!("{name} {:?} {values:?}\n", column.kind())
    });
    format!("{} rows\n{}{:?}", table.rows(), columns.collect::<String>(), table.notes)
}

#[test]
fn aggregations_over_codes_give_the_tables_of_those_over_rows() {
    let files = prop::collection::vec(prop::collection::vec((0..24_i64, 0..40_i64), 0..80), 1..4);
    let asked = (
        prop::sample::select(vec!["*", "n>0", "w:w3 OR n:0", "NOT w:w1", "line<9", "n>900"]),
        aggregating(),
        prop::sample::select(vec!["UTC", "Europe/Berlin", "Asia/Kolkata"]),
        prop::option::weighted(0.3, (0..20_i64, 0..9_i64)),
    );
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 48, failure_persistence: None, max_shrink_iters: 400, ..Config::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    runner
        .run(&(files, prop::collection::vec(asked, 60)), |(files, asked)| {
            let folder = tempfile::tempdir().expect("a folder");
            let case = varied_case_of(folder.path(), &files);
            for (filter, stages, zone, range) in asked {
                let query = format!("{filter} | {stages}");
                let parsed =
                    indexer::query::parse_query(&query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
                let time = |step: i64| 1_774_738_800_000_000_000 + step * 437 * 1_000_000_000;
                let range =
                    range.map_or((None, None), |(from, steps)| (Some(time(from)), Some(time(from + steps))));
                let answer = |by_rows: bool| {
                    let options = RunOptions { by_rows, ..RunOptions::in_zone(zone).expect("a zone") };
                    let table =
                        case.run(&case.snapshot(), &parsed, range, &options, &mut |_| {}, &Cancel::default());
                    table.map_or_else(|error| error.to_string(), |table| whole(&table))
                };
                prop_assert_eq!(answer(false), answer(true), "{} in {} of {:?}", query, zone, range);
            }
            Ok(())
        })
        .expect("both ways agree");
}

fn run(case: &Case, query: &str) -> Table {
    let parsed = indexer::query::parse_query(query).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    let (options, never) = (RunOptions::default(), Cancel::default());
    case.run(&case.snapshot(), &parsed, (None, None), &options, &mut |_| {}, &never)
        .unwrap_or_else(|error| panic!("{query}: {error}"))
}

fn cells(table: &Table, rows: std::ops::Range<usize>) -> Vec<Vec<String>> {
    let end = rows.end.min(table.rows());
    let row =
        |row: usize| (0..table.columns().len()).map(|column| table.cell(row, column).to_string()).collect();
    (rows.start.min(end)..end).map(row).collect()
}

/// Files whose times overlap, with equal times and values, events without a time, and values of several types.
fn case_of(folder: &Path, files: &[Vec<(i64, i64)>]) -> Case {
    let case = Case::create(&folder.join("pipes.case")).expect("a case can be made");
    for (index, events) in files.iter().enumerate() {
        // Every field has a value somewhere, or a question about it is an error.
        let mut log = "{\"k\":\"v\",\"n\":0,\"w\":\"w\",\"i\":-1}\n".to_owned();
        for (place, &(second, value)) in events.iter().enumerate() {
            let time = indexer::stamp::to_rfc3339(1_772_323_200_000_000_000 + second * 1_000_000_000);
            let k = match value % 5 {
                0 => format!("\"k\":{value}"),
                1 => format!("\"k\":\"v{value}\""),
                2 => format!("\"k\":{}.5", value / 2),
                3 => "\"k\":null".to_owned(),
                _ => format!("\"k\":{}", value % 3 == 0),
            };
            let time = if second == 7 { String::new() } else { format!("\"time\":\"{time}\",") };
            let _ = writeln!(log, "{{{time}{k},\"n\":{},\"w\":\"w{}\",\"i\":{place}}}", value % 4, value % 6);
        }
        let file = folder.join(format!("{index}.ndjson"));
        std::fs::write(&file, log).expect("a file can be written");
        case.import(&[file], &ImportOptions::default(), &|_| {}, &Cancel::default()).expect("an import");
    }
    case
}

#[test]
fn the_first_rows_of_a_sort_are_those_of_the_whole_sort() {
    let queries = [
        "* | sort n",
        "* | sort -n, w",
        "* | sort w, -k",
        "* | sort -k",
        "* | sort -time",
        "* | sort time",
        "n>1 | eval m = n * 2 + i % 3 | where m != 5 | sort -m | keep m, w, raw",
        "* | rex field=raw \"w(?<d>[0-4])\" | sort d, -i | drop time",
        "n:9 | sort n",
        "* | sort level, -source",
    ];
    let files = prop::collection::vec(prop::collection::vec((0..9_i64, 0..40_i64), 0..60), 1..4);
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    runner
        .run(&(files, 0..70_usize), |(files, limit)| {
            let folder = tempfile::tempdir().expect("a folder");
            let case = case_of(folder.path(), &files);
            for query in queries {
                let (sort, rest) = query.rsplit_once("sort ").expect("a sort");
                let (keys, rest_of_pipe) = rest
                    .split_once('|')
                    .map_or((rest, String::new()), |(keys, rest_of_pipe)| (keys, format!("|{rest_of_pipe}")));
                let limited = run(&case, &format!("{sort}sort {keys} | limit {limit} {rest_of_pipe}"));
                let whole = run(&case, &format!("{sort}sort {keys} {rest_of_pipe}"));
                prop_assert_eq!(cells(&limited, 0..usize::MAX), cells(&whole, 0..limit), "{}", query);
                prop_assert_eq!(limited.names(), whole.names(), "{}", query);
            }
            Ok(())
        })
        .expect("the first rows are the same");
}

#[test]
fn a_result_without_rows_has_the_columns_of_one_with_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = case_of(folder.path(), &[vec![(1, 1), (2, 2)]]);
    for stages in ["sort n", "eval m = n + 1", "keep time, template", "drop w", "stats count by k"] {
        let (some, none) = (format!("* | {stages}"), format!("* | {stages} | limit 0"));
        assert_eq!(run(&case, &some).names(), run(&case, &none).names(), "{stages}");
        let nothing = run(&case, &format!("n:99 | {stages}"));
        assert_eq!(run(&case, &some).names(), nothing.names(), "{stages}, where nothing matches");
    }
}

/// What `stats` tells of each group, by the group's key and the column's name.
type Figures = BTreeMap<String, BTreeMap<String, Option<f64>>>;

const CALCULATED: [&str; 7] = ["count(n)", "sum(n)", "avg(n)", "min(n)", "max(n)", "p50(n)", "p95(n)"];

fn by_pipe(case: &Case, query: &str, key: &str) -> Figures {
    let table = run(case, &format!("{query} | stats count, {} by {key}", CALCULATED.join(", ")));
    let names: Vec<String> = table.names().iter().map(ToString::to_string).collect();
    let figures = |row: usize| {
        let columns = names.iter().enumerate().skip(1);
        columns
            .map(|(column, name)| (name.clone(), table.cell(row, column).to_string().parse().ok()))
            .collect()
    };
    (0..table.rows()).map(|row| (table.cell(row, 0).to_string(), figures(row))).collect()
}

fn by_request(case: &Case, query: &str, key: &str) -> Figures {
    let field = || "n".to_owned();
    let request = Request {
        by: vec![By::Terms { field: key.to_owned(), top: 100, order: TermOrder::Value }],
        measures: vec![
            Measure::Stats { field: field() },
            Measure::Percentiles { field: field(), at: vec![50.0, 95.0] },
        ],
    };
    let view = View::parse(query, None, None).expect("a query");
    let answer = case
        .aggregate(&case.snapshot(), &view, &request, &mut |_, _| {}, &Cancel::default())
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let Axis::Terms { values, .. } = &answer.axes[0] else { panic!("other axes") };
    // One place counts all other values (there are none), and the last one events without any.
    let keys = values.iter().map(ToString::to_string).chain(["other".to_owned(), String::new()]);
    let figures = |place: usize| {
        let measured = answer.measured.iter().filter(|measured| CALCULATED.contains(&measured.name.as_str()));
        let values = measured.map(|measured| {
            (measured.name.clone(), measured.values[place].as_ref().and_then(Scalar::number))
        });
        values.chain([("count".to_owned(), Some(answer.counts[place] as f64))]).collect()
    };
    let counted = keys.enumerate().filter(|(place, _)| answer.counts[*place] > 0);
    counted.map(|(place, key)| (key, figures(place))).collect()
}

#[test]
fn what_stats_calculates_is_what_a_calculation_without_a_pipe_gives() {
    let files = prop::collection::vec(prop::collection::vec((0..9_i64, 0..40_i64), 0..60), 1..4);
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    runner
        .run(&files, |files| {
            let folder = tempfile::tempdir().expect("a folder");
            let case = case_of(folder.path(), &files);
            for query in ["*", "n>0", "w:w3 OR n:0"] {
                for key in ["w", "k", "n"] {
                    let (pipe, request) = (by_pipe(&case, query, key), by_request(&case, query, key));
                    prop_assert_eq!(pipe, request, "{} by {}", query, key);
                }
            }
            Ok(())
        })
        .expect("both ways agree");
}
