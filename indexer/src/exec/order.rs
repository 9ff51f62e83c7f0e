//! Pages of a result that lies in several segments. Each part is in order already; the row at any rank is
//! found by narrowing all parts at once, so that page one million costs what page one costs.

use std::sync::Arc;

use super::select::Part;
use crate::storage::{Columns, Segment};

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

/// Matching rows of all segments, to be read in time order.
#[derive(Debug)]
pub struct Selection {
    parts: Vec<(Part, Arc<Columns>)>,
}

/// Time, source, offset: no two events share it.
type Key = (i64, u32, u64);

impl Selection {
    pub fn new(parts: Vec<(Part, Arc<Columns>)>) -> Selection {
        Selection { parts }
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|(part, _)| part.len()).sum()
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
        self.parts.iter().map(|part| rank_in(part, (time, 0, 0))).sum()
    }

    fn run(&self, first: usize, count: usize) -> Vec<Position> {
        let mut cursors = self.cursors(first);
        let mut page = Vec::with_capacity(count);
        while page.len() < count {
            let heads =
                self.parts.iter().enumerate().filter(|(index, (part, _))| cursors[*index] < part.len());
            let Some((index, (part, _))) = heads.min_by_key(|(index, part)| key(part, cursors[*index]))
            else {
                break;
            };
            page.push(Position { segment: Arc::clone(&part.segment), row: part.row(cursors[index]) });
            cursors[index] += 1;
        }
        page
    }

    /// How far each part is read when `rank` events of the whole result are.
    fn cursors(&self, rank: usize) -> Vec<usize> {
        let mut low = vec![0; self.parts.len()];
        let mut high: Vec<usize> = self.parts.iter().map(|(part, _)| part.len()).collect();
        // The answer of each part lies between low and high. The middle of the widest part is ranked in all
        // parts, and every part drops the side that the wanted rank is not on.
        while let Some(widest) =
            (0..self.parts.len()).filter(|&i| low[i] < high[i]).max_by_key(|&i| high[i] - low[i])
        {
            let middle = usize::midpoint(low[widest], high[widest]);
            let pivot = key(&self.parts[widest], middle);
            let ranks: Vec<usize> = self.parts.iter().map(|part| rank_in(part, pivot)).collect();
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

fn rank_in(part: &(Part, Arc<Columns>), wanted: Key) -> usize {
    let (mut low, mut high) = (0, part.0.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if key(part, middle) < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn key((part, columns): &(Part, Arc<Columns>), index: usize) -> Key {
    let row = part.row(index);
    (columns.time[row], columns.source[row], columns.offset[row])
}
