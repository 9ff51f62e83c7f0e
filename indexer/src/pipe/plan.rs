//! From the stages of a query to steps that run. One line a stage.

use std::sync::Arc;

use super::expr::{Expression, TableFilter};
use super::names::Names;
use super::run::Clock;
use super::stages::columns::{Drop, Keep, Rename};
use super::stages::condition::{Search, Where};
use super::stages::eval::Eval;
use super::stages::limit::{Limit, Tail};
use super::stages::sort::Sort;
use super::stages::stats::{PlannedAggregate, StatsPlan};
use super::step::{RowStep, Step};
use crate::error::{Error, ErrorKind, Result};
use crate::query::{Aggregate, Group, NamePattern, Stage, StageKind};

pub(crate) enum Planned {
    Rows(Box<dyn RowStep>),
    Stats(Arc<StatsPlan>),
    Step(Box<dyn Step>),
}

/// What compiling a stage needs.
pub(crate) struct Planner<'a> {
    pub names: Names,
    pub clock: &'a Clock,
}

/// The steps of these stages; the names are then those of the result.
pub(crate) fn plan(stages: &[Stage], planner: &mut Planner<'_>) -> Result<Vec<Planned>> {
    let mut steps = Vec::with_capacity(stages.len());
    for (index, stage) in stages.iter().enumerate() {
        steps.push(planner.stage(stage, stages.get(index + 1))?);
    }
    Ok(steps)
}

fn rows(step: impl RowStep + 'static) -> Planned {
    Planned::Rows(Box::new(step))
}

fn step(step: impl Step + 'static) -> Planned {
    Planned::Step(Box::new(step))
}

impl Planner<'_> {
    fn stage(&mut self, stage: &Stage, next: Option<&Stage>) -> Result<Planned> {
        Ok(match &stage.kind {
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
                step(Sort::new(keys.collect::<Result<_>>()?, first))
            }
            StageKind::Stats { aggregates, by } => Planned::Stats(Arc::new(self.stats(aggregates, by, "stats")?)),
            other => {
                let span = stage.span;
                let _ = other;
                return Err(Error::new(ErrorKind::QueryInvalid, "this stage cannot be run yet")
                    .spanning(span.start, span.end));
            }
        })
    }

    pub fn expression(&self, expr: &crate::query::Expr) -> Result<Expression> {
        Expression::new(expr, &self.names, self.clock)
    }

    /// The columns that patterns name, each once.
    fn matching(&self, patterns: &[NamePattern]) -> Result<Vec<Arc<str>>> {
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
        Ok(StatsPlan { by, aggregates, stage })
    }

    fn aggregate(&self, aggregate: &Aggregate) -> Result<PlannedAggregate> {
        Ok(PlannedAggregate {
            name: aggregate.column(),
            function: aggregate.function,
            argument: aggregate.argument.as_ref().map(|expr| self.expression(expr)).transpose()?,
            parameter: aggregate.parameter,
            condition: aggregate.condition.as_ref().map(|expr| self.expression(expr)).transpose()?,
        })
    }
}
