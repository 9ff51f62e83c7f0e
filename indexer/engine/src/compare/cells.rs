//! Counts of several candidates at once: which of them each event has, as one bit each.

use std::collections::HashMap;
use std::ops::Range;

use super::counts::{Candidate, Counts, Key};
use super::rhythm::BUCKETS;
use super::sides::Sides;
use crate::exec::SegmentRows;
use base::error::Result;
use base::hash::Fast;
use store::with_codes;

/// So many candidates are counted together.
pub const MOST: usize = 64;

/// For each combination of candidates, the events of A and of B that have exactly these.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    cells: Vec<(u64, [u64; 2])>,
    /// For each candidate its events of A in each bucket of A's time, and those of B in each of B's.
    pub buckets: Vec<[Vec<u32>; 2]>,
}

/// The events of each side that are left without some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestEvents {
    /// Those of a candidate.
    pub own: [u64; 2],
    pub all: [u64; 2],
}

/// The same of one segment.
struct SegmentCells {
    cells: HashMap<u64, [u64; 2], Fast>,
    buckets: Vec<[Vec<u32>; 2]>,
}

impl SegmentCells {
    /// Adds events that have the same.
    fn add(&mut self, side: usize, mask: u64, events: u32, bucket: Option<usize>) {
        if events == 0 {
            return;
        }
        self.cells.entry(mask).or_default()[side] += u64::from(events);
        let Some(bucket) = bucket else { return };
        let mut rest = mask;
        while rest != 0 {
            self.buckets[rest.trailing_zeros() as usize][side][bucket] += events;
            rest &= rest - 1;
        }
    }
}

impl Cells {
    /// Counts up to [`MOST`] candidates.
    pub fn count(sides: &Sides<'_>, counts: &Counts, candidates: &[Candidate]) -> Result<Cells> {
        if candidates.is_empty() {
            return Ok(Cells { cells: vec![(0, counts.events)], buckets: Vec::new() });
        }
        let bits = |wanted: &dyn Fn(Key) -> Option<usize>, length: usize| -> Option<Vec<u64>> {
            let mut table = vec![0; length];
            let mut found = false;
            for (bit, candidate) in candidates.iter().enumerate() {
                if let Some(place) = wanted(candidate.key) {
                    table[place] |= 1 << bit;
                    found = true;
                }
            }
            found.then_some(table)
        };
        let of_patterns = |key| if let Key::Pattern(place) = key { Some(place) } else { None };
        let patterns = bits(&of_patterns, counts.patterns.len());
        let of_field = |index: usize| {
            let code = move |key| match key {
                Key::Value(field, code) if field == index => Some(code as usize),
                _ => None,
            };
            bits(&code, counts.fields[index].counts[0].len())
        };
        let fields: Vec<(usize, Vec<u64>)> =
            (0..counts.fields.len()).filter_map(|index| Some((index, of_field(index)?))).collect();
        let none = || vec![[vec![0_u32; BUCKETS], vec![0_u32; BUCKETS]]; candidates.len()];
        let work = |index: usize, parts: &[Option<SegmentRows>; 2]| {
            let rows = parts.iter().flatten().map(SegmentRows::rows);
            let hull = rows.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
            let hull = hull.unwrap_or_default();
            let mut masks = vec![0_u64; hull.len()];
            if let Some(patterns) = &patterns {
                let mined = sides.mined(index)?;
                let places = counts.places.of_shapes(&mined.hashes);
                let of_shape = places.iter().map(|&place| patterns.get(place as usize).copied().unwrap_or(0));
                let of_shape: Vec<u64> = of_shape.collect();
                for (mask, &code) in masks.iter_mut().zip(&mined.codes[hull.clone()]) {
                    *mask |= of_shape.get(code as usize).copied().unwrap_or(0);
                }
            }
            for (field, table) in &fields {
                let Some(coded) = &counts.fields[*field].values.segments[index] else { continue };
                let of_code = coded.shared.iter().map(|&code| table.get(code as usize).copied().unwrap_or(0));
                let of_code: Vec<u64> = of_code.collect();
                if of_code.iter().any(|&bits| bits != 0) {
                    with_codes!(&coded.column.codes, codes => {
                        for (mask, &code) in masks.iter_mut().zip(&codes[hull.clone()]) {
                            *mask |= of_code[u64::from(code) as usize];
                        }
                    });
                }
            }
            let mut found = SegmentCells { cells: HashMap::default(), buckets: none() };
            for (side, part) in parts.iter().enumerate() {
                let Some(part) = part else { continue };
                let times = part.segment.times()?;
                // Neighbours often have the same, so that they are counted in one step.
                let mut add = |rows: Range<usize>, bucket: Option<usize>| {
                    let mut here: HashMap<u64, u32, Fast> = HashMap::default();
                    let (mut last, mut run) = (0, 0);
                    part.for_each_in(rows, |row| {
                        let mask = masks[row - hull.start];
                        if mask != last {
                            *here.entry(last).or_default() += run;
                            (last, run) = (mask, 0);
                        }
                        run += 1;
                    });
                    *here.entry(last).or_default() += run;
                    for (mask, events) in here {
                        found.add(side, mask, events, bucket);
                    }
                };
                add(0..times.untimed(), None);
                let edges = &counts.rhythms[side].edges;
                times.for_each_bucket(part.rows(), edges, |bucket, rows| add(rows, Some(bucket)));
            }
            Ok(found)
        };
        let mut all: HashMap<u64, [u64; 2], Fast> = HashMap::default();
        let mut all_buckets = none();
        sides.each_segment(work, |found| {
            for (mask, [a, b]) in found.cells {
                let cell = all.entry(mask).or_default();
                cell[0] += a;
                cell[1] += b;
            }
            for (all, buckets) in all_buckets.iter_mut().flatten().zip(found.buckets.iter().flatten()) {
                all.iter_mut().zip(buckets).for_each(|(all, &events)| *all += events);
            }
        })?;
        let mut cells: Vec<(u64, [u64; 2])> = all.into_iter().collect();
        cells.sort_unstable();
        Ok(Cells { cells, buckets: all_buckets })
    }

