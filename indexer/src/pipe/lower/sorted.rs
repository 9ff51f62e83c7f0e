//! The first events in the order of one field of numbers, which are found by counting instead of sorting.

use std::collections::HashMap;

use super::super::run::{Run, Scope};
use super::super::stages::sort::SortBy as Key;
use super::super::table::EventRef;
use super::kinds;
use crate::FieldKind;
use crate::aggregate::Asked;
use crate::error::Result;
use crate::limits::PAGE_ROWS;
use crate::sorted::{SortBy, positions};

/// So many of the first events in the order of keys; nothing where their keys have to be read. `is_first` tells that
/// no stage is before the sort.
pub fn sorted(
    keys: &[Key],
    first: usize,
    is_first: bool,
    (scope, run): (Scope<'_>, &Run<'_>),
) -> Result<Option<Vec<EventRef>>> {
    let ([(key, descending)], true) = (keys, is_first && first <= PAGE_ROWS && !run.by_rows) else {
        return Ok(None);
    };
    let Some(field) = key.as_field().filter(|field| is_whole(field, scope)) else { return Ok(None) };
    let (case, snapshot, view) = (scope.case, scope.snapshot, scope.view);
    let asked = Asked { case, snapshot, view, cancel: &run.cancel };
    let sort = SortBy { field: field.to_string(), descending: *descending };
    let (found, _) = positions(&asked, &sort, 0, first)?;
    let segments = snapshot.segments.iter().zip(0..).map(|(segment, index)| (segment.meta.id, index));
    let segments: HashMap<u64, u32> = segments.collect();
    let event = |position: &crate::exec::Position| {
        let segment = *segments.get(&position.segment.meta.id)?;
        Some(EventRef { segment, row: position.row as u32 })
    };
    Ok(Some(found.iter().filter_map(event).collect()))
}

/// Whether a field has values of one type, which are whole numbers: those of other types compare in pipes as they do
/// not in pages.
fn is_whole(field: &str, scope: Scope<'_>) -> bool {
    let mut kinds = kinds(field, scope.snapshot).peekable();
    field == "line" || (kinds.peek().is_some() && kinds.all(|kind| kind == FieldKind::Int))
}
