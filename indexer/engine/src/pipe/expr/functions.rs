//! What each function gives for the values of a row, but for those that choose one of their arguments. A missing value makes the result missing wherever
//! nothing else is said.

use super::super::cell::Cell;
use super::super::run::RunClock;
use super::{convert, date, number, text};
use query::functions::Function;

pub fn call(function: Function, arguments: &[Cell], clock: &RunClock) -> Cell {
    use Function as F;
    match function {
        F::Abs | F::Round | F::Floor | F::Ceil | F::Sqrt | F::Pow | F::Exp | F::Ln | F::Log | F::Sign => {
            number::number(function, arguments)
        }
        F::ToNumber => convert::to_number(&arguments[0]),
        F::ToText => match &arguments[0] {
            Cell::Missing => Cell::Missing,
            other => Cell::Text(other.to_string().into()),
        },
        F::ToBool => convert::to_bool(&arguments[0]),
        F::ToIp => convert::to_ip(&arguments[0]),
        F::CidrMatch => convert::cidr_match(&arguments[0], &arguments[1..]),
        F::IsNull => Cell::Bool(arguments[0].is_missing()),
        F::IsNotNull => Cell::Bool(!arguments[0].is_missing()),
        F::TypeOf => Cell::text(arguments[0].type_name()),
        F::Now => Cell::Time(clock.now),
        F::ToTime | F::DateTrunc | F::DateFormat | F::DateDiff | F::DatePart => {
            date::date(function, arguments, clock)
        }
        F::Hash => text::hash(&arguments[0]),
        F::Duration => text::duration(&arguments[0], arguments.get(1)),
        // These choose among columns, and the second argument of these is compiled.
        F::If | F::Case | F::Coalesce | F::NullIf | F::Min | F::Max | F::Bin | F::Replace | F::Extract => {
            Cell::Missing
        }
        F::Len
        | F::Lower
        | F::Upper
        | F::Trim
        | F::Substr
        | F::Left
        | F::Right
        | F::Split
        | F::Concat
        | F::Contains
        | F::StartsWith
        | F::EndsWith
        | F::Position
        | F::JsonExtract
        | F::UrlDecode => text::text(function, arguments),
    }
}
