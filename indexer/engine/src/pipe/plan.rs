//! From the stages of a query to steps that run. One line a stage.

use std::sync::Arc;

use ingest::custom::Extractor;

use super::expr::{Expression, TableFilter, invalid};
use super::names::Names;
use super::run::RunClock;
use super::stages::change_point::ChangePoint;
use super::stages::columns::{Drop, Keep, Rename};
use super::stages::compare::Compare;
use super::stages::condition::{Search, Where};
use super::stages::dedup::Dedup;
use super::stages::eval::Eval;
use super::stages::extract::{Extract, ExtractPattern};
use super::stages::facets::FacetsStage;
use super::stages::limit::{Limit, Tail};
use super::stages::patterns::PatternsStage;
use super::stages::quantiles::QuantilesStage;
use super::stages::sample::Sample;
use super::stages::sort::{Sort, SortExpression};
use super::stages::stats::{PlannedAggregate, StatsPlan};
use super::stages::transaction::TransactionStage;
use super::step::{RowStep, Step};
use crate::compare;
use base::error::Result;
use base::limits::{FACET_VALUES, PATTERNS};
use query::{Aggregate, Group, NamePattern, Stage, StageKind};

pub enum Planned {
    Rows(Box<dyn RowStep>),
    Stats(Arc<StatsPlan>),
    Facets(FacetsStage),
    Transaction(TransactionStage),
    /// So many of the first rows in the order of keys.
    First(Vec<SortExpression>, usize),
    Step(Box<dyn Step>),
}

/// What compiling a stage needs.
pub struct Planner<'a> {
    pub names: Names,
    pub clock: &'a RunClock,
}

/// The steps of these stages; the names are then those of the result.
pub fn plan(stages: &[Stage], planner: &mut Planner<'_>) -> Result<Vec<Planned>> {
    let mut steps = Vec::with_capacity(stages.len());
    for (index, stage) in stages.iter().enumerate() {
        steps.extend(planner.stage(&stages[..index], stage, stages.get(index + 1))?);
    }
    Ok(steps)
}

pub(super) fn rows(step: impl RowStep + 'static) -> Planned {
    Planned::Rows(Box::new(step))
}

pub(super) fn step(step: impl Step + 'static) -> Planned {
    Planned::Step(Box::new(step))
}

