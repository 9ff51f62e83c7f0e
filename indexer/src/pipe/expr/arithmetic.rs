//! `+ - * / %` on two values.
//!
//! Whole numbers are calculated exactly. Floats that are decimal numbers of up to nine places, which nearly
//! all in logs are, are calculated as such: `0.1 + 0.2` is `0.3`, and `0.3 / 0.1` is `3`.

use super::super::cell::Cell;
use super::convert::number_of;
use crate::query::BinaryOp;

/// The most decimal places that are calculated exactly.
const PLACES: usize = 9;

/// Whole numbers below this are exact as floats.
const EXACT: i128 = 1 << 53;

const POWERS: [i64; PLACES + 1] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

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
    if let Some(value) = exactly(op, left, right) {
        return Cell::float(value);
    }
    Cell::float(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::Compare(_) | BinaryOp::Like => return Cell::Missing,
    })
}

/// As decimal numbers, where both are and the result is exact.
fn exactly(op: BinaryOp, left: f64, right: f64) -> Option<f64> {
    let ((left, left_places), (right, right_places)) = (decimal(left)?, decimal(right)?);
    let places = left_places.max(right_places);
    let (same_left, same_right) = (
        i128::from(left) * i128::from(POWERS[places - left_places]),
        i128::from(right) * i128::from(POWERS[places - right_places]),
    );
    let quotient =
        |whole: i128, places: usize| (whole.abs() < EXACT).then(|| whole as f64 / 10_f64.powi(places as i32));
    match op {
        BinaryOp::Add => quotient(same_left + same_right, places),
        BinaryOp::Subtract => quotient(same_left - same_right, places),
        BinaryOp::Multiply => quotient(i128::from(left) * i128::from(right), left_places + right_places),
        BinaryOp::Divide => (same_left.abs() < EXACT && same_right.abs() < EXACT)
            .then(|| same_left as f64 / same_right as f64),
        BinaryOp::Remainder => quotient(same_left % same_right, places),
        BinaryOp::Compare(_) | BinaryOp::Like => None,
    }
}

/// A float as a whole number of units of its last decimal place, where it has few places.
pub fn decimal(value: f64) -> Option<(i64, usize)> {
    POWERS.iter().enumerate().find_map(|(places, &power)| {
        let whole = (value * power as f64).round();
        let same = (whole / power as f64).partial_cmp(&value).is_some_and(std::cmp::Ordering::is_eq);
        (whole.abs() < EXACT as f64 && same).then_some((whole as i64, places))
    })
}
