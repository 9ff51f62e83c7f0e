//! A part of a token, and the terms that contain it.

use std::io;

use memchr::memmem;
use tantivy::postings::TermInfo;
use tantivy::termdict::TermDictionary;

use super::terms::TermTest;

/// A folded text that a token contains, at its start or end where that is required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPart {
    pub text: String,
    pub at_start: bool,
    pub at_end: bool,
}

/// Shorter parts are in too many tokens.
const SHORTEST_BYTES: usize = 3;

impl TokenPart {
    /// True if the term dictionary can decide: no number contains it (columns may hold numbers without a
    /// term), and few ids do.
    #[must_use]
    pub fn is_selective(&self) -> bool {
        self.text.len() >= SHORTEST_BYTES && !self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// A test on a folded term.
pub type TermFilter<'t> = &'t dyn Fn(&[u8]) -> bool;

/// The terms with a part that also pass a test.
pub struct TermsWith<'t> {
    pub part: &'t TokenPart,
    pub test: Option<TermFilter<'t>>,
}

impl TermTest for TermsWith<'_> {
    fn for_each(
        &self,
        dictionary: &TermDictionary,
        each: &mut dyn FnMut(&[u8], &TermInfo) -> io::Result<()>,
    ) -> io::Result<()> {
        let TokenPart { text, at_start, at_end } = self.part;
        let text = text.as_bytes();
        let within = memmem::Finder::new(text);
        let first: &[u8] = if *at_start { text } else { &[] };
        let mut terms = dictionary.range().ge(first).into_stream()?;
        while let Some((term, info)) = terms.next() {
            if *at_start && !term.starts_with(text) {
                break;
            }
            let has = match (at_start, at_end) {
                (true, true) => term == text,
                (true, false) => true,
                (false, true) => term.ends_with(text),
                (false, false) => within.find(term).is_some(),
            };
            if has && self.test.is_none_or(|test| test(term)) {
                each(term, info)?;
            }
        }
        Ok(())
    }
}
