//! Case-insensitive substring search for an ASCII literal. A literal that every match contains is searched in
//! the whole log before any predicate is evaluated.

use memchr::memmem::Finder;

/// Bytes of logs, the most common first; all others are rare.
const COMMON: &[u8] = b" e0ta1noi2rs3l.5d4-:c6/8m79hup\"g,fb=ywv_k()[]";

/// By byte: 0 of a rare one, and the more the more common it is.
const COMMONNESS: [u8; 256] = {
    let mut of = [0; 256];
    let mut at = 0;
    while at < COMMON.len() {
        of[COMMON[at] as usize] = (COMMON.len() - at) as u8;
        at += 1;
    }
    of
};

/// The place of the rarest byte of a text in lower case; 0 of an empty one.
#[inline]
pub fn rarest(text: &[u8]) -> usize {
    (0..text.len()).min_by_key(|&at| COMMONNESS[usize::from(text[at])]).unwrap_or_default()
}

/// This many positions are tested together, and these groups separately when one of them may match.
const STRIDE: usize = 64;
const GROUP: usize = 16;

#[derive(Debug)]
pub struct Literal {
    /// A text without letters, which has only one case.
    plain: Option<Finder<'static>>,
    /// In lower case.
    text: Box<[u8]>,
    /// Its two rarest bytes.
    rare: [Rare; 2],
}

/// A byte with its offset in the text.
#[derive(Clone, Copy, Debug)]
struct Rare {
    at: usize,
    byte: u8,
    /// The bit that distinguishes upper from lower case, for a letter.
    case: u8,
}

impl Literal {
    /// Takes an ASCII text of at least two bytes.
    pub fn new(text: &str) -> Option<Literal> {
        let text = text.to_ascii_lowercase().into_bytes();
        if text.len() < 2 || !text.is_ascii() {
            return None;
        }
        let mut places: Vec<usize> = (0..text.len()).collect();
        places.sort_by_key(|&at| COMMONNESS[usize::from(text[at])]);
        let rare =
            |at: usize| Rare { at, byte: text[at], case: u8::from(text[at].is_ascii_lowercase()) << 5 };
        let has_letters = text.iter().any(u8::is_ascii_lowercase);
        let plain = (!has_letters).then(|| Finder::new(&text).into_owned());
        Some(Literal { plain, rare: [rare(places[0]), rare(places[1])], text: text.into() })
    }

    /// The first occurrence from a position on.
    #[inline]
    pub fn find_at(&self, bytes: &[u8], from: usize) -> Option<usize> {
        if let Some(plain) = &self.plain {
            return plain.find(bytes.get(from..)?).map(|found| from + found);
        }
        // Later matches would extend past the end.
        let places = (bytes.len() + 1).saturating_sub(self.text.len());
        let mut at = from;
        while at + STRIDE <= places {
            if self.may_be_within::<STRIDE>(bytes, at) {
                for piece in (at..at + STRIDE).step_by(GROUP) {
                    if self.may_be_within::<GROUP>(bytes, piece)
                        && let Some(found) = self.first_of(bytes, piece..piece + GROUP)
                    {
                        return Some(found);
                    }
                }
            }
            at += STRIDE;
        }
        self.first_of(bytes, at..places)
    }

    /// True if both rare bytes are in the right place for at least one of these positions.
    #[inline]
    fn may_be_within<const PLACES: usize>(&self, bytes: &[u8], at: usize) -> bool {
        let [one, other] = self.rare;
        let (ones, others) = (&bytes[at + one.at..][..PLACES], &bytes[at + other.at..][..PLACES]);
        // Branch-free, so that the compiler vectorises it.
        ones.iter().zip(others).fold(0, |found, (&a, &b)| {
            found | u8::from(a | one.case == one.byte) & u8::from(b | other.case == other.byte)
        }) != 0
    }

    fn first_of(&self, bytes: &[u8], mut places: std::ops::Range<usize>) -> Option<usize> {
        let [rare, _] = self.rare;
        places.find(|&at| {
            bytes[at + rare.at] | rare.case == rare.byte
                && bytes[at..at + self.text.len()].eq_ignore_ascii_case(&self.text)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_first_occurrence(
            text in "[aBx@`\\[{0-]{2,4}|[0@`-]{2,4}",
            bytes in prop::collection::vec(prop::sample::select(b"aAbBxX@`[{0-\xC3".to_vec()), 0..300),
            from in 0..80_usize,
        ) {
            let expected = (from..bytes.len()).find(|&at| {
                bytes.get(at..at + text.len()).is_some_and(|found| found.eq_ignore_ascii_case(text.as_bytes()))
            });
            let literal = Literal::new(&text).expect("it is long enough");
            prop_assert_eq!(literal.find_at(&bytes, from), expected);
        }
    }

    #[test]
    fn literal_that_is_too_short_is_refused() {
        assert!(Literal::new("a").is_none());
        assert!(Literal::new("größe").is_none());
        assert_eq!(Literal::new("ab").expect("long enough").find_at(b"a", 0), None);
    }
}
