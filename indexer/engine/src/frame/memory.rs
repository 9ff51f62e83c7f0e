//! What polars keeps besides its rows while it groups, sorts and looks over windows. It is estimated from the rows that
//! come to such an operator and charged against the memory of the query, before the operator begins: SQL that needs
//! more is refused by name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::{
    AggExpr, AllowedOptimizations, Column as Series, DataFrame, DataType, DslPlan, Expr, IdxCa, IdxSize,
    IntoLazy, LazyFrame, PolarsResult, col, len,
};

use super::lower::{inputs, unwrap};
use super::scan::Shared;

/// A row that is grouped: its hash, and its number in its group.
const GROUPED_ROW_BYTES: usize = 12;

/// A group: its place in a table of keys, and the list of its rows.
const GROUP_BYTES: usize = 64;

/// A row that is put in order: its number and its value.
const SORTED_ROW_BYTES: usize = 16;

/// A value of a row that is copied: the view of a text, whose bytes are shared.
const COPIED_VALUE_BYTES: usize = 16;

/// A number that is calculated for a row or a group.
const CALCULATED_BYTES: usize = 8;

/// So many rows tell how many different keys there are.
const SAMPLED_ROWS: usize = 1 << 14;

/// The plan with a charge before each operator that keeps something. What an operator below it has kept is given
/// back then.
pub(super) fn charged(frame: &LazyFrame, shared: &Arc<Shared>) -> LazyFrame {
    let mut plan = frame.logical_plan.clone();
    charge(&mut plan, usize::MAX, shared);
    LazyFrame::from(plan)
}

/// `shown` rows of the result are wanted. Returns what has been charged by the operators that rows come through last.
fn charge(plan: &mut DslPlan, shown: usize, shared: &Arc<Shared>) -> Vec<Arc<AtomicUsize>> {
    unwrap(plan);
    let operator = BlockingOperator::new(plan, shown);
    let shown = match plan {
        DslPlan::Slice { offset: 0, len, .. } => *len as usize,
        DslPlan::Select { .. } if operator.is_none() => shown,
        _ => usize::MAX,
    };
    let below: Vec<_> = inputs(plan).into_iter().flat_map(|input| charge(input, shown, shared)).collect();
    let (Some(operator), Some(input)) = (operator, inputs(plan).into_iter().next()) else { return below };
    let (shared, charged) = (Arc::clone(shared), Arc::new(AtomicUsize::new(0)));
    let taken = Arc::clone(&charged);
    let before = move |rows: DataFrame| -> PolarsResult<DataFrame> {
        for done in below.iter().chain([&taken]) {
            shared.give_back(done.swap(0, Ordering::Relaxed));
        }
        // A key that cannot be calculated is an error of the operator.
        let bytes = operator.bytes(&rows).unwrap_or(0);
        taken.store(bytes, Ordering::Relaxed);
        let what = format!("{} of {} rows", operator.name, rows.height());
        shared.take(&what, bytes).map_err(|error| shared.fail(error))?;
        Ok(rows)
    };
    let pushdown = AllowedOptimizations::PROJECTION_PUSHDOWN | AllowedOptimizations::PREDICATE_PUSHDOWN;
    let rows = LazyFrame::from(std::mem::take(input));
    *input = rows.map(before, pushdown, None, Some("MEMORY")).logical_plan;
    vec![charged]
}

/// An operator that looks at all rows before it hands on one.
struct BlockingOperator {
    name: &'static str,
    kept: Vec<WorkingMemory>,
}

enum WorkingMemory {
    /// Rows by keys, all columns where there are none, and so many numbers for each row and group.
    Groups(Vec<Expr>, usize),
    /// Rows in the order of keys, and how many of them are copied.
    Order(Vec<Expr>, usize),
}