    /// The events without those that have any candidate of `without`.
    pub fn rest(&self, candidate: usize, without: u64) -> RestEvents {
        self.rest_of(candidate, |mask| mask & without == 0)
    }

    /// The events without those that have all candidates of one of the rows.
    pub fn rest_without_rows(&self, candidate: usize, rows: &[u64]) -> RestEvents {
        self.rest_of(candidate, |mask| rows.iter().all(|row| mask & row != *row))
    }

    fn rest_of(&self, candidate: usize, is_left: impl Fn(u64) -> bool) -> RestEvents {
        let mut rest = RestEvents::default();
        for (mask, events) in self.cells.iter().filter(|(mask, _)| is_left(*mask)) {
            for (side, &count) in events.iter().enumerate() {
                rest.all[side] += count;
                rest.own[side] += count * (mask >> candidate & 1);
            }
        }
        rest
    }

    /// The events that have all of some candidates.
    pub fn both(&self, candidates: u64) -> [u64; 2] {
        let cells = self.cells.iter().filter(|(mask, _)| mask & candidates == candidates);
        cells.fold([0; 2], |[a, b], (_, events)| [a + events[0], b + events[1]])
    }

    /// How much of the events that have either candidate have both.
    pub fn overlap(&self, one: usize, other: usize) -> f64 {
        let both = self.both(1 << one | 1 << other);
        overlap(both, [self.both(1 << one), self.both(1 << other)])
    }
}

/// How much of the events of either set are in both.
pub fn overlap(both: [u64; 2], own: [[u64; 2]; 2]) -> f64 {
    let sum = |events: [u64; 2]| events[0] + events[1];
    let either = sum(own[0]) + sum(own[1]) - sum(both);
    sum(both) as f64 / either.max(1) as f64
}
