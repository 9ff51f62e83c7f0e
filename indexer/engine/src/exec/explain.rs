//! How a query was answered, clause by clause.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use base::json;
use base::limits::EXPLAINED_TERMS;
use serde::Serialize;

/// How the rows of a clause were found in a segment, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AnswerPath"))]
pub enum Path {
    /// Metadata of the segment decided: all rows or none.
    Pruned,
    /// A row range, because rows are sorted by time.
    Order,
    /// A predicate was evaluated on the distinct values of a column.
    Dictionary,
    /// A predicate was evaluated on the values of a column.
    Column,
    /// A posting list was exact.
    Index,
    /// The text index gave candidates, and their text was verified.
    IndexAndText,
    /// The text of every candidate was scanned.
    Scan,
}

impl Path {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Path::Pruned => "pruned",
            Path::Order => "time order",
            Path::Dictionary => "dictionary",
            Path::Column => "column",
            Path::Index => "index",
            Path::IndexAndText => "index, then text",
            Path::Scan => "scan",
        }
    }
}

/// The cost of one clause, over all segments.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AnswerStep"))]
pub struct ClauseStep {
    pub clause: String,
    /// The number of segments that took each path.
    pub paths: BTreeMap<Path, usize>,
    /// Candidate rows that earlier clauses left.
    pub candidates: u64,
    pub matched: u64,
    /// Events whose text was read, and its bytes.
    pub texts: u64,
    pub bytes: u64,
    /// The first of the terms that the clause matches in the term dictionaries of the segments, and how many there are.
    pub terms: Vec<String>,
    pub terms_in_all: usize,
    #[serde(rename = "elapsedMs", with = "json::milliseconds")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub time: Duration,
}

/// Collects the steps of one query.
#[derive(Debug, Default)]
pub struct Trace {
    /// With the terms of each.
    steps: RefCell<Vec<(ClauseStep, BTreeSet<String>)>>,
    read: Cell<(u64, u64)>,
    terms: RefCell<BTreeSet<String>>,
}

impl Trace {
    /// Adds texts that are searched, with the bytes of each.
    pub fn texts_read(&self, bytes: impl Iterator<Item = u32>) {
        let more = |(texts, all), bytes| (texts + 1, all + u64::from(bytes));
        self.read.set(bytes.fold(self.read.get(), more));
    }

    pub fn terms_matched(&self, terms: Vec<String>) {
        self.terms.borrow_mut().extend(terms);
    }

    /// Adds the cost of a clause in one segment.
    pub fn add(&self, clause: String, path: Path, (candidates, matched): (usize, usize), time: Duration) {
        let (texts, bytes) = self.read.take();
        let mut steps = self.steps.borrow_mut();
        let known = steps.iter().position(|(step, _)| step.clause == clause);
        let index = known.unwrap_or_else(|| {
            steps.push((ClauseStep { clause, ..ClauseStep::default() }, BTreeSet::new()));
            steps.len() - 1
        });
        let (step, terms) = &mut steps[index];
        *step.paths.entry(path).or_default() += 1;
        step.candidates += candidates as u64;
        step.matched += matched as u64;
        step.texts += texts;
        step.bytes += bytes;
        terms.append(&mut self.terms.borrow_mut());
        step.time += time;
    }

    pub fn into_steps(self) -> Vec<ClauseStep> {
        let named = |(step, terms): (ClauseStep, BTreeSet<String>)| ClauseStep {
            terms_in_all: terms.len(),
            terms: terms.into_iter().take(EXPLAINED_TERMS).collect(),
            ..step
        };
        self.steps.into_inner().into_iter().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_one_step_over_all_segments_with_the_first_of_its_terms() {
        let trace = Trace::default();
        for (segment, path) in [(0, Path::Index), (1, Path::Index), (2, Path::Scan)] {
            // Each segment has a term that the one before it has too.
            let terms = (segment * 20..=segment * 20 + 20).map(|n| format!("t{n:02}"));
            trace.terms_matched(terms.collect());
            trace.texts_read(std::iter::once(100 * segment as u32));
            trace.add("t*".to_owned(), path, (50, 7), Duration::from_millis(2));
        }
        let steps = trace.into_steps();
        assert_eq!(steps.len(), 1);
        let step = &steps[0];
        assert_eq!(step.paths, BTreeMap::from([(Path::Index, 2), (Path::Scan, 1)]));
        assert_eq!((step.candidates, step.matched, step.texts, step.bytes), (150, 21, 3, 300));
        assert_eq!((step.terms.len(), step.terms_in_all), (EXPLAINED_TERMS, 61));
        assert_eq!(step.terms[0], "t00");
        assert_eq!(step.time, Duration::from_millis(6));
        let written = serde_json::to_value(step).expect("JSON");
        assert_eq!(written["paths"], serde_json::json!({ "index": 2, "scan": 1 }));
        assert_eq!(written["elapsedMs"], 6.0);
    }
}
