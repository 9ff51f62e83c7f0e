//! Sums of whole numbers in SQL. polars adds them in the width of their column and says nothing of what does not fit:
//! each is compared with the sum of the same numbers as decimals.

use std::sync::Arc;

use polars::prelude::{
    AggExpr, BaseColumnUdf, Column, DataType, Expr, Field, FunctionExpr, PolarsError, PolarsResult, Schema,
    UserDefinedFunction,
};
use polars::sql::FunctionOptions;

use super::scan::Shared;
use base::error::{Error, ErrorKind};

/// Sums that are added by a sum which is checked.
const MOST_WITHIN: usize = 8;

/// A sum with a check after it; one that does not fit ends the run with an error that says so.
pub(super) fn with_check(expr: Expr, check: &UserDefinedFunction) -> Expr {
    let decimals = |input: &Expr| Arc::new(input.clone().cast(DataType::Float64));
    let other = match &expr {
        Expr::Agg(AggExpr::Sum(input)) => Expr::Agg(AggExpr::Sum(decimals(input))),
        Expr::Function { input, function: function @ FunctionExpr::CumSum { .. } } if input.len() == 1 => {
            let input = vec![(*decimals(&input[0])).clone()];
            Expr::Function { input, function: function.clone() }
        }
        _ => return expr,
    };
    // What is added is calculated twice, which must not double with each sum of sums.
    let is_check =
        |part: &Expr| matches!(part, Expr::AnonymousFunction { function, .. } if *function == check.fun);
    if (&expr).into_iter().filter(|part| is_check(part)).count() > MOST_WITHIN {
        return expr;
    }
    check.clone().call(vec![expr, other])
}

/// A function of sums and the same sums of decimals, which gives the sums.
pub(super) fn check(shared: &Arc<Shared>) -> UserDefinedFunction {
    let shared = Arc::clone(shared);
    let compare = move |columns: &mut [Column]| -> PolarsResult<Column> {
        let [sums, decimals] = columns else { return Err(internal()) };
        if is_beyond(sums, decimals)? {
            let message = "a sum is beyond the whole numbers of its type";
            return Err(shared.fail(
                Error::new(ErrorKind::QueryInvalid, message).hint("add decimals: sum(CAST(x AS DOUBLE))"),
            ));
        }
        Ok(sums.clone())
    };
    let typed = |_: &Schema, fields: &[Field]| fields.first().cloned().ok_or_else(internal);
    let mut function = UserDefinedFunction::new("sum".into(), BaseColumnUdf::new(compare, typed));
    function.options = FunctionOptions::elementwise();
    function
}

/// A sum that does not fit is off by a multiple of all numbers of its type, which decimals are never off by.
fn is_beyond(sums: &Column, decimals: &Column) -> PolarsResult<bool> {
    let bits = match sums.dtype() {
        DataType::Int64 | DataType::UInt64 => 64,
        DataType::Int32 | DataType::UInt32 => 32,
        _ => return Ok(false),
    };
    let sums = sums.cast(&DataType::Float64)?;
    let mut pairs = sums.f64()?.iter().zip(decimals.f64()?.iter());
    Ok(pairs.any(|pair| match pair {
        (Some(sum), Some(decimals)) => (sum - decimals).abs() > 2_f64.powi(bits - 2),
        _ => false,
    }))
}

fn internal() -> PolarsError {
    PolarsError::ComputeError("a sum has no decimals".into())
}
