//! The codes of a column that pass a predicate, and the rows that have them. A predicate is evaluated once
//! per distinct value; rows are found by kernels that compare many codes at once.

use super::bitmap::Bitmap;
use super::value_predicate::NumberTest;
use query::{Amount, Op};
use store::{Code, StoredColumn, Unit, with_codes};

/// Up to this many ranges of codes are compared one after the other; each pass runs at memory speed.
const COMPARED: usize = 3;

/// For more ranges a lookup table of codes is used, while it has no more entries than this.
const TABLE: u64 = 1 << 22;

/// Codes as inclusive ranges, in ascending order and with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes(Vec<(u64, u64)>);

impl Codes {
    fn range(from: u128, end: u128) -> Codes {
        // Neither end is larger than the largest code, which is u64::MAX for the widest column.
        Codes(if from < end { vec![(from as u64, (end - 1) as u64)] } else { Vec::new() })
    }

    /// The codes of values at these dictionary indexes, which are in ascending order.
    pub fn from_places(places: impl IntoIterator<Item = usize>) -> Codes {
        let mut codes = Codes::default();
        places.into_iter().for_each(|place| codes.push(place as u64 + 1));
        codes
    }

    /// The dictionary indexes, as given to [`Codes::from_places`].
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|&(from, to)| from as usize - 1..to as usize)
    }

    /// The codes up to the largest that lie in a range: from the first for which `before` is false to the
    /// last for which `within` is true.
    pub fn between(largest: u64, before: impl Fn(u64) -> bool, within: impl Fn(u64) -> bool) -> Codes {
        let end = u128::from(largest) + 1;
        let first = first_code(end, &before);
        Codes::range(first, first_code(end, |code| before(code) || within(code)))
    }

    /// Adds a code that is larger than all others.
    fn push(&mut self, code: u64) {
        match self.0.last_mut() {
            Some((_, to)) if *to + 1 == code => *to = code,
            _ => self.0.push((code, code)),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn or(self, other: Codes) -> Codes {
        let mut all = self.0;
        all.extend(other.0);
        all.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(all.len());
        for (from, to) in all {
            match joined.last_mut() {
                Some((_, end)) if from <= end.saturating_add(1) => *end = to.max(*end),
                _ => joined.push((from, to)),
            }
        }
        Codes(joined)
    }

    fn and(&self, other: &Codes) -> Codes {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(&&(from, to)), Some(&&(other_from, other_to))) = (one.peek(), two.peek()) {
            let (first, last) = (from.max(other_from), to.min(other_to));
            if first <= last {
                both.push((first, last));
            }
            if to <= other_to {
                one.next()
            } else {
                two.next()
            };
        }
        Codes(both)
    }

    /// The rows of a column that have one of the codes.
    #[must_use]
    pub fn rows(&self, column: &StoredColumn) -> Bitmap {
        if column.missing == 0 && self.0.as_slice() == [(1, column.largest)] {
            return Bitmap::all(column.rows());
        }
        with_codes!(&column.codes, codes => self.rows_of(codes, column.largest))
    }

    /// The rows of `among` that have one of the codes.
    #[must_use]
    pub fn rows_among(&self, column: &StoredColumn, among: &Bitmap) -> Bitmap {
        if among.are_few() {
            return with_codes!(&column.codes, codes => among.with_code(codes, |code| self.has(code.into())));
        }
        self.rows(column).and(among)
    }

    fn has(&self, code: u64) -> bool {
        let at = self.0.partition_point(|&(_, to)| to < code);
        self.0.get(at).is_some_and(|&(from, _)| from <= code)
    }

    fn rows_of<C: Code>(&self, codes: &[C], largest: u64) -> Bitmap {
        let within = |&(from, to): &(u64, u64)| {
            let (first, span) = (C::from_number(from), C::from_number(to - from));
            Bitmap::from_codes(codes, |code| code.above(first) <= span)
        };
        match self.0.as_slice() {
            [] => Bitmap::none(codes.len()),
            [first, rest @ ..] if rest.len() < COMPARED => {
                rest.iter().fold(within(first), |rows, range| rows.or(&within(range)))
            }
            ranges if largest < TABLE => {
                let mut table = vec![false; largest as usize + 1];
                for &(from, to) in ranges {
                    table[from as usize..=to as usize].fill(true);
                }
                Bitmap::from_codes(codes, |code| table[code.into() as usize])
            }
            _ => Bitmap::from_codes(codes, |code| self.has(code.into())),
        }
    }
}

/// The codes of a numeric column that pass. Codes ascend with the numbers, so a comparison selects a range of
/// codes.
pub fn from_numbers(column: &StoredColumn, (base, unit): (i64, Unit), test: &NumberTest) -> Codes {
    let amount = |code: u64| {
        let number = base.wrapping_add((code - 1) as i64);
        match unit {
            Unit::Decimals(_) | Unit::Bits => Amount::Float(unit.float(number)),
            Unit::Whole | Unit::Time | Unit::Truth => Amount::Whole(number),
        }
    };
    let end = u128::from(column.largest) + 1;
    let all = || Codes::range(1, end);
    let compared = |op: Op, wanted: Amount| {
        let first = first_code(end, |code| amount(code).compare(wanted).is_lt());
        let after = first_code(end, |code| amount(code).compare(wanted).is_le());
        match op {
            Op::Equal => Codes::range(first, after),
            Op::NotEqual => Codes::range(1, first).or(Codes::range(after, end)),
            Op::Less => Codes::range(1, first),
            Op::LessOrEqual => Codes::range(1, after),
            Op::Greater => Codes::range(after, end),
            Op::GreaterOrEqual => Codes::range(first, end),
        }
    };
    match test {
        NumberTest::Never => Codes::default(),
        NumberTest::Compare(each) => {
            each.iter().fold(all(), |codes, &(op, wanted)| codes.and(&compared(op, wanted)))
        }
        NumberTest::Any(wanted) if !test.looks_at_text() => {
            let amounts = wanted.iter().filter_map(|wanted| wanted.as_ref().ok());
            amounts.fold(Codes::default(), |codes, &wanted| codes.or(compared(Op::Equal, wanted)))
        }
        NumberTest::Any(_) => {
            let mut codes = Codes::default();
            present(column)
                .into_iter()
                .filter(|&code| test.passes(amount(code)))
                .for_each(|code| codes.push(code));
            codes
        }
    }
}

