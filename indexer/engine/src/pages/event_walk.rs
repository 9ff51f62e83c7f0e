//! Iterates over all matching events in order, for printing and for files.

use std::io::Write;
use std::sync::Arc;

use super::relevance::is_relevance;
use super::sorted::{SortBy, positions};
use super::{Event, FieldValue, View, shown_fields};
use crate::Engine;
use crate::aggregate::AggregateScope;
use crate::exec::{Direction, Position, Selection};
use base::Cancel;
use base::error::{Error, Result, from_io};
use base::limits::CANCEL_ROWS;
use base::limits::{PAGE_ROWS, SORTED_WALK_ROWS};
use query::Filter;
use store::{Snapshot, Values};

/// How [`Engine::for_each`] goes through the matching events; the default is all of them, oldest first.
#[derive(Clone, Debug)]
pub struct Walk {
    pub sort: SortBy,
    pub limit: usize,
    pub with_fields: bool,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk { sort: SortBy::time(Direction::OldestFirst), limit: usize::MAX, with_fields: false }
    }
}

/// The matching events in their order, some at a time.
enum OrderedMatches<'a> {
    ByTime(Selection, Direction),
    ByField(AggregateScope<'a>, &'a SortBy),
}

impl OrderedMatches<'_> {
    /// So many places are found at once; for an order by a field each time goes over all rows.
    fn step(&self) -> usize {
        match self {
            OrderedMatches::ByTime(..) => PAGE_ROWS,
            OrderedMatches::ByField(..) => SORTED_WALK_ROWS,
        }
    }

    fn positions(&self, first: usize, count: usize) -> Result<Vec<Position>> {
        match self {
            OrderedMatches::ByTime(selection, direction) => selection.rows(*direction, first, count),
            OrderedMatches::ByField(asked, sort) => Ok(positions(asked, sort, first, count)?.0),
        }
    }
}

impl Engine {
    /// Calls `each` with the matching events in order and, where asked for, their fields.
    pub fn for_each(
        &self,
        snapshot: &Snapshot,
        view: &View,
        walk: &Walk,
        cancel: &Cancel,
        each: &mut dyn FnMut(Event, Vec<FieldValue>) -> Result<()>,
    ) -> Result<()> {
        if let Some(direction) = walk.sort.by_time() {
            let selection = self.whole_selection(snapshot, view, cancel)?;
            return self.walk(&OrderedMatches::ByTime(selection, direction), walk, cancel, each);
        }
        let view = &self.resolved(snapshot, view)?;
        if !is_relevance(snapshot, &walk.sort) {
            Self::check_known(snapshot, &walk.sort.field)?;
        }
        // What is damaged is found out before anything is given away.
        Self::without_damaged(snapshot, |snapshot| {
            positions(&AggregateScope { case: self, snapshot, view, cancel }, &walk.sort, 0, 1)
        })?;
        let asked = AggregateScope { case: self, snapshot: &snapshot.without_failed(), view, cancel };
        self.walk(&OrderedMatches::ByField(asked, &walk.sort), walk, cancel, each)
    }

    fn walk(
        &self,
        ordered: &OrderedMatches<'_>,
        walk: &Walk,
        cancel: &Cancel,
        each: &mut dyn FnMut(Event, Vec<FieldValue>) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.raw_cursor();
        let mut decoded: Option<(u64, Vec<Arc<Values>>)> = None;
        let mut done = 0;
        while done < walk.limit {
            let positions = ordered.positions(done, ordered.step().min(walk.limit - done))?;
            if positions.is_empty() {
                break;
            }
            done += positions.len();
            for position in positions {
                if cancel.is_set() {
                    return Err(Error::cancelled());
                }
                let event = self.event_at(&position, &mut cursor, usize::MAX)?;
                let segment = &position.segment;
                if walk.with_fields && decoded.as_ref().is_none_or(|(id, _)| *id != segment.meta.id) {
                    let columns = segment.or_missing(segment.decoded_columns())?;
                    decoded = columns.map(|columns| (segment.meta.id, columns));
                }
                let fields =
                    decoded.as_ref().map(|(_, columns)| segment.decoded_fields(columns, position.row));
                each(event, shown_fields(fields.unwrap_or_default()))?;
            }
        }
        Ok(())
    }

    /// Writes the original bytes of the matching events in their order, each with one line end. `progress` is called
    /// with the events written, of how many.
    pub fn export_events(
        &self,
        snapshot: &Snapshot,
        view: &View,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &Cancel,
    ) -> Result<()> {
        let total = self.count(snapshot, view, cancel)? as u64;
        let mut done = 0;
        self.for_each(snapshot, view, &Walk::default(), cancel, &mut |event, _| {
            let put =
                |out: &mut dyn Write, bytes: &[u8]| out.write_all(bytes).map_err(|error| from_io(&error));
            put(out, &event.raw)?;
            put(out, event.encoding.newline())?;
            done += 1;
            if done % CANCEL_ROWS as u64 == 0 {
                progress(done, total);
            }
            Ok(())
        })?;
        progress(done, total);
        Ok(())
    }

    /// Writes the original bytes of the matching events. Everything gives each source's exact bytes, one
    /// after the other; a selection gives its lines, each with one line end.
    pub fn export_raw(
        &self,
        snapshot: &Snapshot,
        view: &View,
        out: &mut dyn Write,
        cancel: &Cancel,
    ) -> Result<u64> {
        let mut written = 0;
        let mut put = |bytes: &[u8]| {
            written += bytes.len() as u64;
            out.write_all(bytes).map_err(|error| from_io(&error))
        };
        if view.filter == Filter::Everything && view.from.is_none() && view.to.is_none() {
            for source in 0..snapshot.sources().len() as u32 {
                self.read_source(snapshot, source, cancel, &mut put)?;
            }
        } else {
            self.for_each(snapshot, view, &Walk::default(), cancel, &mut |event, _| {
                put(&event.raw)?;
                put(event.encoding.newline())
            })?;
        }
        Ok(written)
    }
}
