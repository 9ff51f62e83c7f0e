//! The cells that rows of a segment are grouped into: one for each bin of time and each code of the fields that are
//! grouped by. A cell is a number, with time as its slowest part, so that neighbouring rows have neighbouring cells.

use std::ops::Range;
use std::sync::Arc;

use ingest::{Level, NO_TIME};

use super::super::calendar::Width;
use super::super::column::{Column, Data};
use super::super::run::{Run, Scope};
use super::super::source::Reader;
use super::{GeneralPathReason, LoweredKey};
use crate::Engine;
use crate::aggregate::{AxisKeys, Counting, DENSE, Lookup, columns, counts_of_codes, each_block_of};
use crate::exec::SegmentRows;
use base::error::Result;
use base::limits::{CANCEL_ROWS, LOWERED_CELLS};
use store::{ColumnValues, Scalar, StoredColumn, Times, Unit, level_of};

/// Rows, and the first cell that they belong to.
type CellRuns = Vec<(Range<usize>, u32)>;

pub struct GroupCells<'a> {
    pub part: &'a SegmentRows,
    axes: Vec<KeyAxis>,
    /// The rows of each bin of time, or all rows, and the first of their cells.
    pub runs: CellRuns,
    /// How many there are.
    pub count: usize,
}

struct KeyAxis {
    by: CellKey,
    /// How many cells one place is axis_keys from the next.
    stride: u32,
}

enum CellKey {
    /// Where the bins begin; [`NO_TIME`] for events without a time.
    Time(Vec<i64>),
    /// The only column of a field. Its places are the codes.
    Codes(Arc<str>, Arc<StoredColumn>),
    /// No event of the segment has the field.
    Nothing,
}

impl CellKey {
    fn places(&self) -> usize {
        match self {
            CellKey::Time(starts) => starts.len(),
            CellKey::Codes(_, column) => column.largest as usize + 1,
            CellKey::Nothing => 1,
        }
    }
}

/// Whether a table with an entry for each code of a column is small, and has one code for each value.
pub fn is_dense(column: &StoredColumn) -> bool {
    match &column.values {
        ColumnValues::Texts(_) | ColumnValues::Listed(_) => true,
        // Negative zero equals zero where values are compared.
        ColumnValues::Numbers { unit, .. } => *unit != Unit::Bits && column.largest <= DENSE,
        ColumnValues::Sparse { .. } => false,
    }
}

/// Whether texts occur often enough that counting their codes saves something: each text is hashed in either way.
fn repeats(column: &StoredColumn, part: &SegmentRows) -> bool {
    !matches!(column.values, ColumnValues::Texts(_)) || column.largest as usize <= part.len() / 4 + 1_024
}

