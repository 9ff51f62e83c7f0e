//! Runs a request: one pass over the matching rows for all axes and measures together, and further passes
//! only for percentiles of widely spread numbers.

use std::time::Instant;

use super::AggregateScope;
use super::block::{AxisKeys, Lookup, each_block};
use super::count::Counting;
use super::measure::{MeasureAccumulator, MeasureState, PassResult};
use super::plan::AggregatePlan;
use super::request::{Answer, Axis, By, Measured, Request};
use super::terms;
use crate::exec::{SegmentRows, in_order};
use base::error::Result;
use base::limits::PARTIAL_EVERY;

/// The result of a pass over one segment.
struct FromPart {
    first_cell: u32,
    counts: Vec<u32>,
    found: Vec<PassResult>,
    total: u64,
    untimed: u64,
}

pub fn run(
    asked: &AggregateScope<'_>,
    request: &Request,
    partial: &mut dyn FnMut(&Answer, f64),
) -> Result<Answer> {
    if let ([By::Terms { field, top, order }], []) = (request.by.as_slice(), request.measures.as_slice()) {
        return terms::answer(asked, field, (*top, *order), partial);
    }
    let plan = AggregatePlan::new(asked, request)?;
    let states = request.measures.iter().map(|measure| MeasureState::new(asked, measure, &plan));
    let mut states: Vec<MeasureState> = states.collect::<Result<_>>()?;
    let mut sums = EventSums { counts: vec![0; plan.cells()], total: 0, untimed: 0 };
    let mut last_partial = Instant::now();
    let mut first = true;
    loop {
        let active: Vec<bool> = states.iter().map(|state| state.wants_pass(first)).collect();
        if !first && !active.contains(&true) {
            break;
        }
        let mut totals: Vec<PassResult> = states.iter().map(|state| state.total(&plan)).collect();
        let look = |index: usize| look(asked, &plan, &states, &active, first, index);
        let segments = asked.snapshot.segments.len();
        in_order(segments, asked.cancel, look, |index, found| {
            let Some(found) = found else { return Ok(()) };
            for ((state, total), found_here) in states.iter().zip(&mut totals).zip(found.found) {
                state.absorb(total, found.first_cell, found_here)?;
            }
            if first {
                sums.add(found.first_cell, &found.counts, found.total, found.untimed);
                if last_partial.elapsed() >= PARTIAL_EVERY && index + 1 < segments {
                    last_partial = Instant::now();
                    partial(&answer(&plan, request, &sums, &[]), asked.share(index));
                }
            }
            Ok(())
        })?;
        states.iter_mut().zip(totals).for_each(|(state, total)| state.take(total, first));
        first = false;
    }
    Ok(answer(&plan, request, &sums, &states))
}

/// The current event counts.
struct EventSums {
    counts: Vec<u64>,
    total: u64,
    untimed: u64,
}

impl EventSums {
    fn add(&mut self, first_cell: u32, counts: &[u32], total: u64, untimed: u64) {
        let sums = self.counts[first_cell as usize..].iter_mut();
        sums.zip(counts).for_each(|(sum, &count)| *sum += u64::from(count));
        self.total += total;
        self.untimed += untimed;
    }
}

fn look(
    asked: &AggregateScope<'_>,
    plan: &AggregatePlan,
    states: &[MeasureState],
    active: &[bool],
    first: bool,
    index: usize,
) -> Result<Option<FromPart>> {
    if let Some(counted) = from_rollup(asked, plan, states, index) {
        return Ok(Some(counted));
    }
    let Some(part) = asked.part(index)? else { return Ok(None) };
    let times = plan.edges().map(|_| part.segment.times()).transpose()?;
    let buckets = match (plan.edges(), &times) {
        (Some(edges), Some(times)) => Some(buckets_of(&part, times, edges)),
        _ => None,
    };
    let stride = plan.bucket_cells();
    let (first_cell, cells) = match &buckets {
        Some(buckets) => (buckets.start as u32 * stride, (buckets.len() as u32 * stride) as usize),
        None => (0, plan.cells()),
    };
    let local = plan
        .edges()
        .zip(buckets)
        .map(|(edges, buckets)| edges.get(buckets.start..=buckets.end).unwrap_or_default());
    let time = local.zip(times.as_deref()).map(|(edges, times)| (times, edges, stride));
    let axis_keys = plan.axis_keys(asked, &part, index)?;
    let untimed = times.as_ref().map_or(0, |times| part.count_in(0..times.untimed()) as u64);
    let mut found =
        FromPart { first_cell, counts: vec![0; cells], found: Vec::new(), total: part.len() as u64, untimed };
    if !active.contains(&true) && count_only(&part, time, &axis_keys, &mut found.counts) {
        found.found = states.iter().map(|_| PassResult::Nothing).collect();
        return Ok(Some(found));
    }
    gather(asked, &part, states, active, first, (index, time, &axis_keys), &mut found)?;
    Ok(Some(found))
}

type Time<'a> = Option<(&'a store::Times, &'a [i64], u32)>;

