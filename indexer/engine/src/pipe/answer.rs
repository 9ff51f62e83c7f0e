//! Running a query over a case: events are read segment by segment, on all threads where their order does not
//! matter, and sent through the stages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::best::Best;
use super::line::{HANDED_ON, Line};
use super::lower::transactions::CodedTransactions;
use super::lower::{self, Lowered};
use super::names::Names;
use super::plan::{Planned, Planner, plan};
use super::run::{Run, RunClock, RunOptions, Scope};
use super::source::{ColumnRequest, Piece, Reader, clusters, in_time_order};
use super::stages::facets::FacetsStage;
use super::stages::sort::SortExpression;
use super::stages::stats::{Groups, StatsPlan};
use super::stages::transaction::TransactionStage;
use super::step::{RowStep, Step};
use super::table::Table;
use crate::Engine;
use crate::calculated::Calculated;
use crate::exec::{KeptFilter, SegmentRows, in_order};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::limits::PARTIAL_ROWS;
use query::{Filter, Query, Stage, StageKind};
use store::Snapshot;

/// How often partial results are reported.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// What is known while a query runs.
#[derive(Debug)]
pub struct Partial<'a> {
    /// The result of the events looked at so far, where that is known: without the rows that come later,
    /// and with groups that still grow.
    pub table: Option<&'a Table>,
    /// The share of the events looked at.
    pub fraction: f64,
}

