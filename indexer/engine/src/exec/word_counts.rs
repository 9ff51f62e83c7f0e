//! The document frequency of each word in a segment. Words outside column values are counted by their posting
//! lists, other words by the distinct values that contain them.

use std::collections::HashMap;
use std::sync::Arc;

use super::bitmap::Bitmap;
use super::candidates::Candidates;
use super::matcher::Matcher;
use super::select::SegmentQuery;
use base::Cancel;
use base::error::{Error, Result};
use base::tokens;
use store::{ColumnValues, Segment, TextIndex, WordCount, WordCounts, with_codes};

/// The word counts of a segment, or `None` if it has no term dictionary.
pub fn word_counts(segment: &Segment, cancel: &Cancel) -> Result<Option<Arc<WordCounts>>> {
    let Some(index) = segment.text()? else { return Ok(None) };
    if !index.has_terms() {
        return Ok(None);
    }
    // A damaged part of the index counts as missing.
    segment.or_missing(index.words(|| build(segment, &index, cancel)))
}

/// The number of events in a segment that contain a word.
pub fn events_with(segment: &Segment, counts: &WordCounts, word: &str, cancel: &Cancel) -> Result<u32> {
    counts.events(word, || {
        let all = Bitmap::all(segment.meta.events as usize);
        let Some(index) = segment.text()? else { return Ok(0) };
        let Some(found) = index.postings(word)? else { return Ok(0) };
        let query = SegmentQuery {
            segment,
            sources: &[],
            templates: None,
            shapes: &|| Ok(None),
            cancel,
            trace: None,
        };
        let matcher = Matcher::Tokens(vec![word.to_owned()]);
        Ok(Candidates::from_postings(&query, found, word, &matcher)?.exact_rows(&all).count() as u32)
    })
}

/// The events that contain a word, and the number of places that counted it.
#[derive(Default)]
struct WordTally {
    events: u32,
    places: u32,
}

fn build(segment: &Segment, index: &TextIndex, cancel: &Cancel) -> Result<WordCounts> {
    let mut tallies: HashMap<String, WordTally> = HashMap::new();
    index.for_each_word(&mut |word, events| {
        tallies.insert(word.to_owned(), WordTally { events, places: 1 });
    })?;
    for (column, excepted) in index.value_columns()? {
        if cancel.is_set() {
            return Err(Error::cancelled());
        }
        for (word, events) in column_words(segment, column, &excepted, cancel)? {
            let tally = tallies.entry(word).or_default();
            tally.events = tally.events.saturating_add(events);
            tally.places += 1;
        }
    }
    let words = tallies.into_iter().filter(|(_, tally)| tally.events > 0);
    let words = words.map(|(word, WordTally { events, places })| {
        let events = events.min(segment.meta.events as u32);
        WordCount { word, events, is_exact: places == 1 }
    });
    Ok(WordCounts::new(words.collect()))
}

/// The words in the values of a column, and how many events have them in that column.
fn column_words(
    segment: &Segment,
    column: &str,
    excepted: &[u32],
    cancel: &Cancel,
) -> Result<HashMap<String, u32>> {
    let mut words: HashMap<String, (u32, usize)> = HashMap::new();
    let Some(column) = segment.coded(column, cancel)? else { return Ok(HashMap::new()) };
    let ColumnValues::Texts(texts) = &column.values else { return Ok(HashMap::new()) };
    let mut events = vec![0_u32; texts.len() + 1];
    with_codes!(&column.codes, codes => {
        let place = |row: usize| codes.get(row).map(|&code| u64::from(code) as usize);
        for code in codes {
            if let Some(events) = events.get_mut(u64::from(*code) as usize) {
                *events += 1;
            }
        }
        for &row in excepted {
            if let Some(events) = place(row as usize).and_then(|place| events.get_mut(place)) {
                *events = events.saturating_sub(1);
            }
        }
    });
    for (place, text) in texts.iter().enumerate() {
        let here = events[place + 1];
        for (start, end) in tokens::ranges(text.as_bytes()).filter(|_| here > 0) {
            let word = tokens::fold(&text.as_bytes()[start..end]);
            if !tokens::is_word(word.as_bytes()) {
                continue;
            }
            // A value that contains a word twice counts once.
            match words.get_mut(word.as_ref()) {
                Some((_, last)) if *last == place => {}
                Some((events, last)) => (*events, *last) = (*events + here, place),
                None => drop(words.insert(word.into_owned(), (here, place))),
            }
        }
    }
    Ok(words.into_iter().map(|(word, (events, _))| (word, events)).collect())
}
