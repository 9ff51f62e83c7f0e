//! Queries with pipes: their result as pages of a table, or as a file.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use indexer::query::{Query, parse_query};
use indexer::{
    Cancel, Case, ColumnKind, Nanos, Partial, RunOptions, Snapshot, SqlOptions, Table as Rows,
    export as files, is_sql, sentence,
};
use serde::{Deserialize, Serialize};

use crate::calls::{Answer, in_zone};
use crate::session::{Call, Session, locked};
use crate::trust;
use crate::types::{ErrorCode, RemoteSays, View, WireError};

/// The most rows that one page carries; the screen shows some fifty.
const PAGE_ROWS: usize = 10_000;
/// A result up to this size is kept for its other pages.
const KEPT_BYTES: usize = 64 << 20;
/// Whole numbers beyond this are no JSON numbers.
const EXACT: i64 = 1 << 53;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunRequest {
    /// The query may have stages, or be SQL.
    pub view: View,
    /// The zone of days and of times that name none; null is UTC.
    pub zone: Option<String>,
    pub first: u64,
    pub count: u32,
    /// Whether percentiles and distinct counts of a cluster's events are calculated here. A case always does.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub exact: bool,
}

/// Rows of a result. While it is being calculated the rows are preliminary.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Table {
    pub revision: u64,
    pub columns: Vec<TableColumn>,
    /// All rows of the result.
    pub total: u64,
    pub first: u64,
    pub rows: Vec<Vec<TableCell>>,
    /// What people should know of it, such as values that were passed over.
    pub notes: Vec<String>,
    /// The share of the events looked at.
    pub fraction: f64,
    pub elapsed_ms: f64,
    /// Whether kernels calculated its first aggregation, and if not why; null where it has none, or is not whole.
    pub calculated: Option<String>,
    /// What a cluster says of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remote: Option<RemoteSays>,
    /// Whether a cluster estimated values of it that are exact when they are asked for so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub estimated: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TableColumn {
    pub name: String,
    pub kind: ColumnKind,
}

/// A value as JSON: times as decimal strings of nanoseconds, whole numbers beyond 2^53 as strings, lists as
/// their text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string | number | boolean | null"))]
pub struct TableCell(serde_json::Value);

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExportRequest {
    pub view: View,
    pub zone: Option<String>,
    pub format: TableFormat,
    /// A file of this machine; one that is there is replaced.
    pub path: String,
}

/// How the result is written; the engine's formats are those of tables, and say more of CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TableFormat {
    Text,
    Csv,
    Ndjson,
    Parquet,
    Arrow,
    /// The original bytes of the matching events, each with one line end.
    Raw,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Exported {
    pub path: String,
    pub rows: u64,
    /// The share that is done.
    pub fraction: f64,
}

/// The last result, for its other pages.
#[derive(Debug)]
pub struct KeptTable {
    key: String,
    table: Arc<Rows>,
}

/// From inclusive, to exclusive.
type Times = (Option<i64>, Option<i64>);

/// What is asked: a query of the language, or SQL where it begins as SQL does.
#[derive(Debug)]
pub(crate) enum Asked {
    Query(Query, Times),
    Sql(String, Times),
}

impl Asked {
    pub(crate) fn from_view(case: &Case, view: &View) -> Answer<Asked> {
        let times = (view.from.map(|time| time.0), view.to.map(|time| time.0));
        if is_sql(&view.query) {
            return Ok(Asked::Sql(view.query.clone(), times));
        }
        let mut query = parse_query(&view.query).map_err(indexer::Error::from)?;
        query.filter = in_zone(case, query.filter, view.zone.as_deref())?;
        Ok(Asked::Query(query, times))
    }

    /// Whether kernels calculate its first aggregation, and if not why, as a sentence.
    pub(crate) fn calculated(
        &self,
        case: &Case,
        snapshot: &Arc<Snapshot>,
        options: &RunOptions,
        cancel: &Cancel,
    ) -> Answer<Option<String>> {
        let how = match self {
            Asked::Query(query, range) => case.explain_run(snapshot, query, *range, options)?,
            Asked::Sql(statement, range) => {
                let options = SqlOptions { range: *range, run: options.clone(), ..SqlOptions::default() };
                case.explain_sql(snapshot, statement, &options, cancel)?
            }
        };
        Ok(how.map(|how| sentence(&how.to_string())))
    }
}

/// How queries on a case run.
pub(crate) fn options(session: &Session, case: &Case, zone: Option<&String>) -> Answer<RunOptions> {
    let zone = zone.map_or("UTC", String::as_str);
    let options = RunOptions::in_zone(zone)?;
    Ok(RunOptions { files: trust::files(session, case), ..options })
}

pub fn run(
    session: &Session,
    call: &Call<'_>,
    request: &RunRequest,
    report: &dyn Fn(Table),
) -> Answer<Table> {
    let started = Instant::now();
    let case = session.case(Path::new(&request.view.case))?;
    let snapshot = session.shown().snapshot(&case, request.view.revision);
    let asked = Asked::from_view(&case, &request.view)?;
    let options = options(session, &case, request.zone.as_ref())?;
    let (case_path, zone, revision) = (&request.view.case, &request.zone, snapshot.revision());
    let key = format!("{case_path}\0{revision}\0{asked:?}\0{zone:?}");
    let table = kept(session, &key);
    let calculated = asked.calculated(&case, &snapshot, &options, &call.cancel)?;
    let table = if let Some(table) = table {
        table
    } else {
        let mut partial = |partial: Partial<'_>| {
            let nothing = Rows::default();
            let rows = partial.table.unwrap_or(&nothing);
            report(Table { fraction: partial.fraction, ..page_of_table(rows, request, revision, started) });
        };
        let table = match asked {
            Asked::Query(query, range) => {
                case.run(&snapshot, &query, range, &options, &mut partial, &call.cancel)?
            }
            Asked::Sql(statement, range) => {
                let options = SqlOptions { range, run: options, ..SqlOptions::default() };
                case.sql(&snapshot, &statement, &options, &call.cancel)?
            }
        };
        let table = Arc::new(table);
        keep(session, key, &table);
        table
    };
    Ok(Table { calculated, ..page_of_table(&table, request, revision, started) })
}

