//! Pages of a result that lies in several segments. Each part is in order already; the row at any rank is
//! found by narrowing all parts at once, so that page one million costs what page one costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::part::Part;
use crate::error::Result;
use crate::storage::{Locations, Segment, Times};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    OldestFirst,
    NewestFirst,
}

/// Where an event stands: which segment, which row of it.
#[derive(Clone, Debug)]
pub struct Position {
    pub segment: Arc<Segment>,
    pub row: usize,
}

impl Position {
    pub fn key(&self) -> Result<Key> {
        let (times, places) = (self.segment.times()?, self.segment.locations()?);
        Ok((times.get(self.row), places.source(self.row), places.offset(self.row)))
    }

    pub fn is(&self, other: &Position) -> bool {
        self.row == other.row && self.segment.meta.id == other.segment.meta.id
    }
}

/// Matching rows of all segments, to be read in time order.
#[derive(Debug)]
pub struct Selection {
    parts: Vec<Ordered>,
}

/// A part with what its rows are ordered by.
#[derive(Debug)]
struct Ordered {
    part: Part,
    times: Arc<Times>,
    places: Locations,
}

/// Time, source, offset: no two events share it.
pub type Key = (i64, u32, u64);

impl Selection {
    pub fn new(parts: Vec<Part>) -> Result<Selection> {
        let ordered = parts.into_iter().filter(|part| part.len() > 0).map(|part| {
            Ok(Ordered { times: part.segment.times()?, places: part.segment.locations()?, part })
        });
        Ok(Selection { parts: ordered.collect::<Result<_>>()? })
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|ordered| ordered.part.len()).sum()
    }

    /// The events at these ranks of the sorted result.
    pub fn page(&self, direction: Direction, first: usize, count: usize) -> Vec<Position> {
        let total = self.len();
        let first = first.min(total);
        let count = count.min(total - first);
        match direction {
            Direction::OldestFirst => self.run(first, count),
            Direction::NewestFirst => {
                let mut page = self.run(total - first - count, count);
                page.reverse();
                page
            }
        }
    }

    /// How many events stand before a time, oldest first.
    pub fn before(&self, time: i64) -> usize {
        self.before_key((time, 0, 0))
    }

    /// How many events stand before an event, oldest first, whether it is among them or not.
    pub fn before_key(&self, key: Key) -> usize {
        self.parts.iter().map(|ordered| ordered.rank(key)).sum()
    }

    fn run(&self, first: usize, count: usize) -> Vec<Position> {
        let mut cursors = self.cursors(first);
        let mut heads: BinaryHeap<_> =
            (0..self.parts.len()).filter_map(|index| self.head(index, cursors[index])).collect();
        let mut page = Vec::with_capacity(count);
        while page.len() < count
            && let Some(Reverse((_, index))) = heads.pop()
        {
            let part = &self.parts[index].part;
            page.push(Position { segment: Arc::clone(&part.segment), row: part.row(cursors[index]) });
            cursors[index] += 1;
            heads.extend(self.head(index, cursors[index]));
        }
        page
    }

    fn head(&self, index: usize, cursor: usize) -> Option<Reverse<(Key, usize)>> {
        let ordered = &self.parts[index];
        (cursor < ordered.part.len()).then(|| Reverse((ordered.key(cursor), index)))
    }

    /// How far each part is read when `rank` events of the whole result are.
    fn cursors(&self, rank: usize) -> Vec<usize> {
        let mut low = vec![0; self.parts.len()];
        let mut high: Vec<usize> = self.parts.iter().map(|ordered| ordered.part.len()).collect();
        // The answer of each part lies between low and high. The middle of the widest part is ranked in all
        // parts, and every part drops the side that the wanted rank is not on.
        while let Some(widest) =
            (0..self.parts.len()).filter(|&i| low[i] < high[i]).max_by_key(|&i| high[i] - low[i])
        {
            let middle = usize::midpoint(low[widest], high[widest]);
            let pivot = self.parts[widest].key(middle);
            let ranks: Vec<usize> = self.parts.iter().map(|ordered| ordered.rank(pivot)).collect();
            if ranks.iter().sum::<usize>() < rank {
                // The pivot itself is among the first `rank` events.
                low.iter_mut().zip(&ranks).for_each(|(low, &rank)| *low = (*low).max(rank));
                low[widest] = low[widest].max(middle + 1);
            } else {
                high.iter_mut().zip(&ranks).for_each(|(high, &rank)| *high = (*high).min(rank));
            }
        }
        low
    }
}

impl Ordered {
    fn key(&self, place: usize) -> Key {
        let row = self.part.row(place);
        (self.times.get(row), self.places.source(row), self.places.offset(row))
    }

    fn rank(&self, wanted: Key) -> usize {
        let (mut low, mut high) = (0, self.part.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.key(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
