//! The positions in a result of the events that also match something else: the next error, the next match,
//! and all of them for the overview. Ranks in one result are mapped to ranks in the other, without a scan.

use serde::Serialize;

use super::find;
use crate::Engine;
use crate::exec::Position;
use crate::exec::past;
use crate::exec::{Direction, EventKey};
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
            let from = match seek.from {
                Some(row) => all.rows(direction, row, 1)?.first().map(Position::key).transpose()?,
                None => None,
            };
            let found = match (from, seek.backward) {
                (None, false) => Some(0),
                (None, true) => marked.len().checked_sub(1),
                (Some(from), true) => marked.rows_before(direction, from)?.checked_sub(1),
                (Some(from), false) => {
                    let is_marked = marked.before_key(past(from))? > marked.before_key(from)?;
                    Some(marked.rows_before(direction, from)? + usize::from(is_marked))
                }
            };
            let Some(found) = found else { return Ok(None) };
            let Some(position) = marked.rows(direction, found, 1)?.pop() else { return Ok(None) };
            Ok(Some(all.rows_before(direction, position.key()?)?))
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
            let mut keys: Vec<EventKey> = Vec::with_capacity(cells);
            for cell in 1..cells {
                for position in all.rows(direction, first_row(total, cells, cell), 1)? {
                    keys.push(position.key()?);
                }
            }
            let mut counts = Vec::with_capacity(marks.len());
            for mark in marks {
                let marked = self.selection(snapshot, &narrowed(view, mark), cancel)?;
                let rows = keys.iter().map(|&key| marked.rows_before(direction, key));
                let mut before = 0;
                let cells = rows
                    .chain([Ok(marked.len())])
                    .map(|row| row.map(|row| (row - std::mem::replace(&mut before, row)) as u64));
                counts.push(cells.collect::<Result<_>>()?);
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
            Ok(Some(all.rows_before(direction, key)?))
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
