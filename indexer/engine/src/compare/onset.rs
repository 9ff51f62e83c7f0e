//! When differences begin, and which begins first.
//!
//! The buckets of a side are split where its rate before and its rate after differ most. A difference begins there if
//! the rate before is closer to that of the other side than the rate after.

use serde::Serialize;

use super::counts::Counts;
use super::rhythm::{BUCKETS, Rhythm};
use super::score::{self, FEWEST, Rates};
use super::sides::Sides;
use super::subject::Subject;
use super::{Change, Difference};
use crate::exec::SegmentRows;
use crate::view::View;
use base::error::Result;
use base::json::EventId;
use query::{Filter, Op, Span, Test};

/// The rate before the beginning is at most so much of the way from the other side's rate to the rate after it.
const CLOSER: f64 = 0.5;

/// When a difference begins within a side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Onset {
    /// To a hundred-and-twentieth of the side's time.
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub at: i64,
    /// 0 in A, 1 in B.
    pub side: usize,
}

/// Where the sides begin to differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FirstDivergence {
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub at: i64,
    /// The difference that begins then, by its place in the list.
    pub row: usize,
    /// Nothing if it is there from the beginning of the side on.
    pub onset: Option<Onset>,
    /// The first event of what becomes more, or the last one of what stopped.
    pub event: Option<EventId>,
    /// 0 in A, 1 in B: where the event is.
    pub side: usize,
}

/// The beginning of a difference from the buckets of both sides.
pub fn onset(buckets: [&[u32]; 2], rhythms: &[Rhythm; 2], dispersion: f64) -> Option<Onset> {
    let all = [&rhythms[0].all, &rhythms[1].all];
    // What is looked into comes first: its events are the ones to be explained.
    [1, 0].into_iter().find_map(|side| {
        let split = split([buckets[side], buckets[1 - side]], [all[side], all[1 - side]], dispersion)?;
        Some(Onset { at: *rhythms[side].edges.get(split)?, side })
    })
}

/// The first bucket in which the rate of a side is no longer that of the other: own counts come first, then the other's.
fn split(buckets: [&[u32]; 2], all: [&[u32]; 2], dispersion: f64) -> Option<usize> {
    let sum = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let [own, other] = buckets;
    if own.len() != all[0].len() || own.is_empty() {
        return None;
    }
    let (seen, total) = (sum(own), sum(all[0]));
    let (mut before, mut before_all) = (0.0, 0.0);
    let mut best: Option<(f64, usize, Rates)> = None;
    for bucket in 1..own.len() {
        before += f64::from(own[bucket - 1]);
        before_all += f64::from(all[0][bucket - 1]);
        let rates = Rates { counts: [before, seen - before], totals: [before_all, total - before_all] };
        let g2 = rates.g2();
        if rates.totals.iter().all(|&events| events >= FEWEST as f64)
            && best.is_none_or(|(known, ..)| g2 > known)
        {
            best = Some((g2, bucket, rates));
        }
    }
    let (g2, bucket, rates) = best?;
    if g2 / dispersion <= score::threshold(BUCKETS as u64) {
        return None;
    }
    let reference = (sum(other), sum(all[1]));
    let from_reference = |part: usize| {
        let counts = [reference.0, rates.counts[part]];
        Rates { counts, totals: [reference.1, rates.totals[part]] }.log_ratio().abs()
    };
    (from_reference(0) < CLOSER * from_reference(1)).then_some(bucket)
}

