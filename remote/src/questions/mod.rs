//! The questions of a case, put to a cluster: count, events, and pipes, whose first aggregation runs there and everything
//! else here.

mod conditions;
pub(crate) mod events;
pub(crate) mod frequent;
pub(crate) mod groups;
mod metrics;
mod rows;
pub(crate) mod timechart;

use indexer::query::functions::MergedFrom;
use indexer::query::{Aggregate, Filter, Query, Stage, StageKind};
use indexer::{Error, ErrorKind, Result, Table, TableStages};
use serde_json::{Value, json};

use self::conditions::as_filter;
pub use self::events::{Events, RemoteEvent, text_of};
pub use self::metrics::{DISTINCT_ERROR, ESTIMATED, PERCENTILE_ERROR};
pub(crate) use self::metrics::{counting, estimated_distinct, estimated_percentiles, percentiles};
pub use self::rows::Here;
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
            notes: cluster.notes.clone(),
        })
    }

    pub(crate) fn answer<T>(self, value: T) -> Answer<T> {
        let missing = self.cluster.lacking(self.missing);
        Answer { value, inexact: self.inexact, missing, notes: self.notes }
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

    /// The result of a query with stages, as [`Cluster::run_with`] gives it.
    pub fn run(&self, query: &Query, range: (Option<i64>, Option<i64>), zone: &str) -> Result<Answer<Table>> {
        self.run_with(query, range, zone, &Here::default())
    }

    /// The result of a query with stages. Conditions and the first aggregation run at the cluster; the stages after it, and
    /// those without counterpart there, run here.
    pub fn run_with(
        &self,
        query: &Query,
        range: (Option<i64>, Option<i64>),
        zone: &str,
        here: &Here,
    ) -> Result<Answer<Table>> {
        let (filter, stages) = filter_and_stages(query);
        let asked = Asked { filter, from: range.0, to: range.1, zone: zone.to_owned() };
        let mut question = Question::new(self, &asked)?;
        let Some((first, rest)) = stages.split_first() else {
            return question.run_here(stages, "the query", here);
        };
        let of = format!("`{}`", first_word(first));
        if here.is_exact && is_estimated(&first.kind) {
            return question.run_here(stages, &of, here);
        }
        let table = match &first.kind {
            StageKind::Stats { aggregates, by } => question.stats(aggregates, by),
            StageKind::Timechart { span, aggregates, by, limit } => {
                question.timechart(*span, aggregates, by.as_ref(), *limit)
            }
            StageKind::Top(frequent) => question.ranked(frequent, false),
            StageKind::Rare(frequent) => question.ranked(frequent, true),
            StageKind::Facets { fields, values } => question.facets(fields, *values),
            StageKind::Patterns { field, limit }
                if field.as_ref().is_none_or(|field| field.name == "message") =>
            {
                question.patterns(&asked, *limit)
            }
            _ => return question.run_here(stages, &of, here).map_err(|error| at_stage(error, first)),
        };
        let table = match table {
            Ok(table) => table,
            // What has no counterpart there is calculated here; what is wrong in both places is said as the cluster's.
            Err(error) if error.kind() == ErrorKind::QueryInvalid => {
                let question = Question::new(self, &asked)?;
                return match question.planned(stages, None, here) {
                    Ok(_) => question.run_here(stages, &of, here),
                    Err(_) => Err(at_stage(error, first)),
                };
            }
            Err(error) => return Err(at_stage(error, first)),
        };
        if rest.is_empty() {
            return Ok(question.answer(table));
        }
        let columns: Vec<String> = table.names().iter().map(ToString::to_string).collect();
        let options = question.options(here)?;
        let times = asked.from.zip(asked.to.map(|to| to - 1));
        let mut line = TableStages::new(rest, &columns, times, &options, self.client.cancel())?;
        line.push(table)?;
        let mut table = line.finish()?;
        for note in std::mem::take(&mut table.notes) {
            question.note(note);
        }
        Ok(question.answer(table))
    }
}

/// The filter together with the conditions that follow it, and the stages after them.
pub(crate) fn filter_and_stages(query: &Query) -> (Filter, &[Stage]) {
    let mut filters = vec![query.filter.clone()];
    let mut stages = query.stages.as_slice();
    while let [stage, rest @ ..] = stages {
        filters.push(match &stage.kind {
            StageKind::Where(condition) => match as_filter(condition) {
                Some(filter) => filter,
                None => break,
            },
            StageKind::Search(filter) => filter.clone(),
            _ => break,
        });
        stages = rest;
    }
    filters.retain(|filter| *filter != Filter::Everything);
    let filter = match filters.len() {
        0 => Filter::Everything,
        1 => filters.swap_remove(0),
        _ => Filter::And(filters),
    };
    (filter, stages)
}

/// Whether a cluster only estimates what the stage calculates.
fn is_estimated(stage: &StageKind) -> bool {
    let of = |aggregates: &[Aggregate]| {
        aggregates.iter().any(|one| one.function.merged_from() == MergedFrom::Values)
    };
    match stage {
        StageKind::Stats { aggregates, .. } | StageKind::Timechart { aggregates, .. } => of(aggregates),
        StageKind::Facets { .. } => true,
        _ => false,
    }
}

/// An error of a stage that does not say where it is.
pub(crate) fn at_stage(error: Error, stage: &Stage) -> Error {
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

/// The stage by its name: `stats`.
pub(crate) fn first_word(stage: &Stage) -> String {
    stage.to_string().trim_start_matches("| ").split(' ').next().unwrap_or_default().to_owned()
}
