//! Finds the texts of a column that pass a test. If every match must contain some literal, all texts are
//! searched for it at once, or their fingerprints are.

use std::sync::Arc;

use super::value_predicate::{Probe, TextTest};
use store::{Prints, Texts};

/// Fewer texts than this are tested one by one.
const FEW: usize = 64;

/// From this many texts on, fingerprints pay: they take two bytes each and some hundred microseconds to
/// build.
const PRINTED: usize = 4_096;

/// Fingerprints serve ids and addresses. Longer texts are sentences, which nobody searches for as a whole.
const LONGEST_PRINTED_BYTES: usize = 64;

/// The dictionary indexes of the texts that pass, in ascending order.
pub fn passing<E>(
    texts: &Texts,
    test: &TextTest,
    prints: impl FnOnce() -> Result<Arc<Prints>, E>,
) -> Result<Vec<usize>, E> {
    if test.is_exists() {
        return Ok((0..texts.len()).collect());
    }
    let passes = |text: &str| test.passes(text);
    let Some(probes) = test.probes().filter(|_| texts.len() >= FEW) else {
        let each = texts.iter().enumerate();
        return Ok(each.filter(|(_, text)| passes(text)).map(|(place, _)| place).collect());
    };
    let is_printed = texts.len() >= PRINTED && texts.bytes() / texts.len() <= LONGEST_PRINTED_BYTES;
    let mut places = Vec::new();
    let prints = if is_printed && probes.iter().all(|probe| probe.sequence.is_some()) {
        Some(prints()?)
    } else {
        None
    };
    for probe in probes {
        match prints.as_ref().and_then(|prints| by_print(prints, probe)) {
            Some(found) => {
                places.extend(found.into_iter().filter(|&place| texts.get(place).is_some_and(passes)));
            }
            None => by_literal(texts, probe, passes, &mut places),
        }
    }
    if probes.len() > 1 {
        places.sort_unstable();
        places.dedup();
    }
    Ok(places)
}

fn by_print(prints: &Prints, probe: &Probe) -> Option<Vec<usize>> {
    let (sequence, is_all) = probe.sequence?;
    if is_all { Some(prints.places_of(sequence)) } else { prints.places_with(sequence) }
}

/// Searches the concatenated texts for the literal and tests the text at each hit. A hit across a text
/// boundary is in no text; a hit inside a text would have been found before it.
fn by_literal(texts: &Texts, probe: &Probe, passes: impl Fn(&str) -> bool, places: &mut Vec<usize>) {
    let joined = texts.joined().as_bytes();
    let (mut byte, mut from) = (0, 0);
    while let Some(found) = probe.literal.find_at(joined, byte)
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
    use query::{Filter, Op, Test, parse};

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
        fn search_finds_exactly_the_texts_that_pass(
            few in prop::collection::vec("[a-cA-CkäÄK\u{212a}. _]{0,6}", 1..60),
            // More texts than are tested one by one, and more than the threshold for fingerprints.
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
