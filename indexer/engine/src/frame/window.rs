//! What polars calculates over neighbouring rows: for all rows, or for each group of them on its own.

use polars::prelude::{
    Column as Series, DataFrame, DataType, Expr, FillNullStrategy, IntoLazy, RankMethod, RankOptions, col,
    lit,
};

use super::convert::{column, series};
use super::internal;
use crate::pipe::Column;
use base::error::Result;

/// What is calculated of the rows up to each, in their order, or of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The value so many rows before; after if negative.
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
    /// The last of one of these: what it is of all rows.
    GroupCount,
    GroupSum,
    GroupAvg,
    GroupMin,
    GroupMax,
}

const GROUP: &str = "group";

/// Each calculation over its values; `groups` has a number for each row, or is nothing where all are one.
pub fn over(groups: Option<&[u32]>, rows: usize, asked: &[(Over, Column)]) -> Result<Vec<Column>> {
    let mut columns: Vec<Series> = groups.iter().map(|groups| Series::new(GROUP.into(), *groups)).collect();
    let mut wanted = Vec::with_capacity(asked.len());
    for (index, (what, values)) in asked.iter().enumerate() {
        let name = format!("values {index}");
        let expression = what.expression(col(name.as_str()));
        let expression = match groups {
            Some(_) => expression.over([col(GROUP)]).map_err(|error| internal(&error))?,
            None if what.is_of_group() => expression.over([lit(0)]).map_err(|error| internal(&error))?,
            None => expression,
        };
        wanted.push(expression.alias(format!("result {index}")));
        columns.push(series(&name, values)?);
    }
    let frame = DataFrame::new(rows, columns).map_err(|error| internal(&error))?;
    let found = frame.lazy().select(wanted).collect().map_err(|error| internal(&error))?;
    found.columns().iter().map(column).collect()
}

impl Over {
    /// Whether it is one value for all rows of a group.
    fn is_of_group(self) -> bool {
        matches!(self, Over::GroupCount | Over::GroupSum | Over::GroupAvg | Over::GroupMin | Over::GroupMax)
    }

    /// The same of all rows of the group.
    pub fn of_group(self) -> Over {
        match self {
            Over::Count => Over::GroupCount,
            Over::Sum => Over::GroupSum,
            Over::Avg => Over::GroupAvg,
            Over::Min => Over::GroupMin,
            Over::Max => Over::GroupMax,
            other => other,
        }
    }

    fn expression(&self, values: Expr) -> Expr {
        // A missing value keeps the result so far.
        let so_far = |values: Expr| values.fill_null_with_strategy(FillNullStrategy::Forward(None));
        let rank = |method| RankOptions { method, descending: false };
        match *self {
            Over::Shift(rows) => values.shift(lit(rows)),
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
            Over::GroupCount => values.count(),
            Over::GroupSum => values.sum(),
            Over::GroupAvg => values.mean(),
            Over::GroupMin => values.min(),
            Over::GroupMax => values.max(),
        }
    }
}
