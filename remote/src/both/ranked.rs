//! `top`, `rare` and `facets` over all events, from counts of every value.

use indexer::query::{FieldRef, Frequent, Group};
use indexer::{Cell, Result, Table};

use super::aggregates::{Merging, counting};
use super::groups::{Grouped, MergedGroups, by_field};
use super::{Both, Reservations};
use crate::questions::frequent::{USUAL_VALUES, left_out, percent, ranked_table, table};

impl Both<'_> {
    pub(super) fn ranked(
        &self,
        grouped: &Grouped<'_>,
        frequent: &Frequent,
        rarest: bool,
        reservations: &mut Reservations,
    ) -> Result<Option<Table>> {
        let fields = frequent.by.iter().chain(&frequent.fields);
        let keys: Vec<Group> = fields.map(|field| by_field(&field.name, field.span)).collect();
        let Some(groups) = self.groups(grouped, &keys, &[counting(None, "count")], reservations)? else {
            return Ok(None);
        };
        let (table, missing) = ranked_table(frequent, rarest, counted(groups));
        if missing > 0 {
            reservations.note(left_out(missing));
        }
        Ok(Some(table))
    }

    pub(super) fn facet_table(
        &self,
        grouped: &Grouped<'_>,
        fields: &[FieldRef],
        values: Option<u64>,
        reservations: &mut Reservations,
    ) -> Result<Option<Table>> {
        let mut rows = Vec::new();
        for field in fields {
            let keys = [by_field(&field.name, field.span)];
            let Some(groups) = self.groups(grouped, &keys, &[counting(None, "count")], reservations)? else {
                return Ok(None);
            };
            let groups = counted(groups);
            let all: u64 = groups.iter().map(|(_, count)| count).sum();
            let mut found: Vec<(Cell, u64)> =
                groups.into_iter().filter_map(|(mut key, count)| Some((key.pop()?, count))).collect();
            found.retain(|(value, _)| !value.is_missing());
            let there: u64 = found.iter().map(|(_, count)| count).sum();
            let distinct = found.len() as i64;
            found.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            found.truncate(usize::try_from(values.unwrap_or(USUAL_VALUES).max(1)).unwrap_or(usize::MAX));
            if found.is_empty() {
                found.push((Cell::Missing, 0));
            }
            let share = if all > 0 { Cell::float(there as f64 / all as f64) } else { Cell::Missing };
            rows.extend(found.into_iter().map(|(value, count)| {
                let (name, share) = (Cell::text(&field.name), share.clone());
                vec![name, share, Cell::Int(distinct), value, Cell::Int(count as i64), percent(count, there)]
            }));
        }
        let names = ["field", "share", "distinct", "value", "count", "percent"];
        Ok(Some(table(names.into_iter(), rows)))
    }
}

/// Groups with the count that was asked for.
pub(super) fn counted(groups: MergedGroups) -> Vec<(Vec<Cell>, u64)> {
    let count = |partials: &super::aggregates::Partials| {
        Merging::ROWS.result(partials).number().unwrap_or(0.0) as u64
    };
    groups.into_iter().map(|(key, partials)| (key, partials.first().map_or(0, count))).collect()
}
