//! A dictionary-encoded column: the code is 0 for a missing value, and otherwise the index of the value among
//! the column's values, counted from 1. Codes of numbers ascend with the numbers.

use ingest::NO_INT;

use super::packed::Packed;
use crate::parquet::{NO_CODE, Texts, Values};
use crate::with_codes;
use base::FieldKind;

/// Decimal places that a float column is tried with before its bits are stored. Logs print milliseconds,
/// seconds to the microsecond, and shares; more places are measured, not printed.
const DECIMALS: u32 = 6;

#[derive(Clone, Debug)]
pub struct StoredColumn {
    pub codes: Packed,
    pub values: ColumnValues,
    /// The largest code present may be.
    pub largest: u64,
    /// Rows without a value.
    pub missing: usize,
}

/// What the codes of a column mean.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// Code `c` is text `c - 1`. Two codes may have the same text if values rarely repeat.
    Texts(Texts),
    /// Code `c` is the number `base + c - 1`, in the unit.
    Numbers { base: i64, unit: Unit },
    /// Code `c` is the number `base + places[c - 1] - 1`, in the unit: a sparse set of numbers.
    Sparse { base: i64, unit: Unit, places: Vec<u64> },
    /// Code `c` is value `c - 1`: a field of several types, or a fixed list of names.
    Listed(Vec<Scalar>),
}

/// What the integers of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Whole,
    /// Floats that are whole numbers divided by this power of ten.
    Decimals(u32),
    /// Floats by their bits, mapped to ordered integers.
    Bits,
    /// Nanoseconds since 1970 UTC.
    Time,
    Truth,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "super::scalar_json::ScalarJson"))]
pub enum Scalar {
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Time(i64),
}

impl Scalar {
    #[inline]
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Scalar::Int(value) | Scalar::Time(value) => Some(*value as f64),
            Scalar::Float(value) => Some(*value),
            Scalar::Text(_) | Scalar::Bool(_) => None,
        }
    }

    #[inline]
    #[must_use]
    pub fn kind(&self) -> FieldKind {
        match self {
            Scalar::Text(_) => FieldKind::Text,
            Scalar::Int(_) | Scalar::Time(_) => FieldKind::Int,
            Scalar::Float(_) => FieldKind::Float,
            Scalar::Bool(_) => FieldKind::Bool,
        }
    }

    /// Numbers before booleans before texts, each in their own order.
    #[inline]
    #[must_use]
    pub fn order(&self, other: &Scalar) -> std::cmp::Ordering {
        let rank = |value: &Scalar| match value {
            Scalar::Int(_) | Scalar::Float(_) | Scalar::Time(_) => 0,
            Scalar::Bool(_) => 1,
            Scalar::Text(_) => 2,
        };
        match (self, other) {
            (Scalar::Int(one) | Scalar::Time(one), Scalar::Int(other) | Scalar::Time(other)) => {
                one.cmp(other)
            }
            (Scalar::Text(one), Scalar::Text(other)) => one.cmp(other),
            (Scalar::Bool(one), Scalar::Bool(other)) => one.cmp(other),
            _ => match (self.number(), other.number()) {
                (Some(one), Some(other)) => one.total_cmp(&other),
                _ => rank(self).cmp(&rank(other)),
            },
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Text(text) => f.write_str(text),
            Scalar::Int(value) => value.fmt(f),
            Scalar::Float(value) => value.fmt(f),
            Scalar::Bool(value) => value.fmt(f),
            Scalar::Time(value) => f.write_str(&base::stamp::to_rfc3339(*value)),
        }
    }
}

impl Unit {
    #[inline]
    #[must_use]
    pub fn value(self, number: i64) -> Scalar {
        match self {
            Unit::Whole => Scalar::Int(number),
            Unit::Decimals(_) | Unit::Bits => Scalar::Float(self.float(number)),
            Unit::Time => Scalar::Time(number),
            Unit::Truth => Scalar::Bool(number != 0),
        }
    }

    #[inline]
    #[must_use]
    pub fn float(self, number: i64) -> f64 {
        match self {
            Unit::Whole | Unit::Time | Unit::Truth => number as f64,
            Unit::Decimals(places) => number as f64 / 10_f64.powi(places as i32),
            Unit::Bits => f64::from_bits(ordered(number) as u64),
        }
    }

    /// The integer that represents a float among [`Unit::Bits`].
    #[inline]
    #[must_use]
    pub fn ordered(value: f64) -> i64 {
        ordered(value.to_bits() as i64)
    }

    /// True if its sums and percentiles have a meaning.
    #[inline]
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Unit::Whole | Unit::Decimals(_) | Unit::Bits)
    }
}