impl BlockingOperator {
    fn new(plan: &DslPlan, shown: usize) -> Option<BlockingOperator> {
        Some(match plan {
            DslPlan::GroupBy { keys, aggs, .. } => BlockingOperator {
                name: "GROUP BY",
                kept: vec![WorkingMemory::Groups(keys.clone(), aggs.len())],
            },
            DslPlan::Distinct { options, .. } => {
                let keys = options.subset.clone().unwrap_or_default();
                BlockingOperator { name: "DISTINCT", kept: vec![WorkingMemory::Groups(keys, 0)] }
            }
            DslPlan::Sort { by_column, .. } => BlockingOperator {
                name: "ORDER BY",
                kept: vec![WorkingMemory::Order(by_column.clone(), shown)],
            },
            DslPlan::Select { expr: exprs, .. } | DslPlan::HStack { exprs, .. } => {
                let mut kept = Vec::new();
                let mut name = "DISTINCT";
                for part in exprs.iter().flatten() {
                    match part {
                        Expr::Over { partition_by, order_by, .. } => {
                            name = "OVER";
                            let order = order_by.iter().map(|(by, _)| (**by).clone()).collect();
                            kept.push(WorkingMemory::Order(order, 0));
                            add_window(&mut kept, partition_by);
                        }
                        Expr::Agg(AggExpr::NUnique(values)) => {
                            kept.push(WorkingMemory::Groups(vec![(**values).clone()], 0));
                        }
                        _ => {}
                    }
                }
                if kept.is_empty() {
                    return None;
                }
                BlockingOperator { name, kept }
            }
            _ => return None,
        })
    }

    fn bytes(&self, rows: &DataFrame) -> PolarsResult<usize> {
        let sample = sample(rows)?;
        self.kept.iter().map(|kept| kept.bytes(rows, &sample)).sum()
    }
}

/// Windows over the same rows share their groups, and each has a value for each row.
fn add_window(kept: &mut Vec<WorkingMemory>, partition_by: &[Expr]) {
    let known = kept.iter_mut().find_map(|kept| match kept {
        WorkingMemory::Groups(keys, values) if keys == partition_by => Some(values),
        _ => None,
    });
    match known {
        Some(values) => *values += 1,
        None if partition_by.is_empty() => {}
        None => kept.push(WorkingMemory::Groups(partition_by.to_vec(), 1)),
    }
}

impl WorkingMemory {
    fn bytes(&self, rows: &DataFrame, sample: &DataFrame) -> PolarsResult<usize> {
        let count = rows.height();
        let of_all = |some: usize| some * count / sample.height().max(1);
        Ok(match self {
            WorkingMemory::Groups(keys, values) => {
                let keys = keys_of(sample, keys)?;
                let (different, once) = groups(&keys)?;
                // A key that the sample has once represents as many keys as rows for a sampled one.
                let groups = different - once + of_all(once);
                count * (GROUPED_ROW_BYTES + CALCULATED_BYTES * values)
                    + of_all(bytes(&keys))
                    + groups * (GROUP_BYTES + CALCULATED_BYTES * values)
            }
            WorkingMemory::Order(keys, _) if keys.is_empty() => 0,
            WorkingMemory::Order(keys, shown) => {
                let keys = keys_of(sample, keys)?;
                let copied = count.min(*shown) * rows.width() * COPIED_VALUE_BYTES;
                count * SORTED_ROW_BYTES + of_all(bytes(&keys)) + copied
            }
        })
    }
}

/// Rows at equal distances.
fn sample(rows: &DataFrame) -> PolarsResult<DataFrame> {
    let count = rows.height();
    if count <= SAMPLED_ROWS {
        return Ok(rows.clone());
    }
    let places = (0..SAMPLED_ROWS).map(|place| (place * count / SAMPLED_ROWS) as IdxSize).collect();
    rows.take(&IdxCa::from_vec("rows".into(), places))
}

fn keys_of(sample: &DataFrame, keys: &[Expr]) -> PolarsResult<DataFrame> {
    let all = || sample.columns().iter().map(|column| col(column.name().clone())).collect();
    let keys: Vec<Expr> = if keys.is_empty() { all() } else { keys.to_vec() };
    let named = keys.into_iter().enumerate().map(|(place, key)| key.alias(format!("k{place}")));
    sample.clone().lazy().select(named.collect::<Vec<_>>()).collect()
}

/// How many different keys there are, and how many of them occur once.
fn groups(keys: &DataFrame) -> PolarsResult<(usize, usize)> {
    let by: Vec<Expr> = keys.columns().iter().map(|column| col(column.name().clone())).collect();
    let counted =
        keys.clone().lazy().group_by(by).agg([len().cast(DataType::Int64).alias("rows")]).collect()?;
    let once = counted.column("rows")?.i64()?.iter().filter(|rows| *rows == Some(1)).count();
    Ok((counted.height(), once))
}

/// What keys take where they are compared or kept.
fn bytes(keys: &DataFrame) -> usize {
    let of_column = |column: &Series| match column.str() {
        Ok(texts) => texts.iter().flatten().map(|text| COPIED_VALUE_BYTES + text.len()).sum(),
        Err(_) => column.len() * CALCULATED_BYTES,
    };
    keys.columns().iter().map(of_column).sum()
}