/// The first code up to the end for which `precedes` is false.
fn first_code(end: u128, precedes: impl Fn(u64) -> bool) -> u128 {
    let (mut low, mut high) = (1, end);
    while low < high {
        let middle = u128::midpoint(low, high);
        if precedes(middle as u64) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The codes that occur in the column, in ascending order.
fn present(column: &StoredColumn) -> Vec<u64> {
    with_codes!(&column.codes, codes => {
        if column.largest < TABLE {
            let mut seen = vec![false; column.largest as usize + 1];
            for &code in codes {
                seen[u64::from(code) as usize] = true;
            }
            (1..=column.largest).filter(|&code| seen[code as usize]).collect()
        } else {
            let mut found: Vec<u64> = codes.iter().map(|&code| u64::from(code)).filter(|&code| code > 0).collect();
            found.sort_unstable();
            found.dedup();
            found
        }
    })
}

#[cfg(test)]
mod tests {
    use ingest::NO_INT;
    use proptest::prelude::*;

    use super::super::value_predicate::ValueTest;
    use super::*;
    use query::{Bound, Pattern, Range, Test};
    use store::{ColumnValues, Values};

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            (-20..20_i64).prop_map(|number| number.to_string()),
            any::<i64>().prop_map(|number| number.to_string()),
            (-80..80_i32).prop_map(|number| (f64::from(number) / 8.0).to_string()),
            Just("9007199254740993".to_owned()),
            Just("x".to_owned()),
        ]
    }

    fn test() -> impl Strategy<Value = Test> {
        let op = prop::sample::select(vec![
            Op::Equal,
            Op::NotEqual,
            Op::Less,
            Op::LessOrEqual,
            Op::Greater,
            Op::GreaterOrEqual,
        ]);
        let bound = || {
            prop::option::of(
                (number(), any::<bool>()).prop_map(|(value, inclusive)| Bound { value, inclusive }),
            )
        };
        let pattern = prop_oneof![
            3 => number().prop_map(Pattern::Tokens),
            1 => Just(Pattern::Substring("1".to_owned())),
        ];
        prop_oneof![
            Just(Test::Exists),
            (op, number()).prop_map(|(op, value)| Test::Compare(op, value)),
            (bound(), bound()).prop_map(|(from, to)| Test::Range(Range { from, to })),
            prop::collection::vec(pattern, 1..7).prop_map(Test::Matches),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn codes_pass_exactly_if_their_numbers_do(
            numbers in prop_oneof![
                prop::collection::vec(prop_oneof![8 => -20..20_i64, 1 => Just(NO_INT), 1 => any::<i64>()], 0..150)
                    .prop_map(Values::Int),
                prop::collection::vec(prop_oneof![-20..20_i64, Just(NO_INT)], 0..150).prop_map(Values::Int),
                prop::collection::vec(
                    prop_oneof![(-80..80_i32).prop_map(|number| f64::from(number) / 8.0), Just(f64::NAN)], 0..150,
                ).prop_map(Values::Float),
                prop::collection::vec(prop_oneof![any::<f64>(), Just(-0.0), Just(0.0)], 0..150)
                    .prop_map(Values::Float),
            ],
            test in test(),
        ) {
            let test = ValueTest::new("n", &test);
            let passes = |row: usize| match &numbers {
                Values::Int(values) => values[row] != NO_INT && test.numbers.passes(Amount::Whole(values[row])),
                Values::Float(values) => !values[row].is_nan() && test.numbers.passes(Amount::Float(values[row])),
                _ => false,
            };
            let column = StoredColumn::from_values(numbers.clone());
            let ColumnValues::Numbers { base, unit } = column.values else { panic!("no numbers") };
            let found = from_numbers(&column, (base, unit), &test.numbers).rows(&column);
            prop_assert_eq!(found, Bitmap::from_test(column.rows(), passes));
        }

        #[test]
        fn selected_rows_have_the_codes(
            codes in prop::collection::vec(0..90_u64, 0..300),
            mut places in prop::collection::vec(0..89_usize, 0..30),
            shift in prop::sample::select(vec![0, 8, 16, 40]),
        ) {
            places.sort_unstable();
            places.dedup();
            for place in &mut places {
                *place <<= shift;
            }
            let largest = 90 << shift;
            let packed = store::Packed::pack(codes.iter().map(|code| code << shift), largest);
            let column = StoredColumn { codes: packed, largest, ..StoredColumn::from_values(Values::Int(vec![])) };
            let rows = Codes::from_places(places.iter().copied()).rows(&column);
            let has = |row: usize| (codes[row] << shift).checked_sub(1).is_some_and(|place| places.contains(&(place as usize)));
            prop_assert_eq!(&rows, &Bitmap::from_test(codes.len(), has));
            for every in [1, 40] {
                let among = Bitmap::from_test(codes.len(), |row| row % every == 0);
                let found = Codes::from_places(places.iter().copied()).rows_among(&column, &among);
                prop_assert_eq!(found, rows.clone().and(&among));
            }
        }
    }
}
