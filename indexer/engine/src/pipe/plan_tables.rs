//! Stages over whole tables: joins, windows, columns that become rows and rows that become columns.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use super::cell::Cell;
use super::expr::{Expression, invalid};
use super::names::Names;
use super::plan::{Planned, Planner, plan, rows, step};
use super::stages::bucket::Bucket;
use super::stages::fill::{FillDown, FillNull, Filled};
use super::stages::join::{Join, JoinKey, With, unique_name};
use super::stages::lookup::table_of_file;
use super::stages::pivot::Pivot;
use super::stages::stats::StatsPlan;
use super::stages::timechart::empty;
use super::stages::unpivot::Unpivot;
use super::stages::window::{PlannedWindow, Window};
use super::table::Table;
use base::error::Result;
use base::limits::{MOST_PIVOT_COLUMNS, PIVOT_COLUMNS};
use query::{
    Aggregate, Expr, ExprKind, FieldRef, Group, JoinKind, Joined, JoinedWith, NamePattern, Query, Span,
    Stage, StageKind, WindowFunction, Windowed,
};

impl Planner<'_> {
    pub(super) fn table_stage(&mut self, stage: &Stage) -> Result<Vec<Planned>> {
        let one = match &stage.kind {
            StageKind::Join(joined) => self.join(joined)?,
            StageKind::Window { columns, by } => self.window(columns, by)?,
            StageKind::Pivot { aggregate, on, by, limit } => return self.pivot(aggregate, on, by, *limit),
            StageKind::Unpivot(unpivot) => self.unpivot(unpivot)?,
            StageKind::FillNull { fields, value } => {
                let names = self.filled(fields)?;
                rows(FillNull { names, value: constant(value) })
            }
            StageKind::FillDown(fields) => {
                let names = self.filled(fields)?;
                step(FillDown::new(names))
            }
            StageKind::Bucket { value, count, name } => {
                let column = self.names.resolve(&value.name, value.span)?;
                let name =
                    name.as_ref().map_or_else(|| format!("{}_bucket", value.name), |name| name.name.clone());
                self.names.set(&name);
                step(Bucket::new(column, value.span, *count as usize, name))
            }
            _ => return Ok(Vec::new()),
        };
        Ok(vec![one])
    }

    /// The columns that are filled, which are read and set by it.
    fn filled(&mut self, fields: &[NamePattern]) -> Result<Filled> {
        let names =
            if fields.is_empty() { self.names.iter().cloned().collect() } else { self.matching(fields)? };
        for name in &names {
            self.names.fill(name);
        }
        // Columns that nobody can name before are filled where they come.
        Ok(if fields.is_empty() && self.names.is_open() { None } else { Some(names) })
    }

    fn join(&mut self, joined: &Joined) -> Result<Planned> {
        let here = joined.on.iter().map(|pair| self.names.resolve(&pair.from.name, pair.from.span));
        let here: Vec<Arc<str>> = here.collect::<Result<_>>()?;
        let (with, there) = match &joined.with {
            JoinedWith::File(file) => {
                let name = PathBuf::from(&file.name);
                let table = table_of_file(&self.clock.files, &name);
                let table = table.map_err(|error| error.spanning(file.span.start, file.span.end))?;
                (With::File(name), names_of(&table))
            }
            JoinedWith::Query(query) => {
                let there = self.planned_within(query)?;
                (With::Query(Box::new(only_keys(query, joined))), there)
            }
        };
        let keys = joined.on.iter().map(|pair| there.resolve(&pair.to.name, pair.to.span));
        let keys: Vec<Arc<str>> = keys.collect::<Result<_>>()?;
        let taken: Vec<Arc<str>> = self.names.iter().cloned().collect();
        if joined.kind.adds_columns() {
            let mut known = taken.clone();
            for name in there.iter().filter(|name| !keys.contains(name)) {
                let name = unique_name(name, &known);
                self.names.set(&name);
                known.push(Arc::from(name));
            }
            if there.is_open() {
                self.names.open();
            }
        }
        let spans = joined.on.iter().map(|pair| pair.from.span);
        let on =
            here.into_iter().zip(keys).zip(spans).map(|((here, there), span)| JoinKey { here, there, span });
        let on = on.collect();
        let right = Mutex::new(None);
        Ok(rows(Join { kind: joined.kind, on, with, taken, right, made: AtomicU64::new(0) }))
    }

    /// The columns that a query of its own gives, over the same events.
    fn planned_within(&self, query: &Query) -> Result<Names> {
        let mut inner = Planner { names: self.names.at_first(), clock: self.clock };
        // Filters directly after the filter are part of it.
        let filters =
            query.stages.iter().take_while(|stage| matches!(stage.kind, StageKind::Search(_))).count();
        plan(&query.stages[filters..], &mut inner)?;
        Ok(inner.names)
    }

    fn window(&mut self, columns: &[Windowed], by: &[FieldRef]) -> Result<Planned> {
        let by = self.fields(by)?;
        let mut planned = Vec::with_capacity(columns.len());
        for column in columns {
            let argument = column.argument.as_ref().map(|argument| self.expression(argument)).transpose()?;
            planned.push(PlannedWindow {
                name: column.column(),
                function: column.function,
                argument,
                span: column.span,
            });
        }
        let rolls = |column: &&Windowed| matches!(column.function, WindowFunction::Rolling(..));
        let time = columns.iter().find(rolls).map(|column| self.names.resolve("time", column.span));
        let time = time.transpose()?;
        for column in columns {
            self.names.set(&column.column());
        }
        Ok(step(Window::new(planned, by, time)))
    }

    fn pivot(
        &mut self,
        aggregate: &Aggregate,
        on: &FieldRef,
        by: &[Group],
        limit: Option<u64>,
    ) -> Result<Vec<Planned>> {
        let most = limit.unwrap_or(PIVOT_COLUMNS);
        if most > MOST_PIVOT_COLUMNS {
            let message = format!("`pivot` makes at most {MOST_PIVOT_COLUMNS} columns");
            return Err(invalid(message, on.span).hint("group by the field instead: stats … by it"));
        }
        let field = self.names.resolve(&on.name, on.span)?;
        let mut keys = Vec::with_capacity(by.len() + 1);
        for group in by {
            keys.push((group.column(), self.expression(&group.value)?));
        }
        let names: Vec<String> = keys.iter().map(|(name, _)| name.clone()).collect();
        keys.push((format!("on {}", on.name), Expression::field(&field)));
        let calculated = self.aggregate(aggregate)?;
        let pivot = Pivot::new(by.len(), on.clone(), most as usize, empty(calculated.function));
        let plan =
            StatsPlan { by: keys, aggregates: vec![calculated], largest: None, ranked: None, stage: "pivot" };
        self.names.replace(names);
        self.names.open();
        Ok(vec![Planned::Stats(Arc::new(plan)), step(pivot)])
    }

    fn unpivot(&mut self, unpivot: &query::Unpivot) -> Result<Planned> {
        let by = self.fields(&unpivot.by)?;
        if !self.names.is_open() {
            self.matching(&unpivot.columns)?;
        }
        let columns = unpivot.columns.iter().map(|pattern| pattern.pattern.clone()).collect();
        let name = unpivot.name.name.clone();
        let planned = Unpivot { columns, by, name, value: unpivot.value.name.clone() };
        let names: Vec<Arc<str>> = self.names.iter().cloned().collect();
        let (turned, stays) = planned.split(&names);
        for name in &turned {
            self.names.resolve(name, Span::default())?;
        }
        self.names.keep(&stays);
        self.names.set(&planned.name);
        self.names.set(&planned.value);
        Ok(rows(planned))
    }
}

fn names_of(table: &Table) -> Names {
    let names: Vec<String> = table.names().iter().map(ToString::to_string).collect();
    let mut found = Names::default();
    found.replace(names);
    found
}

/// Of a query that only says which rows are kept, the keys are all that is read.
fn only_keys(query: &Query, joined: &Joined) -> Query {
    let mut query = query.clone();
    let keys = joined.on.iter().map(|pair| &pair.to);
    if matches!(joined.kind, JoinKind::Semi | JoinKind::Anti)
        && keys.clone().all(|key| !key.name.contains('*'))
    {
        let pattern = |key: &FieldRef| NamePattern { pattern: key.name.clone(), span: key.span };
        query
            .stages
            .push(Stage { kind: StageKind::Keep(keys.map(pattern).collect()), span: Span::default() });
    }
    query
}

fn constant(value: &Expr) -> Cell {
    match &value.kind {
        ExprKind::Int(value) => Cell::Int(*value),
        ExprKind::Float(value) => Cell::float(*value),
        ExprKind::Bool(value) => Cell::Bool(*value),
        ExprKind::Text(value) => Cell::text(value),
        _ => Cell::Missing,
    }
}
