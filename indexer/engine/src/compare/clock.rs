//! Clocks of sources that differ by another time in B than in A.
//!
//! Ids that two sources share say how much their clocks differ (`crate::links`). Only a sample of each side is looked
//! through for them, so that a large case is answered in time; `timberline links` looks through all events.

use std::collections::HashMap;

use serde::Serialize;

use super::counts::Counts;
use super::relation::Relation;
use super::rhythm::{BUCKETS, Rhythm};
use super::score::{self, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Also, Change, Difference};
use crate::links::{Encounter, Estimate, SampledClock};
use crate::view::View;
use base::error::Result;
use query::{Filter, Pattern};

/// Events that are looked through on each side, in so many stretches of its time.
const EVENTS: u64 = 60_000;
const STRETCHES: usize = 4;

/// Less is no clock that was set.
const LEAST_NS: i64 = 50_000_000;

/// A margin of error is no less than this.
const LEAST_MARGIN_NS: i64 = 1_000_000;

/// How the clock of a source differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClockChange {
    /// How much later the clock of the source is than that of the other one, in A and in B.
    pub later: [ClockOffset; 2],
    /// So much later in B than in A, give or take the margin.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub moved_ns: i64,
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub margin_ns: i64,
    /// The clock offset with which the source would be as late in B as it is in A.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub set_ns: i64,
    /// Ids of B, each with the first time in the other source and in this one.
    pub examples: Vec<Encounter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClockOffset {
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub offset_ns: i64,
    /// Ids that say so.
    pub ids: u64,
}

/// Two sources on both sides, and by how much the offset of the second one is another one.
struct ClockMove<'c> {
    clocks: [&'c SampledClock; 2],
    by: Estimate,
}

/// One row for each source whose clock moved; what moved with it is listed with it.
pub fn changes(sides: &Sides<'_>, counts: &Counts) -> Result<Vec<Difference>> {
    let in_a = clocks(sides, counts, 0)?;
    if in_a.is_empty() {
        return Ok(Vec::new());
    }
    let in_b = clocks(sides, counts, 1)?;
    let pairs: Vec<ClockMove<'_>> = in_b.iter().filter_map(|b| moved(sides, &in_a, b)).collect();
    let tests = pairs.len() as u64;
    let limit = score::threshold(tests);
    let is_moved = |moved: &&ClockMove<'_>| {
        moved.by.differs() && moved.by.offset_ns.saturating_abs() >= LEAST_NS && moved.g2() >= limit
    };
    let mut moved: Vec<&ClockMove<'_>> = pairs.iter().filter(is_moved).collect();
    moved.sort_by_key(|moved| std::cmp::Reverse(moved.by.values));
    let mut pairs_of: HashMap<u32, usize> = HashMap::new();
    for source in moved.iter().flat_map(|moved| moved.sources()) {
        *pairs_of.entry(source).or_default() += 1;
    }
    let mut rows: Vec<(u32, Difference)> = Vec::new();
    for pair in moved {
        // The source that differs from the most others is the one that was set.
        let [one, other] = pair.sources();
        let is_first = pairs_of[&one] > pairs_of[&other];
        let source = if is_first { one } else { other };
        let row = pair.difference(sides, is_first, tests);
        match rows.iter_mut().find(|(known, _)| *known == source) {
            Some((_, known)) => {
                let Difference { subject, change, counts, .. } = row;
                let (both, relation) = ([0; 2], Relation::Clock);
                known.also.push(Also { subject, change, counts, both, relation });
            }
            None => rows.push((source, row)),
        }
    }
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// What a sample of a side says about its clocks.
fn clocks(sides: &Sides<'_>, counts: &Counts, side: usize) -> Result<Vec<SampledClock>> {
    let scope = sides.scope(side);
    let views = stretches(scope.view, &counts.rhythms[side]);
    scope.case.sampled_clocks(scope.snapshot, &views, scope.cancel)
}

/// The whole side, or as much of each quarter of its time as has its part of the events.
fn stretches(view: &View, rhythm: &Rhythm) -> Vec<View> {
    let events = |buckets: &[u32]| buckets.iter().map(|&count| u64::from(count)).sum::<u64>();
    if events(&rhythm.all) <= EVENTS {
        return vec![view.clone()];
    }
    let size = BUCKETS / STRETCHES;
    let stretch = |nth: usize| {
        let (start, end) = (rhythm.edges[nth * size], rhythm.edges[(nth + 1) * size]);
        let seen = events(&rhythm.all[nth * size..(nth + 1) * size]);
        let share = (EVENTS as f64 / STRETCHES as f64 / seen.max(1) as f64).min(1.0);
        let to = start.saturating_add((end.saturating_sub(start) as f64 * share) as i64);
        View { filter: view.filter.clone(), from: Some(start), to: Some(to) }
    };
    (0..STRETCHES).map(stretch).collect()
}

