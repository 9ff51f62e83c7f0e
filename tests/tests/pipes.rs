//! What pipes do faster than stage by stage is what they would do stage by stage, and what is calculated in a pipe is
//! what the same calculation without one gives.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use indexer::aggregate::{Axis, By, Measure, Request, TermOrder};
use indexer::{Cancel, Case, ImportOptions, RunOptions, Scalar, Table, View};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

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
                let (keys, behind) = rest
                    .split_once('|')
                    .map_or((rest, String::new()), |(keys, behind)| (keys, format!("|{behind}")));
                let limited = run(&case, &format!("{sort}sort {keys} | limit {limit} {behind}"));
                let whole = run(&case, &format!("{sort}sort {keys} {behind}"));
                prop_assert_eq!(cells(&limited, 0..usize::MAX), cells(&whole, 0..limit), "{}", query);
                prop_assert_eq!(limited.names(), whole.names(), "{}", query);
            }
            Ok(())
        })
        .expect("the first rows are the same");
}

/// What `stats` tells of each group, by the group's key and the column's name.
type Told = BTreeMap<String, BTreeMap<String, Option<f64>>>;

const CALCULATED: [&str; 7] = ["count(n)", "sum(n)", "avg(n)", "min(n)", "max(n)", "p50(n)", "p95(n)"];

fn by_pipe(case: &Case, query: &str, key: &str) -> Told {
    let table = run(case, &format!("{query} | stats count, {} by {key}", CALCULATED.join(", ")));
    let names: Vec<String> = table.names().iter().map(ToString::to_string).collect();
    let told = |row: usize| {
        let columns = names.iter().enumerate().skip(1);
        columns
            .map(|(column, name)| (name.clone(), table.cell(row, column).to_string().parse().ok()))
            .collect()
    };
    (0..table.rows()).map(|row| (table.cell(row, 0).to_string(), told(row))).collect()
}

fn by_request(case: &Case, query: &str, key: &str) -> Told {
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
    // One place is of all other values, of which there are none, and the last one of events without any.
    let keys = values.iter().map(ToString::to_string).chain(["other".to_owned(), String::new()]);
    let told = |place: usize| {
        let measured = answer.measured.iter().filter(|measured| CALCULATED.contains(&measured.name.as_str()));
        let values = measured.map(|measured| {
            (measured.name.clone(), measured.values[place].as_ref().and_then(Scalar::number))
        });
        values.chain([("count".to_owned(), Some(answer.counts[place] as f64))]).collect()
    };
    let counted = keys.enumerate().filter(|(place, _)| answer.counts[*place] > 0);
    counted.map(|(place, key)| (key, told(place))).collect()
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
