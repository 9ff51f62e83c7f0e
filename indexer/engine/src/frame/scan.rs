//! The events of a case as a lazy frame: only the columns and events that are asked for are read, in the order of
//! the case.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, Column as Series, DataFrame, DataType, Expr, IntoLazy, LazyFrame,
    Operator, PlSmallStr, PolarsError, PolarsResult, ScanArgsAnonymous, Schema, SchemaRef, TimeUnit,
    TimeZone,
};

use super::convert::{level_type, series_of};
use super::push::{Columns, Pushed};
use crate::Engine;
use crate::exec::in_order;
use crate::pipe::{
    Budget, ColumnRequest, Piece, Reader, Run, RunClock, RunOptions, Table, clusters, in_time_order,
};
use crate::view::View;
use base::error::{Error, Result};
use base::{Cancel, FieldKind};
use query::Filter;
use store::Snapshot;

/// So many segments are read before polars has worked on them.
const PARTS_AHEAD: usize = 2;

/// What all scans of one question share.
#[derive(Debug)]
pub struct Shared {
    pub cancel: Cancel,
    pub options: RunOptions,
    /// Conditions go into the filter; otherwise polars looks through all events.
    pub push_down: bool,
    budget: Arc<Budget>,
    /// What went wrong in a scan. Through polars only its words come.
    failed: Mutex<Option<Error>>,
}

impl Shared {
    pub fn new(options: &RunOptions, push_down: bool, cancel: &Cancel) -> Shared {
        let budget = Arc::new(Budget::new(options.memory_bytes));
        Shared {
            cancel: cancel.clone(),
            options: options.clone(),
            push_down,
            budget,
            failed: Mutex::default(),
        }
    }

    /// The type of times: in the zone that days are of.
    pub fn time_type(&self) -> Result<DataType> {
        let name = self.options.zone.iana_name().unwrap_or("UTC");
        let zone = TimeZone::opt_try_new(Some(name)).map_err(|error| super::refused(&error))?;
        Ok(DataType::Datetime(TimeUnit::Nanoseconds, zone))
    }

    /// So much more is kept; refused where it is too much.
    pub fn take(&self, what: &str, bytes: usize) -> Result<()> {
        self.budget.take(what, bytes)
    }

    pub fn give_back(&self, bytes: usize) {
        self.budget.give_back(bytes);
    }

    /// An error as polars takes it; the run ends with the error itself.
    pub fn fail(&self, error: Error) -> PolarsError {
        let words = error.message().to_owned();
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        PolarsError::ComputeError(words.into())
    }

    pub fn take_failure(&self) -> Option<Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Engine {
    /// The events of a view as a table of polars that is read when it is asked for. Text is `String`, and a
    /// field whose values are of several types as well.
    pub fn lazy_frame(
        self: &Arc<Engine>,
        snapshot: &Arc<Snapshot>,
        view: &View,
        shared: &Arc<Shared>,
    ) -> Result<LazyFrame> {
        let (columns, schema) = described(snapshot, &shared.time_type()?);
        let scan = Events {
            case: Arc::clone(self),
            snapshot: Arc::clone(snapshot),
            view: self.resolved(snapshot, view)?,
            columns,
            schema: Arc::clone(&schema),
            shared: Arc::clone(shared),
        };
        let options =
            ScanArgsAnonymous { schema: Some(schema), name: "EVENTS", ..ScanArgsAnonymous::default() };
        LazyFrame::anonymous_scan(Arc::new(scan), options).map_err(|error| super::internal(&error))
    }
}

/// The columns of events: built-in ones first, then the fields in the order in which they came.
fn described(snapshot: &Snapshot, times: &DataType) -> (Columns, SchemaRef) {
    let mut kinds: HashMap<String, BTreeSet<FieldKind>> = HashMap::new();
    for field in snapshot.segments.iter().flat_map(|segment| &segment.meta.fields) {
        kinds.entry(field.name.clone()).or_default().insert(field.kind);
    }
    let mut schema = Schema::default();
    for name in Engine::field_names(snapshot) {
        let dtype = match name.as_str() {
            "time" => times.clone(),
            "level" => level_type(),
            "line" => DataType::Int64,
            "source" | "raw" | "template" => DataType::String,
            _ => kinds.get(&name).map_or(DataType::String, dtype_of),
        };
        schema.insert(PlSmallStr::from_str(&name), dtype);
    }
    if !kinds.contains_key("message") {
        schema.insert(PlSmallStr::from_static("message"), DataType::String);
    }
    let kinds = kinds.into_iter().map(|(name, kinds)| (name, kinds.into_iter().collect())).collect();
    (Columns { kinds }, Arc::new(schema))
}

/// The narrowest type that holds all values.
fn dtype_of(kinds: &BTreeSet<FieldKind>) -> DataType {
    if kinds.iter().all(|kind| *kind == FieldKind::Int) {
        DataType::Int64
    } else if kinds.iter().all(|kind| matches!(kind, FieldKind::Int | FieldKind::Float)) {
        DataType::Float64
    } else if kinds.iter().all(|kind| *kind == FieldKind::Bool) {
        DataType::Boolean
    } else {
        DataType::String
    }
}

/// The events of a view.
pub(super) struct Events {
    pub case: Arc<Engine>,
    pub snapshot: Arc<Snapshot>,
    pub view: View,
    pub columns: Columns,
    pub schema: SchemaRef,
    pub shared: Arc<Shared>,
}

impl AnonymousScan for Events {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn schema(&self, _: Option<usize>) -> PolarsResult<SchemaRef> {
        Ok(Arc::clone(&self.schema))
    }

