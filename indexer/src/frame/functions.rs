//! Functions of SQL that polars lacks: bins of time.

use std::sync::Arc;

use polars::prelude::{
    BaseColumnUdf, Column, Field, IntoLazy, PolarsError, PolarsResult, Schema, UserDefinedFunction, col, lit,
};
use polars::sql::{FunctionOptions, FunctionRegistry, SQLContext};

/// Each with what it does.
pub(crate) const FUNCTIONS: [&str; 2] = ["date_trunc", "time_bucket"];

/// Units as SQL names them, and as polars does.
const UNITS: [(&str, &str); 9] = [
    ("millisecond", "ms"),
    ("second", "s"),
    ("minute", "m"),
    ("hour", "h"),
    ("day", "d"),
    ("week", "w"),
    ("month", "mo"),
    ("quarter", "q"),
    ("year", "y"),
];

/// A context that knows them.
pub(super) fn context() -> SQLContext {
    SQLContext::new().with_function_registry(Arc::new(Functions))
}

struct Functions;

impl FunctionRegistry for Functions {
    fn register(&mut self, name: &str, _: UserDefinedFunction) -> PolarsResult<()> {
        Err(PolarsError::ComputeError(format!("{name} cannot be added").into()))
    }

    fn get_udf(&self, name: &str) -> PolarsResult<Option<UserDefinedFunction>> {
        Ok(FUNCTIONS.into_iter().find(|known| *known == name).map(bins))
    }

    fn contains(&self, name: &str) -> bool {
        FUNCTIONS.contains(&name)
    }
}

/// The beginning of the bin that a time lies in; both functions take a width and a time.
fn bins(name: &'static str) -> UserDefinedFunction {
    let begin = move |columns: &mut [Column]| -> PolarsResult<Column> {
        let [width, times] = columns else { return Err(usage(name)) };
        let written = width.str().ok().and_then(|text| text.get(0)).ok_or_else(|| usage(name))?;
        let width = width_of(written).ok_or_else(|| usage(name))?;
        if !times.dtype().is_temporal() {
            return Err(usage(name));
        }
        let named = times.name().clone();
        let table = times.clone().with_name("t".into()).into_frame();
        let bins = table.lazy().select([col("t").dt().truncate(lit(width))]).collect()?;
        Ok(bins.column("t")?.clone().with_name(named))
    };
    let typed = move |_: &Schema, fields: &[Field]| fields.get(1).cloned().ok_or_else(|| usage(name));
    let mut function = UserDefinedFunction::new(name.into(), BaseColumnUdf::new(begin, typed));
    function.options = FunctionOptions::elementwise();
    function
}

fn usage(name: &str) -> PolarsError {
    let example = if name == "date_trunc" { "'hour'" } else { "'5 minutes'" };
    PolarsError::SQLInterface(
        format!("a width and a time are what `{name}` takes: {name}({example}, time)").into(),
    )
}

/// `hour`, `5 minutes`, `5m`, as polars writes it: `1h`, `5m`.
fn width_of(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u32 = if number.is_empty() { 1 } else { number.parse().ok().filter(|&number| number > 0)? };
    let unit = unit.trim();
    let (_, short) = UNITS.iter().find(|(name, short)| {
        unit == *name || unit.strip_suffix('s').is_some_and(|one| one == *name) || unit == *short
    })?;
    Some(format!("{number}{short}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_read_as_people_write_them() {
        for (written, expected) in [
            ("hour", Some("1h")),
            ("5 minutes", Some("5m")),
            ("15m", Some("15m")),
            ("Month", Some("1mo")),
            ("0 days", None),
            ("fortnight", None),
        ] {
            assert_eq!(width_of(written).as_deref(), expected, "{written}");
        }
    }
}