impl<'a> GroupCells<'a> {
    /// The cells of a part, or why its rows have to be grouped by their values.
    pub fn new(
        keys: &[LoweredKey],
        part: &'a SegmentRows,
        scope: Scope<'_>,
        run: &Run<'_>,
    ) -> Result<std::result::Result<GroupCells<'a>, GeneralPathReason>> {
        let mut axes = Vec::with_capacity(keys.len());
        let mut runs = None;
        for key in keys {
            let by = match key {
                LoweredKey::Time(width) => {
                    let times = part.segment.times()?;
                    let Some((bins, starts)) = bins(part, &times, width, run) else {
                        return Ok(Err("it has too many bins of time"));
                    };
                    runs = Some(bins);
                    CellKey::Time(starts)
                }
                LoweredKey::Field(name) => {
                    let found = columns(&part.segment, scope.snapshot.sources(), name, &run.cancel)?;
                    match found.as_slice() {
                        [] => CellKey::Nothing,
                        [column] if is_dense(column) && repeats(column, part) => {
                            CellKey::Codes(Arc::clone(name), Arc::clone(column))
                        }
                        [_] => return Ok(Err("a field that it groups by has too many values")),
                        _ => return Ok(Err("a field that it groups by has values of several types")),
                    }
                }
            };
            axes.push(KeyAxis { by, stride: 0 });
        }
        // Time is the slowest part.
        let mut count = 1_usize;
        let (time, fields): (Vec<_>, Vec<_>) =
            axes.iter_mut().partition(|axis| matches!(axis.by, CellKey::Time(_)));
        for axis in fields.into_iter().chain(time) {
            axis.stride = count.min(LOWERED_CELLS) as u32;
            count = count.saturating_mul(axis.by.places());
        }
        if count > LOWERED_CELLS.min(4 * part.len() + 4_096) {
            return Ok(Err("there are more combinations of values than rows"));
        }
        let stride =
            axes.iter().find(|axis| matches!(axis.by, CellKey::Time(_))).map_or(0, |axis| axis.stride);
        let mut runs = runs.unwrap_or_else(|| vec![(part.rows(), 0)]);
        for (_, cell) in &mut runs {
            *cell *= stride;
        }
        Ok(Ok(GroupCells { part, axes, runs, count }))
    }

    /// How many rows each cell has.
    pub fn counts(&self, case: &Engine) -> Result<Vec<u32>> {
        let fields: Vec<&KeyAxis> =
            self.axes.iter().filter(|axis| matches!(axis.by, CellKey::Codes(..))).collect();
        let mut counts = vec![0; self.count];
        match fields.as_slice() {
            [] => {
                for (rows, cell) in &self.runs {
                    counts[*cell as usize] += self.part.count_in(rows.clone()) as u32;
                }
            }
            [KeyAxis { by: CellKey::Codes(name, column), .. }]
                if self.count == column.largest as usize + 1 =>
            {
                counts.copy_from_slice(&counts_of_codes(case, name, self.part, column)?);
            }
            [KeyAxis { by: CellKey::Codes(_, column), .. }] if self.count <= self.part.len() => {
                for (rows, cell) in &self.runs {
                    let mut counting = Counting::new(column.largest as usize + 1);
                    counting.add_codes(column, self.part, rows.clone());
                    let cells = counts[*cell as usize..].iter_mut();
                    cells.zip(counting.finish()).for_each(|(cell, count)| *cell += count);
                }
            }
            _ => {
                let mut counting = Counting::new(self.count);
                each_block_of(self.part, &self.runs, &self.axis_keys(), &mut |block| {
                    counting.add_cells(block);
                });
                counts = counting.finish();
            }
        }
        Ok(counts)
    }

    /// How the rows of a run are assigned to cells.
    pub fn axis_keys(&self) -> Vec<AxisKeys> {
        let lookup = |axis: &KeyAxis| match &axis.by {
            CellKey::Codes(_, column) => {
                let places = (0..=column.largest as u32).collect();
                Some(AxisKeys { lookup: Lookup::Table(Arc::clone(column), places), stride: axis.stride })
            }
            CellKey::Time(_) | CellKey::Nothing => None,
        };
        self.axes.iter().filter_map(lookup).collect()
    }

    /// These cells, which are sorted and have rows, in the order of their first rows.
    pub fn by_first_row(&self, used: &[u32]) -> Vec<u32> {
        let is_time = |axis: &&KeyAxis| matches!(axis.by, CellKey::Time(_));
        let width = self.axes.iter().find(is_time).map_or(self.count, |axis| axis.stride as usize) as u32;
        let axis_keys = self.axis_keys();
        let mut seen = vec![false; self.count];
        let mut order = Vec::with_capacity(used.len());
        for (rows, first) in &self.runs {
            let bin = used.partition_point(|cell| cell < first)
                ..used.partition_point(|&cell| cell < first.saturating_add(width));
            let is_left = |seen: &[bool]| used[bin.clone()].iter().any(|&cell| !seen[cell as usize]);
            for start in rows.clone().step_by(CANCEL_ROWS) {
                // Most cells of a bin have a row among its first ones.
                if !is_left(&seen) {
                    break;
                }
                let some = start..rows.end.min(start + CANCEL_ROWS);
                each_block_of(self.part, &[(some, *first)], &axis_keys, &mut |block| {
                    block.for_rows(|cell, _| {
                        if !std::mem::replace(&mut seen[cell as usize], true) {
                            order.push(cell);
                        }
                    });
                });
            }
        }
        order
    }

    /// The values of these cells, a column for each key.
    pub fn keys(&self, cells: &[u32], reader: &Reader<'_>) -> Vec<Column> {
        let places = |axis: &KeyAxis| {
            let (stride, count) = (axis.stride as usize, axis.by.places());
            cells.iter().map(move |&cell| cell as usize / stride % count)
        };
        let column = |axis: &KeyAxis| match &axis.by {
            CellKey::Time(starts) => Column::times(places(axis).map(|place| starts[place]).collect()),
            CellKey::Codes(name, column) => {
                let codes: Vec<u64> = places(axis).map(|place| place as u64).collect();
                values(name, column, &codes, reader)
            }
            CellKey::Nothing => Column::missing(cells.len()),
        };
        self.axes.iter().map(column).collect()
    }
}

/// The values of codes of a field's column, as a table of rows has them.
pub fn values(name: &str, column: &Arc<StoredColumn>, codes: &[u64], reader: &Reader<'_>) -> Column {
    match name {
        "level" => {
            let level = |&code: &u64| match column.value(code) {
                Some(Scalar::Text(name)) => level_of(&name),
                _ => Level::None,
            };
            Column::levels(codes.iter().map(level).collect())
        }
        "source" => {
            let codes = codes.iter().map(|&code| (code as u32).wrapping_sub(1)).collect();
            Column::new(Data::Text { codes, texts: reader.sources().clone() })
        }
        _ => reader.of_case(name, Column::of_codes(column, codes)),
    }
}

/// The rows of each bin of time and its place, and where the bins begin; nothing where they are too many.
fn bins(part: &SegmentRows, times: &Times, width: &Width, run: &Run<'_>) -> Option<(CellRuns, Vec<i64>)> {
    let rows = part.rows();
    let (mut bins, mut starts): (CellRuns, Vec<i64>) = (Vec::new(), Vec::new());
    let mut row = rows.start;
    while row < rows.end {
        let time = times.get(row);
        let around = if time == NO_TIME { None } else { width.around(time, &run.clock.zone) };
        let (start, next) = match around {
            Some((start, end)) => (start, times.before(end)),
            // Bins beyond the years that 64 bits hold are none.
            None if time == NO_TIME => (NO_TIME, times.untimed()),
            None => (NO_TIME, row + 1),
        };
        let next = next.clamp(row + 1, rows.end);
        if starts.last() != Some(&start) {
            starts.push(start);
        }
        if starts.len() > LOWERED_CELLS || bins.len() > LOWERED_CELLS {
            return None;
        }
        bins.push((row..next, starts.len() as u32 - 1));
        row = next;
    }
    if starts.is_empty() {
        starts.push(NO_TIME);
    }
    Some((bins, starts))
}
