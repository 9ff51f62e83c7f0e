//! The gaps between successive events of a pattern in one source, from which its rhythm is read.
//!
//! Events of several sources are not mixed, because processes that each repeat every ten seconds do not do so together.

use std::collections::HashMap;

use super::counts::Counts;
use super::sides::Sides;
use crate::exec::SegmentRows;
use base::error::{Error, Result};
use base::hash::Fast;
use ingest::NO_TIME;

/// Gaps are put into bins, 32 from a gap to its double.
const BITS: u32 = 5;
const BINS_A_DOUBLING: usize = 1 << BITS;

/// Events that are closer than this, about a millisecond, happen at once.
const SHORTEST_BITS: u32 = 20;

/// Up to two years.
const DOUBLINGS: usize = 36;
const BINS: usize = DOUBLINGS * BINS_A_DOUBLING;

/// Patterns are looked at for their rhythm up to so many, the rarest first: what repeats is rarely what is most frequent.
const MOST_PATTERNS: usize = 4_096;

/// The sources of a segment are one series where there would be more than this.
const MOST_SERIES: usize = 1 << 20;

const NO_PATTERN: u32 = u32::MAX;

/// The gaps of one pattern on one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    /// Empty as long as there is no gap.
    bins: Vec<GapBin>,
}

/// Gaps of about the same length, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct GapBin {
    gaps: u32,
    sum_ns: u64,
}

/// Some of a pattern's gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GapSum {
    pub gaps: u64,
    pub sum_ns: u64,
}

impl GapSum {
    fn add(&mut self, bin: GapBin) {
        self.gaps += u64::from(bin.gaps);
        self.sum_ns += bin.sum_ns;
    }
}

impl Gaps {
    /// Adds a gap, unless its two events happened at once.
    pub fn add(&mut self, gap_ns: i64) {
        let Some(bin) = bin(gap_ns) else { return };
        if self.bins.is_empty() {
            self.bins.resize(BINS, GapBin::default());
        }
        let bin = &mut self.bins[bin];
        bin.gaps = bin.gaps.saturating_add(1);
        bin.sum_ns = bin.sum_ns.saturating_add(gap_ns.unsigned_abs());
    }

    fn absorb(&mut self, other: &Gaps) {
        if self.bins.is_empty() {
            self.bins.clone_from(&other.bins);
            return;
        }
        for (own, other) in self.bins.iter_mut().zip(&other.bins) {
            own.gaps = own.gaps.saturating_add(other.gaps);
            own.sum_ns = own.sum_ns.saturating_add(other.sum_ns);
        }
    }

    pub fn all(&self) -> GapSum {
        self.sum(0..self.bins.len())
    }

    /// The gaps between these two lengths, to the width of a bin.
    pub fn between(&self, least_ns: i64, most_ns: i64) -> GapSum {
        match (bin(least_ns), bin(most_ns)) {
            (Some(least), Some(most)) if !self.bins.is_empty() => self.sum(least..most + 1),
            _ => GapSum::default(),
        }
    }

    /// The gaps of so many neighbouring bins in which the most time lies.
    pub fn densest(&self, bins: usize) -> GapSum {
        let windows = (0..self.bins.len().saturating_sub(bins)).map(|first| self.sum(first..first + bins));
        windows.fold(GapSum::default(), |best, found| if found.sum_ns > best.sum_ns { found } else { best })
    }

    fn sum(&self, bins: std::ops::Range<usize>) -> GapSum {
        let mut sum = GapSum::default();
        self.bins[bins].iter().for_each(|&bin| sum.add(bin));
        sum
    }
}

/// Nothing if it is too short.
fn bin(gap_ns: i64) -> Option<usize> {
    let gap = u64::try_from(gap_ns).ok()?;
    let doublings = gap.checked_ilog2()?.checked_sub(SHORTEST_BITS)?;
    let within = (gap >> (doublings + SHORTEST_BITS - BITS)) as usize & (BINS_A_DOUBLING - 1);
    Some((doublings as usize * BINS_A_DOUBLING + within).min(BINS - 1))
}

