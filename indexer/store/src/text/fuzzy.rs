//! Fuzzy words: all words within a small edit distance. An edit deletes a letter, inserts one, replaces one,
//! or swaps two neighbouring letters. The term dictionary and the text scan run the same automaton.

use std::fmt;
use std::io;

use tantivy::Term;
use tantivy::postings::TermInfo;
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy::termdict::TermDictionary;
use tantivy_fst::Automaton;

use super::terms::TermTest;
use base::tokens;

/// A folded word and its edit distance.
pub struct Fuzzy {
    word: String,
    edits: u8,
    automaton: DfaWrapper,
}

impl fmt::Debug for Fuzzy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fuzzy").field("word", &self.word).field("edits", &self.edits).finish_non_exhaustive()
    }
}

impl Fuzzy {
    /// `None` for more than two edits.
    #[must_use]
    pub fn new(word: &str, edits: u8) -> Option<Fuzzy> {
        let term = Term::from_field_text(Field::from_field_id(0), word);
        let automaton = FuzzyTermQuery::new(term, edits, true).automaton().ok()?;
        Some(Fuzzy { word: word.to_owned(), edits, automaton })
    }

    /// True if a folded token is within the distance.
    #[must_use]
    pub fn has(&self, token: &[u8]) -> bool {
        tokens::is_word(token) && self.accepts(token.iter().copied())
    }

    /// True if any token of a text is within the distance.
    #[must_use]
    pub fn is_in(&self, text: &[u8]) -> bool {
        tokens::ranges(text).any(|(start, end)| {
            let token = &text[start..end];
            if token.is_ascii() {
                return tokens::is_word(token) && self.accepts(token.iter().map(u8::to_ascii_lowercase));
            }
            self.has(tokens::fold(token).as_bytes())
        })
    }

    fn accepts(&self, bytes: impl Iterator<Item = u8>) -> bool {
        let mut state = self.automaton.start();
        for byte in bytes {
            state = self.automaton.accept(&state, byte);
            if !self.automaton.can_match(&state) {
                return false;
            }
        }
        self.automaton.is_match(&state)
    }
}

impl Automaton for &Fuzzy {
    type State = u32;

    fn start(&self) -> u32 {
        self.automaton.start()
    }

    fn is_match(&self, state: &u32) -> bool {
        self.automaton.is_match(state)
    }

    fn can_match(&self, state: &u32) -> bool {
        self.automaton.can_match(state)
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.automaton.accept(state, byte)
    }
}

impl TermTest for Fuzzy {
    fn for_each(
        &self,
        dictionary: &TermDictionary,
        each: &mut dyn FnMut(&[u8], &TermInfo) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut terms = dictionary.search(self).into_stream()?;
        while let Some((term, info)) = terms.next() {
            if tokens::is_word(term) {
                each(term, info)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every text that one edit produces, with these letters.
    fn edited(word: &[char], letters: &[char]) -> Vec<Vec<char>> {
        let mut all = vec![word.to_vec()];
        for at in 0..=word.len() {
            for &letter in letters {
                let mut longer = word.to_vec();
                longer.insert(at, letter);
                all.push(longer);
                let mut other = word.to_vec();
                if let Some(place) = other.get_mut(at) {
                    *place = letter;
                    all.push(other);
                }
            }
            if at < word.len() {
                let mut shorter = word.to_vec();
                shorter.remove(at);
                all.push(shorter);
            }
            if at + 1 < word.len() {
                let mut swapped = word.to_vec();
                swapped.swap(at, at + 1);
                all.push(swapped);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn automaton_accepts_exactly_one_edit(word in "[ab\u{e4}]{1,6}", token in "[ab\u{e4}]{1,7}") {
            let letters: Vec<char> = word.chars().collect();
            let wanted: Vec<char> = token.chars().collect();
            let expected = edited(&letters, &['a', 'b', '\u{e4}']).contains(&wanted);
            let fuzzy = Fuzzy::new(&word, 1).expect("one edit");
            prop_assert_eq!(fuzzy.has(token.as_bytes()), expected);
            prop_assert_eq!(fuzzy.is_in(format!("x9 {};", token.to_uppercase()).as_bytes()), expected);
        }
    }

    #[test]
    fn fuzzy_words_have_no_digits_and_are_short() {
        let fuzzy = Fuzzy::new("timeout", 2).expect("two edits");
        for (token, expected) in
            [("timeout", true), ("tmieotu", true), ("timo", false), ("time0ut", false), ("timeouted", true)]
        {
            assert_eq!(fuzzy.has(token.as_bytes()), expected, "{token}");
        }
        assert!(Fuzzy::new("timeout", 3).is_none());
        let long = "a".repeat(41);
        assert!(!Fuzzy::new(&long[1..], 1).expect("one edit").has(long.as_bytes()));
    }
}
