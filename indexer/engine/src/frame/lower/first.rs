//! `ORDER BY field LIMIT n`: the kernels find the value of the last row that is shown, and only events up to it are
//! read. What is sorted and shown of them stays with polars, ties and missing values too.

use std::sync::Arc;

use polars::prelude::{DslPlan, Expr, col, lit};

use super::super::push::Holds;
use super::source::Source;
use super::unwrap;
use crate::pipe::Cell;
use base::error::Result;
use base::limits::PAGE_ROWS;
use query::{Expr as Value, ExprKind, NamePattern, SortKey, Span, Stage, StageKind};

/// Where a plan shows the first rows in the order of a field of whole numbers, the rows that cannot be among them
/// are left out before they are sorted. Tells whether it did so.
pub(super) fn bound(plan: &mut DslPlan) -> Result<bool> {
    let DslPlan::Slice { input, offset, len } = plan else { return Ok(false) };
    let Some(rows) = usize::try_from(*offset).ok().and_then(|offset| offset.checked_add(*len as usize))
    else {
        return Ok(false);
    };
    if !(1..=PAGE_ROWS).contains(&rows) {
        return Ok(false);
    }
    let mut below = Arc::make_mut(input);
    loop {
        unwrap(below);
        match below {
            DslPlan::Select { input, expr, .. } if expr.iter().all(is_plain) => below = Arc::make_mut(input),
            DslPlan::Sort { input, by_column, slice: None, sort_options } => {
                let ([Expr::Column(name)], [descending], [nulls_last]) = (
                    by_column.as_slice(),
                    sort_options.descending.as_slice(),
                    sort_options.nulls_last.as_slice(),
                ) else {
                    return Ok(false);
                };
                let Some(condition) = condition(input, name, rows, (*descending, !*nulls_last))? else {
                    return Ok(false);
                };
                let below = as_it_is(Arc::make_mut(input), name);
                let rows = Arc::new(std::mem::take(below));
                *below = DslPlan::Filter { input: rows, predicate: condition };
                return Ok(true);
            }
            _ => return Ok(false),
        }
    }
}

/// What the first rows have in common.
fn condition(
    input: &Arc<DslPlan>,
    name: &str,
    rows: usize,
    (descending, nulls_first): (bool, bool),
) -> Result<Option<Expr>> {
    if !only_shows(input) {
        return Ok(None);
    }
    let mut below = (**input).clone();
    let Ok(source) = Source::new(as_it_is(&mut below, name), &[name])? else { return Ok(None) };
    let events = source.events()?;
    if events.columns.holds(name) != Holds::Whole || events.shared.options.by_rows {
        return Ok(None);
    }
    let span = Span::default();
    let value = Value { kind: ExprKind::Field(name.to_owned()), span };
    let shown = NamePattern { pattern: name.to_owned(), span };
    let kinds = [
        StageKind::Sort(vec![SortKey { value, descending }]),
        StageKind::Limit(rows as u64),
        StageKind::Keep(vec![shown]),
    ];
    let table = source.run(kinds.into_iter().map(|kind| Stage { kind, span }).collect())?;
    // With fewer rows than that all are shown; missing values come last there.
    if table.rows() < rows {
        return Ok(None);
    }
    let Cell::Int(last) = table.cell(rows - 1, 0) else { return Ok(None) };
    let within = if descending { col(name).gt_eq(lit(last)) } else { col(name).lt_eq(lit(last)) };
    Ok(Some(if nulls_first { within.or(col(name).is_null()) } else { within }))
}

/// The plan before columns are shown that are what they were.
fn as_it_is<'p>(plan: &'p mut DslPlan, name: &str) -> &'p mut DslPlan {
    unwrap(plan);
    let shows = matches!(plan, DslPlan::HStack { exprs, .. } if exprs.iter().all(|expr| keeps(expr, name)));
    if !shows {
        return plan;
    }
    match plan {
        DslPlan::HStack { input, .. } => as_it_is(Arc::make_mut(input), name),
        other => other,
    }
}

/// Whether a column of this name is what it was.
fn keeps(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Alias(_, shown) => shown != name,
        _ => false,
    }
}

fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) | Expr::Literal(_) => true,
        Expr::Alias(inner, _) => is_plain(inner),
        _ => false,
    }
}

/// Whether a plan shows each row from that row alone, so that rows can be left out before it.
fn only_shows(plan: &DslPlan) -> bool {
    match plan {
        DslPlan::IR { dsl, .. } => only_shows(dsl),
        DslPlan::Filter { input, predicate } => is_of_one_row(predicate) && only_shows(input),
        DslPlan::Select { input, expr, .. } | DslPlan::HStack { input, exprs: expr, .. } => {
            expr.iter().all(is_plain) && only_shows(input)
        }
        DslPlan::Scan { .. } => true,
        _ => false,
    }
}

/// Conditions on the rows, with nothing in between that looks at other rows.
fn is_of_one_row(condition: &Expr) -> bool {
    condition.into_iter().all(|part| {
        matches!(
            part,
            Expr::Column(_)
                | Expr::Literal(_)
                | Expr::BinaryExpr { .. }
                | Expr::Cast { .. }
                | Expr::Alias(..)
                | Expr::Function { .. }
        )
    })
}
