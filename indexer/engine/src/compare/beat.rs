//! Patterns that began to repeat, no longer do, or repeat after another time.
//!
//! A pattern repeats if most of the time lies in gaps of nearly the same length. Weighing gaps by their length keeps
//! that true where each beat is several events at once.

use std::collections::HashMap;

use serde::Serialize;

use super::counts::Counts;
use super::gaps::{Gaps, PatternGaps};
use super::score::{self, Rates};
use super::sides::Sides;
use super::{Change, score::FEWEST};
use base::error::Result;

/// A rhythm takes so many gaps of its length, and so much of the time.
const LEAST_BEATS: u64 = 12;
const LEAST_SHARE: f64 = 0.5;

/// Gaps of one length are in so many neighbouring bins: within a twentieth of it.
const BINS_OF_A_PERIOD: usize = 5;
const NEAR: f64 = 0.055;

/// Of events at random times, the largest share of the time that gaps between a length and its e-fold have: 4/e².
const RANDOM_SHARE: f64 = 0.541;
/// The width of the bins of a period as a logarithm, where they are widest.
const WIDTH: f64 = 0.145;

/// The rhythm takes at least so many times the share of the time that it takes on the other side.
const LEAST_CLEARER: f64 = 2.0;

/// A gap is known well enough if it is so many times the resolution of times: those that are multiples of a second have
/// gaps of whole seconds, whether they repeat or not.
const LEAST_RESOLUTIONS: i64 = 8;

/// So many lengths of gaps are different from each other: they count as tests.
const PERIODS: u64 = 256;

/// After what time a pattern repeats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Beat {
    #[serde(with = "base::json::nanos")]
    #[cfg_attr(feature = "typescript", ts(as = "base::json::Nanos"))]
    pub period_ns: i64,
    /// How much of the time lies in gaps of this length.
    pub share: f64,
}

/// How the rhythm of a pattern differs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BeatChange {
    /// Of A and of B: nothing where it does not repeat.
    pub beats: [Option<Beat>; 2],
    /// Where it repeats, gaps of that length take at least so many times the share of the time that they take on the
    /// other side.
    pub at_least: f64,
    /// How much better two shares explain the gaps than one does, and the probability of that by chance, times the
    /// number of tests.
    #[serde(skip)]
    pub g2: f64,
    #[serde(skip)]
    pub p_value: f64,
    /// Beats that are more than the other side's share gives.
    #[serde(skip)]
    pub excess: f64,
}

impl BeatChange {
    #[must_use]
    pub fn change(&self) -> Change {
        match self.beats {
            [None, _] => Change::Repeats,
            [_, None] => Change::Irregular,
            _ => Change::Period,
        }
    }

    #[must_use]
    pub fn score(&self) -> f64 {
        score::score_of(self.at_least, self.excess)
    }
}

/// Rhythms that changed, by the place of the pattern.
pub fn changes(sides: &Sides<'_>, counts: &Counts) -> Result<HashMap<usize, BeatChange>> {
    let gaps = PatternGaps::read(sides, counts, LEAST_BEATS)?;
    let tests = 2 * gaps.places.len() as u64;
    let found = gaps.places.iter().enumerate().filter_map(|(pattern, &place)| {
        let own = [&gaps.sides[0][pattern], &gaps.sides[1][pattern]];
        Some((place, change(own, gaps.resolution_ns, tests)?))
    });
    Ok(found.collect())
}

/// How two rhythms differ, if they clearly do.
fn change(sides: [&Gaps; 2], resolution_ns: i64, tests: u64) -> Option<BeatChange> {
    let shortest_ns = resolution_ns.saturating_mul(LEAST_RESOLUTIONS);
    let is_known =
        |gaps: &&Gaps| gaps.all().gaps >= FEWEST && period_of(gaps).is_some_and(|ns| ns >= shortest_ns);
    if !sides.iter().all(is_known) {
        return None;
    }
    let beats = sides.map(|gaps| beat(gaps, tests));
    if let [Some(a), Some(b)] = beats {
        let (short, long) = (a.period_ns.min(b.period_ns) as f64, a.period_ns.max(b.period_ns) as f64);
        if long < short * (1.0 + 2.0 * NEAR) {
            return None;
        }
    }
    let limit = score::threshold(tests);
    let mut found: Option<BeatChange> = None;
    for (side, beat) in beats.iter().enumerate() {
        let Some(beat) = beat else { continue };
        let rates = beats_of(sides, beat.period_ns);
        let at_least = rates.at_least(limit);
        if rates.higher() != side || at_least < LEAST_CLEARER {
            return None;
        }
        let (g2, excess) = (rates.g2(), rates.excess());
        let p_value = (score::p_value(g2) * tests as f64).min(1.0);
        let own = BeatChange { beats, at_least, g2, p_value, excess };
        if found.is_none_or(|known| own.at_least < known.at_least) {
            found = Some(own);
        }
    }
    found
}

/// The length of the gaps in which the most time lies.
fn period_of(gaps: &Gaps) -> Option<i64> {
    let densest = gaps.densest(BINS_OF_A_PERIOD);
    (densest.gaps > 0).then(|| (densest.sum_ns / densest.gaps) as i64)
}

