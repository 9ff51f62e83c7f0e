//! Plans the group keys: how the axes of a request map rows to cells. Time comes first, so that the rows of a
//! bucket, which are neighbours, have neighbouring cells.

use super::AggregateScope;
use super::bins::{self, first_code};
use super::block::{AxisKeys, Lookup, Ranges};
use super::dictionary::GlobalValues;
use super::field::{FieldNumbers, numbers};
use super::interval;
use super::request::{Axis, By, Request};
use super::terms::{self, TermCounts};
use crate::exec::SegmentRows;
use base::error::{Error, ErrorKind, Result};
use base::limits::ANSWER_CELLS;
use std::sync::Arc;
use store::StoredColumn;

pub struct AggregatePlan {
    /// Time first, then in the order of the request.
    axes: Vec<PlannedField>,
    /// The order of the request, as indexes into `axes`.
    order: Vec<usize>,
    span_ns: i64,
}

struct PlannedField {
    axis: Axis,
    rows: TimedRows,
    /// The number of its keys, including one for rows without any.
    places: u32,
    stride: u32,
}

enum TimedRows {
    Time,
    /// For each code its key plus one, 0 for the remaining values.
    Terms {
        values: GlobalValues,
        places: Vec<u32>,
    },
    Bins,
}

impl AggregatePlan {
    pub fn new(asked: &AggregateScope<'_>, request: &Request) -> Result<AggregatePlan> {
        if request.by.iter().filter(|by| matches!(by, By::Time { .. })).count() > 1 {
            return Err(Error::new(ErrorKind::BadRequest, "time can be only one of the axes"));
        }
        let mut order: Vec<usize> = (0..request.by.len()).collect();
        order.sort_by_key(|&index| !matches!(request.by[index], By::Time { .. }));
        let axes = order.iter().map(|&index| planned(asked, &request.by[index]));
        let mut axes: Vec<PlannedField> = axes.collect::<Result<_>>()?;
        let mut cells = 1_usize;
        for axis in axes.iter_mut().rev() {
            axis.stride = cells as u32;
            cells = cells.saturating_mul(axis.places as usize);
            if cells > ANSWER_CELLS {
                let message = format!("the answer would have more than {ANSWER_CELLS} cells");
                return Err(Error::new(ErrorKind::Limit, message).hint("use fewer buckets or values"));
            }
        }
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
        let span_ns = asked.range().map_or(0, |(first, last)| last.saturating_sub(first).saturating_add(1));
        Ok(AggregatePlan { axes, order: places, span_ns })
    }

    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.places as usize).product()
    }

    pub fn span_ns(&self) -> i64 {
        self.span_ns
    }

    pub fn edges(&self) -> Option<&[i64]> {
        match self.axes.first().map(|axis| &axis.axis) {
            Some(Axis::Time { edges }) => Some(edges),
            _ => None,
        }
    }

    /// Cells between neighbouring time buckets.
    pub fn bucket_cells(&self) -> u32 {
        self.axes.first().map_or(1, |axis| axis.stride)
    }

    pub fn is_time_only(&self) -> bool {
        self.axes.len() == 1 && self.edges().is_some()
    }

    /// The axes in the order of the request.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.order.iter().map(|&place| &self.axes[place].axis)
    }

    /// For each cell of the answer, the cell here.
    pub fn places(&self) -> Vec<usize> {
        let mut cells = vec![0];
        for &place in &self.order {
            let axis = &self.axes[place];
            let steps = (0..axis.axis.places()).map(|step| step * axis.stride as usize);
            cells = cells.iter().flat_map(|cell| steps.clone().map(move |step| cell + step)).collect();
        }
        cells
    }

    /// The key mapping of all axes but time for the rows of a segment.
    pub fn axis_keys(
        &self,
        asked: &AggregateScope<'_>,
        part: &SegmentRows,
        index: usize,
    ) -> Result<Vec<AxisKeys>> {
        let mut axis_keys = Vec::new();
        for axis in &self.axes {
            let lookup = match &axis.rows {
                TimedRows::Time => continue,
                TimedRows::Terms { values, places } => terms_of(values, places, axis.places, index),
                TimedRows::Bins => bins_of(asked, part, &axis.axis, axis.places)?,
            };
            axis_keys.push(AxisKeys { lookup, stride: axis.stride });
        }
        Ok(axis_keys)
    }
}

fn planned(asked: &AggregateScope<'_>, by: &By) -> Result<PlannedField> {
    let (axis, rows) = match by {
        By::Time { interval, zone } => {
            let edges = match asked.range() {
                Some((first, last)) => interval::edges(first, last, interval, zone)?,
                None => Vec::new(),
            };
            (Axis::Time { edges }, TimedRows::Time)
        }
        By::Terms { field, top, order } => {
            terms::check(*top)?;
            let counted = TermCounts::count(asked, field)?;
            let (axis, codes) = counted.axis(field, *top, *order);
            let mut places = vec![0; counted.values.codes];
            codes.iter().zip(1..).for_each(|(&code, place)| places[code as usize] = place);
            (axis, TimedRows::Terms { values: counted.values, places })
        }
        By::Bins { field, bins } => {
            let extent = bins::extent(asked, field)?;
            let edges = bins::edges(&extent, bins)?;
            let (missing, mistyped) = (extent.missing, extent.mistyped);
            (Axis::Bins { field: field.clone(), edges, missing, mistyped }, TimedRows::Bins)
        }
    };
    let places = axis.places() as u32 + 1;
    Ok(PlannedField { axis, rows, places, stride: 1 })
}

fn terms_of(values: &GlobalValues, places: &[u32], all: u32, index: usize) -> Lookup {
    // After the values come the keys of the remaining values, of rows without a value, and of no row.
    let (rest, missing) = (all - 3, all - 2);
    let Some(coded) = &values.segments[index] else { return Lookup::All(missing) };
    let place = |&code: &u32| match (code, places[code as usize]) {
        (0, _) => missing,
        (_, 0) => rest,
        (_, place) => place - 1,
    };
    Lookup::Table(Arc::clone(&coded.column), coded.shared.iter().map(place).collect())
}

fn bins_of(asked: &AggregateScope<'_>, part: &SegmentRows, axis: &Axis, places: u32) -> Result<Lookup> {
    let Axis::Bins { field, edges, .. } = axis else { return Ok(Lookup::All(places - 1)) };
    let sources = asked.snapshot.sources();
    let FieldNumbers { column: Some(column), .. } = numbers(&part.segment, sources, field, asked.cancel)?
    else {
        return Ok(Lookup::All(places - 1));
    };
    Ok(Lookup::Ranges(Arc::clone(&column), ranges(&column, edges, places - 1)))
}

fn ranges(column: &StoredColumn, edges: &[f64], missing: u32) -> Ranges {
    let begins = edges[..edges.len().saturating_sub(1)].iter().map(|&edge| first_code(column, edge));
    Ranges::new(begins.collect(), column.largest, missing)
}