/// Fast path: counts without a cell for each row, if possible.
fn count_only(part: &SegmentRows, time: Time<'_>, axis_keys: &[AxisKeys], counts: &mut [u32]) -> bool {
    match (axis_keys, time) {
        ([], None) => counts[0] = part.len() as u32,
        ([], Some((times, edges, stride))) => times.for_each_bucket(part.rows(), edges, |bucket, rows| {
            counts[bucket * stride as usize] += part.count_in(rows) as u32;
        }),
        // If the codes are fewer than a bucket's rows, codes are counted and only then mapped to keys.
        (
            [AxisKeys { lookup: Lookup::Table(column, places), stride: key_stride }],
            Some((times, edges, stride)),
        ) if places.len() * edges.len() <= part.len() => {
            times.for_each_bucket(part.rows(), edges, |bucket, rows| {
                let mut counting = Counting::new(places.len());
                counting.add_codes(column, part, rows);
                for (count, place) in counting.finish().into_iter().zip(places) {
                    counts[(bucket as u32 * stride + place * key_stride) as usize] += count;
                }
            });
        }
        _ => return false,
    }
    true
}

fn gather(
    asked: &AggregateScope<'_>,
    part: &SegmentRows,
    states: &[MeasureState],
    active: &[bool],
    first: bool,
    (index, time, axis_keys): (usize, Time<'_>, &[AxisKeys]),
    found: &mut FromPart,
) -> Result<()> {
    let cells = found.counts.len();
    let sources: Vec<_> = states.iter().map(|state| state.columns(asked, part)).collect::<Result<_>>()?;
    let mut accumulators: Vec<MeasureAccumulator<'_>> = Vec::with_capacity(states.len());
    for ((state, columns), active) in states.iter().zip(&sources).zip(active) {
        accumulators.push(if *active {
            MeasureAccumulator::new(state, columns, index, (found.first_cell, cells))
        } else {
            MeasureAccumulator::Nothing
        });
    }
    let mut counting = first.then(|| Counting::new(cells));
    each_block(part, time, axis_keys, &mut |block| {
        if let Some(counting) = &mut counting {
            counting.add_cells(block);
        }
        for accumulator in &mut accumulators {
            accumulator.add(block);
        }
    });
    if let Some(counting) = counting {
        found.counts = counting.finish();
    }
    for (accumulator, columns) in accumulators.into_iter().zip(&sources) {
        found.found.push(accumulator.finish(part, columns)?);
    }
    Ok(())
}

/// The counts of a segment in which all events match, grouped by time only.
fn from_rollup(
    asked: &AggregateScope<'_>,
    plan: &AggregatePlan,
    states: &[MeasureState],
    index: usize,
) -> Option<FromPart> {
    let meta = &asked.snapshot.segments[index].meta;
    let edges = plan.edges().filter(|_| plan.is_time_only() && states.is_empty())?;
    let (first, last) = meta.first.zip(meta.last)?;
    if !asked.view.holds_all_of(meta) || meta.rollup.width_ns <= 0 {
        return None;
    }
    let inner =
        &edges[edges.partition_point(|&edge| edge <= first)..edges.partition_point(|&edge| edge <= last)];
    if !inner.iter().all(|edge| edge % meta.rollup.width_ns == 0) {
        return None;
    }
    let untimed = if asked.view.from.is_none() && asked.view.to.is_none() { meta.untimed } else { 0 };
    let mut found =
        FromPart { first_cell: 0, counts: vec![0; plan.cells()], found: Vec::new(), total: untimed, untimed };
    for (begin, _, count) in meta.rollup.buckets() {
        // The bucket of the first event may begin before the first edge.
        let bucket = edges.partition_point(|&edge| edge <= begin.max(first)).checked_sub(1)?;
        *found.counts.get_mut(bucket * plan.bucket_cells() as usize)? += count;
        found.total += u64::from(count);
    }
    Some(found)
}

/// The range of buckets that the rows of a segment lie in.
fn buckets_of(part: &SegmentRows, times: &store::Times, edges: &[i64]) -> std::ops::Range<usize> {
    let rows = part.rows();
    let dated = rows.start.max(times.untimed())..rows.end;
    if dated.is_empty() || edges.len() < 2 {
        return 0..0;
    }
    let bucket = |row: usize| edges.partition_point(|&edge| edge <= times.get(row)).saturating_sub(1);
    bucket(dated.start)..(bucket(dated.end - 1) + 1).min(edges.len() - 1)
}

/// Brings the cells into the order of the request, and drops those of rows that belong to none.
fn answer(plan: &AggregatePlan, request: &Request, sums: &EventSums, states: &[MeasureState]) -> Answer {
    let places = plan.places();
    let axes: Vec<Axis> = plan.axes().cloned().collect();
    let seconds_of = |place: usize| match axes.iter().position(|axis| matches!(axis, Axis::Time { .. })) {
        Some(at) => {
            let after: usize = axes[at + 1..].iter().map(Axis::places).product();
            let Axis::Time { edges } = &axes[at] else { return 0 };
            let bucket = place / after.max(1) % axes[at].places().max(1);
            edges[bucket + 1].saturating_sub(edges[bucket])
        }
        None => plan.span_ns(),
    };
    let counts: Vec<u64> = places.iter().map(|&cell| sums.counts[cell]).collect();
    let mut measured: Vec<Measured> = Vec::new();
    for (state, measure) in states.iter().zip(&request.measures) {
        for mut one in state.measured(measure, plan) {
            one.values = places.iter().map(|&cell| one.values.get(cell).cloned().flatten()).collect();
            measured.push(one);
        }
        if let MeasureState::Rate { per_ns } = state {
            let rate = |(place, &count): (usize, &u64)| super::rate::value(count, seconds_of(place), *per_ns);
            let values = counts.iter().enumerate().map(rate).collect();
            measured.push(Measured { name: "rate".to_owned(), values, missing: 0, mistyped: 0 });
        }
    }
    Answer { axes, counts, measured, total: sums.total, untimed: sums.untimed }
}
