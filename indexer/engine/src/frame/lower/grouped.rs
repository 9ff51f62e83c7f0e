//! An aggregation of events as `stats` calculates it.

use std::sync::Arc;

use polars::prelude::{
    Column as Series, DataFrame, DataType, DslPlan, Expr, IntoLazy, LazyFrame, PlSmallStr, col,
};

use super::super::convert::series_of;
use super::super::functions::{begins, binned, width_of};
use super::super::push::{Holds, constant, text};
use super::super::{internal, refused};
use super::calculation::{Calculations, StatsColumn, calculated, leaf};
use super::source::Source;
use super::{Decided, Reason};
use crate::pipe::{ColumnData as Data, Table, Width};
use base::error::Result;
use query::functions::{Aggregation, Function};
use query::{Aggregate, Expr as Value, ExprKind, Group, Quantity, Span, Stage, StageKind};

/// An aggregation that is lowered: what it is of, and how its result becomes that of the plan.
pub(super) struct Grouped {
    source: Source,
    keys: Vec<GroupKey>,
    calculations: Vec<StatsColumn>,
    /// Calculations of the plan from the columns of `stats`.
    leaves: Vec<Expr>,
    having: Vec<Expr>,
    shown: Vec<Expr>,
}

struct GroupKey {
    field: String,
    width: Option<Quantity>,
    dtype: DataType,
}

/// What a plan groups, by what, and what it shows.
struct Parts<'p> {
    input: &'p Arc<DslPlan>,
    keys: &'p [Expr],
    having: &'p [Expr],
    shown: &'p [Expr],
}

impl<'p> Parts<'p> {
    fn from_plan(plan: &'p DslPlan) -> Option<Parts<'p>> {
        match plan {
            DslPlan::GroupBy { input, keys, predicates, aggs, .. } => {
                Some(Parts { input, keys, having: predicates, shown: aggs })
            }
            // An aggregation without groups makes one row.
            DslPlan::Select { input, expr, .. } if expr.iter().any(aggregates) => {
                Some(Parts { input, keys: &[], having: &[], shown: expr })
            }
            _ => None,
        }
    }
}

fn aggregates(expr: &Expr) -> bool {
    expr.into_iter().any(|part| matches!(part, Expr::Agg(_) | Expr::Len))
        && !expr.into_iter().any(|part| matches!(part, Expr::Over { .. }))
}

impl Grouped {
    /// Whether a node of a plan is an aggregation.
    pub fn is_one(plan: &DslPlan) -> bool {
        Parts::from_plan(plan).is_some()
    }

    /// Whether an aggregation can be calculated by kernels; if not, why.
    pub fn new(plan: &DslPlan) -> Decided<Grouped> {
        let Some(parts) = Parts::from_plan(plan) else { return Ok(Err("it is not an aggregation")) };
        if let DslPlan::GroupBy { maintain_order, options, apply, .. } = plan
            && (*maintain_order || apply.is_some() || options.slice.is_some() || options.is_rolling())
        {
            return Ok(Err("its groups overlap or have an order"));
        }
        let exprs = || parts.keys.iter().chain(parts.having).chain(parts.shown);
        let mut names: Vec<&str> = Vec::new();
        for name in exprs().flatten().filter_map(|part| match part {
            Expr::Column(name) => Some(name.as_str()),
            _ => None,
        }) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let source = match Source::new(parts.input, &names)? {
            Ok(source) => source,
            Err(reason) => return Ok(Err(reason)),
        };
        Self::of_parts(&parts, source)
    }

