//! The words of a segment with their document frequency, cached with its index on first use.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base::error::Result;

/// A folded word and its document frequency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCount {
    pub word: String,
    /// An upper bound if the word is in the values of several columns: an event may count once for each.
    pub events: u32,
    pub is_exact: bool,
}

/// The words of a segment in order.
#[derive(Debug)]
pub struct WordCounts {
    words: Vec<WordCount>,
    /// Exact counts, once computed.
    counted: Mutex<HashMap<String, u32>>,
}

impl WordCounts {
    #[must_use]
    pub fn new(mut words: Vec<WordCount>) -> WordCounts {
        words.sort_unstable_by(|one, other| one.word.cmp(&other.word));
        WordCounts { words, counted: Mutex::default() }
    }

    pub fn all(&self) -> &[WordCount] {
        &self.words
    }

    pub fn with_prefix(&self, prefix: &str) -> &[WordCount] {
        let start = self.words.partition_point(|known| known.word.as_str() < prefix);
        let begin = |known: &WordCount| known.word.starts_with(prefix);
        let end = self.words[start..].partition_point(begin);
        &self.words[start..start + end]
    }

    pub fn get(&self, word: &str) -> Option<&WordCount> {
        let at = self.words.binary_search_by(|known| known.word.as_str().cmp(word)).ok()?;
        self.words.get(at)
    }

    /// The number of events with a word; computed by `count` if it is not known exactly.
    pub fn events(&self, word: &str, count: impl FnOnce() -> Result<u32>) -> Result<u32> {
        match self.get(word) {
            None => return Ok(0),
            Some(known) if known.is_exact => return Ok(known.events),
            Some(_) => {}
        }
        let counted = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&events) = counted().get(word) {
            return Ok(events);
        }
        let events = count()?;
        counted().insert(word.to_owned(), events);
        Ok(events)
    }
}
