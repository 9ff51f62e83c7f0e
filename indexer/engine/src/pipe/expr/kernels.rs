//! Operators over whole columns of numbers and times, by the kernels of polars. They give what [`super::compare`] and
//! [`mod@super::arithmetic`] give value by value; a test holds them together.

use polars::prelude::arity::broadcast_binary_elementwise_values as each_pair;
use polars::prelude::{
    ArithmeticChunked, BooleanChunked, ChunkAgg, ChunkCompareEq, ChunkCompareIneq, ChunkedArray,
    Float64Chunked, Int64Chunked, PlSmallStr, PolarsNumericType,
};

use super::super::cell::Cell;
use super::super::column::{Column, Data, as_floats};
use super::evaluate::Value;
use crate::decimal::{remainder, settled};
use query::{BinaryOp, Op};

/// Numbers of a column, or one for all rows.
enum Numbers {
    Whole(Int64Chunked),
    Times(Int64Chunked),
    Floats(Float64Chunked),
}

impl Numbers {
    fn from_value(value: &Value<'_>) -> Option<Numbers> {
        let one = |value: i64| Int64Chunked::from_vec(PlSmallStr::EMPTY, vec![value]);
        Some(match value {
            Value::One(Cell::Int(value)) => Numbers::Whole(one(*value)),
            Value::One(Cell::Time(value)) => Numbers::Times(one(*value)),
            Value::One(Cell::Float(value)) => {
                Numbers::Floats(Float64Chunked::from_vec(PlSmallStr::EMPTY, vec![*value]))
            }
            Value::One(_) => return None,
            Value::Many(column) => match &column.data {
                Data::Int(values) => Numbers::Whole(values.clone()),
                Data::Time(values) => Numbers::Times(values.clone()),
                Data::Float(values) => Numbers::Floats(values.clone()),
                _ => return None,
            },
        })
    }

    fn into_floats(self) -> Option<Float64Chunked> {
        match self {
            Numbers::Whole(values) => Some(as_floats(&values)),
            Numbers::Floats(values) => Some(values),
            Numbers::Times(_) => None,
        }
    }
}

/// Nothing where there is no kernel for these types.
pub fn binary(op: BinaryOp, left: &Value<'_>, right: &Value<'_>) -> Option<Column> {
    if let BinaryOp::Compare(op) = op
        && let Some(column) = levels(op, left, right)
    {
        return Some(column);
    }
    let (left, right) = (Numbers::from_value(left)?, Numbers::from_value(right)?);
    match op {
        BinaryOp::Compare(op) => Some(Column::new(Data::Bool(match (left, right) {
            (Numbers::Whole(left), Numbers::Whole(right)) | (Numbers::Times(left), Numbers::Times(right)) => {
                compared(op, &left, &right)
            }
            (left, right) => compared(op, &left.into_floats()?, &right.into_floats()?),
        }))),
        BinaryOp::Like => None,
        op => calculated(op, left, right),
    }
}

fn compared<T: PolarsNumericType>(op: Op, left: &ChunkedArray<T>, right: &ChunkedArray<T>) -> BooleanChunked
where
    ChunkedArray<T>: for<'a> ChunkCompareEq<&'a ChunkedArray<T>, Item = BooleanChunked>
        + for<'a> ChunkCompareIneq<&'a ChunkedArray<T>, Item = BooleanChunked>,
{
    match op {
        Op::Equal => left.equal(right),
        Op::NotEqual => left.not_equal(right),
        Op::Less => left.lt(right),
        Op::LessOrEqual => left.lt_eq(right),
        Op::Greater => left.gt(right),
        Op::GreaterOrEqual => left.gt_eq(right),
    }
}

/// Compares each level that is present with one level.
fn levels(op: Op, left: &Value<'_>, right: &Value<'_>) -> Option<Column> {
    let (Value::Many(column), Value::One(Cell::Level(other))) = (left, right) else { return None };
    let Data::Level(levels) = &column.data else { return None };
    let holds = |level: &ingest::Level| (*level != ingest::Level::None).then(|| op.holds(level.cmp(other)));
    Some(Column::bools(levels.iter().map(holds)))
}

