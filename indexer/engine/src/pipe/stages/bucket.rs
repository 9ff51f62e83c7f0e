//! `bucket`: which of some equally filled ranges of its values a number is in. Equal numbers are in the same one.

use std::sync::Arc;

use ingest::NO_INT;

use super::super::column::{Column, Data, as_floats, filled};
use super::super::expr::invalid;
use super::super::run::Run;
use super::super::step::{Kept, Step};
use super::super::table::Table;
use crate::percentile::between;
use base::error::Result;
use query::Span;

pub struct Bucket {
    value: Arc<str>,
    span: Span,
    count: usize,
    name: String,
    kept: Kept,
}

impl Bucket {
    pub fn new(value: Arc<str>, span: Span, count: usize, name: String) -> Bucket {
        Bucket { value, span, count, name, kept: Kept::new("bucket") }
    }

    /// The values as floats, NaN where there is none. A column without any number is refused.
    fn numbers(&self, column: &Column) -> Result<Vec<f64>> {
        let numbers: Vec<f64> = match &column.data {
            Data::Float(values) => filled(values, f64::NAN).into_owned(),
            Data::Int(values) | Data::Time(values) => filled(&as_floats(values), f64::NAN).into_owned(),
            _ => (0..column.len()).map(|row| column.cell(row).number().unwrap_or(f64::NAN)).collect(),
        };
        let other = (0..column.len()).find(|&row| !column.is_missing(row) && numbers[row].is_nan());
        if let Some(row) = other
            && numbers.iter().all(|number| number.is_nan())
        {
            let message = format!(
                "`{}` is {} here, not a number, so that its values have no ranges",
                self.value,
                column.cell(row).type_name()
            );
            let hint = format!("take a number, or count its values with top 10 {}", self.value);
            return Err(invalid(message, self.span).hint(hint));
        }
        Ok(numbers)
    }
}

impl Step for Bucket {
    fn push(&mut self, rows: Table, run: &Run<'_>) -> Result<Option<Table>> {
        self.kept.push(rows, run)?;
        Ok(None)
    }

    fn finish(&mut self, run: &Run<'_>) -> Result<Option<Table>> {
        let mut table = self.kept.take(run)?;
        let bytes = table.bytes() + table.rows() * 3 * size_of::<f64>();
        run.budget.take("bucket", bytes)?;
        let numbers = self.numbers(&table.column_or_missing(&self.value))?;
        let mut sorted: Vec<f64> = numbers.iter().copied().filter(|number| !number.is_nan()).collect();
        run.check()?;
        sorted.sort_unstable_by(f64::total_cmp);
        let bound = |part: usize| {
            // In whole numbers, so that a bound that is a value is exactly that.
            let product = part as u128 * (sorted.len() - 1) as u128;
            let place = (product / self.count as u128) as usize;
            let way = (product % self.count as u128) as f64 / self.count as f64;
            sorted.get(place + 1).map_or(sorted[place], |&to| between(sorted[place], to, way))
        };
        let bounds: Vec<f64> =
            if sorted.is_empty() { Vec::new() } else { (1..self.count).map(bound).collect() };
        let bucket = |&number: &f64| {
            if number.is_nan() { NO_INT } else { bounds.partition_point(|&bound| bound < number) as i64 + 1 }
        };
        table.set(&self.name, Column::ints(numbers.iter().map(bucket).collect()));
        run.budget.give_back(bytes);
        Ok(Some(table))
    }
}