/// The same two sources in A: within a case by their numbers, in two cases by their names.
fn moved<'c>(sides: &Sides<'_>, in_a: &'c [SampledClock], b: &'c SampledClock) -> Option<ClockMove<'c>> {
    let names = |side: usize, found: &SampledClock| {
        let sources = sides.scope(side).snapshot.sources();
        found.clock.sources.map(|source| sources.get(source as usize).map(|source| &source.name))
    };
    let a = in_a.iter().find(|a| {
        if sides.is_one_case() { a.clock.sources == b.clock.sources } else { names(0, a) == names(1, b) }
    })?;
    Some(ClockMove { clocks: [a, b], by: b.clock.estimate.moved_from(&a.clock.estimate) })
}

impl ClockMove<'_> {
    fn sources(&self) -> [u32; 2] {
        self.clocks[1].clock.sources
    }

    /// How much better two offsets explain the ids than one does: of each side how many are beyond the middle of the two.
    fn g2(&self) -> f64 {
        let [a, b] = self.clocks.map(|found| found.clock.estimate.offset_ns);
        let middle = i64::midpoint(a, b);
        let beyond = self
            .clocks
            .map(|found| found.meetings.iter().filter(|meeting| meeting.offset_ns() > middle).count() as u64);
        Rates::new(beyond, self.clocks.map(|found| found.meetings.len() as u64)).g2()
    }

    /// The row, of the first source or of the second one.
    fn difference(&self, sides: &Sides<'_>, is_first: bool, tests: u64) -> Difference {
        let sources = sides.scope(1).snapshot.sources();
        let entry = |source: u32| sources.get(source as usize);
        let name = |source: u32| entry(source).map_or_else(String::new, |source| source.name.clone());
        let [one, other] = self.sources();
        let (source, against) = if is_first { (one, other) } else { (other, one) };
        // What has to be added to a clock is what it is earlier.
        let later = |offset_ns: i64| if is_first { offset_ns } else { offset_ns.saturating_neg() };
        let moved_ns = later(self.by.offset_ns);
        let margin_ns = (self.by.most_ns.saturating_sub(self.by.least_ns) / 2).max(LEAST_MARGIN_NS);
        let ids = self.clocks.map(|found| found.clock.estimate.values as u64);
        let set_ns = entry(source).map_or(0, |source| source.reading.clock_offset_ns);
        let examples = self.clocks[1].clock.examples.iter().map(|example| {
            let (one, other) = (example.one, example.other);
            let (one, other) = if is_first { (other, one) } else { (one, other) };
            Encounter { value: example.value.clone(), one, other }
        });
        let at_least = moved_ns.saturating_abs() as f64 / margin_ns as f64;
        let g2 = self.g2();
        let values = self.clocks.iter().flat_map(|found| &found.clock.examples);
        let values: Vec<Filter> =
            values.map(|example| Filter::Text(Pattern::Tokens(example.value.clone()))).collect();
        let subject = Subject::Clock { source: name(source), against: name(against) };
        Difference {
            change: if moved_ns > 0 { Change::Later } else { Change::Earlier },
            counts: ids,
            shares: [1.0; 2],
            at_least,
            g2,
            p_value: (score::p_value(g2) * tests as f64).min(1.0),
            score: score::score_of(at_least, self.by.values as f64),
            moved: None,
            stop: None,
            beat: None,
            clock: Some(ClockChange {
                later: [0, 1].map(|side: usize| ClockOffset {
                    offset_ns: later(self.clocks[side].clock.estimate.offset_ns),
                    ids: ids[side],
                }),
                moved_ns,
                margin_ns,
                set_ns: set_ns.saturating_sub(moved_ns),
                examples: examples.collect(),
            }),
            since: None,
            side_filters: None,
            filter: if values.is_empty() { subject.filter() } else { Filter::Or(values) },
            subject,
            also: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_side_is_sampled_in_every_quarter_of_its_time() {
        let whole = View { filter: Filter::Everything, from: None, to: None };
        let rhythm = |events: u32| Rhythm {
            edges: (0..=BUCKETS as i64).map(|bucket| bucket * 1_000).collect(),
            all: vec![events; BUCKETS],
            ..Rhythm::default()
        };
        assert_eq!(stretches(&whole, &rhythm(500)).len(), 1);
        // Ten times too many: a tenth of each quarter.
        let found = stretches(&whole, &rhythm(5_000));
        let times: Vec<_> = found.iter().map(|view| (view.from.unwrap_or(0), view.to.unwrap_or(0))).collect();
        assert_eq!(times, [(0, 3_000), (30_000, 33_000), (60_000, 63_000), (90_000, 93_000)]);
    }
}
