//! Joins that would make more rows than memory holds are refused before they run: how often each key occurs on
//! both sides gives how many rows there will be.

use std::sync::Arc;

use polars::prelude::{
    DataFrame, DataType, DslPlan, Expr, JoinType, LazyFrame, Operator, PolarsResult, col, len, lit,
};

use super::scan::Shared;
use base::error::{Error, ErrorKind, Result};

/// Refuses a plan with a join whose rows need more than the budget.
pub(super) fn check(frame: &LazyFrame, shared: &Shared) -> Result<()> {
    let mut joins = Vec::new();
    find(&frame.logical_plan, &[], &mut joins);
    if joins.is_empty() {
        return Ok(());
    }
    let width = width(frame).map_err(|error| super::failure(&error, shared))?;
    let most = (shared.options.memory_bytes / width.max(1)) as u64;
    // Those within others come first.
    for join in joins.iter().rev() {
        let rows = join.rows(most).map_err(|error| super::failure(&error, shared))?;
        if rows > most {
            let message = format!(
                "the join would make {rows} rows, which need more than the {} MB of memory that a query may take",
                shared.options.memory_bytes >> 20
            );
            return Err(Error::new(ErrorKind::Limit, message)
                .hint("join on more columns, or group one side by its key first"));
        }
    }
    Ok(())
}

struct JoinBounds<'a> {
    left: &'a Arc<DslPlan>,
    right: &'a Arc<DslPlan>,
    keys: Vec<(Expr, Expr)>,
    keeps_left: bool,
    keeps_right: bool,
}

fn find<'a>(plan: &'a DslPlan, filters: &[&'a Expr], found: &mut Vec<JoinBounds<'a>>) {
    match plan {
        DslPlan::Filter { input, predicate } => {
            let mut filters = filters.to_vec();
            filters.push(predicate);
            find(input, &filters, found);
        }
        DslPlan::Join { input_left, input_right, left_on, right_on, options, .. } => {
            let how = &options.args.how;
            let mut keys: Vec<(Expr, Expr)> = left_on.iter().cloned().zip(right_on.iter().cloned()).collect();
            if keys.is_empty() {
                keys = equalities(filters, input_left, input_right);
            }
            if matches!(
                how,
                JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full | JoinType::Cross
            ) {
                found.push(JoinBounds {
                    left: input_left,
                    right: input_right,
                    keys,
                    keeps_left: matches!(how, JoinType::Left | JoinType::Full),
                    keeps_right: matches!(how, JoinType::Right | JoinType::Full),
                });
            }
            find(input_left, &[], found);
            find(input_right, &[], found);
        }
        DslPlan::IR { dsl, .. } => find(dsl, filters, found),
        DslPlan::Select { input, .. }
        | DslPlan::GroupBy { input, .. }
        | DslPlan::HStack { input, .. }
        | DslPlan::Distinct { input, .. }
        | DslPlan::Sort { input, .. }
        | DslPlan::Slice { input, .. }
        | DslPlan::Cache { input, .. }
        | DslPlan::MapFunction { input, .. }
        | DslPlan::MatchToSchema { input, .. }
        | DslPlan::ExtContext { input, .. } => find(input, &[], found),
        DslPlan::Union { inputs, .. } | DslPlan::HConcat { inputs, .. } => {
            for input in inputs {
                find(input, &[], found);
            }
        }
        _ => {}
    }
}

/// Columns of both sides that a predicate after the join compares for equality: `FROM a, b WHERE a.x = b.y`.
fn equalities(filters: &[&Expr], left: &DslPlan, right: &DslPlan) -> Vec<(Expr, Expr)> {
    let schema = |plan: &DslPlan| LazyFrame::from(plan.clone()).collect_schema();
    let (Ok(left), Ok(right)) = (schema(left), schema(right)) else { return Vec::new() };
    let mut pending: Vec<&Expr> = filters.to_vec();
    let mut found = Vec::new();
    while let Some(condition) = pending.pop() {
        let Expr::BinaryExpr { left: one, op, right: other } = condition else { continue };
        if matches!(op, Operator::And | Operator::LogicalAnd) {
            pending.extend([&**one, &**other]);
            continue;
        }
        let (Operator::Eq, Expr::Column(one), Expr::Column(other)) = (op, &**one, &**other) else { continue };
        // Of two columns of one name the right one has the name of its table as a suffix.
        let of_right = |name: &str| -> Option<String> {
            let plain = name.rsplit_once(':').map_or(name, |(plain, _)| plain);
            [name, plain].into_iter().find(|name| right.contains(name)).map(str::to_owned)
        };
        for (one, other) in [(one, other), (other, one)] {
            if let Some(other) = of_right(other).filter(|_| left.contains(one)) {
                found.push((col(one.clone()), col(other)));
                break;
            }
        }
    }
    found
}

