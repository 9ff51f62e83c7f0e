//! The questions of a case, put to a cluster: count, events, and the first aggregation of a pipe.

mod conditions;
pub(crate) mod events;
mod frequent;
pub(crate) mod groups;
mod metrics;
pub(crate) mod timechart;

use indexer::query::{Filter, NamePattern, Query, SortKey, Stage, StageKind};
use indexer::{Cell, Column, Error, ErrorKind, Result, Table};
use serde_json::{Value, json};

use self::conditions::as_filter;
pub use self::events::{Events, RemoteEvent, text_of};
use crate::cluster::{Asked, Cluster, Missing};
use crate::dsl::Inexact;
use crate::json;

/// An answer, with all that keeps it from being exact and complete.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    pub value: T,
    /// Clauses that the cluster answers a little differently.
    pub inexact: Vec<Inexact>,
    /// What it lacks.
    pub missing: Missing,
    /// What is estimated, and what else people should know.
    pub notes: Vec<String>,
}

/// A filter as the cluster takes it, and what became of it so far.
pub(crate) struct Question<'c> {
    pub cluster: &'c Cluster,
    pub query: Value,
    pub asked: Asked,
    pub inexact: Vec<Inexact>,
    pub missing: Missing,
    pub notes: Vec<String>,
}

impl<'c> Question<'c> {
    pub(crate) fn new(cluster: &'c Cluster, asked: &Asked) -> Result<Question<'c>> {
        let translated = cluster.translate(asked)?;
        Ok(Question {
            cluster,
            query: translated.query,
            asked: asked.clone(),
            inexact: translated.inexact,
            missing: Missing::default(),
            notes: Vec::new(),
        })
    }

    pub(crate) fn answer<T>(self, value: T) -> Answer<T> {
        Answer { value, inexact: self.inexact, missing: self.missing, notes: self.notes }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Aggregations over the matching events. Their number is in `hits`.
    pub(crate) fn aggregate(&mut self, aggs: &Value) -> Result<Value> {
        let mut body = json!({"size": 0, "track_total_hits": true, "query": self.query});
        if aggs.as_object().is_some_and(|aggs| !aggs.is_empty()) {
            body["aggs"] = aggs.clone();
        }
        let answer = self.cluster.search(body)?;
        self.missing.add(Missing::read(&answer)?);
        Ok(answer)
    }

    /// A further condition as query DSL.
    fn condition(&mut self, filter: &Filter) -> Result<Value> {
        let asked = Asked { filter: filter.clone(), from: None, to: None, zone: self.asked.zone.clone() };
        let translated = self.cluster.translate(&asked)?;
        self.inexact.extend(translated.inexact);
        self.inexact.sort();
        self.inexact.dedup();
        Ok(translated.query)
    }
}

impl Cluster {
    /// The number of matching events.
    pub fn count(&self, asked: &Asked) -> Result<Answer<u64>> {
        let mut question = Question::new(self, asked)?;
        let answer = question.aggregate(&json!({}))?;
        let total = total(&answer)?;
        Ok(question.answer(total))
    }

    /// The result of a query with stages. The first aggregation runs at the cluster; of what follows it, only order and
    /// the number of rows.
    pub fn run(&self, query: &Query, range: (Option<i64>, Option<i64>), zone: &str) -> Result<Answer<Table>> {
        let mut filters = vec![query.filter.clone()];
        let mut stages = query.stages.iter();
        let first = loop {
            let Some(stage) = stages.next() else {
                return Err(refused(
                    None,
                    "a table of events is not fetched from clusters",
                    "print them with --format ndjson, or end with stats, timechart, top, rare or facets",
                ));
            };
            match &stage.kind {
                StageKind::Where(condition) => filters.push(as_filter(condition).ok_or_else(|| {
                    refused(
                        Some(stage),
                        "this condition has no counterpart at a cluster",
                        "compare a field with a value, or write it in the filter",
                    )
                })?),
                StageKind::Search(filter) => filters.push(filter.clone()),
                _ => break stage,
            }
        };
        filters.retain(|filter| *filter != Filter::Everything);
        let filter = match filters.len() {
            0 => Filter::Everything,
            1 => filters.swap_remove(0),
            _ => Filter::And(filters),
        };
        let asked = Asked { filter, from: range.0, to: range.1, zone: zone.to_owned() };
        let mut question = Question::new(self, &asked)?;
        let table = match &first.kind {
            StageKind::Stats { aggregates, by } => question.stats(aggregates, by),
            StageKind::Timechart { span, aggregates, by, limit } => {
                question.timechart(*span, aggregates, by.as_ref(), *limit)
            }
            StageKind::Top(frequent) => question.ranked(frequent, false),
            StageKind::Rare(frequent) => question.ranked(frequent, true),
            StageKind::Facets { fields, values } => question.facets(fields, *values),
            _ => Err(refused(
                Some(first),
                "this stage does not run at a cluster",
                "these do: where, search, stats, timechart, top, rare, facets; import the events to use the others",
            )),
        };
        let mut table = table.map_err(|error| at_stage(error, first))?;
        for stage in stages {
            table = match &stage.kind {
                StageKind::Sort(keys) => sorted(&table, keys, stage)?,
                StageKind::Limit(rows) => table.first(usize::try_from(*rows).unwrap_or(usize::MAX)),
                StageKind::Keep(names) => kept(&table, names, stage)?,
                _ => {
                    return Err(refused(
                        Some(stage),
                        "after the first aggregation of a cluster only sort, limit and keep run",
                        "write the result to a file with --format csv and go on from there",
                    ));
                }
            };
        }
        Ok(question.answer(table))
    }
}

fn refused(stage: Option<&Stage>, message: &str, hint: &str) -> Error {
    let error = Error::new(ErrorKind::QueryInvalid, message).hint(hint);
    match stage {
        Some(stage) => error.spanning(stage.span.start, stage.span.end),
        None => error,
    }
}

/// An error of a stage that does not say where it is.
fn at_stage(error: Error, stage: &Stage) -> Error {
    if error.span().is_some() || error.kind() != ErrorKind::QueryInvalid {
        return error;
    }
    error.spanning(stage.span.start, stage.span.end)
}

pub(crate) fn unsupported(what: impl Into<String>, hint: &str) -> Error {
    Error::new(ErrorKind::QueryInvalid, what).hint(hint)
}

/// The number of hits, which is asked for exactly.
pub(crate) fn total(answer: &Value) -> Result<u64> {
    let total = &answer["hits"]["total"];
    if total["relation"].as_str().is_some_and(|relation| relation != "eq") {
        return Err(Error::new(ErrorKind::Corrupt, "the cluster counted only a part of the hits"));
    }
    total.as_u64().map_or_else(|| json::count(total, &["value"]), Ok)
}

fn sorted(table: &Table, keys: &[SortKey], stage: &Stage) -> Result<Table> {
    let mut columns = Vec::new();
    for key in keys {
        // A result is also named by its calculation: `count`, `p95(x)`.
        let name = key.value.as_field().map_or_else(|| key.value.to_string(), str::to_owned);
        let place = table.names().iter().position(|known| **known == *name);
        let place = place.ok_or_else(|| {
            refused(Some(stage), &format!("no column `{name}`"), "sort by a column of the result")
        })?;
        columns.push((place, key.descending));
    }
    let mut rows: Vec<usize> = (0..table.rows()).collect();
    rows.sort_by(|&one, &other| {
        let compare = |&(column, descending): &(usize, bool)| {
            let (one, other) = (table.cell(one, column), table.cell(other, column));
            match (one.is_missing(), other.is_missing()) {
                (false, false) if descending => other.cmp(&one),
                (false, false) => one.cmp(&other),
                (one, other) => one.cmp(&other),
            }
        };
        columns.iter().map(compare).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let columns = table.names().iter().enumerate().map(|(at, name)| {
        let cells: Vec<Cell> = rows.iter().map(|&row| table.cell(row, at)).collect();
        (name.to_string(), Column::of_cells(cells))
    });
    Ok(Table::from_columns(columns.collect()))
}

fn kept(table: &Table, names: &[NamePattern], stage: &Stage) -> Result<Table> {
    let mut columns: Vec<(String, Column)> = Vec::new();
    for wanted in names {
        let fits = |name: &str| indexer::query::like(&wanted.pattern, name);
        let found = table.names().iter().zip(table.columns()).filter(|(name, _)| fits(name));
        let before = columns.len();
        for (name, column) in found {
            if !columns.iter().any(|(known, _)| **known == **name) {
                columns.push((name.to_string(), column.clone()));
            }
        }
        if columns.len() == before
            && !wanted.pattern.contains('*')
            && !columns.iter().any(|(name, _)| *name == wanted.pattern)
        {
            let message = format!("no column `{}`", wanted.pattern);
            return Err(refused(Some(stage), &message, "keep columns of the result"));
        }
    }
    Ok(Table::from_columns(columns))
}
