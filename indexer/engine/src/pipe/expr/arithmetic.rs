//! `+ - * / %` on two values.
//!
//! Whole numbers are calculated exactly. A float that is within its rounding of a decimal number of nine places, or of
//! fewer where it is large, is that number: `0.1 + 0.2` is `0.3`, and `0.3 / 0.1` is `3`.

use super::super::cell::Cell;
use super::convert::number_of;
use crate::decimal::{remainder, settled};
use query::BinaryOp;

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
    match i64::try_from(i128::from(time).saturating_add(by.saturating_mul(sign))) {
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

#[must_use]
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