    fn allows_predicate_pushdown(&self) -> bool {
        true
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }

    fn scan(&self, asked: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        self.read(&asked).map_err(|error| self.shared.fail(error))
    }
}

impl Events {
    fn read(&self, asked: &AnonymousScanArgs) -> Result<DataFrame> {
        let predicate = asked.predicate.as_ref().and_then(static_part);
        let shown: Vec<PlSmallStr> = match &asked.with_columns {
            Some(names) => names.to_vec(),
            None => self.schema.iter_names().cloned().collect(),
        };
        let mut read = shown.clone();
        if let Some(condition) = &predicate {
            for name in condition.clone().meta().root_names() {
                if !read.contains(&name) && self.schema.contains(&name) {
                    read.push(name);
                }
            }
        }
        let pushed = predicate.as_ref().filter(|_| self.shared.push_down);
        let pushed = pushed.and_then(|condition| self.columns.push(condition));
        let exact = pushed.as_ref().is_some_and(|pushed| pushed.exact);
        let condition = predicate.as_ref().filter(|_| !exact);
        let most = asked.n_rows.unwrap_or(usize::MAX);
        let mut whole = self.empty(&read);
        let (sender, parts) = sync_channel(PARTS_AHEAD);
        // This is a thread of polars. If it waited for others of its pool, those might wait for it: events are
        // read by the threads that questions have, and polars works on what comes from there.
        thread::scope(|scope| -> Result<()> {
            let names = &read;
            let reader = scope.spawn(move || self.send(pushed, names, most, &sender));
            for (part, bytes) in parts {
                stack(&mut whole, &self.passing(part, bytes, condition)?)?;
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        whole.head(Some(most)).select(shown).map_err(|error| super::internal(&error))
    }

    /// Reads the events and hands them out, in order.
    fn send(
        &self,
        pushed: Option<Pushed>,
        names: &[PlSmallStr],
        most: usize,
        sender: &SyncSender<(DataFrame, usize)>,
    ) -> Result<()> {
        let reading = EventScan::new(self, &self.narrowed(pushed), names);
        let groups = in_time_order(&self.snapshot);
        // Nobody waits any longer: an error was found, and is reported.
        let hand_out = |part| sender.send(part).map_err(|_| Error::cancelled());
        if most == usize::MAX {
            let work = |task: usize| reading.group(&groups[task], most);
            return in_order(groups.len(), &self.shared.cancel, work, |_, part| hand_out(part));
        }
        let mut left = most;
        for group in groups {
            let (part, bytes) = reading.group(&group, left)?;
            left -= part.height().min(left);
            hand_out((part, bytes))?;
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The events that pass, and the memory of the others given back.
    fn passing(&self, part: DataFrame, bytes: usize, condition: Option<&Expr>) -> Result<DataFrame> {
        let Some(condition) = condition else { return Ok(part) };
        let rows = part.height();
        let passed = part.lazy().filter(condition.clone()).collect();
        let passed = passed.map_err(|error| super::refused(&error))?;
        let left = bytes.checked_div(rows).unwrap_or(0) * passed.height();
        self.shared.budget.give_back(bytes.saturating_sub(left));
        Ok(passed)
    }

    fn narrowed(&self, pushed: Option<Pushed>) -> View {
        let parts = [Some(self.view.filter.clone()), pushed.map(|pushed| pushed.filter)];
        let mut parts: Vec<Filter> =
            parts.into_iter().flatten().filter(|part| *part != Filter::Everything).collect();
        let filter = match parts.len() {
            0 => Filter::Everything,
            1 => parts.swap_remove(0),
            _ => Filter::And(parts),
        };
        View { filter, from: self.view.from, to: self.view.to }
    }

    fn empty(&self, names: &[PlSmallStr]) -> DataFrame {
        let typed =
            |name: &PlSmallStr| (name.clone(), self.schema.get(name).cloned().unwrap_or(DataType::Null));
        DataFrame::empty_with_schema(&names.iter().map(typed).collect())
    }
}

/// A predicate without the parts that polars fills in while it runs: a sort that keeps only the first rows pushes down the
/// values it no longer needs. polars evaluates those parts itself.
pub(super) fn static_part(condition: &Expr) -> Option<Expr> {
    match condition {
        Expr::BinaryExpr { left, op: op @ (Operator::And | Operator::LogicalAnd), right } => {
            match (static_part(left), static_part(right)) {
                (Some(left), Some(right)) => {
                    Some(Expr::BinaryExpr { left: Arc::new(left), op: *op, right: Arc::new(right) })
                }
                (one, other) => one.or(other),
            }
        }
        Expr::Display { fmt_str, .. } if fmt_str.starts_with("dynamic_pred:") => None,
        condition => Some(condition.clone()),
    }
}

fn stack(whole: &mut DataFrame, part: &DataFrame) -> Result<()> {
    if whole.width() == 0 {
        // Without columns only the rows count.
        *whole = DataFrame::empty_with_height(whole.height() + part.height());
        return Ok(());
    }
    whole.vstack_mut(part).map(|_| ()).map_err(|error| super::internal(&error))
}

/// One scan: the events that are read, and what of them.
struct EventScan<'a> {
    events: &'a Events,
    view: View,
    names: &'a [PlSmallStr],
    wanted: ColumnRequest,
    run: Run<'a>,
}

impl<'a> EventScan<'a> {
    fn new(events: &'a Events, view: &View, names: &'a [PlSmallStr]) -> EventScan<'a> {
        let shared = &events.shared;
        let mut columns: Vec<Arc<str>> = Vec::new();
        for name in names {
            let name = events.stored(name);
            if !columns.iter().any(|known| **known == *name) {
                columns.push(Arc::from(name));
            }
        }
        let clock = RunClock {
            now: events.snapshot.time_range().map_or(0, |(_, last)| last),
            zone: shared.options.zone.clone(),
            range: None,
            files: shared.options.files.clone(),
        };
        let mut run = Run::new(clock, &shared.options, &shared.cancel, None);
        run.budget = Arc::clone(&shared.budget);
        let wanted = ColumnRequest { columns, refs: false };
        EventScan { events, view: view.clone(), names, wanted, run }
    }

    /// The events of segments whose times overlap, up to a number of rows, and the memory they take.
    fn group(&self, segments: &[u32], most: usize) -> Result<(DataFrame, usize)> {
        let Events { case, snapshot, shared, .. } = self.events;
        let mut pieces = Vec::new();
        for &segment in segments {
            let part = case.part(snapshot, segment as usize, &self.view, &shared.cancel)?;
            pieces.extend(part.map(|part| Piece { segment, part }));
        }
        let pieces = if pieces.len() == 1 { vec![pieces] } else { clusters(pieces)? };
        let mut reader = Reader::new(snapshot, &self.wanted, case);
        let mut whole = self.events.empty(self.names);
        let mut taken = 0;
        for cluster in pieces {
            let goes_on = reader.each(&cluster, &self.run, &mut |table| {
                let bytes = table.bytes() + table.rows() * self.names.len() * size_of::<u128>();
                shared.budget.take("events", bytes)?;
                taken += bytes;
                stack(&mut whole, &self.frame(&table)?)?;
                Ok(whole.height() < most)
            })?;
            if !goes_on {
                break;
            }
        }
        Ok((whole, taken))
    }

    fn frame(&self, table: &Table) -> Result<DataFrame> {
        let column = |name: &PlSmallStr| -> Result<Series> {
            let column = table.column_or_missing(self.events.stored(name));
            let dtype = self.events.schema.get(name).unwrap_or(&DataType::Null);
            series_of(name, &column, dtype)
        };
        let columns = self.names.iter().map(column).collect::<Result<_>>()?;
        DataFrame::new(table.rows(), columns).map_err(|error| super::internal(&error))
    }
}

impl Events {
    /// The column of events that a column of the table is made of.
    fn stored<'n>(&self, name: &'n str) -> &'n str {
        if name == "message" && !self.columns.kinds.contains_key(name) { "raw" } else { name }
    }
}
