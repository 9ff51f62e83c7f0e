//! Count, sum, mean, minimum, maximum and standard deviation of a field's numbers. Integers and printed
//! decimals are summed as integers, so their sums are exact.

use super::block::Block;
use store::{Code, ColumnValues, Packed, Scalar, StoredColumn, Unit};

/// Numbers of one cell.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub count: u64,
    sum: Sum,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
    pub least: Option<Scalar>,
    pub greatest: Option<Scalar>,
}

/// A sum in the smallest decimal place of its numbers, or a float if it overflows.
#[derive(Clone, Copy, Debug)]
enum Sum {
    Whole { sum: i128, places: u32, floats: bool },
    Float(f64),
}

impl Default for Sum {
    fn default() -> Sum {
        Sum::Whole { sum: 0, places: 0, floats: false }
    }
}

impl Sum {
    fn float(self) -> f64 {
        match self {
            Sum::Whole { sum, places, .. } => sum as f64 / 10_f64.powi(places as i32),
            Sum::Float(sum) => sum,
        }
    }

    fn plus(self, other: Sum) -> Sum {
        let (Sum::Whole { sum, places, floats }, Sum::Whole { sum: more, places: finer, floats: float }) =
            (self, other)
        else {
            return Sum::Float(self.float() + other.float());
        };
        let to = places.max(finer);
        let scaled = |sum: i128, places: u32| sum.checked_mul(10_i128.pow(to - places));
        let added =
            scaled(sum, places).zip(scaled(more, finer)).and_then(|(sum, more)| sum.checked_add(more));
        added.map_or(Sum::Float(self.float() + other.float()), |sum| Sum::Whole {
            sum,
            places: to,
            floats: floats || float,
        })
    }

    fn value(self) -> Scalar {
        match self {
            Sum::Whole { sum, places: 0, floats: false } => {
                i64::try_from(sum).map_or(Scalar::Float(sum as f64), Scalar::Int)
            }
            other => Scalar::Float(other.float()),
        }
    }
}

impl Summary {
    pub fn absorb(&mut self, other: Summary) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other;
            return;
        }
        let (own, more) = (self.count as f64, other.count as f64);
        let difference = other.mean - self.mean;
        self.squares += other.squares + difference * difference * own * more / (own + more);
        self.mean += difference * more / (own + more);
        self.count += other.count;
        self.sum = self.sum.plus(other.sum);
        let least = |one: &Scalar, other: &Scalar| one.order(other).is_lt();
        if other.least.as_ref().zip(self.least.as_ref()).is_some_and(|(other, own)| least(other, own)) {
            self.least = other.least;
        }
        if other.greatest.as_ref().zip(self.greatest.as_ref()).is_some_and(|(other, own)| least(own, other)) {
            self.greatest = other.greatest;
        }
    }

    /// The names of [`Summary::values`].
    pub const NAMES: [&'static str; 6] = ["count", "sum", "avg", "min", "max", "stddev"];

    pub fn values(&self) -> [Option<Scalar>; 6] {
        let count = Some(Scalar::Int(self.count as i64));
        if self.count == 0 {
            return [count, None, None, None, None, None];
        }
        let average = self.sum.float() / self.count as f64;
        // One number has no sample deviation.
        let deviation = (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).max(0.0).sqrt());
        [
            count,
            Some(self.sum.value()),
            Some(Scalar::Float(average)),
            self.least.clone(),
            self.greatest.clone(),
            deviation.map(Scalar::Float),
        ]
    }
}

/// Sums of codes, for numbers whose codes have the same distances.
#[derive(Clone, Copy)]
struct CodeSums {
    count: u64,
    sum: u64,
    squares: u128,
    least: u64,
    greatest: u64,
}

impl CodeSums {
    const NONE: CodeSums = CodeSums { count: 0, sum: 0, squares: 0, least: u64::MAX, greatest: 0 };

    #[inline]
    fn add(&mut self, code: u64) {
        self.count += 1;
        self.sum += code;
        self.squares += u128::from(code * code);
        self.least = self.least.min(code);
        self.greatest = self.greatest.max(code);
    }
}

/// FloatSums, and integers too widely spread for sums of codes.
#[derive(Clone, Copy)]
struct FloatSums {
    count: u64,
    sum: f64,
    whole: i128,
    mean: f64,
    squares: f64,
    least: u64,
    greatest: u64,
}

