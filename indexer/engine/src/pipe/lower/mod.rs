//! The first aggregation of a pipe, calculated from the codes of columns: no table of rows is made, and a value is
//! looked at once for all rows that have it.
//!
//! [`Lowered::new`] decides for a query, and [`cells::GroupCells::new`] for each segment; where either says no, with its
//! reason, the rows go through tables as they do after any other stage. What is calculated goes into the same groups, so
//! that both ways give the same.

mod cells;
pub(super) mod facets;
mod gather;
mod percentiles;
mod ranked;
mod sorted;
#[cfg(test)]
mod tests;
pub(super) mod transactions;

use std::sync::Arc;

use super::calendar::Width;
use super::run::{Run, Scope};
use super::source::{Piece, Reader};
use super::stages::stats::{Groups, StatsPlan};
use base::FieldKind;
use base::error::Result;
use cells::GroupCells;
use gather::{Gathering, Used};
pub(super) use percentiles::percentiles;
use query::functions::{Aggregation, Order};
pub(super) use ranked::ranked;
pub(super) use sorted::{narrowed, sorted};
use store::Snapshot;

/// Why something is calculated from tables of rows.
type GeneralPathReason = &'static str;

/// An aggregation of fields by fields and bins of time.
pub(super) struct Lowered {
    keys: Vec<LoweredKey>,
    /// The fields that are calculated with.
    fields: Vec<Arc<str>>,
    /// For each calculation its function, and the place of its field.
    calculations: Vec<(Aggregation, Option<usize>)>,
    /// Groups are to be numbered in the order of their first rows, because some become one in that order.
    groups_in_order: bool,
}

enum LoweredKey {
    Time(Width),
    Field(Arc<str>),
}

impl Lowered {
    /// Whether an aggregation can be calculated from codes; if not, why. `is_first` is true if no stage precedes
    /// it, so that its columns are those of events.
    pub fn new(stats: &StatsPlan, is_first: bool) -> std::result::Result<Lowered, GeneralPathReason> {
        if !is_first {
            return Err("a stage before it makes columns or drops rows");
        }
        let mut keys = Vec::with_capacity(stats.by.len());
        for (_, key) in &stats.by {
            keys.push(match (key.as_field(), key.as_binned_field()) {
                (Some(name), _) if matches!(&**name, "time" | "raw") => {
                    return Err("hardly two events have the same time or text");
                }
                (Some(name), _) if **name == *"template" => return Err("a group is a template"),
                (Some(name), _) => LoweredKey::Field(Arc::clone(name)),
                (_, Some((name, width))) if **name == *"time" && !matches!(width, Width::Number(_)) => {
                    LoweredKey::Time(width.clone())
                }
                _ => return Err("a group is an expression"),
            });
        }
        if keys.iter().filter(|key| matches!(key, LoweredKey::Time(_))).count() > 1 {
            return Err("it groups by bins of two widths");
        }
        let mut lowered =
            Lowered { keys, fields: Vec::new(), calculations: Vec::new(), groups_in_order: false };
        for one in &stats.aggregates {
            if one.condition.is_some() {
                return Err("a calculation has a condition");
            }
            let field = match one.argument.as_ref().map(|argument| argument.as_field()) {
                None => None,
                Some(Some(name)) if !matches!(&**name, "raw" | "template") => Some(lowered.place_of(name)),
                Some(_) => return Err("a calculation is of an expression, of the text or of patterns"),
            };
            lowered.calculations.push((one.function, field));
        }
        let with_field = |&(function, field): &(Aggregation, Option<usize>)| {
            field.is_some() && function.order() != Order::Any
        };
        lowered.groups_in_order = stats.largest.is_some() && lowered.calculations.iter().any(with_field);
        Ok(lowered)
    }

    fn place_of(&mut self, name: &Arc<str>) -> usize {
        self.fields.iter().position(|known| known == name).unwrap_or_else(|| {
            self.fields.push(Arc::clone(name));
            self.fields.len() - 1
        })
    }

    /// Adds the rows of a piece, unless they have to go through tables.
    pub fn add(
        &self,
        piece: &Piece,
        groups: &mut Groups,
        reader: &mut Reader<'_>,
        (scope, run): (Scope<'_>, &Run<'_>),
    ) -> Result<bool> {
        run.check()?;
        let Ok(cells) = GroupCells::new(&self.keys, &piece.part, scope, run)? else { return Ok(false) };
        let counts = cells.counts(scope.case)?;
        let has_rows = |&cell: &u32| counts[cell as usize] > 0;
        let mut used: Vec<u32> = (0..counts.len() as u32).filter(has_rows).collect();
        if self.groups_in_order {
            used = cells.by_first_row(&used);
        }
        let sizes: Vec<u64> = used.iter().map(|&cell| u64::from(counts[cell as usize])).collect();
        let ids = groups.add_counted(&cells.keys(&used, reader), &sizes);
        for (place, (_, field)) in self.calculations.iter().enumerate() {
            if field.is_none() {
                groups.calculate(place, &ids, None, Some(&sizes));
            }
        }
        let used = Used { cells: used, groups: ids, sizes };
        let mut gathering = Gathering::new(self, (&cells, &used), piece, scope, run)?;
        gathering.gather(groups, reader, run)?;
        gathering.finish(groups, reader);
        groups.charge(run)?;
        Ok(true)
    }
}

/// The types that a field has in segments.
fn kinds<'s>(field: &'s str, snapshot: &'s Snapshot) -> impl Iterator<Item = FieldKind> + 's {
    let fields = snapshot.segments.iter().flat_map(|segment| &segment.meta.fields);
    fields.filter(move |known| known.name == field).map(|known| known.kind)
}
