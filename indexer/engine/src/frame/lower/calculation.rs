//! Calculations of SQL as those of `stats`, with what SQL makes of groups without a value.

use polars::prelude::{AggExpr, DataType, Expr, FunctionExpr, QuantileMethod, col};

use super::super::push::{Columns, Holds, constant};
use super::Reason;
use query::functions::Aggregation;

/// A column of `stats`: a function, its field and its parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatsColumn {
    pub function: Aggregation,
    pub field: Option<String>,
    pub parameter: Option<f64>,
    pub dtype: DataType,
}

/// Calculations that expressions ask for, each once.
pub(super) struct Calculations<'a> {
    columns: &'a Columns,
    schema: &'a polars::prelude::Schema,
    pub asked: Vec<StatsColumn>,
    /// Each calculation of the plan, and the same from columns of `stats`.
    pub leaves: Vec<(Expr, Expr)>,
}

/// The name of the column of the calculation at this place.
pub(super) fn calculated(place: usize) -> String {
    format!("a{place}")
}

/// The name of the calculation of the plan at this place.
pub(super) fn leaf(place: usize) -> String {
    format!("l{place}")
}

impl<'a> Calculations<'a> {
    pub fn new(columns: &'a Columns, schema: &'a polars::prelude::Schema) -> Calculations<'a> {
        Calculations { columns, schema, asked: Vec::new(), leaves: Vec::new() }
    }

    /// An expression over groups as one over columns that are calculated.
    pub fn rewritten(&mut self, expr: &Expr) -> Result<Expr, Reason> {
        if let Some(known) = self.leaves.iter().position(|(known, _)| known == expr) {
            return Ok(col(leaf(known)));
        }
        if let Some(value) = self.value(expr)? {
            self.leaves.push((expr.clone(), value));
            return Ok(col(leaf(self.leaves.len() - 1)));
        }
        let inner = |this: &mut Self, expr: &Expr| this.rewritten(expr).map(std::sync::Arc::new);
        Ok(match expr {
            Expr::Literal(_) => expr.clone(),
            Expr::Alias(input, name) => Expr::Alias(inner(self, input)?, name.clone()),
            Expr::BinaryExpr { left, op, right } => {
                Expr::BinaryExpr { left: inner(self, left)?, op: *op, right: inner(self, right)? }
            }
            Expr::Cast { expr, dtype, options } => {
                Expr::Cast { expr: inner(self, expr)?, dtype: dtype.clone(), options: *options }
            }
            Expr::Ternary { predicate, truthy, falsy } => Expr::Ternary {
                predicate: inner(self, predicate)?,
                truthy: inner(self, truthy)?,
                falsy: inner(self, falsy)?,
            },
            Expr::Function { input, function } if is_of_one_row(function) => Expr::Function {
                input: input.iter().map(|input| self.rewritten(input)).collect::<Result<_, _>>()?,
                function: function.clone(),
            },
            _ => {
                return Err("it shows something else than its groups, and counts, sums and the like of them");
            }
        })
    }

    /// A calculation of the plan from columns of `stats`; nothing where it is none.
    fn value(&mut self, expr: &Expr) -> Result<Option<Expr>, Reason> {
        use Aggregation as A;
        Ok(Some(match expr {
            Expr::Len => self.rows(),
            Expr::Agg(AggExpr::Count { input, include_nulls: true }) => {
                plain(input)?;
                self.rows()
            }
            Expr::Agg(AggExpr::Count { input, include_nulls: false }) => self.has_value(plain(input)?)?,
            Expr::Function { input, function: FunctionExpr::NullCount } if input.len() == 1 => {
                let there = self.has_value(plain(&input[0])?)?;
                self.rows() - there
            }
            Expr::Agg(AggExpr::NUnique(input)) => {
                let name = plain(input)?;
                if self.columns.holds(name) == Holds::Float {
                    return Err("it counts different decimals");
                }
                // No value is a value of its own here.
                let there = self.has_value(name)?;
                let none = self.rows().gt(there).cast(DataType::Int64);
                self.aggregate_column(A::CountDistinct, name, None, DataType::Int64) + none
            }
            Expr::Agg(AggExpr::Sum(input)) => {
                let name = plain(input)?;
                let dtype = match self.columns.holds(name) {
                    Holds::Whole => DataType::Int64,
                    Holds::Float => DataType::Float64,
                    _ => return Err(NO_NUMBERS),
                };
                self.aggregate_column(A::Sum, name, None, dtype).fill_null(polars::prelude::lit(0))
            }
            Expr::Agg(AggExpr::Mean(input)) => self.number(A::Avg, input, None)?,
            Expr::Agg(AggExpr::Median(input)) => self.number(A::Median, input, None)?,
            Expr::Agg(AggExpr::Std(input, 1)) => self.number(A::Stddev, input, None)?,
            Expr::Agg(AggExpr::Var(input, 1)) => self.number(A::Variance, input, None)?,
            Expr::Function { input, function: FunctionExpr::Quantile { method } } => {
                let [of, share] = input.as_slice() else { return Err(OTHER_FUNCTION) };
                if *method != QuantileMethod::Linear {
                    return Err("quantiles that are not between two values are not calculated by kernels");
                }
                let share: f64 = constant(share).and_then(|share| share.extract()).ok_or(OTHER_FUNCTION)?;
                self.number(A::Percentile, of, Some(share * 100.0))?
            }
            Expr::Agg(AggExpr::Min { input, propagate_nans: false }) => self.extreme(A::Min, input)?,
            Expr::Agg(AggExpr::Max { input, propagate_nans: false }) => self.extreme(A::Max, input)?,
            Expr::Agg(_) => return Err(OTHER_FUNCTION),
            _ => return Ok(None),
        }))
    }

    fn rows(&mut self) -> Expr {
        self.column(StatsColumn {
            function: Aggregation::Count,
            field: None,
            parameter: None,
            dtype: DataType::Int64,
        })
    }

    /// How many have a value.
    fn has_value(&mut self, name: &str) -> Result<Expr, Reason> {
        match self.columns.holds(name) {
            Holds::Raw => Err("it is of the text of events"),
            Holds::Other => Err("it is of patterns, or of a field with values of several types"),
            _ => Ok(self.aggregate_column(Aggregation::Count, name, None, DataType::Int64)),
        }
    }

    fn number(&mut self, function: Aggregation, of: &Expr, parameter: Option<f64>) -> Result<Expr, Reason> {
        let name = plain(of)?;
        if !matches!(self.columns.holds(name), Holds::Whole | Holds::Float) {
            return Err(NO_NUMBERS);
        }
        Ok(self.aggregate_column(function, name, parameter, DataType::Float64))
    }

    fn extreme(&mut self, function: Aggregation, of: &Expr) -> Result<Expr, Reason> {
        let name = plain(of)?;
        if matches!(self.columns.holds(name), Holds::Raw | Holds::Other) {
            return Err("it is of the text of events, or of a field with values of several types");
        }
        let dtype = self.schema.get(name).cloned().ok_or(OTHER_FUNCTION)?;
        Ok(self.aggregate_column(function, name, None, dtype))
    }

    fn aggregate_column(
        &mut self,
        function: Aggregation,
        name: &str,
        parameter: Option<f64>,
        dtype: DataType,
    ) -> Expr {
        self.column(StatsColumn { function, field: Some(name.to_owned()), parameter, dtype })
    }

    fn column(&mut self, column: StatsColumn) -> Expr {
        let place = self.asked.iter().position(|known| *known == column).unwrap_or_else(|| {
            self.asked.push(column);
            self.asked.len() - 1
        });
        col(calculated(place))
    }
}

const NO_NUMBERS: Reason = "it calculates with values that are not numbers";
const OTHER_FUNCTION: Reason = "one of its functions is not calculated by kernels";

fn plain(expr: &Expr) -> Result<&str, Reason> {
    match expr {
        Expr::Column(name) => Ok(name),
        _ => Err("it calculates with an expression, not with a field"),
    }
}

/// Functions whose value for a row comes from that row alone.
fn is_of_one_row(function: &FunctionExpr) -> bool {
    matches!(
        function,
        FunctionExpr::Abs
            | FunctionExpr::Coalesce
            | FunctionExpr::Round { .. }
            | FunctionExpr::Floor
            | FunctionExpr::Ceil
    )
}