impl FloatSums {
    const NONE: FloatSums =
        FloatSums { count: 0, sum: 0.0, whole: 0, mean: 0.0, squares: 0.0, least: u64::MAX, greatest: 0 };
}

enum Sums {
    CodeSums(Vec<CodeSums>),
    FloatSums(Vec<FloatSums>),
}

/// The accumulator of one segment.
pub struct Summing<'a> {
    column: &'a StoredColumn,
    base: i64,
    unit: Unit,
    sums: Sums,
}

impl<'a> Summing<'a> {
    /// Nothing when the column has no numbers.
    pub fn new(column: &'a StoredColumn, cells: usize) -> Option<Summing<'a>> {
        let ColumnValues::Numbers { base, unit } = column.values else { return None };
        let linear = !matches!(column.codes, Packed::U64(_)) && unit != Unit::Bits;
        let sums = if linear {
            Sums::CodeSums(vec![CodeSums::NONE; cells])
        } else {
            Sums::FloatSums(vec![FloatSums::NONE; cells])
        };
        Some(Summing { column, base, unit, sums })
    }

    pub fn add(&mut self, block: &Block<'_>) {
        let (base, unit) = (self.base, self.unit);
        match (&mut self.sums, &self.column.codes) {
            (Sums::CodeSums(sums), Packed::U8(codes)) => add_codes(sums, block, codes),
            (Sums::CodeSums(sums), Packed::U16(codes)) => add_codes(sums, block, codes),
            (Sums::CodeSums(sums), Packed::U32(codes)) => add_codes(sums, block, codes),
            (Sums::CodeSums(_), Packed::U64(_)) => {}
            (Sums::FloatSums(sums), _) => block.for_rows(|cell, row| {
                let code = self.column.codes.get(row);
                if code == 0 {
                    return;
                }
                let number = base.wrapping_add((code - 1) as i64);
                let (value, sums) = (unit.float(number), &mut sums[cell as usize]);
                sums.count += 1;
                sums.sum += value;
                sums.whole += i128::from(number);
                let difference = value - sums.mean;
                sums.mean += difference / sums.count as f64;
                sums.squares += difference * (value - sums.mean);
                sums.least = sums.least.min(code);
                sums.greatest = sums.greatest.max(code);
            }),
        }
    }

    pub fn finish(self) -> Vec<Summary> {
        let (column, base, unit) = (self.column, self.base, self.unit);
        match self.sums {
            Sums::CodeSums(sums) => sums.iter().map(|sums| from_codes(sums, column, base, unit)).collect(),
            Sums::FloatSums(sums) => sums.iter().map(|sums| from_floats(sums, column, unit)).collect(),
        }
    }
}

fn add_codes<C: Code>(sums: &mut [CodeSums], block: &Block<'_>, codes: &[C]) {
    block.for_codes(codes, |cell, code| {
        let code: u64 = code.into();
        if code > 0 {
            sums[cell as usize].add(code);
        }
    });
}

fn from_codes(sums: &CodeSums, column: &StoredColumn, base: i64, unit: Unit) -> Summary {
    if sums.count == 0 {
        return Summary::default();
    }
    let (places, floats) = match unit {
        Unit::Decimals(places) => (places, true),
        _ => (0, false),
    };
    let count = i128::from(sums.count);
    let sum = Sum::Whole { sum: count * (i128::from(base) - 1) + i128::from(sums.sum), places, floats };
    // CodeSums have 32 bits and a segment 22 bits of rows at most, so neither product can overflow.
    let spread = u128::from(sums.count) * sums.squares - u128::from(sums.sum) * u128::from(sums.sum);
    let unit_size = 10_f64.powi(places as i32);
    Summary {
        count: sums.count,
        sum,
        mean: sum.float() / sums.count as f64,
        squares: spread as f64 / sums.count as f64 / (unit_size * unit_size),
        least: column.value(sums.least),
        greatest: column.value(sums.greatest),
    }
}

fn from_floats(sums: &FloatSums, column: &StoredColumn, unit: Unit) -> Summary {
    let sum = match unit {
        Unit::Bits => Sum::Float(sums.sum),
        Unit::Decimals(places) => Sum::Whole { sum: sums.whole, places, floats: true },
        _ => Sum::Whole { sum: sums.whole, places: 0, floats: false },
    };
    Summary {
        count: sums.count,
        sum,
        mean: sums.mean,
        squares: sums.squares,
        least: column.value(sums.least).filter(|_| sums.count > 0),
        greatest: column.value(sums.greatest),
    }
}
