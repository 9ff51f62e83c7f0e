//! What each function gives for the values of a row. A missing value makes the result missing wherever
//! nothing else is said.

use super::super::cell::Cell;
use super::super::run::Clock;
use super::{convert, date, number, text};
use crate::query::functions::Function;

pub fn call(function: Function, arguments: &[Cell], clock: &Clock) -> Cell {
    use Function as F;
    match function {
        F::If => {
            let chosen = if arguments[0].holds() { arguments.get(1) } else { arguments.get(2) };
            chosen.cloned().unwrap_or(Cell::Missing)
        }
        F::Case => case(arguments),
        F::Coalesce => arguments.iter().find(|cell| !cell.is_missing()).cloned().unwrap_or(Cell::Missing),
        F::NullIf => {
            let equal =
                super::compare::order(&arguments[0], &arguments[1]).is_some_and(std::cmp::Ordering::is_eq);
            if equal { Cell::Missing } else { arguments[0].clone() }
        }
        F::Min | F::Max => extreme(function, arguments),
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
        // These are nodes of their own, because their second argument is compiled.
        F::Bin | F::Replace | F::Extract => Cell::Missing,
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

fn case(arguments: &[Cell]) -> Cell {
    let mut pairs = arguments.chunks_exact(2);
    let otherwise = pairs.remainder().first();
    let found = pairs.find(|pair| pair[0].holds()).map(|pair| &pair[1]);
    found.or(otherwise).cloned().unwrap_or(Cell::Missing)
}

/// The least or the greatest of the values that are there.
fn extreme(function: Function, arguments: &[Cell]) -> Cell {
    let there = arguments.iter().filter(|cell| !cell.is_missing());
    let compare =
        |one: &&Cell, other: &&Cell| super::compare::order(one, other).unwrap_or(std::cmp::Ordering::Equal);
    let found = if function == Function::Min { there.min_by(compare) } else { there.max_by(compare) };
    found.cloned().unwrap_or(Cell::Missing)
}
