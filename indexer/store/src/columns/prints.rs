//! Fingerprints of a column's texts, to find one id among millions without reading them.

use std::sync::Arc;

use crate::Segment;
use crate::parquet::Texts;
use base::error::Result;
use base::tokens;

/// The constants of the hash FNV-1a.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// Ends a token in the hash; no token contains this byte, since tokens are folded to UTF-8.
const END: u8 = 0xff;

/// The fingerprint of a token sequence: equal for all texts with the same tokens in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub print: u16,
    pub tokens: u32,
}

impl Sequence {
    #[must_use]
    pub fn from_text(text: &str) -> Sequence {
        let (mut hash, mut count, mut within) = (FIRST, 0, false);
        let mut enter = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(FACTOR);
        if text.is_ascii() {
            for byte in text.bytes() {
                let is_token = tokens::is_token_byte(byte);
                if is_token {
                    enter(byte.to_ascii_lowercase());
                } else if within {
                    enter(END);
                    count += 1;
                }
                within = is_token;
            }
            if within {
                enter(END);
                count += 1;
            }
        } else {
            for token in tokens::folded(text.as_bytes()) {
                token.bytes().for_each(&mut enter);
                enter(END);
                count += 1;
            }
        }
        Sequence { print: (hash >> 48) as u16, tokens: count }
    }
}

/// The fingerprint of each of a column's texts.
#[derive(Debug)]
pub struct Prints {
    prints: Vec<u16>,
    /// The most tokens of any text.
    most: u32,
}

impl Prints {
    #[must_use]
    pub fn new(texts: &Texts) -> Prints {
        let mut most = 0;
        let print = |text: &str| {
            let Sequence { print, tokens } = Sequence::from_text(text);
            most = most.max(tokens);
            print
        };
        Prints { prints: texts.iter().map(print).collect(), most }
    }

    /// The indexes of texts that may have exactly these tokens, in order; no other text has them.
    #[must_use]
    pub fn places_of(&self, wanted: Sequence) -> Vec<usize> {
        let mut places = Vec::new();
        let (blocks, rest) = self.prints.as_chunks::<64>();
        for (index, block) in blocks.iter().enumerate() {
            // Branch-free, so a block is compared at once; most blocks contain no hit.
            if block.iter().fold(0, |any, &print| any | u8::from(print == wanted.print)) != 0 {
                let within = (0..64).filter(|&at| block[at] == wanted.print);
                places.extend(within.map(|at| index * 64 + at));
            }
        }
        let first = blocks.len() * 64;
        places.extend((0..rest.len()).filter(|&at| rest[at] == wanted.print).map(|at| first + at));
        places
    }

    /// The indexes of texts in which these tokens may be adjacent. `None` if a text has more tokens, because
    /// it may contain them among others.
    #[must_use]
    pub fn places_with(&self, wanted: Sequence) -> Option<Vec<usize>> {
        match wanted.tokens.cmp(&self.most) {
            std::cmp::Ordering::Greater => Some(Vec::new()),
            std::cmp::Ordering::Equal if wanted.tokens > 0 => Some(self.places_of(wanted)),
            _ => None,
        }
    }
}

impl Segment {
    /// The fingerprints of a packed text column, cached with it.
    pub fn prints(&self, column: &str, texts: &Texts) -> Result<Arc<Prints>> {
        // This never equals another cache key, whatever the field is called.
        self.cache.get(self.meta.id, &format!("%{column}"), || {
            let prints = Prints::new(texts);
            let bytes = prints.prints.len() * size_of::<u16>();
            Ok((prints, bytes))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(all: &[String]) -> Texts {
        let mut texts = Texts::default();
        for text in all {
            texts.push(text);
        }
        texts
    }

    proptest! {
        #[test]
        fn every_text_is_found_by_its_tokens(
            all in prop::collection::vec("[a-cA-C .ÄäK\u{212a}_]{0,6}", 1..200),
            wanted in "[a-cA-C .ÄäK\u{212a}_]{0,6}",
        ) {
            let prints = Prints::new(&texts(&all));
            let sequence = Sequence::from_text(&wanted);
            let wanted = tokens::folded(wanted.as_bytes());
            prop_assert_eq!(sequence.tokens as usize, wanted.len());
            let found = prints.places_of(sequence);
            let with = prints.places_with(sequence);
            prop_assert!(found.is_sorted());
            for (place, text) in all.iter().enumerate() {
                let own = tokens::folded(text.as_bytes());
                prop_assert!(own != wanted || found.contains(&place));
                let holds = !wanted.is_empty() && own.windows(wanted.len()).any(|window| window == wanted);
                prop_assert!(!holds || with.as_ref().is_none_or(|with| with.contains(&place)));
            }
        }

        #[test]
        fn bytes_belong_to_the_texts_that_they_came_from(all in prop::collection::vec("[a-z]{0,5}", 1..40)) {
            let texts = texts(&all);
            let mut byte = 0;
            for (place, text) in all.iter().enumerate() {
                for _ in 0..text.len() {
                    for from in 0..=place {
                        prop_assert_eq!(texts.at_byte(byte, from).map(|(place, _)| place), Some(place));
                    }
                    byte += 1;
                }
            }
            prop_assert_eq!(texts.at_byte(byte, 0), None);
        }
    }
}