/// Adds when pairs and numbers begin to differ. Single patterns and values have it: they are counted over time anyway.
pub fn of_rows(sides: &Sides<'_>, counts: &Counts, differences: &mut [Difference]) -> Result<()> {
    for difference in differences {
        let views = counts.views_of(sides, &difference.subject);
        let over_time = |views: &[View; 2]| -> Result<[Vec<u32>; 2]> {
            let side = |side: usize| bucket_counts(sides, side, &views[side], &counts.rhythms[side]);
            Ok([side(0)?, side(1)?])
        };
        match (&difference.subject, &difference.moved) {
            (Subject::Pair { .. }, _) => {
                let [a, b] = over_time(&views)?;
                difference.since = onset([&a, &b], &counts.rhythms, 1.0);
            }
            (Subject::Number { field, .. }, Some(moved)) => {
                let greater = Filter::Field {
                    field: field.clone(),
                    test: Test::Compare(Op::GreaterOrEqual, moved.threshold.to_string()),
                    span: Span::default(),
                };
                let above = |view: &View| View {
                    filter: Filter::And(vec![view.filter.clone(), greater.clone()]),
                    ..*view
                };
                let [a, b] = over_time(&views.each_ref().map(above))?;
                let [all_a, all_b] = over_time(&views)?;
                let rhythm = |side: usize, all: Vec<u32>| Rhythm {
                    edges: counts.rhythms[side].edges.clone(),
                    all,
                    ..Rhythm::default()
                };
                difference.since = onset([&a, &b], &[rhythm(0, all_a), rhythm(1, all_b)], 1.0);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The events of a view in each bucket of a side's time.
fn bucket_counts(sides: &Sides<'_>, side: usize, view: &View, rhythm: &Rhythm) -> Result<Vec<u32>> {
    let mut found = vec![0_u32; rhythm.all.len()];
    let work = |part: &SegmentRows| {
        let mut own = Vec::new();
        part.segment.times()?.for_each_bucket(part.rows(), &rhythm.edges, |bucket, rows| {
            own.push((bucket, part.count_in(rows) as u32));
        });
        Ok(own)
    };
    sides.each_part(side, view, work, |own: Vec<(usize, u32)>| {
        for (bucket, events) in own {
            found[bucket] += events;
        }
    })?;
    Ok(found)
}

/// The difference that begins first, with the event that shows it. One that is there from the beginning on begins where
/// both sides have begun.
pub fn first(sides: &Sides<'_>, counts: &Counts, found: &[Difference]) -> Result<Option<FirstDivergence>> {
    let starts = [0, 1].map(|side: usize| counts.rhythms[side].edges.first().copied());
    let [Some(a), Some(b)] = starts else { return Ok(None) };
    let begin = |difference: &Difference| difference.since.map_or(a.max(b), |onset| onset.at);
    let rows = found.iter().enumerate();
    let Some((row, difference)) = rows.min_by_key(|(row, difference)| (begin(difference), *row)) else {
        return Ok(None);
    };
    let (at, onset) = (begin(difference), difference.since);
    let side = onset.map_or(1, |onset| onset.side);
    let is_shown_by_event = match difference.change {
        Change::New | Change::More => side == 1,
        Change::Gone | Change::Fewer => side == 0,
        Change::Stopped => true,
        Change::Moved
        | Change::Repeats
        | Change::Irregular
        | Change::Period
        | Change::Later
        | Change::Earlier => false,
    };
    let mut first = FirstDivergence { at, row, onset, event: None, side };
    if is_shown_by_event {
        let [in_a, in_b] = counts.views_of(sides, &difference.subject);
        let view = View { from: Some(at), ..if side == 0 { in_a } else { in_b } };
        if let Some((time, event)) = first_event(sides, side, &view)? {
            first = FirstDivergence { at: time, event: Some(event), ..first };
        }
    }
    Ok(Some(first))
}

/// The first event of a view that begins at some time.
fn first_event(sides: &Sides<'_>, side: usize, view: &View) -> Result<Option<(i64, EventId)>> {
    let mut first: Option<(i64, (u32, u64))> = None;
    let work = |part: &SegmentRows| {
        if part.len() == 0 {
            return Ok(None);
        }
        let (row, locations) = (part.row(0), part.segment.locations()?);
        Ok(Some((part.segment.times()?.get(row), (locations.source(row), locations.offset(row)))))
    };
    sides.each_part(side, view, work, |found| {
        if let Some(found) = found {
            first = Some(first.map_or(found, |known| known.min(found)));
        }
    })?;
    Ok(first.map(|(time, place)| (time, EventId::from(place))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rhythm(first: i64) -> Rhythm {
        Rhythm {
            edges: (0..=BUCKETS as i64).map(|bucket| first + bucket * 10).collect(),
            all: vec![100; BUCKETS],
            ..Rhythm::default()
        }
    }

    fn buckets(count: impl Fn(usize) -> u32) -> Vec<u32> {
        (0..BUCKETS).map(count).collect()
    }

    #[test]
    fn difference_begins_where_the_rate_leaves_that_of_the_other_side() {
        let rhythms = [rhythm(0), rhythm(1_200)];
        let (none, few) = (buckets(|_| 0), buckets(|_| 2));
        let later = buckets(|bucket| if bucket < 70 { 2 } else { 9 });
        let found = |a: &[u32], b: &[u32]| onset([a, b], &rhythms, 1.0);
        assert_eq!(found(&few, &later), Some(Onset { at: 1_900, side: 1 }));
        assert_eq!(
            found(&none, &buckets(|bucket| 3 * u32::from(bucket >= 30))),
            Some(Onset { at: 1_500, side: 1 })
        );
        assert_eq!(
            found(&few, &buckets(|bucket| 2 * u32::from(bucket < 50))),
            Some(Onset { at: 1_700, side: 1 })
        );
        // The later side is compared with.
        assert_eq!(found(&later, &few), Some(Onset { at: 700, side: 0 }));
        // From the beginning on, not at all, and for a time only.
        assert_eq!(found(&few, &buckets(|_| 9)), None);
        assert_eq!(found(&few, &few), None);
        assert_eq!(found(&few, &buckets(|bucket| if bucket < 70 { 9 } else { 2 })), None);
        assert_eq!(onset([&few, &later], &rhythms, 100.0), None);
        assert_eq!(onset([&[], &[]], &rhythms, 1.0), None);
    }
}