fn calculated(op: BinaryOp, left: Numbers, right: Numbers) -> Option<Column> {
    match (op, left, right) {
        (BinaryOp::Subtract, Numbers::Times(left), Numbers::Times(right)) => {
            whole(op, &left, &right).map(|found| Column::new(Data::Int(found)))
        }
        (BinaryOp::Add, Numbers::Times(time), Numbers::Whole(by))
        | (BinaryOp::Add, Numbers::Whole(by), Numbers::Times(time)) => {
            whole(op, &time, &by).map(|found| Column::new(Data::Time(found)))
        }
        (BinaryOp::Subtract, Numbers::Times(time), Numbers::Whole(by)) => {
            whole(op, &time, &by).map(|found| Column::new(Data::Time(found)))
        }
        (BinaryOp::Divide, Numbers::Whole(left), Numbers::Whole(right)) => {
            // The quotient of whole numbers is rounded once, and so to the decimal number that it is. The division of
            // polars multiplies by the reciprocal, which is rounded already.
            let quotients = each_pair(&left, &right, |left: i64, right: i64| left as f64 / right as f64);
            Some(Column::new(Data::Float(finite(quotients))))
        }
        (_, Numbers::Whole(left), Numbers::Whole(right)) => Some(match whole(op, &left, &right) {
            Some(found) => Column::new(Data::Int(found)),
            None => Column::new(Data::Float(decimals(op, &as_floats(&left), &as_floats(&right)))),
        }),
        (_, left, right) => {
            let (left, right) = (left.into_floats()?, right.into_floats()?);
            Some(Column::new(Data::Float(decimals(op, &left, &right))))
        }
    }
}

/// Whole numbers, where no result can be beyond 64 bits.
fn whole(op: BinaryOp, left: &Int64Chunked, right: &Int64Chunked) -> Option<Int64Chunked> {
    let ends = |values: &Int64Chunked| Some((i128::from(values.min()?), i128::from(values.max()?)));
    if let (Some((least, greatest)), Some((from, to))) = (ends(left), ends(right)) {
        let results = match op {
            BinaryOp::Add => [least + from, greatest + to, 0, 0],
            BinaryOp::Subtract => [least - to, greatest - from, 0, 0],
            BinaryOp::Multiply => [least * from, least * to, greatest * from, greatest * to],
            _ => [0; 4],
        };
        // The least number of 64 bits means missing elsewhere.
        if results.iter().any(|&result| result <= i128::from(i64::MIN) || result > i128::from(i64::MAX)) {
            return None;
        }
    }
    Some(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Remainder => left - &(&left.clone().wrapping_trunc_div(right.clone()) * right),
        _ => return None,
    })
}

/// Floats, settled to the decimal numbers that they are.
fn decimals(op: BinaryOp, left: &Float64Chunked, right: &Float64Chunked) -> Float64Chunked {
    use BinaryOp::{Add, Divide, Multiply, Subtract};
    finite(match op {
        Add => each_pair(left, right, |left, right| settled(Add, left, right, left + right)),
        Subtract => each_pair(left, right, |left, right| settled(Subtract, left, right, left - right)),
        Multiply => each_pair(left, right, |left, right| settled(Multiply, left, right, left * right)),
        Divide => each_pair(left, right, |left, right| settled(Divide, left, right, left / right)),
        _ => each_pair(left, right, remainder),
    })
}

/// What is divided by zero, or beyond the range of floats, is missing.
fn finite(results: Float64Chunked) -> Float64Chunked {
    if results.downcast_as_array().values().iter().all(|value| value.is_finite()) {
        return results;
    }
    let there = results.iter().map(|value| value.filter(|value| value.is_finite()));
    there.collect()
}
