//! Columns for the fields of Windows events: one for each field and type of value, created when first used.

use super::fields::FieldId;
use crate::rows::{ColumnKind, Rows};

/// The columns of one chunk's rows by field number.
#[derive(Default)]
pub(crate) struct FieldColumns {
    /// By field: its column of text and its column of numbers.
    columns: Vec<[EvtxColumn; 2]>,
}

#[derive(Clone, Copy)]
enum EvtxColumn {
    Unknown,
    At(usize),
    /// There are too many columns already.
    None,
}

impl FieldColumns {
    /// The column of a field's values of one type, [`ColumnKind::Text`] or [`ColumnKind::Int`].
    pub(crate) fn column(
        &mut self,
        field: FieldId,
        name: &str,
        kind: ColumnKind,
        rows: &mut Rows,
    ) -> Option<usize> {
        let at = field.0 as usize;
        if at >= self.columns.len() {
            self.columns.resize(at + 1, [EvtxColumn::Unknown; 2]);
        }
        let column = &mut self.columns[at][usize::from(kind == ColumnKind::Int)];
        if let EvtxColumn::Unknown = column {
            *column = rows.add_column(name, kind).map_or(EvtxColumn::None, EvtxColumn::At);
        }
        if let EvtxColumn::At(column) = *column { Some(column) } else { None }
    }
}
