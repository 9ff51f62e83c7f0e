//! A view of a case: what every question is asked about.

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
