//! Arithmetic on floats that gives what a person calculates by hand, without the errors of binary fractions.

use query::BinaryOp;

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