impl Planner<'_> {
    /// The steps of a stage; `before` are the stages that precede it.
    fn stage(&mut self, before: &[Stage], stage: &Stage, next: Option<&Stage>) -> Result<Vec<Planned>> {
        let one = match &stage.kind {
            StageKind::Where(condition) => rows(Where(self.expression(condition)?)),
            StageKind::Search(filter) => rows(Search(TableFilter::new(filter, &self.names, self.clock)?)),
            StageKind::Eval(assignments) => {
                let mut set = Vec::with_capacity(assignments.len());
                for assignment in assignments {
                    set.push((assignment.name.name.clone(), self.expression(&assignment.value)?));
                    self.names.set(&assignment.name.name);
                }
                rows(Eval(set))
            }
            StageKind::Keep(patterns) => {
                let kept = self.matching(patterns)?;
                self.names.keep(&kept);
                rows(Keep(kept))
            }
            StageKind::Drop(patterns) => {
                let dropped = self.matching(patterns)?;
                self.names.drop(&dropped);
                rows(Drop(dropped))
            }
            StageKind::Rename(pairs) => {
                let mut renamed = Vec::with_capacity(pairs.len());
                for pair in pairs {
                    let from = self.names.resolve(&pair.from.name, pair.from.span)?;
                    self.names.rename(&from, &pair.to.name);
                    renamed.push((from, pair.to.name.clone()));
                }
                rows(Rename(renamed))
            }
            StageKind::Limit(count) => step(Limit::new(*count)),
            StageKind::Tail(count) => step(Tail::new(*count)),
            StageKind::Sort(keys) => {
                let keys = keys.iter().map(|key| Ok((self.expression(&key.value)?, key.descending)));
                let first = next.and_then(|next| match next.kind {
                    StageKind::Limit(count) => usize::try_from(count).ok(),
                    _ => None,
                });
                let keys = keys.collect::<Result<_>>()?;
                match first {
                    Some(first) => Planned::First(keys, first),
                    None => step(Sort::new(keys, None)),
                }
            }
            StageKind::Stats { aggregates, by } => {
                Planned::Stats(Arc::new(self.stats(aggregates, by, "stats")?))
            }
            _ => return self.larger_stage(before, stage),
        };
        Ok(vec![one])
    }

    fn larger_stage(&mut self, before: &[Stage], stage: &Stage) -> Result<Vec<Planned>> {
        let one = match &stage.kind {
            StageKind::Dedup { fields, keep } => step(Dedup::new(self.fields(fields)?, *keep)),
            StageKind::Top(frequent) => return self.frequent(frequent, false),
            StageKind::Rare(frequent) => return self.frequent(frequent, true),
            StageKind::Timechart { span, aggregates, by, limit } => {
                return self.timechart(*span, aggregates, by.as_ref(), *limit);
            }
            StageKind::Facets { fields, values } => {
                let fields = self.fields(fields)?;
                if fields.is_empty() {
                    self.names.read_all();
                }
                self.names.replace(FacetsStage::COLUMNS.map(str::to_owned));
                Planned::Facets(FacetsStage::new(
                    fields,
                    values.map_or(FACET_VALUES, |values| values as usize),
                ))
            }
            StageKind::Grok(extraction) => self.extract(extraction, Extractor::grok)?,
            StageKind::Dissect(extraction) => self.extract(extraction, Extractor::dissect)?,
            StageKind::Rex { field, regex } => {
                let field = self.text_field(field.as_ref())?;
                let compiled =
                    regex.compile().ok_or_else(|| invalid("this expression is too large", stage.span))?;
                let by = ExtractPattern::Regex(compiled);
                if by.names().is_empty() {
                    return Err(invalid("the expression names no group", stage.span)
                        .hint("write (?<name>…) around what becomes a column"));
                }
                by.names().iter().for_each(|name| self.names.fill(name));
                rows(Extract { field, by })
            }
            StageKind::Sample { size, is_share, seed } => step(Sample::new(*size, *is_share, *seed)),
            StageKind::Lookup(join) => self.lookup(join)?,
            StageKind::Transaction { by, limits } => self.transaction(by, limits)?,
            StageKind::Variable(part) => self.variable(before, part, stage.span)?,
            StageKind::Context(surroundings) => self.context(before, surroundings, stage.span)?,
            StageKind::Shift { baseline, aggregates, by } => {
                return self.shift(before, baseline, aggregates, by);
            }
            StageKind::ChangePoint { value, on } => {
                let value = self.names.resolve(&value.name, value.span)?;
                let on = match on {
                    Some(on) => self.names.resolve(&on.name, on.span)?,
                    None => self.names.resolve("time", stage.span)?,
                };
                let names = std::iter::once(on.to_string()).chain(ChangePoint::COLUMNS.map(str::to_owned));
                self.names.replace(names.collect::<Vec<_>>());
                step(ChangePoint::new(value, on))
            }
            StageKind::Patterns { field, limit } => {
                if !before.is_empty() || field.as_ref().is_some_and(|field| field.name != "message") {
                    return Err(invalid(
                        "`patterns` lists those of the events that the filter finds",
                        stage.span,
                    )
                    .hint("put it directly after the filter, without a field"));
                }
                self.names.replace(PatternsStage::COLUMNS.map(str::to_owned));
                step(PatternsStage::new(limit.map_or(PATTERNS, |limit| limit as usize)))
            }
            StageKind::Quantiles { value, with } => {
                self.names.replace(QuantilesStage::COLUMNS.map(str::to_owned));
                step(QuantilesStage::new(value.name.clone(), with.clone()))
            }
            StageKind::Compare { with, limit } => {
                self.names.replace(Compare::COLUMNS.map(str::to_owned));
                step(Compare::new(with.clone(), limit.map_or(compare::ROWS, |limit| limit as usize)))
            }
            _ => return self.table_stage(stage),
        };
        Ok(vec![one])
    }

    pub fn expression(&self, expr: &query::Expr) -> Result<Expression> {
        Expression::new(expr, &self.names, self.clock)
    }

    /// The columns that patterns name, each once.
    pub(super) fn matching(&self, patterns: &[NamePattern]) -> Result<Vec<Arc<str>>> {
        let mut found: Vec<Arc<str>> = Vec::new();
        for pattern in patterns {
            for name in self.names.matching(pattern)? {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        Ok(found)
    }

    /// Aggregates by groups; the names are then those of the result.
    pub fn stats(
        &mut self,
        aggregates: &[Aggregate],
        by: &[Group],
        stage: &'static str,
    ) -> Result<StatsPlan> {
        let by = by.iter().map(|group| Ok((group.column(), self.expression(&group.value)?)));
        let by: Vec<_> = by.collect::<Result<_>>()?;
        let aggregates = aggregates.iter().map(|aggregate| self.aggregate(aggregate));
        let aggregates: Vec<_> = aggregates.collect::<Result<_>>()?;
        let names = by.iter().map(|(name, _)| name).chain(aggregates.iter().map(|one| &one.name)).cloned();
        self.names.replace(names.collect::<Vec<_>>());
        Ok(StatsPlan { by, aggregates, largest: None, ranked: None, stage })
    }

    pub(super) fn aggregate(&self, aggregate: &Aggregate) -> Result<PlannedAggregate> {
        Ok(PlannedAggregate {
            name: aggregate.column(),
            function: aggregate.function,
            argument: aggregate.argument.as_ref().map(|expr| self.expression(expr)).transpose()?,
            parameter: aggregate.parameter,
            condition: aggregate.condition.as_ref().map(|expr| self.expression(expr)).transpose()?,
        })
    }
}