/// The gaps of all patterns that are looked at, on both sides.
pub struct PatternGaps {
    /// The places of the patterns in the tree.
    pub places: Vec<usize>,
    /// By their place in this list.
    pub sides: [Vec<Gaps>; 2],
    /// Times have no finer resolution than the shortest gap.
    pub resolution_ns: i64,
}

/// A pattern in a source: its first and its last event.
#[derive(Clone, Copy, Debug)]
struct GapEnds {
    first: i64,
    last: i64,
}

/// The gaps within one segment.
struct SegmentGaps {
    gaps: [Vec<Gaps>; 2],
    /// By pattern and source.
    ends: [Vec<((u32, u32), GapEnds)>; 2],
    shortest_ns: i64,
}

impl PatternGaps {
    /// Of patterns with so many events on either side or more.
    pub fn read(sides: &Sides<'_>, counts: &Counts, least_events: u64) -> Result<PatternGaps> {
        let patterns = counts.patterns.iter().enumerate();
        let mut places: Vec<usize> = patterns
            .filter(|(_, events)| events.iter().any(|&events| events >= least_events))
            .filter(|(_, events)| !events.contains(&0))
            .map(|(place, _)| place)
            .collect();
        places.sort_by_key(|&place| (counts.patterns[place].iter().sum::<u64>(), place));
        places.truncate(MOST_PATTERNS);
        let mut all = [0, 1].map(|_| vec![Gaps::default(); places.len()]);
        let mut shortest_ns = i64::MAX;
        if places.is_empty() {
            return Ok(PatternGaps { places, sides: all, resolution_ns: shortest_ns });
        }
        let mut of_place = vec![NO_PATTERN; counts.patterns.len()];
        places.iter().zip(0..).for_each(|(&place, pattern)| of_place[place] = pattern);
        let work = |index: usize, parts: &[Option<SegmentRows>; 2]| {
            gaps_of(sides, counts, &of_place, places.len(), (index, parts))
        };
        let mut open: [HashMap<(u32, u32), i64, Fast>; 2] = Default::default();
        sides.each_segment(work, |part: SegmentGaps| {
            shortest_ns = shortest_ns.min(part.shortest_ns);
            for side in 0..2 {
                for (all, own) in all[side].iter_mut().zip(&part.gaps[side]) {
                    all.absorb(own);
                }
                for &((pattern, source), ends) in &part.ends[side] {
                    let last = open[side].entry((pattern, source)).or_insert(ends.last);
                    if *last < ends.first {
                        all[side][pattern as usize].add(ends.first - *last);
                    }
                    *last = ends.last.max(*last);
                }
            }
        })?;
        Ok(PatternGaps { places, sides: all, resolution_ns: shortest_ns })
    }
}