/// Maps the bits of floats to integers in the order of the floats, and back.
#[inline]
fn ordered(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

impl StoredColumn {
    #[must_use]
    pub fn from_values(values: Values) -> StoredColumn {
        match values {
            Values::Text { codes, texts } => StoredColumn::texts(&codes, texts),
            Values::Int(numbers) => StoredColumn::whole(&numbers, Unit::Whole),
            Values::Float(numbers) => StoredColumn::floats(&numbers),
            Values::Bool(truths) => {
                let numbers = truths.iter().map(|truth| truth.map_or(NO_INT, i64::from));
                StoredColumn::whole(&numbers.collect::<Vec<_>>(), Unit::Truth)
            }
        }
    }

    fn texts(codes: &[u32], texts: Texts) -> StoredColumn {
        let largest = texts.len() as u64;
        // The code of a missing value is the one before 0, so adding 1 gives each its index.
        let shifted = codes.iter().map(|&code| u64::from(code.wrapping_add(1)));
        let missing = codes.iter().filter(|&&code| code == NO_CODE).count();
        StoredColumn {
            codes: Packed::pack(shifted, largest),
            values: ColumnValues::Texts(texts),
            largest,
            missing,
        }
    }

    /// Whole numbers, [`NO_INT`] where missing.
    #[must_use]
    pub fn whole(numbers: &[i64], unit: Unit) -> StoredColumn {
        let present = || numbers.iter().copied().filter(|&number| number != NO_INT);
        let base = present().min().unwrap_or(0);
        let above = |number: i64| (number.wrapping_sub(base) as u64).wrapping_add(1);
        // The range of all 64-bit numbers except the missing one still leaves code 0 free.
        let largest = present().max().map_or(0, above);
        let codes = numbers.iter().map(|&number| if number == NO_INT { 0 } else { above(number) });
        let missing = numbers.len() - present().count();
        StoredColumn {
            codes: Packed::pack(codes, largest),
            values: ColumnValues::Numbers { base, unit },
            largest,
            missing,
        }
    }

    fn floats(numbers: &[f64]) -> StoredColumn {
        for places in 0..=DECIMALS {
            let scaled: Option<Vec<i64>> = numbers.iter().map(|&number| scale(number, places)).collect();
            if let Some(scaled) = scaled {
                return StoredColumn::whole(&scaled, Unit::Decimals(places));
            }
        }
        let bits = |number: &f64| if number.is_nan() { NO_INT } else { ordered(number.to_bits() as i64) };
        StoredColumn::whole(&numbers.iter().map(bits).collect::<Vec<_>>(), Unit::Bits)
    }

    /// Codes with their values.
    #[must_use]
    pub fn listed(codes: Packed, values: Vec<Scalar>) -> StoredColumn {
        let largest = values.len() as u64;
        let missing =
            with_codes!(&codes, codes => codes.iter().filter(|&&code| u64::from(code) == 0).count());
        StoredColumn { codes, values: ColumnValues::Listed(values), largest, missing }
    }

    /// The same values with a code for each number that occurs, and none for the numbers between them.
    #[must_use]
    pub fn recoded(&self) -> StoredColumn {
        let ColumnValues::Numbers { base, unit } = self.values else { return self.clone() };
        let mut present: Vec<u64> =
            (0..self.rows()).map(|row| self.codes.get(row)).filter(|&code| code > 0).collect();
        present.sort_unstable();
        present.dedup();
        let place = |code: u64| present.partition_point(|&other| other < code) as u64 + 1;
        let codes = (0..self.rows()).map(|row| match self.codes.get(row) {
            0 => 0,
            code => place(code),
        });
        let largest = present.len() as u64;
        let codes = Packed::pack(codes, largest);
        StoredColumn {
            codes,
            values: ColumnValues::Sparse { base, unit, places: present },
            largest,
            missing: self.missing,
        }
    }

    /// Numbers of several columns as floats; a row has a value in at most one of them.
    #[must_use]
    pub fn joined_floats(columns: &[std::sync::Arc<StoredColumn>]) -> StoredColumn {
        let rows = columns.iter().map(|column| column.rows()).max().unwrap_or(0);
        let number = |row: usize| {
            let value = columns.iter().find_map(|column| column.at(row));
            value.and_then(|value| value.number()).unwrap_or(f64::NAN)
        };
        StoredColumn::floats(&(0..rows).map(number).collect::<Vec<_>>())
    }

    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// The value of a code; `None` for 0.
    #[inline]
    #[must_use]
    pub fn value(&self, code: u64) -> Option<Scalar> {
        let place = code.checked_sub(1).filter(|_| code <= self.largest)?;
        match &self.values {
            ColumnValues::Texts(texts) => texts.get(place as usize).map(|text| Scalar::Text(text.to_owned())),
            ColumnValues::Numbers { base, unit } => Some(unit.value(base.wrapping_add(place as i64))),
            ColumnValues::Sparse { base, unit, places } => {
                let place = places.get(place as usize)?;
                Some(unit.value(base.wrapping_add((place - 1) as i64)))
            }
            ColumnValues::Listed(values) => values.get(place as usize).cloned(),
        }
    }

    /// The index of an integer among the values.
    #[inline]
    #[must_use]
    pub fn place_of(&self, number: i64) -> Option<usize> {
        let above = |base: i64| u64::try_from(number.checked_sub(base)?).ok();
        let place = match &self.values {
            ColumnValues::Numbers { base, unit: Unit::Whole } => usize::try_from(above(*base)?).ok()?,
            ColumnValues::Sparse { base, unit: Unit::Whole, places } => {
                places.binary_search(&(above(*base)?.checked_add(1)?)).ok()?
            }
            _ => return None,
        };
        ((place as u64) < self.largest).then_some(place)
    }

    /// The integer of a row of a built-in column, in which nothing is missing.
    #[inline]
    #[must_use]
    pub fn whole_at(&self, row: usize) -> i64 {
        match &self.values {
            ColumnValues::Numbers { base, .. } => {
                base.wrapping_add(self.codes.get(row) as i64).wrapping_sub(1)
            }
            _ => 0,
        }
    }

    #[inline]
    #[must_use]
    pub fn at(&self, row: usize) -> Option<Scalar> {
        self.value(self.codes.get(row))
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        let values = match &self.values {
            ColumnValues::Texts(texts) => texts.memory(),
            ColumnValues::Numbers { .. } => 0,
            ColumnValues::Sparse { places, .. } => places.len() * size_of::<u64>(),
            ColumnValues::Listed(values) => values.len() * size_of::<Scalar>(),
        };
        self.codes.bytes() + values
    }
}

/// The integer that a float is with this many decimal places; `None` if it is not one. Missing floats are the
/// missing integer.
fn scale(number: f64, places: u32) -> Option<i64> {
    /// Integers up to here are exact as floats.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_nan() {
        return Some(NO_INT);
    }
    let power = 10_f64.powi(places as i32);
    let whole = (number * power).round();
    // An integer has no negative zero.
    let same = whole.abs() < EXACT && (whole as i64 as f64 / power).to_bits() == number.to_bits();
    same.then_some(whole as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(values: &Values) -> Vec<Option<Scalar>> {
        let column = StoredColumn::from_values(values.clone());
        (0..column.rows()).map(|row| column.at(row)).collect()
    }

    proptest! {
        #[test]
        fn whole_numbers_come_back(numbers in prop::collection::vec(prop_oneof![any::<i64>(), -9..9_i64, Just(NO_INT)], 0..60)) {
            let expected: Vec<_> = numbers.iter().map(|&n| (n != NO_INT).then_some(Scalar::Int(n))).collect();
            prop_assert_eq!(back(&Values::Int(numbers)), expected);
        }

        #[test]
        fn floats_come_back_to_the_bit_and_keep_their_order(
            numbers in prop::collection::vec(prop_oneof![any::<f64>(), (-9_000..9_000_i64).prop_map(|n| n as f64 / 1000.0), Just(-0.0), Just(f64::INFINITY)], 1..60)
        ) {
            let column = StoredColumn::from_values(Values::Float(numbers.clone()));
            for (row, number) in numbers.iter().enumerate() {
                match column.at(row) {
                    Some(Scalar::Float(found)) => prop_assert_eq!(found.to_bits(), number.to_bits()),
                    found => prop_assert!(found.is_none() && number.is_nan()),
                }
            }
            for (one, other) in (0..numbers.len()).zip(1..numbers.len()) {
                if !numbers[one].is_nan() && !numbers[other].is_nan() {
                    let codes = column.codes.get(one).cmp(&column.codes.get(other));
                    prop_assert_eq!(codes, numbers[one].total_cmp(&numbers[other]));
                }
            }
        }
    }

    #[test]
    fn place_of_a_number_is_that_of_its_code() {
        let column = StoredColumn::from_values(Values::Int(vec![7, NO_INT, 900, 40, 7]));
        for column in [column.recoded(), column] {
            for number in [7, 40, 900] {
                let place = column.place_of(number).expect("it occurs");
                assert_eq!(column.value(place as u64 + 1), Some(Scalar::Int(number)));
            }
            assert_eq!(
                (column.place_of(6), column.place_of(901), column.place_of(i64::MIN)),
                (None, None, None)
            );
        }
    }

    #[test]
    fn printed_decimals_are_packed_as_whole_numbers() {
        let column = StoredColumn::from_values(Values::Float(vec![7.061, f64::NAN, 0.25, 18.5]));
        assert!(matches!(column.values, ColumnValues::Numbers { base: 250, unit: Unit::Decimals(3) }));
        assert_eq!((column.codes.bytes(), column.missing), (8, 1));
        assert_eq!(back(&Values::Bool(vec![Some(true), None])), [Some(Scalar::Bool(true)), None]);
        let mut texts = Texts::default();
        texts.push("a");
        let values = Values::Text { codes: vec![NO_CODE, 0], texts };
        assert_eq!(back(&values), [None, Some(Scalar::Text("a".to_owned()))]);
    }
}
