//! The arguments of calculations in a segment. Of a field with few values it is counted how often each cell has each
//! of them, and every value is looked at once; what depends on the order of rows, and fields with many values, are
//! read block by block.

use std::sync::Arc;

use super::super::column::{Column, Picked};
use super::super::run::{Run, Scope};
use super::super::source::{Piece, Reader};
use super::super::stages::stats::Groups;
use super::Lowered;
use super::cells::{GroupCells, is_dense, values};
use crate::aggregate::{self, Block, RowsOf, columns, counts_of_codes, each_block_of};
use base::error::Result;
use base::limits::LOWERED_CELLS;
use query::functions::{Aggregation, Order};
use store::{ColumnValues, StoredColumn, Unit, with_codes};

pub struct Gathering<'a> {
    cells: &'a GroupCells<'a>,
    segment: u32,
    fields: Vec<Field<'a>>,
    used: &'a Used,
    /// For each cell its place among those that have rows.
    places: Vec<u32>,
}

/// The cells that have rows.
pub struct Used {
    pub cells: Vec<u32>,
    /// The group of each of them, and how many rows it has.
    pub groups: Vec<u32>,
    pub sizes: Vec<u64>,
}

/// A field, and the places of the calculations with it.
struct Field<'a> {
    name: &'a str,
    counted: Vec<usize>,
    by_rows: Vec<usize>,
    counts: GroupCounts,
}

enum GroupCounts {
    /// No event of the segment has the field.
    Missing,
    /// For each cell that has rows, how often it has each code; all zero until the rows are looked at.
    Codes(Arc<StoredColumn>, Vec<u32>),
    /// The same, where it was known.
    Known(Arc<StoredColumn>, Arc<Vec<u32>>),
    /// Its values are not counted.
    None,
}

impl<'a> Gathering<'a> {
    pub fn new(
        lowered: &'a Lowered,
        (cells, used): (&'a GroupCells<'a>, &'a Used),
        piece: &Piece,
        scope: Scope<'_>,
        run: &Run<'_>,
    ) -> Result<Gathering<'a>> {
        let mut fields = Vec::with_capacity(lowered.fields.len());
        for (index, name) in lowered.fields.iter().enumerate() {
            // Hardly two events have the same time.
            let column = if **name == *"time" {
                None
            } else {
                let sources = scope.snapshot.sources();
                let found = columns(&piece.part.segment, sources, name, &run.cancel)?;
                (found.len() < 2).then(|| found.into_iter().next())
            };
            let of_field = lowered.calculations.iter().enumerate();
            let of_field = of_field.filter(|(_, (_, field))| *field == Some(index));
            let is_counted =
                |function| column.as_ref().is_some_and(|column| can_count(function, column.as_deref()));
            let (counted, by_rows): (Vec<_>, Vec<_>) =
                of_field.partition(|(_, (function, _))| is_counted(*function));
            let places = |found: Vec<(usize, &_)>| found.into_iter().map(|(place, _)| place).collect();
            let mut field =
                Field { name, counted: places(counted), by_rows: places(by_rows), counts: GroupCounts::None };
            match column {
                _ if field.counted.is_empty() => {}
                None => {}
                Some(None) => field.counts = GroupCounts::Missing,
                Some(Some(column)) => field.count(column, (cells, used.cells.len()), scope)?,
            }
            fields.push(field);
        }
        let mut places = vec![0; cells.count];
        (0..).zip(&used.cells).for_each(|(place, &cell)| places[cell as usize] = place);
        Ok(Gathering { cells, segment: piece.segment, fields, used, places })
    }

    /// Counts values, and hands on what needs rows.
    pub fn gather(&mut self, into: &mut Groups, reader: &mut Reader<'_>, run: &Run<'_>) -> Result<()> {
        let is_left =
            |field: &Field<'_>| !field.by_rows.is_empty() || matches!(field.counts, GroupCounts::Codes(..));
        if !self.fields.iter().any(is_left) {
            return Ok(());
        }
        let (cells, segment, places) = (self.cells, self.segment, &self.places);
        let groups = &self.used.groups;
        let fields = &mut self.fields;
        let mut done = Ok(());
        let mut of_rows = Vec::new();
        each_block_of(cells.part, &cells.runs, &cells.axis_keys(), &mut |block| {
            if done.is_err() {
                return;
            }
            for field in fields.iter_mut() {
                field.add(block, places);
            }
            if fields.iter().any(|field| !field.by_rows.is_empty()) {
                groups_of(block, places, groups, &mut of_rows);
                done = by_rows(fields, block, (segment, &of_rows), into, reader, run);
            }
        });
        done
    }

