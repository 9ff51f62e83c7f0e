//! Groups over all events: each of them groups its own, and groups with the same key are added.

use std::collections::BTreeMap;

use indexer::query::functions::{Aggregation, Function};
use indexer::query::{
    Aggregate, Expr, ExprKind, Filter, Group, Query, QueryContext, Span, Stage, StageKind, ecs,
    unknown_columns,
};
use indexer::{Cell, Column, Error, ErrorKind, FieldKind, Level, Result, RunOptions, Scalar, Table};

use super::aggregates::{Merging, Partials, counting, with_function};
use super::{Both, EachAsked, Reservations};
use crate::cluster::Cluster;
use crate::questions::{Answer, Here};

/// What is grouped.
pub(super) struct Grouped<'q> {
    pub filter: &'q Filter,
    pub range: (Option<i64>, Option<i64>),
    /// The zone of bins. Times of the filter are in that of [`Both`].
    pub zone: &'q str,
    /// Stages that change rows one by one, and run before.
    pub before: &'q [Stage],
    pub here: &'q Here,
}

/// The groups of all, by their keys, each with what is known of every aggregate.
pub(super) type MergedGroups = BTreeMap<Vec<Cell>, Vec<Partials>>;

impl Both<'_> {
    /// Groups all matching events; nothing where an aggregate cannot be merged from those of each place.
    pub(super) fn groups(
        &self,
        grouped: &Grouped<'_>,
        keys: &[Group],
        aggregates: &[Aggregate],
        reservations: &mut Reservations,
    ) -> Result<Option<MergedGroups>> {
        let contexts = self.contexts();
        let Some(kinds) = aggregates.iter().map(Merging::from_aggregate).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let is_mergeable = |(aggregate, kind): (&Aggregate, &Merging)| {
            has_numbers(aggregate, *kind, &contexts) && is_known_or_missing(aggregate, &contexts)
        };
        if !aggregates.iter().zip(&kinds).all(is_mergeable)
            || !keys.iter().all(|key| is_missing_with_field(&key.value, &contexts))
        {
            return Ok(None);
        }
        let asked = self.asked(grouped.filter, grouped.range)?;
        let mut merged = MergedGroups::new();
        if keys.is_empty() {
            merged.insert(Vec::new(), kinds.iter().map(|kind| kind.empty()).collect());
        }
        let mut request = Vec::new();
        for (place, (aggregate, kind)) in aggregates.iter().zip(&kinds).enumerate() {
            let partial = |(at, function): (usize, &Aggregation)| {
                with_function(aggregate, *function, format!("p{place}_{at}"))
            };
            request.extend(kind.asked().iter().enumerate().map(partial));
        }
        // Every group is there, whatever is calculated of it.
        request.push(counting(None, "rows"));
        for table in self.tables(&asked, grouped, keys, &request, &contexts, reservations)? {
            let columns: Vec<Vec<Column>> = kinds
                .iter()
                .enumerate()
                .map(|(place, kind)| {
                    (0..kind.asked().len())
                        .map(|at| table.column_or_missing(&format!("p{place}_{at}")))
                        .collect()
                })
                .collect();
            let rows = table.column_or_missing("rows");
            for row in 0..table.rows() {
                if rows.cell(row).number().is_none_or(|count| count == 0.0) {
                    continue;
                }
                let group = merged
                    .entry(key(&table, keys.len(), row))
                    .or_insert_with(|| kinds.iter().map(|kind| kind.empty()).collect());
                for ((kind, own), columns) in kinds.iter().zip(group).zip(&columns) {
                    if !columns.is_empty() {
                        kind.add(
                            own,
                            &Partials::Cells(columns.iter().map(|column| column.cell(row)).collect()),
                        );
                    }
                }
            }
        }
        for (place, (aggregate, kind)) in aggregates.iter().zip(&kinds).enumerate() {
            if kind.asked().is_empty() {
                let values = (place, *kind, aggregate);
                self.values(&asked, grouped, keys, values, (&contexts, &mut *reservations), &mut merged)?;
            }
        }
        Ok(Some(merged))
    }

    /// Adds how often each value of an aggregate's argument occurs.
    fn values(
        &self,
        asked: &EachAsked,
        grouped: &Grouped<'_>,
        keys: &[Group],
        (place, kind, aggregate): (usize, Merging, &Aggregate),
        (contexts, reservations): (&[QueryContext], &mut Reservations),
        merged: &mut MergedGroups,
    ) -> Result<()> {
        let Some(argument) = aggregate.argument.clone() else { return Ok(()) };
        let is_level = argument.as_field().is_some_and(names_level);
        let with_value: Vec<Group> = keys
            .iter()
            .cloned()
            .chain([Group { value: argument, name: None, span: Span::default() }])
            .collect();
        let counts = [counting(aggregate.condition.clone(), "rows")];
        for table in self.tables(asked, grouped, &with_value, &counts, contexts, reservations)? {
            let rows = table.column_or_missing("rows");
            for row in 0..table.rows() {
                let count = rows.cell(row).number().unwrap_or(0.0) as u64;
                let mut key = key(&table, with_value.len(), row);
                let Some(value) = key.pop().filter(|value| count > 0 && !value.is_missing()) else {
                    continue;
                };
                let value = if is_level { level_cell(value) } else { value };
                if let Some(group) = merged.get_mut(&key) {
                    kind.add(&mut group[place], &Partials::Values(BTreeMap::from([(value, count)])));
                }
            }
        }
        Ok(())
    }

    /// The groups of each place, with keys `k0`, `k1` and the columns of the aggregates. What has a place without the
    /// field is missing there.
    fn tables(
        &self,
        asked: &EachAsked,
        grouped: &Grouped<'_>,
        keys: &[Group],
        aggregates: &[Aggregate],
        contexts: &[QueryContext],
        reservations: &mut Reservations,
    ) -> Result<Vec<Table>> {
        let stage = |place: usize| {
            let is_known = |stage: StageKind| {
                is_known(place, &[grouped.before, &[at_no_place(stage)]].concat(), contexts)
            };
            let named = keys
                .iter()
                .enumerate()
                .map(|(at, key)| Group { name: Some(format!("k{at}")), ..key.clone() });
            let by = named
                .filter(|key| is_known(StageKind::Stats { aggregates: Vec::new(), by: vec![key.clone()] }));
            let own = aggregates.iter().filter(|one| {
                is_known(StageKind::Stats { aggregates: vec![(*one).clone()], by: Vec::new() })
            });
            let stats = StageKind::Stats { by: by.collect(), aggregates: own.cloned().collect() };
            [grouped.before, &[at_no_place(stats)]].concat()
        };
        let of_case = Query { filter: asked.view.filter.clone(), stages: stage(0) };
        let zone = RunOptions::in_zone(grouped.zone)?.zone;
        let options = RunOptions { zone, ..self.options(grouped.here)? };
        let of_lanes: Vec<Query> = asked
            .lanes
            .iter()
            .enumerate()
            .map(|(place, asked)| Query { filter: asked.filter.clone(), stages: stage(place + 1) })
            .collect();
        let each: Vec<_> = self.lanes.iter().zip(&of_lanes).collect();
        let ask = || {
            super::at_once(each, |(lane, query)| {
                lane.cluster.run_with(query, grouped.range, grouped.zone, grouped.here)
            })
        };
        let (table, found) = std::thread::scope(|scope| {
            let lanes = scope.spawn(ask);
            let table =
                self.case.run(self.snapshot, &of_case, grouped.range, &options, &mut |_| {}, self.cancel);
            (table, lanes.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let table = table?;
        table.notes.iter().for_each(|note| reservations.note(note.clone()));
        let mut tables = vec![table];
        for (table, lane) in found.into_iter().zip(&self.lanes) {
            if let Some(table) = reservations.attempt(&lane.cluster.name, table)? {
                tables.push(with_levels(table, keys));
            }
        }
        Ok(tables)
    }
}

/// Whether what an aggregate counts is only numbers wherever its field is.
fn has_numbers(aggregate: &Aggregate, kind: Merging, contexts: &[QueryContext]) -> bool {
    let Some(field) = aggregate.argument.as_ref().and_then(Expr::as_field).filter(|_| kind.needs_numbers())
    else {
        return true;
    };
    let is_number = |kind: &FieldKind| matches!(kind, FieldKind::Int | FieldKind::Float);
    contexts.iter().filter_map(|context| context.field(field)).all(|field| field.kinds.iter().all(is_number))
}

/// Whether a place without a field of an aggregate has nothing to add to it.
fn is_known_or_missing(aggregate: &Aggregate, contexts: &[QueryContext]) -> bool {
    aggregate.argument.as_ref().is_none_or(|argument| is_missing_with_field(argument, contexts))
        && aggregate.condition.as_ref().is_none_or(|condition| is_known_everywhere(condition, contexts))
}

/// Whether a value is missing where its field is.
fn is_missing_with_field(value: &Expr, contexts: &[QueryContext]) -> bool {
    match &value.kind {
        ExprKind::Field(_) => true,
        ExprKind::Call(Function::Bin | Function::DateTrunc, arguments) => {
            arguments.iter().any(|argument| argument.as_field().is_some())
        }
        _ => is_known_everywhere(value, contexts),
    }
}

fn is_known_everywhere(value: &Expr, contexts: &[QueryContext]) -> bool {
    let stage = [at_no_place(StageKind::Where(value.clone()))];
    contexts.iter().all(|context| has_fields_of(context, &stage))
}

/// Whether a place has the fields of some stages.
pub(super) fn has_fields_of(context: &QueryContext, stages: &[Stage]) -> bool {
    let query = Query { filter: Filter::Everything, stages: stages.to_vec() };
    unknown_columns(&query, context).is_empty()
}

/// The same; what no place has is left to each, which says so.
fn is_known(place: usize, stages: &[Stage], contexts: &[QueryContext]) -> bool {
    has_fields_of(&contexts[place], stages) || !contexts.iter().any(|context| has_fields_of(context, stages))
}

pub(super) fn at_no_place(kind: StageKind) -> Stage {
    Stage { kind, span: Span::default() }
}

fn key(table: &Table, keys: usize, row: usize) -> Vec<Cell> {
    (0..keys)
        .map(|at| table.column(&format!("k{at}")).map_or(Cell::Missing, |column| column.cell(row)))
        .collect()
}

/// Levels of a cluster are words; those of a case have their order.
fn with_levels(mut table: Table, keys: &[Group]) -> Table {
    for (at, key) in keys.iter().enumerate() {
        let name = format!("k{at}");
        if key.value.as_field().is_some_and(names_level) && table.column(&name).is_some() {
            let column = table.column_or_missing(&name);
            let cells = (0..table.rows()).map(|row| level_cell(column.cell(row))).collect();
            table.set(&name, Column::of_cells(cells));
        }
    }
    table
}

fn names_level(field: &str) -> bool {
    field == "level" || ecs::fields_of(field).any(|name| name == "level")
}

fn level_cell(cell: Cell) -> Cell {
    match &cell {
        Cell::Text(word) => match Cluster::level_named(Some(word)) {
            Level::None => cell,
            level => Cell::level(level),
        },
        _ => cell,
    }
}

/// A value of a facet or a chart as one of a table.
pub(super) fn cell_of(field: &str, value: &Scalar) -> Cell {
    match value {
        Scalar::Text(text) if names_level(field) => level_cell(Cell::text(text)),
        Scalar::Text(text) => Cell::text(text),
        Scalar::Int(number) => Cell::Int(*number),
        Scalar::Bool(truth) => Cell::Bool(*truth),
        Scalar::Float(number) => Cell::float(*number),
        Scalar::Time(time) => Cell::Time(*time),
    }
}

/// The other way round.
pub(super) fn scalar_of(cell: &Cell) -> Scalar {
    match cell {
        Cell::Int(number) => Scalar::Int(*number),
        Cell::Float(number) => Scalar::Float(*number),
        Cell::Bool(truth) => Scalar::Bool(*truth),
        Cell::Time(time) => Scalar::Time(*time),
        other => Scalar::Text(other.to_string()),
    }
}

/// The groups as a table, in the order of their keys; missing values come last.
pub(super) fn table_of(keys: &[Group], aggregates: &[Aggregate], groups: &MergedGroups) -> Table {
    let kinds: Vec<Merging> = aggregates.iter().filter_map(Merging::from_aggregate).collect();
    let mut columns: Vec<Vec<Cell>> = vec![Vec::with_capacity(groups.len()); keys.len() + kinds.len()];
    for (key, partials) in groups {
        let results = kinds.iter().zip(partials).map(|(kind, partials)| kind.result(partials));
        columns
            .iter_mut()
            .zip(key.iter().cloned().chain(results))
            .for_each(|(column, cell)| column.push(cell));
    }
    let names = keys.iter().map(Group::column).chain(aggregates.iter().map(Aggregate::column));
    Table::from_columns(names.zip(columns).map(|(name, cells)| (name, Column::of_cells(cells))).collect())
}

/// Groups by the values of a field.
pub(super) fn by_field(name: &str, span: Span) -> Group {
    Group { value: Expr::new(ExprKind::Field(name.to_owned()), span), name: None, span }
}

/// Too many groups at a cluster.
pub(super) fn is_too_many(error: &Error) -> bool {
    error.kind() == ErrorKind::Limit
}

/// The answer of a table.
pub(super) fn answered(mut table: Table, mut reservations: Reservations) -> Answer<Table> {
    for note in std::mem::take(&mut table.notes) {
        reservations.note(note);
    }
    reservations.answer(table)
}
