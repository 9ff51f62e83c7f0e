//! Functions of numbers.

use super::super::cell::Cell;
use super::arithmetic::floats;
use super::convert::{number_of, whole_if_exact};
use query::BinaryOp;
use query::functions::Function;

pub fn number(function: Function, arguments: &[Cell]) -> Cell {
    let Some(first) = number_of(&arguments[0]) else { return Cell::Missing };
    let Some(x) = first.number() else { return Cell::Missing };
    let second = match arguments.get(1) {
        None => None,
        Some(cell) => match number_of(cell).and_then(|cell| cell.number()) {
            None => return Cell::Missing,
            found => found,
        },
    };
    match function {
        Function::Abs => match first {
            Cell::Int(value) => Cell::whole(i128::from(value).abs()),
            _ => Cell::float(x.abs()),
        },
        Function::Sign => Cell::Int(if x > 0.0 { 1 } else { -i64::from(x < 0.0) }),
        Function::Floor => whole(&first, x.floor()),
        Function::Ceil => whole(&first, x.ceil()),
        Function::Round => round(&first, x, second.unwrap_or(0.0)),
        Function::Sqrt => Cell::float(x.sqrt()),
        Function::Exp => Cell::float(x.exp()),
        Function::Ln => Cell::float(x.ln()),
        Function::Log => match second {
            None => Cell::float(x.log10()),
            Some(2.0) => Cell::float(x.log2()),
            Some(base) => Cell::float(x.ln() / base.ln()),
        },
        Function::Pow => power(&first, x, second.unwrap_or(1.0)),
        _ => Cell::Missing,
    }
}

fn whole(original: &Cell, value: f64) -> Cell {
    match original {
        Cell::Int(_) => original.clone(),
        _ => whole_if_exact(value),
    }
}

/// Halves go away from zero, of the decimal number that is seen: `round(2.675, 2)` is `2.68`.
fn round(original: &Cell, x: f64, digits: f64) -> Cell {
    let digits = digits.clamp(-18.0, 18.0) as i32;
    if digits >= 0 && matches!(original, Cell::Int(_)) {
        return original.clone();
    }
    let power = 10_f64.powi(digits.abs());
    let (scale, back) = match digits {
        0.. => (BinaryOp::Multiply, BinaryOp::Divide),
        _ => (BinaryOp::Divide, BinaryOp::Multiply),
    };
    let rounded = floats(scale, x, power).number().map(f64::round);
    let Some(value) = rounded.and_then(|rounded| floats(back, rounded, power).number()) else {
        return Cell::float(x);
    };
    if digits <= 0 { whole_if_exact(value) } else { Cell::float(value) }
}

fn power(original: &Cell, x: f64, y: f64) -> Cell {
    if let Cell::Int(base) = original
        && y >= 0.0
        && y.fract() == 0.0
        && let Some(exact) = i128::from(*base).checked_pow(y.min(200.0) as u32)
    {
        return Cell::whole(exact);
    }
    Cell::float(x.powf(y))
}
