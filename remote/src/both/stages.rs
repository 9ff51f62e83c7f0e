//! Queries with stages over all events.
//!
//! The first aggregation is merged from partial ones of each place ([`super::groups`]); the stages after it run here. Stages that
//! need whole rows run here too, over the events of all in the order of time, with a limit that the answer names.

use indexer::query::{Expr, ExprKind, Filter, NamePattern, Query, SortKey, Span, Stage, StageKind};
use indexer::{Column, Error, ErrorKind, Result, RunOptions, Table, TableStages};

use super::groups::{Grouped, answered, at_no_place, has_fields_of, is_too_many, table_of};
use super::{Both, Reservations};
use crate::questions::{Answer, Here, at_stage, counting, filter_and_stages, first_word};

impl Both<'_> {
    /// The result of a query with stages.
    pub fn run(
        &self,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        here: &Here,
    ) -> Result<Answer<Table>> {
        let (filter, stages) = filter_and_stages(query);
        let row_wise = stages.iter().take_while(|stage| is_row_wise(&stage.kind)).count();
        let (before, rest) = stages.split_at(row_wise);
        let Some((first, after)) = rest.split_first() else {
            return self.run_here(&filter, stages, range, "the query", here);
        };
        let of = format!("`{}`", first_word(first));
        let contexts = self.contexts();
        if !contexts.iter().all(|context| has_fields_of(context, before)) {
            return self.run_here(&filter, stages, range, &of, here);
        }
        let grouped = Grouped { filter: &filter, range, zone: self.zone, before, here };
        let mut reservations = Reservations::default();
        let table = match self.first_aggregation(&grouped, first, &mut reservations) {
            Ok(Some(table)) => table,
            Ok(None) => return self.run_here(&filter, stages, range, &of, here),
            // What a cluster cannot list as groups is calculated from the events.
            Err(error) if is_too_many(&error) => {
                return self.run_here(&filter, stages, range, &of, here);
            }
            Err(error) => return Err(at_stage(error, first)),
        };
        if after.is_empty() {
            return Ok(answered(table, reservations));
        }
        let columns: Vec<String> = table.names().iter().map(ToString::to_string).collect();
        let options = self.options(here)?;
        let times = range.0.zip(range.1.map(|to| to - 1));
        let mut line = TableStages::new(after, &columns, times, &options, self.cancel)?;
        table.notes.iter().for_each(|note| reservations.note(note.clone()));
        line.push(table)?;
        Ok(answered(line.finish()?, reservations))
    }

    /// How stages run here.
    pub(super) fn options(&self, here: &Here) -> Result<RunOptions> {
        Ok(RunOptions { files: here.files.clone(), ..RunOptions::in_zone(self.zone)? })
    }

    /// The table of an aggregation; nothing where it needs whole rows.
    fn first_aggregation(
        &self,
        grouped: &Grouped<'_>,
        stage: &Stage,
        reservations: &mut Reservations,
    ) -> Result<Option<Table>> {
        match &stage.kind {
            StageKind::Stats { aggregates, by } => {
                let rows = [counting()];
                let aggregates = if aggregates.is_empty() { &rows } else { aggregates.as_slice() };
                let groups = self.groups(grouped, by, aggregates, reservations)?;
                Ok(groups.map(|groups| table_of(by, aggregates, &groups)))
            }
            StageKind::Timechart { span, aggregates, by, limit } => {
                self.timechart(grouped, (*span, aggregates, by.as_ref(), *limit), reservations)
            }
            StageKind::Top(frequent) => self.ranked(grouped, frequent, false, reservations),
            StageKind::Rare(frequent) => self.ranked(grouped, frequent, true, reservations),
            StageKind::Facets { fields, values } if !fields.is_empty() => {
                self.facet_table(grouped, fields, *values, reservations)
            }
            _ => Ok(None),
        }
    }

    /// Runs the stages over the events of all in the order of time. `of` says which stage is the first that needs them.
    fn run_here(
        &self,
        filter: &Filter,
        stages: &[Stage],
        range: (Option<i64>, Option<i64>),
        of: &str,
        here: &Here,
    ) -> Result<Answer<Table>> {
        let asked = self.asked(filter, range)?;
        let contexts = self.contexts();
        let mut columns: Vec<String> = Vec::new();
        for name in contexts.iter().flat_map(indexer::query::QueryContext::names) {
            if name != "template" && !columns.iter().any(|known| known == name) {
                columns.push(name.to_owned());
            }
        }
        let sort = SortKey {
            value: Expr::new(ExprKind::Field("time".to_owned()), Span::default()),
            descending: false,
        };
        let by_time = at_no_place(StageKind::Sort(vec![sort]));
        let in_order: Vec<Stage> = std::iter::once(by_time.clone()).chain(stages.iter().cloned()).collect();
        let options = self.options(here)?;
        let mut line = TableStages::new(&in_order, &columns, self.times_within(range), &options, self.cancel)
            .map_err(|error| together_only(&error, stages))?;
        let read = line.read().to_vec();
        // What each place has of it, in the order of time and no more than are fetched.
        let rows_of = |place: usize| {
            let own = read.iter().filter(|name| contexts[place].names().any(|known| known == *name));
            let pattern = |name: &String| NamePattern { pattern: name.clone(), span: Span::default() };
            let keep = StageKind::Keep(own.map(pattern).collect());
            vec![by_time.clone(), at_no_place(StageKind::Limit(here.events as u64)), at_no_place(keep)]
        };
        let mut reservations = Reservations::default();
        let of_case = Query { filter: asked.view.filter.clone(), stages: rows_of(0) };
        let matching = self.case.count(self.snapshot, &asked.view, self.cancel)?;
        let mut done = 0;
        let mut take = |table: Table, line: &mut TableStages| {
            let mut whole = Table::of_rows(table.rows());
            for name in &read {
                let column = table.column(name).cloned().unwrap_or_else(|| Column::missing(table.rows()));
                whole.set(name, column);
            }
            done += table.rows();
            line.push(whole)
        };
        let table = self.case.run(self.snapshot, &of_case, range, &options, &mut |_| {}, self.cancel)?;
        if matching > table.rows() {
            reservations.missing.0.push(format!(
                "{matching} events of the case match, and the stages ran over the first {} of them by time",
                table.rows()
            ));
        }
        take(table, &mut line)?;
        let each: Vec<_> = self.lanes.iter().zip(&asked.lanes).collect();
        let of_lanes: Vec<_> = each.into_iter().zip(&contexts[1..]).collect();
        let fetched = super::at_once(of_lanes, |((lane, asked), context)| {
            // A column of a field that it does not have would have a type.
            let own = read.iter().filter(|name| context.names().any(|known| known == *name));
            lane.cluster.rows(asked, &own.cloned().collect::<Vec<_>>(), here)
        });
        for (table, lane) in fetched.into_iter().zip(&self.lanes) {
            if let Some(table) = reservations.attempt(&lane.cluster.name, table)? {
                take(table, &mut line)?;
            }
        }
        reservations.note(format!("{of} ran here, over {done} events"));
        Ok(answered(line.finish()?, reservations))
    }
}

/// Stages that change rows one by one.
fn is_row_wise(stage: &StageKind) -> bool {
    matches!(
        stage,
        StageKind::Where(_)
            | StageKind::Search(_)
            | StageKind::Eval(_)
            | StageKind::Rename(_)
            | StageKind::Grok(_)
            | StageKind::Dissect(_)
            | StageKind::Rex { .. }
    )
}

/// Stages that only a case answers.
fn together_only(error: &Error, stages: &[Stage]) -> Error {
    let needs_case = stages.iter().any(|stage| {
        matches!(
            stage.kind,
            StageKind::Patterns { .. }
                | StageKind::Compare { .. }
                | StageKind::Variable(_)
                | StageKind::Context(_)
                | StageKind::Shift { .. }
        )
    });
    if !needs_case || error.kind() != ErrorKind::QueryInvalid {
        return error.clone();
    }
    let message = "this stage needs the events of a case alone";
    let found =
        Error::new(ErrorKind::QueryInvalid, message).hint("look at the case, or at the cluster, by itself");
    match error.span() {
        Some((start, end)) => found.spanning(start, end),
        None => found,
    }
}
