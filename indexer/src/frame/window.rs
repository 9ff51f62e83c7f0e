//! What polars calculates over neighbouring rows: for all rows, or for each group of them on its own.

use polars::prelude::{
    Column, DataFrame, DataType, Expr, FillNullStrategy, IntoLazy, PolarsError, RankMethod, RankOptions, col,
};

use crate::error::{Error, ErrorKind, Result};

/// What is calculated of the rows up to each, in their order, or of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The value so many rows before; behind where negative.
    Shift(i64),
    /// One more than how many values are smaller; of `dense` ranks, how many different ones.
    Rank {
        dense: bool,
    },
    Count,
    Sum,
    Avg,
    Min,
    Max,
}

/// Values of rows, and of results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbers {
    Whole(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
}

const GROUP: &str = "group";

/// Each calculation over its values; `groups` has a number for each row, or is nothing where all are one.
pub(crate) fn over(groups: Option<&[u32]>, rows: usize, asked: Vec<(Over, Numbers)>) -> Result<Vec<Numbers>> {
    calculated(groups, rows, asked).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            format!("columns of neighbouring rows could not be calculated: {error}"),
        )
    })
}

fn calculated(
    groups: Option<&[u32]>,
    rows: usize,
    asked: Vec<(Over, Numbers)>,
) -> std::result::Result<Vec<Numbers>, PolarsError> {
    let mut columns: Vec<Column> = groups.iter().map(|groups| Column::new(GROUP.into(), *groups)).collect();
    let mut wanted = Vec::with_capacity(asked.len());
    for (index, (what, numbers)) in asked.into_iter().enumerate() {
        let name = format!("values {index}");
        let expression = what.of(col(name.as_str()));
        let expression = match groups {
            Some(_) => expression.over([col(GROUP)])?,
            None => expression,
        };
        wanted.push(expression.alias(format!("result {index}")));
        columns.push(match numbers {
            Numbers::Whole(values) => Column::new(name.into(), values),
            Numbers::Floats(values) => Column::new(name.into(), values),
        });
    }
    let found = DataFrame::new(rows, columns)?.lazy().select(wanted).collect()?;
    let back = |column: &Column| {
        let series = column.as_materialized_series();
        Ok(if series.dtype().is_float() {
            Numbers::Floats(series.f64()?.iter().collect())
        } else {
            Numbers::Whole(series.cast(&DataType::Int64)?.i64()?.iter().collect())
        })
    };
    found.columns().iter().map(back).collect()
}

impl Over {
    fn of(self, values: Expr) -> Expr {
        // Where a value is missing, what was calculated up to there stands.
        let so_far = |values: Expr| values.fill_null_with_strategy(FillNullStrategy::Forward(None));
        let rank = |method| RankOptions { method, descending: false };
        match self {
            Over::Shift(rows) => values.shift(polars::prelude::lit(rows)),
            Over::Rank { dense: true } => values.rank(rank(RankMethod::Dense), None),
            Over::Rank { dense: false } => values.rank(rank(RankMethod::Min), None),
            Over::Count => values.cum_count(false),
            Over::Sum => so_far(values.cum_sum(false)),
            Over::Avg => {
                let count = values.clone().cum_count(false).cast(DataType::Float64);
                so_far(values.cast(DataType::Float64).cum_sum(false)) / count
            }
            Over::Min => so_far(values.cum_min(false)),
            Over::Max => so_far(values.cum_max(false)),
        }
    }
}
