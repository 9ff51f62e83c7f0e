//! The matching rows of one segment, as a bitmap or as a list of row ids, whichever is smaller.

use std::ops::Range;
use std::sync::Arc;

use super::bitmap::{Bitmap, Ranked};
use store::Segment;

/// The rows of a segment that match a filter. Bitmap are in time order.
#[derive(Clone, Debug)]
pub enum RowSet {
    All(usize),
    Bits(Arc<Ranked>),
    List(Arc<Vec<u32>>),
}

impl RowSet {
    #[must_use]
    pub fn from_bitmap(rows: Bitmap, all: usize) -> RowSet {
        match rows.count() {
            count if count == all => RowSet::All(all),
            count if Self::is_list(count, all) => RowSet::List(Arc::new(rows.list())),
            _ => RowSet::Bits(Arc::new(Ranked::new(rows))),
        }
    }

    /// Builds a set from row ids in ascending order.
    #[must_use]
    pub fn from_list(rows: Vec<u32>, all: usize) -> RowSet {
        if Self::is_list(rows.len(), all) {
            return RowSet::List(Arc::new(rows));
        }
        RowSet::from_bitmap(Bitmap::from_sorted(all, &rows), all)
    }

    /// A list is smaller than a bitmap if fewer than one row in 32 matches.
    fn is_list(count: usize, all: usize) -> bool {
        count < all / 32
    }

    #[must_use]
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

    /// The number of rows of the set that precede a row.
    fn before(&self, row: usize) -> usize {
        match self {
            RowSet::All(_) => row,
            RowSet::Bits(ranked) => ranked.before(row),
            RowSet::List(rows) => rows.partition_point(|&other| (other as usize) < row),
        }
    }
}

/// The matching rows of a segment within a range of its rows.
#[derive(Clone, Debug)]
pub struct SegmentRows {
    pub segment: Arc<Segment>,
    set: RowSet,
    rows: Range<usize>,
    /// The ranks of those rows in the set.
    places: Range<usize>,
}

impl SegmentRows {
    pub fn new(segment: Arc<Segment>, set: RowSet, rows: Range<usize>) -> SegmentRows {
        let rows = rows.start..rows.end.max(rows.start);
        let all = rows == (0..segment.meta.events as usize);
        let places = if all { 0..set.len() } else { set.before(rows.start)..set.before(rows.end) };
        SegmentRows { segment, set, rows, places }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The range of rows that contains the matching rows.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// True if every row of the segment matches.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.is_whole() && self.len() == self.segment.meta.events as usize
    }

    /// True if every row of the range matches.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.set, RowSet::All(_))
    }

    /// The row with a rank in this set.
    #[must_use]
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

    /// The matching rows of a range, if they are stored as a list.
    #[must_use]
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

    #[must_use]
    pub fn count_in(&self, range: Range<usize>) -> usize {
        let range = self.within(range);
        match &self.set {
            RowSet::All(_) => range.len(),
            // A long range is ranked at both ends; a short one is counted.
            RowSet::Bits(ranked) if range.len() < 1_024 => ranked.rows.count_in(range),
            _ => self.set.before(range.end) - self.set.before(range.start),
        }
    }

    /// The rows that are also among others.
    #[must_use]
    pub fn with(&self, others: Bitmap) -> SegmentRows {
        let all = self.segment.meta.events as usize;
        let rows = match &self.set {
            RowSet::All(_) => others,
            RowSet::Bits(ranked) => others.and(&ranked.rows),
            RowSet::List(rows) => Bitmap::from_sorted(all, rows).and(&others),
        };
        SegmentRows::new(Arc::clone(&self.segment), RowSet::from_bitmap(rows, all), self.rows())
    }

    /// The rows that pass the test.
    #[must_use]
    pub fn narrowed(&self, mut test: impl FnMut(usize) -> bool) -> SegmentRows {
        let all = self.segment.meta.events as usize;
        let mut rows = Bitmap::none(all);
        self.for_each(|row| {
            if test(row) {
                rows.insert(row as u32);
            }
        });
        SegmentRows::new(Arc::clone(&self.segment), RowSet::from_bitmap(rows, all), self.rows())
    }
}
