//! How a query was answered, clause by clause.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How the rows of a clause were found in a segment, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The terms that the clause matches in the term dictionaries of the segments.
    pub terms: BTreeSet<String>,
    pub time: Duration,
}

/// Collects the steps of one query.
#[derive(Debug, Default)]
pub struct Trace {
    steps: RefCell<Vec<ClauseStep>>,
    read: Cell<(u64, u64)>,
    terms: RefCell<BTreeSet<String>>,
}

impl Trace {
    pub fn text_read(&self, bytes: usize) {
        let (texts, all) = self.read.get();
        self.read.set((texts + 1, all + bytes as u64));
    }

    pub fn terms_matched(&self, terms: Vec<String>) {
        self.terms.borrow_mut().extend(terms);
    }

    /// Adds the cost of a clause in one segment.
    pub fn add(&self, clause: String, path: Path, (candidates, matched): (usize, usize), time: Duration) {
        let (texts, bytes) = self.read.take();
        let mut steps = self.steps.borrow_mut();
        let known = steps.iter().position(|step| step.clause == clause);
        let index = known.unwrap_or_else(|| {
            steps.push(ClauseStep { clause, ..ClauseStep::default() });
            steps.len() - 1
        });
        let step = &mut steps[index];
        *step.paths.entry(path).or_default() += 1;
        step.candidates += candidates as u64;
        step.matched += matched as u64;
        step.texts += texts;
        step.bytes += bytes;
        step.terms.append(&mut self.terms.borrow_mut());
        step.time += time;
    }

    pub fn into_steps(self) -> Vec<ClauseStep> {
        self.steps.into_inner()
    }
}