impl Session {
    /// The last result that is kept.
    pub(crate) fn kept_table(&self) -> MutexGuard<'_, Option<KeptTable>> {
        locked(self.part::<Mutex<Option<KeptTable>>>())
    }
}

/// The last result, if it is that of this question.
pub(crate) fn kept(session: &Session, key: &str) -> Option<Arc<Rows>> {
    session.kept_table().as_ref().filter(|kept| kept.key == key).map(|kept| Arc::clone(&kept.table))
}

/// Keeps a result for its other pages, if it is not too large.
pub(crate) fn keep(session: &Session, key: String, table: &Arc<Rows>) {
    *session.kept_table() =
        (table.bytes() <= KEPT_BYTES).then(|| KeptTable { key, table: Arc::clone(table) });
}

pub fn export(
    session: &Session,
    call: &Call<'_>,
    request: &ExportRequest,
    report: &dyn Fn(Exported),
) -> Answer<Exported> {
    let path = Path::new(&request.path);
    if !path.is_absolute() {
        return Err(WireError::new(ErrorCode::BadRequest, "The file needs its whole path."));
    }
    let case = session.case(Path::new(&request.view.case))?;
    let asked = Asked::from_view(&case, &request.view)?;
    let options = options(session, &case, request.zone.as_ref())?;
    let format = match request.format {
        TableFormat::Text => files::Format::Text,
        // What the screen exports is opened in a spreadsheet.
        TableFormat::Csv => files::Format::Csv(files::Formulas::Escape),
        TableFormat::Ndjson => files::Format::Ndjson,
        TableFormat::Parquet => files::Format::Parquet,
        TableFormat::Arrow => files::Format::Arrow,
        TableFormat::Raw => return export_raw(&case, call, request, asked, report),
    };
    let exported = |rows, fraction| Exported { path: request.path.clone(), rows, fraction };
    let mut progress = |fraction: f64| report(exported(0, fraction));
    let (snapshot, to) = (session.shown().snapshot(&case, request.view.revision), (format, path));
    let rows = match asked {
        Asked::Query(query, range) => {
            files::export(&case, &snapshot, &query, range, &options, to, &mut progress, &call.cancel)?
        }
        Asked::Sql(statement, range) => {
            let options = SqlOptions { range, run: options, ..SqlOptions::default() };
            files::export_table(&case.sql(&snapshot, &statement, &options, &call.cancel)?, to)?
        }
    };
    Ok(exported(rows, 1.0))
}

fn export_raw(
    case: &Case,
    call: &Call<'_>,
    request: &ExportRequest,
    asked: Asked,
    report: &dyn Fn(Exported),
) -> Answer<Exported> {
    let Asked::Query(query, (from, to)) = asked else { return Err(no_events()) };
    if !query.stages.is_empty() {
        return Err(no_events());
    }
    let (snapshot, path) = (case.snapshot(), Path::new(&request.path));
    let view = indexer::View { filter: query.filter, from, to };
    let exported = |rows, fraction| Exported { path: request.path.clone(), rows, fraction };
    let mut rows = 0;
    files::replaced(path, &mut |file| {
        let mut progress = |done: u64, of: u64| {
            rows = done;
            report(exported(done, done as f64 / of.max(1) as f64));
        };
        case.export_events(&snapshot, &view, file, &mut progress, &call.cancel)
    })?;
    Ok(exported(rows, 1.0))
}

fn no_events() -> WireError {
    let message = "Only events have original bytes, and this query makes a table.";
    WireError::new(ErrorCode::BadRequest, message)
}

/// The requested rows.
pub(crate) fn page_of_table(table: &Rows, request: &RunRequest, revision: u64, started: Instant) -> Table {
    let first = usize::try_from(request.first).unwrap_or(usize::MAX).min(table.rows());
    let end = first.saturating_add((request.count as usize).min(PAGE_ROWS)).min(table.rows());
    let columns = table.names().iter().zip(table.columns());
    Table {
        revision,
        columns: columns
            .map(|(name, column)| TableColumn { name: name.to_string(), kind: column.kind() })
            .collect(),
        total: table.rows() as u64,
        first: first as u64,
        rows: (first..end)
            .map(|row| (0..table.names().len()).map(|column| cell(&table.cell(row, column))).collect())
            .collect(),
        notes: table.notes.clone(),
        fraction: 1.0,
        elapsed_ms: started.elapsed().as_secs_f64() * 1_000.0,
        calculated: None,
        remote: None,
        estimated: false,
    }
}

fn cell(cell: &indexer::Cell) -> TableCell {
    use indexer::Cell;
    TableCell(match cell {
        Cell::Missing => serde_json::Value::Null,
        Cell::Bool(value) => (*value).into(),
        Cell::Int(value) if value.abs() < EXACT => (*value).into(),
        Cell::Float(value) => (*value).into(),
        Cell::Time(time) => Nanos(*time).0.to_string().into(),
        other => other.to_string().into(),
    })
}
