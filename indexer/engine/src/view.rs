//! A view of a case: what every question is asked about.

use crate::exec::Instants;
use base::error::{Error, Result};
use query::Filter;
use store::{SegmentMeta, Snapshot};

/// A view of a case: a filter, and times from (inclusive) to (exclusive).
#[derive(Clone, Debug)]
pub struct View {
    pub filter: Filter,
    pub from: Option<i64>,
    pub to: Option<i64>,
}

impl View {
    pub fn parse(query: &str, from: Option<i64>, to: Option<i64>) -> Result<View> {
        Ok(View { filter: query::parse(query).map_err(Error::from)?, from, to })
    }

    /// The same view, which knows the times that its filter asks of every event: `time>=14:20` is a beginning as well.
    #[must_use]
    pub fn with_times_of_filter(mut self) -> View {
        let clauses = match &self.filter {
            Filter::And(clauses) => clauses.as_slice(),
            clause => std::slice::from_ref(clause),
        };
        let tests = clauses.iter().filter_map(|clause| match clause {
            Filter::Field { field, test, .. } if field == "time" => Some(test),
            _ => None,
        });
        let (mut from, mut to) = (self.from, self.to);
        for instants in tests.filter_map(Instants::from_test) {
            from = from.max(instants.from);
            to = match (to, instants.to) {
                (Some(known), Some(other)) => Some(known.min(other)),
                (known, other) => known.or(other),
            };
        }
        (self.from, self.to) = (from, to);
        self
    }

    /// True if every event of a segment that has a time is in the range.
    #[must_use]
    pub fn holds_all_of(&self, segment: &SegmentMeta) -> bool {
        self.filter == Filter::Everything
            && self.from.is_none_or(|from| segment.first.is_some_and(|first| from <= first))
            && self.to.is_none_or(|to| segment.last.is_some_and(|last| last < to))
    }
}

/// The times a timeline spans: the view's, within those of the data.
pub fn range(snapshot: &Snapshot, view: &View) -> Option<(i64, i64)> {
    let (first, last) = snapshot.time_range()?;
    let from = view.from.unwrap_or(first);
    let to = view.to.map_or(last, |to| to.saturating_sub(1));
    (from <= to).then_some((from, to))
}
