//! What an aggregation is of: the events that a condition selects, or something else.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, DataFrame, DslPlan, Expr, FileScanDsl, LazyFrame, PolarsResult,
    SchemaRef, col,
};

use super::super::scan::{Events, static_part};
use super::{Decided, inputs, unwrap};
use crate::pipe::Table;
use base::error::{Error, ErrorKind, Result};
use query::{Filter, Query, Stage};

const OTHER: &str = "it is not of the events alone, with their fields as they are";

/// The events of a case that pass a filter.
pub(super) struct Source {
    scan: Arc<dyn AnonymousScan>,
    filter: Filter,
}

impl Source {
    /// The events that a plan selects; `names` are the columns that are wanted.
    pub fn new(plan: &DslPlan, names: &[&str]) -> Decided<Source> {
        let Some(scan) = scan_of(plan).filter(|scan| scan.as_any().is::<Events>()) else {
            return Ok(Err(OTHER));
        };
        let source = Source { scan: Arc::clone(scan), filter: Filter::Everything };
        let events = source.events()?;
        if events.snapshot.events() == 0 {
            return Ok(Err("the case has no events"));
        }
        let Some(seen) = selected(plan, names, events) else { return Ok(Err(OTHER)) };
        let Some(predicate) = seen.predicate else { return Ok(Ok(source)) };
        let pushed = events.columns.push(&predicate).filter(|pushed| pushed.exact && events.shared.push_down);
        Ok(match pushed {
            Some(pushed) => Ok(Source { filter: pushed.filter, ..source }),
            None => Err("its condition needs the values of each event"),
        })
    }

    pub fn events(&self) -> Result<&Events> {
        let found = self.scan.as_any().downcast_ref();
        found.ok_or_else(|| Error::new(ErrorKind::Internal, "the events of a plan are gone"))
    }

    /// The result of stages after its filter.
    pub fn run(&self, stages: Vec<Stage>) -> Result<Table> {
        let events = self.events()?;
        let parts =
            [&events.view.filter, &self.filter].into_iter().filter(|part| **part != Filter::Everything);
        let mut parts: Vec<Filter> = parts.cloned().collect();
        let filter = match parts.len() {
            0 => Filter::Everything,
            1 => parts.swap_remove(0),
            _ => Filter::And(parts),
        };
        let (query, range) = (Query { filter, stages }, (events.view.from, events.view.to));
        let shared = &events.shared;
        events.case.run(&events.snapshot, &query, range, &shared.options, &mut |_| {}, &shared.cancel)
    }
}

/// The scan at the end of a plan that goes one way.
fn scan_of(plan: &DslPlan) -> Option<&Arc<dyn AnonymousScan>> {
    match plan {
        DslPlan::Scan { scan_type, .. } => {
            let FileScanDsl::Anonymous { function, .. } = &**scan_type else { return None };
            Some(function)
        }
        DslPlan::IR { dsl, .. } => scan_of(dsl),
        DslPlan::Filter { input, .. }
        | DslPlan::Select { input, .. }
        | DslPlan::HStack { input, .. }
        | DslPlan::MapFunction { input, .. } => scan_of(input),
        _ => None,
    }
}

/// What polars would ask the scan of events for, of a plan that only selects from them; nothing where it does
/// something else as well.
fn selected(plan: &DslPlan, names: &[&str], events: &Events) -> Option<SourceSeen> {
    let seen = Arc::new(Mutex::new(None));
    let probe = Arc::new(SourceProbe { schema: Arc::clone(&events.schema), seen: Arc::clone(&seen) });
    let mut plan = plan.clone();
    replace_scan(&mut plan, &(probe as Arc<dyn AnonymousScan>));
    let mut frame = LazyFrame::from(plan);
    if !names.is_empty() {
        frame = frame.select(names.iter().map(|name| col(*name)).collect::<Vec<_>>());
    }
    let optimized = frame.clone().to_alp_optimized().ok()?;
    let mut pending = vec![optimized.lp_top];
    while let Some(node) = pending.pop() {
        let node = optimized.lp_arena.get(node);
        let inputs: Vec<_> = node.inputs().collect();
        // What only leaves out columns changes no row; the scan is the one node without an input.
        if !inputs.is_empty() && node.name() != "simple_projection" {
            return None;
        }
        pending.extend(inputs);
    }
    frame.collect().ok()?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    seen.filter(|seen| seen.rows.is_none())
}

fn replace_scan(plan: &mut DslPlan, by: &Arc<dyn AnonymousScan>) {
    unwrap(plan);
    if let DslPlan::Scan { scan_type, cached_ir, .. } = plan
        && let FileScanDsl::Anonymous { function, .. } = &mut **scan_type
    {
        *function = Arc::clone(by);
        *cached_ir = Arc::default();
    }
    for input in inputs(plan) {
        replace_scan(input, by);
    }
}

/// What a scan is asked for.
struct SourceSeen {
    predicate: Option<Expr>,
    rows: Option<usize>,
}

/// A scan that has no rows, and keeps what it is asked for.
struct SourceProbe {
    schema: SchemaRef,
    seen: Arc<Mutex<Option<SourceSeen>>>,
}

impl AnonymousScan for SourceProbe {
    fn as_any(&self) -> &dyn Any {
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
        let predicate = asked.predicate.as_ref().and_then(static_part);
        let seen = SourceSeen { predicate, rows: asked.n_rows };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        let whole = DataFrame::empty_with_schema(&self.schema);
        match asked.with_columns {
            Some(names) => whole.select(names.iter().cloned()),
            None => Ok(whole),
        }
    }
}
