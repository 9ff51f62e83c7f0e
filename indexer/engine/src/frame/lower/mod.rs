//! Parts of a plan of polars that the engine's kernels answer: an aggregation of events by plain fields and bins of
//! time is calculated from the codes of columns, and its small result takes the place of the rows.
//!
//! [`Grouped::new`] decides for an aggregation and [`first::bound`] for the first rows in an order; where either says
//! no, with its reason, polars calculates from rows. Columns, types and rows are the same both ways. Sums, means and
//! percentiles of decimals may differ in the last digits, because the kernels round less.

mod calculation;
mod first;
mod grouped;
mod source;

use std::sync::Arc;

use polars::prelude::{DslPlan, Expr, LazyFrame};

use base::error::Result;
use grouped::Grouped;

/// Why something is calculated from rows.
pub(super) type Reason = &'static str;

/// What is decided, or the reason against it; an error is one of reading.
type Decided<T> = Result<std::result::Result<T, Reason>>;

/// The plan of a statement, and what was decided for its parts.
pub(super) struct Lowering {
    /// Nothing is run: only the decisions are asked for.
    decides_only: bool,
    /// For each aggregation, in the order of the plan from its end, nothing or why it is calculated from rows.
    pub decisions: Vec<Option<Reason>>,
}

impl Lowering {
    /// The plan with what the kernels calculated in it.
    pub fn answered(frame: LazyFrame) -> Result<LazyFrame> {
        let mut lowering = Lowering { decides_only: false, decisions: Vec::new() };
        let mut plan = frame.logical_plan.clone();
        let changed = lowering.walk(&mut plan)?;
        Ok(if changed { LazyFrame::from(plan) } else { frame })
    }

    /// What would be decided.
    pub fn decide(frame: &LazyFrame) -> Result<Lowering> {
        let mut lowering = Lowering { decides_only: true, decisions: Vec::new() };
        lowering.walk(&mut frame.logical_plan.clone())?;
        Ok(lowering)
    }

    /// Puts results in the places of what is answered, and returns whether there is one.
    fn walk(&mut self, plan: &mut DslPlan) -> Result<bool> {
        unwrap(plan);
        if Grouped::is_one(plan) {
            let decided = match Grouped::new(plan)? {
                Ok(_) if self.decides_only => Ok(None),
                Ok(grouped) => grouped.answer(plan)?.map(Some),
                Err(reason) => Err(reason),
            };
            self.decisions.push(decided.as_ref().err().copied());
            match decided {
                Ok(Some(result)) => {
                    *plan = result;
                    return Ok(true);
                }
                Ok(None) => return Ok(false),
                Err(_) => {}
            }
        }
        let mut changed = !self.decides_only && first::bound(plan)?;
        for input in inputs(plan) {
            changed |= self.walk(input)?;
        }
        Ok(changed)
    }
}

/// Takes away what polars worked out of a plan already: it holds for that plan alone.
pub(super) fn unwrap(plan: &mut DslPlan) {
    while let DslPlan::IR { dsl, .. } = plan {
        *plan = (**dsl).clone();
    }
}

pub(super) fn inputs(plan: &mut DslPlan) -> Vec<&mut DslPlan> {
    match plan {
        DslPlan::Filter { input, .. }
        | DslPlan::Select { input, .. }
        | DslPlan::GroupBy { input, .. }
        | DslPlan::HStack { input, .. }
        | DslPlan::Distinct { input, .. }
        | DslPlan::Sort { input, .. }
        | DslPlan::Slice { input, .. }
        | DslPlan::MapFunction { input, .. } => vec![Arc::make_mut(input)],
        DslPlan::PipeWithSchema { input, .. } => Arc::make_mut(input).iter_mut().collect(),
        DslPlan::Join { input_left, input_right, .. } => {
            vec![Arc::make_mut(input_left), Arc::make_mut(input_right)]
        }
        DslPlan::Union { inputs, .. } | DslPlan::HConcat { inputs, .. } => inputs.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// The expressions of a plan's last operator.
pub(super) fn exprs(plan: &mut DslPlan) -> Vec<&mut Expr> {
    match plan {
        DslPlan::Filter { predicate, .. } => vec![predicate],
        DslPlan::Select { expr: exprs, .. }
        | DslPlan::HStack { exprs, .. }
        | DslPlan::Sort { by_column: exprs, .. } => exprs.iter_mut().collect(),
        DslPlan::GroupBy { keys, predicates, aggs, .. } => {
            [keys, predicates, aggs].into_iter().flatten().collect()
        }
        DslPlan::Join { left_on, right_on, predicates, .. } => {
            [left_on, right_on, predicates].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}
