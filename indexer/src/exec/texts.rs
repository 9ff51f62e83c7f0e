//! Which of a column's texts pass a test. Where something is known that all of them must have, it is looked
//! for in all texts at once, or among their fingerprints.

use std::sync::Arc;

use super::values::{TextTest, Way};
use crate::storage::{Prints, Texts};

/// Fewer texts than this are tested one after the other.
const FEW: usize = 64;

/// From so many texts on fingerprints pay: they take two bytes for each, and some hundred microseconds to be made.
const PRINTED: usize = 4_096;

/// Fingerprints are of ids and addresses. Longer texts are sentences, which nobody asks for whole.
const LONGEST_PRINTED_BYTES: usize = 64;

/// The places of the texts that pass, in order.
pub fn passing<E>(
    texts: &Texts,
    test: &TextTest,
    prints: impl FnOnce() -> Result<Arc<Prints>, E>,
) -> Result<Vec<usize>, E> {
    if test.is_exists() {
        return Ok((0..texts.len()).collect());
    }
    let passes = |text: &str| test.passes(text);
    let Some(ways) = test.ways().filter(|_| texts.len() >= FEW) else {
        let each = texts.iter().enumerate();
        return Ok(each.filter(|(_, text)| passes(text)).map(|(place, _)| place).collect());
    };
    let is_printed = texts.len() >= PRINTED && texts.bytes() / texts.len() <= LONGEST_PRINTED_BYTES;
    let mut places = Vec::new();
    let prints =
        if is_printed && ways.iter().all(|way| way.sequence.is_some()) { Some(prints()?) } else { None };
    for way in ways {
        match prints.as_ref().and_then(|prints| by_print(prints, way)) {
            Some(found) => {
                places.extend(found.into_iter().filter(|&place| texts.get(place).is_some_and(passes)));
            }
            None => by_literal(texts, way, passes, &mut places),
        }
    }
    if ways.len() > 1 {
        places.sort_unstable();
        places.dedup();
    }
    Ok(places)
}

fn by_print(prints: &Prints, way: &Way) -> Option<Vec<usize>> {
    let (sequence, is_all) = way.sequence?;
    if is_all { Some(prints.places_of(sequence)) } else { prints.places_with(sequence) }
}

/// Looks for the literal in the joined texts; where it is found, the text there is tested. What is found across
/// the end of a text is in none, and one that is within a text would have been found before it.
fn by_literal(texts: &Texts, way: &Way, passes: impl Fn(&str) -> bool, places: &mut Vec<usize>) {
    let joined = texts.joined().as_bytes();
    let (mut byte, mut from) = (0, 0);
    while let Some(found) = way.literal.find_at(joined, byte)
        && let Some((place, end)) = texts.at_byte(found, from)
    {
        if texts.get(place).is_some_and(&passes) {
            places.push(place);
        }
        (byte, from) = (end, place + 1);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;
    use crate::query::{Filter, Op, Test, parse};

    fn tests() -> impl Strategy<Value = Test> {
        let pattern = prop_oneof![
            "[a-c]{1,3}",
            "\"[a-cK]{1,2} [a-c]{1,2}\"",
            "[*][a-cäK]{2,3}[*]",
            "[a-c]{1,2}[*][a-c]{1,2}",
            "/[a-c]{1,2}.[a-c]{2}/",
            "/\\^ab.\\*[a-c]\\$/i",
            "/k[a-c]+/i",
        ];
        let matches =
            prop::collection::vec(pattern, 1..4).prop_filter_map("a list of values", |patterns| match parse(
                &format!("f:({})", patterns.join(" OR ")),
            ) {
                Ok(Filter::Field { test, .. }) => Some(test),
                _ => None,
            });
        prop_oneof![4 => matches, 1 => "[a-c .]{0,4}".prop_map(|text| Test::Compare(Op::Equal, text))]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn what_is_looked_for_is_what_passes(
            few in prop::collection::vec("[a-cA-CkäÄK\u{212a}. _]{0,6}", 1..60),
            // More texts than are tested one by one, and more than are without fingerprints.
            times in prop::sample::select(vec![1, 70, 5_000]),
            test in tests(),
        ) {
            let mut texts = Texts::default();
            (0..times).map(|place| &few[place % few.len()]).for_each(|text| texts.push(text));
            let test = TextTest::new("f", &test);
            let found = passing(&texts, &test, || Ok::<_, Infallible>(Arc::new(Prints::new(&texts))));
            let Ok(found) = found;
            let expected: Vec<usize> =
                (0..texts.len()).filter(|&place| test.passes(texts.get(place).expect("a text"))).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