/// The rhythm of gaps, if most of the time lies in gaps of one length, and more than chance explains.
fn beat(gaps: &Gaps, tests: u64) -> Option<Beat> {
    let densest = gaps.densest(BINS_OF_A_PERIOD);
    if densest.gaps < LEAST_BEATS {
        return None;
    }
    let period_ns = period_of(gaps)?;
    let all = gaps.all().sum_ns as f64;
    let share = densest.sum_ns as f64 / all;
    let by_chance = RANDOM_SHARE * WIDTH;
    if share < LEAST_SHARE {
        return None;
    }
    let fit = all / period_ns as f64;
    let term = |seen: f64, expected: f64| if seen > 0.0 { seen * (seen / expected).ln() } else { 0.0 };
    let g2 = 2.0 * fit * (term(share, by_chance) + term(1.0 - share, 1.0 - by_chance));
    (g2 > score::threshold(tests * PERIODS)).then_some(Beat { period_ns, share })
}

/// How many gaps of a length there are on both sides, of those that would fit into the time.
fn beats_of(sides: [&Gaps; 2], period_ns: i64) -> Rates {
    let period = period_ns as f64;
    let (least, most) = ((period * (1.0 - NEAR)) as i64, (period * (1.0 + NEAR)) as i64);
    let beats = sides.map(|gaps| gaps.between(least, most).sum_ns as f64 / period);
    Rates { counts: beats, totals: sides.map(|gaps| gaps.all().sum_ns as f64 / period) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    struct Random(u64);

    impl Random {
        /// From 0 to 1.
        fn share(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    fn gaps(all: impl Iterator<Item = f64>) -> Gaps {
        let mut gaps = Gaps::default();
        all.for_each(|seconds| gaps.add((seconds * SECOND as f64) as i64));
        gaps
    }

    fn even(seconds: f64, count: usize, seed: u64) -> Gaps {
        let mut random = Random(seed);
        gaps((0..count).map(move |_| seconds * (0.98 + 0.04 * random.share())))
    }

    fn at_random(mean: f64, count: usize, seed: u64) -> Gaps {
        let mut random = Random(seed);
        gaps((0..count).map(move |_| -(1.0 - random.share()).ln() * mean))
    }

    fn found(a: &Gaps, b: &Gaps) -> Option<(Change, [Option<i64>; 2])> {
        let found = change([a, b], 1_000_000, 200)?;
        let seconds = |beat: Beat| (beat.period_ns as f64 / SECOND as f64).round() as i64;
        Some((found.change(), found.beats.map(|beat| beat.map(seconds))))
    }

    #[test]
    fn rhythms_that_begin_end_and_change_are_found() {
        let (ten, other_ten) = (even(10.0, 100, 1), even(10.0, 80, 2));
        let (fourteen, random) = (even(14.0, 70, 3), at_random(10.0, 100, 4));
        assert_eq!(found(&ten, &other_ten), None);
        assert_eq!(found(&ten, &fourteen), Some((Change::Period, [Some(10), Some(14)])));
        assert_eq!(found(&random, &ten), Some((Change::Repeats, [None, Some(10)])));
        assert_eq!(found(&ten, &random), Some((Change::Irregular, [Some(10), None])));
        assert_eq!(found(&random, &at_random(3.0, 400, 5)), None);
        // Too few to say, and nearly the same time.
        assert_eq!(found(&even(10.0, 8, 6), &random), None);
        assert_eq!(found(&ten, &even(10.6, 100, 7)), None);
        assert_eq!(found(&ten, &Gaps::default()), None);
    }

    #[test]
    fn several_events_at_each_beat_repeat_as_one() {
        let beats = |seconds: f64| gaps((0..60).flat_map(move |_| [0.1, 0.2, seconds - 0.3]));
        assert_eq!(found(&beats(60.0), &beats(45.0)), Some((Change::Period, [Some(60), Some(45)])));
    }

    #[test]
    fn frequent_events_with_whole_seconds_do_not_repeat() {
        let mut random = Random(8);
        let frequent = gaps((0..2_000).map(|_| if random.share() < 0.9 { 1.0 } else { 2.0 }));
        let rare = gaps((0..400).map(|_| 1.0 + (random.share() * 12.0).floor()));
        assert_eq!(change([&frequent, &rare], SECOND, 200), None);
        assert_eq!(change([&rare, &frequent], SECOND, 200), None);
        // Each second, and then each other second: whether the first repeats is not known.
        let [each, other] = [1.0, 2.0].map(|seconds| gaps((0..60).map(move |_| seconds)));
        assert_eq!(change([&each, &other], SECOND, 200), None);
    }

    #[test]
    fn events_at_random_times_seldom_repeat() {
        for seed in 0..400 {
            let (a, b) = (at_random(5.0, 60, 2 * seed), at_random(20.0, 15, 2 * seed + 1));
            assert_eq!(found(&a, &b), None, "{seed}");
        }
    }
}