impl Engine {
    /// Answers a query with its pipes: the whole result as one table, within the memory that is allowed.
    /// `partial` is called on this thread.
    pub fn run(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        options: &RunOptions,
        partial: &mut dyn FnMut(Partial<'_>),
        cancel: &Cancel,
    ) -> Result<Table> {
        Self::without_damaged(snapshot, |snapshot| {
            self.run_of(snapshot, query, range, options, partial, cancel)
        })
    }

    fn run_of(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        options: &RunOptions,
        partial: &mut dyn FnMut(Partial<'_>),
        cancel: &Cancel,
    ) -> Result<Table> {
        let asked = PlannedQuery::new(self, snapshot, query, range, options)?;
        let run = asked.run(self, snapshot, options, cancel);
        let mut tables = Vec::new();
        let mut out = |table: Table| {
            run.budget.take("the result", table.own_bytes())?;
            tables.push(table);
            Ok(())
        };
        asked.stream(&run, &mut out, partial)?;
        if tables.is_empty() {
            tables.push(asked.empty());
        }
        let mut table = Table::concat_unless(tables, &|| run.check())?;
        table.notes = run.take_notes();
        Ok(table)
    }

    /// How the first aggregation of a query would be calculated; nothing where it has none after its filter. A
    /// segment whose values are too many, or overlap in time with another one, is still read by rows.
    pub fn explain_run(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        options: &RunOptions,
    ) -> Result<Option<Calculated>> {
        let asked = PlannedQuery::new(self, snapshot, query, range, options)?;
        let run = asked.run(self, snapshot, options, &Cancel::default());
        let mut is_first = true;
        for planned in plan(&asked.stages, &mut asked.planner(&run))? {
            match planned {
                Planned::Stats(stats) => {
                    return Ok(Some(Calculated::from_reason(Lowered::new(&stats, is_first).err())));
                }
                Planned::Facets(facets) if is_first => {
                    let fields =
                        if facets.fields().is_empty() { &asked.wanted.columns } else { facets.fields() };
                    let reason = (!lower::facets::can_count(fields, snapshot))
                        .then_some("a field has decimals, and the first of equal ones is shown");
                    return Ok(Some(Calculated::from_reason(reason)));
                }
                Planned::Transaction(transaction) if is_first => {
                    let reason = lower::transactions::can_code(&transaction, snapshot).err();
                    return Ok(Some(Calculated::from_reason(reason)));
                }
                _ => is_first = false,
            }
        }
        Ok(None)
    }

    /// As [`Engine::run`], handing out the rows as they come and keeping none of them.
    pub fn run_into(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        options: &RunOptions,
        out: &mut dyn FnMut(&Table, f64) -> Result<()>,
        cancel: &Cancel,
    ) -> Result<()> {
        let asked = PlannedQuery::new(self, snapshot, query, range, options)?;
        let run = asked.run(self, snapshot, options, cancel);
        let fraction = std::cell::Cell::new(0.0);
        let mut any = false;
        asked.stream(
            &run,
            &mut |table| {
                any = true;
                out(&table, fraction.get())
            },
            &mut |partial| fraction.set(partial.fraction),
        )?;
        if any { Ok(()) } else { out(&asked.empty(), 1.0) }
    }
}

/// A query, made ready for a snapshot.
pub(super) struct PlannedQuery {
    pub view: View,
    /// The filter as it was made ready, where the query is kept.
    pub filter: Option<KeptFilter>,
    pub stages: Vec<Stage>,
    /// The fields of events, and whether there may be others.
    events: (Vec<String>, bool),
    pub wanted: ColumnRequest,
    /// The columns of the result.
    names: Vec<Arc<str>>,
    pub clock: RunClock,
}

impl PlannedQuery {
    pub fn new(
        case: &Engine,
        snapshot: &Snapshot,
        query: &Query,
        (from, to): (Option<i64>, Option<i64>),
        options: &RunOptions,
    ) -> Result<PlannedQuery> {
        let mut filter = vec![query.filter.clone()];
        let mut stages = query.stages.as_slice();
        // A filter directly after the filter finds its events the same way.
        while let Some((Stage { kind: StageKind::Search(more), .. }, rest)) = stages.split_first() {
            filter.push(more.clone());
            stages = rest;
        }
        filter.retain(|part| *part != Filter::Everything);
        let filter = match filter.len() {
            0 => Filter::Everything,
            1 => filter.swap_remove(0),
            _ => Filter::And(filter),
        };
        let view = case.resolved(snapshot, &View { filter, from, to })?;
        let now = snapshot.time_range().map_or(0, |(_, last)| last);
        let range = crate::view::range(snapshot, &view);
        let clock = RunClock { now, zone: options.zone.clone(), range, files: options.files.clone() };
        let events = (Engine::field_names(snapshot), snapshot.events() == 0);
        let mut planner = Planner { names: Names::of_events(&events.0, events.1), clock: &clock };
        plan(stages, &mut planner)?;
        let (names, read) = planner.names.end(stages);
        let columns = events.0.iter().filter_map(|name| read.get(name.as_str()).cloned()).collect();
        let refs =
            stages.iter().any(|stage| matches!(stage.kind, StageKind::Context(_) | StageKind::Variable(_)));
        let wanted = ColumnRequest { columns, refs };
        let stages = stages.to_vec();
        Ok(PlannedQuery { view, filter: None, stages, events, wanted, names, clock })
    }

    fn run<'a>(
        &'a self,
        case: &'a Engine,
        snapshot: &'a Snapshot,
        options: &RunOptions,
        cancel: &Cancel,
    ) -> Run<'a> {
        Run::new(self.clock.clone(), options, cancel, Some(Scope { case, snapshot, view: &self.view }))
    }

    /// A result without rows.
    pub fn empty(&self) -> Table {
        Table::of_rows(0).keep(&self.names)
    }

    /// The columns that the stages begin with.
    pub fn names_of_events(&self) -> Names {
        Names::of_events(&self.events.0, self.events.1)
    }

    fn planner<'a>(&self, run: &'a Run<'_>) -> Planner<'a> {
        Planner { names: self.names_of_events(), clock: &run.clock }
    }