fn gaps_of(
    sides: &Sides<'_>,
    counts: &Counts,
    of_place: &[u32],
    patterns: usize,
    (index, parts): (usize, &[Option<SegmentRows>; 2]),
) -> Result<SegmentGaps> {
    let mut found = SegmentGaps {
        gaps: [0, 1].map(|_| vec![Gaps::default(); patterns]),
        ends: [Vec::new(), Vec::new()],
        shortest_ns: i64::MAX,
    };
    for (side, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        if sides.cancel.is_set() {
            return Err(Error::cancelled());
        }
        let mined = sides.mined(index)?;
        let of_shape: Vec<u32> = counts
            .places
            .of_shapes(&mined.hashes)
            .into_iter()
            .map(|place| of_place.get(place as usize).copied().unwrap_or(NO_PATTERN))
            .collect();
        let times = part.segment.times()?;
        let locations = part.segment.locations()?;
        let sources: Vec<u32> = part.segment.meta.sources.iter().map(|source| source.source).collect();
        let width = if patterns * sources.len() <= MOST_SERIES { sources.len().max(1) } else { 1 };
        let mut series = vec![0; sources.iter().max().map_or(0, |&most| most as usize + 1)];
        if width > 1 {
            sources.iter().zip(0..).for_each(|(&source, own)| series[source as usize] = own);
        }
        let none = GapEnds { first: NO_TIME, last: NO_TIME };
        let mut ends = vec![none; patterns * width];
        part.for_each_in(times.untimed()..times.rows(), |row| {
            let pattern = of_shape.get(mined.codes[row] as usize).copied().unwrap_or(NO_PATTERN);
            if pattern == NO_PATTERN {
                return;
            }
            let time = times.get(row);
            let series = series.get(locations.source(row) as usize).copied().unwrap_or(0);
            let ends = &mut ends[pattern as usize * width + series];
            if ends.last == NO_TIME {
                *ends = GapEnds { first: time, last: time };
                return;
            }
            let gap_ns = time - ends.last;
            ends.last = time;
            if gap_ns > 0 {
                found.shortest_ns = found.shortest_ns.min(gap_ns);
                found.gaps[side][pattern as usize].add(gap_ns);
            }
        });
        let known = ends.iter().enumerate().filter(|(_, ends)| ends.last != NO_TIME);
        found.ends[side] = known
            .map(|(place, &ends)| {
                let source = if width == 1 { u32::MAX } else { sources[place % width] };
                (((place / width) as u32, source), ends)
            })
            .collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        /// Against the list of gaps itself.
        #[test]
        fn sums_equal_those_of_the_list(gaps in prop::collection::vec(1_i64..1 << 58, 1..60), least in 1_i64..1 << 58, wide in 1_i64..16) {
            let mut found = Gaps::default();
            for &gap in &gaps {
                found.add(gap);
            }
            let bins: Vec<(usize, i64)> = gaps.iter().filter_map(|&gap| Some((bin(gap)?, gap))).collect();
            let all: u64 = bins.iter().map(|(_, gap)| gap.unsigned_abs()).sum();
            prop_assert_eq!(found.all(), GapSum { gaps: bins.len() as u64, sum_ns: all });
            let most = least.saturating_mul(wide);
            if let (Some(low), Some(high)) = (bin(least), bin(most)) {
                let within: Vec<i64> = bins.iter().filter(|(bin, _)| (low..=high).contains(bin)).map(|(_, gap)| *gap).collect();
                let sum = within.iter().map(|gap| gap.unsigned_abs()).sum::<u64>();
                prop_assert_eq!(found.between(least, most), GapSum { gaps: within.len() as u64, sum_ns: sum });
            }
            let densest = (0..BINS - 5).map(|first| {
                bins.iter().filter(|(bin, _)| (first..first + 5).contains(bin)).map(|(_, gap)| gap.unsigned_abs()).sum::<u64>()
            }).max();
            prop_assert_eq!(Some(found.densest(5).sum_ns), densest);
        }

        /// Neighbouring bins differ by a thirty-second of a doubling at most.
        #[test]
        fn bins_are_in_order_and_narrow(gap in 1_i64 << SHORTEST_BITS..1 << 55) {
            let near = gap + gap / 16;
            let (one, other) = (bin(gap).unwrap_or(0), bin(near).unwrap_or(0));
            prop_assert!(other > one && other <= one + 4, "{one} {other}");
        }
    }

    #[test]
    fn events_at_once_are_no_gap() {
        let mut gaps = Gaps::default();
        gaps.add(0);
        gaps.add(-5);
        gaps.add(900_000);
        assert_eq!(gaps.all(), GapSum::default());
        gaps.add(2_000_000);
        assert_eq!(gaps.all().gaps, 1);
        assert_eq!(gaps.densest(5), gaps.all());
    }
}
