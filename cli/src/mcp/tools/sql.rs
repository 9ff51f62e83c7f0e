//! `sql`: a case asked in SQL.

use indexer::{Cell, RunOptions, SqlOptions};
use serde_json::{Value, json};

use super::Tool;
use super::rows::{begun, time};
use crate::mcp::answer::{Answered, shortened, with_rows};
use crate::mcp::arguments::{Argument, ArgumentKind, FROM, TO};
use crate::mcp::call::Call;
use crate::mcp::limits::{ANSWER_BYTES, CELL_BYTES, LEAST_CELL_BYTES, MOST_COLUMNS, MOST_ROWS, TEXT_BYTES};

pub const TOOL: Tool = Tool {
    name: "sql",
    title: "SQL",
    summary: "Answers a SELECT over the tables events (an event a row with time, level, source, line, raw, template and all \
              fields), templates, notes and sources. Only a whole answer is one: aggregate, or LIMIT, and give `seconds` to \
              what takes longer. Files are read only below the folders that the server was started with.",
    arguments: &[
        Argument::needed("statement", ArgumentKind::Text, "SELECT … FROM events …, or WITH … SELECT …"),
        FROM,
        TO,
        Argument::new(
            "zone",
            ArgumentKind::Text,
            "Time zone of days, such as Europe/Berlin; UTC unless given",
        ),
        Argument::new("limit", ArgumentKind::Whole(1, MOST_ROWS, 50), "Rows listed at most"),
    ],
    run,
};

/// Whole numbers beyond this are no JSON numbers.
const EXACT: i64 = 1 << 53;

fn run(call: &Call<'_>) -> Answered {
    let named = call.case()?;
    let snapshot = named.case.snapshot();
    let statement = call.given.text("statement").unwrap_or_default();
    let run = match call.given.text("zone") {
        Some(zone) => RunOptions::in_zone(zone)?,
        None => RunOptions::default(),
    };
    let range = (call.time(&snapshot, "from")?, call.time(&snapshot, "to")?);
    let run = RunOptions { files: call.files.clone(), ..run };
    let options = SqlOptions { range, run, ..SqlOptions::default() };
    let table = named.case.sql(&snapshot, statement, &options, call.cancel());
    let table = call.in_query("statement", table)?;
    let columns = table.names().len().min(MOST_COLUMNS);
    // A row has to fit, and better several.
    let cell_bytes = (ANSWER_BYTES / 4 / columns.max(1)).clamp(LEAST_CELL_BYTES, CELL_BYTES);
    let listed = table.rows().min(call.given.whole("limit"));
    let row = |row: usize| (0..columns).map(|column| cell(&table.cell(row, column), cell_bytes)).collect();
    let rows: Vec<Value> = (0..listed).map(row).collect();
    let mut answer = begun(named, &snapshot);
    let titles: Vec<String> =
        table.names().iter().take(columns).map(|name| shortened(name, LEAST_CELL_BYTES * 2)).collect();
    answer.insert("columns".to_owned(), json!(titles));
    answer.insert("total".to_owned(), json!(table.rows()));
    if table.names().len() > columns {
        let left_out =
            format!("{} more columns are left out; name those wanted", table.names().len() - columns);
        answer.insert("columns_left_out".to_owned(), json!(left_out));
    }
    if !table.notes.is_empty() {
        answer.insert("notes".to_owned(), json!(shortened(&table.notes.join(" "), TEXT_BYTES)));
    }
    with_rows(&mut answer, "rows", rows, table.rows() as u64, |_| {
        format!(
            "aggregate, name fewer columns, read on with OFFSET, or give a higher `limit` (up to {MOST_ROWS})"
        )
    });
    Ok(answer)
}

fn cell(cell: &Cell, bytes: usize) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Bool(value) => json!(value),
        Cell::Int(value) if value.abs() < EXACT => json!(value),
        Cell::Float(value) => json!(value),
        Cell::Time(at) => json!(time(*at)),
        other => json!(shortened(&other.to_string(), bytes)),
    }
}
