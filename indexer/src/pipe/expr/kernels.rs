//! Operators over whole columns of numbers and times. They give what [`super::compare`] and
//! [`super::arithmetic`] give value by value; a test holds them together.

use std::cmp::Ordering;

use ingest::{NO_INT, NO_TIME};

use super::super::cell::Cell;
use super::super::column::{Column, Data};
use super::arithmetic::{arithmetic, floats};
use super::evaluate::Value;
use crate::query::{BinaryOp, Op};

/// Numbers, or a number for all rows.
enum Numbers<'a> {
    Ints(&'a [i64]),
    Floats(&'a [f64]),
    Times(&'a [i64]),
    Int(i64),
    Float(f64),
    Time(i64),
}

fn numbers<'a>(value: &'a Value<'_>) -> Option<Numbers<'a>> {
    Some(match value {
        Value::One(Cell::Int(value)) => Numbers::Int(*value),
        Value::One(Cell::Float(value)) => Numbers::Float(*value),
        Value::One(Cell::Time(value)) => Numbers::Time(*value),
        Value::One(_) => return None,
        Value::Many(column) => match &column.data {
            Data::Int(values) => Numbers::Ints(values),
            Data::Float(values) => Numbers::Floats(values),
            Data::Time(values) => Numbers::Times(values),
            _ => return None,
        },
    })
}

/// Nothing where there is no kernel for these types.
pub fn binary(op: BinaryOp, left: &Value<'_>, right: &Value<'_>) -> Option<Column> {
    let (left, right) = (numbers(left)?, numbers(right)?);
    match op {
        BinaryOp::Compare(op) => comparison(op, &left, &right),
        BinaryOp::Like => None,
        op => calculation(op, &left, &right),
    }
}

fn comparison(op: Op, left: &Numbers<'_>, right: &Numbers<'_>) -> Option<Column> {
    let truths = match (left, right) {
        (Numbers::Ints(values), Numbers::Int(other)) | (Numbers::Times(values), Numbers::Time(other)) => {
            ordered(op, values, |value| (*value != NO_INT).then(|| value.cmp(other)))
        }
        (Numbers::Int(other), Numbers::Ints(values)) | (Numbers::Time(other), Numbers::Times(values)) => {
            ordered(op, values, |value| (*value != NO_TIME).then(|| other.cmp(value)))
        }
        (Numbers::Ints(values), Numbers::Float(other)) => ordered(op, values, |value| {
            (*value != NO_INT).then(|| Cell::Int(*value).cmp(&Cell::Float(*other)))
        }),
        (Numbers::Floats(values), Numbers::Float(other)) => {
            ordered(op, values, |value| value.partial_cmp(other))
        }
        (Numbers::Floats(values), Numbers::Int(other)) => ordered(op, values, |value| {
            (!value.is_nan()).then(|| Cell::Float(*value).cmp(&Cell::Int(*other)))
        }),
        (Numbers::Ints(left), Numbers::Ints(right)) | (Numbers::Times(left), Numbers::Times(right)) => {
            let pair = |(left, right): (&i64, &i64)| {
                (*left != NO_INT && *right != NO_INT).then(|| op.holds(left.cmp(right)))
            };
            left.iter().zip(*right).map(pair).collect()
        }
        (Numbers::Floats(left), Numbers::Floats(right)) => left
            .iter()
            .zip(*right)
            .map(|(left, right)| left.partial_cmp(right).map(|o| op.holds(o)))
            .collect(),
        _ => return None,
    };
    Some(Column::new(Data::Bool(truths)))
}

fn ordered<T>(op: Op, values: &[T], order: impl Fn(&T) -> Option<Ordering>) -> Vec<Option<bool>> {
    values.iter().map(|value| order(value).map(|order| op.holds(order))).collect()
}

fn calculation(op: BinaryOp, left: &Numbers<'_>, right: &Numbers<'_>) -> Option<Column> {
    let rows = match (left, right) {
        (Numbers::Ints(values), _) | (_, Numbers::Ints(values)) => values.len(),
        (Numbers::Floats(values), _) | (_, Numbers::Floats(values)) => values.len(),
        _ => return None,
    };
    if matches!(left, Numbers::Times(_) | Numbers::Time(_))
        || matches!(right, Numbers::Times(_) | Numbers::Time(_))
    {
        return None;
    }
    let whole =
        matches!((left, right), (Numbers::Ints(_) | Numbers::Int(_), Numbers::Ints(_) | Numbers::Int(_)));
    if whole && op != BinaryOp::Divide {
        return whole_numbers(op, rows, left, right);
    }
    let values = (0..rows).map(|row| match (float(left, row), float(right, row)) {
        (Some(left), Some(right)) => floats(op, left, right).number().unwrap_or(f64::NAN),
        _ => f64::NAN,
    });
    Some(Column::new(Data::Float(values.collect())))
}

/// Whole numbers, as long as all results fit.
fn whole_numbers(op: BinaryOp, rows: usize, left: &Numbers<'_>, right: &Numbers<'_>) -> Option<Column> {
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let (Some(left), Some(right)) = (int(left, row), int(right, row)) else {
            values.push(NO_INT);
            continue;
        };
        match arithmetic(op, &Cell::Int(left), &Cell::Int(right)) {
            Cell::Int(value) => values.push(value),
            Cell::Missing => values.push(NO_INT),
            _ => return None,
        }
    }
    Some(Column::new(Data::Int(values)))
}

fn int(numbers: &Numbers<'_>, row: usize) -> Option<i64> {
    match numbers {
        Numbers::Ints(values) => Some(values[row]).filter(|&value| value != NO_INT),
        Numbers::Int(value) => Some(*value),
        _ => None,
    }
}

fn float(numbers: &Numbers<'_>, row: usize) -> Option<f64> {
    match numbers {
        Numbers::Floats(values) => Some(values[row]).filter(|value| !value.is_nan()),
        Numbers::Float(value) => Some(*value),
        _ => int(numbers, row).map(|value| value as f64),
    }
}
