//! The trigrams (runs of three bytes) of tokens without a term. A part with any other trigram can only be in
//! terms. Hexadecimal ids have few trigrams of words.

/// A bit for each hash of three bytes.
const BITS: u32 = 16;

/// Length of the byte runs.
const LENGTH: usize = 3;

/// The trigrams of a set of tokens.
pub struct Grams {
    bits: Vec<u8>,
}

impl Grams {
    /// Reads a stored set; `None` for any other length.
    pub fn from_bytes(bits: Vec<u8>) -> Option<Grams> {
        (bits.len() == 1 << (BITS - 3)).then_some(Grams { bits })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bits
    }

    /// Whether one of the tokens may have this folded part.
    pub fn may_have(&self, part: &str) -> bool {
        places(part.as_bytes())
            .all(|place| self.bits.get(place >> 3).is_none_or(|bits| bits >> (place & 7) & 1 == 1))
    }
}

/// How many tokens have each trigram, because a token that is no longer rare leaves.
pub struct GramCounts {
    counts: Vec<u32>,
}

impl Default for GramCounts {
    fn default() -> GramCounts {
        GramCounts { counts: vec![0; 1 << BITS] }
    }
}

impl GramCounts {
    /// Adds the trigrams of a folded token.
    pub fn add(&mut self, token: &[u8]) {
        for place in places(token) {
            self.counts[place] += 1;
        }
    }

    /// Takes back those of a token that was added.
    pub fn remove(&mut self, token: &[u8]) {
        for place in places(token) {
            self.counts[place] -= 1;
        }
    }

    /// The trigrams that any of them has.
    pub fn grams(&self) -> Grams {
        let bit = |count: &u32, at: usize| u8::from(*count > 0) << at;
        let byte =
            |counts: &[u32; 8]| counts.iter().zip(0..).fold(0, |bits, (count, at)| bits | bit(count, at));
        Grams { bits: self.counts.as_chunks().0.iter().map(byte).collect() }
    }
}

fn places(token: &[u8]) -> impl Iterator<Item = usize> {
    token.windows(LENGTH).map(|run| {
        let run = run.iter().fold(0_u32, |run, &byte| run << 8 | u32::from(byte));
        (run.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_of_added_tokens_are_present_and_most_others_are_absent() {
        let mut grams = GramCounts::default();
        for number in 0..20_000_u64 {
            grams.add(format!("{:016x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).as_bytes());
        }
        grams.add("größe7".as_bytes());
        grams.add("warning7".as_bytes());
        grams.remove("warning7".as_bytes());
        let grams = Grams::from_bytes(grams.grams().bytes().to_vec()).expect("as it was written");
        for part in ["größe7", "ße7", "7f4a7c15", "0000", "ab", ""] {
            assert!(grams.may_have(part), "{part}");
        }
        for part in ["timeout", "imeou", "erro", "größen", "warn"] {
            assert!(!grams.may_have(part), "{part}");
        }
        assert!(Grams::from_bytes(vec![0; 7]).is_none());
    }
}
