//! The vocabulary of a case: its words, their document frequency, and the nearest existing words to one that
//! no event has. They come from the term dictionaries of the text indexes; segments without one add nothing.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::Engine;
use crate::exec::{events_with, in_order, word_counts};
use base::Cancel;
use base::error::Result;
use base::limits::NEAREST_WORDS;
use base::tokens;
use query::{Span, wanted_words};
use store::Snapshot;
use store::{Fuzzy, Segment, WordCounts};

/// A word of the text of events, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KnownWord {
    pub word: String,
    /// How many events have it.
    pub events: u64,
}

/// A word of a query that no event has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// As it is written in the query.
    pub word: String,
    /// Bytes of the query.
    pub start: usize,
    pub end: usize,
    /// Words that were perhaps meant, by descending document frequency.
    pub nearest: Vec<KnownWord>,
}

impl UnknownWord {
    /// The query with the word replaced.
    #[must_use]
    pub fn replaced(&self, query: &str, word: &str) -> String {
        let (before, after) = (query.get(..self.start), query.get(self.end..));
        format!("{}{word}{}", before.unwrap_or_default(), after.unwrap_or_default())
    }
}

/// Shorter words are not corrected by two edits: nearly any other word is that close.
const SHORTEST_FOR_TWO: usize = 5;

/// The words of the segments that have a term dictionary.
struct Tables<'s> {
    tables: Vec<(&'s Segment, Arc<WordCounts>)>,
}

impl Engine {
    /// Words with a prefix, by descending document frequency. Words have no digits.
    pub fn words(
        &self,
        snapshot: &Snapshot,
        prefix: &str,
        most: usize,
        cancel: &Cancel,
    ) -> Result<Vec<KnownWord>> {
        let prefix = tokens::fold(prefix.as_bytes()).into_owned();
        Self::without_damaged(snapshot, |snapshot| {
            let tables = Tables::load(snapshot, cancel)?;
            let mut sums: HashMap<&str, u64> = HashMap::new();
            for (_, table) in &tables.tables {
                for known in table.with_prefix(&prefix) {
                    *sums.entry(&known.word).or_default() += u64::from(known.events);
                }
            }
            tables.counted(most_frequent(sums, most), cancel)
        })
    }
}

impl Engine {
    /// The words of a query's filter that no event has, with suggestions. Words with digits are skipped, and
    /// all words while a segment has no term dictionary.
    pub fn unknown_words(
        &self,
        snapshot: &Snapshot,
        query: &str,
        cancel: &Cancel,
    ) -> Result<Vec<UnknownWord>> {
        let wanted = wanted_words(query);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        Self::without_damaged(snapshot, |snapshot| {
            let tables = Tables::load(snapshot, cancel)?;
            let mut unknown = Vec::new();
            if tables.tables.len() < snapshot.segments.len() {
                return Ok(unknown);
            }
            for Span { start, end } in &wanted {
                let word = &query[*start..*end];
                let folded = tokens::fold(word.as_bytes());
                let is_known = tables.tables.iter().any(|(_, table)| table.get(&folded).is_some());
                if !is_known && tokens::is_word(folded.as_bytes()) {
                    let nearest = tables.nearest(&folded, cancel)?;
                    unknown.push(UnknownWord { word: word.to_owned(), start: *start, end: *end, nearest });
                }
            }
            Ok(unknown)
        })
    }
}

impl Tables<'_> {
    /// Words at distance one, or else at distance two.
    fn nearest(&self, word: &str, cancel: &Cancel) -> Result<Vec<KnownWord>> {
        let most = if word.chars().count() < SHORTEST_FOR_TWO { 1 } else { 2 };
        for edits in 1..=most {
            let Some(similar) = Fuzzy::new(word, edits) else { continue };
            let mut sums: HashMap<&str, u64> = HashMap::new();
            let known = self.tables.iter().flat_map(|(_, table)| table.all());
            for known in known.filter(|known| similar.has(known.word.as_bytes())) {
                *sums.entry(&known.word).or_default() += u64::from(known.events);
            }
            if !sums.is_empty() {
                return self.counted(most_frequent(sums, NEAREST_WORDS), cancel);
            }
        }
        Ok(Vec::new())
    }

    fn load<'s>(snapshot: &'s Snapshot, cancel: &Cancel) -> Result<Tables<'s>> {
        let mut tables = Vec::new();
        let segments = &snapshot.segments;
        let work = |at: usize| word_counts(&segments[at], cancel);
        in_order(segments.len(), cancel, work, |at, table| {
            tables.extend(table.map(|table| (segments[at].as_ref(), table)));
            Ok(())
        })?;
        Ok(Tables { tables })
    }

    /// The words with exact counts, the most frequent first.
    fn counted<'w>(&self, words: impl Iterator<Item = &'w str>, cancel: &Cancel) -> Result<Vec<KnownWord>> {
        let mut counted = Vec::new();
        for word in words {
            let mut events = 0;
            for (segment, table) in &self.tables {
                events += u64::from(events_with(segment, table, word, cancel)?);
            }
            counted.push(KnownWord { word: word.to_owned(), events });
        }
        counted.sort_by(|one, other| other.events.cmp(&one.events).then_with(|| one.word.cmp(&other.word)));
        Ok(counted)
    }
}

fn most_frequent(sums: HashMap<&str, u64>, most: usize) -> impl Iterator<Item = &str> {
    let mut sums: Vec<(&str, u64)> = sums.into_iter().collect();
    sums.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    sums.into_iter().map(|(word, _)| word).take(most)
}
