//! Stages over tables, without a case.

mod stages;
mod stats;
mod tables;
mod windows;

use jiff::tz::TimeZone;

use super::cell::Cell;
use super::column::Column;
use super::file_access::FileAccess;
use super::line::Line;
use super::names::Names;
use super::plan::{Planner, plan};
use super::run::{Run, RunClock, RunOptions};
use super::table::Table;
use base::Cancel;
use base::error::Result;
use query::parse_query;

/// A table from text: a line a row, columns separated by `|`, `-` for missing.
pub fn table(names: &str, rows: &[&str]) -> Table {
    let cell = |text: &str| match text {
        "-" => Cell::Missing,
        "true" | "false" => Cell::Bool(text == "true"),
        _ if text.parse::<i64>().is_ok() => Cell::Int(text.parse().unwrap_or_default()),
        _ if text.parse::<f64>().is_ok() => Cell::Float(text.parse().unwrap_or_default()),
        _ if text.ends_with('Z') && base::stamp::parse(text).is_some() => {
            Cell::Time(base::stamp::parse(text).unwrap_or_default())
        }
        _ => Cell::text(text),
    };
    let rows: Vec<Vec<Cell>> =
        rows.iter().map(|row| row.split('|').map(|text| cell(text.trim())).collect()).collect();
    let column = |index: usize| Column::of_cells(rows.iter().map(|row| row[index].clone()).collect());
    let names = names.split('|').map(|name| name.trim().to_owned());
    Table::from_columns(names.enumerate().map(|(index, name)| (name, column(index))).collect())
}

pub fn clock_of(table: &Table) -> RunClock {
    let times = table.column("time").map(|times| {
        let times = (0..times.len())
            .filter_map(|row| if let Cell::Time(time) = times.cell(row) { Some(time) } else { None });
        let times: Vec<i64> = times.collect();
        (times.iter().min().copied().unwrap_or(0), times.iter().max().copied().unwrap_or(0))
    });
    RunClock {
        now: times.map_or(0, |(_, last)| last),
        zone: TimeZone::UTC,
        range: times,
        files: FileAccess::everywhere("."),
    }
}

/// Runs stages over a table, which comes in parts of so many rows.
pub fn run_in_parts(input: &Table, stages: &str, part: usize, memory_bytes: usize) -> Result<Table> {
    let clock = clock_of(input);
    let options = RunOptions { memory_bytes, ..RunOptions::default() };
    let run = Run::new(clock.clone(), &options, &Cancel::default(), None);
    let query = parse_query(&format!("* | {stages}")).map_err(base::Error::from)?;
    let names: Vec<String> = input.names().iter().map(ToString::to_string).collect();
    let mut planner = Planner { names: Names::of_events(&names, false), clock: &clock };
    let mut line = Line::new(plan(&query.stages, &mut planner)?);
    let mut tables = Vec::new();
    let mut out = |table: Table| {
        tables.push(table);
        Ok(())
    };
    for start in (0..input.rows()).step_by(part.max(1)) {
        if !line.is_full() {
            line.push(input.slice(start..start + part), &run, &mut out)?;
        }
    }
    line.finish(&run, &mut out)?;
    let mut table = Table::concat(tables);
    table.notes = run.take_notes();
    Ok(table)
}

/// The result as text: a line a row, cells separated by `|`, the names first.
pub fn shown(table: &Table) -> Vec<String> {
    let names = table.names().iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    let row = |row: usize| {
        (0..table.names().len())
            .map(|column| table.cell(row, column).to_string())
            .collect::<Vec<_>>()
            .join("|")
    };
    std::iter::once(names).chain((0..table.rows()).map(row)).collect()
}

/// The same in one part and in many.
pub fn check(input: &Table, stages: &str, expected: &[&str]) {
    for part in [1, 2, usize::MAX / 2] {
        let result = run_in_parts(input, stages, part, usize::MAX / 2);
        assert_eq!(shown(&result.expect(stages)), expected, "{stages} in parts of {part}");
    }
}

pub fn sample() -> Table {
    table(
        "time|host|status|bytes",
        &[
            "2026-03-01T10:00:00Z|a|200|10",
            "2026-03-01T10:01:00Z|b|500|-",
            "2026-03-01T10:07:00Z|a|404|2.5",
            "2026-03-01T11:30:00Z|c|200|30",
            "2026-03-01T11:31:00Z|a|-|many",
        ],
    )
}

#[test]
fn rows_are_chosen_changed_and_ordered() {
    let input = sample();
    check(&input, "where status >= 400 | keep host, status", &["host|status", "b|500", "a|404"]);
    check(&input, "eval k = bytes * 2, m = k + 1 | keep k, m | limit 3", &["k|m", "20|21", "|", "5|6"]);
    check(&input, "sort -status, host | keep s* | limit 4", &["status", "500", "404", "200", "200"]);
    check(&input, "sort status | keep host, status | tail 2", &["host|status", "b|500", "a|"]);
    check(&input, "drop time, b* | rename host as h | tail 1", &["h|status", "a|"]);
    check(&input, "where host:a and not bytes:many | stats count", &["count", "2"]);
    let error = run_in_parts(&input, "search 404", 9, 1 << 20).expect_err("these rows have no text");
    assert_eq!(error.message(), "no field `raw`");
}

#[test]
fn what_needs_too_much_memory_is_refused() {
    let error = run_in_parts(&sample(), "sort status", 1, 100).expect_err("it does not fit");
    assert_eq!(error.kind(), base::ErrorKind::Limit);
    assert!(error.message().contains("`sort`") && error.hint_text().is_some(), "{error}");
}
