//! The numbers or values of a field as keys that compare the same way in all segments.

use store::{ColumnValues, Scalar, StoredColumn, Unit};

/// The meaning of the keys of a field, over all segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Key `k` is the integer `least + k`, in the unit.
    Whole { least: i64, unit: Unit },
    /// Key `k` is the float whose bits, mapped to an ordered integer, are `least + k`.
    Bits { least: i64 },
}

/// How the codes of one segment map to keys.
#[derive(Clone, Copy, Debug)]
pub enum ToKey {
    /// `(code - 1) * times + plus`
    Linear {
        times: u64,
        plus: u64,
    },
    Float {
        base: i64,
        unit: Unit,
        least: i64,
    },
}

impl ToKey {
    #[inline]
    #[must_use]
    pub fn key(self, code: u64) -> u64 {
        match self {
            ToKey::Linear { times, plus } => (code - 1) * times + plus,
            ToKey::Float { base, unit, least } => {
                let value = unit.float(base.wrapping_add((code - 1) as i64));
                Unit::ordered(value).wrapping_sub(least) as u64
            }
        }
    }
}

impl Domain {
    /// The smallest domain that contains the numbers of all columns, and its largest key.
    pub fn covering<'c>(columns: impl Iterator<Item = &'c StoredColumn> + Clone) -> Option<(Domain, u64)> {
        let ends = |column: &StoredColumn| match column.values {
            ColumnValues::Numbers { base, unit } if column.largest > 0 => {
                Some((base, base.wrapping_add((column.largest - 1) as i64), unit))
            }
            _ => None,
        };
        let ends = columns.filter_map(ends);
        let unit = ends.clone().map(|(.., unit)| Some(unit)).reduce(|one, other| join(one?, other?))?;
        let whole = |unit: Unit| {
            let mut range: Option<(i64, i64)> = None;
            for (low, high, own) in ends.clone() {
                let times = factor(own, unit)?;
                let (low, high) = (low.checked_mul(times)?, high.checked_mul(times)?);
                range = Some(range.map_or((low, high), |(least, most)| (least.min(low), most.max(high))));
            }
            range.map(|(least, most)| (Domain::Whole { least, unit }, most.wrapping_sub(least) as u64))
        };
        unit.filter(|unit| *unit != Unit::Bits).and_then(whole).or_else(|| {
            let bits = ends
                .map(|(low, high, unit)| (Unit::ordered(unit.float(low)), Unit::ordered(unit.float(high))));
            let (least, most) = bits.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
            Some((Domain::Bits { least }, most.wrapping_sub(least) as u64))
        })
    }

    /// The mapping of a segment's codes to keys; `None` if its column has no numbers.
    #[must_use]
    pub fn keys_of(&self, column: &StoredColumn) -> Option<ToKey> {
        let ColumnValues::Numbers { base, unit: own } = column.values else { return None };
        Some(match *self {
            Domain::Whole { least, unit } => {
                let times = factor(own, unit)?;
                let plus = base.wrapping_mul(times).wrapping_sub(least) as u64;
                ToKey::Linear { times: times as u64, plus }
            }
            Domain::Bits { least } => ToKey::Float { base, unit: own, least },
        })
    }

    #[must_use]
    pub fn value(&self, key: u64) -> Scalar {
        match *self {
            Domain::Whole { least, unit } => unit.value(least.wrapping_add(key as i64)),
            Domain::Bits { least } => Scalar::Float(Unit::Bits.float(least.wrapping_add(key as i64))),
        }
    }
}

/// The unit that can represent numbers of both; `None` if only floats can.
fn join(one: Unit, other: Unit) -> Option<Unit> {
    match (one, other) {
        (Unit::Decimals(one), Unit::Decimals(other)) => Some(Unit::Decimals(one.max(other))),
        (Unit::Decimals(places), Unit::Whole) | (Unit::Whole, Unit::Decimals(places)) => {
            Some(Unit::Decimals(places))
        }
        (one, other) => (one == other).then_some(one),
    }
}

fn factor(own: Unit, wanted: Unit) -> Option<i64> {
    let places = |unit: Unit| match unit {
        Unit::Decimals(places) => places,
        _ => 0,
    };
    10_i64.checked_pow(places(wanted).checked_sub(places(own))?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use store::Values;

    fn column() -> impl Strategy<Value = StoredColumn> {
        prop_oneof![
            prop::collection::vec(-500..500_i64, 1..9).prop_map(Values::Int),
            prop::collection::vec(any::<i64>(), 1..9).prop_map(Values::Int),
            prop::collection::vec((-5_000..5_000_i64).prop_map(|n| n as f64 / 100.0), 1..9)
                .prop_map(Values::Float),
            prop::collection::vec(any::<f64>(), 1..9).prop_map(Values::Float),
        ]
        .prop_map(StoredColumn::from_values)
    }

    proptest! {
        #[test]
        fn keys_have_the_order_of_the_numbers(columns in prop::collection::vec(column(), 1..4)) {
            let Some((domain, largest)) = Domain::covering(columns.iter()) else { return Ok(()) };
            let mut all = Vec::new();
            for column in &columns {
                let to_key = domain.keys_of(column).expect("it has numbers");
                for row in 0..column.rows() {
                    if let Some(value) = column.at(row) {
                        let key = to_key.key(column.codes.get(row));
                        prop_assert!(key <= largest);
                        prop_assert_eq!(domain.value(key).number(), value.number());
                        all.push((key, value.number().expect("a number")));
                    }
                }
            }
            all.sort_unstable_by_key(|(key, _)| *key);
            prop_assert!(all.is_sorted_by(|(_, one), (_, other)| one <= other));
        }
    }
}
