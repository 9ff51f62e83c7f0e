//! Significant words: frequent in the text of one side of a comparison and rare in that of the other. Sampled runs of events
//! of each side give candidates, which are then counted in all events.

use std::collections::HashMap;

use serde::Serialize;

use super::Side;
use super::score::{self, LEAST_RATIO, Rates};
use crate::Engine;
use crate::aggregate::AggregateScope;
use crate::exec::SegmentRows;
use crate::view::View;
use base::Cancel;
use base::error::{Error, Result};
use base::limits::CANCEL_ROWS;
use base::tokens;
use query::{Filter, Pattern};

/// The sample: this many evenly spread runs of this many events; each run decompresses one or two frames.
/// Smaller results are read completely.
const RUNS: usize = 64;
const RUN_EVENTS: usize = 256;

/// Candidates counted for each requested word.
const CANDIDATES: usize = 3;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SignificantWord {
    pub word: String,
    /// Events of the selection that have it, and of the others.
    pub selected: u64,
    pub others: u64,
    /// How much more frequent it is in the selection, times its share of the selection.
    pub score: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SignificantWords {
    /// The highest score first.
    pub words: Vec<SignificantWord>,
    /// Events selected, and the others.
    pub selected: u64,
    pub others: u64,
}

/// The events of a side, how many of them were sampled, and the document frequency of each word in the sample.
struct WordSample {
    total: u64,
    events: u64,
    words: HashMap<String, u64>,
}

impl WordSample {
    fn share(&self, word: &str) -> f64 {
        self.words.get(word).copied().unwrap_or(0) as f64 / self.events.max(1) as f64
    }
}

impl Engine {
    /// The words that are frequent in a selection, the second side, and rare in other events, the first one. They are
    /// counted exactly. A word that chance may have made more frequent is none of them.
    pub fn significant_words(
        [others, selection]: [Side<'_>; 2],
        most: usize,
        cancel: &Cancel,
    ) -> Result<SignificantWords> {
        scoped(&others, cancel, |others| {
            scoped(&selection, cancel, |selection| words(others, selection, most))
        })
    }
}

fn scoped<T>(
    side: &Side<'_>,
    cancel: &Cancel,
    mut ask: impl FnMut(&AggregateScope<'_>) -> Result<T>,
) -> Result<T> {
    Engine::without_damaged(side.snapshot, |snapshot| {
        let view = &side.case.resolved(snapshot, side.view)?;
        ask(&AggregateScope { case: side.case, snapshot, view, cancel })
    })
}

fn words(
    others: &AggregateScope<'_>,
    selection: &AggregateScope<'_>,
    most: usize,
) -> Result<SignificantWords> {
    let (own, rest) = (sampled(selection)?, sampled(others)?);
    // Each word of the sample could have been more frequent by chance.
    let limit = score::threshold(own.words.len() as u64);
    let distinguishes = |selected: f64, in_rest: f64| {
        let rates = Rates { counts: [in_rest, selected], totals: [rest.total as f64, own.total as f64] };
        rates.higher() == 1 && rates.at_least(limit) >= LEAST_RATIO
    };
    let candidate = |word| {
        let in_rest = rest.share(word) * rest.total as f64;
        let score = score(own.share(word), in_rest, rest.total)?;
        distinguishes(own.share(word) * own.total as f64, in_rest).then_some((score, word))
    };
    let mut candidates: Vec<(f64, &str)> =
        own.words.keys().filter_map(|word| candidate(word.as_str())).collect();
    candidates.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    candidates.truncate(most.saturating_mul(CANDIDATES));
    let mut words = Vec::new();
    for (_, word) in candidates {
        let (selected, in_rest) = (count(selection, word)?, count(others, word)?);
        let share = selected as f64 / own.total.max(1) as f64;
        let score = score(share, in_rest as f64, rest.total);
        if let Some(score) = score.filter(|_| distinguishes(selected as f64, in_rest as f64)) {
            words.push(SignificantWord { word: word.to_owned(), selected, others: in_rest, score });
        }
    }
    words.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.word.cmp(&other.word)));
    words.truncate(most);
    Ok(SignificantWords { words, selected: own.total, others: rest.total })
}

/// The amount by which the share in a selection exceeds that in the other events, times itself; `None` if it does not.
fn score(share: f64, in_rest: f64, rest: u64) -> Option<f64> {
    // A count of zero elsewhere counts as half an event, so that a higher count still scores higher.
    let share_of_rest = in_rest.max(0.5) / rest.max(1) as f64;
    (share > share_of_rest).then(|| (share - share_of_rest) * share / share_of_rest)
}

/// The words of a sample spread over all events of a side.
fn sampled(asked: &AggregateScope<'_>) -> Result<WordSample> {
    let mut parts: Vec<SegmentRows> = Vec::new();
    for index in 0..asked.snapshot.segments.len() {
        parts.extend(asked.part(index)?);
    }
    let total: usize = parts.iter().map(SegmentRows::len).sum();
    let mut sample = WordSample { total: total as u64, events: 0, words: HashMap::new() };
    let mut last_seen: HashMap<String, u64> = HashMap::new();
    let mut cursor = asked.case.raw_cursor();
    let mut before = 0;
    for part in &parts {
        let places = before..before + part.len();
        let rows: Vec<u32> = chosen(total)
            .filter(|place| places.contains(place))
            .map(|place| part.row(place - places.start) as u32)
            .collect();
        before = places.end;
        part.segment.for_each_text(&mut cursor, rows.into_iter(), |_, text| {
            sample.events += 1;
            if (sample.events as usize).is_multiple_of(CANCEL_ROWS) && asked.cancel.is_set() {
                return Err(Error::cancelled());
            }
            for (start, end) in tokens::ranges(text) {
                let word = tokens::fold(&text[start..end]);
                if !tokens::is_word(word.as_bytes()) {
                    continue;
                }
                match last_seen.get_mut(word.as_ref()) {
                    Some(last) if *last == sample.events => continue,
                    Some(last) => *last = sample.events,
                    None => drop(last_seen.insert(word.clone().into_owned(), sample.events)),
                }
                *sample.words.entry(word.into_owned()).or_default() += 1;
            }
            Ok(())
        })?;
    }
    Ok(sample)
}

/// The ranks that are sampled.
fn chosen(total: usize) -> Box<dyn Iterator<Item = usize>> {
    if total <= RUNS * RUN_EVENTS {
        return Box::new(0..total);
    }
    let start = move |run: usize| run * (total - RUN_EVENTS) / (RUNS - 1);
    Box::new((0..RUNS).flat_map(move |run| start(run)..start(run) + RUN_EVENTS))
}

/// How many events of a view have a word.
fn count(asked: &AggregateScope<'_>, word: &str) -> Result<u64> {
    let text = Filter::Text(Pattern::Tokens(word.to_owned()));
    let filter = match &asked.view.filter {
        Filter::Everything => text,
        filter => Filter::And(vec![filter.clone(), text]),
    };
    let view = View { filter, ..asked.view.clone() };
    Ok(asked.case.count(asked.snapshot, &view, asked.cancel)? as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_spread_and_none_is_read_twice() {
        assert_eq!(chosen(0).count(), 0);
        assert_eq!(chosen(16_384).collect::<Vec<_>>(), (0..16_384).collect::<Vec<_>>());
        for total in [16_385, 20_000, 5_000_000] {
            let places: Vec<usize> = chosen(total).collect();
            assert_eq!((places.first(), places.last()), (Some(&0), Some(&(total - 1))));
            assert!(places.is_sorted_by(|one, other| one < other), "{total}");
        }
    }
}
