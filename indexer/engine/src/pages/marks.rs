//! The positions in a result of the events that also match something else: the next error, the next match,
//! and all of them for the overview. Ranks in one result are mapped to ranks in the other, without a scan.

use super::find;
use crate::Engine;
use crate::exec::{Direction, Key, Selection};
use crate::view::View;
use base::Cancel;
use base::error::Result;
use base::limits::STRIP_CELLS;
use query::Filter;
use store::Snapshot;

/// Where a search in a result starts, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seek {
    /// The row to start from; `None` for the edge of the result.
    pub from: Option<usize>,
    /// Towards the first row.
    pub backward: bool,
}

/// A result cut into runs of equally many rows, and what lies in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    pub total: usize,
    /// For each mark, its events in each run.
    pub counts: Vec<Vec<u64>>,
}

impl Engine {
    /// The nearest row of a result, after another one, that matches a second filter; `None` if there is none.
    pub fn seek(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (direction, wanted): (Direction, &Filter),
        seek: Seek,
        cancel: &Cancel,
    ) -> Result<Option<usize>> {
        Self::without_damaged(snapshot, |snapshot| {
            let all = self.selection(snapshot, view, cancel)?;
            let marked = self.selection(snapshot, &narrowed(view, wanted), cancel)?;
            let total = all.len();
            if total == 0 {
                return Ok(None);
            }
            let turned = |row: usize| match direction {
                Direction::OldestFirst => row,
                Direction::NewestFirst => (total - 1).saturating_sub(row),
            };
            let later = (direction == Direction::OldestFirst) != seek.backward;
            let from = seek.from.filter(|&row| row < total).map(turned);
            let rank = match (from, later) {
                (None, true) => Some(0),
                (None, false) => marked.len().checked_sub(1),
                (Some(from), true) => Some(marked.before_key(past(key_at(&all, from)?))?),
                (Some(from), false) => marked.before_key(key_at(&all, from)?)?.checked_sub(1),
            };
            let Some(rank) = rank.filter(|&rank| rank < marked.len()) else { return Ok(None) };
            Ok(Some(turned(all.before_key(key_at(&marked, rank)?)?)))
        })
    }

    /// The number of events of each mark in each of equally many runs of a result.
    pub fn strip(
        &self,
        snapshot: &Snapshot,
        view: &View,
        (direction, marks): (Direction, &[Filter]),
        cells: usize,
        cancel: &Cancel,
    ) -> Result<Strip> {
        Self::without_damaged(snapshot, |snapshot| {
            let all = self.selection(snapshot, view, cancel)?;
            all.read(cancel)?;
            let total = all.len();
            let cells = cells.clamp(1, STRIP_CELLS).min(total.max(1));
            let mut edges: Vec<usize> = (0..=cells).map(|cell| first_row(total, cells, cell)).collect();
            if direction == Direction::NewestFirst {
                edges = edges.into_iter().rev().map(|edge| total - edge).collect();
            }
            let mut keys: Vec<Key> = Vec::with_capacity(cells);
            for &edge in &edges[1..cells] {
                keys.push(key_at(&all, edge)?);
            }
            let mut counts = Vec::with_capacity(marks.len());
            for mark in marks {
                let marked = self.selection(snapshot, &narrowed(view, mark), cancel)?;
                let ranks = keys.iter().map(|&key| marked.before_key(key)).chain([Ok(marked.len())]);
                let mut before = 0;
                let mut cells: Vec<u64> = ranks
                    .map(|rank| rank.map(|rank| (rank - std::mem::replace(&mut before, rank)) as u64))
                    .collect::<Result<_>>()?;
                if direction == Direction::NewestFirst {
                    cells.reverse();
                }
                counts.push(cells);
            }
            Ok(Strip { total, counts })
        })
    }

    /// The row of a result of an event, or the row where it would be if it does not match; `None` if it
    /// is not in the case.
    pub fn place_of(
        &self,
        snapshot: &Snapshot,
        view: &View,
        direction: Direction,
        (source, offset): (u32, u64),
        cancel: &Cancel,
    ) -> Result<Option<usize>> {
        let Some(position) = find(snapshot, source, offset)? else { return Ok(None) };
        Self::without_damaged(snapshot, |snapshot| {
            let all = self.selection(snapshot, view, cancel)?;
            let key = position.key()?;
            Ok(Some(match direction {
                Direction::OldestFirst => all.before_key(key)?,
                Direction::NewestFirst => all.len() - all.before_key(past(key))?,
            }))
        })
    }
}

/// The first row of a run, of so many that are as alike in length as can be.
fn first_row(total: usize, cells: usize, cell: usize) -> usize {
    (total as u128 * cell as u128 / cells as u128) as usize
}

fn narrowed(view: &View, wanted: &Filter) -> View {
    let filter = match (&view.filter, wanted) {
        (Filter::Everything, wanted) => wanted.clone(),
        (filter, Filter::Everything) => filter.clone(),
        (filter, wanted) => Filter::And(vec![filter.clone(), wanted.clone()]),
    };
    View { filter, ..*view }
}

fn key_at(selection: &Selection, rank: usize) -> Result<Key> {
    let page = selection.page(Direction::OldestFirst, rank, 1)?;
    page.first().map_or(Ok((i64::MAX, u32::MAX, u64::MAX)), crate::exec::Position::key)
}

/// The least key that is greater.
fn past((time, source, offset): Key) -> Key {
    (time, source, offset + 1)
}