    fn stream(
        &self,
        run: &Run<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<()> {
        let Some(scope) = run.scope else { return Ok(()) };
        let mut rows: Vec<Box<dyn RowStep>> = Vec::new();
        for (index, planned) in plan(&self.stages, &mut self.planner(run))?.into_iter().enumerate() {
            match planned {
                Planned::Rows(step) => {
                    step.begin(run)?;
                    rows.push(step);
                }
                Planned::Stats(stats) => {
                    let rest = Rest { asked: self, done: index + 1 };
                    if rows.is_empty() && self.ranked(run, scope, &stats, index, out, partial)? {
                        return Ok(());
                    }
                    if rows.is_empty() && !run.by_rows {
                        let mut report = |fraction| partial(Partial { table: None, fraction });
                        if let Some(table) = lower::percentiles(&stats, (scope, run), &mut report)? {
                            return rest.finish(table, run, out);
                        }
                    }
                    return self.grouped(run, scope, &rows, &stats, &rest, out, partial);
                }
                Planned::First(keys, first) => {
                    let rest = Rest { asked: self, done: index + 1 };
                    return self.first(run, scope, (&rows, &keys, first), &rest, out, partial);
                }
                Planned::Facets(facets) => {
                    let fields =
                        if facets.fields().is_empty() { &self.wanted.columns } else { facets.fields() };
                    let fields = fields.to_vec();
                    if !rows.is_empty() || run.by_rows || !lower::facets::can_count(&fields, scope.snapshot) {
                        break;
                    }
                    let rest = Rest { asked: self, done: index + 1 };
                    return self.facets(run, scope, (facets, &fields), &rest, out, partial);
                }
                Planned::Transaction(transaction) => {
                    let is_coded = lower::transactions::can_code(&transaction, scope.snapshot).is_ok();
                    if rows.is_empty() && !run.by_rows && is_coded {
                        let rest = Rest { asked: self, done: index + 1 };
                        if self.transactions(run, scope, transaction, &rest, out, partial)? {
                            return Ok(());
                        }
                    }
                    break;
                }
                Planned::Step(_) => break,
            }
        }
        let mut line = Line::new(plan(&self.stages, &mut self.planner(run))?);
        let groups = in_time_order(scope.snapshot);
        let mut reader = Reader::new(scope.snapshot, &self.wanted, scope.case);
        let mut progress = Progress::new(scope.snapshot.events());
        for group in groups {
            run.check()?;
            if line.is_full() {
                break;
            }
            let pieces = self.pieces(run, scope, &group)?;
            for cluster in clusters(pieces)? {
                let mut goes_on = |table: Table| {
                    progress.rows(table.rows(), partial);
                    line.push(table, run, out)?;
                    Ok(!line.is_full())
                };
                if !reader.each(&cluster, run, &mut goes_on)? {
                    return line.finish(run, out);
                }
            }
            progress.segments(scope.snapshot, &group, partial);
        }
        line.finish(run, out)
    }

    /// Stages up to a `top` or `rare` whose first rows are known without groups; `index` is the step that groups.
    fn ranked(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        stats: &StatsPlan,
        index: usize,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<bool> {
        if run.by_rows {
            return Ok(false);
        }
        // The next step ranks the groups.
        let rest = Rest { asked: self, done: index + 2 };
        let mut report = |table: &Table, fraction| {
            let table = rest.partial_of(table.clone(), run).ok().flatten();
            partial(Partial { table: table.as_ref(), fraction });
        };
        let Some(table) = lower::ranked(stats, (scope, run), &mut report)? else { return Ok(false) };
        rest.finish(table, run, out)?;
        Ok(true)
    }

    /// Stages up to `sort` that a `limit` follows.
    fn first(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        (steps, keys, first): (&[Box<dyn RowStep>], &[SortExpression], usize),
        rest: &Rest<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<()> {
        let mut planner = self.planner(run);
        // Every step so far is a stage of its own.
        plan(&self.stages[..rest.done], &mut planner)?;
        let read = ColumnRequest { columns: self.columns_of(planner.names), refs: true };
        let mut best = Best { asked: self, run, scope, steps, keys, first, read };
        let mut narrowed = None;
        if steps.is_empty() {
            if let Some(events) = lower::sorted(keys, first, (scope, run))? {
                return rest.finish(best.read_of(&events)?, run, out);
            }
            narrowed = lower::narrowed(keys, first, (scope, run))?;
        }
        best.scope.view = narrowed.as_ref().unwrap_or(scope.view);
        let mut progress = Progress::new(scope.snapshot.events());
        let table = best.table(&mut |segment| progress.segments(scope.snapshot, &[segment], partial))?;
        rest.finish(table, run, out)
    }

    /// The stage `facets` directly after the filter.
    fn facets(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        (mut facets, fields): (FacetsStage, &[Arc<str>]),
        rest: &Rest<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<()> {
        let mut reader = Reader::new(scope.snapshot, &self.wanted, scope.case);
        let mut progress = Progress::new(scope.snapshot.events());
        for group in in_time_order(scope.snapshot) {
            for piece in self.pieces(run, scope, &group)? {
                lower::facets::add(&mut facets, fields, &piece, &mut reader, (scope, run))?;
            }
            progress.segments(scope.snapshot, &group, partial);
        }
        let table = facets.finish(run)?.unwrap_or_default();
        rest.finish(table, run, out)
    }

    /// The stage `transaction` directly after the filter; false where rows have to be read.
    fn transactions(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        transaction: TransactionStage,
        rest: &Rest<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<bool> {
        let Some(mut transactions) = CodedTransactions::new(transaction, (scope, run))? else {
            return Ok(false);
        };
        let mut progress = Progress::new(scope.snapshot.events());
        for group in in_time_order(scope.snapshot) {
            for cluster in clusters(self.pieces(run, scope, &group)?)? {
                transactions.add(&cluster)?;
            }
            progress.segments(scope.snapshot, &group, partial);
        }
        rest.finish(transactions.finish()?, run, out)?;
        Ok(true)
    }

    /// The columns of events that are read, in their order.
    fn columns_of(&self, names: Names) -> Vec<Arc<str>> {
        let read = names.into_read();
        self.events.0.iter().filter_map(|name| read.get(name.as_str()).cloned()).collect()
    }

    fn pieces(&self, run: &Run<'_>, scope: Scope<'_>, segments: &[u32]) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        for &segment in segments {
            let part: Option<SegmentRows> = scope.case.part_of(
                scope.snapshot,
                segment as usize,
                scope.view,
                self.filter.as_ref(),
                &run.cancel,
            )?;
            pieces.extend(part.map(|part| Piece { segment, part }));
        }
        Ok(pieces)
    }

    /// Stages up to `stats`, on all threads: each takes a segment, and what it calculated is merged in order.
    #[allow(clippy::too_many_arguments)]
    fn grouped(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        rows: &[Box<dyn RowStep>],
        stats: &Arc<StatsPlan>,
        rest: &Rest<'_>,
        out: &mut dyn FnMut(Table) -> Result<()>,
        partial: &mut dyn FnMut(Partial<'_>),
    ) -> Result<()> {
        let tasks = stats.tasks(scope.snapshot);
        let lowered = Lowered::new(stats, rows.is_empty()).ok().filter(|_| !run.by_rows);
        let mut groups = Groups::new(stats);
        let mut progress = Progress::new(scope.snapshot.events());
        let group = |task: usize| self.group(run, scope, rows, (stats, lowered.as_ref()), &tasks[task]);
        in_order(tasks.len(), &run.cancel, group, |task, found| {
            groups.merge(found, run)?;
            progress.segments(scope.snapshot, &tasks[task], &mut |_| {});
            if progress.is_due() && task + 1 < tasks.len() {
                let table = rest.partial(&mut groups, run)?;
                partial(Partial { table: table.as_ref(), fraction: progress.fraction() });
            }
            Ok(())
        })?;
        run.check()?;
        run.messages.clear();
        run.note(groups.notes());
        rest.finish(groups.into_table(run)?, run, out)
    }

    /// What the stages calculate of some segments.
    pub fn group(
        &self,
        run: &Run<'_>,
        scope: Scope<'_>,
        rows: &[Box<dyn RowStep>],
        (stats, lowered): (&Arc<StatsPlan>, Option<&Lowered>),
        segments: &[u32],
    ) -> Result<Groups> {
        let mut reader = Reader::new(scope.snapshot, &self.wanted, scope.case);
        let mut groups = Groups::new(stats);
        for cluster in clusters_of(self.pieces(run, scope, segments)?)? {
            if let (Some(lowered), [piece]) = (lowered, cluster.as_slice())
                && lowered.add(piece, &mut groups, &mut reader, (scope, run))?
            {
                continue;
            }
            reader.each(&cluster, run, &mut |mut table| {
                let mut held = run.charge(HANDED_ON);
                for step in rows {
                    table = step.apply(table, run)?;
                    held.hold(&table)?;
                }
                groups.add(&table, run)?;
                Ok(true)
            })?;
        }
        Ok(groups)
    }
}

/// One piece needs no order, and its keys are not read.
fn clusters_of(pieces: Vec<Piece>) -> Result<Vec<Vec<Piece>>> {
    if pieces.len() == 1 { Ok(vec![pieces]) } else { clusters(pieces) }
}

/// The stages after the one that groups.
struct Rest<'a> {
    asked: &'a PlannedQuery,
    /// The steps up to there, itself among them.
    done: usize,
}

impl Rest<'_> {
    fn finish(&self, table: Table, run: &Run<'_>, out: &mut dyn FnMut(Table) -> Result<()>) -> Result<()> {
        let planned = plan(&self.asked.stages, &mut self.asked.planner(run))?;
        let mut line = Line::new(planned.into_iter().skip(self.done));
        run.messages.clear();
        if table.rows() > 0 {
            line.push(table, run, out)?;
        }
        line.finish(run, out)
    }

    /// The result of the groups so far, where it costs little.
    fn partial(&self, groups: &mut Groups, run: &Run<'_>) -> Result<Option<Table>> {
        if groups.len() > PARTIAL_ROWS || !self.has_partial() {
            return Ok(None);
        }
        self.partial_of(groups.table(run)?, run)
    }

    /// True if results are shown while the run goes on: a later stage may be another run, or need all groups.
    fn has_partial(&self) -> bool {
        let is_plain = |stage: &Stage| {
            !matches!(
                stage.kind,
                StageKind::Shift { .. }
                    | StageKind::Timechart { .. }
                    | StageKind::Join(_)
                    | StageKind::Pivot { .. }
            )
        };
        self.asked.stages.iter().all(is_plain)
    }

    /// The result of a table so far.
    fn partial_of(&self, table: Table, run: &Run<'_>) -> Result<Option<Table>> {
        if !self.has_partial() {
            return Ok(None);
        }
        let mut tables = Vec::new();
        self.finish(table, run, &mut |table| {
            tables.push(table);
            Ok(())
        })?;
        // What stages note of a part is no news.
        run.take_notes();
        Ok(Some(Table::concat(tables)))
    }
}

/// How far a run is, and when that was reported last.
struct Progress {
    total: u64,
    seen: u64,
    /// Rows of the segments that are being read.
    within: u64,
    reported: Instant,
}

impl Progress {
    fn new(total: u64) -> Progress {
        Progress { total: total.max(1), seen: 0, within: 0, reported: Instant::now() }
    }

    fn fraction(&self) -> f64 {
        ((self.seen + self.within) as f64 / self.total as f64).min(1.0)
    }

    fn is_due(&mut self) -> bool {
        let due = self.reported.elapsed() >= REPORT_EVERY;
        if due {
            self.reported = Instant::now();
        }
        due
    }

    fn rows(&mut self, rows: usize, partial: &mut dyn FnMut(Partial<'_>)) {
        self.within += rows as u64;
        if self.is_due() {
            partial(Partial { table: None, fraction: self.fraction() });
        }
    }

    fn segments(&mut self, snapshot: &Snapshot, done: &[u32], partial: &mut dyn FnMut(Partial<'_>)) {
        self.within = 0;
        self.seen += done.iter().map(|&index| snapshot.segments[index as usize].meta.events).sum::<u64>();
        if self.is_due() {
            partial(Partial { table: None, fraction: self.fraction() });
        }
    }
}