    fn of_parts(parts: &Parts<'_>, source: Source) -> Decided<Grouped> {
        let events = source.events()?;
        if events.shared.options.by_rows {
            return Ok(Err("nothing is calculated by kernels"));
        }
        let keys: std::result::Result<Vec<GroupKey>, Reason> =
            parts.keys.iter().map(|key| GroupKey::new(key, &source)).collect::<Result<_>>()?;
        let keys = match keys {
            Ok(keys) if keys.iter().filter(|key| key.width.is_some()).count() > 1 => {
                return Ok(Err("it groups by bins of two widths"));
            }
            Ok(keys) => keys,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut calculations = Calculations::new(&events.columns, &events.schema);
        let mut all = |exprs: &[Expr]| -> std::result::Result<Vec<Expr>, Reason> {
            exprs.iter().map(|expr| calculations.rewritten(expr)).collect()
        };
        let (having, shown) = match (all(parts.having), all(parts.shown)) {
            (Ok(having), Ok(shown)) => (having, shown),
            (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
        };
        let (asked, found) = (calculations.asked, calculations.leaves);
        let (leaves, values): (Vec<Expr>, Vec<Expr>) = found.into_iter().unzip();
        let typed = typed(parts, &leaves)?;
        let leaves = values.into_iter().zip(typed).enumerate();
        let leaves = leaves.map(|(place, (value, dtype))| value.cast(dtype).alias(leaf(place))).collect();
        Ok(Ok(Grouped { source, keys, calculations: asked, leaves, having, shown }))
    }

    /// The result of the plan, which is this aggregation.
    pub fn answer(&self, plan: &DslPlan) -> Decided<DslPlan> {
        let table = self.source.run(vec![self.stage()])?;
        let frame = match self.frame(&table)? {
            Ok(frame) => frame,
            Err(reason) => return Ok(Err(reason)),
        };
        let schema = LazyFrame::from(plan.clone()).collect_schema().map_err(|error| refused(&error))?;
        let names: Vec<&PlSmallStr> = schema.iter_names().collect();
        let keys = (0..self.keys.len()).map(|place| col(key(place)));
        let shown: Vec<Expr> = keys.chain(self.shown.iter().cloned()).collect();
        if shown.len() != names.len() {
            return Ok(Err("its columns are named in another way"));
        }
        let shown = shown.into_iter().zip(&names).map(|(expr, name)| expr.alias((*name).clone()));
        let shown: Vec<Expr> = shown.collect();
        let calculated = frame.lazy().with_columns(self.leaves.clone());
        let mut result =
            self.having.iter().fold(calculated, |frame, part| frame.filter(part.clone())).select(shown);
        // Whatever does not have the same names and types is not the same.
        if result.collect_schema().map_err(|error| refused(&error))? != schema {
            return Ok(Err("its columns would have other types"));
        }
        Ok(Ok(result.logical_plan))
    }

    fn stage(&self) -> Stage {
        let span = Span::default();
        let field = |name: &str| Value { kind: ExprKind::Field(name.to_owned()), span };
        let by = self.keys.iter().enumerate().map(|(place, one)| {
            let value = match one.width {
                None => field(&one.field),
                Some(width) => {
                    let width = Value { kind: ExprKind::Quantity(width), span };
                    Value { kind: ExprKind::Call(Function::Bin, vec![field(&one.field), width]), span }
                }
            };
            Group { value, name: Some(key(place)), span }
        });
        let aggregates = self.calculations.iter().enumerate().map(|(place, column)| Aggregate {
            function: column.function,
            argument: column.field.as_deref().map(field),
            parameter: column.parameter,
            condition: None,
            name: Some(calculated(place)),
            span,
        });
        let mut aggregates: Vec<Aggregate> = aggregates.collect();
        if aggregates.is_empty() {
            let (function, name) = (Aggregation::Count, Some(calculated(0)));
            aggregates.push(Aggregate {
                function,
                argument: None,
                parameter: None,
                condition: None,
                name,
                span,
            });
        }
        Stage { kind: StageKind::Stats { aggregates, by: by.collect() }, span }
    }

    /// The groups, and what is calculated of them.
    fn frame(&self, table: &Table) -> Decided<DataFrame> {
        let mut columns: Vec<Series> = Vec::with_capacity(self.keys.len() + self.calculations.len());
        for (place, one) in self.keys.iter().enumerate() {
            let name = key(place);
            let found = series_of(&name, &table.column_or_missing(&name), &one.dtype)?;
            if let Some(width) = one.width
                && !self.are_bins(&found, width)?
            {
                return Ok(Err("its bins begin where those of the language do not"));
            }
            columns.push(found);
        }
        for (place, one) in self.calculations.iter().enumerate() {
            let name = calculated(place);
            let found = table.column_or_missing(&name);
            let fits = one.dtype != DataType::Int64 || matches!(found.data, Data::Int(_) | Data::Missing(_));
            if !fits {
                return Ok(Err("a sum is beyond 64 bits"));
            }
            columns.push(series_of(&name, &found, &one.dtype)?);
        }
        let frame = DataFrame::new(table.rows(), columns).map_err(|error| internal(&error))?;
        Ok(Ok(frame))
    }

    /// Whether SQL puts the first and the last instant of each bin into that bin, and so all between them.
    fn are_bins(&self, starts: &Series, width: Quantity) -> Result<bool> {
        let zone = &self.source.events()?.shared.options.zone;
        let physical = starts.cast(&DataType::Int64).map_err(|error| internal(&error))?;
        let instants: Vec<i64> = physical.i64().map_err(|error| internal(&error))?.iter().flatten().collect();
        let end = |&start: &i64| Width::from_quantity(width).around(start, zone).map(|(_, end)| end - 1);
        let Some(ends) = instants.iter().map(end).collect::<Option<Vec<i64>>>() else { return Ok(false) };
        let begin = |times: &[i64]| -> Result<Option<Vec<Option<i64>>>> {
            let times =
                Series::new("t".into(), times).cast(starts.dtype()).map_err(|error| internal(&error))?;
            let Ok(found) = begins(times, width) else { return Ok(None) };
            let found = found.cast(&DataType::Int64).map_err(|error| internal(&error))?;
            Ok(Some(found.i64().map_err(|error| internal(&error))?.iter().collect()))
        };
        let wanted: Option<Vec<Option<i64>>> = Some(instants.iter().copied().map(Some).collect());
        Ok(begin(&instants)? == wanted && begin(&ends)? == wanted)
    }
}

fn key(place: usize) -> String {
    format!("k{place}")
}

impl GroupKey {
    fn new(expr: &Expr, source: &Source) -> Decided<GroupKey> {
        let events = source.events()?;
        let mut inner = expr;
        while let Expr::Alias(input, _) = inner {
            inner = input;
        }
        if let Some((width, Expr::Column(name))) = binned(inner) {
            let written = constant(width).and_then(|width| text(&width));
            let width = written.and_then(|width| width_of(&width)).filter(|_| name == "time");
            let Some(width) = width else { return Ok(Err("a group is an expression")) };
            let dtype = events.shared.time_type()?;
            return Ok(Ok(GroupKey { field: name.to_string(), width: Some(width), dtype }));
        }
        let Expr::Column(name) = inner else { return Ok(Err("a group is an expression")) };
        let dtype = events.schema.get(name).cloned();
        Ok(match (events.columns.holds(name), dtype) {
            (Holds::Level | Holds::Source | Holds::Text | Holds::Whole | Holds::Bool, Some(dtype)) => {
                Ok(GroupKey { field: name.to_string(), width: None, dtype })
            }
            (Holds::Time | Holds::Raw, _) => Err("hardly two events have the same time or text"),
            (Holds::Float, _) => Err("it groups by decimals"),
            _ => Err("it groups by patterns, or by a field with values of several types"),
        })
    }
}

/// The types that calculations have in the plan.
fn typed(parts: &Parts<'_>, leaves: &[Expr]) -> Result<Vec<DataType>> {
    if leaves.is_empty() {
        return Ok(Vec::new());
    }
    let named = leaves.iter().enumerate().map(|(place, expr)| expr.clone().alias(leaf(place)));
    let named: Vec<Expr> = named.collect();
    let frame = LazyFrame::from((**parts.input).clone());
    let mut frame =
        if parts.keys.is_empty() { frame.select(named) } else { frame.group_by(parts.keys).agg(named) };
    let schema = frame.collect_schema().map_err(|error| refused(&error))?;
    Ok(schema.iter_values().skip(parts.keys.len()).cloned().collect())
}
