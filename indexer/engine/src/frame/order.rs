//! The order of rows by several keys, from polars.

use polars::prelude::{
    Column as Series, DataType, RankMethod, RankOptions, SeriesRank, SortMultipleOptions, SortOptions,
};

use super::convert::series;
use super::internal;
use super::thread::over_rows;
use crate::pipe::{Column, ColumnData as Data};
use base::Cancel;
use base::error::Result;

/// The rows in the order of keys, each with whether its greatest value comes first. Missing values come last in either
/// direction, and equal rows stay in their order.
pub fn order(keys: &[(Column, bool)], rows: usize, cancel: &Cancel) -> Result<Vec<u32>> {
    let descending: Vec<bool> = keys.iter().map(|(_, descending)| *descending).collect();
    let keys: Vec<Series> = keys.iter().map(|(column, _)| comparable(column)).collect::<Result<_>>()?;
    over_rows(rows, cancel, move || {
        let found = match keys.as_slice() {
            [] => return Ok((0..rows as u32).collect()),
            [key] => {
                let options = SortOptions::new().with_maintain_order(true).with_nulls_last(true);
                key.as_materialized_series().arg_sort(options.with_order_descending(descending[0]))
            }
            [first, others @ ..] => {
                let options = SortMultipleOptions::new().with_maintain_order(true);
                let options = options.with_nulls_last_multi(descending.iter().map(|_| true));
                let options = options.with_order_descending_multi(descending);
                let first = first.as_materialized_series();
                first.arg_sort_multiple(others, &options).map_err(|error| internal(&error))?
            }
        };
        Ok(found.into_no_null_iter().collect())
    })
}

/// Values that compare as the column's do. Of texts that repeat only the distinct ones are compared.
fn comparable(column: &Column) -> Result<Series> {
    let column = column.in_order();
    match &column.data {
        Data::Text { codes, texts } if texts.len() <= codes.len() / 2 => {
            let distinct =
                Column::new(Data::Text { codes: (0..texts.len() as u32).collect(), texts: texts.clone() });
            let options = RankOptions { method: RankMethod::Dense, descending: false };
            let ranks = series("", &distinct)?.as_materialized_series().rank(options, None);
            let ranks = ranks.cast(&DataType::UInt32).map_err(|error| internal(&error))?;
            let ranks = ranks.u32().map_err(|error| internal(&error))?;
            let ranks: Vec<Option<u32>> = ranks.iter().collect();
            let rank = |&code: &u32| ranks.get(code as usize).copied().flatten();
            Ok(Series::new("".into(), codes.iter().map(rank).collect::<Vec<_>>()))
        }
        Data::Missing(rows) => Ok(Series::full_null("".into(), *rows, &DataType::Int64)),
        _ => series("", &column),
    }
}
