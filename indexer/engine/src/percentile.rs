//! The rank of a percentile among sorted numbers, and the interpolation between two of them: one
//! implementation for aggregates and for pipes. It gives what a person calculates by hand, without the errors
//! of binary fractions.

use crate::decimal::settled;
use query::BinaryOp;

/// A percentile from 0 to 100, as the decimal fraction that it is written as.
#[derive(Clone, Copy, Debug)]
pub struct Percent {
    numerator: u128,
    denominator: u128,
}

/// Decimals of a percentile that are looked at: as many as leave room for every count of numbers.
const DECIMALS: usize = 15;

impl Percent {
    pub fn new(percent: f64) -> Percent {
        let written = percent.clamp(0.0, 100.0).to_string();
        let (whole, decimals) = written.split_once('.').unwrap_or((&written, ""));
        let decimals = &decimals[..decimals.len().min(DECIMALS)];
        // What is no number is taken for nothing.
        let numerator = format!("{whole}{decimals}").parse().unwrap_or(0);
        Percent { numerator, denominator: 100 * 10_u128.pow(decimals.len() as u32) }
    }

    /// The rank of the last of `count` numbers that is not above it, and the weight of the next one.
    pub fn place(self, count: u64) -> (u64, f64) {
        let (place, parts) = self.parts(count);
        (place, parts as f64 / self.denominator as f64)
    }

    /// The same, with how many parts of the way to the next one, of as many as [`Percent::parts_of_way`] tells.
    pub fn parts(self, count: u64) -> (u64, u64) {
        let product = self.numerator * u128::from(count.saturating_sub(1));
        ((product / self.denominator) as u64, (product % self.denominator) as u64)
    }

    pub fn parts_of_way(self) -> u64 {
        self.denominator as u64
    }
}

/// Linear interpolation between two numbers.
pub fn between(from: f64, to: f64, way: f64) -> f64 {
    let distance = to - from;
    let step = settled(BinaryOp::Multiply, distance, way, distance * way);
    let step = if step.is_finite() { step } else { 0.0 };
    let sum = settled(BinaryOp::Add, from, step, from + step);
    if sum.is_finite() { sum } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_rank_equals_manual_calculation() {
        for (percent, count, expected) in [
            (0.0, 1, (0, 0.0)),
            (29.0, 101, (29, 0.0)),
            (70.0, 11, (7, 0.0)),
            (95.0, 3, (1, 0.9)),
            (99.9, 1_001, (999, 0.0)),
            (99.9, 2, (0, 0.999)),
            (12.5, 2, (0, 0.125)),
            (100.0, 7, (6, 0.0)),
            (120.0, 7, (6, 0.0)),
            (f64::NAN, 7, (0, 0.0)),
            (1e-300, u64::MAX, (0, 0.0)),
        ] {
            assert_eq!(Percent::new(percent).place(count), expected, "{percent} of {count}");
        }
        assert_eq!(between(0.0, 1.0, 0.9).to_string(), "0.9");
        assert_eq!(between(404.0, 500.0, 0.7).to_string(), "471.2");
    }
}
