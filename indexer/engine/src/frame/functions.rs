//! Functions of SQL that polars lacks: bins of time.

use std::sync::{Arc, LazyLock};

use polars::prelude::{
    BaseColumnUdf, Column, Expr, Field, FunctionExpr, IntoLazy, PolarsError, PolarsResult, Schema,
    TemporalFunction, UserDefinedFunction, col, lit,
};
use polars::sql::{FunctionOptions, FunctionRegistry, SQLContext};

use base::error::{Error, ErrorKind};
use query::{Quantity, Unit, nearest};

/// Each with what it does.
pub const FUNCTIONS: [&str; 2] = ["date_trunc", "time_bucket"];

/// Units as SQL names them, as polars does, and those of the language.
const UNITS: [(&str, &str, Unit); 9] = [
    ("millisecond", "ms", Unit::Millisecond),
    ("second", "s", Unit::Second),
    ("minute", "m", Unit::Minute),
    ("hour", "h", Unit::Hour),
    ("day", "d", Unit::Day),
    ("week", "w", Unit::Week),
    ("month", "mo", Unit::Month),
    ("quarter", "q", Unit::Quarter),
    ("year", "y", Unit::Year),
];

/// The functions themselves, each made once: an expression that calls one is recognised by its identity.
static MADE: LazyLock<[UserDefinedFunction; 2]> = LazyLock::new(|| FUNCTIONS.map(bins));

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
        Ok(MADE.iter().find(|known| known.name == name).cloned())
    }

    fn contains(&self, name: &str) -> bool {
        FUNCTIONS.contains(&name)
    }
}

/// The width and the time of a bin that an expression calls for.
pub(super) fn binned(expr: &Expr) -> Option<(&Expr, &Expr)> {
    if let Expr::Function { input, function: FunctionExpr::TemporalExpr(TemporalFunction::Truncate) } = expr {
        let [time, width] = input.as_slice() else { return None };
        return Some((width, time));
    }
    let Expr::AnonymousFunction { input, function, .. } = expr else { return None };
    let [width, time] = input.as_slice() else { return None };
    MADE.iter().any(|known| known.fun == *function).then_some((width, time))
}

/// Where the bins of times begin.
pub(super) fn begins(times: Column, width: Quantity) -> PolarsResult<Column> {
    let width = written(width).ok_or_else(|| usage(FUNCTIONS[0]))?;
    let named = times.name().clone();
    let table = times.with_name("t".into()).into_frame();
    let bins = table.lazy().select([col("t").dt().truncate(lit(width))]).collect()?;
    Ok(bins.column("t")?.clone().with_name(named))
}

/// A width as polars writes it.
pub(super) fn written(width: Quantity) -> Option<String> {
    let (_, short, _) = UNITS.iter().find(|(_, _, unit)| *unit == width.unit)?;
    Some(format!("{}{short}", width.number))
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
        begins(times.clone(), width)
    };
    let typed = move |_: &Schema, fields: &[Field]| fields.get(1).cloned().ok_or_else(|| usage(name));
    let mut function = UserDefinedFunction::new(name.into(), BaseColumnUdf::new(begin, typed));
    function.options = FunctionOptions::elementwise();
    function
}

pub(super) fn usage(name: &str) -> PolarsError {
    let example = if name == "date_trunc" { "'hour'" } else { "'5 minutes'" };
    PolarsError::SQLInterface(
        format!("a width and a time are what `{name}` takes: {name}({example}, time)").into(),
    )
}

/// An error about a text that is not a width of bins, with the nearest one.
pub(super) fn no_width(text: &str) -> Error {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let number = &text[..text.len() - unit.len()];
    let plural = if matches!(number.trim(), "" | "1") { "" } else { "s" };
    let names: Vec<String> = UNITS.iter().map(|(name, ..)| format!("{name}{plural}")).collect();
    let hint = match nearest(unit, names.iter().map(String::as_str)) {
        Some(near) if width_of(&format!("{number}{near}")).is_some() => {
            format!("did you mean '{number}{near}'?")
        }
        _ => {
            let names = UNITS.map(|(name, ..)| name).join(", ");
            format!("write a unit, or a number of them such as '2 weeks': {names}")
        }
    };
    Error::new(ErrorKind::QueryInvalid, format!("'{text}' is not a width of bins")).hint(hint)
}

/// `hour`, `5 minutes`, `5m`.
pub(super) fn width_of(text: &str) -> Option<Quantity> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u32 = if number.is_empty() { 1 } else { number.parse().ok().filter(|&number| number > 0)? };
    let unit = unit.trim();
    let (_, _, unit) = UNITS.iter().find(|(name, short, _)| {
        unit == *name || unit.strip_suffix('s').is_some_and(|one| one == *name) || unit == *short
    })?;
    Some(Quantity { number: f64::from(number), unit: *unit })
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
            let width = width_of(written).map(|width| width.to_string());
            assert_eq!(width.as_deref(), expected, "{written}");
        }
    }
}