    /// Hands on what was counted.
    pub fn finish(self, into: &mut Groups, reader: &Reader<'_>) {
        let Used { groups, sizes, .. } = self.used;
        for field in &self.fields {
            match &field.counts {
                GroupCounts::None => {}
                GroupCounts::Missing => {
                    let column = Column::missing(groups.len());
                    for &place in &field.counted {
                        into.calculate(place, groups, Some(&column), Some(sizes));
                    }
                }
                GroupCounts::Codes(column, counts) => self.hand_on(field, column, counts, into, reader),
                GroupCounts::Known(column, counts) => self.hand_on(field, column, counts, into, reader),
            }
        }
    }

    fn hand_on(
        &self,
        field: &Field<'_>,
        column: &Arc<StoredColumn>,
        counts: &[u32],
        into: &mut Groups,
        reader: &Reader<'_>,
    ) {
        let width = column.largest as usize + 1;
        let (mut groups, mut codes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            groups.push(self.used.groups[place / width]);
            codes.push((place % width) as u64);
            weights.push(u64::from(count));
        }
        let column = values(field.name, column, &codes, reader);
        for &place in &field.counted {
            into.calculate(place, &groups, Some(&column), Some(&weights));
        }
    }
}

impl Field<'_> {
    /// Prepares to count the codes of a column, or leaves its values to be read by rows.
    fn count(
        &mut self,
        column: Arc<StoredColumn>,
        (cells, used): (&GroupCells<'_>, usize),
        scope: Scope<'_>,
    ) -> Result<()> {
        let width = column.largest as usize + 1;
        let counts = used.saturating_mul(width);
        if counts > LOWERED_CELLS.min(cells.part.len() + 4_096) {
            self.by_rows.append(&mut self.counted);
        } else if cells.count == 1 {
            let counts = counts_of_codes(scope.case, self.name, cells.part, &column)?;
            self.counts = GroupCounts::Known(column, counts);
        } else {
            self.counts = GroupCounts::Codes(column, vec![0; counts]);
        }
        Ok(())
    }

    fn add(&mut self, block: &Block<'_>, places: &[u32]) {
        let GroupCounts::Codes(column, counts) = &mut self.counts else { return };
        let width = column.largest as usize + 1;
        with_codes!(&column.codes, codes => block.for_codes(codes, |cell, code| {
            counts[places[cell as usize] as usize * width + u64::from(code) as usize] += 1;
        }));
    }
}

/// The group of each row of a block.
fn groups_of(block: &Block<'_>, places: &[u32], groups: &[u32], of_rows: &mut Vec<u32>) {
    let group = |cell: u32| groups[places[cell as usize] as usize];
    of_rows.clear();
    match &block.cells {
        aggregate::BlockCells::One(cell) => of_rows.resize(block.len(), group(*cell)),
        aggregate::BlockCells::Each(cells) => of_rows.extend(cells.iter().map(|&cell| group(cell))),
    }
}

/// Hands on the values of a block of rows.
fn by_rows(
    fields: &[Field<'_>],
    block: &Block<'_>,
    (segment, groups): (u32, &[u32]),
    into: &mut Groups,
    reader: &mut Reader<'_>,
    run: &Run<'_>,
) -> Result<()> {
    run.check()?;
    let picked = match &block.rows {
        RowsOf::Range(rows) => Picked::Run(rows.clone()),
        RowsOf::List(rows) => Picked::Some(rows),
    };
    for field in fields.iter().filter(|field| !field.by_rows.is_empty()) {
        let column = reader.column_of(segment, field.name, &picked, run)?;
        for &place in &field.by_rows {
            into.calculate(place, groups, Some(&column), None);
        }
    }
    into.charge(run)
}

/// Whether a function gives the same of values with their counts as of rows in their order.
fn can_count(function: Aggregation, column: Option<&StoredColumn>) -> bool {
    let Some(column) = column else { return true };
    let is_whole = matches!(column.values, ColumnValues::Numbers { unit: Unit::Whole, .. });
    is_dense(column)
        && match function.order() {
            Order::Any => true,
            Order::RoundsDecimals => is_whole,
            Order::Rounds | Order::Matters => false,
        }
}
