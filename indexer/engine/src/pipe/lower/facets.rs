//! `facets` directly after the filter: the values of a field are counted by the codes of its column.

use std::sync::Arc;

use super::super::run::{Run, Scope};
use super::super::source::{Piece, Reader, each_run, lengths};
use super::super::stages::facets::FacetsStage;
use super::cells::{is_dense, values};
use super::kinds;
use crate::aggregate::{columns, counts_of_codes};
use base::FieldKind;
use base::error::Result;
use store::Snapshot;
use store::StoredColumn;

/// Whether the values of fields can be counted segment by segment. Of equal numbers the first one is shown, and with
/// decimals that depends on the order of the rows of all segments.
pub fn can_count(fields: &[Arc<str>], snapshot: &Snapshot) -> bool {
    fields
        .iter()
        .all(|field| **field != *"template" && kinds(field, snapshot).all(|kind| kind != FieldKind::Float))
}

/// Takes the rows of a piece.
pub fn add(
    facets: &mut FacetsStage,
    fields: &[Arc<str>],
    piece: &Piece,
    reader: &mut Reader<'_>,
    (scope, run): (Scope<'_>, &Run<'_>),
) -> Result<()> {
    if piece.part.len() == 0 {
        return Ok(());
    }
    facets.add_rows(piece.part.len());
    let mut ids = Vec::new();
    for name in fields {
        run.check()?;
        if let Some(column) = column(name, piece, scope, run)? {
            let counts = counts_of_codes(scope.case, name, &piece.part, &column)?;
            let found = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            let (codes, weights): (Vec<u64>, Vec<u64>) =
                found.map(|(code, &count)| (code as u64, u64::from(count))).unzip();
            facets.add(name, &values(name, &column, &codes, reader), Some(&weights), &mut ids);
        } else {
            let lengths = (**name == *"raw").then(|| lengths(&piece.part.segment)).transpose()?;
            let lengths = lengths.as_ref().map(|length| length as &dyn Fn(usize) -> u32);
            each_run(&piece.part, lengths, run, &mut |rows| {
                let values = reader.column_of(piece.segment, name, rows, run)?;
                facets.add(name, &values, None, &mut ids);
                Ok(true)
            })?;
        }
        facets.charge(run)?;
    }
    Ok(())
}

/// The only column of a field, where its values are counted by codes.
fn column(name: &str, piece: &Piece, scope: Scope<'_>, run: &Run<'_>) -> Result<Option<Arc<StoredColumn>>> {
    if matches!(name, "time" | "raw") {
        return Ok(None);
    }
    let found = columns(&piece.part.segment, scope.snapshot.sources(), name, &run.cancel)?;
    Ok(match found.as_slice() {
        [column] if is_dense(column) => Some(Arc::clone(column)),
        _ => None,
    })
}
