//! Checks around what polars calculates of a statement: that sums fit their type, and that memory holds texts that are made
//! of others.

use std::sync::Arc;

use polars::prelude::{DslPlan, Expr, LazyFrame, SpecialEq, UserDefinedFunction};

use super::lower::{exprs, inputs, unwrap};
use super::scan::Shared;
use super::{sums, texts};

/// The plan with the checks in it.
pub(super) fn guarded(frame: &LazyFrame, shared: &Arc<Shared>) -> LazyFrame {
    let guards = Guards { sums: sums::check(shared), shared: Arc::clone(shared) };
    let mut plan = frame.logical_plan.clone();
    guards.walk(&mut plan);
    LazyFrame::from(plan)
}

struct Guards {
    sums: UserDefinedFunction,
    shared: Arc<Shared>,
}

impl Guards {
    fn walk(&self, plan: &mut DslPlan) {
        unwrap(plan);
        let input = inputs(plan).first().map(|input| DslPlan::clone(input));
        // A condition keeps no texts of its own.
        let keeps = !matches!(plan, DslPlan::Filter { .. });
        let mut texts = texts::Texts::new(input, keeps, &self.shared);
        for expr in exprs(plan) {
            *expr = std::mem::replace(expr, Expr::Len).map_expr(|part| match part {
                Expr::SubPlan(plan, names) => {
                    let mut plan: DslPlan = (**plan).clone();
                    self.walk(&mut plan);
                    Expr::SubPlan(SpecialEq::new(Arc::new(plan)), names)
                }
                part => texts.charged(sums::with_check(part, &self.sums)),
            });
        }
        for input in inputs(plan) {
            self.walk(input);
        }
    }
}