impl JoinBounds<'_> {
    /// How many rows it makes: exactly, or some number that is not above `enough`.
    fn rows(&self, enough: u64) -> PolarsResult<u64> {
        let (left, right) = (count(self.left)?, count(self.right)?);
        let alone = u64::from(self.keeps_left) * left + u64::from(self.keeps_right) * right;
        if left.saturating_mul(right).saturating_add(alone) <= enough {
            return Ok(0);
        }
        if self.keys.is_empty() {
            return Ok(left.saturating_mul(right));
        }
        let (left_keys, right_keys): (Vec<Expr>, Vec<Expr>) = self.keys.iter().cloned().unzip();
        // The smaller side is counted first: where no key occurs twice in it, no row of the other is doubled.
        let (small, small_keys, large, large_keys, rows) = if left < right {
            (self.left, left_keys, self.right, right_keys, right)
        } else {
            (self.right, right_keys, self.left, left_keys, left)
        };
        let small = counted(small, &small_keys)?;
        let most = most(&small)?;
        if rows.saturating_mul(most).saturating_add(alone) <= enough {
            return Ok(0);
        }
        let large = counted(large, &large_keys)?;
        Ok(pairs(small, large, small_keys.len())?.saturating_add(alone))
    }
}

fn count(plan: &Arc<DslPlan>) -> PolarsResult<u64> {
    let rows = LazyFrame::from((**plan).clone()).select([len()]).collect()?;
    number(&rows, "len")
}

fn number(frame: &DataFrame, name: &str) -> PolarsResult<u64> {
    let value = frame.column(name)?.get(0)?.extract::<f64>().unwrap_or(0.0);
    Ok(value as u64)
}

/// How often each key occurs, in columns named by their places.
fn counted(plan: &Arc<DslPlan>, keys: &[Expr]) -> PolarsResult<DataFrame> {
    let shown = keys.iter().enumerate().map(|(place, key)| key.clone().alias(format!("k{place}")));
    let shown: Vec<Expr> = shown.collect();
    let names: Vec<Expr> = (0..keys.len()).map(|place| col(format!("k{place}"))).collect();
    let there = names.iter().fold(lit(true), |all, key| all.and(key.clone().is_not_null()));
    LazyFrame::from((**plan).clone())
        .select(shown)
        .filter(there)
        .group_by(names)
        .agg([len().cast(DataType::Float64).alias("n")])
        .collect()
}

fn most(counted: &DataFrame) -> PolarsResult<u64> {
    use polars::prelude::IntoLazy;
    if counted.height() == 0 {
        return Ok(0);
    }
    number(&counted.clone().lazy().select([col("n").max()]).collect()?, "n")
}

fn pairs(one: DataFrame, other: DataFrame, keys: usize) -> PolarsResult<u64> {
    use polars::prelude::IntoLazy;
    let on: Vec<Expr> = (0..keys).map(|i| col(format!("k{i}"))).collect();
    let other = other.lazy().rename(["n"], ["m"], true);
    let pairs = one.lazy().join(other, on.clone(), on, JoinType::Inner.into());
    let sum = pairs.select([(col("n") * col("m")).sum().alias("n")]).collect()?;
    number(&sum, "n")
}

/// Bytes of a row of the widest join, of those columns that a later operator reads.
fn width(frame: &LazyFrame) -> PolarsResult<usize> {
    let plan = frame.clone().to_alp_optimized()?;
    let mut pending = vec![plan.lp_top];
    let mut widest = 0;
    while let Some(node) = pending.pop() {
        let node = plan.lp_arena.get(node);
        pending.extend(node.inputs());
        if node.name().contains("join") {
            let schema = node.schema(&plan.lp_arena);
            let width = |dtype: &DataType| if matches!(dtype, DataType::String) { 16 } else { 8 };
            widest = widest.max(schema.iter_values().map(width).sum());
        }
    }
    Ok(widest)
}
