//! The matching rows of one segment, in the form that takes least room.

use std::ops::Range;
use std::sync::Arc;

use super::rows::{Ranked, Rows};
use crate::storage::Segment;

/// The rows of a segment that match a filter. Rows are in time order.
#[derive(Clone, Debug)]
pub enum RowSet {
    All(usize),
    Bits(Arc<Ranked>),
    List(Arc<Vec<u32>>),
}

impl RowSet {
    pub fn of(rows: Rows, all: usize) -> RowSet {
        match rows.count() {
            count if count == all => RowSet::All(all),
            count if Self::is_list(count, all) => RowSet::List(Arc::new(rows.list())),
            _ => RowSet::Bits(Arc::new(Ranked::new(rows))),
        }
    }

    /// Of rows in order.
    pub fn of_list(rows: Vec<u32>, all: usize) -> RowSet {
        if Self::is_list(rows.len(), all) {
            return RowSet::List(Arc::new(rows));
        }
        RowSet::of(Rows::from_sorted(all, &rows), all)
    }

    /// A list takes less room than bits where fewer than one row in 32 matches.
    fn is_list(count: usize, all: usize) -> bool {
        count < all / 32
    }

    pub fn bytes(&self) -> usize {
        match self {
            RowSet::All(_) => size_of::<RowSet>(),
            RowSet::Bits(ranked) => ranked.bytes(),
            RowSet::List(rows) => rows.len() * 4 + size_of::<RowSet>(),
        }
    }

    fn len(&self) -> usize {
        match self {
            RowSet::All(rows) => *rows,
            RowSet::Bits(ranked) => ranked.len(),
            RowSet::List(rows) => rows.len(),
        }
    }

    /// How many rows of the set stand before a row.
    fn before(&self, row: usize) -> usize {
        match self {
            RowSet::All(_) => row,
            RowSet::Bits(ranked) => ranked.before(row),
            RowSet::List(rows) => rows.partition_point(|&other| (other as usize) < row),
        }
    }
}

/// Matching rows of a segment within a range of its rows.
#[derive(Clone, Debug)]
pub struct Part {
    pub segment: Arc<Segment>,
    set: RowSet,
    rows: Range<usize>,
    /// The places of those rows in the set.
    places: Range<usize>,
}

impl Part {
    pub fn new(segment: Arc<Segment>, set: RowSet, rows: Range<usize>) -> Part {
        let rows = rows.start..rows.end.max(rows.start);
        let all = rows == (0..segment.meta.events as usize);
        let places = if all { 0..set.len() } else { set.before(rows.start)..set.before(rows.end) };
        Part { segment, set, rows, places }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The range of rows that the matching ones lie in.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Every row of the segment matches.
    pub fn is_all(&self) -> bool {
        self.is_whole() && self.len() == self.segment.meta.events as usize
    }

    /// Every row of the range matches.
    pub fn is_whole(&self) -> bool {
        matches!(self.set, RowSet::All(_))
    }

    /// The row at a place of this part.
    pub fn row(&self, place: usize) -> usize {
        let place = self.places.start + place;
        match &self.set {
            RowSet::All(_) => place,
            RowSet::Bits(ranked) => ranked.row(place),
            RowSet::List(rows) => rows[place] as usize,
        }
    }

    fn within(&self, range: Range<usize>) -> Range<usize> {
        let start = range.start.max(self.rows.start);
        start..range.end.min(self.rows.end).max(start)
    }

    /// The matching rows of a range, where there is a list of them.
    pub fn listed(&self, range: Range<usize>) -> Option<&[u32]> {
        let RowSet::List(rows) = &self.set else { return None };
        let range = self.within(range);
        Some(&rows[self.set.before(range.start)..self.set.before(range.end)])
    }

    /// Calls `each` with the matching rows of a range, in order.
    #[inline]
    pub fn for_each_in(&self, range: Range<usize>, mut each: impl FnMut(usize)) {
        let range = self.within(range);
        match &self.set {
            RowSet::All(_) => range.for_each(each),
            RowSet::Bits(ranked) => ranked.rows.for_each_in(range, each),
            RowSet::List(rows) => {
                let places = self.set.before(range.start)..self.set.before(range.end);
                rows[places].iter().for_each(|&row| each(row as usize));
            }
        }
    }

    #[inline]
    pub fn for_each(&self, each: impl FnMut(usize)) {
        self.for_each_in(self.rows(), each);
    }

    pub fn count_in(&self, range: Range<usize>) -> usize {
        let range = self.within(range);
        match &self.set {
            RowSet::All(_) => range.len(),
            // Long ranges are ranked at both ends, short ones counted.
            RowSet::Bits(ranked) if range.len() < 1_024 => ranked.rows.count_in(range),
            _ => self.set.before(range.end) - self.set.before(range.start),
        }
    }

    /// Those of the rows that are among others, too.
    pub fn with(&self, others: Rows) -> Part {
        let all = self.segment.meta.events as usize;
        let rows = match &self.set {
            RowSet::All(_) => others,
            RowSet::Bits(ranked) => others.and(&ranked.rows),
            RowSet::List(rows) => Rows::from_sorted(all, rows).and(&others),
        };
        Part::new(Arc::clone(&self.segment), RowSet::of(rows, all), self.rows())
    }

    /// The same rows but for those that fail the test.
    pub fn narrowed(&self, mut test: impl FnMut(usize) -> bool) -> Part {
        let all = self.segment.meta.events as usize;
        let mut rows = Rows::none(all);
        self.for_each(|row| {
            if test(row) {
                rows.insert(row as u32);
            }
        });
        Part::new(Arc::clone(&self.segment), RowSet::of(rows, all), self.rows())
    }
}
