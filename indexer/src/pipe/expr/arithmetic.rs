//! `+ - * / %` on two values.
//!
//! Whole numbers are calculated exactly. A float that is within its rounding of a decimal number of nine places, or of
//! fewer where it is large, is that number: `0.1 + 0.2` is `0.3`, and `0.3 / 0.1` is `3`.

use super::super::cell::Cell;
use super::convert::number_of;
use crate::query::BinaryOp;

pub fn arithmetic(op: BinaryOp, left: &Cell, right: &Cell) -> Cell {
    match (op, left, right) {
        (_, Cell::Missing, _) | (_, _, Cell::Missing) => Cell::Missing,
        (BinaryOp::Add, Cell::Time(time), other) | (BinaryOp::Add, other, Cell::Time(time)) => {
            number_of(other).map_or(Cell::Missing, |by| shifted(*time, &by, 1))
        }
        (BinaryOp::Subtract, Cell::Time(left), Cell::Time(right)) => {
            Cell::whole(i128::from(*left) - i128::from(*right))
        }
        (BinaryOp::Subtract, Cell::Time(time), other) => {
            number_of(other).map_or(Cell::Missing, |by| shifted(*time, &by, -1))
        }
        (BinaryOp::Add, Cell::Text(_), _) | (BinaryOp::Add, _, Cell::Text(_)) => {
            Cell::Text(format!("{left}{right}").into())
        }
        _ => match (number_of(left), number_of(right)) {
            (Some(left), Some(right)) => numbers(op, &left, &right),
            _ => Cell::Missing,
        },
    }
}

fn shifted(time: i64, by: &Cell, sign: i128) -> Cell {
    let by = match by {
        Cell::Int(by) => i128::from(*by),
        Cell::Float(by) => *by as i128,
        _ => return Cell::Missing,
    };
    match i64::try_from(i128::from(time) + sign * by) {
        Ok(time) if time != i64::MIN => Cell::Time(time),
        _ => Cell::Missing,
    }
}

fn numbers(op: BinaryOp, left: &Cell, right: &Cell) -> Cell {
    if let (Cell::Int(left), Cell::Int(right)) = (left, right) {
        let (left, right) = (i128::from(*left), i128::from(*right));
        match op {
            BinaryOp::Add => return Cell::whole(left + right),
            BinaryOp::Subtract => return Cell::whole(left - right),
            BinaryOp::Multiply => return Cell::whole(left * right),
            BinaryOp::Remainder => return if right == 0 { Cell::Missing } else { Cell::whole(left % right) },
            _ => {}
        }
    }
    let (Some(left), Some(right)) = (left.number(), right.number()) else { return Cell::Missing };
    floats(op, left, right)
}

pub fn floats(op: BinaryOp, left: f64, right: f64) -> Cell {
    if right == 0.0 && matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
        return Cell::Missing;
    }
    Cell::float(match op {
        BinaryOp::Add => settled(op, left, right, left + right),
        BinaryOp::Subtract => settled(op, left, right, left - right),
        BinaryOp::Multiply => settled(op, left, right, left * right),
        BinaryOp::Divide => settled(op, left, right, left / right),
        BinaryOp::Remainder => remainder(left, right),
        BinaryOp::Compare(_) | BinaryOp::Like => return Cell::Missing,
    })
}

/// What is left of a division whose result is cut to a whole number.
pub fn remainder(left: f64, right: f64) -> f64 {
    let whole = settled(BinaryOp::Divide, left, right, left / right).trunc();
    settled(BinaryOp::Subtract, left, right, left - right * whole)
}

/// The result of an operation, or the decimal number that it is but for its rounding.
#[inline]
pub fn settled(op: BinaryOp, left: f64, right: f64, result: f64) -> f64 {
    let size = match op {
        BinaryOp::Add | BinaryOp::Subtract => left.abs().max(right.abs()).max(result.abs()),
        _ => result.abs(),
    };
    let near = decimal(result);
    // Each of the three numbers, and what they are taken for, is off by half a unit of its last place.
    if (near - result).abs() <= size * (2.0 * f64::EPSILON) { near } else { result }
}

/// Floats as large as this number have no fraction, so that a sum with it is rounded to a whole one.
const NO_FRACTION: f64 = 6_755_399_441_055_744.0;

/// The nearest number of nine decimal places; of fewer, where a float is not that precise.
#[inline]
pub fn decimal(value: f64) -> f64 {
    let size = value.abs();
    let unit = if size < 2e6 {
        1e9
    } else if size < 2e9 {
        1e6
    } else if size < 2e12 {
        1e3
    } else {
        return value;
    };
    ((value * unit + NO_FRACTION) - NO_FRACTION) / unit
}
